//! From the effect of a rule to the labels of its edges.

use super::super::scope::SymbolId;
use super::Lowering;
use super::effect::Effect;
use hardbop_base::Span;
use hardbop_icfg::words::Moment;
use hardbop_icfg::{EdgeKind, Expr, ExprId, NodeId, ProcId, Relation, Transition, Update, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A rule with two symbols on its right.
pub(super) struct Call {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// The symbol on top.
    pub(super) entry: SymbolId,
    /// The symbol below it.
    pub(super) back: SymbolId,
    pub(super) caller: ProcId,
    pub(super) callee: ProcId,
    pub(super) span: Span,
}

/// How a call is made of edges.
enum Form {
    /// One edge: no global changes, and what is saved can be computed on the way back.
    Whole,
    /// A step that changes globals, and a call that finds everything else as it was.
    GlobalsFirst,
    /// A step that does everything, with copies of the parameters, and a call that hands them over.
    AllFirst,
}

impl Lowering<'_> {
    /// The bits of all locals of `symbol`, as a symbol of `proc`.
    pub(super) fn local_bits(&self, symbol: SymbolId, proc: ProcId) -> Vec<VarId> {
        let locals = self.scopes.locals(symbol);
        locals.flat_map(|decl| self.storage.elements(decl, proc).iter().flatten().copied()).collect()
    }

    /// A step that gives the globals and `locals` their next values.
    pub(super) fn step(&mut self, effect: &Effect, locals: &[VarId]) -> Transition {
        let mut updates = self.global_updates(effect);
        for &var in locals {
            let value = effect.values.get(&(Moment::Next, var)).copied();
            updates.extend(self.update(var, value));
        }
        self.transition(effect.guards.clone(), updates, effect.constraints.clone())
    }

    pub(super) fn call(&mut self, effect: &Effect, call: &Call) {
        let updates = self.global_updates(effect);
        match self.form(effect, call, &updates) {
            Form::Whole => {
                let enter = self.enter(effect, call);
                let enter = self.transition(effect.guards.clone(), enter, effect.constraints.clone());
                self.call_edge(call.from, call, enter, effect);
            }
            Form::GlobalsFirst => {
                let step = self.transition(effect.guards.clone(), updates, effect.constraints.clone());
                let node = self.silent_step(call, step);
                let enter = self.enter(effect, call);
                let enter = self.transition(Vec::new(), enter, Vec::new());
                self.call_edge(node, call, enter, effect);
            }
            Form::AllFirst => self.call_with_copies(effect, call, updates),
        }
    }

    fn form(&mut self, effect: &Effect, call: &Call, updates: &[Update]) -> Form {
        let saved = self.local_bits(call.back, call.caller);
        let saved: Vec<ExprId> =
            saved.iter().filter_map(|&var| effect.values.get(&(Moment::Saved, var)).copied()).collect();
        let is_constrained = effect.constraints.iter().any(|&it| self.terms.moments(it).contains(Moment::Saved));
        let reads = |lowering: &Self, exprs: &[ExprId], is_meant: &dyn Fn(VarId) -> bool| {
            let mut found = false;
            for &expr in exprs {
                lowering.for_each_leaf(expr, |leaf| {
                    found |= matches!(leaf, Expr::Var(var) if is_meant(var));
                });
            }
            found
        };
        // On the way back, globals are as the callee left them.
        if is_constrained || reads(self, &saved, &|var| self.storage.is_global(var)) {
            return Form::AllFirst;
        }
        if updates.is_empty() {
            return Form::Whole;
        }
        let parameters: FxHashSet<VarId> = self.parameter_bits(call).into_iter().collect();
        let is_parameter = |leaf| matches!(leaf, Expr::Next(var) if parameters.contains(&var));
        let mut is_constrained = false;
        for &constraint in &effect.constraints {
            self.for_each_leaf(constraint, |leaf| is_constrained |= is_parameter(leaf));
        }
        let values = self.parameter_bits(call).into_iter();
        let values: Vec<ExprId> = values.filter_map(|var| effect.values.get(&(Moment::Next, var)).copied()).collect();
        let changed: FxHashSet<VarId> = updates.iter().map(|update| update.target).collect();
        match is_constrained || reads(self, &values, &|var| changed.contains(&var)) {
            true => Form::AllFirst,
            false => Form::GlobalsFirst,
        }
    }

    /// The step carries the whole relation: it saves what the caller keeps, and copies what the callee gets.
    fn call_with_copies(&mut self, effect: &Effect, call: &Call, mut updates: Vec<Update>) {
        let mut constrained = FxHashSet::default();
        for &constraint in &effect.constraints {
            self.for_each_leaf(constraint, |leaf| {
                if let Expr::Next(var) = leaf {
                    constrained.insert(var);
                }
            });
        }
        let mut enter = Vec::new();
        for var in self.parameter_bits(call) {
            let value = effect.values.get(&(Moment::Next, var)).copied();
            if value.is_none() && !constrained.contains(&var) {
                enter.push(Update { target: var, value: Value::Any });
                continue;
            }
            let copy = self.copy(call, var);
            updates.push(Update { target: copy, value: value.map_or(Value::Any, Value::Of) });
            let read = self.terms.builder.read(copy, Moment::Now);
            enter.push(Update { target: var, value: Value::Of(read) });
        }
        for var in self.local_bits(call.back, call.caller) {
            let value = effect.values.get(&(Moment::Saved, var)).copied();
            updates.extend(self.update(var, value));
        }
        let parameters: FxHashMap<VarId, VarId> = self
            .parameter_bits(call)
            .into_iter()
            .filter_map(|var| Some((var, *self.copies.get(&(call.caller, var))?)))
            .collect();
        let mut known = FxHashMap::default();
        let constraints = effect
            .constraints
            .iter()
            .map(|&constraint| {
                self.terms.builder.replace(constraint, &mut known, &mut |builder, leaf| match leaf {
                    Expr::Next(var) => parameters.get(&var).map(|&copy| builder.read(copy, Moment::Next)),
                    Expr::Saved(var) => Some(builder.read(var, Moment::Next)),
                    _ => None,
                })
            })
            .collect();
        let step = self.transition(effect.guards.clone(), updates, constraints);
        let node = self.silent_step(call, step);
        let enter = self.transition(Vec::new(), enter, Vec::new());
        let label = Relation::Call { enter, leave: Transition::SKIP };
        self.edge(node, EdgeKind::Call { callee: call.callee, to: call.to }, label, call.span);
    }

    /// A call edge that computes what was saved on the way back.
    fn call_edge(&mut self, from: NodeId, call: &Call, enter: Transition, effect: &Effect) {
        let mut updates = Vec::new();
        let mut known = FxHashMap::default();
        for var in self.local_bits(call.back, call.caller) {
            let value = effect.values.get(&(Moment::Saved, var)).copied();
            if let Some(mut update) = self.update(var, value) {
                if let Value::Of(value) = &mut update.value {
                    *value = self.terms.builder.replace(*value, &mut known, &mut |builder, leaf| match leaf {
                        Expr::Var(var) => Some(builder.read(var, Moment::Saved)),
                        _ => None,
                    });
                }
                updates.push(update);
            }
        }
        let leave = self.transition(Vec::new(), updates, Vec::new());
        let kind = EdgeKind::Call { callee: call.callee, to: call.to };
        self.edge(from, kind, Relation::Call { enter, leave }, call.span);
    }

    /// A step to a node that is no place of the system.
    fn silent_step(&mut self, call: &Call, step: Transition) -> NodeId {
        let node = self.graph.node(call.caller, call.span);
        self.marks.silent.push(node);
        self.edge(call.from, EdgeKind::Step { to: node }, Relation::Step(step), call.span);
        node
    }

    /// The callee's parameters.
    fn enter(&mut self, effect: &Effect, call: &Call) -> Vec<Update> {
        let parameters = self.parameter_bits(call).into_iter();
        let parameters = parameters.map(|var| {
            let value = effect.values.get(&(Moment::Next, var)).copied();
            Update { target: var, value: value.map_or(Value::Any, Value::Of) }
        });
        parameters.collect()
    }

    fn parameter_bits(&self, call: &Call) -> Vec<VarId> {
        let locals = self.scopes.locals(call.entry);
        let parameters = locals.filter(|&decl| self.storage.is_parameter(decl, call.callee));
        parameters.flat_map(|decl| self.storage.elements(decl, call.callee).iter().flatten().copied()).collect()
    }

    /// The caller's copy of a parameter.
    fn copy(&mut self, call: &Call, var: VarId) -> VarId {
        if !self.copies.contains_key(&(call.caller, var)) {
            let data = self.storage.data.iter();
            let bits = data.map(|datum| &datum.bits).find(|bits| bits.contains(&var));
            let bits = bits.cloned().unwrap_or_else(|| vec![var]);
            let prefix = &self.procedures.list[call.callee].name;
            let copies = self.storage.copy_of(&bits, call.caller, prefix);
            self.copies.extend(bits.iter().map(|&bit| (call.caller, bit)).zip(copies));
        }
        self.copies[&(call.caller, var)]
    }

    fn global_updates(&mut self, effect: &Effect) -> Vec<Update> {
        let globals: Vec<VarId> = self.storage.state.iter().chain(&self.global_bits).copied().collect();
        let mut updates = Vec::new();
        for var in globals {
            let value = effect.values.get(&(Moment::Next, var)).copied();
            updates.extend(self.update(var, value));
        }
        updates
    }

    /// What changes `var`; nothing where it keeps its value.
    fn update(&mut self, var: VarId, value: Option<ExprId>) -> Option<Update> {
        match value {
            None => Some(Update { target: var, value: Value::Any }),
            Some(value) if self.terms.builder.exprs().get(value) == Expr::Var(var) => None,
            Some(value) => Some(Update { target: var, value: Value::Of(value) }),
        }
    }

    fn transition(&mut self, guards: Vec<ExprId>, mut updates: Vec<Update>, constraints: Vec<ExprId>) -> Transition {
        updates.sort_by_key(|update| update.target);
        let (guard, constraint) = (self.terms.builder.all(guards), self.terms.builder.all(constraints));
        let (guard, constraint) = (self.unless_true(guard), self.unless_true(constraint));
        Transition { guard, updates, constraint, choices: 0 }
    }

    fn for_each_leaf(&self, expr: ExprId, mut visit: impl FnMut(Expr)) {
        let exprs = self.terms.builder.exprs();
        let mut seen = FxHashSet::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                let node = exprs.get(id);
                visit(node);
                stack.extend(node.children());
            }
        }
    }
}
