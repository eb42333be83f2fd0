//! A whole program: types, variables and functions.

use crate::{Block, Expr, Label, LabelId, Qualified, TypeId, Types};
use hardbop_base::{IndexVec, Span, newtype_index};

newtype_index! {
    /// A variable: global or local, of any function.
    pub struct VarId = "x";
    /// A function.
    pub struct FunctionId = "f";
}

/// A program, of one translation unit or of several that are linked.
#[derive(Clone, Debug)]
pub struct Module {
    /// All types.
    pub types: Types,
    /// All variables.
    pub vars: IndexVec<VarId, Variable>,
    /// All functions, those without a body too.
    pub functions: IndexVec<FunctionId, Function>,
    /// `asm("…")` outside of functions.
    pub asm: Vec<(Vec<u8>, Span)>,
}

/// Who else can see a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// Every translation unit.
    External,
    /// This one.
    Internal,
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Declared outside of functions, or `extern` inside one.
    Global(Linkage),
    /// `static` inside this function.
    StaticLocal(FunctionId),
    /// The object of a string literal. Equal literals may share one.
    Literal,
    /// A parameter.
    Parameter(FunctionId),
    /// Declared inside this function, or a compound literal.
    Local(FunctionId),
    /// Made up to hold a value on the way.
    Temporary(FunctionId),
}

impl VarKind {
    /// The function whose activations have their own copy.
    pub fn owner(self) -> Option<FunctionId> {
        match self {
            Self::Parameter(function) | Self::Local(function) | Self::Temporary(function) => Some(function),
            Self::Global(_) | Self::StaticLocal(_) | Self::Literal => None,
        }
    }
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name it is printed with: no two globals and no two variables of one function share it, and no local hides a
    /// global or function.
    pub name: String,
    /// The name in the source; of a temporary, the text of what it holds, such as `p->next`.
    pub source_name: String,
    /// Its type.
    pub ty: Qualified,
    /// What it is.
    pub kind: VarKind,
    /// What an object of static storage starts with; `None` where it is only declared, and for locals, whose
    /// initialisers are assignments.
    pub init: Option<Initialiser>,
    /// Each thread has its own.
    pub is_thread_local: bool,
    /// `weak`: another definition takes its place, and where there is none its address is null.
    pub is_weak: bool,
    /// What `asm("symbol")` says that the linker calls it, if that was said.
    pub symbol: Option<String>,
    /// What else it is called where units are joined, whatever its linkage.
    pub other_names: Vec<OtherName>,
    /// `used`, or in a section that others look through: who is outside finds it, whatever its linkage.
    pub is_kept: bool,
    /// Whether its address is taken anywhere, also by an array that becomes a pointer.
    pub is_address_taken: bool,
    /// An alignment beyond its type's.
    pub align: Option<u64>,
    /// Only models speak of it.
    pub is_model: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Variable {
    /// A variable that holds the value of `text`, a part of the source. It has no name to be printed with yet.
    pub fn temporary(owner: FunctionId, ty: TypeId, text: &str, span: Span) -> Self {
        Self {
            name: String::new(),
            source_name: text.to_owned(),
            ty: Qualified::plain(ty),
            kind: VarKind::Temporary(owner),
            init: None,
            is_thread_local: false,
            is_weak: false,
            symbol: None,
            other_names: Vec::new(),
            is_kept: false,
            is_model: false,
            is_address_taken: false,
            align: None,
            span,
        }
    }

    /// Whether there may be no such variable, and its address is null then.
    pub fn may_be_missing(&self) -> bool {
        self.is_weak && self.init.is_none()
    }

    /// What it is called where units are joined.
    pub fn linker_name(&self) -> &str {
        self.symbol.as_ref().unwrap_or(&self.source_name)
    }

    /// Whether it is made by linkers, `__start_NAME` or `__stop_NAME`: all that is in the section of this name is behind
    /// it.
    pub fn bounds_section(&self) -> bool {
        let is_named = ["__start_", "__stop_"].iter().any(|prefix| self.linker_name().starts_with(prefix));
        is_named && self.kind == VarKind::Global(Linkage::External) && self.init.is_none()
    }

    /// Whether other units have a name for it.
    pub fn is_named_outside(&self) -> bool {
        self.kind == VarKind::Global(Linkage::External) || !self.other_names.is_empty()
    }
}

/// Another name of a variable, by `alias`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherName {
    /// What the linker sees.
    pub symbol: String,
    /// `weak`: a variable of this name that is defined elsewhere takes its place.
    pub is_weak: bool,
    /// Whether its unit has used it, which speaks of the variable itself by now.
    pub is_used: bool,
}

/// What an object of static storage starts with. What is not said is zero.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Initialiser {
    /// Parts and their values, in order of writing; a later one replaces an earlier one.
    pub parts: Vec<InitialPart>,
}

/// A part of an object with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitialPart {
    /// The way to it.
    pub path: Vec<InitialStep>,
    /// What is there.
    pub value: InitialValue,
}

/// A step on the way to a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InitialStep {
    /// A member.
    Field(u32),
    /// An element.
    Index(u64),
    /// All elements from the first to the second, both included.
    Range(u64, u64),
}

impl InitialStep {
    /// The first and the last of what it leads to.
    pub fn bounds(self) -> (u64, u64) {
        match self {
            Self::Field(field) => (field.into(), field.into()),
            Self::Index(index) => (index, index),
            Self::Range(first, last) => (first, last),
        }
    }

    /// Whether two steps from one place may lead to the same.
    pub fn meets(self, other: Self) -> bool {
        let ((first, last), (from, to)) = (self.bounds(), other.bounds());
        first <= to && from <= last
    }
}

/// The value of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InitialValue {
    /// A constant expression of the part's type: numbers, and addresses with offsets.
    Expr(Expr),
    /// The first elements of an array of integers, from the first on.
    Bytes(Box<[u8]>),
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name it is printed with; no global shares it.
    pub name: String,
    /// The name in the source.
    pub source_name: String,
    /// Its type, a [`Type::Function`](crate::Type::Function).
    pub ty: TypeId,
    /// Who else can see it.
    pub linkage: Linkage,
    /// It does not return.
    pub is_noreturn: bool,
    /// `returns_twice`: one call may return more than once.
    pub returns_twice: bool,
    /// It runs before `main`.
    pub is_constructor: bool,
    /// It runs when the run ends.
    pub is_destructor: bool,
    /// `weak`: another definition takes its place, and where there is none its address is null.
    pub is_weak: bool,
    /// What `asm("symbol")` says that the linker calls it, if that was said.
    pub symbol: Option<String>,
    /// `used`, or in a section that others look through: who is outside finds it, whatever its linkage.
    pub is_kept: bool,
    /// Whether its address is taken, other than to be called.
    pub is_address_taken: bool,
    /// Whether it is a copy of a model of the library, made for one call. The user did not write it: what happens inside
    /// is said of the call.
    pub is_model: bool,
    /// What it does, if that is known.
    pub body: Option<Body>,
    /// Where its name stands.
    pub span: Span,
}

impl Function {
    /// Whether there may be no such function, and its address is null then.
    pub fn may_be_missing(&self) -> bool {
        self.is_weak && self.body.is_none()
    }

    /// What it is called where units are joined.
    pub fn linker_name(&self) -> &str {
        self.symbol.as_ref().unwrap_or(&self.source_name)
    }
}

/// What a function does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The parameters in order.
    pub parameters: Vec<VarId>,
    /// Its other variables, statics not counted.
    pub locals: Vec<VarId>,
    /// Its labels.
    pub labels: IndexVec<LabelId, Label>,
    /// Its statements. Falling off the end returns without a value.
    pub block: Block,
    /// Its closing brace.
    pub end: Span,
}
