//! Interned names: one number per distinct spelling, the keywords first.

use crate::ast::Name;
use hardbop_base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

/// Finds the name of a spelling. Its keys are slices of the source, so a known name costs no allocation.
#[derive(Debug)]
pub(crate) struct Interner<'t> {
    known: FxHashMap<&'t str, Name>,
    /// Spellings that stand nowhere in the source, such as one with `\u00e9` resolved.
    made: FxHashMap<Box<str>, Name>,
    pub(crate) names: IndexVec<Name, Box<str>>,
}

impl<'t> Interner<'t> {
    pub(crate) fn new() -> Self {
        let mut interner = Self { known: FxHashMap::default(), made: FxHashMap::default(), names: IndexVec::new() };
        for &(text, _) in SPELLINGS {
            interner.intern(text);
        }
        interner
    }

    #[inline]
    pub(crate) fn intern(&mut self, text: &'t str) -> Name {
        match self.known.get(text) {
            Some(&name) => name,
            None => self.add(text),
        }
    }

    #[cold]
    fn add(&mut self, text: &'t str) -> Name {
        let name = match self.made.get(text) {
            Some(&name) => name,
            None => self.names.push(text.into()),
        };
        self.known.insert(text, name);
        name
    }

    pub(crate) fn intern_made(&mut self, text: String) -> Name {
        let text = text.into_boxed_str();
        if let Some(&name) = self.known.get(&*text) {
            return name;
        }
        *self.made.entry(text).or_insert_with_key(|text| self.names.push(text.clone()))
    }
}

macro_rules! keywords {
    ($($keyword:ident = $($text:literal)|+,)+) => {
        /// A word that is never a name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Keyword { $($keyword,)+ }

        /// Every spelling of every keyword; the name of a spelling is its place in this list.
        const SPELLINGS: &[(&str, Keyword)] = &[$($(($text, Keyword::$keyword),)+)+];
    };
}

keywords! {
    Typedef = "typedef", Extern = "extern", Static = "static", Auto = "auto", Register = "register",
    Inline = "inline" | "__inline" | "__inline__", Noreturn = "_Noreturn",
    ThreadLocal = "_Thread_local" | "__thread", Alignas = "_Alignas",
    Const = "const" | "__const" | "__const__", Volatile = "volatile" | "__volatile" | "__volatile__",
    Restrict = "restrict" | "__restrict" | "__restrict__", Atomic = "_Atomic",
    AddressSpace = "__seg_fs" | "__seg_gs",
    Void = "void", Char = "char", Short = "short", Int = "int", Long = "long",
    Signed = "signed" | "__signed" | "__signed__", Unsigned = "unsigned", Bool = "_Bool", Int128 = "__int128",
    Float = "float", Double = "double", Float16 = "_Float16" | "__fp16" | "__bf16",
    Float32 = "_Float32", Float64 = "_Float64", Float32x = "_Float32x", Float64x = "_Float64x" | "__float80",
    Float128 = "_Float128" | "__float128",
    Decimal32 = "_Decimal32", Decimal64 = "_Decimal64", Decimal128 = "_Decimal128",
    Complex = "_Complex" | "__complex" | "__complex__",
    VaList = "__builtin_va_list" | "__builtin_ms_va_list" | "__builtin_sysv_va_list",
    Struct = "struct", Union = "union", Enum = "enum",
    Typeof = "typeof" | "__typeof" | "__typeof__", AutoType = "__auto_type",
    Attribute = "__attribute__" | "__attribute", Extension = "__extension__",
    StaticAssert = "_Static_assert", Asm = "asm" | "__asm" | "__asm__",
    If = "if", Else = "else", While = "while", Do = "do", For = "for", Switch = "switch", Case = "case",
    Default = "default", Goto = "goto", Break = "break", Continue = "continue", Return = "return", Label = "__label__",
    Sizeof = "sizeof", Alignof = "_Alignof" | "__alignof" | "__alignof__", Generic = "_Generic",
    Real = "__real__" | "__real", Imaginary = "__imag__" | "__imag",
    VaArg = "__builtin_va_arg", Offsetof = "__builtin_offsetof", TypesCompatible = "__builtin_types_compatible_p",
    Choose = "__builtin_choose_expr", ConvertVector = "__builtin_convertvector",
}

impl Keyword {
    #[inline]
    pub(crate) fn of(name: Name) -> Option<Self> {
        SPELLINGS.get(name.index()).map(|&(_, keyword)| keyword)
    }

    /// Whether the name of a type can begin with it.
    #[inline]
    pub(crate) fn starts_type(self) -> bool {
        let number = self as u8;
        Self::Const as u8 <= number && number <= Self::Attribute as u8
    }

    /// Whether a declaration can begin with it, `__extension__` and `_Static_assert` apart.
    #[inline]
    pub(crate) fn starts_declaration(self) -> bool {
        self as u8 <= Self::Attribute as u8
    }
}
