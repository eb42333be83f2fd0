//! Diagnostics of one stage, up to a limit.

use hardbop_base::{Diagnostic, Severity, diagnostic};

/// A stage stops after so many errors: whoever has more reads only the first.
pub const MAX_ERRORS: usize = 20;

#[derive(Default, Debug)]
pub(super) struct Findings {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Findings {
    pub(super) fn add(&mut self, finding: Diagnostic) {
        let is_error = finding.severity == Severity::Error;
        let same = if is_error { self.errors } else { self.list.len() - self.errors };
        // What stands under a quantifier is looked at once for each value.
        let is_new = !self.list.iter().any(|known| known.span == finding.span && known.code == finding.code);
        if same < MAX_ERRORS && is_new {
            self.errors += usize::from(is_error);
            self.list.push(finding);
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.errors == MAX_ERRORS
    }

    /// All findings in the order of the source; those without a place come first.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|finding| finding.span);
        self.list
    }
}

/// The end of a message about `name`, which means nothing: `; did you mean …?`, or nothing.
pub(super) fn did_you_mean<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    // Any letter is near any other, and yet it is not what was meant.
    let is_near = |candidate: &&str| name.len() > 1 || !name.is_empty() && candidate.contains(name);
    let near = diagnostic::nearest(name, candidates.filter(is_near));
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
