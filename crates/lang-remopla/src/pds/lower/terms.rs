//! Expressions of the file as expressions over bits.
//!
//! A term has a value only where every part has one; a comparison is false where one of its terms has none.

use super::super::ast::{Ast, BinaryOp, ExprId as AstId, ExprKind, Family, Quantifier};
use super::super::constants::Known;
use super::super::names::NameId;
use super::super::scope::{DeclId, Frames, Meaning, Scopes, Shape};
use super::storage::{Elements, Storage};
use hardbop_icfg::words::{Builder, Moment, Moments, TooLarge, Word};
use hardbop_icfg::{ExprId, ProcId};
use rustc_hash::FxHashMap;

/// How many parts of expressions are looked at, counting each value of a quantifier: so many in any case, and so many
/// for each part that is written. Large files are fine; small ones with large quantifiers are not.
const MAX_WORK: u64 = 10_000_000;
const WORK_PER_PART: u64 = 20;

/// Why an expression cannot be lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overgrown {
    /// A number is too wide, or there are too many expressions.
    Bits(TooLarge),
    /// The quantifiers have too many values.
    Work,
}

impl From<TooLarge> for Overgrown {
    fn from(error: TooLarge) -> Self {
        Self::Bits(error)
    }
}

/// A value, and where it has one.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Truth { value: ExprId, defined: ExprId },
    Number { word: Word, defined: ExprId },
}

/// Which symbols and procedures the variables of an expression belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) frames: Frames,
    /// The procedure of `x` and `x''`.
    pub(super) caller: ProcId,
    /// The procedure of `x'`.
    pub(super) callee: ProcId,
    /// Where the variables of the initial configuration stand, which are the next of no step.
    pub(super) unprimed: Moment,
}

pub(super) struct Terms<'a> {
    pub(super) ast: &'a Ast,
    pub(super) scopes: &'a Scopes,
    pub(super) builder: Builder<'a>,
    pub(super) bindings: Vec<(NameId, u64)>,
    moments: FxHashMap<ExprId, Moments>,
    work: u64,
    limit: u64,
}

/// A variable or an element of one, as it stands in an expression.
pub(super) struct Reference<'s> {
    pub(super) decl: DeclId,
    pub(super) moment: Moment,
    pub(super) elements: &'s Elements,
}

impl<'a> Terms<'a> {
    pub(super) fn new(ast: &'a Ast, scopes: &'a Scopes, builder: Builder<'a>) -> Self {
        let limit = MAX_WORK + WORK_PER_PART * ast.exprs.len() as u64;
        Self { ast, scopes, builder, bindings: Vec::new(), moments: FxHashMap::default(), work: 0, limit }
    }

    pub(super) fn moments(&mut self, expr: ExprId) -> Moments {
        self.builder.moments(expr, &mut self.moments)
    }

    /// Whether `expr` is true.
    pub(super) fn truth(&mut self, storage: &Storage, context: Context, expr: AstId) -> Result<ExprId, Overgrown> {
        let value = self.value(storage, context, expr)?;
        Ok(self.as_truth(value))
    }

    pub(super) fn as_truth(&mut self, value: Value) -> ExprId {
        match value {
            Value::Truth { value, defined } => self.builder.and(value, defined),
            Value::Number { word, .. } => {
                let is_one = self.builder.value_of(&word) == Some(1);
                self.builder.constant(is_one)
            }
        }
    }

    /// As a number: what is true is 1.
    pub(super) fn as_number(&mut self, value: Value) -> (Word, ExprId) {
        match value {
            Value::Truth { value, defined } => (self.builder.bit(value), defined),
            Value::Number { word, defined } => (word, defined),
        }
    }

    pub(super) fn value(&mut self, storage: &Storage, context: Context, expr: AstId) -> Result<Value, Overgrown> {
        self.tick()?;
        let ast = self.ast;
        let truth = match &ast.exprs[expr].kind {
            &ExprKind::Number(value) => return Ok(self.number(value)),
            &ExprKind::Name { name, primes, index } => return self.name(storage, context, name, primes, index),
            &ExprKind::Not(inner) => {
                let inner = self.truth(storage, context, inner)?;
                self.builder.not(inner)
            }
            ExprKind::All(parts) => {
                let parts = self.truths(storage, context, parts)?;
                self.builder.all(parts)
            }
            ExprKind::Any(parts) => {
                let parts = self.truths(storage, context, parts)?;
                self.builder.any(parts)
            }
            &ExprKind::Binary(op, left, right) => match op.family() {
                Family::Arithmetic => return self.arithmetic(storage, context, op, left, right),
                Family::Comparison => self.comparison(storage, context, op, left, right)?,
                Family::Connective => {
                    let left = self.truth(storage, context, left)?;
                    let right = self.truth(storage, context, right)?;
                    match op {
                        BinaryOp::Xor => self.builder.xor(left, right),
                        BinaryOp::Iff => self.builder.iff(left, right),
                        _ => self.builder.implies(left, right),
                    }
                }
            },
            &ExprKind::Quantified { quantifier, variable, low, high, body } => {
                let mut parts = Vec::new();
                for value in self.range(low, high) {
                    self.bindings.push((variable.name, value));
                    let part = self.truth(storage, context, body);
                    self.bindings.pop();
                    parts.push(part?);
                }
                match quantifier {
                    Quantifier::All => self.builder.all(parts),
                    Quantifier::Exists => self.builder.any(parts),
                }
            }
        };
        Ok(Value::Truth { value: truth, defined: self.builder.constant(true) })
    }

    /// The values of a quantifier; none where a bound has no value.
    pub(super) fn range(&self, low: AstId, high: AstId) -> impl Iterator<Item = u64> + use<> {
        let known = Known { ast: self.ast, constants: &self.scopes.constants, bindings: &self.bindings };
        let bounds = known.value(low).ok().zip(known.value(high).ok());
        bounds.into_iter().flat_map(|(low, high)| low..=high)
    }

    /// The variable that is named here; nothing where it is a constant.
    pub(super) fn reference<'s>(
        &self,
        storage: &'s Storage,
        context: Context,
        name: NameId,
        primes: u8,
    ) -> Option<Reference<'s>> {
        let meaning = self.scopes.meaning(self.ast, context.frames, &self.bindings, name, primes);
        let Ok(Meaning::Variable(decl, moment)) = meaning else { return None };
        let proc = if moment == Moment::Next { context.callee } else { context.caller };
        let moment = if moment == Moment::Now { context.unprimed } else { moment };
        Some(Reference { decl, moment, elements: storage.elements(decl, proc) })
    }

    /// The index of an element counted from the first, and where there is one that is not below it.
    pub(super) fn offset(
        &mut self,
        storage: &Storage,
        context: Context,
        decl: DeclId,
        index: AstId,
    ) -> Result<(Word, ExprId), Overgrown> {
        let index = self.value(storage, context, index)?;
        let (index, defined) = self.as_number(index);
        let low = self.builder.number(self.scopes.variables[decl].low);
        let offset = self.builder.sub(&index, &low)?;
        Ok((offset.word, self.builder.and(defined, offset.defined)))
    }

    /// Counts one part of an expression.
    pub(super) fn tick(&mut self) -> Result<(), Overgrown> {
        self.count(1)
    }

    pub(super) fn count(&mut self, parts: u64) -> Result<(), Overgrown> {
        self.work += parts;
        if self.work > self.limit {
            return Err(Overgrown::Work);
        }
        Ok(self.builder.check_size()?)
    }

    fn truths(&mut self, storage: &Storage, context: Context, parts: &[AstId]) -> Result<Vec<ExprId>, Overgrown> {
        parts.iter().map(|&part| self.truth(storage, context, part)).collect()
    }

    fn number(&mut self, value: u64) -> Value {
        Value::Number { word: self.builder.number(value), defined: self.builder.constant(true) }
    }

    #[inline(never)]
    fn name(
        &mut self,
        storage: &Storage,
        context: Context,
        name: NameId,
        primes: u8,
        index: Option<AstId>,
    ) -> Result<Value, Overgrown> {
        match self.scopes.meaning(self.ast, context.frames, &self.bindings, name, primes) {
            Ok(Meaning::Number(value)) => return Ok(self.number(value)),
            Ok(Meaning::Truth(value)) => {
                let defined = self.builder.constant(true);
                return Ok(Value::Truth { value: self.builder.constant(value), defined });
            }
            _ => {}
        }
        let reference = self.reference(storage, context, name, primes).expect("every name has been looked up");
        let (word, defined) = match index {
            None => {
                let word = self.builder.variable(&reference.elements[0], reference.moment);
                (word, self.builder.constant(true))
            }
            Some(index) => {
                let (offset, defined) = self.offset(storage, context, reference.decl, index)?;
                self.element(&reference, &offset, defined)
            }
        };
        Ok(match self.scopes.variables[reference.decl].shape {
            Shape::Bool => Value::Truth { value: self.builder.bit_of(&word, 0), defined },
            Shape::Number { .. } => Value::Number { word, defined },
        })
    }

    fn element(&mut self, reference: &Reference<'_>, offset: &Word, defined: ExprId) -> (Word, ExprId) {
        if let Some(place) = self.builder.value_of(offset) {
            let element = usize::try_from(place).ok().and_then(|place| reference.elements.get(place));
            return match element {
                Some(bits) => (self.builder.variable(bits, reference.moment), defined),
                None => (Word::default(), self.builder.constant(false)),
            };
        }
        let elements = reference.elements.iter();
        let words: Vec<Word> = elements.map(|bits| self.builder.variable(bits, reference.moment)).collect();
        let selected = self.builder.select(&words, offset);
        (selected.word, self.builder.and(defined, selected.defined))
    }

    #[inline(never)]
    fn arithmetic(
        &mut self,
        storage: &Storage,
        context: Context,
        op: BinaryOp,
        left: AstId,
        right: AstId,
    ) -> Result<Value, Overgrown> {
        let left = self.value(storage, context, left)?;
        let right = self.value(storage, context, right)?;
        let ((left, left_defined), (right, right_defined)) = (self.as_number(left), self.as_number(right));
        let mut defined = self.builder.and(left_defined, right_defined);
        let word = match op {
            BinaryOp::Add => self.builder.add(&left, &right)?,
            BinaryOp::Multiply => self.builder.mul(&left, &right)?,
            BinaryOp::ShiftLeft => self.builder.shl(&left, &right)?,
            BinaryOp::ShiftRight => self.builder.shr(&left, &right),
            _ => {
                let partial = match op {
                    BinaryOp::Subtract => self.builder.sub(&left, &right)?,
                    _ => self.builder.div(&left, &right)?,
                };
                defined = self.builder.and(defined, partial.defined);
                partial.word
            }
        };
        Ok(Value::Number { word, defined })
    }

    #[inline(never)]
    fn comparison(
        &mut self,
        storage: &Storage,
        context: Context,
        op: BinaryOp,
        left: AstId,
        right: AstId,
    ) -> Result<ExprId, Overgrown> {
        let left = self.value(storage, context, left)?;
        let right = self.value(storage, context, right)?;
        // Truth values are the numbers 0 and 1, so this is their comparison too.
        let ((left, left_defined), (right, right_defined)) = (self.as_number(left), self.as_number(right));
        let defined = self.builder.and(left_defined, right_defined);
        let holds = match op {
            BinaryOp::Equal => self.builder.equal(&left, &right),
            BinaryOp::NotEqual => {
                let equal = self.builder.equal(&left, &right);
                self.builder.not(equal)
            }
            BinaryOp::Less => self.builder.less(&left, &right),
            BinaryOp::LessEqual => self.builder.less_or_equal(&left, &right),
            BinaryOp::Greater => self.builder.less(&right, &left),
            _ => self.builder.less_or_equal(&right, &left),
        };
        Ok(self.builder.and(defined, holds))
    }
}
