//! A short text for a value, as one would write it in C: the name that a temporary is shown with.

use crate::unit::Unit;
use hardbop_c_core::{Base, BinaryOp, Expr, ExprKind, Place, Projection, Type, UnaryOp, VarKind};

/// Longer texts end in dots.
const MAX_TEXT: usize = 60;

impl Unit<'_> {
    /// What one would write for `expr`; conversions are left out.
    pub fn text_of(&self, expr: &Expr) -> String {
        let mut text = String::new();
        self.write_expr(&mut text, expr, Inside::Nothing);
        shortened(text)
    }

    /// What one would write for `place`.
    pub fn text_of_place(&self, place: &Place) -> String {
        let mut text = String::new();
        self.write_place(&mut text, place);
        shortened(text)
    }

    fn write_expr(&self, text: &mut String, expr: &Expr, inside: Inside) {
        if text.len() > MAX_TEXT {
            return;
        }
        match &expr.kind {
            ExprKind::Integer(value) => text.push_str(&value.to_string()),
            ExprKind::Float(spelling) => text.push_str(spelling),
            ExprKind::Read(place) => self.write_place(text, place),
            ExprKind::Address(place) => self.write_address(text, place),
            ExprKind::Function(function) => text.push_str(&self.module.functions[*function].source_name),
            ExprKind::Label(_) => text.push_str("&&label"),
            ExprKind::Unary(op, operand) => {
                text.push_str(unary_spelling(*op));
                self.write_expr(text, operand, Inside::Operator);
            }
            ExprKind::Binary(op, left, right) => {
                let (open, close) = if inside == Inside::Operator { ("(", ")") } else { ("", "") };
                text.push_str(open);
                self.write_expr(text, left, Inside::Operator);
                text.push_str(binary_spelling(*op));
                self.write_expr(text, right, Inside::Operator);
                text.push_str(close);
            }
            ExprKind::Cast(operand) => self.write_expr(text, operand, inside),
        }
    }

    fn write_address(&self, text: &mut String, place: &Place) {
        match place.path.split_last() {
            // An array's own value.
            Some((Projection::Index(index), rest)) if matches!(index.kind, ExprKind::Integer(0)) => {
                self.write_path(text, &place.base, rest);
            }
            _ => {
                text.push('&');
                self.write_place(text, place);
            }
        }
    }

    fn write_place(&self, text: &mut String, place: &Place) {
        self.write_path(text, &place.base, &place.path);
    }

    fn write_path(&self, text: &mut String, base: &Base, path: &[Projection]) {
        let (mut ty, mut steps, mut arrow) = (None, path, ".");
        match base {
            Base::Var(var) => {
                let variable = &self.module.vars[*var];
                let name = if variable.kind == VarKind::Literal { "\"…\"" } else { &variable.source_name };
                text.push_str(name);
                ty = Some(variable.ty.ty);
            }
            Base::Deref(pointer) => {
                if let Type::Pointer(target) = self.module.types.get(pointer.ty) {
                    ty = Some(target.ty);
                }
                match path.first() {
                    Some(Projection::Field(_)) => {
                        self.write_expr(text, pointer, Inside::Operator);
                        arrow = "->";
                    }
                    None => match pointer_and_index(pointer) {
                        Some((pointer, index)) => {
                            self.write_expr(text, pointer, Inside::Operator);
                            self.write_index(text, index);
                        }
                        None => {
                            text.push('*');
                            self.write_expr(text, pointer, Inside::Operator);
                        }
                    },
                    Some(Projection::Index(_)) => {
                        text.push_str("(*");
                        self.write_expr(text, pointer, Inside::Operator);
                        text.push(')');
                    }
                }
            }
        }
        while let Some((step, rest)) = steps.split_first() {
            match step {
                Projection::Field(number) => {
                    let record = ty.and_then(|ty| self.record_body(ty));
                    let field = record.and_then(|body| body.fields.get(*number as usize));
                    if let Some(field) = field.filter(|field| !field.is_anonymous) {
                        text.push_str(arrow);
                        text.push_str(&field.name);
                        arrow = ".";
                    }
                    ty = field.map(|field| field.ty.ty);
                }
                Projection::Index(index) => {
                    self.write_index(text, index);
                    ty = ty.and_then(|ty| self.element(ty)).map(|element| element.ty);
                    arrow = ".";
                }
            }
            steps = rest;
        }
    }

    fn write_index(&self, text: &mut String, index: &Expr) {
        text.push('[');
        self.write_expr(text, index, Inside::Nothing);
        text.push(']');
    }
}

/// Where an expression stands in another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Operator,
}

/// The parts of `p + i`.
fn pointer_and_index(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::PointerAdd, pointer, index) => Some((pointer, index)),
        _ => None,
    }
}

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn unary_spelling(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::Real => "__real__ ",
        UnaryOp::Imaginary => "__imag__ ",
    }
}

fn binary_spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add | BinaryOp::PointerAdd => " + ",
        BinaryOp::Sub | BinaryOp::PointerSub | BinaryOp::PointerDifference => " - ",
        BinaryOp::Mul => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::Rem => " % ",
        BinaryOp::Shl => " << ",
        BinaryOp::Shr => " >> ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitOr => " | ",
        BinaryOp::BitXor => " ^ ",
        BinaryOp::Eq => " == ",
        BinaryOp::Ne => " != ",
        BinaryOp::Lt => " < ",
        BinaryOp::Le => " <= ",
        BinaryOp::Gt => " > ",
        BinaryOp::Ge => " >= ",
    }
}
