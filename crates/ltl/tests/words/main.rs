//! Formulas against automata on words: what the one means is what the other accepts, with and without each reduction.

mod generate;
mod lasso;

use hardbop_base::Budget;
use hardbop_ltl::{Formula, Reductions, Shape, hoa, parse, translate_with};
use lasso::{Lasso, accepts, holds, intersect};
use proptest::prelude::*;

/// Every reduction alone, all but one, none and all.
fn settings() -> Vec<Reductions> {
    let (none, all) = (Reductions::NONE, Reductions::ALL);
    vec![
        none,
        Reductions { rewrite: true, ..none },
        Reductions { trim: true, ..none },
        Reductions { trim: true, simulate: true, ..none },
        Reductions { trim: true, obligations: true, ..none },
        Reductions { trim: true, merge: true, ..none },
        Reductions { rewrite: false, ..all },
        Reductions { merge: false, ..all },
        all,
    ]
}

/// The normal form and the rewritten formula mean what the formula does.
fn check_rewritten(formula: &Formula, words: &[Lasso]) -> Result<(), TestCaseError> {
    let (normal, simple) = (formula.nnf(), formula.simplified());
    for word in words {
        let truth = holds(formula, word);
        let place = |text: &str| formula.props().iter().position(|prop| prop.text == text);
        let is_true = |text: &str, at: usize| word.letters[at] >> place(text).expect("it is there") & 1 == 1;
        let evaluated = formula.holds_on(word.letters.len(), word.back, &is_true);
        prop_assert_eq!(truth, evaluated, "{} on {:?}", formula, word);
        prop_assert_eq!(truth, holds(&normal, word), "{} is not its normal form {}", formula, &normal);
        prop_assert_eq!(truth, holds(&simple, word), "{} is not {} on {:?}", formula, &simple, word);
    }
    Ok(())
}

/// What is checked of one formula.
fn check(text: &str, words: &[Lasso]) -> Result<(), TestCaseError> {
    let formula = parse(text, 0).expect("generated formulas are well-formed");
    for formula in [formula.clone(), formula.negated()] {
        check_rewritten(&formula, words)?;
        for reductions in settings() {
            for shape in [Shape::Generalised, Shape::Buchi] {
                check_automaton(&formula, reductions, shape, words)?;
            }
        }
        let again = parse(&formula.to_string(), 0).expect("what was written can be read");
        prop_assert_eq!(again.to_string(), formula.to_string());
    }
    Ok(())
}

/// No word satisfies a formula and its negation; and HOA loses nothing.
fn check_opposites(text: &str, props: u32) -> Result<(), TestCaseError> {
    let formula = parse(text, 0).expect("generated formulas are well-formed");
    let opposite = formula.clone().negated();
    for shape in [Shape::Generalised, Shape::Buchi] {
        let automata = [&formula, &opposite].map(|formula| {
            translate_with(formula, Reductions::ALL, shape, &Budget::unlimited())
                .expect("small formulas are translated")
        });
        prop_assert!(!intersect(&automata[0], &automata[1], props), "{} {:?}", formula, shape);
        for automaton in &automata {
            let written = hoa::write(automaton, Some(text));
            let read = hoa::read(&written, 0).expect("what was written can be read");
            prop_assert_eq!(&read.automaton, automaton);
            let degeneralised = automaton.degeneralise(&Budget::unlimited()).expect("small automata are degeneralised");
            prop_assert!(degeneralised.is_buchi());
        }
    }
    Ok(())
}

fn check_automaton(
    formula: &Formula,
    reductions: Reductions,
    shape: Shape,
    words: &[Lasso],
) -> Result<(), TestCaseError> {
    let budget = Budget::unlimited();
    let Ok(automaton) = translate_with(formula, reductions, shape, &budget) else { return Ok(()) };
    prop_assert!(shape == Shape::Generalised || automaton.is_buchi());
    for word in words {
        let truth = holds(formula, word);
        let place = |text: &str| formula.props().iter().position(|prop| prop.text == text);
        let is_true = |text: &str, at: usize| word.letters[at] >> place(text).expect("it is there") & 1 == 1;
        let evaluated = formula.holds_on(word.letters.len(), word.back, &is_true);
        prop_assert_eq!(truth, evaluated, "{} on {:?}", formula, word);
        prop_assert_eq!(truth, accepts(&automaton, word), "{} {:?} {:?} {:?}", formula, reductions, shape, word);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn rewriting_keeps_the_meaning(
        text in generate::formula(3, 5, 14),
        words in proptest::collection::vec(generate::word(3), 24),
    ) {
        let formula = parse(&text, 0).expect("generated formulas are well-formed");
        for formula in [formula.clone(), formula.negated()] {
            check_rewritten(&formula, &words)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn automata_accept_what_small_formulas_mean(
        text in generate::formula(2, 3, 8),
        words in proptest::collection::vec(generate::word(2), 24),
    ) {
        check(&text, &words)?;
    }

    #[test]
    fn automata_accept_what_formulas_mean(
        text in generate::formula(3, 5, 12),
        words in proptest::collection::vec(generate::word(3), 24),
    ) {
        check(&text, &words)?;
    }

    #[test]
    fn large_formulas_have_right_automata_too(
        text in generate::formula(4, 7, 24),
        words in proptest::collection::vec(generate::word(4), 12),
    ) {
        let formula = parse(&text, 0).expect("generated formulas are well-formed");
        for formula in [formula.clone(), formula.negated()] {
            check_automaton(&formula, Reductions::ALL, Shape::Generalised, &words)?;
            check_automaton(&formula, Reductions::ALL, Shape::Buchi, &words)?;
        }
    }

    #[test]
    fn a_formula_and_its_negation_have_no_word_in_common(text in generate::formula(3, 4, 10)) {
        check_opposites(&text, 3)?;
    }
}
