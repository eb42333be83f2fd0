//! `memcpy` and its like.

use super::{Call, Native, Reply, int, pointer};
use crate::machine::Machine;
use crate::outcome::{AccessKind, Fallible, Undefined};
use crate::value::Pointer;
use std::cmp::Ordering;

/// `__builtin_memcpy`
pub(super) const BUILTIN_MEMCPY: Native = builtin_memcpy;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "memcpy" | "__memcpy_chk" => memcpy,
        "mempcpy" => mempcpy,
        "memmove" | "__memmove_chk" => memmove,
        "memset" | "__memset_chk" => memset,
        "bzero" => bzero,
        "memcmp" | "bcmp" => memcmp,
        "memchr" => memchr,
        _ => return None,
    })
}

/// Copies bytes as they are: uninitialised ones and pointers too.
fn copy(machine: &mut Machine<'_, '_>, to: Pointer, from: Pointer, size: u64) -> Fallible<()> {
    let source = machine.access(from, size, AccessKind::Read)?;
    let mut blob = std::mem::take(&mut machine.scratch);
    machine.memory.read_blob(source, size as usize, &mut blob);
    let target = machine.access(to, size, AccessKind::Write)?;
    machine.memory.write_blob(target, &blob);
    machine.scratch = blob;
    Ok(())
}

/// The compiler's own `memcpy` also gives local arrays their initial values, `const` ones too.
fn builtin_memcpy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let to = call.pointer(machine, 0)?;
    let protection = machine.memory.unprotect_local(to);
    let reply = memcpy(machine, call);
    if let Some((object, writable)) = protection {
        machine.memory.protect(object, writable);
    }
    reply
}

fn copy_apart(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<(Pointer, u64)> {
    let (to, from) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let size = call.size(machine, 2)?;
    if size > 0 && to.address != from.address && to.address.abs_diff(from.address) < size {
        // An access that is out of bounds is the worse mistake.
        machine.access(from, size, AccessKind::Read)?;
        machine.access(to, size, AccessKind::Write)?;
        return Err(Undefined::OverlappingCopy.into());
    }
    if size > 0 || to.object.is_none() || from.object.is_none() {
        copy(machine, to, from, size)?;
    }
    Ok((to, size))
}

fn memcpy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    pointer(copy_apart(machine, call)?.0)
}

fn mempcpy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, size) = copy_apart(machine, call)?;
    pointer(to.offset(size as i64))
}

fn memmove(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, from) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let size = call.size(machine, 2)?;
    copy(machine, to, from, size)?;
    pointer(to)
}

fn memset(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, byte, size) = (call.pointer(machine, 0)?, call.int(1)? as u8, call.size(machine, 2)?);
    let part = machine.access(to, size, AccessKind::Write)?;
    machine.memory.fill(part, size as usize, byte);
    pointer(to)
}

fn bzero(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, size) = (call.pointer(machine, 0)?, call.size(machine, 1)?);
    let part = machine.access(to, size, AccessKind::Write)?;
    machine.memory.fill(part, size as usize, 0);
    Ok(Reply::Nothing)
}

fn memcmp(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (left, right) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let size = call.size(machine, 2)?;
    let left = machine.read_bytes(left, size)?;
    let right = machine.read_bytes(right, size)?;
    int(sign(left.cmp(&right)))
}

/// What a comparison returns; the library promises the sign only.
pub(super) fn sign(ordering: Ordering) -> i32 {
    ordering as i32
}

fn memchr(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (start, byte, size) = (call.pointer(machine, 0)?, call.int(1)? as u8, call.size(machine, 2)?);
    for index in 0..size {
        let here = start.offset(index as i64);
        let part = machine.access(here, 1, AccessKind::Read)?;
        if machine.read_byte(part, 0)? == byte {
            return pointer(here);
        }
    }
    pointer(Pointer::NULL)
}
