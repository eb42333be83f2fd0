//! Questions about the stack, as a user asks them: `hardbop ask`.

use crate::{Scratch, check, json, run};
use expect_test::expect;

const STACK: &str = "examples/stack.bp";

#[test]
fn exit_code_says_whether_such_a_stack_can_be_there() {
    for (stacks, code) in [
        ("main work* log where locked", 1),
        ("main work* log where !locked", 0),
        ("main work log", 0),
        ("main work work log", 1),
        ("main work+ @W work @L", 1),
        ("_* acquire _* log", 0),
        ("_* work where again = 1 && locked", 1),
        ("main where !locked && at_exit(main)", 1),
    ] {
        for more in [&[][..], &["--pre"]] {
            let output = run(&[&["ask", STACK, stacks, "--quiet"], more].concat());
            assert_eq!(output.status.code(), Some(code), "{stacks} {more:?}");
        }
    }
}

#[test]
fn json_has_the_run_and_the_configurations() {
    let answer = json(&["ask", STACK, "_* work _* log where locked", "--json"], 1);
    let goal = &answer["goals"][0];
    assert_eq!(goal["kind"], "stacks");
    assert_eq!(goal["trace"].as_array().unwrap().last().unwrap()["line"], 42);
    let lines = answer["configurations"].as_array().unwrap();
    assert!(lines.iter().any(|line| line.as_str().unwrap().contains("log:L")), "{lines:?}");
    // A graph is no JSON.
    let same = json(&["ask", STACK, "_* work _* log where locked", "--json", "--format", "dot"], 1);
    assert_eq!(same, answer);
}

#[test]
fn graph_is_printed_alone() {
    let output = run(&["ask", STACK, "_* log", "--format", "dot"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("digraph ") && text.ends_with("}\n"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn automaton_asks_what_the_expression_asks() {
    let text = "start s\ns main -> m\nm work -> m\nm log -> t\naccept t\nwhere locked\n";
    let automaton = Scratch::new("stacks.txt", text);
    let [read, written] = [&["--automaton", automaton.path()][..], &["main work* log where locked"]]
        .map(|stacks| json(&[&["ask", STACK, "--json"], stacks].concat(), 1)["configurations"].clone());
    assert_eq!(read, written);
    let output = run(&["ask", STACK]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["ask", STACK, "main", "--automaton", automaton.path()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn wrong_stacks_show_their_place() {
    check(
        &["ask", STACK, "main wrok* log"],
        2,
        expect![[r#"
            error[unknown-frame]: `wrok` is neither a procedure nor a label of this program
             --> STACKS:1:6
              |
            1 | main wrok* log
              |      ^^^^
              |
              = help: a frame is a procedure, a label or `_`

            aborting due to 1 error; `hardbop explain unknown-frame` says more
        "#]],
    );
}
