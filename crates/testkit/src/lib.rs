//! Random boolean programs and an explicit-state oracle, for the tests of Hardbop.
//!
//! A test draws a [`Model`] from [`programs`], gives the text of [`Model::render`] to the parser and the engine under
//! test, and compares what they say with [`explore`], line by line: the text has one statement head per line, so a
//! line is a statement. [`template`] writes large programs whose answers are known or do not matter.
//!
//! The crate depends on nothing of Hardbop and is read by nothing but tests. Its oracle works on the tree from which
//! the text is made, never on the text: a misread operator is a difference, not a mistake made twice.
//!
//! **Invariant:** a [`Model`] means the same whatever its `spelling`.

mod evaluate;
mod flow;
mod generate;
mod model;
mod oracle;
mod random;
mod render;
mod settle;
mod spell;
pub mod template;

pub use generate::{Size, programs};
pub use model::{
    Block, Expr, Head, Model, Operator, Procedure, ProcedureId, Role, ScopeEntry, Statement, Valuation, Variable,
};
pub use oracle::{Assertion, Exploration, ProcedureReport, StatementReport, explore};
pub use render::{Labels, Line, PlacedHead, Rendered};
