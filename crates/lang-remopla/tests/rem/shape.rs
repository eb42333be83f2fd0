//! A syntax tree without its spans, as nested lists.

use hardbop_lang_remopla::rem::Ast;
use hardbop_lang_remopla::rem::ast::{
    Assign, AssignOp, Block, Branch, Decl, DeclType, ExprId, ExprKind, Guard, Header, Ident, List, Primes, Quantity,
    StmtId, StmtKind, TypeName, Value,
};

pub fn of(ast: &Ast) -> String {
    let tree = Tree { ast };
    let mut text = String::new();
    for define in &ast.defines {
        text += &format!("define {} {}\n", ast.text(define.name), tree.expr(define.value));
    }
    for kind in &ast.enums {
        let name = kind.name.map_or("_", |name| ast.text(name));
        text += &format!("enum {name} {}\n", tree.idents(kind.members));
    }
    for kind in &ast.structs {
        let name = kind.name.map_or("_", |name| ast.text(name));
        text += &format!("struct {name} {}\n", tree.decls(ast.decls(kind.members)));
    }
    if !ast.globals.is_empty() {
        text += &format!("globals {}\n", tree.decls(&ast.globals));
    }
    for header in &ast.forwards {
        text += &format!("forward {}\n", tree.header(header));
    }
    for &init in &ast.inits {
        text += &format!("init {}\n", ast.text(init));
    }
    for module in &ast.modules {
        let locals = tree.decls(ast.decls(module.locals));
        text += &format!("module {} {locals} {}\n", tree.header(&module.header), tree.block(module.body.block));
    }
    if !ast.block(ast.outside.block).is_empty() {
        text += &format!("outside {}\n", tree.block(ast.outside.block));
    }
    text
}

struct Tree<'a> {
    ast: &'a Ast,
}

impl Tree<'_> {
    fn idents(&self, list: List<Ident>) -> String {
        let names: Vec<_> = self.ast.idents(list).iter().map(|&ident| self.ast.text(ident)).collect();
        format!("[{}]", names.join(" "))
    }

    fn decls(&self, decls: &[Decl]) -> String {
        let decls: Vec<_> =
            decls.iter().map(|decl| format!("({} {})", self.kind(&decl.kind), self.ast.text(decl.name))).collect();
        format!("[{}]", decls.join(" "))
    }

    fn header(&self, header: &Header) -> String {
        let result = header.result.as_ref().map_or("void".into(), |kind| self.kind(kind));
        format!("({result} {} {})", self.ast.text(header.name), self.decls(self.ast.decls(header.params)))
    }

    fn kind(&self, kind: &DeclType) -> String {
        let mut text = match kind.base {
            TypeName::Bool => "bool".into(),
            TypeName::Int => "int".into(),
            TypeName::Enum(name) => format!("enum {}", self.ast.text(name)),
            TypeName::InlineEnum(id) => format!("{id}"),
            TypeName::Struct(name) => format!("struct {}", self.ast.text(name)),
            TypeName::InlineStruct(id) => format!("{id}"),
        };
        for dim in kind.dims.iter().flatten() {
            let low = dim.low.map(|low| format!("{}..", self.expr(low))).unwrap_or_default();
            text += &format!("[{low}{}]", self.expr(dim.high));
        }
        if let Some(bits) = kind.bits {
            text += &format!("({})", self.expr(bits));
        }
        text
    }

    fn block(&self, block: Block) -> String {
        let stmts: Vec<_> = self.ast.block(block).iter().map(|&id| self.stmt(id)).collect();
        format!("[{}]", stmts.join(" "))
    }

    fn stmt(&self, id: StmtId) -> String {
        let stmt = &self.ast.stmts[id];
        let labels: String =
            self.ast.idents(stmt.labels).iter().map(|&label| self.ast.text(label).to_owned() + ": ").collect();
        format!("({labels}{})", self.action(stmt.kind))
    }

    fn action(&self, kind: StmtKind) -> String {
        match kind {
            StmtKind::Skip(None) => "skip".into(),
            StmtKind::Skip(Some(test)) => format!("skip {}", self.expr(test)),
            StmtKind::Assign(assigns) => self.assigns(assigns),
            StmtKind::Call { target, callee, args, also } => {
                let target = target.map(|target| format!("{} = ", self.expr(target))).unwrap_or_default();
                format!("{target}call {} {} {}", self.ast.text(callee), self.values(args), self.assigns(also))
            }
            StmtKind::Return(None) => "return".into(),
            StmtKind::Return(Some(value)) => format!("return {}", self.value(value)),
            StmtKind::Goto { label, also } => format!("goto {} {}", self.ast.text(label), self.assigns(also)),
            StmtKind::Break => "break".into(),
            StmtKind::If(branches) => format!("if {}", self.branches(branches)),
            StmtKind::Do(branches) => format!("do {}", self.branches(branches)),
            StmtKind::Chance(branches) => format!("pchoice {}", self.branches(branches)),
            StmtKind::Fork { callee, args } => format!("fork {} {}", self.ast.text(callee), self.values(args)),
            StmtKind::Rule(rule) => {
                let condition = rule.condition.map(|condition| self.expr(condition)).unwrap_or_default();
                let (from, top, to) = (self.ast.text(rule.from), self.ast.text(rule.top), self.ast.text(rule.to));
                format!("rule {from} {top} {to} {} {condition}", self.idents(rule.pushed))
            }
        }
    }

    fn branches(&self, list: List<Branch>) -> String {
        let branches = self.ast.branches(list).iter().map(|branch| {
            let guard = match branch.guard {
                Guard::Test(test) => self.expr(test),
                Guard::Else => "else".into(),
                Guard::Chance => "?".into(),
            };
            format!("({guard} {})", self.block(branch.body))
        });
        branches.collect::<Vec<_>>().join(" ")
    }

    fn assigns(&self, list: List<Assign>) -> String {
        let assigns = self.ast.assigns(list).iter().map(|assign| {
            let quantifiers = self.ast.quantifiers(assign.quantifiers).iter().map(|quantifier| {
                let var = self.ast.text(quantifier.var);
                format!("A {var} {} {} ", self.expr(quantifier.low), self.expr(quantifier.high))
            });
            let quantifiers: String = quantifiers.collect();
            let op = if assign.relation == AssignOp::Equal { "=" } else { "!=" };
            format!("({quantifiers}{op} {} {})", self.expr(assign.target), self.value(assign.value))
        });
        format!("[{}]", assigns.collect::<Vec<_>>().join(" "))
    }

    fn values(&self, list: List<Value>) -> String {
        let values: Vec<_> = self.ast.values(list).iter().map(|&value| self.value(value)).collect();
        format!("[{}]", values.join(" "))
    }

    fn value(&self, value: Value) -> String {
        match value {
            Value::Of(expr) => self.expr(expr),
            Value::Undef(_) => "undef".into(),
        }
    }

    fn expr(&self, id: ExprId) -> String {
        match self.ast.exprs[id].kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Number(value) => value.to_string(),
            ExprKind::Name(name, primes) => {
                let primes = match primes {
                    Primes::None => "",
                    Primes::One => "'",
                    Primes::Two => "''",
                };
                format!("{}{primes}", self.ast.names.text(name))
            }
            ExprKind::Index(base, index) => format!("(at {} {})", self.expr(base), self.expr(index)),
            ExprKind::Member(base, member) => format!("(of {} {})", self.expr(base), self.ast.text(member)),
            ExprKind::Not(operand) => format!("(! {})", self.expr(operand)),
            ExprKind::Binary(op, left, right) => format!("({} {} {})", op.text(), self.expr(left), self.expr(right)),
            ExprKind::Quantified { quantity, var, low, high, body } => {
                let word = if quantity == Quantity::All { "A" } else { "E" };
                let (var, low, high) = (self.ast.text(var), self.expr(low), self.expr(high));
                format!("({word} {var} {low} {high} {})", self.expr(body))
            }
        }
    }
}
