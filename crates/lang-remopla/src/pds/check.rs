//! Whether every expression makes sense: names, primes, indexes and types. On the way, what numbers are used for.

use super::ast::{Ast, BinaryOp, ExprId, ExprKind, Family, Ident};
use super::constants::{Known, NotConstant};
use super::names::NameId;
use super::scope::{DeclId, Frames, Meaning, Meaningless, Place, Scopes, Shape, SymbolId};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Idx, IndexVec, Span};
use hardbop_icfg::Role;

/// Checks all expressions; returns the role of each variable.
pub(super) fn check(ast: &Ast, scopes: &Scopes, findings: &mut Findings) -> IndexVec<DeclId, Role> {
    let classes = Classes::new(scopes.variables.len());
    // Never looked at: an initial configuration comes with its symbol.
    let nowhere = Frames { left: SymbolId::from_usize(0), first: None, second: None, place: Place::Initial };
    let mut checker = Checker { ast, scopes, findings, classes, frames: nowhere, bindings: Vec::new() };
    if let Some(initial) = ast.initial {
        checker.frames = Frames { left: scopes.symbol(initial.symbol), ..nowhere };
        for expr in initial.globals.into_iter().chain(initial.locals) {
            checker.formula(expr);
        }
    }
    for rule in &ast.rules {
        if checker.findings.is_full() {
            break;
        }
        checker.frames = scopes.frames(rule);
        if let Some(condition) = rule.condition {
            checker.formula(condition);
        }
    }
    checker.check_atoms();
    checker.classes.roles()
}

struct Checker<'a> {
    ast: &'a Ast,
    scopes: &'a Scopes,
    findings: &'a mut Findings,
    classes: Classes,
    frames: Frames,
    bindings: Vec<(NameId, u64)>,
}

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Bool,
    Number,
    /// 0 or 1, which can be either.
    Digit,
    /// Something is wrong with it, and has been reported.
    Wrong,
}

/// An expression's type and, for a number, a variable that it is made of.
#[derive(Clone, Copy)]
struct Typed {
    kind: Type,
    variable: Option<DeclId>,
}

impl Typed {
    const WRONG: Self = Self::of(Type::Wrong);

    const fn of(kind: Type) -> Self {
        Self { kind, variable: None }
    }
}

impl Checker<'_> {
    fn formula(&mut self, expr: ExprId) {
        let kind = self.typed(expr).kind;
        if kind == Type::Number {
            let span = self.ast.exprs[expr].span;
            self.mismatch(span, "this is a number, where something true or false belongs");
        }
    }

    fn number(&mut self, expr: ExprId) -> Typed {
        let typed = self.typed(expr);
        if typed.kind == Type::Bool && !self.is_variable(expr) {
            let span = self.ast.exprs[expr].span;
            self.mismatch(span, "this is true or false, where a number belongs");
            return Typed::WRONG;
        }
        typed
    }

    /// A boolean variable is also the number 0 or 1.
    fn is_variable(&self, expr: ExprId) -> bool {
        matches!(self.ast.exprs[expr].kind, ExprKind::Name { .. })
    }

    fn typed(&mut self, expr: ExprId) -> Typed {
        let ast = self.ast;
        let node = &ast.exprs[expr];
        match &node.kind {
            ExprKind::Number(0 | 1) => Typed::of(Type::Digit),
            ExprKind::Number(_) => Typed::of(Type::Number),
            &ExprKind::Name { name, primes, index } => self.name(Ident { name, span: node.span }, primes, index),
            &ExprKind::Not(inner) => {
                self.formula(inner);
                Typed::of(Type::Bool)
            }
            ExprKind::All(parts) | ExprKind::Any(parts) => {
                for &part in parts {
                    self.formula(part);
                }
                Typed::of(Type::Bool)
            }
            &ExprKind::Binary(op, left, right) => self.binary(op, left, right),
            &ExprKind::Quantified { variable, low, high, body, .. } => {
                self.check_bound(low);
                self.check_bound(high);
                // Any number but 0 and 1, which can also be truth values.
                self.bindings.push((variable.name, 2));
                self.formula(body);
                self.bindings.pop();
                Typed::of(Type::Bool)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Typed {
        match op.family() {
            Family::Connective => {
                self.formula(left);
                self.formula(right);
                Typed::of(Type::Bool)
            }
            Family::Comparison => {
                self.comparison(op, left, right);
                Typed::of(Type::Bool)
            }
            Family::Arithmetic => {
                let (left, right) = (self.number(left), self.number(right));
                self.classes.join(left.variable, right.variable);
                let variable = left.variable.or(right.variable);
                self.classes.count(variable);
                Typed { kind: Type::Number, variable }
            }
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: ExprId, right: ExprId) {
        let (a, b) = (self.typed(left), self.typed(right));
        self.classes.join(a.variable, b.variable);
        let is_formula = |typed: Typed, expr| typed.kind == Type::Bool && !self.is_variable(expr);
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        // What is true or false can be compared with its like; a boolean variable also with numbers.
        let wrong = [(a, left, b), (b, right, a)]
            .into_iter()
            .find(|&(typed, expr, other)| is_formula(typed, expr) && (!is_equality || other.kind == Type::Number));
        if let Some((_, expr, _)) = wrong {
            let span = self.ast.exprs[expr].span;
            self.mismatch(span, "this is true or false, where a number belongs");
        }
    }

    fn name(&mut self, ident: Ident, primes: u8, index: Option<ExprId>) -> Typed {
        let Ident { name, span } = ident;
        let meaning = self.scopes.meaning(self.ast, self.frames, &self.bindings, name, primes);
        if let Some(index) = index {
            let typed = self.number(index);
            self.classes.count(typed.variable);
        }
        match meaning {
            Ok(Meaning::Variable(decl, _)) => self.variable(decl, span, index),
            Ok(Meaning::Number(_) | Meaning::Truth(_)) if index.is_some() => {
                self.array_index(span, "this is no array, so it has no elements");
                Typed::WRONG
            }
            Ok(Meaning::Number(0 | 1)) => Typed::of(Type::Digit),
            Ok(Meaning::Number(_)) => Typed::of(Type::Number),
            Ok(Meaning::Truth(_)) => Typed::of(Type::Bool),
            Err(why) => {
                self.meaningless(ident, primes, why);
                Typed::WRONG
            }
        }
    }

    fn variable(&mut self, decl: DeclId, span: Span, index: Option<ExprId>) -> Typed {
        let variable = &self.scopes.variables[decl];
        match (variable.is_array, index) {
            (true, None) => {
                let name = self.ast.text(variable.name);
                self.array_index(span, &format!("`{name}` is an array: which of its elements?"));
                return Typed::WRONG;
            }
            (false, Some(_)) => {
                let name = self.ast.text(variable.name);
                self.array_index(span, &format!("`{name}` is no array, so it has no elements"));
                return Typed::WRONG;
            }
            _ => {}
        }
        match variable.shape {
            Shape::Bool => Typed::of(Type::Bool),
            Shape::Number { .. } => Typed { kind: Type::Number, variable: Some(decl) },
        }
    }

    /// A bound of a quantifier: a constant, once the quantifiers around it have their values.
    fn check_bound(&mut self, bound: ExprId) {
        let known = Known { ast: self.ast, constants: &self.scopes.constants, bindings: &self.bindings };
        if let Err(NotConstant::Unknown(part)) = known.value(bound) {
            let finding = Diagnostic::error("not-constant", "this is no constant", self.ast.exprs[part].span);
            self.findings.add(finding.help("a range goes from one number or `define`d name to another"));
        }
    }

    fn check_atoms(&mut self) {
        for atoms in &self.ast.atoms {
            if self.scopes.find_symbol(atoms.symbol.name).is_none() {
                let symbols = self.scopes.symbols.iter().map(|symbol| self.ast.names.text(symbol.name));
                let name = self.ast.text(atoms.symbol);
                let near = did_you_mean(name, symbols);
                let message = format!("no rule has a stack symbol `{name}`{near}");
                self.findings.add(Diagnostic::warning("unknown-symbol", message, atoms.symbol.span));
            }
        }
    }

    fn meaningless(&mut self, ident: Ident, primes: u8, why: Meaningless) {
        let name = self.ast.text(ident);
        let shown = format!("{name}{}", "'".repeat(primes.into()));
        let finding = match why {
            Meaningless::Undeclared => return self.undeclared(ident, primes),
            Meaningless::PrimedConstant => {
                let message = format!("`{shown}`: `{name}` is a constant and has no next value");
                Diagnostic::error("primed-variable", message, ident.span)
            }
            Meaningless::SavedGlobal => {
                let message = format!("`{shown}`: `{name}` is global, and only locals are saved on the stack");
                Diagnostic::error("primed-variable", message, ident.span)
                    .help(format!("its value after the rule is `{name}'`"))
            }
            Meaningless::NoState => {
                let message = match (self.frames.place, primes) {
                    (Place::Initial, _) => format!("`{shown}`: the initial configuration has no step before it"),
                    (Place::Rule, 2) => format!("`{shown}`: the rule has no second symbol on its right"),
                    (Place::Rule, _) => {
                        format!("`{shown}`: `{name}` is local, and the rule has no symbol on its right")
                    }
                };
                Diagnostic::error("primed-variable", message, ident.span)
            }
        };
        self.findings.add(finding);
    }

    fn undeclared(&mut self, ident: Ident, primes: u8) {
        let symbol = match primes {
            0 => Some(self.frames.left),
            1 => self.frames.first,
            _ => self.frames.second,
        };
        let name = self.ast.text(ident);
        let near = self.scopes.suggestion(self.ast, symbol, ident.name);
        let at = symbol.map(|symbol| self.ast.names.text(self.scopes.symbols[symbol].name));
        let place = at.map(|symbol| format!(" where `{symbol}` is on the stack")).unwrap_or_default();
        let message = format!("`{name}` is not declared{place}{near}");
        let finding = Diagnostic::error("undeclared-variable", message, ident.span);
        let elsewhere = self.scopes.variables.iter().find(|variable| variable.name.name == ident.name);
        self.findings.add(match (elsewhere, at) {
            (Some(variable), Some(symbol)) => {
                finding.related(format!("the list of this block does not name `{symbol}`"), variable.name.span)
            }
            _ => finding,
        });
    }

    fn mismatch(&mut self, span: Span, message: &str) {
        self.findings.add(Diagnostic::error("type-mismatch", message, span));
    }

    fn array_index(&mut self, span: Span, message: &str) {
        self.findings.add(Diagnostic::error("array-index", message, span));
    }
}

/// Numbers that are copied into or compared with each other, and whether one of them is calculated with.
struct Classes {
    parents: IndexVec<DeclId, DeclId>,
    is_counter: IndexVec<DeclId, bool>,
}

impl Classes {
    fn new(variables: usize) -> Self {
        let parents = (0..variables).map(DeclId::from_usize).collect();
        Self { parents, is_counter: IndexVec::from_elem(false, variables) }
    }

    fn find(&mut self, mut decl: DeclId) -> DeclId {
        while self.parents[decl] != decl {
            self.parents[decl] = self.parents[self.parents[decl]];
            decl = self.parents[decl];
        }
        decl
    }

    fn join(&mut self, left: Option<DeclId>, right: Option<DeclId>) {
        let (Some(left), Some(right)) = (left, right) else { return };
        let (left, right) = (self.find(left), self.find(right));
        self.parents[right] = left;
        self.is_counter[left] |= self.is_counter[right];
    }

    fn count(&mut self, variable: Option<DeclId>) {
        if let Some(variable) = variable {
            let root = self.find(variable);
            self.is_counter[root] = true;
        }
    }

    fn roles(mut self) -> IndexVec<DeclId, Role> {
        let ids = self.parents.ids();
        let role = ids.map(|decl| {
            let root = self.find(decl);
            if self.is_counter[root] { Role::Counter } else { Role::Data }
        });
        role.collect()
    }
}
