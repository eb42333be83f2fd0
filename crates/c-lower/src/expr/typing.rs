//! Types of expressions that are not evaluated. Nothing is emitted.

use super::arithmetic::{Null, comparison};
use super::control::Wanted;
use super::convert::Number;
use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{IntKind, Qualified, Qualifiers, Type, TypeId};
use hardbop_lang_c::ast::{BinaryOp, ExprId, ExprKind, Ident, Name, StmtId, UnaryOp};

/// The type of an expression before decay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typing {
    pub ty: Qualified,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

impl Typing {
    fn plain(ty: TypeId) -> Self {
        Self { ty: Qualified::plain(ty), bits: None }
    }

    /// The type of the value.
    fn unqualified(self) -> Self {
        Self { ty: Qualified::plain(self.ty.ty), ..self }
    }
}

impl Unit<'_> {
    /// The type of `expr` with its qualifiers, before decay; nothing is evaluated or emitted.
    pub fn type_of(&mut self, expr: ExprId) -> Qualified {
        self.typing(expr).ty
    }

    pub(super) fn typing(&mut self, expr: ExprId) -> Typing {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        let ty = match &ast.exprs[expr].kind {
            ExprKind::Name(name) => return self.name_typing(*name, span),
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) => self.number_value(expr).ty,
            ExprKind::String(id) => self.string_type(*id),
            ExprKind::Unary(op, operand) => return self.unary_typing(*op, *operand, span),
            ExprKind::Binary(op, left, right) => return self.binary_typing(*op, *left, *right, span),
            ExprKind::Assign(_, left, _) => return self.typing(*left).unqualified(),
            ExprKind::Conditional(..) => return self.conditional_typing(expr),
            ExprKind::Call(callee, arguments) => self.call_type(*callee, arguments),
            ExprKind::Index(array, index) => return self.index_typing(*array, *index),
            ExprKind::Member(record, member) => {
                let record = self.typing(*record).ty;
                return self.member_typing(record, *member);
            }
            ExprKind::Arrow(pointer, member) => {
                let pointer = self.decayed_type(*pointer);
                let record = self.module.types.pointee(pointer).unwrap_or(Qualified::plain(pointer));
                return self.member_typing(record, *member);
            }
            ExprKind::Cast(name, _) => self.type_name(name).ty,
            ExprKind::Compound(name, list) => return Typing { ty: self.compound_type(name, list), bits: None },
            ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType(_)
            | ExprKind::Offsetof(..) => self.size_type(),
            ExprKind::Statement(block) => self.statement_type(*block),
            ExprKind::LabelAddress(_) => {
                let void = self.void();
                self.module.types.pointer_to(void)
            }
            ExprKind::Generic(..) | ExprKind::Choose(..) => match self.chosen(expr) {
                Some(chosen) => return self.typing(chosen),
                None => self.int(),
            },
            ExprKind::VaArg(_, name) | ExprKind::ConvertVector(_, name) => self.type_name(name).ty,
            ExprKind::TypesCompatible(..) | ExprKind::Error => self.int(),
        };
        Typing::plain(ty)
    }

    fn name_typing(&mut self, name: Name, span: Span) -> Typing {
        let ty = match self.scopes.find(name) {
            Some(Meaning::Var(var)) => {
                let declared = self.variable_length.get(&var).copied();
                return Typing { ty: declared.unwrap_or(self.module.vars[var].ty), bits: None };
            }
            Some(Meaning::Function(function)) => self.module.functions[function].ty,
            Some(Meaning::Constant(_, ty)) => ty,
            Some(Meaning::Typedef(_)) => self.int(),
            None if self.is_function_name(name) => {
                let var = self.function_name_literal();
                self.module.vars[var].ty.ty
            }
            None => match self.builtin_function(name) {
                Some(function) => self.module.functions[function].ty,
                None => self.undeclared(name, span).ty,
            },
        };
        Typing::plain(ty)
    }

    /// The type of a value: arrays and functions are pointers, qualifiers are gone.
    pub(super) fn decayed_type(&mut self, expr: ExprId) -> TypeId {
        let ty = self.typing(expr).ty;
        self.decayed(ty).ty
    }

    /// The type after lvalue conversion and decay.
    pub(super) fn decayed(&mut self, ty: Qualified) -> Qualified {
        let types = &mut self.module.types;
        Qualified::plain(match types.get(ty.ty) {
            Type::Array(element, _) => {
                let element = *element;
                let qualifiers = element.qualifiers.union(ty.qualifiers);
                types.pointer_to_qualified(Qualified { qualifiers, ..element })
            }
            Type::Function(_) | Type::VaList => types.pointer_to(ty.ty),
            _ => ty.ty,
        })
    }

    fn promoted(&mut self, expr: ExprId) -> Typing {
        let typing = self.typing(expr);
        match self.promoted_number(typing.ty.ty, typing.bits) {
            Some(number) => self.number_typing(number),
            None => Typing::plain(self.decayed(typing.ty).ty),
        }
    }

    fn number_typing(&mut self, number: Number) -> Typing {
        Typing { bits: number.bits, ..Typing::plain(self.module.types.int(number.kind)) }
    }

    /// What two integers meet in, bit-fields as what they are.
    fn common_typing(&mut self, left: Typing, right: Typing) -> Option<Typing> {
        let left = self.promoted_number(left.ty.ty, left.bits)?;
        let right = self.promoted_number(right.ty.ty, right.bits)?;
        let number = self.common_number(left, right);
        Some(self.number_typing(number))
    }

    fn unary_typing(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> Typing {
        let ty = match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => return self.promoted(operand),
            UnaryOp::Not => self.int(),
            UnaryOp::Deref => {
                let pointer = self.decayed_type(operand);
                match self.module.types.pointee(pointer) {
                    Some(ty) => return Typing { ty, bits: None },
                    None => self.wrong("wrong-operands", "`*` takes a pointer", span).ty,
                }
            }
            UnaryOp::AddressOf => {
                let ty = self.typing(operand).ty;
                let ty = self.qualify(Qualified::plain(ty.ty), ty.qualifiers);
                self.module.types.pointer_to_qualified(ty)
            }
            UnaryOp::Real | UnaryOp::Imaginary => {
                let ty = self.typing(operand).ty.ty;
                match *self.module.types.get(ty) {
                    Type::Complex(kind) => self.module.types.float(kind),
                    _ => ty,
                }
            }
            UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                return self.typing(operand).unqualified();
            }
        };
        Typing::plain(ty)
    }

    fn binary_typing(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Typing {
        match op {
            BinaryOp::And | BinaryOp::Or => return Typing::plain(self.int()),
            BinaryOp::Comma => {
                let typing = self.typing(right);
                return Typing { ty: self.decayed(typing.ty), ..typing };
            }
            BinaryOp::Shl | BinaryOp::Shr => return self.promoted(left),
            _ => {}
        }
        let (left, right) = (self.promoted(left), self.promoted(right));
        match self.common_typing(left, right) {
            Some(typing) if comparison(op).is_none() => typing,
            _ => Typing::plain(self.binary_type(op, left.ty.ty, right.ty.ty, span)),
        }
    }

    fn binary_type(&mut self, op: BinaryOp, left: TypeId, right: TypeId, span: Span) -> TypeId {
        let types = &self.module.types;
        match (types.is_pointer(left), types.is_pointer(right)) {
            _ if comparison(op).is_some() => match *types.get(left) {
                Type::Vector(element, length) => {
                    let kind = if types.size_of(element) == Some(8) { IntKind::LongLong } else { IntKind::Int };
                    let element = self.module.types.int(kind);
                    self.module.types.intern(Type::Vector(element, length))
                }
                _ => self.int(),
            },
            (true, true) if op == BinaryOp::Sub => {
                let kind = types.difference_kind();
                self.module.types.int(kind)
            }
            (true, false) => left,
            (false, true) => right,
            _ => match self.common_type(left, right) {
                Some(ty) => ty,
                None => self.wrong("wrong-operands", "the operator does not take these operands", span).ty,
            },
        }
    }

    fn index_typing(&mut self, array: ExprId, index: ExprId) -> Typing {
        let whole = self.typing(array).ty;
        if let Some(element) = self.element(whole.ty) {
            let qualifiers = element.qualifiers.union(whole.qualifiers);
            return Typing { ty: Qualified { qualifiers, ..element }, bits: None };
        }
        let pointer = match self.module.types.is_pointer(whole.ty) {
            true => whole.ty,
            false => self.decayed_type(index),
        };
        let int = self.int();
        let ty = self.module.types.pointee(pointer).unwrap_or(Qualified::plain(int));
        Typing { ty, bits: None }
    }

    fn member_typing(&mut self, record: Qualified, member: Ident) -> Typing {
        let Some(path) = self.find_member(record.ty, member) else {
            let int = self.int();
            return Typing::plain(int);
        };
        let mut typing = Typing { ty: record, bits: None };
        for number in path {
            let field = self.module.types.field(typing.ty.ty, number);
            let qualifiers = typing.ty.qualifiers.union(field.ty.qualifiers);
            typing = Typing { ty: Qualified { qualifiers, ..field.ty }, bits: field.bits.map(|bits| bits.width) };
        }
        typing
    }

    fn call_type(&mut self, callee: ExprId, arguments: &[ExprId]) -> TypeId {
        if let ExprKind::Name(name) = self.ast.exprs[callee].kind
            && self.scopes.find(name).is_none()
        {
            if let Some(ty) = self.builtin_type(name, arguments) {
                return ty;
            }
            return match self.builtin_function(name) {
                Some(function) => self.result_type(self.module.functions[function].ty),
                None => self.int(),
            };
        }
        let ty = self.decayed_type(callee);
        self.result_type(ty)
    }

    fn result_type(&mut self, ty: TypeId) -> TypeId {
        match self.module.types.callee(ty) {
            Some(function) => function.result,
            None => self.int(),
        }
    }

    /// The type of `c ? t : e`.
    pub(super) fn conditional_typing(&mut self, expr: ExprId) -> Typing {
        if let Some(&typing) = self.conditional_types.get(&expr) {
            return typing;
        }
        let ast = self.ast;
        let ExprKind::Conditional(condition, then, otherwise) = ast.exprs[expr].kind else {
            return Typing::plain(self.int());
        };
        let then = then.unwrap_or(condition);
        let (first, second) = (self.typing(then), self.typing(otherwise));
        let typing = self.common_typing(first, second).unwrap_or_else(|| {
            let left = (self.decayed(first.ty).ty, self.null(then));
            let right = (self.decayed(second.ty).ty, self.null(otherwise));
            Typing::plain(self.meet(left, right, ast.exprs[expr].span))
        });
        self.conditional_types.insert(expr, typing);
        typing
    }

    /// Whether `expr` is a null pointer constant: zero, or zero as a `void *`.
    fn null(&mut self, expr: ExprId) -> Null {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Cast(..) | ExprKind::Integer(_) => {}
            _ => return Null::No,
        }
        let Some(value) = self.constant(expr) else { return Null::No };
        let types = &self.module.types;
        let is_void = types
            .pointee(value.ty)
            .is_none_or(|pointee| types.is_void(pointee.ty) && pointee.qualifiers == Qualifiers::NONE);
        if value.is_zero() && is_void { Null::Yes } else { Null::No }
    }

    /// The type of `({ … })`: the block is lowered and thrown away.
    fn statement_type(&mut self, block: StmtId) -> TypeId {
        if self.function.is_none() {
            return self.int();
        }
        let state = self.activation().flow.snapshot();
        let (locals, labels) = (self.activation().locals.len(), self.activation().labels.clone());
        self.open();
        let ty = self.statement_expression(block, Wanted::Value).ty;
        self.close();
        let activation = self.activation();
        activation.flow.restore(state);
        activation.locals.truncate(locals);
        activation.labels = labels;
        ty
    }
}
