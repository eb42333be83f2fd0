//! Witnesses, right ones and every way to spoil them.

use crate::draft::{goal, node, program, var};
use expect_test::{Expect, expect};
use hardbop_base::Idx;
use hardbop_icfg::{EdgeId, Goal, Program, Relation};
use hardbop_verdict::replay::State;
use hardbop_verdict::{Length, Move, Picks, SubTrace, SubTraceId, Witness, replay};

/// `main` calls `f(a)` twice; `f` sets `g` to its parameter and returns whether its own local was true.
const CALLS: &str = "
    globals g h
    initial !g' & !h'
    proc main local a local b
    step 0 1 ; set a = 1 ; set b = *
    call 1 2 f ; if b ; set p = a ; back ; set b = r & b''
    call 2 3 f ; set p = !a ; back ; set h = r ; such h' = r
    proc f result r param p local l
    step 0 1 ; if l ; set r = l
    step 1 2 ; set g = p & (h = h)";

struct Case {
    program: Program<Relation>,
    goal: Goal,
    witness: Witness,
}

fn edge(index: usize) -> EdgeId {
    EdgeId::from_usize(index)
}

fn picks(choices: &[Option<bool>], values: &[Option<bool>]) -> Picks {
    Picks { choices: choices.to_vec(), values: values.to_vec() }
}

fn step(index: usize) -> Move {
    Move::Step { edge: edge(index), picks: Picks::default() }
}

fn cross(index: usize, sub: usize) -> Move {
    let sub = SubTraceId::from_usize(sub);
    Move::Cross { edge: edge(index), enter: Picks::default(), sub, leave: Picks::default() }
}

fn calls() -> Case {
    let mut program = program(CALLS);
    let goal = goal(&mut program, "main", 3, "h & !g & b");
    let [g, h, r, p, l] = ["g", "h", "f.r", "f.p", "f.l"].map(|name| var(&program, name));
    let sub = |value| SubTrace {
        proc: program.icfg.nodes[node(&program, "f", 0)].proc,
        requires: vec![(p, value), (l, true), (h, false)],
        moves: vec![step(3), step(4)],
        effects: vec![(g, Some(value)), (r, Some(true))],
    };
    let witness = Witness {
        initial: vec![Some(false), Some(false), None, None],
        initial_choices: vec![],
        moves: vec![Move::Step { edge: edge(0), picks: picks(&[], &[Some(true)]) }, cross(1, 0), cross(2, 1)],
        goal_choices: vec![],
        subtraces: [sub(true), sub(false)].into_iter().collect(),
        length: Length::Shortest,
    };
    Case { program, goal, witness }
}

#[track_caller]
fn check(case: &Case, expect: Expect) {
    let answer = replay(&case.program, &case.goal, &case.witness);
    expect.assert_eq(&answer.map_or_else(|error| error.to_string(), |_| "ok".to_owned()));
}

/// The right witness of [`calls`], spoilt.
#[track_caller]
fn check_spoilt(spoil: impl Fn(&mut Witness), expect: Expect) {
    let mut case = calls();
    spoil(&mut case.witness);
    check(&case, expect);
}

fn sub(witness: &mut Witness, index: usize) -> &mut SubTrace {
    &mut witness.subtraces[SubTraceId::from_usize(index)]
}

#[test]
fn states_of_a_right_witness_can_be_read() {
    let case = calls();
    let replayed = replay(&case.program, &case.goal, &case.witness).unwrap();
    let shown = |names: &[&str], state: State<'_>| {
        let values = names.iter().map(|name| match state.value(var(&case.program, name)) {
            Some(value) => format!("{name}={} ", u8::from(value)),
            None => format!("{name}=* "),
        });
        format!("{} {}{}", state.node, values.collect::<String>(), state.depth)
    };
    let main: Vec<String> =
        replayed.main().states().map(|state| shown(&["g", "h", "main.a", "main.b"], state)).collect();
    let first = replayed.subtrace(SubTraceId::from_usize(0));
    let first: Vec<String> = first.states().map(|state| shown(&["g", "h", "f.r", "f.p", "f.l"], state)).collect();
    expect![[r#"
        n0 g=0 h=0 main.a=* main.b=* 0
        n1 g=0 h=0 main.a=1 main.b=1 0
        n2 g=1 h=0 main.a=1 main.b=1 0
        n3 g=0 h=1 main.a=1 main.b=1 0
        n4 g=* h=0 f.r=* f.p=1 f.l=1 0
        n5 g=* h=0 f.r=1 f.p=1 f.l=1 0
        n6 g=1 h=0 f.r=1 f.p=1 f.l=1 0"#]]
    .assert_eq(&[main, first].concat().join("\n"));
}

#[test]
fn a_first_state_outside_the_constraint_is_rejected() {
    check_spoilt(|w| w.initial[0] = Some(true), expect!["after 0 moves: the constraint on the first state is false"]);
    check_spoilt(
        |w| w.initial[1] = None,
        expect!["after 0 moves: the constraint on the first state depends on an open value"],
    );
    check_spoilt(|w| _ = w.initial.pop(), expect!["after 0 moves: the first state has 3 values for 4 variables"]);
}

#[test]
fn a_guard_must_not_depend_on_an_open_value() {
    let pick = |value| move |w: &mut Witness| w.moves[0] = Move::Step { edge: edge(0), picks: picks(&[], &[value]) };
    check_spoilt(pick(None), expect!["after 1 moves: the guard of the way into the call depends on an open value"]);
    check_spoilt(pick(Some(false)), expect!["after 1 moves: the guard of the way into the call is false"]);
    check_spoilt(
        |w| w.moves[0] = step(0),
        expect!["after 1 moves: the guard of the way into the call depends on an open value"],
    );
}

#[test]
fn moves_must_follow_the_edges() {
    check_spoilt(|w| w.moves.swap(0, 1), expect!["after 0 moves: e1 does not start at n0"]);
    check_spoilt(|w| _ = w.moves.pop(), expect!["after 2 moves: the run ends at n2, which is not the goal"]);
    check_spoilt(|w| w.moves[0] = step(99), expect!["after 0 moves: there is no edge e99"]);
    check_spoilt(|w| w.moves[1] = step(1), expect!["after 1 moves: e1 is of another kind than the move"]);
    check_spoilt(|w| w.moves[0] = cross(0, 0), expect!["after 0 moves: e0 is of another kind than the move"]);
    check_spoilt(
        |w| w.moves[1] = Move::Enter { edge: edge(1), picks: Picks::default() },
        expect!["after 2 moves: e2 does not start at n4"],
    );
    check_spoilt(|w| w.moves.push(step(5)), expect!["after 3 moves: e5 is of another kind than the move"]);
}

#[test]
fn picks_that_nothing_asks_for_are_rejected() {
    let too_many = picks(&[], &[Some(true), None]);
    check_spoilt(
        |w| w.moves[0] = Move::Step { edge: edge(0), picks: too_many.clone() },
        expect!["after 0 moves: more values are given than are open"],
    );
    check_spoilt(|w| w.initial_choices = vec![None; 9], expect!["after 0 moves: more values are given than are open"]);
}

#[test]
fn a_crossed_call_needs_the_lemma_of_its_callee() {
    check_spoilt(|w| w.moves[1] = cross(1, 1), expect!["after 1 moves: sub1 requires v5 to be 0 and it is 1"]);
    check_spoilt(|w| w.moves[1] = cross(1, 2), expect!["after 1 moves: sub2 is used before it has been followed"]);
    check_spoilt(|w| sub(w, 0).proc = calls().program.entry, expect!["after 0 moves of sub0: v5 is not in scope"]);
    check_spoilt(
        |w| {
            let lemma = sub(w, 0);
            (lemma.proc, lemma.requires, lemma.effects) = (calls().program.entry, vec![], vec![]);
            lemma.moves.clear();
        },
        expect!["after 0 moves of sub0: the sub-trace ends at n0, which is not the exit"],
    );
    check_spoilt(
        |w| sub(w, 0).proc = hardbop_icfg::ProcId::from_usize(7),
        expect!["after 0 moves of sub0: there is no procedure p7"],
    );
}

#[test]
fn a_lemma_must_say_what_it_needs() {
    check_spoilt(
        |w| sub(w, 0).requires.retain(|&(var, _)| var.index() != 5),
        expect!["after 2 moves of sub0: the effect on v0 is * and not 1"],
    );
    check_spoilt(
        |w| sub(w, 0).requires.retain(|&(var, _)| var.index() != 6),
        expect!["after 0 moves of sub0: the guard of the step depends on an open value"],
    );
    check_spoilt(
        |w| sub(w, 0).requires.iter_mut().for_each(|(var, value)| *value ^= var.index() == 6),
        expect!["after 0 moves of sub0: the guard of the step is false"],
    );
}

#[test]
fn a_lemma_must_say_what_it_does() {
    check_spoilt(
        |w| sub(w, 1).effects[0].1 = Some(true),
        expect!["after 2 moves of sub1: the effect on v0 is 0 and not 1"],
    );
    check_spoilt(
        |w| _ = sub(w, 1).effects.remove(0),
        expect!["after 2 moves of sub1: v0 is written and is not among the effects"],
    );
    check_spoilt(
        |w| sub(w, 1).effects[1].1 = Some(false),
        expect!["after 2 moves of sub1: the effect on v4 is 1 and not 0"],
    );
    check_spoilt(|w| _ = sub(w, 1).effects.pop(), expect!["ok"]);
    check_spoilt(
        |w| _ = sub(w, 1).moves.pop(),
        expect!["after 1 moves of sub1: the sub-trace ends at n5, which is not the exit"],
    );
}

#[test]
fn a_lemma_may_leave_what_it_writes_open() {
    check_spoilt(|w| sub(w, 0).effects[0].1 = None, expect!["ok"]);
    check_spoilt(|w| sub(w, 1).effects[0].1 = None, expect!["ok"]);
    check_spoilt(
        |w| {
            sub(w, 0).requires.retain(|&(var, _)| var.index() != 5);
            sub(w, 0).effects[0].1 = None;
        },
        expect!["ok"],
    );
}

#[test]
fn a_lemma_cannot_leave_a_call_open() {
    let program = program("globals g\nproc main\ncall 0 1 f\nproc f\ncall 0 1 f");
    let (goal, proc) = (goal(&mut program.clone(), "main", 1, "1"), program.icfg.nodes[node(&program, "f", 0)].proc);
    let lemma = |moves| SubTrace { proc, requires: vec![], moves, effects: vec![] };
    let enter = Move::Enter { edge: edge(1), picks: Picks::default() };
    let witness = Witness {
        initial: vec![None],
        initial_choices: vec![],
        moves: vec![cross(0, 0)],
        goal_choices: vec![],
        subtraces: [lemma(vec![enter])].into_iter().collect(),
        length: Length::Shortest,
    };
    let mut case = Case { program, goal: Goal { condition: None, ..goal }, witness };
    check(&case, expect!["after 0 moves of sub0: a sub-trace enters a call without coming back"]);
    case.witness.subtraces = [lemma(vec![cross(1, 0)])].into_iter().collect();
    check(&case, expect!["after 0 moves of sub0: sub0 is used before it has been followed"]);
    case.witness.subtraces = [lemma(vec![cross(1, 1)]), lemma(vec![cross(1, 0)])].into_iter().collect();
    check(&case, expect!["after 0 moves of sub0: sub1 is used before it has been followed"]);
}

/// `f` calls itself; its parameter and the caller's local are one slot.
#[test]
fn recursion_keeps_the_callers_locals() {
    let text = "
        globals g
        proc f param p
        step 0 2 ; if !p ; set g = 1
        call 0 1 f ; if p ; set p = !p ; back
        step 1 2 ; if p & g";
    let mut program = program(text);
    let goal = goal(&mut program, "f", 2, "p & g");
    let (proc, p, g) = (program.entry, var(&program, "f.p"), var(&program, "g"));
    let inner = SubTrace { proc, requires: vec![(p, false)], moves: vec![step(0)], effects: vec![(g, Some(true))] };
    let witness = Witness {
        initial: vec![None, Some(true)],
        initial_choices: vec![],
        moves: vec![cross(1, 0), step(2)],
        goal_choices: vec![],
        subtraces: [inner.clone()].into_iter().collect(),
        length: Length::Shortest,
    };
    let mut case = Case { program, goal, witness };
    check(&case, expect!["ok"]);
    // The callee's own parameter at its exit is no value of the caller's.
    let claim = SubTrace { effects: vec![(g, Some(true)), (p, Some(false))], ..inner.clone() };
    case.witness.subtraces = [claim].into_iter().collect();
    check(&case, expect!["ok"]);
    let outer =
        SubTrace { proc, requires: vec![(p, true)], moves: vec![cross(1, 0), step(2)], effects: vec![(g, Some(true))] };
    case.witness.subtraces = [inner.clone(), outer.clone()].into_iter().collect();
    check(&case, expect!["ok"]);
    // What a nested lemma writes is written by the lemma around it.
    case.witness.subtraces = [inner, SubTrace { effects: vec![], ..outer }].into_iter().collect();
    check(&case, expect!["after 2 moves of sub1: v0 is written and is not among the effects"]);
}

#[test]
fn a_run_chooses_the_callees_locals_but_not_its_parameters() {
    let text = "
        globals g
        proc main local a
        call 0 1 f ; set p = a ; such p' = l'
        proc f param p local l
        step 0 1 ; if l";
    let mut program = program(text);
    let goal = goal(&mut program, "main", 1, "?0");
    let [p, l] = ["f.p", "f.l"].map(|name| var(&program, name));
    let proc = program.icfg.nodes[node(&program, "f", 0)].proc;
    let lemma = |requires| SubTrace { proc, requires, moves: vec![step(1)], effects: vec![] };
    let witness = Witness {
        initial: vec![None, Some(true)],
        initial_choices: vec![],
        moves: vec![cross(0, 0)],
        goal_choices: vec![Some(true)],
        subtraces: [lemma(vec![(l, true)])].into_iter().collect(),
        length: Length::PerhapsNotShortest,
    };
    let mut case = Case { program, goal, witness };
    check(&case, expect!["ok"]);
    case.witness.goal_choices = vec![];
    check(&case, expect!["after 1 moves: the goal's condition depends on an open value"]);
    case.witness.goal_choices = vec![Some(true)];
    let with = |values: &[Option<bool>]| {
        vec![Move::Cross {
            edge: edge(0),
            enter: picks(&[], values),
            sub: SubTraceId::from_usize(0),
            leave: Picks::default(),
        }]
    };
    case.witness.moves = with(&[Some(true)]);
    check(&case, expect!["ok"]);
    case.witness.moves = with(&[Some(false)]);
    check(&case, expect!["after 0 moves: the constraint of the way into the call is false"]);
    case.witness.moves = with(&[Some(true), Some(true)]);
    check(&case, expect!["after 0 moves: more values are given than are open"]);
    case.witness.moves = with(&[]);
    case.witness.initial = vec![None, None];
    check(&case, expect!["after 0 moves: the constraint of the way into the call depends on an open value"]);
    case.witness.initial = vec![None, Some(true)];
    case.witness.subtraces = [lemma(vec![(l, true), (p, false)])].into_iter().collect();
    check(&case, expect!["after 0 moves: sub0 requires v2 to be 0 and it is 1"]);
}

/// `main` crosses `outer`, which crosses `inner`; the caller's `g` and the argument are open.
#[test]
fn a_call_gives_away_no_more_than_it_knows() {
    let text = "
        globals g
        proc main local a
        call 0 1 outer
        proc outer local b
        call 0 1 inner ; set p = b ; back ; set g = p
        proc inner param p
        step 0 1 ; set p = p";
    let mut program = program(text);
    let goal = goal(&mut program, "main", 1, "1");
    let [g, b, p] = ["g", "outer.b", "inner.p"].map(|name| var(&program, name));
    let proc = |name| program.icfg.nodes[node(&program, name, 0)].proc;
    let inner = SubTrace { proc: proc("inner"), requires: vec![], moves: vec![step(2)], effects: vec![] };
    let outer = SubTrace { proc: proc("outer"), requires: vec![], moves: vec![cross(1, 0)], effects: vec![(g, None)] };
    let witness = Witness {
        initial: vec![None, None],
        initial_choices: vec![],
        moves: vec![cross(0, 1)],
        goal_choices: vec![],
        subtraces: [inner.clone(), outer.clone()].into_iter().collect(),
        length: Length::Shortest,
    };
    let mut case = Case { program, goal, witness };
    let mut check = |inner: SubTrace, outer: SubTrace, expect: Expect| {
        case.witness.subtraces = [inner, outer].into_iter().collect();
        check(&case, expect);
    };
    check(inner.clone(), outer.clone(), expect!["ok"]);
    // What is written on the way back is written.
    let silent = SubTrace { effects: vec![], ..outer.clone() };
    check(inner.clone(), silent, expect!["after 1 moves of sub1: v0 is written and is not among the effects"]);
    // The callee's parameter at its exit is known only where the lemma says so.
    let knowing = SubTrace { requires: vec![(b, true)], effects: vec![(g, Some(true))], ..outer.clone() };
    check(inner.clone(), knowing.clone(), expect!["after 1 moves of sub1: the effect on v0 is * and not 1"]);
    let telling = SubTrace { requires: vec![(p, true)], effects: vec![(p, Some(true))], ..inner.clone() };
    check(telling.clone(), knowing, expect!["ok"]);
    // An open argument and an open global meet no requirement.
    check(telling, outer.clone(), expect!["after 0 moves of sub1: sub0 requires v3 to be 1 and it is *"]);
    let asking = SubTrace { requires: vec![(g, true)], ..inner };
    check(asking, outer, expect!["after 0 moves of sub1: sub0 requires v0 to be 1 and it is *"]);
}
