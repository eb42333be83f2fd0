//! Programs made of pieces of another.
//!
//! First the procedures are *declared*, which gives each its number and brings its variables; then come their bodies, in
//! the same order. A procedure can be declared more than once: all have the variables of the first.

use super::Effect;
use crate::Cartesian;
use hardbop_base::{Idx, IndexVec, Span};
use hardbop_icfg::graph::{IcfgBuilder, Proc};
use hardbop_icfg::{
    ChoiceId, EdgeId, EdgeKind, Expr, ExprId, Exprs, Goal, Marks, NodeId, ProcId, Program, Relation, Scope, Transition,
    Update, Value, Var, VarId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What the procedures, edges and variables of a program are in the whole that it was made of.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// The procedure; one that only starts the program is the last, and is not here.
    pub procs: IndexVec<ProcId, ProcId>,
    /// The edge; nothing for one that stands for all that a procedure does, or only starts the program.
    pub edges: IndexVec<EdgeId, Option<EdgeId>>,
    /// The variable.
    pub vars: IndexVec<VarId, VarId>,
}

/// What programs are made of.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) program: &'a Program<Relation>,
    pub(crate) flow: &'a Cartesian,
    pub(crate) effects: &'a IndexVec<ProcId, Effect>,
}

impl Source<'_> {
    /// What the labels of `edges` speak of.
    pub(crate) fn used(&self, edges: impl Iterator<Item = EdgeId>) -> BTreeSet<VarId> {
        let mut used = BTreeSet::new();
        for edge in edges {
            match &self.program.labels[edge] {
                Relation::Step(step) => self.add_used(step, &mut used),
                Relation::Call { enter, leave } => {
                    self.add_used(enter, &mut used);
                    self.add_used(leave, &mut used);
                }
                Relation::Return => {}
            }
        }
        used
    }

    /// Adds what `transition` speaks of.
    pub(crate) fn add_used(&self, transition: &Transition, used: &mut BTreeSet<VarId>) {
        used.extend(transition.updates.iter().map(|update| update.target));
        transition.for_each_leaf(&self.program.exprs, |leaf| used.extend(var_of(leaf)));
    }

    /// Adds what the effects of `callees` speak of.
    pub(crate) fn add_effects(&self, callees: &[ProcId], used: &mut BTreeSet<VarId>) {
        for &callee in callees {
            let effect = &self.effects[callee];
            used.extend(effect.written.iter().copied());
            if let Some(related) = &effect.related {
                related.exprs.for_each_leaf(related.relation, |leaf| used.extend(var_of(leaf)));
            }
        }
    }

    /// Adds what is asked of a goal.
    pub(crate) fn add_goal(&self, goal: &Goal, used: &mut BTreeSet<VarId>) {
        if let Some(condition) = goal.condition {
            self.program.exprs.for_each_leaf(condition, |leaf| used.extend(var_of(leaf)));
        }
    }

    /// The procedure that `edge` calls.
    pub(crate) fn callee(&self, edge: EdgeId) -> Option<ProcId> {
        match self.program.icfg.edges[edge].kind {
            EdgeKind::Call { callee, .. } => Some(callee),
            _ => None,
        }
    }

    /// The edges of `proc`.
    pub(crate) fn edges_of(&self, proc: ProcId) -> impl Iterator<Item = EdgeId> + '_ {
        let icfg = &self.program.icfg;
        icfg.nodes_of(proc).flat_map(|node| icfg.successors(node).iter().copied())
    }
}

/// Makes them.
pub(crate) struct Builder<'a> {
    source: Source<'a>,
    graph: IcfgBuilder,
    labels: IndexVec<EdgeId, Relation>,
    pub(crate) exprs: Exprs,
    /// The expressions of the whole that are here; those of the label at hand only, where it has choices.
    known: FxHashMap<ExprId, ExprId>,
    /// The choices of the label at hand. Those that went with a dropped update leave no gap.
    choices: FxHashMap<ChoiceId, ChoiceId>,
    vars: IndexVec<VarId, Var>,
    locals: IndexVec<ProcId, Vec<VarId>>,
    /// The variables of the whole that are here.
    pub(crate) number: FxHashMap<VarId, VarId>,
    pub(crate) origin: Origin,
}

impl<'a> Builder<'a> {
    /// A program with those globals of the whole that are in `used`.
    pub(crate) fn new(source: Source<'a>, used: &BTreeSet<VarId>) -> Self {
        let mut builder = Self {
            source,
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
        for &var in used.iter().filter(|&&var| source.program.is_global(var)) {
            builder.bring(var, Scope::Global);
        }
        builder
    }

    fn bring(&mut self, var: VarId, scope: Scope) -> VarId {
        // Who wants to know its name has the whole.
        let here = self.vars.push(Var { name: String::new(), scope, span: self.source.program.vars[var].span });
        self.origin.vars.push(var);
        self.number.insert(var, here);
        here
    }

    /// Declares the next procedure, with those of its variables that `is_wanted`, or with those that it was declared
    /// with before.
    pub(crate) fn declare(&mut self, proc: ProcId, is_wanted: impl Fn(VarId) -> bool) -> ProcId {
        let known = self.origin.procs.iter().position(|&declared| declared == proc).map(ProcId::from_usize);
        let here = self.origin.procs.push(proc);
        if let Some(known) = known {
            return self.locals.push(self.locals[known].clone());
        }
        let program = self.source.program;
        let mut locals = Vec::new();
        for &var in program.locals[proc].iter().filter(|&&var| is_wanted(var)) {
            let scope = match program.vars[var].scope {
                Scope::Result(_) => Scope::Result(here),
                Scope::Parameter(_) => Scope::Parameter(here),
                Scope::Local(_) | Scope::Global => Scope::Local(here),
            };
            locals.push(self.bring(var, scope));
        }
        self.locals.push(locals)
    }

    /// The body of `proc`, which calls what `callee` says.
    pub(crate) fn body(&mut self, proc: ProcId, callee: impl Fn(ProcId) -> ProcId) {
        let program = self.source.program;
        let (here, first) = (self.graph.next_proc(), self.graph.next_node());
        let original = &program.icfg.procs[proc];
        for node in program.icfg.nodes_of(proc) {
            self.graph.node(here, program.icfg.nodes[node].span);
        }
        let place = |node: NodeId| NodeId::from_usize(node.index() - original.nodes.0.index() + first.index());
        let (entry, exit, nodes) = (place(original.entry), place(original.exit), (first, self.graph.next_node()));
        self.graph.proc(Proc { name: original.name.clone(), span: original.span, entry, exit, nodes });
        let source = self.source;
        for edge in source.edges_of(proc) {
            let found = program.icfg.edges[edge];
            let kind = match found.kind {
                EdgeKind::Step { to } => EdgeKind::Step { to: place(to) },
                EdgeKind::Call { callee: called, to } => EdgeKind::Call { callee: callee(called), to: place(to) },
                EdgeKind::Return => EdgeKind::Return,
            };
            self.copied_edge(place(found.from), kind, edge);
        }
    }

    /// An edge that does what `edge` does.
    pub(crate) fn copied_edge(&mut self, from: NodeId, kind: EdgeKind, edge: EdgeId) {
        let program = self.source.program;
        let label = match &program.labels[edge] {
            Relation::Step(step) => Relation::Step(self.transition(step)),
            Relation::Call { enter, leave } => {
                Relation::Call { enter: self.transition(enter), leave: self.transition(leave) }
            }
            Relation::Return => Relation::Return,
        };
        self.graph.edge(from, kind);
        self.labels.push(label);
        self.origin.edges.push(Some(edge));
    }

    /// The number that the next body gets.
    pub(crate) fn next_proc(&self) -> ProcId {
        self.graph.next_proc()
    }

    /// An edge of which the whole knows nothing.
    fn edge(&mut self, from: NodeId, kind: EdgeKind, label: Relation) {
        self.graph.edge(from, kind);
        self.labels.push(label);
        self.origin.edges.push(None);
    }

    /// A chain of nodes at `spans` and the exit behind them, as the next body; its first node. The edges between are the
    /// caller's to make.
    pub(crate) fn chain(&mut self, name: &str, span: Span, spans: impl Iterator<Item = Span>) -> NodeId {
        let (here, entry) = (self.graph.next_proc(), self.graph.next_node());
        for span in spans {
            self.graph.node(here, span);
        }
        let exit = self.graph.node(here, span);
        let nodes = (entry, self.graph.next_node());
        self.graph.proc(Proc { name: name.to_owned(), span, entry, exit, nodes });
        self.edge(exit, EdgeKind::Return, Relation::Return);
        entry
    }

    /// A procedure that does in one step what its effect says, as the next body.
    pub(crate) fn stub(&mut self, callee: ProcId) {
        let original = &self.source.program.icfg.procs[callee];
        let entry = self.chain(&original.name, original.span, std::iter::once(original.span));
        let step = self.effect(&self.source.effects[callee], original.exit);
        self.edge(entry, EdgeKind::Step { to: NodeId::from_usize(entry.index() + 1) }, Relation::Step(step));
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

    /// A procedure that begins the program and calls `proc`, the first one here, in any state that is possible at its
    /// entry and has the values in `given`: where it comes back to, and what it has then of those in `wanted`, which are
    /// the results.
    pub(crate) fn root(&mut self, proc: ProcId, given: &[(VarId, bool)], wanted: &[VarId]) -> (NodeId, Vec<VarId>) {
        let mut constraint = self.known_at_entry(proc, Expr::Var);
        for &(var, value) in given {
            let here = self.number[&var];
            let leaf = if self.source.program.is_global(var) { Expr::Var(here) } else { Expr::Next(here) };
            constraint = self.and_literal(constraint, leaf, value);
        }
        let root = self.locals.next_id();
        let mut results = Vec::new();
        let mut leave = Transition::SKIP;
        for var in wanted {
            let result = self.number[var];
            let copy = Var { scope: Scope::Local(root), ..self.vars[result].clone() };
            let copy = self.vars.push(copy);
            self.origin.vars.push(*var);
            let value = Value::Of(self.exprs.add(Expr::Var(result)));
            leave.updates.push(Update { target: copy, value });
            results.push(copy);
        }
        self.locals.push(results.clone());
        let nowhere = Span::new(0, 0);
        let entry = self.chain("", nowhere, std::iter::once(nowhere));
        let exit = NodeId::from_usize(entry.index() + 1);
        let parameters = self.parameters(proc);
        let parameters = parameters.iter().filter_map(|var| self.number.get(var));
        let updates = parameters.map(|&target| Update { target, value: Value::Any }).collect();
        let enter = Transition { guard: None, updates, constraint, choices: 0 };
        let callee = ProcId::from_usize(0);
        self.edge(entry, EdgeKind::Call { callee, to: exit }, Relation::Call { enter, leave });
        (exit, results)
    }

    /// `all`, and that `leaf` is `value`.
    fn and_literal(&mut self, all: Option<ExprId>, leaf: Expr, value: bool) -> Option<ExprId> {
        let mut is_so = self.exprs.add(leaf);
        if !value {
            is_so = self.exprs.add(Expr::Not(is_so));
        }
        Some(match all {
            None => is_so,
            Some(others) => self.exprs.add(Expr::And(others, is_so)),
        })
    }

    fn parameters(&self, proc: ProcId) -> Vec<VarId> {
        let program = self.source.program;
        let is_parameter = |var: &&VarId| matches!(program.vars[**var].scope, Scope::Parameter(_));
        program.locals[proc].iter().filter(is_parameter).copied().collect()
    }

    /// What is certain at the entry of `proc`, where a global is what `global` says.
    pub(crate) fn known_at_entry(&mut self, proc: ProcId, global: impl Fn(VarId) -> Expr) -> Option<ExprId> {
        let program = self.source.program;
        let entry = program.icfg.procs[proc].entry;
        let mut all = None;
        for here in self.origin.vars.ids() {
            let var = self.origin.vars[here];
            let leaf = match program.vars[var].scope {
                Scope::Global => global(here),
                Scope::Parameter(owner) | Scope::Local(owner) | Scope::Result(owner) if owner == proc => {
                    Expr::Next(here)
                }
                _ => continue,
            };
            let Some(value) = self.source.flow.value(entry, var).and_then(|value| value.definite()) else { continue };
            all = self.and_literal(all, leaf, value);
        }
        all
    }

    /// A goal of the whole at `node`.
    pub(crate) fn goal(&mut self, goal: &Goal, node: NodeId) -> Goal {
        let condition = goal.condition.map(|condition| self.with_own_choices(|builder| builder.expr(condition)));
        Goal { node, condition, ..goal.clone() }
    }

    /// What `transition` says, here.
    pub(crate) fn transition(&mut self, transition: &Transition) -> Transition {
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

    /// The program.
    pub(crate) fn finish(&mut self, entry: ProcId, initial: Transition) -> Program<Relation> {
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

pub(crate) fn var_of(leaf: Expr) -> Option<VarId> {
    match leaf {
        Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) => Some(var),
        _ => None,
    }
}
