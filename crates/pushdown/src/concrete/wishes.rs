//! What a state should look like for the goal ahead: what the weakest precondition along a short way asks of variables.
//!
//! Backwards from the goals, breadth first, a label for each way: the values that are needed at its start if the way
//! is to be followed, as far as unit propagation finds them in guards and updates. A way whose needs contradict each
//! other is not followed further, and a node has labels for the few shortest of the others. The ways may still not be
//! feasible; wishes only make some states preferred to others.

use super::code::{Code, Codes, EdgeCode, Source};
use super::execute::is_set;
use crate::Setting;
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{EdgeId, Expr, ExprId, Exprs, NodeId, ProcId, SlotId};
use std::collections::VecDeque;

/// How many labels a node can have.
const MOST_LABELS: usize = 4;
/// The cost of the largest transitions that unit propagation looks at closely: it takes quadratic time.
const LARGE: u64 = 100;

newtype_index! {
    /// A way to a goal.
    pub struct LabelId = "way";
}

/// A way to a goal, and how the states at its start fared.
#[derive(Clone, Copy, Debug)]
struct Label {
    node: NodeId,
    /// How many edges it has.
    steps: u32,
    /// Where its wishes begin among all.
    first: usize,
    /// How many states were asked.
    states: u32,
    /// The fewest wishes that one of them did not meet.
    fewest: Option<u32>,
}

/// The ways to the goals.
pub struct Wishes {
    width: usize,
    labels: IndexVec<LabelId, Label>,
    of_node: IndexVec<NodeId, Vec<LabelId>>,
    /// For each label, the slots that it speaks of.
    slots: Vec<u64>,
    /// Their values.
    values: Vec<u64>,
    /// How many states met each wish, label by label and slot by slot.
    met: Vec<u32>,
}

/// How far a state is from what is wished for at its node.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// What the wishes that it does not meet count for, on the way where that is least.
    pub weight: u32,
    /// Whether for one of the ways no state met more of them.
    pub is_record: bool,
}

/// Values for some slots.
#[derive(Clone, Copy)]
pub struct Wish<'w> {
    slots: &'w [u64],
    values: &'w [u64],
}

impl Wish<'_> {
    /// The value of `slot`, if there is one.
    #[inline]
    pub fn of(self, slot: SlotId) -> Option<bool> {
        is_set(self.slots, slot.index()).then(|| is_set(self.values, slot.index()))
    }
}

impl Wishes {
    /// What leads to the goals with these numbers; `width` words per state.
    pub fn new(setting: &Setting<'_>, codes: &Codes, goals: impl Iterator<Item = usize>, width: usize) -> Self {
        let of_node = IndexVec::from_elem(Vec::new(), setting.program.icfg.nodes.len());
        let (slots, values, met) = (Vec::new(), Vec::new(), Vec::new());
        let wishes = Self { width, labels: IndexVec::new(), of_node, slots, values, met };
        let draft = Draft { exprs: &setting.program.exprs, setting, slots: vec![0; width], values: vec![0; width] };
        let mut spread = Spread { setting, codes, wishes, draft, queue: VecDeque::new() };
        for goal in goals {
            spread.draft.clear();
            if codes.goals[goal].guard.is_none_or(|condition| spread.draft.require(condition, true, Care::Propagate)) {
                spread.commit(setting.goals[goal].node, 0);
            }
        }
        while let Some(label) = spread.queue.pop_front() {
            spread.back(label);
        }
        spread.wishes
    }

    /// How many edges a goal is away from `node`, if a way is known.
    pub fn steps(&self, node: NodeId) -> Option<u32> {
        self.of_node[node].first().map(|&label| self.labels[label].steps)
    }

    /// One of the wishes at `node`, by turns.
    pub fn wish(&self, node: NodeId, turn: u64) -> Option<Wish<'_>> {
        let labels = &self.of_node[node];
        let count = (labels.len() as u64).max(1);
        labels.get((turn % count) as usize).map(|&label| self.row(label))
    }

    /// How far a state at `node` is from what is wished for: the less often a wish has been met there, the more it
    /// counts that this state does not. Takes note of those that it does meet.
    pub fn distance(&mut self, node: NodeId, state: &[u64]) -> Distance {
        let mut least = Distance { weight: u32::MAX, is_record: false };
        for place in 0..self.of_node[node].len() {
            let distance = self.distance_on(self.of_node[node][place], state);
            least.weight = least.weight.min(distance.weight);
            least.is_record |= distance.is_record;
        }
        least
    }

    fn distance_on(&mut self, label: LabelId, state: &[u64]) -> Distance {
        let Label { first, states, fewest, .. } = &mut self.labels[label];
        *states += 1;
        let mut met = self.met[*first..].iter_mut();
        let (mut weight, mut count) = (0, 0);
        for (place, word) in state.iter().enumerate() {
            let place = label.index() * self.width + place;
            let mut rest = self.slots[place];
            let unmet = word ^ self.values[place];
            while rest != 0 {
                let met = met.next().expect("each wish has its count");
                if unmet >> rest.trailing_zeros() & 1 == 0 {
                    *met += 1;
                } else {
                    count += 1;
                    weight += 1 + (*states / (*met + 1)).max(1).ilog2();
                }
                rest &= rest - 1;
            }
        }
        let is_record = fewest.is_none_or(|fewest| count < fewest);
        if is_record {
            *fewest = Some(count);
        }
        Distance { weight, is_record }
    }

    fn row(&self, label: LabelId) -> Wish<'_> {
        let first = label.index() * self.width;
        Wish { slots: &self.slots[first..][..self.width], values: &self.values[first..][..self.width] }
    }
}

struct Spread<'a> {
    setting: &'a Setting<'a>,
    codes: &'a Codes,
    wishes: Wishes,
    draft: Draft<'a>,
    queue: VecDeque<LabelId>,
}

impl Spread<'_> {
    /// Makes the draft a label of `node`, unless there is one like it or no room.
    fn commit(&mut self, node: NodeId, steps: u32) {
        let Self { wishes, draft, .. } = self;
        let labels = &wishes.of_node[node];
        let is_known = labels.iter().any(|&label| {
            let row = wishes.row(label);
            row.slots == draft.slots && row.values == draft.values
        });
        if is_known || labels.len() >= MOST_LABELS {
            return;
        }
        let first = wishes.met.len();
        let count: u32 = draft.slots.iter().map(|word| word.count_ones()).sum();
        wishes.met.resize(first + count as usize, 0);
        wishes.slots.extend_from_slice(&draft.slots);
        wishes.values.extend_from_slice(&draft.values);
        let label = wishes.labels.push(Label { node, steps, first, states: 0, fewest: None });
        wishes.of_node[node].push(label);
        self.queue.push_back(label);
    }

    /// Goes back over the edges into the start of a way.
    fn back(&mut self, label: LabelId) {
        let icfg = &self.setting.program.icfg;
        let codes = self.codes;
        let node = self.wishes.labels[label].node;
        for &edge in icfg.predecessors(node) {
            match &codes.edges[edge] {
                EdgeCode::Step { code, .. } => self.over(icfg.edges[edge].from, label, code, |_| true),
                EdgeCode::Call { callee, leave: Some(leave), .. } => self.back_over_call(edge, *callee, label, leave),
                _ => {}
            }
        }
        let proc = icfg.nodes[node].proc;
        if icfg.procs[proc].entry == node {
            for &edge in icfg.callers(proc) {
                if let EdgeCode::Call { enter: Some(enter), .. } = &codes.edges[edge] {
                    let slots = &self.setting.slots;
                    self.over(icfg.edges[edge].from, label, enter, |slot| slots.is_global(slot));
                }
            }
        }
    }

    fn back_over_call(&mut self, edge: EdgeId, callee: ProcId, label: LabelId, leave: &Code) {
        let setting = self.setting;
        let icfg = &setting.program.icfg;
        let is_delivered =
            |slot: SlotId| setting.slots.is_global(slot) && setting.mod_ref.modified[callee].contains(slot);
        self.over(icfg.procs[callee].exit, label, leave, is_delivered);
        // What the call's updates are made of is the callee's.
        let is_updated = |slot| leave.updates.iter().any(|&(target, _)| target == slot);
        self.over(icfg.edges[edge].from, label, &Code::default(), |slot| !is_delivered(slot) && !is_updated(slot));
    }

    /// Adds the way over an edge from `from` that does `code` and leaves alone what `is_kept`, then along `label`.
    fn over(&mut self, from: NodeId, label: LabelId, code: &Code, is_kept: impl Fn(SlotId) -> bool) {
        if self.wishes.of_node[from].len() >= MOST_LABELS {
            return;
        }
        let Self { wishes, draft, .. } = self;
        draft.clear();
        let row = wishes.row(label);
        let is_updated = |slot: SlotId| code.updates.iter().any(|&(target, _)| target == slot);
        for slot in slots_of(row.slots).filter(|&slot| !is_updated(slot) && is_kept(slot)) {
            draft.put(slot, is_set(row.values, slot.index()));
        }
        let care = if code.cost > LARGE { Care::Literals } else { Care::Propagate };
        let mut is_consistent = code.guard.is_none_or(|guard| draft.require(guard, true, care));
        for &(slot, source) in &code.updates {
            if let (Some(value), Source::Of(expr)) = (row.of(slot), source) {
                is_consistent = is_consistent && draft.require(expr, value, care);
            }
        }
        if is_consistent {
            let steps = wishes.labels[label].steps + 1;
            self.commit(from, steps);
        }
    }
}

fn slots_of(words: &[u64]) -> impl Iterator<Item = SlotId> + '_ {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let rests = std::iter::successors((word != 0).then_some(word), |rest| {
            Some(rest & (rest - 1)).filter(|&rest| rest != 0)
        });
        rests.map(move |rest| SlotId::from_usize(64 * place + rest.trailing_zeros() as usize))
    })
}

/// How closely an expression is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// What is known of one part is used for the other.
    Propagate,
    /// Only parts that must have a value whatever the others have.
    Literals,
}

/// A label in the making.
struct Draft<'a> {
    setting: &'a Setting<'a>,
    exprs: &'a Exprs,
    slots: Vec<u64>,
    values: Vec<u64>,
}

impl Draft<'_> {
    fn clear(&mut self) {
        self.slots.fill(0);
        self.values.fill(0);
    }

    /// Whether `slot` can have `value`; it has from now on.
    fn put(&mut self, slot: SlotId, value: bool) -> bool {
        let (place, bit) = (slot.index() / 64, 1 << (slot.index() % 64));
        if self.slots[place] & bit != 0 {
            return (self.values[place] & bit != 0) == value;
        }
        self.slots[place] |= bit;
        self.values[place] |= if value { bit } else { 0 };
        true
    }

    /// Whether `expr` can have `value`, as far as can be seen; notes what that needs.
    fn require(&mut self, expr: ExprId, value: bool, care: Care) -> bool {
        let mut stack = vec![(expr, value)];
        while let Some((expr, value)) = stack.pop() {
            let is_possible = match self.exprs.get(expr) {
                Expr::Const(constant) => constant == value,
                Expr::Var(var) => self.put(self.setting.slots.of(var), value),
                Expr::Next(_) | Expr::Saved(_) | Expr::Choice(_) => true,
                Expr::Not(a) => {
                    stack.push((a, !value));
                    true
                }
                Expr::And(a, b) => self.require_two(&mut stack, a, b, care, |a, b| (a & b) == value),
                Expr::Or(a, b) => self.require_two(&mut stack, a, b, care, |a, b| (a | b) == value),
                Expr::Xor(a, b) => self.require_two(&mut stack, a, b, care, |a, b| (a ^ b) == value),
                Expr::Iff(a, b) => self.require_two(&mut stack, a, b, care, |a, b| (a == b) == value),
                Expr::Implies(a, b) => self.require_two(&mut stack, a, b, care, |a, b| (!a | b) == value),
                Expr::Ite(test, yes, no) => {
                    match self.possible(test, care).definite() {
                        Some(true) => stack.push((yes, value)),
                        Some(false) => stack.push((no, value)),
                        None => {}
                    }
                    true
                }
            };
            if !is_possible {
                return false;
            }
        }
        true
    }

    /// Whether `a` and `b` can have values that `fit`; a part that can have only one of its values must have it.
    fn require_two(
        &self,
        stack: &mut Vec<(ExprId, bool)>,
        a: ExprId,
        b: ExprId,
        care: Care,
        fit: impl Fn(bool, bool) -> bool,
    ) -> bool {
        let (of_a, of_b) = (self.possible(a, care), self.possible(b, care));
        let can = |va, vb| of_a.contains(va) && of_b.contains(vb) && fit(va, vb);
        let a_can = [false, true].map(|va| can(va, false) || can(va, true));
        let b_can = [false, true].map(|vb| can(false, vb) || can(true, vb));
        for (part, before, can) in [(a, of_a, a_can), (b, of_b, b_can)] {
            match can {
                [false, false] => return false,
                [false, true] if before.definite().is_none() => stack.push((part, true)),
                [true, false] if before.definite().is_none() => stack.push((part, false)),
                _ => {}
            }
        }
        true
    }

    fn possible(&self, expr: ExprId, care: Care) -> Possible {
        if care == Care::Literals {
            return Possible::ANY;
        }
        self.exprs.possible(expr, &|leaf| match leaf {
            Expr::Var(var) => {
                let wish = Wish { slots: &self.slots, values: &self.values };
                wish.of(self.setting.slots.of(var)).map_or(Possible::ANY, Possible::only)
            }
            _ => Possible::ANY,
        })
    }
}
