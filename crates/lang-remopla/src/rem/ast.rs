//! The syntax tree, in arenas: nothing in it owns anything else, so depth costs no stack when it is dropped.
//!
//! **Invariant:** statements are numbered in the order of the source, a statement before those inside it. Operands are
//! numbered before what they are operands of.

use super::names::{Names, Symbol};
use hardbop_base::{Idx, IndexVec, Span, newtype_index};
use std::marker::PhantomData;

newtype_index! {
    /// An expression.
    pub struct ExprId = "e";
    /// A statement.
    pub struct StmtId = "s";
    /// A module.
    pub struct ModuleId = "m";
    /// An enumeration.
    pub struct EnumId = "enum";
    /// A structure.
    pub struct StructId = "struct";
}

/// One occurrence of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// Consecutive rows of one of the tables of an [`Ast`].
#[derive(Debug)]
pub struct List<T> {
    start: u32,
    end: u32,
    marker: PhantomData<fn(T)>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> List<T> {
    /// No rows.
    pub const EMPTY: Self = Self { start: 0, end: 0, marker: PhantomData };

    pub(super) fn new(start: usize, end: usize) -> Self {
        let row = |row| u32::try_from(row).expect("each row of a list takes a byte of a source below 4 GiB");
        Self { start: row(start), end: row(end), marker: PhantomData }
    }

    /// The number of rows.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether there are no rows.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    fn rows(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<T: Idx> List<T> {
    /// The ids themselves, where the list is a run of a table's own rows.
    pub fn ids(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.rows().map(T::from_usize)
    }
}

/// A statement list; [`Ast::block`] gives its statements.
#[derive(Clone, Copy, Debug)]
pub struct Block(pub(super) List<StmtId>);

/// A Remopla program.
#[derive(Debug)]
pub struct Ast {
    /// The spelling of all names.
    pub names: Names,
    /// All `define`s, in the order of the source.
    pub defines: Vec<Define>,
    /// All enumerations.
    pub enums: IndexVec<EnumId, Enum>,
    /// All structures.
    pub structs: IndexVec<StructId, Struct>,
    /// All globals.
    pub globals: Vec<Decl>,
    /// Modules that are declared but not defined there.
    pub forwards: Vec<Header>,
    /// All modules.
    pub modules: IndexVec<ModuleId, Module>,
    /// What `init` names. A program without is of the second dialect.
    pub inits: Vec<Ident>,
    /// The statements outside of all modules.
    pub outside: Body,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    pub(super) idents: Vec<Ident>,
    pub(super) decls: Vec<Decl>,
    pub(super) values: Vec<Value>,
    pub(super) assigns: Vec<Assign>,
    pub(super) branches: Vec<Branch>,
    pub(super) quantifiers: Vec<Quantifier>,
    pub(super) blocks: Vec<StmtId>,
}

impl Default for Ast {
    fn default() -> Self {
        Self {
            names: Names::default(),
            defines: Vec::new(),
            enums: IndexVec::new(),
            structs: IndexVec::new(),
            globals: Vec::new(),
            forwards: Vec::new(),
            modules: IndexVec::new(),
            inits: Vec::new(),
            outside: Body { block: Block(List::EMPTY), stmts: Vec::new(), end: Span::new(0, 0) },
            stmts: IndexVec::new(),
            exprs: IndexVec::new(),
            idents: Vec::new(),
            decls: Vec::new(),
            values: Vec::new(),
            assigns: Vec::new(),
            branches: Vec::new(),
            quantifiers: Vec::new(),
            blocks: Vec::new(),
        }
    }
}

impl Ast {
    /// The names in a list.
    pub fn idents(&self, list: List<Ident>) -> &[Ident] {
        &self.idents[list.rows()]
    }

    /// The declarations in a list.
    pub fn decls(&self, list: List<Decl>) -> &[Decl] {
        &self.decls[list.rows()]
    }

    /// The arguments in a list.
    pub fn values(&self, list: List<Value>) -> &[Value] {
        &self.values[list.rows()]
    }

    /// The assignments in a list.
    pub fn assigns(&self, list: List<Assign>) -> &[Assign] {
        &self.assigns[list.rows()]
    }

    /// The branches in a list.
    pub fn branches(&self, list: List<Branch>) -> &[Branch] {
        &self.branches[list.rows()]
    }

    /// The quantifiers in a list, the outermost first.
    pub fn quantifiers(&self, list: List<Quantifier>) -> &[Quantifier] {
        &self.quantifiers[list.rows()]
    }

    /// The statements of a block.
    pub fn block(&self, block: Block) -> &[StmtId] {
        &self.blocks[block.0.rows()]
    }

    /// How `ident` is spelled.
    pub fn text(&self, ident: Ident) -> &str {
        self.names.text(ident.name)
    }

    /// Which of the two dialects it is written in.
    pub fn dialect(&self) -> Dialect {
        if self.inits.is_empty() { Dialect::Leak } else { Dialect::Moped }
    }
}

/// The two dialects differ in where a run starts and in what a `do` with one guard means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// With `init`.
    Moped,
    /// Without `init`.
    Leak,
}

/// `define NAME value`.
#[derive(Clone, Copy, Debug)]
pub struct Define {
    /// The name; `DEFAULT_INT_BITS` among others.
    pub name: Ident,
    /// The value.
    pub value: ExprId,
}

/// `enum name { a, b }`.
#[derive(Clone, Copy, Debug)]
pub struct Enum {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Its members, which count from 0.
    pub members: List<Ident>,
}

/// `struct name { … }`.
#[derive(Clone, Copy, Debug)]
pub struct Struct {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Its members.
    pub members: List<Decl>,
}

/// A type, without dimensions and width.
#[derive(Clone, Copy, Debug)]
pub enum TypeName {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `enum name`.
    Enum(Ident),
    /// `enum { … }` or `enum name { … }` where something is declared.
    InlineEnum(EnumId),
    /// `struct name`.
    Struct(Ident),
    /// `struct { … }` or `struct name { … }` where something is declared.
    InlineStruct(StructId),
}

/// `[n]` or `[lo,hi]`.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// The first index, where it is given.
    pub low: Option<ExprId>,
    /// The last index; without a first one, the number of elements.
    pub high: ExprId,
    /// Where it stands.
    pub span: Span,
}

/// A type with dimensions and width: of something declared, or of a result.
#[derive(Clone, Copy, Debug)]
pub struct DeclType {
    /// What it is made of.
    pub base: TypeName,
    /// Its dimensions, the outer one first.
    pub dims: [Option<Dim>; 2],
    /// The width of a number, where it is given.
    pub bits: Option<ExprId>,
}

/// One name that is declared: a variable, a parameter or a member.
#[derive(Clone, Copy, Debug)]
pub struct Decl {
    /// The name.
    pub name: Ident,
    /// Its type.
    pub kind: DeclType,
}

/// `module result name(parameters)`.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The name.
    pub name: Ident,
    /// What it returns; nothing where it is `void`.
    pub result: Option<DeclType>,
    /// The parameters.
    pub params: List<Decl>,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name, result and parameters.
    pub header: Header,
    /// Its other locals.
    pub locals: List<Decl>,
    /// Its statements.
    pub body: Body,
}

/// The statements of a module, or those outside of all modules.
#[derive(Clone, Debug)]
pub struct Body {
    /// Those that are not inside others.
    pub block: Block,
    /// All of them, in the order of the source.
    pub stmts: Vec<List<StmtId>>,
    /// The closing brace, or the end of the file.
    pub end: Span,
}

impl Body {
    /// All its statements, in the order of the source.
    pub fn all(&self) -> impl Iterator<Item = StmtId> + '_ {
        self.stmts.iter().flat_map(|list| list.ids())
    }
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// Its labels.
    pub labels: List<Ident>,
    /// Without labels and semicolon; of `if`, `do` and `pchoice` only the keyword.
    pub span: Span,
    /// What it does.
    pub kind: StmtKind,
}

/// What a statement does.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// `skip`, `skip (e)`, or a label with nothing behind it.
    Skip(Option<ExprId>),
    /// `x = e, …`.
    Assign(List<Assign>),
    /// `f(e, …)`, `x = f(e, …)`, each with further assignments.
    Call {
        /// What the result is assigned to.
        target: Option<ExprId>,
        /// The module.
        callee: Ident,
        /// Its arguments.
        args: List<Value>,
        /// What is assigned at the call.
        also: List<Assign>,
    },
    /// `return`, `return e`.
    Return(Option<Value>),
    /// `goto l, x = e, …`.
    Goto {
        /// Where to.
        label: Ident,
        /// What is assigned on the way.
        also: List<Assign>,
    },
    /// `break`.
    Break,
    /// `if … fi`.
    If(List<Branch>),
    /// `do … od`.
    Do(List<Branch>),
    /// `pchoice … choicep`.
    Chance(List<Branch>),
    /// `fork f(e, …)`.
    Fork {
        /// The module.
        callee: Ident,
        /// Its arguments.
        args: List<Value>,
    },
    /// `p<g> --> q<h k> "text" (e)`.
    Rule(Rule),
}

/// A rule of a pushdown system.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The state before.
    pub from: Ident,
    /// The symbol on top of the stack.
    pub top: Ident,
    /// The state after.
    pub to: Ident,
    /// What replaces the symbol: nothing, one symbol, or a module and the symbol below it.
    pub pushed: List<Ident>,
    /// The condition, over `x`, `x'` and `x''`.
    pub condition: Option<ExprId>,
}

/// What is assigned, passed or returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// An expression.
    Of(ExprId),
    /// `undef`: anything.
    Undef(Span),
}

/// One of several assignments at once.
#[derive(Clone, Copy, Debug)]
pub struct Assign {
    /// `A i (lo,hi)` before it.
    pub quantifiers: List<Quantifier>,
    /// What is assigned.
    pub target: ExprId,
    /// Whether it gets the value, or any other.
    pub relation: AssignOp,
    /// The value.
    pub value: Value,
}

/// How the target's new value relates to the value on the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
}

/// `i (lo,hi)`.
#[derive(Clone, Copy, Debug)]
pub struct Quantifier {
    /// The name that it binds.
    pub var: Ident,
    /// The first value.
    pub low: ExprId,
    /// The last value.
    pub high: ExprId,
}

/// `:: guard -> …`.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// When it can be taken.
    pub guard: Guard,
    /// What to do then.
    pub body: Block,
    /// The guard.
    pub span: Span,
}

/// When a branch can be taken.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    /// Where this is true.
    Test(ExprId),
    /// Where no other can.
    Else,
    /// Always; how often is not asked.
    Chance,
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Where it stands, without parentheses around it.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// Which value of a variable is meant, in a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primes {
    /// `x`
    None,
    /// `x'`
    One,
    /// `x''`
    Two,
}

/// `A` or `E`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// `A`
    All,
    /// `E`
    Some,
}

/// What an expression is.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(u64),
    /// A variable or a constant.
    Name(Symbol, Primes),
    /// `e[e]`.
    Index(ExprId, ExprId),
    /// `e.x`.
    Member(ExprId, Ident),
    /// `!e`.
    Not(ExprId),
    /// `e op e`.
    Binary(BinaryOp, ExprId, ExprId),
    /// `A i (lo,hi) e` or `E i (lo,hi) e`.
    Quantified {
        /// Which of the two.
        quantity: Quantity,
        /// The name that it binds.
        var: Ident,
        /// The first value.
        low: ExprId,
        /// The last value.
        high: ExprId,
        /// The condition.
        body: ExprId,
    },
}

macro_rules! operators {
    ($($(#[$meta:meta])* $name:ident = $text:literal $precedence:literal,)+) => {
        /// An operator of two operands; all associate to the left.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum BinaryOp { $($(#[$meta])* $name,)+ }

        impl BinaryOp {
            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// How tightly it binds, from 1.
            pub(super) fn precedence(self) -> u8 {
                match self { $(Self::$name => $precedence,)+ }
            }
        }
    };
}

operators! {
    /// `||`
    Or = "||" 1,
    /// `^^`
    Xor = "^^" 2,
    /// `&&`
    And = "&&" 3,
    /// `|`
    BitOr = "|" 4,
    /// `^`
    BitXor = "^" 5,
    /// `&`
    BitAnd = "&" 6,
    /// `<=>`
    Equiv = "<=>" 7,
    /// `==`
    Equal = "==" 7,
    /// `!=`
    NotEqual = "!=" 7,
    /// `<`
    Less = "<" 8,
    /// `<=`
    LessEqual = "<=" 8,
    /// `>`
    Greater = ">" 8,
    /// `>=`
    GreaterEqual = ">=" 8,
    /// `<<`
    ShiftLeft = "<<" 9,
    /// `>>`
    ShiftRight = ">>" 9,
    /// `+`
    Add = "+" 10,
    /// `-`
    Subtract = "-" 10,
    /// `*`
    Multiply = "*" 11,
    /// `/`
    Divide = "/" 11,
}
