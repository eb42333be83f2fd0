//! Which names are types at the moment.

use crate::ast::Name;
use hardbop_base::Idx;

/// What an ordinary name means, as far as the grammar cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A type.
    Type,
    /// A variable, a function, a constant, or nothing yet.
    Other,
}

/// The length of the journal when the scope was entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope(usize);

/// The meaning of every name, with a journal of what scopes have changed and must put back.
#[derive(Default, Debug)]
pub(super) struct Scopes {
    is_type: Vec<bool>,
    changed: Vec<Name>,
}

impl Scopes {
    #[inline]
    pub(super) fn is_type(&self, name: Name) -> bool {
        self.is_type.get(name.index()).is_some_and(|&is_type| is_type)
    }

    pub(super) fn enter(&self) -> Scope {
        Scope(self.changed.len())
    }

    /// Undoes all declarations since `scope` was entered.
    pub(super) fn leave(&mut self, scope: Scope) {
        // There are two meanings, so that a change is undone by another.
        for name in self.changed.drain(scope.0..).rev() {
            self.is_type[name.index()] ^= true;
        }
    }

    pub(super) fn declare(&mut self, name: Name, meaning: Meaning) {
        let is_type = meaning == Meaning::Type;
        if self.is_type(name) == is_type {
            return;
        }
        if name.index() >= self.is_type.len() {
            self.is_type.resize(name.index() + 1, false);
        }
        self.is_type[name.index()] = is_type;
        self.changed.push(name);
    }
}
