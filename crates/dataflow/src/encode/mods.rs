//! What each procedure may write, with all that it calls.

use super::cells::{Access, CellId, Cells, Home, Key};
use super::externals::External;
use super::shapes::Shape;
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{EdgeId, EdgeKind, Icfg, ProcId};
use std::collections::BTreeSet;

/// What a procedure may write.
#[derive(Clone, Default, Debug)]
pub(crate) struct Written {
    cells: BTreeSet<CellId>,
    /// All that code outside can write.
    escaped: bool,
    /// Anything.
    all: bool,
}

impl Written {
    /// Whether a cell may be written.
    pub(crate) fn contains(&self, cells: &Cells<'_, '_>, cell: CellId) -> bool {
        let is_written = || match cells.rows[cell].key {
            Key::Outside(_) | Key::OutsideMember(..) => self.cells.iter().any(|&own| cells.meet(own, cell)),
            _ => self.cells.contains(&cell),
        };
        self.all || self.escaped && cells.rows[cell].has_escaped || is_written()
    }

    /// Whether a place may be written.
    pub(crate) fn meets(&self, cells: &Cells<'_, '_>, access: &Access) -> bool {
        access.spots.iter().any(|spot| self.contains(cells, spot.cell))
    }

    /// What a function that is not there writes.
    pub(crate) fn of(external: &External<'_>) -> Self {
        let assigned = external.assigns.iter().flat_map(|one| one.target.spots.iter().map(|spot| spot.cell));
        let cells = external.written().chain(assigned).collect();
        Self { cells, escaped: external.writes_escaped, all: false }
    }

    fn absorb(&mut self, other: &Self) -> bool {
        let before = (self.cells.len(), self.escaped, self.all);
        self.cells.extend(&other.cells);
        self.escaped |= other.escaped;
        self.all |= other.all;
        before != (self.cells.len(), self.escaped, self.all)
    }

    /// Adds what an edge itself writes that others can see.
    fn see(&mut self, cells: &Cells<'_, '_>, shape: &Shape<'_>) {
        let is_shared = |cell: &CellId| matches!(cells.rows[*cell].home, Home::Global | Home::Summary);
        let spots = |access: &Access| access.spots.iter().map(|spot| spot.cell).filter(is_shared).collect::<Vec<_>>();
        match shape {
            Shape::Assign(assignments) => self.cells.extend(assignments.iter().flat_map(|one| spots(&one.target))),
            Shape::Fresh(fresh) => self.cells.extend(fresh.iter().copied().filter(is_shared)),
            Shape::External(external) => {
                self.cells.extend(external.results.iter().flat_map(|one| spots(&one.target)));
                let Self { cells, escaped, .. } = Self::of(external);
                self.cells.extend(cells.into_iter().filter(is_shared));
                self.escaped |= escaped;
            }
            Shape::Outside => self.escaped = true,
            Shape::Forget => self.all = true,
            _ => {}
        }
    }
}

/// What each procedure may write.
pub(crate) fn written(
    icfg: &Icfg,
    cells: &Cells<'_, '_>,
    shapes: &IndexVec<EdgeId, Shape<'_>>,
) -> IndexVec<ProcId, Written> {
    let mut table: IndexVec<ProcId, Written> = IndexVec::from_elem(Written::default(), icfg.procs.len());
    for (edge, shape) in shapes.iter_enumerated() {
        table[icfg.nodes[icfg.edges[edge].from].proc].see(cells, shape);
    }
    let mut waiting: Vec<ProcId> = icfg.procs.ids().collect();
    let mut is_waiting = IndexVec::from_elem(true, icfg.procs.len());
    while let Some(callee) = waiting.pop() {
        is_waiting[callee] = false;
        let own = table[callee].clone();
        for &call in icfg.callers(callee) {
            debug_assert!(matches!(icfg.edges[call].kind, EdgeKind::Call { .. }), "callers are calls");
            let caller = icfg.nodes[icfg.edges[call].from].proc;
            if caller.index() != callee.index() && table[caller].absorb(&own) && !is_waiting[caller] {
                is_waiting[caller] = true;
                waiting.push(caller);
            }
        }
    }
    table
}
