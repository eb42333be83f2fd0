//! The form as C that means the same: `gcc -std=gnu11 -w` compiles it.
//!
//! Enumerations are printed as the integers they are, string literals where they are used, statics of functions at file
//! scope. Objects are not `const`: the initialisers of locals have become assignments. A record whose members do not lie
//! where gcc would put them is `packed`, and has its padding written out.
//!
//! **Invariant:** names are unique; [`name_variables`](crate::names::name_variables) makes them so.

mod data;
mod expr;
mod functions;
mod records;
mod stmt;
mod types;

use crate::{Block, Expr, FunctionId, LabelId, Module, Place, Qualified, Stmt, Type, VarId, VarKind};
use std::fmt::Write;

/// Which names to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// The unique ones.
    Printed,
    /// Those of the source, with what they hold in place of temporaries.
    Source,
}

/// Which conversions to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversions {
    /// All.
    All,
    /// Those that may change a value.
    Notable,
}

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Which names to use.
    pub naming: Naming,
    /// Which conversions to show.
    pub conversions: Conversions,
}

impl Style {
    /// What a compiler must see.
    pub const EXACT: Self = Self { naming: Naming::Printed, conversions: Conversions::All };
    /// What reads like the source.
    pub const READABLE: Self = Self { naming: Naming::Source, conversions: Conversions::Notable };
}

/// A whole module as C.
pub fn module(module: &Module) -> String {
    let printer = Printer { module, style: Style::EXACT, function: None };
    let mut out = String::new();
    printer.vectors(&mut out);
    printer.records(&mut out);
    printer.prototypes(&mut out);
    printer.variables(&mut out);
    for (text, _) in &module.asm {
        let _ = writeln!(out, "__asm__({});", expr::quote(text));
    }
    for (function, _) in module.functions.iter_enumerated() {
        printer.definition(function, &mut out);
    }
    out
}

/// An expression; labels in it are numbers.
pub fn expr(module: &Module, expr: &Expr, style: Style) -> String {
    Printer { module, style, function: None }.expr(expr, expr::LOWEST)
}

/// A place.
pub fn place(module: &Module, place: &Place, style: Style) -> String {
    Printer { module, style, function: None }.place(place, expr::LOWEST)
}

/// A type, as a declaration of `name` has it; as a cast has it if that is empty.
pub fn declaration(module: &Module, ty: Qualified, name: &str) -> String {
    Printer { module, style: Style::EXACT, function: None }.declare(ty, name.to_owned())
}

/// A statement of this function on one line; of a branch or loop, what is before the braces.
pub fn stmt_line(module: &Module, function: FunctionId, stmt: &Stmt, style: Style) -> String {
    Printer { module, style, function: Some(function) }.line(stmt)
}

/// The statements of a block of this function.
pub fn block(module: &Module, function: FunctionId, block: &Block, style: Style) -> String {
    let mut out = String::new();
    Printer { module, style, function: Some(function) }.block(block, 0, &mut out);
    out
}

/// What printing needs to know everywhere.
struct Printer<'m> {
    module: &'m Module,
    style: Style,
    /// The function whose labels are meant.
    function: Option<FunctionId>,
}

impl Printer<'_> {
    fn var_name(&self, var: VarId) -> String {
        let name = self.module.vars.get(var).map(|variable| match self.style.naming {
            Naming::Printed => &variable.name,
            Naming::Source => &variable.source_name,
        });
        name.filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| var.to_string())
    }

    fn kind(&self, var: VarId) -> Option<VarKind> {
        self.module.vars.get(var).map(|variable| variable.kind)
    }

    fn function_name(&self, id: FunctionId) -> String {
        let name = self.module.functions.get(id).map(|function| match self.style.naming {
            Naming::Printed => &function.name,
            Naming::Source => &function.source_name,
        });
        name.filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| id.to_string())
    }

    fn label_name(&self, label: LabelId) -> String {
        let body = self.function.and_then(|function| self.module.functions[function].body.as_ref());
        match body.and_then(|body| body.labels.get(label)) {
            Some(label) if !label.name.is_empty() => label.name.clone(),
            _ => label.to_string(),
        }
    }

    /// The text of a literal that can be printed where it is used: an array of `char` with one part from its start that
    /// a string literal can say.
    fn literal(&self, var: VarId) -> Option<&[u8]> {
        let variable = self.module.vars.get(var)?;
        let types = &self.module.types;
        let element = types.element(variable.ty.ty)?.ty;
        let size = types.size_of(variable.ty.ty)?;
        if variable.kind != VarKind::Literal || *types.get(element) != Type::Int(crate::IntKind::Char) {
            return None;
        }
        let bytes: &[u8] = match variable.init.as_ref()?.parts.as_slice() {
            [] => &[],
            [part] => match &part.value {
                crate::InitialValue::Bytes(bytes) if part.path.is_empty() => bytes,
                _ => return None,
            },
            _ => return None,
        };
        match bytes {
            [text @ .., 0] if bytes.len() as u64 == size => Some(text),
            text if text.len() as u64 + 1 == size => Some(text),
            _ => None,
        }
    }
}
