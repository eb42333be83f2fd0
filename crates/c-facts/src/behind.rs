//! The objects behind a pointer, and when each is meant.

use super::chosen::Aim;
use super::scribe::{Label, Scribe};
use super::things::{Member, Thing, When};
use hardbop_c_cells::{CellId, Home};
use hardbop_c_core::TypeId;
use hardbop_icfg::ExprId;
use hardbop_points_to::{Offset, Target};

impl<'m> Scribe<'_, 'm> {
    /// The objects that a pointer with these targets may point to.
    pub(crate) fn objects_behind(
        &mut self,
        pointer: &Thing<'m>,
        targets: &[Target],
        pointee: Option<TypeId>,
    ) -> Vec<(CellId, Member<'m>)> {
        let Some(aims) = self.facts.aims() else { return self.untold_behind(pointer, targets) };
        let (named, others): (Vec<Target>, Vec<Target>) = targets.iter().partition(|&&target| aims.is_named(target));
        let is_sure = others.is_empty() && named.len() == 1;
        let possible = aims.possible(&self.shaper.cells, Some(&others), pointee, 0);
        let mut found = Vec::new();
        for target in named.into_iter().chain(possible) {
            let Some(cell) = self.object(target) else { continue };
            let thing = if is_sure { named_by(pointer, cell) } else { Thing::Cell(cell) };
            let when = if is_sure { When::Sure } else { aimed(pointer, Aim::Place(target)) };
            found.push((cell, Member { thing, when }));
        }
        if let (false, Some(cell)) = (others.is_empty(), self.shaper.cells.chosen()) {
            found.push((cell, Member { thing: named_by(pointer, cell), when: aimed(pointer, Aim::Before(0)) }));
        }
        found
    }

    /// The same where no object is chosen: one cell stands for all that are not told apart.
    fn untold_behind(&mut self, pointer: &Thing<'m>, targets: &[Target]) -> Vec<(CellId, Member<'m>)> {
        let is_one = matches!(targets[..], [Target { offset: Offset::At(_), .. }]);
        let mut found: Vec<CellId> = targets.iter().filter_map(|&target| self.object(target)).collect();
        found.sort_unstable();
        found.dedup();
        let is_one = is_one && found.len() == 1;
        let member = |cell: CellId| {
            let is_sure = is_one && self.shaper.cells.rows[cell].home != Home::Summary;
            match is_sure {
                true => Member { thing: named_by(pointer, cell), when: When::Sure },
                false => Member { thing: Thing::Cell(cell), when: When::certain(is_one) },
            }
        };
        found.into_iter().map(|cell| (cell, member(cell))).collect()
    }

    /// What a pointer may point to.
    pub(crate) fn held_by(&self, cell: CellId) -> Vec<Target> {
        self.shaper.cells.held(cell).unwrap_or_else(|| {
            let unknown = Target { object: self.shaper.cells.subject.points_to.unknown(), offset: Offset::Any };
            let named = self.facts.aims().into_iter().flat_map(|aims| aims.named());
            [unknown].into_iter().chain(named).collect()
        })
    }

    /// What must be true for a member of a set to be meant, where facts tell.
    pub(crate) fn guard(&mut self, when: &When<'m>, label: &mut Label) -> Option<ExprId> {
        let When::Aimed(aims) = when else { return None };
        let mut parts = Vec::new();
        for (pointer, aim) in aims {
            let object = self.aim_of(pointer, label);
            parts.push(self.is_aim(&object, *aim, label));
        }
        Some(self.builder.all(parts))
    }
}

/// The object behind a pointer, called after it.
fn named_by<'m>(pointer: &Thing<'m>, cell: CellId) -> Thing<'m> {
    match pointer {
        Thing::Value(source) => Thing::Behind(cell, source.clone()),
        _ => Thing::Cell(cell),
    }
}

fn aimed<'m>(pointer: &Thing<'m>, aim: Aim) -> When<'m> {
    match pointer {
        Thing::Value(_) | Thing::Place(_) | Thing::Cell(_) => When::Aimed(vec![(pointer.clone(), aim)]),
        _ => When::Perhaps,
    }
}
