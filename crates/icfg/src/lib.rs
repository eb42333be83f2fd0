//! The intermediate representation that every road shares: one control-flow graph, many labellings.
//!
//! [`Icfg`] is control flow only: a pushdown system whose stack symbols are the nodes. [`Program`] adds variables and
//! one label per edge; here the label is a [`Relation`], readable and over named variables, never a BDD. [`Goal`]s lie
//! beside the program: what must not happen.

pub mod expr;
pub mod goal;
pub mod goals;
pub mod graph;
pub mod liveness;
pub mod mod_ref;
pub mod order;
pub mod program;
pub mod proposition;
pub mod relation;
pub mod slice;
pub mod slots;
pub mod small;
pub mod unroll;
pub mod widen;
pub mod words;

pub use expr::{ChoiceId, Expr, ExprId, Exprs};
pub use goal::{Assertion, Goal, GoalKind, Marks, Unmodelled};
pub use graph::{Edge, EdgeId, EdgeKind, Icfg, IcfgBuilder, Node, NodeId, Proc, ProcId};
pub use liveness::Liveness;
pub use mod_ref::ModRef;
pub use order::CallOrder;
pub use program::{Datum, Program, Role, Scope, Type, Var, VarId};
pub use relation::{Relation, Transition, Update, Value};
pub use slice::Slice;
pub use slots::{SlotId, SlotSet, Slots};
