//! Records: tags, members and their layout.

use super::Mention;
use crate::scope::Tag;
use crate::types::Declared;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::layout::{MemberDeclaration, RecordAttributes, lay_out};
use hardbop_c_core::{IntKind, Length, Qualified, Record, RecordId, RecordKind, Type, TypeId};
use hardbop_lang_c::ast::{
    ExprId, FieldDeclarator, Member, RecordKind as WrittenKind, RecordSpecifier, Specifiers, TypeSpecifier,
};
use rustc_hash::FxHashMap;

/// The members of a record so far.
#[derive(Default)]
struct Members {
    list: Vec<MemberDeclaration>,
    /// Where each one stands.
    spans: Vec<Span>,
    /// Where each name stands, those inside anonymous members too.
    names: FxHashMap<String, Span>,
}

impl Unit<'_> {
    /// The type that `struct tag { … }` names.
    pub(super) fn record_type(&mut self, specifier: &RecordSpecifier, mention: Mention) -> TypeId {
        let id = match &specifier.members {
            Some(members) => self.record_definition(specifier, members),
            None => self.record_mention(specifier, mention),
        };
        self.module.types.intern(Type::Record(id))
    }

    fn record_mention(&mut self, specifier: &RecordSpecifier, mention: Mention) -> RecordId {
        let known = specifier.tag.and_then(|tag| match mention {
            Mention::Alone => self.scopes.find_tag_innermost(tag.name),
            Mention::Used => self.scopes.find_tag(tag.name),
        });
        let known = self.known_record(specifier, known).or_else(|| self.seen_record(specifier));
        known.unwrap_or_else(|| self.new_record(specifier))
    }

    /// The record behind a tag, if it is one of the kind that is meant; reports it otherwise.
    fn known_record(&mut self, specifier: &RecordSpecifier, known: Option<Tag>) -> Option<RecordId> {
        let span = match known? {
            Tag::Record(id) if self.module.types.records[id].kind == record_kind(specifier.kind) => return Some(id),
            Tag::Record(id) => self.module.types.records[id].span,
            Tag::Enum(id) => self.module.types.enums[id].span,
        };
        self.wrong_tag(specifier.span, span);
        None
    }

    /// The record of a specifier that is looked at again, as a parameter's is for the body.
    fn seen_record(&mut self, specifier: &RecordSpecifier) -> Option<RecordId> {
        let id = *self.declared.records.get(&specifier.span)?;
        if let Some(tag) = specifier.tag
            && self.scopes.find_tag_innermost(tag.name).is_none()
        {
            self.scopes.declare_tag(tag.name, Tag::Record(id));
        }
        Some(id)
    }

    fn new_record(&mut self, specifier: &RecordSpecifier) -> RecordId {
        let tag = specifier.tag.map(|tag| self.ast.names[tag.name].to_string());
        let name = tag.clone().unwrap_or_default();
        let record = Record { kind: record_kind(specifier.kind), tag, name, body: None, span: specifier.span };
        let id = self.module.types.records.push(record);
        self.declared.records.insert(specifier.span, id);
        if let Some(tag) = specifier.tag {
            self.scopes.declare_tag(tag.name, Tag::Record(id));
        }
        id
    }

    fn record_definition(&mut self, specifier: &RecordSpecifier, members: &[Member]) -> RecordId {
        if let Some(id) = self.seen_record(specifier) {
            return id;
        }
        let known = specifier.tag.and_then(|tag| self.scopes.find_tag_innermost(tag.name));
        let id = match self.known_record(specifier, known) {
            Some(id) if self.module.types.records[id].body.is_some() => {
                let span = self.module.types.records[id].span;
                self.redefined_tag("struct", specifier.span, span);
                self.new_record(specifier)
            }
            Some(id) => id,
            None => self.new_record(specifier),
        };
        self.declared.records.insert(specifier.span, id);
        // What is declared inside is none of a parameter list's business.
        let prototypes = std::mem::replace(&mut self.declared.prototypes, 0);
        let mut list = Members::default();
        for member in members {
            match member {
                Member::Fields { specifiers, declarators } => self.declare_members(&mut list, specifiers, declarators),
                Member::StaticAssert(assertion) => self.static_assert(assertion),
            }
        }
        self.declared.prototypes = prototypes;
        self.check_flexible(record_kind(specifier.kind), &list);
        self.check_order(specifier);
        let attributes = RecordAttributes {
            is_packed: self.has_attribute(&specifier.attributes, "packed"),
            align: self.alignments(&specifier.attributes).pop(),
            pragma_pack: specifier.pragma_pack,
        };
        let body = lay_out(&self.module.types, record_kind(specifier.kind), list.list, attributes);
        let record = &mut self.module.types.records[id];
        record.body = Some(body);
        record.span = specifier.span;
        id
    }

    /// Layouts of other compilers and machines are not known here.
    fn check_order(&mut self, specifier: &RecordSpecifier) {
        for name in ["ms_struct", "scalar_storage_order"] {
            if let Some(attribute) = self.attribute(&specifier.attributes, name) {
                let message = format!("the attribute `{name}` is not supported");
                self.findings.add(Diagnostic::error("unsupported-construct", message, attribute.name.span));
            }
        }
    }

    fn declare_members(&mut self, list: &mut Members, specifiers: &Specifiers, declarators: &[FieldDeclarator]) {
        let mention = if declarators.is_empty() { Mention::Alone } else { Mention::Used };
        let base = self.specified(specifiers, mention);
        let is_packed = self.has_attribute(&specifiers.attributes, "packed");
        if declarators.is_empty() {
            let is_anonymous = matches!(&specifiers.base, TypeSpecifier::Record(record) if record.tag.is_none());
            if is_anonymous {
                self.check_inner_names(list, base.ty.ty, specifiers.span);
                list.push(member(None, base, is_packed), specifiers.span);
            } else {
                let message = "the declaration declares nothing";
                self.findings.add(Diagnostic::warning("empty-declaration", message, specifiers.span));
            }
        }
        for declarator in declarators {
            self.declare_member(list, base, declarator, is_packed);
        }
    }

    fn declare_member(&mut self, list: &mut Members, base: Declared, field: &FieldDeclarator, is_packed: bool) {
        let (declarator, span) = (&field.declarator, field.declarator.span);
        let declared = self.declarator(base, declarator);
        let name = declarator.name.map(|name| self.ast.names[name.name].to_string());
        let is_packed = is_packed || self.has_attribute(&declarator.attributes, "packed");
        let mut member = member(name, declared, is_packed);
        if let Some(width) = field.width {
            member.width = Some(self.width(declared.ty, width, member.name.is_some()));
        } else {
            self.check_member(&mut member, span);
        }
        if let Some(name) = &member.name {
            self.note_name(list, name.clone(), span);
        }
        list.push(member, span);
    }

    fn check_member(&mut self, member: &mut MemberDeclaration, span: Span) {
        let ty = member.ty.ty;
        let is_flexible = matches!(self.module.types.get(ty), Type::Array(_, Length::Unknown));
        if self.is_variably_modified(ty) {
            let message = "a member whose type depends on a variable is not supported";
            self.findings.add(Diagnostic::error("unsupported-construct", message, span));
        } else if !is_flexible && !self.module.types.is_complete(ty) {
            self.findings.add(Diagnostic::error("incomplete-member", "the type of the member has no size", span));
        } else {
            return;
        }
        member.ty = Qualified::plain(self.module.types.int(IntKind::Int));
    }

    fn width(&mut self, ty: Qualified, width: ExprId, is_named: bool) -> u32 {
        let span = self.ast.exprs[width].span;
        let Some(kind) = self.module.types.int_kind(ty.ty) else {
            self.findings.add(Diagnostic::error("invalid-bit-field", "a bit-field is an integer", span));
            return 1;
        };
        // A `_Bool` is as wide as one bit.
        let widest = i128::from(self.module.types.width(kind));
        match self.integer_constant(width) {
            Some(value) if (i128::from(is_named)..=widest).contains(&value) => value as u32,
            _ => {
                let message = format!("the width of the bit-field is no constant between 1 and {widest}");
                self.findings.add(Diagnostic::error("invalid-bit-field", message, span));
                1
            }
        }
    }

    fn check_inner_names(&mut self, list: &mut Members, ty: TypeId, span: Span) {
        let Some(body) = self.module.types.record(ty).and_then(|record| self.module.types.body(record)) else {
            return;
        };
        let fields: Vec<_> =
            body.fields.iter().map(|field| (field.name.clone(), field.is_anonymous, field.ty)).collect();
        for (name, is_anonymous, ty) in fields {
            if is_anonymous {
                self.check_inner_names(list, ty.ty, span);
            } else {
                self.note_name(list, name, span);
            }
        }
    }

    fn note_name(&mut self, list: &mut Members, name: String, span: Span) {
        if let Some(&known) = list.names.get(&name) {
            let finding = Diagnostic::error("duplicate-member", format!("the member `{name}` is declared twice"), span);
            self.findings.add(finding.related("it is declared here", known));
        }
        list.names.insert(name, span);
    }

    fn check_flexible(&mut self, kind: RecordKind, members: &Members) {
        let last = members.list.len().saturating_sub(1);
        for (index, member) in members.list.iter().enumerate() {
            let is_flexible = matches!(self.module.types.get(member.ty.ty), Type::Array(_, Length::Unknown));
            let message = match kind {
                _ if !is_flexible => continue,
                RecordKind::Struct if index == last && members.names.len() > 1 => continue,
                RecordKind::Struct if index == last => "a `struct` has more members than an array without a length",
                _ => "only the last member of a `struct` may be an array without a length",
            };
            self.findings.add(Diagnostic::error("flexible-member", message, members.spans[index]));
        }
    }
}

impl Members {
    fn push(&mut self, member: MemberDeclaration, span: Span) {
        self.list.push(member);
        self.spans.push(span);
    }
}

fn member(name: Option<String>, declared: Declared, is_packed: bool) -> MemberDeclaration {
    let Declared { ty, align, type_align } = declared;
    MemberDeclaration { name, ty, width: None, is_packed, align, type_align }
}

fn record_kind(kind: WrittenKind) -> RecordKind {
    match kind {
        WrittenKind::Struct => RecordKind::Struct,
        WrittenKind::Union => RecordKind::Union,
    }
}
