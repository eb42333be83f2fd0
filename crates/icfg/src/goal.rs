//! What must not happen, and the places in a program that goals can name.

use crate::{EdgeId, ExprId, NodeId};
use hardbop_base::{IndexVec, Span};
use std::collections::BTreeMap;

/// What kind of place a goal is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoalKind {
    /// A labelled statement.
    Label,
    /// A failing assertion.
    Assertion,
    /// Any statement, named by file and line.
    Statement,
}

/// A state that must not be reached: at `node`, with `condition` true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// Where.
    pub node: NodeId,
    /// In which states, over `x` and choices; in all where there is none.
    pub condition: Option<ExprId>,
    /// How the user names it.
    pub name: String,
    /// What kind of place it is.
    pub kind: GoalKind,
    /// Its place in the source.
    pub span: Span,
}

/// An assertion: fails where its node is reached with `failure` possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// Where.
    pub node: NodeId,
    /// The negated condition.
    pub failure: ExprId,
    /// The statement.
    pub span: Span,
}

/// A statement that is not modelled. A run ends there, and an answer that depends on what lies behind is `unknown`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmodelled {
    /// Where; the node has no successors.
    pub node: NodeId,
    /// What it is, for the user: "`start_thread`".
    pub what: String,
    /// The statement.
    pub span: Span,
}

/// The places of a program that questions can be about.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Marks {
    /// All assertions, in the order of the source.
    pub assertions: Vec<Assertion>,
    /// All labels with their nodes, in the order of the source. A label may stand in several procedures.
    pub labels: Vec<(String, NodeId)>,
    /// All statements that are not modelled.
    pub unmodelled: Vec<Unmodelled>,
    /// What the user wrote for an edge, where several leave a node and each has a text of its own.
    pub rules: BTreeMap<EdgeId, Span>,
    /// Nodes that are no places of their own: the second half of something that the user wrote as one step. An edge
    /// that leaves one does not count as a step, and each leads on to a node that is a place.
    pub silent: Vec<NodeId>,
}

impl Marks {
    /// For each of `nodes` nodes, whether it is silent.
    pub fn is_silent(&self, nodes: usize) -> IndexVec<NodeId, bool> {
        let mut is_silent = IndexVec::from_elem(false, nodes);
        for &node in &self.silent {
            is_silent[node] = true;
        }
        is_silent
    }
}
