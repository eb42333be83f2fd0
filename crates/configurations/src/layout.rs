//! Where the values that transitions relate lie in the order of levels.
//!
//! A slot has four levels side by side, in the order of [`Copy`](enum@Copy). All renamings of the saturations keep that order, so
//! they are done while an image is computed. Choices of a relation lie at the bottom and are gone once it is encoded.

use hardbop_base::{Idx, IndexVec};
use hardbop_bdd::{Fate, Level};
use hardbop_icfg::{Expr, Program, Relation, SlotId, Slots, Transition};
use hardbop_pushdown::Switch;
use hardbop_pushdown::encode::{Copy as Moment, Levels};

/// Which value of a slot a level stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Copy {
    /// Between two others for a moment: what a rule writes, or what two transitions agree on.
    Middle = 0,
    /// The datum of the state that a transition leaves. On top of the stack: the globals.
    Source = 1,
    /// The locals of the frame that a transition reads.
    Frame = 2,
    /// The datum of the state that a transition leads to.
    Target = 3,
}

/// The order of levels.
#[derive(Clone, Debug)]
pub struct Layout {
    rank: IndexVec<SlotId, usize>,
    slots: Vec<SlotId>,
    choices: usize,
}

impl Layout {
    /// Four levels for each slot of `program`, and as many more as a relation has choices.
    pub fn new(program: &Program<Relation>, slots: &Slots, order: Switch) -> Self {
        let levels = Levels::new(program, slots, 0, order);
        let width = levels.count() / slots.len().max(1);
        // The analysis by summaries orders slots well; only how many copies each has is our own affair.
        let rank: IndexVec<SlotId, usize> =
            slots.ids().map(|slot| levels.of(slot, Moment::Entry).index() / width).collect();
        let mut sorted: Vec<SlotId> = slots.ids().collect();
        sorted.sort_by_key(|&slot| rank[slot]);
        Self { rank, slots: sorted, choices: most_choices(program) }
    }

    /// How many levels there are.
    pub fn count(&self) -> usize {
        4 * self.slots.len() + self.choices
    }

    /// The level of a slot's copy.
    pub fn of(&self, slot: SlotId, copy: Copy) -> Level {
        Level::from_usize(4 * self.rank[slot] + copy as usize)
    }

    /// How many choices there are levels for.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// The level of a choice.
    pub fn choice(&self, number: usize) -> Level {
        assert!(number < self.choices, "more choices in one relation than there are levels for");
        Level::from_usize(4 * self.slots.len() + number)
    }

    /// The slots, those with the lowest levels first: so each conjunction adds nodes on top only.
    pub fn bottom_up(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.slots.iter().rev().copied()
    }

    /// What happens to `copy` of each of `slots`.
    pub fn fates(
        &self,
        slots: impl IntoIterator<Item = SlotId>,
        copy: Copy,
        fate: impl Fn(SlotId) -> Fate,
    ) -> Vec<(Level, Fate)> {
        slots.into_iter().map(|slot| (self.of(slot, copy), fate(slot))).collect()
    }

    /// `from` of each of `slots` becomes `to`.
    pub fn moves(&self, slots: impl IntoIterator<Item = SlotId>, from: Copy, to: Copy) -> Vec<(Level, Fate)> {
        self.fates(slots, from, |slot| Fate::MoveTo(self.of(slot, to)))
    }

    /// `copy` of each of `slots` is forgotten.
    pub fn forgets(&self, slots: impl IntoIterator<Item = SlotId>, copy: Copy) -> Vec<(Level, Fate)> {
        self.fates(slots, copy, |_| Fate::Forget)
    }
}

/// The most choices that a relation or a condition has.
fn most_choices(program: &Program<Relation>) -> usize {
    let in_exprs = program.exprs.iter().map(|expr| match expr {
        Expr::Choice(choice) => choice.index() + 1,
        _ => 0,
    });
    let declared = |transition: &Transition| transition.choices as usize;
    let in_labels = program.labels.iter().map(|label| match label {
        Relation::Step(step) => declared(step),
        Relation::Call { enter, leave } => declared(enter).max(declared(leave)),
        Relation::Return => 0,
    });
    in_exprs.chain(in_labels).chain([declared(&program.initial)]).max().unwrap_or(0)
}
