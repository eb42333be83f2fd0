//! Expressions, taken apart: what has effects becomes statements, what is left is a value.
//!
//! An expression is first an [`Operand`], a place or a value; [`Unit::value`] loads it. Operands are lowered from left
//! to right, and [`order`] sees to it that a value which is computed is not changed by what is emitted after it.

mod address;
mod arithmetic;
mod assign;
mod atomic;
mod builtin;
mod call;
mod constant;
mod control;
mod convert;
pub(crate) mod literal;
pub(crate) mod order;
mod place;
pub(crate) mod signatures;
mod size;
mod text;
pub(crate) mod typing;

use crate::unit::Unit;
use control::Wanted;
use hardbop_c_core::{Base, Expr, ExprKind as CoreKind, FunctionId, Place, StmtKind, TypeId};
use hardbop_lang_c::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};

pub(crate) use control::Arm;

/// What an expression is before it is loaded.
pub(crate) enum Operand {
    /// It designates a place.
    Place(Place),
    /// It designates a function.
    Function(FunctionId),
    /// It is a value.
    Value(Expr),
}

impl Unit<'_> {
    /// The value of `expr` after lvalue conversion and decay; its effects are emitted.
    pub fn value(&mut self, expr: ExprId) -> Expr {
        let span = self.ast.exprs[expr].span;
        match self.operand(expr) {
            Operand::Place(place) => self.load(place, span),
            Operand::Function(function) => self.function_value(function),
            Operand::Value(value) => value,
        }
    }

    /// The value of `expr`, converted as by assignment to `ty`.
    pub fn value_as(&mut self, expr: ExprId, ty: TypeId) -> Expr {
        let span = self.ast.exprs[expr].span;
        let value = self.value(expr);
        self.convert(value, ty, span)
    }

    /// The value of a condition: any scalar.
    pub fn condition(&mut self, expr: ExprId) -> Expr {
        let span = self.ast.exprs[expr].span;
        let value = self.value(expr);
        if self.module.types.is_scalar(value.ty) {
            return value;
        }
        let text = self.type_text(value.ty);
        self.wrong("wrong-operands", format!("{text} is neither true nor false"), span)
    }

    /// Evaluates `expr` for its effects.
    pub fn effect(&mut self, expr: ExprId) {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        match &ast.exprs[expr].kind {
            ExprKind::Call(callee, arguments) => drop(self.call(expr, *callee, arguments, None, Wanted::Effect)),
            ExprKind::Assign(op, left, right) => drop(self.assign(*op, *left, *right, Wanted::Effect, span)),
            ExprKind::Unary(op, operand) if is_step(*op) => drop(self.step(*op, *operand, Wanted::Effect, span)),
            ExprKind::Binary(BinaryOp::Comma, left, right) => {
                self.effect(*left);
                self.effect(*right);
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let mut rest = |unit: &mut Self| unit.effect(*right);
                match op {
                    BinaryOp::And => self.branch(*left, Arm::Code(&mut rest), Arm::Nothing),
                    _ => self.branch(*left, Arm::Nothing, Arm::Code(&mut rest)),
                }
            }
            ExprKind::Conditional(condition, then, otherwise) => self.conditional_effect(*condition, *then, *otherwise),
            ExprKind::Cast(name, operand) => {
                self.type_name(name);
                self.effect(*operand);
            }
            ExprKind::Statement(block) => drop(self.statement_expression(*block, Wanted::Effect)),
            _ => {
                let value = self.value(expr);
                self.discard(value, span);
            }
        }
    }

    fn conditional_effect(&mut self, condition: ExprId, then: Option<ExprId>, otherwise: ExprId) {
        let mut last = |unit: &mut Self| unit.effect(otherwise);
        let mut first = |unit: &mut Self| then.into_iter().for_each(|then| unit.effect(then));
        match (self.constant_truth(condition), then) {
            (Some(true), _) => first(self),
            (Some(false), _) => last(self),
            (None, Some(_)) => self.branch(condition, Arm::Code(&mut first), Arm::Code(&mut last)),
            (None, None) => self.branch(condition, Arm::Nothing, Arm::Code(&mut last)),
        }
    }

    /// Drops a value; what is volatile in it or lies behind a pointer, which may be null, is read all the same.
    pub fn discard(&mut self, value: Expr, span: hardbop_base::Span) {
        let mut is_seen = false;
        value.visit_places(&mut |place, usage| {
            let is_read = usage == hardbop_c_core::PlaceUse::Read;
            is_seen |= is_read && (place.is_deref() || self.place_qualifiers(place).is_volatile);
        });
        if is_seen {
            self.saved(value, span);
        }
    }

    /// Whether reading the value again later gives the same, whatever is called or stored through pointers: a
    /// constant, or a variable that nobody else sees.
    pub fn is_repeatable(&self, value: &Expr) -> bool {
        match &value.kind {
            CoreKind::Integer(_) | CoreKind::Float(_) | CoreKind::Function(_) | CoreKind::Label(_) => true,
            CoreKind::Read(place) => match place.base {
                Base::Var(var) => place.path.is_empty() && !self.is_exposed(var),
                Base::Deref(_) => false,
            },
            CoreKind::Cast(operand) => self.is_repeatable(operand),
            CoreKind::Address(place) => matches!(place.base, Base::Var(_)) && place.path.is_empty(),
            CoreKind::Unary(..) | CoreKind::Binary(..) => false,
        }
    }

    /// What `expr` is; its effects are emitted.
    pub fn operand(&mut self, expr: ExprId) -> Operand {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        Operand::Value(match &ast.exprs[expr].kind {
            ExprKind::Name(name) => return self.name_operand(*name, span),
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) => self.number_value(expr),
            ExprKind::String(id) => {
                let var = self.literal(*id);
                return Operand::Place(self.module.place(var));
            }
            ExprKind::Unary(op, operand) => return self.unary(*op, *operand, span),
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, *left, *right),
            ExprKind::Assign(op, left, right) => self.assign(*op, *left, *right, Wanted::Value, span),
            ExprKind::Conditional(..) => self.conditional(expr),
            ExprKind::Call(callee, arguments) => self.call(expr, *callee, arguments, None, Wanted::Value),
            ExprKind::Index(array, index) => return self.index(*array, *index, span),
            ExprKind::Member(record, member) => return self.member(*record, *member),
            ExprKind::Arrow(pointer, member) => return self.arrow(*pointer, *member),
            ExprKind::Cast(name, operand) => self.cast_expression(name, *operand, span),
            ExprKind::Compound(name, list) => {
                let var = self.compound_literal(name, list, span);
                return Operand::Place(self.variable_place(var));
            }
            ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => self.size_value(expr),
            ExprKind::AlignofExpr(_) | ExprKind::AlignofType(_) => self.align_value(expr),
            ExprKind::Statement(block) => self.statement_operand(*block, span),
            ExprKind::LabelAddress(label) => self.label_address(*label),
            ExprKind::Generic(..) | ExprKind::Choose(..) => match self.chosen(expr) {
                Some(chosen) => return self.operand(chosen),
                None => self.error_value(),
            },
            ExprKind::VaArg(list, name) => self.next_argument(*list, name, None, span),
            ExprKind::Offsetof(name, designators) => self.offset_of(name, designators, span),
            ExprKind::TypesCompatible(left, right) => self.types_compatible(left, right),
            ExprKind::ConvertVector(operand, name) => self.convert_vector(*operand, name, span),
            ExprKind::Error => self.error_value(),
        })
    }

    fn statement_operand(&mut self, block: hardbop_lang_c::ast::StmtId, span: hardbop_base::Span) -> Expr {
        if self.function.is_none() {
            return self.wrong("not-constant", "a statement expression stands outside of functions", span);
        }
        self.statement_expression(block, Wanted::Value)
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, span: hardbop_base::Span) -> Operand {
        match op {
            UnaryOp::Deref => self.deref(operand, span),
            UnaryOp::AddressOf => Operand::Value(self.address_of(operand, span)),
            UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                Operand::Value(self.step(op, operand, Wanted::Value, span))
            }
            UnaryOp::Not if self.is_short_circuit(operand) => {
                let value = self.value(operand);
                Operand::Value(self.negation(value))
            }
            UnaryOp::Real | UnaryOp::Imaginary => match self.operand(operand) {
                Operand::Place(place) => self.part_of_complex(op, place, span),
                Operand::Value(value) => Operand::Value(self.unary_value(op, value, span)),
                Operand::Function(function) => Operand::Value(self.function_value(function)),
            },
            _ => {
                let value = self.value(operand);
                Operand::Value(self.unary_value(op, value, span))
            }
        }
    }

    fn binary(&mut self, expr: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Expr {
        let span = self.ast.exprs[expr].span;
        match op {
            BinaryOp::And | BinaryOp::Or => self.logical(expr),
            BinaryOp::Comma => {
                self.effect(left);
                self.value(right)
            }
            _ if self.is_read_late(op, left, right) => {
                let second = self.value(right);
                let first = self.value(left);
                self.binary_value(op, first, second, span)
            }
            _ => {
                let (left, right) = self.both(left, right);
                self.binary_value(op, left, right, span)
            }
        }
    }

    /// Whether the left operand is a variable that gcc reads after what the right one does: it puts variables last
    /// where the operator does not mind.
    fn is_read_late(&self, op: BinaryOp, left: ExprId, right: ExprId) -> bool {
        let is_symmetric =
            matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr)
                || arithmetic::comparison(op).is_some();
        let ExprKind::Name(name) = self.ast.exprs[left].kind else { return false };
        let Some(crate::scope::Meaning::Var(var)) = self.scopes.find(name) else { return false };
        let kind = self.module.types.int_kind(self.module.vars[var].ty.ty);
        let is_promoted = kind.is_none_or(|kind| kind.promote() == kind);
        is_symmetric && is_promoted && !matches!(self.ast.exprs[right].kind, ExprKind::Name(_))
    }

    /// Both values, the left one first; together they read through one pointer at most.
    pub fn both(&mut self, left: ExprId, right: ExprId) -> (Expr, Expr) {
        let (left_span, mut first) = (self.ast.exprs[left].span, self.value(left));
        let mark = self.mark();
        let second = self.value(right);
        self.keep_left(&mut first, mark, left_span);
        self.part(&mut first, &second, left_span);
        (first, second)
    }

    fn cast_expression(
        &mut self,
        name: &hardbop_lang_c::ast::TypeName,
        operand: ExprId,
        span: hardbop_base::Span,
    ) -> Expr {
        let ty = self.type_name(name).ty;
        if self.is_void(ty) {
            self.effect(operand);
            return self.void_value();
        }
        let value = self.value(operand);
        if self.module.types.record(ty).is_some() && value.ty != ty {
            return self.cast_to_union(value, ty, span);
        }
        self.explicit_cast(value, ty, span)
    }

    /// GNU's `(union u)value`: the member of the value's type gets it.
    pub fn cast_to_union(&mut self, value: Expr, ty: TypeId, span: hardbop_base::Span) -> Expr {
        let types = &self.module.types;
        let fields = self.record_body(ty).map(|body| &body.fields[..]).unwrap_or_default();
        let is_union =
            types.record(ty).is_some_and(|record| types.records[record].kind == hardbop_c_core::RecordKind::Union);
        let pointers = |field: &hardbop_c_core::Field| types.is_pointer(field.ty.ty) && types.is_pointer(value.ty);
        let found =
            fields.iter().position(|field| types.is_compatible_within_unit(field.ty.ty, value.ty)).or_else(|| {
                fields.iter().position(|field| pointers(field) || value.is_zero() && types.is_pointer(field.ty.ty))
            });
        let Some(number) = found.filter(|_| is_union) else { return self.convert(value, ty, span) };
        let whole = self.temporary_place(ty, "union", span);
        let member = whole.clone().field(number as u32, &self.module.types);
        let value = self.cast(value, member.ty);
        self.emit(StmtKind::Assign(member, value), span);
        Expr::read(whole)
    }
}

fn is_step(op: UnaryOp) -> bool {
    use UnaryOp::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
    matches!(op, PreIncrement | PreDecrement | PostIncrement | PostDecrement)
}
