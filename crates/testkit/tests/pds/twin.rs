//! The rules of a symbolic system by another way: each value has a name, as in the text, and all are tried.

use std::collections::{BTreeMap, BTreeSet};

use hardbop_testkit::pds::oracle::{ExplicitState, ExplicitSymbol};
use hardbop_testkit::pds::{
    Access, Arithmetic, Comparison, Condition, Connective, Kind, Quantifier, Rule, Scope, System, Term, Time, Variable,
};

/// What a rule leads to.
pub type Target = (ExplicitState, Vec<ExplicitSymbol>);

/// What all rules lead to from a head.
pub fn targets(system: &System, state: &ExplicitState, symbol: &ExplicitSymbol) -> BTreeSet<Target> {
    let mut targets = BTreeSet::new();
    for rule in system.rules.iter().filter(|rule| rule.state == state.0 && rule.symbol == symbol.0) {
        let mut known = BTreeMap::new();
        known.extend(names(&system.globals, "").into_iter().map(|(name, _)| name).zip(state.1.iter().copied()));
        known
            .extend(names(system.locals(symbol.0), "").into_iter().map(|(name, _)| name).zip(symbol.1.iter().copied()));
        assert_eq!(known.len(), state.1.len() + symbol.1.len(), "every value has a name");
        collect(system, rule, known, &mut targets);
    }
    targets
}

fn collect(system: &System, rule: &Rule, known: BTreeMap<String, u64>, targets: &mut BTreeSet<Target>) {
    let globals = names(&system.globals, "'");
    let top = rule.push.first().map_or(Vec::new(), |symbol| names(system.locals(*symbol), "'"));
    let saved = rule.push.get(1).map_or(Vec::new(), |symbol| names(system.locals(*symbol), "''"));
    let open = [&globals[..], &top, &saved].concat();
    // An odometer: the digits are the values of what is open.
    let mut digits = vec![0; open.len()];
    loop {
        let mut values = known.clone();
        values.extend(open.iter().map(|(name, _)| name.clone()).zip(digits.iter().copied()));
        if rule.condition.as_ref().is_none_or(|condition| is_true(condition, &values, &[])) {
            let part = |names: &[(String, u64)]| names.iter().map(|(name, _)| values[name]).collect::<Vec<u64>>();
            let stack = rule.push.iter().copied().zip([part(&top), part(&saved)]).collect();
            targets.insert(((rule.next, part(&globals)), stack));
        }
        let Some(place) = (0..open.len()).find(|place| digits[*place] + 1 < open[*place].1) else { return };
        digits[place] += 1;
        digits[..place].fill(0);
    }
}

/// The names of the values of some variables, and how many values each can have.
fn names(variables: &[Variable], primes: &str) -> Vec<(String, u64)> {
    let mut names = Vec::new();
    for Variable { name, kind, range } in variables {
        let count = match kind {
            Kind::Bool => 2,
            Kind::Int(bits) => 2_u64.pow(*bits as u32),
        };
        match range {
            None => names.push((format!("{name}{primes}"), count)),
            Some((low, high)) => {
                names.extend((*low..=*high).map(|index| (format!("{name}{primes}[{index}]"), count)));
            }
        }
    }
    names
}

fn is_true(condition: &Condition, values: &BTreeMap<String, u64>, bound: &[u64]) -> bool {
    let sub = |condition| is_true(condition, values, bound);
    match condition {
        Condition::Is(access) => read(access, values, bound).is_some_and(|value| value != 0),
        Condition::Compare(comparison, terms) => {
            let [Some(left), Some(right)] = [0, 1].map(|place| number(&terms[place], values, bound)) else {
                return false;
            };
            let order = left.cmp(&right);
            match comparison {
                Comparison::Equal => order.is_eq(),
                Comparison::Unequal => order.is_ne(),
                Comparison::Less => order.is_lt(),
                Comparison::AtMost => order.is_le(),
                Comparison::Greater => order.is_gt(),
                Comparison::AtLeast => order.is_ge(),
            }
        }
        Condition::Not(operand) => !sub(operand),
        Condition::Join(Connective::And, operands) => operands.iter().all(sub),
        Condition::Join(Connective::Or, operands) => operands.iter().any(sub),
        Condition::Join(Connective::Xor, operands) => sub(&operands[0]) ^ sub(&operands[1]),
        Condition::Join(Connective::Iff, operands) => !(sub(&operands[0]) ^ sub(&operands[1])),
        Condition::Join(Connective::Implies, operands) => sub(&operands[0]) <= sub(&operands[1]),
        Condition::Quantified(quantifier, range, body) => {
            let mut truths = Vec::new();
            let mut value = range.low;
            while value <= range.high {
                truths.push(is_true(body, values, &[bound, &[value]].concat()));
                value += 1;
            }
            match quantifier {
                Quantifier::All => !truths.contains(&false),
                Quantifier::Exists => truths.contains(&true),
            }
        }
    }
}

/// Signed, so that what is below zero can be seen to be.
fn number(term: &Term, values: &BTreeMap<String, u64>, bound: &[u64]) -> Option<i128> {
    let number = match term {
        Term::Number(number) => i128::from(*number),
        Term::Read(access) => i128::from(read(access, values, bound)?),
        Term::Bound(level) => i128::from(bound[*level]),
        Term::Join(operator, operands) => {
            let (left, right) = (number(&operands[0], values, bound)?, number(&operands[1], values, bound)?);
            match operator {
                Arithmetic::Add => left + right,
                Arithmetic::Subtract => left - right,
                Arithmetic::Multiply => left * right,
                Arithmetic::Divide if right == 0 => return None,
                Arithmetic::Divide => left / right,
                Arithmetic::ShiftLeft => (0..right).fold(left, |number, _| number * 2),
                Arithmetic::ShiftRight => (0..right).fold(left, |number, _| number / 2),
            }
        }
    };
    (number >= 0).then_some(number)
}

/// Goes by name: an element that is not there has none. Whose local it is, the primes say.
fn read(access: &Access, values: &BTreeMap<String, u64>, bound: &[u64]) -> Option<u64> {
    let prefix = match access.scope {
        Scope::Global => "g",
        Scope::Local => "x",
    };
    let primes = match access.time {
        Time::Now => "",
        Time::Next => "'",
        Time::Saved => "''",
    };
    let name = format!("{prefix}{}{primes}", access.variable.0);
    let name = match &access.index {
        None => name,
        Some(index) => format!("{name}[{}]", number(index, values, bound)?),
    };
    values.get(&name).copied()
}
