//! Names for the linker: `asm("symbol")` behind what is declared.
//!
//! Names with one symbol are one thing. A symbol that nothing here defines may be another unit's, where `c-link` looks;
//! or it is one of the library's, as in the redirections of glibc, and the function is known by its name in the source.

use super::Facts;
use super::Linked;
use super::alias::Targets;
use crate::unit::Unit;
use hardbop_base::Diagnostic;
use hardbop_c_core::{Function, FunctionId, TypeId, VarId, VarKind, Variable};
use hardbop_lang_c::ast::{Declarator, Specifiers, Storage, Units};
use rustc_hash::FxHashMap;

impl Unit<'_> {
    /// The symbol of what is declared, if it is said. That of a register is none.
    pub(super) fn symbol(&self, specifiers: &Specifiers, declarator: &Declarator) -> Option<String> {
        let label = declarator.asm_label.filter(|_| specifiers.storage != Some(Storage::Register))?;
        match &self.ast.strings[label].units {
            // Compilers mark a symbol so that is to be taken as it is.
            Units::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).trim_start_matches(['*', '\u{1}']).to_owned()),
            Units::Wide(_) => None,
        }
    }

    /// What speaks of one name of a thing speaks of the thing.
    pub(super) fn settle_symbols(&mut self) {
        let functions = self.module.functions.iter().map(|row| &row.symbol);
        if functions.chain(self.module.vars.iter().map(|row| &row.symbol)).all(Option::is_none) {
            return;
        }
        let meant = self.meant_by_symbols();
        let mut targets = Targets::default();
        let mut unfit = Vec::new();
        for (name, row) in self.module.vars.iter_enumerated().filter(|(_, row)| is_declared_var(row)) {
            match meant.get(row.linker_name()) {
                Some(&Linked::Var(target)) if target == name => {}
                Some(&Linked::Var(target)) if self.fits(row.ty.ty, self.module.vars[target].ty.ty) => {
                    targets.vars.insert(name, target);
                }
                Some(&target) => unfit.push((Linked::Var(name), target)),
                None => {}
            }
        }
        for (name, row) in self.module.functions.iter_enumerated().filter(|(_, row)| row.body.is_none()) {
            match meant.get(row.linker_name()) {
                Some(&Linked::Function(target)) if self.fits(row.ty, self.module.functions[target].ty) => {
                    targets.functions.insert(name, target);
                }
                Some(&target) => unfit.push((Linked::Function(name), target)),
                None => {}
            }
        }
        targets.apply(&mut self.module);
        self.hide(&targets);
        // Some were called before all was known of them.
        self.declared.changed.extend(targets.functions.values());
        unfit.retain(|(name, _)| match name {
            Linked::Var(name) => targets.used_vars.contains(name),
            Linked::Function(name) => targets.used_functions.contains(name),
        });
        unfit.into_iter().for_each(|(name, target)| self.report_unfit(name, target));
    }

    /// Another name of what only this unit sees is of no use to other units either.
    fn hide(&mut self, targets: &Targets) {
        for (&name, &target) in &targets.vars {
            self.module.vars[name].kind = self.module.vars[target].kind;
        }
        for (&name, &target) in &targets.functions {
            self.module.functions[name].linkage = self.module.functions[target].linkage;
        }
    }

    /// What is defined here, by its symbol, and what is declared if it is a variable: the library's functions are known by
    /// their names.
    fn meant_by_symbols(&self) -> FxHashMap<String, Linked> {
        let is_definition = |id: FunctionId, row: &Function| {
            // What is only inlined defines no symbol.
            let is_for_others = self.declared.facts.get(&id).is_none_or(Facts::is_definition_for_others);
            row.body.is_some() && is_for_others
        };
        let functions = self.module.functions.iter_enumerated().filter(|&(id, row)| is_definition(id, row));
        let functions = functions.map(|(id, row)| (row, Linked::Function(id)));
        let mut meant: FxHashMap<String, Linked> =
            functions.map(|(row, id)| (row.linker_name().to_owned(), id)).collect();
        let globals = || self.module.vars.iter_enumerated().filter(|(_, row)| matches!(row.kind, VarKind::Global(_)));
        let (defined, declared): (Vec<(VarId, &Variable)>, Vec<_>) = globals().partition(|(_, row)| row.init.is_some());
        for (id, row) in defined.into_iter().chain(declared) {
            meant.entry(row.linker_name().to_owned()).or_insert(Linked::Var(id));
        }
        meant
    }

    fn fits(&self, name: TypeId, target: TypeId) -> bool {
        self.module.types.is_compatible_within_unit(name, target) || self.agrees_without_prototype(name, target)
    }

    fn report_unfit(&mut self, name: Linked, target: Linked) {
        let known = |linked| match linked {
            Linked::Var(var) => (&self.module.vars[var].source_name, self.module.vars[var].span),
            Linked::Function(id) => (&self.module.functions[id].source_name, self.module.functions[id].span),
        };
        let ((name, span), (target, place)) = (known(name), known(target));
        let message = format!("`{name}` is `{target}` under another name, which has another type");
        let finding = Diagnostic::error("unsupported-construct", message, span);
        self.findings.add(finding.related("it is declared here", place));
    }
}

fn is_declared_var(row: &Variable) -> bool {
    matches!(row.kind, VarKind::Global(_)) && row.init.is_none()
}
