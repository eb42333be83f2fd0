//! What is taken of memory that is not told apart.
//!
//! Of an array it is known whether an element was written, not which. An analysis can say with `unknown` what is taken of
//! objects: whatever was said so of one of several is taken to be so of the one that is meant. Who relies on that is told,
//! so that the answer is no more than what is known: that is what *doubts* are for.

use super::Unknown;
use super::rules;
use super::scribe::Scribe;
use hardbop_base::IndexVec;
use hardbop_c_cells::{Access, Assignment, CellId, Home, Shape, SourceKind, Spot};
use hardbop_c_core::FunctionId;
use hardbop_icfg::EdgeId;
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{FamilyId, Sort};
use hardbop_points_to::Fit;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why it is not known whether what was said of a cell is so of what is read there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doubt {
    /// It may have been said of something else.
    Several,
    /// It was said of a part.
    Part,
    /// A function that is not there may have left it as it was.
    Function(Option<FunctionId>),
    /// It is memory of code outside.
    Outside,
}

/// What is taken of objects.
#[derive(Default, Debug)]
pub(crate) struct Presumed {
    /// Of each family the truth value, where one is taken.
    values: IndexVec<FamilyId, Option<bool>>,
    doubts: FxHashMap<CellId, Doubt>,
    /// The cells that come into being while the program runs, and those that what is in them is copied to.
    pub(crate) born: FxHashSet<CellId>,
}

impl Presumed {
    /// What `analysis` takes of objects.
    pub(crate) fn new(analysis: &Analysis, unknown: Unknown) -> Self {
        let value = |family: FamilyId| {
            let parameters = &analysis.declaration(family).parameters;
            let is_about_objects = parameters.iter().any(|parameter| analysis.sort(parameter.id) == Sort::Object);
            let assumed = rules::assumed(analysis, family).filter(|_| is_about_objects && unknown == Unknown::AsTested);
            assumed.and_then(|assumed| assumed.definite())
        };
        Self { values: analysis.families.ids().map(value).collect(), ..Self::default() }
    }

    /// What is taken of facts of `family`.
    pub(crate) fn of(&self, family: FamilyId) -> Option<bool> {
        self.values[family]
    }
}

/// What the program does that is doubtful.
#[derive(Default)]
struct Doings {
    doubts: Vec<(CellId, Doubt)>,
    /// For each cell those that get what it has.
    copies: FxHashMap<CellId, Vec<CellId>>,
}

impl<'m> Scribe<'_, 'm> {
    /// Finds out what comes into being, and what is doubtful where anything is taken of objects.
    pub(crate) fn find_doubts(&mut self, shapes: &IndexVec<EdgeId, Shape<'m>>) {
        for shape in shapes {
            match shape {
                Shape::Fresh(cells) => self.presumed.born.extend(cells),
                Shape::External(external) => self.presumed.born.extend(&external.allocates),
                _ => {}
            }
        }
        if self.presumed.values.iter().all(Option::is_none) {
            return;
        }
        let Doings { mut doubts, copies } = self.doings(shapes);
        let mut copied: Vec<CellId> = self.presumed.born.iter().copied().collect();
        while let Some(cell) = copied.pop() {
            let targets = copies.get(&cell).into_iter().flatten();
            copied.extend(targets.filter(|&&target| self.presumed.born.insert(target)));
        }
        let (rows, born) = (&self.shaper.cells.rows, &self.presumed.born);
        let several = rows.ids().filter(|cell| born.contains(cell) && rows[*cell].home == Home::Summary);
        doubts.extend(several.map(|cell| (cell, Doubt::Several)));
        let cells = &self.shaper.cells;
        let outside = rows.ids().filter(|&cell| cells.is_outside(cell) || cells.is_argument(cell));
        let mut waiting: Vec<(CellId, Doubt)> = outside.map(|cell| (cell, Doubt::Outside)).collect();
        waiting.extend(doubts.into_iter().filter(|(cell, _)| born.contains(cell)));
        while let Some((cell, doubt)) = waiting.pop() {
            if self.presumed.doubts.contains_key(&cell) {
                continue;
            }
            self.presumed.doubts.insert(cell, doubt);
            waiting.extend(copies.get(&cell).into_iter().flatten().map(|&copy| (copy, doubt)));
        }
    }

    fn doings(&mut self, shapes: &IndexVec<EdgeId, Shape<'m>>) -> Doings {
        let mut doings = Doings::default();
        for (edge, shape) in shapes.iter_enumerated() {
            match shape {
                Shape::Assign(assignments) => {
                    assignments.iter().for_each(|one| self.doubt_assignment(one, &mut doings));
                }
                Shape::Call(callee, given) => {
                    given.iter().for_each(|one| self.doubt_assignment(one, &mut doings));
                    let caller = self.shaper.function(edge);
                    let passed = caller.map(|caller| self.shaper.cells.passed(caller, *callee));
                    for (result, returned) in passed.into_iter().flatten() {
                        doings.copies.entry(result).or_default().push(returned);
                    }
                }
                Shape::External(external) => {
                    let assigned = external.assigns.iter().chain(&external.carries).chain(&external.results);
                    assigned.for_each(|one| self.doubt_assignment(one, &mut doings));
                    let written = self.shaper.written_by_call(edge);
                    // Models are made of functions that the user has not called.
                    let functions = &self.shaper.cells.subject.module.functions;
                    let model = self.shaper.function(edge).filter(|&function| functions[function].is_model);
                    let doubt = Doubt::Function(model.or(external.function));
                    doings.doubts.extend(written.iter().map(|&cell| (cell, doubt)));
                }
                _ => {}
            }
        }
        doings
    }

    fn doubt_assignment(&mut self, one: &Assignment<'m>, doings: &mut Doings) {
        let target = &one.target;
        for spot in target.spots.iter().filter(|_| !target.is_certain) {
            match spot.fit {
                Fit::Blurred => doings.doubts.push((spot.cell, Doubt::Part)),
                Fit::Whole if self.told(target, *spot).is_none() => doings.doubts.push((spot.cell, Doubt::Several)),
                Fit::Whole => {}
            }
        }
        if let (true, SourceKind::Copy(from)) = (one.is_part, &one.source.kind) {
            // What is copied from one of several is so if it was of one of them.
            let is_open = |spot: &Spot| self.told(from, *spot).is_none();
            if from.spots.len() > 1 && from.spots.iter().any(is_open) {
                doings.doubts.extend(target.spots.iter().map(|spot| (spot.cell, Doubt::Several)));
            }
            for source in &from.spots {
                doings.copies.entry(source.cell).or_default().extend(target.spots.iter().map(|spot| spot.cell));
            }
        }
    }

    /// Whether who reads a cell is told that something is taken of it.
    pub(crate) fn is_doubtful(&self, cell: CellId) -> bool {
        self.presumed.doubts.contains_key(&cell)
    }

    /// What is doubtful where a place is read: what it is called, and why.
    pub(crate) fn doubt_about(&mut self, access: &Access, expression: &str) -> Option<(String, Doubt)> {
        let Presumed { doubts, born, .. } = &self.presumed;
        if let [spot] = access.spots[..] {
            let is_part = spot.fit == Fit::Blurred && born.contains(&spot.cell);
            let found = doubts.get(&spot.cell).copied().or(is_part.then_some(Doubt::Part))?;
            return Some((self.shaper.cells.rows[spot.cell].name.clone(), found));
        }
        let found: Vec<Doubt> = access.spots.iter().filter_map(|spot| doubts.get(&spot.cell)).copied().collect();
        let is_open = |spot: &Spot| !doubts.contains_key(&spot.cell) && born.contains(&spot.cell);
        let open: Vec<Spot> = access.spots.iter().copied().filter(is_open).collect();
        let why = match found[..] {
            [first, ..] if found.len() == access.spots.len() && found.iter().all(|other| *other == first) => first,
            [] if open.into_iter().all(|spot| self.told(access, spot).is_some()) => return None,
            _ => Doubt::Several,
        };
        Some((expression.to_owned(), why))
    }
}
