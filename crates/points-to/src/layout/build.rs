//! From types to layouts.

use super::{ArrayShape, CellShape, FAR, Layout, MAX_CELLS, Part, Segment};
use hardbop_c_core::{Length, RecordId, RecordKind, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Records inside of records beyond this depth are lumps.
const MAX_DEPTH: usize = 64;

/// Whether an object consists of one value of its type or of any number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Count {
    One,
    Many,
}

/// Layouts and the scalar parts of types, made once for each type.
#[derive(Default, Debug)]
pub(crate) struct Layouts {
    table: FxHashMap<(TypeId, Count), Rc<Layout>>,
    parts: FxHashMap<TypeId, Rc<[(u64, u64)]>>,
}

impl Layouts {
    /// The layout of a variable of this type.
    pub(crate) fn of(&mut self, types: &Types, ty: TypeId) -> Rc<Layout> {
        self.cached(types, ty, Count::One)
    }

    /// The layout of an allocated object that is used as an array of this type.
    pub(crate) fn of_many(&mut self, types: &Types, ty: TypeId) -> Rc<Layout> {
        self.cached(types, ty, Count::Many)
    }

    /// The layout of an object of which nothing is known.
    pub(crate) fn lump() -> Rc<Layout> {
        Rc::new(finish(Vec::new(), None, Count::Many, None))
    }

    /// First byte and width of the parts in which a value of this type is copied.
    pub(crate) fn parts(&mut self, types: &Types, ty: TypeId) -> Rc<[(u64, u64)]> {
        if let Some(parts) = self.parts.get(&ty) {
            return Rc::clone(parts);
        }
        let layout = self.of(types, ty);
        let parts: Rc<[(u64, u64)]> = if types.record(ty).is_none() || layout.cells.len() == 1 {
            Rc::new([(0, types.size_of(ty).unwrap_or(u64::MAX))])
        } else {
            // Arrays of records as a whole: what is copied may be laid out otherwise in memory, element by element.
            layout.segments.iter().map(|segment| (segment.start, segment.end - segment.start)).collect()
        };
        self.parts.insert(ty, Rc::clone(&parts));
        parts
    }

    fn cached(&mut self, types: &Types, ty: TypeId, count: Count) -> Rc<Layout> {
        let make = || Rc::new(lay_out(types, ty, count));
        Rc::clone(self.table.entry((ty, count)).or_insert_with(make))
    }
}

fn lay_out(types: &Types, ty: TypeId, count: Count) -> Layout {
    let (mut element, mut count) = (ty, count);
    while let Some(inner) = types.element(element) {
        (element, count) = (inner.ty, Count::Many);
    }
    let mut builder = Builder { types, records: Vec::new(), cells: 0 };
    let raws = builder.build(element, Place { start: 0, level: 0, is_last: true, depth: 0 });
    let raws = if builder.cells > MAX_CELLS { Vec::new() } else { raws };
    let is_open = raws.last().is_some_and(|raw| raw.end >= FAR);
    finish(raws, types.size_of(element).filter(|&size| size > 0 && !is_open), count, Some(element))
}

fn finish(raws: Vec<Raw>, stride: Option<u64>, count: Count, element: Option<TypeId>) -> Layout {
    let mut cells = Vec::new();
    let mut segments = number(raws, &mut Vec::new(), &mut cells);
    if cells.is_empty() {
        let end = stride.unwrap_or(FAR);
        let arrays = Vec::new();
        cells.push(CellShape { start: 0, end, unit: end, is_lump: true, arrays, records: Rc::new([]) });
        segments = vec![Segment { start: 0, end, part: Part::Cell(0) }];
    }
    let mut first = vec![0];
    for cell in &cells {
        let levels = u32::try_from(cell.arrays.len()).expect("few levels");
        first.push(first.last().expect("never empty") + levels + 2);
    }
    Layout { cells, segments, stride, is_array: count == Count::Many, element, first }
}

/// A stretch of bytes whose cells have no numbers yet.
struct Raw {
    start: u64,
    end: u64,
    unit: u64,
    records: Rc<[(u64, u8)]>,
    kind: RawKind,
}

enum RawKind {
    Scalar,
    Lump,
    FlatArray,
    Array(Vec<Raw>),
}

/// Where a part of an object is.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    level: u8,
    /// Whether nothing follows, so that an array without a length may go on.
    is_last: bool,
    depth: usize,
}

struct Builder<'a> {
    types: &'a Types,
    records: Vec<(u64, u8)>,
    cells: usize,
}

impl Builder<'_> {
    fn build(&mut self, ty: TypeId, at: Place) -> Vec<Raw> {
        if self.cells > MAX_CELLS {
            return Vec::new();
        }
        match self.types.get(ty) {
            Type::Array(element, length) => self.array(element.ty, *length, at),
            Type::Vector(element, count) => self.array(*element, Length::Fixed(*count), at),
            Type::Record(record) => self.record(*record, ty, at),
            _ => self.leaf(self.types.size_of(ty), RawKind::Scalar, at),
        }
    }

    fn leaf(&mut self, size: Option<u64>, kind: RawKind, at: Place) -> Vec<Raw> {
        self.cells += 1;
        let unit = size.unwrap_or(FAR);
        let records = self.records.as_slice().into();
        vec![Raw { start: at.start, end: at.start.saturating_add(unit), unit, records, kind }]
    }

    fn record(&mut self, record: RecordId, ty: TypeId, at: Place) -> Vec<Raw> {
        let Some(body) = self.types.body(record).filter(|_| at.depth < MAX_DEPTH) else {
            return self.leaf(self.types.size_of(ty), RawKind::Lump, at);
        };
        self.records.push((at.start, at.level));
        let is_union = self.types.records[record].kind == RecordKind::Union;
        let mut raws = Vec::new();
        for (index, field) in body.fields.iter().enumerate() {
            let is_last = at.is_last && (is_union || index + 1 == body.fields.len());
            let start = at.start.saturating_add(field.offset);
            raws.extend(self.build(field.ty.ty, Place { start, is_last, depth: at.depth + 1, ..at }));
        }
        self.records.pop();
        merge(raws)
    }

    fn array(&mut self, element: TypeId, length: Length, at: Place) -> Vec<Raw> {
        let (mut element, mut length) = (element, count(length));
        while let Some(inner) = self.types.element(element) {
            let more = match self.types.get(element) {
                Type::Array(_, more) => count(*more),
                Type::Vector(_, more) => Some(*more),
                _ => None,
            };
            (element, length) = (inner.ty, length.zip(more).map(|(rows, columns)| rows.saturating_mul(columns)));
        }
        let Some(stride) = self.types.size_of(element).filter(|&size| size > 0) else { return Vec::new() };
        let end = match length.filter(|&length| length > 0) {
            Some(length) => at.start.saturating_add(length.saturating_mul(stride)),
            None if at.is_last => at.start.saturating_add(FAR),
            None => return Vec::new(),
        };
        let records = self.records.as_slice().into();
        let kind = if self.types.record(element).is_none() {
            self.cells += 1;
            RawKind::FlatArray
        } else {
            let inner = Place { level: at.level + 1, is_last: false, depth: at.depth + 1, ..at };
            RawKind::Array(self.build(element, inner))
        };
        vec![Raw { start: at.start, end, unit: stride, records, kind }]
    }
}

fn count(length: Length) -> Option<u64> {
    if let Length::Fixed(count) = length { Some(count) } else { None }
}

/// Sorts the stretches and makes one of those that overlap.
fn merge(mut raws: Vec<Raw>) -> Vec<Raw> {
    raws.sort_by_key(|raw| raw.start);
    let mut merged: Vec<Raw> = Vec::with_capacity(raws.len());
    for raw in raws {
        match merged.last_mut().filter(|last| raw.start < last.end) {
            None => merged.push(raw),
            Some(last) => {
                let are_same = matches!((&last.kind, &raw.kind), (RawKind::Scalar, RawKind::Scalar))
                    && (last.start, last.end) == (raw.start, raw.end);
                last.end = last.end.max(raw.end);
                if !are_same {
                    last.unit = last.end - last.start;
                    last.kind = RawKind::Lump;
                }
            }
        }
    }
    merged
}

/// Gives numbers to the cells.
fn number(raws: Vec<Raw>, arrays: &mut Vec<ArrayShape>, cells: &mut Vec<CellShape>) -> Vec<Segment> {
    let mut segments = Vec::new();
    for raw in raws {
        let Raw { start, end, unit, records, kind } = raw;
        let shape = |is_flat| ArrayShape { start, stride: unit, is_flat };
        let part = match kind {
            RawKind::Array(element) => {
                arrays.push(shape(false));
                let element = number(element, arrays, cells);
                arrays.pop();
                Part::Array { stride: unit, element }
            }
            _ => {
                let mut arrays = arrays.clone();
                if matches!(kind, RawKind::FlatArray) {
                    arrays.push(shape(true));
                }
                let is_lump = matches!(kind, RawKind::Lump);
                cells.push(CellShape { start, end, unit, is_lump, arrays, records });
                Part::Cell(u32::try_from(cells.len() - 1).expect("few cells"))
            }
        };
        segments.push(Segment { start, end, part });
    }
    segments
}
