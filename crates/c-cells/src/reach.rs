//! What can be reached by any number of pointers, and what a function that nobody knows may write.
//!
//! `reach(P)` is the least set with the bytes that a string at each of the places `P` can be in, and with `reach` of all
//! that pointers among these point to. Memory of code outside is one thing, which stands for all that is reached there.

use super::cells::CellId;
use super::externals::pointee;
use super::shapes::Shaper;
use hardbop_c_core::{Expr, Qualified, TypeId};
use hardbop_points_to::{Cell, Target};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Pointers that are followed.
struct Step {
    targets: Vec<Target>,
    /// The type of what is there.
    pointee: Option<TypeId>,
    access: Write,
}

/// Whether something is written through a pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Write {
    Allowed,
    /// The pointer is one to constants. What pointers among these point to may be written all the same.
    Forbidden,
}

impl<'m> Shaper<'_, 'm> {
    /// What can be reached from these places: the scalars, and what stands for the objects themselves.
    pub fn reached(&mut self, starts: BTreeSet<Target>) -> BTreeSet<CellId> {
        let mut found = BTreeSet::new();
        let mut open: Vec<Target> = starts.iter().copied().collect();
        let mut seen: FxHashSet<Target> = starts.into_iter().collect();
        while let Some(target) = open.pop() {
            if self.is_text(target) {
                continue;
            }
            found.extend(self.object(target));
            let bytes = self.bytes_of_string(target);
            for part in self.parts_in(target.object, &bytes) {
                found.extend(self.cells.all_of(part));
                let held = self.held_in(part);
                open.extend(held.into_iter().filter(|&target| seen.insert(target)));
            }
        }
        found
    }

    /// What a function that nobody knows may write if it is given these values.
    pub(crate) fn written_through(&mut self, arguments: &'m [Expr]) -> BTreeSet<CellId> {
        let (points_to, types) = (self.cells.subject.points_to, &self.module().types);
        let mut open = Vec::new();
        for argument in arguments {
            let declared = types.pointee(argument.ty);
            open.extend(declared.map(|declared| Step {
                targets: points_to.points_to_expr(argument),
                pointee: pointee(self, argument),
                access: write_to(declared),
            }));
        }
        let (mut written, mut seen): (BTreeSet<CellId>, FxHashSet<Cell>) = (BTreeSet::new(), FxHashSet::default());
        while let Some(Step { targets, pointee, access }) = open.pop() {
            if access == Write::Allowed {
                written.extend(self.cells_behind(&targets, pointee));
                let is_outside = targets.iter().any(|target| target.object == points_to.unknown());
                written.extend(is_outside.then(|| self.cells.outside_objects()));
            }
            for part in targets.iter().flat_map(|&target| self.parts_behind_one(target, pointee)).collect::<Vec<_>>() {
                let targets = if seen.insert(part) { self.held_in(part) } else { Vec::new() };
                if targets.is_empty() {
                    continue;
                }
                let declared = self.cells.scalar(part).and_then(|leaf| types.pointee(leaf.ty));
                let access = declared.map_or(Write::Allowed, write_to);
                open.push(Step { targets, pointee: declared.map(|declared| declared.ty), access });
            }
        }
        written
    }

    /// Where the pointer that a part holds may point. That bytes from outside are a pointer to there is not thought of.
    fn held_in(&mut self, part: Cell) -> Vec<Target> {
        let (points_to, types) = (self.cells.subject.points_to, &self.module().types);
        let mut held = points_to.points_to_cell(part);
        let size = self.cells.scalar(part).and_then(|leaf| types.size_of(leaf.ty));
        let is_narrow = size.is_some_and(|size| size < types.pointer_size());
        held.retain(|target| !is_narrow || target.object != points_to.unknown());
        held
    }
}

fn write_to(pointee: Qualified) -> Write {
    if pointee.qualifiers.is_const { Write::Forbidden } else { Write::Allowed }
}
