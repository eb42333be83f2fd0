//! A symbolic system as text, one rule per line.
//!
//! Conditions are in parentheses wherever the precedence of connectives matters. Arithmetic is not: `*` and `/` bind
//! tighter than `+` and `-`, all associate to the left, and only shifts are always in parentheses among others.

use crate::pds::{
    Access, Arithmetic, Comparison, Condition, Connective, Kind, Proposition, Quantifier, Range, Rule, Scope, StateId,
    SymbolId, System, Term, Time, Variable,
};
use crate::spell::Spelling;

impl System {
    /// The text of the system.
    pub fn render(&self) -> String {
        let mut renderer = Renderer::new(self);
        renderer.declarations();
        renderer.initial();
        for rule in &self.rules {
            renderer.rule(rule);
        }
        renderer.text
    }

    /// The name of a control state.
    pub fn state_name(&self, state: StateId) -> String {
        ["p", "q", "r", "s"].get(state.0).map_or(format!("p{}", state.0), ToString::to_string)
    }

    /// The name of a stack symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> String {
        if symbol.0 == 0 { "main".to_string() } else { format!("m{}", symbol.0) }
    }
}

impl Proposition {
    /// Its text in a formula.
    pub fn render(&self, system: &System) -> String {
        let element = |variable: usize, index: Option<usize>| {
            let index = index.map_or(String::new(), |index| format!("[{index}]"));
            format!("{}{index}", system.globals[variable].name)
        };
        match self {
            Proposition::Top(symbol) => system.symbol_name(*symbol),
            Proposition::Is(variable, index) => element(variable.0, *index),
            Proposition::Compare(variable, index, comparison, number) => {
                let sign = if *comparison == Comparison::Equal { "==" } else { comparison_sign(*comparison) };
                format!("{} {sign} {number}", element(variable.0, *index))
            }
        }
    }
}

struct Renderer<'s> {
    system: &'s System,
    spelling: Spelling,
    /// Whether numbers have names.
    has_constants: bool,
    text: String,
}

/// The numbers that can have names.
const NAMED: u64 = 4;

/// Whose locals `x`, `x'` and `x''` are.
#[derive(Clone, Copy)]
struct Context<'s> {
    symbol: SymbolId,
    push: &'s [SymbolId],
    /// Quantifiers around what is written.
    levels: usize,
}

impl<'s> Renderer<'s> {
    fn new(system: &'s System) -> Self {
        let mut spelling = Spelling::new(system.spelling);
        let has_constants = spelling.chance(15);
        Renderer { system, spelling, has_constants, text: String::new() }
    }

    fn write(&mut self, text: &str) {
        let comment = self.spelling.pick(&["", "", "", "", "", "  # note", " #(q <a> --> q <b>)"]);
        self.text.push_str(&format!("{text}{comment}\n"));
        if self.spelling.chance(5) {
            self.text.push_str("\n# note\n");
        }
    }

    fn declarations(&mut self) {
        if self.has_constants {
            for number in 0..NAMED {
                self.write(&format!("define N{number} {number}"));
            }
        }
        let System { globals, blocks, .. } = self.system;
        if !globals.is_empty() {
            let blank = self.spelling.pick(&[" ", "\n"]);
            let variables = self.variables(globals);
            self.write(&format!("global{blank}{variables}"));
        }
        for (place, block) in blocks.iter().enumerate() {
            let symbols: Vec<String> = block.symbols.iter().map(|symbol| self.system.symbol_name(*symbol)).collect();
            let symbols = symbols.join(self.spelling.pick(&[", ", ","]));
            let name = if self.spelling.chance(50) { format!("f{place} ") } else { String::new() };
            let variables = self.variables(&block.variables);
            self.write(&format!("local {name}({symbols})\n{variables}"));
        }
    }

    /// Declarations, those of one type together where they follow each other, if it comes to that.
    fn variables(&mut self, variables: &[Variable]) -> String {
        let is_bool = |variable: &Variable| variable.kind == Kind::Bool;
        let mut declarations: Vec<String> = Vec::new();
        for (place, variable) in variables.iter().enumerate() {
            let range = match variable.range {
                None => String::new(),
                Some((0, high)) if !self.spelling.chance(40) => format!("[{}]", high + 1),
                Some((low, high)) => format!("[{low},{high}]"),
            };
            let (keyword, bits) = match variable.kind {
                Kind::Bool => ("bool", String::new()),
                Kind::Int(bits) => ("int", format!("({bits})")),
            };
            let declared = format!("{}{range}{bits}", variable.name);
            let is_more = place > 0 && is_bool(&variables[place - 1]) == is_bool(variable) && self.spelling.chance(60);
            match declarations.last_mut().filter(|_| is_more) {
                Some(last) => last.push_str(&format!(", {declared}")),
                None => declarations.push(format!("{keyword} {declared}")),
            }
        }
        let blank = self.spelling.pick(&[" ", "\n"]);
        declarations.iter().map(|declaration| format!("{declaration};")).collect::<Vec<_>>().join(blank)
    }

    fn initial(&mut self) {
        let initial = &self.system.initial;
        let context = Context { symbol: initial.symbol, push: &[], levels: 0 };
        let [globals, locals] = [&initial.globals, &initial.locals].map(|condition| {
            condition.as_ref().map_or(String::new(), |condition| format!(" ({})", self.condition(condition, context)))
        });
        let [state, symbol] = [self.system.state_name(initial.state), self.system.symbol_name(initial.symbol)];
        self.write(&format!("({state}{globals} <{symbol}{locals}>)"));
    }

    fn rule(&mut self, rule: &'s Rule) {
        let context = Context { symbol: rule.symbol, push: &rule.push, levels: 0 };
        let [state, next] = [rule.state, rule.next].map(|state| self.system.state_name(state));
        let symbol = self.system.symbol_name(rule.symbol);
        let push: Vec<String> = rule.push.iter().map(|symbol| self.system.symbol_name(*symbol)).collect();
        let label = self.spelling.pick(&["", " \"\"", " \"step\"", " \"a := (b <c>)\""]);
        let condition = rule.condition.as_ref();
        let condition = condition.map_or(String::new(), |one| format!(" ({})", self.condition(one, context)));
        let blank = self.spelling.pick(&[" ", ""]);
        self.write(&format!("{state}{blank}<{symbol}> --> {next}{blank}<{}>{label}{condition}", push.join(" ")));
    }

    fn condition(&mut self, condition: &Condition, context: Context) -> String {
        match condition {
            Condition::Is(access) => self.access(access, context),
            Condition::Compare(comparison, terms) => {
                let [left, right] = [0, 1].map(|place| self.term(&terms[place], context));
                let blank = self.spelling.pick(&["", " "]);
                let sign = match comparison {
                    Comparison::Equal => self.spelling.pick(&["=", "=", "=", "=="]),
                    _ => comparison_sign(*comparison),
                };
                format!("{left}{blank}{sign}{blank}{right}")
            }
            Condition::Not(operand) => {
                let sign = self.spelling.pick(&["!", "!", "~"]);
                format!("{sign}{}", self.operand(operand, context))
            }
            Condition::Join(connective, operands) => {
                let [left, right] = &**operands;
                let is_same = |side: &Condition| matches!(side, Condition::Join(other, _) if other == connective);
                let is_chain = matches!(connective, Connective::And | Connective::Or);
                let left =
                    if is_chain && is_same(left) { self.condition(left, context) } else { self.operand(left, context) };
                // Variables that are booleans can be compared like numbers, unless an index may be out of range.
                let is_variable = |side: &Condition| matches!(side, Condition::Is(Access { index: None, .. }));
                let is_comparison = operands.iter().all(is_variable) && self.spelling.chance(40);
                let right = self.operand(right, context);
                let sign = match connective {
                    Connective::Iff if is_comparison => "=",
                    Connective::Xor if is_comparison => "!=",
                    _ => self.spelling.pick(connective_signs(*connective)),
                };
                format!("{left} {sign} {right}")
            }
            Condition::Quantified(quantifier, Range { low, high }, body) => {
                let quantifier = match quantifier {
                    Quantifier::All => "A",
                    Quantifier::Exists => "E",
                };
                let [low, high] = [low, high].map(|number| self.number(*number));
                let inner = Context { levels: context.levels + 1, ..context };
                let body = self.operand(body, inner);
                format!("{quantifier} {} ({low},{high}) {body}", bound_name(context.levels))
            }
        }
    }

    /// A condition where something stands beside it.
    fn operand(&mut self, condition: &Condition, context: Context) -> String {
        let text = self.condition(condition, context);
        let is_tight = match condition {
            Condition::Is(_) => true,
            Condition::Compare(..) => context.levels == 0 && self.spelling.chance(50),
            _ => false,
        };
        if is_tight { text } else { format!("({text})") }
    }

    fn term(&mut self, term: &Term, context: Context) -> String {
        match term {
            Term::Number(number) => self.number(*number),
            Term::Read(access) => self.access(access, context),
            Term::Bound(level) => bound_name(*level).to_string(),
            Term::Join(operator, operands) => {
                let [left, right] = [0, 1].map(|place| {
                    let text = self.term(&operands[place], context);
                    let is_loose =
                        matches!(&operands[place], Term::Join(inner, _) if needs_parentheses(*operator, *inner, place));
                    if is_loose || self.spelling.chance(5) { format!("({text})") } else { text }
                });
                let blank = self.spelling.pick(&["", " "]);
                format!("{left}{blank}{}{blank}{right}", arithmetic_sign(*operator))
            }
        }
    }

    fn number(&mut self, number: u64) -> String {
        let is_named = self.has_constants && number < NAMED && self.spelling.chance(60);
        if is_named { format!("N{number}") } else { number.to_string() }
    }

    fn access(&mut self, access: &Access, context: Context) -> String {
        let variables = match (access.scope, access.time) {
            (Scope::Global, _) => &self.system.globals,
            (Scope::Local, Time::Now) => self.system.locals(context.symbol),
            (Scope::Local, Time::Next) => self.system.locals(context.push[0]),
            (Scope::Local, Time::Saved) => self.system.locals(context.push[1]),
        };
        let primes = match access.time {
            Time::Now => "",
            Time::Next => "'",
            Time::Saved => "''",
        };
        let name = &variables[access.variable.0].name;
        let index = access.index.as_ref().map_or(String::new(), |index| format!("[{}]", self.term(index, context)));
        format!("{name}{primes}{index}")
    }
}

/// Whether the operand at `place` of `outer`, a term with the operator `inner`, has to be in parentheses.
fn needs_parentheses(outer: Arithmetic, inner: Arithmetic, place: usize) -> bool {
    let level = |operator| match operator {
        Arithmetic::Add | Arithmetic::Subtract => 0,
        Arithmetic::Multiply | Arithmetic::Divide => 1,
        Arithmetic::ShiftLeft | Arithmetic::ShiftRight => 2,
    };
    let has_shift = [outer, inner].map(level).contains(&2);
    has_shift || level(inner) < level(outer) || level(inner) == level(outer) && place == 1
}

fn bound_name(level: usize) -> &'static str {
    ["i", "j", "k", "l"][level]
}

fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::Unequal => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}

fn connective_signs(connective: Connective) -> &'static [&'static str] {
    match connective {
        Connective::And => &["&", "&", "&&"],
        Connective::Or => &["|", "|", "||"],
        Connective::Xor => &["^"],
        Connective::Iff => &["<->"],
        Connective::Implies => &["->"],
    }
}

fn arithmetic_sign(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::ShiftLeft => "<<",
        Arithmetic::ShiftRight => ">>",
    }
}
