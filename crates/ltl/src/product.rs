//! Whether two automata accept a word in common: a cycle of their product that is in all sets of both.

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::Kernel;
use rustc_hash::FxHashMap;

use crate::automaton::{MAX_SETS, Marks, StateId};
use crate::graph::{Edge, Graph, components};

/// Whether no word is accepted by both; `None` where the two have too many sets to tell, or where more pairs of edges
/// would have to be looked at than `work` has left.
pub(crate) fn is_disjoint(
    kernel: &mut Kernel,
    left: &Graph,
    right: &Graph,
    work: &mut usize,
) -> Result<Option<bool>, Exhausted> {
    if left.sets + right.sets > MAX_SETS {
        return Ok(None);
    }
    let Some(product) = product(kernel, left, right, work)? else { return Ok(None) };
    let is_accepting = components(&product).is_accepting(&product);
    Ok(Some(!is_accepting.iter().any(|&is_accepting| is_accepting)))
}

/// The pairs of states that can be reached together.
fn product(kernel: &mut Kernel, left: &Graph, right: &Graph, work: &mut usize) -> Result<Option<Graph>, Exhausted> {
    let mut numbers: FxHashMap<(StateId, StateId), StateId> = FxHashMap::default();
    let mut order: IndexVec<StateId, (StateId, StateId)> = IndexVec::new();
    let mut number = |pair: (StateId, StateId), order: &mut IndexVec<StateId, (StateId, StateId)>| {
        *numbers.entry(pair).or_insert_with(|| order.push(pair))
    };
    let mut initial = Vec::new();
    for &a in &left.initial {
        initial.extend(right.initial.iter().map(|&b| number((a, b), &mut order)));
    }
    let mut states: IndexVec<StateId, Vec<Edge>> = IndexVec::new();
    while let Some(&(a, b)) = order.get(states.next_id()) {
        let Some(left_over) = work.checked_sub(left.states[a].len() * right.states[b].len()) else { return Ok(None) };
        *work = left_over;
        kernel.budget().spend(1 + (left.states[a].len() * right.states[b].len()) as u64)?;
        let mut edges = Vec::new();
        for first in &left.states[a] {
            for second in &right.states[b] {
                let guard = kernel.and(first.guard, second.guard)?;
                if !guard.is_false() {
                    let marks = first.marks.union(Marks(second.marks.0.checked_shl(left.sets).unwrap_or(0)));
                    edges.push(Edge { to: number((first.to, second.to), &mut order), marks, guard });
                }
            }
        }
        states.push(edges);
    }
    Ok(Some(Graph { states, initial, sets: left.sets + right.sets }))
}
