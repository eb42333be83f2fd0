//! Modules made by hand, printed, compiled by gcc and run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use expect_test::{Expect, expect};
use hardbop_base::{IndexVec, Span};
use hardbop_c_core::check::check as validate;
use hardbop_c_core::layout::{MemberDeclaration, RecordAttributes, lay_out};
use hardbop_c_core::names::name_variables;
use hardbop_c_core::print::{self, Style};
use hardbop_c_core::{
    Asm, BinaryOp, Block, Body, Callee, Expr, ExprKind, FloatKind, Function, FunctionId, InitialPart, InitialStep,
    InitialValue, Initialiser, IntKind, Label, LabelId, Length, Linkage, Module, Parameters, Place, Qualified,
    Qualifiers, Record, RecordKind, Stmt, StmtKind, Target, Type, TypeId, Types, UnaryOp, VarId, VarKind, Variable,
};
use std::process::Command;

const NOWHERE: Span = Span::new(0, 0);

/// A module under construction, with what its parts need all the time.
struct Builder {
    module: Module,
    int: TypeId,
    long: TypeId,
    char: TypeId,
}

impl Builder {
    fn new() -> Self {
        let mut types = Types::new(Target::Lp64);
        let (int, long) = (types.int(IntKind::Int), types.int(IntKind::Long));
        let char = types.int(IntKind::Char);
        let module = Module { types, vars: IndexVec::new(), functions: IndexVec::new(), asm: Vec::new() };
        Self { module, int, long, char }
    }

    fn types(&mut self) -> &mut Types {
        &mut self.module.types
    }

    fn var(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        let var = self.module.vars.push(Variable {
            name: String::new(),
            source_name: name.to_owned(),
            ty: Qualified::plain(ty),
            kind,
            init: None,
            is_thread_local: false,
            is_weak: false,
            symbol: None,
            other_names: Vec::new(),
            is_kept: false,
            is_model: false,
            is_address_taken: true,
            align: None,
            span: NOWHERE,
        });
        if let VarKind::Parameter(function) | VarKind::Local(function) | VarKind::Temporary(function) = kind {
            let body = self.module.functions[function].body.as_mut().unwrap();
            let is_parameter = kind == VarKind::Parameter(function);
            if is_parameter { &mut body.parameters } else { &mut body.locals }.push(var);
        }
        var
    }

    fn global(&mut self, name: &str, ty: TypeId, kind: VarKind, parts: Vec<InitialPart>) -> VarId {
        let var = self.var(name, ty, kind);
        self.module.vars[var].init = Some(Initialiser { parts });
        var
    }

    fn literal(&mut self, text: &[u8]) -> VarId {
        let char = Qualified::plain(self.char);
        let ty = self.types().array_of(char, Length::Fixed(text.len() as u64 + 1));
        self.global("", ty, VarKind::Literal, vec![part(&[], InitialValue::Bytes(text.into()))])
    }

    fn function(&mut self, name: &str, result: TypeId, parameters: Parameters) -> FunctionId {
        let ty = self.types().function(result, parameters);
        self.module.functions.push(Function {
            name: String::new(),
            source_name: name.to_owned(),
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
            is_address_taken: true,
            body: None,
            span: NOWHERE,
        })
    }

    fn with_body(&mut self, function: FunctionId) -> FunctionId {
        let (parameters, locals, labels) = (Vec::new(), Vec::new(), IndexVec::new());
        self.module.functions[function].body =
            Some(Body { parameters, locals, labels, block: Vec::new(), end: NOWHERE });
        function
    }

    fn body(&mut self, function: FunctionId) -> &mut Body {
        self.module.functions[function].body.as_mut().unwrap()
    }

    fn label(&mut self, function: FunctionId, name: &str) -> LabelId {
        let label = Label { name: name.to_owned(), is_written: true, is_address_taken: true };
        self.body(function).labels.push(label)
    }

    fn place(&self, var: VarId) -> Place {
        self.module.place(var)
    }

    fn read(&self, var: VarId) -> Expr {
        Expr::read(self.place(var))
    }

    fn number(&self, value: i128) -> Expr {
        Expr::integer(value, self.int)
    }

    fn at(&self, index: i128) -> Expr {
        Expr::integer(index, self.long)
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::binary(op, left, right, &mut self.module.types)
    }

    /// `struct node { int value; struct node *next; unsigned flags : 3; union { long l; double d; }; char name[8]; }`
    fn node(&mut self) -> TypeId {
        let (long, double) = (self.long, self.types().float(FloatKind::Double));
        let members = vec![
            MemberDeclaration::new("l", Qualified::plain(long)),
            MemberDeclaration::new("d", Qualified::plain(double)),
        ];
        let union = self.record(None, RecordKind::Union, members);
        let node = self.module.types.records.push(Record {
            kind: RecordKind::Struct,
            tag: Some("node".to_owned()),
            name: String::new(),
            body: None,
            span: NOWHERE,
        });
        let ty = self.types().intern(Type::Record(node));
        let (next, unsigned) = (self.types().pointer_to(ty), self.types().int(IntKind::UnsignedInt));
        let char = Qualified { ty: self.char, qualifiers: Qualifiers { is_const: true, ..Qualifiers::NONE } };
        let name = self.types().array_of(char, Length::Fixed(8));
        let mut members = vec![
            MemberDeclaration::new("value", Qualified::plain(self.int)),
            MemberDeclaration::new("next", Qualified::plain(next)),
            MemberDeclaration::new("flags", Qualified::plain(unsigned)),
            MemberDeclaration::new("", Qualified::plain(union)),
            MemberDeclaration::new("name", Qualified::plain(name)),
        ];
        members[2].width = Some(3);
        members[3].name = None;
        let body = lay_out(self.types(), RecordKind::Struct, members, RecordAttributes::default());
        self.module.types.records[node].body = Some(body);
        ty
    }

    fn record(&mut self, tag: Option<&str>, kind: RecordKind, members: Vec<MemberDeclaration>) -> TypeId {
        let body = Some(lay_out(self.types(), kind, members, RecordAttributes::default()));
        let tag = tag.map(str::to_owned);
        let record = self.module.types.records.push(Record { kind, tag, name: String::new(), body, span: NOWHERE });
        self.types().intern(Type::Record(record))
    }

    fn main(&mut self) -> FunctionId {
        let main = self.function("main", self.int, Parameters::Fixed(Vec::new()));
        self.with_body(main)
    }
}

fn part(path: &[InitialStep], value: InitialValue) -> InitialPart {
    InitialPart { path: path.to_vec(), value }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: NOWHERE }
}

fn assign(place: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(place, value))
}

fn give(value: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(value)))
}

/// Prints the module and has gcc run it: `main` returns `status`.
#[track_caller]
fn check(mut module: Module, status: i32, expect: Expect) {
    name_variables(&mut module);
    validate(&module).unwrap_or_else(|errors| panic!("{}", errors.join("\n")));
    let text = print::module(&module);
    expect.assert_eq(&text);
    run(&text, status);
}

#[track_caller]
fn run(text: &str, status: i32) {
    let name = std::thread::current().name().unwrap().to_owned();
    let stem = std::env::temp_dir().join(format!("hardbop-print-{}-{name}", std::process::id()));
    let (source, program) = (stem.with_extension("c"), stem.with_extension("exe"));
    std::fs::write(&source, text).unwrap();
    let output = Command::new("gcc").args(["-std=gnu11", "-w", "-O1", "-o"]).args([&program, &source]).output();
    std::fs::remove_file(&source).unwrap();
    let Ok(output) = output else {
        eprintln!("there is no gcc: nothing is run");
        return;
    };
    assert!(output.status.success(), "{}{text}", String::from_utf8_lossy(&output.stderr));
    let result = Command::new(&program).status().unwrap();
    std::fs::remove_file(&program).unwrap();
    assert_eq!(result.code(), Some(status), "{text}");
}

/// Two nodes whose values are summed up.
fn list_walk() -> Module {
    let mut b = Builder::new();
    let node = b.node();
    let pointer = b.types().pointer_to(node);
    let internal = VarKind::Global(Linkage::Internal);
    let tail_parts = vec![
        part(&[InitialStep::Field(0)], InitialValue::Expr(b.number(30))),
        part(&[InitialStep::Field(4)], InitialValue::Bytes((*b"tail").into())),
        part(&[InitialStep::Field(3), InitialStep::Field(0)], InitialValue::Expr(b.at(i64::MIN.into()))),
    ];
    let tail = b.global("tail", node, internal, tail_parts);
    let tail_address = Expr::address(b.place(tail), b.types());
    let head_parts = vec![
        part(&[InitialStep::Field(0)], InitialValue::Expr(b.number(12))),
        part(&[InitialStep::Field(1)], InitialValue::Expr(tail_address)),
    ];
    let head = b.global("head", node, internal, head_parts);
    let main = b.main();
    let sum = b.var("sum", b.int, VarKind::Local(main));
    let cursor = b.var("cursor", pointer, VarKind::Local(main));
    let (value, next) = (
        b.var("cursor->value", b.int, VarKind::Temporary(main)),
        b.var("cursor->next", pointer, VarKind::Temporary(main)),
    );
    let at = Place::deref(b.read(cursor), &b.module.types);
    let step = b.binary(BinaryOp::Add, b.read(sum), b.read(value));
    let null = Expr::integer(0, pointer);
    let condition = b.binary(BinaryOp::Ne, b.read(cursor), null);
    let head_address = Expr::address(b.place(head), b.types());
    let body = vec![
        assign(b.place(value), Expr::read(at.clone().field(0, &b.module.types))),
        assign(b.place(sum), step),
        assign(b.place(next), Expr::read(at.field(1, &b.module.types))),
        assign(b.place(cursor), b.read(next)),
    ];
    b.body(main).block = vec![
        stmt(StmtKind::Fresh(sum)),
        assign(b.place(sum), b.number(0)),
        assign(b.place(cursor), head_address),
        stmt(StmtKind::While(condition, body)),
        give(b.read(sum)),
    ];
    b.module
}

#[test]
fn a_list_is_walked() {
    check(
        list_walk(),
        42,
        expect![[r#"
            union anonymous;
            struct node;
            union anonymous {
              long l;
              double d;
            };
            struct node {
              int value;
              struct node *next;
              unsigned int flags : 3;
              union anonymous anonymous_1;
              char name[8];
            };
            int main(void);
            static struct node tail;
            static struct node head;
            static struct node tail = {
              .value = 30,
              .name = "tail",
              .anonymous_1.l = -9223372036854775807L - 1,
            };
            static struct node head = {
              .value = 12,
              .next = &tail,
            };

            int main(void)
            {
              int sum;
              struct node *cursor;
              int cursor_value;
              struct node *cursor_next;

              sum = 0;
              cursor = &head;
              while (cursor != (struct node *)0) {
                cursor_value = cursor->value;
                sum = sum + cursor_value;
                cursor_next = cursor->next;
                cursor = cursor_next;
              }
              return sum;
            }
        "#]],
    );
}

/// Computations in `char`, with a bit-field and with the least `int`.
fn narrow_arithmetic() -> Module {
    let mut b = Builder::new();
    let node = b.node();
    let (char, long, unsigned) = (b.char, b.long, b.types().int(IntKind::UnsignedInt));
    let main = b.main();
    let c = b.var("c", char, VarKind::Local(main));
    let x = b.var("x", node, VarKind::Local(main));
    let flags = b.place(x).field(2, &b.module.types);
    let wide = b.var("long", long, VarKind::Local(main));
    let least = b.number(i32::MIN.into());
    let sum = b.binary(BinaryOp::Add, b.read(c), Expr::integer(100, char));
    let below = b.binary(BinaryOp::Sub, Expr::read(flags.clone()), Expr::integer(2, unsigned));
    let product = b.binary(BinaryOp::Mul, least.clone().cast(long), b.at(-2));
    let minus = Expr::unary(UnaryOp::Neg, Expr::unary(UnaryOp::Neg, b.read(wide), long), long);
    let shifted = b.binary(BinaryOp::Sub, minus, product);
    let grouped = b.binary(BinaryOp::Sub, b.read(wide), shifted);
    let is_negative = b.binary(BinaryOp::Lt, b.read(c), Expr::integer(0, char));
    let is_large = b.binary(BinaryOp::Gt, b.read(wide), Expr::integer(4_000_000_000, long));
    let both = b.binary(BinaryOp::BitAnd, is_negative, is_large);
    b.body(main).block = vec![
        stmt(StmtKind::Zero(b.place(x))),
        assign(flags, Expr::integer(1, unsigned)),
        assign(b.place(c), Expr::integer(100, char)),
        assign(b.place(c), sum),
        assign(b.place(wide), below.cast(long)),
        stmt(StmtKind::If(
            both,
            vec![give(b.number(7))],
            vec![stmt(StmtKind::If(grouped, vec![give(b.number(1))], vec![give(least)]))],
        )),
    ];
    b.module
}

#[test]
fn arithmetic_is_done_in_the_type_it_has() {
    check(
        narrow_arithmetic(),
        7,
        expect![[r#"
            union anonymous;
            struct node;
            union anonymous {
              long l;
              double d;
            };
            struct node {
              int value;
              struct node *next;
              unsigned int flags : 3;
              union anonymous anonymous_1;
              char name[8];
            };
            int main(void);

            int main(void)
            {
              char c;
              struct node x;
              long long_;

              __builtin_memset(&x, 0, sizeof(x));
              x.flags = 1U;
              c = 100;
              c = (char)(c + 100);
              long_ = (long)((unsigned int)x.flags - 2U);
              if (c < 0 & long_ > 4000000000L) {
                return 7;
              } else if (long_ - (-(-long_) - (long)(-2147483647 - 1) * -2L)) {
                return 1;
              } else {
                return -2147483647 - 1;
              }
            }
        "#]],
    );
}

/// `int sum(int count, ...)`
fn sum_of_arguments(b: &mut Builder) -> FunctionId {
    let void = b.types().void();
    let list_type = b.types().intern(Type::VaList);
    let list_pointer = b.types().pointer_to(list_type);
    let start = b.function("__builtin_va_start", void, Parameters::Variadic(vec![list_pointer]));
    let end = b.function("__builtin_va_end", void, Parameters::Fixed(vec![list_pointer]));
    let sum = b.function("sum", b.int, Parameters::Variadic(vec![b.int]));
    b.with_body(sum);
    let count = b.var("count", b.int, VarKind::Parameter(sum));
    let list = b.var("list", list_type, VarKind::Local(sum));
    let total = b.var("total", b.int, VarKind::Local(sum));
    let next = b.var("", b.int, VarKind::Temporary(sum));
    let address = Expr::address(b.place(list), b.types());
    let call = |function| {
        let (callee, arguments) = (Callee::Function(function), vec![address.clone()]);
        stmt(StmtKind::Call { result: None, callee, arguments })
    };
    let (added, less) =
        (b.binary(BinaryOp::Add, b.read(total), b.read(next)), b.binary(BinaryOp::Sub, b.read(count), b.number(1)));
    let body = vec![
        stmt(StmtKind::NextArgument { result: Some(b.place(next)), list: address.clone(), ty: b.int }),
        assign(b.place(total), added),
        assign(b.place(count), less),
    ];
    b.body(sum).block = vec![
        assign(b.place(total), b.number(0)),
        call(start),
        stmt(StmtKind::While(b.read(count), body)),
        call(end),
        give(b.read(total)),
    ];
    sum
}

#[test]
fn calls_pass_what_they_are_given() {
    let mut b = Builder::new();
    let sum = sum_of_arguments(&mut b);
    let character = Qualified { ty: b.char, qualifiers: Qualifiers { is_const: true, ..Qualifiers::NONE } };
    let text = b.types().pointer_to_qualified(character);
    let unsigned_long = b.types().int(IntKind::UnsignedLong);
    let length = b.function("strlen", unsigned_long, Parameters::Fixed(vec![text]));
    let sum_type = b.module.functions[sum].ty;
    let pointer = b.types().pointer_to(sum_type);
    let literal = b.literal(b"a\"\\\n\x01?2");
    let main = b.main();
    let callee = b.var("callee", pointer, VarKind::Local(main));
    let size = b.var("strlen(…)", unsigned_long, VarKind::Temporary(main));
    let total = b.var("int", b.int, VarKind::Local(main));
    let argument = Expr::decay(b.place(literal), b.types()).cast(text);
    let call = |result, callee, arguments| stmt(StmtKind::Call { result: Some(result), callee, arguments });
    let arguments = vec![b.number(3), b.number(-1), b.read(size).cast(b.int), b.number(10)];
    b.body(main).block = vec![
        call(b.place(size), Callee::Function(length), vec![argument]),
        assign(b.place(callee), Expr::function(sum, pointer)),
        call(b.place(total), Callee::Pointer(b.read(callee)), arguments),
        give(b.read(total)),
    ];
    check(
        b.module,
        16,
        expect![[r#"
            int sum(int, ...);
            unsigned long strlen(const char *);
            int main(void);

            int sum(int count, ...)
            {
              __builtin_va_list list;
              int total;
              int value;

              total = 0;
              __builtin_va_start(list, count);
              while (count) {
                value = __builtin_va_arg(list, int);
                total = total + value;
                count = count - 1;
              }
              __builtin_va_end(list);
              return total;
            }

            int main(void)
            {
              int (*callee)(int, ...);
              unsigned long strlen_1;
              int int_;

              strlen_1 = strlen((const char *)"a\"\\\n\001\?2");
              callee = sum;
              int_ = (*callee)(3, -1, (int)strlen_1, 10);
              return int_;
            }
        "#]],
    );
}

/// Objects with all kinds of initialisers.
fn objects() -> Module {
    let mut b = Builder::new();
    let (int, char, internal) = (b.int, b.char, VarKind::Global(Linkage::Internal));
    let (index, number) = (InitialStep::Index, |value| InitialValue::Expr(Expr::integer(value, int)));
    let vector = b.types().intern(Type::Vector(int, 4));
    b.global("vector", vector, internal, vec![part(&[index(1)], number(5)), part(&[index(3)], number(6))]);
    let flexible = b.types().array_of(Qualified::plain(int), Length::Unknown);
    let members = vec![
        MemberDeclaration::new("length", Qualified::plain(int)),
        MemberDeclaration::new("items", Qualified::plain(flexible)),
    ];
    let buffer = b.record(Some("buffer"), RecordKind::Struct, members);
    let items = vec![
        part(&[InitialStep::Field(0)], number(2)),
        part(&[InitialStep::Field(1), index(0)], number(10)),
        part(&[InitialStep::Field(1), index(1)], number(20)),
    ];
    let items = b.global("buffer", buffer, internal, items);
    let wide = b.types().array_of(Qualified::plain(int), Length::Fixed(3));
    let bytes = [1u32, u32::MAX, 0].iter().flat_map(|unit| unit.to_le_bytes()).collect();
    b.global("wide", wide, internal, vec![part(&[], InitialValue::Bytes(bytes))]);
    let words = b.types().array_of(Qualified::plain(char), Length::Fixed(4));
    let words = b.types().array_of(Qualified::plain(words), Length::Fixed(2));
    let parts = vec![
        part(&[InitialStep::Range(0, 1)], InitialValue::Bytes((*b"abcd").into())),
        part(&[index(1), index(2)], InitialValue::Expr(Expr::integer(-1, char))),
    ];
    b.global("words", words, VarKind::Global(Linkage::External), parts);
    let thread = b.global("own", int, internal, Vec::new());
    b.module.vars[thread].is_thread_local = true;
    b.module.vars[thread].align = Some(64);
    b.var("stdout", int, VarKind::Global(Linkage::External));
    let weak = b.var("absent", int, VarKind::Global(Linkage::External));
    b.module.vars[weak].is_weak = true;
    let main = b.main();
    let second = b.place(items).field(1, &b.module.types).index(b.at(1), &b.module.types);
    b.body(main).block = vec![give(Expr::read(second))];
    b.module
}

#[test]
fn objects_start_with_what_they_are_given() {
    check(
        objects(),
        20,
        expect![[r#"
            typedef int __vector_t5 __attribute__((vector_size(16)));
            struct buffer;
            struct buffer {
              int length;
              int items[];
            };
            int main(void);
            static __vector_t5 vector;
            static struct buffer buffer;
            static int wide[3];
            extern char words[2][4];
            static __thread int own __attribute__((aligned(64)));
            extern int stdout;
            extern int absent __attribute__((weak));
            static __vector_t5 vector = { 0, 5, 0, 6 };
            static struct buffer buffer = {
              .length = 2,
              .items[0] = 10,
              .items[1] = 20,
            };
            static int wide[3] = { [0] = 1, [1] = -1, [2] = 0 };
            char words[2][4] = {
              [0 ... 1] = "abcd",
              [1][2] = -1,
            };
            static __thread int own __attribute__((aligned(64))) = 0;

            int main(void)
            {
              return buffer.items[1];
            }
        "#]],
    );
}

/// `short twice(x) short x; { return x * 2; }`, called without a prototype, and some assembly.
#[test]
fn old_definitions_and_assembly_are_kept() {
    let mut b = Builder::new();
    let (int, short) = (b.int, b.types().int(IntKind::Short));
    let twice = b.function("twice", short, Parameters::Unspecified);
    b.with_body(twice);
    b.module.functions[twice].linkage = Linkage::Internal;
    let x = b.var("x", short, VarKind::Parameter(twice));
    let doubled = b.binary(BinaryOp::Mul, b.read(x).cast(int), b.number(2));
    b.body(twice).block = vec![give(doubled.cast(short))];
    let main = b.main();
    let result = b.var("twice(…)", short, VarKind::Temporary(main));
    let asm = Asm {
        text: b"nop # %0 %1".to_vec(),
        is_volatile: true,
        outputs: vec![(Some("out".to_owned()), "+m".to_owned(), b.place(result))],
        inputs: vec![(None, "r".to_owned(), b.number(3))],
        clobbers: vec!["memory".to_owned()],
        labels: Vec::new(),
    };
    let call = StmtKind::Call {
        result: Some(b.place(result)),
        callee: Callee::Function(twice),
        arguments: vec![b.number(65_557)],
    };
    let given = give(b.read(result).cast(int));
    b.body(main).block = vec![stmt(call), stmt(StmtKind::Asm(Box::new(asm))), given];
    check(
        b.module,
        42,
        expect![[r#"
        static short twice();
        int main(void);

        static short twice(x)
          short x;
        {
          return (short)((int)x * 2);
        }

        int main(void)
        {
          short twice_1;

          twice_1 = twice(65557);
          __asm__ volatile ("nop # %0 %1" : [out] "+m" (twice_1) : "r" (3) : "memory");
          return (int)twice_1;
        }
    "#]],
    );
}

#[test]
fn jumps_find_their_labels() {
    let mut b = Builder::new();
    let void = b.types().void();
    let pointer = b.types().pointer_to(void);
    let main = b.main();
    let (first, second) = (b.label(main, "first"), b.label(main, "second"));
    let table = b.types().array_of(Qualified::plain(pointer), Length::Fixed(4));
    let parts = vec![
        part(&[InitialStep::Range(0, 2)], InitialValue::Expr(Expr::label(first, pointer))),
        part(&[InitialStep::Index(1)], InitialValue::Expr(Expr::label(second, pointer))),
    ];
    let table = b.global("table", table, VarKind::StaticLocal(main), parts);
    let target = b.var("table[1]", pointer, VarKind::Temporary(main));
    let entry = b.place(table).index(b.at(1), &b.module.types);
    b.body(main).block = vec![
        assign(b.place(target), Expr::read(entry)),
        stmt(StmtKind::GotoComputed(b.read(target))),
        stmt(StmtKind::Label(first)),
        stmt(StmtKind::Unmodelled("nobody /* comes */ here".to_owned())),
        stmt(StmtKind::Label(second)),
        stmt(StmtKind::While(b.number(1), vec![stmt(StmtKind::Block(vec![stmt(StmtKind::Break)]))])),
        give(b.number(5)),
    ];
    check(
        b.module,
        5,
        expect![[r#"
            int main(void);

            int main(void)
            {
              static void *table[4] = {
                [0 ... 2] = &&first,
                [1] = &&second,
              };
              void *table_1;

              table_1 = table[1];
              goto *table_1;
              first:;
              __builtin_trap(); /* nobody /* comes * / here */
              second:;
              while (1) {
                {
                  break;
                }
              }
              return 5;
            }
        "#]],
    );
}

/// The first statement of a function, for a reader.
#[track_caller]
fn check_line(module: &Module, function: FunctionId, block: &Block, expect: Expect) {
    let lines: Vec<String> =
        block.iter().map(|stmt| print::stmt_line(module, function, stmt, Style::READABLE)).collect();
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn lines_for_readers_look_like_the_source() {
    let mut b = Builder::new();
    let node = b.node();
    let pointer = b.types().pointer_to(node);
    let main = b.main();
    let p = b.var("p", pointer, VarKind::Local(main));
    let c = b.var("c", b.char, VarKind::Local(main));
    let next = b.var("p->next", pointer, VarKind::Temporary(main));
    let total = b.var("a + b", b.int, VarKind::Temporary(main));
    let types = &b.module.types;
    let inner = Place::deref(b.read(next), types).field(3, types).field(0, types);
    let name = Place::deref(b.read(p), types).field(4, types);
    let letter = name.clone().index(b.at(2), types);
    let text = b.var("text", TypeId::clone(&b.int), VarKind::Local(main));
    let product = b.binary(BinaryOp::Mul, b.read(total), b.read(c).cast(b.int));
    let narrow = Expr { kind: ExprKind::Cast(Box::new(product.clone())), ty: b.char };
    let nulls = b.binary(BinaryOp::Eq, b.read(next), Expr::integer(0, pointer));
    let moved = b.binary(BinaryOp::PointerAdd, b.read(p), b.at(3));
    let third = Place::deref(moved, &b.module.types).field(0, &b.module.types);
    let first = Expr::decay(name, b.types());
    let is_set = Expr::not(first, b.types());
    let block = vec![
        assign(inner, product.cast(b.long)),
        assign(letter, narrow),
        stmt(StmtKind::If(nulls, Vec::new(), Vec::new())),
        assign(third, is_set),
        stmt(StmtKind::Fresh(text)),
    ];
    check_line(
        &b.module,
        main,
        &block,
        expect![[r#"
        p->next->l = (a + b) * c;
        p->name[2] = (char)((a + b) * c);
        if (p->next == 0)
        p[3].value = !p->name;
        int text;"#]],
    );
}

#[track_caller]
fn check_type(make: impl FnOnce(&mut Builder) -> TypeId, expected: &str) {
    let mut b = Builder::new();
    let ty = make(&mut b);
    assert_eq!(print::declaration(&b.module, Qualified::plain(ty), "x"), expected);
}

#[test]
fn declarators_are_written_inside_out() {
    check_type(
        |b| {
            let array = b.module.types.array_of(Qualified::plain(b.int), Length::Fixed(3));
            b.types().pointer_to(array)
        },
        "int (*x)[3]",
    );
    check_type(
        |b| {
            let handler = b.module.types.function(b.long, Parameters::Fixed(vec![b.int]));
            let pointer = b.types().pointer_to(handler);
            let result = b.types().function(pointer, Parameters::Unspecified);
            let pointer = b.types().pointer_to(result);
            b.types().array_of(Qualified::plain(pointer), Length::Unknown)
        },
        "long (*(*x[])())(int)",
    );
    check_type(
        |b| {
            let qualifiers = Qualifiers { is_const: true, is_volatile: true, ..Qualifiers::NONE };
            let inner = b.module.types.pointer_to_qualified(Qualified { ty: b.int, qualifiers });
            b.types().pointer_to_qualified(Qualified { ty: inner, qualifiers })
        },
        "const volatile int *const volatile *x",
    );
}
