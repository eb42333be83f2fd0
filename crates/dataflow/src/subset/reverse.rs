//! The graph of a backward problem.

use hardbop_icfg::{EdgeKind, Icfg, IcfgBuilder, Proc};

/// The same graph against its edges, with the same numbers: a procedure's entry and exit change places, a step leads
/// back, and a call goes from where the caller goes on to where it called.
///
/// Of a call in the result `enter` leads to what was the callee's exit, and `leave` comes from what was its entry.
pub fn reverse(icfg: &Icfg) -> Icfg {
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
    builder.finish()
}
