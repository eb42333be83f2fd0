//! A program in which the outermost activations of recursive procedures have code of their own.
//!
//! What the outermost activation did to a variable matters to nobody who compares: its caller is made once and has
//! forgotten how it was. A copy of the procedure for the calls that the entry procedure makes lets an analysis see that,
//! while activations further in keep the relation between their entry and their exit. Runs are the same, step by step.

use crate::{CallOrder, EdgeId, EdgeKind, IcfgBuilder, NodeId, Proc, ProcId, Program, Relation};
use hardbop_base::{Idx, IndexVec};

/// The most nodes that are copied.
const MOST_NODES: usize = 2_000;

/// An unrolled program. What it had keeps its numbers.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The program.
    pub program: Program<Relation>,
    /// What each node was copied from; one that was there before is its own origin.
    pub node_origin: IndexVec<NodeId, NodeId>,
    /// What each edge was copied from.
    pub edge_origin: IndexVec<EdgeId, EdgeId>,
    /// What each procedure was copied from.
    pub proc_origin: IndexVec<ProcId, ProcId>,
}

/// Gives the calls of recursive procedures in the entry procedure callees of their own; `None` where there are none, or
/// too many.
pub fn unroll(program: &Program<Relation>) -> Option<Unrolled> {
    let icfg = &program.icfg;
    if !icfg.callers(program.entry).is_empty() {
        return None;
    }
    let order = CallOrder::new(icfg);
    let calls = icfg.nodes_of(program.entry).flat_map(|node| icfg.successors(node)).copied();
    let calls: Vec<(EdgeId, ProcId)> = calls
        .filter_map(|edge| match icfg.edges[edge].kind {
            EdgeKind::Call { callee, .. } if order.is_recursive(callee) => Some((edge, callee)),
            _ => None,
        })
        .collect();
    let copied: usize = calls.iter().map(|&(_, callee)| icfg.nodes_of(callee).len()).sum();
    if calls.is_empty() || copied > MOST_NODES {
        return None;
    }
    let mut copier = Copier {
        old: program,
        builder: IcfgBuilder::resume(icfg.clone()),
        result: Unrolled {
            program: program.clone(),
            node_origin: icfg.nodes.ids().collect(),
            edge_origin: icfg.edges.ids().collect(),
            proc_origin: icfg.procs.ids().collect(),
        },
    };
    for (edge, callee) in calls {
        let copy = copier.copy(callee);
        copier.builder.redirect(edge, copy);
    }
    Some(copier.finish())
}

struct Copier<'a> {
    old: &'a Program<Relation>,
    builder: IcfgBuilder,
    result: Unrolled,
}

impl Copier<'_> {
    /// Copies `proc`; its calls call what they called.
    fn copy(&mut self, proc: ProcId) -> ProcId {
        let icfg = &self.old.icfg;
        let original = &icfg.procs[proc];
        let (copy, first) = (self.result.proc_origin.push(proc), self.builder.next_node());
        for node in icfg.nodes_of(proc) {
            self.builder.node(copy, icfg.nodes[node].span);
            self.result.node_origin.push(node);
        }
        let copy_of = |node: NodeId| NodeId::from_usize(node.index() - original.nodes.0.index() + first.index());
        for node in icfg.nodes_of(proc) {
            for &edge in icfg.successors(node) {
                let kind = match icfg.edges[edge].kind {
                    EdgeKind::Step { to } => EdgeKind::Step { to: copy_of(to) },
                    EdgeKind::Call { callee, to } => EdgeKind::Call { callee, to: copy_of(to) },
                    EdgeKind::Return => EdgeKind::Return,
                };
                self.builder.edge(copy_of(node), kind);
                self.result.edge_origin.push(edge);
                self.result.program.labels.push(self.old.labels[edge].clone());
            }
        }
        let (entry, exit) = (copy_of(original.entry), copy_of(original.exit));
        let nodes = (first, self.builder.next_node());
        self.builder.proc(Proc { name: original.name.clone(), span: original.span, entry, exit, nodes });
        self.result.program.locals.push(self.old.locals[proc].clone());
        copy
    }

    fn finish(self) -> Unrolled {
        let Self { builder, mut result, .. } = self;
        result.program.icfg = builder.finish();
        result
    }
}
