//! Boolean programs, and what is asked of them.

use hardbop_base::Budget;
use hardbop_dataflow::Cartesian;
use hardbop_icfg::{Goal, GoalKind, Program, Relation};
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch};

/// Exact sets, with nothing left out that an expectation speaks of.
pub const OPTIONS: Options = Options {
    order: Switch::On,
    class: Switch::On,
    post: Switch::On,
    rough: Switch::On,
    unroll: Switch::On,
    slice: Switch::Off,
    mod_ref: Switch::On,
    liveness: Switch::Off,
    chains: Switch::Off,
    frontiers: Switch::On,
    concrete: Switch::Off,
    insensitive: Switch::Off,
    evidence: Evidence::None,
    first_attempt: FIRST_ATTEMPT,
    trace_attempt: TRACE_ATTEMPT,
};

pub fn lower(text: &str) -> Program<Relation> {
    let (ast, found) = hardbop_lang_bp::parse(text, 0);
    assert!(found.iter().all(|found| found.severity == hardbop_base::Severity::Warning), "{found:?}\n{text}");
    hardbop_lang_bp::lower(&ast, "main").unwrap_or_else(|found| panic!("{found:?}\n{text}")).program
}

/// Goals at every label and assertion.
pub fn goals(program: &Program<Relation>) -> Vec<Goal> {
    let goal = |node, condition| {
        let span = program.icfg.nodes[node].span;
        Goal { node, condition, name: String::new(), kind: GoalKind::Statement, span }
    };
    let assertions = program.marks.assertions.iter().map(|one| goal(one.node, Some(one.failure)));
    let labels = program.marks.labels.iter().map(|&(_, node)| goal(node, None));
    assertions.chain(labels).collect()
}

pub fn cartesian(program: &Program<Relation>) -> Cartesian {
    Cartesian::new(program, &Budget::unlimited()).expect("there is no limit")
}
