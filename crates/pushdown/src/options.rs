//! What the engine may be told and what it tells.

use hardbop_verdict::{Proof, Verdict};

/// Whether an optimisation is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// It is.
    On,
    /// It is not.
    Off,
}

/// What is wanted besides the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Nothing.
    None,
    /// A run for each goal that can be reached.
    Traces,
    /// And a proof for those that cannot.
    TracesAndProof,
}

/// Which optimisations are used, so that each can be measured and tested against its absence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Order the bits of numbers by what is done with them.
    pub order: Switch,
    /// Let an automaton that is weak do without a memory.
    pub class: Switch,
    /// Look for repeating heads only among what can be reached.
    pub post: Switch,
    /// Cut the graphs of heads into components by control flow before looking at values.
    pub rough: Switch,
    /// Give outermost activations of recursive procedures code of their own.
    pub unroll: Switch,
    /// Drop what the goals cannot see.
    pub slice: Switch,
    /// Keep globals that a procedure cannot modify out of its path edges' entry states.
    pub mod_ref: Switch,
    /// Quantify out dead variables.
    pub liveness: Switch,
    /// Make straight-line chains one relation.
    pub chains: Switch,
    /// Propagate only what is new.
    pub frontiers: Switch,
    /// The first rung: concrete search.
    pub concrete: Switch,
    /// The second rung: no entry states.
    pub insensitive: Switch,
    /// What is wanted besides the verdict.
    pub evidence: Evidence,
    /// How many steps the first attempt at an exact answer may take; [`FIRST_ATTEMPT`](crate::ladder::FIRST_ATTEMPT).
    pub first_attempt: u64,
    /// How many steps the search for a shortest run may take at least; [`TRACE_ATTEMPT`](crate::ladder::TRACE_ATTEMPT).
    pub trace_attempt: u64,
}

/// The rung of the ladder that decided a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rung {
    /// Concrete search.
    Concrete,
    /// The analysis without entry states.
    Insensitive,
    /// The exact analysis.
    Exact,
}

/// Figures of a run.
#[derive(Clone, Default, Debug)]
pub struct Stats {
    /// The most BDD nodes alive at once.
    pub peak_nodes: usize,
    /// BDD nodes made.
    pub created_nodes: u64,
    /// Visits to control points.
    pub iterations: u64,
    /// BDD levels.
    pub levels: usize,
    /// Variables of the program.
    pub variables: usize,
    /// For each optimisation: its name, how many things it kept and how many it dropped, and what the things are.
    pub effects: Vec<(&'static str, usize, usize, &'static str)>,
}

/// The answers.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer to each goal, in the order asked.
    pub verdicts: Vec<Verdict>,
    /// Which rung gave it.
    pub rungs: Vec<Option<Rung>>,
    /// Whether control comes to the place of each goal at all, met or not, where that is known.
    pub is_entered: Vec<Option<bool>>,
    /// A proof for all the goals that hold, if wanted.
    pub proof: Option<Proof>,
    /// Figures.
    pub stats: Stats,
}
