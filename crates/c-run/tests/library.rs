//! The library, the environment and the limits.

#[path = "support/program.rs"]
mod program;

use expect_test::{Expect, expect};
use hardbop_c_core::Target;
use hardbop_c_run::{
    Answer, Environment, Event, Machine, Options, Origin, Outcome, Pointee, Random, Scripted, Uninitialised, Unknown,
};
use program::{OPTIONS, run};

const DECLARATIONS: &str = "
    void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);
    int printf(const char *, ...); int getchar(void); int rand(void); void exit(int); void abort(void);
    int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void); double nondet_double(void);
    void __VERIFIER_error(void); void __VERIFIER_assume(int); void reach_error(void); void *unknown(int);
    void __assert_fail(const char *, const char *, unsigned, const char *); void log_message(int);
    ";

fn run_in(text: &str, options: Options, environment: &mut dyn Environment) -> Outcome {
    run(&format!("{DECLARATIONS}{text}"), Target::Lp64, options, environment)
}

/// The outcome of a body of `main`, and what it prints.
#[track_caller]
fn check(body: &str, mut environment: Scripted, expected: &Expect) {
    let outcome = run_in(&format!("int main(void) {{ {body} }}"), OPTIONS, &mut environment);
    expected.assert_eq(&format!("{}{outcome:?}", String::from_utf8_lossy(&environment.output)));
}

#[test]
fn functions_without_a_body_ask_the_environment() {
    check(
        "return __VERIFIER_nondet_int() - __VERIFIER_nondet_uchar();",
        Scripted::with_integers([7, 256 + 3]),
        &expect!["Exited(4)"],
    );
    let mut environment = Scripted::default();
    environment.answers.push_back(Answer::Float(2.5));
    check("return nondet_double() * 4;", environment, &expect!["Exited(10)"]);
    check("return rand();", Scripted::with_integers([-1]), &expect!["Exited(2147483647)"]);
    check("return unknown(1) == 0;", Scripted::default(), &expect![[r#"CalledUndefined("unknown")"#]]);
    check("return unknown(1) == 0;", Scripted::with_integers([0]), &expect!["Exited(1)"]);
    check("log_message(1); return 0;", Scripted::default(), &expect![[r#"CalledUndefined("log_message")"#]]);
}

#[test]
fn every_end_of_a_run_has_its_outcome() {
    check("exit(300); return 1;", Scripted::default(), &expect!["Exited(300)"]);
    check("abort();", Scripted::default(), &expect!["Aborted"]);
    check("__VERIFIER_error();", Scripted::default(), &expect!["ErrorReached"]);
    check("reach_error();", Scripted::default(), &expect!["ErrorReached"]);
    check("__VERIFIER_assume(1); __VERIFIER_assume(0);", Scripted::default(), &expect!["AssumptionFailed"]);
    check("__assert_fail(\"x\", \"f\", 1, \"g\");", Scripted::default(), &expect!["AssertionFailed"]);
    check("for (;;) malloc(1 << 20);", Scripted::default(), &expect!["MemoryLimit"]);
    check("for (;;) ;", Scripted::default(), &expect!["StepLimit"]);
}

#[test]
fn memory_may_not_be_had() {
    let environment = || Scripted { grants: [true, false].into(), ..Scripted::default() };
    check("char *p = malloc(1), *q = malloc(1); return 2 * !p + !q;", environment(), &expect!["Exited(1)"]);
    check("return malloc(-1ul) == 0;", Scripted::default(), &expect!["Exited(1)"]);
    check("return calloc(1ul << 40, 1ul << 40) == 0;", Scripted::default(), &expect!["Exited(1)"]);
}

#[test]
fn input_ends() {
    let environment = Scripted { input: b"ab".to_vec().into(), ..Scripted::default() };
    check("int c; while ((c = getchar()) >= 0) printf(\"%c.\", c); return c;", environment, &expect!["a.b.Exited(-1)"]);
}

#[test]
fn uninitialised_values_can_be_arbitrary_but_stay() {
    let options = Options { uninitialised: Uninitialised::Arbitrary, ..OPTIONS };
    let text = "struct s { int a, b; }; int main(void) { int x; struct s s; int *p = &s.b; return (x - x) + (*p == s.b) + x; }";
    assert_eq!(run_in(text, options, &mut Scripted::with_integers([40, 9])), Outcome::Exited(41));
}

#[test]
fn random_runs_repeat_with_their_seed() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = rand(); printf(\"%d %d\", x, y); return y < 0; }";
    let output = |seed| {
        let mut environment = Random::new(seed, Unknown::Stop);
        assert_eq!(run_in(text, OPTIONS, &mut environment), Outcome::Exited(0));
        environment.output
    };
    assert_eq!(output(1), output(1));
    assert!((2..20).any(|seed| output(seed) != output(1)));
}

#[test]
fn random_environments_answer_for_unknown_functions_if_asked_to() {
    let text = "int main(void) { log_message(1); return unknown(2) != 0; }";
    let stopped = Outcome::CalledUndefined("log_message".into());
    assert_eq!(run_in(text, OPTIONS, &mut Random::new(1, Unknown::Stop)), stopped);
    assert_eq!(run_in(text, OPTIONS, &mut Random::new(1, Unknown::Answer)), Outcome::Exited(0));
}

#[test]
fn what_is_not_exact_is_not_computed() {
    let unsupported = |body: &str| {
        let outcome = run_in(&format!("int main(void) {{ {body} return 0; }}"), OPTIONS, &mut Scripted::default());
        match outcome {
            Outcome::Unsupported { what, .. } => what,
            other => panic!("{other:?}"),
        }
    };
    let expected = expect!["a value of type LongDouble"];
    expected.assert_eq(&unsupported("long double x = 1; x = x + 1;"));
    expect!["assembly"].assert_eq(&unsupported("__asm__ volatile (\"nop\");"));
    expect!["the function pow"].assert_eq(&unsupported("extern double pow(double, double); pow(2, 3);"));
}

#[test]
fn copies_of_what_is_not_computed_are_exact() {
    check("long double x, y; y = x; return 0;", Scripted::default(), &expect!["Exited(0)"]);
}

/// What a program for 32 bits returns.
#[track_caller]
fn check_narrow(text: &str, expected: i32) {
    assert_eq!(run(text, Target::Ilp32, OPTIONS, &mut Scripted::default()), Outcome::Exited(expected));
}

#[test]
fn pointers_of_32_bits_work() {
    check_narrow("int main(void) { return sizeof(long) * 10 + sizeof(void *); }", 44);
    check_narrow(
        "struct s { char c; struct s *next; long long n; };
         int main(void) { struct s a = { 1, 0, -1 }, b = { 2, &a, 5 }; struct s *p = &b; unsigned n = (unsigned)p->next;
           return ((struct s *)n)->c + sizeof(struct s) + (p->next->n >> 40); }",
        16,
    );
    check_narrow(
        "int main(void) { int a[4] = { 1, 2, 3, 4 }; int *p = a + 3; unsigned i = -2; return p[i] + *(p + i); }",
        4,
    );
    check_narrow(
        "int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); long long x = __builtin_va_arg(l, long long);
           int y = __builtin_va_arg(l, int); __builtin_va_end(l); return (x >> 32) + y; }
         int main(void) { return f(0, 3ll << 32, 4); }",
        7,
    );
}

#[test]
fn one_program_has_two_results_for_two_machines() {
    let text = "int main(void) { unsigned long x = -1; return (int)(x >> 16 >> 16); }";
    assert_eq!(run(text, Target::Ilp32, OPTIONS, &mut Scripted::default()), Outcome::Exited(0));
    assert_eq!(run(text, Target::Lp64, OPTIONS, &mut Scripted::default()), Outcome::Exited(-1));
}

#[test]
fn long_expressions_are_computed_and_endless_ones_refused() {
    let sum = |terms: usize| format!("int main(void) {{ int x = 1; return x{}; }}", " + x".repeat(terms));
    assert_eq!(run_in(&sum(900), OPTIONS, &mut Scripted::default()), Outcome::Exited(901));
    assert!(matches!(run_in(&sum(1500), OPTIONS, &mut Scripted::default()), Outcome::Unsupported { .. }));
}

#[test]
fn a_watcher_knows_where_heap_objects_come_from() {
    let text = format!(
        "{DECLARATIONS} int main(void) {{ int *a = malloc(4), *b = malloc(8); *a = 1; b[1] = 2; free(a); *a = 3; }}"
    );
    let module = program::module(&text, Target::Lp64);
    let main = program::function(&module, "main");
    let (mut environment, mut seen) = (Scripted::default(), Vec::new());
    let mut machine = Machine::new(&module, OPTIONS, &mut environment);
    machine.run_observed(main, &[], &mut |machine, event| {
        if let Event::After { accesses, .. } = event {
            seen.extend(accesses.iter().map(|access| match machine.pointee(access.pointer) {
                Pointee::Object { origin: Origin::Heap { span, .. }, offset } => {
                    format!("{}+{offset}", &text[span.start as usize..span.end as usize])
                }
                other => format!("{other:?}"),
            }));
        }
    });
    assert_eq!(seen, ["malloc(4)+0", "malloc(8)+4", "Dead"]);
}
