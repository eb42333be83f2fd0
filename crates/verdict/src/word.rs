//! What propositions say along a run without end: the word that a formula must be false on.
//!
//! The run is followed once more, with plain values: what its witness leaves open is false. Crossed calls are stepped
//! into. Rounds are made until one begins as an earlier one did; what a round does not rest on may differ at first.

use crate::{Lasso, Move, Picks, Witness};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::proposition::Proposition;
use hardbop_icfg::{EdgeKind, Expr, ExprId, NodeId, ProcId, Program, Relation, Transition, Value, VarId};
use std::collections::HashMap;

/// An infinite word: what is true at each of its positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// For each position, whether each proposition is true there.
    pub letters: Vec<Vec<bool>>,
    /// The position that follows the last.
    pub back: usize,
}

/// Why there is no word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WordError {
    /// There would be more letters than allowed: calls in calls can make a short witness a long run.
    TooLong,
    /// It is not followed by the program, and this is why.
    NoRun(&'static str),
}

type Values = IndexVec<VarId, bool>;

/// The word that `lasso` is, if it has at most `most` letters.
///
/// # Requires
/// The lasso has been [replayed](crate::replay_lasso).
pub fn word(lasso: &Lasso<'_>, propositions: &[Proposition], most: usize) -> Result<Word, WordError> {
    let (program, copy) = (lasso.program, lasso.copy);
    let origin = program.icfg.nodes.ids().collect();
    let mut walk = Walk::new(program, lasso.stem, propositions, &origin, most);
    let mut values = walk.first()?;
    let entry = program.icfg.procs[program.entry].entry;
    let is_on_stack = walk.below(program.entry, &vec![false; propositions.len()]);
    let end = walk.follow(&lasso.stem.moves, entry, &mut values, is_on_stack)?;
    let letters = walk.letters;
    let mut walk = Walk { letters, ..Walk::new(copy, lasso.round, propositions, lasso.node_origin, most) };
    let mut begun: HashMap<Vec<bool>, usize> = HashMap::new();
    let mut is_on_stack = end.is_on_stack;
    let back = loop {
        let start = values.iter().chain(&is_on_stack).copied().collect();
        if let Some(&back) = begun.get(&start) {
            break back;
        }
        begun.insert(start, walk.letters.len());
        let mut known = copy.scope(copy.entry).zip(&lasso.round.initial);
        let is_met = known.all(|(var, value)| value.is_none_or(|value| values[var] == value));
        demand(is_met, "the round rests on another value")?;
        let entry = copy.icfg.procs[copy.entry].entry;
        let end = walk.follow(&lasso.round.moves, entry, &mut values, is_on_stack)?;
        demand(lasso.node_origin[end.node] == lasso.head, "the round leads elsewhere")?;
        is_on_stack = end.is_on_stack;
    };
    demand(back < walk.letters.len(), "the round takes no step")?;
    Ok(Word { letters: walk.letters, back })
}

fn demand(is_met: bool, problem: &'static str) -> Result<(), WordError> {
    if is_met { Ok(()) } else { Err(WordError::NoRun(problem)) }
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
    origin: &'a IndexVec<NodeId, NodeId>,
    is_silent: IndexVec<NodeId, bool>,
    letters: Vec<Vec<bool>>,
    most: usize,
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a Program<Relation>,
        witness: &'a Witness,
        propositions: &'a [Proposition],
        origin: &'a IndexVec<NodeId, NodeId>,
        most: usize,
    ) -> Self {
        let is_silent = program.marks.is_silent(program.icfg.nodes.len());
        Self { program, witness, propositions, origin, is_silent, letters: Vec::new(), most }
    }

    fn first(&self) -> Result<Values, WordError> {
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
    ) -> Result<End, WordError> {
        let program = self.program;
        let mut node = start;
        for step in moves {
            self.note(node, values, &is_on_stack)?;
            let edge = program.icfg.edges[step.edge()];
            demand(edge.from == node, "an edge starts elsewhere")?;
            node = match (step, edge.kind, &program.labels[step.edge()]) {
                (Move::Step { picks, .. }, EdgeKind::Step { to }, Relation::Step(step)) => {
                    let view = View { program, picks, now: values, saved: values };
                    *values = view.after(step, values.clone())?;
                    to
                }
                (Move::Enter { picks, .. }, EdgeKind::Call { callee, .. }, Relation::Call { enter, .. }) => {
                    *values = self.enter(callee, enter, picks, values, &[])?;
                    is_on_stack = self.below(callee, &is_on_stack);
                    program.icfg.procs[callee].entry
                }
                (Move::Cross { .. }, EdgeKind::Call { callee, to }, _) => {
                    self.cross(step, callee, values, &is_on_stack)?;
                    to
                }
                _ => return Err(WordError::NoRun("a move is not of its edge's kind")),
            };
        }
        Ok(End { node, is_on_stack })
    }

    /// Steps into a call that is crossed, and comes back.
    fn cross(
        &mut self,
        step: &Move,
        callee: ProcId,
        values: &mut Values,
        is_on_stack: &[bool],
    ) -> Result<(), WordError> {
        let (program, witness) = (self.program, self.witness);
        let (Move::Cross { enter: picks, sub, leave: back, .. }, Relation::Call { enter, leave }) =
            (step, &program.labels[step.edge()])
        else {
            return Err(WordError::NoRun("a move is not of its edge's kind"));
        };
        let sub = &witness.subtraces[*sub];
        let mut inner = self.enter(callee, enter, picks, values, &sub.requires)?;
        let proc = &program.icfg.procs[callee];
        let above = self.below(callee, is_on_stack);
        let end = self.follow(&sub.moves, proc.entry, &mut inner, above)?;
        demand(end.node == proc.exit, "a crossed call does not end")?;
        self.note(end.node, &inner, &end.is_on_stack)?;
        let mut next = values.clone();
        program.globals().for_each(|var| next[var] = inner[var]);
        *values = View { program, picks: back, now: &inner, saved: values }.after(leave, next)?;
        Ok(())
    }

    /// The first values of a callee.
    fn enter(
        &self,
        callee: ProcId,
        enter: &Transition,
        picks: &Picks,
        now: &Values,
        wanted: &[(VarId, bool)],
    ) -> Result<Values, WordError> {
        let program = self.program;
        let view = View { program, picks, now, saved: now };
        let mut next = IndexVec::from_elem(false, program.vars.len());
        program.globals().for_each(|var| next[var] = now[var]);
        for update in &enter.updates {
            next[update.target] = if let Value::Of(value) = update.value { view.value(value, now) } else { false };
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
    fn below(&self, callee: ProcId, is_on_stack: &[bool]) -> Vec<bool> {
        // A copied procedure is the one it was copied from.
        let proc = self.program.icfg.nodes[self.origin[self.program.icfg.procs[callee].entry]].proc;
        let is_meant = |one: &Proposition| matches!(one, Proposition::OnStack(procs) if procs[proc]);
        self.propositions.iter().zip(is_on_stack).map(|(one, &is_below)| is_below || is_meant(one)).collect()
    }

    fn note(&mut self, node: NodeId, values: &Values, is_on_stack: &[bool]) -> Result<(), WordError> {
        let node = self.origin[node];
        if self.is_silent[node] {
            return Ok(());
        }
        if self.letters.len() == self.most {
            return Err(WordError::TooLong);
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
        self.letters.push(self.propositions.iter().zip(is_on_stack).map(is_true).collect());
        Ok(())
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
    /// The values that `transition` makes of `next`.
    fn after(&self, transition: &Transition, mut next: Values) -> Result<Values, WordError> {
        let mut picked = self.picks.values.iter();
        for update in &transition.updates {
            next[update.target] = match update.value {
                Value::Of(value) => self.value(value, self.now),
                Value::Any => picked.next().copied().flatten().unwrap_or(false),
            };
        }
        self.demand(transition, &next)?;
        Ok(next)
    }

    fn demand(&self, transition: &Transition, next: &Values) -> Result<(), WordError> {
        demand(transition.guard.is_none_or(|guard| self.value(guard, next)), "a guard is false")?;
        demand(transition.constraint.is_none_or(|constraint| self.value(constraint, next)), "a constraint is false")
    }

    fn value(&self, id: ExprId, next: &Values) -> bool {
        let leaf = |expr: Expr| {
            Possible::only(match expr {
                Expr::Var(var) => self.now[var],
                Expr::Next(var) => next[var],
                Expr::Saved(var) => self.saved[var],
                Expr::Choice(choice) => self.picks.choices.get(choice.index()).copied().flatten().unwrap_or(false),
                _ => unreachable!("only variables and choices are leaves"),
            })
        };
        self.program.exprs.possible(id, &leaf).can_be_true
    }
}
