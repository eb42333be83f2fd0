//! Inclusion constraints `l ∈ n`, `n ⊆ m`, `n + step ⊆ m`, `*n ⊆ m`, `m ⊆ *n` and calls through `n`, and their least
//! solution.
//!
//! Wave propagation [PB09]: in each round the cycles of `⊆` are collapsed (all nodes of one have the same set), what is
//! new is pushed along the edges in topological order, and then the constraints with a dereference are looked at, which
//! makes new edges. Sets travel as differences.
//!
//! What outside code may do is implicit, as in [KBSR26]: the location [`Memory::UNKNOWN`] in a set stands for
//! everything that has escaped, and the node [`Memory::outside`] is the set of what has. So a store through an unknown
//! pointer is one edge, an escaped object costs two, and a set with the unknown location need not name what has escaped.
//!
//! **Invariant:** `fresh[n] ⊆ points_to[n]`; every edge from `n` has seen `points_to[n] ∖ fresh[n]`, up to locations that
//! have escaped where the unknown one is.

mod wave;

use crate::layout::Step;
use crate::memory::{Memory, NodeId, ObjectId, ObjectKind, Touched};
use crate::set::Set;
use hardbop_base::{IndexVec, newtype_index};
use hardbop_c_core::{FunctionId, Parameters};
use rustc_hash::{FxHashMap, FxHashSet};

newtype_index! {
    /// A call through a pointer.
    pub(crate) struct CallId = "call";
}

/// A part of a value: first byte, width, and the node that holds it.
pub(crate) type ValuePart = (u64, u64, NodeId);

/// A call through a pointer.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) arguments: Vec<Vec<ValuePart>>,
    pub(crate) result: Vec<ValuePart>,
}

/// Where a function gets and leaves its values.
#[derive(Clone, Debug)]
pub(crate) struct Callable {
    pub(crate) parameters: Vec<ObjectId>,
    pub(crate) result: ObjectId,
    /// The arguments beyond the parameters.
    pub(crate) rest: ObjectId,
    pub(crate) takes: Parameters,
}

/// A constraint that looks through the pointers of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Use {
    /// The pointers, moved, are in the node.
    Shift(Step, NodeId),
    /// What so many bytes hold is in the node.
    Load(u64, NodeId),
    /// What the node holds goes to so many bytes.
    Store(u64, NodeId),
    /// They are called.
    Call(CallId),
}

/// All cells of an object at once.
#[derive(Clone, Copy, Default, Debug)]
struct Summary {
    /// Holds what any of them holds.
    read: Option<NodeId>,
    /// What it holds, all of them hold.
    written: Option<NodeId>,
}

/// The constraints and their solution.
pub(crate) struct Solver {
    pub(crate) memory: Memory,
    pub(crate) callables: FxHashMap<FunctionId, Callable>,
    pub(crate) calls: IndexVec<CallId, Call>,
    /// The functions that each call may reach.
    pub(crate) callees: IndexVec<CallId, Vec<FunctionId>>,
    points_to: IndexVec<NodeId, Set>,
    fresh: IndexVec<NodeId, Set>,
    edges: IndexVec<NodeId, Vec<NodeId>>,
    uses: IndexVec<NodeId, Vec<Use>>,
    /// The node that stands for each, after collapsing; follow until it is its own.
    leader: IndexVec<NodeId, NodeId>,
    known_edges: FxHashSet<(NodeId, NodeId)>,
    summaries: FxHashMap<ObjectId, Summary>,
    escaped: FxHashSet<ObjectId>,
    escaped_locations: Set,
    /// How many objects had escaped when sets were last rid of their names.
    unnamed: usize,
    reaches_outside: FxHashSet<CallId>,
    /// Edges since cycles were last collapsed.
    new_edges: usize,
    /// Bytes of a pointer.
    pub(crate) pointer_size: u64,
    /// Whether functions outside do anything with what they are given.
    pub(crate) is_outside_active: bool,
    /// The objects that nobody can write.
    pub(crate) constants: FxHashSet<ObjectId>,
}

impl Solver {
    /// No constraints on the objects.
    pub(crate) fn new(memory: Memory) -> Self {
        let mut solver = Self {
            memory,
            callables: FxHashMap::default(),
            calls: IndexVec::new(),
            callees: IndexVec::new(),
            points_to: IndexVec::new(),
            fresh: IndexVec::new(),
            edges: IndexVec::new(),
            uses: IndexVec::new(),
            leader: IndexVec::new(),
            known_edges: FxHashSet::default(),
            summaries: FxHashMap::default(),
            escaped: FxHashSet::default(),
            escaped_locations: Set::default(),
            unnamed: 0,
            reaches_outside: FxHashSet::default(),
            new_edges: 0,
            pointer_size: 1,
            is_outside_active: true,
            constants: FxHashSet::default(),
        };
        solver.cover_nodes();
        let outside = solver.memory.outside();
        solver.add_location(outside, Memory::UNKNOWN);
        solver
    }

    /// A node for a value on its way.
    pub(crate) fn add_node(&mut self) -> NodeId {
        let node = self.memory.add_node();
        self.cover_nodes();
        node
    }

    /// `location ∈ node`
    pub(crate) fn add_location(&mut self, node: NodeId, location: u32) {
        self.cover_nodes();
        let node = self.find(node);
        self.receive_one(node, location);
    }

    /// `from ⊆ to`
    pub(crate) fn add_edge(&mut self, from: NodeId, to: NodeId) {
        self.cover_nodes();
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.known_edges.insert((from, to)) {
            return;
        }
        self.edges[from].push(to);
        self.new_edges += 1;
        let old = std::mem::take(&mut self.points_to[from]);
        self.receive(to, &old, &mut None);
        self.points_to[from] = old;
    }

    /// Adds locations to a node; `unnamed` is where those that need not be named are left out, once they are.
    fn receive(&mut self, node: NodeId, news: &Set, unnamed: &mut Option<Set>) {
        let is_unknown = self.points_to[node].has_zero();
        if !is_unknown && !news.has_zero() {
            return self.points_to[node].absorb(news, &mut self.fresh[node]);
        }
        if !is_unknown {
            self.unname(node);
        }
        let unnamed = unnamed.get_or_insert_with(|| news.minus(&self.escaped_locations));
        self.points_to[node].absorb(unnamed, &mut self.fresh[node]);
    }

    fn receive_one(&mut self, node: NodeId, location: u32) {
        if self.points_to[node].has_zero() && self.escaped_locations.contains(location) {
            return;
        }
        if self.points_to[node].insert(location) {
            self.fresh[node].insert(location);
            if location == Memory::UNKNOWN {
                self.unname(node);
            }
        }
    }

    /// Forgets the locations that the unknown one stands for.
    fn unname(&mut self, node: NodeId) {
        self.points_to[node] = self.points_to[node].minus(&self.escaped_locations);
        self.fresh[node] = self.fresh[node].minus(&self.escaped_locations);
    }

    /// A constraint on what the pointers in `node` point to.
    pub(crate) fn add_use(&mut self, node: NodeId, usage: Use) {
        self.cover_nodes();
        let node = self.find(node);
        self.uses[node].push(usage);
        let all = self.points_to[node].clone();
        self.fresh[node].merge(&all);
    }

    /// A call through the pointers in `node`.
    pub(crate) fn add_call(&mut self, node: NodeId, call: Call) -> CallId {
        let id = self.calls.push(call);
        self.callees.push(Vec::new());
        self.add_use(node, Use::Call(id));
        id
    }

    /// The solution at a node.
    pub(crate) fn solution(&self, node: NodeId) -> &Set {
        &self.points_to[self.find(node)]
    }

    /// Whether a call may reach code that nobody knows.
    pub(crate) fn calls_unknown(&self, call: CallId) -> bool {
        self.reaches_outside.contains(&call)
    }

    /// Whether outside code can get hold of the object's address.
    pub(crate) fn has_escaped(&self, object: ObjectId) -> bool {
        self.escaped.contains(&object)
    }

    /// How many nodes, edges and elements of sets there are.
    pub(crate) fn size(&self) -> [usize; 3] {
        [self.leader.len(), self.known_edges.len(), self.points_to.iter().map(Set::len).sum()]
    }

    fn find(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while self.leader[node] != node {
            node = self.leader[node];
        }
        node
    }

    /// Gives rows to nodes that memory has made since.
    fn cover_nodes(&mut self) {
        while self.leader.len() < self.memory.node_count() {
            let next = self.leader.next_id();
            self.leader.push(next);
            self.points_to.push(Set::default());
            self.fresh.push(Set::default());
            self.edges.push(Vec::new());
            self.uses.push(Vec::new());
        }
    }

    /// What `node`, in which `news` are new, is used for.
    fn look_through(&mut self, node: NodeId, news: &Set) {
        if node == self.find(self.memory.outside()) {
            self.escape(news);
        }
        let uses = std::mem::take(&mut self.uses[node]);
        for &usage in &uses {
            match usage {
                // Done while the wave passes.
                Use::Shift(..) => {}
                Use::Load(width, to) => self.load(news, width, to),
                Use::Store(width, from) => self.store(news, width, from),
                Use::Call(call) => self.call(news, call),
            }
        }
        let leader = self.find(node);
        self.uses[leader].extend(uses);
    }

    fn load(&mut self, pointers: &Set, width: u64, to: NodeId) {
        for location in pointers.iter() {
            match self.memory.touched(location, width) {
                _ if location == Memory::UNKNOWN => self.add_location(to, Memory::UNKNOWN),
                Touched::Nothing => {}
                Touched::Cell(cell) => self.add_edge(cell, to),
                Touched::Cells(cells) => cells.into_iter().for_each(|cell| self.add_edge(cell, to)),
                Touched::All(object) => {
                    let all = self.read_summary(object);
                    self.add_edge(all, to);
                }
            }
        }
    }

    fn store(&mut self, pointers: &Set, width: u64, from: NodeId) {
        for location in pointers.iter() {
            match self.memory.touched(location, width) {
                Touched::Nothing => {}
                Touched::Cell(cell) => self.add_edge(from, cell),
                Touched::Cells(cells) => cells.into_iter().for_each(|cell| self.add_edge(from, cell)),
                Touched::All(object) => {
                    let all = self.written_summary(object);
                    self.add_edge(from, all);
                }
            }
        }
    }

    /// A node that holds what any cell of the object holds.
    fn read_summary(&mut self, object: ObjectId) -> NodeId {
        if let Some(node) = self.summaries.entry(object).or_default().read {
            return node;
        }
        let node = self.add_node();
        self.summaries.entry(object).or_default().read = Some(node);
        for cell in self.memory.nodes(object) {
            self.add_edge(cell, node);
        }
        node
    }

    /// A node such that all cells of the object hold what it holds.
    fn written_summary(&mut self, object: ObjectId) -> NodeId {
        if let Some(node) = self.summaries.entry(object).or_default().written {
            return node;
        }
        let node = self.add_node();
        self.summaries.entry(object).or_default().written = Some(node);
        for cell in self.memory.nodes(object) {
            self.add_edge(node, cell);
        }
        node
    }

    /// Outside code gets hold of pointers: it reads and writes what they point to, unless nobody can, and calls it.
    fn escape(&mut self, pointers: &Set) {
        for location in pointers.iter().filter(|&location| location != Memory::UNKNOWN) {
            let object = self.memory.object(location);
            if !self.escaped.insert(object) {
                continue;
            }
            for location in self.memory.locations_of(object) {
                self.escaped_locations.insert(location);
            }
            if let ObjectKind::Function(function) = self.memory.objects[object].kind {
                self.call_from_outside(function);
                continue;
            }
            let outside = self.memory.outside();
            let read = self.read_summary(object);
            self.add_edge(read, outside);
            if !self.constants.contains(&object) {
                let written = self.written_summary(object);
                self.add_location(written, Memory::UNKNOWN);
            }
        }
    }

    /// The function is called with arguments that nobody knows.
    pub(crate) fn call_from_outside(&mut self, function: FunctionId) {
        let Some(callable) = self.callables.get(&function).cloned() else { return };
        for object in callable.parameters.iter().copied().chain([callable.rest]) {
            self.give_anything(object);
        }
        self.leave_outside(callable.result);
    }

    /// An object holds what nobody knows, if it can hold a pointer.
    pub(crate) fn give_anything(&mut self, object: ObjectId) {
        if self.memory.objects[object].layout.may_hold(self.pointer_size) {
            for cell in self.memory.nodes(object) {
                self.add_location(cell, Memory::UNKNOWN);
            }
        }
    }

    /// Outside code gets what an object holds.
    pub(crate) fn leave_outside(&mut self, object: ObjectId) {
        for cell in self.memory.nodes(object) {
            self.add_edge(cell, self.memory.outside());
        }
    }

    fn call(&mut self, pointers: &Set, call: CallId) {
        for location in pointers.iter() {
            if location == Memory::UNKNOWN {
                self.call_outside(call);
                continue;
            }
            let ObjectKind::Function(function) = self.memory.objects[self.memory.object(location)].kind else {
                continue;
            };
            if !self.callees[call].contains(&function) && self.callables.contains_key(&function) {
                self.callees[call].push(function);
                self.link(call, function);
            }
        }
    }

    fn call_outside(&mut self, call: CallId) {
        self.reaches_outside.insert(call);
        let Call { arguments, result } = self.calls[call].clone();
        let is_active = self.is_outside_active;
        for (_, _, node) in arguments.into_iter().flatten().filter(|_| is_active) {
            self.add_edge(node, self.memory.outside());
        }
        for (_, _, node) in result {
            self.add_location(node, Memory::UNKNOWN);
        }
    }

    /// Passes arguments and result between a call and a function.
    pub(crate) fn link(&mut self, call: CallId, function: FunctionId) {
        let call = self.calls[call].clone();
        self.pass(&call, function);
    }

    /// Passes arguments and result between a call and a function.
    pub(crate) fn pass(&mut self, call: &Call, function: FunctionId) {
        let Some(callable) = self.callables.get(&function).cloned() else { return };
        for (index, argument) in call.arguments.iter().enumerate() {
            let parameter = callable.parameters.get(index).copied();
            for &(offset, width, node) in argument {
                for cell in self.part_of(parameter.unwrap_or(callable.rest), offset, width) {
                    self.add_edge(node, cell);
                }
            }
        }
        for &(offset, width, node) in &call.result {
            for cell in self.part_of(callable.result, offset, width) {
                self.add_edge(cell, node);
            }
        }
    }

    /// The nodes of the cells of an object that so many bytes from an offset are in.
    fn part_of(&self, object: ObjectId, offset: u64, width: u64) -> Vec<NodeId> {
        let layout = &self.memory.objects[object].layout;
        let mut cells = Vec::new();
        let step = Step::Add(i64::try_from(offset).unwrap_or(i64::MAX));
        layout.shift(crate::layout::START, step, &mut |position| cells.extend(layout.touched(position, width)));
        cells.into_iter().map(|cell| self.memory.node(object, cell)).collect()
    }
}

/// Whether a function that takes these can be called with so many arguments.
pub(crate) fn accepts(takes: &Parameters, count: usize) -> bool {
    match takes {
        Parameters::Fixed(types) => types.len() == count,
        Parameters::Variadic(types) => types.len() <= count,
        Parameters::Unspecified => true,
    }
}

#[cfg(test)]
mod tests;
