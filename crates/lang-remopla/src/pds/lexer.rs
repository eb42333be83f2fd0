//! Tokens, one at a time.

use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// Digits.
    Number,
    /// `"…"`
    Label,
    /// `-->`
    Arrow,
    Comma,
    Semicolon,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    Not,
    And,
    Or,
    Xor,
    Iff,
    Implies,
    Plus,
    Minus,
    Star,
    Slash,
    ShiftLeft,
    ShiftRight,
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
    /// It is the first of its line.
    pub(crate) is_first: bool,
}

pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    base: u32,
    pub(crate) findings: Findings,
}

impl<'t> Lexer<'t> {
    /// # Requires
    /// `base + text.len()` fits into 32 bits.
    pub(crate) fn new(text: &'t str, base: u32) -> Self {
        Self { text, at: 0, base, findings: Findings::default() }
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
        let before = self.at;
        self.skip_blanks();
        let start = self.at;
        let is_first = before == 0 || self.text.as_bytes()[before..start].contains(&b'\n');
        let kind = match self.text.as_bytes().get(start) {
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$') => self.word(),
            Some(b'0'..=b'9') => self.number(),
            Some(b'"') => self.label(start),
            Some(&byte) => match self.punctuation(byte) {
                Some((kind, len)) => {
                    self.at += len;
                    kind
                }
                None => self.unknown_characters(start),
            },
            None => TokenKind::Eof,
        };
        Token { kind, span: self.span_from(start), is_first }
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
                Some(b'#') => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                // A byte order mark, as some editors leave it.
                Some(0xef) if self.at == 0 && self.text.starts_with('\u{feff}') => self.at += 3,
                _ => return,
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let rest = &self.text.as_bytes()[self.at..];
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
        self.at += rest.iter().position(|byte| !is_inside(byte)).unwrap_or(rest.len());
        TokenKind::Word
    }

    fn number(&mut self) -> TokenKind {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        TokenKind::Number
    }

    fn label(&mut self, start: usize) -> TokenKind {
        let rest = &self.text[start + 1..];
        let len = rest.find(['"', '\n']).unwrap_or(rest.len());
        self.at = start + 1 + len;
        if rest[len..].starts_with('"') {
            self.at += 1;
            return TokenKind::Label;
        }
        let span = self.span_from(start);
        let finding = Diagnostic::error("unterminated-label", "this label has no end in its line", span);
        self.report(finding.help("add `\"`"));
        TokenKind::Unknown
    }

    fn punctuation(&self, byte: u8) -> Option<(TokenKind, usize)> {
        let rest = &self.text.as_bytes()[self.at..];
        let has = |suffix: &[u8]| rest[1..].starts_with(suffix);
        Some(match byte {
            b',' => (TokenKind::Comma, 1),
            b';' => (TokenKind::Semicolon, 1),
            b'(' => (TokenKind::OpenParen, 1),
            b')' => (TokenKind::CloseParen, 1),
            b'[' => (TokenKind::OpenBracket, 1),
            b']' => (TokenKind::CloseBracket, 1),
            b'<' if has(b"->") => (TokenKind::Iff, 3),
            b'<' if has(b"=") => (TokenKind::LessEqual, 2),
            b'<' if has(b"<") => (TokenKind::ShiftLeft, 2),
            b'<' => (TokenKind::Less, 1),
            b'>' if has(b"=") => (TokenKind::GreaterEqual, 2),
            b'>' if has(b">") => (TokenKind::ShiftRight, 2),
            b'>' => (TokenKind::Greater, 1),
            b'=' if has(b"=") => (TokenKind::Equal, 2),
            b'=' => (TokenKind::Equal, 1),
            b'!' if has(b"=") => (TokenKind::NotEqual, 2),
            b'!' | b'~' => (TokenKind::Not, 1),
            b'&' if has(b"&") => (TokenKind::And, 2),
            b'&' => (TokenKind::And, 1),
            b'|' if has(b"|") => (TokenKind::Or, 2),
            b'|' => (TokenKind::Or, 1),
            b'^' => (TokenKind::Xor, 1),
            b'-' if has(b"->") => (TokenKind::Arrow, 3),
            b'-' if has(b">") => (TokenKind::Implies, 2),
            b'-' => (TokenKind::Minus, 1),
            b'+' => (TokenKind::Plus, 1),
            b'*' => (TokenKind::Star, 1),
            b'/' => (TokenKind::Slash, 1),
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
        let message = format!("`{shown}` means nothing in a pushdown system");
        self.report(Diagnostic::error("unknown-character", message, span));
        TokenKind::Unknown
    }
}
