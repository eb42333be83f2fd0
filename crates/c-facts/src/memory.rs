//! Sets of what is in memory: `memory(p, n)`, `string(p)`, `reach(e)` and `printed(s)`.

use super::scribe::Scribe;
use super::things::{Bindings, Member, Thing, When};
use hardbop_c_cells::{CellId, Shaper, Source, SourceKind};
use hardbop_icfg::EdgeId;
use hardbop_lang_flow::tree::{Length, Set};
use hardbop_points_to::Target;
use std::collections::{BTreeMap, BTreeSet};

impl<'m> Scribe<'_, 'm> {
    /// The scalars from where `thing` points, `length` bytes or to the end, and what stands for the object itself.
    pub(crate) fn memory(&mut self, thing: &Thing<'m>, length: Option<u64>) -> Vec<Member<'m>> {
        let pointer = match thing {
            Thing::Value(source) => source.expr,
            _ => None,
        };
        self.cells_there(thing, |shaper, target| shaper.memory(target, length, pointer))
    }

    /// The number of bytes that a set is of, where it is known.
    pub(crate) fn length_of(&self, set: &Set, bindings: &Bindings<'m>) -> Option<u64> {
        let known = |length: Length| match length {
            Length::Number(number) => u64::try_from(number).ok(),
            Length::Meta(meta) => match bindings.get(&meta.id)? {
                Thing::Value(Source { kind: SourceKind::Number(number), .. }) => u64::try_from(*number).ok(),
                _ => None,
            },
        };
        known(set.length?)?.checked_mul(set.times.map_or(Some(1), known)?)
    }

    /// The scalars of the string that `thing` points to, and what stands for the object itself.
    pub(crate) fn string(&mut self, thing: &Thing<'m>) -> Vec<Member<'m>> {
        self.cells_there(thing, |shaper, target| shaper.string(target))
    }

    /// The scalars that can be reached from `thing`, and what stands for the objects themselves.
    pub(crate) fn reach(&mut self, thing: &Thing<'m>) -> Vec<Member<'m>> {
        let starts: BTreeSet<Target> = self.targets(thing).into_iter().flat_map(|(targets, _)| targets).collect();
        let found = self.shaper.reached(starts);
        found.into_iter().map(Member::perhaps).collect()
    }

    /// The scalars of the strings that the call of an edge prints.
    pub(crate) fn printed(&mut self, edge: EdgeId) -> Vec<Member<'m>> {
        let Some(function) = self.shaper.function(edge) else { return Vec::new() };
        let mut found: BTreeMap<CellId, Member<'m>> = BTreeMap::new();
        for argument in self.shaper.printed(edge) {
            let thing = Thing::Value(self.shaper.source(function, argument));
            for member in self.string(&thing) {
                if let Thing::Cell(cell) = member.thing {
                    join(&mut found, cell, member.when);
                }
            }
        }
        found.into_values().collect()
    }

    fn cells_there(
        &mut self,
        thing: &Thing<'m>,
        mut cells: impl FnMut(&mut Shaper<'_, 'm>, Target) -> Vec<CellId>,
    ) -> Vec<Member<'m>> {
        let mut found: BTreeMap<CellId, Member<'m>> = BTreeMap::new();
        for (targets, _) in self.targets(thing) {
            // The last of them may be written in part.
            let when = if targets.len() == 1 { When::Partly } else { When::Perhaps };
            for target in targets {
                for cell in cells(&mut self.shaper, target) {
                    join(&mut found, cell, when.clone());
                }
            }
        }
        found.into_values().collect()
    }
}

/// Adds a member; what one value means for certain, another need not.
fn join<'m>(found: &mut BTreeMap<CellId, Member<'m>>, cell: CellId, when: When<'m>) {
    let known = found.entry(cell).or_insert_with(|| Member::perhaps(cell));
    if !matches!(when, When::Perhaps) {
        known.when = when;
    }
}
