//! What of memory that is copied stays what it is.
//!
//! Bytes go to the same place in an object of the same type, or else nobody knows which: then a number may be a pointer
//! where it gets to, unless there are pointers only.

use super::cells::{CellId, Sort};
use super::externals::{Extent, External};
use super::memory::Start;
use super::shapes::Shaper;
use hardbop_c_core::parts::array_around;
use hardbop_c_core::{Expr, Stmt, TypeId};
use hardbop_points_to::{ObjectId, Offset, Target};
use std::collections::{BTreeMap, BTreeSet};

/// Memory that gets what is in other memory.
pub(crate) struct Poured<'m> {
    /// Where it is copied from.
    pub(crate) from: &'m Expr,
    /// How many bytes.
    pub(crate) extent: Extent,
    /// The cells that are written.
    pub(crate) to: Vec<CellId>,
    /// The objects that are written, where each byte gets to the same place in the same type.
    pub(crate) alike: Option<Vec<ObjectId>>,
}

impl<'m> Shaper<'_, 'm> {
    /// Of what is copied, who knows how much, each pointer may be any of the pointers that can get there.
    pub(crate) fn pour(&mut self, copy: Poured<'m>, external: &mut External<'m>) {
        let read = self.cells.subject.points_to.points_to_expr(copy.from);
        let is_own = read.iter().all(|&target| self.is_own(target));
        let sources: BTreeSet<CellId> = self.behind(copy.from, copy.extent).into_iter().collect();
        let is_pointer = |cells: &super::Cells<'_, '_>, cell| cells.sort(cells.rows[cell].ty) == Sort::Pointer;
        let are_pointers = !sources.is_empty() && sources.iter().all(|&cell| is_pointer(&self.cells, cell));
        let same = copy.alike.map(|objects| self.same_places(&read, &objects)).unwrap_or_default();
        external.is_copying = true;
        for to in copy.to {
            let from: Vec<CellId> = match same.get(&to) {
                _ if !is_own || !is_pointer(&self.cells, to) => Vec::new(),
                Some(from) => from.intersection(&sources).copied().collect(),
                None if are_pointers => sources.iter().copied().collect(),
                None => Vec::new(),
            };
            match from.is_empty() {
                true => external.writes.push(to),
                false => external.moves.extend(from.into_iter().filter(|&from| from != to).map(|from| (from, to))),
            }
        }
    }

    /// Of each cell in `objects` those at the same place in what is copied.
    fn same_places(&mut self, read: &[Target], objects: &[ObjectId]) -> BTreeMap<CellId, BTreeSet<CellId>> {
        let points_to = self.cells.subject.points_to;
        let mut by_place: BTreeMap<u64, BTreeSet<CellId>> = BTreeMap::new();
        for part in read.iter().flat_map(|target| points_to.cells(target.object)) {
            by_place.entry(part.offset).or_default().insert(self.cells.of(part));
        }
        let mut same: BTreeMap<CellId, BTreeSet<CellId>> = BTreeMap::new();
        for part in objects.iter().flat_map(|&object| points_to.cells(object)) {
            let from = by_place.get(&part.offset).into_iter().flatten();
            same.entry(self.cells.of(part)).or_default().extend(from);
        }
        same
    }

    /// The objects that two pointers of `memcpy` point to, if they point to the same place in objects of one type.
    pub(crate) fn copied_alike(&self, to: &Expr, from: &Expr) -> Option<Vec<ObjectId>> {
        let [to_targets, from_targets] = [to, from].map(|end| self.cells.subject.points_to.points_to_expr(end));
        let all = || to_targets.iter().chain(&from_targets);
        let ty = self.element_of_all(all().map(|target| target.object))?;
        let offset = all().next()?.offset;
        let Offset::At(first) = offset else { return None };
        // Where one of two pointers has gone further in an array, they are not side by side behind its end.
        let is_first = |end: &Expr| [Start::First, Start::FirstOf(ty)].contains(&self.start_of(end));
        let is_beside = array_around(self.module(), ty, first).is_none() || is_first(to) && is_first(from);
        let is_alike = is_beside && all().all(|target| target.offset == offset);
        is_alike.then(|| to_targets.iter().map(|target| target.object).collect())
    }

    /// The objects that are made of what `from` points to, if they are of the same type. It points to their start.
    pub(crate) fn grown_alike(&self, stmt: &Stmt, from: &Expr) -> Option<Vec<ObjectId>> {
        let made = self.allocations.get(&stmt.span)?;
        let read = self.cells.subject.points_to.points_to_expr(from);
        let objects = made.iter().copied().chain(read.iter().map(|target| target.object));
        self.element_of_all(objects).map(|_| made.clone())
    }

    /// The one type that all of these objects are, or are arrays of.
    fn element_of_all(&self, objects: impl Iterator<Item = ObjectId>) -> Option<TypeId> {
        let mut elements = objects.map(|object| self.cells.subject.points_to.element(object));
        let first = elements.next()??;
        elements.all(|element| element == Some(first)).then_some(first)
    }
}
