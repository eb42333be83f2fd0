//! Programs as the oracle knows them, and how they are written. Nothing here is shared with the front end.

use std::fmt::{Display, Formatter, Result, Write};

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Bool,
    Int(u32),
    /// `enum color`, with as many members.
    Enum(u64),
    Array(u64, u64, Box<Type>),
    /// `struct NAME`, with its members.
    Struct(&'static str, Vec<(&'static str, Type)>),
}

impl Type {
    /// The scalars in a value, each with the path to it.
    pub fn scalars(&self) -> Vec<(String, Type)> {
        match self {
            Self::Bool | Self::Int(_) | Self::Enum(_) => vec![(String::new(), self.clone())],
            Self::Array(low, len, of) => {
                let rows = (*low..low + len).flat_map(|row| prefixed(&format!("[{row}]"), of));
                rows.collect()
            }
            Self::Struct(_, members) => {
                members.iter().flat_map(|(name, kind)| prefixed(&format!(".{name}"), kind)).collect()
            }
        }
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool | Self::Int(_) | Self::Enum(_))
    }

    /// How many values a scalar has.
    pub fn count(&self) -> u64 {
        match self {
            Self::Bool => 2,
            Self::Int(width) => 1 << width,
            Self::Enum(members) => *members,
            _ => unreachable!("only scalars are counted"),
        }
    }

    /// `int x[2](3)`, for `x`.
    pub fn declare(&self, name: &str) -> String {
        let (mut base, mut dims) = (self, String::new());
        while let Self::Array(low, len, of) = base {
            dims += &if *low == 0 { format!("[{len}]") } else { format!("[{low},{}]", low + len - 1) };
            base = of;
        }
        match base {
            Self::Bool => format!("bool {name}{dims}"),
            Self::Int(width) => format!("int {name}{dims}({width})"),
            Self::Enum(_) => format!("enum color {name}{dims}"),
            Self::Struct(kind, _) => format!("struct {kind} {name}{dims}"),
            Self::Array(..) => unreachable!("the dimensions have been taken off"),
        }
    }
}

fn prefixed(prefix: &str, kind: &Type) -> Vec<(String, Type)> {
    kind.scalars().into_iter().map(|(path, kind)| (format!("{prefix}{path}"), kind)).collect()
}

/// A variable: its number among the globals or among the module's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Var {
    Global(usize),
    Local(usize),
}

#[derive(Clone, Debug)]
pub struct Decl {
    pub name: &'static str,
    pub kind: Type,
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: &'static str,
    pub result: Option<Type>,
    /// Parameters, then other locals.
    pub own: Vec<Decl>,
    pub params: usize,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Moped,
    Leak,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub dialect: Dialect,
    pub globals: Vec<Decl>,
    /// The first one is `main`; one calls only later ones.
    pub modules: Vec<Module>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub label: Option<String>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Skip(Option<Expr>),
    Assign(Vec<Assign>),
    Call { target: Option<Place>, callee: usize, args: Vec<Option<Value>>, also: Vec<Assign> },
    Return(Option<Option<Value>>),
    Goto(String, Vec<Assign>),
    Break,
    If(Vec<Branch>),
    Do(Vec<Branch>),
    Chance(Vec<Vec<Stmt>>),
    Fork(usize, Vec<Option<Value>>),
}

#[derive(Clone, Debug)]
pub struct Branch {
    /// None for `else`.
    pub guard: Option<Expr>,
    pub body: Vec<Stmt>,
}

/// Something scalar, or all of an array or a structure.
#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Expr),
    Whole(Place),
}

#[derive(Clone, Debug)]
pub struct Assign {
    /// `A i (lo,hi)`.
    pub quantifier: Option<(u64, u64)>,
    pub target: Place,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub enum Source {
    Of(Value),
    AnyBut(Expr),
    Undef,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub var: Var,
    pub name: &'static str,
    pub path: Vec<Step>,
}

#[derive(Clone, Debug)]
pub enum Step {
    Index(Expr),
    Member(&'static str),
}

#[derive(Clone, Debug)]
pub enum Expr {
    Bool(bool),
    Number(u64),
    /// A constant with a name: `red`, `green`, `blue`, `two`.
    Named(&'static str, u64),
    /// The name that the quantifier around it binds.
    Bound,
    Read(Place),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    All(u64, u64, Box<Expr>),
    Some(u64, u64, Box<Expr>),
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Named(name, _) => f.write_str(name),
            Self::Bound => f.write_str("i"),
            Self::Read(place) => write!(f, "{place}"),
            Self::Not(operand) => write!(f, "!{operand}"),
            Self::Binary(op, left, right) => write!(f, "({left} {op} {right})"),
            Self::All(low, high, body) => write!(f, "(A i ({low},{high}) ({body}))"),
            Self::Some(low, high, body) => write!(f, "(E i ({low},{high}) ({body}))"),
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.name)?;
        for step in &self.path {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Member(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Scalar(expr) => write!(f, "{expr}"),
            Self::Whole(place) => write!(f, "{place}"),
        }
    }
}

impl Display for Assign {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some((low, high)) = self.quantifier {
            write!(f, "A i ({low},{high}) ")?;
        }
        match &self.source {
            Source::Of(value) => write!(f, "{} = {value}", self.target),
            Source::AnyBut(value) => write!(f, "{} != {value}", self.target),
            Source::Undef => write!(f, "{} = undef", self.target),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("define two 2\nenum color { red, green, blue };\n")?;
        f.write_str("struct pair { int u(2); bool v; };\nstruct tiny { int u(1); bool v; };\n")?;
        for decl in &self.globals {
            writeln!(f, "{};", decl.kind.declare(decl.name))?;
        }
        for module in &self.modules {
            writeln!(f, "{};", module.header())?;
        }
        if self.dialect == Dialect::Moped {
            f.write_str("init main;\n")?;
        }
        for module in &self.modules {
            writeln!(f, "{} {{", module.header())?;
            for decl in &module.own[module.params..] {
                writeln!(f, "  {};", decl.kind.declare(decl.name))?;
            }
            self.block(f, &module.body, 1)?;
            f.write_str("}\n")?;
        }
        Ok(())
    }
}

impl Module {
    fn header(&self) -> String {
        let params: Vec<_> = self.own[..self.params].iter().map(|decl| decl.kind.declare(decl.name)).collect();
        let result = match &self.result {
            Some(kind) => kind.declare("").trim_end().replace(" [", "[").replace(" (", "("),
            None => "void".into(),
        };
        format!("module {result} {}({})", self.name, params.join(", "))
    }
}

impl Program {
    fn block(&self, f: &mut Formatter<'_>, stmts: &[Stmt], depth: usize) -> Result {
        stmts.iter().try_for_each(|stmt| self.stmt(f, stmt, depth))
    }

    fn stmt(&self, f: &mut Formatter<'_>, stmt: &Stmt, depth: usize) -> Result {
        let indent = "  ".repeat(depth);
        f.write_str(&indent)?;
        if let Some(label) = &stmt.label {
            write!(f, "{label}: ")?;
        }
        match &stmt.kind {
            Kind::Skip(None) => f.write_str("skip;\n"),
            Kind::Skip(Some(test)) => writeln!(f, "skip ({test});"),
            Kind::Assign(assigns) => writeln!(f, "{};", list(assigns)),
            Kind::Call { target, callee, args, also } => {
                if let Some(target) = target {
                    write!(f, "{target} = ")?;
                }
                write!(f, "{}({})", self.modules[*callee].name, arguments(args))?;
                writeln!(f, "{};", further(also))
            }
            Kind::Return(None) => f.write_str("return;\n"),
            Kind::Return(Some(value)) => writeln!(f, "return {};", arguments(std::slice::from_ref(value))),
            Kind::Goto(label, also) => writeln!(f, "goto {label}{};", further(also)),
            Kind::Break => f.write_str("break;\n"),
            Kind::If(branches) => self.branches(f, ("if", "fi"), branches, depth),
            Kind::Do(branches) => self.branches(f, ("do", "od"), branches, depth),
            Kind::Chance(bodies) => {
                f.write_str("pchoice\n")?;
                for body in bodies {
                    writeln!(f, "{indent}:: 0.25 ->")?;
                    self.block(f, body, depth + 1)?;
                }
                writeln!(f, "{indent}choicep;")
            }
            Kind::Fork(callee, args) => writeln!(f, "fork {}({});", self.modules[*callee].name, arguments(args)),
        }
    }

    fn branches(&self, f: &mut Formatter<'_>, words: (&str, &str), branches: &[Branch], depth: usize) -> Result {
        let indent = "  ".repeat(depth);
        writeln!(f, "{}", words.0)?;
        for branch in branches {
            match &branch.guard {
                Some(guard) => writeln!(f, "{indent}:: {guard} ->")?,
                None => writeln!(f, "{indent}:: else ->")?,
            }
            self.block(f, &branch.body, depth + 1)?;
        }
        writeln!(f, "{indent}{}", words.1)
    }
}

fn list(assigns: &[Assign]) -> String {
    assigns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn further(assigns: &[Assign]) -> String {
    assigns.iter().fold(String::new(), |mut text, assign| {
        write!(text, ", {assign}").expect("a string can be written to");
        text
    })
}

fn arguments(args: &[Option<Value>]) -> String {
    let text = |arg: &Option<Value>| arg.as_ref().map_or("undef".into(), ToString::to_string);
    args.iter().map(text).collect::<Vec<_>>().join(", ")
}
