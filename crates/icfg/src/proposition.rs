//! What a proposition of a formula says at each node.
//!
//! A proposition is a place (`@label`, `@proc`, `at_entry(f)`, `at_exit(f)`, a stack symbol's name, `end`), a call that has not
//! returned (`on_stack(f)`) or something
//! about the variables (`x`, `a[2] == 3`, `main.i < 4`). What is said about a procedure's locals is false while another
//! procedure is at work. Numbers are naturals: a difference below zero, a quotient by zero and an element that there is
//! not have no value, and a comparison with such a part is false.

mod read;
mod resolve;

pub use resolve::{CODES, resolve};

use crate::{ExprId, Icfg, NodeId, ProcId};
use hardbop_base::IndexVec;

/// A proposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proposition {
    /// True at these nodes.
    Places(IndexVec<NodeId, bool>),
    /// True where the expression is, everywhere.
    State(ExprId),
    /// True where the expression for the procedure at work is; false in procedures that have none.
    StateIn(Vec<(ProcId, ExprId)>),
    /// True where an activation of one of these procedures is on the stack.
    OnStack(IndexVec<ProcId, bool>),
}

/// What a proposition says at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Letter {
    /// This, whatever the variables are.
    Const(bool),
    /// What the expression says.
    Expr(ExprId),
}

impl Proposition {
    /// What it says at `node`.
    ///
    /// # Requires
    /// It does not ask what is on the stack, which a node does not tell.
    pub fn at(&self, icfg: &Icfg, node: NodeId) -> Letter {
        match self {
            Self::Places(places) => Letter::Const(places.get(node).is_some_and(|&is_there| is_there)),
            Self::State(expr) => Letter::Expr(*expr),
            Self::OnStack(_) => unreachable!("a node does not tell what is on the stack"),
            Self::StateIn(exprs) => {
                let proc = icfg.nodes[node].proc;
                let found = exprs.iter().find(|(of, _)| *of == proc);
                found.map_or(Letter::Const(false), |&(_, expr)| Letter::Expr(expr))
            }
        }
    }
}
