//! Symbolic pushdown systems: what is read, what is refused, and what rules mean.

mod diagnostics;
mod goals;
mod hostile;
mod lower;
mod model;
mod semantics;
mod show;
