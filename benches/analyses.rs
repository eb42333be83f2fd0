//! The C programs that are looked through for NULL pointers.

use super::Row;
use crate::bench::Pace::{Quick, Slow};

/// The rows.
pub const ROWS: &[Row] = &[
    Row { program: "zlib", precision: "flow", pace: Quick },
    Row { program: "zlib", precision: "auto", pace: Quick },
    Row { program: "lua", precision: "flow", pace: Quick },
    Row { program: "lua", precision: "auto", pace: Slow },
    Row { program: "sqlite", precision: "flow", pace: Slow },
];
