//! Goals by name.

use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_lang_bp::{goals, lower, parse};

const PROGRAM: &str = "\
decl a;
void main() begin
  x: f(); L: assert(a); assert(!a);
  if (a) then ERROR: SLIC_ERROR: skip;
  elsif (!a) then
    10: skip; fi
  assert(a | !a);

end
void f() begin
  x: L2: assert(T);
  SLIC_ERROR: skip; {b:c}: skip;
end
";

#[track_caller]
fn check(names: &[&str], expect: Expect) {
    let mut sources = SourceMap::default();
    sources.add("other.bp", "skip".into()).expect("a test is small");
    let file = sources.add("dir/test.bp", PROGRAM.into()).expect("a test is small");
    let (ast, findings) = parse(PROGRAM, sources.file(file).start);
    assert_eq!(findings, []);
    let program = lower(&ast, "main").expect("the program is correct").program;
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut text = String::new();
    match goals(&program, &sources, &names) {
        Ok(goals) => {
            for goal in goals {
                let condition = if goal.condition.is_some() { " with a condition" } else { "" };
                let statement = sources.text(goal.span);
                text += &format!("{:?} {} at {}{condition}: {statement}\n", goal.kind, goal.name, goal.node);
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
fn without_names_assertions_and_error_labels_are_goals() {
    check(
        &[],
        expect![[r#"
        Assertion assertion at line 3, column 14 at n1 with a condition: assert(a)
        Assertion assertion at line 3, column 25 at n2 with a condition: assert(!a)
        Label main:SLIC_ERROR at n4: skip
        Assertion assertion at line 7 at n7 with a condition: assert(a | !a)
        Assertion assertion at line 11 at n9 with a condition: assert(T)
        Label f:SLIC_ERROR at n10: skip
    "#]],
    );
}

#[test]
fn a_label_is_a_goal_in_each_procedure_that_has_it() {
    check(
        &["L", "x", "10", "L", "{b:c}"],
        expect![[r#"
        Label L at n1: assert(a)
        Label main:x at n0: f()
        Label f:x at n9: assert(T)
        Label 10 at n6: skip
        Label {b:c} at n11: skip
    "#]],
    );
}

#[test]
fn a_procedure_narrows_a_label_down() {
    check(
        &["f:x", "main:10", "f:{b:c}"],
        expect![[r#"
            Label f:x at n9: assert(T)
            Label main:10 at n6: skip
            Label f:{b:c} at n11: skip
        "#]],
    );
}

#[test]
fn a_line_is_a_goal_for_each_statement_that_starts_there() {
    check(
        &["test.bp:3", "dir/test.bp:5", "test.bp:4"],
        expect![[r#"
        Statement test.bp:3:6 at n0: f()
        Statement test.bp:3:14 at n1: assert(a)
        Statement test.bp:3:25 at n2: assert(!a)
        Statement dir/test.bp:5 at n5: elsif (!a)
        Statement test.bp:4:3 at n3: if (a)
        Statement test.bp:4:34 at n4: skip
    "#]],
    );
}

#[test]
fn a_line_with_end_is_an_exit() {
    check(
        &["test.bp:9", "test.bp:13"],
        expect![[r#"
        Statement test.bp:9 at n8: end
        Statement test.bp:13 at n12: end
    "#]],
    );
}

#[test]
fn unknown_goals_are_refused_together() {
    check(
        &["M", "LL", "f:L", "main:x1", "test.bp:8", "test.bp:99", "st.bp:3", "test.bp:0", "", ":", "f:", "other.bp:1"],
        expect![[r#"
            unknown-goal: there is no label `M`; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: there is no label `LL`; did you mean `L`?; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: there is no label `f:L`; did you mean `f:L2`?; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: there is no label `main:x1`; did you mean `main:x`?; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: no statement starts at line 8 of `dir/test.bp`; the next one is at line 9
            unknown-goal: `dir/test.bp` has no line 99; 
            unknown-goal: there is no label `st.bp:3`; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: `dir/test.bp` has no line 0; 
            unknown-goal: there is no label ``; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: there is no label `:`; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: there is no label `f:`; did you mean `f:x`?; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
            unknown-goal: there is no label `other.bp:1`; a goal is `LABEL`, `PROCEDURE:LABEL` or `FILE:LINE`
        "#]],
    );
}
