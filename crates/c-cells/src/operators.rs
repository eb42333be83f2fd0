//! Operators of C: which of them compare, which add, and what they are the other way round.

use hardbop_c_core::BinaryOp;
use hardbop_c_graph::Truth;

/// The other truth value.
pub fn opposite(truth: Truth) -> Truth {
    match truth {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
    }
}

/// Whether an operator compares.
pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// Whether an operator adds or subtracts, numbers or pointers.
pub(crate) fn is_sum(op: BinaryOp) -> bool {
    let is_of_pointers = matches!(op, BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDifference);
    is_of_pointers || matches!(op, BinaryOp::Add | BinaryOp::Sub)
}

/// The comparison with its sides swapped.
pub fn mirrored(comparison: BinaryOp) -> BinaryOp {
    match comparison {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => comparison,
    }
}
