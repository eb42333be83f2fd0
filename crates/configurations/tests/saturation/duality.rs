//! `A ∩ pre*(B)` is empty iff `post*(A) ∩ B` is.

use crate::language::{lower, options, runner};
use crate::sets::sets;
use hardbop_base::Budget;
use hardbop_configurations::{Direction, Naming, Request, Set, Space, ask, read};
use hardbop_icfg::EdgeKind;
use hardbop_pushdown::{Evidence, Switch};
use hardbop_testkit::{Size, programs};
use hardbop_verdict::{Move, Verdict, replay};
use proptest::prelude::*;
use std::cell::Cell;

#[test]
fn forwards_and_backwards_agree_on_random_sets() {
    for (size, cases) in [(Size::TINY, 700), (Size::SMALL, 300)] {
        let outcome = runner(cases).run(&(programs(size), sets(), sets()), |(model, one, other)| {
            let mut program = lower(&model.render().text);
            let [one, other] = [one, other].map(|it| {
                let text = it.text(&program);
                read(&mut program, Naming::Procedures, &text).unwrap_or_else(|found| panic!("{text}: {found:?}"))
            });
            let mut space = Space::new(&program, Switch::On, &Budget::unlimited());
            let initial = space.initial().expect("there is no limit");
            let one = space.configurations(&one).expect("there is no limit");
            let other = space.configurations(&other).expect("there is no limit");
            let reaching = space.pre_star(other).expect("there is no limit");
            for start in [initial, one] {
                let reached = space.post_star(start).expect("there is no limit");
                let forwards = space.are_disjoint(reached, other).expect("there is no limit");
                let backwards = space.are_disjoint(reaching, start).expect("there is no limit");
                prop_assert_eq!(forwards, backwards);
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn answers_come_with_a_run_that_replays() {
    let yes = Cell::new(0);
    for (size, cases) in [(Size::TINY, 300), (Size::SMALL, 200)] {
        let outcome = runner(cases).run(&(programs(size), sets()), |(model, set)| {
            let mut program = lower(&model.render().text);
            let text = set.text(&program);
            let set = read(&mut program, Naming::Procedures, &text).unwrap_or_else(|found| panic!("{text}: {found:?}"));
            let mut verdicts = Vec::new();
            for direction in [Direction::Forwards, Direction::Backwards] {
                let request = Request { direction, listed: 3 };
                let answer = ask(&program, &set, &request, &options(Evidence::Traces), &Budget::unlimited());
                match (&answer.verdict, &answer.goal) {
                    (Verdict::Holds, None) => verdicts.push(false),
                    (Verdict::Violated(Some(witness)), Some(goal)) => {
                        let replayed = replay(&program, goal, witness);
                        prop_assert!(replayed.is_ok(), "{:?}", replayed.err());
                        prop_assert!(is_inside(&program, &set, &witness.moves), "the run ends outside of the set");
                        verdicts.push(true);
                    }
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            prop_assert_eq!(verdicts[0], verdicts[1]);
            yes.set(yes.get() + usize::from(verdicts[0]));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
    let yes = yes.get();
    assert!((50..450).contains(&yes), "{yes} sets of 500 can be reached, so one of the two answers is hardly tested");
}

/// Whether the stack that the moves leave is one of the set's.
fn is_inside(program: &hardbop_icfg::Program<hardbop_icfg::Relation>, set: &Set, moves: &[Move]) -> bool {
    let icfg = &program.icfg;
    let mut node = icfg.procs[program.entry].entry;
    let mut entered = Vec::new();
    for step in moves {
        let edge = step.edge();
        node = match (step, icfg.edges[edge].kind) {
            (Move::Enter { .. }, EdgeKind::Call { callee, .. }) => {
                entered.push(edge);
                icfg.procs[callee].entry
            }
            _ => icfg.edges[edge].target().expect("a run in the outermost activation does not return"),
        };
    }
    set.has_stack(&entered, node)
}
