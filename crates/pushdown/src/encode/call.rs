//! Calls: the way into a callee, and a callee's summary as the effect of a call.
//!
//! The effect of a call is a relation of the caller between now and next, `∃ s, x: Enter(now, s) ∧ Summary(s, x) ∧
//! Leave(now, x, next)`, so crossing a call is an image like any other. While it is made, no entry copies of the caller
//! are around, and the levels are used like this:
//!
//! | value | level |
//! | --- | --- |
//! | caller's variables now; globals at the callee's entry | now |
//! | callee's parameters at its entry | entry |
//! | globals that the callee may modify, and results, at its exit | next |
//! | caller's targets | next |
//!
//! A global that the call itself overwrites loses its exit value before it gets its new one.

use super::{Code, Copy, Encoder};
use hardbop_base::Exhausted;
use hardbop_bdd::{Bdd, Fate, Level, PlanId};
use hardbop_icfg::{EdgeId, EdgeKind, Expr, NodeId, ProcId, Relation, SlotId, SlotSet, Transition, Value, VarId};

/// How a call is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallCode {
    /// From path edges at the call to the callee's entry states, over [`Copy::Now`].
    pub enter: Code,
    /// Brings the callee's summary to the levels of the table above.
    pub lift: PlanId,
    /// Joined with the lifted summary, gives the call's effect.
    pub link: Code,
    /// Applies the call's effect to path edges at the call.
    pub apply: PlanId,
}

/// A call edge, taken apart.
struct Call<'a> {
    from: NodeId,
    to: NodeId,
    callee: ProcId,
    enter: &'a Transition,
    leave: &'a Transition,
    /// What is live at the callee's entry.
    entry: &'a SlotSet,
    /// What the callee may modify.
    modified: &'a SlotSet,
}

impl<'a> Encoder<'a> {
    /// The call `edge`.
    pub fn call(&mut self, edge: EdgeId) -> Result<CallCode, Exhausted> {
        let setting = self.setting;
        let (Relation::Call { enter, leave }, EdgeKind::Call { callee, to }) =
            (&setting.program.labels[edge], setting.program.icfg.edges[edge].kind)
        else {
            unreachable!("a call edge carries a call")
        };
        let call = Call {
            from: setting.program.icfg.edges[edge].from,
            to,
            callee,
            enter,
            leave,
            entry: setting.liveness.at(setting.program.icfg.procs[callee].entry),
            modified: &setting.mod_ref.modified[callee],
        };
        let enter = self.enter_code(&call)?;
        let lift = self.lift_plan(&call);
        let link = self.link_code(&call)?;
        let apply = self.apply_plan(&call);
        Ok(CallCode { enter, lift, link, apply })
    }

    fn enter_code(&mut self, call: &Call<'_>) -> Result<Code, Exhausted> {
        self.start();
        let (condition, parameters) = self.way_in(call, Copy::Next)?;
        let relation = self.join(condition, parameters)?;
        let setting = self.setting;
        let caller = setting.program.icfg.nodes[call.from].proc;
        let levels = self.levels.clone();
        let copied = setting.copied[caller].iter().map(|slot| (levels.of(slot, Copy::Entry), Fate::Forget));
        let now = setting.liveness.at(call.from).iter();
        let gone = now.filter(|&slot| !setting.slots.is_global(slot) || !call.entry.contains(slot));
        let gone = gone.map(|slot| (levels.of(slot, Copy::Now), Fate::Forget));
        let inputs = setting.mod_ref.inputs[call.callee].iter().map(|slot| {
            let fate = if call.entry.contains(slot) { Fate::MoveTo(levels.of(slot, Copy::Now)) } else { Fate::Forget };
            (levels.of(slot, Copy::Next), fate)
        });
        let fates: Vec<(Level, Fate)> = copied.chain(gone).chain(inputs).collect();
        let plan = self.kernel.plan(fates);
        Ok(Code { relation, plan })
    }

    /// The guard and constraint of the way in, and what the parameters are that are live at the entry, which stand at
    /// `copy`.
    fn way_in(&mut self, call: &Call<'_>, copy: Copy) -> Result<(Bdd, Vec<Bdd>), Exhausted> {
        let repeated = self.repeated(call.enter.exprs());
        let before = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Var(var) => encoder.now(var),
            _ => unreachable!("arguments speak of the caller's state"),
        };
        let condition = match call.enter.guard {
            Some(guard) => self.possibly(guard, &mut repeated.beside(before))?,
            None => Bdd::TRUE,
        };
        let mut values: Vec<(VarId, Bdd)> = Vec::with_capacity(call.enter.updates.len());
        let mut parameters = Vec::new();
        for update in &call.enter.updates {
            let slot = self.setting.slots.of(update.target);
            let Value::Of(value) = update.value else { continue };
            let is_read = call.entry.contains(slot) && self.setting.slice.is_relevant[update.target];
            if is_read || call.enter.constraint.is_some() {
                let value = self.chosen(value, &mut repeated.beside(before))?;
                values.push((update.target, value));
                if is_read {
                    let parameter = self.var(slot, copy)?;
                    parameters.push(self.kernel.iff(parameter, value)?);
                }
            }
        }
        let Some(constraint) = call.enter.constraint else { return Ok((condition, parameters)) };
        let both = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Next(var) => match values.iter().find(|(target, _)| *target == var) {
                Some(&(_, value)) => Ok(value),
                _ if encoder.setting.program.is_global(var) => encoder.now(var),
                _ => encoder.var(encoder.setting.slots.of(var), copy),
            },
            leaf => before(encoder, leaf),
        };
        let constraint = self.possibly(constraint, &mut repeated.beside(both))?;
        Ok((self.kernel.and(condition, constraint)?, parameters))
    }

    fn lift_plan(&mut self, call: &Call<'_>) -> PlanId {
        let setting = self.setting;
        let levels = self.levels.clone();
        let exit = setting.liveness.at(setting.program.icfg.procs[call.callee].exit);
        let needed = self.needed_from_exit(call);
        let mut fates: Vec<(Level, Fate)> = Vec::new();
        for slot in setting.copied[call.callee].iter().filter(|&slot| setting.slots.is_global(slot)) {
            fates.push((levels.of(slot, Copy::Entry), Fate::MoveTo(levels.of(slot, Copy::Now))));
        }
        for slot in exit.iter() {
            let fate = if setting.slots.is_global(slot) {
                match (call.modified.contains(slot), needed.contains(slot)) {
                    (true, true) => Fate::MoveTo(levels.of(slot, Copy::Next)),
                    (true, false) => Fate::Forget,
                    (false, _) => Fate::Keep,
                }
            } else if needed.contains(slot) {
                Fate::MoveTo(levels.of(slot, Copy::Next))
            } else if setting.mod_ref.inputs[call.callee].contains(slot) && !call.modified.contains(slot) {
                Fate::MoveTo(levels.of(slot, Copy::Entry))
            } else {
                Fate::Forget
            };
            fates.push((levels.of(slot, Copy::Now), fate));
        }
        self.kernel.plan(fates)
    }

    /// What of the callee's exit state the caller goes on with: the results that it reads, and the modified globals
    /// that it reads or keeps.
    fn needed_from_exit(&self, call: &Call<'_>) -> SlotSet {
        let setting = self.setting;
        let mut needed = SlotSet::empty(setting.slots.len());
        call.leave.for_each_leaf(&setting.program.exprs, |leaf| {
            if let Expr::Var(var) | Expr::Next(var) = leaf {
                let slot = setting.slots.of(var);
                if setting.slots.is_global(slot) || leaf == Expr::Var(var) {
                    needed.insert(slot);
                }
            }
        });
        for slot in setting.liveness.at(call.to).iter().filter(|&slot| setting.slots.is_global(slot)) {
            needed.insert(slot);
        }
        for update in &call.leave.updates {
            needed.remove(setting.slots.of(update.target));
        }
        needed
    }

    fn link_code(&mut self, call: &Call<'_>) -> Result<Code, Exhausted> {
        self.start();
        let (way_in, mut parts) = self.way_in(call, Copy::Entry)?;
        let (way_back, targets) = self.way_back(call)?;
        parts.extend(targets);
        let condition = self.kernel.and(way_in, way_back)?;
        let relation = self.join(condition, parts)?;
        let setting = self.setting;
        let levels = self.levels.clone();
        let live = setting.liveness.at(call.to);
        let parameters = setting.mod_ref.inputs[call.callee].iter();
        let parameters = parameters.map(|slot| (levels.of(slot, Copy::Entry), Fate::Forget));
        let written: Vec<SlotId> = call.leave.updates.iter().map(|update| setting.slots.of(update.target)).collect();
        let needed = self.needed_from_exit(call);
        let passed = needed.iter().filter(|&slot| {
            let is_kept = setting.slots.is_global(slot) && live.contains(slot);
            !is_kept && !written.contains(&slot)
        });
        let passed = passed.map(|slot| (levels.of(slot, Copy::Next), Fate::Forget));
        let fates: Vec<(Level, Fate)> = parameters.chain(passed).collect();
        let plan = self.kernel.plan(fates);
        Ok(Code { relation, plan })
    }

    /// The guard and constraint of the way back, and what the caller's targets are.
    fn way_back(&mut self, call: &Call<'_>) -> Result<(Bdd, Vec<Bdd>), Exhausted> {
        let at_exit = |encoder: &mut Encoder<'_>, var: VarId| {
            let slot = encoder.setting.slots.of(var);
            let is_modified = !encoder.setting.slots.is_global(slot) || call.modified.contains(slot);
            encoder.var(slot, if is_modified { Copy::Next } else { Copy::Now })
        };
        let repeated = self.repeated(call.leave.exprs());
        let before = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Var(var) => {
                let is_overwritten = encoder.setting.program.is_global(var) && call.leave.update_of(var).is_some();
                assert!(!is_overwritten, "a call reads the exit value of a global that it overwrites");
                at_exit(encoder, var)
            }
            Expr::Saved(var) => encoder.now(var),
            _ => unreachable!("the way back reads the callee's exit and the caller's locals"),
        };
        let condition = match call.leave.guard {
            Some(guard) => self.possibly(guard, &mut repeated.beside(before))?,
            None => Bdd::TRUE,
        };
        let live = self.setting.liveness.at(call.to);
        let mut values: Vec<(VarId, Bdd)> = Vec::with_capacity(call.leave.updates.len());
        let mut targets = Vec::new();
        for update in call.leave.updates.iter().filter(|update| self.setting.slice.is_relevant[update.target]) {
            let slot = self.setting.slots.of(update.target);
            let value = match update.value {
                Value::Of(value) => self.chosen(value, &mut repeated.beside(before))?,
                Value::Any => self.fresh()?,
            };
            values.push((update.target, value));
            if live.contains(slot) {
                let next = self.var(slot, Copy::Next)?;
                targets.push(self.kernel.iff(next, value)?);
            }
        }
        let Some(constraint) = call.leave.constraint else { return Ok((condition, targets)) };
        let both = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Next(var) => match values.iter().find(|(target, _)| *target == var) {
                Some(&(_, value)) => Ok(value),
                None if encoder.setting.program.is_global(var) => at_exit(encoder, var),
                None => encoder.now(var),
            },
            leaf => before(encoder, leaf),
        };
        let constraint = self.possibly(constraint, &mut repeated.beside(both))?;
        Ok((self.kernel.and(condition, constraint)?, targets))
    }

    fn apply_plan(&mut self, call: &Call<'_>) -> PlanId {
        let setting = self.setting;
        let levels = self.levels.clone();
        let live = setting.liveness.at(call.to);
        let mut changed = SlotSet::empty(setting.slots.len());
        for slot in call.modified.iter().filter(|&slot| setting.slots.is_global(slot)) {
            changed.insert(slot);
        }
        for update in &call.leave.updates {
            changed.insert(setting.slots.of(update.target));
        }
        let overwritten = changed.iter().flat_map(|slot| {
            let (now, next) = (levels.of(slot, Copy::Now), levels.of(slot, Copy::Next));
            let moved = live.contains(slot).then_some((next, Fate::MoveTo(now)));
            std::iter::once((now, Fate::Forget)).chain(moved)
        });
        let before = setting.liveness.at(call.from);
        let dead = before.iter().filter(|&slot| !live.contains(slot) && !changed.contains(slot));
        let dead = dead.map(|slot| (levels.of(slot, Copy::Now), Fate::Forget));
        let fates: Vec<(Level, Fate)> = overwritten.chain(dead).collect();
        self.kernel.plan(fates)
    }
}
