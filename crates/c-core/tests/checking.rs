//! Every invariant that is broken is reported.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use expect_test::{Expect, expect};
use hardbop_base::{Idx, IndexVec, Span};
use hardbop_c_core::check::check as validate;
use hardbop_c_core::names::name_variables;
use hardbop_c_core::{
    BinaryOp, Body, Callee, Expr, ExprKind, Function, FunctionId, InitialPart, InitialStep, InitialValue, Initialiser,
    IntKind, Label, LabelId, Length, Linkage, Module, Parameters, Place, Qualified, Stmt, StmtKind, Target, TypeId,
    Types, UnaryOp, VarId, VarKind, Variable,
};

const NOWHERE: Span = Span::new(0, 0);

/// `int f(int i) { long l; int *p; int **q; int a[3]; … }` and what its parts need.
struct World {
    module: Module,
    int: TypeId,
    long: TypeId,
    pointer: TypeId,
}

const I: usize = 0;
const L: usize = 1;
const P: usize = 2;
const Q: usize = 3;
const A: usize = 4;

impl World {
    fn new() -> Self {
        let mut types = Types::new(Target::Lp64);
        let (int, long) = (types.int(IntKind::Int), types.int(IntKind::Long));
        let pointer = types.pointer_to(int);
        let array = types.array_of(Qualified::plain(int), Length::Fixed(3));
        let all = [("i", int), ("l", long), ("p", pointer), ("q", types.pointer_to(pointer)), ("a", array)];
        let f = FunctionId::from_usize(0);
        let vars: IndexVec<VarId, Variable> = all
            .iter()
            .map(|&(name, ty)| variable(name, ty, if name == "i" { VarKind::Parameter(f) } else { VarKind::Local(f) }))
            .collect();
        let body = Body {
            parameters: vars.ids().take(1).collect(),
            locals: vars.ids().skip(1).collect(),
            labels: IndexVec::new(),
            block: Vec::new(),
            end: NOWHERE,
        };
        let ty = types.function(int, Parameters::Fixed(vec![int]));
        let f = Function {
            name: String::new(),
            source_name: "f".to_owned(),
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
        };
        let functions = [f].into_iter().collect();
        let mut module = Module { types, vars, functions, asm: Vec::new() };
        name_variables(&mut module);
        Self { module, int, long, pointer }
    }

    fn place(&self, var: usize) -> Place {
        self.module.place(VarId::from_usize(var))
    }

    fn read(&self, var: usize) -> Expr {
        Expr::read(self.place(var))
    }

    fn deref(&self, var: usize) -> Place {
        Place::deref(self.read(var), &self.module.types)
    }

    fn body(&mut self) -> &mut Body {
        self.module.functions[FunctionId::from_usize(0)].body.as_mut().unwrap()
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::binary(op, left, right, &mut self.module.types)
    }
}

fn variable(name: &str, ty: TypeId, kind: VarKind) -> Variable {
    Variable {
        name: String::new(),
        source_name: name.to_owned(),
        ty: Qualified::plain(ty),
        kind,
        init: None,
        is_thread_local: false,
        is_weak: false,
        symbol: None,
        other_names: Vec::new(),
        is_model: false,
        is_kept: false,
        is_address_taken: false,
        align: None,
        span: NOWHERE,
    }
}

/// What is reported about `f` with these statements.
#[track_caller]
fn check(make: impl FnOnce(&mut World) -> Vec<StmtKind>, expect: Expect) {
    let mut world = World::new();
    let block = make(&mut world).into_iter().map(|kind| Stmt { kind, span: NOWHERE }).collect();
    world.body().block = block;
    report(&world.module, expect);
}

#[track_caller]
fn report(module: &Module, expect: Expect) {
    expect.assert_eq(&validate(module).err().unwrap_or_default().join("\n"));
}

#[test]
fn what_is_right_is_not_reported() {
    check(
        |w| {
            let copied = StmtKind::Assign(w.place(I), Expr::read(w.deref(P)));
            vec![copied, StmtKind::Return(Some(w.read(I)))]
        },
        expect![[r#""#]],
    );
}

#[test]
fn conversions_are_written_out() {
    check(
        |w| vec![StmtKind::Assign(w.place(L), w.read(I))],
        expect!["f: `l = i;`: the value has type `int`, not `long`"],
    );
    check(
        |w| {
            let sum = w.binary(BinaryOp::Add, w.read(L), w.read(I));
            vec![StmtKind::Assign(w.place(L), sum)]
        },
        expect!["f: `l = l + i;`: the right operand has type `int`, not `long`"],
    );
    check(
        |w| vec![StmtKind::Return(Some(w.read(L)))],
        expect!["f: `return l;`: the result has type `long`, not `int`"],
    );
    check(
        |w| {
            let not = Expr::unary(UnaryOp::Not, w.read(I), w.long);
            vec![StmtKind::Assign(w.place(L), not)]
        },
        expect!["f: `l = !i;`: `!` gives no int"],
    );
}

#[test]
fn constants_are_in_range() {
    check(
        |w| vec![StmtKind::Assign(w.place(I), Expr::integer(1 << 31, w.int))],
        expect!["f: `i = 2147483648;`: 2147483648 is not in the range of its type"],
    );
    check(
        |w| vec![StmtKind::Assign(w.place(P), Expr::integer(-1, w.pointer))],
        expect!["f: `p = (int *)-1UL;`: -1 is not in the range of its type"],
    );
}

#[test]
fn a_statement_goes_through_one_pointer() {
    check(
        |w| vec![StmtKind::Assign(w.deref(P), Expr::read(Place::deref(w.read(P), &w.module.types)))],
        expect!["f: `*p = *p;`: it goes through more than one pointer"],
    );
    check(
        |w| {
            let inner = Expr::read(w.deref(Q));
            vec![StmtKind::Assign(w.place(I), Expr::read(Place::deref(inner, &w.module.types)))]
        },
        expect![[r#"
            f: `i = **q;`: it goes through more than one pointer
            f: `i = **q;`: a pointer is read through another one"#]],
    );
}

#[test]
fn arrays_are_no_values() {
    check(
        |w| vec![StmtKind::Assign(w.place(A), w.read(A))],
        expect![[r#"
        f: `a = a;`: an array, a function or nothing is read
        f: `a = a;`: an array, a function or nothing is assigned to"#]],
    );
    check(
        |w| {
            let element = w.place(A).index(w.read(I), &w.module.types);
            vec![StmtKind::Assign(w.place(I), Expr::read(element))]
        },
        expect!["f: `i = a[i];`: an index is no integer of ptrdiff_t's width"],
    );
}

#[test]
fn addresses_are_known_to_be_taken() {
    check(
        |w| {
            let address = Expr::address(w.place(I), &mut w.module.types);
            vec![StmtKind::Assign(w.place(P), address)]
        },
        expect!["f: `p = &i;`: `i` is not marked as address-taken"],
    );
}

#[test]
fn jumps_have_targets() {
    check(
        |_| vec![StmtKind::Break, StmtKind::Goto(LabelId::from_usize(0))],
        expect![[r#"
        f: label l0 is not defined
        f: `break;`: there is no loop around it"#]],
    );
    check(
        |w| {
            let label = Label { name: "l".to_owned(), is_written: true, is_address_taken: false };
            let label = w.body().labels.push(label);
            vec![StmtKind::Label(label), StmtKind::Label(label)]
        },
        expect!["f: label l0 is defined 2 times"],
    );
}

#[test]
fn calls_match_the_callee() {
    let call = |arguments| {
        let callee = Callee::Function(FunctionId::from_usize(0));
        StmtKind::Call { result: None, callee, arguments }
    };
    check(|_| vec![call(Vec::new())], expect!["f: `f();`: the number of arguments is not that of the parameters"]);
    check(|w| vec![call(vec![w.read(L)])], expect!["f: `f(l);`: an argument has type `long`, not `int`"]);
    check(
        |w| {
            let callee = Callee::Pointer(w.read(P));
            vec![StmtKind::Call { result: None, callee, arguments: Vec::new() }]
        },
        expect!["f: `(*p)();`: no function is called"],
    );
}

#[test]
fn names_are_unique() {
    let mut world = World::new();
    world.module.vars[VarId::from_usize(L)].name = "f".to_owned();
    world.module.vars[VarId::from_usize(P)].name = "i".to_owned();
    world.module.vars[VarId::from_usize(A)].name.clear();
    report(
        &world.module,
        expect![[r#"
        x1: `f` hides a global
        x2: `i` is not the only one
        x4: it has no name"#]],
    );
}

#[test]
fn initial_values_fit() {
    let mut world = World::new();
    let array = world.module.vars[VarId::from_usize(A)].ty.ty;
    let mut global = variable("g", array, VarKind::Global(Linkage::Internal));
    let value = |kind, ty| InitialValue::Expr(Expr { kind, ty });
    let part = |path: &[InitialStep], value| InitialPart { path: path.to_vec(), value };
    global.init = Some(Initialiser {
        parts: vec![
            part(&[InitialStep::Index(2)], value(ExprKind::Integer(5), world.int)),
            part(&[InitialStep::Index(3)], value(ExprKind::Integer(5), world.int)),
            part(&[InitialStep::Field(0)], value(ExprKind::Integer(5), world.int)),
            part(&[InitialStep::Index(1)], value(ExprKind::Integer(5), world.long)),
            part(&[], InitialValue::Bytes([0; 13].into())),
        ],
    });
    world.module.vars.push(global);
    name_variables(&mut world.module);
    report(
        &world.module,
        expect![[r#"
        g: a step of its initialiser leads nowhere
        g: a step of its initialiser leads nowhere
        g: an initial value has type `long`, not `int`
        g: bytes do not fit the array"#]],
    );
}
