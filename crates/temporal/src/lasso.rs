//! A run without end that violates a property: a stem that leads to a head, and a round that leads back to it.
//!
//! Both are ordinary runs to a goal, so they are found, shortened and replayed like any other: the stem in the product,
//! the round in the product of a program that starts at the head.

use crate::heads::{Component, Heads, Place};
use crate::product::{Memory, Product, product};
use crate::restart::{Head, Restarted, restart};
use crate::{Question, buchi};
use hardbop_base::{Budget, Exhausted, Idx};
use hardbop_bdd::{Bdd, Kernel, Level};
use hardbop_icfg::words::{Builder, Moment};
use hardbop_icfg::{Goal, GoalKind, Program, Relation, SlotId, VarId};
use hardbop_pushdown::encode::Copy;
use hardbop_pushdown::{Evidence, Options, check};
use hardbop_verdict::{Verdict, Witness};
use std::collections::HashMap;

/// A run without end, in the program that was asked about.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// Where the round begins and ends.
    pub head: Head,
    /// From the first state to the head.
    pub stem: Witness,
    /// The program that starts at the head.
    pub restarted: Restarted,
    /// A run of it that leads back to the head.
    pub round: Witness,
}

impl Lasso {
    /// What is to be replayed, as a run of `program`.
    pub fn parts<'a>(&'a self, program: &'a Program<Relation>) -> hardbop_verdict::Lasso<'a> {
        hardbop_verdict::Lasso {
            program,
            stem: &self.stem,
            head: self.head.node,
            copy: &self.restarted.program,
            node_origin: &self.restarted.node_origin,
            edge_origin: &self.restarted.edge_origin,
            round: &self.round,
        }
    }
}

/// A head on a fair cycle of `component`, over the product: the one with the smallest values, in the order of their
/// declaration.
pub fn head(heads: &mut Heads<'_, '_>, component: &Component) -> Result<Head, Exhausted> {
    let wanted: Vec<Vec<(VarId, Level)>> = component.places.iter().map(|&place| state_at(heads, place)).collect();
    let alone = |kernel: &mut Kernel, node: usize, states: Bdd| {
        let mut state = states;
        for &(_, level) in &wanted[node] {
            let unset = kernel.nvar(level)?;
            let smaller = kernel.and(state, unset)?;
            state = if smaller.is_false() { state } else { smaller };
        }
        Ok(state)
    };
    let product = heads.product;
    let is_original = |place: usize| match component.places[place] {
        Place::Node(node) => product.node_origin[node].is_some(),
        Place::Entry(_) => true,
    };
    let kernel = &mut heads.saturation.encoder.kernel;
    let (place, state) = component.graph.on_cycle(kernel, &is_original, &alone)?;
    let picked = kernel.pick(state).expect("there is a state to pick");
    let is_set = |level: Level| picked.iter().any(|&(found, value)| found == level && value);
    let values = wanted[place].iter().map(|&(var, level)| (var, is_set(level))).collect();
    let node = match component.places[place] {
        Place::Node(node) => node,
        Place::Entry(proc) => heads.saturation.setting.program.icfg.procs[proc].entry,
    };
    Ok(Head { node, values })
}

/// The variables that make up a state at `place`, with their levels: booleans and the bits of numbers, the most
/// significant first, in the order of their declaration.
fn state_at(heads: &Heads<'_, '_>, place: Place) -> Vec<(VarId, Level)> {
    let setting = heads.saturation.setting;
    let (program, slots) = (setting.program, &setting.slots);
    let node = match place {
        Place::Node(node) => node,
        Place::Entry(proc) => program.icfg.procs[proc].entry,
    };
    let proc = program.icfg.nodes[node].proc;
    let memory: Vec<VarId> = heads.product.memory_of(proc).collect();
    let is_given = |slot: SlotId| slots.is_global(slot) || setting.mod_ref.inputs[proc].contains(slot);
    let is_wanted = |var: &VarId| {
        let slot = slots.of(*var);
        let is_there = matches!(place, Place::Node(_)) || is_given(slot);
        is_there && setting.liveness.at(node).contains(slot) && !memory.contains(var)
    };
    let significance: HashMap<VarId, usize> =
        program.data.iter().flat_map(|datum| datum.bits.iter().enumerate().map(|(bit, &var)| (var, bit))).collect();
    let mut vars: Vec<VarId> = program.scope(proc).filter(is_wanted).collect();
    // The bits of a number are declared one after the other, so the first of them tells its place.
    let first = |var: VarId| var.index() - significance.get(&var).copied().unwrap_or(0);
    vars.sort_by_key(|&var| (first(var), std::cmp::Reverse(significance.get(&var).copied().unwrap_or(0))));
    let levels = &heads.saturation.encoder.levels;
    vars.into_iter().map(|var| (var, levels.of(slots.of(var), Copy::Now))).collect()
}

/// The runs to `head` of `product` and from there back to it.
///
/// # Errors
/// A limit was hit.
pub fn lasso(
    question: &Question<'_>,
    product: &Product,
    head: &Head,
    options: &Options,
    budget: &Budget,
) -> Result<Lasso, Exhausted> {
    let mut head = head.clone();
    let mut found = round(question, product, &head, options, budget)?;
    // A local that is open at an entry can have any value there, and the round may rest on one.
    let scope = found.restarted.program.scope(found.restarted.program.entry);
    let rests_on = scope.zip(&found.round.initial).filter_map(|(var, &value)| Some((product.var(var), value?)));
    let more: Vec<_> = rests_on.filter(|(var, _)| head.values.iter().all(|(known, _)| known != var)).collect();
    if !more.is_empty() {
        head.values.extend(more);
        found = round(question, product, &head, options, budget)?;
    }
    let stem = run_to(&product.program, std::slice::from_ref(&head), options, budget)?;
    let Round { head, restarted, round } = found;
    Ok(Lasso { head, stem: product.project(question.program, &stem), restarted, round })
}

/// A run from a head back to it.
struct Round {
    head: Head,
    restarted: Restarted,
    round: Witness,
}

fn round(
    question: &Question<'_>,
    product: &Product,
    head: &Head,
    options: &Options,
    budget: &Budget,
) -> Result<Round, Exhausted> {
    let node = product.node_origin[head.node].expect("the head is at a node of the program");
    let values = head.values.iter().filter_map(|&(var, value)| Some((product.var_origin[var]?, value))).collect();
    let base = Head { node, values };
    let restarted = restart(question.program, &base);
    let propositions: Vec<_> = question.propositions.iter().map(|it| restarted.carry_over(it)).collect();
    let mut automaton = buchi(question.automaton);
    let bit = |bit: VarId| head.values.iter().any(|&(var, value)| var == bit && value);
    let state = product.state.iter().enumerate().fold(0, |state, (place, &var)| state | usize::from(bit(var)) << place);
    automaton.initial = vec![state];
    let memory = if product.seen.is_some() { Memory::Run } else { Memory::None };
    let stack: Vec<bool> = product.stack[restarted.copied].iter().map(|&var| bit(var)).collect();
    let around = self::product(&restarted.program, &propositions, &automaton, memory, Some(&stack));
    let mut values: Vec<(VarId, bool)> = base.values.iter().map(|&(var, value)| (around.var(var), value)).collect();
    values.extend(around.state.iter().zip(&product.state).map(|(&var, &old)| (var, bit(old))));
    values.extend(around.ever.map(|ever| (ever, true)));
    let again = restarted.again.map(|node| {
        let proc = restarted.program.icfg.nodes[node].proc;
        // What the head leaves open is dead there, and need not be met again.
        let is_known = |old: VarId| head.values.iter().any(|&(var, _)| var == old);
        let on_stack = around.stack[proc].iter().zip(&product.stack[restarted.copied]);
        let on_stack = on_stack.filter(|&(_, &old)| is_known(old)).map(|(&var, &old)| (var, bit(old)));
        Head { node: around.node(node), values: values.iter().copied().chain(on_stack).collect() }
    });
    let round = run_to(&around.program, &again, options, budget)?;
    let round = around.project(&restarted.program, &round);
    Ok(Round { head: base, restarted, round })
}

/// The shortest run to one of `heads`.
fn run_to(
    program: &Program<Relation>,
    heads: &[Head],
    options: &Options,
    budget: &Budget,
) -> Result<Witness, Exhausted> {
    let mut program = program.clone();
    let goals: Vec<Goal> = heads
        .iter()
        .map(|head| Goal {
            node: head.node,
            condition: Some(Builder::new(&mut program.exprs).values_are(&head.values, Moment::Now)),
            name: String::new(),
            kind: GoalKind::Statement,
            span: program.icfg.nodes[head.node].span,
        })
        .collect();
    let report = check(&program, &goals, &Options { evidence: Evidence::Traces, ..*options }, budget);
    let found = report.verdicts.into_iter().filter_map(|verdict| match verdict {
        Verdict::Violated(witness) => witness,
        Verdict::Holds | Verdict::Unknown(_) => None,
    });
    let shortest = found.min_by_key(|witness| witness.moves.len());
    match shortest {
        Some(witness) => Ok(*witness),
        None => {
            assert!(budget.spend(0).is_err(), "a head that repeats can be reached");
            Err(Exhausted)
        }
    }
}
