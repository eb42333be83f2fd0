//! Command lines that cannot be read.

use crate::{check, json, run};
use expect_test::expect;
use serde_json::{Value, json};

const LIST: &str = "examples/list.c";

/// Checks the message and the help that a program gets of a wrong call.
#[track_caller]
fn check_json(args: &[&str], message: &str, help: &Value) {
    let answer = json(&[args, &["--json"]].concat(), 2);
    assert_eq!(answer["format"], 1);
    let [error] = &answer["errors"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!(error["code"], "wrong-call");
    assert_eq!(error["message"], message);
    assert_eq!(&error["help"], help);
    assert_eq!((&error["file"], &error["line"], &error["column"]), (&Value::Null, &Value::Null, &Value::Null));
}

#[test]
fn programs_are_told_in_json() {
    check_json(
        &["flow", LIST, "--analysis", "null", "--precision", "xx"],
        "invalid value 'xx' for '--precision <POINT>': `auto`, `path`, `procedure`, `flow` or `projections=K` is expected, \
         where K is at least 1",
        &Value::Null,
    );
    check_json(
        &["flow", LIST],
        "the following required arguments were not provided: --analysis <NAME|FILE.flow>",
        &json!(
            "shipped are `available`, `file`, `live`, `lock`, `null`, `reaching`, `taint`, `uninit`; the name of your own \
             ends in `.flow`; Usage: hardbop flow --analysis <NAME|FILE.flow> --json <FILE>..."
        ),
    );
    check_json(
        &["flow", LIST, "--analysis", "null", "--colour", "never"],
        "unexpected argument '--colour' found",
        &json!(
            "a similar argument exists: '--color'; \
             Usage: hardbop flow --analysis <NAME|FILE.flow> --color <WHEN> <FILE>..."
        ),
    );
    check_json(
        &["check", "examples/lock.bp", "--goal", "L", "--terminates"],
        "the argument '--goal <GOAL>' cannot be used with '--terminates[=<PROC>]'",
        &json!("Usage: hardbop check --goal <GOAL> --json <FILE>..."),
    );
    check_json(
        &["flow", LIST, "--analysis", "null", "--color", "alway"],
        "invalid value 'alway' for '--color <WHEN>' [possible values: auto, always, never]",
        &json!("a similar value exists: 'always'"),
    );
}

#[test]
fn who_asks_for_help_or_for_text_gets_it() {
    for args in [&["flow", "--help", "--json"][..], &["--version"], &["check", "--json", "-h"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(serde_json::from_slice::<Value>(&output.stdout).is_err() && output.stderr.is_empty(), "{args:?}");
    }
    // Behind `--` it is the name of a file.
    let output = run(&["flow", LIST, "--", "--json"]);
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_missing_analysis_lists_those_that_are_shipped() {
    check(
        &["flow", LIST],
        2,
        expect![[r#"
            error: the following required arguments were not provided:
              --analysis <NAME|FILE.flow>

              tip: shipped are `available`, `file`, `live`, `lock`, `null`, `reaching`, `taint`, `uninit`; the name of your own ends in `.flow`

            Usage: hardbop flow --analysis <NAME|FILE.flow> <FILE>...

            For more information, try '--help'.
        "#]],
    );
}
