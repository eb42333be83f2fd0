//! A C program as the cells of its memory, and what each edge of its graph does to them.
//!
//! A *cell* stands for one scalar, for many that are not told apart, for memory of code outside, or for what a function
//! last saw behind a pointer ([`Cells`]). [`shapes`] says of every edge of the program's graph which places get which
//! values, a place being the cells that it may be ([`Access`]): of statements ([`shapes`](mod@shapes)), of assembly
//! ([`assembly`]), and of calls of functions that are not there ([`externals`]). The [`Shaper`] that comes with the shapes
//! answers for more: other expressions and places, and what is in memory from where a pointer points ([`memory`],
//! [`reach`], [`formats`], [`lists`]). What follows from all shapes together is where values go ([`Flows`]), what procedures write
//! ([`Written`]), and over which range integers are compared ([`Ranges`]).
//!
//! Which facts there are about cells, and what rules make of a shape, is none of this crate's business.
//!
//! **Invariant:** a cell that is no summary is one thing at a time, so what is stored there replaces what was there; a
//! place is certain only if it is one such cell and all of it. What a run writes on an edge is in a cell that the edge's
//! shape names, or shares memory with one ([`Partners`], [`Cells::meet`], [`Cells::punned`]), unless the shape says that
//! all that has escaped may be written, or that nothing is known. Cells are only added, in the order in which they are
//! first spoken of.

mod assembly;
mod cells;
mod copies;
mod externals;
mod flows;
mod formats;
mod lists;
mod loaded;
mod memory;
mod mods;
mod operators;
mod ranges;
mod reach;
mod remembered;
mod shapes;
mod sources;
mod spoilt;

pub use cells::{
    Access, Bytes, CHOSEN, CellId, Cells, Copied, Home, Key, Kind, Lens, OUTSIDE_MEMORY, Partners, Row, Sort, Spot,
};
pub use externals::{External, stripped};
pub use flows::{Flows, Origin, meant};
pub use mods::{Written, written};
pub use operators::{mirrored, opposite};
pub use ranges::{Interest, Ranges};
pub use remembered::{Anchor, Behind, Elements};
pub use shapes::{Assignment, Shape, Shaper, for_each_place, shapes};
pub use sources::{Condition, Source, SourceKind, is_condition};

use hardbop_c_core::Module;
use hardbop_c_graph::CGraph;
use hardbop_points_to::PointsTo;

/// What is taken of values that come from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// What an analysis says, unless the program tests it.
    AsTested,
    /// Anything.
    Anything,
}

/// A C program with what is known of it.
#[derive(Clone, Copy)]
pub struct Subject<'a, 'm> {
    /// The program.
    pub module: &'m Module,
    /// Its control flow.
    pub graph: &'a CGraph<'m>,
    /// What its pointers point to.
    pub points_to: &'a PointsTo<'m>,
}

/// What is told apart in memory.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// What is taken of values that come from outside.
    pub unknown: Unknown,
    /// Whether a cell stands for the one object that is chosen among all that are not told apart.
    pub has_chosen: bool,
    /// Whether scalars that share bytes are told apart: bit-fields of a unit, members of a union.
    pub has_views: bool,
    /// Whether functions remember what they last saw in places behind pointers.
    pub has_copies: bool,
    /// Whether they do so of elements of arrays, too.
    pub elements: Elements,
}
