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
    "array-bounds",
    "array-index",
    "array-too-large",
    "assignment-arity",
    "assume-backward",
    "assumption-scope",
    "auto-without-value",
    "bad-width",
    "break-outside",
    "call-arity",
    "conflicting-declarations",
    "conflicting-linkage",
    "conflicting-types",
    "constant-out-of-range",
    "directory-given",
    "duplicate-case",
    "duplicate-clause",
    "duplicate-constant",
    "duplicate-definition",
    "duplicate-else",
    "duplicate-fact",
    "duplicate-init",
    "duplicate-label",
    "duplicate-member",
    "duplicate-metavariable",
    "duplicate-module",
    "duplicate-name",
    "duplicate-procedure",
    "duplicate-symbol",
    "duplicate-target",
    "duplicate-variable",
    "empty-array",
    "empty-declaration",
    "empty-file",
    "empty-range",
    "excess-initialiser",
    "fact-arity",
    "fact-never-read",
    "fact-never-set",
    "fact-reading",
    "file-not-found",
    "file-too-large",
    "flexible-member",
    "hoa-inconsistent",
    "hoa-syntax",
    "hoa-too-large",
    "hoa-unsupported",
    "implication-chain",
    "implicit-function",
    "incompatible-types",
    "incomplete-array",
    "incomplete-element",
    "incomplete-member",
    "incomplete-parameter",
    "incomplete-result",
    "incomplete-type",
    "incomplete-variable",
    "index-out-of-range",
    "init-not-called",
    "initial-fact",
    "internal-error",
    "interrupted",
    "invalid-alignment",
    "invalid-bit-field",
    "invalid-designator",
    "invalid-function",
    "invalid-initialiser",
    "invalid-literal",
    "invalid-result-type",
    "invalid-type",
    "invalid-underlying-type",
    "invalid-vector-size",
    "ltl-syntax",
    "ltl-too-deep",
    "memory-limit",
    "message-placeholder",
    "metavariable-in-use",
    "misfit-kind",
    "misfit-option",
    "missing-file",
    "mixed-targets",
    "module-mismatch",
    "negative-length",
    "nested-too-deeply",
    "no-analysis",
    "no-compiler",
    "no-facts",
    "no-initial-configuration",
    "no-main",
    "no-result",
    "no-such-member",
    "no-width",
    "not-a-value",
    "not-a-variable",
    "not-addressable",
    "not-assignable",
    "not-callable",
    "not-constant",
    "not-distributive",
    "not-preprocessed",
    "not-utf8",
    "not-modelled",
    "nothing-required",
    "nothing-to-check",
    "number-too-large",
    "one-at-a-time",
    "preprocessed-too-large",
    "preprocessor-failed",
    "primed-variable",
    "probabilities-ignored",
    "proposition-scope",
    "proposition-size",
    "proposition-syntax",
    "read-only",
    "redeclared",
    "redefined",
    "redefined-type",
    "require-backward",
    "reserved-name",
    "result-arity",
    "return-arity",
    "schoose-arity",
    "set-arity",
    "several-files",
    "signed-number",
    "stack-nested-too-deeply",
    "stack-syntax",
    "stack-too-large",
    "static-assertion",
    "stray-break",
    "stray-case",
    "stray-continue",
    "stray-label",
    "syntax",
    "system-too-large",
    "task-syntax",
    "task-without-input",
    "temporal-condition",
    "time-limit",
    "too-few-arguments",
    "too-large",
    "too-many-arguments",
    "too-many-bits",
    "too-many-dimensions",
    "too-many-results",
    "too-many-symbols",
    "type-mismatch",
    "unbound-metavariable",
    "undeclared",
    "undeclared-fact",
    "undeclared-metavariable",
    "undeclared-name",
    "undeclared-variable",
    "undefined-label",
    "undefined-member",
    "undefined-module",
    "undefined-procedure",
    "undefined-type",
    "unexpected-result",
    "unknown-alias",
    "unknown-analysis",
    "unknown-builtin",
    "unknown-character",
    "unknown-code",
    "unknown-data-model",
    "unknown-frame",
    "unknown-function",
    "unknown-goal",
    "unknown-name",
    "unknown-proposition",
    "unknown-set",
    "unknown-sort",
    "unknown-symbol",
    "unknown-type",
    "unmodelled-statement",
    "unreachable-rule",
    "unreadable-file",
    "unsupported-assignment",
    "unsupported-construct",
    "unsupported-init",
    "unsupported-kind",
    "unsupported-rule",
    "unterminated-comment",
    "unterminated-label",
    "unterminated-literal",
    "unterminated-name",
    "unterminated-string",
    "unterminated-text",
    "unusable-cache",
    "unused-model",
    "unwritten-cache",
    "variable-length",
    "void-value",
    "width-without-number",
    "wrong-call",
    "wrong-operands",
    "wrong-sort",
    "wrong-tag",
    "wrong-type",
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
    use hardbop_configurations::expression;
    use hardbop_icfg::proposition;
    use hardbop_lang_remopla::{pds, rem};
    use hardbop_verdict::Reason;
    use std::collections::BTreeSet;

    fn printable() -> BTreeSet<&'static str> {
        let limits = [Limit::Time, Limit::Memory, Limit::Interrupt, Limit::Allowance];
        let reasons = limits.map(|limit| Reason::Limit(limit).code());
        let unmodelled = Reason::Unmodelled { what: String::new(), span: Span::new(0, 0) }.code();
        let languages = [hardbop_lang_bp::CODES, rem::CODES, pds::CODES];
        let c = [hardbop_lang_c::CODES, hardbop_c_lower::CODES, hardbop_c_link::CODES, hardbop_lang_flow::CODES];
        let questions = [hardbop_ltl::CODES, proposition::CODES, expression::CODES];
        let files = [crate::input::CODES, crate::compiler::CODES, crate::task::CODES];
        let ours = [crate::answer::CODES, crate::c::CODES, crate::cache::CODES, crate::wrong_call::CODES, CODES];
        let codes = [languages, questions, files].into_iter().flatten().chain(c).chain(ours);
        codes.flatten().copied().chain(reasons).chain([unmodelled]).collect()
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
