//! What a name means where: variables, procedures and labels.
//!
//! Names are dense numbers, so all tables are arrays. The tables of locals and labels are shared by all procedures: an
//! entry counts only where it bears the number of the current visit, which each [`Scopes::enter`] makes anew.

use crate::ast::{self, Ast, Ident, Results, StmtId, StmtKind};
use crate::names::{Names, Symbol};
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::{ProcId, Scope, Var, VarId};

/// Consecutive variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarRange {
    start: VarId,
    end: VarId,
}

impl VarRange {
    pub(crate) fn len(self) -> usize {
        self.end.index() - self.start.index()
    }

    pub(crate) fn ids(self) -> impl ExactSizeIterator<Item = VarId> {
        (self.start.index()..self.end.index()).map(VarId::from_usize)
    }
}

/// The variables of a procedure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub(crate) results: VarRange,
    pub(crate) formals: VarRange,
    pub(crate) locals: VarRange,
}

newtype_index! {
    struct Visit = "visit";
}

/// All declarations, and those that are visible in one procedure.
pub(crate) struct Scopes<'a> {
    ast: &'a Ast,
    pub(crate) vars: IndexVec<VarId, Var>,
    pub(crate) signatures: IndexVec<ast::ProcId, Signature>,
    globals: IndexVec<Symbol, Option<VarId>>,
    procs: IndexVec<Symbol, Option<ast::ProcId>>,
    locals: IndexVec<Symbol, Option<(Visit, VarId)>>,
    labels: IndexVec<Symbol, Option<(Visit, StmtId)>>,
    visit: Visit,
}

/// Two declarations of one name in one scope: the first, then the second.
pub(crate) struct Clash {
    pub(crate) first: Ident,
    pub(crate) second: Ident,
}

impl<'a> Scopes<'a> {
    /// Declares everything. Where a name is declared twice the first counts.
    pub(crate) fn new(ast: &'a Ast, clashes: &mut impl FnMut(Clash)) -> Self {
        let names = ast.names.len();
        let mut scopes = Self {
            ast,
            vars: IndexVec::new(),
            signatures: IndexVec::new(),
            globals: IndexVec::from_elem(None, names),
            procs: IndexVec::from_elem(None, names),
            locals: IndexVec::from_elem(None, names),
            labels: IndexVec::from_elem(None, names),
            visit: Visit::from_usize(0),
        };
        for &ident in &ast.globals {
            let var = scopes.declare(ident, Scope::Global);
            match scopes.globals[ident.name] {
                None => scopes.globals[ident.name] = Some(var),
                Some(first) => clashes(scopes.clash(first, ident)),
            }
        }
        for (id, proc) in ast.procs.iter_enumerated() {
            scopes.procs[proc.name.name].get_or_insert(id);
            let signature = scopes.declare_locals(id);
            scopes.signatures.push(signature);
        }
        scopes
    }

    fn declare_locals(&mut self, id: ast::ProcId) -> Signature {
        let proc = self.ast.procs[id];
        let owner = ProcId::from_usize(id.index());
        let count = result_count(self.ast, &proc);
        let first = self.vars.next_id();
        for index in 0..count {
            let name = if count == 1 { "result".into() } else { format!("result{index}") };
            self.vars.push(Var { name, scope: Scope::Result(owner), span: proc.name.span });
        }
        let results = VarRange { start: first, end: self.vars.next_id() };
        for &ident in self.ast.idents(proc.formals) {
            self.declare(ident, Scope::Parameter(owner));
        }
        let formals = VarRange { start: results.end, end: self.vars.next_id() };
        for &ident in self.ast.idents(proc.locals) {
            self.declare(ident, Scope::Local(owner));
        }
        Signature { results, formals, locals: VarRange { start: formals.end, end: self.vars.next_id() } }
    }

    fn declare(&mut self, ident: Ident, scope: Scope) -> VarId {
        self.vars.push(Var { name: self.ast.text(ident).into(), scope, span: ident.span })
    }

    fn clash(&self, first: VarId, second: Ident) -> Clash {
        Clash { first: Ident { name: second.name, span: self.vars[first].span }, second }
    }

    /// Makes the locals of `id` visible, and no others.
    pub(crate) fn enter(&mut self, id: ast::ProcId, clashes: &mut impl FnMut(Clash)) {
        self.visit = Visit::from_usize(self.visit.index() + 1);
        let Signature { formals, locals, .. } = self.signatures[id];
        let proc = &self.ast.procs[id];
        let idents = self.ast.idents(proc.formals).iter().chain(self.ast.idents(proc.locals));
        for (var, &ident) in formals.ids().chain(locals.ids()).zip(idents) {
            match self.locals[ident.name] {
                Some((visit, first)) if visit == self.visit => clashes(self.clash(first, ident)),
                _ => self.locals[ident.name] = Some((self.visit, var)),
            }
        }
    }

    /// Makes `label` a label of the current procedure; the first statement with that label, if there was one.
    pub(crate) fn add_label(&mut self, label: Symbol, stmt: StmtId) -> Option<StmtId> {
        let first = self.label(label);
        if first.is_none() {
            self.labels[label] = Some((self.visit, stmt));
        }
        first
    }

    pub(crate) fn variable(&self, name: Symbol) -> Option<VarId> {
        match self.locals[name] {
            Some((visit, var)) if visit == self.visit => Some(var),
            _ => self.globals[name],
        }
    }

    pub(crate) fn label(&self, name: Symbol) -> Option<StmtId> {
        self.labels[name].filter(|&(visit, _)| visit == self.visit).map(|(_, stmt)| stmt)
    }

    pub(crate) fn procedure(&self, name: Symbol) -> Option<ast::ProcId> {
        self.procs[name]
    }

    /// The procedure that is spelled `text`.
    pub(crate) fn procedure_named(&self, text: &str) -> Option<ast::ProcId> {
        let names: &Names = &self.ast.names;
        self.ast.procs.ids().find(|&id| names.text(self.ast.procs[id].name.name) == text)
    }
}

/// How many results `proc` has: what its type says; without a type, what its first `return` with values gives.
fn result_count(ast: &Ast, proc: &ast::Proc) -> usize {
    match proc.results {
        Results::Exactly(count) => count as usize,
        Results::Inferred => {
            let mut returns = proc.stmts.ids().filter_map(|id| match ast.stmts[id].kind {
                StmtKind::Return(values) if !values.is_empty() => Some(values.len()),
                _ => None,
            });
            returns.next().unwrap_or(0)
        }
    }
}
