//! The proof that a property holds: what can be reached, and ranks that a run without end would exhaust.
//!
//! A state's rank is the round in which the search for fair cycles removed it; see [`cycles`](crate::cycles).

use crate::cycles::Layer;
use crate::heads::{Heads, Place, Rough};
use crate::product::Product;
use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::Bdd;
use hardbop_icfg::NodeId;
use hardbop_pushdown::annotate::{Translation, annotation};
use hardbop_verdict::{Acceptance, FormulaId, Proof, Rank, Ranking};

/// A proof that no infinite run is accepted, about the product.
#[derive(Clone, Debug)]
pub struct EndlessProof {
    /// The product.
    pub product: Product,
    /// What can be reached in it.
    pub proof: Proof,
    /// The ranks.
    pub ranking: Ranking,
}

impl EndlessProof {
    /// What makes a run of the product accepted.
    pub fn acceptance(&self) -> Acceptance<'_> {
        match &self.product.seen {
            Some(seen) => Acceptance::Memory(seen),
            None => Acceptance::Weak(self.product.accepting),
        }
    }
}

/// Collects ranks, component by component.
pub struct Ranks {
    translation: Translation,
    at: IndexVec<NodeId, FormulaId>,
    ranking: Ranking,
    components: u32,
}

impl Ranks {
    /// None yet, over what `heads` has found to be reachable.
    pub fn new(heads: &mut Heads<'_, '_>) -> Result<Self, Exhausted> {
        let mut translation = Translation::default();
        let at = annotation(heads.saturation, &mut translation)?;
        let icfg = &heads.saturation.setting.program.icfg;
        let ranking = Ranking {
            nodes: IndexVec::from_elem(Rank::default(), icfg.nodes.len()),
            entries: IndexVec::from_elem(Rank::default(), icfg.procs.len()),
        };
        Ok(Self { translation, at, ranking, components: 0 })
    }

    /// Adds a component that was removed in `layers`.
    pub fn add(&mut self, heads: &mut Heads<'_, '_>, rough: &Rough, layers: &[Layer]) -> Result<(), Exhausted> {
        self.translation.forget();
        let component = self.components;
        self.components += 1;
        for (index, place) in rough.places().into_iter().enumerate() {
            let bits = self.bits(heads, layers, index)?;
            let rank = Rank { component, bits };
            match place {
                Place::Node(node) => self.ranking.nodes[node] = rank,
                Place::Entry(proc) => self.ranking.entries[proc] = rank,
            }
        }
        Ok(())
    }

    /// The bits of the number of the layer that a state at place `index` is in.
    fn bits(&mut self, heads: &mut Heads<'_, '_>, layers: &[Layer], index: usize) -> Result<Vec<FormulaId>, Exhausted> {
        let encoder = &mut heads.saturation.encoder;
        let width = usize::BITS - layers.len().saturating_sub(1).leading_zeros();
        let mut bits = Vec::with_capacity(width as usize);
        for bit in 0..width {
            let mut set = Bdd::FALSE;
            for (_, layer) in layers.iter().enumerate().filter(|(number, _)| number >> bit & 1 == 1) {
                set = encoder.kernel.or(set, layer[index])?;
            }
            bits.push(self.translation.formula(&encoder.kernel, &encoder.levels, set));
        }
        Ok(bits)
    }

    /// The proof, when every component has been added.
    pub fn finish(self, product: Product) -> EndlessProof {
        let proof = Proof { formulas: self.translation.formulas, at: self.at };
        EndlessProof { product, proof, ranking: self.ranking }
    }
}
