//! Where jumps lead: `break`, `continue`, labels.

use super::cleanup::{CleanupId, Cleanups};
use crate::unit::{Activation, Unit};
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{Label, LabelId, StmtKind};
use hardbop_lang_c::ast::{self, Ident, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the jumps of a function lead.
#[derive(Default, Debug)]
pub(crate) struct Flow {
    /// Loops and switches around, innermost last.
    pub around: Vec<Around>,
    /// The cases of the switches around, innermost last.
    pub switches: Vec<super::switch::Cases>,
    /// The labels of the function, then those that blocks declare with `__label__`.
    labels: Vec<FxHashMap<Name, Target>>,
    /// What is called where scopes are left.
    pub cleanups: Cleanups,
    /// How deep statements are nested.
    pub depth: u32,
    names: FxHashSet<String>,
    counter: u32,
}

/// A loop or a switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// Where `break` leads.
    pub at_break: Jump,
    /// Where `continue` leads; nowhere in a switch of its own.
    pub at_continue: Option<Jump>,
    /// The scope that it stands in.
    scope: Option<CleanupId>,
}

/// How to leave or go on with a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Jump {
    /// With a statement of its own.
    Native,
    /// With a label, made when it is first needed.
    Label(Option<LabelId>),
}

#[derive(Clone, Copy, Debug)]
struct Target {
    label: LabelId,
    /// Where it is first spoken of.
    span: Span,
    is_defined: bool,
}

/// `break` or `continue`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leave {
    Break,
    Continue,
}

/// What labels mean, to go back to.
pub(crate) struct Snapshot {
    labels: Vec<FxHashMap<Name, Target>>,
    names: FxHashSet<String>,
    jump_count: usize,
}

impl Flow {
    /// What labels mean now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { labels: self.labels.clone(), names: self.names.clone(), jump_count: self.cleanups.jump_count() }
    }

    /// Goes back to what labels meant.
    pub fn restore(&mut self, snapshot: Snapshot) {
        self.labels = snapshot.labels;
        self.names = snapshot.names;
        self.cleanups.keep_jumps(snapshot.jump_count);
    }
}

impl Activation {
    /// Whether what is emitted next is reached from the statement before.
    pub fn ends_in_jump(&self) -> bool {
        matches!(
            self.last(),
            Some(
                StmtKind::Goto(_)
                    | StmtKind::GotoComputed(_)
                    | StmtKind::Return(_)
                    | StmtKind::Break
                    | StmtKind::Continue
            )
        )
    }
}

impl Unit<'_> {
    /// A label of our own.
    pub fn new_label(&mut self, stem: &str) -> LabelId {
        let ast = self.ast;
        if self.written_labels.is_none() {
            let written = ast.stmts.iter().filter_map(|stmt| match stmt.kind {
                ast::StmtKind::Label(label, _) => Some(ast.names[label.name].to_string()),
                _ => None,
            });
            self.written_labels = Some(written.collect());
        }
        loop {
            let activation = self.function.as_mut().expect("statements stand in functions");
            activation.flow.counter += 1;
            let name = format!("{stem}_{}", activation.flow.counter);
            if !self.written_labels.as_ref().is_some_and(|written| written.contains(&name)) {
                return activation.labels.push(Label { name, is_written: false, is_address_taken: false });
            }
        }
    }

    /// Opens a scope for `__label__`.
    pub fn enter_labels(&mut self) {
        self.activation().flow.labels.push(FxHashMap::default());
    }

    /// Closes it.
    pub fn leave_labels(&mut self) {
        let labels = self.activation().flow.labels.pop().unwrap_or_default();
        let mut undefined: Vec<(Name, Target)> = labels.into_iter().filter(|(_, target)| !target.is_defined).collect();
        undefined.sort_by_key(|(_, target)| target.span);
        for (name, target) in undefined {
            let message = format!("the label `{}` is used but not defined", self.ast.names[name]);
            self.findings.add(Diagnostic::error("undefined-label", message, target.span));
        }
    }

    /// `__label__ x`
    pub fn declare_label(&mut self, label: Ident) {
        let target = Target { label: self.written_label(label), span: label.span, is_defined: false };
        if let Some(scope) = self.activation().flow.labels.last_mut() {
            scope.insert(label.name, target);
        }
    }

    fn written_label(&mut self, label: Ident) -> LabelId {
        let spelling = &*self.ast.names[label.name];
        let activation = self.activation();
        let mut name = spelling.to_owned();
        // Only labels that `__label__` declares can share a name.
        while !activation.flow.names.insert(name.clone()) {
            activation.flow.counter += 1;
            name = format!("{spelling}__{}", activation.flow.counter);
        }
        activation.labels.push(Label { name, is_written: true, is_address_taken: false })
    }

    /// The label that is called so here.
    pub fn label(&mut self, label: Ident) -> LabelId {
        self.label_target(label).label
    }

    fn label_target(&mut self, label: Ident) -> Target {
        let known = self.activation().flow.labels.iter().rev().find_map(|scope| scope.get(&label.name).copied());
        known.unwrap_or_else(|| {
            let target = Target { label: self.written_label(label), span: label.span, is_defined: false };
            if let Some(scope) = self.activation().flow.labels.first_mut() {
                scope.insert(label.name, target);
            }
            target
        })
    }

    /// `label:`
    pub fn define_label(&mut self, label: Ident) {
        let target = self.label_target(label);
        if target.is_defined {
            let message = format!("the label `{}` is defined twice", self.ast.names[label.name]);
            self.findings.add(Diagnostic::error("duplicate-label", message, label.span).related("first", target.span));
            return;
        }
        let scopes = &mut self.activation().flow.labels;
        if let Some(entry) = scopes.iter_mut().rev().find_map(|scope| scope.get_mut(&label.name)) {
            entry.is_defined = true;
            entry.span = label.span;
        }
        self.activation().flow.cleanups.place(target.label);
        self.emit(StmtKind::Label(target.label), label.span);
    }

    /// `break;` or `continue;`
    pub fn leave(&mut self, leave: Leave, span: Span) {
        let around = &self.activation().flow.around;
        let found = match leave {
            Leave::Break => around.len().checked_sub(1),
            Leave::Continue => around.iter().rposition(|around| around.at_continue.is_some()),
        };
        let Some(found) = found else { return self.stray(leave, span) };
        let Around { at_break, at_continue, scope } = around[found];
        self.clean_up(scope, span);
        match if leave == Leave::Break { Some(at_break) } else { at_continue } {
            Some(Jump::Label(Some(label))) => self.emit(StmtKind::Goto(label), span),
            Some(Jump::Label(None)) => {
                let label = self.new_label(if leave == Leave::Break { "end" } else { "next" });
                let jump = Jump::Label(Some(label));
                let around = &mut self.activation().flow.around[found];
                match leave {
                    Leave::Break => around.at_break = jump,
                    Leave::Continue => around.at_continue = Some(jump),
                }
                self.emit(StmtKind::Goto(label), span);
            }
            Some(Jump::Native) | None => match leave {
                Leave::Break => self.emit(StmtKind::Break, span),
                Leave::Continue => self.emit(StmtKind::Continue, span),
            },
        }
    }

    fn stray(&mut self, leave: Leave, span: Span) {
        self.findings.add(match leave {
            Leave::Break => Diagnostic::error("stray-break", "`break` stands neither in a loop nor in a switch", span),
            Leave::Continue => Diagnostic::error("stray-continue", "`continue` does not stand in a loop", span),
        });
    }

    /// Lowers what `body` says inside of a loop or switch; the result is how it was left.
    pub fn inside(&mut self, at_break: Jump, at_continue: Option<Jump>, body: ast::StmtId) -> Around {
        let around = Around { at_break, at_continue, scope: self.innermost_cleanup() };
        self.activation().flow.around.push(around);
        self.stmt(body);
        self.activation().flow.around.pop().expect("what was pushed is there")
    }

    /// Emits the label that `jump` needed.
    pub fn land(&mut self, jump: Jump, span: Span) {
        if let Jump::Label(Some(label)) = jump {
            self.emit(StmtKind::Label(label), span);
        }
    }
}
