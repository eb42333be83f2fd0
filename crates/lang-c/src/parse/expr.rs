//! Expressions, by precedence climbing.

use super::{MAX_NESTING, Parser, Stop};
use crate::ast::{BinaryOp, Expr, ExprId, ExprKind, TypeName, UnaryOp};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::Span;

/// An expression and the height of its tree.
///
/// The height has a limit of its own: `a + a + …` is a tall tree without being nested in the text, and whoever walks it
/// later does so recursively.
#[derive(Clone, Copy)]
pub(super) struct Tree {
    pub(super) id: ExprId,
    pub(super) height: u32,
}

impl Parser<'_> {
    /// An expression, with commas.
    pub(super) fn expr(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        let mut left = self.assignment()?;
        while self.eat(TokenKind::Comma) {
            let right = self.assignment()?;
            let kind = ExprKind::Binary(BinaryOp::Comma, left.id, right.id);
            left = self.node(start.to(self.last), kind, left.height.max(right.height))?;
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Result<Tree, Stop> {
        self.descend()?;
        let start = self.token.span;
        let mut tree = self.conditional()?;
        if let Some(op) = assignment_op(self.token.kind) {
            self.bump();
            let right = self.assignment()?;
            let kind = ExprKind::Assign(op, tree.id, right.id);
            tree = self.node(start.to(self.last), kind, tree.height.max(right.height))?;
        }
        self.depth -= 1;
        Ok(tree)
    }

    /// An expression without assignments: a constant.
    pub(super) fn conditional(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        let condition = self.binary(1)?;
        if self.at(TokenKind::Question) { self.branches(start, condition) } else { Ok(condition) }
    }

    #[inline(never)]
    fn branches(&mut self, start: Span, condition: Tree) -> Result<Tree, Stop> {
        self.descend()?;
        let question = self.token.span;
        self.bump();
        let yes = match self.at(TokenKind::Colon) {
            true => None,
            false => Some(self.expr()?),
        };
        self.close(TokenKind::Colon, "`:`", question)?;
        let no = self.conditional()?;
        self.depth -= 1;
        let height = condition.height.max(no.height).max(yes.map_or(0, |yes| yes.height));
        let kind = ExprKind::Conditional(condition.id, yes.map(|yes| yes.id), no.id);
        self.node(start.to(self.last), kind, height)
    }

    fn binary(&mut self, lowest: u8) -> Result<Tree, Stop> {
        let start = self.token.span;
        let mut left = self.unary()?;
        while let Some((op, precedence)) = binary_op(self.token.kind)
            && precedence >= lowest
        {
            self.bump();
            let right = self.binary(precedence + 1)?;
            let kind = ExprKind::Binary(op, left.id, right.id);
            left = self.node(start.to(self.last), kind, left.height.max(right.height))?;
        }
        Ok(left)
    }

    /// An operand of a binary operator: also a cast.
    pub(super) fn unary(&mut self) -> Result<Tree, Stop> {
        match self.token.kind {
            TokenKind::Word(_) | TokenKind::Number => self.postfix(),
            TokenKind::OpenParen if self.starts_type(self.ahead.kind) => self.cast_or_compound(),
            TokenKind::OpenParen => self.postfix(),
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Sizeof | Keyword::Alignof => self.size(keyword),
                Keyword::Real => self.operator(UnaryOp::Real),
                Keyword::Imaginary => self.operator(UnaryOp::Imaginary),
                Keyword::Extension => self.extension(),
                _ => self.postfix(),
            },
            TokenKind::Plus => self.operator(UnaryOp::Plus),
            TokenKind::Minus => self.operator(UnaryOp::Minus),
            TokenKind::Tilde => self.operator(UnaryOp::BitNot),
            TokenKind::Not => self.operator(UnaryOp::Not),
            TokenKind::Star => self.operator(UnaryOp::Deref),
            TokenKind::Amp => self.operator(UnaryOp::AddressOf),
            TokenKind::PlusPlus => self.operator(UnaryOp::PreIncrement),
            TokenKind::MinusMinus => self.operator(UnaryOp::PreDecrement),
            TokenKind::AndAnd => self.label_address(),
            _ => self.postfix(),
        }
    }

    fn operator(&mut self, op: UnaryOp) -> Result<Tree, Stop> {
        let start = self.token.span;
        self.descend()?;
        self.bump();
        let operand = self.unary()?;
        self.depth -= 1;
        self.node(start.to(self.last), ExprKind::Unary(op, operand.id), operand.height)
    }

    /// `__extension__ e`, which is `e`.
    fn extension(&mut self) -> Result<Tree, Stop> {
        while self.eat_keyword(Keyword::Extension) {}
        self.descend()?;
        let operand = self.unary()?;
        self.depth -= 1;
        Ok(operand)
    }

    #[inline(never)]
    fn label_address(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        self.bump();
        let label = self.ident("a label")?;
        self.node(start.to(self.last), ExprKind::LabelAddress(label), 0)
    }

    /// `(type)e` or `(type){ … }`
    #[inline(never)]
    fn cast_or_compound(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        self.descend()?;
        let (name, height) = self.type_in_cast()?;
        let tree = match self.at(TokenKind::OpenBrace) {
            true => self.compound(start, name, height)?,
            false => {
                let operand = self.unary()?;
                let kind = ExprKind::Cast(name, operand.id);
                self.node(start.to(self.last), kind, operand.height.max(height))?
            }
        };
        self.depth -= 1;
        Ok(tree)
    }

    /// `(type)`, and the height of the type.
    fn type_in_cast(&mut self) -> Result<(Box<TypeName>, u32), Stop> {
        let open = self.token.span;
        self.bump();
        let (name, height) = self.measured(Self::type_name)?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        Ok((Box::new(name), height))
    }

    /// The rest of `(type){ … }` behind the `)`, with what is applied to it.
    fn compound(&mut self, start: Span, name: Box<TypeName>, height: u32) -> Result<Tree, Stop> {
        let (list, list_height) = self.measured(Self::init_list)?;
        let kind = ExprKind::Compound(name, list);
        let tree = self.node(start.to(self.last), kind, height.max(list_height))?;
        self.suffixes(start, tree)
    }

    /// `sizeof` and `_Alignof`, of a type or an expression.
    #[inline(never)]
    fn size(&mut self, keyword: Keyword) -> Result<Tree, Stop> {
        let start = self.token.span;
        self.descend()?;
        self.bump();
        let is_size = keyword == Keyword::Sizeof;
        let is_type = self.at(TokenKind::OpenParen) && self.starts_type(self.ahead.kind);
        let (kind, height) = if is_type {
            let inner = self.token.span;
            let (name, height) = self.type_in_cast()?;
            if self.at(TokenKind::OpenBrace) {
                let operand = self.compound(inner, name, height)?;
                let kind = if is_size { ExprKind::SizeofExpr(operand.id) } else { ExprKind::AlignofExpr(operand.id) };
                (kind, operand.height)
            } else {
                (if is_size { ExprKind::SizeofType(name) } else { ExprKind::AlignofType(name) }, height)
            }
        } else {
            let operand = self.unary()?;
            let kind = if is_size { ExprKind::SizeofExpr(operand.id) } else { ExprKind::AlignofExpr(operand.id) };
            (kind, operand.height)
        };
        self.depth -= 1;
        self.node(start.to(self.last), kind, height)
    }

    fn postfix(&mut self) -> Result<Tree, Stop> {
        let start = self.token.span;
        let tree = self.primary()?;
        self.suffixes(start, tree)
    }

    /// Calls, indexes, members and the like behind `tree`.
    fn suffixes(&mut self, start: Span, mut tree: Tree) -> Result<Tree, Stop> {
        loop {
            tree = match self.token.kind {
                TokenKind::OpenParen => self.call(start, tree)?,
                TokenKind::OpenBracket => self.index(start, tree)?,
                TokenKind::Dot | TokenKind::Arrow => {
                    let is_arrow = self.at(TokenKind::Arrow);
                    self.bump();
                    let member = self.ident("a member")?;
                    let kind =
                        if is_arrow { ExprKind::Arrow(tree.id, member) } else { ExprKind::Member(tree.id, member) };
                    self.node(start.to(self.last), kind, tree.height)?
                }
                TokenKind::PlusPlus | TokenKind::MinusMinus => {
                    let is_plus = self.at(TokenKind::PlusPlus);
                    let op = if is_plus { UnaryOp::PostIncrement } else { UnaryOp::PostDecrement };
                    self.bump();
                    self.node(start.to(self.last), ExprKind::Unary(op, tree.id), tree.height)?
                }
                _ => return Ok(tree),
            };
        }
    }

    #[inline(never)]
    fn index(&mut self, start: Span, array: Tree) -> Result<Tree, Stop> {
        let open = self.token.span;
        self.bump();
        let index = self.expr()?;
        self.close(TokenKind::CloseBracket, "`]`", open)?;
        let kind = ExprKind::Index(array.id, index.id);
        self.node(start.to(self.last), kind, array.height.max(index.height))
    }

    #[inline(never)]
    fn call(&mut self, start: Span, function: Tree) -> Result<Tree, Stop> {
        let open = self.token.span;
        self.bump();
        let first = self.open_exprs.len();
        let mut height = function.height;
        if !self.at(TokenKind::CloseParen) {
            loop {
                let argument = self.assignment()?;
                self.open_exprs.push(argument.id);
                height = height.max(argument.height);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        let arguments = self.open_exprs.drain(first..).collect();
        self.node(start.to(self.last), ExprKind::Call(function.id, arguments), height)
    }

    fn primary(&mut self) -> Result<Tree, Stop> {
        let span = self.token.span;
        match self.token.kind {
            TokenKind::Word(name) => {
                self.bump();
                self.node(span, ExprKind::Name(name), 0)
            }
            TokenKind::Number => {
                let kind = self.number(span);
                self.bump();
                self.node(span, kind, 0)
            }
            TokenKind::Char(encoding) => {
                let kind = self.character(span, encoding);
                self.bump();
                self.node(span, kind, 0)
            }
            TokenKind::String(_) => {
                let string = self.string()?;
                self.node(span.to(self.last), ExprKind::String(string), 0)
            }
            TokenKind::OpenParen => self.parentheses(),
            TokenKind::Keyword(keyword) => self.builtin(keyword),
            _ => Err(self.expected("an expression")),
        }
    }

    fn parentheses(&mut self) -> Result<Tree, Stop> {
        let open = self.token.span;
        self.bump();
        if self.at(TokenKind::OpenBrace) {
            return self.statement_expr(open);
        }
        let tree = self.expr()?;
        self.close(TokenKind::CloseParen, "an operator or `)`", open)?;
        Ok(tree)
    }

    #[inline(never)]
    fn statement_expr(&mut self, open: Span) -> Result<Tree, Stop> {
        self.descend()?;
        let (block, height) = self.measured(Self::block)?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        self.depth -= 1;
        self.node(open.to(self.last), ExprKind::Statement(block), height)
    }

    /// A new expression, whose operands are at most `height_below` high.
    #[inline]
    pub(super) fn node(&mut self, span: Span, kind: ExprKind, height_below: u32) -> Result<Tree, Stop> {
        let height = height_below + 1;
        let reach = self.depth + height;
        if reach > MAX_NESTING {
            return Err(self.too_deep(span));
        }
        self.reach = self.reach.max(reach);
        Ok(Tree { id: self.ast.exprs.push(Expr { kind, span }), height })
    }
}

#[inline]
fn assignment_op(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Assign => None,
        TokenKind::PlusAssign => Some(BinaryOp::Add),
        TokenKind::MinusAssign => Some(BinaryOp::Sub),
        TokenKind::StarAssign => Some(BinaryOp::Mul),
        TokenKind::SlashAssign => Some(BinaryOp::Div),
        TokenKind::PercentAssign => Some(BinaryOp::Rem),
        TokenKind::AmpAssign => Some(BinaryOp::BitAnd),
        TokenKind::PipeAssign => Some(BinaryOp::BitOr),
        TokenKind::CaretAssign => Some(BinaryOp::BitXor),
        TokenKind::ShiftLeftAssign => Some(BinaryOp::Shl),
        TokenKind::ShiftRightAssign => Some(BinaryOp::Shr),
        _ => return None,
    })
}

/// The binary operator that `kind` is, and how tightly it binds.
#[inline]
fn binary_op(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::OrOr => (BinaryOp::Or, 1),
        TokenKind::AndAnd => (BinaryOp::And, 2),
        TokenKind::Pipe => (BinaryOp::BitOr, 3),
        TokenKind::Caret => (BinaryOp::BitXor, 4),
        TokenKind::Amp => (BinaryOp::BitAnd, 5),
        TokenKind::Equal => (BinaryOp::Eq, 6),
        TokenKind::NotEqual => (BinaryOp::Ne, 6),
        TokenKind::Less => (BinaryOp::Lt, 7),
        TokenKind::Greater => (BinaryOp::Gt, 7),
        TokenKind::LessEqual => (BinaryOp::Le, 7),
        TokenKind::GreaterEqual => (BinaryOp::Ge, 7),
        TokenKind::ShiftLeft => (BinaryOp::Shl, 8),
        TokenKind::ShiftRight => (BinaryOp::Shr, 8),
        TokenKind::Plus => (BinaryOp::Add, 9),
        TokenKind::Minus => (BinaryOp::Sub, 9),
        TokenKind::Star => (BinaryOp::Mul, 10),
        TokenKind::Slash => (BinaryOp::Div, 10),
        TokenKind::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}
