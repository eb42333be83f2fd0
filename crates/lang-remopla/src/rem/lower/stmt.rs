//! The edges of each statement.

use super::assign::Effect;
use super::{Lowering, MAX_UPDATES};
use crate::rem::ast::{self, Branch, Dialect, Guard, Ident, List, StmtId, StmtKind};
use crate::rem::scope::{Relay, Reported, Scopes};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::{Diagnostic, Idx, Span};
use hardbop_icfg::words::{Moment, TooLarge};
use hardbop_icfg::{EdgeKind, ExprId, NodeId, ProcId, Relation, Transition, Unmodelled, Value};

impl Lowering<'_> {
    pub(super) fn statement(&mut self, id: StmtId) -> Result<(), Reported> {
        let ast = self.ast;
        let stmt = &ast.stmts[id];
        let (node, after) = (self.nodes[id], self.following[id]);
        if self.updates > MAX_UPDATES {
            return Err(self.too_large(TooLarge::Arena, stmt.span));
        }
        self.words.check_size().map_err(|cause| self.too_large(cause, stmt.span))?;
        match stmt.kind {
            StmtKind::Skip(None) => self.step(node, after, Transition::SKIP),
            StmtKind::Skip(Some(test)) => {
                let test = self.condition(test)?;
                self.test(node, after, test);
            }
            StmtKind::Assign(assigns) => {
                let mut effect = Effect::default();
                self.assign_all(assigns, &mut effect)?;
                self.affect(node, after, effect);
            }
            StmtKind::Call { target, callee, args, also } => {
                return self.call(id, Call { target, callee, args, also });
            }
            StmtKind::Return(value) => return self.returned(node, value, stmt.span),
            StmtKind::Goto { label, also } => {
                let mut effect = Effect::default();
                let to = self.label(label);
                self.assign_all(also, &mut effect)?;
                self.affect(node, to?, effect);
            }
            StmtKind::Break => match self.breaks[id] {
                Some(to) => self.step(node, to, Transition::SKIP),
                None => {
                    let finding = Diagnostic::error("break-outside", "there is no `do` around this `break`", stmt.span);
                    return Err(self.scopes.report(finding));
                }
            },
            StmtKind::If(branches) => return self.branches(node, after, branches),
            StmtKind::Do(branches) => {
                let while_test = self.while_test(branches)?;
                if let Some(test) = while_test {
                    let body = ast.branches(branches)[0].body;
                    self.test(node, self.start_of(body, node), test);
                    let done = self.words.not(test);
                    self.test(node, after, done);
                    return Ok(());
                }
                return self.branches(node, node, branches);
            }
            StmtKind::Chance(branches) => {
                self.warn_of_chance(stmt.span);
                return self.branches(node, after, branches);
            }
            StmtKind::Fork { callee, .. } => {
                self.scopes.callee(callee)?;
                self.marks.unmodelled.push(Unmodelled { node, what: "`fork`".into(), span: stmt.span });
            }
            StmtKind::Rule(rule) => return self.rule(node, &rule, stmt.span),
        }
        Ok(())
    }

    pub(super) fn edge(&mut self, from: NodeId, kind: EdgeKind, label: Relation) {
        self.graph.edge(from, kind);
        self.labels.push(label);
    }

    pub(super) fn step(&mut self, from: NodeId, to: NodeId, transition: Transition) {
        self.edge(from, EdgeKind::Step { to }, Relation::Step(transition));
    }

    fn test(&mut self, from: NodeId, to: NodeId, test: ExprId) {
        let guard = self.unless_true(test);
        self.step(from, to, Transition { guard, ..Transition::SKIP });
    }

    pub(super) fn affect(&mut self, from: NodeId, to: NodeId, effect: Effect) {
        let transition = self.transition(effect);
        self.step(from, to, transition);
    }

    /// The condition of a `do` that is a loop with one test.
    fn while_test(&mut self, branches: List<Branch>) -> Result<Option<ExprId>, Reported> {
        match self.ast.branches(branches) {
            [Branch { guard: Guard::Test(test), .. }] if self.ast.dialect() == Dialect::Leak => {
                self.condition(*test).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// An edge for each branch; behind its last statement control goes to `after`.
    fn branches(&mut self, node: NodeId, after: NodeId, branches: List<Branch>) -> Result<(), Reported> {
        let branches = self.ast.branches(branches);
        let mut tests = Vec::with_capacity(branches.len());
        let mut result = Ok(());
        let mut first_else = None;
        for branch in branches {
            let test = match branch.guard {
                Guard::Test(test) => self.condition(test).map(Some),
                Guard::Chance => Ok(Some(self.words.constant(true))),
                Guard::Else => match first_else.replace(branch.span) {
                    None => Ok(None),
                    Some(first) => {
                        let finding = Diagnostic::error("duplicate-else", "there are two `else`s", branch.span);
                        Err(self.scopes.report(finding.related("the first is here", first)))
                    }
                },
            };
            match test {
                Ok(test) => tests.push(test),
                Err(reported) => result = Err(reported),
            }
        }
        result?;
        let any = self.words.any(tests.iter().flatten().copied());
        let otherwise = self.words.not(any);
        for (branch, test) in branches.iter().zip(tests) {
            let to = self.start_of(branch.body, after);
            self.test(node, to, test.unwrap_or(otherwise));
        }
        Ok(())
    }

    fn warn_of_chance(&mut self, span: Span) {
        if !std::mem::replace(&mut self.has_chance, true) {
            let message = "probabilities are ignored: each branch of a `pchoice` can be taken";
            self.scopes.report(Diagnostic::warning("probabilities-ignored", message, span));
        }
    }

    pub(super) fn label(&mut self, label: Ident) -> Result<NodeId, Reported> {
        if let Some(&node) = self.procedure.labels.get(&label.name) {
            return Ok(node);
        }
        let ast = self.ast;
        let mut labels: Vec<&str> = self.procedure.labels.keys().map(|&name| ast.names.text(name)).collect();
        labels.sort_unstable();
        let suggestion = did_you_mean(ast.text(label), labels.into_iter());
        let message = match ast.modules.get(ast::ModuleId::from_usize(self.procedure.id.index())) {
            Some(module) => format!("there is no label `{}` in `{}`", ast.text(label), ast.text(module.header.name)),
            None => format!("there is no label `{}` outside of all modules", ast.text(label)),
        };
        let finding = Diagnostic::error("undefined-label", format!("{message}{suggestion}"), label.span);
        Err(self.scopes.report(finding))
    }

    fn returned(&mut self, node: NodeId, value: Option<ast::Value>, span: Span) -> Result<(), Reported> {
        let exit = self.procedure.exit;
        let result = self.scopes.signatures[self.procedure.id].result;
        let mut effect = Effect::default();
        match (value, result) {
            (Some(value), Some(result)) => {
                let target = self.whole(result, Moment::Now);
                self.assign_value(&target, value, &mut effect)?;
            }
            (Some(_), None) => {
                let finding = Diagnostic::error("unexpected-result", "nothing can be returned here", span);
                let id = ast::ModuleId::from_usize(self.procedure.id.index());
                let finding = match self.ast.modules.get(id) {
                    Some(module) => finding.related("a `void` module", module.header.name.span),
                    None => finding,
                };
                return Err(self.scopes.report(finding));
            }
            (None, _) => {}
        }
        self.affect(node, exit, effect);
        Ok(())
    }
}

/// A call, taken apart.
#[derive(Clone, Copy)]
struct Call {
    target: Option<ast::ExprId>,
    callee: Ident,
    args: List<ast::Value>,
    also: List<ast::Assign>,
}

impl Lowering<'_> {
    fn call(&mut self, id: StmtId, call: Call) -> Result<(), Reported> {
        let span = self.ast.stmts[id].span;
        let callee = self.scopes.callee(call.callee)?;
        self.check_arity(callee, &call)?;
        let proc = Scopes::procedure(callee);
        let (mut from, mut to) = (self.nodes[id], self.following[id]);
        // What is assigned at the call is a step of its own, unless there is nothing.
        let mut before = Effect::default();
        let mut enter = Effect::default();
        let also = self.assign_all(call.also, &mut before);
        self.arguments(callee, call.args, &mut before, &mut enter)?;
        also?;
        if !call.also.is_empty() {
            enter.take_needs().into_iter().for_each(|need| before.need(need));
            let between = self.silent(span);
            self.affect(from, between, before);
            from = between;
        }
        let enter = self.enter(proc, enter);
        let mut leave = Effect::default();
        if let Some(target) = call.target {
            to = self.take_result(callee, target, span, to, &mut leave)?;
        }
        let leave = self.transition(leave);
        self.edge(from, EdgeKind::Call { callee: proc, to }, Relation::Call { enter, leave });
        Ok(())
    }

    /// The way into `proc`: its locals start with any values that their types have.
    pub(super) fn enter(&mut self, proc: ProcId, effect: Effect) -> Transition {
        let mut enter = self.transition(effect);
        enter.updates.retain(|update| matches!(update.value, Value::Of(_)));
        let start = self.start_values(proc);
        let parts = [enter.constraint, start].into_iter().flatten().collect::<Vec<_>>();
        let constraint = self.words.all(parts);
        enter.constraint = self.unless_true(constraint);
        enter
    }

    fn check_arity(&mut self, callee: ast::ModuleId, call: &Call) -> Result<(), Reported> {
        let header = &self.ast.modules[callee].header;
        let name = self.ast.text(header.name);
        let finding = if header.params.len() != call.args.len() {
            let wanted = match header.params.len() {
                1 => "1 argument".into(),
                count => format!("{count} arguments"),
            };
            Diagnostic::error("call-arity", format!("`{name}` takes {wanted}, not {}", call.args.len()), None)
        } else if call.target.is_some() && header.result.is_none() {
            Diagnostic::error("no-result", format!("`{name}` returns nothing"), None)
        } else {
            return Ok(());
        };
        let finding = Diagnostic { span: Some(call.callee.span), ..finding };
        Err(self.scopes.report(finding.related("defined here", header.name.span)))
    }

    /// Gives the parameters their values: those that the assignments at the call would spoil by way of a relay.
    fn arguments(
        &mut self,
        callee: ast::ModuleId,
        args: List<ast::Value>,
        before: &mut Effect,
        enter: &mut Effect,
    ) -> Result<(), Reported> {
        let params = self.scopes.signatures[Scopes::procedure(callee)].params.clone();
        let mut result = Ok(());
        for (index, (&arg, param)) in self.ast.values(args).iter().zip(params).enumerate() {
            let param = self.whole(param, Moment::Now);
            let relay = self.scopes.signatures[self.procedure.id].relays.get(&Relay::Argument(callee, index)).copied();
            let one = match relay.filter(|_| !before.is_empty()) {
                Some(relay) => {
                    let relay = self.whole(relay, Moment::Now);
                    let one = self.assign_value(&relay, arg, before);
                    if one.is_ok() {
                        self.copy(&relay, &param, enter);
                    }
                    one
                }
                None => self.assign_value(&param, arg, enter),
            };
            result = result.and(one);
        }
        result
    }

    /// Assigns the result of `callee` to `target`, on the way back or in a step of its own that leads to `to`; where
    /// the way back leads.
    fn take_result(
        &mut self,
        callee: ast::ModuleId,
        target: ast::ExprId,
        span: Span,
        to: NodeId,
        leave: &mut Effect,
    ) -> Result<NodeId, Reported> {
        let Some(result) = self.scopes.signatures[Scopes::procedure(callee)].result else { return Err(Reported) };
        let result = self.whole(result, Moment::Now);
        let place = self.place(target)?;
        if !self.scopes.types.can_be_copied(result.kind, place.kind) {
            let found = self.scopes.types.sort(result.kind).text();
            let wanted = self.scopes.types.sort(place.kind).text();
            let message = format!("the result is {found}, and this is {wanted}");
            let span = self.ast.exprs[target].span;
            return Err(self.scopes.report(Diagnostic::error("type-mismatch", message, span)));
        }
        let relay = self.scopes.signatures[self.procedure.id].relays.get(&Relay::Result(callee)).copied();
        match relay.filter(|_| place.is_open()) {
            None => {
                self.copy(&result, &place, leave);
                Ok(to)
            }
            Some(relay) => {
                let relay = self.whole(relay, Moment::Now);
                self.copy(&result, &relay, leave);
                let between = self.silent(span);
                let mut effect = Effect::default();
                self.copy(&relay, &place, &mut effect);
                self.affect(between, to, effect);
                Ok(between)
            }
        }
    }

    /// A node between the two halves of one statement.
    pub(super) fn silent(&mut self, span: Span) -> NodeId {
        let node = self.graph.node(self.procedure.id, span);
        self.marks.silent.push(node);
        node
    }
}
