//! The rules of the pushdown system as BDDs: one relation for both directions.
//!
//! | rule | reads | writes |
//! | --- | --- | --- |
//! | step | globals (source), locals (frame) | middle |
//! | way in | caller's globals (source) and locals (frame) | callee's locals (source), globals (middle) |
//! | way back | globals and callee's results (source), caller's locals (frame) | middle |
//!
//! A relation speaks of what is read and written only. Forwards, what is written replaces what was there; backwards,
//! what was there moves to the middle, meets the relation and is forgotten.

use crate::layout::Copy;
use crate::space::Space;
use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::{Bdd, Fate, Level, PlanId};
use hardbop_icfg::{EdgeId, Expr, ExprId, Relation, SlotId, Transition, Value, VarId};
use rustc_hash::FxHashMap;

/// A rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The relation.
    pub relation: Bdd,
    /// What becomes of the levels when it is applied forwards.
    pub forward: PlanId,
    /// Backwards, what moves out of the way first.
    pub shift: PlanId,
    /// And what is forgotten then.
    pub back: PlanId,
}

/// The rules of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// `⟨n⟩ ↪ ⟨m⟩`
    Step(Code),
    /// `⟨n⟩ ↪ ⟨entry e⟩`, and the return to the call `e`.
    Call {
        /// The way in.
        enter: Code,
        /// The way back.
        leave: Code,
    },
}

/// Which kind of transition is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Step,
    Enter,
    Leave,
}

impl Space<'_> {
    /// The rules of `edge`, which is a step or a call.
    pub(super) fn rules(&mut self, edge: EdgeId) -> Result<Rules, Exhausted> {
        if let Some(known) = self.known_rules[edge] {
            return Ok(known);
        }
        let program = self.program;
        let rules = match &program.labels[edge] {
            Relation::Step(step) => Rules::Step(self.code(step, Side::Step)?),
            Relation::Call { enter, leave } => {
                Rules::Call { enter: self.code(enter, Side::Enter)?, leave: self.code(leave, Side::Leave)? }
            }
            Relation::Return => unreachable!("a return is a move of the call that it comes back to"),
        };
        self.known_rules[edge] = Some(rules);
        Ok(rules)
    }

    /// The states on top in which `condition` holds.
    pub(super) fn condition(&mut self, condition: ExprId) -> Result<Bdd, Exhausted> {
        let states = self.expr(condition, &Transition::SKIP, Side::Step)?;
        self.drop_choices(states, self.layout.choices())
    }

    /// The states that a run can start in, as those of a top frame.
    pub(super) fn initial_states(&mut self) -> Result<Bdd, Exhausted> {
        let initial = &self.program.initial;
        let mut states = Bdd::TRUE;
        for part in initial.guard.into_iter().chain(initial.constraint) {
            // Nothing is written, so `x'` is where `x` is.
            let part = self.expr(part, &Transition::SKIP, Side::Step)?;
            states = self.kernel.and(states, part)?;
        }
        self.drop_choices(states, initial.choices as usize)
    }

    fn code(&mut self, transition: &Transition, side: Side) -> Result<Code, Exhausted> {
        let mut relation = Bdd::TRUE;
        for part in transition.guard.into_iter().chain(transition.constraint) {
            let part = self.expr(part, transition, side)?;
            relation = self.kernel.and(relation, part)?;
        }
        for update in &transition.updates {
            let Value::Of(value) = update.value else { continue };
            let value = self.expr(value, transition, side)?;
            let written = self.level_of(update.target, self.written_copy(update.target, side));
            let written = self.kernel.var(written)?;
            let same = self.kernel.iff(written, value)?;
            relation = self.kernel.and(relation, same)?;
        }
        let relation = self.drop_choices(relation, transition.choices as usize)?;
        let (forward, shift, back) = self.plans_of(transition, side);
        Ok(Code { relation, forward, shift, back })
    }

    fn plans_of(&mut self, transition: &Transition, side: Side) -> (PlanId, PlanId, PlanId) {
        let (mut forward, mut shift, mut back) = (Vec::new(), Vec::new(), Vec::new());
        // A callee's locals are no part of its caller's configurations.
        match side {
            Side::Step => {}
            Side::Enter => back = self.layout.forgets(self.local_slots(), Copy::Source),
            Side::Leave => forward = self.layout.forgets(self.local_slots(), Copy::Source),
        }
        for update in &transition.updates {
            if self.written_copy(update.target, side) == Copy::Middle {
                let is_global = self.program.is_global(update.target);
                let place = self.level_of(update.target, if is_global { Copy::Source } else { Copy::Frame });
                let middle = self.level_of(update.target, Copy::Middle);
                forward.extend([(place, Fate::Forget), (middle, Fate::MoveTo(place))]);
                shift.push((place, Fate::MoveTo(middle)));
                back.push((middle, Fate::Forget));
            }
        }
        (self.kernel.plan(forward), self.kernel.plan(shift), self.kernel.plan(back))
    }

    fn level_of(&self, var: VarId, copy: Copy) -> Level {
        self.layout.of(self.slots.of(var), copy)
    }

    /// Where the value before is.
    fn read_copy(&self, var: VarId, side: Side) -> Copy {
        if self.program.is_global(var) || side == Side::Leave { Copy::Source } else { Copy::Frame }
    }

    /// Where the value after is, if the transition does not write it.
    fn kept_copy(&self, var: VarId, side: Side) -> Copy {
        if self.program.is_global(var) || side == Side::Enter { Copy::Source } else { Copy::Frame }
    }

    /// Where the value after is, if the transition writes it.
    fn written_copy(&self, var: VarId, side: Side) -> Copy {
        if side == Side::Enter && !self.program.is_global(var) { Copy::Source } else { Copy::Middle }
    }

    /// The slots of results and locals.
    pub(super) fn local_slots(&self) -> Vec<SlotId> {
        self.slots.ids().skip(self.slots.globals()).collect()
    }

    fn drop_choices(&mut self, relation: Bdd, choices: usize) -> Result<Bdd, Exhausted> {
        let plan = self.kernel.plan((0..choices).map(|choice| (self.layout.choice(choice), Fate::Forget)));
        self.kernel.transform(relation, plan)
    }

    /// An expression of `transition`, parts before what they stand in: nothing recurses, and what is shared is encoded
    /// once.
    fn expr(&mut self, expr: ExprId, transition: &Transition, side: Side) -> Result<Bdd, Exhausted> {
        let program = self.program;
        let mut known: FxHashMap<ExprId, Bdd> = FxHashMap::default();
        let mut stack = vec![expr];
        while let Some(&id) = stack.last() {
            let node = program.exprs.get(id);
            let missing = stack.len();
            stack.extend(node.children().filter(|child| !known.contains_key(child)));
            if stack.len() > missing {
                continue;
            }
            stack.pop();
            let kernel = &mut self.kernel;
            let value = match node {
                Expr::Const(value) => Bdd::from(value),
                Expr::Not(a) => kernel.not(known[&a])?,
                Expr::And(a, b) => kernel.and(known[&a], known[&b])?,
                Expr::Or(a, b) => kernel.or(known[&a], known[&b])?,
                Expr::Xor(a, b) => kernel.xor(known[&a], known[&b])?,
                Expr::Iff(a, b) => kernel.iff(known[&a], known[&b])?,
                Expr::Implies(a, b) => kernel.implies(known[&a], known[&b])?,
                Expr::Ite(a, b, c) => kernel.ite(known[&a], known[&b], known[&c])?,
                leaf => {
                    let level = self.leaf(leaf, transition, side);
                    self.kernel.var(level)?
                }
            };
            known.insert(id, value);
        }
        Ok(known[&expr])
    }

    fn leaf(&self, leaf: Expr, transition: &Transition, side: Side) -> Level {
        match leaf {
            Expr::Var(var) => self.level_of(var, self.read_copy(var, side)),
            Expr::Next(var) if transition.update_of(var).is_some() => self.level_of(var, self.written_copy(var, side)),
            Expr::Next(var) => self.level_of(var, self.kept_copy(var, side)),
            Expr::Saved(var) => self.level_of(var, Copy::Frame),
            Expr::Choice(choice) => self.layout.choice(choice.index()),
            _ => unreachable!("it is not a leaf"),
        }
    }
}
