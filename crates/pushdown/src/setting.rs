//! What is known of a program before the first BDD: its slice, what procedures modify, what is live, and which
//! variables need a copy of their value at the entry.
//!
//! A path edge relates the state at a procedure's entry with the state now. Only a variable that the procedure may
//! modify needs two copies for that; one that it cannot is its own entry copy, and must then not be forgotten before
//! the exit (it is *pinned*). The outermost activation has no caller to relate to and needs none of it.

use crate::{Options, Switch};
use hardbop_base::IndexVec;
use hardbop_icfg::liveness::Question;
use hardbop_icfg::{CallOrder, Goal, Liveness, ModRef, ProcId, Program, Relation, Slice, SlotSet, Slots};

/// Whether path edges remember the state at the entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// They do not: calls are not matched with returns, an over-approximation.
    Insensitive,
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
        let slots = Slots::new(program);
        let order = CallOrder::new(&program.icfg);
        let slice = match options.slice {
            Switch::On => Slice::new(program, goals),
            Switch::Off => Slice::whole(program),
        };
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
                Question { program, slots: &slots, mod_ref, order, goals, pinned, is_useful, relevant: &relevant }
                    .solve()
            }
            Switch::Off => Liveness::whole(program, &relevant),
        };
        let copied = program
            .icfg
            .procs
            .iter_enumerated()
            .map(|(id, proc)| {
                let mut set = visible_to_callers(&slots, &mod_ref, id);
                set.intersect(&mod_ref.modified[id]);
                set.intersect(liveness.at(proc.entry));
                let needs_none = context == Context::Insensitive || is_outermost(id);
                if needs_none { SlotSet::empty(slots.len()) } else { set }
            })
            .collect();
        Self { program, goals, slots, slice, order, mod_ref, liveness, copied }
    }
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
