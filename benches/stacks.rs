//! The programs that `ask` and `check` are both asked about. None of them reaches its label, so neither looks for a run.

use super::Input::{Counter, Levels, Quicksort};
use super::Row;
use crate::bench::Pace::{Quick, Slow};
use crate::bench::quicksort::Program::{Sort, SortAny};

/// The rows.
pub const ROWS: &[Row] = &[
    Row { input: Levels(200), pace: Quick },
    Row { input: Levels(1_000), pace: Slow },
    Row { input: Counter(10), pace: Quick },
    Row { input: Counter(12), pace: Slow },
    Row { input: Quicksort(Sort(3, 4)), pace: Quick },
    Row { input: Quicksort(Sort(3, 5)), pace: Slow },
    Row { input: Quicksort(Sort(4, 4)), pace: Slow },
    Row { input: Quicksort(SortAny(3, 4)), pace: Slow },
];
