//! Goals by name, and the goals of a program that names none.

use hardbop_base::{Diagnostic, SourceMap};
use hardbop_icfg::goals::{self, Usage};
use hardbop_icfg::{Goal, Program, Relation};

const USAGE: Usage =
    Usage { labels: &["SLIC_ERROR", "ERROR"], kinds: "a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`" };

/// The goals called `names`: `LABEL`, `PROC:LABEL` or `FILE:LINE`. Without names every assertion and every statement
/// labelled `SLIC_ERROR` or `ERROR`, in the order of the source.
///
/// # Errors
/// A name that means nothing is an `unknown-goal`.
pub fn goals(program: &Program<Relation>, sources: &SourceMap, names: &[String]) -> Result<Vec<Goal>, Vec<Diagnostic>> {
    goals::goals(program, sources, names, USAGE)
}
