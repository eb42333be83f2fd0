//! Every program of `corpus`: its verdict as its head says, and its output as the `.out` beside it.
//!
//! `UPDATE_EXPECT=1` (or `cargo xtask bless`) rewrites the outputs, never the verdicts. Every proof is checked.

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The kinds of programs, each in a folder of its own, and how a line of a head begins there.
const KINDS: [(&str, &str); 4] = [("bp", "//@ "), ("c", "//@ "), ("pds", "#@ "), ("rem", "//@ ")];

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
    // C is preprocessed here, so that no compiler is needed.
    let extension = if kind == "c" { "i" } else { kind };
    programs.retain(|path| path.extension().is_some_and(|found| found == extension));
    programs.sort();
    programs
}

/// What a program's head says about it: lines `//@ key: value`, in a `.pds` `#@ key: value`.
struct Head {
    question: Question,
    args: Vec<String>,
}

/// What is asked about a program.
enum Question {
    /// `check`, and the verdict is this.
    Verdict(String),
    /// `show`, a stage of the work.
    Stage,
}

fn check(path: &Path, mark: &str) -> Result<(), Failed> {
    let head = read_head(path, mark)?;
    let command = match &head.question {
        Question::Verdict(verdict) => {
            check_verdict(path, verdict, &head.args)?;
            "check"
        }
        Question::Stage => "show",
    };
    let output = run(command, path, &head.args);
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

fn check_verdict(path: &Path, wanted: &str, args: &[String]) -> Result<(), Failed> {
    let args: Vec<String> = args.iter().cloned().chain(["--json".into(), "--certify".into()]).collect();
    let output = run("check", path, &args);
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let verdict = if answer["errors"].is_array() { "error" } else { answer["verdict"].as_str().unwrap_or("none") };
    if verdict != wanted {
        return Err(format!("the verdict is {verdict} and should be {wanted}: {answer}").into());
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
    let (mut question, mut args) = (None, Vec::new());
    for line in text.lines().filter_map(|line| line.strip_prefix(mark)) {
        let (key, value) = line.split_once(':').ok_or("a line of the head has a key, a colon and a value")?;
        let value = value.trim();
        match key {
            "verdict" => question = Some(Question::Verdict(value.into())),
            "stage" => {
                question = Some(Question::Stage);
                args.extend(["--stage".into(), value.into()]);
            }
            "goal" => args.extend(["--goal".into(), value.into()]),
            "entry" => args.extend(["--entry".into(), value.into()]),
            "ltl" => args.extend(["--ltl".into(), value.into()]),
            "fair" => args.extend(["--fair".into(), value.into()]),
            "terminates" if value.is_empty() => args.push("--terminates".into()),
            "terminates" => args.push(format!("--terminates={value}")),
            "args" => args.extend(value.split(' ').map(String::from)),
            _ => return Err(format!("`{key}` means nothing in a head").into()),
        }
    }
    Ok(Head { question: question.ok_or("the head has neither a verdict nor a stage")?, args })
}

fn run(task: &str, path: &Path, args: &[String]) -> Output {
    let folder = path.parent().expect("a program is in a folder");
    let name = path.file_name().expect("a program has a name");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.current_dir(folder).arg(task).arg(name).args(args).output().expect("the command runs")
}
