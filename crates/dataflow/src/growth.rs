//! Facts that once they are true stay so: no step makes them false.
//!
//! What is known of many things at once is mostly of this kind: that some of them may be so. A callee cannot take it back,
//! whatever other callers have brought to it.

use hardbop_base::IndexVec;
use hardbop_icfg::{Expr, ExprId, Exprs, Program, Relation, Transition, Value, VarId};

/// How a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Change {
    /// Not at all.
    None,
    /// It only becomes true.
    Growth,
    /// As it likes.
    Any,
}

/// How the variables of `program` change.
pub(crate) fn changes(program: &Program<Relation>) -> IndexVec<VarId, Change> {
    let mut changes = IndexVec::from_elem(Change::None, program.vars.len());
    let mut see = |transition: &Transition| {
        for update in &transition.updates {
            let change = match update.value {
                Value::Of(value) if stays(&program.exprs, value, update.target) => Change::Growth,
                _ => Change::Any,
            };
            changes[update.target] = changes[update.target].max(change);
        }
    };
    for label in &program.labels {
        match label {
            Relation::Step(step) => see(step),
            Relation::Call { enter, leave } => [enter, leave].into_iter().for_each(&mut see),
            Relation::Return => {}
        }
    }
    changes
}

/// Whether `value` is true wherever `var` is, as far as its outermost parts tell.
fn stays(exprs: &Exprs, value: ExprId, var: VarId) -> bool {
    let mut waiting = vec![value];
    while let Some(part) = waiting.pop() {
        match exprs.get(part) {
            Expr::Const(true) => return true,
            Expr::Var(own) if own == var => return true,
            Expr::Or(a, b) => waiting.extend([a, b]),
            _ => {}
        }
    }
    false
}
