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

impl Scope {
    /// The procedure, where it is one.
    pub const fn owner(self) -> Option<ProcId> {
        match self {
            Self::Global => None,
            Self::Parameter(proc) | Self::Local(proc) | Self::Result(proc) => Some(proc),
        }
    }
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

/// How the bits of a [`Datum`] are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// One bit.
    Bool,
    /// A natural number, least significant bit first.
    Number,
    /// One of these names, by its number, least significant bit first.
    Enum(Vec<String>),
}

/// What a program does with a number; the order of BDD levels follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is calculated with, or is an index.
    Counter,
    /// It is only copied and compared, with numbers that are only copied and compared.
    Data,
    /// It decides what becomes of what is declared near it.
    Flag,
}

/// A value as the user declared it, over the variables that are its bits. An array's elements and a structure's
/// members are data of their own, called `a[2]` and `s.x`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datum {
    /// Its name in the source.
    pub name: String,
    /// How its bits are read.
    pub kind: Type,
    /// What is done with it.
    pub role: Role,
    /// Its bits, least significant first. They have one scope, and their own names are made from the datum's.
    pub bits: Vec<VarId>,
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
    /// What the variables mean to the user. A variable that is a bit of none of these is what it is, a boolean.
    pub data: Vec<Datum>,
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
