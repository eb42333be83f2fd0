//! `float` and `double`: IEEE 754 as the host computes it.

use crate::outcome::{Fallible, unsupported};
use crate::value::Value;
use hardbop_c_core::BinaryOp;
use std::cmp::Ordering;

/// An operator on two numbers of one type.
pub(super) fn operate(op: BinaryOp, left: Value, right: Value) -> Fallible<Value> {
    let ordering = match (left, right) {
        (Value::Float(left), Value::Float(right)) => match op {
            BinaryOp::Add => return Ok(Value::Float(left + right)),
            BinaryOp::Sub => return Ok(Value::Float(left - right)),
            BinaryOp::Mul => return Ok(Value::Float(left * right)),
            BinaryOp::Div => return Ok(Value::Float(left / right)),
            _ => left.partial_cmp(&right),
        },
        (Value::Double(left), Value::Double(right)) => match op {
            BinaryOp::Add => return Ok(Value::Double(left + right)),
            BinaryOp::Sub => return Ok(Value::Double(left - right)),
            BinaryOp::Mul => return Ok(Value::Double(left * right)),
            BinaryOp::Div => return Ok(Value::Double(left / right)),
            _ => left.partial_cmp(&right),
        },
        _ => return unsupported("an operator on numbers of different types"),
    };
    Ok(Value::Int(u64::from(holds(op, ordering))))
}

// With not-a-number only `!=` holds.
fn holds(op: BinaryOp, ordering: Option<Ordering>) -> bool {
    match op {
        BinaryOp::Eq => ordering == Some(Ordering::Equal),
        BinaryOp::Ne => ordering != Some(Ordering::Equal),
        BinaryOp::Lt => ordering == Some(Ordering::Less),
        BinaryOp::Le => ordering.is_some_and(Ordering::is_le),
        BinaryOp::Gt => ordering == Some(Ordering::Greater),
        BinaryOp::Ge => ordering.is_some_and(Ordering::is_ge),
        _ => unreachable!("a comparison"),
    }
}
