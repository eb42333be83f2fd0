//! `enforce` and `abortif`: what is true at a procedure's entry and after each of its statements.
//!
//! A statement that changes no variable of an invariant cannot break it, so only the others check it; except where the
//! invariant contains a `*`, which is chosen anew each time.

use super::Lowering;
use super::expr::{Reading, Term};
use crate::ast::{self, InvariantKind};
use hardbop_base::IndexVec;
use hardbop_icfg::{Expr, ExprId, Transition, VarId};

/// An invariant over the state after a transition.
#[derive(Debug)]
pub(super) struct Invariant {
    expr: ExprId,
    /// How many choices stand in it, counted from 0.
    choices: u32,
    /// Its variables, sorted.
    vars: Vec<VarId>,
}

impl Invariant {
    fn may_be_broken_by(&self, transition: &Transition) -> bool {
        self.choices > 0 || transition.updates.iter().any(|update| self.vars.binary_search(&update.target).is_ok())
    }
}

impl Lowering<'_> {
    pub(super) fn all_invariants(&mut self) -> IndexVec<ast::ProcId, Vec<Invariant>> {
        let ast = self.ast;
        let mut all = IndexVec::new();
        for (id, proc) in ast.procs.iter_enumerated() {
            if !proc.invariants.is_empty() {
                self.terms.scopes.enter(id, &mut |_| ());
            }
            let invariants = ast.invariants(proc.invariants).iter();
            all.push(invariants.filter_map(|invariant| self.invariant(invariant)).collect());
        }
        all
    }

    /// `None` where it is always true.
    fn invariant(&mut self, invariant: &ast::Invariant) -> Option<Invariant> {
        self.terms.choices = 0;
        let mut term = self.terms.lower(invariant.expr, Reading::After);
        if invariant.kind == InvariantKind::AbortIf {
            term = self.terms.not(term);
        }
        if matches!(term, Term::Const(true) | Term::Choice(_)) {
            return None;
        }
        let expr = self.terms.expr(term);
        let mut vars = Vec::new();
        self.terms.exprs.for_each_leaf(expr, |leaf| {
            if let Expr::Next(var) = leaf {
                vars.push(var);
            }
        });
        vars.sort_unstable();
        vars.dedup();
        Some(Invariant { expr, choices: self.terms.choices, vars })
    }

    /// Adds the invariants of `proc` to the constraint.
    pub(super) fn enforce_all(&mut self, proc: ast::ProcId, transition: &mut Transition) {
        self.enforce(proc, transition, |_, _| true);
    }

    /// Adds those that the transition may break.
    pub(super) fn enforce_changed(&mut self, proc: ast::ProcId, transition: &mut Transition) {
        self.enforce(proc, transition, Invariant::may_be_broken_by);
    }

    fn enforce(
        &mut self,
        proc: ast::ProcId,
        transition: &mut Transition,
        concerns: impl Fn(&Invariant, &Transition) -> bool,
    ) {
        if self.invariants[proc].is_empty() {
            return;
        }
        let mut conjuncts: Vec<ExprId> = transition.constraint.into_iter().collect();
        for invariant in self.invariants[proc].iter().filter(|invariant| concerns(invariant, transition)) {
            conjuncts.push(match invariant.choices {
                0 => invariant.expr,
                choices => self.terms.copy(invariant.expr, choices),
            });
        }
        if !conjuncts.is_empty() {
            transition.constraint = Some(self.terms.all_of(&conjuncts));
        }
    }
}
