//! Which rule of the analysis is about a statement, and what its metavariables stand for there.

use super::occasions::Occasion;
use super::operators::{binary, comparison, negated, unary};
use super::scribe::Scribe;
use super::things::{Bindings, Thing};
use hardbop_c_cells::{Assignment, Condition, External, Sort, Source, SourceKind, mirrored, opposite, stripped};
use hardbop_c_core::{Base, Callee, ExprKind as ExprKindC, FunctionId, StmtKind};
use hardbop_c_graph::{Action, Truth};
use hardbop_icfg::expr::Possible;
use hardbop_lang_flow::tree::{
    Call, Comparison, Expr, ExprKind, FamilyId, Form, Junction, MetaId, Operand, Pattern, Rest, Slot, Sort as MetaSort,
    Source as SourcePattern, Target as TargetPattern, Test,
};
use hardbop_lang_flow::{Analysis, name_matches};

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
        ExprKind::Not(inner) | ExprKind::Over(_, inner, _) => mentions(inner, family),
        ExprKind::Junction(_, parts) => parts.iter().any(|part| mentions(part, family)),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
            mentions(left, family) || mentions(right, family)
        }
        ExprKind::Const(_)
        | ExprKind::Unknown
        | ExprKind::New
        | ExprKind::Number(_)
        | ExprKind::Meta(_)
        | ExprKind::Is(..) => false,
    }
}

/// Whether some branch tells of facts of `family`.
pub(crate) fn is_told_of(analysis: &Analysis, family: FamilyId) -> bool {
    let tells = |test: &Test| {
        mentions(&test.when_true, family) || test.when_false.as_ref().is_some_and(|value| mentions(value, family))
    };
    analysis.tests.iter().any(tells)
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
            (Form::Copy(target, source), Occasion::Assign(assignment, _)) => {
                assignment.is_part
                    && self.match_target(TargetPattern::Variable(*target), assignment, &mut bindings)
                    && self.match_operand(Operand::Slot(*source), &assignment.source, &mut bindings)
            }
            (Form::Call(call), Occasion::Call(external)) => self.match_call(call, external, &mut bindings),
            (Form::Drop(call), Occasion::Call(external)) => {
                self.drops_result() && self.match_call(call, external, &mut bindings)
            }
            (Form::Declare(meta), Occasion::Declare(cell)) => {
                let thing = Thing::Cell(cell);
                self.is_of_sort(&thing, self.analysis.sort(meta.id)) && self.bind(meta.id, thing, &mut bindings)
            }
            (Form::Test(operand), Occasion::Test(source)) => self.match_operand(*operand, source, &mut bindings),
            (Form::Return(None), Occasion::Return(_)) => true,
            (Form::Return(Some(operand)), Occasion::Return(Some(source))) => {
                self.match_operand(*operand, source, &mut bindings)
            }
            _ => false,
        };
        let fits = fits && pattern.statement.is_none_or(|meta| self.bind_statement(meta.id, occasion, &mut bindings));
        (fits && pattern.conditions.iter().all(|condition| self.holds(condition, &mut bindings))).then_some(bindings)
    }

    fn bind_statement(&mut self, meta: MetaId, occasion: Occasion<'_, 'm>, bindings: &mut Bindings<'m>) -> bool {
        let Some(edge) = self.here else { return false };
        let action = self.shaper.cells.subject.graph.actions[edge];
        // What a function returns is no variable, so to return is not to define one.
        let defines =
            matches!(occasion, Occasion::Assign(..)) && !matches!(action, Action::Return(_) | Action::Enter(_));
        (defines || self.analysis.sort(meta) != MetaSort::Definition)
            && self.bind(meta, Thing::Statement(edge), bindings)
    }

    pub(crate) fn is_of(&self, sort: MetaSort, ty: Option<hardbop_c_core::TypeId>) -> bool {
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
                    && self.bind(meta.id, Thing::Place(access.clone()), bindings)
            }
            TargetPattern::Deref(slot) => match (self.target_pointer(), slot) {
                (None, _) => false,
                (Some(_), Slot::Any) => true,
                (Some(pointer), Slot::Meta(meta)) => self.bind(meta.id, Thing::Value(pointer), bindings),
            },
        }
    }

    /// The pointer through which the statement at hand writes.
    fn target_pointer(&mut self) -> Option<Source<'m>> {
        let edge = self.here?;
        let function = self.shaper.function(edge)?;
        let place = match self.shaper.cells.subject.graph.actions[edge] {
            Action::Do(stmt) | Action::Take(stmt, _) | Action::Call(stmt, _) | Action::External(stmt, _) => {
                match &stmt.kind {
                    StmtKind::Assign(place, _) | StmtKind::Zero(place) => place,
                    StmtKind::Call { result: Some(place), .. } | StmtKind::NextArgument { result: Some(place), .. } => {
                        place
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let Base::Deref(pointer) = &place.base else { return None };
        Some(self.shaper.source(function, pointer))
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
            // What a function returns is made of what it is given.
            (SourcePattern::Operand(Operand::Slot(Slot::Meta(meta))), SourceKind::Called)
                if self.analysis.sort(meta.id) == MetaSort::Expression =>
            {
                let arguments = call.map_or_else(Vec::new, |call| call.arguments.clone());
                self.bind(meta.id, Thing::Result(arguments), bindings)
            }
            (SourcePattern::Operand(operand), _) => self.match_operand(*operand, source, bindings),
            (SourcePattern::Unary(op, operand), SourceKind::Unary(own, inner)) => {
                Some(*op) == unary(*own) && self.match_operand(*operand, inner, bindings)
            }
            (SourcePattern::Binary(left, op, right), SourceKind::Binary(own, first, second)) => {
                *op == binary(*own)
                    && self.match_operand(*left, first, bindings)
                    && self.match_operand(*right, second, bindings)
            }
            _ => false,
        }
    }

    /// Whether the call at hand has a result that goes nowhere.
    fn drops_result(&self) -> bool {
        let subject = self.shaper.cells.subject;
        let Some(edge) = self.here else { return false };
        let (Action::External(stmt, _) | Action::Call(stmt, _) | Action::Take(stmt, _)) = subject.graph.actions[edge]
        else {
            return false;
        };
        let StmtKind::Call { result: None, callee, .. } = &stmt.kind else { return false };
        let types = &subject.module.types;
        let called = match callee {
            Callee::Function(function) => subject.module.functions[*function].ty,
            Callee::Pointer(pointer) => pointer.ty,
        };
        types.callee(called).is_some_and(|function| !types.is_void(function.result))
    }

    /// Whether an expression is this operation. What is computed has no place, and what the rules say of it is known all
    /// the same.
    pub(crate) fn match_operation(
        &mut self,
        pattern: &SourcePattern,
        source: &Source<'m>,
        bindings: &mut Bindings<'m>,
    ) -> bool {
        match (pattern, &source.kind) {
            (SourcePattern::Unary(op, operand), SourceKind::Unary(own, inner)) => {
                Some(*op) == unary(*own) && self.match_argument(*operand, inner, bindings)
            }
            (SourcePattern::Binary(left, op, right), SourceKind::Binary(own, first, second)) => {
                *op == binary(*own)
                    && self.match_argument(*left, first, bindings)
                    && self.match_argument(*right, second, bindings)
            }
            _ => false,
        }
    }

    fn match_operand(&mut self, operand: Operand, source: &Source<'m>, bindings: &mut Bindings<'m>) -> bool {
        match (operand, &source.kind) {
            (Operand::Slot(Slot::Any), _) => true,
            (Operand::Slot(Slot::Meta(meta)), kind) => {
                let sort = self.analysis.sort(meta.id);
                let fits = match (sort, kind) {
                    (MetaSort::Expression, _) | (MetaSort::Constant, SourceKind::Number(_)) => true,
                    (_, SourceKind::Copy(access)) => self.is_of(sort, Some(access.ty)),
                    _ => false,
                };
                fits && self.bind(meta.id, Thing::Value(source.clone()), bindings)
            }
            (Operand::Null, SourceKind::Null) => true,
            (Operand::Number(number), SourceKind::Number(own)) => i128::from(number) == *own,
            (Operand::Deref(slot), SourceKind::Copy(_)) => match (self.read_pointer(source), slot) {
                (None, _) => false,
                (Some(_), Slot::Any) => true,
                (Some(pointer), Slot::Meta(meta)) => self.bind(meta.id, Thing::Value(pointer), bindings),
            },
            (Operand::Address(Slot::Any), SourceKind::Address(_)) => true,
            (Operand::Address(Slot::Meta(meta)), SourceKind::Address(target)) => match target {
                Some(target) => self.bind(meta.id, Thing::Object(*target), bindings),
                // An element of an array or a part of a union: no object that has a name.
                None => self.bind(meta.id, Thing::Value(source.clone()), bindings),
            },
            _ => false,
        }
    }

    /// The pointer through which a value is read.
    fn read_pointer(&mut self, source: &Source<'m>) -> Option<Source<'m>> {
        let ExprKindC::Read(place) = &stripped(source.expr?).kind else { return None };
        let Base::Deref(pointer) = &place.base else { return None };
        let function = self.function_here()?;
        Some(self.shaper.source(function, pointer))
    }

    /// Whether a rule is about what happens here: what a function with a body does is in its body, unless a rule names
    /// it. A model was chosen to do what the rule would.
    pub(crate) fn is_subject(&self, pattern: &Pattern, occasion: Occasion<'_, 'm>) -> bool {
        let functions = &self.shaper.cells.subject.module.functions;
        let has_body = |function: FunctionId| functions[function].body.is_some();
        let is_model = |function: FunctionId| functions[function].is_model;
        let is_named = |call: &Call| !call.callees.is_empty();
        match (&pattern.form, occasion) {
            // What only moves memory about is told by what it copies.
            (Form::Call(call) | Form::Drop(call), Occasion::Call(external)) if external.is_move => is_named(call),
            (Form::Call(call) | Form::Drop(call), Occasion::Call(external))
            | (Form::Assign(_, SourcePattern::Call(call)), Occasion::Assign(_, Some(external))) => {
                !external.function.is_some_and(|function| is_model(function) || !is_named(call) && has_body(function))
            }
            // It was a statement when it was called.
            (Form::Any, Occasion::Call(external)) => !external.function.is_some_and(has_body),
            _ => true,
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
        if let Operand::Slot(Slot::Meta(meta)) = operand {
            let sort = self.analysis.sort(meta.id);
            // A pointer may have been kept as a number.
            let is_variable = matches!(&source.kind, SourceKind::Copy(access) if self.is_of(sort, Some(access.ty)));
            let is_value = matches!(sort, MetaSort::Pointer | MetaSort::Integer | MetaSort::Scalar);
            if is_value && self.is_of(sort, Some(source.ty)) && !is_variable {
                return self.bind(meta.id, Thing::Value(source.clone()), bindings);
            }
        }
        self.match_operand(operand, source, bindings)
    }

    /// What the metavariables of a test stand for, and whether it is so, if it is about this condition.
    pub(crate) fn matches_test(&mut self, test: &Test, condition: &Condition<'m>) -> Option<(Bindings<'m>, Truth)> {
        let zero = Operand::Number(0);
        let (expected, right) = test.right.unwrap_or((Comparison::NotEqual, zero));
        let sides = [
            (&condition.left, condition.comparison, &condition.right),
            (&condition.right, mirrored(condition.comparison), &condition.left),
        ];
        for (first, op, second) in sides {
            let own = comparison(op);
            let truth = if own == Some(expected) {
                condition.truth
            } else if own == Some(negated(expected)) {
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
