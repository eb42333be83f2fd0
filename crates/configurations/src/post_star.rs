//! `post*(C)`: the configurations that can be reached from a regular set of them [ES01, §4.3], Algorithm 2.
//!
//! An activation of `f` that a call has entered lies above the state `⟨entry f, (g, l)⟩` of kind [`Kind::Entered`].
//! Deviates from Algorithm 2: such a state comes to be when its globals and arguments are first met, not for all of them
//! at once; what each holds of the callee's locals is only what callers give. ε-transitions `⟨f returns⟩ → q` have their
//! own table, and since the pop and the way back are one move here, they are only ever joined with the calls of `f`.
//!
//! **Invariant:** `fresh` is disjoint from what is in `found`; a node is on the worklist iff it has something fresh.

use crate::automaton::{Automaton, AutomatonId, Kind, Place, State};
use crate::rules::Rules;
use crate::space::Space;
use hardbop_base::{Exhausted, Idx, IndexVec};
use hardbop_bdd::{Bdd, PlanId};
use hardbop_icfg::{CallOrder, EdgeId, EdgeKind, NodeId, ProcId};
use hardbop_pushdown::worklist::Worklist;
use std::collections::BTreeMap;

impl Space<'_> {
    /// The configurations that can be reached from those of `set`.
    pub fn post_star(&mut self, set: AutomatonId) -> Result<AutomatonId, Exhausted> {
        let icfg = &self.program.icfg;
        let procs = icfg.procs.len();
        let mut found = self.automata[set].clone();
        let tops = std::mem::replace(&mut found.tops, IndexVec::from_elem(BTreeMap::new(), icfg.nodes.len()));
        let mut saturation = PostStar {
            worklist: Worklist::new(icfg, &CallOrder::new(icfg)),
            fresh: found.tops.clone(),
            returned: IndexVec::from_elem(BTreeMap::new(), procs),
            entered: IndexVec::from_elem(Bdd::FALSE, procs),
            identities: IndexVec::from_elem(None, procs),
            turns: IndexVec::from_elem(None, procs),
            entered_place: Place::from_usize(0),
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

struct PostStar<'s, 'a> {
    space: &'s mut Space<'a>,
    found: Automaton,
    /// The transitions on top that have not been looked at.
    fresh: IndexVec<NodeId, BTreeMap<State, Bdd>>,
    /// The ε-transitions of each procedure's return: what it returns with in the middle, the state's datum as a source.
    returned: IndexVec<ProcId, BTreeMap<State, Bdd>>,
    /// What each procedure has been entered with, as a source.
    entered: IndexVec<ProcId, Bdd>,
    identities: IndexVec<ProcId, Option<Bdd>>,
    turns: IndexVec<ProcId, Option<PlanId>>,
    entered_place: Place,
    worklist: Worklist,
}

impl PostStar<'_, '_> {
    fn visit(&mut self, node: NodeId) -> Result<(), Exhausted> {
        self.space.visits += 1;
        let program = self.space.program;
        for (state, label) in std::mem::take(&mut self.fresh[node]) {
            merge(self.space, self.found.tops[node].entry(state).or_insert(Bdd::FALSE), label)?;
            for &edge in program.icfg.successors(node) {
                match program.icfg.edges[edge].kind {
                    EdgeKind::Step { to } => {
                        let Rules::Step(code) = self.space.rules(edge)? else { unreachable!("it is a step") };
                        let label = self.space.kernel.image(label, code.relation, code.forward)?;
                        self.add(to, state, label)?;
                    }
                    EdgeKind::Call { callee, .. } => self.call(edge, callee, state, label)?,
                    EdgeKind::Return => self.pop(program.icfg.nodes[node].proc, state, label)?,
                }
            }
        }
        Ok(())
    }

    /// Adds a transition on top.
    fn add(&mut self, node: NodeId, state: State, label: Bdd) -> Result<(), Exhausted> {
        let known = self.found.tops[node].get(&state).copied().unwrap_or(Bdd::FALSE);
        let new = self.space.kernel.diff(label, known)?;
        if !new.is_false() {
            merge(self.space, self.fresh[node].entry(state).or_insert(Bdd::FALSE), new)?;
            self.worklist.push(node);
        }
        Ok(())
    }

    /// `⟨n⟩ ↪ ⟨entry e⟩`
    fn call(&mut self, edge: EdgeId, callee: ProcId, state: State, label: Bdd) -> Result<(), Exhausted> {
        let Rules::Call { enter, .. } = self.space.rules(edge)? else { unreachable!("it is a call") };
        let label = self.space.kernel.image(label, enter.relation, enter.forward)?;
        let entered = State { proc: callee, kind: Kind::Entered, place: self.entered_place };
        let known = self.found.pending[edge].entry((entered, state)).or_insert(Bdd::FALSE);
        let new = self.space.kernel.diff(label, *known)?;
        if new.is_false() {
            return Ok(());
        }
        *known = self.space.kernel.or(*known, new)?;
        self.enter(callee, entered, new)?;
        if let Some(&returned) = self.returned[callee].get(&entered) {
            self.come_back(edge, returned, new, state)?;
        }
        Ok(())
    }

    /// The callee's entry with what `pending`, which leaves `entered`, enters it with.
    fn enter(&mut self, callee: ProcId, entered: State, pending: Bdd) -> Result<(), Exhausted> {
        let data = self.space.kernel.transform(pending, self.space.plans.source)?;
        let new = self.space.kernel.diff(data, self.entered[callee])?;
        if new.is_false() {
            return Ok(());
        }
        merge(self.space, &mut self.entered[callee], new)?;
        let identity = match self.identities[callee] {
            Some(identity) => identity,
            None => {
                let inputs = self.space.inputs[callee].clone();
                *self.identities[callee].insert(self.space.identity(&inputs)?)
            }
        };
        let target = self.space.kernel.transform(new, self.space.plans.aim)?;
        let label = self.space.kernel.and(identity, target)?;
        self.add(self.space.program.icfg.procs[callee].entry, entered, label)
    }

    /// `⟨n⟩ ↪ ⟨ε⟩` at the exit of `proc`.
    fn pop(&mut self, proc: ProcId, state: State, label: Bdd) -> Result<(), Exhausted> {
        let turn = match self.turns[proc] {
            Some(turn) => turn,
            None => {
                let outputs = self.space.outputs[proc].clone();
                *self.turns[proc].insert(self.space.turn(&outputs))
            }
        };
        let label = self.space.kernel.transform(label, turn)?;
        let known = self.returned[proc].entry(state).or_insert(Bdd::FALSE);
        let new = self.space.kernel.diff(label, *known)?;
        if new.is_false() {
            return Ok(());
        }
        *known = self.space.kernel.or(*known, new)?;
        let program = self.space.program;
        for &edge in program.icfg.callers(proc) {
            let leaving: Vec<(State, Bdd)> = self.found.leaving(state, edge).collect();
            for (below, pending) in leaving {
                self.come_back(edge, new, pending, below)?;
            }
        }
        Ok(())
    }

    /// Joins a return with a pending call: the caller goes on above `below`.
    fn come_back(&mut self, edge: EdgeId, returned: Bdd, pending: Bdd, below: State) -> Result<(), Exhausted> {
        let EdgeKind::Call { to, .. } = self.space.program.icfg.edges[edge].kind else { unreachable!("it is a call") };
        let Rules::Call { leave, .. } = self.space.rules(edge)? else { unreachable!("it is a call") };
        let label = self.space.kernel.image(returned, pending, self.space.plans.compose)?;
        let label = self.space.kernel.image(label, leave.relation, leave.forward)?;
        self.add(to, below, label)
    }

    fn tidy(&mut self) {
        let rows = self.fresh.iter().chain(self.returned.iter()).flat_map(|row| row.values());
        let held = rows.chain(self.entered.iter()).chain(self.identities.iter().flatten());
        self.space.tidy(held.copied().chain(self.found.roots()));
    }
}

/// `known ← known ∪ more`.
pub(super) fn merge(space: &mut Space<'_>, known: &mut Bdd, more: Bdd) -> Result<(), Exhausted> {
    *known = space.kernel.or(*known, more)?;
    Ok(())
}
