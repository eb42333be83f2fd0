//! Ternary states, packed: two bits per slot.
//!
//! A state is `⌈slots / 64⌉` pairs of words: which slots have a value, and which of these are true. All states of all
//! runs lie in one array.

use super::RunId;
use crate::SubTraceId;
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{NodeId, SlotId, Slots, VarId};
use std::ops::Range;

/// The states that a witness went through: one before each move and one at the end, for the run itself and for each
/// sub-trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    slots: Slots,
    words: Vec<u64>,
    places: Vec<(NodeId, u32)>,
    main: Range<usize>,
    subtraces: IndexVec<SubTraceId, Range<usize>>,
}

impl Replayed {
    /// The run from the first state to the goal.
    pub fn main(&self) -> Run<'_> {
        Run { replayed: self, range: self.main.clone() }
    }

    /// The run of a sub-trace, where only what it requires is known at the entry.
    pub fn subtrace(&self, id: SubTraceId) -> Run<'_> {
        Run { replayed: self, range: self.subtraces[id].clone() }
    }
}

/// The states of one run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    replayed: &'a Replayed,
    range: Range<usize>,
}

impl<'a> Run<'a> {
    /// The number of states: one more than there are moves.
    #[expect(clippy::len_without_is_empty, reason = "a run has a first state")]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// The state before move `index`; after the last move where `index` is the number of moves.
    pub fn state(&self, index: usize) -> State<'a> {
        assert!(index < self.len(), "a run has one state more than moves");
        let (replayed, row) = (self.replayed, self.range.start + index);
        let width = words_for(replayed.slots.len());
        let (node, depth) = replayed.places[row];
        State { slots: &replayed.slots, words: &replayed.words[row * width..(row + 1) * width], node, depth }
    }

    /// All states, in order.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = State<'a>> + ExactSizeIterator + '_ {
        (0..self.len()).map(|index| self.state(index))
    }
}

/// One state of a run.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    slots: &'a Slots,
    words: &'a [u64],
    /// Where the run is.
    pub node: NodeId,
    /// How many calls the run has entered for good; none in a sub-trace.
    pub depth: u32,
}

impl State<'_> {
    /// The value of `var`; `None` where any value does.
    ///
    /// # Requires
    /// The variable is in scope at [`node`](Self::node): elsewhere its slot is another variable's.
    pub fn value(&self, var: VarId) -> Option<bool> {
        value(self.words, self.slots.of(var))
    }
}

/// A ternary state that is being computed.
#[derive(Clone, Debug)]
pub(super) struct Valuation {
    words: Vec<u64>,
}

impl Valuation {
    /// Every one of `slots` slots is open.
    pub(super) fn open(slots: usize) -> Self {
        Self { words: vec![0; words_for(slots)] }
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    #[inline]
    pub(super) fn value(&self, slot: SlotId) -> Option<bool> {
        value(&self.words, slot)
    }

    #[inline]
    pub(super) fn set(&mut self, slot: SlotId, value: Option<bool>) {
        let (word, bit) = (2 * (slot.index() / 64), slot.index() % 64);
        let (known, truth) = (u64::from(value.is_some()) << bit, u64::from(value == Some(true)) << bit);
        self.words[word] = self.words[word] & !(1 << bit) | known;
        self.words[word + 1] = self.words[word + 1] & !(1 << bit) | truth;
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.words.copy_from_slice(&other.words);
    }

    /// Copies the values of the first `slots` slots.
    pub(super) fn copy_first(&mut self, other: &Self, slots: usize) {
        let whole = 2 * (slots / 64);
        self.words[..whole].copy_from_slice(&other.words[..whole]);
        let mask = (1 << (slots % 64)) - 1;
        if mask != 0 {
            for (word, &from) in self.words[whole..whole + 2].iter_mut().zip(&other.words[whole..whole + 2]) {
                *word = *word & !mask | from & mask;
            }
        }
    }
}

/// Collects the states of a replay, run by run.
pub(super) struct Recorder {
    words: Vec<u64>,
    places: Vec<(NodeId, u32)>,
    starts: Vec<(RunId, usize)>,
}

impl Recorder {
    /// With room for `states` states.
    pub(super) fn new(slots: &Slots, states: usize) -> Self {
        Self {
            words: Vec::with_capacity(states * words_for(slots.len())),
            places: Vec::with_capacity(states),
            starts: Vec::new(),
        }
    }

    /// What is pushed from now on belongs to `run`: the sub-traces in order, then the main run.
    pub(super) fn start(&mut self, run: RunId) {
        self.starts.push((run, self.places.len()));
    }

    pub(super) fn push(&mut self, node: NodeId, depth: u32, state: &Valuation) {
        self.words.extend_from_slice(&state.words);
        self.places.push((node, depth));
    }

    pub(super) fn finish(self, slots: Slots) -> Replayed {
        let Self { words, places, starts } = self;
        let ends = starts.iter().skip(1).map(|&(_, start)| start).chain([places.len()]);
        let mut main = 0..0;
        let mut subtraces = IndexVec::new();
        for (&(run, start), end) in starts.iter().zip(ends) {
            match run {
                RunId::Main => main = start..end,
                RunId::Sub(id) => assert_eq!(subtraces.push(start..end), id, "sub-traces are followed in order"),
            }
        }
        Replayed { slots, words, places, main, subtraces }
    }
}

const fn words_for(slots: usize) -> usize {
    2 * slots.div_ceil(64)
}

#[inline]
fn value(words: &[u64], slot: SlotId) -> Option<bool> {
    let (word, bit) = (2 * (slot.index() / 64), slot.index() % 64);
    (words[word] >> bit & 1 == 1).then(|| words[word + 1] >> bit & 1 == 1)
}
