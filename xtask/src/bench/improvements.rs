//! What each improvement is worth: the same question with one of them switched off. The rows of
//! `benches/improvements.rs`.

#[path = "../../../benches/improvements.rs"]
mod rows;

use super::quicksort::{Program, Question};
use super::table::{self, Table};
use super::{Bench, Limits, Pace, Run};
use crate::{Failure, root};
use std::path::PathBuf;
use std::process::Command;

/// Without an improvement a program may take for ever.
const LIMITS: Limits = Limits { seconds: 30, megabytes: Some(2000) };

/// A program with all improvements, and then without one after the other.
pub struct Block {
    /// The program.
    pub program: Program,
    /// How long it takes.
    pub pace: Pace,
    /// The seconds in the paper, with all.
    pub paper: Option<f64>,
    /// The names of switches, with the seconds in the paper.
    pub without: &'static [(&'static str, Option<f64>)],
}

/// A formula, asked with and without the class of its automaton.
pub struct Formula {
    /// What it is about.
    pub subject: Subject,
    /// The formula.
    pub formula: &'static str,
    /// Whether it holds.
    pub verdict: &'static str,
}

/// What a formula is about.
#[derive(Clone, Copy)]
pub enum Subject {
    /// A quicksort.
    Quicksort(Program),
    /// A file of the workspace.
    File(&'static str),
}

/// Prints what the improvements are worth, and what the classes of automata are.
pub fn measure(bench: &Bench<'_>) -> Result<(), Failure> {
    improvements(bench)?;
    classes(bench)
}

fn improvements(bench: &Bench<'_>) -> Result<(), Failure> {
    let is_wanted = |block: &&Block| bench.is_wanted("improvements", &block.program.name(), block.pace);
    let blocks: Vec<&Block> = rows::BLOCKS.iter().filter(is_wanted).collect();
    if blocks.is_empty() {
        return Ok(());
    }
    let columns =
        [("", 16), ("without", 10), ("verdict", 8), ("CPU s", 8), ("gain", 7), ("MB", 7), ("[ES01]", 8), ("gain", 7)];
    let mut table =
        Table::new("Quicksort, `F @end`: one improvement switched off [ES01, Figure 4]", table::columns(&columns));
    for block in blocks {
        let program = block.program.write(bench)?;
        let question = Question::Formula.options();
        let full = bench.run("check", &program, &question, LIMITS)?;
        table.row(&cells(&block.program.name(), "", (&full, &full), (block.paper, block.paper)));
        for (switch, paper) in block.without {
            let mut options = question.to_vec();
            options.extend(["--without", switch]);
            let run = bench.run("check", &program, &options, LIMITS)?;
            table.row(&cells("", switch, (&run, &full), (*paper, block.paper)));
            if run.verdict != "unknown" && run.verdict != full.verdict {
                table.complain(format!("{}: another verdict without {switch}", block.program.name()));
            }
        }
    }
    table.finish(&["gain: how many times as long it takes without the improvement, here and in [ES01]."]);
    Ok(())
}

/// A row: a run and that with everything, and the seconds of both in the paper.
fn cells(name: &str, switch: &str, (run, full): (&Run, &Run), paper: (Option<f64>, Option<f64>)) -> Vec<String> {
    let is_first = switch.is_empty();
    let gain = |with: f64, without: f64| if is_first { String::new() } else { table::times(without / with) };
    let ours = gain(full.usage.seconds, run.usage.seconds);
    let theirs = paper.0.zip(paper.1).map_or_else(String::new, |(without, with)| gain(with, without));
    vec![
        name.into(),
        switch.into(),
        run.verdict.clone(),
        seconds(run),
        if run.verdict == "unknown" { format!(">{ours}") } else { ours },
        format!("{:.1}", run.usage.megabytes),
        paper.0.map_or_else(|| "-".into(), |seconds| format!("{seconds:.2}")),
        theirs,
    ]
}

/// The time of a run, which may have come to a limit.
fn seconds(run: &Run) -> String {
    let seconds = run.usage.seconds;
    if run.verdict == "unknown" { format!("> {seconds:.0}") } else { format!("{seconds:.3}") }
}

fn classes(bench: &Bench<'_>) -> Result<(), Failure> {
    if !bench.is_wanted("classes", "", Pace::Quick) {
        return Ok(());
    }
    let columns =
        [("", 16), ("formula", 38), ("class", 8), ("verdict", 8), ("CPU s", 8), ("CPU s without", 13), ("gain", 6)];
    let mut table = Table::new("The class of the automaton, and what knowing it is worth", table::columns(&columns));
    for Formula { subject, formula, verdict } in rows::FORMULAS {
        let (name, program) = subject.place(bench)?;
        let question = ["--no-trace", "--ltl", formula];
        let with = bench.run("check", &program, &question, LIMITS)?;
        let without = bench.run("check", &program, &[&question[..], &["--without", "class"]].concat(), LIMITS)?;
        table.row(&[
            name.clone(),
            formula.to_string(),
            class(bench, formula)?,
            with.verdict.clone(),
            seconds(&with),
            seconds(&without),
            table::times(without.usage.seconds / with.usage.seconds),
        ]);
        for run in [with, without] {
            if run.verdict != *verdict {
                table.complain(format!("{name}: `{}` is not the verdict of `{formula}`", run.verdict));
            }
        }
    }
    table.finish(&[
        "class: that of the automaton for the negated formula. A strong automaton needs a memory either way.",
    ]);
    Ok(())
}

impl Subject {
    /// What its row is called, and its file.
    fn place(self, bench: &Bench<'_>) -> Result<(String, PathBuf), Failure> {
        match self {
            Self::Quicksort(program) => Ok((program.name(), program.write(bench)?)),
            Self::File(path) => {
                let path = root().join(path);
                Ok((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path))
            }
        }
    }
}

/// The class of the automaton that runs which violate `formula` have, as the command says it.
fn class(bench: &Bench<'_>, formula: &str) -> Result<String, Failure> {
    let output = Command::new(&bench.command).args(["show", "--ltl", &format!("!({formula})")]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let head = text.lines().next().unwrap_or_default();
    let class = head.split([';', ',']).map(str::trim).find(|word| ["terminal", "weak"].contains(word));
    Ok(class.unwrap_or("strong").into())
}
