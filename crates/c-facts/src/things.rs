//! What metavariables stand for, and the sets that they go through.

use super::catalogue::{self, ExpressionId, StatementId};
use super::chosen::Aim;
use super::scribe::Scribe;
use super::tuples::About;
use hardbop_c_cells::{Access, CellId, Home, Key, Source, SourceKind, for_each_place, stripped};
use hardbop_c_core::{Expr, FunctionId, Place, PlaceUse, TypeId, VarKind};
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, ProcId};
use hardbop_lang_flow::tree::{Argument, Binder, Condition as Where, FamilyId, MetaId, Set, SetKind, Sort as MetaSort};
use hardbop_points_to::{Fit, ObjectKind, Offset, Target};
use std::collections::{BTreeMap, BTreeSet};

/// What a metavariable stands for.
#[derive(Clone, Debug)]
pub(crate) enum Thing<'m> {
    /// A value.
    Value(Source<'m>),
    /// What a function that is given these values returns.
    Result(Vec<Source<'m>>),
    /// A place.
    Place(Access),
    /// An object.
    Object(Target),
    /// A cell.
    Cell(CellId),
    /// The object that a pointer points to, which is this cell.
    Behind(CellId, Source<'m>),
    /// The statement of an edge.
    Statement(EdgeId),
    /// A statement that assigns.
    Definition(StatementId),
    /// An expression.
    Expression(ExpressionId),
}

/// What metavariables stand for.
pub(crate) type Bindings<'m> = BTreeMap<MetaId, Thing<'m>>;

/// A member of a set.
#[derive(Clone, Debug)]
pub(crate) struct Member<'m> {
    pub(crate) thing: Thing<'m>,
    /// Whether it is meant; of several things that a pointer may point to, only one is.
    pub(crate) when: When<'m>,
}

/// When a member of a set is meant.
#[derive(Clone, Debug)]
pub(crate) enum When<'m> {
    /// Always.
    Sure,
    /// It, or a part of it.
    Partly,
    /// It, or something else.
    Perhaps,
    /// Where all these pointers, as facts tell, point there.
    Aimed(Vec<(Thing<'m>, Aim)>),
}

impl When<'_> {
    pub(crate) fn certain(is_certain: bool) -> Self {
        if is_certain { Self::Sure } else { Self::Perhaps }
    }

    /// When both are meant.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Sure, other) | (other, Self::Sure) => other,
            (Self::Aimed(left), Self::Aimed(right)) => Self::Aimed(left.into_iter().chain(right).collect()),
            _ => Self::Perhaps,
        }
    }

    /// Whether it is always meant.
    pub(crate) fn is_sure(&self) -> bool {
        matches!(self, Self::Sure)
    }
}

impl<'m> Member<'m> {
    fn sure(thing: Thing<'m>) -> Self {
        Self { thing, when: When::Sure }
    }

    pub(crate) fn perhaps(cell: CellId) -> Self {
        Self { thing: Thing::Cell(cell), when: When::Perhaps }
    }
}

impl<'m> Scribe<'_, 'm> {
    /// The function whose statement is at hand.
    pub(crate) fn function_here(&self) -> Option<FunctionId> {
        self.here.and_then(|edge| self.shaper.function(edge))
    }

    /// The function with a body that the statement at hand calls.
    fn callee_here(&self) -> Option<FunctionId> {
        match self.shaper.cells.subject.graph.actions[self.here?] {
            Action::Call(_, callee) => Some(callee),
            _ => None,
        }
    }

    fn proc_here(&self) -> Option<ProcId> {
        let graph = self.shaper.cells.subject.graph;
        self.here.map(|edge| graph.icfg.nodes[graph.icfg.edges[edge].from].proc)
    }

    /// Lets a metavariable stand for something; not where it stands for something else.
    pub(crate) fn bind(&mut self, meta: MetaId, thing: Thing<'m>, bindings: &mut Bindings<'m>) -> bool {
        match bindings.get(&meta).cloned() {
            Some(known) => self.same(&known, &thing),
            None => {
                bindings.insert(meta, thing);
                true
            }
        }
    }

    /// Whether two things are the same.
    fn same(&mut self, left: &Thing<'m>, right: &Thing<'m>) -> bool {
        match (left, right) {
            (Thing::Object(left), Thing::Object(right)) => return left == right,
            (Thing::Statement(left), Thing::Statement(right)) if left == right => return true,
            _ => {}
        }
        if let (Some(left), Some(right)) = (self.cell_of(left), self.cell_of(right)) {
            return left == right;
        }
        if let (Some(left), Some(right)) = (self.statement_of(left), self.statement_of(right)) {
            return left == right;
        }
        if let (Some(left), Some(right)) = (self.expression_of(left), self.expression_of(right)) {
            return left == right;
        }
        match (left, right) {
            (Thing::Value(left), Thing::Value(right)) => match (&left.kind, &right.kind) {
                (SourceKind::Number(left), SourceKind::Number(right)) => left == right,
                _ => left.expr.is_some() && left.expr == right.expr && !matches!(left.kind, SourceKind::Copy(_)),
            },
            _ => false,
        }
    }

    /// The cell that a thing is, where it is one that is followed on its own.
    pub(crate) fn cell_of(&mut self, thing: &Thing<'m>) -> Option<CellId> {
        match thing {
            Thing::Place(access) | Thing::Value(Source { kind: SourceKind::Copy(access), .. }) => {
                access.is_certain.then(|| access.spots[0].cell)
            }
            Thing::Cell(cell) | Thing::Behind(cell, _) => Some(*cell),
            Thing::Object(target) => self.object(*target),
            _ => None,
        }
    }

    /// The statement that a thing is.
    pub(crate) fn statement_of(&self, thing: &Thing<'m>) -> Option<StatementId> {
        match thing {
            Thing::Statement(edge) => self.catalogue.statement(*edge),
            Thing::Definition(id) => Some(*id),
            _ => None,
        }
    }

    /// The expression that a thing is, where it computes something.
    pub(crate) fn expression_of(&self, thing: &Thing<'m>) -> Option<ExpressionId> {
        match thing {
            Thing::Value(source) => source.expr.and_then(|expr| self.catalogue.expression(expr)),
            Thing::Expression(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether a condition of a `where` holds.
    pub(crate) fn holds(&mut self, condition: &Where, bindings: &mut Bindings<'m>) -> bool {
        match condition {
            Where::Only(set, meta) => {
                let sort = self.analysis.sort(meta.id);
                let members = self.members(set, sort, bindings);
                let [Member { thing, when: When::Sure }] = &members[..] else { return false };
                let is_one = match thing {
                    Thing::Cell(cell) | Thing::Behind(cell, _) => self.shaper.cells.rows[*cell].home != Home::Summary,
                    _ => true,
                };
                is_one && self.bind(meta.id, thing.clone(), bindings)
            }
            Where::In(meta, set) => {
                let Some(thing) = bindings.get(&meta.id).cloned() else { return false };
                self.is_member(&thing, set, bindings)
            }
            Where::Is(left, right) => self.is_same(left.id, right.id, bindings),
            Where::IsNot(left, right) => !self.is_same(left.id, right.id, bindings),
        }
    }

    /// Whether two metavariables stand for the same thing.
    pub(crate) fn is_same(&mut self, left: MetaId, right: MetaId, bindings: &Bindings<'m>) -> bool {
        match (bindings.get(&left).cloned(), bindings.get(&right).cloned()) {
            (Some(left), Some(right)) => self.same(&left, &right),
            _ => false,
        }
    }

    /// Whether a thing is in a set.
    pub(crate) fn is_member(&mut self, thing: &Thing<'m>, set: &Set, bindings: &Bindings<'m>) -> bool {
        match set.kind {
            SetKind::Definitions if set.argument.is_none() => {
                let found = self.statement_of(thing);
                found.is_some_and(|id| !self.catalogue.statements[id].targets.is_empty())
            }
            SetKind::Expressions => self.expression_of(thing).is_some(),
            kind if kind.argument() != Argument::None => {
                let members = self.members(set, set.kind.member(), bindings);
                members.iter().any(|member| self.same(thing, &member.thing))
            }
            _ => {
                let cells: Vec<CellId> = match thing {
                    Thing::Place(access) | Thing::Value(Source { kind: SourceKind::Copy(access), .. }) => {
                        access.spots.iter().map(|spot| spot.cell).collect()
                    }
                    _ => self.cell_of(thing).into_iter().collect(),
                };
                // Where a function is called its parameters are at hand as well.
                let (caller, callee) = (self.function_here(), self.callee_here());
                let is_in = |cell: &CellId| {
                    self.is_in(set.kind, *cell, caller) || callee.is_some() && self.is_in(set.kind, *cell, callee)
                };
                !cells.is_empty() && cells.iter().all(is_in)
            }
        }
    }

    /// Whether a cell is in a set that is of nothing in particular; of those of a function, of `function`, or where
    /// none is given of its own.
    pub(crate) fn is_in(&self, set: SetKind, cell: CellId, function: Option<FunctionId>) -> bool {
        use hardbop_c_cells::Sort;
        let row = &self.shaper.cells.rows[cell];
        let subject = self.shaper.cells.subject;
        let kind = match row.key {
            Key::Part(part) | Key::Spread(part) | Key::View(part, _) => match subject.points_to.kind(part.object) {
                ObjectKind::Variable(var) => Some(subject.module.vars[var].kind),
                _ => None,
            },
            Key::Given(var, _) => Some(subject.module.vars[var].kind),
            _ => None,
        };
        let is_own = |owner: FunctionId| function.is_none_or(|function| function == owner);
        match set {
            SetKind::Objects | SetKind::Scalars => true,
            SetKind::Pointers => self.shaper.cells.sort(row.ty) == Sort::Pointer,
            SetKind::Integers => self.shaper.cells.sort(row.ty) == Sort::Integer,
            SetKind::Globals => {
                kind.is_none_or(|kind| kind.owner().is_none() || matches!(kind, VarKind::StaticLocal(_)))
            }
            SetKind::Locals => matches!(kind, Some(VarKind::Local(owner) | VarKind::Temporary(owner)) if is_own(owner)),
            SetKind::Parameters => matches!(kind, Some(VarKind::Parameter(owner)) if is_own(owner)),
            _ => false,
        }
    }

    /// The bindings with each member of the binder's set that is of its sort, and whether it is sure to be meant.
    pub(crate) fn each(&mut self, binder: &Binder, bindings: &Bindings<'m>) -> Vec<(Bindings<'m>, When<'m>)> {
        let members = self.members(&binder.set, self.analysis.sort(binder.meta.id), bindings);
        let with = |member: Member<'m>| {
            let mut bindings = bindings.clone();
            bindings.insert(binder.meta.id, member.thing);
            (bindings, member.when)
        };
        members.into_iter().map(with).collect()
    }

    /// The bindings with each choice of members for all `binders`.
    pub(crate) fn all(&mut self, binders: &[Binder], bindings: &Bindings<'m>) -> Vec<(Bindings<'m>, When<'m>)> {
        let mut all = vec![(bindings.clone(), When::Sure)];
        for binder in binders {
            let mut next = Vec::new();
            for (bindings, when) in all {
                let members = self.each(binder, &bindings);
                next.extend(members.into_iter().map(|(bindings, own)| (bindings, when.clone().and(own))));
            }
            all = next;
        }
        all
    }

    /// The members of a set that are of `sort`.
    fn members(&mut self, set: &Set, sort: MetaSort, bindings: &Bindings<'m>) -> Vec<Member<'m>> {
        let argument = set.argument.and_then(|argument| bindings.get(&argument.id)).cloned();
        let members = match (set.kind, argument) {
            (SetKind::Pts, Some(thing)) => self.pointed(&thing, sort),
            (SetKind::Memory, Some(thing)) => {
                let length = self.length_of(set, bindings);
                self.memory(&thing, length)
            }
            (SetKind::String, Some(thing)) => self.string(&thing),
            (SetKind::Reach, Some(thing)) => self.reach(&thing),
            (SetKind::Printed, Some(Thing::Statement(edge))) => self.printed(edge),
            (SetKind::Writes, Some(Thing::Statement(edge))) => {
                self.shaper.written_by_call(edge).into_iter().map(Member::perhaps).collect()
            }
            (SetKind::Reads, Some(thing)) => self.reads(&thing).into_iter().map(Member::sure).collect(),
            (SetKind::Definitions, Some(thing)) => {
                let (cells, is_certain) = self.cells_of(&thing);
                let found = cells.iter().flat_map(|&cell| self.catalogue.definitions_of(cell).iter().copied());
                let found: BTreeSet<StatementId> = found.collect();
                let member = |id| Member { thing: Thing::Definition(id), when: When::certain(is_certain) };
                found.into_iter().map(member).collect()
            }
            (SetKind::Mentioning, Some(thing)) => {
                let (cells, is_certain) = self.cells_of(&thing);
                let found = cells.iter().flat_map(|&cell| self.catalogue.mentioning(cell).iter().copied());
                let found: BTreeSet<ExpressionId> = found.collect();
                let member = |id| Member { thing: Thing::Expression(id), when: When::certain(is_certain) };
                found.into_iter().map(member).collect()
            }
            (SetKind::Parts, Some(thing)) => self.parts(&thing),
            (SetKind::Definitions, None) => {
                let proc = self.proc_here();
                let is_seen = |owner: Option<ProcId>| owner.is_none() || owner == proc;
                let rows = self.catalogue.statements.iter_enumerated();
                let found = rows.filter(|(_, row)| !row.targets.is_empty() && is_seen(row.owner));
                found.map(|(id, _)| Member::sure(Thing::Definition(id))).collect()
            }
            (SetKind::Expressions, _) => {
                let proc = self.proc_here();
                let rows = self.catalogue.expressions.iter_enumerated();
                let found = rows.filter(|(_, row)| row.owner.is_none() || row.owner == proc);
                found.map(|(id, _)| Member::sure(Thing::Expression(id))).collect()
            }
            (kind, _) if kind.argument() == Argument::Needed => Vec::new(),
            (kind, _) => self.followed(kind),
        };
        members.into_iter().filter(|member| self.is_of_sort(&member.thing, sort)).collect()
    }

    /// Whether a member of a set is of the sort of what goes through it.
    pub(crate) fn is_of_sort(&self, thing: &Thing<'m>, sort: MetaSort) -> bool {
        match thing {
            Thing::Place(access) => self.is_of(sort, Some(access.ty)),
            Thing::Cell(cell) | Thing::Behind(cell, _) => {
                let row = &self.shaper.cells.rows[*cell];
                let is_whole = matches!(row.key, Key::Whole(_));
                self.is_of(sort, row.ty) && !(is_whole && sort == MetaSort::Scalar)
            }
            _ => true,
        }
    }

    /// The cells of which some fact is followed and that can be seen here.
    fn followed(&self, kind: SetKind) -> Vec<Member<'m>> {
        let (function, proc) = (self.function_here(), self.proc_here());
        let cells = &self.shaper.cells;
        let is_seen = |cell: CellId| match cells.rows[cell].home {
            Home::Global | Home::Summary => true,
            Home::Parameter(owner) | Home::Local(owner) => Some(owner) == proc,
            Home::Result(_) => false,
        };
        let is_memory =
            |cell: CellId| !matches!(cells.rows[cell].key, Key::Copy(..) | Key::Returned(..) | Key::Result(..));
        let found: BTreeSet<CellId> = match kind {
            SetKind::Objects => self.objects_spoken_of(),
            _ => self.facts.cells().clone(),
        };
        let found = found.into_iter().filter(|&cell| is_seen(cell) && is_memory(cell));
        found.filter(|&cell| self.is_in(kind, cell, function)).map(|cell| Member::sure(Thing::Cell(cell))).collect()
    }

    /// The cells that facts about objects are about; of an analysis without such, all.
    fn objects_spoken_of(&self) -> BTreeSet<CellId> {
        let is_about_objects = |family: FamilyId| self.is_about_objects(family);
        let has_any = self.analysis.families.ids().any(is_about_objects);
        let rows = self.facts.rows.iter().filter(|row| !has_any || is_about_objects(row.family));
        let abouts = rows.flat_map(|row| &row.about);
        abouts.filter_map(|about| if let About::Cell(cell) = about { Some(*cell) } else { None }).collect()
    }

    /// The cells that a thing may be, and whether it is one that is followed on its own.
    fn cells_of(&mut self, thing: &Thing<'m>) -> (Vec<CellId>, bool) {
        match self.place_of(thing) {
            Some(access) => (access.spots.iter().map(|spot| spot.cell).collect(), access.is_certain),
            None => (Vec::new(), false),
        }
    }

    /// The places that are read where a thing is evaluated.
    fn reads(&mut self, thing: &Thing<'m>) -> Vec<Thing<'m>> {
        match thing {
            Thing::Value(source) => self.reads_of(source),
            Thing::Result(arguments) => arguments.iter().flat_map(|argument| self.reads_of(argument)).collect(),
            Thing::Place(access) => vec![Thing::Place(access.clone())],
            Thing::Cell(cell) | Thing::Behind(cell, _) => vec![Thing::Cell(*cell)],
            Thing::Expression(id) => {
                self.catalogue.expressions[*id].cells.iter().map(|&cell| Thing::Cell(cell)).collect()
            }
            Thing::Statement(edge) => {
                let action = self.shaper.cells.subject.graph.actions[*edge];
                let mut places: Vec<&'m Place> = Vec::new();
                for_each_place(action, &mut |place, usage| {
                    if usage == PlaceUse::Read {
                        places.push(place);
                    }
                });
                self.accesses(places)
            }
            Thing::Object(_) | Thing::Definition(_) => Vec::new(),
        }
    }

    fn reads_of(&mut self, source: &Source<'m>) -> Vec<Thing<'m>> {
        let Some(expr) = source.expr else {
            return match &source.kind {
                SourceKind::Given(_) => {
                    let outside = self.shaper.cells.somewhere_outside();
                    vec![Thing::Place(Access::among(&[outside], source.ty))]
                }
                SourceKind::Copy(access) => {
                    let way = self.way_to_part(access);
                    [Thing::Place(access.clone())].into_iter().chain(way).collect()
                }
                SourceKind::Unary(_, operand) => self.reads_of(operand),
                SourceKind::Binary(_, left, right) => {
                    let (left, right) = (self.reads_of(left), self.reads_of(right));
                    left.into_iter().chain(right).collect()
                }
                _ => Vec::new(),
            };
        };
        let mut places: Vec<&'m Place> = Vec::new();
        expr.visit_places(&mut |place, usage| {
            if usage == PlaceUse::Read {
                places.push(place);
            }
        });
        self.accesses(places)
    }

    /// The pointers and indexes that lead to something larger of which this is a part that the statement at hand copies.
    fn way_to_part(&mut self, part: &Access) -> Vec<Thing<'m>> {
        let (Some(edge), Some(function)) = (self.here, self.function_here()) else { return Vec::new() };
        let subject = self.shaper.cells.subject;
        let mut wholes: Vec<&'m Place> = Vec::new();
        for_each_place(subject.graph.actions[edge], &mut |place, usage| {
            if usage == PlaceUse::Read && !subject.module.types.is_scalar(place.ty) {
                wholes.push(place);
            }
        });
        wholes.retain(|whole| self.shaper.parts(function, whole).iter().any(|(_, access)| access == part));
        let mut way: Vec<&'m Place> = Vec::new();
        for whole in wholes {
            whole.visit_places(PlaceUse::Write, &mut |place, usage| {
                if usage == PlaceUse::Read {
                    way.push(place);
                }
            });
        }
        self.accesses(way)
    }

    fn accesses(&mut self, places: Vec<&'m Place>) -> Vec<Thing<'m>> {
        let Some(function) = self.function_here() else { return Vec::new() };
        places.into_iter().map(|place| Thing::Place(self.shaper.access(function, place))).collect()
    }

    fn parts(&self, thing: &Thing<'m>) -> Vec<Member<'m>> {
        let exprs: Vec<&'m Expr> = match thing {
            Thing::Value(source) => source.expr.into_iter().collect(),
            Thing::Result(arguments) => arguments.iter().filter_map(|argument| argument.expr).collect(),
            Thing::Statement(edge) => catalogue::expressions(self.shaper.cells.subject.graph.actions[*edge]),
            Thing::Expression(id) => return vec![Member::sure(Thing::Expression(*id))],
            _ => Vec::new(),
        };
        let found: BTreeSet<ExpressionId> = exprs.into_iter().flat_map(|expr| self.catalogue.parts(expr)).collect();
        found.into_iter().map(|id| Member::sure(Thing::Expression(id))).collect()
    }

    /// What something may point to: objects, or the scalars of these.
    fn pointed(&mut self, thing: &Thing<'m>, sort: MetaSort) -> Vec<Member<'m>> {
        let mut found: BTreeMap<CellId, Member<'m>> = BTreeMap::new();
        for (targets, pointee) in self.targets(thing) {
            let is_one = matches!(targets[..], [Target { object, offset: Offset::At(_) }]
                if object != self.shaper.cells.subject.points_to.unknown());
            match sort {
                MetaSort::Object => {
                    for (cell, member) in self.objects_behind(thing, &targets, pointee) {
                        found.entry(cell).or_insert(member);
                    }
                }
                _ => {
                    for cell in self.shaper.cells_behind(&targets, pointee) {
                        let when = When::certain(is_one);
                        let member =
                            found.entry(cell).or_insert(Member { thing: Thing::Cell(cell), when: When::Perhaps });
                        if is_one {
                            member.when = when;
                        }
                    }
                }
            }
        }
        found.into_values().collect()
    }

    /// What something may point to, and the type of what is there; of a statement for each value in it.
    pub(crate) fn targets(&self, thing: &Thing<'m>) -> Vec<(Vec<Target>, Option<TypeId>)> {
        let subject = self.shaper.cells.subject;
        let behind = |expr: &Expr| {
            let ty = stripped(expr).ty;
            (subject.points_to.points_to_expr(expr), subject.module.types.pointee(ty).map(|pointee| pointee.ty))
        };
        match thing {
            Thing::Value(Source { kind: SourceKind::Address(Some(target)), expr: None, .. }) => {
                vec![(vec![*target], None)]
            }
            Thing::Value(Source { expr: Some(expr), .. }) => vec![behind(expr)],
            Thing::Value(Source { kind: SourceKind::Copy(access), .. }) | Thing::Place(access) => {
                let mut all: Vec<Target> = access.spots.iter().flat_map(|spot| self.held_by(spot.cell)).collect();
                all.sort_unstable();
                all.dedup();
                vec![(all, None)]
            }
            Thing::Value(Source { kind: SourceKind::Given(cells), .. }) => {
                let held = cells.iter().flat_map(|&cell| self.held_by(cell));
                vec![(held.filter(|target| subject.points_to.has_escaped(target.object)).collect(), None)]
            }
            Thing::Cell(cell) | Thing::Behind(cell, _) => vec![(self.held_by(*cell), None)],
            Thing::Result(arguments) => arguments.iter().filter_map(|one| one.expr).map(behind).collect(),
            Thing::Statement(edge) => {
                let exprs = catalogue::expressions(subject.graph.actions[*edge]);
                exprs.into_iter().map(behind).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The cell that stands for an object.
    pub(crate) fn object(&mut self, target: Target) -> Option<CellId> {
        self.shaper.object(target)
    }

    /// The place that a thing is.
    pub(crate) fn place_of(&mut self, thing: &Thing<'m>) -> Option<Access> {
        let cell = match thing {
            Thing::Place(access) | Thing::Value(Source { kind: SourceKind::Copy(access), .. }) => {
                return Some(access.clone());
            }
            Thing::Object(target) => self.object(*target)?,
            Thing::Cell(cell) | Thing::Behind(cell, _) => *cell,
            _ => return None,
        };
        Some(self.shaper.cells.whole(cell))
    }

    /// The spots of a place that facts of several things may be about; none where there are too many.
    pub(crate) fn whole_spots(&self, access: &Access, most: usize) -> Option<Vec<CellId>> {
        let spots = access.spots.iter().filter(|spot| spot.fit == Fit::Whole);
        (access.spots.len() <= most).then(|| spots.map(|spot| spot.cell).collect())
    }
}
