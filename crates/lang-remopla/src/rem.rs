//! The language Remopla: [`parse`], [`lower`], [`goals`].
//!
//! Both dialects are read: that of Moped 2, whose programs say with `init` where they start, and that of its descendant
//! for information flow, whose programs start in `main`. The grammar and the meaning of every statement are in
//! `docs/src/language-remopla.md`.
//!
//! **Invariant:** no text makes any of these functions panic, and none of them gives more than [`MAX_ERRORS`] errors.

pub mod ast;
mod goals;
mod lexer;
mod lower;
mod names;
mod parse;
mod roles;
mod scope;
mod types;

pub use ast::Ast;
pub use goals::goals;
pub use hardbop_base::findings::MAX_ERRORS;
pub use lower::{Lowered, lower};
pub use names::{Names, Symbol};
pub use parse::{MAX_NESTING, parse};

/// The codes of all diagnostics that this module gives.
pub const CODES: &[&str] = &[
    "bad-width",
    "break-outside",
    "call-arity",
    "constant-out-of-range",
    "duplicate-else",
    "duplicate-init",
    "duplicate-label",
    "duplicate-module",
    "duplicate-name",
    "empty-array",
    "file-too-large",
    "index-out-of-range",
    "module-mismatch",
    "nested-too-deeply",
    "no-main",
    "no-result",
    "no-width",
    "not-a-variable",
    "not-constant",
    "number-too-large",
    "primed-variable",
    "probabilities-ignored",
    "reserved-name",
    "signed-number",
    "syntax",
    "too-large",
    "too-many-bits",
    "too-many-dimensions",
    "type-mismatch",
    "undeclared-name",
    "undefined-label",
    "undefined-member",
    "undefined-module",
    "undefined-type",
    "unexpected-result",
    "unknown-character",
    "unknown-goal",
    "unsupported-assignment",
    "unsupported-init",
    "unsupported-rule",
    "unterminated-comment",
    "unterminated-text",
    "width-without-number",
];
