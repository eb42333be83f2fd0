//! All tokens of a text; the layout becomes tokens that end clauses.
//!
//! A clause goes on in lines that are indented further than its first, and after a comma.

use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// The name of a function in which `*` stands for any characters.
    Wildcard,
    Number,
    /// A text, quotes included.
    Text,
    /// Everything else; the text says which.
    Symbol,
    /// What means nothing, and has been reported.
    Unknown,
    /// The end of a clause; of no length.
    End,
    /// The end of the file.
    Eof,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The symbols, each after those it begins with.
const SYMBOLS: &[&str] = &[
    "...", ":=", "==", "!=", "<=", ">=", "->", "<<", ">>", "&&", "||", ",", ":", "(", ")", "{", "}", "=", "<", ">",
    "!", "&", "|", "^", "~", "+", "-", "*", "/", "%",
];

/// The tokens of `text`, the last of them the end of the file.
///
/// # Requires
/// `base + text.len()` fits into 32 bits.
pub(super) fn tokens(text: &str, base: u32, findings: &mut Findings) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, base, line: 0, braces: 0, clause: None, tokens: Vec::new(), findings };
    if text.starts_with('\u{feff}') {
        (lexer.at, lexer.line) = (3, 3);
    }
    while lexer.skip_blanks() && !lexer.findings.is_full() {
        lexer.layout();
        let start = lexer.at;
        let kind = lexer.token();
        lexer.push(kind, start);
    }
    lexer.at = text.len();
    lexer.push(TokenKind::End, text.len());
    lexer.push(TokenKind::Eof, text.len());
    lexer.tokens
}

struct Lexer<'t, 'f> {
    text: &'t str,
    at: usize,
    base: u32,
    /// Where the current line begins.
    line: usize,
    /// The number of braces that are open.
    braces: usize,
    /// How far the current clause is indented, and the line that the last token is on.
    clause: Option<(usize, usize)>,
    tokens: Vec<Token>,
    findings: &'f mut Findings,
}

impl Lexer<'_, '_> {
    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, span: self.span(start) });
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }

    /// Goes to the next token; false at the end of the file.
    fn skip_blanks(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'\n') => {
                    self.at += 1;
                    self.line = self.at;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'-') if bytes.get(self.at + 1) == Some(&b'-') => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                next => return next.is_some(),
            }
        }
    }

    /// Ends the clause where the token here begins a new one.
    fn layout(&mut self) {
        let column = self.at - self.line;
        let follows_comma = self.tokens.last().is_some_and(|last| self.slice(last.span) == ",");
        self.clause = Some(match self.clause {
            None => (column, self.line),
            Some((indent, line)) if line == self.line || column > indent || follows_comma => (indent, self.line),
            Some(_) => {
                self.braces = 0;
                self.push(TokenKind::End, self.at);
                (column, self.line)
            }
        });
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    fn token(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        match rest.as_bytes()[0] {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(),
            b'*' if self.braces > 0 => self.word(),
            b'0'..=b'9' => {
                self.at += length(rest, |byte| byte.is_ascii_digit());
                TokenKind::Number
            }
            b'"' => self.text_token(),
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => {
                    self.at += symbol.len();
                    match *symbol {
                        "{" => self.braces += 1,
                        "}" => self.braces = self.braces.saturating_sub(1),
                        _ => {}
                    }
                    TokenKind::Symbol
                }
                None => self.unknown_characters(),
            },
        }
    }

    /// In braces a star is always a part of a name; elsewhere where the name ends at a parenthesis.
    fn word(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let with_stars = length(rest, |byte| byte == b'*' || is_inside(byte));
        let has_star = rest[..with_stars].contains('*');
        if has_star && (self.braces > 0 || rest[with_stars..].starts_with('(')) {
            self.at += with_stars;
            return TokenKind::Wildcard;
        }
        self.at += length(rest, is_inside);
        TokenKind::Word
    }

    fn text_token(&mut self) -> TokenKind {
        let start = self.at;
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    return TokenKind::Text;
                }
                '\\' if !characters.as_str().starts_with('\n') => {
                    characters.next();
                }
                '\n' => break,
                _ => {}
            }
        }
        let rest = &self.text[start..];
        self.at += rest.find('\n').unwrap_or(rest.len());
        let message = "this text has no end in its line";
        self.findings.add(Diagnostic::error("unterminated-string", message, self.span(start)).help("add `\"`"));
        TokenKind::Unknown
    }

    /// One error for each run of the same character: a file in another language has many.
    fn unknown_characters(&mut self) -> TokenKind {
        let start = self.at;
        let rest = &self.text[start..];
        let character = rest.chars().next().unwrap_or_default();
        self.at += rest.chars().take_while(|&next| next == character).map(char::len_utf8).sum::<usize>();
        let shown = match character.is_control() || character.is_whitespace() {
            true => character.escape_unicode().to_string(),
            false => character.to_string(),
        };
        let mut finding =
            Diagnostic::error("unknown-character", format!("`{shown}` means nothing in an analysis"), self.span(start));
        finding.help = match character {
            ';' => Some("a clause ends with its line; updates are separated by `,`".into()),
            '#' => Some("a comment begins with `--`".into()),
            '\'' => Some("a text is written in double quotes".into()),
            _ => None,
        };
        self.findings.add(finding);
        TokenKind::Unknown
    }
}

fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn length(text: &str, is_wanted: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !is_wanted(byte)).unwrap_or(text.len())
}
