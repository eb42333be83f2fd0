//! Constant expressions, with gcc's notion of what is constant. Nothing is emitted.

use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_c_core::{
    Base, BinaryOp as CoreOp, Expr, ExprKind as CoreKind, InitialValue, Place, Projection, TypeId, VarId, fold,
};
use hardbop_lang_c::ast::{BinaryOp, ExprId, ExprKind, UnaryOp, Units};

impl Unit<'_> {
    /// The expression with its constant parts computed. Its operands are folded already.
    pub fn fold(&mut self, expr: Expr) -> Expr {
        let types = &self.module.types;
        let is_foldable = match &expr.kind {
            CoreKind::Unary(_, operand) => is_number(operand),
            CoreKind::Cast(operand) => {
                if let CoreKind::Float(text) = &operand.kind
                    && let Some(kind) = types.int_kind(expr.ty)
                    && !matches!(types.get(operand.ty), hardbop_c_core::Type::Complex(_))
                    && let Ok(value) = text.parse::<f64>()
                {
                    let (least, greatest) = types.range(kind);
                    // What is out of range becomes the nearest value, as gcc folds it.
                    let value = match kind {
                        hardbop_c_core::IntKind::Bool => (value != 0.0).into(),
                        _ => (value as i128).clamp(least, greatest),
                    };
                    return self.integer(value, expr.ty);
                }
                is_number(operand)
            }
            CoreKind::Binary(op, left, right) => match op {
                CoreOp::PointerAdd | CoreOp::PointerSub => is_number(right),
                CoreOp::PointerDifference => is_constant(left) && is_constant(right),
                _ => is_constant(left) && is_constant(right),
            },
            CoreKind::Address(place) => matches!(&place.base, Base::Deref(pointer) if is_number(pointer)),
            _ => false,
        };
        if is_foldable { fold::fold(types, expr) } else { expr }
    }

    /// The value of `expr` as an integer constant expression, with gcc's notion of what is constant; nothing is
    /// emitted or reported where it is none.
    pub fn integer_constant(&mut self, expr: ExprId) -> Option<i128> {
        let value = self.constant(expr)?;
        self.module.types.int_kind(value.ty)?;
        value.as_integer()
    }

    /// Whether `expr` is not zero, if it is constant.
    pub fn constant_truth(&mut self, expr: ExprId) -> Option<bool> {
        let value = self.constant(expr)?;
        self.truth(&value)
    }

    /// The value of `expr` as the initialiser of a static object of type `ty`: folded; reports if it is not constant.
    pub fn static_value(&mut self, expr: ExprId, ty: TypeId) -> Option<Expr> {
        let span = self.ast.exprs[expr].span;
        let value = self.constant(expr).or_else(|| self.constant_variable(expr));
        match value {
            Some(value) => Some(self.convert(value, ty, span)),
            None => {
                // A mistake in it is worth more than the news that it is not constant.
                let mistakes = self.mistakes;
                self.type_of(expr);
                if self.mistakes == mistakes {
                    self.wrong("not-constant", "what initialises a static object must be constant", span);
                }
                None
            }
        }
    }

    /// The value of a `const` variable of static storage, which gcc takes for a constant in initialisers.
    fn constant_variable(&mut self, expr: ExprId) -> Option<Expr> {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        match &ast.exprs[expr].kind {
            ExprKind::Name(name) => {
                let Some(Meaning::Var(var)) = self.scopes.find(*name) else { return None };
                let variable = &self.module.vars[var];
                let init = variable.init.as_ref().filter(|_| variable.ty.qualifiers.is_const)?;
                match (&init.parts[..], self.module.types.is_scalar(variable.ty.ty)) {
                    ([part], true) if part.path.is_empty() => match &part.value {
                        InitialValue::Expr(value) => Some(value.clone()),
                        InitialValue::Bytes(_) => None,
                    },
                    _ => None,
                }
            }
            ExprKind::Binary(op, left, right) if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Comma) => {
                let left = self.constant(*left).or_else(|| self.constant_variable(*left))?;
                let right = self.constant(*right).or_else(|| self.constant_variable(*right))?;
                Some(self.binary_value(*op, left, right, span))
            }
            ExprKind::Unary(op @ (UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Not), operand) => {
                let operand = self.constant_variable(*operand)?;
                Some(self.unary_value(*op, operand, span))
            }
            ExprKind::Cast(name, operand) => {
                let value = self.constant_variable(*operand)?;
                let ty = self.type_name(name).ty;
                self.module.types.is_scalar(ty).then(|| self.explicit_cast(value, ty, span))
            }
            _ => None,
        }
    }

    /// The value of a constant expression: numbers, addresses, and what is computed from them.
    pub(super) fn constant(&mut self, expr: ExprId) -> Option<Expr> {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        match &ast.exprs[expr].kind {
            ExprKind::Name(name) => match self.scopes.find(*name)? {
                Meaning::Constant(value, ty) => Some(self.integer(value, ty)),
                Meaning::Function(function) => Some(self.function_value(function)),
                Meaning::Var(_) => self.constant_array(expr),
                Meaning::Typedef(_) => None,
            },
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) => Some(self.number_value(expr)),
            ExprKind::Index(array, index) => self.constant_unit(*array, *index).or_else(|| self.constant_array(expr)),
            ExprKind::String(_) | ExprKind::Member(..) | ExprKind::Arrow(..) => self.constant_array(expr),
            ExprKind::Unary(op, operand) => self.constant_unary(expr, *op, *operand),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => self.logical_constant(expr),
            ExprKind::Binary(BinaryOp::Comma, ..) => None,
            ExprKind::Binary(op, left, right) => {
                let left = self.constant(*left)?;
                let right = self.constant(*right)?;
                Some(self.binary_value(*op, left, right, span))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let decided = self.constant_truth(*condition)?;
                let chosen = if decided { then.unwrap_or(*condition) } else { *otherwise };
                let value = self.constant(chosen)?;
                let ty = self.conditional_typing(expr).ty.ty;
                (!self.is_void(ty)).then(|| self.convert(value, ty, span))
            }
            ExprKind::Cast(name, operand) => {
                let value = self.constant(*operand)?;
                let ty = self.type_name(name).ty;
                (self.module.types.is_scalar(ty) && self.module.types.is_scalar(value.ty))
                    .then(|| self.explicit_cast(value, ty, span))
            }
            ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => {
                let value = self.constant_size(expr)?;
                matches!(value.kind, CoreKind::Integer(_)).then_some(value)
            }
            ExprKind::AlignofExpr(_) | ExprKind::AlignofType(_) => Some(self.align_value(expr)),
            ExprKind::Offsetof(name, designators) => {
                let is_constant = designators.iter().all(|designator| match designator {
                    hardbop_lang_c::ast::Designator::Index(index) => self.integer_constant(*index).is_some(),
                    _ => true,
                });
                is_constant.then(|| self.offset_of(name, designators, span))
            }
            ExprKind::TypesCompatible(left, right) => Some(self.types_compatible(left, right)),
            ExprKind::Generic(..) | ExprKind::Choose(..) => {
                let chosen = self.chosen(expr)?;
                self.constant(chosen)
            }
            ExprKind::LabelAddress(label) if self.function.is_some() => Some(self.label_address(*label)),
            ExprKind::Call(callee, arguments) => self.constant_call(*callee, arguments),
            ExprKind::Compound(..) => self.constant_array(expr),
            _ => None,
        }
    }

    /// `"text"[1]`
    fn constant_unit(&mut self, array: ExprId, index: ExprId) -> Option<Expr> {
        let ExprKind::String(id) = self.ast.exprs[array].kind else { return None };
        let index = usize::try_from(self.integer_constant(index)?).ok()?;
        let unit = match &self.ast.strings[id].units {
            Units::Bytes(bytes) => bytes.iter().map(|&byte| i128::from(byte)).chain([0]).nth(index)?,
            Units::Wide(units) => units.iter().map(|&unit| i128::from(unit)).chain([0]).nth(index)?,
        };
        let ty = self.string_type(id);
        let element = self.element(ty)?;
        Some(self.integer(unit, element.ty))
    }

    /// `sizeof`, unless its operand has a length that only a run knows.
    fn constant_size(&mut self, expr: ExprId) -> Option<Expr> {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::SizeofExpr(operand) => {
                let ty = self.type_of(*operand).ty;
                (!self.is_variable(ty)).then(|| self.size_value(expr))
            }
            ExprKind::SizeofType(name) if self.has_variable_part(name) => None,
            _ => Some(self.size_value(expr)),
        }
    }

    /// Whether the name of a type has a length in it that is not constant; then finding the type emits statements.
    fn has_variable_part(&mut self, name: &hardbop_lang_c::ast::TypeName) -> bool {
        use hardbop_lang_c::ast::{ArrayLength, DeclaratorPart, TypeSpecifier};
        let is_variable = name.declarator.parts.iter().any(|part| match part {
            DeclaratorPart::Array { length: ArrayLength::Given(length), .. } => {
                self.integer_constant(*length).is_none()
            }
            _ => false,
        });
        is_variable
            || match &name.specifiers.base {
                TypeSpecifier::TypeofType(inner) => self.has_variable_part(inner),
                TypeSpecifier::TypeofExpr(operand) => {
                    let ty = self.type_of(*operand).ty;
                    self.is_variable(ty)
                }
                TypeSpecifier::Typedef(name) => match self.scopes.find(name.name) {
                    Some(Meaning::Typedef(ty)) => self.is_variable(ty.ty),
                    _ => false,
                },
                _ => false,
            }
    }

    fn constant_unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId) -> Option<Expr> {
        let span = self.ast.exprs[expr].span;
        match op {
            UnaryOp::AddressOf => {
                if let ExprKind::Name(name) = self.ast.exprs[operand].kind
                    && let Some(Meaning::Function(function)) = self.scopes.find(name)
                {
                    return Some(self.function_value(function));
                }
                let place = self.constant_place(operand)?;
                if self.bit_width(&place).is_some() {
                    return None;
                }
                Some(self.address_of_place(place, span))
            }
            UnaryOp::Deref => {
                let pointer = self.constant(operand)?;
                match self.module.types.callee(pointer.ty).is_some() {
                    true => Some(pointer),
                    false => self.constant_array(expr),
                }
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Not | UnaryOp::Real | UnaryOp::Imaginary => {
                let operand = self.constant(operand)?;
                Some(self.unary_value(op, operand, span))
            }
            _ => None,
        }
    }

    /// The address of the first element, if `expr` is an array at a constant place.
    fn constant_array(&mut self, expr: ExprId) -> Option<Expr> {
        let span = self.ast.exprs[expr].span;
        let place = self.constant_place(expr)?;
        self.module.types.is_array(place.ty).then(|| self.load(place, span))
    }

    /// The place of `expr`, if its address is constant.
    fn constant_place(&mut self, expr: ExprId) -> Option<Place> {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        match &ast.exprs[expr].kind {
            ExprKind::Name(name) => match self.scopes.find(*name) {
                Some(Meaning::Var(var)) => self.is_static(var).then(|| self.module.place(var)),
                None if self.is_function_name(*name) && self.function.is_some() => {
                    let var = self.function_name_literal();
                    Some(self.module.place(var))
                }
                _ => None,
            },
            ExprKind::String(id) => {
                let var = self.literal(*id);
                Some(self.module.place(var))
            }
            ExprKind::Compound(name, list) if self.function.is_none() => {
                let var = self.compound_literal(name, list, span);
                Some(self.module.place(var))
            }
            ExprKind::Member(record, member) => {
                let place = self.constant_place(*record)?;
                let path = self.find_member(place.ty, *member)?;
                Some(place.fields(&path, &self.module.types))
            }
            ExprKind::Arrow(pointer, member) => {
                let place = self.constant_pointee(*pointer)?;
                let path = self.find_member(place.ty, *member)?;
                Some(place.fields(&path, &self.module.types))
            }
            ExprKind::Unary(UnaryOp::Deref, pointer) => self.constant_pointee(*pointer),
            ExprKind::Index(array, index) => self.constant_element(*array, *index, span),
            ExprKind::Generic(..) | ExprKind::Choose(..) => {
                let chosen = self.chosen(expr)?;
                self.constant_place(chosen)
            }
            _ => None,
        }
    }

    fn constant_element(&mut self, array: ExprId, index: ExprId, span: hardbop_base::Span) -> Option<Place> {
        let place = self.constant_place(array);
        let second = self.constant(index)?;
        if let Some(place) = place
            && self.module.types.element(place.ty).is_some()
        {
            let index = self.promote(second);
            let index = self.as_offset(index);
            return Some(place.index(index, &self.module.types));
        }
        let first = self.constant(array)?;
        let (pointer, index) = if self.module.types.is_pointer(first.ty) { (first, second) } else { (second, first) };
        let sum = self.pointer_offset(CoreOp::PointerAdd, pointer, index, span);
        self.pointee_of_constant(sum)
    }

    fn constant_pointee(&mut self, pointer: ExprId) -> Option<Place> {
        let pointer = self.constant(pointer)?;
        self.pointee_of_constant(pointer)
    }

    fn pointee_of_constant(&mut self, pointer: Expr) -> Option<Place> {
        let pointee = self.module.types.pointee(pointer.ty)?;
        (!self.module.types.is_function(pointee.ty)).then(|| self.pointee_place(pointer))
    }

    fn is_static(&self, var: VarId) -> bool {
        let variable = &self.module.vars[var];
        variable.kind.owner().is_none() && !variable.is_thread_local
    }
}

fn is_number(expr: &Expr) -> bool {
    match &expr.kind {
        CoreKind::Integer(_) | CoreKind::Float(_) => true,
        CoreKind::Cast(operand) => is_number(operand),
        _ => false,
    }
}

/// Whether an expression is a number or an address.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        CoreKind::Integer(_) | CoreKind::Float(_) | CoreKind::Function(_) => true,
        CoreKind::Address(place) => {
            matches!(place.base, Base::Var(_))
                && place.path.iter().all(|step| match step {
                    Projection::Field(_) => true,
                    Projection::Index(index) => is_number(index),
                })
        }
        CoreKind::Cast(operand) | CoreKind::Unary(_, operand) => is_constant(operand),
        _ => false,
    }
}
