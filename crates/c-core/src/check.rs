//! Whether a module is what the documentation of its parts promises. Tests of whatever makes or changes modules ask.

mod data;
mod expr;
mod stmt;

use crate::print::{self, Style};
use crate::{FunctionId, Linkage, Module, Parameters, Stmt, Type, TypeId, VarId, VarKind};
use rustc_hash::FxHashSet;
use std::fmt::Display;

/// All violations of the invariants, each in one sentence that says where.
pub fn check(module: &Module) -> Result<(), Vec<String>> {
    let mut checker = Checker {
        module,
        function: None,
        listed: FxHashSet::default(),
        stmt: None,
        item: String::new(),
        errors: Vec::new(),
    };
    checker.names();
    checker.variables();
    for function in module.functions.ids() {
        checker.function(function);
    }
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

struct Checker<'m> {
    module: &'m Module,
    /// The function that is being looked at.
    function: Option<FunctionId>,
    /// Its locals.
    listed: FxHashSet<VarId>,
    /// The statement that is being looked at.
    stmt: Option<&'m Stmt>,
    /// The variable or function that is being looked at, by name.
    item: String,
    errors: Vec<String>,
}

impl<'m> Checker<'m> {
    fn report(&mut self, message: impl Display) {
        let stmt = match (self.function, self.stmt) {
            (Some(function), Some(stmt)) => {
                format!("`{}`: ", print::stmt_line(self.module, function, stmt, Style::EXACT))
            }
            _ => String::new(),
        };
        self.errors.push(format!("{}: {stmt}{message}", self.item));
    }

    /// Reports unless the condition holds.
    fn require(&mut self, condition: bool, message: impl Display) {
        if !condition {
            self.report(message);
        }
    }

    fn name_of(&self, ty: TypeId) -> String {
        print::declaration(self.module, self.module.types.plain(ty), "")
    }

    /// Requires that two types are the same, or compatible.
    fn same(&mut self, what: &str, found: TypeId, wanted: TypeId) {
        if found != wanted && !self.module.types.is_compatible(found, wanted) {
            let (found, wanted) = (self.name_of(found), self.name_of(wanted));
            self.report(format!("{what} has type `{found}`, not `{wanted}`"));
        }
    }

    fn names(&mut self) {
        let module = self.module;
        let mut globals = FxHashSet::default();
        for function in module.functions.iter() {
            self.name(&function.name, &mut globals);
        }
        for variable in module.vars.iter().filter(|variable| variable.kind.owner().is_none()) {
            self.name(&variable.name, &mut globals);
        }
        let mut locals = FxHashSet::default();
        for (var, variable) in module.vars.iter_enumerated() {
            self.item = var.to_string();
            let Some(owner) = variable.kind.owner() else { continue };
            self.require(!variable.name.is_empty(), "it has no name");
            self.require(locals.insert((owner, &variable.name)), format!("`{}` is not the only one", variable.name));
            self.require(!globals.contains(&variable.name), format!("`{}` hides a global", variable.name));
        }
        let mut tags = FxHashSet::default();
        for record in module.types.records.iter() {
            self.name(&record.name, &mut tags);
        }
        for enumeration in module.types.enums.iter() {
            self.name(&enumeration.name, &mut tags);
        }
    }

    fn name(&mut self, name: &'m String, taken: &mut FxHashSet<&'m String>) {
        self.item.clone_from(name);
        self.require(!name.is_empty(), "something has no name");
        self.require(taken.insert(name), "the name is not unique");
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.module.functions[id];
        self.item.clone_from(&function.name);
        let Type::Function(ty) = self.module.types.get(function.ty) else {
            return self.report("its type is none of a function");
        };
        let Some(body) = &function.body else { return };
        if let Parameters::Fixed(types) | Parameters::Variadic(types) = &ty.parameters {
            self.require(types.len() == body.parameters.len(), "the number of parameters is not that of the type");
            for (&var, &wanted) in body.parameters.iter().zip(types) {
                self.same("a parameter", self.module.vars[var].ty.ty, wanted);
            }
        }
        for &var in &body.parameters {
            self.require(self.module.vars[var].kind == VarKind::Parameter(id), format!("{var} is no parameter"));
        }
        self.listed.clear();
        for &var in &body.locals {
            let kind = self.module.vars[var].kind;
            let is_local = kind == VarKind::Local(id) || kind == VarKind::Temporary(id);
            self.require(is_local, format!("{var} is no local of it"));
            let is_new = self.listed.insert(var);
            self.require(is_new, format!("{var} is listed twice"));
        }
        self.function = Some(id);
        self.body(body);
        self.function = None;
    }

    /// Requires that the function may speak of the variable.
    fn visible(&mut self, var: VarId) {
        let Some(variable) = self.module.vars.get(var) else {
            return self.report(format!("there is no variable {var}"));
        };
        let is_visible = match variable.kind {
            VarKind::Global(Linkage::External | Linkage::Internal) | VarKind::Literal => true,
            // Another function may have been inlined, and its statics stay its own.
            VarKind::StaticLocal(_) => true,
            _ => variable.kind.owner() == self.function,
        };
        self.require(is_visible, format!("`{}` belongs to another function", variable.name));
        let is_listed = match variable.kind {
            VarKind::Local(_) | VarKind::Temporary(_) => self.listed.contains(&var),
            _ => true,
        };
        self.require(is_listed, format!("`{}` is not in the list of locals", variable.name));
    }
}
