//! What stands before declarators: storage classes, qualifiers and the words of a type, in any order.

use super::{Parser, Stop};
use crate::ast::{
    Alignment, Attribute, BasicType, FloatType, Ident, Name, Qualifiers, Specifiers, Storage, TypeName, TypeSpecifier,
};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::{Diagnostic, Span};

/// The specifiers read so far.
#[derive(Default)]
struct Found {
    storage: Option<Storage>,
    is_thread_local: bool,
    is_inline: bool,
    is_noreturn: bool,
    qualifiers: Qualifiers,
    words: Words,
    base: Option<TypeSpecifier>,
    alignments: Vec<Alignment>,
    attributes: Vec<Attribute>,
}

impl Found {
    fn has_type(&self) -> bool {
        self.base.is_some() || self.words != Words::default()
    }
}

/// The words of a basic type, in whatever order they came.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Words {
    sign: Option<Sign>,
    is_short: bool,
    longs: u8,
    is_int: bool,
    is_complex: bool,
    /// The word that stands for itself: `char`, `double`, `_Bool`.
    main: Option<Keyword>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
}

impl Words {
    /// Adds a word, if it can stand with the others.
    fn add(&mut self, word: Keyword) -> Option<()> {
        match word {
            Keyword::Signed | Keyword::Unsigned => {
                let sign = if word == Keyword::Signed { Sign::Signed } else { Sign::Unsigned };
                self.sign.replace(sign).is_none().then_some(())
            }
            Keyword::Short => (!std::mem::replace(&mut self.is_short, true)).then_some(()),
            Keyword::Long => {
                self.longs += 1;
                (self.longs <= 2).then_some(())
            }
            Keyword::Int => (!std::mem::replace(&mut self.is_int, true)).then_some(()),
            Keyword::Complex => (!std::mem::replace(&mut self.is_complex, true)).then_some(()),
            _ => self.main.replace(word).is_none().then_some(()),
        }
    }

    /// The type that the words mean together.
    fn basic_type(self) -> Option<BasicType> {
        let Some(main) = self.main else { return self.integer_type() };
        let has_others = self.is_short || self.is_int;
        let is_unsigned = self.sign == Some(Sign::Unsigned);
        if let Some(float) = float_type(main) {
            let float = match self.longs {
                0 => Some(float),
                1 => (main == Keyword::Double).then_some(FloatType::LongDouble),
                _ => None,
            };
            let float = float.filter(|_| !has_others && self.sign.is_none())?;
            return Some(if self.is_complex { BasicType::Complex(float) } else { BasicType::Float(float) });
        }
        if has_others || self.longs > 0 || self.is_complex {
            return None;
        }
        match (main, self.sign) {
            (Keyword::Char, None) => Some(BasicType::Char),
            (Keyword::Char, Some(_)) if is_unsigned => Some(BasicType::UnsignedChar),
            (Keyword::Char, Some(_)) => Some(BasicType::SignedChar),
            (Keyword::Int128, _) if is_unsigned => Some(BasicType::UnsignedInt128),
            (Keyword::Int128, _) => Some(BasicType::Int128),
            (Keyword::Void, None) => Some(BasicType::Void),
            (Keyword::Bool, None) => Some(BasicType::Bool),
            (Keyword::VaList, None) => Some(BasicType::VaList),
            _ => None,
        }
    }

    /// The type of words such as `long unsigned int`.
    fn integer_type(self) -> Option<BasicType> {
        let is_bare = self.sign.is_none() && !self.is_short && self.longs == 0 && !self.is_int;
        if self.is_complex {
            return is_bare.then_some(BasicType::Complex(FloatType::Double));
        }
        if is_bare {
            return Some(BasicType::Implicit);
        }
        let is_unsigned = self.sign == Some(Sign::Unsigned);
        Some(match (self.is_short, self.longs) {
            (true, 0) if is_unsigned => BasicType::UnsignedShort,
            (true, 0) => BasicType::Short,
            (true, _) => return None,
            (false, 0) if is_unsigned => BasicType::UnsignedInt,
            (false, 0) => BasicType::Int,
            (false, 1) if is_unsigned => BasicType::UnsignedLong,
            (false, 1) => BasicType::Long,
            (false, _) if is_unsigned => BasicType::UnsignedLongLong,
            (false, _) => BasicType::LongLong,
        })
    }
}

fn float_type(word: Keyword) -> Option<FloatType> {
    Some(match word {
        Keyword::Float16 => FloatType::Float16,
        Keyword::Float => FloatType::Float,
        Keyword::Double => FloatType::Double,
        Keyword::Float32 => FloatType::Float32,
        Keyword::Float64 => FloatType::Float64,
        Keyword::Float32x => FloatType::Float32x,
        Keyword::Float64x => FloatType::Float64x,
        Keyword::Float128 => FloatType::Float128,
        Keyword::Decimal32 => FloatType::Decimal32,
        Keyword::Decimal64 => FloatType::Decimal64,
        Keyword::Decimal128 => FloatType::Decimal128,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Whether the name of a type begins with `kind`.
    #[inline]
    pub(super) fn starts_type(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Keyword(keyword) => keyword.starts_type(),
            TokenKind::Word(name) => self.scopes.is_type(name),
            _ => false,
        }
    }

    /// Whether the name of a type begins here.
    #[inline]
    pub(super) fn at_type(&self) -> bool {
        self.starts_type(self.token.kind)
    }

    /// Whether a declaration begins here.
    #[inline]
    pub(super) fn at_declaration(&self) -> bool {
        match self.token.kind {
            TokenKind::Keyword(keyword) => keyword.starts_declaration(),
            TokenKind::Word(name) => self.scopes.is_type(name),
            _ => false,
        }
    }

    /// The specifiers of a declaration, also none at all; `attributes` have been read already.
    pub(super) fn specifiers(&mut self, attributes: Vec<Attribute>) -> Result<Specifiers, Stop> {
        let (start, nowhere) = (self.token.span, self.nowhere());
        let mut found = Found { attributes, ..Found::default() };
        let mut is_empty = true;
        while self.specifier(&mut found)? {
            is_empty = false;
        }
        let span = if is_empty { nowhere } else { start.to(self.last) };
        let base = match found.base {
            Some(base) => base,
            None => TypeSpecifier::Basic(self.basic_type(found.words, span)),
        };
        Ok(Specifiers {
            storage: found.storage,
            is_thread_local: found.is_thread_local,
            is_inline: found.is_inline,
            is_noreturn: found.is_noreturn,
            qualifiers: found.qualifiers,
            base,
            alignments: found.alignments,
            attributes: found.attributes,
            span,
        })
    }

    fn basic_type(&mut self, words: Words, span: Span) -> BasicType {
        words.basic_type().unwrap_or_else(|| {
            let mut message = format!("{} is no type", self.shown(span));
            if words.is_complex {
                message = "complex integers are not supported".into();
            }
            self.report(Diagnostic::error("invalid-type", message, span));
            BasicType::Int
        })
    }

    /// Reads one specifier, if there is one.
    #[inline]
    fn specifier(&mut self, found: &mut Found) -> Result<bool, Stop> {
        match self.token.kind {
            TokenKind::Keyword(keyword) if keyword.starts_declaration() => self.keyword_specifier(keyword, found)?,
            TokenKind::Keyword(Keyword::Extension) => self.bump(),
            TokenKind::Word(name) if !found.has_type() && (self.scopes.is_type(name) || self.at_unknown_type()) => {
                found.base = Some(self.typedef_name(name));
            }
            TokenKind::OpenBracket if self.at_attribute() => self.attributes_into(&mut found.attributes)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn keyword_specifier(&mut self, keyword: Keyword, found: &mut Found) -> Result<(), Stop> {
        match keyword {
            Keyword::Attribute => return self.attributes_into(&mut found.attributes),
            Keyword::Struct | Keyword::Union | Keyword::Enum | Keyword::Typeof | Keyword::AutoType => {
                return self.type_specifier(keyword, found);
            }
            Keyword::Atomic if self.ahead.kind == TokenKind::OpenParen => return self.type_specifier(keyword, found),
            _ => {}
        }
        let span = self.token.span;
        self.bump();
        match keyword {
            Keyword::Typedef => self.storage(Storage::Typedef, span, found),
            Keyword::Extern => self.storage(Storage::Extern, span, found),
            Keyword::Static => self.storage(Storage::Static, span, found),
            Keyword::Auto => self.storage(Storage::Auto, span, found),
            Keyword::Register => self.storage(Storage::Register, span, found),
            Keyword::Inline => found.is_inline = true,
            Keyword::Noreturn => found.is_noreturn = true,
            Keyword::ThreadLocal => found.is_thread_local = true,
            Keyword::Alignas => found.alignments.push(self.alignment()?),
            _ if qualify(keyword, &mut found.qualifiers) => {}
            _ => {
                if found.base.is_some() {
                    self.second_type(span);
                } else if found.words.add(keyword).is_none() {
                    self.does_not_fit(span);
                }
            }
        }
        Ok(())
    }

    fn storage(&mut self, storage: Storage, span: Span, found: &mut Found) {
        if found.storage.is_some_and(|known| known != storage) {
            self.report(Diagnostic::error("invalid-type", "this is a second storage class", span));
        }
        found.storage = Some(storage);
    }

    fn type_specifier(&mut self, keyword: Keyword, found: &mut Found) -> Result<(), Stop> {
        let span = self.token.span;
        let base = match keyword {
            Keyword::Enum => TypeSpecifier::Enum(Box::new(self.enumeration()?)),
            Keyword::Struct | Keyword::Union => TypeSpecifier::Record(Box::new(self.record()?)),
            Keyword::AutoType => {
                self.bump();
                TypeSpecifier::Auto
            }
            _ => {
                found.qualifiers.is_atomic |= keyword == Keyword::Atomic;
                self.type_in_parens(keyword)?
            }
        };
        if found.has_type() {
            self.second_type(span);
        }
        found.base = Some(base);
        Ok(())
    }

    /// `typeof(e)`, `typeof(type)`, `_Atomic(type)`
    fn type_in_parens(&mut self, keyword: Keyword) -> Result<TypeSpecifier, Stop> {
        self.bump();
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let specifier = match keyword == Keyword::Atomic || self.at_type() {
            true => TypeSpecifier::TypeofType(Box::new(self.type_name()?)),
            false => TypeSpecifier::TypeofExpr(self.expr()?.id),
        };
        self.close(TokenKind::CloseParen, "`)`", open)?;
        Ok(specifier)
    }

    fn second_type(&mut self, span: Span) {
        let message = format!("{} is a second type in one declaration", self.shown(span));
        self.report(Diagnostic::error("invalid-type", message, span));
    }

    fn does_not_fit(&mut self, span: Span) {
        let message = format!("{} does not fit the words before it", self.shown(span));
        self.report(Diagnostic::error("invalid-type", message, span));
    }

    /// Whether the name here stands where only a type makes sense: in front of another name.
    pub(super) fn at_unknown_type(&self) -> bool {
        matches!(self.token.kind, TokenKind::Word(_)) && matches!(self.ahead.kind, TokenKind::Word(_))
    }

    fn typedef_name(&mut self, name: Name) -> TypeSpecifier {
        let span = self.token.span;
        if !self.scopes.is_type(name) {
            self.unknown_type(span);
        }
        self.bump();
        TypeSpecifier::Typedef(Ident { name, span })
    }

    #[cold]
    pub(super) fn unknown_type(&mut self, span: Span) {
        let message = format!("{} is not declared as a type", self.shown(span));
        let finding = Diagnostic::error("unknown-type", message, span);
        self.report(finding.help("declare it, or preprocess the file together with the header that does"));
    }

    /// The name of a type.
    pub(super) fn type_name(&mut self) -> Result<TypeName, Stop> {
        if !self.at_type() && !self.at_unknown_type() {
            return Err(self.expected("a type"));
        }
        self.descend()?;
        let specifiers = self.specifiers(Vec::new())?;
        let declarator = self.abstract_declarator()?;
        self.depth -= 1;
        Ok(TypeName { specifiers, declarator })
    }
}

/// Adds the qualifier `keyword`, if it is one.
pub(super) fn qualify(keyword: Keyword, qualifiers: &mut Qualifiers) -> bool {
    match keyword {
        Keyword::Const => qualifiers.is_const = true,
        Keyword::Volatile => qualifiers.is_volatile = true,
        Keyword::Restrict => qualifiers.is_restrict = true,
        Keyword::Atomic => qualifiers.is_atomic = true,
        // Where an object lies is no business of ours.
        Keyword::AddressSpace => {}
        _ => return false,
    }
    true
}
