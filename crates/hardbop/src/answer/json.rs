//! Answers for programs: one object, with the fields that `design.md` promises.

use super::text::reason_text;
use super::{Answer, Counterexample, Finding, Goal, Kind, Outcome, ProofBasis};
use crate::arguments::Limits;
use crate::diagnostics;
use crate::figures::Figures;
use crate::trace::json::{Main, Subtraces, is_shortest};
use hardbop_verdict::Reason;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::io::{Result, Write};

/// Prints `answer`.
pub fn write(out: &mut impl Write, answer: &Answer, figures: Option<&Figures>, limits: Limits) -> Result<()> {
    serde_json::to_writer(&mut *out, &Whole { answer, figures, limits })?;
    writeln!(out)
}

struct Whole<'a> {
    answer: &'a Answer,
    figures: Option<&'a Figures>,
    limits: Limits,
}

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let answer = self.answer;
        let outcome = answer.outcome();
        let reason = answer.reason().filter(|_| outcome == Outcome::Unknown);
        let warnings = diagnostics::values(&answer.sources, &answer.warnings);
        let goals = answer.goals.iter().map(|(goal, finding)| OneGoal { goal, finding, whole: self });
        let stats = self.figures.map_or_else(|| Value::Object(serde_json::Map::new()), Figures::json);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", &1)?;
        map.serialize_entry("verdict", outcome_word(outcome))?;
        map.serialize_entry("reason", &reason.map(|reason| self.reason(reason)))?;
        map.serialize_entry("explain", &reason.map(Reason::code))?;
        map.serialize_entry("bounds", &Value::Null)?;
        map.serialize_entry("certified", &certified(answer.proof))?;
        map.serialize_entry("goals", &Goals(goals))?;
        map.serialize_entry("notes", &answer.notes)?;
        if let Some(listing) = &answer.listing {
            map.serialize_entry("configurations", &listing.lines().collect::<Vec<_>>())?;
        }
        map.serialize_entry("warnings", &warnings)?;
        map.serialize_entry("stats", &stats)?;
        map.end()
    }
}

impl Whole<'_> {
    fn reason(&self, reason: &Reason) -> String {
        reason_text(reason, &self.answer.sources, self.limits)
    }
}

/// A sequence that is written as it is walked through.
struct Goals<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Goals<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

struct OneGoal<'a> {
    goal: &'a Goal,
    finding: &'a Finding,
    whole: &'a Whole<'a>,
}

impl Serialize for OneGoal<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { goal, finding, whole } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &goal.name)?;
        map.serialize_entry("kind", kind_word(goal.kind))?;
        map.serialize_entry("verdict", finding_word(finding))?;
        map.serialize_entry("proc", &goal.procedure)?;
        map.serialize_entry("file", &goal.path)?;
        map.serialize_entry("line", &goal.line)?;
        match finding {
            Finding::Violated(Some(counterexample)) => match &**counterexample {
                Counterexample::Run(trace) => {
                    map.serialize_entry("shortest", &is_shortest(trace))?;
                    map.serialize_entry("trace", &Main(trace))?;
                    map.serialize_entry("subtraces", &Subtraces(trace))?;
                }
                Counterexample::Lasso(lasso) => {
                    map.serialize_entry("shortest", &false)?;
                    map.serialize_entry("trace", &Main(&lasso.stem))?;
                    map.serialize_entry("subtraces", &Subtraces(&lasso.stem))?;
                    map.serialize_entry("loop", &Main(&lasso.round))?;
                    map.serialize_entry("loop_subtraces", &Subtraces(&lasso.round))?;
                    map.serialize_entry("grows", &lasso.grows)?;
                }
            },
            Finding::Unknown(reason) => map.serialize_entry("reason", &whole.reason(reason))?,
            Finding::Violated(None) | Finding::Holds => {}
        }
        map.end()
    }
}

const fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Violated => "violated",
        Outcome::Unknown => "unknown",
    }
}

const fn finding_word(finding: &Finding) -> &'static str {
    match finding {
        Finding::Holds => "holds",
        Finding::Violated(_) => "violated",
        Finding::Unknown(_) => "unknown",
    }
}

const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Label => "label",
        Kind::Assertion => "assertion",
        Kind::Statement => "statement",
        Kind::Ltl => "ltl",
        Kind::Automaton => "automaton",
        Kind::Termination => "termination",
        Kind::Stacks => "stacks",
    }
}

/// The number of obligations that the proof checker discharged, if it ran.
const fn certified(proof: ProofBasis) -> Option<usize> {
    match proof {
        ProofBasis::Fixpoint => None,
        ProofBasis::Certified { obligations } => Some(obligations),
    }
}
