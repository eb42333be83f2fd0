//! `⟦e⟧ ⊆ {F, T}`, the values an expression can have in a state.
//!
//! The occurrences of `*` are independent and an operand is evaluated once, so the set of an expression follows from
//! the sets of its operands.

use crate::model::{Expr, Operator, Valuation, Variable};

/// A non-empty set of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) can_be_false: bool,
    pub(crate) can_be_true: bool,
}

impl Values {
    pub(crate) const EITHER: Values = Values { can_be_false: true, can_be_true: true };
    const NONE: Values = Values { can_be_false: false, can_be_true: false };

    fn just(value: bool) -> Self {
        Values { can_be_false: !value, can_be_true: value }
    }

    pub(crate) fn union(self, other: Values) -> Values {
        Values {
            can_be_false: self.can_be_false || other.can_be_false,
            can_be_true: self.can_be_true || other.can_be_true,
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = bool> {
        [(false, self.can_be_false), (true, self.can_be_true)]
            .into_iter()
            .filter_map(|(value, can)| can.then_some(value))
    }
}

/// The values of `expr` in `state`.
///
/// # Requires
/// Nothing in `expr` is primed.
pub(crate) fn values(expr: &Expr, state: Valuation) -> Values {
    values_between(expr, state, state)
}

/// The values of a constraint: plain variables are read in `before`, primed ones in `after`.
pub(crate) fn values_between(expr: &Expr, before: Valuation, after: Valuation) -> Values {
    let operand = |expr| values_between(expr, before, after);
    match expr {
        Expr::Constant(value) => Values::just(*value),
        Expr::Read(variable) => Values::just(before.value(*variable)),
        Expr::Primed(variable) => Values::just(after.value(*variable)),
        Expr::Star => Values::EITHER,
        Expr::Not(inner) => {
            let inner = operand(inner);
            Values { can_be_false: inner.can_be_true, can_be_true: inner.can_be_false }
        }
        Expr::Binary(operator, operands) => {
            let [left, right] = [operand(&operands[0]), operand(&operands[1])];
            let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
            pairs.fold(Values::NONE, |all, (left, right)| all.union(Values::just(apply(*operator, left, right))))
        }
        Expr::Ternary(operands) => {
            let [then, otherwise] = [operand(&operands[1]), operand(&operands[2])];
            let pick = |condition| if condition { then } else { otherwise };
            operand(&operands[0]).iter().fold(Values::NONE, |all, condition| all.union(pick(condition)))
        }
        Expr::Schoose(operands) => {
            let negative = operand(&operands[1]);
            let unless = Values { can_be_false: true, can_be_true: negative.can_be_false };
            let pick = |positive| if positive { Values::just(true) } else { unless };
            operand(&operands[0]).iter().fold(Values::NONE, |all, positive| all.union(pick(positive)))
        }
    }
}

/// Every state that differs from `state` in the given variables only, each with one of its values.
///
/// A variable given twice has the values of both: either may win.
pub(crate) fn assign(state: Valuation, choices: impl IntoIterator<Item = (Variable, Values)>) -> Vec<Valuation> {
    let mut merged: Vec<(Variable, Values)> = Vec::new();
    for (variable, values) in choices {
        match merged.iter_mut().find(|(other, _)| *other == variable) {
            Some((_, all)) => *all = all.union(values),
            None => merged.push((variable, values)),
        }
    }
    merged.into_iter().fold(vec![state], |states, (variable, values)| {
        states.into_iter().flat_map(|state| values.iter().map(move |value| state.with(variable, value))).collect()
    })
}

/// Adds the variables primed in `expr` to `primed`.
pub(crate) fn collect_primed(expr: &Expr, primed: &mut Vec<Variable>) {
    match expr {
        Expr::Primed(variable) => primed.push(*variable),
        Expr::Constant(_) | Expr::Read(_) | Expr::Star => {}
        Expr::Not(inner) => collect_primed(inner, primed),
        Expr::Binary(_, operands) | Expr::Schoose(operands) => {
            operands.iter().for_each(|operand| collect_primed(operand, primed));
        }
        Expr::Ternary(operands) => operands.iter().for_each(|operand| collect_primed(operand, primed)),
    }
}

fn apply(operator: Operator, left: bool, right: bool) -> bool {
    match operator {
        Operator::And => left && right,
        Operator::Or => left || right,
        Operator::Xor | Operator::Unequal => left != right,
        Operator::Equal | Operator::Iff => left == right,
        Operator::Implies => !left || right,
    }
}
