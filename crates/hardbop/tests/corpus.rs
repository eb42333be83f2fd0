//! Every program of `corpus`: its verdict as its head says, and its output as the `.out` beside it.
//!
//! `UPDATE_EXPECT=1` (or `cargo xtask bless`) rewrites the outputs, never the verdicts. Every proof is checked.

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The kinds of programs, each in a folder of its own, and how a line of a head begins there.
const KINDS: [(&str, &str); 3] = [("bp", "//@ "), ("pds", "#@ "), ("rem", "//@ ")];

fn main() {
    let trials = KINDS.iter().flat_map(|&(kind, mark)| {
        programs(kind).into_iter().map(move |path| {
            let name = path.file_stem().expect("a program has a name").to_string_lossy().into_owned();
            Trial::test(format!("{kind}/{name}"), move || check(&path, mark))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn programs(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(kind);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.expect("the corpus can be read").path()).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == kind));
    programs.sort();
    programs
}

/// What a program's head says about it: lines `//@ key: value`, in a `.pds` `#@ key: value`.
struct Head {
    verdict: String,
    args: Vec<String>,
}

fn check(path: &Path, mark: &str) -> Result<(), Failed> {
    let head = read_head(path, mark)?;
    check_verdict(path, &head)?;
    let output = run(path, &head.args);
    let printed = String::from_utf8([output.stderr, output.stdout].concat())?;
    let expected = path.with_extension("out");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&expected, &printed)?;
        return Ok(());
    }
    let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
    if printed != wanted {
        return Err(format!("expected\n{wanted}\nfound\n{printed}").into());
    }
    Ok(())
}

fn check_verdict(path: &Path, head: &Head) -> Result<(), Failed> {
    let mut args = head.args.clone();
    args.extend(["--json".into(), "--certify".into()]);
    let output = run(path, &args);
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let verdict = if answer["errors"].is_array() { "error" } else { answer["verdict"].as_str().unwrap_or("none") };
    if verdict != head.verdict {
        return Err(format!("the verdict is {verdict} and should be {}: {answer}", head.verdict).into());
    }
    let code = output.status.code();
    let wanted = ["holds", "violated", "error", "unknown"].iter().position(|word| *word == verdict);
    if code.map(|code| code as usize) != wanted {
        return Err(format!("{verdict} with exit code {code:?}").into());
    }
    Ok(())
}

fn read_head(path: &Path, mark: &str) -> Result<Head, Failed> {
    let text = std::fs::read_to_string(path)?;
    let mut head = Head { verdict: String::new(), args: Vec::new() };
    for line in text.lines().filter_map(|line| line.strip_prefix(mark)) {
        let (key, value) = line.split_once(':').ok_or("a line of the head has a key, a colon and a value")?;
        let value = value.trim();
        match key {
            "verdict" => head.verdict = value.into(),
            "goal" => head.args.extend(["--goal".into(), value.into()]),
            "entry" => head.args.extend(["--entry".into(), value.into()]),
            "ltl" => head.args.extend(["--ltl".into(), value.into()]),
            "fair" => head.args.extend(["--fair".into(), value.into()]),
            "terminates" if value.is_empty() => head.args.push("--terminates".into()),
            "terminates" => head.args.push(format!("--terminates={value}")),
            "args" => head.args.extend(value.split(' ').map(String::from)),
            _ => return Err(format!("`{key}` means nothing in a head").into()),
        }
    }
    if head.verdict.is_empty() { Err("the head has no verdict".into()) } else { Ok(head) }
}

fn run(path: &Path, args: &[String]) -> Output {
    let folder = path.parent().expect("a program is in a folder");
    let name = path.file_name().expect("a program has a name");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.current_dir(folder).arg("check").arg(name).args(args).output().expect("the command runs")
}
