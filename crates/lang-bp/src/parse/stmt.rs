//! Statements.

use super::{Parser, Stop};
use crate::ast::{Block, Expr, ExprId, ExprKind, Ident, List, Otherwise, Stmt, StmtId, StmtKind};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::{Diagnostic, Span};

impl Parser<'_> {
    /// Statements up to what closes the block, which is left there.
    pub(super) fn block(&mut self) -> Block {
        let mark = self.open_blocks.len();
        loop {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            if self.is_at_block_end() {
                break;
            }
            let (start, depth, open) = (self.token.span, self.depth, self.open_blocks.len());
            match self.labelled_statement() {
                Ok(id) => self.open_blocks.push(id),
                Err(Stop) => {
                    self.depth = depth;
                    self.open_blocks.truncate(open);
                    // What began no statement now, begins none later: `skip: x` would be tried for ever.
                    if self.token.span == start {
                        self.bump();
                    }
                    self.skip_statement();
                }
            }
        }
        let start = self.ast.blocks.len();
        self.ast.blocks.extend(self.open_blocks.drain(mark..));
        Block(List::new(start, self.ast.blocks.len()))
    }

    fn is_at_block_end(&self) -> bool {
        match self.token.keyword() {
            Some(Keyword::End | Keyword::Fi | Keyword::Od | Keyword::Else | Keyword::Elsif) => true,
            // The next procedure: an `end` is missing.
            Some(Keyword::Void | Keyword::Bool) => true,
            _ => self.token.kind == TokenKind::Eof,
        }
    }

    /// Goes on behind the next `;`, or before what begins a statement or closes a block.
    pub(super) fn skip_statement(&mut self) {
        loop {
            if self.eat(TokenKind::Semicolon) || self.is_at_block_end() {
                return;
            }
            if self.is_at_statement() {
                return;
            }
            self.bump();
        }
    }

    /// Whether a statement begins here that cannot be anything else.
    fn is_at_statement(&self) -> bool {
        let keyword = self.token.keyword();
        matches!(keyword, Some(Keyword::If | Keyword::While | Keyword::Goto | Keyword::Return | Keyword::Skip))
            || matches!(keyword, Some(Keyword::Assert | Keyword::Assume | Keyword::Decl))
    }

    fn labelled_statement(&mut self) -> Result<StmtId, Stop> {
        let labels = self.labels()?;
        // The statement has its number before those inside it have theirs.
        let id = self.ast.stmts.push(Stmt { labels, span: self.token.span, kind: StmtKind::Skip });
        if !labels.is_empty() && (self.is_at_block_end() || self.token.kind == TokenKind::Semicolon) {
            self.ast.stmts[id].span = self.ast.idents[self.ast.idents.len() - 1].span;
            return Ok(id);
        }
        match self.token.keyword() {
            Some(Keyword::If) => self.if_statement(id)?,
            Some(Keyword::While) => self.while_statement(id)?,
            _ => self.simple_statement(id)?,
        }
        Ok(id)
    }

    fn labels(&mut self) -> Result<List<Ident>, Stop> {
        let start = self.ast.idents.len();
        while self.ahead.kind == TokenKind::Colon
            && matches!(self.token.kind, TokenKind::Word(_) | TokenKind::Number(_))
        {
            let label = self.label()?;
            self.ast.idents.push(label);
            self.bump();
        }
        Ok(List::new(start, self.ast.idents.len()))
    }

    fn label(&mut self) -> Result<Ident, Stop> {
        if let TokenKind::Number(name) = self.token.kind {
            let span = self.token.span;
            self.bump();
            return Ok(Ident { name, span });
        }
        self.name("a label")
    }

    /// `if c then … elsif c then … else … fi`, where `id` is the statement and every `elsif` gets one of its own.
    fn if_statement(&mut self, id: StmtId) -> Result<(), Stop> {
        let open = self.token.span;
        self.descend()?;
        // The last part is filled in first: a part must know what follows it. So a chain of a thousand `elsif`s nests
        // no deeper than one `if`.
        let mark = self.open_blocks.len();
        let mut current = id;
        let otherwise = loop {
            self.if_head(current)?;
            self.open_blocks.push(current);
            match self.token.keyword() {
                Some(Keyword::Elsif) => {
                    let stmt = Stmt { labels: List::EMPTY, span: self.token.span, kind: StmtKind::Skip };
                    current = self.ast.stmts.push(stmt);
                }
                Some(Keyword::Else) => {
                    self.bump();
                    break Otherwise::Else(self.block());
                }
                _ => break Otherwise::Nothing,
            }
        };
        self.chain(mark, otherwise);
        self.close_keyword(Keyword::Fi, open)?;
        self.depth -= 1;
        Ok(())
    }

    /// `if c then …` or `elsif c then …`
    fn if_head(&mut self, id: StmtId) -> Result<(), Stop> {
        let start = self.token.span;
        self.bump();
        let test = self.test(id, start, Keyword::Then)?;
        let then = self.block();
        self.ast.stmts[id].kind = StmtKind::If { test, then, otherwise: Otherwise::Nothing };
        Ok(())
    }

    /// The condition of the statement `id`, whose head begins at `start`, and the keyword behind it.
    ///
    /// Mistakes in it are not allowed to spoil the block, or what closes that would seem to close another.
    fn test(&mut self, id: StmtId, start: Span, opening: Keyword) -> Result<ExprId, Stop> {
        let depth = self.depth;
        let test = self.expr();
        self.ast.stmts[id].span = start.to(self.last);
        let is_opening = |parser: &Self| parser.token.keyword() == Some(opening);
        if test.is_ok() && !is_opening(self) {
            self.expected(&format!("an operator or `{}`", opening.text()));
        }
        self.depth = depth;
        while !is_opening(self) {
            if self.is_at_statement_end() || self.is_at_statement() {
                return test;
            }
            self.bump();
        }
        self.bump();
        let any = Expr { span: start, kind: ExprKind::Any };
        Ok(test.unwrap_or_else(|Stop| self.ast.exprs.push(any)))
    }

    /// Ties the parts of an `if`, which lie on `open_blocks` from `mark` on, each to the next.
    fn chain(&mut self, mark: usize, mut following: Otherwise) {
        for part in self.open_blocks.drain(mark..).rev() {
            if let StmtKind::If { otherwise, .. } = &mut self.ast.stmts[part].kind {
                *otherwise = following;
            }
            following = Otherwise::Elsif(part);
        }
    }

    fn while_statement(&mut self, id: StmtId) -> Result<(), Stop> {
        let open = self.token.span;
        self.descend()?;
        self.bump();
        let test = self.test(id, open, Keyword::Do)?;
        let body = self.block();
        self.ast.stmts[id].kind = StmtKind::While { test, body };
        self.close_keyword(Keyword::Od, open)?;
        self.depth -= 1;
        Ok(())
    }

    #[inline(never)]
    fn simple_statement(&mut self, id: StmtId) -> Result<(), Stop> {
        let start = self.token.span;
        let kind = match self.token.keyword().filter(|&keyword| self.means(keyword)) {
            Some(keyword) => self.keyword_statement(keyword)?,
            None => self.call_or_assignment()?,
        };
        let stmt = &mut self.ast.stmts[id];
        stmt.kind = kind;
        stmt.span = start.to(self.last);
        self.end_statement()
    }

    /// Whether `keyword`, which stands here at the start of a statement, is one, and not the name of something.
    fn means(&self, keyword: Keyword) -> bool {
        let is_call = self.ahead.kind == TokenKind::OpenParen;
        match keyword {
            _ if keyword.is_reserved() => true,
            _ if self.is_name_before_operator() => false,
            Keyword::EndThread | Keyword::Sync | Keyword::AtomicBegin | Keyword::AtomicEnd => !is_call,
            Keyword::StartThread | Keyword::Dead => !is_call,
            Keyword::Print => is_call,
            Keyword::Constrain | Keyword::Enforce | Keyword::AbortIf => true,
            _ => false,
        }
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Result<StmtKind, Stop> {
        match keyword {
            Keyword::Decl | Keyword::Enforce | Keyword::AbortIf => {
                let message = format!("`{}` stands before the first statement of a procedure", keyword.text());
                let stop = self.report(Diagnostic::error("syntax", message, self.token.span));
                self.bump();
                return Err(stop);
            }
            Keyword::Skip
            | Keyword::Print
            | Keyword::Goto
            | Keyword::Return
            | Keyword::Assert
            | Keyword::Assume
            | Keyword::Constrain
            | Keyword::Dead
            | Keyword::StartThread
            | Keyword::EndThread
            | Keyword::Sync
            | Keyword::AtomicBegin
            | Keyword::AtomicEnd => self.bump(),
            _ => return Err(self.expected("a statement")),
        }
        Ok(match keyword {
            Keyword::Print => StmtKind::Print(self.arguments()?),
            Keyword::Goto => StmtKind::Goto(self.comma_separated_names(Self::label)?),
            Keyword::Return if self.is_at_statement_end() => StmtKind::Return(List::EMPTY),
            Keyword::Return => StmtKind::Return(self.expr_list()?),
            Keyword::Assert => StmtKind::Assert(self.expr()?),
            Keyword::Assume => StmtKind::Assume(self.expr()?),
            Keyword::Constrain => StmtKind::Constrain(self.constraint()?),
            Keyword::Dead => StmtKind::Dead(self.comma_separated_names(Self::variable)?),
            Keyword::StartThread if self.eat_keyword(Keyword::Goto) => StmtKind::StartGoto(self.label()?),
            Keyword::StartThread => {
                let callee = self.name("a procedure or `goto`")?;
                StmtKind::StartCall { callee, args: self.arguments()? }
            }
            Keyword::EndThread => StmtKind::EndThread,
            Keyword::Sync => StmtKind::Sync(self.label()?),
            Keyword::AtomicBegin => StmtKind::AtomicBegin,
            Keyword::AtomicEnd => StmtKind::AtomicEnd,
            _ => StmtKind::Skip,
        })
    }

    fn call_or_assignment(&mut self) -> Result<StmtKind, Stop> {
        if !matches!(self.token.kind, TokenKind::Word(_)) {
            return Err(self.expected("a statement"));
        }
        if self.ahead.kind == TokenKind::OpenParen {
            return self.call(List::EMPTY);
        }
        if !matches!(self.ahead.kind, TokenKind::Comma | TokenKind::Assign) {
            self.name("a statement")?;
            return Err(self.expected("`:=`, `(` or `:` after a name"));
        }
        let targets = self.comma_separated_names(Self::target)?;
        self.expect(TokenKind::Assign, "`:=`")?;
        if matches!(self.token.kind, TokenKind::Word(_)) && self.ahead.kind == TokenKind::OpenParen {
            return self.call(targets);
        }
        let values = self.expr_list()?;
        let constraint = if self.eat_keyword(Keyword::Constrain) { Some(self.constraint()?) } else { None };
        Ok(StmtKind::Assign { targets, values, constraint })
    }

    fn target(&mut self) -> Result<Ident, Stop> {
        match self.token.keyword() {
            Some(Keyword::Discard) => self.name("a variable"),
            _ => self.variable(),
        }
    }

    fn call(&mut self, targets: List<Ident>) -> Result<StmtKind, Stop> {
        let callee = self.name("a procedure")?;
        Ok(StmtKind::Call { targets, callee, args: self.arguments()? })
    }

    fn arguments(&mut self) -> Result<List<ExprId>, Stop> {
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(`")?;
        let args = match self.token.kind {
            TokenKind::CloseParen => List::EMPTY,
            _ => self.expr_list()?,
        };
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        Ok(args)
    }

    fn is_at_statement_end(&self) -> bool {
        self.token.kind == TokenKind::Semicolon || self.is_at_block_end()
    }

    /// A `;`, which may be missing before what closes a block.
    pub(super) fn end_statement(&mut self) -> Result<(), Stop> {
        if self.eat(TokenKind::Semicolon) || self.is_at_block_end() {
            return Ok(());
        }
        let between = Span::new(self.last.end, self.token.span.start);
        let finding = self.expectation("`;`").related("after this", self.last);
        let stop = self.report(finding);
        // A new line is most likely a new statement.
        if self.lexer.text(between).contains('\n') { Ok(()) } else { Err(stop) }
    }
}
