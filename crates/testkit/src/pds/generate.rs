//! Random symbolic systems.
//!
//! As for programs, what is drawn is a [`Sketch`] in which variables, symbols and states are arbitrary numbers, so that
//! proptest can drop parts of it. Most variables are kept by most rules, or nothing would be related to anything; some
//! are left open, some get a value, some a constraint.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
use proptest::{option, prop_oneof};

use crate::ltl::Formula;
use crate::ltl::generate::{Steps, formulas};
use crate::pds::settle::{BlockSketch, RuleSketch, Sketch, Wish, settle};
use crate::pds::{
    Access, Arithmetic, Comparison, Condition, Connective, Kind, Proposition, Quantifier, Range, Scope, System, Term,
    Time, VariableId,
};

/// How large systems get; each number is the most there can be.
///
/// The oracle enumerates: a rule has up to `2^(2 * global_bits + 3 * local_bits)` instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Control states.
    pub states: usize,
    /// Stack symbols, at least two.
    pub symbols: usize,
    /// Bits of the globals.
    pub global_bits: usize,
    /// Bits of the locals of a symbol.
    pub local_bits: usize,
    /// Rules.
    pub rules: usize,
}

impl Size {
    /// For checks that enumerate stacks.
    pub const TINY: Size = Size { states: 2, symbols: 3, global_bits: 2, local_bits: 1, rules: 8 };
    /// For most tests.
    pub const SMALL: Size = Size { states: 2, symbols: 4, global_bits: 3, local_bits: 2, rules: 10 };
    /// All the oracle can take in no time.
    pub const LARGE: Size = Size { states: 3, symbols: 6, global_bits: 3, local_bits: 3, rules: 14 };
}

/// Symbolic systems of at most the given size.
pub fn systems(size: Size) -> impl Strategy<Value = System> {
    let variables = || vec((kind(), option::weighted(0.2, 0..=1_usize)), 0..=2);
    let block = (vec(number(), 1..=size.symbols), variables());
    let block = block.prop_map(|(symbols, variables)| BlockSketch { symbols, variables });
    let initial = (Just(0), option::weighted(0.4, condition(1)), option::weighted(0.4, condition(1)));
    let declared = (1..=size.states, 2..=size.symbols, variables(), vec(block, 0..=2));
    let rules = vec(rule(), size.rules.div_ceil(2)..=size.rules);
    (declared, initial, rules, any::<u64>()).prop_map(move |(declared, initial, rules, spelling)| {
        let (states, symbols, globals, blocks) = declared;
        settle(size, Sketch { states, symbols, globals, blocks, initial, rules, spelling })
    })
}

/// A system and what to ask about it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The system.
    pub system: System,
    /// The formula.
    pub formula: Formula,
    /// Its propositions.
    pub propositions: Vec<Proposition>,
}

impl Question {
    /// The formula as text.
    pub fn render(&self) -> String {
        let texts: Vec<String> = self.propositions.iter().map(|one| one.render(&self.system)).collect();
        self.formula.render(&texts, self.system.spelling)
    }
}

/// Systems with formulas about them, with operators at most `depth` levels deep.
pub fn questions(size: Size, depth: usize) -> impl Strategy<Value = Question> {
    (systems(size), formulas(3, depth, Steps::Counted), vec(number(), 3)).prop_map(|(system, formula, numbers)| {
        let all = system.propositions();
        let propositions = numbers.into_iter().map(|number| all[number % all.len()]).collect();
        Question { system, formula, propositions }
    })
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![3 => Just(Kind::Bool), 1 => Just(Kind::Int(1)), 3 => Just(Kind::Int(2))]
}

fn rule() -> impl Strategy<Value = RuleSketch> {
    let push = (prop_oneof![2 => Just(0), 5 => Just(1), 4 => Just(2_usize)], [number(), number()]);
    let push = push.prop_map(|(count, symbols)| symbols[..count].to_vec());
    // Mostly the same state: with all of them alike few rules would fit together.
    let state = || prop_oneof![2 => Just(0), 1 => number()];
    let from = (state(), number(), state());
    let guard = option::weighted(0.25, condition(1));
    let constraint = option::weighted(0.15, condition(2));
    // Seldom without a condition: everything would be open.
    let is_bare = prop_oneof![12 => Just(false), 1 => Just(true)];
    (from, push, vec(wish(), 4), guard, constraint, is_bare).prop_map(
        |((state, symbol, next), push, wishes, guard, constraint, is_bare)| RuleSketch {
            state,
            symbol,
            next,
            push,
            wishes,
            guard,
            constraint,
            is_bare,
        },
    )
}

fn wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        8 => Just(Wish::Keep),
        5 => (term(2), condition(1)).prop_map(|(term, condition)| Wish::Assign(term, condition)),
        2 => (comparison(), term(1), condition(1))
            .prop_map(|(comparison, term, condition)| Wish::Constrain(comparison, term, condition)),
        2 => Just(Wish::Open),
    ]
}

fn condition(depth: usize) -> BoxedStrategy<Condition> {
    let compare = (comparison(), term(1), term(1))
        .prop_map(|(comparison, left, right)| Condition::compare(comparison, left, right));
    let leaf = prop_oneof![3 => access().prop_map(Condition::Is), 4 => compare];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = condition(depth - 1);
    let join = (connective(), inner.clone(), inner.clone());
    let quantifier = prop_oneof![Just(Quantifier::All), Just(Quantifier::Exists)];
    let range = (0..3_u64, 0..4_u64).prop_map(|(low, high)| Range { low, high });
    prop_oneof![
        6 => leaf,
        3 => inner.clone().prop_map(|operand| Condition::Not(Box::new(operand))),
        6 => join.prop_map(|(connective, left, right)| Condition::join(connective, left, right)),
        2 => (quantifier, range, inner)
            .prop_map(|(quantifier, range, body)| Condition::Quantified(quantifier, range, Box::new(body))),
    ]
    .boxed()
}

fn term(depth: usize) -> BoxedStrategy<Term> {
    let leaf = prop_oneof![
        3 => (0..4_u64).prop_map(Term::Number),
        6 => access().prop_map(Term::Read),
        1 => (0..2_usize).prop_map(Term::Bound),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = term(depth - 1);
    let join = (arithmetic(), inner.clone(), inner);
    prop_oneof![
        5 => leaf,
        3 => join.prop_map(|(operator, left, right)| Term::Join(operator, Box::new([left, right]))),
    ]
    .boxed()
}

/// A variable to be found; its scope and time are those of what is found.
fn access() -> impl Strategy<Value = Access> {
    let index = prop_oneof![
        3 => (0..3_u64).prop_map(Term::Number),
        3 => number().prop_map(|number| Term::Read(unsettled(number, None))),
        3 => (0..2_usize).prop_map(Term::Bound),
    ];
    (number(), index).prop_map(|(number, index)| unsettled(number, Some(Box::new(index))))
}

fn unsettled(number: usize, index: Option<Box<Term>>) -> Access {
    Access { scope: Scope::Global, variable: VariableId(number), time: Time::Now, index }
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop_oneof![
        3 => Just(Comparison::Equal),
        2 => Just(Comparison::Unequal),
        1 => Just(Comparison::Less),
        2 => Just(Comparison::AtMost),
        1 => Just(Comparison::Greater),
        2 => Just(Comparison::AtLeast),
    ]
}

fn connective() -> impl Strategy<Value = Connective> {
    prop_oneof![
        3 => Just(Connective::And),
        4 => Just(Connective::Or),
        1 => Just(Connective::Xor),
        1 => Just(Connective::Iff),
        1 => Just(Connective::Implies),
    ]
}

fn arithmetic() -> impl Strategy<Value = Arithmetic> {
    prop_oneof![
        4 => Just(Arithmetic::Add),
        3 => Just(Arithmetic::Subtract),
        1 => Just(Arithmetic::Multiply),
        1 => Just(Arithmetic::Divide),
        1 => Just(Arithmetic::ShiftLeft),
        1 => Just(Arithmetic::ShiftRight),
    ]
}

/// A number to be taken modulo what there is to choose from.
fn number() -> impl Strategy<Value = usize> + Clone {
    any::<u8>().prop_map(usize::from)
}
