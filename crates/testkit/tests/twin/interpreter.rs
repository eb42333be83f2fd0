//! Runs with explicit stacks.

use hardbop_testkit::{Expr, Model, Operator, Procedure, ProcedureId, Statement, Variable};

use crate::choices::Choices;
use crate::position::{Path, Position, after, enter, find, positions, start};

/// All of a run's state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    pub globals: Vec<bool>,
    /// The last is running, the others are at calls.
    pub stack: Vec<Frame>,
}

/// An activation of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    pub procedure: ProcedureId,
    pub position: Position,
    /// Globals and parameters when it was entered.
    pub entry: Vec<bool>,
    /// Parameters and locals.
    pub own: Vec<bool>,
    /// Its results, once it is at its end.
    pub results: Vec<bool>,
}

/// What a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Step,
    Call,
    Return,
}

impl Configuration {
    pub fn top(&self) -> &Frame {
        self.stack.last().expect("a run has a frame")
    }

    fn top_mut(&mut self) -> &mut Frame {
        self.stack.last_mut().expect("a run has a frame")
    }

    /// The variables in scope of the running procedure.
    pub fn scope(&self) -> Vec<bool> {
        [&self.globals[..], &self.top().own].concat()
    }

    fn set_scope(&mut self, values: &[bool]) {
        let (globals, own) = values.split_at(self.globals.len());
        self.globals = globals.to_vec();
        self.top_mut().own = own.to_vec();
    }
}

/// An initial configuration.
pub fn initial(model: &Model, choices: &mut Choices) -> Option<Configuration> {
    let globals = model.globals.iter().map(|_| choices.choose()).collect();
    let configuration = Configuration { globals, stack: Vec::new() };
    let arguments = model.procedures[0].parameters.iter().map(|_| choices.choose()).collect();
    push(model, configuration, ProcedureId::MAIN, arguments, choices)
}

/// A configuration one move later, unless the run is blocked or over.
pub fn advance(model: &Model, from: &Configuration, choices: &mut Choices) -> Option<(Move, Configuration)> {
    let Frame { procedure: id, position, .. } = from.top();
    let procedure = model.procedure(*id);
    let Position::At(path, arm) = position else {
        return pop(model, from.clone(), choices).map(|to| (Move::Return, to));
    };
    if let Statement::Call { callee, arguments, .. } = find(procedure, path) {
        let scope = from.scope();
        let arguments = arguments.iter().map(|expr| evaluate(expr, &scope, &scope, choices)).collect();
        return push(model, from.clone(), *callee, arguments, choices).map(|to| (Move::Call, to));
    }
    step(procedure, from, path, *arm, choices).map(|to| (Move::Step, to))
}

/// Whether the assertion before which `from` is, if it is one, comes out false.
pub fn fails(model: &Model, from: &Configuration, choices: &mut Choices) -> bool {
    let Position::At(path, _) = &from.top().position else { return false };
    match find(model.procedure(from.top().procedure), path) {
        Statement::Assert(expr) => !evaluate(expr, &from.scope(), &from.scope(), choices),
        _ => false,
    }
}

fn push(
    model: &Model,
    mut configuration: Configuration,
    id: ProcedureId,
    arguments: Vec<bool>,
    choices: &mut Choices,
) -> Option<Configuration> {
    let procedure = model.procedure(id);
    let entry = [&configuration.globals[..], &arguments].concat();
    let mut own = arguments;
    own.extend(procedure.locals.iter().map(|_| choices.choose()));
    let results = Vec::new();
    configuration.stack.push(Frame { procedure: id, position: Position::End, entry, own, results });
    move_to(procedure, &mut configuration, start(procedure), choices);
    admit(procedure, configuration, choices)
}

fn pop(model: &Model, mut configuration: Configuration, choices: &mut Choices) -> Option<Configuration> {
    let callee = configuration.stack.pop().expect("a run has a frame");
    let caller = configuration.stack.last()?;
    let procedure = model.procedure(caller.procedure);
    let Position::At(path, _) = caller.position.clone() else { unreachable!("a caller is at a call") };
    let Statement::Call { targets, .. } = find(procedure, &path) else { unreachable!("a caller is at a call") };
    let pairs = targets.iter().zip(callee.results).filter_map(|(target, value)| target.map(|target| (target, value)));
    store(&mut configuration, pairs.collect(), choices);
    move_to(procedure, &mut configuration, after(procedure, &path), choices);
    admit(procedure, configuration, choices)
}

/// Goes to a position; at the end, results that nobody gave are anything.
fn move_to(procedure: &Procedure, configuration: &mut Configuration, position: Position, choices: &mut Choices) {
    let frame = configuration.top_mut();
    if position == Position::End {
        while frame.results.len() < procedure.results {
            frame.results.push(choices.choose());
        }
    }
    frame.position = position;
}

fn admit(procedure: &Procedure, configuration: Configuration, choices: &mut Choices) -> Option<Configuration> {
    let scope = configuration.scope();
    if let Some(expr) = &procedure.enforce
        && !evaluate(expr, &scope, &scope, choices)
    {
        return None;
    }
    if let Some(expr) = &procedure.abortif
        && evaluate(expr, &scope, &scope, choices)
    {
        return None;
    }
    Some(configuration)
}

/// Assigns one after the other; a variable that has its value already may keep it.
fn store(configuration: &mut Configuration, pairs: Vec<(Variable, bool)>, choices: &mut Choices) {
    let mut scope = configuration.scope();
    let mut assigned = Vec::new();
    for (variable, value) in pairs {
        if !assigned.contains(&variable) || choices.choose() {
            scope[variable.0] = value;
        }
        assigned.push(variable);
    }
    configuration.set_scope(&scope);
}

fn step(
    procedure: &Procedure,
    from: &Configuration,
    path: &Path,
    arm: usize,
    choices: &mut Choices,
) -> Option<Configuration> {
    let before = from.scope();
    let mut to = from.clone();
    let mut next = after(procedure, path);
    match find(procedure, path) {
        Statement::Skip | Statement::Print(_) => {}
        Statement::Assert(expr) | Statement::Assume(expr) => {
            if !evaluate(expr, &before, &before, choices) {
                return None;
            }
        }
        Statement::Dead(variables) => {
            let values = variables.iter().map(|variable| (*variable, choices.choose())).collect();
            store(&mut to, values, choices);
        }
        Statement::Assign { targets, values, constrain } => {
            let values = values.iter().map(|expr| evaluate(expr, &before, &before, choices)).collect::<Vec<_>>();
            store(&mut to, targets.iter().copied().zip(values).collect(), choices);
            if let Some(expr) = constrain
                && !evaluate(expr, &before, &to.scope(), choices)
            {
                return None;
            }
        }
        Statement::Constrain(expr) => {
            let mut scope = before.clone();
            for variable in (0..scope.len()).filter(|variable| mentions_primed(expr, Variable(*variable))) {
                scope[variable] = choices.choose();
            }
            to.set_scope(&scope);
            if !evaluate(expr, &before, &scope, choices) {
                return None;
            }
        }
        Statement::Goto(targets) => next = positions(procedure)[choices.choose_from(targets).0].clone(),
        Statement::Return(values) => {
            to.top_mut().results = values.iter().map(|expr| evaluate(expr, &before, &before, choices)).collect();
            next = Position::End;
        }
        Statement::If { arms, otherwise } => {
            next = if evaluate(&arms[arm].0, &before, &before, choices) {
                enter(procedure, path, arm, &arms[arm].1)
            } else if arm + 1 < arms.len() {
                Position::At(path.clone(), arm + 1)
            } else {
                otherwise.as_ref().map_or(next, |block| enter(procedure, path, arms.len(), block))
            };
        }
        Statement::While { condition, body } => {
            if evaluate(condition, &before, &before, choices) {
                next = enter(procedure, path, 0, body);
            }
        }
        Statement::Call { .. } => unreachable!("calls are not steps"),
    }
    move_to(procedure, &mut to, next, choices);
    admit(procedure, to, choices)
}

fn evaluate(expr: &Expr, before: &[bool], after: &[bool], choices: &mut Choices) -> bool {
    let mut operand = |expr| evaluate(expr, before, after, choices);
    match expr {
        Expr::Constant(value) => *value,
        Expr::Read(variable) => before[variable.0],
        Expr::Primed(variable) => after[variable.0],
        Expr::Star => choices.choose(),
        Expr::Not(inner) => !operand(inner),
        Expr::Binary(operator, operands) => {
            let (left, right) = (operand(&operands[0]), operand(&operands[1]));
            match operator {
                Operator::And => left & right,
                Operator::Or => left | right,
                Operator::Xor | Operator::Unequal => left ^ right,
                Operator::Equal | Operator::Iff => !(left ^ right),
                Operator::Implies => left <= right,
            }
        }
        Expr::Ternary(operands) => {
            if operand(&operands[0]) {
                operand(&operands[1])
            } else {
                operand(&operands[2])
            }
        }
        Expr::Schoose(operands) => {
            let (positive, negative) = (operand(&operands[0]), operand(&operands[1]));
            positive || (!negative && choices.choose())
        }
    }
}

fn mentions_primed(expr: &Expr, wanted: Variable) -> bool {
    match expr {
        Expr::Primed(variable) => *variable == wanted,
        Expr::Constant(_) | Expr::Read(_) | Expr::Star => false,
        Expr::Not(inner) => mentions_primed(inner, wanted),
        Expr::Binary(_, operands) | Expr::Schoose(operands) => {
            operands.iter().any(|operand| mentions_primed(operand, wanted))
        }
        Expr::Ternary(operands) => operands.iter().any(|operand| mentions_primed(operand, wanted)),
    }
}
