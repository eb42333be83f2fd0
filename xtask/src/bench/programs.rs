//! Boolean programs, and whether a run reaches a label: the rows of `benches/bp.rs`.

#[path = "../../../benches/bp.rs"]
mod rows;

use super::table::{self, Table, optional};
use super::{Bench, Limits, Pace, Published, Run};
use crate::Failure;
use hardbop_testkit::template::{Answer, Dimensions, bebop_levels, bit_counter, random_program};
use std::path::{Path, PathBuf};

const NAME: &str = "programs";
const LIMITS: Limits = Limits { seconds: 120, megabytes: None };
/// The label of all generated programs.
pub const GOAL: &str = "SLIC_ERROR";

/// A benchmark.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The program.
    pub input: Input,
    /// Whether a run to the goal is asked for.
    pub trace: Trace,
    /// How long it takes.
    pub pace: Pace,
    /// The seconds it may take.
    pub target: Option<f64>,
    /// What peers took.
    pub published: [Published; 3],
}

/// Where a program comes from.
#[derive(Clone, Copy)]
pub enum Input {
    /// [`bebop_levels`] with so many levels.
    Levels(usize),
    /// [`bit_counter`] with so many bits.
    Counter(usize),
    /// [`random_program`] of these dimensions.
    Random {
        /// Global variables.
        globals: usize,
        /// Procedures.
        procedures: usize,
        /// Statements of each.
        statements: usize,
        /// The seed.
        seed: u64,
    },
    /// A file of the folder that `--inputs` names.
    File(&'static str),
}

/// Whether a run to the goal is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// It is, and replayed.
    With,
    /// The verdict is enough.
    Without,
}

/// Prints the table of all programs that are asked for, if any are.
pub fn measure(bench: &Bench<'_>) -> Result<(), Failure> {
    let rows: Vec<&Row> = rows::ROWS.iter().filter(|row| bench.is_wanted(NAME, row.name, row.pace)).collect();
    let inputs = other_inputs(bench)?;
    if rows.is_empty() && inputs.is_empty() {
        return Ok(());
    }
    let mut table = Table::new("Boolean programs: is a label reached?", columns(bench));
    let mut last = None;
    for row in rows {
        if let Some(program) = program(bench, row.input)? {
            let run = run(bench, &program, row.trace)?;
            let growth = match row.input {
                Input::Levels(levels) if row.trace == Trace::Without => growth(&mut last, levels, run.usage.seconds),
                _ => None,
            };
            add(&mut table, bench, (row.name, &program), &run, Some((row, growth)))?;
        }
    }
    for program in inputs {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let run = run(bench, &program, Trace::With)?;
        add(&mut table, bench, (&name, &program), &run, None)?;
    }
    table.finish(&[
        "CPU s: user and system, the best of several runs; MB: peak resident memory; nodes: peak BDD nodes.",
        "n x 2: growth of time when n doubles, from the row above. Peers: their seconds, and over ours.",
        "What peers took was measured beforehand, unless the column says `now`.",
    ]);
    Ok(())
}

fn columns(bench: &Bench<'_>) -> Vec<table::Column> {
    let ours = [("", 20), ("verdict", 8), ("CPU s", 8), ("target", 6), ("n x 2", 5), ("MB", 7), ("nodes", 9)];
    let mut columns = table::columns(&ours);
    columns.extend(table::columns(&[("bytes out", 9)]));
    columns.extend(table::columns(&rows::PEERS.map(|peer| (peer, 16))));
    columns.extend(table::peer_columns(&bench.request.peers));
    columns
}

/// Prints one program, with what its row says if it is of one.
fn add(
    table: &mut Table,
    bench: &Bench<'_>,
    (name, program): (&str, &Path),
    run: &Run,
    row: Option<(&Row, Option<f64>)>,
) -> Result<(), Failure> {
    let peers = bench.run_peers(program)?;
    let seconds = run.usage.seconds;
    let target = row.and_then(|(row, _)| row.target);
    let growth = row.and_then(|(_, growth)| growth).map(|growth| format!("{growth:.2}"));
    let mut cells = vec![
        name.to_string(),
        run.verdict.clone(),
        format!("{seconds:.3}"),
        optional(target),
        optional(growth),
        format!("{:.1}", run.usage.megabytes),
        optional(run.peak_nodes),
        run.usage.bytes.to_string(),
    ];
    let published = row.map_or([Published::Unmeasured; 3], |(row, _)| row.published);
    cells.extend(published.map(|one| table::published(one, seconds)));
    cells.extend(table::peers(&peers, seconds));
    table.row(&cells);
    if target.is_some_and(|target| seconds > target) {
        table.complain(format!("{name}: slower than its target"));
    }
    table.compare(name, run, &bench.request.peers, &peers);
    Ok(())
}

/// How much longer a template of twice the size takes, going by the last two.
fn growth(last: &mut Option<(usize, f64)>, size: usize, seconds: f64) -> Option<f64> {
    let last = last.replace((size, seconds));
    last.map(|(smaller, less)| (seconds / less).powf(1.0 / (size as f64 / smaller as f64).log2()))
}

/// The file of `input`; none where it is not there.
fn program(bench: &Bench<'_>, input: Input) -> Result<Option<PathBuf>, Failure> {
    let (name, text) = match input {
        Input::Levels(levels) => (format!("template-{levels}.bp"), bebop_levels(levels, Answer::Reachable)),
        Input::Counter(bits) => (format!("counter-{bits}.bp"), bit_counter(bits, Answer::Reachable)),
        Input::Random { globals, procedures, statements, seed } => (
            format!("random-{globals}-{procedures}-{statements}-{seed}.bp"),
            random_program(Dimensions { globals, procedures, statements, seed }),
        ),
        Input::File(name) => {
            let path = bench.request.inputs.as_ref().map(|folder| folder.join(name));
            return Ok(path.filter(|path| path.exists()));
        }
    };
    bench.write(&name, &text).map(Some)
}

/// The files of the folder that the user names which are in no row.
fn other_inputs(bench: &Bench<'_>) -> Result<Vec<PathBuf>, Failure> {
    let Some(folder) = &bench.request.inputs else { return Ok(Vec::new()) };
    let is_in_row =
        |path: &Path| rows::ROWS.iter().any(|row| matches!(row.input, Input::File(name) if path.ends_with(name)));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_program = path.extension().is_some_and(|extension| extension == "bp");
        if is_program && !is_in_row(&path) && bench.is_wanted(NAME, &name, Pace::Quick) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn run(bench: &Bench<'_>, program: &Path, trace: Trace) -> Result<Run, Failure> {
    let mut options = Vec::new();
    if std::fs::read_to_string(program)?.contains(GOAL) {
        options.extend(["--goal", GOAL]);
    }
    if trace == Trace::Without {
        options.push("--no-trace");
    }
    bench.run("check", program, &options, LIMITS)
}
