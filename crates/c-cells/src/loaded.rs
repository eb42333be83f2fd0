//! Which temporaries are what they were loaded from: `t = n->next; … t->value` speaks of `n->next->value`.
//!
//! What goes through a second pointer gets a temporary, a new one in each statement. One that is loaded on one edge only,
//! and used only where nothing was written since but other temporaries, stands for the place that it was loaded from.

use super::shapes::for_each_place;
use super::{Subject, shapes::Shaper};
use hardbop_c_core::expr::PlaceUse;
use hardbop_c_core::{Base, ExprKind, FunctionId, Place, StmtKind, VarId, VarKind};
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, NodeId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A use farther than so many nodes behind the load is not looked into.
const MOST_BETWEEN: usize = 32;

/// A temporary that stands for what it was loaded from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'m> {
    pub(crate) function: FunctionId,
    pub(crate) temporary: VarId,
    pub(crate) from: &'m Place,
}

/// What is done with a temporary.
#[derive(Default)]
struct Doings<'m> {
    /// Where it is written, and where from if that is a load.
    writes: Vec<(EdgeId, Option<&'m Place>)>,
    uses: Vec<EdgeId>,
}

type Temporaries<'m> = BTreeMap<VarId, Doings<'m>>;

/// The temporaries that stand for what they were loaded from, in the order in which they were made.
pub(crate) fn loads<'m>(shaper: &Shaper<'_, 'm>) -> Vec<Load<'m>> {
    let subject = shaper.cells.subject;
    let temporaries = temporaries(subject);
    let standing = temporaries.iter().filter_map(|(&temporary, doings)| {
        let [(edge, Some(from))] = doings.writes[..] else { return None };
        let is_known = !doings.uses.is_empty() && is_only_used_at_once(subject, &temporaries, temporary, edge);
        let function = shaper.function(edge).filter(|_| is_known)?;
        Some(Load { function, temporary, from })
    });
    standing.collect()
}

fn temporaries<'m>(subject: Subject<'_, 'm>) -> Temporaries<'m> {
    let mut found = Temporaries::default();
    for (edge, &action) in subject.graph.actions.iter_enumerated() {
        for_each_place(action, &mut |place, usage| {
            let Base::Var(var) = place.base else { return };
            let variable = &subject.module.vars[var];
            if !matches!(variable.kind, VarKind::Temporary(_)) || variable.is_address_taken {
                return;
            }
            let doings = found.entry(var).or_default();
            match usage {
                PlaceUse::Write => doings.writes.push((edge, loaded(action, var))),
                _ => doings.uses.push(edge),
            }
        });
    }
    found
}

/// Where a pointer comes from that an edge loads into a temporary.
fn loaded<'m>(action: Action<'m>, temporary: VarId) -> Option<&'m Place> {
    let Action::Do(stmt) = action else { return None };
    let StmtKind::Assign(to, value) = &stmt.kind else { return None };
    let ExprKind::Read(from) = &value.kind else { return None };
    let is_it = matches!(to.base, Base::Var(var) if var == temporary) && to.path.is_empty();
    is_it.then_some(from)
}

/// Whether every use of a temporary comes right after the load at `load`.
fn is_only_used_at_once(
    subject: Subject<'_, '_>,
    temporaries: &Temporaries<'_>,
    temporary: VarId,
    load: EdgeId,
) -> bool {
    let icfg = &subject.graph.icfg;
    let roots = roots(temporaries, temporary);
    let mut waiting: Vec<NodeId> = temporaries[&temporary].uses.iter().map(|&edge| icfg.edges[edge].from).collect();
    let mut seen: FxHashSet<NodeId> = FxHashSet::default();
    while let Some(node) = waiting.pop() {
        if !seen.insert(node) {
            continue;
        }
        if seen.len() > MOST_BETWEEN || icfg.procs[icfg.nodes[node].proc].entry == node {
            return false;
        }
        for &before in icfg.predecessors(node).iter().filter(|&&before| before != load) {
            if !is_quiet(subject.graph.actions[before], temporaries, &roots) {
                return false;
            }
            waiting.push(icfg.edges[before].from);
        }
    }
    true
}

/// The temporaries that decide where a temporary is loaded from, and it itself.
fn roots(temporaries: &Temporaries<'_>, temporary: VarId) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    let mut waiting = vec![temporary];
    while let Some(var) = waiting.pop() {
        let Some(doings) = temporaries.get(&var).filter(|_| found.insert(var)) else { continue };
        for from in doings.writes.iter().filter_map(|(_, from)| *from) {
            from.visit_places(PlaceUse::Read, &mut |place, _| {
                if let Base::Var(var) = place.base {
                    waiting.push(var);
                }
            });
        }
    }
    found
}

/// Whether an edge changes nothing but temporaries that are not among `roots`.
fn is_quiet(action: Action<'_>, temporaries: &Temporaries<'_>, roots: &FxHashSet<VarId>) -> bool {
    match action {
        Action::Nothing | Action::Assume(..) => true,
        Action::Do(stmt) => match &stmt.kind {
            StmtKind::Assign(Place { base: Base::Var(var), .. }, _) => {
                temporaries.contains_key(var) && !roots.contains(var)
            }
            _ => false,
        },
        _ => false,
    }
}
