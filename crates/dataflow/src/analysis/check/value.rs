//! The types of values: truth values and small numbers.

use super::super::tree::{Comparison, Expr, ExprKind, FactKind, FactUse, Sort};
use super::Checker;
use hardbop_base::{Diagnostic, Span};

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    Number,
    /// Either: it is unknown, or has been reported.
    Any,
}

impl Checker<'_> {
    /// A value that is true or false.
    pub(super) fn boolean(&mut self, value: &Expr) {
        let ty = self.value(value);
        self.want(Type::Boolean, ty, value.span);
    }

    /// A value that a fact becomes.
    pub(super) fn assigned(&mut self, target: &FactUse, value: &Expr) {
        let ty = self.value(value);
        self.want(self.type_of(target), ty, value.span);
    }

    fn type_of(&self, fact: &FactUse) -> Type {
        match &self.analysis.families[fact.family].declared {
            None => Type::Any,
            Some(declaration) => match declaration.kind {
                FactKind::Boolean => Type::Boolean,
                FactKind::Small => Type::Number,
            },
        }
    }

    fn want(&mut self, wanted: Type, found: Type, span: Span) {
        if wanted == found || wanted == Type::Any || found == Type::Any {
            return;
        }
        let (message, help) = match wanted {
            Type::Number => ("this is true or false, where a number is wanted", "numbers come from `: small` facts"),
            _ => ("this is a number, where something true or false is wanted", "write `true`, `false` or a comparison"),
        };
        self.findings.add(Diagnostic::error("wrong-type", message, span).help(help));
    }

    fn value(&mut self, value: &Expr) -> Type {
        match &value.kind {
            ExprKind::Const(_) => Type::Boolean,
            ExprKind::Unknown => Type::Any,
            ExprKind::Number(_) => Type::Number,
            ExprKind::Fact(fact) => {
                self.fact(fact);
                if self.current != Some(fact.family) {
                    self.is_read[fact.family] = true;
                }
                self.type_of(fact)
            }
            ExprKind::Meta(meta) => {
                self.use_bound(*meta);
                if let Some(sort) = self.sort(*meta).filter(|&sort| sort != Sort::Constant) {
                    self.wrong_sort(*meta, sort, "only a constant is a value by itself");
                }
                Type::Number
            }
            ExprKind::Is(left, right) => {
                self.same(*left, *right);
                Type::Boolean
            }
            ExprKind::Not(operand) => {
                self.boolean(operand);
                Type::Boolean
            }
            ExprKind::Junction(_, operands) => {
                operands.iter().for_each(|operand| self.boolean(operand));
                Type::Boolean
            }
            ExprKind::Implies(left, right) => {
                self.boolean(left);
                self.boolean(right);
                Type::Boolean
            }
            ExprKind::Compare(left, op, right) => self.comparison(left, *op, right),
            ExprKind::Sum(left, _, right) => {
                for operand in [left, right] {
                    let ty = self.value(operand);
                    self.want(Type::Number, ty, operand.span);
                }
                Type::Number
            }
            ExprKind::Over(_, body, binder) => {
                let outside = self.bound.len();
                self.bind(binder);
                self.boolean(body);
                self.bound.truncate(outside);
                Type::Boolean
            }
        }
    }

    fn comparison(&mut self, left: &Expr, op: Comparison, right: &Expr) -> Type {
        let (left_type, right_type) = (self.value(left), self.value(right));
        match op {
            Comparison::Equal | Comparison::NotEqual => self.want(left_type, right_type, right.span),
            _ => {
                self.want(Type::Number, left_type, left.span);
                self.want(Type::Number, right_type, right.span);
            }
        }
        Type::Boolean
    }
}

/// Calls `visit` with every fact that stands in `value`.
pub(super) fn for_each_fact<'e>(value: &'e Expr, visit: &mut impl FnMut(&'e FactUse)) {
    match &value.kind {
        ExprKind::Fact(fact) => visit(fact),
        ExprKind::Not(operand) | ExprKind::Over(_, operand, _) => for_each_fact(operand, visit),
        ExprKind::Junction(_, operands) => operands.iter().for_each(|operand| for_each_fact(operand, visit)),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
            for_each_fact(left, visit);
            for_each_fact(right, visit);
        }
        ExprKind::Const(_) | ExprKind::Unknown | ExprKind::Number(_) | ExprKind::Meta(_) | ExprKind::Is(..) => {}
    }
}
