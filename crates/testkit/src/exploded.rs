//! Random distributive subset problems, and what holds in them, by two explicit methods.
//!
//! [`Problem::path_edges`] builds the exploded supergraph of Reps, Horwitz and Sagiv, in which a vertex is a node with
//! a fact, and looks which vertices are joined by paths whose calls and returns match. [`Problem::walk`] follows the
//! paths themselves with a set of facts and a stack in hand.
//!
//! A set of facts is a number with one bit for each.

use proptest::prelude::{Strategy, any};
use proptest::{collection::vec, option, sample::Index};
use std::collections::{BTreeMap, BTreeSet};

/// How facts of several paths become facts of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meet {
    /// What holds on some path.
    Union,
    /// What holds on every path.
    Intersection,
}

/// What a fact becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// This.
    Constant(bool),
    /// With union whether one of these held, with intersection whether all did.
    From(Vec<usize>),
}

/// What happens to facts; those that are not named are kept, and where one is named twice the later counts.
pub type Function = Vec<(usize, Setting)>;

/// A procedure: its first and its last node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Where it begins.
    pub entry: usize,
    /// Where it returns.
    pub exit: usize,
}

/// An edge within a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What it does.
    pub action: Action,
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A step.
    Step(Function),
    /// A call, and what happens on the way in, on the way back, and to what the caller keeps.
    Call {
        /// The procedure called.
        callee: usize,
        /// Into the callee.
        enter: Function,
        /// From its exit.
        leave: Function,
        /// Around the call.
        around: Function,
    },
}

/// A distributive subset problem; a run starts in procedure 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The number of facts, 32 at most.
    pub facts: usize,
    /// The procedures; their nodes follow each other.
    pub procedures: Vec<Procedure>,
    /// By node, its procedure.
    pub nodes: Vec<usize>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// What holds at the start.
    pub initial: u32,
    /// What holds where paths meet.
    pub meet: Meet,
}

/// How large random problems become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most facts.
    pub facts: usize,
    /// The most procedures.
    pub procedures: usize,
    /// The most nodes of a procedure.
    pub nodes: usize,
    /// The most edges of a procedure.
    pub edges: usize,
}

/// Random problems, recursive ones among them.
pub fn problems(limits: Limits) -> impl Strategy<Value = Problem> {
    let function = || vec((any::<Index>(), option::of(vec(any::<Index>(), 1..3)), any::<bool>()), 0..3);
    let edge = (any::<[Index; 3]>(), any::<u8>(), [function(), function(), function()]);
    let procedure = (1..=limits.nodes, vec(edge, 0..=limits.edges));
    let shape = (1..=limits.facts, vec(procedure, 1..=limits.procedures), any::<u32>(), any::<bool>());
    shape.prop_map(|(facts, drawn, initial, is_union)| {
        let settle = |function: &Vec<(Index, Option<Vec<Index>>, bool)>| -> Function {
            let setting = |from: &Option<Vec<Index>>, value| match from {
                Some(from) => Setting::From(from.iter().map(|source| source.index(facts)).collect()),
                None => Setting::Constant(value),
            };
            function.iter().map(|(fact, from, value)| (fact.index(facts), setting(from, *value))).collect()
        };
        let (mut procedures, mut nodes, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for (id, (count, drawn_edges)) in drawn.iter().enumerate() {
            let first = nodes.len();
            nodes.extend(std::iter::repeat_n(id, *count));
            procedures.push(Procedure { entry: first, exit: first + count - 1 });
            for ([from, to, callee], kind, [enter, leave, around]) in drawn_edges {
                let action = match kind % 3 {
                    0 => Action::Call {
                        callee: callee.index(drawn.len()),
                        enter: settle(enter),
                        leave: settle(leave),
                        around: settle(around),
                    },
                    _ => Action::Step(settle(enter)),
                };
                edges.push(Edge { from: first + from.index(*count), to: first + to.index(*count), action });
            }
        }
        let meet = if is_union { Meet::Union } else { Meet::Intersection };
        Problem { facts, procedures, nodes, edges, initial: initial & mask(facts), meet }
    })
}

fn mask(facts: usize) -> u32 {
    if facts >= 32 { u32::MAX } else { (1 << facts) - 1 }
}

/// What [`Problem::walk`] has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// By node, the meet of the sets on all paths there; nothing where none has led there.
    pub nodes: Vec<Option<u32>>,
    /// Whether these are all paths.
    pub is_complete: bool,
}

/// A place on a path: the node, what holds, and for each open call its edge and what held before it.
type Place = (usize, u32, Vec<(usize, u32)>);

impl Problem {
    /// The same against the edges.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let turned = |edge: &Edge| Edge { from: edge.to, to: edge.from, action: edge.action.clone() };
        let swapped = |procedure: &Procedure| Procedure { entry: procedure.exit, exit: procedure.entry };
        Self {
            edges: self.edges.iter().map(turned).collect(),
            procedures: self.procedures.iter().map(swapped).collect(),
            ..self.clone()
        }
    }

    fn apply(&self, function: &Function, before: u32) -> u32 {
        let mut after = before;
        for (fact, setting) in function {
            let held = |source: &usize| before >> source & 1 == 1;
            let value = match (setting, self.meet) {
                (Setting::Constant(value), _) => *value,
                (Setting::From(sources), Meet::Union) => sources.iter().any(held),
                (Setting::From(sources), Meet::Intersection) => sources.iter().all(held),
            };
            after = after & !(1 << fact) | u32::from(value) << fact;
        }
        after
    }

    fn join(&self, one: u32, other: u32) -> u32 {
        match self.meet {
            Meet::Union => one | other,
            Meet::Intersection => one & other,
        }
    }

    /// Follows all valid paths with at most `depth` open calls, as long as there are no more than `most` places.
    pub fn walk(&self, depth: usize, most: usize) -> Walk {
        let mut walk = Walk { nodes: vec![None; self.nodes.len()], is_complete: true };
        let start: Place = (self.procedures[0].entry, self.initial, Vec::new());
        let (mut seen, mut waiting) = (BTreeSet::from([start.clone()]), vec![start]);
        while let Some((node, facts, stack)) = waiting.pop() {
            walk.nodes[node] = Some(walk.nodes[node].map_or(facts, |known| self.join(known, facts)));
            for next in self.steps(node, facts, &stack) {
                let is_allowed = next.2.len() <= depth && seen.len() < most;
                if is_allowed && seen.insert(next.clone()) {
                    waiting.push(next);
                } else if !is_allowed && !seen.contains(&next) {
                    walk.is_complete = false;
                }
            }
        }
        walk
    }

    fn steps(&self, node: usize, facts: u32, stack: &[(usize, u32)]) -> Vec<Place> {
        let mut next = Vec::new();
        for (id, edge) in self.edges.iter().enumerate().filter(|(_, edge)| edge.from == node) {
            match &edge.action {
                Action::Step(function) => next.push((edge.to, self.apply(function, facts), stack.to_vec())),
                Action::Call { callee, enter, .. } => {
                    let stack = stack.iter().copied().chain([(id, facts)]).collect();
                    next.push((self.procedures[*callee].entry, self.apply(enter, facts), stack));
                }
            }
        }
        if node == self.procedures[self.nodes[node]].exit
            && let Some((&(call, before), below)) = stack.split_last()
            && let Action::Call { leave, around, .. } = &self.edges[call].action
        {
            let facts = self.join(self.apply(leave, facts), self.apply(around, before));
            next.push((self.edges[call].to, facts, below.to_vec()));
        }
        next
    }

    /// By node, the path edges `⟨d₁, d₂⟩` from its procedure's entry, with 0 for `Λ` and `d + 1` for a fact; with
    /// intersection these are the facts that do not hold.
    pub fn path_edges(&self) -> Vec<BTreeSet<(usize, usize)>> {
        let graph = Exploded::new(self);
        let level = graph.same_level();
        let initial = match self.meet {
            Meet::Union => self.initial,
            Meet::Intersection => !self.initial & mask(self.facts),
        };
        let entry = self.procedures[0].entry;
        let holds = |point: &usize| *point == 0 || initial >> (point - 1) & 1 == 1;
        let mut waiting: Vec<_> = (0..=self.facts).filter(holds).map(|point| (entry, point)).collect();
        let mut reached: BTreeSet<_> = waiting.iter().copied().collect();
        while let Some(start) = waiting.pop() {
            for vertex in &level[&start] {
                let calls = graph.calls.iter().filter(|(_, from, _)| from == vertex);
                waiting.extend(calls.map(|(_, _, to)| *to).filter(|to| reached.insert(*to)));
            }
        }
        let mut pairs = vec![BTreeSet::new(); self.nodes.len()];
        for start in reached {
            for (node, point) in &level[&start] {
                pairs[*node].insert((start.1, *point));
            }
        }
        pairs
    }

    /// `R_f`: from `f(∅)` and `f({x})` alone; with intersection of the dual function.
    fn representation(&self, function: &Function) -> Vec<(usize, usize)> {
        let value = |set: u32| match self.meet {
            Meet::Union => self.apply(function, set),
            Meet::Intersection => !self.apply(function, !set & mask(self.facts)) & mask(self.facts),
        };
        let members = |set: u32| (0..self.facts).filter(move |fact| set >> fact & 1 == 1).map(|fact| fact + 1);
        let from_nothing = value(0);
        let mut relation = vec![(0, 0)];
        relation.extend(members(from_nothing).map(|to| (0, to)));
        for fact in 0..self.facts {
            relation.extend(members(value(1 << fact) & !from_nothing).map(|to| (fact + 1, to)));
        }
        relation
    }

    /// The procedures that can come to their exit.
    fn returning(&self) -> Vec<bool> {
        let mut reached: Vec<bool> = vec![false; self.nodes.len()];
        self.procedures.iter().for_each(|procedure| reached[procedure.entry] = true);
        loop {
            let returns: Vec<_> = self.procedures.iter().map(|procedure| reached[procedure.exit]).collect();
            let is_passable = |edge: &&Edge| match &edge.action {
                Action::Step(_) => true,
                Action::Call { callee, .. } => returns[*callee],
            };
            let found = self.edges.iter().filter(is_passable).find(|edge| reached[edge.from] && !reached[edge.to]);
            match found {
                Some(edge) => reached[edge.to] = true,
                None => return returns,
            }
        }
    }
}

/// A node with a fact.
type Vertex = (usize, usize);

/// The exploded supergraph.
struct Exploded<'p> {
    problem: &'p Problem,
    plain: Vec<(Vertex, Vertex)>,
    /// With the number of the call.
    calls: Vec<(usize, Vertex, Vertex)>,
    /// With the number of the call.
    returns: Vec<(usize, Vertex, Vertex)>,
}

impl<'p> Exploded<'p> {
    fn new(problem: &'p Problem) -> Self {
        let returning = problem.returning();
        let mut graph = Self { problem, plain: Vec::new(), calls: Vec::new(), returns: Vec::new() };
        for (id, Edge { from, to, action }) in problem.edges.iter().enumerate() {
            let explode = |function, from: usize, to: usize| {
                problem.representation(function).into_iter().map(move |(x, y)| ((from, x), (to, y)))
            };
            match action {
                Action::Step(function) => graph.plain.extend(explode(function, *from, *to)),
                Action::Call { callee, enter, leave, around } => {
                    let Procedure { entry, exit } = problem.procedures[*callee];
                    graph.calls.extend(explode(enter, *from, entry).map(|(x, y)| (id, x, y)));
                    graph.returns.extend(explode(leave, exit, *to).map(|(x, y)| (id, x, y)));
                    if returning[*callee] {
                        graph.plain.extend(explode(around, *from, *to));
                    }
                }
            }
        }
        graph
    }

    /// From each vertex at an entry, the vertices that paths without open calls lead to.
    fn same_level(&self) -> BTreeMap<Vertex, BTreeSet<Vertex>> {
        let entries = self.problem.procedures.iter().map(|procedure| procedure.entry);
        let starts: Vec<_> =
            entries.flat_map(|entry| (0..=self.problem.facts).map(move |point| (entry, point))).collect();
        let mut level: BTreeMap<_, _> = starts.iter().map(|start| (*start, BTreeSet::from([*start]))).collect();
        loop {
            let mut found = Vec::new();
            for (start, reached) in &level {
                let plain = self.plain.iter().filter(|(from, _)| reached.contains(from)).map(|(_, to)| (*start, *to));
                found.extend(plain);
                for (call, _, inside) in self.calls.iter().filter(|(_, from, _)| reached.contains(from)) {
                    let matching =
                        self.returns.iter().filter(|(id, exit, _)| id == call && level[inside].contains(exit));
                    found.extend(matching.map(|(_, _, to)| (*start, *to)));
                }
            }
            let before: usize = level.values().map(BTreeSet::len).sum();
            found.into_iter().for_each(|(start, vertex)| level.entry(start).or_default().extend([vertex]));
            if level.values().map(BTreeSet::len).sum::<usize>() == before {
                return level;
            }
        }
    }
}
