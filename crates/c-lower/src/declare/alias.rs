//! Functions and variables that are others by `alias`.

use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::rewrite::{Rewrite, rewrite_block, rewrite_initialiser};
use hardbop_c_core::{FunctionId, Module, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

impl Unit<'_> {
    /// Functions that are another get a body that calls that one.
    pub(super) fn settle_aliases(&mut self) {
        let aliases = std::mem::take(&mut self.declared.aliases);
        if aliases.is_empty() {
            return;
        }
        let mut defined: FxHashMap<String, FunctionId> = FxHashMap::default();
        for (id, function) in self.module.functions.iter_enumerated() {
            defined.insert(function.source_name.clone(), id);
        }
        for (id, target, span) in aliases {
            let known = defined.get(&target).copied();
            match known.filter(|&target| self.module.functions[target].body.is_some()) {
                Some(target) if self.module.functions[target].ty == self.module.functions[id].ty => {
                    self.forward(id, target, span);
                }
                _ => {
                    let message = format!("`{target}`, which it is an alias of, is not defined here with this type");
                    self.findings.add(Diagnostic::warning("unknown-alias", message, span));
                }
            }
        }
    }

    /// What speaks of a variable that is another speaks of that one.
    pub(super) fn settle_variable_aliases(&mut self) {
        let aliases = std::mem::take(&mut self.declared.variable_aliases);
        if aliases.is_empty() {
            return;
        }
        let is_global = |kind: VarKind| matches!(kind, VarKind::Global(_));
        let globals = self.module.vars.iter_enumerated().filter(|(_, variable)| is_global(variable.kind));
        let known: FxHashMap<String, VarId> = globals.map(|(var, found)| (found.source_name.clone(), var)).collect();
        let mut targets = Targets::default();
        for (var, target, _) in &aliases {
            let fits = |&target: &VarId| {
                let (alias, target) = (self.module.vars[*var].ty.ty, self.module.vars[target].ty.ty);
                self.module.types.is_compatible_within_unit(alias, target)
            };
            targets.of.extend(known.get(target).copied().filter(fits).map(|target| (*var, target)));
        }
        targets.apply(&mut self.module);
        for (var, target, span) in aliases {
            // A table for other tools, as the modules of an operating system have it, is of no use to the program.
            if targets.left.contains(&var) {
                let message = format!("`{target}`, which it is an alias of, is not defined here with this type");
                self.findings.add(Diagnostic::error("unsupported-construct", message, span));
            }
        }
    }
}

/// The variables in place of their aliases.
#[derive(Default)]
struct Targets {
    of: FxHashMap<VarId, VarId>,
    /// The variables that are used, aliases replaced.
    left: FxHashSet<VarId>,
}

impl Targets {
    fn apply(&mut self, module: &mut Module) {
        for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
            rewrite_block(&mut body.block, self);
        }
        for init in module.vars.iter_mut().filter_map(|variable| variable.init.as_mut()) {
            rewrite_initialiser(init, self);
        }
    }
}

impl Rewrite for Targets {
    fn var(&mut self, var: VarId) -> VarId {
        let var = self.of.get(&var).copied().unwrap_or(var);
        self.left.insert(var);
        var
    }
}
