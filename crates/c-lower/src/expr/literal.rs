//! Literals.

use crate::unit::Unit;
use hardbop_c_core::{Expr, FloatKind, IntKind, Length, Qualified, Type, TypeId};
use hardbop_lang_c::ast::{CharLiteral, Encoding, ExprId, ExprKind, FloatType, Integer, StringId, Units};

impl Unit<'_> {
    /// The value of a number or a character.
    pub fn number_value(&mut self, expr: ExprId) -> Expr {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Integer(integer) => self.integer_literal(*integer),
            ExprKind::Char(literal) => {
                let ty = self.char_type(*literal);
                self.integer(literal.value.into(), ty)
            }
            ExprKind::Float(literal) => {
                let kind = float_kind(literal.kind);
                if literal.is_imaginary {
                    return self.imaginary(literal.text.clone(), kind);
                }
                let ty = self.module.types.float(kind);
                Expr::float(literal.text.clone(), ty)
            }
            _ => self.error_value(),
        }
    }

    /// `2.0i`: a floating constant of a complex type.
    fn imaginary(&mut self, text: Box<str>, kind: FloatKind) -> Expr {
        let ty = self.module.types.intern(Type::Complex(kind));
        Expr::float(text, ty)
    }

    fn integer_literal(&mut self, integer: Integer) -> Expr {
        if integer.is_imaginary {
            return self.imaginary(format!("{}.0", integer.value).into(), FloatKind::Double);
        }
        let kind = self.integer_literal_kind(integer);
        let ty = self.module.types.int(kind);
        self.integer(integer.value as i128, ty)
    }

    fn integer_literal_kind(&self, integer: Integer) -> IntKind {
        use IntKind::{Int, Int128, Long, LongLong, UnsignedInt, UnsignedInt128, UnsignedLong, UnsignedLongLong};
        let kinds = [Int, UnsignedInt, Long, UnsignedLong, LongLong, UnsignedLongLong, Int128, UnsignedInt128];
        let least = match integer.longs {
            0 => Int.rank(),
            1 => Long.rank(),
            _ => LongLong.rank(),
        };
        let fits = |kind: &IntKind| {
            let width = self.module.types.width(*kind) - u32::from(kind.is_signed());
            width >= 128 || integer.value >> width == 0
        };
        let is_candidate = |kind: &IntKind| {
            let is_signedness_right = match kind.is_signed() {
                true => !integer.is_unsigned,
                false => integer.is_unsigned || !integer.is_decimal,
            };
            kind.rank() >= least && is_signedness_right && fits(kind)
        };
        kinds.into_iter().find(is_candidate).unwrap_or(UnsignedInt128)
    }

    fn char_type(&mut self, literal: CharLiteral) -> TypeId {
        let kind = match literal.encoding {
            Encoding::Plain => IntKind::Int,
            encoding => self.unit_kind(encoding),
        };
        self.module.types.int(kind)
    }

    /// The type of a string literal: an array with the final zero.
    pub fn string_type(&mut self, id: StringId) -> TypeId {
        let literal = &self.ast.strings[id];
        let length = match &literal.units {
            Units::Bytes(bytes) => bytes.len(),
            Units::Wide(units) => units.len(),
        };
        let kind = self.unit_kind(literal.encoding);
        let unit = self.module.types.int(kind);
        self.module.types.array_of(Qualified::plain(unit), Length::Fixed(length as u64 + 1))
    }
}

/// The floating type by its words.
pub(crate) fn float_kind(ty: FloatType) -> FloatKind {
    match ty {
        FloatType::Float16 => FloatKind::Float16,
        FloatType::Float => FloatKind::Float,
        FloatType::Double => FloatKind::Double,
        FloatType::LongDouble => FloatKind::LongDouble,
        FloatType::Float32 => FloatKind::Float32,
        FloatType::Float64 => FloatKind::Float64,
        FloatType::Float32x => FloatKind::Float32x,
        FloatType::Float64x => FloatKind::Float64x,
        FloatType::Float128 => FloatKind::Float128,
        FloatType::Decimal32 => FloatKind::Decimal32,
        FloatType::Decimal64 => FloatKind::Decimal64,
        FloatType::Decimal128 => FloatKind::Decimal128,
    }
}
