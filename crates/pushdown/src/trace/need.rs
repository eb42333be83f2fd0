//! What a transition's outcome rests on: the fewest values before it that force the values wanted after it.
//!
//! A false conjunction rests on one of its parts, a true one on both, and so on down to variables and choices. Values
//! that nothing rests on are shown as `*`: the run works whatever they are.

use hardbop_base::Idx;
use hardbop_icfg::{Expr, ExprId, Exprs, Transition, Value, VarId};
use hardbop_verdict::Picks;
use std::collections::{HashMap, HashSet};

/// Something that an outcome rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// `x`.
    Now(VarId),
    /// `x''`.
    Saved(VarId),
    /// `x'` of a variable that has no update.
    Unchanged(VarId),
    /// A choice, by its number.
    Choice(usize),
    /// An open value, by its place in [`Picks::values`].
    Value(usize),
}

/// A transition as it was taken.
pub struct View<'a> {
    /// All expressions.
    pub exprs: &'a Exprs,
    /// The transition.
    pub transition: &'a Transition,
    /// How its open values were decided.
    pub picks: &'a Picks,
    /// Values of the leaves that the picks do not give; `None` where unknown.
    pub leaf: &'a dyn Fn(Expr) -> Option<bool>,
    /// The place of a variable in [`Picks::values`].
    pub place: &'a dyn Fn(VarId) -> Option<usize>,
}

impl View<'_> {
    /// What the transition's being taken, and its leading to `wanted`, rests on.
    pub fn needs(&self, wanted: impl IntoIterator<Item = (VarId, bool)>) -> Vec<Need> {
        let mut search = Search::new(self);
        for part in self.transition.guard.into_iter().chain(self.transition.constraint) {
            search.stack.push((part, true));
        }
        for (var, value) in wanted {
            search.after(var, value);
        }
        search.run();
        search.found
    }

    /// What the truth of `condition` rests on.
    pub fn needs_of(&self, condition: ExprId) -> Vec<Need> {
        let mut search = Search::new(self);
        search.stack.push((condition, true));
        search.run();
        search.found
    }
}

struct Search<'a> {
    view: &'a View<'a>,
    values: HashMap<ExprId, Option<bool>>,
    justified: HashSet<ExprId>,
    found: Vec<Need>,
    stack: Vec<(ExprId, bool)>,
}

impl<'a> Search<'a> {
    fn new(view: &'a View<'a>) -> Self {
        Self { view, values: HashMap::new(), justified: HashSet::new(), found: Vec::new(), stack: Vec::new() }
    }

    fn run(&mut self) {
        while let Some((id, value)) = self.stack.pop() {
            if !self.justified.insert(id) {
                continue;
            }
            debug_assert_eq!(self.value(id), Some(value), "only what is so can be justified");
            self.justify(id, value);
        }
    }

    /// The variable's value after the transition must be `value`.
    fn after(&mut self, var: VarId, value: bool) {
        match self.view.transition.update_of(var) {
            Some(Value::Of(expr)) => self.stack.push((expr, value)),
            Some(Value::Any) => {
                self.found.push(Need::Value((self.view.place)(var).expect("an open value has a place")))
            }
            None => match (self.view.place)(var) {
                Some(place) => self.found.push(Need::Value(place)),
                None => self.found.push(Need::Unchanged(var)),
            },
        }
    }

    fn justify(&mut self, id: ExprId, value: bool) {
        match self.view.exprs.get(id) {
            Expr::Const(_) => {}
            Expr::Var(var) => self.found.push(Need::Now(var)),
            Expr::Saved(var) => self.found.push(Need::Saved(var)),
            Expr::Choice(choice) => self.found.push(Need::Choice(choice.index())),
            Expr::Next(var) => self.after(var, value),
            Expr::Not(a) => self.stack.push((a, !value)),
            Expr::And(a, b) => self.both_or_either(a, b, value, value),
            Expr::Or(a, b) => self.both_or_either(a, b, value, !value),
            Expr::Implies(a, b) if value => {
                let either = if self.value(a) == Some(false) { (a, false) } else { (b, true) };
                self.stack.push(either);
            }
            Expr::Implies(a, b) => self.stack.extend([(a, true), (b, false)]),
            Expr::Xor(a, b) | Expr::Iff(a, b) => {
                for part in [a, b] {
                    let value = self.value(part).expect("both parts of a known equality are known");
                    self.stack.push((part, value));
                }
            }
            Expr::Ite(test, yes, no) => match self.value(test) {
                Some(taken) => self.stack.extend([(test, taken), (if taken { yes } else { no }, value)]),
                None => self.stack.extend([(yes, value), (no, value)]),
            },
        }
    }

    fn both_or_either(&mut self, a: ExprId, b: ExprId, value: bool, needs_both: bool) {
        if needs_both {
            self.stack.extend([(a, value), (b, value)]);
        } else if self.value(a) == Some(value) {
            self.stack.push((a, value));
        } else {
            self.stack.push((b, value));
        }
    }

    /// Ternary evaluation.
    fn value(&mut self, id: ExprId) -> Option<bool> {
        if let Some(&value) = self.values.get(&id) {
            return value;
        }
        let value = match self.view.exprs.get(id) {
            Expr::Const(value) => Some(value),
            Expr::Choice(choice) => self.view.picks.choices.get(choice.index()).copied().flatten(),
            Expr::Next(var) => match self.view.transition.update_of(var) {
                Some(Value::Of(expr)) => self.value(expr),
                _ => match (self.view.place)(var) {
                    Some(place) => self.view.picks.values.get(place).copied().flatten(),
                    None => (self.view.leaf)(Expr::Next(var)),
                },
            },
            leaf @ (Expr::Var(_) | Expr::Saved(_)) => (self.view.leaf)(leaf),
            Expr::Not(a) => self.value(a).map(|a| !a),
            Expr::And(a, b) => conjunction(self.value(a), self.value(b)),
            Expr::Or(a, b) => conjunction(self.value(a).map(|a| !a), self.value(b).map(|b| !b)).map(|both| !both),
            Expr::Implies(a, b) => conjunction(self.value(a), self.value(b).map(|b| !b)).map(|both| !both),
            Expr::Xor(a, b) => self.value(a).zip(self.value(b)).map(|(a, b)| a != b),
            Expr::Iff(a, b) => self.value(a).zip(self.value(b)).map(|(a, b)| a == b),
            Expr::Ite(test, yes, no) => match self.value(test) {
                Some(true) => self.value(yes),
                Some(false) => self.value(no),
                None => self.value(yes).zip(self.value(no)).filter(|(yes, no)| yes == no).map(|(yes, _)| yes),
            },
        };
        self.values.insert(id, value);
        value
    }
}

fn conjunction(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}
