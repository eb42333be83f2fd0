//! Memory that lives until it is freed, or until its function returns.

use super::{Call, Native, Reply, int, pointer};
use crate::machine::Machine;
use crate::memory::{Origin, Storage};
use crate::outcome::{AccessKind, Fallible, Undefined};
use crate::value::Pointer;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "malloc" => malloc,
        "calloc" => calloc,
        "realloc" => realloc,
        "free" | "cfree" => free,
        "aligned_alloc" | "memalign" => aligned_alloc,
        "posix_memalign" => posix_memalign,
        "alloca" | "__alloca" | "alloca_with_align" => alloca,
        _ => return None,
    })
}

const ALIGN: u64 = 16;

/// Memory on the heap; null if there is none.
pub(super) fn allocate(machine: &mut Machine<'_, '_>, size: u64, align: u64) -> Fallible<Pointer> {
    // As in practice: no object is larger than half of the address space.
    if size > machine.address_mask / 2 || !machine.environment.grants(size) {
        return Ok(Pointer::NULL);
    }
    let site = machine.site();
    let origin = match site.function {
        Some(function) => Origin::Heap { function, span: site.span },
        None => Origin::Outside,
    };
    let object = machine.memory.allocate(Storage::Heap, size, align, origin)?;
    Ok(machine.memory.pointer(object))
}

fn malloc(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let size = call.size(machine, 0)?;
    pointer(allocate(machine, size, ALIGN)?)
}

fn calloc(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (count, size) = (call.size(machine, 0)?, call.size(machine, 1)?);
    let Some(bytes) = count.checked_mul(size) else { return pointer(Pointer::NULL) };
    let memory = allocate(machine, bytes, ALIGN)?;
    if memory.object.is_some() {
        let part = machine.memory.part(memory, bytes, AccessKind::Write)?;
        machine.memory.fill(part, bytes as usize, 0);
    }
    pointer(memory)
}

fn realloc(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (old, size) = (call.pointer(machine, 0)?, call.size(machine, 1)?);
    if old.address == 0 {
        return pointer(allocate(machine, size, ALIGN)?);
    }
    if size == 0 {
        machine.memory.free(old)?;
        return pointer(Pointer::NULL);
    }
    machine.memory.check_free(old)?;
    let new = allocate(machine, size, ALIGN)?;
    if let (Some(object), Some(_)) = (old.object, new.object) {
        let kept = machine.memory.size(object).min(size);
        let mut blob = std::mem::take(&mut machine.scratch);
        let from = machine.memory.part(old, kept, AccessKind::Read)?;
        machine.memory.read_blob(from, kept as usize, &mut blob);
        let to = machine.memory.part(new, kept, AccessKind::Write)?;
        machine.memory.write_blob(to, &blob);
        machine.scratch = blob;
        machine.memory.free(old)?;
    }
    pointer(new)
}

fn free(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let memory = call.pointer(machine, 0)?;
    if memory.address != 0 {
        machine.memory.free(memory)?;
    }
    Ok(Reply::Nothing)
}

fn aligned_alloc(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (align, size) = (call.size(machine, 0)?, call.size(machine, 1)?);
    if !align.is_power_of_two() {
        return pointer(Pointer::NULL);
    }
    pointer(allocate(machine, size, align.max(ALIGN))?)
}

fn posix_memalign(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    const INVALID: i32 = 22;
    const NO_MEMORY: i32 = 12;
    let (result, align, size) = (call.pointer(machine, 0)?, call.size(machine, 1)?, call.size(machine, 2)?);
    let word = machine.module.types.pointer_size();
    if !align.is_power_of_two() || align < word {
        return int(INVALID);
    }
    let memory = allocate(machine, size, align.max(ALIGN))?;
    if memory.object.is_none() {
        return int(NO_MEMORY);
    }
    let part = machine.access(result, word, AccessKind::Write)?;
    machine.memory.write_pointer(part, memory);
    int(0)
}

fn alloca(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let size = call.size(machine, 0)?;
    if size > machine.address_mask / 2 {
        return Err(Undefined::BadSize.into());
    }
    pointer(machine.allocate_on_stack(size)?)
}
