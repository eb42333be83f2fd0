//! What is drawn: a tree in which variables and callees are any numbers, to be taken modulo what there is.
//!
//! **Invariant:** any tree has a text, and a tree without one of its parts is a tree; so proptest can drop functions,
//! variables and statements one by one.

use std::fmt;

/// A number to be taken modulo what there is to choose from.
pub(crate) type Choice = usize;

/// A random C program.
#[derive(Clone)]
pub struct Program {
    pub(crate) globals: Vec<Variable>,
    /// `main` is the first.
    pub(crate) functions: Vec<Function>,
}

impl Program {
    /// The text, with at most one expression that dereferences pointers per line.
    pub fn render(&self) -> String {
        super::render::render(self)
    }
}

/// The text is what one wants to see of a program that fails a test.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

/// A function; of the first, which is `main`, the signature does not matter.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) signature: Signature,
    pub(crate) locals: Vec<Variable>,
    pub(crate) body: Vec<Statement>,
    /// What stands between the label for clean-up and the end.
    pub(crate) cleanup: Vec<Statement>,
    pub(crate) result: Value,
}

/// What functions take and return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signature {
    /// `int *f(int *a, int *b)`.
    Picks,
    /// `int f(int **out, int n)`.
    Gets,
    /// `void f(struct record *r, int *q)`.
    Acts,
}

impl Signature {
    pub(crate) const ALL: [Signature; 3] = [Signature::Picks, Signature::Gets, Signature::Acts];

    /// The name of the type of pointers to such functions.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::Picks => "picker",
            Self::Gets => "getter",
            Self::Acts => "actor",
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) kind: Kind,
    pub(crate) storage: Storage,
    pub(crate) content: Content,
    pub(crate) initial: Initial,
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Number,
    Pointer(Spelling),
    /// `int **`.
    Chain,
    Record,
    /// `struct record *`.
    Link,
    /// `int *[3]`.
    Pointers,
    /// `struct record *[3]`.
    Links,
    Union,
    Callback(Signature),
    Callbacks(Signature),
}

/// The type in which a pointer to an `int` is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    Int,
    Void,
    Long,
}

/// Where a local lives; globals are static anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Automatic,
    Static,
}

/// What the pointers in an automatic local may point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// What lives as long as the program.
    Long,
    /// Locals of the same function, too.
    Own,
}

/// What a variable is initialised with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Initial {
    /// Zero, or the address of something, by the number.
    Value(Choice),
    /// Nothing, if it is an automatic pointer.
    Nothing,
}

/// An expression whose value is a pointer: to an `int`, to such a pointer, or to a record.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Address(Choice),
    Copy(Choice),
    /// Cast to another type and back.
    Through(Spelling, Box<Value>),
    Either(Box<Condition>, Box<[Value; 2]>),
}

/// An expression whose value is a number.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Constant(Choice),
    Copy(Choice),
    Nondet,
    /// Whether a pointer is not null.
    IsSet(Choice),
    /// One more than before, while small.
    Next,
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Nondet,
    Flag(Choice),
    Less(Choice, Choice),
    /// A pointer is null, or is not, in several spellings.
    Null(Choice, Choice),
    Same(Choice, Choice),
    /// A number behind a pointer has a value; mostly, the pointer is looked at first.
    Peek(Choice, Choice),
    Both(Box<[Condition; 2]>),
    OneOf(Box<[Condition; 2]>),
}

/// Whether a statement asks before it dereferences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guard {
    Nothing,
    /// `if (p)`.
    Pointer,
    /// `if (flag)`.
    Flag(Choice),
}

/// How a record is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Copying {
    Assignment,
    Bytes,
    Zeros,
}

/// How memory is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Allocation {
    /// With `malloc`, and initialised if it is there.
    Checked,
    /// With `calloc`.
    Zeroed,
    /// By a function of the program that fails at will.
    MayFail,
}

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    /// A later function, for which no fuel is needed.
    Later(Choice),
    /// Any function but `main`, while there is fuel.
    Any(Choice),
    /// Through a pointer, while there is fuel.
    Callback(Choice),
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Pointer(Choice, Value),
    Link(Choice, Value),
    Chain(Choice, Value),
    Number(Choice, Number),
    Callback(Choice, Choice),
    /// Reads an `int` through a pointer.
    Load(Choice, Choice, Guard),
    /// Writes an `int` through a pointer.
    Store(Choice, Choice, Guard),
    CopyRecord(Choice, Choice, Copying),
    /// Copies a pointer with `memcpy`.
    CopyPointer(Choice, Choice),
    /// Sets a pointer and a flag together, one way or the other.
    Correlate {
        pointer: Choice,
        flag: Choice,
        value: Value,
    },
    Call {
        callee: Callee,
        values: Box<[Value; 2]>,
        number: Choice,
        target: Choice,
    },
    /// Sets what the caller gave the address of, and says so.
    Deliver(Value),
    /// Calls a function that may do that, and uses what is set if the function says so.
    Ask {
        callee: Choice,
        pointer: Choice,
        number: Choice,
    },
    Allocate(Choice, Allocation),
    AllocateRecord(Choice, Allocation),
    /// Allocates, uses and frees.
    Owner {
        pointer: Choice,
        uses: Choice,
    },
    /// Builds, walks along and frees a list.
    OwnerList {
        count: Choice,
        uses: Choice,
    },
    /// Puts up to three new records before a list.
    Build(Choice, Choice),
    /// Goes along a list.
    Walk(Choice, Choice),
    /// Statements without anything around them: what others shrink to.
    Plain(Vec<Statement>),
    If(Condition, Vec<Statement>, Vec<Statement>),
    For(Choice, Vec<Statement>),
    While(Condition, Vec<Statement>),
    Switch(Choice, Vec<Arm>),
    Return(Value),
    /// Ends the program if a pointer is null.
    Insist(Choice),
    Cleanup,
    /// Leaves a loop, if there is one.
    Break,
}

/// An arm of a `switch`.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) body: Vec<Statement>,
    pub(crate) end: ArmEnd,
}

/// How an arm ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArmEnd {
    Break,
    FallThrough,
}
