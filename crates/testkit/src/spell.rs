//! Expressions as text, each time in another of the spellings that mean the same.
//!
//! Precedence as in Moped's grammar, low to high: `=>`, `|`, `^`, `&`, `=` and `!=`, `!`; all associate to the left.
//! The dialects do not agree on where `<=>` and `?:` stand, so these are in parentheses wherever it matters.
//!
//! **Invariant:** a redundant pair of parentheses may come or go, a needed one never goes.

use crate::model::{Expr, Operator, ScopeEntry};
use crate::random::Random;

/// The source of spelling choices.
pub(crate) struct Spelling {
    /// None for the plain spelling, which is always the first choice.
    random: Option<Random>,
}

impl Spelling {
    /// Zero is the plain spelling, so that a shrunk program is easy to read.
    pub(crate) fn new(seed: u64) -> Self {
        Spelling { random: (seed != 0).then(|| Random::new(seed)) }
    }

    pub(crate) fn pick<'s>(&mut self, choices: &[&'s str]) -> &'s str {
        choices[self.random.as_mut().map_or(0, |random| random.below(choices.len()))]
    }

    /// True in `percent` of a hundred, never in the plain spelling.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.random.as_mut().is_some_and(|random| random.chance(percent))
    }

    /// `expr` where a comma or a keyword ends it.
    pub(crate) fn expression(&mut self, scope: &[ScopeEntry], expr: &Expr) -> String {
        self.operand(scope, expr, Level::Lowest)
    }

    /// `exprs` between commas.
    pub(crate) fn expressions(&mut self, scope: &[ScopeEntry], exprs: &[Expr]) -> String {
        let exprs: Vec<String> = exprs.iter().map(|expr| self.expression(scope, expr)).collect();
        exprs.join(self.pick(&[", ", ",", " , "]))
    }

    /// A condition in parentheses; as a whole one, `?` is `*`.
    pub(crate) fn decider(&mut self, scope: &[ScopeEntry], expr: &Expr) -> String {
        match expr {
            Expr::Star => self.pick(&["(*)", "(*)", "(?)", "( * )"]).to_string(),
            _ => format!("({})", self.expression(scope, expr)),
        }
    }

    /// A condition after a keyword, with the blanks it needs, perhaps without parentheses.
    pub(crate) fn bare_decider(&mut self, scope: &[ScopeEntry], expr: &Expr) -> String {
        if !self.chance(30) {
            let blank = self.pick(&[" ", ""]);
            return format!("{blank}{}{blank}", self.decider(scope, expr));
        }
        match expr {
            Expr::Star => self.pick(&[" * ", " ? "]).to_string(),
            _ => format!(" {} ", self.expression(scope, expr)),
        }
    }

    /// `expr` where nothing looser than `least` may stand without parentheses.
    fn operand(&mut self, scope: &[ScopeEntry], expr: &Expr, least: Level) -> String {
        let level = level(expr);
        let text = self.unparenthesized(scope, expr);
        let is_redundant = level != Level::Primary && self.chance(25);
        if level < least || is_redundant { format!("({text})") } else { text }
    }

    fn unparenthesized(&mut self, scope: &[ScopeEntry], expr: &Expr) -> String {
        match expr {
            Expr::Constant(true) => self.pick(&["T", "T", "1", "true"]).to_string(),
            Expr::Constant(false) => self.pick(&["F", "F", "0", "false"]).to_string(),
            Expr::Read(variable) => scope[variable.0].name.clone(),
            Expr::Primed(variable) => format!("'{}", scope[variable.0].name),
            Expr::Star => "*".to_string(),
            // Only a primary: Moped's grammar does not nest negations.
            Expr::Not(inner) => {
                let sign = self.pick(&["!", "!", "~", "! "]);
                format!("{sign}{}", self.operand(scope, inner, Level::Primary))
            }
            Expr::Binary(operator, operands) => {
                let sign = self.pick(signs(*operator));
                let [left, right] = operand_levels(*operator);
                let left = self.operand(scope, &operands[0], left);
                let right = self.operand(scope, &operands[1], right);
                let blank = self.pick(&[" ", " ", ""]);
                format!("{left}{blank}{sign}{blank}{right}")
            }
            Expr::Ternary(operands) => {
                let [condition, then, otherwise] =
                    [0, 1, 2].map(|place| self.operand(scope, &operands[place], Level::Not));
                format!("{condition} ? {then} : {otherwise}")
            }
            Expr::Schoose(operands) => {
                let [positive, negative] = [0, 1].map(|place| self.expression(scope, &operands[place]));
                let comma = self.pick(&[", ", ","]);
                format!("schoose[{positive}{comma}{negative}]")
            }
        }
    }
}

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// `<=>` and `?:`, and any place that takes all.
    Lowest,
    Implies,
    Or,
    Xor,
    And,
    Equal,
    Not,
    Primary,
}

fn level(expr: &Expr) -> Level {
    match expr {
        Expr::Constant(_) | Expr::Read(_) | Expr::Primed(_) | Expr::Star | Expr::Schoose(_) => Level::Primary,
        Expr::Not(_) => Level::Not,
        Expr::Ternary(_) => Level::Lowest,
        Expr::Binary(operator, _) => match operator {
            Operator::Iff => Level::Lowest,
            Operator::Implies => Level::Implies,
            Operator::Or => Level::Or,
            Operator::Xor => Level::Xor,
            Operator::And => Level::And,
            Operator::Equal | Operator::Unequal => Level::Equal,
        },
    }
}

/// The loosest expressions that can stand left and right of an operator without parentheses.
fn operand_levels(operator: Operator) -> [Level; 2] {
    match operator {
        Operator::Iff => [Level::Not, Level::Not],
        Operator::Implies => [Level::Implies, Level::Or],
        Operator::Or => [Level::Or, Level::Xor],
        Operator::Xor => [Level::Xor, Level::And],
        Operator::And => [Level::And, Level::Equal],
        Operator::Equal | Operator::Unequal => [Level::Equal, Level::Not],
    }
}

fn signs(operator: Operator) -> &'static [&'static str] {
    match operator {
        Operator::And => &["&", "&&"],
        Operator::Or => &["|", "||"],
        Operator::Xor => &["^"],
        Operator::Equal => &["=", "=="],
        Operator::Unequal => &["!=", "<>"],
        Operator::Implies => &["=>"],
        Operator::Iff => &["<=>"],
    }
}
