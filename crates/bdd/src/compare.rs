//! Questions about two functions that are answered without making a node.

use hardbop_base::Exhausted;

use crate::cache::Tag;
use crate::{Bdd, Kernel};

impl Kernel {
    /// Whether `f ∧ g` is false everywhere.
    pub fn disjoint(&mut self, f: Bdd, g: Bdd) -> Result<bool, Exhausted> {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => return Ok(true),
            // A function that is not `FALSE` is true somewhere.
            (Bdd::TRUE, _) | (_, Bdd::TRUE) => return Ok(false),
            _ if f == g => return Ok(false),
            _ => {}
        }
        let (f, g) = if g < f { (g, f) } else { (f, g) };
        if let Some(known) = self.cache.find(Tag::DISJOINT, f, g) {
            return Ok(known.is_true());
        }
        self.step()?;
        let ((f0, g0), (f1, g1)) = self.split_both(f, g);
        let result = self.disjoint(f0, g0)? && self.disjoint(f1, g1)?;
        self.cache.store(Tag::DISJOINT, f, g, Bdd::from(result));
        Ok(result)
    }

    /// Whether `g` is true wherever `f` is.
    pub fn implies_check(&mut self, f: Bdd, g: Bdd) -> Result<bool, Exhausted> {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::TRUE) => return Ok(true),
            (Bdd::TRUE, _) | (_, Bdd::FALSE) => return Ok(false),
            _ if f == g => return Ok(true),
            _ => {}
        }
        if let Some(known) = self.cache.find(Tag::ENTAILS, f, g) {
            return Ok(known.is_true());
        }
        self.step()?;
        let ((f0, g0), (f1, g1)) = self.split_both(f, g);
        let result = self.implies_check(f0, g0)? && self.implies_check(f1, g1)?;
        self.cache.store(Tag::ENTAILS, f, g, Bdd::from(result));
        Ok(result)
    }

    // Both functions where the topmost variable of either is false, and where it is true.
    fn split_both(&self, f: Bdd, g: Bdd) -> ((Bdd, Bdd), (Bdd, Bdd)) {
        let (left, right) = (self.table.node(f), self.table.node(g));
        let top = left.level.min(right.level);
        let (f0, f1) = left.split(f, top);
        let (g0, g1) = right.split(g, top);
        ((f0, g0), (f1, g1))
    }
}
