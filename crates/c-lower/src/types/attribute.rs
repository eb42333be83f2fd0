//! What attributes say about types: machine modes, vectors, alignments.

use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::{FloatKind, IntKind, Target, Type, TypeId};
use hardbop_lang_c::ast::{Alignment, Attribute, AttributeArgument, ExprKind};

/// What gcc takes `aligned` without a number for.
const LARGEST_ALIGNMENT: u64 = 16;

impl Unit<'_> {
    /// The attribute `name`, if it stands there.
    pub fn attribute<'b>(&self, attributes: &'b [Attribute], name: &str) -> Option<&'b Attribute> {
        attributes.iter().find(|attribute| &*self.ast.names[attribute.name.name] == name)
    }

    /// Whether the attribute `name` stands there.
    pub fn has_attribute(&self, attributes: &[Attribute], name: &str) -> bool {
        self.attribute(attributes, name).is_some()
    }

    /// `ty` after the attributes that make another type of it: `mode` and `vector_size`.
    pub fn with_attributes(&mut self, ty: TypeId, attributes: &[Attribute]) -> TypeId {
        let mut ty = ty;
        for attribute in attributes {
            match &*self.ast.names[attribute.name.name] {
                "mode" => ty = self.with_mode(ty, attribute),
                "vector_size" => ty = self.vector(ty, attribute),
                _ => {}
            }
        }
        ty
    }

    fn with_mode(&mut self, ty: TypeId, attribute: &Attribute) -> TypeId {
        let ast = self.ast;
        let Some(AttributeArgument::Expr(expr)) = attribute.arguments.first() else {
            return ty;
        };
        let ExprKind::Name(name) = ast.exprs[*expr].kind else {
            return ty;
        };
        let is_unsigned = self.module.types.int_kind(ty).is_some_and(|kind| !kind.is_signed());
        let mode = ast.names[name].trim_matches('_');
        let (count, scalar) = split_vector_mode(mode);
        let Some(element) = mode_type(scalar, self.module.types.target, is_unsigned) else {
            let message = format!("the machine mode `{mode}` is not known");
            self.findings.add(Diagnostic::error("unsupported-construct", message, ast.exprs[*expr].span));
            return ty;
        };
        // A pointer stays one, whatever its mode.
        if self.module.types.is_pointer(ty) {
            return ty;
        }
        let element = self.module.types.intern(element);
        count.map_or(element, |count| self.module.types.intern(Type::Vector(element, count)))
    }

    fn vector(&mut self, ty: TypeId, attribute: &Attribute) -> TypeId {
        let bytes = self.attribute_number(attribute);
        let size = self.module.types.size_of(ty).filter(|_| self.module.types.is_arithmetic(ty));
        match (bytes, size) {
            (Some(bytes), Some(size)) if size > 0 && bytes >= size && bytes % size == 0 => {
                self.module.types.intern(Type::Vector(ty, bytes / size))
            }
            _ => {
                let message = "a vector has numbers as elements, and its size is a multiple of theirs";
                self.findings.add(Diagnostic::error("invalid-vector-size", message, attribute.name.span));
                ty
            }
        }
    }

    fn attribute_number(&mut self, attribute: &Attribute) -> Option<u64> {
        match attribute.arguments.first()? {
            AttributeArgument::Expr(expr) => self.integer_constant(*expr).and_then(|value| u64::try_from(value).ok()),
            AttributeArgument::Type(name) => Some(self.align_of_name(name)),
        }
    }

    /// The alignments that `aligned` asks for: of a type the last counts, of an object the largest.
    pub fn alignments(&mut self, attributes: &[Attribute]) -> Vec<u64> {
        let mut found = Vec::new();
        for attribute in attributes {
            if &*self.ast.names[attribute.name.name] != "aligned" {
                continue;
            }
            let align =
                if attribute.arguments.is_empty() { Some(LARGEST_ALIGNMENT) } else { self.attribute_number(attribute) };
            match align {
                Some(align) if align.is_power_of_two() => found.push(align),
                _ => {
                    let message = "an alignment is a constant power of two";
                    self.findings.add(Diagnostic::error("invalid-alignment", message, attribute.name.span));
                }
            }
        }
        found
    }

    /// The largest alignment that `_Alignas` asks for; zero asks for nothing.
    pub fn alignas(&mut self, alignments: &[Alignment]) -> Option<u64> {
        let mut largest = None;
        for alignment in alignments {
            let align = match alignment {
                Alignment::Type(name) => self.align_of_name(name),
                Alignment::Bytes(expr) => {
                    let value = self.integer_constant(*expr).and_then(|value| u64::try_from(value).ok());
                    match value {
                        Some(value) if value == 0 || value.is_power_of_two() => value,
                        _ => {
                            let span = self.ast.exprs[*expr].span;
                            let message = "an alignment is a constant power of two";
                            self.findings.add(Diagnostic::error("invalid-alignment", message, span));
                            0
                        }
                    }
                }
            };
            largest = largest.max(Some(align).filter(|&align| align > 0));
        }
        largest
    }
}

/// `V4SI` is four times `SI`.
fn split_vector_mode(mode: &str) -> (Option<u64>, &str) {
    let Some(rest) = mode.strip_prefix('V') else {
        return (None, mode);
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match rest[..digits].parse() {
        Ok(count) if count > 0 => (Some(count), &rest[digits..]),
        _ => (None, mode),
    }
}

fn mode_type(mode: &str, target: Target, is_unsigned: bool) -> Option<Type> {
    let kind = match (mode, target) {
        ("QI" | "byte", _) => IntKind::SignedChar,
        ("HI", _) => IntKind::Short,
        ("SI", _) => IntKind::Int,
        ("DI", Target::Lp64) | ("word" | "pointer" | "unwind_word", Target::Lp64) => IntKind::Long,
        ("DI", Target::Ilp32) => IntKind::LongLong,
        ("word" | "pointer" | "unwind_word", Target::Ilp32) => IntKind::Int,
        ("TI", _) => IntKind::Int128,
        ("HF", _) => return Some(Type::Float(FloatKind::Float16)),
        ("SF", _) => return Some(Type::Float(FloatKind::Float)),
        ("DF", _) => return Some(Type::Float(FloatKind::Double)),
        ("XF", _) => return Some(Type::Float(FloatKind::LongDouble)),
        ("TF", _) => return Some(Type::Float(FloatKind::Float128)),
        ("SC", _) => return Some(Type::Complex(FloatKind::Float)),
        ("DC", _) => return Some(Type::Complex(FloatKind::Double)),
        ("XC", _) => return Some(Type::Complex(FloatKind::LongDouble)),
        ("TC", _) => return Some(Type::Complex(FloatKind::Float128)),
        _ => return None,
    };
    Some(Type::Int(if is_unsigned { kind.to_unsigned() } else { kind }))
}
