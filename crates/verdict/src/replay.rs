//! Follows a [`Witness`] with explicit ternary values, and believes nothing it cannot see.
//!
//! A value is false, true or open (`None`, `*`). What must be true, a guard, a constraint, a required value or the
//! goal's condition, must be true whatever the open values are. [`Exprs::possible`](hardbop_icfg::Exprs::possible)
//! over-approximates, so a witness that passes stands for real runs: one for each way to close the open values.
//!
//! A sub-trace `⟨requires, moves, effects⟩` of procedure `p` is a lemma. It is followed once, from the state where just
//! `requires` is known, and used by each call that it crosses:
//! - The state at `p`'s entry: globals are the caller's, parameters come from the updates of the way in. Every other
//!   result and local of `p` starts arbitrary, so its value is the run's to choose: it is the one in the picks of the
//!   way in or, where they leave it open, the one in `requires`. Then everything in `requires` must be met.
//! - The state at `p`'s exit: what `effects` says and, where it leaves a value open, what is known at the end of the
//!   lemma; other globals as at the entry; everything else open.
//!
//! **Invariant:** a sub-trace uses only earlier ones, so when one is used it has been followed to its end.

mod error;
mod states;

pub use error::{Fault, Part, Place, ReplayError, RunId};
pub use states::{Replayed, Run, State};

use crate::{Move, Picks, SubTrace, SubTraceId, Witness};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, Goal, NodeId, ProcId, Program, Relation, Scope, SlotId, SlotSet, Slots, Transition,
    Value, VarId,
};
use states::{Recorder, Valuation};

/// Follows `witness` from the first state of `program` to `goal`.
///
/// # Requires
/// The program is well formed: each expression and each update speaks of variables that are in scope.
///
/// # Ensures
/// On success, there is a run of `program` that reaches `goal`.
pub fn replay(program: &Program<Relation>, goal: &Goal, witness: &Witness) -> Result<Replayed, ReplayError> {
    let slots = Slots::new(program);
    let mut replayer = Replayer::new(program, witness, &slots);
    for id in witness.subtraces.ids() {
        replayer.place = Place { run: RunId::Sub(id), moves: 0 };
        replayer.follow_sub(id).map_err(|fault| ReplayError { place: replayer.place, fault })?;
    }
    replayer.place = Place { run: RunId::Main, moves: 0 };
    replayer.follow_main(goal).map_err(|fault| ReplayError { place: replayer.place, fault })?;
    let recorder = replayer.recorder;
    Ok(recorder.finish(slots))
}

struct Replayer<'a> {
    program: &'a Program<Relation>,
    witness: &'a Witness,
    slots: &'a Slots,
    recorder: Recorder,
    place: Place,
    node: NodeId,
    depth: u32,
    now: Valuation,
    /// The globals written since the entry of the run that is followed.
    written: SlotSet,
    /// The state at the exit of each sub-trace that has been followed.
    exits: IndexVec<SubTraceId, Valuation>,
    /// Scratch: the state after the move.
    next: Valuation,
    /// Scratch: a callee's state at its entry.
    callee_entry: Valuation,
    /// Scratch: a callee's state at its exit.
    callee_exit: Valuation,
    /// Scratch: the callee's slots that an update has decided, as those with a value.
    decided: Valuation,
}

impl<'a> Replayer<'a> {
    fn new(program: &'a Program<Relation>, witness: &'a Witness, slots: &'a Slots) -> Self {
        let open = Valuation::open(slots.len());
        let main = witness.moves.len() + 1;
        let total = main + witness.subtraces.iter().map(|sub| sub.moves.len() + 1).sum::<usize>();
        Self {
            program,
            witness,
            slots,
            recorder: Recorder::new(slots, total),
            place: Place { run: RunId::Main, moves: 0 },
            node: program.icfg.procs[program.entry].entry,
            depth: 0,
            now: open.clone(),
            exits: IndexVec::new(),
            written: SlotSet::empty(slots.len()),
            next: open.clone(),
            callee_entry: open.clone(),
            callee_exit: open.clone(),
            decided: open,
        }
    }

    fn follow_main(&mut self, goal: &Goal) -> Result<(), Fault> {
        let (program, witness) = (self.program, self.witness);
        self.start(program.entry);
        let scope = program.scope(program.entry).count();
        if witness.initial.len() != scope {
            return Err(Fault::InitialLength { expected: scope, found: witness.initial.len() });
        }
        for (var, &value) in program.scope(program.entry).zip(&witness.initial) {
            self.now.set(self.slots.of(var), value);
        }
        limit(&witness.initial_choices, program.initial.choices as usize)?;
        let view = View { next: Some(&self.now), ..self.view(&witness.initial_choices) };
        view.demand(program.initial.guard, Part::Initial)?;
        view.demand(program.initial.constraint, Part::Initial)?;
        self.follow(&witness.moves, witness.subtraces.next_id())?;
        if self.node != goal.node {
            return Err(Fault::NotAtGoal { node: self.node });
        }
        let view = View { now: Some(&self.now), ..self.view(&witness.goal_choices) };
        view.demand(goal.condition, Part::Goal)
    }

    fn follow_sub(&mut self, id: SubTraceId) -> Result<(), Fault> {
        let (program, witness) = (self.program, self.witness);
        let sub = &witness.subtraces[id];
        let proc = program.icfg.procs.get(sub.proc).ok_or(Fault::NoSuchProc { proc: sub.proc })?;
        self.start(sub.proc);
        for &(var, value) in &sub.requires {
            let slot = self.slot_in(sub.proc, var)?;
            self.now.set(slot, Some(value));
        }
        self.follow(&sub.moves, id)?;
        if self.node != proc.exit {
            return Err(Fault::NotAtExit { node: self.node });
        }
        self.conclude(sub)
    }

    /// Checks that the run just followed has the effects that its lemma claims, and no others on globals.
    fn conclude(&mut self, sub: &SubTrace) -> Result<(), Fault> {
        for &(var, value) in &sub.effects {
            let slot = self.slot_in(sub.proc, var)?;
            let found = self.now.value(slot);
            if let Some(claimed) = value
                && found != value
            {
                return Err(Fault::WrongEffect { var, claimed, found });
            }
            self.written.remove(slot);
        }
        match self.written.iter().next() {
            Some(slot) => Err(Fault::MissingEffect { var: VarId::from_usize(slot.index()) }),
            None => {
                self.exits.push(self.now.clone());
                Ok(())
            }
        }
    }

    /// At the entry of `proc`, with every value open.
    fn start(&mut self, proc: ProcId) {
        self.node = self.program.icfg.procs[proc].entry;
        self.depth = 0;
        self.now.clear();
        self.written = SlotSet::empty(self.slots.len());
    }

    /// Makes `moves`, which may use the sub-traces before `limit`, and records every state on the way.
    fn follow(&mut self, moves: &[Move], limit: SubTraceId) -> Result<(), Fault> {
        self.recorder.start(self.place.run);
        for (index, step) in moves.iter().enumerate() {
            self.place.moves = index;
            self.recorder.push(self.node, self.depth, &self.now);
            match step {
                Move::Step { edge, picks } => self.step(*edge, picks)?,
                Move::Enter { edge, picks } => self.enter_for_good(*edge, picks)?,
                Move::Cross { sub, .. } if *sub >= limit => return Err(Fault::LaterSubTrace { sub: *sub }),
                Move::Cross { edge, enter, sub, leave } => self.cross(*edge, enter, *sub, leave)?,
            }
        }
        self.place.moves = moves.len();
        self.recorder.push(self.node, self.depth, &self.now);
        Ok(())
    }

    fn step(&mut self, edge: EdgeId, picks: &Picks) -> Result<(), Fault> {
        let (EdgeKind::Step { to }, Relation::Step(transition)) = self.edge(edge)? else {
            return Err(Fault::WrongKind { edge });
        };
        limit(&picks.choices, transition.choices as usize)?;
        let view = View { now: Some(&self.now), ..self.view(&picks.choices) };
        view.demand(transition.guard, Part::StepGuard)?;
        self.next.copy_from(&self.now);
        view.assign(transition, &picks.values, &mut self.next)?;
        View { next: Some(&self.next), ..view }.demand(transition.constraint, Part::StepConstraint)?;
        self.note_written(transition);
        std::mem::swap(&mut self.now, &mut self.next);
        self.node = to;
        Ok(())
    }

    fn enter_for_good(&mut self, edge: EdgeId, picks: &Picks) -> Result<(), Fault> {
        if self.place.run != RunId::Main {
            return Err(Fault::EnterInSubTrace);
        }
        let (EdgeKind::Call { callee, .. }, Relation::Call { enter, .. }) = self.edge(edge)? else {
            return Err(Fault::WrongKind { edge });
        };
        self.enter(callee, enter, picks, &[])?;
        std::mem::swap(&mut self.now, &mut self.callee_entry);
        self.node = self.program.icfg.procs[callee].entry;
        self.depth += 1;
        Ok(())
    }

    fn cross(&mut self, edge: EdgeId, into: &Picks, sub: SubTraceId, back: &Picks) -> Result<(), Fault> {
        let lemma = &self.witness.subtraces[sub];
        let (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) = self.edge(edge)? else {
            return Err(Fault::WrongKind { edge });
        };
        if lemma.proc != callee {
            return Err(Fault::WrongCallee { sub, callee });
        }
        self.enter(callee, enter, into, &lemma.requires)?;
        for &(var, required) in &lemma.requires {
            let found = self.callee_entry.value(self.slots.of(var));
            if found != Some(required) {
                return Err(Fault::UnmetRequirement { sub, var, required, found });
            }
        }
        let globals = self.slots.globals();
        self.callee_exit.clear();
        self.callee_exit.copy_first(&self.callee_entry, globals);
        // What the lemma leaves open may still be known at its end, which rests on nothing but what it requires.
        let exit = &self.exits[sub];
        for &var in
            self.program.locals[callee].iter().filter(|&&var| matches!(self.program.vars[var].scope, Scope::Result(_)))
        {
            let slot = self.slots.of(var);
            self.callee_exit.set(slot, exit.value(slot));
        }
        for &(var, value) in &lemma.effects {
            let slot = self.slots.of(var);
            self.callee_exit.set(slot, value.or(exit.value(slot)));
            if self.slots.is_global(slot) {
                self.written.insert(slot);
            }
        }
        limit(&back.choices, leave.choices as usize)?;
        let view = View { now: Some(&self.callee_exit), saved: Some(&self.now), ..self.view(&back.choices) };
        view.demand(leave.guard, Part::LeaveGuard)?;
        self.next.copy_from(&self.now);
        self.next.copy_first(&self.callee_exit, globals);
        view.assign(leave, &back.values, &mut self.next)?;
        View { next: Some(&self.next), ..view }.demand(leave.constraint, Part::LeaveConstraint)?;
        self.note_written(enter);
        self.note_written(leave);
        std::mem::swap(&mut self.now, &mut self.next);
        self.node = to;
        Ok(())
    }

    /// Computes the state at the entry of `callee`; `wanted` are values for what the run may choose.
    fn enter(
        &mut self,
        callee: ProcId,
        enter: &Transition,
        picks: &Picks,
        wanted: &[(VarId, bool)],
    ) -> Result<(), Fault> {
        let slots = self.slots;
        limit(&picks.choices, enter.choices as usize)?;
        let view = View { now: Some(&self.now), ..self.view(&picks.choices) };
        view.demand(enter.guard, Part::EnterGuard)?;
        self.callee_entry.clear();
        self.callee_entry.copy_first(&self.now, slots.globals());
        self.decided.clear();
        for update in &enter.updates {
            let slot = slots.of(update.target);
            match update.value {
                Value::Of(value) => {
                    self.callee_entry.set(slot, view.value(value));
                    self.decided.set(slot, Some(true));
                }
                Value::Any => self.callee_entry.set(slot, None),
            }
        }
        if !picks.values.is_empty() {
            let locals = self.program.locals[callee].iter().map(|&var| slots.of(var));
            let mut values = picks.values.iter();
            for (slot, &value) in locals.filter(|&slot| self.decided.value(slot).is_none()).zip(&mut values) {
                self.callee_entry.set(slot, value);
            }
            limit(values.as_slice(), 0)?;
        }
        for (slot, value) in wanted.iter().map(|&(var, value)| (slots.of(var), value)) {
            let is_chosen = !slots.is_global(slot) && self.decided.value(slot).is_none();
            if is_chosen && self.callee_entry.value(slot).is_none() {
                self.callee_entry.set(slot, Some(value));
            }
        }
        View { next: Some(&self.callee_entry), ..view }.demand(enter.constraint, Part::EnterConstraint)
    }

    fn note_written(&mut self, transition: &Transition) {
        for slot in transition.updates.iter().map(|update| self.slots.of(update.target)) {
            if self.slots.is_global(slot) {
                self.written.insert(slot);
            }
        }
    }

    /// The kind and the label of `edge`, which must start at the node where the run is.
    fn edge(&self, edge: EdgeId) -> Result<(EdgeKind, &'a Relation), Fault> {
        let found = self.program.icfg.edges.get(edge).ok_or(Fault::NoSuchEdge { edge })?;
        if found.from != self.node {
            return Err(Fault::WrongStart { edge, node: self.node });
        }
        Ok((found.kind, &self.program.labels[edge]))
    }

    /// The slot of `var`, which must be in scope in `proc`: elsewhere its slot is another variable's.
    fn slot_in(&self, proc: ProcId, var: VarId) -> Result<SlotId, Fault> {
        match self.program.vars.get(var).map(|var| var.scope) {
            Some(Scope::Global) => Ok(self.slots.of(var)),
            Some(Scope::Parameter(owner) | Scope::Local(owner) | Scope::Result(owner))
                // A copy of a procedure has the locals of the original.
                if owner == proc || self.program.locals[proc].contains(&var) =>
            {
                Ok(self.slots.of(var))
            }
            _ => Err(Fault::OutOfScope { var }),
        }
    }

    // The view keeps no hold on the replayer itself, so its scratch states can be written while it is used.
    fn view<'v>(&self, choices: &'v [Option<bool>]) -> View<'v>
    where
        'a: 'v,
    {
        View { program: self.program, slots: self.slots, choices, now: None, next: None, saved: None }
    }
}

/// Fewer picks than there are open values leave the rest open; more are a mistake.
fn limit(picks: &[Option<bool>], most: usize) -> Result<(), Fault> {
    if picks.len() > most { Err(Fault::TooManyPicks) } else { Ok(()) }
}

/// What an expression can see. A state that is not there counts as open.
#[derive(Clone, Copy)]
struct View<'v> {
    program: &'v Program<Relation>,
    slots: &'v Slots,
    choices: &'v [Option<bool>],
    now: Option<&'v Valuation>,
    next: Option<&'v Valuation>,
    saved: Option<&'v Valuation>,
}

impl View<'_> {
    /// The value of `expr`; open where the open values below it might matter.
    fn value(&self, expr: ExprId) -> Option<bool> {
        self.program.exprs.possible(expr, &|leaf| self.leaf(leaf)).definite()
    }

    fn leaf(&self, leaf: Expr) -> Possible {
        let value = match leaf {
            Expr::Var(var) => self.now.and_then(|state| state.value(self.slots.of(var))),
            Expr::Next(var) => self.next.and_then(|state| state.value(self.slots.of(var))),
            Expr::Saved(var) => self.saved.and_then(|state| state.value(self.slots.of(var))),
            Expr::Choice(choice) => self.choices.get(choice.index()).copied().flatten(),
            _ => unreachable!("only variables and choices are leaves"),
        };
        value.map_or(Possible::ANY, Possible::only)
    }

    /// Checks that `expr` is true whatever the open values are.
    fn demand(&self, expr: Option<ExprId>, part: Part) -> Result<(), Fault> {
        match expr.map_or(Some(true), |expr| self.value(expr)) {
            Some(true) => Ok(()),
            Some(false) => Err(Fault::False { part }),
            None => Err(Fault::Open { part }),
        }
    }

    /// Makes the updates of `transition` in `next`; `values` are those of its updates to anything, in order.
    fn assign(&self, transition: &Transition, values: &[Option<bool>], next: &mut Valuation) -> Result<(), Fault> {
        let mut values = values.iter();
        for update in &transition.updates {
            let value = match update.value {
                Value::Of(value) => self.value(value),
                Value::Any => values.next().copied().flatten(),
            };
            next.set(self.slots.of(update.target), value);
        }
        limit(values.as_slice(), 0)
    }
}
