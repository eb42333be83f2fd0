//! The benchmarks of quicksort, a row each.
//!
//! The figures of the paper are those of [ES01, §5.1]. What Moped took was measured with pushdown systems like these on
//! one machine, in seconds of processor time; it says of what order they are, and `--peer` measures anew.

use super::Program::{Corrected, Faulty, Sort, SortAny};
use super::{Pace, Published, Row};
use Pace::{Quick, Slow};
use Published::{Over, Took, Unmeasured, Used};

/// The peers, in the order of [`Row::moped`].
pub const PEERS: [&str; 2] = ["Moped 1.0.15", "Moped 2"];

const NOBODY: [Published; 2] = [Unmeasured; 2];

/// Figure 2, and a row more.
#[rustfmt::skip]
pub const TERMINATION: &[Row] = &[
    Row { program: Faulty(3), pace: Quick, paper: Used(0.14, 4.6), moped: [Took(0.01), Unmeasured] },
    Row { program: Faulty(4), pace: Quick, paper: Used(0.39, 5.3), moped: [Took(0.03), Unmeasured] },
    Row { program: Faulty(5), pace: Quick, paper: Used(1.37, 7.2), moped: [Took(0.07), Unmeasured] },
    Row { program: Faulty(6), pace: Quick, paper: Used(6.86, 10.5), moped: [Took(0.30), Unmeasured] },
    Row { program: Faulty(7), pace: Quick, paper: Used(53.0, 12.3), moped: [Took(2.04), Unmeasured] },
    Row { program: Faulty(8), pace: Quick, paper: Used(592.0, 14.6), moped: [Used(24.7, 42.0), Unmeasured] },
    Row { program: Faulty(9), pace: Quick, paper: Over(3600.0), moped: NOBODY },
    Row { program: Corrected(3), pace: Quick, paper: Used(0.22, 4.8), moped: [Took(0.01), Unmeasured] },
    Row { program: Corrected(4), pace: Quick, paper: Used(0.67, 6.1), moped: [Took(0.09), Unmeasured] },
    Row { program: Corrected(5), pace: Quick, paper: Used(3.63, 9.4), moped: [Took(0.23), Unmeasured] },
    Row { program: Corrected(6), pace: Quick, paper: Used(48.67, 14.7), moped: [Used(2.91, 37.0), Unmeasured] },
    Row { program: Corrected(7), pace: Quick, paper: Used(1238.0, 15.1), moped: NOBODY },
    Row { program: Corrected(8), pace: Quick, paper: Over(3600.0), moped: NOBODY },
    Row { program: Corrected(9), pace: Quick, paper: Unmeasured, moped: NOBODY },
];

/// Figure 3.
#[rustfmt::skip]
pub const SORTING: &[Row] = &[
    Row { program: Sort(3, 4), pace: Quick, paper: Used(1.0, 7.2), moped: [Took(0.11), Took(1.81)] },
    Row { program: Sort(3, 5), pace: Quick, paper: Used(4.0, 14.5), moped: [Took(0.51), Used(11.0, 926.0)] },
    Row { program: Sort(3, 6), pace: Quick, paper: Used(38.0, 22.3), moped: [Used(4.57, 62.0), Unmeasured] },
    Row { program: Sort(4, 4), pace: Quick, paper: Used(3.0, 12.1), moped: [Took(0.46), Unmeasured] },
    Row { program: Sort(4, 5), pace: Quick, paper: Used(24.0, 18.7), moped: [Used(3.04, 61.0), Unmeasured] },
    Row { program: Sort(4, 6), pace: Slow, paper: Used(193.0, 77.4), moped: [Used(43.2, 229.0), Unmeasured] },
    Row { program: Sort(4, 7), pace: Slow, paper: Used(1742.0, 414.0), moped: NOBODY },
    Row { program: SortAny(3, 4), pace: Quick, paper: Used(1.0, 8.0), moped: NOBODY },
    Row { program: SortAny(3, 5), pace: Quick, paper: Used(8.0, 15.2), moped: NOBODY },
    Row { program: SortAny(3, 6), pace: Quick, paper: Used(82.0, 29.9), moped: NOBODY },
    Row { program: SortAny(4, 4), pace: Quick, paper: Used(6.0, 12.3), moped: NOBODY },
    Row { program: SortAny(4, 5), pace: Quick, paper: Used(48.0, 25.1), moped: NOBODY },
    Row { program: SortAny(4, 6), pace: Slow, paper: Used(531.0, 134.0), moped: NOBODY },
    Row { program: SortAny(4, 7), pace: Slow, paper: Over(3600.0), moped: NOBODY },
];
