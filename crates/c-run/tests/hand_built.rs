//! Modules that no front end has touched.

use hardbop_base::{Idx, IndexVec, Span};
use hardbop_c_core::{
    BinaryOp, Block, Body, Callee, Expr, Function, FunctionId, IntKind, Label, LabelId, Linkage, Module, Parameters,
    Place, Qualified, Stmt, StmtKind, Target, TypeId, Types, VarId, VarKind, Variable,
};
use hardbop_c_run::{
    AccessKind, Checking, Event, Machine, Options, Origin, Outcome, Pointee, Scripted, SignedOverflow, Undefined,
    Uninitialised, Value,
};

const NOWHERE: Span = Span::new(0, 0);
const OPTIONS: Options = Options {
    max_steps: 1_000_000,
    max_memory: 1 << 24,
    max_depth: 1000,
    signed_overflow: SignedOverflow::Wraps,
    uninitialised: Uninitialised::Error,
    alignment: Checking::On,
    pointer_arithmetic: Checking::On,
};

/// A program with one function, `int main(void)`.
struct Program {
    module: Module,
    locals: Vec<VarId>,
    labels: IndexVec<LabelId, Label>,
    int: TypeId,
}

impl Program {
    fn new() -> Self {
        let mut types = Types::new(Target::Lp64);
        let int = types.int(IntKind::Int);
        let module = Module { types, vars: IndexVec::new(), functions: IndexVec::new(), asm: Vec::new() };
        Self { module, locals: Vec::new(), labels: IndexVec::new(), int }
    }

    fn local(&mut self, name: &str, ty: TypeId, is_address_taken: bool) -> Place {
        let var = self.module.vars.push(Variable {
            name: name.into(),
            source_name: name.into(),
            ty: Qualified::plain(ty),
            kind: VarKind::Local(FunctionId::from_usize(0)),
            init: None,
            is_thread_local: false,
            is_weak: false,
            symbol: None,
            other_names: Vec::new(),
            is_model: false,
            is_kept: false,
            is_address_taken,
            align: None,
            span: NOWHERE,
        });
        self.locals.push(var);
        Place::var(var, ty)
    }

    fn int(&self, number: i32) -> Expr {
        Expr::integer(number.into(), self.int)
    }

    fn binary(&mut self, op: BinaryOp, left: &Place, right: Expr) -> Expr {
        Expr::binary(op, Expr::read(left.clone()), right, &mut self.module.types)
    }

    fn finish(mut self, block: Block) -> Module {
        let ty = self.module.types.function(self.int, Parameters::Fixed(Vec::new()));
        let body = Body { parameters: Vec::new(), locals: self.locals, labels: self.labels, block, end: NOWHERE };
        self.module.functions.push(Function {
            name: "main".into(),
            source_name: "main".into(),
            ty,
            linkage: Linkage::External,
            is_noreturn: false,
            returns_twice: false,
            is_constructor: false,
            is_destructor: false,
            is_weak: false,
            symbol: None,
            is_kept: false,
            is_model: false,
            is_address_taken: false,
            body: Some(body),
            span: NOWHERE,
        });
        self.module
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: NOWHERE }
}

fn assign(place: &Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(place.clone(), value))
}

fn return_value(place: &Place) -> Stmt {
    stmt(StmtKind::Return(Some(Expr::read(place.clone()))))
}

fn run(module: &Module) -> Outcome {
    let mut environment = Scripted::default();
    Machine::new(module, OPTIONS, &mut environment).run(FunctionId::from_usize(0), &[])
}

#[track_caller]
fn check(module: &Module, outcome: &Outcome) {
    assert_eq!(&run(module), outcome);
}

#[track_caller]
fn check_undefined(module: &Module, expected: &Undefined) {
    match run(module) {
        Outcome::Undefined { what, .. } => assert_eq!(&what, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_loop_runs_until_its_condition_fails() {
    let mut program = Program::new();
    let (i, sum) = (program.local("i", program.int, false), program.local("sum", program.int, false));
    let next_sum = program.binary(BinaryOp::Add, &sum, Expr::read(i.clone()));
    let next = program.binary(BinaryOp::Add, &i, program.int(1));
    let condition = program.binary(BinaryOp::Lt, &i, program.int(10));
    let body = vec![assign(&sum, next_sum), assign(&i, next)];
    let block = vec![
        assign(&i, program.int(0)),
        assign(&sum, program.int(0)),
        stmt(StmtKind::While(condition, body)),
        return_value(&sum),
    ];
    check(&program.finish(block), &Outcome::Exited(45));
}

#[test]
fn a_value_that_was_never_stored_cannot_be_used() {
    let mut program = Program::new();
    let x = program.local("x", program.int, false);
    check_undefined(&program.finish(vec![return_value(&x)]), &Undefined::UninitialisedRead);
}

#[test]
fn fresh_forgets_what_a_variable_held() {
    for is_address_taken in [false, true] {
        let mut program = Program::new();
        let x = program.local("x", program.int, is_address_taken);
        let var = x.as_var().unwrap();
        let block = vec![assign(&x, program.int(1)), stmt(StmtKind::Fresh(var)), return_value(&x)];
        check_undefined(&program.finish(block), &Undefined::UninitialisedRead);
    }
}

#[test]
fn a_jump_leads_into_a_block() {
    let mut program = Program::new();
    let x = program.local("x", program.int, false);
    let label = program.labels.push(Label { name: "inside".into(), is_written: true, is_address_taken: false });
    let inside = vec![assign(&x, program.int(2)), stmt(StmtKind::Label(label)), return_value(&x)];
    let block = vec![
        assign(&x, program.int(1)),
        stmt(StmtKind::Goto(label)),
        stmt(StmtKind::If(program.int(0), inside, Vec::new())),
    ];
    check(&program.finish(block), &Outcome::Exited(1));
}

#[test]
fn a_loop_without_end_meets_the_limit() {
    let program = Program::new();
    let forever = stmt(StmtKind::While(program.int(1), Vec::new()));
    check(&program.finish(vec![forever]), &Outcome::StepLimit);
}

#[test]
fn endless_recursion_meets_the_limit() {
    let program = Program::new();
    let callee = Callee::Function(FunctionId::from_usize(0));
    let call = stmt(StmtKind::Call { result: None, callee, arguments: Vec::new() });
    check(&program.finish(vec![call]), &Outcome::StackLimit);
}

#[test]
fn what_is_not_modelled_is_reported() {
    let program = Program::new();
    let module = program.finish(vec![stmt(StmtKind::Unmodelled("a nested function".into()))]);
    assert!(matches!(run(&module), Outcome::Unsupported { what, .. } if what == "a nested function"));
}

#[test]
fn a_watcher_sees_accesses_through_pointers_and_what_they_point_to() {
    let mut program = Program::new();
    let x = program.local("x", program.int, true);
    let pointer = program.module.types.pointer_to(program.int);
    let p = program.local("p", pointer, false);
    let address = Expr::address(x.clone(), &mut program.module.types);
    let target = Place::deref(Expr::read(p.clone()), &program.module.types);
    let null = Expr::integer(0, pointer);
    let block =
        vec![assign(&p, address), assign(&target, program.int(7)), assign(&p, null), assign(&target, program.int(8))];
    let module = program.finish(block);
    let (var, p) = (x.as_var().unwrap(), p.as_var().unwrap());
    let mut seen = Vec::new();
    let mut environment = Scripted::default();
    let mut machine = Machine::new(&module, OPTIONS, &mut environment);
    let outcome = machine.run_observed(FunctionId::from_usize(0), &[], &mut |machine, event| match event {
        Event::Before { .. } => {}
        Event::After { accesses, .. } => {
            for access in accesses {
                assert_eq!(access.kind, AccessKind::Write);
                let Some(Value::Pointer(held)) = machine.variable(p) else { panic!("p is a pointer") };
                assert_eq!(machine.pointee(held), machine.pointee(access.base));
                seen.push(machine.pointee(access.base));
            }
        }
    });
    assert_eq!(seen, [Pointee::Object { origin: Origin::Variable(var), offset: 0 }, Pointee::Null]);
    assert!(matches!(outcome, Outcome::Undefined { what: Undefined::NullDereference, .. }));
}
