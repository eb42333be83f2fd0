//! The basics of the C library, checked as strictly as the program itself.

mod allocate;
mod characters;
mod control;
mod format;
mod integers;
mod math;
mod memory_blocks;
mod numerals;
mod sort;
mod streams;
mod strings;

use crate::machine::{Access, Argument, Machine, Passed};
use crate::memory::Part;
use crate::outcome::{AccessKind, Fallible, Undefined};
use crate::value::{Pointer, Shape, Value};
use hardbop_c_core::{FunctionId, TypeId};
pub(crate) use sort::Resumable;

/// A function that is built in.
pub(crate) type Native = for<'a, 'm, 'e> fn(&mut Machine<'m, 'e>, &Call<'a>) -> Fallible<Reply>;

/// A call of a built-in function.
pub(crate) struct Call<'a> {
    pub(crate) function: FunctionId,
    pub(crate) arguments: &'a [Argument],
    /// What the program declares it to return; nothing, or no scalar, if `None`.
    pub(crate) shape: Option<Shape>,
}

/// What a built-in function returns.
pub(crate) enum Reply {
    Value(Value),
    Nothing,
    /// It has to call a function of the program first.
    CallBack(Box<Resumable>),
}

/// What a function that calls back does next.
pub(crate) enum Next {
    Call(FunctionId, Vec<Argument>),
    Done(Value),
}

/// What the library remembers between calls.
#[derive(Default)]
pub(crate) struct State {
    /// What `strtok` goes on with.
    pub(crate) token: Option<Pointer>,
    /// What `stdout` points to.
    pub(crate) output: Option<Pointer>,
    /// The table of character classes.
    pub(crate) classes: Option<Pointer>,
}

/// The built-in function of this name.
pub(crate) fn find(name: &str) -> Option<Native> {
    if name == "__builtin_memcpy" {
        return Some(memory_blocks::BUILTIN_MEMCPY);
    }
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    allocate::find(plain)
        .or_else(|| memory_blocks::find(plain))
        .or_else(|| strings::find(plain))
        .or_else(|| characters::find(plain))
        .or_else(|| streams::find(plain))
        .or_else(|| numerals::find(plain))
        .or_else(|| integers::find(plain))
        .or_else(|| math::find(plain))
        .or_else(|| sort::find(plain))
        .or_else(|| control::find(plain))
}

impl Call<'_> {
    fn value(&self, index: usize) -> Fallible<Value> {
        match self.arguments.get(index).map(|argument| &argument.passed) {
            Some(Passed::Scalar(value)) => Ok(*value),
            Some(Passed::Record(_)) | None => Err(Undefined::WrongFunctionType.into()),
        }
    }

    /// The type of an argument.
    fn ty(&self, index: usize) -> Fallible<TypeId> {
        match self.arguments.get(index) {
            Some(argument) => Ok(argument.ty),
            None => Err(Undefined::WrongFunctionType.into()),
        }
    }

    /// An argument that is a pointer.
    fn pointer(&self, machine: &Machine<'_, '_>, index: usize) -> Fallible<Pointer> {
        match self.value(index)? {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Int(address) => Ok(machine.memory.resolve(address & machine.address_mask)),
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }

    /// The bits of an argument that is an integer.
    fn bits(&self, index: usize) -> Fallible<u64> {
        match self.value(index)? {
            Value::Int(bits) => Ok(bits),
            Value::Pointer(pointer) => Ok(pointer.address),
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }

    /// An argument of type `int`.
    fn int(&self, index: usize) -> Fallible<i32> {
        Ok(self.bits(index)? as i32)
    }

    /// An argument of type `size_t`.
    fn size(&self, machine: &Machine<'_, '_>, index: usize) -> Fallible<u64> {
        Ok(self.bits(index)? & machine.address_mask)
    }

    /// An argument of a floating type.
    fn double(&self, index: usize) -> Fallible<f64> {
        match self.value(index)? {
            Value::Double(number) => Ok(number),
            Value::Float(number) => Ok(f64::from(number)),
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }
}

fn int(number: i32) -> Fallible<Reply> {
    Ok(Reply::Value(Value::Int(i64::from(number) as u64)))
}

fn bits(number: u64) -> Fallible<Reply> {
    Ok(Reply::Value(Value::Int(number)))
}

fn pointer(pointer: Pointer) -> Fallible<Reply> {
    Ok(Reply::Value(Value::Pointer(pointer)))
}

impl Machine<'_, '_> {
    /// The bytes at `pointer`, if they may be accessed.
    fn access(&mut self, pointer: Pointer, size: u64, kind: AccessKind) -> Fallible<Part> {
        self.count_bytes(size);
        if self.is_observed {
            self.accesses.push(Access { base: pointer, pointer, size, kind });
        }
        self.memory.part(pointer, size, kind)
    }

    /// Writes bytes at `pointer`.
    pub(crate) fn write_bytes(&mut self, pointer: Pointer, bytes: &[u8]) -> Fallible<()> {
        let part = self.access(pointer, bytes.len() as u64, AccessKind::Write)?;
        for (index, &byte) in bytes.iter().enumerate() {
            let part = self.memory.advance(part, index);
            self.memory.write_bits(part, 1, u64::from(byte));
        }
        Ok(())
    }

    fn write_string(&mut self, pointer: Pointer, bytes: &[u8]) -> Fallible<()> {
        let mut with_end = bytes.to_vec();
        with_end.push(0);
        self.write_bytes(pointer, &with_end)
    }

    /// The initialised bytes at `pointer`.
    fn read_bytes(&mut self, pointer: Pointer, size: u64) -> Fallible<Vec<u8>> {
        let part = self.access(pointer, size, AccessKind::Read)?;
        (0..size as usize).map(|index| self.read_byte(part, index)).collect()
    }

    fn read_byte(&self, part: Part, index: usize) -> Fallible<u8> {
        match self.memory.read_bits(self.memory.advance(part, index), 1) {
            Some(byte) => Ok(byte as u8),
            None => Err(Undefined::UninitialisedRead.into()),
        }
    }

    /// The string at `pointer`, without its end.
    fn read_string(&mut self, pointer: Pointer) -> Fallible<Vec<u8>> {
        self.read_string_up_to(pointer, u64::MAX)
    }

    /// The string at `pointer`, of which at most `limit` bytes are read.
    fn read_string_up_to(&mut self, pointer: Pointer, limit: u64) -> Fallible<Vec<u8>> {
        let mut bytes = Vec::new();
        if limit == 0 {
            return Ok(bytes);
        }
        let part = self.access(pointer, 1, AccessKind::Read)?;
        let room = self.memory.room(part);
        while (bytes.len() as u64) < limit {
            if bytes.len() >= room {
                // Says that the object has ended.
                self.access(pointer.offset(bytes.len() as i64), 1, AccessKind::Read)?;
            }
            match self.read_byte(part, bytes.len())? {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(bytes)
    }
}
