//! Points of the dial against the exact sets of sets, on random boolean programs.

#[path = "support/boolean.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod boolean;

use boolean::{OPTIONS, cartesian, goals, lower};
use hardbop_base::Budget;
use hardbop_dataflow::{Cartesian, Decision, Engine, Hints, Manner, Precision, Status, decide};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{Goal, GoalKind, NodeId, Program, Relation, Scope, VarId};
use hardbop_pushdown::invariants::{Invariants, invariants};
use hardbop_pushdown::{Evidence, Options, Switch};
use hardbop_testkit::{Labels, Size, programs};
use hardbop_verdict::{Length, Verdict, replay};
use proptest::prelude::*;

fn exact(program: &Program<Relation>) -> Invariants {
    invariants(program, &OPTIONS, &Budget::unlimited()).expect("there is no limit")
}

/// The tri-vector at `node`: `0`, `1`, `*`, or `-` where control does not come there.
fn vector(program: &Program<Relation>, flow: &Cartesian, node: NodeId) -> String {
    let value = |var: VarId| match flow.value(node, var).map(Possible::definite) {
        None => '-',
        Some(None) => '*',
        Some(Some(value)) => {
            if value {
                '1'
            } else {
                '0'
            }
        }
    };
    program.scope(program.icfg.nodes[node].proc).map(value).collect()
}

#[track_caller]
fn check(text: &str, label: &str, expected: &str) {
    let program = lower(text);
    let (_, node) = program.marks.labels.iter().find(|(name, _)| name == label).expect("the label is there");
    assert_eq!(vector(&program, &cartesian(&program), *node), expected);
}

#[test]
fn a_join_forgets_what_belongs_together() {
    // The paper's Figure 5: the exact states at L are {00, 1*}.
    check("void main() begin decl p, q; if (!p) then q := p; fi L: skip; end", "L", "**");
}

#[test]
fn a_branch_tells_of_its_condition() {
    check("decl a, b; void main() begin if (a & !b) then L: skip; fi end", "L", "10");
    check("decl a, b; void main() begin a := T; if (a = b) then L: skip; fi end", "L", "11");
    check("decl a, b; void main() begin a := T; b := T; if (!a | !b) then L: skip; fi end", "L", "--");
}

#[test]
fn an_argument_is_what_the_parameter_is_at_the_end() {
    let main = "void main() begin decl a, b; f(a, !b); L: skip; end";
    check(&format!("void f(p, q) begin assume(p & q); end {main}"), "L", "10");
    check(&format!("void f(p, q) begin assume(p | q); end {main}"), "L", "**");
    check(&format!("void f(p, q) begin p := T; assume(q); end {main}"), "L", "*0");
    check(&format!("void f(p, q) begin if (p) then assume(q); fi end {main}"), "L", "**");
    check(&format!("void f(p, q) begin assume(p); if (*) then f(p, q); fi end {main}"), "L", "1*");
}

#[test]
fn what_a_callee_cannot_change_stays_as_it_was() {
    let callers = "void main() begin g := T; h := F; f(); L: skip; h := T; f(); M: skip; end";
    check(&format!("decl g, h; void f() begin g := g; end {callers}"), "L", "10");
    check(&format!("decl g, h; void f() begin g := g; end {callers}"), "M", "11");
}

#[test]
fn results_and_parameters_come_and_go() {
    let callee = "bool f(x) begin return !x; end";
    check(&format!("{callee} void main() begin decl r; r := f(T); L: skip; end"), "L", "0");
}

#[test]
fn what_never_returns_is_never_left() {
    check("void f() begin while (T) do skip; od end void main() begin f(); L: skip; end", "L", "");
    let program = lower("void f() begin while (T) do skip; od end void main() begin f(); L: skip; end");
    let node = program.marks.labels[0].1;
    assert!(!cartesian(&program).is_reachable(node));
}

/// Which goals are flagged, and which are said to be out of reach.
fn turn(program: &Program<Relation>, goals: &[Goal], manner: impl Into<Manner>) -> (Vec<bool>, Vec<bool>) {
    let options = Options { evidence: Evidence::Traces, slice: Switch::On, liveness: Switch::On, ..OPTIONS };
    let decisions =
        decide(program, goals, manner, &Engine::new(options), &Budget::unlimited()).expect("there is no limit");
    for decision in &decisions {
        if let Status::MayFail(Some(failure)) = &decision.status {
            replay(&failure.projection, &failure.goal, &failure.witness).expect("a run that is shown is one");
        }
    }
    let flagged = |decision: &Decision| matches!(decision.status, Status::MayFail(_));
    let unreachable = |decision: &Decision| matches!(decision.status, Status::Unreachable);
    (decisions.iter().map(flagged).collect(), decisions.iter().map(unreachable).collect())
}

/// Whether there is any: what is said of facts that matter nowhere else is taken to be possible.
fn has_first_state(program: &Program<Relation>) -> bool {
    let node = program.icfg.procs[program.entry].entry;
    let span = program.icfg.nodes[node].span;
    let start = Goal { node, condition: None, name: String::new(), kind: GoalKind::Statement, span };
    let report = hardbop_pushdown::check(program, &[start], &OPTIONS, &Budget::unlimited());
    matches!(report.verdicts[0], Verdict::Violated(_))
}

/// Of which goals a run from the start was found by runs of procedures.
fn from_start(program: &Program<Relation>, goals: &[Goal]) -> Vec<bool> {
    let options = Options { evidence: Evidence::Traces, slice: Switch::On, liveness: Switch::On, ..OPTIONS };
    let decisions = decide(program, goals, Precision::Procedure, &Engine::new(options), &Budget::unlimited());
    let decisions = decisions.expect("there is no limit");
    decisions.iter().map(|decision| decision.precision == Precision::Path).collect()
}

fn is_below(fewer: &[bool], more: &[bool]) -> bool {
    fewer.iter().zip(more).all(|(fewer, more)| more | !fewer)
}

#[test]
fn a_flag_and_what_it_speaks_of_are_one_group() {
    let text = "void main() begin decl p, ok, a, b, c; p := T; ok := F; a := *; b := a; c := b;
        if (*) then p := F; ok := T; fi  while (*) do c := !b; b := c; od  if (ok) then assert(!p); fi end";
    let program = lower(text);
    let goals = goals(&program);
    assert!(turn(&program, &goals, Precision::Flow).0[0]);
    assert!(turn(&program, &goals, Precision::Projections(1)).0[0]);
    assert!(!turn(&program, &goals, Precision::Projections(2)).0[0]);
    assert!(!turn(&program, &goals, Precision::Path).0[0]);
}

/// Which of a program's goals are flagged one procedure at a time.
fn by_procedure(text: &str) -> Vec<bool> {
    let program = lower(text);
    turn(&program, &goals(&program), Precision::Procedure).0
}

#[test]
fn a_callee_does_what_its_summary_says() {
    let callee = "decl p; bool get() begin if (*) then p := F; return T; fi p := *; return F; end";
    assert_eq!(
        by_procedure(&format!("{callee} void main() begin decl ok; ok := get(); assert(!ok | !p); end")),
        [false]
    );
    assert_eq!(by_procedure(&format!("{callee} void main() begin decl ok; ok := get(); assert(ok | !p); end")), [true]);
}

#[test]
fn a_summary_relates_the_exit_to_the_entry() {
    let callee = "decl g; bool f(x) begin g := g != x; return x; end";
    let caller =
        "void main() begin decl a, r, old; a, old := *, g; r := f(a); assert(r = a); assert(g = (old != a)); end";
    assert_eq!(by_procedure(&format!("{callee} {caller}")), [false, false]);
}

#[test]
fn a_procedure_that_calls_itself_is_exact() {
    let text = "decl g; void f(x) begin if (*) then f(!x); fi assert(x != !x); g := g; end void main() begin f(*); end";
    assert_eq!(by_procedure(text), [false]);
}

/// Where the run to the one goal starts, and whether it was confirmed.
fn way_to(text: &str) -> (String, Precision, Length) {
    let program = lower(text);
    let options = Options { evidence: Evidence::Traces, slice: Switch::On, liveness: Switch::On, ..OPTIONS };
    let decided = decide(&program, &goals(&program), Precision::Procedure, &Engine::new(options), &Budget::unlimited());
    let decision = decided.expect("there is no limit").remove(0);
    let Status::MayFail(Some(failure)) = decision.status else { panic!("it fails") };
    replay(&failure.projection, &failure.goal, &failure.witness).expect("a run that is shown is one");
    let origin = failure.origin.expect("it was put together");
    let start = origin.procs[failure.projection.entry];
    (program.icfg.procs[start].name.clone(), decision.precision, failure.witness.length)
}

#[test]
fn a_run_is_followed_back_to_the_start() {
    let inner = "decl g; void inner(a, b) begin assert(a | b | g); end void outer(c) begin inner(c, !c & g); end";
    let text = format!("{inner} void main() begin decl x; g := F; x := F; outer(x); end");
    assert_eq!(way_to(&text), ("main".to_owned(), Precision::Path, Length::ShortestInEach));
    // The second caller is the one.
    let text =
        format!("{inner} void main() begin g := T; outer(F); last(); end void last() begin g := F; outer(F); end");
    assert_eq!(way_to(&text), ("main".to_owned(), Precision::Path, Length::ShortestInEach));
}

#[test]
fn what_happens_in_a_call_is_found_where_it_matters() {
    let text = "decl g, h; void deep() begin if (*) then g := F; fi end void get() begin h := *; deep(); end
                void use() begin get(); assert(g); end void main() begin g := T; use(); end";
    assert_eq!(way_to(text), ("main".to_owned(), Precision::Path, Length::ShortestInEach));
}

#[test]
fn what_no_caller_can_bring_is_not_confirmed() {
    let text = "void f(a, b) begin assert(a = b); end void main() begin decl x; x := *; f(x, x); end";
    assert_eq!(way_to(text).1, Precision::Procedure);
    assert_eq!(way_to(text).0, "f");
}

#[test]
fn a_call_that_may_not_come_back_is_gone_through() {
    let callee = "void f(n) begin if (n) then g(*); fi end void g(n) begin if (n) then f(*); else stop(); fi end
                  void stop() begin while (T) do skip; od end";
    let text = format!("{callee} void use() begin f(T); assert(F); end void main() begin use(); end");
    assert_eq!(way_to(&text), ("main".to_owned(), Precision::Path, Length::ShortestInEach));
    let text = format!("{callee} void use() begin g(F); assert(F); end void main() begin use(); end");
    let program = lower(&text);
    assert_eq!(turn(&program, &goals(&program), Precision::Procedure).0, [false]);
}

#[test]
fn how_arguments_belong_together_is_not_known_inside() {
    let text = "void f(a, b) begin assert(a = b); end void main() begin decl x; x := *; f(x, x); end";
    assert_eq!(by_procedure(text), [true]);
    let program = lower(text);
    assert!(!turn(&program, &goals(&program), Precision::Path).0[0]);
}

#[test]
fn a_callee_cannot_take_back_what_only_becomes_true() {
    let text = "decl g; void f() begin if (*) then g := g | *; f(); fi end
                void main() begin f(); g := T; f(); assert(g); f(); assert(!g); end";
    let program = lower(text);
    for precision in [Precision::Flow, Precision::Procedure] {
        assert_eq!(turn(&program, &goals(&program), precision).0, [false, true], "{precision:?}");
    }
}

#[test]
fn a_callee_that_does_not_return_ends_the_way() {
    let text = "decl g; void stop() begin g := *; while (T) do skip; od end void main() begin stop(); assert(F); end";
    assert_eq!(by_procedure(text), [false]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_point_of_the_dial_flags_what_the_next_one_flags(model in programs(Size::SMALL), size in 1..5usize) {
        let program = lower(&model.render_with(Labels::Every).text);
        prop_assume!(has_first_state(&program));
        let goals = goals(&program);
        let exact = hardbop_pushdown::check(&program, &goals, &OPTIONS, &Budget::unlimited());
        let exact: Vec<bool> = exact.verdicts.iter().map(|verdict| matches!(verdict, Verdict::Violated(_))).collect();
        let [flow, projections, procedure, path, auto] = [Precision::Flow, Precision::Projections(size),
            Precision::Procedure, Precision::Path, Precision::Auto].map(|precision| turn(&program, &goals, precision));
        prop_assert_eq!(&path.0, &exact);
        prop_assert_eq!(&path, &auto);
        prop_assert!(is_below(&path.0, &projections.0) && is_below(&projections.0, &flow.0));
        prop_assert!(is_below(&flow.1, &projections.1) && is_below(&projections.1, &path.1));
        // Whatever the user says belongs together, answers are between the same two.
        let hints = Hints(vec![program.vars.ids().step_by(2).collect(), program.vars.ids().skip(1).collect()]);
        let hinted = turn(&program, &goals, Manner { precision: Precision::Projections(size), hints });
        prop_assert!(is_below(&path.0, &hinted.0) && is_below(&hinted.0, &flow.0));
        prop_assert!(is_below(&path.0, &procedure.0) && is_below(&procedure.0, &flow.0));
        prop_assert!(is_below(&from_start(&program, &goals), &path.0));
        prop_assert!(is_below(&flow.1, &procedure.1) && is_below(&procedure.1, &path.1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_tri_vector_holds_every_state(model in programs(Size::SMALL)) {
        let program = lower(&model.render_with(Labels::Every).text);
        let (exact, flow) = (exact(&program), cartesian(&program));
        for (node, states) in exact.nodes.iter_enumerated().filter(|(_, states)| states.is_reachable) {
            prop_assert!(flow.is_reachable(node));
            for cube in states.cubes.iter().flatten() {
                // The exact states do not speak of results.
                let is_result = |var: &VarId| matches!(program.vars[*var].scope, Scope::Result(_));
                for var in program.scope(program.icfg.nodes[node].proc).filter(|var| !is_result(var)) {
                    let value = flow.value(node, var).expect("the node is reachable");
                    match cube.iter().find(|(found, _)| *found == var) {
                        Some(&(_, wanted)) => prop_assert!(value.contains(wanted)),
                        None => prop_assert_eq!(value, Possible::ANY),
                    }
                }
            }
        }
    }
}
