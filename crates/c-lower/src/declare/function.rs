//! Definitions of functions.

use super::Facts;
use crate::Inline;
use crate::scope::Meaning;
use crate::types::{Declared, Mention};
use crate::unit::{Activation, Unit};
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::rewrite::{Rewrite, rewrite_block};
use hardbop_c_core::{
    Body, Callee, Expr, FloatKind, FunctionId, IntKind, Parameters, Place, Qualified, StmtKind, Type, TypeId, VarId,
    VarKind,
};
use hardbop_lang_c::ast::{
    ArrayLength, Declaration, Declarator, DeclaratorPart, FunctionDefinition, Ident, Name, Parameter,
    Parameters as Written, Specifiers, Storage,
};
use rustc_hash::FxHashMap;

impl Unit<'_> {
    /// Lowers a function with its body.
    pub(super) fn function_definition(&mut self, definition: &FunctionDefinition) {
        let declarator = &definition.declarator;
        let base = self.specified(&definition.specifiers, Mention::Used);
        let ty = self.declarator(base, declarator).ty.ty;
        let (Some(name), Type::Function(function)) = (declarator.name, self.module.types.get(ty)) else {
            let message = "what has a body is no function";
            self.findings.add(Diagnostic::error("invalid-function", message, declarator.span));
            return;
        };
        let result = function.result;
        if !self.module.types.is_void(result) && !self.module.types.is_complete(result) {
            let message = "the type of the result has no size";
            self.findings.add(Diagnostic::error("incomplete-result", message, declarator.span));
            return;
        }
        let id = self.declare_definition(name, ty, definition);
        let Some(DeclaratorPart::Function(parameters)) = declarator.parts.first() else {
            let message = "the parameters of a function that is defined are written out";
            self.findings.add(Diagnostic::error("invalid-function", message, declarator.span));
            return;
        };
        self.begin(id, result);
        let parameters = match parameters {
            Written::Prototype { list, .. } => self.declare_parameters(list),
            Written::OldStyle(names) => self.declare_old_style(names, &definition.old_style),
        };
        self.scopes.share();
        self.stmt(definition.body);
        let end = Span::new(definition.span.end.saturating_sub(1), definition.span.end);
        self.end(id, parameters, end);
    }

    /// Declares the function that is defined here, and sees that it is not defined yet.
    fn declare_definition(&mut self, name: Ident, ty: TypeId, definition: &FunctionDefinition) -> FunctionId {
        let id = self.declare_function(name, ty, &definition.specifiers, &definition.declarator);
        let is_replaced = self.take_gnu_inline(id, definition);
        if self.module.functions[id].body.is_some() && !is_replaced {
            let message = format!("`{}` is defined twice", self.ast.names[name.name]);
            let finding = Diagnostic::error("redefined", message, name.span);
            self.findings.add(finding.related("it is defined here", self.module.functions[id].span));
        }
        self.module.functions[id].span = name.span;
        id
    }

    /// Whether a body that was only there to be inlined gives way to this one.
    fn take_gnu_inline(&mut self, id: FunctionId, definition: &FunctionDefinition) -> bool {
        let FunctionDefinition { specifiers, declarator, .. } = definition;
        let is_like_it = self.is_gnu_inline(specifiers, declarator) && specifiers.storage == Some(Storage::Extern);
        let facts = self.declared.facts.entry(id).or_default();
        if !facts.is_gnu_inline || is_like_it {
            return false;
        }
        *facts = Facts { is_gnu_inline: false, is_for_others: true, ..*facts };
        true
    }

    /// Whether what is declared is `inline` in the way of gcc.
    pub(super) fn is_gnu_inline(&self, specifiers: &Specifiers, declarator: &Declarator) -> bool {
        let has = |attributes| self.has_attribute(attributes, "gnu_inline");
        let is_asked_for = self.inline == Inline::Gnu || has(&specifiers.attributes) || has(&declarator.attributes);
        specifiers.is_inline && is_asked_for
    }

    /// Whether the body at hand gives no definition, and is only there to be inlined: without it the function is one that
    /// is defined elsewhere.
    pub fn is_only_inlined(&mut self) -> bool {
        let id = self.activation().id;
        self.declared.facts.get(&id).is_some_and(|facts| facts.is_gnu_inline)
    }

    pub(super) fn begin(&mut self, id: FunctionId, result: TypeId) {
        self.function = Some(Activation::new(id, result));
        self.declared.has_variable_types = false;
        self.scopes.open();
        self.open();
    }

    pub(super) fn end(&mut self, id: FunctionId, parameters: Vec<VarId>, end: Span) {
        let result = self.activation().result;
        let int = self.module.types.int(IntKind::Int);
        let is_over = matches!(self.activation().last(), Some(StmtKind::Return(_)));
        if self.module.functions[id].source_name == "main" && result == int && !is_over {
            self.emit(StmtKind::Return(Some(Expr::integer(0, int))), end);
        }
        let mut block = self.close();
        self.scopes.close();
        let Activation { locals, labels, inlined, flow, .. } = self.function.take().expect("what ends has begun");
        flow.cleanups.complete(&labels, &mut block);
        if self.declared.has_variable_types {
            rewrite_block(&mut block, self);
            for &var in &locals {
                self.module.vars[var].ty.ty = self.erased(self.module.vars[var].ty.ty);
            }
        }
        match inlined {
            Some(span) => self.declared.inlined.push((id, block, span)),
            None => self.module.functions[id].body = Some(Body { parameters, locals, labels, block, end }),
        }
    }

    fn declare_parameters(&mut self, list: &[Parameter]) -> Vec<VarId> {
        let mut varying = Vec::new();
        let mut vars = Vec::with_capacity(list.len());
        for parameter in list {
            self.declared.prototypes += 1;
            let adjusted = self.parameter(parameter);
            self.declared.prototypes -= 1;
            let var = self.declare_parameter(parameter.declarator.name, adjusted.ty, parameter.declarator.span);
            let is_known = parameter.declarator.name.is_some() && self.is_void(adjusted.ty.ty);
            if !is_known && !self.module.types.is_complete(adjusted.ty.ty) {
                let message = "the type of the parameter has no size";
                self.findings.add(Diagnostic::error("incomplete-parameter", message, parameter.declarator.span));
            }
            if adjusted.varies {
                varying.push((var, parameter));
            }
            vars.push(var);
        }
        // Lengths are evaluated once all parameters have their values: those that matter, and those that do something.
        for parameter in list {
            if let Some(DeclaratorPart::Array { length: ArrayLength::Given(expr), .. }) =
                parameter.declarator.parts.first()
                && self.integer_constant(*expr).is_none()
            {
                self.effect(*expr);
            }
        }
        for (var, parameter) in varying {
            let ty = self.parameter(parameter).ty;
            self.variable_length.insert(var, ty);
        }
        vars
    }

    fn declare_parameter(&mut self, name: Option<Ident>, ty: Qualified, span: Span) -> VarId {
        let id = self.activation().id;
        let declared = Declared { ty, align: None, type_align: None };
        let Some(name) = name else {
            return self.unnamed_variable(declared, VarKind::Parameter(id), span);
        };
        if let Some(known) = self.scopes.find_innermost(name.name) {
            self.redeclared(name, known.span);
        }
        let variable = self.variable(name, declared, VarKind::Parameter(id));
        let var = self.module.vars.push(variable);
        self.scopes.declare(name.name, Meaning::Var(var), name.span);
        var
    }

    /// Declares a parameter of a mere prototype, for the types of those that follow. No code ever runs with it.
    pub fn declare_mentioned(&mut self, name: Ident, ty: Qualified) {
        let (void, size) = (self.module.types.void(), self.size_type());
        let pointer = self.module.types.pointer_to(void);
        let owner = self.module.types.function(pointer, Parameters::Fixed(vec![size]));
        let owner = self.builtin("__builtin_alloca", owner);
        let declared = Declared { ty, align: None, type_align: None };
        let variable = self.variable(name, declared, VarKind::Parameter(owner));
        let var = self.module.vars.push(variable);
        self.scopes.declare(name.name, Meaning::Var(var), name.span);
    }

    /// The parameters of a definition in the old style: they arrive promoted.
    fn declare_old_style(&mut self, names: &[Ident], declarations: &[Declaration]) -> Vec<VarId> {
        let types = self.old_style_types(declarations);
        let prototype = self.prototype(names.len());
        let int = Qualified::plain(self.module.types.int(IntKind::Int));
        let mut vars = Vec::with_capacity(names.len());
        let mut narrowed = Vec::new();
        for (index, &name) in names.iter().enumerate() {
            let ty = types.get(&name.name).copied().unwrap_or(int);
            let promoted = prototype.as_ref().map_or_else(|| self.promoted_argument(ty.ty), |types| types[index]);
            let arrives = if promoted == ty.ty { ty } else { Qualified::plain(promoted) };
            let var = self.declare_parameter(Some(name), arrives, name.span);
            if promoted != ty.ty {
                narrowed.push((name, var, promoted, ty));
            }
            vars.push(var);
        }
        for (name, var, promoted, ty) in narrowed {
            let owner = self.activation().id;
            let declared = Declared { ty, align: None, type_align: None };
            let variable = self.variable(name, declared, VarKind::Local(owner));
            let local = self.module.vars.push(variable);
            self.activation().locals.push(local);
            self.scopes.declare(name.name, Meaning::Var(local), name.span);
            self.emit(StmtKind::Fresh(local), name.span);
            let value = Expr::read(Place::var(var, promoted));
            let value = self.convert(value, ty.ty, name.span);
            self.emit(StmtKind::Assign(Place::var(local, ty.ty), value), name.span);
        }
        vars
    }

    /// What an earlier prototype says of the `count` parameters of the function at hand.
    fn prototype(&mut self, count: usize) -> Option<Vec<TypeId>> {
        let id = self.activation().id;
        let function = &self.module.functions[id];
        let Type::Function(ty) = self.module.types.get(function.ty) else {
            return None;
        };
        match &ty.parameters {
            Parameters::Unspecified => None,
            Parameters::Fixed(types) if types.len() == count => Some(types.clone()),
            Parameters::Fixed(_) | Parameters::Variadic(_) => {
                let message = format!("`{}` has other parameters than its prototype says", function.source_name);
                self.findings.add(Diagnostic::error("conflicting-types", message, function.span));
                None
            }
        }
    }

    fn old_style_types(&mut self, declarations: &[Declaration]) -> FxHashMap<Name, Qualified> {
        let mut types = FxHashMap::default();
        for declaration in declarations {
            let base = self.specified(&declaration.specifiers, Mention::Used);
            for declarator in &declaration.declarators {
                let declared = self.declarator(base, &declarator.declarator);
                let ty = self.adjusted(declared.ty);
                if let Some(name) = declarator.declarator.name {
                    types.insert(name.name, ty);
                }
            }
        }
        types
    }

    /// What the default argument promotions make of a type.
    fn promoted_argument(&mut self, ty: TypeId) -> TypeId {
        match self.module.types.get(ty) {
            Type::Float(FloatKind::Float) => self.module.types.float(FloatKind::Double),
            _ => match self.module.types.int_kind(ty) {
                Some(kind) if kind.promote() != kind => self.module.types.int(kind.promote()),
                _ => ty,
            },
        }
    }

    /// Gives a function that is another a body that calls that one; whether such a body can be written.
    pub(super) fn forward(&mut self, id: FunctionId, span: Span, target: impl FnOnce(&mut Self) -> Callee) -> bool {
        let Type::Function(function) = self.module.types.get(self.module.functions[id].ty).clone() else {
            return false;
        };
        let Parameters::Fixed(types) = function.parameters else {
            return false;
        };
        self.begin(id, function.result);
        let vars: Vec<VarId> =
            types.iter().map(|&ty| self.declare_parameter(None, Qualified::plain(ty), span)).collect();
        let arguments = vars.iter().map(|&var| Expr::read(self.module.place(var))).collect();
        let is_void = self.module.types.is_void(function.result);
        let result = (!is_void).then(|| {
            let var = self.temporary(function.result, "result", span);
            self.module.place(var)
        });
        let callee = target(self);
        self.emit(StmtKind::Call { result: result.clone(), callee, arguments }, span);
        self.emit(StmtKind::Return(result.map(Expr::read)), span);
        self.end(id, vars, span);
        true
    }
}

/// The body of a function without the types whose lengths only a run knows.
impl Rewrite for Unit<'_> {
    fn ty(&mut self, ty: TypeId) -> TypeId {
        self.erased(ty)
    }
}
