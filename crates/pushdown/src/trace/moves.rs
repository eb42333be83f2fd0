//! From links between states to the moves of a witness: what was picked, and only what was needed.
//!
//! Backwards over a run, a set of slots whose values are needed: at the end what the goal or the exit wants, before each
//! move what its being taken and its outcome rest on. Everything else is left open.

use super::Tracer;
use super::follow::{Link, Manner, Run};
use super::lemma::Crossing;
use super::need::{Need, View};
use super::rings::Extent;
use crate::encode::open_targets;
use hardbop_base::Exhausted;
use hardbop_icfg::{EdgeId, EdgeKind, Expr, NodeId, Relation, SlotId, SlotSet, Transition, Value, VarId};
use hardbop_verdict::{Length, Move, Picks, SubTrace, SubTraceId, Witness};

/// A call that was crossed.
struct Crossed {
    /// The state that the callee was entered in.
    entry: SlotSet,
    /// How it got to its exit.
    sub: SubTraceId,
}

impl Tracer<'_, '_> {
    /// The witness of a run from the program's start to a goal.
    pub(super) fn assemble(&mut self, goal: usize, run: Run, length: Length) -> Result<Witness, Exhausted> {
        let setting = self.saturation.setting;
        let goal = &setting.goals[goal];
        let mut needed = SlotSet::empty(setting.slots.len());
        let mut goal_choices = Vec::new();
        if let Some(condition) = goal.condition {
            let known = self.known(goal.node);
            let leaf = |expr: Expr| matches!(expr, Expr::Var(var) if run.last.contains(setting.slots.of(var)));
            let choices = self.saturation.encoder.decide_condition(condition, &leaf)?;
            let picks = Picks { choices, values: Vec::new() };
            let leaf = |expr: Expr| match expr {
                Expr::Var(var) => value_in(&known, &run.last, setting.slots.of(var)),
                _ => None,
            };
            let view = View {
                exprs: &setting.program.exprs,
                transition: &Transition::SKIP,
                picks: &picks,
                leaf: &leaf,
                place: &|_| None,
            };
            let needs = view.needs_of(condition);
            goal_choices = mask(&picks, &needs).choices;
            self.note(&needs, &mut needed);
        }
        let crossed = self.cross_calls(Extent::Program, &run)?;
        let moves = self.moves(&run, &crossed, &mut needed)?;
        let entry = setting.program.icfg.procs[setting.program.entry].entry;
        let first = run.links.first().map_or(&run.last, |link| &link.before);
        let initial_choices = self.initial_choices(entry, first, &mut needed)?;
        let scope = setting.program.scope(setting.program.entry);
        let initial = scope.map(|var| value_in(&needed, first, setting.slots.of(var))).collect();
        let subtraces = std::mem::take(&mut self.subtraces);
        self.of_proc.clear();
        Ok(Witness { initial, initial_choices, moves, goal_choices, subtraces, length })
    }

    /// The choices of the initial constraint; adds what it rests on to `needed`.
    fn initial_choices(
        &mut self,
        entry: NodeId,
        first: &SlotSet,
        needed: &mut SlotSet,
    ) -> Result<Vec<Option<bool>>, Exhausted> {
        let setting = self.saturation.setting;
        let Some(constraint) = setting.program.initial.constraint else { return Ok(Vec::new()) };
        let known = self.known(entry);
        let slot_of = |expr: Expr| match expr {
            Expr::Var(var) | Expr::Next(var) => setting.slots.of(var),
            _ => unreachable!("the first state has no caller"),
        };
        let choices = self.saturation.encoder.decide_condition(constraint, &|expr| first.contains(slot_of(expr)))?;
        let picks = Picks { choices, values: Vec::new() };
        let view = View {
            exprs: &setting.program.exprs,
            transition: &Transition::SKIP,
            picks: &picks,
            leaf: &|expr| value_in(&known, first, slot_of(expr)),
            place: &|_| None,
        };
        let needs = view.needs_of(constraint);
        self.note(&needs, needed);
        Ok(mask(&picks, &needs).choices)
    }

    /// The sub-trace of a run through a procedure.
    pub(super) fn generalise(&mut self, crossing: &Crossing, extent: Extent, run: &Run) -> Result<SubTrace, Exhausted> {
        let setting = self.saturation.setting;
        let crossed = self.cross_calls(extent, run)?;
        let written = self.written(run, &crossed);
        // A global that is not written on the way is as it was at the entry, whatever that is.
        let is_told = |slot: SlotId| !setting.slots.is_global(slot) || written.contains(slot);
        let mut wanted = SlotSet::empty(setting.slots.len());
        crossing.wanted.iter().filter(|&slot| is_told(slot)).for_each(|slot| {
            wanted.insert(slot);
        });
        let mut needed = wanted.clone();
        let moves = self.moves(run, &crossed, &mut needed)?;
        let first = run.links.first().map_or(&run.last, |link| &link.before);
        let scope: Vec<VarId> = setting.program.scope(crossing.proc).collect();
        let known = |var: &VarId| needed.contains(setting.slots.of(*var));
        let requires = scope.iter().copied().filter(known);
        let requires = requires.map(|var| (var, first.contains(setting.slots.of(var)))).collect();
        let effects = scope.iter().filter_map(|&var| {
            let slot = setting.slots.of(var);
            let value = wanted.contains(slot).then(|| run.last.contains(slot));
            (written.contains(slot) || value.is_some()).then_some((var, value))
        });
        let effects = effects.collect();
        Ok(SubTrace { proc: crossing.proc, requires, moves, effects })
    }

    /// A sub-trace for each call that `run` crosses, with the state that the callee is entered in.
    fn cross_calls(&mut self, extent: Extent, run: &Run) -> Result<Vec<Option<Crossed>>, Exhausted> {
        let mut crossed = Vec::with_capacity(run.links.len());
        for link in &run.links {
            crossed.push(match link.manner {
                Manner::Cross => {
                    let crossing = self.crossing(link.edge, extent, &link.before, &link.after)?;
                    let sub = self.prove(&crossing)?;
                    Some(Crossed { entry: crossing.entry, sub })
                }
                Manner::Step | Manner::Enter => None,
            });
        }
        Ok(crossed)
    }

    /// The globals that a run writes, relevant or not.
    fn written(&self, run: &Run, crossed: &[Option<Crossed>]) -> SlotSet {
        let setting = self.saturation.setting;
        let program = setting.program;
        let mut written = SlotSet::empty(setting.slots.len());
        for (link, crossed) in run.links.iter().zip(crossed) {
            let updates = match &program.labels[link.edge] {
                Relation::Step(step) => &step.updates,
                Relation::Call { leave, .. } => &leave.updates,
                Relation::Return => continue,
            };
            let told = crossed.iter().flat_map(|crossed| &self.subtraces[crossed.sub].effects).map(|&(var, _)| var);
            for var in updates.iter().map(|update| update.target).chain(told).filter(|&var| program.is_global(var)) {
                written.insert(setting.slots.of(var));
            }
        }
        written
    }

    /// The moves of a run; `needed` is what its end wants, and becomes what its start must have.
    fn moves(&mut self, run: &Run, crossed: &[Option<Crossed>], needed: &mut SlotSet) -> Result<Vec<Move>, Exhausted> {
        let mut moves = Vec::with_capacity(run.links.len());
        for (link, crossed) in run.links.iter().zip(crossed).rev() {
            moves.push(match (link.manner, crossed) {
                (Manner::Step, _) => self.step(link, needed)?,
                (Manner::Enter, _) => self.enter(link, needed)?,
                (Manner::Cross, Some(crossed)) => self.cross(link, crossed, needed)?,
                (Manner::Cross, None) => unreachable!("a call that is crossed has a sub-trace"),
            });
        }
        moves.reverse();
        Ok(moves)
    }

    fn step(&mut self, link: &Link, needed: &mut SlotSet) -> Result<Move, Exhausted> {
        let setting = self.saturation.setting;
        let slots = &setting.slots;
        let Relation::Step(step) = &setting.program.labels[link.edge] else { unreachable!("the edge is a step") };
        let wanted = self.wanted_of(step, needed, &link.after);
        let before = |expr: Expr| match expr {
            Expr::Var(var) | Expr::Next(var) => link.before.contains(slots.of(var)),
            _ => unreachable!("a step has no saved values"),
        };
        // Every live value, not just the needed ones: a choice made for one must fit the rest of the run.
        let live = setting.liveness.at(setting.program.icfg.edges[link.edge].target().expect("a step leads somewhere"));
        let all = self.wanted_of(step, live, &link.after);
        let picks = self.saturation.encoder.decide(step, &before, &all)?;
        let known = self.known(setting.program.icfg.edges[link.edge].from);
        let leaf = |expr: Expr| match expr {
            Expr::Var(var) | Expr::Next(var) => value_in(&known, &link.before, slots.of(var)),
            _ => None,
        };
        let open: Vec<VarId> = open_targets(step).collect();
        let place = |var: VarId| open.iter().position(|&target| target == var);
        let view = View { exprs: &setting.program.exprs, transition: step, picks: &picks, leaf: &leaf, place: &place };
        let needs = view.needs(wanted);
        for update in &step.updates {
            needed.remove(slots.of(update.target));
        }
        self.note(&needs, needed);
        Ok(Move::Step { edge: link.edge, picks: mask(&picks, &needs) })
    }

    /// The updates of `transition` whose target is in `slots`, with the value that `after` gives.
    fn wanted_of(&self, transition: &Transition, slots: &SlotSet, after: &SlotSet) -> Vec<(VarId, bool)> {
        let setting = self.saturation.setting;
        let targets = transition.updates.iter().map(|update| update.target);
        let targets = targets.filter(|&var| setting.slice.is_relevant[var] && slots.contains(setting.slots.of(var)));
        targets.map(|var| (var, after.contains(setting.slots.of(var)))).collect()
    }

    fn enter(&mut self, link: &Link, needed: &mut SlotSet) -> Result<Move, Exhausted> {
        let mut needed_before = SlotSet::empty(self.saturation.setting.slots.len());
        let picks = self.way_in(link.edge, &link.before, &link.after, needed, &mut needed_before)?;
        *needed = needed_before;
        Ok(Move::Enter { edge: link.edge, picks })
    }

    /// The picks on the way into a call, given what is needed at the callee's entry; adds what the caller must have.
    fn way_in(
        &mut self,
        edge: EdgeId,
        before: &SlotSet,
        entry: &SlotSet,
        needed: &SlotSet,
        needed_before: &mut SlotSet,
    ) -> Result<Picks, Exhausted> {
        let setting = self.saturation.setting;
        let slots = &setting.slots;
        let Relation::Call { enter, .. } = &setting.program.labels[edge] else { unreachable!("the edge is a call") };
        let callee = self.callee(edge);
        let decided = self.wanted_of(enter, &self.given_at_entry(callee), entry);
        let value = |expr: Expr| match expr {
            Expr::Var(var) => before.contains(slots.of(var)),
            Expr::Next(var) if setting.program.is_global(var) => before.contains(slots.of(var)),
            Expr::Next(var) => entry.contains(slots.of(var)),
            _ => unreachable!("nothing is saved on the way in"),
        };
        let mut picks = self.saturation.encoder.decide(enter, &value, &decided)?;
        let own: Vec<VarId> = own_locals(setting.program.locals[callee].as_slice(), enter);
        picks.values = own.iter().map(|&var| Some(entry.contains(slots.of(var)))).collect();
        let known = self.known(setting.program.icfg.edges[edge].from);
        let leaf = |expr: Expr| match expr {
            Expr::Var(var) | Expr::Next(var) => value_in(&known, before, slots.of(var)),
            _ => None,
        };
        let place = |var: VarId| own.iter().position(|&local| local == var);
        let view = View { exprs: &setting.program.exprs, transition: enter, picks: &picks, leaf: &leaf, place: &place };
        let scope = setting.program.scope(callee).filter(|&var| needed.contains(slots.of(var)));
        let needs = view.needs(scope.map(|var| (var, entry.contains(slots.of(var)))).collect::<Vec<_>>());
        self.note(&needs, needed_before);
        Ok(mask(&picks, &needs))
    }

    fn cross(&mut self, link: &Link, crossed: &Crossed, needed: &mut SlotSet) -> Result<Move, Exhausted> {
        let leave = self.way_back(link, crossed.sub, needed)?;
        let required = self.required(crossed.sub);
        let mut needed_before = needed.clone();
        let enter = self.way_in(link.edge, &link.before, &crossed.entry, &required, &mut needed_before)?;
        *needed = needed_before;
        Ok(Move::Cross { edge: link.edge, enter, sub: crossed.sub, leave })
    }

    /// What a sub-trace requires of globals and inputs; its other locals are its own.
    fn required(&self, sub: SubTraceId) -> SlotSet {
        let setting = self.saturation.setting;
        let subtrace = &self.subtraces[sub];
        let mut required = SlotSet::empty(setting.slots.len());
        let inputs = &setting.mod_ref.inputs[subtrace.proc];
        for &(var, _) in &subtrace.requires {
            let slot = setting.slots.of(var);
            if setting.program.is_global(var) || inputs.contains(slot) {
                required.insert(slot);
            }
        }
        required
    }

    /// The picks on the way back from a call; `needed` after the call becomes what the caller must have besides what
    /// the sub-trace requires.
    fn way_back(&mut self, link: &Link, sub: SubTraceId, needed: &mut SlotSet) -> Result<Picks, Exhausted> {
        let setting = self.saturation.setting;
        let slots = &setting.slots;
        let Relation::Call { leave, .. } = &setting.program.labels[link.edge] else {
            unreachable!("the edge is a call")
        };
        let effects = self.subtraces[sub].effects.clone();
        let effect = |var: VarId| effects.iter().find(|&&(target, _)| target == var).map(|&(_, value)| value);
        let known = self.known(setting.program.icfg.edges[link.edge].from);
        let leaf = |expr: Expr| match expr {
            Expr::Var(var) => effect(var).unwrap_or_else(|| value_in(&known, &link.before, slots.of(var))),
            Expr::Next(var) if setting.program.is_global(var) => {
                effect(var).unwrap_or_else(|| value_in(&known, &link.before, slots.of(var)))
            }
            Expr::Next(var) | Expr::Saved(var) => value_in(&known, &link.before, slots.of(var)),
            _ => None,
        };
        let EdgeKind::Call { to, .. } = setting.program.icfg.edges[link.edge].kind else {
            unreachable!("it is a call")
        };
        let all = self.wanted_of(leave, setting.liveness.at(to), &link.after);
        let picks = self.saturation.encoder.decide(leave, &|expr| leaf(expr).unwrap_or(false), &all)?;
        let open: Vec<VarId> = open_targets(leave).collect();
        let place = |var: VarId| open.iter().position(|&target| target == var);
        let view = View { exprs: &setting.program.exprs, transition: leave, picks: &picks, leaf: &leaf, place: &place };
        let mut needs = view.needs(self.wanted_of(leave, needed, &link.after));
        for update in &leave.updates {
            needed.remove(slots.of(update.target));
        }
        // What the callee's exit gives is the sub-trace's to guarantee.
        needs.retain(|need| match need {
            Need::Now(var) | Need::Unchanged(var) => {
                setting.program.is_global(*var) || matches!(need, Need::Unchanged(_))
            }
            _ => true,
        });
        let picks = mask(&picks, &needs);
        needs.retain(|need| !matches!(need, Need::Now(var) | Need::Unchanged(var) if effect(*var).is_some()));
        for &(var, _) in effects.iter().filter(|&&(var, _)| setting.program.is_global(var)) {
            needed.remove(slots.of(var));
        }
        self.note(&needs, needed);
        Ok(picks)
    }

    /// The slots that the states of a run give a value at `node`.
    fn known(&self, node: NodeId) -> SlotSet {
        self.saturation.setting.liveness.at(node).clone()
    }

    /// Adds the variables among `needs` to `needed`.
    fn note(&self, needs: &[Need], needed: &mut SlotSet) {
        for need in needs {
            if let Need::Now(var) | Need::Saved(var) | Need::Unchanged(var) = need {
                needed.insert(self.saturation.setting.slots.of(*var));
            }
        }
    }
}

/// The value of `slot`, if it is known.
fn value_in(known: &SlotSet, state: &SlotSet, slot: SlotId) -> Option<bool> {
    known.contains(slot).then(|| state.contains(slot))
}

/// The callee's results and locals that the way in gives no value.
fn own_locals(locals: &[VarId], enter: &Transition) -> Vec<VarId> {
    locals.iter().copied().filter(|&var| !matches!(enter.update_of(var), Some(Value::Of(_)))).collect()
}

/// The picks that something rests on.
fn mask(picks: &Picks, needs: &[Need]) -> Picks {
    let keep = |values: &[Option<bool>], is_needed: &dyn Fn(usize) -> bool| {
        values.iter().enumerate().map(|(place, &value)| value.filter(|_| is_needed(place))).collect()
    };
    Picks {
        choices: keep(&picks.choices, &|number| needs.contains(&Need::Choice(number))),
        values: keep(&picks.values, &|place| needs.contains(&Need::Value(place))),
    }
}
