//! What the checker says.

use hardbop_base::Exhausted;
use hardbop_icfg::EdgeId;
use std::fmt;

/// How much was checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Certificate {
    /// Obligations that differ and that do not hold by their form alone: what the solver was asked.
    pub solved: usize,
    /// Obligations that hold because a counterexample folds to false.
    pub folded: usize,
    /// Obligations that are the same as an earlier one.
    pub repeated: usize,
}

/// Which way an edge is followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// A step.
    Step,
    /// From a call to the callee's entry.
    Enter,
    /// From the callee's exit back to the caller.
    Leave,
}

/// Why a proof is not accepted. All but the last are mistakes of ours, never the user's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CertifyError {
    /// A node has no formula, or a formula speaks of no slot or contains itself.
    Malformed,
    /// A first state is outside the annotation.
    InitialNotCovered,
    /// An edge leads out of the annotation.
    NotInductive {
        /// The edge.
        edge: EdgeId,
        /// The way on which it does.
        side: Side,
    },
    /// The annotation allows a goal.
    GoalNotExcluded {
        /// Its place in the list of goals.
        goal: usize,
    },
    /// A rank falls along an edge, or does not rise where the run is accepting.
    NotRanked {
        /// The edge.
        edge: EdgeId,
        /// The way on which it does.
        side: Side,
    },
    /// A limit was hit.
    Exhausted,
}

impl From<Exhausted> for CertifyError {
    fn from(Exhausted: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl std::error::Error for CertifyError {}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("the annotation is incomplete or not well formed"),
            Self::InitialNotCovered => f.write_str("a first state is outside the annotation"),
            Self::NotInductive { edge, side } => {
                let way = match side {
                    Side::Step => "the step",
                    Side::Enter => "the way into the call",
                    Side::Leave => "the way back from the call",
                };
                write!(f, "{way} {edge} leads out of the annotation")
            }
            Self::NotRanked { edge, side } => write!(f, "the ranks along {edge} ({side:?}) do not prove anything"),
            Self::GoalNotExcluded { goal } => write!(f, "the annotation allows goal {goal}"),
            Self::Exhausted => f.write_str("a limit was hit"),
        }
    }
}
