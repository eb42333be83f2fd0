//! Path edges and summaries: `PE(v) = { ⟨d₁, d₂⟩ | ⟨entry, d₁⟩ →* ⟨v, d₂⟩ }`, one [`Bdd`] per node.
//!
//! [BR00, §3.1]; [`Saturation::run`] is `Reachable` of Figure 5, [`Saturation::add`] its `Propagate`. A procedure's
//! summary is the set of path edges at its exit; lifted to a call it is that call's effect (`Lift`), an image like a
//! step. Only what is new since a node's last visit is propagated.
//!
//! **Invariant:** `reached[v]` only grows, and `pending[v] ⊆ reached[v]` is what the node's last visit has not seen. A
//! node is on the worklist iff `pending[v]` is not empty. Every operation may end in [`Exhausted`]; what was taken off
//! the worklist is then put back, so a run can be resumed.

use crate::encode::{CallCode, Code, Encoder};
use crate::flow::{BlockId, BlockKind, Flow};
use crate::worklist::Worklist;
use crate::{Setting, Switch};
use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::Bdd;
use hardbop_icfg::{NodeId, ProcId};
use std::sync::atomic::Ordering::Relaxed;

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// When every goal is reached, or there is nothing more to find.
    AllGoals,
    /// When there is nothing more to find.
    Fixpoint,
}

/// What is kept to follow a run backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Only the sets.
    Sets,
    /// And every addition to them, in order.
    History,
}

/// A call's effect so far.
#[derive(Clone, Copy, Debug)]
pub struct CallState {
    /// How it is encoded.
    pub code: CallCode,
    /// The callee's summary as a relation of the caller.
    pub effect: Bdd,
}

/// An addition to a set, and when it was made.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// Its number among all additions: it rests only on smaller ones.
    pub time: u64,
    /// What was new.
    pub states: Bdd,
}

/// The computation.
pub struct Saturation<'a> {
    /// What is analysed.
    pub setting: &'a Setting<'a>,
    /// The graph.
    pub flow: &'a Flow,
    /// The encoder, with the kernel.
    pub encoder: Encoder<'a>,
    /// Path edges.
    pub reached: IndexVec<NodeId, Bdd>,
    pending: IndexVec<NodeId, Bdd>,
    /// The states, over now, that each procedure has been entered with.
    pub entered: IndexVec<ProcId, Bdd>,
    /// Where each procedure's copied slots are as at the entry; made when it is first entered.
    identities: IndexVec<ProcId, Option<Bdd>>,
    codes: IndexVec<BlockId, Option<Code>>,
    /// The calls that have been visited.
    pub calls: IndexVec<BlockId, Option<CallState>>,
    worklist: Worklist,
    conditions: Vec<Bdd>,
    /// The goals by their nodes, in order.
    goals_at: Vec<(NodeId, usize)>,
    /// Which goals have been reached.
    pub is_reached: Vec<bool>,
    unreached: usize,
    frontiers: Switch,
    keep: Keep,
    /// With [`Keep::History`], the additions to each node's path edges.
    pub history: IndexVec<NodeId, Vec<Addition>>,
    /// With recursion, the additions to each recursive procedure's summary.
    pub summary_history: IndexVec<ProcId, Vec<Addition>>,
    /// Visits so far.
    pub visits: u64,
    additions: u64,
    procedures: u64,
}

impl<'a> Saturation<'a> {
    /// Starts with the first state on the worklist.
    pub fn new(
        setting: &'a Setting<'a>,
        flow: &'a Flow,
        mut encoder: Encoder<'a>,
        frontiers: Switch,
        keep: Keep,
    ) -> Result<Self, Exhausted> {
        let icfg = &setting.program.icfg;
        let conditions = setting
            .goals
            .iter()
            .map(|goal| goal.condition.map_or(Ok(Bdd::TRUE), |condition| encoder.condition(condition)))
            .collect::<Result<Vec<_>, Exhausted>>()?;
        let mut goals_at: Vec<_> = setting.goals.iter().enumerate().map(|(place, goal)| (goal.node, place)).collect();
        goals_at.sort_unstable();
        let mut saturation = Self {
            setting,
            flow,
            encoder,
            reached: IndexVec::from_elem(Bdd::FALSE, icfg.nodes.len()),
            pending: IndexVec::from_elem(Bdd::FALSE, icfg.nodes.len()),
            entered: IndexVec::from_elem(Bdd::FALSE, icfg.procs.len()),
            identities: IndexVec::from_elem(None, icfg.procs.len()),
            codes: IndexVec::from_elem(None, flow.blocks.len()),
            calls: IndexVec::from_elem(None, flow.blocks.len()),
            worklist: Worklist::new(icfg, &setting.order),
            is_reached: vec![false; conditions.len()],
            unreached: conditions.len(),
            conditions,
            goals_at,
            frontiers,
            keep,
            history: IndexVec::from_elem(Vec::new(), if keep == Keep::History { icfg.nodes.len() } else { 0 }),
            summary_history: IndexVec::from_elem(Vec::new(), icfg.procs.len()),
            visits: 0,
            additions: 0,
            procedures: 0,
        };
        let initial = saturation.encoder.initial()?;
        saturation.enter(setting.program.entry, initial)?;
        Ok(saturation)
    }

    /// Lets every procedure be entered with every state, whether a run does so or not.
    pub fn enter_everywhere(&mut self) -> Result<(), Exhausted> {
        let procs = self.setting.program.icfg.procs.ids();
        procs.into_iter().try_for_each(|proc| self.enter(proc, Bdd::TRUE))
    }

    /// Works until `until`. After [`Exhausted`] it can be called again, with a new budget.
    pub fn run(&mut self, until: Until) -> Result<(), Exhausted> {
        while let Some(node) = self.worklist.pop() {
            if until == Until::AllGoals && self.unreached == 0 {
                self.worklist.push(node);
                return Ok(());
            }
            let fresh = std::mem::replace(&mut self.pending[node], Bdd::FALSE);
            self.visits += 1;
            if let Err(exhausted) = self.visit(node, fresh) {
                self.pending[node] = self.reached[node];
                self.worklist.push(node);
                return Err(exhausted);
            }
            self.tidy();
        }
        Ok(())
    }

    /// Whether there is nothing more to find.
    pub fn is_complete(&self) -> bool {
        self.worklist.is_empty()
    }

    fn visit(&mut self, node: NodeId, fresh: Bdd) -> Result<(), Exhausted> {
        let states = match self.frontiers {
            Switch::On => fresh,
            Switch::Off => self.reached[node],
        };
        let proc = self.setting.program.icfg.nodes[node].proc;
        if self.setting.program.icfg.procs[proc].exit == node {
            self.summarise(proc, states)?;
        }
        for block in self.flow.blocks_of(node) {
            let to = self.flow.blocks[block].to;
            match self.flow.blocks[block].kind {
                BlockKind::Steps { .. } => {
                    let code = self.code(block)?;
                    let image = self.encoder.kernel.image(states, code.relation, code.plan)?;
                    self.add(to, image)?;
                }
                BlockKind::Call { callee, .. } => {
                    let call = self.call(block, callee)?;
                    let entry = self.encoder.kernel.image(states, call.code.enter.relation, call.code.enter.plan)?;
                    self.enter(callee, entry)?;
                    if !call.effect.is_false() {
                        let image = self.encoder.kernel.image(states, call.effect, call.code.apply)?;
                        self.add(to, image)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The relation of a block of steps.
    pub fn code(&mut self, block: BlockId) -> Result<Code, Exhausted> {
        if let Some(code) = self.codes[block] {
            return Ok(code);
        }
        let (flow, at) = (self.flow, self.flow.blocks[block]);
        let BlockKind::Steps { steps } = at.kind else { unreachable!("only steps have a code") };
        let code = self.encoder.steps(at.from, flow.steps_of(steps), at.to)?;
        self.codes[block] = Some(code);
        Ok(code)
    }

    /// The call's state; on its first visit with the callee's summary so far.
    fn call(&mut self, block: BlockId, callee: ProcId) -> Result<CallState, Exhausted> {
        if let Some(call) = self.calls[block] {
            return Ok(call);
        }
        let BlockKind::Call { edge, .. } = self.flow.blocks[block].kind else { unreachable!("the block is a call") };
        let code = self.encoder.call(edge)?;
        let summary = self.reached[self.setting.program.icfg.procs[callee].exit];
        let effect = lift(&mut self.encoder, &code, summary)?;
        let call = CallState { code, effect };
        self.calls[block] = Some(call);
        Ok(call)
    }

    /// Adds callee's entry states to those it has been entered with.
    fn enter(&mut self, proc: ProcId, states: Bdd) -> Result<(), Exhausted> {
        let entered = self.entered[proc];
        let kernel = &mut self.encoder.kernel;
        let fresh = kernel.diff(states, entered)?;
        if fresh.is_false() {
            return Ok(());
        }
        let all = kernel.or(entered, fresh)?;
        let identity = match self.identities[proc] {
            Some(identity) => identity,
            None => self.encoder.identity(proc)?,
        };
        self.identities[proc] = Some(identity);
        let edges = self.encoder.kernel.and(fresh, identity)?;
        self.add(self.setting.program.icfg.procs[proc].entry, edges)?;
        if entered.is_false() {
            self.procedures += 1;
        }
        self.entered[proc] = all;
        Ok(())
    }

    /// Tells the calls of `proc` that have been visited of new path edges at its exit.
    fn summarise(&mut self, proc: ProcId, states: Bdd) -> Result<(), Exhausted> {
        let flow = self.flow;
        for &block in &flow.callers[proc] {
            let Some(mut call) = self.calls[block] else { continue };
            let more = lift(&mut self.encoder, &call.code, states)?;
            if more.is_false() {
                continue;
            }
            // The effect first: whatever is reached by it must be explained by it, even if work ends right here.
            call.effect = self.encoder.kernel.or(call.effect, more)?;
            self.calls[block] = Some(call);
            let at = self.flow.blocks[block];
            let image = self.encoder.kernel.image(self.reached[at.from], more, call.code.apply)?;
            self.add(at.to, image)?;
        }
        Ok(())
    }

    /// Adds path edges to a node, and the node to the worklist if any are new.
    fn add(&mut self, node: NodeId, edges: Bdd) -> Result<(), Exhausted> {
        if edges.is_false() || !self.setting.slice.is_useful[node] {
            return Ok(());
        }
        let kernel = &mut self.encoder.kernel;
        let fresh = kernel.diff(edges, self.reached[node])?;
        if fresh.is_false() {
            return Ok(());
        }
        let pending = kernel.or(self.pending[node], fresh)?;
        let reached = kernel.or(self.reached[node], fresh)?;
        // Whatever can fail comes before the first change: states that have been added are not looked at again.
        self.look_for_goals(node, fresh)?;
        self.reached[node] = reached;
        self.pending[node] = pending;
        self.worklist.push(node);
        self.record(node, fresh);
        Ok(())
    }

    fn look_for_goals(&mut self, node: NodeId, states: Bdd) -> Result<(), Exhausted> {
        let first = self.goals_at.partition_point(|&(at, _)| at < node);
        for &(_, goal) in self.goals_at[first..].iter().take_while(|&&(at, _)| at == node) {
            if !self.is_reached[goal] && !self.encoder.kernel.disjoint(states, self.conditions[goal])? {
                self.is_reached[goal] = true;
                self.unreached -= 1;
            }
        }
        Ok(())
    }

    fn record(&mut self, node: NodeId, states: Bdd) {
        self.additions += 1;
        let addition = Addition { time: self.additions, states };
        if self.keep == Keep::History {
            self.history[node].push(addition);
        }
        let proc = self.setting.program.icfg.nodes[node].proc;
        if self.setting.program.icfg.procs[proc].exit == node && self.setting.order.is_recursive(proc) {
            self.summary_history[proc].push(addition);
        }
    }

    /// Collects garbage if it pays, and says how far the work is.
    fn tidy(&mut self) {
        if self.encoder.kernel.wants_collection() {
            let roots: Vec<Bdd> = self.roots().collect();
            self.encoder.kernel.collect(roots);
        }
        if self.visits.is_multiple_of(64) {
            let progress = self.encoder.kernel.budget().progress();
            progress.procedures.store(self.procedures, Relaxed);
            progress.worklist.store(self.worklist.len() as u64, Relaxed);
            progress.nodes.store(self.encoder.kernel.live() as u64, Relaxed);
        }
    }

    /// Everything that must survive a collection.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let sets = self.reached.iter().chain(&self.pending).chain(&self.entered).copied();
        let codes = self.codes.iter().flatten().map(|code| code.relation);
        let codes = codes.chain(self.identities.iter().flatten().copied());
        let calls = self.calls.iter().flatten();
        let calls = calls.flat_map(|call| [call.effect, call.code.enter.relation, call.code.link.relation]);
        let conditions = self.conditions.iter().copied();
        let history = self.history.iter().chain(&self.summary_history).flatten().map(|addition| addition.states);
        sets.chain(codes).chain(calls).chain(conditions).chain(history)
    }

    /// The condition of a goal.
    pub fn condition(&self, goal: usize) -> Bdd {
        self.conditions[goal]
    }
}

/// The effect on the caller of a callee's `summary`.
pub fn lift(encoder: &mut Encoder<'_>, code: &CallCode, summary: Bdd) -> Result<Bdd, Exhausted> {
    if summary.is_false() {
        return Ok(Bdd::FALSE);
    }
    let lifted = encoder.kernel.transform(summary, code.lift)?;
    encoder.kernel.image(lifted, code.link.relation, code.link.plan)
}
