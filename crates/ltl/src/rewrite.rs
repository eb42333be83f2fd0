//! Terms rewritten into equivalent ones that have smaller automata [SB00], [EH00], [DL14].
//!
//! Three kinds of rules: identities of the operators; those of *eventual* terms (true of a word if true of a suffix) and
//! *universal* ones (true of the suffixes of a word if true of the word); those that ask whether one operand implies
//! another. Each is written once, for `X F U W ∧`; its dual, for `X G R M ∨`, is had through negation.

mod implies;

use rustc_hash::FxHashMap;

use crate::formula::Formula;
use crate::term::{Term, TermId, Terms, denormalise, normalise};

/// How many times an operator may be put on; beyond that it is put on as it is. Only hostile formulas get there.
const MAX_REWRITES: u32 = 20_000;

/// A conjunction with more parts than this is left as it is.
const MAX_PARTS: usize = 256;

impl Formula {
    /// An equivalent formula in negation normal form that is easier to translate.
    pub fn simplified(&self) -> Self {
        let mut terms = Terms::default();
        let root = normalise(&mut terms, self);
        let root = rewrite(&mut terms, root);
        denormalise(&terms, root, self)
    }
}

/// An equivalent term that is easier to translate.
pub(crate) fn rewrite(terms: &mut Terms, root: TermId) -> TermId {
    let mut rewriter = Rewriter {
        terms,
        done: FxHashMap::default(),
        facts: FxHashMap::default(),
        implications: FxHashMap::default(),
        rewrites: 0,
    };
    // What a rule leaves may be what another asks for.
    let mut root = root;
    for _ in 0..4 {
        let simpler = rewriter.rewrite(root);
        if simpler == root {
            break;
        }
        root = simpler;
        rewriter.done.clear();
    }
    root
}

/// What the truth of a term on a word says about other words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    /// If it is true of a suffix, it is true of the word.
    is_eventual: bool,
    /// If it is true of the word, it is true of every suffix.
    is_universal: bool,
}

struct Rewriter<'t> {
    terms: &'t mut Terms,
    done: FxHashMap<TermId, TermId>,
    facts: FxHashMap<TermId, Facts>,
    implications: FxHashMap<(TermId, TermId), bool>,
    rewrites: u32,
}

impl Rewriter<'_> {
    /// Rewrites from the leaves up. As deep as the term is high.
    fn rewrite(&mut self, id: TermId) -> TermId {
        if let Some(&known) = self.done.get(&id) {
            return known;
        }
        let result = match self.terms.row(id).clone() {
            Term::True | Term::False | Term::Literal(..) => id,
            Term::And(parts) => {
                let parts = parts.iter().map(|&part| self.rewrite(part)).collect();
                self.and(parts)
            }
            Term::Or(parts) => {
                let parts = parts.iter().map(|&part| self.rewrite(part)).collect();
                self.or(parts)
            }
            Term::Next(inner) => self.unary(inner, Self::next),
            Term::Eventually(inner) => self.unary(inner, Self::eventually),
            Term::Always(inner) => self.unary(inner, Self::always),
            Term::Until(left, right) => self.binary(left, right, Self::until),
            Term::WeakUntil(left, right) => self.binary(left, right, Self::weak_until),
            Term::Release(left, right) => self.binary(left, right, Self::release),
            Term::StrongRelease(left, right) => self.binary(left, right, Self::strong_release),
        };
        self.done.insert(id, result);
        result
    }

    fn unary(&mut self, inner: TermId, operator: fn(&mut Self, TermId) -> TermId) -> TermId {
        let inner = self.rewrite(inner);
        operator(self, inner)
    }

    fn binary(&mut self, left: TermId, right: TermId, operator: fn(&mut Self, TermId, TermId) -> TermId) -> TermId {
        let (left, right) = (self.rewrite(left), self.rewrite(right));
        operator(self, left, right)
    }

    fn is_tired(&mut self) -> bool {
        self.rewrites += 1;
        self.rewrites > MAX_REWRITES
    }

    fn next(&mut self, inner: TermId) -> TermId {
        if self.is_suspendable(inner) {
            return inner;
        }
        match self.terms.row(inner).clone() {
            Term::And(parts) => {
                let (out, rest) = self.split(&parts, Self::is_suspendable);
                let rest = self.terms.and(rest);
                let rest = self.terms.make(Term::Next(rest));
                self.terms.and(out.into_iter().chain([rest]))
            }
            Term::Or(parts) => {
                let (out, rest) = self.split(&parts, Self::is_suspendable);
                let rest = self.terms.or(rest);
                let rest = self.terms.make(Term::Next(rest));
                self.terms.or(out.into_iter().chain([rest]))
            }
            _ => self.terms.make(Term::Next(inner)),
        }
    }

    fn eventually(&mut self, inner: TermId) -> TermId {
        if self.is_tired() {
            return self.terms.make(Term::Eventually(inner));
        }
        if self.facts(inner).is_eventual {
            return inner;
        }
        match self.terms.row(inner).clone() {
            Term::Next(later) => {
                let later = self.eventually(later);
                self.next(later)
            }
            Term::Until(_, goal) => self.eventually(goal),
            Term::StrongRelease(left, right) => {
                let both = self.and(vec![left, right]);
                self.eventually(both)
            }
            // F(f ∨ e) = F f ∨ e, and F u is true everywhere or nowhere, so it is better alone.
            Term::Or(parts) => {
                let (mut out, rest) = self.split(&parts, |rewriter, part| rewriter.facts(part).is_eventual);
                let (universal, rest) = self.split(&rest, |rewriter, part| rewriter.facts(part).is_universal);
                if out.is_empty() && universal.is_empty() {
                    return self.terms.make(Term::Eventually(inner));
                }
                for part in universal {
                    out.push(self.eventually(part));
                }
                let rest = self.or(rest);
                out.push(self.eventually(rest));
                self.or(out)
            }
            // F(f ∧ q) = F f ∧ q where q is the same at all places.
            Term::And(parts) => {
                let (out, rest) = self.split(&parts, Self::is_suspendable);
                if out.is_empty() {
                    return self.terms.make(Term::Eventually(inner));
                }
                let rest = self.and(rest);
                let rest = self.eventually(rest);
                self.and([out, vec![rest]].concat())
            }
            Term::Always(for_ever) => self.eventually_always(inner, for_ever),
            _ => self.terms.make(Term::Eventually(inner)),
        }
    }

    /// `F G f`, where `always` is `G f`.
    fn eventually_always(&mut self, always: TermId, inner: TermId) -> TermId {
        match self.terms.row(inner).clone() {
            Term::And(parts) => {
                // FG(f ∧ e) = FG f ∧ G e, and FG X f = FG f.
                let (eventual, rest) = self.split(&parts, |rewriter, part| rewriter.facts(part).is_eventual);
                let stripped: Vec<TermId> = rest.iter().map(|&part| self.without_next(part)).collect();
                if eventual.is_empty() && stripped == rest {
                    return self.terms.make(Term::Eventually(always));
                }
                let rest = self.and(stripped);
                let rest = self.always(rest);
                let mut result = vec![self.eventually(rest)];
                for part in eventual {
                    result.push(self.always(part));
                }
                self.and(result)
            }
            Term::Or(parts) => {
                // FG(f ∨ u) = FG f ∨ F u.
                let (universal, rest) = self.split(&parts, |rewriter, part| rewriter.facts(part).is_universal);
                if universal.is_empty() {
                    return self.terms.make(Term::Eventually(always));
                }
                let rest = self.or(rest);
                let rest = self.always(rest);
                let mut result = vec![self.eventually(rest)];
                for part in universal {
                    result.push(self.eventually(part));
                }
                self.or(result)
            }
            // FG(f U g) = FG(f ∨ g) ∧ GF g.
            Term::Until(left, right) => {
                let either = self.or(vec![left, right]);
                let either = self.always(either);
                let goal = self.eventually(right);
                let both = vec![self.eventually(either), self.always(goal)];
                self.and(both)
            }
            _ => self.terms.make(Term::Eventually(always)),
        }
    }

    fn without_next(&self, id: TermId) -> TermId {
        match self.terms.row(id) {
            Term::Next(inner) => *inner,
            _ => id,
        }
    }

    fn always(&mut self, inner: TermId) -> TermId {
        let inner = self.terms.negate(inner);
        let dual = self.eventually(inner);
        self.terms.negate(dual)
    }

    fn release(&mut self, left: TermId, right: TermId) -> TermId {
        let (left, right) = (self.terms.negate(left), self.terms.negate(right));
        let dual = self.until(left, right);
        self.terms.negate(dual)
    }

    fn strong_release(&mut self, left: TermId, right: TermId) -> TermId {
        let (left, right) = (self.terms.negate(left), self.terms.negate(right));
        let dual = self.weak_until(left, right);
        self.terms.negate(dual)
    }

    fn or(&mut self, parts: Vec<TermId>) -> TermId {
        let parts = parts.iter().map(|&part| self.terms.negate(part)).collect();
        let dual = self.and(parts);
        self.terms.negate(dual)
    }

    fn until(&mut self, left: TermId, right: TermId) -> TermId {
        if self.is_tired() {
            return self.terms.make(Term::Until(left, right));
        }
        if self.facts(right).is_eventual || self.implies(left, right) {
            return right;
        }
        let not_right = self.terms.negate(right);
        if self.implies(not_right, left) {
            return self.eventually(right);
        }
        let simpler = self.before(left, not_right);
        if simpler != left {
            return self.until(simpler, right);
        }
        if let Some(result) = self.until_left(left, right) {
            return result;
        }
        if let Some(result) = self.until_right(left, right) {
            return result;
        }
        self.terms.make(Term::Until(left, right))
    }

    /// `left` where `assumed` holds anyway: at every place before the end of an until, the end has not come.
    fn before(&mut self, left: TermId, assumed: TermId) -> TermId {
        match self.terms.row(left).clone() {
            Term::And(parts) => {
                let kept: Vec<TermId> = parts.iter().copied().filter(|&part| !self.implies(assumed, part)).collect();
                self.terms.and(kept)
            }
            Term::Or(parts) => {
                let end = self.terms.negate(assumed);
                let kept: Vec<TermId> = parts.iter().copied().filter(|&part| !self.implies(part, end)).collect();
                self.terms.or(kept)
            }
            _ => left,
        }
    }

    /// Rules of `left U right` for the form of `left`.
    fn until_left(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        match (self.terms.row(left).clone(), self.terms.row(right).clone()) {
            (Term::True, _) => Some(self.eventually(right)),
            (Term::Next(left), Term::Next(right)) => {
                let inner = self.until(left, right);
                Some(self.next(inner))
            }
            // (f U g) U h = g U h if f implies h.
            (Term::Until(first, second), _) if self.implies(first, right) => Some(self.until(second, right)),
            _ => None,
        }
    }

    /// Rules of `left U right` for the form of `right`.
    fn until_right(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        match self.terms.row(right).clone() {
            Term::Until(first, _) | Term::WeakUntil(first, _) | Term::Always(first) if self.implies(left, first) => {
                Some(right)
            }
            Term::Release(_, second) | Term::StrongRelease(_, second) if self.implies(left, second) => Some(right),
            Term::Until(first, second) if self.implies(first, left) => Some(self.until(left, second)),
            // f U (g ∨ e) = (f U g) ∨ e.
            Term::Or(parts) => {
                let (eventual, rest) = self.split(&parts, |rewriter, part| rewriter.facts(part).is_eventual);
                if eventual.is_empty() {
                    return self.until_or(left, &parts);
                }
                let rest = self.or(rest);
                let rest = self.until(left, rest);
                Some(self.or([eventual, vec![rest]].concat()))
            }
            Term::And(parts) => {
                let (out, rest) = self.split(&parts, Self::is_suspendable);
                if !out.is_empty() {
                    let rest = self.and(rest);
                    let rest = self.until(left, rest);
                    return Some(self.and([out, vec![rest]].concat()));
                }
                // f U (f ∧ g) = g M f.
                let rest = self.without(&parts, left)?;
                let rest = self.and(rest);
                Some(self.strong_release(rest, left))
            }
            _ => None,
        }
    }

    /// `f U (g ∨ (h U k)) = f U (g ∨ k)` if `h` implies `f`.
    fn until_or(&mut self, left: TermId, parts: &[TermId]) -> Option<TermId> {
        let mut shorter = Vec::with_capacity(parts.len());
        for &part in parts {
            shorter.push(match self.terms.row(part).clone() {
                Term::Until(first, second) if self.implies(first, left) => second,
                _ => part,
            });
        }
        if shorter == parts {
            return None;
        }
        let right = self.or(shorter);
        Some(self.until(left, right))
    }

    fn weak_until(&mut self, left: TermId, right: TermId) -> TermId {
        if self.is_tired() {
            return self.terms.make(Term::WeakUntil(left, right));
        }
        if self.implies(left, right) {
            return right;
        }
        let not_right = self.terms.negate(right);
        if self.implies(not_right, left) {
            return self.terms.constant(true);
        }
        if self.terms.is_false(right) {
            return self.always(left);
        }
        // u W f = u ∨ f.
        if self.facts(left).is_universal {
            return self.or(vec![left, right]);
        }
        let simpler = self.before(left, not_right);
        if simpler != left {
            return self.weak_until(simpler, right);
        }
        if let Some(result) = self.weak_until_right(left, right) {
            return result;
        }
        self.terms.make(Term::WeakUntil(left, right))
    }

    fn weak_until_right(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        match (self.terms.row(left).clone(), self.terms.row(right).clone()) {
            (Term::Next(left), Term::Next(right)) => {
                let inner = self.weak_until(left, right);
                Some(self.next(inner))
            }
            (_, Term::WeakUntil(first, _) | Term::Always(first)) if self.implies(left, first) => Some(right),
            (_, Term::Until(first, second) | Term::WeakUntil(first, second)) if self.implies(first, left) => {
                Some(self.weak_until(left, second))
            }
            (_, Term::Always(first)) if self.implies(first, left) => Some(self.always(left)),
            // f W (g ∨ e) = (f W g) ∨ e.
            (_, Term::Or(parts)) => {
                let (eventual, rest) = self.split(&parts, |rewriter, part| rewriter.facts(part).is_eventual);
                if eventual.is_empty() {
                    return None;
                }
                let rest = self.or(rest);
                let rest = self.weak_until(left, rest);
                Some(self.or([eventual, vec![rest]].concat()))
            }
            // f W (f ∧ g) = g R f.
            (_, Term::And(parts)) => {
                let rest = self.without(&parts, left)?;
                let rest = self.and(rest);
                Some(self.release(rest, left))
            }
            _ => None,
        }
    }

    /// The parts without those of `taken`, if all of them are there.
    fn without(&self, parts: &[TermId], taken: TermId) -> Option<Vec<TermId>> {
        let taken = self.terms.conjuncts(taken);
        let is_there = taken.iter().all(|part| parts.contains(part));
        is_there.then(|| parts.iter().copied().filter(|part| !taken.contains(part)).collect())
    }

    fn and(&mut self, parts: Vec<TermId>) -> TermId {
        let all = self.terms.and(parts);
        if self.is_tired() {
            return all;
        }
        let mut parts = self.terms.conjuncts(all);
        if parts.len() < 2 || parts.len() > MAX_PARTS {
            return all;
        }
        for place in 0..parts.len() {
            let negation = self.terms.negate(parts[place]);
            if (0..place).any(|other| self.implies(parts[other], negation)) {
                return self.terms.constant(false);
            }
        }
        self.absorb(&mut parts);
        if self.unit(&mut parts) {
            return self.and(parts);
        }
        for place in 0..parts.len() {
            for other in 0..place {
                if let Some(both) = self.conjoin(parts[other], parts[place]) {
                    parts.remove(place);
                    parts[other] = both;
                    return self.and(parts);
                }
            }
        }
        self.terms.and(parts)
    }

    /// Removes parts that another part implies.
    fn absorb(&mut self, parts: &mut Vec<TermId>) {
        let mut place = 0;
        while place < parts.len() {
            let part = parts[place];
            let implied = (0..parts.len()).any(|other| other != place && self.implies(parts[other], part));
            if implied {
                parts.remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// Removes from disjunctions what another part excludes; whether there was such a thing.
    fn unit(&mut self, parts: &mut [TermId]) -> bool {
        let mut has_changed = false;
        for place in 0..parts.len() {
            let Term::Or(options) = self.terms.row(parts[place]).clone() else { continue };
            let mut kept = Vec::with_capacity(options.len());
            for &option in &options {
                let negation = self.terms.negate(option);
                let is_excluded = (0..parts.len()).any(|other| other != place && self.implies(parts[other], negation));
                if !is_excluded {
                    kept.push(option);
                }
            }
            if kept.len() < options.len() {
                parts[place] = self.or(kept);
                has_changed = true;
            }
        }
        has_changed
    }

    /// `left ∧ right` as one term, where there is a rule.
    fn conjoin(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        let rows = (self.terms.row(left).clone(), self.terms.row(right).clone());
        match rows {
            (Term::Next(a), Term::Next(b)) => {
                let both = self.and(vec![a, b]);
                Some(self.next(both))
            }
            (Term::Always(a), Term::Always(b)) if !self.is_suspendable(left) && !self.is_suspendable(right) => {
                let both = self.and(vec![a, b]);
                Some(self.always(both))
            }
            (Term::Eventually(a), Term::Eventually(b)) => {
                let (&Term::Always(a), &Term::Always(b)) = (self.terms.row(a), self.terms.row(b)) else { return None };
                let both = self.and(vec![a, b]);
                let both = self.always(both);
                Some(self.eventually(both))
            }
            // (f U h) ∧ (g U h) = (f ∧ g) U h, and one of them may be weak.
            (Term::Until(a, end), Term::Until(b, other) | Term::WeakUntil(b, other))
            | (Term::WeakUntil(a, end), Term::Until(b, other))
                if end == other =>
            {
                let both = self.and(vec![a, b]);
                Some(self.until(both, end))
            }
            (Term::WeakUntil(a, end), Term::WeakUntil(b, other)) if end == other => {
                let both = self.and(vec![a, b]);
                Some(self.weak_until(both, end))
            }
            // (h R f) ∧ (h R g) = h R (f ∧ g), and one of them may be strong.
            (Term::Release(end, a), Term::Release(other, b)) if end == other => {
                let both = self.and(vec![a, b]);
                Some(self.release(end, both))
            }
            (Term::StrongRelease(end, a), Term::Release(other, b) | Term::StrongRelease(other, b))
            | (Term::Release(end, a), Term::StrongRelease(other, b))
                if end == other =>
            {
                let both = self.and(vec![a, b]);
                Some(self.strong_release(end, both))
            }
            (Term::WeakUntil(a, end), Term::Eventually(goal)) | (Term::Eventually(goal), Term::WeakUntil(a, end))
                if end == goal =>
            {
                Some(self.until(a, end))
            }
            (Term::Release(end, a), Term::Eventually(goal)) | (Term::Eventually(goal), Term::Release(end, a))
                if end == goal =>
            {
                Some(self.strong_release(end, a))
            }
            _ => None,
        }
    }

    /// The parts that are such, and the others.
    fn split(
        &mut self,
        parts: &[TermId],
        mut is_such: impl FnMut(&mut Self, TermId) -> bool,
    ) -> (Vec<TermId>, Vec<TermId>) {
        parts.iter().copied().partition(|&part| is_such(self, part))
    }

    /// Whether the term is true everywhere or nowhere on a word.
    fn is_suspendable(&mut self, id: TermId) -> bool {
        let facts = self.facts(id);
        facts.is_eventual && facts.is_universal
    }

    fn facts(&mut self, id: TermId) -> Facts {
        if let Some(&known) = self.facts.get(&id) {
            return known;
        }
        let [eventual, universal] = match self.terms.row(id).clone() {
            Term::True | Term::False => [true, true],
            Term::Literal(..) => [false, false],
            Term::And(parts) | Term::Or(parts) => {
                let facts: Vec<Facts> = parts.iter().map(|&part| self.facts(part)).collect();
                [facts.iter().all(|fact| fact.is_eventual), facts.iter().all(|fact| fact.is_universal)]
            }
            Term::Next(inner) => [self.facts(inner).is_eventual, self.facts(inner).is_universal],
            Term::Eventually(inner) => [true, self.facts(inner).is_universal],
            Term::Always(inner) => [self.facts(inner).is_eventual, true],
            Term::Until(_, right) | Term::Release(_, right) => {
                [self.facts(right).is_eventual, self.facts(right).is_universal]
            }
            Term::WeakUntil(left, right) => {
                let (left, right) = (self.facts(left), self.facts(right));
                [left.is_eventual && right.is_eventual, right.is_universal]
            }
            Term::StrongRelease(left, right) => {
                let (left, right) = (self.facts(left), self.facts(right));
                [right.is_eventual, left.is_universal && right.is_universal]
            }
        };
        let facts = Facts { is_eventual: eventual, is_universal: universal };
        self.facts.insert(id, facts);
        facts
    }
}
