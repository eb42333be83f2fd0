//! The stages from a formula to its automaton, and which of them to take.

use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_bdd::Kernel;

use crate::automaton::Automaton;
use crate::degeneralise::{degeneralise, degeneralise_best};
use crate::effort::{self, attempt};
use crate::formula::{Formula, PropId};
use crate::graph::Graph;
use crate::merge::merge;
use crate::obligation::deterministic;
use crate::rewrite::rewrite;
use crate::simulate::reduce;
use crate::term::{TermId, Terms, normalise};
use crate::translate::{self, Branching};
use crate::trim::{Basis, Fill, clean, trim};

/// The most subformulas a formula may have. Sets of subformulas are quadratic in it, and diagrams as deep.
const MAX_NODES: usize = 4_000;

/// What is done to make an automaton small. Without any of it the automaton accepts the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Rewrite the formula first.
    pub rewrite: bool,
    /// Remove what leads to no accepting cycle, and marks that decide nothing.
    pub trim: bool,
    /// Merge states that simulate each other, forwards and backwards.
    pub simulate: bool,
    /// Try a deterministic weak automaton.
    pub obligations: bool,
    /// Merge states where the automaton of the negation shows that nothing is gained.
    pub merge: bool,
}

impl Reductions {
    /// All of them.
    pub const ALL: Self = Self { rewrite: true, trim: true, simulate: true, obligations: true, merge: true };
    /// None of them.
    pub const NONE: Self = Self { rewrite: false, trim: false, simulate: false, obligations: false, merge: false };
}

/// What the result looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Any number of sets, on edges.
    Generalised,
    /// Accepting states.
    Buchi,
}

/// The generalised Büchi automaton that accepts the words that satisfy the formula.
pub fn translate(formula: &Formula, budget: &Budget) -> Result<Automaton, Exhausted> {
    translate_with(formula, Reductions::ALL, Shape::Generalised, budget)
}

/// The Büchi automaton with accepting states that accepts the words that satisfy the formula.
pub fn translate_buchi(formula: &Formula, budget: &Budget) -> Result<Automaton, Exhausted> {
    translate_with(formula, Reductions::ALL, Shape::Buchi, budget)
}

/// The automaton that accepts the words that satisfy the formula, made with some of the reductions.
pub fn translate_with(
    formula: &Formula,
    reductions: Reductions,
    shape: Shape,
    budget: &Budget,
) -> Result<Automaton, Exhausted> {
    if formula.nodes().len() > MAX_NODES {
        return Err(Exhausted);
    }
    let mut kernel = Kernel::new(formula.props().len(), budget.clone());
    let mut terms = Terms::default();
    let mut root = normalise(&mut terms, formula);
    if reductions.rewrite {
        root = rewrite(&mut terms, root);
    }
    let props: IndexVec<PropId, String> = formula.props().iter().map(|prop| prop.text.clone()).collect();
    let automaton = attempt(&mut kernel, effort::TRANSLATION, |kernel| {
        let graph = Pipeline { kernel, terms: &mut terms, reductions }.run(root, shape)?;
        Automaton::from_graph(kernel, &graph, props)
    });
    budget.spend(budget.left() - kernel.budget().left())?;
    automaton?.ok_or(Exhausted)
}

struct Pipeline<'a> {
    kernel: &'a mut Kernel,
    terms: &'a mut Terms,
    reductions: Reductions,
}

impl Pipeline<'_> {
    fn run(&mut self, root: TermId, shape: Shape) -> Result<Graph, Exhausted> {
        let mut candidates = vec![self.generalised(root, Branching::Now)?];
        if self.reductions.simulate {
            candidates.extend(self.attempt(|pipeline| pipeline.generalised(root, Branching::Later))?);
        }
        let negation = match self.reductions.obligations || self.reductions.merge {
            true => self.attempt(|pipeline| pipeline.negation(root))?,
            false => None,
        };
        smallest_first(&mut candidates);
        if let Some(negation) = &negation
            && self.reductions.obligations
        {
            let weak = self.attempt(|pipeline| deterministic(pipeline.kernel, &candidates[0], negation))?;
            // Of the same size, the deterministic one is taken.
            candidates.splice(0..0, weak.flatten());
        }
        if shape == Shape::Buchi {
            candidates = self.degeneralised(&candidates)?;
        }
        smallest_first(&mut candidates);
        if let Some(negation) = &negation
            && self.reductions.merge
        {
            let basis = if shape == Shape::Buchi { Basis::States } else { Basis::Edges };
            for candidate in &mut candidates {
                let merged = self.attempt(|pipeline| merge(pipeline.kernel, candidate, negation, basis))?;
                *candidate = merged.unwrap_or_else(|| candidate.clone());
            }
        }
        smallest_first(&mut candidates);
        Ok(candidates.swap_remove(0))
    }

    fn generalised(&mut self, root: TermId, branching: Branching) -> Result<Graph, Exhausted> {
        let graph = translate::translate(self.kernel, self.terms, root, branching)?;
        match self.reductions {
            Reductions { simulate: true, .. } => reduce(self.kernel, &graph, Basis::Edges),
            Reductions { trim: true, .. } => clean(self.kernel, &trim(&graph), Basis::Edges, Fill::None),
            _ => Ok(graph),
        }
    }

    /// An automaton of the negation.
    fn negation(&mut self, root: TermId) -> Result<Graph, Exhausted> {
        let negation = self.terms.negate(root);
        self.generalised(negation, Branching::Now)
    }

    /// The candidates with accepting states, as far as that can be done with little effort; at least one.
    fn degeneralised(&mut self, candidates: &[Graph]) -> Result<Vec<Graph>, Exhausted> {
        let mut results = Vec::new();
        if self.reductions.simulate {
            for candidate in candidates {
                results.extend(self.attempt(|pipeline| degeneralise_best(pipeline.kernel, candidate))?);
            }
        }
        if results.is_empty() {
            results.push(degeneralise(self.kernel, &candidates[0])?);
        }
        Ok(results)
    }

    fn attempt<T>(
        &mut self,
        work: impl FnOnce(&mut Pipeline<'_>) -> Result<T, Exhausted>,
    ) -> Result<Option<T>, Exhausted> {
        let Self { kernel, terms, reductions } = self;
        attempt(kernel, effort::STAGE, |kernel| work(&mut Pipeline { kernel, terms, reductions: *reductions }))
    }
}

/// Sorts by size and removes what is there twice. Of the same size, what came first stays first.
fn smallest_first(candidates: &mut Vec<Graph>) {
    candidates.sort_by_key(|candidate| candidate.states.len());
    candidates.dedup();
}
