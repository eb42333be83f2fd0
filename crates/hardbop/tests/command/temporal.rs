//! What is asked about infinite runs, as a user asks it: `--ltl`, `--fair`, `--terminates`, `--ltl-automaton`, `show --ltl`.

use crate::{Scratch, check, command, counter, json, run};
use expect_test::expect;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RESPONSE: &str = "G (@request -> F @reply)";

/// Checks that a call is wrong, and that what is said about it contains each of `messages`.
#[track_caller]
fn check_wrong(args: &[&str], messages: &[&str]) {
    let output = run(args);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(output.stdout.is_empty());
    for message in messages {
        assert!(printed.contains(message), "{printed}");
    }
}

fn steps<'a>(goal: &'a Value, part: &str) -> &'a Vec<Value> {
    goal[part].as_array().unwrap()
}

#[test]
fn exit_code_is_the_verdict() {
    let fork = Scratch::new("fork.rem", "init main; module void f() { skip; } module void main() { fork f(); }");
    for (args, code) in [
        (&["examples/server.bp", "--ltl", RESPONSE][..], 1),
        (&["examples/server.bp", "--ltl", RESPONSE, "--fair", "G F delivered"], 1),
        (&["examples/server.bp", "--ltl", RESPONSE, "--fair", "G F delivered", "--fair", "G F known"], 0),
        (&["examples/server.bp", "--terminates"], 1),
        (&["examples/server.bp", "--terminates=send"], 1),
        (&["examples/server.bp", "--terminates=send", "--fair", "G F delivered"], 0),
        (&["examples/quicksort.rem", "--goal", "unsorted"], 0),
        (&["examples/quicksort.rem", "--terminates"], 1),
        (&["examples/quicksort.pds", "--terminates"], 1),
        (&["examples/quicksort_fixed.rem", "--goal", "unsorted"], 0),
        (&["examples/quicksort_fixed.rem", "--terminates"], 0),
        (&["examples/quicksort_fixed.rem", "--terminates=sort"], 0),
        (&["examples/server.bp", "--ltl", "G ("], 2),
        (&["examples/server.bp", "--ltl", "G nowhere"], 2),
        (&[fork.path(), "--terminates"], 3),
    ] {
        let args = [&["check"], args, &["--quiet"]].concat();
        assert_eq!(run(&args).status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn json_of_a_lasso_has_the_promised_fields() {
    let answer = json(&["check", "examples/server.bp", "--ltl", RESPONSE, "--json"], 1);
    assert_eq!(answer["format"], 1);
    assert_eq!(answer["verdict"], "violated");
    let goal = &answer["goals"][0];
    assert_eq!(goal["name"], RESPONSE);
    assert_eq!(goal["kind"], "ltl");
    assert_eq!(goal["verdict"], "violated");
    assert_eq!(goal["file"], "examples/server.bp");
    let (stem, round) = (steps(goal, "trace"), steps(goal, "loop"));
    // The stem ends where the loop begins, and so does each round of the loop.
    for end in [stem.last().unwrap(), round.last().unwrap()] {
        assert_eq!(end["line"], round[0]["line"]);
        assert_eq!(end["proc"], "send");
        assert_eq!(end["values"]["delivered"], false);
    }
    assert_eq!(goal["grows"], Value::Array(Vec::new()));
    assert!(goal["subtraces"].is_array());
    assert!(goal["loop_subtraces"].is_array());
    let answer = json(&["check", "examples/server.bp", "--ltl", RESPONSE, "--json", "--no-trace"], 1);
    assert_eq!(answer["goals"][0]["loop"], Value::Null);
}

#[test]
fn json_of_a_recursion_says_what_grows() {
    let answer = json(&["check", "examples/quicksort.rem", "--terminates", "--json"], 1);
    let goal = &answer["goals"][0];
    assert_eq!(goal["kind"], "termination");
    assert_eq!(goal["grows"], serde_json::json!(["sort"]));
    let (first, last) = (&steps(goal, "loop")[0], steps(goal, "loop").last().unwrap());
    assert_eq!((&first["depth"], &last["depth"]), (&0.into(), &1.into()));
    // What it is called with is what it calls itself with.
    for bound in ["first", "last"] {
        assert_eq!(first["values"][bound], last["values"][bound]);
    }
}

#[test]
fn proof_of_a_formula_is_checked() {
    let fair = ["--fair", "G F delivered", "--fair", "G F known"];
    let args = [&["check", "examples/server.bp", "--json", "--certify", "--ltl", RESPONSE][..], &fair].concat();
    let answer = json(&args, 0);
    assert!(answer["certified"].as_u64().unwrap() > 0);
    let answer = json(&["check", "examples/quicksort_fixed.rem", "--json", "--certify", "--terminates"], 0);
    assert!(answer["certified"].as_u64().unwrap() > 0);
}

#[test]
fn last_line_is_all_where_quiet_is_asked() {
    for (args, word) in [
        (&["examples/server.bp", "--ltl", RESPONSE][..], "violated: "),
        (&["examples/quicksort.pds", "--terminates"], "violated: "),
        (&["examples/quicksort_fixed.rem", "--terminates"], "holds: "),
    ] {
        let full = String::from_utf8(run(&[&["check"], args].concat()).stdout).unwrap();
        let output = run(&[&["check"], args, &["--quiet"]].concat());
        let quiet = String::from_utf8(output.stdout).unwrap();
        assert!(output.stderr.is_empty());
        assert!(quiet.starts_with(word), "{quiet}");
        assert_eq!(quiet.lines().count(), 1);
        assert_eq!(full.lines().last(), quiet.lines().last());
    }
}

#[test]
fn misfit_options_say_what_fits() {
    let misfit = "error[misfit-option]";
    check_wrong(&["check", "examples/server.bp", "--fair", "G F known"], &[misfit, "--ltl"]);
    check_wrong(&["check", "examples/quicksort.pds", "--terminates", "--entry", "main"], &[misfit, "--entry"]);
    check_wrong(&["show", "examples/quicksort.pds", "--stage", "bp"], &[misfit, "--stage icfg"]);
    check_wrong(&["show", "examples/quicksort.rem", "--stage", "ast"], &[misfit, "--stage icfg"]);
    check_wrong(&["show", "examples/lock.bp", "--stage", "icfg", "--format", "hoa"], &[misfit, "--format dot"]);
    check_wrong(&["show", "--ltl", "G p", "--format", "json"], &[misfit, "--format hoa"]);
    let ltl = ["check", "examples/lock.bp", "--ltl", "G locked"];
    for other in [&["--goal", "ERROR"][..], &["--terminates"], &["--ltl-automaton", "a.hoa"], &["--ltl", "F locked"]] {
        check_wrong(&[&ltl, other].concat(), &["--ltl"]);
    }
    check_wrong(&["check", "examples/lock.bp", "--goal", "ERROR", "--terminates"], &["--goal", "--terminates"]);
    check_wrong(&["show", "--ltl", "G p", "examples/lock.bp"], &["--ltl"]);
    check_wrong(&["show"], &["required"]);
}

#[test]
fn wrong_propositions_have_near_misses() {
    for option in ["--ltl", "--fair"] {
        let args = ["check", "examples/server.bp", "--ltl", "true", option, "G delivred"];
        let args = if option == "--ltl" { [&args[..2], &args[4..]].concat() } else { args.to_vec() };
        check_wrong(&args, &["error[unknown-proposition]", option, "did you mean `delivered`?"]);
    }
}

#[test]
fn automaton_is_shown_in_each_format() {
    let formula = "G (p -> F q)";
    check(
        &["show", "--ltl", formula],
        0,
        expect![[r#"
            2 states, 4 edges, 1 acceptance set; strong, deterministic
            q0 initial
              !p || q -> q0 {0}
              p && !q -> q1
            q1
              q -> q0 {0}
              !q -> q1
        "#]],
    );
    check(
        &["show", "--ltl", formula, "--format", "dot"],
        0,
        expect![[r#"
            digraph automaton {
              rankdir=LR
              node [shape=circle]
              start0 [shape=point]
              start0 -> q0
              q0
              q0 -> q0 [label="!p || q {0}"]
              q0 -> q1 [label="p && !q"]
              q1
              q1 -> q0 [label="q {0}"]
              q1 -> q1 [label="!q"]
            }
        "#]],
    );
    check(
        &["show", "--ltl", formula, "--format", "hoa"],
        0,
        expect![[r#"
            HOA: v1
            name: "G (p -> F q)"
            States: 2
            Start: 0
            AP: 2 "p" "q"
            acc-name: Buchi
            Acceptance: 1 Inf(0)
            properties: trans-labels explicit-labels trans-acc deterministic
            --BODY--
            State: 0
            [!0 | 1] 0 {0}
            [0&!1] 1
            State: 1
            [1] 0 {0}
            [!1] 1
            --END--
        "#]],
    );
}

#[test]
fn automaton_of_the_negation_answers_like_the_formula() {
    for (file, formula) in [
        ("examples/server.bp", RESPONSE),
        ("examples/server.bp", "G (@reply -> delivered)"),
        ("examples/server.bp", "G F delivered -> F G known"),
        ("examples/quicksort.rem", "F end"),
        ("examples/quicksort.rem", "G (@unsorted -> \"number[0] > (number[1])\")"),
        ("examples/quicksort.rem", "sort.first > 0 R (at_entry(sort) -> sort.last == 3)"),
        ("examples/quicksort.pds", "G (leave -> X !split) && G F enter"),
    ] {
        let negation = format!("!({formula})");
        let hoa = run(&["show", "--ltl", &negation, "--format", "hoa"]).stdout;
        let automaton = Scratch::new("negation.hoa", hoa);
        let asked = run(&["check", file, "--ltl", formula, "--quiet"]).status.code();
        let read = run(&["check", file, "--ltl-automaton", automaton.path(), "--quiet"]).status.code();
        assert!(matches!(asked, Some(0 | 1)), "{formula}");
        assert_eq!(asked, read, "{formula}");
    }
}

#[test]
fn what_is_no_automaton_is_a_clear_error() {
    for (text, code) in [
        ("HOA: v2\n", "error[hoa-"),
        ("HOA: v1\nStates: 1\nStart: 0\nAcceptance: 1 Fin(0)\nAP: 0\n--BODY--\nState: 0\n[t] 0\n--END--\n", "Fin"),
        ("HOA: v1\nStates: 1\nStart: 3\nAcceptance: 0 t\nAP: 0\n--BODY--\nState: 0\n[t] 0\n--END--\n", "error[hoa-"),
        (
            "HOA: v1\nStates: 1\nStart: 0\nAcceptance: 0 t\nAP: 1 \"knwon\"\n--BODY--\nState: 0\n[0] 0\n--END--\n",
            "known",
        ),
        ("", "is empty"),
    ] {
        let file = Scratch::new("wrong.hoa", text);
        check_wrong(&["check", "examples/server.bp", "--ltl-automaton", file.path()], &["wrong.hoa", code]);
    }
    check_wrong(&["check", "examples/server.bp", "--ltl-automaton", "no.hoa"], &["error[file-not-found]"]);
}

#[test]
fn limits_are_kept() {
    let file = Scratch::new("counter.bp", counter(40));
    let many: Vec<String> = (0..40).map(|k| format!("G F p{k}")).collect();
    let many = many.join(" && ");
    for args in [
        &["check", file.path(), "--terminates"][..],
        &["check", file.path(), "--ltl", "G (c39 -> F @SLIC_ERROR)", "--fair", "G F c0"],
        &["show", "--ltl", &many],
    ] {
        let start = Instant::now();
        let output = run(&[args, &["--time-limit", "0.3", "--quiet"]].concat());
        assert!(start.elapsed() < Duration::from_secs(20));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{args:?}: {printed}");
        assert!(printed.starts_with("unknown: "), "{printed}");
        assert!(output.stderr.is_empty());
    }
    let answer = json(&["check", file.path(), "--terminates", "--json", "--time-limit", "0.3"], 3);
    assert!(answer["reason"].as_str().unwrap().starts_with("time limit"));
    assert_eq!(answer["explain"], "time-limit");
    assert_eq!(answer["goals"][0]["kind"], "termination");
}

#[test]
fn output_does_not_change_from_run_to_run() {
    for args in [
        &["check", "examples/server.bp", "--ltl", RESPONSE][..],
        &["check", "examples/quicksort.pds", "--terminates"],
        &["show", "--ltl", "G (a -> F (b U c)) && G F d", "--format", "hoa"],
    ] {
        assert_eq!(run(args).stdout, run(args).stdout);
    }
}

#[test]
fn paper_improvements_change_no_verdict() {
    for without in ["order", "post", "rough"] {
        for (file, code) in [("examples/quicksort.rem", 1), ("examples/quicksort_fixed.rem", 0)] {
            let output = run(&["check", file, "--terminates", "--quiet", "--without", without]);
            assert_eq!(output.status.code(), Some(code), "{file} without {without}");
        }
    }
}

#[test]
fn closed_pipe_is_no_panic() {
    for args in [&["show", "--ltl", "G p"][..], &["check", "examples/server.bp", "--ltl", RESPONSE]] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        assert!(matches!(child.wait().unwrap().code(), Some(0 | 1)));
    }
}
