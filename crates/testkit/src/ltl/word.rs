//! Infinite words that come to repeat themselves, and what it means that a formula holds on one.

use proptest::collection::vec;
use proptest::prelude::Strategy;

use crate::ltl::{Binary, Formula, Letter, Unary};

/// The word `stem cycle cycle …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// What comes once.
    pub stem: Vec<Letter>,
    /// What is repeated; not empty.
    pub cycle: Vec<Letter>,
}

/// Lassos over so many propositions, with a stem and a cycle of at most `longest` letters each.
pub fn lassos(propositions: usize, longest: usize) -> impl Strategy<Value = Lasso> {
    let letter = move || (0..1_u32 << propositions).prop_map(Letter);
    (vec(letter(), 0..=longest), vec(letter(), 1..=longest)).prop_map(|(stem, cycle)| Lasso { stem, cycle })
}

impl Lasso {
    /// The letters of stem and cycle.
    pub fn letters(&self) -> Vec<Letter> {
        [&self.stem[..], &self.cycle].concat()
    }

    /// The position after `position`, which from the last leads back to the first of the cycle.
    pub fn after(&self, position: usize) -> usize {
        if position + 1 < self.stem.len() + self.cycle.len() { position + 1 } else { self.stem.len() }
    }
}

impl Formula {
    /// Whether the formula holds on `word`.
    pub fn holds_on(&self, word: &Lasso) -> bool {
        self.truth(word)[0]
    }

    /// Whether it holds at each position of stem and cycle.
    fn truth(&self, word: &Lasso) -> Vec<bool> {
        let letters = word.letters();
        let positions = 0..letters.len();
        match self {
            Formula::Constant(value) => vec![*value; letters.len()],
            Formula::Holds(proposition) => letters.iter().map(|letter| letter.has(*proposition)).collect(),
            Formula::Unary(operator, operand) => {
                let operand = operand.truth(word);
                match operator {
                    Unary::Not => operand.iter().map(|value| !value).collect(),
                    Unary::Next => positions.map(|position| operand[word.after(position)]).collect(),
                    Unary::Finally => fixpoint(word, false, |position, next| operand[position] || next),
                    Unary::Globally => fixpoint(word, true, |position, next| operand[position] && next),
                }
            }
            Formula::Binary(operator, operands) => {
                let [left, right] = [operands[0].truth(word), operands[1].truth(word)];
                let pointwise = |apply: fn(bool, bool) -> bool| {
                    left.iter().zip(&right).map(|(left, right)| apply(*left, *right)).collect()
                };
                let until = |position: usize, next: bool| right[position] || left[position] && next;
                let release = |position: usize, next: bool| right[position] && (left[position] || next);
                match operator {
                    Binary::And => pointwise(|left, right| left && right),
                    Binary::Or => pointwise(|left, right| left || right),
                    Binary::Implies => pointwise(|left, right| !left || right),
                    Binary::Iff => pointwise(|left, right| left == right),
                    Binary::Until => fixpoint(word, false, until),
                    Binary::WeakUntil => fixpoint(word, true, until),
                    Binary::StrongRelease => fixpoint(word, false, release),
                    Binary::Release => fixpoint(word, true, release),
                }
            }
        }
    }
}

/// The solution of `value(i) = step(i, value(i + 1))` that is reached when all values start as `start`: the least one
/// from `false`, the greatest from `true`.
fn fixpoint(word: &Lasso, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut values = vec![start; word.stem.len() + word.cycle.len()];
    loop {
        let next: Vec<bool> = (0..values.len()).map(|position| step(position, values[word.after(position)])).collect();
        if next == values {
            return values;
        }
        values = next;
    }
}
