//! Direct simulation, forwards and backwards, on automata with marks on edges [SB00], [BBD+13].
//!
//! `q` simulates `p` iff for each edge `p –a,m→ p'` and each letter there is an edge `q –a,n→ q'` with `m ⊆ n` where `q'`
//! simulates `p'`. States that simulate each other are merged, and an edge is not needed on letters where another leads
//! to a state that simulates its target. Backwards the same holds of incoming edges; there too marks are compared, and
//! an initial state is simulated by initial states only.
//!
//! Marks where no cycle is are chosen before and are not free during the comparison: a run may come through such edges
//! of many states in turn.

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Kernel};

use crate::automaton::StateId;
use crate::effort::{self, attempt};
use crate::graph::{Edge, Graph};
use crate::trim::{Basis, Fill, clean, saturate, trim};

/// The most comparisons of edges that one round of a simulation may need.
const MAX_WORK: usize = 4_000_000;

/// The automaton reduced by both simulations until neither helps, with the marks that there are and with as many as
/// there can be.
pub(crate) fn reduce(kernel: &mut Kernel, graph: &Graph, basis: Basis) -> Result<Graph, Exhausted> {
    let trimmed = trim(graph);
    let Some(reduced) = attempt(kernel, effort::STAGE, |kernel| alternate(kernel, &trimmed, basis))? else {
        return clean(kernel, &trimmed, basis, Fill::None);
    };
    let again = attempt(kernel, effort::STAGE, |kernel| {
        let saturated = saturate(kernel, &reduced, basis)?;
        alternate(kernel, &saturated, basis)
    })?;
    Ok(again.filter(|again| again.states.len() < reduced.states.len()).unwrap_or(reduced))
}

fn alternate(kernel: &mut Kernel, graph: &Graph, basis: Basis) -> Result<Graph, Exhausted> {
    let mut best = graph.clone();
    loop {
        let mut next = best.clone();
        for fill in [Fill::All, Fill::None] {
            next = clean(kernel, &next, basis, fill)?;
            next = trim(&forwards(kernel, &next)?);
            next = clean(kernel, &next, basis, fill)?;
            next = trim(&backwards(kernel, &next, basis)?);
        }
        let is_smaller = (next.states.len(), next.edges()) < (best.states.len(), best.edges());
        if !is_smaller {
            // The last round cleaned the marks, if nothing else.
            return Ok(if next.states.len() > best.states.len() { best } else { next });
        }
        best = next;
    }
}

/// Which states simulate which: `of[p][q]` iff `q` simulates `p`.
struct Relation {
    of: IndexVec<StateId, IndexVec<StateId, bool>>,
}

impl Relation {
    /// The least number of the states that are as good as each state.
    fn classes(&self) -> IndexVec<StateId, StateId> {
        let is_equal = |p: StateId, q: StateId| self.of[p][q] && self.of[q][p];
        let first = |p: StateId| self.of.ids().find(|&q| is_equal(p, q)).expect("a state is as good as itself");
        self.of.ids().map(first).collect()
    }
}

fn forwards(kernel: &mut Kernel, graph: &Graph) -> Result<Graph, Exhausted> {
    let Some(relation) = simulation(kernel, &graph.states, |_, _| true)? else { return Ok(graph.clone()) };
    let classes = relation.classes();
    let mut result = graph.clone();
    for state in graph.states.ids() {
        // Of states that are one, the first has what is needed.
        let edges: Vec<Edge> = match classes[state] == state {
            true => graph.states[state].iter().map(|&edge| Edge { to: classes[edge.to], ..edge }).collect(),
            false => Vec::new(),
        };
        result.set_edges(kernel, state, edges)?;
    }
    result.initial = graph.initial.iter().map(|&state| classes[state]).collect();
    result.initial.sort_unstable();
    result.initial.dedup();
    let initial = result.initial.clone();
    result.initial.retain(|&p| !initial.iter().any(|&q| p != q && relation.of[p][q]));
    let pruned = without_lesser(kernel, &result.states, &relation)?;
    result.states = pruned;
    Ok(result.reachable())
}

fn backwards(kernel: &mut Kernel, graph: &Graph, basis: Basis) -> Result<Graph, Exhausted> {
    let marks = |state: StateId| graph.states[state].first().map(|edge| edge.marks);
    let may_simulate = |p: StateId, q: StateId| {
        (!graph.initial.contains(&p) || graph.initial.contains(&q)) && (basis == Basis::Edges || marks(p) == marks(q))
    };
    let Some(relation) = simulation(kernel, &graph.incoming(), may_simulate)? else { return Ok(graph.clone()) };
    let classes = relation.classes();
    let mut merged = graph.clone();
    let mut edges: IndexVec<StateId, Vec<Edge>> = IndexVec::from_elem(Vec::new(), graph.states.len());
    for (state, out) in graph.states.iter_enumerated() {
        edges[classes[state]].extend(out.iter().map(|&edge| Edge { to: classes[edge.to], ..edge }));
    }
    for state in graph.states.ids() {
        let edges = std::mem::take(&mut edges[state]);
        merged.set_edges(kernel, state, edges)?;
    }
    merged.initial = graph.initial.iter().map(|&state| classes[state]).collect();
    merged.initial.sort_unstable();
    merged.initial.dedup();
    let pruned = without_lesser(kernel, &merged.incoming(), &relation)?;
    let mut result = merged.clone();
    let mut edges: IndexVec<StateId, Vec<Edge>> = IndexVec::from_elem(Vec::new(), graph.states.len());
    for (to, incoming) in pruned.iter_enumerated() {
        for &edge in incoming {
            edges[edge.to].push(Edge { to, ..edge });
        }
    }
    for state in graph.states.ids() {
        let edges = std::mem::take(&mut edges[state]);
        result.set_edges(kernel, state, edges)?;
    }
    Ok(result.reachable())
}

/// The greatest simulation inside `may_simulate`, on edges that leave states or that enter them; `None` where that is
/// too much work.
fn simulation(
    kernel: &mut Kernel,
    edges: &IndexVec<StateId, Vec<Edge>>,
    may_simulate: impl Fn(StateId, StateId) -> bool,
) -> Result<Option<Relation>, Exhausted> {
    let total: usize = edges.iter().map(Vec::len).sum();
    if total.saturating_mul(total) > MAX_WORK || edges.len() * edges.len() > MAX_WORK {
        return Ok(None);
    }
    let row = |p: StateId| edges.ids().map(|q| p == q || may_simulate(p, q)).collect();
    let mut relation = Relation { of: edges.ids().map(row).collect() };
    loop {
        let mut has_shrunk = false;
        kernel.budget().spend((edges.len() * edges.len()) as u64)?;
        for p in edges.ids() {
            for q in edges.ids() {
                if p != q && relation.of[p][q] && !is_matched(kernel, &edges[p], &edges[q], &relation)? {
                    relation.of[p][q] = false;
                    has_shrunk = true;
                }
            }
        }
        if !has_shrunk {
            return Ok(Some(relation));
        }
    }
}

/// Whether each of `lesser` is matched, letter by letter, by some of `greater`.
fn is_matched(kernel: &mut Kernel, lesser: &[Edge], greater: &[Edge], relation: &Relation) -> Result<bool, Exhausted> {
    for edge in lesser {
        let mut open = edge.guard;
        for other in greater {
            if other.marks.contains(edge.marks) && relation.of[edge.to][other.to] {
                open = kernel.diff(open, other.guard)?;
                if open.is_false() {
                    break;
                }
            }
        }
        if !open.is_false() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The edges without the letters on which another edge of the same state is at least as good.
///
/// # Requires
/// No two different states at ends of the edges simulate each other.
fn without_lesser(
    kernel: &mut Kernel,
    edges: &IndexVec<StateId, Vec<Edge>>,
    relation: &Relation,
) -> Result<IndexVec<StateId, Vec<Edge>>, Exhausted> {
    let mut result = IndexVec::new();
    for edges in edges {
        let mut kept = Vec::with_capacity(edges.len());
        for (place, &edge) in edges.iter().enumerate() {
            let mut guard = edge.guard;
            for (other_place, other) in edges.iter().enumerate() {
                let is_better =
                    other_place != place && other.marks.contains(edge.marks) && relation.of[edge.to][other.to];
                if is_better {
                    guard = kernel.diff(guard, other.guard)?;
                }
            }
            if guard != Bdd::FALSE {
                kept.push(Edge { guard, ..edge });
            }
        }
        result.push(kept);
    }
    Ok(result)
}
