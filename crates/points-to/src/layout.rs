//! How an object is cut into cells, and where a pointer into it may be.
//!
//! A **cell** is a scalar part, named by its first byte. Members of nested records are cells of their own; all elements
//! of an array share the cells of the first; members of a union that overlap share one cell (a *lump*, unless they are
//! of one size at one place); an object of more than [`MAX_CELLS`] cells is one lump. So every byte belongs to at most
//! one cell, whatever type it is accessed with.
//!
//! A **position** is where a pointer into the object may be:
//! - [`Position::At`] the first byte of a cell. Its *level* says how far arithmetic may take it: with level `0` the
//!   index into the object's own outermost array is anything and nested arrays stand at their first element; with level
//!   `n` the pointer walks in the `n`th of the arrays around the cell. `&s` and `s.name` are thus two positions of the
//!   same cell, and `s.name[i]` does not touch the other members of `s`.
//! - [`Position::Inside`] a cell, not at its first byte.
//! - [`Position::Any`]: anywhere in the object.
//!
//! **Assumed:** a pointer that was made by indexing an array inside of a record stays in that array, unless a constant
//! takes it back to the start of a record around (`container_of`), or it is cast to a record that starts where the
//! array does.

mod build;

use hardbop_c_core::TypeId;
use std::rc::Rc;

pub(crate) use build::Layouts;

/// An object with more cells than this has one.
pub(crate) const MAX_CELLS: usize = 256;

/// Beyond the end of every object: where an array ends that does not say its length.
const FAR: u64 = 1 << 60;

/// How an object is cut into cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    cells: Vec<CellShape>,
    segments: Vec<Segment>,
    /// The bytes of one element of the outermost array, or of the object; `None` where they are not known.
    stride: Option<u64>,
    /// Whether the object is an array of such elements.
    is_array: bool,
    /// The type of one element, or of the object; `None` where nothing is known.
    element: Option<TypeId>,
    /// The number of each cell's first position; at the end, the number of [`Position::Any`].
    first: Vec<u32>,
}

/// A scalar part.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CellShape {
    start: u64,
    end: u64,
    /// Bytes of one element, if it is an array of scalars; else its size.
    unit: u64,
    is_lump: bool,
    /// The nested arrays around it, outermost first.
    arrays: Vec<ArrayShape>,
    /// Where the records around it start, and how many of the arrays are around each.
    records: Rc<[(u64, u8)]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ArrayShape {
    start: u64,
    stride: u64,
    /// Whether its elements are scalars.
    is_flat: bool,
}

/// A stretch of bytes. **Invariant:** those of one list are sorted and do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Segment {
    start: u64,
    end: u64,
    part: Part,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Cell(u32),
    /// An array whose first element has these segments.
    Array {
        stride: u64,
        element: Vec<Segment>,
    },
}

/// Where a pointer into an object may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Position {
    /// At the first byte of a cell.
    At {
        /// The cell.
        cell: u32,
        /// The number of the array around it that the pointer walks in, zero for the object's own.
        level: u8,
    },
    /// In a cell, not at its first byte.
    Inside(u32),
    /// Anywhere.
    Any,
}

/// The start of every object.
pub(crate) const START: Position = Position::At { cell: 0, level: 0 };

/// What is done to a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Step {
    /// To a member of a record of so many bytes.
    Field {
        /// The first byte of the member.
        offset: u64,
        /// The bytes of the record.
        size: u64,
    },
    /// To some element of the array that is here, of elements of so many bytes.
    Enter(u64),
    /// So many bytes on or back.
    Add(i64),
    /// Any number of elements of so many bytes on or back.
    Walk(u64),
    /// Anywhere.
    Smear,
}

impl Layout {
    /// How many cells there are.
    pub(crate) fn cell_count(&self) -> u32 {
        u32::try_from(self.cells.len()).expect("an object has at most MAX_CELLS cells")
    }

    /// How many positions there are.
    pub(crate) fn position_count(&self) -> u32 {
        if self.is_single() { 1 } else { self.first[self.cells.len()] + 1 }
    }

    /// The first byte of a cell, elements of arrays counted as the first.
    pub(crate) fn offset(&self, cell: u32) -> u64 {
        self.cells[cell as usize].start
    }

    /// Whether a value of so many bytes fits.
    pub(crate) fn may_hold(&self, bytes: u64) -> bool {
        self.is_array || self.stride.is_none_or(|size| size >= bytes)
    }

    /// The type of one element of the outermost array, or of the object.
    pub(crate) fn element(&self) -> Option<TypeId> {
        self.element
    }

    /// Whether a value of so many bytes at `position` is all of `cell`, or of one element of it.
    pub(crate) fn fills(&self, position: Position, cell: u32, width: u64) -> bool {
        let shape = &self.cells[cell as usize];
        matches!(position, Position::At { cell: at, .. } if at == cell) && !shape.is_lump && shape.unit == width
    }

    /// Whether `position` is the first byte of `cell`. In an object with one cell, positions are not told apart.
    pub(crate) fn is_at_start(&self, position: Position, cell: u32) -> bool {
        !self.is_single() && matches!(position, Position::At { cell: at, .. } if at == cell)
    }

    /// Whether a cell stands for exactly one scalar.
    pub(crate) fn is_scalar(&self, cell: u32) -> bool {
        let shape = &self.cells[cell as usize];
        !self.is_array && !shape.is_lump && shape.arrays.is_empty()
    }

    /// The number of a position.
    pub(crate) fn number(&self, position: Position) -> u32 {
        if self.is_single() {
            return 0;
        }
        match position {
            Position::At { cell, level } => self.first[cell as usize] + u32::from(level),
            Position::Inside(cell) => self.first[cell as usize + 1] - 1,
            Position::Any => self.first[self.cells.len()],
        }
    }

    /// The position with this number.
    pub(crate) fn position(&self, number: u32) -> Position {
        if self.is_single() {
            return START;
        }
        if number == self.first[self.cells.len()] {
            return Position::Any;
        }
        let cell = self.first.partition_point(|&first| first <= number) - 1;
        let (level, cell_number) = (number - self.first[cell], u32::try_from(cell).expect("few cells"));
        if number + 1 == self.first[cell + 1] {
            Position::Inside(cell_number)
        } else {
            Position::At { cell: cell_number, level: u8::try_from(level).expect("few levels") }
        }
    }

    /// Calls `out` with every position that a pointer at `position` may have after `step`.
    pub(crate) fn shift(&self, position: Position, step: Step, out: &mut impl FnMut(Position)) {
        if self.is_single() {
            return out(START);
        }
        match (position, step) {
            (Position::Any, _) | (_, Step::Smear) => out(Position::Any),
            (Position::At { cell, level }, _) => self.shift_exact(cell, level, step, out),
            (Position::Inside(cell), Step::Field { .. } | Step::Enter(_)) if self.cells[cell as usize].is_lump => {
                out(position);
            }
            (Position::Inside(_), Step::Add(0)) => out(position),
            (Position::Inside(_), _) => out(Position::Any),
        }
    }

    /// The cells that an access of so many bytes from `position` may touch.
    pub(crate) fn touched(&self, position: Position, width: u64) -> Vec<u32> {
        match position {
            _ if self.is_single() => vec![0],
            Position::Any => (0..self.cell_count()).collect(),
            Position::At { cell, level } => {
                let shape = &self.cells[cell as usize];
                let walks_here = level > 0 && shape.arrays[usize::from(level) - 1].is_flat;
                if width <= shape.unit || walks_here { vec![cell] } else { self.overlapping(shape.start, width) }
            }
            Position::Inside(cell) => {
                let shape = &self.cells[cell as usize];
                let is_within = width <= 1 || shape.is_lump;
                if is_within {
                    vec![cell]
                } else {
                    self.overlapping(shape.start + 1, (shape.unit - 1).saturating_add(width - 1))
                }
            }
        }
    }

    fn is_single(&self) -> bool {
        self.cells.len() == 1
    }

    fn overlapping(&self, start: u64, width: u64) -> Vec<u32> {
        let end = start.saturating_add(width);
        if self.stride.is_some_and(|stride| end > stride) {
            return (0..self.cell_count()).collect();
        }
        let mut cells = Vec::new();
        collect(&self.segments, start, end, &mut cells);
        cells
    }

    fn shift_exact(&self, cell: u32, level: u8, step: Step, out: &mut impl FnMut(Position)) {
        let here = Position::At { cell, level };
        match step {
            Step::Field { offset, size } => self.to_field(cell, level, (offset, size), out),
            Step::Add(bytes) => self.add(cell, level, bytes, out),
            Step::Enter(stride) => self.enter(cell, level, stride, out),
            Step::Walk(stride) => {
                let own = self.walked(cell, level);
                let stays = stride == 0 || own.is_some_and(|own| own.is_flat || stride % own.stride == 0);
                out(if stays { here } else { Position::Any });
            }
            Step::Smear => out(Position::Any),
        }
    }

    /// The array that a pointer of this level walks in; `None` if its stride is not known.
    fn walked(&self, cell: u32, level: u8) -> Option<ArrayShape> {
        match usize::from(level) {
            0 => self.stride.map(|stride| ArrayShape { start: 0, stride, is_flat: false }),
            level => Some(self.cells[cell as usize].arrays[level - 1]),
        }
    }

    fn to_field(&self, cell: u32, level: u8, (offset, size): (u64, u64), out: &mut impl FnMut(Position)) {
        let shape = &self.cells[cell as usize];
        let fits = self.walked(cell, level).is_none_or(|array| !array.is_flat && array.stride >= size);
        if level > 0 && !fits {
            // A pointer to the array that a record starts with has been cast to the record.
            for &(start, around) in shape.records.iter().filter(|record| record.0 == shape.start && record.1 < level) {
                out(self.locate(&self.segments, start.saturating_add(offset), around));
            }
        }
        self.add(cell, level, i64::try_from(offset).unwrap_or(i64::MAX), out);
    }

    fn add(&self, cell: u32, level: u8, bytes: i64, out: &mut impl FnMut(Position)) {
        let shape = &self.cells[cell as usize];
        let here = Position::At { cell, level };
        let target = i128::from(shape.start) + i128::from(bytes);
        let Some(array) = self.walked(cell, level) else {
            return out(u64::try_from(target).map_or(Position::Any, |at| self.locate(&self.segments, at, level)));
        };
        if bytes == 0 {
            return out(here);
        }
        for &(start, around) in shape.records.iter().filter(|record| record.1 < level) {
            if i128::from(start) == target && start < array.start {
                out(self.locate(&self.segments, start, around));
            }
        }
        let stride = i128::from(array.stride);
        let relative = target - i128::from(array.start);
        if array.is_flat || i128::from(bytes) % stride == 0 {
            return out(here);
        }
        if !(0..stride).contains(&relative) && level == 0 && !self.is_array {
            return out(Position::Any);
        }
        let inside = u64::try_from(relative.rem_euclid(stride)).expect("less than the stride");
        out(self.locate(&self.segments, array.start + inside, level));
    }

    fn enter(&self, cell: u32, level: u8, stride: u64, out: &mut impl FnMut(Position)) {
        let shape = &self.cells[cell as usize];
        if shape.is_lump {
            return out(Position::Inside(cell));
        }
        let fits = |array: &ArrayShape| array.start == shape.start && stride.is_multiple_of(array.stride);
        if let Some(found) = shape.arrays.iter().skip(usize::from(level)).position(fits) {
            let level = level + 1 + u8::try_from(found).expect("few levels");
            return out(Position::At { cell, level });
        }
        self.shift_exact(cell, level, Step::Walk(stride), out);
    }

    /// The position of a byte, in the first elements of all arrays.
    fn locate(&self, segments: &[Segment], at: u64, level: u8) -> Position {
        let after = segments.partition_point(|segment| segment.start <= at);
        let Some(segment) = after.checked_sub(1).map(|index| &segments[index]).filter(|segment| at < segment.end)
        else {
            return Position::Any;
        };
        match &segment.part {
            &Part::Cell(cell) if at == segment.start => Position::At { cell, level },
            &Part::Cell(cell) if at - segment.start < self.cells[cell as usize].unit => Position::Inside(cell),
            // Some other element: a level that lets it walk in the array only would be too narrow.
            Part::Cell(_) => Position::Any,
            Part::Array { stride, .. } if at - segment.start >= *stride => Position::Any,
            Part::Array { element, .. } => self.locate(element, at, level),
        }
    }
}

fn collect(segments: &[Segment], start: u64, end: u64, cells: &mut Vec<u32>) {
    for segment in segments.iter().filter(|segment| segment.start < end && start < segment.end) {
        match &segment.part {
            Part::Cell(cell) => cells.push(*cell),
            Part::Array { stride, element } => {
                let is_one = start >= segment.start && end <= segment.start.saturating_add(*stride);
                if is_one { collect(element, start, end, cells) } else { collect(element, 0, u64::MAX, cells) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
