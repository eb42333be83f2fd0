//! Declarators: `*(*f(int))[3]`, from the name outwards.

use super::specifier::qualify;
use super::{MAX_NESTING, Meaning, Parser, Stop};
use crate::ast::{
    ArrayLength, BasicType, Declarator, DeclaratorPart, Parameter, Parameters, Qualifiers, Specifiers, TypeSpecifier,
};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::Span;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// Always: a variable.
    Named,
    /// Perhaps: a parameter.
    Optional,
    /// Never: the name of a type.
    Unnamed,
}

impl Parser<'_> {
    /// A declarator with a name.
    pub(super) fn declarator(&mut self) -> Result<Declarator, Stop> {
        self.any_declarator(Naming::Named)
    }

    /// A declarator without a name, perhaps without anything.
    pub(super) fn abstract_declarator(&mut self) -> Result<Declarator, Stop> {
        self.any_declarator(Naming::Unnamed)
    }

    pub(super) fn no_declarator(&self) -> Declarator {
        let span = self.nowhere();
        Declarator { name: None, parts: Vec::new(), asm_label: None, attributes: Vec::new(), span }
    }

    fn any_declarator(&mut self, naming: Naming) -> Result<Declarator, Stop> {
        let mut declarator = self.no_declarator();
        let start = self.token.span;
        self.declarator_into(naming, &mut declarator)?;
        if self.last.start >= start.start {
            declarator.span = start.to(self.last);
        }
        Ok(declarator)
    }

    fn declarator_into(&mut self, naming: Naming, declarator: &mut Declarator) -> Result<(), Stop> {
        let mut pointers = Vec::new();
        while self.eat(TokenKind::Star) {
            let mut qualifiers = Qualifiers::default();
            loop {
                match self.token.kind {
                    TokenKind::Keyword(keyword) if qualify(keyword, &mut qualifiers) => self.bump(),
                    _ if self.at_attribute() => self.attributes_into(&mut declarator.attributes)?,
                    _ => break,
                }
            }
            pointers.push(DeclaratorPart::Pointer(qualifiers));
        }
        self.direct_declarator(naming, declarator)?;
        declarator.parts.extend(pointers.into_iter().rev());
        // A type as deep as this would be as bad as an expression.
        if declarator.parts.len() > (MAX_NESTING - self.depth) as usize {
            return Err(self.too_deep(self.token.span));
        }
        self.reach = self.reach.max(self.depth + declarator.parts.len() as u32);
        Ok(())
    }

    fn direct_declarator(&mut self, naming: Naming, declarator: &mut Declarator) -> Result<(), Stop> {
        match self.token.kind {
            TokenKind::Word(_) if naming != Naming::Unnamed => declarator.name = Some(self.ident("a name")?),
            TokenKind::OpenParen => self.parenthesised(naming, declarator)?,
            _ if naming == Naming::Named => return Err(self.expected("a name")),
            _ => {}
        }
        loop {
            match self.token.kind {
                TokenKind::OpenBracket if self.ahead.kind == TokenKind::OpenBracket => {
                    self.attributes_into(&mut declarator.attributes)?;
                }
                TokenKind::OpenBracket => declarator.parts.push(self.array()?),
                TokenKind::OpenParen => {
                    let open = self.token.span;
                    self.bump();
                    declarator.parts.push(DeclaratorPart::Function(self.parameters(open)?));
                }
                _ => return Ok(()),
            }
        }
    }

    /// A declarator in parentheses or, where there may be no name, the parameters of an unnamed function.
    fn parenthesised(&mut self, naming: Naming, declarator: &mut Declarator) -> Result<(), Stop> {
        self.descend()?;
        let open = self.token.span;
        self.bump();
        self.attributes_into(&mut declarator.attributes)?;
        // In a parameter, a name that is a type is taken for the type: C11, 6.7.6.3, paragraph 11.
        let is_function = naming != Naming::Named
            && (matches!(self.token.kind, TokenKind::CloseParen | TokenKind::Ellipsis) || self.at_declaration());
        if is_function {
            declarator.parts.push(DeclaratorPart::Function(self.parameters(open)?));
        } else {
            self.declarator_into(naming, declarator)?;
            self.close(TokenKind::CloseParen, "`)`", open)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self) -> Result<DeclaratorPart, Stop> {
        let open = self.token.span;
        self.bump();
        let mut qualifiers = Qualifiers::default();
        loop {
            match self.token.kind {
                TokenKind::Keyword(Keyword::Static) => self.bump(),
                TokenKind::Keyword(keyword) if qualify(keyword, &mut qualifiers) => self.bump(),
                _ if self.at_attribute() => {
                    self.attributes()?;
                }
                _ => break,
            }
        }
        let length = match self.token.kind {
            TokenKind::CloseBracket => ArrayLength::Unknown,
            TokenKind::Star if self.ahead.kind == TokenKind::CloseBracket => {
                self.bump();
                ArrayLength::Star
            }
            _ => ArrayLength::Given(self.assignment()?.id),
        };
        self.close(TokenKind::CloseBracket, "`]`", open)?;
        Ok(DeclaratorPart::Array { length, qualifiers })
    }

    /// What follows the `(` of a function.
    fn parameters(&mut self, open: Span) -> Result<Parameters, Stop> {
        self.descend()?;
        let is_last = matches!(self.ahead.kind, TokenKind::Comma | TokenKind::CloseParen);
        let parameters = match self.token.kind {
            TokenKind::CloseParen => Parameters::OldStyle(Vec::new()),
            TokenKind::Keyword(Keyword::Void) if self.ahead.kind == TokenKind::CloseParen => {
                self.bump();
                Parameters::Prototype { list: Vec::new(), is_variadic: false }
            }
            TokenKind::Word(name) if is_last && !self.scopes.is_type(name) => {
                Parameters::OldStyle(self.idents("a parameter")?)
            }
            _ => self.scoped(Self::prototype)?,
        };
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        self.depth -= 1;
        Ok(parameters)
    }

    fn prototype(&mut self) -> Result<Parameters, Stop> {
        let mut list = Vec::new();
        loop {
            if self.eat(TokenKind::Ellipsis) {
                return Ok(Parameters::Prototype { list, is_variadic: true });
            }
            list.push(self.parameter()?);
            match self.token.kind {
                TokenKind::Comma => self.bump(),
                // GNU C: `(int n; int a[n])` announces parameters that come again later.
                TokenKind::Semicolon => {
                    self.bump();
                    list.clear();
                }
                _ => return Ok(Parameters::Prototype { list, is_variadic: false }),
            }
        }
    }

    fn parameter(&mut self) -> Result<Parameter, Stop> {
        let is_word = matches!(self.token.kind, TokenKind::Word(_));
        if is_word && !self.at_declaration() && !self.at_unknown_type() {
            self.unknown_type(self.token.span);
            return Err(Stop);
        }
        if !is_word && !self.at_declaration() && !self.at_attribute() {
            return Err(self.expected("a parameter"));
        }
        let specifiers = self.specifiers(Vec::new())?;
        let mut declarator = self.any_declarator(Naming::Optional)?;
        self.attributes_into(&mut declarator.attributes)?;
        if let Some(name) = declarator.name {
            self.scopes.declare(name.name, Meaning::Other);
        }
        Ok(Parameter { specifiers, declarator })
    }
}

/// Whether nothing at all is said of the type: `x;` of old, or a mistake.
pub(super) fn is_empty(specifiers: &Specifiers) -> bool {
    specifiers.span.start == specifiers.span.end && matches!(specifiers.base, TypeSpecifier::Basic(BasicType::Implicit))
}
