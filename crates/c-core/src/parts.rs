//! The scalars that objects consist of.

use crate::types::{Bits, Field};
use crate::{Base, Expr, ExprKind, IntKind, Module, Place, Projection, RecordId, RecordKind, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// A scalar part of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its first byte; of a bit-field that of its unit.
    pub offset: u64,
    /// Its type.
    pub ty: TypeId,
    /// Where a bit-field lies in its unit.
    pub bits: Option<Bits>,
    /// The innermost record that it is a member of, and which.
    pub member: Option<(RecordId, u32)>,
    /// The way to it as the user writes it: `.next`.
    pub path: String,
    /// The way to it.
    pub steps: Vec<Projection>,
}

/// So many scalars of a record are copied one by one.
const MOST_LEAVES: usize = 256;

/// Whether bit-fields are among the scalars of a type.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BitFields {
    /// They are.
    Counted,
    /// They are not.
    #[default]
    LeftOut,
}

/// The scalars of types, found once for each.
#[derive(Default, Debug)]
pub struct Leaves {
    table: FxHashMap<TypeId, Rc<[Leaf]>>,
    bit_fields: BitFields,
}

impl Leaves {
    /// Nothing found yet.
    pub fn new(bit_fields: BitFields) -> Self {
        Self { table: FxHashMap::default(), bit_fields }
    }

    /// The scalars of a type, the first element of each array; none where there are too many.
    pub fn of(&mut self, module: &Module, ty: TypeId) -> Rc<[Leaf]> {
        Rc::clone(self.table.entry(ty).or_insert_with(|| leaves(module, ty, self.bit_fields).into()))
    }

    /// The scalar that starts at a byte of an object of this type; elements of arrays are counted as the first. Nothing
    /// where there is none, or a bit-field, or several that are not of one kind.
    pub fn at(&mut self, module: &Module, ty: TypeId, offset: u64) -> Option<Leaf> {
        let all = self.of(module, ty);
        let mut here = all.iter().filter(|leaf| leaf.offset == offset && leaf.bits.is_none());
        let first = here.next()?;
        let is_same = |other: &Leaf| {
            module.types.is_pointer(first.ty) == module.types.is_pointer(other.ty)
                && module.types.int_kind(first.ty) == module.types.int_kind(other.ty)
        };
        here.all(is_same).then(|| first.clone())
    }
}

fn leaves(module: &Module, ty: TypeId, bit_fields: BitFields) -> Vec<Leaf> {
    let mut all = Vec::new();
    let start = Leaf { offset: 0, ty, bits: None, member: None, path: String::new(), steps: Vec::new() };
    collect(module, start, bit_fields, &mut all);
    // Who has many bit-fields has no fewer others.
    let whole = all.iter().filter(|leaf| leaf.bits.is_none()).count();
    if whole > MOST_LEAVES || all.len() > 2 * MOST_LEAVES { Vec::new() } else { all }
}

fn collect(module: &Module, at: Leaf, bit_fields: BitFields, all: &mut Vec<Leaf>) {
    if all.len() > 2 * MOST_LEAVES {
        return;
    }
    match module.types.get(at.ty) {
        Type::Array(element, _) => {
            let zero = Projection::Index(Box::new(Expr::integer(0, at.ty)));
            let steps = at.steps.iter().cloned().chain([zero]).collect();
            collect(module, Leaf { ty: element.ty, path: format!("{}[]", at.path), steps, ..at }, bit_fields, all);
        }
        Type::Record(record) => {
            let Some(body) = module.types.body(*record) else { return };
            let is_union = module.types.records[*record].kind == RecordKind::Union;
            let is_meant = |field: &Field| field.bits.is_none() || bit_fields == BitFields::Counted;
            for (index, field) in body.fields.iter().enumerate().filter(|(_, field)| is_meant(field)) {
                let index = u32::try_from(index).expect("few members");
                let path = if field.is_anonymous { at.path.clone() } else { format!("{}.{}", at.path, field.name) };
                let steps = at.steps.iter().cloned().chain([Projection::Field(index)]).collect();
                let member = if is_union { at.member } else { Some((*record, index)) };
                let (offset, bits) = (at.offset + field.offset, field.bits_in_unit());
                collect(module, Leaf { offset, ty: field.ty.ty, bits, member, path, steps }, bit_fields, all);
            }
        }
        _ => all.push(at),
    }
}

/// The part of `place` at a leaf of its type.
pub fn part(place: &Place, leaf: &Leaf) -> Place {
    let path = place.path.iter().chain(&leaf.steps).cloned().collect();
    Place { base: place.base.clone(), path, ty: leaf.ty }
}

/// The type that a place starts with.
pub fn start(module: &Module, place: &Place) -> TypeId {
    match &place.base {
        Base::Var(var) => module.vars[*var].ty.ty,
        Base::Deref(pointer) => module.types.pointee(pointer.ty).map_or(place.ty, |pointee| pointee.ty),
    }
}

/// The member that a place is, if it is one.
pub fn member_of(module: &Module, place: &Place) -> Option<(RecordId, u32)> {
    let mut ty = start(module, place);
    let mut member = None;
    for step in &place.path {
        ty = match step {
            Projection::Field(index) => {
                member = module.types.record(ty).map(|record| (record, *index));
                module.types.field(ty, *index).ty.ty
            }
            Projection::Index(_) => module.types.element(ty)?.ty,
        };
    }
    member
}

/// What an integer of this type is that is computed with. Those of 128 bits are not: what they hold has no number here.
pub fn number_kind(types: &Types, ty: TypeId) -> Option<IntKind> {
    types.int_kind(ty).filter(|&kind| types.int_size(kind) <= 8)
}

/// The type itself, or that of the elements of the array that it is.
pub fn element_of(module: &Module, mut ty: TypeId) -> TypeId {
    while let Type::Array(element, _) = module.types.get(ty) {
        ty = element.ty;
    }
    ty
}

/// The types of what an object of this type consists of, its own among them; of arrays those of their elements.
pub fn parts_of(module: &Module, ty: TypeId) -> Vec<TypeId> {
    let mut parts = vec![element_of(module, ty)];
    let mut seen = 0;
    while let Some(&ty) = parts.get(seen) {
        seen += 1;
        let body = module.types.record(ty).and_then(|record| module.types.body(record));
        for field in body.into_iter().flat_map(|body| &body.fields) {
            let part = element_of(module, field.ty.ty);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    parts
}

/// The unions that a place is in, the outermost first.
pub fn unions_of(module: &Module, place: &Place) -> Vec<RecordId> {
    let mut ty = start(module, place);
    let mut unions = Vec::new();
    for step in &place.path {
        let record = module.types.record(ty);
        unions.extend(record.filter(|&record| module.types.records[record].kind == RecordKind::Union));
        ty = match step {
            Projection::Field(index) => module.types.field(ty, *index).ty.ty,
            Projection::Index(_) => module.types.element(ty).map_or(ty, |element| element.ty),
        };
    }
    unions
}

/// The member that a place ends with.
pub fn last_field<'m>(module: &'m Module, place: &Place) -> Option<&'m Field> {
    let (record, index) =
        member_of(module, place).filter(|_| matches!(place.path.last(), Some(Projection::Field(_))))?;
    Some(&module.types.body(record)?.fields[index as usize])
}

/// The bits of its unit that a place is, if it is a bit-field.
pub fn bits_of(module: &Module, place: &Place) -> Option<Bits> {
    last_field(module, place).and_then(Field::bits_in_unit)
}

/// The byte that a place starts at behind its pointer, where no index is in the way.
pub fn offset_of(module: &Module, place: &Place) -> Option<u64> {
    let mut ty = start(module, place);
    let mut offset = 0u64;
    for step in &place.path {
        let Projection::Field(index) = step else { return None };
        let field = module.types.field(ty, *index);
        (ty, offset) = (field.ty.ty, offset.checked_add(field.offset)?);
    }
    Some(offset)
}

/// Whether a place starts where its variable does.
pub fn is_at_start(module: &Module, place: &Place) -> bool {
    let mut ty = start(module, place);
    place.path.iter().all(|step| match step {
        Projection::Field(index) => {
            let field = module.types.field(ty, *index);
            ty = field.ty.ty;
            field.offset == 0
        }
        Projection::Index(index) => {
            ty = module.types.element(ty).map_or(ty, |element| element.ty);
            matches!(index.kind, ExprKind::Integer(0))
        }
    })
}

/// The bytes of the outermost array around a byte of an object of this type.
pub fn array_around(module: &Module, ty: TypeId, offset: u64) -> Option<Range<u64>> {
    let (mut ty, mut start) = (ty, 0);
    loop {
        match module.types.get(ty) {
            Type::Array(..) => {
                let size = module.types.size_of(ty).unwrap_or(u64::MAX);
                return Some(start..start.saturating_add(size));
            }
            Type::Record(record) => {
                let body = module.types.body(*record)?;
                // Of a union the member that is an array, if there is one.
                let has_byte = |field: &&Field| {
                    let size = module.types.size_of(field.ty.ty).unwrap_or(u64::MAX);
                    (start + field.offset..(start + field.offset).saturating_add(size)).contains(&offset)
                };
                let inside =
                    |field: &&Field| array_around(module, field.ty.ty, offset - start - field.offset).is_some();
                let fields = || body.fields.iter().filter(has_byte);
                let field = fields().find(inside).or_else(|| fields().next())?;
                (ty, start) = (field.ty.ty, start + field.offset);
            }
            _ => return None,
        }
    }
}

/// Whether what starts at a byte of an object of this type is in an array, so that the byte stands for several things.
pub fn is_in_array(module: &Module, ty: TypeId, offset: u64) -> bool {
    is_in_array_of(module, ty, offset, Bytes::Counted)
}

/// Whether arrays of bytes are arrays.
#[derive(Clone, Copy)]
enum Bytes {
    Counted,
    LeftOut,
}

fn is_in_array_of(module: &Module, ty: TypeId, offset: u64, bytes: Bytes) -> bool {
    match module.types.get(ty) {
        Type::Array(element, _) => match bytes {
            Bytes::Counted => true,
            Bytes::LeftOut => {
                module.types.size_of(element.ty) != Some(1) || is_in_array_of(module, element.ty, offset, bytes)
            }
        },
        Type::Record(record) => {
            let Some(body) = module.types.body(*record) else { return false };
            let is_union = module.types.records[*record].kind == RecordKind::Union;
            let has_byte = |field: &&Field| field.offset <= offset;
            let mut fields = body.fields.iter().filter(has_byte);
            let inside = |field: &Field, bytes| is_in_array_of(module, field.ty.ty, offset - field.offset, bytes);
            if !is_union {
                return fields.next_back().is_some_and(|field| inside(field, bytes));
            }
            // Bytes are in unions to say how large they are.
            fields.clone().any(|field| inside(field, Bytes::LeftOut)) || fields.all(|field| inside(field, bytes))
        }
        _ => false,
    }
}

/// Whether an object of type `ty` has one of type `wanted` at a byte, so that a pointer to such may point there. What is
/// no structure may be anywhere.
pub fn has_type_at(module: &Module, ty: TypeId, offset: u64, wanted: TypeId) -> bool {
    let types = &module.types;
    let Type::Record(wanted_record) = *types.get(wanted) else { return true };
    match *types.get(ty) {
        Type::Record(record) if offset == 0 && is_same_record(module, record, wanted_record) => true,
        Type::Record(record) => types.body(record).is_some_and(|body| {
            let has_byte = |field: &&Field| {
                let size = types.size_of(field.ty.ty);
                field.offset <= offset && size.is_none_or(|size| offset - field.offset < size)
            };
            let mut fields = body.fields.iter().filter(has_byte);
            fields.any(|field| has_type_at(module, field.ty.ty, offset - field.offset, wanted))
        }),
        Type::Array(element, _) => match types.size_of(element.ty) {
            Some(size) if size > 0 => has_type_at(module, element.ty, offset % size, wanted),
            _ => true,
        },
        _ => false,
    }
}

/// Whether two structures may be one: several files may each have it, and where it is only declared nothing is known.
fn is_same_record(module: &Module, left: RecordId, right: RecordId) -> bool {
    let types = &module.types;
    let tags = [left, right].map(|record| types.records[record].tag.as_deref());
    let [Some(one), Some(other)] = [left, right].map(|record| types.body(record)) else { return true };
    left == right || tags[0] == tags[1] && one.size == other.size
}

/// How the user calls what starts at a byte of an object of this type: the largest of all that do.
pub fn path_to(module: &Module, ty: TypeId, offset: u64) -> String {
    let Type::Record(record) = *module.types.get(ty) else { return String::new() };
    let Some(body) = module.types.body(record).filter(|_| offset > 0) else { return String::new() };
    let Some(field) = body.fields.iter().rfind(|field| field.offset <= offset) else { return String::new() };
    let rest = path_to(module, field.ty.ty, offset - field.offset);
    if field.is_anonymous { rest } else { format!(".{}{rest}", field.name) }
}
