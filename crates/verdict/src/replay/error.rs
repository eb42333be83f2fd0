//! What can be wrong with a witness. Any of it is a mistake of ours, never the user's.

use crate::SubTraceId;
use hardbop_icfg::{EdgeId, NodeId, ProcId, VarId};
use std::fmt;

/// A witness that is not a run to the goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// How far the replay came.
    pub place: Place,
    /// What is wrong there.
    pub fault: Fault,
}

/// A place in a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The run that was followed.
    pub run: RunId,
    /// How many of its moves had been made; the fault is in the next one or, after the last, at the end.
    pub moves: usize,
}

/// One of the runs in a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunId {
    /// From the first state to the goal.
    Main,
    /// From a procedure's entry to its exit.
    Sub(SubTraceId),
}

/// A formula of the program that must be true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The program's constraint on the first state.
    Initial,
    /// The guard of a step.
    StepGuard,
    /// The constraint of a step.
    StepConstraint,
    /// The guard of the way into a call.
    EnterGuard,
    /// The constraint of the way into a call.
    EnterConstraint,
    /// The guard of the way back from a call.
    LeaveGuard,
    /// The constraint of the way back from a call.
    LeaveConstraint,
    /// The goal's condition.
    Goal,
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The first state has not one value for each variable in scope.
    InitialLength {
        /// The number of variables in scope.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// What must be true is false.
    False {
        /// What must be true.
        part: Part,
    },
    /// What must be true depends on a value that is left open.
    Open {
        /// What must be true.
        part: Part,
    },
    /// There is no such edge.
    NoSuchEdge {
        /// The edge.
        edge: EdgeId,
    },
    /// There is no such procedure.
    NoSuchProc {
        /// The procedure.
        proc: ProcId,
    },
    /// The edge does not start where the run is.
    WrongStart {
        /// The edge.
        edge: EdgeId,
        /// Where the run is.
        node: NodeId,
    },
    /// The move is a step and the edge is not, or the move is about a call and the edge is not.
    WrongKind {
        /// The edge.
        edge: EdgeId,
    },
    /// More values are given than the transition leaves open.
    TooManyPicks,
    /// A sub-trace goes into a call without coming back.
    EnterInSubTrace,
    /// A call is crossed by a sub-trace that does not come before the one it is used in.
    LaterSubTrace {
        /// The sub-trace used.
        sub: SubTraceId,
    },
    /// A call is crossed by a sub-trace of another procedure.
    WrongCallee {
        /// The sub-trace used.
        sub: SubTraceId,
        /// The procedure called.
        callee: ProcId,
    },
    /// A call is crossed by a sub-trace that requires something else.
    UnmetRequirement {
        /// The sub-trace used.
        sub: SubTraceId,
        /// The variable.
        var: VarId,
        /// The value it must have at the callee's entry.
        required: bool,
        /// The value it has.
        found: Option<bool>,
    },
    /// A sub-trace speaks of a variable that its procedure cannot see.
    OutOfScope {
        /// The variable.
        var: VarId,
    },
    /// A sub-trace ends with another value than it claims.
    WrongEffect {
        /// The variable.
        var: VarId,
        /// The value claimed.
        claimed: bool,
        /// The value it has.
        found: Option<bool>,
    },
    /// A sub-trace writes a global and does not say so.
    MissingEffect {
        /// The global.
        var: VarId,
    },
    /// A sub-trace does not end at its procedure's exit.
    NotAtExit {
        /// Where it ends.
        node: NodeId,
    },
    /// The run does not end at the goal.
    NotAtGoal {
        /// Where it ends.
        node: NodeId,
    },
}

impl std::error::Error for ReplayError {}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.run {
            RunId::Main => write!(f, "after {} moves", self.moves),
            RunId::Sub(id) => write!(f, "after {} moves of {id}", self.moves),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Initial => "the constraint on the first state",
            Self::StepGuard => "the guard of the step",
            Self::StepConstraint => "the constraint of the step",
            Self::EnterGuard => "the guard of the way into the call",
            Self::EnterConstraint => "the constraint of the way into the call",
            Self::LeaveGuard => "the guard of the way back from the call",
            Self::LeaveConstraint => "the constraint of the way back from the call",
            Self::Goal => "the goal's condition",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InitialLength { expected, found } => {
                write!(f, "the first state has {found} values for {expected} variables")
            }
            Self::False { part } => write!(f, "{part} is false"),
            Self::Open { part } => write!(f, "{part} depends on an open value"),
            Self::NoSuchEdge { edge } => write!(f, "there is no edge {edge}"),
            Self::NoSuchProc { proc } => write!(f, "there is no procedure {proc}"),
            Self::WrongStart { edge, node } => write!(f, "{edge} does not start at {node}"),
            Self::WrongKind { edge } => write!(f, "{edge} is of another kind than the move"),
            Self::TooManyPicks => f.write_str("more values are given than are open"),
            Self::EnterInSubTrace => f.write_str("a sub-trace enters a call without coming back"),
            Self::LaterSubTrace { sub } => write!(f, "{sub} is used before it has been followed"),
            Self::WrongCallee { sub, callee } => write!(f, "{sub} is not about {callee}, which is called"),
            Self::UnmetRequirement { sub, var, required, found } => {
                write!(f, "{sub} requires {var} to be {} and it is {}", Shown(Some(required)), Shown(found))
            }
            Self::OutOfScope { var } => write!(f, "{var} is not in scope"),
            Self::WrongEffect { var, claimed, found } => {
                write!(f, "the effect on {var} is {} and not {}", Shown(found), Shown(Some(claimed)))
            }
            Self::MissingEffect { var } => write!(f, "{var} is written and is not among the effects"),
            Self::NotAtExit { node } => write!(f, "the sub-trace ends at {node}, which is not the exit"),
            Self::NotAtGoal { node } => write!(f, "the run ends at {node}, which is not the goal"),
        }
    }
}

/// A ternary value as a person writes it.
struct Shown(Option<bool>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(false) => "0",
            Some(true) => "1",
            None => "*",
        })
    }
}
