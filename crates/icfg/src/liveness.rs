//! Liveness: a variable is live where its value can still matter [BR00, §3.3], across calls for globals.
//!
//! A procedure whose path edges keep no entry copy of a variable it never modifies relates its callers' values to its
//! results through the variable itself. Such variables (`pinned`) therefore count as read at the exit.

use crate::mod_ref::{ModRef, next_vars};
use crate::order::CallOrder;
use crate::{
    EdgeId, EdgeKind, Expr, ExprId, Goal, NodeId, ProcId, Program, Relation, Scope, SlotSet, Slots, Transition, Value,
    VarId,
};
use hardbop_base::{Idx, IndexVec, newtype_index};
use std::collections::BTreeMap;

newtype_index! {
    /// A set of live slots; equal sets have equal ids, so procedures of the same shape share them.
    pub struct LiveId = "live";
}

/// What is live at each node.
#[derive(Clone, Debug)]
pub struct Liveness {
    at: IndexVec<NodeId, LiveId>,
    sets: IndexVec<LiveId, SlotSet>,
}

impl Liveness {
    /// What is live at `node`.
    pub fn at(&self, node: NodeId) -> &SlotSet {
        &self.sets[self.at[node]]
    }

    /// The name of the set at `node`.
    pub fn id_at(&self, node: NodeId) -> LiveId {
        self.at[node]
    }

    /// In each procedure, `relevant` is live everywhere.
    pub fn whole(program: &Program<Relation>, relevant: &IndexVec<ProcId, SlotSet>) -> Self {
        let mut result = Self { at: IndexVec::new(), sets: IndexVec::new() };
        let mut ids = BTreeMap::new();
        for (proc, scope) in relevant.iter_enumerated() {
            let id = *ids.entry(scope.clone()).or_insert_with_key(|scope| result.sets.push(scope.clone()));
            program.icfg.nodes_of(proc).for_each(|_| {
                result.at.push(id);
            });
        }
        result
    }
}

/// What liveness is computed for.
pub struct Question<'a> {
    /// The program.
    pub program: &'a Program<Relation>,
    /// Its slots.
    pub slots: &'a Slots,
    /// What procedures modify and refer to.
    pub mod_ref: &'a ModRef,
    /// The call graph.
    pub order: &'a CallOrder,
    /// What is asked; a goal reads its condition.
    pub goals: &'a [Goal],
    /// Variables that count as read wherever they can be seen.
    pub watched: &'a [VarId],
    /// For each procedure, what counts as read at its exit.
    pub pinned: &'a IndexVec<ProcId, SlotSet>,
    /// The nodes that matter; nothing is live at others.
    pub is_useful: &'a IndexVec<NodeId, bool>,
    /// The slots of variables that matter, for each procedure.
    pub relevant: &'a IndexVec<ProcId, SlotSet>,
}

impl Question<'_> {
    /// Solves it: procedure by procedure, again where a callee's entry or a caller's need has grown.
    pub fn solve(&self) -> Liveness {
        let procs = &self.program.icfg.procs;
        let mut solver = Solver {
            question: self,
            reads: IndexVec::from_elem(None, self.program.icfg.nodes.len()),
            at_entry: IndexVec::from_elem(SlotSet::empty(self.slots.len()), procs.len()),
            at_exit: self.pinned.clone(),
            result: Liveness {
                at: IndexVec::from_elem(LiveId::from_usize(0), self.program.icfg.nodes.len()),
                sets: IndexVec::new(),
            },
            ids: BTreeMap::new(),
            is_waiting: IndexVec::from_elem(true, procs.len()),
            sets: Vec::new(),
        };
        for goal in self.goals {
            if let Some(condition) = goal.condition {
                let reads = solver.reads[goal.node].get_or_insert_with(|| SlotSet::empty(self.slots.len()));
                self.read(condition, reads);
            }
        }
        self.watch(&mut solver.reads);
        // What is demanded of a first state must be known of it, or a run could not be shown to meet the demand.
        let icfg = &self.program.icfg;
        let enters =
            icfg.edges.iter_enumerated().filter_map(|(id, edge)| match (&self.program.labels[id], edge.kind) {
                (Relation::Call { enter, .. }, EdgeKind::Call { callee, .. }) => Some((callee, enter)),
                _ => None,
            });
        for (proc, enter) in enters.chain([(self.program.entry, &self.program.initial)]) {
            for var in next_vars(self.program, enter) {
                let reads = &mut solver.reads[icfg.procs[proc].entry];
                reads.get_or_insert_with(|| SlotSet::empty(self.slots.len())).insert(self.slots.of(var));
            }
        }
        solver.solve();
        solver.result
    }

    fn watch(&self, reads: &mut IndexVec<NodeId, Option<SlotSet>>) {
        for &var in self.watched {
            let (slot, icfg) = (self.slots.of(var), &self.program.icfg);
            let nodes: Vec<NodeId> = match self.program.vars[var].scope {
                Scope::Global => icfg.nodes.ids().collect(),
                Scope::Parameter(proc) | Scope::Local(proc) | Scope::Result(proc) => icfg.nodes_of(proc).collect(),
            };
            for node in nodes {
                reads[node].get_or_insert_with(|| SlotSet::empty(self.slots.len())).insert(slot);
            }
        }
    }

    fn read(&self, expr: ExprId, into: &mut SlotSet) {
        self.program.exprs.for_each_leaf(expr, |leaf| {
            if let Expr::Var(var) = leaf {
                into.insert(self.slots.of(var));
            }
        });
    }

    /// Makes the set live after `transition` the set live before it.
    fn before(&self, transition: &Transition, live: &mut SlotSet) {
        if transition.is_skip() {
            return;
        }
        for var in next_vars(self.program, transition) {
            live.insert(self.slots.of(var));
        }
        let mut read = SlotSet::empty(self.slots.len());
        for update in &transition.updates {
            if let Value::Of(value) = update.value
                && live.contains(self.slots.of(update.target))
            {
                self.read(value, &mut read);
            }
        }
        for update in &transition.updates {
            live.remove(self.slots.of(update.target));
        }
        for expr in transition.guard.into_iter().chain(transition.constraint) {
            self.read(expr, &mut read);
        }
        live.union(&read);
    }
}

struct Solver<'a> {
    question: &'a Question<'a>,
    reads: IndexVec<NodeId, Option<SlotSet>>,
    at_entry: IndexVec<ProcId, SlotSet>,
    at_exit: IndexVec<ProcId, SlotSet>,
    result: Liveness,
    ids: BTreeMap<SlotSet, LiveId>,
    is_waiting: IndexVec<ProcId, bool>,
    /// The sets of the procedure at work, by the node's place in it.
    sets: Vec<SlotSet>,
}

impl Solver<'_> {
    fn solve(&mut self) {
        let order = &self.question.order.callees_first;
        while order.iter().any(|&proc| self.is_waiting[proc]) {
            for &proc in order {
                if self.is_waiting[proc] {
                    self.is_waiting[proc] = false;
                    self.procedure(proc);
                }
            }
            // What callers need flows the other way: the second half of the round goes down.
            for &proc in order.iter().rev() {
                if self.is_waiting[proc] {
                    self.is_waiting[proc] = false;
                    self.procedure(proc);
                }
            }
        }
    }

    fn procedure(&mut self, proc: ProcId) {
        let question = self.question;
        let icfg = &question.program.icfg;
        let first = icfg.procs[proc].nodes.0.index();
        let nodes: Vec<NodeId> = icfg.nodes_of(proc).collect();
        self.sets.clear();
        self.sets.resize(nodes.len(), SlotSet::empty(question.slots.len()));
        let mut waiting: Vec<NodeId> = nodes.clone();
        let mut is_waiting = vec![true; nodes.len()];
        while let Some(node) = waiting.pop() {
            is_waiting[node.index() - first] = false;
            let live = self.node(node, proc, first);
            if self.sets[node.index() - first].union(&live) {
                for &edge in icfg.predecessors(node) {
                    let from = icfg.edges[edge].from;
                    if !std::mem::replace(&mut is_waiting[from.index() - first], true) {
                        waiting.push(from);
                    }
                }
            }
        }
        self.store(proc, &nodes);
    }

    fn node(&mut self, node: NodeId, proc: ProcId, first: usize) -> SlotSet {
        let question = self.question;
        let icfg = &question.program.icfg;
        let mut live = self.reads[node].clone().unwrap_or_else(|| SlotSet::empty(question.slots.len()));
        if !question.is_useful[node] {
            return live;
        }
        if icfg.procs[proc].exit == node {
            live.union(&self.at_exit[proc]);
        }
        for &id in icfg.successors(node) {
            let edge = icfg.edges[id];
            let Some(to) = edge.target() else { continue };
            let after = self.sets[to.index() - first].clone();
            let before = match (&question.program.labels[id], edge.kind) {
                (Relation::Step(step), _) if question.is_useful[to] => {
                    let mut before = after;
                    question.before(step, &mut before);
                    before
                }
                (Relation::Call { .. }, EdgeKind::Call { callee, .. }) => self.call(id, callee, after),
                _ => continue,
            };
            live.union(&before);
        }
        live.intersect(&question.relevant[proc]);
        live
    }

    fn call(&mut self, id: EdgeId, callee: ProcId, mut after: SlotSet) -> SlotSet {
        let question = self.question;
        let Relation::Call { enter, leave } = &question.program.labels[id] else {
            unreachable!("a call edge carries a call")
        };
        let (needed_at_exit, saved) = self.way_back(leave, &mut after);
        // What the callee does not modify stays with the caller; the rest the callee must deliver.
        let mut from_exit = needed_at_exit;
        let mut kept = saved;
        for slot in after.iter() {
            if question.slots.is_global(slot) && question.mod_ref.modified[callee].contains(slot) {
                from_exit.insert(slot);
            } else {
                kept.insert(slot);
            }
        }
        for slot in from_exit.clone().iter() {
            if question.slots.is_global(slot) && !question.mod_ref.modified[callee].contains(slot) {
                from_exit.remove(slot);
                kept.insert(slot);
            }
        }
        if self.at_exit[callee].union(&from_exit) {
            self.is_waiting[callee] = true;
        }
        self.way_in(enter, callee, &mut kept);
        kept
    }

    /// Adds to `kept` what the caller must have for the callee's entry: what the parameters that are live there are
    /// made of, and the globals that are live there.
    fn way_in(&self, enter: &Transition, callee: ProcId, kept: &mut SlotSet) {
        let question = self.question;
        let mut entry = self.at_entry[callee].clone();
        for var in next_vars(question.program, enter) {
            entry.insert(question.slots.of(var));
        }
        for update in &enter.updates {
            if let Value::Of(value) = update.value
                && entry.contains(question.slots.of(update.target))
            {
                question.read(value, kept);
            }
        }
        for expr in enter.guard.into_iter().chain(enter.constraint) {
            question.read(expr, kept);
        }
        for slot in entry.iter().filter(|&slot| question.slots.is_global(slot)) {
            kept.insert(slot);
        }
    }

    /// Splits what is live after a call: what the callee's exit must give, what the caller's saved locals must;
    /// `after` keeps what passes unchanged.
    fn way_back(&self, leave: &Transition, after: &mut SlotSet) -> (SlotSet, SlotSet) {
        let question = self.question;
        for var in next_vars(question.program, leave) {
            after.insert(question.slots.of(var));
        }
        let mut exit = SlotSet::empty(question.slots.len());
        let mut saved = SlotSet::empty(question.slots.len());
        let mut read = |expr: ExprId| {
            question.program.exprs.for_each_leaf(expr, |leaf| match leaf {
                Expr::Var(var) => {
                    exit.insert(question.slots.of(var));
                }
                Expr::Saved(var) => {
                    saved.insert(question.slots.of(var));
                }
                _ => {}
            });
        };
        for update in &leave.updates {
            if let Value::Of(value) = update.value
                && after.contains(question.slots.of(update.target))
            {
                read(value);
            }
        }
        leave.guard.into_iter().chain(leave.constraint).for_each(&mut read);
        for update in &leave.updates {
            after.remove(question.slots.of(update.target));
        }
        (exit, saved)
    }

    fn store(&mut self, proc: ProcId, nodes: &[NodeId]) {
        let Self { result, ids, sets, .. } = self;
        for (&node, set) in nodes.iter().zip(sets.iter()) {
            result.at[node] = match ids.get(set) {
                Some(&id) => id,
                None => {
                    let id = result.sets.push(set.clone());
                    ids.insert(set.clone(), id);
                    id
                }
            };
        }
        let icfg = &self.question.program.icfg;
        let entry = icfg.procs[proc].entry;
        let live = &self.sets[entry.index() - nodes[0].index()];
        if self.at_entry[proc].union(live) {
            for &call in icfg.callers(proc) {
                self.is_waiting[icfg.nodes[icfg.edges[call].from].proc] = true;
            }
        }
    }
}
