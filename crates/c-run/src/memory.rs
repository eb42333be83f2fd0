//! Objects and their bytes.
//!
//! Every object has an address, so that a pointer is a number everywhere; what tells pointers of different objects
//! apart is the [`ObjectId`] they carry along. In memory a pointer is its number, byte by byte, and beside it, for each
//! word, the object. A word that is overwritten in part, or copied byte by byte, is only a number; read as a pointer it
//! points to the object that is there now, as after a cast.
//!
//! **Invariant:** live objects do not overlap, and between two there is a byte that belongs to none: so the address
//! after the last byte belongs to one object only.

mod bytes;
mod regions;

pub(crate) use bytes::Blob;
pub(crate) use regions::{FUNCTIONS, LABELS};

use crate::outcome::{AccessKind, Fallible, Outcome, Undefined};
use crate::value::{Pointer, pointer_bytes};
use bytes::Bytes;
use hardbop_base::Span;
use hardbop_c_core::{FunctionId, Target, VarId};
use regions::Regions;
use std::num::NonZeroU32;

/// An object, live or not. Rows of the table are used again, generations are not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ObjectId {
    row: NonZeroU32,
    generation: u32,
}

impl ObjectId {
    fn new(row: usize, generation: u32) -> Self {
        let row = u32::try_from(row + 1).ok().and_then(NonZeroU32::new).expect("a table has fewer than 2^32 rows");
        Self { row, generation }
    }

    #[inline]
    fn row(self) -> usize {
        self.row.get() as usize - 1
    }
}

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// A variable.
    Variable(VarId),
    /// `malloc` and its like, called here.
    Heap {
        /// In this function.
        function: FunctionId,
        /// At this place.
        span: Span,
    },
    /// `alloca`, called here.
    Alloca {
        /// In this function.
        function: FunctionId,
        /// At this place.
        span: Span,
    },
    /// The arguments of the program, or what the library keeps for itself.
    Outside,
}

/// Where the life of an object ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// Never.
    Static,
    /// With its function.
    Stack,
    /// By `free`.
    Heap,
}

/// Who may write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Writable {
    Yes,
    /// It is a string literal.
    Literal,
    /// It is `const`.
    Const,
}

/// Whether an object can be accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Liveness {
    /// It can.
    Live,
    /// It was freed.
    Freed,
    /// Its function has returned.
    OutOfScope,
}

#[derive(Debug)]
struct Object {
    base: u64,
    generation: u32,
    liveness: Liveness,
    storage: Storage,
    writable: Writable,
    origin: Origin,
    bytes: Bytes,
}

/// A part of a live object that may be accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    row: usize,
    offset: usize,
}

/// All objects.
#[derive(Debug)]
pub(crate) struct Memory {
    objects: Vec<Object>,
    // Apart, so that a stale pointer knows what kind of object it was for.
    free_heap_rows: Vec<u32>,
    free_stack_rows: Vec<u32>,
    regions: Regions,
    word: usize,
    used: u64,
    limit: u64,
}

// Each object costs more than its bytes; the limit has to see that.
const OVERHEAD: u64 = 96;

impl Memory {
    pub(crate) fn new(target: Target, limit: u64) -> Self {
        let word = usize::from(pointer_bytes(target));
        let regions = Regions::new(target);
        Self {
            objects: Vec::new(),
            free_heap_rows: Vec::new(),
            free_stack_rows: Vec::new(),
            regions,
            word,
            used: 0,
            limit,
        }
    }

    /// A new object of uninitialised bytes.
    pub(crate) fn allocate(
        &mut self,
        storage: Storage,
        size: u64,
        align: u64,
        origin: Origin,
    ) -> Result<ObjectId, Outcome> {
        self.used = self.used.saturating_add(size).saturating_add(OVERHEAD);
        if self.used > self.limit {
            return Err(Outcome::MemoryLimit);
        }
        let free_row = match storage {
            Storage::Static => None,
            Storage::Stack => self.free_stack_rows.pop(),
            Storage::Heap => self.free_heap_rows.pop(),
        };
        let row = free_row.map_or(self.objects.len(), |row| row as usize);
        let base = self.regions.place(storage, size, align, row).ok_or(Outcome::MemoryLimit)?;
        let size = usize::try_from(size).map_err(|_| Outcome::MemoryLimit)?;
        if row == self.objects.len() {
            let bytes = Bytes::uninitialised(size);
            let writable = Writable::Yes;
            self.objects.push(Object {
                base,
                generation: 0,
                liveness: Liveness::Live,
                storage,
                writable,
                origin,
                bytes,
            });
            return Ok(ObjectId::new(row, 0));
        }
        let object = &mut self.objects[row];
        object.base = base;
        object.generation = object.generation.wrapping_add(1);
        object.liveness = Liveness::Live;
        object.storage = storage;
        object.writable = Writable::Yes;
        object.origin = origin;
        object.bytes.reset(size);
        Ok(ObjectId::new(row, object.generation))
    }

    /// Forbids writing through pointers.
    pub(crate) fn protect(&mut self, id: ObjectId, writable: Writable) {
        self.objects[id.row()].writable = writable;
    }

    /// Allows writing to the live local that `pointer` points to; returns what was allowed before.
    pub(crate) fn unprotect_local(&mut self, pointer: Pointer) -> Option<(ObjectId, Writable)> {
        let id = pointer.object?;
        let object = &mut self.objects[id.row()];
        let is_local = object.storage == Storage::Stack && object.generation == id.generation;
        is_local.then(|| (id, std::mem::replace(&mut object.writable, Writable::Yes)))
    }

    /// Ends the life of an object on the stack, the last one that lives there.
    pub(crate) fn leave_scope(&mut self, id: ObjectId) {
        self.regions.pop_stack();
        self.kill(id.row(), Liveness::OutOfScope);
        self.free_stack_rows.push(id.row() as u32);
    }

    fn kill(&mut self, row: usize, liveness: Liveness) {
        let object = &mut self.objects[row];
        object.liveness = liveness;
        self.used -= object.bytes.len() as u64 + OVERHEAD;
    }

    /// Whether a pointer that is not null may be freed.
    pub(crate) fn check_free(&self, pointer: Pointer) -> Fallible<ObjectId> {
        let Some(id) = pointer.object else { return Err(Undefined::InvalidFree.into()) };
        let object = &self.objects[id.row()];
        if object.storage != Storage::Heap {
            return Err(Undefined::InvalidFree.into());
        }
        if object.generation != id.generation || object.liveness != Liveness::Live {
            return Err(Undefined::DoubleFree.into());
        }
        if object.base != pointer.address {
            return Err(Undefined::InvalidFree.into());
        }
        Ok(id)
    }

    /// `free(pointer)` of a pointer that is not null.
    pub(crate) fn free(&mut self, pointer: Pointer) -> Fallible<()> {
        let id = self.check_free(pointer)?;
        self.regions.remove_heap(pointer.address);
        self.kill(id.row(), Liveness::Freed);
        self.objects[id.row()].bytes.release();
        self.free_heap_rows.push(id.row() as u32);
        Ok(())
    }

    /// Whether the object of `id` can be accessed.
    pub(crate) fn is_live(&self, id: ObjectId) -> bool {
        let object = &self.objects[id.row()];
        object.generation == id.generation && object.liveness == Liveness::Live
    }

    /// Where the object comes from, if it has not made way for another.
    pub(crate) fn origin(&self, id: ObjectId) -> Option<Origin> {
        let object = &self.objects[id.row()];
        (object.generation == id.generation).then_some(object.origin)
    }

    /// The size of a live object.
    pub(crate) fn size(&self, id: ObjectId) -> u64 {
        self.objects[id.row()].bytes.len() as u64
    }

    /// The pointer to an object's first byte.
    pub(crate) fn pointer(&self, id: ObjectId) -> Pointer {
        Pointer { address: self.objects[id.row()].base, object: Some(id) }
    }

    /// What the number `address` points to as a pointer.
    pub(crate) fn resolve(&self, address: u64) -> Pointer {
        let object = self.regions.find(address).and_then(|row| {
            let object = &self.objects[row];
            let is_inside = address - object.base <= object.bytes.len() as u64;
            is_inside.then(|| ObjectId::new(row, object.generation))
        });
        Pointer { address, object }
    }

    /// The `size` bytes at `pointer`, if they may be accessed through it.
    #[inline]
    pub(crate) fn part(&self, pointer: Pointer, size: u64, access: AccessKind) -> Fallible<Part> {
        let Some(id) = pointer.object else { return Err(no_object(pointer.address)) };
        let object = &self.objects[id.row()];
        if object.generation != id.generation || object.liveness != Liveness::Live {
            return Err(dead(object, id));
        }
        let offset = pointer.address.wrapping_sub(object.base);
        let end = offset.wrapping_add(size);
        if end > object.bytes.len() as u64 || end < offset {
            return Err(out_of_bounds(object, offset as i64, size));
        }
        if access == AccessKind::Write && object.writable != Writable::Yes {
            return Err(protected(object));
        }
        Ok(Part { row: id.row(), offset: offset as usize })
    }

    /// The `size` bytes at `offset` of the live object `id`, which a variable names.
    #[inline]
    pub(crate) fn part_of_variable(&self, id: ObjectId, offset: i64, size: u64) -> Fallible<Part> {
        let object = &self.objects[id.row()];
        let end = (offset as u64).wrapping_add(size);
        if end > object.bytes.len() as u64 || end < offset as u64 {
            return Err(out_of_bounds(object, offset, size));
        }
        Ok(Part { row: id.row(), offset: offset as usize })
    }

    /// `pointer` moved by so many bytes, which must not leave its object.
    #[inline]
    pub(crate) fn moved(&self, pointer: Pointer, bytes: i64) -> Fallible<Pointer> {
        let moved = pointer.offset(bytes);
        let Some(id) = pointer.object else { return Ok(moved) };
        let object = &self.objects[id.row()];
        if object.generation != id.generation || object.liveness != Liveness::Live {
            return Ok(moved);
        }
        let offset = moved.address.wrapping_sub(object.base);
        if offset <= object.bytes.len() as u64 {
            return Ok(moved);
        }
        let object_size = object.bytes.len() as u64;
        Err(Undefined::PointerOutOfBounds { origin: object.origin, offset: offset as i64, object_size }.into())
    }

    /// The part that starts so many bytes later, inside of the same object.
    pub(crate) fn advance(&self, part: Part, bytes: usize) -> Part {
        Part { row: part.row, offset: part.offset + bytes }
    }

    /// How many bytes there are from `part` to the end of its object.
    pub(crate) fn room(&self, part: Part) -> usize {
        self.objects[part.row].bytes.len() - part.offset
    }

    #[inline]
    fn bytes(&self, part: Part) -> &Bytes {
        &self.objects[part.row].bytes
    }

    #[inline]
    fn bytes_mut(&mut self, part: Part) -> &mut Bytes {
        &mut self.objects[part.row].bytes
    }

    /// Forgets what the object held.
    pub(crate) fn forget(&mut self, id: ObjectId) {
        self.objects[id.row()].bytes.forget();
    }

    /// Forgets what these bytes held.
    pub(crate) fn forget_part(&mut self, part: Part, size: usize) {
        self.bytes_mut(part).forget_part(part.offset, size);
    }

    /// Every byte of the part becomes this number.
    pub(crate) fn fill(&mut self, part: Part, size: usize, byte: u8) {
        self.bytes_mut(part).fill(part.offset, size, byte);
    }

    /// Up to 16 bytes as a number, least significant first; `None` if some are uninitialised.
    #[inline]
    pub(crate) fn read_number(&self, part: Part, size: usize) -> Option<u128> {
        self.bytes(part).number(part.offset, size)
    }

    /// Up to 8 bytes as a number.
    #[inline]
    pub(crate) fn read_bits(&self, part: Part, size: usize) -> Option<u64> {
        self.bytes(part).bits(part.offset, size)
    }

    /// Writes the low `size` bytes of a number.
    #[inline]
    pub(crate) fn write_number(&mut self, part: Part, size: usize, number: u128) {
        self.bytes_mut(part).set_number(part.offset, size, &number.to_le_bytes());
    }

    /// Writes the low `size` bytes, at most 8, of a number.
    #[inline]
    pub(crate) fn write_bits(&mut self, part: Part, size: usize, bits: u64) {
        self.bytes_mut(part).set_number(part.offset, size, &bits.to_le_bytes());
    }

    /// The bytes at `part` as they are, uninitialised ones as zero.
    pub(crate) fn raw(&self, part: Part, size: usize) -> u128 {
        self.bytes(part).raw(part.offset, size)
    }

    /// The pointer at `part`; `None` if some of it is uninitialised.
    #[inline]
    pub(crate) fn read_pointer(&self, part: Part) -> Option<Pointer> {
        let address = self.bytes(part).bits(part.offset, self.word)?;
        if address == 0 {
            return Some(Pointer::NULL);
        }
        match self.bytes(part).word(part.offset, self.word) {
            Some(id) => Some(Pointer { address, object: Some(id) }),
            None => Some(self.resolve(address)),
        }
    }

    /// Writes a pointer.
    #[inline]
    pub(crate) fn write_pointer(&mut self, part: Part, pointer: Pointer) {
        let word = self.word;
        let bytes = self.bytes_mut(part);
        bytes.set_number(part.offset, word, &pointer.address.to_le_bytes());
        if let Some(id) = pointer.object {
            bytes.set_word(part.offset, word, id);
        }
    }

    /// Puts the bytes at `part` into `blob`, uninitialised ones and objects of pointers too.
    pub(crate) fn read_blob(&self, part: Part, size: usize, blob: &mut Blob) {
        self.bytes(part).copy_to(part.offset, size, self.word, blob);
    }

    /// Writes what [`read_blob`](Self::read_blob) read.
    pub(crate) fn write_blob(&mut self, part: Part, blob: &Blob) {
        let word = self.word;
        self.bytes_mut(part).copy_from(part.offset, word, blob);
    }
}

// A member of a record at address zero is as null as the record.
const NEAR_NULL: u64 = 4096;

#[cold]
fn no_object(address: u64) -> Box<crate::outcome::Stop> {
    let is_null = address < NEAR_NULL || address.wrapping_neg() < NEAR_NULL;
    if is_null { Undefined::NullDereference.into() } else { Undefined::InvalidPointer.into() }
}

#[cold]
fn dead(object: &Object, id: ObjectId) -> Box<crate::outcome::Stop> {
    let origin = if object.generation == id.generation { object.origin } else { Origin::Outside };
    match object.storage {
        Storage::Heap => Undefined::UseAfterFree(origin).into(),
        Storage::Static | Storage::Stack => Undefined::UseAfterReturn(origin).into(),
    }
}

#[cold]
fn out_of_bounds(object: &Object, offset: i64, size: u64) -> Box<crate::outcome::Stop> {
    let object_size = object.bytes.len() as u64;
    Undefined::OutOfBounds { origin: object.origin, offset, size, object_size }.into()
}

#[cold]
fn protected(object: &Object) -> Box<crate::outcome::Stop> {
    match object.writable {
        Writable::Literal => Undefined::ModifiedLiteral.into(),
        Writable::Yes | Writable::Const => Undefined::ModifiedConst(object.origin).into(),
    }
}
