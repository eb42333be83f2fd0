//! What functions may have left without the pointer that belongs there.
//!
//! Who reads what is in memory of code outside, and does not ask whether it is NULL, [trusts](super::flows) that there is
//! something. It cannot where it has itself put something else there, or a function that it calls by its name, or one
//! that calls it: NULL, a number, what `malloc` returned. A pointer that was somewhere else in memory before spoils
//! nothing, and what functions do that are called through pointers nobody who calls them knows.

use super::cells::{Access, CellId, Cells, Home};
use super::externals::External;
use super::mods::Written;
use super::shapes::{Assignment, Shape};
use super::sources::{Source, SourceKind};
use hardbop_base::IndexVec;
use hardbop_c_core::{BinaryOp, Callee, FunctionId, Stmt, StmtKind};
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, ProcId};
use hardbop_points_to::Fit;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What each function, with those that it calls by name, may have spoilt.
#[derive(Debug)]
pub struct Spoilt {
    by: IndexVec<ProcId, Written>,
    /// The cells outside of memory that may hold no pointer, as they are assigned or given.
    empty: FxHashSet<CellId>,
}

impl Spoilt {
    /// What is spoilt where in the program.
    pub fn new(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> Self {
        let icfg = &cells.subject.graph.icfg;
        let doubtful = doubtful(cells, shapes, |_| false);
        let mut found: IndexVec<ProcId, Vec<CellId>> = IndexVec::from_elem(Vec::new(), icfg.procs.len());
        let mut by: IndexVec<ProcId, Written> = IndexVec::from_elem(Written::default(), icfg.procs.len());
        for (edge, shape) in shapes.iter_enumerated() {
            let proc = icfg.nodes[icfg.edges[edge].from].proc;
            match shape {
                Shape::Assign(all) => found[proc].extend(assigned(cells, &doubtful, all)),
                Shape::External(external) => {
                    found[proc].extend(assigned(cells, &doubtful, external.assigns.iter().chain(&external.results)));
                    found[proc].extend(written(cells, external));
                    // Bytes that go from anywhere to anywhere.
                    if external.is_copying && external.writes_escaped {
                        by[proc].absorb(&Written::of_escaped());
                    }
                }
                _ => {}
            }
        }
        for (proc, own) in found.iter_enumerated() {
            by[proc].absorb(&Written::of_stored(own.iter().copied()));
        }
        let own = by.clone();
        let calls = calls(cells, shapes);
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (&callee, callers) in &calls {
                let own = by[callee].clone();
                for &caller in callers.iter().filter(|&&caller| caller != callee) {
                    is_changed |= by[caller].absorb(&own);
                }
            }
        }
        for (caller, callee) in given(cells, shapes) {
            by[callee].absorb(&own[caller]);
        }
        by.iter_mut().for_each(|written| written.find_partners(cells));
        let empty = self::doubtful(cells, shapes, |shape| matches!(shape, Shape::Call(..)));
        Self { by, empty }
    }

    /// Whether a value may be no pointer, as the program is written.
    pub fn may_be_empty(&self, cells: &Cells<'_, '_>, source: &Source<'_>) -> bool {
        is_doubtful(cells, &self.empty, source)
    }

    /// Whether `function` may have spoilt a cell.
    pub fn contains(&self, cells: &Cells<'_, '_>, function: FunctionId, cell: CellId) -> bool {
        self.by[cells.proc(function)].contains(cells, cell)
    }
}

/// The cells of memory that get what may be no pointer.
fn assigned<'s>(
    cells: &Cells<'_, '_>,
    doubtful: &FxHashSet<CellId>,
    all: impl IntoIterator<Item = &'s Assignment<'s>>,
) -> Vec<CellId> {
    let spoils = all.into_iter().filter(|one| is_doubtful(cells, doubtful, &one.source));
    spoils.flat_map(|one| in_memory(cells, &one.target)).collect()
}

/// The cells of memory that a function of the library gives zeroes, or what the program has elsewhere.
fn written(cells: &Cells<'_, '_>, external: &External<'_>) -> Vec<CellId> {
    let is_in_memory = |cell: &CellId| cells.rows[*cell].home == Home::Summary;
    let moved = external.moves.iter().filter(|(from, _)| !is_in_memory(from)).map(|&(_, to)| to);
    let filled = external.fills.iter().flat_map(|access| &access.spots).map(|spot| spot.cell);
    let copied = external.writes.iter().copied().chain(filled).filter(|_| external.is_copying);
    external.zeroes.iter().copied().chain(moved).chain(copied).filter(is_in_memory).collect()
}

/// Who gives memory to whom: callers, and behind models those who call these.
fn given(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> Vec<(ProcId, ProcId)> {
    let graph = cells.subject.graph;
    let is_model =
        |proc: ProcId| graph.functions[proc].is_some_and(|function| cells.subject.module.functions[function].is_model);
    let calls = shapes.iter_enumerated().filter_map(|(edge, shape)| match shape {
        Shape::Call(callee, _) => Some((graph.icfg.nodes[graph.icfg.edges[edge].from].proc, cells.proc(*callee))),
        _ => None,
    });
    let mut calls: Vec<(ProcId, ProcId)> = calls.collect();
    calls.sort_unstable();
    calls.dedup();
    let behind = calls.iter().filter(|(_, model)| is_model(*model)).flat_map(|&(caller, model)| {
        calls.iter().filter(move |(from, _)| *from == model).map(move |&(_, callee)| (caller, callee))
    });
    let behind: Vec<(ProcId, ProcId)> = behind.collect();
    calls.extend(behind);
    calls
}

/// Who calls each procedure by its name.
fn calls(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> BTreeMap<ProcId, Vec<ProcId>> {
    let graph = cells.subject.graph;
    let mut calls: BTreeMap<ProcId, Vec<ProcId>> = BTreeMap::new();
    for (edge, shape) in shapes.iter_enumerated() {
        if let (Shape::Call(callee, _), Action::Call(stmt, _)) = (shape, graph.actions[edge])
            && is_by_name(stmt)
        {
            let callers = calls.entry(cells.proc(*callee)).or_default();
            callers.push(graph.icfg.nodes[graph.icfg.edges[edge].from].proc);
        }
    }
    calls.values_mut().for_each(|callers| {
        callers.sort_unstable();
        callers.dedup();
    });
    calls
}

fn is_by_name(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Call { callee: Callee::Function(_), .. })
}

/// The cells outside of memory that may hold no pointer, as they are assigned, or given by those calls that `is_giving`.
fn doubtful(
    cells: &Cells<'_, '_>,
    shapes: &IndexVec<EdgeId, Shape<'_>>,
    is_giving: impl Fn(&Shape<'_>) -> bool,
) -> FxHashSet<CellId> {
    let mut given: Vec<&Assignment<'_>> = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Assign(all) => given.extend(all),
            Shape::Call(_, all) if is_giving(shape) => given.extend(all),
            Shape::External(external) => given.extend(external.results.iter().chain(&external.assigns)),
            _ => {}
        }
    }
    let mut doubtful = FxHashSet::default();
    loop {
        let before = doubtful.len();
        for one in &given {
            if is_doubtful(cells, &doubtful, &one.source) {
                doubtful.extend(one.target.spots.iter().map(|spot| spot.cell));
            }
        }
        for (edge, shape) in shapes.iter_enumerated() {
            if let (Shape::Call(callee, _), Some(caller)) = (shape, cells.function(edge)) {
                let passed = cells.passed(caller, *callee);
                let returned = passed.into_iter().filter(|(result, _)| doubtful.contains(result));
                let returned: Vec<CellId> = returned.map(|(_, returned)| returned).collect();
                doubtful.extend(returned);
            }
        }
        if doubtful.len() == before {
            return doubtful;
        }
    }
}

/// Whether a value may be something else than a pointer that was in memory, or that the function was given.
fn is_doubtful(cells: &Cells<'_, '_>, doubtful: &FxHashSet<CellId>, source: &Source<'_>) -> bool {
    match &source.kind {
        SourceKind::Address(_) => false,
        SourceKind::Copy(access) => {
            let is_other = |cell: CellId| match cells.rows[cell].home {
                Home::Summary => false,
                Home::Global => true,
                _ => doubtful.contains(&cell),
            };
            let is_pointer = cells.subject.module.types.is_pointer(access.ty);
            let is_in_part = access.copy.is_none() && access.spots.iter().any(|spot| spot.fit != Fit::Whole);
            let mut own: Vec<CellId> = access.named.clone();
            if access.outside.is_empty() {
                own.extend(access.spots.iter().map(|spot| spot.cell));
            }
            !is_pointer || is_in_part || own.into_iter().any(is_other)
        }
        SourceKind::Binary(BinaryOp::PointerAdd | BinaryOp::PointerSub, left, _) => is_doubtful(cells, doubtful, left),
        _ => true,
    }
}

fn in_memory<'a>(cells: &'a Cells<'_, '_>, access: &'a Access) -> impl Iterator<Item = CellId> + 'a {
    let all = access.spots.iter().map(|spot| spot.cell).chain(cells.around(access));
    all.filter(|&cell| cells.rows[cell].home == Home::Summary)
}
