//! Where the members of a record lie: the System V layout for x86-64 and i386, as gcc has it.
//!
//! Positions are counted in bits. A member that is no bit-field starts at the next multiple of its alignment. A bit-field
//! starts at the next bit, unless it would then span more units of its declared type's alignment than the type itself
//! has; one of width zero moves on to the next such unit. `packed` makes alignments one byte and lets bit-fields lie
//! anywhere, `#pragma pack` bounds alignments and does the same, and both leave bit-fields of width zero alone.
//!
//! One thing is not as gcc has it: on i386 a record of 8 or 16 bytes that is aligned to as many only because of an
//! `_Atomic`, a vector, `_Float128` or `_Decimal64` keeps that alignment inside of other records, where gcc sometimes
//! makes it 4.

use crate::types::{Bits, Field, Qualified, RecordBody, RecordKind, Target, Types};
use rustc_hash::FxHashSet;

/// A member as it is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberDeclaration {
    /// Its name; anonymous records and padding bit-fields have none.
    pub name: Option<String>,
    /// Its type.
    pub ty: Qualified,
    /// How many bits a bit-field has.
    pub width: Option<u32>,
    /// `__attribute__((packed))` on the member.
    pub is_packed: bool,
    /// `_Alignas` or `__attribute__((aligned))` on the member.
    pub align: Option<u64>,
    /// `__attribute__((aligned))` on the type name that it is declared with: replaces the type's own.
    pub type_align: Option<u64>,
}

impl MemberDeclaration {
    /// A member without attributes.
    pub fn new(name: impl Into<String>, ty: Qualified) -> Self {
        Self { name: Some(name.into()), ty, width: None, is_packed: false, align: None, type_align: None }
    }
}

/// What is said about a record as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecordAttributes {
    /// `__attribute__((packed))`
    pub is_packed: bool,
    /// `__attribute__((aligned))`
    pub align: Option<u64>,
    /// What `#pragma pack` says where the record is defined.
    pub pragma_pack: Option<u64>,
}

/// Gives every member its place. Members of incomplete types take no room, as flexible arrays do.
pub fn lay_out(
    types: &Types,
    kind: RecordKind,
    members: Vec<MemberDeclaration>,
    attributes: RecordAttributes,
) -> RecordBody {
    let mut layout = Layout { types, kind, attributes, end: 0, longest: 0, align: 1, fields: Vec::new() };
    let mut names = MadeUpNames::new(types, &members);
    for member in members {
        layout.place(member, &mut names);
    }
    layout.finish()
}

/// A record so far.
struct Layout<'t> {
    types: &'t Types,
    kind: RecordKind,
    attributes: RecordAttributes,
    /// The bit after the last member.
    end: u64,
    /// The bit after the longest member, for unions.
    longest: u64,
    /// Bytes.
    align: u64,
    fields: Vec<Field>,
}

impl Layout<'_> {
    fn place(&mut self, member: MemberDeclaration, names: &mut MadeUpNames) {
        if self.kind == RecordKind::Union {
            self.end = 0;
        }
        let (first, size) = match member.width {
            Some(width) => self.place_bits(&member, width),
            None => self.place_whole(&member),
        };
        self.end = first.saturating_add(size);
        self.longest = self.longest.max(self.end);
        if member.width.is_some() && member.name.is_none() {
            return;
        }
        let is_anonymous = member.name.is_none();
        let name = member.name.unwrap_or_else(|| names.next());
        let bits = member.width.map(|width| Bits { first, width });
        self.fields.push(Field { name, is_anonymous, ty: member.ty, offset: first / 8, bits });
    }

    /// The first bit and the number of bits of a member that is no bit-field.
    fn place_whole(&mut self, member: &MemberDeclaration) -> (u64, u64) {
        let is_packed = member.is_packed || self.attributes.is_packed;
        let natural = if is_packed { 1 } else { self.type_align(member) };
        let align = self.bounded(natural.max(member.align.unwrap_or(1)));
        self.align = self.align.max(align);
        let size = self.types.size_of(member.ty.ty).unwrap_or(0);
        (round_up(self.end, align.saturating_mul(8)), size.saturating_mul(8))
    }

    /// The first bit and the number of bits of a bit-field.
    fn place_bits(&mut self, member: &MemberDeclaration, width: u32) -> (u64, u64) {
        let type_align = self.type_align(member);
        let unit = type_align.saturating_mul(8);
        if width == 0 {
            let align = type_align.max(member.align.unwrap_or(1));
            return (round_up(self.end, align.saturating_mul(8)), 0);
        }
        let is_packed = member.is_packed || self.attributes.is_packed;
        let mut first = self.end;
        if let Some(align) = member.align {
            first = round_up(first, self.bounded(align).saturating_mul(8));
        }
        let type_bits = self.types.size_of(member.ty.ty).unwrap_or(0).saturating_mul(8);
        let spans_too_much = (first % unit + u64::from(width)).div_ceil(unit) > type_bits / unit;
        let machine_align = self.machine_align(member, width, is_packed);
        let may_span = is_packed || self.attributes.pragma_pack.is_some() || machine_align.is_some();
        if spans_too_much && !may_span {
            first = round_up(first, unit);
        }
        if member.name.is_some() {
            let of_type = match self.attributes.pragma_pack {
                Some(bound) => type_align.min(bound),
                None if is_packed => 1,
                None => type_align,
            };
            let own = member.align.unwrap_or(1).max(machine_align.unwrap_or(1));
            self.align = self.align.max(of_type).max(self.bounded(own));
        }
        (first, u64::from(width))
    }

    /// A bit-field that happens to lie as one machine integer does is taken for one; this is its alignment then.
    fn machine_align(&self, member: &MemberDeclaration, width: u32, is_packed: bool) -> Option<u64> {
        let bytes = u64::from(width / 8);
        let largest = 2 * self.types.pointer_size();
        let is_integer = width.is_multiple_of(8) && bytes.is_power_of_two() && bytes <= largest;
        let is_aligned = self.end.is_multiple_of(u64::from(width));
        match (is_integer && is_aligned && (bytes == 1 || !is_packed), self.types.target) {
            (false, _) => None,
            (true, Target::Ilp32) if member.align.is_none() => Some(bytes.min(4)),
            (true, _) => Some(bytes),
        }
    }

    /// The alignment that the type of a member asks for.
    fn type_align(&self, member: &MemberDeclaration) -> u64 {
        member.type_align.unwrap_or_else(|| self.types.align_of_qualified(member.ty)).max(1)
    }

    fn bounded(&self, align: u64) -> u64 {
        self.attributes.pragma_pack.map_or(align, |bound| align.min(bound)).max(1)
    }

    fn finish(mut self) -> RecordBody {
        let align = self.align.max(self.attributes.align.unwrap_or(1)).max(1);
        let end = if self.kind == RecordKind::Union { self.longest } else { self.end };
        let size = round_up(end.div_ceil(8), align);
        for field in &mut self.fields {
            if let Some(bits) = field.bits {
                field.offset = storage_unit(self.types, field.ty, bits, size);
            }
        }
        RecordBody { fields: self.fields, size, align }
    }
}

/// The first byte of the unit that a bit-field is accessed with: one of its declared type's size and alignment that lies
/// inside of the record, or else just the byte that it starts in.
fn storage_unit(types: &Types, ty: Qualified, bits: Bits, record_size: u64) -> u64 {
    let size = types.size_of(ty.ty).unwrap_or(1).max(1);
    let end = bits.first.saturating_add(bits.width.into());
    let contains = |offset: &u64| {
        let unit_end = offset.saturating_add(size);
        end <= unit_end.saturating_mul(8) && unit_end <= record_size
    };
    let first_byte = bits.first / 8;
    let aligned = |align: u64| Some(first_byte / align * align).filter(contains);
    aligned(size).or_else(|| aligned(types.align_of(ty.ty))).unwrap_or(first_byte)
}

fn round_up(position: u64, align: u64) -> u64 {
    position.checked_next_multiple_of(align).unwrap_or(u64::MAX / align * align)
}

/// Names for anonymous members that no member in scope has.
struct MadeUpNames {
    taken: FxHashSet<String>,
    count: u32,
}

impl MadeUpNames {
    fn new(types: &Types, members: &[MemberDeclaration]) -> Self {
        let mut names = Self { taken: FxHashSet::default(), count: 0 };
        for member in members {
            match &member.name {
                Some(name) => drop(names.taken.insert(name.clone())),
                None => names.take_inner(types, member.ty),
            }
        }
        names
    }

    fn take_inner(&mut self, types: &Types, ty: Qualified) {
        let Some(body) = types.record(ty.ty).and_then(|record| types.body(record)) else {
            return;
        };
        for field in &body.fields {
            self.taken.insert(field.name.clone());
            if field.is_anonymous {
                self.take_inner(types, field.ty);
            }
        }
    }

    fn next(&mut self) -> String {
        loop {
            self.count += 1;
            let name = format!("anonymous_{}", self.count);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
