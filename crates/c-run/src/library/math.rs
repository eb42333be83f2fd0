//! Functions of floating numbers whose result IEEE 754 fixes to the last bit. The others are not here.

use super::{Call, Native, Reply, int};
use crate::machine::Machine;
use crate::outcome::{Fallible, unsupported};
use crate::value::{Shape, Value};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "fabs" | "fabsf" => |machine, call| map(machine, call, f64::abs),
        "sqrt" => |machine, call| map(machine, call, f64::sqrt),
        // The root of a `float`, rounded to double and then to float, is the root rounded to float.
        "sqrtf" => |machine, call| map(machine, call, f64::sqrt),
        "floor" | "floorf" => |machine, call| map(machine, call, f64::floor),
        "ceil" | "ceilf" => |machine, call| map(machine, call, f64::ceil),
        "trunc" | "truncf" => |machine, call| map(machine, call, f64::trunc),
        "round" | "roundf" => |machine, call| map(machine, call, f64::round),
        "rint" | "rintf" | "nearbyint" | "nearbyintf" => |machine, call| map(machine, call, f64::round_ties_even),
        "fmod" | "fmodf" => |machine, call| join(machine, call, |left, right| left % right),
        "copysign" | "copysignf" => |machine, call| join(machine, call, f64::copysign),
        "fmax" | "fmaxf" => |machine, call| join(machine, call, f64::max),
        "fmin" | "fminf" => |machine, call| join(machine, call, f64::min),
        "isnan" | "isnanf" | "__isnan" | "__isnanf" => |_, call| int(i32::from(call.double(0)?.is_nan())),
        "isinf" | "isinff" | "__isinf" | "__isinff" => |_, call| infinite(call.double(0)?),
        "isinf_sign" => |_, call| infinite(call.double(0)?),
        "isfinite" | "finite" | "__finite" | "__finitef" => |_, call| int(i32::from(call.double(0)?.is_finite())),
        "signbit" | "signbitf" | "__signbit" | "__signbitf" => {
            |_, call| int(i32::from(call.double(0)?.is_sign_negative()))
        }
        "inf" | "huge_val" => |machine, call| constant(machine, call, f64::INFINITY),
        "inff" | "huge_valf" => |machine, call| constant(machine, call, f64::INFINITY),
        "nan" | "nanf" => |machine, call| constant(machine, call, f64::NAN),
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "exp" | "exp2"
        | "expm1" | "log" | "log2" | "log10" | "log1p" | "pow" | "cbrt" | "hypot" | "sinf" | "cosf" | "tanf"
        | "expf" | "logf" | "powf" => |machine, call| {
            let name = &machine.module.functions[call.function].source_name;
            unsupported(format!("the function {name}"))
        },
        _ => return None,
    })
}

fn infinite(number: f64) -> Fallible<Reply> {
    int(if number.is_infinite() { number.signum() as i32 } else { 0 })
}

fn constant(_machine: &mut Machine<'_, '_>, call: &Call<'_>, number: f64) -> Fallible<Reply> {
    reply(call, number)
}

fn reply(call: &Call<'_>, number: f64) -> Fallible<Reply> {
    Ok(Reply::Value(match call.shape {
        Some(Shape::Float) => Value::Float(number as f32),
        _ => Value::Double(number),
    }))
}

fn map(_machine: &mut Machine<'_, '_>, call: &Call<'_>, map: fn(f64) -> f64) -> Fallible<Reply> {
    reply(call, map(call.double(0)?))
}

fn join(_machine: &mut Machine<'_, '_>, call: &Call<'_>, join: fn(f64, f64) -> f64) -> Fallible<Reply> {
    reply(call, join(call.double(0)?, call.double(1)?))
}
