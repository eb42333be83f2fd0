//! What is in memory from where a pointer points: the scalars of so many bytes, or of a string.
//!
//! Elements of an array are one cell, so a pointer to one of them may be a pointer to any. Where the bytes are not known
//! to end inside of the object, or it is open where they begin, they go to its end.

use super::cells::CellId;
use super::externals::stripped;
use super::shapes::Shaper;
use hardbop_c_core::parts::array_around;
use hardbop_c_core::{Base, Expr, ExprKind, Projection, TypeId, VarKind};
use hardbop_points_to::{ObjectKind, Offset, Target};
use std::ops::Range;

/// Which element of an array an address is one of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// The first.
    First,
    /// The first in an object of this type, if that is what a pointer points to.
    FirstOf(TypeId),
    /// Any.
    Any,
}

impl Shaper<'_, '_> {
    /// The scalars of `length` bytes from where `pointer` points if it points to `target`, or to the end of what is there,
    /// and what stands for the object itself.
    pub fn memory(&mut self, target: Target, length: Option<u64>, pointer: Option<&Expr>) -> Vec<CellId> {
        let start = pointer.map_or(Start::Any, |pointer| self.start_of(pointer));
        let within = length.and_then(|length| self.bytes_within(target, length, start));
        let bytes = within.unwrap_or_else(|| self.bytes_from(target));
        self.cells_and_object(target, &bytes)
    }

    /// The scalars of the string that a pointer points to, and what stands for the object itself.
    pub fn string(&mut self, target: Target) -> Vec<CellId> {
        let bytes = self.bytes_of_string(target);
        self.cells_and_object(target, &bytes)
    }

    fn cells_and_object(&mut self, target: Target, bytes: &Range<u64>) -> Vec<CellId> {
        if self.is_text(target) {
            return Vec::new();
        }
        let mut cells = self.cells_in(target.object, bytes);
        cells.extend(self.object(target));
        cells
    }

    /// The cell that stands for an object.
    pub fn object(&mut self, target: Target) -> Option<CellId> {
        let offset = match target.offset {
            Offset::At(offset) | Offset::Inside(offset) => offset,
            Offset::Any => 0,
        };
        self.cells.pointed(Target { offset: Offset::At(offset), ..target })
    }

    /// Whether a pointer points into a string literal, which is no variable of the program.
    pub(crate) fn is_text(&self, target: Target) -> bool {
        match self.cells.subject.points_to.kind(target.object) {
            ObjectKind::Variable(var) => self.module().vars[var].kind == VarKind::Literal,
            _ => false,
        }
    }

    /// The bytes that a string is in that begins where a pointer points: it ends in the array of bytes that it begins in.
    pub(crate) fn bytes_of_string(&mut self, target: Target) -> Range<u64> {
        if let (Offset::At(offset), Some(ty)) = (target.offset, self.cells.subject.points_to.element(target.object))
            && let Some(array) = array_around(self.module(), ty, offset)
            && self.cells.leaf(ty, offset).is_some_and(|leaf| self.module().types.size_of(leaf.ty) == Some(1))
        {
            return array;
        }
        self.bytes_from(target)
    }

    /// Which element an address is one of, wherever it goes into an array.
    pub(crate) fn start_of(&self, expr: &Expr) -> Start {
        let ExprKind::Address(place) = &stripped(expr).kind else { return Start::Any };
        let is_first = |step: &Projection| match step {
            Projection::Field(_) => true,
            Projection::Index(index) => matches!(index.kind, ExprKind::Integer(0)),
        };
        match &place.base {
            _ if !place.path.iter().all(is_first) => Start::Any,
            Base::Var(_) => Start::First,
            Base::Deref(pointer) => {
                self.module().types.pointee(pointer.ty).map_or(Start::Any, |pointee| Start::FirstOf(pointee.ty))
            }
        }
    }

    /// So many bytes from where a pointer points, if it is clear which; of an array that they begin in, all.
    pub(crate) fn bytes_within(&self, target: Target, length: u64, start: Start) -> Option<Range<u64>> {
        let (Offset::At(offset), Some(ty)) = (target.offset, self.cells.subject.points_to.element(target.object))
        else {
            return None;
        };
        let end = offset.checked_add(length).filter(|&end| Some(end) <= self.module().types.size_of(ty))?;
        match array_around(self.module(), ty, offset) {
            None => Some(offset..end),
            Some(array) if start == Start::First || start == Start::FirstOf(ty) => {
                Some(array.start..end.max(array.end))
            }
            Some(_) => None,
        }
    }

    /// All bytes from where a pointer points on.
    fn bytes_from(&self, target: Target) -> Range<u64> {
        let first = match (self.cells.subject.points_to.kind(target.object), target.offset) {
            (ObjectKind::Variable(var), Offset::At(offset)) => {
                array_around(self.module(), self.module().vars[var].ty.ty, offset).map_or(offset, |array| array.start)
            }
            _ => 0,
        };
        first..u64::MAX
    }
}
