//! The dial: how precisely a goal is decided [BR01, §7].
//!
//! Each point sees every run, and the cheaper ones see more that are none. So what the cheapest calls safe is safe, and
//! only the rest is asked again: [`Precision::Auto`] goes from one tri-vector per node to the exact sets of sets, and
//! where these cost too much to projections of growing size.

use crate::Cartesian;
use crate::groups::Nearness;
use crate::project::project;
use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_icfg::{Goal, Program, Relation, VarId};
use hardbop_pushdown::{Evidence, Options, check};
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
    /// Sets of sets over all facts.
    Path,
    /// The exact sets where they can be had at a fixed cost, otherwise projections, otherwise tri-vectors.
    Auto,
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
    /// The program over the facts that were followed. Its nodes, edges and variables are those of the whole.
    pub projection: Rc<Program<Relation>>,
    /// The goal, in the projection.
    pub goal: Goal,
}

/// Decides each of `goals` at a point of the dial. What it leaves undecided, since a limit was hit, is as a cheaper
/// point says.
pub fn decide(
    program: &Program<Relation>,
    goals: &[Goal],
    precision: Precision,
    options: &Options,
    budget: &Budget,
) -> Result<Vec<Decision>, Exhausted> {
    let flow = Cartesian::new(program, budget)?;
    let decisions = goals.iter().map(|goal| by_flow(program, &flow, goal)).collect();
    let mut dial = Dial { program, goals, flow, options, budget, decisions };
    match precision {
        Precision::Flow => {}
        Precision::Projections(size) => dial.project(size),
        Precision::Path => dial.ask(Precision::Path, None, &dial.open()),
        Precision::Auto => dial.turn(),
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

/// So many steps may be spent on the exact sets, and on each size of projections, before [`Precision::Auto`] goes on.
const ALLOWANCE: u64 = 50_000_000;
/// The sizes of projections that [`Precision::Auto`] tries.
const SIZES: [usize; 3] = [12, 6, 3];

struct Dial<'a> {
    program: &'a Program<Relation>,
    goals: &'a [Goal],
    flow: Cartesian,
    options: &'a Options,
    budget: &'a Budget,
    decisions: Vec<Decision>,
}

impl Dial<'_> {
    /// The goals that may be met as far as is known.
    fn open(&self) -> Vec<usize> {
        (0..self.goals.len()).filter(|&goal| matches!(self.decisions[goal].status, Status::MayFail(_))).collect()
    }

    /// The goals about which nothing better than a tri-vector has been asked.
    fn rough(&self) -> Vec<usize> {
        self.open().into_iter().filter(|&goal| self.decisions[goal].precision == Precision::Flow).collect()
    }

    fn turn(&mut self) {
        self.ask(Precision::Path, None, &self.open());
        for size in SIZES {
            self.project(size);
        }
    }

    fn project(&mut self, size: usize) {
        let rough = self.rough();
        if rough.is_empty() {
            return;
        }
        let nearness = Nearness::new(self.program);
        let mut groups: BTreeMap<BTreeSet<VarId>, Vec<usize>> = BTreeMap::new();
        for goal in rough {
            groups.entry(nearness.group(self.program, &self.goals[goal], size)).or_default().push(goal);
        }
        for (kept, members) in groups {
            self.ask(Precision::Projections(size), Some(&kept), &members);
        }
    }

    /// Asks about `members` with the facts in `kept`, or with all.
    fn ask(&mut self, precision: Precision, kept: Option<&BTreeSet<VarId>>, members: &[usize]) {
        let asked: Vec<Goal> = members.iter().map(|&goal| self.goals[goal].clone()).collect();
        let mut is_kept = IndexVec::from_elem(kept.is_none(), self.program.vars.len());
        kept.into_iter().flatten().for_each(|&var| is_kept[var] = true);
        let (projection, asked) = project(self.program, &asked, &is_kept, &self.flow);
        let projection = Rc::new(projection);
        let budget = self.budget.with_allowance(ALLOWANCE.min(self.budget.left()));
        let report = check(&projection, &asked, self.options, &budget);
        let mut safe = Vec::new();
        for ((&goal, asked), verdict) in members.iter().zip(asked).zip(report.verdicts) {
            let status = match verdict {
                Verdict::Unknown(_) => continue,
                Verdict::Holds => {
                    safe.push(goal);
                    Status::Safe
                }
                Verdict::Violated(witness) => {
                    let projection = Rc::clone(&projection);
                    Status::MayFail(witness.map(|witness| Failure { witness: *witness, projection, goal: asked }))
                }
            };
            self.decisions[goal] = Decision { status, precision };
        }
        self.find_unreachable(&projection, &safe, &budget);
    }

    /// Of goals that are not met, says where control does not come to them at all.
    fn find_unreachable(&mut self, projection: &Program<Relation>, safe: &[usize], budget: &Budget) {
        let asked: Vec<Goal> = safe.iter().map(|&goal| Goal { condition: None, ..self.goals[goal].clone() }).collect();
        let options = Options { evidence: Evidence::None, ..*self.options };
        let report = check(projection, &asked, &options, budget);
        for (&goal, verdict) in safe.iter().zip(report.verdicts) {
            if matches!(verdict, Verdict::Holds) {
                self.decisions[goal].status = Status::Unreachable;
            }
        }
    }
}
