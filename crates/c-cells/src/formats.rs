//! The strings that a call prints.
//!
//! Which of its further arguments a function like `printf` takes for strings is what its format says, the last of the
//! arguments that are declared. Where that is not a string literal, it may be all that point to bytes.

use super::externals::pointee;
use super::memory::Start;
use super::shapes::Shaper;
use hardbop_c_core as c;
use hardbop_c_core::{Expr, StmtKind};
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;
use hardbop_points_to::{ObjectKind, Target, library};
use std::collections::BTreeSet;

impl<'m> Shaper<'_, 'm> {
    /// The arguments that the call of an edge takes for strings.
    pub fn printed(&self, edge: EdgeId) -> Vec<&'m Expr> {
        let (stmt, callee) = match self.cells.subject.graph.actions[edge] {
            Action::Call(stmt, callee) | Action::External(stmt, Some(callee)) => (stmt, callee),
            _ => return Vec::new(),
        };
        let types = &self.module().types;
        let declared = types.callee(self.module().functions[callee].ty).map(|ty| &ty.parameters);
        let (StmtKind::Call { arguments, .. }, Some(c::Parameters::Variadic(fixed))) = (&stmt.kind, declared) else {
            return Vec::new();
        };
        let Some(format) = fixed.len().checked_sub(1).and_then(|last| arguments.get(last)) else { return Vec::new() };
        let is_text = |argument: &Expr| {
            let pointee = pointee(self, argument);
            pointee.is_none_or(|ty| types.size_of(ty) == Some(1)) && types.is_pointer(argument.ty)
        };
        let taken = self.converted(format, b"sS");
        let further = arguments.iter().skip(fixed.len()).enumerate();
        let is_taken = |&(index, argument): &(usize, &'m Expr)| match &taken {
            Some(taken) => taken.contains(&index),
            None => is_text(argument),
        };
        further.filter(is_taken).map(|(_, argument)| argument).collect()
    }

    /// The further arguments that a format has conversions with these letters for, if it is a string literal for certain.
    pub(crate) fn converted(&self, format: &Expr, letters: &[u8]) -> Option<BTreeSet<usize>> {
        let points_to = self.cells.subject.points_to;
        // Which character a pointer points to is not known.
        let is_whole = self.start_of(format) == Start::First;
        let text = |target: &Target| {
            let ObjectKind::Variable(var) = points_to.kind(target.object) else { return None };
            let variable = &self.module().vars[var];
            match (variable.kind, variable.init.as_ref().map(|init| &init.parts[..])) {
                (c::VarKind::Literal, Some([c::InitialPart { value: c::InitialValue::Bytes(text), .. }])) => {
                    let last = if is_whole { 0 } else { text.len() };
                    Some((0..=last).flat_map(|start| library::converted(&text[start..], letters)).collect::<Vec<_>>())
                }
                _ => None,
            }
        };
        let found: Option<Vec<Vec<usize>>> = points_to.points_to_expr(format).iter().map(text).collect();
        found.map(|found| found.into_iter().flatten().collect())
    }
}
