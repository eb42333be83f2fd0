//! Names that may have no definition, `weak`, `weakref` and `#pragma weak`; and those with another symbol by a pragma.

use super::Linked;
use crate::types::Declared;
use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::{FunctionId, Linkage, VarId, VarKind};
use hardbop_lang_c::ast::{Attribute, Ident};

impl Unit<'_> {
    /// Takes note of what attributes say of a function.
    pub(super) fn note_weak_function(&mut self, id: FunctionId, attributes: &[Attribute]) {
        let is_weak = ["weak", "weakref"].iter().any(|name| self.has_attribute(attributes, name));
        self.module.functions[id].is_weak |= is_weak;
    }

    /// Takes note of what attributes say of a variable.
    pub(super) fn note_weak_variable(&mut self, id: VarId, attributes: &[Attribute]) {
        if let Some(attribute) = self.attribute(attributes, "weakref") {
            let message = "a variable that refers weakly to one of another name is not supported";
            self.findings.add(Diagnostic::error("unsupported-construct", message, attribute.name.span));
        }
        if self.has_attribute(attributes, "weak") {
            self.make_variable_weak(id);
        }
    }

    /// What pragmas call weak is so in the whole unit, wherever they stand.
    pub(super) fn settle_weak(&mut self) {
        let ast = self.ast;
        for pragma in &ast.weak {
            if let (None, Some(target)) = (self.declared.linked.get(&pragma.name.name), &pragma.target) {
                self.declare_other_name(pragma.name, target);
            }
            let target = pragma.target.as_ref().map(|target| (target.to_string(), pragma.name.span));
            match self.declared.linked.get(&pragma.name.name) {
                Some(&Linked::Function(id)) => {
                    self.module.functions[id].is_weak = true;
                    self.declared.aliases.extend(target.map(|(target, span)| (id, target, span)));
                }
                Some(&Linked::Var(id)) => {
                    self.make_variable_weak(id);
                    self.declared.variable_aliases.extend(target.map(|(target, span)| (id, target, span)));
                }
                None => {}
            }
        }
    }

    /// Declares what a pragma calls another name of `target` and nothing else declares.
    fn declare_other_name(&mut self, name: Ident, target: &str) {
        let Some(target) = self.spelled_name(target).and_then(|target| self.declared.linked.get(&target).copied())
        else {
            return;
        };
        let linked = match target {
            Linked::Function(target) => {
                let (ast, ty) = (self.ast, self.module.functions[target].ty);
                Linked::Function(self.new_function(&ast.names[name.name], ty, Linkage::External, name.span))
            }
            Linked::Var(target) => {
                let declared = Declared { ty: self.module.vars[target].ty, align: None, type_align: None };
                let variable = self.variable(name, declared, VarKind::Global(Linkage::External));
                Linked::Var(self.module.vars.push(variable))
            }
        };
        self.declared.linked.insert(name.name, linked);
    }

    /// What pragmas give another symbol has it in the whole unit, unless its declaration says one.
    pub(super) fn settle_renamed(&mut self) {
        let ast = self.ast;
        for (name, symbol) in &ast.renamed {
            let symbol = || symbol.to_string();
            match self.declared.linked.get(name) {
                Some(&Linked::Function(id)) if self.module.functions[id].linkage == Linkage::External => {
                    self.module.functions[id].symbol.get_or_insert_with(symbol);
                }
                Some(&Linked::Var(id)) if self.module.vars[id].kind == VarKind::Global(Linkage::External) => {
                    self.module.vars[id].symbol.get_or_insert_with(symbol);
                }
                _ => {}
            }
        }
    }

    /// What only this unit sees is never weak; compilers refuse it.
    fn make_variable_weak(&mut self, id: VarId) {
        let variable = &mut self.module.vars[id];
        variable.is_weak |= variable.kind == VarKind::Global(Linkage::External);
    }
}
