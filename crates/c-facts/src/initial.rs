//! What holds where a run starts.

use super::chosen::{Aim, AimList};
use super::facts::{FactRow, Known};
use super::objects::Object;
use super::scribe::{Label, Number, Scribe, Value};
use super::things::Bindings;
use super::tuples::{About, thing_of};
use hardbop_c_cells::{CellId, Home, Origin, Source, SourceKind};
use hardbop_c_core::{Bits, Expr, FunctionId, InitialStep, InitialValue, Length, Module, Type, TypeId, VarId, VarKind};
use hardbop_icfg::expr::{Expr as Node, Possible};
use hardbop_icfg::words::{Moment, Word};
use hardbop_icfg::{ExprId, Scope, Transition, VarId as FactVar};
use hardbop_lang_flow::tree::{Direction, FamilyId, SetKind};
use hardbop_points_to::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The values that a cell starts with.
#[derive(Clone, Default, Debug)]
struct Starts<'m> {
    values: Vec<Source<'m>>,
    /// It is memory of code outside.
    is_outside: bool,
    /// Code outside may write it.
    is_known_outside: bool,
    /// It is defined elsewhere, or is not of one type.
    is_elsewhere: bool,
    is_open: bool,
}

impl<'m> Scribe<'_, 'm> {
    /// What must be true of the first state.
    pub(crate) fn initial(&mut self) -> Transition {
        let mut label = Label::default();
        let starts = self.starts();
        let mut parts = Vec::new();
        let rows = self.facts.rows.clone();
        for row in &rows {
            let (true, [About::Cell(cell)]) = (self.families.contains(&row.family), &row.about[..]) else {
                parts.extend(self.tuple_start(row));
                continue;
            };
            if !self.shaper.is_shared(*cell) {
                continue;
            }
            let start = starts.get(cell).cloned().unwrap_or_default();
            parts.extend(self.start_of(row.family, *cell, &row.known, &start, &mut label));
        }
        let all = self.builder.all(parts);
        let constraint = (self.builder.constant_of(all) != Some(true)).then_some(all);
        Transition { guard: None, updates: Vec::new(), constraint, choices: label.choices.count }
    }

    fn tuple_start(&mut self, row: &FactRow) -> Option<ExprId> {
        let is_global = |var: &FactVar| self.facts.vars[*var].scope == Scope::Global;
        if !row.known.bits().iter().all(is_global) {
            return None;
        }
        let value = self.initial_of(row.family, &row.about).and_then(|value| self.possible_value(&value).definite());
        match row.known {
            Known::Flag(var) => value.map(|value| self.is(var, value)),
            Known::May { yes, no } => {
                let (can_be_true, can_be_false) = (value != Some(false), value != Some(true));
                let (yes, no) = (self.is(yes, can_be_true), self.is(no, can_be_false));
                Some(self.builder.and(yes, no))
            }
            Known::Number(..) | Known::Target(..) => None,
        }
    }

    /// The truth values that a fact can have at the start, of what is known everywhere.
    pub(crate) fn possible_starts(&mut self) -> Vec<(FactVar, Possible)> {
        let mut label = Label::default();
        let starts = self.starts();
        let mut found = Vec::new();
        for row in self.facts.rows.clone() {
            let Known::Flag(var) = row.known else { continue };
            if self.facts.vars[var].scope != Scope::Global {
                continue;
            }
            let possible = match row.about[..] {
                [About::Cell(cell)] if self.analysis.direction == Direction::Forward => {
                    let start = starts.get(&cell).cloned().unwrap_or_default();
                    self.possible(row.family, cell, &start, &mut label)
                }
                _ => match self.initial_of(row.family, &row.about) {
                    Some(value) => self.possible_value(&value),
                    None => Possible::ANY,
                },
            };
            // Where nothing was ever stored, it is anything.
            let is_known = possible.can_be_true || possible.can_be_false;
            found.push((var, if is_known { possible } else { Possible::ANY }));
        }
        found
    }

    fn start_of(
        &mut self,
        family: FamilyId,
        cell: CellId,
        known: &Known,
        start: &Starts<'m>,
        label: &mut Label,
    ) -> Option<ExprId> {
        match known {
            Known::Flag(var) => {
                let possible = self.possible(family, cell, start, label);
                possible.definite().map(|value| self.is(*var, value))
            }
            Known::May { yes, no } => {
                let possible = match self.is_handed_over(cell) {
                    true => Possible { can_be_false: false, can_be_true: false },
                    false => self.possible(family, cell, start, label),
                };
                let (yes, no) = (self.is(*yes, possible.can_be_true), self.is(*no, possible.can_be_false));
                Some(self.builder.and(yes, no))
            }
            Known::Number(range, bits) => {
                let said = self.initial_of(family, &[About::Cell(cell)]);
                let said = said.or_else(|| match &start.values[..] {
                    [source] => Some(self.value_of(family, source, label)),
                    _ => None,
                });
                let Some(Value::Number(Number::Constant(value))) = said else { return None };
                let word = range.constant(&mut self.builder, range.wrap(value));
                let held = self.builder.variable(bits, Moment::Next);
                Some(self.builder.equal(&held, &word))
            }
            Known::Target(targets, bits) => {
                let held = self.builder.variable(bits, Moment::Next);
                if let [source] = &start.values[..]
                    && let Value::Object(Object::Is(target)) = self.value_of(family, source, label)
                    && let Some(code) = targets.code(Aim::Place(target))
                {
                    return Some(self.has_code(&held, code));
                }
                self.points_to_what_is_there(targets, &held)
            }
        }
    }

    /// Nothing points to what is not there yet, and code outside only to what it knows.
    fn points_to_what_is_there(&mut self, targets: &AimList, held: &Word) -> Option<ExprId> {
        let chosen = self.facts.chosen()?;
        let (exists, is_known) = (self.is(chosen.exists, true), self.is(chosen.has_escaped, true));
        let can_be = if targets.is_from_outside() { self.builder.and(exists, is_known) } else { exists };
        let codes = targets.iter().enumerate().filter(|(_, aim)| matches!(aim, Aim::Before(_)));
        let parts = codes.map(|(code, _)| {
            let is_it = self.has_code(held, code);
            self.builder.implies(is_it, can_be)
        });
        let parts: Vec<ExprId> = parts.collect();
        Some(self.builder.all(parts))
    }

    /// Whether it is a part of a parameter that gets what it is given when the function begins.
    fn is_handed_over(&self, cell: CellId) -> bool {
        self.shaper.cells.is_spread(cell) && self.is_in(SetKind::Parameters, cell, None)
    }

    fn is(&mut self, var: FactVar, value: bool) -> ExprId {
        let var = self.builder.read(var, Moment::Next);
        if value { var } else { self.builder.not(var) }
    }

    /// The truth values that a fact can start with.
    fn possible(&mut self, family: FamilyId, cell: CellId, start: &Starts<'m>, label: &mut Label) -> Possible {
        if let Some(value) = self.initial_of(family, &[About::Cell(cell)]) {
            return self.possible_value(&value);
        }
        let mut possible = Possible { can_be_false: start.is_open, can_be_true: start.is_open };
        for source in start.values.iter().filter(|_| !start.is_open) {
            let value = self.value_of(family, source, label);
            possible = union(possible, self.possible_value(&value));
        }
        // Only rules say what becomes of objects, and a variable has some value at the start.
        let is_about_objects = self.is_about_objects(family);
        if start.is_elsewhere && is_about_objects {
            let some = Source { kind: SourceKind::Other, expr: None, ty: self.shaper.cells.whole(cell).ty };
            let value = self.value_of(family, &some, label);
            possible = union(possible, self.possible_value(&value));
        }
        let is_written = start.is_known_outside || start.is_elsewhere;
        if start.is_outside || is_written && !is_about_objects {
            possible = union(possible, self.allowed(family, Origin::Memory(cell)));
        }
        let is_one = self.shaper.cells.rows[cell].home == Home::Global;
        // A variable of which nothing is said may be anything.
        if is_one && !possible.can_be_false && !possible.can_be_true { Possible::ANY } else { possible }
    }

    fn possible_value(&self, value: &Value) -> Possible {
        match value {
            Value::Truth(value) => self.builder.exprs().possible(*value, &|leaf| match leaf {
                Node::Const(value) => Possible::only(value),
                _ => Possible::ANY,
            }),
            _ => Possible::ANY,
        }
    }

    /// What the analysis says that a fact is at the start.
    pub(crate) fn initial_of(&mut self, family: FamilyId, about: &[About]) -> Option<Value> {
        let analysis = self.analysis;
        let mut said = None;
        let here = self.here.take();
        for update in analysis.initially.iter().filter(|update| update.target.family == family) {
            let mut bindings = Bindings::new();
            let arguments = update.target.arguments.iter().zip(about);
            let fits = arguments.into_iter().all(|(meta, one)| self.bind(meta.id, thing_of(*one), &mut bindings));
            let is_meant = fits
                && update.binders.iter().all(|binder| {
                    let sort = analysis.sort(binder.meta.id);
                    match bindings.get(&binder.meta.id).cloned() {
                        Some(thing) => self.is_of_sort(&thing, sort) && self.is_member(&thing, &binder.set, &bindings),
                        None => true,
                    }
                });
            if is_meant {
                said = Some((update, bindings));
            }
        }
        let said = said.map(|(update, bindings)| {
            // The choices are those of nobody: what is anything at the start is not asked for by name.
            self.value(family, &update.value, &bindings, &mut Label::default())
        });
        self.here = here;
        said.filter(|value| !matches!(value, Value::Truth(value) if self.builder.constant_of(*value).is_none()))
    }

    /// What the program says that each cell starts with.
    fn starts(&mut self) -> BTreeMap<CellId, Starts<'m>> {
        let subject = self.shaper.cells.subject;
        let mut starts: BTreeMap<CellId, Starts<'m>> = BTreeMap::new();
        // Variables of functions that lost their body are spoken of nowhere.
        let is_there = |owner: FunctionId| subject.module.functions[owner].body.is_some();
        for (var, variable) in subject.module.vars.iter_enumerated() {
            if !variable.kind.owner().is_none_or(is_there) {
                continue;
            }
            let object = subject.points_to.variable(var);
            let cells: Vec<Cell> = subject.points_to.cells(object).collect();
            for cell in cells {
                for id in self.shaper.cells.all_of(cell) {
                    self.start_in(var, cell, id, starts.entry(id).or_default());
                    if let Some(outside) = self.shaper.cells.constant_outside(id) {
                        let values = starts[&id].values.clone();
                        starts.entry(outside).or_default().values.extend(values);
                    }
                }
            }
        }
        for (id, row) in self.shaper.cells.rows.iter_enumerated() {
            let start = starts.entry(id).or_default();
            start.is_outside |= self.shaper.cells.is_outside(id) || self.shaper.cells.is_argument(id);
            start.is_known_outside |= row.has_escaped && row.home == Home::Summary;
        }
        starts
    }

    /// Adds what one of the cells that a variable consists of starts with.
    fn start_in(&mut self, var: VarId, cell: Cell, id: CellId, start: &mut Starts<'m>) {
        let variable = &self.shaper.cells.subject.module.vars[var];
        match (variable.kind.owner(), &variable.init) {
            (Some(_), _) => start.is_open |= self.shaper.cells.rows[id].home == Home::Global,
            (None, None) if matches!(variable.kind, VarKind::Literal) => {
                start.values.push(Source { kind: SourceKind::Other, expr: None, ty: variable.ty.ty });
            }
            (None, None) => start.is_elsewhere = true,
            (None, Some(_)) => {
                if let Some((_, bits)) = self.shaper.cells.seen_in(id) {
                    match self.initialised_view(var, id, cell.offset, &bits) {
                        Some(value) => start.values.push(value),
                        None => start.is_open = true,
                    }
                    return;
                }
                let values = self.initialised(var, cell.offset);
                // What is in a union has some value, whichever member it is.
                start.is_elsewhere |= values.is_empty();
                start.values.extend(values);
            }
        }
    }

    /// What an initialiser puts in one of several scalars that share the cell at a byte, as far as that is clear.
    fn initialised_view(&mut self, var: VarId, view: CellId, byte: u64, bits: &Range<u64>) -> Option<Source<'m>> {
        let module = self.shaper.cells.subject.module;
        let (variable, ty) = (&module.vars[var], self.shaper.cells.rows[view].ty?);
        let first = byte.checked_mul(8)?;
        let bits = first + bits.start..first + bits.end;
        let mut found = None;
        for part in &variable.init.as_ref()?.parts {
            let place = walk(module, variable.ty.ty, &part.path)?;
            let own = place.bits(module)?;
            match &part.value {
                // The order in which they are written is not thought about.
                _ if own.start >= bits.end || bits.start >= own.end => {}
                InitialValue::Expr(expr) if own == bits && place.ty == ty && found.is_none() => {
                    found = Some(self.constant_source(expr));
                }
                _ => return None,
            }
        }
        let is_pointer = module.types.is_pointer(ty);
        let kind = if is_pointer { SourceKind::Null } else { SourceKind::Number(0) };
        Some(found.unwrap_or(Source { kind, expr: None, ty }))
    }

    /// What an initialiser puts at a byte, elements of arrays counted as the first; zero where it says nothing.
    fn initialised(&mut self, var: VarId, offset: u64) -> Vec<Source<'m>> {
        let module = self.shaper.cells.subject.module;
        let variable = &module.vars[var];
        let Some(init) = &variable.init else { return Vec::new() };
        let Some(leaf) = self.shaper.cells.leaf(variable.ty.ty, offset) else { return Vec::new() };
        let mut values: BTreeMap<&'m [InitialStep], Source<'m>> = BTreeMap::new();
        let mut covered = Covered::default();
        let mut is_bytes = false;
        for part in &init.parts {
            let Some(place) = walk(module, variable.ty.ty, &part.path) else { continue };
            match &part.value {
                InitialValue::Expr(expr) if place.offset == offset && place.ty == leaf.ty => {
                    values.insert(&part.path, self.constant_source(expr));
                    covered.add(&part.path);
                }
                // Another member of a union.
                InitialValue::Expr(expr) if place.offset == offset => {
                    values.insert(&part.path, Source { kind: SourceKind::Other, expr: None, ty: expr.ty });
                }
                InitialValue::Bytes(_) if place.offset == offset => is_bytes = true,
                _ => {}
            }
        }
        let total = elements(module, variable.ty.ty, &leaf.steps);
        let mut all: Vec<Source<'m>> = values.into_values().collect();
        if is_bytes {
            all.push(Source { kind: SourceKind::Other, expr: None, ty: leaf.ty });
        } else if total.is_none_or(|total| covered.count < total) {
            let kind = if module.types.is_pointer(leaf.ty) { SourceKind::Null } else { SourceKind::Number(0) };
            all.push(Source { kind, expr: None, ty: leaf.ty });
        }
        all
    }

    fn constant_source(&mut self, expr: &'m Expr) -> Source<'m> {
        // A constant reads no variable, so that it does not matter which function it stands in.
        self.shaper.source(hardbop_base::Idx::from_usize(0), expr)
    }
}

fn union(left: Possible, right: Possible) -> Possible {
    Possible { can_be_false: left.can_be_false | right.can_be_false, can_be_true: left.can_be_true | right.can_be_true }
}

/// How many elements are initialised for certain.
#[derive(Default)]
struct Covered<'m> {
    count: u64,
    single: BTreeSet<&'m [InitialStep]>,
    ranges: Vec<&'m [InitialStep]>,
}

impl<'m> Covered<'m> {
    /// Counts what a path leads to, unless some of it is counted already.
    fn add(&mut self, path: &'m [InitialStep]) {
        let sizes = path.iter().map(|step| {
            let (first, last) = step.bounds();
            last - first + 1
        });
        let size = sizes.fold(1, u64::saturating_mul);
        if self.ranges.iter().any(|other| meet(path, other)) {
            return;
        }
        if size > 1 {
            if self.single.iter().any(|other| meet(path, other)) {
                return;
            }
            self.ranges.push(path);
        } else if !self.single.insert(path) {
            return;
        }
        self.count = self.count.saturating_add(size);
    }
}

/// Whether two paths lead to the same element.
fn meet(left: &[InitialStep], right: &[InitialStep]) -> bool {
    left.iter().zip(right).all(|(left, right)| left.meets(*right))
}

struct Part {
    offset: u64,
    /// The bits of its unit that it is, if it is a bit-field.
    unit: Option<Bits>,
    ty: TypeId,
}

impl Part {
    /// Its bits.
    fn bits(&self, module: &Module) -> Option<Range<u64>> {
        let first = self.offset.checked_mul(8)?;
        Some(match self.unit {
            Some(bits) => first + bits.first..first + bits.first + u64::from(bits.width),
            None => first..first.checked_add(module.types.size_of(self.ty)?.checked_mul(8)?)?,
        })
    }
}

/// Where a path of an initialiser leads, elements counted as the first.
fn walk(module: &Module, ty: TypeId, path: &[InitialStep]) -> Option<Part> {
    let mut part = Part { offset: 0, unit: None, ty };
    for step in path {
        match step {
            InitialStep::Field(index) => {
                let field = module.types.field(part.ty, *index);
                part.offset += field.offset;
                (part.ty, part.unit) = (field.ty.ty, field.bits_in_unit());
            }
            InitialStep::Index(_) | InitialStep::Range(..) => part.ty = module.types.element(part.ty)?.ty,
        }
    }
    Some(part)
}

/// How many scalars a cell stands for.
fn elements(module: &Module, ty: TypeId, steps: &[hardbop_c_core::expr::Projection]) -> Option<u64> {
    use hardbop_c_core::expr::Projection;
    let (mut ty, mut total) = (ty, 1u64);
    for step in steps {
        ty = match step {
            Projection::Field(index) => module.types.field(ty, *index).ty.ty,
            Projection::Index(_) => {
                let Type::Array(element, Length::Fixed(length)) = module.types.get(ty) else { return None };
                total = total.checked_mul(*length)?;
                element.ty
            }
        };
    }
    Some(total)
}
