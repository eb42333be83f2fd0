//! Integers: C's operators on bits that are extended as their type says.

use crate::outcome::{Fallible, Undefined};
use crate::value::{IntShape, Value};
use hardbop_c_core::BinaryOp;
use std::cmp::Ordering;

/// Whether a comparison holds.
#[inline]
pub(super) fn holds(op: BinaryOp, ordering: Ordering) -> bool {
    match op {
        BinaryOp::Eq => ordering.is_eq(),
        BinaryOp::Ne => ordering.is_ne(),
        BinaryOp::Lt => ordering.is_lt(),
        BinaryOp::Le => ordering.is_le(),
        BinaryOp::Gt => ordering.is_gt(),
        BinaryOp::Ge => ordering.is_ge(),
        _ => unreachable!("a comparison"),
    }
}

/// An operator on integers of one type, of up to 64 bits.
#[inline]
pub(super) fn arithmetic(op: BinaryOp, shape: IntShape, left: u64, right: u64, checks_overflow: bool) -> Fallible<u64> {
    let bits = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::BitAnd => return Ok(left & right),
        BinaryOp::BitOr => return Ok(left | right),
        BinaryOp::BitXor => return Ok(left ^ right),
        BinaryOp::Div | BinaryOp::Rem => return divide(op, shape, left, right),
        _ => unreachable!("an operator on numbers"),
    };
    if checks_overflow && shape.is_signed {
        let (left, right) = (i128::from(left as i64), i128::from(right as i64));
        let exact = match op {
            BinaryOp::Add => left + right,
            BinaryOp::Sub => left - right,
            _ => left * right,
        };
        if !shape.holds(exact) {
            return Err(Undefined::SignedOverflow.into());
        }
    }
    Ok(shape.wrap(bits))
}

fn divide(op: BinaryOp, shape: IntShape, left: u64, right: u64) -> Fallible<u64> {
    if right == 0 {
        return Err(Undefined::DivisionByZero.into());
    }
    if !shape.is_signed {
        return Ok(if op == BinaryOp::Div { left / right } else { left % right });
    }
    let (left, right) = (i128::from(left as i64), i128::from(right as i64));
    if !shape.holds(left / right) {
        return Err(Undefined::DivisionOverflow.into());
    }
    Ok((if op == BinaryOp::Div { left / right } else { left % right }) as u64)
}

/// A shift of up to 64 bits.
pub(super) fn shift(op: BinaryOp, shape: IntShape, left: u64, right: i128, checks_overflow: bool) -> Fallible<u64> {
    if !(0..i128::from(shape.bits)).contains(&right) {
        return Err(Undefined::ShiftOutOfRange.into());
    }
    let by = right as u32;
    if op == BinaryOp::Shr {
        return Ok(if shape.is_signed { (left as i64 >> by) as u64 } else { left >> by });
    }
    if checks_overflow && shape.is_signed {
        let left = left as i64;
        if left < 0 || !shape.holds(i128::from(left) << by) {
            return Err(Undefined::SignedOverflow.into());
        }
    }
    Ok(shape.wrap(left << by))
}

/// `-value`
pub(super) fn negate(shape: IntShape, value: Value, checks_overflow: bool) -> Fallible<Value> {
    let number = shape.number(value);
    let negated = number.wrapping_neg();
    let overflows = !shape.holds(negated) || (shape.bits == 128 && number == i128::MIN);
    if checks_overflow && shape.is_signed && overflows {
        return Err(Undefined::SignedOverflow.into());
    }
    Ok(shape.value(negated))
}

/// An operator whose left operand has 128 bits, or whose right operand, a shift's, has.
pub(super) fn wide(op: BinaryOp, shape: IntShape, left: i128, right: i128, checks: bool) -> Fallible<Value> {
    let is_signed = shape.is_signed;
    let (exact, overflows) = match op {
        BinaryOp::Add => left.overflowing_add(right),
        BinaryOp::Sub => left.overflowing_sub(right),
        BinaryOp::Mul => left.overflowing_mul(right),
        BinaryOp::BitAnd => (left & right, false),
        BinaryOp::BitOr => (left | right, false),
        BinaryOp::BitXor => (left ^ right, false),
        BinaryOp::Div | BinaryOp::Rem => (divide_wide(op, is_signed, left, right)?, false),
        BinaryOp::Shl | BinaryOp::Shr => {
            if !(0..i128::from(shape.bits)).contains(&right) {
                return Err(Undefined::ShiftOutOfRange.into());
            }
            match op {
                BinaryOp::Shl => (left << right, left < 0 || (left << right) >> right != left),
                _ if is_signed => (left >> right, false),
                _ => ((left as u128 >> right) as i128, false),
            }
        }
        _ => {
            let ordering = if is_signed { left.cmp(&right) } else { (left as u128).cmp(&(right as u128)) };
            return Ok(Value::Int(u64::from(holds(op, ordering))));
        }
    };
    if checks && is_signed && overflows {
        return Err(Undefined::SignedOverflow.into());
    }
    Ok(shape.value(exact))
}

fn divide_wide(op: BinaryOp, is_signed: bool, left: i128, right: i128) -> Fallible<i128> {
    if right == 0 {
        return Err(Undefined::DivisionByZero.into());
    }
    if !is_signed {
        let (left, right) = (left as u128, right as u128);
        return Ok((if op == BinaryOp::Div { left / right } else { left % right }) as i128);
    }
    if left == i128::MIN && right == -1 {
        return Err(Undefined::DivisionOverflow.into());
    }
    Ok(if op == BinaryOp::Div { left / right } else { left % right })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn shape(bits: u8, is_signed: bool) -> IntShape {
        IntShape { bits, is_signed, is_bool: false }
    }

    const WIDTHS: [u8; 4] = [8, 16, 32, 64];

    proptest! {
        #[test]
        fn results_are_those_of_whole_numbers_modulo_the_range(
            width in 0..4usize, is_signed in any::<bool>(), left in any::<i64>(), right in any::<i64>(), small in -3..3i64,
        ) {
            let shape = shape(WIDTHS[width], is_signed);
            for right in [right, small] {
                let (left, right) = (shape.value(i128::from(left)), shape.value(i128::from(right)));
                let (x, y) = (shape.number(left), shape.number(right));
                let (Value::Int(left), Value::Int(right)) = (left, right) else { unreachable!() };
                let compute = |op| arithmetic(op, shape, left, right, false).map(Value::Int).ok();
                prop_assert_eq!(compute(BinaryOp::Add), Some(shape.value(x + y)));
                prop_assert_eq!(compute(BinaryOp::Sub), Some(shape.value(x - y)));
                prop_assert_eq!(compute(BinaryOp::Mul), Some(shape.value(x.wrapping_mul(y))));
                let is_defined = y != 0 && shape.holds(x / y);
                prop_assert_eq!(compute(BinaryOp::Div), is_defined.then(|| shape.value(x / y)));
                prop_assert_eq!(compute(BinaryOp::Rem), is_defined.then(|| shape.value(x % y)));
                prop_assert_eq!(compute(BinaryOp::BitXor), Some(shape.value(x ^ y)));
                prop_assert_eq!(arithmetic(BinaryOp::Add, shape, left, right, true).is_ok(), !is_signed || shape.holds(x + y));
                prop_assert_eq!(arithmetic(BinaryOp::Mul, shape, left, right, true).is_ok(), !is_signed || shape.holds(x.wrapping_mul(y)));
                let by = i128::from(small.unsigned_abs());
                let shifted = shift(BinaryOp::Shr, shape, left, by, false).map(Value::Int).ok();
                prop_assert_eq!(shifted, Some(shape.value(x >> by)));
                let shifted = shift(BinaryOp::Shl, shape, left, by, false).map(Value::Int).ok();
                prop_assert_eq!(shifted, Some(shape.value(x << by)));
            }
        }

        #[test]
        fn wide_results_are_those_of_the_host(left in any::<i128>(), right in any::<i128>()) {
            let (signed, unsigned) = (shape(128, true), shape(128, false));
            let compute = |op, shape| wide(op, shape, left, right, false).ok();
            prop_assert_eq!(compute(BinaryOp::Mul, signed), Some(signed.value(left.wrapping_mul(right))));
            prop_assert_eq!(compute(BinaryOp::Div, signed), left.checked_div(right).map(|result| signed.value(result)));
            let quotient = (left as u128).checked_div(right as u128);
            prop_assert_eq!(compute(BinaryOp::Div, unsigned), quotient.map(|result| unsigned.value(result as i128)));
            prop_assert_eq!(compute(BinaryOp::Lt, unsigned), Some(Value::Int(u64::from((left as u128) < right as u128))));
            let overflows = wide(BinaryOp::Add, signed, left, right, true).is_err();
            prop_assert_eq!(overflows, left.checked_add(right).is_none());
        }
    }

    #[test]
    fn the_least_integer_has_no_negative() {
        let int = shape(32, true);
        assert!(negate(int, int.value(i128::from(i32::MIN)), true).is_err());
        assert_eq!(negate(int, int.value(i128::from(i32::MIN)), false).ok(), Some(int.value(i128::from(i32::MIN))));
        assert!(arithmetic(BinaryOp::Div, int, int.wrap(i32::MIN as u64), int.wrap(u64::MAX), false).is_err());
    }
}
