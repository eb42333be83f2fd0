//! Calls and returns.

use super::{Activation, Executable, Flow, Machine};
use crate::code::{CallCode, CalleeCode, Code, Destination, NextArgumentCode, Op, Parameter, Passing, VarPlace};
use crate::environment::Asked;
use crate::library::{Call, Next, Reply, Resumable};
use crate::memory::{Blob, FUNCTIONS, Origin, Storage, Writable};
use crate::outcome::{AccessKind, Fallible, Outcome, Undefined, unsupported};
use crate::value::{Pointer, Shape, Value, convert};
use hardbop_base::Idx;
use hardbop_c_core::{FunctionId, Parameters, Type, TypeId};
use std::rc::Rc;

/// A value that is passed or returned.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Passed {
    Scalar(Value),
    Record(Box<Blob>),
}

/// An argument and its type.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) passed: Passed,
    pub(crate) ty: TypeId,
}

/// A started list of arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct VaList {
    /// The number of the activation that it belongs to.
    activation: usize,
    next: usize,
}

/// What a call came to.
pub(super) enum Entered {
    /// A new activation is the current one.
    Activation,
    Returned(Option<Passed>),
}

impl<'m> Machine<'m, '_> {
    pub(super) fn call(&mut self, call: &CallCode) -> Fallible<Flow> {
        let function = match &call.callee {
            CalleeCode::Function(function) => *function,
            CalleeCode::Pointer(node, ty) => {
                let pointer = self.eval(node)?.pointer()?;
                let function = self.function_at(pointer)?;
                self.check_type(function, *ty)?;
                function
            }
        };
        let mut arguments = std::mem::take(&mut self.arguments);
        arguments.clear();
        for argument in &call.arguments {
            let passed = match &argument.passing {
                Passing::Scalar(node) => Passed::Scalar(self.eval(node)?),
                Passing::Record(location, size) => {
                    let part = self.part(location, *size as u64, AccessKind::Read)?;
                    let mut blob = Box::<Blob>::default();
                    self.memory.read_blob(part, *size, &mut blob);
                    Passed::Record(blob)
                }
            };
            arguments.push(Argument { passed, ty: argument.ty });
        }
        let entered = self.enter(function, &mut arguments);
        self.arguments = arguments;
        match entered? {
            Entered::Activation => Ok(Flow::Switch),
            Entered::Returned(value) => {
                self.receive(call, value)?;
                Ok(Flow::Next)
            }
        }
    }

    /// The function that a pointer points to.
    pub(crate) fn function_at(&self, pointer: Pointer) -> Fallible<FunctionId> {
        let distance = pointer.address.wrapping_sub(FUNCTIONS);
        let number = usize::try_from(distance / 16).unwrap_or(usize::MAX);
        if pointer.address == 0 {
            return Err(Undefined::NullDereference.into());
        }
        if !distance.is_multiple_of(16) || number >= self.module.functions.len() {
            return Err(Undefined::BadFunctionPointer.into());
        }
        Ok(FunctionId::from_usize(number))
    }

    /// Whether `function` may be called as one of type `ty`. Pointers may differ in what they point to.
    fn check_type(&self, function: FunctionId, ty: TypeId) -> Fallible<()> {
        let types = &self.module.types;
        let own = self.module.functions[function].ty;
        if own == ty || types.is_compatible(own, ty) {
            return Ok(());
        }
        let (Type::Function(own), Type::Function(called)) = (types.get(own), types.get(ty)) else {
            return Err(Undefined::BadFunctionPointer.into());
        };
        let parameters = match (&own.parameters, &called.parameters) {
            (Parameters::Fixed(own), Parameters::Fixed(called))
            | (Parameters::Variadic(own), Parameters::Variadic(called)) => {
                own.len() == called.len() && own.iter().zip(called).all(|(&own, &called)| self.is_alike(own, called))
            }
            // The number of arguments is compared when they are passed.
            (Parameters::Unspecified, _) | (_, Parameters::Unspecified) => true,
            _ => false,
        };
        let is_void = types.is_void(own.result) && types.is_void(called.result);
        if parameters && (is_void || self.is_alike(own.result, called.result)) {
            return Ok(());
        }
        Err(Undefined::WrongFunctionType.into())
    }

    fn is_alike(&self, left: TypeId, right: TypeId) -> bool {
        let types = &self.module.types;
        match (Shape::of(types, left), Shape::of(types, right)) {
            (Some(Shape::Int(left)), Some(Shape::Int(right))) => left.bits == right.bits,
            (Some(left), Some(right)) => left == right,
            _ => types.is_compatible(left, right),
        }
    }

    pub(super) fn enter(&mut self, function: FunctionId, arguments: &mut Vec<Argument>) -> Fallible<Entered> {
        match &self.executables[function] {
            Executable::Code(code) => {
                let code = Rc::clone(code);
                self.enter_code(code, arguments, None)?;
                Ok(Entered::Activation)
            }
            Executable::Library(native) => {
                let native = *native;
                let shape = self.result_shape(function);
                let reply = native(self, &Call { function, arguments, shape })?;
                self.settle(reply, shape)
            }
            Executable::Undefined => self.ask_function(function).map(Entered::Returned),
        }
    }

    fn result_shape(&self, function: FunctionId) -> Option<Shape> {
        let types = &self.module.types;
        let result = types.callee(self.module.functions[function].ty).expect("a function has a function's type").result;
        Shape::of(types, result)
    }

    /// Goes on until a library function that calls back has an activation to wait for, or a value.
    fn settle(&mut self, reply: Reply, shape: Option<Shape>) -> Fallible<Entered> {
        match reply {
            Reply::Nothing => Ok(Entered::Returned(shape.map(|shape| Passed::Scalar(shape.zero())))),
            Reply::Value(value) => {
                let value = shape.map(|shape| self.coerce(value, shape)).transpose()?;
                Ok(Entered::Returned(value.map(Passed::Scalar)))
            }
            Reply::CallBack(mut resumable) => {
                let mut next = resumable.begin(self)?;
                loop {
                    let (function, mut arguments) = match next {
                        Next::Done(value) => {
                            let value = shape.map(|shape| self.coerce(value, shape)).transpose()?;
                            return Ok(Entered::Returned(value.map(Passed::Scalar)));
                        }
                        Next::Call(function, arguments) => (function, arguments),
                    };
                    if let Executable::Code(code) = &self.executables[function] {
                        let code = Rc::clone(code);
                        self.enter_code(code, &mut arguments, Some(resumable))?;
                        return Ok(Entered::Activation);
                    }
                    let Entered::Returned(value) = self.enter(function, &mut arguments)? else {
                        return unsupported("a library function that calls back from a callback");
                    };
                    next = resumable.resume(self, value)?;
                }
            }
        }
    }

    /// A value of a type that the program declared a library function to return.
    fn coerce(&self, value: Value, shape: Shape) -> Fallible<Value> {
        match (value, shape) {
            (Value::Int(bits), Shape::Int(shape)) => Ok(Value::Int(shape.wrap(bits))),
            (Value::Int(bits), Shape::Pointer(_)) => Ok(Value::Pointer(self.memory.resolve(bits & self.address_mask))),
            (Value::Pointer(pointer), Shape::Int(shape)) => Ok(shape.value(i128::from(pointer.address))),
            (Value::Pointer(_), Shape::Pointer(_)) => Ok(value),
            (Value::Float(_), Shape::Float) | (Value::Double(_), Shape::Double) => Ok(value),
            (Value::Wide(..), Shape::Int(shape)) if shape.bits == 128 => Ok(value),
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }

    fn ask_function(&mut self, function: FunctionId) -> Fallible<Option<Passed>> {
        let name = &self.module.functions[function].source_name;
        let types = &self.module.types;
        let result = types.callee(self.module.functions[function].ty).expect("a function has a function's type").result;
        match Shape::of(types, result) {
            Some(shape) => self.ask(Asked::Function(name), shape).map(|value| Some(Passed::Scalar(value))),
            None if types.is_void(result) && self.environment.permits(name) => Ok(None),
            None => Err(Outcome::CalledUndefined(name.clone()).into()),
        }
    }

    fn enter_code(
        &mut self,
        code: Rc<Code<'m>>,
        arguments: &mut Vec<Argument>,
        resumable: Option<Box<Resumable>>,
    ) -> Fallible<()> {
        if self.activations.len() >= self.options.max_depth {
            return Err(Outcome::StackLimit.into());
        }
        let (register_base, object_base) = (self.registers.len(), self.objects.len());
        self.registers.resize(register_base + code.registers as usize, Value::Undefined);
        for var in &code.frame {
            self.count_bytes(var.size);
            let object = self.memory.allocate(Storage::Stack, var.size, var.align, Origin::Variable(var.var))?;
            if var.is_const {
                self.memory.protect(object, Writable::Const);
            }
            self.objects.push(object);
        }
        self.register_base = register_base;
        self.object_base = object_base;
        if arguments.len() < code.parameters.len() {
            return Err(Undefined::WrongFunctionType.into());
        }
        let variadic = if arguments.len() > code.parameters.len() { self.rest(&code, arguments)? } else { Vec::new() };
        for (parameter, argument) in code.parameters.iter().zip(arguments.drain(..)) {
            self.pass(parameter, argument)?;
        }
        let lists = self.lists.len();
        let allocated = Vec::new();
        self.activations.push(Activation {
            code,
            pc: 0,
            register_base,
            object_base,
            variadic,
            lists,
            allocated,
            resumable,
        });
        Ok(())
    }

    /// The arguments beyond the parameters.
    fn rest(&self, code: &Code<'m>, arguments: &mut Vec<Argument>) -> Fallible<Vec<Argument>> {
        let ty = self.module.types.callee(self.module.functions[code.function].ty);
        match ty.map(|ty| &ty.parameters) {
            Some(Parameters::Variadic(_)) => Ok(arguments.split_off(code.parameters.len())),
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }

    fn pass(&mut self, parameter: &Parameter, argument: Argument) -> Fallible<()> {
        match (argument.passed, parameter.shape) {
            (Passed::Scalar(value), Some(shape)) => {
                let value = if argument.ty == parameter.ty { value } else { self.adapt(value, argument.ty, shape)? };
                match parameter.place {
                    VarPlace::Register(register) => self.registers[self.register_base + register as usize] = value,
                    VarPlace::Frame(number) => {
                        let object = self.objects[self.object_base + number as usize];
                        let part = self.memory.part_of_variable(object, 0, shape.size())?;
                        self.store_part(part, shape, value);
                    }
                    VarPlace::Static(_) => unreachable!("parameters belong to activations"),
                }
                Ok(())
            }
            (Passed::Record(blob), None) => {
                let VarPlace::Frame(number) = parameter.place else { unreachable!("records are no registers") };
                let object = self.objects[self.object_base + number as usize];
                if self.memory.size(object) != blob.len() as u64 {
                    return Err(Undefined::WrongFunctionType.into());
                }
                let part = self.memory.part_of_variable(object, 0, blob.len() as u64)?;
                self.memory.write_blob(part, &blob);
                Ok(())
            }
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }

    /// An argument of another type than the parameter's: as old definitions, and calls without a prototype, have it.
    fn adapt(&self, value: Value, from: TypeId, to: Shape) -> Fallible<Value> {
        match (Shape::of(&self.module.types, from), to) {
            (Some(Shape::Pointer(_)), Shape::Pointer(_)) => Ok(value),
            (Some(from @ Shape::Int(_)), Shape::Int(_)) => convert(value, from, to),
            (Some(from @ (Shape::Float | Shape::Double)), Shape::Float | Shape::Double) => convert(value, from, to),
            _ => Err(Undefined::WrongFunctionType.into()),
        }
    }

    /// Ends the current activation and hands its result on.
    pub(super) fn leave(&mut self, value: Option<Passed>) -> Fallible<()> {
        let activation = self.activations.last_mut().expect("an activation returns");
        let code = Rc::clone(&activation.code);
        if self.module.functions[code.function].is_noreturn {
            return Err(Undefined::NoReturnReturned.into());
        }
        let resumable = activation.resumable.take();
        self.pop_activation();
        let Some(mut resumable) = resumable else { return self.return_to_caller(value, &code) };
        match resumable.resume(self, value)? {
            Next::Done(value) => self.return_to_caller(Some(Passed::Scalar(value)), &code),
            Next::Call(function, mut arguments) => {
                let Executable::Code(code) = &self.executables[function] else {
                    unreachable!("the same function is called back every time");
                };
                let code = Rc::clone(code);
                self.enter_code(code, &mut arguments, Some(resumable))
            }
        }
    }

    fn pop_activation(&mut self) {
        let activation = self.activations.pop().expect("an activation returns");
        for object in activation.allocated.into_iter().rev() {
            self.memory.leave_scope(object);
        }
        while self.objects.len() > activation.object_base {
            let object = self.objects.pop().expect("the activation's objects are there");
            self.memory.leave_scope(object);
        }
        self.registers.truncate(activation.register_base);
        self.lists.truncate(activation.lists);
        if let Some(caller) = self.activations.last() {
            self.register_base = caller.register_base;
            self.object_base = caller.object_base;
        }
    }

    fn return_to_caller(&mut self, value: Option<Passed>, callee: &Code<'m>) -> Fallible<()> {
        let Some(caller) = self.activations.last() else { return Err(self.exit_status(value, callee).into()) };
        let (code, pc) = (Rc::clone(&caller.code), caller.pc);
        let Op::Call(call) = &code.ops[pc] else { unreachable!("a caller is at a call") };
        self.receive(call, value)?;
        self.activations.last_mut().expect("the caller is there").pc = pc + 1;
        Ok(())
    }

    fn receive(&mut self, call: &CallCode, value: Option<Passed>) -> Fallible<()> {
        let Some(to) = &call.result else { return Ok(()) };
        match (value, call.seen_as) {
            (Some(Passed::Scalar(Value::Int(bits))), Some(shape)) => self.assign(to, Value::Int(shape.wrap(bits))),
            (value, _) => self.deliver(to, value),
        }
    }

    fn exit_status(&self, value: Option<Passed>, entry: &Code<'m>) -> Outcome {
        match (value, Shape::of(&self.module.types, entry.result)) {
            (Some(Passed::Scalar(value)), Some(Shape::Int(shape))) => Outcome::Exited(shape.number(value) as i32),
            // `main` may end without a return; of other functions nobody uses the value.
            _ => Outcome::Exited(0),
        }
    }

    fn deliver(&mut self, to: &Destination, value: Option<Passed>) -> Fallible<()> {
        match (to, value) {
            (_, None) => Err(Undefined::MissingReturnValue.into()),
            (Destination::Record(location, size), Some(Passed::Record(blob))) => {
                if blob.len() != *size {
                    return Err(Undefined::WrongFunctionType.into());
                }
                let part = self.part(location, *size as u64, AccessKind::Write)?;
                self.memory.write_blob(part, &blob);
                Ok(())
            }
            (Destination::Record(..), Some(Passed::Scalar(_))) | (_, Some(Passed::Record(_))) => {
                Err(Undefined::WrongFunctionType.into())
            }
            (to, Some(Passed::Scalar(value))) => self.assign(to, value),
        }
    }

    /// `va_start(list)`: the list at `pointer` begins with the first argument beyond the parameters.
    pub(crate) fn start_list(&mut self, pointer: Pointer) -> Fallible<()> {
        let activation = self.activations.len() - 1;
        self.make_list(pointer, VaList { activation, next: 0 })
    }

    /// `va_copy(to, from)`
    pub(crate) fn copy_list(&mut self, to: Pointer, from: Pointer) -> Fallible<()> {
        let list = self.lists[self.list(from)?];
        self.make_list(to, list)
    }

    fn make_list(&mut self, pointer: Pointer, list: VaList) -> Fallible<()> {
        let part = self.memory.part(pointer, 4, AccessKind::Write)?;
        self.lists.push(list);
        self.memory.write_bits(part, 4, self.lists.len() as u64);
        Ok(())
    }

    /// `va_end(list)`
    pub(crate) fn end_list(&mut self, pointer: Pointer) -> Fallible<()> {
        let list = self.list(pointer)?;
        let started_here = self.activations.last().map_or(0, |activation| activation.lists);
        if list + 1 == self.lists.len() && list >= started_here {
            self.lists.pop();
        }
        let part = self.memory.part(pointer, 4, AccessKind::Write)?;
        self.memory.forget_part(part, 4);
        Ok(())
    }

    fn list(&self, pointer: Pointer) -> Fallible<usize> {
        let part = self.memory.part(pointer, 4, AccessKind::Read)?;
        let number = self.memory.read_bits(part, 4).ok_or(Undefined::BadArgumentList)?;
        match usize::try_from(number).ok().and_then(|number| number.checked_sub(1)) {
            Some(list) if list < self.lists.len() => Ok(list),
            _ => Err(Undefined::BadArgumentList.into()),
        }
    }

    pub(super) fn next_argument(&mut self, next: &NextArgumentCode) -> Fallible<()> {
        let list = self.eval(&next.list)?.pointer()?;
        let argument = self.take_argument(list)?;
        let types = &self.module.types;
        let passed = match (argument.passed, Shape::of(types, argument.ty), Shape::of(types, next.ty)) {
            (Passed::Scalar(value), Some(Shape::Int(from)), Some(Shape::Int(to))) if from.bits == to.bits => {
                Passed::Scalar(to.value(from.number(value)))
            }
            (passed, Some(from), Some(to)) if from == to => passed,
            (passed @ Passed::Record(_), _, _) if types.is_compatible(argument.ty, next.ty) => passed,
            _ => return Err(Undefined::BadArgumentList.into()),
        };
        match &next.result {
            Some(to) => self.deliver(to, Some(passed)),
            None => Ok(()),
        }
    }

    /// The next argument of a list.
    pub(crate) fn take_argument(&mut self, list: Pointer) -> Fallible<Argument> {
        let list = self.list(list)?;
        let VaList { activation, next } = self.lists[list];
        let argument = self.activations.get(activation).and_then(|activation| activation.variadic.get(next));
        let argument = argument.cloned().ok_or(Undefined::BadArgumentList)?;
        self.lists[list].next += 1;
        Ok(argument)
    }

    /// Memory that lives until the current function returns.
    pub(crate) fn allocate_on_stack(&mut self, size: u64) -> Fallible<Pointer> {
        let site = self.site();
        let origin = match site.function {
            Some(function) => Origin::Alloca { function, span: site.span },
            None => Origin::Outside,
        };
        let object = self.memory.allocate(Storage::Stack, size, 16, origin)?;
        self.activations.last_mut().expect("a function calls alloca").allocated.push(object);
        Ok(self.memory.pointer(object))
    }

    pub(super) fn enter_entry(&mut self, entry: FunctionId, words: &[&[u8]]) -> Fallible<()> {
        let Some(body) = &self.module.functions[entry].body else {
            return Err(Outcome::CalledUndefined(self.module.functions[entry].source_name.clone()).into());
        };
        let types: Vec<TypeId> = body.parameters.iter().map(|&var| self.module.vars[var].ty.ty).collect();
        let mut arguments = Vec::new();
        let is_main = self.module.functions[entry].source_name == "main";
        if is_main && types.len() >= 2 {
            let values = [Value::Int(words.len() as u64), self.word_list(words)?, self.word_list(&[])?];
            for (&ty, value) in types.iter().zip(values) {
                arguments.push(Argument { passed: Passed::Scalar(value), ty });
            }
        } else {
            for (&var, &ty) in body.parameters.iter().zip(&types) {
                let name = &self.module.vars[var].source_name;
                let Some(shape) = Shape::of(&self.module.types, ty) else {
                    return unsupported("an entry function with a parameter that is no scalar");
                };
                let value =
                    if is_main { Value::Int(words.len() as u64) } else { self.ask(Asked::Parameter(name), shape)? };
                arguments.push(Argument { passed: Passed::Scalar(value), ty });
            }
        }
        self.enter(entry, &mut arguments).map(|_| ())
    }

    /// The address of an array of strings with a null pointer at its end.
    fn word_list(&mut self, words: &[&[u8]]) -> Fallible<Value> {
        let word = self.module.types.pointer_size();
        let list = self.memory.allocate(Storage::Static, word * (words.len() as u64 + 1), word, Origin::Outside)?;
        let list = self.memory.pointer(list);
        for (index, text) in words.iter().enumerate() {
            let object = self.memory.allocate(Storage::Static, text.len() as u64 + 1, 1, Origin::Outside)?;
            let pointer = self.memory.pointer(object);
            self.write_bytes(pointer, text)?;
            self.write_bytes(pointer.offset(text.len() as i64), &[0])?;
            let part = self.memory.part(list.offset((index as u64 * word) as i64), word, AccessKind::Write)?;
            self.memory.write_pointer(part, pointer);
        }
        let end = self.memory.part(list.offset((words.len() as u64 * word) as i64), word, AccessKind::Write)?;
        self.memory.write_pointer(end, Pointer::NULL);
        Ok(Value::Pointer(list))
    }
}
