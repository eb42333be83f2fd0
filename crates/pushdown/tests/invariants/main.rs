//! What is said of a program's states and procedures: formulas against the functions they are made of, invariants
//! against the explicit-state oracle.

mod formulas;
mod language;
mod oracle;
mod programs;
