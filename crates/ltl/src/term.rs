//! Formulas in negation normal form, for rewriting and translation.
//!
//! ```text
//! t ::= true | false | p | !p | t ∧ … ∧ t | t ∨ … ∨ t | X t | F t | G t | t U t | t W t | t R t | t M t
//! ```
//!
//! Equal terms are one row. The parts of a conjunction or a disjunction are a set: sorted, no part twice, no constant,
//! none of the same kind, no literal beside its negation.
//!
//! **Invariant:** parts come before the terms that they are part of.

use hardbop_base::{IndexVec, newtype_index};
use rustc_hash::FxHashMap;

use crate::formula::{Binary, Chain, Formula, FormulaId, Node, PropId, Unary};

newtype_index! {
    /// A term.
    pub(crate) struct TermId = "t";
}

/// A row of the table of terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    True,
    False,
    Literal(PropId, bool),
    And(Box<[TermId]>),
    Or(Box<[TermId]>),
    Next(TermId),
    Eventually(TermId),
    Always(TermId),
    Until(TermId, TermId),
    WeakUntil(TermId, TermId),
    Release(TermId, TermId),
    StrongRelease(TermId, TermId),
}

/// The table.
#[derive(Default)]
pub(crate) struct Terms {
    rows: IndexVec<TermId, Term>,
    known: FxHashMap<Term, TermId>,
    negations: FxHashMap<TermId, TermId>,
}

impl Terms {
    pub(crate) fn row(&self, id: TermId) -> &Term {
        &self.rows[id]
    }

    pub(crate) fn constant(&mut self, value: bool) -> TermId {
        self.make(if value { Term::True } else { Term::False })
    }

    pub(crate) fn is_true(&self, id: TermId) -> bool {
        self.rows[id] == Term::True
    }

    pub(crate) fn is_false(&self, id: TermId) -> bool {
        self.rows[id] == Term::False
    }

    /// The row of any term but a conjunction or a disjunction.
    pub(crate) fn make(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        let id = self.rows.push(term.clone());
        self.known.insert(term, id);
        id
    }

    /// The conjunction as a set.
    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        match self.flat(parts, Chain::And) {
            None => self.constant(false),
            Some(parts) => match parts.as_slice() {
                [] => self.constant(true),
                &[only] => only,
                _ => self.make(Term::And(parts.into())),
            },
        }
    }

    /// The disjunction as a set.
    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        match self.flat(parts, Chain::Or) {
            None => self.constant(true),
            Some(parts) => match parts.as_slice() {
                [] => self.constant(false),
                &[only] => only,
                _ => self.make(Term::Or(parts.into())),
            },
        }
    }

    /// The parts of `id` as a conjunction; of any other term, itself.
    pub(crate) fn conjuncts(&self, id: TermId) -> Vec<TermId> {
        match self.row(id) {
            Term::True => Vec::new(),
            Term::And(parts) => parts.to_vec(),
            _ => vec![id],
        }
    }

    /// The sorted parts; `None` where one part decides.
    fn flat(&self, parts: impl IntoIterator<Item = TermId>, chain: Chain) -> Option<Vec<TermId>> {
        let mut flat = Vec::new();
        for part in parts {
            match (self.row(part), chain) {
                (Term::True, Chain::And) | (Term::False, Chain::Or) => {}
                (Term::False, Chain::And) | (Term::True, Chain::Or) => return None,
                (Term::And(inner), Chain::And) | (Term::Or(inner), Chain::Or) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let opposite = |part: &TermId| match self.row(*part) {
            Term::Literal(prop, value) => self.known.get(&Term::Literal(*prop, !value)).copied(),
            _ => self.negations.get(part).copied(),
        };
        let clashes = flat.iter().filter_map(opposite).any(|other| flat.binary_search(&other).is_ok());
        (!clashes).then_some(flat)
    }

    /// The negation, by duality. As deep as the term is high.
    pub(crate) fn negate(&mut self, id: TermId) -> TermId {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let negation = match self.row(id).clone() {
            Term::True => self.constant(false),
            Term::False => self.constant(true),
            Term::Literal(prop, value) => self.make(Term::Literal(prop, !value)),
            Term::And(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|&part| self.negate(part)).collect();
                self.or(parts)
            }
            Term::Or(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|&part| self.negate(part)).collect();
                self.and(parts)
            }
            Term::Next(inner) => self.negate_unary(inner, Term::Next),
            Term::Eventually(inner) => self.negate_unary(inner, Term::Always),
            Term::Always(inner) => self.negate_unary(inner, Term::Eventually),
            Term::Until(left, right) => self.negate_binary(left, right, Term::Release),
            Term::Release(left, right) => self.negate_binary(left, right, Term::Until),
            Term::WeakUntil(left, right) => self.negate_binary(left, right, Term::StrongRelease),
            Term::StrongRelease(left, right) => self.negate_binary(left, right, Term::WeakUntil),
        };
        self.negations.insert(id, negation);
        self.negations.insert(negation, id);
        negation
    }

    fn negate_unary(&mut self, inner: TermId, dual: fn(TermId) -> Term) -> TermId {
        let inner = self.negate(inner);
        self.make(dual(inner))
    }

    fn negate_binary(&mut self, left: TermId, right: TermId, dual: fn(TermId, TermId) -> Term) -> TermId {
        let (left, right) = (self.negate(left), self.negate(right));
        self.make(dual(left, right))
    }
}

/// The negation normal form of a formula.
pub(crate) fn normalise(terms: &mut Terms, formula: &Formula) -> TermId {
    let mut done: IndexVec<FormulaId, TermId> = IndexVec::new();
    for node in formula.nodes() {
        let id = match node {
            Node::Constant(value) => terms.constant(*value),
            Node::Prop(prop) => terms.make(Term::Literal(*prop, true)),
            Node::Unary(operator, inner) => {
                let inner = done[*inner];
                match operator {
                    Unary::Not => terms.negate(inner),
                    Unary::Next => terms.make(Term::Next(inner)),
                    Unary::Eventually => terms.make(Term::Eventually(inner)),
                    Unary::Always => terms.make(Term::Always(inner)),
                }
            }
            Node::Binary(operator, left, right) => binary(terms, *operator, done[*left], done[*right]),
            Node::And(parts) => terms.and(parts.iter().map(|&part| done[part])),
            Node::Or(parts) => terms.or(parts.iter().map(|&part| done[part])),
        };
        done.push(id);
    }
    done[formula.root()]
}

fn binary(terms: &mut Terms, operator: Binary, left: TermId, right: TermId) -> TermId {
    match operator {
        Binary::Until => terms.make(Term::Until(left, right)),
        Binary::WeakUntil => terms.make(Term::WeakUntil(left, right)),
        Binary::Release => terms.make(Term::Release(left, right)),
        Binary::StrongRelease => terms.make(Term::StrongRelease(left, right)),
        Binary::Implies => {
            let left = terms.negate(left);
            terms.or([left, right])
        }
        Binary::Iff | Binary::Xor => {
            let (not_left, not_right) = (terms.negate(left), terms.negate(right));
            let [first, second] = match operator {
                Binary::Iff => [[left, right], [not_left, not_right]],
                _ => [[left, not_right], [not_left, right]],
            };
            let either = [terms.and(first), terms.and(second)];
            terms.or(either)
        }
    }
}

/// The term as a formula over the propositions of `original`.
pub(crate) fn denormalise(terms: &Terms, root: TermId, original: &Formula) -> Formula {
    Formula::build(original.props(), |formula| {
        let mut done: IndexVec<TermId, FormulaId> = IndexVec::new();
        for term in &terms.rows {
            let unary = |operator, inner: &TermId| Node::Unary(operator, done[*inner]);
            let binary = |operator, left: &TermId, right: &TermId| Node::Binary(operator, done[*left], done[*right]);
            let node = match term {
                Term::True => Node::Constant(true),
                Term::False => Node::Constant(false),
                Term::Literal(prop, true) => Node::Prop(*prop),
                Term::Literal(prop, false) => Node::Unary(Unary::Not, formula.add(Node::Prop(*prop))),
                Term::And(parts) => Node::And(parts.iter().map(|&part| done[part]).collect()),
                Term::Or(parts) => Node::Or(parts.iter().map(|&part| done[part]).collect()),
                Term::Next(inner) => unary(Unary::Next, inner),
                Term::Eventually(inner) => unary(Unary::Eventually, inner),
                Term::Always(inner) => unary(Unary::Always, inner),
                Term::Until(left, right) => binary(Binary::Until, left, right),
                Term::WeakUntil(left, right) => binary(Binary::WeakUntil, left, right),
                Term::Release(left, right) => binary(Binary::Release, left, right),
                Term::StrongRelease(left, right) => binary(Binary::StrongRelease, left, right),
            };
            let id = formula.add(node);
            done.push(id);
        }
        done[root]
    })
}

impl Formula {
    /// The negation normal form: `!` stands before propositions only, and `->`, `<->` and `xor` are gone.
    pub fn nnf(&self) -> Self {
        let mut terms = Terms::default();
        let root = normalise(&mut terms, self);
        denormalise(&terms, root, self)
    }
}
