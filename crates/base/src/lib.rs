//! What every crate of Hardbop stands on: typed indexes, source positions, diagnostics and budgets.

pub mod budget;
pub mod diagnostic;
pub mod findings;
pub mod index;
pub mod source;

pub use budget::{Budget, Exhausted, Limit, Progress};
pub use diagnostic::{Diagnostic, Severity};
pub use index::{Idx, IndexVec};
#[doc(hidden)]
pub use serde;
pub use source::{FileId, Location, Marker, SourceMap, Span};
