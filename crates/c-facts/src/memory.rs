//! The sets `memory(p, n)` and `string(p)`: the scalars of `n` bytes, or of a string, from where `p` points.
//!
//! Elements of an array are one cell, so a pointer to one of them may be a pointer to any. Where the bytes are not known
//! to end inside of the object, or it is open where they begin, they go to its end.

use super::catalogue::stripped;
use super::cells::CellId;
use super::scribe::Scribe;
use super::shapes::{Shaper, Source, SourceKind};
use super::things::{Bindings, Member, Thing, When};
use hardbop_c_core::parts::array_around;
use hardbop_c_core::{Base, Expr, ExprKind, Projection, TypeId, VarKind};
use hardbop_lang_flow::tree::{Length, Set};
use hardbop_points_to::{ObjectKind, Offset, Target};
use std::collections::BTreeMap;
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

impl<'m> Scribe<'_, 'm> {
    /// The scalars from where `thing` points, `length` bytes or to the end, and what stands for the object itself.
    pub(crate) fn memory(&mut self, thing: &Thing<'m>, length: Option<u64>) -> Vec<Member<'m>> {
        let start = match thing {
            Thing::Value(Source { expr: Some(expr), .. }) => self.shaper.start_of(expr),
            _ => Start::Any,
        };
        self.bytes_behind(thing, |shaper, target| {
            let within = length.and_then(|length| shaper.bytes_within(target, length, start));
            within.unwrap_or_else(|| shaper.bytes_from(target))
        })
    }

    /// The number of bytes that a set is of, where it is known.
    pub(crate) fn length_of(&self, set: &Set, bindings: &Bindings<'m>) -> Option<u64> {
        let known = |length: Length| match length {
            Length::Number(number) => u64::try_from(number).ok(),
            Length::Meta(meta) => match bindings.get(&meta.id)? {
                Thing::Value(Source { kind: SourceKind::Number(number), .. }) => u64::try_from(*number).ok(),
                _ => None,
            },
        };
        known(set.length?)?.checked_mul(set.times.map_or(Some(1), known)?)
    }

    /// The scalars of the string that `thing` points to, and what stands for the object itself.
    pub(crate) fn string(&mut self, thing: &Thing<'m>) -> Vec<Member<'m>> {
        self.bytes_behind(thing, |shaper, target| shaper.bytes_of_string(target))
    }

    fn bytes_behind(
        &mut self,
        thing: &Thing<'m>,
        mut bytes: impl FnMut(&mut Shaper<'_, 'm>, Target) -> Range<u64>,
    ) -> Vec<Member<'m>> {
        let mut found: BTreeMap<CellId, Member<'m>> = BTreeMap::new();
        for (targets, _) in self.targets(thing) {
            // The last of them may be written in part.
            let when = if targets.len() == 1 { When::Partly } else { When::Perhaps };
            for target in targets.into_iter().filter(|&target| !self.shaper.is_text(target)).collect::<Vec<_>>() {
                let bytes = bytes(&mut self.shaper, target);
                let mut cells = self.shaper.cells_in(target.object, &bytes);
                cells.extend(self.object(target));
                for cell in cells {
                    join(&mut found, cell, when.clone());
                }
            }
        }
        found.into_values().collect()
    }
}

/// Adds a member; what one value means for certain, another need not.
pub(crate) fn join<'m>(found: &mut BTreeMap<CellId, Member<'m>>, cell: CellId, when: When<'m>) {
    let known = found.entry(cell).or_insert_with(|| Member::perhaps(cell));
    if !matches!(when, When::Perhaps) {
        known.when = when;
    }
}

impl Shaper<'_, '_> {
    /// The cell that stands for an object.
    pub(crate) fn object(&mut self, target: Target) -> Option<CellId> {
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
