//! Expressions without effects, and the places they speak of.
//!
//! **Invariant:** every operand has the type its operator needs; conversions are [`ExprKind::Cast`]s. Where nothing else
//! is said both operands of a binary operator have the type of its result.

use crate::{FunctionId, LabelId, TypeId, VarId};

mod build;
mod visit;

pub use visit::PlaceUse;

/// An expression and the type of its value, never an array or a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: TypeId,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// A constant of an integer, enumeration or pointer type, within its range (a pointer's: unsigned).
    Integer(i128),
    /// A floating constant, spelled as in the source without its suffix.
    Float(Box<str>),
    /// The value in a place.
    Read(Place),
    /// The address of a place that is no bit-field; no memory is touched. An array's own value is `&a[0]`.
    Address(Place),
    /// The address of a function.
    Function(FunctionId),
    /// GNU's `&&label`, of the function that the expression stands in.
    Label(LabelId),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A conversion to the type of this expression, between scalars (or from a scalar to `void`, where it stands alone).
    Cast(Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`: an `int`, of any scalar.
    Not,
    /// `__real__`
    Real,
    /// `__imag__`
    Imaginary,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+` of numbers.
    Add,
    /// `-` of numbers.
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `<<`; the right operand has its own promoted type.
    Shl,
    /// `>>`; the right operand has its own promoted type.
    Shr,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `==`: an `int`, of two scalars of one type.
    Eq,
    /// `!=`: an `int`, of two scalars of one type.
    Ne,
    /// `<`: an `int`, of two scalars of one type.
    Lt,
    /// `<=`: an `int`, of two scalars of one type.
    Le,
    /// `>`: an `int`, of two scalars of one type.
    Gt,
    /// `>=`: an `int`, of two scalars of one type.
    Ge,
    /// `p + i`: a pointer and an integer of `ptrdiff_t`'s width, signed or not.
    PointerAdd,
    /// `p - i`: a pointer and an integer of `ptrdiff_t`'s width, signed or not.
    PointerSub,
    /// `p - q`: a `ptrdiff_t`, of two pointers of one type.
    PointerDifference,
}

/// A place in memory: `x`, `x.f[i]`, `*p`, `p->f[i]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Where it starts.
    pub base: Base,
    /// The way from there.
    pub path: Vec<Projection>,
    /// The type of what is there; arrays too.
    pub ty: TypeId,
}

/// Where a place starts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A variable.
    Var(VarId),
    /// What a pointer points to. The pointer expression reads variables only, never through another pointer.
    Deref(Box<Expr>),
}

/// A step from a place to a part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Projection {
    /// The member with this number of the record's [`RecordBody::fields`](crate::types::RecordBody::fields).
    Field(u32),
    /// An element of an array, or of a vector: an integer of `ptrdiff_t`'s width, signed or not. It reads variables only.
    Index(Box<Expr>),
}
