//! What becomes of the copies of what is behind pointers when these get other values.
//!
//! A pointer may be a copy itself: of `n->next->value` the pointer is what the function remembers of `n->next`. It gets
//! another value when that is written, perhaps by another name, or when its own pointer gets one. A copy is listed after
//! those that lead to it.

use super::scribe::{Label, Reads, Scribe, Value};
use hardbop_c_cells::{Anchor, Assignment, Behind, CellId, Copied, Key, Source, SourceKind};
use hardbop_c_core::FunctionId;
use std::collections::BTreeSet;

/// How what leads to a copy gets another value.
#[derive(Clone, Copy)]
enum Move<'s, 'm> {
    /// It is assigned, and nothing else that leads there is.
    To(&'s Source<'m>),
    /// It is assigned, or something else.
    Perhaps,
    /// It is in memory that may have been written, or behind a pointer that has another value.
    Along,
}

/// Which pointers are still as they were when their values were assigned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All.
    All,
    /// Variables: what is in memory may have been written since.
    Variables,
}

impl<'m> Scribe<'_, 'm> {
    /// Copies of what is behind pointers that get other values. Memory is read as the assignments leave it.
    pub(crate) fn move_copies(&mut self, assignments: &[Assignment<'m>], kept: Kept, label: &mut Label) {
        let Some(function) = label.function else { return };
        label.reads = Reads::After;
        let (mut moves, mut moved) = (Vec::new(), BTreeSet::new());
        // What other copies know is read before any of them is moved.
        for copy in self.shaper.cells.copies[function].clone() {
            let Some(how) = self.how_moved(&copy, assignments, &moved) else { continue };
            let twin = match how {
                Move::To(source) => self.twin_behind(function, &copy, source, kept),
                _ => None,
            };
            let known = twin.map(|twin| self.read_all(twin, label));
            moved.insert(copy.cell);
            moves.push((copy, how, known));
        }
        for (copy, how, known) in moves {
            for (index, family) in self.families.clone().into_iter().enumerate() {
                let value = match &known {
                    Some(known) => known[index].clone(),
                    None => self.read(family, &copy.original, label),
                };
                match how {
                    Move::Perhaps => self.may_set_copy(family, &copy, &value, label),
                    Move::To(_) | Move::Along => self.set(family, copy.cell, &value, label),
                }
            }
        }
        label.reads = Reads::Before;
    }

    fn read_all(&mut self, cell: CellId, label: &mut Label) -> Vec<Value> {
        self.families.clone().into_iter().map(|family| self.read_cell(family, cell, label)).collect()
    }

    fn how_moved<'s>(
        &self,
        copy: &Copied,
        assignments: &'s [Assignment<'m>],
        moved: &BTreeSet<CellId>,
    ) -> Option<Move<'s, 'm>> {
        if copy.behind.leads().any(|lead| moved.contains(&lead) || self.is_perhaps_written(lead, assignments)) {
            return Some(Move::Along);
        }
        let mut leading = assignments.iter().filter(|one| copy.behind.leads().any(|lead| writes(one, lead)));
        let one = leading.next()?;
        let is_one = leading.next().is_none();
        let is_sure = one.target.is_certain || copy.behind.leads().any(|lead| one.target.copy == Some(lead));
        Some(if is_one && is_sure { Move::To(&one.source) } else { Move::Perhaps })
    }

    /// Whether what leads somewhere is in memory that an assignment may write by another name, or shares bytes with what is written.
    fn is_perhaps_written(&self, lead: CellId, assignments: &[Assignment<'m>]) -> bool {
        let cells = &self.shaper.cells;
        if assignments.iter().any(|one| one.target.siblings.contains(&lead)) {
            return true;
        }
        let Key::Copy(function, _) = cells.rows[lead].key else { return false };
        let Some(lead) = cells.copies[function].iter().find(|copy| copy.cell == lead) else { return true };
        let others = assignments.iter().filter(|one| one.target.copy != Some(lead.cell));
        others.into_iter().any(|one| self.may_be_written(&one.target, &lead.original))
    }

    /// The copy of the same place behind the pointer that a value is.
    fn twin_behind(&self, function: FunctionId, copy: &Copied, source: &Source<'m>, kept: Kept) -> Option<CellId> {
        let pointer = match &source.kind {
            SourceKind::Copy(from) if from.is_certain && kept == Kept::Variables => from.spots[0].cell,
            _ if kept == Kept::Variables => return None,
            _ => self.shaper.variable(source)?,
        };
        self.twin(function, copy, pointer)
    }

    /// The copy of the same place behind another pointer.
    pub(crate) fn twin(&self, function: FunctionId, copy: &Copied, pointer: CellId) -> Option<CellId> {
        let anchor = Anchor::Pointer(pointer);
        let is_simple = copy.behind.index.is_none() && copy.behind.pointer().is_some();
        self.shaper.cells.find(Key::Copy(function, Behind { anchor, ..copy.behind })).filter(|_| is_simple)
    }
}

/// Whether an assignment writes a variable, or a place by the name that a copy has.
fn writes(assignment: &Assignment<'_>, cell: CellId) -> bool {
    let target = &assignment.target;
    target.copy == Some(cell) || target.spots.iter().any(|spot| spot.cell == cell)
}
