//! Statements. Chains of labels and of `else if` are read in loops: real programs have long ones.

use super::declaration::{Bodies, Declared};
use super::{Parser, Stop};
use crate::ast::{Attribute, ExprId, Ident, Stmt, StmtId, StmtKind};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::{Diagnostic, Span};

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a block, where declarations may stand too.
    Block,
    /// Behind `if (…)` and the like.
    Body,
}

/// What stands in front of a statement.
enum Label {
    Case(ExprId, Option<ExprId>),
    Default,
    Name(Ident),
}

impl Parser<'_> {
    /// `{ … }`; the statements in it count its level.
    pub(super) fn block(&mut self) -> Result<StmtId, Stop> {
        let open = self.open(TokenKind::OpenBrace, "`{`")?;
        let first = self.open_stmts.len();
        let result = self.scoped(|parser| {
            while !matches!(parser.token.kind, TokenKind::CloseBrace | TokenKind::Eof) {
                let mark = parser.mark();
                let start = parser.token.span;
                let stmt = parser.statement(Place::Block).unwrap_or_else(|Stop| {
                    parser.recover(mark);
                    parser.stmt(start.to(parser.last), StmtKind::Error)
                });
                parser.open_stmts.push(stmt);
            }
            parser.close(TokenKind::CloseBrace, "a statement or `}`", open)
        });
        let stmts = self.open_stmts.drain(first..).collect();
        result?;
        Ok(self.stmt(open.to(self.last), StmtKind::Block(stmts)))
    }

    fn stmt(&mut self, span: Span, kind: StmtKind) -> StmtId {
        self.ast.stmts.push(Stmt { kind, span })
    }

    /// A statement with its labels.
    fn statement(&mut self, place: Place) -> Result<StmtId, Stop> {
        let depth = self.depth;
        let mut labels = Vec::new();
        let mut attributes = Vec::new();
        loop {
            self.descend()?;
            // Those of a label say nothing of what follows, except that a declaration begins so.
            self.attributes_into(&mut attributes)?;
            let start = self.token.span;
            match self.label()? {
                Some(label) => labels.push((label, start)),
                None => break,
            }
        }
        let is_end = !labels.is_empty() && self.at(TokenKind::CloseBrace);
        let mut stmt = match is_end {
            true => {
                let nowhere = self.nowhere();
                self.stmt(nowhere, StmtKind::Empty)
            }
            false => self.unlabelled(place, attributes)?,
        };
        for (label, start) in labels.into_iter().rev() {
            let kind = match label {
                Label::Case(low, high) => StmtKind::Case(low, high, stmt),
                Label::Default => StmtKind::Default(stmt),
                Label::Name(name) => StmtKind::Label(name, stmt),
            };
            stmt = self.stmt(start.to(self.last), kind);
        }
        self.depth = depth;
        Ok(stmt)
    }

    #[inline]
    fn label(&mut self) -> Result<Option<Label>, Stop> {
        let label = match self.token.kind {
            TokenKind::Word(_) if self.ahead.kind == TokenKind::Colon => Label::Name(self.ident("a label")?),
            TokenKind::Keyword(Keyword::Default) => {
                self.bump();
                Label::Default
            }
            TokenKind::Keyword(Keyword::Case) => {
                self.bump();
                let low = self.conditional()?.id;
                let high = match self.eat(TokenKind::Ellipsis) {
                    true => Some(self.conditional()?.id),
                    false => None,
                };
                Label::Case(low, high)
            }
            _ => return Ok(None),
        };
        self.expect(TokenKind::Colon, "`:`")?;
        Ok(Some(label))
    }

    fn unlabelled(&mut self, place: Place, attributes: Vec<Attribute>) -> Result<StmtId, Stop> {
        let start = self.token.span;
        while self.eat_keyword(Keyword::Extension) {}
        let kind = match self.token.kind {
            TokenKind::OpenBrace => return self.block(),
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::Keyword(Keyword::If) => return self.if_chain(),
            TokenKind::Keyword(Keyword::StaticAssert) => StmtKind::StaticAssert(self.static_assert()?),
            TokenKind::Keyword(keyword) if !keyword.starts_declaration() => self.keyword_statement(keyword)?,
            _ if self.at_declaration() || self.at_unknown_type() => self.local(place, attributes)?,
            _ => self.expr_statement()?,
        };
        Ok(self.stmt(start.to(self.last), kind))
    }

    fn expr_statement(&mut self) -> Result<StmtKind, Stop> {
        let expr = self.expr()?.id;
        self.expect(TokenKind::Semicolon, "an operator or `;`")?;
        Ok(StmtKind::Expr(expr))
    }

    /// A declaration or a nested function.
    fn local(&mut self, place: Place, attributes: Vec<Attribute>) -> Result<StmtKind, Stop> {
        if place == Place::Body {
            let message = "a declaration cannot stand here";
            let finding = Diagnostic::error("syntax", message, self.token.span).help("put it into braces");
            return Err(self.report(finding));
        }
        Ok(match self.declaration(attributes, Bodies::Allowed)? {
            Declared::Function(function) => StmtKind::NestedFunction(function),
            Declared::Declaration(declaration) => StmtKind::Declaration(declaration),
        })
    }

    #[inline(never)]
    fn keyword_statement(&mut self, keyword: Keyword) -> Result<StmtKind, Stop> {
        match keyword {
            Keyword::While => self.while_statement(),
            Keyword::Do => self.do_statement(),
            Keyword::For => self.scoped(Self::for_statement),
            Keyword::Switch => {
                self.bump();
                let value = self.condition()?;
                Ok(StmtKind::Switch(value, self.statement(Place::Body)?))
            }
            Keyword::Goto => self.goto_statement(),
            Keyword::Break | Keyword::Continue => {
                self.bump();
                self.expect(TokenKind::Semicolon, "`;`")?;
                Ok(if keyword == Keyword::Break { StmtKind::Break } else { StmtKind::Continue })
            }
            Keyword::Return => {
                self.bump();
                let value = match self.at(TokenKind::Semicolon) {
                    true => None,
                    false => Some(self.expr()?.id),
                };
                self.expect(TokenKind::Semicolon, "an operator or `;`")?;
                Ok(StmtKind::Return(value))
            }
            Keyword::Label => {
                self.bump();
                let labels = self.idents("a label")?;
                self.expect(TokenKind::Semicolon, "`,` or `;`")?;
                Ok(StmtKind::LocalLabels(labels))
            }
            Keyword::Asm => self.asm_statement(),
            Keyword::Else => Err(self.expected("a statement")),
            _ => self.expr_statement(),
        }
    }

    /// `(e)`
    fn condition(&mut self) -> Result<ExprId, Stop> {
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let condition = self.expr()?.id;
        self.close(TokenKind::CloseParen, "an operator or `)`", open)?;
        Ok(condition)
    }

    /// `if (c) s else if (c) s … else s`
    fn if_chain(&mut self) -> Result<StmtId, Stop> {
        let depth = self.depth;
        let mut heads = Vec::new();
        let mut other = None;
        loop {
            let start = self.token.span;
            self.bump();
            let condition = self.condition()?;
            heads.push((start, condition, self.statement(Place::Body)?));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.at_keyword(Keyword::If) {
                other = Some(self.statement(Place::Body)?);
                break;
            }
            self.descend()?;
        }
        let end = self.last;
        self.depth = depth;
        let (first, rest) = heads.split_first().expect("a chain begins with an `if`");
        for &(start, condition, then) in rest.iter().rev() {
            other = Some(self.stmt(start.to(end), StmtKind::If(condition, then, other)));
        }
        let &(start, condition, then) = first;
        Ok(self.stmt(start.to(end), StmtKind::If(condition, then, other)))
    }

    fn while_statement(&mut self) -> Result<StmtKind, Stop> {
        self.bump();
        let condition = self.condition()?;
        Ok(StmtKind::While(condition, self.statement(Place::Body)?))
    }

    fn do_statement(&mut self) -> Result<StmtKind, Stop> {
        self.bump();
        let body = self.statement(Place::Body)?;
        if !self.eat_keyword(Keyword::While) {
            return Err(self.expected("`while`"));
        }
        let condition = self.condition()?;
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_statement(&mut self) -> Result<StmtKind, Stop> {
        self.bump();
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let init = match self.eat(TokenKind::Semicolon) {
            true => None,
            false => Some(self.for_init()?),
        };
        let condition = match self.at(TokenKind::Semicolon) {
            true => None,
            false => Some(self.expr()?.id),
        };
        self.expect(TokenKind::Semicolon, "an operator or `;`")?;
        let step = match self.at(TokenKind::CloseParen) {
            true => None,
            false => Some(self.expr()?.id),
        };
        self.close(TokenKind::CloseParen, "an operator or `)`", open)?;
        let body = self.statement(Place::Body)?;
        Ok(StmtKind::For { init, condition, step, body })
    }

    /// What a loop begins with, and its `;`.
    fn for_init(&mut self) -> Result<StmtId, Stop> {
        let start = self.token.span;
        while self.eat_keyword(Keyword::Extension) {}
        let kind = match self.at_declaration() || self.at_attribute() || self.at_unknown_type() {
            true => self.local(Place::Block, Vec::new())?,
            false => self.expr_statement()?,
        };
        Ok(self.stmt(start.to(self.last), kind))
    }

    fn goto_statement(&mut self) -> Result<StmtKind, Stop> {
        self.bump();
        let kind = match self.eat(TokenKind::Star) {
            true => StmtKind::GotoComputed(self.expr()?.id),
            false => StmtKind::Goto(self.ident("a label")?),
        };
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(kind)
    }
}
