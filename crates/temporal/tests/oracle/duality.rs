//! A formula and its negation on the same program, and the same formula in another form: no oracle is asked, so the
//! programs can be larger.

use super::{Case, WITHOUT_PROOF, fairness, programs, systems};
use hardbop_testkit::Size;
use hardbop_testkit::ltl::Formula;
use hardbop_testkit::ltl::generate::Steps;
use hardbop_testkit::pds::generate as pds;
use hardbop_testkit::temporal::questions;
use proptest::prelude::*;

/// Each bit pattern is one way to answer.
fn check(case: &Case, bits: [u32; 3]) -> Result<(), TestCaseError> {
    let holds = case.ask(bits[0])?;
    let opposite = Case { formula: case.formula.negated(), ..case.clone() };
    if holds && opposite.ask(bits[1])? {
        let nothing = Case { formula: Formula::Constant(false), ..case.clone() };
        prop_assert!(nothing.ask(bits[2])?, "a fair run satisfies neither a formula nor its negation");
    }
    let normal = Case { formula: case.formula.negation_normal_form(), ..case.clone() };
    prop_assert_eq!(normal.ask(bits[1])?, holds, "the normal form means something else");
    let inside = Case { formula: case.formula.under(&case.fairness), fairness: Vec::new(), ..case.clone() };
    prop_assert_eq!(inside.ask(bits[2])?, holds, "an assumption is a premise");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_satisfy_a_formula_or_its_negation_not_both(
        question in questions(Size::SMALL, 3, Steps::Counted),
        fairness in fairness(),
        bits in any::<[u32; 3]>(),
    ) {
        check(&programs::case(&question, fairness), bits.map(|bits| bits | WITHOUT_PROOF))?;
    }

    #[test]
    fn systems_satisfy_a_formula_or_its_negation_not_both(
        question in pds::questions(pds::Size::LARGE, 3),
        fairness in fairness(),
        bits in any::<[u32; 3]>(),
    ) {
        check(&systems::case(&question, fairness), bits.map(|bits| bits | WITHOUT_PROOF))?;
    }
}
