//! What a question is made of, without what only people read.
//!
//! Two questions that differ in names and places in the source alone are one question to the engine. So a question's
//! [`Key`] is the hash of everything else.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{
    EdgeKind, Expr, ExprId, Goal, NodeId, ProcId, Program, Relation, Role, Scope, Transition, Type, Value, VarId,
};

/// What tells a question from all others.
pub type Key = [u8; 32];

/// The key of a question about `program`: what is asked, how, and the goals it is asked of.
pub fn key(program: &Program<Relation>, goals: &[Goal], how: &str) -> Key {
    let mut content = Content { bytes: Vec::new(), numbers: IndexVec::new() };
    content.count(how.len());
    content.bytes.extend(how.as_bytes());
    content.exprs(program, goals);
    content.graph(program);
    content.vars(program);
    for label in &program.labels {
        content.label(label);
    }
    content.transition(&program.initial);
    content.count(goals.len());
    for goal in goals {
        content.id(goal.node);
        content.optional(goal.condition);
    }
    *blake3::hash(&content.bytes).as_bytes()
}

/// Written so that it could be read back: each list comes after its length, each kind after its number.
struct Content {
    bytes: Vec<u8>,
    /// The expressions that something is made of, in order.
    numbers: IndexVec<ExprId, Option<usize>>,
}

impl Content {
    fn count(&mut self, count: usize) {
        self.bytes.extend(u32::try_from(count).expect("a table has fewer than 2^32 rows").to_le_bytes());
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    fn id(&mut self, id: impl Idx) {
        self.count(id.index());
    }

    fn ids(&mut self, ids: &[VarId]) {
        self.count(ids.len());
        ids.iter().for_each(|&id| self.id(id));
    }

    /// All expressions that labels and goals are made of. Others, which were left over, do not count.
    fn exprs(&mut self, program: &Program<Relation>, goals: &[Goal]) {
        let mut is_used: IndexVec<ExprId, bool> = IndexVec::from_elem(false, program.exprs.len());
        for label in &program.labels {
            match label {
                Relation::Step(step) => step.exprs().for_each(|expr| is_used[expr] = true),
                Relation::Call { enter, leave } => {
                    enter.exprs().chain(leave.exprs()).for_each(|expr| is_used[expr] = true);
                }
                Relation::Return => {}
            }
        }
        let asked = goals.iter().filter_map(|goal| goal.condition);
        program.initial.exprs().chain(asked).for_each(|expr| is_used[expr] = true);
        // Each comes after its parts.
        for id in is_used.ids().rev() {
            if is_used[id] {
                program.exprs.get(id).children().for_each(|part| is_used[part] = true);
            }
        }
        self.numbers = IndexVec::from_elem(None, is_used.len());
        for (number, id) in is_used.ids().filter(|&id| is_used[id]).enumerate() {
            self.numbers[id] = Some(number);
            self.expr(program.exprs.get(id));
        }
        self.tag(END);
    }

    fn expr(&mut self, expr: Expr) {
        let tag = match expr {
            Expr::Const(value) => u8::from(value),
            Expr::Var(_) => 2,
            Expr::Next(_) => 3,
            Expr::Saved(_) => 4,
            Expr::Choice(_) => 5,
            Expr::Not(_) => 6,
            Expr::And(..) => 7,
            Expr::Or(..) => 8,
            Expr::Xor(..) => 9,
            Expr::Iff(..) => 10,
            Expr::Implies(..) => 11,
            Expr::Ite(..) => 12,
        };
        self.tag(tag);
        match expr {
            Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) => self.id(var),
            Expr::Choice(choice) => self.id(choice),
            _ => expr.children().for_each(|part| self.part(part)),
        }
    }

    fn part(&mut self, part: ExprId) {
        let number = self.numbers[part].expect("what is used has a number");
        self.count(number);
    }

    fn optional(&mut self, expr: Option<ExprId>) {
        self.tag(u8::from(expr.is_some()));
        expr.into_iter().for_each(|expr| self.part(expr));
    }

    fn graph(&mut self, program: &Program<Relation>) {
        let icfg = &program.icfg;
        self.count(icfg.procs.len());
        for proc in &icfg.procs {
            [proc.entry, proc.exit, proc.nodes.0, proc.nodes.1].into_iter().for_each(|node: NodeId| self.id(node));
        }
        self.count(icfg.edges.len());
        for edge in &icfg.edges {
            self.id(edge.from);
            match edge.kind {
                EdgeKind::Step { to } => {
                    self.tag(0);
                    self.id(to);
                }
                EdgeKind::Call { callee, to } => {
                    self.tag(1);
                    self.id(callee);
                    self.id(to);
                }
                EdgeKind::Return => self.tag(2),
            }
        }
        self.id(program.entry);
    }

    fn vars(&mut self, program: &Program<Relation>) {
        self.count(program.vars.len());
        for var in &program.vars {
            let (tag, proc): (u8, Option<ProcId>) = match var.scope {
                Scope::Global => (0, None),
                Scope::Parameter(proc) => (1, Some(proc)),
                Scope::Local(proc) => (2, Some(proc)),
                Scope::Result(proc) => (3, Some(proc)),
            };
            self.tag(tag);
            proc.into_iter().for_each(|proc| self.id(proc));
        }
        for locals in &program.locals {
            self.ids(locals);
        }
        self.count(program.data.len());
        for datum in &program.data {
            self.tag(match datum.kind {
                Type::Bool => 0,
                Type::Number => 1,
                Type::Enum(_) => 2,
            });
            self.tag(match datum.role {
                Role::Counter => 0,
                Role::Data => 1,
                Role::Flag => 2,
            });
            self.ids(&datum.bits);
        }
    }

    fn label(&mut self, label: &Relation) {
        match label {
            Relation::Step(step) => {
                self.tag(0);
                self.transition(step);
            }
            Relation::Call { enter, leave } => {
                self.tag(1);
                self.transition(enter);
                self.transition(leave);
            }
            Relation::Return => self.tag(2),
        }
    }

    fn transition(&mut self, transition: &Transition) {
        self.optional(transition.guard);
        self.count(transition.updates.len());
        for update in &transition.updates {
            self.id(update.target);
            self.optional(match update.value {
                Value::Of(value) => Some(value),
                Value::Any => None,
            });
        }
        self.optional(transition.constraint);
        self.bytes.extend(transition.choices.to_le_bytes());
    }
}

/// No expression has this tag.
const END: u8 = u8::MAX;
