//! Linear temporal logic: [`parse`] a formula, [`translate`] it into a generalised Büchi automaton that accepts the
//! infinite words that satisfy it, read and write automata.
//!
//! A proposition is a text; a letter gives each a truth value. What the texts mean is for the caller to say.

pub mod automaton;
mod degeneralise;
mod effort;
pub mod formula;
mod graph;
pub mod guard;
pub mod hoa;
mod merge;
mod obligation;
mod pipeline;
mod product;
pub mod render;
mod rewrite;
mod simulate;
mod term;
mod translate;
mod trim;

pub use automaton::{Automaton, Class, Component, Edge, MAX_SETS, Marks, StateId};
pub use formula::{Formula, FormulaId, PropId, parse};
pub use guard::{Cube, Guard, GuardExpr};
pub use pipeline::{Reductions, Shape, translate, translate_buchi, translate_with};

/// The codes of all diagnostics that this crate gives.
pub const CODES: &[&str] = &[
    "file-too-large",
    "hoa-inconsistent",
    "hoa-syntax",
    "hoa-too-large",
    "hoa-unsupported",
    "ltl-syntax",
    "ltl-too-deep",
];
