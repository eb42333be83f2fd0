//! Concrete search: runs one by one, with calls crossed by what is known of the callee, guided by coverage.
//!
//! The tabulation of [RHS95, §4] over single states. A path edge is `⟨c, v, d⟩`: in context `c = ⟨p, d₁⟩`, a procedure and
//! the state at its entry, `v` can be reached with `d`. A state gives a value to what is live; what is open (choices,
//! first values) is drawn. The search ends when all goals are found, when nothing new has been found for long, or with
//! its allowance: that it did not find a goal says nothing.
//!
//! - [`code`]: transitions, reduced to what is live.
//! - [`execute`]: takes them, and steers what is open towards guards that can be met.
//! - [`records`]: what was found, and how.
//! - [`wishes`]: what states on the way to a goal should look like.
//! - [`pools`]: what to look at next.
//! - [`unfold`]: the witness.

mod code;
mod execute;
mod pools;
mod records;
mod table;
mod unfold;
mod wishes;

use crate::{Context, Evidence, Options, Setting, Switch};
use code::{Code, Codes, EdgeCode};
use execute::Executor;
use hardbop_base::{Budget, Exhausted, Idx, IndexVec};
use hardbop_icfg::{EdgeId, Goal, NodeId, ProcId, Program, Relation, SlotSet};
use hardbop_verdict::Witness;
use pools::{Novelty, Pools};
use records::{CallId, ContextId, Link, PathEdge, PathEdgeId, Records};
use std::ops::Range;
use table::{StateId, States, hash};
use wishes::{Distance, Wishes};

/// The work that the search may do: less than half a second.
const ALLOWANCE: u64 = 2_500_000;
/// The work that it may do without news, in addition to twice that before the last news.
const PATIENCE: u64 = 500_000;
/// The path edges that it may find: some 80 MB.
const MOST_PATH_EDGES: usize = 1 << 19;
/// What a visit to a goal counts for, and how much more one that is far from every goal.
const NEAREST: u32 = 8;
const FARTHEST: u32 = 64;
/// In how many ways open bits are closed at one visit.
const SAMPLES: u64 = 4;
/// How many exits a call, or calls an exit, meets at one visit.
const MOST_CROSSINGS: usize = 256;

/// Looks for runs to `goals`. The same program and goals give the same runs.
pub fn search(program: &Program<Relation>, goals: &[Goal], budget: &Budget) -> Vec<Option<Witness>> {
    let setting = Setting::new(program, goals, &OPTIONS, Context::Exact);
    let codes = Codes::new(&setting);
    let mut search = Search::new(&setting, &codes, budget);
    // What was found within the limit counts.
    let _ = search.run();
    let found = std::mem::take(&mut search.found);
    found.into_iter().map(|found| found.map(|found| search.unfold(found))).collect()
}

/// Everything that makes states fewer.
const OPTIONS: Options = Options {
    order: Switch::On,
    class: Switch::On,
    post: Switch::On,
    rough: Switch::On,
    unroll: Switch::On,
    slice: Switch::On,
    mod_ref: Switch::On,
    liveness: Switch::On,
    chains: Switch::Off,
    frontiers: Switch::Off,
    concrete: Switch::On,
    insensitive: Switch::Off,
    evidence: Evidence::Traces,
    first_attempt: 0,
    trace_attempt: 0,
};

struct Search<'a> {
    setting: &'a Setting<'a>,
    codes: &'a Codes,
    budget: Budget,
    allowance: u64,
    /// The work that had been done when a node was first reached or a state came nearer to a goal than any before.
    last_news: u64,
    masks: Masks,
    executor: Executor<'a>,
    states: States,
    records: Records,
    pools: Pools,
    wishes: Wishes,
    /// The goals at each node that are still looked for.
    goals_at: IndexVec<NodeId, Vec<usize>>,
    /// For each goal, what meets it.
    found: Vec<Option<Found>>,
    missing: usize,
    /// How many of them are left when the wishes are made anew.
    refresh_at: usize,
    /// In how many ways the first state has been drawn.
    starts: u64,
    /// Scratch: what is to be crossed.
    exits: Vec<PathEdgeId>,
    calls: Vec<CallId>,
}

/// A state that a transition has led to.
#[derive(Clone, Copy)]
struct Arrival {
    state: StateId,
    novelty: Novelty,
    distance: Distance,
}

/// How a goal was met.
struct Found {
    last: PathEdgeId,
    /// The choices of its condition.
    choices: Vec<Option<bool>>,
}

/// Sets of slots, as words.
struct Masks {
    width: usize,
    /// What is live at each node.
    live: Vec<u64>,
    /// The globals that each procedure may modify.
    modified: Vec<u64>,
    globals: Vec<u64>,
}

impl Masks {
    fn new(setting: &Setting<'_>) -> Self {
        let width = setting.slots.len().div_ceil(64).max(1);
        let icfg = &setting.program.icfg;
        let words = |sets: &mut dyn Iterator<Item = &SlotSet>| {
            let mut words = Vec::new();
            for set in sets {
                let first = words.len();
                words.resize(first + width, 0);
                for slot in set.iter() {
                    words[first + slot.index() / 64] |= 1 << (slot.index() % 64);
                }
            }
            words
        };
        let mut globals = SlotSet::empty(setting.slots.len());
        setting.slots.ids().take(setting.slots.globals()).for_each(|slot| {
            globals.insert(slot);
        });
        let modified = |proc: ProcId| {
            let mut set = setting.mod_ref.modified[proc].clone();
            set.intersect(&globals);
            set
        };
        let modified: Vec<SlotSet> = icfg.procs.ids().map(modified).collect();
        Self {
            width,
            live: words(&mut icfg.nodes.ids().map(|node| setting.liveness.at(node))),
            modified: words(&mut modified.iter()),
            globals: words(&mut std::iter::once(&globals)),
        }
    }

    fn live(&self, node: NodeId) -> &[u64] {
        &self.live[node.index() * self.width..][..self.width]
    }

    fn modified(&self, proc: ProcId) -> &[u64] {
        &self.modified[proc.index() * self.width..][..self.width]
    }
}

impl<'a> Search<'a> {
    fn new(setting: &'a Setting<'a>, codes: &'a Codes, budget: &Budget) -> Self {
        let allowance = ALLOWANCE.min(budget.left());
        let program = setting.program;
        let masks = Masks::new(setting);
        let mut goals_at = IndexVec::from_elem(Vec::new(), program.icfg.nodes.len());
        for (number, goal) in setting.goals.iter().enumerate() {
            goals_at[goal.node].push(number);
        }
        Self {
            setting,
            codes,
            budget: budget.with_allowance(allowance),
            allowance,
            last_news: 0,
            executor: Executor::new(&program.exprs, &setting.slots, codes, masks.width),
            states: States::new(masks.width),
            records: Records::new(),
            pools: Pools::new(program.icfg.nodes.len(), masks.width),
            wishes: Wishes::new(setting, codes, 0..setting.goals.len(), masks.width),
            goals_at,
            found: setting.goals.iter().map(|_| None).collect(),
            missing: setting.goals.len(),
            refresh_at: setting.goals.len() / 2,
            starts: 0,
            exits: Vec::new(),
            calls: Vec::new(),
            masks,
        }
    }

    fn run(&mut self) -> Result<(), Exhausted> {
        let program = self.setting.program;
        let start = program.icfg.procs[program.entry].entry;
        if self.setting.slice.is_useful[start] {
            self.pools.wake(start);
        }
        self.weigh();
        while self.missing > 0
            && self.is_hopeful()
            && let Some(node) = self.pools.next_node()
        {
            if node == start {
                self.begin()?;
            }
            if let Some(path_edge) = self.pools.take(node, &mut self.executor.random) {
                self.expand(path_edge)?;
            }
            if node == start && self.starts < self.codes.initial.ways() {
                self.pools.wake(node);
            }
            self.pools.requeue(node);
            if self.missing > 0 && self.missing <= self.refresh_at {
                self.refresh_at = self.missing / 2;
                let missing = (0..self.found.len()).filter(|&goal| self.found[goal].is_none());
                self.wishes = Wishes::new(self.setting, self.codes, missing, self.masks.width);
                self.weigh();
            }
        }
        Ok(())
    }

    /// Visits near a goal count for less, so that there are more of them.
    fn weigh(&mut self) {
        for node in self.setting.program.icfg.nodes.ids() {
            self.pools.weigh(node, NEAREST + self.wishes.steps(node).map_or(FARTHEST, |steps| steps.min(FARTHEST)));
        }
    }

    /// Whether it is worth going on.
    fn is_hopeful(&self) -> bool {
        self.work() < PATIENCE + 3 * self.last_news && self.records.path_edges.len() < MOST_PATH_EDGES
    }

    fn work(&self) -> u64 {
        self.allowance - self.budget.left()
    }

    /// Draws first states.
    fn begin(&mut self) -> Result<(), Exhausted> {
        let program = self.setting.program;
        let code = &self.codes.initial;
        let entry = program.icfg.procs[program.entry].entry;
        for draw in draws(self.starts, code) {
            self.budget.spend(code.cost)?;
            self.executor.next.fill(0);
            self.draw(code, entry, 0, draw);
            if self.executor.take(code)
                && let Some(arrival) = self.arrive(entry)
            {
                let context = self.records.context(program.entry, arrival.state);
                self.add(context, entry, arrival, Link::Start);
            }
        }
        self.starts += SAMPLES;
        Ok(())
    }

    /// Follows the edges that leave a path edge, and puts it back if that can be done in more ways.
    fn expand(&mut self, from: PathEdgeId) -> Result<(), Exhausted> {
        let icfg = &self.setting.program.icfg;
        let path_edge = self.records.path_edges[from];
        let node = path_edge.node;
        if path_edge.samples == 0 && icfg.procs[icfg.nodes[node].proc].exit == node {
            self.leave(from)?;
        }
        let codes = self.codes;
        let mut ways = 1;
        for &edge in icfg.successors(node) {
            match &codes.edges[edge] {
                EdgeCode::Useless | EdgeCode::Call { enter: None, .. } => {}
                EdgeCode::Step { to, code } => {
                    ways = ways.max(code.ways());
                    self.step(from, edge, *to, code)?;
                }
                EdgeCode::Call { callee, enter: Some(code), .. } => {
                    ways = ways.max(code.ways());
                    self.enter(from, edge, *callee, code)?;
                }
            }
        }
        let samples = path_edge.samples + SAMPLES;
        self.records.path_edges[from].samples = samples;
        if samples < ways {
            self.pools.put_back(node, from);
        }
        Ok(())
    }

    fn step(&mut self, from: PathEdgeId, edge: EdgeId, to: NodeId, code: &Code) -> Result<(), Exhausted> {
        let PathEdge { context, state, samples, .. } = self.records.path_edges[from];
        for draw in draws(samples, code) {
            self.budget.spend(code.cost)?;
            let words = self.states.words(state);
            self.executor.now.copy_from_slice(words);
            self.executor.next.copy_from_slice(words);
            self.draw(code, to, start(from, edge), draw);
            if self.executor.take(code)
                && let Some(arrival) = self.arrive(to)
            {
                self.add(context, to, arrival, Link::Step(from, edge));
            }
        }
        Ok(())
    }

    fn enter(&mut self, from: PathEdgeId, edge: EdgeId, callee: ProcId, code: &Code) -> Result<(), Exhausted> {
        let PathEdge { state, samples, .. } = self.records.path_edges[from];
        let entry = self.setting.program.icfg.procs[callee].entry;
        for draw in draws(samples, code) {
            self.budget.spend(code.cost)?;
            let Self { executor, states, masks, .. } = self;
            executor.now.copy_from_slice(states.words(state));
            for ((next, now), globals) in executor.next.iter_mut().zip(&executor.now).zip(&masks.globals) {
                *next = now & globals;
            }
            self.draw(code, entry, start(from, edge), draw);
            if !self.executor.take(code) {
                continue;
            }
            let arrival = self.arrive(entry);
            let context = match arrival {
                Some(Arrival { state, .. }) => Some(self.records.context(callee, state)),
                // There is no room, but what is known already can be used.
                None => {
                    self.states.find(&self.executor.next).and_then(|state| self.records.find_context(callee, state))
                }
            };
            let Some(context) = context else { continue };
            let Some(call) = self.records.call(from, edge, context, &self.executor.bits) else { continue };
            if let Some(arrival) = arrival {
                self.add(context, entry, arrival, Link::Enter(call));
            }
            self.come_back(call)?;
        }
        Ok(())
    }

    /// Crosses a new call by the exits that its context has.
    fn come_back(&mut self, call: CallId) -> Result<(), Exhausted> {
        let mut exits = std::mem::take(&mut self.exits);
        exits.clear();
        exits.extend(self.records.exits(self.records.calls[call].context).take(MOST_CROSSINGS));
        for &exit in &exits {
            self.cross(call, exit)?;
        }
        self.exits = exits;
        Ok(())
    }

    /// Crosses the calls that wait for a new exit.
    fn leave(&mut self, exit: PathEdgeId) -> Result<(), Exhausted> {
        self.records.add_exit(exit);
        let mut calls = std::mem::take(&mut self.calls);
        calls.clear();
        calls.extend(self.records.waiting(self.records.path_edges[exit].context).take(MOST_CROSSINGS));
        for &call in &calls {
            self.cross(call, exit)?;
        }
        self.calls = calls;
        Ok(())
    }

    fn cross(&mut self, call: CallId, exit: PathEdgeId) -> Result<(), Exhausted> {
        let (from, edge) = (self.records.calls[call].from, self.records.calls[call].edge);
        let codes = self.codes;
        let EdgeCode::Call { callee, to, leave: Some(code), .. } = &codes.edges[edge] else { return Ok(()) };
        let caller = self.records.path_edges[from];
        for draw in draws(0, code) {
            self.budget.spend(code.cost)?;
            let Self { executor, states, masks, records, .. } = self;
            executor.saved.copy_from_slice(states.words(caller.state));
            let at_exit = states.words(records.path_edges[exit].state);
            let modified = masks.modified(*callee);
            for place in 0..masks.width {
                let globals = masks.globals[place];
                // What the callee cannot modify need not be live in it; the caller knows its value.
                let kept = globals & !modified[place];
                let now = at_exit[place] & !kept | executor.saved[place] & kept;
                executor.now[place] = now;
                executor.next[place] = now & globals | executor.saved[place] & !globals;
            }
            self.draw(code, *to, start(exit, edge), draw);
            if self.executor.take(code)
                && let Some(arrival) = self.arrive(*to)
            {
                self.add(caller.context, *to, arrival, Link::Cross(call, exit));
            }
        }
        Ok(())
    }

    /// Closes the open bits of `code`, which leads to `to`.
    fn draw(&mut self, code: &Code, to: NodeId, start: u64, draw: Draw) {
        match draw {
            Draw::Way(number) => self.executor.draw(code, start, number),
            Draw::Wish(number) => {
                self.executor.draw(code, start, number);
                if let Some(wish) = self.wishes.wish(to, start.wrapping_add(number / SAMPLES)) {
                    self.executor.prefer(code, wish);
                }
            }
        }
    }

    /// The state that a transition to `node` has led to, unless there is no room for it.
    fn arrive(&mut self, node: NodeId) -> Option<Arrival> {
        let Self { executor, states, masks, pools, .. } = self;
        let live = masks.live(node);
        for (word, live) in executor.next.iter_mut().zip(live) {
            *word &= live;
        }
        let novelty = pools.see(node, &executor.next, live);
        let distance = self.wishes.distance(node, &executor.next);
        let is_admitted =
            !self.goals_at[node].is_empty() || pools.admits(node, novelty, distance, &mut executor.random);
        is_admitted.then(|| Arrival { state: states.intern(&executor.next), novelty, distance })
    }

    /// Adds a path edge, which may meet a goal.
    fn add(&mut self, context: ContextId, node: NodeId, arrival: Arrival, link: Link) {
        let Arrival { state, novelty, distance } = arrival;
        let Some(path_edge) = self.records.add(context, node, state, link, bits_of(link, &self.executor.bits)) else {
            return;
        };
        if distance.is_record {
            self.last_news = self.work();
        }
        self.pools.add(node, path_edge, novelty, distance, &mut self.executor.random);
        if !self.goals_at[node].is_empty() {
            let mut goals = std::mem::take(&mut self.goals_at[node]);
            let looked_for = goals.len();
            goals.retain(|&goal| {
                self.found[goal] = self.meet(goal, path_edge);
                self.found[goal].is_none()
            });
            self.missing -= looked_for - goals.len();
            self.goals_at[node] = goals;
        }
    }

    /// Whether the condition of a goal can be true at `last`, and how.
    fn meet(&mut self, goal: usize, last: PathEdgeId) -> Option<Found> {
        let code = &self.codes.goals[goal];
        self.executor.now.copy_from_slice(self.states.words(self.records.path_edges[last].state));
        self.executor.draw(code, 0, 0);
        self.executor.take(code).then(|| Found { last, choices: code.picks(&self.executor.bits).choices })
    }
}

/// How open bits are closed.
#[derive(Clone, Copy)]
enum Draw {
    /// In the way with this number.
    Way(u64),
    /// In a way that is preferred.
    Wish(u64),
}

/// The draws at a visit, after `samples` ways have been tried: the next few and, if those are not all, one that is
/// preferred.
fn draws(samples: u64, code: &Code) -> impl Iterator<Item = Draw> + use<> {
    let ways: Range<u64> = samples..(samples + SAMPLES).min(code.ways());
    let wish = (code.ways() > SAMPLES).then_some(Draw::Wish(ways.end));
    ways.map(Draw::Way).chain(wish)
}

/// Where the ways to close open bits are counted from: not from the same for all path edges.
fn start(path_edge: PathEdgeId, edge: EdgeId) -> u64 {
    hash([path_edge.index() as u64, edge.index() as u64])
}

/// The bits that go with `link`; those of an entered call are the call's.
fn bits_of(link: Link, bits: &[u64]) -> &[u64] {
    if matches!(link, Link::Enter(_)) { &[] } else { bits }
}
