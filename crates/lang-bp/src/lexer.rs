//! Tokens, one at a time.

use crate::ast::BinaryOp;
use crate::names::{Interner, Keyword, Symbol};
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word(Symbol),
    /// Digits; as a name, since a label may be a number.
    Number(Symbol),
    Comma,
    Semicolon,
    Colon,
    Assign,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Less,
    Greater,
    /// An operator that is nothing else.
    Operator(BinaryOp),
    Not,
    Question,
    Star,
    Prime,
    /// What means nothing, and has been reported.
    Unknown,
    /// The end of the file.
    Eof,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn keyword(self) -> Option<Keyword> {
        match self.kind {
            TokenKind::Word(symbol) => Keyword::of(symbol),
            _ => None,
        }
    }
}

pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    base: u32,
    /// A comment without end has swallowed the rest of the file.
    pub(crate) is_cut_off: bool,
    pub(crate) interner: Interner<'t>,
    pub(crate) findings: Findings,
}

impl<'t> Lexer<'t> {
    /// # Requires
    /// `base + text.len()` fits into 32 bits.
    pub(crate) fn new(text: &'t str, base: u32) -> Self {
        Self { text, at: 0, base, is_cut_off: false, interner: Interner::new(), findings: Findings::default() }
    }

    /// The text of `span`, which must lie in this file.
    pub(crate) fn text(&self, span: Span) -> &'t str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// Gives up: from now on every token is the end of the file.
    pub(crate) fn stop(&mut self) {
        self.at = self.text.len();
    }

    pub(crate) fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        let kind = match self.text.as_bytes().get(start) {
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$') => TokenKind::Word(self.word(start)),
            Some(b'0'..=b'9') => TokenKind::Number(self.number(start)),
            Some(b'{') => self.braced_name(start),
            Some(&byte) => match self.punctuation(byte) {
                Some((kind, len)) => {
                    self.at += len;
                    kind
                }
                None => self.unknown_characters(start),
            },
            None => TokenKind::Eof,
        };
        Token { kind, span: self.span_from(start) }
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }

    fn report(&mut self, finding: Diagnostic) {
        self.findings.add(finding);
        if self.findings.is_full() {
            self.stop();
        }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'/') => match bytes.get(self.at + 1) {
                    Some(b'/') => self.skip_line(),
                    Some(b'*') => self.skip_comment(),
                    _ => return,
                },
                // A byte order mark, as some editors leave it.
                Some(0xef) if self.at == 0 && self.text.starts_with('\u{feff}') => self.at += 3,
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(len) => self.at = start + 2 + len + 2,
            None => {
                self.at = start + 2;
                let span = self.span_from(start);
                self.stop();
                self.is_cut_off = true;
                self.report(
                    Diagnostic::error("unterminated-comment", "this comment has no end", span).help("add `*/`"),
                );
            }
        }
    }

    fn word(&mut self, start: usize) -> Symbol {
        let rest = &self.text.as_bytes()[start..];
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        self.at += rest.iter().position(|byte| !is_inside(byte)).unwrap_or(rest.len());
        self.interner.plain(&self.text[start..self.at])
    }

    fn number(&mut self, start: usize) -> Symbol {
        let rest = &self.text.as_bytes()[start..];
        self.at += rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.interner.plain(&self.text[start..self.at])
    }

    fn braced_name(&mut self, start: usize) -> TokenKind {
        let rest = &self.text[start + 1..];
        let len = rest.find(['}', '\n']).unwrap_or(rest.len());
        if !rest[len..].starts_with('}') {
            self.at = start + 1 + len;
            let finding =
                Diagnostic::error("unterminated-name", "this name has no `}` in its line", self.span_from(start));
            self.report(finding);
            return TokenKind::Unknown;
        }
        self.at = start + 1 + len + 1;
        let inside = rest[..len].trim_matches([' ', '\t']);
        if inside.is_empty() {
            let finding = Diagnostic::error("syntax", "there is no name between these braces", self.span_from(start));
            self.report(finding);
        }
        TokenKind::Word(self.interner.braced(inside))
    }

    fn punctuation(&self, byte: u8) -> Option<(TokenKind, usize)> {
        let rest = &self.text.as_bytes()[self.at..];
        let has = |suffix: &[u8]| rest[1..].starts_with(suffix);
        let operator = |op, len| (TokenKind::Operator(op), len);
        Some(match byte {
            b',' => (TokenKind::Comma, 1),
            b';' => (TokenKind::Semicolon, 1),
            b':' if has(b"=") => (TokenKind::Assign, 2),
            b':' => (TokenKind::Colon, 1),
            b'(' => (TokenKind::OpenParen, 1),
            b')' => (TokenKind::CloseParen, 1),
            b'[' => (TokenKind::OpenBracket, 1),
            b']' => (TokenKind::CloseBracket, 1),
            b'<' if has(b"=>") => operator(BinaryOp::Equiv, 3),
            b'<' if has(b">") => operator(BinaryOp::NotEqual, 2),
            b'<' => (TokenKind::Less, 1),
            b'>' => (TokenKind::Greater, 1),
            b'=' if has(b">") => operator(BinaryOp::Implies, 2),
            b'=' if has(b"=") => operator(BinaryOp::Equal, 2),
            b'=' => operator(BinaryOp::Equal, 1),
            b'|' if has(b"|") => operator(BinaryOp::Or, 2),
            b'|' => operator(BinaryOp::Or, 1),
            b'^' => operator(BinaryOp::Xor, 1),
            b'&' if has(b"&") => operator(BinaryOp::And, 2),
            b'&' => operator(BinaryOp::And, 1),
            b'!' if has(b"=") => operator(BinaryOp::NotEqual, 2),
            b'!' | b'~' => (TokenKind::Not, 1),
            b'?' => (TokenKind::Question, 1),
            b'*' => (TokenKind::Star, 1),
            b'\'' => (TokenKind::Prime, 1),
            _ => return None,
        })
    }

    /// One error for each run of the same character: a file in another language has many.
    fn unknown_characters(&mut self, start: usize) -> TokenKind {
        let rest = &self.text[start..];
        let character = rest.chars().next().unwrap_or_default();
        let len: usize = rest.chars().take_while(|&next| next == character).map(char::len_utf8).sum();
        self.at += len;
        let span = self.span_from(start);
        let shown = match character.is_control() || character.is_whitespace() {
            true => character.escape_unicode().to_string(),
            false => character.to_string(),
        };
        let message = format!("`{shown}` means nothing in a boolean program");
        self.report(Diagnostic::error("unknown-character", message, span));
        TokenKind::Unknown
    }
}
