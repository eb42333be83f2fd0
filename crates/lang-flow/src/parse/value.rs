//! Values: `->`, then `|`, `&`, comparisons, `+` and `-`, `!`, from the loosest to the tightest.

use super::super::lexer::TokenKind;
use super::super::tree::{Comparison, Expr, ExprKind, FactUse, Junction, Sign};
use super::{MAX_NESTING, Parser, Stop};
use hardbop_base::Span;

impl Parser<'_> {
    pub(super) fn value(&mut self) -> Result<Expr, Stop> {
        self.descend()?;
        let start = self.span();
        let left = self.junction(Junction::Or)?;
        let value = match self.eat("->") {
            true => {
                let right = self.value()?;
                self.node(start, ExprKind::Implies(Box::new(left), Box::new(right)))
            }
            false => left,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn junction(&mut self, junction: Junction) -> Result<Expr, Stop> {
        let start = self.span();
        let (sign, doubled) = match junction {
            Junction::Or => ("|", "||"),
            Junction::And => ("&", "&&"),
        };
        let mut operands = Vec::new();
        loop {
            operands.push(match junction {
                Junction::Or => self.junction(Junction::And)?,
                Junction::And => self.comparison()?,
            });
            if self.here() == doubled {
                return Err(self.expected(&format!("`{sign}`")));
            }
            if !self.eat(sign) {
                break;
            }
        }
        match operands.len() {
            1 => Ok(operands.remove(0)),
            _ => Ok(self.node(start, ExprKind::Junction(junction, operands))),
        }
    }

    fn comparison(&mut self) -> Result<Expr, Stop> {
        let start = self.span();
        let left = self.sum()?;
        let Some(op) = self.comparison_sign() else { return Ok(left) };
        self.bump();
        let right = self.sum()?;
        if self.comparison_sign().is_some() {
            let finding = self.expectation("an operator that is no comparison");
            return Err(self.report(finding.help("write the parentheses")));
        }
        Ok(self.node(start, ExprKind::Compare(Box::new(left), op, Box::new(right))))
    }

    /// Both `=`, as in boolean programs, and `==`, as in C.
    fn comparison_sign(&self) -> Option<Comparison> {
        match self.here() {
            "=" => Some(Comparison::Equal),
            sign => Comparison::ALL.iter().copied().find(|op| op.text() == sign),
        }
    }

    fn sum(&mut self) -> Result<Expr, Stop> {
        let start = self.span();
        let mut left = self.unary()?;
        loop {
            let sign = match self.here() {
                "+" => Sign::Plus,
                "-" => Sign::Minus,
                _ => return Ok(left),
            };
            // A long sum is a tall tree without being nested in the text, and one can be the first operand of another.
            self.sums += 1;
            if self.sums > MAX_NESTING {
                return Err(self.too_deep(self.span()));
            }
            self.bump();
            let right = self.unary()?;
            left = self.node(start, ExprKind::Sum(Box::new(left), sign, Box::new(right)));
        }
    }

    fn unary(&mut self) -> Result<Expr, Stop> {
        let start = self.span();
        if !self.eat("!") {
            return self.primary();
        }
        self.descend()?;
        let operand = self.unary()?;
        self.depth -= 1;
        Ok(self.node(start, ExprKind::Not(Box::new(operand))))
    }

    fn primary(&mut self) -> Result<Expr, Stop> {
        let start = self.span();
        if self.kind() == TokenKind::Number || self.here() == "-" {
            let number = self.number()?;
            return Ok(self.node(start, ExprKind::Number(number)));
        }
        let kind = match self.here() {
            "(" => {
                self.bump();
                let value = self.value()?;
                self.close(")", "an operator or `)`", start)?;
                return Ok(value);
            }
            "true" | "false" => ExprKind::Const(self.here() == "true"),
            "*" => ExprKind::Unknown,
            "new" => ExprKind::New,
            "any" => return self.over(Junction::Or),
            "all" => return self.over(Junction::And),
            _ if self.kind() != TokenKind::Word => return Err(self.expected("a value")),
            _ if self.ahead(1) == "(" => {
                let fact = self.fact_use()?;
                return Ok(self.node(start, ExprKind::Fact(fact)));
            }
            _ => return self.meta_value(),
        };
        self.bump();
        Ok(self.node(start, kind))
    }

    /// `c`, `x is y`
    fn meta_value(&mut self) -> Result<Expr, Stop> {
        let start = self.span();
        let meta = self.metavariable()?;
        let kind = match self.eat("is") {
            false => ExprKind::Meta(meta),
            true if self.eat("not") => {
                let is = ExprKind::Is(meta, self.metavariable()?);
                ExprKind::Not(Box::new(self.node(start, is)))
            }
            true => ExprKind::Is(meta, self.metavariable()?),
        };
        Ok(self.node(start, kind))
    }

    /// `any F for u in SET`
    fn over(&mut self, junction: Junction) -> Result<Expr, Stop> {
        let start = self.span();
        self.bump();
        let body = self.value()?;
        if self.here() != "for" {
            let word = if junction == Junction::Or { "any" } else { "all" };
            let finding = self.expectation("`for`").related(format!("this `{word}` needs a set"), start);
            return Err(self.report(finding.help(format!("write `{word} F for u in SET`"))));
        }
        let binder = self.binder()?;
        Ok(self.node(start, ExprKind::Over(junction, Box::new(body), binder)))
    }

    /// `at(p, x)`
    pub(super) fn fact_use(&mut self) -> Result<FactUse, Stop> {
        let start = self.span();
        let (name, _) = self.name("a fact")?;
        if self.here() != "(" {
            let finding = self.expectation("`(`").help(format!("a fact has parentheses: `{name}(…)`"));
            return Err(self.report(finding));
        }
        let arguments = self.arguments()?;
        let family = self.family(name);
        Ok(FactUse { family, arguments, span: start.to(self.last()) })
    }

    fn node(&self, start: Span, kind: ExprKind) -> Expr {
        Expr { kind, span: start.to(self.last()) }
    }
}
