//! Sub-traces: how a crossed call gets from its entry to its exit.
//!
//! A sub-trace says what it requires at the entry and what holds at the exit, and so serves every crossing that meets
//! the one and wants the other: a counter that counts to a million needs few.
//!
//! In recursion, a summary must not rest on itself. Each was found at a time, from summaries found before; a run inside
//! a procedure crosses recursive calls only by summaries older than its own.

use super::Tracer;
use super::follow::Target;
use super::rings::Extent;
use crate::encode::Copy;
use crate::flow::open_values;
use hardbop_base::{Exhausted, Idx};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{EdgeId, Expr, ProcId, Relation, SlotId, SlotSet, Value};
use hardbop_verdict::{SubTrace, SubTraceId};

/// What a crossing wants of a procedure.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The procedure.
    pub proc: ProcId,
    /// The state at its entry: a value for each global and input that is live there.
    pub entry: SlotSet,
    /// The slots whose value at the exit matters.
    pub wanted: SlotSet,
    /// Their values.
    pub exit: SlotSet,
}

impl Tracer<'_, '_> {
    /// What crossing the call `edge` between two states of the caller wants of the callee.
    pub(super) fn crossing(
        &mut self,
        edge: EdgeId,
        extent: Extent,
        before: &SlotSet,
        after: &SlotSet,
    ) -> Result<Crossing, Exhausted> {
        if let Some(crossing) = self.determined(edge, before, after) {
            return Ok(crossing);
        }
        let setting = self.saturation.setting;
        let at = setting.program.icfg.edges[edge];
        let callee = self.callee(edge);
        let to = at.target().expect("a call comes back");
        let call = self.call(edge).expect("a call that was crossed was visited");
        let summary = self.summary(edge, extent)?;
        let lifted = self.kernel().transform(summary, call.code.lift)?;
        let linked = self.kernel().and(lifted, call.code.link.relation)?;
        let changed = self.changed(edge);
        let live = setting.liveness.at(to);
        let mut literals = self.literals(setting.liveness.at(at.from).iter(), Copy::Now, before);
        literals.extend(self.literals(live.iter().filter(|&slot| changed.contains(slot)), Copy::Next, after));
        let cube = self.cube(literals)?;
        let possible = self.kernel().and(linked, cube)?;
        let (inputs, outputs) = (self.pick(possible, Copy::Entry), self.pick(possible, Copy::Next));
        let mut entry = SlotSet::empty(setting.slots.len());
        for slot in setting.liveness.at(setting.program.icfg.procs[callee].entry).iter() {
            let source = if setting.slots.is_global(slot) { before } else { &inputs };
            if source.contains(slot) {
                entry.insert(slot);
            }
        }
        let wanted = self.wanted_at_exit(edge, callee, live);
        let mut exit = outputs;
        exit.intersect(&wanted);
        Ok(Crossing { proc: callee, entry, wanted, exit })
    }

    /// The crossing where the caller's states leave nothing open: no choices, and no results but plain copies.
    fn determined(&self, edge: EdgeId, before: &SlotSet, after: &SlotSet) -> Option<Crossing> {
        let setting = self.saturation.setting;
        let (program, slots) = (setting.program, &setting.slots);
        let Relation::Call { enter, leave } = &program.labels[edge] else { unreachable!("the edge is a call") };
        if open_values(enter) + open_values(leave) > 0 || enter.constraint.or(leave.constraint).is_some() {
            return None;
        }
        let callee = self.callee(edge);
        let is_given = |slot: SlotId| enter.updates.iter().any(|update| slots.of(update.target) == slot);
        if self.given_at_entry(callee).iter().any(|slot| !slots.is_global(slot) && !is_given(slot)) {
            return None;
        }
        let live = setting.liveness.at(program.icfg.edges[edge].target().expect("a call comes back"));
        let leaf = |expr: Expr| match expr {
            Expr::Var(var) => Possible::only(before.contains(slots.of(var))),
            _ => Possible::ANY,
        };
        let mut entry = SlotSet::empty(slots.len());
        for slot in setting.liveness.at(program.icfg.procs[callee].entry).iter() {
            if slots.is_global(slot) && before.contains(slot) {
                entry.insert(slot);
            }
        }
        for update in &enter.updates {
            let Value::Of(value) = update.value else { return None };
            if program.exprs.possible(value, &leaf).definite()? {
                entry.insert(slots.of(update.target));
            }
        }
        entry.intersect(setting.liveness.at(program.icfg.procs[callee].entry));
        let wanted = self.wanted_at_exit(edge, callee, live);
        // Only globals: in the caller's state, the slot of a result holds the caller's own.
        let mut exit = SlotSet::empty(slots.len());
        after.iter().filter(|&slot| slots.is_global(slot)).for_each(|slot| {
            exit.insert(slot);
        });
        for update in &leave.updates {
            let slot = slots.of(update.target);
            exit.remove(slot);
            let Value::Of(value) = update.value else { return None };
            match program.exprs.get(value) {
                Expr::Var(result) if !live.contains(slot) && wanted.contains(slots.of(result)) => return None,
                Expr::Var(result) if after.contains(slot) => exit.insert(slots.of(result)),
                Expr::Var(_) => false,
                _ => return None,
            };
        }
        exit.intersect(&wanted);
        Some(Crossing { proc: callee, entry, wanted, exit })
    }

    /// The modified globals that the caller goes on with, and the results that it reads.
    fn wanted_at_exit(&self, edge: EdgeId, callee: ProcId, live: &SlotSet) -> SlotSet {
        let setting = self.saturation.setting;
        let Relation::Call { leave, .. } = &setting.program.labels[edge] else { unreachable!("the edge is a call") };
        let mut wanted = SlotSet::empty(setting.slots.len());
        for slot in live.iter().filter(|&slot| setting.slots.is_global(slot)) {
            wanted.insert(slot);
        }
        leave.for_each_leaf(&setting.program.exprs, |leaf| match leaf {
            Expr::Var(var) => {
                wanted.insert(setting.slots.of(var));
            }
            Expr::Next(var) if setting.program.is_global(var) => {
                wanted.insert(setting.slots.of(var));
            }
            _ => {}
        });
        for update in &leave.updates {
            wanted.remove(setting.slots.of(update.target));
        }
        let mut delivered = setting.mod_ref.modified[callee].clone();
        delivered.intersect(setting.liveness.at(setting.program.icfg.procs[callee].exit));
        // Results are the callee's to deliver whether it has a `return` that sets them or not.
        for slot in setting.liveness.at(setting.program.icfg.procs[callee].exit).iter() {
            if self.is_result(slot) {
                delivered.insert(slot);
            }
        }
        wanted.intersect(&delivered);
        wanted
    }

    fn is_result(&self, slot: SlotId) -> bool {
        let slots = &self.saturation.setting.slots;
        (slots.globals()..slots.globals() + slots.results()).contains(&slot.index())
    }

    /// A sub-trace for `crossing`: one that is known, or a new one.
    pub(super) fn prove(&mut self, crossing: &Crossing) -> Result<SubTraceId, Exhausted> {
        let known = self.of_proc.get(&crossing.proc).map_or(&[][..], Vec::as_slice);
        if let Some(&id) = known.iter().find(|&&id| self.serves(&self.subtraces[id], crossing)) {
            return Ok(id);
        }
        let setting = self.saturation.setting;
        let proc = &setting.program.icfg.procs[crossing.proc];
        let extent = Extent::Procedure { proc: crossing.proc, rank: self.rank(crossing)? };
        let start = (proc.entry, self.entry_states(crossing)?);
        let goal = self.literals(crossing.wanted.iter(), Copy::Now, &crossing.exit);
        let goal = self.cube(goal)?;
        let (rings, time) =
            self.spread(extent, crossing.proc, start, goal)?.expect("a summary has a run of the procedure behind it");
        let found = rings.of(proc.exit).last().expect("the exit was met").states;
        let states = self.kernel().and(found, goal)?;
        let outer = std::mem::take(&mut self.inside);
        let run = self.follow(extent, Target { node: proc.exit, states, time }, &rings, start)?;
        self.inside = outer;
        let subtrace = self.generalise(crossing, extent, &run)?;
        let id = self.subtraces.push(subtrace);
        self.of_proc.entry(crossing.proc).or_default().push(id);
        Ok(id)
    }

    fn entry_states(&mut self, crossing: &Crossing) -> Result<hardbop_bdd::Bdd, Exhausted> {
        let given = self.given_at_entry(crossing.proc);
        let literals = self.literals(given.iter(), Copy::Now, &crossing.entry);
        self.cube(literals)
    }

    /// The slots that the caller decides at the entry of `proc`.
    pub(super) fn given_at_entry(&self, proc: ProcId) -> SlotSet {
        let setting = self.saturation.setting;
        let mut given = SlotSet::empty(setting.slots.len());
        for slot in setting.liveness.at(setting.program.icfg.procs[proc].entry).iter() {
            if setting.slots.is_global(slot) || setting.mod_ref.inputs[proc].contains(slot) {
                given.insert(slot);
            }
        }
        given
    }

    /// Whether `subtrace` leads from the crossing's entry to what it wants at the exit.
    fn serves(&self, subtrace: &SubTrace, crossing: &Crossing) -> bool {
        let setting = self.saturation.setting;
        let given = self.given_at_entry(crossing.proc);
        let is_met = subtrace.requires.iter().all(|&(var, value)| {
            let slot = setting.slots.of(var);
            let is_callees_own =
                !setting.program.is_global(var) && !setting.mod_ref.inputs[crossing.proc].contains(slot);
            is_callees_own || given.contains(slot) && crossing.entry.contains(slot) == value
        });
        is_met
            && crossing.wanted.iter().all(|slot| {
                let wanted = crossing.exit.contains(slot);
                match subtrace.effects.iter().find(|(var, _)| setting.slots.of(*var) == slot) {
                    Some(&(_, value)) => value == Some(wanted),
                    None => {
                        setting.slots.is_global(slot) && given.contains(slot) && crossing.entry.contains(slot) == wanted
                    }
                }
            })
    }

    /// When the summary behind `crossing` was found.
    fn rank(&mut self, crossing: &Crossing) -> Result<u64, Exhausted> {
        let setting = self.saturation.setting;
        if !setting.order.is_recursive(crossing.proc) {
            return Ok(0);
        }
        let copied = &setting.copied[crossing.proc];
        let exit = setting.liveness.at(setting.program.icfg.procs[crossing.proc].exit);
        let given = self.given_at_entry(crossing.proc);
        let mut literals = self.literals(copied.iter(), Copy::Entry, &crossing.entry);
        let pinned = given
            .iter()
            .filter(|&slot| !copied.contains(slot) && exit.contains(slot) && !crossing.wanted.contains(slot));
        let pinned = pinned.filter(|&slot| !setting.mod_ref.modified[crossing.proc].contains(slot));
        literals.extend(self.literals(pinned, Copy::Now, &crossing.entry));
        literals.extend(self.literals(crossing.wanted.iter(), Copy::Now, &crossing.exit));
        let cube = self.cube(literals)?;
        for place in 0..self.saturation.summary_history[crossing.proc].len() {
            let addition = self.saturation.summary_history[crossing.proc][place];
            if !self.kernel().disjoint(addition.states, cube)? {
                return Ok(addition.time);
            }
        }
        unreachable!("a crossing rests on a summary")
    }
}
