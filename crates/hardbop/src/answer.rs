//! An answer, whatever road it comes from: a finding for each goal, and what the findings rest on.

pub mod json;
pub mod text;

use crate::trace::{Lasso, Trace};
use hardbop_base::{Diagnostic, SourceMap};
use hardbop_icfg::GoalKind;
use hardbop_pushdown::{Rung, Stats};
use hardbop_verdict::Reason;
use std::sync::{Arc, Mutex, PoisonError};

/// The codes of what is said where there is nothing to answer.
#[cfg(test)]
pub const CODES: &[&str] = &[
    "not-modelled",
    "nothing-required",
    "nothing-to-check",
    "missing-file",
    "one-at-a-time",
    "unknown-analysis",
    "unknown-function",
    "unknown-name",
];

/// The answer to a question.
#[derive(Debug)]
pub struct Answer {
    /// Where diagnostics and reasons point.
    pub sources: SourceMap,
    /// Why nothing was found about any goal, not even which there are.
    pub unanswered: Option<Reason>,
    /// The goals with what was found.
    pub goals: Vec<(Goal, Finding)>,
    /// What should be known about the findings, a sentence each.
    pub notes: Vec<String>,
    /// What was asked to be shown besides, as lines.
    pub listing: Option<String>,
    /// What the user may not have meant.
    pub warnings: Vec<Diagnostic>,
    /// What a goal that holds rests on.
    pub proof: ProofBasis,
    /// Figures of the engine; none where it did not run.
    pub stats: Option<Stats>,
    /// Which rung of the engine's ladder decided each question.
    pub rungs: Vec<Option<Rung>>,
}

/// A goal as the user knows it.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Its name.
    pub name: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The procedure it is in.
    pub procedure: String,
    /// The file, as the user gave it.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// `FILE:LINE`, with the column where several goals are on the line.
    pub place: String,
}

/// What kind of thing a goal is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A labelled statement that must not be reached.
    Label,
    /// An assertion that must not fail.
    Assertion,
    /// Any statement that must not be reached.
    Statement,
    /// A formula that must hold of every infinite run.
    Ltl,
    /// What an automaton accepts, which must not happen.
    Automaton,
    /// That every run ends, or every call of a procedure.
    Termination,
    /// A set of stacks.
    Stacks,
}

impl From<GoalKind> for Kind {
    fn from(kind: GoalKind) -> Self {
        match kind {
            GoalKind::Label => Self::Label,
            GoalKind::Assertion => Self::Assertion,
            GoalKind::Statement => Self::Statement,
        }
    }
}

/// A run that shows a violation, replayed.
#[derive(Debug)]
pub enum Counterexample {
    /// It reaches what must not be reached.
    Run(Trace),
    /// It goes on for ever.
    Lasso(Lasso),
}

/// What was found about a goal.
#[derive(Debug)]
pub enum Finding {
    /// It cannot happen.
    Holds,
    /// It can, and this is a run that was replayed; none where none was asked for.
    Violated(Option<Box<Counterexample>>),
    /// No answer.
    Unknown(Reason),
}

/// What a goal that holds rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofBasis {
    /// The engine's fixpoint.
    Fixpoint,
    /// A proof that the independent checker accepted.
    Certified {
        /// How many obligations it discharged.
        obligations: usize,
    },
}

/// All findings in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every goal holds.
    Holds,
    /// Some goal is violated.
    Violated,
    /// None is violated, and some are unknown.
    Unknown,
}

impl Answer {
    /// All findings in one word.
    pub fn outcome(&self) -> Outcome {
        let is_violated = |(_, finding): &(Goal, Finding)| matches!(finding, Finding::Violated(_));
        if self.goals.iter().any(is_violated) {
            Outcome::Violated
        } else if self.reason().is_some() {
            Outcome::Unknown
        } else {
            Outcome::Holds
        }
    }

    /// Why the first goal without an answer has none.
    pub fn reason(&self) -> Option<&Reason> {
        let of_goals = self.goals.iter().find_map(|(_, finding)| match finding {
            Finding::Unknown(reason) => Some(reason),
            _ => None,
        });
        of_goals.or(self.unanswered.as_ref())
    }
}

/// The goals of a run as soon as they are known, for the one who answers when the engine does not.
#[derive(Clone, Default, Debug)]
pub struct Announcement {
    goals: Arc<Mutex<Vec<Goal>>>,
}

impl Announcement {
    /// Makes `goals` known.
    pub fn make(&self, goals: Vec<Goal>) {
        *self.goals.lock().unwrap_or_else(PoisonError::into_inner) = goals;
    }

    /// The answer that says of every goal that it is unknown.
    pub fn unknown(&self, reason: &Reason) -> Answer {
        let goals = std::mem::take(&mut *self.goals.lock().unwrap_or_else(PoisonError::into_inner));
        Answer {
            sources: SourceMap::default(),
            unanswered: Some(reason.clone()),
            goals: goals.into_iter().map(|goal| (goal, Finding::Unknown(reason.clone()))).collect(),
            notes: Vec::new(),
            listing: None,
            warnings: Vec::new(),
            proof: ProofBasis::Fixpoint,
            stats: None,
            rungs: Vec::new(),
        }
    }
}
