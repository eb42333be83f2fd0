//! The syntax tree of an analysis.
//!
//! Metavariables and families of facts are rows of tables from the first time their name stands somewhere; [`check`]
//! sees to it that each is declared.
//!
//! [`check`]: super::check

mod sets;

use hardbop_base::{IndexVec, Span, newtype_index};
pub use sets::{Argument, Length, Set, SetKind};

newtype_index! {
    /// A metavariable.
    pub struct MetaId = "meta";
    /// A family of facts.
    pub struct FamilyId = "family";
}

/// An analysis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// What it is called and about: the first clause.
    pub header: Option<Header>,
    /// Along the edges, or against them; forward where nothing is said.
    pub direction: Direction,
    /// What holds where paths meet; union where nothing is said.
    pub meet: Meet,
    /// All metavariables.
    pub metas: IndexVec<MetaId, Meta>,
    /// All families of facts.
    pub families: IndexVec<FamilyId, Family>,
    /// What holds at the start.
    pub initially: Vec<Update>,
    /// What is taken to hold of values that come from outside.
    pub unknowns: Vec<Unknown>,
    /// What statements do, in the order of the file.
    pub rules: Vec<Rule>,
    /// What conditions tell.
    pub tests: Vec<Test>,
    /// What must hold where.
    pub requirements: Vec<Requirement>,
}

/// `analysis null "NULL pointer dereference"`
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// What it finds.
    pub title: String,
    /// The clause.
    pub span: Span,
}

/// Which way facts flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Direction {
    /// From the start of the program.
    #[default]
    Forward,
    /// From its end.
    Backward,
}

/// How facts of several paths become facts of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Meet {
    /// What may hold.
    #[default]
    Union,
    /// What must hold.
    Intersection,
}

/// A metavariable.
#[derive(Clone, PartialEq, Debug)]
pub struct Meta {
    /// Its name.
    pub name: String,
    /// What it stands for, and where it is declared.
    pub declared: Option<(Sort, Span)>,
}

/// What a metavariable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A variable or member that is a pointer.
    Pointer,
    /// A variable or member that is an integer.
    Integer,
    /// Any variable or member.
    Scalar,
    /// A variable, a member or a place on the heap.
    Object,
    /// An integer constant.
    Constant,
    /// Anything that has a value, the call of an unknown function included.
    Expression,
    /// A statement that assigns.
    Definition,
    /// Any statement.
    Statement,
}

/// One place where a metavariable stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MetaUse {
    /// The metavariable.
    pub id: MetaId,
    /// Where it stands.
    pub span: Span,
}

/// A family of facts: one fact for each choice of its parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// What it is.
    pub declared: Option<Declaration>,
}

/// `fact held(p, x) for x in pts(p) "{p} holds {x}"`
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// Where its name stands.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<MetaUse>,
    /// What its facts are.
    pub kind: FactKind,
    /// Where a parameter does not go through all of its sort.
    pub binders: Vec<Binder>,
    /// How a fact reads to the user in C terms. One that is true or false has none, or this and how its negation reads;
    /// any other has one, with a [`Part::Value`] in it.
    pub readings: Vec<Message>,
}

/// What the facts of a family are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// True or false.
    Boolean,
    /// A number while it is small; the engine chooses the range.
    Small,
    /// The object that the parameter, a pointer, points to; the engine looks here for what `*p` is.
    Target,
}

/// `for u in SET`
#[derive(Clone, PartialEq, Debug)]
pub struct Binder {
    /// What goes through the set.
    pub meta: MetaUse,
    /// The set.
    pub set: Set,
}

/// `null(p) := null(q) | null(r) for r in pts(e)`
#[derive(Clone, PartialEq, Debug)]
pub struct Update {
    /// The fact that is set.
    pub target: FactUse,
    /// What it becomes.
    pub value: Expr,
    /// What the target's arguments go through, the outermost first.
    pub binders: Vec<Binder>,
}

/// A fact, where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct FactUse {
    /// Its family.
    pub family: FamilyId,
    /// About what.
    pub arguments: Vec<MetaUse>,
    /// Where it stands.
    pub span: Span,
}

/// `unknown p: !null(p) "{p} != NULL"`
///
/// A value comes from outside as a parameter of an entry function, as the result of a function that nobody knows, or
/// out of memory of which nobody knows what is in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknown {
    /// What stands for the value.
    pub meta: MetaUse,
    /// What is taken to hold of it, unless the program tests it.
    pub value: Expr,
    /// How the assumption reads.
    pub message: Message,
    /// Where the metavariable and the condition stand.
    pub span: Span,
}

/// `on PATTERN where CONDITIONS: UPDATES`
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Which statements it is about.
    pub pattern: Pattern,
    /// What it does to the facts.
    pub updates: Vec<Update>,
    /// The pattern's place.
    pub span: Span,
}

/// A pattern of statements.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// `d:`: what the statement itself is called.
    pub statement: Option<MetaUse>,
    /// The form of the statement.
    pub form: Form,
    /// What else must be so.
    pub conditions: Vec<Condition>,
}

/// The form of a statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// `_`: every statement and every condition.
    Any,
    /// `v = e`, `*p = e`
    Assign(Target, Source),
    /// `free(p)`: a call, whatever becomes of its result.
    Call(Call),
    /// `drop write(...)`: a call whose result nobody takes.
    Drop(Call),
    /// `return`, `return e`; without operand any return.
    Return(Option<Operand>),
    /// `declare v`: the declaration of a local is reached, and from here on it holds anything.
    Declare(MetaUse),
    /// `copy v = u`: a scalar is copied as a part of something larger.
    Copy(Slot, Slot),
    /// `test e`: a condition is evaluated.
    Test(Operand),
}

/// A metavariable, or anything that could stand for one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Slot {
    /// A metavariable; where it stands twice in a pattern both are the same thing.
    Meta(MetaUse),
    /// `_`
    Any,
}

/// What is assigned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Target {
    /// `v`
    Variable(Slot),
    /// `*p`
    Deref(Slot),
}

/// The right-hand side of an assignment.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// `q`, `NULL`, `7`, `*q`, `&x`; a metavariable that stands for expressions matches any right-hand side.
    Operand(Operand),
    /// `-e`
    Unary(UnaryOp, Operand),
    /// `q + e`
    Binary(Operand, BinaryOp, Operand),
    /// `malloc(e)`
    Call(Call),
}

/// A part of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// A metavariable or `_`.
    Slot(Slot),
    /// The null pointer.
    Null,
    /// A constant.
    Number(i64),
    /// `*p`
    Deref(Slot),
    /// `&x`
    Address(Slot),
}

/// `{malloc, calloc}(e, ...)`
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The names of the functions, with `*` for any characters; empty for any function (`_`).
    pub callees: Vec<String>,
    /// The first arguments.
    pub arguments: Vec<Operand>,
    /// What may follow them.
    pub rest: Rest,
}

/// What may follow the arguments of a [`Call`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// Nothing.
    Nothing,
    /// `...`: any further arguments.
    Anything,
}

macro_rules! operators {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

operators! {
    /// C's operators with one operand.
    UnaryOp {
        /// Negation.
        Minus = "-",
        /// Complement.
        Complement = "~",
        /// Logical negation.
        Not = "!",
    }
}

operators! {
    /// C's operators with two operands.
    BinaryOp {
        /// Addition, of pointers too.
        Plus = "+",
        /// Subtraction, of pointers too.
        Minus = "-",
        /// Multiplication.
        Times = "*",
        /// Division.
        Divide = "/",
        /// Remainder.
        Remainder = "%",
        /// Shift to the left.
        ShiftLeft = "<<",
        /// Shift to the right.
        ShiftRight = ">>",
        /// Bitwise and.
        And = "&",
        /// Bitwise or.
        Or = "|",
        /// Bitwise exclusive or.
        Xor = "^",
        /// Equal.
        Equal = "==",
        /// Not equal.
        NotEqual = "!=",
        /// Less.
        Less = "<",
        /// Less or equal.
        AtMost = "<=",
        /// Greater.
        Greater = ">",
        /// Greater or equal.
        AtLeast = ">=",
    }
}

operators! {
    /// Comparisons, in conditions and values.
    Comparison {
        /// Equal.
        Equal = "==",
        /// Not equal.
        NotEqual = "!=",
        /// Less.
        Less = "<",
        /// Less or equal.
        AtMost = "<=",
        /// Greater.
        Greater = ">",
        /// Greater or equal.
        AtLeast = ">=",
    }
}

/// One condition of a `where`.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// `pts(p) = {q}`: the set has one member, and that is one place in memory. Binds `q` unless it is bound.
    Only(Set, MetaUse),
    /// `v in SET`
    In(MetaUse, Set),
    /// `x is y`
    Is(MetaUse, MetaUse),
    /// `x is not y`
    IsNot(MetaUse, MetaUse),
}

/// `if p == NULL: null(p)`
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// The left side of the condition, or all of it.
    pub left: Operand,
    /// What it is compared with; where nothing stands, it is not zero.
    pub right: Option<(Comparison, Operand)>,
    /// What the facts say where the condition is true.
    pub when_true: Expr,
    /// What they say where it is false; the negation where nothing is said.
    pub when_false: Option<Expr>,
    /// The condition's place.
    pub span: Span,
}

/// ``at *p: require !null(p) "`{p}` may be NULL here"``
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// Where.
    pub site: Site,
    /// What must hold.
    pub value: Expr,
    /// For each of what, the outermost first.
    pub binders: Vec<Binder>,
    /// What is said where it does not.
    pub message: Message,
    /// The site's place.
    pub span: Span,
}

/// Where something must hold: before the statement, of what it reads and does.
#[derive(Clone, PartialEq, Debug)]
pub enum Site {
    /// `*p`: where memory is read or written through a pointer.
    Deref(Slot, Vec<Condition>),
    /// `use v`: where a variable is read.
    Use(Slot, Vec<Condition>),
    /// `entry of main`: where a function, or each, begins.
    Entry(Option<String>),
    /// `exit of main`: where a function, or each, ends.
    Exit(Option<String>),
    /// `i / j`, `-i`: where this is computed, also inside of something larger.
    Operation(Source, Vec<Condition>),
    /// A statement.
    Statement(Pattern),
}

/// A text with the names of what metavariables stand for.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// Its parts.
    pub parts: Vec<Part>,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A part of a [`Message`].
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// As it is.
    Text(String),
    /// `{p}`
    Meta(MetaUse),
    /// `{}`: the number or the object that the fact is.
    Value,
}

/// A value, and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of values.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `true`, `false`
    Const(bool),
    /// `*`: anything.
    Unknown,
    /// `new`: an object to which nothing pointed before.
    New,
    /// A number.
    Number(i64),
    /// A fact.
    Fact(FactUse),
    /// A metavariable: a number where it stands for a constant, an object where it stands for a place in memory.
    Meta(MetaUse),
    /// `x is y`: whether both are the same thing.
    Is(MetaUse, MetaUse),
    /// `!a`
    Not(Box<Expr>),
    /// `a & b & …` or `a | b | …`, two operands at least.
    Junction(Junction, Vec<Expr>),
    /// `a -> b`
    Implies(Box<Expr>, Box<Expr>),
    /// `a = b` of truth values, numbers or objects, `a < b` of numbers.
    Compare(Box<Expr>, Comparison, Box<Expr>),
    /// `a + b`, `a - b`
    Sum(Box<Expr>, Sign, Box<Expr>),
    /// `any F for u in SET`, `all F for u in SET`: a junction over a set.
    Over(Junction, Box<Expr>, Binder),
}

/// How several truth values become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Junction {
    /// All are true: `&`, `all`.
    And,
    /// One is true: `|`, `any`.
    Or,
}

/// `+` or `-`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

impl Analysis {
    /// What a metavariable stands for.
    ///
    /// # Requires
    /// The analysis has been checked.
    pub fn sort(&self, meta: MetaId) -> Sort {
        self.metas[meta].declared.expect("a checked analysis declares its metavariables").0
    }

    /// The declaration of a family.
    ///
    /// # Requires
    /// The analysis has been checked.
    pub fn declaration(&self, family: FamilyId) -> &Declaration {
        self.families[family].declared.as_ref().expect("a checked analysis declares its facts")
    }

    /// Whether a rule says by its name what the function does to facts.
    pub fn speaks_of(&self, function: &str) -> bool {
        let mut calls = self.rules.iter().filter_map(|rule| rule.pattern.form.call());
        calls.any(|call| call.callees.iter().any(|pattern| crate::name_matches(pattern, function)))
    }

    /// The calls that rules and requirements are about, and where these stand.
    pub fn calls(&self) -> Vec<(&Call, Span)> {
        let rules = self.rules.iter().map(|rule| (&rule.pattern, rule.span));
        let sites = self.requirements.iter().filter_map(|requirement| match &requirement.site {
            Site::Statement(pattern) => Some((pattern, requirement.span)),
            _ => None,
        });
        let calls = rules.chain(sites).filter_map(|(pattern, span)| Some((pattern.form.call()?, span)));
        calls.collect()
    }

    /// Its name, empty where it has none.
    pub fn name(&self) -> &str {
        self.header.as_ref().map_or("", |header| &header.name)
    }
}

impl FactKind {
    /// All kinds, with their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("boolean", Self::Boolean), ("small", Self::Small), ("target", Self::Target)];

    /// How it is written.
    pub fn text(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(text, _)| text)
    }
}

impl Sort {
    /// All sorts, with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("pointer", Self::Pointer),
        ("integer", Self::Integer),
        ("scalar", Self::Scalar),
        ("object", Self::Object),
        ("constant", Self::Constant),
        ("expression", Self::Expression),
        ("definition", Self::Definition),
        ("statement", Self::Statement),
    ];

    /// How it is written.
    pub fn text(self) -> &'static str {
        Self::ALL.iter().find(|(_, sort)| *sort == self).map_or("", |(text, _)| text)
    }

    /// With its article, for messages.
    pub fn one(self) -> String {
        let article = if matches!(self, Self::Integer | Self::Object | Self::Expression) { "an" } else { "a" };
        format!("{article} {}", self.text())
    }

    /// Whether everything of this sort is of the other as well.
    pub fn is_within(self, other: Self) -> bool {
        self == other
            || match other {
                Self::Scalar => matches!(self, Self::Pointer | Self::Integer),
                Self::Object => self.is_place(),
                Self::Expression => matches!(self, Self::Pointer | Self::Integer | Self::Scalar | Self::Constant),
                Self::Statement => self == Self::Definition,
                _ => false,
            }
    }

    /// Whether something can be of both sorts.
    pub fn overlaps(self, other: Self) -> bool {
        self.is_within(other) || other.is_within(self)
    }

    /// Whether it is a place in memory.
    pub fn is_place(self) -> bool {
        matches!(self, Self::Pointer | Self::Integer | Self::Scalar | Self::Object)
    }
}

impl Pattern {
    /// Every metavariable of the pattern itself, conditions aside, in the order of the text.
    pub fn metas(&self) -> Vec<MetaUse> {
        self.statement.into_iter().chain(self.form.metas()).collect()
    }
}

impl Form {
    /// The call that it is about.
    pub fn call(&self) -> Option<&Call> {
        match self {
            Self::Call(call) | Self::Drop(call) | Self::Assign(_, Source::Call(call)) => Some(call),
            _ => None,
        }
    }

    /// Every metavariable of the form, in the order of the text.
    pub fn metas(&self) -> Vec<MetaUse> {
        match self {
            Self::Any => Vec::new(),
            Self::Assign(Target::Variable(slot) | Target::Deref(slot), source) => {
                slot.meta().into_iter().chain(source.operands().iter().filter_map(Operand::meta)).collect()
            }
            Self::Call(call) | Self::Drop(call) => call.arguments.iter().filter_map(Operand::meta).collect(),
            Self::Return(operand) => operand.iter().filter_map(Operand::meta).collect(),
            Self::Declare(meta) => vec![*meta],
            Self::Copy(target, source) => target.meta().into_iter().chain(source.meta()).collect(),
            Self::Test(operand) => operand.meta().into_iter().collect(),
        }
    }
}

impl Source {
    /// Its parts.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Self::Operand(operand) | Self::Unary(_, operand) => vec![*operand],
            Self::Binary(left, _, right) => vec![*left, *right],
            Self::Call(call) => call.arguments.clone(),
        }
    }
}

impl Operand {
    /// Its metavariable.
    pub fn meta(&self) -> Option<MetaUse> {
        match self {
            Self::Slot(slot) | Self::Deref(slot) | Self::Address(slot) => slot.meta(),
            Self::Null | Self::Number(_) => None,
        }
    }
}

impl Slot {
    /// Its metavariable.
    pub fn meta(&self) -> Option<MetaUse> {
        match self {
            Self::Meta(meta) => Some(*meta),
            Self::Any => None,
        }
    }
}
