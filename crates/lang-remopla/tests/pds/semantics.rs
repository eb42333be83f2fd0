//! Lowered rules against their definition: from random states, the same successors.

use crate::model::{DECLARATIONS, Formula, GLOBALS, Maker, Random, SHAPES, Shape, States, Values, all_values, locals};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, NodeId, ProcId, Program, Relation, Scope, Transition, Value, VarId,
};
use hardbop_lang_remopla::pds;
use std::cell::RefCell;

type State = IndexVec<VarId, Option<bool>>;

/// What follows a configuration: globals, locals of the top symbol, locals of the symbol below.
type Successor = (Values, Values, Values);

#[test]
fn lowered_rules_have_the_successors_of_their_definition() {
    let mut counts = Counts::default();
    for seed in 0..600 {
        check(seed, &mut counts);
    }
    // All forms of calls and labels occur, and most rules can be followed somewhere.
    assert!(counts.silent > 100 && counts.whole > 15 && counts.constrained > 50, "{counts:?}");
    assert!(counts.followed > 150 && counts.functional > 20, "{counts:?}");
}

#[derive(Default, Debug)]
struct Counts {
    silent: usize,
    whole: usize,
    constrained: usize,
    functional: usize,
    followed: usize,
}

fn check(seed: u64, counts: &mut Counts) {
    let random = &mut Random::new(seed);
    let shape = *random.pick(SHAPES);
    let states = *random.pick(&[("p", "p"), ("p", "q")]);
    let relation = Maker { random, shape }.relation();
    let text = format!(
        "{DECLARATIONS}(p <a>)\n{} <a> --> {} <{}> ({relation})\nq <b> --> q <a>\n",
        states.0,
        states.1,
        shape.right.join(" ")
    );
    let (ast, found) = pds::parse(&text, 0);
    assert!(found.is_empty(), "{found:?}\n{text}");
    let program = pds::lower(&ast).unwrap_or_else(|found| panic!("{found:?}\n{text}")).program;
    let memory = Memory { round: 0, values: vec![(0, false); program.exprs.len()] };
    let machine = Machine { program: &program, shape, states, memory: RefCell::new(memory) };
    machine.count(counts);
    let all = all_values(GLOBALS);
    let all_left = all_values(locals(shape.left));
    for _ in 0..2 {
        let (globals, left) = (random.pick(&all).clone(), random.pick(&all_left).clone());
        let expected = expected(&relation, shape, &globals, &left);
        counts.followed += usize::from(!expected.is_empty());
        let found = machine.successors(&globals, &left);
        if found != expected {
            let only = |some: &[Successor], others: &[Successor]| {
                some.iter().filter(|it| !others.contains(it)).take(3).cloned().collect::<Vec<_>>()
            };
            let (missing, extra) = (only(&expected, &found), only(&found, &expected));
            panic!("seed {seed}\n{text}\nfrom {globals:?} {left:?}\nmissing {missing:?}\nextra {extra:?}");
        }
    }
}

/// By trying all states after the rule.
fn expected(relation: &Formula, shape: Shape, globals: &Values, left: &Values) -> Vec<Successor> {
    let mut result = Vec::new();
    for (next, first, second) in candidates(shape) {
        let states = States { globals: [globals, &next], locals: [left, &first, &second] };
        if relation.is_true(&states, &mut Vec::new()) {
            result.push((next, first, second));
        }
    }
    result
}

fn candidates(shape: Shape) -> Vec<Successor> {
    let of = |place: usize| all_values(shape.right.get(place).map_or(&[], |symbol| locals(symbol)));
    let (firsts, seconds) = (of(0), of(1));
    let mut result = Vec::new();
    for globals in all_values(GLOBALS) {
        for first in &firsts {
            for second in &seconds {
                result.push((globals.clone(), first.clone(), second.clone()));
            }
        }
    }
    result
}

/// The lowered rule.
struct Machine<'a> {
    program: &'a Program<Relation>,
    shape: Shape,
    states: (&'static str, &'static str),
    memory: RefCell<Memory>,
}

impl Machine<'_> {
    fn count(&self, counts: &mut Counts) {
        let edge = self.rule();
        let label = &self.program.labels[edge];
        let (transition, is_whole) = match label {
            Relation::Step(step) => (step, false),
            Relation::Call { enter, .. } => (enter, true),
            Relation::Return => panic!("a rule is no return"),
        };
        counts.whole += usize::from(is_whole);
        counts.silent += usize::from(!is_whole && self.shape.right.len() == 2);
        counts.constrained += usize::from(transition.constraint.is_some());
        let is_conditional = |update: &hardbop_icfg::Update| match update.value {
            Value::Of(value) => matches!(self.program.exprs.get(value), Expr::Ite(..)),
            Value::Any => false,
        };
        counts.functional += usize::from(transition.updates.iter().any(is_conditional));
    }

    /// The edge of the rule: the first that leaves the entry.
    fn rule(&self) -> EdgeId {
        self.program.icfg.successors(self.entry())[0]
    }

    fn entry(&self) -> NodeId {
        self.program.icfg.procs[self.program.entry].entry
    }

    fn successors(&self, globals: &Values, left: &Values) -> Vec<Successor> {
        let edge = self.rule();
        // What belongs to no symbol here has some value, which no rule can see.
        let mut now = IndexVec::from_elem(Some(false), self.program.vars.len());
        self.set_state(&mut now, if self.program.data[0].bits.is_empty() { None } else { Some(self.states.0) });
        self.set(&mut now, None, globals);
        self.set(&mut now, Some(self.program.entry), left);
        let kind = self.program.icfg.edges[edge].kind;
        let all = candidates(self.shape).into_iter();
        match (&self.program.labels[edge], kind) {
            (Relation::Call { .. }, _) => all.filter(|next| self.calls(edge, &now, next, &next.0)).collect(),
            (Relation::Step(step), EdgeKind::Step { to }) if self.shape.right.len() == 2 => {
                all.filter(|next| self.steps_and_calls(step, to, &now, next)).collect()
            }
            (Relation::Step(step), _) => all.filter(|next| self.steps(step, &now, next)).collect(),
            _ => panic!("a rule is no return"),
        }
    }

    fn steps(&self, step: &Transition, now: &State, (globals, first, _): &Successor) -> bool {
        let mut next = now.clone();
        self.set_state(&mut next, self.state_after());
        self.set(&mut next, None, globals);
        self.set(&mut next, Some(self.program.entry), first);
        self.follows(step, now, &next, &self.blank(), &|_| true)
    }

    /// A step to a node in between, with some values of the copies, and the call from there.
    fn steps_and_calls(&self, step: &Transition, to: NodeId, now: &State, successor: &Successor) -> bool {
        assert!(self.program.marks.silent.contains(&to), "the second half of a rule is no place");
        let [call] = self.program.icfg.successors(to) else { panic!("a rule goes on in one way") };
        let mut next = now.clone();
        self.set_state(&mut next, self.state_after());
        self.set(&mut next, None, &successor.0);
        let copies = self.program.vars.iter_enumerated().filter(|(_, var)| {
            var.scope == Scope::Local(self.program.entry)
                && ["P.", "R.", "a.", "b.", "e."].iter().any(|it| var.name.starts_with(it))
        });
        let copies: Vec<VarId> = copies.map(|(id, _)| id).collect();
        // What is saved is either stored by the step or computed on the way back.
        [None, Some(&successor.2)].into_iter().any(|saved| {
            (0..1_u64 << copies.len()).any(|number| {
                let mut middle = next.clone();
                self.set(&mut middle, Some(self.program.entry), saved.unwrap_or(&Vec::new()));
                for (place, &copy) in copies.iter().enumerate() {
                    middle[copy] = Some(number >> place & 1 == 1);
                }
                self.follows(step, now, &middle, &self.blank(), &|_| true)
                    && self.calls(*call, &middle, successor, &successor.0)
            })
        })
    }

    fn calls(&self, edge: EdgeId, now: &State, (_, first, second): &Successor, globals: &Values) -> bool {
        let (Relation::Call { enter, leave }, EdgeKind::Call { callee, .. }) =
            (&self.program.labels[edge], self.program.icfg.edges[edge].kind)
        else {
            panic!("the second half of a rule is a call")
        };
        let mut entry = now.clone();
        self.set_state(&mut entry, self.state_after());
        self.set(&mut entry, None, globals);
        self.set(&mut entry, Some(callee), first);
        // A call keeps globals, and says nothing of what is no parameter.
        let keeps = |var: VarId| self.program.vars[var].scope == Scope::Global;
        if !self.follows(enter, now, &entry, &self.blank(), &keeps) {
            return false;
        }
        let parameters = |var: VarId| matches!(self.program.vars[var].scope, Scope::Parameter(proc) if proc == callee);
        assert!(enter.updates.iter().all(|update| parameters(update.target)));
        let mut after = now.clone();
        self.set(&mut after, Some(self.program.entry), second);
        let is_local = |var: VarId| self.program.vars[var].scope != Scope::Global;
        self.follows(leave, &self.blank(), &after, now, &is_local)
    }

    /// Whether `transition` leads from one state to the other; what it does not mention stays where `keeps` says so.
    fn follows(
        &self,
        transition: &Transition,
        now: &State,
        next: &State,
        saved: &State,
        keeps: &dyn Fn(VarId) -> bool,
    ) -> bool {
        let memory = &mut *self.memory.borrow_mut();
        memory.round += 1;
        let mut evaluation = Evaluation { program: self.program, now, next, saved, memory };
        let before = if saved.iter().any(Option::is_some) { saved } else { now };
        transition.guard.is_none_or(|guard| evaluation.value(guard))
            && self.program.vars.ids().all(|var| {
                let update = self.updates(transition, var);
                match update {
                    Some(Value::Of(value)) => next[var] == Some(evaluation.value(value)),
                    Some(Value::Any) => true,
                    None => !keeps(var) || next[var] == before[var],
                }
            })
            && transition.constraint.is_none_or(|constraint| evaluation.value(constraint))
    }

    /// Updates are sorted.
    fn updates(&self, transition: &Transition, var: VarId) -> Option<Value> {
        let place = transition.updates.binary_search_by_key(&var, |update| update.target);
        place.ok().map(|place| transition.updates[place].value)
    }

    fn blank(&self) -> State {
        IndexVec::from_elem(None, self.program.vars.len())
    }

    fn state_after(&self) -> Option<&str> {
        (!self.program.data[0].bits.is_empty()).then_some(self.states.1)
    }

    fn set_state(&self, state: &mut State, name: Option<&str>) {
        let datum = &self.program.data[0];
        let hardbop_icfg::Type::Enum(names) = &datum.kind else { panic!("the first datum is the control state") };
        let Some(number) = name.and_then(|name| names.iter().position(|it| it == name)) else { return };
        for (place, &bit) in datum.bits.iter().enumerate() {
            state[bit] = Some(number >> place & 1 == 1);
        }
    }

    /// Gives variables of `proc`, or globals, their values.
    fn set(&self, state: &mut State, proc: Option<ProcId>, values: &Values) {
        for (name, elements) in values {
            let data = self.program.data[1..].iter().filter(|datum| {
                let owner = match self.program.vars[datum.bits[0]].scope {
                    Scope::Global => None,
                    Scope::Local(proc) | Scope::Parameter(proc) | Scope::Result(proc) => Some(proc),
                };
                owner == proc && (datum.name == *name || datum.name.starts_with(&format!("{name}[")))
            });
            let data: Vec<_> = data.collect();
            assert_eq!(data.len(), elements.len(), "`{name}` has all its elements");
            for (datum, value) in data.iter().zip(elements) {
                for (place, &bit) in datum.bits.iter().enumerate() {
                    state[bit] = Some(value >> place & 1 == 1);
                }
            }
        }
    }
}

/// Values of expressions in three states, each computed once.
struct Evaluation<'a> {
    program: &'a Program<Relation>,
    now: &'a State,
    next: &'a State,
    saved: &'a State,
    memory: &'a mut Memory,
}

/// Values by expression, with the number of the evaluation that they belong to.
#[derive(Default)]
struct Memory {
    round: u32,
    values: Vec<(u32, bool)>,
}

impl Evaluation<'_> {
    fn value(&mut self, id: ExprId) -> bool {
        let (round, known) = self.memory.values[id.index()];
        if round == self.memory.round {
            return known;
        }
        let value = match self.program.exprs.get(id) {
            Expr::Const(value) => value,
            Expr::Var(var) => self.now[var].expect("a variable that is read has a value"),
            Expr::Next(var) => self.next[var].expect("a variable that is read has a next value"),
            Expr::Saved(var) => self.saved[var].expect("a variable that is read was saved"),
            Expr::Choice(_) => panic!("rules make no choices"),
            Expr::Not(a) => !self.value(a),
            Expr::And(a, b) => self.value(a) && self.value(b),
            Expr::Or(a, b) => self.value(a) || self.value(b),
            Expr::Xor(a, b) => self.value(a) != self.value(b),
            Expr::Iff(a, b) => self.value(a) == self.value(b),
            Expr::Implies(a, b) => !self.value(a) || self.value(b),
            Expr::Ite(a, b, c) => {
                if self.value(a) {
                    self.value(b)
                } else {
                    self.value(c)
                }
            }
        };
        self.memory.values[id.index()] = (self.memory.round, value);
        value
    }
}
