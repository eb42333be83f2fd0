//! Recursive descent, two tokens at a time.
//!
//! **Invariant:** no two errors at the same token, so that one mistake is reported once however many rules it breaks.

mod expr;
mod stmt;

use crate::ast::{Ast, Ident, Invariant, InvariantKind, List, Proc, Results, StmtId};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::names::Keyword;
use hardbop_base::findings::{Findings, MAX_ERRORS};
use hardbop_base::{Diagnostic, Span};

/// The limit for parentheses, negations and statements inside each other, and for the height of an expression.
pub const MAX_NESTING: u32 = 200_000;

const MAX_RESULTS: u32 = 65_536;

/// The syntax tree of `text`, which starts at `base_offset` of the source map, and what is wrong with it.
///
/// With errors the tree is only a part of the program.
pub fn parse(text: &str, base_offset: u32) -> (Ast, Vec<Diagnostic>) {
    let fits = u32::try_from(text.len()).is_ok_and(|len| base_offset.checked_add(len).is_some());
    if !fits {
        let mut findings = Findings::default();
        findings.add(Diagnostic::error("file-too-large", "the source texts together are larger than 4 GiB", None));
        return (Ast::default(), findings.finish());
    }
    let mut parser = Parser::new(Lexer::new(text, base_offset));
    parser.program();
    let Parser { mut ast, lexer: Lexer { interner, mut findings, .. }, .. } = parser;
    ast.names = interner.names;
    // After errors nobody goes on to `check`.
    if findings.has_errors() {
        ast.misuses.drain(..).for_each(|misuse| findings.add(misuse));
    }
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
    depth: u32,
    ast: Ast,
    /// The statements of blocks that are not yet complete.
    open_blocks: Vec<StmtId>,
}

impl<'t> Parser<'t> {
    fn new(mut lexer: Lexer<'t>) -> Self {
        let token = lexer.next();
        let ahead = lexer.next();
        let last = Span::new(token.span.start, token.span.start);
        Self { lexer, token, ahead, last, last_error: None, depth: 0, ast: Ast::default(), open_blocks: Vec::new() }
    }

    fn program(&mut self) {
        while self.token.kind != TokenKind::Eof {
            let item = match self.token.keyword() {
                Some(Keyword::Decl) => self.globals(),
                _ if self.eat(TokenKind::Semicolon) => Ok(()),
                _ => self.procedure(),
            };
            if item.is_err() {
                self.depth = 0;
                self.skip_to_item();
            }
        }
    }

    fn skip_to_item(&mut self) {
        loop {
            match self.token.keyword() {
                Some(Keyword::Decl | Keyword::Void | Keyword::Bool) => return,
                Some(Keyword::End) => {
                    self.bump();
                    return;
                }
                _ if self.token.kind == TokenKind::Eof => return,
                _ => self.bump(),
            }
        }
    }

    fn globals(&mut self) -> Result<(), Stop> {
        let names = self.declaration()?;
        let start = self.ast.idents.len() - names.len();
        // They leave the table of lists: the globals of all declarations are one list of their own.
        self.ast.globals.extend(self.ast.idents.drain(start..));
        Ok(())
    }

    /// `decl x, … ;`
    fn declaration(&mut self) -> Result<List<Ident>, Stop> {
        self.bump();
        let names = self.comma_separated_names(Self::variable)?;
        self.expect(TokenKind::Semicolon, "`,` or `;`")?;
        Ok(names)
    }

    fn comma_separated_names(
        &mut self,
        mut name: impl FnMut(&mut Self) -> Result<Ident, Stop>,
    ) -> Result<List<Ident>, Stop> {
        let start = self.ast.idents.len();
        loop {
            let ident = name(self)?;
            self.ast.idents.push(ident);
            if !self.eat(TokenKind::Comma) {
                return Ok(List::new(start, self.ast.idents.len()));
            }
        }
    }

    fn procedure(&mut self) -> Result<(), Stop> {
        if self.token.keyword() == Some(Keyword::Dfs) && matches!(self.ahead.kind, TokenKind::Word(_)) {
            self.bump();
        }
        let results = self.result_type()?;
        let is_header = matches!(self.token.kind, TokenKind::Word(_)) && self.ahead.kind == TokenKind::OpenParen;
        if results == Results::Inferred && !is_header {
            return Err(self.expected("a declaration or a procedure"));
        }
        let name = self.name("a procedure's name")?;
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(`")?;
        let formals = match self.token.kind {
            TokenKind::CloseParen => List::EMPTY,
            _ => self.comma_separated_names(Self::variable)?,
        };
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        let begin = self.token.span;
        self.expect_keyword(Keyword::Begin)?;
        let (first_stmt, first_expr) = (self.ast.stmts.len(), self.ast.exprs.len());
        let (locals, invariants) = self.preamble()?;
        let body = self.block();
        let end = self.token.span;
        self.close_keyword(Keyword::End, begin)?;
        let stmts = List::new(first_stmt, self.ast.stmts.len());
        let exprs = List::new(first_expr, self.ast.exprs.len());
        self.ast.procs.push(Proc { name, results, formals, locals, invariants, body, end, stmts, exprs });
        Ok(())
    }

    fn result_type(&mut self) -> Result<Results, Stop> {
        match self.token.keyword() {
            Some(Keyword::Void) => {
                self.bump();
                Ok(Results::Exactly(0))
            }
            Some(Keyword::Bool) => {
                self.bump();
                if !self.eat(TokenKind::Less) {
                    return Ok(Results::Exactly(1));
                }
                let TokenKind::Number(_) = self.token.kind else { return Err(self.expected("a number of results")) };
                let count = self.lexer.text(self.token.span).parse().ok().filter(|&count: &u32| count <= MAX_RESULTS);
                if count.is_none() {
                    let message = format!("a procedure can have at most {MAX_RESULTS} results");
                    self.misuse(Diagnostic::error("too-many-results", message, self.token.span));
                }
                self.bump();
                self.expect(TokenKind::Greater, "`>`")?;
                Ok(Results::Exactly(count.unwrap_or(0)))
            }
            _ => Ok(Results::Inferred),
        }
    }

    /// Local declarations and invariants.
    fn preamble(&mut self) -> Result<(List<Ident>, List<Invariant>), Stop> {
        let (first_local, first_invariant) = (self.ast.idents.len(), self.ast.invariants.len());
        loop {
            let kind = match self.token.keyword() {
                Some(Keyword::Decl) => {
                    if self.declaration().is_err() {
                        self.skip_statement();
                    }
                    continue;
                }
                Some(Keyword::Enforce) if !self.is_name_before_operator() => InvariantKind::Enforce,
                Some(Keyword::AbortIf) if !self.is_name_before_operator() => InvariantKind::AbortIf,
                _ if self.eat(TokenKind::Semicolon) => continue,
                _ => break,
            };
            self.bump();
            match self.expr().and_then(|expr| self.end_statement().map(|()| expr)) {
                Ok(expr) => self.ast.invariants.push(Invariant { kind, expr }),
                Err(Stop) => {
                    self.depth = 0;
                    self.skip_statement();
                }
            }
        }
        let locals = List::new(first_local, self.ast.idents.len());
        Ok((locals, List::new(first_invariant, self.ast.invariants.len())))
    }

    /// Whether the word here is a variable that is assigned or a label, whatever else it may mean.
    fn is_name_before_operator(&self) -> bool {
        matches!(self.ahead.kind, TokenKind::Assign | TokenKind::Comma | TokenKind::Colon)
    }

    /// A variable that can be declared or changed.
    fn variable(&mut self) -> Result<Ident, Stop> {
        if let Some(keyword) = self.token.keyword()
            && (keyword.constant().is_some() || keyword == Keyword::Discard)
        {
            let what = match keyword.constant() {
                Some(_) => "a constant, not a variable",
                None => "no variable: it only takes what is not wanted, on the left of `:=`",
            };
            let message = format!("`{}` is {what}", keyword.text());
            return Err(self.report(Diagnostic::error("reserved-name", message, self.token.span)));
        }
        self.name("a variable")
    }

    /// A name that is no reserved word.
    fn name(&mut self, what: &str) -> Result<Ident, Stop> {
        let TokenKind::Word(name) = self.token.kind else { return Err(self.expected(what)) };
        if let Some(keyword) = Keyword::of(name).filter(|keyword| keyword.is_reserved()) {
            let message = format!("expected {what}, found the keyword `{}`", keyword.text());
            return Err(self.report(Diagnostic::error("reserved-name", message, self.token.span)));
        }
        let span = self.token.span;
        self.bump();
        Ok(Ident { name, span })
    }

    fn bump(&mut self) {
        self.last = self.token.span;
        self.token = self.ahead;
        self.ahead = self.lexer.next();
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_here = self.token.kind == kind;
        if is_here {
            self.bump();
        }
        is_here
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Word(keyword.symbol()))
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Result<(), Stop> {
        if self.eat(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Result<(), Stop> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.expected(&format!("`{}`", keyword.text()))) }
    }

    /// What closes the bracket at `open`.
    fn close(&mut self, kind: TokenKind, what: &str, open: Span) -> Result<(), Stop> {
        if self.eat(kind) {
            return Ok(());
        }
        let finding = self.expectation(what).related("opened here", open);
        Err(self.report(finding))
    }

    /// The keyword that closes the statement or procedure that begins at `open`.
    fn close_keyword(&mut self, keyword: Keyword, open: Span) -> Result<(), Stop> {
        if self.eat_keyword(keyword) {
            return Ok(());
        }
        let finding = self.expectation(&format!("`{}`", keyword.text())).related("to close this", open);
        let stop = self.report(finding);
        let closes = |keyword| matches!(keyword, Keyword::Fi | Keyword::Od);
        // `od` in place of `fi` is taken for what was meant; `end` is left to the procedure.
        if closes(keyword) && self.token.keyword().is_some_and(closes) {
            self.bump();
            return Ok(());
        }
        Err(stop)
    }

    fn expected(&mut self, what: &str) -> Stop {
        let finding = self.expectation(what);
        self.report(finding)
    }

    fn expectation(&self, what: &str) -> Diagnostic {
        Diagnostic::error("syntax", format!("expected {what}, found {}", self.found()), self.token.span)
    }

    fn found(&self) -> String {
        const LONGEST: usize = 40;
        match self.token.kind {
            TokenKind::Eof => "the end of the file".into(),
            _ => {
                let text = self.lexer.text(self.token.span);
                match text.char_indices().nth(LONGEST) {
                    Some((end, _)) => format!("`{}…`", &text[..end]),
                    None => format!("`{text}`"),
                }
            }
        }
    }

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

    /// Reports what is wrong but can be read.
    fn misuse(&mut self, finding: Diagnostic) {
        if self.ast.misuses.len() < MAX_ERRORS {
            self.ast.misuses.push(finding);
        }
    }

    /// Acts as if the file ended here.
    fn stop(&mut self) {
        self.lexer.stop();
        self.ahead = self.lexer.next();
        self.token = self.ahead;
        self.last_error = Some(self.token.span.start);
    }

    /// Goes one level deeper, if that is allowed. Who comes back takes the level off `depth` again.
    fn descend(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > MAX_NESTING { Err(self.too_deep(self.token.span)) } else { Ok(()) }
    }

    #[cold]
    fn too_deep(&mut self, span: Span) -> Stop {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        let finding = Diagnostic::error("nested-too-deeply", message, span)
            .help("assign a part of it to a variable, or move it to a procedure");
        let stop = self.report(finding);
        self.stop();
        stop
    }
}
