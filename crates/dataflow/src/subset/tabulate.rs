//! Figure 2 of \[BR01\], lifted to calls and returns.
//!
//! **Invariant:** `edges[v]` only grows, and a pair is in `worklist[v]` once, when it is new. A call knows for each fact
//! `d₂` before it the facts `d₅` after it (its summary), and every pair `⟨d₁, d₂⟩` before it has met every one of these.

use super::function::Function;
use super::set::PointSet;
use super::{FactId, Meet, Point, Problem, Solution, Table, Transfer};
use hardbop_base::{Budget, Exhausted, Idx, IndexVec};
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, ProcId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// Which facts go through a callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// All: `PE'` is complete.
    All,
    /// Those that the callee, or whom it calls, does something to. The others go around it, and hold inside where they
    /// hold before the call: a fact that a procedure never touches needs no pairs there.
    Touched,
}

/// What holds at each node, over all valid paths.
///
/// # Requires
/// Steps have [`Transfer::Step`], calls [`Transfer::Call`], and facts are fewer than `problem.facts`.
pub fn solve(problem: &Problem<'_>, passing: Passing, budget: &Budget) -> Result<Solution, Exhausted> {
    let icfg = problem.icfg;
    let touched = match passing {
        Passing::All => None,
        Passing::Touched => Some(touched(problem)),
    };
    let mut tabulation = Tabulation {
        problem,
        same: IndexVec::from_elem(PointSet::default(), icfg.nodes.len()),
        edges: IndexVec::from_elem(FxHashMap::default(), icfg.nodes.len()),
        worklist: IndexVec::from_elem(Vec::new(), icfg.nodes.len()),
        nodes: VecDeque::new(),
        sources: IndexVec::from_elem(FxHashMap::default(), icfg.nodes.len()),
        summaries: FxHashMap::default(),
        incoming: FxHashMap::default(),
        returns: IndexVec::from_elem(false, icfg.procs.len()),
        touched,
    };
    tabulation.start();
    tabulation.run(budget)?;
    Ok(tabulation.finish())
}

struct Tabulation<'p> {
    problem: &'p Problem<'p>,
    /// The pairs `⟨d, d⟩` of `PE'`, which are most of them.
    same: IndexVec<NodeId, PointSet>,
    /// The others: at each node, by the fact at the entry, the facts there.
    edges: IndexVec<NodeId, FxHashMap<Point, PointSet>>,
    /// The pairs that have not been looked at.
    worklist: IndexVec<NodeId, Vec<(Point, Point)>>,
    /// The nodes with such pairs, each once.
    nodes: VecDeque<NodeId>,
    /// At a node that calls, by fact there, the facts at the entry that it comes from.
    sources: IndexVec<NodeId, FxHashMap<Point, Vec<Point>>>,
    /// By call and fact before it, the facts after it.
    summaries: FxHashMap<(EdgeId, Point), PointSet>,
    /// By procedure and fact at its entry, the calls and the facts before them that it comes from.
    incoming: FxHashMap<(ProcId, Point), Vec<(EdgeId, Point)>>,
    /// Whether a procedure's exit is reached.
    returns: IndexVec<ProcId, bool>,
    /// The facts that a procedure, or whom it calls, does something to, where the others go around it.
    touched: Option<IndexVec<ProcId, PointSet>>,
}

impl<'p> Tabulation<'p> {
    fn start(&mut self) {
        let problem = self.problem;
        let entry = problem.icfg.procs[problem.entry].entry;
        self.propagate(entry, Point::LAMBDA, Point::LAMBDA);
        match problem.meet {
            Meet::Union => problem.initial.iter().for_each(|&fact| self.propagate_same(entry, fact)),
            Meet::Intersection => {
                let facts = (0..problem.facts).map(FactId::from_usize);
                let holds: PointSet = problem.initial.iter().fold(PointSet::default(), |mut set, &fact| {
                    set.insert(Point::of(fact));
                    set
                });
                facts
                    .filter(|&fact| !holds.contains(Point::of(fact)))
                    .for_each(|fact| self.propagate_same(entry, fact));
            }
        }
    }

    fn propagate_same(&mut self, node: NodeId, fact: FactId) {
        self.propagate(node, Point::of(fact), Point::of(fact));
    }

    fn propagate(&mut self, node: NodeId, from: Point, to: Point) {
        let row = if from == to { &mut self.same[node] } else { self.edges[node].entry(from).or_default() };
        if row.insert(to) {
            if self.worklist[node].is_empty() {
                self.nodes.push_back(node);
            }
            self.worklist[node].push((from, to));
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        while let Some(node) = self.nodes.pop_front() {
            let pairs = std::mem::take(&mut self.worklist[node]);
            budget.spend(1 + pairs.len() as u64)?;
            for (from, to) in pairs {
                self.visit(node, from, to);
            }
        }
        Ok(())
    }

    /// Follows every edge of `node` with the pair `⟨from, to⟩`.
    fn visit(&mut self, node: NodeId, from: Point, to: Point) {
        let problem = self.problem;
        let (mut is_first, mut is_call) = (false, false);
        for &id in problem.icfg.successors(node) {
            match (&problem.icfg.edges[id].kind, &problem.transfers[id]) {
                (EdgeKind::Step { to: next }, Transfer::Step(function)) => self.follow(*next, from, to, function),
                (EdgeKind::Call { to: next, .. }, Transfer::Call { enter, .. }) => {
                    if !is_call {
                        is_call = true;
                        let known = self.sources[node].entry(to).or_default();
                        is_first = known.is_empty();
                        known.push(from);
                    }
                    if is_first {
                        self.enter(id, to, enter);
                    }
                    let summary: Vec<_> = self.summaries.get(&(id, to)).map_or(Vec::new(), |set| set.iter().collect());
                    summary.into_iter().for_each(|after| self.propagate(*next, from, after));
                }
                (EdgeKind::Return, _) => self.leave(problem.icfg.nodes[node].proc, from, to),
                (kind, transfer) => panic!("{id:?} is {kind:?} and has the label {transfer:?}"),
            }
        }
    }

    fn follow(&mut self, next: NodeId, from: Point, to: Point, function: &Function) {
        function.image(to).iter().for_each(|after| self.propagate(next, from, after));
        if to == Point::LAMBDA {
            self.propagate(next, from, to);
        }
    }

    /// The fact `before` stands before a call for the first time.
    fn enter(&mut self, call: EdgeId, before: Point, enter: &'p Function) {
        let EdgeKind::Call { callee, .. } = self.problem.icfg.edges[call].kind else { return };
        let proc = &self.problem.icfg.procs[callee];
        if self.passes(call, before) {
            if self.returns[callee] {
                self.keep(call, before);
            }
            return;
        }
        for inside in image(enter, before) {
            self.incoming.entry((callee, inside)).or_default().push((call, before));
            self.propagate(proc.entry, inside, inside);
            let other = self.edges[proc.exit].get(&inside).into_iter().flat_map(PointSet::iter);
            let same = self.same[proc.exit].contains(inside).then_some(inside);
            let known: Vec<_> = same.into_iter().chain(other).collect();
            known.into_iter().for_each(|at_exit| self.summarise(call, before, at_exit));
        }
        if self.returns[callee] {
            self.keep(call, before);
        }
    }

    /// The pair `⟨inside, at_exit⟩` is new at the exit of `proc`.
    fn leave(&mut self, proc: ProcId, inside: Point, at_exit: Point) {
        let callers = self.incoming.get(&(proc, inside)).cloned().unwrap_or_default();
        for (call, before) in callers {
            self.summarise(call, before, at_exit);
        }
        if at_exit == Point::LAMBDA && !std::mem::replace(&mut self.returns[proc], true) {
            for &call in self.problem.icfg.callers(proc) {
                let node = self.problem.icfg.edges[call].from;
                let mut facts: Vec<_> = self.sources[node].keys().copied().collect();
                facts.sort_unstable();
                facts.into_iter().for_each(|before| self.keep(call, before));
            }
        }
    }

    /// What the callee's exit has comes back.
    fn summarise(&mut self, call: EdgeId, before: Point, at_exit: Point) {
        let Transfer::Call { leave, .. } = &self.problem.transfers[call] else { return };
        image(leave, at_exit).for_each(|after| self.add_summary(call, before, after));
    }

    /// The callee returns, so the caller goes on with what it kept.
    fn keep(&mut self, call: EdgeId, before: Point) {
        let Transfer::Call { around, .. } = &self.problem.transfers[call] else { return };
        if self.passes(call, before) {
            self.add_summary(call, before, before);
        }
        image(around, before).for_each(|after| self.add_summary(call, before, after));
    }

    /// Whether a fact goes around the callee.
    fn passes(&self, call: EdgeId, before: Point) -> bool {
        let (Some(touched), EdgeKind::Call { callee, .. }) = (&self.touched, self.problem.icfg.edges[call].kind) else {
            return false;
        };
        let Transfer::Call { enter, leave, .. } = &self.problem.transfers[call] else { return false };
        before != Point::LAMBDA && !touched[callee].contains(before) && enter.keeps(before) && leave.keeps(before)
    }

    fn add_summary(&mut self, call: EdgeId, before: Point, after: Point) {
        if !self.summaries.entry((call, before)).or_default().insert(after) {
            return;
        }
        let EdgeKind::Call { to, .. } = self.problem.icfg.edges[call].kind else { return };
        let node = self.problem.icfg.edges[call].from;
        let sources = self.sources[node].get(&before).cloned().unwrap_or_default();
        sources.into_iter().for_each(|from| self.propagate(to, from, after));
    }

    fn finish(mut self) -> Solution {
        let Problem { facts, meet, .. } = *self.problem;
        let is_complete = self.touched.is_none();
        let (same, edges) = (std::mem::take(&mut self.same), std::mem::take(&mut self.edges));
        let nodes: IndexVec<NodeId, Table> = same
            .iter_enumerated()
            .map(|(node, same)| {
                let mut all = same.clone();
                let mut rows: BTreeMap<Point, PointSet> = BTreeMap::new();
                if is_complete {
                    for point in same.iter() {
                        rows.entry(point).or_default().insert(point);
                    }
                }
                let mut other: Vec<_> = edges[node].iter().collect();
                other.sort_unstable_by_key(|(from, _)| **from);
                for (&from, row) in other {
                    for point in row.iter() {
                        all.insert(point);
                        if is_complete {
                            rows.entry(from).or_default().insert(point);
                        }
                    }
                }
                Table { rows: rows.into_iter().collect(), all }
            })
            .collect();
        let ambient = self.ambient(&nodes);
        let procs = self.problem.icfg.nodes.iter().map(|node| node.proc).collect();
        Solution { facts, meet, nodes, ambient, procs }
    }

    /// For each procedure the facts that hold throughout, since they do where it is called and it does nothing to them.
    fn ambient(&self, nodes: &IndexVec<NodeId, Table>) -> IndexVec<ProcId, PointSet> {
        let icfg = self.problem.icfg;
        let mut ambient = IndexVec::from_elem(PointSet::default(), icfg.procs.len());
        if self.touched.is_none() {
            return ambient;
        }
        let mut waiting: VecDeque<ProcId> = icfg.procs.ids().collect();
        let mut is_waiting = IndexVec::from_elem(true, icfg.procs.len());
        while let Some(callee) = waiting.pop_front() {
            is_waiting[callee] = false;
            let mut grows = false;
            for &call in icfg.callers(callee) {
                let node = icfg.edges[call].from;
                if !nodes[node].all.contains(Point::LAMBDA) {
                    continue;
                }
                let (own, around) = (nodes[node].all.iter(), ambient[icfg.nodes[node].proc].iter());
                let passing: Vec<Point> = own.chain(around).filter(|&point| self.passes(call, point)).collect();
                passing.into_iter().for_each(|point| grows |= ambient[callee].insert(point));
            }
            if grows {
                let (first, end) = icfg.procs[callee].nodes;
                let inside = (first.index()..end.index()).map(NodeId::from_usize);
                for call in inside.flat_map(|node| icfg.successors(node)) {
                    if let EdgeKind::Call { callee, .. } = icfg.edges[*call].kind
                        && !std::mem::replace(&mut is_waiting[callee], true)
                    {
                        waiting.push_back(callee);
                    }
                }
            }
        }
        ambient
    }
}

/// The facts that each procedure, or whom it calls, does something to.
fn touched(problem: &Problem<'_>) -> IndexVec<ProcId, PointSet> {
    let icfg = problem.icfg;
    let mut touched = IndexVec::from_elem(PointSet::default(), icfg.procs.len());
    for (edge, transfer) in problem.transfers.iter_enumerated() {
        let own = &mut touched[icfg.nodes[icfg.edges[edge].from].proc];
        let functions = match transfer {
            Transfer::Step(function) => vec![function],
            // What a caller keeps of a fact may be another one.
            Transfer::Call { enter, leave, around } => vec![enter, leave, around],
            Transfer::Return => Vec::new(),
        };
        for point in functions.into_iter().flat_map(Function::changed) {
            own.insert(point);
        }
    }
    let mut waiting: Vec<ProcId> = icfg.procs.ids().collect();
    while let Some(callee) = waiting.pop() {
        for &call in icfg.callers(callee) {
            let caller = icfg.nodes[icfg.edges[call].from].proc;
            if caller == callee {
                continue;
            }
            let all: Vec<Point> = touched[callee].iter().collect();
            let grows = all.into_iter().fold(false, |grows, point| touched[caller].insert(point) | grows);
            if grows {
                waiting.push(caller);
            }
        }
    }
    touched
}

/// The same with `Λ`, which stays what it is.
fn image(function: &Function, point: Point) -> impl Iterator<Item = Point> + use<> {
    let lambda = (point == Point::LAMBDA).then_some(point);
    let image: Vec<_> = function.image(point).iter().collect();
    lambda.into_iter().chain(image)
}
