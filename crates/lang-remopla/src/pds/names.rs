//! Names as numbers.

use hardbop_base::{IndexVec, newtype_index};
use rustc_hash::FxHashMap;

newtype_index! {
    /// A name: of a control state, a stack symbol, a variable or a constant.
    pub struct NameId = "name";
}

/// All names of a system.
#[derive(Clone, Default, Debug)]
pub struct Names {
    texts: IndexVec<NameId, Box<str>>,
    known: FxHashMap<Box<str>, NameId>,
}

impl Names {
    /// The text of `name`.
    pub fn text(&self, name: NameId) -> &str {
        &self.texts[name]
    }

    pub(crate) fn find(&self, text: &str) -> Option<NameId> {
        self.known.get(text).copied()
    }

    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        if let Some(&name) = self.known.get(text) {
            return name;
        }
        let name = self.texts.push(text.into());
        self.known.insert(text.into(), name);
        name
    }
}
