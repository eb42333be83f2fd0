//! Expressions and statements, operator first.

use crate::print::{Printer, join};
use hardbop_lang_c::ast::{
    Asm, AsmOperand, BinaryOp, Encoding, ExprId, ExprKind, Integer, StmtId, StmtKind, StringId, UnaryOp, Units,
};

impl Printer<'_> {
    pub fn expr(&self, id: ExprId) -> String {
        match &self.ast.exprs[id].kind {
            ExprKind::Name(name) => self.name(*name).into(),
            ExprKind::Integer(integer) => print_integer(*integer),
            ExprKind::Float(it) => {
                format!("(float {} {:?}{})", it.text, it.kind, if it.is_imaginary { " i" } else { "" })
            }
            ExprKind::Char(it) if it.encoding == Encoding::Plain => format!("(char {})", it.value),
            ExprKind::Char(it) => format!("(char {:?} {})", it.encoding, it.value),
            ExprKind::String(string) => self.string(*string),
            ExprKind::Unary(op, operand) => format!("({} {})", unary(*op), self.expr(*operand)),
            ExprKind::Binary(op, left, right) => {
                format!("({} {} {})", binary(*op), self.expr(*left), self.expr(*right))
            }
            ExprKind::Assign(op, left, right) => {
                format!("({}= {} {})", op.map_or("", binary), self.expr(*left), self.expr(*right))
            }
            ExprKind::Conditional(condition, None, no) => format!("(?: {} {})", self.expr(*condition), self.expr(*no)),
            ExprKind::Conditional(condition, Some(yes), no) => {
                format!("(? {} {} {})", self.expr(*condition), self.expr(*yes), self.expr(*no))
            }
            ExprKind::Call(function, arguments) => {
                let arguments: String = arguments.iter().map(|&it| format!(" {}", self.expr(it))).collect();
                format!("(call {}{arguments})", self.expr(*function))
            }
            ExprKind::Index(array, index) => format!("([] {} {})", self.expr(*array), self.expr(*index)),
            ExprKind::Member(record, member) => format!("(. {} {})", self.expr(*record), self.name(member.name)),
            ExprKind::Arrow(record, member) => format!("(-> {} {})", self.expr(*record), self.name(member.name)),
            other => self.typed_expr(other),
        }
    }

    fn typed_expr(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::Cast(name, operand) => format!("(cast {} {})", self.type_name(name), self.expr(*operand)),
            ExprKind::Compound(name, list) => format!("(compound {} {})", self.type_name(name), self.init_list(list)),
            ExprKind::SizeofExpr(operand) => format!("(sizeof {})", self.expr(*operand)),
            ExprKind::SizeofType(name) => format!("(sizeof {})", self.type_name(name)),
            ExprKind::AlignofExpr(operand) => format!("(alignof {})", self.expr(*operand)),
            ExprKind::AlignofType(name) => format!("(alignof {})", self.type_name(name)),
            ExprKind::Statement(block) => format!("(stmt {})", self.stmt(*block)),
            ExprKind::LabelAddress(label) => format!("(&& {})", self.name(label.name)),
            ExprKind::Generic(control, choices) => {
                let one = |(name, choice): &(Option<hardbop_lang_c::ast::TypeName>, ExprId)| {
                    let name = name.as_ref().map_or("default".into(), |name| self.type_name(name));
                    format!(" {name}: {}", self.expr(*choice))
                };
                format!("(generic {}{})", self.expr(*control), choices.iter().map(one).collect::<String>())
            }
            ExprKind::VaArg(list, name) => format!("(va_arg {} {})", self.expr(*list), self.type_name(name)),
            ExprKind::Offsetof(name, path) => {
                format!("(offsetof {} {})", self.type_name(name), self.designators(path))
            }
            ExprKind::TypesCompatible(left, right) => {
                format!("(compatible {} {})", self.type_name(left), self.type_name(right))
            }
            ExprKind::Choose(condition, yes, no) => {
                format!("(choose {} {} {})", self.expr(*condition), self.expr(*yes), self.expr(*no))
            }
            ExprKind::ConvertVector(vector, name) => {
                format!("(convertvector {} {})", self.expr(*vector), self.type_name(name))
            }
            other => format!("({other:?})"),
        }
    }

    pub fn string(&self, id: StringId) -> String {
        let string = &self.ast.strings[id];
        let prefix = match string.encoding {
            Encoding::Plain => "",
            Encoding::Utf8 => "u8",
            Encoding::Utf16 => "u",
            Encoding::Utf32 => "U",
            Encoding::Wide => "L",
        };
        match &string.units {
            Units::Bytes(bytes) => format!("{prefix}\"{}\"", bytes.escape_ascii()),
            Units::Wide(units) => format!("{prefix}{units:?}"),
        }
    }

    pub fn stmt(&self, id: StmtId) -> String {
        let maybe = |expr: Option<ExprId>| expr.map_or("_".into(), |expr| self.expr(expr));
        match &self.ast.stmts[id].kind {
            StmtKind::Block(stmts) => {
                format!("{{{}}}", join(stmts.iter().map(|&stmt| self.stmt(stmt)), " "))
            }
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            StmtKind::LocalLabels(labels) => format!("(labels {})", self.idents(labels)),
            StmtKind::NestedFunction(function) => self.function(function),
            StmtKind::Expr(expr) => self.expr(*expr),
            StmtKind::Empty => ";".into(),
            StmtKind::If(condition, then, other) => {
                let other = other.map(|other| format!(" {}", self.stmt(other))).unwrap_or_default();
                format!("(if {} {}{other})", self.expr(*condition), self.stmt(*then))
            }
            StmtKind::While(condition, body) => format!("(while {} {})", self.expr(*condition), self.stmt(*body)),
            StmtKind::DoWhile(body, condition) => format!("(do {} {})", self.stmt(*body), self.expr(*condition)),
            StmtKind::For { init, condition, step, body } => {
                let init = init.map_or("_".into(), |init| self.stmt(init));
                format!("(for {init} {} {} {})", maybe(*condition), maybe(*step), self.stmt(*body))
            }
            StmtKind::Switch(value, body) => format!("(switch {} {})", self.expr(*value), self.stmt(*body)),
            StmtKind::Case(low, high, stmt) => {
                let high = high.map(|high| format!("...{}", self.expr(high))).unwrap_or_default();
                format!("(case {}{high} {})", self.expr(*low), self.stmt(*stmt))
            }
            StmtKind::Default(stmt) => format!("(default {})", self.stmt(*stmt)),
            StmtKind::Label(label, stmt) => format!("({}: {})", self.name(label.name), self.stmt(*stmt)),
            StmtKind::Goto(label) => format!("(goto {})", self.name(label.name)),
            StmtKind::GotoComputed(target) => format!("(goto* {})", self.expr(*target)),
            StmtKind::Break => "break".into(),
            StmtKind::Continue => "continue".into(),
            StmtKind::Return(value) => format!("(return {})", maybe(*value)),
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::Error => "(error)".into(),
        }
    }

    fn asm(&self, asm: &Asm) -> String {
        let operands = |operands: &[AsmOperand]| {
            let one = |it: &AsmOperand| {
                let name = it.name.map(|name| format!("[{}] ", self.name(name.name))).unwrap_or_default();
                format!("{name}{} {}", self.string(it.constraint), self.expr(it.value))
            };
            join(operands.iter().map(one), ", ")
        };
        let clobbers = join(asm.clobbers.iter().map(|&it| self.string(it)), " ");
        let volatile = if asm.is_volatile { "volatile " } else { "" };
        let (outputs, inputs) = (operands(&asm.outputs), operands(&asm.inputs));
        let labels = self.idents(&asm.labels);
        format!("(asm {volatile}{} out({outputs}) in({inputs}) ({clobbers}) ({labels}))", self.string(asm.text))
    }
}

fn print_integer(it: Integer) -> String {
    let value = if it.is_decimal { it.value.to_string() } else { format!("{:#x}", it.value) };
    let sign = if it.is_unsigned { "u" } else { "" };
    format!("{value}{sign}{}{}", "l".repeat(it.longs.into()), if it.is_imaginary { "i" } else { "" })
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::Deref => "*",
        UnaryOp::AddressOf => "&",
        UnaryOp::PreIncrement => "++_",
        UnaryOp::PreDecrement => "--_",
        UnaryOp::PostIncrement => "_++",
        UnaryOp::PostDecrement => "_--",
        UnaryOp::Real => "real",
        UnaryOp::Imaginary => "imag",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Comma => ",",
    }
}
