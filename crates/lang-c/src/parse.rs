//! Recursive descent, two tokens at a time. Which names are types is known as the text is read.
//!
//! **Invariants:** no two errors at the same token, so that one mistake is reported once however many rules it breaks. No
//! path from the root of the tree to a leaf is longer than [`MAX_NESTING`], however the text made it so.

mod asm;
mod attribute;
mod builtin;
mod declaration;
mod declarator;
mod expr;
mod init;
mod literal;
mod number;
mod record;
mod scope;
mod specifier;
mod stmt;

use crate::ast::{Ast, ExprId, Ident, Item, StmtId, StringId};
use crate::lexer::{Lexer, Token, TokenKind, splice};
use crate::names::Keyword;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};
use scope::{Meaning, Scopes};

/// The limit for the height of the tree: parentheses, operators, statements and declarators inside each other, but also
/// the length of `x + x + …`, of `else if …` and of labels in front of one statement.
pub const MAX_NESTING: u32 = 50_000;

/// The syntax tree of `text`, which starts at `base_offset` of the source map, and what is wrong with it.
///
/// With errors the tree is only a part of the program. A text that is nested to the limit needs up to 256 MiB of stack,
/// here and for dropping the tree.
pub fn parse(text: &str, base_offset: u32) -> (Ast, Vec<Diagnostic>) {
    let fits = u32::try_from(text.len()).is_ok_and(|len| base_offset.checked_add(len).is_some());
    if !fits {
        let mut findings = Findings::default();
        findings.add(Diagnostic::error("file-too-large", "the source texts together are larger than 4 GiB", None));
        return (Ast::default(), findings.finish());
    }
    let (joined, splices) = splice::join(text);
    let mut parser = Parser::new(Lexer::new(text, &joined, &splices, base_offset));
    parser.translation_unit();
    let Parser { mut ast, lexer: Lexer { interner, findings, markers, weak, renamed, .. }, .. } = parser;
    ast.names = interner.names;
    ast.markers = markers;
    (ast.weak, ast.renamed) = (weak, renamed);
    (ast, findings.finish())
}

/// Parsing cannot go on here, and why has been reported.
#[derive(Debug)]
struct Stop;

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token,
    ahead: Token,
    /// The token before.
    last: Span,
    last_error: Option<u32>,
    /// How many levels of the tree lie above what is being read.
    depth: u32,
    /// The deepest level that a subtree has reached; see [`Parser::measured`].
    reach: u32,
    /// How many braces are open, so that after an error it is known where they close.
    braces: u32,
    ast: Ast,
    scopes: Scopes,
    /// The statements of blocks that are not yet complete.
    open_stmts: Vec<StmtId>,
    /// The arguments of calls that are not yet complete.
    open_exprs: Vec<ExprId>,
}

/// A place to which parsing can return after an error.
#[derive(Clone, Copy)]
struct Mark {
    depth: u32,
    reach: u32,
    braces: u32,
    open_stmts: usize,
    open_exprs: usize,
}

impl<'t> Parser<'t> {
    fn new(mut lexer: Lexer<'t>) -> Self {
        let mut scopes = Scopes::default();
        for name in ["__int128_t", "__uint128_t"] {
            scopes.declare(lexer.interner.intern(name), Meaning::Type);
        }
        let token = lexer.next();
        let ahead = lexer.next();
        Self {
            lexer,
            token,
            ahead,
            last: Span::new(token.span.start, token.span.start),
            last_error: None,
            depth: 0,
            reach: 0,
            braces: 0,
            ast: Ast::default(),
            scopes,
            open_stmts: Vec::new(),
            open_exprs: Vec::new(),
        }
    }

    fn translation_unit(&mut self) {
        while self.token.kind != TokenKind::Eof {
            let mark = self.mark();
            match self.item() {
                Ok(Some(item)) => self.ast.items.push(item),
                Ok(None) => {}
                Err(Stop) => {
                    self.recover(mark);
                    // Nothing is open that it could close.
                    self.eat(TokenKind::CloseBrace);
                }
            }
        }
    }

    fn item(&mut self) -> Result<Option<Item>, Stop> {
        while self.eat_keyword(Keyword::Extension) {}
        let start = self.token.span;
        match self.token.kind {
            TokenKind::Semicolon => {
                self.bump();
                Ok(None)
            }
            TokenKind::Keyword(Keyword::StaticAssert) => Ok(Some(Item::StaticAssert(self.static_assert()?))),
            TokenKind::Keyword(Keyword::Asm) => {
                let text = self.file_asm()?;
                Ok(Some(Item::Asm { text, span: start.to(self.last) }))
            }
            _ => self.external_declaration().map(Some),
        }
    }

    /// The state to return to after an error in what begins here.
    fn mark(&self) -> Mark {
        Mark {
            depth: self.depth,
            reach: self.reach,
            braces: self.braces,
            open_stmts: self.open_stmts.len(),
            open_exprs: self.open_exprs.len(),
        }
    }

    /// Forgets what was begun since `mark` and goes on behind the next `;`, or where its braces close.
    fn recover(&mut self, mark: Mark) {
        self.depth = mark.depth;
        self.reach = mark.reach;
        self.open_stmts.truncate(mark.open_stmts);
        self.open_exprs.truncate(mark.open_exprs);
        loop {
            match self.token.kind {
                TokenKind::Eof => return,
                TokenKind::Semicolon if self.braces <= mark.braces => return self.bump(),
                TokenKind::CloseBrace if self.braces <= mark.braces => return,
                TokenKind::CloseBrace if self.braces == mark.braces + 1 => return self.bump(),
                _ => self.bump(),
            }
        }
    }

    #[inline]
    fn bump(&mut self) {
        match self.token.kind {
            TokenKind::OpenBrace => self.braces += 1,
            TokenKind::CloseBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        self.last = self.token.span;
        self.token = self.ahead;
        self.ahead = self.lexer.next();
    }

    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    #[inline]
    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token.kind == TokenKind::Keyword(keyword)
    }

    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_here = self.token.kind == kind;
        if is_here {
            self.bump();
        }
        is_here
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Result<(), Stop> {
        if self.eat(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// A bracket that opens, and where it stands.
    fn open(&mut self, kind: TokenKind, what: &str) -> Result<Span, Stop> {
        let span = self.token.span;
        self.expect(kind, what)?;
        Ok(span)
    }

    /// What closes the bracket at `open`.
    fn close(&mut self, kind: TokenKind, what: &str, open: Span) -> Result<(), Stop> {
        if self.eat(kind) {
            return Ok(());
        }
        let finding = self.expectation(what).related("opened here", open);
        Err(self.report(finding))
    }

    /// A name that is no keyword.
    fn ident(&mut self, what: &str) -> Result<Ident, Stop> {
        let TokenKind::Word(name) = self.token.kind else { return Err(self.expected(what)) };
        let span = self.token.span;
        self.bump();
        Ok(Ident { name, span })
    }

    fn idents(&mut self, what: &str) -> Result<Vec<Ident>, Stop> {
        let mut list = vec![self.ident(what)?];
        while self.eat(TokenKind::Comma) {
            list.push(self.ident(what)?);
        }
        Ok(list)
    }

    /// A string in parentheses.
    fn string_in_parens(&mut self) -> Result<StringId, Stop> {
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let text = self.string()?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        Ok(text)
    }

    /// The place in front of the current token, for what is not there.
    fn nowhere(&self) -> Span {
        Span::new(self.token.span.start, self.token.span.start)
    }

    #[cold]
    fn expected(&mut self, what: &str) -> Stop {
        let finding = self.expectation(what);
        self.report(finding)
    }

    fn expectation(&self, what: &str) -> Diagnostic {
        Diagnostic::error("syntax", format!("expected {what}, found {}", self.found()), self.token.span)
    }

    fn found(&self) -> String {
        match self.token.kind {
            TokenKind::Eof => "the end of the file".into(),
            TokenKind::Keyword(_) => format!("the keyword {}", self.shown(self.token.span)),
            _ => self.shown(self.token.span),
        }
    }

    /// The text of `span` in a message.
    fn shown(&self, span: Span) -> String {
        const LONGEST: usize = 40;
        let text = self.lexer.text(span);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("`{}…`", &text[..end]),
            None => format!("`{text}`"),
        }
    }

    #[cold]
    fn report(&mut self, finding: Diagnostic) -> Stop {
        let place = finding.span.map(|span| span.start);
        let is_consequence = match self.token.kind {
            TokenKind::Unknown => true,
            TokenKind::Eof => self.lexer.is_cut_off,
            _ => false,
        };
        if !is_consequence && (self.last_error.is_none() || self.last_error != place) {
            self.last_error = place;
            self.lexer.findings.add(finding);
            if self.lexer.findings.is_full() {
                self.stop();
            }
        }
        Stop
    }

    /// Acts as if the file ended here.
    fn stop(&mut self) {
        self.lexer.stop();
        self.ahead = self.lexer.next();
        self.token = self.ahead;
        self.last_error = Some(self.token.span.start);
    }

    /// Goes one level deeper, if that is allowed. Who comes back takes the level off `depth` again.
    #[inline]
    fn descend(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        self.reach = self.reach.max(self.depth);
        if self.depth > MAX_NESTING { Err(self.too_deep(self.token.span)) } else { Ok(()) }
    }

    /// What `part` reads; what it declares is forgotten again, also after an error.
    fn scoped<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let scope = self.scopes.enter();
        let result = part(self);
        self.scopes.leave(scope);
        result
    }

    /// What `part` reads, and how many levels that has: types, initialisers and statements do not know it themselves.
    fn measured<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<(T, u32), Stop> {
        let reach = std::mem::replace(&mut self.reach, self.depth);
        let result = part(self)?;
        let height = self.reach - self.depth;
        self.reach = self.reach.max(reach);
        Ok((result, height))
    }

    #[cold]
    fn too_deep(&mut self, span: Span) -> Stop {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        let finding = Diagnostic::error("nested-too-deeply", message, span)
            .help("assign a part of it to a variable, or move it to a function");
        let stop = self.report(finding);
        self.stop();
        stop
    }
}
