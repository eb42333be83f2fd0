//! A regular set of configurations as a deterministic automaton that reads stacks from the bottom.
//!
//! Frames are told apart by where they are said to be: a top frame at its node, a pending call as [`Naming`] has it. The
//! condition is about the globals and the locals of the top frame. A node that is no place of its own
//! ([`Marks::silent`](hardbop_icfg::Marks)) is never on top.

use crate::automaton::Place;
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::proposition::Letter;
use hardbop_icfg::{Edge, EdgeId, NodeId, Program, Relation};

newtype_index! {
    /// Nodes that the automaton does not tell apart.
    pub struct ClassId = "c";
}

/// What frames are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// By procedures, or else by labels. A pending call is at the statement that makes it.
    Procedures,
    /// By stack symbols, or else by procedures. A pending call is at the symbol that it comes back to.
    Symbols,
}

/// A regular set of configurations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    /// Where the automaton starts, below the bottom frame.
    pub start: Place,
    /// Where each place leads by a frame of each class.
    pub moves: IndexVec<Place, IndexVec<ClassId, Place>>,
    /// Whether a stack that leads there is in the set.
    pub accepting: IndexVec<Place, bool>,
    /// Whether a stack that leads there can be continued to one in the set.
    pub live: IndexVec<Place, bool>,
    /// The class of each node.
    pub classes: IndexVec<NodeId, ClassId>,
    /// Where each call is said to be while it is pending.
    pub pending: IndexVec<EdgeId, NodeId>,
    /// What must be true where each node is on top.
    pub conditions: IndexVec<NodeId, Letter>,
}

impl Set {
    /// Where a frame at `node` leads from `place`.
    pub fn next(&self, place: Place, node: NodeId) -> Place {
        self.moves[place][self.classes[node]]
    }

    /// Where the pending call `edge` leads from `place`.
    pub fn next_pending(&self, place: Place, edge: EdgeId) -> Place {
        self.next(place, self.pending[edge])
    }

    /// Whether a stack that leads to `place` is in the set.
    pub fn is_accepting(&self, place: Place) -> bool {
        self.accepting[place]
    }

    /// Whether a stack that leads to `place` can be continued to one in the set.
    pub fn is_live(&self, place: Place) -> bool {
        self.live[place]
    }

    /// What must be true where `node` is on top.
    pub fn condition(&self, node: NodeId) -> Letter {
        self.conditions[node]
    }

    /// Whether the set has configurations with these pending calls, from the bottom up, and this node on top.
    pub fn has_stack(&self, pending: &[EdgeId], top: NodeId) -> bool {
        let below = pending.iter().fold(self.start, |place, &edge| self.next_pending(place, edge));
        self.is_accepting(self.next(below, top))
    }

    /// Every configuration.
    pub fn everything(program: &Program<Relation>) -> Self {
        let (only, class) = (Place::from_usize(0), ClassId::from_usize(0));
        let mut conditions = IndexVec::from_elem(Letter::Const(true), program.icfg.nodes.len());
        program.marks.silent.iter().for_each(|&node| conditions[node] = Letter::Const(false));
        Self {
            start: only,
            moves: IndexVec::from_elem(IndexVec::from_elem(only, 1), 1),
            accepting: IndexVec::from_elem(true, 1),
            live: IndexVec::from_elem(true, 1),
            classes: IndexVec::from_elem(class, program.icfg.nodes.len()),
            pending: pending_places(program, Naming::Procedures),
            conditions,
        }
    }
}

/// Where each call is said to be while it is pending.
pub fn pending_places(program: &Program<Relation>, naming: Naming) -> IndexVec<EdgeId, NodeId> {
    let icfg = &program.icfg;
    let is_silent = program.marks.is_silent(program.icfg.nodes.len());
    let place = |edge: &Edge| {
        let mut node = match naming {
            Naming::Procedures => edge.from,
            Naming::Symbols => edge.target().unwrap_or(edge.from),
        };
        // A statement that takes two steps has a silent node in between, with one way to it and one from it. The number
        // of edges is a bound that only a cycle of silent nodes could reach.
        for _ in 0..icfg.edges.len() {
            let next = match naming {
                Naming::Procedures => match icfg.predecessors(node) {
                    &[before] => Some(icfg.edges[before].from),
                    _ => None,
                },
                Naming::Symbols => match icfg.successors(node) {
                    &[after] => icfg.edges[after].target(),
                    _ => None,
                },
            };
            match next {
                Some(next) if is_silent[node] => node = next,
                _ => break,
            }
        }
        node
    };
    icfg.edges.iter().map(place).collect()
}
