//! The benchmarks of boolean programs, a row each: `cargo xtask bench` runs them in this order.
//!
//! What peers took was measured with the same inputs on one machine, in seconds of processor time; it says of what
//! order they are, and `--peer` measures anew. PDAAAL has no symbolic data: each valuation is a state of its own.

use super::{Input, Pace, Published, Row, Trace};
use Input::{Counter, File, Levels, Random};
use Pace::{Quick, Slow};
use Published::{Over, Took, Unmeasured};
use Trace::{With, Without};

/// The peers, in the order of [`Row::published`].
pub const PEERS: [&str; 3] = ["Moped 1.0.15", "Getafix", "PDAAAL"];

const NOBODY: [Published; 3] = [Unmeasured; 3];
/// Moped gives up on these, or its user does.
const HARD: [Published; 3] = [Over(15.0), Unmeasured, Unmeasured];

/// The rows.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    // The template of [BR00, §4]: linear in the number of procedures, with the same BDDs for all of them.
    Row { name: "template-200", input: Levels(200), trace: Without, pace: Quick, target: Some(0.015), published: [Took(0.02), Took(4.85), Took(0.05)] },
    Row { name: "template-800", input: Levels(800), trace: Without, pace: Quick, target: Some(0.04), published: NOBODY },
    Row { name: "template-1000", input: Levels(1_000), trace: Without, pace: Quick, target: Some(0.05), published: [Took(0.16), Over(400.0), Took(0.99)] },
    Row { name: "template-5000", input: Levels(5_000), trace: Without, pace: Quick, target: Some(0.22), published: [Took(0.89), Unmeasured, Took(24.0)] },
    Row { name: "template-20000", input: Levels(20_000), trace: Without, pace: Quick, target: None, published: NOBODY },
    Row { name: "template-100000", input: Levels(100_000), trace: Without, pace: Slow, target: None, published: NOBODY },
    // The same with a run to the goal: unfolded it would have more steps than there are atoms.
    Row { name: "template-trace-800", input: Levels(800), trace: With, pace: Quick, target: Some(0.5), published: [Over(60.0), Unmeasured, Unmeasured] },
    Row { name: "template-trace-1000", input: Levels(1_000), trace: With, pace: Quick, target: None, published: [Unmeasured, Unmeasured, Took(4.1)] },
    // A counter: as many rounds as it has values.
    Row { name: "counter-12", input: Counter(12), trace: Without, pace: Quick, target: None, published: [Unmeasured, Took(15.9), Unmeasured] },
    Row { name: "counter-trace-12", input: Counter(12), trace: With, pace: Quick, target: None, published: NOBODY },
    Row { name: "counter-16", input: Counter(16), trace: Without, pace: Quick, target: Some(0.7), published: [Took(6.6), Unmeasured, Unmeasured] },
    Row { name: "counter-trace-16", input: Counter(16), trace: With, pace: Quick, target: Some(2.0), published: NOBODY },
    // Random programs: many globals that hang together.
    Row { name: "random-12-globals", input: Random { globals: 12, procedures: 20, statements: 60, seed: 7 }, trace: With, pace: Quick, target: None, published: NOBODY },
    Row { name: "random-18-globals", input: Random { globals: 18, procedures: 30, statements: 80, seed: 11 }, trace: With, pace: Slow, target: Some(60.0), published: NOBODY },
    Row { name: "random-24-globals", input: Random { globals: 24, procedures: 40, statements: 80, seed: 13 }, trace: With, pace: Slow, target: Some(60.0), published: NOBODY },
    // Those that `--inputs` brings; other files there are measured after them.
    Row { name: "hard-R11", input: File("R11.bp"), trace: With, pace: Slow, target: Some(60.0), published: NOBODY },
    Row { name: "hard-R12", input: File("R12.bp"), trace: With, pace: Slow, target: Some(60.0), published: HARD },
    Row { name: "hard-R13", input: File("R13.bp"), trace: With, pace: Slow, target: Some(60.0), published: HARD },
    Row { name: "hard-R14", input: File("R14.bp"), trace: With, pace: Slow, target: Some(60.0), published: HARD },
    Row { name: "hard-R15", input: File("R15.bp"), trace: With, pace: Slow, target: Some(60.0), published: HARD },
];
