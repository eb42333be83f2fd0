//! Variables of static storage and what they start with.

use super::Printer;
use super::expr::quote;
use crate::{
    Expr, ExprKind, FunctionId, InitialPart, InitialStep, InitialValue, Initialiser, IntKind, Linkage, Qualified, Type,
    TypeId, VarId, VarKind, Variable,
};
use std::fmt::Write;

impl Printer<'_> {
    /// Declarations of all variables of static storage, then their definitions, which may name each other.
    pub(super) fn variables(&self, out: &mut String) {
        let at_file_scope = |&(var, variable): &(VarId, &Variable)| {
            variable.kind.owner().is_none() && self.literal(var).is_none() && !has_labels(variable)
        };
        for (var, variable) in self.module.vars.iter_enumerated().filter(at_file_scope) {
            let storage = match variable.kind {
                VarKind::Global(Linkage::External) => "extern ",
                _ => "static ",
            };
            let _ = writeln!(out, "{storage}{};", self.object(var, variable));
        }
        for (var, variable) in self.module.vars.iter_enumerated().filter(at_file_scope) {
            let Some(init) = &variable.init else { continue };
            let storage = match variable.kind {
                VarKind::Global(Linkage::External) => "",
                _ => "static ",
            };
            let init = self.initialiser(init, variable.ty.ty);
            let _ = writeln!(out, "{storage}{} = {init};", self.object(var, variable));
        }
    }

    /// The statics of a function that must stay there, since they hold addresses of its labels.
    pub(super) fn statics_with_labels(&self, function: FunctionId, out: &mut String) {
        for (var, variable) in self.module.vars.iter_enumerated() {
            if let (VarKind::StaticLocal(owner), Some(init)) = (variable.kind, &variable.init)
                && owner == function
                && has_labels(variable)
            {
                let init = self.initialiser(init, variable.ty.ty).replace('\n', "\n  ");
                let _ = writeln!(out, "  static {} = {init};", self.object(var, variable));
            }
        }
    }

    /// A variable as it is declared.
    pub(super) fn object(&self, var: VarId, variable: &Variable) -> String {
        let thread = if variable.is_thread_local { "__thread " } else { "" };
        let align = variable.align.map_or(String::new(), |align| format!(" __attribute__((aligned({align})))"));
        let weak = if variable.is_weak { " __attribute__((weak))" } else { "" };
        format!("{thread}{}{align}{weak}", self.declare(variable.ty, self.var_name(var)))
    }

    fn initialiser(&self, init: &Initialiser, ty: TypeId) -> String {
        if let Some(part) = init.parts.last()
            && part.path.is_empty()
            && init.parts.len() == 1
            && let Some(text) = self.undivided(part, ty)
        {
            return text;
        }
        if init.parts.is_empty() && self.module.types.is_scalar(ty) {
            return "0".to_owned();
        }
        let parts: Vec<String> =
            (0..init.parts.len()).filter_map(|number| self.numbered_part(&init.parts, number, ty)).collect();
        match parts.as_slice() {
            [] => "{}".to_owned(),
            [part] => format!("{{ {part} }}"),
            parts => format!("{{\n  {},\n}}", parts.join(",\n  ")),
        }
    }

    /// The value of an object that is not given in parts.
    fn undivided(&self, part: &InitialPart, ty: TypeId) -> Option<String> {
        match &part.value {
            InitialValue::Expr(expr) => Some(self.converted(expr)),
            InitialValue::Bytes(bytes) => self.is_text(ty).then(|| quote(without_end(bytes))),
        }
    }

    /// One of the parts. Elements of a vector have no designators: they are all said where the first one is.
    fn numbered_part(&self, parts: &[InitialPart], number: usize, ty: TypeId) -> Option<String> {
        let part = &parts[number];
        let Some((_, vector)) = part.path.split_last() else { return Some(self.part(part, ty)) };
        let (way, inner) = self.way(vector, ty);
        let Type::Vector(_, length) = self.module.types.get(inner) else { return Some(self.part(part, ty)) };
        let is_of_it = |part: &&InitialPart| part.path.len() == vector.len() + 1 && part.path.starts_with(vector);
        if parts[..number].iter().any(|part| is_of_it(&part)) {
            return None;
        }
        let mut values = vec!["0".to_owned(); usize::try_from(*length).unwrap_or(0)];
        for part in parts.iter().filter(is_of_it) {
            if let (Some(InitialStep::Index(index)), InitialValue::Expr(expr)) = (part.path.last(), &part.value)
                && let Some(value) = usize::try_from(*index).ok().and_then(|index| values.get_mut(index))
            {
                *value = self.converted(expr);
            }
        }
        let values = values.join(", ");
        Some(if way.is_empty() { values } else { format!("{way} = {{ {values} }}") })
    }

    fn part(&self, part: &InitialPart, ty: TypeId) -> String {
        let (way, ty) = self.way(&part.path, ty);
        match &part.value {
            InitialValue::Expr(expr) => format!("{way} = {}", self.converted(expr)),
            InitialValue::Bytes(bytes) if self.is_text(ty) && !way.is_empty() => {
                format!("{way} = {}", quote(without_end(bytes)))
            }
            InitialValue::Bytes(bytes) => self.elements(bytes, ty, &way),
        }
    }

    /// The designators on the way to a part of an object, and its type.
    fn way(&self, path: &[InitialStep], ty: TypeId) -> (String, TypeId) {
        let types = &self.module.types;
        let (mut way, mut ty) = (String::new(), ty);
        for step in path {
            match *step {
                InitialStep::Field(index) => {
                    let field = types.field(ty, index);
                    let _ = write!(way, ".{}", field.name);
                    ty = field.ty.ty;
                    continue;
                }
                InitialStep::Index(index) => drop(write!(way, "[{index}]")),
                InitialStep::Range(first, last) => drop(write!(way, "[{first} ... {last}]")),
            }
            ty = types.element(ty).map_or(ty, |element| element.ty);
        }
        (way, ty)
    }

    /// Bytes of an array, element by element.
    fn elements(&self, bytes: &[u8], ty: TypeId, way: &str) -> String {
        let types = &self.module.types;
        let Some(element) = types.element(ty).map(|element| element.ty) else {
            return format!("{way} = 0");
        };
        let kind = types.int_kind(element).unwrap_or(IntKind::UnsignedChar);
        let elements = bytes.chunks(types.int_size(kind) as usize).enumerate().map(|(index, chunk)| {
            let bits = chunk.iter().rev().fold(0, |bits: i128, &byte| bits << 8 | i128::from(byte));
            let value = Expr { kind: ExprKind::Integer(types.wrap(kind, bits)), ty: element };
            format!("{way}[{index}] = {}", self.converted(&value))
        });
        elements.collect::<Vec<_>>().join(", ")
    }

    /// Whether a string literal can initialise an object of this type.
    fn is_text(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        let is_char = |element: Qualified| {
            matches!(types.get(element.ty), Type::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar))
        };
        types.is_array(ty) && types.element(ty).is_some_and(is_char)
    }
}

/// A string literal ends with a zero by itself.
fn without_end(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(&[0]).unwrap_or(bytes)
}

fn has_labels(variable: &Variable) -> bool {
    let mut found = false;
    for part in variable.init.iter().flat_map(|init| &init.parts) {
        if let InitialValue::Expr(expr) = &part.value {
            expr.visit(&mut |expr| found |= matches!(expr.kind, ExprKind::Label(_)));
        }
    }
    found
}
