//! Runs with explicit stacks, within limits.

use std::collections::{BTreeMap, BTreeSet};

use hardbop_testkit::ltl::buchi::{Buchi, BuchiState};
use hardbop_testkit::ltl::word::Lasso;
use hardbop_testkit::pushdown::{Configuration, Label, Pds};

/// The highest stack.
pub const HEIGHT: usize = 7;
/// The most configurations.
pub const VISITS: usize = 3_000;

/// Configurations that can be reached.
pub struct Reached {
    pub configurations: BTreeSet<Configuration>,
    /// Whether no limit was met.
    pub is_complete: bool,
}

/// What can be reached from `start`.
pub fn reach(pds: &Pds, start: &[Configuration]) -> Reached {
    let mut reached = Reached { configurations: start.iter().cloned().collect(), is_complete: true };
    let mut pending: Vec<Configuration> = start.to_vec();
    while let Some(configuration) = pending.pop() {
        for next in pds.successors(&configuration) {
            if next.stack.len() > HEIGHT || reached.configurations.len() > VISITS {
                reached.is_complete = false;
            } else if reached.configurations.insert(next.clone()) {
                pending.push(next);
            }
        }
    }
    reached
}

/// Runs that repeat themselves, with their words: all that need no more than `length` steps, up to `most` of them.
///
/// A run repeats itself from a configuration on if its head comes again and nothing below it was touched in between;
/// what was pushed meanwhile stays.
pub fn lassos(pds: &Pds, length: usize, most: usize) -> Vec<Lasso> {
    let mut found = Vec::new();
    for start in &pds.initial {
        extend(pds, &mut vec![start.clone()], length, most, &mut found);
    }
    found
}

fn extend(pds: &Pds, run: &mut Vec<Configuration>, length: usize, most: usize, found: &mut Vec<Lasso>) {
    let last = run[run.len() - 1].clone();
    for (place, before) in run[..run.len() - 1].iter().enumerate() {
        let untouched = before.stack.len().saturating_sub(1);
        let is_kept = run[place..].iter().all(|between| between.stack.len() > untouched);
        if before.head().is_some() && before.head() == last.head() && is_kept {
            let cycle = word(pds, &run[place..run.len() - 1]);
            if !cycle.is_empty() && found.len() < most {
                found.push(Lasso { stem: word(pds, &run[..place]), cycle });
            }
        }
    }
    if run.len() <= length && found.len() < most {
        for next in pds.successors(&last) {
            run.push(next);
            extend(pds, run, length, most, found);
            run.pop();
        }
    }
}

fn word(pds: &Pds, run: &[Configuration]) -> Vec<hardbop_testkit::ltl::Letter> {
    let labels = run.iter().map(|configuration| pds.label(configuration.head().expect("a run has heads")));
    let letters = labels.filter_map(|label| match label {
        Label::Letter(letter) => Some(letter),
        Label::Silent => None,
    });
    letters.collect()
}

type Node = (Configuration, BuchiState);

/// Whether the automaton accepts an infinite run, by nested depth-first search over configurations.
///
/// # Requires
/// There are finitely many configurations, and few.
pub fn accepts_some_run(pds: &Pds, automaton: &Buchi) -> bool {
    let mut search = Nested { pds, automaton, outer: BTreeMap::new(), inner: BTreeSet::new() };
    pds.initial.iter().any(|start| search.visit((start.clone(), Buchi::INITIAL)))
}

struct Nested<'p> {
    pds: &'p Pds,
    automaton: &'p Buchi,
    /// Whether a node that was seen is on the path of the outer search.
    outer: BTreeMap<Node, bool>,
    inner: BTreeSet<Node>,
}

impl Nested<'_> {
    fn visit(&mut self, node: Node) -> bool {
        if self.outer.contains_key(&node) {
            return false;
        }
        self.outer.insert(node.clone(), true);
        for next in self.successors(&node) {
            if self.visit(next) {
                return true;
            }
        }
        let is_found = self.automaton.accepting[node.1.0] && self.comes_back(&node);
        self.outer.insert(node, false);
        is_found
    }

    /// Whether `node` can be reached from `node` in a step or more, without what earlier inner searches saw.
    fn comes_back(&mut self, node: &Node) -> bool {
        let mut pending = self.successors(node);
        while let Some(next) = pending.pop() {
            if next == *node {
                return true;
            }
            if self.inner.insert(next.clone()) {
                pending.extend(self.successors(&next));
            }
        }
        false
    }

    fn successors(&self, (configuration, state): &Node) -> Vec<Node> {
        let Some(head) = configuration.head() else { return Vec::new() };
        let states: Vec<BuchiState> = match self.pds.label(head) {
            Label::Letter(letter) => self.automaton.successors(*state, letter).collect(),
            Label::Silent => vec![*state],
        };
        let next = self.pds.successors(configuration);
        next.into_iter().flat_map(|next| states.iter().map(move |state| (next.clone(), *state))).collect()
    }
}
