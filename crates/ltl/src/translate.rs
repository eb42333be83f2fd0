//! From a formula to an automaton with marks on edges, in the manner of [Cou99].
//!
//! A state is a term, and what it accepts is what the term means. One step splits a term into what must hold of the
//! letter, what must hold of the rest of the word, and what is promised:
//!
//! ```text
//! step(p)     = {⟨p, true, ∅⟩}                step(f ∨ g) = step(f) ∪ step(g)
//! step(X f)   = {⟨true, f, ∅⟩}                step(f ∧ g) = step(f) ⊗ step(g)
//! step(f U g) = step(g) ∪ (step(f) ⊗ {⟨true, f U g, {g}⟩})
//! step(f R g) = step(g) ⊗ (step(f) ∪ {⟨true, f R g, ∅⟩})
//! ```
//!
//! where `⊗` takes all pairs. Each promise is an acceptance set: the edges that do not make it. Promises are named by
//! what is promised, so `f U g` and `h U g` share one.
//!
//! **Invariant:** a part of what must hold later is left out only if each step of another part is a step of it. That
//! another implies it is not enough: the promises that it makes would be lost.

use hardbop_base::{Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Kernel};
use rustc_hash::FxHashMap;

use crate::automaton::{MAX_SETS, Marks, StateId};
use crate::graph::{Edge, Graph};
use crate::guard::literal;
use crate::term::{Term, TermId, Terms};

/// The most states a translation may have before reductions.
const MAX_STATES: usize = 4_096;
/// The most ways a term may have to take a step.
const MAX_STEPS: usize = 4_096;
/// The most edges a translation may have before reductions.
const MAX_EDGES: usize = 100_000;
/// The most comparisons of steps with each other.
const MAX_COMPARISONS: usize = 100_000_000;

/// What becomes of several ways to take a step with the same letter and the same promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Branching {
    /// Each is an edge.
    Now,
    /// They are one edge, to the disjunction of what each asks for.
    Later,
}

/// The automaton of `root`, with one initial state.
pub(crate) fn translate(
    kernel: &mut Kernel,
    terms: &mut Terms,
    root: TermId,
    branching: Branching,
) -> Result<Graph, Exhausted> {
    let translation = Translation {
        kernel,
        terms,
        branching,
        steps: FxHashMap::default(),
        promises: FxHashMap::default(),
        numbers: FxHashMap::default(),
        order: IndexVec::new(),
        comparisons: 0,
    };
    translation.run(root)
}

/// One way to take a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Step {
    next: TermId,
    promises: Marks,
    guard: Bdd,
}

struct Translation<'a> {
    kernel: &'a mut Kernel,
    terms: &'a mut Terms,
    branching: Branching,
    steps: FxHashMap<TermId, Vec<Step>>,
    promises: FxHashMap<TermId, u32>,
    numbers: FxHashMap<TermId, StateId>,
    order: IndexVec<StateId, TermId>,
    comparisons: usize,
}

impl Translation<'_> {
    fn run(mut self, root: TermId) -> Result<Graph, Exhausted> {
        let initial = vec![self.number(root)?];
        let mut states: IndexVec<StateId, Vec<Edge>> = IndexVec::new();
        let mut total = 0;
        // Until all promises are known, marks hold what is promised.
        while let Some(&term) = self.order.get(states.next_id()) {
            let mut steps = self.steps(term)?;
            if self.branching == Branching::Later {
                steps = self.postpone(&steps)?;
            }
            let mut edges = Vec::with_capacity(steps.len());
            for step in steps {
                edges.push(Edge { to: self.number(step.next)?, marks: step.promises, guard: step.guard });
            }
            total += edges.len();
            if total > MAX_EDGES {
                return Err(Exhausted);
            }
            states.push(edges);
        }
        let sets = self.promises.len() as u32;
        let graph = Graph { states, initial, sets };
        let all = Marks::all(sets);
        graph.map_edges(self.kernel, |_, edge| Edge { marks: Marks(all.0 & !edge.marks.0), ..edge })
    }

    fn number(&mut self, term: TermId) -> Result<StateId, Exhausted> {
        if let Some(&number) = self.numbers.get(&term) {
            return Ok(number);
        }
        if self.order.len() == MAX_STATES {
            return Err(Exhausted);
        }
        let number = self.order.push(term);
        self.numbers.insert(term, number);
        Ok(number)
    }

    /// One step for each class of letters and promises.
    fn postpone(&mut self, steps: &[Step]) -> Result<Vec<Step>, Exhausted> {
        let mut classes: Vec<(Bdd, Marks, Vec<TermId>)> = Vec::new();
        for step in steps {
            let mut guard = step.guard;
            for place in 0..classes.len() {
                let (letters, promises, _) = classes[place];
                if promises != step.promises {
                    continue;
                }
                let common = self.kernel.and(letters, guard)?;
                if common.is_false() {
                    continue;
                }
                if common != letters {
                    classes[place].0 = self.kernel.diff(letters, common)?;
                    let copy = classes[place].2.clone();
                    classes.push((common, promises, copy));
                }
                let changed = if common == letters { place } else { classes.len() - 1 };
                classes[changed].2.push(step.next);
                guard = self.kernel.diff(guard, common)?;
            }
            if !guard.is_false() {
                classes.push((guard, step.promises, vec![step.next]));
            }
            if classes.len() > MAX_STEPS {
                return Err(Exhausted);
            }
        }
        let postponed = classes.into_iter().map(|(guard, promises, next)| {
            let next = self.terms.or(next);
            Step { next, promises, guard }
        });
        let postponed = postponed.collect();
        self.canonical(postponed)
    }

    /// The ways to take a step. As deep as the term is high.
    fn steps(&mut self, term: TermId) -> Result<Vec<Step>, Exhausted> {
        if let Some(known) = self.steps.get(&term) {
            return Ok(known.clone());
        }
        self.kernel.budget().spend(1)?;
        let steps = match self.terms.row(term).clone() {
            Term::True => vec![self.free(term)],
            Term::False => Vec::new(),
            Term::Literal(prop, value) => {
                let (next, guard) = (self.terms.constant(true), literal(self.kernel, prop, value)?);
                vec![Step { next, promises: Marks::NONE, guard }]
            }
            Term::And(parts) => {
                let next = self.terms.constant(true);
                let mut steps = vec![self.free(next)];
                for &part in &parts {
                    let other = self.steps(part)?;
                    steps = self.product(&steps, &other)?;
                }
                steps
            }
            Term::Or(parts) => {
                let mut steps = Vec::new();
                for &part in &parts {
                    steps.extend(self.steps(part)?);
                }
                steps
            }
            Term::Next(inner) => vec![self.free(inner)],
            Term::Eventually(inner) => {
                let mut steps = self.steps(inner)?;
                steps.push(self.promise(term, inner)?);
                steps
            }
            Term::Always(inner) => {
                let now = self.steps(inner)?;
                self.product(&now, &[self.free(term)])?
            }
            Term::Until(left, right) => {
                let later = self.promise(term, right)?;
                self.until(left, right, later)?
            }
            Term::WeakUntil(left, right) => self.until(left, right, self.free(term))?,
            Term::Release(left, right) => self.release(left, right, self.free(term))?,
            Term::StrongRelease(left, right) => {
                let later = self.promise(term, left)?;
                self.release(left, right, later)?
            }
        };
        let steps = self.canonical(steps)?;
        self.steps.insert(term, steps.clone());
        Ok(steps)
    }

    fn until(&mut self, left: TermId, right: TermId, later: Step) -> Result<Vec<Step>, Exhausted> {
        let (left, mut steps) = (self.steps(left)?, self.steps(right)?);
        steps.extend(self.product(&left, &[later])?);
        Ok(steps)
    }

    fn release(&mut self, left: TermId, right: TermId, later: Step) -> Result<Vec<Step>, Exhausted> {
        let (mut end, right) = (self.steps(left)?, self.steps(right)?);
        end.push(later);
        self.product(&end, &right)
    }

    fn free(&self, next: TermId) -> Step {
        Step { next, promises: Marks::NONE, guard: Bdd::TRUE }
    }

    /// The step that puts `term` off and promises `promised`.
    fn promise(&mut self, term: TermId, promised: TermId) -> Result<Step, Exhausted> {
        let fresh = self.promises.len() as u32;
        let set = *self.promises.entry(promised).or_insert(fresh);
        if set >= MAX_SETS {
            return Err(Exhausted);
        }
        Ok(Step { promises: Marks::only(set), ..self.free(term) })
    }

    fn product(&mut self, left: &[Step], right: &[Step]) -> Result<Vec<Step>, Exhausted> {
        let mut steps = Vec::new();
        for a in left {
            for b in right {
                let guard = self.kernel.and(a.guard, b.guard)?;
                if !guard.is_false() {
                    let next = self.both(a.next, b.next);
                    steps.push(Step { next, promises: a.promises.union(b.promises), guard });
                }
            }
            if steps.len() > MAX_STEPS {
                steps = self.canonical(steps)?;
            }
        }
        self.canonical(steps)
    }

    /// The conjunction without the parts that others take along: a step of `G f` is one of `f`, one of `f R g` and of
    /// `f M g` is one of `g`.
    fn both(&mut self, left: TermId, right: TermId) -> TermId {
        let all = self.terms.and([left, right]);
        let Term::And(parts) = self.terms.row(all) else { return all };
        let mut taken: Vec<TermId> = Vec::new();
        for &part in parts {
            if let Term::Always(inner) | Term::Release(_, inner) | Term::StrongRelease(_, inner) = self.terms.row(part)
            {
                taken.extend(self.terms.conjuncts(*inner));
            }
        }
        if taken.is_empty() {
            return all;
        }
        let kept: Vec<TermId> = parts.iter().copied().filter(|part| !taken.contains(part)).collect();
        self.terms.and(kept)
    }

    /// Sorted, one step for each next term and promises, and none on letters where another asks for less.
    fn canonical(&mut self, mut steps: Vec<Step>) -> Result<Vec<Step>, Exhausted> {
        steps.sort_unstable();
        let mut merged: Vec<Step> = Vec::with_capacity(steps.len());
        for step in steps {
            match merged.last_mut() {
                Some(last) if (last.next, last.promises) == (step.next, step.promises) => {
                    last.guard = self.kernel.or(last.guard, step.guard)?;
                }
                _ => merged.push(step),
            }
        }
        merged.retain(|step| !self.terms.is_false(step.next));
        if merged.len() > MAX_STEPS {
            return Err(Exhausted);
        }
        self.comparisons += merged.len() * merged.len();
        if self.comparisons > MAX_COMPARISONS {
            return Err(Exhausted);
        }
        let parts: Vec<Vec<TermId>> = merged.iter().map(|step| self.terms.conjuncts(step.next)).collect();
        for place in 0..merged.len() {
            for other in 0..merged.len() {
                let asks_less = place != other
                    && merged[place].promises.contains(merged[other].promises)
                    && parts[other].iter().all(|part| parts[place].binary_search(part).is_ok());
                if asks_less {
                    merged[place].guard = self.kernel.diff(merged[place].guard, merged[other].guard)?;
                }
            }
        }
        merged.retain(|step| !step.guard.is_false());
        Ok(merged)
    }
}
