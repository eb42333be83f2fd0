//! Functions and variables with linkage: every declaration of one adds to it.

use super::{Facts, Linked};
use crate::expr::signatures::ends_program;
use crate::scope::Meaning;
use crate::types::Declared;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{Function, FunctionId, Linkage, Parameters, Type, TypeId, VarId, VarKind};
use hardbop_lang_c::ast::{Attribute, AttributeArgument, Declarator, ExprKind, Ident, InitDeclarator, Name};
use hardbop_lang_c::ast::{Specifiers, Storage, Units};

impl Unit<'_> {
    /// Declares a function that is called before anything declares it.
    pub fn declare_implicit(&mut self, name: Name, span: Span) -> FunctionId {
        let text = &*self.ast.names[name];
        let message = format!("`{text}` is called before it is declared");
        self.findings.add(Diagnostic::warning("implicit-function", message, span));
        if let Some(&Linked::Function(id)) = self.declared.linked.get(&name) {
            self.scopes.declare(name, Meaning::Function(id), span);
            return id;
        }
        let ty = self.library_type(text);
        let id = self.new_linked_function(name, ty, span);
        self.module.functions[id].is_noreturn = ends_program(text);
        let facts = Facts { is_implicit: true, is_for_others: true, is_gnu_inline: false };
        self.declared.facts.insert(id, facts);
        self.scopes.declare(name, Meaning::Function(id), span);
        id
    }

    pub(super) fn new_function(&mut self, name: &str, ty: TypeId, linkage: Linkage, span: Span) -> FunctionId {
        self.module.functions.push(Function {
            name: String::new(),
            source_name: name.to_owned(),
            ty,
            linkage,
            is_noreturn: false,
            returns_twice: false,
            is_constructor: false,
            is_destructor: false,
            is_weak: false,
            symbol: None,
            is_kept: false,
            is_model: false,
            is_address_taken: false,
            body: None,
            span,
        })
    }

    /// A function that is declared for the first time; what compilers know without a declaration may have been used.
    fn new_linked_function(&mut self, name: Name, ty: TypeId, span: Span) -> FunctionId {
        let text = &*self.ast.names[name];
        let id = match self.declared.builtins.remove(text) {
            Some(id) => {
                self.set_function_type(id, ty);
                self.module.functions[id].span = span;
                id
            }
            None => self.new_function(text, ty, Linkage::External, span),
        };
        self.declared.linked.insert(name, Linked::Function(id));
        id
    }

    /// The identifier that is spelled so, if the source has it.
    pub fn spelled_name(&mut self, text: &str) -> Option<Name> {
        let ast = self.ast;
        let spelled = self
            .spelled
            .get_or_insert_with(|| ast.names.iter_enumerated().map(|(name, spelling)| (&**spelling, name)).collect());
        spelled.get(text).copied()
    }

    /// The function of this name that is declared somewhere, though perhaps not in scope.
    pub(super) fn linked_function(&mut self, name: &str) -> Option<FunctionId> {
        let name = self.spelled_name(name)?;
        match self.declared.linked.get(&name) {
            Some(&Linked::Function(id)) => Some(id),
            _ => None,
        }
    }

    /// Declares a function.
    pub(super) fn declare_function(
        &mut self,
        name: Ident,
        ty: TypeId,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> FunctionId {
        let known = self.scopes.find_innermost(name.name);
        let linked = match self.declared.linked.get(&name.name) {
            Some(&Linked::Var(var)) => Some(self.module.vars[var].span),
            _ => None,
        };
        let known = known.filter(|known| !matches!(known.meaning, Meaning::Function(_))).map(|known| known.span);
        if let Some(known) = known.or(linked) {
            self.redeclared(name, known);
        }
        let written = if specifiers.storage == Some(Storage::Static) { Linkage::Internal } else { Linkage::External };
        let id = match self.declared.linked.get(&name.name) {
            Some(&Linked::Function(id)) => {
                self.redeclare_function(id, name, ty, specifiers);
                id
            }
            _ => {
                let id = self.new_linked_function(name.name, ty, name.span);
                self.module.functions[id].linkage = written;
                id
            }
        };
        self.scopes.declare(name.name, Meaning::Function(id), name.span);
        self.note_facts(id, specifiers, declarator);
        id
    }

    fn redeclare_function(&mut self, id: FunctionId, name: Ident, ty: TypeId, specifiers: &Specifiers) {
        let is_implicit = self.declared.facts.get(&id).is_some_and(|facts| facts.is_implicit);
        let function = &self.module.functions[id];
        let (known, span) = (function.ty, function.span);
        if specifiers.storage == Some(Storage::Static) && function.linkage == Linkage::External {
            self.conflicting_linkage(name, span);
        }
        if self.module.types.is_compatible_within_unit(known, ty) || self.agrees_without_prototype(known, ty) {
            // What is defined already, or here, has the parameters that it has.
            let is_here = self.function.as_ref().is_some_and(|function| function.id == id);
            if self.module.functions[id].body.is_none() && !is_here {
                let composite = self.module.types.composite(known, ty);
                self.set_function_type(id, composite);
            }
            return;
        }
        self.set_function_type(id, ty);
        let message = format!("`{}` is declared with another type", self.ast.names[name.name]);
        let finding = match is_implicit {
            // What it was taken for is what it is called with; gcc leaves it at that.
            true => Diagnostic::warning("conflicting-types", message, name.span),
            false => Diagnostic::error("conflicting-types", message, name.span),
        };
        self.findings.add(finding.related("it is declared here", span));
    }

    fn set_function_type(&mut self, id: FunctionId, ty: TypeId) {
        if std::mem::replace(&mut self.module.functions[id].ty, ty) != ty {
            self.declared.changed.insert(id);
        }
    }

    /// Whether one of the types has no prototype, and the results agree: compilers say nothing then.
    pub(super) fn agrees_without_prototype(&self, left: TypeId, right: TypeId) -> bool {
        let (Type::Function(left), Type::Function(right)) = (self.module.types.get(left), self.module.types.get(right))
        else {
            return false;
        };
        let is_open = left.parameters == Parameters::Unspecified || right.parameters == Parameters::Unspecified;
        is_open && self.module.types.is_compatible_within_unit(left.result, right.result)
    }

    fn note_facts(&mut self, id: FunctionId, specifiers: &Specifiers, declarator: &Declarator) {
        let all = [&specifiers.attributes, &declarator.attributes];
        let has = |unit: &Self, name: &str| all.iter().any(|attributes| unit.has_attribute(attributes, name));
        if specifiers.is_noreturn || has(self, "noreturn") {
            self.module.functions[id].is_noreturn = true;
        }
        self.module.functions[id].returns_twice |= has(self, "returns_twice");
        if let Some(symbol) = self.symbol(specifiers, declarator) {
            self.module.functions[id].symbol = Some(symbol);
        }
        let is_extern = specifiers.storage == Some(Storage::Extern);
        let is_gnu_inline = self.is_gnu_inline(specifiers, declarator);
        self.module.functions[id].is_constructor |= has(self, "constructor");
        self.module.functions[id].is_destructor |= has(self, "destructor");
        self.module.functions[id].is_kept |= self.placement(all).is_kept;
        for attributes in all {
            self.note_weak_function(id, attributes);
            let target = ["weakref", "alias"].iter().find_map(|name| self.attribute_text(attributes, name));
            if let Some((target, span)) = target {
                self.declared.aliases.push((id, target, span));
            }
            if let Some((resolver, span)) = self.attribute_text(attributes, "ifunc") {
                self.declared.resolved.push((id, resolver, span));
            }
        }
        let facts = self.declared.facts.entry(id).or_default();
        facts.is_implicit = false;
        facts.is_gnu_inline |= is_gnu_inline && is_extern;
        facts.is_for_others |= match is_gnu_inline {
            true => !is_extern,
            false => is_extern || !specifiers.is_inline,
        };
    }

    /// The string that an attribute has as its argument, and where that attribute stands.
    pub(super) fn attribute_text(&self, attributes: &[Attribute], name: &str) -> Option<(String, Span)> {
        let attribute = self.attribute(attributes, name)?;
        let Some(AttributeArgument::Expr(expr)) = attribute.arguments.first() else {
            return None;
        };
        let ExprKind::String(string) = self.ast.exprs[*expr].kind else {
            return None;
        };
        match &self.ast.strings[string].units {
            Units::Bytes(bytes) => Some((String::from_utf8_lossy(bytes).into_owned(), attribute.name.span)),
            Units::Wide(_) => None,
        }
    }

    fn conflicting_linkage(&mut self, name: Ident, known: Span) {
        let message = format!("`{}` is `static` in one declaration and not in another", self.ast.names[name.name]);
        let finding = Diagnostic::error("conflicting-linkage", message, name.span);
        self.findings.add(finding.related("it is declared here", known));
    }

    /// Declares a variable with linkage, and defines it if it is initialised.
    pub(super) fn declare_global(
        &mut self,
        name: Ident,
        declared: Declared,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
    ) {
        let known = self.scopes.find_innermost(name.name).filter(|known| match known.meaning {
            Meaning::Var(var) => !matches!(self.module.vars[var].kind, VarKind::Global(_)),
            _ => true,
        });
        let linked = match self.declared.linked.get(&name.name) {
            Some(&Linked::Function(id)) => Some(self.module.functions[id].span),
            _ => None,
        };
        if let Some(known) = known.map(|known| known.span).or(linked) {
            self.redeclared(name, known);
        }
        let id = match self.declared.linked.get(&name.name) {
            Some(&Linked::Var(id)) => {
                self.redeclare_global(id, name, declared, specifiers);
                id
            }
            _ => self.new_global(name, declared, specifiers),
        };
        self.module.vars[id].is_thread_local |= specifiers.is_thread_local;
        self.scopes.declare(name.name, Meaning::Var(id), name.span);
        if let Some(symbol) = self.symbol(specifiers, &declarator.declarator) {
            self.module.vars[id].symbol = Some(symbol);
        }
        self.note_placement(id, specifiers, &declarator.declarator);
        for attributes in [&specifiers.attributes, &declarator.declarator.attributes] {
            self.note_weak_variable(id, attributes);
            if let Some((target, span)) = self.attribute_text(attributes, "alias") {
                self.declared.variable_aliases.push((id, target, span));
            }
        }
        if let Some(init) = &declarator.init {
            if self.module.vars[id].init.is_some() {
                let message = format!("`{}` is defined twice", self.ast.names[name.name]);
                let finding = Diagnostic::error("redefined", message, name.span);
                self.findings.add(finding.related("it is defined here", self.module.vars[id].span));
            }
            self.module.vars[id].span = name.span;
            self.initialise_static(id, init);
            self.check_size(id, name.span);
        } else if specifiers.storage != Some(Storage::Extern) {
            self.declared.tentative.push(id);
        }
    }

    fn new_global(&mut self, name: Ident, declared: Declared, specifiers: &Specifiers) -> VarId {
        let is_static = specifiers.storage == Some(Storage::Static);
        let linkage = if is_static { Linkage::Internal } else { Linkage::External };
        let variable = self.variable(name, declared, VarKind::Global(linkage));
        let id = self.module.vars.push(variable);
        self.declared.linked.insert(name.name, Linked::Var(id));
        id
    }

    fn redeclare_global(&mut self, id: VarId, name: Ident, declared: Declared, specifiers: &Specifiers) {
        let variable = &self.module.vars[id];
        let (known, span) = (variable.ty, variable.span);
        let is_internal = variable.kind == VarKind::Global(Linkage::Internal);
        let agrees = match specifiers.storage {
            Some(Storage::Extern) => true,
            Some(Storage::Static) => is_internal,
            _ => !is_internal,
        };
        if !agrees {
            self.conflicting_linkage(name, span);
        }
        if !self.is_same(known, declared.ty) {
            let message = format!("`{}` is declared with another type", self.ast.names[name.name]);
            let finding = Diagnostic::error("conflicting-types", message, name.span);
            self.findings.add(finding.related("it is declared here", span));
            return;
        }
        let natural = self.module.types.align_of_qualified(declared.ty);
        let align = declared.align.max(declared.type_align).filter(|&align| align > natural);
        let ty = self.module.types.composite(known.ty, declared.ty.ty);
        let variable = &mut self.module.vars[id];
        variable.ty.ty = ty;
        variable.align = variable.align.max(align);
    }
}
