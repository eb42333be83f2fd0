//! Several translation units as one program.
//!
//! Types are joined first, then variables and functions with external linkage by what the linker calls them; everything
//! else is kept apart and gets a name of its own. What a definition says wins over what declarations say.

mod aliases;
mod types;
mod views;

use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, IndexVec, Span};
use hardbop_c_core::calls::fit_calls;
use hardbop_c_core::names::name_variables;
use hardbop_c_core::rewrite::{Rewrite, rewrite_block, rewrite_initialiser};
use hardbop_c_core::{
    Body, Function, FunctionId, Initialiser, Linkage, Module, Target, TypeId, Types, VarId, VarKind, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The codes of all diagnostics that this crate gives.
pub const CODES: &[&str] = &["conflicting-declarations", "duplicate-definition", "mixed-targets"];

/// A program of several translation units.
#[derive(Debug)]
pub struct Linked {
    /// The program.
    pub module: Module,
    /// What its authors may not have meant.
    pub warnings: Vec<Diagnostic>,
}

/// Joins translation units.
pub fn link(mut units: Vec<Module>) -> Result<Linked, Vec<Diagnostic>> {
    let target = units.first().map_or(Target::Lp64, |unit| unit.types.target);
    if units.iter().any(|unit| unit.types.target != target) {
        let message = "the files are for machines with different sizes of types";
        return Err(vec![Diagnostic::error("mixed-targets", message, None)]);
    }
    if units.len() == 1 {
        let module = units.pop().expect("there is one");
        return Ok(Linked { module, warnings: Vec::new() });
    }
    drop_weak(&mut units);
    let joined_names = aliases::settle(&mut units)?;
    let joined = types::join(&mut units, target);
    let mut program = Program::new(joined.types, defined_symbols(&units), joined_names);
    for (unit, types) in units.into_iter().zip(joined.maps) {
        program.add(unit, types);
    }
    program.finish()
}

/// Takes away weak definitions of what is defined elsewhere too: a strong one stays, or the first of weak ones.
fn drop_weak(units: &mut [Module]) {
    drop_weak_functions(units);
    drop_weak_variables(units);
}

fn drop_weak_functions(units: &mut [Module]) {
    let mut kept: FxHashMap<String, (usize, FunctionId)> = FxHashMap::default();
    for number in 0..units.len() {
        for id in units[number].functions.ids() {
            let function = &units[number].functions[id];
            if function.linkage == Linkage::Internal || function.body.is_none() {
                continue;
            }
            let (is_weak, name) = (function.is_weak, function.linker_name().to_owned());
            match kept.get(&name).copied() {
                Some(_) if is_weak => units[number].functions[id].body = None,
                Some((unit, known)) if units[unit].functions[known].is_weak => {
                    units[unit].functions[known].body = None;
                    kept.insert(name, (number, id));
                }
                Some(_) => {}
                None => drop(kept.insert(name, (number, id))),
            }
        }
    }
}

fn drop_weak_variables(units: &mut [Module]) {
    let mut kept: FxHashMap<String, (usize, VarId)> = FxHashMap::default();
    for number in 0..units.len() {
        for id in units[number].vars.ids() {
            let variable = &units[number].vars[id];
            if variable.kind != VarKind::Global(Linkage::External) || variable.init.is_none() {
                continue;
            }
            let (is_weak, name) = (variable.is_weak, variable.linker_name().to_owned());
            match kept.get(&name).copied() {
                Some(_) if is_weak => units[number].vars[id].init = None,
                Some((unit, known)) if units[unit].vars[known].is_weak => {
                    units[unit].vars[known].init = None;
                    kept.insert(name, (number, id));
                }
                Some(_) => {}
                None => drop(kept.insert(name, (number, id))),
            }
        }
    }
}

/// The symbols that `units` define.
fn defined_symbols(units: &[Module]) -> FxHashSet<String> {
    let is_definition = |row: &&Function| row.linkage == Linkage::External && row.body.is_some();
    let functions = units.iter().flat_map(|unit| unit.functions.iter().filter(is_definition));
    let is_defined = |row: &&Variable| row.kind == VarKind::Global(Linkage::External) && row.init.is_some();
    let vars = units.iter().flat_map(|unit| unit.vars.iter().filter(is_defined));
    functions.map(Function::linker_name).chain(vars.map(Variable::linker_name)).map(str::to_owned).collect()
}

/// Whether a name is weak that two units speak of, each with whether it defines it: the definition says so, or any
/// declaration where there is none.
fn merged_weak((was_weak, was_defined): (bool, bool), (is_weak, is_defined): (bool, bool)) -> bool {
    match (was_defined, is_defined) {
        (true, _) => was_weak,
        (false, true) => is_weak,
        (false, false) => was_weak || is_weak,
    }
}

/// The program so far.
struct Program {
    module: Module,
    findings: Findings,
    /// The symbols that some unit defines.
    defined: FxHashSet<String>,
    /// The symbols that other names of variables stand for.
    joined_names: FxHashMap<String, String>,
    /// What has external linkage, by symbol.
    externals: FxHashMap<String, External>,
    /// Functions that some unit takes for another type than they have.
    changed: FxHashSet<FunctionId>,
    /// Variables that some unit takes for another type than they have.
    changed_vars: FxHashSet<VarId>,
}

#[derive(Clone, Copy)]
enum External {
    Var(VarId),
    Function(FunctionId),
}

/// The new ids of one unit.
struct Relocation {
    types: IndexVec<TypeId, TypeId>,
    vars: IndexVec<VarId, VarId>,
    functions: IndexVec<FunctionId, FunctionId>,
}

impl Rewrite for Relocation {
    fn ty(&mut self, ty: TypeId) -> TypeId {
        self.types[ty]
    }

    fn var(&mut self, var: VarId) -> VarId {
        self.vars[var]
    }

    fn function(&mut self, function: FunctionId) -> FunctionId {
        self.functions[function]
    }
}

impl Program {
    fn new(types: Types, defined: FxHashSet<String>, joined_names: FxHashMap<String, String>) -> Self {
        let module = Module { types, vars: IndexVec::new(), functions: IndexVec::new(), asm: Vec::new() };
        Self {
            module,
            findings: Findings::default(),
            defined,
            joined_names,
            externals: FxHashMap::default(),
            changed: FxHashSet::default(),
            changed_vars: FxHashSet::default(),
        }
    }

    fn add(&mut self, unit: Module, types: IndexVec<TypeId, TypeId>) {
        let mut relocation = Relocation { types, vars: IndexVec::new(), functions: IndexVec::new() };
        let Module { mut vars, mut functions, asm, .. } = unit;
        self.module.asm.extend(asm);
        let has_body: IndexVec<FunctionId, bool> = functions.iter().map(|function| function.body.is_some()).collect();
        let mut bodies = Vec::new();
        for function in functions.iter_mut() {
            function.ty = relocation.types[function.ty];
            let body = function.body.take();
            let id = self.add_function(function.clone(), body.is_some());
            relocation.functions.push(id);
            bodies.extend(body.map(|body| (id, body)));
        }
        let mut inits = Vec::new();
        // Variables of functions that lost their body are spoken of nowhere.
        let is_spoken_of = |kind: VarKind| kind.owner().is_none_or(|owner| has_body[owner]);
        for variable in vars.iter_mut() {
            if !is_spoken_of(variable.kind) {
                relocation.vars.push(self.module.vars.next_id());
                continue;
            }
            variable.ty.ty = relocation.types[variable.ty.ty];
            variable.kind = moved_kind(variable.kind, &relocation.functions);
            let init = variable.init.take();
            let id = self.add_variable(variable.clone(), init.as_ref());
            relocation.vars.push(id);
            inits.extend(init.map(|init| (id, init)));
        }
        for (id, mut init) in inits {
            rewrite_initialiser(&mut init, &mut relocation);
            let known = &mut self.module.vars[id].init;
            // What was tentative before stays so only if nothing more is said here.
            if known.as_ref().is_none_or(|known| known.parts.is_empty()) {
                *known = Some(init);
            }
        }
        for (id, body) in bodies {
            self.module.functions[id].body.get_or_insert_with(|| moved_body(body, &mut relocation));
        }
    }

    fn add_function(&mut self, function: Function, is_defined: bool) -> FunctionId {
        if function.linkage == Linkage::Internal {
            return self.module.functions.push(function);
        }
        let key = self.key(&function);
        match self.externals.get(&key) {
            Some(&External::Function(id)) => {
                self.merge_function(id, function, is_defined);
                id
            }
            Some(&External::Var(var)) => {
                self.duplicate(&function.source_name, function.span, self.module.vars[var].span);
                self.module.functions.push(function)
            }
            None => {
                let id = self.module.functions.push(function);
                self.externals.insert(key, External::Function(id));
                id
            }
        }
    }

    /// What a function is joined by: its symbol, or if that is the library's its name, by which it is known.
    fn key(&self, function: &Function) -> String {
        let symbol = function.symbol.as_ref().filter(|&symbol| self.defined.contains(symbol));
        symbol.unwrap_or(&function.source_name).clone()
    }

    fn merge_function(&mut self, id: FunctionId, function: Function, is_defined: bool) {
        let known = &self.module.functions[id];
        let (known_ty, span, was_defined) = (known.ty, known.span, known.body.is_some());
        if is_defined && was_defined {
            self.duplicate(&function.source_name, function.span, span);
        }
        let ty = self.merged_type(known_ty, function.ty, was_defined, &function.source_name, (function.span, span));
        if known_ty != function.ty {
            self.changed.insert(id);
        }
        let known = &mut self.module.functions[id];
        known.is_noreturn |= function.is_noreturn;
        known.returns_twice |= function.returns_twice;
        known.is_constructor |= function.is_constructor;
        known.is_destructor |= function.is_destructor;
        known.is_kept |= function.is_kept;
        known.is_address_taken |= function.is_address_taken;
        known.is_weak = merged_weak((known.is_weak, was_defined), (function.is_weak, is_defined));
        if is_defined && !was_defined {
            known.ty = function.ty;
            known.span = function.span;
            known.source_name = function.source_name;
        } else if !was_defined {
            known.ty = ty;
        }
    }

    /// What two declarations of one name have as their type together. Those that do not fit are left as they are.
    fn merged_type(
        &mut self,
        known: TypeId,
        added: TypeId,
        is_known_defined: bool,
        name: &str,
        (span, related): (Span, Span),
    ) -> TypeId {
        if known == added {
            return known;
        }
        if self.module.types.is_compatible(known, added) {
            return self.module.types.composite(known, added);
        }
        let message = format!("`{name}` is declared with another type in another file");
        let finding = Diagnostic::warning("conflicting-declarations", message, span);
        self.findings.add(finding.related("it is declared here", related));
        if is_known_defined { known } else { added }
    }

    fn add_variable(&mut self, variable: Variable, init: Option<&Initialiser>) -> VarId {
        if variable.kind != VarKind::Global(Linkage::External) {
            return self.module.vars.push(variable);
        }
        let name = variable.linker_name();
        let name = self.joined_names.get(name).map_or(name, String::as_str).to_owned();
        match self.externals.get(&name) {
            Some(&External::Var(id)) => {
                self.merge_variable(id, variable, init);
                id
            }
            Some(&External::Function(function)) => {
                self.duplicate(&variable.source_name, variable.span, self.module.functions[function].span);
                self.module.vars.push(variable)
            }
            None => {
                let id = self.module.vars.push(variable);
                self.externals.insert(name, External::Var(id));
                id
            }
        }
    }

    fn merge_variable(&mut self, id: VarId, variable: Variable, init: Option<&Initialiser>) {
        let is_said = |init: Option<&Initialiser>| init.is_some_and(|init| !init.parts.is_empty());
        let known = &self.module.vars[id];
        let (known_ty, span) = (known.ty, known.span);
        let (was_defined, was_said) = (known.init.is_some(), is_said(known.init.as_ref()));
        if was_said && is_said(init) {
            self.duplicate(&variable.source_name, variable.span, span);
        }
        let spans = (variable.span, span);
        let ty = self.merged_type(known_ty.ty, variable.ty.ty, was_defined, &variable.source_name, spans);
        if known_ty.ty != variable.ty.ty && !self.module.types.is_compatible(known_ty.ty, variable.ty.ty) {
            self.changed_vars.insert(id);
        }
        let known = &mut self.module.vars[id];
        known.is_address_taken |= variable.is_address_taken;
        known.is_kept |= variable.is_kept;
        known.other_names.extend(variable.other_names);
        known.align = known.align.max(variable.align);
        known.is_weak = merged_weak((known.is_weak, was_defined), (variable.is_weak, init.is_some()));
        known.ty.ty = ty;
        if init.is_some() && (!was_defined || is_said(init)) {
            known.span = variable.span;
            (known.source_name, known.symbol) = (variable.source_name, variable.symbol);
            known.ty.qualifiers = variable.ty.qualifiers;
            known.is_thread_local = variable.is_thread_local;
        }
    }

    fn duplicate(&mut self, name: &str, span: Span, known: Span) {
        let finding = Diagnostic::error("duplicate-definition", format!("`{name}` is defined in two files"), span);
        self.findings.add(finding.related("it is defined here", known));
    }

    fn finish(mut self) -> Result<Linked, Vec<Diagnostic>> {
        let has_errors = self.findings.has_errors();
        let findings = self.findings.finish();
        if has_errors {
            return Err(findings);
        }
        fit_calls(&mut self.module, &self.changed);
        views::fit_variables(&mut self.module, &self.changed_vars);
        name_variables(&mut self.module);
        Ok(Linked { module: self.module, warnings: findings })
    }
}

fn moved_kind(kind: VarKind, functions: &IndexVec<FunctionId, FunctionId>) -> VarKind {
    match kind {
        VarKind::Global(_) | VarKind::Literal => kind,
        VarKind::StaticLocal(function) => VarKind::StaticLocal(functions[function]),
        VarKind::Parameter(function) => VarKind::Parameter(functions[function]),
        VarKind::Local(function) => VarKind::Local(functions[function]),
        VarKind::Temporary(function) => VarKind::Temporary(functions[function]),
    }
}

fn moved_body(mut body: Body, relocation: &mut Relocation) -> Body {
    body.parameters.iter_mut().chain(&mut body.locals).for_each(|var| *var = relocation.vars[*var]);
    rewrite_block(&mut body.block, relocation);
    body
}
