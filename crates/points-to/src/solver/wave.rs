//! Rounds of propagation until nothing is new.

use super::{Solver, Use};
use crate::components::Components;
use crate::memory::{Memory, NodeId};
use crate::set::Set;
use hardbop_base::{Budget, Exhausted, Idx};

/// The order is made anew when one edge in so many is new.
const STALE: usize = 64;

impl Solver {
    /// Finds the least solution.
    pub(crate) fn solve(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut order = Vec::new();
        let mut ordered = 0;
        loop {
            // A few new edges leave most of the order right: a wave in a stale order is late, not wrong.
            if self.new_edges * STALE > self.known_edges.len() || ordered < self.leader.len() {
                self.new_edges = 0;
                ordered = self.leader.len();
                self.unname_all();
                order = self.collapse_cycles();
            }
            let waiting = self.push_wave(&order, budget)?;
            if waiting.is_empty() && self.fresh.iter().all(Set::is_empty) {
                return Ok(());
            }
            for (node, news) in waiting {
                budget.spend(1 + news.len() as u64)?;
                let leader = self.find(node);
                self.look_through(leader, &news);
            }
        }
    }

    /// Pushes what is new along the edges, in topological order; returns what is new where it is used.
    fn push_wave(&mut self, order: &[NodeId], budget: &Budget) -> Result<Vec<(NodeId, Set)>, Exhausted> {
        let outside = self.find(self.memory.outside());
        let mut waiting = Vec::new();
        for &node in order {
            if self.fresh[node].is_empty() {
                continue;
            }
            let news = std::mem::take(&mut self.fresh[node]);
            let edges = std::mem::take(&mut self.edges[node]);
            budget.spend(1 + edges.len() as u64)?;
            let mut unnamed = None;
            for &to in &edges {
                let to = self.find(to);
                if to != node {
                    self.receive(to, &news, &mut unnamed);
                }
            }
            self.edges[node] = edges;
            let is_waiting = self.push_shifted(node, &news);
            if is_waiting || node == outside {
                waiting.push((node, news));
            }
        }
        Ok(waiting)
    }

    /// Forgets what has escaped since, wherever the unknown location stands for it.
    fn unname_all(&mut self) {
        let count = self.escaped.len();
        if std::mem::replace(&mut self.unnamed, count) == count {
            return;
        }
        for node in self.leader.ids() {
            if self.points_to[node].has_zero() {
                self.unname(node);
            }
        }
    }

    /// Moves the new pointers; says whether there are uses of another kind.
    fn push_shifted(&mut self, node: NodeId, news: &Set) -> bool {
        let mut has_others = false;
        let mut moved = Vec::new();
        for index in 0..self.uses[node].len() {
            let Use::Shift(step, to) = self.uses[node][index] else {
                has_others = true;
                continue;
            };
            let to = self.find(to);
            moved.clear();
            for location in news.iter() {
                let mut out = |location| moved.push(location);
                if location == Memory::UNKNOWN { out(location) } else { self.memory.shift(location, step, &mut out) }
            }
            for &location in &moved {
                self.receive_one(to, location);
            }
        }
        has_others
    }

    /// Makes one node of each cycle of edges; returns the nodes that are left, sources before targets.
    fn collapse_cycles(&mut self) -> Vec<NodeId> {
        let row = |node: u32| NodeId::from_usize(node as usize);
        let number = |node: NodeId| u32::try_from(node.index()).expect("fewer than 2^32 nodes");
        let components = Components::of(
            self.leader.len(),
            |node| self.leader[row(node)] == row(node),
            |node, index| self.edges[row(node)].get(index).map(|&to| number(self.find(to))),
        );
        let mut order = Vec::new();
        for component in components.iter().rev() {
            order.push(self.collapse(component));
        }
        for node in self.leader.ids() {
            self.leader[node] = self.find(node);
        }
        order
    }

    fn collapse(&mut self, component: &[u32]) -> NodeId {
        let leader = NodeId::from_usize(component[0] as usize);
        if component.len() == 1 {
            return leader;
        }
        let seen = |solver: &Self, node: NodeId| solver.points_to[node].minus(&solver.fresh[node]);
        let mut seen_by_all = seen(self, leader);
        for &node in &component[1..] {
            let node = NodeId::from_usize(node as usize);
            seen_by_all = seen_by_all.meet(&seen(self, node));
            self.leader[node] = leader;
            let theirs = std::mem::take(&mut self.points_to[node]);
            self.points_to[leader].merge(&theirs);
            self.fresh[node] = Set::default();
            let edges = std::mem::take(&mut self.edges[node]);
            self.edges[leader].extend(edges);
            let uses = std::mem::take(&mut self.uses[node]);
            self.uses[leader].extend(uses);
        }
        if self.points_to[leader].has_zero() {
            self.unname(leader);
        }
        self.fresh[leader] = self.points_to[leader].minus(&seen_by_all);
        let mut edges = std::mem::take(&mut self.edges[leader]);
        for to in &mut edges {
            *to = self.find(*to);
        }
        edges.sort_unstable();
        edges.dedup();
        edges.retain(|&to| to != leader);
        self.known_edges.extend(edges.iter().map(|&to| (leader, to)));
        self.edges[leader] = edges;
        self.uses[leader].sort_unstable();
        self.uses[leader].dedup();
        leader
    }
}
