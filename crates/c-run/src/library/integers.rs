//! Integers: absolute values, and the compiler's functions on bits.

use super::{Call, Native, Reply, bits, int};
use crate::machine::{Machine, SignedOverflow};
use crate::outcome::{AccessKind, Fallible, Undefined, unsupported};
use crate::value::{IntShape, Shape, Value};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "abs" => |machine, call| absolute(machine, call, 32),
        "labs" => |machine, call| {
            let width = 8 * machine.module.types.pointer_size();
            absolute(machine, call, width as u32)
        },
        "llabs" | "imaxabs" => |machine, call| absolute(machine, call, 64),
        "bswap16" | "__bswap_16" => |_, call| bits(u64::from((call.bits(0)? as u16).swap_bytes())),
        "bswap32" | "__bswap_32" => |_, call| bits(u64::from((call.bits(0)? as u32).swap_bytes())),
        "bswap64" | "__bswap_64" => |_, call| bits(call.bits(0)?.swap_bytes()),
        "clz" => |machine, call| count(machine, call, 32, 0, |number, width| number.leading_zeros() + width - 64),
        "clzl" => |machine, call| count(machine, call, 0, 0, |number, width| number.leading_zeros() + width - 64),
        "clzll" => |machine, call| count(machine, call, 64, 0, |number, width| number.leading_zeros() + width - 64),
        "ctz" => |machine, call| count(machine, call, 32, 0, |number, _| number.trailing_zeros()),
        "ctzl" => |machine, call| count(machine, call, 0, 0, |number, _| number.trailing_zeros()),
        "ctzll" => |machine, call| count(machine, call, 64, 0, |number, _| number.trailing_zeros()),
        "popcount" => |machine, call| count(machine, call, 32, 1, |number, _| number.count_ones()),
        "popcountl" => |machine, call| count(machine, call, 0, 1, |number, _| number.count_ones()),
        "popcountll" => |machine, call| count(machine, call, 64, 1, |number, _| number.count_ones()),
        "parity" => |machine, call| count(machine, call, 32, 1, |number, _| number.count_ones() % 2),
        "parityl" => |machine, call| count(machine, call, 0, 1, |number, _| number.count_ones() % 2),
        "parityll" => |machine, call| count(machine, call, 64, 1, |number, _| number.count_ones() % 2),
        "ffs" => |machine, call| count(machine, call, 32, 1, first_set),
        "ffsl" => |machine, call| count(machine, call, 0, 1, first_set),
        "ffsll" => |machine, call| count(machine, call, 64, 1, first_set),
        "clrsb" => |machine, call| count(machine, call, 32, 1, redundant_signs),
        "clrsbl" => |machine, call| count(machine, call, 0, 1, redundant_signs),
        "clrsbll" => |machine, call| count(machine, call, 64, 1, redundant_signs),
        "add_overflow" | "sadd_overflow" | "saddl_overflow" | "saddll_overflow" | "uadd_overflow"
        | "uaddl_overflow" | "uaddll_overflow" => |machine, call| overflow(machine, call, i128::overflowing_add),
        "sub_overflow" | "ssub_overflow" | "ssubl_overflow" | "ssubll_overflow" | "usub_overflow"
        | "usubl_overflow" | "usubll_overflow" => |machine, call| overflow(machine, call, i128::overflowing_sub),
        "mul_overflow" | "smul_overflow" | "smull_overflow" | "smulll_overflow" | "umul_overflow"
        | "umull_overflow" | "umulll_overflow" => |machine, call| overflow(machine, call, i128::overflowing_mul),
        _ => return None,
    })
}

fn absolute(machine: &mut Machine<'_, '_>, call: &Call<'_>, width: u32) -> Fallible<Reply> {
    let unused = 64 - width;
    let number = (call.bits(0)? << unused) as i64 >> unused;
    let absolute = number.unsigned_abs();
    if absolute >> (width - 1) == 1 && machine.options.signed_overflow == SignedOverflow::Undefined {
        return Err(Undefined::SignedOverflow.into());
    }
    bits(absolute)
}

/// Counts bits of a number of so many bits, those of `long` if zero. What is undefined of zero has `zero` zero.
fn count(
    machine: &mut Machine<'_, '_>,
    call: &Call<'_>,
    width: u32,
    zero: u32,
    count: fn(u64, u32) -> u32,
) -> Fallible<Reply> {
    let width = if width == 0 { 8 * machine.module.types.pointer_size() as u32 } else { width };
    let number = call.bits(0)? << (64 - width) >> (64 - width);
    if number == 0 && zero == 0 {
        return Err(Undefined::BadArgument("a function that counts zeros").into());
    }
    int(count(number, width) as i32)
}

fn first_set(number: u64, _width: u32) -> u32 {
    if number == 0 { 0 } else { number.trailing_zeros() + 1 }
}

fn redundant_signs(number: u64, width: u32) -> u32 {
    let high = number << (64 - width);
    let same = if high >> 63 == 1 { high.leading_ones() } else { high.leading_zeros() };
    same.min(width) - 1
}

/// Stores the exact result modulo the type that the last argument points to; says whether it was another.
fn overflow(
    machine: &mut Machine<'_, '_>,
    call: &Call<'_>,
    operate: fn(i128, i128) -> (i128, bool),
) -> Fallible<Reply> {
    let types = &machine.module.types;
    let result = call.arguments.get(2).and_then(|argument| types.pointee(argument.ty));
    let Some(Shape::Int(shape)) = result.and_then(|pointee| Shape::of(types, pointee.ty)) else {
        return Err(Undefined::WrongFunctionType.into());
    };
    let (left, right) = (number(machine, call, 0)?, number(machine, call, 1)?);
    if shape.bits == 128 {
        return unsupported("an overflow test of 128 bits");
    }
    let (result, is_beyond) = operate(left, right);
    let to = call.pointer(machine, 2)?;
    let part = machine.access(to, u64::from(shape.bits / 8), AccessKind::Write)?;
    machine.store_part(part, Shape::Int(shape), shape.value(result));
    int(i32::from(is_beyond || !shape.holds(result)))
}

fn number(machine: &Machine<'_, '_>, call: &Call<'_>, index: usize) -> Fallible<i128> {
    match (call.value(index)?, Shape::of(&machine.module.types, call.ty(index)?)) {
        (value @ Value::Int(_), Some(Shape::Int(shape @ IntShape { bits: ..=64, .. }))) => Ok(shape.number(value)),
        _ => unsupported("an overflow test of 128 bits"),
    }
}
