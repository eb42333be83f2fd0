//! Follows a run without end: a stem, and a round that leads back to where the stem ends.
//!
//! The round is a run of a copy of the program that starts where the stem ends and cannot return from there; so it can
//! be made above any stack. What is checked: the copy does what the program does, both parts are runs, and the round
//! ends where it began, in every value that it rests on. It can then be made again and again.

use crate::replay::{ReplayError, Replayed, replay};
use crate::witness::Witness;
use hardbop_base::{IndexVec, Span};
use hardbop_icfg::{EdgeId, EdgeKind, Goal, GoalKind, NodeId, ProcId, Program, Relation, VarId};
use std::fmt;

/// A run without end.
#[derive(Clone, Copy, Debug)]
pub struct Lasso<'a> {
    /// The program.
    pub program: &'a Program<Relation>,
    /// From the first state to the head.
    pub stem: &'a Witness,
    /// Where the stem ends.
    pub head: NodeId,
    /// The program with a copy of the head's procedure, in which it starts.
    pub copy: &'a Program<Relation>,
    /// What each node of the copy stands for.
    pub node_origin: &'a IndexVec<NodeId, NodeId>,
    /// What each edge of the copy stands for.
    pub edge_origin: &'a IndexVec<EdgeId, EdgeId>,
    /// From the head back to it.
    pub round: &'a Witness,
}

/// The states that both parts went through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// The stem's.
    pub stem: Replayed,
    /// The round's.
    pub round: Replayed,
}

/// Why it is no run without end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LassoError {
    /// The stem is no run.
    Stem(ReplayError),
    /// The round is no run.
    Round(ReplayError),
    /// An edge of the copy does something else than the edge it stands for.
    NotACopy(EdgeId),
    /// The copy differs from the program in more than the one procedure.
    OtherProgram,
    /// The round is empty.
    NoMoves,
    /// The round ends elsewhere.
    NotBack(NodeId),
    /// The round rests on a value that the stem or the round itself does not end with.
    NotClosed(VarId),
}

impl fmt::Display for LassoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stem(error) => write!(f, "the stem is no run: {error}"),
            Self::Round(error) => write!(f, "the round is no run: {error}"),
            Self::NotACopy(edge) => write!(f, "{edge:?} does not do what it stands for"),
            Self::OtherProgram => write!(f, "the copy is one of another program"),
            Self::NoMoves => write!(f, "the round is empty"),
            Self::NotBack(node) => write!(f, "the round ends at {node:?}, not where it began"),
            Self::NotClosed(var) => write!(f, "the round rests on {var:?}, which it does not restore"),
        }
    }
}

/// Follows `lasso`.
///
/// # Ensures
/// On success there is a run of the program that makes the moves of the stem and then those of the round for ever.
pub fn replay_lasso(lasso: &Lasso<'_>) -> Result<Rounds, LassoError> {
    check_copy(lasso)?;
    if lasso.round.moves.is_empty() {
        return Err(LassoError::NoMoves);
    }
    let span = lasso.program.icfg.nodes[lasso.head].span;
    let stem = replay(lasso.program, &at(lasso.head, span), lasso.stem).map_err(LassoError::Stem)?;
    let last = end_of_round(lasso);
    if lasso.node_origin[last] != lasso.head {
        return Err(LassoError::NotBack(last));
    }
    let round = replay(lasso.copy, &at(last, span), lasso.round).map_err(LassoError::Round)?;
    let (stem_end, round_end) =
        (stem.main().state(lasso.stem.moves.len()), round.main().state(lasso.round.moves.len()));
    for (var, value) in lasso.copy.scope(lasso.copy.entry).zip(&lasso.round.initial) {
        if value.is_some() && (stem_end.value(var) != *value || round_end.value(var) != *value) {
            return Err(LassoError::NotClosed(var));
        }
    }
    Ok(Rounds { stem, round })
}

fn at(node: NodeId, span: Span) -> Goal {
    Goal { node, condition: None, name: String::new(), kind: GoalKind::Statement, span }
}

/// The node that the round's last move leads to.
fn end_of_round(lasso: &Lasso<'_>) -> NodeId {
    let icfg = &lasso.copy.icfg;
    let last = lasso.round.moves.last().expect("the round has moves");
    match (icfg.edges[last.edge()].kind, last) {
        (EdgeKind::Call { callee, .. }, crate::Move::Enter { .. }) => icfg.procs[callee].entry,
        (EdgeKind::Step { to } | EdgeKind::Call { to, .. }, _) => to,
        (EdgeKind::Return, _) => icfg.edges[last.edge()].from,
    }
}

/// Checks that each edge of the copy leads where the edge it stands for leads, and does the same.
fn check_copy(lasso: &Lasso<'_>) -> Result<(), LassoError> {
    let (program, copy, origin) = (lasso.program, lasso.copy, lasso.node_origin);
    for (id, edge) in copy.icfg.edges.iter_enumerated() {
        let original = lasso.edge_origin[id];
        let leads_there = match (edge.kind, program.icfg.edges[original].kind) {
            (EdgeKind::Step { to }, EdgeKind::Step { to: wanted }) => origin[to] == wanted,
            (EdgeKind::Call { callee, to }, EdgeKind::Call { callee: called, to: wanted }) => {
                callee == called && origin[to] == wanted
            }
            (EdgeKind::Return, EdgeKind::Return) => true,
            _ => false,
        };
        let starts_there = origin[edge.from] == program.icfg.edges[original].from;
        if !leads_there || !starts_there || copy.labels[id] != program.labels[original] {
            return Err(LassoError::NotACopy(id));
        }
    }
    if is_same_elsewhere(lasso) { Ok(()) } else { Err(LassoError::OtherProgram) }
}

/// Whether the copy has the program's procedures, variables and expressions, and starts at the head in a copy of the
/// head's procedure.
fn is_same_elsewhere(lasso: &Lasso<'_>) -> bool {
    let (program, copy, origin) = (lasso.program, lasso.copy, lasso.node_origin);
    let copied = program.icfg.nodes[lasso.head].proc;
    let stands_for = |proc: ProcId| if proc == copy.entry { copied } else { proc };
    let procs = copy.icfg.procs.iter_enumerated().all(|(id, proc)| {
        let Some(wanted) = program.icfg.procs.get(stands_for(id)) else { return false };
        let entry = if id == copy.entry { lasso.head } else { wanted.entry };
        let is_in_place = origin[proc.entry] == entry && origin[proc.exit] == wanted.exit;
        is_in_place && copy.locals[id] == program.locals[stands_for(id)]
    });
    let mut nodes = copy.icfg.nodes.iter_enumerated();
    let nodes = nodes.all(|(id, node)| stands_for(node.proc) == program.icfg.nodes[origin[id]].proc);
    let exprs = program.exprs.iter().zip(copy.exprs.iter()).all(|(left, right)| left == right);
    procs && nodes && exprs && copy.vars == program.vars
}
