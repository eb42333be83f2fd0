//! Diagnostics of one stage, up to a limit.

use crate::{Diagnostic, Severity};

/// A stage stops after so many errors: whoever has more reads only the first.
pub const MAX_ERRORS: usize = 20;

/// What a stage has found.
#[derive(Default, Debug)]
pub struct Findings {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Findings {
    /// Adds `finding`, unless there are enough or it has been said of this place.
    pub fn add(&mut self, finding: Diagnostic) {
        let is_error = finding.severity == Severity::Error;
        // Warnings have the same limit, so that one in every line does not drown the errors.
        let same = if is_error { self.errors } else { self.list.len() - self.errors };
        // What stands under a quantifier is looked at once for each value.
        let is_known = |known: &Diagnostic| known.span == finding.span && known.code == finding.code;
        if same < MAX_ERRORS && !(finding.span.is_some() && self.list.iter().any(is_known)) {
            self.errors += usize::from(is_error);
            self.list.push(finding);
        }
    }

    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether there are as many as anyone reads.
    pub fn is_full(&self) -> bool {
        self.errors == MAX_ERRORS
    }

    /// All findings in the order of the source; those without a place come first.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|finding| finding.span);
        self.list
    }
}
