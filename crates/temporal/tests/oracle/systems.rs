//! Random symbolic pushdown systems.

use super::{Case, fairness, is_within_reach};
use hardbop_icfg::{Program, Relation};
use hardbop_lang_remopla::pds;
use hardbop_testkit::ltl::Formula;
use hardbop_testkit::pds::System;
use hardbop_testkit::pds::generate::{Question, Size, questions};
use hardbop_testkit::pds::oracle;
use proptest::prelude::*;

pub fn lower(system: &System) -> Program<Relation> {
    let text = system.render();
    let (ast, found) = pds::parse(&text, 0);
    assert!(found.is_empty(), "{found:?}\n{text}");
    pds::lower(&ast).unwrap_or_else(|found| panic!("{found:?}\n{text}")).program
}

pub fn case(question: &Question, fairness: Vec<Formula>) -> Case {
    let Question { system, formula, propositions } = question;
    Case {
        program: lower(system),
        end: None,
        formula: formula.clone(),
        fairness,
        texts: propositions.iter().map(|one| one.render(system)).collect(),
        spelling: system.spelling,
    }
}

fn check(question: &Question, fairness: Vec<Formula>, bits: u32) -> Result<(), TestCaseError> {
    let formula = question.formula.under(&fairness);
    prop_assume!(is_within_reach(&oracle::expand(&question.system, &question.propositions).pds, &formula));
    let expected = oracle::holds(&question.system, &formula, &question.propositions);
    case(question, fairness).compare(expected, bits)
}

/// Everything switched on as often as not.
fn bits() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), any::<u32>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiny_systems_agree(question in questions(Size::TINY, 3), fairness in fairness(), bits in any::<u32>()) {
        check(&question, fairness, bits)?;
    }

    #[test]
    fn small_systems_agree(question in questions(Size::SMALL, 3), fairness in fairness(), bits in bits()) {
        check(&question, fairness, bits)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn large_systems_agree(question in questions(Size::LARGE, 4), fairness in fairness(), bits in bits()) {
        check(&question, fairness, bits)?;
    }
}
