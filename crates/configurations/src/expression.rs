//! Regular expressions over stacks, as text.
//!
//! ```text
//! set    ::= stacks ["where" condition]
//! stacks ::= row ("|" row)*
//! row    ::= item item*                          the second is called by the first
//! item   ::= frame | "(" stacks ")" | item ("*" | "+" | "?")
//! frame  ::= "_" | name | "@" name | name ":" name
//! ```
//!
//! A stack is written from its bottom to its top. A name with unusual characters can be quoted: `"a b"`. The condition
//! is a formula of propositional logic, over the propositions of temporal formulas.

use crate::determine::Order;
use crate::meaning;
use crate::set::{Naming, Set};
use hardbop_base::{Diagnostic, IndexVec, Span, newtype_index};
use hardbop_icfg::{Program, Relation};

/// The codes of the diagnostics that this module gives; the condition has those of formulas and of propositions, too.
pub const CODES: &[&str] =
    &["stack-syntax", "unknown-frame", "temporal-condition", "stack-nested-too-deeply", "stack-too-large"];

/// The most parentheses around a frame.
pub const DEEPEST: usize = 200;
/// The most frames in one expression.
pub const LONGEST: usize = 500;

newtype_index! {
    /// A frame of an expression, by its place in the text.
    pub struct FrameId = "a";
}

/// The set that `text` describes, with frames called as `naming` says; `program` gets the expressions of its condition.
///
/// # Errors
/// It cannot be read, or it names what there is not. Spans are places in `text`.
pub fn read(program: &mut Program<Relation>, naming: Naming, text: &str) -> Result<Set, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error("stack-too-large", "this text is larger than 4 GiB", None)]);
    }
    let Written { stacks, frames, condition } = parse(text).map_err(|found| vec![*found])?;
    meaning::set(program, naming, &frames, &Order::of(&stacks, frames.len()), condition)
}

/// The frame that `text` is, which stands at `start` of a larger text.
///
/// # Errors
/// It is something else.
pub fn frame(text: &str, start: u32) -> Result<Frame<'_>, Finding> {
    let moved = |found: Finding| Box::new(found.moved(start));
    let mut parser = Parser::new(text);
    parser.advance().map_err(moved)?;
    let (Token::Frame(kind), span) = parser.next else { return Err(moved(parser.unexpected())) };
    parser.advance().map_err(moved)?;
    if parser.next.0 != Token::End {
        return Err(moved(parser.unexpected()));
    }
    Ok(Frame { kind, span: Span::new(start + span.start, start + span.end) })
}

/// What was written.
#[derive(Debug)]
struct Written<'t> {
    stacks: Stacks,
    frames: IndexVec<FrameId, Frame<'t>>,
    /// The text of the condition and where it starts.
    condition: Option<(&'t str, u32)>,
}

/// A frame as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'t> {
    /// What it says.
    pub kind: FrameKind<'t>,
    /// Where it stands.
    pub span: Span,
}

/// What a frame says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FrameKind<'t> {
    /// `_`
    Any,
    /// `f`: what [`Naming`] says first.
    Name(&'t str),
    /// `@l`: a label, or else a procedure.
    At(&'t str),
    /// `f:l`: a label of a procedure.
    Within(&'t str, &'t str),
}

/// An expression over frames. It is as deep as parentheses are nested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stacks {
    /// One frame.
    Frame(FrameId),
    /// One after the other, upwards.
    Row(Vec<Stacks>),
    /// One of them.
    Choice(Vec<Stacks>),
    /// Several times.
    Repeat {
        /// What is repeated.
        inner: Box<Stacks>,
        /// How often.
        times: Times,
    },
}

/// How often a part is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// `?`
    AtMostOnce,
    /// `+`
    AtLeastOnce,
    /// `*`
    Any,
}

impl Times {
    /// `(x*)?` and the like.
    fn then(self, other: Self) -> Self {
        if self == other { self } else { Self::Any }
    }
}

/// Errors are rare and large.
pub type Finding = Box<Diagnostic>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'t> {
    Frame(FrameKind<'t>),
    Sign(char),
    Where,
    End,
}

fn parse(text: &str) -> Result<Written<'_>, Finding> {
    let mut parser = Parser::new(text);
    parser.advance()?;
    if matches!(parser.next.0, Token::Where | Token::End) {
        let what =
            if parser.next.0 == Token::Where { "there are no frames before `where`" } else { "there are no frames" };
        let finding = Diagnostic::error("stack-syntax", what, parser.next.1);
        return Err(Box::new(finding.help("write frames from the bottom of the stack to its top; `_+` is any stack")));
    }
    let stacks = parser.stacks()?;
    let condition = match parser.next.0 {
        Token::End => None,
        Token::Where => Some((&text[parser.at..], parser.at as u32)),
        _ => return Err(parser.unexpected()),
    };
    Ok(Written { stacks, frames: parser.frames, condition })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    next: (Token<'t>, Span),
    frames: IndexVec<FrameId, Frame<'t>>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, next: (Token::End, Span::new(0, 0)), frames: IndexVec::new(), depth: 0 }
    }

    fn stacks(&mut self) -> Result<Stacks, Finding> {
        let mut rows = vec![self.row()?];
        while self.next.0 == Token::Sign('|') {
            self.advance()?;
            rows.push(self.row()?);
        }
        Ok(if rows.len() == 1 { rows.remove(0) } else { Stacks::Choice(rows) })
    }

    fn row(&mut self) -> Result<Stacks, Finding> {
        let mut items = vec![self.item()?];
        while matches!(self.next.0, Token::Frame(_) | Token::Sign('(')) {
            items.push(self.item()?);
        }
        Ok(if items.len() == 1 { items.remove(0) } else { Stacks::Row(items) })
    }

    fn item(&mut self) -> Result<Stacks, Finding> {
        let (token, span) = self.next;
        let mut item = match token {
            Token::Frame(kind) => {
                if self.frames.len() == LONGEST {
                    let message = format!("this has more than {LONGEST} frames");
                    return Err(Box::new(Diagnostic::error("stack-too-large", message, span)));
                }
                self.advance()?;
                Stacks::Frame(self.frames.push(Frame { kind, span }))
            }
            Token::Sign('(') => self.group(span)?,
            _ => return Err(self.unexpected()),
        };
        let mut times: Option<Times> = None;
        while let Token::Sign(sign @ ('*' | '+' | '?')) = self.next.0 {
            let more = match sign {
                '*' => Times::Any,
                '+' => Times::AtLeastOnce,
                _ => Times::AtMostOnce,
            };
            times = Some(times.map_or(more, |times| times.then(more)));
            self.advance()?;
        }
        if let Some(times) = times {
            item = Stacks::Repeat { inner: Box::new(item), times };
        }
        Ok(item)
    }

    fn group(&mut self, open: Span) -> Result<Stacks, Finding> {
        if self.depth == DEEPEST {
            let message = format!("parentheses are nested more than {DEEPEST} deep");
            return Err(Box::new(Diagnostic::error("stack-nested-too-deeply", message, open)));
        }
        self.depth += 1;
        self.advance()?;
        let inner = self.stacks()?;
        if self.next.0 != Token::Sign(')') {
            if matches!(self.next.0, Token::End | Token::Where) {
                let finding = Diagnostic::error("stack-syntax", "this `(` is never closed", open);
                return Err(Box::new(finding.help("add `)`")));
            }
            return Err(self.unexpected());
        }
        self.depth -= 1;
        self.advance()?;
        Ok(inner)
    }

    fn unexpected(&self) -> Finding {
        let (token, span) = self.next;
        let found = &self.text[span.start as usize..span.end as usize];
        let (message, help) = match token {
            Token::End => ("this ends where a frame is wanted".to_owned(), "a frame is a procedure, a label or `_`"),
            Token::Where => ("a frame is wanted before `where`".to_owned(), "a frame is a procedure, a label or `_`"),
            Token::Sign(')') if self.depth > 0 => {
                ("a frame is wanted before `)`".to_owned(), "a frame is a procedure, a label or `_`")
            }
            Token::Sign(')') => ("this `)` was never opened".to_owned(), "remove it"),
            Token::Sign('*' | '+' | '?') => {
                (format!("`{found}` has nothing to repeat"), "it follows what it repeats: `f*`; `_*` is any frames")
            }
            Token::Sign('|') => ("`|` stands between two stacks".to_owned(), "write both: `f | g`"),
            _ => (format!("`{found}` is not expected here"), "a condition on variables follows `where`"),
        };
        Box::new(Diagnostic::error("stack-syntax", message, span).help(help))
    }

    /// Reads the next token.
    fn advance(&mut self) -> Result<(), Finding> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let start = self.at;
        let token = self.token()?;
        self.next = (token, Span::new(start as u32, self.at as u32));
        Ok(())
    }

    fn token(&mut self) -> Result<Token<'t>, Finding> {
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else { return Ok(Token::End) };
        if "()|*+?".contains(first) {
            self.at += 1;
            return Ok(Token::Sign(first));
        }
        if first == '@' {
            self.at += 1;
            return Ok(Token::Frame(FrameKind::At(self.name(start)?)));
        }
        let name = self.name(start)?;
        let is_quoted = first == '"';
        if name == "where" && !is_quoted {
            return Ok(Token::Where);
        }
        if name == "_" && !is_quoted {
            return Ok(Token::Frame(FrameKind::Any));
        }
        if self.text[self.at..].starts_with(':') {
            self.at += 1;
            return Ok(Token::Frame(FrameKind::Within(name, self.name(start)?)));
        }
        Ok(Token::Frame(FrameKind::Name(name)))
    }

    /// A name, bare or quoted, of a token that begins at `start`.
    fn name(&mut self, start: usize) -> Result<&'t str, Finding> {
        let rest = &self.text[self.at..];
        if let Some(inside) = rest.strip_prefix('"') {
            let Some(len) = inside.find('"') else {
                let span = Span::new(start as u32, self.text.len() as u32);
                let finding = Diagnostic::error("stack-syntax", "this quoted name has no end", span);
                return Err(Box::new(finding.help("add `\"`")));
            };
            self.at += len + 2;
            return Ok(&inside[..len]);
        }
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '\'');
        let len = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
        if len == 0 {
            return Err(self.no_name(start));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    fn no_name(&self, start: usize) -> Finding {
        let found = self.text[self.at..].chars().next();
        let end = self.at + found.map_or(0, char::len_utf8);
        let span = Span::new(start as u32, end as u32);
        let (message, help) = match found {
            Some('=' | '<' | '>' | '!' | '&') => (
                format!("`{}` has no meaning between frames", found.unwrap_or_default()),
                "a condition on variables follows `where`: `main f where x = 1`",
            ),
            Some(found) => (
                format!("`{}` has no meaning in a stack", found.escape_debug()),
                "a frame is a procedure, a label or `_`; a name with such a character can be quoted",
            ),
            None => ("a name is missing".to_owned(), "a label follows `@` and `:`"),
        };
        Box::new(Diagnostic::error("stack-syntax", message, span).help(help))
    }
}
