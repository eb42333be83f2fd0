//! Expressions: what they are worth, and what is undefined about them.

mod floating;
mod integer;

use crate::code::{BitField, Destination, Location, LocationBase, Node};
use crate::environment::Asked;
use crate::machine::{Access, Checking, Machine, SignedOverflow, Uninitialised};
use crate::memory::Part;
use crate::outcome::{AccessKind, Fallible, Undefined, unsupported};
use crate::value::{Pointer, Shape, Value, convert};
use hardbop_c_core::BinaryOp;

impl Machine<'_, '_> {
    /// The value of `node` in the current activation.
    #[inline]
    pub(crate) fn eval(&mut self, node: &Node) -> Fallible<Value> {
        match node {
            Node::Constant(value) => Ok(*value),
            Node::Register(register, shape) => match self.registers[self.register_base + *register as usize] {
                Value::Undefined => self.undefined_register(*register, *shape),
                value => Ok(value),
            },
            _ => self.compute(node),
        }
    }

    fn compute(&mut self, node: &Node) -> Fallible<Value> {
        match node {
            Node::Constant(_) | Node::Register(..) => self.eval(node),
            Node::Arithmetic(op, shape, operands) => {
                let left = self.eval(&operands[0])?.bits()?;
                let right = self.eval(&operands[1])?.bits()?;
                let checks = self.options.signed_overflow == SignedOverflow::Undefined;
                integer::arithmetic(*op, *shape, left, right, checks).map(Value::Int)
            }
            Node::Compare(op, shape, operands) => {
                let left = self.eval(&operands[0])?.bits()?;
                let right = self.eval(&operands[1])?.bits()?;
                let ordering = if shape.is_signed { (left as i64).cmp(&(right as i64)) } else { left.cmp(&right) };
                Ok(Value::Int(u64::from(integer::holds(*op, ordering))))
            }
            Node::Load(location, shape) => self.load(location, *shape),
            Node::Resize(shape, operand) => Ok(Value::Int(shape.wrap(self.eval(operand)?.bits()?))),
            Node::Address(location) => self.address_of(location).map(Value::Pointer),
            Node::MovePointer(stride, operands) => self.move_pointer(*stride, operands),
            Node::Not(operand) => Ok(Value::Int(u64::from(!self.eval(operand)?.is_true()?))),
            Node::Truth(operand) => Ok(Value::Int(u64::from(self.eval(operand)?.is_true()?))),
            Node::ComparePointers(op, operands) => self.compare_pointers(*op, operands),
            Node::LoadBits(location, bits) => self.load_bits(location, *bits),
            Node::RawRegister(register) => Ok(self.registers[self.register_base + *register as usize]),
            Node::RawLoad(location, shape) => self.raw_load(location, *shape),
            _ => self.compute_rare(node),
        }
    }

    fn compute_rare(&mut self, node: &Node) -> Fallible<Value> {
        let checks = self.options.signed_overflow == SignedOverflow::Undefined;
        match node {
            Node::Negate(shape, operand) => integer::negate(*shape, self.eval(operand)?, checks),
            Node::Complement(shape, operand) => {
                let number = shape.number(self.eval(operand)?);
                Ok(shape.value(!number))
            }
            Node::NegateFloat(operand) => Ok(match self.eval(operand)? {
                Value::Float(number) => Value::Float(-number),
                Value::Double(number) => Value::Double(-number),
                _ => unreachable!("a floating type has floating values"),
            }),
            Node::Shift(op, left_shape, right_shape, operands) => {
                let left = self.eval(&operands[0])?.bits()?;
                let right = right_shape.number(self.eval(&operands[1])?);
                integer::shift(*op, *left_shape, left, right, checks).map(Value::Int)
            }
            Node::Wide(op, left_shape, right_shape, operands) => {
                let left = left_shape.number(self.eval(&operands[0])?);
                let right = right_shape.number(self.eval(&operands[1])?);
                integer::wide(*op, *left_shape, left, right, checks)
            }
            Node::Floating(op, operands) => {
                let left = self.eval(&operands[0])?;
                let right = self.eval(&operands[1])?;
                floating::operate(*op, left, right)
            }
            Node::PointerDifference(size, operands) => self.pointer_difference(*size, operands),
            Node::Convert(from, to, operand) => convert(self.eval(operand)?, *from, *to),
            Node::PointerToInteger(to, operand) => Ok(to.value(i128::from(self.eval(operand)?.pointer()?.address))),
            Node::IntegerToPointer(operand) => {
                let address = self.eval(operand)?.bits()? & self.address_mask;
                let is_null = address == 0;
                Ok(Value::Pointer(if is_null { Pointer::NULL } else { self.memory.resolve(address) }))
            }
            Node::Unsupported(what) => unsupported(what.to_string()),
            _ => unreachable!("frequent nodes are computed elsewhere"),
        }
    }

    #[cold]
    fn undefined_register(&mut self, register: u32, shape: Shape) -> Fallible<Value> {
        if self.options.uninitialised == Uninitialised::Error {
            return Err(Undefined::UninitialisedRead.into());
        }
        let value = self.ask(Asked::Uninitialised, shape)?;
        self.registers[self.register_base + register as usize] = value;
        Ok(value)
    }

    /// The bytes of a location, if they may be accessed.
    #[inline]
    pub(crate) fn part(&mut self, location: &Location, size: u64, kind: AccessKind) -> Fallible<Part> {
        match &location.base {
            LocationBase::Frame(number) => {
                let object = self.objects[self.object_base + *number as usize];
                let offset = self.displacement(location)?;
                self.memory.part_of_variable(object, offset, size)
            }
            LocationBase::Static(object) => {
                let offset = self.displacement(location)?;
                if kind == AccessKind::Write {
                    let pointer = self.memory.pointer(*object).offset(offset);
                    return self.memory.part(pointer, size, kind);
                }
                self.memory.part_of_variable(*object, offset, size)
            }
            LocationBase::Pointer(node, align) => {
                let base = self.eval(node)?.pointer()?;
                let offset = self.displacement(location)?;
                let pointer = base.offset(offset);
                if self.is_observed {
                    self.accesses.push(Access { base, pointer, size, kind });
                }
                if self.options.alignment == Checking::On && base.address % align != 0 && base.object.is_some() {
                    return Err(Undefined::Misaligned.into());
                }
                self.memory.part(pointer, size, kind)
            }
        }
    }

    #[inline]
    fn displacement(&mut self, location: &Location) -> Fallible<i64> {
        let mut offset = location.offset;
        for step in &location.indexes {
            let index = self.eval(&step.index)?.bits()? as i64;
            offset = match index.checked_mul(step.stride).and_then(|bytes| bytes.checked_add(offset)) {
                Some(offset) => offset,
                None => return Err(Undefined::BadArgument("an index").into()),
            };
        }
        Ok(offset)
    }

    fn address_of(&mut self, location: &Location) -> Fallible<Pointer> {
        let base = match &location.base {
            LocationBase::Frame(number) => self.memory.pointer(self.objects[self.object_base + *number as usize]),
            LocationBase::Static(object) => self.memory.pointer(*object),
            LocationBase::Pointer(node, _) => self.eval(node)?.pointer()?,
        };
        let offset = self.displacement(location)?;
        self.moved(base, offset)
    }

    /// A pointer moved by so many bytes.
    pub(crate) fn moved(&mut self, pointer: Pointer, bytes: i64) -> Fallible<Pointer> {
        if self.options.pointer_arithmetic == Checking::On {
            let mut moved = self.memory.moved(pointer, bytes)?;
            moved.address &= self.address_mask;
            return Ok(moved);
        }
        let mut moved = pointer.offset(bytes);
        moved.address &= self.address_mask;
        Ok(moved)
    }

    fn load(&mut self, location: &Location, shape: Shape) -> Fallible<Value> {
        let part = self.part(location, shape.size(), AccessKind::Read)?;
        self.load_part(part, shape)
    }

    /// The scalar at `part`.
    pub(crate) fn load_part(&mut self, part: Part, shape: Shape) -> Fallible<Value> {
        match self.read_scalar(part, shape) {
            Some(value) => Ok(value),
            None if self.options.uninitialised == Uninitialised::Error => Err(Undefined::UninitialisedRead.into()),
            None => {
                let value = self.ask(Asked::Uninitialised, shape)?;
                self.store_part(part, shape, value);
                Ok(value)
            }
        }
    }

    #[inline]
    pub(crate) fn read_scalar(&self, part: Part, shape: Shape) -> Option<Value> {
        Some(match shape {
            Shape::Int(shape) if shape.bits <= 64 => {
                Value::Int(shape.wrap(self.memory.read_bits(part, usize::from(shape.bits / 8))?))
            }
            Shape::Int(shape) => shape.value(self.memory.read_number(part, 16)? as i128),
            Shape::Pointer(_) => Value::Pointer(self.memory.read_pointer(part)?),
            Shape::Float => Value::Float(f32::from_bits(self.memory.read_bits(part, 4)? as u32)),
            Shape::Double => Value::Double(f64::from_bits(self.memory.read_bits(part, 8)?)),
        })
    }

    fn raw_load(&mut self, location: &Location, shape: Shape) -> Fallible<Value> {
        let part = self.part(location, shape.size(), AccessKind::Read)?;
        Ok(self.read_scalar(part, shape).unwrap_or(Value::Undefined))
    }

    /// Writes a scalar to `part`.
    #[inline]
    pub(crate) fn store_part(&mut self, part: Part, shape: Shape, value: Value) {
        match value {
            Value::Int(bits) => self.memory.write_bits(part, shape.size() as usize, bits),
            Value::Pointer(pointer) => self.memory.write_pointer(part, pointer),
            Value::Float(number) => self.memory.write_bits(part, 4, u64::from(number.to_bits())),
            Value::Double(number) => self.memory.write_bits(part, 8, number.to_bits()),
            Value::Wide(low, high) => self.memory.write_number(part, 16, u128::from(high) << 64 | u128::from(low)),
            Value::Undefined => self.memory.forget_part(part, shape.size() as usize),
        }
    }

    fn load_bits(&mut self, location: &Location, bits: BitField) -> Fallible<Value> {
        let part = self.part(location, bits.bytes as u64, AccessKind::Read)?;
        let number = match self.memory.read_number(part, bits.bytes) {
            Some(number) => number,
            None if self.options.uninitialised == Uninitialised::Error => {
                return Err(Undefined::UninitialisedRead.into());
            }
            None => {
                let value = self.ask(Asked::Uninitialised, Shape::Int(bits.shape))?;
                self.store_bits(part, bits, value);
                self.memory.raw(part, bits.bytes)
            }
        };
        Ok(bits.extract(number))
    }

    fn store_bits(&mut self, part: Part, bits: BitField, value: Value) {
        let mask = bits.mask() << bits.shift;
        let number = (bits.shape.number(value) as u128) << bits.shift & mask;
        let others = self.memory.raw(part, bits.bytes) & !mask;
        self.memory.write_number(part, bits.bytes, others | number);
    }

    /// Puts a scalar where it belongs.
    pub(crate) fn assign(&mut self, to: &Destination, value: Value) -> Fallible<()> {
        match to {
            Destination::Register(register) => {
                self.registers[self.register_base + *register as usize] = value;
                Ok(())
            }
            Destination::Memory(location, shape) => {
                let part = self.part(location, shape.size(), AccessKind::Write)?;
                self.store_part(part, *shape, value);
                Ok(())
            }
            Destination::Bits(location, bits) => {
                let part = self.part(location, bits.bytes as u64, AccessKind::Write)?;
                self.store_bits(part, *bits, value);
                Ok(())
            }
            Destination::Record(..) => unreachable!("a record is not a scalar"),
            Destination::Unsupported(what) => unsupported(what.to_string()),
        }
    }

    fn move_pointer(&mut self, stride: i64, operands: &[Node; 2]) -> Fallible<Value> {
        let pointer = self.eval(&operands[0])?.pointer()?;
        let index = self.eval(&operands[1])?.bits()? as i64;
        match index.checked_mul(stride) {
            Some(bytes) => self.moved(pointer, bytes).map(Value::Pointer),
            None => Err(Undefined::BadArgument("an index").into()),
        }
    }

    fn compare_pointers(&mut self, op: BinaryOp, operands: &[Node; 2]) -> Fallible<Value> {
        let left = self.eval(&operands[0])?.pointer()?;
        let right = self.eval(&operands[1])?.pointer()?;
        let is_ordered = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if is_ordered && left.object != right.object {
            return Err(Undefined::UnrelatedPointers.into());
        }
        Ok(Value::Int(u64::from(integer::holds(op, left.address.cmp(&right.address)))))
    }

    fn pointer_difference(&mut self, size: i64, operands: &[Node; 2]) -> Fallible<Value> {
        let left = self.eval(&operands[0])?.pointer()?;
        let right = self.eval(&operands[1])?.pointer()?;
        if left.object != right.object {
            return Err(Undefined::UnrelatedPointers.into());
        }
        let mut bytes = left.address.wrapping_sub(right.address) as i64;
        if self.address_mask == u64::from(u32::MAX) {
            bytes = i64::from(bytes as i32);
        }
        if size == 0 || bytes % size != 0 {
            return Err(Undefined::PartialElements.into());
        }
        Ok(Value::Int((bytes / size) as u64))
    }
}

impl BitField {
    fn mask(self) -> u128 {
        if self.width >= 128 { u128::MAX } else { (1 << self.width) - 1 }
    }

    fn extract(self, number: u128) -> Value {
        let bits = number >> self.shift & self.mask();
        let is_negative = self.shape.is_signed && self.width > 0 && bits >> (self.width - 1) & 1 == 1;
        let extended = if is_negative { bits | !self.mask() } else { bits };
        self.shape.value(extended as i128)
    }
}
