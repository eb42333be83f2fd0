//! What an edge does, as statements of a boolean program.

use super::names::Names;
use crate::relation::print_with;
use hardbop_base::Idx;
use hardbop_icfg::{ChoiceId, Expr, ExprId, Program, Relation, Transition, Value, VarId};
use std::cell::RefCell;
use std::collections::HashMap;

/// How variables are called where a transition is written.
pub struct Dictionary<'a> {
    program: &'a Program<Relation>,
    names: &'a Names,
    /// Variables whose value now is in another.
    now: HashMap<VarId, String>,
    /// Variables whose next value goes into another.
    next: HashMap<VarId, String>,
    /// Choices that stand in several places, and the variables that hold them.
    choices: HashMap<ChoiceId, String>,
    /// Whether next values are as now, since nothing is assigned.
    is_still: bool,
    /// A condition that is so already, as it prints.
    pub known: Option<String>,
}

impl<'a> Dictionary<'a> {
    /// Every variable has its own name.
    pub fn new(program: &'a Program<Relation>, names: &'a Names) -> Self {
        let (now, next, choices) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { program, names, now, next, choices, is_still: false, known: None }
    }

    /// Lets the values that variables have now be read from others.
    pub fn rename(&mut self, pairs: impl Iterator<Item = (VarId, String)>) {
        self.now.extend(pairs);
    }

    /// Lets variables be written to others.
    pub fn rename_targets(&mut self, pairs: impl Iterator<Item = (VarId, String)>) {
        self.next.extend(pairs);
    }

    /// An expression.
    pub fn print(&self, expr: ExprId) -> String {
        print_with(&self.program.exprs, expr, &|leaf| self.leaf(leaf))
    }

    /// Whether `guard` has the part that prints as `condition`.
    pub fn demands(&self, guard: ExprId, condition: &str) -> bool {
        self.conjuncts(guard).iter().any(|&part| self.print(part) == condition)
    }

    /// Whether `expr` speaks of values now, and leaves nothing to choose.
    pub fn is_certain(&self, expr: ExprId) -> bool {
        let mut is_certain = true;
        let exprs = &self.program.exprs;
        exprs.for_each_leaf(expr, |leaf| is_certain &= matches!(leaf, Expr::Var(_) | Expr::Const(_)));
        is_certain
    }

    /// What must all be true for `guard` to be, but for what is known.
    pub fn conjuncts(&self, guard: ExprId) -> Vec<ExprId> {
        let mut parts = Vec::new();
        let mut stack = vec![guard];
        while let Some(part) = stack.pop() {
            match self.program.exprs.get(part) {
                Expr::And(left, right) => stack.extend([right, left]),
                _ if self.known.as_ref().is_some_and(|known| *known == self.print(part)) => {}
                _ => parts.push(part),
            }
        }
        parts
    }

    fn leaf(&self, leaf: Expr) -> Option<String> {
        Some(match leaf {
            Expr::Const(true) => "T".into(),
            Expr::Const(false) => "F".into(),
            Expr::Var(var) => self.now.get(&var).cloned().unwrap_or_else(|| self.names.var(var).to_owned()),
            Expr::Saved(var) => self.names.var(var).to_owned(),
            Expr::Next(var) if self.is_still => self.names.var(var).to_owned(),
            Expr::Next(var) => format!("'{}", self.target(var)),
            Expr::Choice(choice) => self.choices.get(&choice).cloned().unwrap_or_else(|| "*".into()),
            _ => return None,
        })
    }

    fn target(&self, var: VarId) -> &str {
        self.next.get(&var).map_or_else(|| self.names.var(var), String::as_str)
    }
}

/// The statements of `transition`, and the variables of ours that they need.
pub fn statements(dictionary: &Dictionary<'_>, transition: &Transition) -> (Vec<String>, Vec<String>) {
    let choices = repeated_choices(dictionary.program, transition);
    let temporaries: Vec<String> = choices.values().cloned().collect();
    let dictionary = Dictionary {
        now: dictionary.now.clone(),
        next: dictionary.next.clone(),
        choices,
        is_still: transition.updates.is_empty(),
        known: dictionary.known.clone(),
        ..*dictionary
    };
    let mut lines = Vec::new();
    if !temporaries.is_empty() {
        let mut names = temporaries.clone();
        names.sort();
        lines.push(format!("dead {};", names.join(", ")));
    }
    let guard = transition.guard.map_or_else(Vec::new, |guard| dictionary.conjuncts(guard));
    lines.extend(guard.into_iter().map(|part| format!("assume({});", dictionary.print(part))));
    if transition.updates.is_empty() {
        lines.extend(transition.constraint.map(|constraint| format!("assume({});", dictionary.print(constraint))));
        return (lines, temporaries);
    }
    let targets: Vec<&str> = transition.updates.iter().map(|update| dictionary.target(update.target)).collect();
    let values = transition.updates.iter().map(|update| match update.value {
        Value::Of(value) => dictionary.print(value),
        Value::Any => "*".into(),
    });
    let values: Vec<String> = values.collect();
    let constraint = transition.constraint.map(|constraint| format!(" constrain ({})", dictionary.print(constraint)));
    lines.push(format!("{} := {}{};", targets.join(", "), values.join(", "), constraint.unwrap_or_default()));
    (lines, temporaries)
}

/// The choices that are read more than once. Each `*` of a boolean program is a choice of its own, so these need a
/// variable that holds what was chosen.
pub fn repeated_choices(program: &Program<Relation>, transition: &Transition) -> HashMap<ChoiceId, String> {
    let counts: RefCell<HashMap<ChoiceId, usize>> = RefCell::default();
    let count = |leaf| {
        if let Expr::Choice(choice) = leaf {
            *counts.borrow_mut().entry(choice).or_default() += 1;
        }
        leaf.children().next().is_none().then(String::new)
    };
    let values = transition.updates.iter().filter_map(|update| match update.value {
        Value::Of(value) => Some(value),
        Value::Any => None,
    });
    for expr in values.chain(transition.guard).chain(transition.constraint) {
        print_with(&program.exprs, expr, &count);
    }
    let repeated = counts.into_inner().into_iter().filter(|&(_, count)| count > 1);
    repeated.map(|(choice, _)| (choice, format!("{{choice {}}}", choice.index()))).collect()
}
