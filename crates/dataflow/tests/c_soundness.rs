//! What the analyses `null` and `uninit` say, against runs of random programs: what fails in a run is called safe by no
//! point of the dial, what is executed is not called unreachable, and cheaper points flag more. A read of memory that was
//! not written may be safe if something is so, and `--pessimistic` then flags it. So may what fails in a library, whose
//! runs are those of a `main` that it does not have.
//!
//! `HARDBOP_PROGRAMS` is how many programs each test compares.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_base::{Budget, Span};
use hardbop_c_core::{Base, Callee, Expr, FunctionId, Module, PlaceUse, Stmt, StmtKind};
use hardbop_c_facts::{Encoding, Site, Subject, Unknown};
use hardbop_c_graph::{Action, CGraph};
use hardbop_c_run::{Access, Event, Machine, Outcome, Random, Undefined, Unknown as Strange};
use hardbop_dataflow::{Engine, Precision, Status, decide};
use hardbop_icfg::Goal;
use hardbop_lang_flow::Analysis;
use hardbop_points_to::UndefinedWrite;
use hardbop_testkit::c::{Initialisation, Size, aliasing_programs, programs, tricky_programs, unwritten_programs};
use proptest::prelude::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::collections::BTreeSet;
use subject::{
    OPTIONS, RUNS, Said, encoding, goals, graph, line_of, main_of, module, pointers, said, shipped_analysis,
};

/// A statement or a condition, by its address in the module.
type Part = *const u8;

fn address<T>(part: &T) -> Part {
    std::ptr::from_ref(part).cast()
}

/// What was seen in runs.
#[derive(Default)]
struct Seen {
    /// Statements that were executed, with their conditions.
    executed: BTreeSet<Part>,
    /// Those that failed as the analysis says.
    failed: BTreeSet<(Part, Span)>,
}

fn parts(statement: &Stmt) -> Vec<Part> {
    match &statement.kind {
        StmtKind::If(condition, ..) | StmtKind::While(condition, _) | StmtKind::Return(Some(condition)) => {
            vec![address(condition)]
        }
        _ => vec![address(statement)],
    }
}

/// Whether the statement itself goes through a pointer: what the library is given may be null.
fn dereferences(module: &Module, statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Call { callee: Callee::Pointer(_), .. } => return true,
        StmtKind::Call { callee: Callee::Function(callee), .. } if module.functions[*callee].body.is_none() => {
            return false;
        }
        _ => {}
    }
    let mut found = false;
    statement.visit_own_places(&mut |place, usage| {
        found |= matches!(place.base, Base::Deref(_)) && usage != PlaceUse::Address;
    });
    found
}

/// What an analysis is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// A null pointer is followed.
    Null,
    /// Memory is read that was not written.
    Unwritten,
}

impl Fault {
    fn analysis(self) -> Analysis {
        shipped_analysis(if self == Self::Null { "null" } else { "uninit" })
    }

    fn is_seen(self, module: &Module, statement: &Stmt, accesses: &[Access], what: &Undefined) -> bool {
        match (self, what) {
            (Self::Unwritten, what) => *what == Undefined::UninitialisedRead && !is_of_library(module, statement),
            // An address near zero is another matter.
            (Self::Null, Undefined::NullDereference) => {
                accesses.last().is_some_and(|access| access.base.address == 0) && dereferences(module, statement)
            }
            (Self::Null, what) => *what == Undefined::BadFunctionPointer && dereferences(module, statement),
        }
    }
}

/// Whether the statement calls a function that is not there.
fn is_of_library(module: &Module, statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Call { callee: Callee::Function(callee), .. } => module.functions[*callee].body.is_none(),
        StmtKind::Call { callee: Callee::Pointer(_), .. } => true,
        _ => false,
    }
}

fn watch(module: &Module, fault: Fault, seed: u64, seen: &mut Seen) -> Outcome {
    let start = main_of(module).or_else(|| function(module, START)).expect("a program begins somewhere");
    let mut environment = Random::new(seed, Strange::Stop);
    environment.failing_allocations = if seed.is_multiple_of(3) { 0 } else { 250 };
    let mut observer = |_: &Machine<'_, '_>, event: Event<'_>| match event {
        Event::Before { statement, .. } => seen.executed.extend(parts(statement)),
        Event::After { statement, accesses, outcome: Some(Outcome::Undefined { what, .. }), .. } => {
            if fault.is_seen(module, statement, accesses, what) {
                seen.failed.extend(parts(statement).into_iter().map(|part| (part, statement.span)));
            }
        }
        Event::After { .. } => {}
    };
    Machine::new(module, RUNS, &mut environment).run_observed(start, &[b"program"], &mut observer)
}

/// What `main` is called in a library.
const START: &str = "start";

fn function(module: &Module, name: &str) -> Option<FunctionId> {
    module.functions.ids().find(|id| module.functions[*id].source_name == name)
}

/// The parts of the program that a site stands at; those that are executed whenever they are reached come with `true`.
fn places(graph: &CGraph<'_>, site: &Site) -> Vec<(Part, bool)> {
    let edges = graph.icfg.edges.iter_enumerated().filter(|(_, edge)| edge.from == site.node);
    let part = |expr: &Expr| address(expr);
    let place = |action: Action<'_>| match action {
        Action::Do(stmt) | Action::Call(stmt, _) | Action::External(stmt, _) | Action::CallBack(stmt) => {
            Some((address(stmt), true))
        }
        Action::Take(stmt, _) => Some((address(stmt), false)),
        Action::Assume(condition, _) | Action::Return(Some(condition)) => Some((part(condition), true)),
        _ => None,
    };
    edges.filter_map(|(edge, _)| place(graph.actions[edge])).collect()
}

/// What a point of the dial says of each site, where it got that far.
struct Column {
    point: String,
    said: Vec<Said>,
    is_decided: Vec<bool>,
}

struct Answers {
    places: Vec<Vec<(Part, bool)>>,
    /// Whether something is assumed there.
    assumes: Vec<bool>,
    /// Whether the program has no `main`.
    is_library: bool,
    columns: Vec<Column>,
}

/// So many steps may be spent on a point of the dial; what is not decided then is as a cheaper one says.
const ALLOWANCE: u64 = 300_000;

fn column(encoding: &Encoding, goals: &[Goal], precision: Precision, unknown: Unknown) -> Column {
    let budget = Budget::unlimited().with_allowance(ALLOWANCE);
    let decided =
        decide(&encoding.program, goals, precision, &Engine::new(OPTIONS), &budget).expect("a tri-vector is cheap");
    Column {
        point: format!("{precision:?} ({unknown:?})"),
        said: decided.iter().map(said).collect(),
        is_decided: decided
            .iter()
            .map(|one| one.precision == precision || !matches!(one.status, Status::MayFail(_)))
            .collect(),
    }
}

fn answers(analysis: &Analysis, subject: Subject<'_, '_>, unknown: Unknown, size: usize) -> Answers {
    let mut encoding = encoding(analysis, subject, unknown);
    let places = encoding.sites.iter().map(|site| places(subject.graph, site)).collect();
    let points =
        [Precision::Path, Precision::Projections(size), Precision::Flow, Precision::Auto, Precision::Procedure];
    let goals = goals(&mut encoding);
    let assumes = encoding.sites.iter().map(|site| !site.assumes.is_empty()).collect();
    let is_library = main_of(subject.module).is_none();
    let columns = points.map(|point| column(&encoding, &goals, point, unknown)).into();
    Answers { places, assumes, is_library, columns }
}

impl Answers {
    fn at(&self, part: Part) -> Vec<usize> {
        let is_there = |index: &usize| self.places[*index].iter().any(|(place, _)| *place == part);
        (0..self.places.len()).filter(is_there).collect()
    }

    fn check(&self, source: &str, fault: Fault, seen: &Seen) -> Result<(), String> {
        for Column { point, said, .. } in &self.columns {
            for &(part, span) in &seen.failed {
                let is_told = |site: usize| {
                    said[site] == Said::MayFail || self.assumes[site] && (fault == Fault::Unwritten || self.is_library)
                };
                if !self.at(part).into_iter().any(is_told) {
                    return Err(format!("{point} has no alarm for what fails in line {}", line_of(source, span)));
                }
            }
            for (site, places) in self.places.iter().enumerate() {
                let is_executed = places.iter().any(|(part, sure)| *sure && seen.executed.contains(part));
                if is_executed && said[site] == Said::Unreachable {
                    return Err(format!("{point} says of place {site} that it is not reached, and it is"));
                }
            }
        }
        let below = [&self.columns[0], &self.columns[4], &self.columns[2]];
        for pair in self.columns[..3].iter().collect::<Vec<_>>().windows(2).chain(below.windows(2)) {
            let is_worse = |site: &usize| pair[0].is_decided[*site] && pair[0].said[*site] > pair[1].said[*site];
            if let Some(site) = (0..self.places.len()).find(is_worse) {
                return Err(format!("{} flags place {site}, and {} does not", pair[0].point, pair[1].point));
            }
        }
        Ok(())
    }
}

/// How often something was seen to happen, over all programs.
#[derive(Default, Debug)]
struct Tally {
    failing_runs: usize,
    whole_runs: usize,
}

fn compare(fault: Fault, source: &str, size: usize, runs: u64, tally: &mut Tally) -> Result<(), String> {
    let (module, analysis) = (module(source), &fault.analysis());
    let mut seen = Seen::default();
    for seed in 0..runs {
        let is_fault = |what: &Undefined| match fault {
            Fault::Null => *what == Undefined::NullDereference,
            Fault::Unwritten => *what == Undefined::UninitialisedRead,
        };
        match watch(&module, fault, seed * 7919 + source.len() as u64, &mut seen) {
            Outcome::Exited(_) => tally.whole_runs += 1,
            Outcome::Undefined { what, .. } if is_fault(&what) => tally.failing_runs += 1,
            _ => {}
        }
    }
    let points_to = pointers(&module, UndefinedWrite::Nothing);
    let graph = graph(&module, &points_to, analysis);
    let subject = Subject { module: &module, graph: &graph, points_to: &points_to };
    answers(analysis, subject, Unknown::Anything, size).check(source, fault, &seen)?;
    answers(analysis, subject, Unknown::AsTested, size).check(source, fault, &seen)?;
    let points_to = pointers(&module, UndefinedWrite::Reachable);
    let graph = subject::graph(&module, &points_to, analysis);
    let subject = Subject { module: &module, graph: &graph, points_to: &points_to };
    // Nothing comes from outside in these runs, so that no assumption about it is wrong.
    answers(analysis, subject, Unknown::AsTested, size).check(source, fault, &seen)?;
    answers(analysis, subject, Unknown::Anything, size).check(source, fault, &seen)
}

/// As a library: code outside can call every function, `main` among them, and knows whatever they hand out.
fn compare_library(source: &str, size: usize, runs: u64) -> Result<(), String> {
    let source = &source.replace("static ", "").replace("int main(", &format!("int {START}("));
    let (module, analysis) = (module(source), &Fault::Null.analysis());
    let mut seen = Seen::default();
    (0..runs).for_each(|seed| drop(watch(&module, Fault::Null, seed * 7919 + source.len() as u64, &mut seen)));
    let points_to = pointers(&module, UndefinedWrite::Reachable);
    let graph = graph(&module, &points_to, analysis);
    let subject = Subject { module: &module, graph: &graph, points_to: &points_to };
    answers(analysis, subject, Unknown::AsTested, size).check(source, Fault::Null, &seen)?;
    answers(analysis, subject, Unknown::Anything, size).check(source, Fault::Null, &seen)
}

/// How many programs are compared, of a test that can afford so many.
fn count(usual: u32) -> u32 {
    std::env::var("HARDBOP_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

fn check(fault: Fault, usual: u32, texts: impl Strategy<Value = String>, runs: u64) {
    let config = Config { cases: count(usual), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let tally = std::cell::RefCell::new(Tally::default());
    let result = runner.run(&(texts, 1..6usize), |(source, size)| {
        let compared = compare(fault, &source, size, runs, &mut tally.borrow_mut());
        compared.map_err(|why| TestCaseError::fail(format!("{why}, projections of {size}:\n{source}")))
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let tally = tally.into_inner();
    let least = usize::try_from(count(usual)).expect("not so many") / 10;
    assert!(tally.failing_runs > least && tally.whole_runs > least, "few runs tell anything: {tally:?}");
}

fn check_libraries(usual: u32, texts: impl Strategy<Value = String>, runs: u64) {
    let config = Config { cases: count(usual), failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&(texts, 1..6usize), |(source, size)| {
        let compared = compare_library(&source, size, runs);
        compared.map_err(|why| TestCaseError::fail(format!("{why}, projections of {size}:\n{source}")))
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn what_fails_in_runs_of_libraries_is_flagged_or_something_is_assumed() {
    let texts = programs(Size::TINY, Initialisation::Always).prop_map(|program| program.render());
    check_libraries(300, texts, 12);
    check_libraries(500, tricky_programs(), 16);
    check_libraries(300, aliasing_programs(), 16);
}

#[test]
fn what_fails_in_runs_of_pointer_programs_is_flagged() {
    let texts = programs(Size::SMALL, Initialisation::Always).prop_map(|program| program.render());
    check(Fault::Null, 300, texts, 12);
}

#[test]
fn what_fails_in_runs_of_tiny_programs_is_flagged() {
    let texts = programs(Size::TINY, Initialisation::Always).prop_map(|program| program.render());
    check(Fault::Null, 1500, texts, 12);
}

#[test]
fn what_fails_in_runs_of_tricky_programs_is_flagged() {
    check(Fault::Null, 3000, tricky_programs(), 16);
}

#[test]
fn what_fails_in_runs_of_aliasing_programs_is_flagged() {
    check(Fault::Null, 1500, aliasing_programs(), 16);
}

#[test]
fn what_is_read_unwritten_in_runs_of_tiny_programs_is_told() {
    let texts = programs(Size::TINY, Initialisation::Sometimes).prop_map(|program| program.render());
    check(Fault::Unwritten, 1000, texts, 12);
}

#[test]
fn what_is_read_unwritten_in_runs_of_pointer_programs_is_told() {
    let texts = programs(Size::SMALL, Initialisation::Sometimes).prop_map(|program| program.render());
    check(Fault::Unwritten, 200, texts, 12);
}

#[test]
fn what_is_read_unwritten_in_runs_of_programs_about_it_is_told() {
    check(Fault::Unwritten, 3000, unwritten_programs(), 16);
}
