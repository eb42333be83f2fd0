//! Slots: where a variable lives when only one procedure's locals are looked at at a time.
//!
//! A global has a slot of its own. The results of all procedures share one block of slots and so do their locals: at
//! any control point only one procedure's locals are in scope. So the number of slots, and with it the number of BDD
//! variables, does not grow with the number of procedures [ES01, §6].

use crate::{Program, Scope, VarId};
use hardbop_base::{Idx, IndexVec, newtype_index};

newtype_index! {
    /// A place for one variable of those in scope.
    pub struct SlotId = "s";
}

/// The slot of every variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    of_var: IndexVec<VarId, SlotId>,
    globals: usize,
    results: usize,
    locals: usize,
}

impl Slots {
    /// Globals first, then results, then locals, each in the order of declaration.
    pub fn new<L>(program: &Program<L>) -> Self {
        let globals = program.globals().count();
        let is_result = |&var: &VarId| matches!(program.vars[var].scope, Scope::Result(_));
        let results = program.locals.iter().map(|vars| vars.iter().filter(|var| is_result(var)).count()).max();
        let results = results.unwrap_or(0);
        let mut of_var = IndexVec::from_elem(SlotId::from_usize(0), program.vars.len());
        for var in program.globals() {
            of_var[var] = SlotId::from_usize(var.index());
        }
        let mut locals = 0;
        for vars in &program.locals {
            let (mut next_result, mut next_local) = (globals, globals + results);
            for &var in vars {
                let next = if is_result(&var) { &mut next_result } else { &mut next_local };
                of_var[var] = SlotId::from_usize(*next);
                *next += 1;
            }
            locals = locals.max(next_local - globals - results);
        }
        Self { of_var, globals, results, locals }
    }

    /// The slot of `var`.
    #[inline]
    pub fn of(&self, var: VarId) -> SlotId {
        self.of_var[var]
    }

    /// The number of slots.
    pub fn len(&self) -> usize {
        self.globals + self.results + self.locals
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `slot` is a global's.
    pub fn is_global(&self, slot: SlotId) -> bool {
        slot.index() < self.globals
    }

    /// The number of globals; their slots come first.
    pub fn globals(&self) -> usize {
        self.globals
    }

    /// The number of slots for results; they follow the globals'.
    pub fn results(&self) -> usize {
        self.results
    }

    /// All slots.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = SlotId> + use<> {
        (0..self.len()).map(SlotId::from_usize)
    }
}

/// A set of slots. Up to 64 slots take no memory of their own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SlotSet {
    words: Words,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Words {
    One(u64),
    Many(Box<[u64]>),
}

impl SlotSet {
    /// The empty set, with room for `len` slots.
    pub fn empty(len: usize) -> Self {
        let words = if len <= 64 { Words::One(0) } else { Words::Many(vec![0; len.div_ceil(64)].into()) };
        Self { words }
    }

    fn words(&self) -> &[u64] {
        match &self.words {
            Words::One(word) => std::slice::from_ref(word),
            Words::Many(words) => words,
        }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.words {
            Words::One(word) => std::slice::from_mut(word),
            Words::Many(words) => words,
        }
    }

    /// Whether `slot` is in the set.
    #[inline]
    pub fn contains(&self, slot: SlotId) -> bool {
        self.words()[slot.index() / 64] >> (slot.index() % 64) & 1 == 1
    }

    /// Adds `slot`; says whether it is new.
    #[inline]
    pub fn insert(&mut self, slot: SlotId) -> bool {
        let (word, bit) = (&mut self.words_mut()[slot.index() / 64], 1 << (slot.index() % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Removes `slot`.
    pub fn remove(&mut self, slot: SlotId) {
        self.words_mut()[slot.index() / 64] &= !(1 << (slot.index() % 64));
    }

    /// Adds all of `other`; says whether any of it is new.
    pub fn union(&mut self, other: &Self) -> bool {
        let mut is_new = false;
        for (word, &more) in self.words_mut().iter_mut().zip(other.words()) {
            is_new |= more & !*word != 0;
            *word |= more;
        }
        is_new
    }

    /// Keeps only what is in `other` too.
    pub fn intersect(&mut self, other: &Self) {
        for (word, &mask) in self.words_mut().iter_mut().zip(other.words()) {
            *word &= mask;
        }
    }

    /// Removes all of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, &mask) in self.words_mut().iter_mut().zip(other.words()) {
            *word &= !mask;
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// How many slots are in the set.
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The slots, in order.
    pub fn iter(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.words()
            .iter()
            .enumerate()
            .flat_map(|(place, &word)| Bits(word).map(move |bit| SlotId::from_usize(64 * place + bit)))
    }
}

/// The places of the ones in a word, lowest first.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros();
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit as usize
        })
    }
}
