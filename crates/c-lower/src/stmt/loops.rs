//! Loops. `while` stays one where its condition is a single expression; otherwise the condition is tested inside.

use super::flow::Jump;
use crate::expr::Arm;
use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{Expr, StmtKind};
use hardbop_lang_c::ast::{ExprId, StmtId};

impl Unit<'_> {
    pub(super) fn while_loop(&mut self, condition: ExprId, body: StmtId) {
        self.open();
        let head = self.loop_head(Some(condition));
        self.inside(Jump::Native, Some(Jump::Native), body);
        let block = self.close();
        self.emit(StmtKind::While(head, block), self.ast.exprs[condition].span);
    }

    pub(super) fn for_loop(
        &mut self,
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        span: Span,
    ) {
        let outer = self.open_scope();
        if let Some(init) = init {
            self.stmt(init);
        }
        self.open();
        let head = self.loop_head(condition);
        let at_continue = if step.is_some() { Jump::Label(None) } else { Jump::Native };
        let around = self.inside(Jump::Native, Some(at_continue), body);
        if let Some(step) = step {
            let span = self.ast.exprs[step].span;
            around.at_continue.into_iter().for_each(|jump| self.land(jump, span));
            self.effect(step);
        }
        let block = self.close();
        // What is done at the head of a loop is to ask.
        let asked = condition.map_or(span, |condition| self.ast.exprs[condition].span);
        self.emit(StmtKind::While(head, block), asked);
        self.close_scope(outer, span);
    }

    /// The condition of a loop whose body is being filled; what it needs is emitted at the top of the body.
    fn loop_head(&mut self, condition: Option<ExprId>) -> Expr {
        let Some(condition) = condition else { return self.always() };
        if self.is_short_circuit(condition) {
            self.branch(condition, Arm::Nothing, Arm::Stmt(StmtKind::Break));
            return self.always();
        }
        let span = self.ast.exprs[condition].span;
        let mark = self.mark();
        let value = self.condition(condition);
        if self.is_quiet_since(mark) {
            return value;
        }
        self.branch_on(value, Arm::Nothing, Arm::Stmt(StmtKind::Break), span);
        self.always()
    }

    pub(super) fn do_while(&mut self, body: StmtId, condition: ExprId, span: Span) {
        if self.constant_truth(condition) == Some(false) {
            // The usual frame around a macro's statements is no loop.
            let around = self.inside(Jump::Label(None), Some(Jump::Label(None)), body);
            around.at_continue.into_iter().for_each(|jump| self.land(jump, span));
            return self.land(around.at_break, span);
        }
        let always = self.always();
        self.open();
        let around = self.inside(Jump::Native, Some(Jump::Label(None)), body);
        let end = self.ast.exprs[condition].span;
        around.at_continue.into_iter().for_each(|jump| self.land(jump, end));
        if self.constant_truth(condition) != Some(true) {
            self.branch(condition, Arm::Nothing, Arm::Stmt(StmtKind::Break));
        }
        let block = self.close();
        self.emit(StmtKind::While(always, block), span);
    }
}
