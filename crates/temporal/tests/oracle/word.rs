//! The word of a run without end, followed with plain values: what a witness leaves open is false here.
//!
//! Rounds are made until one begins as an earlier one did; what a round does not rest on may differ in the first ones.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::proposition::Proposition;
use hardbop_icfg::{EdgeKind, Expr, ExprId, NodeId, Program, Relation, Transition, Value, VarId};
use hardbop_testkit::ltl::Letter;
use hardbop_testkit::ltl::word::Lasso as Word;
use hardbop_verdict::{Lasso, Move, Picks, Witness};

/// More rounds than there are states to begin one in.
const MOST_ROUNDS: usize = 5_000;

type Values = IndexVec<VarId, bool>;

/// The word that `lasso` is, or why it is none.
pub fn word(lasso: &Lasso<'_>, propositions: &[Proposition]) -> Result<Word, String> {
    let (program, copy) = (lasso.program, lasso.copy);
    let mut walk = Walk::new(program, lasso.stem, propositions, program.icfg.nodes.ids().collect());
    let mut values = walk.first()?;
    let entry = program.icfg.procs[program.entry].entry;
    let is_on_stack = walk.below(program.entry, &vec![false; propositions.len()]);
    let end = walk.follow(&lasso.stem.moves, entry, &mut values, is_on_stack)?;
    demand(end.node == lasso.head, "the stem leads elsewhere")?;
    let stem = walk.letters;
    let mut walk = Walk::new(copy, lasso.round, propositions, lasso.node_origin.clone());
    let (mut starts, mut begun) = (Vec::new(), Vec::new());
    let mut stack = end.is_on_stack;
    while !starts.contains(&(values.clone(), stack.clone())) {
        demand(starts.len() < MOST_ROUNDS, "no round begins as another")?;
        starts.push((values.clone(), stack.clone()));
        begun.push(walk.letters.len());
        let known = copy.scope(copy.entry).zip(&lasso.round.initial);
        for (var, value) in known {
            demand(value.is_none_or(|value| values[var] == value), "the round rests on another value")?;
        }
        let start = copy.icfg.procs[copy.entry].entry;
        demand(lasso.node_origin[start] == lasso.head, "the round starts elsewhere")?;
        let end = walk.follow(&lasso.round.moves, start, &mut values, stack)?;
        demand(lasso.node_origin[end.node] == lasso.head, "the round leads elsewhere")?;
        stack = end.is_on_stack;
    }
    let place = starts.iter().position(|start| *start == (values.clone(), stack.clone()));
    let back = begun[place.expect("a round begins as another")];
    let cycle = walk.letters.split_off(back);
    demand(!cycle.is_empty(), "the round takes no step")?;
    Ok(Word { stem: [stem, walk.letters].concat(), cycle })
}

fn demand(is_met: bool, problem: &str) -> Result<(), String> {
    if is_met { Ok(()) } else { Err(problem.to_owned()) }
}

/// Where a run is.
struct End {
    node: NodeId,
    /// Whether each proposition about the stack is true.
    is_on_stack: Vec<bool>,
}

struct Walk<'a> {
    program: &'a Program<Relation>,
    witness: &'a Witness,
    propositions: &'a [Proposition],
    origin: IndexVec<NodeId, NodeId>,
    letters: Vec<Letter>,
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a Program<Relation>,
        witness: &'a Witness,
        propositions: &'a [Proposition],
        origin: IndexVec<NodeId, NodeId>,
    ) -> Self {
        Self { program, witness, propositions, origin, letters: Vec::new() }
    }

    fn first(&self) -> Result<Values, String> {
        let mut values = IndexVec::from_elem(false, self.program.vars.len());
        for (var, value) in self.program.scope(self.program.entry).zip(&self.witness.initial) {
            values[var] = value.unwrap_or(false);
        }
        let picks = Picks { choices: self.witness.initial_choices.clone(), values: Vec::new() };
        let view = View { program: self.program, picks: &picks, now: &values, saved: &values };
        view.demand(&self.program.initial, &values)?;
        Ok(values)
    }

    /// Makes `moves` and notes the letter of each configuration that is left.
    fn follow(
        &mut self,
        moves: &[Move],
        start: NodeId,
        values: &mut Values,
        mut is_on_stack: Vec<bool>,
    ) -> Result<End, String> {
        let (program, witness) = (self.program, self.witness);
        let mut node = start;
        for step in moves {
            self.note(node, values, &is_on_stack);
            let edge = program.icfg.edges.get(step.edge()).ok_or("there is no such edge")?;
            demand(edge.from == node, "an edge starts elsewhere")?;
            match (step, edge.kind, &program.labels[step.edge()]) {
                (Move::Step { picks, .. }, EdgeKind::Step { to }, Relation::Step(step)) => {
                    let view = View { program, picks, now: values, saved: values };
                    let mut next = values.clone();
                    view.assign(step, &mut next);
                    view.demand(step, &next)?;
                    *values = next;
                    node = to;
                }
                (Move::Enter { picks, .. }, EdgeKind::Call { callee, .. }, Relation::Call { enter, .. }) => {
                    *values = self.enter(callee, enter, picks, values, &[])?;
                    node = program.icfg.procs[callee].entry;
                    is_on_stack = self.below(callee, &is_on_stack);
                }
                (
                    Move::Cross { enter: picks, sub, leave: back, .. },
                    EdgeKind::Call { callee, to },
                    Relation::Call { enter, leave },
                ) => {
                    let sub = witness.subtraces.get(*sub).ok_or("there is no such sub-trace")?;
                    let mut inner = self.enter(callee, enter, picks, values, &sub.requires)?;
                    let proc = &program.icfg.procs[callee];
                    let above = self.below(callee, &is_on_stack);
                    let end = self.follow(&sub.moves, proc.entry, &mut inner, above)?;
                    demand(end.node == proc.exit, "a crossed call does not end")?;
                    self.note(end.node, &inner, &end.is_on_stack);
                    let view = View { program, picks: back, now: &inner, saved: values };
                    let mut next = values.clone();
                    program.globals().for_each(|var| next[var] = inner[var]);
                    view.assign(leave, &mut next);
                    view.demand(leave, &next)?;
                    *values = next;
                    node = to;
                }
                _ => return Err("a move is not of its edge's kind".to_owned()),
            }
        }
        Ok(End { node, is_on_stack })
    }

    /// The first values of a callee.
    fn enter(
        &self,
        callee: hardbop_icfg::ProcId,
        enter: &Transition,
        picks: &Picks,
        now: &Values,
        wanted: &[(VarId, bool)],
    ) -> Result<Values, String> {
        let program = self.program;
        let view = View { program, picks, now, saved: now };
        let mut next = IndexVec::from_elem(false, program.vars.len());
        program.globals().for_each(|var| next[var] = now[var]);
        for (update, value) in enter.updates.iter().map(|update| (update, update.value)) {
            next[update.target] = if let Value::Of(value) = value { view.value(value, now) } else { false };
        }
        let is_open = |var: &VarId| !matches!(enter.update_of(*var), Some(Value::Of(_)));
        let open = program.locals[callee].iter().copied().filter(is_open);
        for (place, var) in open.enumerate() {
            let picked = picks.values.get(place).copied().flatten();
            let wanted = wanted.iter().find(|(wanted, _)| *wanted == var).map(|(_, value)| *value);
            next[var] = picked.or(wanted).unwrap_or(false);
        }
        demand(wanted.iter().all(|&(var, value)| next[var] == value), "a call needs another value")?;
        view.demand(enter, &next)?;
        Ok(next)
    }

    /// What is on the stack when `callee` has been called.
    fn below(&self, callee: hardbop_icfg::ProcId, is_on_stack: &[bool]) -> Vec<bool> {
        // A copied procedure is the one it was copied from.
        let callee = self.origin[self.program.icfg.procs[callee].entry];
        let is_meant = |proposition: &Proposition| match proposition {
            Proposition::OnStack(procs) => procs[self.program.icfg.nodes[callee].proc],
            _ => false,
        };
        self.propositions.iter().zip(is_on_stack).map(|(one, &is_below)| is_below || is_meant(one)).collect()
    }

    fn note(&mut self, node: NodeId, values: &Values, is_on_stack: &[bool]) {
        let node = self.origin[node];
        if self.program.marks.silent.contains(&node) {
            return;
        }
        let picks = Picks::default();
        let view = View { program: self.program, picks: &picks, now: values, saved: values };
        let is_true = |(proposition, &is_there): (&Proposition, &bool)| match proposition {
            Proposition::Places(places) => places[node],
            Proposition::State(expr) => view.value(*expr, values),
            Proposition::StateIn(exprs) => {
                let proc = self.program.icfg.nodes[node].proc;
                exprs.iter().any(|&(of, expr)| of == proc && view.value(expr, values))
            }
            Proposition::OnStack(_) => is_there,
        };
        let letter = Letter::of(self.propositions.iter().zip(is_on_stack).map(is_true));
        self.letters.push(letter);
    }
}

/// What an expression can read.
struct View<'a> {
    program: &'a Program<Relation>,
    picks: &'a Picks,
    now: &'a Values,
    saved: &'a Values,
}

impl View<'_> {
    fn assign(&self, transition: &Transition, next: &mut Values) {
        let mut picked = self.picks.values.iter();
        for update in &transition.updates {
            next[update.target] = match update.value {
                Value::Of(value) => self.value(value, self.now),
                Value::Any => picked.next().copied().flatten().unwrap_or(false),
            };
        }
    }

    fn demand(&self, transition: &Transition, next: &Values) -> Result<(), String> {
        demand(transition.guard.is_none_or(|guard| self.value(guard, next)), "a guard is false")?;
        demand(transition.constraint.is_none_or(|constraint| self.value(constraint, next)), "a constraint is false")
    }

    fn value(&self, id: ExprId, next: &Values) -> bool {
        let of = |id| self.value(id, next);
        match self.program.exprs.get(id) {
            Expr::Const(value) => value,
            Expr::Var(var) => self.now[var],
            Expr::Next(var) => next[var],
            Expr::Saved(var) => self.saved[var],
            Expr::Choice(choice) => self.picks.choices.get(choice.index()).copied().flatten().unwrap_or(false),
            Expr::Not(a) => !of(a),
            Expr::And(a, b) => of(a) && of(b),
            Expr::Or(a, b) => of(a) || of(b),
            Expr::Xor(a, b) => of(a) != of(b),
            Expr::Iff(a, b) => of(a) == of(b),
            Expr::Implies(a, b) => !of(a) || of(b),
            Expr::Ite(a, b, c) => of(if of(a) { b } else { c }),
        }
    }
}
