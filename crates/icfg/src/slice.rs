//! The cone of influence of the goals: what they cannot see is dropped.
//!
//! A node is useful if the control flow leads from it to a goal. A variable is relevant if a guard, a constraint or a
//! goal's condition at a useful node reads it, or if its value can flow into one that is relevant. Guards are never
//! dropped, so a run of the slice is a run of the program whatever the irrelevant variables do.

use crate::mod_ref::next_vars;
use crate::{EdgeKind, Expr, ExprId, Goal, NodeId, Program, Relation, Transition, Value, VarId};
use hardbop_base::{Idx, IndexVec};

/// What the goals can see.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The nodes that a goal may lie behind.
    pub is_useful: IndexVec<NodeId, bool>,
    /// The variables whose values matter.
    pub is_relevant: IndexVec<VarId, bool>,
}

impl Slice {
    /// Everything.
    pub fn whole(program: &Program<Relation>) -> Self {
        Self {
            is_useful: IndexVec::from_elem(true, program.icfg.nodes.len()),
            is_relevant: IndexVec::from_elem(true, program.vars.len()),
        }
    }

    /// What `goals` can see.
    pub fn new(program: &Program<Relation>, goals: &[Goal]) -> Self {
        Self::with_start(program, goals, Some(&program.initial))
    }

    /// What `goals` can see after the start: a variable of which only the first value is known does not matter.
    pub fn after_start(program: &Program<Relation>, goals: &[Goal]) -> Self {
        Self::with_start(program, goals, None)
    }

    fn with_start(program: &Program<Relation>, goals: &[Goal], start: Option<&Transition>) -> Self {
        let is_useful = useful_nodes(program, goals);
        let is_relevant = relevant_vars(program, goals, start, &is_useful);
        Self { is_useful, is_relevant }
    }
}

fn useful_nodes(program: &Program<Relation>, goals: &[Goal]) -> IndexVec<NodeId, bool> {
    let icfg = &program.icfg;
    let mut is_useful = IndexVec::from_elem(false, icfg.nodes.len());
    let mut stack: Vec<NodeId> = Vec::new();
    let mut mark = |node: NodeId, stack: &mut Vec<NodeId>| {
        if !std::mem::replace(&mut is_useful[node], true) {
            stack.push(node);
        }
    };
    for goal in goals {
        mark(goal.node, &mut stack);
    }
    while let Some(node) = stack.pop() {
        for &edge in icfg.predecessors(node) {
            let edge = icfg.edges[edge];
            mark(edge.from, &mut stack);
            if let EdgeKind::Call { callee, .. } = edge.kind {
                mark(icfg.procs[callee].exit, &mut stack);
            }
        }
        let proc = icfg.nodes[node].proc;
        if icfg.procs[proc].entry == node {
            for &call in icfg.callers(proc) {
                mark(icfg.edges[call].from, &mut stack);
            }
        }
    }
    is_useful
}

/// Data flow backwards, from what is read where it matters to what it is made of.
fn relevant_vars(
    program: &Program<Relation>,
    goals: &[Goal],
    start: Option<&Transition>,
    is_useful: &IndexVec<NodeId, bool>,
) -> IndexVec<VarId, bool> {
    let mut flows = Flows {
        program,
        sources: IndexVec::from_elem(Vec::new(), program.vars.len()),
        is_relevant: IndexVec::from_elem(false, program.vars.len()),
        stack: Vec::new(),
    };
    for (id, edge) in program.icfg.edges.iter_enumerated() {
        if !is_useful[edge.from] {
            continue;
        }
        match &program.labels[id] {
            Relation::Step(step) => flows.transition(step),
            Relation::Call { enter, leave } => {
                flows.transition(enter);
                flows.transition(leave);
            }
            Relation::Return => {}
        }
    }
    start.into_iter().for_each(|start| flows.transition(start));
    for condition in goals.iter().filter_map(|goal| goal.condition) {
        flows.observe(condition);
    }
    while let Some(var) = flows.stack.pop() {
        for value in std::mem::take(&mut flows.sources[var]) {
            flows.observe(value);
        }
    }
    flows.is_relevant
}

struct Flows<'a> {
    program: &'a Program<Relation>,
    sources: IndexVec<VarId, Vec<ExprId>>,
    is_relevant: IndexVec<VarId, bool>,
    stack: Vec<VarId>,
}

impl Flows<'_> {
    fn transition(&mut self, transition: &Transition) {
        for observed in transition.guard.into_iter().chain(transition.constraint) {
            self.observe(observed);
        }
        for update in &transition.updates {
            if let Value::Of(value) = update.value {
                self.sources[update.target].push(value);
            }
        }
        debug_assert!(next_vars(self.program, transition).iter().all(|&var| self.is_relevant[var]));
    }

    fn observe(&mut self, expr: ExprId) {
        let Self { program, is_relevant, stack, .. } = self;
        program.exprs.for_each_leaf(expr, |leaf| {
            if let Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) = leaf
                && !std::mem::replace(&mut is_relevant[var], true)
            {
                stack.push(var);
            }
        });
    }
}

/// How many of `flags` are set.
pub fn count<I: Idx>(flags: &IndexVec<I, bool>) -> usize {
    flags.iter().filter(|&&flag| flag).count()
}
