//! What decides nothing is removed: states that no accepting run visits, sets that no run needs, marks where no cycle
//! is.
//!
//! Marks count only on cycles. On other edges they are chosen, all or none, to make states look alike.

use std::collections::BTreeSet;

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::Kernel;

use crate::automaton::{Component, Marks, StateId};
use crate::graph::{ComponentId, Components, Edge, Graph, components, components_of};

/// With more sets than this, none are made one.
const MAX_INTERSECTED: u32 = 8;

/// What marks belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Basis {
    /// To edges, one by one.
    Edges,
    /// To states: all edges that leave a state have the same, and there is one set.
    States,
}

/// The marks where no cycle is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    All,
    None,
}

/// The automaton without states from which no accepting cycle can be reached.
pub(crate) fn trim(graph: &Graph) -> Graph {
    let components = components(graph);
    let mut is_useful: IndexVec<ComponentId, bool> = components.is_accepting(graph);
    // Components are numbered so that those an edge leads to come first.
    for component in components.members.ids() {
        let mut edges = components.members[component].iter().flat_map(|&state| &graph.states[state]);
        is_useful[component] = is_useful[component] || edges.any(|edge| is_useful[components.of[edge.to]]);
    }
    graph.restricted(|state| is_useful[components.of[state]])
}

/// The automaton with as few sets as are needed, and `fill` for marks where no cycle is.
pub(crate) fn clean(kernel: &mut Kernel, graph: &Graph, basis: Basis, fill: Fill) -> Result<Graph, Exhausted> {
    let components = components(graph);
    match basis {
        Basis::Edges => renumber(kernel, graph, &components, &needed_sets(graph, &components), fill),
        Basis::States => fill_states(kernel, graph, &components, fill),
    }
}

/// The automaton with as many marks on cycles as there can be: an edge is in a set that every cycle through it is in
/// anyway.
pub(crate) fn saturate(kernel: &mut Kernel, graph: &Graph, basis: Basis) -> Result<Graph, Exhausted> {
    let components = components(graph);
    let mut result = graph.clone();
    for set in 0..graph.sets {
        let parts = components_of(graph, |marks| !marks.has(set));
        let is_on_cycle = |from: StateId, to: StateId| parts.of[from] == parts.of[to];
        let has_cycle: IndexVec<StateId, bool> = graph
            .states
            .iter_enumerated()
            .map(|(from, edges)| edges.iter().any(|edge| !edge.marks.has(set) && is_on_cycle(from, edge.to)))
            .collect();
        result = result.map_edges(kernel, |from, edge| {
            let is_inside = components.of[from] == components.of[edge.to];
            let is_free = match basis {
                Basis::Edges => is_inside && !is_on_cycle(from, edge.to),
                Basis::States => !has_cycle[from],
            };
            Edge { marks: if is_free { edge.marks.union(Marks::only(set)) } else { edge.marks }, ..edge }
        })?;
    }
    Ok(result)
}

/// The automaton with sets made one, their intersection, where a cycle in both and in all others is in that.
pub(crate) fn intersect(kernel: &mut Kernel, graph: &Graph) -> Result<Graph, Exhausted> {
    let components = components(graph);
    let mut needed = needed_sets(graph, &components);
    if graph.sets <= MAX_INTERSECTED {
        for second in 0..graph.sets {
            for first in 0..second {
                intersect_two(graph, &components, &mut needed, first, second);
            }
        }
    }
    renumber(kernel, graph, &components, &needed, Fill::None)
}

/// Gives each component the sets that it needs, from 0 on; sets that it does not need are on all of its edges.
fn renumber(
    kernel: &mut Kernel,
    graph: &Graph,
    components: &Components,
    needed: &IndexVec<ComponentId, Option<Vec<Marks>>>,
    fill: Fill,
) -> Result<Graph, Exhausted> {
    let sets = needed.iter().flatten().map(Vec::len).max().unwrap_or(0) as u32;
    // Where some component has cycles and none is accepting, a set must say so.
    let kinds = components.kinds(graph);
    let inside = components.marks_inside(graph);
    let must_reject = kinds.ids().any(|id| inside[id].is_some() && kinds[id] == Component::Rejecting);
    let sets = if must_reject { sets.max(1) } else { sets };
    let all = Marks::all(sets);
    let filled = if fill == Fill::All { all } else { Marks::NONE };
    let mut result = graph.map_edges(kernel, |from, edge| {
        let component = components.of[from];
        let marks = match &needed[component] {
            _ if components.of[edge.to] != component => filled,
            None => Marks::NONE,
            Some(needed) => {
                let missing = needed.iter().enumerate().filter(|(_, set)| !edge.marks.contains(**set));
                missing.fold(all, |marks, (place, _)| Marks(marks.0 & !Marks::only(place as u32).0))
            }
        };
        Edge { marks, ..edge }
    })?;
    result.sets = sets;
    Ok(result)
}

/// The sets that decide which cycles of a component are accepting, each as the marks that an edge of it has; `None` for a
/// component without accepting cycles.
///
/// A set is left out where a cycle in all others is in it.
fn needed_sets(graph: &Graph, components: &Components) -> IndexVec<ComponentId, Option<Vec<Marks>>> {
    let all: Vec<Marks> = (0..graph.sets).map(Marks::only).collect();
    let is_accepting = components.is_accepting(graph);
    let mut needed: IndexVec<ComponentId, Option<Vec<Marks>>> =
        is_accepting.iter().map(|&is_accepting| is_accepting.then(|| all.clone())).collect();
    for set in (0..graph.sets).rev().map(Marks::only) {
        let others = |sets: &[Marks]| sets.iter().copied().filter(|&other| other != set).collect();
        replace(graph, components, &mut needed, set, others);
    }
    needed
}

/// Makes one of the two sets that `first` and `second` have become part of, where that changes nothing.
fn intersect_two(
    graph: &Graph,
    components: &Components,
    needed: &mut IndexVec<ComponentId, Option<Vec<Marks>>>,
    first: u32,
    second: u32,
) {
    let find = |sets: &[Marks], set: u32| sets.iter().copied().find(|marks| marks.has(set));
    let pairs: BTreeSet<(Marks, Marks)> = needed
        .iter()
        .flatten()
        .filter_map(|sets| Some((find(sets, first)?, find(sets, second)?)))
        .filter(|(left, right)| left != right)
        .collect();
    for (left, right) in pairs {
        let both = left.union(right);
        let joined = |sets: &[Marks]| match sets.contains(&left) && sets.contains(&right) {
            true => sets.iter().copied().filter(|&set| set != left && set != right).chain([both]).collect(),
            false => sets.to_vec(),
        };
        replace(graph, components, needed, both, joined);
    }
}

/// Replaces the sets of each component by `others` of them, if every cycle in all of its sets has an edge with all of
/// `marks`, or if the others ask for that.
fn replace(
    graph: &Graph,
    components: &Components,
    needed: &mut IndexVec<ComponentId, Option<Vec<Marks>>>,
    marks: Marks,
    others: impl Fn(&[Marks]) -> Vec<Marks>,
) {
    // Where the others ask for `marks`, they ask for more than before: the cycles to look at are those of before. Where
    // they do not, they ask for less: the cycles to look at are those of the others.
    let parts = components_of(graph, |found| !found.contains(marks));
    let mut seen: IndexVec<ComponentId, Vec<Marks>> = IndexVec::from_elem(Vec::new(), parts.members.len());
    for (from, edges) in graph.states.iter_enumerated() {
        let on_cycle = edges.iter().filter(|edge| !edge.marks.contains(marks) && parts.of[from] == parts.of[edge.to]);
        seen[parts.of[from]].extend(on_cycle.map(|edge| edge.marks));
    }
    let mut is_needed: IndexVec<ComponentId, bool> = IndexVec::from_elem(false, components.members.len());
    for (part, members) in parts.members.iter_enumerated() {
        let component = components.of[members[0]];
        let Some(sets) = &needed[component] else { continue };
        let after = others(sets);
        let asked = if after.contains(&marks) { sets } else { &after };
        let is_cycle = !seen[part].is_empty() && asked.iter().all(|&set| seen[part].iter().any(|m| m.contains(set)));
        is_needed[component] = is_needed[component] || is_cycle;
    }
    for (component, sets) in is_needed.ids().zip(needed.iter_mut()) {
        if let Some(sets) = sets
            && !is_needed[component]
        {
            *sets = others(sets);
        }
    }
}

/// Marks the states without cycles as `fill` says, and of those in components without accepting cycles none.
fn fill_states(kernel: &mut Kernel, graph: &Graph, components: &Components, fill: Fill) -> Result<Graph, Exhausted> {
    let is_accepting = components.is_accepting(graph);
    let inside = components.marks_inside(graph);
    let filled = if fill == Fill::All { graph.all_marks() } else { Marks::NONE };
    graph.map_edges(kernel, |from, edge| {
        let component = components.of[from];
        let marks = match inside[component] {
            None => filled,
            Some(_) if !is_accepting[component] => Marks::NONE,
            Some(_) => edge.marks,
        };
        Edge { marks, ..edge }
    })
}
