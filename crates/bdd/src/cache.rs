//! The operation cache: results by operation and operands, in one direct-mapped table that forgets.
//!
//! A key is three numbers: two operands, and either the third operand (of `ite`) or what was done to the two. The second
//! kind has its top bit set, which no handle has.
//!
//! **Invariant:** every entry is true and names only nodes that exist. An entry may be lost at any time.

use crate::Bdd;
use crate::table::{Marks, hash, shift};

const FIRST_ENTRIES: usize = 1 << 9;
/// The bit that tells an operation from a third operand.
const OPERATION: u32 = 1 << 31;

/// What was done to the operands of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag(u32);

impl Tag {
    pub(crate) const AND: Self = Self(OPERATION);
    pub(crate) const OR: Self = Self(OPERATION + 1);
    pub(crate) const XOR: Self = Self(OPERATION + 2);
    pub(crate) const IFF: Self = Self(OPERATION + 3);
    pub(crate) const DIFF: Self = Self(OPERATION + 4);
    pub(crate) const IMPLIES: Self = Self(OPERATION + 5);
    pub(crate) const SIMPLIFY: Self = Self(OPERATION + 6);
    pub(crate) const DISJOINT: Self = Self(OPERATION + 7);
    pub(crate) const ENTAILS: Self = Self(OPERATION + 8);
    const FIRST_PLAN: u32 = OPERATION + 9;

    /// An image under the plan of this number.
    pub(crate) fn plan(number: usize) -> Self {
        let number = u32::try_from(number).ok().and_then(|number| number.checked_add(Self::FIRST_PLAN));
        Self(number.expect("there are fewer than 2^30 plans"))
    }

    /// `ite` with this third operand.
    #[inline(always)]
    pub(crate) fn ite(h: Bdd) -> Self {
        Self(h.0.get())
    }
}

#[derive(Clone, Copy)]
struct Entry {
    f: u32,
    g: u32,
    tag: u32,
    result: Option<Bdd>,
}

const EMPTY: Entry = Entry { f: 0, g: 0, tag: 0, result: None };

/// The results of earlier steps.
pub(crate) struct Cache {
    entries: Vec<Entry>,
    shift: u32,
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self { entries: vec![EMPTY; FIRST_ENTRIES], shift: shift(FIRST_ENTRIES) }
    }

    #[inline(always)]
    pub(crate) fn find(&self, tag: Tag, f: Bdd, g: Bdd) -> Option<Bdd> {
        let (f, g) = (f.0.get(), g.0.get());
        let entry = &self.entries[self.slot(f, g, tag.0)];
        if entry.f == f && entry.g == g && entry.tag == tag.0 { entry.result } else { None }
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, tag: Tag, f: Bdd, g: Bdd, result: Bdd) {
        let (f, g) = (f.0.get(), g.0.get());
        let slot = self.slot(f, g, tag.0);
        self.entries[slot] = Entry { f, g, tag: tag.0, result: Some(result) };
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    /// Makes room for `len`, a power of two, entries and keeps the old ones.
    pub(crate) fn grow(&mut self, len: usize) {
        self.shift = shift(len);
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; len]);
        for entry in old.into_iter().filter(|entry| entry.result.is_some()) {
            let slot = self.slot(entry.f, entry.g, entry.tag);
            self.entries[slot] = entry;
        }
    }

    /// Drops every entry that names a node without a mark: its row may soon be another node.
    pub(crate) fn sweep(&mut self, marks: &Marks) {
        for entry in &mut self.entries {
            let third = if entry.tag & OPERATION == 0 { entry.tag as usize } else { Bdd::TRUE.row() };
            let result = entry.result.map_or(0, Bdd::row);
            // All four at once and no branch between them: which entries survive cannot be predicted. Row 0 has no mark,
            // so an empty entry stays empty.
            let is_marked = marks.contains_row(entry.f as usize)
                & marks.contains_row(entry.g as usize)
                & marks.contains_row(third)
                & marks.contains_row(result);
            *entry = if is_marked { *entry } else { EMPTY };
        }
    }

    #[inline(always)]
    fn slot(&self, f: u32, g: u32, tag: u32) -> usize {
        (hash(tag, f, g) >> self.shift) as usize
    }
}
