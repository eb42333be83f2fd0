//! The types of values: truth values, small numbers and objects.

use super::super::tree::{Comparison, Expr, ExprKind, FactKind, FactUse, MetaUse, Sort};
use super::Checker;
use hardbop_base::{Diagnostic, Span};

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    Number,
    Object,
    /// Any of them: it is unknown, or has been reported.
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
        let ty = if let ExprKind::New = value.kind { Type::Object } else { self.value(value) };
        self.want(self.type_of(target), ty, value.span);
    }

    fn type_of(&self, fact: &FactUse) -> Type {
        match &self.analysis.families[fact.family].declared {
            None => Type::Any,
            Some(declaration) => match declaration.kind {
                FactKind::Boolean => Type::Boolean,
                FactKind::Small => Type::Number,
                FactKind::Target => Type::Object,
            },
        }
    }

    fn want(&mut self, wanted: Type, found: Type, span: Span) {
        if wanted == found || wanted == Type::Any || found == Type::Any {
            return;
        }
        let (what, help) = match wanted {
            Type::Number => ("a number", "numbers come from `: small` facts"),
            Type::Object => ("an object", "objects are what metavariables for places and `: target` facts stand for"),
            _ => ("something true or false", "write `true`, `false` or a comparison"),
        };
        let is = match found {
            Type::Number => "a number",
            Type::Object => "an object",
            _ => "true or false",
        };
        let message = format!("this is {is}, where {what} is wanted");
        self.findings.add(Diagnostic::error("wrong-type", message, span).help(help));
    }

    fn value(&mut self, value: &Expr) -> Type {
        match &value.kind {
            ExprKind::Const(_) => Type::Boolean,
            ExprKind::Unknown => Type::Any,
            ExprKind::New => {
                let message = "`new` is what a statement makes, so only a fact can become that";
                let finding = Diagnostic::error("wrong-type", message, value.span);
                self.findings.add(finding.help("write `at(p) := new`, where `at` is a `: target` fact"));
                Type::Any
            }
            ExprKind::Number(_) => Type::Number,
            ExprKind::Fact(fact) => {
                self.fact(fact);
                self.note_read(fact.family);
                self.type_of(fact)
            }
            ExprKind::Meta(meta) => self.meta_value(*meta),
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

    fn meta_value(&mut self, meta: MetaUse) -> Type {
        self.use_bound(meta);
        match self.sort(meta) {
            Some(Sort::Constant) => Type::Number,
            Some(sort) if sort.is_place() => Type::Object,
            Some(sort) => {
                self.wrong_sort(meta, sort, "only a constant or a place in memory is a value by itself");
                Type::Any
            }
            None => Type::Any,
        }
    }

    fn comparison(&mut self, left: &Expr, op: Comparison, right: &Expr) -> Type {
        let (left_type, right_type) = (self.value(left), self.value(right));
        match op {
            Comparison::Equal | Comparison::NotEqual => {
                self.want(left_type, right_type, right.span);
                if let (ExprKind::Meta(one), ExprKind::Meta(other)) = (&left.kind, &right.kind) {
                    self.compared_by_name(*one, op, *other);
                }
            }
            _ => {
                self.want(Type::Number, left_type, left.span);
                self.want(Type::Number, right_type, right.span);
            }
        }
        Type::Boolean
    }

    /// `x = y`: whether both are one place does not depend on facts.
    fn compared_by_name(&mut self, left: MetaUse, op: Comparison, right: MetaUse) {
        let both = [left, right].map(|meta| self.sort(meta).is_some_and(Sort::is_place));
        if both != [true, true] {
            return;
        }
        let message = "`=` compares what facts say, and here are only names";
        let is = if op == Comparison::Equal { "is" } else { "is not" };
        let help = format!("write `{} {is} {}`", self.name(left), self.name(right));
        self.findings.add(Diagnostic::error("wrong-type", message, left.span.to(right.span)).help(help));
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
        ExprKind::Const(_)
        | ExprKind::Unknown
        | ExprKind::New
        | ExprKind::Number(_)
        | ExprKind::Meta(_)
        | ExprKind::Is(..) => {}
    }
}
