//! Types as declared: specifiers and the layers of a declarator.

mod attribute;
mod enumeration;
mod record;
mod variable;

use crate::expr::literal::float_kind;
use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{FunctionType, IntKind, Length, Parameters, Qualified, Qualifiers, Type, TypeId};
use hardbop_lang_c::ast::{
    ArrayLength, BasicType, Declarator, DeclaratorPart, ExprId, ExprKind, Ident, Parameter, Parameters as Written,
    Qualifiers as WrittenQualifiers, Specifiers, TypeName, TypeSpecifier,
};

/// What specifiers, with or without a declarator, say of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    /// Its type.
    pub ty: Qualified,
    /// The alignment that is asked for.
    pub align: Option<u64>,
    /// The alignment of the name of a type, in place of the type's own.
    pub type_align: Option<u64>,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjusted {
    /// Its type, without what varies.
    pub ty: Qualified,
    /// Whether a length in it is only known in the body.
    pub varies: bool,
}

/// What a `struct s;` means: a new type, or perhaps one of an enclosing scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mention {
    /// It stands alone, and declares.
    Alone,
    /// Something follows.
    Used,
}

impl Unit<'_> {
    /// The type that `name` names.
    pub fn type_name(&mut self, name: &TypeName) -> Qualified {
        let base = self.specified(&name.specifiers, Mention::Used);
        self.declarator(base, &name.declarator).ty
    }

    /// How what `name` names is aligned.
    pub fn align_of_name(&mut self, name: &TypeName) -> u64 {
        let base = self.specified(&name.specifiers, Mention::Used);
        let named = self.declarator(base, &name.declarator);
        named.type_align.unwrap_or_else(|| self.module.types.align_of_qualified(named.ty))
    }

    /// The type that `specifiers` name.
    pub fn specified(&mut self, specifiers: &Specifiers, mention: Mention) -> Declared {
        let (base, align) = match &specifiers.base {
            TypeSpecifier::Basic(basic) => (Qualified::plain(self.basic_type(*basic)), None),
            TypeSpecifier::Typedef(name) => self.named_type(*name),
            TypeSpecifier::Record(record) => (Qualified::plain(self.record_type(record, mention)), None),
            TypeSpecifier::Enum(enumeration) => (Qualified::plain(self.enum_type(enumeration)), None),
            TypeSpecifier::TypeofExpr(expr) => (self.type_of(*expr), None),
            TypeSpecifier::TypeofType(name) => (self.type_name(name), None),
            TypeSpecifier::Auto => (Qualified::plain(self.auto_without_value(specifiers.span)), None),
        };
        self.qualified_base(base, align, specifiers)
    }

    /// What `specifiers` add to the type `base`: qualifiers, attributes, alignments.
    pub fn qualified_base(&mut self, base: Qualified, align: Option<u64>, specifiers: &Specifiers) -> Declared {
        let mut ty = base;
        if !specifiers.attributes.is_empty() {
            ty.ty = self.with_attributes(ty.ty, &specifiers.attributes);
        }
        let ty = self.qualify(ty, qualifiers(specifiers.qualifiers));
        let attribute = self.alignments(&specifiers.attributes).into_iter().max();
        let written = self.alignas(&specifiers.alignments);
        Declared { ty, align: attribute.max(written), type_align: align }
    }

    /// `ty` with more qualifiers; those of an array are its elements'.
    pub fn qualify(&mut self, ty: Qualified, more: Qualifiers) -> Qualified {
        if more == Qualifiers::default() {
            return ty;
        }
        if let Type::Array(element, length) = *self.module.types.get(ty.ty) {
            let element = self.qualify(element, more);
            return Qualified::plain(self.module.types.intern(Type::Array(element, length)));
        }
        Qualified { ty: ty.ty, qualifiers: ty.qualifiers.union(more) }
    }

    fn auto_without_value(&mut self, span: Span) -> TypeId {
        self.findings.add(Diagnostic::error("auto-without-value", "`__auto_type` needs an initialiser", span));
        self.module.types.int(IntKind::Int)
    }

    fn named_type(&mut self, name: Ident) -> (Qualified, Option<u64>) {
        if let Some(entry) = self.scopes.entry(name.name)
            && let Meaning::Typedef(ty) = entry.meaning
        {
            return (ty, entry.align);
        }
        // The usual name of the list of arguments, which compilers know without a header.
        if let Some(ty) = builtin_type(&self.ast.names[name.name]) {
            return (Qualified::plain(self.module.types.intern(ty)), None);
        }
        let message = format!("`{}` is not the name of a type", self.ast.names[name.name]);
        self.findings.add(Diagnostic::error("unknown-type", message, name.span));
        (Qualified::plain(self.module.types.int(IntKind::Int)), None)
    }

    fn basic_type(&mut self, basic: BasicType) -> TypeId {
        let ty = match basic {
            BasicType::Void => Type::Void,
            BasicType::Bool => Type::Int(IntKind::Bool),
            BasicType::Char => Type::Int(IntKind::Char),
            BasicType::SignedChar => Type::Int(IntKind::SignedChar),
            BasicType::UnsignedChar => Type::Int(IntKind::UnsignedChar),
            BasicType::Short => Type::Int(IntKind::Short),
            BasicType::UnsignedShort => Type::Int(IntKind::UnsignedShort),
            BasicType::Implicit | BasicType::Int => Type::Int(IntKind::Int),
            BasicType::UnsignedInt => Type::Int(IntKind::UnsignedInt),
            BasicType::Long => Type::Int(IntKind::Long),
            BasicType::UnsignedLong => Type::Int(IntKind::UnsignedLong),
            BasicType::LongLong => Type::Int(IntKind::LongLong),
            BasicType::UnsignedLongLong => Type::Int(IntKind::UnsignedLongLong),
            BasicType::Int128 => Type::Int(IntKind::Int128),
            BasicType::UnsignedInt128 => Type::Int(IntKind::UnsignedInt128),
            BasicType::Float(kind) => Type::Float(float_kind(kind)),
            BasicType::Complex(kind) => Type::Complex(float_kind(kind)),
            BasicType::VaList => Type::VaList,
        };
        self.module.types.intern(ty)
    }

    /// The type of what `declarator` declares, given that of its specifiers.
    pub fn declarator(&mut self, base: Declared, declarator: &Declarator) -> Declared {
        let mut ty = base.ty;
        if !declarator.attributes.is_empty() {
            ty.ty = self.with_attributes(ty.ty, &declarator.attributes);
        }
        for part in declarator.parts.iter().rev() {
            ty = self.layer(ty, part, declarator.span);
        }
        // What is asked of the type of an element is not asked of its address.
        let is_object = declarator.parts.iter().all(|part| matches!(part, DeclaratorPart::Array { .. }));
        let type_align = base.type_align.filter(|_| is_object);
        let align = base.align.max(self.alignments(&declarator.attributes).into_iter().max());
        Declared { ty, align, type_align }
    }

    fn layer(&mut self, inner: Qualified, part: &DeclaratorPart, span: Span) -> Qualified {
        match part {
            DeclaratorPart::Pointer(written) => {
                let ty = self.module.types.pointer_to_qualified(inner);
                Qualified { ty, qualifiers: qualifiers(*written) }
            }
            DeclaratorPart::Array { length, .. } => {
                self.check_element(inner.ty, span);
                let length = self.array_length(*length, span);
                Qualified::plain(self.module.types.intern(Type::Array(inner, length)))
            }
            DeclaratorPart::Function(parameters) => {
                if matches!(self.module.types.get(inner.ty), Type::Array(..) | Type::Function(_)) {
                    let message = "a function cannot return an array or a function";
                    self.findings.add(Diagnostic::error("invalid-result-type", message, span));
                }
                let parameters = self.parameters(parameters);
                let function = FunctionType { result: inner.ty, parameters };
                Qualified::plain(self.module.types.intern(Type::Function(function)))
            }
        }
    }

    fn check_element(&mut self, element: TypeId, span: Span) {
        let is_wrong = match self.module.types.get(element) {
            Type::Void | Type::Function(_) => true,
            // The lengths of a parameter's elements may be given elsewhere.
            Type::Array(_, Length::Unknown) => !self.declared.has_varying_length,
            Type::Record(record) => self.module.types.records[*record].body.is_none(),
            _ => false,
        };
        if is_wrong {
            let message = "the elements of an array have no size";
            self.findings.add(Diagnostic::error("incomplete-element", message, span));
        }
    }

    fn array_length(&mut self, length: ArrayLength, span: Span) -> Length {
        match length {
            ArrayLength::Unknown => Length::Unknown,
            ArrayLength::Star => self.length_elsewhere(),
            ArrayLength::Given(expr) => self.given_length(expr, span),
        }
    }

    fn given_length(&mut self, expr: ExprId, span: Span) -> Length {
        let place = self.ast.exprs[expr].span;
        match self.integer_constant(expr) {
            Some(value) if value < 0 => {
                let message = "the length of an array is negative";
                self.findings.add(Diagnostic::error("negative-length", message, place));
                Length::Fixed(1)
            }
            Some(value) => match u64::try_from(value) {
                Ok(value) if value <= i64::MAX as u64 => Length::Fixed(value),
                _ => {
                    self.findings.add(Diagnostic::error("array-too-large", "the array is too large", place));
                    Length::Fixed(1)
                }
            },
            None if self.declared.prototypes > 0 => self.length_elsewhere(),
            None if self.function.is_some() => self.evaluated_length(expr),
            None => {
                let message = "the length of an array outside of functions is not constant";
                self.findings.add(Diagnostic::error("variable-length", message, span));
                Length::Fixed(1)
            }
        }
    }

    fn parameters(&mut self, parameters: &Written) -> Parameters {
        let Written::Prototype { list, is_variadic } = parameters else {
            return Parameters::Unspecified;
        };
        self.scopes.open();
        self.declared.prototypes += 1;
        let speaks = list.iter().any(|parameter| self.may_speak_of_others(parameter));
        let mut types = Vec::with_capacity(list.len());
        for parameter in list {
            let ty = self.parameter(parameter).ty;
            if let Some(name) = parameter.declarator.name.filter(|_| speaks) {
                self.declare_mentioned(name, ty);
            }
            types.push(ty.ty);
        }
        self.declared.prototypes -= 1;
        self.scopes.close();
        if *is_variadic { Parameters::Variadic(types) } else { Parameters::Fixed(types) }
    }

    /// Whether the type of a parameter may need that of another one: `typeof(n) x`, `int a[sizeof n]`.
    fn may_speak_of_others(&self, parameter: &Parameter) -> bool {
        let has_expression = |part: &DeclaratorPart| match part {
            DeclaratorPart::Array { length: ArrayLength::Given(expr), .. } => {
                !matches!(self.ast.exprs[*expr].kind, ExprKind::Integer(_) | ExprKind::Name(_))
            }
            _ => false,
        };
        let parts = &parameter.declarator.parts;
        matches!(parameter.specifiers.base, TypeSpecifier::TypeofExpr(_)) || parts.iter().skip(1).any(has_expression)
    }

    /// The type of a parameter after adjustment. In a parameter list, what varies has no length.
    pub fn parameter(&mut self, parameter: &Parameter) -> Adjusted {
        let outer = std::mem::replace(&mut self.declared.has_varying_length, false);
        let base = self.specified(&parameter.specifiers, Mention::Used);
        let declarator = &parameter.declarator;
        let declared = match declarator.parts.first() {
            // The outermost length of an array says nothing: it need not even be constant.
            Some(DeclaratorPart::Array { qualifiers: inside, .. }) => {
                let mut ty = base.ty;
                if !declarator.attributes.is_empty() {
                    ty.ty = self.with_attributes(ty.ty, &declarator.attributes);
                }
                for part in declarator.parts[1..].iter().rev() {
                    ty = self.layer(ty, part, declarator.span);
                }
                self.check_element(ty.ty, declarator.span);
                let ty = self.module.types.pointer_to_qualified(ty);
                Qualified { ty, qualifiers: qualifiers(*inside) }
            }
            _ => self.declarator(base, declarator).ty,
        };
        let mut ty = self.adjusted(declared);
        if declarator.name.is_some() && self.is_void(ty.ty) {
            let message = "the type of the parameter has no size";
            self.findings.add(Diagnostic::error("incomplete-parameter", message, declarator.span));
        }
        let varies = std::mem::replace(&mut self.declared.has_varying_length, outer);
        if varies {
            ty.ty = self.without_unknown_lengths(ty.ty);
        }
        Adjusted { ty, varies }
    }

    /// The type of a parameter that is declared as `ty`: arrays and functions are passed by address.
    pub fn adjusted(&mut self, ty: Qualified) -> Qualified {
        match *self.module.types.get(ty.ty) {
            Type::Array(element, _) => Qualified::plain(self.module.types.pointer_to_qualified(element)),
            Type::Function(_) | Type::VaList => Qualified::plain(self.module.types.pointer_to_qualified(ty)),
            _ => ty,
        }
    }

    /// The type of the value of an object of type `ty`: what `__auto_type` takes from its initialiser.
    pub fn value_type(&mut self, ty: Qualified) -> TypeId {
        match *self.module.types.get(ty.ty) {
            Type::Array(element, _) => {
                let qualifiers = element.qualifiers.union(ty.qualifiers);
                self.module.types.pointer_to_qualified(Qualified { qualifiers, ..element })
            }
            Type::Function(_) => self.module.types.pointer_to_qualified(ty),
            _ => ty.ty,
        }
    }

    /// `size_t`
    pub fn size_type(&mut self) -> TypeId {
        let kind = self.module.types.size_kind();
        self.module.types.int(kind)
    }
}

fn qualifiers(written: WrittenQualifiers) -> Qualifiers {
    Qualifiers {
        is_const: written.is_const,
        is_volatile: written.is_volatile,
        is_restrict: written.is_restrict,
        is_atomic: written.is_atomic,
    }
}

fn builtin_type(name: &str) -> Option<Type> {
    match name {
        "__builtin_va_list" | "__gnuc_va_list" => Some(Type::VaList),
        "__int128_t" => Some(Type::Int(IntKind::Int128)),
        "__uint128_t" => Some(Type::Int(IntKind::UnsignedInt128)),
        _ => None,
    }
}
