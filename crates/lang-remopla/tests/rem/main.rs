//! The language Remopla.

mod diagnostics;
mod goals;
mod hostile;
mod lower;
mod oracle;
mod parse;
mod pretty;
mod shape;
