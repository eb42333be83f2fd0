//! One object that stands for all that are not told apart.
//!
//! What is behind a pointer from outside, on the heap or in an array has no cell of its own that could say whether it is
//! locked or open. But what must hold of each object must hold of any one of them. So every run picks one, *the chosen
//! object*, and follows that: a pointer's fact says whether it points there, or to how many bytes before it, and facts
//! about objects are about the chosen one. Whether some run picks the object that goes wrong is then all that matters.

use super::needs::{follows_in_requirement, follows_in_update};
use hardbop_base::IndexVec;
use hardbop_c_cells::{Access, Assignment, CellId, Cells, Home, Shape, Shaper, Sort, Source, SourceKind, stripped};
use hardbop_c_core::parts::{has_type_at, offset_of};
use hardbop_c_core::{BinaryOp, Expr, ExprKind, FunctionId, Module, StmtKind, TypeId};
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;
use hardbop_lang_flow::tree::{Call, Form, Operand, Pattern, Site, Source as SourcePattern, Target as TargetPattern};
use hardbop_lang_flow::{Analysis, name_matches};
use hardbop_points_to::{Offset, Target};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where a pointer may point, as far as a fact tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Aim {
    /// There.
    Place(Target),
    /// So many bytes before the chosen object.
    Before(i64),
    /// Anywhere else.
    Elsewhere,
}

/// All that a pointer's fact tells apart.
#[derive(Debug)]
pub(crate) struct AimList {
    aims: Vec<Aim>,
    /// Whether all that it points to and that has no name is known to code outside.
    is_from_outside: bool,
    /// Where else it may point: what is behind it there has a name at some distance, and at others may be the chosen
    /// object.
    untold: BTreeSet<Target>,
}

impl AimList {
    /// A list of places alone.
    pub(crate) fn of_places(places: Vec<Target>) -> Self {
        let aims = places.into_iter().map(Aim::Place).collect();
        Self { aims, is_from_outside: false, untold: BTreeSet::new() }
    }

    /// Whether it may point to places with a name that are not listed.
    pub(crate) fn is_vague(&self) -> bool {
        !self.untold.is_empty()
    }

    /// Whether it may point to this place, which is not listed.
    pub(crate) fn is_untold(&self, aim: Aim) -> bool {
        matches!(aim, Aim::Place(target) if self.untold.contains(&target))
    }

    /// Whether all that it points to and that has no name is known to code outside.
    pub(crate) fn is_from_outside(&self) -> bool {
        self.is_from_outside
    }

    /// The number of an aim.
    pub(crate) fn code(&self, aim: Aim) -> Option<usize> {
        self.aims.iter().position(|&own| own == aim)
    }
}

impl std::ops::Deref for AimList {
    type Target = [Aim];

    fn deref(&self) -> &[Aim] {
        &self.aims
    }
}

/// A pointer with more distances from the chosen object than this is not followed.
const MOST_DISTANCES: usize = 6;
/// Nor one that may point to more places with a name.
const MOST_PLACES: usize = 24;

/// Where pointers may point that lead to objects of which something is said.
#[derive(Default, Debug)]
pub(crate) struct Aims {
    lists: FxHashMap<CellId, Rc<AimList>>,
    /// The places with a name that something is said of.
    named: BTreeSet<Target>,
    /// Where the program lets pointers point, whatever their types are.
    given: Given,
}

/// How far from a pointer the objects are of which something is said, in bytes.
type Distances = BTreeMap<CellId, BTreeSet<i64>>;

/// For each pointer those that it may be given the values of, and how many bytes are added.
type Origins = BTreeMap<CellId, Vec<(CellId, i64)>>;

/// The addresses that pointers are given.
type Given = FxHashMap<CellId, BTreeSet<Target>>;

impl Aims {
    /// The aims of all pointers.
    pub(crate) fn new<'m>(
        analysis: &Analysis,
        shaper: &mut Shaper<'_, 'm>,
        shapes: &IndexVec<EdgeId, Shape<'m>>,
    ) -> Self {
        let mut aims = Self::default();
        let spoken = spoken_of(analysis, shaper, shapes);
        let origins = origins(shaper, shapes);
        let distances = distances(&spoken, shaper, &origins);
        aims.given = given(shaper, shapes, &origins);
        let behind = spoken.iter().filter_map(|source| source.expr);
        let behind = behind.flat_map(|expr| shaper.cells.subject.points_to.points_to_expr(expr));
        let candidates: BTreeSet<Target> =
            behind.chain(addressed(&shaper.cells, shapes, &distances)).chain(held(&shaper.cells, &distances)).collect();
        for target in candidates {
            if shaper.cells.is_followed(target) {
                aims.named.insert(target);
            }
        }
        // Where a pointer leads to one with a name, all that it leads to there should have one.
        for target in aims.beside(&shaper.cells, &distances) {
            if shaper.cells.is_followed(target) {
                aims.named.insert(target);
            }
        }
        for cell in shaper.cells.rows.ids() {
            let row = &shaper.cells.rows[cell];
            if row.home != Home::Summary && shaper.cells.sort(row.ty) == Sort::Pointer {
                let list = aims.list(&mut shaper.cells, cell, distances.get(&cell).unwrap_or(&BTreeSet::new()));
                aims.lists.extend(list.map(|list| (cell, Rc::new(list))));
            }
        }
        aims
    }

    /// Where a pointer may point, if it is worth following.
    pub(crate) fn of(&self, cell: CellId) -> Option<Rc<AimList>> {
        self.lists.get(&cell).cloned()
    }

    /// All places with a name that something is said of.
    pub(crate) fn named(&self) -> impl Iterator<Item = Target> + '_ {
        self.named.iter().copied()
    }

    /// Whether facts tell what is there from all else.
    pub(crate) fn is_named(&self, target: Target) -> bool {
        self.named.contains(&target)
    }

    /// The places with a name that a pointer of this type may be so many bytes before, though it is not known to point
    /// there: code outside knows them, or it is only known which variable it points into.
    pub(crate) fn possible(
        &self,
        cells: &Cells<'_, '_>,
        held: Option<&[Target]>,
        pointee: Option<TypeId>,
        distance: i64,
    ) -> Vec<Target> {
        let points_to = cells.subject.points_to;
        let reaches = |held: &Target, target: &Target| {
            let is_vague = !matches!(held.offset, Offset::At(_)) && held.object == target.object;
            is_vague || held.object == points_to.unknown() && points_to.has_escaped(target.object)
        };
        let is_reached = |target: &Target| held.is_none_or(|held| held.iter().any(|held| reaches(held, target)));
        let start = |target: &Target| {
            let before = further(*target, distance.checked_neg()?)?;
            let (Offset::At(offset), Some(element)) = (before.offset, points_to.element(target.object)) else {
                return None;
            };
            let fits = pointee.is_none_or(|pointee| has_type_at(cells.subject.module, element, offset, pointee));
            fits.then_some(before)
        };
        self.named.iter().filter(|target| is_reached(target)).filter_map(start).collect()
    }

    /// What is at the distances of a pointer from where it may point, since one of them leads to a place with a name.
    fn beside(&self, cells: &Cells<'_, '_>, distances: &Distances) -> BTreeSet<Target> {
        let module = cells.subject.module;
        let is_inside = |target: &Target| {
            let size = cells.subject.points_to.element(target.object).and_then(|ty| module.types.size_of(ty));
            matches!((target.offset, size), (Offset::At(offset), Some(size)) if offset < size)
        };
        let mut found = BTreeSet::new();
        for (&cell, distances) in distances.iter().filter(|(_, all)| (2..=MOST_DISTANCES).contains(&all.len())) {
            let (held, pointee) = (cells.held(cell), pointee_of(cells, cell));
            for &distance in distances {
                for start in self.possible(cells, held.as_deref(), pointee, distance) {
                    found.extend(distances.iter().filter_map(|&other| further(start, other)).filter(is_inside));
                }
            }
        }
        found
    }

    fn list(&self, cells: &mut Cells<'_, '_>, cell: CellId, distances: &BTreeSet<i64>) -> Option<AimList> {
        let is_told = |cells: &mut Cells<'_, '_>, target: Target| {
            let mut behind = distances.iter().map(|&distance| further(target, distance));
            cells.is_followed(target) && behind.all(|behind| behind.is_some_and(|behind| self.is_named(behind)))
        };
        let held = cells.held(cell);
        let is_held_known = held.is_some();
        let (mut places, others): (Vec<Target>, Vec<Target>) =
            held.into_iter().flatten().partition(|&target| is_told(cells, target));
        let pointee = pointee_of(cells, cell);
        for &distance in distances {
            places.extend(self.possible(cells, is_held_known.then_some(&others), pointee, distance));
        }
        let is_exact = |target: &&Target| matches!(target.offset, Offset::At(_));
        let is_behind = |target, distance| further(target, distance).is_some_and(|behind| self.is_named(behind));
        let leads = |target: &Target| distances.iter().any(|&distance| is_behind(*target, distance));
        let given = self.given.get(&cell);
        let more = others.iter().filter(is_exact).chain(given.into_iter().flatten());
        places.extend(more.filter(|target| leads(target)));
        let (places, untold): (BTreeSet<Target>, BTreeSet<Target>) =
            places.into_iter().partition(|&target| is_told(cells, target));
        let has_many = given.is_some_and(|given| given.len() > MOST_PLACES);
        let is_known = is_held_known && others.is_empty();
        let is_worth = if is_known { places.len() > 1 } else { !distances.is_empty() };
        if !is_worth || has_many || places.len() > MOST_PLACES || distances.len() > MOST_DISTANCES {
            return None;
        }
        let is_from_outside =
            is_held_known && others.iter().all(|target| target.object == cells.subject.points_to.unknown());
        let distances = distances.iter().filter(|_| !is_known).map(|&distance| Aim::Before(distance));
        let aims = places.into_iter().map(Aim::Place).chain(distances).chain([Aim::Elsewhere]).collect();
        Some(AimList { aims, is_from_outside, untold })
    }
}

/// The type of what a pointer points to.
fn pointee_of(cells: &Cells<'_, '_>, pointer: CellId) -> Option<TypeId> {
    let types = &cells.subject.module.types;
    cells.rows[pointer].ty.and_then(|ty| types.pointee(ty)).map(|pointee| pointee.ty)
}

/// What is so many bytes further in an object.
pub(crate) fn further(target: Target, by: i64) -> Option<Target> {
    let Offset::At(offset) = target.offset else { return None };
    Some(Target { offset: Offset::At(offset.checked_add_signed(by)?), ..target })
}

/// What is at the distances of a pointer from where it may point.
fn held<'s>(cells: &'s Cells<'_, '_>, distances: &'s Distances) -> impl Iterator<Item = Target> + 's {
    distances.iter().flat_map(|(&cell, distances)| {
        let all = cells.held(cell).into_iter().flatten();
        all.flat_map(|target| distances.iter().filter_map(move |&distance| further(target, distance)))
    })
}

/// The same of addresses that are assigned to it: where it may also point outside, these are not all listed.
fn addressed(cells: &Cells<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>, distances: &Distances) -> Vec<Target> {
    let mut found = Vec::new();
    for one in shapes.iter().flat_map(assignments) {
        let SourceKind::Address(Some(target)) = one.source.kind else { continue };
        for distances in pointers(cells, &one.target).filter_map(|cell| distances.get(&cell)) {
            found.extend(distances.iter().filter_map(|&distance| further(target, distance)));
        }
    }
    found
}

/// The pointers whose objects the rules say something of.
fn spoken_of<'m>(
    analysis: &Analysis,
    shaper: &mut Shaper<'_, 'm>,
    shapes: &IndexVec<EdgeId, Shape<'m>>,
) -> Vec<Source<'m>> {
    let (calls, dereferences) = mentioned(analysis);
    let is_meant = |module: &Module, function: Option<FunctionId>| {
        let name = function.map(|function| module.functions[function].source_name.as_str());
        let names = |call: &&Call| {
            let mut callees = call.callees.iter();
            call.callees.is_empty() || name.is_some_and(|name| callees.any(|callee| name_matches(callee, name)))
        };
        calls.iter().any(names)
    };
    let mut found = Vec::new();
    for (edge, shape) in shapes.iter_enumerated() {
        if dereferences {
            found.extend(shaper.pointers(edge).into_iter().map(|(pointer, _)| pointer));
        }
        let action = shaper.cells.subject.graph.actions[edge];
        match (shape, action, shaper.function(edge)) {
            (Shape::External(external), ..) if is_meant(shaper.module(), external.function) => {
                found.extend(external.arguments.iter().cloned());
            }
            (_, Action::Call(stmt, callee), Some(function)) if is_meant(shaper.module(), Some(callee)) => {
                let StmtKind::Call { arguments, .. } = &stmt.kind else { continue };
                found.extend(arguments.iter().map(|argument| shaper.source(function, argument)));
            }
            _ => {}
        }
    }
    found
}

/// The calls that an analysis speaks of, and whether it speaks of what is behind pointers.
fn mentioned(analysis: &Analysis) -> (Vec<&Call>, bool) {
    let sites = analysis.requirements.iter().filter(|requirement| follows_in_requirement(requirement));
    let sites = sites.filter_map(|requirement| match &requirement.site {
        Site::Statement(pattern) => Some(pattern),
        _ => None,
    });
    let rules = analysis.rules.iter().filter(|rule| rule.updates.iter().any(follows_in_update));
    let patterns: Vec<&Pattern> = rules.map(|rule| &rule.pattern).chain(sites).collect();
    let calls = patterns.iter().filter_map(|pattern| pattern.form.call());
    let dereferences = patterns.iter().any(|pattern| is_dereference(&pattern.form))
        || analysis.requirements.iter().any(|requirement| is_dereference_at(&requirement.site));
    (calls.collect(), dereferences)
}

fn reads_behind(source: &SourcePattern) -> bool {
    source.operands().iter().any(|one| matches!(one, Operand::Deref(_)))
}

fn is_dereference_at(site: &Site) -> bool {
    match site {
        Site::Deref(..) => true,
        Site::Operation(operation, _) => reads_behind(operation),
        _ => false,
    }
}

fn is_dereference(form: &Form) -> bool {
    match form {
        Form::Assign(target, source) => matches!(target, TargetPattern::Deref(_)) || reads_behind(source),
        _ => false,
    }
}

/// How far the objects of `spoken` are from the pointers that these are computed from.
fn distances(spoken: &[Source<'_>], shaper: &Shaper<'_, '_>, origins: &Origins) -> Distances {
    let module = shaper.module();
    let mut found = Distances::new();
    let roots = spoken.iter().filter_map(|source| displaced(module, source));
    let mut waiting: Vec<(CellId, i64)> =
        roots.flat_map(|(access, by)| pointers(&shaper.cells, access).map(move |cell| (cell, by))).collect();
    while let Some((cell, distance)) = waiting.pop() {
        let known = found.entry(cell).or_default();
        if known.len() > MOST_DISTANCES || !known.insert(distance) {
            continue;
        }
        let before = origins.get(&cell).into_iter().flatten();
        waiting.extend(before.filter_map(|&(from, by)| Some((from, distance.checked_add(by)?))));
    }
    found
}

fn origins(shaper: &Shaper<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>) -> Origins {
    let mut origins = Origins::default();
    for one in shapes.iter().flat_map(assignments) {
        let Some((from, by)) = displaced(shaper.module(), &one.source) else { continue };
        for to in pointers(&shaper.cells, &one.target) {
            origins.entry(to).or_default().extend(pointers(&shaper.cells, from).map(|from| (from, by)));
        }
    }
    for (from, to) in handed_on(&shaper.cells) {
        origins.entry(to).or_default().push((from, 0));
    }
    origins
}

/// The addresses that pointers are given, one by way of the other. More than are of use are not looked for.
fn given(shaper: &Shaper<'_, '_>, shapes: &IndexVec<EdgeId, Shape<'_>>, origins: &Origins) -> Given {
    let mut uses = Origins::default();
    for (&to, all) in origins {
        all.iter().for_each(|&(from, by)| uses.entry(from).or_default().push((to, by)));
    }
    let mut waiting: Vec<(CellId, Target)> = Vec::new();
    for one in shapes.iter().flat_map(assignments) {
        if let Some(target) = address(shaper.module(), &one.source) {
            waiting.extend(pointers(&shaper.cells, &one.target).map(|cell| (cell, target)));
        }
    }
    let mut found = Given::default();
    while let Some((cell, target)) = waiting.pop() {
        let known = found.entry(cell).or_default();
        if known.len() > MOST_PLACES || !known.insert(target) {
            continue;
        }
        let next = uses.get(&cell).into_iter().flatten();
        waiting.extend(next.filter_map(|&(to, by)| Some((to, further(target, by)?))));
    }
    found
}

/// The address that a value is.
fn address(module: &Module, source: &Source<'_>) -> Option<Target> {
    match &source.kind {
        SourceKind::Address(target) => *target,
        SourceKind::Binary(_, left, _) => further(address(module, left)?, displacement(module, source)?),
        _ => None,
    }
}

fn assignments<'s, 'm>(shape: &'s Shape<'m>) -> impl Iterator<Item = &'s Assignment<'m>> {
    let (first, second): (&[Assignment<'m>], &[Assignment<'m>]) = match shape {
        Shape::Assign(assignments) | Shape::Call(_, assignments) => (assignments, &[]),
        Shape::External(external) => (&external.results, &external.assigns),
        _ => (&[], &[]),
    };
    first.iter().chain(second)
}

/// Where values go without an assignment: from what a function returns to who takes it, and from one copy of what is
/// behind a pointer to another.
fn handed_on(cells: &Cells<'_, '_>) -> Vec<(CellId, CellId)> {
    let graph = cells.subject.graph;
    let mut found = Vec::new();
    for (edge, action) in graph.actions.iter_enumerated() {
        let caller = graph.functions[graph.icfg.nodes[graph.icfg.edges[edge].from].proc];
        if let (Action::Call(_, callee), Some(caller)) = (action, caller) {
            found.extend(cells.passed(caller, *callee));
        }
    }
    let mut twins: FxHashMap<(u64, TypeId), CellId> = FxHashMap::default();
    for copy in cells.copies.iter().flatten() {
        let first = *twins.entry((copy.behind.offset, copy.behind.ty)).or_insert(copy.cell);
        found.extend([(first, copy.cell), (copy.cell, first)]);
        found.extend(pointers(cells, &copy.original).filter(|&from| from != copy.cell).map(|from| (from, copy.cell)));
    }
    found
}

/// The pointers of a place that are followed on their own.
fn pointers<'s>(cells: &'s Cells<'_, '_>, access: &'s Access) -> impl Iterator<Item = CellId> + 's {
    let all = access.spots.iter().map(|spot| spot.cell).chain(access.copy);
    all.filter(|&cell| cells.rows[cell].home != Home::Summary && cells.sort(cells.rows[cell].ty) == Sort::Pointer)
}

/// The place that a pointer is computed from, and the bytes that are added to what is there.
fn displaced<'s>(module: &Module, source: &'s Source<'_>) -> Option<(&'s Access, i64)> {
    match &source.kind {
        SourceKind::Copy(access) => Some((access, 0)),
        SourceKind::Binary(_, left, _) => {
            let (access, before) = displaced(module, left)?;
            Some((access, before.checked_add(displacement(module, source)?)?))
        }
        _ => None,
    }
}

/// The bytes that the last operation of a pointer's computation adds, where they are known.
pub(crate) fn displacement(module: &Module, source: &Source<'_>) -> Option<i64> {
    let number = |expr: &Expr| match stripped(expr).kind {
        ExprKind::Integer(value) => i64::try_from(value).ok(),
        _ => None,
    };
    match &stripped(source.expr?).kind {
        ExprKind::Address(place) if place.is_deref() => i64::try_from(offset_of(module, place)?).ok(),
        ExprKind::Binary(op, left, right) => {
            let size = match op {
                BinaryOp::PointerAdd | BinaryOp::PointerSub => {
                    i64::try_from(module.types.size_of(module.types.pointee(left.ty)?.ty)?).ok()?
                }
                BinaryOp::Add | BinaryOp::Sub => 1,
                _ => return None,
            };
            let bytes = number(right)?.checked_mul(size)?;
            if matches!(op, BinaryOp::PointerSub | BinaryOp::Sub) { bytes.checked_neg() } else { Some(bytes) }
        }
        _ => None,
    }
}
