//! Places: variables, elements of arrays and members of structures, read and written.

use super::Lowering;
use super::expr::{Term, Value};
use crate::rem::ast::{self, ExprKind, Ident};
use crate::rem::names::Symbol;
use crate::rem::roles::{DatumId, Kin};
use crate::rem::scope::{Meaning, Reported, VariableId};
use crate::rem::types::{Type, TypeId, bits_for};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::{Diagnostic, Idx, Span};
use hardbop_icfg::ExprId;
use hardbop_icfg::words::{Moment, Word};

/// Where a value is: which scalar is its first depends on the values of some indexes.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) kind: TypeId,
    pub(super) moment: Moment,
    /// Its first scalar where all open indexes are those of the first elements.
    pub(super) first: DatumId,
    open: Vec<OpenIndex>,
    /// Where all indexes have a value and are in range.
    pub(super) defined: ExprId,
}

/// An index that is no constant.
#[derive(Clone, Debug)]
struct OpenIndex {
    /// Counted from the first element.
    index: Word,
    len: usize,
    /// How many scalars an element has.
    stride: usize,
}

/// A scalar that a place may be, and when it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) datum: DatumId,
    pub(super) condition: ExprId,
}

impl Place {
    /// Whether it depends on the state which scalars it is.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }
}

impl Lowering<'_> {
    /// The place that `id` names.
    pub(super) fn place(&mut self, id: ast::ExprId) -> Result<Place, Reported> {
        let expr = self.ast.exprs[id];
        match expr.kind {
            ExprKind::Name(name, primes) => {
                let name = Ident { name, span: expr.span };
                if self.bound(name.name).is_some() {
                    return Err(self.not_a_variable(name));
                }
                match self.meaning(name, primes)? {
                    (Meaning::Variable(variable), moment) => Ok(self.whole(variable, moment)),
                    (Meaning::Constant(_), _) => Err(self.not_a_variable(name)),
                }
            }
            ExprKind::Index(base, index) => {
                let place = self.place(base)?;
                self.element(place, index, self.ast.exprs[base].span)
            }
            ExprKind::Member(base, member) => {
                let place = self.place(base)?;
                self.member(place, member)
            }
            _ => {
                let message = "a variable is needed here";
                Err(self.scopes.report(Diagnostic::error("type-mismatch", message, expr.span)))
            }
        }
    }

    fn not_a_variable(&mut self, name: Ident) -> Reported {
        let message = format!("`{}` is a constant, not a variable", self.ast.text(name));
        self.scopes.report(Diagnostic::error("not-a-variable", message, name.span))
    }

    /// All of a variable.
    pub(super) fn whole(&mut self, variable: VariableId, moment: Moment) -> Place {
        let defined = self.words.constant(true);
        let variable = self.scopes.variables[variable];
        Place { kind: variable.kind, moment, first: variable.first, open: Vec::new(), defined }
    }

    fn element(&mut self, place: Place, id: ast::ExprId, base: Span) -> Result<Place, Reported> {
        let &Type::Array { low, len, of } = self.scopes.types.get(place.kind) else {
            let message = format!("this is {}, which has no elements", self.scopes.types.sort(place.kind).text());
            return Err(self.scopes.report(Diagnostic::error("type-mismatch", message, base)));
        };
        let value = self.expr(id)?;
        let index = self.natural(&value, id)?;
        self.scopes.roles.unite(value.kin, Some(Kin::counter()));
        let stride = self.scopes.types.scalars(of);
        let defined = self.words.and(place.defined, value.defined);
        if let Some(constant) = self.words.value_of(&index) {
            return Ok(self.fixed_element(Place { defined, kind: of, ..place }, id, constant, (low, len, stride)));
        }
        let low = self.words.number(low);
        let from_first = match self.words.sub(&index, &low) {
            Ok(from_first) => from_first,
            Err(cause) => return Err(self.too_large(cause, base)),
        };
        let count = self.words.number(len as u64);
        let below = self.words.less(&from_first.word, &count);
        let defined = self.words.all([defined, from_first.defined, below]);
        let mut open = place.open;
        open.push(OpenIndex { index: from_first.word, len, stride });
        Ok(Place { kind: of, open, defined, ..place })
    }

    /// Element `index` of `place`, which has the element's type already.
    fn fixed_element(
        &mut self,
        place: Place,
        id: ast::ExprId,
        index: u64,
        (low, len, stride): (u64, usize, usize),
    ) -> Place {
        match index.checked_sub(low).filter(|&row| row < len as u64) {
            Some(row) => Place { first: DatumId::from_usize(place.first.index() + row as usize * stride), ..place },
            None => {
                if self.bound.is_empty() {
                    let last = low + (len as u64 - 1);
                    let message = format!("there are elements {low} to {last}, so this never has a value");
                    let span = self.ast.exprs[id].span;
                    self.scopes.report(Diagnostic::warning("index-out-of-range", message, span));
                }
                Place { defined: self.words.constant(false), ..place }
            }
        }
    }

    fn member(&mut self, place: Place, name: Ident) -> Result<Place, Reported> {
        let Type::Struct { members, .. } = self.scopes.types.get(place.kind) else {
            let message = format!("this is {}, which has no members", self.scopes.types.sort(place.kind).text());
            return Err(self.scopes.report(Diagnostic::error("type-mismatch", message, name.span)));
        };
        if let Some(member) = members.iter().find(|member| member.name == name.name) {
            let first = DatumId::from_usize(place.first.index() + member.offset);
            return Ok(Place { kind: member.kind, first, ..place });
        }
        let text = |name: Symbol| self.ast.names.text(name);
        let suggestion = did_you_mean(self.ast.text(name), members.iter().map(|member| text(member.name)));
        let message = format!("there is no member `{}`{suggestion}", self.ast.text(name));
        Err(self.scopes.report(Diagnostic::error("undefined-member", message, name.span)))
    }

    /// Scalar `offset` of what is in `place`.
    pub(super) fn read(&mut self, place: &Place, offset: usize) -> Value {
        let first = DatumId::from_usize(place.first.index() + offset);
        let word = self.choose(place, &place.open, first);
        let is_boolean = matches!(self.scopes.types.get(self.scopes.scalars[first]), Type::Bool);
        let term = if is_boolean { Term::Bool(self.words.bit_of(&word, 0)) } else { Term::Number(word) };
        Value { term, defined: place.defined, kin: Some(Kin::of(first)) }
    }

    fn choose(&mut self, place: &Place, open: &[OpenIndex], first: DatumId) -> Word {
        let Some((outer, inner)) = open.split_first() else {
            return self.words.variable(&self.scopes.data[first].bits, place.moment);
        };
        let rows = (0..outer.len).map(|row| {
            let first = DatumId::from_usize(first.index() + row * outer.stride);
            self.choose(place, inner, first)
        });
        let rows: Vec<Word> = rows.collect();
        self.words.select(&rows, &outer.index).word
    }

    /// All scalars that scalar `offset` of `place` may be.
    pub(super) fn candidates(&mut self, place: &Place, offset: usize) -> Vec<Candidate> {
        let first = DatumId::from_usize(place.first.index() + offset);
        let mut candidates = vec![Candidate { datum: first, condition: self.words.constant(true) }];
        for open in &place.open {
            let mut further = Vec::with_capacity(candidates.len() * open.len);
            for (row, is_row) in self.rows(open).into_iter().enumerate() {
                for candidate in &candidates {
                    let datum = DatumId::from_usize(candidate.datum.index() + row * open.stride);
                    let condition = self.words.and(candidate.condition, is_row);
                    further.push(Candidate { datum, condition });
                }
            }
            candidates = further;
        }
        candidates
    }

    /// For each element, whether the index is that of it. Where the index is out of range the answer does not matter.
    fn rows(&mut self, open: &OpenIndex) -> Vec<ExprId> {
        let mut rows = vec![self.words.constant(true)];
        let width = if open.len == 1 { 0 } else { bits_for(open.len as u64) };
        for level in (0..width).rev() {
            let is_odd = self.words.bit_of(&open.index, level);
            let is_even = self.words.not(is_odd);
            let halves =
                rows.iter().flat_map(|&row| [(row, is_even), (row, is_odd)]).take(open.len.div_ceil(1 << level));
            let halves: Vec<(ExprId, ExprId)> = halves.collect();
            rows = halves.into_iter().map(|(row, half)| self.words.and(row, half)).collect();
        }
        rows
    }
}
