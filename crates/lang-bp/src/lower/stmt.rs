//! The edges of each statement.

use super::Lowering;
use super::expr::{Reading, Term};
use crate::ast::{self, ExprId, ExprKind, Ident, List, Otherwise, StmtId, StmtKind};
use hardbop_base::{Idx, Span};
use hardbop_icfg::{Assertion, EdgeKind, Expr, NodeId, ProcId, Relation, Transition, Unmodelled, Update, Value, VarId};

/// `target := source`, one of several at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    target: VarId,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Value(ExprId),
    Result(VarId),
}

/// Which way a test goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    True,
    False,
}

impl Lowering<'_> {
    pub(super) fn statement(&mut self, id: StmtId) {
        let ast = self.ast;
        let stmt = &ast.stmts[id];
        let node = self.procedure.node(id);
        let after = self.procedure.following[self.procedure.row(id)];
        match stmt.kind {
            StmtKind::Skip | StmtKind::Print(_) | StmtKind::AtomicBegin | StmtKind::AtomicEnd => self.skip(node, after),
            StmtKind::Goto(labels) => self.goto(node, labels),
            StmtKind::Return(values) => self.returned(node, values),
            StmtKind::Assign { targets, values, constraint } => self.assign(node, after, targets, values, constraint),
            StmtKind::Call { callee, .. } if self.starts_thread(id).is_some() => {
                let what = self.starts_thread(id).map_or(ast.text(callee), |label| ast.text(label));
                self.unmodelled(node, format!("`{what}:`"), stmt.span);
            }
            StmtKind::Call { targets, callee, args } => self.call(node, after, targets, callee, args),
            StmtKind::If { test, then, otherwise } => {
                let yes = self.procedure.start_of(ast, then, after);
                let no = match otherwise {
                    Otherwise::Nothing => after,
                    Otherwise::Elsif(stmt) => self.procedure.node(stmt),
                    Otherwise::Else(block) => self.procedure.start_of(ast, block, after),
                };
                self.test(node, test, Outcome::True, yes);
                self.test(node, test, Outcome::False, no);
            }
            StmtKind::While { test, body } => {
                let yes = self.procedure.start_of(ast, body, node);
                self.test(node, test, Outcome::True, yes);
                self.test(node, test, Outcome::False, after);
            }
            StmtKind::Assert(test) => {
                let failure = self.failure(test);
                self.marks.assertions.push(Assertion { node, failure, span: stmt.span });
                self.test(node, test, Outcome::True, after);
            }
            StmtKind::Assume(test) => self.test(node, test, Outcome::True, after),
            StmtKind::Constrain(constraint) => self.constrain(node, after, constraint),
            StmtKind::Dead(names) => self.dead(node, after, names),
            StmtKind::StartCall { .. } | StmtKind::StartGoto(_) => {
                self.unmodelled(node, "`start_thread`".into(), stmt.span);
            }
            StmtKind::Sync(_) => self.unmodelled(node, "`sync`".into(), stmt.span),
            // The only thread ends, and the run with it.
            StmtKind::EndThread => {}
        }
    }

    /// The label that makes a call the start of a thread: `ASYNC_1`.
    fn starts_thread(&self, id: StmtId) -> Option<Ident> {
        let is_async = |label: &&Ident| {
            let number = self.ast.text(**label).strip_prefix("ASYNC_");
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        self.ast.idents(self.ast.stmts[id].labels).iter().find(is_async).copied()
    }

    fn unmodelled(&mut self, node: NodeId, what: String, span: Span) {
        self.marks.unmodelled.push(Unmodelled { node, what, span });
    }

    /// Adds a step, made with the choices that `terms` has given out.
    fn step(&mut self, from: NodeId, to: NodeId, mut transition: Transition) {
        self.enforce_changed(self.procedure.id, &mut transition);
        transition.choices = self.terms.choices;
        self.edge(from, EdgeKind::Step { to }, Relation::Step(transition));
    }

    fn skip(&mut self, from: NodeId, to: NodeId) {
        self.terms.choices = 0;
        self.step(from, to, Transition::SKIP);
    }

    fn goto(&mut self, from: NodeId, labels: List<Ident>) {
        let labels = self.ast.idents(labels).iter();
        let mut targets: Vec<_> = labels.filter_map(|label| self.terms.scopes.label(label.name)).collect();
        let mut seen = rustc_hash::FxHashSet::default();
        targets.retain(|&target| seen.insert(target));
        for target in targets {
            self.skip(from, self.procedure.node(target));
        }
    }

    fn test(&mut self, from: NodeId, test: ExprId, outcome: Outcome, to: NodeId) {
        self.terms.choices = 0;
        let mut term = self.terms.lower(test, Reading::Before);
        if outcome == Outcome::False {
            term = self.terms.not(term);
        }
        let guard = self.condition(term);
        self.step(from, to, Transition { guard, ..Transition::SKIP });
    }

    /// The condition that `term`, lowered just now, is true; `None` where it always can be.
    fn condition(&mut self, term: Term) -> Option<hardbop_icfg::ExprId> {
        match term {
            Term::Const(true) => None,
            Term::Choice(_) => {
                self.terms.choices -= 1;
                None
            }
            _ => Some(self.terms.expr(term)),
        }
    }

    fn failure(&mut self, test: ExprId) -> hardbop_icfg::ExprId {
        self.terms.choices = 0;
        let term = self.terms.lower(test, Reading::Before);
        let term = self.terms.not(term);
        self.terms.expr(term)
    }

    fn returned(&mut self, from: NodeId, values: List<ExprId>) {
        let results = self.terms.scopes.signatures[self.procedure.id].results;
        for (target, &value) in results.ids().zip(self.ast.expr_list(values)) {
            self.assignments.push(Assignment { target, source: Source::Value(value) });
        }
        self.terms.choices = 0;
        let updates = self.take_updates();
        self.step(from, self.procedure.exit, Transition { updates, ..Transition::SKIP });
    }

    fn assign(
        &mut self,
        from: NodeId,
        to: NodeId,
        targets: List<Ident>,
        values: List<ExprId>,
        constraint: Option<ExprId>,
    ) {
        let ast = self.ast;
        for (&target, &value) in ast.idents(targets).iter().zip(ast.expr_list(values)) {
            self.assign_to(target, Source::Value(value));
        }
        self.terms.choices = 0;
        let updates = self.take_updates();
        let constraint = constraint.and_then(|constraint| {
            let term = self.terms.lower(constraint, Reading::Before);
            self.condition(term)
        });
        self.step(from, to, Transition { updates, constraint, ..Transition::SKIP });
    }

    fn assign_to(&mut self, target: Ident, source: Source) {
        if !target.is_discard() {
            let target = self.terms.scopes.variable(target.name).expect("the program has been checked");
            self.assignments.push(Assignment { target, source });
        }
    }

    /// The updates of `assignments`, which are empty afterwards. Where a variable is assigned twice either may win.
    fn take_updates(&mut self) -> Vec<Update> {
        let mut assignments = std::mem::take(&mut self.assignments);
        let mut has_twice = false;
        for (row, assignment) in assignments.iter().enumerate() {
            let place = &mut self.places[assignment.target];
            has_twice |= place.is_some();
            place.get_or_insert(row as u32);
        }
        if has_twice {
            assignments.sort_by_key(|assignment| self.places[assignment.target]);
        }
        let mut updates = Vec::with_capacity(assignments.len());
        for group in assignments.chunk_by(|one, next| one.target == next.target) {
            let target = group[0].target;
            self.places[target] = None;
            updates.push(Update { target, value: self.value(group) });
        }
        assignments.clear();
        self.assignments = assignments;
        updates
    }

    fn value(&mut self, group: &[Assignment]) -> Value {
        let mark = self.terms.choices;
        let term = match group {
            [assignment] => self.source(assignment.source),
            _ => {
                let values: Vec<Term> = group.iter().map(|assignment| self.source(assignment.source)).collect();
                self.terms.any_of(mark, &values)
            }
        };
        match term {
            Term::Choice(_) => {
                self.terms.choices = mark;
                Value::Any
            }
            _ => Value::Of(self.terms.expr(term)),
        }
    }

    fn source(&mut self, source: Source) -> Term {
        match source {
            Source::Value(value) => self.terms.lower(value, Reading::Before),
            Source::Result(var) => self.terms.add(Expr::Var(var)),
        }
    }

    fn call(&mut self, from: NodeId, to: NodeId, targets: List<Ident>, callee: Ident, args: List<ExprId>) {
        let callee = self.terms.scopes.procedure(callee.name).expect("the program has been checked");
        let enter = self.enter(callee, args);
        let leave = self.leave(callee, targets);
        let kind = EdgeKind::Call { callee: ProcId::from_usize(callee.index()), to };
        self.edge(from, kind, Relation::Call { enter, leave });
    }

    fn enter(&mut self, callee: ast::ProcId, args: List<ExprId>) -> Transition {
        self.terms.choices = 0;
        let mut updates = Vec::with_capacity(args.len());
        let formals = self.terms.scopes.signatures[callee].formals;
        for (target, &arg) in formals.ids().zip(self.ast.expr_list(args)) {
            match self.terms.lower(arg, Reading::Before) {
                // Every local of the callee starts with any value.
                Term::Choice(_) => self.terms.choices -= 1,
                term => updates.push(Update { target, value: Value::Of(self.terms.expr(term)) }),
            }
        }
        let mut enter = Transition { updates, ..Transition::SKIP };
        self.enforce_all(callee, &mut enter);
        Transition { choices: self.terms.choices, ..enter }
    }

    fn leave(&mut self, callee: ast::ProcId, targets: List<Ident>) -> Transition {
        let results = self.terms.scopes.signatures[callee].results;
        for (&target, result) in self.ast.idents(targets).iter().zip(results.ids()) {
            self.assign_to(target, Source::Result(result));
        }
        self.terms.choices = 0;
        let updates = self.take_updates();
        let mut leave = Transition { updates, ..Transition::SKIP };
        // The callee may have changed any global.
        self.enforce_all(self.procedure.id, &mut leave);
        Transition { choices: self.terms.choices, ..leave }
    }

    fn constrain(&mut self, from: NodeId, to: NodeId, constraint: ExprId) {
        let changed = self.primed(constraint);
        self.terms.choices = 0;
        let term = self.terms.lower(constraint, Reading::Before);
        let constraint = self.condition(term);
        let updates = self.any_values(changed);
        self.step(from, to, Transition { updates, constraint, ..Transition::SKIP });
    }

    /// The variables that stand primed in the source, also where folding makes them disappear.
    fn primed(&self, id: ExprId) -> Vec<VarId> {
        let mut primed = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = self.ast.exprs[id].kind;
            stack.extend(kind.children());
            if let ExprKind::Next(name) = kind {
                primed.extend(self.terms.scopes.variable(name));
            }
        }
        primed
    }

    fn dead(&mut self, from: NodeId, to: NodeId, names: List<Ident>) {
        let vars = self.ast.idents(names).iter().filter_map(|ident| self.terms.scopes.variable(ident.name)).collect();
        self.terms.choices = 0;
        let updates = self.any_values(vars);
        self.step(from, to, Transition { updates, ..Transition::SKIP });
    }

    fn any_values(&self, mut vars: Vec<VarId>) -> Vec<Update> {
        vars.sort_unstable();
        vars.dedup();
        vars.into_iter().map(|target| Update { target, value: Value::Any }).collect()
    }
}
