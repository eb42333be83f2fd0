//! Expressions that share parts and choices: a choice goes one way wherever it stands, and so does what is made of it.
//! Random steps against all ways that their choices can go.

use hardbop_base::{Budget, Idx, SourceMap};
use hardbop_icfg::{ChoiceId, Expr, ExprId, Exprs, Goal, GoalKind, Program, Relation, Value, VarId};
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch, check};
use hardbop_verdict::{Verdict, replay};
use proptest::prelude::*;
use std::collections::BTreeSet;

const OPTIONS: Options = Options {
    order: Switch::On,
    class: Switch::On,
    post: Switch::On,
    rough: Switch::On,
    unroll: Switch::On,
    slice: Switch::On,
    mod_ref: Switch::On,
    liveness: Switch::On,
    chains: Switch::On,
    frontiers: Switch::On,
    concrete: Switch::Off,
    insensitive: Switch::Off,
    evidence: Evidence::Traces,
    first_attempt: FIRST_ATTEMPT,
    trace_attempt: TRACE_ATTEMPT,
};

/// The variables that a step reads, and the two that it writes.
const READ: usize = 3;
const CHOICES: usize = 5;
const VARS: usize = READ + 2;

/// An operator and the places of its parts among what comes before: variables, choices, other operators.
type Part = (u8, [usize; 3]);

fn operator((operator, parts): Part, known: &[ExprId]) -> Expr {
    let [a, b, c] = parts.map(|part| known[part % known.len()]);
    match operator % 6 {
        0 => Expr::Not(a),
        1 => Expr::And(a, b),
        2 => Expr::Or(a, b),
        3 => Expr::Iff(a, b),
        4 => Expr::Implies(a, b),
        _ => Expr::Ite(a, b, c),
    }
}

fn lower() -> Program<Relation> {
    let text = "decl a, b, c, x, y; void main() begin x, y := a, b; L: skip; end";
    let mut sources = SourceMap::default();
    let file = sources.add("shared.bp", text.to_owned()).expect("the text is small");
    let (ast, errors) = hardbop_lang_bp::parse(&sources.file(file).text, sources.file(file).start);
    assert!(errors.is_empty(), "{errors:?}");
    hardbop_lang_bp::lower(&ast, "main").unwrap_or_else(|errors| panic!("{errors:?}")).program
}

fn value(exprs: &Exprs, id: ExprId, vars: usize, choices: usize) -> bool {
    let of = |id| value(exprs, id, vars, choices);
    match exprs.get(id) {
        Expr::Const(value) => value,
        Expr::Var(var) => vars >> var.index() & 1 == 1,
        Expr::Choice(choice) => choices >> choice.index() & 1 == 1,
        Expr::Not(a) => !of(a),
        Expr::And(a, b) => of(a) && of(b),
        Expr::Or(a, b) => of(a) || of(b),
        Expr::Iff(a, b) => of(a) == of(b),
        Expr::Implies(a, b) => !of(a) || of(b),
        Expr::Ite(a, b, c) => of(if of(a) { b } else { c }),
        other => unreachable!("{other:?} is not made here"),
    }
}

/// A step `x, y := …`, taken where a guard holds, against every way that its choices can go.
fn agree(parts: &[Part]) -> Result<(), TestCaseError> {
    let mut program = lower();
    let edge = program.labels.iter_enumerated().find_map(|(edge, label)| match label {
        Relation::Step(step) if step.updates.len() == 2 => Some(edge),
        _ => None,
    });
    let edge = edge.expect("there is an assignment");
    let mut known: Vec<ExprId> = (0..READ).map(|var| program.exprs.add(Expr::Var(VarId::from_usize(var)))).collect();
    known.extend((0..CHOICES).map(|choice| program.exprs.add(Expr::Choice(ChoiceId::from_usize(choice)))));
    for &part in parts {
        let expr = operator(part, &known);
        known.push(program.exprs.add(expr));
    }
    let [.., guard, first, second] = known[..] else { unreachable!("there are variables and choices") };
    let Relation::Step(step) = &mut program.labels[edge] else { unreachable!("it is a step") };
    (step.guard, step.choices) = (Some(guard), CHOICES as u32);
    step.updates.iter_mut().zip([first, second]).for_each(|(update, value)| update.value = Value::Of(value));

    let mut possible = BTreeSet::new();
    for (vars, choices) in (0..1 << READ).flat_map(|vars| (0..1 << CHOICES).map(move |choices| (vars, choices))) {
        let of = |id| value(&program.exprs, id, vars, choices);
        if of(guard) {
            possible.insert(vars | usize::from(of(first)) << READ | usize::from(of(second)) << (READ + 1));
        }
    }
    let (_, node) = *program.marks.labels.iter().find(|(name, _)| name == "L").expect("the label is there");
    let goals: Vec<Goal> = (0..1 << VARS).map(|state| goal(&mut program, node, state)).collect();
    let report = check(&program, &goals, &OPTIONS, &Budget::unlimited());
    for (state, (goal, verdict)) in goals.iter().zip(&report.verdicts).enumerate() {
        match verdict {
            Verdict::Violated(Some(witness)) => {
                prop_assert!(possible.contains(&state), "{}: no choices lead there", goal.name);
                prop_assert!(replay(&program, goal, witness).is_ok());
            }
            Verdict::Holds => prop_assert!(!possible.contains(&state), "{}: some choices lead there", goal.name),
            other => prop_assert!(false, "{}: {other:?}", goal.name),
        }
    }
    Ok(())
}

/// That the variables are as the bits of `state` at `node`.
fn goal(program: &mut Program<Relation>, node: hardbop_icfg::NodeId, state: usize) -> Goal {
    let mut all = program.exprs.add(Expr::Const(true));
    for var in 0..VARS {
        let mut literal = program.exprs.add(Expr::Var(VarId::from_usize(var)));
        if state >> var & 1 == 0 {
            literal = program.exprs.add(Expr::Not(literal));
        }
        all = program.exprs.add(Expr::And(all, literal));
    }
    let span = program.icfg.nodes[node].span;
    Goal { node, condition: Some(all), name: format!("{state:05b}"), kind: GoalKind::Assertion, span }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shared_goes_one_way(parts in prop::collection::vec(any::<(u8, [usize; 3])>(), 3..14)) {
        agree(&parts)?;
    }
}
