//! Boolean programs and their expressions, read by the front end.

use hardbop_base::{Severity, SourceMap};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{Expr, Program, Relation};

/// The program of `text`.
pub fn lower(text: &str) -> (Program<Relation>, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.bp", text.to_owned()).expect("it is short");
    let (ast, findings) = hardbop_lang_bp::parse(text, sources.file(file).start);
    assert!(findings.iter().all(|finding| finding.severity != Severity::Error), "{findings:?}\n{text}");
    let lowered = hardbop_lang_bp::lower(&ast, "main").unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    (lowered.program, sources)
}

/// An expression over some variables.
pub struct Parsed {
    program: Program<Relation>,
}

impl Parsed {
    /// Parses `text`, an expression over `names`.
    pub fn new(text: &str, names: &[&str]) -> Self {
        let declaration = if names.is_empty() { String::new() } else { format!("decl {};", names.join(", ")) };
        let (program, _) = lower(&format!("{declaration} void main() begin assume({text}); end"));
        Self { program }
    }

    /// Its value where the variables have these, in the order of the names.
    pub fn value(&self, values: &[bool]) -> bool {
        use hardbop_base::Idx;
        let assume = self.program.icfg.procs[self.program.entry].entry;
        let &[edge] = self.program.icfg.successors(assume) else { panic!("an assumption goes one way") };
        let Relation::Step(step) = &self.program.labels[edge] else { panic!("an assumption is a step") };
        let leaf = |leaf| match leaf {
            Expr::Var(var) => Possible::only(values[var.index()]),
            leaf => panic!("{leaf:?} in a formula"),
        };
        let value = step.guard.map(|guard| self.program.exprs.possible(guard, &leaf));
        value.is_none_or(|value| value.definite().expect("a formula has one value"))
    }
}
