//! From a sketch to a system: every number becomes something that is there, every wish a condition.
//!
//! **Invariant:** total. Any sketch has a system, or proptest could not shrink.

use crate::pds::generate::Size;
use crate::pds::{
    Access, Arithmetic, Block, Comparison, Condition, Connective, Initial, Kind, Quantifier, Range, Rule, Scope,
    StateId, SymbolId, System, Term, Time, Variable, VariableId,
};

/// A system whose states, symbols and variables are any numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) states: usize,
    pub(crate) symbols: usize,
    pub(crate) globals: Vec<VariableSketch>,
    pub(crate) blocks: Vec<BlockSketch>,
    /// The state, and what globals and locals satisfy.
    pub(crate) initial: (usize, Option<Condition>, Option<Condition>),
    pub(crate) rules: Vec<RuleSketch>,
    pub(crate) spelling: u64,
}

/// What the values are, and where it is an array its first index; the arrays have two elements.
pub(crate) type VariableSketch = (Kind, Option<usize>);

/// A local block of a sketch.
#[derive(Clone, Debug)]
pub(crate) struct BlockSketch {
    pub(crate) symbols: Vec<usize>,
    pub(crate) variables: Vec<VariableSketch>,
}

/// A rule of a sketch.
#[derive(Clone, Debug)]
pub(crate) struct RuleSketch {
    pub(crate) state: usize,
    pub(crate) symbol: usize,
    pub(crate) next: usize,
    pub(crate) push: Vec<usize>,
    /// What becomes of the variables, in turn.
    pub(crate) wishes: Vec<Wish>,
    /// Over values before it.
    pub(crate) guard: Option<Condition>,
    /// Over all values.
    pub(crate) constraint: Option<Condition>,
    /// Whether it has no condition at all.
    pub(crate) is_bare: bool,
}

/// What becomes of a variable: terms are for numbers, conditions for booleans.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    /// It keeps its value, or gets that of another if it is new.
    Keep,
    /// It gets a value.
    Assign(Term, Condition),
    /// It gets any value that is in a relation to another.
    Constrain(Comparison, Term, Condition),
    /// It gets any value.
    Open,
}

/// The system a sketch stands for.
pub(crate) fn settle(size: Size, sketch: Sketch) -> System {
    let Sketch { states, symbols, globals, blocks, initial: (state, on_globals, on_locals), rules, spelling } = sketch;
    let mut free: Vec<SymbolId> = (0..symbols).map(SymbolId).collect();
    let blocks = blocks.into_iter().map(|block| Block {
        symbols: take(&mut free, &block.symbols),
        variables: declare("x", size.local_bits, &block.variables),
    });
    let blocks = blocks.filter(|block| !block.symbols.is_empty() && !block.variables.is_empty()).collect();
    let symbol = SymbolId(0);
    let initial = Initial { state: StateId(state % states), globals: None, symbol, locals: None };
    let globals = declare("g", size.global_bits, &globals);
    let mut system = System { states, symbols, globals, blocks, initial, rules: Vec::new(), spelling };
    let settler = Settler { system: &system };
    let settled = |condition: Option<Condition>, scope| {
        let places = [Place { scope, time: Time::Now, symbol }];
        condition.filter(|_| !settler.readable(&places).is_empty()).map(|condition| settler.settled(condition, &places))
    };
    let [on_globals, on_locals] = [settled(on_globals, Scope::Global), settled(on_locals, Scope::Local)];
    let rules = rules.into_iter().enumerate().map(|(place, rule)| settler.rule(place, rule)).collect();
    system.initial.globals = on_globals;
    system.initial.locals = on_locals;
    system.rules = rules;
    system
}

/// Takes symbols out of `free`.
fn take(free: &mut Vec<SymbolId>, numbers: &[usize]) -> Vec<SymbolId> {
    let mut taken = Vec::new();
    for number in numbers {
        if !free.is_empty() {
            taken.push(free.remove(number % free.len()));
        }
    }
    taken
}

/// As many of the variables as have room.
fn declare(prefix: &str, bits: usize, sketches: &[VariableSketch]) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    for (kind, first) in sketches {
        let name = format!("{prefix}{}", variables.len());
        let variable = Variable { name, kind: *kind, range: first.map(|first| (first, first + 1)) };
        if variables.iter().chain([&variable]).map(Variable::bits).sum::<usize>() <= bits {
            variables.push(variable);
        }
    }
    variables
}

/// Variables that can be read: the globals, or the locals of a symbol, at a time.
#[derive(Clone, Copy)]
struct Place {
    scope: Scope,
    time: Time,
    /// For globals, any.
    symbol: SymbolId,
}

/// A variable that can be read, and what it is.
#[derive(Clone, Copy)]
struct Readable<'s> {
    scope: Scope,
    time: Time,
    id: VariableId,
    variable: &'s Variable,
}

impl Readable<'_> {
    fn access(&self, index: Option<Term>) -> Access {
        Access { scope: self.scope, variable: self.id, time: self.time, index: index.map(Box::new) }
    }

    fn is_bool(&self) -> bool {
        self.variable.kind == Kind::Bool
    }

    /// `self comparison term`, or for booleans a connective with `condition`.
    fn relate(&self, index: Option<Term>, comparison: Comparison, term: Term, condition: Condition) -> Condition {
        let access = self.access(index);
        if !self.is_bool() {
            return Condition::compare(comparison, Term::Read(access), term);
        }
        let connective = match comparison {
            Comparison::Equal => Connective::Iff,
            Comparison::Unequal => Connective::Xor,
            _ => Connective::Or,
        };
        Condition::join(connective, Condition::Is(access), condition)
    }

    /// `self = other`, element by element.
    fn equals(&self, other: &Readable) -> Condition {
        self.for_elements(|index| self.equals_at(other, index))
    }

    fn equals_at(&self, other: &Readable, index: Option<Term>) -> Condition {
        let access = other.access(index.clone());
        self.relate(index, Comparison::Equal, Term::Read(access.clone()), Condition::Is(access))
    }

    /// What `of` says, for an array of all its elements.
    fn for_elements(&self, of: impl FnOnce(Option<Term>) -> Condition) -> Condition {
        match self.variable.range {
            None => of(None),
            Some((low, high)) => {
                let range = Range { low: low as u64, high: high as u64 };
                Condition::Quantified(Quantifier::All, range, Box::new(of(Some(Term::Bound(0)))))
            }
        }
    }
}

struct Settler<'s> {
    system: &'s System,
}

impl<'s> Settler<'s> {
    fn readable(&self, places: &[Place]) -> Vec<Readable<'s>> {
        let mut readable = Vec::new();
        for Place { scope, time, symbol } in places {
            let variables = match scope {
                Scope::Global => &self.system.globals,
                Scope::Local => self.system.locals(*symbol),
            };
            for (place, variable) in variables.iter().enumerate() {
                readable.push(Readable { scope: *scope, time: *time, id: VariableId(place), variable });
            }
        }
        readable
    }

    fn rule(&self, place: usize, sketch: RuleSketch) -> Rule {
        let System { states, symbols, .. } = self.system;
        // Every symbol gets a rule if there are enough: most runs should go on.
        let symbol = SymbolId(if place < *symbols { place } else { sketch.symbol % symbols });
        let push: Vec<SymbolId> = sketch.push.iter().map(|number| SymbolId(number % symbols)).collect();
        let global = |time| Place { scope: Scope::Global, time, symbol };
        let local = |time, symbol| Place { scope: Scope::Local, time, symbol };
        let now = vec![global(Time::Now), local(Time::Now, symbol)];
        let mut next = vec![global(Time::Next)];
        next.extend(push.first().map(|symbol| local(Time::Next, *symbol)));
        next.extend(push.get(1).map(|symbol| local(Time::Saved, *symbol)));
        let all = [&now[..], &next].concat();
        let mut conjuncts = Vec::new();
        conjuncts.extend(sketch.guard.map(|guard| self.settled(guard, &now)));
        for (variable, wish) in self.readable(&next).into_iter().zip(sketch.wishes.iter().cycle()) {
            conjuncts.extend(self.fulfil(wish, variable, &now, &all));
        }
        conjuncts.extend(sketch.constraint.map(|constraint| self.settled(constraint, &all)));
        let condition = conjuncts.into_iter().reduce(|all, one| Condition::join(Connective::And, all, one));
        let condition = condition.filter(|_| !sketch.is_bare);
        Rule { state: StateId(sketch.state % states), symbol, next: StateId(sketch.next % states), push, condition }
    }

    /// What a wish says about a variable after the rule.
    fn fulfil(&self, wish: &Wish, variable: Readable, now: &[Place], all: &[Place]) -> Option<Condition> {
        match wish {
            Wish::Open => None,
            Wish::Keep => {
                // Itself if it is there already, else the first like it.
                let like = |other: &&Readable| {
                    other.variable.kind == variable.variable.kind && other.variable.range == variable.variable.range
                };
                let before = self.readable(now);
                let same =
                    before.iter().find(|other| other.scope == variable.scope && other.variable == variable.variable);
                same.or_else(|| before.iter().find(like)).map(|before| variable.equals(before))
            }
            Wish::Assign(term, condition) => {
                let mut term = term.clone();
                settle_term(&mut term, &self.readable(now), 0);
                Some(self.store(variable, term, self.settled(condition.clone(), now), now))
            }
            Wish::Constrain(comparison, term, condition) => {
                let (mut term, mut condition) = (term.clone(), condition.clone());
                // An array is constrained element by element, below a quantifier.
                let levels = usize::from(variable.variable.range.is_some());
                settle_term(&mut term, &self.readable(all), levels);
                settle_condition(&mut condition, &self.readable(all), levels);
                Some(variable.for_elements(|index| variable.relate(index, *comparison, term, condition)))
            }
        }
    }

    /// `variable = term`; for an array, of one of its elements, while the others keep their values.
    fn store(&self, variable: Readable, term: Term, condition: Condition, now: &[Place]) -> Condition {
        let Some((first, _)) = variable.variable.range else {
            return variable.relate(None, Comparison::Equal, term, condition);
        };
        let before = self.readable(now);
        let pointer = before.iter().find(|other| !other.is_bool() && other.variable.range.is_none());
        let index = pointer.map_or(Term::Number(first as u64), |pointer| Term::Read(pointer.access(None)));
        let stored = variable.relate(Some(index.clone()), Comparison::Equal, term, condition);
        let Some(old) = before.iter().find(|other| other.variable == variable.variable) else { return stored };
        let others = variable.for_elements(|element| {
            let element = element.expect("an array has elements");
            let is_stored = Condition::compare(Comparison::Equal, element.clone(), index);
            Condition::join(Connective::Or, is_stored, variable.equals_at(old, Some(element)))
        });
        Condition::join(Connective::And, others, stored)
    }

    fn settled(&self, mut condition: Condition, places: &[Place]) -> Condition {
        settle_condition(&mut condition, &self.readable(places), 0);
        condition
    }
}

/// `levels` is how many quantifiers there are around it.
fn settle_condition(condition: &mut Condition, readable: &[Readable], levels: usize) {
    match condition {
        Condition::Is(access) => {
            let number = access.variable.0;
            if !settle_access(access, readable, levels, |variable| variable.is_bool()) {
                // Nothing to read: a comparison of numbers, now and then true.
                let [left, right] = [number % 2, 1].map(|number| Term::Number(number as u64));
                *condition = Condition::compare(Comparison::Equal, left, right);
            }
        }
        Condition::Compare(_, terms) => terms.iter_mut().for_each(|term| settle_term(term, readable, levels)),
        Condition::Not(operand) => settle_condition(operand, readable, levels),
        Condition::Join(_, operands) => {
            operands.iter_mut().for_each(|operand| settle_condition(operand, readable, levels));
        }
        Condition::Quantified(_, _, body) => settle_condition(body, readable, levels + 1),
    }
}

fn settle_term(term: &mut Term, readable: &[Readable], levels: usize) {
    match term {
        Term::Number(_) => {}
        Term::Bound(level) if *level < levels => {}
        Term::Bound(level) => *term = Term::Number(*level as u64),
        Term::Read(access) => {
            let number = access.variable.0;
            if !settle_access(access, readable, levels, |variable| !variable.is_bool()) {
                *term = Term::Number(number as u64 % 4);
            }
        }
        Term::Join(operator, operands) => {
            // A shift by a large number is a number too large.
            let is_shift = matches!(operator, Arithmetic::ShiftLeft | Arithmetic::ShiftRight);
            if is_shift && matches!(operands[1], Term::Join(..)) {
                *operator = Arithmetic::Add;
            }
            operands.iter_mut().for_each(|operand| settle_term(operand, readable, levels));
        }
    }
}

/// Makes it the access of a variable that `is_fit`, if there is one.
fn settle_access(
    access: &mut Access,
    readable: &[Readable],
    levels: usize,
    is_fit: impl Fn(&Readable) -> bool,
) -> bool {
    let fit: Vec<&Readable> = readable.iter().filter(|variable| is_fit(variable)).collect();
    if fit.is_empty() {
        return false;
    }
    let found = fit[access.variable.0 % fit.len()];
    let index = found.variable.range.map(|(first, _)| {
        let mut index = access.index.take().map_or(Term::Number(first as u64), |index| *index);
        settle_term(&mut index, readable, levels);
        index
    });
    *access = found.access(index);
    true
}
