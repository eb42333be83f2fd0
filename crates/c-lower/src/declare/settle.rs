//! What only the end of the unit tells.

use super::Facts;
use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::calls::fit_calls;
use hardbop_c_core::{Initialiser, Linkage, TypeId};

impl Unit<'_> {
    /// Completes what has been declared.
    pub(super) fn settle_declarations(&mut self) {
        self.settle_renamed();
        self.settle_weak();
        self.settle_tentative();
        self.settle_inline();
        self.settle_inlined();
        self.settle_aliases();
        self.settle_resolved();
        self.settle_variable_aliases();
        self.settle_symbols();
        self.settle_called();
        self.settle_assembly();
        fit_calls(&mut self.module, &self.declared.changed);
    }

    /// Variables that nothing else defines start with zero.
    fn settle_tentative(&mut self) {
        for var in std::mem::take(&mut self.declared.tentative) {
            if self.module.vars[var].init.is_some() {
                continue;
            }
            let (ty, span) = (self.module.vars[var].ty.ty, self.module.vars[var].span);
            let completed = self.completed(ty, 1);
            let name = &self.module.vars[var].source_name;
            if completed != ty {
                let message = format!("the array `{name}` has no length, and one element");
                self.findings.add(Diagnostic::warning("incomplete-array", message, span));
            } else if !self.module.types.is_complete(ty) {
                let message = format!("the size of `{name}` is not known");
                self.findings.add(Diagnostic::error("incomplete-variable", message, span));
            }
            self.module.vars[var].ty.ty = completed;
            self.module.vars[var].init = Some(Initialiser::default());
        }
    }

    /// The body of a function that is only ever `inline` is this unit's own: another unit may have the same.
    fn settle_inline(&mut self) {
        for id in self.module.functions.ids() {
            let is_for_others = self.declared.facts.get(&id).is_none_or(Facts::is_definition_for_others);
            let function = &mut self.module.functions[id];
            if function.body.is_some() && !is_for_others {
                function.linkage = Linkage::Internal;
            }
        }
    }

    /// A function whose body is only there to be inlined is defined elsewhere and does the same there, but nobody would
    /// know that it does it to what is defined here.
    fn settle_inlined(&mut self) {
        for (id, block, span) in std::mem::take(&mut self.declared.inlined) {
            if self.module.functions[id].body.is_none() && self.module.defines_what_is_used(block) {
                self.unsupported("`__builtin_va_arg_pack` in a function that uses what is defined in this file", span);
            }
        }
    }

    /// Whether arguments for a parameter of this type may be any of its members.
    pub fn is_transparent(&self, ty: TypeId) -> bool {
        self.module.types.record(ty).is_some_and(|record| self.declared.transparent.contains(&record))
    }
}
