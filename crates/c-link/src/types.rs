//! The types of several units as those of one.
//!
//! Records are one if they have the same tag and members of the same names, places and types, where types are compared
//! by the same rule: the coarsest partition that is stable. It is refined from what can be seen without looking at the
//! types of members, until no class is split any more. A record that is only declared goes with the defined ones of its
//! tag, as long as these agree.

use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::{
    Bits, EnumId, Enumeration, FunctionType, Length, Module, Parameters, Qualified, Qualifiers, Record, RecordBody,
    RecordId, RecordKind, Target, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// The joined types, and the new id of each type of each unit.
pub(crate) struct Joined {
    pub types: Types,
    pub maps: Vec<IndexVec<TypeId, TypeId>>,
}

/// Joins the types of `units`.
pub(crate) fn join(units: &mut [Module], target: Target) -> Joined {
    let mut all = All::default();
    let counts: Vec<usize> = units.iter_mut().map(|unit| all.add(unit)).collect();
    let enums = all.enum_classes();
    let records = all.record_classes(&enums);
    let mut types = Types::new(target);
    let map = all.intern(&mut types, &enums, &records);
    let mut rest = map.into_iter();
    let maps = counts.into_iter().map(|count| rest.by_ref().take(count).collect()).collect();
    Joined { types, maps }
}

/// The types of all units in one table, with ids that count through. Types come after those they are made of.
#[derive(Default)]
struct All {
    types: Vec<Type>,
    records: Vec<Record>,
    enums: Vec<Enumeration>,
}

/// What can be seen of a record without looking at the types of its members.
#[derive(PartialEq, Eq, Hash)]
struct Shape<'r> {
    kind: RecordKind,
    tag: Option<&'r str>,
    size: u64,
    align: u64,
    fields: Vec<(&'r str, u64, Option<Bits>)>,
}

impl All {
    /// Adds a unit's types; the result is how many there are.
    fn add(&mut self, unit: &mut Module) -> usize {
        let base = Base { types: self.types.len(), records: self.records.len(), enums: self.enums.len() };
        let before = self.types.len();
        self.types.extend(unit.types.iter().map(|(_, ty)| base.moved(ty)));
        let records = std::mem::take(&mut unit.types.records);
        for record in records.iter() {
            let mut record = record.clone();
            for field in record.body.iter_mut().flat_map(|body| &mut body.fields) {
                field.ty.ty = base.ty(field.ty.ty);
            }
            self.records.push(record);
        }
        self.enums.extend(std::mem::take(&mut unit.types.enums).iter().cloned());
        self.types.len() - before
    }

    /// The first enumeration that is the same, for each.
    fn enum_classes(&self) -> Vec<usize> {
        let mut defined: FxHashMap<&str, usize> = FxHashMap::default();
        for (id, enumeration) in self.enums.iter().enumerate() {
            if let Some(tag) = &enumeration.tag
                && !enumeration.constants.is_empty()
            {
                defined.entry(tag).or_insert(id);
            }
        }
        let stands_for = |(id, enumeration): (usize, &Enumeration)| match &enumeration.tag {
            Some(tag) if enumeration.constants.is_empty() => defined.get(&**tag).copied().unwrap_or(id),
            _ => id,
        };
        let chosen: Vec<usize> = self.enums.iter().enumerate().map(stands_for).collect();
        classes(chosen.into_iter().map(|id| {
            let enumeration = &self.enums[id];
            (&enumeration.tag, enumeration.underlying, &enumeration.constants)
        }))
    }

    /// The first record that is the same, for each.
    fn record_classes(&self, enums: &[usize]) -> Vec<usize> {
        let chosen = self.definitions();
        let mut records = classes(chosen.iter().map(|&id| shape(&self.records[id])));
        loop {
            let types = self.type_classes(enums, &records);
            let refined = classes(chosen.iter().map(|&id| {
                let body = self.records[id].body.as_ref();
                let fields = body.map_or(&[][..], |body| &body.fields);
                let members: Vec<(usize, Qualifiers)> =
                    fields.iter().map(|field| (types[field.ty.ty.index()], field.ty.qualifiers)).collect();
                (records[id], members)
            }));
            if count(&refined) == count(&records) {
                return records;
            }
            records = refined;
        }
    }

    /// For each record that is only declared the definition it stands for, if all of that tag agree; else itself.
    fn definitions(&self) -> Vec<usize> {
        let mut defined: FxHashMap<(RecordKind, &str), Option<usize>> = FxHashMap::default();
        for (id, record) in self.records.iter().enumerate() {
            if let (Some(tag), Some(_)) = (&record.tag, &record.body) {
                let known = defined.entry((record.kind, tag)).or_insert(Some(id));
                let agrees = known.is_some_and(|known| shape(&self.records[known]) == shape(record));
                if !agrees {
                    *known = None;
                }
            }
        }
        let stands_for = |(id, record): (usize, &Record)| match &record.tag {
            Some(tag) if record.body.is_none() => defined.get(&(record.kind, &**tag)).copied().flatten().unwrap_or(id),
            _ => id,
        };
        self.records.iter().enumerate().map(stands_for).collect()
    }

    /// The first type that is the same, for each, if `enums` and `records` say which of those are.
    fn type_classes(&self, enums: &[usize], records: &[usize]) -> Vec<usize> {
        let mut known: FxHashMap<Type, usize> = FxHashMap::default();
        let mut result: Vec<usize> = Vec::with_capacity(self.types.len());
        for (id, ty) in self.types.iter().enumerate() {
            let key = map_type(
                ty,
                &mut |ty| TypeId::from_usize(result[ty.index()]),
                &mut |record| RecordId::from_usize(records[record.index()]),
                &mut |id| EnumId::from_usize(enums[id.index()]),
            );
            let class = *known.entry(key).or_insert(id);
            result.push(class);
        }
        result
    }

    /// Puts one of each class into `types`; the result is the new id of each type.
    fn intern(&mut self, types: &mut Types, enums: &[usize], records: &[usize]) -> Vec<TypeId> {
        let enum_ids = self.move_enums(types, enums);
        let (record_ids, bodies) = self.move_records(types, records);
        let mut ids: Vec<TypeId> = Vec::with_capacity(self.types.len());
        for ty in &self.types {
            let ty = map_type(ty, &mut |ty| ids[ty.index()], &mut |record| record_ids[record.index()], &mut |id| {
                enum_ids[id.index()]
            });
            ids.push(types.intern(ty));
        }
        for (id, mut body) in bodies {
            for field in &mut body.fields {
                field.ty.ty = ids[field.ty.ty.index()];
            }
            types.records[id].body = Some(body);
        }
        ids
    }

    fn move_enums(&mut self, types: &mut Types, classes: &[usize]) -> Vec<EnumId> {
        let mut ids = vec![None; classes.len()];
        // The one with constants stands for those that are only declared.
        for (id, enumeration) in self.enums.iter().enumerate() {
            let known: &mut Option<EnumId> = &mut ids[classes[id]];
            match *known {
                None => *known = Some(types.enums.push(enumeration.clone())),
                Some(known) if types.enums[known].constants.is_empty() => types.enums[known] = enumeration.clone(),
                Some(_) => {}
            }
        }
        classes.iter().map(|&class| ids[class].expect("a class has a first member")).collect()
    }

    /// The bodies are returned apart: their types are not known yet.
    fn move_records(&mut self, types: &mut Types, classes: &[usize]) -> (Vec<RecordId>, Vec<(RecordId, RecordBody)>) {
        let mut ids: Vec<Option<RecordId>> = vec![None; classes.len()];
        let mut has_body: FxHashSet<RecordId> = FxHashSet::default();
        let mut bodies = Vec::new();
        for (index, record) in self.records.iter_mut().enumerate() {
            let body = record.body.take();
            let id = *ids[classes[index]].get_or_insert_with(|| types.records.push(record.clone()));
            if let Some(body) = body
                && has_body.insert(id)
            {
                types.records[id].span = record.span;
                bodies.push((id, body));
            }
        }
        (classes.iter().map(|&class| ids[class].expect("a class has a first member")).collect(), bodies)
    }
}

fn shape(record: &Record) -> Shape<'_> {
    let body = record.body.as_ref();
    let fields = body.map_or(&[][..], |body| &body.fields);
    Shape {
        kind: record.kind,
        tag: record.tag.as_deref(),
        size: body.map_or(u64::MAX, |body| body.size),
        align: body.map_or(0, |body| body.align),
        fields: fields.iter().map(|field| (&*field.name, field.offset, field.bits)).collect(),
    }
}

/// For each key the number of the first that equals it.
fn classes<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut known: FxHashMap<K, usize> = FxHashMap::default();
    keys.enumerate().map(|(id, key)| *known.entry(key).or_insert(id)).collect()
}

fn count(classes: &[usize]) -> usize {
    classes.iter().enumerate().filter(|&(id, &class)| id == class).count()
}

/// Where a unit's ids start.
#[derive(Clone, Copy)]
struct Base {
    types: usize,
    records: usize,
    enums: usize,
}

impl Base {
    fn ty(self, ty: TypeId) -> TypeId {
        TypeId::from_usize(self.types + ty.index())
    }

    fn moved(self, ty: &Type) -> Type {
        map_type(
            ty,
            &mut |ty| self.ty(ty),
            &mut |record| RecordId::from_usize(self.records + record.index()),
            &mut |id| EnumId::from_usize(self.enums + id.index()),
        )
    }
}

/// `ty` with other ids.
fn map_type(
    ty: &Type,
    inner: &mut dyn FnMut(TypeId) -> TypeId,
    record: &mut dyn FnMut(RecordId) -> RecordId,
    enumeration: &mut dyn FnMut(EnumId) -> EnumId,
) -> Type {
    match ty {
        Type::Void | Type::Int(_) | Type::Float(_) | Type::Complex(_) | Type::VaList => ty.clone(),
        Type::Pointer(pointee) => Type::Pointer(Qualified { ty: inner(pointee.ty), ..*pointee }),
        Type::Array(element, length) => {
            // What depends on a variable is gone from finished units; only the table still has it.
            let length = if let Length::Variable(_) = length { Length::Unknown } else { *length };
            Type::Array(Qualified { ty: inner(element.ty), ..*element }, length)
        }
        Type::Vector(element, length) => Type::Vector(inner(*element), *length),
        Type::Record(id) => Type::Record(record(*id)),
        Type::Enum(id) => Type::Enum(enumeration(*id)),
        Type::Function(FunctionType { result, parameters }) => {
            let result = inner(*result);
            let parameters = match parameters {
                Parameters::Fixed(types) => Parameters::Fixed(types.iter().map(|&ty| inner(ty)).collect()),
                Parameters::Variadic(types) => Parameters::Variadic(types.iter().map(|&ty| inner(ty)).collect()),
                Parameters::Unspecified => Parameters::Unspecified,
            };
            Type::Function(FunctionType { result, parameters })
        }
    }
}
