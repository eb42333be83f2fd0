//! The HOA format: what is written, what is read, what is refused, and that no text does harm.

use expect_test::{Expect, expect};
use hardbop_base::{Budget, SourceMap};
use hardbop_ltl::{CODES, hoa, parse, render, translate, translate_buchi};
use proptest::prelude::{prop, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};

#[test]
fn automata_are_written() {
    let formula = parse("G(\"x == 1\" -> F y) && F !y", 0).unwrap();
    let automaton = translate_buchi(&formula, &Budget::unlimited()).unwrap();
    expect![[r#"
        HOA: v1
        name: "a \"name\""
        States: 3
        Start: 0
        AP: 2 "x == 1" "y"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic
        --BODY--
        State: 0
        [1] 0
        [!0&!1] 1
        [0&!1] 2
        State: 1 {0}
        [!0 | 1] 1
        [0&!1] 2
        State: 2
        [1] 1
        [!1] 2
        --END--
    "#]]
    .assert_eq(&hoa::write(&automaton, Some("a \"name\"")));
    let automaton = translate(&parse("GF p && GF q", 0).unwrap(), &Budget::unlimited()).unwrap();
    expect![[r#"
        HOA: v1
        States: 1
        Start: 0
        AP: 2 "p" "q"
        acc-name: generalized-Buchi 2
        Acceptance: 2 Inf(0)&Inf(1)
        properties: trans-labels explicit-labels trans-acc deterministic
        --BODY--
        State: 0
        [!0&!1] 0
        [0&!1] 0 {0}
        [!0&1] 0 {1}
        [0&1] 0 {0 1}
        --END--
    "#]]
    .assert_eq(&hoa::write(&automaton, None));
    let automaton = translate(&parse("false", 0).unwrap(), &Budget::unlimited()).unwrap();
    expect![[r#"
        HOA: v1
        States: 1
        Start: 0
        AP: 0
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic
        --BODY--
        State: 0
        --END--
    "#]]
    .assert_eq(&hoa::write(&automaton, None));
}

/// What is read of each text; or what is wrong.
#[track_caller]
fn check(sources: &[&str], expect: Expect) {
    expect.assert_eq(&sources.iter().map(|source| describe(source)).collect::<String>());
}

fn describe(source: &str) -> String {
    let mut sources = SourceMap::default();
    sources.add("automaton.hoa", source.into()).expect("a test is small");
    match hoa::read(source, 0) {
        Ok(read) => {
            let again = hoa::read(&hoa::write(&read.automaton, None), 0).expect("what was written can be read");
            assert_eq!(again.automaton, read.automaton);
            render::text(&read.automaton)
        }
        Err(findings) => {
            let finding = &findings[0];
            assert!(CODES.contains(&finding.code), "{}", finding.code);
            let place = sources.locate(finding.span.expect("the reader always knows where"));
            format!("{}:{}: {}: {}\n", place.line, place.column, finding.code, finding.message)
        }
    }
}

/// The same for bodies, with two propositions and two sets.
#[track_caller]
fn check_body(bodies: &[&str], expect: Expect) {
    let head = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 2 Inf(0)&Inf(1)\n";
    let sources = bodies.iter().map(|body| format!("{head}--BODY--\n{body}\n--END--\n"));
    expect.assert_eq(&sources.map(|source| describe(&source)).collect::<String>());
}

/// The same for acceptance conditions.
#[track_caller]
fn check_acceptance(conditions: &[&str], expect: Expect) {
    let body = "--BODY-- State: 0 {0} [t] 0 {1} --END--";
    let sources = conditions.iter().map(|condition| format!("HOA: v1 Start: 0 AP: 0\nAcceptance: {condition}\n{body}"));
    expect.assert_eq(&sources.map(|source| describe(&source)).collect::<String>());
}

#[test]
fn marks_on_states_and_edges_are_read() {
    check_body(
        &[
            "State: 0 {0}\n[0] 0 {1} [!0] 1\nState: 1 \"sink\"\n[0&1 | !1] 1 {0 1}",
            "State: [0 & !(1 | f)] 0 {0 1} 0 1 State: 1",
        ],
        expect![[r#"
            2 states, 3 edges, 2 acceptance sets; weak, deterministic
            q0 initial
              a -> q0 {0 1}
              !a -> q1 {0}
            q1
              a || !b -> q1 {0 1}
            2 states, 2 edges, 2 acceptance sets; weak, nondeterministic
            q0 initial {0 1}
              a && !b -> q0
              a && !b -> q1
            q1
        "#]],
    );
}

#[test]
fn implicit_labels_are_counted_through() {
    check_body(
        &["State: 0 0 0 1 1 {0} State: 1 [t] 1", "State: 0 0 1", "State: 0 0 0 1 [t] 1"],
        expect![[r#"
        2 states, 5 edges, 2 acceptance sets; terminal, deterministic
        q0 initial
          !a && !b -> q0
          a && !b -> q0
          !a && b -> q1
          a && b -> q1 {0}
        q1
          true -> q1
        7:8: hoa-inconsistent: state 0 has 2 edges without a label; there must be one for each letter
        7:8: hoa-inconsistent: state 0 has 3 edges without a label; there must be one for each letter
    "#]],
    );
}

#[test]
fn aliases_and_several_initial_states_are_read() {
    check(
        &[r#"HOA: v1 /* a /* nested */ comment */
        tool: "by hand" "0.1" name: "two starts" extra: 1 word "text" t
        Start: 1 Start: 0 properties: trans-labels
        AP: 2 "x == 1" "a\"b"
        Alias: @both 0&1 Alias: @one @both | !@both & 0
        acc-name: Buchi Acceptance: 1 (Inf(0))
        --BODY--
        State: 0 [@one] 1
        State: 1 [!@both] 0 {0}
        --END--
        "#],
        expect![[r#"
            2 states, 2 edges, 1 acceptance set; weak, nondeterministic
            q0 initial
              (x == 1) -> q1
            q1 initial {0}
              !(x == 1) || !(a"b) -> q0
        "#]],
    );
}

#[test]
fn other_acceptance_is_refused_by_name() {
    check_acceptance(
        &[
            "2 t",
            "2 Inf(1)",
            "2 (Inf(0) & (Inf(1)))",
            "2 Fin(0)",
            "2 Inf(0) & Fin(1)",
            "2 Inf(0) | Inf(1)",
            "2 Inf(!0)",
            "2 f",
            "2 Inf(2)",
            "65 t",
            "1 (Inf(0)",
        ],
        expect![[r#"
            1 state, 1 edge, 0 acceptance sets; terminal, deterministic
            q0 initial
              true -> q0
            1 state, 1 edge, 1 acceptance set; terminal, deterministic
            q0 initial {0}
              true -> q0
            1 state, 1 edge, 2 acceptance sets; terminal, deterministic
            q0 initial {0 1}
              true -> q0
            2:15: hoa-unsupported: `Fin`, as in co-Büchi, Rabin or parity acceptance is not supported
            2:24: hoa-unsupported: `Fin`, as in co-Büchi, Rabin or parity acceptance is not supported
            2:22: hoa-unsupported: `|` in an acceptance condition is not supported
            2:19: hoa-unsupported: the complement of an acceptance set is not supported
            2:15: hoa-unsupported: acceptance that is never met is not supported
            2:19: hoa-inconsistent: there is no acceptance set 2: `Acceptance:` has 2
            2:13: hoa-too-large: an automaton may have at most 64 acceptance sets
            3:1: hoa-syntax: expected `&` or `)`, found `--BODY--`
        "#]],
    );
}

#[test]
fn what_does_not_fit_is_named() {
    check(
        &[
            "",
            "digraph {}",
            "HOA: v2",
            "HOA: v1 Start: 0&1",
            "HOA: v1 States: 4000000000",
            "HOA: v1 States: 99999999999",
            "HOA: v1 AP: 2 \"a\"",
            "HOA: v1 AP: 2 \"a\" \"a\"",
            "HOA: v1 Controllable: 1",
            "HOA: v1 properties: univ-branch",
            "HOA: v1 --BODY-- --END--",
            "HOA: v1 Acceptance: 0 t --BODY-- --ABORT--",
            "HOA: v1 Acceptance: 0 t --BODY-- --END-- HOA: v1",
            "HOA: v1 /* no end",
            "HOA: v1 name: \"no end",
        ],
        expect![[r#"
            1:1: hoa-syntax: this is no automaton in the HOA format
            1:1: hoa-syntax: this is no automaton in the HOA format
            1:6: hoa-unsupported: a version other than v1 is not supported
            1:17: hoa-unsupported: alternation is not supported
            1:17: hoa-too-large: an automaton may have at most 1048576 states
            1:17: hoa-syntax: this number is too large
            1:13: hoa-inconsistent: `AP:` announces 2 propositions and has 1
            1:19: hoa-inconsistent: the proposition `a` stands here twice
            1:9: hoa-unsupported: the header `Controllable:` is not known
            1:21: hoa-unsupported: alternation is not supported
            1:9: hoa-syntax: there is no `Acceptance:`
            1:34: hoa-unsupported: an automaton that was given up is not supported
            1:42: hoa-unsupported: more than one automaton is not supported
            1:9: hoa-syntax: this comment has no end
            1:15: hoa-syntax: this text has no end
        "#]],
    );
    check_body(
        &[
            "State: 0 [0&] 0",
            "State: 0 [(0] 0",
            "State: 0 [2] 0",
            "State: 0 [@x] 0",
            "State: 0 [t] 2",
            "State: 0 [t] 0&1",
            "State: 0 [t] 0 {2}",
            "State: 0 State: 0",
            "State: [t] 0 [t] 0",
            "State: 0 [t] 0 } ",
            "Stat: 0",
            &format!("State: 0 [{}t{}] 0", "(".repeat(100_000), ")".repeat(100_000)),
        ],
        expect![[r#"
            7:13: hoa-syntax: expected a label, found `]`
            7:13: hoa-syntax: expected `)`, found `]`
            7:11: hoa-inconsistent: there is no proposition 2: `AP:` has 2
            7:11: hoa-inconsistent: the alias `@x` is not defined before it is used
            7:14: hoa-inconsistent: there is no state 2: `States:` has 2
            7:15: hoa-unsupported: alternation is not supported
            7:17: hoa-inconsistent: there is no acceptance set 2: `Acceptance:` has 2
            7:17: hoa-inconsistent: state 0 stands here twice
            7:14: hoa-inconsistent: an edge of a state with a label has one of its own
            7:16: hoa-syntax: expected `State:` or `--END--`, found `}`
            7:1: hoa-syntax: expected `State:`, found `Stat:`
            7:10011: hoa-too-large: this label is nested more than 10000 deep
        "#]],
    );
}

/// Pieces of automata, right and wrong.
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "HOA: v1",
        "States: 2",
        "Start: 0",
        "AP: 1 \"a\"",
        "Acceptance: 1 Inf(0)",
        "--BODY--",
        "State: 0",
        "State: 1",
        "[0] 1",
        "[t] 0",
        "{0}",
        "(",
        ")",
        "!",
        "&",
        "|",
        "--END--",
        "@x",
        "Alias: @x 0",
        "/*",
        "*/",
        "\"",
        "é",
        "7",
        "[",
        "]",
        "}",
        "Acceptance: 2 t",
        "0 1",
    ];
    let word = prop_oneof![9 => prop::sample::select(words.to_vec()).prop_map(String::from), 1 => Just("\n".into())];
    prop::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_text_does_harm(text in pieces()) {
        let whole = format!("HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- {text} --END--");
        for text in [text, whole] {
            match hoa::read(&text, 3) {
                Ok(read) => {
                    let again = hoa::read(&hoa::write(&read.automaton, None), 0).expect("what was written can be read");
                    assert_eq!(again.automaton, read.automaton);
                    read.automaton.class();
                    read.automaton.degeneralise(&Budget::unlimited()).expect("it is small");
                    render::dot(&read.automaton);
                }
                Err(findings) => {
                    let span = findings[0].span.expect("the reader always knows where");
                    assert!(span.start >= 3 && span.end as usize <= text.len() + 3 && span.start <= span.end);
                }
            }
        }
    }

    #[test]
    fn no_formula_does_harm(words in prop::collection::vec(prop::sample::select(vec![
        "a", "p0", "(", ")", "!", "&&", "||", "->", "<->", "<>", "[]", "[", "]", "U", "W", "R", "M", "G", "F", "X", "GFp",
        "1", "0", "true", "@l", "@", "at_entry(f)", "at_exit(", "==", "<", "<=", "-", "+", "x.y", "\"", "\"q r\"", "é", "xor",
        "{", "}", ".", "~", "not",
    ]), 0..16), glue in prop::sample::select(vec!["", " "])) {
        let text = words.join(glue);
        match parse(&text, 5) {
            Ok(formula) => {
                let written = formula.to_string();
                let again = parse(&written, 0).unwrap_or_else(|error| panic!("{text} became {written}: {error:?}"));
                assert_eq!(again.to_string(), written);
                assert_eq!(again.props().len(), formula.props().len());
            }
            Err(findings) => {
                let span = findings[0].span.expect("the parser always knows where");
                assert!(span.start >= 5 && span.end as usize <= text.len() + 5 && span.start <= span.end);
            }
        }
    }
}
