//! Which path edge is next: one at the node that has been visited least often.
//!
//! Every node has a pool: path edges that are fresh, and those with open bits that could be closed in further ways. So
//! all nodes get about the same number of visits, however many path edges there are at some of them: what is found
//! late, behind guards that are seldom met, is looked at as closely as what is found at once. Within a pool, those with
//! a rare value and those nearest to what is wished for have their turns; what comes nearer than anything before at its
//! node goes first of all.

use super::execute::Random;
use super::records::PathEdgeId;
use super::wishes::Distance;
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::NodeId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// How many path edges of each kind a pool holds.
const ROOM: usize = 128;
/// Of how many states in a row none may have had a value for it to be rare.
const EPOCH: u32 = 32;

/// A path edge, and how far its state is from what is wished for.
#[derive(Clone, Copy)]
struct Entry {
    path_edge: PathEdgeId,
    distance: u32,
}

#[derive(Clone, Default)]
struct Pool {
    fresh: Vec<Entry>,
    /// Those whose states have a rare value.
    rare: Vec<Entry>,
    /// To be visited again, in this order.
    again: VecDeque<PathEdgeId>,
    visits: u32,
    /// How much a visit counts.
    weight: u32,
    /// How many states have come since the values seen were forgotten.
    age: u32,
    is_queued: bool,
}

/// The pools of all nodes.
///
/// **Invariant:** a node with something in its pool is on the queue, unless it is being visited.
pub struct Pools {
    pools: IndexVec<NodeId, Pool>,
    /// Nodes by what their visits count for; of equals, the last that was added comes first.
    queue: BinaryHeap<Reverse<(u32, u32, NodeId)>>,
    turn: u32,
    /// Those that are nearer to a goal than any before.
    express: Vec<(NodeId, PathEdgeId)>,
    width: usize,
    /// For each node, the slots that were seen false and true in the last epoch, and in this one.
    seen: [Vec<u64>; 4],
}

/// Whether a state has a value that has not been seen of late at its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Novelty {
    Rare,
    Common,
}

impl Pools {
    /// `width` words per state.
    pub fn new(nodes: usize, width: usize) -> Self {
        let seen = std::array::from_fn(|_| vec![0; nodes * width]);
        Self {
            pools: IndexVec::from_elem(Pool::default(), nodes),
            queue: BinaryHeap::new(),
            turn: u32::MAX,
            express: Vec::new(),
            width,
            seen,
        }
    }

    /// Makes a visit to `node` count for `weight`.
    pub fn weigh(&mut self, node: NodeId, weight: u32) {
        self.pools[node].weight = weight;
    }

    /// Takes note of a state at `node`, where `live` are the slots that count.
    pub fn see(&mut self, node: NodeId, state: &[u64], live: &[u64]) -> Novelty {
        let pool = &mut self.pools[node];
        let first = node.index() * self.width;
        pool.age += 1;
        if pool.age >= EPOCH {
            pool.age = 0;
            let [old_no, old_yes, no, yes] = &mut self.seen;
            for place in first..first + self.width {
                old_no[place] = std::mem::take(&mut no[place]);
                old_yes[place] = std::mem::take(&mut yes[place]);
            }
        }
        let mut novelty = Novelty::Common;
        for (place, (word, live)) in state.iter().zip(live).enumerate() {
            let place = first + place;
            let [old_no, old_yes, no, yes] = &mut self.seen;
            let (no_before, yes_before) = (no[place], yes[place]);
            yes[place] |= word;
            no[place] |= live & !word;
            if word & !(yes_before | old_yes[place]) | live & !word & !(no_before | old_no[place]) != 0 {
                novelty = Novelty::Rare;
            }
        }
        novelty
    }

    /// Whether there is room for a state at `node` that is this far from what is wished for.
    ///
    /// Where the pool is full there is for one in a few, and for those that are nearer than one that is in it.
    pub fn admits(&self, node: NodeId, novelty: Novelty, distance: Distance, random: &mut Random) -> bool {
        let fresh = &self.pools[node].fresh;
        novelty == Novelty::Rare
            || fresh.len() < ROOM
            || random.below(8) == 0
            || distance.is_record
            || distance.weight < fresh[random.below(ROOM)].distance
    }

    /// Adds a path edge at `node`. Where there is no room, it takes another's place, which is then forgotten.
    pub fn add(
        &mut self,
        node: NodeId,
        path_edge: PathEdgeId,
        novelty: Novelty,
        distance: Distance,
        random: &mut Random,
    ) {
        if distance.is_record {
            self.express.push((node, path_edge));
            return;
        }
        let pool = &mut self.pools[node];
        let list = match novelty {
            Novelty::Rare => &mut pool.rare,
            Novelty::Common => &mut pool.fresh,
        };
        let entry = Entry { path_edge, distance: distance.weight };
        if list.len() < ROOM {
            list.push(entry);
        } else {
            list[random.below(ROOM)] = entry;
        }
        self.wake(node);
    }

    /// Puts back a path edge that is worth another visit.
    pub fn put_back(&mut self, node: NodeId, path_edge: PathEdgeId) {
        self.pools[node].again.push_back(path_edge);
        self.wake(node);
    }

    /// Puts `node` on the queue.
    pub fn wake(&mut self, node: NodeId) {
        let pool = &mut self.pools[node];
        if !std::mem::replace(&mut pool.is_queued, true) {
            self.queue.push(Reverse((pool.visits * pool.weight, self.turn, node)));
            self.turn -= 1;
        }
    }

    /// The node to visit next.
    pub fn next_node(&mut self) -> Option<NodeId> {
        if let Some(&(node, _)) = self.express.last() {
            return Some(node);
        }
        let Reverse((_, _, node)) = self.queue.pop()?;
        let pool = &mut self.pools[node];
        pool.visits += 1;
        pool.is_queued = false;
        Some(node)
    }

    /// A path edge at `node`: by turns a rare one or another fresh one, and any or the one nearest to what is wished for;
    /// where there is none, the one that has waited longest.
    pub fn take(&mut self, node: NodeId, random: &mut Random) -> Option<PathEdgeId> {
        if let Some((_, path_edge)) = self.express.pop_if(|(at, _)| *at == node) {
            return Some(path_edge);
        }
        let pool = &mut self.pools[node];
        let turn = pool.visits % 4;
        let list =
            if pool.fresh.is_empty() || turn < 2 && !pool.rare.is_empty() { &mut pool.rare } else { &mut pool.fresh };
        let place = match turn % 2 {
            _ if list.is_empty() => return pool.again.pop_front(),
            0 => random.below(list.len()),
            _ => (0..list.len()).min_by_key(|&place| list[place].distance)?,
        };
        Some(list.swap_remove(place).path_edge)
    }

    /// Puts `node` back on the queue if there is something left.
    pub fn requeue(&mut self, node: NodeId) {
        let pool = &self.pools[node];
        if !pool.fresh.is_empty() || !pool.rare.is_empty() || !pool.again.is_empty() {
            self.wake(node);
        }
    }
}
