//! `switch`: the cases become labels, the value is compared with each of them before the body.

use super::flow::Jump;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{BinaryOp, Expr, IntKind, LabelId, Stmt, StmtKind, TypeId};
use hardbop_lang_c::ast::{ExprId, StmtId};
use std::collections::BTreeMap;

/// The cases of a switch so far.
#[derive(Debug)]
pub(crate) struct Cases {
    /// The promoted type of the value.
    ty: TypeId,
    /// In order of writing.
    list: Vec<Case>,
    /// The ranges by their first value: the last value, and where it stands.
    ranges: BTreeMap<i128, (i128, Span)>,
    default: Option<(LabelId, Span)>,
}

#[derive(Debug)]
struct Case {
    low: i128,
    high: i128,
    label: LabelId,
    span: Span,
}

impl Unit<'_> {
    pub(super) fn switch(&mut self, value: ExprId, body: StmtId, span: Span) {
        let value_span = self.ast.exprs[value].span;
        let value = self.value(value);
        let mut value = self.promote(value);
        if !self.module.types.is_integer(value.ty) {
            let text = self.type_text(value.ty);
            value = self.wrong("wrong-operands", format!("a switch takes an integer, not {text}"), value_span);
        }
        let cases = Cases { ty: value.ty, list: Vec::new(), ranges: BTreeMap::new(), default: None };
        self.activation().flow.switches.push(cases);
        self.open();
        let around = self.inside(Jump::Label(None), None, body);
        let block = self.close();
        let cases = self.activation().flow.switches.pop().expect("what was pushed is there");
        // The tests are a single row of conditions: nothing changes a variable between them.
        let tests: usize = cases.list.iter().map(|case| 1 + usize::from(case.low != case.high)).sum();
        if tests > 1 && !is_variable_or_constant(&value) {
            value = self.saved(value, value_span);
        } else if tests == 0 {
            self.discard(value.clone(), value_span);
        }
        for case in &cases.list {
            self.test(case, &value);
        }
        if block.is_empty() {
            return;
        }
        let end = match cases.default {
            Some((label, span)) => {
                self.emit(StmtKind::Goto(label), span);
                around.at_break
            }
            None => {
                let end = match around.at_break {
                    Jump::Label(Some(label)) => label,
                    _ => self.new_label("end"),
                };
                self.emit(StmtKind::Goto(end), span);
                Jump::Label(Some(end))
            }
        };
        for Stmt { kind, span } in block {
            self.emit(kind, span);
        }
        self.land(end, span);
    }

    fn test(&mut self, case: &Case, value: &Expr) {
        let (low, high) = (self.integer(case.low, value.ty), self.integer(case.high, value.ty));
        let goto = vec![Stmt { kind: StmtKind::Goto(case.label), span: case.span }];
        let types = &mut self.module.types;
        let test = if case.low == case.high {
            StmtKind::If(Expr::binary(BinaryOp::Eq, value.clone(), low, types), goto, Vec::new())
        } else {
            let above = Expr::binary(BinaryOp::Ge, value.clone(), low, types);
            let below = Expr::binary(BinaryOp::Le, value.clone(), high, types);
            let inner = Stmt { kind: StmtKind::If(below, goto, Vec::new()), span: case.span };
            StmtKind::If(above, vec![inner], Vec::new())
        };
        self.emit(test, case.span);
    }

    pub(super) fn case(&mut self, low: ExprId, high: Option<ExprId>, span: Span) {
        let Some(ty) = self.activation().flow.switches.last().map(|cases| cases.ty) else {
            self.findings.add(Diagnostic::error("stray-case", "`case` stands in no switch", span));
            return;
        };
        let Some(first) = self.case_value(low, ty) else { return };
        let last = match high {
            Some(high) => match self.case_value(high, ty) {
                Some(last) => last,
                None => return,
            },
            None => first,
        };
        let low_span = self.ast.exprs[low].span;
        let is_unsigned = self.module.types.int_kind(ty) == Some(IntKind::UnsignedInt128);
        let is_empty = if is_unsigned { (first as u128) > (last as u128) } else { first > last };
        let label = self.case_label(&first.to_string());
        self.emit(StmtKind::Label(label), low_span);
        if is_empty {
            let warning = Diagnostic::warning("empty-range", "this range of cases is empty", low_span);
            return self.findings.add(warning);
        }
        let cases = self.activation().flow.switches.last_mut().expect("looked at above");
        let before = cases.ranges.range(..=last).next_back().map(|(_, &(end, place))| (end, place));
        if let Some((end, place)) = before
            && end >= first
        {
            let duplicate =
                Diagnostic::error("duplicate-case", format!("the case {first} stands here twice"), low_span);
            return self.findings.add(duplicate.related("first", place));
        }
        cases.ranges.insert(first, (last, low_span));
        cases.list.push(Case { low: first, high: last, label, span: low_span });
    }

    /// Names of labels say which case they are where that is a word.
    fn case_label(&mut self, value: &str) -> LabelId {
        match value.strip_prefix('-') {
            Some(digits) => self.new_label(&format!("case_minus_{digits}")),
            None => self.new_label(&format!("case_{value}")),
        }
    }

    fn case_value(&mut self, value: ExprId, ty: TypeId) -> Option<i128> {
        let found = self.integer_constant(value);
        if found.is_none() {
            let span = self.ast.exprs[value].span;
            self.type_of(value);
            self.findings.add(Diagnostic::error("not-constant", "a case must be an integer constant", span));
        }
        self.integer(found?, ty).as_integer()
    }

    pub(super) fn default_case(&mut self, span: Span) {
        let span = Span::new(span.start, (span.start + 7).min(span.end));
        let Some(cases) = self.activation().flow.switches.last() else {
            self.findings.add(Diagnostic::error("stray-case", "`default` stands in no switch", span));
            return;
        };
        if let Some((_, first)) = cases.default {
            let duplicate = Diagnostic::error("duplicate-case", "a switch has one `default`", span);
            return self.findings.add(duplicate.related("first", first));
        }
        let label = self.new_label("default");
        if let Some(cases) = self.activation().flow.switches.last_mut() {
            cases.default = Some((label, span));
        }
        self.emit(StmtKind::Label(label), span);
    }
}

/// Whether reading the value several times in a row is no more work than reading it once.
fn is_variable_or_constant(value: &Expr) -> bool {
    use hardbop_c_core::ExprKind;
    match &value.kind {
        ExprKind::Integer(_) => true,
        ExprKind::Read(place) => place.as_var().is_some(),
        _ => false,
    }
}
