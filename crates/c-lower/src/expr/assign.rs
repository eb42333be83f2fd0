//! Assignments: `=`, `op=`, `++` and `--`.
//!
//! The value of an assignment is what the left operand holds afterwards. A variable is read again; what lies behind a
//! pointer or is volatile is not.

use super::control::Wanted;
use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{Base, Expr, ExprKind as CoreKind, Place, Projection, StmtKind, Type};
use hardbop_lang_c::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};

impl Unit<'_> {
    /// `left = right` or `left op= right`.
    pub fn assign(&mut self, op: Option<BinaryOp>, left: ExprId, right: ExprId, wanted: Wanted, span: Span) -> Expr {
        if let Some(op) = op {
            return self.compound_assign(op, left, right, wanted, span);
        }
        let Some(place) = self.target(left) else {
            self.effect(right);
            return self.error_value();
        };
        if wanted == Wanted::Effect {
            self.store_at(place, right, span);
            return self.void_value();
        }
        if self.is_readable_again(&place) {
            let constant = self.store_at(place.clone(), right, span);
            return constant.unwrap_or_else(|| Expr::read(place));
        }
        let mut place = place;
        let mark = self.mark();
        let value = self.value_as(right, place.ty);
        self.keep_place(&mut place, mark, span);
        self.write(place, value, Wanted::Value, span)
    }

    /// Whether a place can be read again without a read that nobody wrote.
    fn is_readable_again(&self, place: &Place) -> bool {
        matches!(place.base, Base::Var(_)) && !self.place_qualifiers(place).is_volatile
    }

    /// Writes a value; the result is what the place holds then.
    fn write(&mut self, place: Place, mut value: Expr, wanted: Wanted, span: Span) -> Expr {
        if place.is_deref() {
            self.read_now(&mut value, span);
        }
        if wanted == Wanted::Effect {
            self.emit(StmtKind::Assign(place, value), span);
            return self.void_value();
        }
        if self.is_readable_again(&place) {
            self.emit(StmtKind::Assign(place.clone(), value), span);
            return Expr::read(place);
        }
        if !self.is_repeatable(&value) {
            let text = self.text_of_place(&place);
            value = self.saved_as(value, &text, span);
        }
        let width = self.bit_width(&place);
        self.emit(StmtKind::Assign(place, value.clone()), span);
        match width {
            Some(width) => self.held(value, width, span),
            None => value,
        }
    }

    /// Puts the value of `expr` into `place`.
    pub fn store(&mut self, place: Place, expr: ExprId) {
        let span = self.ast.exprs[expr].span;
        self.store_at(place, expr, span);
    }

    /// Puts the value of `expr` into `place`; the result is the value if it is a constant that the place then holds.
    fn store_at(&mut self, mut place: Place, expr: ExprId, span: Span) -> Option<Expr> {
        let ast = self.ast;
        let is_plain = is_plain(&place);
        match &ast.exprs[expr].kind {
            ExprKind::Call(callee, arguments) => {
                let ty = place.ty;
                let mark = self.mark();
                let value = self.call(expr, *callee, arguments, Some(&place), Wanted::Value);
                if self.is_stored(&value) {
                    return None;
                }
                self.keep_place(&mut place, mark, span);
                let value = self.convert(value, ty, ast.exprs[expr].span);
                self.write(place, value, Wanted::Effect, span);
                return None;
            }
            ExprKind::VaArg(list, name) => {
                let value = self.next_argument(*list, name, Some(&place), span);
                if !self.is_stored(&value) {
                    let value = self.convert(value, place.ty, span);
                    self.write(place, value, Wanted::Effect, span);
                }
                return None;
            }
            ExprKind::Conditional(condition, ..) if is_plain && self.constant_truth(*condition).is_none() => {
                let typing = self.conditional_typing(expr);
                let ty = typing.ty.ty;
                if typing.bits.is_none() && !self.is_void(ty) && (ty == place.ty || self.module.types.is_scalar(ty)) {
                    self.conditional_into(expr, Some(&place), ty);
                    return None;
                }
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
                if is_plain && self.module.types.is_integer(place.ty) && self.logical_constant(expr).is_none() =>
            {
                self.logical_into(expr, &place);
                return None;
            }
            ExprKind::Binary(BinaryOp::Comma, left, right) if is_plain => {
                self.effect(*left);
                return self.store_at(place, *right, span);
            }
            _ => {}
        }
        let mark = self.mark();
        let value = self.value_as(expr, place.ty);
        self.keep_place(&mut place, mark, span);
        let is_constant = matches!(value.kind, CoreKind::Integer(_)) && self.bit_width(&place).is_none();
        let constant = is_constant.then(|| value.clone());
        self.write(place, value, Wanted::Effect, span);
        constant
    }

    fn compound_assign(&mut self, op: BinaryOp, left: ExprId, right: ExprId, wanted: Wanted, span: Span) -> Expr {
        // Like gcc: the right operand first, since what it does may change the left one.
        let right_span = self.ast.exprs[right].span;
        let mut value = self.value(right);
        let mark = self.mark();
        let Some(place) = self.target(left) else { return self.error_value() };
        self.keep(&mut value, mark, right_span);
        if self.module.types.record(place.ty).is_some() {
            let text = self.type_text(place.ty);
            return self.wrong("wrong-operands", format!("an operator does not take {text}"), span);
        }
        let mut old = Expr::read(place.clone());
        if place.is_deref() {
            self.read_now(&mut value, right_span);
            self.read_now(&mut old, span);
        }
        let new = self.binary_value(op, old, value, span);
        let new = self.convert(new, place.ty, span);
        self.write(place, new, wanted, span)
    }

    /// `++operand` and its kin.
    pub fn step(&mut self, op: UnaryOp, operand: ExprId, wanted: Wanted, span: Span) -> Expr {
        let Some(place) = self.target(operand) else { return self.error_value() };
        let types = &self.module.types;
        if !types.is_scalar(place.ty) && !matches!(types.get(place.ty), Type::Vector(..)) {
            let text = self.type_text(place.ty);
            return self.wrong("wrong-operands", format!("{text} cannot be counted up or down"), span);
        }
        let (op, is_post) = match op {
            UnaryOp::PreIncrement => (BinaryOp::Add, false),
            UnaryOp::PreDecrement => (BinaryOp::Sub, false),
            UnaryOp::PostIncrement => (BinaryOp::Add, true),
            _ => (BinaryOp::Sub, true),
        };
        let mut old = Expr::read(place.clone());
        let is_kept = is_post && wanted == Wanted::Value;
        if self.bit_width(&place).is_some() {
            old = self.promote(old);
        }
        if is_kept || place.is_deref() {
            let text = self.text_of_place(&place);
            old = self.saved_as(old, &text, span);
        }
        let int = self.int();
        let new = self.binary_value(op, old.clone(), Expr::integer(1, int), span);
        let new = self.convert(new, place.ty, span);
        if is_kept {
            self.write(place, new, Wanted::Effect, span);
            return old;
        }
        self.write(place, new, wanted, span)
    }

    /// Whether the value stands for one that is stored already.
    fn is_stored(&self, value: &Expr) -> bool {
        self.is_void(value.ty) && matches!(value.kind, CoreKind::Integer(1))
    }

    /// Stands for a value that is stored already.
    pub fn stored_value(&mut self) -> Expr {
        let void = self.void();
        Expr::integer(1, void)
    }
}

/// Whether a place is a variable or a member of one: nothing is computed on the way to it.
pub(crate) fn is_plain(place: &Place) -> bool {
    matches!(place.base, Base::Var(_)) && place.path.iter().all(|step| matches!(step, Projection::Field(_)))
}
