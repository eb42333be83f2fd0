//! Definitions of records, each after those that it contains.

use super::Printer;
use super::types::int_name;
use crate::layout::{MemberDeclaration, RecordAttributes, lay_out};
use crate::{Field, IntKind, Length, Qualified, RecordBody, RecordId, RecordKind, Type, TypeId, Types};
use rustc_hash::FxHashSet;
use std::fmt::Write;

impl Printer<'_> {
    /// All records, declared and then defined.
    pub(super) fn records(&self, out: &mut String) {
        let types = &self.module.types;
        for id in types.records.ids() {
            let _ = writeln!(out, "{}{};", self.record_keyword(id), self.record_name(id));
        }
        for id in definition_order(types) {
            if let Some(body) = types.body(id) {
                self.record(id, body, out);
            }
        }
    }

    fn record(&self, id: RecordId, body: &RecordBody, out: &mut String) {
        let (keyword, name, kind) = (self.record_keyword(id), self.record_name(id), self.module.types.records[id].kind);
        let types = &self.module.types;
        let align = Some(body.align);
        let attempts = [
            (RecordAttributes::default(), String::new()),
            (
                RecordAttributes { align, ..RecordAttributes::default() },
                format!("__attribute__((aligned({}))) ", body.align),
            ),
        ];
        for (attributes, text) in attempts {
            let members = body.fields.iter().map(declaration).collect();
            if lay_out(types, kind, members, attributes) == anonymous_names_aside(body) {
                let _ = writeln!(out, "{keyword}{text}{name} {{");
                body.fields.iter().for_each(|field| self.member(kind, body, field, out));
                let _ = writeln!(out, "}};");
                return;
            }
        }
        let _ = writeln!(out, "{keyword}__attribute__((packed, aligned({}))) {name} {{", body.align);
        self.padded(kind, body, out);
        let _ = writeln!(out, "}};");
    }

    /// The members with all padding between them.
    fn padded(&self, kind: RecordKind, body: &RecordBody, out: &mut String) {
        let mut padding = Padding { taken: body.fields.iter().map(|field| field.name.as_str()).collect(), count: 0 };
        let mut end = 0;
        for field in &body.fields {
            let first = field.bits.map_or(field.offset.saturating_mul(8), |bits| bits.first);
            padding.fill(end, first, out);
            self.member(kind, body, field, out);
            end = if kind == RecordKind::Union { 0 } else { self.end(field) };
        }
        if self.has_tail(body) {
            padding.fill(end, body.size.saturating_mul(8), out);
        }
    }

    /// The bit after a member.
    fn end(&self, field: &Field) -> u64 {
        match field.bits {
            Some(bits) => bits.first.saturating_add(bits.width.into()),
            None => self.module.types.size_of(field.ty.ty).unwrap_or(0).saturating_add(field.offset).saturating_mul(8),
        }
    }

    /// Whether there is more after the last member than its alignment makes.
    fn has_tail(&self, body: &RecordBody) -> bool {
        let end = body.fields.iter().map(|field| self.end(field)).max().unwrap_or(0);
        end.div_ceil(8).checked_next_multiple_of(body.align) != Some(body.size)
    }

    fn member(&self, kind: RecordKind, body: &RecordBody, field: &Field, out: &mut String) {
        let types = &self.module.types;
        let mut text = match (types.get(field.ty.ty), field.bits) {
            (&Type::Array(element, Length::Unknown), _) => {
                // GNU C's empty array lies where the flexible one is not allowed.
                let is_last = body.fields.len() > 1 && body.fields.last() == Some(field) && !self.has_tail(body);
                let is_flexible = is_last && kind == RecordKind::Struct;
                let name = format!("{}{}", field.name, if is_flexible { "[]" } else { "[0]" });
                self.declare(element, name)
            }
            _ => self.declare(field.ty, field.name.clone()),
        };
        if let Some(bits) = field.bits {
            let _ = write!(text, " : {}", bits.width);
        }
        let _ = writeln!(out, "  {text};");
    }
}

/// Members between members.
struct Padding<'f> {
    taken: FxHashSet<&'f str>,
    count: u32,
}

impl Padding<'_> {
    /// Fills the bits from one to the other in a record that is packed.
    fn fill(&mut self, from: u64, to: u64, out: &mut String) {
        if from >= to {
            return;
        }
        let (first_byte, last_byte) = (from.div_ceil(8).saturating_mul(8), to / 8 * 8);
        let char = int_name(IntKind::Char);
        if first_byte > last_byte {
            let _ = writeln!(out, "  {char} : {};", to - from);
            return;
        }
        if from < first_byte {
            let _ = writeln!(out, "  {char} : {};", first_byte - from);
        }
        if first_byte < last_byte {
            let name = self.name();
            let _ = writeln!(out, "  {char} {name}[{}];", (last_byte - first_byte) / 8);
        }
        if last_byte < to {
            let _ = writeln!(out, "  {char} : {};", to - last_byte);
        }
    }

    fn name(&mut self) -> String {
        loop {
            self.count += 1;
            let name = format!("padding_{}", self.count);
            if !self.taken.contains(name.as_str()) {
                return name;
            }
        }
    }
}

fn declaration(field: &Field) -> MemberDeclaration {
    let width = field.bits.map(|bits| bits.width);
    MemberDeclaration { width, ..MemberDeclaration::new(field.name.clone(), field.ty) }
}

/// The body as it is when all members have names.
fn anonymous_names_aside(body: &RecordBody) -> RecordBody {
    let fields = body.fields.iter().map(|field| Field { is_anonymous: false, ..field.clone() }).collect();
    RecordBody { fields, ..*body }
}

/// Complete records, those inside of others before them. Chains of records may be long, so this is no recursion.
fn definition_order(types: &Types) -> Vec<RecordId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    for root in types.records.ids() {
        let mut stack = vec![(root, 0)];
        while let Some((record, next)) = stack.pop() {
            if next == 0 && !seen.insert(record) {
                continue;
            }
            match types.body(record).and_then(|body| body.fields.get(next)) {
                Some(field) => {
                    stack.push((record, next + 1));
                    stack.extend(contained(types, field.ty).map(|inner| (inner, 0)));
                }
                None => order.push(record),
            }
        }
    }
    order
}

/// The record that lies inside of an object of this type.
fn contained(types: &Types, ty: Qualified) -> Option<RecordId> {
    let mut ty: TypeId = ty.ty;
    while let Type::Array(element, _) = types.get(ty) {
        ty = element.ty;
    }
    types.record(ty)
}
