//! Where the ways from a node meet again: its immediate postdominator.
//!
//! The iteration of Cooper, Harvey and Kennedy on the reversed graph of a procedure, whose root is the exit.

use hardbop_base::Idx;
use hardbop_icfg::{Icfg, NodeId, ProcId};
use std::collections::HashMap;

/// For each node of `proc` from which its exit can be reached, the first node that all ways there have in common; the
/// exit has none.
pub fn meetings(icfg: &Icfg, proc: ProcId) -> HashMap<NodeId, NodeId> {
    let exit = icfg.procs[proc].exit;
    let order = order(icfg, proc, exit);
    let rank: HashMap<NodeId, usize> = order.iter().enumerate().map(|(rank, &node)| (node, rank)).collect();
    let mut meeting: Vec<Option<usize>> = vec![None; order.len()];
    if let Some(first) = meeting.first_mut() {
        *first = Some(0);
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for (at, &node) in order.iter().enumerate().skip(1) {
            let next = icfg.successors(node).iter().filter_map(|&edge| rank.get(&icfg.edges[edge].target()?));
            let known = next.copied().filter(|&next| meeting[next].is_some());
            let new = known.reduce(|left, right| common(&meeting, left, right));
            if new.is_some() && new != meeting[at] {
                meeting[at] = new;
                is_changed = true;
            }
        }
    }
    let found = order.iter().zip(&meeting).skip(1);
    found.filter_map(|(&node, meeting)| Some((node, order[(*meeting)?]))).collect()
}

/// The nodes that reach the exit, in reverse postorder from it against the edges.
fn order(icfg: &Icfg, proc: ProcId, exit: NodeId) -> Vec<NodeId> {
    let (first, end) = icfg.procs[proc].nodes;
    let mut is_seen = vec![false; end.index() - first.index()];
    let mut order = Vec::new();
    let mut stack = vec![(exit, 0)];
    is_seen[exit.index() - first.index()] = true;
    while let Some((node, next)) = stack.last_mut() {
        let Some(&edge) = icfg.predecessors(*node).get(*next) else {
            order.push(*node);
            stack.pop();
            continue;
        };
        *next += 1;
        let from = icfg.edges[edge].from;
        if !std::mem::replace(&mut is_seen[from.index() - first.index()], true) {
            stack.push((from, 0));
        }
    }
    order.reverse();
    order
}

fn common(meeting: &[Option<usize>], mut left: usize, mut right: usize) -> usize {
    let up = |at: usize| meeting[at].expect("what has been met has a meeting of its own");
    while left != right {
        while left > right {
            left = up(left);
        }
        while right > left {
            right = up(right);
        }
    }
    left
}
