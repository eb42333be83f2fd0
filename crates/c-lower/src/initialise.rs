//! Initialisers: which part of an object each value is for.
//!
//! A first walk over the braces finds the parts, with elided braces, designators and strings, and evaluates nothing;
//! [`fixed`] makes of them what a static object starts with, [`local`] the statements that fill an automatic one. A
//! part is written once, so that a table takes time and room in proportion to its text, not to its size.

mod fixed;
mod local;

use crate::declare::unit_count;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{InitialStep, IntKind, Length, RecordKind, Type, TypeId};
use hardbop_lang_c::ast::{
    Designator, ExprId, ExprKind, InitElement, InitList, Initialiser, StringId, StringLiteral, UnaryOp, Units,
};
use rustc_hash::FxHashMap;

/// What initialises an object.
#[derive(Clone, Copy)]
enum Source<'b> {
    Expr(ExprId),
    List(&'b InitList),
}

/// How long the object lives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Static,
    Automatic,
}

/// Whether the parts of an object stand in braces of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Braced,
    Elided,
}

/// The parts of an object.
struct Parts {
    storage: Storage,
    list: Vec<Part>,
    /// How many elements the object has, if it is an array.
    length: u64,
    /// The way to the part at hand.
    path: Vec<InitialStep>,
    /// How many unions the way goes through.
    unions: u32,
    /// Whether a part lies inside of a union: then it covers nothing for sure.
    has_unions: bool,
    /// Whether parts may replace others.
    has_designators: bool,
    /// Objects that are initialised as a whole, with the number of parts before them: those inside count no more.
    wholes: Vec<(Vec<InitialStep>, usize)>,
}

/// A part and what it starts with.
struct Part {
    path: Vec<InitialStep>,
    /// Further ways, where something inside of a range has been replaced.
    others: Vec<Vec<InitialStep>>,
    ty: TypeId,
    value: PartValue,
}

#[derive(Clone, Copy)]
enum PartValue {
    Expr(ExprId),
    /// An array of characters.
    String(StringId),
}

/// The elements of a list that are not used yet.
struct Elements<'b> {
    list: &'b [InitElement],
    next: usize,
    /// The designators of the next element have led here.
    is_designated: bool,
    is_excess_known: bool,
}

impl<'b> Elements<'b> {
    fn new(list: &'b [InitElement]) -> Self {
        Self { list, next: 0, is_designated: false, is_excess_known: false }
    }

    fn peek(&self) -> Option<&'b InitElement> {
        self.list.get(self.next)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.is_designated = false;
    }
}

impl<'b> From<&'b Initialiser> for Source<'b> {
    fn from(init: &'b Initialiser) -> Self {
        match init {
            Initialiser::Expr(expr) => Self::Expr(*expr),
            Initialiser::List(list) => Self::List(list),
        }
    }
}

impl Unit<'_> {
    fn parts(&mut self, ty: TypeId, source: Source<'_>, storage: Storage) -> Parts {
        let mut parts = Parts {
            storage,
            list: Vec::new(),
            length: 0,
            path: Vec::new(),
            unions: 0,
            has_unions: false,
            has_designators: false,
            wholes: Vec::new(),
        };
        match source {
            Source::Expr(expr) => self.whole(&mut parts, ty, expr),
            Source::List(list) => parts.length = self.braced(&mut parts, ty, list),
        }
        if parts.has_designators {
            parts.drop_replaced();
        }
        parts
    }

    /// An object that is initialised by an expression without braces around it.
    fn whole(&mut self, parts: &mut Parts, ty: TypeId, expr: ExprId) {
        let ast = self.ast;
        if let Some(string) = self.string_for(ty, expr) {
            parts.length = unit_count(&ast.strings[string]) + 1;
            return parts.push(ty, PartValue::String(string));
        }
        let is_array = self.module.types.is_array(ty);
        match &ast.exprs[expr].kind {
            ExprKind::Compound(_, list) if is_array || parts.storage == Storage::Static && self.is_aggregate(ty) => {
                parts.length = self.braced(parts, ty, list);
            }
            _ if is_array => {
                let message = "an array is initialised by braces or a string";
                self.findings.add(Diagnostic::error("invalid-initialiser", message, ast.exprs[expr].span));
            }
            _ => parts.push(ty, PartValue::Expr(expr)),
        }
    }

    /// An object with braces of its own. The result is how many elements an array has at least.
    fn braced(&mut self, parts: &mut Parts, ty: TypeId, list: &InitList) -> u64 {
        parts.wholes.push((parts.path.clone(), parts.list.len()));
        if let [InitElement { designators, value: Initialiser::Expr(expr) }] = &list.elements[..]
            && designators.is_empty()
            && let Some(string) = self.string_for(ty, *expr)
        {
            parts.push(ty, PartValue::String(string));
            return unit_count(&self.ast.strings[string]) + 1;
        }
        if self.is_aggregate(ty) {
            return self.aggregate(parts, ty, &mut Elements::new(&list.elements), &[], Level::Braced);
        }
        match list.elements.first().map(|element| &element.value) {
            Some(Initialiser::Expr(expr)) => parts.push(ty, PartValue::Expr(*expr)),
            Some(Initialiser::List(inner)) => drop(self.braced(parts, ty, inner)),
            None => {}
        }
        if let Some(excess) = list.elements.get(1) {
            self.excess(excess);
        }
        1
    }

    /// The parts of an aggregate, from elements that may go on after it. `designators` are those of the next element
    /// that lead into it. The result is the number of the last part, plus one.
    fn aggregate(
        &mut self,
        parts: &mut Parts,
        ty: TypeId,
        elements: &mut Elements<'_>,
        designators: &[Designator],
        level: Level,
    ) -> u64 {
        let (count, mut position, mut end) = (self.part_count(ty), 0, 0);
        let mut pending = designators;
        while let Some(element) = elements.peek() {
            let steps = if !pending.is_empty() {
                std::mem::take(&mut pending)
            } else if elements.is_designated || element.designators.is_empty() {
                &[]
            } else if level == Level::Elided {
                break;
            } else {
                parts.has_designators = true;
                elements.is_designated = true;
                &element.designators[..]
            };
            let (step, rest) = match steps.split_first() {
                Some((designator, rest)) => match self.designated(ty, designator) {
                    Some((step, last, true)) => {
                        position = last;
                        (step, rest)
                    }
                    Some((step, last, false)) => {
                        position = last;
                        (step, steps)
                    }
                    None => {
                        elements.advance();
                        continue;
                    }
                },
                None if position >= count && level == Level::Elided => break,
                None if position >= count => {
                    if !std::mem::replace(&mut elements.is_excess_known, true) {
                        self.excess(element);
                    }
                    elements.advance();
                    continue;
                }
                None => (self.initial_step(ty, position), &[][..]),
            };
            let before = elements.next;
            self.initialised_part(parts, ty, step, elements, rest);
            position = position.saturating_add(1);
            end = end.max(position);
            if elements.next == before && !matches!(step, InitialStep::Field(_)) {
                // Elements without parts take nothing, however many there are.
                position = count;
            }
        }
        end
    }

    /// One part of the aggregate at hand: `step` leads there, and `designators` further in.
    fn initialised_part(
        &mut self,
        parts: &mut Parts,
        outer: TypeId,
        step: InitialStep,
        elements: &mut Elements<'_>,
        designators: &[Designator],
    ) {
        let is_union = u32::from(self.is_union(outer));
        let ty = self.part_type(outer, step);
        parts.path.push(step);
        parts.unions += is_union;
        if designators.is_empty() {
            self.initialised_element(parts, ty, elements);
        } else if self.is_aggregate(ty) {
            self.aggregate(parts, ty, elements, designators, Level::Elided);
        } else {
            if let Some(element) = elements.peek() {
                let message = "the designator leads into what has no parts";
                self.findings.add(Diagnostic::error("invalid-designator", message, self.span_of(element)));
            }
            elements.advance();
        }
        parts.unions -= is_union;
        parts.path.pop();
    }

    /// An object that takes the next element, or as many as it has parts.
    fn initialised_element(&mut self, parts: &mut Parts, ty: TypeId, elements: &mut Elements<'_>) {
        let Some(element) = elements.peek() else {
            return;
        };
        match &element.value {
            Initialiser::List(list) => {
                elements.advance();
                self.braced(parts, ty, list);
            }
            Initialiser::Expr(expr) => {
                let expr = *expr;
                let ast = self.ast;
                if let Some(string) = self.string_for(ty, expr) {
                    elements.advance();
                    return parts.push(ty, PartValue::String(string));
                }
                if !self.is_aggregate(ty) {
                    elements.advance();
                    return parts.push(ty, PartValue::Expr(expr));
                }
                if !self.is_value_of(ty, expr) {
                    self.aggregate(parts, ty, elements, &[], Level::Elided);
                    return;
                }
                elements.advance();
                match &ast.exprs[expr].kind {
                    ExprKind::Compound(_, list) if parts.storage == Storage::Static => {
                        self.braced(parts, ty, list);
                    }
                    _ => parts.push(ty, PartValue::Expr(expr)),
                }
            }
        }
    }

    /// Whether the expression initialises the aggregate as a whole.
    fn is_value_of(&mut self, ty: TypeId, expr: ExprId) -> bool {
        // Most elements of tables are numbers, and their types need not be asked for.
        let is_plain = match &self.ast.exprs[expr].kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::String(_) => true,
            ExprKind::Unary(op, _) => matches!(op, UnaryOp::AddressOf | UnaryOp::Not),
            _ => false,
        };
        if is_plain || self.module.types.is_array(ty) {
            return false;
        }
        let value = self.type_of(expr).ty;
        match (self.module.types.get(ty), self.module.types.get(value)) {
            (Type::Record(left), Type::Record(right)) => left == right,
            (Type::Vector(..), Type::Vector(..)) => true,
            _ => false,
        }
    }

    /// The string that `expr` is, if the type is an array that a string can initialise.
    fn string_for(&mut self, ty: TypeId, expr: ExprId) -> Option<StringId> {
        let ExprKind::String(string) = self.ast.exprs[expr].kind else {
            return None;
        };
        let Type::Array(element, _) = *self.module.types.get(ty) else {
            return None;
        };
        let literal: &StringLiteral = &self.ast.strings[string];
        let kind = self.module.types.int_kind(element.ty)?;
        let unit = self.unit_kind(literal.encoding);
        let is_narrow = matches!(literal.units, Units::Bytes(_));
        let fits = self.module.types.int_size(kind) == self.module.types.int_size(unit);
        let is_bool = kind == IntKind::Bool;
        (fits && !is_bool && is_narrow == (self.module.types.int_size(kind) == 1)).then_some(string)
    }

    /// Where a designator leads from an object: the step, its last index, and whether it leads all the way or only to
    /// an anonymous member that has what is meant.
    fn designated(&mut self, ty: TypeId, designator: &Designator) -> Option<(InitialStep, u64, bool)> {
        match *designator {
            Designator::Member(name) => {
                let text = &*self.ast.names[name.name];
                let record = self.module.types.record(ty);
                match record.and_then(|record| self.module.types.find_field(record, text)) {
                    Some(path) => Some((InitialStep::Field(path[0]), path[0].into(), path.len() == 1)),
                    None => {
                        let message = format!("there is no member `{text}` to initialise");
                        self.findings.add(Diagnostic::error("no-such-member", message, name.span));
                        None
                    }
                }
            }
            Designator::Index(expr) => {
                let index = self.designated_index(ty, expr)?;
                Some((InitialStep::Index(index), index, true))
            }
            Designator::Range(first, last) => {
                let span = self.ast.exprs[first].span;
                let (first, last) = (self.designated_index(ty, first)?, self.designated_index(ty, last)?);
                if first > last {
                    let message = "the range of elements is empty";
                    self.findings.add(Diagnostic::error("invalid-designator", message, span));
                    return None;
                }
                Some((elements(first, last), last, true))
            }
        }
    }

    fn designated_index(&mut self, ty: TypeId, expr: ExprId) -> Option<u64> {
        let span = self.ast.exprs[expr].span;
        let count = match self.module.types.get(ty) {
            Type::Array(..) | Type::Vector(..) => self.part_count(ty),
            _ => 0,
        };
        let index = self.integer_constant(expr).and_then(|index| u64::try_from(index).ok());
        if index.is_none_or(|index| index >= count) {
            let message = "the designator is no constant index of an array that has this element";
            self.findings.add(Diagnostic::error("invalid-designator", message, span));
            return None;
        }
        index
    }

    fn excess(&mut self, element: &InitElement) {
        let span = self.span_of(element);
        self.findings.add(Diagnostic::warning("excess-initialiser", "there is nothing left to initialise", span));
    }

    fn span_of(&self, element: &InitElement) -> Span {
        match &element.value {
            Initialiser::Expr(expr) => self.ast.exprs[*expr].span,
            Initialiser::List(list) => list.span,
        }
    }

    fn is_union(&self, ty: TypeId) -> bool {
        self.module.types.record(ty).is_some_and(|record| self.module.types.records[record].kind == RecordKind::Union)
    }

    fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(self.module.types.get(ty), Type::Array(..) | Type::Vector(..) | Type::Record(_))
    }

    /// How many parts are initialised in order.
    fn part_count(&self, ty: TypeId) -> u64 {
        match *self.module.types.get(ty) {
            Type::Array(_, Length::Fixed(length)) | Type::Vector(_, length) => length,
            Type::Array(..) => u64::MAX,
            Type::Record(record) => {
                let fields = self.module.types.body(record).map_or(0, |body| body.fields.len() as u64);
                if self.is_union(ty) { fields.min(1) } else { fields }
            }
            _ => 0,
        }
    }

    fn initial_step(&self, ty: TypeId, position: u64) -> InitialStep {
        match self.module.types.get(ty) {
            Type::Record(_) => InitialStep::Field(position as u32),
            _ => InitialStep::Index(position),
        }
    }

    fn part_type(&self, ty: TypeId, step: InitialStep) -> TypeId {
        match step {
            InitialStep::Field(field) => self.module.types.field(ty, field).ty.ty,
            InitialStep::Index(_) | InitialStep::Range(..) => {
                self.module.types.element(ty).expect("only arrays and vectors have elements").ty
            }
        }
    }
}

impl Part {
    fn paths(&self) -> impl Iterator<Item = &[InitialStep]> {
        self.others.iter().chain([&self.path]).map(Vec::as_slice)
    }
}

impl Parts {
    fn push(&mut self, ty: TypeId, value: PartValue) {
        self.has_unions |= self.unions > 0;
        self.list.push(Part { path: self.path.clone(), others: Vec::new(), ty, value });
    }

    /// Drops the parts that a later initialiser of a whole they lie in replaces.
    fn drop_replaced(&mut self) {
        let mut wholes: FxHashMap<&[InitialStep], usize> = FxHashMap::default();
        for (path, before) in &self.wholes {
            let known = wholes.entry(path).or_default();
            *known = (*known).max(*before);
        }
        for (index, part) in self.list.iter().enumerate() {
            let known = wholes.entry(&part.path).or_default();
            *known = (*known).max(index);
        }
        let mut opened: FxHashMap<&[InitialStep], usize> = FxHashMap::default();
        for (index, part) in self.list.iter().enumerate() {
            for length in 0..part.path.len() {
                opened.insert(&part.path[..length], index);
            }
        }
        let ranged: Vec<&(Vec<InitialStep>, usize)> = self.wholes.iter().filter(|(path, _)| has_range(path)).collect();
        let left_of = |(index, part): (usize, &Part)| {
            let is_in_later = |length: usize| wholes.get(&part.path[..length]).is_some_and(|&before| before > index);
            // A value for a whole counts for nothing, as gcc has it, if parts of that follow.
            let has_later_parts = opened.get(&part.path[..]).is_some_and(|&other| other > index);
            let is_replaced = has_later_parts || (0..=part.path.len()).any(is_in_later);
            match (is_replaced, has_range(&part.path)) {
                (true, _) => Vec::new(),
                (false, true) => pieces(index, &part.path, self.wholes.iter()),
                (false, false) => pieces(index, &part.path, ranged.iter().copied()),
            }
        };
        let left: Vec<_> = self.list.iter().enumerate().map(left_of).collect();
        let parts = std::mem::take(&mut self.list).into_iter().zip(left);
        self.list = parts
            .filter_map(|(part, left)| {
                let (path, others) = left.split_last()?;
                Some(Part { path: path.clone(), others: others.to_vec(), ..part })
            })
            .collect();
    }
}

fn has_range(path: &[InitialStep]) -> bool {
    path.iter().any(|step| matches!(step, InitialStep::Range(..)))
}

/// What is left of a part where ranges are concerned: those of `wholes` that come later may replace some of its elements.
fn pieces<'a>(
    index: usize,
    path: &[InitialStep],
    wholes: impl Iterator<Item = &'a (Vec<InitialStep>, usize)>,
) -> Vec<Vec<InitialStep>> {
    let later = wholes.filter(|(whole, before)| *before > index && reaches(path, whole));
    later.fold(vec![path.to_vec()], |pieces, (whole, _)| {
        pieces.into_iter().flat_map(|piece| outside(piece, whole)).collect()
    })
}

/// Whether something that `path` leads to lies in an object that `whole` leads to.
fn reaches(path: &[InitialStep], whole: &[InitialStep]) -> bool {
    path.len() >= whole.len() && path.iter().zip(whole).all(|(step, other)| step.meets(*other))
}

/// The pieces of what `path` leads to that do not lie in the object that `whole` leads to.
fn outside(path: Vec<InitialStep>, whole: &[InitialStep]) -> Vec<Vec<InitialStep>> {
    if !reaches(&path, whole) {
        return vec![path];
    }
    let (mut pieces, mut common) = (Vec::new(), path);
    for (level, &other) in whole.iter().enumerate() {
        let ((first, last), (from, to)) = (common[level].bounds(), other.bounds());
        let mut piece = |first: u64, last: u64| {
            let mut piece = common.clone();
            piece[level] = elements(first, last);
            pieces.push(piece);
        };
        if first < from {
            piece(first, from - 1);
        }
        if to < last {
            piece(to + 1, last);
        }
        if !matches!(common[level], InitialStep::Field(_)) {
            common[level] = elements(first.max(from), last.min(to));
        }
    }
    pieces
}

/// The step to these elements.
fn elements(first: u64, last: u64) -> InitialStep {
    if first == last { InitialStep::Index(first) } else { InitialStep::Range(first, last) }
}
