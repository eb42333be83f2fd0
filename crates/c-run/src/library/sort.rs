//! `qsort` and `bsearch`: library functions that call the program back.
//!
//! The order is found by insertion with binary search, so that equal elements keep their order, as with glibc's merge
//! sort.

use super::{Call, Native, Next, Reply};
use crate::machine::{Argument, Machine, Passed};
use crate::memory::Blob;
use crate::outcome::{AccessKind, Fallible, Undefined};
use crate::value::{Pointer, Value};
use hardbop_c_core::{FunctionId, TypeId};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "qsort" => qsort,
        "bsearch" => bsearch,
        _ => return None,
    })
}

/// A sort or a search that waits for a comparison.
pub(crate) struct Resumable {
    task: Task,
    compare: FunctionId,
    /// The type of the arguments of `compare`.
    ty: TypeId,
    base: Pointer,
    count: u64,
    size: u64,
    /// The range that the place of the element lies in.
    low: u64,
    high: u64,
}

enum Task {
    /// The elements before this one are sorted.
    Sort(u64),
    /// What is looked for.
    Search(Pointer),
}

fn qsort(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let base = call.pointer(machine, 0)?;
    let (count, size) = (call.size(machine, 1)?, call.size(machine, 2)?);
    let compare = machine.function_at(call.pointer(machine, 3)?)?;
    begin(machine, Task::Sort(1), call.ty(0)?, base, count, size, compare)
}

fn bsearch(machine: &mut Machine<'_, '_>, call: &Call<'_>) -> Fallible<Reply> {
    let (key, base) = (call.pointer(machine, 0)?, call.pointer(machine, 1)?);
    let (count, size) = (call.size(machine, 2)?, call.size(machine, 3)?);
    let compare = machine.function_at(call.pointer(machine, 4)?)?;
    begin(machine, Task::Search(key), call.ty(0)?, base, count, size, compare)
}

fn begin(
    machine: &mut Machine<'_, '_>,
    task: Task,
    ty: TypeId,
    base: Pointer,
    count: u64,
    size: u64,
    compare: FunctionId,
) -> Fallible<Reply> {
    // Elements without bytes are in order, and none of them is found.
    let count = if size == 0 { 0 } else { count };
    let bytes = count.checked_mul(size).ok_or(Undefined::BadSize)?;
    if bytes > 0 {
        machine.access(base, bytes, AccessKind::Read)?;
    }
    let high = if matches!(task, Task::Sort(_)) { 1 } else { count };
    Ok(Reply::CallBack(Box::new(Resumable { task, compare, ty, base, count, size, low: 0, high })))
}

impl Resumable {
    fn element(&self, index: u64) -> Pointer {
        self.base.offset((index * self.size) as i64)
    }

    fn middle(&self) -> u64 {
        self.low + (self.high - self.low) / 2
    }

    /// What comes first.
    pub(crate) fn begin(&mut self, machine: &mut Machine<'_, '_>) -> Fallible<Next> {
        self.next(machine)
    }

    /// What comes after a comparison with this result.
    pub(crate) fn resume(&mut self, machine: &mut Machine<'_, '_>, result: Option<Passed>) -> Fallible<Next> {
        let Some(Passed::Scalar(Value::Int(bits))) = result else { return Err(Undefined::MissingReturnValue.into()) };
        let middle = self.middle();
        match (&self.task, bits as i32) {
            (Task::Search(_), 0) => return Ok(Next::Done(Value::Pointer(self.element(middle)))),
            // The element or key goes before the one in the middle.
            (_, ..0) => self.high = middle,
            _ => self.low = middle + 1,
        }
        self.next(machine)
    }

    fn next(&mut self, machine: &mut Machine<'_, '_>) -> Fallible<Next> {
        loop {
            if let Task::Sort(current) = self.task
                && current >= self.count
            {
                return Ok(Next::Done(Value::Int(0)));
            }
            if self.low < self.high {
                return Ok(self.comparison());
            }
            match self.task {
                Task::Search(_) => return Ok(Next::Done(Value::Pointer(Pointer::NULL))),
                Task::Sort(current) => {
                    self.insert(machine, current)?;
                    self.task = Task::Sort(current + 1);
                    (self.low, self.high) = (0, current + 1);
                }
            }
        }
    }

    fn comparison(&self) -> Next {
        let left = match self.task {
            Task::Sort(current) => self.element(current),
            Task::Search(key) => key,
        };
        let argument = |pointer| Argument { passed: Passed::Scalar(Value::Pointer(pointer)), ty: self.ty };
        Next::Call(self.compare, vec![argument(left), argument(self.element(self.middle()))])
    }

    /// Moves the element to the place that was found for it.
    fn insert(&self, machine: &mut Machine<'_, '_>, current: u64) -> Fallible<()> {
        let (size, place) = (self.size as usize, self.low);
        if place == current {
            return Ok(());
        }
        let (mut element, mut others) = (Blob::default(), Blob::default());
        let part = machine.memory.part(self.element(current), self.size, AccessKind::Read)?;
        machine.memory.read_blob(part, size, &mut element);
        let moved = (current - place) * self.size;
        let part = machine.memory.part(self.element(place), moved, AccessKind::Read)?;
        machine.memory.read_blob(part, moved as usize, &mut others);
        let part = machine.memory.part(self.element(place + 1), moved, AccessKind::Write)?;
        machine.memory.write_blob(part, &others);
        let part = machine.memory.part(self.element(place), self.size, AccessKind::Write)?;
        machine.memory.write_blob(part, &element);
        Ok(())
    }
}
