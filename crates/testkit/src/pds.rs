//! Symbolic pushdown systems: control states and stack symbols with variables, rules with relations between them.
//!
//! A rule `p <a> --> q <b c> (R)` relates the globals and the locals of `a` (`x`) with the globals and the locals of
//! `b` after it (`x'`) and the locals of `c` (`x''`) [ES01, §2.1]. What `R` leaves open may be anything.
//!
//! Terms are natural numbers, exact and of any size. A difference below zero, a quotient by zero and an element that
//! the array does not have are no numbers, and a comparison with such a part is false; so is a boolean element that the
//! array does not have.
//!
//! **Invariant:** in every condition, an [`Access`] is one of a variable that the place has, with an index iff that is
//! an array, [`Condition::Is`] reads booleans, and a [`Term::Bound`] stands below as many quantifiers. Generated
//! systems are like that; a system made by hand has to be.

pub mod generate;
pub mod oracle;
mod render;
mod settle;

use std::fmt;

/// A control state, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub usize);

/// A stack symbol, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub usize);

/// A variable, by its place in the list it is declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub usize);

/// A symbolic pushdown system.
#[derive(Clone, PartialEq, Eq)]
pub struct System {
    /// How many control states there are.
    pub states: usize,
    /// How many stack symbols there are.
    pub symbols: usize,
    /// The variables of every configuration.
    pub globals: Vec<Variable>,
    /// The variables that some symbols carry.
    pub blocks: Vec<Block>,
    /// Where runs start.
    pub initial: Initial,
    /// The rules.
    pub rules: Vec<Rule>,
    /// Decides among the ways to write the same system; zero is the plainest.
    pub spelling: u64,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name. Blocks may use the same one; a global's is its own.
    pub name: String,
    /// What its values, or those of its elements, are.
    pub kind: Kind,
    /// The first and the last index, if it is an array.
    pub range: Option<(usize, usize)>,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// `int` of so many bits.
    Int(usize),
}

/// `local (a, b) …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The symbols that carry its variables; each symbol is in one block at most.
    pub symbols: Vec<SymbolId>,
    /// The variables.
    pub variables: Vec<Variable>,
}

/// The configurations a run can start in: `(p (e) <a (f)>)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The control state.
    pub state: StateId,
    /// What the globals satisfy; else they are anything.
    pub globals: Option<Condition>,
    /// The only symbol on the stack.
    pub symbol: SymbolId,
    /// What its locals satisfy; else they are anything.
    pub locals: Option<Condition>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The control state before.
    pub state: StateId,
    /// The symbol it replaces.
    pub symbol: SymbolId,
    /// The control state after.
    pub next: StateId,
    /// The symbols it puts there, at most two, top first.
    pub push: Vec<SymbolId>,
    /// The relation; without it, everything is open.
    pub condition: Option<Condition>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A boolean is true.
    Is(Access),
    /// Two numbers compare.
    Compare(Comparison, Box<[Term; 2]>),
    /// Negation.
    Not(Box<Condition>),
    /// A connective.
    Join(Connective, Box<[Condition; 2]>),
    /// `A i (lo,hi) e` or `E i (lo,hi) e`.
    Quantified(Quantifier, Range, Box<Condition>),
}

/// A term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Number(u64),
    /// The value of a variable; a boolean's is 0 or 1.
    Read(Access),
    /// What the quantifier with so many around it binds.
    Bound(usize),
    /// An operator.
    Join(Arithmetic, Box<[Term; 2]>),
}

/// Where a variable is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Among which variables it is.
    pub scope: Scope,
    /// Which of them it is.
    pub variable: VariableId,
    /// When it is read.
    pub time: Time,
    /// Which element, if it is an array.
    pub index: Option<Box<Term>>,
}

/// Whose variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every configuration's.
    Global,
    /// A symbol's: at [`Time::Now`] the replaced one's, at [`Time::Next`] the new top's, at [`Time::Saved`] the one's
    /// below it.
    Local,
}

/// When a variable is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// `x`.
    Now,
    /// `x'`.
    Next,
    /// `x''`; locals only.
    Saved,
}

/// The values a quantified variable runs through; none if the first is above the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub low: u64,
    /// The last.
    pub high: u64,
}

/// For all, or for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `A`.
    All,
    /// `E`.
    Exists,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// A connective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `<->`.
    Iff,
    /// `->`.
    Implies,
}

/// An operator on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `<<`; its right operand is no operator.
    ShiftLeft,
    /// `>>`; its right operand is no operator.
    ShiftRight,
}

/// Something that is true or false of a configuration, going by its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// The symbol is on top.
    Top(SymbolId),
    /// A global boolean, or an element of an array of them, is true.
    Is(VariableId, Option<usize>),
    /// A global number, or an element of an array of them, compares with a number.
    Compare(VariableId, Option<usize>, Comparison, u64),
}

impl System {
    /// The variables that a symbol carries.
    pub fn locals(&self, symbol: SymbolId) -> &[Variable] {
        self.blocks.iter().find(|block| block.symbols.contains(&symbol)).map_or(&[], |block| &block.variables)
    }

    /// Propositions to ask about: every symbol, every boolean, every number compared with each of its values.
    pub fn propositions(&self) -> Vec<Proposition> {
        let mut all: Vec<Proposition> = (0..self.symbols).map(|symbol| Proposition::Top(SymbolId(symbol))).collect();
        for (place, variable) in self.globals.iter().enumerate() {
            let id = VariableId(place);
            for index in variable.indexes() {
                match variable.kind {
                    Kind::Bool => all.push(Proposition::Is(id, index)),
                    Kind::Int(_) => {
                        for value in 0..variable.kind.values() {
                            let comparison = [Comparison::Equal, Comparison::Less, Comparison::Unequal][all.len() % 3];
                            all.push(Proposition::Compare(id, index, comparison, value));
                        }
                    }
                }
            }
        }
        all
    }
}

/// A failing test prints its system: the text says more than the tree.
impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "spelling {}\n{}", self.spelling, self.render())
    }
}

impl Variable {
    /// How many values it has at once.
    pub(crate) fn elements(&self) -> usize {
        self.range.map_or(1, |(low, high)| high + 1 - low)
    }

    /// The indexes of its elements; none if it is no array.
    pub(crate) fn indexes(&self) -> Vec<Option<usize>> {
        self.range.map_or(vec![None], |(low, high)| (low..=high).map(Some).collect())
    }

    fn bits(&self) -> usize {
        let bits = match self.kind {
            Kind::Bool => 1,
            Kind::Int(bits) => bits,
        };
        self.elements() * bits
    }
}

impl Kind {
    /// How many values there are.
    pub(crate) fn values(self) -> u64 {
        match self {
            Kind::Bool => 2,
            Kind::Int(bits) => 1 << bits,
        }
    }
}

impl Condition {
    /// `left operator right`.
    pub fn join(operator: Connective, left: Condition, right: Condition) -> Self {
        Condition::Join(operator, Box::new([left, right]))
    }

    /// `left comparison right`.
    pub fn compare(comparison: Comparison, left: Term, right: Term) -> Self {
        Condition::Compare(comparison, Box::new([left, right]))
    }
}

impl Comparison {
    /// Whether it is true of two numbers.
    pub(crate) fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
        }
    }
}
