//! The canonical text of a program, which parses back to the same tree, spans aside.

use crate::ast::{Ast, BinaryOp, Block, ExprId, ExprKind, Ident, InvariantKind, List, Otherwise, Proc, Results};
use crate::ast::{Stmt, StmtId, StmtKind};

/// The program as text: all globals first, one statement a line, no parentheses that are not needed.
pub fn print(ast: &Ast) -> String {
    let mut printer = Printer { ast, text: String::new(), depth: 0 };
    if !ast.globals.is_empty() {
        printer.declaration(&ast.globals);
    }
    for proc in &ast.procs {
        if !printer.text.is_empty() {
            printer.text.push('\n');
        }
        printer.procedure(proc);
    }
    printer.text
}

/// Deeper statements are not indented further, or a deeply nested program would have a text of quadratic size.
const MAX_INDENT: usize = 40;

/// How tightly the surroundings of an expression bind: `? :`, then the operators, then `!`.
const TERNARY: u8 = 0;
const UNARY: u8 = 7;

struct Printer<'a> {
    ast: &'a Ast,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn procedure(&mut self, proc: &Proc) {
        match proc.results {
            Results::Exactly(0) => self.text.push_str("void "),
            Results::Exactly(1) => self.text.push_str("bool "),
            Results::Exactly(count) => self.text.push_str(&format!("bool<{count}> ")),
            Results::Inferred => {}
        }
        self.ident(proc.name);
        self.text.push('(');
        self.idents(self.ast.idents(proc.formals));
        self.text.push_str(")\nbegin\n");
        self.depth = 1;
        if !proc.locals.is_empty() {
            self.indent();
            self.declaration(self.ast.idents(proc.locals));
        }
        for invariant in self.ast.invariants(proc.invariants) {
            self.indent();
            self.text.push_str(match invariant.kind {
                InvariantKind::Enforce => "enforce ",
                InvariantKind::AbortIf => "abortif ",
            });
            self.expr(invariant.expr, TERNARY);
            self.text.push_str(";\n");
        }
        self.block(proc.body);
        self.depth = 0;
        self.line("end");
    }

    fn declaration(&mut self, names: &[Ident]) {
        self.text.push_str("decl ");
        self.idents(names);
        self.text.push_str(";\n");
    }

    fn block(&mut self, block: Block) {
        for &id in self.ast.block(block) {
            self.stmt(id);
        }
    }

    fn inner_block(&mut self, block: Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = &self.ast.stmts[id];
        self.indent();
        for &label in self.ast.idents(stmt.labels) {
            self.ident(label);
            self.text.push_str(": ");
        }
        match stmt.kind {
            StmtKind::If { .. } => self.if_chain(stmt),
            StmtKind::While { test, body } => {
                self.head("while", test, "do");
                self.inner_block(body);
                self.line("od");
            }
            _ => self.simple_stmt(stmt),
        }
    }

    fn if_chain(&mut self, first: &Stmt) {
        let (mut stmt, mut word) = (first, "if");
        while let StmtKind::If { test, then, otherwise } = stmt.kind {
            self.head(word, test, "then");
            self.inner_block(then);
            match otherwise {
                Otherwise::Nothing => break,
                Otherwise::Elsif(next) => {
                    stmt = &self.ast.stmts[next];
                    word = "elsif";
                    self.indent();
                }
                Otherwise::Else(block) => {
                    self.line("else");
                    self.inner_block(block);
                    break;
                }
            }
        }
        self.line("fi");
    }

    fn head(&mut self, word: &str, test: ExprId, opening: &str) {
        self.text.push_str(word);
        self.text.push(' ');
        self.in_parentheses(test);
        self.text.push(' ');
        self.text.push_str(opening);
        self.text.push('\n');
    }

    fn simple_stmt(&mut self, stmt: &Stmt) {
        match stmt.kind {
            StmtKind::Print(values) => {
                self.text.push_str("print");
                self.arguments(values);
            }
            StmtKind::Goto(labels) => {
                self.text.push_str("goto ");
                self.idents(self.ast.idents(labels));
            }
            StmtKind::Return(values) => {
                self.text.push_str(if values.is_empty() { "return" } else { "return " });
                self.exprs(values);
            }
            StmtKind::Assign { targets, values, constraint } => {
                self.targets(targets);
                self.exprs(values);
                if let Some(constraint) = constraint {
                    self.text.push_str(" constrain ");
                    self.expr(constraint, TERNARY);
                }
            }
            StmtKind::Call { targets, callee, args } => {
                if !targets.is_empty() {
                    self.targets(targets);
                }
                self.ident(callee);
                self.arguments(args);
            }
            StmtKind::Assert(test) => self.call_like("assert", test),
            StmtKind::Assume(test) => self.call_like("assume", test),
            StmtKind::Constrain(test) => self.call_like("constrain", test),
            StmtKind::Dead(names) => {
                self.text.push_str("dead ");
                self.idents(self.ast.idents(names));
            }
            StmtKind::StartCall { callee, args } => {
                self.named("start_thread", callee);
                self.arguments(args);
            }
            StmtKind::StartGoto(label) => self.named("start_thread goto", label),
            StmtKind::Sync(name) => self.named("sync", name),
            StmtKind::EndThread => self.text.push_str("end_thread"),
            StmtKind::AtomicBegin => self.text.push_str("atomic_begin"),
            StmtKind::AtomicEnd => self.text.push_str("atomic_end"),
            StmtKind::Skip | StmtKind::If { .. } | StmtKind::While { .. } => self.text.push_str("skip"),
        }
        self.text.push_str(";\n");
    }

    fn named(&mut self, word: &str, name: Ident) {
        self.text.push_str(word);
        self.text.push(' ');
        self.ident(name);
    }

    fn call_like(&mut self, word: &str, test: ExprId) {
        self.text.push_str(word);
        self.in_parentheses(test);
    }

    fn in_parentheses(&mut self, expr: ExprId) {
        self.text.push('(');
        self.expr(expr, TERNARY);
        self.text.push(')');
    }

    fn arguments(&mut self, args: List<ExprId>) {
        self.text.push('(');
        self.exprs(args);
        self.text.push(')');
    }

    fn targets(&mut self, targets: List<Ident>) {
        self.idents(self.ast.idents(targets));
        self.text.push_str(" := ");
    }

    fn exprs(&mut self, list: List<ExprId>) {
        for (row, &expr) in self.ast.expr_list(list).iter().enumerate() {
            if row > 0 {
                self.text.push_str(", ");
            }
            self.expr(expr, TERNARY);
        }
    }

    /// `id`, in parentheses where it binds less tightly than `surroundings`.
    fn expr(&mut self, id: ExprId, surroundings: u8) {
        let kind = self.ast.exprs[id].kind;
        let own = match kind {
            ExprKind::Ite(..) => TERNARY,
            ExprKind::Binary(op, ..) => op.precedence(),
            _ => UNARY,
        };
        if own < surroundings {
            return self.in_parentheses(id);
        }
        match kind {
            ExprKind::Const(true) => self.text.push('T'),
            ExprKind::Const(false) => self.text.push('F'),
            ExprKind::Var(name) => self.text.push_str(self.ast.names.text(name)),
            ExprKind::Next(name) => {
                self.text.push('\'');
                self.text.push_str(self.ast.names.text(name));
            }
            ExprKind::Any => self.text.push('*'),
            ExprKind::Not(operand) => {
                self.text.push('!');
                self.expr(operand, UNARY);
            }
            ExprKind::Binary(op, left, right) => {
                // A chain of implications is never written without parentheses, which would only be a riddle.
                self.expr(left, own + u8::from(op == BinaryOp::Implies));
                self.text.push(' ');
                self.text.push_str(op.text());
                self.text.push(' ');
                self.expr(right, own + 1);
            }
            ExprKind::Ite(test, yes, no) => {
                self.expr(test, TERNARY + 1);
                self.text.push_str(" ? ");
                self.expr(yes, TERNARY);
                self.text.push_str(" : ");
                self.expr(no, TERNARY);
            }
            ExprKind::Schoose(positive, negative) => {
                self.text.push_str("schoose[");
                self.expr(positive, TERNARY);
                self.text.push_str(", ");
                self.expr(negative, TERNARY);
                self.text.push(']');
            }
        }
    }

    fn idents(&mut self, idents: &[Ident]) {
        for (row, &ident) in idents.iter().enumerate() {
            if row > 0 {
                self.text.push_str(", ");
            }
            self.ident(ident);
        }
    }

    fn ident(&mut self, ident: Ident) {
        self.text.push_str(self.ast.text(ident));
    }

    fn line(&mut self, word: &str) {
        self.indent();
        self.text.push_str(word);
        self.text.push('\n');
    }

    fn indent(&mut self) {
        let levels = self.depth.min(MAX_INDENT);
        self.text.extend(std::iter::repeat_n("  ", levels));
    }
}
