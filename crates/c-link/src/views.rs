//! Variables that a unit takes for another type than they have.
//!
//! `extern unsigned *p;` here and `int *p;` there: scalars in them are read and written as what they are, and converted.
//! What cannot be converted is left as it is; the warning about the declarations has been given.

use hardbop_c_core::{
    Base, Block, Callee, Expr, ExprKind, Module, Place, Projection, Stmt, StmtKind, TypeId, Types, VarId,
};
use rustc_hash::FxHashSet;

/// Fits all uses of the variables in `changed` to the types that these have now.
pub(crate) fn fit_variables(module: &mut Module, changed: &FxHashSet<VarId>) {
    if changed.is_empty() {
        return;
    }
    for id in module.functions.ids() {
        if let Some(mut body) = module.functions[id].body.take() {
            View { module, changed }.block(&mut body.block);
            module.functions[id].body = Some(body);
        }
    }
}

struct View<'m> {
    module: &'m mut Module,
    changed: &'m FxHashSet<VarId>,
}

impl View<'_> {
    fn block(&mut self, block: &mut Block) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Assign(place, value) => {
                self.expr(value);
                self.inside(place);
                if let Some(ty) = self.actual(place) {
                    place.ty = ty;
                    *value = value.clone().cast(ty);
                }
            }
            StmtKind::Zero(place) => {
                self.inside(place);
                if let Some(ty) = self.actual(place) {
                    place.ty = ty;
                }
            }
            StmtKind::Call { result, callee, arguments } => {
                arguments.iter_mut().for_each(|argument| self.expr(argument));
                result.iter_mut().for_each(|place| self.inside(place));
                if let Callee::Pointer(pointer) = callee {
                    self.expr(pointer);
                }
            }
            StmtKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::While(condition, block) => {
                self.expr(condition);
                self.block(block);
            }
            StmtKind::Return(Some(value)) | StmtKind::GotoComputed(value) => self.expr(value),
            StmtKind::Block(block) => self.block(block),
            _ => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Read(place) => {
                self.inside(place);
                if let Some(ty) = self.actual(place) {
                    let read = Expr::read(Place { ty, ..place.clone() });
                    *expr = read.cast(expr.ty);
                }
            }
            ExprKind::Address(place) => {
                self.inside(place);
                if let Some(ty) = self.actual_of_any(place) {
                    let address = Expr::address(Place { ty, ..place.clone() }, &mut self.module.types);
                    *expr = address.cast(expr.ty);
                }
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_) | ExprKind::Label(_) => {}
        }
    }

    /// The expressions that lead to a place.
    fn inside(&mut self, place: &mut Place) {
        if let Base::Deref(pointer) = &mut place.base {
            self.expr(pointer);
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step {
                self.expr(index);
            }
        }
    }

    /// The type of the scalar at a place, if it is another than the place says.
    fn actual(&self, place: &Place) -> Option<TypeId> {
        let types = &self.module.types;
        self.actual_of_any(place).filter(|&ty| {
            let are_scalars = types.is_scalar(ty) && types.is_scalar(place.ty);
            let is_mixed = types.is_floating(ty) != types.is_floating(place.ty);
            are_scalars && !is_mixed && (place.path.is_empty() || types.size_of(ty) == types.size_of(place.ty))
        })
    }

    /// The type of what is at a place, if it is another than the place says.
    fn actual_of_any(&self, place: &Place) -> Option<TypeId> {
        let types = &self.module.types;
        let Base::Var(var) = place.base else {
            return None;
        };
        if !self.changed.contains(&var) {
            return None;
        }
        let start = self.module.vars[var].ty.ty;
        let actual = place.path.iter().try_fold(start, |ty, step| part(types, ty, step))?;
        (!types.is_compatible(actual, place.ty)).then_some(actual)
    }
}

fn part(types: &Types, ty: TypeId, step: &Projection) -> Option<TypeId> {
    match step {
        Projection::Field(field) => Some(types.body(types.record(ty)?)?.fields.get(*field as usize)?.ty.ty),
        Projection::Index(_) => types.element(ty).map(|element| element.ty),
    }
}
