//! Tokens of preprocessed C, one at a time; what the preprocessor left behind is read on the way.

mod pragma;
pub(crate) mod splice;

use crate::ast::{Encoding, Ident, LineMarker, Name, WeakPragma};
use crate::names::{Interner, Keyword};
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};
use pragma::Packing;
use splice::Splice;
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name that is no keyword.
    Word(Name),
    Keyword(Keyword),
    /// Anything that begins like a number; what it is worth is read from its text.
    Number,
    Char(Encoding),
    String(Encoding),
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Semicolon,
    Colon,
    Question,
    Dot,
    Ellipsis,
    Arrow,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Amp,
    Pipe,
    Caret,
    Tilde,
    Not,
    Less,
    Greater,
    Assign,
    PlusPlus,
    MinusMinus,
    ShiftLeft,
    ShiftRight,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    AndAnd,
    OrOr,
    PlusAssign,
    MinusAssign,
    StarAssign,
    SlashAssign,
    PercentAssign,
    AmpAssign,
    PipeAssign,
    CaretAssign,
    ShiftLeftAssign,
    ShiftRightAssign,
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

pub(crate) struct Lexer<'t> {
    /// The source.
    source: &'t str,
    /// The source with continued lines joined.
    text: &'t str,
    splices: &'t [Splice],
    at: usize,
    base: u32,
    /// A literal or comment without end has swallowed the rest of the file.
    pub(crate) is_cut_off: bool,
    pub(crate) interner: Interner<'t>,
    pub(crate) findings: Findings,
    pub(crate) markers: Vec<LineMarker>,
    pub(crate) packing: Packing,
    pub(crate) weak: Vec<WeakPragma>,
    pub(crate) renamed: Vec<(Name, Box<str>)>,
}

impl<'t> Lexer<'t> {
    /// # Requires
    /// `base + source.len()` fits into 32 bits; `text` and `splices` are what [`splice::join`] makes of `source`.
    pub(crate) fn new(source: &'t str, text: &'t str, splices: &'t [Splice], base: u32) -> Self {
        Self {
            source,
            text,
            splices,
            at: 0,
            base,
            is_cut_off: false,
            interner: Interner::new(),
            findings: Findings::default(),
            markers: Vec::new(),
            packing: Packing::default(),
            weak: Vec::new(),
            renamed: Vec::new(),
        }
    }

    /// The text of `span`, which must lie in this file, as it is written.
    pub(crate) fn text(&self, span: Span) -> &'t str {
        &self.source[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// The text of `span` with continued lines joined.
    pub(crate) fn joined_text(&self, span: Span) -> Cow<'t, str> {
        let text = self.text(span);
        if self.splices.is_empty() { Cow::Borrowed(text) } else { splice::join(text).0 }
    }

    /// Gives up: from now on every token is the end of the file.
    pub(crate) fn stop(&mut self) {
        self.at = self.text.len();
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        let kind = match self.text.as_bytes().get(start) {
            Some(&byte) => match byte {
                b'L' | b'u' | b'U' | b'R' => self.prefixed(start),
                b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => self.word(start),
                b'0'..=b'9' => self.number(),
                b'.' if self.byte(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
                b'"' | b'\'' => self.quoted(start, 0, Encoding::Plain),
                _ => match punctuation(&self.text.as_bytes()[start..]) {
                    Some((kind, len)) => {
                        self.at += len;
                        kind
                    }
                    None => self.unusual(start),
                },
            },
            None => TokenKind::Eof,
        };
        Token { kind, span: self.span_from(start) }
    }

    #[inline]
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    #[inline]
    fn span_from(&self, start: usize) -> Span {
        let first = splice::origin(self.splices, start);
        let end = if self.at > start { splice::origin(self.splices, self.at - 1) + 1 } else { first };
        Span::new(self.base + first as u32, self.base + end as u32)
    }

    pub(crate) fn report(&mut self, finding: Diagnostic) {
        self.findings.add(finding);
        if self.findings.is_full() {
            self.stop();
        }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        let mut is_fresh_line = self.at == 0;
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    is_fresh_line = true;
                }
                Some(b'/') => match self.byte(1) {
                    Some(b'/') => self.skip_line(),
                    Some(b'*') => self.skip_comment(),
                    _ => return,
                },
                Some(b'#') if is_fresh_line => self.directive(1),
                Some(b'%') if is_fresh_line && self.byte(1) == Some(b':') => self.directive(2),
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
                self.cut_off(
                    Diagnostic::error("unterminated-comment", "this comment has no end", span).help("add `*/`"),
                );
            }
        }
    }

    fn cut_off(&mut self, finding: Diagnostic) {
        self.stop();
        self.is_cut_off = true;
        self.report(finding);
    }

    /// A line that begins with `#`.
    fn directive(&mut self, sign_len: usize) {
        let start = self.at;
        self.skip_line();
        let line = self.text[start + sign_len..self.at].trim_matches([' ', '\t', '\r']);
        let word_len = line.bytes().take_while(|byte| is_word(*byte)).count();
        let (word, rest) = line.split_at(word_len);
        match word {
            "pragma" => self.pragma(start, rest),
            "ident" | "sccs" => {}
            "line" => self.marker(start, rest),
            "" if line.is_empty() => {}
            _ if line.starts_with(|first: char| first.is_ascii_digit()) => self.marker(start, line),
            _ => self.not_preprocessed(start),
        }
    }

    fn pragma(&mut self, start: usize, pragma: &'t str) {
        self.packing.obey(pragma);
        if let Some((name, target)) = pragma::weak(pragma) {
            let (name, span) = (self.interner.intern(name), self.span_from(start));
            self.weak.push(WeakPragma { name: Ident { name, span }, target: target.map(Box::from) });
        }
        if let Some((name, symbol)) = pragma::renamed(pragma) {
            self.renamed.push((self.interner.intern(name), Box::from(symbol)));
        }
    }

    /// `12 "file.c" 1 3`
    fn marker(&mut self, start: usize, line: &str) {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = line[..digits].parse() else { return self.not_preprocessed(start) };
        let rest = line[digits..].trim_start();
        let (path, flags) = match rest.strip_prefix('"') {
            Some(quoted) => decode_path(quoted),
            None => (self.markers.last().map(|marker| marker.path.clone()).unwrap_or_default(), rest),
        };
        let is_system = flags.split_ascii_whitespace().any(|flag| flag == "3");
        let next_line = (self.at + 1).min(self.text.len());
        let offset = self.base + splice::origin(self.splices, next_line) as u32;
        self.markers.push(LineMarker { offset, line: number, path, is_system });
    }

    #[cold]
    fn not_preprocessed(&mut self, start: usize) {
        let finding = Diagnostic::error(
            "not-preprocessed",
            "this line is for the preprocessor, which has not been run",
            self.span_from(start),
        );
        self.cut_off(finding.help("run `gcc -E` on the file first"));
    }

    /// What begins with a letter that may belong to a literal.
    fn prefixed(&mut self, start: usize) -> TokenKind {
        let bytes = &self.text.as_bytes()[start..];
        let (encoding, len) = match bytes {
            [b'u', b'8', ..] => (Encoding::Utf8, 2),
            [b'u', ..] => (Encoding::Utf16, 1),
            [b'U', ..] => (Encoding::Utf32, 1),
            [b'L', ..] => (Encoding::Wide, 1),
            _ => (Encoding::Plain, 0),
        };
        match bytes.get(len..).unwrap_or_default() {
            [b'"' | b'\'', ..] => self.quoted(start, len, encoding),
            [b'R', b'"', ..] => self.raw_string(start, len + 2, encoding),
            _ => self.word(start),
        }
    }

    #[inline]
    fn word(&mut self, start: usize) -> TokenKind {
        let rest = &self.text.as_bytes()[start..];
        self.at += rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        let name = match self.byte(0) {
            Some(0x80.. | b'\\') => self.unusual_word(start),
            _ => self.interner.intern(&self.text[start..self.at]),
        };
        match Keyword::of(name) {
            Some(keyword) => TokenKind::Keyword(keyword),
            None => TokenKind::Word(name),
        }
    }

    /// A name with letters from outside of ASCII, written as they are or as `\u00e9`.
    #[cold]
    fn unusual_word(&mut self, start: usize) -> Name {
        let mut made = String::new();
        let mut copied = start;
        loop {
            let rest = &self.text[self.at..];
            match rest.chars().next() {
                Some('\\') => {
                    let Some((character, len)) = universal_character(rest).filter(|&(it, _)| is_letter(it)) else {
                        break;
                    };
                    made.push_str(&self.text[copied..self.at]);
                    made.push(character);
                    self.at += len;
                    copied = self.at;
                }
                Some(character) if is_letter(character) => self.at += character.len_utf8(),
                _ => break,
            }
        }
        if made.is_empty() {
            return self.interner.intern(&self.text[start..self.at]);
        }
        made.push_str(&self.text[copied..self.at]);
        self.interner.intern_made(made)
    }

    fn number(&mut self) -> TokenKind {
        loop {
            match self.byte(0) {
                Some(b'e' | b'E' | b'p' | b'P') if matches!(self.byte(1), Some(b'+' | b'-')) => self.at += 2,
                Some(byte) if is_word(byte) || byte == b'.' => self.at += 1,
                _ => return TokenKind::Number,
            }
        }
    }

    /// A string or character literal whose quote stands `prefix` bytes after `start`.
    fn quoted(&mut self, start: usize, prefix: usize, encoding: Encoding) -> TokenKind {
        let bytes = self.text.as_bytes();
        let quote = bytes[start + prefix];
        self.at = start + prefix + 1;
        loop {
            match bytes.get(self.at) {
                Some(&byte) if byte == quote => break,
                Some(b'\\') if !matches!(bytes.get(self.at + 1), None | Some(b'\n')) => self.at += 2,
                None | Some(b'\n') => return self.unterminated(start, quote),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if quote == b'"' { TokenKind::String(encoding) } else { TokenKind::Char(encoding) }
    }

    #[cold]
    fn unterminated(&mut self, start: usize, quote: u8) -> TokenKind {
        let (what, sign) = if quote == b'"' { ("string", '"') } else { ("character", '\'') };
        let message = format!("this {what} has no end in its line");
        let span = self.span_from(start);
        self.report(Diagnostic::error("unterminated-literal", message, span).help(format!("add `{sign}`")));
        TokenKind::Unknown
    }

    /// `R"delimiter(…)delimiter"`
    #[cold]
    fn raw_string(&mut self, start: usize, prefix: usize, encoding: Encoding) -> TokenKind {
        let rest = &self.text[start + prefix..];
        // A delimiter has at most 16 characters; a longer search would make many such literals quadratic.
        let delimiter = rest.bytes().take(17).position(|byte| byte == b'(').map(|len| &rest[..len]);
        match delimiter.and_then(|delimiter| Some((delimiter, rest.find(&format!("){delimiter}\""))?))) {
            Some((delimiter, end)) => {
                self.at = start + prefix + end + delimiter.len() + 2;
                TokenKind::String(encoding)
            }
            None => {
                self.at = start + prefix;
                let span = self.span_from(start);
                self.cut_off(Diagnostic::error("unterminated-literal", "this string has no end", span));
                TokenKind::Unknown
            }
        }
    }

    /// A name that does not begin with an ASCII letter, or something that means nothing.
    #[cold]
    fn unusual(&mut self, start: usize) -> TokenKind {
        let rest = &self.text[start..];
        let character = rest.chars().next().unwrap_or_default();
        let begins_word = match character {
            '\\' => universal_character(rest).is_some_and(|(it, _)| is_letter(it)),
            _ => is_letter(character),
        };
        if begins_word {
            return TokenKind::Word(self.unusual_word(start));
        }
        // One error for each run of the same character: a file in another language has many.
        let len: usize = rest.chars().take_while(|&next| next == character).map(char::len_utf8).sum();
        self.at += len;
        let shown = match character.is_control() || character.is_whitespace() {
            true => character.escape_unicode().to_string(),
            false => character.to_string(),
        };
        let span = self.span_from(start);
        self.report(Diagnostic::error("unknown-character", format!("`{shown}` means nothing in C"), span));
        TokenKind::Unknown
    }
}

#[inline]
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether it can be part of a name.
fn is_letter(character: char) -> bool {
    match character {
        '\0'..='\x7f' => is_word(character as u8),
        '\u{10000}'.. => true,
        _ => character.is_alphanumeric(),
    }
}

/// The character that `\u1234` or `\U12345678` at the start of `text` means, and how long that is.
pub(crate) fn universal_character(text: &str) -> Option<(char, usize)> {
    let len = match text.as_bytes().get(1)? {
        b'u' => 6,
        b'U' => 10,
        _ => return None,
    };
    let digits = text.get(2..len).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, len))
}

/// The path in front of the closing quote, and what follows.
fn decode_path(quoted: &str) -> (Box<str>, &str) {
    let plain = quoted.find(['"', '\\']).unwrap_or(quoted.len());
    if quoted[plain..].starts_with('"') {
        return (quoted[..plain].into(), &quoted[plain + 1..]);
    }
    let mut path = Vec::new();
    let mut bytes = quoted.bytes();
    while let Some(byte) = bytes.next().filter(|&byte| byte != b'"') {
        let escaped = if byte == b'\\' { bytes.next() } else { None };
        match escaped {
            None => path.push(byte),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next @ b'0'..=b'7') = bytes.clone().next() else { break };
                    value = value * 8 + u32::from(next - b'0');
                    bytes.next();
                }
                path.push(value as u8);
            }
            Some(escaped) => path.push(escaped),
        }
    }
    let rest = quoted.get(quoted.len() - bytes.len()..).unwrap_or_default();
    (String::from_utf8_lossy(&path).into(), rest)
}

#[inline]
fn punctuation(rest: &[u8]) -> Option<(TokenKind, usize)> {
    let next = rest.get(1).copied().unwrap_or(0);
    let third = rest.get(2).copied().unwrap_or(0);
    Some(match (rest[0], next) {
        (b'(', _) => (TokenKind::OpenParen, 1),
        (b')', _) => (TokenKind::CloseParen, 1),
        (b'[', _) => (TokenKind::OpenBracket, 1),
        (b']', _) => (TokenKind::CloseBracket, 1),
        (b'{', _) => (TokenKind::OpenBrace, 1),
        (b'}', _) => (TokenKind::CloseBrace, 1),
        (b',', _) => (TokenKind::Comma, 1),
        (b';', _) => (TokenKind::Semicolon, 1),
        (b':', b'>') => (TokenKind::CloseBracket, 2),
        (b':', _) => (TokenKind::Colon, 1),
        (b'?', _) => (TokenKind::Question, 1),
        (b'.', b'.') if third == b'.' => (TokenKind::Ellipsis, 3),
        (b'.', _) => (TokenKind::Dot, 1),
        (b'-', b'>') => (TokenKind::Arrow, 2),
        (b'-', b'-') => (TokenKind::MinusMinus, 2),
        (b'-', b'=') => (TokenKind::MinusAssign, 2),
        (b'-', _) => (TokenKind::Minus, 1),
        (b'+', b'+') => (TokenKind::PlusPlus, 2),
        (b'+', b'=') => (TokenKind::PlusAssign, 2),
        (b'+', _) => (TokenKind::Plus, 1),
        (b'*', b'=') => (TokenKind::StarAssign, 2),
        (b'*', _) => (TokenKind::Star, 1),
        (b'/', b'=') => (TokenKind::SlashAssign, 2),
        (b'/', _) => (TokenKind::Slash, 1),
        (b'%', b'=') => (TokenKind::PercentAssign, 2),
        (b'%', b'>') => (TokenKind::CloseBrace, 2),
        (b'%', _) => (TokenKind::Percent, 1),
        (b'&', b'&') => (TokenKind::AndAnd, 2),
        (b'&', b'=') => (TokenKind::AmpAssign, 2),
        (b'&', _) => (TokenKind::Amp, 1),
        (b'|', b'|') => (TokenKind::OrOr, 2),
        (b'|', b'=') => (TokenKind::PipeAssign, 2),
        (b'|', _) => (TokenKind::Pipe, 1),
        (b'^', b'=') => (TokenKind::CaretAssign, 2),
        (b'^', _) => (TokenKind::Caret, 1),
        (b'~', _) => (TokenKind::Tilde, 1),
        (b'!', b'=') => (TokenKind::NotEqual, 2),
        (b'!', _) => (TokenKind::Not, 1),
        (b'<', b'<') if third == b'=' => (TokenKind::ShiftLeftAssign, 3),
        (b'<', b'<') => (TokenKind::ShiftLeft, 2),
        (b'<', b'=') => (TokenKind::LessEqual, 2),
        (b'<', b':') => (TokenKind::OpenBracket, 2),
        (b'<', b'%') => (TokenKind::OpenBrace, 2),
        (b'<', _) => (TokenKind::Less, 1),
        (b'>', b'>') if third == b'=' => (TokenKind::ShiftRightAssign, 3),
        (b'>', b'>') => (TokenKind::ShiftRight, 2),
        (b'>', b'=') => (TokenKind::GreaterEqual, 2),
        (b'>', _) => (TokenKind::Greater, 1),
        (b'=', b'=') => (TokenKind::Equal, 2),
        (b'=', _) => (TokenKind::Assign, 1),
        _ => return None,
    })
}
