//! The language of analyses: facts that are numbers or objects, and what is assumed of values from outside.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostic, SourceMap};
use hardbop_lang_flow as analysis;
use hardbop_lang_flow::tree::{ExprKind, FactKind, Part};
use hardbop_lang_flow::{Analysis, CODES, is_distributive};

const HEAD: &str = r#"analysis t "a test"
var p, q : pointer
var i, j : integer
var v : scalar
var x, y : object
var c : constant
var e : expression
fact null(p)
fact at(p) : target "{p} points to {}"
fact value(i) : small "{i} = {}"
on p = NULL: null(p) := true, at(p) := *
on i = c: value(i) := c
"#;

fn find(clauses: &str) -> (String, Analysis, Vec<Diagnostic>) {
    let source = format!("{HEAD}{clauses}");
    let (tree, mut findings) = analysis::parse(&source, 0);
    if findings.is_empty() {
        findings = analysis::check(&tree);
    }
    (source, tree, findings)
}

/// The findings of clauses after a head of 12 lines.
#[track_caller]
fn check(clauses: &str, expect: Expect) {
    let (source, _, findings) = find(clauses);
    expect.assert_eq(&render(&source, &findings));
}

fn render(source: &str, findings: &[Diagnostic]) -> String {
    let mut sources = SourceMap::default();
    sources.add("test.flow", source.into()).expect("a test is small");
    let mut text = String::new();
    for finding in findings {
        assert!(CODES.contains(&finding.code), "{}", finding.code);
        let place = sources.locate(finding.span.expect("every finding has its place"));
        text += &format!("{}:{}: {}: {}\n", place.line, place.column, finding.code, finding.message);
        let related = finding.related.as_ref().map(|(what, span)| (what, sources.locate(*span)));
        text +=
            &related.map(|(what, place)| format!("  {what}: {}:{}\n", place.line, place.column)).unwrap_or_default();
        text += &finding.help.as_ref().map(|help| format!("  {help}\n")).unwrap_or_default();
    }
    text
}

/// The clauses have nothing wrong and are printed so.
#[track_caller]
fn check_print(clauses: &str, expect: Expect) {
    let (source, tree, findings) = find(clauses);
    assert_eq!(render(&source, &findings), "");
    let text = analysis::print(&tree);
    assert_eq!(analysis::print(&analysis::parse(&text, 0).0), text);
    let head = analysis::print(&find("").1);
    let lines: Vec<_> = text.lines().filter(|line| !head.lines().any(|other| other == *line)).collect();
    expect.assert_eq(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_target_becomes_an_object_or_that_of_another_pointer_or_anything() {
    check_print(
        "on p = &v: at(p) := v\non p = &x: at(p) := x\non p = q: at(p) := at(q)\non p = e: at(p) := *",
        expect![[r#"
            on p = &v: at(p) := v
            on p = &x: at(p) := x
            on p = q: at(p) := at(q)
            on p = e: at(p) := *
        "#]],
    );
}

#[test]
fn targets_are_compared_with_objects_and_with_each_other() {
    check_print(
        "if i < c: value(i) < c\nif p == &x: at(p) = x & !null(p) else at(p) != x\n\
         if p == q: at(p) == at(q) else at(p) != at(q)\n\
         on p = &x: null(p) := at(p) = x | x = at(p)\nat *p where pts(p) = {q}: require at(p) = q \"\"",
        expect![[r#"
            on p = &x: null(p) := at(p) = x | x = at(p)
            if i < c: value(i) < c
            if p == &x: at(p) = x & !null(p) else at(p) != x
            if p == q: at(p) = at(q) else at(p) != at(q)
            at *p where pts(p) = {q}: require at(p) = q ""
        "#]],
    );
}

#[test]
fn both_sides_of_an_assignment_have_their_own_sorts() {
    check_print(
        "on p = -1: null(p) := false\non p = c: null(p) := false\non p = i: null(p) := value(i) = 0, at(p) := *\n\
         on i = p: value(i) := *\non i = &x: value(i) := *",
        expect![[r#"
            on p = -1: null(p) := false
            on p = c: null(p) := false
            on p = i: null(p) := value(i) = 0, at(p) := *
            on i = p: value(i) := *
            on i = &x: value(i) := *
        "#]],
    );
}

#[test]
fn kinds_of_facts_are_known() {
    check(
        "fact f(p) : large",
        expect![[r#"
        13:13: syntax: expected `boolean`, `small` or `target`, found `large`
    "#]],
    );
    let (_, tree, _) = find("fact f(p) : boolean \"so\", \"not so\"");
    let kinds: Vec<_> = tree.families.iter().map(|family| family.declared.as_ref().unwrap().kind).collect();
    assert_eq!(kinds, [FactKind::Boolean, FactKind::Target, FactKind::Small, FactKind::Boolean]);
    assert_eq!(FactKind::ALL.iter().map(|(_, kind)| kind.text()).collect::<Vec<_>>(), ["boolean", "small", "target"]);
}

#[test]
fn a_target_is_that_of_one_pointer() {
    check(
        "fact to(i) : target \"{i} {}\"\nfact on(p, q) : target \"{}\"\nfact up() : target \"{}\"\n\
         on p = e: to(i) := * for i in integers, on(p, q) := * for q in pointers, up() := *",
        expect![[r#"
            13:6: duplicate-target: two facts say what a pointer points to
              the first: 9:6
              what `*p` is must be clear: let one of them be a fact that is true or false
            13:9: wrong-sort: `i` is an integer, but only a pointer has a target
            14:6: duplicate-target: two facts say what a pointer points to
              the first: 9:6
              what `*p` is must be clear: let one of them be a fact that is true or false
            14:6: fact-arity: a target is that of one pointer, not of 2
            15:6: duplicate-target: two facts say what a pointer points to
              the first: 9:6
              what `*p` is must be clear: let one of them be a fact that is true or false
            15:6: fact-arity: a target is that of one pointer, not of 0
        "#]],
    );
}

#[test]
fn the_engine_reads_targets() {
    let used = "on i = j: value(i) := value(j)\nat *p: require !null(p) & any value(i) = 0 for i in integers \"\"";
    check(used, expect![""]);
}

#[test]
fn a_number_and_an_object_have_one_reading_with_a_place_for_it() {
    check(
        "fact a(i) : small\nfact b(i) : small \"{i}\"\nfact d(i) : small \"{i} = {}\", \"{i} is not {}\"\n\
         on i = c: a(i) := c, b(i) := c, d(i) := c",
        expect![[r#"
            13:6: fact-reading: nothing says how this number reads
              write one text, with `{}` for the number
            14:19: fact-reading: this text does not say where the number stands
              write one text, with `{}` for the number
            15:31: fact-reading: there is no negation of this number that could be read
              write one text, with `{}` for the number
        "#]],
    );
    check(
        "fact to(p) : target \"{p}\"\non p = e: to(p) := *",
        expect![[r#"
        13:6: duplicate-target: two facts say what a pointer points to
          the first: 9:6
          what `*p` is must be clear: let one of them be a fact that is true or false
        13:21: fact-reading: this text does not say where the object stands
          write one text, with `{}` for the object
    "#]],
    );
    let (_, tree, _) = find("");
    let readings = tree.families.iter().flat_map(|family| &family.declared.as_ref().unwrap().readings);
    assert!(readings.into_iter().all(|reading| reading.parts.contains(&Part::Value)));
}

#[test]
fn elsewhere_there_is_no_value_to_show() {
    check(
        "fact f(p) \"{p} is {}\", \"{p} is not {}\"\non p = e: f(p) := *\nunknown p: !f(p) \"{}\"\n\
         at *p: require !null(p) & f(p) \"{p} is {}\"\nif i == c: value(i) = c",
        expect![[r#"
            13:11: message-placeholder: `{}` stands for a number or an object, and here is none
              write `{p}`, or `{{}}` for the braces themselves
            13:24: message-placeholder: `{}` stands for a number or an object, and here is none
              write `{p}`, or `{{}}` for the braces themselves
            15:18: message-placeholder: `{}` stands for a number or an object, and here is none
              write `{p}`, or `{{}}` for the braces themselves
            16:32: message-placeholder: `{}` stands for a number or an object, and here is none
              write `{p}`, or `{{}}` for the braces themselves
        "#]],
    );
    check(
        "at *p: require !null(p) \"{ }\"",
        expect![[r#"
        13:25: message-placeholder: braces in a text stand around a metavariable
          write `{p}`, or `{{` and `}}` for the braces themselves
    "#]],
    );
}

#[test]
fn braces_are_doubled_around_and_beside_a_value() {
    check_print(
        "fact set(i) : small \"{{{}}} {{}} {}{}}} {i}{}\"\non i = c: set(i) := c",
        expect![[r#"
            fact set(i) : small "{{{}}} {{}} {}{}}} {i}{}"
            on i = c: set(i) := c
        "#]],
    );
}

#[test]
fn only_a_target_becomes_new() {
    check_print(
        "on p = {malloc}(...): at(p) := new",
        expect![[r#"
            on p = malloc(...): at(p) := new
        "#]],
    );
    check(
        "on p = e: null(p) := new\nif p == q: at(p) = new",
        expect![[r#"
            13:22: wrong-type: this is an object, where something true or false is wanted
              write `true`, `false` or a comparison
            14:20: wrong-type: `new` is what a statement makes, so only a fact can become that
              write `at(p) := new`, where `at` is a `: target` fact
        "#]],
    );
}

#[test]
fn objects_are_neither_numbers_nor_truth_values() {
    check(
        "on p = &x: at(p) := 3, null(p) := x\non p = q: at(p) := null(q), null(p) := at(q)",
        expect![[r#"
        13:21: wrong-type: this is a number, where an object is wanted
          objects are what metavariables for places and `: target` facts stand for
        13:35: wrong-type: this is an object, where something true or false is wanted
          write `true`, `false` or a comparison
        14:20: wrong-type: this is true or false, where an object is wanted
          objects are what metavariables for places and `: target` facts stand for
        14:40: wrong-type: this is an object, where something true or false is wanted
          write `true`, `false` or a comparison
    "#]],
    );
    check(
        "on i = j: value(i) := j\non i = e: value(i) := e",
        expect![[r#"
        13:23: wrong-type: this is an object, where a number is wanted
          numbers come from `: small` facts
        14:23: wrong-sort: `e` is an expression, but only a constant or a place in memory is a value by itself
    "#]],
    );
    check(
        "if p == &x: at(p) = 1\nif p == q: at(p) < at(q)\nif i == c: at(p) = value(i) + x",
        expect![[r#"
        13:21: wrong-type: this is a number, where an object is wanted
          objects are what metavariables for places and `: target` facts stand for
        14:12: wrong-type: this is an object, where a number is wanted
          numbers come from `: small` facts
        14:20: wrong-type: this is an object, where a number is wanted
          numbers come from `: small` facts
        15:15: unbound-metavariable: nothing says what `p` stands for here
          name it in the pattern, or add `for p in SET`
        15:20: wrong-type: this is a number, where an object is wanted
          objects are what metavariables for places and `: target` facts stand for
        15:31: unbound-metavariable: nothing says what `x` stands for here
          name it in the pattern, or add `for x in SET`
        15:31: wrong-type: this is an object, where a number is wanted
          numbers come from `: small` facts
    "#]],
    );
    check(
        "on p = &x: null(p) := x = y | x != y for y in objects",
        expect![[r#"
        13:23: wrong-type: `=` compares what facts say, and here are only names
          write `x is y`
        13:31: wrong-type: `=` compares what facts say, and here are only names
          write `x is not y`
    "#]],
    );
}

#[test]
fn an_assumption_reads_and_prints() {
    check_print(
        "unknown p:\n  !null(p) \"{p} != NULL\"",
        expect![[r#"
            unknown p: !null(p) "{p} != NULL"
        "#]],
    );
    let (_, tree, _) = find("unknown p: !null(p) \"{p} != NULL\"");
    let unknown = &tree.unknowns[0];
    assert!(matches!(unknown.value.kind, ExprKind::Not(_)));
    assert_eq!(tree.metas[unknown.meta.id].name, "p");
    assert_eq!(&format!("{HEAD}unknown p: !null(p)")[unknown.span.start as usize..], "p: !null(p)");
}

#[test]
fn unfinished_assumptions_are_explained() {
    check(
        "unknown: !null(p) \"\"",
        expect![[r#"
        13:8: syntax: expected a metavariable, found `:`
    "#]],
    );
    check(
        "unknown p !null(p) \"\"",
        expect![[r#"
        13:11: syntax: expected `:` and what is taken to hold, found `!`
    "#]],
    );
    check(
        "unknown p: !null(p)",
        expect![[r#"
        13:20: syntax: expected how the assumption reads, in double quotes, found the end of the file
    "#]],
    );
    check(
        "unknown *p: !null(p) \"\"",
        expect![[r#"
        13:9: syntax: expected a metavariable, found `*`
    "#]],
    );
}

#[test]
fn an_assumption_is_about_one_value() {
    check(
        "unknown p: !null(q) \"\"",
        expect![[r#"
        13:13: assumption-scope: only facts about `p` alone can be taken to hold here
          where the value comes from, nothing else is known
    "#]],
    );
    check(
        "unknown p: all !null(q) for q in pointers \"{q}\"",
        expect![[r#"
        13:17: assumption-scope: only facts about `p` alone can be taken to hold here
          where the value comes from, nothing else is known
        13:45: unbound-metavariable: nothing says what `q` stands for here
          name it in the pattern, or add `for q in SET`
    "#]],
    );
    check("fact same(p, q)\non p = q: same(p, q) := true\nunknown p: same(p, p) \"{p}\"", expect![""]);
    check(
        "unknown p: true | * \"{p}\"",
        expect![[r#"
        13:12: assumption-scope: this says nothing about `p`
          name a fact that is taken to hold, or not to hold
    "#]],
    );
    check(
        "unknown i: value(i) \"{i}\"",
        expect![[r#"
            13:12: wrong-type: this is a number, where something true or false is wanted
              write `true`, `false` or a comparison
            13:12: assumption-scope: only what is true or false can be taken to hold of a value from outside
        "#]],
    );
    check(
        "unknown x: true \"{x}\"\nunknown c: true \"\"",
        expect![[r#"
        13:9: wrong-sort: `x` is an object, but what comes from outside is a pointer, an integer or a scalar
        13:12: assumption-scope: this says nothing about `x`
          name a fact that is taken to hold, or not to hold
        14:9: wrong-sort: `c` is a constant, but what comes from outside is a pointer, an integer or a scalar
        14:12: assumption-scope: this says nothing about `c`
          name a fact that is taken to hold, or not to hold
    "#]],
    );
}

#[test]
fn of_a_family_something_is_assumed_once() {
    check(
        "unknown p: !null(p) & !null(p) \"\"\nunknown q: null(q) \"\"",
        expect![[r#"
        14:12: duplicate-clause: what is assumed of `null` is said twice
          first here: 13:9
          join both conditions with `&`
    "#]],
    );
}

#[test]
fn a_backward_analysis_assumes_nothing() {
    check(
        "direction backward\nunknown p: !null(p) \"\"",
        expect![[r#"
        14:9: assume-backward: a backward analysis has no values that come from outside
          its facts are about what follows; take the clause out, or make the analysis forward
    "#]],
    );
}

#[test]
fn to_assume_is_not_to_read() {
    check(
        "fact f(p)\non p = e: f(p) := *\nunknown p: f(p) \"\"\nif i == c: value(i) = c\nat *p: require !null(p) \"\"",
        expect![[r#"
            13:6: fact-never-read: nothing reads the fact `f`
        "#]],
    );
}

#[test]
fn there_is_one_target() {
    check(
        "fact to(p) : target \"{}\"\non p = e: to(p) := *",
        expect![[r#"
        13:6: duplicate-target: two facts say what a pointer points to
          the first: 9:6
          what `*p` is must be clear: let one of them be a fact that is true or false
    "#]],
    );
}

#[test]
fn values_that_are_not_true_or_false_and_assumptions_are_no_subset_problem() {
    let refuse = |source: &str| {
        let (tree, findings) = analysis::parse(source, 0);
        assert_eq!(findings, []);
        render(source, &is_distributive(&tree).err().into_iter().collect::<Vec<_>>())
    };
    let head = "analysis t \"\"\nvar p : pointer\n";
    expect![[r#"
        3:6: not-distributive: `at` is an object, and a fact in a set is true or false
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]]
    .assert_eq(&refuse(&format!("{head}fact at(p) : target \"{{}}\"")));
    expect![[r#"
        3:6: not-distributive: `value` is a number, and a set of facts has no numbers
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]]
    .assert_eq(&refuse(&format!("{head}fact value(p) : small \"{{}}\"")));
    expect![[r#"
        4:9: not-distributive: a set of facts has no assumptions about values from outside
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]]
    .assert_eq(&refuse(&format!("{head}fact null(p)\nunknown p: !null(p) \"\"")));
}
