//! Variables of functions.

use crate::scope::Meaning;
use crate::types::Declared;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{
    Callee, Expr, Initialiser, IntKind, Length, Parameters, Place, Qualified, StmtKind, Type, TypeId, VarId, VarKind,
    Variable,
};
use hardbop_lang_c::ast::{Ident, InitDeclarator, Specifiers};

impl Unit<'_> {
    /// Declares a variable that lives as long as the program.
    pub(super) fn static_local(
        &mut self,
        name: Ident,
        declared: Declared,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
    ) {
        let owner = self.activation().id;
        let var = self.declare_local(name, declared, VarKind::StaticLocal(owner));
        self.module.vars[var].is_thread_local = specifiers.is_thread_local;
        self.note_placement(var, specifiers, &declarator.declarator);
        match &declarator.init {
            Some(init) => self.initialise_static(var, init),
            None => self.module.vars[var].init = Some(Initialiser::default()),
        }
        self.check_size(var, name.span);
    }

    /// Declares a variable that each activation has its own of, and emits what initialises it.
    pub(super) fn local(
        &mut self,
        name: Ident,
        declared: Declared,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
    ) {
        let (owner, ty) = (self.activation().id, declared.ty);
        let span = declarator.declarator.span;
        let var = self.declare_local(name, declared, VarKind::Local(owner));
        self.activation().locals.push(var);
        self.emit(StmtKind::Fresh(var), span);
        if self.is_variable(ty.ty) {
            self.allocate(var, ty, name.span);
            if declarator.init.is_some() {
                let message = "an array of variable length cannot be initialised";
                self.findings.add(Diagnostic::error("invalid-initialiser", message, name.span));
            }
            return self.declare_cleanup(var, specifiers, &declarator.declarator);
        }
        if self.is_variably_modified(ty.ty) {
            self.variable_length.insert(var, ty);
            self.module.vars[var].ty.ty = self.erased(ty.ty);
        }
        if let Some(init) = &declarator.init {
            let completed = self.initialise_local(&Place::var(var, ty.ty), ty, init);
            if completed != ty {
                self.module.vars[var].ty = completed;
            }
        }
        self.check_size(var, name.span);
        self.declare_cleanup(var, specifiers, &declarator.declarator);
    }

    fn declare_local(&mut self, name: Ident, declared: Declared, kind: VarKind) -> VarId {
        if let Some(known) = self.scopes.find_innermost(name.name) {
            self.redeclared(name, known.span);
        }
        let variable = self.variable(name, declared, kind);
        let var = self.module.vars.push(variable);
        self.scopes.declare(name.name, Meaning::Var(var), name.span);
        var
    }

    /// A variable without a name.
    pub fn unnamed_variable(&mut self, declared: Declared, kind: VarKind, span: Span) -> VarId {
        self.module.vars.push(Variable {
            name: String::new(),
            source_name: String::new(),
            ty: declared.ty,
            kind,
            init: None,
            is_thread_local: false,
            is_weak: false,
            symbol: None,
            other_names: Vec::new(),
            is_model: false,
            is_kept: false,
            is_address_taken: false,
            align: declared.align,
            span,
        })
    }

    pub(super) fn check_size(&mut self, var: VarId, span: Span) {
        let types = &self.module.types;
        let ty = self.module.vars[var].ty.ty;
        // What is only declared may turn out to be another integer than it is taken for.
        let is_open = match *types.get(ty) {
            Type::Enum(id) => {
                types.enums[id].constants.is_empty() && types.enums[id].underlying == IntKind::UnsignedInt
            }
            _ => false,
        };
        if types.is_complete(ty) && !is_open {
            return;
        }
        let message = format!("the size of `{}` is not known", self.module.vars[var].source_name);
        self.findings.add(Diagnostic::error("incomplete-variable", message, span));
    }

    /// Makes `var` a pointer to the first element of an array whose length is known now.
    fn allocate(&mut self, var: VarId, ty: Qualified, span: Span) {
        self.variable_length.insert(var, ty);
        let element = self.innermost(ty);
        let element = Qualified { ty: self.erased(element.ty), ..element };
        let pointer = self.module.types.pointer_to_qualified(element);
        self.module.vars[var].ty = Qualified::plain(pointer);
        let size = self.variable_size(ty.ty);
        let memory = self.allocated(size, span);
        self.emit(StmtKind::Assign(Place::var(var, pointer), memory.cast(pointer)), span);
    }

    /// Memory of so many bytes that lasts until the function returns.
    fn allocated(&mut self, size: Expr, span: Span) -> Expr {
        let (void, bytes) = (self.module.types.void(), self.size_type());
        let pointer = self.module.types.pointer_to(void);
        let ty = self.module.types.function(pointer, Parameters::Fixed(vec![bytes]));
        let callee = Callee::Function(self.builtin("__builtin_alloca", ty));
        let memory = self.temporary(pointer, "array", span);
        let result = Some(Place::var(memory, pointer));
        self.emit(StmtKind::Call { result, callee, arguments: vec![size] }, span);
        Expr::read(Place::var(memory, pointer))
    }

    /// The type of an array that `length` completes; other types stay as they are.
    pub fn completed(&mut self, ty: TypeId, length: u64) -> TypeId {
        match *self.module.types.get(ty) {
            Type::Array(element, Length::Unknown) => self.module.types.array_of(element, Length::Fixed(length)),
            _ => ty,
        }
    }
}
