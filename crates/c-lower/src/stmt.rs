//! Statements: loops are `while`, switches are tests and jumps.

mod asm;
pub(crate) mod cleanup;
pub(crate) mod flow;
mod loops;
pub(crate) mod switch;

use crate::expr::Arm;
use crate::unit::Unit;
use flow::Leave;
use hardbop_base::Span;
use hardbop_c_core::{Expr, StmtKind};
use hardbop_lang_c::ast::{self, ExprId, Ident, StmtId};

impl Unit<'_> {
    /// Lowers a statement into the innermost open block.
    pub fn stmt(&mut self, stmt: StmtId) {
        let is_body = self.activation().flow.depth == 0;
        if is_body {
            self.enter_labels();
        }
        self.activation().flow.depth += 1;
        self.stmt_inside(stmt);
        self.activation().flow.depth -= 1;
        if is_body {
            self.leave_labels();
        }
    }

    fn stmt_inside(&mut self, mut stmt: StmtId) {
        let ast = self.ast;
        // Stacked labels are many in generated code.
        while let Some(inner) = self.labelled(stmt) {
            stmt = inner;
        }
        let span = ast.stmts[stmt].span;
        match &ast.stmts[stmt].kind {
            ast::StmtKind::Block(stmts) => self.block(stmts, span),
            ast::StmtKind::Declaration(declaration) => self.local_declaration(declaration),
            ast::StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            ast::StmtKind::LocalLabels(labels) => labels.iter().for_each(|&label| self.declare_label(label)),
            ast::StmtKind::NestedFunction(_) => drop(self.unsupported("a function inside of a function", span)),
            ast::StmtKind::Expr(expr) => self.effect(*expr),
            ast::StmtKind::Empty | ast::StmtKind::Error => {}
            ast::StmtKind::If(condition, then, otherwise) => self.if_then(*condition, *then, *otherwise),
            ast::StmtKind::While(condition, body) => self.while_loop(*condition, *body),
            ast::StmtKind::DoWhile(body, condition) => self.do_while(*body, *condition, span),
            ast::StmtKind::For { init, condition, step, body } => {
                self.for_loop(*init, *condition, *step, *body, span);
            }
            ast::StmtKind::Switch(value, body) => self.switch(*value, *body, span),
            ast::StmtKind::Goto(label) => self.goto(*label, span),
            ast::StmtKind::GotoComputed(target) => self.goto_computed(*target, span),
            ast::StmtKind::Break => self.leave(Leave::Break, span),
            ast::StmtKind::Continue => self.leave(Leave::Continue, span),
            ast::StmtKind::Return(value) => self.return_value(*value, span),
            ast::StmtKind::Asm(asm) => self.asm(asm, span),
            ast::StmtKind::Case(..) | ast::StmtKind::Default(_) | ast::StmtKind::Label(..) => {
                unreachable!("labels have been taken off")
            }
        }
    }

    /// Takes the label off a statement.
    fn labelled(&mut self, stmt: StmtId) -> Option<StmtId> {
        let ast = self.ast;
        let span = ast.stmts[stmt].span;
        match ast.stmts[stmt].kind {
            ast::StmtKind::Label(label, inner) => {
                self.define_label(label);
                Some(inner)
            }
            ast::StmtKind::Case(low, high, inner) => {
                self.case(low, high, span);
                Some(inner)
            }
            ast::StmtKind::Default(inner) => {
                self.default_case(span);
                Some(inner)
            }
            _ => None,
        }
    }

    /// `{ … }`; the statements need no braces of their own, since names are unique.
    fn block(&mut self, stmts: &[StmtId], span: Span) {
        let outer = self.open_scope();
        let has_labels = stmts.iter().any(|&stmt| matches!(self.ast.stmts[stmt].kind, ast::StmtKind::LocalLabels(_)));
        if has_labels {
            self.enter_labels();
        }
        stmts.iter().for_each(|&stmt| self.stmt(stmt));
        if has_labels {
            self.leave_labels();
        }
        self.close_scope(outer, span);
    }

    fn if_then(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let mut first = |unit: &mut Self| unit.stmt(then);
        match otherwise {
            None => self.branch(condition, Arm::Code(&mut first), Arm::Nothing),
            Some(otherwise) => {
                let mut last = |unit: &mut Self| unit.stmt(otherwise);
                self.branch(condition, Arm::Code(&mut first), Arm::Code(&mut last));
            }
        }
    }

    fn goto(&mut self, label: Ident, span: Span) {
        let label = self.label(label);
        self.jump(StmtKind::Goto(label), span);
    }

    fn goto_computed(&mut self, target: ExprId, span: Span) {
        let value = self.value(target);
        let void = self.void();
        let pointer = self.module.types.pointer_to(void);
        let value = self.convert(value, pointer, span);
        match value.kind {
            // Compilers do not agree on whether this leaves scopes as other jumps do.
            hardbop_c_core::ExprKind::Label(label) if self.innermost_cleanup().is_none() => {
                self.emit(StmtKind::Goto(label), span);
            }
            _ => self.jump(StmtKind::GotoComputed(value), span),
        }
    }

    fn return_value(&mut self, value: Option<ExprId>, span: Span) {
        let ty = self.activation().result;
        let value = match value {
            None => None,
            Some(value) if self.is_void(ty) => {
                self.effect(value);
                None
            }
            Some(value) => Some(self.value_as(value, ty)),
        };
        let value = value.map(|value| self.before_cleanup(value, None, span));
        self.clean_up(None, span);
        self.emit(StmtKind::Return(value), span);
    }

    /// The constant 1, the condition of a loop that only `break` leaves.
    pub fn always(&mut self) -> Expr {
        let int = self.int();
        self.integer(1, int)
    }
}
