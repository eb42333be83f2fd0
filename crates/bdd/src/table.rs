//! The nodes and the unique table: each triple (level, low, high) has at most one row.
//!
//! What a step waits for is memory, so the unique table is made of cache lines of eight slots. A node's first line follows
//! from the younger of its children: nodes that are made one after the other, as recursions do, are looked up in the same
//! few lines. Where many nodes share a child that line is full; then the search goes on at lines that the hash says. A slot
//! has 32 bits of the hash beside the row, so a search that ends in a new node, which most do in large diagrams, looks at no
//! other row.
//!
//! **Invariant:** every node has `low ≠ high`, both below `level`, and its row in exactly one slot, before the first empty
//! slot of its search; so equal functions are equal rows. A row that is no node is on the free list.

use crate::Bdd;
use std::num::NonZeroU32;

/// The level of the two constants: below every variable.
pub(crate) const BOTTOM: u32 = u32::MAX;
// The level of a row on the free list, which no node has.
const FREE: u32 = u32::MAX - 1;
/// Rows that are no nodes: the empty row 0 and the two constants.
const RESERVED: usize = 3;
const FIRST_LINES: usize = 1 << 6;

/// `if level then high else low`.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) level: u32,
    pub(crate) low: Bdd,
    pub(crate) high: Bdd,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    row: Option<Bdd>,
}

const EMPTY: Slot = Slot { hash: 0, row: None };

/// The slots of a cache line, filled from the front.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([Slot; LINE]);

const LINE: usize = 8;
const EMPTY_LINE: Line = Line([EMPTY; LINE]);

impl Node {
    /// The children of the function of this node seen from `level`, which is not below it.
    #[inline(always)]
    pub(crate) fn split(&self, own: Bdd, level: u32) -> (Bdd, Bdd) {
        if self.level == level { (self.low, self.high) } else { (own, own) }
    }
}

/// What a search finds in a line.
enum Found {
    /// The node.
    Row(Bdd),
    /// A slot that is empty, so the node is nowhere.
    Empty(usize),
    /// Other nodes.
    Nothing,
}

/// All nodes of a kernel.
pub(crate) struct Table {
    rows: Vec<Node>,
    lines: Vec<Line>,
    // The top bits of the 32 bits of the hash say where a search goes on.
    shift: u32,
    // The free list runs through `low`.
    free: Option<Bdd>,
    free_rows: usize,
    removed: u64,
    peak: usize,
}

/// One bit for each row of the table: whether a collection has reached it.
pub(crate) struct Marks(Vec<u64>);

impl Table {
    pub(crate) fn new() -> Self {
        let constant = Node { level: BOTTOM, low: Bdd::FALSE, high: Bdd::FALSE };
        let mut rows = Vec::with_capacity(FIRST_LINES * LINE / 2);
        rows.resize(RESERVED, constant);
        let lines = vec![EMPTY_LINE; FIRST_LINES];
        Self { rows, lines, shift: line_shift(FIRST_LINES), free: None, free_rows: 0, removed: 0, peak: 0 }
    }

    #[inline(always)]
    pub(crate) fn node(&self, f: Bdd) -> &Node {
        let node = &self.rows[f.row()];
        debug_assert!(node.level != FREE, "the handle {f:?} was collected");
        node
    }

    #[inline(always)]
    pub(crate) fn level(&self, f: Bdd) -> u32 {
        self.node(f).level
    }

    /// The function `if level then high else low`.
    ///
    /// # Requires
    /// Both children are below `level`.
    #[inline]
    pub(crate) fn make(&mut self, level: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        debug_assert!(level < self.level(low) && level < self.level(high), "a node is above its children");
        let node = Node { level, low, high };
        let hash = node_hash(&node);
        let mask = self.lines.len() - 1;
        let mut line = home(&node) & mask;
        let mut next = (hash >> self.shift) as usize;
        loop {
            match self.search(line, hash, &node) {
                Found::Row(row) => return row,
                Found::Empty(slot) => return self.insert(line, slot, hash, node),
                Found::Nothing => {
                    line = next & mask;
                    next += step(hash);
                }
            }
        }
    }

    /// The number of nodes, with those that no longer mean anything to anyone.
    pub(crate) fn live(&self) -> usize {
        self.rows.len() - RESERVED - self.free_rows
    }

    /// The largest [`live`](Self::live) so far.
    pub(crate) fn peak(&self) -> usize {
        // The number of nodes falls only in `sweep`, so it need not be watched in between.
        self.peak.max(self.live())
    }

    /// How many nodes were ever made.
    pub(crate) fn created(&self) -> u64 {
        self.removed + self.live() as u64
    }

    /// The number of rows, used or not; a row's number is less.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn slots(&self) -> usize {
        self.lines.len() * LINE
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Node>() + self.lines.capacity() * size_of::<Line>()
    }

    /// Marks what can be reached from `roots`.
    pub(crate) fn mark(&self, roots: impl IntoIterator<Item = Bdd>) -> Marks {
        let mut marks = Marks::new(self.rows.len());
        let mut stack: Vec<Bdd> = Vec::new();
        for root in roots {
            if marks.insert(root) {
                stack.push(root);
            }
            while let Some(f) = stack.pop() {
                let node = self.node(f);
                stack.extend([node.high, node.low].into_iter().filter(|&child| marks.insert(child)));
            }
        }
        marks
    }

    /// Frees every row that is not marked.
    pub(crate) fn sweep(&mut self, marks: &Marks) {
        let before = self.live();
        self.peak = self.peak.max(before);
        while self.rows.len() > RESERVED && !marks.contains_row(self.rows.len() - 1) {
            self.rows.pop();
        }
        self.free = None;
        self.free_rows = 0;
        self.lines.fill(EMPTY_LINE);
        // Backwards, so that the free list begins with the lowest row: what is made together lies together.
        for row in (RESERVED..self.rows.len()).rev() {
            let handle = handle(row);
            if marks.contains_row(row) {
                self.link(handle);
            } else {
                // Where the list ends, `low` is the row itself.
                self.rows[row] = Node { level: FREE, low: self.free.unwrap_or(handle), high: Bdd::FALSE };
                self.free = Some(handle);
                self.free_rows += 1;
            }
        }
        self.removed += (before - self.live()) as u64;
    }

    #[inline(always)]
    fn search(&self, line: usize, hash: u32, node: &Node) -> Found {
        for (place, slot) in self.lines[line].0.iter().enumerate() {
            let Some(row) = slot.row else { return Found::Empty(place) };
            if slot.hash == hash {
                let other = &self.rows[row.row()];
                if other.low == node.low && other.high == node.high && other.level == node.level {
                    return Found::Row(row);
                }
            }
        }
        Found::Nothing
    }

    #[inline(never)]
    fn insert(&mut self, line: usize, slot: usize, hash: u32, node: Node) -> Bdd {
        let new = if let Some(row) = self.free {
            let next = self.rows[row.row()].low;
            self.free = (next != row).then_some(next);
            self.free_rows -= 1;
            self.rows[row.row()] = node;
            row
        } else {
            let row = handle(self.rows.len());
            self.rows.push(node);
            row
        };
        self.lines[line].0[slot] = Slot { hash, row: Some(new) };
        if self.live() > self.lines.len() * LINE / 4 * 3 {
            self.grow();
        }
        new
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.lines.len() * 2;
        self.shift = line_shift(len);
        self.lines = vec![EMPTY_LINE; len];
        debug_assert!(self.free.is_none(), "rows are added only when none is free, so a full table has none");
        for row in RESERVED..self.rows.len() {
            self.link(handle(row));
        }
    }

    // Puts the node in `row`, which is in no slot, into one.
    fn link(&mut self, row: Bdd) {
        let node = self.rows[row.row()];
        let hash = node_hash(&node);
        let mask = self.lines.len() - 1;
        let mut line = home(&node) & mask;
        let mut next = (hash >> self.shift) as usize;
        loop {
            if let Some(slot) = self.lines[line].0.iter_mut().find(|slot| slot.row.is_none()) {
                *slot = Slot { hash, row: Some(row) };
                return;
            }
            line = next & mask;
            next += step(hash);
        }
    }
}

// The line, up to the number of lines, where the search for a node begins: four rows in turn share one.
#[inline(always)]
fn home(node: &Node) -> usize {
    node.low.max(node.high).row() >> 2
}

#[inline(always)]
fn node_hash(node: &Node) -> u32 {
    (hash(node.level, node.low.0.get(), node.high.0.get()) >> 32) as u32
}

// From line to line. Nodes that are made together have their homes together, so full lines come in long runs, and a search
// that went from each to the next one would not come out.
#[inline(always)]
fn step(hash: u32) -> usize {
    hash as usize | 1
}

fn line_shift(lines: usize) -> u32 {
    shift(lines) - 32
}

impl Marks {
    // The constants are always marked, so that no search ever looks at them.
    fn new(rows: usize) -> Self {
        let mut marks = Self(vec![0; rows.div_ceil(64)]);
        marks.insert(Bdd::FALSE);
        marks.insert(Bdd::TRUE);
        marks
    }

    /// Marks `f`; whether it was not marked before.
    #[inline]
    fn insert(&mut self, f: Bdd) -> bool {
        let word = &mut self.0[f.row() / 64];
        let bit = 1 << (f.row() % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether `row` was reached.
    #[inline]
    pub(crate) fn contains_row(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 != 0
    }
}

/// A hash of three numbers whose top bits are good: multiply-shift with one odd multiplier for each.
#[inline(always)]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u64 {
    u64::from(a)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(u64::from(b).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(u64::from(c).wrapping_mul(0xff51_afd7_ed55_8ccd))
}

/// By how much to shift a hash so that `len`, a power of two, rows remain.
pub(crate) fn shift(len: usize) -> u32 {
    debug_assert!(len.is_power_of_two());
    64 - len.trailing_zeros()
}

fn handle(row: usize) -> Bdd {
    let row = u32::try_from(row).ok().and_then(NonZeroU32::new);
    Bdd(row.expect("the kernel stops long before the last row"))
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    const LITERALS: u32 = 1 << 20;

    #[test]
    fn nodes_with_the_same_hash_stay_apart() {
        let mut table = Table::new();
        let literals: Vec<Bdd> = (0..=1 << 14).map(|i| table.make(LITERALS + i, Bdd::FALSE, Bdd::TRUE)).collect();
        // The youngest child is always the same, so all searches begin in the same line.
        let (&high, lows) = literals.split_last().expect("there are literals");
        let mut seen: FxHashMap<u32, Node> = FxHashMap::default();
        let mut random: u32 = 1;
        let mut pairs = 0;
        for _ in 0..1 << 20 {
            random = random.wrapping_mul(0x915f_77f5).wrapping_add(1);
            let level = random % LITERALS;
            let low = lows[(hash(random, 0, 0) >> 50) as usize];
            let node = Node { level, low, high };
            let Some(other) = seen.insert(node_hash(&node), node) else { continue };
            let first = table.make(other.level, other.low, other.high);
            let second = table.make(level, low, high);
            assert_eq!(first == second, (other.level, other.low) == (level, low));
            assert_eq!(table.make(other.level, other.low, other.high), first);
            pairs += usize::from(first != second);
        }
        assert!(pairs > 0, "no two nodes had the same hash, so nothing was checked");
    }

    #[test]
    fn searches_come_out_of_full_lines() {
        let mut table = Table::new();
        let literals: Vec<Bdd> = (0..1 << 12).map(|i| table.make(LITERALS + i, Bdd::FALSE, Bdd::TRUE)).collect();
        // Each has more parents than its home has slots, so the homes are one run of full lines.
        let nodes: Vec<Node> =
            literals.iter().flat_map(|&high| (0..16).map(move |level| Node { level, low: Bdd::FALSE, high })).collect();
        for node in &nodes {
            table.make(node.level, node.low, node.high);
        }
        let searched: usize = nodes.iter().map(|node| lines_to(&table, node)).sum();
        assert!(searched < 2 * nodes.len(), "{searched} lines for {} nodes", nodes.len());
    }

    // How many lines are looked at for a node that is there.
    fn lines_to(table: &Table, node: &Node) -> usize {
        let (hash, mask) = (node_hash(node), table.lines.len() - 1);
        let on = std::iter::successors(Some((hash >> table.shift) as usize), |next| Some(next + step(hash)));
        let mut lines = std::iter::once(home(node)).chain(on);
        1 + lines
            .position(|line| matches!(table.search(line & mask, hash, node), Found::Row(_)))
            .expect("the node is in a line")
    }
}
