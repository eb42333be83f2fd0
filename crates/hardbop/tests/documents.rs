//! What the README and the book show is what the command prints.
//!
//! A block `console` has a command after `$` and then its whole output, errors before answers. `UPDATE_EXPECT=1` (or
//! `cargo xtask bless`) rewrites the outputs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::Command;

const FENCE: &str = "```";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The document with every block as it should be.
fn renewed(text: &str) -> String {
    let mut lines = text.lines();
    let mut renewed = String::new();
    while let Some(line) = lines.next() {
        renewed += &format!("{line}\n");
        if line == "```console" {
            let command = lines.next().and_then(|line| line.strip_prefix("$ ")).expect("a block starts with a command");
            let end = lines.find(|line| *line == FENCE).expect("a block has an end");
            renewed += &format!("$ {command}\n{}{end}\n", output(command));
        }
    }
    renewed
}

fn output(command: &str) -> String {
    let arguments = command.strip_prefix("hardbop ").or(command.strip_prefix("cargo run --release -- "));
    let arguments = arguments.expect("a block shows our command");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    let output = command.current_dir(root()).args(words(arguments)).output().unwrap();
    String::from_utf8([output.stderr, output.stdout].concat()).unwrap()
}

/// The words of a command line, where what stands between single quotes is one.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts.flat_map(|(i, part)| if i % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }).collect()
}

#[track_caller]
fn check(document: &str) {
    let path = root().join(document);
    let text = std::fs::read_to_string(&path).unwrap();
    let renewed = renewed(&text);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, renewed).unwrap();
        return;
    }
    assert_eq!(text, renewed, "{document} shows what the command does not print; `cargo xtask bless` corrects it");
}

#[test]
fn readme_shows_real_outputs() {
    check("README.md");
}

#[test]
fn tour_shows_real_outputs() {
    check("docs/src/tour.md");
}

#[test]
fn chapter_on_traces_shows_a_real_trace() {
    check("docs/src/traces.md");
}

#[test]
fn chapter_on_stacks_shows_real_answers() {
    check("docs/src/ask.md");
}
