//! Initialisers: `{ .x = 1, [2 ... 4] = 5, 6 }`.

use super::{Parser, Stop};
use crate::ast::{Designator, InitElement, InitList, Initialiser};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// What follows `=`.
    pub(super) fn initialiser(&mut self) -> Result<Initialiser, Stop> {
        match self.at(TokenKind::OpenBrace) {
            true => Ok(Initialiser::List(self.init_list()?)),
            false => Ok(Initialiser::Expr(self.assignment()?.id)),
        }
    }

    pub(super) fn init_list(&mut self) -> Result<InitList, Stop> {
        self.descend()?;
        let open = self.open(TokenKind::OpenBrace, "`{`")?;
        let mut elements = Vec::new();
        while !self.at(TokenKind::CloseBrace) {
            let designators = self.designators()?;
            let value = self.initialiser()?;
            elements.push(InitElement { designators, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::CloseBrace, "`,` or `}`", open)?;
        self.depth -= 1;
        Ok(InitList { elements, span: open.to(self.last) })
    }

    /// What stands before the value of an element, with its `=` or `:`.
    fn designators(&mut self) -> Result<Vec<Designator>, Stop> {
        let mut list = Vec::new();
        // GNU C of old: `x: 1`.
        if matches!(self.token.kind, TokenKind::Word(_)) && self.ahead.kind == TokenKind::Colon {
            list.push(Designator::Member(self.ident("a member")?));
            self.bump();
            return Ok(list);
        }
        loop {
            match self.token.kind {
                TokenKind::Dot => {
                    self.bump();
                    list.push(Designator::Member(self.ident("a member")?));
                }
                TokenKind::OpenBracket => list.push(self.index_designator()?),
                _ => break,
            }
        }
        match list.last() {
            None => {}
            // GNU C of old: `[3] 1`.
            Some(_) if list.len() == 1 && !matches!(list[0], Designator::Member(_)) => {
                self.eat(TokenKind::Assign);
            }
            Some(_) => self.expect(TokenKind::Assign, "`=`")?,
        }
        Ok(list)
    }

    fn index_designator(&mut self) -> Result<Designator, Stop> {
        let open = self.token.span;
        self.bump();
        let first = self.conditional()?.id;
        let designator = match self.eat(TokenKind::Ellipsis) {
            true => Designator::Range(first, self.conditional()?.id),
            false => Designator::Index(first),
        };
        self.close(TokenKind::CloseBracket, "`]`", open)?;
        Ok(designator)
    }
}
