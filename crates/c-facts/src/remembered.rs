//! Which places behind pointers a function remembers: `p->f`, in its own words.
//!
//! A copy of what is there is worth its facts where the place is spoken of twice. So it is in a function that does so
//! itself, and in two of which one calls the other and hands the pointer on: what `check(p)` finds out about `p->f` is
//! known to its caller only if both remember it, since each has a copy and the call makes these the same.

use super::cells::{CellId, Home};
use super::shapes::{Shaper, SourceKind, for_each_place};
use hardbop_base::{Budget, Exhausted};
use hardbop_c_core::expr::PlaceUse;
use hardbop_c_core::parts::offset_of;
use hardbop_c_core::{FunctionId, Place, Stmt, TypeId};
use hardbop_c_graph::Action;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What is so far behind a pointer, as a value of a type.
type Behind = (CellId, u64, TypeId);

/// The places that each function remembers.
#[derive(Default)]
pub(crate) struct Remembered(FxHashSet<(FunctionId, Behind)>);

impl Remembered {
    /// Whether `function` remembers what is there.
    pub(crate) fn contains(&self, function: FunctionId, pointer: CellId, offset: u64, ty: TypeId) -> bool {
        self.0.contains(&(function, (pointer, offset, ty)))
    }

    /// Finds them.
    pub(crate) fn find(shaper: &mut Shaper<'_, '_>, budget: &Budget) -> Result<Self, Exhausted> {
        let graph = shaper.cells.subject.graph;
        let (mut mentions, mut calls) = (Mentions::default(), Vec::new());
        for (edge, &action) in graph.actions.iter_enumerated() {
            budget.spend(1)?;
            let Some(function) = shaper.function(edge) else { continue };
            for behind in spoken_of(shaper, function, action) {
                *mentions.entry(function).or_default().entry(behind).or_default() += 1;
            }
            if let Action::Call(stmt, callee) = action {
                calls.push((function, stmt, callee));
            }
        }
        let twice = mentions.iter().flat_map(|(&function, all)| {
            all.iter().filter(|(_, count)| **count > 1).map(move |(&behind, _)| (function, behind))
        });
        let mut found = Self(twice.collect());
        for (caller, stmt, callee) in calls {
            budget.spend(1)?;
            found.hand_on(shaper, &mentions, (caller, stmt, callee));
        }
        Ok(found)
    }

    /// What a caller and what it calls both speak of, behind pointers that are the same.
    fn hand_on<'m>(
        &mut self,
        shaper: &mut Shaper<'_, 'm>,
        mentions: &Mentions,
        (caller, stmt, callee): (FunctionId, &'m Stmt, FunctionId),
    ) {
        let (Some(callers), Some(callees)) = (mentions.get(&caller), mentions.get(&callee)) else { return };
        let given = shaper.given(caller, stmt, callee);
        let given: FxHashMap<CellId, CellId> = given
            .iter()
            .filter_map(|one| match &one.source.kind {
                SourceKind::Copy(from) if from.is_certain => Some((one.target.spots[0].cell, from.spots[0].cell)),
                _ => None,
            })
            .collect();
        for &(pointer, offset, ty) in callees.keys() {
            let own = match shaper.cells.rows[pointer].home {
                Home::Global => Some(pointer),
                _ => given.get(&pointer).copied(),
            };
            if let Some(own) = own.filter(|&own| callers.contains_key(&(own, offset, ty))) {
                self.0.insert((caller, (own, offset, ty)));
                self.0.insert((callee, (pointer, offset, ty)));
            }
        }
    }
}

/// How often each place is spoken of in a function.
type Mentions = BTreeMap<FunctionId, BTreeMap<Behind, u32>>;

fn spoken_of<'m>(shaper: &mut Shaper<'_, 'm>, function: FunctionId, action: Action<'m>) -> Vec<Behind> {
    let mut places: Vec<&'m Place> = Vec::new();
    for_each_place(action, &mut |place, usage| {
        if usage != PlaceUse::Address && place.is_deref() {
            places.push(place);
        }
    });
    let behind = places.into_iter().filter_map(|place| {
        let pointer = shaper.pointer(function, place)?;
        Some((pointer, offset_of(shaper.module(), place)?, place.ty))
    });
    behind.collect()
}
