//! Variables and what they start with.

use super::Checker;
use crate::{ExprKind, InitialPart, InitialStep, InitialValue, Length, Type, TypeId};

impl<'m> Checker<'m> {
    pub(super) fn variables(&mut self) {
        let module = self.module;
        let types = &module.types;
        for variable in module.vars.iter() {
            self.item.clone_from(&variable.name);
            let is_static = variable.kind.owner().is_none();
            let is_object = types.is_complete(variable.ty.ty) && !self.has_variable_length(variable.ty.ty);
            self.require(is_object || is_static && variable.init.is_none(), "its type is not complete");
            self.require(is_static || variable.init.is_none(), "it has an initialiser, but is no static");
            for part in variable.init.iter().flat_map(|init| &init.parts) {
                self.part(part, variable.ty.ty);
            }
        }
    }

    fn has_variable_length(&self, mut ty: TypeId) -> bool {
        while let Type::Array(element, length) = self.module.types.get(ty) {
            if matches!(length, Length::Variable(_)) {
                return true;
            }
            ty = element.ty;
        }
        false
    }

    fn part(&mut self, part: &'m InitialPart, ty: TypeId) {
        let mut ty = ty;
        for step in &part.path {
            let Some(next) = self.step(*step, ty) else {
                return self.report("a step of its initialiser leads nowhere");
            };
            ty = next;
        }
        match &part.value {
            InitialValue::Expr(expr) => {
                self.expr(expr);
                self.same("an initial value", expr.ty, ty);
                let mut is_constant = true;
                expr.visit(&mut |expr| is_constant &= !matches!(expr.kind, ExprKind::Read(_)));
                self.require(is_constant, "an initial value is read from memory");
            }
            InitialValue::Bytes(bytes) => self.bytes(bytes, ty),
        }
    }

    fn step(&self, step: InitialStep, ty: TypeId) -> Option<TypeId> {
        let types = &self.module.types;
        let length = match types.get(ty) {
            Type::Array(_, Length::Fixed(length)) | Type::Vector(_, length) => *length,
            _ => u64::MAX,
        };
        match step {
            InitialStep::Field(index) => {
                let field = types.body(types.record(ty)?)?.fields.get(index as usize)?;
                Some(field.ty.ty)
            }
            InitialStep::Index(index) => types.element(ty).filter(|_| index < length).map(|element| element.ty),
            InitialStep::Range(first, last) => {
                types.element(ty).filter(|_| first <= last && last < length).map(|element| element.ty)
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8], ty: TypeId) {
        let types = &self.module.types;
        let element = types.element(ty).and_then(|element| types.int_kind(element.ty));
        let Some(element) = element else { return self.report("bytes are given to no array of integers") };
        let is_whole = (bytes.len() as u64).is_multiple_of(types.int_size(element));
        let fits = types.size_of(ty).is_none_or(|size| bytes.len() as u64 <= size);
        self.require(is_whole && fits, "bytes do not fit the array");
    }
}
