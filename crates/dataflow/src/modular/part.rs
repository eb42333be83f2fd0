//! A procedure with what its callees do, as a program of its own.
//!
//! Each callee is a *stub*: one step that does what the callee's summary says. Calls of the procedure itself stay
//! calls. What is known of the entry state is what the tri-vector of the entry says.

use super::Effect;
use crate::Cartesian;
use hardbop_base::{Idx, IndexVec, Span};
use hardbop_icfg::graph::{IcfgBuilder, Proc};
use hardbop_icfg::{
    ChoiceId, EdgeId, EdgeKind, Expr, ExprId, Exprs, Goal, GoalKind, Marks, NodeId, ProcId, Program, Relation, Scope,
    Transition, Update, Value, Var, VarId,
};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A program about one procedure.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) program: Program<Relation>,
    pub(crate) goals: Vec<Goal>,
    pub(crate) origin: Origin,
}

/// What the procedures, edges and variables of a part are in the whole.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// The procedure; one that only starts a part is the last, and is not here.
    pub procs: IndexVec<ProcId, ProcId>,
    /// The edge; nothing for a stub's.
    pub edges: IndexVec<EdgeId, Option<EdgeId>>,
    /// The variable.
    pub vars: IndexVec<VarId, VarId>,
}

/// Who starts the procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// A run starts in it.
    Inside,
    /// It is called once, so that its exit is related to its entry.
    Called,
}

/// What parts are made of.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) program: &'a Program<Relation>,
    pub(crate) flow: &'a Cartesian,
    pub(crate) effects: &'a IndexVec<ProcId, Effect>,
}

impl Source<'_> {
    /// The part about `proc`, with those of `goals` that are in it.
    pub(crate) fn part(&self, proc: ProcId, goals: &[&Goal], start: Start) -> Part {
        let callees = self.callees(proc);
        let mut builder = Builder {
            source: *self,
            graph: IcfgBuilder::default(),
            labels: IndexVec::new(),
            exprs: Exprs::default(),
            known: FxHashMap::default(),
            choices: FxHashMap::default(),
            vars: IndexVec::new(),
            locals: IndexVec::new(),
            number: FxHashMap::default(),
            origin: Origin::default(),
        };
        let used = builder.used(proc, &callees, goals);
        for &var in used.iter().filter(|&&var| self.program.is_global(var)) {
            builder.bring(var, Scope::Global);
        }
        builder.procedure(proc, &callees, &used);
        callees.iter().for_each(|&callee| builder.stub(callee));
        let own = ProcId::from_usize(0);
        let (entry, initial) = match start {
            Start::Inside => (own, builder.starting_in(proc)),
            Start::Called => (builder.root(proc), builder.starting_outside(proc)),
        };
        let goals = goals.iter().map(|goal| builder.goal(goal, proc)).collect();
        Part { program: builder.finish(entry, initial), goals, origin: builder.origin }
    }

    /// The procedures that `proc` calls, itself aside, as far as control may come to the calls.
    fn callees(&self, proc: ProcId) -> Vec<ProcId> {
        let icfg = &self.program.icfg;
        let calls = icfg.nodes_of(proc).flat_map(|node| icfg.successors(node));
        let callees = calls.filter_map(|&edge| match icfg.edges[edge].kind {
            EdgeKind::Call { callee, .. } if callee != proc => Some(callee),
            _ => None,
        });
        callees.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

struct Builder<'a> {
    source: Source<'a>,
    graph: IcfgBuilder,
    labels: IndexVec<EdgeId, Relation>,
    exprs: Exprs,
    /// The expressions of the whole that are here; those of the label at hand only, where it has choices.
    known: FxHashMap<ExprId, ExprId>,
    /// The choices of the label at hand. Those that went with a dropped update leave no gap.
    choices: FxHashMap<ChoiceId, ChoiceId>,
    vars: IndexVec<VarId, Var>,
    locals: IndexVec<ProcId, Vec<VarId>>,
    /// The variables of the whole that are here.
    number: FxHashMap<VarId, VarId>,
    origin: Origin,
}

impl Builder<'_> {
    /// What anything here speaks of.
    fn used(&self, proc: ProcId, callees: &[ProcId], goals: &[&Goal]) -> BTreeSet<VarId> {
        let program = self.source.program;
        let mut used: BTreeSet<VarId> = BTreeSet::new();
        let icfg = &program.icfg;
        let edges = icfg.nodes_of(proc).flat_map(|node| icfg.successors(node));
        for &edge in edges {
            let transitions: Vec<&Transition> = match &program.labels[edge] {
                Relation::Step(step) => vec![step],
                Relation::Call { enter, leave } => vec![enter, leave],
                Relation::Return => Vec::new(),
            };
            for transition in transitions {
                used.extend(transition.updates.iter().map(|update| update.target));
                transition.for_each_leaf(&program.exprs, |leaf| used.extend(var_of(leaf)));
            }
        }
        for &callee in callees {
            let effect = &self.source.effects[callee];
            used.extend(effect.written.iter().copied());
            if let Some(related) = &effect.related {
                related.exprs.for_each_leaf(related.relation, |leaf| used.extend(var_of(leaf)));
            }
        }
        for condition in goals.iter().filter_map(|goal| goal.condition) {
            program.exprs.for_each_leaf(condition, |leaf| used.extend(var_of(leaf)));
        }
        used
    }

    fn bring(&mut self, var: VarId, scope: Scope) -> VarId {
        let original = &self.source.program.vars[var];
        let here = self.vars.push(Var { name: original.name.clone(), scope, span: original.span });
        self.origin.vars.push(var);
        self.number.insert(var, here);
        here
    }

    /// Brings the locals of `proc` that `is_wanted` as those of the next procedure here.
    fn bring_locals(&mut self, proc: ProcId, is_wanted: impl Fn(VarId) -> bool) -> ProcId {
        let here = self.origin.procs.push(proc);
        let program = self.source.program;
        let mut locals = Vec::new();
        for &var in &program.locals[proc] {
            let scope = match program.vars[var].scope {
                Scope::Result(_) => Scope::Result(here),
                Scope::Parameter(_) => Scope::Parameter(here),
                Scope::Local(_) | Scope::Global => Scope::Local(here),
            };
            if is_wanted(var) {
                locals.push(self.bring(var, scope));
            }
        }
        self.locals.push(locals)
    }

    /// The procedure itself.
    fn procedure(&mut self, proc: ProcId, callees: &[ProcId], used: &BTreeSet<VarId>) {
        let program = self.source.program;
        let here = self.bring_locals(proc, |_| true);
        let original = &program.icfg.procs[proc];
        for node in program.icfg.nodes_of(proc) {
            self.graph.node(here, program.icfg.nodes[node].span);
        }
        let place = |node: NodeId| NodeId::from_usize(node.index() - original.nodes.0.index());
        let stub = |callee: ProcId| match callees.binary_search(&callee) {
            Ok(found) => ProcId::from_usize(found + 1),
            Err(_) => here,
        };
        let nodes = (place(original.nodes.0), self.graph.next_node());
        let (entry, exit) = (place(original.entry), place(original.exit));
        self.graph.proc(Proc { name: original.name.clone(), span: original.span, entry, exit, nodes });
        let edges: Vec<EdgeId> =
            program.icfg.nodes_of(proc).flat_map(|node| program.icfg.successors(node).to_vec()).collect();
        // Parameters and results of the callees are spoken of before the callees are brought: they come after.
        let mut pending: Vec<(EdgeId, EdgeId)> = Vec::new();
        for edge in edges {
            let found = program.icfg.edges[edge];
            let kind = match found.kind {
                EdgeKind::Step { to } => EdgeKind::Step { to: place(to) },
                EdgeKind::Call { callee, to } => EdgeKind::Call { callee: stub(callee), to: place(to) },
                EdgeKind::Return => EdgeKind::Return,
            };
            let id = self.graph.edge(place(found.from), kind);
            self.origin.edges.push(Some(edge));
            self.labels.push(Relation::Return);
            pending.push((id, edge));
        }
        for &callee in callees {
            self.bring_locals(callee, |var| used.contains(&var));
        }
        for (id, edge) in pending {
            self.labels[id] = match &program.labels[edge] {
                Relation::Step(step) => Relation::Step(self.transition(step)),
                Relation::Call { enter, leave } => {
                    Relation::Call { enter: self.transition(enter), leave: self.transition(leave) }
                }
                Relation::Return => Relation::Return,
            };
        }
    }

    /// A callee, as one step. Its variables have been brought.
    fn stub(&mut self, callee: ProcId) {
        let program = self.source.program;
        let original = &program.icfg.procs[callee];
        let (here, effect) = (self.next_proc(), &self.source.effects[callee]);
        let (entry, exit) = (self.graph.node(here, original.span), self.graph.node(here, original.span));
        let name = original.name.clone();
        self.graph.proc(Proc { name, span: original.span, entry, exit, nodes: (entry, self.graph.next_node()) });
        let step = self.effect(effect, original.exit);
        self.edge(entry, EdgeKind::Step { to: exit }, Relation::Step(step));
        self.edge(exit, EdgeKind::Return, Relation::Return);
    }

    fn next_proc(&self) -> ProcId {
        self.graph.next_proc()
    }

    fn edge(&mut self, from: NodeId, kind: EdgeKind, label: Relation) {
        self.graph.edge(from, kind);
        self.labels.push(label);
        self.origin.edges.push(None);
    }

    fn effect(&mut self, effect: &Effect, exit: NodeId) -> Transition {
        let flow = self.source.flow;
        if !flow.is_reachable(exit) {
            let never = self.exprs.add(Expr::Const(false));
            return Transition { guard: Some(never), ..Transition::SKIP };
        }
        let (mut updates, mut choices) = (Vec::new(), 0);
        for &var in effect.written.iter() {
            let (target, known) = (self.number[&var], flow.value(exit, var).and_then(|value| value.definite()));
            let value = match known {
                Some(value) => Value::Of(self.exprs.add(Expr::Const(value))),
                // A result is not what the call before has returned.
                None if effect.related.is_none() && self.source.program.is_global(var) && flow.only_grows(var) => {
                    let choice = self.exprs.add(Expr::Choice(ChoiceId::from_usize(choices)));
                    let before = self.exprs.add(Expr::Var(target));
                    choices += 1;
                    Value::Of(self.exprs.add(Expr::Or(before, choice)))
                }
                None => Value::Any,
            };
            updates.push(Update { target, value });
        }
        let constraint = effect.related.as_ref().map(|related| {
            let mut known = FxHashMap::default();
            self.copy(&related.exprs, related.relation, &mut known)
        });
        Transition { guard: None, updates, constraint, choices: choices as u32 }
    }

    /// A procedure that calls the one that the part is about, with whatever may be given to it.
    fn root(&mut self, proc: ProcId) -> ProcId {
        let here = self.next_proc();
        self.locals.push(Vec::new());
        let span = Span::new(0, 0);
        let (entry, exit) = (self.graph.node(here, span), self.graph.node(here, span));
        let nodes = (entry, self.graph.next_node());
        self.graph.proc(Proc { name: String::new(), span, entry, exit, nodes });
        let parameters: Vec<VarId> = self.parameters(proc);
        let updates = parameters.iter().map(|var| Update { target: self.number[var], value: Value::Any }).collect();
        let constraint = self.known_at_entry(proc, &parameters);
        let enter = Transition { guard: None, updates, constraint, choices: 0 };
        let label = Relation::Call { enter, leave: Transition::SKIP };
        self.edge(entry, EdgeKind::Call { callee: ProcId::from_usize(0), to: exit }, label);
        self.edge(exit, EdgeKind::Return, Relation::Return);
        here
    }

    fn parameters(&self, proc: ProcId) -> Vec<VarId> {
        let program = self.source.program;
        let is_parameter = |var: &&VarId| matches!(program.vars[**var].scope, Scope::Parameter(_));
        program.locals[proc].iter().filter(is_parameter).copied().collect()
    }

    fn starting_in(&mut self, proc: ProcId) -> Transition {
        let scope: Vec<VarId> = self.source.program.scope(proc).collect();
        let constraint = self.known_at_entry(proc, &scope);
        Transition { constraint, ..Transition::SKIP }
    }

    fn starting_outside(&mut self, proc: ProcId) -> Transition {
        let globals: Vec<VarId> = self.source.program.globals().collect();
        let constraint = self.known_at_entry(proc, &globals);
        Transition { constraint, ..Transition::SKIP }
    }

    /// What is certain of `vars` at the entry of `proc`.
    fn known_at_entry(&mut self, proc: ProcId, vars: &[VarId]) -> Option<ExprId> {
        let entry = self.source.program.icfg.procs[proc].entry;
        let mut all = None;
        for var in vars {
            let Some(&here) = self.number.get(var) else { continue };
            let Some(value) = self.source.flow.value(entry, *var).and_then(|value| value.definite()) else { continue };
            let mut is_so = self.exprs.add(Expr::Next(here));
            if !value {
                is_so = self.exprs.add(Expr::Not(is_so));
            }
            all = Some(match all {
                None => is_so,
                Some(others) => self.exprs.add(Expr::And(others, is_so)),
            });
        }
        all
    }

    fn goal(&mut self, goal: &Goal, proc: ProcId) -> Goal {
        let first = self.source.program.icfg.procs[proc].nodes.0;
        let node = NodeId::from_usize(goal.node.index() - first.index());
        let condition = goal.condition.map(|condition| self.with_own_choices(|builder| builder.expr(condition)));
        Goal { node, condition, ..goal.clone() }
    }

    fn transition(&mut self, transition: &Transition) -> Transition {
        match transition.choices {
            0 => self.rewritten(transition),
            _ => self.with_own_choices(|builder| builder.rewritten(transition)),
        }
    }

    /// Writes a label whose choices are numbered anew.
    fn with_own_choices<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let shared = std::mem::take(&mut self.known);
        self.choices.clear();
        let result = write(self);
        self.known = shared;
        result
    }

    fn rewritten(&mut self, transition: &Transition) -> Transition {
        let guard = transition.guard.map(|guard| self.expr(guard));
        let mut updates = Vec::with_capacity(transition.updates.len());
        for update in &transition.updates {
            let value = match update.value {
                Value::Of(value) => Value::Of(self.expr(value)),
                Value::Any => Value::Any,
            };
            updates.push(Update { target: self.number[&update.target], value });
        }
        let constraint = transition.constraint.map(|constraint| self.expr(constraint));
        let choices = if transition.choices == 0 { 0 } else { self.choices.len() };
        Transition { guard, updates, constraint, choices: u32::try_from(choices).expect("a label has few choices") }
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        let mut known = std::mem::take(&mut self.known);
        let result = self.copy(&self.source.program.exprs, id, &mut known);
        self.known = known;
        result
    }

    /// An expression over variables of the whole, here.
    fn copy(&mut self, from: &Exprs, id: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(&known) = known.get(&id) {
            return known;
        }
        let expr = from.get(id);
        let expr = match expr {
            Expr::Var(var) => Expr::Var(self.number[&var]),
            Expr::Next(var) => Expr::Next(self.number[&var]),
            Expr::Saved(var) => Expr::Saved(self.number[&var]),
            Expr::Const(_) => expr,
            Expr::Choice(choice) => {
                let next = ChoiceId::from_usize(self.choices.len());
                Expr::Choice(*self.choices.entry(choice).or_insert(next))
            }
            _ => {
                let parts: Vec<ExprId> = expr.children().map(|part| self.copy(from, part, known)).collect();
                expr.with_children(&parts)
            }
        };
        let here = self.exprs.add(expr);
        known.insert(id, here);
        here
    }

    fn finish(&mut self, entry: ProcId, initial: Transition) -> Program<Relation> {
        let number = &self.number;
        let whole = self.source.program;
        let data = whole.data.iter().filter_map(|datum| {
            let bits = datum.bits.iter().map(|bit| number.get(bit).copied()).collect::<Option<Vec<VarId>>>()?;
            Some(hardbop_icfg::Datum { bits, ..datum.clone() })
        });
        Program {
            data: data.collect(),
            icfg: std::mem::take(&mut self.graph).finish(),
            vars: std::mem::take(&mut self.vars),
            exprs: std::mem::take(&mut self.exprs),
            labels: std::mem::take(&mut self.labels),
            locals: std::mem::take(&mut self.locals),
            entry,
            initial,
            marks: Marks::default(),
        }
    }
}

fn var_of(leaf: Expr) -> Option<VarId> {
    match leaf {
        Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) => Some(var),
        _ => None,
    }
}

/// The goal that asks for everything in `vars` at the exit of the procedure that a part is about.
pub(crate) fn at_exit(part: &mut Part, vars: &BTreeMap<VarId, VarId>) -> Goal {
    let program = &mut part.program;
    let mut condition = program.exprs.add(Expr::Const(true));
    // Levels are in the order of variables. A parity that is made from the bottom up grows by a node or two with each; one
    // that is made from the top is made anew each time.
    let bottom_up: BTreeSet<Reverse<VarId>> = vars.values().copied().map(Reverse).collect();
    for Reverse(var) in bottom_up {
        let value = program.exprs.add(Expr::Var(var));
        condition = program.exprs.add(Expr::Iff(value, condition));
    }
    let own = &program.icfg.procs[ProcId::from_usize(0)];
    Goal {
        node: own.exit,
        condition: Some(condition),
        name: own.name.clone(),
        kind: GoalKind::Statement,
        span: own.span,
    }
}
