//! Sets of states by distance: the rings of [BR00, §3.2].
//!
//! A call that is crossed counts one however long the callee runs, and the summaries are all known by now. So the run
//! to a goal never looks back at a caller, and its rings need no entry states: a breadth-first search over states now.

use super::Tracer;
use crate::flow::{Block, BlockKind};
use crate::summaries::Addition;
use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::Bdd;
use hardbop_icfg::{NodeId, ProcId};
use std::collections::BTreeMap;

/// Where a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// From the start of the program, into calls and over them.
    Program,
    /// From a procedure's entry to its exit, over calls by summaries that were known before `rank`.
    Procedure {
        /// The procedure.
        proc: ProcId,
        /// The time before which a summary of a procedure that it is recursive with must have been known.
        rank: u64,
    },
}

/// How the additions of a [`Rings`] relate to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Times are distances: a state has a predecessor at just one less.
    Distance,
    /// Times are those of the analysis: a state has a predecessor at some earlier time.
    Time,
}

/// States by distance or time.
#[derive(Debug)]
pub struct Rings {
    first: usize,
    at: Vec<Vec<Addition>>,
    /// What their times are.
    pub order: Order,
}

impl Rings {
    fn new(nodes: (NodeId, NodeId)) -> Self {
        let first = nodes.0.index();
        Self { first, at: vec![Vec::new(); nodes.1.index() - first], order: Order::Distance }
    }

    /// The additions that the analysis itself made.
    pub fn of_history(at: Vec<Vec<Addition>>) -> Self {
        Self { first: 0, at, order: Order::Time }
    }

    /// All additions to `node`, the earliest first.
    pub fn of(&self, node: NodeId) -> &[Addition] {
        node.index().checked_sub(self.first).and_then(|place| self.at.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Where a predecessor, at `node`, of a state with time `time` can be.
    pub fn before(&self, node: NodeId, time: u64) -> impl Iterator<Item = Addition> + '_ {
        let all = self.of(node);
        let end = all.partition_point(|addition| addition.time < time);
        let start = match self.order {
            Order::Distance => all.partition_point(|addition| addition.time + 1 < time),
            Order::Time => 0,
        };
        all[start..end].iter().rev().copied()
    }

    fn place(&self, node: NodeId) -> usize {
        node.index() - self.first
    }

    fn push(&mut self, node: NodeId, addition: Addition) {
        let place = self.place(node);
        self.at[place].push(addition);
    }

    fn states(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.at.iter().flatten().map(|addition| addition.states)
    }
}

/// A breadth-first search that can be continued. A block of several steps is one arrival, at the distance of its end;
/// the states inside of it are looked up when a run goes that way.
#[derive(Debug)]
pub struct Spread {
    /// Where it began.
    pub start: (NodeId, Bdd),
    /// The rings so far.
    pub rings: Rings,
    /// The newest ring.
    pub frontier: BTreeMap<NodeId, Bdd>,
    /// The distance of the newest ring.
    pub distance: u64,
    /// What blocks lead to, by the distance of their ends; some of it may have been seen.
    ahead: BTreeMap<u64, BTreeMap<NodeId, Bdd>>,
    seen: Vec<Bdd>,
}

impl Spread {
    /// A search from `start` over `nodes`.
    pub fn new(start: (NodeId, Bdd), nodes: (NodeId, NodeId)) -> Self {
        let mut rings = Rings::new(nodes);
        rings.push(start.0, Addition { time: 0, states: start.1 });
        let mut seen = vec![Bdd::FALSE; rings.at.len()];
        seen[start.0.index() - rings.first] = start.1;
        let frontier = BTreeMap::from([start]);
        Self { start, rings, frontier, distance: 0, ahead: BTreeMap::new(), seen }
    }

    /// All sets in it.
    pub fn sets(&self) -> impl Iterator<Item = Bdd> + '_ {
        let ahead = self.ahead.values().flat_map(BTreeMap::values).copied();
        self.rings.states().chain(self.seen.iter().copied()).chain(ahead).chain([self.start.1])
    }
}

impl Tracer<'_, '_> {
    /// Spreads from `start`, at the entry of a procedure, until `goal` is met at its exit: the rings and the distance.
    pub(super) fn spread(
        &mut self,
        extent: Extent,
        proc: ProcId,
        start: (NodeId, Bdd),
        goal: Bdd,
    ) -> Result<Option<(Rings, u64)>, Exhausted> {
        let setting = self.saturation.setting;
        let proc = &setting.program.icfg.procs[proc];
        let mut spread = Spread::new(start, proc.nodes);
        loop {
            if let Some(&states) = spread.frontier.get(&proc.exit)
                && !self.kernel().disjoint(states, goal)?
            {
                return Ok(Some((spread.rings, spread.distance)));
            }
            if spread.frontier.is_empty() {
                return Ok(None);
            }
            self.advance(extent, &mut spread, &|node| setting.slice.is_useful[node])?;
            self.tidy(spread.sets().chain([goal]));
        }
    }

    /// Adds the next ring: the states nearest to the start that have not been seen, at nodes that lead to where one
    /// wants to come.
    pub(super) fn advance(
        &mut self,
        extent: Extent,
        spread: &mut Spread,
        leads: &dyn Fn(NodeId) -> bool,
    ) -> Result<(), Exhausted> {
        for (node, states) in std::mem::take(&mut spread.frontier) {
            for block in self.flow.blocks_of(node) {
                let Block { to, kind, .. } = self.flow.blocks[block];
                match kind {
                    BlockKind::Steps { steps } => {
                        if leads(to) && !self.is_exhausted(extent, spread, to)? {
                            let code = self.saturation.code(block)?;
                            let image = self.kernel().image(states, code.relation, code.plan)?;
                            self.extend(spread, self.flow.steps_of(steps).len(), to, image)?;
                        }
                    }
                    BlockKind::Call { edge, callee } => {
                        if leads(to)
                            && !self.is_exhausted(extent, spread, to)?
                            && let Some((effect, plan)) = self.effect(edge, extent)?
                        {
                            let image = self.kernel().image(states, effect, plan)?;
                            self.extend(spread, 1, to, image)?;
                        }
                        let entry = self.saturation.setting.program.icfg.procs[callee].entry;
                        if extent == Extent::Program
                            && leads(entry)
                            && !self.is_exhausted(extent, spread, entry)?
                            && let Some(call) = self.call(edge)
                        {
                            let image = self.kernel().image(states, call.code.enter.relation, call.code.enter.plan)?;
                            self.extend(spread, 1, entry, image)?;
                        }
                    }
                }
            }
        }
        self.arrive(spread)
    }

    /// Whether all states that a run has at `node` have been seen.
    fn is_exhausted(&mut self, extent: Extent, spread: &Spread, node: NodeId) -> Result<bool, Exhausted> {
        let seen = spread.seen[spread.rings.place(node)];
        if extent != Extent::Program || seen.is_false() || !self.saturation.is_complete() {
            return Ok(false);
        }
        Ok(seen == self.all_at(node)?)
    }

    /// All states that a run has at `node`, which is a start or an end of blocks, by a complete saturation.
    fn all_at(&mut self, node: NodeId) -> Result<Bdd, Exhausted> {
        if let Some(&all) = self.all.get(&node) {
            return Ok(all);
        }
        let all = self.forget_entry(node, self.saturation.reached[node])?;
        self.all.insert(node, all);
        Ok(all)
    }

    /// Makes the nearest arrivals that are new the newest ring.
    fn arrive(&mut self, spread: &mut Spread) -> Result<(), Exhausted> {
        while spread.frontier.is_empty()
            && let Some((distance, arrivals)) = spread.ahead.pop_first()
        {
            spread.distance = distance;
            for (node, states) in arrivals {
                let seen = spread.seen[spread.rings.place(node)];
                let fresh = self.kernel().diff(states, seen)?;
                if !fresh.is_false() {
                    spread.seen[spread.rings.place(node)] = self.kernel().or(seen, fresh)?;
                    spread.rings.push(node, Addition { time: distance, states: fresh });
                    spread.frontier.insert(node, fresh);
                }
            }
        }
        Ok(())
    }

    fn extend(&mut self, spread: &mut Spread, length: usize, node: NodeId, states: Bdd) -> Result<(), Exhausted> {
        if !states.is_false() {
            let arrivals = spread.ahead.entry(spread.distance + length as u64).or_default();
            let entry = arrivals.entry(node).or_insert(Bdd::FALSE);
            *entry = self.kernel().or(*entry, states)?;
        }
        Ok(())
    }
}
