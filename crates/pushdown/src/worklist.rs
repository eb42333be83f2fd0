//! The order of work: callees before callers, and within a procedure what comes first in the control flow.
//!
//! A summary found late would make every caller go over its states again.

use hardbop_base::IndexVec;
use hardbop_icfg::order::reverse_post_order;
use hardbop_icfg::{CallOrder, Icfg, NodeId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A set of nodes that gives back the most urgent first.
#[derive(Debug)]
pub struct Worklist {
    rank: IndexVec<NodeId, u32>,
    node: Vec<NodeId>,
    heap: BinaryHeap<Reverse<u32>>,
    is_waiting: IndexVec<NodeId, bool>,
}

impl Worklist {
    /// An empty worklist over the nodes of `icfg`.
    pub fn new(icfg: &Icfg, order: &CallOrder) -> Self {
        let place = reverse_post_order(icfg);
        let mut node = Vec::with_capacity(icfg.nodes.len());
        for &proc in &order.callees_first {
            let start = node.len();
            node.extend(icfg.nodes_of(proc));
            node[start..].sort_by_key(|&node| place[node]);
        }
        let mut rank = IndexVec::from_elem(0, node.len());
        for (position, &id) in node.iter().enumerate() {
            rank[id] = u32::try_from(position).expect("nodes are numbered with 32 bits");
        }
        Self { is_waiting: IndexVec::from_elem(false, node.len()), rank, node, heap: BinaryHeap::new() }
    }

    /// Adds `node`, if it is not there yet.
    pub fn push(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.is_waiting[node], true) {
            self.heap.push(Reverse(self.rank[node]));
        }
    }

    /// Takes the most urgent node.
    pub fn pop(&mut self) -> Option<NodeId> {
        let Reverse(rank) = self.heap.pop()?;
        let node = self.node[rank as usize];
        self.is_waiting[node] = false;
        Some(node)
    }

    /// How many nodes wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}
