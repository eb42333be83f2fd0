//! From the syntax tree of C to its three-address form.
//!
//! [`lower`] takes one translation unit: names are resolved and types found ([`declare`], [`types`]), initialisers laid
//! out ([`initialise`]), and expressions and statements taken apart ([`expr`], [`stmt`]) in one walk over the tree, as
//! C's scopes demand. What only the end of the unit tells is settled then: tentative definitions, aliases, and calls of
//! functions whose type was not known yet.

mod declare;
mod expr;
mod initialise;
mod scope;
mod stmt;
mod types;
mod unit;

use hardbop_base::Diagnostic;
use hardbop_c_core::{Module, Target};
use hardbop_lang_c::ast::Ast;

/// The codes of all diagnostics that this crate gives.
pub const CODES: &[&str] = &[
    "array-too-large",
    "auto-without-value",
    "conflicting-linkage",
    "conflicting-types",
    "duplicate-case",
    "duplicate-label",
    "duplicate-member",
    "empty-declaration",
    "empty-range",
    "excess-initialiser",
    "flexible-member",
    "implicit-function",
    "incompatible-types",
    "incomplete-array",
    "incomplete-element",
    "incomplete-member",
    "incomplete-parameter",
    "incomplete-result",
    "incomplete-type",
    "incomplete-variable",
    "invalid-alignment",
    "invalid-bit-field",
    "invalid-designator",
    "invalid-function",
    "invalid-initialiser",
    "invalid-result-type",
    "invalid-underlying-type",
    "invalid-vector-size",
    "negative-length",
    "no-such-member",
    "not-a-value",
    "not-addressable",
    "not-assignable",
    "not-callable",
    "not-constant",
    "read-only",
    "redeclared",
    "redefined",
    "redefined-type",
    "static-assertion",
    "stray-break",
    "stray-case",
    "stray-continue",
    "stray-label",
    "too-few-arguments",
    "too-many-arguments",
    "undeclared",
    "undefined-label",
    "unknown-alias",
    "unknown-builtin",
    "unknown-type",
    "unsupported-construct",
    "variable-length",
    "void-value",
    "wrong-operands",
    "wrong-tag",
];

/// A translation unit in three-address form.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub module: Module,
    /// What its author may not have meant.
    pub warnings: Vec<Diagnostic>,
}

/// What `inline` means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inline {
    /// As C99 says: the body is one of two that there may be, unless a declaration has `extern`.
    Standard,
    /// As gcc had it before: the body is the function, unless it has `extern` itself.
    Gnu,
}

/// Lowers one translation unit of C99 or later.
pub fn lower(ast: &Ast, target: Target) -> Result<Lowered, Vec<Diagnostic>> {
    lower_as(ast, target, Inline::Standard)
}

/// Lowers one translation unit in which `inline` means this.
pub fn lower_as(ast: &Ast, target: Target, inline: Inline) -> Result<Lowered, Vec<Diagnostic>> {
    let mut unit = unit::Unit::new(ast, target, inline);
    unit.items();
    unit.finish()
}
