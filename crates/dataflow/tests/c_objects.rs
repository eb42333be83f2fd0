//! What the analysis `lock` says, against runs of random programs: a call that takes a lock twice, or gives one back that
//! is not held, is called safe by no point of the dial, and one that is executed is not called unreachable.
//!
//! The program that is analysed has no bodies for what locks, and in one of three ways to look at it no `main` either:
//! then the locks come from outside.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_base::{Budget, Span};
use hardbop_c_core::{Callee, Module, StmtKind};
use hardbop_c_facts::{Subject, Unknown};
use hardbop_c_run::{Event, Machine, Outcome, Random, Undefined, Unknown as Strange};
use hardbop_dataflow::{Engine, Precision, decide};
use hardbop_points_to::UndefinedWrite;
use hardbop_testkit::c::{LOCKING, locking_programs};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeSet;
use subject::{
    OPTIONS, RUNS, Said, encoding, goals, graph, line_of, main_of, module, pointers, report, said, shipped_analysis,
};

/// The calls that lock or unlock, by where they stand.
#[derive(Default)]
struct Seen {
    executed: BTreeSet<Span>,
    failed: BTreeSet<Span>,
}

fn watch(module: &Module, text: &str, seed: u64, seen: &mut Seen) -> Outcome {
    let main = main_of(module).expect("a program has `main`");
    let mut environment = Random::new(seed, Strange::Stop);
    let is_locking = |callee: &Callee| match callee {
        Callee::Function(callee) => module.functions[*callee].source_name.starts_with("mutex_"),
        Callee::Pointer(_) => false,
    };
    let is_in_locking = |span: Span| {
        LOCKING
            .iter()
            .filter_map(|function| Some((text.find(function)?, function.len())))
            .any(|(start, length)| (start..start + length).contains(&(span.start as usize)))
    };
    let mut last = None;
    let mut observer = |_: &Machine<'_, '_>, event: Event<'_>| match event {
        Event::Before { statement, .. } => {
            if let StmtKind::Call { callee, .. } = &statement.kind
                && is_locking(callee)
            {
                last = Some(statement.span);
                seen.executed.insert(statement.span);
            }
        }
        Event::After {
            statement, outcome: Some(Outcome::Undefined { what: Undefined::NullDereference, .. }), ..
        } if is_in_locking(statement.span) => seen.failed.extend(last),
        Event::After { .. } => {}
    };
    Machine::new(module, RUNS, &mut environment).run_observed(main, &[b"program"], &mut observer)
}

/// The same text with nothing in a part of it.
fn without(text: &str, part: &str) -> String {
    let blank: String = part.chars().map(|character| if character == '\n' { '\n' } else { ' ' }).collect();
    text.replacen(part, &blank, 1)
}

/// The program as others see it, everything where it was: with what locks declared only.
fn declared(text: &str) -> String {
    LOCKING.iter().fold(text.to_owned(), |text, function| {
        let (head, body) = function.split_once(" {").expect("it has a body");
        text.replacen(function, &format!("{head};{}", " ".repeat(body.len() + 1)), 1)
    })
}

/// The program without `main`, and everything seen from outside.
fn library(text: &str) -> String {
    let main = text.split_once("int main").map(|(_, rest)| format!("int main{rest}")).expect("it has `main`");
    without(text, &main).replace("static ", "       ")
}

/// How often something happened, over all programs.
#[derive(Default, Debug)]
struct Tally {
    failing_runs: usize,
    whole_runs: usize,
    safe: usize,
}

fn check(text: &str, undefined: UndefinedWrite, seen: &Seen, tally: &mut Tally) -> Result<(), String> {
    let analysis = shipped_analysis("lock");
    let module = module(text);
    let points_to = pointers(&module, undefined);
    let graph = graph(&module, &points_to, &analysis);
    let subject = Subject { module: &module, graph: &graph, points_to: &points_to };
    let mut encoding = encoding(&analysis, subject, Unknown::AsTested);
    let goals = goals(&mut encoding);
    for precision in [Precision::Path, Precision::Projections(3), Precision::Flow, Precision::Auto] {
        let budget = Budget::unlimited().with_allowance(300_000);
        let decided =
            decide(&encoding.program, &goals, precision, &Engine::new(OPTIONS), &budget).expect("it is cheap");
        let answers: Vec<(Span, Said)> =
            encoding.sites.iter().zip(&decided).map(|(site, decision)| (site.span, said(decision))).collect();
        for &span in &seen.failed {
            if !answers.contains(&(span, Said::MayFail)) {
                return Err(format!("{precision:?} has no alarm for what fails in line {}", line_of(text, span)));
            }
        }
        let is_wrong = |(span, said): &&(Span, Said)| seen.executed.contains(span) && *said == Said::Unreachable;
        if let Some((span, _)) = answers.iter().find(is_wrong) {
            return Err(format!("{precision:?} says that line {} is not reached, and it is", line_of(text, *span)));
        }
        let is_seen = |(span, said): &&(Span, Said)| seen.executed.contains(span) && *said == Said::Safe;
        tally.safe += answers.iter().filter(is_seen).count();
    }
    Ok(())
}

fn compare(text: &str, tally: &mut Tally) -> Result<(), String> {
    let module = module(text);
    let mut seen = Seen::default();
    for seed in 0..12 {
        match watch(&module, text, seed * 7919 + text.len() as u64, &mut seen) {
            Outcome::Exited(_) => tally.whole_runs += 1,
            Outcome::Undefined { what: Undefined::NullDereference, .. } => tally.failing_runs += 1,
            _ => {}
        }
    }
    check(&declared(text), UndefinedWrite::Nothing, &seen, tally)?;
    check(text, UndefinedWrite::Reachable, &seen, tally)?;
    check(&library(&declared(text)), UndefinedWrite::Reachable, &seen, tally)
}

#[test]
fn locks_that_are_misused_in_runs_are_flagged() {
    let cases = std::env::var("HARDBOP_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(600);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let tally = RefCell::new(Tally::default());
    let result = runner.run(&locking_programs(), |text| {
        let compared = compare(&text, &mut tally.borrow_mut());
        compared.map_err(|why| TestCaseError::fail(format!("{why}:\n{text}")))
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let tally = tally.into_inner();
    let least = cases as usize / 10;
    let is_telling = tally.failing_runs > least && tally.whole_runs > least && tally.safe > least;
    assert!(is_telling, "few runs tell anything: {tally:?}");
}

/// What comes before each of the programs below.
const DECLARED: &str = "\
typedef struct file FILE; FILE *fopen(const char *, const char *); int fclose(FILE *), fputs(const char *, FILE *);
void *any(void), share(void *), exit(int); int nondet(void);
struct mutex { int held, wait; }; void mutex_lock(struct mutex *), mutex_unlock(struct mutex *);
struct two { struct mutex m, n; }; struct pack { struct mutex m, row[2]; };
struct one { int k; struct mutex m; }; struct same { int k; struct mutex m; int more; };
struct box { int k; FILE *f; };
";

/// Programs in which the line with `<-` fails in some run.
const FAILING: &[(&str, &str)] = &[
    // A pointer that is kept as a number.
    (
        "lock",
        "int main(void) { struct mutex *m = any(); long l = (long)m; mutex_lock((struct mutex *)l);
        mutex_lock(m); // <-
    }",
    ),
    // What is behind one pointer has a name at one distance and none at the other.
    (
        "lock",
        "static struct pack a, b; int main(void) { struct pack *p = nondet() ? &a : &b;
        struct mutex *r = (struct mutex *)((char *)p + sizeof p->m); mutex_lock(r); mutex_unlock(r); mutex_lock(&p->m);
        mutex_lock(&a.m); // <-
    }",
    ),
    // There is nothing so many bytes before one of its targets.
    (
        "lock",
        "static struct mutex a, b; static struct two t; int main(void) { int c = nondet();
        struct mutex *p = c == 1 ? &a : c == 2 ? &t.n : &b;
        if (c == 2) { struct two *o = (struct two *)((char *)p - sizeof *p); mutex_lock(&o->m); mutex_unlock(&o->m); }
        mutex_lock(p);
        mutex_lock(&a); // <-
    }",
    ),
    // Elements of an array that shares memory with a member.
    (
        "lock",
        "static union { struct mutex one, row[2]; } u; int main(void) { mutex_lock(&u.row[0]);
        mutex_unlock(&u.row[1]); // <-
    }",
    ),
    // Two structures that begin alike.
    (
        "lock",
        "static struct same s; static void take(void *v) { struct one *o = v; mutex_lock(&o->m); }
    int main(void) { share(&s); if (nondet()) take(any()); take(&s);
        mutex_lock(&s.m); // <-
    }",
    ),
    // A new file that several names may be for.
    (
        "file",
        "static void go(struct box *a, struct box *b) { a->f = fopen(\"x\", \"r\"); if (!a->f) exit(1); fclose(a->f);
        if (b->f)
            fputs(\"x\", b->f); // <-
    }
    int main(void) { struct box *a = any(), *b = any(); go(a, b); }",
    ),
];

#[test]
fn objects_by_other_names_are_flagged() {
    for (name, program) in FAILING {
        let text = format!("{DECLARED}{program}");
        let wanted = text.lines().position(|line| line.ends_with("// <-")).expect("a line is marked") + 1;
        let analysis = shipped_analysis(name);
        for precision in [Precision::Path, Precision::Projections(2), Precision::Flow, Precision::Auto] {
            let said = report(&analysis, &text, Unknown::AsTested, precision);
            let is_flagged = said.iter().any(|(line, _, said)| *line == wanted && *said == Said::MayFail);
            assert!(is_flagged, "{precision:?} has no alarm in line {wanted} of\n{text}");
        }
    }
}
