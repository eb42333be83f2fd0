//! What is known of types alone: `sizeof`, `_Alignof`, `offsetof`, `_Generic`.

use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{Expr, Projection, Qualified, Type, TypeId};
use hardbop_lang_c::ast::{BinaryOp, Designator, ExprId, ExprKind, TypeName};

impl Unit<'_> {
    /// `sizeof`; of a variable length array, what is computed in a run.
    pub fn size_value(&mut self, expr: ExprId) -> Expr {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        let ty = match &ast.exprs[expr].kind {
            ExprKind::SizeofType(name) => self.type_name(name).ty,
            ExprKind::SizeofExpr(operand) => {
                let typing = self.typing(*operand);
                let is_member = matches!(ast.exprs[*operand].kind, ExprKind::Member(..) | ExprKind::Arrow(..));
                if is_member && typing.bits.is_some() {
                    return self.wrong("not-addressable", "a bit-field has no size", span);
                }
                typing.ty.ty
            }
            _ => return self.error_value(),
        };
        self.size_of_type(ty, span)
    }

    fn size_of_type(&mut self, ty: TypeId, span: Span) -> Expr {
        if self.is_variable(ty) {
            return self.variable_size(ty);
        }
        match self.module.types.size_of(ty) {
            Some(size) => {
                let size_type = self.size_type();
                self.integer(size.into(), size_type)
            }
            None => {
                let message = format!("{} is only declared and has no size", self.type_text(ty));
                self.wrong("incomplete-type", message, span);
                let size_type = self.size_type();
                self.integer(1, size_type)
            }
        }
    }

    /// `_Alignof`
    pub fn align_value(&mut self, expr: ExprId) -> Expr {
        let ast = self.ast;
        let align = match &ast.exprs[expr].kind {
            ExprKind::AlignofType(name) => self.align_of_name(name),
            ExprKind::AlignofExpr(operand) => {
                let ty = self.typing(*operand).ty;
                let declared = match ast.exprs[*operand].kind {
                    ExprKind::Name(name) => match self.scopes.find(name) {
                        Some(crate::scope::Meaning::Var(var)) => self.module.vars[var].align,
                        _ => None,
                    },
                    _ => None,
                };
                declared.unwrap_or_else(|| self.module.types.align_of_qualified(ty))
            }
            _ => 1,
        };
        let size_type = self.size_type();
        self.integer(align.into(), size_type)
    }

    /// `__builtin_types_compatible_p(left, right)`: qualifiers of the types themselves do not count.
    pub fn types_compatible(&mut self, left: &TypeName, right: &TypeName) -> Expr {
        let (left, right) = (self.type_name(left).ty, self.type_name(right).ty);
        let int = self.int();
        let is_same = self.module.types.is_compatible_within_unit(left, right);
        self.integer(is_same.into(), int)
    }

    /// `__builtin_offsetof(type, x[1].y)`
    pub fn offset_of(&mut self, name: &TypeName, designators: &[Designator], span: Span) -> Expr {
        let mut ty = self.type_name(name).ty;
        let size_type = self.size_type();
        let mut offset = self.integer(0, size_type);
        for designator in designators {
            let step = match *designator {
                Designator::Member(member) => {
                    let Some(path) = self.find_member(ty, member) else { return self.integer(0, size_type) };
                    let path: Vec<Projection> = path.into_iter().map(Projection::Field).collect();
                    let bytes = hardbop_c_core::fold::offset(&self.module.types, ty, &path).unwrap_or(0);
                    for step in path {
                        if let Projection::Field(number) = step {
                            ty = self.module.types.field(ty, number).ty.ty;
                        }
                    }
                    self.integer(bytes, size_type)
                }
                Designator::Index(index) => {
                    let Some(element) = self.element(ty) else {
                        return self.wrong("wrong-operands", "only arrays have elements", span);
                    };
                    ty = element.ty;
                    let size = self.size_of_type(ty, span);
                    let index = self.value(index);
                    let index = self.promote(index);
                    let index = self.cast(index, size_type);
                    self.binary_value(BinaryOp::Mul, index, size, span)
                }
                Designator::Range(..) => return self.unsupported("a range in `offsetof`", span),
            };
            offset = match offset.is_zero() {
                true => step,
                false => self.binary_value(BinaryOp::Add, offset, step, span),
            };
        }
        offset
    }

    /// The operand that `_Generic` or `__builtin_choose_expr` chooses.
    pub fn chosen(&mut self, expr: ExprId) -> Option<ExprId> {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        match &ast.exprs[expr].kind {
            ExprKind::Choose(condition, then, otherwise) => match self.constant_truth(*condition) {
                Some(decided) => Some(if decided { *then } else { *otherwise }),
                None => {
                    let message = "the condition of `__builtin_choose_expr` is not constant";
                    self.findings.add(Diagnostic::error("not-constant", message, ast.exprs[*condition].span));
                    None
                }
            },
            ExprKind::Generic(control, choices) => {
                let control = self.typing(*control).ty;
                let control = self.decayed(control).ty;
                let mut default = None;
                for (name, choice) in choices {
                    match name {
                        None => default = Some(*choice),
                        Some(name) => {
                            let Qualified { ty, qualifiers } = self.type_name(name);
                            let is_plain = qualifiers == hardbop_c_core::Qualifiers::NONE;
                            if is_plain && self.module.types.is_compatible_within_unit(ty, control) {
                                return Some(*choice);
                            }
                        }
                    }
                }
                if default.is_none() {
                    let message = "no choice of `_Generic` has the type of the operand";
                    self.findings.add(Diagnostic::error("incompatible-types", message, span));
                }
                default
            }
            _ => None,
        }
    }

    /// `__builtin_convertvector(operand, type)`: element by element.
    pub fn convert_vector(&mut self, operand: ExprId, name: &TypeName, span: Span) -> Expr {
        let ty = self.type_name(name).ty;
        let value = self.value(operand);
        let (Type::Vector(_, from), Type::Vector(element, to)) =
            (self.module.types.get(value.ty).clone(), self.module.types.get(ty).clone())
        else {
            return self.wrong("wrong-operands", "`__builtin_convertvector` takes a vector", span);
        };
        let (source, result) =
            (self.temporary_place(value.ty, "vector", span), self.temporary_place(ty, "vector", span));
        self.emit(hardbop_c_core::StmtKind::Assign(source.clone(), value), span);
        let index = self.module.types.int(self.module.types.difference_kind());
        for number in 0..from.min(to).min(256) {
            let at = Expr::integer(number.into(), index);
            let one = Expr::read(source.clone().index(at.clone(), &self.module.types));
            let one = self.cast(one, element);
            let place = result.clone().index(at, &self.module.types);
            self.emit(hardbop_c_core::StmtKind::Assign(place, one), span);
        }
        Expr::read(result)
    }
}
