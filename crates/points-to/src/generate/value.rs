//! Values and places as nodes.

use super::{Access, Generator};
use crate::layout::{Position, START, Step};
use crate::memory::{Memory, NodeId, ObjectId};
use crate::solver::{Use, ValuePart};
use hardbop_c_core::{Base, BinaryOp, Expr, ExprKind, Module, Place, Projection, Type, TypeId, UnaryOp};

/// Constants below this, and as many at the upper end, are no addresses.
const FIRST_ADDRESS: i128 = 4096;

/// Constants below this are tags in the low bits of a pointer.
const FIRST_NO_TAG: i128 = 16;

/// How a value follows from others, as far as pointers are concerned.
pub(crate) enum Flow<'e> {
    /// It holds no pointer.
    Nothing,
    /// A pointer to something outside.
    Unknown,
    /// What this holds.
    Same(&'e Expr),
    /// What this holds, moved.
    Moved(&'e Expr, Step),
    /// What both hold, moved to anywhere in their objects.
    Mixed(&'e Expr, Option<&'e Expr>),
}

/// How the pointers in a unary, binary, constant or cast expression follow from its operands.
pub(crate) fn flow<'e>(module: &Module, expr: &'e Expr) -> Flow<'e> {
    let types = &module.types;
    let is_wide = types.size_of(expr.ty).is_some_and(|size| size >= types.pointer_size());
    match &expr.kind {
        ExprKind::Integer(value) if types.is_pointer(expr.ty) && is_address(module, *value) => Flow::Unknown,
        ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, operand) if is_wide && !types.is_floating(expr.ty) => {
            Flow::Mixed(operand, None)
        }
        ExprKind::Binary(BinaryOp::PointerAdd, pointer, index) => pointer_arithmetic(module, pointer, index, 1),
        ExprKind::Binary(BinaryOp::PointerSub, pointer, index) => pointer_arithmetic(module, pointer, index, -1),
        ExprKind::Binary(op, left, right) if is_wide && !types.is_floating(expr.ty) => {
            integer_arithmetic(module, *op, (left, right), 8 * types.size_of(expr.ty).unwrap_or(8))
        }
        ExprKind::Cast(operand) => conversion(module, operand, expr.ty),
        _ => Flow::Nothing,
    }
}

fn is_address(module: &Module, value: i128) -> bool {
    let end = 1i128 << (8 * module.types.pointer_size());
    let value = value.rem_euclid(end);
    (FIRST_ADDRESS..end - FIRST_ADDRESS).contains(&value)
}

fn pointer_arithmetic<'e>(module: &Module, pointer: &'e Expr, index: &'e Expr, sign: i128) -> Flow<'e> {
    let is_null = constant(module, pointer) == Some(0);
    let size = module.types.pointee(pointer.ty).and_then(|pointee| module.types.size_of(pointee.ty));
    match (size, constant(module, index)) {
        _ if is_null => Flow::Mixed(index, None),
        (Some(size), Some(index)) => {
            let bytes = index.saturating_mul(i128::from(size)).saturating_mul(sign);
            Flow::Moved(pointer, i64::try_from(bytes).map_or(Step::Smear, Step::Add))
        }
        (Some(size), None) => {
            let factor = factor(module, index).and_then(|factor| factor.checked_mul(size));
            Flow::Moved(pointer, Step::Walk(factor.unwrap_or(size)))
        }
        (None, _) => Flow::Mixed(pointer, None),
    }
}

/// What an integer as wide as a pointer is a multiple of.
fn factor(module: &Module, mut expr: &Expr) -> Option<u64> {
    let types = &module.types;
    while types.size_of(expr.ty).is_some_and(|size| size >= types.pointer_size()) {
        match &expr.kind {
            ExprKind::Cast(operand) => expr = operand,
            ExprKind::Binary(BinaryOp::Mul, left, right) => {
                let factor = constant(module, right).or_else(|| constant(module, left))?;
                // Larger ones are negative, and what they are a multiple of is not.
                return u64::try_from(factor).ok().filter(|factor| (1..1 << 31).contains(factor));
            }
            _ => return None,
        }
    }
    None
}

fn integer_arithmetic<'e>(module: &Module, op: BinaryOp, (left, right): (&'e Expr, &'e Expr), bits: u64) -> Flow<'e> {
    let moved = |operand, bytes: i128| {
        // An unsigned constant beyond half of the range is a negative one.
        let half = 1i128 << (bits.min(64) - 1);
        let bytes = if bytes >= half { bytes - 2 * half } else { bytes };
        Flow::Moved(operand, i64::try_from(bytes).map_or(Step::Smear, Step::Add))
    };
    let mask = if bits >= 127 { i128::MAX } else { (1i128 << bits) - 1 };
    match (op, constant(module, left), constant(module, right)) {
        (BinaryOp::Add, _, Some(bytes)) => moved(left, bytes),
        (BinaryOp::Add, Some(bytes), _) => moved(right, bytes),
        (BinaryOp::Sub, _, Some(bytes)) => moved(left, -bytes),
        (BinaryOp::BitOr | BinaryOp::BitXor, _, Some(tag)) if (0..FIRST_NO_TAG).contains(&tag) => Flow::Same(left),
        (BinaryOp::BitAnd, _, Some(small)) | (BinaryOp::BitAnd, Some(small), _)
            if (0..FIRST_ADDRESS).contains(&small) =>
        {
            Flow::Nothing
        }
        (BinaryOp::BitAnd, _, Some(kept)) if (!kept & mask) < FIRST_NO_TAG => Flow::Same(left),
        (BinaryOp::BitAnd, Some(kept), _) if (!kept & mask) < FIRST_NO_TAG => Flow::Same(right),
        (BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Div, _, _) => Flow::Mixed(left, None),
        (
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor,
            _,
            _,
        ) => Flow::Mixed(left, Some(right)),
        _ => Flow::Nothing,
    }
}

fn conversion<'e>(module: &Module, operand: &'e Expr, to: TypeId) -> Flow<'e> {
    let types = &module.types;
    if let (Some(value), true) = (constant(module, operand), types.is_pointer(to)) {
        return if is_address(module, value) { Flow::Unknown } else { Flow::Nothing };
    }
    let is_number = types.is_floating(to) || types.is_floating(operand.ty) || types.is_void(to);
    let (from_size, to_size) = (types.size_of(operand.ty).unwrap_or(0), types.size_of(to).unwrap_or(0));
    let is_truncated = to_size < types.pointer_size() && to_size < from_size;
    if is_number || is_truncated { Flow::Nothing } else { Flow::Same(operand) }
}

/// The value of a constant, also below casts.
pub(crate) fn constant(module: &Module, expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(value) => Some(*value),
        ExprKind::Cast(operand) => {
            let value = constant(module, operand)?;
            match module.types.int_kind(expr.ty) {
                Some(kind) => Some(module.types.wrap(kind, value)),
                None => module.types.is_pointer(expr.ty).then_some(value),
            }
        }
        _ => None,
    }
}

/// The way from the start of a place's base to the place.
pub(crate) fn steps(module: &Module, place: &Place) -> Vec<Step> {
    let mut ty = match &place.base {
        Base::Var(var) => module.vars[*var].ty.ty,
        Base::Deref(pointer) => module.types.pointee(pointer.ty).map_or(place.ty, |pointee| pointee.ty),
    };
    let mut steps = Vec::new();
    for projection in &place.path {
        ty = match projection {
            Projection::Field(index) => field_step(module, ty, *index, &mut steps),
            Projection::Index(_) => element_step(module, ty, &mut steps),
        };
    }
    steps
}

/// Appends the way to a member; returns its type.
pub(crate) fn field_step(module: &Module, ty: TypeId, index: u32, steps: &mut Vec<Step>) -> TypeId {
    let field = module.types.field(ty, index);
    extend(steps, field.offset, module.types.size_of(ty).unwrap_or(u64::MAX));
    field.ty.ty
}

/// Appends the way to an element; returns its type.
pub(crate) fn element_step(module: &Module, ty: TypeId, steps: &mut Vec<Step>) -> TypeId {
    let element = module.types.element(ty).expect("only arrays and vectors are indexed").ty;
    steps.push(Step::Enter(module.types.size_of(element).unwrap_or(0)));
    element
}

/// Appends the way to a part of a record; members of members are one step.
pub(crate) fn extend(steps: &mut Vec<Step>, more: u64, record: u64) {
    match steps.last_mut() {
        Some(Step::Field { offset, .. }) => *offset = offset.saturating_add(more),
        _ if more == 0 => {}
        _ => steps.push(Step::Field { offset: more, size: record }),
    }
}

impl Generator<'_> {
    pub(super) fn to_field(&self, ty: TypeId, index: u32, steps: &mut Vec<Step>) -> TypeId {
        field_step(self.module, ty, index, steps)
    }

    pub(super) fn to_element(&self, ty: TypeId, steps: &mut Vec<Step>) -> TypeId {
        element_step(self.module, ty, steps)
    }

    /// The node that holds just this location.
    pub(super) fn constant(&mut self, location: u32) -> NodeId {
        if let Some(&node) = self.constants.get(&location) {
            return node;
        }
        let node = self.solver.add_node();
        self.solver.add_location(node, location);
        self.constants.insert(location, node);
        node
    }

    /// The parts of a value that may hold pointers.
    pub(super) fn parts(&mut self, expr: &Expr) -> Vec<ValuePart> {
        if let (ExprKind::Read(place), Type::Record(_)) = (&expr.kind, self.module.types.get(expr.ty)) {
            return self.read_parts(place);
        }
        let width = self.width(expr.ty);
        self.value(expr).map(|node| (0, width, node)).into_iter().collect()
    }

    /// The node of a scalar value; `None` if it holds no pointer.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<NodeId> {
        match &expr.kind {
            ExprKind::Read(place) => {
                let access = self.access(place, 0)?;
                Some(self.read(&access, self.width(place.ty)))
            }
            ExprKind::Address(place) => match self.access(place, 0)? {
                Access::Through(node) => Some(node),
                Access::Direct(object, positions) => Some(self.address(object, &positions)),
            },
            ExprKind::Function(function) => {
                let location = self.function_location(*function);
                Some(self.constant(location))
            }
            _ => match flow(self.module, expr) {
                Flow::Nothing => None,
                Flow::Unknown => Some(self.constant(Memory::UNKNOWN)),
                Flow::Same(operand) => self.value(operand),
                Flow::Moved(operand, step) => {
                    let node = self.value(operand)?;
                    Some(self.shift(node, step))
                }
                Flow::Mixed(left, right) => {
                    let left = self.value(left);
                    let right = right.and_then(|right| self.value(right));
                    let both = match (left, right) {
                        (Some(left), Some(right)) => self.join(&[left, right]),
                        (left, right) => left.or(right)?,
                    };
                    Some(self.shift(both, Step::Smear))
                }
            },
        }
    }

    fn address(&mut self, object: ObjectId, positions: &[Position]) -> NodeId {
        let locations: Vec<u32> =
            positions.iter().map(|&position| self.solver.memory.location(object, position)).collect();
        if let [location] = locations[..] {
            return self.constant(location);
        }
        let node = self.solver.add_node();
        for location in locations {
            self.solver.add_location(node, location);
        }
        node
    }

    fn join(&mut self, nodes: &[NodeId]) -> NodeId {
        if let [node] = nodes {
            return *node;
        }
        let joined = self.solver.add_node();
        for &node in nodes {
            self.solver.add_edge(node, joined);
        }
        joined
    }

    /// The node that holds the pointers of `node`, moved.
    pub(super) fn shift(&mut self, node: NodeId, step: Step) -> NodeId {
        if matches!(step, Step::Add(0)) {
            return node;
        }
        if let Some(&moved) = self.shifted.get(&(node, step)) {
            return moved;
        }
        let moved = self.solver.add_node();
        self.solver.add_use(node, Use::Shift(step, moved));
        self.shifted.insert((node, step), moved);
        moved
    }

    /// Where so many bytes after the start of a place are; `None` if the pointer to it points nowhere.
    pub(super) fn access(&mut self, place: &Place, offset: u64) -> Option<Access> {
        let mut steps = steps(self.module, place);
        extend(&mut steps, offset, self.width(place.ty));
        match &place.base {
            Base::Var(var) => {
                let object = self.variables[*var];
                Some(Access::Direct(object, self.walk(object, &steps)))
            }
            Base::Deref(pointer) => {
                let mut node = self.value(pointer)?;
                for step in steps {
                    node = self.shift(node, step);
                }
                Some(Access::Through(node))
            }
        }
    }

    /// Where the steps lead from the start of an object.
    pub(super) fn walk(&self, object: ObjectId, steps: &[Step]) -> Vec<Position> {
        let layout = &self.solver.memory.objects[object].layout;
        let mut positions = vec![START];
        for &step in steps {
            let mut moved = Vec::new();
            for &position in &positions {
                layout.shift(position, step, &mut |position| moved.push(position));
            }
            positions = moved;
        }
        positions
    }

    fn touched(&self, object: ObjectId, positions: &[Position], width: u64) -> Vec<NodeId> {
        let layout = &self.solver.memory.objects[object].layout;
        let cells = positions.iter().flat_map(|&position| layout.touched(position, width));
        cells.map(|cell| self.solver.memory.node(object, cell)).collect()
    }

    pub(super) fn read(&mut self, access: &Access, width: u64) -> NodeId {
        match access {
            Access::Direct(object, positions) => {
                let nodes = self.touched(*object, positions, width);
                self.join(&nodes)
            }
            Access::Through(pointer) => {
                let node = self.solver.add_node();
                self.solver.add_use(*pointer, Use::Load(width, node));
                node
            }
        }
    }

    pub(super) fn write(&mut self, access: &Access, width: u64, value: NodeId) {
        match access {
            Access::Direct(object, positions) => {
                for cell in self.touched(*object, positions, width) {
                    self.solver.add_edge(value, cell);
                }
            }
            Access::Through(pointer) => self.solver.add_use(*pointer, Use::Store(width, value)),
        }
    }

    pub(super) fn read_parts(&mut self, place: &Place) -> Vec<ValuePart> {
        let parts = self.layouts.parts(&self.module.types, place.ty);
        let mut values = Vec::new();
        for &(offset, width) in parts.iter() {
            if let Some(access) = self.access(place, offset) {
                values.push((offset, width, self.read(&access, width)));
            }
        }
        values
    }

    pub(super) fn assign(&mut self, place: &Place, parts: &[ValuePart]) {
        for &(offset, width, node) in parts {
            if let Some(access) = self.access(place, offset) {
                self.write(&access, width, node);
            }
        }
    }
}
