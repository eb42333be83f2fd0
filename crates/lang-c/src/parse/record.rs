//! Structures, unions and enumerations.

use super::{Meaning, Parser, Stop};
use crate::ast::{EnumConstant, EnumSpecifier, FieldDeclarator, Member, RecordKind, RecordSpecifier, TypeName};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::Span;

impl Parser<'_> {
    pub(super) fn record(&mut self) -> Result<RecordSpecifier, Stop> {
        self.descend()?;
        let start = self.token.span;
        let kind = if self.at_keyword(Keyword::Struct) { RecordKind::Struct } else { RecordKind::Union };
        self.bump();
        let mut attributes = self.attributes()?;
        let tag = match self.token.kind {
            TokenKind::Word(_) => Some(self.ident("a tag")?),
            _ => None,
        };
        let open = self.token.span;
        let mut pragma_pack = None;
        let members = match self.eat(TokenKind::OpenBrace) {
            true => {
                let members = self.members();
                pragma_pack = self.lexer.packing.bound;
                self.close(TokenKind::CloseBrace, "`}`", open)?;
                Some(members)
            }
            false if tag.is_none() => return Err(self.expected("a tag or `{`")),
            false => None,
        };
        if members.is_some() {
            self.attributes_into(&mut attributes)?;
        }
        self.depth -= 1;
        Ok(RecordSpecifier { kind, tag, members, attributes, pragma_pack, span: start.to(self.last) })
    }

    fn members(&mut self) -> Vec<Member> {
        let mut members = Vec::new();
        while !matches!(self.token.kind, TokenKind::CloseBrace | TokenKind::Eof) {
            let mark = self.mark();
            match self.member() {
                Ok(Some(member)) => members.push(member),
                Ok(None) => {}
                Err(Stop) => self.recover(mark),
            }
        }
        members
    }

    fn member(&mut self) -> Result<Option<Member>, Stop> {
        while self.eat_keyword(Keyword::Extension) {}
        if self.eat(TokenKind::Semicolon) {
            return Ok(None);
        }
        if self.at_keyword(Keyword::StaticAssert) {
            return Ok(Some(Member::StaticAssert(self.static_assert()?)));
        }
        if !self.at_declaration() && !self.at_attribute() && !self.at_unknown_type() {
            if matches!(self.token.kind, TokenKind::Word(_)) && self.ahead.kind == TokenKind::Star {
                self.unknown_type(self.token.span);
                return Err(Stop);
            }
            return Err(self.expected("a member or `}`"));
        }
        let specifiers = self.specifiers(Vec::new())?;
        let mut declarators = Vec::new();
        if !matches!(self.token.kind, TokenKind::Semicolon | TokenKind::CloseBrace) {
            loop {
                declarators.push(self.field()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        // gcc takes the last member without `;`.
        if !self.at(TokenKind::CloseBrace) {
            self.expect(TokenKind::Semicolon, "`,` or `;`")?;
        }
        Ok(Some(Member::Fields { specifiers, declarators }))
    }

    fn field(&mut self) -> Result<FieldDeclarator, Stop> {
        let attributes = self.attributes()?;
        let mut declarator = match self.token.kind {
            TokenKind::Colon => self.no_declarator(),
            _ => self.declarator()?,
        };
        let width = match self.eat(TokenKind::Colon) {
            true => Some(self.conditional()?.id),
            false => None,
        };
        declarator.attributes.extend(attributes);
        self.attributes_into(&mut declarator.attributes)?;
        Ok(FieldDeclarator { declarator, width })
    }

    pub(super) fn enumeration(&mut self) -> Result<EnumSpecifier, Stop> {
        self.descend()?;
        let start = self.token.span;
        self.bump();
        let mut attributes = self.attributes()?;
        let tag = match self.token.kind {
            TokenKind::Word(_) => Some(self.ident("a tag")?),
            _ => None,
        };
        // Without a type behind it, `:` begins the width of an unnamed bit-field.
        let underlying = match self.at(TokenKind::Colon) && self.starts_type(self.ahead.kind) {
            true => {
                self.bump();
                Some(Box::new(self.underlying_type()?))
            }
            false => None,
        };
        let open = self.token.span;
        let constants = match self.eat(TokenKind::OpenBrace) {
            true => Some(self.constants(open)?),
            false if tag.is_none() => return Err(self.expected("a tag or `{`")),
            false => None,
        };
        if constants.is_some() {
            self.attributes_into(&mut attributes)?;
        }
        self.depth -= 1;
        Ok(EnumSpecifier { tag, underlying, constants, attributes, span: start.to(self.last) })
    }

    /// The type of `enum e : type`, which must not swallow the declarator of what has that type.
    fn underlying_type(&mut self) -> Result<TypeName, Stop> {
        let specifiers = self.specifiers(Vec::new())?;
        let declarator = self.no_declarator();
        Ok(TypeName { specifiers, declarator })
    }

    fn constants(&mut self, open: Span) -> Result<Vec<EnumConstant>, Stop> {
        let mut constants = Vec::new();
        while !self.at(TokenKind::CloseBrace) {
            let name = self.ident("the name of a constant")?;
            self.attributes()?;
            let value = match self.eat(TokenKind::Assign) {
                true => Some(self.conditional()?.id),
                false => None,
            };
            self.scopes.declare(name.name, Meaning::Other);
            constants.push(EnumConstant { name, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::CloseBrace, "`,` or `}`", open)?;
        Ok(constants)
    }
}
