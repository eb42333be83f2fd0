//! The syntax tree, in arenas: nothing in it owns anything else, so depth costs no stack when it is dropped.
//!
//! **Invariant:** statements are numbered in the order of the source, procedure by procedure, a statement before those
//! inside it; each `elsif` is a statement of its own. So the control points of a procedure are its statements, one to
//! one. A procedure's expressions are consecutive too.

use crate::names::{Keyword, Names, Symbol};
use hardbop_base::{Diagnostic, Idx, IndexVec, Span, newtype_index};
use std::marker::PhantomData;

newtype_index! {
    /// An expression.
    pub struct ExprId = "e";
    /// A statement.
    pub struct StmtId = "s";
    /// A procedure.
    pub struct ProcId = "f";
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

    pub(crate) fn new(start: usize, end: usize) -> Self {
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

/// A run of ids.
impl<T: Idx> List<T> {
    /// The ids themselves, where the list is a run of a table's own rows.
    pub fn ids(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.rows().map(T::from_usize)
    }
}

/// A statement list; [`Ast::block`] gives its statements.
#[derive(Clone, Copy, Debug)]
pub struct Block(pub(crate) List<StmtId>);

/// A boolean program.
#[derive(Debug, Default)]
pub struct Ast {
    /// The spelling of all names.
    pub names: Names,
    /// All globals, in the order of their declarations.
    pub globals: Vec<Ident>,
    /// All procedures.
    pub procs: IndexVec<ProcId, Proc>,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// All expressions; operands before what they are operands of.
    pub exprs: IndexVec<ExprId, Expr>,
    pub(crate) idents: Vec<Ident>,
    pub(crate) expr_ids: Vec<ExprId>,
    pub(crate) blocks: Vec<StmtId>,
    pub(crate) invariants: Vec<Invariant>,
    /// What the parser found wrong though it could read it; [`check`](crate::check()) reports it with the rest.
    pub(crate) misuses: Vec<Diagnostic>,
}

impl Ast {
    /// The names in a list.
    pub fn idents(&self, list: List<Ident>) -> &[Ident] {
        &self.idents[list.rows()]
    }

    /// The expressions in a list.
    pub fn expr_list(&self, list: List<ExprId>) -> &[ExprId] {
        &self.expr_ids[list.rows()]
    }

    /// The statements of a block.
    pub fn block(&self, block: Block) -> &[StmtId] {
        &self.blocks[block.0.rows()]
    }

    /// The invariants in a list.
    pub fn invariants(&self, list: List<Invariant>) -> &[Invariant] {
        &self.invariants[list.rows()]
    }

    /// How `ident` is spelled.
    pub fn text(&self, ident: Ident) -> &str {
        self.names.text(ident.name)
    }
}

impl Ident {
    /// Whether it is `_`, which stands on the left of `:=` for a value that nobody wants.
    pub fn is_discard(self) -> bool {
        self.name == Keyword::Discard.symbol()
    }
}

/// How many results a procedure has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Results {
    /// `void`, `bool` or `bool<k>`.
    Exactly(u32),
    /// No type: as many as its `return`s give.
    Inferred,
}

/// A procedure.
#[derive(Clone, Copy, Debug)]
pub struct Proc {
    /// Its name.
    pub name: Ident,
    /// How many results it has.
    pub results: Results,
    /// Its parameters.
    pub formals: List<Ident>,
    /// Its other locals.
    pub locals: List<Ident>,
    /// What must be true throughout.
    pub invariants: List<Invariant>,
    /// Its statements.
    pub body: Block,
    /// Its `end`.
    pub end: Span,
    /// All its statements, also those inside others.
    pub stmts: List<StmtId>,
    /// All its expressions.
    pub exprs: List<ExprId>,
}

/// `enforce e` or `abortif e`.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// Which of the two.
    pub kind: InvariantKind,
    /// The condition.
    pub expr: ExprId,
}

/// What becomes of a run where an invariant's condition is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvariantKind {
    /// `enforce`: it goes on; it stops where the condition is false.
    Enforce,
    /// `abortif`: it stops.
    AbortIf,
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// Its labels; numbers are names too.
    pub labels: List<Ident>,
    /// Without labels and semicolon; of `if`, `elsif` and `while` only the head.
    pub span: Span,
    /// What it does.
    pub kind: StmtKind,
}

/// What a statement does.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// `skip`, or a label with nothing behind it.
    Skip,
    /// `print(e, …)`.
    Print(List<ExprId>),
    /// `goto l, …`.
    Goto(List<Ident>),
    /// `return e, …`.
    Return(List<ExprId>),
    /// `x, … := e, … constrain c`.
    Assign {
        /// What is assigned.
        targets: List<Ident>,
        /// The values.
        values: List<ExprId>,
        /// What must be true of the states before and after.
        constraint: Option<ExprId>,
    },
    /// `x, … := f(e, …)`.
    Call {
        /// What the results are assigned to; none where they are ignored.
        targets: List<Ident>,
        /// The procedure.
        callee: Ident,
        /// Its arguments.
        args: List<ExprId>,
    },
    /// `if c then … fi`, or an `elsif` with all that follows.
    If {
        /// The condition.
        test: ExprId,
        /// What to do where it is true.
        then: Block,
        /// What to do where it is false.
        otherwise: Otherwise,
    },
    /// `while c do … od`.
    While {
        /// The condition.
        test: ExprId,
        /// What to repeat.
        body: Block,
    },
    /// `assert(e)`.
    Assert(ExprId),
    /// `assume(e)`.
    Assume(ExprId),
    /// `constrain(e)`.
    Constrain(ExprId),
    /// `dead x, …`.
    Dead(List<Ident>),
    /// `start_thread f(e, …)`.
    StartCall {
        /// The procedure.
        callee: Ident,
        /// Its arguments.
        args: List<ExprId>,
    },
    /// `start_thread goto l`.
    StartGoto(Ident),
    /// `end_thread`.
    EndThread,
    /// `sync x`.
    Sync(Ident),
    /// `atomic_begin`.
    AtomicBegin,
    /// `atomic_end`.
    AtomicEnd,
}

/// What follows the first part of an `if`.
#[derive(Clone, Copy, Debug)]
pub enum Otherwise {
    /// Nothing.
    Nothing,
    /// `elsif`: a statement of kind [`StmtKind::If`].
    Elsif(StmtId),
    /// `else`.
    Else(Block),
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Where it stands, without parentheses around it.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `T` or `F`.
    Const(bool),
    /// `x`.
    Var(Symbol),
    /// `'x`: the value after the statement.
    Next(Symbol),
    /// `*`.
    Any,
    /// `!e`.
    Not(ExprId),
    /// `e op e`.
    Binary(BinaryOp, ExprId, ExprId),
    /// `e ? e : e`.
    Ite(ExprId, ExprId, ExprId),
    /// `schoose[e, e]`.
    Schoose(ExprId, ExprId),
}

impl ExprKind {
    /// The direct subexpressions, left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = ExprId> {
        let (a, b, c) = match self {
            Self::Const(_) | Self::Var(_) | Self::Next(_) | Self::Any => (None, None, None),
            Self::Not(a) => (Some(a), None, None),
            Self::Binary(_, a, b) | Self::Schoose(a, b) => (Some(a), Some(b), None),
            Self::Ite(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }
}

/// An operator of two operands; all associate to the left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `<=>`
    Equiv,
    /// `=>`
    Implies,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `&`
    And,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
}

impl BinaryOp {
    /// How tightly it binds, from 1.
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Self::Equiv => 1,
            Self::Implies => 2,
            Self::Or => 3,
            Self::Xor => 4,
            Self::And => 5,
            Self::Equal | Self::NotEqual => 6,
        }
    }

    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Equiv => "<=>",
            Self::Implies => "=>",
            Self::Or => "|",
            Self::Xor => "^",
            Self::And => "&",
            Self::Equal => "=",
            Self::NotEqual => "!=",
        }
    }
}
