//! Dense tables with one index type each, so that a node's number can never be used to look up a variable.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A number that names a row of one kind of table.
pub trait Idx: Copy + Eq + Ord + fmt::Debug {
    /// The index of row `row`.
    fn from_usize(row: usize) -> Self;
    /// The row this index names.
    fn index(self) -> usize;
}

/// Declares index types: `newtype_index! { /// A control point. pub struct NodeId = "n"; }` prints as `n7`.
#[macro_export]
macro_rules! newtype_index {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident = $prefix:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);

        impl $crate::Idx for $name {
            #[inline]
            fn from_usize(row: usize) -> Self {
                Self(u32::try_from(row).expect("a table has fewer than 2^32 rows"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(self, f)
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.0)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> ::std::result::Result<Self, D::Error> {
                $crate::serde::Deserialize::deserialize(from).map(Self)
            }
        }
    )+};
}

/// A `Vec` that only its own index type can look into.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexVec<I, T> {
    rows: Vec<T>,
    #[serde(skip)]
    marker: PhantomData<fn(I)>,
}

impl<I: Idx, T> IndexVec<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { rows: Vec::new(), marker: PhantomData }
    }

    /// A table of `len` copies of `value`.
    pub fn from_elem(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        Self { rows: vec![value; len], marker: PhantomData }
    }

    /// Appends a row and returns its index.
    pub fn push(&mut self, value: T) -> I {
        let id = I::from_usize(self.rows.len());
        self.rows.push(value);
        id
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The index that the next [`push`](Self::push) returns.
    pub fn next_id(&self) -> I {
        I::from_usize(self.rows.len())
    }

    /// All indexes, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.rows.len()).map(I::from_usize)
    }

    /// All rows, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// All rows, in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }

    /// All rows with their indexes, in order.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.rows.iter().enumerate().map(|(row, value)| (I::from_usize(row), value))
    }

    /// The row of `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }

    /// The rows as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }
}

impl<I: Idx, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self { rows: iter.into_iter().collect(), marker: PhantomData }
    }
}

impl<'a, I: Idx, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}

impl<I: Idx, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter_enumerated()).finish()
    }
}
