//! The analysis against runs of random programs about pointers.

#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/watch.rs"]
mod watch;

use hardbop_c_run::{Outcome, Random, Undefined, Unknown};
use hardbop_points_to::UndefinedWrite;
use hardbop_testkit::c::{Initialisation, Size, aliasing_programs, programs};
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

proptest! {
    #![proptest_config(Config { cases: 16, failure_persistence: None, ..Config::default() })]

    #[test]
    fn pointers_of_compiled_programs_are_foreseen(
        plain in programs(Size::SMALL, Initialisation::Always),
        aliasing in aliasing_programs(),
    ) {
        if compiled::has_compiler() {
            compiled::compare("plain", &plain.render());
            compiled::compare("aliasing", &aliasing);
        }
    }
}

#[test]
fn pointers_of_a_compiled_program_are_seen() {
    let source = "void *malloc(unsigned long); struct n { struct n *next; int *v; }; int x; int *of(struct n *n) { return n->v; }
         int main(void) { int y; struct n *l = 0, first = { 0, &y }; int *(*f)(struct n *) = of;
         for (int i = 0; i < 3; i++) { struct n *n = malloc(sizeof *n); n->next = l; n->v = i ? &x : &y; l = n; }
         l->next->next->next = &first; int *p = 0; while (l) { p = f(l); l = l->next; } return 0; }";
    if compiled::has_compiler() {
        let seen = compiled::compare("list", source);
        assert!(seen > 20, "only {seen} pointers were seen");
    }
}
