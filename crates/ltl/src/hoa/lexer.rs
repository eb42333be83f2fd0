//! Tokens of the format.

use hardbop_base::{Diagnostic, Span};

/// Errors are rare and large.
pub(super) type Finding = Box<Diagnostic>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `States:`, without the colon.
    Header(String),
    Word(String),
    Number(u32),
    Text(String),
    /// `@name`, without the `@`.
    Alias(String),
    /// One of `( ) [ ] { } ! & |`.
    Sign(char),
    Body,
    End,
    Abort,
    /// The end of the text.
    Eof,
}

impl Token {
    /// What it is, for a message.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Header(name) => format!("`{name}:`"),
            Self::Word(word) => format!("`{word}`"),
            Self::Number(number) => format!("`{number}`"),
            Self::Text(_) => "a text".into(),
            Self::Alias(name) => format!("`@{name}`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::Body => "`--BODY--`".into(),
            Self::End => "`--END--`".into(),
            Self::Abort => "`--ABORT--`".into(),
            Self::Eof => "the end".into(),
        }
    }
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    base: u32,
}

impl<'t> Lexer<'t> {
    /// # Requires
    /// `base + text.len()` fits into 32 bits.
    pub(super) fn new(text: &'t str, base: u32) -> Self {
        Self { text, at: 0, base }
    }

    pub(super) fn next(&mut self) -> Result<(Token, Span), Finding> {
        self.skip_blanks()?;
        let start = self.at;
        let rest = &self.text[start..];
        let marks = [("--BODY--", Token::Body), ("--END--", Token::End), ("--ABORT--", Token::Abort)];
        for (mark, token) in marks {
            if rest.starts_with(mark) {
                self.at += mark.len();
                return Ok((token, self.span_from(start)));
            }
        }
        let token = match rest.chars().next() {
            None => Token::Eof,
            Some('"') => self.string()?,
            Some('0'..='9') => self.number()?,
            Some('@') => {
                self.at += 1;
                let name = self.word();
                if name.is_empty() {
                    return Err(self.error(start, "expected the name of an alias after `@`"));
                }
                Token::Alias(name)
            }
            Some(sign @ ('(' | ')' | '[' | ']' | '{' | '}' | '!' | '&' | '|')) => {
                self.at += 1;
                Token::Sign(sign)
            }
            Some(character) if character.is_ascii_alphabetic() || character == '_' => {
                let word = self.word();
                if self.text[self.at..].starts_with(':') {
                    self.at += 1;
                    Token::Header(word)
                } else {
                    Token::Word(word)
                }
            }
            Some(character) => {
                self.at += character.len_utf8();
                return Err(self.error(start, &format!("`{}` means nothing here", character.escape_debug())));
            }
        };
        Ok((token, self.span_from(start)))
    }

    fn skip_blanks(&mut self) -> Result<(), Finding> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            if !self.text[self.at..].starts_with("/*") {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    /// Comments nest.
    fn skip_comment(&mut self) -> Result<(), Finding> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0_u32;
        while self.at < bytes.len() {
            if bytes[self.at..].starts_with(b"/*") {
                depth += 1;
                self.at += 2;
            } else if bytes[self.at..].starts_with(b"*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else {
                self.at += 1;
            }
        }
        self.at = start + 2;
        Err(self.error(start, "this comment has no end"))
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        self.at += len;
        rest[..len].to_owned()
    }

    fn number(&mut self) -> Result<Token, Finding> {
        let start = self.at;
        let rest = &self.text[start..];
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += len;
        match rest[..len].parse() {
            Ok(number) => Ok(Token::Number(number)),
            Err(_) => Err(self.error(start, "this number is too large")),
        }
    }

    fn string(&mut self) -> Result<Token, Finding> {
        let start = self.at;
        let mut text = String::new();
        let mut is_escaped = false;
        for (place, character) in self.text[start + 1..].char_indices() {
            match character {
                '\\' if !is_escaped => {
                    is_escaped = true;
                    continue;
                }
                '"' if !is_escaped => {
                    self.at = start + 1 + place + 1;
                    return Ok(Token::Text(text));
                }
                _ => text.push(character),
            }
            is_escaped = false;
        }
        self.at = start + 1;
        Err(self.error(start, "this text has no end"))
    }

    fn error(&self, start: usize, message: &str) -> Finding {
        Box::new(Diagnostic::error("hoa-syntax", message, self.span_from(start)))
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }
}
