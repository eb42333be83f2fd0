//! Programs of patterns: a statement is a pattern with holes and numbers that say what to put in.
//!
//! A hole is `@` and the letter of a table; a digit instead is the text of an earlier hole of the pattern, counted from
//! one. `@F` is a function, `@G` one further down or `leaf`, `{}` statements. Statements seldom have to do with each other
//! if all patterns and places are there, so a program is made of a few of them.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
use proptest::prop_oneof;

/// What programs are made of.
pub(crate) struct Grammar {
    /// What stands before the functions.
    pub(crate) head: fn(usize) -> String,
    /// A function without its name: what stands before it and after it.
    pub(crate) function: (&'static str, &'static str),
    /// Its locals.
    pub(crate) locals: &'static str,
    /// Its last lines.
    pub(crate) end: &'static str,
    /// The function that calls the first of the others.
    pub(crate) main: &'static str,
    /// What can be put into holes.
    pub(crate) tables: &'static [Table],
    /// Patterns with their weights.
    pub(crate) patterns: &'static [(u32, &'static str)],
}

/// What can be put into holes of a letter: texts, each with what must be there for it.
pub(crate) struct Table {
    pub(crate) letter: char,
    pub(crate) rows: &'static [(&'static str, &'static str)],
    /// Of how many of them a program makes use.
    pub(crate) used: usize,
}

/// What one program is made of.
#[derive(Clone, Debug)]
struct Swarm {
    head: usize,
    patterns: Vec<usize>,
    /// For each table the numbers of what is used of it.
    rows: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Statement {
    pattern: usize,
    choices: [usize; 4],
    inside: Vec<Statement>,
}

/// The texts of programs of at most this many statements in a function, those inside of others not counted.
pub(crate) fn texts(grammar: &'static Grammar, statements: usize) -> impl Strategy<Value = String> {
    let rows: Vec<_> = grammar.tables.iter().map(|table| vec(0..table.rows.len(), table.used..=table.used)).collect();
    let swarm = (any::<u8>(), vec(pattern(grammar), 6..12), rows);
    let swarm = swarm.prop_map(|(head, patterns, rows)| Swarm { head: usize::from(head), patterns, rows });
    (swarm, vec(vec(statement(2), 1..statements), 1..4))
        .prop_map(|(swarm, functions)| render(grammar, &swarm, &functions))
}

fn pattern(grammar: &'static Grammar) -> impl Strategy<Value = usize> {
    let total: u32 = grammar.patterns.iter().map(|(weight, _)| weight).sum();
    (0..total).prop_map(|mut number| {
        let is_it = |&(weight, _): &(u32, &str)| {
            let is_it = number < weight;
            number = number.saturating_sub(weight);
            is_it
        };
        grammar.patterns.iter().position(is_it).expect("the number is below the sum of all weights")
    })
}

fn statement(nesting: usize) -> BoxedStrategy<Statement> {
    let choice = prop_oneof![0..6usize, any::<u8>().prop_map(usize::from)];
    let inside = if nesting == 0 { Just(Vec::new()).boxed() } else { vec(statement(nesting - 1), 1..4).boxed() };
    let choices = [choice.clone(), choice.clone(), choice.clone(), choice];
    (0..60usize, choices, inside).prop_map(|(pattern, choices, inside)| Statement { pattern, choices, inside }).boxed()
}

fn render(grammar: &Grammar, swarm: &Swarm, functions: &[Vec<Statement>]) -> String {
    let mut text = (grammar.head)(swarm.head);
    let (before, after) = grammar.function;
    for function in 0..functions.len() {
        text += &format!("{before}f{function}{after};\n");
    }
    for (function, body) in functions.iter().enumerate() {
        text += &format!("{before}f{function}{after} {{\n{}", grammar.locals);
        let writer = Writer { grammar, swarm, function, functions: functions.len() };
        body.iter().for_each(|statement| writer.line(statement, 1, &mut text));
        text += grammar.end;
    }
    text + grammar.main
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    grammar: &'a Grammar,
    swarm: &'a Swarm,
    function: usize,
    functions: usize,
}

impl Writer<'_> {
    /// A statement, with what must be there for it before it.
    fn line(self, statement: &Statement, depth: usize, text: &mut String) {
        let (_, pattern) = self.grammar.patterns[self.swarm.patterns[statement.pattern % self.swarm.patterns.len()]];
        let (mut written, mut guards, mut holes) = (String::new(), Vec::new(), Vec::new());
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('@') {
            let letter = after.chars().next().expect("a hole has a letter");
            let choice = statement.choices[holes.len() % 4] + holes.len() / 4 * 5;
            let filling = match letter.to_digit(10) {
                Some(earlier) => holes[earlier as usize - 1],
                None => self.row(letter, choice),
            };
            written += before;
            match filling {
                Some((place, guard)) => {
                    written += place;
                    if !guard.is_empty() && !guards.contains(&guard) {
                        guards.push(guard);
                    }
                }
                None => written += &self.callee(letter, choice),
            }
            if !letter.is_ascii_digit() {
                holes.push(filling);
            }
            rest = &after[letter.len_utf8()..];
        }
        written += rest;
        let indent = "    ".repeat(depth);
        // A few go without: null pointers are to be met on the way, too. But there are no members of nothing.
        if !guards.is_empty() && (statement.choices[3] % 7 != 6 || pattern.contains("&@")) {
            *text += &format!("{indent}if ({})\n    ", guards.join(" && "));
        }
        match written.split_once("{}") {
            Some((before, after)) => {
                *text += &format!("{indent}{before}\n");
                statement.inside.iter().for_each(|inner| self.line(inner, depth + 1, text));
                *text += &format!("{indent}{after}\n");
            }
            None => *text += &format!("{indent}{written}\n"),
        }
    }

    fn callee(self, letter: char, choice: usize) -> String {
        let first = if letter == 'G' { self.function + 1 } else { 0 };
        match self.functions - first {
            0 => "leaf".to_string(),
            count => format!("f{}", first + choice % count),
        }
    }

    /// What a hole is filled with; nothing where that is a function.
    fn row(self, letter: char, choice: usize) -> Option<(&'static str, &'static str)> {
        let place = self.grammar.tables.iter().position(|table| table.letter == letter)?;
        let used = &self.swarm.rows[place];
        Some(self.grammar.tables[place].rows[used[choice % used.len()]])
    }
}
