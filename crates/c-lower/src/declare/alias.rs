//! Functions and variables that are others by `alias`, and functions that are what another returns, by `ifunc`.

use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::rewrite::{Rewrite, rewrite_block, rewrite_initialiser};
use hardbop_c_core::{Callee, Expr, FunctionId, Module, Parameters, StmtKind, TypeId, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

impl Unit<'_> {
    /// Functions that are another get a body that calls that one.
    pub(super) fn settle_aliases(&mut self) {
        let aliases = std::mem::take(&mut self.declared.aliases);
        if aliases.is_empty() {
            return;
        }
        let mut defined: FxHashMap<String, FunctionId> = FxHashMap::default();
        for (id, function) in self.module.functions.iter_enumerated() {
            defined.insert(function.linker_name().to_owned(), id);
        }
        for (id, target, span) in aliases {
            let known = defined.get(&target).copied();
            match known.filter(|&target| self.module.functions[target].body.is_some()) {
                Some(target) if self.module.functions[target].ty == self.module.functions[id].ty => {
                    self.forward(id, span, |_| Callee::Function(target));
                }
                _ => {
                    let message = format!("`{target}`, which it is an alias of, is not defined here with this type");
                    self.findings.add(Diagnostic::warning("unknown-alias", message, span));
                }
            }
        }
    }

    /// Functions by `ifunc` get a body that calls what the resolver returns. A run asks it once, before all else; we ask
    /// it at each call, which makes a difference only if it looks at what the program changes.
    pub(super) fn settle_resolved(&mut self) {
        for (id, name, span) in std::mem::take(&mut self.declared.resolved) {
            let resolver = self.module.functions.iter_enumerated().find(|(_, row)| row.linker_name() == name);
            let resolver = resolver.map(|(id, _)| id).and_then(|id| Some((id, self.resolved_pointer(id)?)));
            let Some((resolver, pointer)) = resolver else {
                let what =
                    format!("an `ifunc` whose `{name}` is not defined here, takes something or returns no pointer");
                self.unsupported(&what, span);
                continue;
            };
            let is_done = self.forward(id, span, |unit| {
                let place = unit.temporary_place(pointer, &format!("{name}()"), span);
                let (result, callee) = (Some(place.clone()), Callee::Function(resolver));
                unit.emit(StmtKind::Call { result, callee, arguments: Vec::new() }, span);
                let own = unit.module.types.pointer_to(unit.module.functions[id].ty);
                Callee::Pointer(Expr::read(place).cast(own))
            });
            if !is_done {
                self.unsupported("an `ifunc` whose parameters are not all declared", span);
            }
        }
    }

    /// The type of the pointer that a resolver returns.
    fn resolved_pointer(&self, resolver: FunctionId) -> Option<TypeId> {
        let function = &self.module.functions[resolver];
        let ty = self.module.types.callee(function.ty).filter(|_| function.body.is_some())?;
        let takes_nothing = match &ty.parameters {
            Parameters::Fixed(types) | Parameters::Variadic(types) => types.is_empty(),
            Parameters::Unspecified => function.body.as_ref().is_some_and(|body| body.parameters.is_empty()),
        };
        Some(ty.result).filter(|&result| takes_nothing && self.module.types.is_pointer(result))
    }

    /// What speaks of a variable that is another speaks of that one.
    pub(super) fn settle_variable_aliases(&mut self) {
        let aliases = std::mem::take(&mut self.declared.variable_aliases);
        if aliases.is_empty() {
            return;
        }
        let is_global = |kind: VarKind| matches!(kind, VarKind::Global(_));
        let globals = self.module.vars.iter_enumerated().filter(|(_, variable)| is_global(variable.kind));
        let known: FxHashMap<String, VarId> =
            globals.map(|(var, found)| (found.linker_name().to_owned(), var)).collect();
        let mut targets = Targets::default();
        for (var, target, _) in &aliases {
            let fits = |&target: &VarId| {
                let (alias, target) = (self.module.vars[*var].ty.ty, self.module.vars[target].ty.ty);
                self.module.types.is_compatible_within_unit(alias, target)
            };
            targets.vars.extend(known.get(target).copied().filter(fits).map(|target| (*var, target)));
        }
        targets.apply(&mut self.module);
        for (var, target, span) in aliases {
            // A table for other tools, as the modules of an operating system have it, is of no use to the program.
            if targets.used_vars.contains(&var) {
                let message = format!("`{target}`, which it is an alias of, is not defined here with this type");
                self.findings.add(Diagnostic::error("unsupported-construct", message, span));
            }
        }
    }
}

/// What takes the place of its other names.
#[derive(Default)]
pub(super) struct Targets {
    pub vars: BTreeMap<VarId, VarId>,
    pub functions: BTreeMap<FunctionId, FunctionId>,
    /// The variables that are used, other names replaced.
    pub used_vars: FxHashSet<VarId>,
    /// The functions that are used, other names replaced.
    pub used_functions: FxHashSet<FunctionId>,
}

impl Targets {
    pub fn apply(&mut self, module: &mut Module) {
        for (&name, &target) in &self.vars {
            let is_taken = module.vars[name].is_address_taken;
            module.vars[target].is_address_taken |= is_taken;
        }
        for (&name, &target) in &self.functions {
            let is_taken = module.functions[name].is_address_taken;
            module.functions[target].is_address_taken |= is_taken;
        }
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
        let var = self.vars.get(&var).copied().unwrap_or(var);
        self.used_vars.insert(var);
        var
    }

    fn function(&mut self, function: FunctionId) -> FunctionId {
        let function = self.functions.get(&function).copied().unwrap_or(function);
        self.used_functions.insert(function);
        function
    }
}
