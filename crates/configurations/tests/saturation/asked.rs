//! Questions about small programs.

use crate::language::{lower, options, runner};
use expect_test::{Expect, expect};
use hardbop_base::Budget;
use hardbop_configurations::{Direction, Naming, Request, ask, read};
use hardbop_icfg::{Goal, GoalKind, NodeId};
use hardbop_pushdown::{Evidence, check};
use hardbop_testkit::{Size, programs};
use hardbop_verdict::{Length, Verdict, replay};
use proptest::prelude::*;

const LOCK: &str = "
decl locked;
void main() begin
  locked := F;
  acquire();
  work(T);
  release();
end
void acquire() begin assume(!locked); locked := T; end
void release() begin locked := F; end
void work(again) begin
  if (again) then W: work(*); else log(); fi
end
void log() begin L: skip; end
";

/// `yes` with the length of the run, or `no`, both ways.
#[track_caller]
fn answer(source: &str, set: &str, expect: Expect) {
    let mut program = lower(source);
    let set = read(&mut program, Naming::Procedures, set).unwrap_or_else(|findings| panic!("{findings:?}"));
    let answers = [Direction::Forwards, Direction::Backwards].map(|direction| {
        let request = Request { direction, listed: 0 };
        let answer = ask(&program, &set, &request, &options(Evidence::Traces), &Budget::unlimited());
        match answer.verdict {
            Verdict::Holds => "no".to_owned(),
            Verdict::Violated(Some(witness)) => {
                let goal = answer.goal.expect("a run leads somewhere");
                replay(&program, &goal, &witness).unwrap_or_else(|error| panic!("{error:?}"));
                format!("yes, after {} moves", witness.moves.len())
            }
            other => format!("{other:?}"),
        }
    });
    assert_eq!(answers[0], answers[1]);
    expect.assert_eq(&answers[0]);
}

#[test]
fn stacks_and_conditions_together_decide() {
    answer(LOCK, "main work* log where locked", expect!["yes, after 7 moves"]);
    answer(LOCK, "main work* log where !locked", expect!["no"]);
    answer(LOCK, "main work log", expect!["no"]);
    answer(LOCK, "main work work log", expect!["yes, after 7 moves"]);
    answer(LOCK, "main work+ @W work @L", expect!["yes, after 9 moves"]);
    answer(LOCK, "_* acquire _* log", expect!["no"]);
    answer(LOCK, "_* work where again = 1 && locked", expect!["yes, after 3 moves"]);
    answer(LOCK, "main where !locked && at_exit(main)", expect!["yes, after 4 moves"]);
    answer(LOCK, "main acquire where locked", expect!["yes, after 4 moves"]);
    answer(LOCK, "work", expect!["no"]);
    answer(LOCK, "main main", expect!["no"]);
}

#[test]
fn the_depth_of_recursion_can_be_counted() {
    let source = "decl g; void main() begin g := F; f(); end void f() begin if (!g) then g := T; f(); fi F: skip; end";
    answer(source, "main f f @F", expect!["no"]);
    answer(source, "main f @F", expect!["yes, after 6 moves"]);
    answer(source, "main f f f", expect!["no"]);
    answer(source, "main f f where !g", expect!["no"]);
}

#[test]
fn runs_are_as_short_as_those_to_goals() {
    let outcome = runner(150).run(&programs(Size::SMALL), |model| {
        let mut program = lower(&model.render().text);
        let budget = Budget::unlimited();
        for proc in program.icfg.procs.ids() {
            let text = format!("_* \"{}\"", program.icfg.procs[proc].name);
            let set = read(&mut program, Naming::Procedures, &text).expect("it is a procedure");
            let goal = |node: NodeId| Goal {
                node,
                condition: None,
                name: String::new(),
                kind: GoalKind::Statement,
                span: program.icfg.nodes[node].span,
            };
            let goals: Vec<Goal> = program.icfg.nodes_of(proc).map(goal).collect();
            let report = check(&program, &goals, &options(Evidence::Traces), &budget);
            let lengths = report.verdicts.iter().filter_map(|verdict| match verdict {
                Verdict::Violated(Some(witness)) => Some(witness.moves.len()),
                _ => None,
            });
            let request = Request { direction: Direction::Forwards, listed: 0 };
            let answer = ask(&program, &set, &request, &options(Evidence::Traces), &budget);
            let found = match answer.verdict {
                Verdict::Violated(Some(witness)) => {
                    prop_assert_eq!(witness.length, Length::Shortest);
                    Some(witness.moves.len())
                }
                _ => None,
            };
            prop_assert_eq!(found, lengths.min());
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_limit_is_no_answer() {
    let mut program = lower(LOCK);
    let set = read(&mut program, Naming::Procedures, "_* log").unwrap_or_else(|findings| panic!("{findings:?}"));
    let request = Request { direction: Direction::Forwards, listed: 10 };
    let budget = Budget::unlimited().with_allowance(100);
    let answer = ask(&program, &set, &request, &options(Evidence::Traces), &budget);
    assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{:?}", answer.verdict);
    assert_eq!(answer.listing, None);
}
