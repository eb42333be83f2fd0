//! Statements: assignments, calls, branches and jumps.
//!
//! **Invariant:** one statement (or one condition) reads or writes memory through a pointer at most once, counting each
//! [`Base::Deref`](crate::Base::Deref) that is read or written and not those under [`Address`](crate::ExprKind::Address).

use crate::{Expr, FunctionId, Place, TypeId, VarId};
use hardbop_base::{Span, newtype_index};

mod visit;

pub use visit::visit_block;

newtype_index! {
    /// A label of a function.
    pub struct LabelId = "l";
}

/// A label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name; no other label of the function has it.
    pub name: String,
    /// Whether the name is the source's own.
    pub is_written: bool,
    /// Whether its address is taken.
    pub is_address_taken: bool,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The part of the source that it does.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `place = value`: scalars, and records as a whole.
    Assign(Place, Expr),
    /// Every byte of the place becomes zero.
    Zero(Place),
    /// `place = f(arguments)`: the result has the type of the place.
    Call {
        /// Where the result goes.
        result: Option<Place>,
        /// What is called.
        callee: Callee,
        /// The arguments, converted to what the callee takes. Records are passed whole.
        arguments: Vec<Expr>,
    },
    /// `place = va_arg(list, type)`: the next argument of the type of the place.
    NextArgument {
        /// Where it goes.
        result: Option<Place>,
        /// The address of the list.
        list: Expr,
        /// The type asked for.
        ty: TypeId,
    },
    /// The declaration of a local is reached: from here on it holds anything.
    Fresh(VarId),
    /// Assembly. Nobody knows what it does: it may change its outputs and, if it says so, memory.
    Asm(Box<Asm>),
    /// What is not modelled. A run that comes here may do anything.
    Unmodelled(String),
    /// `if (condition) … else …`; the condition is an integer, floating or pointer value that is zero or not.
    If(Expr, Block, Block),
    /// `while (condition) …`
    While(Expr, Block),
    /// Leaves the innermost `while`.
    Break,
    /// Goes on with the innermost `while`.
    Continue,
    /// `label:`
    Label(LabelId),
    /// `goto label;`
    Goto(LabelId),
    /// `goto *e;`: to one of the labels whose address is taken.
    GotoComputed(Expr),
    /// `return e;`
    Return(Option<Expr>),
    /// Statements in braces; they have no scope of their own.
    Block(Block),
}

/// What is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// This function.
    Function(FunctionId),
    /// What the pointer points to: a pointer to a function type that the arguments have been converted for. It reads
    /// variables only.
    Pointer(Expr),
}

/// An `asm` statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asm {
    /// Its text.
    pub text: Vec<u8>,
    /// `volatile`, or without outputs.
    pub is_volatile: bool,
    /// What it writes, and reads before where the constraint begins with `+`: name, constraint, place. None goes through
    /// a pointer.
    pub outputs: Vec<(Option<String>, String, Place)>,
    /// What it reads: name, constraint, value; for memory operands (`"m"`) the place's value. None goes through a pointer.
    pub inputs: Vec<(Option<String>, String, Expr)>,
    /// What else it destroys.
    pub clobbers: Vec<String>,
    /// Where it may jump to, besides going on.
    pub labels: Vec<LabelId>,
}

impl Asm {
    /// The places that it writes and reads before.
    pub fn changed(&self) -> impl Iterator<Item = &Place> {
        self.outputs.iter().filter(|(_, constraint, _)| constraint.starts_with('+')).map(|(_, _, place)| place)
    }
}
