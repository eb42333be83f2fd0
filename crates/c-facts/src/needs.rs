//! What an analysis speaks of, as far as it decides how it is encoded.

use hardbop_c_cells::Elements;
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{
    Argument, Condition, Expr, ExprKind, FactKind, FactUse, FamilyId, MetaId, Pattern, Requirement, Set, SetKind, Site,
    Sort, Unknown, Update,
};
use std::collections::BTreeSet;

/// What an analysis needs.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    /// Families with one fact for each cell of a sort.
    pub(crate) plain: Vec<FamilyId>,
    /// All others: facts about several things, about none, about statements or expressions.
    pub(crate) tuples: Vec<FamilyId>,
    /// Definitions and expressions must be known by name.
    pub(crate) catalogue: bool,
    /// Labels depend on which facts there are, and these are not known before all labels have been written once.
    pub(crate) rounds: bool,
    /// One object is to stand for all that are not told apart: facts are about objects and say where pointers point.
    pub(crate) chosen: bool,
}

impl Needs {
    pub(crate) fn new(analysis: &Analysis) -> Self {
        let (plain, tuples): (Vec<_>, Vec<_>) = analysis.families.ids().partition(|&family| is_plain(analysis, family));
        let of_text = |family: &FamilyId| {
            analysis.declaration(*family).parameters.iter().any(|parameter| !has_cells(analysis.sort(parameter.id)))
        };
        let of_objects = |family: &FamilyId| {
            analysis.declaration(*family).parameters.iter().any(|parameter| analysis.sort(parameter.id) == Sort::Object)
        };
        let rounds = !tuples.is_empty() || plain.iter().any(of_objects);
        let points = analysis.families.ids().any(|family| analysis.declaration(family).kind == FactKind::Target);
        let chosen = points && plain.iter().any(of_objects) && speaks_of_objects(analysis);
        let mut needs = Self { catalogue: tuples.iter().any(of_text), rounds, plain, tuples, chosen };
        for_each_set(analysis, &mut |set, usage| match (set.kind, usage) {
            (SetKind::Definitions | SetKind::Mentioning | SetKind::Expressions | SetKind::Parts, _) => {
                needs.catalogue = true;
            }
            (_, Usage::Asked) => {}
            (kind, Usage::Listed) => needs.rounds |= kind.argument() == Argument::None,
        });
        needs
    }
}

/// Numbers and objects that the `for` of their declaration leaves out are unknown, as if there were none; what is true
/// or false is false then, which is another thing than unknown.
fn is_plain(analysis: &Analysis, family: FamilyId) -> bool {
    let declaration = analysis.declaration(family);
    let [parameter] = declaration.parameters[..] else { return false };
    analysis.sort(parameter.id).is_place() && (declaration.binders.is_empty() || declaration.kind != FactKind::Boolean)
}

/// Whether there are facts about memory, whatever is in it.
pub(crate) fn is_about_memory(analysis: &Analysis) -> bool {
    let is_memory = |sort: Sort| matches!(sort, Sort::Scalar | Sort::Object);
    let parameters = |family| analysis.declaration(family).parameters.iter();
    analysis.families.ids().any(|family| parameters(family).any(|parameter| is_memory(analysis.sort(parameter.id))))
}

fn has_cells(sort: Sort) -> bool {
    sort.is_place() || sort == Sort::Constant
}

/// What is done with a set.
#[derive(Clone, Copy)]
enum Usage {
    /// Its members are gone through.
    Listed,
    /// It is asked whether something is in it.
    Asked,
}

/// Whether what an update says depends on what `meta` stands for.
pub(crate) fn depends_on(update: &Update, meta: MetaId) -> bool {
    let in_set = |set: &Set| set_depends_on(set, meta);
    update.target.arguments.iter().any(|argument| argument.id == meta)
        || update.binders.iter().any(|binder| in_set(&binder.set))
        || value_depends_on(&update.value, meta)
}

fn set_depends_on(set: &Set, meta: MetaId) -> bool {
    set.metas().any(|own| own.id == meta)
}

/// Whether a value depends on what `meta` stands for.
pub(crate) fn value_depends_on(value: &Expr, meta: MetaId) -> bool {
    match &value.kind {
        ExprKind::Const(_) | ExprKind::Unknown | ExprKind::New | ExprKind::Number(_) => false,
        ExprKind::Fact(fact) => fact.arguments.iter().any(|argument| argument.id == meta),
        ExprKind::Meta(own) => own.id == meta,
        ExprKind::Is(left, right) => left.id == meta || right.id == meta,
        ExprKind::Not(operand) => value_depends_on(operand, meta),
        ExprKind::Junction(_, operands) => operands.iter().any(|operand| value_depends_on(operand, meta)),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
            value_depends_on(left, meta) || value_depends_on(right, meta)
        }
        ExprKind::Over(_, body, binder) => set_depends_on(&binder.set, meta) || value_depends_on(body, meta),
    }
}

/// Whether functions remember elements of arrays. Not where something is taken of all scalars alike: what they have been
/// would be known of one of them then, and not said at the others.
pub(crate) fn elements(analysis: &Analysis) -> Elements {
    let is_of_scalars = |unknown: &Unknown| analysis.sort(unknown.meta.id) == Sort::Scalar;
    if analysis.unknowns.iter().any(is_of_scalars) { Elements::Summed } else { Elements::Remembered }
}

/// The numbers that an analysis speaks of.
pub(crate) fn numbers(analysis: &Analysis) -> BTreeSet<i128> {
    let updates = analysis.rules.iter().flat_map(|rule| &rule.updates).chain(&analysis.initially);
    let tests = analysis.tests.iter().flat_map(|test| [Some(&test.when_true), test.when_false.as_ref()]).flatten();
    let required = analysis.requirements.iter().map(|requirement| &requirement.value);
    let mut found = BTreeSet::new();
    let mut open: Vec<&Expr> = updates.map(|update| &update.value).chain(tests).chain(required).collect();
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Number(value) => drop(found.insert(i128::from(*value))),
            ExprKind::Not(part) | ExprKind::Over(_, part, _) => open.push(part),
            ExprKind::Junction(_, parts) => open.extend(parts),
            ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
                open.extend([&**left, &**right]);
            }
            ExprKind::Const(_) | ExprKind::Unknown | ExprKind::New => {}
            ExprKind::Fact(_) | ExprKind::Meta(_) | ExprKind::Is(..) => {}
        }
    }
    found
}

/// Whether an update goes through what a pointer points to.
pub(crate) fn follows_in_update(update: &Update) -> bool {
    let mut follows = false;
    in_update(update, &mut |set, _| follows |= set.kind == SetKind::Pts);
    follows
}

/// Whether what is required goes through what a pointer points to.
pub(crate) fn follows_in_requirement(requirement: &Requirement) -> bool {
    let mut follows = false;
    in_value(&requirement.value, &mut |set, _| follows |= set.kind == SetKind::Pts);
    follows || requirement.binders.iter().any(|binder| binder.set.kind == SetKind::Pts)
}

/// Whether a value depends on facts.
pub(crate) fn reads_facts(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Fact(_) => true,
        ExprKind::Not(inner) | ExprKind::Over(_, inner, _) => reads_facts(inner),
        ExprKind::Junction(_, parts) => parts.iter().any(reads_facts),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
            reads_facts(left) || reads_facts(right)
        }
        _ => false,
    }
}

/// Calls `see` for the sets of rules, tests and requirements.
fn for_each_set(analysis: &Analysis, see: &mut impl FnMut(&Set, Usage)) {
    for rule in &analysis.rules {
        in_pattern(&rule.pattern, see);
        rule.updates.iter().for_each(|update| in_update(update, see));
    }
    for test in &analysis.tests {
        in_value(&test.when_true, see);
        test.when_false.iter().for_each(|value| in_value(value, see));
    }
    for Unknown { value, .. } in &analysis.unknowns {
        in_value(value, see);
    }
    for requirement in &analysis.requirements {
        match &requirement.site {
            Site::Deref(_, conditions) | Site::Use(_, conditions) | Site::Operation(_, conditions) => {
                in_conditions(conditions, see);
            }
            Site::Statement(pattern) => in_pattern(pattern, see),
            Site::Entry(_) | Site::Exit(_) => {}
        }
        in_value(&requirement.value, see);
        requirement.binders.iter().for_each(|binder| see(&binder.set, Usage::Listed));
    }
}

fn in_pattern(pattern: &Pattern, see: &mut impl FnMut(&Set, Usage)) {
    in_conditions(&pattern.conditions, see);
}

fn in_conditions(conditions: &[Condition], see: &mut impl FnMut(&Set, Usage)) {
    for condition in conditions {
        match condition {
            Condition::Only(set, _) => see(set, Usage::Listed),
            Condition::In(_, set) => see(set, Usage::Asked),
            Condition::Is(..) | Condition::IsNot(..) => {}
        }
    }
}

fn in_update(update: &Update, see: &mut impl FnMut(&Set, Usage)) {
    in_value(&update.value, see);
    update.binders.iter().for_each(|binder| see(&binder.set, Usage::Listed));
}

fn in_value(value: &Expr, see: &mut impl FnMut(&Set, Usage)) {
    match &value.kind {
        ExprKind::Over(_, body, binder) => {
            see(&binder.set, Usage::Listed);
            in_value(body, see);
        }
        ExprKind::Not(operand) => in_value(operand, see),
        ExprKind::Junction(_, operands) => operands.iter().for_each(|operand| in_value(operand, see)),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
            in_value(left, see);
            in_value(right, see);
        }
        _ => {}
    }
}

/// Whether what the rules say of objects, they say of objects: facts that are also about the scalars in them follow these.
fn speaks_of_objects(analysis: &Analysis) -> bool {
    let is_about = |target: &FactUse| {
        let parameters = &analysis.declaration(target.family).parameters;
        let mut pairs = target.arguments.iter().zip(parameters);
        pairs.all(|(argument, parameter)| {
            analysis.sort(parameter.id) != Sort::Object || analysis.sort(argument.id) == Sort::Object
        })
    };
    analysis.rules.iter().flat_map(|rule| &rule.updates).all(|update| is_about(&update.target))
}
