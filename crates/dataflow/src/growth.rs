//! Facts that once they are true stay so: no step makes them false.
//!
//! What is known of many things at once is mostly of this kind: that some of them may be so. A callee cannot take it back,
//! whatever other callers have brought to it.

use hardbop_base::IndexVec;
use hardbop_icfg::{Expr, ExprId, Exprs, Program, Relation, Transition, Value, VarId};

/// Which variables of `program` only become true.
pub(crate) fn only_growing(program: &Program<Relation>) -> IndexVec<VarId, bool> {
    let mut grows = IndexVec::from_elem(true, program.vars.len());
    let mut see = |transition: &Transition| {
        for update in &transition.updates {
            let stays = match update.value {
                Value::Of(value) => stays(&program.exprs, value, update.target),
                Value::Any => false,
            };
            grows[update.target] &= stays;
        }
    };
    for label in &program.labels {
        match label {
            Relation::Step(step) => see(step),
            Relation::Call { enter, leave } => [enter, leave].into_iter().for_each(&mut see),
            Relation::Return => {}
        }
    }
    grows
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
