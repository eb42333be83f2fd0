//! What pointers point to: an inclusion-based \[And94\], field-sensitive \[PKH07\] analysis of the three-address form of C,
//! and the call graph through function pointers that comes with it.
//!
//! [`analyse`] cuts all objects of a module into cells ([`layout`]), makes inclusion constraints of its statements
//! ([`generate`]) with the help of what is known of the library ([`models`]), and solves them ([`solver`]). The answer,
//! [`PointsTo`], holds at every moment of every run: it knows neither the order of statements nor contexts of calls.
//!
//! **Invariant:** if a run that does what the modules' docs assume stores a pointer to an object in a variable, the
//! variable's set has the abstract object at a position that covers the pointer's, or has `Memory::UNKNOWN`, and then
//! the object has escaped or is none of the module's.

mod call_graph;
mod components;
mod generate;
mod layout;
pub mod library;
mod memory;
mod models;
mod points_to;
mod set;
mod solver;

pub use call_graph::{Activations, CallGraph};
pub use memory::{ObjectId, ObjectKind, Site};
pub use points_to::{Cell, Fit, Offset, PointsTo, Size, Target, Touch};

use hardbop_base::{Budget, Exhausted, IndexVec, Span};
use hardbop_c_core::stmt::visit_block;
use hardbop_c_core::{Callee, Function, FunctionId, Module, StmtKind, VarKind, Variable};

/// What functions without a body and without a model do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UndefinedWrite {
    /// They write nothing, keep nothing and call nothing; they return anything.
    Nothing,
    /// They read and write whatever they can reach from their arguments and from what they were given before, call the
    /// functions among it, and return any of it.
    Reachable,
}

/// What outside code knows from the start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outside {
    /// Nothing: the module is the whole program but for libraries that do not refer to it.
    KnowsNothing,
    /// All variables with external linkage: functions of the program are elsewhere, and call none here by its name.
    KnowsVariables,
    /// All names with external linkage: the module is a part of a program.
    KnowsNames,
}

/// What to assume of code that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Policy {
    /// What functions without a body do.
    pub undefined: UndefinedWrite,
    /// What outside code knows from the start.
    pub outside: Outside,
}

impl Policy {
    /// The policy for a module. Without `main`, or with assembly beside its functions, it is a part of a program. With
    /// `main` it is the whole of it, unless it uses functions or variables that are neither there nor those of a
    /// library, as their names and places tell.
    pub fn for_module(module: &Module, undefined: UndefinedWrite, is_library: impl Fn(&str, Span) -> bool) -> Self {
        let has_main =
            module.functions.iter().any(|function| function.source_name == "main" && function.body.is_some());
        let has_others = elsewhere(module, is_library).next().is_some();
        let does_something = undefined == UndefinedWrite::Reachable;
        let outside = if !has_main || !module.asm.is_empty() {
            Outside::KnowsNames
        } else if does_something && has_others {
            Outside::KnowsVariables
        } else {
            Outside::KnowsNothing
        };
        Self { undefined, outside }
    }
}

/// The functions and variables that a module uses and that are neither there nor those of a library, as their names and
/// places tell.
pub fn elsewhere(module: &Module, is_library: impl Fn(&str, Span) -> bool) -> impl Iterator<Item = (&str, Span)> {
    let functions = without_body(module).filter(|row| models::of(module, row).is_none());
    let is_declared = |row: &&Variable| matches!(row.kind, VarKind::Global(_)) && row.init.is_none() && !row.is_model;
    let variables = module.vars.iter().filter(is_declared);
    let functions = functions.map(|row| (row.source_name.as_str(), row.span));
    let variables = variables.map(|row| (row.source_name.as_str(), row.span));
    functions.chain(variables).filter(move |&(name, span)| !is_library(name, span))
}

/// The functions without a body that are used.
fn without_body(module: &Module) -> impl Iterator<Item = &Function> {
    let mut used: IndexVec<FunctionId, bool> = module.functions.iter().map(|row| row.is_address_taken).collect();
    for body in module.functions.iter().filter_map(|row| row.body.as_ref()) {
        visit_block(&body.block, &mut |stmt| {
            if let StmtKind::Call { callee: Callee::Function(callee), .. } = stmt.kind {
                used[callee] = true;
            }
        });
    }
    module.functions.iter_enumerated().filter(move |(id, row)| used[*id] && row.body.is_none()).map(|(_, row)| row)
}

/// Finds out what all pointers of a module may point to.
pub fn analyse<'m>(module: &'m Module, policy: Policy, budget: &Budget) -> Result<PointsTo<'m>, Exhausted> {
    budget.enter("points-to constraints");
    let mut generated = generate::generate(module, policy, budget)?;
    budget.enter("points-to solving");
    generated.solver.solve(budget)?;
    Ok(PointsTo::new(module, generated))
}
