//! The sizes of our Büchi automata beside those of a table: `cargo run --release --example sizes -- FILE.csv [SET…]`.
//!
//! The table has the columns `set`, `polarity` (`pos` or `neg`: the formula or its negation), `formula` and `ba_states`.
//! After the sums of each set comes what each reduction adds to those before it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hardbop_base::Budget;
use hardbop_ltl::{Formula, Reductions, Shape, parse, translate_with};

/// One line of the result.
#[derive(Default)]
struct Sum {
    formulas: usize,
    ours: usize,
    theirs: usize,
    time: Duration,
    worst: Duration,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.formulas += other.formulas;
        self.ours += other.ours;
        self.theirs += other.theirs;
        self.time += other.time;
        self.worst = self.worst.max(other.worst);
    }

    fn print(&self, name: &str) {
        let ratio = self.ours as f64 / self.theirs as f64;
        let mean = self.time.as_secs_f64() * 1e3 / self.formulas as f64;
        let worst = self.worst.as_secs_f64() * 1e3;
        let Self { formulas, ours, theirs, .. } = self;
        println!("{name:<22} {formulas:>8} {ours:>6} {theirs:>6} {ratio:>6.3} {mean:>8.1} {worst:>9.1}");
    }
}

/// A line of the table.
struct Row {
    set: String,
    formula: Formula,
    states: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the first argument is a table");
    let chosen: Vec<String> = arguments.collect();
    let table = std::fs::read_to_string(&path).expect("the table can be read");
    let rows = rows(&table, &chosen);
    println!("{:<22} formulas   ours  table  ratio  mean ms  worst ms", "set");
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut total = Sum::default();
    for row in &rows {
        let sum = measure(row, Reductions::ALL);
        sums.entry(&row.set).or_default().add(&sum);
        total.add(&sum);
    }
    sums.iter().for_each(|(set, sum)| sum.print(set));
    total.print("all");
    println!();
    for (name, reductions) in stages() {
        let mut sum = Sum::default();
        rows.iter().for_each(|row| sum.add(&measure(row, reductions)));
        sum.print(name);
    }
}

/// Each reduction together with those before it.
fn stages() -> [(&'static str, Reductions); 6] {
    let none = Reductions::NONE;
    let rewrite = Reductions { rewrite: true, ..none };
    let trim = Reductions { trim: true, ..rewrite };
    let simulate = Reductions { simulate: true, ..trim };
    let obligations = Reductions { obligations: true, ..simulate };
    [
        ("translation", none),
        ("rewriting", rewrite),
        ("trimming", trim),
        ("simulation", simulate),
        ("weak automata", obligations),
        ("merging", Reductions::ALL),
    ]
}

fn measure(row: &Row, reductions: Reductions) -> Sum {
    let start = Instant::now();
    let automaton = translate_with(&row.formula, reductions, Shape::Buchi, &Budget::unlimited());
    let time = start.elapsed();
    // What is given up counts a hundred times.
    let ours = automaton.map_or(100 * row.states, |automaton| automaton.states.len());
    Sum { formulas: 1, ours, theirs: row.states, time, worst: time }
}

fn rows(table: &str, chosen: &[String]) -> Vec<Row> {
    let mut lines = table.lines();
    let header = cells(lines.next().expect("the table has a header"));
    let column = |name: &str| header.iter().position(|column| *column == name).expect("the column is there");
    let [set, polarity, formula, states] = ["set", "polarity", "formula", "ba_states"].map(column);
    let row = |line: &str| {
        let cells = cells(line);
        let positive = parse(&cells[formula], 0).expect("the table has formulas");
        Row {
            set: format!("{} {}", cells[set], cells[polarity]),
            formula: if cells[polarity] == "neg" { positive.negated() } else { positive },
            states: cells[states].parse().expect("states are a number"),
        }
    };
    let is_chosen = |row: &Row| chosen.is_empty() || chosen.iter().any(|set| row.set.starts_with(set.as_str()));
    lines.map(row).filter(is_chosen).collect()
}

/// The cells of a line; a cell in quotes may have commas, and a quote in it is two.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        let last = cells.last_mut().expect("there is always a cell");
        match character {
            '"' => {
                is_quoted = !is_quoted;
                // The second of two quotes is a quote.
                if is_quoted && !last.is_empty() {
                    last.push('"');
                }
            }
            ',' if !is_quoted => cells.push(String::new()),
            _ => last.push(character),
        }
    }
    cells
}
