//! Tri-vectors: one of `0`, `1`, `*` for each fact, a set of sets of facts that is a product [BR01, §4.3].

use hardbop_icfg::expr::Possible;

/// A value for each of a number of facts; two bits each, "can be false" and "can be true".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriVector {
    /// Of each 64 facts first the bits that say "can be false", then those that say "can be true".
    words: Box<[u64]>,
}

impl TriVector {
    /// Every fact is `*`.
    pub fn any(facts: usize) -> Self {
        Self { words: vec![u64::MAX; 2 * facts.div_ceil(64)].into_boxed_slice() }
    }

    /// The value of a fact.
    pub fn get(&self, fact: usize) -> Possible {
        let (word, bit) = (2 * (fact / 64), fact % 64);
        let is_set = |word: usize| self.words[word] >> bit & 1 == 1;
        Possible { can_be_false: is_set(word), can_be_true: is_set(word + 1) }
    }

    /// Gives a fact a value.
    pub fn set(&mut self, fact: usize, value: Possible) {
        let (word, bit) = (2 * (fact / 64), fact % 64);
        for (word, is_set) in [(word, value.can_be_false), (word + 1, value.can_be_true)] {
            self.words[word] = self.words[word] & !(1 << bit) | u64::from(is_set) << bit;
        }
    }

    /// Takes in all of `other`; whether that is more than there was.
    pub fn join(&mut self, other: &Self) -> bool {
        let mut is_changed = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            is_changed |= *other & !*word != 0;
            *word |= other;
        }
        is_changed
    }

    /// Takes the values of `other` for the facts that are not in `kept`, a bit for each.
    pub fn overlay(&mut self, other: &Self, kept: &[u64]) {
        for ((own, other), kept) in self.words.chunks_exact_mut(2).zip(other.words.chunks_exact(2)).zip(kept) {
            own[0] = own[0] & kept | other[0] & !kept;
            own[1] = own[1] & kept | other[1] & !kept;
        }
    }

    /// What is true for certain in `other` is so here, for the facts in `kept`, a bit for each.
    pub fn keep_true(&mut self, other: &Self, kept: &[u64]) {
        for ((own, other), kept) in self.words.chunks_exact_mut(2).zip(other.words.chunks_exact(2)).zip(kept) {
            own[0] &= !(kept & other[1] & !other[0]);
        }
    }

    /// Whether all of `other` is here.
    pub fn contains(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(word, other)| other & !word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_of_two_values_is_any() {
        let mut left = TriVector::any(70);
        left.set(69, Possible::only(true));
        let mut right = left.clone();
        assert!(!left.join(&right) && left.contains(&right));
        right.set(69, Possible::only(false));
        assert!(!left.contains(&right) && left.join(&right));
        assert_eq!(left.get(69), Possible::ANY);
        assert_eq!(left, TriVector::any(70));
    }

    #[test]
    fn what_is_true_for_certain_can_be_kept() {
        let (mut left, mut right) = (TriVector::any(70), TriVector::any(70));
        [3, 69].into_iter().for_each(|fact| right.set(fact, Possible::only(true)));
        right.set(5, Possible::only(false));
        left.keep_true(&right, &[1 << 5, 1 << 5 | 1 << 6]);
        assert_eq!([3, 5, 69, 70].map(|fact| left.get(fact).definite()), [None, None, Some(true), None]);
    }

    #[test]
    fn what_is_not_kept_is_taken_over() {
        let (mut left, mut right) = (TriVector::any(70), TriVector::any(70));
        [3, 69].into_iter().for_each(|fact| left.set(fact, Possible::only(true)));
        [3, 5, 69].into_iter().for_each(|fact| right.set(fact, Possible::only(false)));
        left.overlay(&right, &[0, 1 << 5]);
        assert_eq!([3, 5, 69].map(|fact| left.get(fact).definite()), [Some(false), Some(false), Some(true)]);
    }
}
