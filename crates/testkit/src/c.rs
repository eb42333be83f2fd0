//! Random C programs about pointers: what is null when, and which flags know.
//!
//! A test draws a [`Program`] from [`programs`] and gives the text of [`Program::render`] to what it tests. The text is
//! one file without headers; it calls `malloc`, `calloc`, `free`, `memset`, `memcpy`, `exit`, and `nondet_int`, which
//! has no body and returns anything. A line has at most one expression that dereferences, so a line names it.
//! [`tricky_programs`] and [`aliasing_programs`] are less tame, [`locking_programs`] are about locks, and
//! [`unwritten_programs`] about memory that is not written.
//!
//! **Invariant:** a run ends after a bounded number of steps. Unless asked for, nothing is undefined but a dereference
//! of null: pointers do not outlive what they point to ([`scope`]), indexes are below the length, numbers are not added
//! up, and what is freed is known to nobody else.

mod aliases;
mod body;
mod generate;
mod locks;
mod model;
mod patterns;
mod render;
mod scope;
mod tricks;
mod unwritten;
mod values;

pub use aliases::aliasing_programs;
pub use generate::{Initialisation, Size, programs};
pub use locks::{LOCKING, locking_programs};
pub use model::Program;
pub use tricks::tricky_programs;
pub use unwritten::unwritten_programs;
