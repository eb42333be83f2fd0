//! Confirms a [`Ranking`]: no infinite run is accepted.
//!
//! Write `r[n](c)` for the rank at node `n` and `r[p](e)` for that at the entry of procedure `p`: a component, and within
//! it a number. Ranks of one graph are compared only along its arcs, where the component must not grow, and within one
//! component the number must not fall; along an arc that is accepting it must rise. An infinite run either stays in one
//! activation for ever, crossing calls that return, or makes one call after the other that does not: in both cases it
//! follows arcs for ever, and if it is accepted, infinitely many accepting ones. But a number cannot rise for ever.
//!
//! | arc | relates | accepting where |
//! | --- | --- | --- |
//! | step `n → m` | `A[n](e, c) ∧ R(c, c')` | the memory, empty in `c`, is set in `c'` |
//! | call at `n`, over to `m` | `A[n](e, c) ∧ Enter(c, s) ∧ A[exit](s, x) ∧ Leave(c, x, c')` | the same |
//! | call at `n` of `p'` in `p` | `A[n](e, c) ∧ Enter(c, s)`, from `r[p](e)` to `r[p'](s)` | the memory is set in `c` |
//!
//! Without a memory the automaton is weak: every arc between accepting states is accepting, and no other arc counts.

use super::encode::Maps;
use super::{Call, CertifyError, Checker, Obligation, Side};
use crate::{FormulaId, Proof};
use hardbop_base::{Budget, Idx, IndexVec};
use hardbop_icfg::{EdgeId, EdgeKind, ExprId, NodeId, ProcId, Program, Relation, Transition, VarId};
use hardbop_solve::Signal;

/// A rank: a component, and within it a number that depends on the state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rank {
    /// The component.
    pub component: u32,
    /// The bits of the number, least significant first, over the state now.
    pub bits: Vec<FormulaId>,
}

/// Ranks for all nodes, and for the entries of all procedures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// At each node.
    pub nodes: IndexVec<NodeId, Rank>,
    /// At each procedure's entry.
    pub entries: IndexVec<ProcId, Rank>,
}

/// What makes an infinite run accepted.
#[derive(Clone, Copy, Debug)]
pub enum Acceptance<'a> {
    /// It stays among states of which this is true.
    Weak(ExprId),
    /// It sets each procedure's variable again and again, if that is emptied again and again.
    Memory(&'a IndexVec<ProcId, VarId>),
}

/// Checks that `ranking` proves that no infinite run of `program` is accepted, given what `proof` says can be reached.
///
/// # Requires
/// `proof` has been certified for `program`.
pub fn certify_ranking(
    program: &Program<Relation>,
    proof: &Proof,
    ranking: &Ranking,
    acceptance: Acceptance<'_>,
    budget: &Budget,
) -> Result<super::Certificate, CertifyError> {
    let is_complete =
        ranking.nodes.len() == program.icfg.nodes.len() && ranking.entries.len() == program.icfg.procs.len();
    let all = ranking.nodes.iter().chain(&ranking.entries).flat_map(|rank| &rank.bits);
    if !is_complete || !all.clone().all(|bit| bit.index() < proof.formulas.len()) {
        return Err(CertifyError::Malformed);
    }
    super::with_checker(program, proof, budget, |checker| {
        let mut arcs = Arcs { checker, ranking, acceptance };
        for edge in program.icfg.edges.ids() {
            arcs.checker.renew();
            arcs.edge(edge)?;
        }
        Ok(())
    })
}

struct Arcs<'c, 'a> {
    checker: &'c mut Checker<'a>,
    ranking: &'c Ranking,
    acceptance: Acceptance<'c>,
}

/// What must be so of the ranks on both ends of an arc.
enum Demand {
    /// Nothing.
    Met,
    /// That it cannot be passed.
    Impossible,
    /// That the number does not fall.
    Compare,
}

impl Arcs<'_, '_> {
    fn edge(&mut self, edge: EdgeId) -> Result<(), CertifyError> {
        let program = self.checker.program;
        let from = program.icfg.edges[edge].from;
        match (program.icfg.edges[edge].kind, &program.labels[edge]) {
            (EdgeKind::Step { to }, Relation::Step(transition)) => self.step(edge, from, to, transition),
            (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                let call = Call { from, callee, to, enter, leave };
                self.enter(edge, &call)?;
                self.over(edge, &call)
            }
            _ => Ok(()),
        }
    }

    fn step(&mut self, edge: EdgeId, from: NodeId, to: NodeId, transition: &Transition) -> Result<(), CertifyError> {
        let ranking = self.ranking;
        let (before, after) = (&ranking.nodes[from], &ranking.nodes[to]);
        if matches!(demand(before, after), Demand::Met) || self.checker.is_constant(from, false) {
            return Ok(());
        }
        let copies = self.checker.encoder.copies();
        let now = self.emptied(from, &copies.now);
        let mut next = now.clone();
        let maps = Maps { now: Some(&now), ..Maps::default() };
        let related = self.checker.encoder.transition(transition, Side::Step, maps, &mut next, &mut Vec::new())?;
        let reached = self.checker.encoder.formula(self.checker.proof.at[from], &copies.entry, &copies.now)?;
        let bad = self.bad(from, (before, &now), (after, &next))?;
        self.checker.refute(Obligation::Arc(edge, Side::Step), &[reached, related, bad])
    }

    fn over(&mut self, edge: EdgeId, call: &Call<'_>) -> Result<(), CertifyError> {
        let ranking = self.ranking;
        let (before, after) = (&ranking.nodes[call.from], &ranking.nodes[call.to]);
        let program = self.checker.program;
        let callee = &program.icfg.procs[call.callee];
        let is_dead = self.checker.is_constant(call.from, false) || self.checker.is_constant(callee.exit, false);
        if matches!(demand(before, after), Demand::Met) || is_dead {
            return Ok(());
        }
        let (copies, globals) = (self.checker.encoder.copies(), self.checker.slots.globals());
        let now = self.emptied(call.from, &copies.now);
        let (start, entered) = self.callee_start(call, &now)?;
        let mut next = now.clone();
        next[..globals].copy_from_slice(&copies.exit[..globals]);
        let maps = Maps { now: Some(&copies.exit), saved: Some(&now), next: None };
        let left = self.checker.encoder.transition(call.leave, Side::Leave, maps, &mut next, &mut Vec::new())?;
        let (encoder, proof) = (&mut self.checker.encoder, self.checker.proof);
        let reached = encoder.formula(proof.at[call.from], &copies.entry, &copies.now)?;
        let through = encoder.formula(proof.at[callee.exit], &start, &copies.exit)?;
        let bad = self.bad(call.from, (before, &now), (after, &next))?;
        self.checker.refute(Obligation::Arc(edge, Side::Leave), &[reached, entered, through, left, bad])
    }

    fn enter(&mut self, edge: EdgeId, call: &Call<'_>) -> Result<(), CertifyError> {
        let ranking = self.ranking;
        let program = self.checker.program;
        let caller = program.icfg.nodes[call.from].proc;
        let (before, after) = (&ranking.entries[caller], &ranking.entries[call.callee]);
        // What nobody calls is entered once.
        if program.icfg.callers(caller).is_empty() {
            return Ok(());
        }
        if matches!(demand(before, after), Demand::Met) || self.checker.is_constant(call.from, false) {
            return Ok(());
        }
        let copies = self.checker.encoder.copies();
        let (start, entered) = self.callee_start(call, &copies.now)?;
        let encoder = &mut self.checker.encoder;
        let reached = encoder.formula(self.checker.proof.at[call.from], &copies.entry, &copies.now)?;
        let is_accepting = match self.acceptance {
            Acceptance::Weak(_) => Signal::TRUE,
            Acceptance::Memory(seen) => copies.now[self.checker.slots.of(seen[caller]).index()],
        };
        let counts = self.counts(&copies.entry, &start)?;
        let worse = self.worse((before, &copies.entry), (after, &start), is_accepting)?;
        self.checker.refute(Obligation::Arc(edge, Side::Enter), &[reached, entered, counts, worse])
    }

    /// The callee's state at its entry, and when the call can be made.
    fn callee_start(&mut self, call: &Call<'_>, now: &[Signal]) -> Result<(Vec<Signal>, Signal), CertifyError> {
        let (copies, globals) = (self.checker.encoder.copies(), self.checker.slots.globals());
        let mut start = copies.start.clone();
        start[..globals].copy_from_slice(&now[..globals]);
        let maps = Maps { now: Some(now), ..Maps::default() };
        let entered = self.checker.encoder.transition(call.enter, Side::Enter, maps, &mut start, &mut Vec::new())?;
        Ok((start, entered))
    }

    /// The state `now` at `node` with an empty memory: whether it is set along an arc does not depend on what was before.
    fn emptied(&self, node: NodeId, now: &[Signal]) -> Vec<Signal> {
        let mut now = now.to_vec();
        if let Acceptance::Memory(seen) = self.acceptance {
            let proc = self.checker.program.icfg.nodes[node].proc;
            now[self.checker.slots.of(seen[proc]).index()] = Signal::FALSE;
        }
        now
    }

    /// That an arc inside the procedure of `node` is one that must not be.
    fn bad(
        &mut self,
        node: NodeId,
        before: (&Rank, &[Signal]),
        after: (&Rank, &[Signal]),
    ) -> Result<Signal, CertifyError> {
        let is_accepting = match self.acceptance {
            Acceptance::Weak(_) => Signal::TRUE,
            Acceptance::Memory(seen) => {
                let proc = self.checker.program.icfg.nodes[node].proc;
                after.1[self.checker.slots.of(seen[proc]).index()]
            }
        };
        let counts = self.counts(before.1, after.1)?;
        let worse = self.worse(before, after, is_accepting)?;
        Ok(self.checker.encoder.circuit.and(counts, worse))
    }

    /// Whether an arc between these states counts.
    fn counts(&mut self, before: &[Signal], after: &[Signal]) -> Result<Signal, CertifyError> {
        let Acceptance::Weak(accepting) = self.acceptance else { return Ok(Signal::TRUE) };
        let encoder = &mut self.checker.encoder;
        let before = encoder.condition(accepting, Maps { now: Some(before), ..Maps::default() })?;
        let after = encoder.condition(accepting, Maps { now: Some(after), ..Maps::default() })?;
        Ok(encoder.circuit.and(before, after))
    }

    /// That the number falls, or that it does not rise and the arc is accepting.
    fn worse(
        &mut self,
        (before, at): (&Rank, &[Signal]),
        (after, then): (&Rank, &[Signal]),
        is_accepting: Signal,
    ) -> Result<Signal, CertifyError> {
        if matches!(demand(before, after), Demand::Impossible) {
            return Ok(Signal::TRUE);
        }
        // From the least significant bit: whether what has been seen of `after` is smaller than of `before`, or the
        // same and the arc is accepting.
        let mut is_worse = is_accepting;
        for bit in 0..before.bits.len().max(after.bits.len()) {
            let old = self.bit(before, bit, at)?;
            let new = self.bit(after, bit, then)?;
            let circuit = &mut self.checker.encoder.circuit;
            let is_same = circuit.iff(old, new);
            is_worse = circuit.ite(is_same, is_worse, old);
        }
        Ok(is_worse)
    }

    fn bit(&mut self, rank: &Rank, bit: usize, state: &[Signal]) -> Result<Signal, CertifyError> {
        match rank.bits.get(bit) {
            Some(&formula) => Ok(self.checker.encoder.formula(formula, state, state)?),
            None => Ok(Signal::FALSE),
        }
    }
}

fn demand(before: &Rank, after: &Rank) -> Demand {
    match before.component.cmp(&after.component) {
        std::cmp::Ordering::Greater => Demand::Met,
        std::cmp::Ordering::Equal => Demand::Compare,
        std::cmp::Ordering::Less => Demand::Impossible,
    }
}
