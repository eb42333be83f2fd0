//! Random boolean programs.

use super::{Case, WITHOUT_PROOF, fairness, is_within_reach};
use hardbop_icfg::{Program, Relation};
use hardbop_temporal::finish::finish;
use hardbop_testkit::ltl::generate::Steps;
use hardbop_testkit::ltl::{Formula, Unary};
use hardbop_testkit::temporal::{self, Proposition, Question, questions};
use hardbop_testkit::{Labels, Model, ProcedureId, Size, programs};
use proptest::prelude::*;

pub fn lower(model: &Model) -> Program<Relation> {
    lower_text(&model.render_with(Labels::Every).text)
}

pub fn lower_text(text: &str) -> Program<Relation> {
    let (ast, found) = hardbop_lang_bp::parse(text, 0);
    assert!(found.iter().all(|found| found.severity == hardbop_base::Severity::Warning), "{found:?}\n{text}");
    hardbop_lang_bp::lower(&ast, "main").unwrap_or_else(|found| panic!("{found:?}\n{text}")).program
}

pub fn case(question: &Question, fairness: Vec<Formula>) -> Case {
    let Question { model, formula, propositions } = question;
    let finished = finish(&lower(model));
    Case {
        program: finished.program,
        end: Some(finished.end),
        formula: formula.clone(),
        fairness,
        texts: propositions.iter().map(|one| one.render(model)).collect(),
        spelling: model.spelling,
    }
}

fn check(question: &Question, fairness: Vec<Formula>, bits: u32) -> Result<(), TestCaseError> {
    let formula = question.formula.under(&fairness);
    prop_assume!(is_within_reach(&temporal::expand(&question.model, &question.propositions), &formula));
    let expected = temporal::holds(&question.model, &formula, &question.propositions);
    case(question, fairness).compare(expected, bits)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiny_programs_agree(
        question in questions(Size::TINY, 3, Steps::Counted),
        fairness in fairness(),
        bits in any::<u32>(),
    ) {
        check(&question, fairness, bits)?;
    }

    #[test]
    fn termination_agrees(model in programs(Size::TINY), bits in any::<u32>()) {
        let formula = Formula::unary(Unary::Finally, Formula::proposition(0));
        let question = Question { model, formula, propositions: vec![Proposition::End] };
        prop_assert_eq!(
            temporal::terminates(&question.model),
            temporal::holds(&question.model, &question.formula, &question.propositions)
        );
        check(&question, Vec::new(), bits)?;
    }

    #[test]
    fn return_of_one_procedure_agrees(model in programs(Size::TINY), number in any::<u8>(), bits in any::<u32>()) {
        let id = ProcedureId(usize::from(number) % model.procedure_ids().count());
        let again = Formula::unary(Unary::Finally, Formula::proposition(0).negated());
        let formula = Formula::unary(Unary::Globally, again);
        check(&Question { model, formula, propositions: vec![Proposition::OnStack(id)] }, Vec::new(), bits)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_programs_agree(
        question in questions(Size::SMALL, 4, Steps::Counted),
        fairness in fairness(),
        bits in any::<u32>(),
    ) {
        // Proofs of larger programs take too long to be checked here.
        check(&question, fairness, bits | WITHOUT_PROOF)?;
    }
}
