//! Büchi automata over the truth of propositions: `A = (Q, Q₀, δ, F₁ … Fₙ)` with `δ ⊆ Q × Guard × Q` and `Fᵢ ⊆ δ`.
//!
//! A run is accepting iff it takes edges of each `Fᵢ` infinitely often; with no sets at all, every infinite run is.
//! Where all edges that leave a state are in the same sets, the automaton is state-based.

use hardbop_base::{Budget, Exhausted, IndexVec, newtype_index};
use hardbop_bdd::{Bdd, Kernel};

use crate::degeneralise::degeneralise_best;
use crate::formula::PropId;
use crate::graph::{self, Graph};
use crate::guard::Guard;

newtype_index! {
    /// A state of an automaton.
    pub struct StateId = "q";
}

/// The most acceptance sets an automaton can have.
pub const MAX_SETS: u32 = 64;

/// The acceptance sets that an edge is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No set.
    pub const NONE: Self = Self(0);

    /// The first `sets` sets.
    pub fn all(sets: u32) -> Self {
        assert!(sets <= MAX_SETS, "an automaton has at most {MAX_SETS} acceptance sets");
        Self(u64::MAX.checked_shr(u64::BITS - sets).unwrap_or(0))
    }

    /// Only this set.
    pub fn only(set: u32) -> Self {
        Self(1 << set)
    }

    /// Whether the set is among them.
    pub fn has(self, set: u32) -> bool {
        self.0 >> set & 1 == 1
    }

    /// Whether all of `other` are among them.
    pub fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The sets of both.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The sets, in order.
    pub fn sets(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |&set| self.has(set))
    }
}

/// An edge, kept with the state that it leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// When it can be taken.
    pub guard: Guard,
    /// Where it leads.
    pub to: StateId,
    /// The acceptance sets that it is in.
    pub marks: Marks,
}

/// A generalised Büchi automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The texts of the propositions.
    pub props: IndexVec<PropId, String>,
    /// The edges of each state.
    pub states: IndexVec<StateId, Vec<Edge>>,
    /// Where runs begin.
    pub initial: Vec<StateId>,
    /// How many acceptance sets there are.
    pub sets: u32,
}

/// How much it takes to find an accepting run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// A run is accepting iff it reaches one of [`accepting states`](Automaton::accepting_components), from where all
    /// runs are and none ends: reachability decides.
    Terminal,
    /// A component is accepting as a whole or not at all: any cycle in an accepting component decides.
    Weak,
    /// A cycle must be seen to be accepting.
    Strong,
}

impl Automaton {
    /// All marks: an edge that is in every set.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.sets)
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// The marks of all edges that leave `state`, if they have the same; of a state without edges, none.
    pub fn marks_of(&self, state: StateId) -> Option<Marks> {
        let edges = &self.states[state];
        let marks = edges.first().map_or(Marks::NONE, |edge| edge.marks);
        edges.iter().all(|edge| edge.marks == marks).then_some(marks)
    }

    /// Whether marks belong to states.
    pub fn is_state_based(&self) -> bool {
        self.states.ids().all(|state| self.marks_of(state).is_some())
    }

    /// Whether it is a Büchi automaton with accepting states: one set, and marks belong to states.
    pub fn is_buchi(&self) -> bool {
        self.sets == 1 && self.is_state_based()
    }

    /// Whether `state` is accepting, in a state-based automaton: its edges are in every set.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.marks_of(state) == Some(self.all_marks()) && !self.states[state].is_empty()
    }

    /// Whether no word has two runs.
    pub fn is_deterministic(&self) -> bool {
        let (mut kernel, graph) = self.working_copy();
        let unlimited = "an unlimited budget does not end";
        self.initial.len() <= 1 && graph::is_deterministic(&mut kernel, &graph).expect(unlimited)
    }

    /// How hard the search for an accepting run is.
    pub fn class(&self) -> Class {
        let components = self.accepting_components();
        if components.iter().any(|component| *component == Component::Mixed) {
            return Class::Strong;
        }
        let (mut kernel, graph) = self.working_copy();
        let is_closed = |(state, edges): (StateId, &Vec<graph::Edge>)| {
            let is_accepting = |state: StateId| components[state] == Component::Accepting;
            if !is_accepting(state) {
                return true;
            }
            let mut covered = Bdd::FALSE;
            for edge in edges.iter().filter(|edge| is_accepting(edge.to)) {
                covered = kernel.or(covered, edge.guard).expect("an unlimited budget does not end");
            }
            covered.is_true()
        };
        if graph.states.iter_enumerated().all(is_closed) { Class::Terminal } else { Class::Weak }
    }

    /// What cycles through each state do. In a terminal automaton, a run that reaches an accepting state can go on for
    /// ever, and is accepting whatever it does.
    pub fn accepting_components(&self) -> IndexVec<StateId, Component> {
        let (_, graph) = self.working_copy();
        let components = graph::components(&graph);
        let kinds = components.kinds(&graph);
        components.of.iter().map(|&component| kinds[component]).collect()
    }

    /// The automaton as a Büchi automaton with accepting states, reduced by simulation; itself if it is one.
    pub fn degeneralise(&self, budget: &Budget) -> Result<Self, Exhausted> {
        if self.is_buchi() {
            return Ok(self.clone());
        }
        let mut kernel = Kernel::new(self.props.len(), budget.clone());
        let graph = Graph::from_automaton(&mut kernel, self)?;
        let graph = degeneralise_best(&mut kernel, &graph)?;
        Self::from_graph(&mut kernel, &graph, self.props.clone())
    }

    pub(crate) fn working_copy(&self) -> (Kernel, Graph) {
        let mut kernel = Kernel::new(self.props.len(), Budget::unlimited());
        let graph = Graph::from_automaton(&mut kernel, self).expect("an unlimited budget does not end");
        (kernel, graph)
    }
}

/// What the cycles through a state do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Component {
    /// There is no cycle, or none of them is accepting.
    Rejecting,
    /// Every cycle is accepting.
    Accepting,
    /// The component has an accepting cycle, and not every cycle is.
    Mixed,
}
