//! The cells of the program's memory.
//!
//! A cell that stands for one scalar at a time is followed on its own. One that stands for several (on the heap, in an
//! array, of a local of a recursive function) is a *summary*: of it only what it may hold is known. Summaries of the
//! same member of the same record are one cell, so that a program has not many more of them than members.
//!
//! The value of `p->f`, where it is in a summary, has a *copy* for each function that [remembers](super::remembered) it:
//! what was last read or written there, for as long as `p` and the memory that it may be in stay as they are.

mod outside;
mod views;

use super::remembered::{Anchor, Behind};
use super::{Detail, Subject, Unknown};
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_c_core::parts::{Leaf, Leaves, number_kind};
use hardbop_c_core::{FunctionId, Place, RecordId, TypeId, VarId, VarKind};
use hardbop_icfg::{EdgeId, ProcId};
use hardbop_points_to::{Cell, Fit, ObjectId, ObjectKind, Offset, Target};
use outside::Exposed;
use views::View;
pub(crate) use views::bounds;

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
pub use views::Lens;

newtype_index! {
    /// A cell.
    pub struct CellId = "cell";
}

/// What a cell is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A scalar of a variable.
    Part(Cell),
    /// A member of all records of a kind that are not followed one by one.
    Member(RecordId, u32),
    /// Any other place that is not one at a time.
    Spread(Cell),
    /// A member of records in memory of code outside.
    OutsideMember(RecordId, u32),
    /// Scalars of this kind that are reached by way of a union in memory of code outside.
    OutsideUnion(RecordId, Kind),
    /// Any other scalar of this kind in memory of code outside; where there are many variables that it can write,
    /// these too.
    Outside(Kind),
    /// What was stored to scalars of this kind in memory of code outside, by way of no member.
    OutsideStored(Kind),
    /// One of the scalars that share a cell.
    View(Cell, Lens),
    /// What starts at this byte of a variable and is no scalar: a fact can be about it as a whole.
    Whole(Cell),
    /// The address of what is weak and may be defined nowhere; it is NULL then.
    Address(ObjectId),
    /// What a parameter whose address is taken was given, at this byte.
    Given(VarId, u64),
    /// What a function returns, at this byte.
    Result(FunctionId, u64),
    /// What the last call of a function has returned.
    Returned(FunctionId, u64, TypeId),
    /// What a function last saw in a place.
    Copy(FunctionId, Behind),
    /// The object that stands for all that are not told apart.
    Chosen,
    /// Objects that code outside can reach, where none is chosen.
    OutsideObjects,
    /// What was said of these by way of pointers from outside.
    OutsideObjectsStored,
}

impl Key {
    /// Whether it is in memory of code outside.
    fn is_outside(self) -> bool {
        let is_scalar = matches!(
            self,
            Self::Outside(_) | Self::OutsideStored(_) | Self::OutsideMember(..) | Self::OutsideUnion(..)
        );
        is_scalar || matches!(self, Self::OutsideObjects | Self::OutsideObjectsStored)
    }
}

/// What memory of code outside is called that has no better name.
pub const OUTSIDE_MEMORY: &str = "outside memory";
/// How the chosen object is called.
pub const CHOSEN: &str = "the object";

/// Scalars that one access can mean.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Pointers.
    Pointer,
    /// Integers with this range.
    Integer(i128, i128),
    /// All others.
    Other,
}

impl Kind {
    /// The kinds that an integer may be accessed as: with a sign, without, and a byte as a truth value. Others have none.
    fn counterparts(self) -> [Self; 3] {
        let Self::Integer(least, most) = self else { return [Self::Other; 3] };
        let width = (most - least).max(i128::from(u8::MAX));
        let [signed, unsigned] = [Self::Integer(-(width / 2) - 1, width / 2), Self::Integer(0, width)];
        let is_byte = width == i128::from(u8::MAX);
        [signed, unsigned, if is_byte { Self::Integer(0, 1) } else { signed }]
    }
}

/// Where the facts about a cell live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Everywhere.
    Global,
    /// In one procedure, given by its callers.
    Parameter(ProcId),
    /// In one procedure.
    Local(ProcId),
    /// In one procedure, for its callers.
    Result(ProcId),
    /// Everywhere, as what it may be.
    Summary,
}

/// What a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A pointer.
    Pointer,
    /// An integer.
    Integer,
    /// A number that is not computed with.
    Other,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is.
    pub key: Key,
    /// The type of the scalar; `None` where it has several, or is a part of something.
    pub ty: Option<TypeId>,
    /// How many bits a bit-field has.
    pub width: Option<u32>,
    /// Where its facts live.
    pub home: Home,
    /// How the user calls it.
    pub name: String,
    /// Whether code outside can write it.
    pub has_escaped: bool,
}

/// A place that is read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The cells that it may be.
    pub spots: Vec<Spot>,
    /// Whether it is its only spot, which is followed on its own.
    pub is_certain: bool,
    /// The pointer that it goes through, if that is a cell.
    pub pointer: Option<CellId>,
    /// The cells that it is in memory of code outside, if it may be there.
    pub outside: Vec<CellId>,
    /// Those among the others that the program says it may be, if code outside does not know them, too.
    pub named: Vec<CellId>,
    /// Its bytes, as the function speaks of them.
    pub bytes: Option<Bytes>,
    /// The copy of what is there.
    pub copy: Option<CellId>,
    /// The unions that it is in, in memory of code outside. Of what is written as a part of something larger, those that
    /// the whole is in: what is inside is copied as it is.
    pub unions: Vec<RecordId>,
    /// The unions that what it is in may be in, too: who reads these by name sees what is written here.
    pub around: Vec<RecordId>,
    /// What shares bytes with it and is something else.
    pub siblings: Vec<CellId>,
    /// The type of what is there.
    pub ty: TypeId,
}

impl Access {
    /// A place that is a part of one of these cells, who knows which.
    pub fn among(cells: &[CellId], ty: TypeId) -> Self {
        Self::at(cells.iter().map(|&cell| Spot { cell, fit: Fit::Blurred, through: None }).collect(), ty)
    }

    /// A place that is one of these, of which nothing else is known.
    const fn at(spots: Vec<Spot>, ty: TypeId) -> Self {
        Self {
            spots,
            is_certain: false,
            outside: Vec::new(),
            named: Vec::new(),
            pointer: None,
            bytes: None,
            copy: None,
            unions: Vec::new(),
            around: Vec::new(),
            siblings: Vec::new(),
            ty,
        }
    }

    /// The cells that it may have bytes of.
    pub(crate) fn cells(&self) -> impl Iterator<Item = CellId> {
        self.spots.iter().map(|spot| &spot.cell).chain(&self.siblings).copied()
    }

    /// Whether the two are at different bytes of the same thing.
    pub fn is_apart(&self, other: &Self) -> bool {
        self.bytes.zip(other.bytes).is_some_and(|(own, other)| own.is_apart(other))
    }
}

/// The bytes of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    anchor: Anchor,
    /// Which element they are in.
    index: Option<(CellId, u64)>,
    /// The first bit.
    start: u64,
    /// The one after the last.
    end: u64,
}

impl Bytes {
    pub(crate) fn new(behind: Behind, size: u64) -> Option<Self> {
        let Behind { anchor, index, offset, bits, .. } = behind;
        let first = offset.checked_mul(8)?;
        let (start, width) = match bits {
            Some(bits) => (first.checked_add(bits.first)?, u64::from(bits.width)),
            None => (first, size.checked_mul(8)?),
        };
        Some(Self { anchor, index, start, end: start.checked_add(width)? })
    }

    fn is_apart(self, other: Self) -> bool {
        let is_same = (self.anchor, self.index) == (other.anchor, other.index);
        is_same && (self.end <= other.start || other.end <= self.start)
    }
}

/// A cell that a place may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The cell.
    pub cell: CellId,
    /// Whether the place is all of it.
    pub fit: Fit,
    /// Where the pointer points then.
    pub through: Option<Target>,
}

/// So many cells of a kind that code outside can write are followed one by one.
const MOST_ESCAPED: usize = 48;

/// All cells.
pub struct Cells<'a, 'm> {
    /// The program.
    pub subject: Subject<'a, 'm>,
    unknown: Unknown,
    /// The cells so far: one comes when it is first spoken of, and stays.
    pub rows: IndexVec<CellId, Row>,
    index: FxHashMap<Key, CellId>,
    /// The copies of each function: the cell, its pointer, what it is a copy of.
    pub copies: IndexVec<FunctionId, Vec<Copied>>,
    /// Those of them that are not listed yet.
    drafts: FxHashMap<CellId, Copied>,
    /// What each function returns: first byte and cell.
    results: FxHashMap<FunctionId, Vec<(u64, CellId)>>,
    leaves: Leaves,
    /// The kinds of which code outside can reach so many cells that they are one to it.
    merged: Vec<Kind>,
    /// The cells that code outside can write.
    pub escaped: Vec<CellId>,
    /// Those that it can read, and nobody can write.
    readable: Vec<CellId>,
    /// The cells that share memory of code outside with others.
    pub partners: FxHashMap<CellId, Partners>,
    /// Whether one object stands for all that are not told apart.
    has_chosen: bool,
    /// The cells of each union in memory of code outside.
    unions: FxHashMap<RecordId, Vec<CellId>>,
    /// What the program takes addresses of in unions behind pointers.
    exposed: BTreeSet<Exposed>,
    /// The unions behind pointers that the program names.
    named: BTreeSet<RecordId>,
    /// Whether scalars that share bytes are told apart.
    pub(crate) has_views: bool,
    views: FxHashMap<Cell, Rc<[View]>>,
    /// Of each of them those that it shares bytes with.
    siblings: FxHashMap<CellId, Vec<CellId>>,
}

/// What else is read and written with a cell of outside memory. A pointer to a member is a pointer like any other: what
/// is stored through it, all members of the kind may hold; and through it, what is in any of them may be read.
#[derive(Clone, Copy, Debug)]
pub struct Partners {
    /// What may have been stored there otherwise.
    pub read: Option<CellId>,
    /// What is read otherwise.
    pub written: CellId,
}

/// A copy of what is behind a pointer.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The cell of the copy.
    pub cell: CellId,
    /// How the function speaks of it.
    pub behind: Behind,
    /// What it is a copy of.
    pub original: Access,
}

impl<'a, 'm> Cells<'a, 'm> {
    pub(crate) fn new(subject: Subject<'a, 'm>, detail: Detail) -> Self {
        let Detail { unknown, has_chosen, has_views, .. } = detail;
        let points_to = subject.points_to;
        let escaped: Vec<Cell> = points_to
            .escaped_objects()
            .filter(|&object| points_to.kind(object).is_own_data())
            .flat_map(|object| points_to.cells(object))
            .collect();
        let mut cells = Self {
            subject,
            unknown,
            rows: IndexVec::new(),
            index: FxHashMap::default(),
            copies: IndexVec::from_elem(Vec::new(), subject.module.functions.len()),
            drafts: FxHashMap::default(),
            results: FxHashMap::default(),
            leaves: Self::leaves_for(detail),
            merged: Vec::new(),
            escaped: Vec::new(),
            readable: Vec::new(),
            partners: FxHashMap::default(),
            has_chosen,
            unions: FxHashMap::default(),
            exposed: BTreeSet::new(),
            named: BTreeSet::new(),
            has_views,
            views: FxHashMap::default(),
            siblings: FxHashMap::default(),
        };
        cells.merged = cells.frequent(&escaped);
        let (constants, escaped) = escaped.into_iter().partition(|cell| points_to.is_constant(cell.object));
        cells.escaped = cells.all_of_these(escaped);
        let is_told = |cells: &Self, cell: CellId| !cells.merged.contains(&cells.kind(cells.rows[cell].ty));
        let readable = cells.all_of_these(constants);
        cells.readable = readable.into_iter().filter(|&cell| is_told(&cells, cell)).collect();
        cells
    }

    /// The scalars of a type.
    pub(crate) fn leaves(&mut self, ty: TypeId) -> Rc<[Leaf]> {
        self.leaves.of(self.subject.module, ty)
    }

    /// The scalar at a byte of a type, elements of arrays counted as the first.
    pub fn leaf(&mut self, ty: TypeId, offset: u64) -> Option<Leaf> {
        self.leaves.at(self.subject.module, ty, offset)
    }

    pub(crate) fn scalar(&mut self, cell: Cell) -> Option<Leaf> {
        let element = self.subject.points_to.element(cell.object)?;
        self.leaves.at(self.subject.module, element, cell.offset)
    }

    fn kind(&self, ty: Option<TypeId>) -> Kind {
        let types = &self.subject.module.types;
        match ty {
            Some(ty) if types.is_pointer(ty) => Kind::Pointer,
            Some(ty) => number_kind(types, ty).map_or(Kind::Other, |kind| {
                let (least, most) = types.range(kind);
                Kind::Integer(least, most)
            }),
            None => Kind::Other,
        }
    }

    /// What a scalar is.
    pub fn sort(&self, ty: Option<TypeId>) -> Sort {
        let types = &self.subject.module.types;
        match ty {
            Some(ty) if types.is_pointer(ty) => Sort::Pointer,
            Some(ty) if number_kind(types, ty).is_some() => Sort::Integer,
            _ => Sort::Other,
        }
    }

    /// Whether a value of type `ty` is all that a cell holds.
    pub fn fits(&self, cell: CellId, ty: TypeId) -> bool {
        let row = &self.rows[cell];
        row.width.is_none() && row.ty.is_some_and(|own| self.kind(Some(own)) == self.kind(Some(ty)))
    }

    /// Whether values of two types are of one kind.
    pub(crate) fn is_alike(&self, left: TypeId, right: TypeId) -> bool {
        self.kind(Some(left)) == self.kind(Some(right))
    }

    /// The function that an edge is in.
    pub(crate) fn function(&self, edge: EdgeId) -> Option<FunctionId> {
        let graph = self.subject.graph;
        graph.functions[graph.icfg.nodes[graph.icfg.edges[edge].from].proc]
    }

    pub(crate) fn proc(&self, function: FunctionId) -> ProcId {
        self.subject.graph.procs[function].expect("what has variables has a body")
    }

    fn intern(&mut self, key: Key, make: impl FnOnce(&Self) -> Row) -> CellId {
        if let Some(&known) = self.index.get(&key) {
            return known;
        }
        let row = make(self);
        let id = self.rows.push(row);
        self.index.insert(key, id);
        id
    }

    /// The cell of a cell of memory that is the program's.
    pub fn of(&mut self, cell: Cell) -> CellId {
        if let Some(&known) = self.index.get(&Key::Part(cell)).or_else(|| self.index.get(&Key::Spread(cell))) {
            return known;
        }
        let points_to = self.subject.points_to;
        let has_escaped = self.is_exposed(cell);
        let found = self.scalar(cell);
        let kind = self.kind(found.as_ref().map(|leaf| leaf.ty));
        if has_escaped && self.merged.contains(&kind) {
            return self.outside_kind(kind, found.map(|leaf| leaf.ty));
        }
        if let ObjectKind::Variable(var) = points_to.kind(cell.object)
            && let Some(home) = self.home(var, cell)
        {
            let name = format!("{}{}", self.subject.module.vars[var].source_name, path_of(found.as_ref()));
            let ty = found.map(|leaf| leaf.ty);
            let key = Key::Part(cell);
            return self.intern(key, |_| Row { key, ty, width: None, home, name, has_escaped });
        }
        self.summary(cell, found, has_escaped)
    }

    /// Where a variable's scalar lives, if it is followed on its own.
    fn home(&self, var: VarId, cell: Cell) -> Option<Home> {
        let (variable, points_to) = (&self.subject.module.vars[var], self.subject.points_to);
        match variable.kind {
            VarKind::Parameter(owner) if !variable.is_address_taken => {
                points_to.is_scalar(cell).then(|| Home::Parameter(self.proc(owner)))
            }
            VarKind::Local(owner) | VarKind::Temporary(owner) if !variable.is_address_taken => {
                points_to.is_scalar(cell).then(|| Home::Local(self.proc(owner)))
            }
            _ => points_to.is_single(cell).then_some(Home::Global),
        }
    }

    fn summary(&mut self, cell: Cell, found: Option<Leaf>, has_escaped: bool) -> CellId {
        let is_variable = matches!(self.subject.points_to.kind(cell.object), ObjectKind::Variable(_));
        let is_allocated = matches!(self.subject.points_to.kind(cell.object), ObjectKind::Heap(..));
        let member = found.as_ref().and_then(|leaf| leaf.member);
        // What code outside knows may be anywhere; of what it does not know, each object has its own.
        let is_lone = !has_escaped && (is_variable || is_allocated);
        let key = match member.filter(|_| !is_lone) {
            Some((record, index)) => Key::Member(record, index),
            None => Key::Spread(cell),
        };
        let ty = found.as_ref().map(|leaf| leaf.ty);
        let id = self.intern(key, |cells| {
            let name = match member.filter(|_| !is_lone || is_allocated) {
                Some(member) => cells.member_name(member),
                None => format!("{}{}", cells.object_name(cell), path_of(found.as_ref())),
            };
            Row { key, ty, width: None, home: Home::Summary, name, has_escaped: false }
        });
        self.rows[id].has_escaped |= has_escaped;
        id
    }

    fn member_name(&self, (record, index): (RecordId, u32)) -> String {
        let field = self.subject.module.types.body(record).map_or("", |body| &body.fields[index as usize].name);
        format!("{}.{field}", self.record_name(record))
    }

    fn record_name(&self, record: RecordId) -> &str {
        self.subject.module.types.records[record].tag.as_deref().unwrap_or("struct")
    }

    fn object_name(&self, cell: Cell) -> String {
        match self.subject.points_to.kind(cell.object) {
            ObjectKind::Variable(var) => self.subject.module.vars[var].source_name.clone(),
            ObjectKind::Function(function) => self.subject.module.functions[function].source_name.clone(),
            ObjectKind::Vector(var) => format!("*{}", self.subject.module.vars[var].source_name),
            ObjectKind::Heap(..) => "allocated memory".into(),
            ObjectKind::Opaque(..) => "memory of the library".into(),
            _ => "memory".into(),
        }
    }

    /// How the user calls a cell of memory.
    pub fn name_of(&self, cell: Cell) -> String {
        let known = [Key::Whole(cell), Key::Part(cell), Key::Spread(cell)].into_iter().find_map(|key| self.find(key));
        known.map_or_else(|| self.object_name(cell), |id| self.rows[id].name.clone())
    }

    /// The object that a pointer points to, as a cell.
    pub(crate) fn pointed(&mut self, target: Target) -> Option<CellId> {
        if target.object == self.subject.points_to.unknown() {
            return Some(self.outside_objects());
        }
        let Offset::At(offset) = target.offset else { return None };
        let cell = Cell { object: target.object, offset };
        if let ObjectKind::Variable(var) = self.subject.points_to.kind(cell.object)
            && (self.has_chosen || self.home(var, cell).is_none())
            && self.is_one_object(var, offset)
        {
            let key = Key::Whole(cell);
            let variable = &self.subject.module.vars[var];
            let path = hardbop_c_core::parts::path_to(self.subject.module, variable.ty.ty, offset);
            let name = format!("{}{path}", variable.source_name);
            let row = |_: &Self| Row { key, ty: None, width: None, home: Home::Global, name, has_escaped: false };
            return Some(self.intern(key, row));
        }
        Some(self.of(cell))
    }

    /// The object that stands for all that are not told apart, where there is one.
    pub fn chosen(&mut self) -> Option<CellId> {
        let key = Key::Chosen;
        let name = || CHOSEN.to_owned();
        let row = |_: &Self| Row { key, ty: None, width: None, home: Home::Global, name: name(), has_escaped: false };
        self.has_chosen.then(|| self.intern(key, row))
    }

    /// Whether there is one object at a time at this byte of a variable, whatever it consists of.
    fn is_one_object(&self, var: VarId, offset: u64) -> bool {
        use hardbop_points_to::Activations;
        let (variable, points_to) = (&self.subject.module.vars[var], self.subject.points_to);
        let is_one = |owner| points_to.call_graph().activations(owner) == Activations::One;
        variable.kind.owner().is_none_or(is_one)
            && !hardbop_c_core::parts::is_in_array(self.subject.module, variable.ty.ty, offset)
    }

    /// Whether a cell stands for several scalars of one variable, or of a variable of a function that is active several
    /// times.
    pub fn is_spread(&self, cell: CellId) -> bool {
        matches!(self.rows[cell].key, Key::Spread(_))
    }

    /// Whether a cell stands for the elements of an array, or of one in a variable, of which there is one at a time.
    pub fn is_one_array(&self, cell: CellId) -> bool {
        use hardbop_points_to::Activations;
        let Key::Spread(part) = self.rows[cell].key else { return false };
        let ObjectKind::Variable(var) = self.subject.points_to.kind(part.object) else { return false };
        let owner = self.subject.module.vars[var].kind.owner();
        owner.is_some_and(|owner| self.subject.points_to.call_graph().activations(owner) == Activations::One)
    }

    /// A cell that is no memory of the program.
    pub(crate) fn made(&mut self, key: Key, ty: TypeId, home: Home, name: String) -> CellId {
        self.intern(key, |_| Row { key, ty: Some(ty), width: None, home, name, has_escaped: false })
    }

    /// The address of what may be defined nowhere. It stays as it is, so that who has asked for it once knows it.
    pub(crate) fn weak_address(&mut self, object: ObjectId, ty: TypeId) -> Access {
        let sign = if matches!(self.subject.points_to.kind(object), ObjectKind::Variable(_)) { "&" } else { "" };
        let name = format!("{sign}{}", self.object_name(Cell { object, offset: 0 }));
        let cell = self.made(Key::Address(object), ty, Home::Global, name);
        self.just(cell, ty)
    }

    /// What `function` returns at a byte.
    pub(crate) fn result(&mut self, function: FunctionId, offset: u64, ty: TypeId) -> CellId {
        let name = format!("{}()", self.subject.module.functions[function].source_name);
        let home = Home::Result(self.proc(function));
        let cell = self.made(Key::Result(function, offset), ty, home, name);
        let known = self.results.entry(function).or_default();
        if !known.iter().any(|&(_, other)| other == cell) {
            known.push((offset, cell));
        }
        cell
    }

    /// What `function` returns: first byte and cell of each scalar that is spoken of.
    pub(crate) fn results(&self, function: FunctionId) -> &[(u64, CellId)] {
        self.results.get(&function).map_or(&[], |known| known)
    }

    /// The cell of this key, if there is one.
    pub fn find(&self, key: Key) -> Option<CellId> {
        self.index.get(&key).copied()
    }

    /// What the last call in `caller` has returned at a byte.
    pub(crate) fn returned(&mut self, caller: FunctionId, offset: u64, ty: TypeId) -> CellId {
        let home = Home::Local(self.proc(caller));
        self.made(Key::Returned(caller, offset, ty), ty, home, "the result".into())
    }

    /// What a parameter whose address is taken was given.
    pub(crate) fn given(&mut self, function: FunctionId, parameter: VarId, leaf: &Leaf) -> CellId {
        let name = format!("{}{}", self.subject.module.vars[parameter].source_name, path_of(Some(leaf)));
        let home = Home::Parameter(self.proc(function));
        self.made(Key::Given(parameter, leaf.offset), leaf.ty, home, name)
    }

    /// Whether the cell is of a variable of a model, which the user does not know.
    pub fn is_of_model(&self, cell: CellId) -> bool {
        let Key::Part(part) = self.rows[cell].key else { return false };
        let ObjectKind::Variable(var) = self.subject.points_to.kind(part.object) else { return false };
        let kind = self.subject.module.vars[var].kind;
        let owner = match kind {
            VarKind::StaticLocal(owner) => Some(owner),
            _ => kind.owner(),
        };
        owner.is_some_and(|owner| self.subject.module.functions[owner].is_model)
    }

    /// The place that is just this cell.
    pub fn just(&self, cell: CellId, ty: TypeId) -> Access {
        let spots = vec![Spot { cell, fit: Fit::Whole, through: None }];
        let is_certain = self.rows[cell].home != Home::Summary;
        Access { is_certain, ..Access::at(spots, ty) }
    }

    /// The place that is just this cell, whatever is in it.
    pub fn whole(&self, cell: CellId) -> Access {
        // Facts about objects that are no scalars need no type.
        self.just(cell, self.rows[cell].ty.unwrap_or_else(|| Idx::from_usize(0)))
    }

    /// The cells that `place` may be, the copy of `function` aside.
    pub(crate) fn access(&mut self, place: &Place) -> Access {
        let points_to = self.subject.points_to;
        let (mut spots, mut is_outside): (Vec<Spot>, bool) = (Vec::new(), false);
        for touch in points_to.touches(place) {
            if touch.cell.object == points_to.unknown()
                || matches!(points_to.kind(touch.cell.object), ObjectKind::Opaque(..))
            {
                is_outside = true;
                continue;
            }
            if let Some(found) = self.spots_in(place, touch) {
                spots.extend(found);
                continue;
            }
            let cell = self.of(touch.cell);
            let is_whole = touch.fit == Fit::Whole && self.fits(cell, place.ty) && !is_bit_field(self.subject, place);
            let fit = if is_whole { Fit::Whole } else { Fit::Blurred };
            spots.push(Spot { cell, fit, through: touch.through });
        }
        let (unions, around) = if is_outside { self.unions_of(place) } else { (Vec::new(), Vec::new()) };
        let (mut outside, mut named) = (Vec::new(), Vec::new());
        if is_outside {
            named = spots.iter().map(|spot| spot.cell).filter(|&cell| !self.is_open(cell)).collect();
            outside = self.outside(place, &unions);
            spots.extend(outside.iter().map(|&cell| Spot { cell, fit: Fit::Whole, through: None }));
            let own = self.escaped.iter().chain(&self.readable);
            let own = own.filter_map(|&cell| Some((cell, self.fit_outside(cell, place)?)));
            spots.extend(own.map(|(cell, fit)| Spot { cell, fit, through: None }));
        }
        merge(&mut spots);
        let is_certain =
            matches!(spots[..], [Spot { cell, fit: Fit::Whole, .. }] if self.rows[cell].home != Home::Summary);
        let siblings = self.siblings_of(&spots);
        Access { is_certain, outside, named, unions, around, siblings, ..Access::at(spots, place.ty) }
    }

    /// What a pointer can hold; nothing where that is not known.
    pub fn held(&self, cell: CellId) -> Option<Vec<Target>> {
        let points_to = self.subject.points_to;
        Some(match self.rows[cell].key {
            Key::Part(part) | Key::Spread(part) | Key::View(part, _) => points_to.points_to_cell(part),
            Key::Given(var, offset) => points_to.points_to_cell(Cell { object: points_to.variable(var), offset }),
            Key::Address(object) => vec![Target { object, offset: Offset::At(0) }],
            Key::Result(function, offset) => self.held_in_result(function, offset),
            Key::Returned(caller, offset, _) => {
                let callees = points_to.call_graph().callees(caller);
                callees.iter().flat_map(|&callee| self.held_in_result(callee, offset)).collect()
            }
            Key::Copy(function, ..) => {
                let copy = self.copies[function].iter().find(|copy| copy.cell == cell)?;
                let all: Option<Vec<Vec<Target>>> =
                    copy.original.spots.iter().map(|spot| self.held(spot.cell)).collect();
                all?.concat()
            }
            // What is in memory that code outside can read, it knows.
            Key::OutsideMember(..) | Key::OutsideUnion(..) | Key::Outside(_) | Key::OutsideStored(_) => {
                vec![Target { object: points_to.unknown(), offset: Offset::Any }]
            }
            _ => return None,
        })
    }

    fn held_in_result(&self, function: FunctionId, offset: u64) -> Vec<Target> {
        let points_to = self.subject.points_to;
        let object = points_to.result(function);
        object.map_or_else(Vec::new, |object| points_to.points_to_cell(Cell { object, offset }))
    }

    /// Whether what is there is followed on its own.
    pub fn is_followed(&mut self, target: Target) -> bool {
        self.pointed(target).is_some_and(|cell| self.rows[cell].home != Home::Summary)
    }

    /// The copy that `function` keeps of a place.
    pub(crate) fn copy_of(&mut self, function: FunctionId, behind: Behind, original: &Access, name: String) -> CellId {
        let key = Key::Copy(function, behind);
        if let Some(&known) = self.index.get(&key) {
            self.list(function, known);
            self.widen(function, known, original);
            return known;
        }
        let proc = self.proc(function);
        let is_given = |cell: CellId| matches!(self.rows[cell].home, Home::Parameter(_) | Home::Global);
        let home = if behind.leads().all(is_given) { Home::Parameter(proc) } else { Home::Local(proc) };
        let cell = self.made(key, original.ty, home, name);
        self.rows[cell].width = behind.bits.map(|bits| bits.width);
        behind.leads().for_each(|lead| self.list(function, lead));
        self.copies[function].push(Copied { cell, behind, original: original.clone() });
        cell
    }

    /// Forgets which copies there are, but not what they are: they are listed again as they are spoken of.
    pub(crate) fn draft_copies(&mut self) {
        let all = self.copies.iter_mut().flat_map(std::mem::take);
        self.drafts.extend(all.map(|copy| (copy.cell, copy)));
    }

    /// Lists a copy behind those that lead to it.
    fn list(&mut self, function: FunctionId, cell: CellId) {
        let Some(copy) = self.drafts.remove(&cell) else { return };
        copy.behind.leads().for_each(|lead| self.list(function, lead));
        self.copies[function].push(copy);
    }

    /// What is reached by way of memory may be reached by another temporary, too.
    fn widen(&mut self, function: FunctionId, copy: CellId, original: &Access) {
        let is_copy = |cell: CellId| matches!(self.rows[cell].key, Key::Copy(..));
        if !original.pointer.is_some_and(is_copy) {
            return;
        }
        let Some(known) = self.copies[function].iter_mut().find(|known| known.cell == copy) else { return };
        let known = &mut known.original;
        let more = original.spots.iter().filter(|spot| !known.spots.contains(spot)).copied().collect::<Vec<_>>();
        if !more.is_empty() {
            known.spots.extend(more);
            merge(&mut known.spots);
        }
        add_new(&mut known.unions, &original.unions);
        add_new(&mut known.around, &original.around);
        add_new(&mut known.outside, &original.outside);
        add_new(&mut known.named, &original.named);
    }
}

fn add_new<T: Copy + PartialEq>(own: &mut Vec<T>, others: &[T]) {
    let new: Vec<T> = others.iter().filter(|other| !own.contains(other)).copied().collect();
    own.extend(new);
}

/// One spot per cell. What is reached through several targets of the pointer is not chosen by them.
fn merge(spots: &mut Vec<Spot>) {
    spots.sort_by_key(|spot| (spot.cell.index(), spot.fit == Fit::Whole));
    let mut merged: Vec<Spot> = Vec::with_capacity(spots.len());
    for spot in spots.drain(..) {
        match merged.last_mut().filter(|last| last.cell == spot.cell) {
            Some(last) if last.through != spot.through => last.through = None,
            Some(_) => {}
            None => merged.push(spot),
        }
    }
    *spots = merged;
}

pub(crate) fn is_bit_field(subject: Subject<'_, '_>, place: &Place) -> bool {
    hardbop_c_core::parts::last_field(subject.module, place).is_some_and(|field| field.bits.is_some())
}

fn path_of(leaf: Option<&Leaf>) -> &str {
    leaf.map_or("", |leaf| &leaf.path)
}
