//! Questions about the stack: `hardbop ask`, forwards and backwards, beside the summaries of `hardbop check` where both
//! can answer. The rows of `benches/stacks.rs`.

#[path = "../../../benches/stacks.rs"]
mod rows;

use super::programs::GOAL;
use super::quicksort::Program;
use super::table::{self, Table};
use super::{Bench, Limits, Pace};
use crate::Failure;
use hardbop_testkit::template::{Answer, bebop_levels, bit_counter};
use std::path::PathBuf;

const NAME: &str = "stacks";
const LIMITS: Limits = Limits { seconds: 60, megabytes: Some(2000) };

/// A benchmark: can its error label be reached, with whatever stack?
pub struct Row {
    /// The program.
    pub input: Input,
    /// How long it takes.
    pub pace: Pace,
}

/// A program whose error label cannot be reached.
#[derive(Clone, Copy)]
pub enum Input {
    /// A quicksort.
    Quicksort(Program),
    /// [`bebop_levels`] with so many levels.
    Levels(usize),
    /// [`bit_counter`] with so many bits.
    Counter(usize),
}

impl Input {
    /// What its row is called, its file and its label.
    fn place(self, bench: &Bench<'_>) -> Result<(String, PathBuf, &'static str), Failure> {
        let (name, text) = match self {
            Self::Quicksort(program) => return Ok((program.name(), program.write(bench)?, "bad")),
            Self::Levels(levels) => (format!("safe-template-{levels}"), bebop_levels(levels, Answer::Unreachable)),
            Self::Counter(bits) => (format!("safe-counter-{bits}"), bit_counter(bits, Answer::Unreachable)),
        };
        let path = bench.write(&format!("{name}.bp"), &text)?;
        Ok((name, path, GOAL))
    }
}

/// Prints the table, if it is asked for.
pub fn measure(bench: &Bench<'_>) -> Result<(), Failure> {
    let rows: Vec<&Row> = rows::ROWS.iter().filter(|row| bench.is_wanted(NAME, "", row.pace)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let columns =
        [("", 20), ("verdict", 8), ("check s", 8), ("MB", 6), ("post* s", 16), ("MB", 6), ("pre* s", 18), ("MB", 6)];
    let mut table =
        Table::new("Is the error label reached, with whatever stack? Summaries, post*, pre*", table::columns(&columns));
    for row in rows {
        let (name, program, label) = row.input.place(bench)?;
        let stacks = format!("_* @{label}");
        let check = bench.run("check", &program, &["--goal", label], LIMITS)?;
        let mut cells = vec![name.clone(), check.verdict.clone(), format!("{:.3}", check.usage.seconds)];
        cells.push(format!("{:.1}", check.usage.megabytes));
        for options in [&[stacks.as_str()][..], &[stacks.as_str(), "--pre"]] {
            let run = bench.run("ask", &program, options, LIMITS)?;
            let seconds = run.usage.seconds;
            let is_over = if run.verdict == "unknown" { "> " } else { "" };
            cells.push(format!("{is_over}{seconds:.3} ({})", table::times(seconds / check.usage.seconds)));
            cells.push(format!("{:.1}", run.usage.megabytes));
            if run.verdict != "unknown" && run.verdict != check.verdict {
                table.complain(format!("{name}: `ask` has another verdict than `check`"));
            }
        }
        table.row(&cells);
    }
    table.finish(&["In parentheses: how many times the seconds of `check`."]);
    Ok(())
}
