//! Sets of facts: a sorted list while it is short, then bits.

use super::Point;

/// A set of facts and `Λ`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PointSet {
    /// In order.
    Few(Vec<Point>),
    /// 64 to a word.
    Many(Vec<u64>),
}

impl Default for PointSet {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

/// A longer list becomes bits if those take no more room than so many times the list.
const MOST_FEW: usize = 8;
const SPREAD: usize = 4;

impl PointSet {
    pub(super) fn contains(&self, point: Point) -> bool {
        match self {
            Self::Few(list) => list.binary_search(&point).is_ok(),
            Self::Many(words) => words.get(point.0 as usize / 64).is_some_and(|word| word >> (point.0 % 64) & 1 == 1),
        }
    }

    /// Adds a fact; whether it was not there.
    pub(super) fn insert(&mut self, point: Point) -> bool {
        match self {
            Self::Few(list) => {
                let Err(place) = list.binary_search(&point) else { return false };
                list.insert(place, point);
                let words = list.last().map_or(0, |last| last.0 as usize / 64 + 1);
                if list.len() > MOST_FEW && words <= SPREAD * list.len() {
                    *self = Self::Many(bits(list, words));
                }
                true
            }
            Self::Many(words) => {
                let (row, bit) = (point.0 as usize / 64, point.0 % 64);
                if row >= words.len() {
                    words.resize(row + 1, 0);
                }
                let is_new = words[row] >> bit & 1 == 0;
                words[row] |= 1 << bit;
                is_new
            }
        }
    }

    /// The facts, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        let (few, many): (&[Point], &[u64]) = match self {
            Self::Few(list) => (list, &[]),
            Self::Many(words) => (&[], words),
        };
        let in_word = |(row, &word): (usize, &u64)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then(|| Point(row as u32 * 64 + bit))
            })
        };
        few.iter().copied().chain(many.iter().enumerate().flat_map(in_word))
    }
}

fn bits(list: &[Point], words: usize) -> Vec<u64> {
    let mut bits = vec![0; words];
    for point in list {
        bits[point.0 as usize / 64] |= 1 << (point.0 % 64);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_the_same_as_a_list_and_as_bits() {
        let mut set = PointSet::default();
        let mut wanted = std::collections::BTreeSet::new();
        let mut number = 1u32;
        for round in 0..400 {
            number = number.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let point = Point(number >> 16 & if round < 12 { 0xfff } else { 0x1ff });
            assert_eq!(set.insert(point), wanted.insert(point));
            assert!(set.iter().eq(wanted.iter().copied()));
            assert!((0..0x1000).all(|row| set.contains(Point(row)) == wanted.contains(&Point(row))));
        }
        assert!(matches!(set, PointSet::Many(_)));
    }
}
