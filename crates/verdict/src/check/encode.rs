//! Expressions and formulas as signals of a circuit, by substitution.

use super::{Side, Signal};
use crate::{Atom, Formula, FormulaId, Formulas, Proof};
use hardbop_base::{Budget, Exhausted, Idx, IndexVec};
use hardbop_icfg::{ChoiceId, Expr, ExprId, Exprs, Program, Relation, SlotId, Slots, Transition, Value};
use hardbop_solve::Circuit;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Which slots a formula may speak of. Slots with the same remainder by 64 share a bit, so a set may be too large.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Support {
    entry: u64,
    now: u64,
}

impl Support {
    fn union(self, other: Self) -> Self {
        Self { entry: self.entry | other.entry, now: self.now | other.now }
    }

    fn meets(self, other: Self) -> bool {
        self.entry & other.entry != 0 || self.now & other.now != 0
    }

    fn of(atom: Atom) -> Self {
        match atom {
            Atom::Entry(slot) => Self { entry: bit(slot), now: 0 },
            Atom::Now(slot) => Self { entry: 0, now: bit(slot) },
        }
    }
}

fn bit(slot: SlotId) -> u64 {
    1 << (slot.index() % 64)
}

/// The support of each formula; `None` where the proof has no formula for a node, or a formula that is none.
pub(super) fn supports(
    program: &Program<Relation>,
    slots: &Slots,
    proof: &Proof,
) -> Option<IndexVec<FormulaId, Support>> {
    let mut supports: IndexVec<FormulaId, Support> = IndexVec::new();
    for id in (0..proof.formulas.len()).map(FormulaId::from_usize) {
        let is_slot = |slot: SlotId| slot.index() < slots.len();
        let support = match proof.formulas.get(id) {
            Formula::Const(_) => Support::default(),
            Formula::Ite(atom, yes, no) => {
                let (Atom::Entry(slot) | Atom::Now(slot)) = atom;
                let parts = supports.get(yes)?.union(*supports.get(no)?);
                is_slot(slot).then(|| parts.union(Support::of(atom)))?
            }
            Formula::And(left, right) => supports.get(left)?.union(*supports.get(right)?),
            Formula::Unchanged(slot) => is_slot(slot).then(|| Support { entry: bit(slot), now: bit(slot) })?,
        };
        supports.push(support);
    }
    let is_complete = proof.at.len() == program.icfg.nodes.len();
    (is_complete && proof.at.iter().all(|&id| id.index() < supports.len())).then_some(supports)
}

/// One input for each slot of each state that an obligation speaks of.
pub(super) struct Copies {
    /// `e`, at the procedure's entry.
    pub(super) entry: Vec<Signal>,
    /// `c`, before the edge.
    pub(super) now: Vec<Signal>,
    /// `s`, at the callee's entry, where neither `c` nor an update decides it.
    pub(super) start: Vec<Signal>,
    /// `x`, at the callee's exit.
    pub(super) exit: Vec<Signal>,
    /// What a variable that may get any value gets, in a step or on the way back.
    pub(super) any: Vec<Signal>,
}

/// What the variables of an expression stand for. What is not given may be anything, anew wherever it stands.
#[derive(Clone, Copy, Default)]
pub(super) struct Maps<'m> {
    pub(super) now: Option<&'m [Signal]>,
    pub(super) next: Option<&'m [Signal]>,
    pub(super) saved: Option<&'m [Signal]>,
}

/// Builds signals in one circuit.
pub(super) struct Encoder<'a> {
    pub(super) circuit: Circuit,
    exprs: &'a Exprs,
    formulas: &'a Formulas,
    slots: &'a Slots,
    supports: &'a IndexVec<FormulaId, Support>,
    budget: &'a Budget,
    copies: Rc<Copies>,
    /// The choices of a step or of the way into a call, and those of the way back: both stand in one obligation.
    choices: [Vec<Signal>; 2],
    /// The signals of the expressions of the transition at hand.
    expr_signals: FxHashMap<ExprId, Signal>,
    /// `A(e, c)` of each formula, where it has been needed.
    plain: IndexVec<FormulaId, Option<Signal>>,
    /// The instance at hand of each formula, valid where its number is that of the instance.
    instance: IndexVec<FormulaId, (u32, Signal)>,
    instances: u32,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(
        exprs: &'a Exprs,
        formulas: &'a Formulas,
        slots: &'a Slots,
        supports: &'a IndexVec<FormulaId, Support>,
        budget: &'a Budget,
    ) -> Self {
        let mut circuit = Circuit::new();
        let mut copy = || (0..slots.len()).map(|_| circuit.input()).collect();
        let copies = Copies { entry: copy(), now: copy(), start: copy(), exit: copy(), any: copy() };
        Self {
            circuit,
            exprs,
            formulas,
            slots,
            supports,
            budget,
            copies: Rc::new(copies),
            choices: [Vec::new(), Vec::new()],
            expr_signals: FxHashMap::default(),
            plain: IndexVec::from_elem(None, formulas.len()),
            instance: IndexVec::from_elem((0, Signal::FALSE), formulas.len()),
            instances: 0,
        }
    }

    /// Forgets every signal and begins a new circuit.
    pub(super) fn renew(&mut self) {
        *self = Self::new(self.exprs, self.formulas, self.slots, self.supports, self.budget);
    }

    pub(super) fn copies(&self) -> Rc<Copies> {
        Rc::clone(&self.copies)
    }

    /// The signal of an expression that is no part of a transition.
    pub(super) fn condition(&mut self, expr: ExprId, maps: Maps<'_>) -> Result<Signal, Exhausted> {
        self.expr_signals.clear();
        self.expr(expr, Side::Step, maps)
    }

    /// When `transition` can be taken. Overwrites what it changes in `next`, which holds what the variables keep.
    ///
    /// Appends to `key` what determines the result, given `maps` and `next`.
    pub(super) fn transition(
        &mut self,
        transition: &Transition,
        side: Side,
        maps: Maps<'_>,
        next: &mut [Signal],
        key: &mut Vec<u32>,
    ) -> Result<Signal, Exhausted> {
        self.expr_signals.clear();
        let guard = transition.guard.map_or(Ok(Signal::TRUE), |guard| self.expr(guard, side, maps))?;
        for update in &transition.updates {
            let slot = self.slots.of(update.target).index();
            next[slot] = match (update.value, side) {
                (Value::Of(value), _) => self.expr(value, side, maps)?,
                (Value::Any, Side::Enter) => self.copies.start[slot],
                (Value::Any, Side::Step | Side::Leave) => self.copies.any[slot],
            };
            key.extend([slot as u32, next[slot].code()]);
        }
        let maps = Maps { next: Some(next), ..maps };
        let constraint = transition.constraint.map_or(Ok(Signal::TRUE), |expr| self.expr(expr, side, maps))?;
        let taken = self.circuit.and(guard, constraint);
        // No slot has this number, so it ends the list of changes.
        key.extend([u32::MAX, taken.code()]);
        Ok(taken)
    }

    /// Does not recurse: expressions are deep.
    fn expr(&mut self, root: ExprId, side: Side, maps: Maps<'_>) -> Result<Signal, Exhausted> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let expr = self.exprs.get(id);
            let before = stack.len();
            stack.extend(expr.children().filter(|child| !self.expr_signals.contains_key(child)));
            if stack.len() == before {
                self.budget.spend(1)?;
                let signal = self.expr_node(expr, side, maps);
                self.expr_signals.insert(id, signal);
                stack.pop();
            }
        }
        Ok(self.expr_signals[&root])
    }

    fn expr_node(&mut self, expr: Expr, side: Side, maps: Maps<'_>) -> Signal {
        let (done, circuit) = (&self.expr_signals, &mut self.circuit);
        let slot = |var| self.slots.of(var).index();
        match expr {
            Expr::Const(value) => Signal::constant(value),
            Expr::Var(var) => maps.now.map_or_else(|| circuit.input(), |map| map[slot(var)]),
            Expr::Next(var) => maps.next.map_or_else(|| circuit.input(), |map| map[slot(var)]),
            Expr::Saved(var) => maps.saved.map_or_else(|| circuit.input(), |map| map[slot(var)]),
            Expr::Choice(choice) => self.choice(choice, side),
            Expr::Not(a) => !done[&a],
            Expr::And(a, b) => circuit.and(done[&a], done[&b]),
            Expr::Or(a, b) => circuit.or(done[&a], done[&b]),
            Expr::Xor(a, b) => circuit.xor(done[&a], done[&b]),
            Expr::Iff(a, b) => circuit.iff(done[&a], done[&b]),
            Expr::Implies(a, b) => circuit.implies(done[&a], done[&b]),
            Expr::Ite(a, b, c) => circuit.ite(done[&a], done[&b], done[&c]),
        }
    }

    fn choice(&mut self, choice: ChoiceId, side: Side) -> Signal {
        let choices = &mut self.choices[usize::from(side == Side::Leave)];
        while choices.len() <= choice.index() {
            choices.push(self.circuit.input());
        }
        choices[choice.index()]
    }

    /// The slots that `id` says are unchanged, as conjuncts of their own.
    pub(super) fn unchanged(&self, id: FormulaId) -> Vec<SlotId> {
        let (mut found, mut stack) = (Vec::new(), vec![id]);
        while let Some(id) = stack.pop() {
            match self.formulas.get(id) {
                Formula::And(left, right) => stack.extend([left, right]),
                Formula::Unchanged(slot) => found.push(slot),
                Formula::Const(_) | Formula::Ite(..) => {}
            }
        }
        found
    }

    /// `A(entry, now)` of the formula `root`. Does not recurse: formulas are deep.
    pub(super) fn formula(&mut self, root: FormulaId, entry: &[Signal], now: &[Signal]) -> Result<Signal, Exhausted> {
        let changed = self.changed(entry, now);
        self.instances += 1;
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let formula = self.formulas.get(id);
            let before = stack.len();
            stack.extend(parts(formula).filter(|&part| self.instance_of(part, changed).is_none()));
            if stack.len() == before {
                self.budget.spend(1)?;
                if self.instance_of(id, changed).is_none() {
                    let signal = self.formula_node(formula, changed, entry, now);
                    if self.supports[id].meets(changed) {
                        self.instance[id] = (self.instances, signal);
                    } else {
                        self.plain[id] = Some(signal);
                    }
                }
                stack.pop();
            }
        }
        Ok(self.instance_of(root, changed).expect("the root was the last on the stack"))
    }

    fn formula_node(&mut self, formula: Formula, changed: Support, entry: &[Signal], now: &[Signal]) -> Signal {
        let signal = |part| self.instance_of(part, changed).expect("parts come before the whole");
        match formula {
            Formula::Const(value) => Signal::constant(value),
            Formula::Ite(atom, yes, no) => {
                let test = match atom {
                    Atom::Entry(slot) => entry[slot.index()],
                    Atom::Now(slot) => now[slot.index()],
                };
                let (yes, no) = (signal(yes), signal(no));
                self.circuit.ite(test, yes, no)
            }
            Formula::And(left, right) => {
                let (left, right) = (signal(left), signal(right));
                self.circuit.and(left, right)
            }
            Formula::Unchanged(slot) => self.circuit.iff(entry[slot.index()], now[slot.index()]),
        }
    }

    /// The signal of `id` where it is known: a formula that speaks of no changed slot is as in `A(e, c)`.
    fn instance_of(&self, id: FormulaId, changed: Support) -> Option<Signal> {
        if !self.supports[id].meets(changed) {
            return self.plain[id];
        }
        let (number, signal) = self.instance[id];
        (number == self.instances).then_some(signal)
    }

    /// The slots where the two states are not `e` and `c`.
    fn changed(&self, entry: &[Signal], now: &[Signal]) -> Support {
        let differs = |one: &[Signal], other: &[Signal]| {
            let pairs = one.iter().zip(other).enumerate();
            pairs.filter(|(_, (a, b))| a != b).fold(0, |set, (slot, _)| set | bit(SlotId::from_usize(slot)))
        };
        Support { entry: differs(entry, &self.copies.entry), now: differs(now, &self.copies.now) }
    }
}

fn parts(formula: Formula) -> impl Iterator<Item = FormulaId> {
    let (first, second) = match formula {
        Formula::Const(_) | Formula::Unchanged(_) => (None, None),
        Formula::Ite(_, yes, no) => (Some(yes), Some(no)),
        Formula::And(left, right) => (Some(left), Some(right)),
    };
    first.into_iter().chain(second)
}
