//! What can stand where an operand is wanted: prefix operators, parentheses, constants and propositions.
//!
//! Words of the letters `G`, `F` and `X` alone are operators, `GF` is two. An operator may be glued to a proposition of
//! one small letter and digits: `GFp0` is `G F p0`, as papers have it. Any other word is a name: `Flag`, `X1`. What
//! would be read as something else can be quoted.
//!
//! A proposition without quotes is the longest run of names, numbers, indexes, arithmetic and comparisons.

use hardbop_base::Diagnostic;
use hardbop_base::diagnostic::nearest;

use super::{Finding, INFIX_WORDS, Parser};
use crate::formula::Unary;

/// What was found where an operand was wanted.
pub(super) enum Operand<'t> {
    Open,
    Prefix(Vec<Unary>),
    Constant(bool),
    /// A proposition's text.
    Prop(&'t str),
}

/// The operators inside a proposition, longest first.
const TERM_SIGNS: [&str; 13] = ["<<", ">>", "<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/"];
/// What begins like one of those and is something else.
const NO_TERM_SIGNS: [&str; 5] = ["<->", "<=>", "->", "=>", "<>"];

/// The name at the start of `text`, with the dots inside it; empty if there is none.
pub(super) fn word(text: &str) -> &str {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    if !text.starts_with(is_inside) {
        return "";
    }
    let mut end = 0;
    loop {
        end += text[end..].find(|c| !is_inside(c)).unwrap_or(text.len() - end);
        match text[end..].strip_prefix('.') {
            Some(after) if after.starts_with(is_inside) => end += 1,
            _ => return &text[..end],
        }
    }
}

/// Whether a proposition with this text can be written without quotes.
pub(in crate::formula) fn is_bare(text: &str) -> bool {
    let mut parser = Parser::new(text, 0);
    match parser.next_operand() {
        Ok(Operand::Prop(read)) => read == text && !text.starts_with('"'),
        _ => false,
    }
}

impl<'t> Parser<'t> {
    pub(super) fn next_operand(&mut self) -> Result<Operand<'t>, Finding> {
        for (sign, operator) in [("!", Unary::Not), ("~", Unary::Not), ("[]", Unary::Always), ("<>", Unary::Eventually)]
        {
            if self.eat(sign) {
                return Ok(Operand::Prefix(vec![operator]));
            }
        }
        if self.eat("(") {
            return Ok(Operand::Open);
        }
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        if let Some(prefix) = self.prefix_word() {
            return Ok(Operand::Prefix(prefix));
        }
        self.bare()
    }

    /// `G`, `GF`, `not`, or the `GF` of `GFp0`.
    fn prefix_word(&mut self) -> Option<Vec<Unary>> {
        let found = word(self.rest());
        if found == "not" {
            self.at += found.len();
            return Some(vec![Unary::Not]);
        }
        let letters = found.trim_start_matches(['G', 'F', 'X']);
        let is_short = |name: &str| {
            name.strip_prefix(|c: char| c.is_ascii_lowercase())
                .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // The dot in `GFp0.x` makes it a name.
        if letters.len() == found.len() || !(letters.is_empty() || is_short(letters)) {
            return None;
        }
        let prefix = &found[..found.len() - letters.len()];
        self.at += prefix.len();
        let operator = |byte| match byte {
            b'G' => Unary::Always,
            b'F' => Unary::Eventually,
            _ => Unary::Next,
        };
        Some(prefix.bytes().map(operator).collect())
    }

    fn quoted(&mut self) -> Result<Operand<'t>, Finding> {
        let start = self.at;
        let inside = &self.rest()[1..];
        let Some(len) = inside.find('"') else {
            self.at += 1;
            let finding = Diagnostic::error("ltl-syntax", "this quoted proposition has no end", self.span_from(start));
            return Err(Box::new(finding.help("add `\"`")));
        };
        self.at += len + 2;
        match inside[..len].trim() {
            "" => {
                let message = "there is no proposition between these quotes";
                Err(Box::new(Diagnostic::error("ltl-syntax", message, self.span_from(start))))
            }
            text => Ok(Operand::Prop(text)),
        }
    }

    /// The longest run of terms and operators between them.
    fn bare(&mut self) -> Result<Operand<'t>, Finding> {
        let start = self.at;
        self.term("an operand")?;
        let first_end = self.at;
        let mut end = self.at;
        loop {
            self.skip_blanks();
            if NO_TERM_SIGNS.iter().any(|sign| self.rest().starts_with(sign)) {
                break;
            }
            let Some(sign) = TERM_SIGNS.iter().find(|sign| self.rest().starts_with(**sign)) else { break };
            self.at += sign.len();
            self.skip_blanks();
            self.term("a term")?;
            end = self.at;
        }
        self.at = end;
        let text = &self.text[start..end];
        match text {
            "true" | "1" => Ok(Operand::Constant(true)),
            "false" | "0" => Ok(Operand::Constant(false)),
            _ if end == first_end && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let message = format!("the number `{text}` is no proposition");
                let finding = Diagnostic::error("ltl-syntax", message, self.span_from(start));
                Err(Box::new(finding.help("compare it with something, or write `true` or `false`")))
            }
            _ => Ok(Operand::Prop(text)),
        }
    }

    /// A name with its indexes, a number, a place, or one of them under a minus.
    fn term(&mut self, wanted: &str) -> Result<(), Finding> {
        while self.eat("-") {
            self.skip_blanks();
        }
        let start = self.at;
        if self.rest().starts_with('{') {
            return self.bracketed('}', start);
        }
        let is_place = self.eat("@");
        let name = word(self.rest());
        if name.is_empty() || (!is_place && self.is_operator(name)) {
            return Err(self.no_operand(start, wanted));
        }
        self.at += name.len();
        if matches!(name, "at_entry" | "at_exit" | "on_stack") && self.rest().trim_start().starts_with('(') {
            self.skip_blanks();
            return self.bracketed(')', start);
        }
        while self.rest().starts_with('[') && !self.rest().starts_with("[]") {
            self.bracketed(']', start)?;
        }
        Ok(())
    }

    fn is_operator(&self, name: &str) -> bool {
        INFIX_WORDS.iter().any(|(word, _)| *word == name)
    }

    /// From an opening bracket to the one that closes it.
    fn bracketed(&mut self, close: char, start: usize) -> Result<(), Finding> {
        let open = self.rest().chars().next().expect("the caller has seen the bracket");
        let mut depth = 0_usize;
        for (place, character) in self.rest().char_indices() {
            depth += usize::from(character == open);
            depth -= usize::from(character == close);
            if depth == 0 {
                self.at += place + 1;
                return Ok(());
            }
        }
        self.at += 1;
        let finding = Diagnostic::error("ltl-syntax", format!("this `{open}` is never closed"), self.span_from(start));
        Err(Box::new(finding.help(format!("add `{close}`"))))
    }

    fn no_operand(&mut self, start: usize, wanted: &str) -> Finding {
        self.at = start;
        if self.rest().is_empty() {
            let message = format!("the formula ends where {wanted} is wanted");
            return Box::new(Diagnostic::error("ltl-syntax", message, self.span_from(start)));
        }
        let found = word(self.rest());
        let sign = super::INFIX_SIGNS.iter().map(|(sign, _)| *sign).find(|sign| self.rest().starts_with(sign));
        let len = match sign {
            Some(sign) => sign.len(),
            None => found.len().max(self.rest().chars().next().map_or(0, char::len_utf8)),
        };
        self.at += len;
        let found = &self.text[start..self.at];
        let message = format!("expected {wanted}, found `{}`", super::shown(found));
        let finding = Diagnostic::error("ltl-syntax", message, self.span_from(start));
        Box::new(match found {
            _ if wanted == "a term" => finding,
            _ if self.is_operator(found) || sign.is_some() => finding.help("this operator has nothing on its left"),
            "@" => finding.help("a place is `@label` or `@procedure`"),
            "'" => finding.help("quote with `\"`"),
            _ => match nearest(found, ["true", "false", "not", "at_entry", "at_exit", "on_stack"])
                .filter(|_| found.len() > 2)
            {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help("a proposition can be quoted: `\"x == 1\"`"),
            },
        })
    }
}
