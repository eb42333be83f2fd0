//! What names mean: ordinary identifiers and tags, each in nested scopes.

use hardbop_base::Span;
use hardbop_c_core::{EnumId, FunctionId, Qualified, RecordId, TypeId, VarId};
use hardbop_lang_c::ast::Name;
use rustc_hash::FxHashMap;

/// What an ordinary identifier means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// A type.
    Typedef(Qualified),
    /// A variable.
    Var(VarId),
    /// A function.
    Function(FunctionId),
    /// A constant of an enumeration: its value and its type in expressions.
    Constant(i128, TypeId),
}

/// What a tag means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    /// `struct`, `union`
    Record(RecordId),
    /// `enum`
    Enum(EnumId),
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// What it means.
    pub meaning: Meaning,
    /// Where it is declared.
    pub span: Span,
    /// The alignment that a name of a type asks for.
    pub align: Option<u64>,
}

/// Nested scopes, the innermost last; the first is the file's.
#[derive(Debug)]
pub(crate) struct Scopes {
    names: Vec<FxHashMap<Name, Entry>>,
    tags: Vec<FxHashMap<Name, Tag>>,
    /// The block that is entered next has the scope that is open: a function's body, and its parameters.
    is_shared: bool,
    /// How many scopes are open where a block shares one.
    shared: Option<usize>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self { names: vec![FxHashMap::default()], tags: vec![FxHashMap::default()], is_shared: false, shared: None }
    }
}

impl Scopes {
    /// Lets the block that is entered next have the innermost scope as its own.
    pub fn share(&mut self) {
        self.is_shared = true;
    }

    /// Enters a scope.
    pub fn open(&mut self) {
        if std::mem::replace(&mut self.is_shared, false) {
            self.shared = Some(self.names.len());
            return;
        }
        self.names.push(FxHashMap::default());
        self.tags.push(FxHashMap::default());
    }

    /// Leaves the innermost scope.
    pub fn close(&mut self) {
        if self.shared == Some(self.names.len()) {
            self.shared = None;
            return;
        }
        self.names.pop();
        self.tags.pop();
    }

    /// What `name` means here.
    pub fn find(&self, name: Name) -> Option<Meaning> {
        self.entry(name).map(|entry| entry.meaning)
    }

    /// What `name` means here, and where it is declared.
    pub fn entry(&self, name: Name) -> Option<Entry> {
        self.names.iter().rev().find_map(|scope| scope.get(&name)).copied()
    }

    /// What `name` means in the innermost scope.
    pub fn find_innermost(&self, name: Name) -> Option<Entry> {
        self.names.last().and_then(|scope| scope.get(&name)).copied()
    }

    /// Gives `name` a meaning in the innermost scope.
    pub fn declare(&mut self, name: Name, meaning: Meaning, span: Span) {
        let entry = Entry { meaning, span, align: None };
        self.names.last_mut().expect("the file's scope stays").insert(name, entry);
    }

    /// Makes `name` a type in the innermost scope, with an alignment of its own.
    pub fn declare_type(&mut self, name: Name, ty: Qualified, align: Option<u64>, span: Span) {
        let entry = Entry { meaning: Meaning::Typedef(ty), span, align };
        self.names.last_mut().expect("the file's scope stays").insert(name, entry);
    }

    /// What the tag `name` means here.
    pub fn find_tag(&self, name: Name) -> Option<Tag> {
        self.tags.iter().rev().find_map(|scope| scope.get(&name)).copied()
    }

    /// What the tag `name` means in the innermost scope.
    pub fn find_tag_innermost(&self, name: Name) -> Option<Tag> {
        self.tags.last().and_then(|scope| scope.get(&name)).copied()
    }

    /// Gives the tag `name` a meaning in the innermost scope.
    pub fn declare_tag(&mut self, name: Name, tag: Tag) {
        self.tags.last_mut().expect("the file's scope stays").insert(name, tag);
    }
}
