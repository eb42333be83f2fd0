//! A run as a person reads it: places, call depth, statements and values, whatever road it comes from.
//!
//! Like the witness it is made from, a trace is a DAG: what a crossed call does is a run of its own, stored once.
//! [`relations`] makes traces, [`unfold`] decides which crossed calls are stepped into, [`text`] and [`json`] print.

pub mod json;
pub mod relations;
pub mod text;
pub mod unfold;

use hardbop_base::{IndexVec, newtype_index};
use hardbop_icfg::Type;
use hardbop_verdict::{Length, SubTraceId};

newtype_index! {
    /// A statement that stands in a trace.
    pub struct PlaceId = "place";
    /// The variables that can be seen in one procedure.
    pub struct ScopeId = "scope";
    /// A variable, the same in every scope that it is in.
    pub struct VariableId = "variable";
}

/// A run that reaches a goal.
#[derive(Debug)]
pub struct Trace {
    /// The statements.
    pub places: IndexVec<PlaceId, Place>,
    /// The variables of each procedure.
    pub scopes: IndexVec<ScopeId, Scope>,
    /// The variables, globals first.
    pub variables: IndexVec<VariableId, Variable>,
    /// From the first state to the goal.
    pub main: Run,
    /// What crossed calls do; each uses only earlier ones.
    pub subtraces: IndexVec<SubTraceId, Run>,
    /// Whether a shorter run might exist.
    pub length: Length,
}

/// A run that goes on for ever.
#[derive(Debug)]
pub struct Lasso {
    /// From the first state to where the loop begins.
    pub stem: Trace,
    /// Once around the loop.
    pub round: Trace,
    /// The procedures that a round calls and does not return from.
    pub grows: Vec<String>,
}

/// A statement.
#[derive(Debug)]
pub struct Place {
    /// The file, as the user gave it.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The source text on one line, perhaps cut short.
    pub text: String,
    /// What can be seen there.
    pub scope: ScopeId,
}

/// What can be seen in a procedure.
#[derive(Debug)]
pub struct Scope {
    /// The procedure's name.
    pub procedure: String,
    /// Globals that no local hides, then locals.
    pub variables: Vec<VariableId>,
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Whether every procedure sees it, or one.
    pub extent: Extent,
    /// What its values are.
    pub kind: Type,
}

impl Variable {
    /// `value` as the user writes it.
    pub fn show(&self, value: Value) -> String {
        match (value, &self.kind) {
            (Value::Any | Value::Inherited, _) => "*".to_owned(),
            (Value::Is(number), Type::Enum(names)) => self.name_of(number, names),
            (Value::Is(number), Type::Bool | Type::Number) => number.to_string(),
        }
    }

    fn name_of(&self, number: u128, names: &[String]) -> String {
        let name = usize::try_from(number).ok().and_then(|number| names.get(number));
        name.cloned().unwrap_or_else(|| number.to_string())
    }
}

/// Where a variable can be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Everywhere.
    Global,
    /// In one procedure.
    Local,
}

/// A sequence of steps.
#[derive(Debug)]
pub struct Run {
    /// One step per move.
    pub steps: Vec<Step>,
    /// Where it ends: at the goal, or at the procedure's exit.
    pub end: Step,
}

impl Run {
    /// The values after step `index`.
    pub fn after(&self, index: usize) -> &Step {
        self.steps.get(index + 1).unwrap_or(&self.end)
    }
}

/// A statement about to be executed.
#[derive(Debug)]
pub struct Step {
    /// Which.
    pub place: PlaceId,
    /// How many calls this run has entered for good.
    pub depth: u32,
    /// What it calls.
    pub call: Call,
    /// The value of each variable in scope, before it.
    pub values: Box<[Value]>,
}

/// What a step calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Nothing.
    None,
    /// A procedure that the run does not return from.
    Enter,
    /// A procedure that does this and returns.
    Cross(SubTraceId),
}

/// A variable's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// This one: of a boolean 0 or 1, of an enumeration the number of the name.
    Is(u128),
    /// Any value does.
    Any,
    /// Any value does, and in a place where the run is used it is the caller's.
    Inherited,
}
