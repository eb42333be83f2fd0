//! Goals by name.

use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_lang_remopla::pds;
use std::fmt::Write;

const SYSTEM: &str = "\
# two procedures share `x`
(p <m>)
p <m> --> q <f m>
q <m> --> p <m>   p <m> --> p <m>
q <f> --> q <x> (true)
p <m> --> p <x>
q <x> --> p <>
p <bad> --> p <bad>
atoms bad wrong
atoms m wrong
";

#[track_caller]
fn check_in(text: &str, names: &[&str], expect: Expect) {
    let mut sources = SourceMap::default();
    sources.add("dir/system.pds", text.into()).expect("a test is small");
    let (ast, found) = pds::parse(text, 0);
    assert!(found.is_empty(), "{found:#?}");
    let program = pds::lower(&ast).expect("the system is correct").program;
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut text = String::new();
    match pds::goals(&program, &sources, &names) {
        Ok(goals) => {
            for goal in goals {
                let condition = match goal.condition {
                    Some(condition) => crate::show::expr(&program, condition),
                    None => "always".into(),
                };
                let line = sources.locate(goal.span).line;
                writeln!(text, "{} {:?}: line {line}, {condition}", goal.name, goal.kind)
                    .expect("a string takes everything");
            }
        }
        Err(errors) => {
            for error in errors {
                writeln!(text, "{}: {}", error.code, error.message).expect("a string takes everything");
                error.help.iter().for_each(|help| writeln!(text, "  {help}").expect("a string takes everything"));
            }
        }
    }
    expect.assert_eq(&text);
}

#[track_caller]
fn check(names: &[&str], expect: Expect) {
    check_in(SYSTEM, names, expect);
}

#[test]
fn no_names_are_no_goals() {
    check(&[], expect![""]);
}

#[test]
fn a_symbol_is_a_goal_in_any_state() {
    check(
        &["bad"],
        expect![[r#"
        bad Label: line 8, always
    "#]],
    );
    check(
        &["x"],
        expect![[r#"
        x in m Label: line 7, always
        x in f Label: line 7, always
    "#]],
    );
}

#[test]
fn a_state_and_a_symbol_are_a_goal() {
    check(
        &["p:m", "q:m", "q:x"],
        expect![[r#"
        p:m Label: line 3, !state.0
        q:m Label: line 3, state.0
        q:x in m Label: line 7, state.0
        q:x in f Label: line 7, state.0
    "#]],
    );
}

#[test]
fn an_atom_names_symbols() {
    check(
        &["wrong", "p:wrong"],
        expect![[r#"
        wrong in m Label: line 3, always
        wrong in bad Label: line 8, always
        p:wrong in m Label: line 3, !state.0
        p:wrong in bad Label: line 8, !state.0
    "#]],
    );
}

#[test]
fn a_line_names_the_rules_that_start_in_it() {
    check(
        &["system.pds:3", "dir/system.pds:4", "system.pds:5"],
        expect![[r#"
        system.pds:3 Statement: line 3, !state.0
        dir/system.pds:4:1 Statement: line 4, state.0
        dir/system.pds:4:19 Statement: line 4, !state.0
        system.pds:5 Statement: line 5, state.0
    "#]],
    );
}

#[test]
fn the_only_state_needs_no_condition() {
    check_in(
        "(only <a>)\nonly <a> --> only <b>",
        &["only:b", "b"],
        expect![[r#"
        only:b Label: line 2, always
        b Label: line 2, always
    "#]],
    );
}

#[test]
fn what_means_nothing_is_said_so() {
    check(
        &["bda", "q:bda", "r:bad", "system.pds:1", "system.pds:77", "other.pds:3", ":", ""],
        expect![[r#"
        unknown-goal: no rule has the stack symbol `bda`
          a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`
        unknown-goal: no rule has the stack symbol `bda` of `q:bda`
          a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`
        unknown-goal: no rule has the control state `r` of `r:bad`
          a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`
        unknown-goal: no rule starts at line 1 of `dir/system.pds`
          the next one is at line 3
        unknown-goal: `dir/system.pds` has no line 77
        unknown-goal: no rule has the control state `other.pds` of `other.pds:3`
          a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`
        unknown-goal: no rule has the control state `` of `:`
          a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`
        unknown-goal: no rule has the stack symbol ``
          a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`
    "#]],
    );
}
