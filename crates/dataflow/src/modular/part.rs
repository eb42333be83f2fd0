//! A procedure with what its callees do, as a program of its own.
//!
//! Each callee is a *stub*: one step that does what the callee's summary says. Calls of the procedure itself stay
//! calls. What is known of the entry state is what the tri-vector of the entry says.

use super::build::{Builder, Origin, Source};
use hardbop_base::Idx;
use hardbop_icfg::{EdgeId, Expr, ExprId, Exprs, Goal, GoalKind, NodeId, ProcId, Program, Relation, Transition, VarId};
use hardbop_verdict::Move;
use std::collections::{BTreeMap, BTreeSet};

/// A program about one procedure.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) program: Program<Relation>,
    pub(crate) goals: Vec<Goal>,
    pub(crate) origin: Origin,
}

/// How an edge of the whole is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Step,
    Enter,
    Cross,
}

impl Source<'_> {
    /// The part about `proc`, in which runs start, with those of `goals` that are in it and the variables in `wanted`.
    pub(crate) fn part(&self, proc: ProcId, goals: &[&Goal], wanted: &BTreeSet<VarId>) -> Part {
        let mut wanted = wanted.clone();
        goals.iter().for_each(|goal| self.add_goal(goal, &mut wanted));
        let is_first = proc == self.program.entry && self.program.icfg.callers(proc).is_empty();
        if is_first {
            self.add_used(&self.program.initial, &mut wanted);
        }
        let mut builder = self.with_stubs(proc, wanted);
        let initial = match is_first {
            true => builder.transition(&self.program.initial),
            false => Transition { constraint: builder.known_at_entry(proc, Expr::Next), ..Transition::SKIP },
        };
        let first = self.program.icfg.procs[proc].nodes.0.index();
        let place = |goal: &Goal| NodeId::from_usize(goal.node.index() - first);
        let goals = goals.iter().map(|goal| builder.goal(goal, place(goal))).collect();
        Part { program: builder.finish(own(), initial), goals, origin: builder.origin }
    }

    /// The part about `proc`, called once, so that its exit is related to its entry; with a goal that asks for
    /// everything in `wanted` there.
    pub(crate) fn called(&self, proc: ProcId, wanted: &BTreeSet<VarId>) -> Part {
        let mut builder = self.with_stubs(proc, BTreeSet::new());
        let root = builder.next_proc();
        builder.root(proc, &[], &[]);
        let mut condition = builder.exprs.add(Expr::Const(true));
        // Levels are in the order of variables. A parity that is made from the bottom up grows by a node or two with
        // each; one that is made from the top is made anew each time.
        for (here, _) in builder.origin.vars.iter_enumerated().rev().filter(|(_, var)| wanted.contains(var)) {
            let value = builder.exprs.add(Expr::Var(here));
            condition = builder.exprs.add(Expr::Iff(value, condition));
        }
        let program = builder.finish(root, Transition::SKIP);
        let goals = vec![goal_at(&program, own(), program.icfg.procs[own()].exit, condition)];
        Part { program, goals, origin: builder.origin }
    }

    /// The part about `proc`, called once with the values in `given`, and the goal that it comes back with those in
    /// `wanted`.
    pub(crate) fn crossed(&self, proc: ProcId, given: &[(VarId, bool)], wanted: &[(VarId, bool)]) -> Part {
        let mut builder = self.with_stubs(proc, given.iter().chain(wanted).map(|&(var, _)| var).collect());
        let root = builder.next_proc();
        let is_result = |var: &VarId| !self.program.is_global(*var);
        let results: Vec<VarId> = wanted.iter().map(|&(var, _)| var).filter(is_result).collect();
        let (exit, copies) = builder.root(proc, given, &results);
        let copy_of: BTreeMap<VarId, VarId> = results.into_iter().zip(copies).collect();
        let here = |var: VarId| copy_of.get(&var).copied().unwrap_or_else(|| builder.number[&var]);
        let condition = all_of(&mut builder.exprs, wanted.iter().map(|&(var, value)| (here(var), value)));
        let program = builder.finish(root, Transition::SKIP);
        let goals = vec![goal_at(&program, own(), exit, condition)];
        Part { program, goals, origin: builder.origin }
    }

    /// The procedure `proc` and stubs for its callees, with the variables in `wanted`.
    fn with_stubs(&self, proc: ProcId, wanted: BTreeSet<VarId>) -> Builder<'_> {
        let callees = self.callees(proc);
        let mut used = self.used(self.edges_of(proc));
        self.add_effects(&callees, &mut used);
        used.extend(wanted);
        let mut builder = Builder::new(*self, &used);
        let own = builder.declare(proc, |_| true);
        for &callee in &callees {
            builder.declare(callee, |var| used.contains(&var));
        }
        builder.body(proc, |callee| match callees.binary_search(&callee) {
            Ok(found) => ProcId::from_usize(found + 1),
            Err(_) => own,
        });
        callees.iter().for_each(|&callee| builder.stub(callee));
        builder
    }

    /// The procedures that `proc` calls, itself aside.
    pub(crate) fn callees(&self, proc: ProcId) -> Vec<ProcId> {
        let callees = self.edges_of(proc).filter_map(|edge| self.callee(edge)).filter(|&callee| callee != proc);
        callees.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The edges of a run of a part, in terms of the whole.
pub(crate) fn hops(origin: &Origin, moves: &[Move]) -> Option<Vec<(EdgeId, Way)>> {
    let hop = |step: &Move| {
        let way = match step {
            Move::Step { .. } => Way::Step,
            Move::Enter { .. } => Way::Enter,
            Move::Cross { .. } => Way::Cross,
        };
        Some((origin.edges[step.edge()]?, way))
    };
    moves.iter().map(hop).collect()
}

/// The procedure that a part is about.
fn own() -> ProcId {
    ProcId::from_usize(0)
}

/// A goal in a procedure.
pub(crate) fn goal_at(program: &Program<Relation>, proc: ProcId, node: NodeId, condition: ExprId) -> Goal {
    let proc = &program.icfg.procs[proc];
    Goal { node, condition: Some(condition), name: proc.name.clone(), kind: GoalKind::Statement, span: proc.span }
}

/// That variables have these values.
pub(crate) fn all_of(exprs: &mut Exprs, values: impl Iterator<Item = (VarId, bool)>) -> ExprId {
    let mut all = exprs.add(Expr::Const(true));
    for (var, value) in values {
        let mut is_so = exprs.add(Expr::Var(var));
        if !value {
            is_so = exprs.add(Expr::Not(is_so));
        }
        all = exprs.add(Expr::And(all, is_so));
    }
    all
}
