//! Recursive descent, two tokens at a time.
//!
//! **Invariant:** no two errors at the same token, so that one mistake is reported once however many rules it breaks.

mod decl;
mod expr;
mod stmt;

use super::ast::{Ast, Block, Branch, Define, Ident, List, StmtId};
use super::lexer::{Lexer, Token, TokenKind};
use super::names::Keyword;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};

/// The limit for parentheses, negations and statements inside each other, and for the height of an expression.
pub const MAX_NESTING: u32 = 50_000;

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
    let Parser { mut ast, lexer: Lexer { interner, findings, .. }, .. } = parser;
    ast.names = interner.names;
    (ast, findings.finish())
}

/// Parsing cannot go on here, and why has been reported.
#[derive(Debug)]
struct Stop;

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Setting {
    Statement,
    /// In the condition of a rule `=` is `==`.
    Rule,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token,
    ahead: Token,
    /// The token before.
    last: Span,
    last_error: Option<u32>,
    depth: u32,
    setting: Setting,
    ast: Ast,
    /// The statements of blocks that are not yet complete.
    open_blocks: Vec<StmtId>,
    /// The branches of statements that are not yet complete.
    open_branches: Vec<Branch>,
}

impl<'t> Parser<'t> {
    fn new(mut lexer: Lexer<'t>) -> Self {
        let token = lexer.next();
        let ahead = lexer.next();
        let last = Span::new(token.span.start, token.span.start);
        Self {
            lexer,
            token,
            ahead,
            last,
            last_error: None,
            depth: 0,
            setting: Setting::Statement,
            ast: Ast::default(),
            open_blocks: Vec::new(),
            open_branches: Vec::new(),
        }
    }

    fn program(&mut self) {
        let mut outside = Vec::new();
        let mut init = None;
        while self.token.kind != TokenKind::Eof {
            let start = self.token.span;
            let item = match self.token.keyword() {
                Some(Keyword::Define) => self.define(),
                Some(Keyword::Module) => self.module(),
                Some(Keyword::Init) => self.init(&mut init),
                _ if self.is_at_declaration() => self.globals(),
                _ if self.eat(TokenKind::Semicolon) => Ok(()),
                _ => self.outside_statement(&mut outside),
            };
            if item.is_err() {
                self.depth = 0;
                self.open_branches.clear();
                self.open_blocks.clear();
                // What began nothing now, begins nothing later.
                if self.token.span == start {
                    self.bump();
                }
                self.skip_to_item();
            }
        }
        let start = self.ast.blocks.len();
        self.ast.blocks.extend(outside);
        self.ast.outside.block = Block(List::new(start, self.ast.blocks.len()));
        self.ast.outside.end = self.token.span;
    }

    fn skip_to_item(&mut self) {
        loop {
            match self.token.keyword() {
                Some(Keyword::Define | Keyword::Module | Keyword::Init) => return,
                _ if self.token.kind == TokenKind::Eof => return,
                _ if self.eat(TokenKind::CloseBrace) => return,
                _ => self.bump(),
            }
        }
    }

    /// `define NAME value`
    fn define(&mut self) -> Result<(), Stop> {
        self.bump();
        let name = match self.token.keyword() {
            Some(Keyword::IntBits) => self.any_word(),
            _ => self.name("a name")?,
        };
        let value = self.expr()?;
        self.ast.defines.push(Define { name, value });
        self.eat(TokenKind::Semicolon);
        Ok(())
    }

    /// `init NAME …;`
    fn init(&mut self, first: &mut Option<Span>) -> Result<(), Stop> {
        let span = self.token.span;
        if let Some(first) = first.replace(span) {
            let finding = Diagnostic::error("duplicate-init", "there are two `init`s", span);
            return Err(self.report(finding.related("the first is here", first)));
        }
        self.bump();
        loop {
            let name = self.name("a module or a label")?;
            self.ast.inits.push(name);
            self.eat(TokenKind::Comma);
            if !matches!(self.token.kind, TokenKind::Word(_)) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon, "`;`")
    }

    fn outside_statement(&mut self, outside: &mut Vec<StmtId>) -> Result<(), Stop> {
        if !matches!(self.token.kind, TokenKind::Word(_)) {
            return Err(self.expected("a declaration, a module or a statement"));
        }
        let start = self.ast.stmts.len();
        let stmt = self.labelled_statement();
        let stmts = List::new(start, self.ast.stmts.len());
        self.ast.outside.stmts.push(stmts);
        outside.push(stmt?);
        Ok(())
    }

    /// A name that is no reserved word.
    fn name(&mut self, what: &str) -> Result<Ident, Stop> {
        let TokenKind::Word(name) = self.token.kind else { return Err(self.expected(what)) };
        if let Some(keyword) = Keyword::of(name).filter(|keyword| keyword.is_reserved()) {
            let message = format!("expected {what}, found the keyword `{}`", keyword.text());
            return Err(self.report(Diagnostic::error("reserved-name", message, self.token.span)));
        }
        Ok(self.any_word())
    }

    /// # Requires
    /// There is a word here.
    fn any_word(&mut self) -> Ident {
        let TokenKind::Word(name) = self.token.kind else { unreachable!("there is a word here") };
        let span = self.token.span;
        self.bump();
        Ident { name, span }
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

    /// What closes the bracket at `open`.
    fn close(&mut self, kind: TokenKind, what: &str, open: Span) -> Result<(), Stop> {
        if self.eat(kind) {
            return Ok(());
        }
        let finding = self.expectation(what).related("opened here", open);
        Err(self.report(finding))
    }

    /// The keyword that closes the statement that begins at `open`.
    fn close_keyword(&mut self, keyword: Keyword, open: Span) -> Result<(), Stop> {
        if self.eat_keyword(keyword) {
            return Ok(());
        }
        let finding = self.expectation(&format!("`{}`", keyword.text())).related("to close this", open);
        let stop = self.report(finding);
        // `od` in place of `fi` is taken for what was meant; `}` is left to the module.
        if matches!(self.token.keyword(), Some(Keyword::Fi | Keyword::Od | Keyword::Choicep)) {
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
        let finding = Diagnostic::error("syntax", format!("expected {what}, found {}", self.found()), self.token.span);
        match self.token.kind {
            TokenKind::Assign => finding.help("`=` assigns; equality is `==`"),
            _ => finding,
        }
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
            .help("assign a part of it to a variable, or move it to a module");
        let stop = self.report(finding);
        self.stop();
        stop
    }
}
