//! Tables that number what they hold: equal things get equal numbers, and a number is an index into an arena.

use hardbop_base::{Idx, IndexVec, newtype_index};

newtype_index! {
    /// A state: a value for each slot that is live where it was found.
    pub struct StateId = "state";
}

/// A hash table from things in someone else's arena to their numbers.
///
/// **Invariant:** an occupied cell holds the upper half of a hash and, below it, the number plus one; at most half of
/// the cells are occupied, so that every search ends.
pub struct Table {
    cells: Vec<u64>,
    len: usize,
}

impl Table {
    pub fn new() -> Self {
        Self { cells: vec![0; 1 << 10], len: 0 }
    }

    /// The number of the thing with this `hash` for which `is_same`.
    pub fn find(&self, hash: u64, is_same: impl Fn(usize) -> bool) -> Option<usize> {
        self.probe(hash, is_same).ok()
    }

    /// The same; if there is none, it is `next` from now on.
    pub fn find_or_insert(&mut self, hash: u64, next: usize, is_same: impl Fn(usize) -> bool) -> Option<usize> {
        match self.probe(hash, is_same) {
            Ok(number) => Some(number),
            Err(place) => {
                let row = u32::try_from(next + 1).expect("a table has fewer than 2^32 rows");
                self.cells[place] = hash & TAG | u64::from(row);
                self.len += 1;
                if 2 * self.len > self.cells.len() {
                    self.grow();
                }
                None
            }
        }
    }

    /// The number of the thing, or the cell where it belongs.
    fn probe(&self, hash: u64, is_same: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let tag = hash & TAG;
        let mut place = self.place(tag);
        while self.cells[place] != 0 {
            let cell = self.cells[place];
            let number = number(cell);
            if cell & TAG == tag && is_same(number) {
                return Ok(number);
            }
            place = (place + 1) & (self.cells.len() - 1);
        }
        Err(place)
    }

    fn grow(&mut self) {
        let larger = vec![0; 2 * self.cells.len()];
        for cell in std::mem::replace(&mut self.cells, larger).into_iter().filter(|&cell| cell != 0) {
            let mut place = self.place(cell & TAG);
            while self.cells[place] != 0 {
                place = (place + 1) & (self.cells.len() - 1);
            }
            self.cells[place] = cell;
        }
    }

    fn place(&self, tag: u64) -> usize {
        // A table has fewer than 2^32 cells, so the remaining bits are enough to tell them apart.
        (tag >> 32) as usize & (self.cells.len() - 1)
    }
}

const TAG: u64 = 0xffff_ffff_0000_0000;

fn number(cell: u64) -> usize {
    (cell & !TAG) as usize - 1
}

/// A hash whose upper half is good.
pub fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 29;
    }
    hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

/// All states, each a run of words with one bit per slot.
pub struct States {
    words: Vec<u64>,
    width: usize,
    table: Table,
    rows: IndexVec<StateId, ()>,
}

impl States {
    /// `width` words per state.
    pub fn new(width: usize) -> Self {
        Self { words: Vec::new(), width, table: Table::new(), rows: IndexVec::new() }
    }

    /// The words of `state`.
    #[inline]
    pub fn words(&self, state: StateId) -> &[u64] {
        &self.words[state.index() * self.width..][..self.width]
    }

    /// The number of the state with these words, if it has one.
    pub fn find(&self, words: &[u64]) -> Option<StateId> {
        let row = self.table.find(hash(words.iter().copied()), |row| self.words(StateId::from_usize(row)) == words);
        row.map(StateId::from_usize)
    }

    /// The number of the state with these words; a new one if it has none.
    pub fn intern(&mut self, words: &[u64]) -> StateId {
        let Self { words: arena, width, table, rows } = self;
        let is_same = |row: usize| &arena[row * *width..][..*width] == words;
        match table.find_or_insert(hash(words.iter().copied()), rows.len(), is_same) {
            Some(row) => StateId::from_usize(row),
            None => {
                arena.extend_from_slice(words);
                rows.push(())
            }
        }
    }
}
