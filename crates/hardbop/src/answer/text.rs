//! Answers for reading. The last line states the verdict and what it rests on.

use super::{Answer, Counterexample, Finding, Goal, Kind, Outcome, ProofBasis};
use crate::arguments::{Limits, Unfold};
use crate::figures::Figures;
use crate::palette::Palette;
use crate::trace::{self, Lasso};
use hardbop_base::{Limit, SourceMap};
use hardbop_verdict::Reason;
use std::io::{Result, Write};

/// How an answer is printed.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The styles.
    pub palette: Palette,
    /// How far crossed calls are stepped into.
    pub unfold: Unfold,
    /// How much is said.
    pub extent: Extent,
    /// The limits of the run.
    pub limits: Limits,
}

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Everything.
    Full,
    /// The listing, if there is one.
    Listing,
    /// The last line.
    LastLine,
}

/// Prints `answer`.
pub fn write(out: &mut impl Write, answer: &Answer, figures: Option<&Figures>, manner: &Manner) -> Result<()> {
    if manner.extent == Extent::Listing
        && let Some(listing) = &answer.listing
    {
        return write!(out, "{listing}");
    }
    if manner.extent == Extent::Full {
        for (index, (goal, finding)) in answer.goals.iter().enumerate() {
            // A trace is set off from what stands around it.
            let has_trace = |finding: &Finding| matches!(finding, Finding::Violated(Some(_)));
            if index > 0 && (has_trace(finding) || has_trace(&answer.goals[index - 1].1)) {
                writeln!(out)?;
            }
            write_goal(out, goal, finding, manner)?;
        }
        for note in &answer.notes {
            let faint = manner.palette.faint;
            writeln!(out, "{faint}note: {note}{faint:#}")?;
        }
        if let Some(listing) = &answer.listing {
            writeln!(out)?;
            write!(out, "{listing}")?;
        }
        if let Some(figures) = figures {
            writeln!(out)?;
            figures.write(out)?;
        }
        let has_body = figures.is_some() || !answer.goals.is_empty();
        if has_body {
            writeln!(out)?;
        }
    }
    write_last_line(out, answer, manner)
}

fn write_goal(out: &mut impl Write, goal: &Goal, finding: &Finding, manner: &Manner) -> Result<()> {
    let Palette { strong, good, bad, unsure, .. } = manner.palette;
    let (holds, violated) = verbs(goal);
    let (style, text) = match finding {
        Finding::Holds => (good, holds),
        Finding::Violated(_) => (bad, violated),
        Finding::Unknown(_) => (unsure, "is undecided"),
    };
    let place = if is_at_place(goal) { String::new() } else { format!(" ({})", goal.place) };
    writeln!(out, "{strong}{}{strong:#} {style}{text}{style:#}{place}", subject(goal))?;
    let Finding::Violated(Some(counterexample)) = finding else { return Ok(()) };
    match &**counterexample {
        Counterexample::Run(trace) => {
            let reached = match goal.kind {
                Kind::Assertion => "fails".into(),
                Kind::Label => format!("{} is reached", goal.name),
                Kind::Stacks => "such a stack".into(),
                Kind::Statement | Kind::Ltl | Kind::Automaton | Kind::Termination => "is reached".into(),
            };
            let (last, shortest) = ("goal", "no run is shorter");
            let manner =
                trace::text::Manner { unfold: manner.unfold, palette: manner.palette, goal: &reached, last, shortest };
            trace::text::write(out, trace, &manner)
        }
        Counterexample::Lasso(lasso) => write_lasso(out, lasso, manner),
    }
}

/// A run that goes on for ever: how it gets into the loop, and the loop once.
fn write_lasso(out: &mut impl Write, lasso: &Lasso, manner: &Manner) -> Result<()> {
    let Palette { faint, bad, .. } = manner.palette;
    let Manner { unfold, palette, .. } = *manner;
    let shortest = "no way here is shorter";
    let stem = trace::text::Manner { unfold, palette, goal: "the loop begins here", last: "loop", shortest };
    trace::text::write(out, &lasso.stem, &stem)?;
    writeln!(out, "  {faint}and then for ever:{faint:#}")?;
    let round = trace::text::Manner { goal: "again", last: "loop", shortest: "no round from here is shorter", ..stem };
    trace::text::write(out, &lasso.round, &round)?;
    if !lasso.grows.is_empty() {
        let calls: Vec<String> = lasso.grows.iter().map(|name| format!("`{name}`")).collect();
        writeln!(
            out,
            "  {bad}each round of the loop pushes {} and never returns: the stack grows without end{bad:#}",
            calls.join(", then ")
        )?;
    }
    Ok(())
}

/// What is said of a goal that holds, and of one that is violated.
const fn verbs(goal: &Goal) -> (&'static str, &'static str) {
    match goal.kind {
        Kind::Assertion => ("cannot fail", "can fail"),
        Kind::Label | Kind::Statement => ("is unreachable", "is reachable"),
        Kind::Ltl => ("holds on every infinite run", "is violated by a run without end"),
        Kind::Automaton => ("accepts no infinite run", "accepts a run without end"),
        Kind::Termination => ("always ends", "may go on for ever"),
        Kind::Stacks => ("is never the stack", "can be the stack"),
    }
}

/// The goal as the beginning of a sentence.
fn subject(goal: &Goal) -> String {
    match goal.kind {
        Kind::Assertion => format!("assertion at {}", goal.place),
        Kind::Statement => format!("statement at {}", goal.place),
        Kind::Label if goal.name.contains(':') => format!("`{}`", goal.name),
        Kind::Label => format!("`{}` in {}", goal.name, goal.procedure),
        Kind::Ltl | Kind::Automaton | Kind::Stacks => format!("`{}`", goal.name),
        Kind::Termination => goal.name.clone(),
    }
}

fn is_at_place(goal: &Goal) -> bool {
    matches!(goal.kind, Kind::Assertion | Kind::Statement)
}

fn write_last_line(out: &mut impl Write, answer: &Answer, manner: &Manner) -> Result<()> {
    let Palette { good, bad, unsure, .. } = manner.palette;
    match answer.outcome() {
        Outcome::Holds => writeln!(out, "{good}holds{good:#}: {}", basis_of_holds(answer)),
        Outcome::Violated => writeln!(out, "{bad}violated{bad:#}: {}", basis_of_violated(answer, manner)),
        Outcome::Unknown => writeln!(out, "{unsure}unknown{unsure:#}: {}", basis_of_unknown(answer, manner)),
    }
}

fn basis_of_holds(answer: &Answer) -> String {
    if answer.goals.is_empty() {
        return "there is nothing to check".into();
    }
    let basis = match answer.proof {
        ProofBasis::Fixpoint if answer.goals.iter().any(|(goal, _)| goal.kind == Kind::Stacks) => {
            "complete search".into()
        }
        ProofBasis::Fixpoint => "complete search, --certify checks its proof".into(),
        ProofBasis::Certified { obligations } => format!("proof checked ({})", count(obligations, "obligation")),
    };
    format!("{}; {basis}", summary(&answer.goals, |finding| matches!(finding, Finding::Holds), Tell::Holds))
}

fn basis_of_violated(answer: &Answer, manner: &Manner) -> String {
    let is_violated = |finding: &Finding| matches!(finding, Finding::Violated(_));
    let mut text = summary(&answer.goals, is_violated, Tell::Violated);
    let unknown = answer.goals.iter().filter(|(_, finding)| matches!(finding, Finding::Unknown(_))).count();
    if let Some(reason) = answer.reason() {
        text += &format!(
            "; {} undecided ({})",
            count(unknown, "goal"),
            reason_text(reason, &answer.sources, manner.limits)
        );
    }
    let is_replayed = answer.goals.iter().all(|(_, finding)| !matches!(finding, Finding::Violated(None)));
    let violated = answer.goals.iter().filter(|(_, finding)| is_violated(finding)).count();
    text + match (is_replayed, violated) {
        (false, _) => "; no trace was asked for, so none was replayed",
        (true, 1) => "; trace replayed",
        (true, _) => "; every trace replayed",
    }
}

fn basis_of_unknown(answer: &Answer, manner: &Manner) -> String {
    let reason = answer.reason().expect("an unknown answer has a reason");
    let text = reason_text(reason, &answer.sources, manner.limits);
    match advice(reason, manner.limits) {
        Some(advice) => format!("{text}; {advice}"),
        None => text,
    }
}

/// What a summary counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tell {
    Holds,
    Violated,
}

/// "1 of 3 labels reachable, 2 assertions can fail" or, where that does not say how many goals there are in all,
/// "2 of 4 goals (2 assertions can fail)".
fn summary(goals: &[(Goal, Finding)], counts: impl Fn(&Finding) -> bool, tell: Tell) -> String {
    if let [(goal, _)] = goals
        && let Some(text) = sentence(goal, tell)
    {
        return text;
    }
    let kinds = [
        (Kind::Label, "label", "unreachable", "reachable"),
        (Kind::Statement, "statement", "unreachable", "reachable"),
        (Kind::Assertion, "assertion", "cannot fail", "can fail"),
    ];
    let mut parts = Vec::new();
    for (kind, noun, holds, violated) in kinds {
        let verb = if tell == Tell::Holds { holds } else { violated };
        let of_kind: Vec<&Finding> =
            goals.iter().filter(|(goal, _)| goal.kind == kind).map(|(_, found)| found).collect();
        let (all, some) = (of_kind.len(), of_kind.iter().filter(|found| counts(found)).count());
        if some > 0 {
            let part = if some == all { count(all, noun) } else { format!("{some} of {}", count(all, noun)) };
            parts.push(format!("{part} {verb}"));
        }
    }
    let counted = goals.iter().filter(|(_, finding)| counts(finding)).count();
    let is_whole = counted == goals.len() || parts.iter().any(|part| part.contains(" of "));
    let parts = parts.join(", ");
    if is_whole { parts } else { format!("{counted} of {} ({parts})", count(goals.len(), "goal")) }
}

/// What is said of a goal that is always the only one.
fn sentence(goal: &Goal, tell: Tell) -> Option<String> {
    match (goal.kind, tell) {
        (Kind::Label | Kind::Statement | Kind::Assertion, _) => None,
        (Kind::Ltl, Tell::Holds) => Some("every infinite run satisfies it".into()),
        (Kind::Ltl, Tell::Violated) => Some("an infinite run does not satisfy it".into()),
        (Kind::Automaton, Tell::Holds) => Some("no infinite run is accepted".into()),
        (Kind::Automaton, Tell::Violated) => Some("an infinite run is accepted".into()),
        (Kind::Termination, Tell::Holds) => Some(format!("{} always ends", goal.name)),
        (Kind::Termination, Tell::Violated) => Some(format!("{} may go on for ever", goal.name)),
        (Kind::Stacks, Tell::Holds) => Some("no run has such a stack".into()),
        (Kind::Stacks, Tell::Violated) => Some("a run has such a stack".into()),
    }
}

/// Why there is no answer, without what to do about it.
pub fn reason_text(reason: &Reason, sources: &SourceMap, limits: Limits) -> String {
    match reason {
        Reason::Limit(Limit::Time) => match limits.seconds {
            Some(seconds) => format!("time limit of {seconds} s reached"),
            None => "time limit reached".into(),
        },
        Reason::Limit(Limit::Memory) => match limits.megabytes {
            Some(megabytes) => format!("memory limit of {megabytes} MB reached"),
            None => "memory limit reached".into(),
        },
        Reason::Limit(Limit::Interrupt) => "interrupted".into(),
        Reason::Limit(Limit::Allowance) => "the engine's allowance of work is spent".into(),
        Reason::Unmodelled { what, span } => {
            let place = sources.locate(*span);
            format!("{what} at {}:{} can be reached and is not modelled", place.path, place.line)
        }
    }
}

/// What to do about it.
pub fn advice(reason: &Reason, limits: Limits) -> Option<String> {
    match reason {
        Reason::Limit(Limit::Time) => limits.seconds.map(|seconds| format!("try --time-limit {}", 5.0 * seconds)),
        Reason::Limit(Limit::Memory) => limits.megabytes.map(|size| format!("try --memory-limit {}", 4 * size)),
        Reason::Limit(Limit::Interrupt) => None,
        Reason::Limit(Limit::Allowance) | Reason::Unmodelled { .. } => {
            Some(format!("see `hardbop explain {}`", reason.code()))
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
