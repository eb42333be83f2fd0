//! `__sync_…` and `__atomic_…`: plain loads and stores. Who interleaves threads does so elsewhere.

use super::control::{Arm, Wanted};
use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{Expr, IntKind, Place, StmtKind, Type, TypeId};
use hardbop_lang_c::ast::{BinaryOp, ExprId, UnaryOp};

/// What is done to the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Update {
    Operator(BinaryOp),
    Nand,
}

/// Which value an update has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old,
    New,
}

impl Unit<'_> {
    /// The type of a call of an atomic function.
    pub fn atomic_type(&mut self, name: &str, arguments: &[ExprId]) -> TypeId {
        let name = name.trim_start_matches("__atomic_").trim_start_matches("__sync_");
        match name {
            "compare_exchange" | "compare_exchange_n" | "bool_compare_and_swap" | "test_and_set" => {
                self.module.types.int(IntKind::Bool)
            }
            "load" | "store" | "store_n" | "exchange" | "clear" | "thread_fence" | "signal_fence" | "synchronize"
            | "lock_release" => self.void(),
            _ => {
                let pointer = arguments.first().map(|&pointer| self.decayed_type(pointer));
                let int = self.int();
                let pointee = pointer.and_then(|pointer| self.module.types.pointee(pointer));
                pointee.map_or(int, |pointee| pointee.ty)
            }
        }
    }

    /// Lowers a call of an atomic function, if it is one of those that we know.
    pub fn atomic_call(&mut self, name: &str, arguments: &[ExprId], wanted: Wanted, span: Span) -> Option<Expr> {
        let is_sync = name.starts_with("__sync_");
        let name = name.trim_start_matches("__atomic_").trim_start_matches("__sync_");
        let name = numbered_stem(name);
        if matches!(name, "thread_fence" | "signal_fence" | "synchronize") {
            arguments.iter().for_each(|&argument| self.effect(argument));
            return Some(self.void_value());
        }
        let count = match name {
            "load" | "store" | "store_n" => 2,
            "load_n" | "test_and_set" | "clear" | "lock_release" => 1,
            "compare_exchange"
            | "compare_exchange_n"
            | "exchange"
            | "bool_compare_and_swap"
            | "val_compare_and_swap" => 3,
            "exchange_n" | "lock_test_and_set" => 2,
            _ => {
                update(name, is_sync)?;
                2
            }
        };
        let pointers = match name {
            "compare_exchange" | "exchange" => 3,
            "load" | "store" | "compare_exchange_n" => 2,
            _ => 1,
        };
        let values = self.atomic_operands(arguments, count.min(arguments.len()), span);
        if values.len() < count || !values[..pointers].iter().all(|value| self.module.types.is_pointer(value.ty)) {
            return Some(self.wrong("wrong-operands", "an atomic function takes pointers first", span));
        }
        let object = match name {
            "test_and_set" | "clear" => {
                let byte = self.module.types.int(IntKind::UnsignedChar);
                let pointer = self.module.types.pointer_to(byte);
                let pointer = self.cast(values[0].clone(), pointer);
                self.pointee_place(pointer)
            }
            _ => self.pointee_place(values[0].clone()),
        };
        if let Some((update, which)) = update(name, is_sync) {
            return Some(self.atomic_update(update, which, object, values[1].clone(), span));
        }
        Some(self.atomic_simple(name, object, &values, wanted, span))
    }

    /// The first `count` arguments, each one fit to be read again.
    fn atomic_operands(&mut self, arguments: &[ExprId], count: usize, span: Span) -> Vec<Expr> {
        let mut values = Vec::new();
        for &argument in &arguments[..count] {
            let span = self.ast.exprs[argument].span;
            let mut value = self.value(argument);
            self.read_now(&mut value, span);
            let mark = self.mark();
            values.push((value, mark));
        }
        // Orders of memory, flags.
        arguments[count..].iter().for_each(|&argument| self.effect(argument));
        for (value, mark) in values.iter_mut().rev() {
            self.keep(value, *mark, span);
        }
        let again =
            |unit: &mut Self, value: Expr| if unit.is_repeatable(&value) { value } else { unit.saved(value, span) };
        values.into_iter().map(|(value, _)| again(self, value)).collect()
    }

    fn atomic_simple(&mut self, name: &str, object: Place, values: &[Expr], wanted: Wanted, span: Span) -> Expr {
        match name {
            "load_n" => self.load(object, span),
            "load" => {
                let value = self.loaded(&object, span);
                let place = self.pointee_place(values[1].clone());
                self.put(place, value, span)
            }
            "store_n" => self.put(object, values[1].clone(), span),
            "store" => {
                let place = self.pointee_place(values[1].clone());
                let value = self.loaded(&place, span);
                self.put(object, value, span)
            }
            "clear" | "lock_release" => {
                let value = self.zero(object.ty);
                self.put(object, value, span)
            }
            "test_and_set" => {
                let old = self.loaded(&object, span);
                let set = self.integer(1, object.ty);
                self.put(object, set, span);
                let bool = self.module.types.int(IntKind::Bool);
                self.cast(old, bool)
            }
            "exchange_n" | "lock_test_and_set" => {
                let old = (wanted == Wanted::Value).then(|| self.loaded(&object, span));
                self.put(object, values[1].clone(), span);
                old.unwrap_or_else(|| self.void_value())
            }
            "exchange" => {
                let from = self.pointee_place(values[1].clone());
                let new = self.loaded(&from, span);
                let old = self.loaded(&object, span);
                self.put(object, new, span);
                let to = self.pointee_place(values[2].clone());
                self.put(to, old, span)
            }
            _ => self.compare_and_swap(name, object, values, span),
        }
    }

    fn compare_and_swap(&mut self, name: &str, object: Place, values: &[Expr], span: Span) -> Expr {
        let is_atomic = name.starts_with("compare_exchange");
        let old = self.loaded(&object, span);
        let expected_place = is_atomic.then(|| self.pointee_place(values[1].clone()));
        let expected = match &expected_place {
            Some(place) => self.loaded(place, span),
            None => self.convert(values[1].clone(), object.ty, span),
        };
        let new = match name {
            "compare_exchange" => {
                let place = self.pointee_place(values[2].clone());
                self.loaded(&place, span)
            }
            _ => self.convert(values[2].clone(), object.ty, span),
        };
        let is_equal = self.binary_value(BinaryOp::Eq, old.clone(), expected, span);
        if name == "val_compare_and_swap" {
            self.branch_on(is_equal, Arm::Stmt(StmtKind::Assign(object, new)), Arm::Nothing, span);
            return old;
        }
        let bool = self.module.types.int(IntKind::Bool);
        let result = self.temporary_place(bool, "compare and swap", span);
        let (yes, no) = (self.integer(1, bool), self.integer(0, bool));
        let mut swap = |unit: &mut Self| {
            unit.emit(StmtKind::Assign(object.clone(), new.clone()), span);
            unit.emit(StmtKind::Assign(result.clone(), yes.clone()), span);
        };
        let mut keep = |unit: &mut Self| {
            if let Some(place) = &expected_place {
                unit.put(place.clone(), old.clone(), span);
            }
            unit.emit(StmtKind::Assign(result.clone(), no.clone()), span);
        };
        self.branch_on(is_equal, Arm::Code(&mut swap), Arm::Code(&mut keep), span);
        Expr::read(result)
    }

    fn atomic_update(&mut self, update: Update, which: Which, object: Place, operand: Expr, span: Span) -> Expr {
        let old = self.loaded(&object, span);
        let types = &mut self.module.types;
        // Pointers are counted in bytes here.
        let is_pointer = types.is_pointer(object.ty);
        let number = if is_pointer { types.int(types.size_kind()) } else { object.ty };
        let (left, right) = (self.cast(old.clone(), number), self.cast(operand, number));
        let new = match update {
            Update::Operator(op) => self.binary_value(op, left, right, span),
            Update::Nand => {
                let both = self.binary_value(BinaryOp::BitAnd, left, right, span);
                self.unary_value(UnaryOp::BitNot, both, span)
            }
        };
        let new = self.cast(new, object.ty);
        match which {
            Which::Old => {
                self.put(object, new, span);
                old
            }
            Which::New => {
                let text = self.text_of_place(&object);
                let new = self.saved_as(new, &text, span);
                self.put(object, new.clone(), span);
                new
            }
        }
    }

    /// A temporary with what is at `place` now.
    fn loaded(&mut self, place: &Place, span: Span) -> Expr {
        let value = self.load(place.clone(), span);
        match self.module.types.get(value.ty) {
            Type::Void => self.error_value(),
            _ => self.saved(value, span),
        }
    }

    fn put(&mut self, place: Place, value: Expr, span: Span) -> Expr {
        let value = self.convert(value, place.ty, span);
        self.emit(StmtKind::Assign(place, value), span);
        self.void_value()
    }
}

/// The name without the size in bytes that some variants carry.
fn numbered_stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.strip_suffix('_').filter(|_| stem.len() < name.len()).unwrap_or(name)
}

fn update(name: &str, is_sync: bool) -> Option<(Update, Which)> {
    let (word, which) = match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
        (Some(word), _) if is_sync => (word, Which::Old),
        (_, Some(word)) if is_sync => (word, Which::New),
        _ => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
            (Some(word), _) => (word, Which::Old),
            (_, Some(word)) => (word, Which::New),
            _ => return None,
        },
    };
    let update = match word {
        "add" => Update::Operator(BinaryOp::Add),
        "sub" => Update::Operator(BinaryOp::Sub),
        "or" => Update::Operator(BinaryOp::BitOr),
        "and" => Update::Operator(BinaryOp::BitAnd),
        "xor" => Update::Operator(BinaryOp::BitXor),
        "nand" => Update::Nand,
        _ => return None,
    };
    Some((update, which))
}
