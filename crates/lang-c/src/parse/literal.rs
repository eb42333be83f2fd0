//! Characters and strings: prefixes, escapes and the joining of neighbours.

use super::{Parser, Stop};
use crate::ast::{CharLiteral, Encoding, ExprKind, StringId, StringLiteral, Units};
use crate::decode::raw_byte;
use crate::lexer::{TokenKind, universal_character};
use hardbop_base::{Diagnostic, Span};
use std::borrow::Cow;

/// One element of a literal.
#[derive(Clone, Copy)]
enum Element {
    /// A character, which may take several code units.
    Character(char),
    /// One code unit, given by its number.
    Unit(u32),
}

impl Parser<'_> {
    /// A string and its neighbours.
    pub(super) fn string(&mut self) -> Result<StringId, Stop> {
        let start = self.token.span;
        let TokenKind::String(mut encoding) = self.token.kind else { return Err(self.expected("a string")) };
        self.bump();
        if !matches!(self.token.kind, TokenKind::String(_)) {
            let units = self.units(std::slice::from_ref(&start), encoding);
            return Ok(self.ast.strings.push(StringLiteral { units, encoding, span: start }));
        }
        let mut parts = vec![start];
        while let TokenKind::String(next) = self.token.kind {
            if encoding == Encoding::Plain {
                encoding = next;
            } else if next != Encoding::Plain && next != encoding {
                let message = "this string has another prefix than those before it";
                self.report(Diagnostic::error("invalid-literal", message, self.token.span));
            }
            parts.push(self.token.span);
            self.bump();
        }
        let units = self.units(&parts, encoding);
        Ok(self.ast.strings.push(StringLiteral { units, encoding, span: start.to(self.last) }))
    }

    fn units(&mut self, parts: &[Span], encoding: Encoding) -> Units {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let mut bytes = Vec::new();
                for &part in parts {
                    self.elements(part, |element| match element {
                        Element::Character(character) => {
                            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                        }
                        Element::Unit(unit) => bytes.push(unit as u8),
                    });
                }
                Units::Bytes(bytes.into())
            }
            Encoding::Utf16 | Encoding::Utf32 | Encoding::Wide => {
                let mut units = Vec::new();
                for &part in parts {
                    self.elements(part, |element| wide_units(element, encoding, &mut units));
                }
                Units::Wide(units.into())
            }
        }
    }

    /// A character literal, with the value that gcc gives it.
    pub(super) fn character(&mut self, span: Span, encoding: Encoding) -> ExprKind {
        let value = match encoding {
            Encoding::Plain => {
                let Units::Bytes(bytes) = self.units(&[span], encoding) else { unreachable!("plain units are bytes") };
                match *bytes {
                    [] => None,
                    // A `char` is signed.
                    [byte] => Some(i64::from(byte as i8)),
                    _ => Some(i64::from(bytes.iter().fold(0u32, |value, &byte| value << 8 | u32::from(byte)) as i32)),
                }
            }
            Encoding::Utf8 => match self.units(&[span], encoding) {
                Units::Bytes(bytes) => bytes.last().map(|&byte| i64::from(byte)),
                Units::Wide(_) => None,
            },
            Encoding::Utf16 | Encoding::Utf32 | Encoding::Wide => match self.units(&[span], encoding) {
                Units::Wide(units) => units.last().map(|&unit| match encoding {
                    Encoding::Wide => i64::from(unit as i32),
                    _ => i64::from(unit),
                }),
                Units::Bytes(_) => None,
            },
        };
        match value {
            Some(value) => ExprKind::Char(CharLiteral { value, encoding }),
            None => {
                self.report(Diagnostic::error("invalid-literal", "there is no character between these quotes", span));
                ExprKind::Error
            }
        }
    }

    /// Gives `sink` what stands between the quotes of the literal at `span`.
    fn elements(&mut self, span: Span, mut sink: impl FnMut(Element)) {
        let text = self.lexer.text(span);
        let prefix = text.find(['"', '\'']).unwrap_or(0);
        if text[..prefix].ends_with('R') {
            return raw_text(&text[prefix..]).chars().for_each(|character| sink(Element::Character(character)));
        }
        let text = match self.lexer.joined_text(span) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(joined) => Cow::Owned(joined),
        };
        let mut rest = &text[prefix + 1..text.len() - 1];
        let mut is_wrong = false;
        while let Some(character) = rest.chars().next() {
            if character != '\\' {
                sink(raw_byte(character).map_or(Element::Character(character), |byte| Element::Unit(byte.into())));
                rest = &rest[character.len_utf8()..];
                continue;
            }
            let (element, len) = escape(rest).unwrap_or_else(|| {
                is_wrong = true;
                (Element::Unit(0), 2)
            });
            sink(element);
            rest = rest.get(len..).unwrap_or_default();
        }
        if is_wrong {
            let message = "an escape in this literal has no digits, or no character has that number";
            self.report(Diagnostic::error("invalid-literal", message, span));
        }
    }
}

fn wide_units(element: Element, encoding: Encoding, units: &mut Vec<u32>) {
    match element {
        Element::Unit(unit) if encoding == Encoding::Utf16 => units.push(unit & 0xffff),
        Element::Unit(unit) => units.push(unit),
        Element::Character(character) if encoding == Encoding::Utf16 => {
            units.extend(character.encode_utf16(&mut [0; 2]).iter().map(|&unit| u32::from(unit)));
        }
        Element::Character(character) => units.push(u32::from(character)),
    }
}

/// What `"delimiter(…)delimiter"` holds.
fn raw_text(quoted: &str) -> &str {
    let open = quoted.find('(').unwrap_or(0);
    // The delimiter ends as it begins.
    quoted.get(open + 1..quoted.len() - open - 1).unwrap_or_default()
}

/// What the escape at the start of `text` means, and how long it is.
fn escape(text: &str) -> Option<(Element, usize)> {
    let kind = text.chars().nth(1)?;
    let unit = |value: u32| Some((Element::Unit(value), 2));
    match kind {
        'n' => unit(10),
        't' => unit(9),
        'r' => unit(13),
        '0'..='7' => {
            let digits = text[1..].bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (value, len) = digits.fold((0, 1), |(value, len), byte| (value * 8 + u32::from(byte - b'0'), len + 1));
            Some((Element::Unit(value), len))
        }
        'a' => unit(7),
        'b' => unit(8),
        'f' => unit(12),
        'v' => unit(11),
        'e' | 'E' => unit(27),
        'x' => {
            let digits = text[2..].chars().map_while(|digit| digit.to_digit(16));
            // As many digits as there are; the last ones count.
            let (value, len) = digits.fold((0u32, 2), |(value, len), digit| (value << 4 | digit, len + 1));
            (len > 2).then_some((Element::Unit(value), len))
        }
        'u' | 'U' => universal_character(text).map(|(character, len)| (Element::Character(character), len)),
        // Like gcc, `\%` is `%`.
        _ => Some((Element::Character(kind), 1 + kind.len_utf8())),
    }
}
