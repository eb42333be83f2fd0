//! Automata for people to read.

use crate::language::{lower, options};
use expect_test::{Expect, expect};
use hardbop_base::Budget;
use hardbop_configurations::{Direction, Listing, Naming, Request, ask, read};
use hardbop_icfg::{NodeId, Program, Relation};
use hardbop_pushdown::Evidence;

const PROGRAM: &str = "
decl g;
void main() begin
  decl x;
  x := g;
  f(!x);
  E: skip;
end
void f(a) begin
  if (a) then f(g); else g := T; fi
end
";

fn list(source: &str, set: &str, direction: Direction, listed: usize) -> (Program<Relation>, Listing) {
    let mut program = lower(source);
    let set = read(&mut program, Naming::Procedures, set).unwrap_or_else(|findings| panic!("{findings:?}"));
    let answer = ask(&program, &set, &Request { direction, listed }, &options(Evidence::None), &Budget::unlimited());
    (program, answer.listing.expect("there is no limit"))
}

/// The procedure, and the label or how far into the procedure it is.
fn place(program: &Program<Relation>, node: NodeId) -> String {
    use hardbop_base::Idx;
    let proc = &program.icfg.procs[program.icfg.nodes[node].proc];
    let label = program.marks.labels.iter().find(|(_, at)| *at == node).map(|(label, _)| label.clone());
    format!("{}:{}", proc.name, label.unwrap_or_else(|| (node.index() - proc.nodes.0.index()).to_string()))
}

#[track_caller]
fn check(set: &str, direction: Direction, listed: usize, expect: Expect) {
    let (program, listing) = list(PROGRAM, set, direction, listed);
    expect.assert_eq(&listing.text(&program, &|node| place(&program, node)));
}

#[test]
fn what_can_be_reached_is_listed() {
    check(
        "main f f",
        Direction::Forwards,
        20,
        expect![[r#"
        on top of the stack
          f:0  !g & !old(g) & !a & !old(a)  above 2
          f:2  !g & !old(g) & !a & !old(a)  above 2
          f:3  g & !old(g) & !a & !old(a)  above 2
        pending calls
          2: f:1 calls f, !g & !old(g) & !f.a & a & old(a)  above 3
          3: main:1 calls f, !g & f.a & !x  above 1
        where
          1 is the bottom, below main
          2 is below f, which was entered with g, a
          3 is below f, which was entered with g, a
    "#]],
    );
    check(
        "main f f f",
        Direction::Forwards,
        20,
        expect![[r#"
        no configurations
    "#]],
    );
    check(
        "main where g",
        Direction::Forwards,
        20,
        expect![[r#"
        on top of the stack
          main:0  g  above 1
          main:1  g & x  above 1
          main:E  g  above 1
          main:3  g  above 1
        where
          1 is the bottom, below main
    "#]],
    );
}

#[test]
fn what_can_reach_is_listed() {
    check(
        "@E where !g",
        Direction::Backwards,
        20,
        expect![[r#"
        on top of the stack
          main:E  !g  above 1
          f:3     !g & !after(g)  above 2
        pending calls
          2: main:1 calls f, !g  above 1
          2: f:1 calls f, !g & !after(g)  above 2
        where
          1 is the bottom, below main
          2 is below f, which will return with g
    "#]],
    );
    check(
        "@E where g",
        Direction::Backwards,
        3,
        expect![[r#"
        on top of the stack
          main:0  T  above 1
          main:1  g => x  above 1
          main:E  g  above 1
          … and 4 more
        pending calls
          2: main:1 calls f, g  above 1
          2: f:1 calls f, g & after(g)  above 2
        where
          1 is the bottom, below main
          2 is below f, which will return with g
    "#]],
    );
}

#[test]
fn automata_are_drawn() {
    let (program, listing) = list(PROGRAM, "main f+", Direction::Forwards, 4);
    expect![[r#"
        digraph configurations {
          rankdir=LR;
          top [shape=point];
          q1 [shape=doublecircle, label="1", tooltip="the bottom, below main"];
          q2 [shape=circle, label="2", tooltip="below f, which was entered with g, a"];
          q3 [shape=circle, label="3", tooltip="below f, which was entered with g, a"];
          top -> q2 [label="f:0\n(g <=> old(g)) & (g <=> !a) & (g <=> !old(a))"];
          top -> q3 [label="f:0\n!g & !old(g) & !a & !old(a)"];
          top -> q2 [label="f:1\n!g & !old(g) & a & old(a)"];
          top -> q2 [label="f:2\ng & old(g) & !a & !old(a)"];
          q2 -> q1 [label="main:1\n(g <=> !f.a) & (g <=> x)"];
          q3 -> q2 [label="f:1\n!g & !old(g) & !f.a & a & old(a)"];
          more [shape=plaintext, label="… and 3 more"];
        }
    "#]]
    .assert_eq(&listing.dot(&program, &|node| place(&program, node)));
}
