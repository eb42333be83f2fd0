//! The analysis against runs of random programs about pointers.

#[path = "support/watch.rs"]
mod watch;

use hardbop_c_run::{Outcome, Random, Undefined, Unknown};
use hardbop_points_to::UndefinedWrite;
use hardbop_testkit::c::{Initialisation, Size, programs};
use proptest::prelude::proptest;
use proptest::test_runner::Config;

fn check(source: &str) {
    for (seed, undefined) in
        [(1, UndefinedWrite::Reachable), (2, UndefinedWrite::Nothing), (3, UndefinedWrite::Nothing)]
    {
        let mut environment = Random::new(seed, Unknown::Stop);
        environment.failing_allocations = 100;
        let (outcome, _) = watch::compare(source, undefined, &mut environment);
        let is_null = matches!(outcome, Outcome::Undefined { what: Undefined::NullDereference, .. });
        let is_expected = is_null || matches!(outcome, Outcome::Exited(_) | Outcome::StepLimit);
        assert!(is_expected, "{outcome:?}\n{source}");
    }
}

proptest! {
    #![proptest_config(Config { cases: 150, failure_persistence: None, ..Config::default() })]

    #[test]
    fn pointers_of_runs_are_foreseen(program in programs(Size::SMALL, Initialisation::Always)) {
        check(&program.render());
    }
}

proptest! {
    #![proptest_config(Config { cases: 8, failure_persistence: None, ..Config::default() })]

    #[test]
    fn pointers_of_runs_of_large_programs_are_foreseen(program in programs(Size::LARGE, Initialisation::Always)) {
        check(&program.render());
    }
}
