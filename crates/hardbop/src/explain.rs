//! `hardbop explain`: a page for every diagnostic and for every reason for `unknown`.
//!
//! **Invariant:** each code that can be printed has a page, and each page is of a code that can be printed.

use crate::palette::Palette;
use hardbop_base::{Diagnostic, diagnostic::nearest};
use serde_json::{Value, json};
use std::io::{Result, Write};

/// The codes that only this command gives.
#[cfg(test)]
const CODES: &[&str] = &["internal-error", "misfit-option", "unknown-code"];

macro_rules! pages {
    ($($code:literal,)+) => {
        &[$(Page { code: $code, text: include_str!(concat!("explain/", $code, ".md")) }),+]
    };
}

/// All pages, by code.
const PAGES: &[Page] = pages![
    "allowance",
    "assignment-arity",
    "call-arity",
    "directory-given",
    "duplicate-label",
    "duplicate-procedure",
    "duplicate-variable",
    "empty-file",
    "file-not-found",
    "file-too-large",
    "implication-chain",
    "init-not-called",
    "internal-error",
    "interrupted",
    "memory-limit",
    "misfit-option",
    "nested-too-deeply",
    "no-main",
    "not-utf8",
    "nothing-to-check",
    "primed-variable",
    "reserved-name",
    "result-arity",
    "return-arity",
    "schoose-arity",
    "several-files",
    "syntax",
    "time-limit",
    "too-many-results",
    "undeclared-variable",
    "undefined-label",
    "undefined-procedure",
    "unknown-character",
    "unknown-code",
    "unknown-goal",
    "unmodelled-statement",
    "unreadable-file",
    "unsupported-kind",
    "unterminated-comment",
    "unterminated-name",
];

/// What there is to say about a code.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The code.
    pub code: &'static str,
    /// Its explanation: a title, what it means, an example, what to do.
    pub text: &'static str,
}

impl Page {
    /// The first sentence, for a list.
    fn summary(&self) -> String {
        let body = self.text.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ");
        let ends = [". ", ": ", "; "].into_iter().filter_map(|end| body.find(end));
        let end = ends.min().unwrap_or(body.len().saturating_sub(1));
        body[..end].to_owned()
    }
}

/// The page of `code`, or what is wrong with the code.
pub fn page(code: &str) -> std::result::Result<&'static Page, Diagnostic> {
    PAGES.iter().find(|page| page.code == code).ok_or_else(|| {
        let error = Diagnostic::error("unknown-code", format!("there is no page `{code}`"), None);
        error.help(match nearest(code, PAGES.iter().map(|page| page.code)) {
            Some(near) => format!("did you mean `{near}`? `hardbop explain` lists all pages"),
            None => "`hardbop explain` lists all pages".into(),
        })
    })
}

/// Prints every code with its first sentence.
pub fn write_list(out: &mut impl Write, palette: &Palette) -> Result<()> {
    let width = PAGES.iter().map(|page| page.code.len()).max().unwrap_or(0);
    let strong = palette.strong;
    for page in PAGES {
        writeln!(out, "{strong}{:width$}{strong:#}  {}", page.code, page.summary())?;
    }
    writeln!(out, "\n`hardbop explain CODE` shows a page.")
}

/// One page, or all of them, as JSON.
pub fn json(page: Option<&Page>) -> Value {
    let value = |page: &Page| json!({ "code": page.code, "text": page.text });
    let pages: Vec<Value> = match page {
        Some(page) => vec![value(page)],
        None => PAGES.iter().map(value).collect(),
    };
    json!({ "format": 1, "pages": pages })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::{Limit, Span};
    use hardbop_verdict::Reason;
    use std::collections::BTreeSet;

    fn printable() -> BTreeSet<&'static str> {
        let limits = [Limit::Time, Limit::Memory, Limit::Interrupt, Limit::Allowance];
        let reasons = limits.map(|limit| Reason::Limit(limit).code());
        let unmodelled = Reason::Unmodelled { what: String::new(), span: Span::new(0, 0) }.code();
        let codes = [hardbop_lang_bp::CODES, crate::input::CODES, crate::answer::CODES, CODES];
        codes.into_iter().flatten().copied().chain(reasons).chain([unmodelled]).collect()
    }

    #[test]
    fn every_code_has_a_page_and_no_page_is_orphaned() {
        assert_eq!(PAGES.iter().map(|page| page.code).collect::<BTreeSet<_>>(), printable());
    }

    #[test]
    fn every_file_is_in_the_table() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/explain")).unwrap();
        let files = files.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
        assert_eq!(files.collect::<BTreeSet<_>>(), PAGES.iter().map(|page| page.code.to_owned()).collect());
    }

    #[test]
    fn every_page_says_what_it_is_shows_an_example_and_what_to_do() {
        for page in PAGES {
            assert!(page.text.starts_with(&format!("# {} (", page.code)), "{}", page.code);
            assert!(page.text.contains("\n## Example\n\n    "), "{}", page.code);
            assert!(page.text.contains("\n## What to do\n\n"), "{}", page.code);
        }
    }
}
