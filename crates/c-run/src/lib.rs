//! Runs the three-address form of C, exactly: what C leaves undefined ends the run with its name.
//!
//! [`Machine`] executes one function and all that it calls; what the program does not say, an [`Environment`] does. The
//! tree of statements becomes flat code once ([`code`]); objects are bytes that know what they are ([`memory`]); the
//! basics of the C library are built in ([`library`]).
//!
//! Left out: threads, signals, `setjmp`, assembly, `long double`, complex numbers and vectors are
//! [`Outcome::Unsupported`] where a run meets them. Bounds are those of whole objects, not of arrays inside them, and a
//! bit-field is initialised with its bytes.

mod code;
mod environment;
mod eval;
mod library;
mod machine;
mod memory;
mod outcome;
mod value;

pub use environment::{Answer, Asked, Environment, Random, Scripted, Stream, Unknown};
pub use machine::{Access, Checking, Event, Machine, Observer, Options, Pointee, SignedOverflow, Uninitialised};
pub use memory::{ObjectId, Origin};
pub use outcome::{AccessKind, Outcome, Site, Undefined};
pub use value::{IntShape, Pointer, Shape, Value};
