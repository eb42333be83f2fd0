//! Every code of the language has a page, and what pages and the book show as an example really is one.

use hardbop_lang_flow::{CODES, check, is_distributive, parse};
use std::path::Path;

/// The codes of other languages as well; their pages show an example in one of those.
const SHARED: &[&str] =
    &["file-too-large", "nested-too-deeply", "number-too-large", "reserved-name", "syntax", "unknown-character"];

/// The example of a page: its first block of indented lines.
fn example(code: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hardbop/src/explain");
    let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).expect("every code has a page");
    let (_, rest) = page.split_once("\n## Example\n\n").expect("every page has an example");
    let lines = rest.lines().map_while(|line| line.strip_prefix("    "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The codes of all that is found in the text.
fn codes(text: &str) -> Vec<&'static str> {
    let (tree, mut findings) = parse(text, 0);
    if findings.is_empty() {
        findings = check(&tree);
    }
    if findings.is_empty() {
        findings.extend(is_distributive(&tree).err());
    }
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn examples_have_what_their_page_is_about_and_nothing_else() {
    for code in CODES.iter().filter(|code| !SHARED.contains(code)) {
        assert_eq!(codes(&example(code)), [*code], "{code}");
    }
}

#[test]
fn shared_codes_have_a_page() {
    assert!(SHARED.iter().all(|code| CODES.contains(code) && !example(code).is_empty()));
}

#[test]
fn analyses_in_the_book_have_nothing_wrong() {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/language-flow.md");
    let text = std::fs::read_to_string(chapter).expect("the language has a chapter");
    let blocks = text.split("\n```text\n").skip(1).filter_map(|rest| rest.split_once("\n```")).map(|(block, _)| block);
    let analyses: Vec<_> = blocks.filter(|block| block.lines().any(|line| line.starts_with("analysis "))).collect();
    assert_eq!(analyses.len(), 2);
    for source in analyses {
        let (tree, found) = parse(source, 0);
        assert_eq!(found, [], "{source}");
        assert_eq!(check(&tree), [], "{source}");
    }
}
