//! Functions that only look like functions: what compilers know by the prefix `__builtin_`.

use super::control::Wanted;
use crate::scope::Meaning;
use crate::unit::Unit;
use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::{
    BinaryOp, Callee, Expr, FloatKind, FunctionId, IntKind, Parameters, Qualified, Qualifiers, StmtKind, Type, TypeId,
};
use hardbop_lang_c::ast::{self, ExprId, ExprKind, Name, Units};

impl Unit<'_> {
    /// The value of a call of `name`, which nothing declares, if it is more than a call.
    pub fn builtin_call(&mut self, name: Name, arguments: &[ExprId], wanted: Wanted, span: Span) -> Option<Expr> {
        let ast = self.ast;
        let spelling = &*ast.names[name];
        if !spelling.starts_with("__") {
            return None;
        }
        if let Some(value) = self.folded_call(spelling, arguments) {
            return Some(value);
        }
        if spelling.starts_with("__sync_") || spelling.starts_with("__atomic_") {
            let value = self.atomic_call(spelling, arguments, wanted, span);
            return Some(value.unwrap_or_else(|| self.unknown_builtin(name, arguments, wanted, span)));
        }
        let stem = spelling.strip_prefix("__builtin_")?;
        let special = self.special_call(stem, arguments, wanted, span);
        if special.is_some() {
            return special;
        }
        match self.builtin_function(name) {
            Some(_) => None,
            None => Some(self.unknown_builtin(name, arguments, wanted, span)),
        }
    }

    fn special_call(&mut self, stem: &str, arguments: &[ExprId], wanted: Wanted, span: Span) -> Option<Expr> {
        if stem.ends_with("_overflow") || stem.ends_with("_overflow_p") {
            return self.overflow_call(stem, arguments, span);
        }
        match (stem, arguments) {
            ("expect" | "expect_with_probability", &[value, ref rest @ ..]) => {
                let mut value = {
                    let long = self.module.types.int(IntKind::Long);
                    self.value_as(value, long)
                };
                let mark = self.mark();
                rest.iter().for_each(|&argument| self.effect(argument));
                self.keep(&mut value, mark, span);
                Some(value)
            }
            ("speculation_safe_value", &[value, ..]) => Some(self.value(value)),
            ("assume_aligned", &[value, ..]) => {
                let void = self.void();
                let pointer = self.module.types.pointer_to(void);
                Some(self.value_as(value, pointer))
            }
            ("prefetch", _) => {
                arguments.iter().for_each(|&argument| self.effect(argument));
                Some(self.void_value())
            }
            ("va_start" | "va_end", [_, ..]) | ("va_copy", [_, _, ..]) => {
                let function = self.list_function(stem);
                // The last parameter that `va_start` names says nothing new.
                let count = if stem == "va_copy" { 2 } else { 1 };
                let lists = arguments.iter().take(count).map(|&list| self.list_address(list)).collect();
                Some(self.call_function(function, lists, wanted, span))
            }
            ("complex", &[real, imaginary]) => Some(self.complex(real, imaginary, span)),
            ("object_size" | "dynamic_object_size", &[_, kind]) => Some(self.unknown_size(kind, wanted, span)),
            ("classify_type", [_]) => Some(self.error_value()),
            ("va_arg_pack" | "va_arg_pack_len", []) if self.is_only_inlined() => {
                self.activation().inlined = Some(span);
                Some(self.error_value())
            }
            ("va_arg_pack" | "va_arg_pack_len", []) => Some(self.unsupported(&format!("`__builtin_{stem}`"), span)),
            _ => None,
        }
    }

    /// How large an object is that compilers know more or less of: any number. The operand has no effects.
    fn unknown_size(&mut self, kind: ExprId, wanted: Wanted, span: Span) -> Expr {
        let ty = self.signature_type("zqi");
        let function = self.builtin("__builtin_object_size", ty);
        let (void, int) = (self.void(), self.int());
        let constant = Qualifiers { is_const: true, ..Qualifiers::NONE };
        let pointer = self.module.types.pointer_to_qualified(Qualified { ty: void, qualifiers: constant });
        let kind = self.integer_constant(kind).unwrap_or(0);
        let arguments = vec![self.integer(0, pointer), self.integer(kind, int)];
        self.call_function(function, arguments, wanted, span)
    }

    fn list_function(&mut self, stem: &str) -> FunctionId {
        let ty = self.signature_type(if stem == "va_copy" { "vaa" } else { "va" });
        self.builtin(&format!("__builtin_{stem}"), ty)
    }

    fn complex(&mut self, real: ExprId, imaginary: ExprId, span: Span) -> Expr {
        let (real, imaginary) = self.both(real, imaginary);
        let kind = match *self.module.types.get(real.ty) {
            Type::Float(kind) => kind,
            _ => FloatKind::Double,
        };
        let (part, ty) = (self.module.types.float(kind), self.module.types.intern(Type::Complex(kind)));
        let place = self.temporary_place(ty, "complex", span);
        let real = self.convert(real, part, span);
        let imaginary = self.convert(imaginary, part, span);
        let parts = [(ast::UnaryOp::Real, real), (ast::UnaryOp::Imaginary, imaginary)];
        for (op, mut value) in parts {
            self.read_now(&mut value, span);
            if let super::Operand::Place(part) = self.part_of_complex(op, place.clone(), span) {
                self.emit(StmtKind::Assign(part, value), span);
            }
        }
        Expr::read(place)
    }

    /// A function of a name that only the compiler knows, and we do not.
    fn unknown_builtin(&mut self, name: Name, arguments: &[ExprId], wanted: Wanted, span: Span) -> Expr {
        let ast = self.ast;
        let spelling = &*ast.names[name];
        self.unknown_builtins.entry(spelling).or_insert(span);
        let int = self.int();
        let ty = self.module.types.function(int, Parameters::Unspecified);
        let function = self.builtin(spelling, ty);
        let Some(ty) = self.module.types.callee(self.module.functions[function].ty).cloned() else {
            return self.error_value();
        };
        match self.arguments(Callee::Function(function), &ty, arguments, span) {
            (_, Some(values)) => self.call_function(function, values, wanted, span),
            (_, None) => self.error_value(),
        }
    }

    /// Says once which functions were not known.
    pub fn warn_of_unknown_builtins(&mut self) {
        let Some((name, &span)) = self.unknown_builtins.iter().min_by_key(|(_, span)| **span) else { return };
        let more = match self.unknown_builtins.len() {
            1 => String::new(),
            2 => ", nor is one more".to_owned(),
            count => format!(", nor are {} more", count - 1),
        };
        let message = format!("`{name}` is not known here{more}; it is taken for a function that returns anything");
        self.findings.add(Diagnostic::warning("unknown-builtin", message, span));
    }

    /// The function that is called so here.
    pub fn file_function(&mut self, name: &str) -> Option<FunctionId> {
        let name = self.spelled_name(name)?;
        match self.scopes.find(name) {
            Some(Meaning::Function(function)) => Some(function),
            _ => None,
        }
    }

    /// The type of a call that is more than a call.
    pub fn builtin_type(&mut self, name: Name, arguments: &[ExprId]) -> Option<TypeId> {
        let ast = self.ast;
        let spelling = &*ast.names[name];
        if let Some(value) = self.folded_call(spelling, arguments) {
            return Some(value.ty);
        }
        if spelling.starts_with("__sync_") || spelling.starts_with("__atomic_") {
            return Some(self.atomic_type(spelling, arguments));
        }
        let stem = spelling.strip_prefix("__builtin_")?;
        if stem.ends_with("_overflow") || stem.ends_with("_overflow_p") {
            return Some(self.module.types.int(IntKind::Bool));
        }
        match (stem, arguments) {
            ("expect" | "expect_with_probability", _) => Some(self.module.types.int(IntKind::Long)),
            ("speculation_safe_value", &[value, ..]) => Some(self.type_of(value).ty),
            ("assume_aligned", _) => {
                let void = self.void();
                Some(self.module.types.pointer_to(void))
            }
            ("prefetch" | "va_start" | "va_end" | "va_copy", _) => Some(self.void()),
            ("object_size" | "dynamic_object_size", [_, _]) => Some(self.size_type()),
            ("complex", &[real, _]) => {
                let real = self.type_of(real).ty;
                let kind = match *self.module.types.get(real) {
                    Type::Float(kind) => kind,
                    _ => FloatKind::Double,
                };
                Some(self.module.types.intern(Type::Complex(kind)))
            }
            _ => None,
        }
    }

    /// The value of a call that is constant.
    pub fn constant_call(&mut self, callee: ExprId, arguments: &[ExprId]) -> Option<Expr> {
        let ExprKind::Name(name) = self.ast.exprs[callee].kind else { return None };
        if self.scopes.find(name).is_some() {
            return None;
        }
        let ast = self.ast;
        let spelling = &*ast.names[name];
        if let (Some("expect" | "expect_with_probability"), &[value, ..]) =
            (spelling.strip_prefix("__builtin_"), arguments)
        {
            let span = ast.exprs[value].span;
            let value = self.constant(value)?;
            let long = self.module.types.int(IntKind::Long);
            return Some(self.convert(value, long, span));
        }
        self.folded_call(spelling, arguments)
    }

    /// The value of a call that the compiler computes.
    fn folded_call(&mut self, spelling: &str, arguments: &[ExprId]) -> Option<Expr> {
        if matches!(spelling, "__atomic_always_lock_free" | "__atomic_is_lock_free") {
            let bool = self.module.types.int(IntKind::Bool);
            return Some(self.integer(1, bool));
        }
        let stem = spelling.strip_prefix("__builtin_")?;
        let int = self.int();
        match (stem, arguments) {
            ("constant_p", &[value]) => {
                let is_constant = self.constant(value).is_some_and(|value| match value.kind {
                    hardbop_c_core::ExprKind::Integer(_) | hardbop_c_core::ExprKind::Float(_) => true,
                    hardbop_c_core::ExprKind::Address(place) => self.is_string(&place),
                    _ => false,
                });
                Some(self.integer(is_constant.into(), int))
            }
            ("object_size" | "dynamic_object_size", &[object, _]) => {
                let bytes = self.array_size(object)?;
                let size = self.size_type();
                Some(self.integer(bytes.into(), size))
            }
            ("classify_type", &[value]) => {
                let ty = self.decayed_type(value);
                Some(self.integer(class_of(self.module.types.get(ty)), int))
            }
            ("strlen", &[text]) => {
                let ExprKind::String(id) = self.ast.exprs[text].kind else { return None };
                let Units::Bytes(bytes) = &self.ast.strings[id].units else { return None };
                let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                let size = self.size_type();
                Some(self.integer(length as i128, size))
            }
            (_, []) => self.infinite(stem),
            (_, [_]) if stem.starts_with("nan") => self.not_a_number(stem),
            (_, &[value]) => self.folded_bits(stem, value),
            _ => None,
        }
    }

    /// The bytes of a variable that is an array.
    fn array_size(&self, object: ExprId) -> Option<u64> {
        let ExprKind::Name(name) = self.ast.exprs[object].kind else { return None };
        let Some(Meaning::Var(var)) = self.scopes.find(name) else { return None };
        let (types, ty) = (&self.module.types, self.module.vars[var].ty.ty);
        types.size_of(ty).filter(|_| matches!(types.get(ty), Type::Array(..)))
    }

    fn is_string(&self, place: &hardbop_c_core::Place) -> bool {
        match place.base {
            hardbop_c_core::Base::Var(var) => self.module.vars[var].kind == hardbop_c_core::VarKind::Literal,
            hardbop_c_core::Base::Deref(_) => false,
        }
    }

    fn infinite(&mut self, stem: &str) -> Option<Expr> {
        let suffix = stem.strip_prefix("huge_val").or_else(|| stem.strip_prefix("inf"))?;
        let ty = self.module.types.float(suffix_kind(suffix)?);
        // Beyond every format, which makes it infinite.
        Some(Expr::float("1e99999", ty))
    }

    fn not_a_number(&mut self, stem: &str) -> Option<Expr> {
        let suffix = stem.strip_prefix("nans").or_else(|| stem.strip_prefix("nan"))?;
        let ty = self.module.types.float(suffix_kind(suffix)?);
        let zero = Expr::float("0.0", ty);
        Some(Expr::binary(BinaryOp::Div, zero.clone(), zero, &mut self.module.types))
    }

    /// `__builtin_clz` and its kin, of a constant.
    fn folded_bits(&mut self, stem: &str, value: ExprId) -> Option<Expr> {
        let (name, kind) = match stem.strip_prefix("bswap") {
            Some("16") => ("bswap", IntKind::UnsignedShort),
            Some("32") => ("bswap", IntKind::UnsignedInt),
            Some("64") => ("bswap", IntKind::UnsignedLongLong),
            _ => {
                let longs = stem.len() - stem.trim_end_matches('l').len();
                let kind = [IntKind::UnsignedInt, IntKind::UnsignedLong, IntKind::UnsignedLongLong].get(longs)?;
                (&stem[..stem.len() - longs], *kind)
            }
        };
        if !matches!(name, "bswap" | "clz" | "ctz" | "popcount" | "parity" | "ffs") {
            return None;
        }
        let number = self.integer_constant(value)?;
        let types = &mut self.module.types;
        let (width, bits) = (types.width(kind), types.wrap(kind, number) as u128);
        let result = match name {
            "bswap" => bits.swap_bytes() >> (128 - width),
            "clz" if bits != 0 => u128::from(bits.leading_zeros() - (128 - width)),
            "ctz" if bits != 0 => bits.trailing_zeros().into(),
            "popcount" => bits.count_ones().into(),
            "parity" => (bits.count_ones() % 2).into(),
            "ffs" if bits == 0 => 0,
            "ffs" => u128::from(bits.trailing_zeros() + 1),
            _ => return None,
        };
        let ty = types.int(if name == "bswap" { kind } else { IntKind::Int });
        Some(self.integer(result as i128, ty))
    }

    /// `__builtin_add_overflow(a, b, &result)` and its kin: computed in a type that holds every result.
    fn overflow_call(&mut self, stem: &str, arguments: &[ExprId], span: Span) -> Option<Expr> {
        let is_query = stem.ends_with("_p");
        let stem = stem.trim_end_matches("_p").strip_suffix("_overflow")?;
        let &[left, right, result] = arguments else { return None };
        let (op, operand) = overflow_operands(stem)?;
        let (mut first, second) = self.both(left, right);
        let mark = self.mark();
        let (mut pointer, target) = match is_query {
            true => (None, self.type_of(result).ty),
            false => {
                let value = self.value(result);
                let pointee = self.module.types.pointee(value.ty)?;
                (Some(value), pointee.ty)
            }
        };
        let mut second = second;
        self.keep(&mut second, mark, span);
        self.keep(&mut first, mark, span);
        if let Some(kind) = operand {
            let ty = self.module.types.int(kind);
            (first, second) = (self.convert(first, ty, span), self.convert(second, ty, span));
        }
        let Some(wide) = self.wide_enough(op, first.ty, second.ty, target) else {
            [first, second].into_iter().for_each(|operand| drop(self.saved(operand, span)));
            self.emit(StmtKind::Unmodelled("arithmetic wider than 128 bits".to_owned()), span);
            // Nobody knows what comes out.
            let bool = self.module.types.int(IntKind::Bool);
            return Some(Expr::read(self.temporary_place(bool, "overflow", span)));
        };
        let wide = self.module.types.int(wide);
        let (first, second) = (self.cast(first, wide), self.cast(second, wide));
        let exact = Expr::binary(op, first, second, &mut self.module.types);
        let exact = self.saved(exact, span);
        let wrapped = self.cast(exact.clone(), target);
        if let Some(pointer) = &mut pointer {
            self.read_now(pointer, span);
            let place = self.pointee_place(pointer.clone());
            self.emit(StmtKind::Assign(place, wrapped.clone()), span);
        }
        let back = self.cast(wrapped, wide);
        let compared = Expr::binary(BinaryOp::Ne, back, exact, &mut self.module.types);
        let bool = self.module.types.int(IntKind::Bool);
        Some(self.cast(compared, bool))
    }

    /// An integer type in which the operation on the two types does not overflow, nor does the result's type.
    fn wide_enough(&self, op: BinaryOp, left: TypeId, right: TypeId, result: TypeId) -> Option<IntKind> {
        let types = &self.module.types;
        let kinds = [types.int_kind(left)?, types.int_kind(right)?, types.int_kind(result)?];
        let width = kinds.iter().map(|&kind| types.width(kind)).max()?;
        let both_unsigned = !kinds[0].is_signed() && !kinds[1].is_signed();
        let is_unsigned = op == BinaryOp::Mul && both_unsigned;
        let kind = match width {
            ..=32 => IntKind::LongLong,
            33..=64 => IntKind::Int128,
            _ => return None,
        };
        Some(if is_unsigned { kind.to_unsigned() } else { kind })
    }
}

/// The operation, and the type of the operands where the name says it.
fn overflow_operands(stem: &str) -> Option<(BinaryOp, Option<IntKind>)> {
    let op = |name: &str| match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    };
    if let Some(op) = op(stem) {
        return Some((op, None));
    }
    let name = stem.get(1..4)?;
    let kind = match stem.get(4..)? {
        "" => IntKind::Int,
        "l" => IntKind::Long,
        "ll" => IntKind::LongLong,
        _ => return None,
    };
    let kind = match stem.get(..1)? {
        "s" => kind,
        "u" => kind.to_unsigned(),
        _ => return None,
    };
    Some((op(name)?, Some(kind)))
}

fn suffix_kind(suffix: &str) -> Option<FloatKind> {
    Some(match suffix {
        "" => FloatKind::Double,
        "f" => FloatKind::Float,
        "l" => FloatKind::LongDouble,
        "f32" => FloatKind::Float32,
        "f64" => FloatKind::Float64,
        "f32x" => FloatKind::Float32x,
        "f64x" => FloatKind::Float64x,
        "f128" | "q" => FloatKind::Float128,
        _ => return None,
    })
}

/// gcc's number for a class of types.
fn class_of(ty: &Type) -> i128 {
    match ty {
        Type::Void => 0,
        Type::Int(_) | Type::Enum(_) => 1,
        Type::Pointer(_) | Type::VaList | Type::Array(..) | Type::Function(_) => 5,
        Type::Float(_) => 8,
        Type::Complex(_) => 9,
        Type::Record(_) => 12,
        Type::Vector(..) => -1,
    }
}
