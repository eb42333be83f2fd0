//! Declarations: what stands at the top of the file and in blocks.
//!
//! Names with linkage are one thing in the whole unit, wherever they are declared; [`Declarations`] knows them also
//! where no scope does. What a definition needs that only the end of the unit tells (tentative definitions, inline
//! functions, aliases) is settled there.

mod alias;
mod function;
mod kept;
mod linked;
mod literal;
mod local;
mod settle;
mod symbol;
mod weak;

pub(crate) use literal::unit_count;

use crate::scope::Meaning;
use crate::types::{Declared, Mention};
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{Block, EnumId, FunctionId, IntKind, Qualified, RecordId, Type, VarId, VarKind, Variable};
use hardbop_lang_c::ast::{
    Declaration, Ident, InitDeclarator, Initialiser, Item, Name, Specifiers, StaticAssert, Storage, TypeSpecifier,
    Units,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of declarations beyond scopes.
#[derive(Default)]
pub(crate) struct Declarations {
    /// How many parameter lists are open.
    pub prototypes: u32,
    /// Whether the parameter at hand has a length that is given elsewhere.
    pub has_varying_length: bool,
    /// Whether the function at hand has types with lengths that only a run knows.
    pub has_variable_types: bool,
    /// The record of each specifier that made one.
    pub records: FxHashMap<Span, RecordId>,
    /// The enumeration of each specifier that made one.
    pub enums: FxHashMap<Span, EnumId>,
    /// Unions that a function takes by any of their members.
    pub transparent: FxHashSet<RecordId>,
    /// Names with linkage.
    linked: FxHashMap<Name, Linked>,
    /// What has been said of functions.
    facts: FxHashMap<FunctionId, Facts>,
    /// Functions whose type has become another one after the first declaration.
    changed: FxHashSet<FunctionId>,
    /// Variables that are defined unless nothing else defines them.
    tentative: Vec<VarId>,
    /// Functions that are another by `alias`, with that one's name.
    aliases: Vec<(FunctionId, String, Span)>,
    /// Variables that are another by `alias`, with that one's name.
    variable_aliases: Vec<(VarId, String, Span)>,
    /// Variables in sections whose functions the start or the end of a run calls.
    called: Vec<(VarId, kept::Phase)>,
    /// Functions that are what another returns, by `ifunc`, with that one's name.
    resolved: Vec<(FunctionId, String, Span)>,
    /// Bodies that mean something only where they are inlined, with the place that says so.
    inlined: Vec<(FunctionId, Block, Span)>,
    /// The object of each string.
    literals: FxHashMap<(IntKind, Box<[u8]>), VarId>,
    /// Functions that every compiler knows.
    builtins: FxHashMap<Box<str>, FunctionId>,
    /// The object of the name of the function at hand.
    function_name: Option<(FunctionId, VarId)>,
}

/// What a name with linkage stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Linked {
    Var(VarId),
    Function(FunctionId),
}

/// What has been said of a function.
#[derive(Clone, Copy, Default, Debug)]
struct Facts {
    /// It was called before it was declared, and is not declared yet.
    is_implicit: bool,
    /// A declaration makes its definition one for other units, too.
    is_for_others: bool,
    /// Its body is only there to be inlined, and a real definition may follow.
    is_gnu_inline: bool,
}

impl Facts {
    /// Whether a body at hand is the function, to other units as well.
    fn is_definition_for_others(&self) -> bool {
        self.is_for_others && !self.is_gnu_inline
    }
}

impl Unit<'_> {
    /// Lowers the translation unit.
    pub fn items(&mut self) {
        let ast = self.ast;
        for item in &ast.items {
            match item {
                Item::Function(definition) => self.function_definition(definition),
                Item::Declaration(declaration) => self.declaration(declaration),
                Item::StaticAssert(assertion) => self.static_assert(assertion),
                Item::Asm { text, span } => {
                    let bytes = match &ast.strings[*text].units {
                        Units::Bytes(bytes) => bytes.to_vec(),
                        Units::Wide(_) => Vec::new(),
                    };
                    self.module.asm.push((bytes, *span));
                }
            }
            if self.findings.is_full() {
                return;
            }
        }
        self.settle_declarations();
    }

    /// A declaration inside a function: storage, scope, and the statements that initialise it.
    pub fn local_declaration(&mut self, declaration: &Declaration) {
        self.declaration(declaration);
    }

    /// `_Static_assert(condition, "message")`
    pub fn static_assert(&mut self, assertion: &StaticAssert) {
        let span = self.ast.exprs[assertion.condition].span;
        match self.integer_constant(assertion.condition) {
            Some(0) => {
                let message = match assertion.message.map(|message| &self.ast.strings[message].units) {
                    Some(Units::Bytes(bytes)) => {
                        format!("the static assertion fails: {}", String::from_utf8_lossy(bytes))
                    }
                    _ => "the static assertion fails".to_owned(),
                };
                self.findings.add(Diagnostic::error("static-assertion", message, assertion.span));
            }
            Some(_) => {}
            None => {
                let message = "the condition of a static assertion is not constant";
                self.findings.add(Diagnostic::error("not-constant", message, span));
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let specifiers = &declaration.specifiers;
        if matches!(specifiers.base, TypeSpecifier::Auto) {
            for declarator in &declaration.declarators {
                let base = self.auto_base(specifiers, declarator);
                self.declare(specifiers, base, declarator);
            }
            return;
        }
        let is_alone = declaration.declarators.is_empty() && specifiers.storage != Some(Storage::Typedef);
        let base = self.specified(specifiers, if is_alone { Mention::Alone } else { Mention::Used });
        self.note_transparent(specifiers, base.ty);
        for declarator in &declaration.declarators {
            self.declare(specifiers, base, declarator);
        }
    }

    /// The type that `__auto_type` takes from the initialiser.
    fn auto_base(&mut self, specifiers: &Specifiers, declarator: &InitDeclarator) -> Declared {
        let Some(Initialiser::Expr(expr)) = declarator.init else {
            return self.specified(specifiers, Mention::Used);
        };
        let ty = self.type_of(expr);
        let ty = Qualified::plain(self.value_type(ty));
        self.qualified_base(ty, None, specifiers)
    }

    fn declare(&mut self, specifiers: &Specifiers, base: Declared, declarator: &InitDeclarator) {
        let Some(name) = declarator.declarator.name else {
            return;
        };
        let declared = self.declarator(base, &declarator.declarator);
        if specifiers.storage == Some(Storage::Typedef) {
            return self.typedef(name, declared, specifiers, declarator);
        }
        if self.module.types.is_function(declared.ty.ty) {
            self.declare_function(name, declared.ty.ty, specifiers, &declarator.declarator);
            if declarator.init.is_some() {
                let message = "a function cannot be initialised";
                self.findings.add(Diagnostic::error("invalid-initialiser", message, name.span));
            }
            return;
        }
        let is_lasting = matches!(specifiers.storage, Some(Storage::Extern | Storage::Static));
        if is_lasting && self.is_variably_modified(declared.ty.ty) {
            let message = "the length of an array that lives as long as the program is not constant";
            self.findings.add(Diagnostic::error("variable-length", message, name.span));
            self.local(name, declared, specifiers, declarator);
        } else if self.function.is_none() || specifiers.storage == Some(Storage::Extern) {
            self.declare_global(name, declared, specifiers, declarator);
        } else if specifiers.storage == Some(Storage::Static) {
            self.static_local(name, declared, specifiers, declarator);
        } else {
            self.local(name, declared, specifiers, declarator);
        }
    }

    fn typedef(&mut self, name: Ident, declared: Declared, specifiers: &Specifiers, declarator: &InitDeclarator) {
        if let Some(known) = self.scopes.find_innermost(name.name) {
            let is_same = matches!(known.meaning, Meaning::Typedef(ty) if self.is_same(ty, declared.ty));
            if !is_same {
                self.redeclared(name, known.span);
            }
        }
        if self.has_attribute(&declarator.declarator.attributes, "transparent_union")
            && let Type::Record(record) = *self.module.types.get(declared.ty.ty)
        {
            self.declared.transparent.insert(record);
        }
        let own = self.alignments(&declarator.declarator.attributes).pop();
        let align = own.or_else(|| self.alignments(&specifiers.attributes).pop()).or(declared.type_align);
        self.scopes.declare_type(name.name, declared.ty, align, name.span);
    }

    fn is_same(&self, left: Qualified, right: Qualified) -> bool {
        left.qualifiers == right.qualifiers && self.module.types.is_compatible_within_unit(left.ty, right.ty)
    }

    fn note_transparent(&mut self, specifiers: &Specifiers, ty: Qualified) {
        let TypeSpecifier::Record(record) = &specifiers.base else {
            return;
        };
        let is_transparent = self.has_attribute(&record.attributes, "transparent_union")
            || self.has_attribute(&specifiers.attributes, "transparent_union");
        if is_transparent && let Type::Record(record) = *self.module.types.get(ty.ty) {
            self.declared.transparent.insert(record);
        }
    }

    /// Reports that `name` means something else in this scope already.
    pub fn redeclared(&mut self, name: Ident, known: Span) {
        let message = format!("`{}` is declared twice", self.ast.names[name.name]);
        let finding = Diagnostic::error("redeclared", message, name.span);
        self.findings.add(finding.related("it is declared here", known));
    }

    /// A variable that is not initialised yet.
    fn variable(&mut self, name: Ident, declared: Declared, kind: VarKind) -> Variable {
        let natural = self.module.types.align_of_qualified(declared.ty);
        Variable {
            name: String::new(),
            source_name: self.ast.names[name.name].to_string(),
            ty: declared.ty,
            kind,
            init: None,
            is_thread_local: false,
            is_weak: false,
            symbol: None,
            other_names: Vec::new(),
            is_model: false,
            is_kept: false,
            is_address_taken: false,
            align: declared.align.max(declared.type_align).filter(|&align| align > natural),
            span: name.span,
        }
    }
}
