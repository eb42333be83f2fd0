//! Questions about a program: the first line is the question, the others are the program.

use crate::languages::{Language, TRANSLATION, program};
use crate::{checksum, errors, options};
use hardbop_base::Budget;
use hardbop_configurations::{Direction, Naming, Request, ask};
use hardbop_icfg::proposition::resolve;
use hardbop_ltl::translate_buchi;
use hardbop_pushdown::{Options, Switch};
use hardbop_temporal::finish::finish;
use hardbop_temporal::{Question, check};
use hardbop_verdict::{Verdict, certify, certify_ranking, replay, replay_lasso};

/// A larger automaton makes a product that takes too long here.
const MOST_STATES: usize = 8;

/// The first line and the rest.
fn split(bytes: &[u8]) -> Option<(&str, &str)> {
    std::str::from_utf8(bytes).ok()?.split_once('\n')
}

/// Checks a formula on a program: every run without end must be one, every proof must be accepted. Whether it was a
/// question.
pub fn check_ltl(bytes: &[u8]) -> bool {
    answer_ltl(bytes).is_some()
}

fn answer_ltl(bytes: &[u8]) -> Option<()> {
    let (formula, text) = split(bytes)?;
    let formula = hardbop_ltl::parse(formula, 0).ok()?;
    let (program, language) = program(text)?;
    let budget = Budget::unlimited().with_allowance(TRANSLATION);
    let automaton = translate_buchi(&formula.negated(), &budget).ok()?;
    if automaton.states.len() > MOST_STATES {
        return None;
    }
    let (mut program, end) = match language {
        Language::PushdownSystem => (program, None),
        Language::BooleanProgram | Language::Remopla => {
            let finished = finish(&program);
            (finished.program, Some(finished.end))
        }
    };
    let resolved: Result<Vec<_>, _> = automaton.props.iter().map(|text| resolve(&mut program, end, text)).collect();
    let propositions = resolved.ok()?;
    let number = checksum(bytes);
    let switch = |bit: u32| if number >> bit & 3 == 0 { Switch::Off } else { Switch::On };
    let options =
        Options { order: switch(20), class: switch(22), post: switch(24), rough: switch(26), ..options(number) };
    confirm(&Question { program: &program, automaton: &automaton, propositions: &propositions }, &options);
    Some(())
}

/// Panics unless the answer has its evidence.
fn confirm(question: &Question<'_>, options: &Options) {
    let budget = Budget::unlimited();
    let report = check(question, options, &budget).expect("there is no limit");
    if report.is_violated {
        let lasso = report.lasso.expect("a violation has a run");
        if let Err(error) = replay_lasso(&lasso.parts(question.program)) {
            panic!("the run is none: {error}");
        }
    } else if options.post == Switch::On {
        let proof = report.proof.expect("what holds has a proof");
        let program = &proof.product.program;
        if let Err(error) = certify(program, &[], &proof.proof, &budget) {
            panic!("the proof is not accepted: {error}");
        }
        if let Err(error) = certify_ranking(program, &proof.proof, &proof.ranking, proof.acceptance(), &budget) {
            panic!("the ranks are not accepted: {error}");
        }
    }
}

/// Asks which of the stacks that an expression describes a program can have; both directions must agree. Whether it was
/// a question.
pub fn ask_stacks(bytes: &[u8]) -> bool {
    let Some((expression, text)) = split(bytes) else { return false };
    let Some((mut program, language)) = program(text) else { return false };
    let naming = if language == Language::PushdownSystem { Naming::Symbols } else { Naming::Procedures };
    let set = match hardbop_configurations::read(&mut program, naming, expression) {
        Ok(set) => set,
        Err(found) => {
            assert!(errors(&found) > 0, "an expression is refused without a reason");
            crate::spans_are_inside(expression, &found);
            return false;
        }
    };
    let options = options(checksum(bytes));
    let answers = [Direction::Forwards, Direction::Backwards].map(|direction| {
        let answer = ask(&program, &set, &Request { direction, listed: 3 }, &options, &Budget::unlimited());
        if let (Verdict::Violated(Some(witness)), Some(goal)) = (&answer.verdict, &answer.goal)
            && let Err(error) = replay(&program, goal, witness)
        {
            panic!("the run is none: {error}");
        }
        matches!(answer.verdict, Verdict::Violated(_))
    });
    assert_eq!(answers[0], answers[1], "forwards and backwards differ");
    true
}
