//! Programs over some of their facts: what they start with, and that what the goals cannot see is not missed.

#[path = "support/boolean.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod boolean;

use boolean::{OPTIONS, cartesian, goals, lower};
use hardbop_base::{Budget, Idx, IndexVec};
use hardbop_dataflow::project::{Narrowed, narrow, project};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{ChoiceId, Expr, Goal, Program, Relation, VarId};
use hardbop_pushdown::{Options, Switch, check};
use hardbop_testkit::{Labels, Size, programs};
use hardbop_verdict::Verdict;
use proptest::collection::vec;
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_assume, prop_oneof, proptest,
};

/// How the facts of a conjunct belong together.
#[derive(Clone, Copy, Debug)]
enum Tie {
    Or,
    Iff,
    Implies,
}

/// Facts by number, each as it is or negated.
type Conjunct = (Tie, Vec<(u8, bool)>);

fn conjuncts() -> impl Strategy<Value = Vec<Conjunct>> {
    let tie = prop_oneof![Just(Tie::Or), Just(Tie::Iff), Just(Tie::Implies)];
    vec((tie, vec((any::<u8>(), any::<bool>()), 1..4)), 0..5)
}

/// Lets `program` start where all of `conjuncts` hold.
fn start(program: &mut Program<Relation>, conjuncts: &[Conjunct]) {
    let scope: Vec<VarId> = program.scope(program.entry).collect();
    if scope.is_empty() {
        return;
    }
    let exprs = &mut program.exprs;
    let mut constraint = None;
    for (tie, facts) in conjuncts {
        let mut whole = None;
        for &(fact, value) in facts {
            let mut part = exprs.add(Expr::Next(scope[usize::from(fact) % scope.len()]));
            if !value {
                part = exprs.add(Expr::Not(part));
            }
            let joined = |whole| match tie {
                Tie::Or => Expr::Or(whole, part),
                Tie::Iff => Expr::Iff(whole, part),
                Tie::Implies => Expr::Implies(whole, part),
            };
            whole = Some(whole.map_or(part, |whole| exprs.add(joined(whole))));
        }
        let whole = whole.expect("a conjunct has facts");
        constraint = Some(constraint.map_or(whole, |others| exprs.add(Expr::And(others, whole))));
    }
    program.initial.constraint = constraint;
}

/// The values that the facts in `seen` can have together in a first state.
fn first_states(program: &Program<Relation>, seen: &[VarId]) -> Vec<bool> {
    let scope: Vec<VarId> = program.scope(program.entry).collect();
    let hidden: Vec<Expr> = scope.iter().filter(|var| !seen.contains(var)).map(|&var| Expr::Next(var)).collect();
    let choices = (0..program.initial.choices).map(|choice| Expr::Choice(ChoiceId::from_usize(choice as usize)));
    let hidden: Vec<Expr> = hidden.into_iter().chain(choices).collect();
    let seen: Vec<Expr> = seen.iter().map(|&var| Expr::Next(var)).collect();
    let bit =
        |leaves: &[Expr], values: u64, leaf| leaves.iter().position(|own| *own == leaf).map(|at| values >> at & 1);
    let holds = |own: u64, others: u64| {
        let Some(constraint) = program.initial.constraint else { return true };
        let value =
            |leaf| bit(&seen, own, leaf).or_else(|| bit(&hidden, others, leaf)).map(|bit| Possible::only(bit == 1));
        program.exprs.possible(constraint, &|leaf| value(leaf).expect("it is a fact or a choice")).can_be_true
    };
    (0..1 << seen.len()).map(|own| (0..1 << hidden.len()).any(|others| holds(own, others))).collect()
}

/// How many choices stand in the first state of a program over the facts whose names are in `kept`.
#[track_caller]
fn check_choices(conjuncts: &[Conjunct], kept: &[&str], expected: u32) {
    let mut program = lower("decl a, b, c, d; void main() begin L: skip; end");
    start(&mut program, conjuncts);
    let kept: IndexVec<VarId, bool> = program.vars.iter().map(|var| kept.contains(&var.name.as_str())).collect();
    let (projected, _) = project(&program, &[], &kept, &cartesian(&program));
    assert_eq!(projected.initial.choices, expected);
}

#[test]
fn what_is_said_of_dropped_facts_alone_goes() {
    let apart = [(Tie::Or, vec![(0, true), (1, true)]), (Tie::Or, vec![(2, true), (3, true)])];
    check_choices(&apart, &["a", "b"], 0);
    check_choices(&apart, &[], 0);
    check_choices(&apart, &["a"], 1);
}

#[test]
fn what_ties_dropped_facts_to_kept_ones_stays() {
    let chain = [(Tie::Iff, vec![(0, true), (1, true)]), (Tie::Iff, vec![(1, true), (2, true)])];
    check_choices(&chain, &["a"], 2);
    check_choices(&chain, &["a", "b"], 1);
    check_choices(&chain, &["d"], 0);
}

/// The facts that a program speaks of.
fn facts(program: &Program<Relation>) -> Vec<VarId> {
    let labels = program.labels.iter().flat_map(|label| match label {
        Relation::Step(step) => vec![step],
        Relation::Call { enter, leave } => vec![enter, leave],
        Relation::Return => Vec::new(),
    });
    let mut found = Vec::new();
    for transition in labels.chain([&program.initial]) {
        found.extend(transition.updates.iter().map(|update| update.target));
        transition.for_each_leaf(&program.exprs, |leaf| match leaf {
            Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) => found.push(var),
            _ => {}
        });
    }
    found
}

fn are_met(program: &Program<Relation>, goals: &[Goal], slice: Switch) -> Vec<bool> {
    let found = check(program, goals, &Options { slice, ..OPTIONS }, &Budget::unlimited());
    found.verdicts.iter().map(|verdict| matches!(verdict, Verdict::Violated(_))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_projection_starts_where_the_program_does(
        model in programs(Size::SMALL), said in conjuncts(), kept in vec(any::<bool>(), 16)
    ) {
        let mut program = lower(&model.render_with(Labels::Every).text);
        start(&mut program, &said);
        let is_kept: IndexVec<VarId, bool> = program.vars.ids().map(|var| kept[var.index() % kept.len()]).collect();
        let (projected, _) = project(&program, &[], &is_kept, &cartesian(&program));
        let seen: Vec<VarId> = program.scope(program.entry).filter(|&var| is_kept[var]).collect();
        let (exact, found) = (first_states(&program, &seen), first_states(&projected, &seen));
        // Where nothing can be true at first, the projection may start all the same.
        prop_assume!(exact.contains(&true));
        prop_assert_eq!(exact, found);
    }

    #[test]
    fn what_the_goals_cannot_see_is_not_missed(model in programs(Size::SMALL), said in conjuncts(), one in any::<usize>()) {
        let mut program = lower(&model.render_with(Labels::Every).text);
        start(&mut program, &said);
        prop_assume!(first_states(&program, &[]) == [true]);
        let all = goals(&program);
        prop_assume!(!all.is_empty());
        let one = vec![all[one % all.len()].clone()];
        for goals in [all, one] {
            let exact = are_met(&program, &goals, Switch::Off);
            let Narrowed { program, goals, is_relevant } = narrow(&program, &goals, &cartesian(&program));
            prop_assert_eq!(&exact, &are_met(&program, &goals, Switch::Off));
            prop_assert_eq!(&exact, &are_met(&program, &goals, Switch::On));
            prop_assert!(facts(&program).iter().all(|&var| is_relevant[var]));
        }
    }
}
