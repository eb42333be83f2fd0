//! Constant folding: what an expression is as far as the program's text alone says it, bottom-up.
//!
//! Integers are computed in the type that C computes them in; signed overflow wraps. What has no value is left as it is:
//! division by zero and shifts by more than there is. Floating constants are folded only where nothing is rounded.
//! Addresses inside of one object are compared and subtracted; whether `&x` is null is left open, since `x` may be weak.

use crate::{Base, BinaryOp, Expr, ExprKind, FloatKind, IntKind, Place, Projection, Type, TypeId, Types, UnaryOp};

/// No array has more elements.
const MOST_ELEMENTS: i128 = i32::MAX as i128;

/// The expression with its constant parts computed; its type stays the same.
pub fn fold(types: &Types, expr: Expr) -> Expr {
    let ty = expr.ty;
    let kind = match expr.kind {
        ExprKind::Read(place) => ExprKind::Read(fold_place(types, place)),
        ExprKind::Address(place) => return fold_address(types, fold_place(types, place), ty),
        ExprKind::Unary(op, operand) => return fold_unary(types, op, fold(types, *operand), ty),
        ExprKind::Binary(op, left, right) => {
            return fold_binary(types, op, fold(types, *left), fold(types, *right), ty);
        }
        ExprKind::Cast(operand) => return fold_cast(types, fold(types, *operand), ty),
        kind => kind,
    };
    Expr { kind, ty }
}

/// The value of a constant expression of an integer, enumeration or pointer type.
pub fn integer(types: &Types, expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(value) => Some(*value),
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) | ExprKind::Address(_) => {
            fold(types, expr.clone()).as_integer()
        }
        _ => None,
    }
}

/// The place with the constant parts of its pointer and indexes computed; `*&x` is `x`.
pub fn fold_place(types: &Types, place: Place) -> Place {
    let path = place.path.into_iter().map(|step| match step {
        Projection::Field(index) => Projection::Field(index),
        Projection::Index(index) => Projection::Index(Box::new(fold(types, *index))),
    });
    let Base::Deref(pointer) = place.base else {
        return Place { base: place.base, path: path.collect(), ty: place.ty };
    };
    let mut start = Place::deref(fold(types, *pointer), types);
    start.path.extend(path);
    Place { ty: place.ty, ..start }
}

/// The bytes from the start of a place of type `ty` to where a constant path leads.
pub fn offset(types: &Types, mut ty: TypeId, path: &[Projection]) -> Option<i128> {
    let mut offset = 0i128;
    for step in path {
        match step {
            Projection::Field(index) => {
                let field = types.field(ty, *index);
                offset += i128::from(field.offset);
                ty = field.ty.ty;
            }
            Projection::Index(index) => {
                ty = types.element(ty)?.ty;
                let bytes = i128::from(types.size_of(ty)?).checked_mul(integer(types, index)?)?;
                offset = offset.checked_add(bytes)?;
            }
        }
    }
    Some(offset)
}

fn fold_address(types: &Types, place: Place, ty: TypeId) -> Expr {
    if let Base::Deref(pointer) = &place.base
        && let Some(start) = pointer.as_integer()
        && let Some(pointee) = types.pointee(pointer.ty)
        && let Some(offset) = offset(types, pointee.ty, &place.path)
    {
        return Expr::wrapped(start.wrapping_add(offset), ty, types);
    }
    Expr::address_as(place, ty)
}

fn fold_unary(types: &Types, op: UnaryOp, operand: Expr, ty: TypeId) -> Expr {
    let value = match (op, operand.as_integer(), types.int_kind(ty)) {
        (UnaryOp::Neg, Some(value), Some(kind)) => Some(types.wrap(kind, value.wrapping_neg())),
        (UnaryOp::BitNot, Some(value), Some(kind)) => Some(types.wrap(kind, !value)),
        (UnaryOp::Not, Some(value), _) => Some(i128::from(value == 0)),
        (UnaryOp::Not, None, _) => exact_float(types, &operand).map(|value| i128::from(value == 0)),
        _ => None,
    };
    value.map_or_else(|| Expr::unary(op, operand, ty), |value| Expr::integer(value, ty))
}

fn fold_binary(types: &Types, op: BinaryOp, left: Expr, right: Expr, ty: TypeId) -> Expr {
    if op.is_pointer_arithmetic() {
        return fold_pointer_step(types, op, left, right, ty);
    }
    let value = match (left.as_integer(), right.as_integer()) {
        _ if op == BinaryOp::PointerDifference => difference(types, &left, &right),
        (Some(first), Some(second)) => {
            let kind = types.int_kind(left.ty).unwrap_or(types.size_kind());
            if op.is_comparison() {
                Some(i128::from(compare(op, kind, first, second)))
            } else {
                arithmetic(types, op, kind, first, second)
            }
        }
        _ if op.is_comparison() => {
            comparable(types, &left, &right).map(|(first, second)| compare(op, IntKind::Int128, first, second).into())
        }
        _ => None,
    };
    match value {
        Some(value) => Expr::integer(value, ty),
        None => Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty },
    }
}

/// The result in the integer type `kind`, which both operands have (but not the right one of a shift).
fn arithmetic(types: &Types, op: BinaryOp, kind: IntKind, left: i128, right: i128) -> Option<i128> {
    let unsigned = |operate: fn(u128, u128) -> u128| operate(left as u128, right as u128) as i128;
    let is_signed = kind.is_signed();
    let width = types.width(kind);
    let amount = || u32::try_from(right).ok().filter(|&amount| amount < width);
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div | BinaryOp::Rem if right == 0 => return None,
        BinaryOp::Div if is_signed => left.wrapping_div(right),
        BinaryOp::Div => unsigned(|left, right| left / right),
        BinaryOp::Rem if is_signed => left.wrapping_rem(right),
        BinaryOp::Rem => unsigned(|left, right| left % right),
        BinaryOp::Shl => left << amount()?,
        BinaryOp::Shr if is_signed => left >> amount()?,
        BinaryOp::Shr => ((left as u128) >> amount()?) as i128,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        _ => return None,
    };
    Some(types.wrap(kind, value))
}

fn compare(op: BinaryOp, kind: IntKind, left: i128, right: i128) -> bool {
    let order = if kind.is_signed() { left.cmp(&right) } else { (left as u128).cmp(&(right as u128)) };
    match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// Numbers that compare as the operands do, if these are exact floating constants or addresses inside of one array.
fn comparable(types: &Types, left: &Expr, right: &Expr) -> Option<(i128, i128)> {
    if let (Some(left), Some(right)) = (exact_float(types, left), exact_float(types, right)) {
        return Some((left, right));
    }
    let (left, right) = (variable_address(types, left)?, variable_address(types, right)?);
    if left == right {
        return Some((0, 0));
    }
    let (first, first_index) = array_element(left)?;
    let (second, second_index) = array_element(right)?;
    (left.base == right.base && left.ty == right.ty && first == second).then_some((first_index, second_index))
}

/// The place in a variable that this is the address of, maybe as another pointer type.
fn variable_address<'e>(types: &Types, expr: &'e Expr) -> Option<&'e Place> {
    match &expr.kind {
        ExprKind::Address(place @ Place { base: Base::Var(_), .. }) => Some(place),
        ExprKind::Cast(operand) if types.is_pointer(expr.ty) && types.is_pointer(operand.ty) => {
            variable_address(types, operand)
        }
        _ => None,
    }
}

/// The way to an array and the number of the element there.
fn array_element(place: &Place) -> Option<(&[Projection], i128)> {
    match place.path.split_last()? {
        (Projection::Index(index), path) => Some((path, index.as_integer()?)),
        _ => None,
    }
}

/// How many elements lie between two constant pointers.
fn difference(types: &Types, left: &Expr, right: &Expr) -> Option<i128> {
    let pointee = types.pointee(left.ty)?.ty;
    let (first, second, unit) = match (left.as_integer(), right.as_integer()) {
        (Some(first), Some(second)) => (first, second, i128::from(types.size_of(pointee)?)),
        _ => {
            let (first, second) = comparable(types, left, right)?;
            let size = types.size_of(variable_address(types, left)?.ty)?;
            let scale = i128::from(types.size_of(pointee)?);
            (first.checked_mul(size.into())?, second.checked_mul(size.into())?, scale)
        }
    };
    let bytes = types.wrap(types.difference_kind(), first.checked_sub(second)?);
    (unit != 0 && bytes % unit == 0).then(|| bytes / unit)
}

/// `p + i` and `p - i`.
fn fold_pointer_step(types: &Types, op: BinaryOp, pointer: Expr, index: Expr, ty: TypeId) -> Expr {
    let steps = index.as_integer().map(|steps| types.wrap(types.difference_kind(), steps));
    let steps = steps.map(|steps| if op == BinaryOp::PointerSub { -steps } else { steps });
    match steps {
        Some(0) => return pointer,
        Some(steps) => {
            if let Some(moved) = moved(types, &pointer, steps) {
                return moved;
            }
        }
        None => {}
    }
    Expr { kind: ExprKind::Binary(op, Box::new(pointer), Box::new(index)), ty }
}

/// The constant pointer so many elements further, if it is a number or the address of an element.
fn moved(types: &Types, pointer: &Expr, steps: i128) -> Option<Expr> {
    let pointee = types.pointee(pointer.ty)?.ty;
    if let Some(value) = pointer.as_integer() {
        let bytes = steps.checked_mul(types.size_of(pointee)?.into())?;
        return Some(Expr::wrapped(value.wrapping_add(bytes), pointer.ty, types));
    }
    let ExprKind::Address(place) = &pointer.kind else { return None };
    let (_, first) = array_element(place)?;
    let target =
        first.checked_add(steps).filter(|target| place.ty == pointee && (0..=MOST_ELEMENTS).contains(target))?;
    let mut place = place.clone();
    if let Some(Projection::Index(index)) = place.path.last_mut() {
        **index = Expr::integer(target, index.ty);
    }
    Some(Expr { kind: ExprKind::Address(place), ty: pointer.ty })
}

fn fold_cast(types: &Types, operand: Expr, ty: TypeId) -> Expr {
    let is_number = |ty| types.is_integer(ty) || types.is_pointer(ty);
    let folded = match (&operand.kind, types.get(ty)) {
        (ExprKind::Integer(value), Type::Float(kind)) => float_constant(*value, *kind, ty),
        (ExprKind::Integer(value), _) if is_number(ty) => Some(Expr::wrapped(*value, ty, types)),
        (_, Type::Float(kind)) => exact_float(types, &operand).and_then(|value| float_constant(value, *kind, ty)),
        (_, _) => types.int_kind(ty).and_then(|kind| {
            let value = exact_float(types, &operand)?;
            let (least, greatest) = types.range(kind);
            let is_inside = kind == IntKind::Bool || (least..=greatest).contains(&value);
            is_inside.then(|| Expr::wrapped(value, ty, types))
        }),
    };
    folded.unwrap_or_else(|| operand.cast(ty))
}

/// The integer as a floating constant, if it has exactly that value there.
fn float_constant(value: i128, kind: FloatKind, ty: TypeId) -> Option<Expr> {
    if value.unsigned_abs() > greatest_exact(kind) {
        return None;
    }
    let constant = Expr::float(format!("{}.0", value.unsigned_abs()), ty);
    Some(if value < 0 { Expr::unary(UnaryOp::Neg, constant, ty) } else { constant })
}

/// The value of a floating constant, or a negative one, that is an integer and is not rounded. Negative zero is none.
fn exact_float(types: &Types, expr: &Expr) -> Option<i128> {
    let Type::Float(kind) = types.get(expr.ty) else { return None };
    let (spelling, sign) = match &expr.kind {
        ExprKind::Float(spelling) => (spelling, 1),
        ExprKind::Unary(UnaryOp::Neg, operand) => match &operand.kind {
            ExprKind::Float(spelling) => (spelling, -1),
            _ => return None,
        },
        _ => return None,
    };
    let value = spelled_integer(spelling)?;
    (value.unsigned_abs() <= greatest_exact(*kind) && (value != 0 || sign > 0)).then_some(sign * value)
}

/// The value of a decimal spelling such as `12`, `12.50e1` or `1e3` that is an integer.
fn spelled_integer(spelling: &str) -> Option<i128> {
    let (digits, exponent) = match spelling.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (spelling, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let all_digits = format!("{whole}{fraction}");
    if all_digits.is_empty() || !all_digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i128 = all_digits.parse().ok()?;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let scale = 10i128.checked_pow(shift.unsigned_abs()).filter(|_| value != 0);
    match (value, scale) {
        (0, _) => Some(0),
        (_, Some(scale)) if shift >= 0 => value.checked_mul(scale),
        (_, Some(scale)) if value % scale == 0 => Some(value / scale),
        _ => None,
    }
}

/// All integers up to this one are values of the type.
fn greatest_exact(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Float16 => 1 << 11,
        FloatKind::Float | FloatKind::Float32 => 1 << 24,
        FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x => 1 << 53,
        FloatKind::LongDouble | FloatKind::Float64x => 1 << 64,
        FloatKind::Float128 => 1 << 113,
        FloatKind::Decimal32 => 10u128.pow(7),
        FloatKind::Decimal64 => 10u128.pow(16),
        FloatKind::Decimal128 => 10u128.pow(34),
    }
}
