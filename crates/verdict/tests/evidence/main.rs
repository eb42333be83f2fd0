//! Good evidence is accepted and bad evidence is not: hand-written programs, witnesses and proofs, and random ones
//! against explicit states.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod certify;
mod draft;
mod lasso;
mod random;
mod ranking;
mod replay;
