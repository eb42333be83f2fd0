//! Several assignments at once, as one transition.
//!
//! Where two of them may write to one scalar, either value may win. That needs a word's bits to choose together, which
//! a choice cannot do since it is read once; so such a scalar gets any value, and a constraint says which are meant:
//! `(none writes ∧ x' = x) ∨ ⋁ᵢ (i writes ∧ x' = vᵢ)`.

use super::Lowering;
use super::expr::{Term, Value};
use super::place::{Candidate, Place};
use crate::rem::ast::{self, Assign, AssignOp, Ast, ExprKind, List, Quantifier};
use crate::rem::roles::{DatumId, Kin};
use crate::rem::scope::Reported;
use crate::rem::types::{Sort, Type, TypeId};
use hardbop_base::{Diagnostic, Idx};
use hardbop_icfg::words::Moment;
use hardbop_icfg::{self as icfg, ExprId, Transition, Update};
use std::rc::Rc;

/// What a statement does to the variables.
#[derive(Default, Debug)]
pub(super) struct Effect {
    /// What must be true for everything that it needs to have a value.
    needs: Vec<ExprId>,
    writes: Vec<Write>,
}

/// One assignment to one scalar.
#[derive(Clone, Debug)]
struct Write {
    target: DatumId,
    condition: ExprId,
    source: Rc<Source>,
    /// The assignment that it comes from, where it can be compared with others.
    origin: Option<Assign>,
}

#[derive(Clone, Debug)]
enum Source {
    Term(Term),
    AnyBut(Term),
    Any,
}

impl Effect {
    /// Makes `condition` a condition of this effect.
    pub(super) fn need(&mut self, condition: ExprId) {
        self.needs.push(condition);
    }

    /// The conditions of this effect, which has none afterwards.
    pub(super) fn take_needs(&mut self) -> Vec<ExprId> {
        std::mem::take(&mut self.needs)
    }

    /// Whether it writes nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }
}

impl Lowering<'_> {
    /// Adds all of `list` to `effect`, as far as they are correct.
    pub(super) fn assign_all(&mut self, list: List<Assign>, effect: &mut Effect) -> Result<(), Reported> {
        let ast = self.ast;
        let mut result = Ok(());
        for assign in ast.assigns(list) {
            let one = self.assign_each(assign, ast.quantifiers(assign.quantifiers), effect);
            result = result.and(one);
        }
        result
    }

    fn assign_each(
        &mut self,
        assign: &Assign,
        quantifiers: &[Quantifier],
        effect: &mut Effect,
    ) -> Result<(), Reported> {
        match quantifiers.split_first() {
            None => self.assign(assign, effect),
            Some((&Quantifier { var, low, high }, rest)) => {
                self.for_each_value(var, low, high, &mut |lowering| lowering.assign_each(assign, rest, effect))
            }
        }
    }

    fn assign(&mut self, assign: &Assign, effect: &mut Effect) -> Result<(), Reported> {
        let target = self.place(assign.target)?;
        let origin = Some(*assign).filter(|assign| assign.quantifiers.is_empty());
        match (assign.relation, assign.value) {
            (AssignOp::NotEqual, ast::Value::Of(value)) => {
                let value = self.fitting(&target, value)?;
                self.scopes.roles.unite(value.kin, Some(Kin::of(target.first)));
                // A value that does not fit is different from all that do.
                effect.need(target.defined);
                effect.need(value.defined);
                self.write(&target, 0, Source::AnyBut(value.term), origin, effect);
                Ok(())
            }
            (_, value) => {
                let first = effect.writes.len();
                self.assign_value(&target, value, effect)?;
                effect.writes[first..].iter_mut().for_each(|write| write.origin = origin);
                Ok(())
            }
        }
    }

    /// Adds `target = value` to `effect`.
    pub(super) fn assign_value(
        &mut self,
        target: &Place,
        value: ast::Value,
        effect: &mut Effect,
    ) -> Result<(), Reported> {
        effect.need(target.defined);
        let value = match value {
            ast::Value::Undef(_) => {
                for offset in 0..self.scopes.types.scalars(target.kind) {
                    self.write(target, offset, Source::Any, None, effect);
                }
                return Ok(());
            }
            ast::Value::Of(value) => value,
        };
        if matches!(self.scopes.types.sort(target.kind), Sort::Bool | Sort::Number) {
            let value = self.fitting(target, value)?;
            self.assign_scalar(target, 0, value, effect);
            return Ok(());
        }
        let source = self.place(value)?;
        if !self.scopes.types.can_be_copied(source.kind, target.kind) {
            return Err(self.cannot_be_copied(source.kind, target.kind, value));
        }
        self.copy(&source, target, effect);
        Ok(())
    }

    fn cannot_be_copied(&mut self, source: TypeId, target: TypeId, id: ast::ExprId) -> Reported {
        let (source, target) = (self.scopes.types.sort(source), self.scopes.types.sort(target));
        let message = match source == target {
            true => format!("this is {} of another shape", source.text()),
            false => format!("{} is needed here, and this is {}", target.text(), source.text()),
        };
        self.scopes.report(Diagnostic::error("type-mismatch", message, self.ast.exprs[id].span))
    }

    /// Adds `target = source` to `effect`, scalar by scalar.
    ///
    /// # Requires
    /// Their types allow it.
    pub(super) fn copy(&mut self, source: &Place, target: &Place, effect: &mut Effect) {
        for offset in 0..self.scopes.types.scalars(target.kind) {
            let value = self.read(source, offset);
            self.assign_scalar(target, offset, value, effect);
        }
    }

    /// The value of `id`, which must be of the sort that `target` has.
    fn fitting(&mut self, target: &Place, id: ast::ExprId) -> Result<Value, Reported> {
        let value = self.expr(id)?;
        match self.scopes.types.sort(target.kind) {
            Sort::Bool => self.boolean(&value, id).map(|_| value),
            Sort::Number => self.natural(&value, id).map(|_| value),
            sort => {
                let message = format!("{} cannot be assigned with `!=`", sort.text());
                let span = self.ast.exprs[id].span;
                Err(self.scopes.report(Diagnostic::error("type-mismatch", message, span)))
            }
        }
    }

    fn assign_scalar(&mut self, target: &Place, offset: usize, value: Value, effect: &mut Effect) {
        let datum = DatumId::from_usize(target.first.index() + offset);
        self.scopes.roles.unite(value.kin, Some(Kin::of(datum)));
        let fits = self.fits(datum, &value.term);
        effect.need(target.defined);
        effect.need(value.defined);
        effect.need(fits);
        self.write(target, offset, Source::Term(value.term), None, effect);
    }

    /// Whether `datum` can have the value of `term`.
    pub(super) fn fits(&mut self, datum: DatumId, term: &Term) -> ExprId {
        match (term, self.scopes.types.get(self.scopes.scalars[datum])) {
            (Term::Number(word), &Type::Enum { members, .. }) => {
                let count = self.words.number(members);
                self.words.less(word, &count)
            }
            (Term::Number(word), &Type::Number { width }) => self.words.fits(word, width),
            _ => self.words.constant(true),
        }
    }

    fn write(&mut self, target: &Place, offset: usize, source: Source, origin: Option<Assign>, effect: &mut Effect) {
        let source = Rc::new(source);
        for Candidate { datum, condition } in self.candidates(target, offset) {
            effect.writes.push(Write { target: datum, condition, source: Rc::clone(&source), origin });
        }
    }

    /// The transition of `effect`.
    pub(super) fn transition(&mut self, effect: Effect) -> Transition {
        let Effect { mut needs, mut writes } = effect;
        needs.sort_unstable();
        needs.dedup();
        let guard = self.words.all(needs);
        writes.sort_by_key(|write| write.target);
        let mut updates = Vec::new();
        let mut constraints = Vec::new();
        for group in writes.chunk_by(|one, next| one.target == next.target) {
            let target = group[0].target;
            match self.new_value(group) {
                Some(term) => self.update(target, &term, &mut updates),
                None => {
                    self.update_to_any(target, &mut updates);
                    constraints.push(self.allowed(group));
                }
            }
        }
        let constraint = self.words.all(constraints);
        self.updates += updates.len();
        Transition { guard: self.unless_true(guard), updates, constraint: self.unless_true(constraint), choices: 0 }
    }

    /// `None` where `condition` is always true.
    pub(super) fn unless_true(&self, condition: ExprId) -> Option<ExprId> {
        if self.words.constant_of(condition) == Some(true) { None } else { Some(condition) }
    }

    pub(super) fn update(&mut self, target: DatumId, term: &Term, updates: &mut Vec<Update>) {
        let bits = self.scopes.bits(target).to_vec();
        let values = match term {
            Term::Bool(bit) => vec![*bit],
            Term::Number(word) => self.words.bits_of(word, bits.len()),
        };
        let pairs = bits.into_iter().zip(values);
        updates.extend(pairs.map(|(target, value)| Update { target, value: icfg::Value::Of(value) }));
    }

    pub(super) fn update_to_any(&mut self, target: DatumId, updates: &mut Vec<Update>) {
        let bits = self.scopes.bits(target).iter();
        updates.extend(bits.map(|&target| Update { target, value: icfg::Value::Any }));
    }

    /// What the writes to one scalar make of it, if there is only one thing they can make.
    fn new_value(&mut self, group: &[Write]) -> Option<Term> {
        for (row, one) in group.iter().enumerate() {
            let Source::Term(_) = *one.source else { return None };
            if !group[..row].iter().all(|other| self.agree(one, other)) {
                return None;
            }
        }
        let mut value = self.term(group[0].target, Moment::Now);
        for write in group {
            if let Source::Term(term) = &*write.source {
                value = self.choose_term(write.condition, term, &value);
            }
        }
        Some(value)
    }

    fn choose_term(&mut self, test: ExprId, yes: &Term, no: &Term) -> Term {
        match (yes, no) {
            (Term::Bool(yes), Term::Bool(no)) => Term::Bool(self.words.ite(test, *yes, *no)),
            (Term::Number(yes), Term::Number(no)) => Term::Number(self.words.ite_word(test, yes, no)),
            _ => unreachable!("only values of its own sort are written to a scalar"),
        }
    }

    /// The value of `datum`.
    pub(super) fn term(&mut self, datum: DatumId, moment: Moment) -> Term {
        let word = self.words.variable(&self.scopes.data[datum].bits, moment);
        match self.scopes.types.get(self.scopes.scalars[datum]) {
            Type::Bool => Term::Bool(self.words.bit_of(&word, 0)),
            _ => Term::Number(word),
        }
    }

    /// Whether the two writes, to one scalar, never write different values at once.
    fn agree(&mut self, one: &Write, other: &Write) -> bool {
        let is_same = match (&*one.source, &*other.source) {
            (Source::Term(Term::Bool(one)), Source::Term(Term::Bool(other))) => one == other,
            (Source::Term(Term::Number(one)), Source::Term(Term::Number(other))) => one == other,
            _ => false,
        };
        let both = self.words.and(one.condition, other.condition);
        if is_same || self.words.constant_of(both) == Some(false) {
            return true;
        }
        match (one.origin, other.origin) {
            (Some(one), Some(other)) => {
                let ast = self.ast;
                let pair = (one.target, other.target);
                *self.agreements.entry(pair).or_insert_with(|| have_same_value(ast, &one, &other))
            }
            _ => false,
        }
    }

    /// Which values the writes to one scalar leave it.
    fn allowed(&mut self, group: &[Write]) -> ExprId {
        let target = group[0].target;
        let next = self.term(target, Moment::Next);
        let old = self.term(target, Moment::Now);
        let written: Vec<ExprId> = group.iter().map(|write| write.condition).collect();
        let written = self.words.any(written);
        let is_old = self.same(&next, &old);
        let mut ways = Vec::with_capacity(group.len() + 1);
        let untouched = self.words.not(written);
        ways.push(self.words.and(untouched, is_old));
        for write in group {
            let way = match &*write.source {
                Source::Term(term) => self.same(&next, term),
                Source::AnyBut(term) => {
                    let same = self.same(&next, term);
                    self.words.not(same)
                }
                Source::Any => self.words.constant(true),
            };
            ways.push(self.words.and(write.condition, way));
        }
        let allowed = self.words.any(ways);
        let member = self.is_member(target);
        self.words.and(allowed, member)
    }

    fn same(&mut self, one: &Term, other: &Term) -> ExprId {
        match (one, other) {
            (Term::Bool(one), Term::Bool(other)) => self.words.iff(*one, *other),
            (Term::Number(one), Term::Number(other)) => self.words.equal(one, other),
            _ => unreachable!("only values of its own sort are written to a scalar"),
        }
    }

    /// Whether the next value of `datum` is one that its type has.
    pub(super) fn is_member(&mut self, datum: DatumId) -> ExprId {
        let Type::Enum { members, .. } = *self.scopes.types.get(self.scopes.scalars[datum]) else {
            return self.words.constant(true);
        };
        let count = self.words.number(members);
        let next = self.words.variable(&self.scopes.data[datum].bits, Moment::Next);
        self.words.less(&next, &count)
    }
}

/// Whether the two assignments have one value wherever they have one target: `a[i] = a[j], a[j] = a[i]`.
fn have_same_value(ast: &Ast, one: &Assign, other: &Assign) -> bool {
    let (ast::Value::Of(left), ast::Value::Of(right)) = (one.value, other.value) else { return false };
    let mut equal = Vec::new();
    let (mut a, mut b) = (one.target, other.target);
    loop {
        match (ast.exprs[a].kind, ast.exprs[b].kind) {
            (ExprKind::Index(a_base, a_index), ExprKind::Index(b_base, b_index)) => {
                equal.push((a_index, b_index));
                (a, b) = (a_base, b_base);
            }
            (ExprKind::Member(a_base, a_name), ExprKind::Member(b_base, b_name)) if a_name.name == b_name.name => {
                (a, b) = (a_base, b_base);
            }
            (ExprKind::Name(a, _), ExprKind::Name(b, _)) if a == b => break,
            _ => return false,
        }
    }
    are_same(ast, left, right, &equal)
}

/// Whether `a` and `b` are written alike, where each pair in `equal` counts as alike.
fn are_same(ast: &Ast, a: ast::ExprId, b: ast::ExprId, equal: &[(ast::ExprId, ast::ExprId)]) -> bool {
    let among = |id: ast::ExprId, pair: &(ast::ExprId, ast::ExprId)| {
        are_same(ast, id, pair.0, &[]) || are_same(ast, id, pair.1, &[])
    };
    if equal.iter().any(|pair| among(a, pair) && among(b, pair)) {
        return true;
    }
    let same = |a, b| are_same(ast, a, b, equal);
    match (ast.exprs[a].kind, ast.exprs[b].kind) {
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Number(a), ExprKind::Number(b)) => a == b,
        (ExprKind::Name(a, _), ExprKind::Name(b, _)) => a == b,
        (ExprKind::Index(a, i), ExprKind::Index(b, j)) => same(a, b) && same(i, j),
        (ExprKind::Member(a, x), ExprKind::Member(b, y)) => x.name == y.name && same(a, b),
        (ExprKind::Not(a), ExprKind::Not(b)) => same(a, b),
        (ExprKind::Binary(op, a, c), ExprKind::Binary(other, b, d)) => op == other && same(a, b) && same(c, d),
        _ => false,
    }
}
