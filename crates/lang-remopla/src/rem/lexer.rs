//! Tokens, one at a time.

use super::ast::BinaryOp;
use super::names::{Interner, Keyword, Symbol};
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word(Symbol),
    Number(u64),
    /// A number with a point in it.
    Decimal,
    /// `"…"`
    Text,
    Comma,
    Semicolon,
    Colon,
    DoubleColon,
    Dot,
    /// `->`
    Arrow,
    /// `-->`
    RuleArrow,
    /// `=`
    Assign,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Operator(BinaryOp),
    Not,
    Prime,
    /// What means nothing, and has been reported.
    Unknown,
    /// The end of the file.
    Eof,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

impl Token {
    pub(super) fn keyword(self) -> Option<Keyword> {
        match self.kind {
            TokenKind::Word(symbol) => Keyword::of(symbol),
            _ => None,
        }
    }
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    base: u32,
    /// A comment without end has swallowed the rest of the file.
    pub(super) is_cut_off: bool,
    pub(super) interner: Interner<'t>,
    pub(super) findings: Findings,
}

impl<'t> Lexer<'t> {
    /// # Requires
    /// `base + text.len()` fits into 32 bits.
    pub(super) fn new(text: &'t str, base: u32) -> Self {
        Self { text, at: 0, base, is_cut_off: false, interner: Interner::new(), findings: Findings::default() }
    }

    /// The text of `span`, which must lie in this file.
    pub(super) fn text(&self, span: Span) -> &'t str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// Gives up: from now on every token is the end of the file.
    pub(super) fn stop(&mut self) {
        self.at = self.text.len();
    }

    pub(super) fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        let kind = match self.text.as_bytes().get(start) {
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$') => TokenKind::Word(self.word(start)),
            Some(b'0'..=b'9') => self.number(start),
            Some(b'"') => self.quoted(start),
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
                Some(b'#' | b'%') => self.skip_line(),
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
                let finding = Diagnostic::error("unterminated-comment", "this comment has no end", span);
                self.report(finding.help("add `*/`"));
            }
        }
    }

    /// The number of bytes from `start` on that are `inside`.
    fn run(&self, start: usize, inside: impl Fn(u8) -> bool) -> usize {
        let rest = &self.text.as_bytes()[start..];
        rest.iter().position(|&byte| !inside(byte)).unwrap_or(rest.len())
    }

    fn word(&mut self, start: usize) -> Symbol {
        self.at += self.run(start, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
        self.interner.symbol(&self.text[start..self.at])
    }

    fn number(&mut self, start: usize) -> TokenKind {
        let rest = &self.text[start..];
        let hexadecimal = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"));
        if hexadecimal.is_some_and(|digits| digits.starts_with(|digit: char| digit.is_ascii_hexdigit())) {
            self.at += 2 + self.run(start + 2, |byte| byte.is_ascii_hexdigit());
            return self.value(start, u64::from_str_radix(&self.text[start + 2..self.at], 16).ok());
        }
        self.at += self.run(start, |byte| byte.is_ascii_digit());
        let has_point = self.text[self.at..].strip_prefix('.').is_some_and(|rest| rest.starts_with(is_digit));
        if has_point {
            self.at += 1 + self.run(self.at + 1, |byte| byte.is_ascii_digit());
            return TokenKind::Decimal;
        }
        self.value(start, self.text[start..self.at].parse().ok())
    }

    fn value(&mut self, start: usize, value: Option<u64>) -> TokenKind {
        match value {
            Some(value) => TokenKind::Number(value),
            None => {
                let message = "this number has more than 64 bits";
                self.report(Diagnostic::error("number-too-large", message, self.span_from(start)));
                TokenKind::Number(0)
            }
        }
    }

    fn quoted(&mut self, start: usize) -> TokenKind {
        let rest = &self.text[start + 1..];
        let len = rest.find(['"', '\n']).unwrap_or(rest.len());
        self.at = start + 1 + len;
        if rest[len..].starts_with('"') {
            self.at += 1;
        } else {
            let span = self.span_from(start);
            self.report(Diagnostic::error("unterminated-text", "this text has no `\"` in its line", span));
        }
        TokenKind::Text
    }

    fn punctuation(&self, byte: u8) -> Option<(TokenKind, usize)> {
        let rest = &self.text.as_bytes()[self.at..];
        let has = |suffix: &[u8]| rest[1..].starts_with(suffix);
        let operator = |op, len| (TokenKind::Operator(op), len);
        Some(match byte {
            b',' => (TokenKind::Comma, 1),
            b';' => (TokenKind::Semicolon, 1),
            b':' if has(b":") => (TokenKind::DoubleColon, 2),
            b':' => (TokenKind::Colon, 1),
            b'.' => (TokenKind::Dot, 1),
            b'(' => (TokenKind::OpenParen, 1),
            b')' => (TokenKind::CloseParen, 1),
            b'[' => (TokenKind::OpenBracket, 1),
            b']' => (TokenKind::CloseBracket, 1),
            b'{' => (TokenKind::OpenBrace, 1),
            b'}' => (TokenKind::CloseBrace, 1),
            b'-' if has(b"->") => (TokenKind::RuleArrow, 3),
            b'-' if has(b">") => (TokenKind::Arrow, 2),
            b'-' => operator(BinaryOp::Subtract, 1),
            b'+' => operator(BinaryOp::Add, 1),
            b'*' => operator(BinaryOp::Multiply, 1),
            b'/' => operator(BinaryOp::Divide, 1),
            b'<' if has(b"=>") => operator(BinaryOp::Equiv, 3),
            b'<' if has(b"=") => operator(BinaryOp::LessEqual, 2),
            b'<' if has(b"<") => operator(BinaryOp::ShiftLeft, 2),
            b'<' => operator(BinaryOp::Less, 1),
            b'>' if has(b"=") => operator(BinaryOp::GreaterEqual, 2),
            b'>' if has(b">") => operator(BinaryOp::ShiftRight, 2),
            b'>' => operator(BinaryOp::Greater, 1),
            b'=' if has(b"=") => operator(BinaryOp::Equal, 2),
            b'=' => (TokenKind::Assign, 1),
            b'|' if has(b"|") => operator(BinaryOp::Or, 2),
            b'|' => operator(BinaryOp::BitOr, 1),
            b'^' if has(b"^") => operator(BinaryOp::Xor, 2),
            b'^' => operator(BinaryOp::BitXor, 1),
            b'&' if has(b"&") => operator(BinaryOp::And, 2),
            b'&' => operator(BinaryOp::BitAnd, 1),
            b'!' if has(b"=") => operator(BinaryOp::NotEqual, 2),
            b'!' => (TokenKind::Not, 1),
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
        let message = format!("`{shown}` means nothing in Remopla");
        self.report(Diagnostic::error("unknown-character", message, span));
        TokenKind::Unknown
    }
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}
