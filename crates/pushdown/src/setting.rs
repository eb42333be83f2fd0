//! What is known of a program before the first BDD: its slice, what procedures modify, what is live, and which
//! variables need a copy of their value at the entry.
//!
//! A path edge relates the state at a procedure's entry with the state now. Only a variable that the procedure may
//! modify needs two copies for that; one that it cannot is its own entry copy, and must then not be forgotten before
//! the exit (it is *pinned*). The outermost activation has no caller to relate to and needs none of it.

use crate::{Options, Switch};
use hardbop_base::IndexVec;
use hardbop_icfg::liveness::Question;
use hardbop_icfg::{
    CallOrder, Expr, Goal, Liveness, ModRef, ProcId, Program, Relation, Slice, SlotSet, Slots, Transition, VarId,
};

/// Whether path edges remember the state at the entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// They do not: calls are not matched with returns, an over-approximation.
    Insensitive,
    /// Where that matters for what can be reached: also exact, but what an activation that is made once came from is
    /// forgotten, so that no run can be read off.
    Reach,
    /// They do: exact.
    Exact,
}

/// The static part of an analysis.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The program.
    pub program: &'a Program<Relation>,
    /// What is asked.
    pub goals: &'a [Goal],
    /// The slots of its variables.
    pub slots: Slots,
    /// What the goals can see.
    pub slice: Slice,
    /// The call graph.
    pub order: CallOrder,
    /// What procedures modify and refer to.
    pub mod_ref: ModRef,
    /// What is live where; never more than what is relevant.
    pub liveness: Liveness,
    /// For each procedure, the slots with an entry copy.
    pub copied: IndexVec<ProcId, SlotSet>,
}

impl<'a> Setting<'a> {
    /// Analyses `program` for `goals`.
    pub fn new(program: &'a Program<Relation>, goals: &'a [Goal], options: &Options, context: Context) -> Self {
        let slice = match options.slice {
            Switch::On => Slice::new(program, goals),
            Switch::Off => Slice::whole(program),
        };
        Self::build(program, goals, &[], slice, options, context)
    }

    /// Analyses the whole of `program`, in which the values of `watched` always matter.
    pub fn watching(program: &'a Program<Relation>, watched: &[VarId], options: &Options) -> Self {
        Self::build(program, &[], watched, Slice::whole(program), options, Context::Exact)
    }

    fn build(
        program: &'a Program<Relation>,
        goals: &'a [Goal],
        watched: &[VarId],
        slice: Slice,
        options: &Options,
        context: Context,
    ) -> Self {
        let slots = Slots::new(program);
        let order = CallOrder::new(&program.icfg);
        let relevant = relevant_slots(program, &slots, &slice);
        let mut mod_ref =
            ModRef::new(program, &slots, &order, |node| slice.is_useful[node], |var| slice.is_relevant[var]);
        if options.mod_ref == Switch::Off {
            mod_ref.modified.clone_from(&relevant);
            mod_ref.referenced.clone_from(&relevant);
        }
        let is_outermost = |proc| proc == program.entry && program.icfg.callers(proc).is_empty();
        let pinned: IndexVec<ProcId, SlotSet> = program
            .icfg
            .procs
            .ids()
            .map(|proc| {
                let mut set = visible_to_callers(&slots, &mod_ref, proc);
                set.intersect(&mod_ref.referenced[proc]);
                set.subtract(&mod_ref.modified[proc]);
                if is_outermost(proc) { SlotSet::empty(slots.len()) } else { set }
            })
            .collect();
        let liveness = match options.liveness {
            Switch::On => {
                let (mod_ref, order, pinned) = (&mod_ref, &order, &pinned);
                let is_useful = &slice.is_useful;
                let (slots, relevant) = (&slots, &relevant);
                Question { program, slots, mod_ref, order, goals, watched, pinned, is_useful, relevant }.solve()
            }
            Switch::Off => Liveness::whole(program, &relevant),
        };
        let is_single = single_procs(program, &slots, &order, (&mod_ref, &pinned, &liveness), is_outermost);
        let copied = program
            .icfg
            .procs
            .iter_enumerated()
            .map(|(id, proc)| {
                let mut set = visible_to_callers(&slots, &mod_ref, id);
                set.intersect(&mod_ref.modified[id]);
                set.intersect(liveness.at(proc.entry));
                let needs_none = match context {
                    Context::Insensitive => true,
                    Context::Reach => is_single[id],
                    Context::Exact => is_outermost(id),
                };
                if needs_none { SlotSet::empty(slots.len()) } else { set }
            })
            .collect();
        Self { program, goals, slots, slice, order, mod_ref, liveness, copied }
    }
}

/// Which procedures need no entry copies: the outermost, and those called from one place in such a procedure, by a
/// caller of whose state nothing lives across the call but what the procedure carries along (what is pinned). Whatever
/// such a procedure changes, nobody remembers how it was.
fn single_procs(
    program: &Program<Relation>,
    slots: &Slots,
    order: &CallOrder,
    (mod_ref, pinned, liveness): (&ModRef, &IndexVec<ProcId, SlotSet>, &Liveness),
    is_outermost: impl Fn(ProcId) -> bool,
) -> IndexVec<ProcId, bool> {
    let icfg = &program.icfg;
    let mut is_single = IndexVec::from_elem(false, icfg.procs.len());
    for &proc in order.callees_first.iter().rev() {
        let is_called_so = match icfg.callers(proc) {
            &[call] if proc != program.entry => {
                let caller = icfg.nodes[icfg.edges[call].from].proc;
                let to = icfg.edges[call].target().expect("a call comes back");
                let Relation::Call { leave, .. } = &program.labels[call] else { unreachable!("the edge is a call") };
                let is_written = |slot| leave.updates.iter().any(|update| slots.of(update.target) == slot);
                let is_delivered = |slot| {
                    is_written(slot)
                        || slots.is_global(slot)
                            && (mod_ref.modified[proc].contains(slot) || pinned[proc].contains(slot))
                };
                let lives_across = liveness.at(to).iter().any(|slot| !is_delivered(slot));
                let reads_saved = reads_saved(program, leave);
                is_single[caller] && !order.is_recursive(proc) && !lives_across && !reads_saved
            }
            _ => false,
        };
        is_single[proc] = is_outermost(proc) || is_called_so;
    }
    is_single
}

fn reads_saved(program: &Program<Relation>, leave: &Transition) -> bool {
    let mut reads_saved = false;
    leave.for_each_leaf(&program.exprs, |leaf| reads_saved |= matches!(leaf, Expr::Saved(_)));
    reads_saved
}

/// Globals, and the locals that callers give a value.
fn visible_to_callers(slots: &Slots, mod_ref: &ModRef, proc: ProcId) -> SlotSet {
    let mut set = mod_ref.inputs[proc].clone();
    slots.ids().take(slots.globals()).for_each(|slot| {
        set.insert(slot);
    });
    set
}

fn relevant_slots(program: &Program<Relation>, slots: &Slots, slice: &Slice) -> IndexVec<ProcId, SlotSet> {
    let mut globals = SlotSet::empty(slots.len());
    for var in program.globals().filter(|&var| slice.is_relevant[var]) {
        globals.insert(slots.of(var));
    }
    let of_proc = |vars: &Vec<_>| {
        let mut set = globals.clone();
        for &var in vars.iter().filter(|&&var| slice.is_relevant[var]) {
            set.insert(slots.of(var));
        }
        set
    };
    program.locals.iter().map(of_proc).collect()
}
