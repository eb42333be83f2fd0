//! A proof that goals cannot be reached: an inductive annotation of the program as written.
//!
//! Each node carries a formula over the state at the procedure's entry and the state now; the formula at an exit is the
//! procedure's summary. Formulas are hash-consed and speak of slots, so procedures of the same shape share them.

use hardbop_base::{IndexVec, newtype_index};
use hardbop_icfg::{NodeId, SlotId};
use std::collections::HashMap;

newtype_index! {
    /// A formula of a proof.
    pub struct FormulaId = "f";
}

/// What a formula speaks of: a variable in scope, by its slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// Its value at the procedure's entry.
    Entry(SlotId),
    /// Its value now.
    Now(SlotId),
}

/// One node of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// A constant.
    Const(bool),
    /// If the atom then the first else the second.
    Ite(Atom, FormulaId, FormulaId),
    /// Both.
    And(FormulaId, FormulaId),
    /// The variable is as it was at the entry.
    Unchanged(SlotId),
}

/// Hash-consed formulas: equal ones have equal ids.
#[derive(Clone, Default, Debug)]
pub struct Formulas {
    table: IndexVec<FormulaId, Formula>,
    ids: HashMap<Formula, FormulaId>,
}

impl Formulas {
    /// The id of `formula`.
    pub fn intern(&mut self, formula: Formula) -> FormulaId {
        *self.ids.entry(formula).or_insert_with(|| self.table.push(formula))
    }

    /// The formula of `id`. Its parts have smaller ids.
    pub fn get(&self, id: FormulaId) -> Formula {
        self.table[id]
    }

    /// The number of formulas.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
}

/// The annotation.
#[derive(Clone, Debug)]
pub struct Proof {
    /// All formulas.
    pub formulas: Formulas,
    /// The formula of each node: it holds whenever the node is reached.
    pub at: IndexVec<NodeId, FormulaId>,
}
