//! Random rules, as text and with a meaning of their own: straight from the definition, by trying all values.

use std::fmt::{self, Display};

/// A stream of pseudo-random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// A declared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: &'static str,
    /// None for a truth value.
    pub width: Option<usize>,
    /// The first and the last index of an array.
    pub range: Option<(u64, u64)>,
}

impl Variable {
    pub fn elements(&self) -> usize {
        self.range.map_or(1, |(low, high)| (high - low + 1) as usize)
    }

    pub fn bits(&self) -> usize {
        self.elements() * self.width.unwrap_or(1)
    }
}

const fn truth(name: &'static str) -> Variable {
    Variable { name, width: None, range: None }
}

const fn number(name: &'static str, width: usize) -> Variable {
    Variable { name, width: Some(width), range: None }
}

pub const GLOBALS: &[Variable] =
    &[truth("g"), number("n", 2), Variable { name: "b", width: Some(1), range: Some((1, 2)) }];

/// The locals of each symbol.
pub fn locals(symbol: &str) -> &'static [Variable] {
    match symbol {
        "a" | "b" => const { &[number("x", 2), truth("f")] },
        "c" => const { &[number("y", 1), Variable { name: "h", width: None, range: Some((0, 1)) }] },
        "e" => const { &[number("p", 2), truth("t")] },
        _ => &[],
    }
}

pub const DECLARATIONS: &str = "\
global bool g; int n(2), b[1,2](1);
local P (a, b) int x(2); bool f;
local Q (c) int y(1); bool h[2];
local R (e) int p(2); bool t;
";

/// Values of variables, by name; elements of arrays one after the other.
pub type Values = Vec<(&'static str, Vec<u64>)>;

/// All values that `variables` can have together.
pub fn all_values(variables: &[Variable]) -> Vec<Values> {
    let bits: usize = variables.iter().map(Variable::bits).sum();
    (0..1_u64 << bits)
        .map(|mut number| {
            let values = variables.iter().map(|variable| {
                let width = variable.width.unwrap_or(1);
                let elements = (0..variable.elements()).map(|_| {
                    let value = number & ((1 << width) - 1);
                    number >>= width;
                    value
                });
                (variable.name, elements.collect())
            });
            values.collect()
        })
        .collect()
}

/// A rule's right-hand side, and which states it can speak of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub left: &'static str,
    pub right: &'static [&'static str],
}

pub const SHAPES: &[Shape] = &[
    Shape { left: "a", right: &["b"] },
    Shape { left: "a", right: &["c"] },
    Shape { left: "a", right: &[] },
    Shape { left: "a", right: &["e", "b"] },
    Shape { left: "a", right: &["e", "c"] },
    Shape { left: "a", right: &["a", "b"] },
    Shape { left: "a", right: &["b", "c"] },
];

#[derive(Clone, Debug)]
pub enum Term {
    Number(u64),
    Bound(&'static str),
    Variable { variable: Variable, primes: usize, index: Option<Box<Term>> },
    Binary(&'static str, Box<Term>, Box<Term>),
}

#[derive(Clone, Debug)]
pub enum Formula {
    Constant(bool),
    Variable(Term),
    Not(Box<Formula>),
    Binary(&'static str, Box<Formula>, Box<Formula>),
    Compare(&'static str, Term, Term),
    Quantified { sign: &'static str, name: &'static str, low: u64, high: u64, body: Box<Formula> },
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Bound(name) => write!(f, "{name}"),
            Self::Variable { variable, primes, index } => {
                write!(f, "{}{}", variable.name, "'".repeat(*primes))?;
                index.as_ref().map_or(Ok(()), |index| write!(f, "[{index}]"))
            }
            Self::Binary(op, left, right) => write!(f, "({left} {op} {right})"),
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Variable(term) => write!(f, "{term}"),
            Self::Not(inner) => write!(f, "!{inner}"),
            Self::Binary(op, left, right) => write!(f, "({left} {op} {right})"),
            Self::Compare(op, left, right) => write!(f, "({left} {op} {right})"),
            Self::Quantified { sign, name, low, high, body } => write!(f, "{sign} {name} ({low},{high}) {body}"),
        }
    }
}

/// The three states that a rule relates, each with globals and locals.
pub struct States<'a> {
    /// By the number of primes.
    pub globals: [&'a Values; 2],
    pub locals: [&'a Values; 3],
}

impl Term {
    /// The value, if there is one.
    pub fn value(&self, states: &States<'_>, bound: &mut Vec<(&'static str, u64)>) -> Option<u64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Bound(name) => bound.iter().rev().find(|(other, _)| other == name).map(|&(_, value)| value),
            Self::Variable { variable, primes, index } => {
                let globals: &Values = states.globals.get(*primes).copied().unwrap_or(states.locals[2]);
                let mut all = states.locals[*primes].iter().chain(globals);
                let (_, values) = all.find(|(name, _)| *name == variable.name).expect("the variable exists");
                let place = match (index, variable.range) {
                    (Some(index), Some((low, _))) => index.value(states, bound)?.checked_sub(low)?,
                    _ => 0,
                };
                values.get(place as usize).copied()
            }
            Self::Binary(op, left, right) => {
                let (left, right) = (left.value(states, bound)?, right.value(states, bound)?);
                match *op {
                    "+" => Some(left + right),
                    "-" => left.checked_sub(right),
                    "*" => Some(left * right),
                    "/" => left.checked_div(right),
                    "<<" => Some(left << right),
                    _ => Some(left >> right),
                }
            }
        }
    }
}

impl Formula {
    pub fn is_true(&self, states: &States<'_>, bound: &mut Vec<(&'static str, u64)>) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Variable(term) => term.value(states, bound) == Some(1),
            Self::Not(inner) => !inner.is_true(states, bound),
            Self::Binary(op, left, right) => {
                let (left, right) = (left.is_true(states, bound), right.is_true(states, bound));
                match *op {
                    "&" => left & right,
                    "|" => left | right,
                    "^" => left ^ right,
                    "->" => !left | right,
                    _ => left == right,
                }
            }
            Self::Compare(op, left, right) => {
                let (Some(left), Some(right)) = (left.value(states, bound), right.value(states, bound)) else {
                    return false;
                };
                match *op {
                    "=" => left == right,
                    "!=" => left != right,
                    "<" => left < right,
                    "<=" => left <= right,
                    ">" => left > right,
                    _ => left >= right,
                }
            }
            Self::Quantified { sign, name, low, high, body } => {
                let mut each = (*low..=*high).map(|value| {
                    bound.push((name, value));
                    let is_true = body.is_true(states, bound);
                    bound.pop();
                    is_true
                });
                if *sign == "A" { each.all(|it| it) } else { each.any(|it| it) }
            }
        }
    }
}

/// Makes the formulas of one rule.
pub struct Maker<'a> {
    pub random: &'a mut Random,
    pub shape: Shape,
}

/// Which variables a term may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Before,
    Everywhere,
}

impl Maker<'_> {
    /// A conjunction of what rules are usually made of, and of anything else.
    pub fn relation(&mut self) -> Formula {
        let mut relation = self.conjunct();
        for _ in 0..self.random.below(6) {
            relation = both(relation, self.conjunct());
        }
        // Most rules keep most variables.
        if self.random.below(2) == 0 {
            for target in self.targets() {
                if self.random.below(8) > 0 && self.sources().contains(&(target.0, 0)) {
                    relation = both(relation, keep(target));
                }
            }
        }
        relation
    }

    fn conjunct(&mut self) -> Formula {
        match self.random.below(10) {
            0..4 => self.equation(),
            4 => self.conditional(),
            5 => self.copy_all(),
            6 => self.formula(2, Reach::Before, &[]),
            _ => self.formula(2, Reach::Everywhere, &[]),
        }
    }

    /// The variables after the rule, with their primes.
    fn targets(&self) -> Vec<(Variable, usize)> {
        let locals = self.shape.right.iter().enumerate();
        let locals = locals.flat_map(|(place, symbol)| locals_of(symbol).map(move |variable| (variable, place + 1)));
        GLOBALS.iter().map(|&variable| (variable, 1)).chain(locals).collect()
    }

    fn sources(&self) -> Vec<(Variable, usize)> {
        let locals = locals_of(self.shape.left).map(|variable| (variable, 0));
        GLOBALS.iter().map(|&variable| (variable, 0)).chain(locals).collect()
    }

    fn reference(&mut self, (variable, primes): (Variable, usize), bound: &[&'static str]) -> Term {
        let index = variable.range.map(|_| Box::new(self.index(bound)));
        Term::Variable { variable, primes, index }
    }

    fn index(&mut self, bound: &[&'static str]) -> Term {
        match self.random.below(4) {
            0 => Term::Number(self.random.below(4) as u64),
            1 if !bound.is_empty() => Term::Bound(bound[self.random.below(bound.len())]),
            2 => self.term(1, Reach::Everywhere, bound),
            _ => self.term(1, Reach::Before, bound),
        }
    }

    /// `x' = e` in one of its forms.
    fn equation(&mut self) -> Formula {
        let targets = self.targets();
        let target = *self.random.pick(&targets);
        let left = self.reference(target, &[]);
        let same = self.sources().into_iter().find(|(variable, _)| *variable == target.0);
        let right = match same.filter(|_| self.random.below(2) == 0) {
            Some(_) => match left.clone() {
                Term::Variable { variable, index, .. } => Term::Variable { variable, primes: 0, index },
                other => other,
            },
            None => {
                let reach = if self.random.below(6) == 0 { Reach::Everywhere } else { Reach::Before };
                self.term(2, reach, &[])
            }
        };
        match target.0.width {
            Some(_) if self.random.below(2) == 0 => Formula::Compare("=", right, left),
            Some(_) => Formula::Compare("=", left, right),
            None => self.truth_equation(left),
        }
    }

    fn truth_equation(&mut self, left: Term) -> Formula {
        let (left_formula, right) = (Formula::Variable(left.clone()), self.formula(1, Reach::Before, &[]));
        match self.random.below(6) {
            0 => left_formula,
            1 => Formula::Not(Box::new(left_formula)),
            2 => Formula::Binary("<->", Box::new(left_formula), Box::new(right)),
            3 => Formula::Binary("^", Box::new(right), Box::new(left_formula)),
            4 => Formula::Compare("!=", left, self.truth_variable(Reach::Before, &[])),
            _ => Formula::Compare("=", self.truth_variable(Reach::Before, &[]), left),
        }
    }

    fn conditional(&mut self) -> Formula {
        let (test, body) = (self.formula(1, Reach::Before, &[]), self.equation());
        match self.random.below(3) {
            0 => Formula::Binary("->", Box::new(test), Box::new(body)),
            1 => Formula::Binary("|", Box::new(test), Box::new(body)),
            _ => {
                // Both branches, so that everything is covered.
                let other = self.equation();
                let otherwise = Formula::Binary("|", Box::new(test.clone()), Box::new(other));
                let first = Formula::Binary("->", Box::new(test), Box::new(body));
                Formula::Binary("&", Box::new(first), Box::new(otherwise))
            }
        }
    }

    /// All elements of the global array as they were, but for one.
    fn copy_all(&mut self) -> Formula {
        let array = GLOBALS[2];
        let element = |primes, index| Term::Variable { variable: array, primes, index: Some(Box::new(index)) };
        let same = Formula::Compare("=", element(1, Term::Bound("i")), element(0, Term::Bound("i")));
        let quantified = |body| Formula::Quantified { sign: "A", name: "i", low: 1, high: 2, body: Box::new(body) };
        if self.random.below(2) == 0 {
            return quantified(same);
        }
        let index = self.term(0, Reach::Before, &[]);
        let is_here = Formula::Compare("=", Term::Bound("i"), index.clone());
        let others = quantified(Formula::Binary("|", Box::new(is_here), Box::new(same)));
        let value = self.term(1, Reach::Before, &[]);
        let store = Formula::Compare("=", element(1, index), value);
        Formula::Binary("&", Box::new(others), Box::new(store))
    }

    fn variables(&self, reach: Reach) -> Vec<(Variable, usize)> {
        match reach {
            Reach::Before => self.sources(),
            Reach::Everywhere => self.sources().into_iter().chain(self.targets()).collect(),
        }
    }

    fn truth_variable(&mut self, reach: Reach, bound: &[&'static str]) -> Term {
        let variables: Vec<_> = self.variables(reach).into_iter().filter(|(it, _)| it.width.is_none()).collect();
        let variable = *self.random.pick(&variables);
        self.reference(variable, bound)
    }

    fn term(&mut self, depth: usize, reach: Reach, bound: &[&'static str]) -> Term {
        if depth > 0 && self.random.below(3) == 0 {
            let op = *self.random.pick(&["+", "-", "*", "/", "<<", ">>", "+", "-"]);
            let (left, right) = (self.term(depth - 1, reach, bound), self.term(depth - 1, reach, bound));
            return Term::Binary(op, Box::new(left), Box::new(right));
        }
        match self.random.below(5) {
            0 => Term::Number(self.random.below(4) as u64),
            1 if !bound.is_empty() => Term::Bound(bound[self.random.below(bound.len())]),
            _ => {
                let plain = |variable: &Variable| variable.width.is_some() && (depth > 0 || variable.range.is_none());
                let variables: Vec<_> = self.variables(reach).into_iter().filter(|(it, _)| plain(it)).collect();
                let (variable, primes) = *self.random.pick(&variables);
                let index = variable.range.map(|_| Box::new(self.term(0, Reach::Before, bound)));
                Term::Variable { variable, primes, index }
            }
        }
    }

    fn formula(&mut self, depth: usize, reach: Reach, bound: &[&'static str]) -> Formula {
        match self.random.below(if depth == 0 { 3 } else { 8 }) {
            0 => Formula::Variable(self.truth_variable(reach, bound)),
            1 | 2 => {
                let op = *self.random.pick(&["=", "!=", "<", "<=", ">", ">="]);
                Formula::Compare(op, self.term(1, reach, bound), self.term(1, reach, bound))
            }
            3 => Formula::Not(Box::new(self.formula(depth - 1, reach, bound))),
            4 if bound.is_empty() => {
                let (low, high) = (self.random.below(3) as u64, self.random.below(3) as u64);
                let sign = if self.random.below(2) == 0 { "A" } else { "E" };
                let body = Box::new(self.formula(depth - 1, reach, &["i"]));
                Formula::Quantified { sign, name: "i", low, high, body }
            }
            5 => Formula::Constant(self.random.below(2) == 0),
            _ => {
                let op = *self.random.pick(&["&", "|", "^", "->", "<->", "&", "|"]);
                let (left, right) = (self.formula(depth - 1, reach, bound), self.formula(depth - 1, reach, bound));
                Formula::Binary(op, Box::new(left), Box::new(right))
            }
        }
    }
}

fn both(left: Formula, right: Formula) -> Formula {
    Formula::Binary("&", Box::new(left), Box::new(right))
}

/// `x' = x`, for each element.
fn keep((variable, primes): (Variable, usize)) -> Formula {
    let index = variable.range.map(|_| Box::new(Term::Bound("k")));
    let after = Term::Variable { variable, primes, index: index.clone() };
    let same = Formula::Compare("=", after, Term::Variable { variable, primes: 0, index });
    match variable.range {
        Some((low, high)) => Formula::Quantified { sign: "A", name: "k", low, high, body: Box::new(same) },
        None => same,
    }
}

fn locals_of(symbol: &str) -> impl Iterator<Item = Variable> + use<> {
    locals(symbol).iter().copied()
}
