//! The saturations against an explicit pushdown system, saturated transition by transition without BDDs.

use crate::language::{lower, runner};
use crate::sets::{SetSketch, frames, sets};
use hardbop_base::{Budget, Idx};
use hardbop_configurations::{Configuration, Naming, Space, read};
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, NodeId, ProcId, Program, Relation, Scope, Transition, Update, Value, VarId,
};
use hardbop_pushdown::Switch;
use hardbop_testkit::pushdown::automaton::{self, Automaton};
use hardbop_testkit::pushdown::{self, Head, Pds, Rule, State, Symbol};
use hardbop_testkit::{Size, programs};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Values = BTreeMap<VarId, bool>;

/// A control state: the globals, and after a pop what was returned.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Control {
    globals: Vec<bool>,
    returned: Option<(ProcId, Vec<bool>)>,
}

/// A stack symbol: a node or a pending call, with the locals of its procedure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Frame {
    Top(NodeId, Vec<bool>),
    Pending(EdgeId, Vec<bool>),
}

/// The program as a pushdown system in which everything is explicit.
struct Explicit<'a> {
    program: &'a Program<Relation>,
    pds: Pds,
    controls: BTreeMap<Control, usize>,
    symbols: BTreeMap<Frame, usize>,
}

fn valuations(count: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1usize << count).map(move |number| (0..count).map(|bit| number >> bit & 1 == 1).collect())
}

fn bind(vars: impl IntoIterator<Item = VarId>, values: &[bool]) -> Values {
    vars.into_iter().zip(values.iter().copied()).collect()
}

fn results(program: &Program<Relation>, proc: ProcId) -> Vec<VarId> {
    let is_result = |var: &VarId| matches!(program.vars[*var].scope, Scope::Result(_));
    program.locals[proc].iter().copied().filter(is_result).collect()
}

/// The variables as a transition sees them.
struct Sight<'a> {
    program: &'a Program<Relation>,
    now: &'a Values,
    saved: &'a Values,
    next: Option<&'a Values>,
    choices: usize,
}

impl Sight<'_> {
    fn value(&self, expr: ExprId) -> bool {
        match self.program.exprs.get(expr) {
            Expr::Const(value) => value,
            Expr::Var(var) => self.now[&var],
            Expr::Next(var) => self.next.expect("only constraints look ahead")[&var],
            Expr::Saved(var) => self.saved[&var],
            Expr::Choice(choice) => self.choices >> choice.index() & 1 == 1,
            Expr::Not(a) => !self.value(a),
            Expr::And(a, b) => self.value(a) && self.value(b),
            Expr::Or(a, b) => self.value(a) || self.value(b),
            Expr::Xor(a, b) => self.value(a) != self.value(b),
            Expr::Iff(a, b) => self.value(a) == self.value(b),
            Expr::Implies(a, b) => !self.value(a) || self.value(b),
            Expr::Ite(a, b, c) => self.value(if self.value(a) { b } else { c }),
        }
    }
}

/// The states after `transition`, where `open` start with any value and `kept` with these.
fn outcomes(
    program: &Program<Relation>,
    transition: &Transition,
    (now, saved): (&Values, &Values),
    kept: &Values,
    open: &[VarId],
) -> Vec<Values> {
    let mut found = Vec::new();
    for choices in 0..1usize << transition.choices {
        let sight = Sight { program, now, saved, next: None, choices };
        if !transition.guard.is_none_or(|guard| sight.value(guard)) {
            continue;
        }
        let mut next = kept.clone();
        let mut any: Vec<VarId> = open.to_vec();
        for update in &transition.updates {
            any.retain(|&var| var != update.target);
            match update.value {
                Value::Of(value) => {
                    next.insert(update.target, sight.value(value));
                }
                Value::Any => any.push(update.target),
            }
        }
        for values in valuations(any.len()) {
            next.extend(bind(any.iter().copied(), &values));
            let sight = Sight { next: Some(&next), ..sight };
            if transition.constraint.is_none_or(|constraint| sight.value(constraint)) && !found.contains(&next) {
                found.push(next.clone());
            }
        }
    }
    found
}

impl<'a> Explicit<'a> {
    fn new(program: &'a Program<Relation>) -> Self {
        let mut explicit = Self { program, pds: Pds::default(), controls: BTreeMap::new(), symbols: BTreeMap::new() };
        let globals = program.globals().count();
        for (node, found) in program.icfg.nodes.iter_enumerated() {
            for values in valuations(globals) {
                for locals in valuations(program.locals[found.proc].len()) {
                    explicit.moves(node, found.proc, &values, &locals);
                }
            }
        }
        explicit.ways_back();
        explicit.pds.states = explicit.controls.len();
        explicit.pds.symbols = explicit.symbols.len();
        explicit
    }

    fn control(&mut self, globals: Vec<bool>, returned: Option<(ProcId, Vec<bool>)>) -> State {
        let fresh = self.controls.len();
        State(*self.controls.entry(Control { globals, returned }).or_insert(fresh))
    }

    fn symbol(&mut self, frame: Frame) -> Symbol {
        let fresh = self.symbols.len();
        Symbol(*self.symbols.entry(frame).or_insert(fresh))
    }

    fn read(&self, vars: impl IntoIterator<Item = VarId>, values: &Values) -> Vec<bool> {
        vars.into_iter().map(|var| values[&var]).collect()
    }

    /// The rules of a head with a node on top.
    fn moves(&mut self, node: NodeId, proc: ProcId, globals: &[bool], locals: &[bool]) {
        let program = self.program;
        let mut now = bind(program.globals(), globals);
        now.extend(bind(program.locals[proc].iter().copied(), locals));
        let from = Head {
            state: self.control(globals.to_vec(), None),
            symbol: self.symbol(Frame::Top(node, locals.to_vec())),
        };
        for &edge in program.icfg.successors(node) {
            let nothing = Values::new();
            match (program.icfg.edges[edge].kind, &program.labels[edge]) {
                (EdgeKind::Step { to }, Relation::Step(step)) => {
                    for next in outcomes(program, step, (&now, &nothing), &now, &[]) {
                        let (globals, locals) = (
                            self.read(program.globals(), &next),
                            self.read(program.locals[proc].iter().copied(), &next),
                        );
                        let state = self.control(globals, None);
                        let push = vec![self.symbol(Frame::Top(to, locals))];
                        self.pds.rules.push(Rule { from, state, push });
                    }
                }
                (EdgeKind::Call { callee, .. }, Relation::Call { enter, .. }) => {
                    let kept = bind(program.globals(), globals);
                    for next in outcomes(program, enter, (&now, &nothing), &kept, &program.locals[callee]) {
                        let inner = self.read(program.locals[callee].iter().copied(), &next);
                        let state = self.control(self.read(program.globals(), &next), None);
                        let top = self.symbol(Frame::Top(program.icfg.procs[callee].entry, inner));
                        let below = self.symbol(Frame::Pending(edge, locals.to_vec()));
                        self.pds.rules.push(Rule { from, state, push: vec![top, below] });
                    }
                }
                (EdgeKind::Return, _) => {
                    let values = self.read(results(program, proc), &now);
                    let state = self.control(globals.to_vec(), Some((proc, values)));
                    self.pds.rules.push(Rule { from, state, push: Vec::new() });
                }
                _ => unreachable!("the label of an edge is of its kind"),
            }
        }
    }

    /// The rules of heads with a pending call on top, to which the callee has just returned.
    fn ways_back(&mut self) {
        let program = self.program;
        for (edge, label) in program.labels.iter_enumerated() {
            let (EdgeKind::Call { callee, to }, Relation::Call { leave, .. }) = (program.icfg.edges[edge].kind, label)
            else {
                continue;
            };
            let caller = program.icfg.nodes[program.icfg.edges[edge].from].proc;
            let (vars, returned) = (&program.locals[caller], results(program, callee));
            for globals in valuations(program.globals().count()) {
                for values in valuations(returned.len()) {
                    for locals in valuations(vars.len()) {
                        let mut now = bind(program.globals(), &globals);
                        let saved = bind(vars.iter().copied(), &locals);
                        let kept: Values = now.clone().into_iter().chain(saved.clone()).collect();
                        now.extend(bind(returned.iter().copied(), &values));
                        let from = Head {
                            state: self.control(globals.clone(), Some((callee, values.clone()))),
                            symbol: self.symbol(Frame::Pending(edge, locals.clone())),
                        };
                        for next in outcomes(program, leave, (&now, &saved), &kept, &[]) {
                            let state = self.control(self.read(program.globals(), &next), None);
                            let push = vec![self.symbol(Frame::Top(to, self.read(vars.iter().copied(), &next)))];
                            self.pds.rules.push(Rule { from, state, push });
                        }
                    }
                }
            }
        }
    }

    fn initial(&self) -> Vec<pushdown::Configuration> {
        let program = self.program;
        let entry = program.icfg.procs[program.entry].entry;
        let scope: Vec<VarId> = program.scope(program.entry).collect();
        let nothing = Values::new();
        let states = outcomes(program, &program.initial, (&nothing, &nothing), &nothing, &scope);
        let configurations = states.iter().map(|values| Configuration {
            globals: self.read(program.globals(), values),
            pending: Vec::new(),
            node: entry,
            locals: self.read(program.locals[program.entry].iter().copied(), values),
        });
        configurations.map(|it| self.translate(&it)).collect()
    }

    fn translate(&self, configuration: &Configuration) -> pushdown::Configuration {
        let control = Control { globals: configuration.globals.clone(), returned: None };
        let top = Frame::Top(configuration.node, configuration.locals.clone());
        let below = configuration.pending.iter().rev().map(|(edge, saved)| Frame::Pending(*edge, saved.clone()));
        let symbol = |frame: Frame| Symbol(self.symbols.get(&frame).copied().unwrap_or(self.symbols.len()));
        pushdown::Configuration {
            state: State(self.controls[&control]),
            stack: [top].into_iter().chain(below).map(symbol).collect(),
        }
    }
}

/// The configurations of `program` with stacks of up to `depth` frames, some of them: `seed` says which.
fn some_configurations(program: &Program<Relation>, depth: usize, seed: u64) -> Vec<Configuration> {
    let mut state = seed | 1;
    let mut draw = |bound: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % bound.max(1)
    };
    let icfg = &program.icfg;
    let mut found = Vec::new();
    for _ in 0..300 {
        let mut proc = program.entry;
        let mut pending = Vec::new();
        for _ in 1..=draw(depth) {
            let calls: Vec<EdgeId> = icfg
                .nodes_of(proc)
                .flat_map(|node| icfg.successors(node).iter().copied())
                .filter(|&edge| matches!(icfg.edges[edge].kind, EdgeKind::Call { .. }))
                .collect();
            if calls.is_empty() {
                break;
            }
            let edge = calls[draw(calls.len())];
            pending.push((edge, (0..program.locals[proc].len()).map(|_| draw(2) == 1).collect()));
            let EdgeKind::Call { callee, .. } = icfg.edges[edge].kind else { unreachable!("it is a call") };
            proc = callee;
        }
        let nodes: Vec<NodeId> = icfg.nodes_of(proc).collect();
        found.push(Configuration {
            globals: program.globals().map(|_| draw(2) == 1).collect(),
            pending,
            node: nodes[draw(nodes.len())],
            locals: program.locals[proc].iter().map(|_| draw(2) == 1).collect(),
        });
    }
    found
}

/// The members of a set among `configurations`, told without automata: as explicit configurations.
fn members<'c>(
    program: &Program<Relation>,
    sketch: &SetSketch,
    set: &hardbop_configurations::Set,
    configurations: &'c [Configuration],
) -> Vec<&'c Configuration> {
    use hardbop_icfg::proposition::Letter;
    let frames = frames(program);
    let nothing = Values::new();
    let is_member = |it: &&Configuration| {
        let calls = it.pending.iter().map(|(edge, _)| program.icfg.edges[*edge].from);
        let stack: Vec<NodeId> = calls.chain([it.node]).collect();
        let mut now = bind(program.globals(), &it.globals);
        now.extend(bind(program.locals[program.icfg.nodes[it.node].proc].iter().copied(), &it.locals));
        let holds = match set.condition(it.node) {
            Letter::Const(value) => value,
            Letter::Expr(expr) => Sight { program, now: &now, saved: &nothing, next: None, choices: 0 }.value(expr),
        };
        holds && sketch.stacks.matches(&frames, &stack)
    };
    configurations.iter().filter(is_member).collect()
}

/// Lets some calls look, on their way back, at what was saved: no boolean program does.
fn look_back(program: &mut Program<Relation>, seed: u64) {
    for (edge, found) in program.icfg.edges.iter_enumerated() {
        let locals = &program.locals[program.icfg.nodes[found.from].proc];
        let Relation::Call { leave, .. } = &mut program.labels[edge] else { continue };
        let target = locals.iter().copied().find(|&var| leave.update_of(var).is_none());
        let (Some(target), Some(&read)) = (target, locals.last()) else { continue };
        if seed >> (edge.index() % 64) & 1 == 1 {
            let saved = program.exprs.add(Expr::Saved(read));
            let value = Value::Of(program.exprs.add(Expr::Not(saved)));
            leave.updates.push(Update { target, value });
        }
    }
}

fn compare(text: &str, sketch: &SetSketch, seed: u64) -> Result<(), TestCaseError> {
    let mut program = lower(text);
    look_back(&mut program, seed);
    let set = sketch.text(&program);
    let set = read(&mut program, Naming::Procedures, &set)
        .map_err(|found| TestCaseError::fail(format!("{set}: {found:?}")))?;
    let budget = Budget::unlimited();
    let explicit = Explicit::new(&program);
    let mut space = Space::new(&program, Switch::On, &budget);
    let some = some_configurations(&program, 4, seed);
    let wanted = space.configurations(&set).expect("there is no limit");
    let inside = members(&program, sketch, &set, &some);
    for it in &some {
        let is_member = space.contains(wanted, it).expect("there is no limit");
        prop_assert_eq!(is_member, inside.contains(&it), "{:?} in the set", it);
    }
    // A few explicit members, forwards and backwards, so that the oracle needs no expressions.
    let few: Vec<Configuration> = inside.into_iter().take(5).cloned().collect();
    let start = Automaton::of(explicit.pds.states, &explicit.initial());
    let mut finite = space.empty();
    for (number, it) in few.iter().enumerate() {
        add_single(&mut space, &mut finite, it, number);
    }
    let finite = space.add(finite);
    let initial = space.initial().expect("there is no limit");
    let translated: Vec<_> = few.iter().map(|it| explicit.translate(it)).collect();
    let explicit_finite = Automaton::of(explicit.pds.states, &translated);
    for (oracle, set) in [(&start, initial), (&explicit_finite, finite)] {
        let forwards = space.post_star(set).expect("there is no limit");
        let backwards = space.pre_star(set).expect("there is no limit");
        let oracles = (automaton::post_star(&explicit.pds, oracle), automaton::pre_star(&explicit.pds, oracle));
        for it in some.iter().chain(&few) {
            let theirs = explicit.translate(it);
            let is_reached = space.contains(forwards, it).expect("there is no limit");
            prop_assert_eq!(is_reached, oracles.0.accepts(&theirs), "{:?} in post*", it);
            let is_reaching = space.contains(backwards, it).expect("there is no limit");
            prop_assert_eq!(is_reaching, oracles.1.accepts(&theirs), "{:?} in pre*", it);
        }
    }
    Ok(())
}

/// Adds the one configuration to an automaton, with states of its own.
fn add_single(
    space: &mut Space<'_>,
    automaton: &mut hardbop_configurations::Automaton,
    it: &Configuration,
    number: usize,
) {
    use hardbop_bdd::Bdd;
    use hardbop_configurations::layout::Copy;
    use hardbop_configurations::{Kind, Place, State};
    let program = space.program;
    let mut cube = |vars: Vec<VarId>, values: &[bool], copy: Copy| {
        vars.iter().zip(values).fold(Bdd::TRUE, |cube, (&var, &value)| {
            let level = space.layout.of(space.slots.of(var), copy);
            let kernel = &mut space.kernel;
            let literal = if value { kernel.var(level) } else { kernel.nvar(level) };
            kernel.and(cube, literal.expect("there is no limit")).expect("there is no limit")
        })
    };
    let proc_of = |node: NodeId| program.icfg.nodes[node].proc;
    let state =
        |proc: ProcId, depth: usize| State { proc, kind: Kind::Below, place: Place::from_usize(100 * number + depth) };
    let mut above = state(proc_of(it.node), it.pending.len());
    let globals = cube(program.globals().collect(), &it.globals, Copy::Source);
    let locals = cube(program.locals[above.proc].clone(), &it.locals, Copy::Frame);
    let mut labels = Vec::new();
    for (depth, (edge, saved)) in it.pending.iter().enumerate().rev() {
        let below = state(proc_of(program.icfg.edges[*edge].from), depth);
        labels.push((*edge, (above, below), cube(program.locals[below.proc].clone(), saved, Copy::Frame)));
        above = below;
    }
    let top = space.kernel.and(globals, locals).expect("there is no limit");
    automaton.tops[it.node].insert(state(proc_of(it.node), it.pending.len()), top);
    for (edge, key, label) in labels {
        automaton.pending[edge].insert(key, label);
    }
    automaton.finals.insert(above);
}

#[test]
fn saturations_and_explicit_system_agree() {
    let outcome = runner(600).run(&(programs(Size::TINY), sets(), any::<u64>()), |(model, sketch, seed)| {
        compare(&model.render().text, &sketch, seed)
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
