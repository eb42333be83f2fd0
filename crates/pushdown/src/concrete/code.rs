//! Transitions made ready for execution: only what is live behind them, and which bits are open.
//!
//! The open bits of a transition are numbered: first its choices, then the values of
//! [`Picks::values`](hardbop_verdict::Picks), in that order. A bit matters if a guard, a constraint or a live variable
//! rests on it; the others stay open in the witness too.

use crate::Setting;
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::mod_ref::next_vars;
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, NodeId, ProcId, Relation, SlotId, SlotSet, Transition, Value, VarId,
};
use hardbop_verdict::Picks;

/// Where a slot's new value comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// An expression.
    Of(ExprId),
    /// An open bit.
    Open(u32),
}

/// A transition.
#[derive(Clone, Default, Debug)]
pub struct Code {
    /// What must be true before.
    pub guard: Option<ExprId>,
    /// What changes, as far as it is live or constrained.
    pub updates: Vec<(SlotId, Source)>,
    /// What must be true of both states.
    pub constraint: Option<ExprId>,
    /// The open bits that matter.
    pub open: Vec<u32>,
    /// How many choices there are.
    choices: usize,
    /// How many open values there are.
    values: usize,
    /// How much work it is to take it.
    pub cost: u64,
}

impl Code {
    /// How many words hold its open bits.
    pub fn words(&self) -> usize {
        if self.open.is_empty() { 0 } else { (self.choices + self.values).div_ceil(64) }
    }

    /// How many ways there are to close the bits that matter; a very large number if more.
    pub fn ways(&self) -> u64 {
        1 << self.open.len().min(62)
    }

    /// The open bits in `words`, as a witness gives them.
    pub fn picks(&self, words: &[u64]) -> Picks {
        let mut picks = Picks { choices: vec![None; self.choices], values: vec![None; self.values] };
        for &bit in &self.open {
            let bit = bit as usize;
            let value = Some(words[bit / 64] >> (bit % 64) & 1 == 1);
            match bit.checked_sub(self.choices) {
                None => picks.choices[bit] = value,
                Some(place) => picks.values[place] = value,
            }
        }
        if self.open.is_empty() { Picks::default() } else { picks }
    }
}

/// What an edge does, and where it leads.
#[derive(Clone, Debug)]
pub enum EdgeCode {
    /// Nothing that leads to a goal.
    Useless,
    /// A step.
    Step {
        /// The next node.
        to: NodeId,
        /// What happens.
        code: Code,
    },
    /// A call.
    Call {
        /// The procedure.
        callee: ProcId,
        /// Where it comes back to.
        to: NodeId,
        /// The way in; there is none where no goal lies behind the callee's entry.
        enter: Option<Code>,
        /// The way back; there is none where no goal lies behind it.
        leave: Option<Code>,
    },
}

/// All transitions of a program.
pub struct Codes {
    /// Of each edge.
    pub edges: IndexVec<EdgeId, EdgeCode>,
    /// Of the first state; its open values are the variables in the scope of the entry procedure.
    pub initial: Code,
    /// Of each goal: its condition as a guard.
    pub goals: Vec<Code>,
    /// Whether an expression has an open leaf: a choice or a primed variable.
    pub is_open: IndexVec<ExprId, bool>,
}

impl Codes {
    pub fn new(setting: &Setting<'_>) -> Self {
        let program = setting.program;
        let coder = Coder { setting };
        let goals = setting.goals.iter().map(|goal| coder.condition(goal.condition)).collect();
        Self {
            edges: program.icfg.edges.ids().map(|edge| coder.edge(edge)).collect(),
            initial: coder.initial(),
            goals,
            is_open: open_exprs(setting),
        }
    }
}

fn open_exprs(setting: &Setting<'_>) -> IndexVec<ExprId, bool> {
    let exprs = &setting.program.exprs;
    let mut is_open = IndexVec::new();
    for expr in (0..exprs.len()).map(ExprId::from_usize) {
        let expr = exprs.get(expr);
        let is_leaf = matches!(expr, Expr::Choice(_) | Expr::Next(_));
        // An expression is added after its parts.
        let is_open_below = expr.children().any(|child| is_open[child]);
        is_open.push(is_leaf || is_open_below);
    }
    is_open
}

struct Coder<'a> {
    setting: &'a Setting<'a>,
}

impl Coder<'_> {
    fn edge(&self, id: EdgeId) -> EdgeCode {
        let setting = self.setting;
        let icfg = &setting.program.icfg;
        let edge = icfg.edges[id];
        let is_useful = |node: NodeId| setting.slice.is_useful[node];
        match (&setting.program.labels[id], edge.kind) {
            (Relation::Step(step), EdgeKind::Step { to }) if is_useful(to) => {
                EdgeCode::Step { to, code: self.transition(step, to) }
            }
            (Relation::Call { enter, leave }, EdgeKind::Call { callee, to }) => {
                let entry = icfg.procs[callee].entry;
                let enter = is_useful(entry).then(|| self.enter(enter, callee));
                let leave = is_useful(to).then(|| self.transition(leave, to));
                EdgeCode::Call { callee, to, enter, leave }
            }
            _ => EdgeCode::Useless,
        }
    }

    /// A step or the way back from a call.
    fn transition(&self, transition: &Transition, to: NodeId) -> Code {
        let mut code = self.conditions(transition);
        let wanted = self.wanted(transition, to);
        for update in &transition.updates {
            self.update(&mut code, &wanted, update.target, update.value);
        }
        self.finish(code)
    }

    fn enter(&self, transition: &Transition, callee: ProcId) -> Code {
        let program = self.setting.program;
        let mut code = self.conditions(transition);
        let wanted = self.wanted(transition, program.icfg.procs[callee].entry);
        for &var in &program.locals[callee] {
            self.update(&mut code, &wanted, var, transition.update_of(var).unwrap_or(Value::Any));
        }
        self.finish(code)
    }

    fn initial(&self) -> Code {
        let program = self.setting.program;
        let mut code = self.conditions(&program.initial);
        let wanted = self.wanted(&program.initial, program.icfg.procs[program.entry].entry);
        for var in program.scope(program.entry) {
            self.update(&mut code, &wanted, var, Value::Any);
        }
        self.finish(code)
    }

    fn condition(&self, condition: Option<ExprId>) -> Code {
        let mut code = Code { guard: condition, ..Code::default() };
        if let Some(condition) = condition {
            self.setting.program.exprs.for_each_leaf(condition, |leaf| {
                if let Expr::Choice(choice) = leaf {
                    code.choices = code.choices.max(choice.index() + 1);
                }
            });
        }
        self.finish(code)
    }

    fn conditions(&self, transition: &Transition) -> Code {
        let (guard, constraint) = (transition.guard, transition.constraint);
        Code { guard, constraint, choices: transition.choices as usize, ..Code::default() }
    }

    /// What is live at `to` or constrained.
    fn wanted(&self, transition: &Transition, to: NodeId) -> SlotSet {
        let mut wanted = self.setting.liveness.at(to).clone();
        for var in next_vars(self.setting.program, transition) {
            wanted.insert(self.setting.slots.of(var));
        }
        wanted
    }

    /// Counts the open bits of every update, for the witness does; makes only those that are wanted.
    fn update(&self, code: &mut Code, wanted: &SlotSet, target: VarId, value: Value) {
        let source = match value {
            Value::Of(value) => Source::Of(value),
            Value::Any => {
                code.values += 1;
                Source::Open(u32::try_from(code.choices + code.values - 1).expect("open bits are few"))
            }
        };
        let slot = self.setting.slots.of(target);
        if wanted.contains(slot) {
            code.updates.push((slot, source));
        }
    }

    /// Finds the open bits that matter.
    fn finish(&self, mut code: Code) -> Code {
        let Code { guard, updates, constraint, open, cost, .. } = &mut code;
        *cost = 1;
        let mut visit = |expr: ExprId| {
            self.setting.program.exprs.for_each_leaf(expr, |leaf| {
                *cost += 1;
                if let Expr::Choice(choice) = leaf {
                    open.push(u32::try_from(choice.index()).expect("open bits are few"));
                }
            });
        };
        guard.iter().chain(constraint.iter()).for_each(|&expr| visit(expr));
        for &(_, source) in updates.iter() {
            if let Source::Of(expr) = source {
                visit(expr);
            }
        }
        open.extend(updates.iter().filter_map(|&(_, source)| match source {
            Source::Open(bit) => Some(bit),
            Source::Of(_) => None,
        }));
        open.sort_unstable();
        open.dedup();
        code
    }
}
