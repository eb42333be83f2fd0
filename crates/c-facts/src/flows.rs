//! Where values go: from cell to cell, by assignments, arguments and results.
//!
//! A value that comes from outside may be anything that the program tests it for; so it matters whether it, or a copy of
//! it, is compared. Memory that is not followed place by place ends the way: what is stored there is not tested because
//! something else that was once stored there is.

use super::cells::{Access, CellId, Cells, Home};
use super::shapes::{Assignment, Shape, Source, SourceKind, is_condition};
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::FunctionId;
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;
use hardbop_points_to::Fit;
use std::collections::{BTreeMap, BTreeSet};

/// Where a value comes from that nobody here knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Origin {
    /// A parameter of a function that is called from outside.
    Parameter(FunctionId, CellId),
    /// The result of a function that is not there; of any that a pointer points to, where it is not known.
    Result(Option<FunctionId>),
    /// What code outside has put there, or what it has changed to by itself.
    Memory(CellId),
}

/// Where values go.
#[derive(Debug)]
pub(crate) struct Flows {
    /// For each cell those that its value may come from.
    sources: IndexVec<CellId, Vec<CellId>>,
    /// The origins of what a cell is given directly.
    origins: IndexVec<CellId, Vec<Origin>>,
    tested: BTreeSet<Origin>,
}

/// So many cells are looked at for the origins of one value.
const MOST_VISITED: usize = 256;

impl Flows {
    /// The flows of the program.
    pub(crate) fn new(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> Self {
        let count = cells.rows.len();
        let mut flows = Self {
            sources: IndexVec::from_elem(Vec::new(), count),
            origins: IndexVec::from_elem(Vec::new(), count),
            tested: BTreeSet::new(),
        };
        let mut compared = BTreeSet::new();
        for shape in shapes {
            flows.see(shape, &mut compared);
        }
        flows.pass_results(cells);
        for id in cells.rows.ids().filter(|&id| cells.rows[id].has_escaped) {
            flows.origins[id].push(Origin::Memory(id));
        }
        flows.sources.iter_mut().for_each(|sources| {
            sources.sort_unstable();
            sources.dedup();
        });
        flows.find_tested(cells, compared);
        flows
    }

    fn see(&mut self, shape: &Shape<'_>, compared: &mut BTreeSet<CellId>) {
        match shape {
            Shape::Assume(condition) => test(&condition.left, &condition.right, compared),
            Shape::Assign(assignments) | Shape::Call(_, assignments) => {
                assignments.iter().for_each(|one| self.assign(one, compared));
            }
            Shape::External(external) => {
                for one in &external.results {
                    if !matches!(one.source.kind, SourceKind::Called) {
                        self.assign(one, compared);
                        continue;
                    }
                    for cell in meant(&one.target) {
                        self.origins[cell].push(Origin::Result(external.function));
                    }
                }
                for &cell in &external.writes {
                    self.origins[cell].extend(external.origin());
                }
                for cell in external.fills.iter().flat_map(meant) {
                    self.origins[cell].extend(external.origin());
                }
                for &(from, to) in &external.moves {
                    self.sources[to].push(from);
                }
                external.assigns.iter().for_each(|one| self.assign(one, compared));
            }
            Shape::Change(changed) => {
                changed.iter().for_each(|&cell| self.origins[cell].push(Origin::Memory(cell)));
            }
            Shape::Start(function, parameters) => {
                for &cell in parameters {
                    self.origins[cell].push(Origin::Parameter(*function, cell));
                }
            }
            _ => {}
        }
    }

    fn assign(&mut self, assignment: &Assignment<'_>, compared: &mut BTreeSet<CellId>) {
        if is_condition(&assignment.source) {
            tests(&assignment.source, compared);
            return;
        }
        let mut read = BTreeSet::new();
        collect(&assignment.source, &mut read);
        for target in meant(&assignment.target) {
            self.sources[target].extend(read.iter().copied());
        }
    }

    fn pass_results(&mut self, cells: &Cells<'_, '_>) {
        let graph = cells.subject.graph;
        for (edge, action) in graph.actions.iter_enumerated() {
            let Action::Call(_, callee) = action else { continue };
            let Some(caller) = graph.functions[graph.icfg.nodes[graph.icfg.edges[edge].from].proc] else { continue };
            for (result, returned) in cells.passed(caller, *callee) {
                self.sources[returned].push(result);
            }
        }
        for copy in cells.copies.iter().flatten() {
            self.sources[copy.cell].extend(copy.original.spots.iter().map(|spot| spot.cell));
        }
    }

    /// Against the flow, from what is compared.
    fn find_tested(&mut self, cells: &Cells<'_, '_>, compared: BTreeSet<CellId>) {
        let mut waiting: Vec<CellId> = compared.into_iter().collect();
        let mut is_seen = IndexVec::from_elem(false, cells.rows.len());
        while let Some(cell) = waiting.pop() {
            if std::mem::replace(&mut is_seen[cell], true) {
                continue;
            }
            self.tested.extend(self.origins[cell].iter().copied());
            // Who asks whether `strchr` has found something says nothing of the string.
            let is_given = cells.is_of_model(cell) && matches!(cells.rows[cell].home, Home::Parameter(_));
            if cells.rows[cell].home != Home::Summary && !is_given {
                waiting.extend_from_slice(&self.sources[cell]);
            }
        }
    }

    /// Whether the program compares a value from there.
    pub(crate) fn is_tested(&self, origin: Origin) -> bool {
        self.tested.contains(&origin)
    }

    /// The origins that the value in a place may have.
    pub(crate) fn origins(&self, access: &Access) -> BTreeMap<Origin, ()> {
        let mut waiting: Vec<CellId> = meant(access).collect();
        let (mut seen, mut found) = (BTreeSet::new(), BTreeMap::new());
        while let Some(cell) = waiting.pop() {
            if seen.len() > MOST_VISITED || !seen.insert(cell) || cell.index() >= self.sources.len() {
                continue;
            }
            found.extend(self.origins[cell].iter().map(|&origin| (origin, ())));
            waiting.extend_from_slice(&self.sources[cell]);
        }
        found
    }
}

/// The cells of a place, its copy among them.
fn meant(access: &Access) -> impl Iterator<Item = CellId> {
    access.spots.iter().map(|spot| spot.cell).chain(access.copy)
}

/// The cells that a condition tests.
fn tests(condition: &Source<'_>, cells: &mut BTreeSet<CellId>) {
    match &condition.kind {
        SourceKind::Unary(_, operand) if is_condition(operand) => tests(operand, cells),
        SourceKind::Binary(_, left, _) if is_condition(left) => tests(left, cells),
        SourceKind::Binary(_, left, right) => test(left, right, cells),
        _ => collect(condition, cells),
    }
}

/// The cells that are tested where two sides are compared. A value is tested against a constant: who compares two
/// pointers with each other does not ask whether they are NULL.
fn test(left: &Source<'_>, right: &Source<'_>, cells: &mut BTreeSet<CellId>) {
    let is_constant = |side: &Source<'_>| matches!(side.kind, SourceKind::Null | SourceKind::Number(_));
    for (side, other) in [(left, right), (right, left)] {
        if let SourceKind::Copy(access) = &side.kind
            && is_constant(other)
        {
            cells.extend(meant(access));
        }
    }
}

/// The cells that a value is made of.
fn collect(source: &Source<'_>, cells: &mut BTreeSet<CellId>) {
    match &source.kind {
        // What is read in part is anything, wherever it comes from.
        SourceKind::Copy(access) => {
            let whole = access.spots.iter().filter(|spot| spot.fit == Fit::Whole);
            cells.extend(whole.map(|spot| spot.cell).chain(access.copy));
        }
        SourceKind::Unary(_, operand) => collect(operand, cells),
        SourceKind::Binary(_, left, right) => {
            collect(left, cells);
            collect(right, cells);
        }
        _ => {}
    }
}
