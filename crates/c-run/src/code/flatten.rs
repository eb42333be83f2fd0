//! From the tree of statements to the array of instructions.

use super::{
    CallCode, CalleeCode, Code, Destination, FrameVar, NextArgumentCode, Node, Op, Returned, Translator, VarPlace,
    is_const,
};
use crate::value::Shape;
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::{Body, Callee, Expr, FunctionId, LabelId, Module, Place, Stmt, StmtKind, VarId};

/// What is left to do, the last first. A list instead of recursion: programs nest as deeply as they like.
enum Work<'m> {
    Statements(&'m [Stmt]),
    Jump(usize),
    Here(usize),
    LeaveLoop,
}

struct Flattener<'t, 'm> {
    translator: Translator<'t>,
    ops: Vec<Op>,
    statements: Vec<Option<&'m Stmt>>,
    /// Where each jump target lies: the function's labels first, then our own.
    targets: Vec<Option<u32>>,
    /// Where `continue` and `break` go.
    loops: Vec<(usize, usize)>,
    work: Vec<Work<'m>>,
}

/// The instructions of `body`, whose variables have `frame` and `registers`.
pub(crate) fn flatten<'m>(
    translator: Translator<'_>,
    function: FunctionId,
    body: &'m Body,
    frame: Vec<FrameVar>,
    registers: u32,
) -> Code<'m> {
    let label_address = translator.label_address;
    let mut flattener = Flattener {
        translator,
        ops: Vec::new(),
        statements: Vec::new(),
        targets: vec![None; body.labels.len()],
        loops: Vec::new(),
        work: vec![Work::Statements(&body.block)],
    };
    flattener.run();
    flattener.emit(Op::Return(Returned::Nothing), None);
    flattener.resolve();
    let label = |id: LabelId| flattener.targets[id.index()].unwrap_or(u32::MAX);
    let labels: IndexVec<LabelId, u32> = body.labels.ids().map(label).collect();
    let module = flattener.translator.module;
    let result = module.types.callee(module.functions[function].ty).expect("a function has a function's type").result;
    let parameters = body.parameters.iter().map(|&var| flattener.translator.parameter(var)).collect();
    let Flattener { ops, statements, .. } = flattener;
    let end = body.end;
    Code { function, ops, statements, labels, label_address, parameters, registers, frame, result, end }
}

impl<'m> Flattener<'_, 'm> {
    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Statements([]) => {}
                Work::Statements([first, rest @ ..]) => {
                    self.work.push(Work::Statements(rest));
                    self.statement(first);
                }
                Work::Jump(target) => self.emit(Op::Jump(target as u32), None),
                Work::Here(target) => self.targets[target] = Some(self.ops.len() as u32),
                Work::LeaveLoop => {
                    self.loops.pop();
                }
            }
        }
    }

    fn emit(&mut self, op: Op, statement: Option<&'m Stmt>) {
        self.ops.push(op);
        self.statements.push(statement);
    }

    fn target(&mut self) -> usize {
        self.targets.push(None);
        self.targets.len() - 1
    }

    fn statement(&mut self, stmt: &'m Stmt) {
        let op = match &stmt.kind {
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Zero(place) => self.zero(place),
            StmtKind::Call { result, callee, arguments } => {
                let seen_as = result.as_ref().and_then(|place| self.translator.integer_shape(place.ty));
                let result = result.as_ref().map(|place| self.translator.destination(place));
                let callee = self.callee(callee);
                let arguments = arguments.iter().map(|argument| self.translator.argument(argument)).collect();
                Op::Call(Box::new(CallCode { result, seen_as, callee, arguments }))
            }
            StmtKind::NextArgument { result, list, ty } => {
                let result = result.as_ref().map(|place| self.translator.destination(place));
                let list = self.translator.node(list);
                Op::NextArgument(Box::new(NextArgumentCode { result, list, ty: *ty }))
            }
            StmtKind::Fresh(var) => match self.fresh(*var) {
                Some(op) => op,
                None => return,
            },
            StmtKind::Asm(_) => Op::Unsupported("assembly".into()),
            StmtKind::Unmodelled(what) => Op::Unsupported(what.as_str().into()),
            StmtKind::If(condition, then, otherwise) => return self.branch(stmt, condition, then, otherwise),
            StmtKind::While(condition, body) => return self.loops(stmt, condition, body),
            StmtKind::Break => Op::Jump(self.loops.last().expect("a break is inside a loop").1 as u32),
            StmtKind::Continue => Op::Jump(self.loops.last().expect("a continue is inside a loop").0 as u32),
            StmtKind::Label(label) => {
                self.targets[label.index()] = Some(self.ops.len() as u32);
                return;
            }
            StmtKind::Goto(label) => Op::Jump(label.index() as u32),
            StmtKind::GotoComputed(target) => Op::JumpComputed(self.translator.node(target)),
            StmtKind::Return(None) => Op::Return(Returned::Nothing),
            StmtKind::Return(Some(value)) => self.returned(value),
            StmtKind::Block(block) => return self.work.push(Work::Statements(block)),
        };
        self.emit(op, Some(stmt));
    }

    fn branch(&mut self, stmt: &'m Stmt, condition: &Expr, then: &'m [Stmt], otherwise: &'m [Stmt]) {
        let (otherwise_starts, ends) = (self.target(), self.target());
        let condition = self.translator.node(condition);
        self.emit(Op::JumpUnless(condition, otherwise_starts as u32), Some(stmt));
        self.work.push(Work::Here(ends));
        self.work.push(Work::Statements(otherwise));
        self.work.push(Work::Here(otherwise_starts));
        if !otherwise.is_empty() {
            self.work.push(Work::Jump(ends));
        }
        self.work.push(Work::Statements(then));
    }

    fn loops(&mut self, stmt: &'m Stmt, condition: &Expr, body: &'m [Stmt]) {
        let (head, exit) = (self.target(), self.target());
        self.targets[head] = Some(self.ops.len() as u32);
        let condition = self.translator.node(condition);
        self.emit(Op::JumpUnless(condition, exit as u32), Some(stmt));
        self.loops.push((head, exit));
        self.work.push(Work::Here(exit));
        self.work.push(Work::LeaveLoop);
        self.work.push(Work::Jump(head));
        self.work.push(Work::Statements(body));
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> Op {
        let to = self.translator.destination(place);
        match to {
            Destination::Register(register) => Op::SetRegister(register, self.translator.assigned(value)),
            Destination::Record(to, size) => match self.translator.whole(value) {
                Some((from, _)) => Op::Copy { to, from, size },
                None => match self.translator.node(value) {
                    Node::Unsupported(what) => Op::Unsupported(what),
                    _ => Op::Unsupported("an assignment of a type that is not computed".into()),
                },
            },
            Destination::Unsupported(what) => Op::Unsupported(what),
            Destination::Memory(..) => Op::Assign(to, self.translator.assigned(value)),
            Destination::Bits(..) => Op::Assign(to, self.translator.node(value)),
        }
    }

    fn zero(&mut self, place: &Place) -> Op {
        let size = self.translator.object_size(place.ty);
        match (self.translator.destination(place), size) {
            (Destination::Register(register), _) => {
                let shape = Shape::of(&self.translator.module.types, place.ty).expect("registers hold scalars");
                Op::ZeroRegister(register, shape.zero())
            }
            (Destination::Unsupported(what), _) => Op::Unsupported(what),
            (Destination::Memory(location, _) | Destination::Record(location, _), Some(size)) => {
                Op::Zero(location, size)
            }
            (to @ Destination::Bits(..), _) => {
                let shape = Shape::of(&self.translator.module.types, place.ty).expect("bit-fields hold integers");
                Op::Assign(to, Node::Constant(shape.zero()))
            }
            (_, None) => Op::Unsupported("an object of unknown size".into()),
        }
    }

    fn fresh(&self, var: VarId) -> Option<Op> {
        match self.translator.places[var] {
            VarPlace::Register(register) => Some(Op::FreshRegister(register)),
            VarPlace::Frame(number) => Some(Op::FreshObject(number)),
            VarPlace::Static(_) => None,
        }
    }

    fn callee(&mut self, callee: &Callee) -> CalleeCode {
        match callee {
            Callee::Function(function) => CalleeCode::Function(*function),
            Callee::Pointer(pointer) => {
                let types = &self.translator.module.types;
                let ty = types.pointee(pointer.ty).expect("a callee is a pointer to a function").ty;
                CalleeCode::Pointer(self.translator.node(pointer), ty)
            }
        }
    }

    fn returned(&mut self, value: &Expr) -> Op {
        if Shape::of(&self.translator.module.types, value.ty).is_none()
            && let Some((location, size)) = self.translator.whole(value)
        {
            return Op::Return(Returned::Record(location, size));
        }
        Op::Return(Returned::Scalar(self.translator.node(value)))
    }

    /// Replaces the numbers of jump targets by those of instructions.
    fn resolve(&mut self) {
        for op in &mut self.ops {
            if let Op::Jump(target) | Op::JumpUnless(_, target) = op {
                *target = self.targets[*target as usize].expect("every jump has a target");
            }
        }
    }
}

/// The variables of a function that are objects of its activations, and the number of its registers; `places` learns
/// which is which.
pub(crate) fn allot(module: &Module, body: &Body, places: &mut IndexVec<VarId, VarPlace>) -> (Vec<FrameVar>, u32) {
    let mut frame = Vec::new();
    let mut registers = 0;
    for &var in body.parameters.iter().chain(&body.locals) {
        let variable = &module.vars[var];
        let shape = Shape::of(&module.types, variable.ty.ty);
        if shape.is_some() && !variable.is_address_taken {
            places[var] = VarPlace::Register(registers);
            registers += 1;
            continue;
        }
        places[var] = VarPlace::Frame(frame.len() as u32);
        let size = module.types.size_of(variable.ty.ty).unwrap_or(0);
        let align = module.types.preferred_align_of(variable.ty.ty).max(variable.align.unwrap_or(1)).max(1);
        frame.push(FrameVar { var, size, align, is_const: is_const(&module.types, variable.ty) });
    }
    (frame, registers)
}
