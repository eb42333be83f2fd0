//! Expressions and places.

use super::Checker;
use crate::{Base, BinaryOp, Expr, ExprKind, IntKind, Length, Place, Projection, Type, TypeId, UnaryOp};

impl<'m> Checker<'m> {
    pub(super) fn expr(&mut self, expr: &'m Expr) {
        let types = &self.module.types;
        match &expr.kind {
            ExprKind::Integer(value) => self.integer(*value, expr.ty),
            ExprKind::Float(_) => self.require(types.is_floating(expr.ty), "a floating constant has another type"),
            ExprKind::Read(place) => {
                self.place(place);
                self.same("what is read", expr.ty, place.ty);
                let is_value = !types.is_array(place.ty) && types.is_complete(place.ty);
                self.require(is_value, "an array, a function or nothing is read");
            }
            ExprKind::Address(place) => self.address(place, expr.ty),
            ExprKind::Function(function) => {
                let Some(function) = self.module.functions.get(*function) else {
                    return self.report(format!("there is no function {function}"));
                };
                self.pointer_to(expr.ty, function.ty);
                let name = &function.name;
                self.require(function.is_address_taken, format!("`{name}` is not marked as address-taken"));
            }
            ExprKind::Label(label) => {
                self.require(types.is_pointer(expr.ty), "the address of a label is no pointer");
                self.label_address(*label);
            }
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                self.unary(*op, operand, expr.ty);
            }
            ExprKind::Binary(op, left, right) => {
                self.expr(left);
                self.expr(right);
                self.binary(*op, left, right, expr.ty);
            }
            ExprKind::Cast(operand) => {
                self.expr(operand);
                let is_scalar = self.is_value(operand.ty) && self.is_value(expr.ty);
                self.require(is_scalar, "something other than a scalar is converted");
            }
        }
    }

    /// Scalars, and vectors as GNU C has them.
    fn is_value(&self, ty: TypeId) -> bool {
        self.module.types.is_scalar(ty) || matches!(self.module.types.get(ty), Type::Vector(..))
    }

    fn is_number(&self, ty: TypeId) -> bool {
        self.is_value(ty) && !self.module.types.is_pointer(ty)
    }

    /// Integers, and vectors as GNU C has them.
    fn is_whole(&self, ty: TypeId) -> bool {
        self.is_number(ty) && !self.module.types.is_floating(ty)
    }

    fn is_int(&self, ty: TypeId) -> bool {
        *self.module.types.get(ty) == Type::Int(IntKind::Int)
    }

    fn integer(&mut self, value: i128, ty: TypeId) {
        let types = &self.module.types;
        let kind = if types.is_pointer(ty) { Some(types.size_kind()) } else { types.int_kind(ty) };
        let Some(kind) = kind else { return self.report("an integer constant has another type") };
        let (least, greatest) = types.range(kind);
        self.require((least..=greatest).contains(&value), format!("{value} is not in the range of its type"));
    }

    fn address(&mut self, place: &'m Place, ty: TypeId) {
        self.place(place);
        self.pointer_to(ty, place.ty);
        self.require(!self.is_bit_field(place), "the address of a bit-field is taken");
        if let Base::Var(var) = place.base
            && let Some(variable) = self.module.vars.get(var)
        {
            self.require(variable.is_address_taken, format!("`{}` is not marked as address-taken", variable.name));
        }
    }

    fn pointer_to(&mut self, ty: TypeId, wanted: TypeId) {
        match self.module.types.pointee(ty) {
            Some(pointee) => self.same("what an address points to", pointee.ty, wanted),
            None => self.report("an address is no pointer"),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, ty: TypeId) {
        let types = &self.module.types;
        match op {
            UnaryOp::Neg | UnaryOp::BitNot => {
                self.same("the operand of a sign", operand.ty, ty);
                self.require(self.is_number(ty), "a sign stands before no number");
            }
            UnaryOp::Not => {
                self.require(self.is_int(ty), "`!` gives no int");
                self.require(types.is_scalar(operand.ty), "`!` stands before no scalar");
            }
            UnaryOp::Real | UnaryOp::Imaginary => {
                self.require(types.is_arithmetic(operand.ty), "a part is taken of no number");
                self.require(!matches!(types.get(ty), Type::Complex(_)), "a part of a number is complex");
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId) {
        let types = &self.module.types;
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                self.same("the left operand", left.ty, ty);
                self.same("the right operand", right.ty, ty);
                self.require(self.is_number(ty), "arithmetic is done on no numbers");
            }
            BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                self.same("the left operand", left.ty, ty);
                self.same("the right operand", right.ty, ty);
                self.require(self.is_whole(ty), "bits are taken of no integers");
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                self.same("the left operand", left.ty, ty);
                self.require(self.is_whole(ty) && self.is_whole(right.ty), "a shift is of no integers");
            }
            BinaryOp::PointerAdd | BinaryOp::PointerSub => {
                self.same("the left operand", left.ty, ty);
                self.require(types.is_pointer(ty), "pointer arithmetic is done on no pointer");
                self.offset(right);
            }
            BinaryOp::PointerDifference => {
                self.same("the right operand", right.ty, left.ty);
                self.require(types.is_pointer(left.ty), "pointer arithmetic is done on no pointer");
                let is_difference = types.int_kind(ty) == Some(types.difference_kind());
                self.require(is_difference, "the difference of two pointers is no ptrdiff_t");
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.same("the right operand", right.ty, left.ty);
                self.require(types.is_scalar(left.ty), "no scalars are compared");
                self.require(self.is_int(ty), "a comparison gives no int");
            }
        }
    }

    /// Requires an integer of `ptrdiff_t`'s width.
    fn offset(&mut self, index: &Expr) {
        let types = &self.module.types;
        let kind = types.int_kind(index.ty);
        let is_wide = kind.is_some_and(|kind| types.width(kind) == types.width(types.difference_kind()));
        self.require(is_wide, "an index is no integer of ptrdiff_t's width");
    }

    pub(super) fn place(&mut self, place: &'m Place) {
        let types = &self.module.types;
        let start = match &place.base {
            Base::Var(var) => {
                self.visible(*var);
                self.module.vars.get(*var).map(|variable| variable.ty.ty)
            }
            Base::Deref(pointer) => {
                self.expr(pointer);
                self.require(pointer.pointer_reads() == 0, "a pointer is read through another one");
                types.pointee(pointer.ty).map(|pointee| pointee.ty)
            }
        };
        let Some(mut ty) = start else { return self.report("a place starts at no pointer") };
        for step in &place.path {
            let next = match step {
                Projection::Field(index) => {
                    let body = types.record(ty).and_then(|record| types.body(record));
                    body.and_then(|body| body.fields.get(*index as usize)).map(|field| field.ty.ty)
                }
                Projection::Index(index) => {
                    self.expr(index);
                    self.offset(index);
                    self.require(index.pointer_reads() == 0, "an index is read through a pointer");
                    types.element(ty).map(|element| element.ty)
                }
            };
            let Some(next) = next else { return self.report("a step leads nowhere") };
            ty = next;
        }
        self.same("a place", place.ty, ty);
        let is_variable = matches!(types.get(place.ty), Type::Array(_, Length::Variable(_)));
        self.require(!is_variable, "the length of an array is a variable");
    }

    /// Whether the place, whose steps are valid, is a bit-field.
    fn is_bit_field(&self, place: &Place) -> bool {
        let types = &self.module.types;
        let mut ty = match &place.base {
            Base::Var(var) => self.module.vars.get(*var).map(|variable| variable.ty.ty),
            Base::Deref(pointer) => types.pointee(pointer.ty).map(|pointee| pointee.ty),
        };
        let mut has_bits = false;
        for step in &place.path {
            let record = ty.and_then(|ty| types.record(ty)).and_then(|record| types.body(record));
            match step {
                Projection::Field(index) => {
                    let field = record.and_then(|body| body.fields.get(*index as usize));
                    has_bits = field.is_some_and(|field| field.bits.is_some());
                    ty = field.map(|field| field.ty.ty);
                }
                Projection::Index(_) => {
                    has_bits = false;
                    ty = ty.and_then(|ty| types.element(ty)).map(|element| element.ty);
                }
            }
        }
        has_bits
    }
}
