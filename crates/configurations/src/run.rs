//! A run to a configuration of a set.
//!
//! The set's automaton reads the stack from the bottom, so where it is below an activation is one more parameter of that
//! activation's procedure: a call hands on where the caller's frame leads. A configuration is then in the set iff its
//! head says so, and a run to such a head is a run to a goal like any other [ES01, §2.2].
//!
//! **Invariant:** without the new parameters, a run of the program that has them is a run of the original.

use crate::automaton::Place;
use crate::set::Set;
use hardbop_base::{Budget, Exhausted, Idx, IndexVec};
use hardbop_icfg::proposition::Letter;
use hardbop_icfg::widen::{More, widen};
use hardbop_icfg::words::{Builder, Moment};
use hardbop_icfg::{EdgeId, EdgeKind, ExprId, Goal, GoalKind, NodeId, ProcId, Program, Relation, Update, Value, VarId};
use hardbop_pushdown::{Evidence, Options, check};
use hardbop_verdict::{Length, Move, SubTrace, Verdict, Witness};
use std::collections::{BTreeMap, VecDeque};

/// How many nodes a run is looked for to at a time.
const FEW: usize = 8;
/// How many times a shorter run is looked for.
const ROUNDS: usize = 4;

/// A short run to a configuration of `set` with one of `nodes` on top, and the head of that configuration; there is one
/// for each of them. The pending calls are those that the run enters and does not return from.
///
/// # Errors
/// A limit was hit.
pub fn run(
    program: &Program<Relation>,
    set: &Set,
    nodes: &[NodeId],
    options: &Options,
    budget: &Budget,
) -> Result<(Goal, Witness), Exhausted> {
    let mut watched = Watched::new(program, set);
    let mut best: Option<(NodeId, Witness)> = None;
    let mut length = Length::Shortest;
    for (round, near) in by_distance(program, nodes).chunks(FEW).enumerate() {
        // No run to a node has fewer moves than there are edges to it.
        if best.as_ref().is_some_and(|(_, found)| found.moves.len() <= near[0].1) {
            break;
        }
        if round == ROUNDS {
            length = Length::PerhapsNotShortest;
            break;
        }
        let found = match watched.runs(set, near, options, budget) {
            // What has been found stays found.
            Err(Exhausted) if best.is_some() => Vec::new(),
            found => found?,
        };
        if found.len() < near.len() {
            length = Length::PerhapsNotShortest;
        }
        for (node, witness) in found {
            if best.as_ref().is_none_or(|(_, known)| witness.moves.len() < known.moves.len()) {
                best = Some((node, witness));
            }
        }
    }
    let (node, witness) = best.expect("there is a node to reach");
    let mut witness = watched.project(&witness);
    if length == Length::PerhapsNotShortest {
        witness.length = length;
    }
    let entered: Vec<EdgeId> = witness
        .moves
        .iter()
        .filter_map(|step| match step {
            Move::Enter { edge, .. } => Some(*edge),
            _ => None,
        })
        .collect();
    assert!(set.has_stack(&entered, node), "the run ends with a stack of the set");
    let condition = match set.condition(node) {
        Letter::Const(_) => None,
        Letter::Expr(expr) => Some(expr),
    };
    Ok((goal(program, node, condition), witness))
}

fn goal(program: &Program<Relation>, node: NodeId, condition: Option<ExprId>) -> Goal {
    Goal { node, condition, name: String::new(), kind: GoalKind::Statement, span: program.icfg.nodes[node].span }
}

/// Each of `nodes` and how many edges it is from the start, the nearest first.
fn by_distance(program: &Program<Relation>, nodes: &[NodeId]) -> Vec<(NodeId, usize)> {
    let icfg = &program.icfg;
    let mut is_wanted = IndexVec::from_elem(false, icfg.nodes.len());
    nodes.iter().for_each(|&node| is_wanted[node] = true);
    let start = icfg.procs[program.entry].entry;
    let mut is_seen = IndexVec::from_elem(false, icfg.nodes.len());
    is_seen[start] = true;
    let mut waiting = VecDeque::from([(start, 0)]);
    let mut found = Vec::new();
    while let Some((node, distance)) = waiting.pop_front() {
        if is_wanted[node] {
            found.push((node, distance));
        }
        for &edge in icfg.successors(node) {
            let entry = match icfg.edges[edge].kind {
                EdgeKind::Call { callee, .. } => Some(icfg.procs[callee].entry),
                _ => None,
            };
            for next in icfg.edges[edge].target().into_iter().chain(entry) {
                if !std::mem::replace(&mut is_seen[next], true) {
                    waiting.push_back((next, distance + 1));
                }
            }
        }
    }
    found
}

/// A program whose activations know what is below them.
struct Watched<'a> {
    base: &'a Program<Relation>,
    program: Program<Relation>,
    /// What each variable was before, if it is not new.
    origin: IndexVec<VarId, Option<VarId>>,
    /// The new parameters of each procedure, bit by bit.
    bits: IndexVec<ProcId, Vec<VarId>>,
}

impl<'a> Watched<'a> {
    fn new(base: &'a Program<Relation>, set: &Set) -> Self {
        let count = usize::BITS - (set.moves.len() - 1).leading_zeros();
        let mut watched = Self {
            base,
            program: base.clone(),
            origin: base.vars.ids().map(Some).collect(),
            bits: IndexVec::from_elem(Vec::new(), base.icfg.procs.len()),
        };
        for bit in 0..count {
            watched.add_bit(&format!("below.{bit}"));
        }
        watched.start(set.start);
        for (edge, found) in base.icfg.edges.iter_enumerated() {
            if let EdgeKind::Call { callee, .. } = found.kind {
                watched.hand_on(set, edge, base.icfg.nodes[found.from].proc, callee);
            }
        }
        watched
    }

    fn add_bit(&mut self, name: &str) {
        let widened = widen(&self.program, &More { parameters: &[name.to_owned()], ..More::default() });
        let mut new_of = IndexVec::from_elem(None, self.program.vars.len());
        for (new, old) in widened.origin.iter_enumerated() {
            if let Some(old) = *old {
                new_of[old] = Some(new);
            }
        }
        let renamed = |old: VarId| new_of[old].expect("no variable is lost");
        for (proc, bits) in self.bits.iter_mut().enumerate() {
            bits.iter_mut().for_each(|bit| *bit = renamed(*bit));
            bits.extend(&widened.parameters[ProcId::from_usize(proc)]);
        }
        self.origin = widened.origin.iter().map(|old| old.and_then(|old| self.origin[old])).collect();
        self.program = widened.program;
    }

    fn start(&mut self, start: Place) {
        let values = values(&self.bits[self.program.entry], start);
        let mut builder = Builder::new(&mut self.program.exprs);
        let starts = builder.values_are(&values, Moment::Next);
        let initial = &mut self.program.initial;
        initial.constraint = Some(initial.constraint.map_or(starts, |constraint| builder.and(constraint, starts)));
    }

    /// Lets the call `edge` tell the callee what is below it.
    fn hand_on(&mut self, set: &Set, edge: EdgeId, caller: ProcId, callee: ProcId) {
        let mut sources: BTreeMap<Place, Vec<Place>> = BTreeMap::new();
        for place in set.moves.ids() {
            sources.entry(set.next_pending(place, edge)).or_default().push(place);
        }
        let mut builder = Builder::new(&mut self.program.exprs);
        let mut updates = Vec::new();
        for (bit, &target) in self.bits[callee].iter().enumerate() {
            let set_by = sources.iter().filter(|(next, _)| next.index() >> bit & 1 == 1);
            let places = set_by.flat_map(|(_, places)| places).copied();
            let value = is_one_of(&mut builder, &self.bits[caller], places);
            updates.push(Update { target, value: Value::Of(value) });
        }
        let Relation::Call { enter, .. } = &mut self.program.labels[edge] else {
            unreachable!("a call edge carries a call")
        };
        enter.updates.extend(updates);
    }

    /// Runs to some of `near`, at least one, as this program makes them.
    fn runs(
        &mut self,
        set: &Set,
        near: &[(NodeId, usize)],
        options: &Options,
        budget: &Budget,
    ) -> Result<Vec<(NodeId, Witness)>, Exhausted> {
        let goals: Vec<Goal> = near.iter().map(|&(node, _)| self.goal(set, node)).collect();
        let report = check(&self.program, &goals, &Options { evidence: Evidence::Traces, ..*options }, budget);
        let mut found = Vec::new();
        for (&(node, _), verdict) in near.iter().zip(report.verdicts) {
            match verdict {
                Verdict::Violated(Some(witness)) => found.push((node, *witness)),
                Verdict::Violated(None) => unreachable!("a run was asked for"),
                Verdict::Holds => panic!("the saturation of configurations and the summaries disagree about {node}"),
                Verdict::Unknown(_) => {}
            }
        }
        if found.is_empty() { Err(Exhausted) } else { Ok(found) }
    }

    /// That a configuration with `node` on top is in the set.
    fn goal(&mut self, set: &Set, node: NodeId) -> Goal {
        let proc = self.base.icfg.nodes[node].proc;
        let places = set.moves.ids().filter(|&place| set.is_accepting(set.next(place, node)));
        let mut builder = Builder::new(&mut self.program.exprs);
        let is_below = is_one_of(&mut builder, &self.bits[proc], places);
        let condition = match set.condition(node) {
            Letter::Const(value) => {
                let value = builder.constant(value);
                builder.and(is_below, value)
            }
            Letter::Expr(expr) => builder.and(is_below, expr),
        };
        goal(self.base, node, Some(condition))
    }

    /// The run without the new parameters. Its moves stay as they are: every call decides the parameters, so no pick is
    /// about them.
    fn project(&self, witness: &Witness) -> Witness {
        let scope = self.program.scope(self.program.entry);
        let initial = scope.zip(&witness.initial).filter(|(var, _)| self.origin[*var].is_some());
        let subtraces = witness.subtraces.iter().map(|sub| SubTrace {
            proc: sub.proc,
            requires: sub.requires.iter().filter_map(|&(var, value)| Some((self.origin[var]?, value))).collect(),
            moves: sub.moves.clone(),
            effects: sub.effects.iter().filter_map(|&(var, value)| Some((self.origin[var]?, value))).collect(),
        });
        Witness {
            initial: initial.map(|(_, &value)| value).collect(),
            initial_choices: witness.initial_choices.clone(),
            moves: witness.moves.clone(),
            goal_choices: witness.goal_choices.clone(),
            subtraces: subtraces.collect(),
            length: witness.length,
        }
    }
}

/// The bits that say `place`.
fn values(bits: &[VarId], place: Place) -> Vec<(VarId, bool)> {
    bits.iter().enumerate().map(|(bit, &var)| (var, place.index() >> bit & 1 == 1)).collect()
}

/// That the bits say one of `places`.
fn is_one_of(builder: &mut Builder<'_>, bits: &[VarId], places: impl IntoIterator<Item = Place>) -> ExprId {
    let each: Vec<ExprId> =
        places.into_iter().map(|place| builder.values_are(&values(bits, place), Moment::Now)).collect();
    builder.any(each)
}
