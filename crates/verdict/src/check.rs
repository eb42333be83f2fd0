//! Confirms a [`Proof`] with SAT: the annotation is inductive for the program as given, and excludes the goals.
//!
//! Write `A[n](e, c)` for the formula of node `n` over the state `e` at the procedure's entry and the state `c` now. The
//! proof is good where each of these can have no counterexample:
//!
//! | obligation | claim |
//! | --- | --- |
//! | first state | `Initial(c) ⇒ A[entry of the program](c, c)` |
//! | step `n → m` | `A[n](e, c) ∧ R(c, c') ⇒ A[m](e, c')` |
//! | call at `n`, in | `A[n](e, c) ∧ Enter(c, s) ⇒ A[entry of the callee](s, s)` |
//! | call at `n`, back to `m` | `A[n](e, c) ∧ Enter(c, s) ∧ A[exit of the callee](s, x) ∧ Leave(c, x, c') ⇒ A[m](e, c')` |
//! | goal at `n` | `¬(A[n](e, c) ∧ condition(c))` |
//!
//! Each of `e`, `c`, `s`, `x` has inputs of its own in one [`Circuit`](hardbop_solve::Circuit), slot by slot; `s` and `c'` are built from them by
//! substitution, so what an edge does not touch is the same signal before and after. A slot that is no variable of a
//! procedure counts as one more local of it that is never written, which only adds runs.
//!
//! Procedures of the same shape give the same obligations, and each is proved once.
//!
//! This shares no code with the engines: whoever audits it reads this module and the crate `solve`.

mod encode;
mod error;
pub mod ranking;

pub use error::{Certificate, CertifyError, Side};

use crate::{Formula, Proof};
use encode::{Encoder, Maps};
use hardbop_base::{Budget, Idx};
use hardbop_icfg::{EdgeId, EdgeKind, Goal, NodeId, ProcId, Program, Relation, Slots, Transition};
use hardbop_solve::{Satisfiable, Signal, Solver};
use rustc_hash::FxHashSet;

/// A circuit with more gates is dropped, and a new one begun.
const MOST_GATES: usize = 4_000_000;
/// A solver with fewer clauses is always kept.
const FEW_CLAUSES: usize = 2_000;
/// A solver with so many times the clauses of its first question is dropped, and a new one begun: what it was asked
/// before slows it down.
const GROWTH: usize = 3;

/// Checks that `proof` proves that none of `goals` can be reached.
///
/// # Requires
/// The program is well formed: each expression and each update speaks of variables that are in scope.
///
/// # Ensures
/// On success, no run of `program` reaches any of `goals`.
pub fn certify(
    program: &Program<Relation>,
    goals: &[&Goal],
    proof: &Proof,
    budget: &Budget,
) -> Result<Certificate, CertifyError> {
    with_checker(program, proof, budget, |checker| {
        checker.initial()?;
        for edge in program.icfg.edges.ids() {
            checker.renew();
            checker.edge(edge)?;
        }
        for (index, goal) in goals.iter().enumerate() {
            checker.goal(index, goal)?;
        }
        Ok(())
    })
}

fn with_checker(
    program: &Program<Relation>,
    proof: &Proof,
    budget: &Budget,
    check: impl FnOnce(&mut Checker<'_>) -> Result<(), CertifyError>,
) -> Result<Certificate, CertifyError> {
    let slots = Slots::new(program);
    let supports = encode::supports(program, &slots, proof).ok_or(CertifyError::Malformed)?;
    let encoder = Encoder::new(&program.exprs, &proof.formulas, &slots, &supports, budget);
    let mut checker = Checker {
        program,
        proof,
        slots: &slots,
        budget,
        encoder,
        solver: Solver::new(),
        met: FxHashSet::default(),
        most_clauses: None,
        certificate: Certificate::default(),
    };
    check(&mut checker)?;
    Ok(checker.certificate)
}

/// What is to be proved.
#[derive(Clone, Copy, Debug)]
enum Obligation {
    Initial,
    Edge(EdgeId, Side),
    Goal(usize),
    Arc(EdgeId, Side),
}

/// A call edge with its label.
struct Call<'a> {
    from: NodeId,
    callee: ProcId,
    to: NodeId,
    enter: &'a Transition,
    leave: &'a Transition,
}

struct Checker<'a> {
    program: &'a Program<Relation>,
    proof: &'a Proof,
    slots: &'a Slots,
    budget: &'a Budget,
    encoder: Encoder<'a>,
    solver: Solver,
    /// The obligations met so far, each as the numbers that determine it.
    met: FxHashSet<Box<[u32]>>,
    /// When the solver is to be dropped; known after its first question.
    most_clauses: Option<usize>,
    certificate: Certificate,
}

impl Checker<'_> {
    fn initial(&mut self) -> Result<(), CertifyError> {
        let start = self.program.icfg.procs[self.program.entry].entry;
        let (entry_formula, initial) = (self.proof.at[start], &self.program.initial);
        let copies = self.encoder.copies();
        let maps = Maps { next: Some(&copies.now), ..Maps::default() };
        let is_first = match initial.constraint {
            Some(expr) => self.encoder.condition(expr, maps)?,
            None => Signal::TRUE,
        };
        let after = self.encoder.formula(entry_formula, &copies.now, &copies.now)?;
        self.refute(Obligation::Initial, &[is_first, !after])
    }

    fn goal(&mut self, index: usize, goal: &Goal) -> Result<(), CertifyError> {
        let copies = self.encoder.copies();
        let before = self.encoder.formula(self.proof.at[goal.node], &copies.entry, &copies.now)?;
        let maps = Maps { now: Some(&copies.now), ..Maps::default() };
        let condition = match goal.condition {
            Some(expr) => self.encoder.condition(expr, maps)?,
            None => Signal::TRUE,
        };
        self.refute(Obligation::Goal(index), &[before, condition])
    }

    fn edge(&mut self, edge: EdgeId) -> Result<(), CertifyError> {
        let program = self.program;
        let from = program.icfg.edges[edge].from;
        match (program.icfg.edges[edge].kind, &program.labels[edge]) {
            (EdgeKind::Step { to }, Relation::Step(transition)) => self.step(edge, from, to, transition),
            (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                self.call(edge, &Call { from, callee, to, enter, leave })
            }
            (EdgeKind::Return, Relation::Return) => Ok(()),
            _ => panic!("the label of {edge} is of another kind than the edge"),
        }
    }

    fn step(&mut self, edge: EdgeId, from: NodeId, to: NodeId, transition: &Transition) -> Result<(), CertifyError> {
        if self.is_constant(from, false) || self.is_constant(to, true) {
            return Ok(());
        }
        let copies = self.encoder.copies();
        let mut next = copies.now.clone();
        let maps = Maps { now: Some(&copies.now), ..Maps::default() };
        let mut key = self.key(Side::Step, &[from, to]);
        let related = self.encoder.transition(transition, Side::Step, maps, &mut next, &mut key)?;
        if !self.is_new(key) {
            return Ok(());
        }
        let before = self.encoder.formula(self.proof.at[from], &copies.entry, &copies.now)?;
        let after = self.encoder.formula(self.proof.at[to], &copies.entry, &next)?;
        self.refute(Obligation::Edge(edge, Side::Step), &[before, !after, related])
    }

    fn call(&mut self, edge: EdgeId, call: &Call<'_>) -> Result<(), CertifyError> {
        let &Call { from, callee, to, enter, leave } = call;
        if self.is_constant(from, false) {
            return Ok(());
        }
        let callee = &self.program.icfg.procs[callee];
        let (copies, globals) = (self.encoder.copies(), self.slots.globals());
        let mut start = copies.start.clone();
        start[..globals].copy_from_slice(&copies.now[..globals]);
        let maps = Maps { now: Some(&copies.now), ..Maps::default() };
        let mut key = self.key(Side::Enter, &[from, callee.entry]);
        let entered = self.encoder.transition(enter, Side::Enter, maps, &mut start, &mut key)?;
        let mut back_key = self.key(Side::Leave, &[callee.exit, to]);
        back_key.extend(&key);
        if !self.is_constant(callee.entry, true) && self.is_new(key) {
            let before = self.encoder.formula(self.proof.at[from], &copies.entry, &copies.now)?;
            let after = self.encoder.formula(self.proof.at[callee.entry], &start, &start)?;
            self.refute(Obligation::Edge(edge, Side::Enter), &[before, !after, entered])?;
        }
        if self.is_constant(callee.exit, false) || self.is_constant(to, true) {
            return Ok(());
        }
        let summary = self.proof.at[callee.exit];
        let mut exit = copies.exit.clone();
        // What the summary says is unchanged is the same signal on both sides of the call.
        for slot in self.encoder.unchanged(summary) {
            exit[slot.index()] = start[slot.index()];
        }
        let mut next = copies.now.clone();
        next[..globals].copy_from_slice(&exit[..globals]);
        let maps = Maps { now: Some(&exit), saved: Some(&copies.now), next: None };
        let left = self.encoder.transition(leave, Side::Leave, maps, &mut next, &mut back_key)?;
        if !self.is_new(back_key) {
            return Ok(());
        }
        let before = self.encoder.formula(self.proof.at[from], &copies.entry, &copies.now)?;
        let through = self.encoder.formula(summary, &start, &exit)?;
        let after = self.encoder.formula(self.proof.at[to], &copies.entry, &next)?;
        self.refute(Obligation::Edge(edge, Side::Leave), &[before, !after, entered, through, left])
    }

    /// Whether the formula of `node` is the constant `value`.
    fn is_constant(&self, node: NodeId, value: bool) -> bool {
        self.proof.formulas.get(self.proof.at[node]) == Formula::Const(value)
    }

    /// The beginning of an obligation's key. What else determines it are the signals of its transitions.
    fn key(&self, side: Side, nodes: &[NodeId]) -> Vec<u32> {
        let formulas = nodes.iter().map(|&node| self.proof.at[node].index() as u32);
        std::iter::once(side as u32).chain(formulas).collect()
    }

    fn is_new(&mut self, key: Vec<u32>) -> bool {
        let is_new = self.met.insert(key.into_boxed_slice());
        self.certificate.repeated += usize::from(!is_new);
        is_new
    }

    /// Shows that `parts` cannot all be true.
    fn refute(&mut self, obligation: Obligation, parts: &[Signal]) -> Result<(), CertifyError> {
        let counterexample = parts.iter().fold(Signal::TRUE, |all, &part| self.encoder.circuit.and(all, part));
        if counterexample == Signal::FALSE {
            self.certificate.folded += 1;
            return Ok(());
        }
        self.certificate.solved += 1;
        if self.solver.solve(&self.encoder.circuit, &[counterexample], self.budget)? == Satisfiable::Yes {
            return Err(obligation.failed());
        }
        let clauses = self.solver.clauses();
        if clauses > *self.most_clauses.get_or_insert(FEW_CLAUSES.max(GROWTH * clauses)) {
            self.renew_solver();
        }
        Ok(())
    }

    fn renew_solver(&mut self) {
        self.solver = Solver::new();
        self.most_clauses = None;
    }

    /// Begins a new circuit where this one has grown too large.
    fn renew(&mut self) {
        if self.encoder.circuit.len() > MOST_GATES {
            self.encoder.renew();
            self.renew_solver();
            // The keys are made of signals of the old circuit.
            self.met.clear();
        }
    }
}

impl Obligation {
    fn failed(self) -> CertifyError {
        match self {
            Self::Initial => CertifyError::InitialNotCovered,
            Self::Edge(edge, side) => CertifyError::NotInductive { edge, side },
            Self::Goal(goal) => CertifyError::GoalNotExcluded { goal },
            Self::Arc(edge, side) => CertifyError::NotRanked { edge, side },
        }
    }
}
