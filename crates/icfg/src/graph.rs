//! Control flow: nodes, and edges that are the rules of a pushdown system.
//!
//! An edge is `⟨n⟩ ↪ ⟨m⟩` (a step), `⟨n⟩ ↪ ⟨entry m⟩` (a call that comes back to `m`) or `⟨n⟩ ↪ ⟨ε⟩` (a return) [ES01, §3].
//!
//! **Invariant:** an edge stays in one procedure, and a procedure's only return leaves from its exit node.

use hardbop_base::{IndexVec, Span, newtype_index};

newtype_index! {
    /// A control point; a stack symbol of the pushdown system.
    pub struct NodeId = "n";
    /// An edge; a rule of the pushdown system.
    pub struct EdgeId = "e";
    /// A procedure.
    pub struct ProcId = "p";
}

/// A control point: the place just before a statement, or a procedure's exit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The procedure it belongs to.
    pub proc: ProcId,
    /// The statement that is about to be executed (at an exit: the procedure's `end`).
    pub span: Span,
}

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// To `to` in the same procedure.
    Step {
        /// The next control point.
        to: NodeId,
    },
    /// Into `callee`, and from its exit back to `to`.
    Call {
        /// The procedure called.
        callee: ProcId,
        /// Where the caller goes on.
        to: NodeId,
    },
    /// Back to the caller.
    Return,
}

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: NodeId,
    /// Where it leads.
    pub kind: EdgeKind,
}

impl Edge {
    /// Where the same procedure goes on: a step's target, a call's place of return.
    pub fn target(&self) -> Option<NodeId> {
        match self.kind {
            EdgeKind::Step { to } | EdgeKind::Call { to, .. } => Some(to),
            EdgeKind::Return => None,
        }
    }
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Its name in the source.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The first control point; the exit itself where the body is empty.
    pub entry: NodeId,
    /// The control point that the return leaves from.
    pub exit: NodeId,
    /// Its control points: the nodes from the first up to but not including the second.
    pub nodes: (NodeId, NodeId),
}

/// The interprocedural control-flow graph. Made by an [`IcfgBuilder`]; never changes afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Icfg {
    /// All control points; a procedure's nodes are consecutive.
    pub nodes: IndexVec<NodeId, Node>,
    /// All edges.
    pub edges: IndexVec<EdgeId, Edge>,
    /// All procedures.
    pub procs: IndexVec<ProcId, Proc>,
    successors: Adjacency<NodeId>,
    predecessors: Adjacency<NodeId>,
    callers: Adjacency<ProcId>,
}

impl Icfg {
    /// The edges that leave `node`, in the order of the source.
    pub fn successors(&self, node: NodeId) -> &[EdgeId] {
        self.successors.row(node)
    }

    /// The steps and calls whose [`Edge::target`] is `node`.
    pub fn predecessors(&self, node: NodeId) -> &[EdgeId] {
        self.predecessors.row(node)
    }

    /// The call edges that call `proc`.
    pub fn callers(&self, proc: ProcId) -> &[EdgeId] {
        self.callers.row(proc)
    }

    /// The control points of `proc`.
    pub fn nodes_of(&self, proc: ProcId) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        use hardbop_base::Idx;
        let (first, end) = self.procs[proc].nodes;
        (first.index()..end.index()).map(NodeId::from_usize)
    }
}

/// Collects a graph, procedure by procedure.
#[derive(Default, Debug)]
pub struct IcfgBuilder {
    nodes: IndexVec<NodeId, Node>,
    edges: IndexVec<EdgeId, Edge>,
    procs: IndexVec<ProcId, Proc>,
}

impl IcfgBuilder {
    /// Goes on from a graph that is finished; what it has keeps its numbers.
    pub fn resume(icfg: Icfg) -> Self {
        Self { nodes: icfg.nodes, edges: icfg.edges, procs: icfg.procs }
    }

    /// Adds a control point of `proc`. All nodes of one procedure are added before those of the next.
    pub fn node(&mut self, proc: ProcId, span: Span) -> NodeId {
        self.nodes.push(Node { proc, span })
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: NodeId, kind: EdgeKind) -> EdgeId {
        self.edges.push(Edge { from, kind })
    }

    /// Adds the next procedure. Procedures are numbered in the order of these calls.
    pub fn proc(&mut self, proc: Proc) -> ProcId {
        self.procs.push(proc)
    }

    /// Lets the call `edge` call `callee` instead.
    pub fn redirect(&mut self, edge: EdgeId, callee: ProcId) {
        match &mut self.edges[edge].kind {
            EdgeKind::Call { callee: called, .. } => *called = callee,
            EdgeKind::Step { .. } | EdgeKind::Return => panic!("{edge:?} is no call"),
        }
    }

    /// The number that the next procedure gets.
    pub fn next_proc(&self) -> ProcId {
        self.procs.next_id()
    }

    /// The number that the next node gets.
    pub fn next_node(&self) -> NodeId {
        self.nodes.next_id()
    }

    /// The graph.
    pub fn finish(self) -> Icfg {
        let Self { nodes, edges, procs } = self;
        let successors = Adjacency::new(nodes.len(), edges.iter_enumerated().map(|(id, edge)| (edge.from, id)));
        let predecessors =
            Adjacency::new(nodes.len(), edges.iter_enumerated().filter_map(|(id, edge)| Some((edge.target()?, id))));
        let callers = Adjacency::new(
            procs.len(),
            edges.iter_enumerated().filter_map(|(id, edge)| match edge.kind {
                EdgeKind::Call { callee, .. } => Some((callee, id)),
                _ => None,
            }),
        );
        Icfg { nodes, edges, procs, successors, predecessors, callers }
    }
}

/// For each `I` a run of edges, all in one array.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Adjacency<I> {
    starts: Vec<u32>,
    edges: Vec<EdgeId>,
    marker: std::marker::PhantomData<fn(I)>,
}

impl<I: hardbop_base::Idx> Adjacency<I> {
    fn new(rows: usize, pairs: impl Iterator<Item = (I, EdgeId)> + Clone) -> Self {
        let mut starts = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            starts[row.index() + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let total = starts[rows] as usize;
        let mut edges = vec![<EdgeId as hardbop_base::Idx>::from_usize(0); total];
        let mut fill = starts.clone();
        for (row, edge) in pairs {
            let place = &mut fill[row.index()];
            edges[*place as usize] = edge;
            *place += 1;
        }
        Self { starts, edges, marker: std::marker::PhantomData }
    }

    fn row(&self, row: I) -> &[EdgeId] {
        &self.edges[self.starts[row.index()] as usize..self.starts[row.index() + 1] as usize]
    }
}
