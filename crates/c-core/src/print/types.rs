//! Types and declarations, inside out.

use super::Printer;
use crate::{FloatKind, IntKind, Length, Parameters, Qualified, Qualifiers, RecordId, RecordKind, Type, TypeId};
use std::fmt::Write;

/// What a declaration says of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// An object, which is never `const`.
    Object,
    /// What a pointer points to.
    Pointee,
}

impl Printer<'_> {
    /// `name` declared with the type; just the type if it is empty.
    pub(super) fn declare(&self, ty: Qualified, name: String) -> String {
        self.declare_at(ty, name, Level::Object)
    }

    /// The type without qualifiers as a cast has it.
    pub(super) fn type_name(&self, ty: TypeId) -> String {
        self.declare(Qualified::plain(ty), String::new())
    }

    fn declare_at(&self, mut ty: Qualified, mut inner: String, mut level: Level) -> String {
        let types = &self.module.types;
        loop {
            match types.get(ty.ty) {
                Type::Pointer(pointee) => {
                    let words = qualifiers(ty.qualifiers, level);
                    let words = if inner.is_empty() { words.trim_end() } else { &words };
                    inner = format!("*{words}{inner}");
                    if matches!(types.get(pointee.ty), Type::Array(..) | Type::Function(_)) {
                        inner = format!("({inner})");
                    }
                    (ty, level) = (*pointee, Level::Pointee);
                }
                Type::Array(element, length) => {
                    match length {
                        Length::Fixed(length) => drop(write!(inner, "[{length}]")),
                        Length::Unknown | Length::Variable(_) => inner += "[]",
                    }
                    ty = Qualified { ty: element.ty, qualifiers: element.qualifiers.union(ty.qualifiers) };
                }
                Type::Function(function) => {
                    inner += &self.parameters(&function.parameters);
                    (ty, level) = (Qualified::plain(function.result), Level::Object);
                }
                _ => break,
            }
        }
        let blank = if inner.is_empty() { "" } else { " " };
        format!("{}{}{blank}{inner}", qualifiers(ty.qualifiers, level), self.base(ty.ty))
    }

    fn parameters(&self, parameters: &Parameters) -> String {
        let list = |types: &[TypeId]| types.iter().map(|&ty| self.type_name(ty)).collect::<Vec<_>>().join(", ");
        match parameters {
            Parameters::Fixed(types) if types.is_empty() => "(void)".to_owned(),
            Parameters::Fixed(types) => format!("({})", list(types)),
            Parameters::Variadic(types) if types.is_empty() => "()".to_owned(),
            Parameters::Variadic(types) => format!("({}, ...)", list(types)),
            Parameters::Unspecified => "()".to_owned(),
        }
    }

    /// A type that is neither pointer nor array nor function.
    fn base(&self, ty: TypeId) -> String {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Int(kind) => int_name(*kind).to_owned(),
            Type::Enum(id) => int_name(types.enums[*id].underlying).to_owned(),
            Type::Float(kind) => float_name(*kind).to_owned(),
            Type::Complex(kind) => format!("_Complex {}", float_name(*kind)),
            Type::Record(id) => self.record_keyword(*id).to_owned() + &self.record_name(*id),
            Type::Vector(..) => format!("__vector_{ty}"),
            Type::VaList => "__builtin_va_list".to_owned(),
            Type::Void | Type::Pointer(_) | Type::Array(..) | Type::Function(_) => "void".to_owned(),
        }
    }

    pub(super) fn record_name(&self, id: RecordId) -> String {
        match &self.module.types.records[id].name {
            name if name.is_empty() => id.to_string(),
            name => name.clone(),
        }
    }

    /// The keyword with a blank after it.
    pub(super) fn record_keyword(&self, id: RecordId) -> &'static str {
        match self.module.types.records[id].kind {
            RecordKind::Struct => "struct ",
            RecordKind::Union => "union ",
        }
    }

    /// Names for all vector types.
    pub(super) fn vectors(&self, out: &mut String) {
        let types = &self.module.types;
        for (id, ty) in types.iter() {
            if let Type::Vector(element, _) = ty {
                let (element, size) = (self.type_name(*element), types.size_of(id).unwrap_or(0));
                let _ = writeln!(out, "typedef {element} __vector_{id} __attribute__((vector_size({size})));");
            }
        }
    }
}

/// The qualifiers with a blank after each.
fn qualifiers(qualifiers: Qualifiers, level: Level) -> String {
    let words = [
        (qualifiers.is_const && level == Level::Pointee, "const "),
        (qualifiers.is_volatile, "volatile "),
        (qualifiers.is_restrict, "restrict "),
        (qualifiers.is_atomic, "_Atomic "),
    ];
    words.iter().filter(|(is_there, _)| *is_there).map(|(_, word)| *word).collect()
}

pub(super) fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SignedChar => "signed char",
        IntKind::UnsignedChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UnsignedShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UnsignedInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::UnsignedLong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::UnsignedLongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UnsignedInt128 => "unsigned __int128",
    }
}

fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float32 => "_Float32",
        FloatKind::Float64 => "_Float64",
        FloatKind::Float32x => "_Float32x",
        FloatKind::Float64x => "_Float64x",
        FloatKind::Float128 => "_Float128",
        FloatKind::Decimal32 => "_Decimal32",
        FloatKind::Decimal64 => "_Decimal64",
        FloatKind::Decimal128 => "_Decimal128",
    }
}
