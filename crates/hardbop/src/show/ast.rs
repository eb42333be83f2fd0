//! The syntax tree of a boolean program, indented.
//!
//! Written with a stack of its own: a program may be nested deeper than a thread's stack. Indentation stops where
//! nobody could count it any more, so that the text stays linear in the tree.

use hardbop_base::SourceMap;
use hardbop_lang_bp::Ast;
use hardbop_lang_bp::ast::{
    Block, ExprId, ExprKind, Ident, InvariantKind, List, Otherwise, Proc, Results, StmtId, StmtKind,
};
use std::fmt::Write;

const DEEPEST: usize = 40;

/// The tree of `ast`.
pub fn text(ast: &Ast, sources: &SourceMap) -> String {
    let mut printer = Printer { ast, sources, text: String::new(), waiting: Vec::new() };
    if !ast.globals.is_empty() {
        printer.line(0, &format!("globals {}", printer.names(&ast.globals)));
    }
    for proc in &ast.procs {
        printer.proc(proc);
    }
    printer.text
}

struct Printer<'a> {
    ast: &'a Ast,
    sources: &'a SourceMap,
    text: String,
    /// What is still to be printed, the next one last.
    waiting: Vec<(usize, Item)>,
}

/// A node of the tree.
enum Item {
    Head(&'static str),
    Stmt(StmtId),
    Elsif(StmtId),
    Expr(ExprId),
}

impl Printer<'_> {
    fn proc(&mut self, proc: &Proc) {
        let ast = self.ast;
        let results = match proc.results {
            Results::Exactly(results) => results.to_string(),
            Results::Inferred => "as many as returned".into(),
        };
        let line = self.sources.locate(proc.name.span).line;
        self.line(0, &format!("procedure {}  results {results}  line {line}", ast.text(proc.name)));
        for (what, list) in [("parameters", proc.formals), ("locals", proc.locals)] {
            if !list.is_empty() {
                self.line(1, &format!("{what} {}", self.names(ast.idents(list))));
            }
        }
        for invariant in ast.invariants(proc.invariants).iter().rev() {
            self.waiting.push((2, Item::Expr(invariant.expr)));
            self.waiting.push((
                1,
                Item::Head(match invariant.kind {
                    InvariantKind::Enforce => "enforce",
                    InvariantKind::AbortIf => "abortif",
                }),
            ));
            self.drain();
        }
        self.block(1, proc.body);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some((depth, item)) = self.waiting.pop() {
            match item {
                Item::Head(head) => self.line(depth, head),
                Item::Stmt(stmt) => self.stmt(depth, stmt, ""),
                Item::Elsif(stmt) => self.stmt(depth, stmt, "els"),
                Item::Expr(expr) => self.expr(depth, expr),
            }
        }
    }

    fn stmt(&mut self, depth: usize, id: StmtId, prefix: &str) {
        let ast = self.ast;
        let stmt = ast.stmts[id];
        let labels: String = ast.idents(stmt.labels).iter().map(|&label| format!("{}: ", ast.text(label))).collect();
        let head = self.head(stmt.kind);
        let line = self.sources.locate(stmt.span).line;
        self.line(depth, &format!("{labels}{prefix}{head}  line {line}"));
        match stmt.kind {
            StmtKind::If { test, then, otherwise } => {
                match otherwise {
                    Otherwise::Nothing => {}
                    Otherwise::Elsif(next) => self.waiting.push((depth, Item::Elsif(next))),
                    Otherwise::Else(block) => {
                        self.block(depth + 1, block);
                        self.waiting.push((depth, Item::Head("else")));
                    }
                }
                self.block(depth + 1, then);
                self.waiting.push((depth, Item::Head("then")));
                self.waiting.push((depth + 1, Item::Expr(test)));
            }
            StmtKind::While { test, body } => {
                self.block(depth + 1, body);
                self.waiting.push((depth, Item::Head("do")));
                self.waiting.push((depth + 1, Item::Expr(test)));
            }
            StmtKind::Assert(expr) | StmtKind::Assume(expr) | StmtKind::Constrain(expr) => {
                self.waiting.push((depth + 1, Item::Expr(expr)));
            }
            StmtKind::Assign { values, constraint, .. } => {
                if let Some(constraint) = constraint {
                    self.waiting.push((depth + 2, Item::Expr(constraint)));
                    self.waiting.push((depth + 1, Item::Head("constrain")));
                }
                self.exprs(depth + 1, values);
            }
            StmtKind::Print(list) | StmtKind::Return(list) => self.exprs(depth + 1, list),
            StmtKind::Call { args, .. } | StmtKind::StartCall { args, .. } => self.exprs(depth + 1, args),
            StmtKind::Skip
            | StmtKind::Goto(_)
            | StmtKind::Dead(_)
            | StmtKind::StartGoto(_)
            | StmtKind::EndThread
            | StmtKind::Sync(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd => {}
        }
    }

    fn head(&self, kind: StmtKind) -> String {
        let ast = self.ast;
        let names = |list: List<Ident>| self.names(ast.idents(list));
        match kind {
            StmtKind::Skip => "skip".into(),
            StmtKind::Print(_) => "print".into(),
            StmtKind::Goto(labels) => format!("goto {}", names(labels)),
            StmtKind::Return(_) => "return".into(),
            StmtKind::Assign { targets, .. } => format!("assign {}", names(targets)),
            StmtKind::Call { targets, callee, .. } if targets.is_empty() => format!("call {}", ast.text(callee)),
            StmtKind::Call { targets, callee, .. } => format!("call {} for {}", ast.text(callee), names(targets)),
            StmtKind::If { .. } => "if".into(),
            StmtKind::While { .. } => "while".into(),
            StmtKind::Assert(_) => "assert".into(),
            StmtKind::Assume(_) => "assume".into(),
            StmtKind::Constrain(_) => "constrain".into(),
            StmtKind::Dead(list) => format!("dead {}", names(list)),
            StmtKind::StartCall { callee, .. } => format!("start_thread {}", ast.text(callee)),
            StmtKind::StartGoto(label) => format!("start_thread goto {}", ast.text(label)),
            StmtKind::EndThread => "end_thread".into(),
            StmtKind::Sync(name) => format!("sync {}", ast.text(name)),
            StmtKind::AtomicBegin => "atomic_begin".into(),
            StmtKind::AtomicEnd => "atomic_end".into(),
        }
    }

    fn expr(&mut self, depth: usize, id: ExprId) {
        let ast = self.ast;
        let (head, operands): (String, Vec<ExprId>) = match ast.exprs[id].kind {
            ExprKind::Const(value) => (if value { "1" } else { "0" }.into(), Vec::new()),
            ExprKind::Var(name) => (ast.names.text(name).into(), Vec::new()),
            ExprKind::Next(name) => (format!("'{}", ast.names.text(name)), Vec::new()),
            ExprKind::Any => ("*".into(), Vec::new()),
            ExprKind::Not(operand) => ("!".into(), vec![operand]),
            ExprKind::Binary(operator, left, right) => (operator.text().into(), vec![left, right]),
            ExprKind::Ite(test, yes, no) => ("?:".into(), vec![test, yes, no]),
            ExprKind::Schoose(positive, negative) => ("schoose".into(), vec![positive, negative]),
        };
        self.line(depth, &head);
        self.waiting.extend(operands.into_iter().rev().map(|operand| (depth + 1, Item::Expr(operand))));
    }

    fn block(&mut self, depth: usize, block: Block) {
        let ast = self.ast;
        self.waiting.extend(ast.block(block).iter().rev().map(|&stmt| (depth, Item::Stmt(stmt))));
    }

    fn exprs(&mut self, depth: usize, list: List<ExprId>) {
        let ast = self.ast;
        self.waiting.extend(ast.expr_list(list).iter().rev().map(|&expr| (depth, Item::Expr(expr))));
    }

    fn names(&self, idents: &[Ident]) -> String {
        idents.iter().map(|&ident| self.ast.text(ident)).collect::<Vec<_>>().join(", ")
    }

    fn line(&mut self, depth: usize, text: &str) {
        let indent = 2 * depth.min(DEEPEST);
        let note = if depth > DEEPEST { format!("[depth {depth}] ") } else { String::new() };
        writeln!(self.text, "{:indent$}{note}{text}", "").expect("a string takes everything");
    }
}
