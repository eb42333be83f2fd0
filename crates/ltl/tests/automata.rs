//! Automata of formulas: their sizes, classes and pictures.

use expect_test::{Expect, expect};
use hardbop_base::{Budget, Exhausted, Limit};
use hardbop_ltl::{
    Class, Formula, GuardExpr, Reductions, Shape, parse, render, translate, translate_buchi, translate_with,
};

fn formula(text: &str) -> Formula {
    parse(text, 0).expect("the formula is well-formed")
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    let automaton = translate(&formula(text), &Budget::unlimited()).expect("the formula is small");
    expect.assert_eq(&render::text(&automaton));
}

#[test]
fn states_and_edges_are_listed() {
    check(
        "true",
        expect![[r#"
        1 state, 1 edge, 1 acceptance set; terminal, deterministic
        q0 initial {0}
          true -> q0
    "#]],
    );
    check(
        "false",
        expect![[r#"
        1 state, 0 edges, 1 acceptance set; terminal, deterministic
        q0 initial
    "#]],
    );
    check(
        "F p",
        expect![[r#"
        2 states, 3 edges, 1 acceptance set; terminal, deterministic
        q0 initial
          !p -> q0
          p -> q1
        q1 {0}
          true -> q1
    "#]],
    );
    check(
        "GF p && GF \"x == 1\"",
        expect![[r#"
        1 state, 4 edges, 2 acceptance sets; strong, deterministic
        q0 initial
          !p && !(x == 1) -> q0
          p && !(x == 1) -> q0 {0}
          !p && (x == 1) -> q0 {1}
          p && (x == 1) -> q0 {0 1}
    "#]],
    );
    check(
        "G(p -> F q)",
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
        "FG p",
        expect![[r#"
        2 states, 3 edges, 1 acceptance set; weak, nondeterministic
        q0 initial
          true -> q0
          p -> q1
        q1 {0}
          p -> q1
    "#]],
    );
}

#[test]
fn accepting_states_are_drawn_twice() {
    let automaton = translate_buchi(&formula("G(p -> X \"a \\ b\")"), &Budget::unlimited()).unwrap();
    expect![[r#"
        digraph automaton {
          rankdir=LR
          node [shape=circle]
          start0 [shape=point]
          start0 -> q0
          q0 [shape=doublecircle]
          q0 -> q0 [label="!p"]
          q0 -> q1 [label="p"]
          q1 [shape=doublecircle]
          q1 -> q0 [label="!p && (a \\ b)"]
          q1 -> q1 [label="p && (a \\ b)"]
        }
    "#]]
    .assert_eq(&render::dot(&automaton));
    let automaton = translate(&formula("GF p"), &Budget::unlimited()).unwrap();
    expect![[r#"
        digraph automaton {
          rankdir=LR
          node [shape=circle]
          start0 [shape=point]
          start0 -> q0
          q0
          q0 -> q0 [label="!p"]
          q0 -> q0 [label="p {0}"]
        }
    "#]]
    .assert_eq(&render::dot(&automaton));
}

#[test]
fn classes_say_how_to_search() {
    let class = |text: &str| translate(&formula(text), &Budget::unlimited()).unwrap().class();
    for text in ["F p", "p U q", "p && X q", "F(p && X F q)", "false", "true", "p U q || F r"] {
        assert_eq!(class(text), Class::Terminal, "{text}");
    }
    for text in ["G p", "FG p", "p W q", "G p || F q", "p U G q", "F p && G q"] {
        assert_eq!(class(text), Class::Weak, "{text}");
    }
    for text in ["GF p", "G(p -> F q)", "GF p -> GF q"] {
        assert_eq!(class(text), Class::Strong, "{text}");
    }
}

#[test]
fn degeneralised_automata_have_accepting_states() {
    let automaton = translate(&formula("GF p && GF q && GF r"), &Budget::unlimited()).unwrap();
    assert_eq!((automaton.states.len(), automaton.sets), (1, 3));
    assert!(!automaton.is_buchi() && automaton.is_deterministic());
    let degeneralised = automaton.degeneralise(&Budget::unlimited()).unwrap();
    assert!(degeneralised.is_buchi() && degeneralised.is_deterministic());
    assert_eq!(degeneralised.states.len(), 4);
    assert_eq!(degeneralised.degeneralise(&Budget::unlimited()).unwrap(), degeneralised);
}

#[test]
fn guards_are_trees_and_functions() {
    let automaton = translate(&formula("G(p && !q || r)"), &Budget::unlimited()).unwrap();
    let guard = &automaton.states.as_slice()[0][0].guard;
    let GuardExpr::Or(options) = guard.expr() else { panic!("{guard:?}") };
    assert_eq!(options.len(), 2);
    for letter in 0..8_u32 {
        let letter = [0, 1, 2].map(|prop| letter >> prop & 1 == 1);
        assert_eq!(guard.holds(&letter), letter[0] && !letter[1] || letter[2]);
    }
}

/// States of the Büchi automata of each formula and of its negation.
#[test]
fn automata_are_small() {
    let formulas = [
        "G a",
        "a U b",
        "G(req -> F ack)",
        "GF a && GF b && GF c",
        "GF a -> GF b",
        "F(a && X F(b && X F c))",
        "G(open -> X(!open U close))",
        "(a U b) U c",
        "FG a || GF b",
        "G(a -> (b U (c && X G d)))",
        "F a <-> F b",
        "(X a U X b) || !X(a U b)",
        "G(a || X(a || X(a || X a)))",
        "!a W (a W (!a W (a W G !a)))",
    ];
    let size = |formula: &Formula| translate_buchi(formula, &Budget::unlimited()).unwrap().states.len();
    let line = |text: &&str| {
        let formula = formula(text);
        format!("{} {} {text}\n", size(&formula), size(&formula.negated()))
    };
    expect![[r#"
        1 2 G a
        2 2 a U b
        2 2 G(req -> F ack)
        4 4 GF a && GF b && GF c
        3 3 GF a -> GF b
        4 3 F(a && X F(b && X F c))
        3 3 G(open -> X(!open U close))
        4 3 (a U b) U c
        3 3 FG a || GF b
        4 6 G(a -> (b U (c && X G d)))
        4 3 F a <-> F b
        1 1 (X a U X b) || !X(a U b)
        4 5 G(a || X(a || X(a || X a)))
        5 6 !a W (a W (!a W (a W G !a)))
    "#]]
    .assert_eq(&formulas.iter().map(line).collect::<String>());
}

#[test]
fn each_reduction_is_worth_it() {
    let formulas =
        ["GF a && GF b", "G(a -> F b) && G(c -> F d)", "F a U G b", "!a W (a W (!a W G a))", "GF a <-> GF b"];
    let total = |reductions: Reductions| -> usize {
        let size = |text: &&str| {
            translate_with(&formula(text), reductions, Shape::Buchi, &Budget::unlimited()).unwrap().states.len()
        };
        formulas.iter().map(size).sum()
    };
    let none = Reductions::NONE;
    let stages = [
        none,
        Reductions { rewrite: true, ..none },
        Reductions { rewrite: true, trim: true, ..none },
        Reductions { merge: false, obligations: false, ..Reductions::ALL },
        Reductions { merge: false, ..Reductions::ALL },
        Reductions::ALL,
    ];
    expect!["[25, 23, 23, 22, 22, 20]"].assert_eq(&format!("{:?}", stages.map(total)));
}

/// The formula has an automaton of bearable size, or is given up.
#[track_caller]
fn check_hostile(text: &str) {
    let budget = Budget::unlimited();
    match translate_buchi(&formula(text), &budget) {
        Ok(automaton) => assert!(automaton.states.len() < 5_000),
        Err(Exhausted) => assert_eq!(budget.hit(), Limit::Allowance),
    }
}

#[test]
fn wide_formulas_are_given_up() {
    let many = |text: &dyn Fn(usize) -> String, sign: &str| (0..40).map(text).collect::<Vec<_>>().join(sign);
    check_hostile(&many(&|p| format!("GF p{p}"), " && "));
    check_hostile(&many(&|p| format!("G(p{p} -> F q{p})"), " && "));
    check_hostile(&many(&|p| format!("(p{p} U (q{p} U r{p}))"), " && "));
    check_hostile(&many(&|p| format!("(p{p} U (q{p} R (r{p} U s{p})))"), " || "));
    check_hostile(&many(&|p| format!("(p{p} U q{p})"), " xor "));
    check_hostile(&many(&|p| format!("(p{p} <-> X p{p})"), " && "));
    let names = (0..100_000).map(|p| format!("p{p}")).collect::<Vec<_>>();
    check_hostile(&names.join(" && "));
    check_hostile(&names[..3_000].join(" || "));
    assert_eq!(formula(&names.join(" || ")).simplified().props().len(), names.len());
}

#[test]
fn deep_formulas_do_no_harm() {
    // What is repeated, what closes it, and how much higher it makes the formula.
    let shapes = [
        ("X ", "", 1),
        ("!", "", 1),
        ("F X ", "", 2),
        ("G(a -> X ", ")", 3),
        ("a U (b && X ", ")", 3),
        ("a <-> ", "", 1),
        ("a xor X ", "", 2),
        ("(X a) R ", "", 1),
        ("F(a && X G(b || ", "))", 5),
        ("a W X ", "", 2),
    ];
    for (open, close, height) in shapes {
        let times = 990 / height;
        check_hostile(&format!("{}p{}", open.repeat(times), close.repeat(times)));
    }
}

#[test]
fn a_spent_budget_ends_the_translation() {
    let stopped = Budget::unlimited();
    stopped.stop(Limit::Time);
    assert_eq!(translate(&formula("G(p -> F q)"), &stopped), Err(Exhausted));
    let poor = Budget::unlimited().with_allowance(10);
    assert_eq!(translate(&formula("G(p -> F q) && G(r -> F s)"), &poor), Err(Exhausted));
    assert_eq!(poor.hit(), Limit::Allowance);
}
