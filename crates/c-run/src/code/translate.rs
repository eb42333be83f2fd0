//! Expressions and places with their types worked out.

use super::{
    ArgumentCode, BitField, Destination, IndexCode, Location, LocationBase, Node, Parameter, Passing, VarPlace,
};
use crate::library;
use crate::memory::{FUNCTIONS, Memory};
use crate::value::{IntShape, Pointer, Shape, Value, float_constant};
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::{
    Base, BinaryOp, Expr, ExprKind, FunctionId, IntKind, Length, Module, Place, Projection, Qualified, Type, TypeId,
    Types, UnaryOp, VarId,
};

/// Expressions nested deeper than this are not computed, so that they cannot exhaust the stack.
const MAX_NESTING: usize = 1000;

/// Translates the expressions of one function.
pub(crate) struct Translator<'a> {
    pub(crate) module: &'a Module,
    pub(crate) places: &'a IndexVec<VarId, VarPlace>,
    pub(crate) memory: &'a Memory,
    /// The address of the function's first label.
    pub(crate) label_address: u64,
    pub(crate) depth: usize,
}

fn unsupported(what: impl Into<Box<str>>) -> Node {
    Node::Unsupported(what.into())
}

impl Translator<'_> {
    fn types(&self) -> &Types {
        &self.module.types
    }

    fn shape(&self, ty: TypeId) -> Option<Shape> {
        Shape::of(self.types(), ty)
    }

    /// The shape of an integer type of up to 64 bits.
    pub(crate) fn integer_shape(&self, ty: TypeId) -> Option<IntShape> {
        match self.shape(ty) {
            Some(Shape::Int(shape)) if shape.bits <= 64 => Some(shape),
            _ => None,
        }
    }

    /// The value of a scalar expression.
    pub(crate) fn node(&mut self, expr: &Expr) -> Node {
        if self.depth >= MAX_NESTING {
            return unsupported("an expression that is nested very deeply");
        }
        self.depth += 1;
        let node = self.node_inside(expr);
        self.depth -= 1;
        node
    }

    fn node_inside(&mut self, expr: &Expr) -> Node {
        let Some(shape) = self.shape(expr.ty) else {
            return match (&expr.kind, self.types().get(expr.ty)) {
                // A conversion to `void` still evaluates its operand.
                (ExprKind::Cast(operand), Type::Void) => self.node(operand),
                (_, ty) => unsupported(format!("a value of type {}", describe(ty))),
            };
        };
        match &expr.kind {
            ExprKind::Integer(number) => Node::Constant(match shape {
                Shape::Int(shape) => shape.value(*number),
                _ => Value::Pointer(self.memory.resolve(*number as u64)),
            }),
            ExprKind::Float(text) => match float_constant(text, shape) {
                Some(value) => Node::Constant(value),
                None => unsupported("a floating constant with more digits than its type holds"),
            },
            ExprKind::Read(place) => self.read(place, shape),
            ExprKind::Address(place) => self.address(place),
            ExprKind::Function(id) if self.is_missing(*id) => Node::Constant(Value::Pointer(self.memory.resolve(0))),
            ExprKind::Function(id) => {
                let address = FUNCTIONS + 16 * id.index() as u64;
                Node::Constant(Value::Pointer(Pointer { address, object: None }))
            }
            ExprKind::Label(id) => {
                let address = self.label_address + id.index() as u64;
                Node::Constant(Value::Pointer(Pointer { address, object: None }))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, shape),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, shape),
            ExprKind::Cast(operand) => self.cast(operand, shape),
        }
    }

    /// Whether a function is weak and defined nowhere.
    fn is_missing(&self, function: FunctionId) -> bool {
        let row = &self.module.functions[function];
        row.may_be_missing() && library::find(&row.source_name).is_none()
    }

    fn read(&mut self, place: &Place, shape: Shape) -> Node {
        if let Some(register) = self.register(place) {
            return Node::Register(register, shape);
        }
        match self.location(place) {
            Err(what) => Node::Unsupported(what),
            Ok((location, None)) => Node::Load(Box::new(location), shape),
            Ok((location, Some(bits))) => Node::LoadBits(Box::new(location), bits),
        }
    }

    /// The value of an expression that is assigned: characters may be copied without being initialised.
    pub(crate) fn assigned(&mut self, expr: &Expr) -> Node {
        let is_character =
            matches!(self.types().get(expr.ty), Type::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar));
        match self.node(expr) {
            Node::Register(register, _) if is_character => Node::RawRegister(register),
            Node::Load(location, shape) if is_character => Node::RawLoad(location, shape),
            node => node,
        }
    }

    fn register(&self, place: &Place) -> Option<u32> {
        match place.base {
            Base::Var(var) => match self.places[var] {
                VarPlace::Register(register) => {
                    assert!(place.path.is_empty(), "a register has no parts");
                    Some(register)
                }
                VarPlace::Frame(_) | VarPlace::Static(_) => None,
            },
            Base::Deref(_) => None,
        }
    }

    fn address(&mut self, place: &Place) -> Node {
        match self.location(place) {
            Err(what) => Node::Unsupported(what),
            Ok((Location { base: LocationBase::Static(object), offset, indexes }, None)) if indexes.is_empty() => {
                let pointer = self.memory.pointer(object);
                match self.memory.moved(pointer, offset) {
                    Ok(pointer) => Node::Constant(Value::Pointer(pointer)),
                    // The error belongs to the run, not to the translation.
                    Err(_) => {
                        let base = LocationBase::Static(object);
                        Node::Address(Box::new(Location { base, offset, indexes }))
                    }
                }
            }
            Ok((location, None)) => Node::Address(Box::new(location)),
            Ok((_, Some(_))) => unreachable!("a bit-field has no address"),
        }
    }

    /// Where a place that is no register lies.
    pub(crate) fn location(&mut self, place: &Place) -> Result<(Location, Option<BitField>), Box<str>> {
        let (base, mut ty) = match &place.base {
            Base::Var(var) => {
                let base = match self.places[*var] {
                    _ if self.module.vars[*var].may_be_missing() => {
                        LocationBase::Pointer(Node::Constant(Value::Pointer(self.memory.resolve(0))), 1)
                    }
                    VarPlace::Register(_) => unreachable!("a register has no address"),
                    VarPlace::Frame(number) => LocationBase::Frame(number),
                    VarPlace::Static(object) => LocationBase::Static(object),
                };
                (base, self.module.vars[*var].ty.ty)
            }
            Base::Deref(pointer) => {
                let pointee = self.types().pointee(pointer.ty).ok_or("a dereference of no pointer")?;
                let align = self.types().align_of(pointee.ty);
                (LocationBase::Pointer(self.node(pointer), align), pointee.ty)
            }
        };
        let mut location = Location { base, offset: 0, indexes: Vec::new() };
        let mut bits = None;
        for step in &place.path {
            match step {
                Projection::Field(field) => {
                    let field = self.types().field(ty, *field);
                    let (at, next) = (field.offset, field.ty.ty);
                    let start = match field.bits {
                        Some(position) => {
                            let shape = self.shape(next);
                            bits = Some(bit_field(position.first, position.width, shape)?);
                            position.first / 8
                        }
                        None => at,
                    };
                    location.offset = location.offset.checked_add_unsigned(start).ok_or("a huge record")?;
                    ty = next;
                }
                Projection::Index(index) => {
                    let element = self.types().element(ty).ok_or("an index into no array")?;
                    let size = self.types().size_of(element.ty).ok_or("an element of unknown size")?;
                    self.index(&mut location, index, size)?;
                    ty = element.ty;
                }
            }
        }
        Ok((location, bits))
    }

    fn index(&mut self, location: &mut Location, index: &Expr, size: u64) -> Result<(), Box<str>> {
        let stride = i64::try_from(size).map_err(|_| "a huge element")?;
        let is_narrow = self.types().pointer_size() == 4;
        match self.node(index) {
            Node::Constant(Value::Int(bits)) => {
                let number = if is_narrow { i64::from(bits as i32) } else { bits as i64 };
                let bytes = number.checked_mul(stride).and_then(|bytes| location.offset.checked_add(bytes));
                location.offset = bytes.ok_or("an index beyond all memory")?;
            }
            node => {
                let index = signed_index(node, is_narrow);
                location.indexes.push(IndexCode { index, stride });
            }
        }
        Ok(())
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, shape: Shape) -> Node {
        let inner = Box::new(self.node(operand));
        match (op, shape) {
            (UnaryOp::Not, _) => Node::Not(inner),
            (UnaryOp::Neg, Shape::Int(shape)) => Node::Negate(shape, inner),
            (UnaryOp::Neg, Shape::Float | Shape::Double) => Node::NegateFloat(inner),
            (UnaryOp::BitNot, Shape::Int(shape)) => Node::Complement(shape, inner),
            _ => unsupported("an operator on complex numbers"),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, result: Shape) -> Node {
        let (Some(left_shape), Some(right_shape)) = (self.shape(left.ty), self.shape(right.ty)) else {
            return unsupported(format!("a value of type {}", describe(self.types().get(left.ty))));
        };
        let stride = self.types().pointee(left.ty).and_then(|pointee| self.types().size_of(pointee.ty));
        let operands = Box::new([self.node(left), self.node(right)]);
        match op {
            BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDifference => {
                let Some(stride) = stride.and_then(|stride| i64::try_from(stride).ok()) else {
                    return unsupported("arithmetic with pointers to an incomplete type");
                };
                let [pointer, other] = *operands;
                match op {
                    BinaryOp::PointerDifference => Node::PointerDifference(stride, Box::new([pointer, other])),
                    _ => {
                        let stride = if op == BinaryOp::PointerAdd { stride } else { -stride };
                        let index = signed_index(other, self.types().pointer_size() == 4);
                        Node::MovePointer(stride, Box::new([pointer, index]))
                    }
                }
            }
            BinaryOp::Shl | BinaryOp::Shr => match (left_shape, right_shape) {
                (Shape::Int(left), Shape::Int(right)) if left.bits == 128 || right.bits == 128 => {
                    Node::Wide(op, left, right, operands)
                }
                (Shape::Int(left), Shape::Int(right)) => Node::Shift(op, left, right, operands),
                _ => unreachable!("integers are shifted"),
            },
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => match left_shape
            {
                Shape::Int(shape) if shape.bits == 128 => Node::Wide(op, shape, shape, operands),
                Shape::Int(shape) => Node::Compare(op, shape, operands),
                Shape::Pointer(_) => Node::ComparePointers(op, operands),
                Shape::Float | Shape::Double => Node::Floating(op, operands),
            },
            _ => match result {
                Shape::Int(shape) if shape.bits == 128 => Node::Wide(op, shape, shape, operands),
                Shape::Int(shape) => Node::Arithmetic(op, shape, operands),
                Shape::Float | Shape::Double => Node::Floating(op, operands),
                Shape::Pointer(_) => unreachable!("arithmetic works on numbers"),
            },
        }
    }

    fn cast(&mut self, operand: &Expr, to: Shape) -> Node {
        let Some(from) = self.shape(operand.ty) else {
            return unsupported(format!("a value of type {}", describe(self.types().get(operand.ty))));
        };
        let inner = self.node(operand);
        let node = match (from, to) {
            (_, Shape::Int(to)) if to.is_bool => match self.types().int_kind(operand.ty) {
                Some(IntKind::Bool) => inner,
                _ => Node::Truth(Box::new(inner)),
            },
            (Shape::Pointer(_), Shape::Pointer(_)) => inner,
            (Shape::Pointer(_), Shape::Int(to)) => Node::PointerToInteger(to, Box::new(inner)),
            (Shape::Int(from), Shape::Pointer(_)) if from.bits == 128 => {
                unsupported("a conversion of a 128-bit integer to a pointer")
            }
            (Shape::Int(_), Shape::Pointer(_)) => Node::IntegerToPointer(Box::new(inner)),
            (Shape::Int(from), Shape::Int(to)) if from.bits <= 64 && to.bits <= 64 => {
                let is_kept = from == to || (to.bits > from.bits && (to.is_signed || !from.is_signed));
                if is_kept { inner } else { Node::Resize(to, Box::new(inner)) }
            }
            _ if from == to => inner,
            _ => Node::Convert(from, to, Box::new(inner)),
        };
        folded(node)
    }

    /// Where a result goes.
    pub(crate) fn destination(&mut self, place: &Place) -> Destination {
        if let Some(register) = self.register(place) {
            return Destination::Register(register);
        }
        match self.location(place) {
            Err(what) => Destination::Unsupported(what),
            Ok((location, Some(bits))) => Destination::Bits(location, bits),
            Ok((location, None)) => match (self.shape(place.ty), self.object_size(place.ty)) {
                (Some(shape), _) => Destination::Memory(location, shape),
                (None, Some(size)) => Destination::Record(location, size),
                (None, None) => Destination::Unsupported("an object of unknown size".into()),
            },
        }
    }

    /// An argument, ready to be passed.
    pub(crate) fn argument(&mut self, expr: &Expr) -> ArgumentCode {
        let is_scalar = self.shape(expr.ty).is_some();
        let passing = match if is_scalar { None } else { self.whole(expr) } {
            Some((location, size)) => Passing::Record(location, size),
            None => Passing::Scalar(self.node(expr)),
        };
        ArgumentCode { passing, ty: expr.ty }
    }

    /// The bytes of an expression that is no scalar and only reads a place.
    pub(crate) fn whole(&mut self, expr: &Expr) -> Option<(Location, usize)> {
        let ExprKind::Read(place) = &expr.kind else { return None };
        let size = self.object_size(expr.ty)?;
        self.location(place).ok().map(|(location, _)| (location, size))
    }

    /// How many bytes an object of a type takes.
    pub(crate) fn object_size(&self, ty: TypeId) -> Option<usize> {
        usize::try_from(self.types().size_of(ty)?).ok()
    }

    /// A parameter of this type at this place.
    pub(crate) fn parameter(&self, var: VarId) -> Parameter {
        let ty = self.module.vars[var].ty.ty;
        Parameter { place: self.places[var], ty, shape: self.shape(ty) }
    }
}

// Constants are converted once.
fn folded(node: Node) -> Node {
    match &node {
        Node::Resize(to, inner) => match **inner {
            Node::Constant(Value::Int(bits)) => Node::Constant(Value::Int(to.wrap(bits))),
            _ => node,
        },
        Node::IntegerToPointer(inner) => match **inner {
            Node::Constant(Value::Int(0)) => Node::Constant(Value::Pointer(Pointer::NULL)),
            _ => node,
        },
        _ => node,
    }
}

// Index types have the width of `ptrdiff_t`; their bits are read as signed, so `p[-1ul]` is `p[-1]` as on the machine.
fn signed_index(node: Node, is_narrow: bool) -> Node {
    if !is_narrow {
        return node;
    }
    folded(Node::Resize(IntShape { bits: 32, is_signed: true, is_bool: false }, Box::new(node)))
}

fn bit_field(first: u64, width: u32, shape: Option<Shape>) -> Result<BitField, Box<str>> {
    let Some(Shape::Int(shape)) = shape else { return Err("a bit-field that is no integer".into()) };
    let shift = (first % 8) as u32;
    let bytes = (shift + width).div_ceil(8) as usize;
    if bytes > 16 {
        return Err("a very wide bit-field".into());
    }
    Ok(BitField { shift, width, bytes, shape })
}

fn describe(ty: &Type) -> String {
    match ty {
        Type::Float(kind) => format!("{kind:?}"),
        Type::Complex(kind) => format!("complex {kind:?}"),
        Type::Vector(..) => "vector".into(),
        Type::Record(_) => "record".into(),
        Type::Array(..) => "array".into(),
        Type::VaList => "va_list".into(),
        Type::Void => "void".into(),
        Type::Function(_) => "function".into(),
        Type::Int(_) | Type::Pointer(_) | Type::Enum(_) => "scalar".into(),
    }
}

/// Whether an object of this type must not be written to.
pub(crate) fn is_const(types: &Types, mut ty: Qualified) -> bool {
    while let Type::Array(element, Length::Fixed(_) | Length::Unknown) = types.get(ty.ty) {
        if ty.qualifiers.is_const {
            return true;
        }
        ty = *element;
    }
    ty.qualifiers.is_const
}
