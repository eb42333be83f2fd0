//! `__attribute__((…))`, `[[…]]` and `_Alignas(…)`.

use super::{Parser, Stop};
use crate::ast::{Alignment, Attribute, AttributeArgument, ExprKind, Ident, Name};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::Span;
use std::borrow::Cow;

impl Parser<'_> {
    /// Whether attributes begin here.
    #[inline]
    pub(super) fn at_attribute(&self) -> bool {
        match self.token.kind {
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::OpenBracket => self.ahead.kind == TokenKind::OpenBracket,
            _ => false,
        }
    }

    /// Any number of attributes, also none.
    #[inline]
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute>, Stop> {
        let mut list = Vec::new();
        if self.at_attribute() {
            self.attributes_into(&mut list)?;
        }
        Ok(list)
    }

    /// Any number of attributes, added to `list`.
    pub(super) fn attributes_into(&mut self, list: &mut Vec<Attribute>) -> Result<(), Stop> {
        while self.at_attribute() {
            if self.eat_keyword(Keyword::Attribute) {
                self.gnu_attributes(list)?;
            } else {
                self.standard_attributes(list)?;
            }
        }
        Ok(())
    }

    /// What follows `__attribute__`.
    fn gnu_attributes(&mut self, list: &mut Vec<Attribute>) -> Result<(), Stop> {
        let outer = self.open(TokenKind::OpenParen, "`((`")?;
        let inner = self.open(TokenKind::OpenParen, "`((`")?;
        loop {
            if let Some(name) = self.attribute_name() {
                let arguments = self.attribute_arguments()?;
                list.push(Attribute { name, arguments });
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::CloseParen, "`,` or `)`", inner)?;
        self.close(TokenKind::CloseParen, "`))`", outer)
    }

    /// `[[…]]`
    fn standard_attributes(&mut self, list: &mut Vec<Attribute>) -> Result<(), Stop> {
        let open = self.token.span;
        self.bump();
        self.bump();
        loop {
            if let Some(mut name) = self.attribute_name() {
                let mut is_known = true;
                if self.eat(TokenKind::Colon) {
                    self.expect(TokenKind::Colon, "`::`")?;
                    is_known = &*self.lexer.interner.names[name.name] == "gnu";
                    name = self.attribute_name().ok_or_else(|| self.expected("an attribute"))?;
                }
                match is_known {
                    true => {
                        let arguments = self.attribute_arguments()?;
                        list.push(Attribute { name, arguments });
                    }
                    // Another compiler's, with arguments in a language of its own.
                    false => self.skip_parens()?,
                }
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::CloseBracket, "`,` or `]]`", open)?;
        self.close(TokenKind::CloseBracket, "`]]`", open)
    }

    /// An attribute's name, which may be a keyword, without the underscores around it.
    fn attribute_name(&mut self) -> Option<Ident> {
        if !matches!(self.token.kind, TokenKind::Word(_) | TokenKind::Keyword(_)) {
            return None;
        }
        let span = self.token.span;
        let name = self.bare_name(span);
        self.bump();
        Some(Ident { name, span })
    }

    fn bare_name(&mut self, span: Span) -> Name {
        fn bare(text: &str) -> &str {
            let inside = text.strip_prefix("__").map(|rest| rest.strip_suffix("__").unwrap_or(rest));
            inside.filter(|inside| !inside.is_empty()).unwrap_or(text)
        }
        match self.lexer.joined_text(span) {
            Cow::Borrowed(text) => self.lexer.interner.intern(bare(text)),
            Cow::Owned(text) => self.lexer.interner.intern_made(bare(&text).into()),
        }
    }

    /// `(…)`, or nothing.
    fn attribute_arguments(&mut self) -> Result<Vec<AttributeArgument>, Stop> {
        let mut arguments = Vec::new();
        let open = self.token.span;
        if !self.eat(TokenKind::OpenParen) {
            return Ok(arguments);
        }
        while !self.at(TokenKind::CloseParen) {
            arguments.push(self.attribute_argument()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        Ok(arguments)
    }

    fn attribute_argument(&mut self) -> Result<AttributeArgument, Stop> {
        match self.token.kind {
            // A lone name is a word of the attribute, whatever type is called so.
            TokenKind::Word(name) if matches!(self.ahead.kind, TokenKind::Comma | TokenKind::CloseParen) => {
                let span = self.token.span;
                self.bump();
                Ok(AttributeArgument::Expr(self.node(span, ExprKind::Name(name), 0)?.id))
            }
            _ if self.at_type() => Ok(AttributeArgument::Type(Box::new(self.type_name()?))),
            _ => Ok(AttributeArgument::Expr(self.assignment()?.id)),
        }
    }

    /// Skips `(…)`, if it is there.
    fn skip_parens(&mut self) -> Result<(), Stop> {
        if !self.at(TokenKind::OpenParen) {
            return Ok(());
        }
        let open = self.token.span;
        let mut level = 0;
        while !matches!(self.token.kind, TokenKind::Eof | TokenKind::Semicolon) {
            match self.token.kind {
                TokenKind::OpenParen => level += 1,
                TokenKind::CloseParen => level -= 1,
                _ => {}
            }
            if level == 0 {
                break;
            }
            self.bump();
        }
        self.close(TokenKind::CloseParen, "`)`", open)
    }

    /// What follows `_Alignas`.
    pub(super) fn alignment(&mut self) -> Result<Alignment, Stop> {
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let alignment = match self.at_type() {
            true => Alignment::Type(Box::new(self.type_name()?)),
            false => Alignment::Bytes(self.conditional()?.id),
        };
        self.close(TokenKind::CloseParen, "`)`", open)?;
        Ok(alignment)
    }
}
