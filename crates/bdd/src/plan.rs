//! Plans: what an image does with each variable of its result.
//!
//! An image looks up the fate of a level in every step, so a plan is an array over the levels from the first to the last
//! that it touches. Plans with the same content are the same plan, and so share the operation cache.

use rustc_hash::FxHashMap;

use hardbop_base::{IndexVec, newtype_index};

use crate::Level;
use crate::cache::Tag;

newtype_index! {
    /// A plan of a kernel, for [`Kernel::image`](crate::Kernel::image).
    pub struct PlanId = "plan";
}

/// What becomes of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It stays as it is.
    Keep,
    /// It is existentially quantified.
    Forget,
    /// It gets this place in the order.
    MoveTo(Level),
}

/// The target that means [`Fate::Forget`].
pub(crate) const FORGET: u32 = u32::MAX;

/// Where in [`Plans`] the fates of one plan are.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) tag: Tag,
    /// No level from here on is touched.
    pub(crate) end: u32,
    first: u32,
    offset: u32,
}

/// All plans of a kernel.
#[derive(Default)]
pub(crate) struct Plans {
    plans: IndexVec<PlanId, Plan>,
    targets: Vec<u32>,
    by_content: FxHashMap<(u32, Box<[u32]>), PlanId>,
}

impl Plans {
    /// The plan that does this and keeps every other level. The last fate of a level counts.
    pub(crate) fn intern(&mut self, levels: usize, fates: impl IntoIterator<Item = (Level, Fate)>) -> PlanId {
        let mut fates: Vec<(u32, u32)> =
            fates.into_iter().map(|(level, fate)| (level.0, target(level, fate))).collect();
        assert!(
            fates.iter().all(|&(level, to)| (level as usize) < levels && (to == FORGET || (to as usize) < levels)),
            "a plan speaks of the kernel's levels"
        );
        // The sort is stable, so the last fate of a level is still its last.
        fates.sort_by_key(|&(level, _)| level);
        fates.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 = later.1;
            }
            is_same
        });
        fates.retain(|&(level, target)| level != target);
        let first = fates.first().map_or(0, |&(level, _)| level);
        let end = fates.last().map_or(0, |&(level, _)| level + 1);
        let mut targets: Box<[u32]> = (first..end).collect();
        for (level, target) in fates {
            targets[(level - first) as usize] = target;
        }
        self.intern_targets(first, end, targets)
    }

    #[inline(always)]
    pub(crate) fn plan(&self, id: PlanId) -> Plan {
        self.plans[id]
    }

    /// Where `level`, which is before the end of `plan`, goes: a level or [`FORGET`].
    #[inline(always)]
    pub(crate) fn target(&self, plan: Plan, level: u32) -> u32 {
        if level < plan.first { level } else { self.targets[(plan.offset + (level - plan.first)) as usize] }
    }

    pub(crate) fn bytes(&self) -> usize {
        // Twice: once in the flat array and once as the key.
        2 * self.targets.capacity() * size_of::<u32>() + self.plans.len() * size_of::<Plan>()
    }

    fn intern_targets(&mut self, first: u32, end: u32, targets: Box<[u32]>) -> PlanId {
        let Self { plans, targets: all, by_content } = self;
        *by_content.entry((first, targets)).or_insert_with_key(|(first, targets)| {
            let offset = u32::try_from(all.len()).expect("all plans together have fewer than 2^32 fates");
            all.extend_from_slice(targets);
            plans.push(Plan { tag: Tag::plan(plans.len()), end, first: *first, offset })
        })
    }
}

fn target(level: Level, fate: Fate) -> u32 {
    match fate {
        Fate::Keep => level.0,
        Fate::Forget => FORGET,
        Fate::MoveTo(to) => to.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Idx;

    #[test]
    fn plans_with_the_same_content_are_the_same_plan() {
        let mut plans = Plans::default();
        let [x, y, z] = [0, 1, 2].map(Level::from_usize);
        let some = plans.intern(3, [(y, Fate::Forget), (x, Fate::Keep)]);
        assert_eq!(plans.intern(3, [(z, Fate::MoveTo(z)), (y, Fate::Keep), (y, Fate::Forget)]), some);
        assert_ne!(plans.intern(3, [(x, Fate::Forget)]), some);
        assert_eq!(plans.intern(3, []), plans.intern(3, [(z, Fate::Keep)]));
    }
}
