//! Reading a formula: operator precedence with a stack of its own, so that no nesting is too deep for ours.
//!
//! The text is read by turns, an operand and then an operator: `<` is the beginning of `<>` before an operand and of a
//! comparison after one. `docs/src/ltl.md` has the grammar.

mod operand;

use hardbop_base::diagnostic::nearest;
use hardbop_base::{Diagnostic, IndexVec, Span};

use super::{Binary, Chain, Formula, FormulaId, Node, Unary};
use operand::Operand;

pub(super) use operand::is_bare;

/// The limit for operators inside each other, where a chain of `&&` or of `||` counts as one.
pub const MAX_NESTING: u32 = 1_000;

/// The formula that `text` is, which starts at `base_offset` of the source map.
pub fn parse(text: &str, base_offset: u32) -> Result<Formula, Vec<Diagnostic>> {
    let fits = u32::try_from(text.len()).is_ok_and(|len| base_offset.checked_add(len).is_some());
    if !fits {
        return Err(vec![Diagnostic::error("file-too-large", "the source texts together are larger than 4 GiB", None)]);
    }
    let mut parser = Parser::new(text, base_offset);
    match parser.formula() {
        Ok(root) => {
            parser.formula.root = root;
            Ok(parser.formula)
        }
        Err(finding) => Err(vec![*finding]),
    }
}

/// Errors are rare and large.
type Finding = Box<Diagnostic>;

/// What waits for its right operand, or for its end.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Paren(Span),
    Unary(Unary),
    Infix(Infix),
}

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Infix {
    Chain(Chain),
    Binary(Binary),
}

impl Infix {
    /// How tightly it binds.
    fn precedence(self) -> u8 {
        match self {
            Self::Binary(Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease) => 5,
            Self::Chain(Chain::And) => 4,
            Self::Chain(Chain::Or) => 3,
            Self::Binary(Binary::Xor) => 2,
            Self::Binary(Binary::Implies) => 1,
            Self::Binary(Binary::Iff) => 0,
        }
    }
}

/// The operators between operands that are words. `WU` is how Ultimate writes `W`, `V` how Spin writes `R`.
const INFIX_WORDS: [(&str, Infix); 9] = [
    ("U", Infix::Binary(Binary::Until)),
    ("W", Infix::Binary(Binary::WeakUntil)),
    ("WU", Infix::Binary(Binary::WeakUntil)),
    ("R", Infix::Binary(Binary::Release)),
    ("V", Infix::Binary(Binary::Release)),
    ("M", Infix::Binary(Binary::StrongRelease)),
    ("and", Infix::Chain(Chain::And)),
    ("or", Infix::Chain(Chain::Or)),
    ("xor", Infix::Binary(Binary::Xor)),
];

/// The operators between operands that are signs, longest first.
const INFIX_SIGNS: [(&str, Infix); 9] = [
    ("<->", Infix::Binary(Binary::Iff)),
    ("<=>", Infix::Binary(Binary::Iff)),
    ("&&", Infix::Chain(Chain::And)),
    ("||", Infix::Chain(Chain::Or)),
    ("->", Infix::Binary(Binary::Implies)),
    ("=>", Infix::Binary(Binary::Implies)),
    ("&", Infix::Chain(Chain::And)),
    ("|", Infix::Chain(Chain::Or)),
    ("^", Infix::Binary(Binary::Xor)),
];

/// The text, with what cannot be seen made visible.
fn shown(text: &str) -> String {
    let show = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(show).collect()
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    base: u32,
    formula: Formula,
    heights: IndexVec<FormulaId, u32>,
    waiting: Vec<Waiting>,
    operands: Vec<FormulaId>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, base: u32) -> Self {
        let (formula, heights) = (Formula::empty(), IndexVec::new());
        Self { text, at: 0, base, formula, heights, waiting: Vec::new(), operands: Vec::new() }
    }

    fn formula(&mut self) -> Result<FormulaId, Finding> {
        loop {
            self.operand()?;
            if !self.operator()? {
                break;
            }
        }
        self.reduce(0)?;
        if let Some(Waiting::Paren(open)) = self.waiting.last() {
            let end = Span::new(self.base + self.text.len() as u32, self.base + self.text.len() as u32);
            let finding =
                Diagnostic::error("ltl-syntax", "this `(` is never closed", *open).related("the formula ends", end);
            return Err(Box::new(finding.help("add `)`")));
        }
        Ok(self.operands.pop().expect("a formula without open operators has one operand left"))
    }

    /// Reads prefix operators, opening parentheses and then one operand.
    fn operand(&mut self) -> Result<(), Finding> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let id = match self.next_operand()? {
                Operand::Open => {
                    self.waiting.push(Waiting::Paren(self.span_from(start)));
                    continue;
                }
                Operand::Prefix(operators) => {
                    self.waiting.extend(operators.into_iter().map(Waiting::Unary));
                    continue;
                }
                Operand::Constant(value) => self.add(Node::Constant(value))?,
                Operand::Prop(text) => {
                    let span = self.span_from(start);
                    let prop = self.formula.add_prop(text, Some(span));
                    self.add(Node::Prop(prop))?
                }
            };
            self.operands.push(id);
            return Ok(());
        }
    }

    /// Reads closing parentheses and then one operator; false at the end of the text.
    fn operator(&mut self) -> Result<bool, Finding> {
        loop {
            self.skip_blanks();
            let start = self.at;
            if start == self.text.len() {
                return Ok(false);
            }
            if self.eat(")") {
                self.reduce(0)?;
                let Some(Waiting::Paren(_)) = self.waiting.pop() else {
                    let finding = Diagnostic::error("ltl-syntax", "this `)` was never opened", self.span_from(start));
                    return Err(Box::new(finding));
                };
                continue;
            }
            let infix = self.infix(start)?;
            // Right operands first for all of them: a chain is then reduced as one.
            self.reduce(infix.precedence() + 1)?;
            self.waiting.push(Waiting::Infix(infix));
            return Ok(true);
        }
    }

    fn infix(&mut self, start: usize) -> Result<Infix, Finding> {
        if let Some(&(sign, infix)) = INFIX_SIGNS.iter().find(|(sign, _)| self.rest().starts_with(sign)) {
            self.at += sign.len();
            return Ok(infix);
        }
        let word = operand::word(self.rest());
        if let Some((_, infix)) = INFIX_WORDS.iter().find(|(name, _)| *name == word) {
            self.at += word.len();
            return Ok(*infix);
        }
        self.at += word.len().max(self.rest().chars().next().map_or(0, char::len_utf8));
        let found = &self.text[start..self.at];
        let message = format!("expected an operator or the end, found `{}`", shown(found));
        let finding = Diagnostic::error("ltl-syntax", message, self.span_from(start));
        let words = INFIX_WORDS.iter().map(|(name, _)| *name);
        Err(Box::new(match (found, nearest(found, words).filter(|_| found.len() > 1)) {
            ("u" | "w" | "r" | "m", _) => finding.help(format!("write `{}`", found.to_uppercase())),
            ("(", _) => finding.help("only `at_entry`, `at_exit` and `on_stack` take what is in parentheses"),
            ("<", _) if self.rest().starts_with('>') => finding.help("unequal is `!=`"),
            (_, Some(near)) => finding.help(format!("did you mean `{near}`?")),
            _ => finding.help("operators are `&&`, `||`, `xor`, `->`, `<->`, `U`, `W`, `R` and `M`"),
        }))
    }

    /// Applies what waits and binds at least as tightly as `precedence`, up to the last open parenthesis.
    fn reduce(&mut self, precedence: u8) -> Result<(), Finding> {
        loop {
            let id = match self.waiting.last() {
                Some(&Waiting::Unary(operator)) => {
                    self.waiting.pop();
                    let inner = self.pop_operand();
                    self.add(Node::Unary(operator, inner))?
                }
                Some(&Waiting::Infix(Infix::Binary(operator)))
                    if Infix::Binary(operator).precedence() >= precedence =>
                {
                    self.waiting.pop();
                    let (right, left) = (self.pop_operand(), self.pop_operand());
                    self.add(Node::Binary(operator, left, right))?
                }
                Some(&Waiting::Infix(Infix::Chain(chain))) if Infix::Chain(chain).precedence() >= precedence => {
                    self.chain(chain)?
                }
                _ => return Ok(()),
            };
            self.operands.push(id);
        }
    }

    fn chain(&mut self, chain: Chain) -> Result<FormulaId, Finding> {
        let same = |waiting: &Waiting| matches!(waiting, Waiting::Infix(Infix::Chain(other)) if *other == chain);
        let links = self.waiting.iter().rev().take_while(|waiting| same(waiting)).count();
        self.waiting.truncate(self.waiting.len() - links);
        let parts = self.operands.split_off(self.operands.len() - links - 1);
        let id = self.formula.add_chain(&parts, chain);
        self.measure(id)
    }

    fn pop_operand(&mut self) -> FormulaId {
        self.operands.pop().expect("every operator that waits has read its operands")
    }

    fn add(&mut self, node: Node) -> Result<FormulaId, Finding> {
        let id = self.formula.add(node);
        self.measure(id)
    }

    /// Refuses the node if it is too high.
    fn measure(&mut self, id: FormulaId) -> Result<FormulaId, Finding> {
        if self.heights.get(id).is_some() {
            return Ok(id);
        }
        let height = |part: &FormulaId| self.heights[*part];
        let below = match self.formula.node(id) {
            Node::Constant(_) | Node::Prop(_) => 0,
            Node::Unary(_, inner) => height(inner),
            Node::Binary(_, left, right) => height(left).max(height(right)),
            Node::And(parts) | Node::Or(parts) => parts.iter().map(height).max().unwrap_or(0),
        };
        self.heights.push(below + 1);
        if below >= MAX_NESTING {
            let message = format!("operators are nested more than {MAX_NESTING} deep");
            let span = Span::new(self.base, self.base + self.text.len() as u32);
            return Err(Box::new(Diagnostic::error("ltl-too-deep", message, span)));
        }
        Ok(id)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_here = self.rest().starts_with(sign);
        self.at += if is_here { sign.len() } else { 0 };
        is_here
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }
}
