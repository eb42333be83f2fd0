//! `SP_rhs` and the sets of sets on C programs: of a distributive analysis they say the same.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod subject;

use hardbop_base::{Budget, Idx};
use hardbop_c_core::Module;
use hardbop_c_facts::{Encoding, Subject, Unknown, encode_facts};
use hardbop_dataflow::Precision;
use hardbop_dataflow::subset::{FactId, Meet, Passing, Solution, backward, problem, solve};
use hardbop_icfg::expr::Expr;
use hardbop_icfg::{Goal, GoalKind, NodeId, Scope, VarId};
use hardbop_lang_flow::tree::Direction;
use hardbop_lang_flow::{Analysis, is_distributive};
use hardbop_points_to::UndefinedWrite;
use hardbop_pushdown::invariants::invariants;
use hardbop_testkit::c::{Initialisation, Size, programs};
use hardbop_verdict::Verdict;
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
use subject::{OPTIONS, Said, graph, module, pointers, read_analysis, report, shipped_analysis};

/// `main` and nobody to give arguments to.
const ALONE: Size = Size { functions: 1, ..Size::TINY };

const MAY: &str = "
analysis may \"may\"
var v, u : scalar
var e    : expression
fact odd(v) \"{v} is odd\", \"{v} is not\"
initially odd(v) := false for v in globals
on v = {nondet_int, malloc}(...): odd(v) := true
on v = e: odd(v) := any odd(u) for u in reads(e)
at use v: require !odd(v) \"odd\"
";

const MUST: &str = "
analysis must \"must\"
meet intersection
var v, u : scalar
var e    : expression
fact even(v) \"{v} is even\", \"{v} is not\"
initially even(v) := true for v in globals
on v = {nondet_int, malloc}(...): even(v) := false
on v = e: even(v) := all even(u) for u in reads(e)
at use v: require even(v) \"odd\"
";

fn solution(analysis: &Analysis, module: &Module) -> (Encoding, Solution) {
    is_distributive(analysis).expect("it is distributive");
    let points_to = pointers(module, UndefinedWrite::Reachable);
    let graph = graph(module, &points_to, analysis);
    let subject = Subject { module, graph: &graph, points_to: &points_to };
    let (encoding, starts) = encode_facts(analysis, subject, &Budget::unlimited()).expect("no limit");
    let icfg = match analysis.direction {
        Direction::Forward => encoding.program.icfg.clone(),
        Direction::Backward => backward(&encoding.program.icfg),
    };
    let problem = problem(&encoding.program, &icfg, &starts, analysis.meet);
    let solution = solve(&problem, Passing::Touched, &Budget::unlimited()).expect("no limit");
    (encoding, solution)
}

/// Checks every fact at every node against the runs of the program over facts.
fn agrees(analysis: &Analysis, source: &str) -> Result<(), proptest::test_runner::TestCaseError> {
    let module = module(source);
    let (mut encoding, solution) = solution(analysis, &module);
    let program = &mut encoding.program;
    let (mut goals, mut asked): (Vec<Goal>, Vec<(NodeId, VarId)>) = (Vec::new(), Vec::new());
    let nodes: Vec<NodeId> = program.icfg.nodes.ids().collect();
    for node in nodes {
        let proc = program.icfg.nodes[node].proc;
        let vars: Vec<VarId> = program.scope(proc).collect();
        for var in vars.into_iter().filter(|&var| !matches!(program.vars[var].scope, Scope::Result(_))) {
            let mut condition = program.exprs.add(Expr::Var(var));
            if analysis.meet == Meet::Intersection {
                condition = program.exprs.add(Expr::Not(condition));
            }
            let span = program.icfg.nodes[node].span;
            let name = program.vars[var].name.clone();
            goals.push(Goal { node, condition: Some(condition), name, kind: GoalKind::Statement, span });
            asked.push((node, var));
        }
    }
    let found = hardbop_pushdown::check(program, &goals, &OPTIONS, &Budget::unlimited());
    for ((node, var), verdict) in asked.into_iter().zip(&found.verdicts) {
        let is_met = matches!(verdict, Verdict::Violated(_));
        let holds = solution.holds(node, FactId::from_usize(var.index()));
        let place = (program.icfg.nodes[node].span, &program.vars[var].name);
        prop_assert_eq!(is_met, holds == (analysis.meet == Meet::Union), "{:?} {:?}\n{}", node, place, source);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_may_hold_holds_in_some_run(model in programs(Size::TINY, Initialisation::Sometimes)) {
        agrees(&read_analysis(MAY), &model.render())?;
    }

    #[test]
    fn what_must_hold_holds_in_every_run(model in programs(Size::TINY, Initialisation::Sometimes)) {
        agrees(&read_analysis(MUST), &model.render())?;
    }

    #[test]
    fn the_textbooks_agree(model in programs(Size::TINY, Initialisation::Always)) {
        agrees(&shipped_analysis("reaching"), &model.render())?;
    }

    // What a call computes is known everywhere before the callee starts, which sets of sets cannot say.
    #[test]
    fn the_textbooks_agree_without_arguments(model in programs(ALONE, Initialisation::Always)) {
        agrees(&shipped_analysis("available"), &model.render())?;
    }
}

/// The paper's Figure 5.
const FIGURE_5: &str = "void foo(int *p, int *q) {\n  if (p != 0) { q = p; }\n  if (p != 0)\n    *q = *p + 1;\n}\n";

#[test]
fn figure_5_is_safe_with_sets_of_sets_and_not_without() {
    let null = shipped_analysis("null");
    let said = |precision| {
        let all = report(&null, FIGURE_5, Unknown::Anything, precision);
        all.into_iter().filter(|(line, _, said)| *line == 4 && *said == Said::MayFail).count()
    };
    assert_eq!(said(Precision::Path), 0);
    assert_eq!(said(Precision::Flow), 1);
}

#[test]
fn figure_5_has_the_states_of_the_paper() {
    let module = module(FIGURE_5);
    let points_to = pointers(&module, UndefinedWrite::Reachable);
    let graph = graph(&module, &points_to, &shipped_analysis("null"));
    let subject = Subject { module: &module, graph: &graph, points_to: &points_to };
    let encoding = subject::encoding(&shipped_analysis("null"), subject, Unknown::Anything);
    let program = &encoding.program;
    // Where the second `if` stands.
    let is_there = |node: &NodeId| subject::line_of(FIGURE_5, program.icfg.nodes[*node].span) == 3;
    let node = program.icfg.nodes.ids().find(is_there).expect("a statement is on line 3");
    let exact = invariants(program, &OPTIONS, &Budget::unlimited()).expect("no limit");
    let cubes = exact.nodes[node].cubes.clone().expect("few states");
    let allows = |cube: &Vec<(VarId, bool)>, state: [(&str, bool); 2]| {
        cube.iter().all(|(var, value)| state.iter().all(|(name, own)| program.vars[*var].name != *name || own == value))
    };
    let states = [(false, false), (false, true), (true, false), (true, true)];
    let is_there = |&(p, q): &(bool, bool)| cubes.iter().any(|cube| allows(cube, [("null(p)", p), ("null(q)", q)]));
    let states: Vec<(bool, bool)> = states.into_iter().filter(is_there).collect();
    assert_eq!(states, [(false, false), (true, false), (true, true)]);
}

#[test]
fn a_run_that_never_ends_has_live_variables() {
    let source = "int get(void); void put(int);\nint main(void) {\n  int n = get();\n  for (;;) put(n);\n}\n";
    let module = module(source);
    let (encoding, solution) = solution(&shipped_analysis("live"), &module);
    let live = encoding.facts.iter().find(|fact| fact.name == "live(n)").expect("it is spoken of").bits[0];
    let is_there = |node: &NodeId| subject::line_of(source, encoding.program.icfg.nodes[*node].span) == 4;
    let node = encoding.program.icfg.nodes.ids().find(is_there).expect("a statement is on line 4");
    assert!(solution.holds(node, FactId::from_usize(live.index())));
}
