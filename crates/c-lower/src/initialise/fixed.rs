//! What objects of static storage start with.

use super::{PartValue, Source, Storage};
use crate::unit::Unit;
use hardbop_c_core::{InitialPart, InitialValue, Initialiser, VarId};
use hardbop_lang_c::ast::Initialiser as Written;

impl Unit<'_> {
    /// Gives a variable of static storage what it starts with, and its length if that is still open.
    pub fn initialise_static(&mut self, var: VarId, init: &Written) {
        self.initialise_fixed(var, init.into());
    }

    pub(super) fn initialise_fixed(&mut self, var: VarId, source: Source<'_>) {
        let ast = self.ast;
        let parts = self.parts(self.module.vars[var].ty.ty, source, Storage::Static);
        self.module.vars[var].ty.ty = self.completed(self.module.vars[var].ty.ty, parts.length);
        let mut list = Vec::with_capacity(parts.list.len());
        for part in parts.list {
            let value = match part.value {
                PartValue::Expr(expr) => self.static_value(expr, part.ty).map(InitialValue::Expr),
                PartValue::String(string) => {
                    let length = self.string_room(part.ty, string).1;
                    Some(InitialValue::Bytes(self.literal_bytes(&ast.strings[string], length)))
                }
            };
            let Some(value) = value else { continue };
            list.extend(part.others.into_iter().map(|path| InitialPart { path, value: value.clone() }));
            list.push(InitialPart { path: part.path, value });
        }
        self.module.vars[var].init = Some(Initialiser { parts: list });
    }
}
