//! C without its sugar: a typed three-address form in the manner of CIL \[NMRW02\].
//!
//! Every conversion is written out, side effects are statements, a statement reads or writes through at most one
//! pointer, short circuits and `switch` are branches. What is left are assignments, calls, conditions and jumps over
//! [`Expr`]essions that have no effects. The form is printed as C that means the same.
//!
//! `c-lower` makes it, `c-run` executes it, `points-to` and the engines read it.

pub mod calls;
pub mod check;
pub mod expr;
pub mod fold;
pub mod layout;
pub mod module;
pub mod names;
pub mod parts;
pub mod print;
mod qualifiers;
pub mod rewrite;
pub mod stmt;
pub mod types;

pub use expr::{Base, BinaryOp, Expr, ExprKind, Place, PlaceUse, Projection, UnaryOp};
pub use module::{
    Body, Function, FunctionId, InitialPart, InitialStep, InitialValue, Initialiser, Linkage, Module, OtherName, VarId,
    VarKind, Variable,
};
pub use stmt::{Asm, Block, Callee, Label, LabelId, Stmt, StmtKind};
pub use types::{
    Bits, EnumId, Enumeration, Field, FloatKind, FunctionType, IntKind, Length, Parameters, Qualified, Qualifiers,
    Record, RecordBody, RecordId, RecordKind, Target, Type, TypeId, Types,
};
