//! Merging states where the automaton of the negation shows that nothing is gained.
//!
//! Merging two states loses no word. If what is left has no word in common with an automaton of the negation, it has won
//! none either.

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::Kernel;

use crate::automaton::{Marks, StateId};
use crate::graph::{Edge, Graph};
use crate::product::is_disjoint;
use crate::simulate::reduce;
use crate::trim::{Basis, trim};

/// The most pairs of edges that products may look at.
const MAX_WORK: usize = 2_000_000;

/// The automaton with as many states merged, first come first served, as `negation` allows.
///
/// # Requires
/// `negation` accepts exactly the words that `graph` does not.
pub(crate) fn merge(kernel: &mut Kernel, graph: &Graph, negation: &Graph, basis: Basis) -> Result<Graph, Exhausted> {
    let mut best = graph.clone();
    let mut work = MAX_WORK;
    loop {
        let merged = merge_once(kernel, &best, negation, basis, &mut work)?;
        if merged.states.len() == best.states.len() {
            return Ok(best);
        }
        let reduced = reduce(kernel, &merged, basis)?;
        best = if reduced.states.len() <= merged.states.len() { reduced } else { merged };
    }
}

/// Tries each pair of states once: a pair that cannot be merged now cannot be merged after others are.
fn merge_once(
    kernel: &mut Kernel,
    graph: &Graph,
    negation: &Graph,
    basis: Basis,
    work: &mut usize,
) -> Result<Graph, Exhausted> {
    let mut of: IndexVec<StateId, StateId> = graph.states.ids().collect();
    let mut best = graph.clone();
    for q in graph.states.ids() {
        for p in graph.states.ids().filter(|&p| p < q && of[p] == p) {
            let mut candidate = of.clone();
            candidate[q] = p;
            let merged = merged(kernel, graph, &candidate, basis)?;
            match is_disjoint(kernel, &merged, negation, work)? {
                None => return Ok(best),
                Some(false) => {}
                Some(true) => {
                    of = candidate;
                    best = trim(&merged);
                    break;
                }
            }
        }
    }
    Ok(best)
}

/// The automaton in which state `q` is `of[q]`; where marks belong to states, it is marked if one of them is.
fn merged(
    kernel: &mut Kernel,
    graph: &Graph,
    of: &IndexVec<StateId, StateId>,
    basis: Basis,
) -> Result<Graph, Exhausted> {
    if basis == Basis::Edges {
        return graph.quotient(kernel, of);
    }
    let mut marks: IndexVec<StateId, Marks> = IndexVec::from_elem(Marks::NONE, graph.states.len());
    for (state, edges) in graph.states.iter_enumerated() {
        let own = edges.first().map(|edge| edge.marks).unwrap_or_default();
        marks[of[state]] = marks[of[state]].union(own);
    }
    let marked = graph.map_edges(kernel, |from, edge| Edge { marks: marks[of[from]], ..edge })?;
    marked.quotient(kernel, of)
}
