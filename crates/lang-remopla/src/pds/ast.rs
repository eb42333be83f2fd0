//! The syntax tree: what stands in the file, names not yet looked up.

use super::names::{NameId, Names};
use hardbop_base::{IndexVec, Span, newtype_index};

newtype_index! {
    /// An expression of the file.
    pub struct ExprId = "x";
}

/// A pushdown system as it is written.
#[derive(Clone, Default, Debug)]
pub struct Ast {
    /// All names.
    pub names: Names,
    /// `define`: constants.
    pub constants: Vec<Constant>,
    /// `global`: the variables of every configuration.
    pub globals: Vec<Declaration>,
    /// `local`: the variables that some stack symbols carry.
    pub blocks: Vec<Block>,
    /// The first configuration.
    pub initial: Option<Initial>,
    /// `atoms`: more names for stack symbols.
    pub atoms: Vec<Atoms>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The expressions of all of these; operands come before what they stand in.
    pub exprs: IndexVec<ExprId, Expr>,
}

/// A name and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: NameId,
    /// Where it stands.
    pub span: Span,
}

/// `define N 4`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: ExprId,
}

/// A variable: `a[4](3)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: Ident,
    /// What its elements are.
    pub kind: DeclaredKind,
    /// Which elements there are; none where it is no array.
    pub dimension: Option<Dimension>,
}

/// What a variable's values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredKind {
    /// `bool`
    Bool,
    /// `int` with a number of bits; where there is none, `DEFAULT_INT_BITS`.
    Int(Option<ExprId>),
}

/// The indexes of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// `[n]`: from 0 to `n - 1`.
    Length(ExprId),
    /// `[lo,hi]`: both included.
    Range(ExprId, ExprId),
}

/// `local NAME (a, b) …`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The procedure's name, where it has one.
    pub name: Option<Ident>,
    /// The stack symbols that carry its variables.
    pub symbols: Vec<Ident>,
    /// The variables.
    pub variables: Vec<Declaration>,
}

/// `(p (e) <a (f)>)`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Initial {
    /// The control state.
    pub state: Ident,
    /// The stack symbol.
    pub symbol: Ident,
    /// What is true of the globals.
    pub globals: Option<ExprId>,
    /// What is true of the symbol's locals.
    pub locals: Option<ExprId>,
    /// All of it.
    pub span: Span,
}

/// `atoms a p, q`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atoms {
    /// The stack symbol.
    pub symbol: Ident,
    /// Its other names.
    pub propositions: Vec<Ident>,
}

/// `p <a> --> q <b c> "label" (R)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The control state before.
    pub from_state: Ident,
    /// The stack symbol that is taken off.
    pub from: Ident,
    /// The control state after.
    pub to_state: Ident,
    /// What is put on the stack, the top first.
    pub to: Pushed,
    /// The relation; where there is none, everything is allowed.
    pub condition: Option<ExprId>,
    /// All of it.
    pub span: Span,
}

/// The right-hand side of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// Nothing: a return.
    Nothing,
    /// One symbol: a step.
    One(Ident),
    /// Two symbols, the top first: a call and where it comes back to.
    Two(Ident, Ident),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
    /// Whether a variable with one or two primes stands in it.
    pub is_primed: bool,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A natural number.
    Number(u64),
    /// A variable, a constant, or what a quantifier binds.
    Name {
        /// The name.
        name: NameId,
        /// How many primes it has.
        primes: u8,
        /// The index, where it is an element of an array.
        index: Option<ExprId>,
    },
    /// `!`
    Not(ExprId),
    /// `&`, of two or more.
    All(Vec<ExprId>),
    /// `|`, of two or more.
    Any(Vec<ExprId>),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `A i (lo,hi) e`, `E i (lo,hi) e`
    Quantified {
        /// For all, or for some.
        quantifier: Quantifier,
        /// What it binds.
        variable: Ident,
        /// The first value.
        low: ExprId,
        /// The last value.
        high: ExprId,
        /// What is said of all of them, or some.
        body: ExprId,
    },
}

/// For all, or for some.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `A`
    All,
    /// `E`
    Exists,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `^`
    Xor,
    /// `<->`
    Iff,
    /// `->`
    Implies,
    /// `=`, `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

/// What kind of operator it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// From truth values to a truth value.
    Connective,
    /// From numbers to a truth value.
    Comparison,
    /// From numbers to a number.
    Arithmetic,
}

impl BinaryOp {
    /// What kind of operator it is.
    pub const fn family(self) -> Family {
        match self {
            Self::Xor | Self::Iff | Self::Implies => Family::Connective,
            Self::Equal | Self::NotEqual | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => {
                Family::Comparison
            }
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::ShiftLeft | Self::ShiftRight => {
                Family::Arithmetic
            }
        }
    }

    /// How it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Xor => "^",
            Self::Iff => "<->",
            Self::Implies => "->",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
        }
    }
}

impl Ast {
    /// The text of a name.
    pub fn text(&self, ident: Ident) -> &str {
        self.names.text(ident.name)
    }
}

impl Pushed {
    /// The symbols, the top first.
    pub fn symbols(self) -> impl Iterator<Item = Ident> {
        let (first, second) = match self {
            Self::Nothing => (None, None),
            Self::One(first) => (Some(first), None),
            Self::Two(first, second) => (Some(first), Some(second)),
        };
        first.into_iter().chain(second)
    }
}
