//! What texts refer to exists: papers, files, functions, chapters.

use crate::sources::{self, File};
use crate::{report, root};
use std::collections::BTreeSet;
use std::path::Path;

const BIBLIOGRAPHY: &str = "docs/src/bibliography.md";
/// The folders and files that a name in backquotes may begin with.
const PLACES: [&str; 7] = ["crates/", "docs/", "xtask/", "fuzz/", "benches/", "examples/", "corpus/"];

#[test]
fn citations_are_in_the_bibliography() {
    let known = bibliography();
    let files = sources::all().into_iter().filter(|file| file.is_a(&[".rs", ".md"]) && file.path != BIBLIOGRAPHY);
    let complaints = files.flat_map(|file| {
        let cited = file.lines().filter(|(_, line)| may_cite(&file, line));
        let unknown = cited.flat_map(|(number, line)| keys(line).map(move |key| (number, key)));
        let unknown = unknown.filter(|(_, key)| !known.contains(*key));
        unknown
            .map(|(number, key)| format!("{}: [{key}] is not in {BIBLIOGRAPHY}", file.at(number)))
            .collect::<Vec<_>>()
    });
    report(complaints);
}

#[test]
fn bibliography_has_each_key_once() {
    let text = std::fs::read_to_string(root().join(BIBLIOGRAPHY)).unwrap();
    let mut seen = BTreeSet::new();
    let again = text.lines().filter_map(entry).filter(|key| !seen.insert(*key));
    report(again.map(|key| format!("[{key}] stands in {BIBLIOGRAPHY} twice")));
}

#[test]
fn links_lead_somewhere() {
    let complaints = sources::markdown().into_iter().flat_map(|file| {
        let folder = root().join(&file.path).parent().expect("a file is in a folder").to_owned();
        // In code, `a[3](2)` is an array.
        let prose = file.lines().filter(|(_, line)| !line.starts_with("    "));
        let links = prose.flat_map(|(number, line)| links(line).map(move |link| (number, link)));
        let dead = links.filter(|(_, link)| !leads_somewhere(&folder, link));
        dead.map(|(number, link)| format!("{}: `{link}` leads nowhere", file.at(number))).collect::<Vec<_>>()
    });
    report(complaints);
}

#[test]
fn named_files_exist() {
    let complaints = sources::markdown().into_iter().flat_map(|file| {
        let names = file.lines().flat_map(|(number, line)| quoted(line).map(move |name| (number, name)));
        let names = names.filter(|(_, name)| is_path(name));
        let missing = names.filter(|(_, name)| !root().join(name.trim_end_matches('/')).exists());
        missing.map(|(number, name)| format!("{}: there is no `{name}`", file.at(number))).collect::<Vec<_>>()
    });
    report(complaints);
}

#[test]
fn functions_of_the_tables_exist() {
    // A row of a table that names a Rust file names what is in it: `Saturation::run` is a `fn run` there.
    let complaints = sources::markdown().into_iter().flat_map(|file| {
        let rows = file.lines().filter(|(_, line)| line.starts_with('|'));
        let missing = rows.flat_map(|(number, row)| undefined(row).map(move |name| (number, name)).collect::<Vec<_>>());
        missing.map(|(number, name)| format!("{}: `{name}` is not defined there", file.at(number))).collect::<Vec<_>>()
    });
    report(complaints);
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    let chapters =
        sources::markdown().into_iter().filter_map(|file| Some(file.path.strip_prefix("docs/src/")?.to_owned()));
    let orphans = chapters.filter(|name| name != "SUMMARY.md" && !summary.contains(&format!("({name})")));
    report(orphans.map(|name| format!("docs/src/{name} is not in the summary")));
}

/// Whether the line can have a citation: any of a text, comments of a program.
fn may_cite(file: &File, line: &str) -> bool {
    file.is_a(&[".md"]) || line.trim_start().starts_with("//")
}

/// The keys cited in `line`: `BR00` of `[BR00, §3]`.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    line.split('[').skip(1).filter_map(|rest| {
        let (inside, after) = rest.split_once(']')?;
        let key = inside.split(", ").next().unwrap_or(inside).trim_end_matches('\\');
        // `[BR00](…)` is a link and `[BR00]: …` its target.
        (is_key(key) && !after.starts_with(['(', ':'])).then_some(key)
    })
}

/// Letters of authors, perhaps a `+`, and two digits of a year, perhaps with a letter.
fn is_key(text: &str) -> bool {
    let year = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let authors = year.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = authors.starts_with(|c: char| c.is_ascii_uppercase())
        && authors.chars().all(|c| c.is_ascii_alphabetic() || c == '+');
    is_name && year.len() == authors.len() + 2 && text.len() <= year.len() + 1
}

fn bibliography() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(BIBLIOGRAPHY)).unwrap();
    text.lines().filter_map(entry).map(String::from).collect()
}

/// The key that a line of the bibliography defines: `- **[BR00]** …`.
fn entry(line: &str) -> Option<&str> {
    line.strip_prefix("- **[")?.split_once("]**").map(|(key, _)| key)
}

/// The targets of links in `line` that are not of the net.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:") && !target.contains(' '))
}

fn leads_somewhere(folder: &Path, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or(link);
    path.is_empty() || folder.join(path).exists()
}

/// What stands in backquotes.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a name in backquotes is that of one file or folder of ours.
fn is_path(name: &str) -> bool {
    let is_plain = !name.contains([' ', '*', '<', '…', '{', '|', ':']);
    is_plain && PLACES.iter().any(|place| name.starts_with(place))
}

/// The names in a row of a table that the Rust files in it do not define.
fn undefined(row: &str) -> impl Iterator<Item = &str> {
    let files = quoted(row).filter(|name| name.ends_with(".rs") && is_path(name));
    let code: Vec<String> = files.filter_map(|name| std::fs::read_to_string(root().join(name)).ok()).collect();
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
    quoted(row).filter(is_name).filter(move |name| {
        let name = name.rsplit("::").next().unwrap_or(name);
        let defines = |text: &String| {
            ["fn ", "struct ", "enum ", "trait ", "const ", "type "].iter().any(|word| {
                let heads = text.match_indices(word).map(|(place, _)| &text[place + word.len()..]);
                heads.into_iter().any(|rest| {
                    rest.strip_prefix(name)
                        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                })
            })
        };
        !code.is_empty() && !code.iter().any(defines)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_key, keys, links, quoted};

    #[test]
    fn keys_are_told_from_indexes_and_links() {
        assert!(is_key("BR00") && is_key("BCM+92") && is_key("RHS95") && is_key("Bry86a"));
        assert!(!is_key("Bdd") && !is_key("A1") && !is_key("00"));
        let line = "[BR00, §3] and [ES01]; not `x[i]`, [`Bdd`], [BR01](link.md) or table[NodeId]";
        assert_eq!(keys(line).collect::<Vec<_>>(), ["BR00", "ES01"]);
    }

    #[test]
    fn links_of_the_net_are_left_alone() {
        let line = "[a](b.md#c) [d](https://example.org) [e](#f)";
        assert_eq!(links(line).collect::<Vec<_>>(), ["b.md#c", "#f"]);
        assert_eq!(quoted("a `b` c `d`").collect::<Vec<_>>(), ["b", "d"]);
    }
}
