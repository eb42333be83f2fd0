//! Random boolean programs and an explicit-state oracle, for the tests of Hardbop.
//!
//! A test draws a [`Model`] from [`programs`], gives the text of [`Model::render`] to the parser and the engine under
//! test, and compares what they say with [`explore`], line by line: the text has one statement head per line, so a
//! line is a statement. [`template`] writes large programs whose answers are known or do not matter.
//!
//! Temporal properties: [`ltl`] has formulas, [`pushdown`] explicit pushdown systems and what holds on their runs. A
//! test draws a symbolic system or a program with a formula from [`pds::generate::questions`] or
//! [`temporal::questions`], and asks [`pds::oracle`] or [`temporal`].
//!
//! Programs in C: [`c`] has those about pointers, as text.
//!
//! The crate depends on nothing of Hardbop and is read by nothing but tests. Its oracle works on the tree from which
//! the text is made, never on the text: a misread operator is a difference, not a mistake made twice.
//!
//! **Invariant:** a [`Model`] means the same whatever its `spelling`.

pub mod c;
mod evaluate;
pub mod exploded;
mod flow;
mod generate;
mod graph;
pub mod ltl;
mod model;
mod oracle;
pub mod pds;
pub mod pushdown;
pub mod quicksort;
mod random;
mod render;
mod settle;
mod spell;
pub mod template;
pub mod temporal;

pub use generate::{Size, programs};
pub use model::{
    Block, Expr, Head, Model, Operator, Procedure, ProcedureId, Role, ScopeEntry, Statement, Valuation, Variable,
};
pub use oracle::{Assertion, Exploration, ProcedureReport, StatementReport, explore};
pub use render::{Labels, Line, PlacedHead, Rendered};
