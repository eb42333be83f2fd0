//! Functions: their prototypes, then what they do.

use super::Printer;
use crate::{Body, FunctionId, Linkage, Parameters, Qualified, Type, TypeId};
use std::fmt::Write;

impl Printer<'_> {
    /// Prototypes of all functions but those that gcc knows better.
    pub(super) fn prototypes(&self, out: &mut String) {
        for (id, function) in self.module.functions.iter_enumerated() {
            if !is_built_in(&function.name) {
                let text = match &function.body {
                    Some(_) => self.declare(Qualified::plain(function.ty), function.name.clone()),
                    None => self.unknown_prototype(id),
                };
                let _ = writeln!(out, "{}{text};", self.specifiers(id));
            }
        }
    }

    /// A function without a body may be one of a library, which takes lists of arguments as C passes them.
    fn unknown_prototype(&self, id: FunctionId) -> String {
        let function = &self.module.functions[id];
        let Some(ty) = self.module.types.callee(function.ty) else {
            return self.declare(Qualified::plain(function.ty), function.name.clone());
        };
        let (parameters, dots) = match &ty.parameters {
            Parameters::Fixed(types) if !types.is_empty() => (types, ""),
            Parameters::Variadic(types) if !types.is_empty() => (types, ", ..."),
            _ => return self.declare(Qualified::plain(function.ty), function.name.clone()),
        };
        let name = |&ty: &TypeId| {
            if self.is_list_address(ty) { "__builtin_va_list".to_owned() } else { self.type_name(ty) }
        };
        let parameters = parameters.iter().map(name).collect::<Vec<_>>().join(", ");
        self.declare(Qualified::plain(ty.result), format!("{}({parameters}{dots})", function.name))
    }

    /// Whether it is the type of a pointer to a list of arguments.
    pub(super) fn is_list_address(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        types.pointee(ty).is_some_and(|pointee| *types.get(pointee.ty) == Type::VaList)
    }

    /// A function with its body, if it has one.
    pub(super) fn definition(&self, id: FunctionId, out: &mut String) {
        let function = &self.module.functions[id];
        let (Some(body), Some(ty)) = (&function.body, self.module.types.callee(function.ty)) else { return };
        let inside = Printer { function: Some(id), ..*self };
        let head = self.declare(Qualified::plain(ty.result), self.declarator(&function.name, body, &ty.parameters));
        let _ = writeln!(out, "\n{}{head}", self.specifiers(id));
        if ty.parameters == Parameters::Unspecified {
            for &var in &body.parameters {
                let _ = writeln!(out, "  {};", self.object(var, &self.module.vars[var]));
            }
        }
        *out += "{\n";
        inside.statics_with_labels(id, out);
        for &var in &body.locals {
            let _ = writeln!(out, "  {};", self.object(var, &self.module.vars[var]));
        }
        if !body.locals.is_empty() {
            out.push('\n');
        }
        inside.block(&body.block, 1, out);
        *out += "}\n";
    }

    /// The name with its parameters; in the old style if there is no prototype.
    fn declarator(&self, name: &str, body: &Body, parameters: &Parameters) -> String {
        let vars = body.parameters.iter();
        let list: Vec<String> = match parameters {
            Parameters::Unspecified => vars.map(|&var| self.var_name(var)).collect(),
            _ => vars.map(|&var| self.object(var, &self.module.vars[var])).collect(),
        };
        match (parameters, list.is_empty()) {
            (Parameters::Fixed(_), true) => format!("{name}(void)"),
            (Parameters::Variadic(_), false) => format!("{name}({}, ...)", list.join(", ")),
            _ => format!("{name}({})", list.join(", ")),
        }
    }

    fn specifiers(&self, id: FunctionId) -> String {
        let function = &self.module.functions[id];
        let linkage = if function.linkage == Linkage::Internal { "static " } else { "" };
        let noreturn = if function.is_noreturn { "_Noreturn " } else { "" };
        // What only this file sees is weak by way of another name, which is not there any more.
        let is_weak = function.is_weak && function.linkage == Linkage::External;
        let attributes = [
            (is_weak, "__attribute__((weak)) "),
            (function.is_constructor, "__attribute__((constructor)) "),
            (function.is_destructor, "__attribute__((destructor)) "),
            (function.returns_twice, "__attribute__((returns_twice)) "),
        ];
        let attributes: String = attributes.into_iter().filter(|(has, _)| *has).map(|(_, text)| text).collect();
        format!("{linkage}{noreturn}{attributes}")
    }
}

/// Names that mean something to gcc whatever is declared.
fn is_built_in(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix))
}
