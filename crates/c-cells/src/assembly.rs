//! Assembly: nobody knows what it does, but what it reads and what it may write.

use super::cells::{Access, CellId};
use super::externals::External;
use super::shapes::{Assignment, Shape, Shaper, assignment};
use super::sources::SourceKind;
use hardbop_c_core as c;
use hardbop_c_core::parts::part;
use hardbop_c_core::{ExprKind, FunctionId, Place};
use std::collections::BTreeSet;

impl<'m> Shaper<'_, 'm> {
    /// Assembly that writes memory may write whatever it has by name or address, too.
    pub(super) fn assembly(&mut self, function: FunctionId, asm: &'m c::Asm) -> Shape<'m> {
        if let Some((place, value)) = passed_on(asm) {
            return Shape::Assign(self.assign(function, place, value));
        }
        let (mut read, behind) = self.read_by_assembly(function, asm);
        // What it makes of that is open, but it is made of that.
        let made = |read: &[CellId], ty| match read {
            [] => SourceKind::Other,
            _ => SourceKind::Copy(Access::among(read, ty)),
        };
        let mut lost: Vec<Assignment<'m>> = Vec::new();
        for (_, _, place) in &asm.outputs {
            lost.extend(self.lose(function, place, &made(&read, place.ty)));
        }
        // One without instructions keeps the compiler from moving others.
        if !asm.clobbers.iter().any(|clobber| clobber == "memory") || asm.text.trim_ascii().is_empty() {
            return if lost.is_empty() { Shape::Skip } else { Shape::Assign(lost) };
        }
        for (_, constraint, value) in &asm.inputs {
            if let (true, ExprKind::Read(place)) = (constraint.contains('m'), &value.kind) {
                lost.extend(self.lose(function, place, &made(&read, place.ty)));
            }
        }
        let is_part = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_');
        let words: BTreeSet<&[u8]> = asm.text.split(is_part).collect();
        let module = self.module();
        // A symbol may have more in it than names in C.
        let is_word = |symbol: &str| symbol.as_bytes().split(is_part).all(|word| words.contains(word));
        let is_named = |variable: &c::Variable| {
            let mut others = variable.other_names.iter();
            let is_lasting = variable.kind.owner().is_none();
            is_lasting && (is_word(variable.linker_name()) || others.any(|other| is_word(&other.symbol)))
        };
        let named = module.vars.iter_enumerated().filter(|(_, variable)| is_named(variable));
        for (var, variable) in named {
            let place = Place::var(var, variable.ty.ty);
            for leaf in self.cells.leaves(place.ty).iter() {
                let target = self.cells.access(&part(&place, leaf));
                lost.push(assignment(target, made(&read, leaf.ty)));
            }
        }
        read.extend(&behind);
        let carried = |cell: CellId| {
            let target = Access { is_certain: false, ..self.cells.whole(cell) };
            assignment(target.clone(), made(&read, target.ty))
        };
        let carries = behind.into_iter().map(carried).collect();
        Shape::External(Box::new(External { carries, ..External::assembly(lost) }))
    }

    /// What assembly reads, and what is behind the pointers among that.
    fn read_by_assembly(&mut self, function: FunctionId, asm: &'m c::Asm) -> (Vec<CellId>, Vec<CellId>) {
        let mut places: Vec<&'m Place> = asm.changed().collect();
        let mut behind = Vec::new();
        for (_, _, value) in &asm.inputs {
            value.visit_places(&mut |place, _| places.push(place));
            let targets = self.cells.subject.points_to.points_to_expr(value);
            behind.extend(self.cells_behind(&targets, None));
        }
        let read = places.into_iter().flat_map(|place| self.cells_of(function, place)).collect();
        (read, behind)
    }
}

/// What assembly without instructions hands on: its output is its input, though compilers are not to know that.
fn passed_on(asm: &c::Asm) -> Option<(&Place, &c::Expr)> {
    let ([(_, _, place)], [(_, constraint, value)]) = (&asm.outputs[..], &asm.inputs[..]) else { return None };
    let is_same = asm.text.trim_ascii().is_empty() && constraint == "0" && place.ty == value.ty;
    is_same.then_some((place, value))
}
