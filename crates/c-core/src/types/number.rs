//! Integers and floating types as the machine has them: sizes, ranges, conversions.

use super::{FloatKind, IntKind, Target, Types};

impl IntKind {
    /// Whether it has negative values.
    pub const fn is_signed(self) -> bool {
        matches!(
            self,
            Self::Char | Self::SignedChar | Self::Short | Self::Int | Self::Long | Self::LongLong | Self::Int128
        )
    }

    /// The unsigned integer of the same size; `_Bool` is its own.
    pub const fn to_unsigned(self) -> Self {
        match self {
            Self::Char | Self::SignedChar => Self::UnsignedChar,
            Self::Short => Self::UnsignedShort,
            Self::Int => Self::UnsignedInt,
            Self::Long => Self::UnsignedLong,
            Self::LongLong => Self::UnsignedLongLong,
            Self::Int128 => Self::UnsignedInt128,
            kind => kind,
        }
    }

    /// The signed integer of the same size; `_Bool`'s is `signed char`.
    pub const fn to_signed(self) -> Self {
        match self {
            Self::Bool | Self::UnsignedChar => Self::SignedChar,
            Self::UnsignedShort => Self::Short,
            Self::UnsignedInt => Self::Int,
            Self::UnsignedLong => Self::Long,
            Self::UnsignedLongLong => Self::LongLong,
            Self::UnsignedInt128 => Self::Int128,
            kind => kind,
        }
    }

    /// C's conversion rank: the higher one wins.
    pub const fn rank(self) -> u32 {
        match self {
            Self::Bool => 0,
            Self::Char | Self::SignedChar | Self::UnsignedChar => 1,
            Self::Short | Self::UnsignedShort => 2,
            Self::Int | Self::UnsignedInt => 3,
            Self::Long | Self::UnsignedLong => 4,
            Self::LongLong | Self::UnsignedLongLong => 5,
            Self::Int128 | Self::UnsignedInt128 => 6,
        }
    }

    /// What the integer promotion makes of it: nothing computes with less than an `int`.
    pub const fn promote(self) -> Self {
        if self.rank() < Self::Int.rank() { Self::Int } else { self }
    }
}

impl Target {
    /// Bytes of a pointer.
    pub const fn pointer_size(self) -> u64 {
        match self {
            Self::Ilp32 => 4,
            Self::Lp64 => 8,
        }
    }

    /// Bytes of an integer.
    pub const fn int_size(self, kind: IntKind) -> u64 {
        match kind {
            IntKind::Bool | IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar => 1,
            IntKind::Short | IntKind::UnsignedShort => 2,
            IntKind::Int | IntKind::UnsignedInt => 4,
            IntKind::Long | IntKind::UnsignedLong => self.pointer_size(),
            IntKind::LongLong | IntKind::UnsignedLongLong => 8,
            IntKind::Int128 | IntKind::UnsignedInt128 => 16,
        }
    }

    /// Bits of an integer's value, the sign's included; one for `_Bool`.
    pub const fn width(self, kind: IntKind) -> u32 {
        match kind {
            IntKind::Bool => 1,
            _ => self.int_size(kind) as u32 * 8,
        }
    }

    /// The least and the greatest value. Those of `unsigned __int128` are kept as the `i128` with the same bits, so its
    /// range is all of `i128`.
    pub const fn range(self, kind: IntKind) -> (i128, i128) {
        let width = self.width(kind);
        match (kind.is_signed(), width) {
            (_, 128) => (i128::MIN, i128::MAX),
            (true, _) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            (false, _) => (0, (1 << width) - 1),
        }
    }

    /// The value converted to an integer type: modulo its size, and to `_Bool` whether it is not zero.
    pub const fn wrap(self, kind: IntKind, value: i128) -> i128 {
        let spare = 128 - self.width(kind);
        match kind {
            IntKind::Bool => (value != 0) as i128,
            _ if kind.is_signed() => (value << spare) >> spare,
            _ => (((value as u128) << spare) >> spare) as i128,
        }
    }

    /// What two integers are converted to before an operator works on them.
    pub const fn usual_arithmetic(self, left: IntKind, right: IntKind) -> IntKind {
        let (left, right) = (left.promote(), right.promote());
        if left.is_signed() == right.is_signed() {
            return if left.rank() < right.rank() { right } else { left };
        }
        let (signed, unsigned) = if left.is_signed() { (left, right) } else { (right, left) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if self.width(signed) > self.width(unsigned) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// `size_t`
    pub const fn size_kind(self) -> IntKind {
        match self {
            Self::Ilp32 => IntKind::UnsignedInt,
            Self::Lp64 => IntKind::UnsignedLong,
        }
    }

    /// `ptrdiff_t`
    pub const fn difference_kind(self) -> IntKind {
        self.size_kind().to_signed()
    }

    /// `wchar_t`
    pub const fn wide_char_kind(self) -> IntKind {
        match self {
            Self::Ilp32 => IntKind::Long,
            Self::Lp64 => IntKind::Int,
        }
    }

    /// Bytes of a floating type.
    pub const fn float_size(self, kind: FloatKind) -> u64 {
        match (kind, self) {
            (FloatKind::Float16, _) => 2,
            (FloatKind::Float | FloatKind::Float32 | FloatKind::Decimal32, _) => 4,
            (FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x | FloatKind::Decimal64, _) => 8,
            (FloatKind::LongDouble | FloatKind::Float64x, Self::Ilp32) => 12,
            (FloatKind::LongDouble | FloatKind::Float64x, Self::Lp64) => 16,
            (FloatKind::Float128 | FloatKind::Decimal128, _) => 16,
        }
    }

    /// The alignment of an integer as a member of a record.
    pub(crate) fn int_align(self, kind: IntKind) -> u64 {
        match self {
            Self::Ilp32 => self.int_size(kind).min(4),
            Self::Lp64 => self.int_size(kind),
        }
    }

    /// The alignment of a floating type as a member of a record.
    pub(crate) fn float_align(self, kind: FloatKind) -> u64 {
        use FloatKind::{Double, Float32x, Float64, Float64x, LongDouble};
        match (kind, self) {
            (Double | Float64 | Float32x | LongDouble | Float64x, Self::Ilp32) => 4,
            _ => self.float_size(kind),
        }
    }
}

impl Types {
    /// Bytes of a pointer.
    pub fn pointer_size(&self) -> u64 {
        self.target.pointer_size()
    }

    /// Bytes of an integer.
    pub fn int_size(&self, kind: IntKind) -> u64 {
        self.target.int_size(kind)
    }

    /// Bits of an integer's value, the sign's included; one for `_Bool`.
    pub fn width(&self, kind: IntKind) -> u32 {
        self.target.width(kind)
    }

    /// The least and the greatest value, as [`Target::range`] has them.
    pub fn range(&self, kind: IntKind) -> (i128, i128) {
        self.target.range(kind)
    }

    /// The value converted to an integer type, as [`Target::wrap`] does it.
    pub fn wrap(&self, kind: IntKind, value: i128) -> i128 {
        self.target.wrap(kind, value)
    }

    /// What two integers are converted to before an operator works on them.
    pub fn usual_arithmetic(&self, left: IntKind, right: IntKind) -> IntKind {
        self.target.usual_arithmetic(left, right)
    }

    /// `size_t`
    pub fn size_kind(&self) -> IntKind {
        self.target.size_kind()
    }

    /// `ptrdiff_t`
    pub fn difference_kind(&self) -> IntKind {
        self.target.difference_kind()
    }

    /// `wchar_t`
    pub fn wide_char_kind(&self) -> IntKind {
        self.target.wide_char_kind()
    }

    /// Bytes of a floating type.
    pub fn float_size(&self, kind: FloatKind) -> u64 {
        self.target.float_size(kind)
    }
}
