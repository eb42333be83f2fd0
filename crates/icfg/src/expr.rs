//! Boolean expressions over variables, in one arena per program.
//!
//! Nondeterminism inside an expression is an explicit [`Expr::Choice`]: `schoose[p, n]` is `p | (!n & ?0)`.
//!
//! Where each choice of a relation stands in one place (read once), the values an expression can take in a state are
//! computed bottom-up, subexpression by subexpression, without search: see [`Exprs::possible`]. Where one stands in
//! several, that may be more than it can take.

use crate::VarId;
use hardbop_base::{IndexVec, newtype_index};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// After so many visits, what is shared is visited once: expressions over the bits of numbers share much.
const FEW: usize = 64;

newtype_index! {
    /// An expression of a program.
    pub struct ExprId = "x";
    /// A nondeterministic choice, numbered within its relation.
    pub struct ChoiceId = "?";
}

/// One node of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Expr {
    /// A constant.
    Const(bool),
    /// The variable's value before the edge (on the way back from a call: at the callee's exit).
    Var(VarId),
    /// `x'`, its value after the edge; where the edge does not change it, the same as before.
    Next(VarId),
    /// `x''`, on the way back from a call: the caller's local as it was when the call was made.
    Saved(VarId),
    /// An arbitrary value.
    Choice(ChoiceId),
    /// Negation.
    Not(ExprId),
    /// Conjunction.
    And(ExprId, ExprId),
    /// Disjunction.
    Or(ExprId, ExprId),
    /// Exclusive or; inequality.
    Xor(ExprId, ExprId),
    /// Equality.
    Iff(ExprId, ExprId),
    /// Implication.
    Implies(ExprId, ExprId),
    /// If the first then the second else the third.
    Ite(ExprId, ExprId, ExprId),
}

impl Expr {
    /// The direct subexpressions, left to right.
    pub fn children(self) -> impl Iterator<Item = ExprId> {
        let (a, b, c) = match self {
            Self::Const(_) | Self::Var(_) | Self::Next(_) | Self::Saved(_) | Self::Choice(_) => (None, None, None),
            Self::Not(a) => (Some(a), None, None),
            Self::And(a, b) | Self::Or(a, b) | Self::Xor(a, b) | Self::Iff(a, b) | Self::Implies(a, b) => {
                (Some(a), Some(b), None)
            }
            Self::Ite(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    /// The same with other subexpressions, left to right.
    pub fn with_children(self, parts: &[ExprId]) -> Self {
        match self {
            Self::Not(_) => Self::Not(parts[0]),
            Self::And(..) => Self::And(parts[0], parts[1]),
            Self::Or(..) => Self::Or(parts[0], parts[1]),
            Self::Xor(..) => Self::Xor(parts[0], parts[1]),
            Self::Iff(..) => Self::Iff(parts[0], parts[1]),
            Self::Implies(..) => Self::Implies(parts[0], parts[1]),
            Self::Ite(..) => Self::Ite(parts[0], parts[1], parts[2]),
            Self::Const(_) | Self::Var(_) | Self::Next(_) | Self::Saved(_) | Self::Choice(_) => self,
        }
    }
}

/// The values an expression can take: a subset of {false, true}.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Possible {
    /// It can be false.
    pub can_be_false: bool,
    /// It can be true.
    pub can_be_true: bool,
}

impl Possible {
    /// Either value.
    pub const ANY: Self = Self { can_be_false: true, can_be_true: true };

    /// Just `value`.
    pub const fn only(value: bool) -> Self {
        Self { can_be_false: !value, can_be_true: value }
    }

    /// Whether it can be `value`.
    pub const fn contains(self, value: bool) -> bool {
        if value { self.can_be_true } else { self.can_be_false }
    }

    /// The value, where there is only one.
    pub const fn definite(self) -> Option<bool> {
        match (self.can_be_false, self.can_be_true) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// The values of `op(a, b)` over all `a` and `b` in the two sets.
    pub fn combine(self, other: Self, op: impl Fn(bool, bool) -> bool) -> Self {
        let mut result = Self { can_be_false: false, can_be_true: false };
        for a in [false, true].into_iter().filter(|&a| self.contains(a)) {
            for b in [false, true].into_iter().filter(|&b| other.contains(b)) {
                if op(a, b) {
                    result.can_be_true = true;
                } else {
                    result.can_be_false = true;
                }
            }
        }
        result
    }
}

/// All expressions of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Exprs {
    table: IndexVec<ExprId, Expr>,
}

impl Exprs {
    /// Adds an expression.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        self.table.push(expr)
    }

    /// The expression's node.
    #[inline]
    pub fn get(&self, id: ExprId) -> Expr {
        self.table[id]
    }

    /// All expressions, each after its parts.
    pub fn iter(&self) -> impl Iterator<Item = Expr> + '_ {
        self.table.iter().copied()
    }

    /// The number of expressions.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The parts whose conjunction `id` is, left to right.
    pub fn conjuncts(&self, id: ExprId) -> Vec<ExprId> {
        let (mut found, mut waiting) = (Vec::new(), vec![id]);
        while let Some(part) = waiting.pop() {
            match self.get(part) {
                Expr::And(a, b) => waiting.extend([b, a]),
                _ => found.push(part),
            }
        }
        found
    }

    /// Calls `visit` on the leaves below `id`, left to right; on one that is shared perhaps only once. Does not recurse,
    /// so depth does not matter.
    pub fn for_each_leaf(&self, id: ExprId, mut visit: impl FnMut(Expr)) {
        // Most expressions are small; only one that branches needs the stack, only a large one to know what is shared.
        let mut stack = Vec::new();
        let mut next = Some(id);
        let (mut visits, mut seen) = (0, FxHashSet::default());
        while let Some(id) = next {
            visits += 1;
            if visits > FEW && !seen.insert(id) {
                next = stack.pop();
                continue;
            }
            let expr = self.get(id);
            let mut children = expr.children();
            next = children.next();
            if next.is_none() {
                visit(expr);
                next = stack.pop();
            } else {
                let rest = stack.len();
                stack.extend(children);
                stack[rest..].reverse();
            }
        }
    }

    /// The values that `id` can take, where `leaf` gives those of variables and choices.
    ///
    /// Exact where each undetermined leaf stands in one place only; an over-approximation (ternary simulation)
    /// otherwise. So a definite answer is always right.
    pub fn possible(&self, id: ExprId, leaf: &impl Fn(Expr) -> Possible) -> Possible {
        Evaluation { exprs: self, leaf, visits: 0, known: FxHashMap::default() }.of(id)
    }
}

/// An evaluation of one expression.
struct Evaluation<'a, F> {
    exprs: &'a Exprs,
    leaf: &'a F,
    visits: usize,
    /// The values of what has been visited, once there is much of it.
    known: FxHashMap<ExprId, Possible>,
}

impl<F: Fn(Expr) -> Possible> Evaluation<'_, F> {
    fn of(&mut self, id: ExprId) -> Possible {
        self.visits += 1;
        if self.visits > FEW
            && let Some(&known) = self.known.get(&id)
        {
            return known;
        }
        let result = match self.exprs.get(id) {
            Expr::Const(value) => Possible::only(value),
            expr @ (Expr::Var(_) | Expr::Next(_) | Expr::Saved(_) | Expr::Choice(_)) => (self.leaf)(expr),
            Expr::Not(a) => self.of(a).combine(Possible::only(true), |a, _| !a),
            Expr::And(a, b) => self.of(a).combine(self.of(b), |a, b| a & b),
            Expr::Or(a, b) => self.of(a).combine(self.of(b), |a, b| a | b),
            Expr::Xor(a, b) => self.of(a).combine(self.of(b), |a, b| a ^ b),
            Expr::Iff(a, b) => self.of(a).combine(self.of(b), |a, b| a == b),
            Expr::Implies(a, b) => self.of(a).combine(self.of(b), |a, b| !a | b),
            Expr::Ite(a, b, c) => {
                let (test, yes, no) = (self.of(a), self.of(b), self.of(c));
                match test.definite() {
                    Some(true) => yes,
                    Some(false) => no,
                    None => Possible {
                        can_be_false: yes.can_be_false | no.can_be_false,
                        can_be_true: yes.can_be_true | no.can_be_true,
                    },
                }
            }
        };
        if self.visits > FEW {
            self.known.insert(id, result);
        }
        result
    }
}
