//! A syntax tree without its spans, as nested lists.

use hardbop_lang_bp::Ast;
use hardbop_lang_bp::ast::{
    Block, ExprId, ExprKind, Ident, InvariantKind, List, Otherwise, Results, Stmt, StmtId, StmtKind,
};

pub fn of(ast: &Ast) -> String {
    let tree = Tree { ast };
    let globals: Vec<_> = ast.globals.iter().map(|&ident| ast.text(ident)).collect();
    let procs = ast.procs.iter().map(|proc| {
        let results = match proc.results {
            Results::Exactly(count) => count.to_string(),
            Results::Inferred => "?".into(),
        };
        let invariants = ast.invariants(proc.invariants).iter().map(|invariant| {
            let word = match invariant.kind {
                InvariantKind::Enforce => "enforce",
                InvariantKind::AbortIf => "abortif",
            };
            format!("({word} {})", tree.expr(invariant.expr))
        });
        let (name, formals, locals) = (ast.text(proc.name), tree.idents(proc.formals), tree.idents(proc.locals));
        let invariants: String = invariants.collect();
        format!("({results} {name} {formals} {locals} [{invariants}] {})", tree.block(proc.body))
    });
    format!("[{}] {}", globals.join(" "), procs.collect::<Vec<_>>().join(" "))
}

struct Tree<'a> {
    ast: &'a Ast,
}

impl Tree<'_> {
    fn idents(&self, list: List<Ident>) -> String {
        let names: Vec<_> = self.ast.idents(list).iter().map(|&ident| self.ast.text(ident)).collect();
        format!("[{}]", names.join(" "))
    }

    fn exprs(&self, list: List<ExprId>) -> String {
        let exprs: Vec<_> = self.ast.expr_list(list).iter().map(|&id| self.expr(id)).collect();
        format!("[{}]", exprs.join(" "))
    }

    fn block(&self, block: Block) -> String {
        let stmts: Vec<_> = self.ast.block(block).iter().map(|&id| self.stmt(id)).collect();
        format!("[{}]", stmts.join(" "))
    }

    fn stmt(&self, id: StmtId) -> String {
        let stmt = &self.ast.stmts[id];
        format!("({}{})", self.idents(stmt.labels), self.kind(stmt))
    }

    fn kind(&self, stmt: &Stmt) -> String {
        match stmt.kind {
            StmtKind::Skip => "skip".into(),
            StmtKind::Print(values) => format!("print {}", self.exprs(values)),
            StmtKind::Goto(labels) => format!("goto {}", self.idents(labels)),
            StmtKind::Return(values) => format!("return {}", self.exprs(values)),
            StmtKind::Assign { targets, values, constraint } => {
                let constraint = constraint.map(|constraint| self.expr(constraint)).unwrap_or_default();
                format!("assign {} {} [{constraint}]", self.idents(targets), self.exprs(values))
            }
            StmtKind::Call { targets, callee, args } => {
                format!("call {} {} {}", self.idents(targets), self.ast.text(callee), self.exprs(args))
            }
            StmtKind::If { test, then, otherwise } => {
                let otherwise = match otherwise {
                    Otherwise::Nothing => "nothing".into(),
                    Otherwise::Elsif(stmt) => format!("elsif {}", self.stmt(stmt)),
                    Otherwise::Else(block) => format!("else {}", self.block(block)),
                };
                format!("if {} {} {otherwise}", self.expr(test), self.block(then))
            }
            StmtKind::While { test, body } => format!("while {} {}", self.expr(test), self.block(body)),
            StmtKind::Assert(test) => format!("assert {}", self.expr(test)),
            StmtKind::Assume(test) => format!("assume {}", self.expr(test)),
            StmtKind::Constrain(test) => format!("constrain {}", self.expr(test)),
            StmtKind::Dead(names) => format!("dead {}", self.idents(names)),
            StmtKind::StartCall { callee, args } => format!("start {} {}", self.ast.text(callee), self.exprs(args)),
            StmtKind::StartGoto(label) => format!("start-goto {}", self.ast.text(label)),
            StmtKind::EndThread => "end_thread".into(),
            StmtKind::Sync(name) => format!("sync {}", self.ast.text(name)),
            StmtKind::AtomicBegin => "atomic_begin".into(),
            StmtKind::AtomicEnd => "atomic_end".into(),
        }
    }

    fn expr(&self, id: ExprId) -> String {
        match self.ast.exprs[id].kind {
            ExprKind::Const(value) => if value { "T" } else { "F" }.into(),
            ExprKind::Var(name) => self.ast.names.text(name).into(),
            ExprKind::Next(name) => format!("{}'", self.ast.names.text(name)),
            ExprKind::Any => "*".into(),
            ExprKind::Not(a) => format!("(! {})", self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", op.text(), self.expr(a), self.expr(b)),
            ExprKind::Ite(a, b, c) => format!("(? {} {} {})", self.expr(a), self.expr(b), self.expr(c)),
            ExprKind::Schoose(a, b) => format!("(schoose {} {})", self.expr(a), self.expr(b)),
        }
    }
}
