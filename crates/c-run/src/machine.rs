//! The machine: activations, and the loop that executes instructions.
//!
//! A C call pushes an [`Activation`], it is never a call of ours. Library functions that call back, such as `qsort`,
//! are activations too: they say what to call next and are told the result.

mod call;
mod observe;
mod statics;

pub(crate) use call::{Argument, Passed};
pub use observe::{Access, Event, Observer, Pointee};

use crate::code::{Code, Op, Returned, Translator, VarPlace, allot, flatten};
use crate::environment::{Answer, Asked, Environment};
use crate::library::{self, Native, Resumable};
use crate::memory::{Blob, LABELS, Memory, ObjectId};
use crate::outcome::{AccessKind, Fallible, Outcome, Site, Stop, Undefined, unsupported};
use crate::value::{Pointer, Shape, Value};
use call::VaList;
use hardbop_base::{IndexVec, Span};
use hardbop_c_core::{Function, FunctionId, Module, Stmt, Target, VarId};
use std::rc::Rc;

/// Whether something that C leaves undefined, and many programs do, ends the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checking {
    /// It does.
    On,
    /// It does not.
    Off,
}

/// What happens when a signed result does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignedOverflow {
    /// It wraps around, as with `-fwrapv`.
    Wraps,
    /// It is undefined.
    Undefined,
}

/// What happens when a value is used that nothing was stored to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uninitialised {
    /// It is undefined.
    Error,
    /// The environment chooses the value, which then stays.
    Arbitrary,
}

/// What a run may use, and what ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Instructions.
    pub max_steps: u64,
    /// Bytes of live objects.
    pub max_memory: u64,
    /// Activations at a time.
    pub max_depth: usize,
    /// Signed arithmetic.
    pub signed_overflow: SignedOverflow,
    /// Values that nothing was stored to.
    pub uninitialised: Uninitialised,
    /// Accesses at addresses that are no multiple of their type's alignment.
    pub alignment: Checking,
    /// Pointers that are moved outside of their object.
    pub pointer_arithmetic: Checking,
}

/// What a function is to the machine.
#[derive(Clone)]
enum Executable<'m> {
    Code(Rc<Code<'m>>),
    Library(Native),
    Undefined,
}

/// A call that has not returned.
struct Activation<'m> {
    code: Rc<Code<'m>>,
    /// The instruction that is executed, or that called.
    pc: usize,
    register_base: usize,
    object_base: usize,
    /// The arguments beyond the parameters.
    variadic: Vec<Argument>,
    /// How many argument lists were started before.
    lists: usize,
    /// The memory of `alloca`.
    allocated: Vec<ObjectId>,
    /// A library function that this activation calls back for; it is told the result.
    resumable: Option<Box<Resumable>>,
}

/// Runs a program, once.
pub struct Machine<'m, 'e> {
    pub(crate) module: &'m Module,
    pub(crate) options: Options,
    pub(crate) environment: &'e mut dyn Environment,
    pub(crate) memory: Memory,
    pub(crate) registers: Vec<Value>,
    pub(crate) register_base: usize,
    pub(crate) objects: Vec<ObjectId>,
    pub(crate) object_base: usize,
    pub(crate) address_mask: u64,
    pub(crate) is_observed: bool,
    pub(crate) accesses: Vec<Access>,
    pub(crate) scratch: Blob,
    /// Objects that the library keeps from call to call, such as what `strtok` goes on with.
    pub(crate) library: library::State,
    executables: IndexVec<FunctionId, Executable<'m>>,
    places: IndexVec<VarId, VarPlace>,
    activations: Vec<Activation<'m>>,
    lists: Vec<VaList>,
    label_addresses: IndexVec<FunctionId, u64>,
    /// The arguments of the call that is made, kept for their memory.
    arguments: Vec<Argument>,
    steps: u64,
    outcome: Option<Outcome>,
}

/// What comes after an instruction.
enum Flow {
    Next,
    Jump(u32),
    /// Another activation is the current one, at its own place.
    Switch,
}

impl<'m, 'e> Machine<'m, 'e> {
    /// A machine that is ready to run functions of `module`; static objects hold their initial values.
    pub fn new(module: &'m Module, options: Options, environment: &'e mut dyn Environment) -> Self {
        let target = module.types.target;
        let mut machine = Self {
            module,
            options,
            environment,
            memory: Memory::new(target, options.max_memory),
            registers: Vec::new(),
            register_base: 0,
            objects: Vec::new(),
            object_base: 0,
            address_mask: if target == Target::Ilp32 { u64::from(u32::MAX) } else { u64::MAX },
            is_observed: false,
            accesses: Vec::new(),
            scratch: Blob::default(),
            library: library::State::default(),
            executables: IndexVec::new(),
            places: IndexVec::from_elem(VarPlace::Register(0), module.vars.len()),
            activations: Vec::new(),
            lists: Vec::new(),
            label_addresses: label_addresses(module),
            arguments: Vec::new(),
            steps: 0,
            outcome: None,
        };
        if let Err(stop) = machine.make_statics() {
            machine.outcome = Some(stop.at(Site { function: None, span: Span::new(0, 0) }));
        }
        machine.load_functions();
        machine
    }

    fn load_functions(&mut self) {
        for (function, definition) in self.module.functions.iter_enumerated() {
            let executable = match &definition.body {
                Some(body) => {
                    let (frame, registers) = allot(self.module, body, &mut self.places);
                    let translator = self.translator(function);
                    Executable::Code(Rc::new(flatten(translator, function, body, frame, registers)))
                }
                None => library::find(&definition.source_name).map_or(Executable::Undefined, Executable::Library),
            };
            self.executables.push(executable);
        }
    }

    fn translator(&self, function: FunctionId) -> Translator<'_> {
        let label_address = self.label_addresses[function];
        Translator { module: self.module, places: &self.places, memory: &self.memory, label_address, depth: 0 }
    }

    /// Runs `entry` to the end. `main` gets `arguments`, its own name first; parameters of other functions are chosen by
    /// the environment.
    pub fn run(&mut self, entry: FunctionId, arguments: &[&[u8]]) -> Outcome {
        self.start(entry, arguments);
        loop {
            if let Some(outcome) = &self.outcome {
                return outcome.clone();
            }
            if let Err(stop) = self.run_activation() {
                self.stop(*stop);
            }
        }
    }

    /// Runs `entry` as [`run`](Self::run) does, while `observer` watches.
    pub fn run_observed(&mut self, entry: FunctionId, arguments: &[&[u8]], observer: &mut Observer<'_>) -> Outcome {
        self.start(entry, arguments);
        loop {
            if let Some(outcome) = self.step_observed(observer) {
                return outcome;
            }
        }
    }

    /// Begins a run of `entry`, for [`step`](Self::step).
    pub fn start(&mut self, entry: FunctionId, arguments: &[&[u8]]) {
        if self.outcome.is_some() {
            return;
        }
        let runs_too = |row: &Function| row.body.is_some() && (row.is_constructor || row.is_destructor);
        let begun = match self.module.functions.iter().any(runs_too) {
            true => unsupported("a function that runs before or after `main`"),
            false => self.enter_entry(entry, arguments),
        };
        if let Err(stop) = begun {
            self.stop(*stop);
        }
    }

    /// Executes one instruction; says how the run ended if it has.
    pub fn step(&mut self) -> Option<Outcome> {
        if self.outcome.is_none()
            && let Err(stop) = self.step_once()
        {
            self.stop(*stop);
        }
        self.outcome.clone()
    }

    fn step_once(&mut self) -> Fallible<()> {
        let activation = self.activations.last().expect("a run that has not ended has an activation");
        let (code, pc) = (Rc::clone(&activation.code), activation.pc);
        self.count_step()?;
        let flow = self.execute(&code, pc)?;
        self.go_on(flow, pc);
        Ok(())
    }

    fn go_on(&mut self, flow: Flow, pc: usize) {
        let next = match flow {
            Flow::Next => pc + 1,
            Flow::Jump(target) => target as usize,
            Flow::Switch => return,
        };
        self.activations.last_mut().expect("the activation goes on").pc = next;
    }

    #[inline]
    fn count_step(&mut self) -> Fallible<()> {
        self.steps += 1;
        if self.steps > self.options.max_steps { Err(Outcome::StepLimit.into()) } else { Ok(()) }
    }

    /// Long copies are many steps, so that the limit bounds the time of a run.
    pub(crate) fn count_bytes(&mut self, size: u64) {
        self.steps = self.steps.saturating_add(size / 64);
    }

    /// Executes until another activation becomes the current one, or the run ends.
    fn run_activation(&mut self) -> Fallible<()> {
        let activation = self.activations.last().expect("a run that has not ended has an activation");
        let code = Rc::clone(&activation.code);
        let mut pc = activation.pc;
        let depth = self.activations.len();
        loop {
            let result = self.count_step().and_then(|()| self.execute(&code, pc));
            match result {
                Ok(Flow::Next) => pc += 1,
                Ok(Flow::Jump(target)) => pc = target as usize,
                Ok(Flow::Switch) => return Ok(()),
                Err(stop) => {
                    // A return may fail in the caller, which is at its call.
                    if self.activations.len() == depth {
                        self.activations[depth - 1].pc = pc;
                    }
                    return Err(stop);
                }
            }
        }
    }

    #[inline]
    fn execute(&mut self, code: &Code<'m>, pc: usize) -> Fallible<Flow> {
        match &code.ops[pc] {
            Op::SetRegister(register, node) => {
                let value = self.eval(node)?;
                self.registers[self.register_base + *register as usize] = value;
            }
            Op::Assign(to, node) => {
                let value = self.eval(node)?;
                self.assign(to, value)?;
            }
            Op::Jump(target) => return Ok(Flow::Jump(*target)),
            Op::JumpUnless(node, target) => {
                if !self.eval(node)?.is_true()? {
                    return Ok(Flow::Jump(*target));
                }
            }
            Op::Call(call) => {
                self.activations.last_mut().expect("an activation calls").pc = pc;
                return self.call(call);
            }
            Op::Return(returned) => return self.execute_return(returned),
            Op::FreshRegister(register) => {
                self.registers[self.register_base + *register as usize] = Value::Undefined;
            }
            op => return self.execute_rare(code, op),
        }
        Ok(Flow::Next)
    }

    fn execute_rare(&mut self, code: &Code<'m>, op: &Op) -> Fallible<Flow> {
        match op {
            Op::Copy { to, from, size } => {
                self.count_bytes(*size as u64);
                let from = self.part(from, *size as u64, AccessKind::Read)?;
                let mut blob = std::mem::take(&mut self.scratch);
                self.memory.read_blob(from, *size, &mut blob);
                let to = self.part(to, *size as u64, AccessKind::Write)?;
                self.memory.write_blob(to, &blob);
                self.scratch = blob;
            }
            Op::ZeroRegister(register, zero) => self.registers[self.register_base + *register as usize] = *zero,
            Op::Zero(location, size) => {
                self.count_bytes(*size as u64);
                let part = self.part(location, *size as u64, AccessKind::Write)?;
                self.memory.fill(part, *size, 0);
            }
            Op::NextArgument(next) => self.next_argument(next)?,
            Op::FreshObject(number) => {
                let object = self.objects[self.object_base + *number as usize];
                self.memory.forget(object);
            }
            Op::JumpComputed(node) => {
                let address = self.eval(node)?.pointer()?.address;
                let label = address.wrapping_sub(code.label_address);
                return match code.labels.as_slice().get(usize::try_from(label).unwrap_or(usize::MAX)) {
                    Some(&target) if target != u32::MAX => Ok(Flow::Jump(target)),
                    _ => Err(Undefined::BadLabel.into()),
                };
            }
            Op::Unsupported(what) => return unsupported(what.to_string()),
            _ => unreachable!("frequent instructions are executed elsewhere"),
        }
        Ok(Flow::Next)
    }

    fn execute_return(&mut self, returned: &Returned) -> Fallible<Flow> {
        let passed = match returned {
            Returned::Nothing => None,
            Returned::Scalar(node) => Some(Passed::Scalar(self.eval(node)?)),
            Returned::Record(location, size) => {
                let part = self.part(location, *size as u64, AccessKind::Read)?;
                let mut blob = Box::<Blob>::default();
                self.memory.read_blob(part, *size, &mut blob);
                Some(Passed::Record(blob))
            }
        };
        self.leave(passed)?;
        Ok(Flow::Switch)
    }

    fn stop(&mut self, stop: Stop) {
        let site = self.site();
        self.outcome = Some(stop.at(site));
    }

    /// Where the run is, or where it ended.
    pub fn site(&self) -> Site {
        let Some(activation) = self.activations.last() else {
            return Site { function: None, span: Span::new(0, 0) };
        };
        let span = self.statement().map_or(activation.code.end, |statement| statement.span);
        Site { function: Some(activation.code.function), span }
    }

    /// The statement that is executed next, or that ended the run; jumps that close a structure have none.
    pub fn statement(&self) -> Option<&'m Stmt> {
        let activation = self.activations.last()?;
        activation.code.statements.get(activation.pc).copied().flatten()
    }

    /// The functions that are active, the outermost first.
    pub fn stack(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.activations.iter().map(|activation| activation.code.function)
    }

    /// How many instructions were executed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A value from the environment.
    pub(crate) fn ask(&mut self, asked: Asked<'_>, shape: Shape) -> Fallible<Value> {
        let Some(answer) = self.environment.choose(asked, shape) else {
            let what = match asked {
                Asked::Function(name) | Asked::Parameter(name) => name,
                Asked::Uninitialised => "an uninitialised value",
            };
            return Err(Outcome::CalledUndefined(what.into()).into());
        };
        Ok(match (shape, answer) {
            (Shape::Int(shape), Answer::Integer(number)) => shape.value(number),
            (Shape::Int(shape), Answer::Float(number)) => shape.value(number as i128),
            (Shape::Pointer(_), Answer::Integer(number)) => {
                Value::Pointer(self.memory.resolve(number as u64 & self.address_mask))
            }
            (Shape::Pointer(_), Answer::Float(_)) => Value::Pointer(Pointer::NULL),
            (Shape::Float, Answer::Float(number)) => Value::Float(number as f32),
            (Shape::Double, Answer::Float(number)) => Value::Double(number),
            (Shape::Float, Answer::Integer(number)) => Value::Float(number as f32),
            (Shape::Double, Answer::Integer(number)) => Value::Double(number as f64),
        })
    }
}

/// Every label of the program has its own address.
fn label_addresses(module: &Module) -> IndexVec<FunctionId, u64> {
    let mut next = LABELS;
    let mut address = |labels: usize| {
        next += labels as u64;
        next - labels as u64
    };
    module
        .functions
        .iter()
        .map(|function| address(function.body.as_ref().map_or(0, |body| body.labels.len())))
        .collect()
}
