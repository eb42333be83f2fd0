//! Random programs.
//!
//! The weights keep most runs alive for a while: most dereferences have a guard, and null is not the commonest value.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;

use super::model::{
    Allocation, Arm, ArmEnd, Callee, Choice, Condition, Content, Copying, Function, Guard, Initial, Kind, Number,
    Program, Signature, Spelling, Statement, Storage, Value, Variable,
};

/// How large programs get; each number is the most there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Global variables.
    pub globals: usize,
    /// Functions, with `main`, which is always there.
    pub functions: usize,
    /// Local variables of a function.
    pub locals: usize,
    /// Statements of a function's body, those inside of others not counted; of a branch, half as many.
    pub statements: usize,
    /// How deep statements are inside of each other.
    pub nesting: usize,
}

impl Size {
    /// A few lines.
    pub const TINY: Size = Size { globals: 4, functions: 2, locals: 3, statements: 4, nesting: 1 };
    /// For most tests.
    pub const SMALL: Size = Size { globals: 8, functions: 4, locals: 5, statements: 8, nesting: 2 };
    /// Some hundred lines.
    pub const LARGE: Size = Size { globals: 14, functions: 8, locals: 8, statements: 14, nesting: 3 };
}

/// Whether programs read what nothing was stored to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialisation {
    /// Every variable is initialised: the only undefined behaviour is the dereference of a null pointer.
    Always,
    /// Some local pointers are not.
    Sometimes,
}

/// C programs of at most the given size.
pub fn programs(size: Size, initialisation: Initialisation) -> impl Strategy<Value = Program> {
    // Always something to point to and a pointer, or much of a program would have nothing to be about.
    let two = [Kind::Number, Kind::Pointer(Spelling::Int)].map(|kind| declared(Just(kind), Initialisation::Always));
    let globals = (two, vec(variable(Initialisation::Always), 1..=size.globals));
    let functions = vec(function(size, initialisation, 0), 0..size.functions);
    // `main` calls more than others do, or much would be unreachable for want of a call.
    (globals, function(size, initialisation, 3), functions).prop_map(|((two, globals), main, functions)| Program {
        globals: two.into_iter().chain(globals).collect(),
        functions: std::iter::once(main).chain(functions).collect(),
    })
}

/// A function with up to `calls` more calls at its end.
fn function(size: Size, initialisation: Initialisation, calls: usize) -> impl Strategy<Value = Function> {
    let locals = vec(variable(initialisation), 0..=size.locals);
    let body = (block(size.statements, size.nesting), vec(call(), 0..=calls));
    let body = body.prop_map(|(body, calls)| [body, calls].concat());
    (signature(), locals, body, vec(statement(1, 0), 0..=1), value())
        .prop_map(|(signature, locals, body, cleanup, result)| Function { signature, locals, body, cleanup, result })
}

fn signature() -> impl Strategy<Value = Signature> + Clone {
    select(&Signature::ALL[..])
}

fn variable(initialisation: Initialisation) -> impl Strategy<Value = Variable> {
    let kind = prop_oneof![
        5 => Just(Kind::Number),
        6 => spelling().prop_map(Kind::Pointer),
        3 => Just(Kind::Chain),
        3 => Just(Kind::Record),
        3 => Just(Kind::Link),
        2 => Just(Kind::Pointers),
        1 => Just(Kind::Links),
        2 => Just(Kind::Union),
        2 => signature().prop_map(Kind::Callback),
        1 => signature().prop_map(Kind::Callbacks),
    ];
    declared(kind, initialisation)
}

fn declared(kind: impl Strategy<Value = Kind>, initialisation: Initialisation) -> impl Strategy<Value = Variable> {
    let storage = prop_oneof![6 => Just(Storage::Automatic), 1 => Just(Storage::Static)];
    let content = prop_oneof![Just(Content::Long), Just(Content::Own)];
    let value = choice().prop_map(Initial::Value);
    let initial = match initialisation {
        Initialisation::Always => value.boxed(),
        Initialisation::Sometimes => prop_oneof![2 => value, 1 => Just(Initial::Nothing)].boxed(),
    };
    (kind, storage, content, initial).prop_map(|(kind, storage, content, initial)| Variable {
        kind,
        storage,
        content,
        initial,
    })
}

fn spelling() -> impl Strategy<Value = Spelling> + Clone {
    prop_oneof![6 => Just(Spelling::Int), 1 => Just(Spelling::Void), 2 => Just(Spelling::Long)]
}

fn block(most: usize, nesting: usize) -> BoxedStrategy<Vec<Statement>> {
    vec(statement(most, nesting), 1..=most.max(1)).boxed()
}

fn statement(most: usize, nesting: usize) -> BoxedStrategy<Statement> {
    let simple = prop_oneof![60 => assignment(), 24 => access(), 22 => call(), 14 => memory(), 6 => leaving()];
    if nesting == 0 {
        return simple.boxed();
    }
    let inner = block(most.div_ceil(2), nesting - 1);
    let peek = (choice(), choice()).prop_map(|(pointer, value)| Condition::Peek(pointer, value));
    let test = prop_oneof![5 => condition(), 1 => peek];
    let branch = (test, inner.clone(), prop_oneof![Just(Vec::new()), inner.clone()]);
    let branch = (wrapping(), branch).prop_map(|(wrapping, (condition, yes, no))| match wrapping {
        Wrapping::Kept => Statement::If(condition, yes, no),
        Wrapping::Dropped => Statement::Plain(yes),
    });
    let repeat = (wrapping(), choice(), inner.clone()).prop_map(|(wrapping, count, body)| match wrapping {
        Wrapping::Kept => Statement::For(count, body),
        Wrapping::Dropped => Statement::Plain(body),
    });
    let again = (wrapping(), condition(), inner.clone()).prop_map(|(wrapping, condition, body)| match wrapping {
        Wrapping::Kept => Statement::While(condition, body),
        Wrapping::Dropped => Statement::Plain(body),
    });
    let end = prop_oneof![3 => Just(ArmEnd::Break), 1 => Just(ArmEnd::FallThrough)];
    let arm = (inner, end).prop_map(|(body, end)| Arm { body, end });
    let switch = (wrapping(), choice(), vec(arm, 1..=3)).prop_map(|(wrapping, on, arms)| match wrapping {
        Wrapping::Kept => Statement::Switch(on, arms),
        Wrapping::Dropped => Statement::Plain(arms.into_iter().flat_map(|arm| arm.body).collect()),
    });
    prop_oneof![60 => simple, 14 => branch, 5 => repeat, 3 => again, 3 => switch].boxed()
}

/// Whether statements inside of another have it around them; a failing test tries without.
#[derive(Clone, Copy, Debug)]
enum Wrapping {
    Kept,
    Dropped,
}

fn wrapping() -> impl Strategy<Value = Wrapping> {
    // A range shrinks towards its start and draws nothing anew.
    (0..20u8).prop_map(|number| if number == 0 { Wrapping::Dropped } else { Wrapping::Kept })
}

fn assignment() -> impl Strategy<Value = Statement> {
    let number = prop_oneof![
        3 => choice().prop_map(Number::Constant),
        1 => choice().prop_map(Number::Copy),
        2 => Just(Number::Nondet),
        2 => choice().prop_map(Number::IsSet),
        2 => Just(Number::Next),
    ];
    let correlate = (choice(), choice(), value());
    prop_oneof![
        10 => (choice(), value()).prop_map(|(to, value)| Statement::Pointer(to, value)),
        5 => (choice(), value()).prop_map(|(to, value)| Statement::Link(to, value)),
        4 => (choice(), value()).prop_map(|(to, value)| Statement::Chain(to, value)),
        5 => (choice(), number).prop_map(|(to, value)| Statement::Number(to, value)),
        2 => (choice(), choice()).prop_map(|(to, function)| Statement::Callback(to, function)),
        5 => correlate.prop_map(|(pointer, flag, value)| Statement::Correlate { pointer, flag, value }),
    ]
}

fn access() -> impl Strategy<Value = Statement> {
    let guard = prop_oneof![
        3 => Just(Guard::Nothing),
        8 => Just(Guard::Pointer),
        4 => choice().prop_map(Guard::Flag),
    ];
    let copying = prop_oneof![3 => Just(Copying::Assignment), 2 => Just(Copying::Bytes), 1 => Just(Copying::Zeros)];
    prop_oneof![
        6 => (choice(), choice(), guard.clone()).prop_map(|(to, from, guard)| Statement::Load(to, from, guard)),
        6 => (choice(), choice(), guard).prop_map(|(to, value, guard)| Statement::Store(to, value, guard)),
        2 => (choice(), choice(), copying).prop_map(|(to, from, how)| Statement::CopyRecord(to, from, how)),
        1 => (choice(), choice()).prop_map(|(to, from)| Statement::CopyPointer(to, from)),
    ]
}

fn call() -> impl Strategy<Value = Statement> {
    let callee = prop_oneof![
        6 => choice().prop_map(Callee::Later),
        2 => choice().prop_map(Callee::Any),
        3 => choice().prop_map(Callee::Callback),
    ];
    let values = [value(), value()].prop_map(Box::new);
    let call = (callee, values, choice(), choice()).prop_map(|(callee, values, number, target)| Statement::Call {
        callee,
        values,
        number,
        target,
    });
    let ask = [choice(), choice(), choice()];
    let ask = ask.prop_map(|[callee, pointer, number]| Statement::Ask { callee, pointer, number });
    prop_oneof![5 => call, 2 => ask, 2 => value().prop_map(Statement::Deliver)]
}

fn memory() -> impl Strategy<Value = Statement> {
    let allocation = select(vec![Allocation::Checked, Allocation::Zeroed, Allocation::MayFail]);
    let allocated = (choice(), allocation.clone());
    prop_oneof![
        3 => allocated.clone().prop_map(|(to, how)| Statement::Allocate(to, how)),
        3 => allocated.prop_map(|(to, how)| Statement::AllocateRecord(to, how)),
        2 => (choice(), choice()).prop_map(|(pointer, uses)| Statement::Owner { pointer, uses }),
        1 => (choice(), choice()).prop_map(|(count, uses)| Statement::OwnerList { count, uses }),
        2 => (choice(), choice()).prop_map(|(to, count)| Statement::Build(to, count)),
        2 => (choice(), choice()).prop_map(|(from, uses)| Statement::Walk(from, uses)),
    ]
}

fn leaving() -> impl Strategy<Value = Statement> {
    let insist = choice().prop_map(Statement::Insist);
    let leave =
        prop_oneof![value().prop_map(Statement::Return), Just(Statement::Cleanup), Just(Statement::Break)].boxed();
    let maybe = (condition(), leave.clone());
    let maybe = maybe.prop_map(|(condition, leave)| Statement::If(condition, vec![leave], Vec::new()));
    prop_oneof![1 => leave, 8 => maybe, 4 => insist]
}

fn value() -> BoxedStrategy<Value> {
    let plain = prop_oneof![
        2 => Just(Value::Null),
        6 => choice().prop_map(Value::Address),
        7 => choice().prop_map(Value::Copy),
    ]
    .boxed();
    let through = (select(vec![Spelling::Int, Spelling::Void, Spelling::Long]), plain.clone());
    let either = (condition(), [plain.clone(), plain.clone()]);
    prop_oneof![
        14 => plain,
        2 => through.prop_map(|(spelling, value)| Value::Through(spelling, Box::new(value))),
        1 => either.prop_map(|(condition, two)| Value::Either(Box::new(condition), Box::new(two))),
    ]
    .boxed()
}

fn condition() -> BoxedStrategy<Condition> {
    let plain = prop_oneof![
        3 => Just(Condition::Nondet),
        4 => choice().prop_map(Condition::Flag),
        2 => (choice(), choice()).prop_map(|(number, bound)| Condition::Less(number, bound)),
        6 => (choice(), choice()).prop_map(|(pointer, form)| Condition::Null(pointer, form)),
        1 => (choice(), choice()).prop_map(|(one, other)| Condition::Same(one, other)),
    ]
    .boxed();
    let two = [plain.clone(), plain.clone()];
    prop_oneof![
        8 => plain,
        1 => two.clone().prop_map(|two| Condition::Both(Box::new(two))),
        1 => two.prop_map(|two| Condition::OneOf(Box::new(two))),
    ]
    .boxed()
}

/// Small numbers more often, so that statements meet the same variables.
fn choice() -> impl Strategy<Value = Choice> + Clone {
    prop_oneof![0..4usize, 0..60usize]
}
