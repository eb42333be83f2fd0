//! Files and lines of code.
//!
//! What must not be written is put together here from its parts, so that this file does not break its own rules.

use crate::sources::{self, File};
use crate::{report, root};
use std::collections::BTreeMap;

const LONGEST_FILE: usize = 800;
const LARGEST_CRATE: usize = 10_000;

#[test]
fn no_file_is_too_long() {
    let lengths = sources::rust().into_iter().map(|file| (file.path.clone(), file.text.lines().count()));
    report(lengths.filter(|(_, lines)| *lines > LONGEST_FILE).map(|(path, lines)| format!("{path}: {lines} lines")));
}

#[test]
fn no_crate_is_too_large() {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources::rust() {
        if let Some((name, _)) = file.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) {
            *sizes.entry(name.to_owned()).or_default() += file.text.lines().count();
        }
    }
    report(
        sizes.into_iter().filter(|(_, lines)| *lines > LARGEST_CRATE).map(|(name, lines)| format!("{name}: {lines}")),
    );
}

#[test]
fn files_are_named_for_what_is_in_them() {
    let is_vague = |part: &str| {
        let stem = part.split('.').next().unwrap_or(part);
        part == concat!("mod", ".rs") || ["util", "utils", "common", "helpers", "misc"].contains(&stem)
    };
    let vague = sources::rust().into_iter().filter(|file| file.path.split('/').any(is_vague));
    report(vague.map(|file| format!("{}: name it for what is in it; `foo.rs` beside `foo/`", file.path)));
}

#[test]
fn imports_are_spelled_out() {
    let is_import = |line: &str| line.trim().strip_prefix("pub ").unwrap_or(line.trim()).starts_with("use ");
    // As clippy does, we let a test module take all of the module it tests, and proptest's prelude be a prelude.
    let is_excused = |line: &str| line.trim() == "use super::*;" || line.contains("prelude::*");
    let is_glob = |line: &str| is_import(line) && line.contains(concat!(":", ":*")) && !is_excused(line);
    report(search(&sources::rust(), is_glob, "a glob import"));
    let in_code = sources::rust().into_iter().flat_map(|file| {
        let found = file.lines_before_tests().filter(|(_, line)| line.trim() == "use super::*;");
        found.map(|(line, _)| format!("{}: a glob import outside of a test", file.at(line))).collect::<Vec<_>>()
    });
    report(in_code);
}

#[test]
fn nothing_is_unwrapped_outside_of_tests() {
    let word = concat!(".unwrap", "()");
    let complaints = sources::rust().into_iter().filter(is_product).flat_map(|file| {
        let code = file.lines_before_tests().filter(|(_, line)| !is_comment(line) && line.contains(word));
        code.map(|(line, _)| format!("{}: `expect` with a reason", file.at(line))).collect::<Vec<_>>()
    });
    report(complaints);
}

#[test]
fn nothing_is_left_for_later() {
    let words = [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("dbg", "!(")];
    let attributes = [concat!("#[", "ignore"), concat!("#[", "should_panic")];
    for word in words.into_iter().chain(attributes) {
        report(search(&sources::rust(), |line| line.contains(word), word));
    }
}

#[test]
fn what_is_to_do_has_an_issue() {
    let files: Vec<File> = sources::all().into_iter().filter(|file| file.is_a(&[".rs", ".md", ".toml"])).collect();
    let (word, others) = (concat!("TO", "DO"), [concat!("FIX", "ME"), concat!("XX", "X:"), concat!("HA", "CK:")]);
    let has_issue =
        |rest: &str| rest.strip_prefix("(#").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_loose = |line: &str| {
        line.match_indices(word).any(|(place, _)| {
            let rest = &line[place + word.len()..];
            !has_issue(rest) && !rest.starts_with("(#…)")
        }) || others.iter().any(|other| line.contains(other))
    };
    report(search(&files, is_loose, "say in which issue"));
}

#[test]
fn no_file_knows_this_machine() {
    let here = root().display().to_string();
    let homes = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), here.as_str()];
    let names_home = |line: &str| homes.iter().any(|home| line.contains(home));
    report(search(&sources::all(), names_home, "a path of one machine"));
}

#[test]
fn lints_are_the_workspace_s() {
    let manifests = sources::all().into_iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    let lax = manifests.filter(|file| !file.text.contains("[lints]\nworkspace = true"));
    report(lax.map(|file| format!("{}: `[lints] workspace = true` is missing", file.path)));
}

/// Whether the file is part of the product rather than of its tests, examples and benchmarks.
fn is_product(file: &File) -> bool {
    file.path.starts_with("crates/") && file.path.contains("/src/")
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The places in `files` with a line that `is_wrong`.
fn search(files: &[File], is_wrong: impl Fn(&str) -> bool, what: &str) -> Vec<String> {
    let places = files.iter().flat_map(|file| file.lines().map(move |(number, line)| (file, number, line)));
    let wrong = places.filter(|(_, _, line)| is_wrong(line));
    wrong.map(|(file, number, _)| format!("{}: {what}", file.at(number))).collect()
}
