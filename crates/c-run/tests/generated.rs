//! Random programs about pointers: nothing goes wrong in them but null pointers, here as natively.

#[path = "support/program.rs"]
mod program;

use hardbop_c_core::{Target, check, print};
use hardbop_c_run::{Machine, Options, Outcome, Random, Scripted, SignedOverflow, Undefined, Uninitialised, Unknown};
use hardbop_testkit::c::{Initialisation, Program, Size, programs};
use program::{OPTIONS, function, module, run};
use proptest::prelude::{Strategy, proptest};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use std::path::{Path, PathBuf};
use std::process::Command;

const STRICT: Options = Options { max_steps: 100_000, signed_overflow: SignedOverflow::Undefined, ..OPTIONS };

fn is_null_dereference(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Undefined { what: Undefined::NullDereference, .. })
}

fn check_runs(text: &str, options: Options, is_right: fn(&Outcome) -> bool) {
    let module = module(text, Target::Lp64);
    assert_eq!(check::check(&module), Ok(()), "{}", print::module(&module));
    let main = function(&module, "main");
    for seed in 0..6 {
        let mut environment = Random::new(seed, Unknown::Stop);
        environment.failing_allocations = if seed < 3 { 0 } else { 200 };
        let outcome = Machine::new(&module, options, &mut environment).run(main, &[b"program"]);
        assert!(is_right(&outcome), "seed {seed}: {outcome:?}\n{text}");
    }
}

fn is_defined(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Exited(_) | Outcome::StepLimit) || is_null_dereference(outcome)
}

fn is_defined_but_for_reads(outcome: &Outcome) -> bool {
    let is_read = matches!(outcome, Outcome::Undefined { what: Undefined::UninitialisedRead, .. });
    is_defined(outcome) || is_read
}

/// The values of `nondet_int` in C, and here.
fn native_choices(seed: u32) -> String {
    format!(
        "int nondet_int(void) {{ static unsigned state = {seed}u; state = state * 1103515245u + 12345u; \
         return (int)(state >> 16 & 3); }}\n"
    )
}

fn choices(seed: u32) -> Scripted {
    let next = |state: &u32| Some(state.wrapping_mul(1_103_515_245).wrapping_add(12345));
    let states = std::iter::successors(Some(seed), next).skip(1).take(5000);
    Scripted::with_integers(states.map(|state| i128::from(state >> 16 & 3)))
}

/// The status with which the compiled text ends, `None` if it is killed.
fn natively(text: &str, seed: u32, file: &Path) -> Option<i32> {
    let (source, binary) = (file.with_extension("c"), file.with_extension("out"));
    std::fs::write(&source, text.to_owned() + &native_choices(seed)).expect("the folder can be written to");
    let gcc = Command::new("gcc").args(["-w", "-o"]).arg(&binary).arg(&source).output().expect("gcc can be started");
    assert!(gcc.status.success(), "{}\n{text}", String::from_utf8_lossy(&gcc.stderr));
    Command::new(&binary).output().expect("what gcc made can be run").status.code()
}

fn check_natively(program: &Program, seed: u32) {
    if Command::new("gcc").arg("--version").output().is_err() {
        println!("skipped: there is no gcc");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let text = program.render();
    let expected = natively(&text, seed, &folder.join("generated"));
    let printed = print::module(&module(&text, Target::Lp64));
    assert_eq!(natively(&printed, seed, &folder.join("generated-printed")), expected, "{printed}");
    match run(&text, Target::Lp64, OPTIONS, &mut choices(seed)) {
        Outcome::Exited(status) => assert_eq!(Some(status), expected, "{text}"),
        outcome if is_null_dereference(&outcome) => assert_eq!(expected, None, "{text}"),
        outcome => panic!("{outcome:?}\n{text}"),
    }
}

/// Texts that programs are to have, between bars.
const CONSTRUCTS: &str = "= 0;|= &gx|= *pp|*pp0 = |**pp|[0] = |.f = |->f = |->next = |= item->next|**out|= gs|= *l|\
    memset(&|memset(l|memcpy(&gs|memcpy(&|(void *)|(long)|*(int *)|.p = |.n = (long)|[i0]|% 3]|static int|\
    static struct|union word|picker|getter|actor|while (fuel|do {|for (|switch (|break;|goto cleanup;|new_number()|\
    new_record()|malloc(|free(own)|free(item)| == 0|return 1;|exit(3);|*out = |list->n|default:|? &";

#[test]
fn programs_use_all_constructs_and_runs_end_both_ways() {
    let mut runner = TestRunner::deterministic();
    let mut missing: Vec<&str> = CONSTRUCTS.split('|').collect();
    let (mut exits, mut nulls) = (0, 0);
    for seed in 0..200 {
        let program = programs(Size::SMALL, Initialisation::Always).new_tree(&mut runner).expect("a program");
        let text = program.current().render();
        let body = text.split_once("static int fuel").expect("the head of all programs").1;
        missing.retain(|construct| !body.contains(construct));
        match run(&text, Target::Lp64, STRICT, &mut Random::new(seed, Unknown::Stop)) {
            Outcome::Exited(_) => exits += 1,
            outcome => nulls += usize::from(is_null_dereference(&outcome)),
        }
    }
    assert_eq!(missing, Vec::<&str>::new());
    assert!(exits > 60 && nulls > 30, "{exits} exits and {nulls} null pointers");
}

proptest! {
    #![proptest_config(Config { cases: 200, failure_persistence: None, ..Config::default() })]

    #[test]
    fn only_null_pointers_go_wrong(program in programs(Size::SMALL, Initialisation::Always)) {
        check_runs(&program.render(), STRICT, is_defined);
    }
}

proptest! {
    #![proptest_config(Config { cases: 20, failure_persistence: None, ..Config::default() })]

    #[test]
    fn only_null_pointers_go_wrong_in_large_programs(program in programs(Size::LARGE, Initialisation::Always)) {
        check_runs(&program.render(), STRICT, is_defined);
    }

    #[test]
    fn reads_of_nothing_are_found_where_they_may_be(program in programs(Size::TINY, Initialisation::Sometimes)) {
        let options = Options { uninitialised: Uninitialised::Error, ..STRICT };
        check_runs(&program.render(), options, is_defined_but_for_reads);
    }
}

proptest! {
    #![proptest_config(Config { cases: 10, failure_persistence: None, ..Config::default() })]

    #[test]
    fn runs_end_as_those_of_the_compiled_program(
        program in programs(Size::SMALL, Initialisation::Always),
        seed in 0..1000u32,
    ) {
        check_natively(&program, seed);
    }
}
