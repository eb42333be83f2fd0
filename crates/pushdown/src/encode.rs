//! From readable relations to BDDs.
//!
//! Each slot has three adjacent levels: its value at the entry, now and next. So every renaming is monotone and is done
//! while an image is computed. A relation mentions only what it reads and writes, there are no frame conditions; the
//! plan beside it says what to forget (what is overwritten or dead afterwards) and what to move.
//!
//! A chain of steps is executed symbolically: a function of the values at its start for every variable written, and the
//! condition under which it can be followed. A value that is open ([`range`]) has a choice, whose level is at the bottom
//! and gone when the relation is made.

mod call;
mod decide;
mod levels;
mod range;

pub use call::CallCode;
pub use decide::open_targets;
pub use levels::{Copy, Levels};

use crate::Setting;
use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::{Bdd, Fate, Kernel, PlanId};
use hardbop_icfg::{EdgeId, Expr, ExprId, NodeId, ProcId, Relation, SlotId, SlotSet, Transition, Value, VarId};

/// A relation and what becomes of the levels when it is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The relation.
    pub relation: Bdd,
    /// What to forget and to move.
    pub plan: PlanId,
}

/// Encodes the labels of one program.
pub struct Encoder<'a> {
    setting: &'a Setting<'a>,
    /// The kernel that everything lives in.
    pub kernel: Kernel,
    /// The order of levels.
    pub levels: Levels,
    /// Symbolic values of slots in the chain at hand; `None` where a slot still has its first value.
    values: Vec<Option<Bdd>>,
    written: Vec<SlotId>,
    choices: usize,
}

impl<'a> Encoder<'a> {
    /// An encoder for `setting` in `kernel`, which has room for `levels`.
    pub fn new(setting: &'a Setting<'a>, kernel: Kernel, levels: Levels) -> Self {
        let values = vec![None; setting.slots.len()];
        Self { setting, kernel, levels, values, written: Vec::new(), choices: 0 }
    }

    /// The function "`slot` is true" over one copy.
    pub fn var(&mut self, slot: SlotId, copy: Copy) -> Result<Bdd, Exhausted> {
        self.kernel.var(self.levels.of(slot, copy))
    }

    /// A condition on the state now.
    pub fn condition(&mut self, condition: ExprId) -> Result<Bdd, Exhausted> {
        self.choices = 0;
        let repeated = self.repeated(std::iter::once(condition));
        let now = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Var(var) => encoder.now(var),
            _ => unreachable!("a condition speaks of one state"),
        };
        let value = self.possibly(condition, &mut repeated.beside(now))?;
        self.drop_choices(value)
    }

    /// The states, over [`Copy::Now`], that a run can start in.
    pub fn initial(&mut self) -> Result<Bdd, Exhausted> {
        let Some(constraint) = self.setting.program.initial.constraint else { return Ok(Bdd::TRUE) };
        self.choices = 0;
        let repeated = self.repeated(std::iter::once(constraint));
        let now = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Var(var) | Expr::Next(var) => encoder.now(var),
            _ => unreachable!("the first state has no caller"),
        };
        let value = self.possibly(constraint, &mut repeated.beside(now))?;
        let all = self.drop_choices(value)?;
        let live = self.setting.liveness.at(self.setting.program.icfg.procs[self.setting.program.entry].entry);
        let (levels, slots) = (&self.levels, &self.setting.slots);
        let dead = slots.ids().filter(|&slot| !live.contains(slot));
        let plan = self.kernel.plan(dead.map(|slot| (levels.of(slot, Copy::Now), Fate::Forget)));
        self.kernel.transform(all, plan)
    }

    /// Where every copied slot of `proc` is as it was at the entry.
    pub fn identity(&mut self, proc: ProcId) -> Result<Bdd, Exhausted> {
        let mut result = Bdd::TRUE;
        // From the bottom up, so that each conjunction only adds nodes on top.
        for slot in self.levels.bottom_up(&self.setting.copied[proc]) {
            let (entry, now) = (self.var(slot, Copy::Entry)?, self.var(slot, Copy::Now)?);
            let same = self.kernel.iff(entry, now)?;
            result = self.kernel.and(same, result)?;
        }
        Ok(result)
    }

    /// A chain of steps from `from` to `to`.
    pub fn steps(&mut self, from: NodeId, steps: &[EdgeId], to: NodeId) -> Result<Code, Exhausted> {
        self.start();
        let mut condition = Bdd::TRUE;
        let live = self.setting.liveness.at(to);
        let is_alone = steps.len() == 1;
        for &edge in steps {
            let Relation::Step(step) = &self.setting.program.labels[edge] else {
                unreachable!("a block of steps is made of steps")
            };
            condition = self.step(step, condition, is_alone)?;
        }
        self.written.sort_unstable();
        if is_alone {
            condition = self.forget_dead(condition, live)?;
        }
        let mut values = Vec::new();
        for slot in self.written.clone().into_iter().rev().filter(|&slot| live.contains(slot)) {
            let value = self.values[slot.index()].expect("a written slot has a value");
            let next = self.var(slot, Copy::Next)?;
            values.push(self.kernel.iff(next, value)?);
        }
        let relation = self.join(condition, values)?;
        let plan = self.step_plan(from, to);
        Ok(Code { relation, plan })
    }

    fn start(&mut self) {
        for slot in self.written.drain(..) {
            self.values[slot.index()] = None;
        }
        self.choices = 0;
    }

    /// Executes one step symbolically; returns the condition with the step's own added. What a step leaves open that is
    /// alone in its block is the next value itself. As a choice it would be at the bottom of the order, far from what a
    /// constraint relates it to.
    fn step(&mut self, step: &Transition, mut condition: Bdd, is_alone: bool) -> Result<Bdd, Exhausted> {
        let repeated = self.repeated(step.exprs());
        let before = |encoder: &mut Encoder<'_>, leaf| match leaf {
            Expr::Var(var) => encoder.value(var),
            _ => unreachable!("a guard and a right-hand side speak of the state before"),
        };
        if let Some(guard) = step.guard {
            let guard = self.possibly(guard, &mut repeated.beside(before))?;
            condition = self.kernel.and(condition, guard)?;
        }
        let mut updated: Vec<(SlotId, Bdd)> = Vec::with_capacity(step.updates.len());
        for update in step.updates.iter().filter(|update| self.setting.slice.is_relevant[update.target]) {
            let slot = self.setting.slots.of(update.target);
            let value = match update.value {
                Value::Of(value) => self.chosen(value, &mut repeated.beside(before))?,
                Value::Any if is_alone => self.var(slot, Copy::Next)?,
                Value::Any => self.fresh()?,
            };
            updated.push((slot, value));
        }
        if let Some(constraint) = step.constraint {
            let after = |encoder: &Encoder<'_>, var: VarId| {
                let slot = encoder.setting.slots.of(var);
                updated.iter().find(|(target, _)| *target == slot).map(|&(_, value)| value)
            };
            let both = |encoder: &mut Encoder<'_>, leaf| match leaf {
                Expr::Next(var) => match after(encoder, var) {
                    Some(value) => Ok(value),
                    None => encoder.value(var),
                },
                leaf => before(encoder, leaf),
            };
            let constraint = self.possibly(constraint, &mut repeated.beside(both))?;
            condition = self.kernel.and(condition, constraint)?;
        }
        for (slot, value) in updated {
            if self.values[slot.index()].replace(value).is_none() {
                self.written.push(slot);
            }
        }
        Ok(condition)
    }

    /// `condition` without the next values of slots that are not in `live`.
    fn forget_dead(&mut self, condition: Bdd, live: &SlotSet) -> Result<Bdd, Exhausted> {
        let levels = &self.levels;
        let dead = self.written.iter().filter(|&&slot| !live.contains(slot));
        let plan = self.kernel.plan(dead.map(|&slot| (levels.of(slot, Copy::Next), Fate::Forget)));
        self.kernel.transform(condition, plan)
    }

    fn step_plan(&mut self, from: NodeId, to: NodeId) -> PlanId {
        let (before, after) = (self.setting.liveness.at(from), self.setting.liveness.at(to));
        let (levels, written) = (&self.levels, &self.written);
        let overwritten = written.iter().flat_map(|&slot| {
            let moved =
                after.contains(slot).then(|| (levels.of(slot, Copy::Next), Fate::MoveTo(levels.of(slot, Copy::Now))));
            std::iter::once((levels.of(slot, Copy::Now), Fate::Forget)).chain(moved)
        });
        let is_written = |slot: &SlotId| written.binary_search(slot).is_ok();
        let dead = before.iter().filter(|slot| !after.contains(*slot) && !is_written(slot));
        let dead = dead.map(|slot| (levels.of(slot, Copy::Now), Fate::Forget));
        self.kernel.plan(overwritten.chain(dead))
    }

    /// The value of `var` after the steps so far.
    fn value(&mut self, var: VarId) -> Result<Bdd, Exhausted> {
        let slot = self.setting.slots.of(var);
        match self.values[slot.index()] {
            Some(value) => Ok(value),
            None => self.var(slot, Copy::Now),
        }
    }

    fn now(&mut self, var: VarId) -> Result<Bdd, Exhausted> {
        self.var(self.setting.slots.of(var), Copy::Now)
    }

    fn choice(&mut self, number: usize) -> Result<Bdd, Exhausted> {
        self.choices = self.choices.max(number + 1);
        self.kernel.var(self.levels.choice(number))
    }

    fn fresh(&mut self) -> Result<Bdd, Exhausted> {
        self.choice(self.choices)
    }

    /// The conjunction of all, without choices. Each choice is dropped as soon as the parts that know it are one, those
    /// that the fewest know first: where each of many variables may or may not be written, the choices of all of them
    /// together would be too much.
    fn join(&mut self, condition: Bdd, parts: Vec<Bdd>) -> Result<Bdd, Exhausted> {
        let mut parts: Vec<(Bdd, Vec<usize>)> =
            std::iter::once(condition).chain(parts).map(|part| (part, self.choices_of(part))).collect();
        let mut knowing = vec![0_u32; self.choices];
        loop {
            knowing.fill(0);
            parts.iter().flat_map(|(_, choices)| choices).for_each(|&choice| knowing[choice] += 1);
            let known = (0..self.choices).filter(|&choice| knowing[choice] > 0);
            let Some(next) = known.min_by_key(|&choice| knowing[choice]) else { break };
            let (joined, others): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(_, choices)| choices.contains(&next));
            let all = self.all(joined.into_iter().map(|(part, _)| part))?;
            let is_elsewhere = |choice: &usize| others.iter().any(|(_, choices)| choices.contains(choice));
            let gone: Vec<usize> = self.choices_of(all).into_iter().filter(|choice| !is_elsewhere(choice)).collect();
            let all = self.forget_choices(all, &gone)?;
            parts = others;
            parts.insert(0, (all, self.choices_of(all)));
        }
        self.all(parts.into_iter().map(|(part, _)| part))
    }

    fn all(&mut self, parts: impl IntoIterator<Item = Bdd>) -> Result<Bdd, Exhausted> {
        parts.into_iter().try_fold(Bdd::TRUE, |all, part| self.kernel.and(all, part))
    }

    /// The choices that a part knows.
    fn choices_of(&self, part: Bdd) -> Vec<usize> {
        if self.choices == 0 {
            return Vec::new();
        }
        self.kernel.support(part).into_iter().filter_map(|level| self.levels.choice_at(level)).collect()
    }

    fn drop_choices(&mut self, relation: Bdd) -> Result<Bdd, Exhausted> {
        let all: Vec<usize> = (0..self.choices).collect();
        self.forget_choices(relation, &all)
    }

    fn forget_choices(&mut self, relation: Bdd, choices: &[usize]) -> Result<Bdd, Exhausted> {
        if choices.is_empty() {
            return Ok(relation);
        }
        let levels = &self.levels;
        let plan = self.kernel.plan(choices.iter().map(|&number| (levels.choice(number), Fate::Forget)));
        self.kernel.transform(relation, plan)
    }
}
