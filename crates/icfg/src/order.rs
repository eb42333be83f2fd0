//! Orders to work in: callees before callers, and within a procedure what comes first in the control flow.

use crate::{EdgeKind, Icfg, NodeId, ProcId};
use hardbop_base::{Idx, IndexVec};

/// The strongly connected components of the call graph, numbered callees first.
#[derive(Clone, Debug)]
pub struct CallOrder {
    /// The component of each procedure; a callee's is at most its caller's.
    pub component: IndexVec<ProcId, u32>,
    /// All procedures, callees before callers.
    pub callees_first: Vec<ProcId>,
    is_recursive: IndexVec<ProcId, bool>,
}

impl CallOrder {
    /// Tarjan's algorithm, without recursion: call chains can be a hundred thousand long.
    pub fn new(icfg: &Icfg) -> Self {
        let mut search = Tarjan {
            icfg,
            index: IndexVec::from_elem(u32::MAX, icfg.procs.len()),
            low: IndexVec::from_elem(0, icfg.procs.len()),
            open: Vec::new(),
            visited: 0,
            result: Self {
                component: IndexVec::from_elem(u32::MAX, icfg.procs.len()),
                callees_first: Vec::new(),
                is_recursive: IndexVec::from_elem(false, icfg.procs.len()),
            },
            components: 0,
        };
        for proc in icfg.procs.ids() {
            if search.index[proc] == u32::MAX {
                search.visit(proc);
            }
        }
        let mut result = search.result;
        for edge in &icfg.edges {
            let caller = icfg.nodes[edge.from].proc;
            if let EdgeKind::Call { callee, .. } = edge.kind
                && result.same_component(caller, callee)
            {
                result.is_recursive[caller] = true;
                result.is_recursive[callee] = true;
            }
        }
        result
    }

    /// Whether `proc` can call itself, directly or not.
    pub fn is_recursive(&self, proc: ProcId) -> bool {
        self.is_recursive[proc]
    }

    /// Whether the two call each other, directly or not (a procedure and itself always count).
    pub fn same_component(&self, left: ProcId, right: ProcId) -> bool {
        self.component[left] == self.component[right]
    }
}

struct Tarjan<'a> {
    icfg: &'a Icfg,
    index: IndexVec<ProcId, u32>,
    low: IndexVec<ProcId, u32>,
    open: Vec<ProcId>,
    visited: u32,
    result: CallOrder,
    components: u32,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: ProcId) {
        let mut stack = vec![(root, self.enter(root))];
        while let Some((proc, callees)) = stack.last_mut() {
            let proc = *proc;
            if let Some(callee) = callees.pop() {
                if self.index[callee] == u32::MAX {
                    let next = self.enter(callee);
                    stack.push((callee, next));
                } else if self.result.component[callee] == u32::MAX {
                    self.low[proc] = self.low[proc].min(self.index[callee]);
                }
                continue;
            }
            stack.pop();
            if let Some(&(parent, _)) = stack.last() {
                self.low[parent] = self.low[parent].min(self.low[proc]);
            }
            if self.low[proc] == self.index[proc] {
                self.close(proc);
            }
        }
    }

    fn enter(&mut self, proc: ProcId) -> Vec<ProcId> {
        self.index[proc] = self.visited;
        self.low[proc] = self.visited;
        self.visited += 1;
        self.open.push(proc);
        callees(self.icfg, proc)
    }

    fn close(&mut self, root: ProcId) {
        loop {
            let proc = self.open.pop().expect("the root of a component is still open");
            self.result.component[proc] = self.components;
            self.result.callees_first.push(proc);
            if proc == root {
                break;
            }
        }
        self.components += 1;
    }
}

fn callees(icfg: &Icfg, proc: ProcId) -> Vec<ProcId> {
    let mut result = Vec::new();
    for node in icfg.nodes_of(proc) {
        for &edge in icfg.successors(node) {
            if let EdgeKind::Call { callee, .. } = icfg.edges[edge].kind {
                result.push(callee);
            }
        }
    }
    result
}

/// For each node its place in a reverse post-order of its procedure, from the entry; nodes that the entry does not
/// lead to come last.
pub fn reverse_post_order(icfg: &Icfg) -> IndexVec<NodeId, u32> {
    let mut place: IndexVec<NodeId, u32> = IndexVec::from_elem(u32::MAX, icfg.nodes.len());
    let mut is_seen = IndexVec::from_elem(false, icfg.nodes.len());
    for proc in icfg.procs.iter() {
        let first = proc.nodes.0.index();
        let size = (proc.nodes.1.index() - first) as u32;
        let mut finished = 0;
        let mut stack = vec![(proc.entry, 0)];
        is_seen[proc.entry] = true;
        while let Some((node, next)) = stack.last_mut() {
            let successors = icfg.successors(*node);
            // The last successor first, so that the first one (the loop's body, the taken branch) comes earlier.
            if let Some(&edge) = successors.len().checked_sub(*next + 1).and_then(|place| successors.get(place)) {
                *next += 1;
                if let Some(target) = icfg.edges[edge].target()
                    && !is_seen[target]
                {
                    is_seen[target] = true;
                    stack.push((target, 0));
                }
                continue;
            }
            finished += 1;
            place[*node] = size - finished;
            stack.pop();
        }
    }
    place
}
