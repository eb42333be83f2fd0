//! What happens on an edge, as the patterns of an analysis see it.
//!
//! A call whose result is assigned is two things: the call, and then the assignment. Where the function has a body the
//! assignment is on an edge of its own, and so is what a rule says of the call: it counts when the body is done.

use super::scribe::Scribe;
use hardbop_c_cells::{Assignment, CellId, External, Shape, Source, SourceKind};
use hardbop_c_core::{StmtKind, UnaryOp};
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;

/// What happens, as patterns see it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Occasion<'a, 'm> {
    /// An assignment; where it is of the result of a call, of which.
    Assign(&'a Assignment<'m>, Option<&'a External<'m>>),
    /// A call.
    Call(&'a External<'m>),
    /// The declaration of a variable is reached.
    Declare(CellId),
    /// A condition is evaluated.
    Test(&'a Source<'m>),
    /// The function returns this.
    Return(Option<&'a Source<'m>>),
    /// Any other statement.
    Other,
}

/// What an edge's occasions speak of.
#[derive(Debug)]
pub(crate) struct Happening<'m> {
    /// The call, whether the function is there or not.
    pub(crate) call: Option<External<'m>>,
    /// What is compared with zero.
    tested: Option<Source<'m>>,
    /// What is returned.
    returned: Option<Option<Source<'m>>>,
}

impl<'m> Scribe<'_, 'm> {
    /// What happens on an edge.
    pub(crate) fn happening(&mut self, edge: EdgeId, shape: &Shape<'m>) -> Happening<'m> {
        let mut happening = Happening { call: None, tested: None, returned: None };
        let Some(function) = self.shaper.function(edge) else { return happening };
        match (self.shaper.cells.subject.graph.actions[edge], shape) {
            (_, Shape::External(external)) => happening.call = Some((**external).clone()),
            (Action::Call(stmt, callee) | Action::Take(stmt, callee), _) => {
                let StmtKind::Call { arguments, .. } = &stmt.kind else { return happening };
                let arguments = arguments.iter().map(|argument| self.shaper.source(function, argument)).collect();
                let results = self.shaper.taken(function, stmt, callee);
                let call = External { function: Some(callee), arguments, results, ..External::default() };
                happening.call = Some(call);
            }
            (Action::Assume(condition, _), _) => {
                happening.tested = Some(without_negation(self.shaper.source(function, condition)));
            }
            (Action::Return(value), _) => {
                happening.returned = Some(value.map(|value| self.shaper.source(function, value)));
            }
            _ => {}
        }
        happening
    }
}

impl<'m> Happening<'m> {
    /// What happens before or while the edge is passed; of a call whose body is there, all of it.
    pub(crate) fn occasions<'a>(&'a self, action: Action<'m>, shape: &'a Shape<'m>) -> Vec<Occasion<'a, 'm>> {
        let mut occasions: Vec<Occasion<'a, 'm>> = Vec::new();
        match (action, shape) {
            (Action::Take(..) | Action::Enter(_), _) => {}
            (Action::Return(_), _) => {
                occasions.extend(self.returned.iter().map(|value| Occasion::Return(value.as_ref())));
            }
            (Action::Call(..), _) | (_, Shape::External(_)) => {
                occasions.extend(self.call.iter().map(Occasion::Call));
                let results = self.call.iter().flat_map(|call| call.results.iter().map(move |one| (one, call)));
                occasions.extend(results.map(|(one, call)| Occasion::Assign(one, Some(call))));
            }
            (_, Shape::Assign(assignments)) => {
                occasions.extend(assignments.iter().map(|one| Occasion::Assign(one, None)));
            }
            (_, Shape::Fresh(cells)) => occasions.extend(cells.iter().map(|&cell| Occasion::Declare(cell))),
            (Action::Assume(..), _) => occasions.extend(self.tested.iter().map(Occasion::Test)),
            (Action::Do(_), _) => occasions.push(Occasion::Other),
            _ => {}
        }
        occasions
    }

    /// The condition, where one is evaluated.
    pub(crate) fn test(&self) -> Option<Occasion<'_, 'm>> {
        self.tested.as_ref().map(Occasion::Test)
    }

    /// The return, where it is one.
    pub(crate) fn returning(&self) -> Option<Occasion<'_, 'm>> {
        self.returned.as_ref().map(|value| Occasion::Return(value.as_ref()))
    }
}

fn without_negation(source: Source<'_>) -> Source<'_> {
    match source.kind {
        SourceKind::Unary(UnaryOp::Not, operand) => without_negation(*operand),
        _ => source,
    }
}
