//! Formulas: direct evaluation, automata and normal forms must tell the same words apart.

use std::collections::BTreeSet;

use hardbop_testkit::ltl::buchi::Buchi;
use hardbop_testkit::ltl::generate::{Steps, formulas};
use hardbop_testkit::ltl::word::{Lasso, lassos};
use hardbop_testkit::ltl::{Binary, Formula, Letter, Unary};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, proptest};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const PROPOSITIONS: usize = 3;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn automaton_accepts_where_the_formula_holds(
        formula in formulas(PROPOSITIONS, 3, Steps::Counted),
        words in vec(lassos(PROPOSITIONS, 4), 8),
    ) {
        let [automaton, complement] = [Buchi::of(&formula), Buchi::of(&formula.negated())];
        let normal = formula.negation_normal_form();
        for word in words {
            let holds = formula.holds_on(&word);
            assert_eq!(automaton.accepts(&word), holds, "{word:?}");
            assert_eq!(complement.accepts(&word), !holds, "{word:?}, negated");
            assert_eq!(normal.holds_on(&word), holds, "{word:?}, normal form {normal:?}");
        }
    }

    #[test]
    fn one_way_to_write_a_word_is_as_good_as_another(
        formula in formulas(2, 3, Steps::Counted),
        word in lassos(2, 4),
    ) {
        let holds = formula.holds_on(&word);
        let Lasso { stem, cycle } = &word;
        let unrolled = Lasso { stem: [&stem[..], cycle].concat(), cycle: cycle.clone() };
        let doubled = Lasso { stem: stem.clone(), cycle: cycle.repeat(2) };
        let mut rotated = word.clone();
        rotated.stem.push(cycle[0]);
        rotated.cycle.rotate_left(1);
        for same in [unrolled, doubled, rotated] {
            assert_eq!(formula.holds_on(&same), holds, "{same:?}");
        }
    }

    #[test]
    fn stuttering_goes_unnoticed_without_next(
        formula in formulas(2, 3, Steps::Uncounted),
        word in lassos(2, 4),
    ) {
        assert!(formula.is_stutter_invariant());
        let twice = |letters: &[Letter]| letters.iter().flat_map(|letter| [*letter; 2]).collect();
        let slow = Lasso { stem: twice(&word.stem), cycle: twice(&word.cycle) };
        assert_eq!(formula.holds_on(&word), formula.holds_on(&slow));
    }
}

/// `p` and `q` as one digit each, `1` for `p`, `2` for `q`, `3` for both; what is behind the point is repeated.
#[track_caller]
fn check(formula: &Formula, holding: &str, failing: &str) {
    for (words, expected) in [(holding, true), (failing, false)] {
        for text in words.split_whitespace() {
            let (stem, cycle) = text.split_once('.').expect("a point");
            let [stem, cycle] =
                [stem, cycle].map(|part| part.bytes().map(|digit| Letter(u32::from(digit - b'0'))).collect());
            let word = Lasso { stem, cycle };
            assert_eq!(formula.holds_on(&word), expected, "{text}");
            assert_eq!(Buchi::of(formula).accepts(&word), expected, "{text}, by automaton");
        }
    }
}

fn p() -> Formula {
    Formula::proposition(0)
}

fn q() -> Formula {
    Formula::proposition(1)
}

#[test]
fn until_comes() {
    check(&Formula::binary(Binary::Until, p(), q()), ".2 1.2 11.3 .12 2.0", ".1 0.2 10.2 .0");
}

#[test]
fn weak_until_need_not_come() {
    check(&Formula::binary(Binary::WeakUntil, p(), q()), ".2 1.2 .1 .12 2.0", "0.2 10.2 .0 .10");
}

#[test]
fn release_needs_both_at_once() {
    check(&Formula::binary(Binary::Release, p(), q()), ".2 2.3 3.0 .23", "2.1 .1 2.0 .0");
}

#[test]
fn strong_release_comes() {
    check(&Formula::binary(Binary::StrongRelease, p(), q()), "2.3 3.0 .23", ".2 2.1 .1 2.0 .0");
}

#[test]
fn next_is_one_step() {
    check(&Formula::unary(Unary::Next, p()), "0.1 .01", "1.0 .10 .0");
}

#[test]
fn infinitely_often_is_not_for_ever() {
    let often = Formula::unary(Unary::Globally, Formula::unary(Unary::Finally, p()));
    let finally_always = Formula::unary(Unary::Finally, Formula::unary(Unary::Globally, p()));
    check(&often, ".1 00.01 .10", ".0 11.0");
    check(&finally_always, ".1 00.1", ".0 11.0 .01");
}

#[test]
fn fairness_is_an_assumption() {
    let often = |formula| Formula::unary(Unary::Globally, Formula::unary(Unary::Finally, formula));
    check(&often(q()).under(&[often(p())]), ".12 .0 .2 .3", ".1 2.1");
}

#[test]
fn text_says_all() {
    let formula = Formula::binary(
        Binary::Until,
        Formula::unary(Unary::Not, p()),
        Formula::unary(Unary::Globally, Formula::binary(Binary::Implies, q(), Formula::Constant(false))),
    );
    let names = ["x == 1".to_string(), "@main_0".to_string()];
    assert_eq!(formula.render(&names, 0), "(!(x == 1)) U (G (@main_0 -> false))");
}

#[test]
fn every_form_is_drawn_and_automata_stay_small() {
    let mut runner = TestRunner::deterministic();
    let strategy = formulas(PROPOSITIONS, 3, Steps::Counted);
    let names = ["a".to_string(), "b".to_string(), "c".to_string()];
    let (mut text, mut sizes) = (String::new(), Vec::new());
    for spelling in 0..600 {
        let formula = strategy.new_tree(&mut runner).unwrap().current();
        text += &format!(" {}\n", formula.render(&names, spelling));
        sizes.push(Buchi::of(&formula).accepting.len());
    }
    let forms = "a b c true false ! X F <> G [] && & || | -> <-> U W R M";
    let words: BTreeSet<&str> = text.split(|char: char| char.is_whitespace() || "()".contains(char)).collect();
    for form in forms.split_whitespace() {
        assert!(words.contains(form), "{form} is never drawn");
    }
    sizes.sort_unstable();
    let (median, largest) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
    assert!(median <= 6 && largest <= 300, "median {median}, largest {largest}");
}
