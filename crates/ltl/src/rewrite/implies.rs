//! Whether one term implies another, as far as their forms tell [SB00].
//!
//! An answer of no means nothing. Every rule asks about parts, so the recursion ends.

use super::Rewriter;
use crate::term::{Term, TermId};

impl Rewriter<'_> {
    /// Whether every word that satisfies `left` is seen to satisfy `right`.
    pub(super) fn implies(&mut self, left: TermId, right: TermId) -> bool {
        if left == right || self.terms.is_false(left) || self.terms.is_true(right) {
            return true;
        }
        if let Some(&known) = self.implications.get(&(left, right)) {
            return known;
        }
        // A limit that hostile formulas alone reach.
        if self.implications.len() > 1 << 18 {
            return false;
        }
        self.implications.insert((left, right), false);
        let result = self.by_left(left, right) || self.by_right(left, right) || self.by_both(left, right);
        self.implications.insert((left, right), result);
        result
    }

    fn by_left(&mut self, left: TermId, right: TermId) -> bool {
        let is_eventual = self.facts(right).is_eventual;
        match self.terms.row(left).clone() {
            Term::Or(parts) => parts.iter().all(|&part| self.implies(part, right)),
            Term::And(parts) => parts.iter().any(|&part| self.implies(part, right)),
            Term::Next(inner) | Term::Eventually(inner) => is_eventual && self.implies(inner, right),
            Term::Always(inner) => self.implies(inner, right),
            Term::Until(first, second) => self.implies(second, right) && (is_eventual || self.implies(first, right)),
            Term::WeakUntil(first, second) => self.implies(first, right) && self.implies(second, right),
            Term::Release(_, second) => self.implies(second, right),
            Term::StrongRelease(first, second) => {
                self.implies(second, right) || is_eventual && self.implies(first, right)
            }
            Term::True | Term::False | Term::Literal(..) => false,
        }
    }

    fn by_right(&mut self, left: TermId, right: TermId) -> bool {
        let is_universal = self.facts(left).is_universal;
        match self.terms.row(right).clone() {
            Term::And(parts) => parts.iter().all(|&part| self.implies(left, part)),
            Term::Or(parts) => parts.iter().any(|&part| self.implies(left, part)),
            Term::Next(inner) | Term::Always(inner) => is_universal && self.implies(left, inner),
            Term::Eventually(inner) => self.implies(left, inner),
            Term::Release(first, second) => self.implies(left, second) && (is_universal || self.implies(left, first)),
            Term::StrongRelease(first, second) => self.implies(left, first) && self.implies(left, second),
            Term::Until(_, second) => self.implies(left, second),
            Term::WeakUntil(first, second) => self.implies(left, second) || is_universal && self.implies(left, first),
            Term::True | Term::False | Term::Literal(..) => false,
        }
    }

    fn by_both(&mut self, left: TermId, right: TermId) -> bool {
        match (self.terms.row(left).clone(), self.terms.row(right).clone()) {
            (Term::Next(a), Term::Next(b)) => self.implies(a, b),
            // Up to where `b` holds, what the right side asks for until its end; there, its end.
            (Term::Until(a, b), Term::Until(c, _))
            | (Term::Until(a, b) | Term::WeakUntil(a, b), Term::WeakUntil(c, _)) => {
                self.implies(a, c) && self.implies(b, right)
            }
            (Term::Until(a, b), Term::Release(_, c) | Term::StrongRelease(_, c))
            | (Term::WeakUntil(a, b), Term::Release(_, c)) => self.implies(a, c) && self.implies(b, right),
            (Term::Release(a, b) | Term::StrongRelease(a, b), Term::Release(c, d))
            | (Term::StrongRelease(a, b), Term::StrongRelease(c, d)) => self.implies(a, c) && self.implies(b, d),
            // b R a lasts as long as f W (f ∧ g) does.
            (Term::Release(a, b) | Term::StrongRelease(a, b), Term::WeakUntil(c, _))
            | (Term::StrongRelease(a, b), Term::Until(c, _)) => {
                self.implies(b, c) && (self.implies(a, right) || self.implies(b, right))
            }
            _ => false,
        }
    }
}
