//! A run of the whole along a way that parts have found, with what happens in the calls that it crosses.
//!
//! The way is a *guide*: a program of its own that follows its edges and nothing else. At first each call that is crossed
//! does what its callee's summary says. Where that changes something on which the rest of the way depends, or the summary
//! may say too much, a way through the callee takes its place, found by a question about the callee's part; and so on for
//! the calls on that way. What is left to summaries in the end is that calls come back and leave things as they are.

use super::build::{Builder, Source};
use super::part::{Part, Way, hops};
use super::ways::Leg;
use super::{Modular, PART_ALLOWANCE};
use crate::dial::Failure;
use hardbop_base::{Idx, Limit};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{EdgeId, EdgeKind, Expr, Goal, NodeId, ProcId, Program, Relation, Scope, Value, VarId};
use hardbop_verdict::{Length, Move, SubTrace, Verdict, Witness, replay};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// So many edges a guide may have.
const MOST_HOPS: usize = 1_000;
/// So many calls a guide may make.
const MOST_ACTIVATIONS: usize = 50;
/// So often ways may be put in for summaries.
const MOST_ROUNDS: usize = 5;

/// The activations that a way goes through; it begins in the first.
#[derive(Clone, Debug)]
struct Guide {
    activations: Vec<Activation>,
    /// So many of them, the first ones, are not left again.
    entered: usize,
}

/// The way through one procedure.
#[derive(Clone, Debug)]
struct Activation {
    proc: ProcId,
    hops: Vec<Hop>,
}

/// An edge that is followed.
#[derive(Clone, Copy, Debug)]
struct Hop {
    edge: EdgeId,
    /// The activation that it leads to; nothing where a summary stands for it.
    callee: Option<usize>,
}

/// A call that is crossed by a summary.
struct Crossing {
    /// The activation, and the hop in it.
    place: (usize, usize),
    callee: ProcId,
    /// What the summary rests on.
    given: Values,
    /// What it brings about.
    wanted: Values,
    /// All that is known of the values given that the callee speaks of.
    known: Values,
    /// Whether anything is another then.
    is_change: bool,
    /// Whether it must not be left to the summary.
    is_doubtful: bool,
}

/// How much a way through a callee must agree with.
#[derive(Clone, Copy)]
enum Care {
    /// With nothing, where nothing is changed: the shortest way will mostly do.
    Shortest,
    /// With what the summary needs.
    Summary,
    /// With all that is known.
    Run,
}

type Values = Vec<(VarId, bool)>;

/// Ways through procedures.
type Through = FxHashMap<(ProcId, Values, Values), Option<Rc<[(EdgeId, Way)]>>>;

/// What is known of ways through procedures.
pub(super) struct Guides<'m, 'a> {
    modular: &'m Modular<'a>,
    known: Through,
}

impl<'m, 'a> Guides<'m, 'a> {
    /// Nothing so far.
    pub(super) fn new(modular: &'m Modular<'a>) -> Self {
        Self { modular, known: FxHashMap::default() }
    }

    /// The run along `legs` to a goal of the whole, if there is one.
    pub(super) fn follow(&mut self, legs: &[Leg], goal: usize) -> Option<Failure> {
        let modular = self.modular;
        // Where a limit of the run was hit, nothing more is found.
        if modular.budget.hit() != Limit::Allowance {
            return None;
        }
        let guide = Guide::new(modular.source(), legs);
        let likely = self.likely(guide.clone()).and_then(|likely| Some((likely.run(modular, goal)?, likely)));
        let (mut found, mut guide) = match likely {
            Some(likely) => likely,
            None => (guide.run(modular, goal)?, guide),
        };
        for round in 0.. {
            let crossings = guide.crossings(modular, &found)?;
            let (doubtful, others): (Vec<_>, Vec<_>) = crossings.into_iter().partition(|crossing| crossing.is_doubtful);
            let all: Vec<&Crossing> = doubtful.iter().chain(&others).collect();
            let doubtful: Vec<&Crossing> = doubtful.iter().collect();
            let next = match round < MOST_ROUNDS && !all.is_empty() {
                true => self.opened(&guide, &all, goal).or_else(|| self.opened(&guide, &doubtful, goal)),
                false => None,
            };
            match next {
                Some(next) => (found, guide) = next,
                None if doubtful.is_empty() => break,
                None => return None,
            }
        }
        if legs.len() > 1 {
            found.witness.length = Length::ShortestInEach;
        }
        Some(found)
    }

    /// `guide` with the shortest ways through all callees: mostly they do nothing that matters.
    fn likely(&mut self, mut guide: Guide) -> Option<Guide> {
        let mut index = 0;
        while let Some(activation) = guide.activations.get(index) {
            for (hop, Hop { edge, callee }) in activation.hops.clone().into_iter().enumerate() {
                let (None, Some(called)) = (callee, self.modular.source().callee(edge)) else { continue };
                if guide.activations.len() < MOST_ACTIVATIONS {
                    let way = self.way((called, Vec::new(), Vec::new()))?;
                    guide.open((index, hop), called, &way);
                } else if !self.modular.effects[called].is_exact {
                    return None;
                }
            }
            index += 1;
        }
        Some(guide)
    }

    /// A way through a procedure with some values at its entry and some at its exit.
    fn way(&mut self, key: (ProcId, Values, Values)) -> Option<Rc<[(EdgeId, Way)]>> {
        let modular = self.modular;
        let way = self.known.entry(key).or_insert_with_key(|(proc, given, wanted)| {
            let Part { program, goals, origin } = modular.source().crossed(*proc, given, wanted);
            let witness = modular.runs(&program, &goals).pop()??;
            let Some(Move::Cross { sub, .. }) = witness.moves.first() else { return None };
            hops(&origin, &witness.subtraces[*sub].moves).map(Rc::from)
        });
        way.clone()
    }

    /// A run to a goal along `guide` with ways through the callees of `crossings`.
    fn opened(&mut self, guide: &Guide, crossings: &[&Crossing], goal: usize) -> Option<(Failure, Guide)> {
        if crossings.is_empty() {
            return None;
        }
        [Care::Shortest, Care::Summary, Care::Run].into_iter().find_map(|care| {
            let next = self.with_ways(guide, crossings, care)?;
            Some((next.run(self.modular, goal)?, next))
        })
    }

    /// `guide` with ways through the callees of `crossings`.
    fn with_ways(&mut self, guide: &Guide, crossings: &[&Crossing], care: Care) -> Option<Guide> {
        let mut next = guide.clone();
        for crossing in crossings {
            let Crossing { callee, given, wanted, known, is_change, .. } = crossing;
            let key = match care {
                Care::Shortest if !is_change => (*callee, Vec::new(), Vec::new()),
                Care::Shortest | Care::Summary => (*callee, given.clone(), wanted.clone()),
                Care::Run => (*callee, known.clone(), wanted.clone()),
            };
            let way = self.way(key)?;
            next.open(crossing.place, crossing.callee, &way);
        }
        let hops: usize = next.activations.iter().map(|activation| activation.hops.len()).sum();
        (hops <= MOST_HOPS).then_some(next)
    }
}

impl Guide {
    fn new(source: Source<'_>, legs: &[Leg]) -> Self {
        let mut activations = vec![Activation { proc: source.program.entry, hops: Vec::new() }];
        for &(edge, way) in legs.iter().flat_map(|leg| &leg.hops) {
            let next = activations.len();
            let activation = activations.last_mut().expect("there is one");
            activation.hops.push(Hop { edge, callee: (way == Way::Enter).then_some(next) });
            if let (Way::Enter, Some(proc)) = (way, source.callee(edge)) {
                activations.push(Activation { proc, hops: Vec::new() });
            }
        }
        Self { entered: activations.len(), activations }
    }

    fn open(&mut self, (activation, hop): (usize, usize), callee: ProcId, way: &[(EdgeId, Way)]) {
        let next = self.activations.len();
        self.activations[activation].hops[hop].callee = Some(next);
        let hops = way.iter().map(|&(edge, _)| Hop { edge, callee: None }).collect();
        self.activations.push(Activation { proc: callee, hops });
    }

    /// The run to a goal along the guide, if there is one.
    fn run(&self, modular: &Modular<'_>, goal: usize) -> Option<Failure> {
        let Part { program, goals, origin } = self.program(modular.source(), &modular.goals[goal]);
        let goal = goals.into_iter().next()?;
        let witness = modular.runs(&program, std::slice::from_ref(&goal)).pop()??;
        Some(Failure { witness, projection: Rc::new(program), goal, origin: Some(Rc::new(origin)) })
    }

    /// The calls that a run crosses by summaries.
    fn crossings(&self, modular: &Modular<'_>, found: &Failure) -> Option<Vec<Crossing>> {
        let Failure { witness, projection: program, goal, .. } = found;
        let replayed = replay(program, goal, witness).ok()?;
        // What variables of the whole are here, so that its labels can be read.
        let vars = &found.origin.as_deref()?.vars;
        let here: FxHashMap<VarId, VarId> = vars.iter_enumerated().map(|(here, &var)| (var, here)).collect();
        let subs = witness.subtraces.iter_enumerated().filter(|(_, sub)| sub.proc.index() < self.activations.len());
        let runs = subs.map(|(id, sub)| (sub.proc.index(), &sub.moves[..], replayed.subtrace(id)));
        let mut crossings = Vec::new();
        for (activation, moves, states) in runs.chain([(0, &witness.moves[..], replayed.main())]) {
            let mut place = (activation, 0);
            for (index, step) in moves.iter().enumerate() {
                let hop = self.activations[place.0].hops[place.1];
                match (step, hop.callee) {
                    (Move::Cross { sub, .. }, None) => {
                        let (sub, before) = (&witness.subtraces[*sub], states.state(index));
                        let value = |var: VarId| here.get(&var).and_then(|&here| before.value(here));
                        crossings.extend(crossing(modular, found, (hop.edge, place), sub, value));
                        place.1 += 1;
                    }
                    (Move::Enter { .. }, Some(next)) => place = (next, 0),
                    _ => place.1 += 1,
                }
            }
        }
        Some(crossings)
    }

    /// The program that follows the guide, and the goal at its end.
    fn program(&self, source: Source<'_>, goal: &Goal) -> Part {
        let hops = || self.activations.iter().flat_map(|activation| &activation.hops);
        let stubs = hops().filter(|hop| hop.callee.is_none()).filter_map(|hop| source.callee(hop.edge));
        let stubs: Vec<ProcId> = stubs.collect::<BTreeSet<_>>().into_iter().collect();
        let mut used = source.used(hops().map(|hop| hop.edge));
        source.add_effects(&stubs, &mut used);
        source.add_used(&source.program.initial, &mut used);
        source.add_goal(goal, &mut used);
        let mut builder = Builder::new(source, &used);
        for activation in &self.activations {
            builder.declare(activation.proc, |_| true);
        }
        let declared = stubs.iter().map(|&proc| (proc, builder.declare(proc, |var| used.contains(&var))));
        let declared: FxHashMap<ProcId, ProcId> = declared.collect();
        let mut end = NodeId::from_usize(0);
        for (index, Activation { proc, hops }) in self.activations.iter().enumerate() {
            let icfg = &source.program.icfg;
            let spans = hops.iter().map(|hop| icfg.nodes[icfg.edges[hop.edge].from].span);
            // Where the way ends is not where its procedure does.
            let last = (index < self.entered).then_some(goal.span);
            let mut at = builder.chain(&icfg.procs[*proc].name, icfg.procs[*proc].span, spans.chain(last));
            for &Hop { edge, callee } in hops {
                let to = NodeId::from_usize(at.index() + 1);
                let called = source.callee(edge).map(|proc| callee.map_or_else(|| declared[&proc], ProcId::from_usize));
                let kind = called.map_or(EdgeKind::Step { to }, |callee| EdgeKind::Call { callee, to });
                builder.copied_edge(at, kind, edge);
                at = to;
            }
            if index + 1 == self.entered {
                end = at;
            }
        }
        stubs.iter().for_each(|&proc| builder.stub(proc));
        let initial = builder.transition(&source.program.initial);
        let goals = vec![builder.goal(goal, end)];
        Part { program: builder.finish(ProcId::from_usize(0), initial), goals, origin: builder.origin }
    }
}

/// A call that a run crosses by a summary, where variables of the whole have a `value` before.
fn crossing(
    modular: &Modular<'_>,
    found: &Failure,
    (edge, place): (EdgeId, (usize, usize)),
    sub: &SubTrace,
    value: impl Fn(VarId) -> Option<bool>,
) -> Option<Crossing> {
    let (whole, origin) = (&modular.program, found.origin.as_deref()?);
    let callee = origin.procs[sub.proc];
    let effects = sub.effects.iter().filter_map(|&(var, value)| Some((origin.vars[var], value?)));
    let wanted: Values = effects.collect();
    let is_change = wanted.iter().any(|&(var, wanted)| !whole.is_global(var) || value(var) != Some(wanted));
    let is_given = |&(var, _): &(VarId, bool)| matches!(whole.vars[var].scope, Scope::Global | Scope::Parameter(_));
    let given = sub.requires.iter().map(|&(var, value)| (origin.vars[var], value)).filter(is_given);
    let leaf = |leaf: Expr| match leaf {
        Expr::Var(var) => value(var).map_or(Possible::ANY, Possible::only),
        _ => Possible::ANY,
    };
    let Relation::Call { enter, .. } = &whole.labels[edge] else { return None };
    let known = |var: VarId| match (enter.update_of(var), whole.vars[var].scope) {
        (Some(Value::Of(given)), _) => whole.exprs.possible(given, &leaf).definite(),
        (None, Scope::Global) => value(var),
        _ => None,
    };
    let spoken = modular.source().used(modular.source().edges_of(callee));
    Some(Crossing {
        place,
        callee,
        given: given.collect(),
        wanted,
        known: spoken.into_iter().filter_map(|var| Some((var, known(var)?))).collect(),
        is_change,
        is_doubtful: is_change || !modular.effects[callee].is_exact,
    })
}

impl Modular<'_> {
    /// A run to each of `goals`, where there is one and it costs no more than a part may.
    pub(super) fn runs(&self, program: &Program<Relation>, goals: &[Goal]) -> Vec<Option<Witness>> {
        let budget = self.budget.with_allowance(PART_ALLOWANCE.min(self.budget.left()));
        let told = self.engine.check(program, goals, self.engine.options.evidence, &budget);
        let run = |verdict: Verdict| match verdict {
            Verdict::Violated(witness) => witness.map(|witness| *witness),
            _ => None,
        };
        told.into_iter().map(|told| run(told.verdict)).collect()
    }
}
