//! Which places behind pointers and in arrays a function remembers: `p->f` and `a[i]`, in its own words.
//!
//! A copy of what is there is worth its facts where the place is spoken of twice. So it is in a function that does so
//! itself, and in two of which one calls the other and hands the pointer on: what `check(p)` finds out about `p->f` is
//! known to its caller only if both remember it, since each has a copy and the call makes these the same.

use super::cells::{CellId, Home};
use super::shapes::{Shaper, Source, SourceKind, for_each_place};
use hardbop_base::{Budget, Exhausted};
use hardbop_c_core::expr::PlaceUse;
use hardbop_c_core::parts::{offset_of, start};
use hardbop_c_core::{Base, BinaryOp, FunctionId, Place, Projection, Stmt, TypeId, VarId};
use hardbop_c_graph::Action;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A place as a function speaks of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Behind {
    /// Where it is counted from.
    pub anchor: Anchor,
    /// What says which element it is of those that are so many bytes long.
    pub index: Option<(CellId, u64)>,
    /// So many bytes further.
    pub offset: u64,
    /// Its type.
    pub ty: TypeId,
}

/// Whether elements of arrays are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    /// They are.
    Remembered,
    /// Of all elements of an array it is known together what they may be.
    Summed,
}

/// Where a place is counted from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Anchor {
    /// What a pointer points to.
    Pointer(CellId),
    /// An array.
    Variable(VarId),
}

impl Behind {
    /// The pointer, if there is one.
    pub fn pointer(&self) -> Option<CellId> {
        match self.anchor {
            Anchor::Pointer(cell) => Some(cell),
            Anchor::Variable(_) => None,
        }
    }

    /// What leads to another place if it gets another value.
    pub fn leads(&self) -> impl Iterator<Item = CellId> + use<> {
        self.pointer().into_iter().chain(self.index.map(|(cell, _)| cell))
    }
}

/// The places that each function remembers.
#[derive(Default)]
pub(crate) struct Remembered(FxHashSet<(FunctionId, Behind)>);

impl Remembered {
    /// Whether `function` remembers what is there.
    pub(crate) fn contains(&self, function: FunctionId, behind: Behind) -> bool {
        self.0.contains(&(function, behind))
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
        for &behind in callees.keys().filter(|behind| behind.index.is_none()) {
            let Anchor::Pointer(pointer) = behind.anchor else { continue };
            let own = match shaper.cells.rows[pointer].home {
                Home::Global => Some(pointer),
                _ => given.get(&pointer).copied(),
            };
            let own = own.map(|own| Behind { anchor: Anchor::Pointer(own), ..behind });
            if let Some(own) = own.filter(|own| callers.contains_key(own)) {
                self.0.insert((caller, own));
                self.0.insert((callee, behind));
            }
        }
    }
}

/// How often each place is spoken of in a function.
type Mentions = BTreeMap<FunctionId, BTreeMap<Behind, u32>>;

fn spoken_of<'m>(shaper: &mut Shaper<'_, 'm>, function: FunctionId, action: Action<'m>) -> Vec<Behind> {
    let mut places: Vec<&'m Place> = Vec::new();
    for_each_place(action, &mut |place, usage| {
        if usage != PlaceUse::Address {
            places.push(place);
        }
    });
    places.into_iter().filter_map(|place| shaper.spoken(function, place)).collect()
}

impl<'m> Shaper<'_, 'm> {
    /// A place behind a pointer or in an array, if what leads there are variables and constants.
    pub(crate) fn spoken(&mut self, function: FunctionId, place: &'m Place) -> Option<Behind> {
        if let Some(pointer) = self.pointer(function, place)
            && let Some(offset) = offset_of(self.module(), place)
        {
            return Some(Behind { anchor: Anchor::Pointer(pointer), index: None, offset, ty: place.ty });
        }
        let is_changing = self.module().may_change_by_itself(place);
        if is_changing || self.elements == Elements::Summed { None } else { self.spoken_element(function, place) }
    }

    fn spoken_element(&mut self, function: FunctionId, place: &'m Place) -> Option<Behind> {
        let mut behind = match &place.base {
            Base::Var(var) => {
                place.path.iter().find(|step| matches!(step, Projection::Index(_)))?;
                Behind { anchor: Anchor::Variable(*var), index: None, offset: 0, ty: place.ty }
            }
            Base::Deref(pointer) => {
                let (source, from) = match self.source(function, pointer) {
                    Source { kind: SourceKind::Binary(BinaryOp::Add | BinaryOp::PointerAdd, left, right), .. } => {
                        (*left, Some(*right))
                    }
                    source => (source, None),
                };
                let anchor = Anchor::Pointer(variable(&source)?);
                let first = Behind { anchor, index: None, offset: 0, ty: place.ty };
                match from {
                    Some(from) => self.element(first, self.module().types.pointee(source.ty)?.ty, &from)?,
                    None => first,
                }
            }
        };
        let mut ty = start(self.module(), place);
        for step in &place.path {
            match step {
                Projection::Field(index) => {
                    let field = self.module().types.field(ty, *index);
                    (ty, behind.offset) = (field.ty.ty, behind.offset.checked_add(field.offset)?);
                }
                Projection::Index(index) => {
                    ty = self.module().types.element(ty)?.ty;
                    let index = self.source(function, index);
                    behind = self.element(behind, ty, &index)?;
                }
            }
        }
        Some(behind)
    }

    /// So many elements further.
    fn element(&self, behind: Behind, element: TypeId, index: &Source<'m>) -> Option<Behind> {
        let size = self.module().types.size_of(element)?;
        match index.kind {
            SourceKind::Number(number) => {
                let further = u64::try_from(number).ok()?.checked_mul(size)?;
                Some(Behind { offset: behind.offset.checked_add(further)?, ..behind })
            }
            _ if behind.index.is_none() => Some(Behind { index: Some((variable(index)?, size)), ..behind }),
            _ => None,
        }
    }
}

/// The variable that a value is what is in.
fn variable(source: &Source<'_>) -> Option<CellId> {
    match &source.kind {
        SourceKind::Copy(access) if access.is_certain => Some(access.spots[0].cell),
        _ => None,
    }
}
