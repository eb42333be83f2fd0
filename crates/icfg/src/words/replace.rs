//! Other leaves for the same expression, folded again; and what an expression reads.

use super::{Builder, Moment};
use crate::{Expr, ExprId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of moments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Moments(u8);

impl Moments {
    /// Whether `moment` is one of them.
    pub const fn contains(self, moment: Moment) -> bool {
        self.0 & (1 << moment as u8) != 0
    }

    /// Whether there is none but perhaps [`Moment::Now`].
    pub const fn is_now(self) -> bool {
        self.0 & !(1 << Moment::Now as u8) == 0
    }
}

impl Builder<'_> {
    /// `expr` with other leaves: what `leaf` gives, or the leaf itself. What is found is kept in `known`, which serves
    /// any number of expressions as long as `leaf` stays the same.
    pub fn replace(
        &mut self,
        expr: ExprId,
        known: &mut FxHashMap<ExprId, ExprId>,
        leaf: &mut impl FnMut(&mut Self, Expr) -> Option<ExprId>,
    ) -> ExprId {
        for id in self.below(expr, |id| known.contains_key(&id)) {
            let node = self.exprs.get(id);
            let replaced = match node {
                Expr::Const(_) => id,
                Expr::Var(_) | Expr::Next(_) | Expr::Saved(_) | Expr::Choice(_) => leaf(self, node).unwrap_or(id),
                Expr::Not(a) => self.not(known[&a]),
                Expr::And(a, b) => self.and(known[&a], known[&b]),
                Expr::Or(a, b) => self.or(known[&a], known[&b]),
                Expr::Xor(a, b) => self.xor(known[&a], known[&b]),
                Expr::Iff(a, b) => self.iff(known[&a], known[&b]),
                Expr::Implies(a, b) => self.implies(known[&a], known[&b]),
                Expr::Ite(a, b, c) => self.ite(known[&a], known[&b], known[&c]),
            };
            known.insert(id, replaced);
        }
        known[&expr]
    }

    /// The moments that `expr` reads. What is found is kept in `known`.
    pub fn moments(&self, expr: ExprId, known: &mut FxHashMap<ExprId, Moments>) -> Moments {
        for id in self.below(expr, |id| known.contains_key(&id)) {
            let node = self.exprs.get(id);
            let moments = match node {
                Expr::Var(_) => 1 << Moment::Now as u8,
                Expr::Next(_) => 1 << Moment::Next as u8,
                Expr::Saved(_) => 1 << Moment::Saved as u8,
                _ => node.children().fold(0, |all, child| all | known[&child].0),
            };
            known.insert(id, Moments(moments));
        }
        known[&expr]
    }

    /// The expressions below `expr` and itself, operands first, without what `is_known` and what is below that.
    fn below(&self, expr: ExprId, is_known: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if !is_known(id) && seen.insert(id) {
                stack.extend(self.exprs.get(id).children());
            }
        }
        let mut all: Vec<ExprId> = seen.into_iter().collect();
        // Operands are added to the arena before what they stand in.
        all.sort_unstable();
        all
    }
}
