//! Expressions whose value is known while the file is read.

use super::ast::{Ast, BinaryOp, ExprId, ExprKind};
use super::names::NameId;
use rustc_hash::FxHashMap;

/// What the names in a constant expression stand for.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) ast: &'a Ast,
    pub(super) constants: &'a FxHashMap<NameId, u64>,
    /// What quantifiers bind, the innermost last.
    pub(super) bindings: &'a [(NameId, u64)],
}

/// Why an expression is no constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotConstant {
    /// This part of it is not known.
    Unknown(ExprId),
    /// This part of it has no value: it is below zero, divides by zero, or is too large.
    NoValue(ExprId),
}

impl Known<'_> {
    /// The value of `expr`, a term of numbers and names that are known.
    pub(super) fn value(self, expr: ExprId) -> Result<u64, NotConstant> {
        match self.ast.exprs[expr].kind {
            ExprKind::Number(value) => Ok(value),
            ExprKind::Name { name, primes: 0, index: None } => {
                let bound = self.bindings.iter().rev().find(|(bound, _)| *bound == name).map(|&(_, value)| value);
                bound.or_else(|| self.constants.get(&name).copied()).ok_or(NotConstant::Unknown(expr))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                let value = match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Subtract => left.checked_sub(right),
                    BinaryOp::Multiply => left.checked_mul(right),
                    BinaryOp::Divide => left.checked_div(right),
                    BinaryOp::ShiftLeft if left == 0 => Some(0),
                    BinaryOp::ShiftLeft => {
                        let distance = u32::try_from(right).ok().filter(|&distance| distance <= left.leading_zeros());
                        distance.and_then(|distance| left.checked_shl(distance))
                    }
                    BinaryOp::ShiftRight => {
                        Some(u32::try_from(right).ok().and_then(|by| left.checked_shr(by)).unwrap_or(0))
                    }
                    _ => return Err(NotConstant::Unknown(expr)),
                };
                value.ok_or(NotConstant::NoValue(expr))
            }
            _ => Err(NotConstant::Unknown(expr)),
        }
    }
}
