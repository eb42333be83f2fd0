//! What a place is qualified as, and what follows from it.

use crate::{Base, Field, Module, Place, Projection, Qualified, Qualifiers, Type, TypeId, VarId};

impl Module {
    /// The type with its qualifiers of what is at `place`, and the member it is, if it is one.
    pub fn walk_place(&self, place: &Place) -> (Qualified, Option<&Field>) {
        let types = &self.types;
        let mut ty = match &place.base {
            Base::Var(var) => self.vars[*var].ty,
            Base::Deref(pointer) => types.pointee(pointer.ty).unwrap_or(Qualified::plain(place.ty)),
        };
        let mut member = None;
        for step in &place.path {
            let part = match step {
                Projection::Field(number) => {
                    let body = types.record(ty.ty).and_then(|record| types.body(record));
                    member = body.and_then(|body| body.fields.get(*number as usize));
                    member.map(|field| field.ty)
                }
                Projection::Index(_) => {
                    member = None;
                    types.element(ty.ty)
                }
            };
            let part = part.unwrap_or(Qualified::plain(place.ty));
            ty = Qualified { ty: part.ty, qualifiers: ty.qualifiers.union(part.qualifiers) };
        }
        (Qualified { ty: place.ty, qualifiers: ty.qualifiers }, member)
    }

    /// Whether what is at `place`, or a part of it, may change while the program does nothing: devices change what is
    /// `volatile`, and other threads what is `_Atomic`. Nobody else can reach a local whose address is not taken.
    pub fn may_change_by_itself(&self, place: &Place) -> bool {
        if let Base::Var(var) = place.base
            && self.vars[var].kind.owner().is_some()
            && !self.vars[var].is_address_taken
        {
            return false;
        }
        self.is_changing(place)
    }

    /// Whether what is at `place`, or a part of it, is `volatile` or `_Atomic`.
    pub fn is_changing(&self, place: &Place) -> bool {
        changes(self.walk_place(place).0.qualifiers) || self.has_changing_part(place.ty)
    }

    /// Whether nobody can write a variable: it is defined as `const` (C11, 6.7.3p6), is there while the program runs, and
    /// has its initialiser from nowhere else.
    pub fn is_constant(&self, var: VarId) -> bool {
        let variable = &self.vars[var];
        let mut ty = variable.ty;
        while let Some(element) = self.types.element(ty.ty).filter(|_| !ty.qualifiers.is_const) {
            ty = element;
        }
        let is_defined = variable.kind.owner().is_none() && variable.init.is_some() && !variable.is_weak;
        is_defined && ty.qualifiers.is_const && !self.is_changing(&Place::var(var, variable.ty.ty))
    }

    fn has_changing_part(&self, ty: TypeId) -> bool {
        let mut waiting = vec![ty];
        let mut seen = Vec::new();
        while let Some(ty) = waiting.pop() {
            let parts: Vec<Qualified> = match self.types.get(ty) {
                Type::Array(element, _) => vec![*element],
                Type::Record(record) if !seen.contains(record) => {
                    seen.push(*record);
                    self.types.body(*record).into_iter().flat_map(|body| &body.fields).map(|field| field.ty).collect()
                }
                _ => continue,
            };
            if parts.iter().any(|part| changes(part.qualifiers)) {
                return true;
            }
            waiting.extend(parts.iter().map(|part| part.ty));
        }
        false
    }
}

fn changes(qualifiers: Qualifiers) -> bool {
    qualifiers.is_volatile || qualifiers.is_atomic
}
