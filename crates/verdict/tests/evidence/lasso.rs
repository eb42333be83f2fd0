//! Runs without end, right ones and every way to spoil them.

use crate::draft::{node, program};
use expect_test::{Expect, expect};
use hardbop_base::{Idx, IndexVec, Span};
use hardbop_icfg::{EdgeId, EdgeKind, IcfgBuilder, NodeId, Proc, Program, Relation, Transition, VarId};
use hardbop_verdict::{Lasso, Length, Move, Picks, SubTrace, SubTraceId, Witness, replay_lasso};

/// Sets `g`, and then goes round for as long as `h` is false; `f` is called in every round.
const LOOP: &str = "
    globals g h
    proc main
    step 0 1 ; set g = 1
    step 1 2 ; if g & !h ; set h = *
    call 2 1 f ; back
    step 2 3
    proc f
    step 0 1 ; if !h
    step 1 2 ; if g";

struct Case {
    program: Program<Relation>,
    stem: Witness,
    head: NodeId,
    copy: Program<Relation>,
    node_origin: IndexVec<NodeId, NodeId>,
    edge_origin: IndexVec<EdgeId, EdgeId>,
    round: Witness,
}

fn edge(number: usize) -> EdgeId {
    EdgeId::from_usize(number)
}

fn step(number: usize, values: &[Option<bool>]) -> Move {
    Move::Step { edge: edge(number), picks: Picks { choices: vec![], values: values.to_vec() } }
}

fn witness(initial: [Option<bool>; 2], moves: Vec<Move>, subtraces: Vec<SubTrace>) -> Witness {
    Witness {
        initial: initial.to_vec(),
        initial_choices: vec![],
        moves,
        goal_choices: vec![],
        subtraces: subtraces.into_iter().collect(),
        length: Length::Shortest,
    }
}

/// The program of `text` with a copy of its first procedure, which starts in the copy of its second node.
fn copied(text: &str) -> (Program<Relation>, IndexVec<NodeId, NodeId>, IndexVec<EdgeId, EdgeId>) {
    let original = program(text);
    let icfg = &original.icfg;
    let (main, span) = (&icfg.procs[original.entry], Span::new(0, 0));
    let mut builder = IcfgBuilder::resume(icfg.clone());
    let (copy, first) = (icfg.procs.next_id(), builder.next_node());
    let mut node_origin: IndexVec<NodeId, NodeId> = icfg.nodes.ids().collect();
    let mut edge_origin: IndexVec<EdgeId, EdgeId> = icfg.edges.ids().collect();
    let mut result = original.clone();
    for node in icfg.nodes_of(original.entry) {
        builder.node(copy, span);
        node_origin.push(node);
    }
    // The first procedure has the first nodes.
    let copy_of = |node: NodeId| NodeId::from_usize(first.index() + node.index());
    for id in icfg.edges.ids().filter(|&id| icfg.nodes[icfg.edges[id].from].proc == original.entry) {
        let kind = match icfg.edges[id].kind {
            EdgeKind::Step { to } => EdgeKind::Step { to: copy_of(to) },
            EdgeKind::Call { callee, to } => EdgeKind::Call { callee, to: copy_of(to) },
            EdgeKind::Return => EdgeKind::Return,
        };
        builder.edge(copy_of(icfg.edges[id].from), kind);
        edge_origin.push(id);
        result.labels.push(original.labels[id].clone());
    }
    let nodes = (first, builder.next_node());
    let entry = copy_of(node(&original, "main", 1));
    builder.proc(Proc { name: "main".to_owned(), span, entry, exit: copy_of(main.exit), nodes });
    result.locals.push(vec![]);
    result.icfg = builder.finish();
    result.entry = copy;
    result.initial = Transition::SKIP;
    (result, node_origin, edge_origin)
}

fn case() -> Case {
    let program = program(LOOP);
    let (copy, node_origin, edge_origin) = copied(LOOP);
    let [g, h] = [0, 1].map(VarId::from_usize);
    let sub = SubTrace {
        proc: program.icfg.nodes[node(&program, "f", 0)].proc,
        requires: vec![(g, true), (h, false)],
        moves: vec![step(4, &[]), step(5, &[])],
        effects: vec![],
    };
    let cross = Move::Cross {
        edge: edge(10),
        enter: Picks::default(),
        sub: SubTraceId::from_usize(0),
        leave: Picks::default(),
    };
    Case {
        head: node(&program, "main", 1),
        stem: witness([None, Some(false)], vec![step(0, &[])], vec![]),
        // The edges of the text, two returns, and then the copied ones.
        round: witness([Some(true), Some(false)], vec![step(9, &[Some(false)]), cross], vec![sub]),
        program,
        copy,
        node_origin,
        edge_origin,
    }
}

#[track_caller]
fn check(spoil: impl Fn(&mut Case), expect: Expect) {
    let mut case = case();
    spoil(&mut case);
    let Case { program, stem, head, copy, node_origin, edge_origin, round } = &case;
    let answer = replay_lasso(&Lasso { program, stem, head: *head, copy, node_origin, edge_origin, round });
    expect.assert_eq(&answer.map_or_else(|error| error.to_string(), |_| "ok".to_owned()));
}

#[test]
fn a_right_lasso_is_followed() {
    check(|_| {}, expect!["ok"]);
}

#[test]
fn a_part_that_is_no_run_is_rejected() {
    check(
        |it| it.stem.moves.clear(),
        expect!["the stem is no run: after 0 moves: the run ends at n0, which is not the goal"],
    );
    check(
        |it| it.stem.moves.push(step(1, &[Some(false)])),
        expect!["the stem is no run: after 2 moves: the run ends at n2, which is not the goal"],
    );
    check(
        |it| it.stem.initial.clear(),
        expect!["the stem is no run: after 0 moves: the first state has 0 values for 2 variables"],
    );
    check(|it| it.round.moves.clear(), expect!["the round is empty"]);
    check(|it| drop(it.round.moves.remove(0)), expect!["the round is no run: after 0 moves: e10 does not start at n8"]);
    check(
        |it| it.round.moves[0] = step(1, &[Some(false)]),
        expect!["the round is no run: after 0 moves: e1 does not start at n8"],
    );
    check(
        |it| it.round.initial[0] = None,
        expect!["the round is no run: after 0 moves: the guard of the step depends on an open value"],
    );
    check(
        |it| drop(it.round.subtraces[SubTraceId::from_usize(0)].moves.pop()),
        expect!["the round is no run: after 1 moves of sub0: the sub-trace ends at n5, which is not the exit"],
    );
}

#[test]
fn a_round_must_lead_back() {
    check(|it| drop(it.round.moves.pop()), expect!["the round ends at n9, not where it began"]);
    check(|it| it.round.moves[1] = step(11, &[]), expect!["the round ends at n10, not where it began"]);
    check(|it| it.head = node(&it.program, "main", 2), expect!["the copy is one of another program"]);
}

#[test]
fn a_round_must_restore_what_it_rests_on() {
    check(
        |it| {
            it.round.moves.push(it.round.moves[0].clone());
            it.round.moves.push(it.round.moves[1].clone());
        },
        expect!["ok"],
    );
    check(|it| it.stem.initial[1] = None, expect!["the round rests on v1, which it does not restore"]);
    check(|it| it.stem.initial[1] = Some(true), expect!["the round rests on v1, which it does not restore"]);
}

#[test]
fn what_the_round_rests_on_may_not_change() {
    let spoil = |value: Option<bool>| {
        move |it: &mut Case| {
            // Without the callee's tests nothing in the round minds what `h` is, but the next round does.
            let free = Relation::Step(Transition::SKIP);
            for program in [&mut it.program, &mut it.copy] {
                program.labels[edge(4)] = free.clone();
                program.labels[edge(5)] = free.clone();
            }
            it.round.subtraces[SubTraceId::from_usize(0)].requires.clear();
            it.round.moves[0] = step(9, &[value]);
        }
    };
    check(spoil(Some(false)), expect!["ok"]);
    check(spoil(Some(true)), expect!["the round rests on v1, which it does not restore"]);
    check(spoil(None), expect!["the round rests on v1, which it does not restore"]);
}

#[test]
fn a_copy_must_do_what_the_original_does() {
    check(
        |it| it.copy.labels[edge(9)] = Relation::Step(Transition::SKIP),
        expect!["e9 does not do what it stands for"],
    );
    check(|it| it.edge_origin[edge(9)] = edge(0), expect!["e9 does not do what it stands for"]);
    check(
        |it| it.copy.icfg.edges[edge(11)].kind = EdgeKind::Step { to: node(&it.program, "f", 1) },
        expect!["e11 does not do what it stands for"],
    );
    check(
        |it| it.copy.icfg.edges[edge(9)].from = node(&it.program, "main", 0),
        expect!["e9 does not do what it stands for"],
    );
    check(
        |it| {
            let (f, g) = (node(&it.program, "f", 0), node(&it.program, "f", 1));
            let proc = it.copy.icfg.nodes[f].proc;
            it.copy.icfg.procs[proc].exit = if it.copy.icfg.procs[proc].exit == g { f } else { g };
        },
        expect!["the copy is one of another program"],
    );
    check(
        |it| {
            let copy = it.copy.entry;
            it.copy.locals[copy].push(VarId::from_usize(0));
        },
        expect!["the copy is one of another program"],
    );
    let other = LOOP.replace("if g & !h", "if h & !g");
    check(|it| it.copy.exprs = copied(&other).0.exprs, expect!["the copy is one of another program"]);
    check(
        |it| {
            let copy = it.copy.entry;
            let next = it.copy.icfg.procs[copy].entry.index() + 1;
            it.copy.icfg.procs[copy].entry = NodeId::from_usize(next);
        },
        expect!["the copy is one of another program"],
    );
}
