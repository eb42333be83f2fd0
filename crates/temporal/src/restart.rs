//! A program that starts in the middle: at a head, with nothing below it on the stack.
//!
//! The head's procedure is copied, and the copy starts at the head's node. Since the copy's activation is the outermost,
//! a run of this program never returns from it: what it can do is what a run from the head can do above its stack.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::proposition::Proposition;
use hardbop_icfg::words::{Builder, Moment};
use hardbop_icfg::{EdgeId, EdgeKind, IcfgBuilder, NodeId, Proc, ProcId, Program, Relation, Transition, VarId};

/// A head: a node, and the values there that matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The node.
    pub node: NodeId,
    /// The values.
    pub values: Vec<(VarId, bool)>,
}

/// A program that starts at a head.
#[derive(Clone, Debug)]
pub struct Restarted {
    /// The program; what it had keeps its numbers.
    pub program: Program<Relation>,
    /// Where each node was copied from; each that was there before is its own origin.
    pub node_origin: IndexVec<NodeId, NodeId>,
    /// Where each edge was copied from.
    pub edge_origin: IndexVec<EdgeId, EdgeId>,
    /// The procedure that was copied.
    pub copied: ProcId,
    /// The nodes at which the head is met again.
    pub again: [NodeId; 2],
}

/// Lets `program` start at `head`.
pub fn restart(program: &Program<Relation>, head: &Head) -> Restarted {
    let icfg = &program.icfg;
    let copied = icfg.nodes[head.node].proc;
    let original = &icfg.procs[copied];
    let mut builder = IcfgBuilder::resume(icfg.clone());
    let (copy, first) = (icfg.procs.next_id(), builder.next_node());
    let mut result = program.clone();
    let mut node_origin: IndexVec<NodeId, NodeId> = icfg.nodes.ids().collect();
    let mut edge_origin: IndexVec<EdgeId, EdgeId> = icfg.edges.ids().collect();
    for node in icfg.nodes_of(copied).chain([head.node]) {
        builder.node(copy, icfg.nodes[node].span);
        node_origin.push(node);
    }
    let copy_of = |node: NodeId| NodeId::from_usize(node.index() - original.nodes.0.index() + first.index());
    let start = NodeId::from_usize(builder.next_node().index() - 1);
    let sources = icfg.nodes_of(copied).map(|node| (node, copy_of(node))).chain([(head.node, start)]);
    for (node, source) in sources {
        for &edge in icfg.successors(node) {
            let kind = match icfg.edges[edge].kind {
                EdgeKind::Step { to } => EdgeKind::Step { to: copy_of(to) },
                EdgeKind::Call { callee, to } => EdgeKind::Call { callee, to: copy_of(to) },
                // The outermost activation cannot return; the copied exit must have its edge all the same.
                EdgeKind::Return if source == start => continue,
                EdgeKind::Return => EdgeKind::Return,
            };
            builder.edge(source, kind);
            edge_origin.push(edge);
            result.labels.push(program.labels[edge].clone());
        }
    }
    let nodes = (first, builder.next_node());
    builder.proc(Proc {
        name: original.name.clone(),
        span: original.span,
        entry: start,
        exit: copy_of(original.exit),
        nodes,
    });
    result.icfg = builder.finish();
    result.locals.push(program.locals[copied].clone());
    let silent = node_origin.iter_enumerated().filter(|(node, origin)| node != *origin);
    let silent = silent.filter(|(_, origin)| program.marks.silent.contains(origin)).map(|(node, _)| node);
    result.marks.silent.extend(silent);
    let rules =
        edge_origin.iter_enumerated().filter_map(|(edge, origin)| Some((edge, *program.marks.rules.get(origin)?)));
    result.marks.rules = rules.collect();
    result.entry = copy;
    let constraint = Builder::new(&mut result.exprs).values_are(&head.values, Moment::Next);
    result.initial = Transition { constraint: Some(constraint), ..Transition::SKIP };
    Restarted { program: result, node_origin, edge_origin, copied, again: [copy_of(head.node), head.node] }
}

impl Restarted {
    /// What `proposition` says in the program that starts at the head.
    pub fn carry_over(&self, proposition: &Proposition) -> Proposition {
        match proposition {
            Proposition::Places(places) => {
                Proposition::Places(self.node_origin.iter().map(|&origin| places[origin]).collect())
            }
            Proposition::State(expr) => Proposition::State(*expr),
            Proposition::OnStack(is_meant) => {
                Proposition::OnStack(is_meant.iter().copied().chain([is_meant[self.copied]]).collect())
            }
            Proposition::StateIn(exprs) => {
                let of_copy = exprs.iter().find(|(proc, _)| *proc == self.copied);
                let of_copy = of_copy.map(|&(_, expr)| (self.program.entry, expr));
                Proposition::StateIn(exprs.iter().copied().chain(of_copy).collect())
            }
        }
    }
}
