//! Walks over expressions and places. The parser bounds how deep they are, so recursion is fine.

use super::{Base, Expr, ExprKind, Place, Projection};
use crate::VarId;

/// What happens to a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlaceUse {
    /// Its value is read.
    Read,
    /// It gets a value.
    Write,
    /// Its address is computed; no memory is touched.
    Address,
}

impl Expr {
    /// Calls `see` for this expression and then for all inside of it, those in places included.
    pub fn visit<'e>(&'e self, see: &mut impl FnMut(&'e Self)) {
        see(self);
        match &self.kind {
            ExprKind::Read(place) | ExprKind::Address(place) => place.visit(see),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => operand.visit(see),
            ExprKind::Binary(_, left, right) => {
                left.visit(see);
                right.visit(see);
            }
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_) | ExprKind::Label(_) => {}
        }
    }

    /// Calls `see` for every place inside of the expression, with what happens to it, outer places first.
    pub fn visit_places<'e>(&'e self, see: &mut impl FnMut(&'e Place, PlaceUse)) {
        self.visit(&mut |expr| match &expr.kind {
            ExprKind::Read(place) => see(place, PlaceUse::Read),
            ExprKind::Address(place) => see(place, PlaceUse::Address),
            _ => {}
        });
    }

    /// All places inside of the expression, with what happens to them, outer places first.
    pub fn places(&self) -> Vec<(&Place, PlaceUse)> {
        let mut places = Vec::new();
        self.visit_places(&mut |place, usage| places.push((place, usage)));
        places
    }

    /// The variables of which the expression reads at least a part, each once, in order of their first use.
    pub fn vars_read(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        self.visit_places(&mut |place, usage| {
            if let (Base::Var(var), PlaceUse::Read) = (&place.base, usage)
                && !vars.contains(var)
            {
                vars.push(*var);
            }
        });
        vars
    }

    /// How many reads go through a pointer; those under [`ExprKind::Address`] touch no memory and do not count.
    pub fn pointer_reads(&self) -> usize {
        let mut count = 0;
        self.visit_places(&mut |place, usage| count += usize::from(usage == PlaceUse::Read && place.is_deref()));
        count
    }
}

impl Place {
    /// Calls `see` for all expressions inside of the place: the pointer it starts at and the indexes.
    pub fn visit<'e>(&'e self, see: &mut impl FnMut(&'e Expr)) {
        if let Base::Deref(pointer) = &self.base {
            pointer.visit(see);
        }
        for step in &self.path {
            if let Projection::Index(index) = step {
                index.visit(see);
            }
        }
    }

    /// Calls `see` for this place, to which `usage` happens, and for all places inside of it.
    pub fn visit_places<'e>(&'e self, usage: PlaceUse, see: &mut impl FnMut(&'e Self, PlaceUse)) {
        see(self, usage);
        self.visit(&mut |expr| match &expr.kind {
            ExprKind::Read(place) => see(place, PlaceUse::Read),
            ExprKind::Address(place) => see(place, PlaceUse::Address),
            _ => {}
        });
    }
}
