//! The lists of further arguments that a statement reads on.

use super::Access;
use super::externals::stripped;
use super::remembered::{Anchor, Behind};
use super::shapes::{Assignment, Shaper, assignment, copied};
use super::sources::SourceKind;
use hardbop_c_core::{Base, Expr, ExprKind, FunctionId, Place, StmtKind, Type};
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;
use hardbop_points_to::library;

impl<'m> Shaper<'_, 'm> {
    /// The lists that an edge takes the next argument from, or hands to a function without a body that does: each with
    /// its text.
    pub fn lists(&mut self, edge: EdgeId) -> Vec<(Access, &'m Expr)> {
        let Some(function) = self.function(edge) else { return Vec::new() };
        let lists: Vec<&'m Expr> = match self.cells.subject.graph.actions[edge] {
            Action::Do(stmt) => match &stmt.kind {
                StmtKind::NextArgument { list, .. } => vec![list],
                _ => return Vec::new(),
            },
            Action::External(stmt, callee) => {
                let StmtKind::Call { arguments, .. } = &stmt.kind else { return Vec::new() };
                let name = callee.map_or("", |callee| &self.module().functions[callee].source_name);
                let read = arguments.iter().enumerate().filter(|&(index, _)| library::reads_list(name, index));
                read.map(|(_, argument)| argument).filter(|argument| self.is_list(argument)).collect()
            }
            _ => return Vec::new(),
        };
        lists.into_iter().filter_map(|list| Some((self.list(function, list)?, list))).collect()
    }

    /// A list that is there from now on, and where it was begun as the other says.
    pub(crate) fn begun_list(
        &mut self,
        function: FunctionId,
        list: &'m Expr,
        other: Option<&'m Expr>,
    ) -> Option<Assignment<'m>> {
        let target = self.list(function, list)?;
        match other {
            Some(other) => Some(copied(target, self.list(function, other)?)),
            None => Some(assignment(target, SourceKind::Other)),
        }
    }

    fn list(&mut self, function: FunctionId, list: &'m Expr) -> Option<Access> {
        if let ExprKind::Address(place) = &stripped(list).kind {
            return Some(self.access(function, place));
        }
        let ty = self.module().types.pointee(list.ty)?.ty;
        if !matches!(self.module().types.get(ty), Type::VaList) {
            return None;
        }
        let source = self.source(function, list);
        let pointer = self.lead(&source, ty);
        let behind =
            pointer.map(|cell| Behind { anchor: Anchor::Pointer(cell), index: None, offset: 0, bits: None, ty });
        let place = Place { base: Base::Deref(Box::new(list.clone())), path: Vec::new(), ty };
        Some(self.access_as(function, &place, pointer, behind))
    }
}
