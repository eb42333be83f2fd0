//! Control flow: for each head of a procedure, what it does and where it leads.
//!
//! An `if` is a test per condition, one step to the next; a `while` is a test to which the last step of its body
//! leads back; `goto` and `return` are steps. `else`, `fi`, `od` and the end of the procedure are not: the step before
//! them leads to what follows.

use crate::model::{Block, Expr, Head, Procedure, ProcedureId, Statement, Variable};

/// Where control can be in a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// Before a statement.
    At(Head),
    /// Past the last one.
    Exit,
}

/// What the head at a place does.
pub(crate) enum Action<'m> {
    /// Changes the state and goes on.
    Simple(&'m Statement, Place),
    /// Goes to the first place if the condition can be true, to the second if it can be false.
    Test(&'m Expr, Place, Place),
    /// Goes to any of the places.
    Jump(Vec<Place>),
    /// Ends the procedure.
    Return(&'m [Expr]),
    /// Calls.
    Call(Call<'m>),
}

/// A call.
pub(crate) struct Call<'m> {
    pub(crate) callee: ProcedureId,
    pub(crate) arguments: &'m [Expr],
    pub(crate) targets: &'m [Option<Variable>],
    pub(crate) next: Place,
}

/// The control flow of a procedure.
pub(crate) struct Flow<'m> {
    /// By head.
    pub(crate) actions: Vec<Action<'m>>,
    /// Where the procedure starts.
    pub(crate) entry: Place,
}

/// The control flow of `procedure`.
pub(crate) fn flow(procedure: &Procedure) -> Flow<'_> {
    let mut actions = Vec::new();
    link_block(&procedure.body, Place::Exit, &mut actions);
    Flow { actions, entry: start(&procedure.body, 0, Place::Exit) }
}

/// Appends the actions of `block`, which is followed by `next`.
fn link_block<'m>(block: &'m Block, next: Place, actions: &mut Vec<Action<'m>>) {
    for (place, statement) in block.iter().enumerate() {
        let is_last = place + 1 == block.len();
        let next = if is_last { next } else { Place::At(Head(actions.len() + count_heads(statement))) };
        link(statement, next, actions);
    }
}

fn link<'m>(statement: &'m Statement, next: Place, actions: &mut Vec<Action<'m>>) {
    match statement {
        Statement::If { arms, otherwise } => {
            for (arm, (condition, block)) in arms.iter().enumerate() {
                let here = actions.len();
                let past = here + 1 + count_heads_in(block);
                let if_false = match otherwise {
                    _ if arm + 1 < arms.len() => Place::At(Head(past)),
                    Some(otherwise) => start(otherwise, past, next),
                    None => next,
                };
                actions.push(Action::Test(condition, start(block, here + 1, next), if_false));
                link_block(block, next, actions);
            }
            otherwise.iter().for_each(|block| link_block(block, next, actions));
        }
        Statement::While { condition, body } => {
            let test = Place::At(Head(actions.len()));
            actions.push(Action::Test(condition, start(body, actions.len() + 1, test), next));
            link_block(body, test, actions);
        }
        Statement::Goto(targets) => actions.push(Action::Jump(targets.iter().copied().map(Place::At).collect())),
        Statement::Return(values) => actions.push(Action::Return(values)),
        Statement::Call { callee, arguments, targets } => {
            actions.push(Action::Call(Call { callee: *callee, arguments, targets, next }));
        }
        _ => actions.push(Action::Simple(statement, next)),
    }
}

/// The first place of a block whose heads are numbered from `first` on.
fn start(block: &Block, first: usize, next: Place) -> Place {
    if block.is_empty() { next } else { Place::At(Head(first)) }
}

fn count_heads_in(block: &Block) -> usize {
    block.iter().map(count_heads).sum()
}

fn count_heads(statement: &Statement) -> usize {
    match statement {
        Statement::If { arms, otherwise } => {
            let arms = arms.iter().map(|(_, block)| 1 + count_heads_in(block)).sum::<usize>();
            arms + otherwise.as_ref().map_or(0, count_heads_in)
        }
        Statement::While { body, .. } => 1 + count_heads_in(body),
        _ => 1,
    }
}
