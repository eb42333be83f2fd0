//! The statements that fill an object of automatic storage.

use super::{Part, PartValue, Parts, Source, Storage};
use crate::declare::unit_count;
use crate::types::Declared;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{
    Base, BinaryOp, Callee, Expr, ExprKind, InitialStep, Length, Linkage, Parameters, Place, Qualified, Qualifiers,
    StmtKind, Type, TypeId, VarId, VarKind,
};
use hardbop_lang_c::ast::{InitList, Initialiser, StringId, TypeName};

/// A string of more characters is copied, not stored one by one.
const LONGEST_STORED_STRING: u64 = 16;

/// A range of more elements is filled by a loop.
const LONGEST_STORED_RANGE: u64 = 8;

impl Unit<'_> {
    /// Emits the statements that give the object at `place` its first value (declared locals, compound literals).
    /// The result is its type, completed where the initialiser says how long an array is.
    pub fn initialise_local(&mut self, place: &Place, ty: Qualified, init: &Initialiser) -> Qualified {
        self.fill(place, ty, init.into())
    }

    /// The object of a compound literal: a local that is filled here, or a static object outside of functions.
    pub fn compound_literal(&mut self, name: &TypeName, list: &InitList, span: Span) -> VarId {
        let ty = self.type_name(name);
        let declared = Declared { ty, align: None, type_align: None };
        let Some(owner) = self.function.as_ref().map(|function| function.id) else {
            let var = self.unnamed_variable(declared, VarKind::Global(Linkage::Internal), span);
            self.initialise_fixed(var, Source::List(list));
            return var;
        };
        let var = self.unnamed_variable(declared, VarKind::Local(owner), span);
        self.activation().locals.push(var);
        self.emit(StmtKind::Fresh(var), span);
        if self.is_variably_modified(ty.ty) {
            let message = "a compound literal whose type depends on a variable is not supported";
            self.findings.add(Diagnostic::error("unsupported-construct", message, span));
            return var;
        }
        self.module.vars[var].ty = self.fill(&Place::var(var, ty.ty), ty, Source::List(list));
        var
    }

    /// The type of a compound literal; nothing is evaluated.
    pub fn compound_type(&mut self, name: &TypeName, list: &InitList) -> Qualified {
        let ty = self.type_name(name);
        if !matches!(self.module.types.get(ty.ty), Type::Array(_, Length::Unknown)) {
            return ty;
        }
        let parts = self.parts(ty.ty, Source::List(list), Storage::Automatic);
        Qualified { ty: self.completed(ty.ty, parts.length), ..ty }
    }

    fn fill(&mut self, place: &Place, ty: Qualified, source: Source<'_>) -> Qualified {
        let parts = self.parts(ty.ty, source, Storage::Automatic);
        let ty = Qualified { ty: self.completed(ty.ty, parts.length), ..ty };
        let place = Place { ty: ty.ty, ..place.clone() };
        // Expressions inside may ask for the size of what they initialise.
        if let Base::Var(var) = place.base
            && place.path.is_empty()
            && !self.is_variably_modified(ty.ty)
        {
            self.module.vars[var].ty = ty;
        }
        let before = self.mark();
        let is_zeroed = !self.is_covered(ty.ty, &parts);
        if is_zeroed {
            let span = match source {
                Source::Expr(expr) => self.ast.exprs[expr].span,
                Source::List(list) => list.span,
            };
            self.emit(StmtKind::Zero(place.clone()), span);
        }
        let skips_zeros = is_zeroed && !parts.has_designators;
        for part in &parts.list {
            self.fill_part(&place, part, skips_zeros);
        }
        if let (Base::Var(var), true) = (place.base, is_zeroed || parts.list.len() > 1) {
            self.read_before(var, before);
        }
        ty
    }

    fn fill_part(&mut self, object: &Place, part: &Part, skips_zeros: bool) {
        let ast = self.ast;
        match part.value {
            PartValue::Expr(expr) => {
                let span = ast.exprs[expr].span;
                let is_number = self.module.types.is_scalar(part.ty);
                if skips_zeros && is_number && self.integer_constant(expr) == Some(0) {
                    return;
                }
                let is_range = part.path.iter().any(|step| matches!(step, InitialStep::Range(..)));
                if is_range || !part.others.is_empty() {
                    let value = self.value_as(expr, part.ty);
                    let value = self.once(value, span);
                    for path in part.paths() {
                        self.fill_range(object.clone(), Target { path, span }, &mut |unit, place| {
                            unit.emit(StmtKind::Assign(place, value.clone()), span);
                        });
                    }
                } else {
                    let place = self.fixed_place(object.clone(), &part.path);
                    self.store(place, expr);
                }
            }
            PartValue::String(string) => {
                let span = ast.strings[string].span;
                for path in part.paths() {
                    self.fill_range(object.clone(), Target { path, span }, &mut |unit, place| {
                        unit.fill_string(place, string, skips_zeros)
                    });
                }
            }
        }
    }

    /// The value in a variable, so that it is computed once; constants are left alone.
    fn once(&mut self, value: Expr, span: Span) -> Expr {
        if matches!(value.kind, ExprKind::Integer(_) | ExprKind::Float(_)) {
            return value;
        }
        let var = self.temporary(value.ty, "element", span);
        let place = Place::var(var, value.ty);
        self.emit(StmtKind::Assign(place.clone(), value), span);
        Expr::read(place)
    }

    fn fixed_place(&mut self, object: Place, path: &[InitialStep]) -> Place {
        path.iter().fold(object, |place, &step| match step {
            InitialStep::Field(field) => place.field(field, &self.module.types),
            InitialStep::Index(index) | InitialStep::Range(index, _) => {
                let index = self.constant_index(index);
                place.index(index, &self.module.types)
            }
        })
    }

    fn constant_index(&mut self, index: u64) -> Expr {
        let kind = self.module.types.difference_kind();
        Expr::integer(index.into(), self.module.types.int(kind))
    }

    /// Emits what `store` does for every place that the path leads to.
    fn fill_range(&mut self, object: Place, target: Target<'_>, store: &mut dyn FnMut(&mut Self, Place)) {
        let first = target.path.iter().position(|step| matches!(step, InitialStep::Range(..)));
        let Some(first) = first else {
            let place = self.fixed_place(object, target.path);
            return store(self, place);
        };
        let InitialStep::Range(low, high) = target.path[first] else {
            unreachable!("the position is that of a range");
        };
        let array = self.fixed_place(object, &target.path[..first]);
        let rest = Target { path: &target.path[first + 1..], ..target };
        if high - low < LONGEST_STORED_RANGE {
            for index in low..=high {
                let index = self.constant_index(index);
                self.fill_range(array.clone().index(index, &self.module.types), rest, store);
            }
            return;
        }
        let (from, to) = (self.constant_index(low), self.constant_index(high));
        let counter = self.temporary(from.ty, "index", target.span);
        let counter = Place::var(counter, from.ty);
        let one = Expr::integer(1, from.ty);
        self.emit(StmtKind::Assign(counter.clone(), from), target.span);
        let condition = Expr::binary(BinaryOp::Le, Expr::read(counter.clone()), to, &mut self.module.types);
        self.open();
        let element = array.index(Expr::read(counter.clone()), &self.module.types);
        self.fill_range(element, rest, store);
        let next = Expr::binary(BinaryOp::Add, Expr::read(counter.clone()), one, &mut self.module.types);
        self.emit(StmtKind::Assign(counter, next), target.span);
        let block = self.close();
        self.emit(StmtKind::While(condition, block), target.span);
    }

    fn fill_string(&mut self, array: Place, string: StringId, skips_zeros: bool) {
        let ast = self.ast;
        let literal = &ast.strings[string];
        let (element, length) = self.string_room(array.ty, string);
        if length > LONGEST_STORED_STRING {
            return self.copy_string(array, string, length);
        }
        let bytes = self.literal_bytes(literal, length);
        let size = bytes.len() / usize::try_from(length.max(1)).expect("a short string is short");
        for (index, unit) in (0..).zip(bytes.chunks(size.max(1))) {
            let unit = unit.iter().rev().fold(0, |value: i128, &byte| value << 8 | i128::from(byte));
            let value = Expr::wrapped(unit, element, &self.module.types);
            if skips_zeros && value.is_zero() {
                continue;
            }
            let index = self.constant_index(index);
            let place = array.clone().index(index, &self.module.types);
            self.emit(StmtKind::Assign(place, value), literal.span);
        }
    }

    fn copy_string(&mut self, array: Place, string: StringId, length: u64) {
        let span = self.ast.strings[string].span;
        let literal = self.literal(string);
        self.module.vars[literal].is_address_taken = true;
        if let Base::Var(var) = array.base {
            self.module.vars[var].is_address_taken = true;
        }
        let element = self.module.types.element(array.ty).expect("a string initialises an array").ty;
        let bytes = self.module.types.size_of(element).unwrap_or(1).saturating_mul(length);
        let types = &mut self.module.types;
        let (void, size) = (types.void(), types.int(types.size_kind()));
        let qualifiers = Qualifiers { is_const: true, ..Qualifiers::NONE };
        let (to, from) = (types.pointer_to(void), types.pointer_to_qualified(Qualified { ty: void, qualifiers }));
        let ty = types.function(to, Parameters::Fixed(vec![to, from, size]));
        let source = self.module.place(literal);
        let types = &mut self.module.types;
        let arguments = vec![
            Expr::decay(array, types).cast(to),
            Expr::decay(source, types).cast(from),
            Expr::integer(bytes.into(), size),
        ];
        let callee = Callee::Function(self.builtin("__builtin_memcpy", ty));
        self.emit(StmtKind::Call { result: None, callee, arguments }, span);
    }

    /// The type of the elements of an array, and how many of them a string sets.
    pub(super) fn string_room(&self, array: TypeId, string: StringId) -> (TypeId, u64) {
        let needed = unit_count(&self.ast.strings[string]) + 1;
        match *self.module.types.get(array) {
            Type::Array(element, Length::Fixed(length)) => (element.ty, needed.min(length)),
            Type::Array(element, _) => (element.ty, needed),
            _ => unreachable!("a string initialises an array"),
        }
    }

    /// Whether the parts set every scalar of the object.
    fn is_covered(&self, ty: TypeId, parts: &Parts) -> bool {
        if let [Part { path, value: PartValue::Expr(_), .. }] = &parts.list[..]
            && path.is_empty()
        {
            return true;
        }
        let has_ranges =
            || parts.list.iter().any(|part| part.path.iter().any(|step| matches!(step, InitialStep::Range(..))));
        if parts.has_unions || parts.has_designators && has_ranges() {
            return false;
        }
        let covered = parts.list.iter().map(|part| match part.value {
            PartValue::Expr(_) => self.scalars(part.ty),
            PartValue::String(string) => self.string_room(part.ty, string).1,
        });
        covered.fold(0, u64::saturating_add) >= self.scalars(ty)
    }

    /// How many scalars an object has; a union counts as one.
    fn scalars(&self, ty: TypeId) -> u64 {
        match *self.module.types.get(ty) {
            Type::Array(element, Length::Fixed(length)) => self.scalars(element.ty).saturating_mul(length),
            Type::Array(..) => 0,
            Type::Vector(_, length) => length,
            Type::Record(_) if self.is_union(ty) => 1,
            Type::Record(record) => {
                let fields = self.module.types.body(record).map_or(&[][..], |body| &body.fields);
                fields.iter().map(|field| self.scalars(field.ty.ty)).fold(0, u64::saturating_add)
            }
            _ => 1,
        }
    }
}

/// What is filled, and where it is written.
#[derive(Clone, Copy)]
struct Target<'p> {
    path: &'p [InitialStep],
    span: Span,
}
