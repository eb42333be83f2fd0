//! What others find though they have no name for it: `used` and `section`.
//!
//! Linkers make tables of what is in a section, such as the functions that start a kernel, and whoever looks through such
//! a table knows what is in it. The tables of the C runtime are known: it calls the functions before `main`, or at the end.

use crate::unit::Unit;
use hardbop_c_core::{Expr, ExprKind, FunctionId, InitialValue, VarId};
use hardbop_lang_c::ast::{Attribute, Declarator, Specifiers};

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

fn phase(section: &str) -> Option<Phase> {
    let begins = |names: &[&str]| names.iter().any(|name| section.starts_with(name));
    if begins(&[".init_array", ".preinit_array", ".ctors"]) {
        return Some(Phase::Start);
    }
    begins(&[".fini_array", ".dtors"]).then_some(Phase::End)
}

/// Whether a section holds code or data like any other, only elsewhere: `.init.text`, `.data..read_mostly`.
fn is_plain(section: &str) -> bool {
    section.split('.').any(|part| matches!(part, "text" | "data" | "rodata" | "bss" | "tdata" | "tbss"))
}

fn function_of(value: &Expr) -> Option<FunctionId> {
    match &value.kind {
        ExprKind::Function(function) => Some(*function),
        ExprKind::Cast(operand) => function_of(operand),
        _ => None,
    }
}
