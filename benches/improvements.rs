//! What is measured with improvements switched off. The paper's seconds are those of [ES01, §5.1, Figure 4].

use super::Subject::{File, Quicksort};
use super::{Block, Formula};
use crate::bench::Pace::{Quick, Slow};
use crate::bench::quicksort::Program::{Corrected, Faulty, Sort};

const ALL: &[(&str, Option<f64>)] = &[("order", None), ("post", None), ("rough", None), ("unroll", None)];

/// The improvements of the paper, and the unrolling of recursion, which is ours.
#[rustfmt::skip]
pub const BLOCKS: &[Block] = &[
    Block { program: Sort(3, 4), pace: Quick, paper: Some(1.02), without: &[("order", Some(49.0)), ("post", Some(624.0)), ("rough", Some(1.39)), ("unroll", None)] },
    Block { program: Sort(3, 6), pace: Slow, paper: Some(38.0), without: &[("order", None), ("post", None), ("rough", Some(66.0)), ("unroll", None)] },
    Block { program: Faulty(8), pace: Slow, paper: None, without: ALL },
    Block { program: Corrected(7), pace: Slow, paper: None, without: ALL },
];

/// Formulas of each class.
#[rustfmt::skip]
pub const FORMULAS: &[Formula] = &[
    Formula { subject: Quicksort(Sort(3, 6)), formula: "G !@bad", verdict: "holds" },
    Formula { subject: Quicksort(Sort(3, 6)), formula: "!@end W @check", verdict: "holds" },
    Formula { subject: Quicksort(Sort(3, 6)), formula: "F @end", verdict: "holds" },
    Formula { subject: Quicksort(Corrected(7)), formula: "F @end", verdict: "holds" },
    Formula { subject: Quicksort(Sort(3, 6)), formula: "G (@enter -> F @leave)", verdict: "holds" },
    Formula { subject: Quicksort(Sort(3, 6)), formula: "G (@enter -> F @less)", verdict: "violated" },
    Formula { subject: Quicksort(Corrected(7)), formula: "G F @end", verdict: "holds" },
    Formula { subject: Quicksort(Sort(3, 6)), formula: "F G @end", verdict: "holds" },
    Formula { subject: Quicksort(Corrected(7)), formula: "F G @end", verdict: "holds" },
    Formula { subject: File("examples/server.bp"), formula: "G (@request -> F @reply)", verdict: "violated" },
    Formula { subject: File("examples/server.bp"), formula: "G F known -> G F @reply", verdict: "violated" },
];
