//! Which places behind pointers and in arrays a function remembers: `p->f` and `a[i]`, in its own words.
//!
//! A copy of what is there is worth its facts where the place is spoken of twice. So it is in a function that does so
//! itself, and in two of which one calls the other and hands the pointer on: what `check(p)` finds out about `p->f` is
//! known to its caller only if both remember it, since each has a copy and the call makes these the same.
//!
//! The pointer may be in memory itself: `n->next->value` is what is behind the copy of `n->next`, whichever temporary that
//! was [loaded](super::loaded) into. Who writes `n->next`, by whatever name, changes what leads to the other copy.
//!
//! **Invariant:** copies are listed behind those that lead to them.

use super::cells::{CellId, Home, Key};
use super::loaded::loads;
use super::shapes::{Assignment, Shaper, for_each_place};
use super::sources::{Source, SourceKind};
use hardbop_base::{Budget, Exhausted};
use hardbop_c_core::expr::PlaceUse;
use hardbop_c_core::parts::{bits_of, offset_of, start};
use hardbop_c_core::{Base, BinaryOp, Bits, Expr, ExprKind, FunctionId, Place, Projection, Stmt, TypeId, VarId};
use hardbop_c_graph::Action;
use hardbop_points_to::Cell;
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
    /// The bits of its unit that it is, if it is a bit-field.
    pub bits: Option<Bits>,
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

/// The places that each function remembers, and what it calls them by.
#[derive(Default)]
pub(crate) struct Remembered {
    places: FxHashSet<(FunctionId, Behind)>,
    /// The copies that temporaries stand for.
    standing: FxHashMap<CellId, CellId>,
}

/// So many pointers one behind the other are followed.
const MOST_POINTERS: usize = 3;

impl Remembered {
    /// Whether `function` remembers what is there.
    pub(crate) fn contains(&self, function: FunctionId, behind: Behind) -> bool {
        self.places.contains(&(function, behind))
    }
}

/// How often each place is spoken of in a function.
type Mentions = BTreeMap<FunctionId, BTreeMap<Behind, u32>>;

/// A call of a function with a body: who calls, with which statement, and whom.
type Call<'m> = (FunctionId, &'m Stmt, FunctionId);

impl<'m> Shaper<'_, 'm> {
    /// Finds what is remembered. What is behind a pointer in memory is known by the copy of that pointer, so there must be
    /// one first.
    pub(crate) fn find_remembered(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let loads = loads(self);
        for _ in 0..MOST_POINTERS {
            let before = self.remembered.places.len();
            self.find_places(budget)?;
            if self.remembered.places.len() == before {
                break;
            }
            for load in &loads {
                let cell = Cell { object: self.cells.subject.points_to.variable(load.temporary), offset: 0 };
                if let Some(copy) = self.access(load.function, load.from).copy {
                    let temporary = self.cells.of(cell);
                    self.remembered.standing.insert(temporary, copy);
                }
            }
        }
        // The order of the program is a good one for facts.
        self.cells.draft_copies();
        Ok(())
    }

    fn find_places(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let graph = self.cells.subject.graph;
        let (mut mentions, mut calls) = (Mentions::default(), Vec::new());
        for (edge, &action) in graph.actions.iter_enumerated() {
            budget.spend(1)?;
            let Some(function) = self.function(edge) else { continue };
            for behind in self.spoken_of(function, action) {
                *mentions.entry(function).or_default().entry(behind).or_default() += 1;
            }
            if let Action::Call(stmt, callee) = action {
                calls.push((function, stmt, callee));
            }
        }
        let twice = mentions.iter().flat_map(|(&function, all)| {
            all.iter().filter(|(_, count)| **count > 1).map(move |(&behind, _)| (function, behind))
        });
        self.remembered.places.extend(twice);
        for call in calls {
            budget.spend(1)?;
            self.hand_on(&mentions, call);
        }
        Ok(())
    }

    /// What a caller and what it calls both speak of, behind pointers that are the same.
    fn hand_on(&mut self, mentions: &Mentions, (caller, stmt, callee): Call<'m>) {
        let (Some(callers), Some(callees)) = (mentions.get(&caller), mentions.get(&callee)) else { return };
        let given = self.given(caller, stmt, callee);
        for &behind in callees.keys().filter(|behind| behind.index.is_none()) {
            let Anchor::Pointer(pointer) = behind.anchor else { continue };
            let own = self.callers_pointer(caller, pointer, &given);
            let own = own.map(|own| Behind { anchor: Anchor::Pointer(own), ..behind });
            if let Some(own) = own.filter(|own| callers.contains_key(own)) {
                self.remembered.places.extend([(caller, own), (callee, behind)]);
            }
        }
    }

    /// What a pointer of a callee is to its caller, which gives these values to the parameters.
    pub fn callers_pointer(&self, caller: FunctionId, pointer: CellId, given: &[Assignment<'m>]) -> Option<CellId> {
        let row = &self.cells.rows[pointer];
        if let Key::Copy(_, behind) = row.key {
            let Anchor::Pointer(inner) = behind.anchor else { return None };
            let own = self.callers_pointer(caller, inner, given).filter(|_| behind.index.is_none())?;
            return self.cells.find(Key::Copy(caller, Behind { anchor: Anchor::Pointer(own), ..behind }));
        }
        if row.home == Home::Global {
            return Some(pointer);
        }
        let given = given.iter().find(|one| one.target.is_certain && one.target.spots[0].cell == pointer)?;
        self.variable(&given.source)
    }

    fn spoken_of(&mut self, function: FunctionId, action: Action<'m>) -> Vec<Behind> {
        let mut places: Vec<&'m Place> = Vec::new();
        for_each_place(action, &mut |place, usage| {
            if usage != PlaceUse::Address {
                places.push(place);
            }
        });
        places.into_iter().filter_map(|place| self.spoken(function, place)).collect()
    }

    /// A place behind a pointer or in an array, if what leads there are variables and constants.
    pub(crate) fn spoken(&mut self, function: FunctionId, place: &'m Place) -> Option<Behind> {
        if let Some(pointer) = self.pointer(function, place)
            && let Some(offset) = offset_of(self.module(), place)
        {
            let bits = bits_of(self.module(), place);
            return Some(Behind { anchor: Anchor::Pointer(pointer), index: None, offset, bits, ty: place.ty });
        }
        let is_changing = self.module().may_change_by_itself(place);
        if is_changing || self.elements == Elements::Summed { None } else { self.spoken_element(function, place) }
    }

    fn spoken_element(&mut self, function: FunctionId, place: &'m Place) -> Option<Behind> {
        let mut behind = match &place.base {
            Base::Var(var) => {
                place.path.iter().find(|step| matches!(step, Projection::Index(_)))?;
                Behind { anchor: Anchor::Variable(*var), index: None, offset: 0, bits: None, ty: place.ty }
            }
            Base::Deref(pointer) => {
                let (source, from) = match self.source(function, pointer) {
                    Source { kind: SourceKind::Binary(BinaryOp::Add | BinaryOp::PointerAdd, left, right), .. } => {
                        (*left, Some(*right))
                    }
                    source => (source, None),
                };
                let anchor = Anchor::Pointer(self.lead(&source, place.ty)?);
                let first = Behind { anchor, index: None, offset: 0, bits: None, ty: place.ty };
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
        behind.bits = bits_of(self.module(), place);
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
            _ if behind.index.is_none() => Some(Behind { index: Some((self.lead(index, behind.ty)?, size)), ..behind }),
            _ => None,
        }
    }

    /// How many bits a value has that is read from a bit-field.
    pub(crate) fn width_of(&self, value: &Expr) -> Option<u32> {
        let ExprKind::Read(place) = &value.kind else { return None };
        bits_of(self.module(), place).map(|bits| bits.width)
    }

    /// What a value is that leads to a place of type `ty`. Only pointers are followed further than from a variable: there
    /// are many numbers in memory, and few of them matter.
    pub(crate) fn lead(&self, source: &Source<'_>, ty: TypeId) -> Option<CellId> {
        if self.module().types.is_pointer(ty) {
            return self.variable(source);
        }
        match &source.kind {
            SourceKind::Copy(access) if access.is_certain => Some(access.spots[0].cell),
            _ => None,
        }
    }

    /// The variable that a value is what is in, or the copy of a place in memory.
    pub fn variable(&self, source: &Source<'_>) -> Option<CellId> {
        let SourceKind::Copy(access) = &source.kind else { return None };
        if !access.is_certain {
            return access.copy;
        }
        let cell = access.spots[0].cell;
        Some(self.remembered.standing.get(&cell).copied().unwrap_or(cell))
    }
}
