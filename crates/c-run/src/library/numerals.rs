//! Numbers in strings: `strtol` and its like.

use super::characters::is_space;
use super::{Call, Native, Reply, bits};
use crate::machine::Machine;
use crate::outcome::{AccessKind, Fallible, unsupported};
use crate::value::{IntShape, Pointer, Value};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "atoi" => |machine, call| to_integer(machine, call, 64, 32),
        "atol" => |machine, call| {
            let long = long_width(machine);
            to_integer(machine, call, long, long)
        },
        "atoll" => |machine, call| to_integer(machine, call, 64, 64),
        "strtol" | "__isoc23_strtol" => |machine, call| {
            let long = long_width(machine);
            convert(machine, call, signed(long))
        },
        "strtoul" | "__isoc23_strtoul" => |machine, call| {
            let long = long_width(machine);
            convert(machine, call, unsigned(long))
        },
        "strtoll" | "strtoimax" | "__isoc23_strtoll" => |machine, call| convert(machine, call, signed(64)),
        "strtoull" | "strtoumax" | "__isoc23_strtoull" => |machine, call| convert(machine, call, unsigned(64)),
        "atof" => atof,
        "strtod" => |_, _| unsupported("strtod"),
        _ => return None,
    })
}

fn long_width(machine: &Machine<'_, '_>) -> u8 {
    8 * machine.module.types.pointer_size() as u8
}

fn signed(bits: u8) -> IntShape {
    IntShape { bits, is_signed: true, is_bool: false }
}

fn unsigned(bits: u8) -> IntShape {
    IntShape { bits, is_signed: false, is_bool: false }
}

/// A number at the start of a string.
struct Numeral {
    magnitude: u128,
    is_negative: bool,
    /// The bytes it takes, white space included; none if there is no number.
    length: usize,
}

fn scan(text: &[u8], base: u32) -> Numeral {
    let mut at = text.iter().take_while(|&&byte| is_space(byte)).count();
    let is_negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let is_prefixed = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    let base = match base {
        0 | 16 if is_prefixed => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    let digits = text[at..].iter().map_while(|&byte| char::from(byte).to_digit(base));
    let (mut magnitude, mut count) = (0u128, 0);
    for digit in digits {
        magnitude = magnitude.saturating_mul(u128::from(base)).saturating_add(u128::from(digit));
        count += 1;
    }
    Numeral { magnitude, is_negative, length: if count == 0 { 0 } else { at + count } }
}

fn to_integer(machine: &mut Machine<'_, '_>, call: &Call<'_>, parsed: u8, kept: u8) -> Fallible<Reply> {
    let start = call.pointer(machine, 0)?;
    let numeral = scan(&machine.read_string(start)?, 10);
    let Value::Int(clamped) = clamp(&numeral, signed(parsed)) else { unreachable!("64 bits are no wide integer") };
    bits(signed(kept).wrap(clamped))
}

fn clamp(numeral: &Numeral, shape: IntShape) -> Value {
    let magnitude = i128::try_from(numeral.magnitude).unwrap_or(i128::MAX);
    if !shape.is_signed {
        let most = (1i128 << shape.bits) - 1;
        // The negative of what fits is taken modulo the range.
        let is_out = magnitude > most;
        return shape.value(if is_out {
            most
        } else if numeral.is_negative {
            -magnitude
        } else {
            magnitude
        });
    }
    let limit = 1i128 << (shape.bits - 1);
    shape.value((if numeral.is_negative { -magnitude } else { magnitude }).clamp(-limit, limit - 1))
}

fn convert(machine: &mut Machine<'_, '_>, call: &Call<'_>, shape: IntShape) -> Fallible<Reply> {
    let (start, end): (Pointer, Pointer) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let base = call.int(2)?;
    if !(base == 0 || (2..=36).contains(&base)) {
        return bits(0);
    }
    let numeral = scan(&machine.read_string(start)?, base as u32);
    if end.address != 0 {
        let word = machine.module.types.pointer_size();
        let part = machine.access(end, word, AccessKind::Write)?;
        machine.memory.write_pointer(part, start.offset(numeral.length as i64));
    }
    Ok(Reply::Value(clamp(&numeral, shape)))
}

fn atof(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let start = call.pointer(machine, 0)?;
    let bytes = machine.read_string(start)?;
    let text = String::from_utf8_lossy(&bytes);
    match text.trim().parse::<f64>() {
        Ok(number) => Ok(Reply::Value(Value::Double(number))),
        Err(_) => unsupported("atof of what is no plain number"),
    }
}
