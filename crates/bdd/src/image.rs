//! Images: `rename(∃ forgotten. f ∧ g)` in one recursion, the relational product of [BCM+92] with the renaming inside.
//!
//! The renaming happens where nodes of the result are made, so it must keep the order of the levels that remain in the
//! result: with the copies of a variable side by side in the order, moving `next` to a forgotten `current` does.

use hardbop_base::Exhausted;

use crate::plan::{FORGET, Plan, PlanId};
use crate::{Bdd, Kernel};

impl Kernel {
    /// `f ∧ g`, in which the variables that the plan forgets are quantified existentially; then the others move to where
    /// the plan says.
    ///
    /// # Requires
    /// Of the levels that occur in `f ∧ g` and are not forgotten, the plan keeps the order.
    #[inline]
    pub fn image(&mut self, f: Bdd, g: Bdd, plan: PlanId) -> Result<Bdd, Exhausted> {
        let plan = self.plans.plan(plan);
        self.image_step(f, g, plan)
    }

    /// The [`image`](Self::image) of `f` alone.
    ///
    /// # Requires
    /// Of the levels that occur in `f` and are not forgotten, the plan keeps the order.
    #[inline]
    pub fn transform(&mut self, f: Bdd, plan: PlanId) -> Result<Bdd, Exhausted> {
        self.image(f, Bdd::TRUE, plan)
    }

    // As with the connectives: what ends at once is compiled into the callers.
    #[inline(always)]
    fn image_step(&mut self, f: Bdd, g: Bdd, plan: Plan) -> Result<Bdd, Exhausted> {
        if f.is_false() || g.is_false() {
            Ok(Bdd::FALSE)
        } else if f.is_true() && g.is_true() {
            Ok(Bdd::TRUE)
        } else if f == g {
            self.image_expand(Bdd::TRUE, g, plan)
        } else if g < f {
            self.image_expand(g, f, plan)
        } else {
            self.image_expand(f, g, plan)
        }
    }

    #[inline(never)]
    fn image_expand(&mut self, f: Bdd, g: Bdd, plan: Plan) -> Result<Bdd, Exhausted> {
        let (left, right) = (*self.table.node(f), *self.table.node(g));
        let top = left.level.min(right.level);
        if top >= plan.end {
            return self.and(f, g);
        }
        if let Some(known) = self.cache.find(plan.tag, f, g) {
            return Ok(known);
        }
        self.step()?;
        let (f0, f1) = left.split(f, top);
        let (g0, g1) = right.split(g, top);
        let target = self.plans.target(plan, top);
        let low = self.image_step(f0, g0, plan)?;
        let result = if target != FORGET {
            let high = self.image_step(f1, g1, plan)?;
            self.table.make(target, low, high)
        } else if low.is_true() {
            low
        } else {
            let high = self.image_step(f1, g1, plan)?;
            self.or(low, high)?
        };
        self.cache.store(plan.tag, f, g, result);
        Ok(result)
    }
}
