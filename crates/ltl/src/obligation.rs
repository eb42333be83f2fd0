//! Deterministic weak automata for formulas that have one: obligations [DEK07].
//!
//! If there is one, the powerset automaton becomes one when each of its components is called accepting iff one cycle of
//! it is accepted; the least one is then found like that of a finite automaton [Lod01]. Whether there is one is seen by
//! comparing what came out with the formula.

use std::collections::BTreeMap;

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Kernel};
use rustc_hash::FxHashMap;

use crate::automaton::{Marks, StateId};
use crate::graph::{ComponentId, Edge, Graph, components};
use crate::product::is_disjoint;
use crate::trim::trim;

/// The most states of the powerset automaton.
const MAX_STATES: usize = 512;
/// The most classes of letters in one state of the powerset automaton.
const MAX_LETTERS: usize = 256;

/// The most pairs of edges that are looked at to compare the result with the formula.
const MAX_WORK: usize = 2_000_000;

/// The least deterministic weak automaton, with accepting states, that accepts what `graph` does, if there is one that
/// is not too large to find.
///
/// # Requires
/// `negation` accepts exactly the words that `graph` does not.
pub(crate) fn deterministic(kernel: &mut Kernel, graph: &Graph, negation: &Graph) -> Result<Option<Graph>, Exhausted> {
    let Some(powerset) = powerset(kernel, graph)? else { return Ok(None) };
    let colours = colours(&powerset, graph, kernel)?;
    let minimal = minimal(kernel, &powerset.graph, &colours)?;
    let complement = minimal.map_edges(kernel, |_, edge| Edge { marks: Marks(1 & !edge.marks.0), ..edge })?;
    let mut work = MAX_WORK;
    let is_right = is_disjoint(kernel, &minimal, negation, &mut work)? == Some(true)
        && is_disjoint(kernel, &complement, graph, &mut work)? == Some(true);
    Ok(is_right.then(|| trim(&minimal)))
}

/// Sets of letters with the states that each leads to.
type Classes = Vec<(Bdd, Vec<StateId>)>;

struct Powerset {
    /// Deterministic and complete; marks mean nothing.
    graph: Graph,
    sets: IndexVec<StateId, Vec<StateId>>,
}

fn powerset(kernel: &mut Kernel, graph: &Graph) -> Result<Option<Powerset>, Exhausted> {
    let mut numbers: FxHashMap<Vec<StateId>, StateId> = FxHashMap::default();
    let mut sets: IndexVec<StateId, Vec<StateId>> = IndexVec::new();
    let mut number = |set: Vec<StateId>, sets: &mut IndexVec<StateId, Vec<StateId>>| {
        *numbers.entry(set.clone()).or_insert_with(|| sets.push(set))
    };
    let mut initial = graph.initial.clone();
    initial.sort_unstable();
    let initial = vec![number(initial, &mut sets)];
    let mut states: IndexVec<StateId, Vec<Edge>> = IndexVec::new();
    while let Some(set) = sets.get(states.next_id()).cloned() {
        let Some(classes) = letters(kernel, graph, &set)? else { return Ok(None) };
        let mut edges = Vec::with_capacity(classes.len());
        for (guard, mut targets) in classes {
            targets.sort_unstable();
            targets.dedup();
            edges.push(Edge { to: number(targets, &mut sets), marks: Marks::NONE, guard });
        }
        states.push(edges);
        if sets.len() > MAX_STATES {
            return Ok(None);
        }
    }
    Ok(Some(Powerset { graph: Graph { states, initial, sets: 1 }, sets }))
}

/// The classes of letters that the edges of a set of states tell apart, with the targets of each.
fn letters(kernel: &mut Kernel, graph: &Graph, set: &[StateId]) -> Result<Option<Classes>, Exhausted> {
    let mut classes: Classes = vec![(Bdd::TRUE, Vec::new())];
    for edge in set.iter().flat_map(|&state| &graph.states[state]) {
        for place in 0..classes.len() {
            let letters = classes[place].0;
            let common = kernel.and(letters, edge.guard)?;
            if common == letters {
                classes[place].1.push(edge.to);
            } else if !common.is_false() {
                classes[place].0 = kernel.diff(letters, common)?;
                let mut targets = classes[place].1.clone();
                targets.push(edge.to);
                classes.push((common, targets));
            }
        }
        if classes.len() > MAX_LETTERS {
            return Ok(None);
        }
    }
    Ok(Some(classes))
}

/// Whether each state is to be accepting: components by one of their cycles, states without cycles as suits best.
fn colours(powerset: &Powerset, graph: &Graph, kernel: &mut Kernel) -> Result<IndexVec<StateId, bool>, Exhausted> {
    let components = components(&powerset.graph);
    let mut ranks: IndexVec<ComponentId, u32> = IndexVec::new();
    for members in &components.members {
        let component = ranks.next_id();
        let edges = members.iter().flat_map(|&state| &powerset.graph.states[state]);
        let below = edges.filter(|edge| components.of[edge.to] != component).map(|edge| ranks[components.of[edge.to]]);
        let below = below.max();
        // An accepting component has an even rank, a rejecting one an odd rank, at least that of what it leads to.
        let rank = match cycle(&powerset.graph, members[0]) {
            None => below.expect("the automaton is complete, so a state without cycles leads on"),
            Some(cycle) => {
                let wanted = u32::from(!accepts(kernel, powerset, graph, &cycle)?);
                let below = below.unwrap_or(wanted);
                below + u32::from(below % 2 != wanted)
            }
        };
        ranks.push(rank);
    }
    Ok(components.of.iter().map(|&component| ranks[component].is_multiple_of(2)).collect())
}

/// A shortest cycle through a state.
fn cycle(graph: &Graph, start: StateId) -> Option<Vec<(StateId, Edge)>> {
    let mut parents: FxHashMap<StateId, (StateId, Edge)> = FxHashMap::default();
    let mut queue = vec![start];
    let mut next = 0;
    while next < queue.len() {
        let state = queue[next];
        next += 1;
        for &edge in &graph.states[state] {
            if edge.to == start {
                let mut path = vec![(state, edge)];
                while let Some(&step) = parents.get(&path[path.len() - 1].0) {
                    path.push(step);
                }
                path.reverse();
                return Some(path);
            }
            parents.entry(edge.to).or_insert_with(|| {
                queue.push(edge.to);
                (state, edge)
            });
        }
    }
    None
}

/// Whether the word around the cycle is accepted from the states where the cycle begins.
fn accepts(
    kernel: &mut Kernel,
    powerset: &Powerset,
    graph: &Graph,
    cycle: &[(StateId, Edge)],
) -> Result<bool, Exhausted> {
    let mut numbers: BTreeMap<(usize, StateId), StateId> = BTreeMap::new();
    let mut states: IndexVec<StateId, Vec<Edge>> = IndexVec::new();
    for (place, (set, _)) in cycle.iter().enumerate() {
        for &state in &powerset.sets[*set] {
            numbers.insert((place, state), states.push(Vec::new()));
        }
    }
    for (&(place, state), &number) in &numbers {
        let letters = cycle[place].1.guard;
        for &edge in &graph.states[state] {
            if !kernel.and(letters, edge.guard)?.is_false() {
                let to = numbers[&((place + 1) % cycle.len(), edge.to)];
                states[number].push(Edge { to, ..edge });
            }
        }
    }
    let product = Graph { states, initial: Vec::new(), sets: graph.sets };
    let is_accepting = components(&product).is_accepting(&product);
    Ok(is_accepting.iter().any(|&is_accepting| is_accepting))
}

/// The states of the same colour that no word tells apart, as one state each.
fn minimal(kernel: &mut Kernel, graph: &Graph, colours: &IndexVec<StateId, bool>) -> Result<Graph, Exhausted> {
    let mut classes: IndexVec<StateId, usize> = colours.iter().map(|&colour| usize::from(colour)).collect();
    let mut count = 0;
    loop {
        let mut known: FxHashMap<(usize, Vec<(usize, Bdd)>), usize> = FxHashMap::default();
        let mut refined: IndexVec<StateId, usize> = IndexVec::new();
        for (state, edges) in graph.states.iter_enumerated() {
            let mut letters: BTreeMap<usize, Bdd> = BTreeMap::new();
            for edge in edges {
                let guard = letters.entry(classes[edge.to]).or_insert(Bdd::FALSE);
                *guard = kernel.or(*guard, edge.guard)?;
            }
            let fresh = known.len();
            let signature = (classes[state], letters.into_iter().collect());
            refined.push(*known.entry(signature).or_insert(fresh));
        }
        classes = refined;
        if known.len() == count {
            break;
        }
        count = known.len();
    }
    let first = |state: StateId| {
        graph.states.ids().find(|&other| classes[other] == classes[state]).expect("a class has its members")
    };
    let of: IndexVec<StateId, StateId> = graph.states.ids().map(first).collect();
    let marked = graph.map_edges(kernel, |from, edge| Edge {
        marks: if colours[from] { Marks::only(0) } else { Marks::NONE },
        ..edge
    })?;
    marked.quotient(kernel, &of)
}
