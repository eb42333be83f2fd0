//! `pre*(C)`: the configurations from which a regular set of them can be reached [ES01, §4.1], Algorithm 1.
//!
//! A node from which its activation can return leads to the state `⟨f returns, (g, r)⟩` of kind [`Kind::Returned`], and
//! a pending call of `f` leads on from there, if what the caller does afterwards reaches the set. Deviates from
//! Algorithm 1: the pop rule of `f` becomes a transition when such a pending call is first found, so procedures that
//! nothing waits for are not looked at backwards.
//!
//! **Invariant:** `fresh` is disjoint from what is in `found`; a node is on the worklist iff it has something fresh.

use crate::automaton::{Automaton, AutomatonId, Kind, Place, State};
use crate::post_star::merge;
use crate::rules::{Code, Rules};
use crate::space::Space;
use hardbop_base::{Exhausted, Idx, IndexVec};
use hardbop_bdd::{Bdd, PlanId};
use hardbop_icfg::{CallOrder, EdgeId, EdgeKind, NodeId, ProcId};
use hardbop_pushdown::worklist::Worklist;
use std::collections::BTreeMap;

impl Space<'_> {
    /// The configurations from which one of `set` can be reached.
    pub fn pre_star(&mut self, set: AutomatonId) -> Result<AutomatonId, Exhausted> {
        let icfg = &self.program.icfg;
        let mut found = self.automata[set].clone();
        let tops = std::mem::replace(&mut found.tops, IndexVec::from_elem(BTreeMap::new(), icfg.nodes.len()));
        let mut saturation = PreStar {
            worklist: Worklist::new(icfg, &CallOrder::new(icfg)),
            fresh: found.tops.clone(),
            is_popped: IndexVec::from_elem(false, icfg.procs.len()),
            turns: IndexVec::from_elem(None, icfg.procs.len()),
            found,
            space: self,
        };
        for (node, row) in tops.iter_enumerated() {
            for (&state, &label) in row {
                saturation.add(node, state, label)?;
            }
        }
        while let Some(node) = saturation.worklist.pop() {
            saturation.tidy();
            saturation.visit(node)?;
        }
        let found = saturation.found;
        Ok(self.add(found))
    }
}

struct PreStar<'s, 'a> {
    space: &'s mut Space<'a>,
    found: Automaton,
    /// The transitions on top that have not been looked at.
    fresh: IndexVec<NodeId, BTreeMap<State, Bdd>>,
    /// Whether the pop rule of a procedure is a transition already.
    is_popped: IndexVec<ProcId, bool>,
    turns: IndexVec<ProcId, Option<PlanId>>,
    worklist: Worklist,
}

impl PreStar<'_, '_> {
    fn visit(&mut self, node: NodeId) -> Result<(), Exhausted> {
        self.space.visits += 1;
        let icfg = &self.space.program.icfg;
        let proc = icfg.nodes[node].proc;
        for (state, label) in std::mem::take(&mut self.fresh[node]) {
            merge(self.space, self.found.tops[node].entry(state).or_insert(Bdd::FALSE), label)?;
            for &edge in icfg.predecessors(node) {
                match self.space.rules(edge)? {
                    Rules::Step(code) => {
                        let label = self.backwards(label, code)?;
                        self.add(icfg.edges[edge].from, state, label)?;
                    }
                    Rules::Call { leave, .. } => {
                        let label = self.backwards(label, leave)?;
                        self.wait(edge, state, label)?;
                    }
                }
            }
            if icfg.procs[proc].entry == node {
                for &edge in icfg.callers(proc) {
                    let leaving: Vec<(State, Bdd)> = self.found.leaving(state, edge).collect();
                    for (below, pending) in leaving {
                        self.uncall(edge, label, pending, below)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, node: NodeId, state: State, label: Bdd) -> Result<(), Exhausted> {
        let known = self.found.tops[node].get(&state).copied().unwrap_or(Bdd::FALSE);
        let new = self.space.kernel.diff(label, known)?;
        if !new.is_false() {
            merge(self.space, self.fresh[node].entry(state).or_insert(Bdd::FALSE), new)?;
            self.worklist.push(node);
        }
        Ok(())
    }

    fn backwards(&mut self, label: Bdd, code: Code) -> Result<Bdd, Exhausted> {
        let after = self.space.kernel.transform(label, code.shift)?;
        self.space.kernel.image(after, code.relation, code.back)
    }

    /// Adds the transition of the pending call `edge` from "the callee returns" to `below`.
    fn wait(&mut self, edge: EdgeId, below: State, label: Bdd) -> Result<(), Exhausted> {
        let icfg = &self.space.program.icfg;
        let EdgeKind::Call { callee, .. } = icfg.edges[edge].kind else { unreachable!("it is a call") };
        let returned = State { proc: callee, kind: Kind::Returned, place: Place::from_usize(0) };
        let known = self.found.pending[edge].get(&(returned, below)).copied().unwrap_or(Bdd::FALSE);
        let new = self.space.kernel.diff(label, known)?;
        if new.is_false() {
            return Ok(());
        }
        merge(self.space, self.found.pending[edge].entry((returned, below)).or_insert(Bdd::FALSE), new)?;
        if !std::mem::replace(&mut self.is_popped[callee], true) {
            let outputs = self.space.outputs[callee].clone();
            let label = self.space.identity(&outputs)?;
            self.add(icfg.procs[callee].exit, returned, label)?;
        }
        if let Some(&top) = self.found.tops[icfg.procs[callee].entry].get(&returned) {
            self.uncall(edge, top, new, below)?;
        }
        Ok(())
    }

    /// Joins a transition at the callee's entry with one of the pending call, and goes back before the call.
    fn uncall(&mut self, edge: EdgeId, top: Bdd, pending: Bdd, below: State) -> Result<(), Exhausted> {
        let from = self.space.program.icfg.edges[edge];
        let EdgeKind::Call { callee, .. } = from.kind else { unreachable!("it is a call") };
        let Rules::Call { enter, .. } = self.space.rules(edge)? else { unreachable!("it is a call") };
        let turn = match self.turns[callee] {
            Some(turn) => turn,
            None => {
                let inputs = self.space.inputs[callee].clone();
                *self.turns[callee].insert(self.space.turn(&inputs))
            }
        };
        let top = self.space.kernel.transform(top, turn)?;
        let joined = self.space.kernel.image(top, pending, self.space.plans.compose)?;
        let label = self.backwards(joined, enter)?;
        self.add(from.from, below, label)
    }

    fn tidy(&mut self) {
        let held = self.fresh.iter().flat_map(|row| row.values().copied());
        self.space.tidy(held.chain(self.found.roots()));
    }
}
