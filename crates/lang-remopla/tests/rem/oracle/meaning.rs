//! What a program means, computed with sets of states, statement by statement: no graph, no bits.

use super::model::{Assign, Branch, Dialect, Expr, Kind, Module, Place, Program, Source, Step, Stmt, Type, Value, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The values of the globals' scalars and of the module's own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    pub globals: Vec<u64>,
    pub own: Vec<u64>,
}

type States = BTreeSet<State>;

/// A module's label, and the states that reach it.
pub type Reached = BTreeSet<(&'static str, String, State)>;

/// All states at all labels.
pub fn reached(program: &Program) -> Reached {
    let mut meaning = Meaning { program, reached: BTreeSet::new() };
    let globals: Vec<_> = program.globals.iter().flat_map(|decl| decl.kind.scalars()).collect();
    let kinds = globals.into_iter().map(|(_, kind)| kind);
    for globals in all_values(kinds) {
        let own = own_scalars(&program.modules[0]).into_iter().map(|(_, kind)| kind);
        let starts = all_values(own).into_iter().map(|own| State { globals: globals.clone(), own }).collect();
        meaning.module(0, starts);
    }
    meaning.reached
}

pub fn own_scalars(module: &Module) -> Vec<(String, Type)> {
    let scalars = module.own.iter().flat_map(|decl| {
        let name = decl.name;
        decl.kind.scalars().into_iter().map(move |(path, kind)| (format!("{name}{path}"), kind))
    });
    scalars.collect()
}

pub fn all_values(kinds: impl Iterator<Item = Type>) -> Vec<Vec<u64>> {
    kinds.fold(vec![Vec::new()], |rows, kind| {
        let extended = rows.iter().flat_map(|row| {
            (0..kind.count()).map(move |value| {
                let mut row = row.clone();
                row.push(value);
                row
            })
        });
        extended.collect()
    })
}

/// Where states go behind a statement.
#[derive(Default)]
struct Outcome {
    normal: States,
    broken: States,
    /// With the scalars of the result, where there is one.
    returned: BTreeSet<(State, Option<Vec<u64>>)>,
    jumps: BTreeMap<String, States>,
}

impl Outcome {
    fn absorb(&mut self, other: Self) -> States {
        self.broken.extend(other.broken);
        self.returned.extend(other.returned);
        for (label, states) in other.jumps {
            self.jumps.entry(label).or_default().extend(states);
        }
        other.normal
    }
}

struct Meaning<'a> {
    program: &'a Program,
    reached: Reached,
}

/// One scalar, written to.
type Write = ((bool, usize), Vec<u64>);

impl Meaning<'_> {
    /// The states and results with which module `id` ends.
    fn module(&mut self, id: usize, starts: States) -> BTreeSet<(State, Option<Vec<u64>>)> {
        let module = &self.program.modules[id];
        let mut returned = BTreeSet::new();
        // Labels that jumps go to stand in the outermost block only.
        let mut waiting: Vec<(usize, States)> = vec![(0, starts)];
        let mut seen: Vec<States> = vec![States::new(); module.body.len() + 1];
        while let Some((from, states)) = waiting.pop() {
            let new: States = states.difference(&seen[from]).cloned().collect();
            if new.is_empty() {
                continue;
            }
            seen[from].extend(new.iter().cloned());
            let Some(stmt) = module.body.get(from) else {
                returned.extend(new.into_iter().map(|state| (state, None)));
                continue;
            };
            let mut outcome = self.stmt(id, stmt, new);
            waiting.push((from + 1, std::mem::take(&mut outcome.normal)));
            returned.extend(outcome.returned);
            for (label, states) in outcome.jumps {
                let to = module.body.iter().position(|stmt| stmt.label.as_ref() == Some(&label));
                waiting.push((to.expect("jumps go to labels of the outermost block"), states));
            }
        }
        returned
    }

    fn block(&mut self, id: usize, stmts: &[Stmt], mut states: States) -> Outcome {
        let mut outcome = Outcome::default();
        for stmt in stmts {
            let one = self.stmt(id, stmt, states);
            states = outcome.absorb(one);
        }
        outcome.normal = states;
        outcome
    }

    fn stmt(&mut self, id: usize, stmt: &Stmt, states: States) -> Outcome {
        self.record(id, stmt, &states);
        let mut outcome = Outcome::default();
        match &stmt.kind {
            Kind::Skip(test) => {
                outcome.normal = states;
                if let Some(test) = test {
                    outcome.normal.retain(|state| self.is_true(id, state, test));
                }
            }
            Kind::Assign(assigns) => {
                outcome.normal = states.iter().flat_map(|state| self.assign(id, state, assigns)).collect();
            }
            Kind::Call { target, callee, args, also } => {
                for state in &states {
                    outcome.normal.extend(self.call(id, state, target.as_ref(), (*callee, args), also));
                }
            }
            Kind::Return(value) => {
                for state in states {
                    let results = self.results(id, &state, value.as_ref());
                    outcome.returned.extend(results.into_iter().map(|result| (state.clone(), result)));
                }
            }
            Kind::Goto(label, also) => {
                let states = states.iter().flat_map(|state| self.assign(id, state, also)).collect();
                outcome.jumps.insert(label.clone(), states);
            }
            Kind::Break => outcome.broken = states,
            Kind::If(branches) => {
                for (branch, states) in self.choose(id, branches, &states) {
                    let one = self.block(id, &branch.body, states);
                    let normal = outcome.absorb(one);
                    outcome.normal.extend(normal);
                }
            }
            Kind::Do(branches) => self.repeat(id, stmt, branches, states, &mut outcome),
            Kind::Chance(bodies) => {
                for body in bodies {
                    let one = self.block(id, body, states.clone());
                    let normal = outcome.absorb(one);
                    outcome.normal.extend(normal);
                }
            }
            Kind::Fork(..) => {}
        }
        outcome
    }

    fn record(&mut self, id: usize, stmt: &Stmt, states: &States) {
        if let Some(label) = &stmt.label {
            let name = self.program.modules[id].name;
            self.reached.extend(states.iter().map(|state| (name, label.clone(), state.clone())));
        }
    }

    fn repeat(&mut self, id: usize, stmt: &Stmt, branches: &[Branch], states: States, outcome: &mut Outcome) {
        let is_while = self.program.dialect == Dialect::Leak && matches!(branches, [Branch { guard: Some(_), .. }]);
        let mut inside = Outcome::default();
        let (mut seen, mut new) = (States::new(), states);
        while !new.is_empty() {
            // Each round passes the label.
            self.record(id, stmt, &new);
            seen.extend(new.iter().cloned());
            let mut next = States::new();
            for (branch, states) in self.choose(id, branches, &new) {
                let one = self.block(id, &branch.body, states);
                next.extend(inside.absorb(one));
            }
            new = next.difference(&seen).cloned().collect();
        }
        outcome.normal = std::mem::take(&mut inside.broken);
        if let (true, Some(guard)) = (is_while, &branches[0].guard) {
            outcome.normal.extend(seen.into_iter().filter(|state| !self.is_true(id, state, guard)));
        }
        outcome.absorb(inside);
    }

    /// The branches, each with the states that can take it.
    fn choose<'b>(&self, id: usize, branches: &'b [Branch], states: &States) -> Vec<(&'b Branch, States)> {
        let is_taken =
            |state: &State, branch: &Branch| branch.guard.as_ref().is_some_and(|guard| self.is_true(id, state, guard));
        let chosen = branches.iter().map(|branch| {
            let takes = |state: &&State| match branch.guard {
                Some(_) => is_taken(state, branch),
                None => !branches.iter().any(|other| is_taken(state, other)),
            };
            (branch, states.iter().filter(takes).cloned().collect())
        });
        chosen.collect()
    }

    fn call(
        &mut self,
        id: usize,
        state: &State,
        target: Option<&Place>,
        (callee, args): (usize, &[Option<Value>]),
        also: &[Assign],
    ) -> States {
        let module = &self.program.modules[callee];
        let mut params: Vec<Vec<u64>> = vec![Vec::new()];
        for (arg, decl) in args.iter().zip(&module.own) {
            let values = self.passed(id, state, arg.as_ref(), &decl.kind);
            params = params
                .iter()
                .flat_map(|row| values.iter().map(move |value| [row.as_slice(), value].concat()))
                .collect();
        }
        let locals = module.own[module.params..].iter().flat_map(|decl| decl.kind.scalars()).map(|(_, kind)| kind);
        let locals = all_values(locals);
        let mut after = States::new();
        for before in self.assign(id, state, also) {
            let starts = params.iter().flat_map(|params| {
                let globals = &before.globals;
                locals.iter().map(move |locals| State { globals: globals.clone(), own: [&params[..], locals].concat() })
            });
            for (end, result) in self.module(callee, starts.collect()) {
                let back = State { globals: end.globals, own: before.own.clone() };
                match target {
                    None => {
                        after.insert(back);
                    }
                    Some(target) => after.extend(self.take(id, &back, target, callee, result)),
                }
            }
        }
        after
    }

    /// Assigns a result to `target`.
    fn take(&self, id: usize, state: &State, target: &Place, callee: usize, result: Option<Vec<u64>>) -> States {
        let kind = self.program.modules[callee].result.clone().expect("only results are taken");
        let results = match result {
            Some(result) => vec![result],
            None => all_values(kind.scalars().into_iter().map(|(_, kind)| kind)),
        };
        let mut after = States::new();
        for result in results {
            let Some((first, kind)) = self.place(id, state, None, target) else { continue };
            let fits = kind.scalars().iter().zip(&result).all(|((_, kind), value)| *value < kind.count());
            if fits {
                let writes = result.iter().enumerate().map(|(row, &value)| ((first.0, first.1 + row), vec![value]));
                after.extend(write(state, &writes.collect::<Vec<_>>()));
            }
        }
        after
    }

    fn results(&self, id: usize, state: &State, value: Option<&Option<Value>>) -> Vec<Option<Vec<u64>>> {
        let (Some(value), Some(kind)) = (value, &self.program.modules[id].result) else { return vec![None] };
        self.passed(id, state, value.as_ref(), kind).into_iter().map(Some).collect()
    }

    /// The values that can be passed for something of type `kind`; `undef` where there is no value.
    fn passed(&self, id: usize, state: &State, value: Option<&Value>, kind: &Type) -> Vec<Vec<u64>> {
        let kinds: Vec<Type> = kind.scalars().into_iter().map(|(_, kind)| kind).collect();
        let Some(value) = value else { return all_values(kinds.into_iter()) };
        let values = self.value(id, state, None, value);
        let fits = |values: &Vec<u64>| values.iter().zip(&kinds).all(|(value, kind)| *value < kind.count());
        values.filter(fits).into_iter().collect()
    }

    fn value(&self, id: usize, state: &State, bound: Option<u64>, value: &Value) -> Option<Vec<u64>> {
        match value {
            Value::Scalar(expr) => {
                // What has more than 64 bits fits nowhere.
                let value = self.eval(id, state, bound, expr)?;
                Some(vec![u64::try_from(value).unwrap_or(u64::MAX)])
            }
            Value::Whole(place) => {
                let ((is_global, first), kind) = self.place(id, state, bound, place)?;
                let values = if is_global { &state.globals } else { &state.own };
                Some(values[first..first + kind.scalars().len()].to_vec())
            }
        }
    }

    fn assign(&self, id: usize, state: &State, assigns: &[Assign]) -> States {
        let mut writes: Vec<Write> = Vec::new();
        for assign in assigns {
            let bounds: Vec<Option<u64>> = match assign.quantifier {
                Some((low, high)) => (low..=high).map(Some).collect(),
                None => vec![None],
            };
            for bound in bounds {
                if self.add_writes(id, state, bound, assign, &mut writes).is_none() {
                    return States::new();
                }
            }
        }
        write(state, &writes)
    }

    fn add_writes(
        &self,
        id: usize,
        state: &State,
        bound: Option<u64>,
        assign: &Assign,
        writes: &mut Vec<Write>,
    ) -> Option<()> {
        let ((is_global, first), kind) = self.place(id, state, bound, &assign.target)?;
        let kinds = kind.scalars();
        let values: Vec<Vec<u64>> = match &assign.source {
            Source::Undef => kinds.iter().map(|(_, kind)| (0..kind.count()).collect()).collect(),
            Source::AnyBut(expr) => {
                let value = self.eval(id, state, bound, expr)?;
                vec![(0..kind.count()).filter(|&other| u128::from(other) != value).collect()]
            }
            Source::Of(value) => {
                let values = self.value(id, state, bound, value)?;
                let fits = values.iter().zip(&kinds).all(|(value, (_, kind))| *value < kind.count());
                fits.then(|| values.into_iter().map(|value| vec![value]).collect())?
            }
        };
        writes.extend(values.into_iter().enumerate().map(|(row, values)| ((is_global, first + row), values)));
        Some(())
    }

    /// Whether it is among the globals, its first scalar, and its type.
    fn place(&self, id: usize, state: &State, bound: Option<u64>, place: &Place) -> Option<((bool, usize), Type)> {
        let (is_global, decls, index) = match place.var {
            Var::Global(index) => (true, &self.program.globals, index),
            Var::Local(index) => (false, &self.program.modules[id].own, index),
        };
        let mut first: usize = decls[..index].iter().map(|decl| decl.kind.scalars().len()).sum();
        let mut kind = decls[index].kind.clone();
        for step in &place.path {
            kind = match (step, kind) {
                (Step::Index(index), Type::Array(low, len, of)) => {
                    let index = self.eval(id, state, bound, index)?;
                    let row = index.checked_sub(u128::from(low)).filter(|&row| row < u128::from(len))?;
                    first += row as usize * of.scalars().len();
                    *of
                }
                (Step::Member(name), Type::Struct(_, members)) => {
                    let at = members.iter().position(|(member, _)| member == name).expect("a member that exists");
                    first += members[..at].iter().map(|(_, kind)| kind.scalars().len()).sum::<usize>();
                    members[at].1.clone()
                }
                _ => unreachable!("paths fit their types"),
            };
        }
        Some(((is_global, first), kind))
    }

    fn is_true(&self, id: usize, state: &State, test: &Expr) -> bool {
        self.eval(id, state, None, test) == Some(1)
    }

    fn eval(&self, id: usize, state: &State, bound: Option<u64>, expr: &Expr) -> Option<u128> {
        let sub = |expr: &Expr| self.eval(id, state, bound, expr);
        match expr {
            Expr::Bool(value) => Some(u128::from(*value)),
            Expr::Number(value) | Expr::Named(_, value) => Some(u128::from(*value)),
            Expr::Bound => Some(u128::from(bound.expect("the name is bound"))),
            Expr::Read(place) => {
                let ((is_global, first), _) = self.place(id, state, bound, place)?;
                let values = if is_global { &state.globals } else { &state.own };
                Some(u128::from(values[first]))
            }
            Expr::Not(operand) => Some(1 - sub(operand)?),
            Expr::Binary("&&", left, right) if sub(left)? == 1 => sub(right),
            Expr::Binary("&&", ..) => Some(0),
            Expr::Binary("||", left, right) if sub(left)? == 0 => sub(right),
            Expr::Binary("||", ..) => Some(1),
            Expr::Binary(op, left, right) => calculate(op, sub(left)?, sub(right)?),
            Expr::All(low, high, body) => {
                for value in *low..=*high {
                    if self.eval(id, state, Some(value), body)? == 0 {
                        return Some(0);
                    }
                }
                Some(1)
            }
            Expr::Some(low, high, body) => {
                for value in *low..=*high {
                    if self.eval(id, state, Some(value), body)? == 1 {
                        return Some(1);
                    }
                }
                Some(0)
            }
        }
    }
}

fn calculate(op: &str, a: u128, b: u128) -> Option<u128> {
    let is = |test: bool| Some(u128::from(test));
    match op {
        "^^" | "!=" => is(a != b),
        "<=>" | "==" => is(a == b),
        "<" => is(a < b),
        "<=" => is(a <= b),
        ">" => is(a > b),
        ">=" => is(a >= b),
        "+" => Some(a + b),
        "-" => a.checked_sub(b),
        "*" => Some(a * b),
        "/" => a.checked_div(b),
        "<<" => Some(a << b),
        ">>" => Some(a.checked_shr(u32::try_from(b).unwrap_or(u32::MAX)).unwrap_or(0)),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        _ => unreachable!("an operator that does not exist"),
    }
}

/// Every way to write: where a scalar is written to several times, each may win.
fn write(state: &State, writes: &[Write]) -> States {
    let mut values: BTreeMap<(bool, usize), BTreeSet<u64>> = BTreeMap::new();
    for (target, allowed) in writes {
        values.entry(*target).or_default().extend(allowed);
    }
    let mut states = States::from([state.clone()]);
    for ((is_global, scalar), values) in values {
        let written = states.iter().flat_map(|state| {
            values.iter().map(move |&value| {
                let mut state = state.clone();
                if is_global {
                    state.globals[scalar] = value;
                } else {
                    state.own[scalar] = value;
                }
                state
            })
        });
        states = written.collect();
    }
    states
}
