//! Conditions: `&&`, `||`, `!` and `?:` are branches.
//!
//! [`Unit::branch`] lowers a condition with what is to be done in either case. What is short is repeated where the
//! condition is decided in several places; what is long is written once, and jumped to.

use super::typing::Typing;
use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{Expr, Place, Qualified, StmtKind, TypeId};
use hardbop_lang_c::ast::{self, BinaryOp, ExprId, ExprKind, UnaryOp};

/// What to do in one of the two cases.
pub(crate) enum Arm<'c, 'a> {
    /// Go on.
    Nothing,
    /// One statement, short enough to be repeated.
    Stmt(StmtKind),
    /// More: it is run exactly once.
    Code(&'c mut dyn FnMut(&mut Unit<'a>)),
}

impl<'a> Arm<'_, 'a> {
    /// The same once more.
    fn again<'n>(&self) -> Arm<'n, 'a> {
        match self {
            Self::Nothing => Arm::Nothing,
            Self::Stmt(kind) => Arm::Stmt(kind.clone()),
            Self::Code(_) => unreachable!("code runs once"),
        }
    }

    fn is_code(&self) -> bool {
        matches!(self, Self::Code(_))
    }

    fn is_jump(&self) -> bool {
        matches!(self, Self::Stmt(StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_)))
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

impl<'a> Unit<'a> {
    /// Whether the condition is decided in several steps.
    pub fn is_short_circuit(&self, condition: ExprId) -> bool {
        match self.ast.exprs[condition].kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => true,
            ExprKind::Unary(UnaryOp::Not, operand) => self.is_short_circuit(operand),
            ExprKind::Call(callee, ref arguments) => match self.expected(callee, arguments) {
                Some(argument) => self.is_short_circuit(argument),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether `!operand` is best lowered as `operand` with its cases swapped.
    fn is_swapped(&self, operand: ExprId) -> bool {
        self.is_short_circuit(operand) || matches!(self.ast.exprs[operand].kind, ExprKind::Unary(UnaryOp::Not, _))
    }

    /// The condition in `__builtin_expect(condition, …)`.
    fn expected(&self, callee: ExprId, arguments: &[ExprId]) -> Option<ExprId> {
        let (ExprKind::Name(name), &[argument, ..]) = (&self.ast.exprs[callee].kind, arguments) else { return None };
        let is_truth = matches!(
            self.ast.exprs[argument].kind,
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
        );
        let spelling = &*self.ast.names[*name];
        let is_expect = matches!(spelling, "__builtin_expect" | "__builtin_expect_with_probability");
        (is_truth && is_expect).then_some(argument)
    }

    /// Does `then` if the condition holds and `otherwise` if not.
    pub fn branch(&mut self, condition: ExprId, then: Arm<'_, 'a>, otherwise: Arm<'_, 'a>) {
        let ast = self.ast;
        let span = ast.exprs[condition].span;
        match ast.exprs[condition].kind {
            ExprKind::Unary(UnaryOp::Not, operand) if self.is_swapped(operand) => {
                self.branch(operand, otherwise, then);
            }
            ExprKind::Binary(BinaryOp::Comma, left, right) => {
                self.effect(left);
                self.branch(right, then, otherwise);
            }
            ExprKind::Binary(BinaryOp::And, ..) if otherwise.is_code() => {
                self.branch_to_end(condition, then, otherwise, span);
            }
            ExprKind::Binary(BinaryOp::And, left, right) if then.is_nothing() && otherwise.is_jump() => {
                self.branch(left, Arm::Nothing, otherwise.again());
                self.branch(right, Arm::Nothing, otherwise);
            }
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let again = otherwise.again();
                let mut then = Some(then);
                let mut code = |unit: &mut Self| {
                    let then = then.take().expect("code runs once");
                    unit.branch(right, then, again.again());
                };
                self.branch(left, Arm::Code(&mut code), otherwise);
            }
            ExprKind::Binary(BinaryOp::Or, ..) if then.is_code() => {
                self.branch_past(condition, then, otherwise, span);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if otherwise.is_nothing() && then.is_jump() => {
                self.branch(left, then.again(), Arm::Nothing);
                self.branch(right, then, Arm::Nothing);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                let again = then.again();
                let mut otherwise = Some(otherwise);
                let mut code = |unit: &mut Self| {
                    let otherwise = otherwise.take().expect("code runs once");
                    unit.branch(right, again.again(), otherwise);
                };
                self.branch(left, then, Arm::Code(&mut code));
            }
            ExprKind::Call(callee, ref arguments) => match self.expected(callee, arguments) {
                Some(argument) => self.branch(argument, then, otherwise),
                None => self.branch_simple(condition, then, otherwise, span),
            },
            _ => self.branch_simple(condition, then, otherwise, span),
        }
    }

    fn branch_simple(&mut self, condition: ExprId, then: Arm<'_, 'a>, otherwise: Arm<'_, 'a>, span: Span) {
        let value = self.condition(condition);
        self.branch_on(value, then, otherwise, span);
    }

    /// Does `then` if `value` is not zero and `otherwise` if it is.
    pub fn branch_on(&mut self, value: Expr, then: Arm<'_, 'a>, otherwise: Arm<'_, 'a>, span: Span) {
        match self.truth(&value) {
            Some(true) if !otherwise.is_code() => return self.run(then, span),
            Some(false) if !then.is_code() => return self.run(otherwise, span),
            _ => {}
        }
        let then = self.block_of(then, span);
        let otherwise = self.block_of(otherwise, span);
        // Who asks expects both, also where there is nothing to do about it.
        if !then.is_empty() || !otherwise.is_empty() || self.truth(&value).is_none() {
            self.emit(StmtKind::If(value, then, otherwise), span);
        } else {
            self.discard(value, span);
        }
    }

    fn block_of(&mut self, arm: Arm<'_, 'a>, span: Span) -> hardbop_c_core::Block {
        self.open();
        self.run(arm, span);
        self.close()
    }

    fn run(&mut self, arm: Arm<'_, 'a>, span: Span) {
        match arm {
            Arm::Nothing => {}
            Arm::Stmt(kind) => self.emit(kind, span),
            Arm::Code(code) => code(self),
        }
    }

    /// `if (a) if (b) { then; goto end; } otherwise; end:`
    fn branch_to_end(&mut self, condition: ExprId, then: Arm<'_, 'a>, otherwise: Arm<'_, 'a>, span: Span) {
        let mut end = None;
        let mut then = Some(then);
        let mut code = |unit: &mut Self| {
            let then = then.take().expect("code runs once");
            unit.run(then, span);
            if !unit.activation().ends_in_jump() {
                let label = unit.new_label("end");
                end = Some(label);
                unit.emit(StmtKind::Goto(label), span);
            }
        };
        self.branch(condition, Arm::Code(&mut code), Arm::Nothing);
        self.run(otherwise, span);
        if let Some(label) = end {
            self.emit(StmtKind::Label(label), span);
        }
    }

    /// `if (a) ; else if (b) ; else goto past; then; goto end; past: otherwise; end:`
    fn branch_past(&mut self, condition: ExprId, then: Arm<'_, 'a>, otherwise: Arm<'_, 'a>, span: Span) {
        if otherwise.is_jump() {
            self.branch(condition, Arm::Nothing, otherwise);
            return self.run(then, span);
        }
        let past = self.new_label("else");
        self.branch(condition, Arm::Nothing, Arm::Stmt(StmtKind::Goto(past)));
        self.run(then, span);
        if otherwise.is_nothing() {
            return self.emit(StmtKind::Label(past), span);
        }
        let end = (!self.activation().ends_in_jump()).then(|| self.new_label("end"));
        if let Some(end) = end {
            self.emit(StmtKind::Goto(end), span);
        }
        self.emit(StmtKind::Label(past), span);
        self.run(otherwise, span);
        if let Some(end) = end {
            self.emit(StmtKind::Label(end), span);
        }
    }

    /// `&&` and `||` as a value: 0 or 1.
    pub fn logical(&mut self, expr: ExprId) -> Expr {
        if let Some(value) = self.logical_constant(expr) {
            return value;
        }
        let int = self.int();
        let place = self.temporary_place(int, self.text_of_logical(expr), self.ast.exprs[expr].span);
        self.logical_into(expr, &place);
        Expr::read(place)
    }

    fn text_of_logical(&self, expr: ExprId) -> &'static str {
        let is_and = matches!(self.ast.exprs[expr].kind, ExprKind::Binary(BinaryOp::And, ..));
        if is_and { "… && …" } else { "… || …" }
    }

    /// The value of `&&` or `||` where it does not depend on what is not constant.
    pub fn logical_constant(&mut self, expr: ExprId) -> Option<Expr> {
        let ast = self.ast;
        let ExprKind::Binary(op, left, right) = ast.exprs[expr].kind else { return None };
        let left = self.constant_truth(left)?;
        let int = self.int();
        match (op, left) {
            (BinaryOp::And, false) => Some(self.integer(0, int)),
            (BinaryOp::Or, true) => Some(self.integer(1, int)),
            _ => {
                let right_value = self.constant_truth(right)?;
                Some(self.integer(i128::from(right_value), int))
            }
        }
    }

    /// Puts the value of `&&` or `||` into `place`, an integer that the operands do not speak of.
    pub fn logical_into(&mut self, expr: ExprId, place: &Place) {
        let ast = self.ast;
        let ExprKind::Binary(op, left, right) = ast.exprs[expr].kind else { return };
        let decided = self.integer(i128::from(op == BinaryOp::Or), place.ty);
        let decided = Arm::Stmt(StmtKind::Assign(place.clone(), decided));
        let mut rest = |unit: &mut Self| unit.truth_into(right, place);
        match op {
            BinaryOp::And => self.branch(left, Arm::Code(&mut rest), decided),
            _ => self.branch(left, decided, Arm::Code(&mut rest)),
        }
    }

    /// Puts 1 into `place` if the condition holds, and 0 if not.
    fn truth_into(&mut self, condition: ExprId, place: &Place) {
        let ast = self.ast;
        let span = ast.exprs[condition].span;
        match ast.exprs[condition].kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => self.logical_into(condition, place),
            _ if self.is_short_circuit(condition) => {
                let (yes, no) = (self.integer(1, place.ty), self.integer(0, place.ty));
                let yes = Arm::Stmt(StmtKind::Assign(place.clone(), yes));
                let no = Arm::Stmt(StmtKind::Assign(place.clone(), no));
                self.branch(condition, yes, no);
            }
            _ => {
                let value = self.condition(condition);
                let value = self.as_truth(value);
                let value = self.cast(value, place.ty);
                self.emit(StmtKind::Assign(place.clone(), value), span);
            }
        }
    }

    /// `c ? t : e` and `c ?: e` into `place`; nothing is stored where the type is `void`.
    pub fn conditional_into(&mut self, expr: ExprId, place: Option<&Place>, ty: TypeId) {
        let ast = self.ast;
        let ExprKind::Conditional(condition, then, otherwise) = ast.exprs[expr].kind else { return };
        let mut last = |unit: &mut Self| unit.arm_into(otherwise, place, ty);
        match then {
            Some(then) => {
                let mut first = |unit: &mut Self| unit.arm_into(then, place, ty);
                self.branch(condition, Arm::Code(&mut first), Arm::Code(&mut last));
            }
            None => {
                let span = ast.exprs[condition].span;
                let mut value = self.condition(condition);
                if !self.is_repeatable(&value) {
                    value = self.saved(value, span);
                }
                let kept = value.clone();
                let mut first = |unit: &mut Self| {
                    if let Some(place) = place {
                        let value = unit.convert(kept.clone(), ty, span);
                        let value = unit.cast(value, place.ty);
                        unit.put_unless_there(place, value, span);
                    }
                };
                self.branch_on(value, Arm::Code(&mut first), Arm::Code(&mut last), span);
            }
        }
    }

    fn arm_into(&mut self, expr: ExprId, place: Option<&Place>, ty: TypeId) {
        match place {
            None => self.effect(expr),
            // What is there already stays.
            Some(place) if place.ty == ty && self.is_name_of(expr, place) => {}
            Some(place) if place.ty == ty => self.store(place.clone(), expr),
            Some(place) => {
                let span = self.ast.exprs[expr].span;
                let value = self.value_as(expr, ty);
                let value = self.cast(value, place.ty);
                self.emit(StmtKind::Assign(place.clone(), value), span);
            }
        }
    }

    fn put_unless_there(&mut self, place: &Place, value: Expr, span: Span) {
        let is_there = matches!(&value.kind, hardbop_c_core::ExprKind::Read(source) if source == place);
        if !is_there || self.place_qualifiers(place).is_volatile {
            self.emit(StmtKind::Assign(place.clone(), value), span);
        }
    }

    /// Whether `expr` is the name of the variable at `place`, which nobody watches.
    fn is_name_of(&self, expr: ExprId, place: &Place) -> bool {
        let ExprKind::Name(name) = self.ast.exprs[expr].kind else { return false };
        let Some(Meaning::Var(var)) = self.scopes.find(name) else { return false };
        place.as_var() == Some(var) && !self.module.vars[var].ty.qualifiers.is_volatile
    }

    /// `c ? t : e` as a value.
    pub fn conditional(&mut self, expr: ExprId) -> Expr {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        let ExprKind::Conditional(condition, then, otherwise) = ast.exprs[expr].kind else {
            return self.error_value();
        };
        let Typing { ty: Qualified { ty, .. }, bits } = self.conditional_typing(expr);
        if let Some(decided) = self.constant_truth(condition) {
            let chosen = if decided { then.unwrap_or(condition) } else { otherwise };
            if self.is_void(ty) {
                self.effect(chosen);
                return self.void_value();
            }
            let value = self.value_as(chosen, ty);
            return self.narrowed(value, bits, span);
        }
        if self.is_void(ty) {
            self.conditional_into(expr, None, ty);
            return self.void_value();
        }
        let place = self.temporary_place(ty, "… ? … : …", span);
        self.conditional_into(expr, Some(&place), ty);
        self.narrowed(Expr::read(place), bits, span)
    }

    /// The value of `({ … })`, or its effects only.
    pub fn statement_expression(&mut self, block: ast::StmtId, wanted: Wanted) -> Expr {
        let ast = self.ast;
        let ast::StmtKind::Block(stmts) = &ast.stmts[block].kind else { return self.error_value() };
        let outer = self.open_scope();
        self.enter_labels();
        let mut value = self.void_value();
        for (position, &stmt) in stmts.iter().enumerate() {
            let is_last = position + 1 == stmts.len();
            match self.last_expression(stmt) {
                Some(expr) if is_last && wanted == Wanted::Value => value = self.last_value(stmt, expr),
                _ => self.stmt(stmt),
            }
        }
        self.leave_labels();
        let span = ast.stmts[block].span;
        let value = self.before_cleanup(value, outer, span);
        self.close_scope(outer, span);
        value
    }

    /// The expression of a statement, labels before it passed over.
    pub fn last_expression(&self, mut stmt: ast::StmtId) -> Option<ExprId> {
        loop {
            match self.ast.stmts[stmt].kind {
                ast::StmtKind::Expr(expr) => return Some(expr),
                ast::StmtKind::Label(_, inner) => stmt = inner,
                _ => return None,
            }
        }
    }

    fn last_value(&mut self, mut stmt: ast::StmtId, expr: ExprId) -> Expr {
        let ast = self.ast;
        while let ast::StmtKind::Label(label, inner) = ast.stmts[stmt].kind {
            self.define_label(label);
            stmt = inner;
        }
        self.value(expr)
    }
}

/// Whether a value is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// It is.
    Value,
    /// Only the effects are.
    Effect,
}
