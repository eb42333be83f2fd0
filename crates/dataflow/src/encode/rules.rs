//! Which rule of the analysis is about a statement, and what its metavariables stand for there.

use super::cells::{Access, CellId, Sort};
use super::externals::External;
use super::scribe::Scribe;
use super::shapes::{Assignment, Condition, Source, SourceKind, mirrored, negated, opposite};
use hardbop_c_graph::Truth;
use hardbop_icfg::expr::Possible;
use hardbop_lang_flow::tree::{
    Call, Comparison, Condition as Where, Expr, ExprKind, FamilyId, Form, Junction, MetaId, Operand, Pattern, Rest,
    SetKind, Slot, Sort as MetaSort, Source as SourcePattern, Target as TargetPattern, Test,
};
use hardbop_lang_flow::{Analysis, name_matches};
use hardbop_points_to::{Offset, Target};
use std::collections::BTreeMap;

/// What a metavariable stands for.
#[derive(Clone, Debug)]
pub(crate) enum Thing<'m> {
    /// A value.
    Value(Source<'m>),
    /// A place.
    Place(Access),
    /// An object.
    Object(Target),
    /// A cell.
    Cell(CellId),
}

/// What metavariables stand for.
pub(crate) type Bindings<'m> = BTreeMap<MetaId, Thing<'m>>;

/// What happens, as patterns see it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Occasion<'a, 'm> {
    /// An assignment; where it is of the result of a call, of which.
    Assign(&'a Assignment<'m>, Option<&'a External<'m>>),
    /// A call.
    Call(&'a External<'m>),
    /// The declaration of a variable is reached.
    Declare(CellId),
    /// A condition is evaluated.
    Test(&'a Condition<'m>),
    /// The function returns this.
    Return(Option<&'a Source<'m>>),
}

/// What is taken to hold of a fact about values from outside: nothing where nothing is said.
pub(crate) fn assumed(analysis: &Analysis, family: FamilyId) -> Option<Possible> {
    let mut possible = None;
    for unknown in &analysis.unknowns {
        let can = |value: bool| truth_of(&unknown.value, family, value) != Some(false);
        if mentions(&unknown.value, family) {
            possible = Some(Possible { can_be_false: can(false), can_be_true: can(true) });
        }
    }
    possible
}

/// The value of a condition where facts of `family` have this value; nothing where that does not decide it.
fn truth_of(expr: &Expr, family: FamilyId, value: bool) -> Option<bool> {
    match &expr.kind {
        ExprKind::Const(value) => Some(*value),
        ExprKind::Fact(fact) if fact.family == family => Some(value),
        ExprKind::Not(inner) => truth_of(inner, family, value).map(|inner| !inner),
        ExprKind::Junction(junction, parts) => {
            let decides = *junction == Junction::Or;
            let values: Vec<Option<bool>> = parts.iter().map(|part| truth_of(part, family, value)).collect();
            if values.contains(&Some(decides)) {
                Some(decides)
            } else if values.contains(&None) {
                None
            } else {
                Some(!decides)
            }
        }
        _ => None,
    }
}

/// Whether a value reads facts of `family`.
pub(crate) fn mentions(expr: &Expr, family: FamilyId) -> bool {
    match &expr.kind {
        ExprKind::Fact(fact) => fact.family == family,
        ExprKind::Not(inner) => mentions(inner, family),
        ExprKind::Junction(_, parts) => parts.iter().any(|part| mentions(part, family)),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) => {
            mentions(left, family) || mentions(right, family)
        }
        _ => false,
    }
}

impl<'m> Scribe<'_, 'm> {
    /// What the metavariables of a pattern stand for, if it is about this occasion.
    pub(crate) fn matches(&mut self, pattern: &Pattern, occasion: Occasion<'_, 'm>) -> Option<Bindings<'m>> {
        let mut bindings = Bindings::new();
        let fits = match (&pattern.form, occasion) {
            (Form::Any, _) => true,
            (Form::Assign(target, source), Occasion::Assign(assignment, call)) => {
                self.match_target(*target, assignment, &mut bindings)
                    && self.match_source(source, &assignment.source, call, &mut bindings)
            }
            (Form::Call(call), Occasion::Call(external)) => self.match_call(call, external, &mut bindings),
            (Form::Declare(meta), Occasion::Declare(cell)) => {
                let ty = self.shaper.cells.rows[cell].ty;
                self.is_of(self.analysis.sort(meta.id), ty) && bind(meta.id, Thing::Cell(cell), &mut bindings)
            }
            (Form::Test(operand), Occasion::Test(condition)) => {
                self.match_operand(*operand, &condition.left, &mut bindings)
            }
            (Form::Return(None), Occasion::Return(_)) => true,
            (Form::Return(Some(operand)), Occasion::Return(Some(source))) => {
                self.match_operand(*operand, source, &mut bindings)
            }
            _ => false,
        };
        (fits && pattern.conditions.iter().all(|condition| self.holds(condition, &mut bindings))).then_some(bindings)
    }

    fn is_of(&self, sort: MetaSort, ty: Option<hardbop_c_core::TypeId>) -> bool {
        let own = self.shaper.cells.sort(ty);
        match sort {
            MetaSort::Pointer => own == Sort::Pointer,
            MetaSort::Integer => own == Sort::Integer,
            MetaSort::Scalar | MetaSort::Object => true,
            _ => false,
        }
    }

    fn match_target(
        &mut self,
        target: TargetPattern,
        assignment: &Assignment<'m>,
        bindings: &mut Bindings<'m>,
    ) -> bool {
        let access = &assignment.target;
        match target {
            TargetPattern::Variable(Slot::Any) => true,
            TargetPattern::Variable(Slot::Meta(meta)) => {
                self.is_of(self.analysis.sort(meta.id), Some(access.ty))
                    && bind(meta.id, Thing::Place(access.clone()), bindings)
            }
            TargetPattern::Deref(Slot::Any) => access.pointer.is_some(),
            TargetPattern::Deref(Slot::Meta(meta)) => {
                access.pointer.is_some_and(|pointer| bind(meta.id, Thing::Cell(pointer), bindings))
            }
        }
    }

    fn match_source(
        &mut self,
        pattern: &SourcePattern,
        source: &Source<'m>,
        call: Option<&External<'m>>,
        bindings: &mut Bindings<'m>,
    ) -> bool {
        match (pattern, &source.kind) {
            (SourcePattern::Call(pattern), _) => call.is_some_and(|call| self.match_call(pattern, call, bindings)),
            (SourcePattern::Operand(operand), _) => self.match_operand(*operand, source, bindings),
            (SourcePattern::Unary(op, operand), SourceKind::Unary(own, inner)) => {
                op == own && self.match_operand(*operand, inner, bindings)
            }
            (SourcePattern::Binary(left, op, right), SourceKind::Binary(own, first, second)) => {
                op == own && self.match_operand(*left, first, bindings) && self.match_operand(*right, second, bindings)
            }
            _ => false,
        }
    }

    fn match_operand(&mut self, operand: Operand, source: &Source<'m>, bindings: &mut Bindings<'m>) -> bool {
        match (operand, &source.kind) {
            (Operand::Slot(Slot::Any), _) => true,
            (Operand::Slot(Slot::Meta(meta)), kind) => {
                let sort = self.analysis.sort(meta.id);
                match (sort, kind) {
                    (MetaSort::Expression, _) => bind(meta.id, Thing::Value(source.clone()), bindings),
                    (MetaSort::Constant, SourceKind::Number(_)) => {
                        bind(meta.id, Thing::Value(source.clone()), bindings)
                    }
                    (_, SourceKind::Copy(access)) => {
                        self.is_of(sort, Some(access.ty)) && bind(meta.id, Thing::Place(access.clone()), bindings)
                    }
                    _ => false,
                }
            }
            (Operand::Null, SourceKind::Null) => true,
            (Operand::Number(number), SourceKind::Number(own)) => i128::from(number) == *own,
            (Operand::Deref(slot), SourceKind::Copy(access)) => match (slot, access.pointer) {
                (Slot::Any, pointer) => pointer.is_some(),
                (Slot::Meta(meta), Some(pointer)) => bind(meta.id, Thing::Cell(pointer), bindings),
                _ => false,
            },
            (Operand::Address(Slot::Any), SourceKind::Address(_)) => true,
            (Operand::Address(Slot::Meta(meta)), SourceKind::Address(target)) => match target {
                Some(target) => bind(meta.id, Thing::Object(*target), bindings),
                // An element of an array or a part of a union: no object that has a name.
                None => bind(meta.id, Thing::Value(source.clone()), bindings),
            },
            _ => false,
        }
    }

    /// Whether a call is of one of these functions, and its arguments are as said.
    pub(crate) fn match_call(&mut self, call: &Call, external: &External<'m>, bindings: &mut Bindings<'m>) -> bool {
        let name = external.function.map(|function| &self.shaper.cells.subject.module.functions[function].source_name);
        let is_called = call.callees.is_empty()
            || name.is_some_and(|name| call.callees.iter().any(|pattern| name_matches(pattern, name)));
        let (expected, given) = (call.arguments.len(), external.arguments.len());
        let fits = match call.rest {
            Rest::Nothing => expected == given,
            Rest::Anything => expected <= given,
        };
        is_called
            && fits
            && call
                .arguments
                .iter()
                .zip(&external.arguments)
                .all(|(operand, source)| self.match_argument(*operand, source, bindings))
    }

    /// An argument may be a value that is in no place: what the rules say of it is known all the same.
    fn match_argument(&mut self, operand: Operand, source: &Source<'m>, bindings: &mut Bindings<'m>) -> bool {
        if let Operand::Slot(Slot::Meta(meta)) = operand
            && matches!(self.analysis.sort(meta.id), MetaSort::Pointer | MetaSort::Scalar)
            && self.is_of(self.analysis.sort(meta.id), Some(source.ty))
            && !matches!(source.kind, SourceKind::Copy(_))
        {
            return bind(meta.id, Thing::Value(source.clone()), bindings);
        }
        self.match_operand(operand, source, bindings)
    }

    /// Whether a condition of a `where` holds.
    pub(crate) fn holds(&mut self, condition: &Where, bindings: &mut Bindings<'m>) -> bool {
        match condition {
            Where::Only(set, meta) => {
                let members = self.members(set.kind, set.argument.map(|argument| argument.id), bindings);
                let [Thing::Cell(cell)] = members[..] else { return false };
                let is_one = self.shaper.cells.rows[cell].home != super::cells::Home::Summary;
                is_one && bind(meta.id, Thing::Cell(cell), bindings)
            }
            Where::In(meta, set) => {
                let members = self.members(set.kind, set.argument.map(|argument| argument.id), bindings);
                bindings.get(&meta.id).is_some_and(|thing| members.iter().any(|member| same(thing, member)))
            }
            Where::Is(left, right) => self.is_same(left.id, right.id, bindings),
            Where::IsNot(left, right) => !self.is_same(left.id, right.id, bindings),
        }
    }

    /// Whether two metavariables stand for the same thing.
    pub(crate) fn is_same(&self, left: MetaId, right: MetaId, bindings: &Bindings<'m>) -> bool {
        match (bindings.get(&left), bindings.get(&right)) {
            (Some(left), Some(right)) => same(left, right),
            _ => false,
        }
    }

    /// The members of a set.
    pub(crate) fn members(
        &mut self,
        kind: SetKind,
        argument: Option<MetaId>,
        bindings: &Bindings<'m>,
    ) -> Vec<Thing<'m>> {
        match kind {
            SetKind::Pts => {
                let Some(thing) = argument.and_then(|argument| bindings.get(&argument)).cloned() else {
                    return Vec::new();
                };
                self.pointed(&thing)
            }
            SetKind::Reads => match argument.and_then(|argument| bindings.get(&argument)) {
                Some(Thing::Value(source)) => self.reads(source),
                Some(Thing::Place(access)) => vec![Thing::Place(access.clone())],
                Some(Thing::Cell(cell)) => vec![Thing::Cell(*cell)],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The places that a value is made of.
    fn reads(&self, source: &Source<'m>) -> Vec<Thing<'m>> {
        match &source.kind {
            SourceKind::Copy(access) => {
                let pointer = access.pointer.map(Thing::Cell);
                [Thing::Place(access.clone())].into_iter().chain(pointer).collect()
            }
            SourceKind::Unary(_, operand) => self.reads(operand),
            SourceKind::Binary(_, left, right) => [left, right].into_iter().flat_map(|side| self.reads(side)).collect(),
            _ => Vec::new(),
        }
    }

    /// The objects that something may point to.
    fn pointed(&mut self, thing: &Thing<'m>) -> Vec<Thing<'m>> {
        let targets = match thing {
            Thing::Value(Source { kind: SourceKind::Address(Some(target)), .. }) => vec![*target],
            Thing::Value(Source { expr: Some(expr), .. }) => self.shaper.cells.subject.points_to.points_to_expr(expr),
            Thing::Place(access) => access.spots.iter().flat_map(|spot| self.held(spot.cell)).collect(),
            Thing::Cell(cell) => self.held(*cell),
            _ => Vec::new(),
        };
        let mut cells: Vec<CellId> = targets.into_iter().filter_map(|target| self.object(target)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.into_iter().map(Thing::Cell).collect()
    }

    fn held(&self, cell: CellId) -> Vec<Target> {
        match self.shaper.cells.rows[cell].key {
            super::cells::Key::Part(part) | super::cells::Key::Spread(part) => {
                self.shaper.cells.subject.points_to.points_to_cell(part)
            }
            _ => Vec::new(),
        }
    }

    /// The cell that stands for an object.
    pub(crate) fn object(&mut self, target: Target) -> Option<CellId> {
        let offset = match target.offset {
            Offset::At(offset) | Offset::Inside(offset) => offset,
            Offset::Any => 0,
        };
        self.shaper.cells.pointed(Target { offset: Offset::At(offset), ..target })
    }

    /// What the metavariables of a test stand for, and whether it is so, if it is about this condition.
    pub(crate) fn matches_test(&mut self, test: &Test, condition: &Condition<'m>) -> Option<(Bindings<'m>, Truth)> {
        let zero = Operand::Number(0);
        let (expected, right) = test.right.unwrap_or((Comparison::NotEqual, zero));
        let sides = [
            (&condition.left, condition.comparison, &condition.right),
            (&condition.right, mirrored(condition.comparison), &condition.left),
        ];
        for (first, comparison, second) in sides {
            let truth = if comparison == expected {
                condition.truth
            } else if comparison == negated(expected) {
                opposite(condition.truth)
            } else {
                continue;
            };
            let mut bindings = Bindings::new();
            if self.match_operand(test.left, first, &mut bindings) && self.match_operand(right, second, &mut bindings) {
                return Some((bindings, truth));
            }
        }
        None
    }
}

fn bind<'m>(meta: MetaId, thing: Thing<'m>, bindings: &mut Bindings<'m>) -> bool {
    match bindings.get(&meta) {
        Some(known) => same(known, &thing),
        None => {
            bindings.insert(meta, thing);
            true
        }
    }
}

/// Whether two things are the same.
fn same(left: &Thing<'_>, right: &Thing<'_>) -> bool {
    match (left, right) {
        (Thing::Place(left), Thing::Place(right)) => left.is_certain && left == right,
        (Thing::Cell(left), Thing::Cell(right)) => left == right,
        (Thing::Object(left), Thing::Object(right)) => left == right,
        (Thing::Place(access), Thing::Cell(cell)) | (Thing::Cell(cell), Thing::Place(access)) => {
            access.is_certain && access.spots[0].cell == *cell
        }
        (Thing::Value(left), Thing::Value(right)) => match (&left.kind, &right.kind) {
            (SourceKind::Number(left), SourceKind::Number(right)) => left == right,
            _ => left.expr.is_some() && left.expr == right.expr,
        },
        _ => false,
    }
}
