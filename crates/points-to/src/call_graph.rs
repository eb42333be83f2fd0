//! Who calls whom.

use crate::components::Components;
use crate::solver::CallId;
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::FunctionId;

/// What is known of calls before pointers are.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    /// The functions that each calls by name.
    pub(crate) direct: IndexVec<FunctionId, Vec<FunctionId>>,
    /// Library functions and the calls that they make.
    pub(crate) call_backs: Vec<(FunctionId, CallId)>,
    /// The calls among them that start a thread.
    pub(crate) threads: Vec<CallId>,
    /// Whether there is memory that other processes write, too.
    pub(crate) shares_memory: bool,
}

impl Edges {
    pub(crate) fn new(functions: usize) -> Self {
        let direct = IndexVec::from_elem(Vec::new(), functions);
        Self { direct, call_backs: Vec::new(), threads: Vec::new(), shares_memory: false }
    }
}

/// Whether activations of a function can exist side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activations {
    /// At most one at a time.
    One,
    /// Any number: it is in a cycle of the call graph, or threads run it.
    Many,
}

/// The call graph, calls through pointers and calls back from library functions and outside code included.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: IndexVec<FunctionId, Vec<FunctionId>>,
    calls_outside: IndexVec<FunctionId, bool>,
    components: Vec<Vec<FunctionId>>,
    activations: IndexVec<FunctionId, Activations>,
}

impl CallGraph {
    /// The graph with these edges, in which outside code may call some of the functions.
    pub(crate) fn new(
        callees: IndexVec<FunctionId, Vec<FunctionId>>,
        calls_outside: IndexVec<FunctionId, bool>,
        called_from_outside: &[FunctionId],
        threads: &[FunctionId],
    ) -> Self {
        let mut graph = Self {
            activations: IndexVec::from_elem(Activations::One, callees.len()),
            callees,
            calls_outside,
            components: Vec::new(),
        };
        for row in graph.callees.iter_mut() {
            row.sort_unstable();
            row.dedup();
        }
        graph.find_components(called_from_outside);
        graph.mark_threads(called_from_outside, threads);
        graph
    }

    /// The functions that a function may call, in order.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function]
    }

    /// Whether it may call code that is not in the module, which may call any function whose address has escaped.
    pub fn calls_outside(&self, function: FunctionId) -> bool {
        self.calls_outside[function]
    }

    /// The strongly connected components, callees before callers. Functions that call each other by way of outside code
    /// are in one.
    pub fn components(&self) -> impl Iterator<Item = &[FunctionId]> {
        self.components.iter().map(Vec::as_slice)
    }

    /// Whether activations of the function can exist side by side.
    pub fn activations(&self, function: FunctionId) -> Activations {
        self.activations[function]
    }

    fn find_components(&mut self, called_from_outside: &[FunctionId]) {
        // Outside code is one more node, the last.
        let outside = self.callees.len();
        let number = |function: FunctionId| u32::try_from(function.index()).expect("fewer than 2^32 functions");
        let edge = |node: u32, index: usize| {
            if node as usize == outside {
                return called_from_outside.get(index).map(|&function| number(function));
            }
            let function = FunctionId::from_usize(node as usize);
            let callees = &self.callees[function];
            match callees.get(index) {
                Some(&callee) => Some(number(callee)),
                None => (index == callees.len() && self.calls_outside[function])
                    .then(|| number(FunctionId::from_usize(outside))),
            }
        };
        let components = Components::of(outside + 1, |_| true, edge);
        for component in components.iter() {
            let functions: Vec<FunctionId> = component
                .iter()
                .filter(|&&node| node as usize != outside)
                .map(|&node| FunctionId::from_usize(node as usize))
                .collect();
            let is_cycle = component.len() > 1
                || functions.first().is_some_and(|&function| self.callees[function].binary_search(&function).is_ok());
            if is_cycle {
                for &function in &functions {
                    self.activations[function] = Activations::Many;
                }
            }
            if !functions.is_empty() {
                self.components.push(functions);
            }
        }
    }

    fn mark_threads(&mut self, called_from_outside: &[FunctionId], threads: &[FunctionId]) {
        let mut waiting = threads.to_vec();
        let mut is_seen = IndexVec::from_elem(false, self.callees.len());
        while let Some(function) = waiting.pop() {
            if std::mem::replace(&mut is_seen[function], true) {
                continue;
            }
            self.activations[function] = Activations::Many;
            waiting.extend_from_slice(&self.callees[function]);
            if self.calls_outside[function] {
                waiting.extend_from_slice(called_from_outside);
            }
        }
    }
}
