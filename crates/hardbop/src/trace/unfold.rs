//! Which crossed calls are stepped into, and the lines that a trace is printed as.
//!
//! A sub-trace is unfolded where it occurs first, shallow ones before deep ones, while the lines last. Everywhere else
//! its call is one line. So the lines are linear in the trace, however long the run would be without folding.
//!
//! **Invariant:** sub-traces use only earlier ones, so none is met again while it is being unfolded.

use super::{Call, Run, Step, Trace};
use crate::arguments::Unfold;
use hardbop_base::IndexVec;
use hardbop_verdict::SubTraceId;
use std::collections::VecDeque;

/// A line of a printed trace.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The run that the step is in; the main one where there is none.
    pub run: Option<SubTraceId>,
    /// Which step of it.
    pub step: usize,
    /// How many calls are open.
    pub depth: usize,
    /// How many of them are unfolded sub-traces.
    pub unfolded: usize,
    /// What is shown of a call.
    pub shown: Shown,
}

/// What a line shows of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// It is no call, or the lines that follow are the callee's.
    Inline,
    /// Only what it changes.
    Effect,
    /// What it changes, and the lines (numbers from 1, both included) where it is unfolded.
    AsIn(usize, usize),
    /// Only what it changes, since the lines did not last.
    Cut,
}

/// The lines of `trace`.
pub fn lines(trace: &Trace, unfold: Unfold) -> Vec<Line> {
    let mut unfolder = Unfolder {
        trace,
        fate: choose(trace, unfold),
        frames: vec![Frame { run: None, next: 0, base: 0, first_line: 0 }],
        lines: Vec::new(),
    };
    while unfolder.advance() {}
    unfolder.lines
}

/// Whether nothing in the caller's sight changes over step `index` of `run`.
pub fn changes_nothing(run: &Run, index: usize) -> bool {
    run.steps[index].values == run.after(index).values
}

/// What becomes of a sub-trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It is not used where it changes anything.
    Unused,
    /// The lines do not last for it.
    Cut,
    /// It is to be unfolded.
    Chosen,
    /// It is unfolded at these lines.
    Unfolded(usize, usize),
}

/// Chooses breadth first, so that what is near the run itself comes before what is deep in its calls.
fn choose(trace: &Trace, unfold: Unfold) -> IndexVec<SubTraceId, Fate> {
    let mut fate = IndexVec::from_elem(Fate::Unused, trace.subtraces.len());
    let mut left = match unfold {
        Unfold::All => usize::MAX,
        Unfold::Lines(lines) => lines.saturating_sub(trace.main.steps.len()),
    };
    let mut queue = VecDeque::from([&trace.main]);
    while let Some(run) = queue.pop_front() {
        for (index, step) in run.steps.iter().enumerate() {
            let Call::Cross(sub) = step.call else { continue };
            if fate[sub] != Fate::Unused || changes_nothing(run, index) {
                continue;
            }
            let callee = &trace.subtraces[sub];
            if callee.steps.len() <= left {
                left -= callee.steps.len();
                fate[sub] = Fate::Chosen;
                queue.push_back(callee);
            } else {
                fate[sub] = Fate::Cut;
            }
        }
    }
    fate
}

struct Unfolder<'a> {
    trace: &'a Trace,
    fate: IndexVec<SubTraceId, Fate>,
    frames: Vec<Frame>,
    lines: Vec<Line>,
}

struct Frame {
    run: Option<SubTraceId>,
    next: usize,
    /// The depth that the run's own depths are added to.
    base: usize,
    first_line: usize,
}

impl Unfolder<'_> {
    /// Makes one line, or leaves a run that is over; false at the end of the main one.
    fn advance(&mut self) -> bool {
        let unfolded = self.frames.len().saturating_sub(1);
        let Some(frame) = self.frames.last_mut() else { return false };
        let run = run_of(self.trace, frame.run);
        let Some(step) = run.steps.get(frame.next) else {
            if let Some(sub) = frame.run {
                self.fate[sub] = Fate::Unfolded(frame.first_line, self.lines.len());
            }
            self.frames.pop();
            return true;
        };
        let (index, depth) = (frame.next, frame.base + step.depth as usize);
        frame.next += 1;
        let mut line = Line { run: frame.run, step: index, depth, unfolded, shown: Shown::Inline };
        let Call::Cross(sub) = step.call else {
            self.lines.push(line);
            return true;
        };
        line.shown = match self.fate[sub] {
            _ if changes_nothing(run, index) => Shown::Effect,
            // An unfolded run without steps has no lines to point at.
            Fate::Unfolded(first, last) if first <= last => Shown::AsIn(first, last),
            Fate::Unused | Fate::Unfolded(..) => Shown::Effect,
            Fate::Cut => Shown::Cut,
            Fate::Chosen if self.trace.subtraces[sub].steps.is_empty() => Shown::Effect,
            Fate::Chosen => Shown::Inline,
        };
        self.lines.push(line);
        if line.shown == Shown::Inline {
            self.frames.push(Frame { run: Some(sub), next: 0, base: depth + 1, first_line: self.lines.len() + 1 });
        }
        true
    }
}

/// The run that a line is in.
pub fn run_of(trace: &Trace, run: Option<SubTraceId>) -> &Run {
    run.map_or(&trace.main, |sub| &trace.subtraces[sub])
}

/// The step that a line shows.
pub fn step_of<'a>(trace: &'a Trace, line: &Line) -> &'a Step {
    &run_of(trace, line.run).steps[line.step]
}
