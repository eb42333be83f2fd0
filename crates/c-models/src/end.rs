//! What runs where a run ends.
//!
//! What was registered with `atexit` runs where `main` returns and where `exit` is called, with what is so there. Where
//! one of these functions is used other than by its name nothing is done here: code outside has the handlers then, and
//! calls them at the end as it does with any function that it was given.

use crate::copy::{Copier, Supplier, called, is_open};
use crate::fit::Fit;
use hardbop_base::Span;
use hardbop_c_core::print::{self, Style};
use hardbop_c_core::{
    Block, Body, Callee, Expr, ExprKind, Function, FunctionId, Linkage, Module, Stmt, StmtKind, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A way for a run to end, at which functions run.
struct Ending {
    /// The model that runs them.
    handlers: &'static str,
    /// Who registers them.
    registers: &'static [&'static str],
    /// Who ends the run.
    exits: &'static [&'static str],
    /// Whether `main` does so where it returns.
    ends_main: bool,
}

const ENDINGS: &[Ending] = &[
    Ending {
        handlers: "__run_exit_handlers",
        registers: &["atexit", "on_exit"],
        exits: &["exit", "err", "errx", "verr", "verrx"],
        ends_main: true,
    },
    Ending {
        handlers: "__run_quick_exit_handlers",
        registers: &["at_quick_exit"],
        exits: &["quick_exit"],
        ends_main: false,
    },
];

/// The ways for a program to end at which functions run.
pub(crate) struct Endings<'l> {
    found: Vec<(&'static Ending, FunctionId)>,
    /// What does not return and is known by its name.
    known_ends: FxHashSet<&'l str>,
}

impl<'l> Endings<'l> {
    /// Takes the models from functions that register what runs, where it is not known when that is.
    pub(crate) fn new(
        module: &Module,
        library: &'l Module,
        known: &FxHashMap<&str, FunctionId>,
        models: &mut FxHashMap<FunctionId, FunctionId>,
    ) -> Self {
        let mut found = Vec::new();
        let called = called(module);
        for ending in ENDINGS {
            let registers = |id: FunctionId| ending.registers.contains(&&*module.functions[id].source_name);
            if !models.keys().any(|&id| registers(id)) {
                continue;
            }
            match module.functions.iter_enumerated().any(|(id, row)| ending.is_hidden(row, called.contains(&id))) {
                true => models.retain(|&id, _| !registers(id)),
                false => found.push((ending, known[ending.handlers])),
            }
        }
        let known_ends = library.functions.iter().filter(|row| row.is_noreturn);
        Self { found, known_ends: known_ends.map(|row| &*row.source_name).collect() }
    }

    /// What runs before the run ends in a call of a function. One that does not return and of which nothing else is
    /// known may call `exit`.
    fn in_call(&self, row: &Function) -> Option<FunctionId> {
        let name = &*row.source_name;
        let may_exit = || row.is_noreturn && !self.known_ends.contains(name) && !name.starts_with("__builtin_");
        let is_it = |ending: &Ending| ending.exits.contains(&name) || ending.ends_main && may_exit();
        let found = self.found.iter().find(|(ending, _)| row.body.is_none() && is_it(ending));
        found.map(|&(_, handlers)| handlers)
    }

    /// What runs where `main` returns.
    fn in_main(&self) -> Option<FunctionId> {
        self.found.iter().find(|(ending, _)| ending.ends_main).map(|&(_, handlers)| handlers)
    }
}

impl Ending {
    /// Whether the function takes part, and may do so where it is not seen.
    fn is_hidden(&self, row: &Function, is_called: bool) -> bool {
        let name = &&*row.source_name;
        let is_part = is_open(row) && (self.registers.contains(name) || self.exits.contains(name));
        is_part && row.is_address_taken || self.ends_main && is_main(row) && (is_called || row.is_address_taken)
    }
}

impl Supplier<'_> {
    /// Runs what was registered wherever `function` ends the run. What is given there is what it was before.
    pub(crate) fn end(&mut self, module: &mut Module, function: FunctionId, body: &mut Body) {
        if self.endings.found.is_empty() {
            return;
        }
        let returns = self.endings.in_main().filter(|_| is_main(&module.functions[function]));
        if returns.is_some() && !matches!(body.block.last(), Some(Stmt { kind: StmtKind::Return(_), .. })) {
            body.block.push(Stmt { kind: StmtKind::Return(None), span: body.end });
        }
        End { supplier: self, module, function, returns, locals: &mut body.locals }.block(&mut body.block);
    }
}

/// One function in which the run may end.
struct End<'s, 'l> {
    supplier: &'s mut Supplier<'l>,
    module: &'s mut Module,
    function: FunctionId,
    /// What runs where it returns.
    returns: Option<FunctionId>,
    locals: &'s mut Vec<VarId>,
}

impl End<'_, '_> {
    fn block(&mut self, block: &mut Block) {
        let mut ended = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let (handlers, given) = match &mut stmt.kind {
                StmtKind::Return(value) => (self.returns, value.as_mut_slice()),
                StmtKind::Call { callee: Callee::Function(callee), arguments, .. } => {
                    (self.supplier.endings.in_call(&self.module.functions[*callee]), &mut arguments[..])
                }
                StmtKind::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                    (None, Default::default())
                }
                StmtKind::While(_, block) | StmtKind::Block(block) => {
                    self.block(block);
                    (None, Default::default())
                }
                _ => (None, Default::default()),
            };
            if let Some(handlers) = handlers {
                for value in given {
                    ended.extend(keep(self.module, self.function, self.locals, value, stmt.span));
                }
                let copy = Copier::new(self.supplier, self.module, Fit::default(), stmt.span).copy(handlers);
                let call = StmtKind::Call { result: None, callee: Callee::Function(copy), arguments: Vec::new() };
                ended.push(Stmt { kind: call, span: stmt.span });
            }
            ended.push(stmt);
        }
        *block = ended;
    }
}

/// Keeps a value in a variable of its own, from which it is read then.
pub(crate) fn keep(
    module: &mut Module,
    function: FunctionId,
    locals: &mut Vec<VarId>,
    value: &mut Expr,
    span: Span,
) -> Option<Stmt> {
    if matches!(value.kind, ExprKind::Integer(_)) {
        return None;
    }
    let text = print::expr(module, value, Style::READABLE);
    let var = module.vars.push(Variable::temporary(function, value.ty, &text, span));
    locals.push(var);
    let place = module.place(var);
    let value = std::mem::replace(value, Expr::read(place.clone()));
    Some(Stmt { kind: StmtKind::Assign(place, value), span })
}

/// Whether it is where the run starts.
pub(crate) fn is_main(row: &Function) -> bool {
    row.source_name == "main" && row.linkage == Linkage::External
}
