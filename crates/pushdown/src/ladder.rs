//! The ladder: cheap rungs first, and no answer without evidence.
//!
//! 1. The exact analysis with a small allowance: most programs end here.
//! 2. Concrete search, which finds many of the goals that can be reached.
//! 3. The exact analysis and the one without entry states, in turn, each with twice the allowance of its last turn: so
//!    together they take at most about twice as long as the faster of the two.
//!
//! The verdict comes from whichever rung gives it first; the shortest run is looked for afterwards, with an allowance.

use crate::concrete;
use crate::encode::{Encoder, Levels};
use crate::flow::Flow;
use crate::summaries::{Keep, Saturation, Until};
use crate::trace::Tracer;
use crate::{Context, Evidence, Options, Report, Rung, Setting, Stats, Switch, annotate};
use hardbop_base::{Budget, Exhausted, Limit};
use hardbop_bdd::Kernel;
use hardbop_icfg::{Goal, Program, Relation};
use hardbop_verdict::{Length, Proof, Reason, Verdict, Witness};

/// The steps that the first attempt at an exact answer may usually take: about a second.
pub const FIRST_ATTEMPT: u64 = 10_000_000;
/// The steps that the search for a shortest run may usually take, at least.
pub const TRACE_ATTEMPT: u64 = 20_000_000;

/// Decides for each goal whether it can be reached.
pub fn check(program: &Program<Relation>, goals: &[Goal], options: &Options, budget: &Budget) -> Report {
    let mut ladder = Ladder {
        program,
        goals,
        options,
        budget,
        answers: vec![None; goals.len()],
        witnesses: vec![None; goals.len()],
        proof: None,
        stats: Stats { variables: program.vars.len(), ..Stats::default() },
    };
    if !goals.is_empty() {
        // What a limit leaves undecided is answered as such below.
        let _ = ladder.climb();
    }
    ladder.report()
}

/// A goal's answer: whether it can be reached, and the rung that said so.
type Answer = Option<(bool, Rung)>;

struct Ladder<'a> {
    program: &'a Program<Relation>,
    goals: &'a [Goal],
    options: &'a Options,
    budget: &'a Budget,
    answers: Vec<Answer>,
    witnesses: Vec<Option<Witness>>,
    proof: Option<Proof>,
    stats: Stats,
}

impl Ladder<'_> {
    fn climb(&mut self) -> Result<(), Exhausted> {
        let (goals, options) = (self.goals, self.options);
        self.budget.enter("prepare");
        let setting = Setting::new(self.program, goals, options, Context::Exact);
        let flow = Flow::new(&setting, options.chains);
        self.describe(&setting, &flow);
        let mut exact = self.saturation(&setting, &flow, Keep::Sets)?;
        self.budget.enter("exact");
        if !self.attempt(&mut exact, options.first_attempt)? {
            self.budget.enter("concrete");
            if options.concrete == Switch::On {
                self.search();
            }
            if self.answers.iter().any(Option::is_none) {
                self.alternate(&mut exact)?;
            }
        }
        self.decide_by(&exact, Rung::Exact);
        self.count(&exact);
        let result = self.evidence(&mut exact);
        self.count(&exact);
        result
    }

    fn saturation<'s>(
        &self,
        setting: &'s Setting<'s>,
        flow: &'s Flow,
        keep: Keep,
    ) -> Result<Saturation<'s>, Exhausted> {
        let levels = Levels::new(&setting.slots, flow.most_choices);
        let kernel = Kernel::new(levels.count(), self.budget.clone());
        Saturation::new(setting, flow, Encoder::new(setting, kernel, levels), self.options.frontiers, keep)
    }

    /// Runs for at most `allowance` steps; whether it came to an end.
    fn attempt(&self, saturation: &mut Saturation<'_>, allowance: u64) -> Result<bool, Exhausted> {
        saturation.encoder.kernel.set_budget(self.budget.with_allowance(allowance));
        let result = saturation.run(Until::AllGoals);
        saturation.encoder.kernel.set_budget(self.budget.clone());
        match result {
            Ok(()) => Ok(true),
            Err(Exhausted) if self.budget.hit() == Limit::Allowance => Ok(false),
            Err(Exhausted) => Err(Exhausted),
        }
    }

    /// The concrete rung.
    fn search(&mut self) {
        for (goal, witness) in concrete::search(self.program, self.goals, self.budget).into_iter().enumerate() {
            if let Some(witness) = witness {
                self.answers[goal] = Some((true, Rung::Concrete));
                self.witnesses[goal] = Some(witness);
            }
        }
    }

    /// The exact analysis and the one without entry states in turn, until every goal has an answer.
    fn alternate(&mut self, exact: &mut Saturation<'_>) -> Result<(), Exhausted> {
        let setting = Setting::new(self.program, self.goals, self.options, Context::Insensitive);
        let flow = Flow::new(&setting, self.options.chains);
        let mut coarse = match self.options.insensitive {
            Switch::On => Some(self.saturation(&setting, &flow, Keep::Sets)?),
            Switch::Off => None,
        };
        let mut allowance = self.options.first_attempt.max(1);
        loop {
            allowance = allowance.saturating_mul(2);
            if let Some(saturation) = &mut coarse {
                self.budget.enter("insensitive");
                if self.attempt(saturation, allowance)? {
                    self.decide_by(saturation, Rung::Insensitive);
                    if self.answers.iter().all(Option::is_some) {
                        if self.options.evidence == Evidence::TracesAndProof {
                            self.proof = Some(annotate::proof(saturation)?);
                        }
                        self.count(saturation);
                        return Ok(());
                    }
                    self.count(saturation);
                    coarse = None;
                }
            }
            self.budget.enter("exact");
            if self.attempt(exact, allowance)? {
                return Ok(());
            }
            self.decide_by(exact, Rung::Exact);
            if self.answers.iter().all(Option::is_some) {
                return Ok(());
            }
        }
    }

    /// Takes over what `saturation` knows.
    fn decide_by(&mut self, saturation: &Saturation<'_>, rung: Rung) {
        for (answer, &is_reached) in self.answers.iter_mut().zip(&saturation.is_reached) {
            if answer.is_some() {
                continue;
            }
            match (is_reached, rung) {
                (true, Rung::Exact) => *answer = Some((true, rung)),
                (false, _) if saturation.is_complete() => *answer = Some((false, rung)),
                _ => {}
            }
        }
    }

    /// Runs for the goals that can be reached and, if wanted, a proof for the others.
    fn evidence(&mut self, exact: &mut Saturation<'_>) -> Result<(), Exhausted> {
        if self.options.evidence == Evidence::None {
            return Ok(());
        }
        let reached: Vec<usize> =
            (0..self.goals.len()).filter(|&goal| matches!(self.answers[goal], Some((true, _)))).collect();
        if !reached.is_empty() {
            self.budget.enter("trace");
            self.trace(exact, &reached)?;
        }
        let is_held = self.answers.iter().any(|answer| matches!(answer, Some((false, _))));
        if self.options.evidence == Evidence::TracesAndProof && is_held && self.proof.is_none() {
            self.budget.enter("proof");
            exact.run(Until::Fixpoint)?;
            self.proof = Some(annotate::proof(exact)?);
        }
        Ok(())
    }

    /// A shortest run for each goal of `reached` if the allowance permits, otherwise any.
    ///
    /// A quick look finds most of them. Where it does not, any run comes next, so that the verdict has its evidence
    /// whatever limit is hit; then a longer look.
    fn trace(&mut self, exact: &mut Saturation<'_>, reached: &[usize]) -> Result<(), Exhausted> {
        let flow = Flow::new(exact.setting, Switch::Off);
        let allowance = self.options.trace_attempt.max(8 * self.stats.created_nodes);
        self.shorten(exact, &flow, reached, allowance / 2)?;
        self.retrace(exact.setting, &flow, reached)?;
        let is_long = |witness: &Option<Witness>| witness.as_ref().is_none_or(|it| it.length != Length::Shortest);
        let long: Vec<usize> = reached.iter().copied().filter(|&goal| is_long(&self.witnesses[goal])).collect();
        if !long.is_empty() {
            // Every goal has its run: a limit that is hit now changes no verdict.
            let _ = self.shorten(exact, &flow, &long, allowance);
        }
        exact.encoder.kernel.set_budget(self.budget.clone());
        Ok(())
    }

    /// Looks for runs shorter than those at hand.
    fn shorten(
        &mut self,
        exact: &mut Saturation<'_>,
        flow: &Flow,
        reached: &[usize],
        allowance: u64,
    ) -> Result<(), Exhausted> {
        exact.encoder.kernel.set_budget(self.budget.with_allowance(allowance));
        // Summaries that are still missing could make a run shorter; what is known by the end of the allowance is used.
        let length = match exact.run(Until::Fixpoint) {
            Ok(()) => Length::Shortest,
            Err(Exhausted) => Length::PerhapsNotShortest,
        };
        exact.encoder.kernel.set_budget(self.budget.with_allowance(allowance));
        for &goal in reached {
            match Tracer::new(exact, flow).shortest(goal, length) {
                Ok(Some(found)) => {
                    let known = self.witnesses[goal].as_ref().map_or(usize::MAX, |known| known.moves.len());
                    if found.length == Length::Shortest || found.moves.len() < known {
                        self.witnesses[goal] = Some(found);
                    }
                }
                Ok(None) | Err(Exhausted) if self.budget.hit() != Limit::Allowance => return Err(Exhausted),
                Ok(None) | Err(Exhausted) => {}
            }
        }
        Ok(())
    }

    /// Runs for the goals of `reached` that have none yet, by way of the analysis' own order.
    fn retrace(&mut self, setting: &Setting<'_>, flow: &Flow, reached: &[usize]) -> Result<(), Exhausted> {
        if reached.iter().all(|&goal| self.witnesses[goal].is_some()) {
            return Ok(());
        }
        let mut recorded = self.saturation(setting, flow, Keep::History)?;
        recorded.run(Until::AllGoals)?;
        for &goal in reached.iter() {
            if self.witnesses[goal].is_none() {
                self.witnesses[goal] = Some(Tracer::new(&mut recorded, flow).recorded(goal)?);
            }
        }
        self.count(&recorded);
        Ok(())
    }

    fn describe(&mut self, setting: &Setting<'_>, flow: &Flow) {
        use hardbop_icfg::slice::count;
        let (vars, nodes) = (count(&setting.slice.is_relevant), count(&setting.slice.is_useful));
        let kept = count(&flow.is_kept);
        let globals = setting.slots.globals();
        let copied: usize = setting.copied.iter().map(hardbop_icfg::SlotSet::len).sum();
        let inputs: usize = setting.mod_ref.inputs.iter().map(|inputs| inputs.len() + globals).sum();
        let live: usize = self.program.icfg.nodes.ids().map(|node| setting.liveness.at(node).len()).sum();
        let scope: usize = self
            .program
            .icfg
            .procs
            .ids()
            .map(|proc| self.program.icfg.nodes_of(proc).len() * (globals + self.program.locals[proc].len()))
            .sum();
        self.stats.effects = vec![
            ("slice", vars, self.program.vars.len() - vars, "variables"),
            ("slice", nodes, self.program.icfg.nodes.len() - nodes, "control points"),
            ("mod-ref", copied, inputs.saturating_sub(copied), "entry copies"),
            ("liveness", live, scope.saturating_sub(live), "variables at control points"),
            ("chains", kept, nodes.saturating_sub(kept), "control points visited"),
        ];
    }

    fn count(&mut self, saturation: &Saturation<'_>) {
        let kernel = &saturation.encoder.kernel;
        self.stats.peak_nodes = self.stats.peak_nodes.max(kernel.peak());
        self.stats.created_nodes = self.stats.created_nodes.max(kernel.created());
        self.stats.levels = kernel.levels();
        self.stats.iterations = self.stats.iterations.max(saturation.visits);
    }

    fn report(self) -> Report {
        let limit = Verdict::Unknown(Reason::Limit(self.budget.hit()));
        let wants_runs = self.options.evidence != Evidence::None;
        let verdicts = self.answers.iter().zip(self.witnesses).map(|(answer, witness)| match answer {
            Some((false, _)) => Verdict::Holds,
            Some((true, _)) if witness.is_some() || !wants_runs => Verdict::Violated(witness.map(Box::new)),
            _ => limit.clone(),
        });
        let verdicts = verdicts.collect();
        let rungs = self.answers.iter().map(|answer| answer.map(|(_, rung)| rung)).collect();
        Report { verdicts, rungs, proof: self.proof, stats: self.stats }
    }
}
