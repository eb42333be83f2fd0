//! Objects of static storage and what they start with.

use super::Machine;
use crate::code::{Translator, VarPlace, is_const};
use crate::memory::{ObjectId, Origin, Storage, Writable};
use crate::outcome::{AccessKind, Fallible, Stop, Undefined, unsupported};
use crate::value::{Shape, Value};
use hardbop_c_core::{
    Bits, FunctionId, InitialPart, InitialStep, InitialValue, Module, Type, TypeId, Types, VarId, VarKind,
};

/// A part of an object that is initialised.
#[derive(Clone, Copy, Debug)]
struct Part {
    offset: u64,
    ty: TypeId,
    bits: Option<Bits>,
}

impl Machine<'_, '_> {
    pub(super) fn make_statics(&mut self) -> Fallible<()> {
        let module = self.module;
        for (var, variable) in module.vars.iter_enumerated() {
            if variable.kind.owner().is_some() {
                continue;
            }
            let size = static_size(module, var);
            let align = module.types.preferred_align_of(variable.ty.ty).max(variable.align.unwrap_or(1)).max(1);
            let object = self.memory.allocate(Storage::Static, size, align, Origin::Variable(var))?;
            self.places[var] = VarPlace::Static(object);
        }
        for (var, variable) in module.vars.iter_enumerated() {
            if let VarPlace::Static(object) = self.places[var]
                && let Some(initialiser) = &variable.init
                && variable.kind.owner().is_none()
            {
                let size = self.memory.size(object);
                let whole = self.memory.part_of_variable(object, 0, size)?;
                self.memory.fill(whole, size as usize, 0);
                for part in &initialiser.parts {
                    self.initialise(var, object, part)?;
                }
            }
        }
        self.make_streams()?;
        // Only now: what is written above is the initial value.
        for (var, variable) in module.vars.iter_enumerated() {
            if let (VarPlace::Static(object), None) = (self.places[var], variable.kind.owner()) {
                if variable.kind == VarKind::Literal {
                    self.memory.protect(object, Writable::Literal);
                } else if is_const(&module.types, variable.ty) {
                    self.memory.protect(object, Writable::Const);
                }
            }
        }
        Ok(())
    }

    /// `stdin`, `stdout` and `stderr`, where the program declares them: they point to objects nobody looks into.
    fn make_streams(&mut self) -> Fallible<()> {
        for (var, variable) in self.module.vars.iter_enumerated() {
            let name = variable.source_name.as_str();
            let VarPlace::Static(object) = self.places[var] else { continue };
            if variable.init.is_some() || !matches!(name, "stdin" | "stdout" | "stderr") {
                continue;
            }
            let Some(shape @ Shape::Pointer(_)) = Shape::of(&self.module.types, variable.ty.ty) else { continue };
            let stream = self.memory.allocate(Storage::Static, 1, 1, Origin::Outside)?;
            let stream = self.memory.pointer(stream);
            let part = self.memory.part_of_variable(object, 0, shape.size())?;
            self.store_part(part, shape, Value::Pointer(stream));
            if name == "stdout" {
                self.library.output = Some(stream);
            }
        }
        Ok(())
    }

    fn initialise(&mut self, var: VarId, object: ObjectId, part: &InitialPart) -> Fallible<()> {
        let types = &self.module.types;
        let whole = Part { offset: 0, ty: self.module.vars[var].ty.ty, bits: None };
        let mut targets = vec![whole];
        for step in &part.path {
            targets = targets.into_iter().flat_map(|target| parts(types, target, *step)).collect();
        }
        for target in targets {
            match &part.value {
                InitialValue::Bytes(bytes) => {
                    let part = self.memory.part_of_variable(object, target.offset as i64, bytes.len() as u64)?;
                    for (index, &byte) in bytes.iter().enumerate() {
                        self.memory.write_bits(self.memory.advance(part, index), 1, u64::from(byte));
                    }
                }
                InitialValue::Expr(expr) => {
                    let function = match self.module.vars[var].kind {
                        VarKind::StaticLocal(function) => Some(function),
                        _ => self.module.functions.ids().next(),
                    };
                    let node = self.static_translator(function).node(expr);
                    match self.eval(&node).map_err(|stop| *stop) {
                        Ok(value) => self.initialise_scalar(object, target, value)?,
                        // Only a run that uses the value has to know it.
                        Err(Stop::Unsupported(_)) => self.leave_uninitialised(object, target)?,
                        Err(stop) => return Err(Box::new(stop)),
                    }
                }
            }
        }
        Ok(())
    }

    fn leave_uninitialised(&mut self, object: ObjectId, target: Part) -> Fallible<()> {
        let size = self.module.types.size_of(target.ty).unwrap_or(0);
        let part = self.memory.part_of_variable(object, target.offset as i64, size)?;
        self.memory.forget_part(part, size as usize);
        Ok(())
    }

    fn static_translator(&self, function: Option<FunctionId>) -> Translator<'_> {
        match function {
            Some(function) => self.translator(function),
            None => Translator {
                module: self.module,
                places: &self.places,
                memory: &self.memory,
                label_address: 0,
                depth: 0,
            },
        }
    }

    fn initialise_scalar(&mut self, object: ObjectId, target: Part, value: Value) -> Fallible<()> {
        let Some(shape) = Shape::of(&self.module.types, target.ty) else {
            return unsupported("a static object of a type that is not computed");
        };
        let pointer = self.memory.pointer(object);
        match (target.bits, shape) {
            (Some(bits), Shape::Int(shape)) => {
                let first = bits.first % 8;
                let bytes = (first + u64::from(bits.width)).div_ceil(8);
                let at = pointer.offset((bits.first / 8 + target.offset) as i64);
                let part = self.memory.part(at, bytes, AccessKind::Write)?;
                let mask = (if bits.width >= 128 { u128::MAX } else { (1 << bits.width) - 1 }) << first;
                let number = (shape.number(value) as u128) << first & mask;
                let others = self.memory.raw(part, bytes as usize) & !mask;
                self.memory.write_number(part, bytes as usize, others | number);
            }
            (Some(_), _) => return Err(Undefined::BadArgument("a bit-field").into()),
            (None, _) => {
                let part = self.memory.part(pointer.offset(target.offset as i64), shape.size(), AccessKind::Write)?;
                self.store_part(part, shape, value);
            }
        }
        Ok(())
    }
}

/// The parts of `whole` that a step leads to. Of a bit-field, the offset is that of its record.
fn parts(types: &Types, whole: Part, step: InitialStep) -> Vec<Part> {
    match step {
        InitialStep::Field(number) => {
            let field = types.field(whole.ty, number);
            let offset = if field.bits.is_some() { whole.offset } else { whole.offset.saturating_add(field.offset) };
            vec![Part { offset, ty: field.ty.ty, bits: field.bits }]
        }
        InitialStep::Index(index) => element(types, whole, index, index),
        InitialStep::Range(first, last) => element(types, whole, first, last),
    }
}

fn element(types: &Types, whole: Part, first: u64, last: u64) -> Vec<Part> {
    let Some(element) = types.element(whole.ty) else { return Vec::new() };
    let size = types.size_of(element.ty).unwrap_or(0);
    let part = |index: u64| Part {
        offset: whole.offset.saturating_add(index.saturating_mul(size)),
        ty: element.ty,
        bits: None,
    };
    (first..=last).map(part).collect()
}

/// The size of an object: of its type, or of all that is initialised if it ends with a flexible array.
fn static_size(module: &Module, var: VarId) -> u64 {
    let variable = &module.vars[var];
    let types = &module.types;
    let size = types.size_of(variable.ty.ty).unwrap_or(0);
    let Some(initialiser) = &variable.init else { return size };
    if !matches!(types.get(variable.ty.ty), Type::Record(_) | Type::Array(..)) {
        return size;
    }
    initialiser.parts.iter().map(|part| end_of(types, variable.ty.ty, part)).fold(size, u64::max)
}

fn end_of(types: &Types, ty: TypeId, part: &InitialPart) -> u64 {
    let mut at = Part { offset: 0, ty, bits: None };
    for step in &part.path {
        let last = match *step {
            InitialStep::Range(_, last) => InitialStep::Index(last),
            step => step,
        };
        match parts(types, at, last).pop() {
            Some(part) => at = part,
            None => return 0,
        }
    }
    let size = match &part.value {
        InitialValue::Bytes(bytes) => bytes.len() as u64,
        InitialValue::Expr(_) => types.size_of(at.ty).unwrap_or(0),
    };
    if at.bits.is_some() { at.offset } else { at.offset.saturating_add(size) }
}
