//! Operators on values that are already there: types are found, conversions written out, constants folded.

use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{BinaryOp, Expr, ExprKind, IntKind, Qualified, Qualifiers, Type, TypeId, UnaryOp};
use hardbop_lang_c::ast;

impl Unit<'_> {
    /// `left op right`, where `op` is neither `&&`, `||` nor `,`.
    pub fn binary_value(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        let pointers = (types.is_pointer(left.ty), types.is_pointer(right.ty));
        match op {
            ast::BinaryOp::Add if pointers.0 || pointers.1 => match pointers {
                (true, false) => self.pointer_offset(BinaryOp::PointerAdd, left, right, span),
                (false, true) => self.pointer_offset(BinaryOp::PointerAdd, right, left, span),
                _ => self.wrong_operands(op, left.ty, right.ty, span),
            },
            ast::BinaryOp::Sub if pointers.0 => match pointers.1 {
                false => self.pointer_offset(BinaryOp::PointerSub, left, right, span),
                true => self.pointer_difference(left, right),
            },
            ast::BinaryOp::Shl | ast::BinaryOp::Shr => self.shift(op, left, right, span),
            _ if comparison(op).is_some() && (pointers.0 || pointers.1) => self.compare_pointers(op, left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    fn wrong_operands(&mut self, op: ast::BinaryOp, left: TypeId, right: TypeId, span: Span) -> Expr {
        let (left, right) = (self.type_text(left), self.type_text(right));
        let message = format!("`{}` does not take {left} and {right}", spelling(op));
        self.wrong("wrong-operands", message, span)
    }

    fn arithmetic(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let given = (left.ty, right.ty);
        let Some(number_op) = number_op(op) else {
            return self.wrong_operands(op, given.0, given.1, span);
        };
        let Some((left, right, bits)) = self.usual(left, right, span) else {
            return self.wrong_operands(op, given.0, given.1, span);
        };
        let types = &mut self.module.types;
        let element = types.element(left.ty).map_or(left.ty, |element| element.ty);
        let needs_integer = matches!(number_op, BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        let is_wrong = needs_integer && !types.is_integer(element)
            || number_op.is_comparison()
                && !matches!(number_op, BinaryOp::Eq | BinaryOp::Ne)
                && matches!(types.get(element), Type::Complex(_));
        if is_wrong {
            return self.wrong_operands(op, given.0, given.1, span);
        }
        if number_op.is_comparison() && matches!(types.get(left.ty), Type::Vector(..)) {
            return self.compare_vectors(number_op, left, right, span);
        }
        let value = Expr::binary(number_op, left, right, types);
        let value = self.fold(value);
        self.narrowed(value, bits.filter(|_| !number_op.is_comparison()), span)
    }

    /// Element by element, 0 or -1 of the integer type of the elements' size.
    fn compare_vectors(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let Type::Vector(element, length) = *self.module.types.get(left.ty) else { return left };
        let (left, right) = (self.saved(left, span), self.saved(right, span));
        let types = &mut self.module.types;
        let kind = match types.size_of(element) {
            Some(1) => IntKind::SignedChar,
            Some(2) => IntKind::Short,
            Some(8) => IntKind::LongLong,
            _ => IntKind::Int,
        };
        let (int, index) = (types.int(kind), types.int(types.difference_kind()));
        let vector = types.intern(Type::Vector(int, length));
        let result = self.temporary_place(vector, "vector", span);
        let (ExprKind::Read(left), ExprKind::Read(right)) = (left.kind, right.kind) else { unreachable!("just saved") };
        for number in 0..length.min(256) {
            let types = &mut self.module.types;
            let at = Expr::integer(number.into(), index);
            let one = Expr::read(left.clone().index(at.clone(), types));
            let other = Expr::read(right.clone().index(at.clone(), types));
            let compared = Expr::binary(op, one, other, types);
            let place = result.clone().index(at, types);
            let ty = compared.ty;
            let value = self.cast(Expr::unary(UnaryOp::Neg, compared, ty), int);
            self.emit(hardbop_c_core::StmtKind::Assign(place, value), span);
        }
        Expr::read(result)
    }

    fn shift(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        let is_integer = |ty: TypeId| types.is_integer(types.element(ty).map_or(ty, |element| element.ty));
        if !is_integer(left.ty) || !is_integer(right.ty) {
            return self.wrong_operands(op, left.ty, right.ty, span);
        }
        if types.element(left.ty).is_some() || types.element(right.ty).is_some() {
            return self.arithmetic(op, left, right, span);
        }
        let bits = self.number(&left).and_then(|number| number.bits);
        let (left, right) = (self.promote(left), self.promote(right));
        let op = if op == ast::BinaryOp::Shl { BinaryOp::Shl } else { BinaryOp::Shr };
        let value = Expr::binary(op, left, right, &mut self.module.types);
        let value = self.fold(value);
        self.narrowed(value, bits, span)
    }

    /// `pointer + offset` or `pointer - offset`.
    pub fn pointer_offset(&mut self, op: BinaryOp, pointer: Expr, offset: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        let Some(pointee) = types.pointee(pointer.ty) else { return pointer };
        if !types.is_integer(offset.ty) {
            return self.wrong_operands(ast::BinaryOp::Add, pointer.ty, offset.ty, span);
        }
        let is_incomplete = match types.get(pointee.ty) {
            Type::Void | Type::Function(_) => false,
            _ => !types.is_complete(pointee.ty),
        };
        if is_incomplete {
            let message = "arithmetic on a pointer to what is only declared";
            return self.wrong("incomplete-type", message, span);
        }
        let offset = self.promote(offset);
        let mut offset = self.as_offset(offset);
        if self.is_variable(pointee.ty) {
            let count = self.variable_count(pointee.ty);
            offset = self.binary_value(ast::BinaryOp::Mul, offset, count, span);
        }
        let value = Expr::binary(op, pointer, offset, &mut self.module.types);
        self.fold(value)
    }

    fn pointer_difference(&mut self, left: Expr, right: Expr) -> Expr {
        let right = self.cast(right, left.ty);
        let pointee = self.module.types.pointee(left.ty);
        let value = Expr::binary(BinaryOp::PointerDifference, left, right, &mut self.module.types);
        match pointee {
            Some(pointee) if self.is_variable(pointee.ty) => {
                let count = self.variable_count(pointee.ty);
                let count = self.cast(count, value.ty);
                Expr::binary(BinaryOp::Div, value, count, &mut self.module.types)
            }
            _ => self.fold(value),
        }
    }

    fn compare_pointers(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        if !types.is_scalar(left.ty)
            || !types.is_scalar(right.ty)
            || types.is_floating(left.ty)
            || types.is_floating(right.ty)
        {
            return self.wrong_operands(op, left.ty, right.ty, span);
        }
        let ty = if types.is_pointer(left.ty) && !left.is_zero() || !types.is_pointer(right.ty) {
            left.ty
        } else {
            right.ty
        };
        let (left, right) = (self.cast(left, ty), self.cast(right, ty));
        let op = comparison(op).unwrap_or(BinaryOp::Eq);
        let value = Expr::binary(op, left, right, &mut self.module.types);
        self.fold(value)
    }

    /// `op operand` for the operators that only compute.
    pub fn unary_value(&mut self, op: ast::UnaryOp, operand: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        let element = types.element(operand.ty).map_or(operand.ty, |element| element.ty);
        let is_right = match op {
            ast::UnaryOp::Not => types.is_scalar(operand.ty),
            ast::UnaryOp::BitNot => types.is_integer(element) || matches!(types.get(element), Type::Complex(_)),
            _ => types.is_arithmetic(element),
        };
        if !is_right {
            let text = self.type_text(operand.ty);
            return self.wrong("wrong-operands", format!("`{}` does not take {text}", unary_spelling(op)), span);
        }
        match op {
            ast::UnaryOp::Plus => self.promote(operand),
            ast::UnaryOp::Minus => self.computed(UnaryOp::Neg, operand, span),
            ast::UnaryOp::BitNot => self.computed(UnaryOp::BitNot, operand, span),
            ast::UnaryOp::Not => self.negation(operand),
            ast::UnaryOp::Real | ast::UnaryOp::Imaginary => self.complex_part(op, operand),
            _ => operand,
        }
    }

    fn computed(&mut self, op: UnaryOp, operand: Expr, span: Span) -> Expr {
        let bits = self.number(&operand).and_then(|number| number.bits);
        let operand = self.promote(operand);
        let ty = operand.ty;
        let value = self.fold(Expr::unary(op, operand, ty));
        self.narrowed(value, bits, span)
    }

    /// `!operand`
    pub fn negation(&mut self, operand: Expr) -> Expr {
        if let Some(truth) = self.truth(&operand) {
            let int = self.int();
            return self.integer((!truth).into(), int);
        }
        let value = Expr::not(operand, &mut self.module.types);
        self.fold(value)
    }

    fn complex_part(&mut self, op: ast::UnaryOp, operand: Expr) -> Expr {
        match *self.module.types.get(operand.ty) {
            Type::Complex(kind) => {
                let ty = self.module.types.float(kind);
                let op = if op == ast::UnaryOp::Real { UnaryOp::Real } else { UnaryOp::Imaginary };
                Expr::unary(op, operand, ty)
            }
            _ if op == ast::UnaryOp::Real => operand,
            _ => self.zero(operand.ty),
        }
    }

    /// The type of `c ? left : right` from the types of its operands; constants that are null pointers are known.
    pub fn meet(&mut self, left: (TypeId, Null), right: (TypeId, Null), span: Span) -> TypeId {
        let types = &self.module.types;
        let ((left, left_null), (right, right_null)) = (left, right);
        match (types.pointee(left), types.pointee(right)) {
            _ if left == right && !types.is_integer(left) => left,
            _ if types.is_void(left) || types.is_void(right) => self.void(),
            (Some(_), Some(_)) if left_null == Null::Yes => right,
            (Some(_), Some(_)) if right_null == Null::Yes => left,
            (Some(first), Some(second)) => self.meet_pointers(first, second),
            // A null pointer constant, or what gcc only warns of.
            (Some(_), None) if types.is_integer(right) => left,
            (None, Some(_)) if types.is_integer(left) => right,
            _ if types.is_compatible(left, right) && types.record(left).is_some() => left,
            _ => match (self.promoted_type(left), self.promoted_type(right)) {
                (Some(first), Some(second)) => self.common_type(first, second).unwrap_or(left),
                _ => {
                    let (left_text, right_text) = (self.type_text(left), self.type_text(right));
                    let message = format!("one value is {left_text}, the other {right_text}");
                    self.wrong("incompatible-types", message, span);
                    left
                }
            },
        }
    }

    fn promoted_type(&mut self, ty: TypeId) -> Option<TypeId> {
        match self.promoted_number(ty, None) {
            Some(number) => Some(self.module.types.int(number.kind)),
            None if self.module.types.is_arithmetic(ty) => Some(ty),
            None if matches!(self.module.types.get(ty), Type::Vector(..)) => Some(ty),
            None => None,
        }
    }

    fn meet_pointers(&mut self, first: Qualified, second: Qualified) -> TypeId {
        let types = &mut self.module.types;
        let qualifiers = first.qualifiers.union(second.qualifiers);
        let qualifiers = Qualifiers { is_restrict: false, is_atomic: false, ..qualifiers };
        let ty = if types.is_void(first.ty) || types.is_void(second.ty) {
            types.void()
        } else if types.is_compatible_within_unit(first.ty, second.ty) {
            types.composite(first.ty, second.ty)
        } else {
            types.void()
        };
        types.pointer_to_qualified(Qualified { ty, qualifiers })
    }
}

/// Whether an operand is a null pointer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Null {
    Yes,
    No,
}

fn number_op(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        _ => return comparison(op),
    })
}

/// The comparison that `op` is.
pub(crate) fn comparison(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Lt => BinaryOp::Lt,
        ast::BinaryOp::Gt => BinaryOp::Gt,
        ast::BinaryOp::Le => BinaryOp::Le,
        ast::BinaryOp::Ge => BinaryOp::Ge,
        ast::BinaryOp::Eq => BinaryOp::Eq,
        ast::BinaryOp::Ne => BinaryOp::Ne,
        _ => return None,
    })
}

fn spelling(op: ast::BinaryOp) -> &'static str {
    match op {
        ast::BinaryOp::Mul => "*",
        ast::BinaryOp::Div => "/",
        ast::BinaryOp::Rem => "%",
        ast::BinaryOp::Add => "+",
        ast::BinaryOp::Sub => "-",
        ast::BinaryOp::Shl => "<<",
        ast::BinaryOp::Shr => ">>",
        ast::BinaryOp::Lt => "<",
        ast::BinaryOp::Gt => ">",
        ast::BinaryOp::Le => "<=",
        ast::BinaryOp::Ge => ">=",
        ast::BinaryOp::Eq => "==",
        ast::BinaryOp::Ne => "!=",
        ast::BinaryOp::BitAnd => "&",
        ast::BinaryOp::BitXor => "^",
        ast::BinaryOp::BitOr => "|",
        ast::BinaryOp::And => "&&",
        ast::BinaryOp::Or => "||",
        ast::BinaryOp::Comma => ",",
    }
}

fn unary_spelling(op: ast::UnaryOp) -> &'static str {
    match op {
        ast::UnaryOp::Plus => "+",
        ast::UnaryOp::Minus => "-",
        ast::UnaryOp::BitNot => "~",
        ast::UnaryOp::Not => "!",
        ast::UnaryOp::Deref => "*",
        ast::UnaryOp::AddressOf => "&",
        ast::UnaryOp::PreIncrement | ast::UnaryOp::PostIncrement => "++",
        ast::UnaryOp::PreDecrement | ast::UnaryOp::PostDecrement => "--",
        ast::UnaryOp::Real => "__real__",
        ast::UnaryOp::Imaginary => "__imag__",
    }
}
