//! Expressions and places made so that their invariants hold.

use super::{Base, BinaryOp, Expr, ExprKind, Place, Projection, UnaryOp};
use crate::{FunctionId, IntKind, LabelId, Module, TypeId, Types, VarId};

impl Expr {
    /// A constant of an integer, enumeration or pointer type.
    ///
    /// # Requires
    /// The value is one of the type's.
    pub fn integer(value: i128, ty: TypeId) -> Self {
        Self { kind: ExprKind::Integer(value), ty }
    }

    /// A constant of an integer, enumeration or pointer type, converted to it.
    pub fn wrapped(value: i128, ty: TypeId, types: &Types) -> Self {
        let kind = types.int_kind(ty).unwrap_or(types.size_kind());
        Self::integer(types.wrap(kind, value), ty)
    }

    /// A constant `int`.
    pub fn int(value: i32, types: &mut Types) -> Self {
        Self::integer(value.into(), types.int(IntKind::Int))
    }

    /// A floating constant, spelled without a suffix.
    pub fn float(spelling: impl Into<Box<str>>, ty: TypeId) -> Self {
        Self { kind: ExprKind::Float(spelling.into()), ty }
    }

    /// The value in a place, which is no array.
    pub fn read(place: Place) -> Self {
        let ty = place.ty;
        Self { kind: ExprKind::Read(place), ty }
    }

    /// The address of a place, as a pointer to its type without qualifiers; `&*p` is `p`.
    pub fn address(place: Place, types: &mut Types) -> Self {
        let ty = types.pointer_to(place.ty);
        Self::address_as(place, ty)
    }

    /// The address of a place as this pointer type, whose pointee may have qualifiers; `&*p` is `p`.
    pub fn address_as(place: Place, ty: TypeId) -> Self {
        match place {
            Place { base: Base::Deref(pointer), path, .. } if path.is_empty() && pointer.ty == ty => *pointer,
            place => Self { kind: ExprKind::Address(place), ty },
        }
    }

    /// The address of an array's first element: the array's value.
    pub fn decay(array: Place, types: &mut Types) -> Self {
        let zero = Self::integer(0, types.int(types.difference_kind()));
        let element = types.element(array.ty).expect("only arrays become pointers to their first element");
        let ty = types.pointer_to_qualified(element);
        Self::address_as(array.index(zero, types), ty)
    }

    /// The address of a function, as a pointer to its type.
    pub fn function(function: FunctionId, ty: TypeId) -> Self {
        Self { kind: ExprKind::Function(function), ty }
    }

    /// The address of a label, as a `void *`.
    pub fn label(label: LabelId, ty: TypeId) -> Self {
        Self { kind: ExprKind::Label(label), ty }
    }

    /// An operator with one operand whose result has this type.
    pub fn unary(op: UnaryOp, operand: Self, ty: TypeId) -> Self {
        Self { kind: ExprKind::Unary(op, Box::new(operand)), ty }
    }

    /// `!operand`
    pub fn not(operand: Self, types: &mut Types) -> Self {
        Self::unary(UnaryOp::Not, operand, types.int(IntKind::Int))
    }

    /// An operator with two operands; the type of the result follows from the operator.
    pub fn binary(op: BinaryOp, left: Self, right: Self, types: &mut Types) -> Self {
        let ty = match op {
            _ if op.is_comparison() => types.int(IntKind::Int),
            BinaryOp::PointerDifference => types.int(types.difference_kind()),
            _ => left.ty,
        };
        Self { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
    }

    /// The expression converted to this type; itself if it has that type.
    pub fn cast(self, ty: TypeId) -> Self {
        if self.ty == ty { self } else { Self { kind: ExprKind::Cast(Box::new(self)), ty } }
    }

    /// Whether it is a constant that is zero: a null pointer, if it is a pointer.
    pub fn is_zero(&self) -> bool {
        self.as_integer() == Some(0)
    }

    /// The value of an integer, enumeration or pointer constant.
    pub fn as_integer(&self) -> Option<i128> {
        match self.kind {
            ExprKind::Integer(value) => Some(value),
            _ => None,
        }
    }
}

impl BinaryOp {
    /// Whether the result is the `int` 0 or 1.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// Whether the result is a pointer.
    pub const fn is_pointer_arithmetic(self) -> bool {
        matches!(self, Self::PointerAdd | Self::PointerSub)
    }
}

impl Place {
    /// A whole variable of this type.
    pub fn var(var: VarId, ty: TypeId) -> Self {
        Self { base: Base::Var(var), path: Vec::new(), ty }
    }

    /// What the pointer points to; `*&x` is `x`.
    ///
    /// # Panics
    /// If it is no pointer.
    pub fn deref(pointer: Expr, types: &Types) -> Self {
        let ty = types.pointee(pointer.ty).expect("only pointers point").ty;
        match pointer.kind {
            ExprKind::Address(place) if place.ty == ty => place,
            _ => Self { base: Base::Deref(Box::new(pointer)), path: Vec::new(), ty },
        }
    }

    /// A member of the record here.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn field(mut self, index: u32, types: &Types) -> Self {
        self.ty = types.field(self.ty, index).ty.ty;
        self.path.push(Projection::Field(index));
        self
    }

    /// The members on a way that [`Types::find_field`] found.
    pub fn fields(self, path: &[u32], types: &Types) -> Self {
        path.iter().fold(self, |place, &index| place.field(index, types))
    }

    /// An element of the array or vector here.
    ///
    /// # Panics
    /// If it is neither.
    pub fn index(mut self, index: Expr, types: &Types) -> Self {
        self.ty = types.element(self.ty).expect("only arrays and vectors have elements").ty;
        self.path.push(Projection::Index(Box::new(index)));
        self
    }

    /// The variable, if the place is all of it.
    pub fn as_var(&self) -> Option<VarId> {
        match self.base {
            Base::Var(var) if self.path.is_empty() => Some(var),
            _ => None,
        }
    }

    /// Whether it starts at what a pointer points to.
    pub fn is_deref(&self) -> bool {
        matches!(self.base, Base::Deref(_))
    }
}

impl Module {
    /// A whole variable.
    pub fn place(&self, var: VarId) -> Place {
        Place::var(var, self.vars[var].ty.ty)
    }
}
