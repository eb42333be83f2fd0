//! The environment is there before the program starts: where an analysis says what it is, a constructor sets it.

use crate::copy::{Copier, Supplier};
use crate::fit::Fit;
use hardbop_base::Span;
use hardbop_c_core::expr::Base;
use hardbop_c_core::stmt::visit_block;
use hardbop_c_core::{Linkage, Module, VarId, VarKind};

/// The model that sets it, and where that has it from.
pub(crate) const SETTER: &str = "__set_environ";
pub(crate) const SOURCE: &str = "__environment";

/// What the program may call it.
const NAMES: &[&str] = &["environ", "__environ"];

impl Supplier<'_> {
    /// Sets what the program looks at.
    pub(crate) fn set_environment(&mut self, module: &mut Module) {
        let (Some(model), Some(span)) = (self.environment, used(module)) else { return };
        let setter = Copier::new(self, module, Fit::default(), span).copy(model);
        module.functions[setter].is_constructor = true;
    }
}

/// Where the environment is declared, if the program uses it.
fn used(module: &Module) -> Option<Span> {
    let is_it = |var: VarId| {
        let row = &module.vars[var];
        row.kind == VarKind::Global(Linkage::External) && NAMES.contains(&&*row.source_name)
    };
    let mut found = None;
    for body in module.functions.iter().filter_map(|row| row.body.as_ref()) {
        visit_block(&body.block, &mut |stmt| {
            stmt.visit_own_places(&mut |place, _| match place.base {
                Base::Var(var) if is_it(var) => found = Some(module.vars[var].span),
                _ => {}
            });
        });
    }
    found
}
