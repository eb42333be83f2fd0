//! A small deterministic source of numbers: `SplitMix64` of Steele, Lea and Flood.
//!
//! Own code, so that a seed in a bug report means the same program whatever version of a library is in use.

/// A stream of numbers that depends on the seed alone.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// A number below `bound`.
    ///
    /// # Requires
    /// `bound > 0`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below zero");
        // The bias of the remainder is far below what a test could notice.
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }

    /// True in `percent` of a hundred draws.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
