//! The values that an analysis writes, over the facts of one program.

use super::Form;
use super::needs::depends_on;
use super::occasions::Occasion;
use super::scribe::{Certainty, Label, Number, Scribe, Sure, Value};
use super::things::{Bindings, Thing};
use hardbop_c_cells::{Access, Assignment, Condition, Origin, Sort, Source, SourceKind, is_condition};
use hardbop_c_graph::Truth;
use hardbop_icfg::ExprId;
use hardbop_icfg::small::Order;
use hardbop_lang_flow::tree::{
    Comparison, Expr, ExprKind, FactKind, FactUse, FamilyId, Junction, MetaId, Sign, Update,
};
use hardbop_points_to::Fit;

impl<'m> Scribe<'_, 'm> {
    /// A truth value.
    pub(crate) fn truth(&mut self, expr: &Expr, bindings: &Bindings<'m>, label: &mut Label) -> ExprId {
        match &expr.kind {
            ExprKind::Const(value) => self.builder.constant(*value),
            ExprKind::Fact(fact) => match self.fact_value(fact, bindings, label) {
                Value::Truth(value) => value,
                _ => self.either(label),
            },
            ExprKind::Is(left, right) => {
                let value = self.is_same(left.id, right.id, bindings);
                self.builder.constant(value)
            }
            ExprKind::Not(inner) => {
                let inner = self.truth(inner, bindings, label);
                self.builder.not(inner)
            }
            ExprKind::Junction(junction, parts) => {
                let parts: Vec<ExprId> = parts.iter().map(|part| self.truth(part, bindings, label)).collect();
                self.junction(*junction, parts)
            }
            ExprKind::Implies(left, right) => {
                let (left, right) = (self.truth(left, bindings, label), self.truth(right, bindings, label));
                self.builder.implies(left, right)
            }
            ExprKind::Compare(left, comparison, right) => self.compare(left, *comparison, right, bindings, label),
            ExprKind::Over(junction, inner, binder) => {
                let all = self.each(binder, bindings);
                let parts = all.into_iter().map(|(bindings, when)| {
                    let value = self.truth(inner, &bindings, label);
                    match (self.guard(&when, label), junction) {
                        (None, _) => value,
                        (Some(guard), Junction::And) => self.builder.implies(guard, value),
                        (Some(guard), Junction::Or) => self.builder.and(guard, value),
                    }
                });
                let parts = parts.collect();
                self.junction(*junction, parts)
            }
            ExprKind::Unknown | ExprKind::New | ExprKind::Number(_) | ExprKind::Meta(_) | ExprKind::Sum(..) => {
                self.either(label)
            }
        }
    }

    fn junction(&mut self, junction: Junction, parts: Vec<ExprId>) -> ExprId {
        match junction {
            Junction::And => self.builder.all(parts),
            Junction::Or => self.builder.any(parts),
        }
    }

    /// The value of a fact, of whatever kind.
    pub(crate) fn fact_value(&mut self, fact: &FactUse, bindings: &Bindings<'m>, label: &mut Label) -> Value {
        if self.tuples.contains(&fact.family) {
            return Value::Truth(self.read_tuple(fact, bindings, label));
        }
        let [argument] = fact.arguments[..] else { return self.any(fact.family, label) };
        match bindings.get(&argument.id).cloned() {
            Some(Thing::Value(source)) => self.value_of(fact.family, &source, label),
            Some(thing) => match self.place_of(&thing) {
                Some(access) => self.read(fact.family, &access, label),
                None => self.any(fact.family, label),
            },
            None => self.any(fact.family, label),
        }
    }

    /// What a fact would be of a variable that was just given this value.
    pub(crate) fn value_of(&mut self, family: FamilyId, source: &Source<'m>, label: &mut Label) -> Value {
        if let SourceKind::Copy(access) = &source.kind {
            return self.read(family, access, label);
        }
        let target = Access::among(&[], source.ty);
        let assignment = Assignment { target, source: source.clone(), is_part: false };
        let occasion = Occasion::Assign(&assignment, None);
        let Some((rule, bindings)) = self.rule_for(family, occasion) else { return self.any(family, label) };
        let updates = &self.analysis.rules[rule].updates;
        match updates.iter().rfind(|update| update.target.family == family) {
            Some(update) => {
                let value = self.value(family, &update.value, &bindings, label);
                self.moved(source, value)
            }
            None => self.any(family, label),
        }
    }

    /// The first rule that says what happens to a family.
    pub(crate) fn rule_for(&mut self, family: FamilyId, occasion: Occasion<'_, 'm>) -> Option<(usize, Bindings<'m>)> {
        let analysis = self.analysis;
        for (index, rule) in analysis.rules.iter().enumerate() {
            let sets = rule.updates.iter().any(|update| update.target.family == family);
            if sets
                && self.is_subject(&rule.pattern, occasion)
                && let Some(bindings) = self.matches(&rule.pattern, occasion)
            {
                return Some((index, bindings));
            }
        }
        None
    }

    /// What a fact of `family` gets.
    pub(crate) fn value(&mut self, family: FamilyId, expr: &Expr, bindings: &Bindings<'m>, label: &mut Label) -> Value {
        match self.analysis.declaration(family).kind {
            FactKind::Boolean => Value::Truth(self.truth(expr, bindings, label)),
            FactKind::Small => Value::Number(self.number(expr, bindings, label)),
            FactKind::Target => Value::Object(self.object_value(expr, bindings, label)),
        }
    }

    fn number(&mut self, expr: &Expr, bindings: &Bindings<'m>, label: &mut Label) -> Number {
        match &expr.kind {
            ExprKind::Number(value) => Number::Constant(i128::from(*value)),
            ExprKind::Meta(meta) => self.constant(meta.id, bindings).map_or(Number::Any, Number::Constant),
            ExprKind::Fact(fact) => match self.fact_value(fact, bindings, label) {
                Value::Number(number) => number,
                _ => Number::Any,
            },
            ExprKind::Sum(left, sign, right) => {
                let (left, right) = (self.number(left, bindings, label), self.number(right, bindings, label));
                self.sum(left, *sign, right, label)
            }
            _ => Number::Any,
        }
    }

    fn constant(&self, meta: MetaId, bindings: &Bindings<'m>) -> Option<i128> {
        match bindings.get(&meta) {
            Some(Thing::Value(Source { kind: SourceKind::Number(value), .. })) => Some(*value),
            _ => None,
        }
    }

    fn sum(&mut self, left: Number, sign: Sign, right: Number, label: &mut Label) -> Number {
        let (held, constant) = match (left, sign, right) {
            (Number::Constant(left), Sign::Plus, Number::Constant(right)) => return Number::Constant(left + right),
            (Number::Constant(left), Sign::Minus, Number::Constant(right)) => return Number::Constant(left - right),
            (Number::Held(range, word), Sign::Plus, Number::Constant(value))
            | (Number::Constant(value), Sign::Plus, Number::Held(range, word)) => ((range, word), value),
            (Number::Held(range, word), Sign::Minus, Number::Constant(value)) => ((range, word), -value),
            _ => return Number::Any,
        };
        let (range, word) = held;
        let (range, word) = range.plus_freely(&mut self.builder, &word, constant, &mut label.choices);
        Number::Held(range, word)
    }

    fn compare(
        &mut self,
        left: &Expr,
        comparison: Comparison,
        right: &Expr,
        bindings: &Bindings<'m>,
        label: &mut Label,
    ) -> ExprId {
        if self.is_object(left, bindings) || self.is_object(right, bindings) {
            let (left, right) = (self.object_value(left, bindings, label), self.object_value(right, bindings, label));
            let equal = self.same_object(&left, &right, label);
            return if comparison == Comparison::NotEqual { self.builder.not(equal) } else { equal };
        }
        if self.is_number(left, bindings) || self.is_number(right, bindings) {
            let (left, right) = (self.number(left, bindings, label), self.number(right, bindings, label));
            return self.compare_numbers(left, comparison, right, label);
        }
        let (left, right) = (self.truth(left, bindings, label), self.truth(right, bindings, label));
        if comparison == Comparison::NotEqual { self.builder.xor(left, right) } else { self.builder.iff(left, right) }
    }

    fn is_number(&self, expr: &Expr, bindings: &Bindings<'m>) -> bool {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Sum(..) => true,
            ExprKind::Fact(fact) => self.analysis.declaration(fact.family).kind == FactKind::Small,
            ExprKind::Meta(meta) => self.constant(meta.id, bindings).is_some(),
            _ => false,
        }
    }

    fn is_object(&self, expr: &Expr, bindings: &Bindings<'m>) -> bool {
        match &expr.kind {
            ExprKind::Fact(fact) => self.analysis.declaration(fact.family).kind == FactKind::Target,
            ExprKind::Meta(meta) => self.analysis.sort(meta.id).is_place() && bindings.contains_key(&meta.id),
            _ => false,
        }
    }

    fn compare_numbers(&mut self, left: Number, comparison: Comparison, right: Number, label: &mut Label) -> ExprId {
        let (order, swaps, negates) = match comparison {
            Comparison::Equal => (Order::Equal, false, false),
            Comparison::NotEqual => (Order::Equal, false, true),
            Comparison::Less => (Order::Less, false, false),
            Comparison::AtMost => (Order::AtMost, false, false),
            Comparison::Greater => (Order::AtMost, false, true),
            Comparison::AtLeast => (Order::Less, false, true),
        };
        debug_assert!(!swaps, "no comparison needs its sides swapped");
        let result = match (left, right) {
            (Number::Held(range, word), Number::Constant(value)) => {
                range.compare_constant(&mut self.builder, &word, order, value, &mut label.choices)
            }
            (Number::Constant(value), Number::Held(range, word)) => {
                // c < x is not x <= c; c <= x is not x < c.
                let (order, flips) = match order {
                    Order::Equal => (Order::Equal, false),
                    Order::Less => (Order::AtMost, true),
                    Order::AtMost => (Order::Less, true),
                };
                let result = range.compare_constant(&mut self.builder, &word, order, value, &mut label.choices);
                if flips { self.builder.not(result) } else { result }
            }
            (Number::Held(range, first), Number::Held(other, second)) if range == other => {
                range.compare(&mut self.builder, &first, order, &second, &mut label.choices)
            }
            (Number::Constant(left), Number::Constant(right)) => {
                let value = match order {
                    Order::Equal => left == right,
                    Order::Less => left < right,
                    Order::AtMost => left <= right,
                };
                self.builder.constant(value)
            }
            _ => self.either(label),
        };
        if negates { self.builder.not(result) } else { result }
    }

    /// What the tests of the analysis say where a condition is as it is.
    pub(crate) fn assume(&mut self, condition: &Condition<'m>, label: &mut Label) -> ExprId {
        if let Some(holds) = condition.of_constants() {
            return self.builder.constant(holds == (condition.truth == Truth::True));
        }
        let mut said = Vec::new();
        for test in &self.analysis.tests {
            let Some((bindings, truth)) = self.matches_test(test, condition) else { continue };
            let value = match (truth, &test.when_false) {
                (Truth::True, _) => self.truth(&test.when_true, &bindings, label),
                (Truth::False, Some(value)) => self.truth(value, &bindings, label),
                (Truth::False, None) => {
                    let value = self.truth(&test.when_true, &bindings, label);
                    self.builder.not(value)
                }
            };
            said.push(value);
        }
        self.builder.all(said)
    }

    /// Lets the rules say what becomes of the facts.
    pub(crate) fn apply(&mut self, occasion: Occasion<'_, 'm>, label: &mut Label) {
        for families in [self.families.clone(), self.tuples.clone()] {
            self.apply_to(&families, occasion, label);
        }
    }

    /// Lets one update of a rule say what becomes of a fact.
    pub(crate) fn apply_update(
        &mut self,
        update: &Update,
        bindings: &Bindings<'m>,
        occasion: Occasion<'_, 'm>,
        label: &mut Label,
    ) {
        for (bindings, when) in self.all(&update.binders, bindings) {
            let sure = if when.is_sure() { Sure::Yes } else { Sure::Perhaps };
            if self.tuples.contains(&update.target.family) {
                self.write_tuple(update, &bindings, sure, label);
                continue;
            }
            let [argument] = update.target.arguments[..] else { continue };
            let Some(thing) = bindings.get(&argument.id).cloned() else { continue };
            let Some(access) = self.place_of(&thing) else { continue };
            let value = match self.outside_value(update, occasion, label) {
                Some(value) => value,
                None => self.value(update.target.family, &update.value, &bindings, label),
            };
            let value = match occasion {
                Occasion::Assign(assignment, _) => {
                    let value = self.moved(&assignment.source, value);
                    self.asked(update.target.family, assignment, value, label)
                }
                _ => value,
            };
            // Of several things that may be meant, each may be as it was.
            if sure == Sure::Perhaps && access.is_certain {
                let family = update.target.family;
                let certainty = match self.guard(&when, label) {
                    Some(guard) => Certainty::Where(guard),
                    None => self.unsure(family, label),
                };
                self.write_cell(family, access.spots[0].cell, &value, certainty, label);
            } else {
                self.write(update.target.family, &access, &value, label);
                if update.binders.iter().any(|binder| binder.meta.id == argument.id) {
                    self.write_parts(update.target.family, &access, &value, label);
                }
            }
        }
    }

    /// What is said of a part of something may be so of the whole. (What is assigned to a part is seen to elsewhere.)
    fn write_parts(&mut self, family: FamilyId, access: &Access, value: &Value, label: &mut Label) {
        let parts = access.spots.iter().filter(|spot| spot.fit == Fit::Blurred && !self.is_about_objects(family));
        for cell in parts.map(|spot| spot.cell).collect::<Vec<_>>() {
            self.may_set(family, cell, value, label);
        }
    }

    /// What a rule leaves open of a value that comes from outside is as outside values are.
    fn outside_value(&mut self, update: &Update, occasion: Occasion<'_, 'm>, label: &mut Label) -> Option<Value> {
        let Occasion::Assign(assignment, Some(call)) = occasion else { return None };
        let is_open = matches!(update.value.kind, ExprKind::Unknown);
        let is_fallback = matches!(assignment.source.kind, SourceKind::Called) && self.is_fallback(update);
        (is_open && is_fallback).then(|| self.outside_fact(update.target.family, Origin::Result(call.function), label))
    }

    /// Whether the rule of an update does not name the function that is called.
    fn is_fallback(&self, update: &Update) -> bool {
        use hardbop_lang_flow::tree::{Form as Shape, Source as Pattern};
        let rule = self.analysis.rules.iter().find(|rule| rule.updates.iter().any(|own| std::ptr::eq(own, update)));
        rule.is_some_and(|rule| !matches!(&rule.pattern.form, Shape::Assign(_, Pattern::Call(_)) | Shape::Call(_)))
    }

    /// `target = source`. Of a comparison it is one of two assignments, and what is compared is so; but not to rules
    /// that look at how the value is computed.
    pub(crate) fn apply_assign(&mut self, occasion: Occasion<'_, 'm>, label: &mut Label) {
        let Occasion::Assign(assignment, _) = occasion else { return };
        if !is_condition(&assignment.source) || self.form == Form::Subset {
            return self.apply(occasion, label);
        }
        let all: Vec<FamilyId> = self.families.iter().chain(&self.tuples).copied().collect();
        let (split, whole): (Vec<_>, Vec<_>) = all.into_iter().partition(|&family| self.splits(family, occasion));
        self.apply_to(&whole, occasion, label);
        self.assign_truth(assignment, &split, label);
    }

    /// Whether what the rules say of a family does not depend on how the value is computed.
    fn splits(&mut self, family: FamilyId, occasion: Occasion<'_, 'm>) -> bool {
        use hardbop_lang_flow::tree::{Form as Shape, Source as Pattern};
        let Some((rule, _)) = self.rule_for(family, occasion) else { return true };
        let rule = &self.analysis.rules[rule];
        let Shape::Assign(_, source) = &rule.pattern.form else { return false };
        let metas: Vec<MetaId> = match source {
            Pattern::Operand(operand) => operand.meta().into_iter().map(|meta| meta.id).collect(),
            _ => return false,
        };
        let mut updates = rule.updates.iter().filter(|update| update.target.family == family);
        updates.all(|update| metas.iter().all(|&meta| !depends_on(update, meta)))
    }

    fn assign_truth(&mut self, assignment: &Assignment<'m>, families: &[FamilyId], label: &mut Label) {
        if families.is_empty() {
            return;
        }
        let is_true = self.either(label);
        let mut outcomes = Vec::new();
        for (truth, number) in [(Truth::True, 1), (Truth::False, 0)] {
            let condition = self.shaper.condition_of(assignment.source.clone(), truth);
            let guard = self.assume(&condition, label);
            let is_pointer = self.shaper.cells.sort(Some(assignment.target.ty)) == Sort::Pointer;
            let kind = if is_pointer && number == 0 { SourceKind::Null } else { SourceKind::Number(number) };
            let source = Source { kind, expr: None, ty: assignment.source.ty };
            let one = Assignment { target: assignment.target.clone(), source, is_part: false };
            let choices = std::mem::take(&mut label.choices);
            let (updates, reads) = (label.updates.clone(), label.reads);
            let mut side = Label { choices, updates, function: label.function, reads, ..Label::default() };
            self.apply_to(families, Occasion::Assign(&one, None), &mut side);
            label.choices = side.choices;
            outcomes.push((guard, side.updates));
        }
        let (no, yes) = (outcomes.pop().expect("two"), outcomes.pop().expect("two"));
        let guard = self.builder.ite(is_true, yes.0, no.0);
        label.guards.push(guard);
        let mut vars: Vec<_> = yes.1.keys().chain(no.1.keys()).copied().collect();
        vars.sort_unstable();
        vars.dedup();
        for var in vars {
            let old = self.var(var, label);
            let (yes, no) = (yes.1.get(&var).copied().unwrap_or(old), no.1.get(&var).copied().unwrap_or(old));
            let value = self.builder.ite(is_true, yes, no);
            label.updates.insert(var, value);
        }
    }
}
