//! Concrete search against the explicit-state oracle, on random programs: what it finds can be replayed and is
//! reachable, and it finds most of what is.

use hardbop_base::{Budget, Severity, SourceMap};
use hardbop_icfg::{Goal, GoalKind, Program, Relation};
use hardbop_pushdown::concrete::search;
use hardbop_testkit::template::{Answer, bebop_levels, bit_counter};
use hardbop_testkit::{Exploration, Size, explore, programs};
use hardbop_verdict::{Length, Witness, replay};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// How many goals there were, how many of them can be reached, and how many of those were found.
#[derive(Default)]
struct Score {
    asked: usize,
    reachable: usize,
    found: usize,
}

fn lower(text: &str) -> (Program<Relation>, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add("random.bp", text.to_owned()).expect("the text is small");
    let (ast, findings) = hardbop_lang_bp::parse(&sources.file(file).text, sources.file(file).start);
    assert!(findings.iter().all(|finding| finding.severity != Severity::Error), "{findings:?}");
    let lowered = hardbop_lang_bp::lower(&ast, "main").unwrap_or_else(|errors| panic!("{errors:?}"));
    (lowered.program, sources)
}

/// A goal for each statement and for each assertion, and whether the oracle says that it can be reached.
fn goals(program: &Program<Relation>, sources: &SourceMap, exploration: &Exploration) -> Vec<(Goal, bool)> {
    let mut goals = Vec::new();
    for (node, at) in program.icfg.nodes.iter_enumerated() {
        if program.icfg.procs[at.proc].exit == node {
            continue;
        }
        let line = sources.locate(at.span).line;
        let report = exploration.statements.iter().find(|(found, _)| found.0 == line);
        let (_, report) = report.unwrap_or_else(|| panic!("the oracle knows of no statement at line {line}"));
        let name = format!("line {line}");
        let goal = Goal { node, condition: None, name, kind: GoalKind::Statement, span: at.span };
        if let Some(assertion) = &report.assertion {
            let marked = program.marks.assertions.iter().find(|marked| marked.node == node);
            let condition = Some(marked.expect("an assertion is marked").failure);
            let goal = Goal { condition, kind: GoalKind::Assertion, ..goal.clone() };
            goals.push((goal, assertion.distance.is_some()));
        }
        goals.push((goal, report.distance.is_some()));
    }
    goals
}

/// Searches for all of `goals` at once.
fn check(program: &Program<Relation>, goals: &[(Goal, bool)], text: &str, score: &mut Score) {
    let asked: Vec<Goal> = goals.iter().map(|(goal, _)| goal.clone()).collect();
    let found = search(program, &asked, &Budget::unlimited());
    assert_eq!(found, search(program, &asked, &Budget::unlimited()), "the search is deterministic");
    for ((goal, is_reachable), witness) in goals.iter().zip(&found) {
        score.asked += 1;
        score.reachable += usize::from(*is_reachable);
        if let Some(witness) = witness {
            assert!(is_reachable, "{} cannot be reached\n{text}", goal.name);
            check_witness(program, goal, witness);
            score.found += 1;
        }
    }
}

fn check_witness(program: &Program<Relation>, goal: &Goal, witness: &Witness) {
    assert_eq!(witness.length, Length::PerhapsNotShortest);
    if let Err(error) = replay(program, goal, witness) {
        panic!("{}: {error}", goal.name);
    }
}

/// Draws `cases` programs, the same in each run; searches for everything at once and for some goals alone.
fn score(size: Size, cases: u32) -> Score {
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut score = Score::default();
    for case in 0..cases as usize {
        let model = programs(size).new_tree(&mut runner).expect("a program can be drawn").current();
        let exploration = explore(&model);
        let text = model.render().text;
        let (program, sources) = lower(&text);
        let goals = goals(&program, &sources, &exploration);
        check(&program, &goals, &text, &mut score);
        for goal in goals.iter().skip(case % 4).step_by(4) {
            check(&program, std::slice::from_ref(goal), &text, &mut score);
        }
    }
    score
}

#[track_caller]
fn check_share(score: &Score, percent: usize) {
    let Score { asked, reachable, found } = *score;
    assert!(reachable > 1000 && asked - reachable > 100, "{reachable} of {asked} goals are reachable");
    assert!(100 * found >= percent * reachable, "{found} of {reachable} were found");
}

/// Searches for the label `SLIC_ERROR`.
fn search_for_error(text: &str) -> Option<Witness> {
    let (program, sources) = lower(text);
    let goals = hardbop_lang_bp::goals(&program, &sources, &["SLIC_ERROR".to_owned()]).expect("there is such a label");
    let witness = search(&program, &goals, &Budget::unlimited()).pop().flatten();
    if let Some(witness) = &witness {
        check_witness(&program, &goals[0], witness);
    }
    witness
}

#[test]
fn small_programs_are_searched_soundly_and_well() {
    check_share(&score(Size::SMALL, 400), 99);
}

#[test]
fn large_programs_are_searched_soundly_and_well() {
    check_share(&score(Size::LARGE, 60), 97);
}

#[test]
fn exponentially_many_calls_share_subtraces() {
    let witness = search_for_error(&bebop_levels(200, Answer::Reachable)).expect("it is reachable");
    assert!(witness.subtraces.len() <= 2 * 200, "{} sub-traces", witness.subtraces.len());
    assert!(search_for_error(&bebop_levels(200, Answer::Unreachable)).is_none());
}

#[test]
fn long_loops_are_followed_to_their_end() {
    let witness = search_for_error(&bit_counter(10, Answer::Reachable)).expect("it is reachable");
    assert!(witness.moves.len() > 1 << 10);
}

#[test]
fn deep_call_chains_do_not_recurse() {
    use std::fmt::Write;
    let depth = 20_000;
    let mut text = String::from("decl g;\nvoid main()\nbegin\n  p0();\nend\n");
    for level in 0..depth {
        write!(text, "void p{level}()\nbegin\n  p{}();\nend\n", level + 1).expect("a string can grow");
    }
    write!(text, "void p{depth}()\nbegin\n  if (g) then\n    SLIC_ERROR: skip;\n  fi\nend\n")
        .expect("a string can grow");
    let witness = search_for_error(&text).expect("it is reachable");
    assert!(witness.moves.len() > depth);
}
