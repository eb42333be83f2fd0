//! What a symbolic system means: the explicit system of all values [ES01, §2.1], and the answers about it.
//!
//! A control state is one with values of the globals, a stack symbol one with values of its locals.

use rustc_hash::FxHashSet;

use crate::ltl::{Formula, Letter};
use crate::pds::{
    Access, Arithmetic, Condition, Connective, Proposition, Quantifier, Range, Rule, Scope, StateId, SymbolId, System,
    Term, Time, Variable, VariableId,
};
use crate::pushdown::automaton::reachable_heads;
use crate::pushdown::{Head, Label, Unfolded, repeating, unfold};

/// Values of a list of variables, element by element.
pub type Values = Vec<u64>;

/// A control state with the values of the globals.
pub type ExplicitState = (StateId, Values);

/// A stack symbol with the values of its locals.
pub type ExplicitSymbol = (SymbolId, Values);

/// Whether `formula`, over `propositions`, holds on all infinite runs.
pub fn holds(system: &System, formula: &Formula, propositions: &[Proposition]) -> bool {
    repeating::holds(&expand(system, propositions).pds, formula)
}

/// Whether a configuration with `symbol` on top can be reached, in `state` or without in any.
pub fn is_reachable(system: &System, symbol: SymbolId, state: Option<StateId>) -> bool {
    let heads = heads(system);
    heads.into_iter().any(|(place, (top, _))| top == symbol && state.is_none_or(|state| place.0 == state))
}

/// The heads of the configurations that can be reached.
pub fn heads(system: &System) -> Vec<(ExplicitState, ExplicitSymbol)> {
    let Unfolded { pds, states, symbols } = expand(system, &[]);
    let heads = reachable_heads(&pds).into_iter();
    heads.map(|Head { state, symbol }| (states[state.0].clone(), symbols[symbol.0].clone())).collect()
}

/// How many reachable heads have no rule that applies: runs are blocked there.
pub fn blocked_heads(system: &System) -> usize {
    let Unfolded { pds, .. } = expand(system, &[]);
    let live: FxHashSet<Head> = pds.rules.iter().map(|rule| rule.from).collect();
    reachable_heads(&pds).iter().filter(|head| !live.contains(head)).count()
}

/// The explicit system, as far as it may be reached; its letters say which of `propositions` are true.
pub fn expand(system: &System, propositions: &[Proposition]) -> Unfolded<ExplicitState, ExplicitSymbol> {
    let machine = Machine::new(system);
    let start = &system.initial;
    let satisfies = |condition: &Option<Condition>, globals: &Values, locals: &Values| {
        let push = [];
        let values = Environment { system, symbol: start.symbol, push: &push, globals, locals, next: None };
        condition.as_ref().is_none_or(|condition| values.satisfies(condition))
    };
    let none = Vec::new();
    let mut initial = Vec::new();
    for globals in machine.globals.iter().filter(|globals| satisfies(&start.globals, globals, &none)) {
        let locals = machine.locals[start.symbol.0].iter();
        for locals in locals.filter(|locals| satisfies(&start.locals, globals, locals)) {
            initial.push(((start.state, globals.clone()), vec![(start.symbol, locals.clone())]));
        }
    }
    let label = |(_, globals): &ExplicitState, (symbol, _): &ExplicitSymbol| {
        Label::Letter(Letter::of(propositions.iter().map(|one| is_true(system, *one, *symbol, globals))))
    };
    unfold(initial, |state, symbol| machine.rules(state, symbol), label)
}

fn is_true(system: &System, proposition: Proposition, symbol: SymbolId, globals: &Values) -> bool {
    let value = |variable, index| {
        element(&system.globals, globals, variable, index).expect("propositions are about elements that are there")
    };
    match proposition {
        Proposition::Top(top) => top == symbol,
        Proposition::Is(variable, index) => value(variable, index) == 1,
        Proposition::Compare(variable, index, comparison, number) => comparison.holds(value(variable, index), number),
    }
}

/// The value of a variable, or of its element `index`, unless it has no such element.
fn element(variables: &[Variable], values: &Values, variable: VariableId, index: Option<usize>) -> Option<u64> {
    let before: usize = variables[..variable.0].iter().map(Variable::elements).sum();
    let place = match (variables[variable.0].range, index) {
        (None, None) => 0,
        (Some((low, high)), Some(index)) if (low..=high).contains(&index) => index - low,
        _ => return None,
    };
    Some(values[before + place])
}

/// A system with all values of its variables.
struct Machine<'s> {
    system: &'s System,
    globals: Vec<Values>,
    /// By symbol.
    locals: Vec<Vec<Values>>,
}

impl<'s> Machine<'s> {
    fn new(system: &'s System) -> Self {
        let locals = (0..system.symbols).map(|symbol| all_values(system.locals(SymbolId(symbol)))).collect();
        Machine { system, globals: all_values(&system.globals), locals }
    }

    /// The explicit rules of a head.
    fn rules(
        &self,
        (state, globals): &ExplicitState,
        (symbol, locals): &ExplicitSymbol,
    ) -> Vec<(ExplicitState, Vec<ExplicitSymbol>)> {
        let rules = self.system.rules.iter().filter(|rule| rule.state == *state && rule.symbol == *symbol);
        let mut found = FxHashSet::default();
        let mut explicit = Vec::new();
        for rule in rules {
            for next in self.solutions(rule, globals, locals) {
                if found.insert(next.clone()) {
                    explicit.push(next);
                }
            }
        }
        explicit
    }

    /// The ways a rule can go: all values after it such that the condition holds.
    ///
    /// Conjuncts are looked at as soon as all they read is there, or nobody would wait for the answer.
    fn solutions(&self, rule: &Rule, globals: &Values, locals: &Values) -> Vec<(ExplicitState, Vec<ExplicitSymbol>)> {
        let mut conjuncts = Vec::new();
        rule.condition.iter().for_each(|condition| collect_conjuncts(condition, &mut conjuncts));
        let satisfies = |stage: Stage, next: Next| {
            let (system, symbol, push) = (self.system, rule.symbol, &rule.push[..]);
            let values = Environment { system, symbol, push, globals, locals, next: Some(next) };
            conjuncts.iter().filter(|conjunct| stage_of(conjunct) == stage).all(|conjunct| values.satisfies(conjunct))
        };
        let none = Vec::new();
        let no_locals = vec![Vec::new()];
        let locals_of = |place: usize| rule.push.get(place).map_or(&no_locals, |symbol| &self.locals[symbol.0]);
        let mut solutions = Vec::new();
        if !satisfies(Stage::Now, Next { globals: &none, top: &none, saved: &none }) {
            return solutions;
        }
        for globals in &self.globals {
            if !satisfies(Stage::Globals, Next { globals, top: &none, saved: &none }) {
                continue;
            }
            for top in locals_of(0) {
                if !satisfies(Stage::Top, Next { globals, top, saved: &none }) {
                    continue;
                }
                for saved in locals_of(1) {
                    if satisfies(Stage::Saved, Next { globals, top, saved }) {
                        let symbols = rule.push.iter().copied().zip([top.clone(), saved.clone()]);
                        solutions.push(((rule.next, globals.clone()), symbols.collect()));
                    }
                }
            }
        }
        solutions
    }
}

/// Every list of values that the variables can have.
fn all_values(variables: &[Variable]) -> Vec<Values> {
    let elements = variables.iter().flat_map(|variable| vec![variable.kind.values(); variable.elements()]);
    elements.fold(vec![Vec::new()], |lists, count| {
        lists.iter().flat_map(|list| (0..count).map(move |value| [&list[..], &[value]].concat())).collect()
    })
}

/// The last values that a condition reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Now,
    Globals,
    Top,
    Saved,
}

fn collect_conjuncts<'c>(condition: &'c Condition, conjuncts: &mut Vec<&'c Condition>) {
    match condition {
        Condition::Join(Connective::And, operands) => {
            operands.iter().for_each(|operand| collect_conjuncts(operand, conjuncts));
        }
        _ => conjuncts.push(condition),
    }
}

fn stage_of(condition: &Condition) -> Stage {
    match condition {
        Condition::Is(access) => stage_of_access(access),
        Condition::Compare(_, terms) => terms.iter().map(stage_of_term).max().unwrap_or(Stage::Now),
        Condition::Not(operand) | Condition::Quantified(_, _, operand) => stage_of(operand),
        Condition::Join(_, operands) => operands.iter().map(stage_of).max().unwrap_or(Stage::Now),
    }
}

fn stage_of_term(term: &Term) -> Stage {
    match term {
        Term::Number(_) | Term::Bound(_) => Stage::Now,
        Term::Read(access) => stage_of_access(access),
        Term::Join(_, operands) => operands.iter().map(stage_of_term).max().unwrap_or(Stage::Now),
    }
}

fn stage_of_access(access: &Access) -> Stage {
    let own = match (access.scope, access.time) {
        (_, Time::Now) => Stage::Now,
        (Scope::Global, _) => Stage::Globals,
        (Scope::Local, Time::Next) => Stage::Top,
        (Scope::Local, Time::Saved) => Stage::Saved,
    };
    access.index.as_ref().map_or(own, |index| own.max(stage_of_term(index)))
}

/// The values after a rule.
#[derive(Clone, Copy)]
struct Next<'v> {
    globals: &'v Values,
    top: &'v Values,
    saved: &'v Values,
}

/// All that a condition can read.
#[derive(Clone, Copy)]
struct Environment<'v> {
    system: &'v System,
    symbol: SymbolId,
    push: &'v [SymbolId],
    globals: &'v Values,
    locals: &'v Values,
    next: Option<Next<'v>>,
}

impl Environment<'_> {
    fn satisfies(&self, condition: &Condition) -> bool {
        self.truth(condition, &mut Vec::new())
    }

    /// Whether the condition is true, where `bound` are the values of the variables that quantifiers bind.
    fn truth(&self, condition: &Condition, bound: &mut Vec<u64>) -> bool {
        match condition {
            Condition::Is(access) => self.read(access, bound) == Some(1),
            Condition::Compare(comparison, terms) => match (self.value(&terms[0], bound), self.value(&terms[1], bound))
            {
                (Some(left), Some(right)) => comparison.holds(left, right),
                _ => false,
            },
            Condition::Not(operand) => !self.truth(operand, bound),
            Condition::Join(connective, operands) => {
                let [left, right] = [self.truth(&operands[0], bound), self.truth(&operands[1], bound)];
                match connective {
                    Connective::And => left && right,
                    Connective::Or => left || right,
                    Connective::Xor => left != right,
                    Connective::Iff => left == right,
                    Connective::Implies => !left || right,
                }
            }
            Condition::Quantified(quantifier, Range { low, high }, body) => {
                let mut of = |value| {
                    bound.push(value);
                    let truth = self.truth(body, bound);
                    bound.pop();
                    truth
                };
                match quantifier {
                    Quantifier::All => (*low..=*high).all(&mut of),
                    Quantifier::Exists => (*low..=*high).any(&mut of),
                }
            }
        }
    }

    /// The value of a term, if it has one.
    fn value(&self, term: &Term, bound: &[u64]) -> Option<u64> {
        match term {
            Term::Number(number) => Some(*number),
            Term::Read(access) => self.read(access, bound),
            Term::Bound(level) => Some(bound[*level]),
            Term::Join(operator, operands) => {
                let [left, right] = [self.value(&operands[0], bound)?, self.value(&operands[1], bound)?];
                match operator {
                    Arithmetic::Add => Some(left + right),
                    Arithmetic::Subtract => left.checked_sub(right),
                    Arithmetic::Multiply => Some(left * right),
                    Arithmetic::Divide => left.checked_div(right),
                    Arithmetic::ShiftLeft => Some(left * power(right)),
                    Arithmetic::ShiftRight => Some(left / power(right)),
                }
            }
        }
    }

    fn read(&self, access: &Access, bound: &[u64]) -> Option<u64> {
        let next = || self.next.expect("only rules read what is next");
        let (variables, values) = match (access.scope, access.time) {
            (Scope::Global, Time::Now) => (&self.system.globals[..], self.globals),
            (Scope::Global, _) => (&self.system.globals[..], next().globals),
            (Scope::Local, Time::Now) => (self.system.locals(self.symbol), self.locals),
            (Scope::Local, Time::Next) => (self.system.locals(self.push[0]), next().top),
            (Scope::Local, Time::Saved) => (self.system.locals(self.push[1]), next().saved),
        };
        let index = match &access.index {
            None => None,
            Some(index) => Some(usize::try_from(self.value(index, bound)?).expect("a small number")),
        };
        element(variables, values, access.variable, index)
    }
}

/// `2^exponent`.
fn power(exponent: u64) -> u64 {
    let exponent = u32::try_from(exponent).expect("shifts are by variables and small numbers");
    1_u64.checked_shl(exponent).expect("shifts are by variables and small numbers")
}
