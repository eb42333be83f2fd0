//! Work that may be too much: stages that only make an automaton smaller are given up when they cost more than they are
//! worth.
//!
//! Effort is counted in steps of the kernel, and loops that make none pay for themselves.

use hardbop_base::Exhausted;
use hardbop_bdd::Kernel;

/// What one translation may cost altogether.
pub(crate) const TRANSLATION: u64 = 50_000_000;
/// What one stage may cost that the translation can do without.
pub(crate) const STAGE: u64 = 5_000_000;

/// What `work` makes with at most `allowance` of the kernel's budget; nothing, if that is not enough.
pub(crate) fn attempt<T>(
    kernel: &mut Kernel,
    allowance: u64,
    work: impl FnOnce(&mut Kernel) -> Result<T, Exhausted>,
) -> Result<Option<T>, Exhausted> {
    let allowance = allowance.min(kernel.budget().left());
    let inner = kernel.budget().with_allowance(allowance);
    let outer = kernel.set_budget(inner);
    let result = work(kernel);
    let inner = kernel.set_budget(outer);
    kernel.budget().spend(allowance - inner.left())?;
    // A flag ends everything; what is left of the budget says whether it was only the allowance.
    match result {
        Ok(result) => Ok(Some(result)),
        Err(Exhausted) => kernel.budget().spend(1).map(|()| None),
    }
}
