//! Rules of a pushdown system, between the labels of one procedure.
//!
//! A rule says everything: a variable that its condition does not speak of gets any value. `x' == e` becomes an update,
//! `x' == x` none, and what is left of the condition a guard or a constraint.

use super::Lowering;
use super::expr::{Reading, Term};
use crate::rem::ast::{self, BinaryOp, Body, ExprKind, Ident, Primes, Quantity, Rule, StmtId, StmtKind};
use crate::rem::roles::{DatumId, Kin};
use crate::rem::scope::{Reported, Scopes, VariableId};
use crate::rem::types::Sort;
use hardbop_base::{Diagnostic, Idx, Span};
use hardbop_icfg::words::Moment;
use hardbop_icfg::{EdgeKind, ExprId, NodeId, Relation, Scope, Transition, Update};
use rustc_hash::FxHashMap;

/// What the condition of a rule says, taken apart.
#[derive(Default)]
struct Claims {
    /// What is true before.
    guards: Vec<ExprId>,
    /// What is true of before and after.
    constraints: Vec<ExprId>,
    /// The value of a scalar afterwards.
    next: FxHashMap<DatumId, Claim>,
    /// The scalars that the caller finds again as they were.
    saved: FxHashMap<DatumId, Claim>,
}

#[derive(Clone)]
enum Claim {
    Same,
    Term(Term),
}

impl Lowering<'_> {
    /// A node for each symbol of the rules in `body` that is no label.
    pub(super) fn add_symbols(&mut self, body: &Body) {
        let ast = self.ast;
        let rules: Vec<(StmtId, Rule)> = body
            .all()
            .filter_map(|id| match ast.stmts[id].kind {
                StmtKind::Rule(rule) => Some((id, rule)),
                _ => None,
            })
            .collect();
        for &(id, rule) in &rules {
            let node = match self.known_symbol(body, rule.top) {
                Some(node) => node,
                None => {
                    let node = self.graph.node(self.procedure.id, ast.stmts[id].span);
                    self.add_label(rule.top, node);
                    node
                }
            };
            self.nodes[id] = node;
            for &label in ast.idents(ast.stmts[id].labels) {
                self.add_label(label, node);
            }
        }
        for (_, rule) in rules {
            // The first of two symbols is a module.
            let pushed = ast.idents(rule.pushed);
            if let Some(&last) = pushed.last()
                && self.known_symbol(body, last).is_none()
            {
                // No rule is about it: a run that gets there goes no further.
                let node = self.graph.node(self.procedure.id, last.span);
                self.add_label(last, node);
            }
        }
    }

    fn known_symbol(&self, body: &Body, symbol: Ident) -> Option<NodeId> {
        let label = self.procedure.labels.get(&symbol.name).copied();
        label.or_else(|| {
            let first = *self.ast.block(body.block).first()?;
            let is_own = self.scopes.module(symbol.name).map(Scopes::procedure) == Some(self.procedure.id);
            let is_statement = !matches!(self.ast.stmts[first].kind, StmtKind::Rule(_));
            (is_own && is_statement).then(|| self.nodes[first])
        })
    }

    pub(super) fn rule(&mut self, node: NodeId, rule: &Rule, span: Span) -> Result<(), Reported> {
        self.check_state(rule)?;
        match *self.ast.idents(rule.pushed) {
            [] => {
                let globals = self.globals();
                let transition = self.rule_step(rule, &globals)?;
                self.step(node, self.procedure.exit, transition);
            }
            [symbol] => {
                let to = self.label(symbol)?;
                let mut variables = self.globals();
                variables.extend(self.own_variables());
                let transition = self.rule_step(rule, &variables)?;
                self.step(node, to, transition);
            }
            [module, symbol, ..] => return self.rule_call(node, rule, module, symbol, span),
        }
        Ok(())
    }

    fn check_state(&mut self, rule: &Rule) -> Result<(), Reported> {
        for state in [rule.from, rule.to] {
            let first = *self.state.get_or_insert(state);
            if first.name != state.name {
                let (one, other) = (self.ast.text(first), self.ast.text(state));
                let message = format!("the rules have two states, `{one}` and `{other}`");
                let finding = Diagnostic::error("unsupported-rule", message, state.span);
                let finding = finding.related("the first is here", first.span);
                let help = "keep the state in a variable, or write the whole system as a `.pds`";
                return Err(self.scopes.report(finding.help(help)));
            }
        }
        Ok(())
    }

    pub(super) fn globals(&self) -> Vec<VariableId> {
        let variables = self.scopes.variables.iter_enumerated();
        let globals = variables.filter(|(_, variable)| self.is_global(variable.first));
        globals.map(|(id, _)| id).collect()
    }

    fn is_global(&self, datum: DatumId) -> bool {
        let first = self.scopes.data.get(datum).and_then(|datum| datum.bits.first());
        first.is_some_and(|&bit| self.scopes.vars[bit].scope == Scope::Global)
    }

    fn own_variables(&self) -> Vec<VariableId> {
        let signature = &self.scopes.signatures[self.procedure.id];
        let variables = signature.result.iter().chain(&signature.params).chain(&signature.locals);
        variables.copied().collect()
    }

    fn scalars_of(&self, variables: &[VariableId]) -> Vec<DatumId> {
        let rows = variables.iter().flat_map(|&variable| {
            let variable = self.scopes.variables[variable];
            let first = variable.first.index();
            first..first + self.scopes.types.scalars(variable.kind)
        });
        rows.map(DatumId::from_usize).collect()
    }

    /// The transition of a rule that leaves `variables` behind.
    fn rule_step(&mut self, rule: &Rule, variables: &[VariableId]) -> Result<Transition, Reported> {
        let mut claims = self.claims(rule, Reading::Step)?;
        let mut updates = Vec::new();
        for datum in self.scalars_of(variables) {
            match claims.next.remove(&datum) {
                Some(Claim::Same) => {}
                Some(Claim::Term(term)) => self.update(datum, &term, &mut updates),
                None => {
                    self.update_to_any(datum, &mut updates);
                    claims.constraints.push(self.is_member(datum));
                }
            }
        }
        self.updates += updates.len();
        let (guard, constraint) = (self.words.all(claims.guards), self.words.all(claims.constraints));
        Ok(Transition { guard: self.unless_true(guard), updates, constraint: self.unless_true(constraint), choices: 0 })
    }

    fn rule_call(
        &mut self,
        node: NodeId,
        rule: &Rule,
        module: Ident,
        symbol: Ident,
        span: Span,
    ) -> Result<(), Reported> {
        let callee = Scopes::procedure(self.scopes.callee(module)?);
        let to = self.label(symbol)?;
        let mut claims = self.claims(rule, Reading::Call { callee })?;
        let globals = self.globals();
        for datum in self.scalars_of(&globals) {
            if !matches!(claims.next.remove(&datum), Some(Claim::Same)) {
                let name = self.scopes.data[datum].name.clone();
                let message = format!("a rule that calls cannot change a global: `{name}`");
                let finding = Diagnostic::error("unsupported-rule", message, span);
                let help = format!("add `{name}' == {name}` to the condition, and change it in a rule before");
                return Err(self.scopes.report(finding.help(help)));
            }
        }
        let params = self.scopes.signatures[callee].params.clone();
        let mut enter = Transition::SKIP;
        for datum in self.scalars_of(&params) {
            let term = match claims.next.remove(&datum) {
                Some(Claim::Term(term)) => term,
                // A module that calls itself: its parameter gets the value of the same parameter.
                Some(Claim::Same) => self.term(datum, Moment::Now),
                None => continue,
            };
            self.update(datum, &term, &mut enter.updates);
        }
        let is_understood = claims.next.is_empty() && claims.constraints.is_empty();
        if !is_understood {
            let message = "a rule that calls can only give values to parameters and keep what is saved";
            let finding = Diagnostic::error("unsupported-rule", message, span);
            let help = "say `x' == e` of a parameter, `x' == x` of a global, `x'' == x` of a local";
            return Err(self.scopes.report(finding.help(help)));
        }
        let guard = self.words.all(claims.guards);
        enter.guard = self.unless_true(guard);
        enter.constraint = self.start_values(callee);
        let leave = self.open_locals(&claims.saved);
        self.edge(node, EdgeKind::Call { callee, to }, Relation::Call { enter, leave });
        Ok(())
    }

    /// The way back from a call that saves only what is in `saved`.
    fn open_locals(&mut self, saved: &FxHashMap<DatumId, Claim>) -> Transition {
        let mut updates: Vec<Update> = Vec::new();
        let mut constraints = Vec::new();
        for datum in self.scalars_of(&self.own_variables()) {
            if !saved.contains_key(&datum) {
                self.update_to_any(datum, &mut updates);
                constraints.push(self.is_member(datum));
            }
        }
        let constraint = self.words.all(constraints);
        Transition { guard: None, updates, constraint: self.unless_true(constraint), choices: 0 }
    }

    fn claims(&mut self, rule: &Rule, reading: Reading) -> Result<Claims, Reported> {
        let mut claims = Claims::default();
        self.reading = reading;
        let result = rule.condition.map_or(Ok(()), |condition| self.claim(condition, &mut claims));
        self.reading = Reading::Statement;
        result.map(|()| claims)
    }

    fn claim(&mut self, id: ast::ExprId, claims: &mut Claims) -> Result<(), Reported> {
        match self.ast.exprs[id].kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let left = self.claim(left, claims);
                left.and(self.claim(right, claims))
            }
            ExprKind::Quantified { quantity: Quantity::All, var, low, high, body } => {
                self.for_each_value(var, low, high, &mut |lowering| lowering.claim(body, claims))
            }
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::Equiv, left, right)
                if self.claim_value(left, right, claims)? || self.claim_value(right, left, claims)? =>
            {
                Ok(())
            }
            _ => {
                let condition = self.condition(id)?;
                match self.has_primes(id) {
                    true => claims.constraints.push(condition),
                    false => claims.guards.push(condition),
                }
                Ok(())
            }
        }
    }

    /// Whether `left == right` says what one scalar is afterwards; then that is noted.
    fn claim_value(&mut self, left: ast::ExprId, right: ast::ExprId, claims: &mut Claims) -> Result<bool, Reported> {
        let is_place =
            matches!(self.ast.exprs[left].kind, ExprKind::Name(..) | ExprKind::Index(..) | ExprKind::Member(..));
        if !is_place || !self.root_has_primes(left) || self.has_primes(right) {
            return Ok(false);
        }
        let place = self.place(left)?;
        let is_scalar = matches!(self.scopes.types.sort(place.kind), Sort::Bool | Sort::Number);
        let (datum, moment) = (place.first, place.moment);
        let is_claimed = match moment {
            Moment::Saved => claims.saved.contains_key(&datum),
            _ => claims.next.contains_key(&datum),
        };
        if place.is_open() || !is_scalar || is_claimed {
            return Ok(false);
        }
        let value = self.expr(right)?;
        if value.term.sort() != self.scopes.types.sort(place.kind) {
            return Ok(false);
        }
        let is_same = self.is_value_of(&value.term, datum);
        if moment == Moment::Saved && !is_same {
            return Ok(false);
        }
        self.scopes.roles.unite(value.kin, Some(Kin::of(datum)));
        let fits = self.fits(datum, &value.term);
        claims.guards.extend([place.defined, value.defined, fits]);
        let claim = if is_same { Claim::Same } else { Claim::Term(value.term) };
        match moment {
            Moment::Saved => claims.saved.insert(datum, claim),
            _ => claims.next.insert(datum, claim),
        };
        Ok(true)
    }

    /// Whether `term` is just the value of `datum` before.
    fn is_value_of(&mut self, term: &Term, datum: DatumId) -> bool {
        match (term, self.term(datum, Moment::Now)) {
            (Term::Bool(one), Term::Bool(other)) => *one == other,
            (Term::Number(one), Term::Number(other)) => *one == other,
            _ => false,
        }
    }

    fn root_has_primes(&self, mut id: ast::ExprId) -> bool {
        loop {
            match self.ast.exprs[id].kind {
                ExprKind::Index(base, _) | ExprKind::Member(base, _) => id = base,
                ExprKind::Name(_, primes) => return primes != Primes::None,
                _ => return false,
            }
        }
    }

    fn has_primes(&self, id: ast::ExprId) -> bool {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match self.ast.exprs[id].kind {
                ExprKind::Name(_, Primes::One | Primes::Two) => return true,
                ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Name(..) => {}
                ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => stack.extend([a, b]),
                ExprKind::Member(a, _) | ExprKind::Not(a) => stack.push(a),
                ExprKind::Quantified { body, .. } => stack.push(body),
            }
        }
        false
    }
}
