//! A run that reaches a goal, as a DAG of sub-traces.
//!
//! The run itself is hierarchical [BR00, §3.2]: it enters the calls that it never returns from and crosses all others
//! in one move. How a crossed call gets from its entry to its exit is a [`SubTrace`], stored once however often it is
//! used: unfolded, a run can be exponentially long.
//!
//! Values are ternary: `None` is `*`, any value. The run works for every combination of the values left open, because
//! no guard and no required value depends on them.

use hardbop_base::{IndexVec, newtype_index};
use hardbop_icfg::{EdgeId, ProcId, VarId};
use serde::{Deserialize, Serialize};

newtype_index! {
    /// A sub-trace of a witness.
    pub struct SubTraceId = "sub";
}

/// How a transition's open values are decided. What a list is too short for is left open.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Picks {
    /// The value of each choice of the transition, in order.
    pub choices: Vec<Option<bool>>,
    /// The value of each variable that may get any, in order: the updates to [`Value::Any`](hardbop_icfg::Value) of
    /// a step or of the way back from a call; on the way into a call, the callee's results and locals that have no
    /// update or one to `Any`, in the order of [`Program::locals`](hardbop_icfg::Program).
    pub values: Vec<Option<bool>>,
}

/// One move of a run. Each counts one towards its length.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Follows a step.
    Step {
        /// The step.
        edge: EdgeId,
        /// Its open values.
        picks: Picks,
    },
    /// Goes into a call that the run does not return from.
    Enter {
        /// The call.
        edge: EdgeId,
        /// The open values on the way in.
        picks: Picks,
    },
    /// Goes over a call.
    Cross {
        /// The call.
        edge: EdgeId,
        /// The open values on the way in. A value that is left open here and that `sub` requires is the required one,
        /// so the list may stay empty.
        enter: Picks,
        /// From the callee's entry to its exit.
        sub: SubTraceId,
        /// The open values on the way back.
        leave: Picks,
    },
}

impl Move {
    /// The edge it follows.
    pub const fn edge(&self) -> EdgeId {
        match *self {
            Self::Step { edge, .. } | Self::Enter { edge, .. } | Self::Cross { edge, .. } => edge,
        }
    }
}

/// A lemma: from every entry state of `proc` that meets `requires`, these moves lead to its exit with `effects`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SubTrace {
    /// The procedure.
    pub proc: ProcId,
    /// What must be so at the entry: globals, parameters, and those other locals whose first value matters.
    pub requires: Vec<(VarId, bool)>,
    /// Steps, and calls crossed by sub-traces with a smaller id.
    pub moves: Vec<Move>,
    /// What is so at the exit: every global that was written, `None` where its value is open, and the results that are
    /// known. Every other global is as it was at the entry.
    pub effects: Vec<(VarId, Option<bool>)>,
}

/// Whether a shorter run might exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Length {
    /// No run has fewer moves.
    Shortest,
    /// No run has fewer moves in the procedure that it ends in; nor, given what it needs there, in the caller; and so on
    /// outwards.
    ShortestInEach,
    /// The search for a shorter one met its allowance.
    PerhapsNotShortest,
}

/// A run from the entry procedure's first state to a goal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// The first state: a value for each variable of [`Program::scope`](hardbop_icfg::Program::scope) of the entry
    /// procedure, in that order.
    pub initial: Vec<Option<bool>>,
    /// The choices of the program's initial constraint.
    pub initial_choices: Vec<Option<bool>>,
    /// The moves, up to the goal's node.
    pub moves: Vec<Move>,
    /// The choices of the goal's condition.
    pub goal_choices: Vec<Option<bool>>,
    /// The sub-traces of crossed calls; each uses only earlier ones.
    pub subtraces: IndexVec<SubTraceId, SubTrace>,
    /// Whether a shorter run might exist.
    pub length: Length,
}
