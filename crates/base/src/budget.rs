//! How long an engine may go on: a flag that only the command's watchdog sets, an allowance of work that a caller may
//! set for one pass, and counters that show how far the engine is.
//!
//! Engines poll with [`Budget::spend`]; they never look at a clock.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// A limit was hit; [`Budget::hit`] says which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted;

/// What ended a run before its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// `--time-limit`.
    Time,
    /// `--memory-limit`.
    Memory,
    /// The user asked to stop.
    Interrupt,
    /// The allowance of one pass; its caller goes on without it.
    Allowance,
}

/// How far an engine is: written by the engine, read by whoever draws the progress line.
#[derive(Default, Debug)]
pub struct Progress {
    /// Procedures entered so far.
    pub procedures: AtomicU64,
    /// Control points waiting to be looked at.
    pub worklist: AtomicU64,
    /// BDD nodes alive.
    pub nodes: AtomicU64,
}

type PhaseHook = Box<dyn Fn(&'static str) + Send + Sync>;

#[derive(Default)]
struct Shared {
    stop: AtomicU8,
    progress: Progress,
    on_phase: Option<PhaseHook>,
}

/// A share in the run's limits. A clone watches the same flag.
#[derive(Clone)]
pub struct Budget {
    shared: Arc<Shared>,
    allowance: Cell<u64>,
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("left", &self.left()).finish_non_exhaustive()
    }
}

impl Budget {
    /// A budget that ends only when [`stop`](Self::stop) is called.
    pub fn unlimited() -> Self {
        Self { shared: Arc::default(), allowance: Cell::new(u64::MAX) }
    }

    /// The same, and `on_phase` hears of every phase that an engine enters: so the command can time what engines,
    /// which know no clock, do.
    pub fn observed(on_phase: impl Fn(&'static str) + Send + Sync + 'static) -> Self {
        let shared = Shared { on_phase: Some(Box::new(on_phase)), ..Shared::default() };
        Self { shared: Arc::new(shared), allowance: Cell::new(u64::MAX) }
    }

    /// Says that the engine enters the phase `name`.
    pub fn enter(&self, name: &'static str) {
        if let Some(hook) = &self.shared.on_phase {
            hook(name);
        }
    }

    /// A budget under the same flag, for a pass that may spend `allowance` units of work.
    pub fn with_allowance(&self, allowance: u64) -> Self {
        Self { shared: Arc::clone(&self.shared), allowance: Cell::new(allowance) }
    }

    /// Ends every pass that polls this budget or a share of it. The first reason stays.
    pub fn stop(&self, limit: Limit) {
        let code = match limit {
            Limit::Time => 1,
            Limit::Memory => 2,
            Limit::Interrupt => 3,
            Limit::Allowance => unreachable!("an allowance is spent, not stopped"),
        };
        // A second reason, a moment later, does not matter: the failure to exchange is the wanted outcome.
        let _ = self.shared.stop.compare_exchange(0, code, Relaxed, Relaxed);
    }

    /// Records `work` units done. An engine calls this at least every few thousand steps.
    #[inline]
    pub fn spend(&self, work: u64) -> Result<(), Exhausted> {
        match self.allowance.get().checked_sub(work) {
            Some(left) if self.shared.stop.load(Relaxed) == 0 => {
                self.allowance.set(left);
                Ok(())
            }
            Some(_) => Err(Exhausted),
            None => {
                self.allowance.set(0);
                Err(Exhausted)
            }
        }
    }

    /// What is left of the allowance.
    pub fn left(&self) -> u64 {
        self.allowance.get()
    }

    /// Which limit was hit, asked after [`Exhausted`].
    pub fn hit(&self) -> Limit {
        match self.shared.stop.load(Relaxed) {
            0 => Limit::Allowance,
            1 => Limit::Time,
            2 => Limit::Memory,
            _ => Limit::Interrupt,
        }
    }

    /// The counters of this run.
    pub fn progress(&self) -> &Progress {
        &self.shared.progress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_ends_its_own_pass_and_the_flag_ends_all() {
        let budget = Budget::unlimited();
        let pass = budget.with_allowance(10);
        assert_eq!(pass.spend(7), Ok(()));
        assert_eq!(pass.spend(7), Err(Exhausted));
        assert_eq!(pass.hit(), Limit::Allowance);
        assert_eq!(budget.spend(7), Ok(()));
        budget.stop(Limit::Memory);
        budget.stop(Limit::Time);
        assert_eq!(budget.spend(1), Err(Exhausted));
        assert_eq!(pass.hit(), Limit::Memory);
    }
}
