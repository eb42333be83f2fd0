//! Variables with other names, by `alias`: which of the names count, and what they are joined by.

use hardbop_base::Diagnostic;
use hardbop_c_core::{Linkage, Module, OtherName, VarKind, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each other name of a variable the symbol that it is joined by; a variable that only its unit sees is called by the
/// first of them. Names that another definition takes are no longer there.
///
/// # Requires
/// `units` define each symbol once, weak definitions of others aside.
pub(crate) fn settle(units: &mut [Module]) -> Result<FxHashMap<String, String>, Vec<Diagnostic>> {
    let owners = owners(units);
    if owners.is_empty() {
        return Ok(FxHashMap::default());
    }
    let mut joined = FxHashMap::default();
    let mut findings = Vec::new();
    for (number, unit) in units.iter_mut().enumerate() {
        for row in unit.vars.iter_mut() {
            if is_defined(row) && owners.get(row.linker_name()).is_some_and(|owner| !owner.is(number)) {
                match row.is_weak {
                    true => row.init = None,
                    false => findings.push(taken(row, row.linker_name())),
                }
            }
            if !row.other_names.is_empty() && row.init.is_none() {
                findings.push(taken(row, row.linker_name()));
            }
            for other in std::mem::take(&mut row.other_names) {
                match owners[&other.symbol].is(number) {
                    true => row.other_names.push(other),
                    false if other.is_weak && !other.is_used => {}
                    false => findings.push(taken(row, &other.symbol)),
                }
            }
            join(row, &mut joined);
        }
    }
    if findings.is_empty() { Ok(joined) } else { Err(findings) }
}

fn join(row: &mut Variable, joined: &mut FxHashMap<String, String>) {
    if row.kind == VarKind::Global(Linkage::Internal)
        && let Some(OtherName { symbol, .. }) = row.other_names.first()
    {
        (row.kind, row.symbol) = (VarKind::Global(Linkage::External), Some(symbol.clone()));
    }
    for other in &row.other_names {
        joined.insert(other.symbol.clone(), row.linker_name().to_owned());
    }
}

/// Whose definition of another name counts: the first of those that are not weak, or the first.
struct Owner {
    unit: usize,
    is_weak: bool,
}

impl Owner {
    fn is(&self, unit: usize) -> bool {
        self.unit == unit
    }
}

fn owners(units: &[Module]) -> FxHashMap<String, Owner> {
    let rows = || units.iter().flat_map(|unit| unit.vars.iter());
    let others: FxHashSet<&str> = rows().flat_map(|row| &row.other_names).map(|other| other.symbol.as_str()).collect();
    let mut owners: FxHashMap<String, Owner> = FxHashMap::default();
    let mut add = |symbol: &str, unit: usize, is_weak: bool| {
        let known = owners.entry(symbol.to_owned()).or_insert(Owner { unit, is_weak });
        if known.is_weak && !is_weak {
            *known = Owner { unit, is_weak };
        }
    };
    for (number, unit) in units.iter().enumerate() {
        for row in unit.vars.iter() {
            if is_defined(row) && others.contains(row.linker_name()) {
                add(row.linker_name(), number, row.is_weak);
            }
            row.other_names.iter().for_each(|other| add(&other.symbol, number, other.is_weak));
        }
    }
    owners
}

fn is_defined(row: &Variable) -> bool {
    row.kind == VarKind::Global(Linkage::External) && row.init.is_some()
}

fn taken(row: &Variable, name: &str) -> Diagnostic {
    let message = format!("`{name}` is defined in another file, too, and an alias here");
    Diagnostic::error("duplicate-definition", message, row.span)
}
