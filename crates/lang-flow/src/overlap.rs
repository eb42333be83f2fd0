//! Rules that say nothing, because earlier ones match everything that they match.

use super::tree::{Analysis, Call, FamilyId, Form, MetaUse, Operand, Pattern, Rest, Rule, Slot, Sort, Source, Target};
use hardbop_base::Diagnostic;
use hardbop_base::findings::Findings;

/// Warns of rules of which no update can ever happen.
///
/// # Requires
/// The analysis has no errors.
pub(super) fn warn_of_unreachable(analysis: &Analysis, findings: &mut Findings) {
    // Each update is compared with all before it; whoever has more has generated them.
    const MOST: usize = 2000;
    let rules = &analysis.rules;
    if rules.iter().map(|rule| rule.updates.len()).sum::<usize>() > MOST {
        return;
    }
    for (row, rule) in rules.iter().enumerate() {
        let covering = |family: FamilyId| {
            let sets = |earlier: &&Rule| earlier.updates.iter().any(|update| update.target.family == family);
            rules[..row].iter().filter(sets).find(|earlier| covers(analysis, &earlier.pattern, &rule.pattern))
        };
        let covers: Vec<_> = rule.updates.iter().map(|update| covering(update.target.family)).collect();
        if let Some(Some(first)) = covers.first()
            && covers.iter().all(Option::is_some)
        {
            let message = "this rule never applies: an earlier one matches everything it matches";
            let finding = Diagnostic::warning("unreachable-rule", message, rule.span);
            let help = "the first rule that matches counts; move this one up, or remove it";
            findings.add(finding.related("the earlier rule", first.span).help(help));
        }
    }
}

/// Whether `general` matches every statement that `special` matches; `false` where that is not obvious.
fn covers(analysis: &Analysis, general: &Pattern, special: &Pattern) -> bool {
    let mut metas: Vec<_> = general.metas().iter().map(|meta| meta.id).collect();
    metas.sort_unstable();
    let is_linear = metas.windows(2).all(|pair| pair[0] != pair[1]);
    let cover = Cover { analysis };
    // A definition is a statement that assigns, so its name narrows the pattern `_`.
    let is_named_widely = general.statement.is_none_or(|name| {
        analysis.sort(name.id) == Sort::Statement || matches!(special.form, Form::Assign(..) | Form::Copy(..))
    });
    general.conditions.is_empty() && is_linear && is_named_widely && cover.form(&general.form, &special.form)
}

struct Cover<'a> {
    analysis: &'a Analysis,
}

impl Cover<'_> {
    fn form(&self, general: &Form, special: &Form) -> bool {
        match (general, special) {
            (Form::Any, _) | (Form::Return(None), Form::Return(_)) => true,
            (Form::Assign(target, source), Form::Assign(other_target, other_source)) => {
                let same_target = match (target, other_target) {
                    (Target::Variable(slot), Target::Variable(other)) => self.slot(*slot, *other),
                    (Target::Deref(slot), Target::Deref(other)) => self.slot(*slot, *other),
                    _ => false,
                };
                same_target && self.source(source, other_source)
            }
            (Form::Copy(target, source), Form::Copy(other_target, other_source)) => {
                self.slot(*target, *other_target) && self.slot(*source, *other_source)
            }
            (Form::Assign(Target::Variable(target), source), Form::Copy(other_target, other_source)) => {
                self.slot(*target, *other_target) && self.source(source, &Source::Operand(Operand::Slot(*other_source)))
            }
            (Form::Call(call), Form::Call(other) | Form::Drop(other) | Form::Assign(_, Source::Call(other)))
            | (Form::Drop(call), Form::Drop(other)) => self.call(call, other),
            (Form::Return(Some(operand)), Form::Return(Some(other))) | (Form::Test(operand), Form::Test(other)) => {
                self.operand(operand, other)
            }
            (Form::Declare(meta), Form::Declare(other)) => self.meta(*meta, *other),
            _ => false,
        }
    }

    fn source(&self, general: &Source, special: &Source) -> bool {
        match (general, special) {
            (Source::Operand(operand), _) if self.is_anything(operand) => true,
            (Source::Operand(operand), Source::Operand(other)) => self.operand(operand, other),
            (Source::Unary(op, operand), Source::Unary(other_op, other)) => {
                op == other_op && self.operand(operand, other)
            }
            (Source::Binary(left, op, right), Source::Binary(other_left, other_op, other_right)) => {
                op == other_op && self.operand(left, other_left) && self.operand(right, other_right)
            }
            (Source::Call(call), Source::Call(other)) => self.call(call, other),
            _ => false,
        }
    }

    fn call(&self, general: &Call, special: &Call) -> bool {
        let is_named = |callee: &String| general.callees.iter().any(|pattern| name_matches(pattern, callee));
        let names = general.callees.is_empty() || !special.callees.is_empty() && special.callees.iter().all(is_named);
        let (count, other_count) = (general.arguments.len(), special.arguments.len());
        let arity = match general.rest {
            Rest::Anything => count <= other_count,
            Rest::Nothing => count == other_count && special.rest == Rest::Nothing,
        };
        let pairs = general.arguments.iter().zip(&special.arguments);
        names && arity && pairs.into_iter().all(|(argument, other)| self.operand(argument, other))
    }

    /// Whether it matches every right-hand side.
    fn is_anything(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Slot(Slot::Any) => true,
            Operand::Slot(Slot::Meta(meta)) => self.analysis.sort(meta.id) == Sort::Expression,
            _ => false,
        }
    }

    fn operand(&self, general: &Operand, special: &Operand) -> bool {
        match (general, special) {
            _ if self.is_anything(general) => true,
            (Operand::Slot(Slot::Meta(meta)), Operand::Number(_)) => self.analysis.sort(meta.id) == Sort::Constant,
            (Operand::Slot(slot), Operand::Slot(other))
            | (Operand::Deref(slot), Operand::Deref(other))
            | (Operand::Address(slot), Operand::Address(other)) => self.slot(*slot, *other),
            (Operand::Null, Operand::Null) => true,
            (Operand::Number(number), Operand::Number(other)) => number == other,
            _ => false,
        }
    }

    fn slot(&self, general: Slot, special: Slot) -> bool {
        match (general, special) {
            (Slot::Any, _) => true,
            (Slot::Meta(meta), Slot::Meta(other)) => self.meta(meta, other),
            (Slot::Meta(_), Slot::Any) => false,
        }
    }

    fn meta(&self, general: MetaUse, special: MetaUse) -> bool {
        self.analysis.sort(special.id).is_within(self.analysis.sort(general.id))
    }
}

/// Whether `pattern`, in which `*` stands for any characters, matches the name; a star in the name is a character.
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    matches_pattern(pattern, name) || plain != name && matches_pattern(pattern, plain)
}

fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}
