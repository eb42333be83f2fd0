//! Random models.
//!
//! What is drawn is a [`Sketch`]: a tree in which variables, callees and labels are arbitrary numbers. [`settle`] turns
//! it into a model. A sketch without one of its parts is still a sketch, so proptest can drop procedures, variables and
//! statements one by one and need not draw the rest anew.
//!
//! The weights keep most statements reachable and a good part not; `examples/statistics.rs` says how many.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
use proptest::{option, prop_oneof};

use crate::model::{Block, Expr, Head, Model, Operator, ProcedureId, Statement, Variable};
use crate::settle::{NameForm, ProcedureSketch, Sketch, settle};

/// How large programs get; each number is the most there can be.
///
/// The oracle enumerates: `globals + parameters + locals` should be at most eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Global variables.
    pub globals: usize,
    /// Procedures, with `main`, which is always there.
    pub procedures: usize,
    /// Parameters of a procedure.
    pub parameters: usize,
    /// Results of a procedure.
    pub results: usize,
    /// Local variables of a procedure.
    pub locals: usize,
    /// Statements of a procedure's body, those inside of others not counted; of a branch, half as many.
    pub statements: usize,
    /// How deep statements are inside of each other.
    pub nesting: usize,
}

impl Size {
    /// For checks that enumerate stacks.
    pub const TINY: Size =
        Size { globals: 1, procedures: 3, parameters: 1, results: 1, locals: 1, statements: 4, nesting: 1 };
    /// For most tests.
    pub const SMALL: Size =
        Size { globals: 2, procedures: 4, parameters: 2, results: 2, locals: 2, statements: 6, nesting: 2 };
    /// All the oracle can take in no time.
    pub const LARGE: Size =
        Size { globals: 3, procedures: 5, parameters: 2, results: 2, locals: 3, statements: 9, nesting: 2 };
}

/// Boolean programs of at most the given size.
pub fn programs(size: Size) -> impl Strategy<Value = Model> {
    // `main` calls more than others do, or much would be unreachable for want of a call.
    let others = vec(procedure(size, 1), 0..size.procedures);
    let sketch = (names(size.globals), procedure(size, 3), others, any::<u64>());
    sketch.prop_map(|(globals, main, others, spelling)| {
        let procedures = std::iter::once(main).chain(others).collect();
        settle(Sketch { globals, procedures, spelling })
    })
}

/// A procedure with up to `calls` more calls at its end.
fn procedure(size: Size, calls: usize) -> impl Strategy<Value = ProcedureSketch> {
    let signature = (names(size.parameters), 0..=size.results, names(size.locals));
    let enforce = option::weighted(0.08, loose_condition());
    let abortif = option::weighted(0.04, expression(2, leaf()));
    let ending = option::weighted(0.5, vec(value(), 0..=2));
    let parts = (block(size.statements, size.nesting), vec(call(), 0..=calls), ending);
    let body = parts.prop_map(|(mut body, calls, ending)| {
        body.extend(calls);
        body.extend(ending.map(Statement::Return));
        body
    });
    // Rarely, so that an empty body is tried but most programs do something.
    let body = prop_oneof![1 => Just(Block::new()), 60 => body];
    (signature, enforce, abortif, body).prop_map(|((parameters, results, locals), enforce, abortif, body)| {
        ProcedureSketch { parameters, results, locals, enforce, abortif, body }
    })
}

/// Names for up to `most` variables, seldom for none.
fn names(most: usize) -> impl Strategy<Value = Vec<NameForm>> {
    let least = most.min(1);
    prop_oneof![1 => Just(Vec::new()), 5 => vec(name_form(), least..=most)]
}

fn name_form() -> impl Strategy<Value = NameForm> {
    prop_oneof![
        12 => Just(NameForm::Plain),
        2 => any::<u8>().prop_map(NameForm::Braces),
        1 => Just(NameForm::Dollar),
        4 => number().prop_map(NameForm::Shadow),
    ]
}

/// A sequence of at least one statement.
fn block(most: usize, nesting: usize) -> BoxedStrategy<Block> {
    vec(statement(most, nesting), 1..=most.max(1)).boxed()
}

fn statement(most: usize, nesting: usize) -> BoxedStrategy<Statement> {
    let simple = prop_oneof![
        3 => Just(Statement::Skip),
        26 => assignment(),
        2 => vec(variable(), 1..=2).prop_map(Statement::Dead),
        1 => vec(value(), 1..=2).prop_map(Statement::Print),
        3 => loose_condition().prop_map(Statement::Assume),
        6 => loose_condition().prop_map(Statement::Assert),
        3 => constraint().prop_map(Statement::Constrain),
        20 => call(),
        2 => vec(number().prop_map(Head), 1..=3).prop_map(Statement::Goto),
        1 => vec(value(), 0..=2).prop_map(Statement::Return),
    ];
    if nesting == 0 {
        return simple.boxed();
    }
    let inner = block(most.div_ceil(2), nesting - 1);
    let arm = (condition(), inner.clone());
    let arms = prop_oneof![4 => vec(arm.clone(), 1), 2 => vec(arm.clone(), 2), 1 => vec(arm, 3)];
    let branch = (arms, option::of(inner.clone())).prop_map(|(arms, otherwise)| Statement::If { arms, otherwise });
    let repeat = (condition(), inner).prop_map(|(condition, body)| Statement::While { condition, body });
    prop_oneof![60 => simple, 16 => branch, 8 => repeat].boxed()
}

fn assignment() -> impl Strategy<Value = Statement> {
    let constrain = option::weighted(0.08, constraint());
    (vec((variable(), value()), 1..=3), constrain).prop_map(|(pairs, constrain)| {
        let (targets, values) = pairs.into_iter().unzip();
        Statement::Assign { targets, values, constrain }
    })
}

fn call() -> impl Strategy<Value = Statement> {
    let target = option::weighted(0.85, variable());
    (number(), vec(value(), 2), vec(target, 2)).prop_map(|(callee, arguments, targets)| Statement::Call {
        callee: ProcedureId(callee),
        arguments,
        targets,
    })
}

/// An expression in a list, the only place for `schoose`.
fn value() -> impl Strategy<Value = Expr> {
    let choice = [expression(1, leaf()), expression(1, leaf())];
    prop_oneof![
        3 => any::<bool>().prop_map(Expr::Constant),
        2 => Just(Expr::Star),
        8 => expression(2, leaf()),
        1 => choice.prop_map(|choice| Expr::Schoose(Box::new(choice))),
    ]
}

/// The condition of a test.
fn condition() -> impl Strategy<Value = Expr> + Clone {
    prop_oneof![2 => Just(Expr::Star), 5 => expression(2, leaf())]
}

/// A condition that seldom excludes every state.
fn loose_condition() -> impl Strategy<Value = Expr> {
    let two = [expression(1, leaf()), expression(1, leaf())];
    prop_oneof![
        1 => Just(Expr::Star),
        8 => two.prop_map(|two| Expr::Binary(Operator::Or, Box::new(two))),
        2 => expression(2, leaf()),
    ]
}

fn constraint() -> BoxedStrategy<Expr> {
    let primed = prop_oneof![2 => leaf(), 3 => variable().prop_map(Expr::Primed)].boxed();
    let [left, right] = [expression(1, primed.clone()), expression(1, primed)];
    let either = [left.clone(), right].prop_map(|two| Expr::Binary(Operator::Or, Box::new(two)));
    prop_oneof![1 => left, 2 => either].boxed()
}

fn leaf() -> BoxedStrategy<Expr> {
    prop_oneof![
        3 => any::<bool>().prop_map(Expr::Constant),
        40 => variable().prop_map(Expr::Read),
        1 => Just(Expr::Star),
    ]
    .boxed()
}

fn expression(depth: usize, leaf: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    if depth == 0 {
        return leaf;
    }
    let inner = expression(depth - 1, leaf.clone());
    let operator = proptest::sample::select(vec![
        Operator::And,
        Operator::Or,
        Operator::Xor,
        Operator::Equal,
        Operator::Unequal,
        Operator::Implies,
        Operator::Iff,
    ]);
    let not = inner.clone().prop_map(|inner| Expr::Not(Box::new(inner)));
    let binary = (operator, [inner.clone(), inner.clone()]);
    let ternary = [inner.clone(), inner.clone(), inner];
    prop_oneof![
        10 => leaf,
        5 => not,
        6 => binary.prop_map(|(operator, operands)| Expr::Binary(operator, Box::new(operands))),
        1 => ternary.prop_map(|operands| Expr::Ternary(Box::new(operands))),
    ]
    .boxed()
}

fn variable() -> impl Strategy<Value = Variable> + Clone {
    number().prop_map(Variable)
}

/// A number to be taken modulo what there is to choose from.
fn number() -> impl Strategy<Value = usize> + Clone {
    any::<u8>().prop_map(usize::from)
}
