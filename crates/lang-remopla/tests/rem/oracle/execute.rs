//! Runs a lowered program in all ways, with explicit values for its bits.
//!
//! A bit that nobody has read yet stays open; reading it goes both ways.

use super::meaning::{Reached, State, own_scalars};
use super::model;
use hardbop_base::Idx;
use hardbop_icfg::{
    Datum, EdgeKind, Expr, ExprId, NodeId, ProcId, Program, Relation, Scope, Transition, Type, Value, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The values of all variables in scope; open where there is none.
type Bits = BTreeMap<VarId, bool>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Config {
    node: NodeId,
    bits: Bits,
    /// The calls that have not come back, each with its edge and the caller's locals.
    stack: Vec<(usize, Bits)>,
}

/// The bit that must be known before one can go on.
#[derive(Clone, Copy, Debug)]
enum Open {
    Now(VarId),
    Next(VarId),
    Saved(VarId),
}

/// All states at all labels.
pub fn reached(program: &Program<Relation>, source: &model::Program) -> Reached {
    let machine = Machine { program };
    let mut seen = BTreeSet::new();
    let mut waiting = machine.initial();
    let mut found = Reached::new();
    while let Some(config) = waiting.pop() {
        if !seen.insert(config.clone()) {
            continue;
        }
        for (label, _) in program.marks.labels.iter().filter(|&&(_, node)| node == config.node) {
            machine.record(label, &config, source, &mut found);
        }
        waiting.extend(machine.successors(&config));
    }
    found
}

struct Machine<'a> {
    program: &'a Program<Relation>,
}

/// What an expression can see.
#[derive(Clone, Copy)]
struct View<'a> {
    now: &'a Bits,
    next: &'a Bits,
    saved: &'a Bits,
}

impl Machine<'_> {
    fn initial(&self) -> Vec<Config> {
        let node = self.program.icfg.procs[self.program.entry].entry;
        let empty = Bits::new();
        let next = self.constrained(&self.program.initial, &empty, &empty, Bits::new());
        next.into_iter().map(|bits| Config { node, bits, stack: Vec::new() }).collect()
    }

    /// Every way to close `next` in which the constraint of `transition` is true.
    fn constrained(&self, transition: &Transition, now: &Bits, saved: &Bits, next: Bits) -> Vec<Bits> {
        assert_eq!(transition.choices, 0);
        let Some(constraint) = transition.constraint else { return vec![next] };
        match self.eval(constraint, View { now, next: &next, saved }) {
            Ok(true) => vec![next],
            Ok(false) => vec![],
            Err(Open::Next(var)) => {
                let ways = [false, true].into_iter().flat_map(|value| {
                    let mut next = next.clone();
                    next.insert(var, value);
                    self.constrained(transition, now, saved, next)
                });
                ways.collect()
            }
            Err(other) => unreachable!("{other:?} was closed before"),
        }
    }

    fn eval(&self, id: ExprId, view: View<'_>) -> Result<bool, Open> {
        let sub = |id| self.eval(id, view);
        Ok(match self.program.exprs.get(id) {
            Expr::Const(value) => value,
            Expr::Var(var) => *view.now.get(&var).ok_or(Open::Now(var))?,
            Expr::Next(var) => *view.next.get(&var).ok_or(Open::Next(var))?,
            Expr::Saved(var) => *view.saved.get(&var).ok_or(Open::Saved(var))?,
            Expr::Choice(_) => panic!("there are no choices"),
            Expr::Not(a) => !sub(a)?,
            Expr::And(a, b) => sub(a)? && sub(b)?,
            Expr::Or(a, b) => sub(a)? || sub(b)?,
            Expr::Xor(a, b) => sub(a)? ^ sub(b)?,
            Expr::Iff(a, b) => sub(a)? == sub(b)?,
            Expr::Implies(a, b) => !sub(a)? || sub(b)?,
            Expr::Ite(a, b, c) => {
                if sub(a)? {
                    sub(b)?
                } else {
                    sub(c)?
                }
            }
        })
    }

    fn successors(&self, config: &Config) -> Vec<Config> {
        let mut all = Vec::new();
        for &edge in self.program.icfg.successors(config.node) {
            match self.follow(config, edge.index()) {
                Ok(next) => all.extend(next),
                Err(Open::Now(var)) => all.extend([false, true].map(|value| {
                    let mut config = config.clone();
                    config.bits.insert(var, value);
                    config
                })),
                Err(Open::Saved(var)) => all.extend([false, true].map(|value| {
                    let mut config = config.clone();
                    config.stack.last_mut().expect("only a return saves").1.insert(var, value);
                    config
                })),
                Err(Open::Next(_)) => unreachable!("what comes next is closed where it is made"),
            }
        }
        all
    }

    fn follow(&self, config: &Config, edge: usize) -> Result<Vec<Config>, Open> {
        let edge = Idx::from_usize(edge);
        let nothing = Bits::new();
        let with = |node, bits: Vec<Bits>, stack: &[(usize, Bits)]| {
            bits.into_iter().map(|bits| Config { node, bits, stack: stack.to_vec() }).collect()
        };
        match (self.program.icfg.edges[edge].kind, &self.program.labels[edge]) {
            (EdgeKind::Step { to }, Relation::Step(step)) => {
                let next = self.apply(step, &config.bits, &nothing, config.bits.clone())?;
                Ok(with(to, next, &config.stack))
            }
            (EdgeKind::Call { callee, .. }, Relation::Call { enter, .. }) => {
                let (globals, locals) = self.split(&config.bits);
                let next = self.apply(enter, &config.bits, &nothing, globals)?;
                let mut stack = config.stack.clone();
                stack.push((edge.index(), locals));
                Ok(with(self.program.icfg.procs[callee].entry, next, &stack))
            }
            (EdgeKind::Return, Relation::Return) => {
                let Some(((call, saved), rest)) = config.stack.split_last() else { return Ok(vec![]) };
                let call = Idx::from_usize(*call);
                let (EdgeKind::Call { to, .. }, Relation::Call { leave, .. }) =
                    (self.program.icfg.edges[call].kind, &self.program.labels[call])
                else {
                    panic!("only calls are returned to")
                };
                let mut back = self.split(&config.bits).0;
                back.extend(saved.iter().map(|(&var, &value)| (var, value)));
                let next = self.apply(leave, &config.bits, saved, back)?;
                Ok(with(to, next, rest))
            }
            other => panic!("an edge and its label do not fit: {other:?}"),
        }
    }

    fn split(&self, bits: &Bits) -> (Bits, Bits) {
        bits.iter().partition(|&(&var, _)| self.program.is_global(var))
    }

    /// The states after `transition`, in which `kept` is what no update changes.
    fn apply(&self, transition: &Transition, now: &Bits, saved: &Bits, kept: Bits) -> Result<Vec<Bits>, Open> {
        let view = View { now, next: now, saved };
        if let Some(guard) = transition.guard
            && !self.eval(guard, view)?
        {
            return Ok(vec![]);
        }
        let mut next = kept;
        for update in &transition.updates {
            let is_second = transition.updates.iter().filter(|other| other.target == update.target).count() > 1;
            assert!(!is_second, "a variable is updated at most once");
            match update.value {
                Value::Of(value) => {
                    let value = self.eval(value, view)?;
                    next.insert(update.target, value);
                }
                Value::Any => {
                    next.remove(&update.target);
                }
            }
        }
        self.close_what_is_read(transition, now, saved)?;
        Ok(self.constrained(transition, now, saved, next))
    }

    /// Closes what the constraint reads of the state before, or of what stays as it was.
    fn close_what_is_read(&self, transition: &Transition, now: &Bits, saved: &Bits) -> Result<(), Open> {
        let Some(constraint) = transition.constraint else { return Ok(()) };
        let mut open = None;
        self.program.exprs.for_each_leaf(constraint, |leaf| match leaf {
            Expr::Var(var) if !now.contains_key(&var) => open = Some(Open::Now(var)),
            Expr::Saved(var) if !saved.contains_key(&var) => open = Some(Open::Saved(var)),
            _ => {}
        });
        open.map_or(Ok(()), Err)
    }

    /// Adds what is known at a label, with every way to close what is open.
    fn record(&self, label: &str, config: &Config, source: &model::Program, found: &mut Reached) {
        let proc = self.program.icfg.nodes[config.node].proc;
        let name = self.program.icfg.procs[proc].name.clone();
        let module = source.modules.iter().find(|module| module.name == name).expect("a module of the source");
        let globals = source.globals.iter().flat_map(|decl| {
            decl.kind.scalars().into_iter().map(move |(path, kind)| (format!("{}{path}", decl.name), kind))
        });
        let globals = globals.map(|(name, kind)| (self.datum(&name, None), kind));
        let own = own_scalars(module).into_iter().map(|(name, kind)| (self.datum(&name, Some(proc)), kind));
        let globals = self.values(config, globals.collect());
        let own = self.values(config, own.collect());
        for globals in &globals {
            for own in &own {
                let state = State { globals: globals.clone(), own: own.clone() };
                found.insert((module.name, label.to_owned(), state));
            }
        }
    }

    fn datum(&self, name: &str, proc: Option<ProcId>) -> &Datum {
        let is_it = |datum: &&Datum| {
            let scope = match self.program.vars[datum.bits[0]].scope {
                Scope::Global => None,
                Scope::Parameter(proc) | Scope::Local(proc) => Some(proc),
                Scope::Result(_) => return false,
            };
            datum.name == name && scope == proc
        };
        self.program.data.iter().find(is_it).expect("everything that is declared is a datum")
    }

    fn values(&self, config: &Config, data: Vec<(&Datum, model::Type)>) -> Vec<Vec<u64>> {
        let mut rows = vec![Vec::new()];
        for (datum, kind) in data {
            let values = (0..1_u64 << datum.bits.len()).filter(|value| {
                let agrees = |(bit, var): (usize, &VarId)| {
                    config.bits.get(var).is_none_or(|&known| known == (value >> bit & 1 == 1))
                };
                datum.bits.iter().enumerate().all(agrees)
            });
            let values: Vec<u64> = values.collect();
            let is_right = match (&datum.kind, &kind) {
                (Type::Bool, model::Type::Bool) | (Type::Number, model::Type::Int(_)) => true,
                (Type::Enum(members), model::Type::Enum(count)) => members.len() as u64 == *count,
                _ => false,
            };
            assert!(is_right, "{datum:?} and {kind:?}");
            assert!(values.iter().all(|&value| value < kind.count()), "{} has a value that it cannot have", datum.name);
            let extended = rows
                .iter()
                .flat_map(|row: &Vec<u64>| values.iter().map(move |&value| [row.as_slice(), &[value]].concat()));
            rows = extended.collect();
        }
        rows
    }
}
