//! One procedure at a time: path-sensitive inside, callees as their summaries, callers as one tri-vector.
//!
//! The sets of sets of a whole program can be too much where those of each procedure are not, and they are others all
//! over where one statement is another. So each procedure is a program of its own: it starts with whatever the
//! tri-vector of its entry allows, and its callees, which come first, do what their summaries say. That sees every run,
//! since the tri-vectors do; what it loses is how the facts at an entry depend on each other. A procedure whose summary
//! costs too much does what the tri-vector of its exit says, and so do calls in a cycle of procedures that call each
//! other.
//!
//! A run of a part is not believed: it is followed back from caller to caller to the start of the program ([`ways`],
//! [`guide`]).

pub mod build;
mod guide;
pub mod part;
mod ways;

use crate::project::{Narrowed, narrow};
use crate::{Cartesian, Engine};
use build::{Origin, Source};
use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_icfg::{
    CallOrder, EdgeId, Expr, ExprId, Exprs, Goal, Icfg, ModRef, ProcId, Program, Relation, Scope, Slots, VarId,
};
use hardbop_pushdown::relate::Related;
use part::Part;
use std::collections::BTreeSet;
pub(crate) use ways::Ways;

/// What a call of a procedure does.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effect {
    /// What it may write: globals, and its results.
    pub(crate) written: Vec<VarId>,
    /// How that depends on what was before; nothing where the tri-vector of the exit says it all, or is all there is.
    pub(crate) related: Option<Related>,
    /// Whether it does nothing else.
    pub(crate) is_exact: bool,
}

/// The steps that a summary may take.
const SUMMARY_ALLOWANCE: u64 = 2_000_000;
/// The decisions that a summary may have.
const MOST_DECISIONS: usize = 2_000;
/// So many steps may be spent on a question about one procedure.
pub(crate) const PART_ALLOWANCE: u64 = 5_000_000;

/// The procedures of a program.
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
        let effects =
            program.icfg.procs.ids().map(|proc| Effect { written: written(proc), ..Effect::default() }).collect();
        Self { program, goals, flow, order, effects, engine, budget }
    }

    /// Calls `decide` with a part for each procedure that has goals, and the numbers of the goals in it.
    pub(crate) fn for_each_proc(
        &mut self,
        mut decide: impl FnMut(Part, &[usize]) -> Result<(), Exhausted>,
    ) -> Result<(), Exhausted> {
        let mut goals_in: IndexVec<ProcId, Vec<usize>> = IndexVec::from_elem(Vec::new(), self.program.icfg.procs.len());
        for (index, goal) in self.goals.iter().enumerate() {
            goals_in[self.program.icfg.nodes[goal.node].proc].push(index);
        }
        let is_called = called_by_needed(self.source(), &goals_in);
        for proc in self.order.callees_first.clone() {
            self.budget.spend(1)?;
            if is_called[proc] {
                self.summarise(proc)?;
            }
        }
        for (proc, goals) in goals_in.iter_enumerated().filter(|(_, goals)| !goals.is_empty()) {
            self.budget.spend(1)?;
            let asked: Vec<&Goal> = goals.iter().map(|&goal| &self.goals[goal]).collect();
            decide(self.source().part(proc, &asked, &BTreeSet::new()), goals)?;
        }
        Ok(())
    }

    fn source(&self) -> Source<'_> {
        Source { program: &self.program, flow: self.flow, effects: &self.effects }
    }

    /// Relates what `proc` writes, and whether it comes back, to what was before, if that can be had.
    fn summarise(&mut self, proc: ProcId) -> Result<(), Exhausted> {
        let exit = self.program.icfg.procs[proc].exit;
        let is_exact = self.may_be_exact(proc);
        let is_open = |var: &&VarId| self.flow.value(exit, **var).is_some_and(|value| value.definite().is_none());
        let is_known = !self.effects[proc].written.iter().any(|var| is_open(&var));
        if !self.flow.is_reachable(exit) || is_known && !self.may_stop(proc) {
            self.effects[proc].is_exact = is_exact;
            return Ok(());
        }
        let open = self.effects[proc].written.iter().filter(is_open).copied().collect();
        // What the part does not speak of is only written by calls to which control does not come.
        let Part { program, goals, origin } = self.source().called(proc, &open);
        let budget = self.budget.with_allowance(SUMMARY_ALLOWANCE);
        let related = self.engine.relate(&program, &goals[0], MOST_DECISIONS, &budget)?;
        let effect = &mut self.effects[proc];
        effect.is_exact = is_exact && related.is_some();
        effect.related = related.map(|related| in_whole(&related, &origin));
        Ok(())
    }

    /// Whether the part about `proc` does what the procedure does and nothing else, if a summary of it can be had.
    fn may_be_exact(&self, proc: ProcId) -> bool {
        let is_known = |callee: ProcId| self.effects[callee].is_exact && !self.order.same_component(proc, callee);
        let is_given = |edge: &EdgeId| match &self.program.labels[*edge] {
            Relation::Call { enter, .. } => enter.constraint.is_none(),
            _ => false,
        };
        self.source().callees(proc).into_iter().all(is_known) && self.program.icfg.callers(proc).iter().all(is_given)
    }

    /// Whether it may depend on what was before whether `proc` comes back.
    fn may_stop(&self, proc: ProcId) -> bool {
        let is_test = |edge: EdgeId| match &self.program.labels[edge] {
            Relation::Step(step) => step.guard.or(step.constraint).is_some(),
            Relation::Call { enter, leave } => {
                [enter, leave].iter().any(|part| part.guard.or(part.constraint).is_some())
            }
            Relation::Return => false,
        };
        let may_stop = |callee: ProcId| {
            let exit = self.program.icfg.procs[callee].exit;
            self.effects[callee].related.is_some() || !self.flow.is_reachable(exit)
        };
        self.source().edges_of(proc).any(is_test) || self.source().callees(proc).into_iter().any(may_stop)
    }
}

/// The procedures that those with goals, or those that lead to them, call, directly or not.
fn called_by_needed(source: Source<'_>, goals_in: &IndexVec<ProcId, Vec<usize>>) -> IndexVec<ProcId, bool> {
    let icfg = &source.program.icfg;
    let caller = |&edge: &EdgeId| icfg.nodes[icfg.edges[edge].from].proc;
    let with_goals = icfg.procs.ids().filter(|&proc| !goals_in[proc].is_empty());
    let leading = closure(icfg, with_goals, |proc| icfg.callers(proc).iter().map(caller).collect());
    let leading = icfg.procs.ids().filter(|&proc| leading[proc]);
    let called = leading.flat_map(|proc| source.edges_of(proc)).filter_map(|edge| source.callee(edge));
    let called: Vec<ProcId> = called.collect();
    closure(icfg, called.into_iter(), |proc| source.callees(proc))
}

/// The procedures that `next` leads to from `first`, and these themselves.
fn closure(
    icfg: &Icfg,
    first: impl Iterator<Item = ProcId>,
    next: impl Fn(ProcId) -> Vec<ProcId>,
) -> IndexVec<ProcId, bool> {
    let mut is_found = IndexVec::from_elem(false, icfg.procs.len());
    let mut waiting: Vec<ProcId> = first.collect();
    while let Some(proc) = waiting.pop() {
        if !std::mem::replace(&mut is_found[proc], true) {
            waiting.extend(next(proc));
        }
    }
    is_found
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
