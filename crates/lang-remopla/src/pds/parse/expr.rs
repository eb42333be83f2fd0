//! Expressions, by precedence climbing: once for connectives, once for arithmetic, with comparisons between them.
//!
//! From loose to tight: `<->`, `->` (to the right), `|`, `^`, `&`, then `!` and quantifiers, which take one comparison
//! or one expression in parentheses, then comparisons, `<< >>`, `+ -`, `* /`. On the right of a comparison `!` takes
//! one operand only: `x' = !y & z` is `(x' = (!y)) & z`.

use super::super::ast::{BinaryOp, Expr, ExprId, ExprKind, Quantifier};
use super::super::lexer::TokenKind;
use super::{MAX_NESTING, Parser, Stop};
use hardbop_base::{Diagnostic, Span};

/// An expression just read, and how high it is.
#[derive(Clone, Copy)]
struct Tree {
    id: ExprId,
    height: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    Iff,
    Implies,
    Or,
    Xor,
    And,
}

impl Connective {
    fn of(kind: TokenKind) -> Option<Self> {
        Some(match kind {
            TokenKind::Iff => Self::Iff,
            TokenKind::Implies => Self::Implies,
            TokenKind::Or => Self::Or,
            TokenKind::Xor => Self::Xor,
            TokenKind::And => Self::And,
            _ => return None,
        })
    }

    const fn precedence(self) -> u8 {
        self as u8
    }
}

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Result<ExprId, Stop> {
        Ok(self.connective(0)?.id)
    }

    pub(super) fn term(&mut self) -> Result<ExprId, Stop> {
        Ok(self.arithmetic(0)?.id)
    }

    fn connective(&mut self, lowest: u8) -> Result<Tree, Stop> {
        self.descend()?;
        let start = self.token.span;
        let mut left = self.unary()?;
        while let Some(op) = Connective::of(self.token.kind).filter(|op| op.precedence() >= lowest) {
            left = match op {
                Connective::And | Connective::Or => self.many(op, start, left)?,
                Connective::Implies => {
                    self.bump();
                    let right = self.connective(op.precedence())?;
                    self.binary(BinaryOp::Implies, start, left, right)?
                }
                Connective::Iff | Connective::Xor => {
                    let operator = if op == Connective::Iff { BinaryOp::Iff } else { BinaryOp::Xor };
                    self.bump();
                    let right = self.connective(op.precedence() + 1)?;
                    self.binary(operator, start, left, right)?
                }
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A row of `&` or `|` is one expression: generated files have long ones.
    #[inline(never)]
    fn many(&mut self, op: Connective, start: Span, first: Tree) -> Result<Tree, Stop> {
        let (mut operands, mut height) = (vec![first.id], first.height);
        while Connective::of(self.token.kind) == Some(op) {
            self.bump();
            let next = self.connective(op.precedence() + 1)?;
            operands.push(next.id);
            height = height.max(next.height);
        }
        let kind = if op == Connective::And { ExprKind::All(operands) } else { ExprKind::Any(operands) };
        self.node(start.to(self.last), kind, height)
    }

    fn unary(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        if self.token.kind == TokenKind::Not {
            self.descend()?;
            self.bump();
            let operand = self.unary()?;
            self.depth -= 1;
            return self.node(start.to(self.last), ExprKind::Not(operand.id), operand.height);
        }
        // Nowhere else do two names stand side by side in an expression.
        match self.word().filter(|_| self.ahead.kind == TokenKind::Word) {
            Some("A") => self.quantified(Quantifier::All),
            Some("E") => self.quantified(Quantifier::Exists),
            _ => self.comparison(),
        }
    }

    #[inline(never)]
    fn quantified(&mut self, quantifier: Quantifier) -> Result<Tree, Stop> {
        self.descend()?;
        let start = self.token.span;
        self.bump();
        let variable = self.name("a name")?;
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(` and a range")?;
        let low = self.arithmetic(0)?;
        self.expect(TokenKind::Comma, "`,`")?;
        let high = self.arithmetic(0)?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        let body = self.unary()?;
        self.depth -= 1;
        let height = low.height.max(high.height).max(body.height);
        let kind = ExprKind::Quantified { quantifier, variable, low: low.id, high: high.id, body: body.id };
        self.node(start.to(self.last), kind, height)
    }

    fn comparison(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        let left = self.arithmetic(0)?;
        let Some(op) = comparison(self.token.kind) else { return Ok(left) };
        self.bump();
        let right = self.arithmetic(0)?;
        if comparison(self.token.kind).is_some() {
            let message = "comparisons do not form chains";
            let finding = Diagnostic::error("syntax", message, self.token.span);
            return Err(self.report(finding.help("write `a < b & b < c`")));
        }
        self.binary(op, start, left, right)
    }

    fn arithmetic(&mut self, lowest: u8) -> Result<Tree, Stop> {
        let start = self.token.span;
        let mut left = self.primary()?;
        while let Some((op, precedence)) = arithmetic(self.token.kind).filter(|&(_, precedence)| precedence >= lowest) {
            self.bump();
            let right = self.arithmetic(precedence + 1)?;
            left = self.binary(op, start, left, right)?;
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        match self.token.kind {
            TokenKind::OpenParen => {
                self.bump();
                let tree = self.connective(0)?;
                self.close(TokenKind::CloseParen, "an operator or `)`", start)?;
                Ok(tree)
            }
            TokenKind::Number => self.number(),
            TokenKind::Word => self.variable(),
            // `x' = !y`: here it takes no more than `y`.
            TokenKind::Not => {
                self.descend()?;
                self.bump();
                let operand = self.primary()?;
                self.depth -= 1;
                self.node(start.to(self.last), ExprKind::Not(operand.id), operand.height)
            }
            _ => Err(self.expected("an expression")),
        }
    }

    #[inline(never)]
    fn number(&mut self) -> Result<Tree, Stop> {
        let span = self.token.span;
        let Ok(value) = self.lexer.text(span).parse() else {
            let message = format!("a number is at most {}", u64::MAX);
            return Err(self.report(Diagnostic::error("number-too-large", message, span)));
        };
        self.bump();
        self.node(span, ExprKind::Number(value), 0)
    }

    /// `x`, `x'`, `x''`, `a[i]`, `a'[i]`
    #[inline(never)]
    fn variable(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        let name = self.ident().name;
        let mut primes = self.primes();
        let open = self.token.span;
        let mut index = None;
        let mut height = 0;
        if self.eat(TokenKind::OpenBracket) {
            self.descend()?;
            let tree = self.arithmetic(0)?;
            self.depth -= 1;
            self.close(TokenKind::CloseBracket, "an operator or `]`", open)?;
            (index, height) = (Some(tree.id), tree.height);
            primes += self.primes();
        }
        if primes > 2 {
            let message = "a variable has at most two primes";
            return Err(self.report(Diagnostic::error("primed-variable", message, start.to(self.last))));
        }
        let kind = ExprKind::Name { name, primes: primes as u8, index };
        self.node(start.to(self.last), kind, height)
    }

    fn primes(&mut self) -> usize {
        let mut primes = 0;
        while self.eat(TokenKind::Prime) {
            primes += 1;
        }
        primes
    }

    fn binary(&mut self, op: BinaryOp, start: Span, left: Tree, right: Tree) -> Result<Tree, Stop> {
        let kind = ExprKind::Binary(op, left.id, right.id);
        self.node(start.to(self.last), kind, left.height.max(right.height))
    }

    fn node(&mut self, span: Span, kind: ExprKind, height_below: u32) -> Result<Tree, Stop> {
        let height = height_below + 1;
        if height > MAX_NESTING {
            return Err(self.too_deep(span));
        }
        let exprs = &self.ast.exprs;
        let is_primed = match &kind {
            ExprKind::Number(_) => false,
            ExprKind::Name { primes, index, .. } => *primes > 0 || index.is_some_and(|index| exprs[index].is_primed),
            ExprKind::Not(inner) => exprs[*inner].is_primed,
            ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().any(|&part| exprs[part].is_primed),
            ExprKind::Binary(_, left, right) => exprs[*left].is_primed || exprs[*right].is_primed,
            ExprKind::Quantified { body, .. } => exprs[*body].is_primed,
        };
        Ok(Tree { id: self.ast.exprs.push(Expr { span, kind, is_primed }), height })
    }
}

fn comparison(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Equal => BinaryOp::Equal,
        TokenKind::NotEqual => BinaryOp::NotEqual,
        TokenKind::Less => BinaryOp::Less,
        TokenKind::LessEqual => BinaryOp::LessEqual,
        TokenKind::Greater => BinaryOp::Greater,
        TokenKind::GreaterEqual => BinaryOp::GreaterEqual,
        _ => return None,
    })
}

fn arithmetic(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::ShiftLeft => (BinaryOp::ShiftLeft, 0),
        TokenKind::ShiftRight => (BinaryOp::ShiftRight, 0),
        TokenKind::Plus => (BinaryOp::Add, 1),
        TokenKind::Minus => (BinaryOp::Subtract, 1),
        TokenKind::Star => (BinaryOp::Multiply, 2),
        TokenKind::Slash => (BinaryOp::Divide, 2),
        _ => return None,
    })
}
