//! From marks on edges in many sets to accepting states [GL02], [BBD+13].
//!
//! State `⟨q, i⟩` waits for the set that is `i`-th in some order; an edge goes on over all sets that it has one after the
//! other. At level `n` all have been seen: the state is accepting, and waiting begins anew. Levels matter only inside a
//! component that has accepting cycles, and a run may enter such a component at any level.
//!
//! How many states there are depends on the order of the sets and on the levels of entry, so several are tried.

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::Kernel;
use rustc_hash::FxHashMap;

use crate::automaton::{Marks, StateId};
use crate::graph::{self, ComponentId, Components, Edge, Graph, components_of};
use crate::simulate::reduce;
use crate::trim::{Basis, intersect, trim};

/// With more sets than this, not every order is tried.
const MAX_PERMUTED: u32 = 4;
/// The most states that a degeneralised automaton may have.
const MAX_STATES: usize = 1 << 20;
/// With more edges times sets than this, one order is tried.
const MAX_TRIED: usize = 10_000;
/// How many of the automata are reduced to see which becomes the smallest.
const MAX_REDUCED: usize = 6;

/// The Büchi automaton with accepting states that accepts the same: no choices, no reductions.
pub(crate) fn degeneralise(kernel: &mut Kernel, graph: &Graph) -> Result<Graph, Exhausted> {
    let order: Vec<u32> = (0..graph.sets).collect();
    with_order(kernel, graph, &order)
}

/// The smallest of several, reduced.
pub(crate) fn degeneralise_best(kernel: &mut Kernel, graph: &Graph) -> Result<Graph, Exhausted> {
    let mut candidates = Vec::new();
    for graph in [graph, &intersect(kernel, graph)?] {
        let is_large = graph.edges() * graph.sets as usize > MAX_TRIED;
        for order in orders(graph.sets).into_iter().take(if is_large { 1 } else { usize::MAX }) {
            let candidate = trim(&with_order(kernel, graph, &order)?);
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
    }
    candidates.sort_by_key(|candidate| candidate.states.len());
    let mut best: Option<Graph> = None;
    for candidate in candidates.iter().take(MAX_REDUCED) {
        let reduced = reduce(kernel, candidate, Basis::States)?;
        if best.as_ref().is_none_or(|best| reduced.states.len() < best.states.len()) {
            best = Some(reduced);
        }
    }
    Ok(best.expect("there is at least one order"))
}

/// All orders of a few sets, and the rotations of many, forwards and backwards.
fn orders(sets: u32) -> Vec<Vec<u32>> {
    if sets <= MAX_PERMUTED {
        let mut orders = vec![Vec::new()];
        for set in 0..sets {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<u32>| {
                    (0..=order.len()).map(move |place| {
                        let mut longer = order.clone();
                        longer.insert(place, set);
                        longer
                    })
                })
                .collect();
        }
        return orders;
    }
    let rotation = |start: u32| (0..sets).map(|place| (start + place) % sets).collect::<Vec<u32>>();
    let reversed = |start: u32| (0..sets).rev().map(|place| (start + place) % sets).collect::<Vec<u32>>();
    (0..sets).map(rotation).chain((0..sets).map(reversed)).collect()
}

fn with_order(kernel: &mut Kernel, graph: &Graph, order: &[u32]) -> Result<Graph, Exhausted> {
    let components = graph::components(graph);
    let levels = Levels { graph, order, fixed: fixed_levels(graph, &components), components };
    let first = levels.unfold(kernel, |_| 0)?;
    // A level of entry that a run never comes back to costs a state: enter where the largest component is.
    let unfolded = graph::components(&first.graph);
    let mut entries: FxHashMap<StateId, (usize, u32)> = FxHashMap::default();
    for (copy, &(state, level)) in first.names.iter_enumerated() {
        let size = unfolded.members[unfolded.of[copy]].len();
        let entry = entries.entry(state).or_insert((size, level));
        if size > entry.0 {
            *entry = (size, level);
        }
    }
    let second = levels.unfold(kernel, |state| entries.get(&state).map_or(0, |entry| entry.1))?;
    Ok(if second.graph.states.len() <= first.graph.states.len() { second.graph } else { first.graph })
}

struct Levels<'g> {
    graph: &'g Graph,
    order: &'g [u32],
    components: Components,
    /// The level of states that have only one.
    fixed: IndexVec<StateId, Option<Fixed>>,
}

/// The only level that a state has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fixed {
    Zero,
    Full,
}

/// The levels of states in components where one level for each state will do: none has an accepting cycle, or every
/// accepting cycle visits a state through which all cycles are accepting.
fn fixed_levels(graph: &Graph, components: &Components) -> IndexVec<StateId, Option<Fixed>> {
    let mut is_good: IndexVec<StateId, bool> = IndexVec::from_elem(true, graph.states.len());
    for set in 0..graph.sets {
        let parts = components_of(graph, |marks| !marks.has(set));
        for (from, edges) in graph.states.iter_enumerated() {
            let is_rejecting = |edge: &Edge| !edge.marks.has(set) && parts.of[from] == parts.of[edge.to];
            is_good[from] = is_good[from] && !edges.iter().any(is_rejecting);
        }
    }
    let others = graph.restricted_edges(|from, edge| !is_good[from] && !is_good[edge.to]);
    let parts = graph::components(&others);
    let parts_accept = parts.is_accepting(&others);
    let mut is_fixed: IndexVec<ComponentId, bool> = IndexVec::from_elem(true, components.members.len());
    for state in graph.states.ids().filter(|&state| parts_accept[parts.of[state]]) {
        is_fixed[components.of[state]] = false;
    }
    let is_accepting = components.is_accepting(graph);
    let level = |state: StateId| match components.of[state] {
        component if !is_accepting[component] => Some(Fixed::Zero),
        component if is_fixed[component] && is_good[state] => Some(Fixed::Full),
        component if is_fixed[component] => Some(Fixed::Zero),
        _ => None,
    };
    graph.states.ids().map(level).collect()
}

struct Unfolded {
    graph: Graph,
    /// The state and the level of each copy.
    names: IndexVec<StateId, (StateId, u32)>,
}

impl Levels<'_> {
    /// The copies that can be reached, where components are entered at the level `entry`.
    fn unfold(&self, kernel: &mut Kernel, entry: impl Fn(StateId) -> u32) -> Result<Unfolded, Exhausted> {
        let full = self.order.len() as u32;
        let mut numbers: FxHashMap<(StateId, u32), StateId> = FxHashMap::default();
        let mut names: IndexVec<StateId, (StateId, u32)> = IndexVec::new();
        let mut number = |state: StateId, level: u32, names: &mut IndexVec<StateId, (StateId, u32)>| {
            let level = match self.fixed[state] {
                None => level,
                Some(Fixed::Zero) => 0,
                Some(Fixed::Full) => full,
            };
            *numbers.entry((state, level)).or_insert_with(|| names.push((state, level)))
        };
        let initial = self.graph.initial.iter().map(|&state| number(state, entry(state), &mut names)).collect();
        let mut graph = Graph { states: IndexVec::new(), initial, sets: 1 };
        while let Some(&(state, level)) = names.get(graph.states.next_id()) {
            let marks = if level == full { Marks::only(0) } else { Marks::NONE };
            let mut edges = Vec::new();
            for edge in &self.graph.states[state] {
                let is_inside = self.components.of[state] == self.components.of[edge.to];
                let next = if is_inside { self.after(level, edge.marks) } else { entry(edge.to) };
                edges.push(Edge { to: number(edge.to, next, &mut names), marks, guard: edge.guard });
            }
            kernel.budget().spend(1)?;
            if graph.states.len() == MAX_STATES {
                return Err(Exhausted);
            }
            let place = graph.states.push(Vec::new());
            graph.set_edges(kernel, place, edges)?;
        }
        Ok(Unfolded { graph, names })
    }

    fn after(&self, level: u32, marks: Marks) -> u32 {
        let full = self.order.len();
        let start = if level as usize == full { 0 } else { level as usize };
        let seen = self.order[start..].iter().take_while(|&&set| marks.has(set)).count();
        (start + seen) as u32
    }
}
