//! The parts of a constraint, of which those about dropped facts alone go: `∃d. (p(k) ∧ q(d)) = p(k)` where some `d`
//! makes `q` true. Where none does, it only gets weaker.

use hardbop_base::IndexVec;
use hardbop_icfg::{Expr, ExprId, Exprs, VarId};
use rustc_hash::FxHashMap;

/// The conjunction of `parts`; nothing where there is none. As a balanced tree: there are thousands.
pub(super) fn all_of(exprs: &mut Exprs, mut parts: Vec<ExprId>) -> Option<ExprId> {
    while parts.len() > 1 {
        let pairs = parts.chunks(2).map(|pair| match *pair {
            [a, b] => exprs.add(Expr::And(a, b)),
            _ => pair[0],
        });
        parts = pairs.collect();
    }
    parts.pop()
}

/// The `conjuncts` that say something of the facts in `kept`: on their own, or with others by way of dropped facts and
/// choices that they have in common. One that speaks of no fact at all matters, too.
pub(super) fn that_matter(exprs: &Exprs, conjuncts: &[ExprId], kept: &IndexVec<VarId, bool>) -> Vec<ExprId> {
    let mut sharing: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
    let mut waiting = Vec::new();
    for (index, &conjunct) in conjuncts.iter().enumerate() {
        let (mut has_kept, mut has_dropped) = (false, false);
        exprs.for_each_leaf(conjunct, |leaf| {
            match leaf {
                Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) if kept[var] => return has_kept = true,
                Expr::Var(_) | Expr::Next(_) | Expr::Saved(_) => has_dropped = true,
                Expr::Const(_) => return,
                _ => {}
            }
            sharing.entry(leaf).or_default().push(index);
        });
        if has_kept || !has_dropped {
            waiting.push(index);
        }
    }
    let mut matters = vec![false; conjuncts.len()];
    while let Some(index) = waiting.pop() {
        if !std::mem::replace(&mut matters[index], true) {
            exprs.for_each_leaf(conjuncts[index], |leaf| waiting.extend(sharing.remove(&leaf).unwrap_or_default()));
        }
    }
    conjuncts.iter().zip(matters).filter(|(_, matters)| *matters).map(|(&conjunct, _)| conjunct).collect()
}
