//! Conversions: promotions, the usual arithmetic conversions, assignment, casts.

use super::control::Wanted;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{
    Base, BinaryOp, Expr, ExprKind, FloatKind, IntKind, Parameters, Place, Projection, Qualified, Qualifiers,
    RecordBody, StmtKind, Type, TypeId, UnaryOp, VarKind,
};
use std::cmp::Ordering;

/// An integer after promotion: of this kind, or a bit-field's of so many bits, which C counts as a type of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub kind: IntKind,
    /// More than `int` has, and fewer than the kind has.
    pub bits: Option<u32>,
}

impl Number {
    fn of(kind: IntKind) -> Self {
        Self { kind, bits: None }
    }
}

impl Unit<'_> {
    /// The type `int`.
    pub fn int(&mut self) -> TypeId {
        self.module.types.int(IntKind::Int)
    }

    /// The type `void`.
    pub fn void(&mut self) -> TypeId {
        self.module.types.void()
    }

    /// Whether this is `void`.
    pub fn is_void(&self, ty: TypeId) -> bool {
        self.module.types.is_void(ty)
    }

    /// A constant, converted to its type.
    pub fn integer(&self, value: i128, ty: TypeId) -> Expr {
        Expr::wrapped(value, ty, &self.module.types)
    }

    /// What stands for a value after an error.
    pub fn error_value(&mut self) -> Expr {
        let int = self.int();
        Expr::integer(0, int)
    }

    /// What stands for the value of an expression that has none.
    pub fn void_value(&mut self) -> Expr {
        let void = self.void();
        Expr::integer(0, void)
    }

    /// Reports what is wrong; the result stands for the value.
    pub fn wrong(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Expr {
        self.mistakes += 1;
        // What is wrong with a part makes the whole wrong, too.
        let is_consequence = self.last_mistake.is_some_and(|part| span.start <= part.start && part.end <= span.end);
        if !is_consequence || self.last_mistake == Some(span) {
            self.findings.add(Diagnostic::error(code, message, span));
        }
        self.last_mistake = Some(span);
        self.error_value()
    }

    /// Reports what gcc accepts and we do not.
    pub fn unsupported(&mut self, what: &str, span: Span) -> Expr {
        self.wrong("unsupported-construct", format!("{what} is not supported"), span)
    }

    /// The members of a record type.
    pub fn record_body(&self, ty: TypeId) -> Option<&RecordBody> {
        self.module.types.record(ty).and_then(|record| self.module.types.body(record))
    }

    /// What an array or a vector consists of.
    pub fn element(&self, ty: TypeId) -> Option<Qualified> {
        self.module.types.element(ty)
    }

    /// The qualifiers of what is at `place`.
    pub fn place_qualifiers(&self, place: &Place) -> Qualifiers {
        self.module.walk_place(place).0.qualifiers
    }

    /// How many bits the bit-field at `place` has, if it is one.
    pub fn bit_width(&self, place: &Place) -> Option<u32> {
        match place.path.last() {
            Some(Projection::Field(_)) => {
                self.module.walk_place(place).1.and_then(|field| field.bits).map(|bits| bits.width)
            }
            _ => None,
        }
    }

    /// How many bits the bit-field has whose value this is: read from its place, or saved from there.
    pub fn value_bits(&self, value: &Expr) -> Option<u32> {
        let ExprKind::Read(place) = &value.kind else { return None };
        match place.as_var() {
            Some(var) => self.narrow.get(&var).copied(),
            None => self.bit_width(place),
        }
    }

    /// What an integer of this type, or of a bit-field of so many bits, is after promotion.
    pub fn promoted_number(&self, ty: TypeId, bits: Option<u32>) -> Option<Number> {
        let kind = self.module.types.int_kind(ty)?;
        let int = self.module.types.width(IntKind::Int);
        Some(match bits {
            Some(width) if width < int || width == int && kind.is_signed() => Number::of(IntKind::Int),
            Some(width) if width == int => Number::of(IntKind::UnsignedInt),
            Some(width) if width < self.module.types.width(kind) => Number { kind, bits },
            _ => Number::of(kind.promote()),
        })
    }

    /// What a value is as a number after promotion, if it is an integer.
    pub fn number(&self, value: &Expr) -> Option<Number> {
        self.promoted_number(value.ty, self.value_bits(value))
    }

    /// What two promoted integers meet in. Bits count before types, as gcc has it.
    pub fn common_number(&self, left: Number, right: Number) -> Number {
        let types = &self.module.types;
        let bits = |number: Number| number.bits.unwrap_or(types.width(number.kind));
        match bits(left).cmp(&bits(right)) {
            _ if left.bits.is_none() && right.bits.is_none() => {
                Number::of(types.usual_arithmetic(left.kind, right.kind))
            }
            Ordering::Less => right,
            Ordering::Equal if left.kind.is_signed() => right,
            Ordering::Equal | Ordering::Greater => left,
        }
    }

    /// The integer promotion; other values stay as they are.
    pub fn promote(&mut self, value: Expr) -> Expr {
        match self.number(&value) {
            Some(number) => {
                let ty = self.module.types.int(number.kind);
                self.cast(value, ty)
            }
            None => value,
        }
    }

    /// `value` as an integer of so few bits that its type does not have: a temporary that remembers them.
    pub fn narrowed(&mut self, value: Expr, bits: Option<u32>, span: Span) -> Expr {
        let Some(bits) = bits.filter(|_| self.function.is_some()) else { return value };
        let value = self.truncated(value, bits);
        let (ty, text) = (value.ty, self.text_of(&value));
        let place = self.temporary_place(ty, &text, span);
        self.narrow.extend(place.as_var().map(|var| (var, bits)));
        self.emit(StmtKind::Assign(place.clone(), value), span);
        Expr::read(place)
    }

    /// What a bit-field of so many bits holds after it got `value`, promoted.
    pub fn held(&mut self, value: Expr, bits: u32, span: Span) -> Expr {
        match self.promoted_number(value.ty, Some(bits)) {
            Some(number) if number.bits.is_none() => {
                let value = self.truncated(value, bits);
                let ty = self.module.types.int(number.kind);
                self.cast(value, ty)
            }
            _ => self.narrowed(value, Some(bits), span),
        }
    }

    /// The lowest bits of an integer, promoted.
    fn truncated(&mut self, value: Expr, bits: u32) -> Expr {
        let types = &mut self.module.types;
        let Some(kind) = types.int_kind(value.ty).filter(|&kind| bits < types.width(kind)) else { return value };
        let wide = kind.promote();
        let (ty, unsigned, int) = (types.int(wide), types.int(wide.to_unsigned()), types.int(IntKind::Int));
        if !kind.is_signed() {
            let mask = Expr::integer(i128::MAX >> (127 - bits), ty);
            let value = self.cast(value, ty);
            let masked = Expr::binary(BinaryOp::BitAnd, value, mask, &mut self.module.types);
            return self.fold(masked);
        }
        let spare = Expr::integer((types.width(wide) - bits).into(), int);
        let value = self.cast(value, unsigned);
        let raised = Expr::binary(BinaryOp::Shl, value, spare.clone(), &mut self.module.types);
        let raised = self.fold(raised);
        let raised = self.cast(raised, ty);
        let lowered = Expr::binary(BinaryOp::Shr, raised, spare, &mut self.module.types);
        self.fold(lowered)
    }

    /// The default argument promotion.
    pub fn promote_argument(&mut self, value: Expr) -> Expr {
        match self.module.types.get(value.ty) {
            Type::Float(FloatKind::Float) => {
                let double = self.module.types.float(FloatKind::Double);
                self.cast(value, double)
            }
            _ => self.promote(value),
        }
    }

    /// The type in which two promoted numbers meet.
    pub fn common_type(&mut self, left: TypeId, right: TypeId) -> Option<TypeId> {
        let types = &mut self.module.types;
        let (first, second) = (types.get(left).clone(), types.get(right).clone());
        match (&first, &second) {
            (Type::Vector(..), Type::Vector(..)) => Some(left),
            (Type::Vector(..), _) => types.is_arithmetic(right).then_some(left),
            (_, Type::Vector(..)) => types.is_arithmetic(left).then_some(right),
            _ => {
                let is_complex = matches!(first, Type::Complex(_)) || matches!(second, Type::Complex(_));
                match (float_of(&first), float_of(&second)) {
                    (None, None) => {
                        let kind = types.usual_arithmetic(types.int_kind(left)?, types.int_kind(right)?);
                        Some(types.int(kind))
                    }
                    (one, other) => {
                        if !types.is_arithmetic(left) || !types.is_arithmetic(right) {
                            return None;
                        }
                        let kind = [one, other].into_iter().flatten().max_by_key(|&kind| float_rank(kind))?;
                        Some(types.intern(if is_complex { Type::Complex(kind) } else { Type::Float(kind) }))
                    }
                }
            }
        }
    }

    /// Both values, promoted and converted to the type in which they meet; and its bits, if it has fewer than it says.
    pub fn usual(&mut self, left: Expr, right: Expr, span: Span) -> Option<(Expr, Expr, Option<u32>)> {
        let numbers = self.number(&left).zip(self.number(&right));
        if let Some((first, second)) = numbers {
            let common = self.common_number(first, second);
            let (left, right) = (self.promote(left), self.promote(right));
            let left = self.as_number(left, first, common);
            return Some((left, self.as_number(right, second, common), common.bits));
        }
        let (left, right) = (self.promote(left), self.promote(right));
        let ty = self.common_type(left.ty, right.ty)?;
        Some((self.brought_to(left, ty, span), self.brought_to(right, ty, span), None))
    }

    /// A promoted value that is a number `from`, as a number `to`.
    fn as_number(&mut self, value: Expr, from: Number, to: Number) -> Expr {
        let ty = self.module.types.int(to.kind);
        let value = self.cast(value, ty);
        match to.bits {
            Some(bits) if from.kind.is_signed() && !to.kind.is_signed() => self.truncated(value, bits),
            _ => value,
        }
    }

    fn brought_to(&mut self, value: Expr, ty: TypeId, span: Span) -> Expr {
        match *self.module.types.get(ty) {
            Type::Vector(element, length) if value.ty != ty => {
                if matches!(self.module.types.get(value.ty), Type::Vector(..)) {
                    return self.convert(value, ty, span);
                }
                self.splat(value, element, length, ty, span)
            }
            _ => self.cast(value, ty),
        }
    }

    /// A vector with `value` in each element.
    fn splat(&mut self, value: Expr, element: TypeId, length: u64, ty: TypeId, span: Span) -> Expr {
        let value = self.cast(value, element);
        let value = self.saved(value, span);
        let vector = self.temporary_place(ty, "vector", span);
        let index = self.module.types.int(self.module.types.difference_kind());
        for number in 0..length.min(256) {
            let place = vector.clone().index(Expr::integer(number.into(), index), &self.module.types);
            self.emit(StmtKind::Assign(place, value.clone()), span);
        }
        Expr::read(vector)
    }

    /// Converts a value to a scalar type, whatever it was.
    pub fn cast(&mut self, value: Expr, ty: TypeId) -> Expr {
        if value.ty == ty {
            return value;
        }
        let value = match value.kind {
            // There and back again.
            ExprKind::Cast(inner) if inner.ty == ty && self.is_widening(ty, value.ty) => return *inner,
            ExprKind::Cast(inner) if inner.ty == ty && self.is_truth(&inner) => return *inner,
            kind => Expr { kind, ..value },
        };
        let value = Expr { kind: ExprKind::Cast(Box::new(value)), ty };
        self.fold(value)
    }

    /// Whether a value is 0 or 1, which every type keeps.
    fn is_truth(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Binary(op, ..) => op.is_comparison(),
            ExprKind::Unary(op, _) => *op == UnaryOp::Not,
            _ => false,
        }
    }

    /// Whether every value of the integer type `from` is one of `to`.
    fn is_widening(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.module.types;
        match (types.int_kind(from), types.int_kind(to)) {
            (Some(from), Some(to)) => types.width(to) >= types.width(from) && to != IntKind::Bool,
            _ => false,
        }
    }

    /// An index or offset, of the width of pointers.
    pub fn as_offset(&mut self, value: Expr) -> Expr {
        let types = &mut self.module.types;
        let difference = types.difference_kind();
        match *types.get(value.ty) {
            Type::Int(kind) if types.width(kind) == types.width(difference) => value,
            _ => {
                let ty = types.int(difference);
                self.cast(value, ty)
            }
        }
    }

    /// Converts `value`, written at `span`, as by assignment to `ty`; reports what C does not allow.
    pub fn convert(&mut self, value: Expr, ty: TypeId, span: Span) -> Expr {
        if value.ty == ty {
            return value;
        }
        let types = &self.module.types;
        let (from, to) = (types.get(value.ty), types.get(ty));
        let is_allowed = match (from, to) {
            (Type::Void, _) => return self.wrong("void-value", "a void value is used", span),
            (Type::Float(_) | Type::Complex(_), Type::Pointer(_))
            | (Type::Pointer(_), Type::Float(_) | Type::Complex(_)) => false,
            (Type::Vector(..), Type::Vector(..)) => types.size_of(value.ty) == types.size_of(ty),
            (Type::Record(_), Type::Record(_)) => types.is_compatible(value.ty, ty),
            _ => types.is_scalar(value.ty) && types.is_scalar(ty),
        };
        if !is_allowed && types.is_complete(ty) && self.is_guessed(&value) {
            return self.any_value(&value, ty, span);
        }
        if !is_allowed {
            let message = format!("cannot convert {} to {}", self.type_text(value.ty), self.type_text(ty));
            self.wrong("incompatible-types", message, span);
            return self.integer(0, ty);
        }
        if types.record(ty).is_some() {
            return Expr { ty, ..value };
        }
        match types.get(ty) {
            Type::Vector(..) => self.reinterpreted(value, ty, span),
            _ => self.cast(value, ty),
        }
    }

    /// Whether a value is the result of a function that only the compiler knows, whose type was guessed.
    fn is_guessed(&self, value: &Expr) -> bool {
        let ExprKind::Read(place) = &value.kind else { return false };
        place.as_var().is_some_and(|var| {
            let variable = &self.module.vars[var];
            matches!(variable.kind, VarKind::Temporary(_)) && variable.source_name.starts_with("__builtin_")
        })
    }

    /// Any value of type `ty`, in place of `value`.
    fn any_value(&mut self, value: &Expr, ty: TypeId, span: Span) -> Expr {
        let text = self.text_of(value);
        let var = self.temporary(ty, &text, span);
        self.emit(StmtKind::Fresh(var), span);
        Expr::read(Place::var(var, ty))
    }

    /// `(ty)value` as written: what assignment allows, and vectors taken apart.
    pub fn explicit_cast(&mut self, value: Expr, ty: TypeId, span: Span) -> Expr {
        let types = &self.module.types;
        let is_vector = |ty: TypeId| matches!(types.get(ty), Type::Vector(..));
        if is_vector(value.ty) != is_vector(ty)
            && !self.is_guessed(&value)
            && types.size_of(value.ty) == types.size_of(ty)
        {
            return self.reinterpreted(value, ty, span);
        }
        // A cast bit-field is no bit-field any more: it is not promoted by its width.
        match &value.kind {
            ExprKind::Read(_) if value.ty == ty && self.value_bits(&value).is_some() => {
                Expr { kind: ExprKind::Cast(Box::new(value)), ty }
            }
            _ => self.convert(value, ty, span),
        }
    }

    /// The bytes of `value` as a value of another type of the same size.
    fn reinterpreted(&mut self, value: Expr, ty: TypeId, span: Span) -> Expr {
        let source = self.temporary_place(value.ty, "bytes", span);
        let result = self.temporary_place(ty, "bytes", span);
        let size_type = self.size_type();
        let size = self.module.types.size_of(ty).unwrap_or(0);
        let size = self.integer(size.into(), size_type);
        self.emit(StmtKind::Assign(source.clone(), value), span);
        let (from, to) = (self.address_of_place(source, span), self.address_of_place(result.clone(), span));
        let function = self.known_function("__builtin_memcpy").expect("the table has it");
        let function_type = self.module.functions[function].ty;
        let parameters = match self.module.types.callee(function_type).map(|ty| ty.parameters.clone()) {
            Some(Parameters::Fixed(types) | Parameters::Variadic(types)) => types,
            _ => Vec::new(),
        };
        let mut arguments = vec![to, from, size];
        for (argument, &wanted) in arguments.iter_mut().zip(&parameters) {
            *argument = self.cast(argument.clone(), wanted);
        }
        self.call_function(function, arguments, Wanted::Effect, span);
        Expr::read(result)
    }

    /// The value as an `int` that is 0 or 1.
    pub fn as_truth(&mut self, value: Expr) -> Expr {
        match &value.kind {
            ExprKind::Binary(op, ..) if op.is_comparison() => return value,
            ExprKind::Unary(UnaryOp::Not, _) => return value,
            _ => {}
        }
        if let Some(truth) = self.truth(&value) {
            let int = self.int();
            return self.integer(truth.into(), int);
        }
        let zero = self.zero(value.ty);
        let compared = Expr::binary(BinaryOp::Ne, value, zero, &mut self.module.types);
        self.fold(compared)
    }

    /// Zero of a scalar type.
    pub fn zero(&mut self, ty: TypeId) -> Expr {
        match self.module.types.get(ty) {
            Type::Float(_) => Expr::float("0.0", ty),
            Type::Complex(_) => {
                let int = self.int();
                Expr { kind: ExprKind::Cast(Box::new(Expr::integer(0, int))), ty }
            }
            _ => Expr::integer(0, ty),
        }
    }

    /// Whether a value is not zero, if that is known.
    pub fn truth(&self, value: &Expr) -> Option<bool> {
        match &value.kind {
            ExprKind::Integer(number) => Some(*number != 0),
            ExprKind::Float(text) => text.parse::<f64>().ok().map(|number| number != 0.0),
            ExprKind::Label(_) => Some(true),
            // What is global may be weak, and null.
            ExprKind::Address(Place { base: Base::Var(var), .. }) => self.module.vars[*var].kind.owner().map(|_| true),
            ExprKind::Cast(inner) => {
                let is_pointer = self.module.types.is_pointer(value.ty) && self.module.types.is_pointer(inner.ty);
                if is_pointer { self.truth(inner) } else { None }
            }
            _ => None,
        }
    }

    /// A type for messages.
    pub fn type_text(&self, ty: TypeId) -> String {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Void => "`void`".to_owned(),
            Type::Int(_) | Type::Enum(_) => "an integer".to_owned(),
            Type::Float(_) | Type::Complex(_) => "a floating number".to_owned(),
            Type::Pointer(_) => "a pointer".to_owned(),
            Type::Array(..) => "an array".to_owned(),
            Type::Vector(..) => "a vector".to_owned(),
            Type::Record(record) => format!("`{}`", record_text(&types.records[*record])),
            Type::Function(_) => "a function".to_owned(),
            Type::VaList => "`va_list`".to_owned(),
        }
    }
}

fn record_text(record: &hardbop_c_core::Record) -> String {
    let kind = match record.kind {
        hardbop_c_core::RecordKind::Struct => "struct",
        hardbop_c_core::RecordKind::Union => "union",
    };
    format!("{kind} {}", record.tag.as_deref().unwrap_or("<anonymous>"))
}

fn float_of(ty: &Type) -> Option<FloatKind> {
    match ty {
        Type::Float(kind) | Type::Complex(kind) => Some(*kind),
        _ => None,
    }
}

fn float_rank(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Float16 => 0,
        FloatKind::Float => 1,
        FloatKind::Float32 => 2,
        FloatKind::Double => 3,
        FloatKind::Float32x => 4,
        FloatKind::Float64 => 5,
        FloatKind::LongDouble => 6,
        FloatKind::Float64x => 7,
        FloatKind::Float128 => 8,
        FloatKind::Decimal32 => 9,
        FloatKind::Decimal64 => 10,
        FloatKind::Decimal128 => 11,
    }
}
