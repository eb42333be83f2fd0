//! Automata to work on: guards are functions of one [`Kernel`], so that sets of letters are compared by handle.
//!
//! **Invariant:** no guard is false, and no state has two edges to the same state with the same marks.

mod components;

use hardbop_base::{Exhausted, Idx, IndexVec};
use hardbop_bdd::{Bdd, Kernel};

use crate::automaton::{self, Automaton, Marks, StateId};
use crate::effort::attempt;
use crate::formula::PropId;
use crate::guard::Guard;

pub(crate) use components::{ComponentId, Components, components, components_of};

/// What the guards of an automaton may cost to write as sums of products, and what each may add.
const GUARDS: u64 = 200_000;
const GUARD: u64 = 50;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Edge {
    pub(crate) to: StateId,
    pub(crate) marks: Marks,
    pub(crate) guard: Bdd,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Graph {
    pub(crate) states: IndexVec<StateId, Vec<Edge>>,
    pub(crate) initial: Vec<StateId>,
    pub(crate) sets: u32,
}

impl Graph {
    /// One state and no runs.
    pub(crate) fn empty() -> Self {
        Self { states: IndexVec::from_elem(Vec::new(), 1), initial: vec![StateId::from_usize(0)], sets: 0 }
    }

    pub(crate) fn all_marks(&self) -> Marks {
        Marks::all(self.sets)
    }

    pub(crate) fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Takes `edges` for the state, one for each target and marks.
    pub(crate) fn set_edges(
        &mut self,
        kernel: &mut Kernel,
        state: StateId,
        mut edges: Vec<Edge>,
    ) -> Result<(), Exhausted> {
        edges.sort_unstable();
        let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
        for edge in edges {
            match merged.last_mut() {
                Some(last) if (last.to, last.marks) == (edge.to, edge.marks) => {
                    last.guard = kernel.or(last.guard, edge.guard)?;
                }
                _ if edge.guard.is_false() => {}
                _ => merged.push(edge),
            }
        }
        self.states[state] = merged;
        Ok(())
    }

    /// The same with `change` made to every edge.
    pub(crate) fn map_edges(
        &self,
        kernel: &mut Kernel,
        mut change: impl FnMut(StateId, Edge) -> Edge,
    ) -> Result<Self, Exhausted> {
        let mut changed = self.clone();
        for (state, edges) in self.states.iter_enumerated() {
            let edges = edges.iter().map(|&edge| change(state, edge)).collect();
            changed.set_edges(kernel, state, edges)?;
        }
        Ok(changed)
    }

    /// The automaton in which state `q` is the state `of[q]`, with the edges of all that became one. Where `of` is not
    /// onto, numbers that no state has are left out. Nothing that was accepted is lost.
    pub(crate) fn quotient(&self, kernel: &mut Kernel, of: &IndexVec<StateId, StateId>) -> Result<Self, Exhausted> {
        let mut edges: IndexVec<StateId, Vec<Edge>> = IndexVec::from_elem(Vec::new(), self.states.len());
        for (state, out) in self.states.iter_enumerated() {
            edges[of[state]].extend(out.iter().map(|&edge| Edge { to: of[edge.to], ..edge }));
        }
        let mut initial: Vec<StateId> = self.initial.iter().map(|&state| of[state]).collect();
        initial.sort_unstable();
        initial.dedup();
        let states = IndexVec::from_elem(Vec::new(), self.states.len());
        let mut quotient = Self { states, initial, sets: self.sets };
        for state in self.states.ids() {
            let edges = std::mem::take(&mut edges[state]);
            quotient.set_edges(kernel, state, edges)?;
        }
        Ok(quotient.reachable())
    }

    /// Only the states that can be reached, in the order of a breadth-first search.
    pub(crate) fn reachable(&self) -> Self {
        self.restricted(|_| true)
    }

    /// Only the states that can be reached through states that `is_kept`; with none left, [`Graph::empty`].
    pub(crate) fn restricted(&self, is_kept: impl Fn(StateId) -> bool) -> Self {
        let mut numbers: IndexVec<StateId, Option<StateId>> = IndexVec::from_elem(None, self.states.len());
        let mut order: IndexVec<StateId, StateId> = IndexVec::new();
        let mut visit = |state: StateId, order: &mut IndexVec<StateId, StateId>| {
            if numbers[state].is_none() && is_kept(state) {
                numbers[state] = Some(order.push(state));
            }
            numbers[state]
        };
        let initial: Vec<StateId> = self.initial.iter().filter_map(|&state| visit(state, &mut order)).collect();
        let mut states: IndexVec<StateId, Vec<Edge>> = IndexVec::new();
        while let Some(&state) = order.get(states.next_id()) {
            let edges = self.states[state].iter();
            let mut kept: Vec<Edge> =
                edges.filter_map(|&edge| visit(edge.to, &mut order).map(|to| Edge { to, ..edge })).collect();
            kept.sort_unstable();
            states.push(kept);
        }
        if initial.is_empty() {
            return Self { sets: self.sets, ..Self::empty() };
        }
        Self { states, initial, sets: self.sets }
    }

    /// The same states with only the edges that are `kept`.
    pub(crate) fn restricted_edges(&self, kept: impl Fn(StateId, &Edge) -> bool) -> Self {
        let restrict = |(from, edges): (StateId, &Vec<Edge>)| {
            edges.iter().copied().filter(|edge| kept(from, edge)).collect::<Vec<Edge>>()
        };
        let states = self.states.iter_enumerated().map(restrict).collect();
        Self { states, initial: self.initial.clone(), sets: self.sets }
    }

    /// The edges into each state: `from` stands where `to` stood.
    pub(crate) fn incoming(&self) -> IndexVec<StateId, Vec<Edge>> {
        let mut incoming: IndexVec<StateId, Vec<Edge>> = IndexVec::from_elem(Vec::new(), self.states.len());
        for (from, edges) in self.states.iter_enumerated() {
            for &edge in edges {
                incoming[edge.to].push(Edge { to: from, ..edge });
            }
        }
        incoming
    }

    pub(crate) fn from_automaton(kernel: &mut Kernel, automaton: &Automaton) -> Result<Self, Exhausted> {
        let states = IndexVec::from_elem(Vec::new(), automaton.states.len());
        let mut graph = Self { states, initial: automaton.initial.clone(), sets: automaton.sets };
        for (state, edges) in automaton.states.iter_enumerated() {
            let mut copies = Vec::with_capacity(edges.len());
            for edge in edges {
                copies.push(Edge { to: edge.to, marks: edge.marks, guard: edge.guard.to_bdd(kernel)? });
            }
            graph.set_edges(kernel, state, copies)?;
        }
        Ok(graph)
    }
}

impl Automaton {
    pub(crate) fn from_graph(
        kernel: &mut Kernel,
        graph: &Graph,
        props: IndexVec<PropId, String>,
    ) -> Result<Self, Exhausted> {
        // A guard can have exponentially many cubes, and each takes memory.
        let allowance = GUARDS + GUARD * graph.edges() as u64;
        let states = attempt(kernel, allowance, |kernel| {
            let mut states: IndexVec<StateId, Vec<automaton::Edge>> = IndexVec::new();
            for edges in &graph.states {
                let mut copies = Vec::with_capacity(edges.len());
                for edge in edges {
                    let guard = Guard::from_bdd(kernel, edge.guard)?;
                    copies.push(automaton::Edge { guard, to: edge.to, marks: edge.marks });
                }
                states.push(copies);
            }
            Ok(states)
        })?;
        Ok(Self { props, states: states.ok_or(Exhausted)?, initial: graph.initial.clone(), sets: graph.sets })
    }
}

/// Whether no two edges of a state share a letter.
pub(crate) fn is_deterministic(kernel: &mut Kernel, graph: &Graph) -> Result<bool, Exhausted> {
    for edges in &graph.states {
        let mut seen = Bdd::FALSE;
        for edge in edges {
            if !kernel.and(seen, edge.guard)?.is_false() {
                return Ok(false);
            }
            seen = kernel.or(seen, edge.guard)?;
        }
    }
    Ok(true)
}
