//! Declarations: variables, types and modules.

use super::{Parser, Stop};
use crate::rem::ast::{Body, Decl, DeclType, Dim, Enum, ExprId, Header, Ident, List, Module, Struct, TypeName};
use crate::rem::lexer::TokenKind;
use crate::rem::names::Keyword;
use hardbop_base::Diagnostic;

impl Parser<'_> {
    pub(super) fn is_at_declaration(&self) -> bool {
        match self.token.keyword() {
            Some(Keyword::Bool | Keyword::Int | Keyword::Enum | Keyword::Struct | Keyword::Unsigned) => true,
            Some(Keyword::Signed | Keyword::Shared) => matches!(self.ahead.kind, TokenKind::Word(_)),
            _ => false,
        }
    }

    /// `shared int x, …;`, or a type alone.
    pub(super) fn globals(&mut self) -> Result<(), Stop> {
        self.eat_keyword(Keyword::Shared);
        let decls = self.declaration()?;
        let start = self.ast.decls.len() - decls.len();
        // They leave the table of lists: the globals of all declarations are one list of their own.
        self.ast.globals.extend(self.ast.decls.drain(start..));
        Ok(())
    }

    /// `int x[2](3), y;`
    fn declaration(&mut self) -> Result<List<Decl>, Stop> {
        let base = self.base_type()?;
        let start = self.ast.decls.len();
        let is_type = matches!(base, TypeName::InlineEnum(_) | TypeName::InlineStruct(_));
        // Members of a structure are in the table already, so these follow them.
        if !(is_type && self.token.kind == TokenKind::Semicolon) {
            loop {
                let decl = self.declared(base)?;
                self.ast.decls.push(decl);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.expect(TokenKind::Semicolon, "`,` or `;`")?;
        Ok(List::new(start, self.ast.decls.len()))
    }

    fn base_type(&mut self) -> Result<TypeName, Stop> {
        let keyword = self.token.keyword();
        match keyword {
            Some(Keyword::Signed) => {
                let finding = Diagnostic::error("signed-number", "numbers cannot be negative", self.token.span);
                return Err(self.report(finding.help("write `int`; a difference below zero has no value")));
            }
            Some(Keyword::Unsigned) => {
                self.bump();
                self.eat_keyword(Keyword::Int);
                return Ok(TypeName::Int);
            }
            Some(Keyword::Bool | Keyword::Int | Keyword::Enum | Keyword::Struct) => self.bump(),
            _ => return Err(self.expected("a type")),
        }
        Ok(match keyword {
            Some(Keyword::Bool) => TypeName::Bool,
            Some(Keyword::Int) => TypeName::Int,
            Some(Keyword::Enum) => match self.type_name()? {
                Some(name) if self.token.kind != TokenKind::OpenBrace => TypeName::Enum(name),
                name => {
                    let members = self.members()?;
                    TypeName::InlineEnum(self.ast.enums.push(Enum { name, members }))
                }
            },
            _ => match self.type_name()? {
                Some(name) if self.token.kind != TokenKind::OpenBrace => TypeName::Struct(name),
                name => {
                    let members = self.fields()?;
                    TypeName::InlineStruct(self.ast.structs.push(Struct { name, members }))
                }
            },
        })
    }

    fn type_name(&mut self) -> Result<Option<Ident>, Stop> {
        match self.token.kind {
            TokenKind::OpenBrace => Ok(None),
            _ => self.name("the name of a type or `{`").map(Some),
        }
    }

    /// `{ a, b }`
    fn members(&mut self) -> Result<List<Ident>, Stop> {
        let open = self.token.span;
        self.expect(TokenKind::OpenBrace, "`{`")?;
        let start = self.ast.idents.len();
        loop {
            let member = self.name("a constant")?;
            self.ast.idents.push(member);
            if !self.eat(TokenKind::Comma) || self.token.kind == TokenKind::CloseBrace {
                break;
            }
        }
        self.close(TokenKind::CloseBrace, "`,` or `}`", open)?;
        Ok(List::new(start, self.ast.idents.len()))
    }

    /// `{ int x; bool y; }`
    fn fields(&mut self) -> Result<List<Decl>, Stop> {
        let open = self.token.span;
        self.descend()?;
        self.expect(TokenKind::OpenBrace, "`{`")?;
        let mut fields = Vec::new();
        while self.is_at_declaration() {
            let decls = self.declaration()?;
            let start = self.ast.decls.len() - decls.len();
            fields.extend(self.ast.decls.drain(start..));
        }
        self.close(TokenKind::CloseBrace, "a member or `}`", open)?;
        self.depth -= 1;
        let start = self.ast.decls.len();
        self.ast.decls.extend(fields);
        Ok(List::new(start, self.ast.decls.len()))
    }

    /// `x[2](3)`
    fn declared(&mut self, base: TypeName) -> Result<Decl, Stop> {
        let name = self.name("a name to declare")?;
        Ok(Decl { name, kind: self.complete_type(base)? })
    }

    /// `[2][0,3](3)`
    fn complete_type(&mut self, base: TypeName) -> Result<DeclType, Stop> {
        let mut dims = [None, None];
        for dim in &mut dims {
            if self.token.kind == TokenKind::OpenBracket {
                *dim = Some(self.dim()?);
            }
        }
        if self.token.kind == TokenKind::OpenBracket {
            let finding = Diagnostic::error("too-many-dimensions", "an array has at most two dimensions", None);
            return Err(self.report(Diagnostic { span: Some(self.token.span), ..finding }));
        }
        let bits = if self.token.kind == TokenKind::OpenParen { Some(self.width()?) } else { None };
        Ok(DeclType { base, dims, bits })
    }

    fn dim(&mut self) -> Result<Dim, Stop> {
        let open = self.token.span;
        self.bump();
        let first = self.expr()?;
        let (low, high) = if self.eat(TokenKind::Comma) { (Some(first), self.expr()?) } else { (None, first) };
        self.close(TokenKind::CloseBracket, "`]`", open)?;
        Ok(Dim { low, high, span: open.to(self.last) })
    }

    fn width(&mut self) -> Result<ExprId, Stop> {
        let open = self.token.span;
        self.bump();
        let bits = self.expr()?;
        self.close(TokenKind::CloseParen, "`)`", open)?;
        Ok(bits)
    }

    /// `module void f(int x);` or `module void f(int x) { … }`
    pub(super) fn module(&mut self) -> Result<(), Stop> {
        self.bump();
        let result = match self.token.keyword() {
            Some(Keyword::Void) => {
                self.bump();
                None
            }
            _ => {
                let base = self.base_type()?;
                Some(self.complete_type(base)?)
            }
        };
        let name = self.name("a module's name")?;
        let params = self.params()?;
        let header = Header { name, result, params };
        if self.eat(TokenKind::Semicolon) {
            self.ast.forwards.push(header);
            return Ok(());
        }
        let open = self.token.span;
        self.expect(TokenKind::OpenBrace, "`{` or `;`")?;
        let first = self.ast.stmts.len();
        let locals = self.locals();
        let block = self.block();
        let end = self.token.span;
        let closed = self.close(TokenKind::CloseBrace, "a statement or `}`", open);
        let stmts = vec![List::new(first, self.ast.stmts.len())];
        self.ast.modules.push(Module { header, locals, body: Body { block, stmts, end } });
        closed
    }

    fn params(&mut self) -> Result<List<Decl>, Stop> {
        let open = self.token.span;
        self.expect(TokenKind::OpenParen, "`(`")?;
        let mut params = Vec::new();
        if self.token.kind != TokenKind::CloseParen {
            loop {
                let base = self.base_type()?;
                params.push(self.declared(base)?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.close(TokenKind::CloseParen, "`,` or `)`", open)?;
        let start = self.ast.decls.len();
        self.ast.decls.extend(params);
        Ok(List::new(start, self.ast.decls.len()))
    }

    fn locals(&mut self) -> List<Decl> {
        let mut locals = Vec::new();
        loop {
            if self.is_at_declaration() {
                match self.declaration() {
                    Ok(decls) => {
                        let start = self.ast.decls.len() - decls.len();
                        locals.extend(self.ast.decls.drain(start..));
                    }
                    Err(Stop) => {
                        self.depth = 0;
                        self.skip_statement();
                    }
                }
            } else if !self.eat(TokenKind::Semicolon) {
                break;
            }
        }
        let start = self.ast.decls.len();
        self.ast.decls.extend(locals);
        List::new(start, self.ast.decls.len())
    }
}
