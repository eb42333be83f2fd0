//! Expressions: terms over the bits of variables, each with the condition under which it has a value.
//!
//! As in C, `a && b` needs `b` only where `a` is true, `a || b` only where it is false; quantifiers are chains of
//! these. Every other operation needs all its operands.

use super::Lowering;
use super::place::Place;
use crate::rem::ast::{self, BinaryOp, ExprKind, Ident, Primes, Quantity};
use crate::rem::names::Symbol;
use crate::rem::roles::Kin;
use crate::rem::scope::{Meaning, Reported};
use crate::rem::types::{MAX_WIDTH, Sort};
use hardbop_base::{Diagnostic, Span};
use hardbop_icfg::words::{Moment, TooLarge, Word};
use hardbop_icfg::{ExprId, ProcId};

/// How often the bodies of all quantifiers together can be repeated.
const MAX_INSTANCES: u64 = 1 << 18;

/// A boolean or a number.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Bool(ExprId),
    Number(Word),
}

impl Term {
    pub(super) fn sort(&self) -> Sort {
        match self {
            Self::Bool(_) => Sort::Bool,
            Self::Number(_) => Sort::Number,
        }
    }
}

/// A term that has a value only in some states.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) term: Term,
    pub(super) defined: ExprId,
    /// Whose kin it is; nobody's where it is a constant.
    pub(super) kin: Option<Kin>,
}

/// Whose variables names mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// Those of the module that the statement stands in, before it.
    Statement,
    /// With `x'` also those after a rule.
    Step,
    /// With `x'` those of the module that a rule calls, with `x''` those that it saves.
    Call { callee: ProcId },
}

/// A value that a quantifier gives to a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    name: Symbol,
    value: u64,
}

impl Lowering<'_> {
    /// The condition `id`: whether it is true, and has a value.
    pub(super) fn condition(&mut self, id: ast::ExprId) -> Result<ExprId, Reported> {
        // A conjunction has a value and is true just where both its parts do and are.
        if let ExprKind::Binary(BinaryOp::And, left, right) = self.ast.exprs[id].kind {
            let (left, right) = (self.condition(left), self.condition(right));
            return Ok(self.words.and(left?, right?));
        }
        let value = self.expr(id)?;
        let test = self.boolean(&value, id)?;
        Ok(self.words.and(value.defined, test))
    }

    pub(super) fn expr(&mut self, id: ast::ExprId) -> Result<Value, Reported> {
        let expr = self.ast.exprs[id];
        match expr.kind {
            ExprKind::Bool(value) => {
                let term = Term::Bool(self.words.constant(value));
                Ok(self.total(term, None))
            }
            ExprKind::Number(value) => Ok(self.number(value)),
            ExprKind::Name(name, _) if self.bound(name).is_some() => {
                let value = self.bound(name).unwrap_or_default();
                Ok(self.number(value))
            }
            ExprKind::Name(name, primes) => self.name(id, Ident { name, span: expr.span }, primes),
            ExprKind::Index(..) | ExprKind::Member(..) => {
                let place = self.place(id)?;
                self.scalar(&place, expr.span)
            }
            ExprKind::Not(operand) => {
                let value = self.expr(operand)?;
                let test = self.boolean(&value, operand)?;
                Ok(Value { term: Term::Bool(self.words.not(test)), ..value })
            }
            ExprKind::Binary(op, left, right) => {
                let left_value = self.expr(left);
                let right_value = self.expr(right);
                self.binary(op, (left, left_value?), (right, right_value?), expr.span)
            }
            ExprKind::Quantified { quantity, var, low, high, body } => self.quantified(quantity, var, low, high, body),
        }
    }

    /// A term that always has a value.
    pub(super) fn total(&mut self, term: Term, kin: Option<Kin>) -> Value {
        Value { term, defined: self.words.constant(true), kin }
    }

    pub(super) fn number(&mut self, value: u64) -> Value {
        let term = Term::Number(self.words.number(value));
        self.total(term, None)
    }

    /// The value that a quantifier gives to `name`.
    pub(super) fn bound(&self, name: Symbol) -> Option<u64> {
        self.bound.iter().rev().find(|bound| bound.name == name).map(|bound| bound.value)
    }

    /// What `name` means here.
    pub(super) fn meaning(&mut self, name: Ident, primes: Primes) -> Result<(Meaning, Moment), Reported> {
        let (proc, moment) = match (primes, self.reading) {
            (Primes::None, _) => (self.procedure.id, Moment::Now),
            (Primes::One, Reading::Step) => (self.procedure.id, Moment::Next),
            (Primes::One, Reading::Call { callee }) => (callee, Moment::Next),
            (Primes::Two, Reading::Call { .. }) => (self.procedure.id, Moment::Saved),
            (Primes::Two, Reading::Step) => {
                let message = "only a rule that calls saves something";
                let finding = Diagnostic::error("primed-variable", message, name.span);
                return Err(self.scopes.report(finding));
            }
            (_, Reading::Statement) => {
                let message = "the value afterwards can only stand in the condition of a rule";
                let finding = Diagnostic::error("primed-variable", message, name.span);
                return Err(self.scopes.report(finding.help("an assignment reads old values: `x = x + 1`")));
            }
        };
        match self.scopes.meaning(proc, name.name) {
            Some(meaning) => Ok((meaning, moment)),
            None if !self.unknown.insert((proc, name.name)) => Err(Reported),
            None => {
                let mut finding = self.scopes.undeclared(proc, name);
                let is_quantified = self
                    .ast
                    .exprs
                    .iter()
                    .any(|expr| matches!(expr.kind, ExprKind::Quantified { var, .. } if var.name == name.name));
                if is_quantified {
                    finding = finding.help("a quantifier reaches to the next `&&` or `||`: write parentheses");
                }
                Err(self.scopes.report(finding))
            }
        }
    }

    fn name(&mut self, id: ast::ExprId, name: Ident, primes: Primes) -> Result<Value, Reported> {
        match self.meaning(name, primes)?.0 {
            Meaning::Constant(value) => Ok(self.number(value)),
            Meaning::Variable(_) => {
                let place = self.place(id)?;
                self.scalar(&place, name.span)
            }
        }
    }

    /// What is in `place`, which must be a boolean or a number.
    fn scalar(&mut self, place: &Place, span: Span) -> Result<Value, Reported> {
        match self.scopes.types.sort(place.kind) {
            Sort::Bool | Sort::Number => Ok(self.read(place, 0)),
            Sort::Array => {
                let finding = Diagnostic::error("type-mismatch", "this is an array", span);
                Err(self.scopes.report(finding.help("say which element: `a[i]`")))
            }
            Sort::Struct => {
                let finding = Diagnostic::error("type-mismatch", "this is a structure", span);
                Err(self.scopes.report(finding.help("say which member: `s.x`")))
            }
        }
    }

    pub(super) fn boolean(&mut self, value: &Value, id: ast::ExprId) -> Result<ExprId, Reported> {
        match value.term {
            Term::Bool(bit) => Ok(bit),
            Term::Number(_) => Err(self.wrong_sort(Sort::Bool, Sort::Number, id)),
        }
    }

    pub(super) fn natural(&mut self, value: &Value, id: ast::ExprId) -> Result<Word, Reported> {
        match &value.term {
            Term::Number(word) => Ok(word.clone()),
            Term::Bool(_) => Err(self.wrong_sort(Sort::Number, Sort::Bool, id)),
        }
    }

    fn wrong_sort(&mut self, wanted: Sort, found: Sort, id: ast::ExprId) -> Reported {
        let message = format!("{} is needed here, and this is {}", wanted.text(), found.text());
        let finding = Diagnostic::error("type-mismatch", message, self.ast.exprs[id].span);
        self.scopes.report(match (wanted, self.ast.exprs[id].kind) {
            (Sort::Bool, ExprKind::Number(0)) => finding.help("write `false`"),
            (Sort::Bool, ExprKind::Number(_)) => finding.help("write `true`"),
            (Sort::Number, ExprKind::Binary(op, ..)) if op.precedence() == BinaryOp::Equal.precedence() => {
                finding.help("`==` binds tighter than `&`, `^` and `|`: write parentheses")
            }
            _ => finding,
        })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (left_id, left): (ast::ExprId, Value),
        (right_id, right): (ast::ExprId, Value),
        span: Span,
    ) -> Result<Value, Reported> {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let (a, b) = (self.boolean(&left, left_id)?, self.boolean(&right, right_id)?);
                Ok(self.connect(op, (a, left.defined), (b, right.defined)))
            }
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Equiv | BinaryOp::Xor => {
                let equal = self.equal(op, (left_id, &left), (right_id, &right))?;
                let is_negated = matches!(op, BinaryOp::NotEqual | BinaryOp::Xor);
                let test = if is_negated { self.words.not(equal) } else { equal };
                self.scopes.roles.unite(left.kin, right.kin);
                Ok(Value { term: Term::Bool(test), defined: self.words.and(left.defined, right.defined), kin: None })
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor if left.term.sort() == Sort::Bool => {
                let (a, b) = (self.boolean(&left, left_id)?, self.boolean(&right, right_id)?);
                let bit = match op {
                    BinaryOp::BitAnd => self.words.and(a, b),
                    BinaryOp::BitOr => self.words.or(a, b),
                    _ => self.words.xor(a, b),
                };
                Ok(Value { term: Term::Bool(bit), defined: self.words.and(left.defined, right.defined), kin: None })
            }
            _ => {
                let (a, b) = (self.natural(&left, left_id)?, self.natural(&right, right_id)?);
                let defined = self.words.and(left.defined, right.defined);
                let kin = self.scopes.roles.unite(left.kin, right.kin);
                let result = self.arithmetic(op, &a, &b, Value { term: left.term, defined, kin });
                result.map_err(|cause| self.too_large(cause, span))
            }
        }
    }

    /// `a && b` or `a || b`, each with where it has a value.
    fn connect(&mut self, op: BinaryOp, (a, a_defined): (ExprId, ExprId), (b, b_defined): (ExprId, ExprId)) -> Value {
        let (test, decided) = match op {
            BinaryOp::And => (self.words.and(a, b), self.words.not(a)),
            _ => (self.words.or(a, b), a),
        };
        let needed = self.words.or(decided, b_defined);
        Value { term: Term::Bool(test), defined: self.words.and(a_defined, needed), kin: None }
    }

    fn equal(
        &mut self,
        op: BinaryOp,
        (left_id, left): (ast::ExprId, &Value),
        (right_id, right): (ast::ExprId, &Value),
    ) -> Result<ExprId, Reported> {
        let is_boolean = matches!(op, BinaryOp::Equiv | BinaryOp::Xor) || left.term.sort() == Sort::Bool;
        if is_boolean {
            let (a, b) = (self.boolean(left, left_id)?, self.boolean(right, right_id)?);
            return Ok(self.words.iff(a, b));
        }
        let (a, b) = (self.natural(left, left_id)?, self.natural(right, right_id)?);
        Ok(self.words.equal(&a, &b))
    }

    /// `a op b`, where `both` says where both have a value and whose kin they are.
    fn arithmetic(&mut self, op: BinaryOp, a: &Word, b: &Word, both: Value) -> Result<Value, TooLarge> {
        let words = &mut self.words;
        let comparison = match op {
            BinaryOp::Less => Some(words.less(a, b)),
            BinaryOp::LessEqual => Some(words.less_or_equal(a, b)),
            BinaryOp::Greater => Some(words.less(b, a)),
            BinaryOp::GreaterEqual => Some(words.less_or_equal(b, a)),
            _ => None,
        };
        if let Some(test) = comparison {
            return Ok(Value { term: Term::Bool(test), kin: None, ..both });
        }
        let always = words.constant(true);
        let (word, defined) = match op {
            BinaryOp::Add => (words.add(a, b)?, always),
            BinaryOp::Subtract => {
                let difference = words.sub(a, b)?;
                (difference.word, difference.defined)
            }
            BinaryOp::Multiply => (words.mul(a, b)?, always),
            BinaryOp::Divide => {
                let quotient = words.div(a, b)?;
                (quotient.word, quotient.defined)
            }
            BinaryOp::ShiftLeft => {
                // So far no number is shifted and still fits anywhere.
                let limit = words.number(MAX_WIDTH);
                let defined = words.less(b, &limit);
                let distance = words.cut(b, MAX_WIDTH.ilog2() as usize);
                (words.shl(a, &distance)?, defined)
            }
            BinaryOp::ShiftRight => (words.shr(a, b), always),
            BinaryOp::BitAnd => (words.and_word(a, b), always),
            BinaryOp::BitOr => (words.or_word(a, b), always),
            _ => (words.xor_word(a, b), always),
        };
        let kin = match op {
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => both.kin,
            _ => self.scopes.roles.unite(Some(Kin::counter()), both.kin),
        };
        Ok(Value { term: Term::Number(word), defined: self.words.and(both.defined, defined), kin })
    }

    pub(super) fn too_large(&mut self, cause: TooLarge, span: Span) -> Reported {
        let message = match cause {
            TooLarge::Word => "this number can have thousands of bits",
            TooLarge::Product => "these numbers have too many bits to be multiplied or divided",
            TooLarge::Arena => "this program is too large",
        };
        self.scopes
            .report(Diagnostic::error("too-large", message, span).help("make arrays shorter or numbers narrower"))
    }

    fn quantified(
        &mut self,
        quantity: Quantity,
        var: Ident,
        low: ast::ExprId,
        high: ast::ExprId,
        body: ast::ExprId,
    ) -> Result<Value, Reported> {
        let mut parts: Vec<(ExprId, ExprId)> = Vec::new();
        self.for_each_value(var, low, high, &mut |lowering| {
            let value = lowering.expr(body)?;
            let test = lowering.boolean(&value, body)?;
            parts.push((test, value.defined));
            Ok(())
        })?;
        let op = match quantity {
            Quantity::All => BinaryOp::And,
            Quantity::Some => BinaryOp::Or,
        };
        let tests: Vec<ExprId> = parts.iter().map(|&(test, _)| test).collect();
        // In halves, so that a long list makes no tall tree.
        let test = match quantity {
            Quantity::All => self.words.all(tests),
            Quantity::Some => self.words.any(tests),
        };
        let end = self.words.constant(true);
        let defined = parts.iter().rev().fold(end, |rest, &part| self.connect(op, part, (part.0, rest)).defined);
        Ok(Value { term: Term::Bool(test), defined, kin: None })
    }

    /// Does `act` with `var` bound to each value from `low` to `high`.
    pub(super) fn for_each_value(
        &mut self,
        var: Ident,
        low: ast::ExprId,
        high: ast::ExprId,
        act: &mut dyn FnMut(&mut Self) -> Result<(), Reported>,
    ) -> Result<(), Reported> {
        let (first, last) = (self.limit(low)?, self.limit(high)?);
        for value in first..=last {
            self.instances += 1;
            if self.instances > MAX_INSTANCES {
                let message = format!("all quantifiers together have more than {MAX_INSTANCES} instances");
                return Err(self.scopes.report(Diagnostic::error("too-large", message, var.span)));
            }
            self.words.check_size().map_err(|cause| self.too_large(cause, var.span))?;
            self.bound.push(Bound { name: var.name, value });
            let result = act(self);
            self.bound.pop();
            result?;
        }
        Ok(())
    }

    /// A limit of a quantifier: a constant, in which outer quantifiers' names may stand.
    fn limit(&mut self, id: ast::ExprId) -> Result<u64, Reported> {
        let value = self.expr(id)?;
        let word = self.natural(&value, id)?;
        match (self.words.value_of(&word), self.words.constant_of(value.defined)) {
            (Some(value), Some(true)) => Ok(value),
            _ => {
                let finding = Diagnostic::error("not-constant", "a constant is needed here", self.ast.exprs[id].span);
                Err(self.scopes.report(finding))
            }
        }
    }
}
