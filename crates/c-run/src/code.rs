//! Flat code: a function's tree of statements as an array of instructions with jumps between them.
//!
//! Variables become registers (scalars whose address nobody takes), objects of the activation, or objects of static
//! storage; types become sizes, offsets and [`Shape`]s. What is not computed exactly becomes an instruction that says
//! so when it is reached.

mod flatten;
mod translate;

pub(crate) use flatten::{allot, flatten};
pub(crate) use translate::{Translator, is_const};

use crate::memory::ObjectId;
use crate::value::{IntShape, Shape, Value};
use hardbop_base::{IndexVec, Span};
use hardbop_c_core::{BinaryOp, FunctionId, LabelId, Stmt, TypeId, VarId};

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarPlace {
    /// In the register of this number of the activation.
    Register(u32),
    /// In the object of this number of the activation.
    Frame(u32),
    /// In this object.
    Static(ObjectId),
}

/// A function's instructions.
#[derive(Debug)]
pub(crate) struct Code<'m> {
    pub(crate) function: FunctionId,
    pub(crate) ops: Vec<Op>,
    /// The statement of each instruction; jumps that close a structure have none.
    pub(crate) statements: Vec<Option<&'m Stmt>>,
    /// The instruction at each label.
    pub(crate) labels: IndexVec<LabelId, u32>,
    /// The address of the first label.
    pub(crate) label_address: u64,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) registers: u32,
    pub(crate) frame: Vec<FrameVar>,
    pub(crate) result: TypeId,
    /// The closing brace.
    pub(crate) end: Span,
}

/// A parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) place: VarPlace,
    pub(crate) ty: TypeId,
    /// `None` for records and what is passed like them.
    pub(crate) shape: Option<Shape>,
}

/// A variable that is an object of the activation.
#[derive(Debug)]
pub(crate) struct FrameVar {
    pub(crate) var: VarId,
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) is_const: bool,
}

/// An instruction.
#[derive(Debug)]
pub(crate) enum Op {
    SetRegister(u32, Node),
    Assign(Destination, Node),
    Copy { to: Location, from: Location, size: usize },
    ZeroRegister(u32, Value),
    Zero(Location, usize),
    Call(Box<CallCode>),
    NextArgument(Box<NextArgumentCode>),
    FreshRegister(u32),
    FreshObject(u32),
    Jump(u32),
    JumpUnless(Node, u32),
    JumpComputed(Node),
    Return(Returned),
    Unsupported(Box<str>),
}

/// What a function returns.
#[derive(Debug)]
pub(crate) enum Returned {
    Nothing,
    Scalar(Node),
    Record(Location, usize),
}

/// A call.
#[derive(Debug)]
pub(crate) struct CallCode {
    pub(crate) result: Option<Destination>,
    /// The result as the caller sees it: a callee of another, similar type may have a sign where we have none.
    pub(crate) seen_as: Option<IntShape>,
    pub(crate) callee: CalleeCode,
    pub(crate) arguments: Vec<ArgumentCode>,
}

/// What is called.
#[derive(Debug)]
pub(crate) enum CalleeCode {
    Function(FunctionId),
    /// The pointer, and the type of the function that it should point to.
    Pointer(Node, TypeId),
}

/// An argument.
#[derive(Debug)]
pub(crate) struct ArgumentCode {
    pub(crate) passing: Passing,
    pub(crate) ty: TypeId,
}

/// How an argument is passed.
#[derive(Debug)]
pub(crate) enum Passing {
    Scalar(Node),
    Record(Location, usize),
}

/// `va_arg`.
#[derive(Debug)]
pub(crate) struct NextArgumentCode {
    pub(crate) result: Option<Destination>,
    pub(crate) list: Node,
    pub(crate) ty: TypeId,
}

/// Where a value goes.
#[derive(Debug)]
pub(crate) enum Destination {
    Register(u32),
    Memory(Location, Shape),
    Bits(Location, BitField),
    Record(Location, usize),
    Unsupported(Box<str>),
}

/// A bit-field: the bits of its value, relative to the place's offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitField {
    /// The first bit in its first byte.
    pub(crate) shift: u32,
    pub(crate) width: u32,
    /// The bytes that it touches.
    pub(crate) bytes: usize,
    /// Its declared type.
    pub(crate) shape: IntShape,
}

/// A place in memory.
#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) base: LocationBase,
    pub(crate) offset: i64,
    pub(crate) indexes: Vec<IndexCode>,
}

/// An index: an integer times a stride.
#[derive(Debug)]
pub(crate) struct IndexCode {
    pub(crate) index: Node,
    pub(crate) stride: i64,
}

/// Where a location starts.
#[derive(Debug)]
pub(crate) enum LocationBase {
    Frame(u32),
    Static(ObjectId),
    /// At the pointer, which is aligned to so many bytes.
    Pointer(Node, u64),
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Node {
    Constant(Value),
    Register(u32, Shape),
    Load(Box<Location>, Shape),
    LoadBits(Box<Location>, BitField),
    /// A character that is only copied, so it may be uninitialised.
    RawRegister(u32),
    RawLoad(Box<Location>, Shape),
    Address(Box<Location>),
    Negate(IntShape, Box<Node>),
    Complement(IntShape, Box<Node>),
    Not(Box<Node>),
    NegateFloat(Box<Node>),
    /// Integers of up to 64 bits.
    Arithmetic(BinaryOp, IntShape, Box<[Node; 2]>),
    Compare(BinaryOp, IntShape, Box<[Node; 2]>),
    Shift(BinaryOp, IntShape, IntShape, Box<[Node; 2]>),
    /// Integers of 128 bits; the second shape is the right operand's.
    Wide(BinaryOp, IntShape, IntShape, Box<[Node; 2]>),
    Floating(BinaryOp, Box<[Node; 2]>),
    ComparePointers(BinaryOp, Box<[Node; 2]>),
    /// A pointer and an integer, times the stride.
    MovePointer(i64, Box<[Node; 2]>),
    PointerDifference(i64, Box<[Node; 2]>),
    /// Between integers of up to 64 bits.
    Resize(IntShape, Box<Node>),
    Truth(Box<Node>),
    Convert(Shape, Shape, Box<Node>),
    PointerToInteger(IntShape, Box<Node>),
    IntegerToPointer(Box<Node>),
    Unsupported(Box<str>),
}
