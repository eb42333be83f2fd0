//! Random formulas.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
use proptest::prop_oneof;

use crate::ltl::{Binary, Formula, Proposition, Unary};

/// Whether formulas may count steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// With `X`.
    Counted,
    /// Without: such a formula means the same if some positions are repeated.
    Uncounted,
}

/// Formulas over propositions `0..propositions`, with operators at most `depth` levels deep.
///
/// # Requires
/// `propositions > 0`.
pub fn formulas(propositions: usize, depth: usize, steps: Steps) -> BoxedStrategy<Formula> {
    let leaf = prop_oneof![
        20 => (0..propositions).prop_map(|number| Formula::Holds(Proposition(number))),
        1 => any::<bool>().prop_map(Formula::Constant),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = formulas(propositions, depth - 1, steps);
    let unary = (unary_operator(steps), inner.clone());
    let binary = (binary_operator(), inner.clone(), inner);
    prop_oneof![
        3 => leaf,
        8 => unary.prop_map(|(operator, operand)| Formula::unary(operator, operand)),
        8 => binary.prop_map(|(operator, left, right)| Formula::binary(operator, left, right)),
    ]
    .boxed()
}

fn unary_operator(steps: Steps) -> impl Strategy<Value = Unary> {
    let next = if steps == Steps::Counted { Unary::Next } else { Unary::Not };
    prop_oneof![3 => Just(Unary::Not), 2 => Just(next), 4 => Just(Unary::Finally), 4 => Just(Unary::Globally)]
}

fn binary_operator() -> impl Strategy<Value = Binary> {
    prop_oneof![
        3 => Just(Binary::And),
        3 => Just(Binary::Or),
        2 => Just(Binary::Implies),
        1 => Just(Binary::Iff),
        3 => Just(Binary::Until),
        2 => Just(Binary::WeakUntil),
        2 => Just(Binary::Release),
        2 => Just(Binary::StrongRelease),
    ]
}
