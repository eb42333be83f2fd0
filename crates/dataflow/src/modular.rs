//! One procedure at a time: path-sensitive inside, callers as one tri-vector, callees as their summaries.
//!
//! The sets of sets of a whole program can be too much where those of each procedure are not. So each procedure is
//! analysed alone: it starts with whatever the tri-vector of its entry allows, and its callees, which come first, do
//! what their summaries say. That sees every run, since the tri-vectors do; what it loses is how the facts at an entry
//! depend on each other. A procedure whose summary costs too much does what the tri-vector of its exit says, and so do
//! calls in a cycle of procedures that call each other.

pub mod part;

use crate::project::{Narrowed, narrow};
use crate::{Cartesian, Engine};
use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_icfg::{
    CallOrder, EdgeKind, Expr, ExprId, Exprs, Goal, Icfg, ModRef, ProcId, Program, Relation, Scope, Slots, VarId,
};
use hardbop_pushdown::relate::Related;
use part::{Origin, Part, Source, Start, at_exit};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a call of a procedure does.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effect {
    /// What it may write: globals, and its results.
    pub(crate) written: Vec<VarId>,
    /// How that depends on what was before; nothing where only the tri-vector of the exit is known.
    pub(crate) related: Option<Related>,
}

/// The steps that a summary may take.
const ALLOWANCE: u64 = 2_000_000;
/// The decisions that a summary may have.
const MOST_DECISIONS: usize = 2_000;

/// The procedures of a program, to be looked at callees first.
pub(crate) struct Modular<'a> {
    /// With what the tri-vectors know put in.
    program: Program<Relation>,
    goals: Vec<Goal>,
    flow: &'a Cartesian,
    order: CallOrder,
    effects: IndexVec<ProcId, Effect>,
    engine: &'a Engine<'a>,
    budget: &'a Budget,
}

impl<'a> Modular<'a> {
    /// Gets ready to decide `goals`.
    pub(crate) fn new(
        program: &Program<Relation>,
        goals: &[Goal],
        flow: &'a Cartesian,
        engine: &'a Engine<'a>,
        budget: &'a Budget,
    ) -> Self {
        let Narrowed { program, goals, is_relevant } = narrow(program, goals, flow);
        let (order, slots) = (CallOrder::new(&program.icfg), Slots::new(&program));
        let mod_ref = ModRef::new(&program, &slots, &order, |_| true, |var| is_relevant[var]);
        let written = |proc: ProcId| {
            let is_seen = |var: &VarId| match program.vars[*var].scope {
                Scope::Global => mod_ref.modified[proc].contains(slots.of(*var)),
                Scope::Result(_) => is_relevant[*var],
                Scope::Parameter(_) | Scope::Local(_) => false,
            };
            program.scope(proc).filter(is_seen).collect()
        };
        let effects = program.icfg.procs.ids().map(|proc| Effect { written: written(proc), related: None }).collect();
        Self { program, goals, flow, order, effects, engine, budget }
    }

    /// Calls `decide` with a part for each procedure that has goals, and the numbers of the goals in it.
    pub(crate) fn for_each_part(
        &mut self,
        mut decide: impl FnMut(Part, &[usize]) -> Result<(), Exhausted>,
    ) -> Result<(), Exhausted> {
        let mut goals_in: IndexVec<ProcId, Vec<usize>> = IndexVec::from_elem(Vec::new(), self.program.icfg.procs.len());
        for (index, goal) in self.goals.iter().enumerate() {
            goals_in[self.program.icfg.nodes[goal.node].proc].push(index);
        }
        let is_called = called_by_needed(&self.program.icfg, &goals_in);
        for proc in self.order.callees_first.clone() {
            self.budget.spend(1)?;
            if is_called[proc] {
                self.summarise(proc)?;
            }
            let goals = &goals_in[proc];
            if !goals.is_empty() {
                let asked: Vec<&Goal> = goals.iter().map(|&goal| &self.goals[goal]).collect();
                decide(self.source().part(proc, &asked, Start::Inside), goals)?;
            }
        }
        Ok(())
    }

    fn source(&self) -> Source<'_> {
        Source { program: &self.program, flow: self.flow, effects: &self.effects }
    }

    /// Relates what `proc` writes to what was before, if that can be had.
    fn summarise(&mut self, proc: ProcId) -> Result<(), Exhausted> {
        let exit = self.program.icfg.procs[proc].exit;
        let is_open = |var: &&VarId| self.flow.value(exit, **var).is_some_and(|value| value.definite().is_none());
        if !self.effects[proc].written.iter().any(|var| is_open(&var)) {
            return Ok(());
        }
        let mut part = self.source().part(proc, &[], Start::Called);
        let here: FxHashMap<VarId, VarId> =
            part.origin.vars.iter_enumerated().map(|(here, &var)| (var, here)).collect();
        let open = self.effects[proc].written.iter().filter(is_open);
        // What the part does not speak of is only written by calls to which control does not come.
        let open: BTreeMap<VarId, VarId> = open.filter_map(|var| Some((*var, *here.get(var)?))).collect();
        let goal = at_exit(&mut part, &open);
        let budget = self.budget.with_allowance(ALLOWANCE);
        let related = self.engine.relate(&part.program, &goal, MOST_DECISIONS, &budget)?;
        self.effects[proc].related = related.map(|related| in_whole(&related, &part.origin));
        Ok(())
    }
}

/// The procedures that those with goals call, directly or not.
fn called_by_needed(icfg: &Icfg, goals_in: &IndexVec<ProcId, Vec<usize>>) -> IndexVec<ProcId, bool> {
    let mut is_called = IndexVec::from_elem(false, icfg.procs.len());
    let mut is_seen: IndexVec<ProcId, bool> = IndexVec::from_elem(false, icfg.procs.len());
    let mut waiting: Vec<ProcId> = icfg.procs.ids().filter(|&proc| !goals_in[proc].is_empty()).collect();
    while let Some(proc) = waiting.pop() {
        if std::mem::replace(&mut is_seen[proc], true) {
            continue;
        }
        let edges = icfg.nodes_of(proc).flat_map(|node| icfg.successors(node));
        for &edge in edges {
            if let EdgeKind::Call { callee, .. } = icfg.edges[edge].kind {
                is_called[callee] = true;
                waiting.push(callee);
            }
        }
    }
    is_called
}

/// What was found about a part, in terms of the whole.
fn in_whole(related: &Related, origin: &Origin) -> Related {
    let mut exprs = Exprs::default();
    for expr in related.exprs.iter() {
        exprs.add(match expr {
            Expr::Var(var) => Expr::Var(origin.vars[var]),
            Expr::Next(var) => Expr::Next(origin.vars[var]),
            other => other,
        });
    }
    let relation: ExprId = related.relation;
    Related { exprs, relation }
}
