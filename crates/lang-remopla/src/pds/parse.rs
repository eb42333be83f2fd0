//! Recursive descent, two tokens at a time.
//!
//! **Invariant:** no two errors at the same token, so that one mistake is reported once however many rules it breaks.

mod expr;

use super::ast::{Ast, Atoms, Block, Constant, Declaration, DeclaredKind, Dimension, Ident, Initial, Pushed, Rule};
use super::lexer::{Lexer, Token, TokenKind};
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};

/// The limit for parentheses, negations and quantifiers inside each other, and for the height of an expression.
pub const MAX_NESTING: u32 = 1_000;

/// The syntax tree of `text`, which starts at `base_offset` of the source map, and what is wrong with it.
///
/// With errors the tree is only a part of the system.
pub fn parse(text: &str, base_offset: u32) -> (Ast, Vec<Diagnostic>) {
    let fits = u32::try_from(text.len()).is_ok_and(|len| base_offset.checked_add(len).is_some());
    if !fits {
        let mut findings = Findings::default();
        findings.add(Diagnostic::error("file-too-large", "the source texts together are larger than 4 GiB", None));
        return (Ast::default(), findings.finish());
    }
    let mut parser = Parser::new(Lexer::new(text, base_offset));
    parser.system();
    let Parser { ast, lexer: Lexer { findings, .. }, .. } = parser;
    (ast, findings.finish())
}

/// Parsing cannot go on here, and why has been reported.
#[derive(Debug)]
struct Stop;

/// What a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Elements {
    Truths,
    Numbers,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token,
    ahead: Token,
    /// The token before.
    last: Span,
    last_error: Option<u32>,
    depth: u32,
    ast: Ast,
}

impl<'t> Parser<'t> {
    fn new(mut lexer: Lexer<'t>) -> Self {
        let token = lexer.next();
        let ahead = lexer.next();
        let last = Span::new(token.span.start, token.span.start);
        Self { lexer, token, ahead, last, last_error: None, depth: 0, ast: Ast::default() }
    }

    fn system(&mut self) {
        while self.token.kind != TokenKind::Eof {
            if self.item().is_err() {
                self.depth = 0;
                self.skip_to_item();
            }
        }
        // After errors, it may be what could not be read.
        if self.ast.initial.is_none() && !self.lexer.findings.has_errors() {
            let message = "there is no initial configuration";
            let finding = Diagnostic::error("no-initial-configuration", message, self.token.span);
            self.lexer.findings.add(finding.help("write `(state <symbol>)` before the rules"));
        }
    }

    fn item(&mut self) -> Result<(), Stop> {
        let is_rule =
            matches!(self.token.kind, TokenKind::Word | TokenKind::Number) && self.ahead.kind == TokenKind::Less;
        match self.word() {
            _ if is_rule => self.rule(),
            Some("define") => self.constant(),
            Some("global") => {
                self.bump();
                let variables = self.declarations()?;
                self.ast.globals.extend(variables);
                Ok(())
            }
            Some("local") => self.block(),
            Some("atoms") => self.atoms(),
            _ if self.token.kind == TokenKind::OpenParen => self.initial(),
            _ => Err(self.expected("a rule `p <a> --> q <b>`, the initial configuration or a declaration")),
        }
    }

    /// To what may begin an item: the first token of a line that is a name or opens a parenthesis.
    fn skip_to_item(&mut self) {
        loop {
            let may_begin = matches!(self.token.kind, TokenKind::Word | TokenKind::Number | TokenKind::OpenParen);
            let is_declaration = matches!(self.word(), Some("bool" | "int"));
            let is_here = self.token.is_first && may_begin && !is_declaration;
            if self.token.kind == TokenKind::Eof || is_here && self.last_error != Some(self.token.span.start) {
                return;
            }
            self.bump();
        }
    }

    /// `define N 4`
    fn constant(&mut self) -> Result<(), Stop> {
        self.bump();
        let name = self.name("a constant's name")?;
        let value = self.term()?;
        self.eat(TokenKind::Semicolon);
        self.ast.constants.push(Constant { name, value });
        Ok(())
    }

    /// `local NAME (a, b) …`
    fn block(&mut self) -> Result<(), Stop> {
        self.bump();
        let name = if self.token.kind == TokenKind::Word { Some(self.name("a procedure's name")?) } else { None };
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(` and stack symbols")?;
        let symbols = self.names("a stack symbol")?;
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        let variables = self.declarations()?;
        self.ast.blocks.push(Block { name, symbols, variables });
        Ok(())
    }

    /// `bool x, …; int y(3), …; …`
    fn declarations(&mut self) -> Result<Vec<Declaration>, Stop> {
        let mut variables = Vec::new();
        loop {
            match self.word() {
                Some("bool") if self.ahead.kind == TokenKind::Word => {
                    self.declaration(&mut variables, Elements::Truths)?
                }
                Some("int") if self.ahead.kind == TokenKind::Word => {
                    self.declaration(&mut variables, Elements::Numbers)?
                }
                _ if variables.is_empty() => return Err(self.expected("`bool` or `int`")),
                _ => return Ok(variables),
            }
        }
    }

    fn declaration(&mut self, into: &mut Vec<Declaration>, elements: Elements) -> Result<(), Stop> {
        self.bump();
        loop {
            let name = self.name("a variable")?;
            let dimension = if self.token.kind == TokenKind::OpenBracket { Some(self.dimension()?) } else { None };
            let open = self.token.span;
            let kind = if elements == Elements::Truths {
                DeclaredKind::Bool
            } else if self.eat(TokenKind::OpenParen) {
                let bits = self.term()?;
                self.close(TokenKind::CloseParen, "`)`", open)?;
                DeclaredKind::Int(Some(bits))
            } else {
                DeclaredKind::Int(None)
            };
            into.push(Declaration { name, kind, dimension });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon, "`,` or `;`")
    }

    /// `[n]` or `[lo,hi]`
    fn dimension(&mut self) -> Result<Dimension, Stop> {
        let open = self.token.span;
        self.bump();
        let first = self.term()?;
        let dimension = match self.eat(TokenKind::Comma) {
            true => Dimension::Range(first, self.term()?),
            false => Dimension::Length(first),
        };
        self.close(TokenKind::CloseBracket, "`,` or `]`", open)?;
        Ok(dimension)
    }

    /// `(p (e) <a (f)>)`
    fn initial(&mut self) -> Result<(), Stop> {
        let open = self.token.span;
        self.bump();
        let state = self.symbol("a control state")?;
        let globals = self.condition()?;
        let bracket = self.token.span;
        self.expect(TokenKind::Less, "`<` and a stack symbol")?;
        let symbol = self.symbol("a stack symbol")?;
        let locals = self.condition()?;
        self.close(TokenKind::Greater, "`>`", bracket)?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        let span = open.to(self.last);
        match self.ast.initial {
            None => self.ast.initial = Some(Initial { state, symbol, globals, locals, span }),
            Some(first) => {
                let finding = Diagnostic::error("syntax", "there is a second initial configuration", span);
                return Err(self.report(finding.related("the first is here", first.span)));
            }
        }
        Ok(())
    }

    /// `atoms a p, q`
    fn atoms(&mut self) -> Result<(), Stop> {
        self.bump();
        let symbol = self.symbol("a stack symbol")?;
        let propositions = self.names("a proposition")?;
        self.eat(TokenKind::Semicolon);
        self.ast.atoms.push(Atoms { symbol, propositions });
        Ok(())
    }

    /// `p <a> --> q <b c> "label" (R)`
    fn rule(&mut self) -> Result<(), Stop> {
        let start = self.token.span;
        let from_state = self.symbol("a control state")?;
        self.expect(TokenKind::Less, "`<`")?;
        let from = self.symbol("a stack symbol")?;
        self.expect(TokenKind::Greater, "`>`: there is one symbol on the left of `-->`")?;
        self.expect(TokenKind::Arrow, "`-->`")?;
        let to_state = self.symbol("a control state")?;
        let to = self.pushed()?;
        self.eat(TokenKind::Label);
        let condition = self.condition()?;
        self.eat(TokenKind::Semicolon);
        let span = start.to(self.last);
        self.ast.rules.push(Rule { from_state, from, to_state, to, condition, span });
        Ok(())
    }

    /// `<>`, `<b>` or `<b c>`
    fn pushed(&mut self) -> Result<Pushed, Stop> {
        let open = self.token.span;
        self.expect(TokenKind::Less, "`<`")?;
        if self.eat(TokenKind::Greater) {
            return Ok(Pushed::Nothing);
        }
        let first = self.symbol("a stack symbol or `>`")?;
        if self.eat(TokenKind::Greater) {
            return Ok(Pushed::One(first));
        }
        let second = self.symbol("a stack symbol or `>`")?;
        if self.eat(TokenKind::Greater) {
            return Ok(Pushed::Two(first, second));
        }
        let third = self.symbol("`>`")?;
        let message = "a rule puts at most two symbols on the stack";
        let finding = Diagnostic::error("too-many-symbols", message, open.to(third.span));
        Err(self.report(finding.help("push them one after the other, by rules with a symbol of their own in between")))
    }

    /// An expression in parentheses, or nothing.
    fn condition(&mut self) -> Result<Option<super::ast::ExprId>, Stop> {
        let open = self.token.span;
        if !self.eat(TokenKind::OpenParen) {
            return Ok(None);
        }
        let condition = self.formula()?;
        self.close(TokenKind::CloseParen, "an operator or `)`", open)?;
        Ok(Some(condition))
    }

    fn names(&mut self, what: &str) -> Result<Vec<Ident>, Stop> {
        let mut names = vec![self.symbol(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.symbol(what)?);
        }
        Ok(names)
    }

    /// A name of a state or a symbol, which may be a number.
    fn symbol(&mut self, what: &str) -> Result<Ident, Stop> {
        match self.token.kind {
            TokenKind::Number => Ok(self.ident()),
            _ => self.name(what),
        }
    }

    fn name(&mut self, what: &str) -> Result<Ident, Stop> {
        if self.token.kind != TokenKind::Word {
            return Err(self.expected(what));
        }
        Ok(self.ident())
    }

    fn ident(&mut self) -> Ident {
        let span = self.token.span;
        let name = self.ast.names.intern(self.lexer.text(span));
        self.bump();
        Ident { name, span }
    }

    /// The word here, if there is one.
    fn word(&self) -> Option<&'t str> {
        (self.token.kind == TokenKind::Word).then(|| self.lexer.text(self.token.span))
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
        let is_consequence = self.token.kind == TokenKind::Unknown;
        let place = Some(self.token.span.start);
        if !is_consequence && self.last_error != place {
            self.lexer.findings.add(finding);
            if self.lexer.findings.is_full() {
                self.stop();
            }
        }
        self.last_error = place;
        Stop
    }

    /// Acts as if the file ended here.
    fn stop(&mut self) {
        self.lexer.stop();
        self.ahead = self.lexer.next();
        self.token = self.ahead;
    }

    /// Goes one level deeper, if that is allowed. Who comes back takes the level off `depth` again.
    fn descend(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > MAX_NESTING { Err(self.too_deep(self.token.span)) } else { Ok(()) }
    }

    #[cold]
    fn too_deep(&mut self, span: Span) -> Stop {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        let finding = Diagnostic::error("nested-too-deeply", message, span);
        self.report(finding.help("split the rule in two, with a variable for a part of it"))
    }
}
