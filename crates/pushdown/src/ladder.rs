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
use hardbop_icfg::unroll::{Unrolled, unroll};
use hardbop_icfg::{Goal, Program, Relation, Slots};
use hardbop_verdict::{Length, Proof, Reason, Verdict, Witness};
use std::cell::Cell;

/// The steps that the first attempt at an exact answer may usually take: about a second.
pub const FIRST_ATTEMPT: u64 = 10_000_000;
/// The steps that the search for a shortest run may usually take, at least.
pub const TRACE_ATTEMPT: u64 = 20_000_000;

/// So many slots are in a word of a set of slots.
const WORD: u64 = 64;
/// To find out what is live at a node takes so many steps for each word.
const STEPS_FOR_A_WORD: u64 = 4;

/// Decides for each goal whether it can be reached.
pub fn check(program: &Program<Relation>, goals: &[Goal], options: &Options, budget: &Budget) -> Report {
    // What is live where must fit the allowance, too: it grows with nodes and variables.
    let words = program.icfg.nodes.len() as u64 * (Slots::new(program).len() as u64).div_ceil(WORD);
    let is_affordable = budget.spend(words.saturating_mul(STEPS_FOR_A_WORD)).is_ok();
    let mut ladder = Ladder {
        program,
        goals,
        options,
        budget,
        answers: vec![None; goals.len()],
        is_entered: vec![None; goals.len()],
        witnesses: vec![None; goals.len()],
        proof: None,
        left: Cell::new(budget.left()),
        stats: Stats { variables: program.vars.len(), ..Stats::default() },
    };
    if !goals.is_empty() && is_affordable {
        // What a limit leaves undecided is answered as such below.
        let _ = ladder.climb();
    }
    ladder.report()
}

/// Whether there are numbers, with which only the exact analysis gets anywhere: expressions over their bits share much,
/// which concrete search does not see, and without entry states a call forgets what its arguments were.
fn has_numbers(program: &Program<Relation>) -> bool {
    program.data.iter().any(|datum| datum.bits.len() > 1)
}

/// A goal's answer: whether it can be reached, and the rung that said so.
type Answer = Option<(bool, Rung)>;

struct Ladder<'a> {
    program: &'a Program<Relation>,
    goals: &'a [Goal],
    options: &'a Options,
    budget: &'a Budget,
    answers: Vec<Answer>,
    is_entered: Vec<Option<bool>>,
    witnesses: Vec<Option<Witness>>,
    proof: Option<Proof>,
    /// What the attempts may still take together.
    left: Cell<u64>,
    stats: Stats,
}

impl Ladder<'_> {
    fn climb(&mut self) -> Result<(), Exhausted> {
        self.budget.enter("prepare");
        let unrolled = match self.options.unroll {
            Switch::On => unroll(self.program),
            Switch::Off => None,
        };
        let Some(unrolled) = unrolled else { return self.climb_with_evidence() };
        self.decide_unrolled(&unrolled)?;
        let is_reached = self.answers.iter().any(|answer| matches!(answer, Some((true, _))));
        let is_evident = match self.options.evidence {
            Evidence::None => true,
            Evidence::Traces => !is_reached || self.witnesses.iter().all(Option::is_some),
            Evidence::TracesAndProof => self.proof.is_some() && !is_reached,
        };
        if is_evident { Ok(()) } else { self.climb_with_evidence() }
    }

    /// Decides all goals in the unrolled program, in which no run can be read off.
    fn decide_unrolled(&mut self, unrolled: &Unrolled) -> Result<(), Exhausted> {
        let copies = unrolled.node_origin.iter_enumerated().flat_map(|(node, &origin)| {
            let goals = self.goals.iter().enumerate().filter(move |(_, goal)| goal.node == origin);
            goals.map(move |(place, goal)| (place, Goal { node, ..goal.clone() }))
        });
        let (places, goals): (Vec<usize>, Vec<Goal>) = copies.unzip();
        let setting = Setting::new(&unrolled.program, &goals, self.options, Context::Reach);
        let flow = Flow::new(&setting, self.options.chains);
        self.describe(&setting, &flow);
        let mut exact = self.saturation(&setting, &flow, Keep::Sets)?;
        self.decide_all(&mut exact, &places)?;
        self.decide_by(&exact, Rung::Exact, &places);
        self.count(&exact);
        Ok(())
    }

    fn climb_with_evidence(&mut self) -> Result<(), Exhausted> {
        let (goals, options) = (self.goals, self.options);
        let setting = Setting::new(self.program, goals, options, Context::Exact);
        let flow = Flow::new(&setting, options.chains);
        self.describe(&setting, &flow);
        let mut exact = self.saturation(&setting, &flow, Keep::Sets)?;
        let places: Vec<usize> = (0..goals.len()).collect();
        self.decide_all(&mut exact, &places)?;
        self.decide_by(&exact, Rung::Exact, &places);
        self.count(&exact);
        let result = self.evidence(&mut exact);
        self.count(&exact);
        result
    }

    /// Works until every goal has an answer, or `exact` can give them all; its goals are copies of those at `places`.
    fn decide_all(&mut self, exact: &mut Saturation<'_>, places: &[usize]) -> Result<(), Exhausted> {
        self.budget.enter("exact");
        if self.answers.iter().any(Option::is_none) && !self.attempt(exact, self.options.first_attempt)? {
            self.budget.enter("concrete");
            if self.options.concrete == Switch::On && !has_numbers(self.program) {
                self.search();
            }
            if self.answers.iter().any(Option::is_none) {
                self.alternate(exact, places)?;
            }
        }
        Ok(())
    }

    fn saturation<'s>(
        &self,
        setting: &'s Setting<'s>,
        flow: &'s Flow,
        keep: Keep,
    ) -> Result<Saturation<'s>, Exhausted> {
        let levels = Levels::new(self.program, &setting.slots, flow.most_choices, self.options.order);
        let kernel = Kernel::new(levels.count(), self.budget.clone());
        Saturation::new(setting, flow, Encoder::new(setting, kernel, levels), self.options.frontiers, keep)
    }

    /// Runs for at most `allowance` steps; whether it came to an end.
    fn attempt(&self, saturation: &mut Saturation<'_>, allowance: u64) -> Result<bool, Exhausted> {
        let granted = self.grant(saturation, allowance);
        let result = saturation.run(Until::AllGoals);
        self.settle(saturation, granted);
        match result {
            Ok(()) => Ok(true),
            Err(Exhausted) if self.budget.hit() == Limit::Allowance && self.left.get() > 0 => Ok(false),
            Err(Exhausted) => Err(Exhausted),
        }
    }

    /// Lets `saturation` take `allowance` steps, or what is left.
    fn grant(&self, saturation: &mut Saturation<'_>, allowance: u64) -> u64 {
        let granted = allowance.min(self.left.get());
        saturation.encoder.kernel.set_budget(self.budget.with_allowance(granted));
        granted
    }

    /// Counts what `saturation` took of what it was granted.
    fn settle(&self, saturation: &mut Saturation<'_>, granted: u64) {
        let unused = saturation.encoder.kernel.set_budget(self.budget.clone()).left();
        self.left.set(self.left.get().saturating_sub(granted - unused));
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
    fn alternate(&mut self, exact: &mut Saturation<'_>, places: &[usize]) -> Result<(), Exhausted> {
        let all: Vec<usize> = (0..self.goals.len()).collect();
        let setting = Setting::new(self.program, self.goals, self.options, Context::Insensitive);
        let flow = Flow::new(&setting, self.options.chains);
        let mut coarse = match self.options.insensitive {
            Switch::On if !has_numbers(self.program) => Some(self.saturation(&setting, &flow, Keep::Sets)?),
            Switch::On | Switch::Off => None,
        };
        let mut allowance = self.options.first_attempt.max(1);
        loop {
            allowance = allowance.saturating_mul(2);
            if let Some(saturation) = &mut coarse {
                self.budget.enter("insensitive");
                if self.attempt(saturation, allowance)? {
                    self.decide_by(saturation, Rung::Insensitive, &all);
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
            self.decide_by(exact, Rung::Exact, places);
            if self.answers.iter().all(Option::is_some) {
                return Ok(());
            }
        }
    }

    /// Takes over what `saturation`, whose goals are copies of those at `places`, knows.
    fn decide_by(&mut self, saturation: &Saturation<'_>, rung: Rung, places: &[usize]) {
        let (mut is_reached, mut is_entered) = (vec![false; self.goals.len()], vec![false; self.goals.len()]);
        let goals = saturation.setting.goals.iter().zip(&saturation.is_reached);
        for (&place, (goal, &reached)) in places.iter().zip(goals) {
            is_reached[place] |= reached;
            is_entered[place] |= !saturation.reached[goal.node].is_false();
        }
        for (known, is_entered) in self.is_entered.iter_mut().zip(is_entered) {
            match (is_entered, rung) {
                (true, Rung::Exact) => *known = Some(true),
                (false, _) if saturation.is_complete() => *known = Some(false),
                _ => {}
            }
        }
        for (answer, is_reached) in self.answers.iter_mut().zip(is_reached) {
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
        let allowance = self.options.trace_attempt.max(8 * self.stats.created_nodes);
        self.shorten(exact, reached, allowance)?;
        self.retrace(exact.setting, reached)?;
        let is_long = |witness: &Option<Witness>| witness.as_ref().is_none_or(|it| it.length != Length::Shortest);
        let long: Vec<usize> = reached.iter().copied().filter(|&goal| is_long(&self.witnesses[goal])).collect();
        if !long.is_empty() {
            // Every goal has its run: a limit that is hit now changes no verdict.
            let _ = self.shorten(exact, &long, allowance);
        }
        Ok(())
    }

    /// Looks for runs shorter than those at hand.
    fn shorten(&mut self, exact: &mut Saturation<'_>, reached: &[usize], allowance: u64) -> Result<(), Exhausted> {
        let granted = self.grant(exact, allowance);
        // Summaries that are still missing could make a run shorter; what is known by the end of the allowance is used.
        let length = match exact.run(Until::Fixpoint) {
            Ok(()) => Length::Shortest,
            Err(Exhausted) => Length::PerhapsNotShortest,
        };
        self.settle(exact, granted);
        let granted = self.grant(exact, allowance);
        let mut tracer = Tracer::new(exact);
        let witnesses = &mut self.witnesses;
        let searched = tracer.shortest(reached, length, |goal, found| {
            let known = witnesses[goal].as_ref().map_or(usize::MAX, |known| known.moves.len());
            if found.length == Length::Shortest || found.moves.len() < known {
                witnesses[goal] = Some(found);
            }
        });
        if searched.is_err() && self.budget.hit() != Limit::Allowance {
            return searched;
        }
        self.settle(exact, granted);
        Ok(())
    }

    /// Runs for the goals of `reached` that have none yet, by way of the analysis' own order.
    fn retrace(&mut self, setting: &Setting<'_>, reached: &[usize]) -> Result<(), Exhausted> {
        if reached.iter().all(|&goal| self.witnesses[goal].is_some()) {
            return Ok(());
        }
        let flow = Flow::new(setting, Switch::Off);
        let mut recorded = self.saturation(setting, &flow, Keep::History)?;
        recorded.run(Until::AllGoals)?;
        for &goal in reached.iter() {
            if self.witnesses[goal].is_none() {
                self.witnesses[goal] = Some(Tracer::new(&mut recorded).recorded(goal)?);
            }
        }
        self.count(&recorded);
        Ok(())
    }

    fn describe(&mut self, setting: &Setting<'_>, flow: &Flow) {
        use hardbop_icfg::slice::count;
        let program = setting.program;
        let (vars, nodes) = (count(&setting.slice.is_relevant), count(&setting.slice.is_useful));
        let kept = count(&flow.is_kept);
        let globals = setting.slots.globals();
        let copied: usize = setting.copied.iter().map(hardbop_icfg::SlotSet::len).sum();
        let inputs: usize = setting.mod_ref.inputs.iter().map(|inputs| inputs.len() + globals).sum();
        let live: usize = program.icfg.nodes.ids().map(|node| setting.liveness.at(node).len()).sum();
        let procs = program.icfg.procs.ids();
        let scope: usize =
            procs.map(|proc| program.icfg.nodes_of(proc).len() * (globals + program.locals[proc].len())).sum();
        self.stats.effects = vec![
            ("slice", vars, program.vars.len() - vars, "variables"),
            ("slice", nodes, program.icfg.nodes.len() - nodes, "control points"),
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
        Report { verdicts, rungs, is_entered: self.is_entered, proof: self.proof, stats: self.stats }
    }
}
