//! `SP_rhs`: distributive subset problems by pairs of facts, without BDDs [BR01, §3].
//!
//! At each node there is `PE'(v) = { ⟨d₁, d₂⟩ | ⟨entry, d₁⟩ →* ⟨v, d₂⟩ }`, where `entry` is that of the procedure of `v`
//! and a fact may be `Λ`, which always holds. [`Function`]s are applied to one fact at a time; a call adds pairs for its
//! callee, and what the callee's exit has for them comes back as a summary of the call. So the answer is the meet over
//! all valid paths: those on which every return goes to its own call.
//!
//! A call `n → m` of `q` gives `leave(q's exit) ∪ around(n)` at `m`: what comes back, and what the caller keeps. It does
//! so only where `q` can return.
//!
//! With [`Meet::Intersection`] the dual is solved: functions, sets and pairs are about the facts that do *not* hold.
//! [`Function::assign`] hides that, and so do [`Solution::facts`] and [`Solution::holds`].

mod function;
mod program;
mod reverse;
mod set;
mod tabulate;

pub use function::{Function, Setting};
pub use hardbop_lang_flow::tree::Meet;
pub use program::{Starts, problem};
pub use reverse::{backward, reverse};
pub use tabulate::{Passing, solve};

use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::{EdgeId, Icfg, NodeId, ProcId};
use set::PointSet;

newtype_index! {
    /// A fact.
    pub struct FactId = "d";
}

/// A distributive subset problem.
#[derive(Clone, Debug)]
pub struct Problem<'g> {
    /// The graph; of a backward problem what [`reverse`] makes of it.
    pub icfg: &'g Icfg,
    /// Where every path starts.
    pub entry: ProcId,
    /// The number of facts.
    pub facts: usize,
    /// What each edge does to the facts.
    pub transfers: IndexVec<EdgeId, Transfer>,
    /// The facts that hold at the start.
    pub initial: Vec<FactId>,
    /// What holds where paths meet.
    pub meet: Meet,
}

/// What an edge does to the facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// A step.
    Step(Function),
    /// A call.
    Call {
        /// From the caller to the callee's entry.
        enter: Function,
        /// From the callee's exit to where the caller goes on.
        leave: Function,
        /// From the caller to where it goes on: what it keeps meanwhile.
        around: Function,
    },
    /// A return; what it does is said by the call.
    Return,
}

/// What holds where.
#[derive(Clone, Debug)]
pub struct Solution {
    facts: usize,
    meet: Meet,
    nodes: IndexVec<NodeId, Table>,
    /// What holds throughout a procedure and has no pairs there.
    ambient: IndexVec<ProcId, PointSet>,
    procs: IndexVec<NodeId, ProcId>,
}

/// `PE'(v)`.
#[derive(Clone, Debug, Default)]
struct Table {
    /// By the fact at the entry, in order, the facts at the node.
    rows: Vec<(Point, PointSet)>,
    /// The union of the rows.
    all: PointSet,
}

/// A fact or `Λ`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Point(u32);

impl Point {
    const LAMBDA: Self = Self(0);

    fn of(fact: FactId) -> Self {
        Self(u32::try_from(fact.index() + 1).expect("there are fewer than 2^32 facts"))
    }

    fn fact(self) -> Option<FactId> {
        (self.0 as usize).checked_sub(1).map(FactId::from_usize)
    }
}

impl Solution {
    /// Whether a valid path leads to the node.
    pub fn is_reachable(&self, node: NodeId) -> bool {
        self.nodes[node].all.contains(Point::LAMBDA)
    }

    /// Whether the fact holds at the node: with union on some valid path, with intersection on all.
    pub fn holds(&self, node: NodeId, fact: FactId) -> bool {
        let point = Point::of(fact);
        let is_around = self.ambient[self.procs[node]].contains(point) && self.is_reachable(node);
        (self.nodes[node].all.contains(point) || is_around) == (self.meet == Meet::Union)
    }

    /// Whether the fact holds where control may be at any of the nodes: with union at some, with intersection at all.
    pub fn holds_at(&self, nodes: &[NodeId], fact: FactId) -> bool {
        let mut each = nodes.iter().map(|&node| self.holds(node, fact));
        if self.meet == Meet::Union { each.any(|holds| holds) } else { each.all(|holds| holds) }
    }

    /// The facts that hold at the node, in order. Where no path leads, none do on some path and all do on all.
    pub fn facts(&self, node: NodeId) -> Vec<FactId> {
        (0..self.facts).map(FactId::from_usize).filter(|&fact| self.holds(node, fact)).collect()
    }

    /// `PE'(v)` in order, with `None` for `Λ`, where all facts pass through callees; with intersection the facts are those that do not hold.
    pub fn pairs(&self, node: NodeId) -> Vec<(Option<FactId>, Option<FactId>)> {
        let rows = self.nodes[node].rows.iter();
        rows.flat_map(|(from, row)| row.iter().map(|to| (from.fact(), to.fact()))).collect()
    }
}
