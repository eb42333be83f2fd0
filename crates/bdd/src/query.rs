//! Looking at a function: values, models, size, variables.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::table::BOTTOM;
use crate::{Bdd, Kernel, Level};

impl Kernel {
    /// The topmost variable of `f`, and `f` where that variable is false and where it is true; `None` for a constant.
    #[inline]
    pub fn branch(&self, f: Bdd) -> Option<(Level, Bdd, Bdd)> {
        let node = self.table.node(f);
        (node.level != BOTTOM).then_some((Level(node.level), node.low, node.high))
    }

    /// The value of `f` at a place.
    pub fn eval(&self, f: Bdd, assignment: impl Fn(Level) -> bool) -> bool {
        let mut f = f;
        while let Some((level, low, high)) = self.branch(f) {
            f = if assignment(level) { high } else { low };
        }
        f.is_true()
    }

    /// A place where `f` is true, with false rather than true from the top; variables that are not in it may be either.
    /// `None` iff `f` is [`Bdd::FALSE`].
    pub fn pick(&self, f: Bdd) -> Option<Vec<(Level, bool)>> {
        if f.is_false() {
            return None;
        }
        let mut path = Vec::new();
        let mut f = f;
        // Every node but `FALSE` has a path to `TRUE`.
        while let Some((level, low, high)) = self.branch(f) {
            let value = low.is_false();
            path.push((level, value));
            f = if value { high } else { low };
        }
        Some(path)
    }

    /// The number of nodes of `f`, without the constants.
    pub fn size(&self, f: Bdd) -> usize {
        self.reachable(f).len()
    }

    /// The variables that `f` depends on, from the top.
    pub fn support(&self, f: Bdd) -> Vec<Level> {
        let mut levels: Vec<Level> = self.reachable(f).into_iter().map(|f| Level(self.table.level(f))).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// In how many of the `2^over.len()` places `f` is true.
    ///
    /// # Requires
    /// `over` is sorted, has no level twice, and has all levels that `f` depends on.
    pub fn count(&self, f: Bdd, over: &[Level]) -> f64 {
        debug_assert!(over.is_sorted_by(|a, b| a < b), "the levels to count over are sorted");
        self.density(f, over, &mut FxHashMap::default()) * (over.len() as f64).exp2()
    }

    // The share of places where `f` is true. A variable that `f` does not have changes nothing.
    fn density(&self, f: Bdd, over: &[Level], known: &mut FxHashMap<Bdd, f64>) -> f64 {
        let Some((level, low, high)) = self.branch(f) else { return f64::from(u8::from(f.is_true())) };
        debug_assert!(over.binary_search(&level).is_ok(), "{level} is not among the levels to count over");
        if let Some(&share) = known.get(&f) {
            return share;
        }
        let share = (self.density(low, over, known) + self.density(high, over, known)) / 2.0;
        known.insert(f, share);
        share
    }

    // The nodes of `f`, each once, parents before children of their first visit.
    fn reachable(&self, f: Bdd) -> Vec<Bdd> {
        let mut nodes = Vec::new();
        let mut seen = FxHashSet::from_iter([Bdd::FALSE, Bdd::TRUE]);
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            if seen.insert(f) {
                nodes.push(f);
                let node = self.table.node(f);
                stack.extend([node.high, node.low]);
            }
        }
        nodes
    }
}
