//! Expressions of the format, read with a stack of their own: labels over propositions, and acceptance conditions.
//!
//! ```text
//! label ::= t | f | INT | @alias | !label | label & label | label | label | (label)
//! condition ::= t | Inf(INT) | condition & condition | (condition)
//! ```

use hardbop_base::{Diagnostic, Exhausted, Idx, Span};
use hardbop_bdd::Bdd;

use super::lexer::{Finding, Token};
use super::read::Reader;
use crate::automaton::{MAX_SETS, Marks};
use crate::formula::PropId;
use crate::guard::literal;

/// The limit for parentheses and negations inside each other.
const MAX_NESTING: usize = 10_000;

/// What waits for its right operand, or for its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waiting {
    Paren,
    Not,
    And,
    Or,
}

impl Reader<'_> {
    /// A label, up to what cannot belong to it.
    pub(super) fn label(&mut self) -> Result<Bdd, Finding> {
        let span = self.span;
        let mut waiting = Vec::new();
        let mut operands = Vec::new();
        loop {
            while let Token::Sign(sign @ ('(' | '!')) = self.token {
                waiting.push(if sign == '(' { Waiting::Paren } else { Waiting::Not });
                if waiting.len() > MAX_NESTING {
                    let message = format!("this label is nested more than {MAX_NESTING} deep");
                    return Err(Box::new(Diagnostic::error("hoa-too-large", message, self.span)));
                }
                self.bump()?;
            }
            operands.push(self.leaf()?);
            self.apply(&mut waiting, &mut operands, Waiting::Not, span)?;
            while self.token == Token::Sign(')') && waiting.contains(&Waiting::Paren) {
                self.apply(&mut waiting, &mut operands, Waiting::Or, span)?;
                waiting.pop();
                self.bump()?;
                self.apply(&mut waiting, &mut operands, Waiting::Not, span)?;
            }
            let operator = match self.token {
                Token::Sign('&') => Waiting::And,
                Token::Sign('|') => Waiting::Or,
                _ => break,
            };
            self.apply(&mut waiting, &mut operands, operator, span)?;
            waiting.push(operator);
            self.bump()?;
        }
        self.apply(&mut waiting, &mut operands, Waiting::Or, span)?;
        match waiting.is_empty() {
            true => Ok(operands.pop().expect("a label has one operand left")),
            false => Err(self.expected("`)`")),
        }
    }

    fn leaf(&mut self) -> Result<Bdd, Finding> {
        let function = match &self.token {
            Token::Word(word) if word == "t" => Bdd::TRUE,
            Token::Word(word) if word == "f" => Bdd::FALSE,
            Token::Number(number) => {
                if *number as usize >= self.props.len() {
                    let message = format!("there is no proposition {number}: `AP:` has {}", self.props.len());
                    return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, self.span)));
                }
                let prop = PropId::from_usize(*number as usize);
                literal(&mut self.kernel, prop, true).map_err(|limit| self.too_complex(limit, self.span))?
            }
            Token::Alias(name) => match self.aliases.get(name) {
                Some(&function) => function,
                None => {
                    let message = format!("the alias `@{name}` is not defined before it is used");
                    return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, self.span)));
                }
            },
            _ => return Err(self.expected("a label")),
        };
        self.bump()?;
        Ok(function)
    }

    /// Applies what waits and binds at least as tightly as `down_to`.
    fn apply(
        &mut self,
        waiting: &mut Vec<Waiting>,
        operands: &mut Vec<Bdd>,
        down_to: Waiting,
        span: Span,
    ) -> Result<(), Finding> {
        loop {
            let operator = match waiting.last() {
                Some(Waiting::Not) => Waiting::Not,
                Some(Waiting::And) if down_to != Waiting::Not => Waiting::And,
                Some(Waiting::Or) if down_to == Waiting::Or => Waiting::Or,
                _ => return Ok(()),
            };
            waiting.pop();
            let right = operands.pop().expect("an operator has its right operand");
            let result = match operator {
                Waiting::Not => self.kernel.not(right),
                _ => {
                    let left = operands.pop().expect("an operator has its left operand");
                    if operator == Waiting::And { self.kernel.and(left, right) } else { self.kernel.or(left, right) }
                }
            };
            operands.push(result.map_err(|limit| self.too_complex(limit, span))?);
        }
    }

    pub(super) fn too_complex(&self, Exhausted: Exhausted, span: Span) -> Finding {
        Box::new(Diagnostic::error("hoa-too-large", "this label is too complex", span))
    }

    /// An acceptance condition: the sets that must be seen infinitely often. Everything else is refused by name.
    pub(super) fn condition(&mut self, declared: u32) -> Result<Marks, Finding> {
        let mut sets = Marks::NONE;
        let mut depth = 0_usize;
        loop {
            while self.token == Token::Sign('(') {
                depth += 1;
                self.bump()?;
            }
            match &self.token {
                Token::Word(word) if word == "t" => self.bump()?,
                Token::Word(word) if word == "Inf" => {
                    self.bump()?;
                    sets = sets.union(self.infinite(declared)?);
                }
                Token::Word(word) if word == "Fin" => {
                    return Err(self.unsupported("`Fin`, as in co-Büchi, Rabin or parity acceptance"));
                }
                Token::Word(word) if word == "f" => return Err(self.unsupported("acceptance that is never met")),
                _ => return Err(self.expected("an acceptance condition")),
            }
            while depth > 0 && self.token == Token::Sign(')') {
                depth -= 1;
                self.bump()?;
            }
            match self.token {
                Token::Sign('&') => self.bump()?,
                Token::Sign('|') => return Err(self.unsupported("`|` in an acceptance condition")),
                _ if depth > 0 => return Err(self.expected("`&` or `)`")),
                _ => return Ok(sets),
            }
        }
    }

    /// `(INT)`
    fn infinite(&mut self, declared: u32) -> Result<Marks, Finding> {
        self.expect_sign('(')?;
        if self.token == Token::Sign('!') {
            return Err(self.unsupported("the complement of an acceptance set"));
        }
        let span = self.span;
        let set = self.expect_number("the number of an acceptance set")?;
        if set >= declared || set >= MAX_SETS {
            let message = format!("there is no acceptance set {set}: `Acceptance:` has {declared}");
            return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, span)));
        }
        self.expect_sign(')')?;
        Ok(Marks::only(set))
    }
}
