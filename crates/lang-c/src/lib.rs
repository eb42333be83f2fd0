//! C as gcc reads it: from preprocessed text to a syntax tree.
//!
//! [`parse`] keeps what was written and knows which names are types, nothing more of their meaning. What it leaves to
//! `c-lower` are types, constants, initialisers and the order of evaluation.
//!
//! **Invariant:** no text makes it panic, and it never gives more than [`MAX_ERRORS`] errors.

pub mod ast;
mod decode;
mod lexer;
mod names;
mod parse;

pub use ast::Ast;
pub use decode::decode;
pub use hardbop_base::findings::MAX_ERRORS;
pub use parse::{MAX_NESTING, parse};

/// The codes of all diagnostics that this crate gives.
pub const CODES: &[&str] = &[
    "file-too-large",
    "invalid-literal",
    "invalid-type",
    "nested-too-deeply",
    "not-preprocessed",
    "syntax",
    "unknown-character",
    "unknown-type",
    "unterminated-comment",
    "unterminated-literal",
];
