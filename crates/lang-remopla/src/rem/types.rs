//! Types, and how their values are laid out: as a row of scalars.
//!
//! **Invariant:** the parts of a type come before it in the table, and no type has more than [`MAX_BITS`] bits.

use super::ast::{EnumId, StructId};
use super::names::Symbol;
use hardbop_base::{IndexVec, newtype_index};

/// The most bits that all variables together can have.
pub(super) const MAX_BITS: usize = 100_000;
/// The most bits that one number can have.
pub(super) const MAX_WIDTH: u64 = 1024;

newtype_index! {
    /// A type.
    pub(super) struct TypeId = "t";
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Number { width: usize },
    Enum { id: EnumId, members: u64 },
    Array { low: u64, len: usize, of: TypeId },
    Struct { id: StructId, members: Vec<Member> },
}

/// A member of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub(super) name: Symbol,
    pub(super) kind: TypeId,
    /// How many scalars come before it.
    pub(super) offset: usize,
}

/// Whether a value is one bit, a number, or made of several of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Bool,
    Number,
    Array,
    Struct,
}

impl Sort {
    /// `a boolean`, for messages.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::Array => "an array",
            Self::Struct => "a structure",
        }
    }
}

/// All types.
#[derive(Default, Debug)]
pub(super) struct Types {
    table: IndexVec<TypeId, Type>,
    sizes: IndexVec<TypeId, Size>,
}

#[derive(Clone, Copy, Debug)]
struct Size {
    scalars: usize,
    bits: usize,
}

/// The type would have more than [`MAX_BITS`] bits.
#[derive(Debug)]
pub(super) struct TooLarge;

impl Types {
    pub(super) fn add(&mut self, kind: Type) -> Result<TypeId, TooLarge> {
        let size = self.size(&kind);
        if size.bits > MAX_BITS {
            return Err(TooLarge);
        }
        self.sizes.push(size);
        Ok(self.table.push(kind))
    }

    fn size(&self, kind: &Type) -> Size {
        let scalar = |bits| Size { scalars: 1, bits };
        match kind {
            Type::Bool => scalar(1),
            Type::Number { width } => scalar(*width),
            Type::Enum { members, .. } => scalar(bits_for(*members)),
            Type::Array { len, of, .. } => {
                let Size { scalars, bits } = self.sizes[*of];
                Size { scalars: scalars.saturating_mul(*len), bits: bits.saturating_mul(*len) }
            }
            Type::Struct { members, .. } => {
                let sizes = members.iter().map(|member| self.sizes[member.kind]);
                sizes.fold(Size { scalars: 0, bits: 0 }, |sum, size| Size {
                    scalars: sum.scalars + size.scalars,
                    bits: sum.bits.saturating_add(size.bits),
                })
            }
        }
    }

    pub(super) fn get(&self, id: TypeId) -> &Type {
        &self.table[id]
    }

    /// How many scalars a value of type `id` has.
    pub(super) fn scalars(&self, id: TypeId) -> usize {
        self.sizes[id].scalars
    }

    /// How many bits a value of type `id` has.
    pub(super) fn bits(&self, id: TypeId) -> usize {
        self.sizes[id].bits
    }

    pub(super) fn sort(&self, id: TypeId) -> Sort {
        match self.get(id) {
            Type::Bool => Sort::Bool,
            Type::Number { .. } | Type::Enum { .. } => Sort::Number,
            Type::Array { .. } => Sort::Array,
            Type::Struct { .. } => Sort::Struct,
        }
    }

    /// The types of the scalars of `id`, in order, each with the path to it: `[2].x`.
    pub(super) fn layout(&self, id: TypeId, name: &dyn Fn(Symbol) -> String) -> Vec<(String, TypeId)> {
        match self.get(id) {
            Type::Bool | Type::Number { .. } | Type::Enum { .. } => vec![(String::new(), id)],
            Type::Array { low, len, of } => {
                let inner = self.layout(*of, name);
                let rows = (0..*len as u64)
                    .flat_map(|row| inner.iter().map(move |(path, kind)| (format!("[{}]{path}", low + row), *kind)));
                rows.collect()
            }
            Type::Struct { members, .. } => {
                let rows = members.iter().flat_map(|member| {
                    let prefix = name(member.name);
                    let inner = self.layout(member.kind, name);
                    inner.into_iter().map(move |(path, kind)| (format!(".{prefix}{path}"), kind))
                });
                rows.collect()
            }
        }
    }

    /// Whether a value of type `left` can be copied to one of type `right`. Widths do not matter.
    pub(super) fn can_be_copied(&self, left: TypeId, right: TypeId) -> bool {
        match (self.get(left), self.get(right)) {
            (Type::Array { len, of, .. }, Type::Array { len: other_len, of: other, .. }) => {
                len == other_len && self.can_be_copied(*of, *other)
            }
            (Type::Struct { id, .. }, Type::Struct { id: other, .. }) => id == other,
            _ => self.sort(left) == self.sort(right) && matches!(self.sort(left), Sort::Bool | Sort::Number),
        }
    }
}

/// How many bits the numbers below `count` need; at least one.
pub(super) fn bits_for(count: u64) -> usize {
    (u64::BITS - count.saturating_sub(1).leading_zeros()).max(1) as usize
}
