//! Boolean operations that fold what can be folded.

use super::{Builder, Moment};
use crate::{ChoiceId, Expr, ExprId, VarId};

impl Builder<'_> {
    /// A constant.
    pub fn constant(&mut self, value: bool) -> ExprId {
        self.intern(Expr::Const(value))
    }

    /// The value, where `expr` is a constant.
    pub fn constant_of(&self, expr: ExprId) -> Option<bool> {
        match self.exprs.get(expr) {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A choice.
    pub fn choice(&mut self, choice: ChoiceId) -> ExprId {
        self.intern(Expr::Choice(choice))
    }

    /// One variable.
    pub fn read(&mut self, var: VarId, moment: Moment) -> ExprId {
        self.intern(match moment {
            Moment::Now => Expr::Var(var),
            Moment::Next => Expr::Next(var),
            Moment::Saved => Expr::Saved(var),
        })
    }

    /// Negation.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self.exprs.get(a) {
            Expr::Const(value) => self.constant(!value),
            Expr::Not(inner) => inner,
            Expr::Xor(x, y) => self.intern(Expr::Iff(x, y)),
            Expr::Iff(x, y) => self.intern(Expr::Xor(x, y)),
            _ => self.intern(Expr::Not(a)),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(false), _) | (_, Some(true)) => a,
            (_, Some(false)) | (Some(true), _) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.constant(false),
            _ => self.intern(Expr::And(a, b)),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(true), _) | (_, Some(false)) => a,
            (_, Some(true)) | (Some(false), _) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.constant(true),
            _ => self.intern(Expr::Or(a, b)),
        }
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), _) => self.not(b),
            (_, Some(true)) => self.not(a),
            _ if a == b => self.constant(false),
            _ if self.are_opposite(a, b) => self.constant(true),
            _ => match (self.exprs.get(a), self.exprs.get(b)) {
                (Expr::Not(a), Expr::Not(b)) => self.intern(Expr::Xor(a, b)),
                (Expr::Not(a), _) => self.intern(Expr::Iff(a, b)),
                (_, Expr::Not(b)) => self.intern(Expr::Iff(a, b)),
                _ => self.intern(Expr::Xor(a, b)),
            },
        }
    }

    /// Equality.
    pub fn iff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let differ = self.xor(a, b);
        self.not(differ)
    }

    /// Implication.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(false), _) => self.constant(true),
            (Some(true), _) | (_, Some(true)) => b,
            (_, Some(false)) => self.not(a),
            _ if a == b => self.constant(true),
            _ if self.are_opposite(a, b) => b,
            _ => self.intern(Expr::Implies(a, b)),
        }
    }

    /// If `test` then `yes` else `no`.
    pub fn ite(&mut self, test: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        if let Expr::Not(inner) = self.exprs.get(test) {
            return self.ite(inner, no, yes);
        }
        match (self.constant_of(test), self.constant_of(yes), self.constant_of(no)) {
            (Some(true), ..) => yes,
            (Some(false), ..) => no,
            _ if yes == no => yes,
            (_, Some(true), _) => self.or(test, no),
            (_, _, Some(false)) => self.and(test, yes),
            (_, Some(false), _) => {
                let otherwise = self.not(test);
                self.and(otherwise, no)
            }
            (_, _, Some(true)) => self.implies(test, yes),
            _ if yes == test => self.or(test, no),
            _ if no == test => self.and(test, yes),
            _ if self.are_opposite(yes, test) => {
                let otherwise = self.not(test);
                self.and(otherwise, no)
            }
            _ if self.are_opposite(no, test) => self.implies(test, yes),
            _ if self.are_opposite(yes, no) => self.iff(test, yes),
            _ => self.intern(Expr::Ite(test, yes, no)),
        }
    }

    /// Conjunction of all; true where there is none.
    pub fn all(&mut self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        let unit = self.constant(true);
        self.balance(parts, unit, Self::and)
    }

    /// Disjunction of all; false where there is none.
    pub fn any(&mut self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        let unit = self.constant(false);
        self.balance(parts, unit, Self::or)
    }

    /// As a balanced tree: thousands of parts are a dozen levels.
    fn balance(
        &mut self,
        parts: impl IntoIterator<Item = ExprId>,
        unit: ExprId,
        combine: fn(&mut Self, ExprId, ExprId) -> ExprId,
    ) -> ExprId {
        let mut row: Vec<ExprId> = parts.into_iter().filter(|&part| part != unit).collect();
        while row.len() > 1 {
            row = row.chunks(2).map(|pair| pair.iter().skip(1).fold(pair[0], |a, &b| combine(self, a, b))).collect();
        }
        row.pop().unwrap_or(unit)
    }

    fn are_opposite(&self, a: ExprId, b: ExprId) -> bool {
        match (self.exprs.get(a), self.exprs.get(b)) {
            (Expr::Not(inner), _) if inner == b => true,
            (_, Expr::Not(inner)) if inner == a => true,
            (Expr::Xor(x, y), Expr::Iff(z, w)) | (Expr::Iff(x, y), Expr::Xor(z, w)) => {
                (x, y) == (z, w) || (x, y) == (w, z)
            }
            _ => false,
        }
    }
}
