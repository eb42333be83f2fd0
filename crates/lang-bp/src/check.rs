//! Whether every name means something and every list has the right length.
//!
//! Statements and expressions of a procedure are rows of a table, so nothing here recurses.

use crate::ast::{Ast, ExprId, ExprKind, Ident, List, Proc, ProcId, Results, Stmt, StmtKind};
use crate::names::Symbol;
use crate::scope::{Clash, Scopes};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Idx, Span, diagnostic};
use rustc_hash::FxHashMap;

/// What is wrong with a program that has been parsed, and starts in procedure `entry`: errors and warnings, in the
/// order of the source.
pub fn check(ast: &Ast, entry: &str) -> Vec<Diagnostic> {
    resolve(ast, entry).1.finish()
}

/// The declarations, and the entry procedure where there is one.
pub(crate) fn resolve<'a>(ast: &'a Ast, entry: &str) -> ((Scopes<'a>, Option<ProcId>), Findings) {
    let mut findings = Findings::default();
    ast.misuses.iter().for_each(|misuse| findings.add(misuse.clone()));
    let scopes = Scopes::new(ast, &mut |clash| findings.add(duplicate_variable(ast, &clash)));
    let mut checker =
        Checker { ast, scopes, findings, undeclared: FxHashMap::default(), current: ProcId::from_usize(0) };
    for (id, proc) in ast.procs.iter_enumerated() {
        checker.procedure(id, proc);
        if checker.findings.is_full() {
            break;
        }
    }
    let entry = checker.entry(entry);
    ((checker.scopes, entry), checker.findings)
}

fn duplicate_variable(ast: &Ast, clash: &Clash) -> Diagnostic {
    let message = format!("`{}` is declared twice", ast.text(clash.second));
    Diagnostic::error("duplicate-variable", message, clash.second.span).related("first declared here", clash.first.span)
}

struct Checker<'a> {
    ast: &'a Ast,
    scopes: Scopes<'a>,
    findings: Findings,
    /// The names that are not declared in the current procedure, and where each stands first.
    undeclared: FxHashMap<Symbol, Span>,
    current: ProcId,
}

impl Checker<'_> {
    fn entry(&mut self, entry: &str) -> Option<ProcId> {
        let found = self.scopes.procedure_named(entry);
        match found {
            Some(id) => self.warn_of_init(id),
            None => {
                let finding = self.no_entry(entry);
                self.findings.add(finding);
            }
        }
        found
    }

    fn no_entry(&self, entry: &str) -> Diagnostic {
        const LISTED: usize = 10;
        let names = || self.ast.procs.iter().map(|proc| self.ast.text(proc.name));
        if self.ast.procs.is_empty() {
            return Diagnostic::error("no-main", "there are no procedures", None);
        }
        let mut listed: Vec<_> = names().take(LISTED).map(|name| format!("`{name}`")).collect();
        if self.ast.procs.len() > LISTED {
            listed.push("…".into());
        }
        let message = format!("there is no procedure `{entry}`; there is {}", listed.join(", "));
        let finding = Diagnostic::error("no-main", message, None);
        let meant = diagnostic::nearest(entry, names()).or_else(|| names().next());
        finding.help(format!("say where to start, for instance with `--entry {}`", meant.unwrap_or_default()))
    }

    /// Some tools run `init` first, and users of those expect it.
    fn warn_of_init(&mut self, entry: ProcId) {
        let Some(init) = self.scopes.procedure_named("init").filter(|&init| init != entry) else { return };
        let name = self.ast.procs[init].name;
        let is_called = self.ast.stmts.iter().any(|stmt| match stmt.kind {
            StmtKind::Call { callee, .. } | StmtKind::StartCall { callee, .. } => callee.name == name.name,
            _ => false,
        });
        if !is_called {
            let entry = self.ast.text(self.ast.procs[entry].name);
            let message = format!("`init` is never called: a run starts in `{entry}`, with any values");
            let finding = Diagnostic::warning("init-not-called", message, name.span);
            self.findings.add(finding.help(format!("call it at the start of `{entry}`")));
        }
    }

    fn procedure(&mut self, id: ProcId, proc: &Proc) {
        let ast = self.ast;
        self.current = id;
        if let Some(first) = self.scopes.procedure(proc.name.name).filter(|&first| first != id) {
            let message = format!("there are two procedures `{}`", ast.text(proc.name));
            let finding = Diagnostic::error("duplicate-procedure", message, proc.name.span);
            self.findings.add(finding.related("the first is here", ast.procs[first].name.span));
        }
        let findings = &mut self.findings;
        self.scopes.enter(id, &mut |clash| findings.add(duplicate_variable(ast, &clash)));
        self.labels(proc);
        for expr in &ast.exprs.as_slice()[rows(proc.exprs)] {
            if let ExprKind::Var(name) | ExprKind::Next(name) = expr.kind {
                self.variable(Ident { name, span: expr.span });
            }
        }
        for stmt in &ast.stmts.as_slice()[rows(proc.stmts)] {
            if self.findings.is_full() {
                break;
            }
            self.statement(proc, stmt);
        }
        self.report_undeclared();
    }

    fn labels(&mut self, proc: &Proc) {
        let ast = self.ast;
        for id in proc.stmts.ids() {
            for &label in ast.idents(ast.stmts[id].labels) {
                let Some(first) = self.scopes.add_label(label.name, id).filter(|&first| first != id) else {
                    continue;
                };
                let first = ast.idents(ast.stmts[first].labels).iter().find(|first| first.name == label.name);
                let message =
                    format!("label `{}` stands on two statements of `{}`", ast.text(label), ast.text(proc.name));
                let finding = Diagnostic::error("duplicate-label", message, label.span);
                self.findings.add(finding.related("the first is here", first.map_or(label.span, |first| first.span)));
            }
        }
    }

    fn statement(&mut self, proc: &Proc, stmt: &Stmt) {
        match stmt.kind {
            StmtKind::Goto(labels) => {
                for &label in self.ast.idents(labels) {
                    self.label(label);
                }
            }
            StmtKind::StartGoto(label) => self.label(label),
            StmtKind::Return(values) => self.returned(proc, values, stmt.span),
            StmtKind::Assign { targets, values, .. } => {
                self.variables(targets);
                if targets.len() != values.len() {
                    let message = format!(
                        "on the left {} and on the right {}",
                        count(targets.len(), "variable"),
                        count(values.len(), "value")
                    );
                    self.findings.add(Diagnostic::error("assignment-arity", message, stmt.span));
                }
            }
            StmtKind::Dead(names) => self.variables(names),
            StmtKind::Call { targets, callee, args } => {
                self.variables(targets);
                self.call(callee, args, targets);
            }
            StmtKind::StartCall { callee, args } => self.call(callee, args, List::EMPTY),
            _ => {}
        }
    }

    fn variables(&mut self, names: List<Ident>) {
        for &name in self.ast.idents(names) {
            if !name.is_discard() {
                self.variable(name);
            }
        }
    }

    fn variable(&mut self, ident: Ident) {
        if self.scopes.variable(ident.name).is_none() {
            let first = self.undeclared.entry(ident.name).or_insert(ident.span);
            *first = ident.span.min(*first);
        }
    }

    fn report_undeclared(&mut self) {
        let mut undeclared: Vec<_> = self.undeclared.drain().map(|(name, span)| Ident { name, span }).collect();
        undeclared.sort_by_key(|ident| ident.span);
        for ident in undeclared {
            if !self.findings.is_full() {
                let finding = self.undeclared_variable(ident);
                self.findings.add(finding);
            }
        }
    }

    fn undeclared_variable(&self, ident: Ident) -> Diagnostic {
        let ast = self.ast;
        let proc = &ast.procs[self.current];
        let visible = ast.idents(proc.formals).iter().chain(ast.idents(proc.locals)).chain(&ast.globals);
        let suggestion = did_you_mean(ast.text(ident), visible.map(|&ident| ast.text(ident)));
        let message = format!("`{}` is not declared in `{}`{suggestion}", ast.text(ident), ast.text(proc.name));
        Diagnostic::error("undeclared-variable", message, ident.span)
    }

    fn label(&mut self, label: Ident) {
        if self.scopes.label(label.name).is_some() || self.findings.is_full() {
            return;
        }
        let ast = self.ast;
        let proc = &ast.procs[self.current];
        let labels = proc.stmts.ids().flat_map(|id| ast.idents(ast.stmts[id].labels)).map(|&label| ast.text(label));
        let suggestion = did_you_mean(ast.text(label), labels);
        let message = format!("there is no label `{}` in `{}`{suggestion}", ast.text(label), ast.text(proc.name));
        self.findings.add(Diagnostic::error("undefined-label", message, label.span));
    }

    fn returned(&mut self, proc: &Proc, values: List<ExprId>, span: Span) {
        let wanted = self.scopes.signatures[self.current].results.len();
        // A bare `return` leaves the results open.
        if values.is_empty() || values.len() == wanted {
            return;
        }
        let name = self.ast.text(proc.name);
        let message = format!("`{name}` returns {}, not {}", count(wanted, "value"), values.len());
        let finding = Diagnostic::error("return-arity", message, span);
        self.findings.add(match proc.results {
            Results::Exactly(_) => finding.related("declared here", proc.name.span),
            Results::Inferred => finding.help("all `return`s with values must give as many as the first"),
        });
    }

    fn call(&mut self, callee: Ident, args: List<ExprId>, targets: List<Ident>) {
        let ast = self.ast;
        let name = ast.text(callee);
        let Some(id) = self.scopes.procedure(callee.name) else {
            let suggestion = did_you_mean(name, ast.procs.iter().map(|proc| ast.text(proc.name)));
            let message = format!("there is no procedure `{name}`{suggestion}");
            self.findings.add(Diagnostic::error("undefined-procedure", message, callee.span));
            return;
        };
        let signature = self.scopes.signatures[id];
        let declared = ast.procs[id].name.span;
        if signature.formals.len() != args.len() {
            let wanted = count(signature.formals.len(), "argument");
            let message = format!("`{name}` takes {wanted}, not {}", args.len());
            let finding = Diagnostic::error("call-arity", message, callee.span);
            self.findings.add(finding.related("defined here", declared));
        }
        if !targets.is_empty() && signature.results.len() != targets.len() {
            let wanted = count(signature.results.len(), "value");
            let message = format!("`{name}` returns {wanted}, not {}", targets.len());
            let finding = Diagnostic::error("result-arity", message, callee.span);
            self.findings.add(finding.related("defined here", declared));
        }
    }
}

fn rows<T: Idx>(list: List<T>) -> std::ops::Range<usize> {
    let mut ids = list.ids();
    let start = ids.next().map_or(0, Idx::index);
    start..start + list.len()
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}
