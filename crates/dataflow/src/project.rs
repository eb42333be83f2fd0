//! A program that tracks some of the facts only [BR01, §7: overlapping projections].
//!
//! Where an expression reads a fact that is not kept, it reads what the [`Cartesian`] analysis knows of it, and where
//! that is `*` a choice: one for each fact and label, so that a label does not contradict itself. Every run of the
//! program is a run of its projection, along the same edges.

mod conjuncts;

use crate::Cartesian;
use conjuncts::{all_of, that_matter};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{
    ChoiceId, EdgeKind, Expr, ExprId, Exprs, Goal, NodeId, Program, Relation, Slice, Transition, Update, Value, VarId,
};
use rustc_hash::FxHashMap;

/// `program` with the facts of `kept` only, and `goals` in its terms.
pub fn project(
    program: &Program<Relation>,
    goals: &[Goal],
    kept: &IndexVec<VarId, bool>,
    flow: &Cartesian,
) -> (Program<Relation>, Vec<Goal>) {
    let mut projection = Projection { kept, flow, exprs: program.exprs.clone() };
    let labels = program.icfg.edges.iter_enumerated().map(|(id, edge)| match (&program.labels[id], edge.kind) {
        (Relation::Step(transition), _) => Relation::Step(projection.transition(transition, edge.from, edge.from)),
        (Relation::Call { enter, leave }, EdgeKind::Call { callee, .. }) => {
            let exit = program.icfg.procs[callee].exit;
            Relation::Call {
                enter: projection.transition(enter, edge.from, edge.from),
                leave: projection.transition(leave, exit, edge.from),
            }
        }
        (label, _) => label.clone(),
    });
    let labels = labels.collect();
    let goals = goals.iter().map(|goal| projection.goal(goal)).collect();
    let initial = projection.initial(program);
    let result = Program {
        icfg: program.icfg.clone(),
        vars: program.vars.clone(),
        exprs: projection.exprs,
        data: program.data.clone(),
        labels,
        locals: program.locals.clone(),
        entry: program.entry,
        initial,
        marks: program.marks.clone(),
    };
    (result, goals)
}

/// What is left of a program for its goals.
#[derive(Debug)]
pub struct Narrowed {
    /// It, with what the tri-vectors know put in.
    pub program: Program<Relation>,
    /// The goals, in its terms.
    pub goals: Vec<Goal>,
    /// The facts that it speaks of.
    pub is_relevant: IndexVec<VarId, bool>,
}

/// `program` with the facts that `goals` can see, given what is known of each fact, and without the edges behind which
/// there is none of them. That loses nothing: what is said of the first values of other facts is only that there are
/// some.
pub fn narrow(program: &Program<Relation>, goals: &[Goal], flow: &Cartesian) -> Narrowed {
    let all = IndexVec::from_elem(true, program.vars.len());
    let (mut program, goals) = project(program, goals, &all, flow);
    let Slice { is_useful, is_relevant } = Slice::after_start(&program, &goals);
    let never = program.exprs.add(Expr::Const(false));
    let keep = |transition: &mut Transition, from: NodeId| {
        if is_useful[from] {
            transition.updates.retain(|update| is_relevant[update.target]);
        } else {
            *transition = Transition { guard: Some(never), ..Transition::SKIP };
        }
    };
    for (label, edge) in program.labels.iter_mut().zip(&program.icfg.edges) {
        match label {
            Relation::Step(step) => keep(step, edge.from),
            Relation::Call { enter, leave } => {
                keep(enter, edge.from);
                keep(leave, edge.from);
            }
            Relation::Return => {}
        }
    }
    let mut projection = Projection { kept: &is_relevant, flow, exprs: std::mem::take(&mut program.exprs) };
    program.initial = projection.initial(&program);
    program.exprs = projection.exprs;
    Narrowed { program, goals, is_relevant }
}

struct Projection<'a> {
    kept: &'a IndexVec<VarId, bool>,
    flow: &'a Cartesian,
    exprs: Exprs,
}

/// What stands for the leaves of one label.
struct Leaves {
    /// Where `x` is what it is.
    now: NodeId,
    /// Where `x''` was saved.
    saved: NodeId,
    /// The choices that stand for facts that are not kept.
    choices: FxHashMap<Expr, ChoiceId>,
    next_choice: u32,
    known: FxHashMap<ExprId, ExprId>,
}

impl Projection<'_> {
    fn transition(&mut self, transition: &Transition, now: NodeId, saved: NodeId) -> Transition {
        if !self.flow.is_reachable(now) {
            let never = self.exprs.add(Expr::Const(false));
            return Transition { guard: Some(never), ..Transition::SKIP };
        }
        let mut leaves = Leaves::new(now, saved, transition.choices);
        let guard = transition.guard.map(|guard| self.rewrite(guard, &mut leaves));
        let kept = transition.updates.iter().filter(|update| self.kept[update.target]);
        let mut updates = Vec::new();
        for &Update { target, value } in kept {
            let value = match value {
                Value::Of(value) => Value::Of(self.rewrite(value, &mut leaves)),
                Value::Any => Value::Any,
            };
            updates.push(Update { target, value });
        }
        let constraint = transition.constraint.map(|constraint| self.rewrite(constraint, &mut leaves));
        Transition { guard, updates, constraint, choices: leaves.next_choice }
    }

    fn goal(&mut self, goal: &Goal) -> Goal {
        let most = goal.condition.map_or(0, |condition| self.choices_in(condition));
        let mut leaves = Leaves::new(goal.node, goal.node, most);
        Goal { condition: goal.condition.map(|condition| self.rewrite(condition, &mut leaves)), ..goal.clone() }
    }

    /// What is said of the first state of facts that are not kept is not said.
    fn initial(&mut self, program: &Program<Relation>) -> Transition {
        let (initial, entry) = (&program.initial, program.icfg.procs[program.entry].entry);
        let mut leaves = Leaves::new(entry, entry, initial.choices);
        let said = initial.constraint.map_or_else(Vec::new, |constraint| self.exprs.conjuncts(constraint));
        let said = that_matter(&self.exprs, &said, self.kept);
        let said = said.into_iter().map(|conjunct| self.rewrite(conjunct, &mut leaves)).collect();
        let updates = initial.updates.iter().filter(|update| self.kept[update.target]).copied().collect();
        Transition { guard: None, updates, constraint: all_of(&mut self.exprs, said), choices: leaves.next_choice }
    }

    /// One more than the last choice below `expr`.
    fn choices_in(&self, expr: ExprId) -> u32 {
        let mut most = 0;
        self.exprs.for_each_leaf(expr, |leaf| {
            if let Expr::Choice(choice) = leaf {
                most = most.max(choice.index() as u32 + 1);
            }
        });
        most
    }

    fn rewrite(&mut self, id: ExprId, leaves: &mut Leaves) -> ExprId {
        if let Some(&known) = leaves.known.get(&id) {
            return known;
        }
        let expr = self.exprs.get(id);
        let result = match expr {
            Expr::Const(_) | Expr::Choice(_) => id,
            Expr::Var(var) => self.leaf(id, expr, var, self.flow.value(leaves.now, var), leaves),
            Expr::Saved(var) => self.leaf(id, expr, var, self.flow.value(leaves.saved, var), leaves),
            Expr::Next(var) => self.leaf(id, expr, var, None, leaves),
            _ => {
                let parts: Vec<ExprId> = expr.children().map(|part| self.rewrite(part, leaves)).collect();
                if expr.children().eq(parts.iter().copied()) { id } else { self.exprs.add(expr.with_children(&parts)) }
            }
        };
        leaves.known.insert(id, result);
        result
    }

    fn leaf(&mut self, id: ExprId, expr: Expr, var: VarId, value: Option<Possible>, leaves: &mut Leaves) -> ExprId {
        match value.and_then(Possible::definite) {
            Some(value) => self.exprs.add(Expr::Const(value)),
            None if self.kept[var] => id,
            None => {
                let choice = *leaves.choices.entry(expr).or_insert_with(|| {
                    leaves.next_choice += 1;
                    ChoiceId::from_usize(leaves.next_choice as usize - 1)
                });
                self.exprs.add(Expr::Choice(choice))
            }
        }
    }
}

impl Leaves {
    fn new(now: NodeId, saved: NodeId, choices: u32) -> Self {
        Self { now, saved, choices: FxHashMap::default(), next_choice: choices, known: FxHashMap::default() }
    }
}
