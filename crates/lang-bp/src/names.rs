//! Interned names: one number per distinct spelling, all spellings in one string.

use hardbop_base::{Idx, IndexVec, newtype_index};
use rustc_hash::FxHashMap;

newtype_index! {
    /// A name: of a variable, a procedure or a label. The keywords come first.
    pub struct Symbol = "name";
}

/// The spelling of every [`Symbol`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    text: String,
    ends: IndexVec<Symbol, u32>,
}

impl Names {
    /// How `symbol` is spelled; a name in braces with its braces.
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

    fn add(&mut self, parts: [&str; 3]) -> Symbol {
        for part in parts {
            self.text.push_str(part);
        }
        let end = u32::try_from(self.text.len()).expect("distinct names take no more room than the source");
        self.ends.push(end)
    }
}

/// Finds the symbol of a spelling. Its keys are slices of the source, so a known name costs no allocation.
#[derive(Debug)]
pub(crate) struct Interner<'t> {
    plain: FxHashMap<&'t str, Symbol>,
    braced: FxHashMap<&'t str, Symbol>,
    pub(crate) names: Names,
}

impl<'t> Interner<'t> {
    pub(crate) fn new() -> Self {
        let mut interner = Self { plain: FxHashMap::default(), braced: FxHashMap::default(), names: Names::default() };
        for keyword in Keyword::ALL {
            interner.plain(keyword.text());
        }
        interner
    }

    pub(crate) fn plain(&mut self, text: &'t str) -> Symbol {
        *self.plain.entry(text).or_insert_with(|| self.names.add([text, "", ""]))
    }

    /// The name `{inside}`. It is never the plain name `inside`.
    pub(crate) fn braced(&mut self, inside: &'t str) -> Symbol {
        *self.braced.entry(inside).or_insert_with(|| self.names.add(["{", inside, "}"]))
    }
}

macro_rules! keywords {
    ($($name:ident = $text:literal,)+) => {
        /// A word that means something in some place. Only [`Keyword::is_reserved`] ones mean it everywhere.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Keyword { $($name,)+ }

        impl Keyword {
            const ALL: &'static [Self] = &[$(Self::$name,)+];

            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }
        }
    };
}

keywords! {
    Decl = "decl", Void = "void", Bool = "bool", Begin = "begin", End = "end",
    If = "if", Then = "then", Elsif = "elsif", Else = "else", Fi = "fi",
    While = "while", Do = "do", Od = "od",
    Goto = "goto", Return = "return", Skip = "skip", Assert = "assert", Assume = "assume",
    True = "T", False = "F", TrueWord = "true", FalseWord = "false", Discard = "_",
    Dfs = "dfs", Enforce = "enforce", AbortIf = "abortif", Constrain = "constrain", Schoose = "schoose",
    Print = "print", Dead = "dead", StartThread = "start_thread", EndThread = "end_thread", Sync = "sync",
    AtomicBegin = "atomic_begin", AtomicEnd = "atomic_end",
}

impl Keyword {
    pub(crate) fn of(symbol: Symbol) -> Option<Self> {
        Self::ALL.get(symbol.index()).copied()
    }

    pub(crate) fn symbol(self) -> Symbol {
        Symbol::from_usize(self as usize)
    }

    /// Whether it can be no name at all.
    pub(crate) fn is_reserved(self) -> bool {
        (self as usize) <= Self::Assume as usize
    }

    /// The constant that it means.
    pub(crate) fn constant(self) -> Option<bool> {
        match self {
            Self::True | Self::TrueWord => Some(true),
            Self::False | Self::FalseWord => Some(false),
            _ => None,
        }
    }
}
