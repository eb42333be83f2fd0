//! What the search has found: path edges `⟨c, v, d⟩` with `c = ⟨p, d₁⟩`, the calls that wait for a context's exits, and
//! how each was found.
//!
//! **Invariant:** a path edge's link names only path edges with smaller numbers, so that following links ends.

use super::table::{StateId, Table, hash};
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::{EdgeId, NodeId, ProcId};

newtype_index! {
    /// A path edge.
    pub struct PathEdgeId = "pe";
    /// A procedure with a state at its entry.
    pub struct ContextId = "c";
    /// A call from a path edge into a context.
    pub struct CallId = "call";
    /// The first of some words that hold open bits.
    pub struct BitsId = "bits";
}

/// A path edge: from the entry of the context, `node` can be reached with `state`.
#[derive(Clone, Copy, Debug)]
pub struct PathEdge {
    pub context: ContextId,
    pub node: NodeId,
    pub state: StateId,
    /// How it was found.
    pub link: Link,
    /// The open bits of its link's transition: of the step, of the way back from the call, or of the first state. Those
    /// of the way into a call are the call's.
    pub bits: BitsId,
    /// In how many ways the open bits of the edges that leave it have been closed.
    pub samples: u64,
}

/// How a path edge was found.
#[derive(Clone, Copy, Debug)]
pub enum Link {
    /// The program starts there.
    Start,
    /// By a call; there may have been others later.
    Enter(CallId),
    /// By a step.
    Step(PathEdgeId, EdgeId),
    /// Over a call, whose context has this exit.
    Cross(CallId, PathEdgeId),
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub from: PathEdgeId,
    pub edge: EdgeId,
    pub context: ContextId,
    /// The open bits on the way in.
    pub bits: BitsId,
    /// The call that has waited for the same context before.
    pub previous: Option<CallId>,
}

/// A context.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    proc: ProcId,
    state: StateId,
    /// The last of the calls that wait for its exits.
    pub waiting: Option<CallId>,
    /// The last of its exits, in `Records::exits`.
    exits: Option<u32>,
}

/// Everything found so far.
pub struct Records {
    pub path_edges: IndexVec<PathEdgeId, PathEdge>,
    pub calls: IndexVec<CallId, Call>,
    pub contexts: IndexVec<ContextId, Context>,
    /// Exits, each with the one before it of the same context.
    exits: Vec<(PathEdgeId, Option<u32>)>,
    bits: Vec<u64>,
    of_path_edges: Table,
    of_calls: Table,
    of_contexts: Table,
}

impl Records {
    pub fn new() -> Self {
        Self {
            path_edges: IndexVec::new(),
            calls: IndexVec::new(),
            contexts: IndexVec::new(),
            exits: Vec::new(),
            bits: Vec::new(),
            of_path_edges: Table::new(),
            of_calls: Table::new(),
            of_contexts: Table::new(),
        }
    }

    /// Adds a path edge, unless it is known.
    pub fn add(
        &mut self,
        context: ContextId,
        node: NodeId,
        state: StateId,
        link: Link,
        bits: &[u64],
    ) -> Option<PathEdgeId> {
        let key = [pair(context, node), state.index() as u64];
        let Self { path_edges, of_path_edges, .. } = self;
        let known = of_path_edges.find_or_insert(hash(key), path_edges.len(), |row| {
            let known = &path_edges[PathEdgeId::from_usize(row)];
            (known.context, known.node, known.state) == (context, node, state)
        });
        if known.is_some() {
            return None;
        }
        let bits = self.keep(bits);
        Some(self.path_edges.push(PathEdge { context, node, state, link, bits, samples: 0 }))
    }

    /// The context of `proc` with `state` at the entry.
    pub fn context(&mut self, proc: ProcId, state: StateId) -> ContextId {
        let Self { contexts, of_contexts, .. } = self;
        let known = of_contexts.find_or_insert(hash([pair(proc, state)]), contexts.len(), |row| {
            let known = &contexts[ContextId::from_usize(row)];
            (known.proc, known.state) == (proc, state)
        });
        match known {
            Some(row) => ContextId::from_usize(row),
            None => contexts.push(Context { proc, state, waiting: None, exits: None }),
        }
    }

    /// The same, if it is known.
    pub fn find_context(&self, proc: ProcId, state: StateId) -> Option<ContextId> {
        let row = self.of_contexts.find(hash([pair(proc, state)]), |row| {
            let known = &self.contexts[ContextId::from_usize(row)];
            (known.proc, known.state) == (proc, state)
        });
        row.map(ContextId::from_usize)
    }

    /// Adds a call, unless it is known.
    pub fn call(&mut self, from: PathEdgeId, edge: EdgeId, context: ContextId, bits: &[u64]) -> Option<CallId> {
        let Self { calls, of_calls, .. } = self;
        let key = [pair(from, edge), context.index() as u64];
        let known = of_calls.find_or_insert(hash(key), calls.len(), |row| {
            let known = &calls[CallId::from_usize(row)];
            (known.from, known.edge, known.context) == (from, edge, context)
        });
        if known.is_some() {
            return None;
        }
        let bits = self.keep(bits);
        let previous = self.contexts[context].waiting;
        let call = self.calls.push(Call { from, edge, context, bits, previous });
        self.contexts[context].waiting = Some(call);
        Some(call)
    }

    /// Says that `exit` is at the exit of its context.
    pub fn add_exit(&mut self, exit: PathEdgeId) {
        let context = &mut self.contexts[self.path_edges[exit].context];
        let row = u32::try_from(self.exits.len()).expect("there are fewer exits than path edges");
        self.exits.push((exit, context.exits.replace(row)));
    }

    /// The exits of `context`, the last found first.
    pub fn exits(&self, context: ContextId) -> impl Iterator<Item = PathEdgeId> + '_ {
        let exit = |row: Option<u32>| row.map(|row| self.exits[row as usize]);
        let first = exit(self.contexts[context].exits);
        std::iter::successors(first, move |&(_, previous)| exit(previous)).map(|(exit, _)| exit)
    }

    /// The calls that wait for the exits of `context`, the last found first.
    pub fn waiting(&self, context: ContextId) -> impl Iterator<Item = CallId> + '_ {
        std::iter::successors(self.contexts[context].waiting, |&call| self.calls[call].previous)
    }

    /// The `len` words of open bits at `id`.
    pub fn bits(&self, id: BitsId, len: usize) -> &[u64] {
        &self.bits[id.index()..][..len]
    }

    fn keep(&mut self, bits: &[u64]) -> BitsId {
        let id = BitsId::from_usize(self.bits.len());
        self.bits.extend_from_slice(bits);
        id
    }
}

fn pair(left: impl Idx, right: impl Idx) -> u64 {
    (left.index() as u64) << 32 | right.index() as u64
}
