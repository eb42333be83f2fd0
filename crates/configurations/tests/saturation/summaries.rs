//! The two engines agree on what can be reached.

use crate::language::{lower, options, runner, try_lower, try_lower_pds, try_lower_rem};
use hardbop_base::Budget;
use hardbop_configurations::{Set, Space};
use hardbop_icfg::{Goal, GoalKind, NodeId, Program, Relation};
use hardbop_pushdown::{Evidence, Switch, check};
use hardbop_testkit::pds::generate as pds;
use hardbop_testkit::{Size, programs, template};
use hardbop_verdict::Verdict;
use proptest::prelude::*;

/// A goal for each node and each assertion.
fn goals(program: &Program<Relation>) -> Vec<Goal> {
    let goal = |node: NodeId, condition| Goal {
        node,
        condition,
        name: format!("{node}"),
        kind: GoalKind::Statement,
        span: program.icfg.nodes[node].span,
    };
    let nodes = program.icfg.nodes.ids().map(|node| goal(node, None));
    nodes.chain(program.marks.assertions.iter().map(|found| goal(found.node, Some(found.failure)))).collect()
}

/// Compares forwards for every goal, and backwards for one in `stride`.
fn agree(program: &Program<Relation>, stride: usize) -> Result<(), String> {
    let goals = goals(program);
    let budget = Budget::unlimited();
    let report = check(program, &goals, &options(Evidence::None), &budget);
    let mut space = Space::new(program, Switch::On, &budget);
    let initial = space.initial().expect("there is no limit");
    let reached = space.post_star(initial).expect("there is no limit");
    for (place, (goal, verdict)) in goals.iter().zip(&report.verdicts).enumerate() {
        let is_reached = match verdict {
            Verdict::Holds => false,
            Verdict::Violated(_) => true,
            Verdict::Unknown(reason) => panic!("without a limit there is an answer: {reason:?}"),
        };
        let forwards = space.has_head(reached, goal.node, goal.condition).expect("there is no limit");
        if forwards != is_reached {
            return Err(format!("{}: the summaries say {is_reached}, post* says {forwards}", goal.name));
        }
        if place % stride == 0 {
            let wanted = space.configurations(&head(program, goal)).expect("there is no limit");
            let reaching = space.pre_star(wanted).expect("there is no limit");
            let backwards = !space.are_disjoint(reaching, initial).expect("there is no limit");
            if backwards != is_reached {
                return Err(format!("{}: the summaries say {is_reached}, pre* says {backwards}", goal.name));
            }
        }
    }
    Ok(())
}

/// The configurations with the head of `goal`, which has no choices.
fn head(program: &Program<Relation>, goal: &Goal) -> Set {
    use hardbop_icfg::proposition::Letter;
    let mut set = Set::everything(program);
    for (node, condition) in program.icfg.nodes.ids().zip(set.conditions.iter_mut()) {
        *condition = match goal.condition {
            _ if node != goal.node => Letter::Const(false),
            None => Letter::Const(true),
            Some(condition) => Letter::Expr(condition),
        };
    }
    set
}

#[test]
fn engines_agree_on_random_programs() {
    for (size, cases, stride) in [(Size::TINY, 1000, 3), (Size::SMALL, 600, 9), (Size::LARGE, 60, 29)] {
        let outcome = runner(cases).run(&programs(size), |model| {
            let program = lower(&model.render().text);
            agree(&program, stride).map_err(TestCaseError::fail)
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Compares on each program of a folder of the corpus; backwards for one goal in `stride`.
fn agree_on_the_corpus(kind: &str, lower: fn(&str) -> Option<Program<Relation>>, stride: usize, least: usize) {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus")).join(kind);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("there is a corpus").flatten().map(|it| it.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == kind));
    paths.sort();
    let mut compared = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("it is text");
        // Some of the corpus are wrong on purpose.
        let Some(program) = lower(&text) else { continue };
        agree(&program, stride).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        compared += 1;
    }
    assert!(compared >= least, "only {compared} programs were compared");
}

#[test]
fn engines_agree_on_the_corpus() {
    agree_on_the_corpus("bp", try_lower, 5, 70);
    agree_on_the_corpus("pds", try_lower_pds, 5, 20);
    agree_on_the_corpus("rem", try_lower_rem, 5, 25);
}

#[test]
fn engines_agree_on_random_systems() {
    for (size, cases, stride) in [(pds::Size::TINY, 300, 3), (pds::Size::SMALL, 200, 5), (pds::Size::LARGE, 40, 9)] {
        let outcome = runner(cases).run(&pds::systems(size), |system| {
            let program = try_lower_pds(&system.render()).expect("generated systems are well formed");
            agree(&program, stride).map_err(TestCaseError::fail)
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn many_procedures_are_no_trouble() {
    let program = lower(&template::bebop_levels(300, template::Answer::Unreachable));
    agree(&program, 2000).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn garbage_is_collected_on_the_way() {
    let program = lower(&template::bit_counter(11, template::Answer::Reachable));
    agree(&program, 20).unwrap_or_else(|error| panic!("{error}"));
    let mut space = Space::new(&program, Switch::On, &Budget::unlimited());
    let initial = space.initial().expect("there is no limit");
    space.post_star(initial).expect("there is no limit");
    assert!(space.kernel.collections() > 0, "this is too small to collect anything");
}

#[test]
fn a_limit_ends_the_saturation() {
    let program = lower(&template::bebop_levels(20, template::Answer::Unreachable));
    let budget = Budget::unlimited().with_allowance(1000);
    let mut space = Space::new(&program, Switch::On, &budget);
    let found = space.initial().and_then(|initial| space.post_star(initial));
    assert!(found.is_err());
}
