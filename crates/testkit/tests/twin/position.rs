//! Where control is, as a path into the tree.

use hardbop_testkit::{Block, Procedure, Statement};

/// The way to a statement: at each level, the branch of the statement above and the place in that branch.
pub type Path = Vec<(usize, usize)>;

/// Where control is in a procedure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    /// Before a statement, at one of its tests if it is an `if`.
    At(Path, usize),
    /// Past the last one.
    End,
}

/// The position before the first statement.
pub fn start(procedure: &Procedure) -> Position {
    enter(procedure, &Vec::new(), 0, &procedure.body)
}

/// The statement a path leads to.
pub fn find<'m>(procedure: &'m Procedure, path: &Path) -> &'m Statement {
    let mut block = &procedure.body;
    let mut found = None;
    for &(number, place) in path {
        if let Some(statement) = found {
            block = branch(statement, number);
        }
        found = Some(&block[place]);
    }
    found.expect("a path has a step")
}

/// The first position of `block`, which is branch `number` of the statement at `path`, or of the procedure.
pub fn enter(procedure: &Procedure, path: &Path, number: usize, block: &Block) -> Position {
    if block.is_empty() {
        return leave_block(procedure, path);
    }
    let mut inner = path.clone();
    inner.push((number, 0));
    Position::At(inner, 0)
}

/// The position after the statement at `path` is done.
pub fn after(procedure: &Procedure, path: &Path) -> Position {
    let mut next = path.clone();
    let (number, place) = next.pop().expect("a path has a step");
    let block = if next.is_empty() { &procedure.body } else { branch(find(procedure, &next), number) };
    if place + 1 == block.len() {
        return leave_block(procedure, &next);
    }
    next.push((number, place + 1));
    Position::At(next, 0)
}

/// The positions of a procedure in the order of the text.
pub fn positions(procedure: &Procedure) -> Vec<Position> {
    let mut all = Vec::new();
    collect(&procedure.body, 0, &Vec::new(), &mut all);
    all
}

/// The position when a block inside of the statement at `path` is done.
fn leave_block(procedure: &Procedure, path: &Path) -> Position {
    if path.is_empty() {
        return Position::End;
    }
    match find(procedure, path) {
        Statement::While { .. } => Position::At(path.clone(), 0),
        _ => after(procedure, path),
    }
}

fn branch(statement: &Statement, number: usize) -> &Block {
    match statement {
        Statement::If { arms, otherwise } => {
            arms.get(number).map(|(_, block)| block).or(otherwise.as_ref()).expect("the branch is there")
        }
        Statement::While { body, .. } => body,
        _ => unreachable!("only compound statements have branches"),
    }
}

fn collect(block: &Block, number: usize, path: &Path, all: &mut Vec<Position>) {
    for (place, statement) in block.iter().enumerate() {
        let mut here = path.clone();
        here.push((number, place));
        all.push(Position::At(here.clone(), 0));
        match statement {
            Statement::If { arms, otherwise } => {
                collect(&arms[0].1, 0, &here, all);
                for (arm, (_, block)) in arms.iter().enumerate().skip(1) {
                    all.push(Position::At(here.clone(), arm));
                    collect(block, arm, &here, all);
                }
                otherwise.iter().for_each(|block| collect(block, arms.len(), &here, all));
            }
            Statement::While { body, .. } => collect(body, 0, &here, all),
            _ => {}
        }
    }
}
