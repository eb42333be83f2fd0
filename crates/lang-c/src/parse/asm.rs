//! `asm`, inside of functions and outside.

use super::{Parser, Stop};
use crate::ast::{Asm, AsmOperand, StmtKind, StringId};
use crate::lexer::TokenKind;
use crate::names::Keyword;

impl Parser<'_> {
    /// `asm("…");` outside of functions.
    pub(super) fn file_asm(&mut self) -> Result<StringId, Stop> {
        self.bump();
        while self.eat_keyword(Keyword::Volatile) || self.eat_keyword(Keyword::Inline) {}
        let text = self.string_in_parens()?;
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(text)
    }

    /// `asm volatile goto ("…" : … : … : … : …);`
    #[inline(never)]
    pub(super) fn asm_statement(&mut self) -> Result<StmtKind, Stop> {
        self.bump();
        let mut is_volatile = false;
        loop {
            match self.token.kind {
                TokenKind::Keyword(Keyword::Volatile) => is_volatile = true,
                TokenKind::Keyword(Keyword::Goto | Keyword::Inline | Keyword::Const) => {}
                _ => break,
            }
            self.bump();
        }
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let text = self.string()?;
        let mut asm = Asm {
            text,
            is_volatile,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
        };
        if self.eat(TokenKind::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(TokenKind::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(TokenKind::Colon) {
            asm.clobbers = self.asm_clobbers()?;
        }
        if self.eat(TokenKind::Colon) && !self.at(TokenKind::CloseParen) {
            asm.labels = self.idents("a label")?;
        }
        self.close(TokenKind::CloseParen, "`)`", open)?;
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(StmtKind::Asm(Box::new(asm)))
    }

    fn asm_operands(&mut self) -> Result<Vec<AsmOperand>, Stop> {
        let mut operands = Vec::new();
        if matches!(self.token.kind, TokenKind::Colon | TokenKind::CloseParen) {
            return Ok(operands);
        }
        loop {
            let bracket = self.token.span;
            let name = match self.eat(TokenKind::OpenBracket) {
                true => {
                    let name = self.ident("the operand's name")?;
                    self.close(TokenKind::CloseBracket, "`]`", bracket)?;
                    Some(name)
                }
                false => None,
            };
            let constraint = self.string()?;
            let open = self.open(TokenKind::OpenParen, "`(`")?;
            let value = self.expr()?.id;
            self.close(TokenKind::CloseParen, "`)`", open)?;
            operands.push(AsmOperand { name, constraint, value });
            if !self.eat(TokenKind::Comma) {
                return Ok(operands);
            }
        }
    }

    fn asm_clobbers(&mut self) -> Result<Vec<StringId>, Stop> {
        let mut clobbers = Vec::new();
        if matches!(self.token.kind, TokenKind::Colon | TokenKind::CloseParen) {
            return Ok(clobbers);
        }
        loop {
            clobbers.push(self.string()?);
            if !self.eat(TokenKind::Comma) {
                return Ok(clobbers);
            }
        }
    }
}
