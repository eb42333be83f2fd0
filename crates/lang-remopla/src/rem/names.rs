//! Interned names: one number per distinct spelling, all spellings in one string.

use hardbop_base::{Idx, IndexVec, newtype_index};
use rustc_hash::FxHashMap;

newtype_index! {
    /// A name. The keywords come first.
    pub struct Symbol = "name";
}

/// The spelling of every [`Symbol`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    text: String,
    ends: IndexVec<Symbol, u32>,
}

impl Names {
    /// How `symbol` is spelled.
    pub fn text(&self, symbol: Symbol) -> &str {
        let start = symbol.index().checked_sub(1).map_or(0, |before| self.ends.as_slice()[before]);
        &self.text[start as usize..self.ends[symbol] as usize]
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn add(&mut self, text: &str) -> Symbol {
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).expect("distinct names take no more room than the source");
        self.ends.push(end)
    }
}

/// Finds the symbol of a spelling. Its keys are slices of the source, so a known name costs no allocation.
#[derive(Debug)]
pub(super) struct Interner<'t> {
    known: FxHashMap<&'t str, Symbol>,
    pub(super) names: Names,
}

impl<'t> Interner<'t> {
    pub(super) fn new() -> Self {
        let mut interner = Self { known: FxHashMap::default(), names: Names::default() };
        for keyword in Keyword::ALL {
            interner.symbol(keyword.text());
        }
        interner
    }

    pub(super) fn symbol(&mut self, text: &'t str) -> Symbol {
        *self.known.entry(text).or_insert_with(|| self.names.add(text))
    }
}

macro_rules! keywords {
    ($($name:ident = $text:literal,)+) => {
        /// A word that means something. Only [`Keyword::is_reserved`] ones mean it everywhere.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Keyword { $($name,)+ }

        impl Keyword {
            const ALL: &'static [Self] = &[$(Self::$name,)+];

            pub(super) fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }
        }
    };
}

keywords! {
    Define = "define", Bool = "bool", Int = "int", Enum = "enum", Struct = "struct", Module = "module", Void = "void",
    Init = "init", If = "if", Fi = "fi", Do = "do", Od = "od", Else = "else", Skip = "skip", Goto = "goto",
    Break = "break", Return = "return", Undef = "undef", True = "true", False = "false", Fork = "fork",
    Pchoice = "pchoice", Choicep = "choicep", Unsigned = "unsigned",
    Signed = "signed", Shared = "shared", All = "A", Some = "E", IntBits = "DEFAULT_INT_BITS",
}

impl Keyword {
    pub(super) fn of(symbol: Symbol) -> Option<Self> {
        Self::ALL.get(symbol.index()).copied()
    }

    pub(super) fn symbol(self) -> Symbol {
        Symbol::from_usize(self as usize)
    }

    /// Whether it can be no name at all.
    pub(super) fn is_reserved(self) -> bool {
        (self as usize) <= Self::Unsigned as usize
    }
}
