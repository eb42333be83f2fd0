//! What others find though they have no name for it: `used`, `section` and names in assembly.
//!
//! Linkers make tables of what is in a section, such as the functions that start a kernel, and whoever looks through such
//! a table knows what is in it. The tables of the C runtime are known: it calls the functions before `main`, or at the end.

use crate::unit::Unit;
use hardbop_c_core::{Expr, ExprKind, FunctionId, InitialValue, VarId, VarKind, Variable};
use hardbop_lang_c::ast::{Attribute, Declarator, Specifiers};
use rustc_hash::FxHashSet;

/// When the C runtime calls the functions in a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Start,
    End,
}

/// What attributes say of where something is.
pub(super) struct Placement {
    /// Others find it.
    pub is_kept: bool,
    /// It is in a table of the C runtime.
    phase: Option<Phase>,
}

impl Unit<'_> {
    pub(super) fn placement(&self, all: [&Vec<Attribute>; 2]) -> Placement {
        let section = all.iter().find_map(|attributes| self.attribute_text(attributes, "section"));
        let section = section.map(|(name, _)| name);
        let phase = section.as_deref().and_then(phase);
        let has = |name: &str| all.iter().any(|attributes| self.has_attribute(attributes, name));
        let is_used = has("used") || has("retain") || section.is_some_and(|name| !is_plain(&name));
        Placement { is_kept: is_used && phase.is_none(), phase }
    }

    /// Takes note of where a variable is.
    pub(super) fn note_placement(&mut self, var: VarId, specifiers: &Specifiers, declarator: &Declarator) {
        let Placement { is_kept, phase } = self.placement([&specifiers.attributes, &declarator.attributes]);
        self.module.vars[var].is_kept |= is_kept;
        self.declared.called.extend(phase.map(|phase| (var, phase)));
    }

    /// What `asm` outside of functions names it has, and the C runtime calls the functions that it puts into tables.
    pub(super) fn settle_assembly(&mut self) {
        for (text, _) in &self.module.asm {
            let text = String::from_utf8_lossy(text);
            let words: FxHashSet<&str> = text.split(|part: char| !is_word(part)).collect();
            let has = |sections: &[&str]| sections.iter().any(|section| text.contains(section));
            let (is_first, is_last) = (has(&CALLED_FIRST), has(&CALLED_LAST));
            for row in self.module.functions.iter_mut().filter(|row| words.contains(row.linker_name())) {
                row.is_kept = true;
                row.is_constructor |= is_first;
                row.is_destructor |= is_last;
            }
            let is_global = |row: &&mut Variable| matches!(row.kind, VarKind::Global(_));
            for row in self.module.vars.iter_mut().filter(is_global).filter(|row| words.contains(row.linker_name())) {
                row.is_kept = true;
            }
        }
    }

    /// Functions in tables of the C runtime are constructors and destructors.
    pub(super) fn settle_called(&mut self) {
        for (var, phase) in std::mem::take(&mut self.declared.called) {
            let init = self.module.vars[var].init.as_ref();
            let parts = init.map(|init| &init.parts[..]).unwrap_or_default();
            for part in parts {
                let InitialValue::Expr(value) = &part.value else { continue };
                let Some(function) = function_of(value) else { continue };
                match phase {
                    Phase::Start => self.module.functions[function].is_constructor = true,
                    Phase::End => self.module.functions[function].is_destructor = true,
                }
            }
        }
    }
}

const CALLED_FIRST: [&str; 3] = [".init_array", ".preinit_array", ".ctors"];
const CALLED_LAST: [&str; 2] = [".fini_array", ".dtors"];

fn phase(section: &str) -> Option<Phase> {
    let begins = |names: &[&str]| names.iter().any(|name| section.starts_with(name));
    if begins(&CALLED_FIRST) {
        return Some(Phase::Start);
    }
    begins(&CALLED_LAST).then_some(Phase::End)
}

/// Whether a section holds code or data like any other, only elsewhere: `.init.text`, `.data..read_mostly`. Linkers give
/// names to the ends of one whose name could be one in C.
fn is_plain(section: &str) -> bool {
    let is_usual = |part: &str| matches!(part, "text" | "data" | "rodata" | "bss" | "tdata" | "tbss");
    section.contains('.') && section.split('.').any(is_usual)
}

fn is_word(part: char) -> bool {
    part.is_ascii_alphanumeric() || part == '_'
}

fn function_of(value: &Expr) -> Option<FunctionId> {
    match &value.kind {
        ExprKind::Function(function) => Some(*function),
        ExprKind::Cast(operand) => function_of(operand),
        _ => None,
    }
}
