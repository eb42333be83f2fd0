//! Where a run starts.

use super::assign::Effect;
use super::{Lowering, Start};
use crate::rem::ast::{Ident, ModuleId, StmtId, StmtKind};
use crate::rem::scope::Scopes;
use hardbop_base::{Diagnostic, diagnostic};
use hardbop_icfg::{EdgeKind, NodeId, ProcId, Relation, Transition};

const DEFAULT_ENTRY: &str = "main";

/// What `init` can name.
enum Origin {
    Module(ModuleId),
    /// A label in a procedure.
    Label(ProcId),
}

impl Lowering<'_> {
    /// Where a run starts; after an error, anywhere.
    pub(super) fn start(&mut self, entry: Option<&str>) -> Start {
        let inits = self.ast.inits.clone();
        match (entry, inits.as_slice()) {
            (None, [init]) => match self.origin(*init) {
                Some(Origin::Module(module)) => self.in_module(module),
                Some(Origin::Label(proc)) => Start { entry: proc, label: Some(*init), choice: Vec::new() },
                None => self.anywhere(),
            },
            (None, [_, _, ..]) => {
                let is_known = inits.iter().all(|&init| match self.origin(init) {
                    Some(Origin::Label(proc)) if proc != self.scopes.outside() => {
                        self.cannot_start_at(init);
                        false
                    }
                    origin => origin.is_some(),
                });
                match is_known {
                    true => Start { entry: self.scopes.outside(), label: None, choice: inits },
                    false => self.anywhere(),
                }
            }
            _ => self.named(entry.unwrap_or(DEFAULT_ENTRY)),
        }
    }

    fn in_module(&self, module: ModuleId) -> Start {
        Start { entry: Scopes::procedure(module), label: None, choice: Vec::new() }
    }

    fn anywhere(&self) -> Start {
        Start { entry: self.scopes.outside(), label: None, choice: Vec::new() }
    }

    fn named(&mut self, name: &str) -> Start {
        let ast = self.ast;
        let modules = || ast.modules.iter().map(|module| ast.text(module.header.name));
        let found = ast.modules.ids().find(|&id| ast.text(ast.modules[id].header.name) == name);
        if let Some(id) = found {
            return self.in_module(id);
        }
        let finding = match ast.modules.is_empty() {
            true => Diagnostic::error("no-main", "there are no modules", None),
            false => {
                const LISTED: usize = 10;
                let mut listed: Vec<_> = modules().take(LISTED).map(|name| format!("`{name}`")).collect();
                if ast.modules.len() > LISTED {
                    listed.push("…".into());
                }
                let message = format!("there is no module `{name}`; there is {}", listed.join(", "));
                let meant = diagnostic::nearest(name, modules()).or_else(|| modules().next()).unwrap_or_default();
                let help = format!("say where to start with `init {meant};` or `--entry {meant}`");
                Diagnostic::error("no-main", message, None).help(help)
            }
        };
        self.scopes.report(finding);
        self.anywhere()
    }

    fn origin(&mut self, init: Ident) -> Option<Origin> {
        let ast = self.ast;
        if let Some(module) = self.scopes.module(init.name) {
            return Some(Origin::Module(module));
        }
        if self.has_label(ast.outside.all(), init) {
            return Some(Origin::Label(self.scopes.outside()));
        }
        let holder = ast.modules.ids().find(|&id| self.has_label(ast.modules[id].body.all(), init));
        match holder {
            Some(id) if !self.is_called(id) => Some(Origin::Label(Scopes::procedure(id))),
            Some(_) => {
                self.cannot_start_at(init);
                None
            }
            None => {
                let message = format!("there is no module and no label `{}`", ast.text(init));
                self.scopes.report(Diagnostic::error("undefined-module", message, init.span));
                None
            }
        }
    }

    fn has_label(&self, mut stmts: impl Iterator<Item = StmtId>, label: Ident) -> bool {
        stmts.any(|id| {
            let stmt = &self.ast.stmts[id];
            let is_top = matches!(stmt.kind, StmtKind::Rule(rule) if rule.top.name == label.name);
            is_top || self.ast.idents(stmt.labels).iter().any(|other| other.name == label.name)
        })
    }

    fn is_called(&self, id: ModuleId) -> bool {
        let name = self.ast.modules[id].header.name.name;
        self.ast.stmts.iter().any(|stmt| match stmt.kind {
            StmtKind::Call { callee, .. } => callee.name == name,
            StmtKind::Rule(rule) => self.ast.idents(rule.pushed).iter().any(|symbol| symbol.name == name),
            _ => false,
        })
    }

    fn cannot_start_at(&mut self, init: Ident) {
        let message = format!("a run cannot start at the label `{}`", self.ast.text(init));
        let finding = Diagnostic::error("unsupported-init", message, init.span);
        let help =
            "it can start at a module, at a label outside of all modules, or at one in a module that is not called";
        self.scopes.report(finding.help(help));
    }

    /// The node that a run starts at, in the entry, whose first statement is at `first`.
    pub(super) fn start_node(&mut self, start: &Start, first: NodeId) -> NodeId {
        if let Some(label) = start.label {
            return self.procedure.labels.get(&label.name).copied().unwrap_or(first);
        }
        let Some(&init) = start.choice.first() else { return first };
        let node = self.silent(init.span);
        for init in &start.choice {
            match self.scopes.module(init.name) {
                Some(module) => {
                    let callee = Scopes::procedure(module);
                    let enter = self.enter(callee, Effect::default());
                    let to = self.procedure.exit;
                    let label = Relation::Call { enter, leave: Transition::SKIP };
                    self.edge(node, EdgeKind::Call { callee, to }, label);
                }
                None => {
                    if let Some(&to) = self.procedure.labels.get(&init.name) {
                        self.step(node, to, Transition::SKIP);
                    }
                }
            }
        }
        node
    }
}
