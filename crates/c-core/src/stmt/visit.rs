//! Walks over statements. The parser bounds how deep they are, so recursion is fine.

use super::{Callee, Stmt, StmtKind};
use crate::expr::PlaceUse;
use crate::{Expr, Place};

/// Calls `see` for every statement of a block, then for those inside of it, in order.
pub fn visit_block<'s>(block: &'s [Stmt], see: &mut impl FnMut(&'s Stmt)) {
    for stmt in block {
        stmt.visit(see);
    }
}

impl Stmt {
    /// Calls `see` for this statement and then for all inside of it.
    pub fn visit<'s>(&'s self, see: &mut impl FnMut(&'s Self)) {
        see(self);
        match &self.kind {
            StmtKind::If(_, yes, no) => {
                visit_block(yes, see);
                visit_block(no, see);
            }
            StmtKind::While(_, block) | StmtKind::Block(block) => visit_block(block, see),
            _ => {}
        }
    }

    /// Calls `value` for the outermost expressions of this statement and `target` for the places it writes, in this
    /// order of evaluation; statements inside are left out.
    pub fn visit_parts<'s>(&'s self, value: &mut impl FnMut(&'s Expr), target: &mut impl FnMut(&'s Place)) {
        match &self.kind {
            StmtKind::Assign(place, expr) => {
                value(expr);
                target(place);
            }
            StmtKind::Zero(place) => target(place),
            StmtKind::Call { result, callee, arguments } => {
                if let Callee::Pointer(pointer) = callee {
                    value(pointer);
                }
                arguments.iter().for_each(&mut *value);
                result.iter().for_each(target);
            }
            StmtKind::NextArgument { result, list, .. } => {
                value(list);
                result.iter().for_each(target);
            }
            StmtKind::Asm(asm) => {
                asm.inputs.iter().for_each(|(_, _, expr)| value(expr));
                asm.outputs.iter().for_each(|(_, _, place)| target(place));
            }
            StmtKind::If(expr, ..) | StmtKind::While(expr, _) | StmtKind::GotoComputed(expr) => value(expr),
            StmtKind::Return(expr) => expr.iter().for_each(value),
            StmtKind::Fresh(_)
            | StmtKind::Unmodelled(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Block(_) => {}
        }
    }

    /// Calls `see` for all expressions of this statement and of the statements inside of it, and for all inside of them.
    pub fn visit_exprs<'s>(&'s self, see: &mut impl FnMut(&'s Expr)) {
        self.visit(&mut |stmt| stmt.visit_own_exprs(see));
    }

    /// Calls `see` for all expressions of this statement, and all inside of them; statements inside are left out.
    pub fn visit_own_exprs<'s>(&'s self, see: &mut impl FnMut(&'s Expr)) {
        let mut places = Vec::new();
        self.visit_parts(&mut |expr| expr.visit(see), &mut |place| places.push(place));
        places.into_iter().for_each(|place| place.visit(see));
    }

    /// Calls `see` for all places of this statement, with what happens to them; statements inside are left out.
    pub fn visit_own_places<'s>(&'s self, see: &mut impl FnMut(&'s Place, PlaceUse)) {
        let mut targets = Vec::new();
        self.visit_parts(&mut |expr| expr.visit_places(see), &mut |place| targets.push(place));
        targets.into_iter().for_each(|place| place.visit_places(PlaceUse::Write, see));
        if let StmtKind::Asm(asm) = &self.kind {
            asm.changed().for_each(|place| see(place, PlaceUse::Read));
        }
    }

    /// How many reads and writes of this statement go through a pointer: at most one. A list that
    /// [`StmtKind::NextArgument`] advances does not count.
    pub fn pointer_accesses(&self) -> usize {
        let mut count = 0;
        self.visit_own_places(&mut |place, usage| {
            count += usize::from(usage != PlaceUse::Address && place.is_deref());
        });
        count
    }
}
