//! Finite dataflow analyses of recursive programs as reachability \[BR01\], and the dial between precision and cost.
//!
//! A dataflow problem is a program over facts: the same graph, and for each edge what it does to the facts. Its
//! meet-over-all-valid-paths solution, a set of sets of facts at each node, is what `pushdown` computes for any
//! program. [`cartesian`] keeps one tri-vector per node instead, [`mod@project`] some of the facts; the [`dial`] chooses.

pub mod cartesian;
pub mod content;
pub mod dial;
pub mod engine;
pub mod groups;
mod growth;
pub mod modular;
pub mod project;
pub mod subset;
pub mod tri_vector;

pub use cartesian::Cartesian;
pub use dial::{Decision, Failure, Manner, Precision, Status, decide};
pub use engine::{Engine, Memory};
pub use groups::Hints;
pub use tri_vector::TriVector;
