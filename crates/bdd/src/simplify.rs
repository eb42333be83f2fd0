//! Simplification of a function that matters only in some places: `restrict` of [CM90].
//!
//! Where the care set is false, the function may be anything; the recursion chooses what makes nodes fall together.
//! It also drops variables of the care set that the function does not have. Rarely the result is larger than what was
//! given, when two places that shared a node are simplified differently; then the function is returned as it was.

use hardbop_base::Exhausted;

use crate::cache::Tag;
use crate::{Bdd, Kernel};

impl Kernel {
    /// A function that agrees with `f` wherever `care` is true, and has no more nodes than `f`.
    pub fn simplify(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Exhausted> {
        let simple = self.restrict(f, care)?;
        let is_smaller = simple == f || simple.is_constant() || self.size(simple) <= self.size(f);
        Ok(if is_smaller { simple } else { f })
    }

    fn restrict(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Exhausted> {
        if care.is_true() || f.is_constant() {
            return Ok(f);
        }
        if care.is_false() {
            return Ok(Bdd::FALSE);
        }
        if f == care {
            return Ok(Bdd::TRUE);
        }
        if let Some(known) = self.cache.find(Tag::SIMPLIFY, f, care) {
            return Ok(known);
        }
        self.step()?;
        let (node, cares) = (*self.table.node(f), *self.table.node(care));
        let result = if cares.level < node.level {
            let either = self.or(cares.low, cares.high)?;
            self.restrict(f, either)?
        } else {
            let (c0, c1) = cares.split(care, node.level);
            if c0.is_false() {
                self.restrict(node.high, c1)?
            } else if c1.is_false() {
                self.restrict(node.low, c0)?
            } else {
                let low = self.restrict(node.low, c0)?;
                let high = self.restrict(node.high, c1)?;
                self.table.make(node.level, low, high)
            }
        };
        self.cache.store(Tag::SIMPLIFY, f, care, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use hardbop_base::{Budget, Idx};

    use super::*;
    use crate::Level;

    // The function of a truth table over `levels` variables, the top one deciding between the halves.
    fn build(kernel: &mut Kernel, level: usize, levels: usize, table: u64) -> Bdd {
        if level == levels {
            return Bdd::from(table & 1 == 1);
        }
        let low = build(kernel, level + 1, levels, table);
        let high = build(kernel, level + 1, levels, table >> (1 << (levels - level - 1)));
        let top = kernel.var(Level::from_usize(level)).unwrap();
        kernel.ite(top, high, low).unwrap()
    }

    #[test]
    fn a_restriction_that_would_grow_is_not_taken() {
        let mut kernel = Kernel::new(5, Budget::unlimited());
        let mut random: u64 = 1;
        let mut grown = 0;
        for _ in 0..20_000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            // Few nodes in the function and little freedom around it leave the most to lose.
            let half = random >> 33 & 0xffff;
            let f = build(&mut kernel, 0, 5, half | half << 16);
            let care = build(&mut kernel, 0, 5, (random ^ random >> 29) | random >> 7);
            let restricted = kernel.restrict(f, care).unwrap();
            if kernel.size(restricted) > kernel.size(f) {
                assert_eq!(kernel.simplify(f, care), Ok(f));
                grown += 1;
            }
        }
        assert!(grown > 0, "no restriction grew, so nothing was checked");
    }
}
