//! The graph of a program whose pointers are known.

use crate::CGraph;
use crate::build::{CallSite, Entries, Surroundings, Targets, graph};
use hardbop_c_core::{Callee, FunctionId, Module, StmtKind};
use hardbop_points_to::{PointsTo, Site};
use std::collections::BTreeSet;

/// The control flow of `module`, with the calls that `points_to` knows of. Functions without a body that are described
/// elsewhere call nothing back.
pub fn whole<'m>(
    module: &'m Module,
    points_to: &PointsTo<'_>,
    entries: Entries<'_>,
    is_described: &dyn Fn(&str) -> bool,
) -> CGraph<'m> {
    let (defined, undefined): (Vec<FunctionId>, Vec<FunctionId>) =
        module.functions.ids().partition(|&id| module.functions[id].body.is_some());
    let calls = points_to.call_graph();
    let called_back: BTreeSet<FunctionId> = undefined.iter().flat_map(|&id| calls.callees(id)).copied().collect();
    let is_known = |id: &FunctionId| called_back.contains(id) || points_to.has_escaped(points_to.function(*id));
    let known_outside: Vec<FunctionId> = defined.iter().copied().filter(is_known).collect();
    let given_away: Vec<FunctionId> = points_to.given_away().collect();
    // Who uses a library calls what it was given, too.
    let mut called = given_away.clone();
    let entries = match entries {
        Entries::Any(functions) => {
            called.retain(|function| !functions.contains(function));
            called.splice(0..0, functions.iter().copied());
            Entries::Any(&called)
        }
        one => one,
    };
    let ends_run = |id: FunctionId| points_to.ends_run(id);
    let calls_back =
        |id: &FunctionId| calls.calls_outside(*id) || !calls.callees(*id).is_empty() && !points_to.ends_run(*id);
    let targets = |site: CallSite<'_>| {
        let call = Site { function: site.function, call: site.number };
        let functions = match &site.stmt.kind {
            StmtKind::Call { callee: Callee::Function(callee), .. } => vec![*callee],
            _ => points_to.callees(call),
        };
        // A pointer to no function is still called, if only to fail.
        let may_be_unknown = points_to.may_call_outside(call) || functions.is_empty();
        let is_outside = |id: &&FunctionId| {
            let function = &module.functions[**id];
            function.body.is_none() && !is_described(&function.source_name)
        };
        let may_call_back = may_be_unknown || functions.iter().filter(is_outside).any(calls_back);
        Targets { functions, may_be_unknown, may_call_back }
    };
    let surroundings = Surroundings {
        entries,
        known_outside: &known_outside,
        given_away: &given_away,
        ends_run: &ends_run,
        targets: &targets,
    };
    graph(module, &surroundings)
}
