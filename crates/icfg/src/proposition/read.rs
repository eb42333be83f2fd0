//! The text of a proposition, as a tree.
//!
//! ```text
//! proposition ::= "@" name | "at_entry" "(" name ")" | "at_exit" "(" name ")" | "on_stack" "(" name ")"
//!               | "!" proposition | term [cmp term]
//! term        ::= product (("+" | "-" | "<<" | ">>") product)*          shifts bind like sums
//! product     ::= unit (("*" | "/") unit)*
//! unit        ::= number | name ("[" term "]")* | "(" term ")"
//! ```

use super::resolve::Problem;

/// A proposition as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tree {
    /// `@name`.
    At(String),
    /// `at_entry(name)`.
    AtEntry(String),
    /// `at_exit(name)`.
    AtExit(String),
    /// `on_stack(name)`.
    OnStack(String),
    /// `!p`.
    Not(Box<Tree>),
    /// A term alone: a boolean, or the name of a place.
    Alone(Term),
    /// Two terms compared.
    Compare(Term, Comparison, Term),
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A number.
    Number(u64),
    /// A name, perhaps with a procedure's name before it, and indices.
    Name(String, Vec<Term>),
    /// Two terms and what is done with them.
    Binary(Operator, Box<Term>, Box<Term>),
}

/// An operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

/// The deepest nesting of brackets.
const DEEPEST: usize = 200;

/// Reads a proposition.
pub fn read(text: &str) -> Result<Tree, Problem> {
    let mut reader = Reader { tokens: tokens(text)?, next: 0, depth: 0 };
    let tree = reader.proposition()?;
    match reader.peek() {
        None => Ok(tree),
        Some(token) => Err(Problem::syntax(format!("`{token}` is not expected in a proposition"))),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, Problem> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
        let length = if first == '{' {
            // A name in braces can hold anything: `{p==q}`.
            rest.find('}').ok_or_else(|| Problem::syntax("`}` is missing".to_owned()))? + 1
        } else if is_word(first) {
            word_length(rest, is_word)
        } else if ["==", "!=", "<=", ">=", "<<", ">>", "&&", "||"].iter().any(|sign| rest.starts_with(sign)) {
            2
        } else if "@()[]!<>=+-*/".contains(first) {
            1
        } else {
            return Err(Problem::syntax(format!("`{first}` has no meaning in a proposition")));
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// The length of the word that `text` starts with; after a dot it may go on with a name in braces.
fn word_length(text: &str, is_word: impl Fn(char) -> bool) -> usize {
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let rest = &text[length..];
    match rest.find('}') {
        Some(end) if text[..length].ends_with('.') && rest.starts_with('{') => length + end + 1,
        _ => length,
    }
}

struct Reader {
    tokens: Vec<String>,
    next: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.next).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.peek() == Some(token);
        self.next += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, token: &str) -> Result<(), Problem> {
        if self.take(token) { Ok(()) } else { Err(Problem::syntax(format!("`{token}` is missing"))) }
    }

    fn name(&mut self) -> Result<String, Problem> {
        match self.peek() {
            Some(token) if token.chars().next().is_some_and(|c| c.is_alphanumeric() || "_{$".contains(c)) => {
                let name = token.to_owned();
                self.next += 1;
                Ok(name)
            }
            _ => Err(Problem::syntax("a name is missing".to_owned())),
        }
    }

    fn proposition(&mut self) -> Result<Tree, Problem> {
        let mut is_negated = false;
        while self.take("!") {
            is_negated = !is_negated;
        }
        let has_bracket = self.tokens.get(self.next + 1).is_some_and(|token| token == "(");
        let tree = if self.take("@") {
            Tree::At(self.name()?)
        } else if has_bracket && self.take("at_entry") {
            Tree::AtEntry(self.in_brackets()?)
        } else if has_bracket && self.take("at_exit") {
            Tree::AtExit(self.in_brackets()?)
        } else if has_bracket && self.take("on_stack") {
            Tree::OnStack(self.in_brackets()?)
        } else {
            self.comparison()?
        };
        Ok(if is_negated { Tree::Not(Box::new(tree)) } else { tree })
    }

    fn in_brackets(&mut self) -> Result<String, Problem> {
        self.expect("(")?;
        let name = self.name()?;
        self.expect(")")?;
        Ok(name)
    }

    fn comparison(&mut self) -> Result<Tree, Problem> {
        let left = self.term()?;
        let comparison = match self.peek() {
            Some("==" | "=") => Comparison::Equal,
            Some("!=") => Comparison::Unequal,
            Some("<") => Comparison::Less,
            Some("<=") => Comparison::LessOrEqual,
            Some(">") => Comparison::Greater,
            Some(">=") => Comparison::GreaterOrEqual,
            _ => return Ok(Tree::Alone(left)),
        };
        self.next += 1;
        Ok(Tree::Compare(left, comparison, self.term()?))
    }

    fn term(&mut self) -> Result<Term, Problem> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some("+") => Operator::Add,
                Some("-") => Operator::Subtract,
                Some("<<") => Operator::ShiftLeft,
                Some(">>") => Operator::ShiftRight,
                _ => return Ok(left),
            };
            self.next += 1;
            left = Term::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Term, Problem> {
        let mut left = self.unit()?;
        loop {
            let operator = match self.peek() {
                Some("*") => Operator::Multiply,
                Some("/") => Operator::Divide,
                _ => return Ok(left),
            };
            self.next += 1;
            left = Term::Binary(operator, Box::new(left), Box::new(self.unit()?));
        }
    }

    fn unit(&mut self) -> Result<Term, Problem> {
        if self.depth == DEEPEST {
            return Err(Problem::syntax("brackets are nested too deeply".to_owned()));
        }
        self.depth += 1;
        let unit = self.bracket_or_name();
        self.depth -= 1;
        unit
    }

    fn bracket_or_name(&mut self) -> Result<Term, Problem> {
        if self.take("(") {
            let term = self.term()?;
            self.expect(")")?;
            return Ok(term);
        }
        let name = self.name()?;
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let number = name.parse().map_err(|_| Problem::syntax(format!("`{name}` is too large a number")))?;
            return Ok(Term::Number(number));
        }
        let mut indices = Vec::new();
        while self.take("[") {
            indices.push(self.term()?);
            self.expect("]")?;
        }
        Ok(Term::Name(name, indices))
    }
}
