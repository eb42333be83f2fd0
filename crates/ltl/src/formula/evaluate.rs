//! What a formula says of one infinite word, read off position by position.
//!
//! This is the definition of the logic and nothing more: it checks what came of automata, and shares no code with them.

use super::{Binary, Formula, FormulaId, Node, Unary};
use hardbop_base::IndexVec;

impl Formula {
    /// Whether the formula holds of the word with positions `0..length`, in which `back` follows the last. `is_true`
    /// tells whether the proposition of this text is true at a position.
    ///
    /// # Requires
    /// `back < length`.
    pub fn holds_on(&self, length: usize, back: usize, is_true: &dyn Fn(&str, usize) -> bool) -> bool {
        assert!(back < length, "the word goes on inside itself");
        let mut values: IndexVec<FormulaId, Vec<bool>> = IndexVec::new();
        for node in self.nodes() {
            let all = |of: &dyn Fn(usize) -> bool| (0..length).map(of).collect::<Vec<bool>>();
            let value = match node {
                Node::Constant(value) => vec![*value; length],
                Node::Prop(prop) => all(&|at| is_true(&self.props()[*prop].text, at)),
                Node::And(parts) => all(&|at| parts.iter().all(|&part| values[part][at])),
                Node::Or(parts) => all(&|at| parts.iter().any(|&part| values[part][at])),
                Node::Unary(operator, inner) => unary(*operator, &values[*inner], back),
                Node::Binary(operator, left, right) => binary(*operator, &values[*left], &values[*right], back),
            };
            values.push(value);
        }
        values[self.root()][0]
    }
}

fn unary(operator: Unary, inner: &[bool], back: usize) -> Vec<bool> {
    match operator {
        Unary::Not => inner.iter().map(|value| !value).collect(),
        Unary::Next => (0..inner.len()).map(|at| inner[next(at, inner.len(), back)]).collect(),
        Unary::Eventually => solve(inner.len(), back, false, |at, later| inner[at] || later),
        Unary::Always => solve(inner.len(), back, true, |at, later| inner[at] && later),
    }
}

fn binary(operator: Binary, left: &[bool], right: &[bool], back: usize) -> Vec<bool> {
    let each = |of: fn(bool, bool) -> bool| left.iter().zip(right).map(|(&left, &right)| of(left, right)).collect();
    let until = |at: usize, later: bool| right[at] || left[at] && later;
    let release = |at: usize, later: bool| right[at] && (left[at] || later);
    match operator {
        Binary::Until => solve(left.len(), back, false, until),
        Binary::WeakUntil => solve(left.len(), back, true, until),
        Binary::StrongRelease => solve(left.len(), back, false, release),
        Binary::Release => solve(left.len(), back, true, release),
        Binary::Implies => each(|left, right| !left || right),
        Binary::Iff => each(|left, right| left == right),
        Binary::Xor => each(|left, right| left != right),
    }
}

fn next(at: usize, length: usize, back: usize) -> usize {
    if at + 1 == length { back } else { at + 1 }
}

/// The least (from `false`) or greatest (from `true`) solution of `value(at) = step(at, value(next))`. The second time
/// round, the value behind the last position is the one that it keeps.
fn solve(length: usize, back: usize, first: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut values = vec![first; length];
    for _ in 0..2 {
        for at in (0..length).rev() {
            values[at] = step(at, values[next(at, length, back)]);
        }
    }
    values
}
