//! What a program does with its numbers: those that are copied into or compared with each other are kin, and kin are
//! counters if one of them is calculated with or is an index.

use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::Role;

newtype_index! {
    /// A value as the user declared it: a row of [`Program::data`](hardbop_icfg::Program).
    pub(super) struct DatumId = "d";
    /// What a term may be kin to: a datum, or calculation as such.
    pub(super) struct Kin = "k";
}

impl Kin {
    /// Whoever is kin to this one is a counter.
    pub(super) fn counter() -> Self {
        Self::from_usize(0)
    }

    pub(super) fn of(datum: DatumId) -> Self {
        Self::from_usize(datum.index() + 1)
    }
}

/// Classes of kin, as a forest.
#[derive(Debug)]
pub(super) struct Roles {
    parents: IndexVec<Kin, Kin>,
}

impl Roles {
    pub(super) fn new() -> Self {
        let mut parents = IndexVec::new();
        parents.push(Kin::counter());
        Self { parents }
    }

    /// Adds the next datum.
    pub(super) fn add(&mut self) {
        let kin = self.parents.next_id();
        self.parents.push(kin);
    }

    /// Makes both kin. A constant is nobody's.
    pub(super) fn unite(&mut self, one: Option<Kin>, other: Option<Kin>) -> Option<Kin> {
        if let (Some(one), Some(other)) = (one, other) {
            let (one, other) = (self.find(one), self.find(other));
            // The oldest stands for all.
            self.parents[one.max(other)] = one.min(other);
        }
        one.or(other)
    }

    pub(super) fn role(&mut self, datum: DatumId) -> Role {
        if self.find(Kin::of(datum)) == Kin::counter() { Role::Counter } else { Role::Data }
    }

    fn find(&mut self, mut kin: Kin) -> Kin {
        while self.parents[kin] != kin {
            let above = self.parents[self.parents[kin]];
            self.parents[kin] = above;
            kin = above;
        }
        kin
    }
}
