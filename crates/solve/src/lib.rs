//! Satisfiability: circuits of gates, their clauses, and the SAT solver.
//!
//! A [`Circuit`] is a table of hash-consed gates and knows no solver; a [`Solver`] decides whether signals of a circuit
//! can be true together, and turns only the gates below them into clauses. [`Sat`] is the solver underneath. No other
//! crate names it.

pub mod circuit;
pub mod sat;
pub mod solver;

pub use circuit::{Circuit, Signal};
pub use sat::{Lit, Sat, Satisfiable};
pub use solver::Solver;
