//! Output, and the little input there is.

use super::format::{Source, print};
use super::{Call, Native, Reply, bits, int};
use crate::environment::Stream;
use crate::machine::Machine;
use crate::outcome::{Fallible, Undefined};
use crate::value::Pointer;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "printf" => |machine, call| formatted(machine, call, Sink::Output, 0, Tail::Arguments),
        "vprintf" => |machine, call| formatted(machine, call, Sink::Output, 0, Tail::List),
        "__printf_chk" => |machine, call| formatted(machine, call, Sink::Output, 1, Tail::Arguments),
        "fprintf" => |machine, call| formatted(machine, call, Sink::Stream, 1, Tail::Arguments),
        "vfprintf" => |machine, call| formatted(machine, call, Sink::Stream, 1, Tail::List),
        "__fprintf_chk" => |machine, call| formatted(machine, call, Sink::Stream, 2, Tail::Arguments),
        "sprintf" => |machine, call| formatted(machine, call, Sink::String, 1, Tail::Arguments),
        "vsprintf" => |machine, call| formatted(machine, call, Sink::String, 1, Tail::List),
        "snprintf" => |machine, call| formatted(machine, call, Sink::Bounded, 2, Tail::Arguments),
        "vsnprintf" => |machine, call| formatted(machine, call, Sink::Bounded, 2, Tail::List),
        "__sprintf_chk" => |machine, call| formatted(machine, call, Sink::String, 3, Tail::Arguments),
        "__snprintf_chk" => |machine, call| formatted(machine, call, Sink::Bounded, 4, Tail::Arguments),
        "__vsnprintf_chk" => |machine, call| formatted(machine, call, Sink::Bounded, 4, Tail::List),
        "puts" => puts,
        "fputs" => fputs,
        "putchar" | "putchar_unlocked" => putchar,
        "putc" | "fputc" | "_IO_putc" => fputc,
        "fwrite" => fwrite,
        "fflush" | "setbuf" | "setvbuf" => |_, _| int(0),
        "perror" => perror,
        "getchar" | "getchar_unlocked" => getchar,
        "getc" | "fgetc" => fgetc,
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Sink {
    Output,
    /// The stream is the first argument.
    Stream,
    /// The buffer is the first argument.
    String,
    /// So is its size the second.
    Bounded,
}

#[derive(Clone, Copy)]
enum Tail {
    /// The values stand after the format.
    Arguments,
    /// After the format stands a list of them.
    List,
}

fn formatted(machine: &mut Machine<'_, '_>, call: &Call<'_>, sink: Sink, format: usize, tail: Tail) -> Fallible<Reply> {
    let text = call.pointer(machine, format)?;
    let text = machine.read_string(text)?;
    let source = match tail {
        Tail::Arguments => Source::Rest(call.arguments.get(format + 1..).unwrap_or_default()),
        Tail::List => Source::List(call.pointer(machine, format + 1)?),
    };
    let output = print(machine, &text, source)?;
    match sink {
        Sink::Output => machine.environment.write(Stream::Output, &output),
        Sink::Stream => {
            let stream = call.pointer(machine, 0)?;
            write(machine, stream, &output)?;
        }
        Sink::String => {
            let buffer = call.pointer(machine, 0)?;
            machine.write_string(buffer, &output)?;
        }
        Sink::Bounded => {
            let (buffer, size) = (call.pointer(machine, 0)?, call.size(machine, 1)?);
            if let Some(room) = size.checked_sub(1) {
                let kept = output.len().min(usize::try_from(room).unwrap_or(usize::MAX));
                machine.write_string(buffer, &output[..kept])?;
            }
        }
    }
    int(i32::try_from(output.len()).unwrap_or(-1))
}

/// Writes to the stream that `stream` points to; what is not standard output is not looked at by anyone.
fn write(machine: &mut Machine<'_, '_>, stream: Pointer, bytes: &[u8]) -> Fallible<()> {
    if stream.address == 0 {
        return Err(Undefined::NullDereference.into());
    }
    let is_output = machine.library.output.is_some_and(|output| output == stream);
    machine.environment.write(if is_output { Stream::Output } else { Stream::Error }, bytes);
    Ok(())
}

fn puts(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let text = call.pointer(machine, 0)?;
    let mut line = machine.read_string(text)?;
    line.push(b'\n');
    machine.environment.write(Stream::Output, &line);
    int(line.len() as i32)
}

fn fputs(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (text, stream) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let text = machine.read_string(text)?;
    write(machine, stream, &text)?;
    int(1)
}

fn putchar(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let byte = call.int(0)? as u8;
    machine.environment.write(Stream::Output, &[byte]);
    int(i32::from(byte))
}

fn fputc(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (byte, stream) = (call.int(0)? as u8, call.pointer(machine, 1)?);
    write(machine, stream, &[byte])?;
    int(i32::from(byte))
}

fn fwrite(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (data, stream) = (call.pointer(machine, 0)?, call.pointer(machine, 3)?);
    let (size, count) = (call.size(machine, 1)?, call.size(machine, 2)?);
    let total = size.checked_mul(count).ok_or(Undefined::BadSize)?;
    let bytes = machine.read_bytes(data, total)?;
    write(machine, stream, &bytes)?;
    bits(if size == 0 { 0 } else { count })
}

fn perror(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let text = call.pointer(machine, 0)?;
    let text = if text.address == 0 { Vec::new() } else { machine.read_string(text)? };
    machine.environment.write(Stream::Error, &text);
    Ok(Reply::Nothing)
}

fn getchar(machine: &mut Machine<'_, '_>, _call: &Call<'_>) -> Fallible<Reply> {
    int(machine.environment.read().map_or(-1, i32::from))
}

fn fgetc(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let stream = call.pointer(machine, 0)?;
    if stream.address == 0 {
        return Err(Undefined::NullDereference.into());
    }
    int(machine.environment.read().map_or(-1, i32::from))
}
