//! The configurations of one program: the kernel that automata over them live in, and what saturations share.
//!
//! **Invariant:** a collection keeps every automaton in the table, every rule and what the saturation at hand holds. It
//! happens between two visits only, never while a BDD is in a local variable.

use crate::automaton::{Automaton, AutomatonId, Configuration, Kind, Place, State};
use crate::layout::{Copy, Layout};
use crate::rules::Rules;
use crate::set::Set;
use hardbop_base::{Budget, Exhausted, Idx, IndexVec};
use hardbop_bdd::{Bdd, Fate, Kernel, Level, PlanId};
use hardbop_icfg::proposition::Letter;
use hardbop_icfg::{EdgeId, EdgeKind, Expr, ExprId, NodeId, ProcId, Program, Relation, Scope, SlotId, Slots};
use hardbop_pushdown::Switch;
use std::collections::{BTreeMap, BTreeSet};

/// The configurations of a program, and regular sets of them.
pub struct Space<'a> {
    /// The program.
    pub program: &'a Program<Relation>,
    /// The slots of its variables.
    pub slots: Slots,
    /// The order of levels.
    pub layout: Layout,
    /// Where BDDs live.
    pub kernel: Kernel,
    /// How many visits the saturations have made.
    pub visits: u64,
    pub(super) automata: IndexVec<AutomatonId, Automaton>,
    pub(super) known_rules: IndexVec<EdgeId, Option<Rules>>,
    /// For each procedure, the locals whose value at the entry depends on the caller.
    pub(super) inputs: IndexVec<ProcId, BTreeSet<SlotId>>,
    /// For each procedure, the locals whose value at the exit callers read.
    pub(super) outputs: IndexVec<ProcId, BTreeSet<SlotId>>,
    pub(super) plans: Plans,
}

/// The plans that do not depend on a rule.
pub(super) struct Plans {
    /// The middle becomes the source, which is forgotten.
    pub(super) compose: PlanId,
    /// Only the target stays, as a source.
    pub(super) advance: PlanId,
    /// Only the source stays.
    pub(super) source: PlanId,
    /// The source becomes the target.
    pub(super) aim: PlanId,
}

impl<'a> Space<'a> {
    /// The configurations of `program`, with no set of them yet.
    pub fn new(program: &'a Program<Relation>, order: Switch, budget: &Budget) -> Self {
        let slots = Slots::new(program);
        let layout = Layout::new(program, &slots, order);
        let mut kernel = Kernel::new(layout.count(), budget.clone());
        let all = || slots.ids();
        let forget = |copies: &[Copy]| copies.iter().flat_map(|&copy| layout.forgets(all(), copy)).collect::<Vec<_>>();
        let with = |mut fates: Vec<(Level, Fate)>, more| {
            fates.extend::<Vec<(Level, Fate)>>(more);
            fates
        };
        let compose = with(forget(&[Copy::Source]), layout.moves(all(), Copy::Middle, Copy::Source));
        let advance = with(forget(&[Copy::Source, Copy::Frame]), layout.moves(all(), Copy::Target, Copy::Source));
        let plans = Plans {
            compose: kernel.plan(compose),
            advance: kernel.plan(advance),
            source: kernel.plan(forget(&[Copy::Frame, Copy::Target])),
            aim: kernel.plan(layout.moves(all(), Copy::Source, Copy::Target)),
        };
        let (inputs, outputs) = interfaces(program, &slots);
        let known_rules = IndexVec::from_elem(None, program.icfg.edges.len());
        Self {
            program,
            slots,
            layout,
            kernel,
            visits: 0,
            automata: IndexVec::new(),
            known_rules,
            inputs,
            outputs,
            plans,
        }
    }

    /// The automaton of `id`.
    pub fn automaton(&self, id: AutomatonId) -> &Automaton {
        &self.automata[id]
    }

    /// Adds a regular set.
    ///
    /// # Requires
    /// Its BDDs are made with this space's kernel, over the levels that the kinds of its states allow. Each of its
    /// states can lead to a final one, and none is of kind [`Kind::Returned`].
    pub fn add(&mut self, automaton: Automaton) -> AutomatonId {
        self.automata.push(automaton)
    }

    /// An automaton of the empty set, to add transitions to.
    pub fn empty(&self) -> Automaton {
        Automaton::empty(self.program.icfg.nodes.len(), self.program.icfg.edges.len())
    }

    /// The configurations that a run can start in.
    pub fn initial(&mut self) -> Result<AutomatonId, Exhausted> {
        let states = self.initial_states()?;
        let mut automaton = self.empty();
        let bottom = State { proc: self.program.entry, kind: Kind::Below, place: Place::from_usize(0) };
        automaton.finals.insert(bottom);
        if !states.is_false() {
            automaton.tops[self.program.icfg.procs[self.program.entry].entry].insert(bottom, states);
        }
        Ok(self.add(automaton))
    }

    /// The configurations of `set`.
    ///
    /// A state `⟨f, d⟩` is below an activation of `f`, where the automaton of `set`, which reads from the bottom, has
    /// got to `d`: so only stacks that calls can build are read.
    pub fn configurations(&mut self, set: &Set) -> Result<AutomatonId, Exhausted> {
        let icfg = &self.program.icfg;
        let mut automaton = self.empty();
        let bottom = State { proc: self.program.entry, kind: Kind::Below, place: set.start };
        automaton.finals.insert(bottom);
        let mut found = BTreeSet::from([bottom]);
        let mut waiting = vec![bottom];
        while let Some(below) = waiting.pop() {
            for node in icfg.nodes_of(below.proc) {
                let states = self.top_states(set, set.next(below.place, node), node)?;
                if !states.is_false() {
                    automaton.tops[node].insert(below, states);
                }
                for &edge in icfg.successors(node) {
                    let EdgeKind::Call { callee, .. } = icfg.edges[edge].kind else { continue };
                    let place = set.next_pending(below.place, edge);
                    if set.is_live(place) {
                        let above = State { proc: callee, kind: Kind::Below, place };
                        automaton.pending[edge].insert((above, below), Bdd::TRUE);
                        if found.insert(above) {
                            waiting.push(above);
                        }
                    }
                }
            }
        }
        Ok(self.add(automaton))
    }

    fn top_states(&mut self, set: &Set, place: Place, node: NodeId) -> Result<Bdd, Exhausted> {
        if !set.is_accepting(place) {
            return Ok(Bdd::FALSE);
        }
        match set.condition(node) {
            Letter::Const(value) => Ok(Bdd::from(value)),
            Letter::Expr(expr) => self.condition(expr),
        }
    }

    /// Whether `configuration` is in the set.
    pub fn contains(&mut self, id: AutomatonId, configuration: &Configuration) -> Result<bool, Exhausted> {
        let program = self.program;
        let proc = program.icfg.nodes[configuration.node].proc;
        let globals: Vec<_> = program.globals().collect();
        let locals = self.values(&program.locals[proc], &configuration.locals, Copy::Frame)?;
        let globals = self.values(&globals, &configuration.globals, Copy::Source)?;
        let top = self.kernel.and(globals, locals)?;
        let mut reached: BTreeMap<State, Bdd> = BTreeMap::new();
        for (state, label) in self.automata[id].tops[configuration.node].clone() {
            let datum = self.kernel.image(label, top, self.plans.advance)?;
            reached.insert(state, datum);
        }
        for (edge, saved) in configuration.pending.iter().rev() {
            let caller = program.icfg.nodes[program.icfg.edges[*edge].from].proc;
            let saved = self.values(&program.locals[caller], saved, Copy::Frame)?;
            let mut next: BTreeMap<State, Bdd> = BTreeMap::new();
            for ((from, to), label) in self.automata[id].pending[*edge].clone() {
                let Some(&datum) = reached.get(&from) else { continue };
                let before = self.kernel.and(datum, saved)?;
                let datum = self.kernel.image(label, before, self.plans.advance)?;
                let known = next.entry(to).or_insert(Bdd::FALSE);
                *known = self.kernel.or(*known, datum)?;
            }
            reached = next;
        }
        let finals = &self.automata[id].finals;
        Ok(reached.iter().any(|(state, datum)| finals.contains(state) && !datum.is_false()))
    }

    /// That the variables have these values.
    fn values(&mut self, vars: &[hardbop_icfg::VarId], values: &[bool], copy: Copy) -> Result<Bdd, Exhausted> {
        assert_eq!(vars.len(), values.len(), "a configuration has a value for each variable");
        let mut result = Bdd::TRUE;
        for (&var, &value) in vars.iter().zip(values) {
            let level = self.layout.of(self.slots.of(var), copy);
            let literal = if value { self.kernel.var(level)? } else { self.kernel.nvar(level)? };
            result = self.kernel.and(result, literal)?;
        }
        Ok(result)
    }

    /// Whether a configuration with this head is in the set, all of whose states can lead to a final one.
    pub fn has_head(&mut self, id: AutomatonId, node: NodeId, condition: Option<ExprId>) -> Result<bool, Exhausted> {
        let condition = match condition {
            Some(condition) => self.condition(condition)?,
            None => Bdd::TRUE,
        };
        for label in self.automata[id].tops[node].clone().into_values() {
            if !self.kernel.disjoint(label, condition)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The plan that prepares a transition on top for [`Plans::compose`]: what was its target is a source then, and the
    /// globals and `kept` locals on top are in the middle.
    pub(super) fn turn(&mut self, kept: &BTreeSet<SlotId>) -> PlanId {
        let layout = &self.layout;
        let globals = self.slots.ids().take(self.slots.globals());
        let others = self.local_slots().into_iter().filter(|slot| !kept.contains(slot));
        let mut fates = layout.moves(globals, Copy::Source, Copy::Middle);
        fates.extend(layout.moves(kept.iter().copied(), Copy::Frame, Copy::Middle));
        fates.extend(layout.forgets(others, Copy::Frame));
        fates.extend(layout.moves(self.slots.ids(), Copy::Target, Copy::Source));
        self.kernel.plan(fates)
    }

    /// That the globals and `locals` on top are the target's datum.
    pub(super) fn identity(&mut self, locals: &BTreeSet<SlotId>) -> Result<Bdd, Exhausted> {
        let mut result = Bdd::TRUE;
        let slots: Vec<SlotId> = self.layout.bottom_up().collect();
        for slot in slots.into_iter().filter(|slot| self.slots.is_global(*slot) || locals.contains(slot)) {
            let copy = if self.slots.is_global(slot) { Copy::Source } else { Copy::Frame };
            let (here, there) = (self.layout.of(slot, copy), self.layout.of(slot, Copy::Target));
            let (here, there) = (self.kernel.var(here)?, self.kernel.var(there)?);
            let same = self.kernel.iff(here, there)?;
            result = self.kernel.and(same, result)?;
        }
        Ok(result)
    }

    /// Collects garbage if it pays; `held` are the roots of the saturation at hand.
    pub(super) fn tidy(&mut self, held: impl Iterator<Item = Bdd>) {
        if self.kernel.wants_collection() {
            let rules = self.known_rules.iter().flatten().flat_map(|rules| match rules {
                Rules::Step(code) => vec![code.relation],
                Rules::Call { enter, leave } => vec![enter.relation, leave.relation],
            });
            let roots = self.automata.iter().flat_map(Automaton::roots).chain(rules).chain(held);
            self.kernel.collect(roots);
        }
    }
}

/// What callers give to and read from each procedure.
fn interfaces(
    program: &Program<Relation>,
    slots: &Slots,
) -> (IndexVec<ProcId, BTreeSet<SlotId>>, IndexVec<ProcId, BTreeSet<SlotId>>) {
    let mut inputs: IndexVec<ProcId, BTreeSet<SlotId>> = IndexVec::from_elem(BTreeSet::new(), program.icfg.procs.len());
    let mut outputs = inputs.clone();
    for (proc, vars) in program.locals.iter_enumerated() {
        let results = vars.iter().filter(|&&var| matches!(program.vars[var].scope, Scope::Result(_)));
        outputs[proc].extend(results.map(|&var| slots.of(var)));
    }
    for (edge, label) in program.labels.iter_enumerated() {
        let (EdgeKind::Call { callee, .. }, Relation::Call { enter, leave }) = (program.icfg.edges[edge].kind, label)
        else {
            continue;
        };
        let given = enter.updates.iter().map(|update| update.target).filter(|&var| !program.is_global(var));
        inputs[callee].extend(given.map(|var| slots.of(var)));
        enter.for_each_leaf(&program.exprs, |leaf| match leaf {
            Expr::Next(var) if !program.is_global(var) => {
                inputs[callee].insert(slots.of(var));
            }
            _ => {}
        });
        leave.for_each_leaf(&program.exprs, |leaf| match leaf {
            Expr::Var(var) if !program.is_global(var) => {
                outputs[callee].insert(slots.of(var));
            }
            _ => {}
        });
    }
    (inputs, outputs)
}
