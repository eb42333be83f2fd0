//! From path edges to a proof: a formula for each node of the program as written.
//!
//! The analysis may have sliced, forgotten dead variables and skipped the nodes inside chains. What it forgot, a formula
//! leaves open; nodes inside a chain get the image of its start; nodes from which no goal can be reached get `true`.

use crate::encode::{Copy, Levels};
use crate::flow::BlockKind;
use crate::summaries::Saturation;
use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Kernel};
use hardbop_icfg::{NodeId, ProcId};
use hardbop_verdict::{Atom, Formula, FormulaId, Formulas, Proof};
use std::collections::HashMap;

/// The proof that a complete analysis amounts to.
pub fn proof(saturation: &mut Saturation<'_>) -> Result<Proof, Exhausted> {
    let mut translation = Translation::default();
    let at = annotation(saturation, &mut translation)?;
    Ok(Proof { formulas: translation.formulas, at })
}

/// A formula for each node, from a complete analysis.
pub fn annotation(
    saturation: &mut Saturation<'_>,
    translation: &mut Translation,
) -> Result<IndexVec<NodeId, FormulaId>, Exhausted> {
    assert!(saturation.is_complete(), "only a fixpoint is inductive");
    let setting = saturation.setting;
    let icfg = &setting.program.icfg;
    let mut sets = saturation.reached.clone();
    fill_chains(saturation, &mut sets)?;
    let always = translation.formulas.intern(Formula::Const(true));
    let mut at = IndexVec::from_elem(always, icfg.nodes.len());
    let (kernel, levels) = (&saturation.encoder.kernel, &saturation.encoder.levels);
    for proc in icfg.procs.ids() {
        let unchanged = unchanged(saturation, proc, &mut translation.formulas);
        for node in icfg.nodes_of(proc).filter(|&node| setting.slice.is_useful[node]) {
            let states = translation.formula(kernel, levels, sets[node]);
            at[node] = match sets[node] {
                Bdd::FALSE => states,
                _ => translation.formulas.intern(Formula::And(states, unchanged)),
            };
        }
    }
    Ok(at)
}

/// Gives the nodes inside chains the states that the chain's start leads to.
pub fn fill_chains(saturation: &mut Saturation<'_>, sets: &mut IndexVec<NodeId, Bdd>) -> Result<(), Exhausted> {
    let (flow, icfg) = (saturation.flow, &saturation.setting.program.icfg);
    for block in &flow.blocks {
        let BlockKind::Steps { steps } = block.kind else { continue };
        let mut from = block.from;
        for &edge in flow.steps_of(steps) {
            let to = icfg.edges[edge].target().expect("a step leads somewhere");
            if to != block.to {
                let code = saturation.encoder.steps(from, &[edge], to)?;
                sets[to] = saturation.encoder.kernel.image(sets[from], code.relation, code.plan)?;
            }
            from = to;
        }
    }
    Ok(())
}

/// That what `proc` cannot modify is as it was at the entry: the part of a path edge that is not in its BDD.
fn unchanged(saturation: &Saturation<'_>, proc: ProcId, formulas: &mut Formulas) -> FormulaId {
    let setting = saturation.setting;
    let mut result = formulas.intern(Formula::Const(true));
    let inputs = &setting.mod_ref.inputs[proc];
    for var in setting.program.scope(proc).filter(|&var| setting.slice.is_relevant[var]) {
        let slot = setting.slots.of(var);
        let is_given = setting.slots.is_global(slot) || inputs.contains(slot);
        if is_given && !setting.mod_ref.modified[proc].contains(slot) {
            let same = formulas.intern(Formula::Unchanged(slot));
            result = formulas.intern(Formula::And(same, result));
        }
    }
    result
}

/// From BDDs to formulas.
#[derive(Default, Debug)]
pub struct Translation {
    /// The formulas so far.
    pub formulas: Formulas,
    known: HashMap<Bdd, FormulaId>,
}

impl Translation {
    /// Forgets which BDD is which formula: after a collection of garbage a BDD may be another.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// The formula of `set`.
    pub fn formula(&mut self, kernel: &Kernel, levels: &Levels, set: Bdd) -> FormulaId {
        if let Some(&id) = self.known.get(&set) {
            return id;
        }
        let formula = match kernel.branch(set) {
            None => Formula::Const(set.is_true()),
            Some((level, low, high)) => {
                let (low, high) = (self.formula(kernel, levels, low), self.formula(kernel, levels, high));
                let atom = match levels.slot(level) {
                    Some((slot, Copy::Entry)) => Atom::Entry(slot),
                    Some((slot, Copy::Now)) => Atom::Now(slot),
                    _ => unreachable!("path edges speak of the entry and of now"),
                };
                Formula::Ite(atom, high, low)
            }
        };
        let id = self.formulas.intern(formula);
        self.known.insert(set, id);
        id
    }
}
