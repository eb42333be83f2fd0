//! Which stack symbols make up a procedure.
//!
//! A symbol that a call puts on top is the entry of a procedure: all symbols that it leads to by steps and by the
//! places where calls come back to. A symbol that several entries lead to belongs to several procedures, since the
//! place that a return goes to is not the same.

use super::ast::{Ast, Pushed};
use super::scope::{Scopes, SymbolId};
use hardbop_base::{Diagnostic, IndexVec};
use hardbop_icfg::ProcId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The most control points and edges that a program can have.
const MAX_SIZE: usize = 4_000_000;

/// One procedure.
#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) name: String,
    /// Its symbols; the entry comes first.
    pub(super) symbols: Vec<SymbolId>,
}

/// All procedures; the first is the one that a run starts in.
#[derive(Debug)]
pub(super) struct Procedures {
    pub(super) list: IndexVec<ProcId, Procedure>,
    of_entry: FxHashMap<SymbolId, ProcId>,
    /// The rules with a symbol on their left, in the order of the file.
    pub(super) rules: IndexVec<SymbolId, Vec<usize>>,
}

impl Procedures {
    /// The procedure that a call which puts `entry` on top goes to.
    pub(super) fn entered_at(&self, entry: SymbolId) -> ProcId {
        self.of_entry[&entry]
    }
}

/// The procedures of `ast`, of which `initial` is the first symbol.
///
/// # Errors
/// There would be too many control points.
pub(super) fn procedures(ast: &Ast, scopes: &Scopes, initial: SymbolId) -> Result<Procedures, Diagnostic> {
    let mut rules = IndexVec::from_elem(Vec::new(), scopes.symbols.len());
    for (number, rule) in ast.rules.iter().enumerate() {
        rules[scopes.symbol(rule.from)].push(number);
    }
    let mut finder = Finder {
        ast,
        scopes,
        covered: IndexVec::from_elem(false, scopes.symbols.len()),
        size: 0,
        found: Procedures { list: IndexVec::new(), of_entry: FxHashMap::default(), rules },
    };
    finder.explore(initial)?;
    // What cannot be reached is there all the same: one can ask for it.
    for symbol in scopes.symbols.ids() {
        if !finder.covered[symbol] {
            finder.explore(symbol)?;
        }
    }
    finder.name();
    Ok(finder.found)
}

struct Finder<'a> {
    ast: &'a Ast,
    scopes: &'a Scopes,
    covered: IndexVec<SymbolId, bool>,
    size: usize,
    found: Procedures,
}

impl Finder<'_> {
    /// Adds the procedure that starts with `entry`, and those that it calls.
    fn explore(&mut self, entry: SymbolId) -> Result<(), Diagnostic> {
        let mut waiting = VecDeque::from([entry]);
        while let Some(entry) = waiting.pop_front() {
            if self.found.of_entry.contains_key(&entry) {
                continue;
            }
            let symbols = self.body(entry, &mut waiting)?;
            let id = self.found.list.push(Procedure { name: String::new(), symbols });
            self.found.of_entry.insert(entry, id);
        }
        Ok(())
    }

    fn body(&mut self, entry: SymbolId, callees: &mut VecDeque<SymbolId>) -> Result<Vec<SymbolId>, Diagnostic> {
        let mut symbols = vec![entry];
        let mut seen = FxHashSet::from_iter([entry]);
        let mut next = 0;
        while let Some(&symbol) = symbols.get(next) {
            next += 1;
            self.covered[symbol] = true;
            let rules = &self.found.rules[symbol];
            self.size += 1 + rules.len();
            if self.size > MAX_SIZE {
                let message =
                    format!("the procedures of this system have more than {MAX_SIZE} control points and edges");
                let span = self.scopes.symbols[entry].span;
                let help = "a symbol belongs to every procedure whose first symbol leads to it";
                return Err(Diagnostic::error("system-too-large", message, span).help(help));
            }
            for &rule in rules {
                let following = match self.ast.rules[rule].to {
                    Pushed::Nothing => continue,
                    Pushed::One(next) => next,
                    Pushed::Two(callee, next) => {
                        callees.push_back(self.scopes.symbol(callee));
                        next
                    }
                };
                let following = self.scopes.symbol(following);
                if seen.insert(following) {
                    symbols.push(following);
                }
            }
        }
        Ok(symbols)
    }

    /// A procedure is called like the block of its entry, where no other's entry is in that block, or like its entry.
    fn name(&mut self) {
        let mut entries: FxHashMap<&str, usize> = FxHashMap::default();
        for procedure in &self.found.list {
            for name in self.names(procedure) {
                *entries.entry(name).or_default() += 1;
            }
        }
        let names: Vec<String> = self
            .found
            .list
            .iter()
            .map(|procedure| {
                let mut names = self.names(procedure);
                let symbol = names.next().unwrap_or_default();
                names.find(|name| entries[name] == 1).unwrap_or(symbol).to_owned()
            })
            .collect();
        for (procedure, name) in self.found.list.iter_mut().zip(names) {
            procedure.name = name;
        }
    }

    /// The name of the entry, then of its blocks.
    fn names(&self, procedure: &Procedure) -> impl Iterator<Item = &str> {
        let entry = &self.scopes.symbols[procedure.symbols[0]];
        let symbol = self.ast.names.text(entry.name);
        let blocks = entry.blocks.iter().filter_map(|&block| self.scopes.blocks[block].name);
        std::iter::once(symbol).chain(blocks.map(|name| self.ast.text(name)).filter(move |&name| name != symbol))
    }
}
