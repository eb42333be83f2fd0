//! Objects, their cells and the locations that pointers hold.
//!
//! Every cell of every object is a node of the constraint graph. A location is a [`Position`] in an object whose
//! address somebody takes; only those have numbers, so that points-to sets are dense.

use crate::layout::{Layout, Position, Step};
use hardbop_base::{Idx, IndexVec, Span, newtype_index};
use hardbop_c_core::{FunctionId, VarId};
use std::rc::Rc;

newtype_index! {
    /// An abstract object.
    pub struct ObjectId = "o";
    /// A set variable of the constraints.
    pub(crate) struct NodeId = "n";
}

/// A call statement: the `call`th of the function, counted in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The function that it stands in; of a library function that is called through a pointer, that function itself.
    pub function: FunctionId,
    /// Its number.
    pub call: u32,
}

/// What an abstract object stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// Whatever code outside of the module owns.
    Unknown,
    /// A variable, of every activation of its function; string literals too.
    Variable(VarId),
    /// What is allocated here, by every execution; the span is that of the statement.
    Heap(Site, Span),
    /// What the library hands out here, such as a `FILE`: it may hold whatever outside code holds.
    Opaque(Site, Span),
    /// A function.
    Function(FunctionId),
    /// The arguments of this function beyond its parameters.
    Arguments(FunctionId),
    /// What this function returns. Nothing points to it.
    Result(FunctionId),
    /// The array of strings that the program is started with, which this parameter of `main` points to.
    Vector(VarId),
}

impl ObjectKind {
    /// Whether it is data of the program: its variables, what it allocates, and what it is started with.
    pub fn is_own_data(self) -> bool {
        matches!(self, Self::Variable(_) | Self::Heap(..) | Self::Vector(_))
    }
}

/// An abstract object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) layout: Rc<Layout>,
    first_node: u32,
    first_location: Option<u32>,
}

/// What an access touches.
pub(crate) enum Touched {
    /// No data: a function.
    Nothing,
    /// This cell.
    Cell(NodeId),
    /// These cells.
    Cells(Vec<NodeId>),
    /// All cells of the object, of which there are several.
    All(ObjectId),
}

/// All objects.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) objects: IndexVec<ObjectId, Object>,
    /// The object of each location.
    locations: Vec<ObjectId>,
    node_count: u32,
}

impl Memory {
    /// The number of the location [`Memory::new`] makes: that of the unknown object.
    pub(crate) const UNKNOWN: u32 = 0;

    /// Only the unknown object.
    pub(crate) fn new(lump: Rc<Layout>) -> Self {
        let mut memory = Self { objects: IndexVec::new(), locations: Vec::new(), node_count: 0 };
        let unknown = memory.add(ObjectKind::Unknown, lump);
        assert_eq!(memory.location(unknown, Position::Any), Self::UNKNOWN, "the first location");
        memory
    }

    /// The node of the unknown object's only cell: everything that outside code can get hold of.
    pub(crate) fn outside(&self) -> NodeId {
        NodeId::from_usize(0)
    }

    /// A new object.
    pub(crate) fn add(&mut self, kind: ObjectKind, layout: Rc<Layout>) -> ObjectId {
        let first_node = self.node_count;
        self.node_count += layout.cell_count();
        self.objects.push(Object { kind, layout, first_node, first_location: None })
    }

    /// A node that is no cell.
    pub(crate) fn add_node(&mut self) -> NodeId {
        self.node_count += 1;
        NodeId::from_usize(self.node_count as usize - 1)
    }

    pub(crate) fn node_count(&self) -> usize {
        self.node_count as usize
    }

    pub(crate) fn location_count(&self) -> usize {
        self.locations.len()
    }

    /// The node of a cell.
    pub(crate) fn node(&self, object: ObjectId, cell: u32) -> NodeId {
        NodeId::from_usize((self.objects[object].first_node + cell) as usize)
    }

    /// The nodes of all cells of an object.
    pub(crate) fn nodes(&self, object: ObjectId) -> impl Iterator<Item = NodeId> + use<> {
        let Object { first_node, layout, .. } = &self.objects[object];
        (*first_node..*first_node + layout.cell_count()).map(|node| NodeId::from_usize(node as usize))
    }

    /// The location of a position, whose object gets locations if it has none.
    pub(crate) fn location(&mut self, object: ObjectId, position: Position) -> u32 {
        let next = u32::try_from(self.locations.len()).expect("fewer than 2^32 locations");
        let row = &mut self.objects[object];
        let first = *row.first_location.get_or_insert(next);
        if first == next {
            let count = self.objects[object].layout.position_count() as usize;
            self.locations.resize(next as usize + count, object);
        }
        first + self.objects[object].layout.number(position)
    }

    /// All locations of an object that has some.
    pub(crate) fn locations_of(&self, object: ObjectId) -> std::ops::Range<u32> {
        let row = &self.objects[object];
        let first = row.first_location.expect("the object has locations");
        first..first + row.layout.position_count()
    }

    /// The object of a location.
    pub(crate) fn object(&self, location: u32) -> ObjectId {
        self.locations[location as usize]
    }

    /// The object and the position of a location.
    pub(crate) fn resolve(&self, location: u32) -> (ObjectId, Position) {
        let object = self.object(location);
        let row = &self.objects[object];
        let first = row.first_location.expect("a location's object has locations");
        (object, row.layout.position(location - first))
    }

    /// What an access of so many bytes at a location touches.
    pub(crate) fn touched(&self, location: u32, width: u64) -> Touched {
        let (object, position) = self.resolve(location);
        let row = &self.objects[object];
        if matches!(row.kind, ObjectKind::Function(_)) {
            return Touched::Nothing;
        }
        let cells = row.layout.touched(position, width);
        match cells[..] {
            [cell] => Touched::Cell(self.node(object, cell)),
            _ if cells.len() == row.layout.cell_count() as usize => Touched::All(object),
            _ => Touched::Cells(cells.into_iter().map(|cell| self.node(object, cell)).collect()),
        }
    }

    /// Calls `out` with the locations to which `step` leads from `location`.
    pub(crate) fn shift(&self, location: u32, step: Step, out: &mut impl FnMut(u32)) {
        let (object, position) = self.resolve(location);
        let row = &self.objects[object];
        let first = row.first_location.expect("a location's object has locations");
        row.layout.shift(position, step, &mut |position| out(first + row.layout.number(position)));
    }
}
