//! Scalars: what a variable or an expression of integer, pointer or floating type holds.

use crate::memory::ObjectId;
use crate::outcome::{Fallible, Undefined, unsupported};
use hardbop_c_core::{FloatKind, IntKind, Target, Type, TypeId, Types};

/// A scalar.
///
/// **Invariant:** an integer's bits are extended from its type's width as its sign says, so equal integers of one type
/// are equal bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Nothing was stored yet.
    Undefined,
    /// An integer of up to 64 bits.
    Int(u64),
    /// An integer of 128 bits: the low and the high half.
    Wide(u64, u64),
    /// A pointer.
    Pointer(Pointer),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
}

/// A pointer: a number, and the object it was made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pointer {
    /// The address.
    pub address: u64,
    /// What may be accessed through it; functions, labels and mere numbers have none.
    pub object: Option<ObjectId>,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Self = Self { address: 0, object: None };

    /// This pointer, moved by so many bytes.
    pub fn offset(self, bytes: i64) -> Self {
        Self { address: self.address.wrapping_add_signed(bytes), object: self.object }
    }
}

/// An integer type as the machine sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntShape {
    /// How many bits.
    pub bits: u8,
    /// Whether the first is a sign.
    pub is_signed: bool,
    /// Whether only zero and one are values.
    pub is_bool: bool,
}

/// A scalar type as the machine sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An integer or enumeration.
    Int(IntShape),
    /// A pointer of so many bytes.
    Pointer(u8),
    /// `float`
    Float,
    /// `double`
    Double,
}

impl IntShape {
    /// The shape of `kind`.
    pub fn of(kind: IntKind, target: Target) -> Self {
        let long = if target == Target::Lp64 { 64 } else { 32 };
        let (bits, is_signed) = match kind {
            IntKind::Bool | IntKind::UnsignedChar => (8, false),
            IntKind::Char | IntKind::SignedChar => (8, true),
            IntKind::Short => (16, true),
            IntKind::UnsignedShort => (16, false),
            IntKind::Int => (32, true),
            IntKind::UnsignedInt => (32, false),
            IntKind::Long => (long, true),
            IntKind::UnsignedLong => (long, false),
            IntKind::LongLong => (64, true),
            IntKind::UnsignedLongLong => (64, false),
            IntKind::Int128 => (128, true),
            IntKind::UnsignedInt128 => (128, false),
        };
        Self { bits, is_signed, is_bool: kind == IntKind::Bool }
    }

    /// The low bits of `bits`, extended.
    #[inline]
    pub fn wrap(self, bits: u64) -> u64 {
        if self.bits >= 64 {
            return bits;
        }
        let unused = 64 - u32::from(self.bits);
        if self.is_signed { ((bits << unused) as i64 >> unused) as u64 } else { (bits << unused) >> unused }
    }

    /// The value that `number` has in this type, modulo a power of two.
    pub fn value(self, number: i128) -> Value {
        if self.bits == 128 {
            return Value::Wide(number as u64, (number >> 64) as u64);
        }
        Value::Int(if self.is_bool { u64::from(number != 0) } else { self.wrap(number as u64) })
    }

    /// The integer that `value` is; of 128 unsigned bits, those of the result.
    pub fn number(self, value: Value) -> i128 {
        match value {
            Value::Int(bits) if self.is_signed => i128::from(bits as i64),
            Value::Int(bits) => i128::from(bits),
            Value::Wide(low, high) => (u128::from(high) << 64 | u128::from(low)) as i128,
            _ => unreachable!("an integer type has integer values"),
        }
    }

    /// Whether `number` is a value of this type; always so for 128 bits.
    pub fn holds(self, number: i128) -> bool {
        self.bits == 128 || self.number(self.value(number)) == number
    }
}

impl Shape {
    /// The shape of the scalar type `ty`; `None` for what is no scalar or not computed exactly.
    pub fn of(types: &Types, ty: TypeId) -> Option<Self> {
        Some(match types.get(ty) {
            Type::Int(kind) => Self::Int(IntShape::of(*kind, types.target)),
            Type::Enum(id) => Self::Int(IntShape::of(types.enums[*id].underlying, types.target)),
            Type::Pointer(_) => Self::Pointer(pointer_bytes(types.target)),
            Type::Float(FloatKind::Float | FloatKind::Float32) => Self::Float,
            Type::Float(FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x) => Self::Double,
            _ => return None,
        })
    }

    /// How many bytes.
    #[inline]
    pub fn size(self) -> u64 {
        match self {
            Self::Int(shape) => u64::from(shape.bits / 8),
            Self::Pointer(size) => u64::from(size),
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// Zero, or null.
    pub fn zero(self) -> Value {
        match self {
            Self::Int(shape) => shape.value(0),
            Self::Pointer(_) => Value::Pointer(Pointer::NULL),
            Self::Float => Value::Float(0.0),
            Self::Double => Value::Double(0.0),
        }
    }
}

/// How many bytes a pointer has.
pub(crate) fn pointer_bytes(target: Target) -> u8 {
    match target {
        Target::Ilp32 => 4,
        Target::Lp64 => 8,
    }
}

impl Value {
    /// Whether a condition with this value holds.
    #[inline]
    pub(crate) fn is_true(self) -> Fallible<bool> {
        Ok(match self {
            Self::Int(bits) => bits != 0,
            Self::Pointer(pointer) => pointer.address != 0,
            Self::Wide(low, high) => low | high != 0,
            Self::Float(number) => number != 0.0,
            Self::Double(number) => number != 0.0,
            Self::Undefined => return Err(Undefined::UninitialisedRead.into()),
        })
    }

    /// The pointer that a value of pointer type is.
    #[inline]
    pub(crate) fn pointer(self) -> Fallible<Pointer> {
        match self {
            Self::Pointer(pointer) => Ok(pointer),
            Self::Undefined => Err(Undefined::UninitialisedRead.into()),
            _ => unreachable!("a pointer type has pointer values"),
        }
    }

    /// The bits of an integer of up to 64 bits, or the address of a pointer.
    #[inline]
    pub(crate) fn bits(self) -> Fallible<u64> {
        match self {
            Self::Int(bits) => Ok(bits),
            Self::Wide(low, _) => Ok(low),
            Self::Pointer(pointer) => Ok(pointer.address),
            Self::Undefined => Err(Undefined::UninitialisedRead.into()),
            Self::Float(_) | Self::Double(_) => unreachable!("an integer type has integer values"),
        }
    }
}

/// Converts a defined `value` between integers and floating types. Pointers need the memory to be looked at.
pub(crate) fn convert(value: Value, from: Shape, to: Shape) -> Fallible<Value> {
    Ok(match (value, from, to) {
        (Value::Float(number), _, Shape::Float) => Value::Float(number),
        (Value::Float(number), _, Shape::Double) => Value::Double(f64::from(number)),
        (Value::Double(number), _, Shape::Float) => Value::Float(number as f32),
        (Value::Double(number), _, Shape::Double) => Value::Double(number),
        (Value::Float(number), _, Shape::Int(to)) => integer_of(f64::from(number), to)?,
        (Value::Double(number), _, Shape::Int(to)) => integer_of(number, to)?,
        (_, Shape::Int(from), Shape::Int(to)) => to.value(from.number(value)),
        (_, Shape::Int(from), Shape::Float) => Value::Float(match from.number(value) {
            bits if from.bits == 128 && !from.is_signed => bits as u128 as f32,
            number => number as f32,
        }),
        (_, Shape::Int(from), Shape::Double) => Value::Double(match from.number(value) {
            bits if from.bits == 128 && !from.is_signed => bits as u128 as f64,
            number => number as f64,
        }),
        _ => return unsupported("a conversion between a pointer and a floating type"),
    })
}

fn integer_of(number: f64, to: IntShape) -> Fallible<Value> {
    if to.is_bool {
        return Ok(Value::Int(u64::from(number != 0.0)));
    }
    let whole = number.trunc();
    if to.bits == 128 && !to.is_signed {
        // 2^128 is exact, and every double below it fits.
        let fits = (0.0..340_282_366_920_938_463_463_374_607_431_768_211_456.0).contains(&whole);
        return if fits { Ok(to.value(whole as u128 as i128)) } else { Err(Undefined::FloatToInteger.into()) };
    }
    let limit = 2f64.powi(i32::from(to.bits) - i32::from(to.is_signed));
    let least = if to.is_signed { -limit } else { 0.0 };
    // A value between -1 and 0 becomes 0, also for unsigned types; not-a-number is in no range.
    if (least..limit).contains(&whole) { Ok(to.value(whole as i128)) } else { Err(Undefined::FloatToInteger.into()) }
}

/// The value of a floating constant as the source spells it, in a type of this shape.
pub(crate) fn float_constant(text: &str, shape: Shape) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        let exact = hexadecimal(digits)?;
        return Some(if shape == Shape::Float { Value::Float(exact as f32) } else { Value::Double(exact) });
    }
    Some(match shape {
        Shape::Float => Value::Float(lower.parse().ok()?),
        _ => Value::Double(lower.parse().ok()?),
    })
}

// The digits must fit a double's mantissa; longer ones would be rounded twice.
fn hexadecimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p')?;
    let mut exponent: i32 = exponent.parse().ok()?;
    let mut number: u64 = 0;
    let mut is_fraction = false;
    for digit in mantissa.chars() {
        if digit == '.' {
            is_fraction = true;
            continue;
        }
        number = number.checked_mul(16)?.checked_add(u64::from(digit.to_digit(16)?))?;
        if is_fraction {
            exponent = exponent.checked_sub(4)?;
        }
    }
    if number >= 1 << 53 && number.trailing_zeros() + 53 < 64 - number.leading_zeros() {
        return None;
    }
    if !(-1000..=960).contains(&exponent) {
        return None;
    }
    Some(number as f64 * 2f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: IntShape = IntShape { bits: 32, is_signed: true, is_bool: false };
    const UNSIGNED: IntShape = IntShape { bits: 32, is_signed: false, is_bool: false };

    #[test]
    fn integers_are_extended_as_their_sign_says() {
        assert_eq!(INT.value(0xffff_ffff), Value::Int(u64::MAX));
        assert_eq!(UNSIGNED.value(-1), Value::Int(0xffff_ffff));
        assert_eq!(INT.number(INT.value(1 << 31)), -(1 << 31));
        assert!(!INT.holds(1 << 31) && UNSIGNED.holds(1 << 31) && !UNSIGNED.holds(-1));
    }

    #[test]
    fn floats_become_integers_that_hold_them_or_nothing() {
        let to = |number: f64, shape| convert(Value::Double(number), Shape::Double, Shape::Int(shape)).ok();
        assert_eq!(to(-1.9, INT), Some(INT.value(-1)));
        assert_eq!(to(-0.9, UNSIGNED), Some(UNSIGNED.value(0)));
        assert_eq!(to(2_147_483_647.5, INT), Some(INT.value(2_147_483_647)));
        assert_eq!(to(-2_147_483_648.5, INT), Some(INT.value(-2_147_483_648)));
        for number in [2_147_483_648.0, -2_147_483_649.0, f64::NAN, f64::INFINITY] {
            assert_eq!(to(number, INT), None);
        }
        assert_eq!(to(-1.0, UNSIGNED), None);
    }

    #[test]
    fn constants_are_read_as_c_spells_them() {
        let double = |text| float_constant(text, Shape::Double);
        assert_eq!(double("1."), Some(Value::Double(1.0)));
        assert_eq!(double(".5e1"), Some(Value::Double(5.0)));
        assert_eq!(double("0x1.8p3"), Some(Value::Double(12.0)));
        assert_eq!(double("0X.8P-1"), Some(Value::Double(0.25)));
        assert_eq!(double("0x1.ffffffffffffffffp0"), None);
        assert_eq!(float_constant("0.1", Shape::Float), Some(Value::Float(0.1)));
    }
}
