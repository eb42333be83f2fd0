//! The model-checking problem solved the other way round [ES01, §2.2 (a)]: `pre*` of the repeating heads, looked for
//! among all heads, reachable or not.
//!
//! It is there to be compared with: restricting everything to what can be reached is far better [ES01, §5].

use crate::cycles::Way;
use crate::heads::{Heads, Place};
use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Fate, Level};
use hardbop_icfg::NodeId;
use hardbop_pushdown::Options;
use hardbop_pushdown::encode::Copy;
use hardbop_pushdown::flow::BlockKind;

/// Whether a run leads from a first state to a head that repeats. `heads` is over a saturation of all entry states.
pub fn is_violated(heads: &mut Heads<'_, '_>, options: &Options) -> Result<bool, Exhausted> {
    let mut leads = IndexVec::from_elem(Bdd::FALSE, heads.saturation.setting.program.icfg.nodes.len());
    for rough in heads.rough(options.rough) {
        let Some(mut component) = heads.graph(&rough)? else { continue };
        heads.trim(&mut component, Way::Backwards, None, &leads)?;
        for (place, &states) in component.places.iter().zip(&component.graph.states) {
            let node = match *place {
                Place::Node(node) => node,
                Place::Entry(proc) => heads.saturation.setting.program.icfg.procs[proc].entry,
            };
            leads[node] = heads.saturation.encoder.kernel.or(leads[node], states)?;
        }
    }
    predecessors(heads, &mut leads)?;
    let program = heads.saturation.setting.program;
    let initial = heads.saturation.encoder.initial()?;
    let entry = program.icfg.procs[program.entry].entry;
    Ok(!heads.saturation.encoder.kernel.disjoint(initial, leads[entry])?)
}

/// Adds to `leads` all states from which a run leads to what is in it.
fn predecessors(heads: &mut Heads<'_, '_>, leads: &mut IndexVec<NodeId, Bdd>) -> Result<(), Exhausted> {
    let flow = heads.saturation.flow;
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for id in flow.blocks.ids() {
            let block = flow.blocks[id];
            if heads.saturation.reached[block.from].is_false() {
                continue;
            }
            let mut before = heads.over(id, leads[block.to])?;
            if let BlockKind::Call { callee, .. } = block.kind {
                let entry = heads.saturation.setting.program.icfg.procs[callee].entry;
                let into = into_call(heads, id, leads[entry])?;
                before = heads.saturation.encoder.kernel.or(before, into)?;
            }
            let kernel = &mut heads.saturation.encoder.kernel;
            let all = kernel.or(leads[block.from], before)?;
            is_changed |= all != leads[block.from];
            leads[block.from] = all;
        }
    }
    Ok(())
}

/// The states at a call that lead to `states` at the callee's entry.
fn into_call(heads: &mut Heads<'_, '_>, block: hardbop_pushdown::flow::BlockId, states: Bdd) -> Result<Bdd, Exhausted> {
    let setting = heads.saturation.setting;
    let BlockKind::Call { callee, .. } = heads.saturation.flow.blocks[block].kind else { unreachable!("it is a call") };
    let Some(call) = heads.saturation.calls[block] else { return Ok(Bdd::FALSE) };
    let encoder = &mut heads.saturation.encoder;
    let levels = encoder.levels.clone();
    let entry = setting.liveness.at(setting.program.icfg.procs[callee].entry);
    let locals = entry.iter().filter(|&slot| !setting.slots.is_global(slot));
    let given = |slot| setting.mod_ref.inputs[callee].contains(slot);
    let lift: Vec<(Level, Fate)> = locals
        .map(|slot| match given(slot) {
            true => (levels.of(slot, Copy::Now), Fate::MoveTo(levels.of(slot, Copy::Next))),
            false => (levels.of(slot, Copy::Now), Fate::Forget),
        })
        .collect();
    let inputs = setting.mod_ref.inputs[callee].iter();
    let gone: Vec<(Level, Fate)> = inputs.map(|slot| (levels.of(slot, Copy::Next), Fate::Forget)).collect();
    let (lift, gone) = (encoder.kernel.plan(lift), encoder.kernel.plan(gone));
    let lifted = encoder.kernel.transform(states, lift)?;
    encoder.kernel.image(lifted, call.code.enter.relation, gone)
}
