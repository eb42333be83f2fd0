//! Formulas of linear temporal logic as a person writes them.
//!
//! ```text
//! f ::= true | false | proposition | !f | X f | F f | G f
//!     | f U f | f W f | f R f | f M f | f && f | f || f | f xor f | f -> f | f <-> f
//! ```
//!
//! A formula is a graph of shared nodes; conjunctions and disjunctions have any number of parts, in the order they were
//! written. What a proposition means is not known here: it is a text with its place, and equal texts are one
//! proposition.
//!
//! **Invariant:** the parts of a node come before it, so a pass over the table in order sees parts first, and no formula
//! is higher than [`MAX_NESTING`].

mod evaluate;
mod parse;
mod print;

use std::fmt;

use hardbop_base::{Idx, IndexVec, Span, newtype_index};
use rustc_hash::FxHashMap;

pub use parse::{MAX_NESTING, parse};

newtype_index! {
    /// A subformula.
    pub struct FormulaId = "f";
    /// A proposition, numbered by first appearance.
    pub struct PropId = "p";
}

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `!f`
    Not,
    /// `X f`: in the next step.
    Next,
    /// `F f`: now or later.
    Eventually,
    /// `G f`: from now on.
    Always,
}

/// An operator with two operands; conjunction and disjunction are nodes of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `f U g`: `g` now or later, and `f` until then.
    Until,
    /// `f W g`: `f U g`, or `f` for ever.
    WeakUntil,
    /// `f R g`: `g` up to and with the first `f`, or for ever.
    Release,
    /// `f M g`: `f R g`, and `f` now or later.
    StrongRelease,
    /// `f -> g`
    Implies,
    /// `f <-> g`
    Iff,
    /// `f xor g`
    Xor,
}

/// A row of the table of subformulas.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true` or `false`.
    Constant(bool),
    /// A proposition.
    Prop(PropId),
    /// An operator and its operand.
    Unary(Unary, FormulaId),
    /// An operator and its operands.
    Binary(Binary, FormulaId, FormulaId),
    /// All of two or more.
    And(Box<[FormulaId]>),
    /// One of two or more.
    Or(Box<[FormulaId]>),
}

/// A proposition as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prop {
    /// The text, without quotes.
    pub text: String,
    /// Where it stands first; `None` where no one wrote it.
    pub span: Option<Span>,
}

/// A formula: a table of subformulas, one of them the whole.
#[derive(Clone)]
pub struct Formula {
    nodes: IndexVec<FormulaId, Node>,
    props: IndexVec<PropId, Prop>,
    root: FormulaId,
    known: FxHashMap<Node, FormulaId>,
    known_props: FxHashMap<String, PropId>,
}

impl Formula {
    /// `true` or `false`.
    pub fn constant(value: bool) -> Self {
        let mut formula = Self::empty();
        formula.root = formula.add(Node::Constant(value));
        formula
    }

    /// The proposition with this text.
    pub fn proposition(text: &str) -> Self {
        let mut formula = Self::empty();
        let prop = formula.add_prop(text, None);
        formula.root = formula.add(Node::Prop(prop));
        formula
    }

    /// `!self`, without a second `!` on top of one.
    pub fn negated(mut self) -> Self {
        self.root = match self.nodes[self.root] {
            Node::Constant(value) => self.add(Node::Constant(!value)),
            Node::Unary(Unary::Not, inner) => inner,
            _ => self.add(Node::Unary(Unary::Not, self.root)),
        };
        self
    }

    /// The operator on top of `self`.
    pub fn unary(mut self, operator: Unary) -> Self {
        self.root = self.add(Node::Unary(operator, self.root));
        self
    }

    /// `self` and `right` under the operator. Propositions with equal texts are the same.
    pub fn binary(mut self, operator: Binary, right: &Self) -> Self {
        let (left, right) = (self.root, self.import(right));
        self.root = self.add(Node::Binary(operator, left, right));
        self
    }

    /// `self && other`.
    pub fn and(mut self, other: &Self) -> Self {
        let parts = [self.root, self.import(other)];
        self.root = self.add_chain(&parts, Chain::And);
        self
    }

    /// `self || other`.
    pub fn or(mut self, other: &Self) -> Self {
        let parts = [self.root, self.import(other)];
        self.root = self.add_chain(&parts, Chain::Or);
        self
    }

    /// The whole.
    pub fn root(&self) -> FormulaId {
        self.root
    }

    /// The node of a subformula.
    pub fn node(&self, id: FormulaId) -> &Node {
        &self.nodes[id]
    }

    /// All subformulas, parts first. There may be some that the whole does not use.
    pub fn nodes(&self) -> &IndexVec<FormulaId, Node> {
        &self.nodes
    }

    /// The propositions, in the order of their first appearance.
    pub fn props(&self) -> &IndexVec<PropId, Prop> {
        &self.props
    }

    pub(crate) fn empty() -> Self {
        Self {
            nodes: IndexVec::new(),
            props: IndexVec::new(),
            root: FormulaId::from_usize(0),
            known: FxHashMap::default(),
            known_props: FxHashMap::default(),
        }
    }

    /// A formula over the propositions `props`, of which `build` makes the root.
    pub(crate) fn build(props: &IndexVec<PropId, Prop>, build: impl FnOnce(&mut Self) -> FormulaId) -> Self {
        let mut formula = Self::empty();
        for prop in props {
            formula.add_prop(&prop.text, prop.span);
        }
        formula.root = build(&mut formula);
        formula
    }

    pub(crate) fn add(&mut self, node: Node) -> FormulaId {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let id = self.nodes.push(node.clone());
        self.known.insert(node, id);
        id
    }

    /// The conjunction or disjunction of `parts`; parts of the same kind are spliced in.
    pub(crate) fn add_chain(&mut self, parts: &[FormulaId], chain: Chain) -> FormulaId {
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            match (&self.nodes[part], chain) {
                (Node::And(inner), Chain::And) | (Node::Or(inner), Chain::Or) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        match (flat.as_slice(), chain) {
            ([], _) => self.add(Node::Constant(chain == Chain::And)),
            (&[only], _) => only,
            (_, Chain::And) => self.add(Node::And(flat.into())),
            (_, Chain::Or) => self.add(Node::Or(flat.into())),
        }
    }

    pub(crate) fn add_prop(&mut self, text: &str, span: Option<Span>) -> PropId {
        let key = without_blanks(text);
        if let Some(&id) = self.known_props.get(&key) {
            return id;
        }
        let id = self.props.push(Prop { text: text.trim().to_owned(), span });
        self.known_props.insert(key, id);
        id
    }

    /// Copies `other` into this table and returns its root here.
    fn import(&mut self, other: &Self) -> FormulaId {
        let props: IndexVec<PropId, PropId> =
            other.props.iter().map(|prop| self.add_prop(&prop.text, prop.span)).collect();
        let mut places: IndexVec<FormulaId, FormulaId> = IndexVec::new();
        for node in &other.nodes {
            let moved = match node {
                Node::Constant(value) => Node::Constant(*value),
                Node::Prop(prop) => Node::Prop(props[*prop]),
                Node::Unary(operator, inner) => Node::Unary(*operator, places[*inner]),
                Node::Binary(operator, left, right) => Node::Binary(*operator, places[*left], places[*right]),
                Node::And(parts) => Node::And(parts.iter().map(|&part| places[part]).collect()),
                Node::Or(parts) => Node::Or(parts.iter().map(|&part| places[part]).collect()),
            };
            let id = self.add(moved);
            places.push(id);
        }
        places[other.root]
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Which of the two nodes with many parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chain {
    And,
    Or,
}

/// The text without the blanks that separate nothing: two texts that differ only in those are one proposition.
fn without_blanks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    for word in text.split_whitespace() {
        if kept.ends_with(is_inside) && word.starts_with(is_inside) {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    kept
}
