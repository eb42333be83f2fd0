//! Operators of C and of rules.

use hardbop_c_core as c;
use hardbop_c_graph::Truth;
use hardbop_lang_flow::tree::{BinaryOp, Comparison, UnaryOp};

pub(crate) fn opposite(truth: Truth) -> Truth {
    match truth {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
    }
}

/// The comparison that an operator is.
pub(crate) fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Equal => Comparison::Equal,
        BinaryOp::NotEqual => Comparison::NotEqual,
        BinaryOp::Less => Comparison::Less,
        BinaryOp::AtMost => Comparison::AtMost,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::AtLeast => Comparison::AtLeast,
        _ => return None,
    })
}

/// The comparison with its sides swapped.
pub(crate) fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        Comparison::Equal | Comparison::NotEqual => comparison,
    }
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
pub(crate) fn unary(op: c::UnaryOp) -> Option<UnaryOp> {
    match op {
        c::UnaryOp::Neg => Some(UnaryOp::Minus),
        c::UnaryOp::BitNot => Some(UnaryOp::Complement),
        c::UnaryOp::Not => Some(UnaryOp::Not),
        c::UnaryOp::Real | c::UnaryOp::Imaginary => None,
    }
}

/// The operator as rules have it.
pub(crate) fn binary(op: c::BinaryOp) -> BinaryOp {
    match op {
        c::BinaryOp::Add | c::BinaryOp::PointerAdd => BinaryOp::Plus,
        c::BinaryOp::Sub | c::BinaryOp::PointerSub | c::BinaryOp::PointerDifference => BinaryOp::Minus,
        c::BinaryOp::Mul => BinaryOp::Times,
        c::BinaryOp::Div => BinaryOp::Divide,
        c::BinaryOp::Rem => BinaryOp::Remainder,
        c::BinaryOp::Shl => BinaryOp::ShiftLeft,
        c::BinaryOp::Shr => BinaryOp::ShiftRight,
        c::BinaryOp::BitAnd => BinaryOp::And,
        c::BinaryOp::BitOr => BinaryOp::Or,
        c::BinaryOp::BitXor => BinaryOp::Xor,
        c::BinaryOp::Eq => BinaryOp::Equal,
        c::BinaryOp::Ne => BinaryOp::NotEqual,
        c::BinaryOp::Lt => BinaryOp::Less,
        c::BinaryOp::Le => BinaryOp::AtMost,
        c::BinaryOp::Gt => BinaryOp::Greater,
        c::BinaryOp::Ge => BinaryOp::AtLeast,
    }
}
