//! Short sums of products, for people to read: the irredundant covers of [Min92], by Morreale's recursion.
//!
//! A cover of an interval `lower → upper` is a set of cubes whose disjunction lies between the two; it is irredundant if
//! no cube can be left out. What lies between is chosen to need few cubes, so a caller that knows what cannot happen gets
//! a shorter formula.

use hardbop_base::Exhausted;

use crate::{Bdd, Kernel, Level};

/// A conjunction of literals, from the top; the empty one is true.
pub type Cube = Vec<(Level, bool)>;

/// An irredundant set of cubes whose disjunction is `f`.
pub fn cover(kernel: &mut Kernel, f: Bdd) -> Result<Vec<Cube>, Exhausted> {
    cover_between(kernel, f, f)
}

/// An irredundant set of cubes whose disjunction is true where `lower` is and false where `upper` is.
///
/// # Requires
/// `lower` implies `upper`.
pub fn cover_between(kernel: &mut Kernel, lower: Bdd, upper: Bdd) -> Result<Vec<Cube>, Exhausted> {
    let mut search = Search { kernel, path: Vec::new(), cubes: Vec::new() };
    search.between(lower, upper)?;
    Ok(search.cubes)
}

struct Search<'a> {
    kernel: &'a mut Kernel,
    // The literals that every cube found from here on begins with.
    path: Cube,
    cubes: Vec<Cube>,
}

impl Search<'_> {
    // Adds the cubes for an interval and returns their disjunction.
    fn between(&mut self, lower: Bdd, upper: Bdd) -> Result<Bdd, Exhausted> {
        if lower.is_false() {
            return Ok(Bdd::FALSE);
        }
        assert!(!upper.is_false(), "the lower bound implies the upper");
        if upper.is_true() {
            self.cubes.push(self.path.clone());
            return Ok(Bdd::TRUE);
        }
        self.kernel.step()?;
        let (low, high) = (*self.kernel.table.node(lower), *self.kernel.table.node(upper));
        let top = low.level.min(high.level);
        let (lower0, lower1) = low.split(lower, top);
        let (upper0, upper1) = high.split(upper, top);
        // A place must have the literal in its cube iff its mirror image is outside.
        let must0 = self.kernel.diff(lower0, upper1)?;
        let must1 = self.kernel.diff(lower1, upper0)?;
        let cover0 = self.below((Level(top), false), must0, upper0)?;
        let cover1 = self.below((Level(top), true), must1, upper1)?;
        // What is left on either side can do without the literal.
        let rest0 = self.kernel.diff(lower0, cover0)?;
        let rest1 = self.kernel.diff(lower1, cover1)?;
        let rest = self.kernel.or(rest0, rest1)?;
        let both = self.kernel.and(upper0, upper1)?;
        let shared = self.between(rest, both)?;
        let low = self.kernel.or(cover0, shared)?;
        let high = self.kernel.or(cover1, shared)?;
        Ok(self.kernel.table.make(top, low, high))
    }

    fn below(&mut self, literal: (Level, bool), lower: Bdd, upper: Bdd) -> Result<Bdd, Exhausted> {
        self.path.push(literal);
        let cover = self.between(lower, upper);
        self.path.pop();
        cover
    }
}
