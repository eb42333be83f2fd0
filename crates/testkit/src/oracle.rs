//! The oracle: what a program can do, by enumeration.
//!
//! Path edges `⟨d₁, v, d₂⟩`: a run that enters the procedure of `v` with globals and parameters `d₁` can be before `v`
//! in state `d₂`. Summaries `⟨d₁, d₂⟩`: it can leave it with globals and results `d₂`. [RHS95], [BR00, §3], without
//! any symbolic representation.
//!
//! Then, with all summaries known, breadth-first search over `⟨v, d₂⟩` for the lengths of hierarchical traces, in
//! which a step, a call that is not returned from, and a call crossed by a summary count one each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluate::{Values, assign, collect_primed, values, values_between};
use crate::flow::{Action, Call, Flow, Place, flow};
use crate::model::{Expr, Head, Model, Procedure, ProcedureId, Statement, Valuation, Variable};
use crate::render::Line;

/// What a program can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// For every statement head, by its line in the [rendered](Model::render) text.
    pub statements: BTreeMap<Line, StatementReport>,
    /// For every procedure, by [`ProcedureId`].
    pub procedures: Vec<ProcedureReport>,
}

/// What can be just before a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementReport {
    /// The procedure it is in.
    pub procedure: ProcedureId,
    /// Which of its heads it is.
    pub head: Head,
    /// The reachable states just before it, over the procedure's [`scope`](Model::scope).
    pub states: BTreeSet<Valuation>,
    /// The length of the shortest hierarchical trace from the start of `main`, if it is reachable.
    pub distance: Option<usize>,
    /// If it is an assertion, whether it can fail.
    pub assertion: Option<Assertion>,
}

/// How an assertion fares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assertion {
    /// The reachable states in which its condition can be false.
    pub failing: BTreeSet<Valuation>,
    /// The length of the shortest hierarchical trace to one of them, if there is one.
    pub distance: Option<usize>,
}

/// What a procedure can do when it is reached from `main`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcedureReport {
    /// The reachable entries, over globals then parameters, those its `enforce` lets in.
    pub entries: BTreeSet<Valuation>,
    /// The reachable states at its exit, over its scope, then its results.
    pub exits: BTreeSet<Valuation>,
    /// An entry, over globals then parameters, and an exit it can lead to, over globals then results.
    pub summaries: BTreeSet<(Valuation, Valuation)>,
}

/// Enumerates what `model` can do.
pub fn explore(model: &Model) -> Exploration {
    let machine = Machine::new(model);
    let reached = Saturation::run(&machine);
    let distances = measure(&machine, &reached);
    report(&machine, &reached, &distances)
}

/// A model with its control flow.
pub(crate) struct Machine<'m> {
    model: &'m Model,
    pub(crate) flows: Vec<Flow<'m>>,
}

/// A place in a procedure with a state: all that the way on depends on, but for the callers.
type Point = (ProcedureId, Place, Valuation);

/// How many bits a state has of each kind.
struct Layout {
    globals: usize,
    /// Globals and parameters.
    entry: usize,
    /// Globals, parameters and locals.
    scope: usize,
}

impl<'m> Machine<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Machine { model, flows: model.procedures.iter().map(flow).collect() }
    }

    fn layout(&self, id: ProcedureId) -> Layout {
        let Procedure { parameters, locals, .. } = self.model.procedure(id);
        let globals = self.model.globals.len();
        let entry = globals + parameters.len();
        Layout { globals, entry, scope: entry + locals.len() }
    }

    pub(crate) fn action(&self, id: ProcedureId, head: Head) -> &Action<'m> {
        &self.flows[id.0].actions[head.0]
    }

    /// Whether the procedure's `enforce` and `abortif` let it be in `state`.
    fn admits(&self, id: ProcedureId, state: Valuation) -> bool {
        let Procedure { enforce, abortif, .. } = self.model.procedure(id);
        enforce.as_ref().is_none_or(|expr| values(expr, state).can_be_true)
            && abortif.as_ref().is_none_or(|expr| values(expr, state).can_be_false)
    }

    /// Every `entry` of `main`: its parameters start as arbitrary as the globals.
    pub(crate) fn initial_entries(&self) -> impl Iterator<Item = Valuation> + use<> {
        (0..1 << self.layout(ProcedureId::MAIN).entry).map(Valuation)
    }

    /// The states in which the procedure can start when it is called with `entry`: its locals are arbitrary.
    pub(crate) fn entry_states(&self, id: ProcedureId, entry: Valuation) -> Vec<Valuation> {
        let Layout { entry: from, scope: to, .. } = self.layout(id);
        let mut states = assign(entry, (from..to).map(|local| (Variable(local), Values::EITHER)));
        states.retain(|state| self.admits(id, *state));
        states
    }

    /// Where one step that is not a call leads from `head`.
    pub(crate) fn steps(&self, id: ProcedureId, head: Head, state: Valuation) -> Vec<(Place, Valuation)> {
        let mut steps = match self.action(id, head) {
            Action::Call(_) => Vec::new(),
            Action::Simple(statement, next) => {
                effects(statement, state).into_iter().map(|state| (*next, state)).collect()
            }
            Action::Test(condition, then, otherwise) => {
                let pick = |value| if value { *then } else { *otherwise };
                values(condition, state).iter().map(|value| (pick(value), state)).collect()
            }
            Action::Jump(places) => places.iter().map(|place| (*place, state)).collect(),
            Action::Return(results) => {
                let states = self.with_results(id, state, results).into_iter();
                states.map(|state| (Place::Exit, state)).collect()
            }
        };
        // An explicit return has its results already; falling off the end leaves them arbitrary.
        if !matches!(self.action(id, head), Action::Return(_)) {
            steps = steps.into_iter().flat_map(|step| self.fill_results(id, step)).collect();
        }
        steps.retain(|(_, state)| self.admits(id, *state));
        steps
    }

    /// If `place` is the exit, the states with arbitrary results, else just the state.
    pub(crate) fn fill_results(&self, id: ProcedureId, (place, state): (Place, Valuation)) -> Vec<(Place, Valuation)> {
        match place {
            Place::At(_) => vec![(place, state)],
            Place::Exit => self.with_results(id, state, &[]).into_iter().map(|state| (place, state)).collect(),
        }
    }

    /// The exit states in which the results are `given`, or arbitrary where none is given.
    fn with_results(&self, id: ProcedureId, state: Valuation, given: &[Expr]) -> Vec<Valuation> {
        let scope = self.layout(id).scope;
        let value = |place| given.get(place).map_or(Values::EITHER, |expr| values(expr, state));
        assign(state, (0..self.model.procedure(id).results).map(|place| (Variable(scope + place), value(place))))
    }

    /// The globals and results of an exit state.
    pub(crate) fn outcome(&self, id: ProcedureId, exit: Valuation) -> Valuation {
        let Layout { globals, scope, .. } = self.layout(id);
        Valuation(low_bits(exit, globals).0 | exit.0 >> scope << globals)
    }

    /// The entries with which a call from `state` can reach its callee, whether or not that lets them in.
    pub(crate) fn entries(&self, call: &Call, state: Valuation) -> Vec<Valuation> {
        let globals = self.model.globals.len();
        let arguments = call.arguments.iter().enumerate();
        let choices = arguments.map(|(place, expr)| (Variable(globals + place), values(expr, state)));
        assign(low_bits(state, globals), choices)
    }

    /// Where a call from `state` leads when its callee ends with `outcome`.
    pub(crate) fn returns(
        &self,
        id: ProcedureId,
        call: &Call,
        state: Valuation,
        outcome: Valuation,
    ) -> Vec<(Place, Valuation)> {
        let globals = self.model.globals.len();
        let back = Valuation(state.0 >> globals << globals | low_bits(outcome, globals).0);
        let targets = call.targets.iter().enumerate();
        let choices = targets.filter_map(|(place, target)| {
            let value = Expr::Constant(outcome.value(Variable(globals + place)));
            target.map(|target| (target, values(&value, outcome)))
        });
        let states = assign(back, choices).into_iter().filter(|state| self.admits(id, *state));
        states.flat_map(|state| self.fill_results(id, (call.next, state))).collect()
    }
}

fn low_bits(valuation: Valuation, count: usize) -> Valuation {
    Valuation(valuation.0 & ((1 << count) - 1))
}

/// The states after a statement that neither branches nor calls.
fn effects(statement: &Statement, before: Valuation) -> Vec<Valuation> {
    match statement {
        Statement::Skip | Statement::Print(_) => vec![before],
        Statement::Assert(expr) | Statement::Assume(expr) => {
            if values(expr, before).can_be_true {
                vec![before]
            } else {
                vec![]
            }
        }
        Statement::Dead(variables) => assign(before, variables.iter().map(|variable| (*variable, Values::EITHER))),
        Statement::Assign { targets, values: right, constrain } => {
            let mut after = assign(before, targets.iter().copied().zip(right.iter().map(|expr| values(expr, before))));
            if let Some(expr) = constrain {
                after.retain(|after| values_between(expr, before, *after).can_be_true);
            }
            after
        }
        Statement::Constrain(expr) => {
            let mut primed = Vec::new();
            collect_primed(expr, &mut primed);
            let mut after = assign(before, primed.into_iter().map(|variable| (variable, Values::EITHER)));
            after.retain(|after| values_between(expr, before, *after).can_be_true);
            after
        }
        Statement::Call { .. }
        | Statement::Goto(_)
        | Statement::Return(_)
        | Statement::If { .. }
        | Statement::While { .. } => unreachable!("the control flow has an action of its own for it"),
    }
}

/// A path edge: the entry it starts from and the point it reaches.
type PathEdge = (Valuation, Point);

/// The fixpoint over path edges and summaries.
struct Saturation<'a, 'm> {
    machine: &'a Machine<'m>,
    seen: FxHashSet<PathEdge>,
    /// Every edge in `seen`, in the order found: worklist and result.
    edges: Vec<PathEdge>,
    /// By procedure and entry, the outcomes, each once: so few that a list is the fastest set.
    summaries: FxHashMap<(ProcedureId, Valuation), Vec<Valuation>>,
    /// The calls, as path edges at a call, that were made with an entry; each once, as an edge is visited once.
    callers: FxHashMap<(ProcedureId, Valuation), Vec<PathEdge>>,
}

impl<'a, 'm> Saturation<'a, 'm> {
    fn run(machine: &'a Machine<'m>) -> Self {
        let mut saturation = Saturation {
            machine,
            seen: FxHashSet::default(),
            edges: Vec::new(),
            summaries: FxHashMap::default(),
            callers: FxHashMap::default(),
        };
        for entry in machine.initial_entries() {
            saturation.enter(ProcedureId::MAIN, entry);
        }
        let mut visited = 0;
        while let Some(&edge) = saturation.edges.get(visited) {
            saturation.visit(edge);
            visited += 1;
        }
        saturation
    }

    fn enter(&mut self, id: ProcedureId, entry: Valuation) {
        let place = self.machine.flows[id.0].entry;
        for state in self.machine.entry_states(id, entry) {
            for (place, state) in self.machine.fill_results(id, (place, state)) {
                self.add((entry, (id, place, state)));
            }
        }
    }

    fn add(&mut self, edge: PathEdge) {
        if self.seen.insert(edge) {
            self.edges.push(edge);
        }
    }

    fn visit(&mut self, edge: PathEdge) {
        let (entry, (id, place, state)) = edge;
        let Place::At(head) = place else {
            return self.summarize(id, entry, self.machine.outcome(id, state));
        };
        for (place, state) in self.machine.steps(id, head, state) {
            self.add((entry, (id, place, state)));
        }
        if let Action::Call(call) = self.machine.action(id, head) {
            for callee_entry in self.machine.entries(call, state) {
                let key = (call.callee, callee_entry);
                let is_new_entry = !self.callers.contains_key(&key);
                self.callers.entry(key).or_default().push(edge);
                if is_new_entry {
                    self.enter(call.callee, callee_entry);
                }
                for outcome in self.summaries.get(&key).cloned().unwrap_or_default() {
                    self.resume(edge, outcome);
                }
            }
        }
    }

    fn summarize(&mut self, id: ProcedureId, entry: Valuation, outcome: Valuation) {
        let outcomes = self.summaries.entry((id, entry)).or_default();
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
            for caller in self.callers.get(&(id, entry)).cloned().unwrap_or_default() {
                self.resume(caller, outcome);
            }
        }
    }

    /// Continues the call at which the path edge `caller` ends.
    fn resume(&mut self, (entry, (id, place, state)): PathEdge, outcome: Valuation) {
        let Place::At(head) = place else { unreachable!("no call at an exit") };
        let Action::Call(call) = self.machine.action(id, head) else { unreachable!("callers are at calls") };
        for (place, state) in self.machine.returns(id, call, state, outcome) {
            self.add((entry, (id, place, state)));
        }
    }
}

/// The length of the shortest hierarchical trace to each reachable point.
fn measure(machine: &Machine, reached: &Saturation) -> FxHashMap<Point, usize> {
    let mut distances = FxHashMap::default();
    let mut queue = VecDeque::new();
    let mut reach = |point: Point, distance: usize, queue: &mut VecDeque<(Point, usize)>| {
        distances.entry(point).or_insert_with(|| {
            queue.push_back((point, distance));
            distance
        });
    };
    for entry in machine.initial_entries() {
        for point in starts(machine, ProcedureId::MAIN, entry) {
            reach(point, 0, &mut queue);
        }
    }
    while let Some(((id, place, state), distance)) = queue.pop_front() {
        let Place::At(head) = place else { continue };
        for (place, state) in machine.steps(id, head, state) {
            reach((id, place, state), distance + 1, &mut queue);
        }
        let Action::Call(call) = machine.action(id, head) else { continue };
        for entry in machine.entries(call, state) {
            for point in starts(machine, call.callee, entry) {
                reach(point, distance + 1, &mut queue);
            }
            for outcome in reached.summaries.get(&(call.callee, entry)).into_iter().flatten() {
                for (place, state) in machine.returns(id, call, state, *outcome) {
                    reach((id, place, state), distance + 1, &mut queue);
                }
            }
        }
    }
    distances
}

fn starts(machine: &Machine, id: ProcedureId, entry: Valuation) -> Vec<Point> {
    let place = machine.flows[id.0].entry;
    let states = machine.entry_states(id, entry).into_iter();
    let filled = states.flat_map(|state| machine.fill_results(id, (place, state)));
    filled.map(|(place, state)| (id, place, state)).collect()
}

fn report(machine: &Machine, reached: &Saturation, distances: &FxHashMap<Point, usize>) -> Exploration {
    let rendered = machine.model.render();
    let mut statements: BTreeMap<Line, StatementReport> = BTreeMap::new();
    for placed in &rendered.heads {
        let is_assertion =
            matches!(machine.action(placed.procedure, placed.head), Action::Simple(Statement::Assert(_), _));
        let report = StatementReport {
            procedure: placed.procedure,
            head: placed.head,
            states: BTreeSet::new(),
            distance: None,
            assertion: is_assertion.then(Assertion::default),
        };
        statements.insert(placed.line, report);
    }
    let mut procedures = vec![ProcedureReport::default(); machine.model.procedures.len()];
    for &(entry, point) in &reached.edges {
        let (id, place, state) = point;
        let distance = *distances.get(&point).expect("what path edges reach, hierarchical traces reach");
        procedures[id.0].entries.insert(entry);
        match place {
            Place::Exit => {
                procedures[id.0].exits.insert(state);
                procedures[id.0].summaries.insert((entry, machine.outcome(id, state)));
            }
            Place::At(head) => {
                let statement = statements.get_mut(&rendered.line(id, head)).expect("every head has a line");
                record(statement, machine.action(id, head), state, distance);
            }
        }
    }
    Exploration { statements, procedures }
}

fn record(report: &mut StatementReport, action: &Action, state: Valuation, distance: usize) {
    let shorten = |best: &mut Option<usize>| *best = Some(best.map_or(distance, |best| best.min(distance)));
    report.states.insert(state);
    shorten(&mut report.distance);
    if let (Some(assertion), Action::Simple(Statement::Assert(expr), _)) = (&mut report.assertion, action)
        && values(expr, state).can_be_false
    {
        assertion.failing.insert(state);
        shorten(&mut assertion.distance);
    }
}
