//! A finished program goes on for ever: the place `end`.
//!
//! The entry procedure is called by a procedure of ours, whose only other business is to stay at `end` after the return.
//! The entry procedure's own exit cannot serve, since it may be recursive.

use hardbop_icfg::{EdgeKind, IcfgBuilder, NodeId, Proc, Program, Relation, Transition};

/// A program all of whose finished runs go on for ever.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The program.
    pub program: Program<Relation>,
    /// Where it is when the entry procedure has returned.
    pub end: NodeId,
}

/// Lets `program` go on after its end. What it has keeps its numbers.
pub fn finish(program: &Program<Relation>) -> Finished {
    let mut result = program.clone();
    let main = &program.icfg.procs[program.entry];
    let mut builder = IcfgBuilder::resume(program.icfg.clone());
    let proc = program.icfg.procs.next_id();
    let span = program.icfg.nodes[main.exit].span;
    let [start, end, exit] = [main.span, span, span].map(|span| builder.node(proc, span));
    builder.edge(start, EdgeKind::Call { callee: program.entry, to: end });
    builder.edge(end, EdgeKind::Step { to: end });
    builder.edge(exit, EdgeKind::Return);
    let nodes = (start, builder.next_node());
    builder.proc(Proc { name: "end".to_owned(), span, entry: start, exit, nodes });
    // What the first state must meet, the entry procedure's first state must meet: it may speak of its locals.
    let enter = std::mem::replace(&mut result.initial, Transition::SKIP);
    result.labels.push(Relation::Call { enter, leave: Transition::SKIP });
    result.labels.push(Relation::Step(Transition::SKIP));
    result.labels.push(Relation::Return);
    result.locals.push(Vec::new());
    result.marks.silent.push(start);
    result.entry = proc;
    result.icfg = builder.finish();
    Finished { program: result, end }
}
