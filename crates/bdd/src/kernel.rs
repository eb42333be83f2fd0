//! The kernel: tables, limits and counters. The operations are in the modules of their own names.
//!
//! Work is counted in steps of the recursions, and the budget is asked for up to [`FUEL`] steps at a time: so a stop is
//! noticed within a millisecond, an allowance is met to the step, and a step costs one decrement.

use std::sync::atomic::Ordering::Relaxed;

use hardbop_base::{Budget, Exhausted, Limit};

use crate::cache::Cache;
use crate::plan::{Fate, PlanId, Plans};
use crate::table::Table;
use crate::{Bdd, Level};

/// How many steps are taken between two looks at the budget.
const FUEL: u64 = 1 << 10;
/// The number of rows at which memory counts as exhausted; handles must stay below `2^31` for the operation cache.
const MAX_ROWS: usize = (1 << 31) - 4 * FUEL as usize;
/// How many slots of the unique table there are for each entry of the cache. More entries save few steps and make each
/// step slower, since memory is what it waits for.
const SLOTS_PER_ENTRY: usize = 4;
/// Below this number of nodes a collection frees too little to be worth the walk.
const MIN_COLLECTION: usize = 1 << 15;

/// Boolean functions over a fixed number of ordered variables.
pub struct Kernel {
    pub(crate) table: Table,
    pub(crate) cache: Cache,
    pub(crate) plans: Plans,
    levels: usize,
    budget: Budget,
    fuel: u32,
    live_after_collection: usize,
    collections: u64,
}

impl Kernel {
    /// A kernel with the two constants, over `levels` variables. It starts small and grows as nodes are made.
    pub fn new(levels: usize, budget: Budget) -> Self {
        assert!(levels < 1 << 30, "a level is a small number");
        Self {
            table: Table::new(),
            cache: Cache::new(),
            plans: Plans::default(),
            levels,
            budget,
            fuel: 0,
            live_after_collection: 0,
            collections: 0,
        }
    }

    /// How many variables there are.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The budget that the operations spend. They pay in advance, for at most 1024 steps.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Lets the operations spend `budget` from now on; returns the old one.
    pub fn set_budget(&mut self, budget: Budget) -> Budget {
        self.fuel = 0;
        std::mem::replace(&mut self.budget, budget)
    }

    /// The function that is true where the variable is.
    pub fn var(&mut self, level: Level) -> Result<Bdd, Exhausted> {
        self.literal(level, Bdd::FALSE, Bdd::TRUE)
    }

    /// The function that is true where the variable is false.
    pub fn nvar(&mut self, level: Level) -> Result<Bdd, Exhausted> {
        self.literal(level, Bdd::TRUE, Bdd::FALSE)
    }

    /// The plan with these fates, for [`image`](Self::image); a level that is not mentioned is kept, and of a level that
    /// is mentioned twice the last fate counts.
    pub fn plan(&mut self, fates: impl IntoIterator<Item = (Level, Fate)>) -> PlanId {
        self.plans.intern(self.levels, fates)
    }

    /// Removes every node that none of `roots` needs. Handles that they need stay as they are; all others are void.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = Bdd>) {
        let marks = self.table.mark(roots);
        self.cache.sweep(&marks);
        self.table.sweep(&marks);
        self.live_after_collection = self.table.live();
        self.collections += 1;
        self.budget.progress().nodes.store(self.table.live() as u64, Relaxed);
    }

    /// Whether a [`collect`](Self::collect) would pay: the number of nodes has doubled since the last one.
    #[inline]
    pub fn wants_collection(&self) -> bool {
        self.table.live() >= (2 * self.live_after_collection).max(MIN_COLLECTION)
    }

    /// The number of nodes now, with those that the next collection will remove.
    pub fn live(&self) -> usize {
        self.table.live()
    }

    /// The largest number of nodes so far.
    pub fn peak(&self) -> usize {
        self.table.peak()
    }

    /// How many nodes were ever made.
    pub fn created(&self) -> u64 {
        self.table.created()
    }

    /// How many collections there were.
    pub fn collections(&self) -> u64 {
        self.collections
    }

    /// The size of all tables in bytes.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.cache.bytes() + self.plans.bytes()
    }

    /// Pays for one step of a recursion, in which at most one node is made.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Result<(), Exhausted> {
        if self.fuel == 0 {
            self.refuel()?;
        }
        self.fuel -= 1;
        Ok(())
    }

    fn literal(&mut self, level: Level, low: Bdd, high: Bdd) -> Result<Bdd, Exhausted> {
        assert!((level.0 as usize) < self.levels, "{level} is not a level of this kernel");
        self.step()?;
        Ok(self.table.make(level.0, low, high))
    }

    #[cold]
    fn refuel(&mut self) -> Result<(), Exhausted> {
        self.budget.progress().nodes.store(self.table.live() as u64, Relaxed);
        if self.table.rows() > MAX_ROWS {
            self.budget.stop(Limit::Memory);
        }
        // The cache grows here and not where the table does, since no step needs it at once.
        let entries = self.table.slots() / SLOTS_PER_ENTRY;
        if self.cache.len() < entries {
            self.cache.grow(entries);
        }
        // One unit where nothing is left, so that the budget says no.
        let fuel = self.budget.left().clamp(1, FUEL);
        self.budget.spend(fuel)?;
        self.fuel = fuel as u32;
        Ok(())
    }
}
