//! Intersections, and automata without transitions that lead nowhere.
//!
//! A state of the product is a pair of states with the datum of the left one; the right automaton's states have none.
//! Every transition of the result is part of a configuration in it, up to and with the values: so the set is empty iff
//! the automaton has no transitions.

use crate::automaton::{Automaton, AutomatonId, Kind, Place, State};
use crate::post_star::merge;
use crate::space::Space;
use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::Bdd;
use hardbop_icfg::EdgeId;
use std::collections::{BTreeMap, BTreeSet};

impl Space<'_> {
    /// The configurations that are in both sets.
    ///
    /// # Requires
    /// All states of `right` are of kind [`Kind::Below`].
    pub fn intersect(&mut self, left: AutomatonId, right: AutomatonId) -> Result<AutomatonId, Exhausted> {
        let (left, right) = (self.automata[left].clone(), self.automata[right].clone());
        let result = self.empty();
        let pairs = BTreeMap::new();
        let mut product =
            Product { space: self, left, right, result, pairs, data: BTreeMap::new(), waiting: Vec::new() };
        product.tops()?;
        while let Some(pair) = product.waiting.pop() {
            product.visit(pair)?;
        }
        let mut result = product.result;
        self.trim(&mut result)?;
        Ok(self.add(result))
    }

    /// Whether no configuration is in both sets.
    ///
    /// # Requires
    /// All states of `right` are of kind [`Kind::Below`].
    pub fn are_disjoint(&mut self, left: AutomatonId, right: AutomatonId) -> Result<bool, Exhausted> {
        let both = self.intersect(left, right)?;
        Ok(self.automata[both].has_no_top())
    }

    /// Drops what does not lead to a final state.
    fn trim(&mut self, automaton: &mut Automaton) -> Result<(), Exhausted> {
        let useful = self.useful(automaton)?;
        let aimed = |space: &mut Self, state: &State| match useful.get(state) {
            Some(&data) => space.kernel.transform(data, space.plans.aim),
            None => Ok(Bdd::FALSE),
        };
        for row in automaton.tops.iter_mut() {
            for (state, label) in row.iter_mut() {
                let aimed = aimed(self, state)?;
                *label = self.kernel.and(*label, aimed)?;
            }
            row.retain(|_, label| !label.is_false());
        }
        for row in automaton.pending.iter_mut() {
            for ((_, state), label) in row.iter_mut() {
                let aimed = aimed(self, state)?;
                *label = self.kernel.and(*label, aimed)?;
            }
            row.retain(|_, label| !label.is_false());
        }
        Ok(())
    }

    /// For each state, the data (as a source) with which a final state can be reached.
    fn useful(&mut self, automaton: &Automaton) -> Result<BTreeMap<State, Bdd>, Exhausted> {
        let mut into: BTreeMap<State, Vec<(State, Bdd)>> = BTreeMap::new();
        for row in &automaton.pending {
            for (&(from, to), &label) in row {
                into.entry(to).or_default().push((from, label));
            }
        }
        let mut useful: BTreeMap<State, Bdd> = automaton.finals.iter().map(|&state| (state, Bdd::TRUE)).collect();
        let mut waiting: BTreeSet<State> = automaton.finals.clone();
        while let Some(state) = waiting.pop_first() {
            let aimed = self.kernel.transform(useful[&state], self.plans.aim)?;
            for &(from, label) in into.get(&state).into_iter().flatten() {
                let data = self.kernel.image(label, aimed, self.plans.source)?;
                let known = useful.entry(from).or_insert(Bdd::FALSE);
                let more = self.kernel.or(*known, data)?;
                if more != *known {
                    *known = more;
                    waiting.insert(from);
                }
            }
        }
        Ok(useful)
    }
}

type Pair = (State, State);

struct Product<'s, 'a> {
    space: &'s mut Space<'a>,
    left: Automaton,
    right: Automaton,
    result: Automaton,
    pairs: BTreeMap<Pair, State>,
    /// For each pair, the left state's data that can be met there, and those among them that have not been followed.
    data: BTreeMap<Pair, (Bdd, Bdd)>,
    waiting: Vec<Pair>,
}

impl Product<'_, '_> {
    fn tops(&mut self) -> Result<(), Exhausted> {
        for node in self.left.tops.ids() {
            for (left, one) in self.left.tops[node].clone() {
                for (right, other) in self.right.tops[node].clone() {
                    let label = self.space.kernel.and(one, other)?;
                    if !label.is_false() {
                        let state = self.reach((left, right), label)?;
                        self.result.tops[node].insert(state, label);
                    }
                }
            }
        }
        Ok(())
    }

    fn visit(&mut self, pair: Pair) -> Result<(), Exhausted> {
        let program = self.space.program;
        let Some((_, fresh)) = self.data.get_mut(&pair) else { return Ok(()) };
        let fresh = std::mem::replace(fresh, Bdd::FALSE);
        for &edge in program.icfg.callers(pair.0.proc) {
            self.follow(pair, edge, fresh)?;
        }
        Ok(())
    }

    fn follow(&mut self, pair: Pair, edge: EdgeId, data: Bdd) -> Result<(), Exhausted> {
        let ones: Vec<_> = self.left.leaving(pair.0, edge).collect();
        let others: Vec<_> = self.right.leaving(pair.1, edge).collect();
        for &(left, one) in &ones {
            let one = self.space.kernel.and(one, data)?;
            for &(right, other) in &others {
                let label = self.space.kernel.and(one, other)?;
                if !label.is_false() {
                    let (from, to) = (self.pairs[&pair], self.reach((left, right), label)?);
                    merge(self.space, self.result.pending[edge].entry((from, to)).or_insert(Bdd::FALSE), label)?;
                }
            }
        }
        Ok(())
    }

    /// The state of a pair, which a transition with this label leads to.
    fn reach(&mut self, pair: Pair, label: Bdd) -> Result<State, Exhausted> {
        assert_eq!(pair.1.kind, Kind::Below, "the right automaton's states have no data");
        let fresh = Place::from_usize(self.pairs.len());
        let state = *self.pairs.entry(pair).or_insert(State { place: fresh, ..pair.0 });
        if self.left.finals.contains(&pair.0) && self.right.finals.contains(&pair.1) {
            self.result.finals.insert(state);
        }
        let data = self.space.kernel.transform(label, self.space.plans.advance)?;
        let (known, fresh) = self.data.entry(pair).or_insert((Bdd::FALSE, Bdd::FALSE));
        let new = self.space.kernel.diff(data, *known)?;
        if !new.is_false() {
            if fresh.is_false() {
                self.waiting.push(pair);
            }
            *known = self.space.kernel.or(*known, new)?;
            *fresh = self.space.kernel.or(*fresh, new)?;
        }
        Ok(state)
    }
}
