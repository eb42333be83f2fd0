//! Where values go: from cell to cell, by assignments, arguments and results.
//!
//! A value that comes from outside may be anything that the program tests it for; so it matters whether it, or a copy of
//! it, is compared. Memory that is not followed place by place ends the way: what is stored there is not tested because
//! something else that was once stored there is. In a variable of one function a value is only where it gets from its
//! assignment: after `p = find(s); if (!p) p = s;` it is not `s` that was compared.

use super::cells::{Access, CellId, Cells, Home, Key};
use super::externals::External;
use super::shapes::{Assignment, Shape, Source, SourceKind, is_condition};
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::{FunctionId, Types};
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, NodeId};
use hardbop_points_to::Fit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Where a value comes from that nobody here knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A parameter of a function that is called from outside.
    Parameter(FunctionId, CellId),
    /// The result of a function that is not there; of any that a pointer points to, where it is not known.
    Result(Option<FunctionId>),
    /// What code outside has put there, or what it has changed to by itself.
    Memory(CellId),
    /// What is there before anything is written, in one of several things that are not told apart.
    Unwritten(CellId),
}

/// Where values go.
#[derive(Debug)]
pub struct Flows {
    /// For each cell those that its value may come from.
    sources: IndexVec<CellId, Vec<CellId>>,
    /// The origins of what a cell is given directly.
    origins: IndexVec<CellId, Vec<Origin>>,
    /// Of each parameter those that callers give.
    given: FxHashMap<CellId, Vec<CellId>>,
    tested: BTreeSet<Origin>,
}

/// So many cells are looked at for the origins of one value.
const MOST_VISITED: usize = 256;

impl Flows {
    /// The flows of the program.
    pub fn new(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> Self {
        let count = cells.rows.len();
        let mut flows = Self {
            sources: IndexVec::from_elem(Vec::new(), count),
            origins: IndexVec::from_elem(Vec::new(), count),
            given: FxHashMap::default(),
            tested: BTreeSet::new(),
        };
        let mut compared = Vec::new();
        for (edge, shape) in shapes.iter_enumerated() {
            let mut here = BTreeSet::new();
            flows.see(cells, shape, &mut here);
            compared.extend(here.into_iter().map(|cell| (edge, cell)));
        }
        flows.pass_results(cells);
        let is_open = |id: &CellId| cells.rows[*id].has_escaped || cells.is_argument(*id);
        for id in cells.rows.ids().filter(|id| is_open(id) && !cells.is_there_at_start(*id)) {
            flows.origins[id].push(Origin::Memory(id));
        }
        flows.sources.iter_mut().for_each(|sources| {
            sources.sort_unstable();
            sources.dedup();
        });
        let compared = flows.trace_back(cells, shapes, compared);
        flows.find_tested(cells, compared);
        flows
    }

    fn see(&mut self, cells: &Cells<'_, '_>, shape: &Shape<'_>, compared: &mut BTreeSet<CellId>) {
        let types = &cells.subject.module.types;
        match shape {
            Shape::Assume(condition) => test(types, &condition.left, &condition.right, compared),
            Shape::Assign(assignments) => assignments.iter().for_each(|one| self.assign(types, one, compared)),
            Shape::Call(_, assignments) => {
                for one in assignments {
                    self.assign(types, one, compared);
                    for target in meant(&one.target) {
                        self.given.entry(target).or_default().extend(read(&one.source));
                    }
                }
            }
            Shape::Fresh(fresh) => self.leave_unwritten(cells, fresh),
            Shape::External(external) => {
                self.leave_unwritten(cells, external.unwritten());
                for one in &external.results {
                    if !matches!(one.source.kind, SourceKind::Called) {
                        self.assign(types, one, compared);
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
                external.assigns.iter().for_each(|one| self.assign(types, one, compared));
            }
            Shape::Change(changed) => {
                changed.iter().for_each(|&cell| self.origins[cell].push(Origin::Memory(cell)));
            }
            Shape::Start(function, parameters) => {
                for &cell in parameters.iter().filter(|&&cell| !cells.is_there_at_start(cell)) {
                    self.origins[cell].push(Origin::Parameter(*function, cell));
                }
            }
            _ => {}
        }
    }

    fn leave_unwritten(&mut self, cells: &Cells<'_, '_>, born: &[CellId]) {
        for &cell in born.iter().filter(|&&cell| cells.rows[cell].home == Home::Summary) {
            self.origins[cell].push(Origin::Unwritten(cell));
        }
    }

    fn assign(&mut self, types: &Types, assignment: &Assignment<'_>, compared: &mut BTreeSet<CellId>) {
        if is_condition(&assignment.source) {
            tests(types, &assignment.source, compared);
            return;
        }
        let read = read(&assignment.source);
        for target in meant(&assignment.target) {
            self.sources[target].extend(read.iter().copied());
        }
    }

    /// Against the flow inside of functions, from what is compared where: the cells elsewhere whose values get there.
    fn trace_back(
        &mut self,
        cells: &Cells<'_, '_>,
        shapes: &IndexVec<EdgeId, Shape<'_>>,
        compared: Vec<(EdgeId, CellId)>,
    ) -> BTreeSet<CellId> {
        let mut waiting = compared;
        let (mut seen, mut elsewhere) = (FxHashSet::default(), BTreeSet::new());
        while let Some((edge, cell)) = waiting.pop() {
            if !seen.insert((edge, cell)) {
                continue;
            }
            let Some(reaching) = Reaching::new(cells, shapes, edge, cell) else {
                elsewhere.insert(cell);
                continue;
            };
            if reaching.is_given {
                let is_given = |origin: &&Origin| matches!(origin, Origin::Parameter(..));
                self.tested.extend(self.origins[cell].iter().filter(is_given).copied());
                let is_string = cells.is_of_model(cell);
                elsewhere.extend(self.given.get(&cell).into_iter().flatten().filter(|_| !is_string));
            }
            for from in reaching.edges {
                let (sources, origin) = assigned(&shapes[from], cell);
                self.tested.extend(origin);
                waiting.extend(sources.into_iter().map(|source| (from, source)));
            }
        }
        elsewhere
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

    /// Whether the program compares a value from there. Who asks what is in memory does not ask whether it was written.
    pub fn is_tested(&self, origin: Origin) -> bool {
        !matches!(origin, Origin::Unwritten(_)) && self.tested.contains(&origin)
    }

    /// The origins that the value in a place may have.
    pub fn origins(&self, access: &Access) -> BTreeMap<Origin, ()> {
        let mut waiting: Vec<CellId> = meant(access).collect();
        let (mut seen, mut found) = (FxHashSet::default(), BTreeMap::new());
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

/// The assignments that a value in a variable of one function may come from.
#[derive(Default)]
struct Reaching {
    edges: Vec<EdgeId>,
    /// Whether it may be what the caller has given.
    is_given: bool,
}

impl Reaching {
    /// What is in `cell` before `edge`; `None` where others can write it, or it is too far.
    fn new(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>, edge: EdgeId, cell: CellId) -> Option<Self> {
        let row = &cells.rows[cell];
        let (Key::Part(_), Home::Local(_) | Home::Parameter(_)) = (row.key, row.home) else { return None };
        let icfg = &cells.subject.graph.icfg;
        let mut reaching = Self::default();
        let mut waiting = vec![icfg.edges[edge].from];
        let mut seen: FxHashSet<NodeId> = waiting.iter().copied().collect();
        while let Some(node) = waiting.pop() {
            reaching.is_given |= icfg.procs[icfg.nodes[node].proc].entry == node;
            for &before in icfg.predecessors(node) {
                let is_it = |one: &&Assignment<'_>| meant(&one.target).any(|target| target == cell);
                let is_certain = match &shapes[before] {
                    Shape::Assign(all) => all.iter().find(is_it).map(|one| one.target.is_certain),
                    Shape::External(external) if is_written(external, cell) => return None,
                    Shape::External(external) => external.results.iter().find(is_it).map(|one| one.target.is_certain),
                    Shape::Fresh(fresh) => fresh.contains(&cell).then_some(true),
                    Shape::Change(changed) if changed.contains(&cell) => return None,
                    _ => None,
                };
                reaching.edges.extend(is_certain.map(|_| before));
                if is_certain != Some(true) && seen.insert(icfg.edges[before].from) {
                    waiting.push(icfg.edges[before].from);
                }
            }
            if seen.len() > MOST_VISITED {
                return None;
            }
        }
        Some(reaching)
    }
}

fn is_written(external: &External<'_>, cell: CellId) -> bool {
    let places = external.fills.iter().chain(external.assigns.iter().map(|one| &one.target));
    external.written().chain(places.flat_map(meant)).any(|written| written == cell)
}

/// What a cell gets on an edge: the cells that it is made of, and where it comes from otherwise.
fn assigned(shape: &Shape<'_>, cell: CellId) -> (BTreeSet<CellId>, Option<Origin>) {
    let (all, function) = match shape {
        Shape::Assign(all) => (&all[..], None),
        Shape::External(external) => (&external.results[..], Some(external.function)),
        _ => (&[][..], None),
    };
    let mut found = (BTreeSet::new(), None);
    for one in all.iter().filter(|one| meant(&one.target).any(|target| target == cell)) {
        match one.source.kind {
            SourceKind::Called => found.1 = function.map(Origin::Result),
            // Who asks whether something was so does not ask for what it was.
            _ if is_condition(&one.source) => {}
            _ => found.0.extend(read(&one.source)),
        }
    }
    found
}

/// The cells of a place, its copy among them.
pub fn meant(access: &Access) -> impl Iterator<Item = CellId> {
    access.spots.iter().map(|spot| spot.cell).chain(access.copy)
}

/// The cells that a condition tests.
fn tests(types: &Types, condition: &Source<'_>, cells: &mut BTreeSet<CellId>) {
    match &condition.kind {
        SourceKind::Unary(_, operand) if is_condition(operand) => tests(types, operand, cells),
        SourceKind::Binary(_, left, _) if is_condition(left) => tests(types, left, cells),
        SourceKind::Binary(_, left, right) => test(types, left, right, cells),
        _ => collect(condition, cells),
    }
}

/// The cells that are tested where two sides are compared. A value is tested against a constant: who compares two
/// pointers with each other, or one with `MAP_FAILED`, does not ask whether they are NULL.
fn test(types: &Types, left: &Source<'_>, right: &Source<'_>, cells: &mut BTreeSet<CellId>) {
    for (side, other) in [(left, right), (right, left)] {
        let SourceKind::Copy(access) = &side.kind else { continue };
        let is_asked = match other.kind {
            SourceKind::Null | SourceKind::Number(0) => true,
            SourceKind::Number(_) => !types.is_pointer(access.ty),
            _ => false,
        };
        if is_asked {
            cells.extend(meant(access));
        }
    }
}

/// The cells that a value is made of.
fn read(source: &Source<'_>) -> BTreeSet<CellId> {
    let mut cells = BTreeSet::new();
    collect(source, &mut cells);
    cells
}

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
