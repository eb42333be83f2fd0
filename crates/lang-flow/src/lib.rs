//! The language of analyses, `.flow`: [`parse`], [`check`], and [`print`](print()) the way back.
//!
//! An analysis says which facts there are about the variables of a C program, what each pattern of statement does to
//! them, and what must hold where; a rule is a row of a table like Table 1 of \[BR01\].
//!
//! ```text
//! analysis null "NULL pointer dereference"
//! var p, q : pointer
//! var e    : expression
//! fact null(p) "{p} == NULL"
//! on p = NULL:  null(p) := true
//! on p = &_:    null(p) := false
//! on p = q:     null(p) := null(q)
//! on p = e:     null(p) := *
//! if p == NULL: null(p)
//! at *p:        require !null(p) "`{p}` may be NULL here"
//! ```
//!
//! The facts of a family are true or false, or numbers while they are small (`fact value(i) : small "{i} = {}"`), or
//! objects (`fact at(p) : target "{p} points to {}"`): what the engine takes `*p` for. The clauses:
//!
//! - A clause ends with its line; lines that are indented further, or that follow a comma, go on with it. `--` begins a
//!   comment.
//! - Of the rules (`on`) whose pattern matches a statement, the first in the file that sets a family of facts says what
//!   happens to this family; a family that none sets keeps its values. Right-hand sides read the facts before the
//!   statement; where one rule sets a fact twice the later wins.
//! - Every `if` whose condition matches a branch is believed: its value where the condition is true, and where it is
//!   false the value after `else`, or without `else` the negation.
//! - Every metavariable is bound by the pattern, by `where pts(p) = {q}` or by a `for`. `for u in SET` goes through
//!   the members of the set that are of the sort of `u`.
//! - A fact that the `for` of its declaration leaves out is false wherever it is read, a number or an object unknown, and
//!   setting it does nothing.
//! - `unknown p: !null(p) "…"`: a value of the sort of `p` that comes from outside is taken to satisfy the condition,
//!   unless it flows to where an `if` of this analysis speaks of one of these facts. A function that some rule names
//!   is not unknown.
//! - What `initially` does not speak of is unknown where the program starts (for a backward analysis: where it ends).
//!
//! **Invariant:** no text makes any of these functions panic, and none of them gives more than
//! [`MAX_ERRORS`](hardbop_base::findings::MAX_ERRORS) errors.

mod check;
mod distributive;
mod lexer;
mod overlap;
mod parse;
mod print;
pub mod shipped;
pub mod tree;

pub use check::check;
pub use distributive::is_distributive;
pub use overlap::name_matches;
pub use parse::{MAX_NESTING, parse};
pub use print::print;
pub use tree::Analysis;

/// The codes of all diagnostics that this module gives.
pub const CODES: &[&str] = &[
    "assume-backward",
    "assumption-scope",
    "duplicate-clause",
    "duplicate-fact",
    "duplicate-metavariable",
    "duplicate-target",
    "fact-arity",
    "fact-never-read",
    "fact-never-set",
    "fact-reading",
    "file-too-large",
    "initial-fact",
    "message-placeholder",
    "metavariable-in-use",
    "nested-too-deeply",
    "no-analysis",
    "no-facts",
    "not-distributive",
    "number-too-large",
    "require-backward",
    "reserved-name",
    "set-arity",
    "syntax",
    "unbound-metavariable",
    "undeclared-fact",
    "undeclared-metavariable",
    "unknown-character",
    "unknown-set",
    "unknown-sort",
    "unreachable-rule",
    "unterminated-string",
    "wrong-sort",
    "wrong-type",
];
