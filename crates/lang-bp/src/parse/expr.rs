//! Expressions, by precedence climbing.

use super::{MAX_NESTING, Parser, Stop};
use crate::ast::{BinaryOp, Expr, ExprId, ExprKind, List};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::{Diagnostic, Span};

/// An expression and the height of its tree.
///
/// The height has a limit of its own: `a & a & …` is a tall tree without being nested in the text, and whoever walks
/// it later does so recursively.
#[derive(Clone, Copy)]
struct Tree {
    id: ExprId,
    height: u32,
}

impl Parser<'_> {
    /// An expression without primes.
    pub(super) fn expr(&mut self) -> Result<ExprId, Stop> {
        let first = self.ast.exprs.len();
        let tree = self.ternary()?;
        // The primes are looked for afterwards, not while parsing, to keep the recursion small.
        let primed = self.ast.exprs.as_slice()[first..].iter().find(|expr| matches!(expr.kind, ExprKind::Next(_)));
        if let Some(&Expr { span, .. }) = primed {
            let message = "the value after the statement can only stand in a `constrain`";
            self.misuse(Diagnostic::error("primed-variable", message, span));
        }
        Ok(tree.id)
    }

    /// An expression in which `'x` is the value after the statement.
    pub(super) fn constraint(&mut self) -> Result<ExprId, Stop> {
        Ok(self.ternary()?.id)
    }

    pub(super) fn expr_list(&mut self) -> Result<List<ExprId>, Stop> {
        let start = self.ast.expr_ids.len();
        loop {
            let id = self.expr()?;
            self.ast.expr_ids.push(id);
            if !self.eat(TokenKind::Comma) {
                return Ok(List::new(start, self.ast.expr_ids.len()));
            }
        }
    }

    fn ternary(&mut self) -> Result<Tree, Stop> {
        self.descend()?;
        let start = self.token.span;
        let test = self.binary(1)?;
        let tree = if self.eat(TokenKind::Question) { self.branches(start, test)? } else { test };
        self.depth -= 1;
        Ok(tree)
    }

    fn branches(&mut self, start: Span, test: Tree) -> Result<Tree, Stop> {
        let yes = self.ternary()?;
        self.expect(TokenKind::Colon, "`:` of `? :`")?;
        let no = self.ternary()?;
        let height = test.height.max(yes.height).max(no.height);
        self.node(start.to(self.last), ExprKind::Ite(test.id, yes.id, no.id), height)
    }

    fn binary(&mut self, lowest: u8) -> Result<Tree, Stop> {
        let start = self.token.span;
        let mut left = self.unary()?;
        let mut last = None;
        while let TokenKind::Operator(op) = self.token.kind
            && op.precedence() >= lowest
        {
            if op == BinaryOp::Implies && last == Some(op) {
                self.warn_of_implication_chain();
            }
            last = Some(op);
            self.bump();
            let right = self.binary(op.precedence() + 1)?;
            let kind = ExprKind::Binary(op, left.id, right.id);
            left = self.node(start.to(self.last), kind, left.height.max(right.height))?;
        }
        Ok(left)
    }

    #[cold]
    fn warn_of_implication_chain(&mut self) {
        let message = "`a => b => c` is read as `(a => b) => c`";
        let finding = Diagnostic::warning("implication-chain", message, self.token.span);
        self.lexer.findings.add(finding.help("write the parentheses"));
    }

    fn unary(&mut self) -> Result<Tree, Stop> {
        if self.token.kind != TokenKind::Not {
            return self.primary();
        }
        self.descend()?;
        let start = self.token.span;
        self.bump();
        let operand = self.unary()?;
        self.depth -= 1;
        self.node(start.to(self.last), ExprKind::Not(operand.id), operand.height)
    }

    fn primary(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        match self.token.kind {
            TokenKind::OpenParen => {
                self.bump();
                let tree = self.ternary()?;
                self.close(TokenKind::CloseParen, "an operator or `)`", start)?;
                Ok(tree)
            }
            TokenKind::Word(_) if self.is_schoose() => self.schoose(),
            _ => {
                let kind = self.leaf()?;
                self.node(start.to(self.last), kind, 0)
            }
        }
    }

    #[inline(never)]
    fn leaf(&mut self) -> Result<ExprKind, Stop> {
        let token = self.token;
        if let Some(value) = token.keyword().and_then(Keyword::constant) {
            self.bump();
            return Ok(ExprKind::Const(value));
        }
        match token.kind {
            TokenKind::Word(_) if token.keyword() == Some(Keyword::Discard) => {
                Err(self.expected("an expression: `_` only stands on the left of `:=`"))
            }
            TokenKind::Word(_) => {
                let name = self.name("an expression")?.name;
                Ok(if self.eat(TokenKind::Prime) { ExprKind::Next(name) } else { ExprKind::Var(name) })
            }
            TokenKind::Prime => {
                self.bump();
                Ok(ExprKind::Next(self.variable()?.name))
            }
            TokenKind::Star | TokenKind::Question => {
                self.bump();
                Ok(ExprKind::Any)
            }
            TokenKind::Number(_) => {
                let value = match self.lexer.text(token.span) {
                    "0" => false,
                    "1" => true,
                    _ => return Err(self.expected("an expression, in which the only numbers are 0 and 1")),
                };
                self.bump();
                Ok(ExprKind::Const(value))
            }
            _ => Err(self.expected("an expression")),
        }
    }

    fn is_schoose(&self) -> bool {
        self.token.keyword() == Some(Keyword::Schoose) && self.ahead.kind == TokenKind::OpenBracket
    }

    #[inline(never)]
    fn schoose(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        self.bump();
        let open = self.token.span;
        self.bump();
        let mut parts = [None, None];
        let mut count = 0;
        while self.token.kind != TokenKind::CloseBracket {
            let tree = self.ternary()?;
            if let Some(part) = parts.get_mut(count) {
                *part = Some(tree);
            }
            count += 1;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::CloseBracket, "`,` or `]`", open)?;
        let span = start.to(self.last);
        let [Some(positive), Some(negative)] = parts.map(|part| part.filter(|_| count == 2)) else {
            let message = format!("`schoose` has two arguments, not {count}");
            let finding = Diagnostic::error("schoose-arity", message, span)
                .help("`schoose[p, n]` is true where `p` is, else false where `n` is true, else either");
            self.misuse(finding);
            return self.node(span, ExprKind::Any, 0);
        };
        self.node(span, ExprKind::Schoose(positive.id, negative.id), positive.height.max(negative.height))
    }

    fn node(&mut self, span: Span, kind: ExprKind, height_below: u32) -> Result<Tree, Stop> {
        let height = height_below + 1;
        if height > MAX_NESTING {
            return Err(self.too_deep(span));
        }
        Ok(Tree { id: self.ast.exprs.push(Expr { span, kind }), height })
    }
}
