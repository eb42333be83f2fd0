//! Patterns of statements, of conditions and of sites.

use super::super::lexer::TokenKind;
use super::super::tree::{
    BinaryOp, Call, Comparison, Condition, Form, Operand, Pattern, Rest, Site, Slot, Source, Target, UnaryOp,
};
use super::{Parser, Stop};
use hardbop_base::Diagnostic;

impl Parser<'_> {
    /// `d: v = e where CONDITIONS`
    pub(super) fn pattern(&mut self) -> Result<Pattern, Stop> {
        let is_named = self.kind() == TokenKind::Word && self.ahead(1) == ":" && self.here() != "return";
        // `on _: …` is about every statement; what follows is then an update.
        let statement = match is_named && self.here() != "_" {
            true => {
                let meta = self.metavariable()?;
                self.bump();
                Some(meta)
            }
            false => None,
        };
        let form = self.form()?;
        Ok(Pattern { statement, form, conditions: self.conditions()? })
    }

    fn form(&mut self) -> Result<Form, Stop> {
        let is_call = self.ahead(1) == "(";
        match self.here() {
            "return" if !is_call => {
                self.bump();
                let is_bare = matches!(self.here(), ":" | "where");
                Ok(Form::Return(if is_bare { None } else { Some(self.operand()?) }))
            }
            "declare" if !is_call => {
                self.bump();
                Ok(Form::Declare(self.metavariable()?))
            }
            "copy" if !is_call => {
                self.bump();
                let target = self.slot()?;
                self.expect("=", "`=`")?;
                Ok(Form::Copy(target, self.slot()?))
            }
            "test" if !is_call => {
                self.bump();
                Ok(Form::Test(self.operand()?))
            }
            "drop" if !is_call => {
                self.bump();
                if !self.is_call() {
                    return Err(self.expected("a call, as in `drop write(...)`"));
                }
                Ok(Form::Drop(self.call()?))
            }
            _ if self.is_call() => Ok(Form::Call(self.call()?)),
            "_" if matches!(self.ahead(1), ":" | "where") => {
                self.bump();
                Ok(Form::Any)
            }
            "*" => {
                self.bump();
                let slot = self.slot()?;
                self.assign(Target::Deref(slot))
            }
            _ => {
                if self.kind() != TokenKind::Word {
                    return Err(self.expected("a pattern of statements, such as `p = e` or `free(p)`"));
                }
                let slot = self.slot()?;
                self.assign(Target::Variable(slot))
            }
        }
    }

    fn assign(&mut self, target: Target) -> Result<Form, Stop> {
        if matches!(self.here(), ":=" | "==") {
            let finding = self.expectation("`=`");
            return Err(self.report(finding.help("a pattern is written as in C: `p = e`")));
        }
        self.expect("=", "`=`")?;
        Ok(Form::Assign(target, self.source()?))
    }

    fn source(&mut self) -> Result<Source, Stop> {
        if self.is_call() {
            return Ok(Source::Call(self.call()?));
        }
        let is_number = self.tokens.get(self.at + 1).is_some_and(|token| token.kind == TokenKind::Number);
        let unary = UnaryOp::ALL.iter().find(|op| op.text() == self.here());
        if let Some(op) = unary.filter(|_| !(self.here() == "-" && is_number)) {
            self.bump();
            return Ok(Source::Unary(*op, self.operand()?));
        }
        let left = self.operand()?;
        let Some(op) = BinaryOp::ALL.iter().find(|op| op.text() == self.here()) else {
            return Ok(Source::Operand(left));
        };
        self.bump();
        let right = self.operand()?;
        if BinaryOp::ALL.iter().any(|op| op.text() == self.here()) {
            let finding = self.expectation("`:` or `where`");
            let help = "statements have been taken apart: a right-hand side has one operator";
            return Err(self.report(finding.help(help)));
        }
        Ok(Source::Binary(left, *op, right))
    }

    fn is_call(&self) -> bool {
        match self.kind() {
            TokenKind::Wildcard => true,
            TokenKind::Word => self.ahead(1) == "(",
            _ => self.here() == "{",
        }
    }

    /// `{malloc, calloc}(e, ...)`
    fn call(&mut self) -> Result<Call, Stop> {
        let mut callees = Vec::new();
        let open = self.span();
        if self.eat("{") {
            callees.push(self.function()?);
            while self.eat(",") {
                callees.push(self.function()?);
            }
            self.close("}", "`,` or `}`", open)?;
        } else if !self.eat("_") {
            callees.push(self.function()?);
        }
        let open = self.span();
        self.expect("(", "`(`")?;
        let (mut arguments, mut rest) = (Vec::new(), Rest::Nothing);
        while self.here() != ")" {
            if self.eat("...") {
                rest = Rest::Anything;
                break;
            }
            arguments.push(self.operand()?);
            if !self.eat(",") {
                break;
            }
        }
        self.close(")", if rest == Rest::Anything { "`)`" } else { "`,` or `)`" }, open)?;
        Ok(Call { callees, arguments, rest })
    }

    fn function(&mut self) -> Result<String, Stop> {
        if !matches!(self.kind(), TokenKind::Word | TokenKind::Wildcard) || self.here() == "_" {
            return Err(self.expected("the name of a function"));
        }
        let name = self.here().to_owned();
        self.bump();
        Ok(name)
    }

    fn operand(&mut self) -> Result<Operand, Stop> {
        if self.kind() == TokenKind::Number || self.here() == "-" {
            return Ok(Operand::Number(self.number()?));
        }
        match self.here() {
            "NULL" => {
                self.bump();
                Ok(Operand::Null)
            }
            "*" => {
                self.bump();
                Ok(Operand::Deref(self.slot()?))
            }
            "&" => {
                self.bump();
                Ok(Operand::Address(self.slot()?))
            }
            _ if self.kind() == TokenKind::Word => Ok(Operand::Slot(self.slot()?)),
            _ => Err(self.expected("a metavariable, `_`, `NULL` or a constant")),
        }
    }

    /// A number, with or without its sign.
    pub(super) fn number(&mut self) -> Result<i64, Stop> {
        let start = self.span();
        let is_negative = self.eat("-");
        if self.kind() != TokenKind::Number {
            return Err(self.expected("a number"));
        }
        let value = self.here().parse().ok().map(|value: i64| if is_negative { -value } else { value });
        self.bump();
        value.ok_or_else(|| {
            let span = start.to(self.last());
            self.report(Diagnostic::error("number-too-large", "this number has more than 63 bits", span))
        })
    }

    fn slot(&mut self) -> Result<Slot, Stop> {
        if self.eat("_") { Ok(Slot::Any) } else { Ok(Slot::Meta(self.metavariable()?)) }
    }

    /// `where pts(p) = {q} & v in globals`
    fn conditions(&mut self) -> Result<Vec<Condition>, Stop> {
        let mut conditions = Vec::new();
        if self.eat("where") {
            conditions.push(self.where_condition()?);
            while self.eat("&") {
                conditions.push(self.where_condition()?);
            }
        }
        Ok(conditions)
    }

    fn where_condition(&mut self) -> Result<Condition, Stop> {
        if !matches!(self.ahead(1), "in" | "is") {
            let set = self.set()?;
            self.expect("=", "`= {q}`")?;
            let open = self.span();
            self.expect("{", "`{`")?;
            let member = self.metavariable()?;
            self.close("}", "`}`: only a set with one member has a name for it", open)?;
            return Ok(Condition::Only(set, member));
        }
        let meta = self.metavariable()?;
        if self.eat("in") {
            return Ok(Condition::In(meta, self.set()?));
        }
        self.bump();
        let is_not = self.eat("not");
        let other = self.metavariable()?;
        Ok(if is_not { Condition::IsNot(meta, other) } else { Condition::Is(meta, other) })
    }

    /// `p == NULL`
    pub(super) fn condition_pattern(&mut self) -> Result<(Operand, Option<(Comparison, Operand)>), Stop> {
        let left = self.operand()?;
        if self.here() == "=" {
            let finding = self.expectation("`==`");
            return Err(self.report(finding.help("a condition is written as in C: `p == NULL`")));
        }
        let Some(op) = Comparison::ALL.iter().find(|op| op.text() == self.here()) else { return Ok((left, None)) };
        self.bump();
        Ok((left, Some((*op, self.operand()?))))
    }

    /// `*p`, `use v`, `exit of main`, `i / j`, or a statement.
    pub(super) fn site(&mut self) -> Result<Site, Stop> {
        let is_call = self.ahead(1) == "(";
        match self.here() {
            "use" if !is_call => {
                self.bump();
                let slot = self.slot()?;
                Ok(Site::Use(slot, self.conditions()?))
            }
            "entry" if !is_call => {
                self.bump();
                Ok(Site::Entry(self.of_function()?))
            }
            "exit" if !is_call => {
                self.bump();
                Ok(Site::Exit(self.of_function()?))
            }
            "*" if matches!(self.ahead(2), ":" | "where") => {
                self.bump();
                let slot = self.slot()?;
                Ok(Site::Deref(slot, self.conditions()?))
            }
            _ if self.is_operation() => {
                let source = self.source()?;
                Ok(Site::Operation(source, self.conditions()?))
            }
            _ => Ok(Site::Statement(self.pattern()?)),
        }
    }

    /// Whether an operator follows, and no assignment.
    fn is_operation(&self) -> bool {
        let is_operator = |text: &str| BinaryOp::ALL.iter().any(|op| op.text() == text);
        let is_unary = UnaryOp::ALL.iter().any(|op| op.text() == self.here()) && matches!(self.ahead(2), ":" | "where");
        let is_prefixed = matches!(self.here(), "*" | "&" | "-");
        let is_statement = matches!(self.here(), "return" | "declare" | "copy" | "drop" | "test");
        !is_statement && !self.is_call() && (is_unary || is_operator(self.ahead(1 + usize::from(is_prefixed))))
    }

    fn of_function(&mut self) -> Result<Option<String>, Stop> {
        if self.eat("of") { Ok(Some(self.word("the name of a function")?.0.to_owned())) } else { Ok(None) }
    }
}
