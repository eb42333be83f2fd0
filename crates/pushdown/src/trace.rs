//! From a goal that has been reached to a run that reaches it.
//!
//! The run is hierarchical [BR00, §3.2]. [`rings`] finds its length, [`follow`] walks back through the rings and picks a
//! state in each, [`lemma`] finds for each call that was crossed a run of the callee, and [`need`] forgets the values
//! that nothing rests on.
//!
//! With the rings of a breadth-first search over complete summaries the run is a shortest one. Where that search meets
//! its allowance, the additions of the analysis itself, in the order of time, serve as rings.

mod follow;
mod lemma;
mod moves;
mod need;
mod rings;

use crate::encode::{Code, Copy};
use crate::flow::{BlockKind, Flow};
use crate::summaries::{Addition, CallState, Saturation};
use follow::Target;
use hardbop_base::{Exhausted, Idx, IndexVec};
use hardbop_bdd::{Bdd, Fate, Kernel, Level, PlanId};
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, ProcId, SlotId, SlotSet};
use hardbop_verdict::{Length, SubTrace, SubTraceId, Witness};
use rings::{Extent, Rings, Spread};
use std::collections::HashMap;

/// Finds runs in what a saturation has computed.
pub struct Tracer<'s, 'a> {
    saturation: &'s mut Saturation<'a>,
    flow: &'a Flow,
    codes: HashMap<EdgeId, Code>,
    calls: HashMap<EdgeId, CallState>,
    /// Effects of recursive calls by summaries known before a time.
    early_effects: HashMap<(EdgeId, u64), Bdd>,
    /// The sets of the search from the start of the program.
    kept: Vec<Bdd>,
    /// The states inside of blocks that runs went through, by their distance.
    inside: HashMap<(NodeId, u64), Bdd>,
    /// All states at a node.
    all: HashMap<NodeId, Bdd>,
    subtraces: IndexVec<SubTraceId, SubTrace>,
    of_proc: HashMap<ProcId, Vec<SubTraceId>>,
}

impl<'s, 'a> Tracer<'s, 'a> {
    /// A tracer over what `saturation` has found so far.
    pub fn new(saturation: &'s mut Saturation<'a>) -> Self {
        let blocks = saturation.flow.blocks.iter().zip(&saturation.calls);
        let calls = blocks.filter_map(|(block, call)| match block.kind {
            BlockKind::Call { edge, .. } => Some((edge, (*call)?)),
            BlockKind::Steps { .. } => None,
        });
        let calls = calls.collect();
        Self {
            flow: saturation.flow,
            saturation,
            codes: HashMap::new(),
            calls,
            early_effects: HashMap::new(),
            kept: Vec::new(),
            inside: HashMap::new(),
            all: HashMap::new(),
            subtraces: IndexVec::new(),
            of_proc: HashMap::new(),
        }
    }

    /// Calls `found` with a run with the fewest moves, given the summaries that are known, for each of `goals` that they
    /// lead to: the nearest first.
    pub fn shortest(
        &mut self,
        goals: &[usize],
        length: Length,
        mut found: impl FnMut(usize, Witness),
    ) -> Result<(), Exhausted> {
        let setting = self.saturation.setting;
        let mut leads = self.leads_to(goals);
        let start = (setting.program.icfg.procs[setting.program.entry].entry, self.saturation.encoder.initial()?);
        let mut spread = Spread::new(start, (NodeId::from_usize(0), setting.program.icfg.nodes.next_id()));
        let mut open = goals.to_vec();
        loop {
            let (mut met, mut further) = (Vec::new(), Vec::with_capacity(open.len()));
            for goal in open {
                match self.met(goal, &spread)? {
                    Some(target) => met.push((goal, target)),
                    None => further.push(goal),
                }
            }
            open = further;
            if !met.is_empty() {
                self.kept = spread.sets().chain(met.iter().map(|(_, target)| target.states)).collect();
                for (goal, target) in met {
                    let run = self.follow(Extent::Program, target, &spread.rings, start)?;
                    found(goal, self.assemble(goal, run, length)?);
                }
                leads = self.leads_to(&open);
            }
            if open.is_empty() || spread.frontier.is_empty() {
                return Ok(());
            }
            self.advance(Extent::Program, &mut spread, &|node| leads[node])?;
            self.tidy(spread.sets());
        }
    }

    /// The states of the newest ring that meet a goal.
    fn met(&mut self, goal: usize, spread: &Spread) -> Result<Option<Target>, Exhausted> {
        let node = self.saturation.setting.goals[goal].node;
        let Some(&states) = spread.frontier.get(&node) else { return Ok(None) };
        let condition = self.saturation.condition(goal);
        let states = self.kernel().and(states, condition)?;
        Ok((!states.is_false()).then_some(Target { node, states, time: spread.distance }))
    }

    /// A run to goal number `goal` by way of the analysis' own additions.
    ///
    /// # Requires
    /// The saturation has reached the goal, without chains, and kept its history.
    pub fn recorded(&mut self, goal: usize) -> Result<Witness, Exhausted> {
        let setting = self.saturation.setting;
        let node = setting.goals[goal].node;
        let start = (setting.program.icfg.procs[setting.program.entry].entry, self.saturation.encoder.initial()?);
        let condition = self.saturation.condition(goal);
        let rings = Rings::of_history(self.saturation.history.iter().cloned().collect());
        for &Addition { time, states } in rings.of(node) {
            let states = self.kernel().and(states, condition)?;
            if !states.is_false() {
                let run = self.follow(Extent::Program, Target { node, states, time }, &rings, start)?;
                return self.assemble(goal, run, Length::PerhapsNotShortest);
            }
        }
        unreachable!("the history of a goal that was reached has a state that meets it")
    }

    /// The nodes that can lead to one of `goals` without a return from the procedure that they are in.
    fn leads_to(&self, goals: &[usize]) -> IndexVec<NodeId, bool> {
        let setting = self.saturation.setting;
        let icfg = &setting.program.icfg;
        let mut leads = IndexVec::from_elem(false, icfg.nodes.len());
        let mut stack: Vec<NodeId> = goals.iter().map(|&goal| setting.goals[goal].node).collect();
        stack.iter().for_each(|&node| leads[node] = true);
        while let Some(node) = stack.pop() {
            let proc = icfg.nodes[node].proc;
            let is_entry = icfg.procs[proc].entry == node;
            let callers = if is_entry { icfg.callers(proc) } else { &[] };
            for &edge in icfg.predecessors(node).iter().chain(callers) {
                let from = icfg.edges[edge].from;
                if !std::mem::replace(&mut leads[from], true) {
                    stack.push(from);
                }
            }
        }
        leads
    }

    fn kernel(&mut self) -> &mut Kernel {
        &mut self.saturation.encoder.kernel
    }

    fn step_code(&mut self, edge: EdgeId) -> Result<Code, Exhausted> {
        if let Some(&code) = self.codes.get(&edge) {
            return Ok(code);
        }
        let at = self.saturation.setting.program.icfg.edges[edge];
        let EdgeKind::Step { to } = at.kind else { unreachable!("the edge is a step") };
        let code = self.saturation.encoder.steps(at.from, &[edge], to)?;
        self.codes.insert(edge, code);
        Ok(code)
    }

    /// The state of a call that the analysis has visited.
    fn call(&self, edge: EdgeId) -> Option<CallState> {
        self.calls.get(&edge).copied()
    }

    /// The effect of a call within `extent`, and the plan to apply it by.
    fn effect(&mut self, edge: EdgeId, extent: Extent) -> Result<Option<(Bdd, PlanId)>, Exhausted> {
        let Some(call) = self.call(edge) else { return Ok(None) };
        let Some(rank) = self.rank_within(edge, extent) else { return Ok(Some((call.effect, call.code.apply))) };
        if let Some(&effect) = self.early_effects.get(&(edge, rank)) {
            return Ok(Some((effect, call.code.apply)));
        }
        let summary = self.summary(edge, extent)?;
        let effect = crate::summaries::lift(&mut self.saturation.encoder, &call.code, summary)?;
        self.early_effects.insert((edge, rank), effect);
        Ok(Some((effect, call.code.apply)))
    }

    /// The summary that a call may be crossed by within `extent`.
    fn summary(&mut self, edge: EdgeId, extent: Extent) -> Result<Bdd, Exhausted> {
        let callee = self.callee(edge);
        let Some(rank) = self.rank_within(edge, extent) else {
            return Ok(self.saturation.reached[self.saturation.setting.program.icfg.procs[callee].exit]);
        };
        let mut summary = Bdd::FALSE;
        for place in 0..self.saturation.summary_history[callee].len() {
            let addition = self.saturation.summary_history[callee][place];
            if addition.time < rank {
                summary = self.kernel().or(summary, addition.states)?;
            }
        }
        Ok(summary)
    }

    /// The time before which a summary must have been known to be used at `edge`; `None` where any will do: a
    /// procedure that does not call back cannot rest on its caller's summary.
    fn rank_within(&self, edge: EdgeId, extent: Extent) -> Option<u64> {
        let Extent::Procedure { proc, rank } = extent else { return None };
        let callee = self.callee(edge);
        self.saturation.setting.order.same_component(proc, callee).then_some(rank)
    }

    fn callee(&self, edge: EdgeId) -> ProcId {
        match self.saturation.setting.program.icfg.edges[edge].kind {
            EdgeKind::Call { callee, .. } => callee,
            _ => unreachable!("the edge is a call"),
        }
    }

    /// The set of states where each of `levels` has its value.
    fn cube(&mut self, literals: impl IntoIterator<Item = (Level, bool)>) -> Result<Bdd, Exhausted> {
        let mut literals: Vec<_> = literals.into_iter().collect();
        literals.sort_unstable();
        let mut result = Bdd::TRUE;
        for (level, value) in literals.into_iter().rev() {
            let literal = if value { self.kernel().var(level)? } else { self.kernel().nvar(level)? };
            result = self.kernel().and(literal, result)?;
        }
        Ok(result)
    }

    /// The literals of `slots` at `copy`, with the values that `state` gives.
    fn literals(&self, slots: impl Iterator<Item = SlotId>, copy: Copy, state: &SlotSet) -> Vec<(Level, bool)> {
        slots.map(|slot| (self.saturation.encoder.levels.of(slot, copy), state.contains(slot))).collect()
    }

    /// The slots true at `copy` in some member of `set`; slots that it leaves open are false.
    fn pick(&mut self, set: Bdd, copy: Copy) -> SlotSet {
        let mut state = SlotSet::empty(self.saturation.setting.slots.len());
        for (level, value) in self.kernel().pick(set).expect("the set is not empty") {
            if let Some((slot, found)) = self.saturation.encoder.levels.slot(level)
                && found == copy
                && value
            {
                state.insert(slot);
            }
        }
        state
    }

    /// `set` without what it says of the entry.
    fn forget_entry(&mut self, node: NodeId, set: Bdd) -> Result<Bdd, Exhausted> {
        let proc = self.saturation.setting.program.icfg.nodes[node].proc;
        let levels = &self.saturation.encoder.levels;
        let copied = self.saturation.setting.copied[proc].iter();
        let fates: Vec<_> = copied.map(|slot| (levels.of(slot, Copy::Entry), Fate::Forget)).collect();
        let plan = self.kernel().plan(fates);
        self.kernel().transform(set, plan)
    }

    /// Collects garbage if it pays; `more` are sets to keep.
    fn tidy(&mut self, more: impl Iterator<Item = Bdd>) {
        if self.saturation.encoder.kernel.wants_collection() {
            let codes = self.codes.values().map(|code| code.relation);
            let calls =
                self.calls.values().flat_map(|call| [call.effect, call.code.enter.relation, call.code.link.relation]);
            let early = self.early_effects.values().copied();
            let found = self.inside.values().chain(self.all.values()).chain(&self.kept).copied();
            let sets = codes.chain(calls).chain(early).chain(found).chain(more);
            let roots: Vec<Bdd> = self.saturation.roots().chain(sets).collect();
            self.kernel().collect(roots);
        }
    }
}
