//! The kernel against truth tables, against `oxidd`, and against itself under every small allowance.

#![expect(clippy::unwrap_used, reason = "what a test needs must be there, in its helpers too")]

mod collections;
mod covers;
mod exhaustion;
mod growth;
mod images;
mod oracle;
mod three_variables;
mod truth;
