//! Calls.

use super::Operand;
use super::control::Wanted;
use super::order::Mark;
use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{
    Base, Callee, Expr, ExprKind as CoreKind, FunctionType, Parameters, Place, Projection, StmtKind, Type, TypeId,
};
use hardbop_lang_c::ast::{ExprId, ExprKind, TypeName, UnaryOp};

impl Unit<'_> {
    /// `callee(arguments)`. The result goes to `target` if it has its type; then the value only says so
    /// ([`Unit::stored_value`]).
    pub fn call(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
        target: Option<&Place>,
        wanted: Wanted,
    ) -> Expr {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        if let ExprKind::Name(name) = ast.exprs[callee].kind
            && self.scopes.find(name).is_none()
            && let Some(value) = self.builtin_call(name, arguments, wanted, span)
        {
            return value;
        }
        if self.function.is_none() {
            return self.wrong("not-constant", "a function is called outside of functions", span);
        }
        let (callee, ty) = match self.callee(callee) {
            Some(found) => found,
            None => {
                arguments.iter().for_each(|&argument| self.effect(argument));
                return self.error_value();
            }
        };
        let text = match &callee {
            Callee::Function(function) => self.module.functions[*function].source_name.clone(),
            Callee::Pointer(pointer) => self.text_of(pointer),
        };
        let text = if arguments.is_empty() { format!("{text}()") } else { format!("{text}(...)") };
        let (callee, values) = self.arguments(callee, &ty, arguments, span);
        let Some(values) = values else { return self.error_value() };
        self.emit_call(callee, values, ty.result, target, Out { wanted, text: &text, span })
    }

    fn emit_call(
        &mut self,
        callee: Callee,
        mut arguments: Vec<Expr>,
        ty: TypeId,
        target: Option<&Place>,
        out: Out<'_>,
    ) -> Expr {
        let Out { wanted, text, span } = out;
        if self.is_void(ty) || wanted == Wanted::Effect {
            self.emit(StmtKind::Call { result: None, callee, arguments }, span);
            return self.void_value();
        }
        match target {
            Some(place) if place.ty == ty => {
                let mut place = place.clone();
                self.settle_place(&mut place, span);
                if place.is_deref() {
                    arguments.iter_mut().for_each(|argument| self.read_now(argument, span));
                }
                self.emit(StmtKind::Call { result: Some(place), callee, arguments }, span);
                self.stored_value()
            }
            _ => {
                let place = self.temporary_place(ty, text, span);
                self.emit(StmtKind::Call { result: Some(place.clone()), callee, arguments }, span);
                Expr::read(place)
            }
        }
    }

    /// Calls a function that we know, with arguments that it takes.
    pub fn call_function(
        &mut self,
        function: hardbop_c_core::FunctionId,
        arguments: Vec<Expr>,
        wanted: Wanted,
        span: Span,
    ) -> Expr {
        let ty = self.module.functions[function].ty;
        let Some(result) = self.module.types.callee(ty).map(|ty| ty.result) else { return self.error_value() };
        let text = format!("{}(...)", self.module.functions[function].source_name);
        let arguments = self.parted(arguments, span);
        self.emit_call(Callee::Function(function), arguments, result, None, Out { wanted, text: &text, span })
    }

    /// Makes the way to a place independent of what a call may do.
    fn settle_place(&mut self, place: &mut Place, span: Span) {
        if let Base::Deref(pointer) = &mut place.base {
            self.settle(pointer, span);
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step {
                self.settle(index, span);
            }
        }
    }

    fn settle(&mut self, value: &mut Expr, span: Span) {
        match &mut value.kind {
            CoreKind::Read(place) => {
                if matches!(place.base, Base::Var(var) if self.is_exposed(var)) {
                    *value = self.saved(value.clone(), span);
                }
            }
            CoreKind::Address(place) => {
                let mut settled = place.clone();
                self.settle_place(&mut settled, span);
                *place = settled;
            }
            CoreKind::Unary(_, operand) | CoreKind::Cast(operand) => self.settle(operand, span),
            CoreKind::Binary(_, left, right) => {
                self.settle(left, span);
                self.settle(right, span);
            }
            CoreKind::Integer(_) | CoreKind::Float(_) | CoreKind::Function(_) | CoreKind::Label(_) => {}
        }
    }

    /// What is called, and its type.
    fn callee(&mut self, mut callee: ExprId) -> Option<(Callee, FunctionType)> {
        let ast = self.ast;
        let span = ast.exprs[callee].span;
        // `(*f)()` is `f()`; what else `*` may be applied to is no function.
        while let ExprKind::Unary(UnaryOp::Deref | UnaryOp::AddressOf, operand) = ast.exprs[callee].kind {
            let ty = self.type_of(operand).ty;
            if self.module.types.callee(ty).is_none() {
                break;
            }
            callee = operand;
        }
        if let ExprKind::Name(name) = ast.exprs[callee].kind {
            let function = match self.scopes.find(name) {
                Some(Meaning::Function(function)) => Some(function),
                Some(_) => None,
                None => {
                    let known = self.builtin_function(name);
                    Some(known.unwrap_or_else(|| self.declare_implicit(name, span)))
                }
            };
            if let Some(function) = function {
                let ty = self.module.types.callee(self.module.functions[function].ty)?.clone();
                return Some((Callee::Function(function), ty));
            }
        }
        let mistakes = self.mistakes;
        let mut value = match self.operand(callee) {
            Operand::Place(place) => self.load(place, span),
            Operand::Function(function) => self.function_value(function),
            Operand::Value(value) => value,
        };
        let Some(ty) = self.module.types.callee(value.ty).cloned() else {
            if self.mistakes == mistakes {
                let text = self.type_text(value.ty);
                self.wrong("not-callable", format!("{text} cannot be called"), span);
            }
            return None;
        };
        self.read_now(&mut value, span);
        match value.kind {
            CoreKind::Function(function) => Some((Callee::Function(function), ty)),
            _ => Some((Callee::Pointer(value), ty)),
        }
    }

    /// The arguments, converted; the callee as it was before they were computed.
    pub fn arguments(
        &mut self,
        callee: Callee,
        ty: &FunctionType,
        arguments: &[ExprId],
        span: Span,
    ) -> (Callee, Option<Vec<Expr>>) {
        let before = self.mark();
        let expected = match &ty.parameters {
            Parameters::Fixed(types) | Parameters::Variadic(types) => &types[..],
            Parameters::Unspecified => &[],
        };
        if let Some(diagnostic) = self.wrong_count(&callee, &ty.parameters, arguments.len(), span) {
            self.findings.add(diagnostic);
            arguments.iter().for_each(|&argument| self.effect(argument));
            return (callee, None);
        }
        let mut values: Vec<(Expr, Mark)> = Vec::with_capacity(arguments.len());
        for (position, &argument) in arguments.iter().enumerate() {
            let value = self.argument(argument, expected.get(position).copied());
            let mark = self.mark();
            values.push((value, mark));
        }
        // From the last to the first: what is inserted must not move the marks before it.
        for (position, (value, mark)) in values.iter_mut().enumerate().rev() {
            let span = self.ast.exprs[arguments[position]].span;
            self.keep(value, *mark, span);
        }
        let callee = match callee {
            Callee::Pointer(mut pointer) => {
                self.keep(&mut pointer, before, span);
                if values.iter().any(|(value, _)| self.reads_changing(value)) && self.reads_changing(&pointer) {
                    pointer = self.saved(pointer, span);
                }
                Callee::Pointer(pointer)
            }
            callee => callee,
        };
        let values = values.into_iter().map(|(value, _)| value).collect();
        (callee, Some(self.parted(values, span)))
    }

    fn argument(&mut self, argument: ExprId, expected: Option<TypeId>) -> Expr {
        let span = self.ast.exprs[argument].span;
        let value = self.value(argument);
        match expected {
            Some(ty) if value.ty != ty && self.is_transparent(ty) => self.cast_to_union(value, ty, span),
            Some(ty) => self.convert(value, ty, span),
            None if self.is_void(value.ty) => self.wrong("void-value", "a void value is passed", span),
            None => self.promote_argument(value),
        }
    }

    /// What is wrong with so many arguments.
    pub fn wrong_count(
        &self,
        callee: &Callee,
        parameters: &Parameters,
        given: usize,
        span: Span,
    ) -> Option<Diagnostic> {
        let (least, most) = match parameters {
            Parameters::Fixed(types) => (types.len(), types.len()),
            Parameters::Variadic(types) => (types.len(), usize::MAX),
            Parameters::Unspecified => return None,
        };
        let name = match callee {
            Callee::Function(function) => &*self.module.functions[*function].source_name,
            Callee::Pointer(_) => "the function",
        };
        let message = |word: &str| format!("too {word} arguments: `{name}` takes {least}, here are {given}");
        if given < least {
            Some(Diagnostic::error("too-few-arguments", message("few"), span))
        } else if given > most {
            Some(Diagnostic::error("too-many-arguments", message("many"), span))
        } else {
            None
        }
    }

    /// `__builtin_va_arg(list, type)`
    pub fn next_argument(&mut self, list: ExprId, name: &TypeName, target: Option<&Place>, span: Span) -> Expr {
        let ty = self.type_name(name).ty;
        let list = self.list_address(list);
        if self.function.is_none() {
            return self.wrong("not-constant", "`va_arg` stands outside of functions", span);
        }
        match target {
            Some(place) if place.ty == ty && !place.is_deref() => {
                self.emit(StmtKind::NextArgument { result: Some(place.clone()), list, ty }, span);
                self.stored_value()
            }
            _ => {
                let place = self.temporary_place(ty, "va_arg(...)", span);
                self.emit(StmtKind::NextArgument { result: Some(place.clone()), list, ty }, span);
                Expr::read(place)
            }
        }
    }

    /// The address of a `va_list`; it reads variables only.
    pub fn list_address(&mut self, list: ExprId) -> Expr {
        let span = self.ast.exprs[list].span;
        let value = self.value(list);
        let list = self.module.types.intern(Type::VaList);
        let pointer = self.module.types.pointer_to(list);
        let mut value = self.convert(value, pointer, span);
        self.read_now(&mut value, span);
        value
    }
}

/// How a call is made.
struct Out<'t> {
    wanted: Wanted,
    text: &'t str,
    span: Span,
}
