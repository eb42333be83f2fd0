//! Goals by name.

use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_lang_remopla::rem::{goals, lower, parse};

const PROGRAM: &str = "\
int a[2](2), x(1);
init main;
module void main() {
  L: f(); a[x] = f(), x = 0; error: skip;
  if :: x == 1 -> ERROR: SLIC_ERROR: skip; fi

}
module int(1) f() {
  L: return 1; L2: error: skip; }
";

#[track_caller]
fn check(names: &[&str], expect: Expect) {
    let mut sources = SourceMap::default();
    sources.add("other.rem", "skip".into()).expect("a test is small");
    let file = sources.add("dir/test.rem", PROGRAM.into()).expect("a test is small");
    let (ast, findings) = parse(PROGRAM, sources.file(file).start);
    assert_eq!(findings, []);
    let program = lower(&ast, None).expect("the program is correct").program;
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut text = String::new();
    match goals(&program, &sources, &names) {
        Ok(goals) => {
            for goal in goals {
                let statement = sources.text(goal.span);
                text += &format!("{:?} {} at {}: {statement}\n", goal.kind, goal.name, goal.node);
            }
        }
        Err(errors) => {
            for error in errors {
                text += &format!("{}: {}; {}\n", error.code, error.message, error.help.unwrap_or_default());
            }
        }
    }
    expect.assert_eq(&text);
}

#[test]
fn without_names_error_labels_are_goals() {
    check(
        &[],
        expect![[r#"
        Label main:error at n2: skip
        Label ERROR at n4: skip
        Label f:error at n9: skip
    "#]],
    );
}

#[test]
fn a_label_is_a_goal_in_each_module_that_has_it() {
    check(
        &["L", "f:L2", "main:L"],
        expect![[r#"
        Label main:L at n0: f()
        Label f:L at n8: return 1
        Label f:L2 at n9: skip
        Label main:L at n0: f()
    "#]],
    );
}

#[test]
fn a_line_names_its_statements_but_not_their_halves() {
    check(
        &["test.rem:4", "dir/test.rem:5", "test.rem:7", "test.rem:9"],
        expect![[r#"
        Statement test.rem:4:6 at n0: f()
        Statement test.rem:4:11 at n1: a[x] = f(), x = 0
        Statement test.rem:4:37 at n2: skip
        Statement dir/test.rem:5:3 at n3: if
        Statement dir/test.rem:5:38 at n4: skip
        Statement test.rem:7 at n5: }
        Statement test.rem:9:6 at n8: return 1
        Statement test.rem:9:27 at n9: skip
    "#]],
    );
}

#[test]
fn what_means_nothing_has_near_misses() {
    check(
        &["eror", "main:L2", "test.rem:6", "test.rem:99", "other.rem:1"],
        expect![[r#"
        unknown-goal: there is no label `eror`; did you mean `error`?; a goal is `LABEL`, `MODULE:LABEL` or `FILE:LINE`
        unknown-goal: there is no label `main:L2`; did you mean `main:L`?; a goal is `LABEL`, `MODULE:LABEL` or `FILE:LINE`
        unknown-goal: no statement starts at line 6 of `dir/test.rem`; the next one is at line 7
        unknown-goal: `dir/test.rem` has no line 99; 
        unknown-goal: there is no label `other.rem:1`; a goal is `LABEL`, `MODULE:LABEL` or `FILE:LINE`
    "#]],
    );
}
