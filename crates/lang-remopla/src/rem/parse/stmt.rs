//! Statements.

use super::{Parser, Stop};
use crate::rem::ast::{
    Assign, AssignOp, BinaryOp, Block, Branch, ExprId, Guard, Ident, List, Quantifier, Quantity, Rule, Stmt, StmtId,
    StmtKind, Value,
};
use crate::rem::lexer::TokenKind;
use crate::rem::names::Keyword;
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
            let (start, depth) = (self.token.span, self.depth);
            let (open, branches) = (self.open_blocks.len(), self.open_branches.len());
            match self.labelled_statement() {
                Ok(id) => self.open_blocks.push(id),
                Err(Stop) => {
                    self.depth = depth;
                    self.open_blocks.truncate(open);
                    self.open_branches.truncate(branches);
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
            Some(Keyword::Fi | Keyword::Od | Keyword::Choicep) => true,
            // The next module: a `}` is missing.
            Some(Keyword::Module | Keyword::Init | Keyword::Define) => true,
            _ => matches!(self.token.kind, TokenKind::CloseBrace | TokenKind::DoubleColon | TokenKind::Eof),
        }
    }

    /// Goes on behind the next `;`, or before what begins a statement or closes a block.
    pub(super) fn skip_statement(&mut self) {
        while !self.eat(TokenKind::Semicolon) && !self.is_at_block_end() && !self.is_at_statement() {
            self.bump();
        }
    }

    /// Whether a statement begins here that cannot be anything else.
    fn is_at_statement(&self) -> bool {
        let keyword = self.token.keyword();
        matches!(keyword, Some(Keyword::If | Keyword::Do | Keyword::Pchoice | Keyword::Goto | Keyword::Return))
            || matches!(keyword, Some(Keyword::Skip | Keyword::Break | Keyword::Fork))
    }

    pub(super) fn labelled_statement(&mut self) -> Result<StmtId, Stop> {
        let start = self.ast.idents.len();
        while self.ahead.kind == TokenKind::Colon && matches!(self.token.kind, TokenKind::Word(_)) {
            let label = self.name("a label")?;
            self.ast.idents.push(label);
            self.bump();
        }
        let labels = List::new(start, self.ast.idents.len());
        // The statement has its number before those inside it have theirs.
        let id = self.ast.stmts.push(Stmt { labels, span: self.token.span, kind: StmtKind::Skip(None) });
        if !labels.is_empty() && (self.is_at_block_end() || self.token.kind == TokenKind::Semicolon) {
            self.ast.stmts[id].span = self.ast.idents[start].span;
            self.eat(TokenKind::Semicolon);
            return Ok(id);
        }
        match self.token.keyword() {
            Some(Keyword::If) => self.choice(id, Keyword::Fi)?,
            Some(Keyword::Do) => self.choice(id, Keyword::Od)?,
            Some(Keyword::Pchoice) => self.choice(id, Keyword::Choicep)?,
            _ => self.simple_statement(id)?,
        }
        Ok(id)
    }

    /// `if :: c -> … fi`, and `do` and `pchoice`, up to the keyword `end`.
    fn choice(&mut self, id: StmtId, end: Keyword) -> Result<(), Stop> {
        let open = self.token.span;
        self.descend()?;
        self.bump();
        let mark = self.open_branches.len();
        if self.token.kind != TokenKind::DoubleColon {
            self.expected("`::`");
            self.skip_to_branch(end);
        }
        while self.eat(TokenKind::DoubleColon) {
            let start = self.token.span;
            let depth = self.depth;
            // Mistakes in a guard do not spoil the block, or what closes that would seem to close another.
            let guard = self.guard(end).and_then(|guard| {
                let span = start.to(self.last);
                self.expect(TokenKind::Arrow, "an operator or `->`").map(|()| (guard, span))
            });
            let (guard, span) = match guard {
                Ok(guard) => guard,
                Err(Stop) => {
                    self.depth = depth;
                    self.skip_to_arrow();
                    (Guard::Chance, start)
                }
            };
            let body = self.block();
            self.open_branches.push(Branch { guard, body, span });
        }
        let start = self.ast.branches.len();
        self.ast.branches.extend(self.open_branches.drain(mark..));
        let branches = List::new(start, self.ast.branches.len());
        self.ast.stmts[id].kind = match end {
            Keyword::Fi => StmtKind::If(branches),
            Keyword::Od => StmtKind::Do(branches),
            _ => StmtKind::Chance(branches),
        };
        self.close_keyword(end, open)?;
        self.eat(TokenKind::Semicolon);
        self.depth -= 1;
        Ok(())
    }

    fn guard(&mut self, end: Keyword) -> Result<Guard, Stop> {
        if end == Keyword::Choicep {
            if !matches!(self.token.kind, TokenKind::Decimal | TokenKind::Number(_)) {
                return Err(self.expected("a probability"));
            }
            self.bump();
            return Ok(Guard::Chance);
        }
        match self.eat_keyword(Keyword::Else) {
            true => Ok(Guard::Else),
            false => Ok(Guard::Test(self.expr()?)),
        }
    }

    fn skip_to_arrow(&mut self) {
        while !self.eat(TokenKind::Arrow) {
            if self.is_at_block_end() || self.is_at_statement() || self.token.kind == TokenKind::Semicolon {
                return;
            }
            self.bump();
        }
    }

    fn skip_to_branch(&mut self, end: Keyword) {
        while !self.is_at_block_end() && self.token.keyword() != Some(end) {
            self.bump();
        }
    }

    #[inline(never)]
    fn simple_statement(&mut self, id: StmtId) -> Result<(), Stop> {
        let start = self.token.span;
        let is_rule = self.ahead.kind == TokenKind::Operator(BinaryOp::Less);
        let kind = match self.token.keyword().filter(|keyword| keyword.is_reserved()) {
            Some(keyword) => self.keyword_statement(keyword)?,
            None if matches!(self.token.kind, TokenKind::Word(_)) && is_rule => self.rule()?,
            None => self.call_or_assignment()?,
        };
        let stmt = &mut self.ast.stmts[id];
        stmt.kind = kind;
        stmt.span = start.to(self.last);
        match kind {
            StmtKind::Rule(_) => {
                self.eat(TokenKind::Semicolon);
                Ok(())
            }
            _ => self.end_statement(),
        }
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Result<StmtKind, Stop> {
        match keyword {
            Keyword::Skip | Keyword::Goto | Keyword::Break | Keyword::Return | Keyword::Fork => self.bump(),
            _ if self.is_at_declaration() => {
                let message = "declarations stand before the first statement of a module";
                let stop = self.report(Diagnostic::error("syntax", message, self.token.span));
                self.bump();
                return Err(stop);
            }
            _ => return Err(self.expected("a statement")),
        }
        Ok(match keyword {
            Keyword::Goto => {
                let label = self.name("a label")?;
                StmtKind::Goto { label, also: self.further_assignments()? }
            }
            Keyword::Break => StmtKind::Break,
            Keyword::Return if self.is_at_statement_end() => StmtKind::Return(None),
            Keyword::Return => StmtKind::Return(Some(self.value()?)),
            Keyword::Fork => {
                let callee = self.name("a module")?;
                StmtKind::Fork { callee, args: self.arguments()? }
            }
            _ if self.token.kind == TokenKind::OpenParen => StmtKind::Skip(Some(self.expr()?)),
            _ => StmtKind::Skip(None),
        })
    }

    fn call_or_assignment(&mut self) -> Result<StmtKind, Stop> {
        if !matches!(self.token.kind, TokenKind::Word(_)) {
            return Err(self.expected("a statement"));
        }
        if self.quantity().is_some() {
            return Ok(StmtKind::Assign(self.assignments(None)?));
        }
        if self.ahead.kind == TokenKind::OpenParen {
            return self.call(None);
        }
        let target = self.place()?;
        let is_assigned = self.eat(TokenKind::Assign);
        if is_assigned && matches!(self.token.kind, TokenKind::Word(_)) && self.ahead.kind == TokenKind::OpenParen {
            return self.call(Some(target));
        }
        let first = match is_assigned {
            true => {
                let value = self.value()?;
                Assign { quantifiers: List::EMPTY, target, relation: AssignOp::Equal, value }
            }
            false => self.assigned(List::EMPTY, target)?,
        };
        Ok(StmtKind::Assign(self.assignments(Some(first))?))
    }

    fn call(&mut self, target: Option<ExprId>) -> Result<StmtKind, Stop> {
        let callee = self.name("a module")?;
        let args = self.arguments()?;
        Ok(StmtKind::Call { target, callee, args, also: self.further_assignments()? })
    }

    fn arguments(&mut self) -> Result<List<Value>, Stop> {
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(`")?;
        let start = self.ast.values.len();
        if self.token.kind != TokenKind::CloseParen {
            loop {
                let value = self.value()?;
                self.ast.values.push(value);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        Ok(List::new(start, self.ast.values.len()))
    }

    fn value(&mut self) -> Result<Value, Stop> {
        let span = self.token.span;
        if self.eat_keyword(Keyword::Undef) {
            return Ok(Value::Undef(span));
        }
        Ok(Value::Of(self.expr()?))
    }

    fn further_assignments(&mut self) -> Result<List<Assign>, Stop> {
        if self.eat(TokenKind::Comma) { self.assignments(None) } else { Ok(List::EMPTY) }
    }

    /// `x = e, A i (lo,hi) y[i] = f, …`, of which the first may have been read.
    fn assignments(&mut self, first: Option<Assign>) -> Result<List<Assign>, Stop> {
        let start = self.ast.assigns.len();
        let mut next = first;
        loop {
            let assign = match next.take() {
                Some(first) => first,
                None => self.assignment()?,
            };
            self.ast.assigns.push(assign);
            if !self.eat(TokenKind::Comma) {
                return Ok(List::new(start, self.ast.assigns.len()));
            }
        }
    }

    fn assignment(&mut self) -> Result<Assign, Stop> {
        let start = self.ast.quantifiers.len();
        while let Some(quantity) = self.quantity() {
            if quantity == Quantity::Some {
                let message = "only `A` can stand before an assignment";
                let finding = Diagnostic::error("unsupported-assignment", message, self.token.span);
                let help = "choose the value first: `i = undef; skip (lo <= i && i <= hi);`";
                return Err(self.report(finding.help(help)));
            }
            self.bump();
            let quantifier = self.quantifier()?;
            self.ast.quantifiers.push(quantifier);
        }
        let quantifiers = List::new(start, self.ast.quantifiers.len());
        let target = self.place()?;
        self.assigned(quantifiers, target)
    }

    /// `= e`, `!= e`, `= undef`
    fn assigned(&mut self, quantifiers: List<Quantifier>, target: ExprId) -> Result<Assign, Stop> {
        let relation = match self.token.kind {
            TokenKind::Assign => AssignOp::Equal,
            TokenKind::Operator(BinaryOp::NotEqual) => AssignOp::NotEqual,
            _ => return Err(self.expected("`=`")),
        };
        self.bump();
        let value = match relation {
            AssignOp::Equal => self.value()?,
            AssignOp::NotEqual => Value::Of(self.expr()?),
        };
        Ok(Assign { quantifiers, target, relation, value })
    }

    /// `p<g> --> q<h k> "text" (e)`
    fn rule(&mut self) -> Result<StmtKind, Stop> {
        let from = self.name("a state")?;
        self.expect(TokenKind::Operator(BinaryOp::Less), "`<`")?;
        let top = self.name("a stack symbol")?;
        self.expect(TokenKind::Operator(BinaryOp::Greater), "`>`")?;
        self.expect(TokenKind::RuleArrow, "`-->`")?;
        let to = self.name("a state")?;
        self.expect(TokenKind::Operator(BinaryOp::Less), "`<`")?;
        let start = self.ast.idents.len();
        while let TokenKind::Word(_) = self.token.kind
            && self.ast.idents.len() < start + 2
        {
            let symbol = self.name("a stack symbol")?;
            self.ast.idents.push(symbol);
        }
        let pushed = List::<Ident>::new(start, self.ast.idents.len());
        self.expect(TokenKind::Operator(BinaryOp::Greater), "`>`")?;
        self.eat(TokenKind::Text);
        let condition = if self.token.kind == TokenKind::OpenParen { Some(self.condition()?) } else { None };
        Ok(StmtKind::Rule(Rule { from, top, to, pushed, condition }))
    }

    fn is_at_statement_end(&self) -> bool {
        self.token.kind == TokenKind::Semicolon || self.is_at_block_end()
    }

    /// A `;`, which may be missing before what closes a block.
    fn end_statement(&mut self) -> Result<(), Stop> {
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
