//! Division, as one learns it at school.

use super::{Builder, MAX_PAIRS, Partial, TooLarge, Word};

/// `left / right` and `left % right`, both defined where `right` is not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Division {
    /// The quotient, rounded down.
    pub quotient: Partial,
    /// What is left.
    pub remainder: Partial,
}

impl Builder<'_> {
    /// `left / right` and `left % right`, where `right` is not zero.
    pub fn divide(&mut self, left: &Word, right: &Word) -> Result<Division, TooLarge> {
        self.check_size()?;
        if left.width().saturating_mul(right.width()) > MAX_PAIRS {
            return Err(TooLarge::Product);
        }
        let defined = self.any(right.bits().to_vec());
        let mut remainder = Word::default();
        let mut quotient = Vec::with_capacity(left.width());
        for &bit in left.bits().iter().rev() {
            let with_bit = std::iter::once(bit).chain(remainder.bits().iter().copied()).collect();
            let with_bit = self.word(with_bit)?;
            let (difference, borrow) = self.difference(&with_bit, right);
            quotient.push(self.not(borrow));
            let difference = self.word(difference)?;
            remainder = self.ite_word(borrow, &with_bit, &difference);
            // Smaller than the divisor, so no wider either.
            remainder = self.cut(&remainder, right.width());
        }
        quotient.reverse();
        let quotient = self.word(quotient)?;
        Ok(Division { quotient: Partial { word: quotient, defined }, remainder: Partial { word: remainder, defined } })
    }

    /// `left / right`, where `right` is not zero.
    pub fn div(&mut self, left: &Word, right: &Word) -> Result<Partial, TooLarge> {
        Ok(self.divide(left, right)?.quotient)
    }
}
