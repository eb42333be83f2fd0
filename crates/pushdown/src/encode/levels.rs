//! The order of BDD levels, computed from the program before the first BDD is built.
//!
//! The copies of a slot are adjacent: its value at the entry, now and next. Which slot comes first matters more than
//! anything else. Plain booleans lie in the order of their declaration, on top. Numbers that are calculated with lie
//! below, their bits interleaved, least significant first: a carry then depends on a few levels just above. Numbers that
//! are only copied and compared lie at the bottom in bit planes, most significant first, where a comparison is decided
//! by the first bit that differs; they are mostly a program's inputs, which belong last [ES01, §5].

use crate::Switch;
use hardbop_base::{Idx, IndexVec};
use hardbop_bdd::Level;
use hardbop_icfg::{Datum, Program, Role, SlotId, SlotSet, Slots};

/// Which value of a slot a level stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copy {
    /// At the procedure's entry.
    Entry = 0,
    /// Now.
    Now = 1,
    /// After the edge.
    Next = 2,
}

/// Where slots and choices lie in the order of levels.
#[derive(Clone, Debug)]
pub struct Levels {
    rank: IndexVec<SlotId, u32>,
    slots: Vec<SlotId>,
    choices: usize,
}

/// Where a slot belongs; smaller is higher up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Boolean,
    /// A bit of a number that is calculated with, by its significance.
    Counter(usize),
    /// A bit of a number that is only copied and compared, by how many are more significant.
    Data(usize),
}

impl Levels {
    /// Three levels per slot, then `choices` more. Without `order`, slots lie as their variables are declared.
    pub fn new<L>(program: &Program<L>, slots: &Slots, choices: usize, order: Switch) -> Self {
        let mut place = IndexVec::from_elem(Place::Boolean, slots.len());
        if order == Switch::On {
            let widest = program.data.iter().map(|datum| datum.bits.len()).max().unwrap_or(0);
            for datum in program.data.iter().filter(|datum| datum.bits.len() > 1) {
                for (bit, &var) in datum.bits.iter().enumerate() {
                    place[slots.of(var)] = Place::of(datum, bit, widest);
                }
            }
        }
        let mut sorted: Vec<SlotId> = slots.ids().collect();
        sorted.sort_by_key(|&slot| (place[slot], slot));
        let mut rank = IndexVec::from_elem(0, slots.len());
        for (position, &slot) in sorted.iter().enumerate() {
            rank[slot] = u32::try_from(position).expect("slots are numbered with 32 bits");
        }
        Self { rank, slots: sorted, choices }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        3 * self.slots.len() + self.choices
    }

    /// The level of a slot's copy.
    #[inline]
    pub fn of(&self, slot: SlotId, copy: Copy) -> Level {
        Level::from_usize(3 * self.rank[slot] as usize + copy as usize)
    }

    /// The slot and copy of a level; `None` for a choice.
    pub fn slot(&self, level: Level) -> Option<(SlotId, Copy)> {
        let copy = [Copy::Entry, Copy::Now, Copy::Next][level.index() % 3];
        self.slots.get(level.index() / 3).map(|&slot| (slot, copy))
    }

    /// The choice of a level; `None` for a slot's.
    pub fn choice_at(&self, level: Level) -> Option<usize> {
        level.index().checked_sub(3 * self.slots.len())
    }

    /// The slots of `set`, those with the lowest levels first.
    pub fn bottom_up(&self, set: &SlotSet) -> Vec<SlotId> {
        let mut slots: Vec<SlotId> = set.iter().collect();
        slots.sort_unstable_by_key(|&slot| std::cmp::Reverse(self.rank[slot]));
        slots
    }

    /// The level of a choice.
    ///
    /// # Requires
    /// There is room for so many.
    pub fn choice(&self, number: usize) -> Level {
        assert!(number < self.choices, "more choices in one relation than there are levels for");
        Level::from_usize(3 * self.slots.len() + number)
    }
}

impl Place {
    fn of(datum: &Datum, bit: usize, widest: usize) -> Self {
        match datum.role {
            Role::Counter => Self::Counter(bit),
            Role::Data => Self::Data(widest - 1 - bit),
            Role::Flag => Self::Boolean,
        }
    }
}
