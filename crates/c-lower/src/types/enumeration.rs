//! Enumerations: their constants, and the integer that gcc makes of them.

use crate::scope::{Meaning, Tag};
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{EnumId, Enumeration, IntKind, Target, Type, TypeId};
use hardbop_lang_c::ast::{EnumConstant, EnumSpecifier};

impl Unit<'_> {
    /// The type that `enum tag { … }` names.
    pub(super) fn enum_type(&mut self, specifier: &EnumSpecifier) -> TypeId {
        let id = match &specifier.constants {
            Some(constants) => self.enum_definition(specifier, constants),
            None => self.enum_mention(specifier),
        };
        self.module.types.intern(Type::Enum(id))
    }

    fn enum_mention(&mut self, specifier: &EnumSpecifier) -> EnumId {
        match specifier.tag.and_then(|tag| self.scopes.find_tag(tag.name)) {
            Some(Tag::Enum(id)) => return id,
            Some(Tag::Record(id)) => self.wrong_tag(specifier.span, self.module.types.records[id].span),
            None => {}
        }
        self.new_enum(specifier)
    }

    fn new_enum(&mut self, specifier: &EnumSpecifier) -> EnumId {
        let tag = specifier.tag.map(|tag| self.ast.names[tag.name].to_string());
        let name = tag.clone().unwrap_or_default();
        let (underlying, constants) = (self.fixed_underlying(specifier), Vec::new());
        let underlying = underlying.unwrap_or(IntKind::UnsignedInt);
        let enumeration = Enumeration { tag, name, underlying, constants, span: specifier.span };
        let id = self.module.types.enums.push(enumeration);
        if let Some(tag) = specifier.tag {
            self.scopes.declare_tag(tag.name, Tag::Enum(id));
        }
        id
    }

    fn fixed_underlying(&mut self, specifier: &EnumSpecifier) -> Option<IntKind> {
        let ty = self.type_name(specifier.underlying.as_deref()?);
        let kind = self.module.types.int_kind(ty.ty);
        if kind.is_none() {
            let message = "the underlying type of an enumeration is an integer";
            self.findings.add(Diagnostic::error("invalid-underlying-type", message, specifier.span));
        }
        kind
    }

    fn enum_definition(&mut self, specifier: &EnumSpecifier, constants: &[EnumConstant]) -> EnumId {
        if let Some(&id) = self.declared.enums.get(&specifier.span) {
            self.declare_again(specifier, constants, id);
            return id;
        }
        let known = specifier.tag.and_then(|tag| self.scopes.find_tag_innermost(tag.name));
        let id = match known {
            Some(Tag::Enum(id)) => {
                if !self.module.types.enums[id].constants.is_empty() {
                    self.redefined_tag("enum", specifier.span, self.module.types.enums[id].span);
                }
                id
            }
            Some(Tag::Record(id)) => {
                self.wrong_tag(specifier.span, self.module.types.records[id].span);
                self.new_enum(specifier)
            }
            None => self.new_enum(specifier),
        };
        self.declared.enums.insert(specifier.span, id);
        let fixed = self.fixed_underlying(specifier);
        let values = self.constants(constants);
        let underlying = fixed.unwrap_or_else(|| self.underlying(specifier, &values));
        self.settle_constants(constants, &values, underlying);
        let names = constants.iter().map(|constant| self.ast.names[constant.name.name].to_string());
        let enumeration = &mut self.module.types.enums[id];
        enumeration.constants = names.zip(values).collect();
        enumeration.underlying = underlying;
        enumeration.span = specifier.span;
        id
    }

    /// Declares what has been lowered in a scope that is gone: a parameter's type, seen again for the body.
    fn declare_again(&mut self, specifier: &EnumSpecifier, constants: &[EnumConstant], id: EnumId) {
        let is_gone = constants.first().is_some_and(|first| self.scopes.find(first.name.name).is_none());
        if !is_gone {
            return;
        }
        if let Some(tag) = specifier.tag {
            self.scopes.declare_tag(tag.name, Tag::Enum(id));
        }
        let enumeration = &self.module.types.enums[id];
        let (underlying, values) = (enumeration.underlying, enumeration.constants.iter().map(|constant| constant.1));
        let values: Vec<i128> = values.collect();
        for (constant, &value) in constants.iter().zip(&values) {
            let ty = self.module.types.int(IntKind::Int);
            self.scopes.declare(constant.name.name, Meaning::Constant(value, ty), constant.name.span);
        }
        self.settle_constants(constants, &values, underlying);
    }

    /// The values of the constants, each declared for those that follow.
    fn constants(&mut self, constants: &[EnumConstant]) -> Vec<i128> {
        let mut values = Vec::with_capacity(constants.len());
        let mut next = 0;
        for constant in constants {
            if let Some(expr) = constant.value {
                next = self.integer_constant(expr).unwrap_or_else(|| {
                    let span = self.ast.exprs[expr].span;
                    let message = "the value of an enumeration's constant is not constant";
                    self.findings.add(Diagnostic::error("not-constant", message, span));
                    next
                });
            }
            if let Some(known) = self.scopes.find_innermost(constant.name.name) {
                self.redeclared(constant.name, known.span);
            }
            let ty = self.constant_type(next);
            self.scopes.declare(constant.name.name, Meaning::Constant(next, ty), constant.name.span);
            values.push(next);
            next = next.saturating_add(1);
        }
        values
    }

    /// What a constant has as its type while the others are not known.
    fn constant_type(&mut self, value: i128) -> TypeId {
        let kinds = [IntKind::Int, IntKind::UnsignedInt, IntKind::Long, IntKind::UnsignedLong, IntKind::LongLong];
        let fits = |kind: &IntKind| is_within(self.module.types.target, *kind, value);
        let kind = kinds.into_iter().find(fits).unwrap_or(IntKind::UnsignedLongLong);
        self.module.types.int(kind)
    }

    /// Constants that fit into an `int` have that type, the others that of the enumeration.
    fn settle_constants(&mut self, constants: &[EnumConstant], values: &[i128], underlying: IntKind) {
        let target = self.module.types.target;
        for (constant, &value) in constants.iter().zip(values) {
            if !is_within(target, IntKind::Int, value) {
                let ty = self.module.types.int(underlying);
                self.scopes.declare(constant.name.name, Meaning::Constant(value, ty), constant.name.span);
            }
        }
    }

    fn underlying(&mut self, specifier: &EnumSpecifier, values: &[i128]) -> IntKind {
        let target = self.module.types.target;
        let (least, greatest) = (values.iter().min().copied(), values.iter().max().copied());
        let (least, greatest) = (least.unwrap_or(0), greatest.unwrap_or(0));
        let mut kinds = Vec::new();
        if self.has_attribute(&specifier.attributes, "packed") {
            kinds.extend([IntKind::SignedChar, IntKind::Short]);
        }
        kinds.extend([IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128]);
        let signed = |kind: IntKind| if least < 0 { kind } else { kind.to_unsigned() };
        let fits = |&kind: &IntKind| is_within(target, kind, least) && is_within(target, kind, greatest);
        kinds.into_iter().map(signed).find(fits).unwrap_or(IntKind::Int128)
    }

    /// Reports that a tag stands for another kind of type.
    pub(super) fn wrong_tag(&mut self, span: Span, known: Span) {
        let finding = Diagnostic::error("wrong-tag", "the tag is that of another kind of type", span);
        self.findings.add(finding.related("it is declared here", known));
    }

    /// Reports that a type is defined twice in one scope.
    pub(super) fn redefined_tag(&mut self, what: &str, span: Span, known: Span) {
        let finding = Diagnostic::error("redefined-type", format!("the `{what}` is defined twice"), span);
        self.findings.add(finding.related("it is defined here", known));
    }
}

fn is_within(target: Target, kind: IntKind, value: i128) -> bool {
    let (least, greatest) = target.range(kind);
    least <= value && value <= greatest
}
