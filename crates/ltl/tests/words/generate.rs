//! Random formulas and words; both shrink.

use crate::lasso::Lasso;
use proptest::collection::vec;
use proptest::prelude::*;

/// The text of a formula over `props` propositions.
pub fn formula(props: u32, depth: u32, size: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        8 => (0..props).prop_map(|prop| format!("p{prop}")),
        2 => (0..props).prop_map(|prop| format!("!p{prop}")),
        1 => Just("true".to_owned()),
        1 => Just("false".to_owned()),
    ];
    leaf.prop_recursive(depth, size, 2, |inner| {
        let unary = prop::sample::select(vec!["!", "X", "F", "G", "GF", "FG"]);
        let binary = prop::sample::select(vec!["&&", "||", "&&", "||", "->", "<->", "xor", "U", "W", "R", "M"]);
        prop_oneof![
            2 => (unary, inner.clone()).prop_map(|(operator, inner)| format!("{operator}({inner})")),
            3 => (inner.clone(), binary, inner).prop_map(|(left, operator, right)| format!("({left}) {operator} ({right})")),
        ]
    })
}

/// A word over `props` propositions.
pub fn word(props: u32) -> impl Strategy<Value = Lasso> {
    let letters = vec(0..1_u32 << props, 1..7);
    (letters, any::<prop::sample::Index>())
        .prop_map(|(letters, back)| Lasso { back: back.index(letters.len()), letters })
}
