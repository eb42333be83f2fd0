//! Symbolic P-automata: regular sets of configurations [ES01, §2.1].
//!
//! A configuration is the globals and a stack: on top a node with the locals of its procedure, below it the calls that
//! are pending, each with the locals that its caller saved. An automaton reads it from the top. Its first transition
//! reads the globals and the top frame; each other reads one pending call. `δ(q, γ, q')` is a BDD over the datum of `q`
//! ([`Copy::Source`](crate::layout::Copy)), the locals of the frame and the datum of `q'`.
//!
//! **Invariant:** a state's datum is what [`Kind`] says, whichever automaton it is in; a state below an activation of
//! `f` is left by calls of `f` only, and none leads back to the control state that stands on top.

use hardbop_base::{IndexVec, newtype_index};
use hardbop_bdd::Bdd;
use hardbop_icfg::{EdgeId, NodeId, ProcId};
use std::collections::{BTreeMap, BTreeSet};

newtype_index! {
    /// An automaton of a [`Space`](crate::Space).
    pub struct AutomatonId = "A";
    /// What tells states of the same kind and procedure apart.
    pub struct Place = "b";
}

/// What a state remembers of the frames above it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Nothing.
    Below,
    /// The globals and arguments that the activation above was entered with.
    Entered,
    /// The globals and results that the activation above will return with.
    Returned,
}

/// A state other than the control state on top: what is below an activation of `proc`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The procedure of the frame above.
    pub proc: ProcId,
    /// What it remembers.
    pub kind: Kind,
    /// Which of them.
    pub place: Place,
}

/// A regular set of configurations; its BDDs live in the kernel of the space that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The transitions that read the globals and a top frame, by its node.
    pub tops: IndexVec<NodeId, BTreeMap<State, Bdd>>,
    /// The transitions that read a pending call.
    pub pending: IndexVec<EdgeId, BTreeMap<(State, State), Bdd>>,
    /// The states below which there is nothing.
    pub finals: BTreeSet<State>,
}

impl Automaton {
    /// The empty set, for a graph with so many nodes and edges.
    pub fn empty(nodes: usize, edges: usize) -> Self {
        Self {
            tops: IndexVec::from_elem(BTreeMap::new(), nodes),
            pending: IndexVec::from_elem(BTreeMap::new(), edges),
            finals: BTreeSet::new(),
        }
    }

    /// Whether no transition reads a top frame. In a trimmed automaton: whether the set is empty.
    pub fn has_no_top(&self) -> bool {
        self.tops.iter().all(BTreeMap::is_empty)
    }

    /// The transitions of a pending call that leave `state`.
    pub fn leaving(&self, state: State, call: EdgeId) -> impl Iterator<Item = (State, Bdd)> + '_ {
        let row = self.pending[call].iter().filter(move |((from, _), _)| *from == state);
        row.map(|(&(_, to), &label)| (to, label))
    }

    /// Every BDD in it.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let tops = self.tops.iter().flat_map(|row| row.values());
        tops.chain(self.pending.iter().flat_map(|row| row.values())).copied()
    }
}

/// A configuration, with explicit values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The globals, in the order of [`Program::globals`](hardbop_icfg::Program::globals).
    pub globals: Vec<bool>,
    /// The pending calls from the bottom up, each with the caller's locals in the order of
    /// [`Program::locals`](hardbop_icfg::Program).
    pub pending: Vec<(EdgeId, Vec<bool>)>,
    /// The node on top.
    pub node: NodeId,
    /// The locals there.
    pub locals: Vec<bool>,
}
