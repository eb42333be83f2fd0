//! Expressions that begin with a keyword and take types as arguments.

use super::expr::Tree;
use super::{Parser, Stop};
use crate::ast::{Designator, ExprKind, TypeName};
use crate::lexer::TokenKind;
use crate::names::Keyword;
use hardbop_base::Span;

impl Parser<'_> {
    /// An expression that begins with `keyword`.
    #[inline(never)]
    pub(super) fn builtin(&mut self, keyword: Keyword) -> Result<Tree, Stop> {
        type Rest<'p> = fn(&mut Parser<'p>) -> Result<(ExprKind, u32), Stop>;
        let rest: Rest<'_> = match keyword {
            Keyword::Generic => Self::generic,
            Keyword::VaArg => Self::va_arg,
            Keyword::Offsetof => Self::offsetof,
            Keyword::TypesCompatible => Self::types_compatible,
            Keyword::Choose => Self::choose,
            Keyword::ConvertVector => Self::convert_vector,
            _ => return Err(self.expected("an expression")),
        };
        let start = self.token.span;
        self.descend()?;
        self.bump();
        let open = self.open(TokenKind::OpenParen, "`(`")?;
        let (kind, height) = rest(self)?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        self.depth -= 1;
        self.node(start.to(self.last), kind, height)
    }

    fn comma(&mut self) -> Result<(), Stop> {
        self.expect(TokenKind::Comma, "`,`")
    }

    fn boxed_type(&mut self) -> Result<(Box<TypeName>, u32), Stop> {
        let (name, height) = self.measured(Self::type_name)?;
        Ok((Box::new(name), height))
    }

    fn generic(&mut self) -> Result<(ExprKind, u32), Stop> {
        let control = self.assignment()?;
        let mut height = control.height;
        let mut choices = Vec::new();
        while self.eat(TokenKind::Comma) {
            let name = if self.eat_keyword(Keyword::Default) {
                None
            } else {
                let (name, name_height) = self.measured(Self::type_name)?;
                height = height.max(name_height);
                Some(name)
            };
            self.expect(TokenKind::Colon, "`:`")?;
            let choice = self.assignment()?;
            height = height.max(choice.height);
            choices.push((name, choice.id));
        }
        if choices.is_empty() {
            return Err(self.expected("`,`"));
        }
        Ok((ExprKind::Generic(control.id, choices), height))
    }

    fn va_arg(&mut self) -> Result<(ExprKind, u32), Stop> {
        let list = self.assignment()?;
        self.comma()?;
        let (name, height) = self.boxed_type()?;
        Ok((ExprKind::VaArg(list.id, name), height.max(list.height)))
    }

    fn offsetof(&mut self) -> Result<(ExprKind, u32), Stop> {
        let (name, mut height) = self.boxed_type()?;
        self.comma()?;
        let mut path = vec![Designator::Member(self.ident("a member")?)];
        loop {
            match self.token.kind {
                TokenKind::Dot | TokenKind::Arrow => {
                    self.bump();
                    path.push(Designator::Member(self.ident("a member")?));
                }
                TokenKind::OpenBracket => {
                    let open: Span = self.token.span;
                    self.bump();
                    let index = self.expr()?;
                    height = height.max(index.height);
                    path.push(Designator::Index(index.id));
                    self.close(TokenKind::CloseBracket, "`]`", open)?;
                }
                _ => return Ok((ExprKind::Offsetof(name, path), height)),
            }
        }
    }

    fn types_compatible(&mut self) -> Result<(ExprKind, u32), Stop> {
        let (left, left_height) = self.boxed_type()?;
        self.comma()?;
        let (right, right_height) = self.boxed_type()?;
        Ok((ExprKind::TypesCompatible(left, right), left_height.max(right_height)))
    }

    fn choose(&mut self) -> Result<(ExprKind, u32), Stop> {
        let condition = self.assignment()?;
        self.comma()?;
        let yes = self.assignment()?;
        self.comma()?;
        let no = self.assignment()?;
        let height = condition.height.max(yes.height).max(no.height);
        Ok((ExprKind::Choose(condition.id, yes.id, no.id), height))
    }

    fn convert_vector(&mut self) -> Result<(ExprKind, u32), Stop> {
        let vector = self.assignment()?;
        self.comma()?;
        let (name, height) = self.boxed_type()?;
        Ok((ExprKind::ConvertVector(vector.id, name), height.max(vector.height)))
    }
}
