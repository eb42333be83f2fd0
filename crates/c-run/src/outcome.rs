//! How a run ends.

use crate::memory::Origin;
use hardbop_base::Span;
use hardbop_c_core::FunctionId;
use std::fmt;

/// How a run ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The entry function returned, or `exit` was called, with this status.
    Exited(i32),
    /// `abort` was called, or a trap reached.
    Aborted,
    /// An assertion of the program failed.
    AssertionFailed,
    /// `__VERIFIER_error` or `reach_error` was called.
    ErrorReached,
    /// `__VERIFIER_assume` was called with zero: this is no run.
    AssumptionFailed,
    /// The program did what C gives no meaning to.
    Undefined {
        /// What it did.
        what: Undefined,
        /// Where.
        place: Site,
    },
    /// The program uses what this interpreter does not compute exactly.
    Unsupported {
        /// What it uses.
        what: String,
        /// Where.
        place: Site,
    },
    /// A function without a body was called and the environment has no answer.
    CalledUndefined(String),
    /// More instructions than allowed.
    StepLimit,
    /// More bytes in memory than allowed.
    MemoryLimit,
    /// More activations than allowed.
    StackLimit,
}

/// A place in the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The function, if any had been entered.
    pub function: Option<FunctionId>,
    /// The part of the source.
    pub span: Span,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// What C gives no meaning to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// An access through a null pointer, or near it.
    NullDereference,
    /// An access outside of its object.
    OutOfBounds {
        /// The object.
        origin: Origin,
        /// The first byte, from the object's start.
        offset: i64,
        /// How many bytes are accessed.
        size: u64,
        /// How many bytes the object has.
        object_size: u64,
    },
    /// An access to a block that was freed.
    UseAfterFree(Origin),
    /// An access to a local of a function that has returned.
    UseAfterReturn(Origin),
    /// A value that nothing was stored to is used.
    UninitialisedRead,
    /// An access through a number that is no object's address.
    InvalidPointer,
    /// An access to an address that its type does not allow.
    Misaligned,
    /// A division by zero.
    DivisionByZero,
    /// The quotient of the least integer and minus one.
    DivisionOverflow,
    /// A shift by a negative number or by the width and more.
    ShiftOutOfRange,
    /// A result that its signed type cannot hold.
    SignedOverflow,
    /// A pointer is moved outside of its object.
    PointerOutOfBounds {
        /// The object.
        origin: Origin,
        /// Where it would point to, from the object's start.
        offset: i64,
        /// How many bytes the object has.
        object_size: u64,
    },
    /// An order or a difference of pointers to different objects.
    UnrelatedPointers,
    /// A difference of pointers that is no multiple of the element's size.
    PartialElements,
    /// A call through what is no function's address.
    BadFunctionPointer,
    /// A call of a function with arguments or a result that are not its own.
    WrongFunctionType,
    /// A jump to what is no label of the function.
    BadLabel,
    /// A string literal is written to.
    ModifiedLiteral,
    /// A `const` object is written to.
    ModifiedConst(Origin),
    /// `free` of what was not allocated.
    InvalidFree,
    /// `free` of a block that was freed.
    DoubleFree,
    /// A copy between objects that overlap.
    OverlappingCopy,
    /// The value of a function that returned none is used.
    MissingReturnValue,
    /// `__builtin_unreachable` was reached.
    Unreachable,
    /// A function that is declared not to return did.
    NoReturnReturned,
    /// A floating value is converted to an integer type that cannot hold it.
    FloatToInteger,
    /// `va_arg` without another argument, of another type, or on a list that is not started.
    BadArgumentList,
    /// A format that does not fit its arguments.
    BadFormat(String),
    /// A size that is negative or far beyond memory.
    BadSize,
    /// An argument that a library function does not allow.
    BadArgument(&'static str),
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::NullDereference => "dereference of a null pointer",
            Self::OutOfBounds { offset, size, object_size, .. } => {
                return write!(f, "access to {size} bytes at offset {offset} of an object of {object_size} bytes");
            }
            Self::UseAfterFree(_) => "use of memory after it was freed",
            Self::UseAfterReturn(_) => "use of a local after its function returned",
            Self::UninitialisedRead => "use of an uninitialised value",
            Self::InvalidPointer => "dereference of a number that is no object's address",
            Self::Misaligned => "misaligned access",
            Self::DivisionByZero => "division by zero",
            Self::DivisionOverflow => "division overflow",
            Self::ShiftOutOfRange => "shift out of range",
            Self::SignedOverflow => "signed overflow",
            Self::PointerOutOfBounds { offset, object_size, .. } => {
                return write!(f, "pointer moved to offset {offset} of an object of {object_size} bytes");
            }
            Self::UnrelatedPointers => "comparison or difference of pointers to different objects",
            Self::PartialElements => "difference of pointers that is no whole number of elements",
            Self::BadFunctionPointer => "call through a pointer to no function",
            Self::WrongFunctionType => "call of a function of another type",
            Self::BadLabel => "jump to no label of the function",
            Self::ModifiedLiteral => "write to a string literal",
            Self::ModifiedConst(_) => "write to a const object",
            Self::InvalidFree => "free of what was not allocated",
            Self::DoubleFree => "double free",
            Self::OverlappingCopy => "copy between overlapping objects",
            Self::MissingReturnValue => "use of a result that was not returned",
            Self::Unreachable => "__builtin_unreachable reached",
            Self::NoReturnReturned => "return from a function that does not return",
            Self::FloatToInteger => "floating value out of the integer type's range",
            Self::BadArgumentList => "no such variable argument",
            Self::BadFormat(why) => return write!(f, "bad format: {why}"),
            Self::BadSize => "bad size",
            Self::BadArgument(what) => return write!(f, "bad argument of {what}"),
        };
        f.write_str(text)
    }
}

/// Why the machine stops, before it is known where.
#[derive(Debug)]
pub(crate) enum Stop {
    Undefined(Undefined),
    Unsupported(String),
    Ended(Outcome),
}

/// A result, or the end of the run. Boxed, since the way without an error is the one that has to be fast.
pub(crate) type Fallible<T> = Result<T, Box<Stop>>;

impl From<Undefined> for Box<Stop> {
    #[cold]
    fn from(what: Undefined) -> Self {
        Box::new(Stop::Undefined(what))
    }
}

impl From<Outcome> for Box<Stop> {
    #[cold]
    fn from(outcome: Outcome) -> Self {
        Box::new(Stop::Ended(outcome))
    }
}

/// The end of a run that needs what is not computed exactly.
#[cold]
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Stop::Unsupported(what.into())))
}

impl Stop {
    /// The outcome of stopping at `place`.
    pub(crate) fn at(self, place: Site) -> Outcome {
        match self {
            Self::Undefined(what) => Outcome::Undefined { what, place },
            Self::Unsupported(what) => Outcome::Unsupported { what, place },
            Self::Ended(outcome) => outcome,
        }
    }
}
