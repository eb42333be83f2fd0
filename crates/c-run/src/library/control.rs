//! Ends of a run, verification functions, lists of arguments, and what is known to be missing.

use super::{Call, Native, Reply, int};
use crate::environment::Asked;
use crate::machine::Machine;
use crate::outcome::{Fallible, Outcome, Undefined, unsupported};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "abort" | "trap" | "__abort" => |_, _| Err(Outcome::Aborted.into()),
        "exit" | "_Exit" | "_exit" | "quick_exit" => |_, call| Err(Outcome::Exited(call.int(0)?).into()),
        "__assert_fail" | "__assert" | "__assert_perror_fail" | "__assert_func" | "__assert_rtn" => {
            |_, _| Err(Outcome::AssertionFailed.into())
        }
        "assert" | "__VERIFIER_assert" => assert,
        "__VERIFIER_error" | "reach_error" => |_, _| Err(Outcome::ErrorReached.into()),
        "__VERIFIER_assume" => assume,
        "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => |_, _| Ok(Reply::Nothing),
        "unreachable" => |_, _| Err(Undefined::Unreachable.into()),
        "expect" | "expect_with_probability" | "assume_aligned" => |_, call| Ok(Reply::Value(call.value(0)?)),
        "prefetch" | "__builtin___clear_cache" => |_, _| Ok(Reply::Nothing),
        "constant_p" => |_, _| int(0),
        "object_size" => object_size,
        "va_start" | "c23_va_start" => va_start,
        "va_end" => va_end,
        "va_copy" | "__va_copy" => va_copy,
        "rand" | "random" => random,
        "srand" | "srandom" => |_, _| Ok(Reply::Nothing),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp" => |_, _| unsupported("setjmp"),
        "signal" | "sigaction" | "raise" => |_, _| unsupported("signals"),
        "pthread_create" | "fork" | "thrd_create" => |_, _| unsupported("threads"),
        _ => return None,
    })
}

/// What is not known is as large, or as small, as can be.
fn object_size(_machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    int(if call.int(1)? & 2 != 0 { 0 } else { -1 })
}

fn assert(_machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    if call.value(0)?.is_true()? { Ok(Reply::Nothing) } else { Err(Outcome::AssertionFailed.into()) }
}

fn assume(_machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    if call.value(0)?.is_true()? { Ok(Reply::Nothing) } else { Err(Outcome::AssumptionFailed.into()) }
}

fn va_start(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let list = call.pointer(machine, 0)?;
    machine.start_list(list)?;
    Ok(Reply::Nothing)
}

fn va_end(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let list = call.pointer(machine, 0)?;
    machine.end_list(list)?;
    Ok(Reply::Nothing)
}

fn va_copy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, from) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    machine.copy_list(to, from)?;
    Ok(Reply::Nothing)
}

/// A number that is not negative, as `rand` and `random` of glibc have them.
fn random(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let name = machine.module.functions[call.function].source_name.as_str();
    let Some(shape) = call.shape else { return Ok(Reply::Nothing) };
    let bits = machine.ask(Asked::Function(name), shape)?.bits()?;
    int((bits & 0x7fff_ffff) as i32)
}
