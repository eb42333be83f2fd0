//! What a rule does: the conjuncts of its relation, sorted.
//!
//! A conjunct over `x` alone is a guard. One that says `x' = e`, with `e` over `x`, gives `x'` its value; it may do so
//! under a condition, as `i = lo | a'[i] = a[i]` and `a'[lo] = e` do for each element of `a`. Where the conditions of
//! such equations cover everything, the value is a function of the state before, and what the equations demand of each
//! other is a guard. Everything else is a constraint on `x`, `x'` and `x''`.
//!
//! **Invariant:** the guards, the values and the constraints together mean what the relation means.

use super::super::ast::{BinaryOp, ExprId as AstId, ExprKind, Quantifier};
use super::super::scope::Shape;
use super::storage::Storage;
use super::terms::{Context, Overgrown, Terms};
use hardbop_icfg::words::{Builder, Moment, Word};
use hardbop_icfg::{Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most conditions that an equation without a value for some states is looked up for.
const MAX_COVER: usize = 32;
/// The longest way on which values follow from values. Beyond it there are constraints.
const MAX_ROUNDS: usize = 20;

/// What a rule does.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// What must be true before.
    pub(super) guards: Vec<ExprId>,
    /// The values of bits, over the state before.
    pub(super) values: FxHashMap<(Moment, VarId), ExprId>,
    /// What must be true of all states.
    pub(super) constraints: Vec<ExprId>,
}

/// The effect of a rule with this relation.
pub(super) fn effect(
    terms: &mut Terms<'_>,
    storage: &Storage,
    context: Context,
    relation: Option<AstId>,
) -> Result<Effect, Overgrown> {
    let mut sorter = Sorter {
        terms,
        storage,
        context,
        unless: Vec::new(),
        targets: Vec::new(),
        places: FxHashMap::default(),
        pending: Vec::new(),
        constraints: Vec::new(),
        effect: Effect::default(),
    };
    if let Some(relation) = relation {
        sorter.sort(relation)?;
    }
    sorter.solve();
    Ok(sorter.finish())
}

struct Sorter<'s, 'a> {
    terms: &'s mut Terms<'a>,
    storage: &'s Storage,
    context: Context,
    /// Where one of these is true, the conjunct at hand says nothing.
    unless: Vec<ExprId>,
    targets: Vec<Target>,
    places: FxHashMap<(Moment, VarId), usize>,
    /// Equations whose right-hand side has primes.
    pending: Vec<(usize, Equation)>,
    constraints: Vec<ExprId>,
    effect: Effect,
}

/// A number or truth value that equations speak of.
struct Target {
    moment: Moment,
    bits: Vec<VarId>,
    equations: Vec<Equation>,
    /// The conditions and values of all equations, so that none is added twice.
    known: FxHashSet<(ExprId, Vec<ExprId>)>,
    is_solved: bool,
}

/// `value`, unless one of these is true.
#[derive(Clone)]
struct Equation {
    unless: Vec<ExprId>,
    /// That none of `unless` is true.
    when: ExprId,
    value: Vec<ExprId>,
}

impl<'a> Sorter<'_, 'a> {
    fn builder(&mut self) -> &mut Builder<'a> {
        &mut self.terms.builder
    }

    fn sort(&mut self, expr: AstId) -> Result<(), Overgrown> {
        self.terms.tick()?;
        let ast = self.terms.ast;
        if !ast.exprs[expr].is_primed {
            let truth = self.truth(expr)?;
            self.demand(truth);
            return Ok(());
        }
        let is_primed = |expr: &AstId| ast.exprs[*expr].is_primed;
        match &ast.exprs[expr].kind {
            ExprKind::All(parts) => parts.iter().try_for_each(|&part| self.sort(part)),
            &ExprKind::Quantified { quantifier: Quantifier::All, variable, low, high, body } => {
                for value in self.terms.range(low, high) {
                    self.terms.bindings.push((variable.name, value));
                    let sorted = self.sort(body);
                    self.terms.bindings.pop();
                    sorted?;
                }
                Ok(())
            }
            ExprKind::Any(parts) => {
                let mut primed = parts.iter().copied().filter(is_primed);
                let (Some(body), None) = (primed.next(), primed.next()) else { return self.constrain(expr) };
                let before = self.unless.len();
                for part in parts.iter().filter(|part| !is_primed(part)) {
                    let part = self.truth(*part)?;
                    self.unless.push(part);
                }
                let sorted = self.sort(body);
                self.unless.truncate(before);
                sorted
            }
            &ExprKind::Binary(BinaryOp::Implies, test, body) if !is_primed(&test) => {
                let test = self.truth(test)?;
                let otherwise = self.builder().not(test);
                self.unless.push(otherwise);
                let sorted = self.sort(body);
                self.unless.pop();
                sorted
            }
            _ => match self.equation(expr)? {
                Recognised::Yes => Ok(()),
                Recognised::No => self.constrain(expr),
            },
        }
    }

    /// Adds what `expr` says of a variable, if it is an equation.
    fn equation(&mut self, expr: AstId) -> Result<Recognised, Overgrown> {
        let ast = self.terms.ast;
        let is_name = |expr: AstId| matches!(ast.exprs[expr].kind, ExprKind::Name { .. });
        match ast.exprs[expr].kind {
            ExprKind::Name { .. } => self.set(expr, true),
            ExprKind::Not(inner) if is_name(inner) => self.set(inner, false),
            ExprKind::Binary(BinaryOp::Equal, left, right) => self.either(left, right, Sorter::assign),
            ExprKind::Binary(BinaryOp::Iff, left, right) => self.either(left, right, Sorter::assign_truth),
            ExprKind::Binary(BinaryOp::Xor, left, right) => self.either(left, right, Sorter::assign_opposite),
            ExprKind::Binary(BinaryOp::NotEqual, left, right)
                if self.is_truth_variable(left) && self.is_truth_variable(right) =>
            {
                self.either(left, right, Sorter::assign_opposite)
            }
            _ => Ok(Recognised::No),
        }
    }

    /// Tries an equation in both directions; first the one whose right-hand side has no primes.
    fn either(
        &mut self,
        left: AstId,
        right: AstId,
        assign: fn(&mut Self, AstId, AstId) -> Result<Recognised, Overgrown>,
    ) -> Result<Recognised, Overgrown> {
        let exprs = &self.terms.ast.exprs;
        let (first, second) = match exprs[right].is_primed && !exprs[left].is_primed {
            true => ((right, left), (left, right)),
            false => ((left, right), (right, left)),
        };
        match assign(self, first.0, first.1)? {
            Recognised::Yes => Ok(Recognised::Yes),
            Recognised::No => assign(self, second.0, second.1),
        }
    }

    /// `target = value`, a comparison.
    fn assign(&mut self, target: AstId, value: AstId) -> Result<Recognised, Overgrown> {
        let Some(place) = self.place(target)? else { return Ok(Recognised::No) };
        let value = self.terms.value(self.storage, self.context, value)?;
        let (word, defined) = self.terms.as_number(value);
        self.store(&place, &word, defined)?;
        Ok(Recognised::Yes)
    }

    /// `target <-> value`
    fn assign_truth(&mut self, target: AstId, value: AstId) -> Result<Recognised, Overgrown> {
        let value = self.truth(value)?;
        self.set_truth(target, value)
    }

    /// `target ^ value`
    fn assign_opposite(&mut self, target: AstId, value: AstId) -> Result<Recognised, Overgrown> {
        let value = self.truth(value)?;
        let opposite = self.builder().not(value);
        self.set_truth(target, opposite)
    }

    fn set(&mut self, target: AstId, value: bool) -> Result<Recognised, Overgrown> {
        let value = self.builder().constant(value);
        self.set_truth(target, value)
    }

    /// Only where there certainly is such a variable: elsewhere an atom is false, which is not the same as no value.
    fn set_truth(&mut self, target: AstId, value: ExprId) -> Result<Recognised, Overgrown> {
        if !self.is_truth_variable(target) {
            return Ok(Recognised::No);
        }
        let Some(place @ Place { index: Index::One(_), .. }) = self.place(target)? else {
            return Ok(Recognised::No);
        };
        let (word, defined) = (self.builder().bit(value), self.builder().constant(true));
        self.store(&place, &word, defined)?;
        Ok(Recognised::Yes)
    }

    fn is_truth_variable(&self, expr: AstId) -> bool {
        let ExprKind::Name { name, primes, .. } = self.terms.ast.exprs[expr].kind else { return false };
        let reference = self.terms.reference(self.storage, self.context, name, primes);
        reference.is_some_and(|reference| self.terms.scopes.variables[reference.decl].shape == Shape::Bool)
    }

    /// The variable after the rule that `expr` is, if it is one, at an index that has no primes.
    fn place(&mut self, expr: AstId) -> Result<Option<Place>, Overgrown> {
        let ExprKind::Name { name, primes, index } = self.terms.ast.exprs[expr].kind else { return Ok(None) };
        if primes == 0 || index.is_some_and(|index| self.terms.ast.exprs[index].is_primed) {
            return Ok(None);
        }
        let Some(reference) = self.terms.reference(self.storage, self.context, name, primes) else { return Ok(None) };
        let index = match index {
            None => Index::One(0),
            Some(index) => {
                let (offset, defined) = self.terms.offset(self.storage, self.context, reference.decl, index)?;
                let place = self.builder().value_of(&offset).and_then(|place| usize::try_from(place).ok());
                let is_defined = self.builder().constant_of(defined) == Some(true);
                match place.filter(|&place| is_defined && place < reference.elements.len()) {
                    Some(place) => Index::One(place),
                    None => Index::Computed(offset, defined),
                }
            }
        };
        Ok(Some(Place { moment: reference.moment, elements: reference.elements.clone(), index }))
    }

    /// `place = word`, false where either has no value.
    fn store(&mut self, place: &Place, word: &Word, defined: ExprId) -> Result<(), Overgrown> {
        let width = place.elements[0].len();
        let fits = self.builder().fits(word, width);
        let valid = self.builder().and(defined, fits);
        self.demand(valid);
        let value = self.builder().bits_of(word, width);
        match &place.index {
            &Index::One(element) => self.add(place.moment, &place.elements[element], value),
            Index::Computed(offset, defined) => {
                let count = self.builder().number(place.elements.len() as u64);
                let below = self.builder().less(offset, &count);
                let exists = self.builder().and(*defined, below);
                self.demand(exists);
                for (number, bits) in place.elements.iter().enumerate() {
                    self.terms.tick()?;
                    let number = self.builder().number(number as u64);
                    let is_meant = self.builder().equal(offset, &number);
                    let is_another = self.builder().not(is_meant);
                    self.unless.push(is_another);
                    self.add(place.moment, bits, value.clone());
                    self.unless.pop();
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, moment: Moment, bits: &[VarId], value: Vec<ExprId>) {
        let constant = |sorter: &mut Self, expr| sorter.builder().constant_of(expr);
        let mut unless = self.unless.clone();
        if unless.iter().any(|&part| constant(self, part) == Some(true)) {
            return;
        }
        unless.retain(|&part| constant(self, part) != Some(false));
        let opposites: Vec<ExprId> = unless.iter().map(|&part| self.builder().not(part)).collect();
        let when = self.builder().all(opposites);
        let target = *self.places.entry((moment, bits[0])).or_insert_with(|| {
            self.targets.push(Target {
                moment,
                bits: bits.to_vec(),
                equations: Vec::new(),
                known: FxHashSet::default(),
                is_solved: false,
            });
            self.targets.len() - 1
        });
        if !self.targets[target].known.insert((when, value.clone())) {
            return;
        }
        let equation = Equation { unless, when, value };
        if equation.value.iter().all(|&bit| self.terms.moments(bit).is_now()) {
            self.targets[target].equations.push(equation);
        } else {
            self.pending.push((target, equation));
        }
    }

    /// Demands `truth`, unless the conjunct at hand says nothing.
    fn demand(&mut self, truth: ExprId) {
        let parts: Vec<ExprId> = self.unless.iter().copied().chain([truth]).collect();
        let demand = self.builder().any(parts);
        self.require(demand);
    }

    fn constrain(&mut self, expr: AstId) -> Result<(), Overgrown> {
        let truth = self.truth(expr)?;
        self.demand(truth);
        Ok(())
    }

    fn require(&mut self, truth: ExprId) {
        if self.builder().constant_of(truth) == Some(true) {
            return;
        }
        match self.terms.moments(truth).is_now() {
            true => self.effect.guards.push(truth),
            false => self.constraints.push(truth),
        }
    }

    fn truth(&mut self, expr: AstId) -> Result<ExprId, Overgrown> {
        self.terms.truth(self.storage, self.context, expr)
    }

    /// Finds values until there are no more: `x' = y'` gives `x'` one where `y'` has one.
    fn solve(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut has_grown = false;
            for target in 0..self.targets.len() {
                has_grown |= !self.targets[target].is_solved && self.solve_target(target);
            }
            if !has_grown {
                return;
            }
            let mut known = FxHashMap::default();
            for (target, mut equation) in std::mem::take(&mut self.pending) {
                for bit in &mut equation.value {
                    *bit = self.replace(*bit, &mut known);
                }
                if !equation.value.iter().all(|&bit| self.terms.moments(bit).is_now()) {
                    self.pending.push((target, equation));
                } else if self.targets[target].is_solved {
                    self.demand_equation(target, &equation);
                } else {
                    self.targets[target].equations.push(equation);
                }
            }
        }
    }

    /// `expr` with every value that is known.
    fn replace(&mut self, expr: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        let values = &self.effect.values;
        self.terms.builder.replace(expr, known, &mut |_, leaf| match leaf {
            Expr::Next(var) => values.get(&(Moment::Next, var)).copied(),
            Expr::Saved(var) => values.get(&(Moment::Saved, var)).copied(),
            _ => None,
        })
    }

    /// Gives a target its value if its equations cover everything.
    fn solve_target(&mut self, target: usize) -> bool {
        let equations = &self.targets[target].equations;
        let mut conditions: FxHashMap<ExprId, usize> = FxHashMap::default();
        for (number, equation) in equations.iter().enumerate() {
            conditions.entry(equation.when).or_insert(number);
        }
        // Where it says nothing, another equation does.
        let covers = |equation: &Equation| -> Option<Vec<usize>> {
            let parts = equation.unless.iter().take(MAX_COVER + 1);
            let covers: Option<Vec<usize>> = parts.map(|part| conditions.get(part).copied()).collect();
            covers.filter(|covers| covers.len() <= MAX_COVER)
        };
        let found = equations.iter().enumerate().find_map(|(number, base)| Some((number, covers(base)?)));
        let Some((base, covers)) = found else { return false };
        let equations = std::mem::take(&mut self.targets[target].equations);
        let mut value = equations[base].value.clone();
        for equation in covers.iter().rev().map(|&number| &equations[number]) {
            let mut assumed = self.assume(equation.when);
            for (bit, &other) in value.iter_mut().zip(&equation.value) {
                let other = assumed.apply(&mut self.terms.builder, other);
                *bit = self.terms.builder.ite(equation.when, other, *bit);
            }
        }
        for (place, &first) in covers.iter().enumerate() {
            for &second in covers[place + 1..].iter().chain([&base]) {
                self.demand_agreement(&equations[first], &equations[second]);
            }
        }
        let used: FxHashSet<usize> = covers.into_iter().chain([base]).collect();
        let whole = Equation { unless: Vec::new(), when: self.builder().constant(true), value };
        for (_, equation) in equations.iter().enumerate().filter(|(number, _)| !used.contains(number)) {
            self.demand_agreement(equation, &whole);
        }
        let Target { moment, bits, is_solved, .. } = &mut self.targets[target];
        *is_solved = true;
        for (&var, value) in bits.iter().zip(whole.value) {
            self.effect.values.insert((*moment, var), value);
        }
        true
    }

    /// Where both say something they say the same.
    fn demand_agreement(&mut self, first: &Equation, second: &Equation) {
        let mut assumed = self.assume(first.when);
        let also = assumed.apply(&mut self.terms.builder, second.when);
        let both = self.builder().and(first.when, also);
        if self.builder().constant_of(both) == Some(false) {
            return;
        }
        let mut assumed = self.assume(both);
        let pairs: Vec<ExprId> = first
            .value
            .iter()
            .zip(&second.value)
            .map(|(&a, &b)| {
                let builder = &mut self.terms.builder;
                let (a, b) = (assumed.apply(builder, a), assumed.apply(builder, b));
                builder.iff(a, b)
            })
            .collect();
        let same = self.builder().all(pairs);
        let demand = self.builder().implies(both, same);
        self.require(demand);
    }

    /// `target = value` as a demand.
    fn demand_equation(&mut self, target: usize, equation: &Equation) {
        let Target { moment, bits, .. } = &self.targets[target];
        let (moment, bits) = (*moment, bits.clone());
        let pairs: Vec<ExprId> = bits
            .iter()
            .zip(&equation.value)
            .map(|(&var, &value)| {
                let builder = &mut self.terms.builder;
                let next = builder.read(var, moment);
                builder.iff(next, value)
            })
            .collect();
        let same = self.builder().all(pairs);
        let demand = self.builder().implies(equation.when, same);
        self.require(demand);
    }

    fn finish(mut self) -> Effect {
        for target in 0..self.targets.len() {
            if !self.targets[target].is_solved {
                for equation in std::mem::take(&mut self.targets[target].equations) {
                    self.demand_equation(target, &equation);
                }
            }
        }
        for (target, equation) in std::mem::take(&mut self.pending) {
            self.demand_equation(target, &equation);
        }
        let mut known = FxHashMap::default();
        for constraint in std::mem::take(&mut self.constraints) {
            let constraint = self.replace(constraint, &mut known);
            self.require(constraint);
        }
        self.effect.constraints = self.constraints;
        self.effect
    }

    /// What `condition`, as far as it is a conjunction, says of single bits.
    fn assume(&self, condition: ExprId) -> Assumed {
        let exprs = self.terms.builder.exprs();
        let mut literals = FxHashMap::default();
        let mut stack = vec![condition];
        while let Some(expr) = stack.pop() {
            match exprs.get(expr) {
                Expr::And(a, b) => stack.extend([a, b]),
                leaf @ Expr::Var(_) => {
                    literals.insert(leaf, true);
                }
                Expr::Not(a) => {
                    if let leaf @ Expr::Var(_) = exprs.get(a) {
                        literals.insert(leaf, false);
                    }
                }
                _ => {}
            }
        }
        Assumed { literals, known: FxHashMap::default() }
    }
}

/// Whether a conjunct was an equation.
enum Recognised {
    Yes,
    No,
}

/// The left-hand side of an equation.
struct Place {
    moment: Moment,
    elements: Vec<Vec<VarId>>,
    index: Index,
}

enum Index {
    /// This element, counted from the first.
    One(usize),
    /// The element of this number, where that is defined and there is one.
    Computed(Word, ExprId),
}

/// Bits whose values are known, and expressions in which they have been put.
struct Assumed {
    literals: FxHashMap<Expr, bool>,
    known: FxHashMap<ExprId, ExprId>,
}

impl Assumed {
    fn apply(&mut self, builder: &mut Builder<'_>, expr: ExprId) -> ExprId {
        let Self { literals, known } = self;
        if literals.is_empty() {
            return expr;
        }
        builder.replace(expr, known, &mut |builder, leaf| literals.get(&leaf).map(|&value| builder.constant(value)))
    }
}
