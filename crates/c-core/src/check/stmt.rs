//! Statements and labels.

use super::Checker;
use crate::stmt::visit_block;
use crate::{
    Asm, Body, Callee, Expr, ExprKind, FunctionType, LabelId, Parameters, Place, Stmt, StmtKind, Type, TypeId, VarKind,
};
use hardbop_base::IndexVec;
use rustc_hash::FxHashSet;

/// Whether `break` and `continue` have something to leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Loop,
    NoLoop,
}

impl<'m> Checker<'m> {
    pub(super) fn body(&mut self, body: &'m Body) {
        self.labels(body);
        self.stmts(&body.block, Around::NoLoop);
        self.stmt = None;
    }

    fn labels(&mut self, body: &'m Body) {
        let mut names = FxHashSet::default();
        for label in body.labels.iter() {
            self.require(names.insert(&label.name), format!("two labels are called `{}`", label.name));
        }
        let mut defined: IndexVec<LabelId, u32> = IndexVec::from_elem(0, body.labels.len());
        let mut used = Vec::new();
        visit_block(&body.block, &mut |stmt| match &stmt.kind {
            StmtKind::Label(label) => match defined.get(*label) {
                Some(_) => defined[*label] += 1,
                None => used.push(*label),
            },
            StmtKind::Goto(label) => used.push(*label),
            StmtKind::Asm(asm) => used.extend(&asm.labels),
            _ => {}
        });
        for (label, &times) in defined.iter_enumerated() {
            self.require(times <= 1, format!("label {label} is defined {times} times"));
            let is_taken = body.labels[label].is_address_taken;
            self.require(times == 1 || !is_taken, format!("label {label} has an address but no place"));
        }
        for label in used {
            self.require(defined.get(label).is_some_and(|&times| times > 0), format!("label {label} is not defined"));
        }
    }

    /// Requires that the address of a label of this function may be taken. Initialisers of statics have no function.
    pub(super) fn label_address(&mut self, label: LabelId) {
        let Some(function) = self.function else { return };
        let body = self.module.functions[function].body.as_ref();
        let is_taken = body.and_then(|body| body.labels.get(label)).is_some_and(|label| label.is_address_taken);
        self.require(is_taken, format!("label {label} is not marked as address-taken"));
    }

    fn stmts(&mut self, block: &'m [Stmt], around: Around) {
        for stmt in block {
            self.stmt = Some(stmt);
            self.require(stmt.pointer_accesses() <= 1, "it goes through more than one pointer");
            self.stmt(stmt, around);
        }
    }

    fn stmt(&mut self, stmt: &'m Stmt, around: Around) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Zero(place) => self.place(place),
            StmtKind::Call { result, callee, arguments } => self.call(result.as_ref(), callee, arguments),
            StmtKind::NextArgument { result, list, ty } => self.next_argument(result.as_ref(), list, *ty),
            StmtKind::Fresh(var) => {
                self.visible(*var);
                let kind = self.module.vars.get(*var).map(|variable| variable.kind);
                let is_local = matches!(kind, Some(VarKind::Local(_) | VarKind::Temporary(_)));
                self.require(is_local, "what becomes fresh is no local");
            }
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::If(condition, yes, no) => {
                self.condition(condition);
                self.stmts(yes, around);
                self.stmts(no, around);
            }
            StmtKind::While(condition, block) => {
                self.condition(condition);
                self.stmts(block, Around::Loop);
            }
            StmtKind::Break | StmtKind::Continue => self.require(around == Around::Loop, "there is no loop around it"),
            StmtKind::GotoComputed(target) => {
                self.expr(target);
                self.require(self.module.types.is_pointer(target.ty), "a jump goes to no pointer");
            }
            StmtKind::Return(value) => self.result(value.as_ref()),
            StmtKind::Block(block) => self.stmts(block, around),
            StmtKind::Unmodelled(_) | StmtKind::Label(_) | StmtKind::Goto(_) => {}
        }
    }

    fn assign(&mut self, place: &'m Place, value: &'m Expr) {
        self.place(place);
        self.expr(value);
        self.same("the value", value.ty, place.ty);
        let types = &self.module.types;
        let is_assignable = types.is_complete(place.ty) && !types.is_array(place.ty);
        self.require(is_assignable, "an array, a function or nothing is assigned to");
    }

    fn condition(&mut self, condition: &'m Expr) {
        self.expr(condition);
        self.require(self.module.types.is_scalar(condition.ty), "a condition is no scalar");
    }

    fn call(&mut self, result: Option<&'m Place>, callee: &'m Callee, arguments: &'m [Expr]) {
        let types = &self.module.types;
        let function = match callee {
            Callee::Function(function) => {
                self.module.functions.get(*function).and_then(|function| types.callee(function.ty))
            }
            Callee::Pointer(pointer) => {
                // A function that is called at once does not count as one whose address is taken.
                if !matches!(pointer.kind, ExprKind::Function(_)) {
                    self.expr(pointer);
                }
                self.require(pointer.pointer_reads() == 0, "what is called is read through a pointer");
                types.callee(pointer.ty)
            }
        };
        let Some(function) = function else { return self.report("no function is called") };
        arguments.iter().for_each(|argument| self.expr(argument));
        self.arguments(function, arguments);
        if let Some(place) = result {
            self.place(place);
            self.same("the result", function.result, place.ty);
        }
    }

    fn arguments(&mut self, function: &FunctionType, arguments: &[Expr]) {
        let (parameters, has_more) = match &function.parameters {
            Parameters::Fixed(types) => (types.as_slice(), false),
            Parameters::Variadic(types) => (types.as_slice(), true),
            Parameters::Unspecified => (&[][..], true),
        };
        let is_enough = arguments.len() == parameters.len() || has_more && arguments.len() > parameters.len();
        self.require(is_enough, "the number of arguments is not that of the parameters");
        for (argument, &wanted) in arguments.iter().zip(parameters) {
            self.same("an argument", argument.ty, wanted);
        }
        for argument in arguments.iter().skip(parameters.len()) {
            let kind = self.module.types.int_kind(argument.ty);
            self.require(kind.is_none_or(|kind| kind.promote() == kind), "an argument is not promoted");
        }
    }

    fn next_argument(&mut self, result: Option<&'m Place>, list: &'m Expr, ty: TypeId) {
        self.expr(list);
        let types = &self.module.types;
        let is_list = types.pointee(list.ty).is_some_and(|pointee| *types.get(pointee.ty) == Type::VaList);
        self.require(is_list, "arguments are taken from no list");
        if let Some(place) = result {
            self.place(place);
            self.same("the argument", ty, place.ty);
        }
    }

    fn asm(&mut self, asm: &'m Asm) {
        for (_, _, place) in &asm.outputs {
            self.place(place);
            self.require(!place.is_deref(), "assembly writes through a pointer");
        }
        for (_, _, value) in &asm.inputs {
            self.expr(value);
            self.require(value.pointer_reads() == 0, "assembly reads through a pointer");
        }
    }

    fn result(&mut self, value: Option<&'m Expr>) {
        let function = self.function.map(|function| self.module.functions[function].ty);
        let result = function.and_then(|ty| self.module.types.callee(ty)).map(|ty| ty.result);
        if let (Some(value), Some(result)) = (value, result) {
            self.expr(value);
            self.same("the result", value.ty, result);
        }
    }
}
