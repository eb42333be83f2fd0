//! Runs that a Büchi automaton accepts: products, repeating heads [ES01, §2.2 and §4.2], \[EHRS00\].
//!
//! The product's control states are pairs `(p, q)`. A head is repeating if it can come back, perhaps with more below
//! it, after an accepting state; some accepted run exists iff a repeating head is reachable.
//!
//! Only infinite runs count: where no rule applies, or the stack is empty, there is none.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::components;
use crate::ltl::Formula;
use crate::ltl::buchi::{Buchi, BuchiState};
use crate::pushdown::automaton::{Automaton, pre_star, reachable_heads};
use crate::pushdown::{Configuration, Head, Label, Pds, Rule, State, Unfolded, unfold};

/// Whether `formula` holds on all infinite runs.
pub fn holds(pds: &Pds, formula: &Formula) -> bool {
    !has_accepted_run(pds, &Buchi::of(&formula.negated()))
}

/// Whether the automaton accepts some infinite run.
pub fn has_accepted_run(pds: &Pds, automaton: &Buchi) -> bool {
    let product = product(pds, automaton);
    // Of the rules, only those matter that can be used.
    let reachable: FxHashSet<Head> = reachable_heads(&product.pds).into_iter().collect();
    let mut pds = product.pds;
    pds.rules.retain(|rule| reachable.contains(&rule.from));
    !repeating_heads(&Product { pds, ..product }).is_empty()
}

/// A Büchi pushdown system.
pub struct Product {
    /// The system.
    pub pds: Pds,
    /// By control state, whether it is accepting.
    pub is_accepting: Vec<bool>,
}

/// The product of a system with an automaton, which reads the letter of each configuration that a run leaves.
pub fn product(pds: &Pds, automaton: &Buchi) -> Product {
    let rules = pds.rules_by_head();
    let initial = pds.initial.iter().map(|Configuration { state, stack }| ((*state, Buchi::INITIAL), stack.clone()));
    let step = |&(state, automaton_state): &(State, BuchiState), &symbol: &_| {
        let head = Head { state, symbol };
        let next: Vec<BuchiState> = match pds.label(head) {
            Label::Letter(letter) => automaton.successors(automaton_state, letter).collect(),
            Label::Silent => vec![automaton_state],
        };
        let rules = rules.get(&head).into_iter().flatten();
        rules.flat_map(|rule| next.iter().map(|next| ((rule.state, *next), rule.push.clone()))).collect()
    };
    let Unfolded { pds, states, .. } = unfold(initial, step, |_, _| Label::Silent);
    Product { pds, is_accepting: states.into_iter().map(|(_, state)| automaton.accepting[state.0]).collect() }
}

/// The repeating heads: those in a strongly connected component of the head graph with an edge that sees an accepting
/// state.
pub fn repeating_heads(product: &Product) -> Vec<Head> {
    let mut numbers: FxHashMap<Head, usize> = FxHashMap::default();
    let mut heads = Vec::new();
    for rule in &product.pds.rules {
        numbers.entry(rule.from).or_insert_with(|| {
            heads.push(rule.from);
            heads.len() - 1
        });
    }
    let mut successors = vec![Vec::new(); heads.len()];
    let mut accepting_edges = FxHashSet::default();
    for Edge { from, to, sees_accepting } in edges(product) {
        // Where no rule applies a run ends.
        let (Some(&from), Some(&to)) = (numbers.get(&from), numbers.get(&to)) else { continue };
        successors[from].push(to);
        if sees_accepting {
            accepting_edges.insert((from, to));
        }
    }
    let components = components(&successors);
    let is_good = |from: usize, to: usize| components[from] == components[to] && accepting_edges.contains(&(from, to));
    let mut good = FxHashSet::default();
    for (from, row) in successors.iter().enumerate() {
        if row.iter().any(|to| is_good(from, *to)) {
            good.insert(components[from]);
        }
    }
    (0..heads.len()).filter(|number| good.contains(&components[*number])).map(|number| heads[number]).collect()
}

/// `⟨from⟩ ⇒ ⟨to, v⟩` for some `v`, of which nothing is popped until the next edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Edge {
    from: Head,
    to: Head,
    /// Whether a state that is left on the way is accepting.
    sees_accepting: bool,
}

/// The edges of the head graph.
fn edges(product: &Product) -> Vec<Edge> {
    let pops = pops(product);
    let mut edges = FxHashSet::default();
    let mut found = Vec::new();
    let mut add = |edge| {
        if edges.insert(edge) {
            found.push(edge);
        }
    };
    for Rule { from, state, push } in &product.pds.rules {
        let (from, is_accepting) = (*from, product.is_accepting[from.state.0]);
        let Some(&top) = push.first() else { continue };
        let top = Head { state: *state, symbol: top };
        add(Edge { from, to: top, sees_accepting: is_accepting });
        if let [_, below] = push[..] {
            for (state, has_seen) in pops.get(&top).into_iter().flatten() {
                let to = Head { state: *state, symbol: below };
                add(Edge { from, to, sees_accepting: is_accepting || *has_seen });
            }
        }
    }
    found
}

/// By head, the states `p` with `⟨head⟩ ⇒ ⟨p, ε⟩`, and whether a state that is left on the way is accepting.
///
/// That is `pre*` of the empty stacks, in a system whose states remember whether they have seen an accepting one.
fn pops(product: &Product) -> FxHashMap<Head, Vec<(State, bool)>> {
    let Product { pds, is_accepting } = product;
    let remember = |state: State, has_seen: bool| State(state.0 * 2 + usize::from(has_seen));
    let mut remembering = Pds { states: pds.states * 2, symbols: pds.symbols, ..Pds::default() };
    for Rule { from, state, push } in &pds.rules {
        for has_seen in [false, true] {
            let next = has_seen || is_accepting[from.state.0];
            let from = Head { state: remember(from.state, has_seen), symbol: from.symbol };
            remembering.rules.push(Rule { from, state: remember(*state, next), push: push.clone() });
        }
    }
    let mut pops: FxHashMap<Head, Vec<(State, bool)>> = FxHashMap::default();
    let saturated = pre_star(&remembering, &Automaton::empty(remembering.states));
    for state in (0..pds.states).map(State) {
        for (symbol, target) in saturated.leaving(remember(state, false).into()) {
            let end = (State(target.0 / 2), target.0 % 2 == 1);
            pops.entry(Head { state, symbol: *symbol }).or_default().push(end);
        }
    }
    pops
}
