//! Expressions, by precedence climbing.

use super::{MAX_NESTING, Parser, Setting, Stop};
use crate::rem::ast::{BinaryOp, Expr, ExprId, ExprKind, Primes, Quantifier, Quantity};
use crate::rem::lexer::TokenKind;
use crate::rem::names::Keyword;
use hardbop_base::{Diagnostic, Span};

/// An expression and the height of its tree.
///
/// The height has a limit of its own: `a && a && …` is a tall tree without being nested in the text, and whoever walks
/// it later does so recursively.
#[derive(Clone, Copy)]
struct Tree {
    id: ExprId,
    height: u32,
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<ExprId, Stop> {
        Ok(self.nested()?.id)
    }

    /// The condition of a rule.
    pub(super) fn condition(&mut self) -> Result<ExprId, Stop> {
        self.setting = Setting::Rule;
        let condition = self.expr();
        self.setting = Setting::Statement;
        condition
    }

    /// A variable, an element of an array or a member of a structure.
    pub(super) fn place(&mut self) -> Result<ExprId, Stop> {
        let name = self.name("a variable")?;
        Ok(self.named(ExprKind::Name(name.name, Primes::None), name.span)?.id)
    }

    /// `i (lo,hi)`, behind `A` or `E`.
    pub(super) fn quantifier(&mut self) -> Result<Quantifier, Stop> {
        let var = self.name("the name that is quantified")?;
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(`")?;
        let low = self.expr()?;
        self.expect(TokenKind::Comma, "`,`")?;
        let high = self.expr()?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        Ok(Quantifier { var, low, high })
    }

    /// The quantifier that begins here: `A i (…)`, and not a variable `A`.
    pub(super) fn quantity(&self) -> Option<Quantity> {
        let quantity = match self.token.keyword() {
            Some(Keyword::All) => Quantity::All,
            Some(Keyword::Some) => Quantity::Some,
            _ => return None,
        };
        matches!(self.ahead.kind, TokenKind::Word(_)).then_some(quantity)
    }

    fn nested(&mut self) -> Result<Tree, Stop> {
        self.descend()?;
        let tree = self.binary(1)?;
        self.depth -= 1;
        Ok(tree)
    }

    fn binary(&mut self, lowest: u8) -> Result<Tree, Stop> {
        let start = self.token.span;
        let mut left = self.unary()?;
        while let Some(op) = self.operator().filter(|op| op.precedence() >= lowest) {
            self.bump();
            let right = self.binary(op.precedence() + 1)?;
            let kind = ExprKind::Binary(op, left.id, right.id);
            left = self.node(start.to(self.last), kind, left.height.max(right.height))?;
        }
        Ok(left)
    }

    fn operator(&self) -> Option<BinaryOp> {
        match self.token.kind {
            TokenKind::Operator(op) => Some(op),
            TokenKind::Assign if self.setting == Setting::Rule => Some(BinaryOp::Equal),
            _ => None,
        }
    }

    fn unary(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        if let Some(quantity) = self.quantity() {
            return self.quantified(quantity);
        }
        if self.token.kind != TokenKind::Not {
            return self.primary();
        }
        self.descend()?;
        self.bump();
        let operand = self.unary()?;
        self.depth -= 1;
        self.node(start.to(self.last), ExprKind::Not(operand.id), operand.height)
    }

    #[inline(never)]
    fn quantified(&mut self, quantity: Quantity) -> Result<Tree, Stop> {
        let start = self.token.span;
        self.descend()?;
        self.bump();
        let Quantifier { var, low, high } = self.quantifier()?;
        // A comparison belongs to it, `&&` and what binds no tighter do not.
        let body = self.binary(BinaryOp::Equal.precedence())?;
        self.depth -= 1;
        let kind = ExprKind::Quantified { quantity, var, low, high, body: body.id };
        self.node(start.to(self.last), kind, body.height)
    }

    fn primary(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        if self.eat(TokenKind::OpenParen) {
            let tree = self.nested()?;
            self.close(TokenKind::CloseParen, "an operator or `)`", start)?;
            return Ok(tree);
        }
        let kind = self.leaf()?;
        match kind {
            ExprKind::Name(..) => self.named(kind, start),
            _ => self.node(start, kind, 0),
        }
    }

    #[inline(never)]
    fn leaf(&mut self) -> Result<ExprKind, Stop> {
        let kind = match (self.token.kind, self.token.keyword()) {
            (_, Some(Keyword::True)) => ExprKind::Bool(true),
            (_, Some(Keyword::False)) => ExprKind::Bool(false),
            (_, Some(Keyword::Undef)) => {
                let finding = self.expectation("an expression");
                return Err(self.report(finding.help("`undef` can only stand alone: `x = undef`, `f(undef)`")));
            }
            (TokenKind::Word(name), _) => {
                self.name("an expression")?;
                return match self.token.kind {
                    TokenKind::OpenParen => {
                        let finding = self.expectation("an operator");
                        Err(self.report(finding.help("a call is a statement of its own: `x = f(…);`")))
                    }
                    _ => Ok(ExprKind::Name(name, Primes::None)),
                };
            }
            (TokenKind::Number(value), _) => ExprKind::Number(value),
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        Ok(kind)
    }

    /// What follows a name: primes, indexes and members.
    #[inline(never)]
    fn named(&mut self, kind: ExprKind, start: Span) -> Result<Tree, Stop> {
        let root = self.node(start, kind, 0)?;
        let mut tree = root;
        loop {
            let open = self.token.span;
            match self.token.kind {
                TokenKind::Prime => self.prime(root.id)?,
                TokenKind::OpenBracket => {
                    self.bump();
                    let index = self.nested()?;
                    self.close(TokenKind::CloseBracket, "an operator or `]`", open)?;
                    let kind = ExprKind::Index(tree.id, index.id);
                    tree = self.node(start.to(self.last), kind, tree.height.max(index.height))?;
                }
                TokenKind::Dot => {
                    self.bump();
                    let member = self.name("a member")?;
                    tree = self.node(start.to(self.last), ExprKind::Member(tree.id, member), tree.height)?;
                }
                _ => return Ok(tree),
            }
        }
    }

    /// A prime, wherever it stands in `s.x[i]'`, belongs to the variable.
    fn prime(&mut self, root: ExprId) -> Result<(), Stop> {
        let ExprKind::Name(_, primes) = &mut self.ast.exprs[root].kind else { unreachable!("a prime follows a name") };
        *primes = match primes {
            Primes::None => Primes::One,
            Primes::One => Primes::Two,
            Primes::Two => {
                let message = "a variable has at most two primes";
                return Err(self.report(Diagnostic::error("syntax", message, self.token.span)));
            }
        };
        self.bump();
        Ok(())
    }

    fn node(&mut self, span: Span, kind: ExprKind, height_below: u32) -> Result<Tree, Stop> {
        let height = height_below + 1;
        if height > MAX_NESTING {
            return Err(self.too_deep(span));
        }
        Ok(Tree { id: self.ast.exprs.push(Expr { span, kind }), height })
    }
}
