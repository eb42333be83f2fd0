//! Memory of code outside: what may be the same there, and what a union makes one.

use super::{Access, CellId, Cells, Home, Key, Kind, MOST_ESCAPED, OUTSIDE_MEMORY, Partners, Row};
use crate::Unknown;
use hardbop_c_core::{Linkage, Place, RecordId, TypeId, VarKind, Variable};
use hardbop_points_to::{Cell, ObjectKind, Target, library};
use std::collections::{BTreeMap, BTreeSet};

/// What there is a pointer to in a union.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Exposed {
    union: RecordId,
    /// What it is, and what type it has if it is no integer.
    pointee: (Kind, Option<TypeId>),
    /// Whether it may be read as what another member was written as. A part of a structure is only read as such, unless the
    /// union is named: this much is assumed, if anything is.
    is_read: bool,
}

/// A byte.
const BYTE: Kind = Kind::Integer(0, u8::MAX as i128);

impl Cells<'_, '_> {
    /// Whether a cell is memory of code outside, or of the library.
    pub fn is_outside(&self, cell: CellId) -> bool {
        match self.rows[cell].key {
            Key::Spread(part) => matches!(self.subject.points_to.kind(part.object), ObjectKind::Opaque(..)),
            key => key.is_outside(),
        }
    }

    /// Whether a cell is memory that code outside knows, in which things are not told apart.
    pub fn is_open(&self, cell: CellId) -> bool {
        self.rows[cell].home == Home::Summary && (self.rows[cell].has_escaped || self.is_outside(cell))
    }

    /// Whether a cell is what stands in the program's arguments, which code outside has put there before it started.
    pub fn is_argument(&self, cell: CellId) -> bool {
        let Key::Spread(part) = self.rows[cell].key else { return false };
        matches!(self.subject.points_to.kind(part.object), ObjectKind::Vector(_))
    }

    /// Whether a cell is a variable that is defined elsewhere.
    pub fn is_elsewhere(&self, cell: CellId) -> bool {
        self.variable(cell).is_some_and(|row| row.init.is_none() && row.kind == VarKind::Global(Linkage::External))
    }

    /// Whether a cell is a pointer to something that is there in every run when the program starts: a variable of the
    /// library, or the parameter of `main` that points to the program's arguments.
    pub fn is_there_at_start(&self, cell: CellId) -> bool {
        let is_stream = |row: &Variable| library::is_stream(&row.source_name);
        if self.is_elsewhere(cell) {
            return self.variable(cell).is_some_and(is_stream);
        }
        let Home::Parameter(_) = self.rows[cell].home else { return false };
        let Key::Part(part) = self.rows[cell].key else { return false };
        let points_to = self.subject.points_to;
        let targets = points_to.points_to_cell(part);
        let is_vector = |target: &Target| matches!(points_to.kind(target.object), ObjectKind::Vector(_));
        !targets.is_empty() && targets.iter().all(is_vector)
    }

    /// The variable that a cell is a part of.
    pub(crate) fn variable(&self, cell: CellId) -> Option<&Variable> {
        let (Key::Part(part) | Key::Spread(part) | Key::View(part, _)) = self.rows[cell].key else { return None };
        match self.subject.points_to.kind(part.object) {
            ObjectKind::Variable(var) => Some(&self.subject.module.vars[var]),
            _ => None,
        }
    }

    /// The kinds of which there are so many that they are not followed one by one.
    pub(super) fn frequent(&mut self, all: &[Cell]) -> Vec<Kind> {
        let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
        for &cell in all {
            let ty = self.scalar(cell).map(|leaf| leaf.ty);
            *counts.entry(self.kind(ty)).or_default() += 1;
        }
        counts.into_iter().filter(|&(_, count)| count > MOST_ESCAPED).map(|(kind, _)| kind).collect()
    }

    pub(super) fn all_of_these(&mut self, all: Vec<Cell>) -> Vec<CellId> {
        let ids: BTreeSet<CellId> = all.into_iter().flat_map(|cell| self.all_of(cell)).collect();
        ids.into_iter().collect()
    }

    /// Whether code outside can write what is there.
    pub(super) fn is_exposed(&self, cell: Cell) -> bool {
        let points_to = self.subject.points_to;
        points_to.has_escaped(cell.object) && !points_to.is_constant(cell.object)
    }

    /// Whether nobody can write a cell.
    pub(crate) fn is_constant(&self, cell: CellId) -> bool {
        let (Key::Part(part) | Key::Spread(part) | Key::View(part, _)) = self.rows[cell].key else { return false };
        self.subject.points_to.is_constant(part.object)
    }

    /// What stands outside for a cell that nobody can write, where it is one of too many.
    pub fn constant_outside(&mut self, cell: CellId) -> Option<CellId> {
        let (Key::Part(part) | Key::Spread(part)) = self.rows[cell].key else { return None };
        let (ty, points_to) = (self.rows[cell].ty, self.subject.points_to);
        let is_read = points_to.is_constant(part.object) && points_to.has_escaped(part.object);
        let kind = self.kind(ty);
        (is_read && self.merged.contains(&kind)).then(|| self.outside_kind(kind, ty))
    }

    pub(crate) fn outside_objects(&mut self) -> CellId {
        let [all, stored] = [Key::OutsideObjects, Key::OutsideObjectsStored].map(|key| {
            let name = || OUTSIDE_MEMORY.to_owned();
            self.intern(key, |_| Row {
                key,
                ty: None,
                width: None,
                home: Home::Summary,
                name: name(),
                has_escaped: false,
            })
        });
        self.partners.insert(all, Partners { read: None, written: stored });
        all
    }

    /// Whether two cells may be the same memory.
    pub fn meet(&self, left: CellId, right: CellId) -> bool {
        let is_partner =
            |one: CellId, other: CellId| self.partners.get(&one).is_some_and(|partners| partners.written == other);
        let is_with = |one: CellId, other: CellId| match self.rows[other].key {
            Key::Outside(kind) => {
                let is_byte = self.unknown == Unknown::Anything && BYTE.counterparts().contains(&kind);
                is_byte && self.is_outside(one)
                    || kind != Kind::Other && self.outside_counterparts(one).contains(&kind)
                    || is_partner(one, other)
            }
            Key::OutsideStored(_) | Key::OutsideObjects | Key::OutsideObjectsStored => is_partner(one, other),
            _ => false,
        };
        left == right || is_with(left, right) || is_with(right, left)
    }

    /// What an integer outside is to pointers to integers of the same size: what is `int` may be written as `unsigned`.
    pub(crate) fn counterparts(&self, cell: CellId) -> impl Iterator<Item = CellId> {
        let own = self.kind(self.rows[cell].ty);
        let kinds = self.outside_counterparts(cell).into_iter().filter(move |&kind| kind != Kind::Other && kind != own);
        kinds.filter_map(|kind| self.find(Key::Outside(kind)))
    }

    /// The bytes outside that anything outside may consist of, to who assumes nothing.
    pub(crate) fn bytes_outside(&self) -> impl Iterator<Item = CellId> {
        let kinds = BYTE.counterparts().into_iter();
        let kinds = kinds.filter(|_| self.unknown == Unknown::Anything);
        kinds.filter_map(|kind| self.find(Key::Outside(kind)))
    }

    fn outside_counterparts(&self, cell: CellId) -> [Kind; 3] {
        let row = &self.rows[cell];
        if row.key.is_outside() { self.kind(row.ty).counterparts() } else { [Kind::Other; 3] }
    }

    /// Whether a value of type `ty` is all that a cell holds but for the sign.
    pub(super) fn is_counterpart(&self, cell: CellId, ty: TypeId) -> bool {
        let kind = self.kind(Some(ty));
        kind != Kind::Other && self.kind(self.rows[cell].ty).counterparts().contains(&kind)
    }

    /// What code outside has that is none of the kinds that are told apart.
    pub fn somewhere_outside(&mut self) -> CellId {
        self.outside_kind(Kind::Other, None)
    }

    /// Takes note that the program has a pointer to `place`: what is in a union may be reached through it.
    pub(crate) fn expose(&mut self, place: &Place) {
        let module = self.subject.module;
        let is_read = self.is_punned_by(place.ty);
        for union in hardbop_c_core::parts::unions_of(module, place) {
            for part in hardbop_c_core::parts::parts_of(module, place.ty) {
                self.exposed.insert(Exposed { union, pointee: self.pointee(part), is_read });
            }
        }
    }

    /// Takes note of the unions that the program says a place is in.
    pub(crate) fn name_unions(&mut self, place: &Place) {
        self.named.extend(hardbop_c_core::parts::unions_of(self.subject.module, place));
    }

    /// Takes note that code outside has pointers to whatever is in unions there. Only those matter that are named.
    pub(crate) fn expose_unions(&mut self) {
        let module = self.subject.module;
        for union in std::mem::take(&mut self.named) {
            let fields = module.types.body(union).map_or(&[][..], |body| &body.fields);
            let parts = fields.iter().flat_map(|field| hardbop_c_core::parts::parts_of(module, field.ty.ty));
            for part in parts.collect::<BTreeSet<_>>() {
                let is_read = self.is_punned_by(part);
                self.exposed.insert(Exposed { union, pointee: self.pointee(part), is_read });
            }
        }
    }

    /// Whether a pointer to this reads what another member of a union was written as.
    fn is_punned_by(&self, ty: TypeId) -> bool {
        let module = self.subject.module;
        module.types.is_scalar(hardbop_c_core::parts::element_of(module, ty)) || self.unknown == Unknown::Anything
    }

    fn pointee(&self, ty: TypeId) -> (Kind, Option<TypeId>) {
        let kind = self.kind(Some(ty));
        (kind, (!matches!(kind, Kind::Integer(..))).then_some(ty))
    }

    /// The unions that a place may be in: those that may be read there, too, and those that are written with it.
    pub(super) fn unions_of(&self, place: &Place) -> (Vec<RecordId>, Vec<RecordId>) {
        let module = self.subject.module;
        let pointee =
            self.pointee(hardbop_c_core::parts::element_of(module, hardbop_c_core::parts::start(module, place)));
        // What is `int` may be reached by a pointer to `unsigned`.
        let counterparts = pointee.0.counterparts();
        let is_it = |exposed: &&Exposed| match exposed.pointee.0 {
            kind @ Kind::Integer(..) => kind == pointee.0 || counterparts.contains(&kind),
            _ => exposed.pointee == pointee,
        };
        let exposed = || self.exposed.iter().filter(is_it);
        let mut unions = hardbop_c_core::parts::unions_of(module, place);
        unions.extend(exposed().filter(|exposed| exposed.is_read).map(|exposed| exposed.union));
        unions.sort_unstable();
        unions.dedup();
        let around = exposed().map(|exposed| exposed.union).filter(|union| !unions.contains(union)).collect();
        (unions, around)
    }

    /// What is something else once a place is written: other scalars in the same union.
    pub fn punned(&self, access: &Access) -> Vec<CellId> {
        let cells = access.unions.iter().flat_map(|&union| self.in_union(union)).copied();
        let others = cells.filter(|&cell| !self.fits(cell, access.ty));
        others.chain(self.around(access)).collect()
    }

    /// What else is written together with a place: what shares bytes with it, and with a part of something the cells of
    /// unions that this may be in.
    pub(crate) fn around<'s>(&'s self, access: &'s Access) -> impl Iterator<Item = CellId> + 's {
        access.around.iter().flat_map(|&union| self.in_union(union)).chain(&access.siblings).copied()
    }

    /// The cells of a union in memory of code outside.
    pub(crate) fn in_union(&self, union: RecordId) -> &[CellId] {
        self.unions.get(&union).map_or(&[], |cells| cells)
    }

    /// The cells for outside memory that is accessed as `place`, perhaps by way of `unions`.
    pub(super) fn outside(&mut self, place: &Place, unions: &[RecordId]) -> Vec<CellId> {
        let (kind, ty) = (self.kind(Some(place.ty)), Some(place.ty));
        let all = self.outside_kind(kind, ty);
        let row = |key, name: String| Row { key, ty, width: None, home: Home::Summary, name, has_escaped: true };
        let stored = self.stored_kind(kind, ty);
        let partners = Partners { read: Some(stored), written: all };
        let mut found = Vec::new();
        if let Some(member) = hardbop_c_core::parts::member_of(self.subject.module, place) {
            let key = Key::OutsideMember(member.0, member.1);
            found.push(self.intern(key, |cells| row(key, cells.member_name(member))));
        }
        let is_plain = found.is_empty();
        // Members of a union are the same memory, whatever structures they are in.
        for &union in unions {
            let key = Key::OutsideUnion(union, kind);
            let cell = self.intern(key, |cells| row(key, cells.record_name(union).to_owned()));
            let known = self.unions.entry(union).or_default();
            if !known.contains(&cell) {
                known.push(cell);
            }
            found.push(cell);
        }
        self.partners.extend(found.iter().map(|&cell| (cell, partners)));
        if is_plain {
            self.partners.insert(all, Partners { read: None, written: stored });
            found.push(all);
        }
        found
    }

    /// Any pointer in memory of code outside.
    pub(crate) fn plain_outside(&mut self, ty: TypeId) -> Access {
        let kind = self.kind(Some(ty));
        let [all, stored] = [self.outside_kind(kind, Some(ty)), self.stored_kind(kind, Some(ty))];
        self.partners.insert(all, Partners { read: None, written: stored });
        self.just(all, ty)
    }

    pub(super) fn outside_kind(&mut self, kind: Kind, ty: Option<TypeId>) -> CellId {
        let key = Key::Outside(kind);
        let name = || OUTSIDE_MEMORY.to_owned();
        self.intern(key, |_| Row { key, ty, width: None, home: Home::Summary, name: name(), has_escaped: true })
    }

    fn stored_kind(&mut self, kind: Kind, ty: Option<TypeId>) -> CellId {
        let key = Key::OutsideStored(kind);
        let name = || OUTSIDE_MEMORY.to_owned();
        self.intern(key, |_| Row { key, ty, width: None, home: Home::Summary, name: name(), has_escaped: true })
    }
}
