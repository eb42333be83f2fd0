//! The cheapest point of the dial: one tri-vector per node, joined fact by fact [BR01, §7].
//!
//! The usual flow-sensitive analysis, without calling contexts: a procedure's entry takes in what all callers bring. A
//! global that a callee cannot modify keeps the value it had at the call, and one that no step makes false stays true. A
//! parameter that the callee does not write is at its end what it was given: where it has one value there, the caller
//! has given that. Each bit of a tri-vector is set once, so the cost is linear in the program for a fixed number of
//! facts.
//!
//! **Invariant:** the states at a node only grow; a node is on the worklist iff they grew since its last visit.

use crate::growth::{Change, changes};
use crate::tri_vector::TriVector;
use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::order::CallOrder;
use hardbop_icfg::{
    EdgeKind, Expr, ExprId, ModRef, NodeId, ProcId, Program, Relation, Slots, Transition, Value, VarId,
};
use hardbop_pushdown::worklist::Worklist;
use std::rc::Rc;

/// What the facts may be at each node.
#[derive(Clone, Debug)]
pub struct Cartesian {
    states: IndexVec<NodeId, Option<State>>,
    places: IndexVec<VarId, Place>,
    changes: IndexVec<VarId, Change>,
}

/// The facts at a node. Globals change seldom, so neighbours share them.
#[derive(Clone, Debug)]
struct State {
    globals: Rc<TriVector>,
    locals: TriVector,
}

/// The side of a transition whose values are narrowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// `x`
    Before,
    /// `x'`
    After,
}

/// So many parts of an expression are looked at.
const MOST_NARROWED: u32 = 256;

/// Where a variable's value is kept.
#[derive(Clone, Copy, Debug)]
enum Place {
    Global(usize),
    Local(usize),
}

impl Cartesian {
    /// Analyses `program`.
    pub fn new(program: &Program<Relation>, budget: &Budget) -> Result<Self, Exhausted> {
        let mut analysis = Analysis::new(program);
        analysis.start();
        while let Some(node) = analysis.worklist.pop() {
            budget.spend(1)?;
            analysis.visit(node);
        }
        Ok(Self { states: analysis.states, places: analysis.places, changes: analysis.changes })
    }

    /// Whether control may come to `node`.
    pub fn is_reachable(&self, node: NodeId) -> bool {
        self.states[node].is_some()
    }

    /// What `var`, which can be seen at `node`, may be there; nothing where control does not come there.
    pub fn value(&self, node: NodeId, var: VarId) -> Option<Possible> {
        self.states[node].as_ref().map(|state| state.get(self.places[var]))
    }

    /// Whether `var` stays true once it is.
    pub fn only_grows(&self, var: VarId) -> bool {
        self.changes[var] <= Change::Growth
    }

    /// What `condition` may be at `node`; nothing where control does not come there.
    pub fn condition(&self, program: &Program<Relation>, node: NodeId, condition: ExprId) -> Option<Possible> {
        let state = self.states[node].as_ref()?;
        Some(Scene { program, places: &self.places, before: state, saved: None }.possible(condition))
    }
}

struct Analysis<'p> {
    program: &'p Program<Relation>,
    places: IndexVec<VarId, Place>,
    /// The globals that each procedure may modify, a bit for each; nothing where it modifies none.
    modified: IndexVec<ProcId, Option<Box<[u64]>>>,
    changes: IndexVec<VarId, Change>,
    /// Whether a variable gets a value otherwise than by a call of its procedure.
    is_written: IndexVec<VarId, bool>,
    /// The globals that stay true once they are, a bit for each.
    growing: Box<[u64]>,
    worklist: Worklist,
    states: IndexVec<NodeId, Option<State>>,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program<Relation>) -> Self {
        let mut places = IndexVec::from_elem(Place::Global(0), program.vars.len());
        program.globals().enumerate().for_each(|(place, var)| places[var] = Place::Global(place));
        for locals in &program.locals {
            locals.iter().enumerate().for_each(|(place, &var)| places[var] = Place::Local(place));
        }
        let order = CallOrder::new(&program.icfg);
        let slots = Slots::new(program);
        let mod_ref = ModRef::new(program, &slots, &order, |_| true, |_| true);
        let modified = mod_ref.modified.iter().map(|modified| {
            let mut bits = vec![0_u64; program.globals().count().div_ceil(64)];
            for (place, _) in program.globals().enumerate().filter(|&(_, var)| modified.contains(slots.of(var))) {
                bits[place / 64] |= 1 << (place % 64);
            }
            bits.iter().any(|&word| word != 0).then(|| bits.into_boxed_slice())
        });
        let changes = changes(program);
        let mut growing = vec![0_u64; program.globals().count().div_ceil(64)].into_boxed_slice();
        for (place, _) in program.globals().enumerate().filter(|&(_, var)| changes[var] <= Change::Growth) {
            growing[place / 64] |= 1 << (place % 64);
        }
        Self {
            program,
            places,
            modified: modified.collect(),
            changes,
            is_written: written(program),
            growing,
            worklist: Worklist::new(&program.icfg, &order),
            states: IndexVec::from_elem(None, program.icfg.nodes.len()),
        }
    }

    fn start(&mut self) {
        let globals = Rc::new(TriVector::any(self.program.globals().count()));
        let state = State { globals, locals: self.fresh_locals(self.program.entry) };
        let initial = Transition { updates: Vec::new(), ..self.program.initial.clone() };
        let start = Scene { program: self.program, places: &self.places, before: &state, saved: None };
        if let Some(mut after) = start.apply(None, &initial) {
            self.know_what_stays(&mut after);
            self.add(self.program.icfg.procs[self.program.entry].entry, after);
        }
    }

    /// Of thousands of facts at the start not all are looked at. Those that stay as they are cost nothing.
    fn know_what_stays(&self, state: &mut State) {
        let exprs = &self.program.exprs;
        let parts = self.program.initial.constraint.map_or_else(Vec::new, |constraint| exprs.conjuncts(constraint));
        for part in parts {
            let (var, value) = match exprs.get(part) {
                Expr::Next(var) => (var, true),
                Expr::Not(inner) => match exprs.get(inner) {
                    Expr::Next(var) => (var, false),
                    _ => continue,
                },
                _ => continue,
            };
            if self.changes[var] == Change::None || value && self.changes[var] == Change::Growth {
                state.set(self.places[var], Possible::only(value));
            }
        }
    }

    fn fresh_locals(&self, proc: ProcId) -> TriVector {
        TriVector::any(self.program.locals[proc].len())
    }

    fn add(&mut self, node: NodeId, state: State) {
        let is_changed = match &mut self.states[node] {
            Some(known) => known.join(&state),
            unknown @ None => {
                *unknown = Some(state);
                true
            }
        };
        if is_changed {
            self.worklist.push(node);
        }
    }

    fn visit(&mut self, node: NodeId) {
        let program = self.program;
        let state = self.states[node].clone().expect("only nodes with states are visited");
        for &id in program.icfg.successors(node) {
            match (program.icfg.edges[id].kind, &program.labels[id]) {
                (EdgeKind::Step { to }, Relation::Step(transition)) => {
                    if let Some(after) = self.step(&state, transition) {
                        self.add(to, after);
                    }
                }
                (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                    self.enter(&state, enter, callee);
                    self.leave(&state, (enter, leave), callee, to);
                }
                (EdgeKind::Return, Relation::Return) => self.leave_all(program.icfg.nodes[node].proc),
                _ => panic!("the label of {id:?} does not fit its kind"),
            }
        }
    }

    fn step(&self, state: &State, transition: &Transition) -> Option<State> {
        let scene = Scene { program: self.program, places: &self.places, before: state, saved: None };
        scene.apply(None, transition)
    }

    fn enter(&mut self, state: &State, enter: &Transition, callee: ProcId) {
        let scene = Scene { program: self.program, places: &self.places, before: state, saved: None };
        let fresh = State { globals: Rc::clone(&state.globals), locals: self.fresh_locals(callee) };
        if let Some(after) = scene.apply(Some(&fresh), enter) {
            self.add(self.program.icfg.procs[callee].entry, after);
        }
    }

    /// From the callee's exit back to a caller in `state`.
    fn leave(&mut self, state: &State, (enter, leave): (&Transition, &Transition), callee: ProcId, to: NodeId) {
        let Some(exit) = &self.states[self.program.icfg.procs[callee].exit] else { return };
        let mut exit = exit.clone();
        let Some(state) = &self.as_given(state, enter, &exit) else { return };
        match &self.modified[callee] {
            Some(modified) if !Rc::ptr_eq(&exit.globals, &state.globals) => {
                let globals = Rc::make_mut(&mut exit.globals);
                globals.overlay(&state.globals, modified);
                globals.keep_true(&state.globals, &self.growing);
            }
            Some(_) => {}
            None => exit.globals = Rc::clone(&state.globals),
        }
        let back = State { globals: Rc::clone(&exit.globals), locals: state.locals.clone() };
        let scene = Scene { program: self.program, places: &self.places, before: &exit, saved: Some(state) };
        if let Some(after) = scene.apply(Some(&back), leave) {
            self.add(to, after);
        }
    }

    /// The states of a caller that give a callee what it has at its exit; nothing where none does.
    fn as_given(&self, state: &State, enter: &Transition, exit: &State) -> Option<State> {
        let mut given = state.clone();
        let scene = Scene { program: self.program, places: &self.places, before: state, saved: None };
        for update in enter.updates.iter().filter(|update| !self.is_written[update.target]) {
            if let (Value::Of(value), Some(known)) = (update.value, exit.get(self.places[update.target]).definite())
                && !scene.narrow(&mut given, value, known, Side::Before)
            {
                return None;
            }
        }
        Some(given)
    }

    /// From the exit of `proc` back to all callers.
    fn leave_all(&mut self, proc: ProcId) {
        let program = self.program;
        for &call in program.icfg.callers(proc) {
            let (EdgeKind::Call { to, .. }, Relation::Call { enter, leave }) =
                (program.icfg.edges[call].kind, &program.labels[call])
            else {
                panic!("the label of {call:?} does not fit its kind")
            };
            if let Some(state) = self.states[program.icfg.edges[call].from].clone() {
                self.leave(&state, (enter, leave), proc, to);
            }
        }
    }
}

/// Whether a variable gets a value otherwise than by a call of its procedure.
fn written(program: &Program<Relation>) -> IndexVec<VarId, bool> {
    let mut is_written = IndexVec::from_elem(false, program.vars.len());
    let written = program.labels.iter().flat_map(|label| match label {
        Relation::Step(transition) | Relation::Call { leave: transition, .. } => &transition.updates[..],
        Relation::Return => &[],
    });
    written.for_each(|update| is_written[update.target] = true);
    // A global may be written between the call and the callee's first statement.
    program.globals().for_each(|var| is_written[var] = true);
    is_written
}

impl State {
    fn get(&self, place: Place) -> Possible {
        match place {
            Place::Global(place) => self.globals.get(place),
            Place::Local(place) => self.locals.get(place),
        }
    }

    fn set(&mut self, place: Place, value: Possible) {
        match place {
            Place::Local(place) => self.locals.set(place, value),
            Place::Global(place) if self.globals.get(place) != value => {
                Rc::make_mut(&mut self.globals).set(place, value);
            }
            Place::Global(_) => {}
        }
    }

    fn join(&mut self, other: &Self) -> bool {
        let is_same = Rc::ptr_eq(&self.globals, &other.globals) || self.globals.contains(&other.globals);
        if !is_same {
            Rc::make_mut(&mut self.globals).join(&other.globals);
        }
        self.locals.join(&other.locals) || !is_same
    }
}

/// What the expressions of a label speak of.
struct Scene<'a> {
    program: &'a Program<Relation>,
    places: &'a IndexVec<VarId, Place>,
    /// `x`.
    before: &'a State,
    /// `x''`.
    saved: Option<&'a State>,
}

impl Scene<'_> {
    /// What `transition` makes of the scene; nothing where it cannot happen. A variable without an update is as in
    /// `frame`, or where there is none as before.
    fn apply(&self, frame: Option<&State>, transition: &Transition) -> Option<State> {
        let mut before = self.before.clone();
        if let Some(guard) = transition.guard
            && !self.narrow(&mut before, guard, true, Side::Before)
        {
            return None;
        }
        let mut after = frame.unwrap_or(&before).clone();
        let scene = Scene { before: &before, ..*self };
        for update in &transition.updates {
            let value = match update.value {
                Value::Of(value) => scene.possible(value),
                Value::Any => Possible::ANY,
            };
            after.set(self.places[update.target], value);
        }
        if let Some(constraint) = transition.constraint
            && !scene.narrow(&mut after, constraint, true, Side::After)
        {
            return None;
        }
        Some(after)
    }

    fn possible(&self, expr: ExprId) -> Possible {
        self.possible_in(self.before, expr, Side::Before)
    }

    /// What `expr` may be, with the values of one side taken from `state`.
    fn possible_in(&self, state: &State, expr: ExprId, side: Side) -> Possible {
        let (before, after) = match side {
            Side::Before => (state, None),
            Side::After => (self.before, Some(state)),
        };
        self.program.exprs.possible(expr, &|leaf| match leaf {
            Expr::Var(var) => before.get(self.places[var]),
            Expr::Saved(var) => self.saved.map_or(Possible::ANY, |saved| saved.get(self.places[var])),
            Expr::Next(var) => after.map_or(Possible::ANY, |after| after.get(self.places[var])),
            _ => Possible::ANY,
        })
    }

    /// Narrows `state`, one side's values, to where `expr` may be `value`; false where it cannot be.
    fn narrow(&self, state: &mut State, expr: ExprId, value: bool, side: Side) -> bool {
        self.possible_in(state, expr, side).contains(value)
            && Narrowing { scene: self, side, fuel: MOST_NARROWED }.narrow(state, expr, value)
    }
}

/// Narrows one side's values by what is known of an expression.
struct Narrowing<'a> {
    scene: &'a Scene<'a>,
    side: Side,
    fuel: u32,
}

impl Narrowing<'_> {
    fn narrow(&mut self, state: &mut State, expr: ExprId, value: bool) -> bool {
        // Parts that are shared are visited once for each way there; what is not narrowed is right all the same.
        let Some(fuel) = self.fuel.checked_sub(1) else { return true };
        self.fuel = fuel;
        match (self.scene.program.exprs.get(expr), value, self.side) {
            (Expr::Var(var), _, Side::Before) | (Expr::Next(var), _, Side::After) => {
                let place = self.scene.places[var];
                let is_possible = state.get(place).contains(value);
                state.set(place, Possible::only(value));
                is_possible
            }
            (Expr::Not(a), ..) => self.narrow(state, a, !value),
            (Expr::And(a, b), true, _) | (Expr::Or(a, b), false, _) => {
                self.narrow(state, a, value) && self.narrow(state, b, value)
            }
            (Expr::Implies(a, b), false, _) => self.narrow(state, a, true) && self.narrow(state, b, false),
            (Expr::And(a, b), false, _) | (Expr::Or(a, b), true, _) => self.narrow_one(state, (a, value), (b, value)),
            (Expr::Implies(a, b), true, _) => self.narrow_one(state, (a, false), (b, true)),
            (Expr::Iff(a, b), ..) => self.narrow_equal(state, a, b, value),
            (Expr::Xor(a, b), ..) => self.narrow_equal(state, a, b, !value),
            (Expr::Ite(test, yes, no), ..) => {
                let can = |this: &Self, state: &State, part| this.possible(state, part).contains(value);
                match (can(self, state, yes), can(self, state, no)) {
                    (true, true) => match self.possible(state, test).definite() {
                        Some(decided) => self.narrow(state, if decided { yes } else { no }, value),
                        None => true,
                    },
                    (true, false) => self.narrow(state, test, true) && self.narrow(state, yes, value),
                    (false, true) => self.narrow(state, test, false) && self.narrow(state, no, value),
                    (false, false) => false,
                }
            }
            (Expr::Const(known), ..) => known == value,
            (Expr::Var(_) | Expr::Next(_) | Expr::Saved(_) | Expr::Choice(_), ..) => true,
        }
    }

    /// At least one of two expressions has its value; where one cannot, the other has.
    fn narrow_one(&mut self, state: &mut State, first: (ExprId, bool), second: (ExprId, bool)) -> bool {
        let can = |this: &Self, state: &State, (expr, value)| this.possible(state, expr).contains(value);
        match (can(self, state, first), can(self, state, second)) {
            (true, true) => true,
            (true, false) => self.narrow(state, first.0, first.1),
            (false, true) => self.narrow(state, second.0, second.1),
            (false, false) => false,
        }
    }

    /// The two are equal, or are not.
    fn narrow_equal(&mut self, state: &mut State, a: ExprId, b: ExprId, are_equal: bool) -> bool {
        match (self.possible(state, a).definite(), self.possible(state, b).definite()) {
            (Some(known), _) => self.narrow(state, b, known == are_equal),
            (None, Some(known)) => self.narrow(state, a, known == are_equal),
            (None, None) => true,
        }
    }

    fn possible(&self, state: &State, expr: ExprId) -> Possible {
        self.scene.possible_in(state, expr, self.side)
    }
}
