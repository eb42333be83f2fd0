//! Places: names, members, elements, what pointers point to.

use super::Operand;
use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{Asm, Base, BinaryOp, Expr, ExprKind, FunctionId, Place, StmtKind, Type, TypeId, VarId};
use hardbop_lang_c::ast::{self, ExprId, Ident, Name, UnaryOp};

impl Unit<'_> {
    /// The place that `expr` designates, if it designates one.
    pub fn place(&mut self, expr: ExprId) -> Option<Place> {
        match self.operand(expr) {
            Operand::Place(place) => Some(place),
            Operand::Function(_) | Operand::Value(_) => None,
        }
    }

    /// The place that `expr` designates and that can be written; reports if there is none.
    pub fn target(&mut self, expr: ExprId) -> Option<Place> {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        let is_place = match &ast.exprs[expr].kind {
            ast::ExprKind::Error => return None,
            // A member of a value is loaded like a place, but it is none.
            ast::ExprKind::Member(record, _) => self.is_lvalue(*record),
            _ => true,
        };
        let mistakes = self.mistakes;
        let place = self.place(expr).filter(|_| is_place);
        let Some(place) = place else {
            if self.mistakes == mistakes {
                self.wrong("not-assignable", "this is no place that can be assigned to", span);
            }
            return None;
        };
        let types = &self.module.types;
        if types.is_array(place.ty) || types.is_function(place.ty) {
            let text = self.type_text(place.ty);
            self.wrong("not-assignable", format!("{text} cannot be assigned to"), span);
            return None;
        }
        if self.place_qualifiers(&place).is_const {
            let message = format!("`{}` is `const`", self.text_of_place(&place));
            self.wrong("read-only", message, span);
        }
        Some(place)
    }

    /// Whether `expr` is written like something that designates a place.
    fn is_lvalue(&self, mut expr: ExprId) -> bool {
        loop {
            match &self.ast.exprs[expr].kind {
                ast::ExprKind::Member(record, _) => expr = *record,
                ast::ExprKind::Name(_)
                | ast::ExprKind::String(_)
                | ast::ExprKind::Index(..)
                | ast::ExprKind::Arrow(..)
                | ast::ExprKind::Compound(..)
                | ast::ExprKind::Generic(..)
                | ast::ExprKind::Choose(..)
                | ast::ExprKind::Unary(UnaryOp::Deref | UnaryOp::Real | UnaryOp::Imaginary, _) => return true,
                _ => return false,
            }
        }
    }

    /// What is read at `place`: its value, or for an array the address of its first element.
    pub fn load(&mut self, place: Place, span: Span) -> Expr {
        let types = &mut self.module.types;
        match types.get(place.ty) {
            Type::Array(element, _) => {
                let element = *element;
                let pointer = types.pointer_to_qualified(element);
                if self.is_variable(place.ty) {
                    return self.variable_array_value(place, pointer);
                }
                self.take_address(&place);
                let element = self.module.walk_place(&place).0.qualifiers.union(element.qualifiers);
                let mut value = Expr::decay(place, &mut self.module.types);
                if let Some(mut pointee) = self.module.types.pointee(value.ty) {
                    pointee.qualifiers = element;
                    value.ty = self.module.types.pointer_to_qualified(pointee);
                }
                self.fold(value)
            }
            Type::VaList => {
                self.take_address(&place);
                Expr::address(place, &mut self.module.types)
            }
            Type::Void => self.void_value(),
            Type::Function(_) => match place.base {
                Base::Deref(pointer) => *pointer,
                Base::Var(_) => self.error_value(),
            },
            Type::Record(_) if !types.is_complete(place.ty) => {
                let message = format!("{} is only declared", self.type_text(place.ty));
                self.wrong("incomplete-type", message, span)
            }
            _ => Expr::read(place),
        }
    }

    /// The address of the first element of an array whose length only a run knows.
    fn variable_array_value(&mut self, place: Place, pointer: TypeId) -> Expr {
        match place.base {
            Base::Deref(start) if place.path.is_empty() => Expr { kind: start.kind, ty: pointer },
            _ => Expr { kind: ExprKind::Address(place), ty: pointer },
        }
    }

    /// Takes note that the address of `place` is taken.
    pub fn take_address(&mut self, place: &Place) {
        if let Base::Var(var) = place.base {
            self.module.vars[var].is_address_taken = true;
        }
    }

    /// The address of a function.
    pub fn function_value(&mut self, function: FunctionId) -> Expr {
        self.module.functions[function].is_address_taken = true;
        let ty = self.module.functions[function].ty;
        let ty = self.module.types.pointer_to(ty);
        Expr::function(function, ty)
    }

    /// The place of a variable, with the type it is declared with.
    pub fn variable_place(&mut self, var: VarId) -> Place {
        let place = self.module.place(var);
        match self.variable_length.get(&var).copied() {
            Some(declared) if self.is_variable(declared.ty) => {
                Place { base: Base::Deref(Box::new(Expr::read(place))), path: Vec::new(), ty: declared.ty }
            }
            Some(declared) => Place { ty: declared.ty, ..place },
            None => place,
        }
    }

    pub(super) fn name_operand(&mut self, name: Name, span: Span) -> Operand {
        match self.scopes.find(name) {
            Some(Meaning::Var(var)) if self.function.is_some() && self.module.vars[var].bounds_section() => {
                Operand::Place(self.section_place(var, span))
            }
            Some(Meaning::Var(var)) => Operand::Place(self.variable_place(var)),
            Some(Meaning::Function(function)) => Operand::Function(function),
            Some(Meaning::Constant(value, ty)) => Operand::Value(self.integer(value, ty)),
            Some(Meaning::Typedef(_)) => {
                let message = format!("`{}` is a type, not a value", self.ast.names[name]);
                Operand::Value(self.wrong("not-a-value", message, span))
            }
            None if self.is_function_name(name) => {
                let var = self.function_name_literal();
                Operand::Place(self.module.place(var))
            }
            None => match self.builtin_function(name) {
                Some(function) => Operand::Function(function),
                None => Operand::Value(self.undeclared(name, span)),
            },
        }
    }

    /// Where a section begins or ends: nobody knows what is there, so the address goes through assembly without
    /// instructions.
    fn section_place(&mut self, var: VarId, span: Span) -> Place {
        let address = self.address_of_place(self.module.place(var), span);
        let pointer = self.temporary_place(address.ty, &self.module.vars[var].source_name.clone(), span);
        let outputs = vec![(None, "=r".to_owned(), pointer.clone())];
        let inputs = vec![(None, "0".to_owned(), address)];
        let hidden =
            Asm { text: Vec::new(), is_volatile: false, outputs, inputs, clobbers: Vec::new(), labels: Vec::new() };
        self.emit(StmtKind::Asm(Box::new(hidden)), span);
        self.pointee_place(Expr::read(pointer))
    }

    /// Whether this is `__func__` or one of its kin.
    pub fn is_function_name(&self, name: Name) -> bool {
        self.function.is_some() && matches!(&*self.ast.names[name], "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
    }

    /// Reports a name that means nothing.
    pub fn undeclared(&mut self, name: Name, span: Span) -> Expr {
        let ast = self.ast;
        let spelling = &*ast.names[name];
        let known = ast.names.iter_enumerated().filter(|&(name, _)| self.scopes.find(name).is_some());
        // The search is long, and after enough errors nobody reads what it finds.
        let known = known.take(if self.findings.is_full() { 0 } else { usize::MAX });
        let hint = did_you_mean(spelling, known.map(|(_, spelling)| &**spelling));
        self.wrong("undeclared", format!("`{spelling}` is not declared{hint}"), span)
    }

    pub(super) fn deref(&mut self, operand: ExprId, span: Span) -> Operand {
        let pointer = self.value(operand);
        self.deref_value(pointer, span)
    }

    /// `*pointer`
    pub fn deref_value(&mut self, mut pointer: Expr, span: Span) -> Operand {
        let Some(pointee) = self.module.types.pointee(pointer.ty) else {
            let text = self.type_text(pointer.ty);
            return Operand::Value(self.wrong("wrong-operands", format!("`*` does not take {text}"), span));
        };
        if self.module.types.is_function(pointee.ty) {
            return Operand::Value(pointer);
        }
        self.read_now(&mut pointer, span);
        Operand::Place(self.pointee_place(pointer))
    }

    /// What a pointer that reads variables only points to.
    pub fn pointee_place(&mut self, pointer: Expr) -> Place {
        match self.module.types.pointee(pointer.ty) {
            Some(pointee) if self.is_variable(pointee.ty) => {
                Place { base: Base::Deref(Box::new(pointer)), path: Vec::new(), ty: pointee.ty }
            }
            _ => Place::deref(pointer, &self.module.types),
        }
    }

    pub(super) fn index(&mut self, array: ExprId, index: ExprId, span: Span) -> Operand {
        let array_span = self.ast.exprs[array].span;
        let mut first = self.operand(array);
        // An element of a vector that is a value.
        if let Operand::Value(value) = &first
            && self.element(value.ty).is_some()
        {
            let value = value.clone();
            let value = if matches!(value.kind, ExprKind::Read(_)) { value } else { self.saved(value, array_span) };
            if let ExprKind::Read(place) = value.kind {
                first = Operand::Place(place);
            }
        }
        match first {
            Operand::Place(mut place) if self.is_indexed(place.ty) => {
                let mark = self.mark();
                let index = self.value(index);
                self.keep_place(&mut place, mark, array_span);
                self.element_place(place, index, span)
            }
            first => {
                let mut first = match first {
                    Operand::Place(place) => self.load(place, array_span),
                    Operand::Function(function) => self.function_value(function),
                    Operand::Value(value) => value,
                };
                let mark = self.mark();
                let second = self.value(index);
                self.keep(&mut first, mark, array_span);
                self.part(&mut first, &second, array_span);
                let types = &self.module.types;
                let (pointer, index) = if types.is_pointer(second.ty) && !types.is_pointer(first.ty) {
                    (second, first)
                } else {
                    (first, second)
                };
                if !self.module.types.is_pointer(pointer.ty) {
                    let text = self.type_text(pointer.ty);
                    return Operand::Value(self.wrong("wrong-operands", format!("{text} has no elements"), span));
                }
                let sum = self.pointer_offset(BinaryOp::PointerAdd, pointer, index, span);
                self.deref_value(sum, span)
            }
        }
    }

    /// Whether elements are parts of the place itself.
    fn is_indexed(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        types.element(ty).is_some_and(|element| !self.is_variable(element.ty)) && !self.is_variable(ty)
    }

    fn element_place(&mut self, place: Place, index: Expr, span: Span) -> Operand {
        if !self.module.types.is_integer(index.ty) {
            let text = self.type_text(index.ty);
            return Operand::Value(self.wrong("wrong-operands", format!("{text} is no index"), span));
        }
        let index = self.promote(index);
        let mut index = self.as_offset(index);
        self.read_now(&mut index, span);
        if self.element(place.ty).is_some_and(|element| !self.module.types.is_complete(element.ty)) {
            return Operand::Value(self.wrong("incomplete-type", "the elements are only declared", span));
        }
        Operand::Place(place.index(index, &self.module.types))
    }

    pub(super) fn member(&mut self, record: ExprId, member: Ident) -> Operand {
        let span = self.ast.exprs[record].span;
        let place = match self.operand(record) {
            Operand::Place(place) => place,
            Operand::Function(_) => {
                return Operand::Value(self.wrong("no-such-member", "a function has no members", member.span));
            }
            Operand::Value(value) => match value.kind {
                ExprKind::Read(place) => place,
                _ => {
                    let place = self.temporary_place(value.ty, "record", span);
                    if self.module.types.record(value.ty).is_some() {
                        self.emit(StmtKind::Assign(place.clone(), value), span);
                    }
                    place
                }
            },
        };
        self.member_place(place, member)
    }

    pub(super) fn arrow(&mut self, pointer: ExprId, member: Ident) -> Operand {
        let span = self.ast.exprs[pointer].span;
        let value = self.value(pointer);
        match self.deref_value(value, span) {
            Operand::Place(place) => self.member_place(place, member),
            _ => Operand::Value(self.error_value()),
        }
    }

    fn member_place(&mut self, place: Place, member: Ident) -> Operand {
        match self.find_member(place.ty, member) {
            Some(path) => Operand::Place(place.fields(&path, &self.module.types)),
            None => Operand::Value(self.error_value()),
        }
    }

    /// The way to a member; reports if there is none.
    pub fn find_member(&mut self, ty: TypeId, member: Ident) -> Option<Vec<u32>> {
        let types = &self.module.types;
        let name = &*self.ast.names[member.name];
        let Some(record) = types.record(ty) else {
            let message = format!("{} has no member `{name}`", self.type_text(ty));
            self.wrong("no-such-member", message, member.span);
            return None;
        };
        if let Some(path) = types.find_field(record, name) {
            return Some(path);
        }
        let diagnostic = match types.body(record) {
            None => {
                let message = format!("{} is only declared", self.type_text(ty));
                Diagnostic::error("incomplete-type", message, member.span)
            }
            Some(body) => {
                let hint = did_you_mean(name, body.fields.iter().map(|field| &*field.name));
                let message = format!("{} has no member `{name}`{hint}", self.type_text(ty));
                Diagnostic::error("no-such-member", message, member.span)
            }
        };
        self.mistakes += 1;
        self.last_mistake = Some(member.span);
        self.findings.add(diagnostic);
        None
    }
}
