//! A graph with variables and one label per edge.

use crate::{EdgeId, Exprs, Icfg, Marks, ProcId, Relation, Transition};
use hardbop_base::{IndexVec, Span, newtype_index};

newtype_index! {
    /// A variable.
    pub struct VarId = "v";
}

/// Where a variable can be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everywhere.
    Global,
    /// In one procedure, given a value by its callers.
    Parameter(ProcId),
    /// In one procedure.
    Local(ProcId),
    /// In one procedure, written by its `return` and read by its callers.
    Result(ProcId),
}

/// A boolean variable. It starts with any value; a local does so at each call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Its name in the source.
    pub name: String,
    /// Where it can be seen.
    pub scope: Scope,
    /// Where it is declared.
    pub span: Span,
}

/// A program: control flow, variables, and what each edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program<L> {
    /// Control flow.
    pub icfg: Icfg,
    /// All variables: first the globals, then each procedure's results and locals, parameters first.
    pub vars: IndexVec<VarId, Var>,
    /// The expressions that labels and goals are made of.
    pub exprs: Exprs,
    /// What each edge does.
    pub labels: IndexVec<EdgeId, L>,
    /// The variables of each procedure: results, then parameters, then other locals.
    pub locals: IndexVec<ProcId, Vec<VarId>>,
    /// The procedure that a run starts in.
    pub entry: ProcId,
    /// What must be true of the first state, as the constraint of a transition that sets every variable to anything.
    pub initial: Transition,
    /// The places that questions can be about.
    pub marks: Marks,
}

impl<L> Program<L> {
    /// The globals.
    pub fn globals(&self) -> impl Iterator<Item = VarId> + '_ {
        self.vars.iter_enumerated().take_while(|(_, var)| var.scope == Scope::Global).map(|(id, _)| id)
    }

    /// The variables that can be seen in `proc`: globals, then its results and locals.
    pub fn scope(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        self.globals().chain(self.locals[proc].iter().copied())
    }
}

impl Program<Relation> {
    /// Whether `var` is a global.
    pub fn is_global(&self, var: VarId) -> bool {
        self.vars[var].scope == Scope::Global
    }
}
