//! Where values go: from cell to cell, by assignments, arguments and results.
//!
//! A value that comes from outside may be anything that the program tests it for; so it matters whether it, or a copy of
//! it, is compared. Memory that is not followed place by place ends the way: what is stored there is not tested because
//! something else that was once stored there is. In a variable of one function a value is only where it gets from its
//! assignment: after `p = find(s); if (!p) p = s;` it is not `s` that was compared.
//!
//! What a function reads from memory of code outside and does not compare itself it *trusts*, whatever other functions
//! ask: who makes an object tests its members, who uses it relies on them. Where such a value goes to somebody who does
//! compare it, it may be anything again, so that both branches are taken.

use super::cells::{Access, CellId, Cells, Home, Key};
use super::externals::External;
use super::shapes::{Assignment, Shape};
use super::sources::{Source, SourceKind, is_condition};
use super::spoilt::Spoilt;
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::FunctionId;
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, NodeId};
use hardbop_points_to::Fit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

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
    /// What this function reads from memory of code outside, and never compares.
    Trusted(FunctionId, CellId),
}

/// Where values go.
#[derive(Debug)]
pub struct Flows {
    /// For each cell those that its value may come from, but for what is read from memory of code outside.
    sources: IndexVec<CellId, Vec<CellId>>,
    /// For each cell what is read from memory of code outside to give it to it.
    reads: FxHashMap<CellId, Vec<Read>>,
    /// The origins of what a cell is given directly.
    origins: IndexVec<CellId, Vec<Origin>>,
    tested: BTreeSet<Origin>,
    /// The cells of which functions compare what they read there.
    tested_by: FxHashSet<(FunctionId, CellId)>,
    /// The cells that are compared, parameters and variables of one function only where these compare them themselves.
    asked: FxHashSet<CellId>,
    /// The cells with values that may be trusted ones.
    trusting: FxHashSet<CellId>,
    spoilt: Spoilt,
}

/// What a function reads in a place that may be in memory of code outside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Read {
    function: Option<FunctionId>,
    /// The cells that the place is there.
    outside: Vec<CellId>,
    /// Those that it may be otherwise, as the program tells.
    named: Vec<CellId>,
    /// All that it may be.
    all: Vec<CellId>,
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
            tested: BTreeSet::new(),
            reads: FxHashMap::default(),
            tested_by: FxHashSet::default(),
            asked: FxHashSet::default(),
            trusting: FxHashSet::default(),
            spoilt: Spoilt::new(cells, shapes),
        };
        let mut compared = Vec::new();
        for (edge, shape) in shapes.iter_enumerated() {
            let mut here = BTreeSet::new();
            flows.see(cells, cells.function(edge), shape, &mut here);
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
        flows.reads.values_mut().for_each(|reads| {
            reads.sort_unstable();
            reads.dedup();
        });
        flows.find_tested(cells, shapes, compared);
        flows.find_trusting(cells);
        flows
    }

    fn see(
        &mut self,
        cells: &Cells<'_, '_>,
        function: Option<FunctionId>,
        shape: &Shape<'_>,
        compared: &mut BTreeSet<CellId>,
    ) {
        match shape {
            Shape::Assume(condition) => self.test(cells, &condition.left, &condition.right, compared),
            Shape::Assign(assignments) | Shape::Call(_, assignments) => {
                assignments.iter().for_each(|one| self.assign(cells, function, one, compared));
            }
            Shape::Fresh(fresh) => self.leave_unwritten(cells, fresh),
            Shape::External(external) => {
                self.leave_unwritten(cells, external.unwritten());
                for one in &external.results {
                    if !matches!(one.source.kind, SourceKind::Called) {
                        self.assign(cells, function, one, compared);
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
                external.assigns.iter().for_each(|one| self.assign(cells, function, one, compared));
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

    fn assign(
        &mut self,
        cells: &Cells<'_, '_>,
        function: Option<FunctionId>,
        assignment: &Assignment<'_>,
        compared: &mut BTreeSet<CellId>,
    ) {
        if is_condition(&assignment.source) {
            self.tests(cells, &assignment.source, compared);
            return;
        }
        let targets: Vec<CellId> = meant(&assignment.target).collect();
        assignment.source.for_each_access(&mut |access| {
            targets.iter().for_each(|&target| self.give(target, function, access));
        });
    }

    /// The cells that a condition tests.
    fn tests(&self, cells: &Cells<'_, '_>, condition: &Source<'_>, tested: &mut BTreeSet<CellId>) {
        match &condition.kind {
            SourceKind::Unary(_, operand) if is_condition(operand) => self.tests(cells, operand, tested),
            SourceKind::Binary(_, left, _) if is_condition(left) => self.tests(cells, left, tested),
            SourceKind::Binary(_, left, right) => self.test(cells, left, right, tested),
            _ => collect(condition, tested),
        }
    }

    /// The cells that are tested where two sides are compared. A value is tested against a constant, or against a
    /// pointer that may be NULL: who compares two others, or one with `MAP_FAILED`, does not ask whether they are NULL.
    fn test(&self, cells: &Cells<'_, '_>, left: &Source<'_>, right: &Source<'_>, tested: &mut BTreeSet<CellId>) {
        for (side, other) in [(left, right), (right, left)] {
            let SourceKind::Copy(access) = &side.kind else { continue };
            let is_pointer = cells.subject.module.types.is_pointer(access.ty);
            let is_asked = match other.kind {
                SourceKind::Null | SourceKind::Number(0) => true,
                SourceKind::Number(_) => !is_pointer,
                SourceKind::Copy(_) => is_pointer && self.spoilt.may_be_empty(cells, other),
                _ => false,
            };
            if is_asked {
                tested.extend(meant(access));
            }
        }
    }

    /// A cell gets what a function reads in a place.
    fn give(&mut self, target: CellId, function: Option<FunctionId>, access: &Access) {
        let all = whole(access);
        if access.outside.is_empty() {
            self.sources[target].extend(all);
        } else {
            let read = Read { all: all.collect(), ..Read::of(function, access) };
            self.reads.entry(target).or_default().push(read);
        }
    }

    /// What a cell's value may come from.
    fn sources_of(&self, cell: CellId) -> impl Iterator<Item = CellId> {
        let reads = self.reads.get(&cell).into_iter().flatten();
        self.sources[cell].iter().chain(reads.flat_map(|read| &read.all)).copied()
    }

    /// Against the flow inside of functions, from what is compared where. What a function gives to another that compares
    /// it, it does not compare itself.
    fn find_tested(
        &mut self,
        cells: &Cells<'_, '_>,
        shapes: &IndexVec<EdgeId, Shape<'_>>,
        compared: Vec<(EdgeId, CellId)>,
    ) {
        let mut waiting = compared;
        let (mut seen, mut is_seen) = (FxHashSet::default(), IndexVec::from_elem(false, cells.rows.len()));
        while let Some((edge, cell)) = waiting.pop() {
            if !seen.insert((edge, cell)) {
                continue;
            }
            let Some(reaching) = Reaching::new(cells, shapes, edge, cell) else {
                if cells.is_outside(cell) {
                    self.tested_by.extend(cells.function(edge).map(|function| (function, cell)));
                }
                self.compare(cells, cell, &mut is_seen);
                // What another function returns is the same there.
                let graph = cells.subject.graph;
                if let (Action::Take(_, callee), Some(caller)) = (graph.actions[edge], cells.function(edge)) {
                    let passed = cells.passed(caller, callee).into_iter();
                    self.asked.extend(passed.filter(|(_, returned)| *returned == cell).map(|(result, _)| result));
                }
                continue;
            };
            if reaching.is_given {
                self.asked.insert(cell);
                let is_given = |origin: &&Origin| matches!(origin, Origin::Parameter(..));
                self.tested.extend(self.origins[cell].iter().filter(is_given).copied());
            }
            for from in reaching.edges {
                let (sources, origin) = assigned(&shapes[from], cell);
                self.tested.extend(origin);
                waiting.extend(sources.into_iter().map(|source| (from, source)));
            }
        }
    }

    /// Takes note that a function compares what is in a cell, wherever in the function it comes from.
    fn compare(&mut self, cells: &Cells<'_, '_>, cell: CellId, is_seen: &mut IndexVec<CellId, bool>) {
        let owner = |cell: CellId| match cells.rows[cell].home {
            Home::Local(proc) | Home::Parameter(proc) => Some(proc),
            _ => cells.variable(cell).and_then(|row| cells.subject.graph.procs[row.kind.owner()?]),
        };
        let mut waiting = vec![cell];
        while let Some(cell) = waiting.pop() {
            if std::mem::replace(&mut is_seen[cell], true) {
                continue;
            }
            self.tested.extend(self.origins[cell].iter().copied());
            self.asked.insert(cell);
            if owner(cell).is_some() {
                let reads = self.reads.get(&cell).into_iter().flatten();
                let read = reads.flat_map(|read| read.outside.iter().map(|&from| Some((read.function?, from))));
                self.tested_by.extend(read.flatten());
            }
            let is_near = |source: &CellId| owner(*source).is_some() && owner(*source) == owner(cell);
            waiting.extend(self.sources_of(cell).filter(is_near));
        }
    }

    fn pass_results(&mut self, cells: &Cells<'_, '_>) {
        let graph = cells.subject.graph;
        for (edge, action) in graph.actions.iter_enumerated() {
            let Action::Call(_, callee) = action else { continue };
            let Some(caller) = cells.function(edge) else { continue };
            for (result, returned) in cells.passed(caller, *callee) {
                self.sources[returned].push(result);
            }
        }
        for (function, copies) in cells.copies.iter_enumerated() {
            copies.iter().for_each(|copy| self.give(copy.cell, Some(function), &copy.original));
        }
    }

    /// Whether the program compares a value from there. Who asks what is in memory does not ask whether it was written.
    pub fn is_tested(&self, origin: Origin) -> bool {
        !matches!(origin, Origin::Unwritten(_)) && self.tested.contains(&origin)
    }

    /// With the flow, from what is trusted.
    fn find_trusting(&mut self, cells: &Cells<'_, '_>) {
        let mut targets: FxHashMap<CellId, Vec<CellId>> = FxHashMap::default();
        for target in cells.rows.ids() {
            self.sources_of(target).for_each(|source| targets.entry(source).or_default().push(target));
        }
        let is_unknown = |origin: &Origin| !matches!(origin, Origin::Unwritten(_)) && !self.is_tested(*origin);
        let is_trusting = |cell: &CellId| {
            let reads = self.reads.get(cell).into_iter().flatten();
            self.origins[*cell].iter().any(is_unknown)
                || reads.into_iter().any(|read| self.is_trusted_by(cells, read.function, &read.outside))
        };
        let mut waiting: Vec<CellId> = cells.rows.ids().filter(is_trusting).collect();
        while let Some(cell) = waiting.pop() {
            if self.trusting.insert(cell) {
                waiting.extend(targets.get(&cell).into_iter().flatten());
            }
        }
    }

    fn is_trusted_by(&self, cells: &Cells<'_, '_>, function: Option<FunctionId>, outside: &[CellId]) -> bool {
        let Some(function) = function else { return false };
        let is_known =
            |&cell: &CellId| self.tested_by.contains(&(function, cell)) || self.spoilt.contains(cells, function, cell);
        !outside.is_empty() && !outside.iter().any(is_known)
    }

    /// Whether `function` trusts what it reads in a place.
    pub fn is_trusted(&self, cells: &Cells<'_, '_>, function: FunctionId, access: &Access) -> bool {
        self.is_trusted_by(cells, Some(function), &access.outside)
    }

    /// Whether what is in a cell may be a value that somebody trusts.
    pub fn has_trusted(&self, cell: CellId) -> bool {
        self.trusting.contains(&cell)
    }

    /// Whether what `function` reads in a place may be a value that somebody trusts.
    pub fn may_be_trusted(&self, cells: &Cells<'_, '_>, function: FunctionId, access: &Access) -> bool {
        self.is_trusted(cells, function, access) || meant(access).any(|cell| self.has_trusted(cell))
    }

    /// Whether somebody compares what is written to a place: a parameter where it is given, anything else that is no
    /// variable of one function.
    pub fn is_asked(&self, access: &Access) -> bool {
        meant(access).any(|cell| self.asked.contains(&cell))
    }

    /// The origins that the value in a place may have that `reader` reads, or anybody where nothing is trusted.
    pub fn origins(&self, cells: &Cells<'_, '_>, access: &Access, reader: Option<FunctionId>) -> BTreeSet<Origin> {
        let (mut seen, mut found) = (FxHashSet::default(), BTreeSet::new());
        let (mut waiting, mut reads): (Vec<CellId>, Vec<&Read>) = (Vec::new(), Vec::new());
        let here = Read::of(reader, access);
        reads.push(&here);
        loop {
            for read in reads.drain(..) {
                let is_trusted = reader.is_some() && self.is_trusted_by(cells, read.function, &read.outside);
                match read.function.filter(|_| is_trusted) {
                    Some(function) => {
                        found.extend(read.outside.iter().map(|&cell| Origin::Trusted(function, cell)));
                        waiting.extend(&read.named);
                    }
                    None => waiting.extend(&read.all),
                }
            }
            let Some(cell) = waiting.pop() else { return found };
            if seen.len() <= MOST_VISITED && seen.insert(cell) && cell.index() < self.sources.len() {
                found.extend(&self.origins[cell]);
                waiting.extend(&self.sources[cell]);
                reads.extend(self.reads.get(&cell).into_iter().flatten());
            }
        }
    }
}

impl Read {
    fn of(function: Option<FunctionId>, access: &Access) -> Self {
        let (outside, mut named) = (access.outside.clone(), access.named.clone());
        // What was last seen there was read there, or written by the function itself.
        named.extend(access.copy);
        Self { function, outside, named, all: meant(access).collect() }
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

/// The cells that a value is made of.
fn read(source: &Source<'_>) -> BTreeSet<CellId> {
    let mut cells = BTreeSet::new();
    collect(source, &mut cells);
    cells
}

fn collect(source: &Source<'_>, cells: &mut BTreeSet<CellId>) {
    source.for_each_access(&mut |access| cells.extend(whole(access)));
}

/// The cells that a place is all of: what is read in part is anything, wherever it comes from.
fn whole(access: &Access) -> impl Iterator<Item = CellId> {
    let whole = access.spots.iter().filter(|spot| spot.fit == Fit::Whole);
    whole.map(|spot| spot.cell).chain(access.copy)
}
