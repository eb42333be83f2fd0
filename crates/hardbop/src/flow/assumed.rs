//! Which assumptions an answer needs.
//!
//! What is taken of values from outside is known for each site from where its values come from, and most sites would be
//! safe without it. So those that are safe are asked about once more with nothing taken for granted: what is safe then
//! is safe, and only the others list what they rest on.

use super::decide_some;
use hardbop_base::Budget;
use hardbop_c_facts::{Encoding, Site};
use hardbop_dataflow::{Decision, Engine, Manner, Precision, dial};
use hardbop_pushdown::{Evidence, Options};
use std::collections::BTreeMap;

/// The sites that are decided for good and list something that is taken for granted.
pub fn doubtful(sites: &[Site], decisions: &[Decision]) -> Vec<usize> {
    let is_doubtful = |&number: &usize| !sites[number].assumes.is_empty() && !may_fail(&decisions[number]);
    (0..sites.len()).filter(is_doubtful).collect()
}

/// How the question is put once more, where `decisions` are the answers to `manner`: where the exact sets of the whole
/// were too much, they are not tried again.
pub fn again(manner: Manner, decisions: &[Decision]) -> Manner {
    let is_by_part =
        |decision: &Decision| matches!(decision.precision, Precision::Procedure | Precision::Projections(_));
    match manner.precision {
        Precision::Auto if decisions.iter().any(is_by_part) => Manner { precision: Precision::Procedure, ..manner },
        _ => manner,
    }
}

/// Takes the assumptions from those sites of `encoding` among `doubtful` that need none, as `strict` says, which is the
/// same program with nothing taken for granted. What a limit leaves open keeps them.
pub fn drop_needless(
    encoding: &mut Encoding,
    doubtful: &[usize],
    strict: &mut Encoding,
    (manner, engine): (Manner, &Engine<'_>),
    budget: &Budget,
) {
    let key = |site: &Site| (site.node, site.expression.clone(), site.message.clone());
    // Two requirements may say the same of the same place: which is which is not guessed.
    let mut places: BTreeMap<_, Option<usize>> = BTreeMap::new();
    for (place, site) in strict.sites.iter().enumerate() {
        places.entry(key(site)).and_modify(|known| *known = None).or_insert(Some(place));
    }
    let known = doubtful.iter().filter_map(|&site| Some((site, (*places.get(&key(&encoding.sites[site]))?)?)));
    let (asked, twins): (Vec<usize>, Vec<usize>) = known.unzip();
    let engine = Engine { options: Options { evidence: Evidence::None, ..engine.options }, ..*engine };
    let decisions = decide_some(strict, &twins, manner, &engine, budget);
    for (site, _) in asked.into_iter().zip(decisions).filter(|(_, decision)| !may_fail(decision)) {
        encoding.sites[site].assumes.clear();
    }
}

const fn may_fail(decision: &Decision) -> bool {
    matches!(decision.status, dial::Status::MayFail(_))
}
