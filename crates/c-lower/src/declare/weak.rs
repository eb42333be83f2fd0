//! Names that may have no definition: `weak`, `weakref` and `#pragma weak`.

use super::Linked;
use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::{FunctionId, Linkage, VarId, VarKind};
use hardbop_lang_c::ast::Attribute;

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

    /// What only this unit sees is never weak; compilers refuse it.
    fn make_variable_weak(&mut self, id: VarId) {
        let variable = &mut self.module.vars[id];
        variable.is_weak |= variable.kind == VarKind::Global(Linkage::External);
    }
}
