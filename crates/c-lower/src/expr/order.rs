//! What must be saved before what: values that are computed, and effects that come after them.
//!
//! A value is an expression without effects; it is read only where it ends up. Between the two, statements may be
//! emitted. [`Effects`] counts statements and remembers when a variable or memory last changed, so that a value knows
//! whether it would still read the same.
//!
//! **Invariant:** a value reads through at most one pointer.

use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::stmt::visit_block;
use hardbop_c_core::{Base, Expr, ExprKind, Place, PlaceUse, Projection, Stmt, StmtKind, VarId, VarKind};
use rustc_hash::FxHashMap;

/// When things last changed, in statements emitted.
#[derive(Default, Debug)]
pub(crate) struct Effects {
    now: u32,
    /// Something unknown was written: by a call, through a pointer, by assembly.
    memory: u32,
    /// A variable was written that pointers may point to.
    exposed: u32,
    written: FxHashMap<VarId, u32>,
}

/// A point between statements: where it is, and when it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    position: usize,
    time: u32,
}

impl Unit<'_> {
    /// The point before the next statement.
    pub fn mark(&mut self) -> Mark {
        match &self.function {
            Some(function) => Mark { position: function.position(), time: function.effects.now },
            None => Mark { position: 0, time: 0 },
        }
    }

    /// Whether anything was emitted since.
    pub fn is_quiet_since(&mut self, mark: Mark) -> bool {
        self.mark().time == mark.time
    }

    /// Takes note of what a statement changes.
    pub fn note_effects(&mut self, kind: &StmtKind) {
        self.activation().effects.now += 1;
        match kind {
            StmtKind::Assign(place, _) | StmtKind::Zero(place) => self.note_write(place),
            StmtKind::Call { result, .. } | StmtKind::NextArgument { result, .. } => {
                self.note_memory();
                result.iter().for_each(|place| self.note_write(place));
            }
            StmtKind::Asm(asm) => {
                self.note_memory();
                asm.outputs.iter().for_each(|(_, _, place)| self.note_write(place));
            }
            StmtKind::Unmodelled(_) => self.note_memory(),
            StmtKind::Fresh(var) => self.note_variable(*var),
            _ => {}
        }
    }

    fn note_memory(&mut self) {
        let effects = &mut self.activation().effects;
        effects.memory = effects.now;
    }

    fn note_write(&mut self, place: &Place) {
        match &place.base {
            Base::Var(var) => self.note_variable(*var),
            Base::Deref(_) => self.note_memory(),
        }
    }

    fn note_variable(&mut self, var: VarId) {
        let is_exposed = self.is_exposed(var);
        let effects = &mut self.activation().effects;
        effects.written.insert(var, effects.now);
        if is_exposed {
            effects.exposed = effects.now;
        }
    }

    /// Whether a call or a store through a pointer may change `var`.
    pub fn is_exposed(&self, var: VarId) -> bool {
        let variable = &self.module.vars[var];
        match variable.kind {
            VarKind::Global(_) | VarKind::StaticLocal(_) => true,
            VarKind::Literal => false,
            VarKind::Parameter(_) | VarKind::Local(_) | VarKind::Temporary(_) => {
                variable.is_address_taken || variable.ty.qualifiers.is_volatile
            }
        }
    }

    /// Whether reading `place` gives something else than at `mark`; its pointer and indexes included.
    fn is_stale(&self, place: &Place, mark: Mark) -> bool {
        let Some(function) = &self.function else { return false };
        let effects = &function.effects;
        if effects.now == mark.time {
            return false;
        }
        let base = match &place.base {
            Base::Var(var) => {
                effects.written.get(var).is_some_and(|&time| time > mark.time)
                    || effects.memory > mark.time && self.is_exposed(*var)
            }
            Base::Deref(pointer) => {
                effects.memory.max(effects.exposed) > mark.time || self.has_stale_read(pointer, mark)
            }
        };
        base || place.path.iter().any(|step| match step {
            Projection::Field(_) => false,
            Projection::Index(index) => self.has_stale_read(index, mark),
        })
    }

    fn has_stale_read(&self, expr: &Expr, mark: Mark) -> bool {
        match &expr.kind {
            ExprKind::Read(place) => self.is_stale(place, mark),
            ExprKind::Address(place) => {
                let steps = place
                    .path
                    .iter()
                    .any(|step| matches!(step, Projection::Index(index) if self.has_stale_read(index, mark)));
                steps || matches!(&place.base, Base::Deref(pointer) if self.has_stale_read(pointer, mark))
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.has_stale_read(operand, mark),
            ExprKind::Binary(_, left, right) => self.has_stale_read(left, mark) || self.has_stale_read(right, mark),
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_) | ExprKind::Label(_) => false,
        }
    }

    /// Makes `value`, computed at `mark`, independent of what was emitted since.
    pub fn keep(&mut self, value: &mut Expr, mark: Mark, span: Span) {
        if self.is_quiet_since(mark) {
            return;
        }
        match &mut value.kind {
            ExprKind::Read(place) => {
                if self.is_stale(place, mark) {
                    *value = self.saved_at(value.clone(), mark, span);
                }
            }
            ExprKind::Address(place) => self.keep_place(place, mark, span),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.keep(operand, mark, span),
            ExprKind::Binary(_, left, right) => {
                self.keep(left, mark, span);
                self.keep(right, mark, span);
            }
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_) | ExprKind::Label(_) => {}
        }
    }

    /// Like [`Unit::keep`]. A long sum whose parts have effects is saved piece by piece, so that it is not walked anew
    /// for each part.
    pub fn keep_left(&mut self, value: &mut Expr, mark: Mark, span: Span) {
        if self.is_quiet_since(mark) {
            return;
        }
        match left_height(value) > MAX_KEPT {
            true => *value = self.saved_at(value.clone(), mark, span),
            false => self.keep(value, mark, span),
        }
    }

    /// Makes the way to `place`, found at `mark`, independent of what was emitted since.
    pub fn keep_place(&mut self, place: &mut Place, mark: Mark, span: Span) {
        if let Base::Deref(pointer) = &mut place.base {
            self.keep(pointer, mark, span);
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step {
                self.keep(index, mark, span);
            }
        }
    }

    /// A temporary that takes `value` at `mark`.
    fn saved_at(&mut self, value: Expr, mark: Mark, span: Span) -> Expr {
        let (ty, text) = (value.ty, self.text_of(&value));
        let place = self.temporary_for(&value, &text, span);
        let stmt = Stmt { kind: StmtKind::Assign(place.clone(), value), span };
        self.activation().insert(mark.position, stmt);
        Expr { kind: ExprKind::Read(place), ty }
    }

    /// Makes sure that `left` and `right` together read through one pointer at most: what `left` reads is saved. So it is
    /// if both read what may change by itself.
    pub fn part(&mut self, left: &mut Expr, right: &Expr, span: Span) {
        if reads_through_pointer(right) {
            self.read_now(left, span);
        }
        if self.reads_changing(right) && self.reads_changing(left) {
            *left = self.saved(left.clone(), span);
        }
    }

    /// Sees to it that all values together read through one pointer at most, and one reads what may change by itself: the
    /// last that does stays as it is.
    pub fn parted(&mut self, mut values: Vec<Expr>, span: Span) -> Vec<Expr> {
        let last = values.iter().rposition(reads_through_pointer);
        for value in values.iter_mut().take(last.unwrap_or(0)) {
            self.read_now(value, span);
        }
        let last = values.iter().rposition(|value| self.reads_changing(value));
        for value in values.iter_mut().take(last.unwrap_or(0)) {
            if self.reads_changing(value) {
                *value = self.saved(value.clone(), span);
            }
        }
        values
    }

    /// Whether what is read may change by itself, so that each read is one of its own.
    pub fn reads_changing(&self, value: &Expr) -> bool {
        let mut found = false;
        value.visit_places(&mut |place, usage| found |= usage == PlaceUse::Read && self.module.is_changing(place));
        found
    }

    /// Saves what `value` reads through a pointer in a temporary, now.
    pub fn read_now(&mut self, value: &mut Expr, span: Span) {
        match &mut value.kind {
            ExprKind::Read(Place { base: Base::Deref(_), .. }) => *value = self.saved(value.clone(), span),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.read_now(operand, span),
            // Only one of the two does.
            ExprKind::Binary(_, left, right) => match reads_through_pointer(right) {
                true => self.read_now(right, span),
                false => self.read_now(left, span),
            },
            _ => {}
        }
    }

    /// Lets what reads `var` since `before` read it at `before`, too: C leaves open whether one part of an object is
    /// there when the next is computed.
    pub fn read_before(&mut self, var: VarId, before: Mark) {
        let is_fixed = |step: &Projection| match step {
            Projection::Field(_) => true,
            Projection::Index(index) => index.as_integer().is_some(),
        };
        let mut reads = Vec::new();
        visit_block(self.activation().since(before.position), &mut |stmt| {
            stmt.visit_own_places(&mut |place, usage| {
                let is_own = matches!(place.base, Base::Var(base) if base == var);
                if usage == PlaceUse::Read && is_own && place.path.iter().all(is_fixed) {
                    reads.push((place.clone(), stmt.span));
                }
            });
        });
        for (place, span) in reads.into_iter().rev() {
            self.saved_at(Expr::read(place), before, span);
        }
    }

    /// A temporary that takes `value` now.
    pub fn saved(&mut self, value: Expr, span: Span) -> Expr {
        let text = self.text_of(&value);
        self.saved_as(value, &text, span)
    }

    /// A temporary for `text` that takes `value` now.
    pub fn saved_as(&mut self, value: Expr, text: &str, span: Span) -> Expr {
        let ty = value.ty;
        let place = self.temporary_for(&value, text, span);
        self.emit(StmtKind::Assign(place.clone(), value), span);
        Expr { kind: ExprKind::Read(place), ty }
    }

    /// The place of a new temporary for `value`; that of a bit-field is still one of so many bits.
    fn temporary_for(&mut self, value: &Expr, text: &str, span: Span) -> Place {
        let var = self.temporary(value.ty, text, span);
        if let Some(bits) = self.value_bits(value) {
            self.narrow.insert(var, bits);
        }
        Place::var(var, value.ty)
    }

    /// The place of a new temporary.
    pub fn temporary_place(&mut self, ty: hardbop_c_core::TypeId, text: &str, span: Span) -> Place {
        Place { base: Base::Var(self.temporary(ty, text, span)), path: Vec::new(), ty }
    }
}

/// The length of a sum that is kept as it is beside effects.
const MAX_KEPT: usize = 40;

/// How many operators follow each other down the left side, as far as it matters.
fn left_height(expr: &Expr) -> usize {
    let mut next = expr;
    for height in 0..=MAX_KEPT {
        match &next.kind {
            ExprKind::Binary(_, left, _) => next = left,
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => next = operand,
            _ => return height,
        }
    }
    MAX_KEPT + 1
}

/// Whether memory is read through a pointer.
pub(crate) fn reads_through_pointer(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(place) => matches!(place.base, Base::Deref(_)),
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => reads_through_pointer(operand),
        // The right one first: chains lean to the left.
        ExprKind::Binary(_, left, right) => reads_through_pointer(right) || reads_through_pointer(left),
        ExprKind::Address(_)
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Function(_)
        | ExprKind::Label(_) => false,
    }
}
