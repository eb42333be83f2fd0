//! Watching a run: statements, accesses through pointers, values of variables.

use super::Machine;
use crate::code::VarPlace;
use crate::memory::{FUNCTIONS, Origin};
use crate::outcome::{AccessKind, Outcome};
use crate::value::{Pointer, Shape, Value};
use hardbop_base::Idx;
use hardbop_c_core::{FunctionId, Stmt, VarId};

/// An access through a pointer, done or refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The pointer that is dereferenced.
    pub base: Pointer,
    /// The address of the part of it that is accessed.
    pub pointer: Pointer,
    /// How many bytes.
    pub size: u64,
    /// Read or written.
    pub kind: AccessKind,
}

/// What a watcher is told.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// This statement, or the condition of it, is executed next.
    Before {
        /// The function.
        function: FunctionId,
        /// The statement.
        statement: &'a Stmt,
    },
    /// This statement was executed, as far as it went; the machine is where it leads.
    After {
        /// The function.
        function: FunctionId,
        /// The statement.
        statement: &'a Stmt,
        /// Its accesses through pointers; if the run ended with one, it is the last.
        accesses: &'a [Access],
        /// How the run ended, if it has.
        outcome: Option<&'a Outcome>,
    },
}

/// Who watches a run. An argument that is evaluated, a copy that is made by the library: all belong to their statement.
pub type Observer<'o> = dyn FnMut(&Machine<'_, '_>, Event<'_>) + 'o;

/// What a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pointee {
    /// Nothing: the address is zero.
    Null,
    /// A part of a live object, or the place after its end.
    Object {
        /// Where the object comes from.
        origin: Origin,
        /// Bytes from its start.
        offset: i64,
    },
    /// An object that is gone.
    Dead,
    /// A function.
    Function(FunctionId),
    /// A label, or a number that is no address.
    Number(u64),
}

impl Machine<'_, '_> {
    /// Executes one instruction while `observer` watches; says how the run ended if it has.
    pub fn step_observed(&mut self, observer: &mut Observer<'_>) -> Option<Outcome> {
        if let Some(outcome) = &self.outcome {
            return Some(outcome.clone());
        }
        let function = self.activations.last().map(|activation| activation.code.function);
        let watched = function.zip(self.statement());
        if let Some((function, statement)) = watched {
            observer(self, Event::Before { function, statement });
        }
        self.is_observed = true;
        self.accesses.clear();
        let outcome = self.step();
        self.is_observed = false;
        if let Some((function, statement)) = watched {
            let accesses = std::mem::take(&mut self.accesses);
            observer(self, Event::After { function, statement, accesses: &accesses, outcome: outcome.as_ref() });
            self.accesses = accesses;
        }
        outcome
    }

    /// What `pointer` points to now.
    pub fn pointee(&self, pointer: Pointer) -> Pointee {
        let functions = FUNCTIONS..FUNCTIONS + 16 * self.module.functions.len() as u64;
        match pointer.object {
            Some(object) if !self.memory.is_live(object) => Pointee::Dead,
            Some(object) => {
                let origin = self.memory.origin(object).expect("a live object has an origin");
                let start = self.memory.pointer(object).address;
                Pointee::Object { origin, offset: pointer.address.wrapping_sub(start) as i64 }
            }
            None if pointer.address == 0 => Pointee::Null,
            None if functions.contains(&pointer.address) && pointer.address.is_multiple_of(16) => {
                Pointee::Function(FunctionId::from_usize(((pointer.address - FUNCTIONS) / 16) as usize))
            }
            None => Pointee::Number(pointer.address),
        }
    }

    /// The value of a scalar variable: a static one, or one of the current activation. `None` if it is neither, and
    /// [`Value::Undefined`] if nothing was stored to it.
    pub fn variable(&self, var: VarId) -> Option<Value> {
        let variable = &self.module.vars[var];
        let shape = Shape::of(&self.module.types, variable.ty.ty)?;
        let current = self.activations.last().map(|activation| activation.code.function);
        if variable.kind.owner().is_some_and(|owner| Some(owner) != current) {
            return None;
        }
        let object = match self.places[var] {
            VarPlace::Register(register) => {
                return self.registers.get(self.register_base + register as usize).copied();
            }
            VarPlace::Frame(number) => *self.objects.get(self.object_base + number as usize)?,
            VarPlace::Static(object) => object,
        };
        let part = self.memory.part_of_variable(object, 0, shape.size()).ok()?;
        Some(self.read_scalar(part, shape).unwrap_or(Value::Undefined))
    }
}
