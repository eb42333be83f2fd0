//! Boolean programs: [`parse`], [`check`], [`lower`], and [`print`](print()) the way back.
//!
//! Both families of syntax are read at once, that of SLAM, Moped and Getafix and that of SATABS and Boppo; the grammar
//! and the meaning of every statement are in `docs/src/language-bp.md`.
//!
//! **Invariant:** no text makes any of these functions panic, and none of them gives more than [`MAX_ERRORS`] errors.

pub mod ast;
mod check;
mod goals;
mod lexer;
mod lower;
mod names;
mod parse;
mod print;
mod scope;

pub use ast::Ast;
pub use check::check;
pub use goals::goals;
pub use hardbop_base::findings::MAX_ERRORS;
pub use lower::{Lowered, lower};
pub use names::{Names, Symbol};
pub use parse::{MAX_NESTING, parse};
pub use print::print;

/// The codes of all diagnostics that this crate gives.
pub const CODES: &[&str] = &[
    "assignment-arity",
    "call-arity",
    "duplicate-label",
    "duplicate-procedure",
    "duplicate-variable",
    "file-too-large",
    "implication-chain",
    "init-not-called",
    "nested-too-deeply",
    "no-main",
    "primed-variable",
    "reserved-name",
    "result-arity",
    "return-arity",
    "schoose-arity",
    "syntax",
    "too-many-results",
    "undeclared-variable",
    "undefined-label",
    "undefined-procedure",
    "unknown-character",
    "unknown-goal",
    "unterminated-comment",
    "unterminated-name",
];
