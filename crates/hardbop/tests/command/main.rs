//! The command as a user meets it: exit codes, errors, limits, JSON, pipes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alarms;
mod ask;
mod cache;
mod flow;
mod headers;
mod hostile;
mod models;
mod paths;
mod reading;
mod temporal;
mod warnings;
mod wrong_calls;

use expect_test::{Expect, expect};
use serde_json::Value;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.current_dir(root()).args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// A file of this test alone, gone when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        // A number for each: tests run side by side, and one must not remove another's file of the same name.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("hardbop-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed is no reason to fail.
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

/// Checks the exit code, and standard error followed by standard output.
#[track_caller]
fn check(args: &[&str], code: i32, expect: Expect) {
    let output = run(args);
    let printed = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
    expect.assert_eq(&printed);
    assert_eq!(output.status.code(), Some(code));
}

/// Checks that `content` in a file `name` is an input error that contains `message`.
#[track_caller]
fn check_rejected(name: &str, content: impl AsRef<[u8]>, message: &str) {
    let file = Scratch::new(name, content);
    let output = run(&["check", file.path()]);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains(message), "{printed}");
    assert!(output.stdout.is_empty());
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["check", file.path(), "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["format"], 1);
    assert!(answer["errors"][0]["code"].is_string());
    assert!(output.stderr.is_empty());
    assert_eq!(output.status.code(), Some(2));
}

#[track_caller]
fn json(args: &[&str], code: i32) -> Value {
    let output = run(args);
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A counter of `bits` bits that must go round once: 2^bits iterations.
fn counter(bits: usize) -> String {
    let names: Vec<String> = (0..bits).map(|bit| format!("c{bit}")).collect();
    let zeros = vec!["F"; bits].join(", ");
    let mut carries = vec!["!c0".to_owned()];
    carries.extend((1..bits).map(|bit| format!("c{bit} != ({})", names[..bit].join(" & "))));
    format!(
        "decl {all};\nvoid main() begin\n  {all} := {zeros};\n  while (!({full})) do\n    {all} := {next};\n  od\n  \
         SLIC_ERROR: skip;\nend\n",
        all = names.join(", "),
        full = names.join(" & "),
        next = carries.join(", "),
    )
}

#[test]
fn examples_of_the_bare_command_run_as_they_are() {
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let program = env!("CARGO_BIN_EXE_hardbop");
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  ")?.strip_prefix(program)).collect();
    assert_eq!(lines.len(), 5);
    for line in lines {
        let args: Vec<&str> = line.split_whitespace().collect();
        let output = run(&args);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn exit_code_is_the_verdict() {
    assert_eq!(run(&["check", "examples/driver.bp"]).status.code(), Some(0));
    assert_eq!(run(&["check", "examples/lock.bp"]).status.code(), Some(1));
    assert_eq!(run(&["check", "examples/lock.bp", "--goal", "Nowhere"]).status.code(), Some(2));
    let thread = Scratch::new("thread.bp", "void main() begin start_thread main(); ERROR: skip; end");
    assert_eq!(run(&["check", thread.path()]).status.code(), Some(3));
}

#[test]
fn wrong_calls_say_what_is_right() {
    assert_eq!(run(&["chekc", "examples/lock.bp"]).status.code(), Some(2));
    assert_eq!(run(&["check", "examples/lock.bp", "--time-limit", "-1"]).status.code(), Some(2));
    assert_eq!(run(&["check"]).status.code(), Some(2));
    check(
        &["show", "examples/lock.bp", "--stage", "bp", "--format", "dot"],
        2,
        expect![[r#"
            error[misfit-option]: `--format dot` does not fit `--stage bp`
             |
             = help: what fits is `--format text`

            aborting due to 1 error; `hardbop explain misfit-option` says more
        "#]],
    );
    check(
        &["check", "examples/lock.bp", "examples/driver.bp"],
        2,
        expect![[r#"
            error[several-files]: 2 files are given, and only a C program has several
             |
             = help: check each file in a run of its own

            aborting due to 1 error; `hardbop explain several-files` says more
        "#]],
    );
    check(
        &["check", "examples/lokc.bp"],
        2,
        expect![[r#"
            error[file-not-found]: there is no file examples/lokc.bp
             |
             = help: there is examples/lock.bp

            aborting due to 1 error; `hardbop explain file-not-found` says more
        "#]],
    );
    check(
        &["check", "driver.c"],
        2,
        expect![[r#"
            error[misfit-kind]: this command does not take C programs
             |
             = help: `hardbop flow` checks a C program; `hardbop show --stage c` shows how it is read

            aborting due to 1 error; `hardbop explain misfit-kind` says more
        "#]],
    );
}

#[test]
fn what_is_no_source_text_is_a_clear_error() {
    check_rejected("empty.bp", " \n", "is empty");
    check_rejected("latin1.bp", b"decl caf\xe9;\n", "is not UTF-8: the byte at offset 8 is 0xe9");
    check_rejected("binary.bp", [0x7f, b'E', b'L', b'F', 0, 1, 2, 3, 0xff], "is not UTF-8");
    check_rejected("zeros.bp", [0u8; 1000], "error[unknown-character]");
    let folder = run(&["check", "examples"]);
    assert_eq!(folder.status.code(), Some(2));
    assert!(String::from_utf8(folder.stderr).unwrap().contains("examples is a directory"));
}

#[test]
fn near_names_are_suggested() {
    check_rejected("typo.bp", "decl locked;\nvoid main() begin lokced := 1; end", "did you mean `locked`?");
    let output = run(&["explain", "sintax"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("did you mean `syntax`?"));
}

#[test]
fn deep_nesting_is_answered() {
    for (open, close) in [("(", ")"), ("!", "")] {
        let depth = 100_000;
        let expr = format!("{}x{}", open.repeat(depth), close.repeat(depth));
        let file = Scratch::new("deep.bp", format!("decl x;\nvoid main() begin assert({expr}); end\n"));
        assert_eq!(run(&["check", file.path(), "--certify"]).status.code(), Some(1));
        assert_eq!(run(&["show", file.path(), "--stage", "ast"]).status.code(), Some(0));
        assert_eq!(run(&["show", file.path(), "--stage", "icfg"]).status.code(), Some(0));
    }
    let file = Scratch::new("deeper.bp", format!("decl x;\nvoid main() begin x := {}", "(".repeat(1_000_000)));
    assert_eq!(run(&["check", file.path()]).status.code(), Some(2));
}

#[test]
fn json_has_the_promised_fields() {
    let answer = json(&["check", "examples/lock.bp", "--json"], 1);
    assert_eq!(answer["format"], 1);
    assert_eq!(answer["verdict"], "violated");
    assert_eq!(answer["reason"], Value::Null);
    assert_eq!(answer["bounds"], Value::Null);
    assert_eq!(answer["warnings"], Value::Array(Vec::new()));
    assert_eq!(answer["stats"], Value::Object(serde_json::Map::new()));
    let goals = answer["goals"].as_array().unwrap();
    let violated = goals.iter().find(|goal| goal["name"] == "ERROR").unwrap();
    assert_eq!(violated["kind"], "label");
    assert_eq!(violated["file"], "examples/lock.bp");
    let last = violated["trace"].as_array().unwrap().last().unwrap();
    assert_eq!(last["line"], violated["line"]);
    assert_eq!(last["proc"], "acquire");
    assert_eq!(last["depth"], 1);
    assert_eq!(last["values"]["locked"], true);
    assert_eq!(last["call"], Value::Null);
    let fold = violated["trace"].as_array().unwrap().iter().find_map(|step| step["call"]["fold"].as_u64()).unwrap();
    assert!(violated["subtraces"][fold as usize].is_array());
    assert_eq!(goals.iter().find(|goal| goal["kind"] == "assertion").unwrap()["verdict"], "holds");
    let answer = json(&["check", "examples/driver.bp", "--json", "--stats", "--certify"], 0);
    assert!(answer["stats"]["peak_nodes"].is_u64());
    assert!(answer["certified"].is_u64());
    let answer = json(&["check", "corpus/bp/program_without_goals_holds_with_a_warning.bp", "--json"], 0);
    assert_eq!(answer["warnings"][0]["code"], "nothing-to-check");
}

#[test]
fn output_does_not_change_from_run_to_run() {
    let first = run(&["check", "examples/bebop.bp"]).stdout;
    assert_eq!(first, run(&["check", "examples/bebop.bp"]).stdout);
}

#[test]
fn folded_calls_are_shown_on_demand() {
    let file = "corpus/bp/long_call_is_folded_to_keep_the_trace_short.bp";
    let lines = |unfold: &str| {
        let output = run(&["check", file, "--goal", "L", "--unfold", unfold]);
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert!(lines("200") < 20);
    assert!(lines("all") > 200);
    assert_eq!(lines("all"), lines("1000"));
}

#[test]
fn limits_are_kept() {
    let file = Scratch::new("counter.bp", counter(40));
    for (option, value, reason) in [("--time-limit", "0.3", "time limit"), ("--memory-limit", "1", "memory limit")] {
        let start = Instant::now();
        let args = ["check", file.path(), option, value, "--json", "--without", "concrete"];
        let answer = json(&args, 3);
        assert!(start.elapsed() < Duration::from_secs(20));
        assert_eq!(answer["verdict"], "unknown");
        assert!(answer["reason"].as_str().unwrap().starts_with(reason), "{answer}");
        assert_eq!(answer["goals"][0]["name"], "SLIC_ERROR");
    }
    let text = run(&["check", file.path(), "--time-limit", "0.2", "--quiet"]);
    assert_eq!(text.status.code(), Some(3));
    assert_eq!(String::from_utf8(text.stdout).unwrap(), "unknown: time limit of 0.2 s reached; try --time-limit 1\n");
    assert!(text.stderr.is_empty());
}

#[test]
#[cfg(unix)]
fn interrupt_ends_in_unknown() {
    let file = Scratch::new("counter.bp", counter(40));
    let mut child = command(&["check", file.path(), "--quiet"]).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(text, "unknown: interrupted\n");
}

#[test]
fn closed_pipe_is_no_panic() {
    for args in [&["show", "examples/bebop.bp", "--stage", "icfg"][..], &["check", "examples/bebop.bp"], &["explain"]] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut complaints = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        assert_eq!(complaints, "");
        assert!(matches!(child.wait().unwrap().code(), Some(0 | 1)));
    }
}

#[test]
fn standard_input_is_left_alone() {
    let mut child = command(&["check", "examples/lock.bp", "--quiet"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // It may be gone before we write: that is what is tested.
    let _ = child.stdin.take().unwrap().write_all(b"void main() begin end");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn graph_can_be_drawn() {
    let output = run(&["show", "examples/lock.bp", "--stage", "icfg", "--format", "dot"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("digraph icfg {"));
    assert_eq!(text.matches("subgraph").count(), 3);
    assert!(text.contains("style=dashed"));
    let graph = json(&["show", "examples/lock.bp", "--stage", "icfg", "--format", "json"], 0);
    assert_eq!(graph["entry"], "main");
    assert_eq!(graph["procs"][0]["name"], "acquire");
}

#[test]
fn invariants_are_readable() {
    check(
        &["show", "examples/lock.bp", "--stage", "invariants"],
        0,
        expect![[r#"
        acquire
             13  if (locked)  T
             14  skip         locked
             16  locked := T  T
             17  end          locked
        release
             21  assert(locked)  locked
             22  locked := F     locked
             23  end             !locked
        main
             28  locked := F    T
             29  done := F      !locked
             30  while (!done)  (locked <=> urgent) | !locked & !done
             31  acquire()      !done & (locked => urgent)
             32  urgent := *    locked & !done
             33  if (!urgent)   locked & !done
             34  release()      locked & !done & !urgent
             36  done := *      !done & (locked <=> urgent)
             38  if (locked)    done & (locked <=> urgent)
             39  release()      locked & done & urgent
             41  end            !locked & done
    "#]],
    );
    check(
        &["show", "examples/lock.bp", "--stage", "summaries"],
        0,
        expect![[r#"
        acquire()  changes locked: locked
        release()  changes locked: !locked & old(locked)
        main()  states at its exit: !locked
    "#]],
    );
    let states = json(&["show", "examples/lock.bp", "--stage", "invariants", "--json"], 0);
    assert_eq!(states["procs"][0]["nodes"][0]["statement"], "if (locked)");
    let summaries = json(&["show", "examples/lock.bp", "--stage", "summaries", "--json"], 0);
    assert_eq!(summaries["summaries"][0]["proc"], "acquire");
}

#[test]
fn printed_program_reads_back() {
    let printed = run(&["show", "examples/lock.bp", "--stage", "bp"]).stdout;
    let file = Scratch::new("printed.bp", &printed);
    assert_eq!(run(&["show", file.path(), "--stage", "bp"]).stdout, printed);
}

#[test]
fn explain_lists_and_explains() {
    let list = String::from_utf8(run(&["explain"]).stdout).unwrap();
    assert!(list.contains("undeclared-variable"));
    let page = String::from_utf8(run(&["explain", "time-limit"]).stdout).unwrap();
    assert!(page.starts_with("# time-limit (reason for `unknown`)"));
    assert_eq!(json(&["explain", "syntax", "--json"], 0)["pages"][0]["code"], "syntax");
}
