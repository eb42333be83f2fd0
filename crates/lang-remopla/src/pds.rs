//! Symbolic pushdown systems: [`parse`] and [`lower`].
//!
//! A rule `p <a> --> q <b c> (R)` takes the configuration with control state `p` and `a` on top of the stack to one
//! with `q` and `b` on top of `c`, where `R` relates the variables before (`x`), those with `b` on top (`x'`) and the
//! locals saved for `c` (`x''`) [ES01, §2]. The grammar and the meaning of everything are in
//! `docs/src/language-pds.md`.
//!
//! **Invariant:** no text makes any of these functions panic, and none of them gives more than [`MAX_ERRORS`] errors.

pub mod ast;
mod check;
mod constants;
mod goals;
mod lexer;
mod lower;
mod names;
mod parse;
mod procedures;
mod scope;

pub use ast::Ast;
pub use goals::goals;
pub use hardbop_base::findings::MAX_ERRORS;
pub use lower::{Lowered, lower};
pub use names::{NameId, Names};
pub use parse::{MAX_NESTING, parse};

/// The codes of all diagnostics that this module gives.
pub const CODES: &[&str] = &[
    "array-bounds",
    "array-index",
    "duplicate-constant",
    "duplicate-symbol",
    "duplicate-variable",
    "file-too-large",
    "nested-too-deeply",
    "no-initial-configuration",
    "not-constant",
    "number-too-large",
    "primed-variable",
    "syntax",
    "system-too-large",
    "too-many-symbols",
    "type-mismatch",
    "undeclared-variable",
    "unknown-character",
    "unknown-goal",
    "unknown-symbol",
    "unterminated-label",
];
