//! Operators of C as rules have them.

use hardbop_c_core::{BinaryOp, UnaryOp};
use hardbop_lang_flow::tree::{self, Comparison};

/// The comparison of rules that an operator is.
pub(crate) fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Eq => Comparison::Equal,
        BinaryOp::Ne => Comparison::NotEqual,
        BinaryOp::Lt => Comparison::Less,
        BinaryOp::Le => Comparison::AtMost,
        BinaryOp::Gt => Comparison::Greater,
        BinaryOp::Ge => Comparison::AtLeast,
        _ => return None,
    })
}

/// The comparison that holds where this does not.
pub(crate) fn negated(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::AtLeast,
        Comparison::AtMost => Comparison::Greater,
        Comparison::Greater => Comparison::AtMost,
        Comparison::AtLeast => Comparison::Less,
    }
}

/// The operator as rules have it.
pub(crate) fn unary(op: UnaryOp) -> Option<tree::UnaryOp> {
    match op {
        UnaryOp::Neg => Some(tree::UnaryOp::Minus),
        UnaryOp::BitNot => Some(tree::UnaryOp::Complement),
        UnaryOp::Not => Some(tree::UnaryOp::Not),
        UnaryOp::Real | UnaryOp::Imaginary => None,
    }
}

/// The operator as rules have it.
pub(crate) fn binary(op: BinaryOp) -> tree::BinaryOp {
    match op {
        BinaryOp::Add | BinaryOp::PointerAdd => tree::BinaryOp::Plus,
        BinaryOp::Sub | BinaryOp::PointerSub | BinaryOp::PointerDifference => tree::BinaryOp::Minus,
        BinaryOp::Mul => tree::BinaryOp::Times,
        BinaryOp::Div => tree::BinaryOp::Divide,
        BinaryOp::Rem => tree::BinaryOp::Remainder,
        BinaryOp::Shl => tree::BinaryOp::ShiftLeft,
        BinaryOp::Shr => tree::BinaryOp::ShiftRight,
        BinaryOp::BitAnd => tree::BinaryOp::And,
        BinaryOp::BitOr => tree::BinaryOp::Or,
        BinaryOp::BitXor => tree::BinaryOp::Xor,
        BinaryOp::Eq => tree::BinaryOp::Equal,
        BinaryOp::Ne => tree::BinaryOp::NotEqual,
        BinaryOp::Lt => tree::BinaryOp::Less,
        BinaryOp::Le => tree::BinaryOp::AtMost,
        BinaryOp::Gt => tree::BinaryOp::Greater,
        BinaryOp::Ge => tree::BinaryOp::AtLeast,
    }
}
