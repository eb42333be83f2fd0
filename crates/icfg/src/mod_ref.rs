//! Which variables a procedure may modify and refer to, itself or through the procedures it calls [BR00, §3.3].

use crate::order::CallOrder;
use crate::{EdgeKind, Expr, NodeId, ProcId, Program, Relation, SlotSet, Slots, Transition, VarId};
use hardbop_base::IndexVec;

/// For each procedure, sets of slots: of globals, and of its own results and locals.
#[derive(Clone, Debug)]
pub struct ModRef {
    /// What it may modify.
    pub modified: IndexVec<ProcId, SlotSet>,
    /// What it may refer to.
    pub referenced: IndexVec<ProcId, SlotSet>,
    /// Its locals that callers give a value: parameters, and whatever else an `enter` mentions.
    pub inputs: IndexVec<ProcId, SlotSet>,
}

impl ModRef {
    /// Looks only at the edges out of nodes for which `is_useful` and at variables for which `is_relevant`.
    pub fn new(
        program: &Program<Relation>,
        slots: &Slots,
        order: &CallOrder,
        is_useful: impl Fn(NodeId) -> bool,
        is_relevant: impl Fn(VarId) -> bool,
    ) -> Self {
        let none = IndexVec::from_elem(SlotSet::empty(slots.len()), program.icfg.procs.len());
        let result = Self { modified: none.clone(), referenced: none.clone(), inputs: none };
        let mut collect = Collect { program, slots, result };
        for (id, edge) in program.icfg.edges.iter_enumerated() {
            if is_useful(edge.from) {
                let proc = program.icfg.nodes[edge.from].proc;
                collect.edge(proc, edge.kind, &program.labels[id], &is_relevant);
            }
        }
        let mut result = collect.result;
        result.close(program, slots, order, is_useful);
        result
    }

    /// Adds what callees do to globals, until nothing changes.
    fn close(
        &mut self,
        program: &Program<Relation>,
        slots: &Slots,
        order: &CallOrder,
        is_useful: impl Fn(NodeId) -> bool,
    ) {
        let mut globals = SlotSet::empty(slots.len());
        slots.ids().take(slots.globals()).for_each(|slot| {
            globals.insert(slot);
        });
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for &callee in &order.callees_first {
                let restrict = |set: &SlotSet| {
                    let mut set = set.clone();
                    set.intersect(&globals);
                    set
                };
                let (modified, referenced) = (restrict(&self.modified[callee]), restrict(&self.referenced[callee]));
                for &call in program.icfg.callers(callee) {
                    let from = program.icfg.edges[call].from;
                    let caller = program.icfg.nodes[from].proc;
                    if is_useful(from) {
                        let grew = self.modified[caller].union(&modified) | self.referenced[caller].union(&referenced);
                        // Callers come later in the order, unless they are in the same component.
                        is_changed |= grew && order.same_component(caller, callee);
                    }
                }
            }
        }
    }
}

struct Collect<'a> {
    program: &'a Program<Relation>,
    slots: &'a Slots,
    result: ModRef,
}

impl Collect<'_> {
    fn edge(&mut self, proc: ProcId, kind: EdgeKind, label: &Relation, is_relevant: &impl Fn(VarId) -> bool) {
        match (label, kind) {
            (Relation::Step(step), _) => {
                self.read(proc, step, is_relevant);
                for var in next_vars(self.program, step).into_iter().filter(|&var| is_relevant(var)) {
                    if step.update_of(var).is_none() {
                        self.result.referenced[proc].insert(self.slots.of(var));
                    }
                }
                self.write(proc, step, is_relevant);
            }
            (Relation::Call { enter, leave }, EdgeKind::Call { callee, .. }) => {
                self.read(proc, enter, is_relevant);
                for update in enter.updates.iter().filter(|update| is_relevant(update.target)) {
                    self.result.inputs[callee].insert(self.slots.of(update.target));
                }
                for next in next_vars(self.program, enter).into_iter().filter(|&var| is_relevant(var)) {
                    let slot = self.slots.of(next);
                    self.result.referenced[callee].insert(slot);
                    if self.slots.is_global(slot) {
                        self.result.referenced[proc].insert(slot);
                    } else {
                        self.result.inputs[callee].insert(slot);
                    }
                }
                self.read_leave(proc, callee, leave, is_relevant);
                self.write(proc, leave, is_relevant);
            }
            (Relation::Return, _) | (Relation::Call { .. }, _) => {}
        }
    }

    fn read(&mut self, proc: ProcId, transition: &Transition, is_relevant: &impl Fn(VarId) -> bool) {
        let Self { program, slots, result } = self;
        transition.for_each_leaf(&program.exprs, |leaf| {
            if let Expr::Var(var) = leaf
                && is_relevant(var)
            {
                result.referenced[proc].insert(slots.of(var));
            }
        });
    }

    /// On the way back, `x` is the callee's and `x''` the caller's.
    fn read_leave(&mut self, caller: ProcId, callee: ProcId, leave: &Transition, is_relevant: &impl Fn(VarId) -> bool) {
        let Self { program, slots, result } = self;
        leave.for_each_leaf(&program.exprs, |leaf| match leaf {
            Expr::Var(var) if is_relevant(var) => {
                let reader = if program.is_global(var) { caller } else { callee };
                result.referenced[reader].insert(slots.of(var));
            }
            Expr::Saved(var) | Expr::Next(var) if is_relevant(var) => {
                result.referenced[caller].insert(slots.of(var));
            }
            _ => {}
        });
    }

    fn write(&mut self, proc: ProcId, transition: &Transition, is_relevant: &impl Fn(VarId) -> bool) {
        for update in transition.updates.iter().filter(|update| is_relevant(update.target)) {
            self.result.modified[proc].insert(self.slots.of(update.target));
        }
    }
}

/// The variables that stand primed in the constraint.
pub fn next_vars(program: &Program<Relation>, transition: &Transition) -> Vec<VarId> {
    let mut result = Vec::new();
    if let Some(constraint) = transition.constraint {
        program.exprs.for_each_leaf(constraint, |leaf| {
            if let Expr::Next(var) = leaf {
                result.push(var);
            }
        });
    }
    result
}
