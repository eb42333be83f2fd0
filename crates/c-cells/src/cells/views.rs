//! Scalars that share bytes: bit-fields of one unit, and members of a union.
//!
//! The points-to analysis has one cell for what overlaps. What is in it is seen as one of its scalars at a time, and each
//! of these *views* is a cell: `view(c) = { s | s is a scalar inside of c }`, where `c` has more than one. A write to a view
//! is one to its *siblings*, those that have a bit of it; nobody knows what is in these then.
//!
//! **Invariant:** who writes bytes of a cell by any way but one of its views writes all of them.

use super::{Access, CellId, Cells, Home, Key, Kind, Row, Spot};
use crate::{Detail, Unknown};
use hardbop_c_core::parts::{BitFields, Leaf, Leaves, bits_of, number_kind, offset_of};
use hardbop_c_core::{Base, Bits, Place, Projection, TypeId, VarId, VarKind};
use hardbop_points_to::{Activations, Cell, Fit, ObjectKind, Touch};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// What of a cell is seen as one scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lens {
    /// Its first bit, from where the cell begins.
    first: u64,
    /// How many bits.
    width: u64,
    /// What they are seen as.
    kind: Kind,
}

impl Lens {
    fn bits(self) -> Range<u64> {
        self.first..self.first.saturating_add(self.width)
    }

    fn meets(self, bits: &Range<u64>) -> bool {
        self.first < bits.end && bits.start < self.bits().end
    }
}

/// A scalar that shares bytes with others.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    cell: CellId,
    lens: Lens,
}

/// The least and the greatest number of so many bits of a type that has these.
pub(crate) fn bounds((least, most): (i128, i128), width: Option<u32>) -> (i128, i128) {
    let Some(width) = width.filter(|&width| width <= 64) else { return (least, most) };
    let count = 1i128 << width;
    if least < 0 { (-(count / 2), count / 2 - 1) } else { (0, most.min(count - 1)) }
}

impl Cells<'_, '_> {
    /// The scalars of types, as far as they are told apart.
    pub(super) fn leaves_for(detail: Detail) -> Leaves {
        Leaves::new(if detail.has_views { BitFields::Counted } else { BitFields::LeftOut })
    }

    /// The cell of a cell of memory that is the program's, and its views.
    pub fn all_of(&mut self, cell: Cell) -> Vec<CellId> {
        let views = self.views(cell);
        [self.of(cell)].into_iter().chain(views.iter().map(|view| view.cell)).collect()
    }

    /// The views of a cell.
    pub(super) fn views(&mut self, cell: Cell) -> Rc<[View]> {
        if let Some(known) = self.views.get(&cell) {
            return Rc::clone(known);
        }
        let found: Rc<[View]> = if self.has_views { self.find_views(cell).into() } else { Rc::default() };
        for (view, other) in found.iter().flat_map(|view| found.iter().map(move |other| (view, other))) {
            if view.cell != other.cell && view.lens.meets(&other.lens.bits()) {
                self.siblings.entry(view.cell).or_default().push(other.cell);
            }
        }
        self.views.insert(cell, Rc::clone(&found));
        found
    }

    /// How many bytes a cell may have that has views.
    pub(crate) fn extent(&mut self, cell: Cell) -> Option<u64> {
        let has_views = !self.views(cell).is_empty();
        has_views.then(|| self.end_of(cell).map_or(u64::MAX, |end| end - cell.offset))
    }

    /// Where the next cell of the same object begins.
    fn end_of(&self, cell: Cell) -> Option<u64> {
        let all = self.subject.points_to.cells(cell.object).map(|other| other.offset);
        all.filter(|&other| other > cell.offset).min()
    }

    fn find_views(&mut self, cell: Cell) -> Vec<View> {
        let points_to = self.subject.points_to;
        let main = self.of(cell);
        let is_own = matches!(points_to.kind(cell.object), ObjectKind::Variable(_) | ObjectKind::Heap(..));
        let ty = points_to.element(cell.object).filter(|_| is_own);
        let has_one = self.rows[main].ty.is_some() && points_to.is_scalar(cell);
        let Some(ty) = ty.filter(|_| !matches!(self.rows[main].key, Key::Outside(_) | Key::Member(..))) else {
            return Vec::new();
        };
        let end = self.end_of(cell);
        let all = self.leaves(ty);
        let inside = |leaf: &&Leaf| leaf.offset >= cell.offset && end.is_none_or(|end| leaf.offset < end);
        let inside: Vec<&Leaf> = all.iter().filter(inside).collect();
        let has_bits = inside.iter().any(|leaf| leaf.bits.is_some());
        if !has_bits && (self.rows[main].ty.is_some() || inside.len() < 2) {
            return Vec::new();
        }
        let mut found: Vec<View> = Vec::new();
        for leaf in inside {
            let Some(lens) = self.lens_of(leaf, cell.offset) else { continue };
            if found.iter().any(|view| view.lens == lens) {
                continue;
            }
            let view = match has_one && leaf.bits.is_none() {
                true => Some(main),
                false => self.view(cell, leaf, lens),
            };
            found.extend(view.map(|cell| View { cell, lens }));
        }
        found
    }

    /// How a scalar is seen that is in the cell at `start`.
    fn lens_of(&self, leaf: &Leaf, start: u64) -> Option<Lens> {
        let is_one = leaf.steps.iter().all(|step| matches!(step, Projection::Field(_)));
        self.lens(leaf.ty, leaf.bits, leaf.offset - start).filter(|_| is_one)
    }

    fn lens(&self, ty: TypeId, bits: Option<Bits>, byte: u64) -> Option<Lens> {
        let kind = self.kind(Some(ty));
        let size = self.subject.module.types.size_of(ty)?;
        let start = byte.checked_mul(8)?;
        let (first, width) = match bits {
            Some(bits) => (start.checked_add(bits.first)?, u64::from(bits.width)),
            None => (start, size.checked_mul(8)?),
        };
        (kind != Kind::Other).then_some(Lens { first, width, kind })
    }

    fn view(&mut self, cell: Cell, leaf: &Leaf, lens: Lens) -> Option<CellId> {
        let (points_to, has_escaped) = (self.subject.points_to, self.is_exposed(cell));
        let home = match points_to.kind(cell.object) {
            ObjectKind::Variable(var) => self.view_home(var),
            _ => None,
        };
        // Of many that are not told apart, only bit-fields are worth a cell: they are kept from each other.
        if home.is_none() && leaf.bits.is_none() || has_escaped && self.merged.contains(&self.kind(Some(leaf.ty))) {
            return None;
        }
        let name = format!("{}{}", self.object_name(cell), leaf.path);
        let (key, home) = (Key::View(cell, lens), home.unwrap_or(Home::Summary));
        let width = leaf.bits.map(|bits| bits.width);
        Some(self.intern(key, |_| Row { key, ty: Some(leaf.ty), width, home, name, has_escaped }))
    }

    /// Where the scalars of a variable live that are in no array, if they are followed on their own.
    fn view_home(&self, var: VarId) -> Option<Home> {
        let (variable, types) = (&self.subject.module.vars[var], &self.subject.module.types);
        if types.element(variable.ty.ty).is_some() {
            return None;
        }
        let is_one = |owner| self.subject.points_to.call_graph().activations(owner) == Activations::One;
        match variable.kind {
            VarKind::Parameter(owner) if !variable.is_address_taken => Some(Home::Parameter(self.proc(owner))),
            VarKind::Local(owner) | VarKind::Temporary(owner) if !variable.is_address_taken => {
                Some(Home::Local(self.proc(owner)))
            }
            kind => (kind.owner().is_none_or(is_one) && !variable.is_thread_local).then_some(Home::Global),
        }
    }

    /// The spots of `place` in a cell that has views, as far as it is clear which of them it is.
    pub(super) fn spots_in(&mut self, place: &Place, touch: Touch) -> Option<Vec<Spot>> {
        let views = self.views(touch.cell);
        if views.is_empty() {
            return None;
        }
        let bits = bits_of(self.subject.module, place);
        let at = match &place.base {
            Base::Var(_) => offset_of(self.subject.module, place),
            Base::Deref(_) => None,
        };
        let byte = match at {
            Some(at) => at.checked_sub(touch.cell.offset),
            None => touch.is_at_start.then_some(0),
        };
        let lens = byte.and_then(|byte| self.lens(place.ty, bits, byte));
        let found = views.iter().find(|view| Some(view.lens) == lens);
        let spot = |cell, fit| Spot { cell, fit, through: touch.through };
        Some(match found {
            Some(view) => vec![spot(view.cell, Fit::Whole)],
            None => self.all_of(touch.cell).into_iter().map(|cell| spot(cell, Fit::Blurred)).collect(),
        })
    }

    /// What has bits of a place, and is not what the place is seen as.
    pub(super) fn siblings_of(&self, spots: &[Spot]) -> Vec<CellId> {
        let all = spots.iter().filter_map(|spot| self.siblings.get(&spot.cell)).flatten().copied();
        let mut all: Vec<CellId> = all.filter(|cell| !spots.iter().any(|spot| spot.cell == *cell)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How a pointer from outside that leads to `place` may lead to a cell of the program.
    pub(super) fn fit_outside(&self, cell: CellId, place: &Place) -> Option<Fit> {
        let width = bits_of(self.subject.module, place).map(|bits| bits.width);
        let own = self.rows[cell].width;
        // Who assumes nothing of outside code does not rely on its bytes being its own, either.
        let is_anything = self.unknown == Unknown::Anything;
        let is_same = self.kind(self.rows[cell].ty) == self.kind(Some(place.ty));
        match (own, width) {
            (None, None) if self.fits(cell, place.ty) => Some(Fit::Whole),
            (Some(own), Some(width)) if own == width && is_same => Some(Fit::Whole),
            (Some(_), Some(_)) => is_anything.then_some(Fit::Blurred),
            _ => {
                let is_byte = is_anything && self.subject.module.types.size_of(place.ty) == Some(1);
                (is_same || is_byte || self.is_counterpart(cell, place.ty)).then_some(Fit::Blurred)
            }
        }
    }

    /// The least and the greatest number that an integer can be.
    pub fn bounds(&self, cell: CellId) -> Option<(i128, i128)> {
        let (row, types) = (&self.rows[cell], &self.subject.module.types);
        Some(bounds(types.range(number_kind(types, row.ty?)?), row.width))
    }

    /// What a view is one of: the cell, its first byte and bit, and how many bits it has.
    pub fn seen_in(&self, cell: CellId) -> Option<(Cell, Range<u64>)> {
        match self.rows[cell].key {
            Key::View(part, lens) => Some((part, lens.bits())),
            _ => None,
        }
    }

    /// A structure is read or written as a whole: siblings that are among the parts get what they are given.
    pub(crate) fn settle<'p>(parts: impl Iterator<Item = &'p mut Access>) {
        let mut parts: Vec<&mut Access> = parts.collect();
        let spots = parts.iter().flat_map(|part| &part.spots).filter(|spot| spot.fit == Fit::Whole);
        let written: BTreeSet<CellId> = spots.map(|spot| spot.cell).collect();
        for part in &mut parts {
            part.siblings.retain(|sibling| !written.contains(sibling));
        }
    }
}
