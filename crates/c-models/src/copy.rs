//! Copies of models, one for each call.

use crate::end::Endings;
use crate::environment;
use crate::fit::Fit;
use crate::threads::leave_threads;
use hardbop_base::Span;
use hardbop_c_core::names::name_variables;
use hardbop_c_core::rewrite::{Rewrite, rewrite_block, rewrite_initialiser};
use hardbop_c_core::stmt::visit_block;
use hardbop_c_core::{
    Base, Block, Callee, Expr, ExprKind, Function, FunctionId, Linkage, Module, Place, PlaceUse, StmtKind, TypeId,
    VarId, VarKind, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What models call that take a lock.
const LOCKING: &str = "__take_lock";

/// Gives models to calls.
pub(crate) struct Supplier<'l> {
    library: &'l Module,
    /// The model of each function of the program that has one.
    models: FxHashMap<FunctionId, FunctionId>,
    /// Where the run ends, and what runs there.
    pub(crate) endings: Endings<'l>,
    /// What sets the environment, where an analysis says what that is.
    pub(crate) environment: Option<FunctionId>,
    /// The program's function for each of the library's that has no body.
    primitives: FxHashMap<FunctionId, FunctionId>,
    /// The program's variable for each that all copies of a model share.
    shared: FxHashMap<VarId, VarId>,
}

impl<'l> Supplier<'l> {
    pub(crate) fn new(module: &Module, library: &'l Module, is_spoken_of: &dyn Fn(&str) -> bool) -> Self {
        let mut known: FxHashMap<&str, FunctionId> = FxHashMap::default();
        let is_model = |row: &Function| row.body.is_some() && row.linkage == Linkage::External;
        for (id, row) in library.functions.iter_enumerated().filter(|(_, row)| is_model(row)) {
            known.insert(&row.source_name, id);
        }
        let takes_locks = is_spoken_of(LOCKING);
        let mut models = FxHashMap::default();
        for (id, row) in module.functions.iter_enumerated().filter(|(_, row)| is_open(row)) {
            let Some(&model) = known.get(&*row.source_name) else { continue };
            if !is_spoken_of(&row.source_name) || takes_locks && calls(library, model, LOCKING) {
                models.insert(id, model);
            }
        }
        let called = called(module);
        models.retain(|id, _| called.contains(id));
        let endings = Endings::new(module, library, &known, &mut models);
        let environment = is_spoken_of(environment::SOURCE).then(|| known[environment::SETTER]);
        let (primitives, shared) = (FxHashMap::default(), FxHashMap::default());
        Self { library, models, endings, environment, primitives, shared }
    }

    pub(crate) fn supply(&mut self, module: &mut Module) {
        self.end_runs(module);
        leave_threads(module);
        self.set_environment(module);
        if self.models.is_empty() && self.primitives.is_empty() {
            return;
        }
        for id in module.functions.ids().collect::<Vec<_>>() {
            let Some(mut body) = module.functions[id].body.take() else { continue };
            self.block(module, &mut body.block);
            module.functions[id].body = Some(body);
        }
        // A run may end in a copy.
        for id in module.functions.ids().collect::<Vec<_>>() {
            let Some(mut body) = module.functions[id].body.take() else { continue };
            self.end(module, id, &mut body);
            module.functions[id].body = Some(body);
        }
        name_variables(module);
    }

    /// What does not return in the library does not in the program.
    fn end_runs(&self, module: &mut Module) {
        let ends = self.library.functions.iter().filter(|row| row.is_noreturn);
        let ends: FxHashSet<&str> = ends.map(|row| &*row.source_name).collect();
        let open = module.functions.iter_mut().filter(|row| is_open(row));
        open.for_each(|row| row.is_noreturn |= ends.contains(&*row.source_name));
    }

    fn block(&mut self, module: &mut Module, block: &mut Block) {
        for stmt in block {
            let span = stmt.span;
            match &mut stmt.kind {
                StmtKind::Call { result, callee, arguments } => {
                    if let Callee::Function(called) = *callee
                        && let Some(copy) = self.call(module, called, result.as_ref(), arguments, span)
                    {
                        *callee = Callee::Function(copy);
                    }
                }
                StmtKind::If(_, then, otherwise) => {
                    self.block(module, then);
                    self.block(module, otherwise);
                }
                StmtKind::While(_, block) | StmtKind::Block(block) => self.block(module, block),
                _ => {}
            }
        }
    }

    /// The copy that is called instead, with arguments that are converted to what it takes.
    fn call(
        &mut self,
        module: &mut Module,
        called: FunctionId,
        result: Option<&Place>,
        arguments: &mut [Expr],
        span: Span,
    ) -> Option<FunctionId> {
        let &model = self.models.get(&called)?;
        let declared = module.types.callee(module.functions[called].ty)?.result;
        let given: Vec<TypeId> = arguments.iter().map(|argument| argument.ty).collect();
        let own = self.library.functions[model].ty;
        let mut fit = Fit::of_call(self.library, own, module, declared, &given)?;
        let returned = self.library.types.callee(own)?.result;
        let returned = fit.translate(&self.library.types, &mut module.types, returned);
        if result.is_some_and(|place| !module.types.is_compatible(place.ty, returned)) {
            return None;
        }
        let mut copier = Copier::new(self, module, fit, span);
        copier.take_constants(model, arguments);
        let copy = copier.copy(model);
        let body = module.functions[copy].body.as_ref().expect("a copy has a body");
        for (argument, &parameter) in arguments.iter_mut().zip(&body.parameters) {
            let ty = module.vars[parameter].ty.ty;
            if !module.types.is_compatible(argument.ty, ty) {
                *argument = argument.clone().cast(ty);
            }
        }
        Some(copy)
    }
}

/// Whether the program declares the function and leaves it to others to define it.
pub(crate) fn is_open(row: &Function) -> bool {
    row.body.is_none() && row.linkage == Linkage::External
}

/// Whether a model calls the function of that name.
fn calls(library: &Module, model: FunctionId, name: &str) -> bool {
    let mut found = false;
    let Some(body) = &library.functions[model].body else { return false };
    visit_block(&body.block, &mut |stmt| {
        if let StmtKind::Call { callee: Callee::Function(callee), .. } = stmt.kind {
            found |= library.functions[callee].source_name == name;
        }
    });
    found
}

/// The functions that are called by their name.
pub(crate) fn called(module: &Module) -> FxHashSet<FunctionId> {
    let mut called = FxHashSet::default();
    for body in module.functions.iter().filter_map(|row| row.body.as_ref()) {
        visit_block(&body.block, &mut |stmt| {
            if let StmtKind::Call { callee: Callee::Function(callee), .. } = stmt.kind {
                called.insert(callee);
            }
        });
    }
    called
}

/// One copy that is being made.
pub(crate) struct Copier<'s, 'l> {
    supplier: &'s mut Supplier<'l>,
    module: &'s mut Module,
    fit: Fit,
    /// The copy, once there is one.
    id: Option<FunctionId>,
    /// Its own variables.
    vars: FxHashMap<VarId, VarId>,
    /// The parameters that are a constant in this call.
    constants: FxHashMap<VarId, i128>,
    /// Where the call is.
    span: Span,
}

impl<'s, 'l> Copier<'s, 'l> {
    pub(crate) fn new(supplier: &'s mut Supplier<'l>, module: &'s mut Module, fit: Fit, span: Span) -> Self {
        Self { supplier, module, fit, id: None, vars: FxHashMap::default(), constants: FxHashMap::default(), span }
    }

    /// Elements of so many bytes are told apart only where the text of the model says how many.
    fn take_constants(&mut self, model: FunctionId, arguments: &[Expr]) {
        let library = self.supplier.library;
        let Some(body) = &library.functions[model].body else { return };
        for (&parameter, argument) in body.parameters.iter().zip(arguments) {
            let kind = library.types.int_kind(library.vars[parameter].ty.ty);
            if let (Some(kind), ExprKind::Integer(value)) = (kind, &argument.kind) {
                self.constants.insert(parameter, library.types.wrap(kind, *value));
            }
        }
        visit_block(&body.block, &mut |stmt| {
            stmt.visit_own_places(&mut |place, usage| match place.base {
                Base::Var(var) if usage != PlaceUse::Read => drop(self.constants.remove(&var)),
                _ => {}
            });
        });
    }

    pub(crate) fn copy(mut self, model: FunctionId) -> FunctionId {
        let library = self.supplier.library;
        let id = self.declare(model);
        self.id = Some(id);
        let Some(mut body) = library.functions[model].body.clone() else { unreachable!("a model has a body") };
        for var in body.parameters.iter_mut().chain(&mut body.locals) {
            let kind = match library.vars[*var].kind {
                VarKind::Parameter(_) => VarKind::Parameter(id),
                VarKind::Temporary(_) => VarKind::Temporary(id),
                _ => VarKind::Local(id),
            };
            let copied = self.variable(*var, kind);
            self.vars.insert(*var, copied);
            *var = copied;
        }
        rewrite_block(&mut body.block, &mut self);
        place(&mut body.block, self.span);
        body.labels.iter_mut().for_each(|label| label.is_written = false);
        body.end = self.span;
        self.module.functions[id].body = Some(body);
        id
    }

    /// A function of the library as one of the program's, without its body.
    fn declare(&mut self, function: FunctionId) -> FunctionId {
        let row = &self.supplier.library.functions[function];
        let is_model = row.body.is_some();
        let ty = self.ty(row.ty);
        self.module.functions.push(Function {
            name: row.name.clone(),
            source_name: row.source_name.clone(),
            ty,
            linkage: Linkage::Internal,
            is_noreturn: row.is_noreturn,
            returns_twice: row.returns_twice,
            is_constructor: false,
            is_destructor: false,
            is_weak: false,
            symbol: None,
            is_kept: false,
            is_address_taken: false,
            is_model,
            body: None,
            span: self.span,
        })
    }

    /// The program's own variable for one that a model only declares.
    fn own_variable(&mut self, var: VarId) -> Option<VarId> {
        let declared = &self.supplier.library.vars[var];
        let external = VarKind::Global(Linkage::External);
        if declared.kind != external || declared.init.is_some() {
            return None;
        }
        let (ty, name) = (self.ty(declared.ty.ty), &*declared.source_name);
        let is_it = |row: &Variable| row.kind == external && row.source_name == name && row.ty.ty == ty;
        let own = self.module.vars.ids().find(|&id| is_it(&self.module.vars[id]))?;
        self.module.vars[own].is_address_taken |= declared.is_address_taken;
        Some(own)
    }

    fn variable(&mut self, var: VarId, kind: VarKind) -> VarId {
        let variable = self.supplier.library.vars[var].clone();
        let mut ty = variable.ty;
        ty.ty = self.ty(ty.ty);
        self.module.vars.push(Variable { ty, kind, init: None, is_model: true, span: self.span, ..variable })
    }
}

impl Rewrite for Copier<'_, '_> {
    fn ty(&mut self, ty: TypeId) -> TypeId {
        self.fit.translate(&self.supplier.library.types, &mut self.module.types, ty)
    }

    fn var(&mut self, var: VarId) -> VarId {
        if let Some(&own) = self.vars.get(&var).or_else(|| self.supplier.shared.get(&var)) {
            return own;
        }
        if let Some(own) = self.own_variable(var) {
            self.supplier.shared.insert(var, own);
            return own;
        }
        let kind = match (self.supplier.library.vars[var].init.is_some(), self.id) {
            (true, Some(id)) => VarKind::StaticLocal(id),
            _ => VarKind::Global(Linkage::Internal),
        };
        let shared = self.variable(var, kind);
        self.supplier.shared.insert(var, shared);
        let init = self.supplier.library.vars[var].init.clone();
        self.module.vars[shared].init = init.map(|mut init| {
            rewrite_initialiser(&mut init, self);
            init
        });
        shared
    }

    fn value(&mut self, var: VarId) -> Option<i128> {
        self.constants.get(&var).copied()
    }

    fn function(&mut self, function: FunctionId) -> FunctionId {
        assert!(self.supplier.library.functions[function].body.is_none(), "models call no models");
        if let Some(&known) = self.supplier.primitives.get(&function) {
            return known;
        }
        let added = self.declare(function);
        self.supplier.primitives.insert(function, added);
        added
    }
}

/// Puts statements where the call is.
fn place(block: &mut Block, span: Span) {
    for stmt in block {
        stmt.span = span;
        match &mut stmt.kind {
            StmtKind::If(_, then, otherwise) => {
                place(then, span);
                place(otherwise, span);
            }
            StmtKind::While(_, block) | StmtKind::Block(block) => place(block, span),
            _ => {}
        }
    }
}
