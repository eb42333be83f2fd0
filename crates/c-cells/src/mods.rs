//! What each procedure may write, with all that it calls.

use super::cells::{Access, CellId, Cells, Home, Key};
use super::externals::External;
use super::shapes::Shape;
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{CallOrder, EdgeId, Icfg, ProcId};
use std::collections::BTreeSet;

/// What a procedure may write.
#[derive(Clone, Default, Debug)]
pub struct Written {
    cells: CellSet,
    /// What is written together with these.
    partners: CellSet,
    /// All that code outside can write.
    escaped: bool,
    /// Anything.
    all: bool,
}

impl Written {
    /// Whether a cell may be written.
    pub fn contains(&self, cells: &Cells<'_, '_>, cell: CellId) -> bool {
        let is_partner = || match cells.rows[cell].key {
            Key::OutsideUnion(union, _) if cells.in_union(union).iter().any(|&other| self.cells.contains(other)) => {
                true
            }
            Key::Outside(_) | Key::OutsideMember(..) | Key::OutsideUnion(..) => {
                let other = cells.partners.get(&cell).map(|partners| partners.written);
                // Members are reached by pointers to anything of their kind, and these reach members.
                let is_plain = matches!(cells.rows[cell].key, Key::Outside(_));
                let is_written = |other| self.cells.contains(other) || is_plain && self.partners.contains(other);
                self.partners.contains(cell)
                    || cells.bytes_outside().any(|byte| self.cells.contains(byte))
                    || other.is_some_and(|other| self.cells.contains(other))
                    || cells.counterparts(cell).any(is_written)
            }
            _ => false,
        };
        self.all || self.escaped && cells.rows[cell].has_escaped || self.cells.contains(cell) || is_partner()
    }

    /// Whether a place may be written.
    pub fn meets(&self, cells: &Cells<'_, '_>, access: &Access) -> bool {
        access.spots.iter().any(|spot| self.contains(cells, spot.cell))
    }

    /// What a function that is not there writes.
    pub fn of(cells: &Cells<'_, '_>, external: &External<'_>) -> Self {
        let mut written = Self { escaped: external.writes_escaped, ..Self::default() };
        written.cells.extend(written_by(cells, external));
        written.find_partners(cells);
        written
    }

    /// What changes by itself.
    pub fn of_changed(cells: &Cells<'_, '_>, changed: &[CellId]) -> Self {
        let mut written = Self::default();
        written.cells.extend(changed.iter().copied());
        written.find_partners(cells);
        written
    }

    /// All that code outside can write.
    pub(crate) fn of_escaped() -> Self {
        Self { escaped: true, ..Self::default() }
    }

    /// These cells.
    pub(crate) fn of_stored(stored: impl Iterator<Item = CellId>) -> Self {
        let mut written = Self::default();
        written.cells.extend(stored);
        written
    }

    /// Finds what is written with the cells, once all of them are there.
    pub(crate) fn find_partners(&mut self, cells: &Cells<'_, '_>) {
        self.partners.extend(self.cells.iter().filter_map(|own| Some(cells.partners.get(&own)?.written)));
    }

    /// Adds all of `other`; says whether any of it is new.
    pub(crate) fn absorb(&mut self, other: &Self) -> bool {
        let before = (self.escaped, self.all);
        self.escaped |= other.escaped;
        self.all |= other.all;
        self.cells.union(&other.cells) || before != (self.escaped, self.all)
    }

    /// Adds what an edge itself writes that others can see.
    fn see(&mut self, cells: &Cells<'_, '_>, shape: &Shape<'_>) {
        let is_shared = |cell: &CellId| matches!(cells.rows[*cell].home, Home::Global | Home::Summary);
        let spots = |access: &Access| {
            let own = access.spots.iter().map(|spot| spot.cell);
            own.chain(cells.around(access)).filter(is_shared).collect::<Vec<_>>()
        };
        match shape {
            Shape::Assign(assignments) => self.cells.extend(assignments.iter().flat_map(|one| spots(&one.target))),
            Shape::Fresh(fresh) => self.cells.extend(fresh.iter().copied().filter(is_shared)),
            Shape::External(external) => {
                self.cells.extend(external.results.iter().flat_map(|one| spots(&one.target)));
                self.cells.extend(written_by(cells, external).filter(is_shared));
                self.escaped |= external.writes_escaped;
            }
            Shape::Change(changed) => self.cells.extend(changed.iter().copied().filter(is_shared)),
            Shape::Outside => self.escaped = true,
            Shape::Forget(_) => self.all = true,
            _ => {}
        }
    }
}

impl Shape<'_> {
    /// What nobody can write is not written.
    pub(crate) fn spare(&mut self, cells: &Cells<'_, '_>) {
        let spare = |access: &mut Access| access.spots.retain(|spot| !cells.is_constant(spot.cell));
        match self {
            Self::Assign(all) | Self::Forget(all) => all.iter_mut().for_each(|one| spare(&mut one.target)),
            Self::External(external) => {
                let assigned = external.results.iter_mut().chain(&mut external.assigns).map(|one| &mut one.target);
                assigned.chain(&mut external.fills).for_each(spare);
                external.writes.retain(|&cell| !cells.is_constant(cell));
                external.zeroes.retain(|&cell| !cells.is_constant(cell));
                external.moves.retain(|&(_, to)| !cells.is_constant(to));
            }
            _ => {}
        }
    }
}

/// The cells that a function that is not there writes.
fn written_by<'e>(cells: &'e Cells<'_, '_>, external: &'e External<'_>) -> impl Iterator<Item = CellId> + 'e {
    let places = external.assigns.iter().map(|one| &one.target).chain(&external.fills);
    let own = |access: &'e Access| access.spots.iter().map(|spot| spot.cell).chain(cells.around(access));
    external.written().chain(places.flat_map(own))
}

/// What each procedure may write.
pub fn written(icfg: &Icfg, cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> IndexVec<ProcId, Written> {
    let mut table: IndexVec<ProcId, Written> = IndexVec::from_elem(Written::default(), icfg.procs.len());
    for (edge, shape) in shapes.iter_enumerated() {
        table[icfg.nodes[icfg.edges[edge].from].proc].see(cells, shape);
    }
    let order = CallOrder::new(icfg);
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for &callee in &order.callees_first {
            let own = table[callee].clone();
            let callers: BTreeSet<ProcId> =
                icfg.callers(callee).iter().map(|&call| icfg.nodes[icfg.edges[call].from].proc).collect();
            for caller in callers.into_iter().filter(|&caller| caller != callee) {
                // Callers come later in the order, unless they are in the same component.
                is_changed |= table[caller].absorb(&own) && order.same_component(caller, callee);
            }
        }
    }
    table.iter_mut().for_each(|written| written.find_partners(cells));
    table
}

/// A set of cells, a bit for each.
#[derive(Clone, Default, Debug)]
struct CellSet {
    words: Vec<u64>,
}

impl CellSet {
    fn contains(&self, cell: CellId) -> bool {
        self.words.get(cell.index() / 64).is_some_and(|word| word >> (cell.index() % 64) & 1 == 1)
    }

    fn extend(&mut self, cells: impl IntoIterator<Item = CellId>) {
        for cell in cells {
            let word = cell.index() / 64;
            self.words.resize(self.words.len().max(word + 1), 0);
            self.words[word] |= 1 << (cell.index() % 64);
        }
    }

    /// Adds all of `other`; says whether any of it is new.
    fn union(&mut self, other: &Self) -> bool {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        let mut is_new = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            is_new |= more & !*word != 0;
            *word |= more;
        }
        is_new
    }

    fn iter(&self) -> impl Iterator<Item = CellId> {
        let words = self.words.iter().enumerate();
        words
            .flat_map(|(index, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * index + bit))
            .map(CellId::from_usize)
    }
}
