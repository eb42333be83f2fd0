//! Expressions and places, with no more parentheses than C needs.

use super::types::int_name;
use super::{Conversions, Naming, Printer};
use crate::{
    Base, BinaryOp, Expr, ExprKind, Field, FloatKind, IntKind, Place, Projection, Type, TypeId, UnaryOp, VarId, VarKind,
};
use std::fmt::Write;

/// How tightly C's operators bind.
pub(super) type Precedence = u32;

/// Anything goes.
pub(super) const LOWEST: Precedence = 0;
/// What an argument may be: all but the comma operator.
pub(super) const ARGUMENT: Precedence = 2;
const BIT_OR: Precedence = 6;
const SUM: Precedence = 12;
pub(super) const UNARY: Precedence = 14;
pub(super) const POSTFIX: Precedence = 15;

/// A text and how tightly its outermost operator binds.
struct Bound {
    text: String,
    precedence: Precedence,
}

impl Bound {
    fn new(text: impl Into<String>, precedence: Precedence) -> Self {
        Self { text: text.into(), precedence }
    }

    fn at_least(self, precedence: Precedence) -> String {
        if self.precedence < precedence { format!("({})", self.text) } else { self.text }
    }
}

impl Printer<'_> {
    /// An expression as an operand that must bind so tightly.
    pub(super) fn expr(&self, expr: &Expr, precedence: Precedence) -> String {
        self.bound(expr).at_least(precedence)
    }

    /// A place as an operand that must bind so tightly.
    pub(super) fn place(&self, place: &Place, precedence: Precedence) -> String {
        self.bound_place(place).at_least(precedence)
    }

    /// An expression where C converts it to its own type anyway.
    pub(super) fn converted(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Read(place) => self.place(place, ARGUMENT),
            _ => self.expr(expr, ARGUMENT),
        }
    }

    fn bound(&self, expr: &Expr) -> Bound {
        match &expr.kind {
            ExprKind::Integer(value) => self.integer(*value, expr.ty),
            ExprKind::Float(spelling) => Bound::new(self.float(spelling, expr.ty), POSTFIX),
            ExprKind::Read(place) if self.loses_type(place) => {
                let (ty, place) = (self.type_name(expr.ty), self.place(place, UNARY));
                Bound::new(format!("({ty}){place}"), UNARY)
            }
            ExprKind::Read(place) => self.bound_place(place),
            ExprKind::Address(place) => self.address(place),
            ExprKind::Function(function) => Bound::new(self.function_name(*function), POSTFIX),
            ExprKind::Label(label) => Bound::new(format!("&&{}", self.label_name(*label)), UNARY),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.ty),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.ty),
            ExprKind::Cast(operand) if self.is_left_out(operand, expr.ty) => self.bound(operand),
            ExprKind::Cast(operand) => {
                let operand = match &operand.kind {
                    ExprKind::Read(place) => self.place(place, UNARY),
                    _ => self.expr(operand, UNARY),
                };
                Bound::new(format!("({}){operand}", self.type_name(expr.ty)), UNARY)
            }
        }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, ty: TypeId) -> Bound {
        let mut text = self.expr(operand, UNARY);
        let sign = match op {
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
            UnaryOp::Real => "__real__ ",
            UnaryOp::Imaginary => "__imag__ ",
        };
        if op == UnaryOp::Neg && text.starts_with('-') {
            text = format!("({text})");
        }
        self.narrowed(Bound::new(format!("{sign}{text}"), UNARY), ty, op != UnaryOp::Not)
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId) -> Bound {
        let (sign, precedence) = operator(op);
        let right = match op {
            BinaryOp::PointerAdd | BinaryOp::PointerSub => self.index(right, precedence + 1),
            _ => self.expr(right, precedence + 1),
        };
        let text = format!("{} {sign} {right}", self.expr(left, precedence));
        self.narrowed(Bound::new(text, precedence), ty, !op.is_comparison())
    }

    /// C computes with no less than an `int`: what we compute with less is converted back.
    fn narrowed(&self, bound: Bound, ty: TypeId, is_computed: bool) -> Bound {
        match self.module.types.int_kind(ty) {
            Some(kind) if is_computed && kind.rank() < IntKind::Int.rank() => {
                Bound::new(format!("({}){}", int_name(kind), bound.at_least(UNARY)), UNARY)
            }
            _ => bound,
        }
    }

    /// Whether C takes the value of a bit-field for a narrower type than its own.
    fn loses_type(&self, place: &Place) -> bool {
        let types = &self.module.types;
        let is_wide = types.int_kind(place.ty).is_some_and(|kind| kind.rank() >= IntKind::Int.rank());
        is_wide && self.style.conversions == Conversions::All && self.is_bit_field(place)
    }

    /// Whether the place is a bit-field.
    pub(super) fn is_bit_field(&self, place: &Place) -> bool {
        let mut ty = self.start(place);
        let mut has_bits = false;
        for step in &place.path {
            let field = match step {
                Projection::Field(index) => self.field(ty, *index),
                Projection::Index(_) => None,
            };
            has_bits = field.is_some_and(|field| field.bits.is_some());
            ty = self.after(ty, step);
        }
        has_bits
    }

    /// A member, if there is one: what is wrong is printed, too, in order to report it.
    fn field(&self, ty: TypeId, index: u32) -> Option<&Field> {
        let types = &self.module.types;
        types.body(types.record(ty)?)?.fields.get(index as usize)
    }

    /// The type of a part of an object of type `ty`.
    fn after(&self, ty: TypeId, step: &Projection) -> TypeId {
        match step {
            Projection::Field(index) => self.field(ty, *index).map_or(ty, |field| field.ty.ty),
            Projection::Index(_) => self.module.types.element(ty).map_or(ty, |element| element.ty),
        }
    }

    /// The type of what the place starts with.
    fn start(&self, place: &Place) -> TypeId {
        let start = match &place.base {
            Base::Var(var) => self.module.vars.get(*var).map(|variable| variable.ty.ty),
            Base::Deref(pointer) => self.module.types.pointee(pointer.ty).map(|pointee| pointee.ty),
        };
        start.unwrap_or(place.ty)
    }

    fn address(&self, place: &Place) -> Bound {
        if let ([Projection::Index(index)], Base::Var(var)) = (place.path.as_slice(), &place.base)
            && index.is_zero()
            && let Some(text) = self.literal(*var)
        {
            return Bound::new(quote(text), POSTFIX);
        }
        // An array's value reads better without its first element.
        if let Some((Projection::Index(index), path)) = place.path.split_last()
            && index.is_zero()
            && self.style.naming == Naming::Source
        {
            return self.bound_place(&Place { base: place.base.clone(), path: path.to_vec(), ty: place.ty });
        }
        Bound::new(format!("&{}", self.place(place, UNARY)), UNARY)
    }

    fn bound_place(&self, place: &Place) -> Bound {
        let mut path = place.path.as_slice();
        let mut ty = self.start(place);
        let mut bound = match &place.base {
            Base::Var(var) => self.variable(*var),
            Base::Deref(pointer) => match (&pointer.kind, path) {
                (ExprKind::Binary(BinaryOp::PointerAdd, array, index), _) => {
                    let (array, index) = (self.expr(array, POSTFIX), self.index(index, LOWEST));
                    Bound::new(format!("{array}[{index}]"), POSTFIX)
                }
                (_, [Projection::Field(_), ..]) => {
                    let name = self.step(&mut ty, &mut path);
                    Bound::new(format!("{}->{name}", self.expr(pointer, POSTFIX)), POSTFIX)
                }
                _ => Bound::new(format!("*{}", self.expr(pointer, UNARY)), UNARY),
            },
        };
        while let Some(first) = path.first() {
            let dot = if matches!(first, Projection::Field(_)) { "." } else { "" };
            let step = self.step(&mut ty, &mut path);
            bound = Bound::new(format!("{}{dot}{step}", bound.at_least(POSTFIX)), POSTFIX);
        }
        bound
    }

    /// Takes the first step of a path: the name of a member, or an index in brackets. The source does not name anonymous
    /// members on the way to others.
    fn step(&self, ty: &mut TypeId, path: &mut &[Projection]) -> String {
        while let [step, rest @ ..] = *path {
            let here = *ty;
            (*ty, *path) = (self.after(here, step), rest);
            let index = match step {
                Projection::Field(index) => *index,
                Projection::Index(index) => return format!("[{}]", self.index(index, LOWEST)),
            };
            let Some(field) = self.field(here, index) else { return format!("member_{index}") };
            let goes_on = matches!(rest.first(), Some(Projection::Field(_)));
            if !(field.is_anonymous && goes_on && self.style.naming == Naming::Source) {
                return field.name.clone();
            }
        }
        String::new()
    }

    /// An index; the type of a small constant does not matter there.
    fn index(&self, index: &Expr, precedence: Precedence) -> String {
        match index.as_integer().map(i32::try_from) {
            Some(Ok(small)) if small >= 0 => small.to_string(),
            _ => self.expr(index, precedence),
        }
    }

    fn variable(&self, var: VarId) -> Bound {
        if let Some(text) = self.literal(var) {
            return Bound::new(quote(text), POSTFIX);
        }
        let name = self.var_name(var);
        let is_text = self.style.naming == Naming::Source && matches!(self.kind(var), Some(VarKind::Temporary(_)));
        let is_postfix = |text: &str| {
            !text.contains(char::is_whitespace)
                && text.starts_with(|first: char| first.is_alphanumeric() || first == '_')
        };
        let precedence = if is_text && !is_postfix(&name) { ARGUMENT } else { POSTFIX };
        Bound::new(name, precedence)
    }

    fn integer(&self, value: i128, ty: TypeId) -> Bound {
        let types = &self.module.types;
        let Some(kind) = types.int_kind(ty) else {
            let size = types.size_kind();
            let number = self.number(value, size).at_least(UNARY);
            let number = if value == 0 { "0".to_owned() } else { number };
            return match self.style.conversions {
                Conversions::Notable if value == 0 => Bound::new(number, POSTFIX),
                _ => Bound::new(format!("({}){number}", self.type_name(ty)), UNARY),
            };
        };
        self.number(value, kind)
    }

    fn number(&self, value: i128, kind: IntKind) -> Bound {
        let suffix = match (kind, self.style.conversions) {
            (IntKind::Int128 | IntKind::UnsignedInt128, _) => return self.wide(value, kind),
            (_, Conversions::Notable) => "",
            (IntKind::UnsignedInt, _) => "U",
            (IntKind::Long, _) => "L",
            (IntKind::UnsignedLong, _) => "UL",
            (IntKind::LongLong, _) => "LL",
            (IntKind::UnsignedLongLong, _) => "ULL",
            _ => "",
        };
        let is_least = value == self.module.types.range(kind).0 && kind.rank() >= IntKind::Int.rank();
        if value < 0 && is_least && self.style.conversions == Conversions::All {
            // There is no such constant: its absolute value is too large.
            return Bound::new(format!("{}{suffix} - 1", value + 1), SUM);
        }
        Bound::new(format!("{value}{suffix}"), if value < 0 { UNARY } else { POSTFIX })
    }

    /// There are no constants of 128 bits: large ones are made of halves.
    fn wide(&self, value: i128, kind: IntKind) -> Bound {
        let name = int_name(kind);
        if let Ok(small) = i64::try_from(value)
            && small > i64::MIN
            && (small >= 0 || kind.is_signed())
        {
            return Bound::new(format!("({name}){small}LL"), UNARY);
        }
        let (high, low) = ((value >> 64) as u64, value as u64);
        // The upper half is shifted as an unsigned number, so that nothing overflows.
        let text = format!("(unsigned __int128){high}ULL << 64 | {low}ULL");
        match kind {
            IntKind::Int128 => Bound::new(format!("({name})({text})"), UNARY),
            _ => Bound::new(text, BIT_OR),
        }
    }

    fn float(&self, spelling: &str, ty: TypeId) -> String {
        let is_hexadecimal = spelling.starts_with("0x") || spelling.starts_with("0X");
        let is_whole = !is_hexadecimal && !spelling.contains(['.', 'e', 'E']);
        let mut text = spelling.to_owned();
        if is_whole {
            text += ".0";
        } else if is_hexadecimal && !spelling.contains(['p', 'P']) {
            text += "p0";
        }
        match self.module.types.get(ty) {
            Type::Float(kind) => text += float_suffix(*kind),
            Type::Complex(kind) => {
                text += float_suffix(*kind);
                text += "i";
            }
            _ => {}
        }
        text
    }

    /// Whether a reader can do without the conversion: C would convert by itself, and no value changes.
    fn is_left_out(&self, operand: &Expr, ty: TypeId) -> bool {
        if self.style.conversions == Conversions::All {
            return false;
        }
        let types = &self.module.types;
        if let (Some(from), Some(to)) = (types.int_kind(operand.ty), types.int_kind(ty)) {
            let ((least, greatest), (to_least, to_greatest)) = (types.range(from), types.range(to));
            return to != IntKind::Bool && to_least <= least && greatest <= to_greatest;
        }
        match (types.pointee(operand.ty), types.pointee(ty)) {
            (Some(from), Some(to)) => from.ty == to.ty || types.is_void(from.ty) || types.is_void(to.ty),
            _ => false,
        }
    }
}

fn operator(op: BinaryOp) -> (&'static str, Precedence) {
    match op {
        BinaryOp::Mul => ("*", 13),
        BinaryOp::Div => ("/", 13),
        BinaryOp::Rem => ("%", 13),
        BinaryOp::Add | BinaryOp::PointerAdd => ("+", SUM),
        BinaryOp::Sub | BinaryOp::PointerSub | BinaryOp::PointerDifference => ("-", SUM),
        BinaryOp::Shl => ("<<", 11),
        BinaryOp::Shr => (">>", 11),
        BinaryOp::Lt => ("<", 10),
        BinaryOp::Le => ("<=", 10),
        BinaryOp::Gt => (">", 10),
        BinaryOp::Ge => (">=", 10),
        BinaryOp::Eq => ("==", 9),
        BinaryOp::Ne => ("!=", 9),
        BinaryOp::BitAnd => ("&", 8),
        BinaryOp::BitXor => ("^", 7),
        BinaryOp::BitOr => ("|", BIT_OR),
    }
}

fn float_suffix(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Double => "",
        FloatKind::Float => "F",
        FloatKind::LongDouble => "L",
        FloatKind::Float16 => "F16",
        FloatKind::Float32 => "F32",
        FloatKind::Float64 => "F64",
        FloatKind::Float32x => "F32x",
        FloatKind::Float64x => "F64x",
        FloatKind::Float128 => "F128",
        FloatKind::Decimal32 => "DF",
        FloatKind::Decimal64 => "DD",
        FloatKind::Decimal128 => "DL",
    }
}

/// The bytes as a string literal.
pub(super) fn quote(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            b'"' => text += "\\\"",
            b'\\' => text += "\\\\",
            // Two question marks may begin a trigraph.
            b'?' => text += "\\?",
            b' '..=b'~' => text.push(byte.into()),
            // Three digits, so that a digit after it is not taken for one of its own.
            _ => drop(write!(text, "\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}
