//! Where runs get stuck: an assumption is false, no rule applies, a number has no value, an assertion fails.
//!
//! A run that is stuck is no infinite run, so no property speaks of it; whoever reads `holds` should know that there are
//! such runs. Only those count that the automaton can follow up to there: others could not have been violations.

use crate::product::Product;
use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Fate, Level};
use hardbop_icfg::{EdgeId, EdgeKind, NodeId};
use hardbop_pushdown::annotate::fill_chains;
use hardbop_pushdown::encode::Copy;
use hardbop_pushdown::summaries::Saturation;

/// The nodes of the program that was asked about at which a run can get stuck.
pub fn stuck(saturation: &mut Saturation<'_>, product: &Product) -> Result<Vec<NodeId>, Exhausted> {
    let mut sets: IndexVec<NodeId, Bdd> = saturation.reached.clone();
    fill_chains(saturation, &mut sets)?;
    let mut result = Vec::new();
    for (node, origin) in product.node_origin.iter_enumerated() {
        let (Some(origin), Some(can_move)) = (*origin, product.can_move[node]) else { continue };
        if sets[node].is_false() {
            continue;
        }
        let can_move = saturation.encoder.condition(can_move)?;
        let mut left = saturation.encoder.kernel.and(sets[node], can_move)?;
        for &edge in saturation.setting.program.icfg.successors(node) {
            let domain = domain(saturation, edge)?;
            left = saturation.encoder.kernel.diff(left, domain)?;
        }
        if !left.is_false() {
            result.push(origin);
        }
    }
    Ok(result)
}

/// The states in which `edge` can be followed; of the first half of a call, the call too.
fn domain(saturation: &mut Saturation<'_>, edge: EdgeId) -> Result<Bdd, Exhausted> {
    let icfg = &saturation.setting.program.icfg;
    let found = icfg.edges[edge];
    match found.kind {
        EdgeKind::Return => Ok(Bdd::TRUE),
        EdgeKind::Call { .. } => {
            let relation = saturation.encoder.call(edge)?.enter.relation;
            before(saturation, relation)
        }
        EdgeKind::Step { to } => {
            let relation = saturation.encoder.steps(found.from, &[edge], to)?.relation;
            let domain = before(saturation, relation)?;
            let is_call = |&edge: &EdgeId| matches!(icfg.edges[edge].kind, EdgeKind::Call { .. });
            let second = match saturation.setting.program.marks.silent.contains(&to) {
                true => icfg.successors(to).iter().copied().find(is_call),
                false => None,
            };
            match second {
                Some(call) => {
                    let call = self::domain(saturation, call)?;
                    saturation.encoder.kernel.and(domain, call)
                }
                None => Ok(domain),
            }
        }
    }
}

/// What a relation says of the state before it.
fn before(saturation: &mut Saturation<'_>, relation: Bdd) -> Result<Bdd, Exhausted> {
    let encoder = &mut saturation.encoder;
    let next: Vec<(Level, Fate)> = encoder
        .kernel
        .support(relation)
        .into_iter()
        .filter(|&level| matches!(encoder.levels.slot(level), Some((_, Copy::Next))))
        .map(|level| (level, Fate::Forget))
        .collect();
    let plan = encoder.kernel.plan(next);
    encoder.kernel.transform(relation, plan)
}
