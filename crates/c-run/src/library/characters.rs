//! Classes of characters, in the "C" locale.

use super::{Call, Native, Reply, int, pointer};
use crate::machine::Machine;
use crate::memory::{Origin, Storage};
use crate::outcome::{AccessKind, Fallible, Undefined};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "isalnum" => |_, call| classify(call, |byte| byte.is_ascii_alphanumeric()),
        "isalpha" => |_, call| classify(call, |byte| byte.is_ascii_alphabetic()),
        "isascii" => |_, call| int(i32::from((0..128).contains(&call.int(0)?))),
        "isblank" => |_, call| classify(call, |byte| matches!(byte, b' ' | b'\t')),
        "iscntrl" => |_, call| classify(call, |byte| byte.is_ascii_control()),
        "isdigit" => |_, call| classify(call, |byte| byte.is_ascii_digit()),
        "isgraph" => |_, call| classify(call, |byte| byte.is_ascii_graphic()),
        "islower" => |_, call| classify(call, |byte| byte.is_ascii_lowercase()),
        "isprint" => |_, call| classify(call, |byte| byte.is_ascii_graphic() || byte == b' '),
        "ispunct" => |_, call| classify(call, |byte| byte.is_ascii_punctuation()),
        "isspace" => |_, call| classify(call, is_space),
        "isupper" => |_, call| classify(call, |byte| byte.is_ascii_uppercase()),
        "isxdigit" => |_, call| classify(call, |byte| byte.is_ascii_hexdigit()),
        "tolower" => |_, call| map(call, |byte| byte.to_ascii_lowercase()),
        "toupper" => |_, call| map(call, |byte| byte.to_ascii_uppercase()),
        "__ctype_b_loc" => class_table,
        _ => return None,
    })
}

/// White space, as `isspace` and `strtol` see it.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The character that is asked about; `None` for the end of a file.
fn character(call: &Call<'_>) -> Fallible<Option<u8>> {
    match call.int(0)? {
        -1 => Ok(None),
        number => match u8::try_from(number) {
            Ok(byte) => Ok(Some(byte)),
            Err(_) => Err(Undefined::BadArgument("a function of characters").into()),
        },
    }
}

fn classify(call: &Call<'_>, class: fn(u8) -> bool) -> Fallible<Reply> {
    int(i32::from(character(call)?.is_some_and(class)))
}

fn map(call: &Call<'_>, map: fn(u8) -> u8) -> Fallible<Reply> {
    int(character(call)?.map_or(-1, |byte| i32::from(map(byte))))
}

// Characters from -128 to 255 have a row in the table that the macros of glibc's header look into.
const FIRST: i64 = -128;
const ROWS: i64 = 384;

/// `__ctype_b_loc`: a pointer to a pointer to the row of character zero.
fn class_table(machine: &mut Machine<'_, '_>, _call: &Call<'_>) -> Fallible<Reply> {
    if let Some(table) = machine.library.classes {
        return pointer(table);
    }
    let table = machine.memory.allocate(Storage::Static, 2 * ROWS as u64, 2, Origin::Outside)?;
    let table = machine.memory.pointer(table);
    for row in 0..ROWS {
        let bits = u8::try_from(row + FIRST).map_or(0, class_bits);
        machine.write_bytes(table.offset(2 * row), &bits.to_le_bytes())?;
    }
    let word = machine.module.types.pointer_size();
    let cell = machine.memory.allocate(Storage::Static, word, word, Origin::Outside)?;
    let cell = machine.memory.pointer(cell);
    let part = machine.memory.part(cell, word, AccessKind::Write)?;
    machine.memory.write_pointer(part, table.offset(-2 * FIRST));
    machine.library.classes = Some(cell);
    pointer(cell)
}

fn class_bits(byte: u8) -> u16 {
    let classes = [
        (0x100, byte.is_ascii_uppercase()),
        (0x200, byte.is_ascii_lowercase()),
        (0x400, byte.is_ascii_alphabetic()),
        (0x800, byte.is_ascii_digit()),
        (0x1000, byte.is_ascii_hexdigit()),
        (0x2000, is_space(byte)),
        (0x4000, byte.is_ascii_graphic() || byte == b' '),
        (0x8000, byte.is_ascii_graphic()),
        (0x1, matches!(byte, b' ' | b'\t')),
        (0x2, byte.is_ascii_control()),
        (0x4, byte.is_ascii_punctuation()),
        (0x8, byte.is_ascii_alphanumeric()),
    ];
    classes.iter().filter(|(_, is_in)| *is_in).map(|(bit, _)| bit).sum()
}
