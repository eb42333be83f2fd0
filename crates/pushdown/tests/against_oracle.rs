//! The engine against the explicit-state oracle, on random programs: the reachability of every statement, which
//! assertions can fail, the lengths of shortest runs, and the evidence for each answer, with every combination of the
//! optimisations.

use hardbop_base::{Budget, SourceMap};
use hardbop_icfg::{Goal, GoalKind, Program, Relation};
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Rung, Switch, check};
use hardbop_testkit::{Exploration, Model, Size, explore, programs};
use hardbop_verdict::{Length, Verdict, certify, replay};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// One question: the goal, the oracle's shortest distance to it, and whether control comes to its place at all.
struct Question {
    goal: Goal,
    distance: Option<usize>,
    is_entered: bool,
}

fn options(bits: u32) -> Options {
    let switch = |bit: u32| if bits >> bit & 1 == 0 { Switch::On } else { Switch::Off };
    Options {
        order: Switch::On,
        class: Switch::On,
        post: Switch::On,
        rough: Switch::On,
        unroll: switch(9),
        slice: switch(0),
        mod_ref: switch(1),
        liveness: switch(2),
        chains: switch(3),
        frontiers: switch(4),
        concrete: switch(5),
        insensitive: switch(6),
        evidence: Evidence::TracesAndProof,
        first_attempt: if bits >> 7 & 1 == 0 { FIRST_ATTEMPT } else { 1 },
        trace_attempt: if bits >> 8 & 1 == 0 { TRACE_ATTEMPT } else { 1 },
    }
}

fn lower(text: &str) -> (Program<Relation>, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add("random.bp", text.to_owned()).expect("the text is small");
    let (ast, errors) = hardbop_lang_bp::parse(&sources.file(file).text, sources.file(file).start);
    let errors: Vec<_> = errors.into_iter().filter(|e| e.severity == hardbop_base::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let lowered = hardbop_lang_bp::lower(&ast, "main").unwrap_or_else(|errors| panic!("{errors:?}"));
    (lowered.program, sources)
}

/// A question for each statement, and one for each assertion.
fn questions(program: &Program<Relation>, sources: &SourceMap, exploration: &Exploration) -> Vec<Question> {
    let mut questions = Vec::new();
    for (node, at) in program.icfg.nodes.iter_enumerated() {
        if program.icfg.procs[at.proc].exit == node {
            continue;
        }
        let line = sources.locate(at.span).line;
        let report = exploration.statements.iter().find(|(found, _)| found.0 == line);
        let (_, report) = report.unwrap_or_else(|| panic!("the oracle knows of no statement at line {line}"));
        let goal =
            Goal { node, condition: None, name: format!("line {line}"), kind: GoalKind::Statement, span: at.span };
        let is_entered = report.distance.is_some();
        questions.push(Question { goal, distance: report.distance, is_entered });
        if let Some(assertion) = &report.assertion {
            let found =
                program.marks.assertions.iter().find(|found| found.node == node).expect("an assertion is marked");
            let name = format!("assertion at line {line}");
            let (condition, kind) = (Some(found.failure), GoalKind::Assertion);
            let goal = Goal { node, condition, name, kind, span: at.span };
            questions.push(Question { goal, distance: assertion.distance, is_entered });
        }
    }
    questions
}

/// Asks all of `questions` at once and compares.
fn compare(program: &Program<Relation>, questions: &[&Question], options: &Options) -> Result<(), TestCaseError> {
    let goals: Vec<Goal> = questions.iter().map(|question| question.goal.clone()).collect();
    let report = check(program, &goals, options, &Budget::unlimited());
    let mut held = Vec::new();
    for (place, (question, verdict)) in questions.iter().zip(&report.verdicts).enumerate() {
        let goal = &question.goal;
        match report.is_entered[place] {
            Some(is_entered) => prop_assert_eq!(is_entered, question.is_entered, "{}: control comes there", goal.name),
            None => {
                let is_known = matches!(verdict, Verdict::Holds) && report.rungs[place] == Some(Rung::Exact);
                prop_assert!(!is_known, "{}: the exact analysis knows whether control comes there", goal.name);
            }
        }
        match (verdict, question.distance) {
            (Verdict::Holds, None) => held.push(goal),
            (Verdict::Violated(Some(witness)), Some(distance)) => {
                let replayed = replay(program, goal, witness);
                prop_assert!(replayed.is_ok(), "{}: {:?}", goal.name, replayed.err());
                prop_assert!(witness.moves.len() >= distance, "{}: no run is that short", goal.name);
                if options.trace_attempt == TRACE_ATTEMPT {
                    prop_assert_eq!(witness.length, Length::Shortest, "{}", goal.name);
                }
                if witness.length == Length::Shortest {
                    prop_assert_eq!(witness.moves.len(), distance, "{}: the length of the run", goal.name);
                }
            }
            (verdict, distance) => {
                prop_assert!(false, "{}: the oracle says {:?}, the engine {:?}", goal.name, distance, verdict);
            }
        }
    }
    if !held.is_empty() {
        let proof = report.proof.as_ref().expect("goals that hold come with a proof");
        let certified = certify(program, &held, proof, &Budget::unlimited());
        prop_assert!(certified.is_ok(), "{:?}", certified.err());
    }
    Ok(())
}

fn agree(model: &Model, bits: u32) -> Result<(), TestCaseError> {
    let exploration = explore(model);
    let (program, sources) = lower(&model.render().text);
    let questions = questions(&program, &sources, &exploration);
    // All at once, and some alone: alone, the slice is much smaller.
    compare(&program, &questions.iter().collect::<Vec<_>>(), &options(bits))?;
    for question in questions.iter().skip(bits as usize % 5).step_by(5) {
        compare(&program, &[question], &options(bits))?;
    }
    Ok(())
}

fn run(size: Size, cases: u32) {
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    // Every combination comes up, and half of the time everything is on.
    let bits = prop_oneof![Just(0), 0..512u32];
    if let Err(error) = runner.run(&(programs(size), bits), |(model, bits)| agree(&model, bits)) {
        panic!("{error}");
    }
}

#[test]
fn engine_and_oracle_agree_on_tiny_programs() {
    run(Size::TINY, 3000);
}

#[test]
fn engine_and_oracle_agree_on_small_programs() {
    run(Size::SMALL, 2500);
}

#[test]
fn engine_and_oracle_agree_on_large_programs() {
    run(Size::LARGE, 150);
}
