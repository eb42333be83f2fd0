//! Strongly connected components, by Tarjan's algorithm with a stack of its own.

use hardbop_base::{IndexVec, newtype_index};

use super::Graph;
use crate::automaton::{Component, Marks, StateId};

newtype_index! {
    /// A strongly connected component; no edge leads to one with a higher number.
    pub(crate) struct ComponentId = "scc";
}

#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) of: IndexVec<StateId, ComponentId>,
    pub(crate) members: IndexVec<ComponentId, Vec<StateId>>,
}

/// The components of the part that can be reached; a state that cannot is one of its own.
pub(crate) fn components(graph: &Graph) -> Components {
    components_of(graph, |_| true)
}

/// The components where only edges that are `kept` are there.
pub(crate) fn components_of(graph: &Graph, kept: impl Fn(Marks) -> bool) -> Components {
    let len = graph.states.len();
    let mut search = Search {
        graph,
        kept,
        clock: 0,
        seen: IndexVec::from_elem(0, len),
        low: IndexVec::from_elem(0, len),
        open: Vec::new(),
        of: IndexVec::from_elem(None, len),
        members: IndexVec::new(),
    };
    for state in graph.states.ids() {
        if search.seen[state] == 0 {
            search.visit(state);
        }
    }
    let of = search.of.iter().map(|component| component.expect("every state was visited")).collect();
    Components { of, members: search.members }
}

struct Search<'g, K> {
    graph: &'g Graph,
    kept: K,
    clock: u32,
    /// When a state was first seen, from 1.
    seen: IndexVec<StateId, u32>,
    low: IndexVec<StateId, u32>,
    open: Vec<StateId>,
    of: IndexVec<StateId, Option<ComponentId>>,
    members: IndexVec<ComponentId, Vec<StateId>>,
}

impl<K: Fn(Marks) -> bool> Search<'_, K> {
    fn visit(&mut self, root: StateId) {
        let graph = self.graph;
        let mut path = vec![(self.enter(root), graph.states[root].iter())];
        while let Some((state, edges)) = path.last_mut() {
            let state = *state;
            match edges.next() {
                Some(edge) if !(self.kept)(edge.marks) => {}
                Some(edge) if self.seen[edge.to] == 0 => path.push((self.enter(edge.to), graph.states[edge.to].iter())),
                Some(edge) if self.of[edge.to].is_none() => {
                    self.low[state] = self.low[state].min(self.seen[edge.to]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        self.low[*parent] = self.low[*parent].min(self.low[state]);
                    }
                    if self.low[state] == self.seen[state] {
                        self.close(state);
                    }
                }
            }
        }
    }

    fn enter(&mut self, state: StateId) -> StateId {
        self.clock += 1;
        self.seen[state] = self.clock;
        self.low[state] = self.clock;
        self.open.push(state);
        state
    }

    fn close(&mut self, root: StateId) {
        let start = self.open.iter().rposition(|&state| state == root).expect("an open component has its root");
        let mut members = self.open.split_off(start);
        members.sort_unstable();
        for &member in &members {
            self.of[member] = Some(self.members.next_id());
        }
        self.members.push(members);
    }
}

impl Components {
    /// The marks of the edges inside each component; `None` where there are no such edges.
    pub(crate) fn marks_inside(&self, graph: &Graph) -> IndexVec<ComponentId, Option<Marks>> {
        let mut marks: IndexVec<ComponentId, Option<Marks>> = IndexVec::from_elem(None, self.members.len());
        for (state, edges) in graph.states.iter_enumerated() {
            for edge in edges.iter().filter(|edge| self.of[edge.to] == self.of[state]) {
                let inside = &mut marks[self.of[state]];
                *inside = Some(inside.unwrap_or(Marks::NONE).union(edge.marks));
            }
        }
        marks
    }

    /// What the cycles of each component do.
    pub(crate) fn kinds(&self, graph: &Graph) -> IndexVec<ComponentId, Component> {
        let all = graph.all_marks();
        let inside = self.marks_inside(graph);
        let start =
            |marks: &Option<Marks>| if *marks == Some(all) { Component::Accepting } else { Component::Rejecting };
        let mut kinds: IndexVec<ComponentId, Component> = inside.iter().map(start).collect();
        for set in 0..graph.sets {
            // A cycle that is left without the edges of one set is not accepting.
            let parts = components_of(graph, |marks| !marks.has(set));
            for (state, edges) in graph.states.iter_enumerated() {
                let on_cycle = |edge: &super::Edge| !edge.marks.has(set) && parts.of[edge.to] == parts.of[state];
                let kind = &mut kinds[self.of[state]];
                if *kind == Component::Accepting && edges.iter().any(on_cycle) {
                    *kind = Component::Mixed;
                }
            }
        }
        kinds
    }

    /// Whether each component has an accepting cycle.
    pub(crate) fn is_accepting(&self, graph: &Graph) -> IndexVec<ComponentId, bool> {
        let all = graph.all_marks();
        self.marks_inside(graph).iter().map(|marks| *marks == Some(all)).collect()
    }
}
