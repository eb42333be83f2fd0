//! The control flow of a C program: one graph of all its functions, whose edges are labelled with C.
//!
//! [`whole`] makes it of a program whose pointers are known. It keeps every statement of the three-address form as it is;
//! an engine relabels the edges with what they do to its facts or predicates, so a path in an abstraction is a path in the
//! C program.

mod build;
mod whole;

pub use build::{CallSite, Entries, Surroundings, Targets, graph};
pub use whole::whole;

use hardbop_base::IndexVec;
use hardbop_c_core::{Expr, FunctionId, Place, Stmt};
use hardbop_icfg::{EdgeId, Icfg, NodeId, ProcId};

/// The control flow of a C program.
#[derive(Clone, Debug)]
pub struct CGraph<'m> {
    /// Nodes and edges.
    pub icfg: Icfg,
    /// What each edge does.
    pub actions: IndexVec<EdgeId, Action<'m>>,
    /// The function of each procedure; none for those outside, which call the entries and whatever they know.
    pub functions: IndexVec<ProcId, Option<FunctionId>>,
    /// The procedure of each function with a body.
    pub procs: IndexVec<FunctionId, Option<ProcId>>,
    /// Where a run starts.
    pub entry: ProcId,
    /// The labels that the source has.
    pub labels: Vec<(String, NodeId)>,
}

/// What an edge does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action<'m> {
    /// Nothing: a jump.
    Nothing,
    /// Goes on where the condition is zero or where it is not.
    Assume(&'m Expr, Truth),
    /// An assignment, or another statement that is neither a call nor a jump; of a computed jump, where it leads is found
    /// out.
    Do(&'m Stmt),
    /// What is there changes by itself, and is about to be read.
    Change(&'m Place),
    /// A call of a function with a body. Where the statement calls through a pointer, the pointer points to it.
    Call(&'m Stmt, FunctionId),
    /// What the call before has returned goes where the statement says.
    Take(&'m Stmt, FunctionId),
    /// A call of a function without a body, or through a pointer to who knows what.
    External(&'m Stmt, Option<FunctionId>),
    /// Code outside, which the statement calls, calls back whom it likes.
    CallBack(&'m Stmt),
    /// The run is about to end, and code outside calls whom it was given.
    End,
    /// The parameters of a function whose address is taken, or that have unions in them, get what the function was called
    /// with.
    Enter(FunctionId),
    /// Code outside does what it likes with what it can reach.
    Outside,
    /// The call of a function from outside, with any arguments.
    Start(FunctionId),
    /// The call of a function from outside that an analysis speaks of has been.
    Started(FunctionId),
    /// Sets the result, on the way to the exit.
    Return(Option<&'m Expr>),
    /// Back to the caller.
    Leave,
}

/// What a condition is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// Not zero.
    True,
    /// Zero.
    False,
}
