//! Rankings, right ones and every way to spoil them.

use crate::draft::{formula, program, var};
use expect_test::{Expect, expect};
use hardbop_base::{Budget, Idx, IndexVec};
use hardbop_icfg::{Expr, NodeId, ProcId, Program, Relation};
use hardbop_verdict::{Acceptance, Formulas, Proof, Rank, Ranking, certify, certify_ranking};

/// A program, an annotation of it, and ranks: for each node and each entry a component and bits, the least first.
#[derive(Clone)]
struct Case<'a> {
    text: &'a str,
    annotation: Vec<&'a str>,
    nodes: Vec<&'a str>,
    entries: Vec<&'a str>,
}

/// Whether a run is accepted that stays where the global `a` is true, or one that sets `seen` again and again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Weak,
    Memory,
}

impl Case<'_> {
    fn answer(&self, kind: Kind) -> String {
        let mut program = program(self.text);
        let mut formulas = Formulas::default();
        let procs: Vec<ProcId> = program.icfg.nodes.iter().map(|node| node.proc).collect();
        let at = procs.iter().zip(&self.annotation).map(|(&proc, text)| formula(&program, &mut formulas, proc, text));
        let at = at.collect();
        let nodes =
            procs.iter().zip(&self.nodes).map(|(&proc, text)| rank(&program, &mut formulas, proc, text)).collect();
        let ids = program.icfg.procs.ids().zip(&self.entries);
        let entries = ids.map(|(proc, text)| rank(&program, &mut formulas, proc, text)).collect();
        let (proof, ranking) = (Proof { formulas, at }, Ranking { nodes, entries });
        let budget = Budget::unlimited();
        certify(&program, &[], &proof, &budget).expect("the annotation is right");
        let answer = match kind {
            Kind::Weak => {
                let accepting = Expr::Var(var(&program, "a"));
                let accepting = program.exprs.add(accepting);
                certify_ranking(&program, &proof, &ranking, Acceptance::Weak(accepting), &budget)
            }
            Kind::Memory => {
                let names = program.icfg.procs.iter().map(|proc| format!("{}.seen", proc.name));
                let seen: IndexVec<ProcId, _> = names.map(|name| var(&program, &name)).collect();
                certify_ranking(&program, &proof, &ranking, Acceptance::Memory(&seen), &budget)
            }
        };
        answer.map_or_else(|error| error.to_string(), |_| "ok".to_owned())
    }
}

/// The rank of `component bit bit …`.
fn rank(program: &Program<Relation>, formulas: &mut Formulas, proc: ProcId, text: &str) -> Rank {
    let mut words = text.split(' ');
    let component = words.next().unwrap().parse().unwrap();
    Rank { component, bits: words.map(|word| formula(program, formulas, proc, word)).collect() }
}

/// A loop that counts from 0 to 3 in `x` and `y`, and ends.
fn counter() -> Case<'static> {
    Case {
        text: "
            globals a x y
            proc main
            step 0 0 ; if !(x & y) ; set y = !y ; set x = x ^ y
            step 0 1",
        annotation: vec!["1", "1"],
        nodes: vec!["1 y x", "0"],
        entries: vec!["0"],
    }
}

#[track_caller]
fn check_counter(nodes: [&'static str; 2], expect: Expect) {
    let case = Case { nodes: nodes.to_vec(), ..counter() };
    expect.assert_eq(&case.answer(Kind::Weak));
}

#[test]
fn a_number_that_rises_along_every_arc_is_accepted() {
    check_counter(["1 y x", "0"], expect!["ok"]);
    check_counter(["0 y x", "0 1 1 1"], expect!["ok"]);
}

#[test]
fn a_number_that_stays_or_falls_is_not() {
    for ranks in [["1", "0"], ["1 y", "0"], ["1 x", "0"], ["1 x y", "0"], ["1 !y !x", "0"], ["1 1 1", "0"]] {
        check_counter(ranks, expect!["the ranks along e0 (Step) do not prove anything"]);
    }
    check_counter(["0 y x", "0 1 1"], expect!["the ranks along e1 (Step) do not prove anything"]);
}

#[test]
fn a_component_that_grows_is_not() {
    check_counter(["1 y x", "2"], expect!["the ranks along e1 (Step) do not prove anything"]);
    check_counter(["1 y x", "1 1 1 1"], expect!["ok"]);
}

#[test]
fn a_loop_without_end_has_no_ranks() {
    let text = "
        globals a x y
        proc main
        step 0 0 ; set y = !y ; set x = x ^ y
        step 0 1";
    for number in ["1", "1 y x", "1 x y", "1 !y x", "1 y !x a", "1 a"] {
        let case = Case { text, nodes: vec![number, "0"], ..counter() };
        expect!["the ranks along e0 (Step) do not prove anything"].assert_eq(&case.answer(Kind::Weak));
    }
    // Where no arc stays among accepting states, none counts.
    let text = "
        globals a
        initial !a'
        proc main
        step 0 0 ; set a = !a
        step 0 1";
    let case = Case { text, annotation: vec!["1", "1"], nodes: vec!["1", "0"], entries: vec!["0"] };
    expect!["ok"].assert_eq(&case.answer(Kind::Weak));
}

#[test]
fn an_incomplete_ranking_is_malformed() {
    for case in [Case { nodes: vec!["1 y x"], ..counter() }, Case { entries: vec![], ..counter() }] {
        expect!["the annotation is incomplete or not well formed"].assert_eq(&case.answer(Kind::Weak));
    }
    let (program, budget) = (program(counter().text), Budget::unlimited());
    let mut formulas = Formulas::default();
    let is_true = formula(&program, &mut formulas, program.entry, "1");
    let proof = Proof { formulas, at: IndexVec::from_elem(is_true, 2) };
    let unknown = Rank { component: 1, bits: vec![hardbop_verdict::FormulaId::from_usize(7)] };
    let mut nodes: IndexVec<NodeId, Rank> = IndexVec::from_elem(Rank::default(), 2);
    nodes[NodeId::from_usize(0)] = unknown;
    let ranking = Ranking { nodes, entries: IndexVec::from_elem(Rank::default(), 1) };
    let seen = IndexVec::from_elem(var(&program, "a"), 1);
    let answer = certify_ranking(&program, &proof, &ranking, Acceptance::Memory(&seen), &budget);
    expect!["the annotation is incomplete or not well formed"].assert_eq(&answer.unwrap_err().to_string());
}

/// `f` calls itself for good, once, since `x` is set on the way.
fn recursion() -> Case<'static> {
    Case {
        text: "
            globals a x
            proc main local seen
            call 0 1 f ; set seen = 0
            proc f local seen
            step 0 1 ; set seen = 1
            call 1 2 f ; if !x ; set x = 1 ; set seen = 0
            step 1 2 ; if x",
        annotation: vec!["1", "1", "x = x'' & !seen", "x = x'' & seen", "1"],
        nodes: vec!["1", "0", "2", "1", "0"],
        entries: vec!["1", "0 x"],
    }
}

#[test]
fn calls_that_do_not_return_raise_the_rank_of_the_entry() {
    for kind in [Kind::Memory, Kind::Weak] {
        expect!["ok"].assert_eq(&recursion().answer(kind));
        for entry in ["0", "0 !x", "0 1"] {
            let case = Case { entries: vec!["1", entry], ..recursion() };
            expect!["the ranks along e2 (Enter) do not prove anything"].assert_eq(&case.answer(kind));
        }
        // What is called by nobody is entered once.
        let case = Case { entries: vec!["0 1 1", "5 x"], ..recursion() };
        expect!["ok"].assert_eq(&case.answer(kind));
        // Without a relation between the entry and the call there is nothing to compare.
        let case = Case { annotation: vec!["1", "1", "!seen", "seen", "1"], ..recursion() };
        expect!["the ranks along e2 (Enter) do not prove anything"].assert_eq(&case.answer(kind));
    }
}

#[test]
fn an_arc_that_sets_no_memory_need_not_rise() {
    let text = "
        globals a x
        proc main local seen
        call 0 1 f ; set seen = 0
        proc f local seen
        step 0 1 ; set seen = x
        call 1 2 f ; set seen = 0
        step 1 2 ; if x";
    let annotation = vec!["!x", "1", "!x & !seen", "!x & !seen", "1"];
    let text = text.replace("proc main", "initial !x' & !seen'\nproc main");
    let case = Case { text: &text, annotation: annotation.clone(), entries: vec!["1", "0"], ..recursion() };
    expect!["ok"].assert_eq(&case.answer(Kind::Memory));
    expect!["the ranks along e2 (Enter) do not prove anything"].assert_eq(&case.answer(Kind::Weak));
    let text = text.replace("seen = x", "seen = !x");
    let annotation = vec!["!x", "1", "!x & !seen", "!x & seen", "1"];
    let case = Case { text: &text, annotation, entries: vec!["1", "0"], ..recursion() };
    expect!["the ranks along e2 (Enter) do not prove anything"].assert_eq(&case.answer(Kind::Memory));
}

/// A loop that crosses a call twice; what the call has seen counts for the loop.
fn crossing() -> Case<'static> {
    Case {
        text: "
            globals a x
            proc main local seen
            call 0 1 f ; set seen = 0 ; back ; set seen = r | seen''
            step 1 0 ; if !x ; set x = 1
            step 1 2 ; if x
            proc f result r local seen
            step 0 1 ; set seen = 1 ; set r = 1",
        annotation: vec!["1", "1", "1", "x = x'' & !seen", "x = x'' & r"],
        nodes: vec!["1 0 x", "1 1 x", "0", "1", "0"],
        entries: vec!["1", "0"],
    }
}

#[test]
fn what_a_crossed_call_has_seen_counts() {
    let check = |before: &str, behind: &str, expect: Expect| {
        let nodes = vec![before, behind, "0", "1", "0"];
        let case = Case { nodes, ..crossing() };
        expect.assert_eq(&case.answer(Kind::Memory));
    };
    check("1 0 x", "1 1 x", expect!["ok"]);
    check("1 0 x", "1 0 x", expect!["the ranks along e0 (Leave) do not prove anything"]);
    check("1 x", "1 x", expect!["the ranks along e0 (Leave) do not prove anything"]);
    check("1 0 x", "1 1 1", expect!["the ranks along e1 (Step) do not prove anything"]);
    check("1 0 x", "2", expect!["the ranks along e0 (Leave) do not prove anything"]);
    check("2", "1", expect!["the ranks along e1 (Step) do not prove anything"]);
}

#[test]
fn what_a_crossed_call_has_not_seen_does_not() {
    let text = crossing().text.replace("set seen = 1 ; set r = 1", "set r = 0");
    let annotation = vec!["1", "1", "1", "x = x'' & !seen", "x = x'' & !r"];
    let case = Case { text: &text, annotation, nodes: vec!["1", "1", "0", "0", "0"], ..crossing() };
    expect!["ok"].assert_eq(&case.answer(Kind::Memory));
}
