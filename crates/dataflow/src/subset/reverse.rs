//! The graph of a backward problem.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{EdgeKind, Icfg, IcfgBuilder, NodeId, Proc};

/// [`reverse`], with a step more from where each procedure ends to each place that its end cannot be reached from: there
/// a run can stop, or go round for ever, and what is so at the end is taken to be so there.
pub fn backward(icfg: &Icfg) -> Icfg {
    let mut builder = reversed(icfg);
    for stop in stops(icfg) {
        let exit = icfg.procs[icfg.nodes[stop].proc].exit;
        builder.edge(exit, EdgeKind::Step { to: stop });
    }
    builder.finish()
}

/// Nodes from which the end of their procedure cannot be reached, as many as are needed to reach all of them backwards.
fn stops(icfg: &Icfg) -> Vec<NodeId> {
    let mut before: IndexVec<NodeId, Vec<NodeId>> = IndexVec::from_elem(Vec::new(), icfg.nodes.len());
    for edge in &icfg.edges {
        if let EdgeKind::Step { to } | EdgeKind::Call { to, .. } = edge.kind {
            before[to].push(edge.from);
        }
    }
    let mut is_seen = IndexVec::from_elem(false, icfg.nodes.len());
    let see = |start: NodeId, is_seen: &mut IndexVec<NodeId, bool>| {
        let mut waiting = vec![start];
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut is_seen[node], true) {
                waiting.extend_from_slice(&before[node]);
            }
        }
    };
    icfg.procs.iter().for_each(|proc| see(proc.exit, &mut is_seen));
    let mut stops = Vec::new();
    // What comes last is most likely where the others lead.
    for row in (0..icfg.nodes.len()).rev() {
        let node = NodeId::from_usize(row);
        if !is_seen[node] {
            stops.push(node);
            see(node, &mut is_seen);
        }
    }
    stops
}

/// The same graph against its edges, with the same numbers: a procedure's entry and exit change places, a step leads
/// back, and a call goes from where the caller goes on to where it called.
///
/// Of a call in the result `enter` leads to what was the callee's exit, and `leave` comes from what was its entry.
pub fn reverse(icfg: &Icfg) -> Icfg {
    reversed(icfg).finish()
}

fn reversed(icfg: &Icfg) -> IcfgBuilder {
    let mut builder = IcfgBuilder::default();
    for node in &icfg.nodes {
        builder.node(node.proc, node.span);
    }
    for proc in &icfg.procs {
        builder.proc(Proc { entry: proc.exit, exit: proc.entry, ..proc.clone() });
    }
    for edge in &icfg.edges {
        match edge.kind {
            EdgeKind::Step { to } => builder.edge(to, EdgeKind::Step { to: edge.from }),
            EdgeKind::Call { callee, to } => builder.edge(to, EdgeKind::Call { callee, to: edge.from }),
            EdgeKind::Return => {
                let proc = icfg.nodes[edge.from].proc;
                builder.edge(icfg.procs[proc].entry, EdgeKind::Return)
            }
        };
    }
    builder
}
