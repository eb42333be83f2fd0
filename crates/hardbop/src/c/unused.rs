//! Functions in files of `--model` that are nobody's: most often their name is not quite the one that was meant.

use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::{Diagnostic, SourceMap};
use hardbop_c_core::stmt::visit_block;
use hardbop_c_core::{Callee, Expr, ExprKind, Function, FunctionId, InitialValue, Linkage, Module, StmtKind};
use std::collections::{BTreeSet, HashSet};

/// A warning for each function that one of `models` defines for others and nobody speaks of: neither `program`, nor
/// another model, nor another function of its own file. Runs may start in `entry`.
pub fn warnings<'m>(program: &'m [Module], models: &'m [Module], entry: &str, sources: &SourceMap) -> Vec<Diagnostic> {
    if models.is_empty() {
        return Vec::new();
    }
    let names = |module: &'m Module| module.functions.iter().map(Function::linker_name).collect();
    let declared: Vec<HashSet<&str>> = program.iter().chain(models).map(names).collect();
    let is_missing = |row: &&Function| row.body.is_none() && row.linkage == Linkage::External;
    let open = program.iter().flat_map(|module| module.functions.iter().filter(is_missing));
    let wanted: BTreeSet<&str> = open.map(|row| &*row.source_name).collect();
    let mut found = Vec::new();
    for (number, model) in models.iter().enumerate() {
        let used = used(model);
        for (id, row) in model.functions.iter_enumerated().filter(|(_, row)| row.body.is_some()) {
            let runs_by_itself = row.is_constructor || row.is_destructor || row.is_kept || row.source_name == entry;
            let is_private = row.linkage == Linkage::Internal || sources.is_of_system(row.span);
            let own = program.len() + number;
            let mut others = declared.iter().enumerate().filter(|&(unit, _)| unit != own);
            if runs_by_itself
                || is_private
                || used.contains(&id)
                || others.any(|(_, it)| it.contains(row.linker_name()))
            {
                continue;
            }
            let name = &row.source_name;
            let near = did_you_mean(name, wanted.iter().copied());
            let message = format!("`{name}` is a model of nothing: the program does not declare it{near}");
            let help = "a model defines functions that the program declares and does not define";
            found.push(Diagnostic::warning("unused-model", message, Some(row.span)).help(help));
        }
    }
    found
}

/// The functions that a module calls or takes the address of, other than in their own bodies.
fn used(module: &Module) -> HashSet<FunctionId> {
    let mut used = HashSet::new();
    for (own, row) in module.functions.iter_enumerated() {
        let Some(body) = &row.body else { continue };
        let mut note = |function: FunctionId| used.extend((function != own).then_some(function));
        visit_block(&body.block, &mut |stmt| {
            if let StmtKind::Call { callee: Callee::Function(callee), .. } = stmt.kind {
                note(callee);
            }
            stmt.visit_own_exprs(&mut |expr| named(expr).into_iter().for_each(&mut note));
        });
    }
    let parts = module.vars.iter().filter_map(|row| row.init.as_ref()).flat_map(|init| &init.parts);
    for part in parts {
        if let InitialValue::Expr(expr) = &part.value {
            expr.visit(&mut |expr| used.extend(named(expr)));
        }
    }
    used
}

const fn named(expr: &Expr) -> Option<FunctionId> {
    match expr.kind {
        ExprKind::Function(function) => Some(function),
        _ => None,
    }
}
