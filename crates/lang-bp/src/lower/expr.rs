//! Expressions of one transition, with constants folded.
//!
//! **Invariant:** the choices in use are those below `choices`, and each stands in one place: whatever is folded away
//! gives its choices back. They are always the youngest, since operands are lowered from left to right.

use crate::ast::{self, Ast, BinaryOp, ExprKind};
use crate::scope::Scopes;
use hardbop_base::Idx;
use hardbop_icfg::{ChoiceId, Expr, ExprId, Exprs};

/// A lowered expression. Constants and single choices stay out of the arena until something is made of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Const(bool),
    Choice(ChoiceId),
    Expr(ExprId),
}

/// Which state a plain `x` is read in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Before,
    After,
}

/// Lowers the expressions of one transition.
pub(super) struct Terms<'a> {
    pub(super) ast: &'a Ast,
    pub(super) scopes: Scopes<'a>,
    pub(super) exprs: Exprs,
    pub(super) choices: u32,
}

impl Terms<'_> {
    pub(super) fn lower(&mut self, id: ast::ExprId, reading: Reading) -> Term {
        let mark = self.choices;
        match self.ast.exprs[id].kind {
            ExprKind::Const(value) => Term::Const(value),
            ExprKind::Var(name) => self.variable(name, reading),
            ExprKind::Next(name) => self.variable(name, Reading::After),
            ExprKind::Any => self.choice(),
            ExprKind::Not(operand) => {
                let operand = self.lower(operand, reading);
                self.not(operand)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.lower(left, reading);
                let right = self.lower(right, reading);
                self.binary(mark, op, left, right)
            }
            ExprKind::Ite(test, yes, no) => match self.lower(test, reading) {
                Term::Const(true) => self.lower(yes, reading),
                Term::Const(false) => self.lower(no, reading),
                test => {
                    let yes = self.lower(yes, reading);
                    let no = self.lower(no, reading);
                    self.ite(mark, test, yes, no)
                }
            },
            ExprKind::Schoose(positive, negative) => {
                let positive = self.lower(positive, reading);
                let negative = self.lower(negative, reading);
                self.schoose(mark, positive, negative)
            }
        }
    }

    fn variable(&mut self, name: crate::Symbol, reading: Reading) -> Term {
        let var = self.scopes.variable(name).expect("the program has been checked");
        self.add(match reading {
            Reading::Before => Expr::Var(var),
            Reading::After => Expr::Next(var),
        })
    }

    pub(super) fn add(&mut self, expr: Expr) -> Term {
        Term::Expr(self.exprs.add(expr))
    }

    fn choice(&mut self) -> Term {
        let choice = ChoiceId::from_usize(self.choices as usize);
        self.choices += 1;
        Term::Choice(choice)
    }

    /// The expression of `term`.
    pub(super) fn expr(&mut self, term: Term) -> ExprId {
        match term {
            Term::Const(value) => self.exprs.add(Expr::Const(value)),
            Term::Choice(choice) => self.exprs.add(Expr::Choice(choice)),
            Term::Expr(id) => id,
        }
    }

    pub(super) fn not(&mut self, term: Term) -> Term {
        match term {
            Term::Const(value) => Term::Const(!value),
            // A choice that stands nowhere else is as arbitrary as its negation.
            Term::Choice(choice) => Term::Choice(choice),
            Term::Expr(id) => match self.exprs.get(id) {
                Expr::Not(operand) => Term::Expr(operand),
                _ => self.add(Expr::Not(id)),
            },
        }
    }

    /// `left op right`, whose choices are those from `mark` on.
    fn binary(&mut self, mark: u32, op: BinaryOp, left: Term, right: Term) -> Term {
        match op {
            BinaryOp::And => self.and(mark, left, right),
            BinaryOp::Or => self.or(mark, left, right),
            BinaryOp::Implies => match (left, right) {
                (Term::Const(false), _) | (_, Term::Const(true)) => self.constant(mark, true),
                (Term::Const(true), other) => other,
                (other, Term::Const(false)) => self.not(other),
                _ => self.join(Expr::Implies, left, right),
            },
            BinaryOp::Xor | BinaryOp::NotEqual => match (left, right) {
                (Term::Const(false), other) | (other, Term::Const(false)) => other,
                (Term::Const(true), other) | (other, Term::Const(true)) => self.not(other),
                _ => self.join(Expr::Xor, left, right),
            },
            BinaryOp::Equiv | BinaryOp::Equal => match (left, right) {
                (Term::Const(true), other) | (other, Term::Const(true)) => other,
                (Term::Const(false), other) | (other, Term::Const(false)) => self.not(other),
                _ => self.join(Expr::Iff, left, right),
            },
        }
    }

    fn join(&mut self, op: fn(ExprId, ExprId) -> Expr, left: Term, right: Term) -> Term {
        let left = self.expr(left);
        let right = self.expr(right);
        self.add(op(left, right))
    }

    fn and(&mut self, mark: u32, left: Term, right: Term) -> Term {
        match (left, right) {
            (Term::Const(false), _) | (_, Term::Const(false)) => self.constant(mark, false),
            (Term::Const(true), other) | (other, Term::Const(true)) => other,
            _ => self.join(Expr::And, left, right),
        }
    }

    fn or(&mut self, mark: u32, left: Term, right: Term) -> Term {
        match (left, right) {
            (Term::Const(true), _) | (_, Term::Const(true)) => self.constant(mark, true),
            (Term::Const(false), other) | (other, Term::Const(false)) => other,
            _ => self.join(Expr::Or, left, right),
        }
    }

    fn ite(&mut self, mark: u32, test: Term, yes: Term, no: Term) -> Term {
        match (yes, no) {
            (Term::Const(true), Term::Const(false)) => test,
            (Term::Const(false), Term::Const(true)) => self.not(test),
            (Term::Const(yes), Term::Const(_)) => self.constant(mark, yes),
            _ => {
                let (test, yes, no) = (self.expr(test), self.expr(yes), self.expr(no));
                self.add(Expr::Ite(test, yes, no))
            }
        }
    }

    /// `p | (!n & ?)`
    fn schoose(&mut self, mark: u32, positive: Term, negative: Term) -> Term {
        let open = self.not(negative);
        let choice = self.choice();
        let chosen = self.and(self.choices - 1, open, choice);
        self.or(mark, positive, chosen)
    }

    /// One of the values, whose choices are those from `mark` on.
    pub(super) fn any_of(&mut self, mark: u32, values: &[Term]) -> Term {
        let has = |value| values.contains(&Term::Const(value));
        let is_open = values.iter().any(|term| matches!(term, Term::Choice(_)));
        if is_open || has(false) && has(true) {
            self.choices = mark;
            return self.choice();
        }
        match values {
            [value] => *value,
            // In halves, so that a long list makes no tall tree.
            _ => {
                let (first, second) = values.split_at(values.len() / 2);
                let first = self.any_of(mark, first);
                let second = self.any_of(mark, second);
                match (first, second) {
                    (Term::Const(_), Term::Const(_)) => first,
                    _ => {
                        let test = self.choice();
                        self.ite(mark, test, first, second)
                    }
                }
            }
        }
    }

    /// All of `conjuncts`, which is not empty.
    pub(super) fn all_of(&mut self, conjuncts: &[ExprId]) -> ExprId {
        match conjuncts {
            [conjunct] => *conjunct,
            _ => {
                let (first, second) = conjuncts.split_at(conjuncts.len() / 2);
                let first = self.all_of(first);
                let second = self.all_of(second);
                self.exprs.add(Expr::And(first, second))
            }
        }
    }

    fn constant(&mut self, mark: u32, value: bool) -> Term {
        self.choices = mark;
        Term::Const(value)
    }

    /// A copy of `id`, in which the choices are counted from the next one on.
    ///
    /// # Requires
    /// The choices of `id` are those below `count`.
    pub(super) fn copy(&mut self, id: ExprId, count: u32) -> ExprId {
        let first = self.choices as usize;
        self.choices += count;
        self.copy_from(id, first)
    }

    fn copy_from(&mut self, id: ExprId, first: usize) -> ExprId {
        let copy = match self.exprs.get(id) {
            leaf @ (Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Saved(_)) => leaf,
            Expr::Choice(choice) => Expr::Choice(ChoiceId::from_usize(first + choice.index())),
            Expr::Not(a) => Expr::Not(self.copy_from(a, first)),
            Expr::And(a, b) => Expr::And(self.copy_from(a, first), self.copy_from(b, first)),
            Expr::Or(a, b) => Expr::Or(self.copy_from(a, first), self.copy_from(b, first)),
            Expr::Xor(a, b) => Expr::Xor(self.copy_from(a, first), self.copy_from(b, first)),
            Expr::Iff(a, b) => Expr::Iff(self.copy_from(a, first), self.copy_from(b, first)),
            Expr::Implies(a, b) => Expr::Implies(self.copy_from(a, first), self.copy_from(b, first)),
            Expr::Ite(a, b, c) => {
                Expr::Ite(self.copy_from(a, first), self.copy_from(b, first), self.copy_from(c, first))
            }
        };
        self.exprs.add(copy)
    }
}
