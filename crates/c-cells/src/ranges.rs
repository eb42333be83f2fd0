//! Which integers are followed, and over which range.
//!
//! Integers that are copied to or compared with each other need one range; the constants that they meet say which.
//! What is never compared needs none.

use super::cells::{Access, CellId, Cells, Home, Key, Sort};
use super::operators::is_sum;
use super::shapes::Shape;
use super::sources::{Condition, Source, SourceKind, is_condition};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::EdgeId;
use hardbop_icfg::small::{MOST_VALUES, Range};
use std::collections::BTreeSet;

/// A class with more members than this is followed over few values.
const LARGE: usize = 64;
/// So many.
const FEW_VALUES: i128 = 12;
/// So many constants of a class are looked at.
const MOST_CONSTANTS: usize = 512;

/// The ranges of all integers.
#[derive(Debug)]
pub struct Ranges {
    parent: IndexVec<CellId, CellId>,
    windows: IndexVec<CellId, Option<(i128, i128)>>,
}

#[derive(Clone, Default)]
struct Class {
    constants: BTreeSet<i128>,
    members: usize,
    is_tested: bool,
}

struct Finder<'c> {
    cells: &'c Cells<'c, 'c>,
    parent: IndexVec<CellId, CellId>,
    classes: IndexVec<CellId, Class>,
}

/// Whether numbers matter beyond what the program compares.
#[derive(Debug)]
pub enum Interest {
    /// No.
    Tested,
    /// Yes, and these beside those that the program compares.
    All(BTreeSet<i128>),
}

impl Ranges {
    /// The ranges that the program's constants give.
    pub fn new(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>, interest: &Interest) -> Self {
        let count = cells.rows.len();
        let mut finder = Finder {
            cells,
            parent: cells.rows.ids().collect(),
            classes: IndexVec::from_elem(Class { members: 1, ..Class::default() }, count),
        };
        for shape in shapes {
            finder.see(shape);
        }
        finder.join_results();
        let mut windows = IndexVec::from_elem(None, count);
        for id in cells.rows.ids() {
            if finder.parent[id] != id {
                continue;
            }
            windows[id] = match interest {
                Interest::Tested => finder.classes[id].is_tested.then(|| window(&finder.classes[id])).flatten(),
                Interest::All(said) => {
                    finder.classes[id].constants.extend(said);
                    window(&finder.classes[id])
                }
            };
        }
        let parent = cells.rows.ids().map(|id| finder.root(id)).collect();
        Self { parent, windows }
    }

    /// The range of an integer, if it is followed.
    pub fn of(&self, cells: &Cells<'_, '_>, cell: CellId) -> Option<Range> {
        if cell.index() >= self.parent.len() {
            return None;
        }
        let (low, high) = self.windows[self.parent[cell]]?;
        let row = &cells.rows[cell];
        let (least, most) = cells.bounds(cell)?;
        let (low, high) = (low.max(least), high.min(most));
        (row.home != Home::Summary && low <= high).then_some(Range { low, high, least, most })
    }
}

/// From the least to the greatest constant, or the part around zero of what would be too much.
fn window(class: &Class) -> Option<(i128, i128)> {
    let (low, high) = (*class.constants.first()?, *class.constants.last()?);
    let most = if class.members > LARGE { FEW_VALUES } else { MOST_VALUES };
    if high - low < most {
        return Some((low, high));
    }
    // The most constants that a window of this width can hold; of two, the one that is closer to zero.
    let all: Vec<i128> = class.constants.iter().copied().collect();
    let windows = all.iter().map(|&start| {
        let held = class.constants.range(start..start + most);
        (held.clone().count(), std::cmp::Reverse(start.abs()), start, *held.last().expect("its start is in it"))
    });
    windows.max().map(|(_, _, low, high)| (low, high))
}

impl Finder<'_> {
    fn see(&mut self, shape: &Shape<'_>) {
        match shape {
            Shape::Assume(condition) => self.compare(condition),
            Shape::Assign(assignments) | Shape::Call(_, assignments) => {
                assignments.iter().for_each(|one| self.assign(&one.target, &one.source));
            }
            Shape::External(external) => {
                external.results.iter().chain(&external.assigns).for_each(|one| self.assign(&one.target, &one.source));
            }
            _ => {}
        }
    }

    /// The integers that a place may be.
    fn integers(&self, access: &Access) -> Vec<CellId> {
        let spots = access.spots.iter().map(|spot| spot.cell).chain(access.copy);
        let is_one = |cell: &CellId| {
            let row = &self.cells.rows[*cell];
            row.home != Home::Summary && self.cells.sort(row.ty) == Sort::Integer
        };
        spots.filter(is_one).collect()
    }

    fn assign(&mut self, target: &Access, source: &Source<'_>) {
        let targets = self.integers(target);
        match &source.kind {
            SourceKind::Number(value) => targets.iter().for_each(|&cell| self.add_constant(cell, *value)),
            SourceKind::Null => targets.iter().for_each(|&cell| self.add_constant(cell, 0)),
            SourceKind::Copy(from) => self.join_all(&targets, from),
            SourceKind::Binary(op, left, _) if is_sum(*op) => {
                if let SourceKind::Copy(from) = &left.kind {
                    self.join_all(&targets, from);
                }
            }
            _ if is_condition(source) => {
                for &cell in &targets {
                    self.add_constant(cell, 0);
                    self.add_constant(cell, 1);
                }
                self.look_into(source);
            }
            _ => {}
        }
    }

    fn look_into(&mut self, source: &Source<'_>) {
        match &source.kind {
            SourceKind::Unary(_, operand) => {
                if let SourceKind::Copy(access) = &operand.kind {
                    self.test(access, Some(0));
                }
                self.look_into(operand);
            }
            SourceKind::Binary(_, left, right) => {
                self.compare_sides(left, right);
                self.look_into(left);
            }
            _ => {}
        }
    }

    fn compare(&mut self, condition: &Condition<'_>) {
        self.compare_sides(&condition.left, &condition.right);
    }

    fn compare_sides(&mut self, left: &Source<'_>, right: &Source<'_>) {
        match (&left.kind, &right.kind) {
            (SourceKind::Copy(access), SourceKind::Number(value)) => self.test(access, Some(*value)),
            (SourceKind::Copy(access), SourceKind::Copy(other)) => {
                self.test(access, None);
                let targets = self.integers(access);
                self.join_all(&targets, other);
            }
            _ => {}
        }
    }

    fn test(&mut self, access: &Access, value: Option<i128>) {
        for cell in self.integers(access) {
            let root = self.root(cell);
            self.classes[root].is_tested = true;
            if let Some(value) = value {
                self.add_constant(cell, value);
            }
        }
    }

    fn add_constant(&mut self, cell: CellId, value: i128) {
        // What is too large for a bit-field is cut off.
        let bounds = self.cells.rows[cell].width.and_then(|_| self.cells.bounds(cell));
        let held = bounds.map(|(least, most)| least + (value - least).rem_euclid(most - least + 1));
        [Some(value), held].into_iter().flatten().for_each(|value| self.add_number(cell, value));
    }

    fn add_number(&mut self, cell: CellId, value: i128) {
        let root = self.root(cell);
        let constants = &mut self.classes[root].constants;
        if constants.len() < MOST_CONSTANTS {
            constants.insert(value);
        }
    }

    fn join_all(&mut self, targets: &[CellId], from: &Access) {
        for source in self.integers(from) {
            targets.iter().for_each(|&target| self.join(target, source));
        }
    }

    /// What a function returns and what its callers take.
    fn join_results(&mut self) {
        let cells = self.cells;
        let graph = cells.subject.graph;
        for (edge, action) in graph.actions.iter_enumerated() {
            let hardbop_c_graph::Action::Call(_, callee) = action else { continue };
            let Some(caller) = graph.functions[graph.icfg.nodes[graph.icfg.edges[edge].from].proc] else { continue };
            for (result, returned) in cells.passed(caller, *callee) {
                if cells.sort(cells.rows[result].ty) == Sort::Integer {
                    self.join(result, returned);
                }
            }
        }
    }

    fn join(&mut self, left: CellId, right: CellId) {
        let (left, right) = (self.root(left), self.root(right));
        if left == right {
            return;
        }
        let absorbed = std::mem::take(&mut self.classes[right]);
        self.parent[right] = left;
        let class = &mut self.classes[left];
        class.is_tested |= absorbed.is_tested;
        class.members += absorbed.members;
        class.constants.extend(absorbed.constants);
    }

    fn root(&mut self, cell: CellId) -> CellId {
        let mut root = cell;
        while self.parent[root] != root {
            root = self.parent[root];
        }
        let mut at = cell;
        while self.parent[at] != root {
            at = std::mem::replace(&mut self.parent[at], root);
        }
        root
    }
}

impl Cells<'_, '_> {
    /// The results of `callee` that the calls in `caller` take, each with where it is taken to.
    pub fn passed(
        &self,
        caller: hardbop_c_core::FunctionId,
        callee: hardbop_c_core::FunctionId,
    ) -> Vec<(CellId, CellId)> {
        let results = self.results(callee).iter();
        let pair = |&(offset, cell): &(u64, CellId)| {
            let ty = self.rows[cell].ty?;
            Some((cell, self.find(Key::Returned(caller, offset, ty))?))
        };
        results.filter_map(pair).collect()
    }
}
