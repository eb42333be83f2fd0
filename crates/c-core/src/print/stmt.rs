//! Statements, each on its line.

use super::Printer;
use super::expr::{ARGUMENT, LOWEST, POSTFIX, UNARY, quote};
use crate::{Asm, Callee, Expr, ExprKind, FunctionId, Place, Stmt, StmtKind, TypeId};
use std::fmt::Write;

/// Indentation stops where nobody could count it any more, so that the text stays linear in the program.
const DEEPEST: usize = 100;

impl Printer<'_> {
    /// The statements of a block, so deep inside.
    pub(super) fn block(&self, block: &[Stmt], depth: usize, out: &mut String) {
        for stmt in block {
            self.stmt(stmt, depth, out);
        }
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth.min(DEEPEST));
        match &stmt.kind {
            StmtKind::Fresh(_) => {}
            StmtKind::If(..) => {
                *out += &indent;
                self.branch(stmt, depth, out);
            }
            StmtKind::While(_, block) => {
                let _ = writeln!(out, "{indent}{} {{", self.line(stmt));
                self.block(block, depth + 1, out);
                let _ = writeln!(out, "{indent}}}");
            }
            StmtKind::Block(block) => {
                let _ = writeln!(out, "{indent}{{");
                self.block(block, depth + 1, out);
                let _ = writeln!(out, "{indent}}}");
            }
            // A label needs a statement after it.
            StmtKind::Label(_) => drop(writeln!(out, "{indent}{};", self.line(stmt))),
            _ => drop(writeln!(out, "{indent}{}", self.line(stmt))),
        }
    }

    /// `if`, and `else if` as long as there is nothing else in the other branch.
    fn branch(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth.min(DEEPEST));
        let mut next = Some(stmt);
        while let Some(Stmt { kind: StmtKind::If(condition, yes, no), .. }) = next.take() {
            let _ = writeln!(out, "if ({}) {{", self.expr(condition, LOWEST));
            self.block(yes, depth + 1, out);
            *out += &indent;
            match no.as_slice() {
                [] => {}
                [only @ Stmt { kind: StmtKind::If(..), .. }] => {
                    *out += "} else ";
                    next = Some(only);
                }
                no => {
                    *out += "} else {\n";
                    self.block(no, depth + 1, out);
                    *out += &indent;
                }
            }
        }
        *out += "}\n";
    }

    /// A statement on one line; of a branch or loop, what is before the braces.
    pub(super) fn line(&self, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Assign(place, value) => format!("{} = {};", self.place(place, UNARY), self.converted(value)),
            StmtKind::Zero(place) if self.is_bit_field(place) => format!("{} = 0;", self.place(place, UNARY)),
            StmtKind::Zero(place) => {
                let (address, place) = (self.place(place, UNARY), self.place(place, LOWEST));
                format!("__builtin_memset(&{address}, 0, sizeof({place}));")
            }
            StmtKind::Call { result, callee, arguments } => self.call(result.as_ref(), callee, arguments),
            StmtKind::NextArgument { result, list, ty } => self.next_argument(result.as_ref(), list, *ty),
            StmtKind::Fresh(var) => match self.module.vars.get(*var) {
                Some(variable) => format!("{};", self.object(*var, variable)),
                None => format!("{var};"),
            },
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::Unmodelled(reason) => format!("__builtin_trap(); /* {} */", reason.replace("*/", "* /")),
            StmtKind::If(condition, ..) => format!("if ({})", self.expr(condition, LOWEST)),
            StmtKind::While(condition, _) => format!("while ({})", self.expr(condition, LOWEST)),
            StmtKind::Break => "break;".to_owned(),
            StmtKind::Continue => "continue;".to_owned(),
            StmtKind::Label(label) => format!("{}:", self.label_name(*label)),
            StmtKind::Goto(label) => format!("goto {};", self.label_name(*label)),
            StmtKind::GotoComputed(target) => format!("goto *{};", self.expr(target, UNARY)),
            StmtKind::Return(None) => "return;".to_owned(),
            StmtKind::Return(Some(value)) => format!("return {};", self.converted(value)),
            StmtKind::Block(_) => "{".to_owned(),
        }
    }

    fn call(&self, result: Option<&Place>, callee: &Callee, arguments: &[Expr]) -> String {
        let result = result.map_or(String::new(), |place| format!("{} = ", self.place(place, UNARY)));
        let (callee, arguments) = match callee {
            Callee::Function(function) => (self.function_name(*function), self.arguments(*function, arguments)),
            Callee::Pointer(pointer) => {
                let arguments = arguments.iter().map(|argument| self.expr(argument, ARGUMENT)).collect();
                (self.called(pointer), arguments)
            }
        };
        format!("{result}{callee}({});", arguments.join(", "))
    }

    /// `(*p)`, or just the function if it is one.
    fn called(&self, pointer: &Expr) -> String {
        match &pointer.kind {
            ExprKind::Function(_) => self.expr(pointer, POSTFIX),
            _ => format!("(*{})", self.expr(pointer, UNARY)),
        }
    }

    /// The arguments of a function. One without a body may be of a library, which takes lists of arguments as C passes
    /// them, and `va_start` wants the name of the last parameter.
    fn arguments(&self, function: FunctionId, arguments: &[Expr]) -> Vec<String> {
        let callee = self.module.functions.get(function);
        let mut list: Vec<String> = arguments
            .iter()
            .map(|argument| match callee.and_then(|callee| callee.body.as_ref()) {
                None if self.is_list_address(argument.ty) => self.list(argument),
                _ => self.expr(argument, ARGUMENT),
            })
            .collect();
        if callee.is_some_and(|callee| callee.source_name == "__builtin_va_start")
            && list.len() == 1
            && let Some(body) = self.function.and_then(|function| self.module.functions[function].body.as_ref())
            && let Some(last) = body.parameters.last()
        {
            list.push(self.var_name(*last));
        }
        list
    }

    /// The list that this is the address of.
    fn list(&self, address: &Expr) -> String {
        match &address.kind {
            ExprKind::Address(place) => self.place(place, ARGUMENT),
            _ => format!("*{}", self.expr(address, UNARY)),
        }
    }

    fn next_argument(&self, result: Option<&Place>, list: &Expr, ty: TypeId) -> String {
        let result = result.map_or("(void)".to_owned(), |place| format!("{} = ", self.place(place, UNARY)));
        format!("{result}__builtin_va_arg({}, {});", self.list(list), self.type_name(ty))
    }

    fn asm(&self, asm: &Asm) -> String {
        let name = |name: &Option<String>| name.as_ref().map_or(String::new(), |name| format!("[{name}] "));
        let constraint = |text: &String| quote(text.as_bytes());
        let outputs = asm.outputs.iter().map(|(symbol, constraints, place)| {
            format!("{}{} ({})", name(symbol), constraint(constraints), self.place(place, LOWEST))
        });
        let inputs = asm.inputs.iter().map(|(symbol, constraints, value)| {
            format!("{}{} ({})", name(symbol), constraint(constraints), self.converted(value))
        });
        let mut operands = vec![
            outputs.collect::<Vec<_>>().join(", "),
            inputs.collect::<Vec<_>>().join(", "),
            asm.clobbers.iter().map(constraint).collect::<Vec<_>>().join(", "),
            asm.labels.iter().map(|&label| self.label_name(label)).collect::<Vec<_>>().join(", "),
        ];
        while operands.last().is_some_and(String::is_empty) {
            operands.pop();
        }
        let mut text = "__asm__ ".to_owned();
        if asm.is_volatile {
            text += "volatile ";
        }
        if !asm.labels.is_empty() {
            text += "goto ";
        }
        let _ = write!(text, "({}", quote(&asm.text));
        for operand in operands {
            let _ = write!(text, " : {operand}");
        }
        text + ");"
    }
}
