//! Names that a boolean program can have: plain ones as they are, all others in braces, and no two alike in one scope.

use hardbop_base::IndexVec;
use hardbop_icfg::{ProcId, Program, Relation, VarId};
use std::collections::HashSet;

/// Words that are no names.
const RESERVED: &[&str] = &[
    "T",
    "F",
    "true",
    "false",
    "_",
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "goto",
    "return",
    "skip",
    "assert",
    "assume",
    "dead",
    "constrain",
    "print",
    "schoose",
    "enforce",
    "abortif",
    "sync",
    "dfs",
    "start_thread",
    "end_thread",
    "atomic_begin",
    "atomic_end",
];

/// The names of a program's variables and procedures.
pub struct Names {
    vars: IndexVec<VarId, String>,
    procs: IndexVec<ProcId, String>,
}

impl Names {
    /// Names for everything in `program`.
    pub fn new(program: &Program<Relation>) -> Self {
        let mut global = HashSet::new();
        let mut vars = IndexVec::from_elem(String::new(), program.vars.len());
        for var in program.globals() {
            vars[var] = unlike(&program.vars[var].name, &mut global);
        }
        for locals in &program.locals {
            let mut scope = global.clone();
            for &var in locals {
                vars[var] = unlike(&program.vars[var].name, &mut scope);
            }
        }
        let mut taken = HashSet::from(["main".to_owned()]);
        let procs = program.icfg.procs.iter_enumerated().map(|(id, proc)| match id == program.entry {
            true => "main".into(),
            false => unlike(&proc.name, &mut taken),
        });
        Self { vars, procs: procs.collect() }
    }

    /// The name of `var`.
    pub fn var(&self, var: VarId) -> &str {
        &self.vars[var]
    }

    /// The name of `proc`.
    pub fn proc(&self, proc: ProcId) -> &str {
        &self.procs[proc]
    }
}

/// A name made from `text` that is not `taken`, and now is.
fn unlike(text: &str, taken: &mut HashSet<String>) -> String {
    let clean = text.trim_start_matches('{').trim_end_matches('}').trim();
    let clean = clean.replace('{', "(").replace('}', ")").replace(char::is_control, " ");
    let is_plain = clean == text
        && clean.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'))
        && clean.chars().all(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '$'))
        && !RESERVED.contains(&&*clean);
    let mut name = if is_plain { clean.clone() } else { format!("{{{clean}}}") };
    let mut number = 1;
    while !taken.insert(name.clone()) {
        // A plain name that is taken, such as `main`, is another one in braces.
        name = if number == 1 && is_plain { format!("{{{clean}}}") } else { format!("{{{clean} #{number}}}") };
        number += 1;
    }
    name
}
