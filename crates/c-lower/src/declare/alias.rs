//! Functions and variables that are others by `alias`, and functions that are what another returns, by `ifunc`.

use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::rewrite::{Rewrite, rewrite_block, rewrite_initialiser};
use hardbop_c_core::{
    Callee, Expr, FunctionId, Linkage, Module, OtherName, Parameters, StmtKind, TypeId, VarId, VarKind,
};
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
            let row = &self.module.functions[id];
            let is_reference = row.is_weak && row.linkage == Linkage::Internal;
            match known.filter(|&target| self.module.functions[target].body.is_some()) {
                Some(target) if self.module.functions[target].ty == row.ty => {
                    self.forward(id, span, |_| Callee::Function(target));
                }
                None if is_reference => self.refer(id, target),
                known => {
                    // Who calls it is called nevertheless.
                    known.into_iter().for_each(|known| self.module.functions[known].is_kept = true);
                    let message = format!("`{target}`, which it is an alias of, is not defined here with this type");
                    self.findings.add(Diagnostic::warning("unknown-alias", message, span));
                }
            }
        }
    }

    /// A function by `weakref` is one of another unit, or of the library, if there is one.
    fn refer(&mut self, id: FunctionId, target: String) {
        let row = &mut self.module.functions[id];
        (row.source_name, row.symbol, row.linkage) = (target, None, Linkage::External);
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
        let meant: BTreeMap<VarId, VarId> =
            aliases.iter().filter_map(|(var, target, _)| Some((*var, *known.get(target)?))).collect();
        // One may be an alias of another, in a chain of all at most.
        let end_of = |var| (0..meant.len()).fold(var, |var, _| meant.get(&var).copied().unwrap_or(var));
        let meant: BTreeMap<VarId, VarId> = meant.keys().map(|&var| (var, end_of(var))).collect();
        let fits = |&(var, target): &(VarId, VarId)| {
            let (alias, target) = (self.module.vars[var].ty.ty, self.module.vars[target].ty.ty);
            self.module.types.is_compatible_within_unit(alias, target)
        };
        let vars = meant.iter().map(|(&var, &target)| (var, target)).filter(fits).collect();
        let mut targets = Targets { vars, ..Targets::default() };
        targets.apply(&mut self.module);
        self.note_other_names(&meant, &targets);
        for (var, target, span) in aliases {
            // A table for other tools, as the modules of an operating system have it, is of no use to the program.
            if targets.used_vars.contains(&var) {
                let message = format!("`{target}`, which it is an alias of, is not defined here with this type");
                self.findings.add(Diagnostic::error("unsupported-construct", message, span));
            }
        }
    }

    /// Other units see variables that are another, with whatever type.
    fn note_other_names(&mut self, meant: &BTreeMap<VarId, VarId>, targets: &Targets) {
        for (&var, &target) in meant {
            let alias = &self.module.vars[var];
            if alias.kind == VarKind::Global(Linkage::External) && self.module.vars[target].init.is_some() {
                let (symbol, is_weak) = (alias.linker_name().to_owned(), alias.is_weak);
                let is_used = targets.replaced.contains(&var);
                self.module.vars[target].other_names.push(OtherName { symbol, is_weak, is_used });
            }
        }
    }
}

/// What takes the place of its other names.
#[derive(Default)]
pub(super) struct Targets {
    pub vars: BTreeMap<VarId, VarId>,
    pub functions: BTreeMap<FunctionId, FunctionId>,
    /// The variables that were used and are replaced.
    replaced: FxHashSet<VarId>,
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
        let target = self.vars.get(&var).copied().unwrap_or(var);
        if target != var {
            self.replaced.insert(var);
        }
        self.used_vars.insert(target);
        target
    }

    fn function(&mut self, function: FunctionId) -> FunctionId {
        let function = self.functions.get(&function).copied().unwrap_or(function);
        self.used_functions.insert(function);
        function
    }
}
