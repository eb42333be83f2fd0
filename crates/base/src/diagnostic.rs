//! What is wrong with the user's input, as data. Only the command renders it.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// No answer can be given.
    Error,
    /// An answer is given, but the user may not have meant this.
    Warning,
}

/// One finding: `` `x` is not declared in `level1`; did you mean `x1`? ``
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A kebab-case name with a page of its own in `hardbop explain`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Lower case, no full stop.
    pub message: String,
    /// Where it is.
    pub span: Option<Span>,
    /// A second place that explains the first: what it is, and where.
    pub related: Option<(String, Span)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>, span: impl Into<Option<Span>>) -> Self {
        let message = message.into();
        Self { code, severity: Severity::Error, message, span: span.into(), related: None, help: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>, span: impl Into<Option<Span>>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, span) }
    }

    /// The same, with what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, with a second place that explains the first.
    pub fn related(mut self, what: impl Into<String>, span: Span) -> Self {
        self.related = Some((what.into(), span));
        self
    }

    /// The same about a text that starts at `start` of a larger one.
    #[must_use]
    pub fn moved(mut self, start: u32) -> Self {
        let moved = |span: Span| Span::new(span.start + start, span.end + start);
        self.span = self.span.map(moved);
        self.related.iter_mut().for_each(|(_, span)| *span = moved(*span));
        self
    }
}

/// The end of a message about `name`, which means nothing: `; did you mean …?`, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    // Any letter is near any other, and yet it is not what was meant.
    let is_near = |candidate: &&str| name.len() > 1 || !name.is_empty() && candidate.contains(name);
    let near = nearest(name, candidates.filter(is_near));
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The candidate nearest to `name` by edit distance, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 3 * limit)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && candidate != name)
        .min()
        .map(|(_, candidate)| candidate)
}

fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("lokced", ["x", "locked", "blocked"]), Some("locked"));
        assert_eq!(nearest("x", ["x1", "yy"]), Some("x1"));
        assert_eq!(nearest("alpha", ["omega"]), None);
    }
}
