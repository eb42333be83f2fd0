//! Strings.

use super::memory_blocks::sign;
use super::{Call, Native, Reply, allocate, bits, int, pointer};
use crate::machine::Machine;
use crate::outcome::{AccessKind, Fallible, Undefined};
use crate::value::Pointer;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strlen" => strlen,
        "strnlen" => strnlen,
        "strcpy" | "__strcpy_chk" => strcpy,
        "stpcpy" => stpcpy,
        "strncpy" | "__strncpy_chk" => strncpy,
        "strcat" | "__strcat_chk" => strcat,
        "strncat" | "__strncat_chk" => strncat,
        "strcmp" | "strcoll" => strcmp,
        "strncmp" => strncmp,
        "strcasecmp" => strcasecmp,
        "strncasecmp" => strncasecmp,
        "strchr" | "index" => strchr,
        "strrchr" | "rindex" => strrchr,
        "strstr" => strstr,
        "strspn" => strspn,
        "strcspn" => strcspn,
        "strpbrk" => strpbrk,
        "strtok" => strtok,
        "strdup" | "__strdup" => strdup,
        "strndup" | "__strndup" => strndup,
        _ => return None,
    })
}

fn string(machine: &mut Machine<'_, '_>, call: &Call<'_>, index: usize) -> Fallible<Vec<u8>> {
    let start = call.pointer(machine, index)?;
    machine.read_string(start)
}

fn bounded(machine: &mut Machine<'_, '_>, call: &Call<'_>, index: usize, limit: u64) -> Fallible<Vec<u8>> {
    let start = call.pointer(machine, index)?;
    machine.read_string_up_to(start, limit)
}

fn strlen(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    bits(string(machine, call, 0)?.len() as u64)
}

fn strnlen(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let limit = call.size(machine, 1)?;
    bits(bounded(machine, call, 0, limit)?.len() as u64)
}

/// Writes a string and its end, which must not overlap with where it comes from.
fn write_apart(machine: &mut Machine<'_, '_>, to: Pointer, text: &[u8], from: Pointer) -> Fallible<()> {
    let size = text.len() as u64 + 1;
    if to.object == from.object && to.address.abs_diff(from.address) < size {
        return Err(Undefined::OverlappingCopy.into());
    }
    machine.write_string(to, text)
}

fn copy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<(Pointer, usize)> {
    let (to, from) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let text = machine.read_string(from)?;
    write_apart(machine, to, &text, from)?;
    Ok((to, text.len()))
}

fn strcpy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    pointer(copy(machine, call)?.0)
}

fn stpcpy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, length) = copy(machine, call)?;
    pointer(to.offset(length as i64))
}

fn strncpy(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (to, from) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let size = call.size(machine, 2)?;
    let mut text = machine.read_string_up_to(from, size)?;
    machine.access(to, size, AccessKind::Write)?;
    text.resize(size as usize, 0);
    machine.write_bytes(to, &text)?;
    pointer(to)
}

fn append(machine: &mut Machine<'_, '_>, call: &Call<'_>, text: &[u8]) -> Fallible<Reply> {
    let (to, from) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let length = machine.read_string(to)?.len();
    write_apart(machine, to.offset(length as i64), text, from)?;
    pointer(to)
}

fn strcat(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let text = string(machine, call, 1)?;
    append(machine, call, &text)
}

fn strncat(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let limit = call.size(machine, 2)?;
    let text = bounded(machine, call, 1, limit)?;
    append(machine, call, &text)
}

fn strcmp(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (left, right) = (string(machine, call, 0)?, string(machine, call, 1)?);
    int(sign(left.cmp(&right)))
}

fn strncmp(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    // Stops where the strings differ: neither has to have an end after that.
    let (left, right) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    for index in 0..call.size(machine, 2)? as i64 {
        let left = machine.read_bytes(left.offset(index), 1)?[0];
        let right = machine.read_bytes(right.offset(index), 1)?[0];
        if left != right || left == 0 {
            return int(sign(left.cmp(&right)));
        }
    }
    int(0)
}

fn strcasecmp(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (left, right) = (string(machine, call, 0)?, string(machine, call, 1)?);
    int(sign(left.to_ascii_lowercase().cmp(&right.to_ascii_lowercase())))
}

fn strncasecmp(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let limit = call.size(machine, 2)?;
    let (left, right) = (bounded(machine, call, 0, limit)?, bounded(machine, call, 1, limit)?);
    int(sign(left.to_ascii_lowercase().cmp(&right.to_ascii_lowercase())))
}

/// The place that `search` finds in the first string, its end included.
fn find_in(machine: &mut Machine<'_, '_>, call: &Call<'_>, search: impl Fn(&[u8]) -> Option<usize>) -> Fallible<Reply> {
    let start = call.pointer(machine, 0)?;
    let mut text = machine.read_string(start)?;
    text.push(0);
    pointer(search(&text).map_or(Pointer::NULL, |index| start.offset(index as i64)))
}

fn strchr(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let byte = call.int(1)? as u8;
    find_in(machine, call, |text| text.iter().position(|&other| other == byte))
}

fn strrchr(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let byte = call.int(1)? as u8;
    find_in(machine, call, |text| text.iter().rposition(|&other| other == byte))
}

fn strstr(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let needle = string(machine, call, 1)?;
    if needle.is_empty() {
        return pointer(call.pointer(machine, 0)?);
    }
    find_in(machine, call, |text| text.windows(needle.len()).position(|part| part == needle))
}

fn strspn(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (text, set) = (string(machine, call, 0)?, string(machine, call, 1)?);
    bits(text.iter().take_while(|byte| set.contains(byte)).count() as u64)
}

fn strcspn(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (text, set) = (string(machine, call, 0)?, string(machine, call, 1)?);
    bits(text.iter().take_while(|byte| !set.contains(byte)).count() as u64)
}

fn strpbrk(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let set = string(machine, call, 1)?;
    find_in(machine, call, |text| text.iter().position(|byte| set.contains(byte)))
}

fn strtok(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (first, set) = (call.pointer(machine, 0)?, string(machine, call, 1)?);
    let start = if first.address != 0 { Some(first) } else { machine.library.token };
    let Some(start) = start else { return pointer(Pointer::NULL) };
    let text = machine.read_string(start)?;
    machine.library.token = None;
    let Some(begin) = text.iter().position(|byte| !set.contains(byte)) else { return pointer(Pointer::NULL) };
    if let Some(length) = text[begin..].iter().position(|byte| set.contains(byte)) {
        machine.write_bytes(start.offset((begin + length) as i64), &[0])?;
        machine.library.token = Some(start.offset((begin + length + 1) as i64));
    }
    pointer(start.offset(begin as i64))
}

fn duplicate(machine: &mut Machine<'_, '_>, text: &[u8]) -> Fallible<Reply> {
    let memory = allocate::allocate(machine, text.len() as u64 + 1, 16)?;
    if memory.object.is_some() {
        machine.write_string(memory, text)?;
    }
    pointer(memory)
}

fn strdup(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let text = string(machine, call, 0)?;
    duplicate(machine, &text)
}

fn strndup(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let limit = call.size(machine, 1)?;
    let text = bounded(machine, call, 0, limit)?;
    duplicate(machine, &text)
}
