//! What an edge does to the variables: readable relations, not BDDs.

use crate::{Expr, ExprId, Exprs, VarId};

/// What a changed variable gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The value of an expression over the state before.
    Of(ExprId),
    /// Anything, as far as the constraint allows.
    Any,
}

/// `target := value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    /// The variable that changes.
    pub target: VarId,
    /// What it gets.
    pub value: Value,
}

/// A relation between the state before and the state after.
///
/// It holds where the guard (over `x`) is true, every update is as said, every variable without an update keeps its
/// value, and the constraint (over `x`, `x'` and, after a call, `x''`) is true: for some value of each choice, the
/// same in all three parts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Transition {
    /// What must be true before.
    pub guard: Option<ExprId>,
    /// What changes: all at once, each variable at most once.
    pub updates: Vec<Update>,
    /// What must be true of both states.
    pub constraint: Option<ExprId>,
    /// How many choices stand in it.
    pub choices: u32,
}

impl Transition {
    /// Nothing happens.
    pub const SKIP: Self = Self { guard: None, updates: Vec::new(), constraint: None, choices: 0 };

    /// Whether it holds for all states and changes nothing.
    pub fn is_skip(&self) -> bool {
        self.guard.is_none() && self.updates.is_empty() && self.constraint.is_none()
    }

    /// The expressions in it: the guard, the values, the constraint.
    pub fn exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        let values = self.updates.iter().filter_map(|update| match update.value {
            Value::Of(value) => Some(value),
            Value::Any => None,
        });
        self.guard.into_iter().chain(values).chain(self.constraint)
    }

    /// Calls `visit` on every leaf of every expression in it.
    pub fn for_each_leaf(&self, exprs: &Exprs, mut visit: impl FnMut(Expr)) {
        for expr in self.exprs() {
            exprs.for_each_leaf(expr, &mut visit);
        }
    }

    /// The update of `var`, if it has one.
    pub fn update_of(&self, var: VarId) -> Option<Value> {
        self.updates.iter().find(|update| update.target == var).map(|update| update.value)
    }
}

/// The label of an edge of a finite-data program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// A step within a procedure.
    Step(Transition),
    /// A call.
    Call {
        /// From the caller's state (`x`) to the state at the callee's entry (`x'`). The updates give the parameters;
        /// every other local of the callee starts with any value, every global keeps its own.
        enter: Transition,
        /// From the callee's exit (`x`, with the callee's results among its locals) and the caller's locals when it
        /// called (`x''`) to the caller's state afterwards (`x'`). A caller's local without an update is as saved, a
        /// global as at the callee's exit.
        ///
        /// No update reads the exit value of a global that the same transition updates.
        leave: Transition,
    },
    /// A return to the caller.
    Return,
}
