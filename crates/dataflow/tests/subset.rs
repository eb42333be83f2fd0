//! `SP_rhs` against the exploded supergraph and against the paths themselves.

use hardbop_base::{Budget, Idx, IndexVec, Limit, Span};
use hardbop_dataflow::subset::{self, FactId, Function, Passing, Problem, Setting, Solution, Transfer, reverse, solve};
use hardbop_icfg::{EdgeKind, Icfg, IcfgBuilder, NodeId, Proc, ProcId};
use hardbop_testkit::exploded::{self, Action, Limits, Meet, problems};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

const NOWHERE: Span = Span::new(0, 0);
const SMALL: Limits = Limits { facts: 4, procedures: 3, nodes: 5, edges: 7 };
const TINY: Limits = Limits { facts: 3, procedures: 2, nodes: 3, edges: 4 };

fn node(row: usize) -> NodeId {
    NodeId::from_usize(row)
}

fn fact(row: usize) -> FactId {
    FactId::from_usize(row)
}

/// The engine's graph of a problem; an edge has the number it has in the problem.
fn graph(problem: &exploded::Problem) -> Icfg {
    let mut builder = IcfgBuilder::default();
    for &proc in &problem.nodes {
        builder.node(ProcId::from_usize(proc), NOWHERE);
    }
    for (id, procedure) in problem.procedures.iter().enumerate() {
        let of_proc = |proc: &usize| *proc == id;
        let first = problem.nodes.iter().position(of_proc).expect("a procedure has nodes");
        let end = first + problem.nodes.iter().filter(|proc| of_proc(proc)).count();
        let (entry, exit) = (node(procedure.entry), node(procedure.exit));
        builder.proc(Proc { name: format!("p{id}"), span: NOWHERE, entry, exit, nodes: (node(first), node(end)) });
    }
    for edge in &problem.edges {
        let to = node(edge.to);
        let kind = match edge.action {
            Action::Step(_) => EdgeKind::Step { to },
            Action::Call { callee, .. } => EdgeKind::Call { callee: ProcId::from_usize(callee), to },
        };
        builder.edge(node(edge.from), kind);
    }
    for procedure in &problem.procedures {
        builder.edge(node(procedure.exit), EdgeKind::Return);
    }
    builder.finish()
}

fn meet(problem: &exploded::Problem) -> subset::Meet {
    match problem.meet {
        Meet::Union => subset::Meet::Union,
        Meet::Intersection => subset::Meet::Intersection,
    }
}

fn transfers(problem: &exploded::Problem) -> IndexVec<hardbop_icfg::EdgeId, Transfer> {
    let setting = |setting: &exploded::Setting| match setting {
        exploded::Setting::Constant(value) => Setting::Constant(*value),
        exploded::Setting::From(sources) => Setting::From(sources.iter().map(|&source| fact(source)).collect()),
    };
    let function = |function: &exploded::Function| {
        let settings: Vec<_> = function.iter().map(|(target, set)| (fact(*target), setting(set))).collect();
        Function::assign(&settings, meet(problem))
    };
    let labels = problem.edges.iter().map(|edge| match &edge.action {
        Action::Step(step) => Transfer::Step(function(step)),
        Action::Call { enter, leave, around, .. } => {
            Transfer::Call { enter: function(enter), leave: function(leave), around: function(around) }
        }
    });
    labels.chain(problem.procedures.iter().map(|_| Transfer::Return)).collect()
}

fn solved(problem: &exploded::Problem, icfg: &Icfg) -> Solution {
    solved_with(problem, icfg, Passing::All)
}

fn solved_with(problem: &exploded::Problem, icfg: &Icfg, passing: Passing) -> Solution {
    let initial = (0..problem.facts).filter(|row| problem.initial >> row & 1 == 1).map(fact).collect();
    let (transfers, entry) = (transfers(problem), ProcId::from_usize(0));
    let problem = Problem { icfg, entry, facts: problem.facts, transfers, initial, meet: meet(problem) };
    solve(&problem, passing, &Budget::unlimited()).expect("there is no limit")
}

fn pairs(solution: &Solution, row: usize) -> Vec<(usize, usize)> {
    let point = |fact: Option<FactId>| fact.map_or(0, |fact| fact.index() + 1);
    solution.pairs(node(row)).into_iter().map(|(from, to)| (point(from), point(to))).collect()
}

fn set(solution: &Solution, row: usize) -> u32 {
    solution.facts(node(row)).into_iter().map(|fact| 1 << fact.index()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn path_edges_are_those_of_the_exploded_graph(problem in problems(SMALL)) {
        let solution = solved(&problem, &graph(&problem));
        for (row, wanted) in problem.path_edges().into_iter().enumerate() {
            prop_assert_eq!(pairs(&solution, row), wanted.into_iter().collect::<Vec<_>>(), "at n{}", row);
        }
    }

    #[test]
    fn facts_are_the_meet_over_all_valid_paths(problem in problems(TINY)) {
        let solution = solved(&problem, &graph(&problem));
        let walk = problem.walk(4, 3000);
        for (row, seen) in walk.nodes.into_iter().enumerate() {
            let found = set(&solution, row);
            match seen {
                Some(seen) => {
                    prop_assert!(solution.is_reachable(node(row)), "n{}", row);
                    let (less, more) = if problem.meet == Meet::Union { (seen, found) } else { (found, seen) };
                    prop_assert_eq!(less & !more, 0, "n{}: {:b} {:b}", row, seen, found);
                    prop_assert!(!walk.is_complete || seen == found, "n{}: {:b} {:b}", row, seen, found);
                }
                None => prop_assert!(!walk.is_complete || !solution.is_reachable(node(row)), "n{}", row),
            }
        }
    }

    #[test]
    fn what_goes_around_a_callee_holds_where_it_would_otherwise(problem in problems(SMALL)) {
        let icfg = graph(&problem);
        let (all, some) = (solved(&problem, &icfg), solved_with(&problem, &icfg, Passing::Touched));
        for row in 0..problem.nodes.len() {
            prop_assert_eq!(all.is_reachable(node(row)), some.is_reachable(node(row)), "n{}", row);
            prop_assert_eq!(set(&all, row), set(&some, row), "n{}", row);
        }
    }

    #[test]
    fn a_backward_problem_is_one_on_the_reversed_graph(problem in problems(SMALL)) {
        let reversed = problem.reversed();
        let icfg = reverse(&graph(&problem));
        prop_assert_eq!(&reverse(&icfg), &graph(&problem));
        let solution = solved(&reversed, &icfg);
        for (row, wanted) in reversed.path_edges().into_iter().enumerate() {
            prop_assert_eq!(pairs(&solution, row), wanted.into_iter().collect::<Vec<_>>(), "at n{}", row);
        }
    }
}

/// One procedure with steps, each with what it sets; the last node is the exit.
fn procedure(
    nodes: usize,
    facts: usize,
    initial: u32,
    steps: &[(usize, usize, exploded::Function)],
) -> exploded::Problem {
    let step = |(from, to, function): &(usize, usize, exploded::Function)| exploded::Edge {
        from: *from,
        to: *to,
        action: Action::Step(function.clone()),
    };
    exploded::Problem {
        facts,
        procedures: vec![exploded::Procedure { entry: 0, exit: nodes - 1 }],
        nodes: vec![0; nodes],
        edges: steps.iter().map(step).collect(),
        initial,
        meet: Meet::Union,
    }
}

fn copy(to: usize, from: usize) -> exploded::Function {
    vec![(to, exploded::Setting::From(vec![from]))]
}

fn constant(to: usize, value: bool) -> exploded::Function {
    vec![(to, exploded::Setting::Constant(value))]
}

#[test]
fn figure_2_on_a_single_procedure() {
    // d0 holds at the entry. One branch copies d0 to d1 and drops d0, the other generates d2; a loop copies d1 to d2.
    let swap = [copy(1, 0), constant(0, false)].concat();
    let steps = [(0, 1, swap), (0, 1, constant(2, true)), (1, 1, copy(2, 1)), (1, 2, constant(1, false))];
    let problem = procedure(3, 3, 0b001, &steps);
    let solution = solved(&problem, &graph(&problem));
    assert_eq!(pairs(&solution, 0), [(0, 0), (1, 1)]);
    assert_eq!(pairs(&solution, 1), [(0, 0), (0, 3), (1, 1), (1, 2), (1, 3)]);
    assert_eq!(pairs(&solution, 2), [(0, 0), (0, 3), (1, 1), (1, 3)]);
    assert_eq!(solution.facts(node(2)), [fact(0), fact(2)]);
    assert!(!solution.holds(node(2), fact(1)));
}

#[test]
fn what_a_caller_keeps_as_another_fact_goes_into_it() {
    // Two procedures call each other, and one keeps d1 as d0 meanwhile.
    let call = |from, callee, around| exploded::Edge {
        from,
        to: from,
        action: Action::Call { callee, enter: Vec::new(), leave: Vec::new(), around },
    };
    let problem = exploded::Problem {
        facts: 2,
        procedures: [0, 1].map(|node| exploded::Procedure { entry: node, exit: node }).to_vec(),
        nodes: vec![0, 1],
        edges: vec![call(0, 1, Vec::new()), call(1, 0, copy(0, 1))],
        initial: 0b01,
        meet: Meet::Intersection,
    };
    let solution = solved_with(&problem, &graph(&problem), Passing::Touched);
    assert!(!solution.holds(node(0), fact(0)));
}

/// `main` calls `f` at two places; its nodes are 0 to 2, those of `f` 3 and 4.
fn two_calls(around: exploded::Function, body: exploded::Function) -> exploded::Problem {
    let call = |from, to, enter| {
        let action = Action::Call { callee: 1, enter, leave: Vec::new(), around: around.clone() };
        exploded::Edge { from, to, action }
    };
    exploded::Problem {
        facts: 2,
        procedures: vec![exploded::Procedure { entry: 0, exit: 2 }, exploded::Procedure { entry: 3, exit: 4 }],
        nodes: vec![0, 0, 0, 1, 1],
        edges: vec![
            call(0, 1, constant(1, false)),
            call(1, 2, constant(1, true)),
            exploded::Edge { from: 3, to: 4, action: Action::Step(body) },
        ],
        initial: 0,
        meet: Meet::Union,
    }
}

#[test]
fn a_return_goes_to_its_own_call() {
    let nothing = [constant(0, false), constant(1, false)].concat();
    let problem = two_calls(nothing, copy(0, 1));
    let solution = solved(&problem, &graph(&problem));
    assert_eq!(solution.facts(node(4)), [fact(0), fact(1)]);
    assert_eq!(solution.facts(node(1)), []);
    assert_eq!(solution.facts(node(2)), [fact(0), fact(1)]);
}

#[test]
fn what_never_returns_is_never_left() {
    let mut problem = two_calls(constant(0, true), copy(0, 1));
    problem.edges.pop();
    let solution = solved(&problem, &graph(&problem));
    assert!(solution.is_reachable(node(3)) && !solution.is_reachable(node(1)));
    assert_eq!(solution.facts(node(1)), []);
    problem.meet = Meet::Intersection;
    assert_eq!(solved(&problem, &graph(&problem)).facts(node(1)), [fact(0), fact(1)]);
}

#[test]
fn a_function_of_images_is_one_of_settings() {
    let images = Function::new(&[fact(2)], &[(fact(0), vec![fact(0), fact(1)]), (fact(1), vec![])]);
    let settings = [(fact(1), Setting::From(vec![fact(0)])), (fact(2), Setting::Constant(true))];
    assert_eq!(images, Function::assign(&settings, subset::Meet::Union));
    assert_eq!(Function::nothing(), Function::only(&[]));
    assert_eq!(Function::identity(), Function::assign(&[], subset::Meet::Intersection));
}

#[test]
fn a_budget_ends_it() {
    let problem = procedure(3, 3, 0b111, &[(0, 1, Vec::new()), (1, 2, Vec::new())]);
    let icfg = graph(&problem);
    let (transfers, entry) = (transfers(&problem), ProcId::from_usize(0));
    let problem = Problem { icfg: &icfg, entry, facts: 3, transfers, initial: vec![], meet: subset::Meet::Union };
    let budget = Budget::unlimited().with_allowance(2);
    assert!(solve(&problem, Passing::All, &budget).is_err());
    assert_eq!(budget.hit(), Limit::Allowance);
}

#[test]
fn many_facts_round_a_loop_meet_each_other() {
    // Each of 100 nodes hands one of 100 facts on to the next fact: in the end every pair is at every node.
    let count = 100;
    let steps: Vec<_> = (0..count).map(|row| (row, (row + 1) % count, copy_too((row + 1) % count, row))).collect();
    let problem = procedure(count, count, 0, &steps);
    let icfg = graph(&problem);
    let (transfers, entry) = (transfers(&problem), ProcId::from_usize(0));
    let initial = (0..count).map(fact).collect();
    let problem = Problem { icfg: &icfg, entry, facts: count, transfers, initial, meet: subset::Meet::Union };
    let solution = solve(&problem, Passing::All, &Budget::unlimited()).expect("there is no limit");
    assert_eq!(solution.pairs(node(0)).len(), count * count + 1);
}

/// `to` holds where it or `from` held.
fn copy_too(to: usize, from: usize) -> exploded::Function {
    vec![(to, exploded::Setting::From(vec![from, to]))]
}
