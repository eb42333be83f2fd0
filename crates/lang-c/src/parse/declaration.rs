//! Declarations and the definitions of functions.

use super::declarator::is_empty;
use super::{Meaning, Parser, Stop};
use crate::ast::{
    Attribute, Declaration, Declarator, DeclaratorPart, FunctionDefinition, InitDeclarator, Item, Parameters,
    Specifiers, StaticAssert, Storage,
};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::Span;

/// What a declaration turned out to be.
pub(super) enum Declared {
    Function(Box<FunctionDefinition>),
    Declaration(Box<Declaration>),
}

/// Whether a function may have its body here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bodies {
    Allowed,
    Forbidden,
}

impl Parser<'_> {
    pub(super) fn external_declaration(&mut self) -> Result<Item, Stop> {
        let is_word = matches!(self.token.kind, TokenKind::Word(_));
        if is_word && !self.at_declaration() && self.ahead.kind == TokenKind::Star {
            self.unknown_type(self.token.span);
            return Err(Stop);
        }
        if !is_word && !self.at_declaration() && !self.at_attribute() && !self.at_declarator() {
            return Err(self.expected("a declaration or a function"));
        }
        Ok(match self.declaration(Vec::new(), Bodies::Allowed)? {
            Declared::Function(function) => Item::Function(function),
            Declared::Declaration(declaration) => Item::Declaration(declaration),
        })
    }

    fn at_declarator(&self) -> bool {
        matches!(self.token.kind, TokenKind::Word(_) | TokenKind::Star | TokenKind::OpenParen)
    }

    /// A declaration with its `;`, or a function; `attributes` in front of it have been read already.
    pub(super) fn declaration(&mut self, attributes: Vec<Attribute>, bodies: Bodies) -> Result<Declared, Stop> {
        let start = self.token.span;
        let specifiers = self.specifiers(attributes)?;
        let mut declarators = Vec::new();
        // Attributes alone declare nothing, but gcc takes them.
        let is_bare = self.at(TokenKind::Semicolon) && (!is_empty(&specifiers) || !specifiers.attributes.is_empty());
        if !is_bare {
            loop {
                let attributes = self.attributes()?;
                let mut declarator = self.declarator()?;
                declarator.attributes.extend(attributes);
                self.declare(&specifiers, &declarator);
                let may_have_body = declarators.is_empty() && bodies == Bodies::Allowed;
                if may_have_body && self.at_body(&declarator) {
                    return self.function(start, specifiers, declarator).map(Declared::Function);
                }
                self.declarator_tail(&mut declarator)?;
                if may_have_body && self.at(TokenKind::OpenBrace) && is_function(&declarator) {
                    return self.function(start, specifiers, declarator).map(Declared::Function);
                }
                let init = match self.eat(TokenKind::Assign) {
                    true => Some(self.initialiser()?),
                    false => None,
                };
                declarators.push(InitDeclarator { declarator, init });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.expect(TokenKind::Semicolon, "`;`")?;
        let span = start.to(self.last);
        Ok(Declared::Declaration(Box::new(Declaration { specifiers, declarators, span })))
    }

    /// From here on the name of `declarator` means what is declared, also in its own initialiser.
    fn declare(&mut self, specifiers: &Specifiers, declarator: &Declarator) {
        if let Some(name) = declarator.name {
            let is_type = specifiers.storage == Some(Storage::Typedef);
            self.scopes.declare(name.name, if is_type { Meaning::Type } else { Meaning::Other });
        }
    }

    /// `asm("symbol")` and attributes behind a declarator.
    fn declarator_tail(&mut self, declarator: &mut Declarator) -> Result<(), Stop> {
        loop {
            if self.eat_keyword(Keyword::Asm) {
                declarator.asm_label = Some(self.string_in_parens()?);
            } else if self.at_attribute() {
                self.attributes_into(&mut declarator.attributes)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Whether the body of the function `declarator` begins, or the types of its parameters.
    fn at_body(&self, declarator: &Declarator) -> bool {
        match declarator.parts.first() {
            Some(DeclaratorPart::Function(Parameters::OldStyle(_))) => {
                self.at(TokenKind::OpenBrace) || !self.at_keyword(Keyword::Attribute) && self.at_declaration()
            }
            Some(DeclaratorPart::Function(_)) => self.at(TokenKind::OpenBrace),
            _ => false,
        }
    }

    /// The rest of a function behind its declarator.
    fn function(
        &mut self,
        start: Span,
        specifiers: Specifiers,
        declarator: Declarator,
    ) -> Result<Box<FunctionDefinition>, Stop> {
        let (old_style, body) = self.scoped(|parser| {
            parser.declare_parameters(&declarator);
            let old_style = parser.old_style_declarations()?;
            Ok((old_style, parser.block()?))
        })?;
        let span = start.to(self.last);
        Ok(Box::new(FunctionDefinition { specifiers, declarator, old_style, body, span }))
    }

    fn declare_parameters(&mut self, function: &Declarator) {
        match function.parts.first() {
            Some(DeclaratorPart::Function(Parameters::Prototype { list, .. })) => {
                let names = list.iter().filter_map(|parameter| parameter.declarator.name);
                names.for_each(|name| self.scopes.declare(name.name, Meaning::Other));
            }
            Some(DeclaratorPart::Function(Parameters::OldStyle(names))) => {
                names.iter().for_each(|name| self.scopes.declare(name.name, Meaning::Other));
            }
            _ => {}
        }
    }

    /// The types of the parameters between `)` and `{`.
    fn old_style_declarations(&mut self) -> Result<Vec<Declaration>, Stop> {
        let mut declarations = Vec::new();
        while !self.at(TokenKind::OpenBrace) {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            if !self.at_declaration() {
                return Err(self.expected("`{`"));
            }
            if let Declared::Declaration(declaration) = self.declaration(Vec::new(), Bodies::Forbidden)? {
                declarations.push(*declaration);
            }
        }
        Ok(declarations)
    }

    /// `_Static_assert(…);`
    pub(super) fn static_assert(&mut self) -> Result<StaticAssert, Stop> {
        let start = self.token.span;
        self.bump();
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let condition = self.conditional()?.id;
        let message = match self.eat(TokenKind::Comma) {
            true => Some(self.string()?),
            false => None,
        };
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        let span = start.to(self.last);
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(StaticAssert { condition, message, span })
    }
}

fn is_function(declarator: &Declarator) -> bool {
    matches!(declarator.parts.first(), Some(DeclaratorPart::Function(_)))
}
