//! Addresses of places, functions and labels.

use super::Operand;
use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{Base, BinaryOp, Expr, ExprKind, Place, Qualified, Type};
use hardbop_lang_c::ast::{ExprId, Ident, UnaryOp};

impl Unit<'_> {
    /// `&operand`
    pub fn address_of(&mut self, operand: ExprId, span: Span) -> Expr {
        let mistakes = self.mistakes;
        match self.operand(operand) {
            Operand::Place(place) => self.address_of_place(place, span),
            Operand::Function(function) => self.function_value(function),
            // `&*f` is `f`.
            Operand::Value(value) if self.module.types.callee(value.ty).is_some() => value,
            Operand::Value(_) if self.mistakes > mistakes => self.error_value(),
            Operand::Value(_) => self.wrong("not-addressable", "this has no address", span),
        }
    }

    /// The address of `place`, as a pointer to its type with its qualifiers.
    pub fn address_of_place(&mut self, place: Place, span: Span) -> Expr {
        if self.bit_width(&place).is_some() {
            return self.wrong("not-addressable", "a bit-field has no address", span);
        }
        self.take_address(&place);
        let (target, _) = self.module.walk_place(&place);
        let target = self.qualify(Qualified::plain(target.ty), target.qualifiers);
        let ty = self.module.types.pointer_to_qualified(target);
        match place.base {
            Base::Deref(pointer) if place.path.is_empty() && self.is_variable(place.ty) => {
                Expr { kind: pointer.kind, ty }
            }
            Base::Deref(pointer) if place.path.is_empty() && self.is_void(place.ty) => *pointer,
            base => {
                let value = Expr::address_as(Place { base, ..place }, ty);
                self.fold(value)
            }
        }
    }

    /// `&&label`
    pub fn label_address(&mut self, label: Ident) -> Expr {
        if self.function.is_none() {
            return self.wrong("stray-label", "a label stands outside of functions", label.span);
        }
        let label = self.label(label);
        self.activation().labels[label].is_address_taken = true;
        let void = self.void();
        let ty = self.module.types.pointer_to(void);
        Expr::label(label, ty)
    }

    /// `__real__ place` and `__imag__ place`: a place where the number is complex.
    pub(super) fn part_of_complex(&mut self, op: UnaryOp, place: Place, span: Span) -> Operand {
        let Type::Complex(kind) = *self.module.types.get(place.ty) else {
            if op == UnaryOp::Real {
                return Operand::Place(place);
            }
            let value = self.load(place, span);
            return Operand::Value(self.unary_value(op, value, span));
        };
        let qualifiers = self.place_qualifiers(&place);
        let part = self.module.types.float(kind);
        let pointer = self.module.types.pointer_to_qualified(Qualified { ty: part, qualifiers });
        let start = self.address_of_place(place, span);
        let start = Expr { kind: ExprKind::Cast(Box::new(start)), ty: pointer };
        let index = self.module.types.int(self.module.types.difference_kind());
        let start = match op {
            UnaryOp::Real => start,
            _ => Expr::binary(BinaryOp::PointerAdd, start, Expr::integer(1, index), &mut self.module.types),
        };
        Operand::Place(self.pointee_place(start))
    }
}
