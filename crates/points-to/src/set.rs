//! Sparse sets of small numbers: sorted chunks of 64, which suits sets that are mostly tiny and, where they are big,
//! dense in places because the locations of one object are neighbours.
//!
//! **Invariant:** chunks are sorted by their number, and none is empty.

/// A set of numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Set {
    chunks: Vec<(u32, u64)>,
}

impl Set {
    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// How many numbers are in it.
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Whether the number is in it.
    pub(crate) fn contains(&self, element: u32) -> bool {
        let found = self.chunks.binary_search_by_key(&(element / 64), |chunk| chunk.0);
        found.is_ok_and(|at| self.chunks[at].1 & (1 << (element % 64)) != 0)
    }

    /// Whether zero is in it.
    pub(crate) fn has_zero(&self) -> bool {
        self.chunks.first().is_some_and(|&(number, bits)| number == 0 && bits & 1 != 0)
    }

    /// Puts the number in; says whether it was not there.
    pub(crate) fn insert(&mut self, element: u32) -> bool {
        self.insert_chunk(element / 64, 1 << (element % 64)) != 0
    }

    /// The numbers in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks.iter().flat_map(|&(number, bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(number * 64 + bit)
            })
        })
    }

    /// Adds all of `other`; what was not there is added to `news` too.
    pub(crate) fn absorb(&mut self, other: &Self, news: &mut Self) {
        // A few chunks are put in one by one: most of the traffic is a handful of new elements for a big set.
        if other.chunks.len() * 8 <= self.chunks.len() {
            for &(number, bits) in &other.chunks {
                let added = self.insert_chunk(number, bits);
                if added != 0 {
                    news.insert_chunk(number, added);
                }
            }
            return;
        }
        let added = other.minus(self);
        if !added.is_empty() {
            self.merge(&added);
            if news.is_empty() {
                *news = added;
            } else {
                news.merge(&added);
            }
        }
    }

    /// What is in this set and not in the other.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let mut result = Vec::new();
        let mut at = 0;
        for &(number, bits) in &self.chunks {
            while at < other.chunks.len() && other.chunks[at].0 < number {
                at += 1;
            }
            let theirs = other.chunks.get(at).filter(|chunk| chunk.0 == number).map_or(0, |chunk| chunk.1);
            if bits & !theirs != 0 {
                result.push((number, bits & !theirs));
            }
        }
        Self { chunks: result }
    }

    /// What is in both.
    pub(crate) fn meet(&self, other: &Self) -> Self {
        self.minus(&self.minus(other))
    }

    /// Adds all of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        let mut result = Vec::with_capacity(self.chunks.len() + other.chunks.len());
        let (mut mine, mut theirs) = (self.chunks.iter().peekable(), other.chunks.iter().peekable());
        while let (Some(&&left), Some(&&right)) = (mine.peek(), theirs.peek()) {
            result.push(match left.0.cmp(&right.0) {
                std::cmp::Ordering::Less => left,
                std::cmp::Ordering::Greater => right,
                std::cmp::Ordering::Equal => (left.0, left.1 | right.1),
            });
            if left.0 <= right.0 {
                mine.next();
            }
            if right.0 <= left.0 {
                theirs.next();
            }
        }
        result.extend(mine);
        result.extend(theirs);
        self.chunks = result;
    }

    /// Puts the bits in; returns those that were not there.
    fn insert_chunk(&mut self, number: u32, bits: u64) -> u64 {
        match self.chunks.binary_search_by_key(&number, |chunk| chunk.0) {
            Ok(at) => {
                let added = bits & !self.chunks[at].1;
                self.chunks[at].1 |= bits;
                added
            }
            Err(at) => {
                self.chunks.insert(at, (number, bits));
                bits
            }
        }
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<T: IntoIterator<Item = u32>>(elements: T) -> Self {
        let mut set = Self::default();
        for element in elements {
            set.insert(element);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::Set;
    use proptest::prelude::proptest;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_behaves_like_a_set(left: Vec<u8>, right: Vec<u16>) {
            let numbers = |of: &BTreeSet<u32>| of.iter().copied().collect::<Set>();
            let left: BTreeSet<u32> = left.into_iter().map(u32::from).collect();
            let right: BTreeSet<u32> = right.into_iter().map(|element| u32::from(element % 700)).collect();
            let (mut both, mut news) = (numbers(&left), Set::default());
            both.absorb(&numbers(&right), &mut news);
            assert_eq!(both, numbers(&(&left | &right)));
            assert_eq!(news, numbers(&(&right - &left)));
            assert_eq!(numbers(&left).minus(&numbers(&right)), numbers(&(&left - &right)));
            assert_eq!(numbers(&left).meet(&numbers(&right)), numbers(&(&left & &right)));
            assert_eq!(both.iter().collect::<Vec<_>>(), (&left | &right).into_iter().collect::<Vec<_>>());
            assert_eq!(both.len(), (&left | &right).len());
        }
    }
}
