//! Types whose lengths only a run knows.
//!
//! The length of each such array is evaluated into a variable where the type is written. An array of variable length is
//! held by a pointer to its innermost elements of fixed size; while a function is lowered its expressions may have
//! variably modified types, and [`Unit::erased`] makes plain pointers of them when it is done.

use crate::unit::Unit;
use hardbop_c_core::{BinaryOp, Expr, FunctionType, Length, Parameters, Place, Qualified, StmtKind, Type, TypeId};
use hardbop_lang_c::ast::ExprId;

impl Unit<'_> {
    /// A length that this declaration does not give: `[*]`, or an expression in a parameter list.
    pub(super) fn length_elsewhere(&mut self) -> Length {
        self.declared.has_varying_length = true;
        Length::Unknown
    }

    /// Evaluates a length into a variable.
    pub(super) fn evaluated_length(&mut self, expr: ExprId) -> Length {
        let span = self.ast.exprs[expr].span;
        let ty = self.size_type();
        let value = self.value_as(expr, ty);
        let var = self.temporary(ty, "length", span);
        self.emit(StmtKind::Assign(Place::var(var, ty), value), span);
        self.declared.has_variable_types = true;
        Length::Variable(var)
    }

    /// Whether objects of the type are arrays of a length that only a run knows.
    pub fn is_variable(&self, ty: TypeId) -> bool {
        self.declared.has_variable_types
            && match *self.module.types.get(ty) {
                Type::Array(_, Length::Variable(_)) => true,
                Type::Array(element, _) => self.is_variable(element.ty),
                _ => false,
            }
    }

    /// Whether a length in the type, behind pointers too, is only known by a run.
    pub fn is_variably_modified(&self, ty: TypeId) -> bool {
        self.declared.has_variable_types
            && match self.module.types.get(ty) {
                Type::Array(_, Length::Variable(_)) => true,
                Type::Array(inner, _) | Type::Pointer(inner) => self.is_variably_modified(inner.ty),
                Type::Function(function) => self.is_variably_modified(function.result),
                _ => false,
            }
    }

    /// How many elements of fixed size an object has, as a `size_t`.
    pub fn variable_count(&mut self, ty: TypeId) -> Expr {
        let size = self.size_type();
        let (element, length) = match *self.module.types.get(ty) {
            Type::Array(element, length) if self.is_variable(ty) => (element.ty, length),
            _ => return Expr::integer(1, size),
        };
        let length = match length {
            Length::Fixed(length) => Expr::integer(length.into(), size),
            Length::Variable(var) => Expr::read(Place::var(var, size)),
            Length::Unknown => Expr::integer(0, size),
        };
        let inner = self.variable_count(element);
        self.product(length, inner)
    }

    /// How many bytes an object has, as a `size_t`.
    pub fn variable_size(&mut self, ty: TypeId) -> Expr {
        let innermost = self.innermost(Qualified::plain(ty)).ty;
        let size = self.module.types.size_of(innermost).unwrap_or(0);
        let (count, size) = (self.variable_count(ty), Expr::integer(size.into(), self.size_type()));
        self.product(count, size)
    }

    fn product(&mut self, left: Expr, right: Expr) -> Expr {
        match (left.as_integer(), right.as_integer()) {
            (Some(1), _) => right,
            (_, Some(1)) => left,
            (Some(left_value), Some(right_value)) => {
                Expr::wrapped(left_value.wrapping_mul(right_value), left.ty, &self.module.types)
            }
            _ => Expr::binary(BinaryOp::Mul, left, right, &mut self.module.types),
        }
    }

    /// The elements of fixed size that an array of variable length consists of.
    pub fn innermost(&self, ty: Qualified) -> Qualified {
        match *self.module.types.get(ty.ty) {
            Type::Array(element, _) if self.is_variable(ty.ty) => self.innermost(element),
            _ => ty,
        }
    }

    /// The type without variable lengths: pointers to such arrays become pointers to their elements of fixed size.
    pub fn erased(&mut self, ty: TypeId) -> TypeId {
        if !self.is_variably_modified(ty) {
            return ty;
        }
        match self.module.types.get(ty).clone() {
            Type::Pointer(pointee) => {
                let pointee = self.erased_qualified(pointee);
                self.module.types.pointer_to_qualified(pointee)
            }
            Type::Array(element, length) if !self.is_variable(ty) => {
                let element = self.erased_qualified(element);
                self.module.types.array_of(element, length)
            }
            Type::Array(..) => self.erased_qualified(Qualified::plain(ty)).ty,
            Type::Function(FunctionType { result, parameters }) => {
                let result = self.erased(result);
                let mut erased = |types: Vec<TypeId>| types.into_iter().map(|ty| self.erased(ty)).collect();
                let parameters = match parameters {
                    Parameters::Fixed(types) => Parameters::Fixed(erased(types)),
                    Parameters::Variadic(types) => Parameters::Variadic(erased(types)),
                    Parameters::Unspecified => Parameters::Unspecified,
                };
                self.module.types.function(result, parameters)
            }
            _ => ty,
        }
    }

    fn erased_qualified(&mut self, ty: Qualified) -> Qualified {
        let innermost = self.innermost(ty);
        Qualified { ty: self.erased(innermost.ty), qualifiers: innermost.qualifiers }
    }

    /// The type of a parameter without the lengths of its elements, which are given elsewhere.
    pub(super) fn without_unknown_lengths(&mut self, ty: TypeId) -> TypeId {
        let Type::Pointer(pointee) = *self.module.types.get(ty) else {
            return ty;
        };
        let (mut element, mut next) = (pointee, pointee);
        while let Type::Array(inner, length) = *self.module.types.get(next.ty) {
            next = inner;
            if length == Length::Unknown {
                element = inner;
            }
        }
        let ty = self.without_unknown_lengths(element.ty);
        self.module.types.pointer_to_qualified(Qualified { ty, ..element })
    }
}
