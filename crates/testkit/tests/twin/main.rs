//! The oracle against an interpreter of whole configurations.
//!
//! The interpreter keeps the call stack, follows the tree by paths and takes every choice one by one; the oracle has
//! summaries, numbered heads and sets of values. Where no limit was met they must agree on everything.

mod choices;
mod enumerate;
mod interpreter;
mod position;
mod temporal;

use hardbop_testkit::{Exploration, Model, Size, explore, programs};
use proptest::prelude::{ProptestConfig, proptest};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use enumerate::{Limits, Runs, enumerate};

/// More variables than [`Size::TINY`] in fewer statements.
const WIDE: Size = Size { globals: 2, procedures: 2, parameters: 1, results: 2, locals: 1, statements: 3, nesting: 1 };
const LIMITS: Limits = Limits { depth: 4, visits: 8_000 };

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn oracle_agrees_with_interpreter(model in programs(Size::TINY)) {
        check(&model);
    }

    #[test]
    fn oracle_agrees_with_interpreter_on_more_variables(model in programs(WIDE)) {
        check(&model);
    }
}

/// Inclusion alone would let the oracle reach too much.
#[test]
fn most_comparisons_are_complete() {
    let mut runner = TestRunner::deterministic();
    let strategy = programs(Size::TINY);
    let complete = (0..200).filter(|_| {
        let model = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
        enumerate(&model, LIMITS).is_complete
    });
    let complete = complete.count();
    assert!(complete > 120, "only {complete} of 200");
}

#[track_caller]
fn check(model: &Model) {
    let exploration = explore(model);
    let runs = enumerate(model, LIMITS);
    if runs.is_complete {
        assert_eq!(exploration.statements, runs.statements);
        assert_eq!(exploration.procedures, runs.procedures);
    } else {
        check_included(&runs, &exploration);
    }
}

/// What runs within the limits do, the oracle knows, with traces at most as long.
#[track_caller]
fn check_included(runs: &Runs, exploration: &Exploration) {
    let is_shorter =
        |oracle: Option<usize>, run: Option<usize>| run.is_none_or(|run| oracle.is_some_and(|oracle| oracle <= run));
    for (line, run) in &runs.statements {
        let oracle = &exploration.statements[line];
        assert!(run.states.is_subset(&oracle.states), "states before {line:?}");
        assert!(is_shorter(oracle.distance, run.distance), "distance of {line:?}");
        assert_eq!(run.assertion.is_some(), oracle.assertion.is_some(), "{line:?}");
        if let (Some(run), Some(oracle)) = (&run.assertion, &oracle.assertion) {
            assert!(run.failing.is_subset(&oracle.failing), "failing states of {line:?}");
            assert!(is_shorter(oracle.distance, run.distance), "distance of failing {line:?}");
        }
    }
    for (run, oracle) in runs.procedures.iter().zip(&exploration.procedures) {
        assert!(run.entries.is_subset(&oracle.entries));
        assert!(run.exits.is_subset(&oracle.exits));
        assert!(run.summaries.is_subset(&oracle.summaries));
    }
}
