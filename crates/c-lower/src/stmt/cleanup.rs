//! `cleanup`: functions that are called when control leaves the scope of a variable.
//!
//! As with gcc, that scope reaches from the declaration to the end of the block. Whatever leads out of it makes the call:
//! the end of the block, `break`, `continue`, `return`, and a `goto` to a label outside, be it one in the same block before
//! the declaration. Who jumps past the declaration is inside, though the variable has no value yet.
//!
//! Scopes are nested, and [`Cleanups`] holds them as a tree: a jump leaves those around it that are not around its label.
//! Where a label stands may be known only later, so jumps are completed at the end of the function.

use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::{IndexVec, Span, newtype_index};
use hardbop_c_core::{Block, Callee, Expr, ExprKind, FunctionId, Label, LabelId, Parameters, Stmt, StmtKind, VarId};
use hardbop_lang_c::ast::{self, Attribute, AttributeArgument, Declarator, Specifiers};
use rustc_hash::FxHashMap;

newtype_index! {
    /// The scope of a variable with a cleanup.
    pub(crate) struct CleanupId = "cleanup";
}

/// The cleanups of a function.
#[derive(Default, Debug)]
pub(crate) struct Cleanups {
    all: IndexVec<CleanupId, Cleanup>,
    /// The scope that the walk is in.
    innermost: Option<CleanupId>,
    /// The scopes that labels stand in.
    labels: FxHashMap<LabelId, Option<CleanupId>>,
    /// The places of jumps whose labels may stand elsewhere, with the scopes that these jumps stand in.
    jumps: Vec<(Span, CleanupId)>,
}

#[derive(Debug)]
struct Cleanup {
    /// The call of the function with the address of the variable.
    call: StmtKind,
    /// The scope around this one; it has a smaller number.
    outer: Option<CleanupId>,
}

impl Cleanups {
    /// How many jumps there are so far.
    pub fn jump_count(&self) -> usize {
        self.jumps.len()
    }

    /// Forgets all jumps but the first ones.
    pub fn keep_jumps(&mut self, count: usize) {
        self.jumps.truncate(count);
    }

    /// Takes note that a label stands in the scope that the walk is in.
    pub fn place(&mut self, label: LabelId) {
        self.labels.insert(label, self.innermost);
    }

    /// What is called on the way from one scope to another, in order.
    fn calls(&self, mut from: Option<CleanupId>, mut to: Option<CleanupId>) -> Vec<StmtKind> {
        let mut calls = Vec::new();
        while from != to {
            // The later one is not around the earlier one, and no scope at all is around every other.
            match from.filter(|_| from > to) {
                Some(left) => {
                    calls.push(self.all[left].call.clone());
                    from = self.all[left].outer;
                }
                None => to = to.and_then(|entered| self.all[entered].outer),
            }
        }
        calls
    }

    /// Puts calls before the jumps that leave scopes.
    pub fn complete(&self, labels: &IndexVec<LabelId, Label>, block: &mut Block) {
        if self.jumps.is_empty() {
            return;
        }
        let taken = labels.iter_enumerated().filter(|(_, row)| row.is_address_taken).map(|(label, _)| label);
        let jumps = self.jumps.iter().copied().collect();
        Completion { cleanups: self, jumps, taken: taken.collect() }.block(block);
    }

    fn calls_to(&self, from: CleanupId, label: LabelId) -> Vec<StmtKind> {
        self.calls(Some(from), self.labels.get(&label).copied().flatten())
    }
}

/// The walk over a finished body.
struct Completion<'c> {
    cleanups: &'c Cleanups,
    /// No two jumps have the same place.
    jumps: FxHashMap<Span, CleanupId>,
    /// Where computed jumps may lead.
    taken: Vec<LabelId>,
}

impl Completion<'_> {
    fn block(&self, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            match &mut stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::While(_, inner) | StmtKind::Block(inner) => self.block(inner),
                kind => {
                    let before = self.before(kind, stmt.span);
                    block.extend(before.into_iter().map(|kind| Stmt { kind, span: stmt.span }));
                }
            }
            block.push(stmt);
        }
    }

    /// What comes before a jump.
    fn before(&self, kind: &StmtKind, span: Span) -> Vec<StmtKind> {
        match (kind, self.jumps.get(&span)) {
            (StmtKind::Goto(label), Some(&from)) => self.cleanups.calls_to(from, *label),
            (StmtKind::GotoComputed(_), Some(&from)) => self.refused(from, &self.taken),
            (StmtKind::Asm(asm), Some(&from)) => self.refused(from, &asm.labels),
            _ => Vec::new(),
        }
    }

    /// What comes before a jump to one of several labels. If one leaves a scope gcc calls nothing, and clang refuses it.
    fn refused(&self, from: CleanupId, labels: &[LabelId]) -> Vec<StmtKind> {
        let leaves = labels.iter().any(|&label| !self.cleanups.calls_to(from, label).is_empty());
        let message = "a computed jump out of the scope of a variable with a cleanup";
        if leaves { vec![StmtKind::Unmodelled(message.to_owned())] } else { Vec::new() }
    }
}

impl Unit<'_> {
    /// Enters a scope; the result is for [`Unit::close_scope`].
    pub fn open_scope(&mut self) -> Option<CleanupId> {
        self.scopes.open();
        self.innermost_cleanup()
    }

    /// Leaves a scope at its end.
    pub fn close_scope(&mut self, outer: Option<CleanupId>, span: Span) {
        if !self.activation().ends_in_jump() {
            let end = Span::new(span.end.saturating_sub(1).max(span.start), span.end);
            self.clean_up(outer, end);
        }
        self.activation().flow.cleanups.innermost = outer;
        self.scopes.close();
    }

    pub fn innermost_cleanup(&mut self) -> Option<CleanupId> {
        self.activation().flow.cleanups.innermost
    }

    /// Emits what is called on the way from here to a scope around.
    pub fn clean_up(&mut self, outer: Option<CleanupId>, span: Span) {
        let cleanups = &self.activation().flow.cleanups;
        let calls = cleanups.calls(cleanups.innermost, outer);
        calls.into_iter().for_each(|call| self.emit(call, span));
    }

    /// A value as it is before what is called on the way to a scope around.
    pub fn before_cleanup(&mut self, value: Expr, outer: Option<CleanupId>, span: Span) -> Expr {
        let is_constant = matches!(value.kind, ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_));
        match is_constant || self.is_void(value.ty) || self.innermost_cleanup() == outer {
            true => value,
            false => self.saved(value, span),
        }
    }

    /// Emits a jump to labels that the source names, or that a run chooses.
    pub fn jump(&mut self, kind: StmtKind, span: Span) {
        let cleanups = &mut self.activation().flow.cleanups;
        if let Some(innermost) = cleanups.innermost {
            cleanups.jumps.push((span, innermost));
            // What it calls in the end changes things behind the label, too.
            let call = cleanups.all[innermost].call.clone();
            self.note_effects(&call);
        }
        self.emit(kind, span);
    }

    /// Begins the scope of a variable that is declared here and has a value, if it has a cleanup.
    pub fn declare_cleanup(&mut self, var: VarId, specifiers: &Specifiers, declarator: &Declarator) {
        // Of several, gcc takes the last one of the specifiers, or else the last of all.
        let all = declarator.attributes.iter().chain(&specifiers.attributes);
        let mut cleanups = all.rev().filter(|attribute| &*self.ast.names[attribute.name.name] == "cleanup");
        let Some(attribute) = cleanups.next() else { return };
        let span = attribute.name.span;
        let Some(function) = self.cleanup_function(attribute) else { return };
        let callee = Callee::Function(function);
        let Some(ty) = self.module.types.callee(self.module.functions[function].ty).cloned() else { return };
        if let Some(finding) = self.wrong_count(&callee, &ty.parameters, 1, span) {
            return self.findings.add(finding);
        }
        let place = self.variable_place(var);
        let address = self.address_of_place(place, span);
        let argument = match &ty.parameters {
            Parameters::Fixed(types) | Parameters::Variadic(types) if !types.is_empty() => {
                self.convert(address, types[0], span)
            }
            _ => address,
        };
        let call = StmtKind::Call { result: None, callee, arguments: vec![argument] };
        let cleanups = &mut self.activation().flow.cleanups;
        let outer = cleanups.innermost;
        cleanups.innermost = Some(cleanups.all.push(Cleanup { call, outer }));
    }

    fn cleanup_function(&mut self, attribute: &Attribute) -> Option<FunctionId> {
        let span = attribute.name.span;
        if let Some(AttributeArgument::Expr(expr)) = attribute.arguments.first()
            && let ast::ExprKind::Name(name) = self.ast.exprs[*expr].kind
            && let Some(Meaning::Function(function)) = self.scopes.find(name)
        {
            return Some(function);
        }
        self.wrong("not-callable", "a cleanup is the name of a function that is declared", span);
        None
    }
}
