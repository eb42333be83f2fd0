//! Linear temporal logic over numbered propositions.
//!
//! A formula is a tree of the operators a user can write, none of them defined by another: what the program under test
//! rewrites is told apart here by meaning ([`word`]), by automaton ([`buchi`]) and by text ([`Formula::render`]).

pub mod buchi;
pub mod generate;
pub mod word;

use crate::spell::Spelling;

/// A proposition, by its place in a list that comes with the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proposition(pub usize);

/// The propositions that are true at one position; proposition `i` is bit `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(pub u32);

impl Letter {
    /// The letter in which the propositions at the places of `true` hold.
    pub fn of(values: impl IntoIterator<Item = bool>) -> Self {
        let bits = values.into_iter().enumerate().map(|(place, value)| u32::from(value) << place);
        Letter(bits.fold(0, |all, bit| all | bit))
    }

    /// Whether `proposition` is true.
    pub fn has(self, proposition: Proposition) -> bool {
        self.0 >> proposition.0 & 1 == 1
    }

    /// This letter with `proposition` true.
    #[must_use]
    pub fn with(self, proposition: Proposition) -> Self {
        Letter(self.0 | 1 << proposition.0)
    }
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Formula {
    /// `true` or `false`.
    Constant(bool),
    /// A proposition.
    Holds(Proposition),
    /// An operator before its operand.
    Unary(Unary, Box<Formula>),
    /// An operator between its operands.
    Binary(Binary, Box<[Formula; 2]>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// `!`.
    Not,
    /// `X`: at the next position.
    Next,
    /// `F`: now or later.
    Finally,
    /// `G`: now and ever after.
    Globally,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `->`.
    Implies,
    /// `<->`.
    Iff,
    /// `U`: the second comes, and the first holds until then.
    Until,
    /// `W`: the first holds until the second does, or for ever.
    WeakUntil,
    /// `R`: the second holds until both do, or for ever.
    Release,
    /// `M`: both come to hold, and the second holds until then.
    StrongRelease,
}

/// Whether a formula is meant as it is or negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polarity {
    Positive,
    Negative,
}

impl Polarity {
    fn flipped(self) -> Self {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
        }
    }
}

impl Formula {
    /// The proposition with this number.
    pub fn proposition(number: usize) -> Self {
        Formula::Holds(Proposition(number))
    }

    /// `operator operand`.
    pub fn unary(operator: Unary, operand: Formula) -> Self {
        Formula::Unary(operator, Box::new(operand))
    }

    /// `left operator right`.
    pub fn binary(operator: Binary, left: Formula, right: Formula) -> Self {
        Formula::Binary(operator, Box::new([left, right]))
    }

    /// The negation.
    #[must_use]
    pub fn negated(&self) -> Self {
        Formula::unary(Unary::Not, self.clone())
    }

    /// What it means that this formula holds under fairness: for the runs that satisfy all of `fairness`.
    #[must_use]
    pub fn under(&self, fairness: &[Formula]) -> Self {
        fairness.iter().rev().fold(self.clone(), |rest, fair| Formula::binary(Binary::Implies, fair.clone(), rest))
    }

    /// Whether no `X` is in it: it cannot tell a position from two equal ones.
    pub fn is_stutter_invariant(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Holds(_) => true,
            Formula::Unary(Unary::Next, _) => false,
            Formula::Unary(_, operand) => operand.is_stutter_invariant(),
            Formula::Binary(_, operands) => operands.iter().all(Formula::is_stutter_invariant),
        }
    }

    /// An equivalent formula of constants, propositions, negated propositions, `&&`, `||`, `X`, `U`, `W`, `R` and `M`.
    #[must_use]
    pub fn negation_normal_form(&self) -> Self {
        self.normalize(Polarity::Positive)
    }

    fn normalize(&self, polarity: Polarity) -> Self {
        let is_positive = polarity == Polarity::Positive;
        match self {
            Formula::Constant(value) => Formula::Constant(*value == is_positive),
            Formula::Holds(_) if is_positive => self.clone(),
            Formula::Holds(_) => self.negated(),
            Formula::Unary(operator, operand) => {
                let same = || operand.normalize(polarity);
                // `F` is an until that waits for its operand, `G` a release that nothing releases.
                let [until, release] = [(Binary::Until, true), (Binary::Release, false)]
                    .map(|(operator, left)| move |right| Formula::binary(operator, Formula::Constant(left), right));
                match operator {
                    Unary::Not => operand.normalize(polarity.flipped()),
                    Unary::Next => Formula::unary(Unary::Next, same()),
                    Unary::Finally if is_positive => until(same()),
                    Unary::Globally if !is_positive => until(same()),
                    Unary::Finally | Unary::Globally => release(same()),
                }
            }
            Formula::Binary(operator, operands) => normalize_binary(*operator, operands, polarity),
        }
    }

    /// The text of the formula, whose propositions have the texts `propositions`; zero is the plainest `spelling`.
    ///
    /// All operands are in parentheses unless they are names: what binds how tightly is not tested here.
    pub fn render(&self, propositions: &[String], spelling: u64) -> String {
        self.spell(propositions, &mut Spelling::new(spelling))
    }

    fn spell(&self, propositions: &[String], spelling: &mut Spelling) -> String {
        match self {
            Formula::Constant(value) => value.to_string(),
            Formula::Holds(proposition) => propositions[proposition.0].clone(),
            Formula::Unary(operator, operand) => {
                let sign = spelling.pick(match operator {
                    Unary::Not => &["!", "! "],
                    Unary::Next => &["X ", "X  "],
                    Unary::Finally => &["F ", "<>", "<> "],
                    Unary::Globally => &["G ", "[]", "[] "],
                });
                format!("{sign}{}", operand.spell_operand(propositions, spelling))
            }
            Formula::Binary(operator, operands) => {
                let sign = spelling.pick(match operator {
                    Binary::And => &["&&", "&"],
                    Binary::Or => &["||", "|"],
                    Binary::Implies => &["->"],
                    Binary::Iff => &["<->"],
                    Binary::Until => &["U"],
                    Binary::WeakUntil => &["W"],
                    Binary::Release => &["R"],
                    Binary::StrongRelease => &["M"],
                });
                let [left, right] = [0, 1].map(|place| operands[place].spell_operand(propositions, spelling));
                format!("{left} {sign} {right}")
            }
        }
    }

    fn spell_operand(&self, propositions: &[String], spelling: &mut Spelling) -> String {
        let text = self.spell(propositions, spelling);
        let is_name = text.chars().all(|character| character.is_alphanumeric() || "_@".contains(character));
        if is_name && !spelling.chance(10) { text } else { format!("({text})") }
    }
}

fn normalize_binary(operator: Binary, operands: &[Formula; 2], polarity: Polarity) -> Formula {
    let [left, right] = operands;
    let is_positive = polarity == Polarity::Positive;
    let same = |operator| Formula::binary(operator, left.normalize(polarity), right.normalize(polarity));
    let dual = |one, other| same(if is_positive { one } else { other });
    match operator {
        Binary::And => dual(Binary::And, Binary::Or),
        Binary::Or => dual(Binary::Or, Binary::And),
        Binary::Until => dual(Binary::Until, Binary::Release),
        Binary::Release => dual(Binary::Release, Binary::Until),
        Binary::WeakUntil => dual(Binary::WeakUntil, Binary::StrongRelease),
        Binary::StrongRelease => dual(Binary::StrongRelease, Binary::WeakUntil),
        Binary::Implies => {
            let operator = if is_positive { Binary::Or } else { Binary::And };
            Formula::binary(operator, left.normalize(polarity.flipped()), right.normalize(polarity))
        }
        Binary::Iff => {
            let both = |first, second| Formula::binary(Binary::And, left.normalize(first), right.normalize(second));
            let [positive, negative] = [Polarity::Positive, Polarity::Negative];
            let [one, other] = if is_positive {
                [both(positive, positive), both(negative, negative)]
            } else {
                [both(positive, negative), both(negative, positive)]
            };
            Formula::binary(Binary::Or, one, other)
        }
    }
}
