//! The dial: how precisely a goal is decided [BR01, §7].
//!
//! Each point sees every run, and the cheaper ones see more that are none. So what the cheapest calls safe is safe, and
//! only the rest is asked again: [`Precision::Auto`] goes from one tri-vector per node to the exact sets of sets, and
//! where these cost too much to projections of growing size.

use crate::engine::Told;
use crate::groups::{Hints, Nearness};
use crate::modular::build::Origin;
use crate::modular::part::Part;
use crate::modular::{Modular, PART_ALLOWANCE, Ways};
use crate::project::{Narrowed, narrow, project};
use crate::{Cartesian, Engine};
use hardbop_base::{Budget, Exhausted, Limit};
use hardbop_icfg::{Goal, Program, Relation, VarId};
use hardbop_pushdown::Evidence;
use hardbop_verdict::{Verdict, Witness};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A point of the dial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Precision {
    /// One tri-vector per node.
    Flow,
    /// Sets of sets over groups of at most so many facts, one group for each goal.
    Projections(usize),
    /// Sets of sets over all facts, one procedure at a time.
    Procedure,
    /// Sets of sets over all facts.
    Path,
    /// The exact sets of small programs where they can be had at a fixed cost, otherwise those of each procedure,
    /// otherwise projections, otherwise tri-vectors.
    Auto,
}

/// How goals are decided.
#[derive(Clone, Debug)]
pub struct Manner {
    /// The point of the dial.
    pub precision: Precision,
    /// Which facts projections keep together.
    pub hints: Hints,
}

impl From<Precision> for Manner {
    fn from(precision: Precision) -> Self {
        Self { precision, hints: Hints::default() }
    }
}

/// What was found about a goal.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What.
    pub status: Status,
    /// The point of the dial that said so.
    pub precision: Precision,
}

/// What a goal is.
#[derive(Clone, Debug)]
pub enum Status {
    /// Control does not come there.
    Unreachable,
    /// Control may come there, and all is well then.
    Safe,
    /// It may be met.
    MayFail(Option<Failure>),
}

/// How a goal is met.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The run, of the projection.
    pub witness: Witness,
    /// The program over the facts that were followed. Its nodes, edges and variables are those of the whole, unless
    /// it is about one procedure.
    pub projection: Rc<Program<Relation>>,
    /// The goal, in the projection.
    pub goal: Goal,
    /// What the edges and variables are in the whole, where the projection is about one procedure.
    pub origin: Option<Rc<Origin>>,
}

/// Decides each of `goals` at a point of the dial. What it leaves undecided, since a limit was hit, is as a cheaper
/// point says.
pub fn decide(
    program: &Program<Relation>,
    goals: &[Goal],
    manner: impl Into<Manner>,
    engine: &Engine<'_>,
    budget: &Budget,
) -> Result<Vec<Decision>, Exhausted> {
    let Manner { precision, hints } = manner.into();
    let flow = Cartesian::new(program, budget)?;
    let decisions = goals.iter().map(|goal| by_flow(program, &flow, goal)).collect();
    // Who asks for one point of the dial sets the limits, too.
    let allowance = if precision == Precision::Auto { ALLOWANCE } else { u64::MAX };
    let mut dial = Dial { program, goals, flow, hints, engine, budget, decisions, allowance, origin: None };
    match precision {
        Precision::Flow => {}
        Precision::Projections(size) => dial.project(size),
        Precision::Procedure => dial.by_procedure(),
        Precision::Path => dial.ask(Precision::Path, None, &dial.open()),
        Precision::Auto => {
            if program.icfg.nodes.len() <= SMALL {
                dial.ask(Precision::Path, None, &dial.open());
            }
            dial.by_procedure();
        }
    }
    Ok(dial.decisions)
}

/// Decides the goals of one procedure: exactly, or by projections where that costs too much.
fn decide_part(part: Part, hints: &Hints, engine: &Engine<'_>, budget: &Budget) -> Result<Vec<Decision>, Exhausted> {
    let Part { program, goals, origin } = part;
    let hints = hints.within(&origin.vars);
    let flow = Cartesian::new(&program, budget)?;
    let decisions = goals.iter().map(|goal| by_flow(&program, &flow, goal)).collect();
    let (allowance, origin) = (PART_ALLOWANCE, Some(Rc::new(origin)));
    let mut dial = Dial { program: &program, goals: &goals, flow, hints, engine, budget, decisions, allowance, origin };
    dial.ask(Precision::Procedure, None, &dial.open());
    for size in SIZES {
        dial.project(size);
    }
    Ok(dial.decisions)
}

fn by_flow(program: &Program<Relation>, flow: &Cartesian, goal: &Goal) -> Decision {
    let met = match goal.condition {
        Some(condition) => flow.condition(program, goal.node, condition).map(|value| value.can_be_true),
        None => flow.is_reachable(goal.node).then_some(true),
    };
    let status = match met {
        None => Status::Unreachable,
        Some(false) => Status::Safe,
        Some(true) => Status::MayFail(None),
    };
    Decision { status, precision: Precision::Flow }
}

/// The exact sets of programs with no more nodes are asked for where nobody said which point of the dial to take: in
/// larger ones every change would ask for all of them again.
const SMALL: usize = 3_000;
/// So many steps may be spent on them.
const ALLOWANCE: u64 = 50_000_000;
/// So many steps may be spent on a group of facts in any case.
const LEAST_ALLOWANCE: u64 = 100_000;
/// The sizes of projections that are tried where a procedure is too much.
const SIZES: [usize; 3] = [12, 6, 3];

struct Dial<'a> {
    program: &'a Program<Relation>,
    goals: &'a [Goal],
    flow: Cartesian,
    hints: Hints,
    engine: &'a Engine<'a>,
    budget: &'a Budget,
    decisions: Vec<Decision>,
    allowance: u64,
    /// What the program is in the whole.
    origin: Option<Rc<Origin>>,
}

impl Dial<'_> {
    /// Whether a limit of the run was hit: what has been decided is all there will be.
    fn is_over(&self) -> bool {
        self.budget.hit() != Limit::Allowance
    }

    /// The goals that may be met as far as is known.
    fn open(&self) -> Vec<usize> {
        (0..self.goals.len()).filter(|&goal| matches!(self.decisions[goal].status, Status::MayFail(_))).collect()
    }

    /// The goals about which nothing better than a tri-vector has been asked.
    fn rough(&self) -> Vec<usize> {
        self.open().into_iter().filter(|&goal| self.decisions[goal].precision == Precision::Flow).collect()
    }

    /// Asks about what is open one procedure at a time.
    fn by_procedure(&mut self) {
        let rough = self.rough();
        if rough.is_empty() || self.is_over() {
            return;
        }
        let goals: Vec<Goal> = rough.iter().map(|&goal| self.goals[goal].clone()).collect();
        let mut modular = Modular::new(self.program, &goals, &self.flow, self.engine, self.budget);
        let (decisions, hints, engine, budget) = (&mut self.decisions, &self.hints, self.engine, self.budget);
        // What a limit leaves undecided is as it was.
        let _ = modular.for_each_proc(|part, members| {
            for (decision, &member) in decide_part(part, hints, engine, budget)?.into_iter().zip(members) {
                if decision.precision != Precision::Flow || !matches!(decision.status, Status::MayFail(_)) {
                    decisions[rough[member]] = decision;
                }
            }
            Ok(())
        });
        let runs = rough.iter().map(|&goal| match &decisions[goal].status {
            Status::MayFail(failure) => failure.as_ref(),
            _ => None,
        });
        let found = Ways::new(&modular).continued(&runs.collect::<Vec<_>>());
        for (goal, run) in rough.into_iter().zip(found) {
            if let Some(run) = run {
                decisions[goal] = Decision { status: Status::MayFail(Some(run)), precision: Precision::Path };
            }
        }
    }

    fn project(&mut self, size: usize) {
        let rough = self.rough();
        if rough.is_empty() || self.is_over() {
            return;
        }
        let nearness = Nearness::new(self.program, &self.hints);
        let mut groups: BTreeMap<BTreeSet<VarId>, Vec<usize>> = BTreeMap::new();
        for goal in rough {
            groups.entry(nearness.group(self.program, &self.goals[goal], size)).or_default().push(goal);
        }
        // Together they may take what the exact sets may; a group of few facts needs little.
        let allowance = (self.allowance / groups.len() as u64).max(LEAST_ALLOWANCE);
        let whole = std::mem::replace(&mut self.allowance, allowance);
        for (kept, members) in groups {
            self.ask(Precision::Projections(size), Some(&kept), &members);
        }
        self.allowance = whole;
    }

    /// Asks about `members` with the facts in `kept`, or with all that matter.
    fn ask(&mut self, precision: Precision, kept: Option<&BTreeSet<VarId>>, members: &[usize]) {
        if self.is_over() {
            return;
        }
        let asked: Vec<Goal> = members.iter().map(|&goal| self.goals[goal].clone()).collect();
        let (projection, asked) = match kept {
            Some(kept) => {
                let is_kept = self.program.vars.ids().map(|var| kept.contains(&var)).collect();
                project(self.program, &asked, &is_kept, &self.flow)
            }
            None => {
                let Narrowed { program, goals, .. } = narrow(self.program, &asked, &self.flow);
                (program, goals)
            }
        };
        let projection = Rc::new(projection);
        let evidence = self.engine.options.evidence;
        let told = self.engine.check(&projection, &asked, evidence, &self.allowed());
        let mut in_doubt = Vec::new();
        for ((&goal, asked), Told { verdict, is_entered }) in members.iter().zip(asked).zip(told) {
            let status = match verdict {
                Verdict::Unknown(_) => continue,
                Verdict::Holds => match is_entered {
                    Some(true) => Status::Safe,
                    Some(false) => Status::Unreachable,
                    None => {
                        in_doubt.push(goal);
                        Status::Safe
                    }
                },
                Verdict::Violated(witness) => {
                    let projection = Rc::clone(&projection);
                    let origin = self.origin.clone();
                    let failure =
                        |witness: Box<Witness>| Failure { witness: *witness, projection, goal: asked, origin };
                    Status::MayFail(witness.map(failure))
                }
            };
            self.decisions[goal] = Decision { status, precision };
        }
        self.find_unreachable(&projection, &in_doubt);
    }

    /// The budget of one question. How much an earlier one took of its own does not matter, or what is remembered would
    /// change what is asked.
    fn allowed(&self) -> Budget {
        self.budget.with_allowance(self.allowance.min(self.budget.left()))
    }

    /// Of goals that are not met, says where control does not come to them at all: what the rung of the ladder that
    /// decided could not tell.
    fn find_unreachable(&mut self, projection: &Program<Relation>, safe: &[usize]) {
        if safe.is_empty() || self.is_over() {
            return;
        }
        let asked: Vec<Goal> = safe.iter().map(|&goal| Goal { condition: None, ..self.goals[goal].clone() }).collect();
        let told = self.engine.check(projection, &asked, Evidence::None, &self.allowed());
        for (&goal, told) in safe.iter().zip(told) {
            if matches!(told.verdict, Verdict::Holds) {
                self.decisions[goal].status = Status::Unreachable;
            }
        }
    }
}
