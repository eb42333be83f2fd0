//! The bits of every variable: globals once, locals once for each procedure.

use super::super::ast::{Ast, ExprId, ExprKind, Pushed};
use super::super::procedures::Procedures;
use super::super::scope::{DeclId, Meaning, Scopes, Shape};
use hardbop_base::{Diagnostic, IndexVec, Span};
use hardbop_icfg::words::Moment;
use hardbop_icfg::{Datum, ProcId, Role, Scope, Type, Var, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most variables that a program can have.
const MAX_VARS: usize = 1_000_000;

/// The bits of each element of a variable.
pub(super) type Elements = Vec<Vec<VarId>>;

/// Where everything is kept.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) vars: IndexVec<VarId, Var>,
    pub(super) data: Vec<Datum>,
    /// The bits of the control state.
    pub(super) state: Vec<VarId>,
    globals: FxHashMap<DeclId, Elements>,
    pub(super) locals: IndexVec<ProcId, FxHashMap<DeclId, Elements>>,
    /// By procedure: its parameters, then its other locals.
    pub(super) lists: IndexVec<ProcId, Vec<VarId>>,
    /// The variables that calls give values to.
    parameters: IndexVec<ProcId, FxHashSet<DeclId>>,
}

impl Storage {
    /// # Errors
    /// There would be too many variables.
    pub(super) fn new(
        ast: &Ast,
        scopes: &Scopes,
        roles: &IndexVec<DeclId, Role>,
        procedures: &Procedures,
    ) -> Result<Self, Diagnostic> {
        let procs = procedures.list.len();
        let mut storage = Self {
            vars: IndexVec::new(),
            data: Vec::new(),
            state: Vec::new(),
            globals: FxHashMap::default(),
            locals: IndexVec::from_elem(FxHashMap::default(), procs),
            lists: IndexVec::from_elem(Vec::new(), procs),
            parameters: parameters(ast, scopes, procedures),
        };
        storage.add_state(ast, scopes);
        for &decl in &scopes.globals {
            let name = ast.text(scopes.variables[decl].name);
            let elements = storage.declare(scopes, decl, name, roles[decl], Scope::Global);
            storage.globals.insert(decl, elements);
        }
        for proc in procedures.list.ids() {
            storage.add_locals(ast, scopes, roles, procedures, proc);
            if storage.vars.len() > MAX_VARS {
                let span = scopes.symbols[procedures.list[proc].symbols[0]].span;
                let message = format!("the procedures of this system have more than {MAX_VARS} bits of locals");
                return Err(Diagnostic::error("system-too-large", message, span));
            }
        }
        Ok(storage)
    }

    /// The elements of `decl`; those of `proc` where it is a local.
    pub(super) fn elements(&self, decl: DeclId, proc: ProcId) -> &Elements {
        self.globals.get(&decl).unwrap_or_else(|| &self.locals[proc][&decl])
    }

    pub(super) fn is_parameter(&self, decl: DeclId, proc: ProcId) -> bool {
        self.parameters[proc].contains(&decl)
    }

    pub(super) fn is_global(&self, var: VarId) -> bool {
        self.vars[var].scope == Scope::Global
    }

    /// All bits of all globals, the control state's not among them.
    pub(super) fn global_bits(&self) -> Vec<VarId> {
        let globals = self.vars.iter_enumerated().take_while(|(_, var)| var.scope == Scope::Global);
        globals.map(|(id, _)| id).skip(self.state.len()).collect()
    }

    /// A new local of `proc` with the name and type of `bits`, which are of another procedure.
    pub(super) fn copy_of(&mut self, bits: &[VarId], proc: ProcId, prefix: &str) -> Vec<VarId> {
        let datum = self.data.iter().find(|datum| datum.bits == bits).cloned();
        let copies: Vec<VarId> = bits
            .iter()
            .map(|&bit| {
                let Var { name, span, .. } = self.vars[bit].clone();
                self.vars.push(Var { name: format!("{prefix}.{name}"), scope: Scope::Local(proc), span })
            })
            .collect();
        self.lists[proc].extend(&copies);
        if let Some(datum) = datum {
            self.data.push(Datum { name: format!("{prefix}.{}", datum.name), bits: copies.clone(), ..datum });
        }
        copies
    }

    /// One state needs no bits, but its name is known all the same.
    fn add_state(&mut self, ast: &Ast, scopes: &Scopes) {
        let span = ast.initial.map_or(Span::new(0, 0), |initial| initial.state.span);
        let taken: FxHashSet<&str> = scopes.globals.iter().map(|&decl| ast.text(scopes.variables[decl].name)).collect();
        let mut name = "state".to_owned();
        while taken.contains(name.as_str()) {
            name.push('_');
        }
        let states = scopes.states.len();
        let width = if states > 1 { usize::BITS - (states - 1).leading_zeros() } else { 0 };
        for bit in 0..width {
            self.state.push(self.vars.push(Var { name: format!("{name}.{bit}"), scope: Scope::Global, span }));
        }
        let names = scopes.states.iter().map(|&state| ast.names.text(state).to_owned()).collect();
        self.data.push(Datum { name, kind: Type::Enum(names), role: Role::Data, bits: self.state.clone() });
    }

    fn add_locals(
        &mut self,
        ast: &Ast,
        scopes: &Scopes,
        roles: &IndexVec<DeclId, Role>,
        procedures: &Procedures,
        proc: ProcId,
    ) {
        let mut blocks = FxHashSet::default();
        let symbols = procedures.list[proc].symbols.iter();
        let symbols = symbols.flat_map(|&symbol| scopes.symbols[symbol].blocks.iter().copied());
        let blocks: Vec<_> = symbols.filter(|&block| blocks.insert(block)).collect();
        let mut names = FxHashSet::default();
        let mut declared = Vec::new();
        for block in blocks {
            let prefix = scopes.blocks[block].name.map_or("local", |name| ast.text(name));
            for &decl in &scopes.blocks[block].variables {
                let mut name = ast.text(scopes.variables[decl].name).to_owned();
                // Another block of the procedure has a variable of this name.
                while !names.insert(name.clone()) {
                    name = format!("{prefix}.{name}");
                }
                declared.push((decl, name));
            }
        }
        let (parameters, others): (Vec<_>, Vec<_>) =
            declared.into_iter().partition(|(decl, _)| self.is_parameter(*decl, proc));
        let parameters = parameters.into_iter().map(|it| (it, Scope::Parameter(proc)));
        for ((decl, name), scope) in parameters.chain(others.into_iter().map(|it| (it, Scope::Local(proc)))) {
            let elements = self.declare(scopes, decl, &name, roles[decl], scope);
            self.lists[proc].extend(elements.iter().flatten());
            self.locals[proc].insert(decl, elements);
        }
    }

    fn declare(&mut self, scopes: &Scopes, decl: DeclId, name: &str, role: Role, scope: Scope) -> Elements {
        let variable = &scopes.variables[decl];
        let span = variable.name.span;
        let elements = (0..variable.elements).map(|element| {
            let name = match variable.is_array {
                true => format!("{name}[{}]", variable.low + element as u64),
                false => name.to_owned(),
            };
            let (kind, bits) = match variable.shape {
                Shape::Bool => (Type::Bool, vec![self.vars.push(Var { name: name.clone(), scope, span })]),
                Shape::Number { width } => {
                    let bits = (0..width).map(|bit| self.vars.push(Var { name: format!("{name}.{bit}"), scope, span }));
                    (Type::Number, bits.collect())
                }
            };
            self.data.push(Datum { name, kind, role, bits: bits.clone() });
            bits
        });
        elements.collect()
    }
}

/// The locals of each procedure's entry that a call says something about.
fn parameters(ast: &Ast, scopes: &Scopes, procedures: &Procedures) -> IndexVec<ProcId, FxHashSet<DeclId>> {
    let mut parameters = IndexVec::from_elem(FxHashSet::default(), procedures.list.len());
    for rule in &ast.rules {
        let (Pushed::Two(callee, _), Some(condition)) = (rule.to, rule.condition) else { continue };
        let proc = procedures.entered_at(scopes.symbol(callee));
        let frames = scopes.frames(rule);
        for_each_name(ast, condition, &mut |name, primes| {
            let meaning = scopes.meaning(ast, frames, &[], name, primes);
            if let Ok(Meaning::Variable(decl, Moment::Next)) = meaning
                && !scopes.is_global(decl)
            {
                parameters[proc].insert(decl);
            }
        });
    }
    parameters
}

fn for_each_name(ast: &Ast, expr: ExprId, visit: &mut impl FnMut(super::super::names::NameId, u8)) {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &ast.exprs[expr].kind {
            ExprKind::Number(_) => {}
            &ExprKind::Name { name, primes, index } => {
                visit(name, primes);
                stack.extend(index);
            }
            &ExprKind::Not(inner) => stack.push(inner),
            ExprKind::All(parts) | ExprKind::Any(parts) => stack.extend(parts),
            &ExprKind::Binary(_, left, right) => stack.extend([left, right]),
            &ExprKind::Quantified { body, .. } => stack.push(body),
        }
    }
}
