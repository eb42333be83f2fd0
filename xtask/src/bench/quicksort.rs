//! Quicksort, as in Figures 2 and 3 of \[ES01\]: whether it ends, and whether it sorts: `benches/quicksort.rs`.

#[path = "../../../benches/quicksort.rs"]
mod rows;

use super::table::{self, Table};
use super::{Bench, Limits, Pace, Published, Run};
use crate::Failure;
use hardbop_testkit::quicksort::{Pivot, Version, sorting, termination};
use std::path::PathBuf;

const NAME: &str = "quicksort";
/// Above what a row may use, so that what goes wrong is measured.
const LIMITS: Limits = Limits { seconds: 60, megabytes: None };
/// What a row may use.
const SECONDS: f64 = 30.0;
const MEGABYTES: f64 = 1000.0;
/// A peer that takes longer than [`LONG`] must take so many times ours; beside others we may take as long as they do,
/// or [`SHORT`].
const FACTOR: f64 = 10.0;
const LONG: f64 = 1.0;
const SHORT: f64 = 0.05;

/// A benchmark.
pub struct Row {
    /// The program.
    pub program: Program,
    /// How long it takes.
    pub pace: Pace,
    /// What the paper says.
    pub paper: Published,
    /// What the two versions of Moped took on a machine of today.
    pub moped: [Published; 2],
}

/// A program of [`hardbop_testkit::quicksort`].
#[derive(Clone, Copy)]
pub enum Program {
    /// The bounds of the faulty version, with so many bits.
    Faulty(usize),
    /// The bounds of the corrected version, with so many bits.
    Corrected(usize),
    /// Numbers of so many bits, and so many of them.
    Sort(usize, usize),
    /// The same with any pivot.
    SortAny(usize, usize),
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Whether every run ends, and with the array in order.
    Formula,
    /// Whether a run ends with the array not in order.
    Label,
}

impl Program {
    /// What its row is called.
    pub fn name(self) -> String {
        match self {
            Self::Faulty(bits) => format!("faulty-{bits}"),
            Self::Corrected(bits) => format!("corrected-{bits}"),
            Self::Sort(bits, length) => format!("sort-{bits}-{length}"),
            Self::SortAny(bits, length) => format!("sort-any-{bits}-{length}"),
        }
    }

    /// Its file.
    pub fn write(self, bench: &Bench<'_>) -> Result<PathBuf, Failure> {
        let text = match self {
            Self::Faulty(bits) => termination(Version::Faulty, bits),
            Self::Corrected(bits) => termination(Version::Corrected, bits),
            Self::Sort(bits, length) => sorting(Pivot::Last, bits, length),
            Self::SortAny(bits, length) => sorting(Pivot::Any, bits, length),
        };
        bench.write(&format!("{}.pds", self.name()), &text)
    }

    /// What its figure is about.
    fn question(self) -> Question {
        match self {
            Self::Faulty(_) | Self::Corrected(_) => Question::Formula,
            Self::Sort(..) | Self::SortAny(..) => Question::Label,
        }
    }

    /// The verdict that is right.
    pub fn verdict(self) -> &'static str {
        match self {
            Self::Faulty(_) => "violated",
            Self::Corrected(_) | Self::Sort(..) | Self::SortAny(..) => "holds",
        }
    }
}

impl Question {
    /// The options that ask it.
    pub fn options(self) -> [&'static str; 3] {
        match self {
            Self::Formula => ["--no-trace", "--ltl", "F @end"],
            Self::Label => ["--no-trace", "--goal", "bad"],
        }
    }
}

/// Prints both figures, as far as they are asked for.
pub fn measure(bench: &Bench<'_>) -> Result<(), Failure> {
    print(bench, "Quicksort: does every run end? [ES01, Figure 2]", rows::TERMINATION)?;
    print(bench, "Quicksort: does it sort? [ES01, Figure 3]", rows::SORTING)
}

fn print(bench: &Bench<'_>, title: &str, rows: &[Row]) -> Result<(), Failure> {
    let is_wanted = |row: &&Row| bench.is_wanted(NAME, &row.program.name(), row.pace);
    let rows: Vec<&Row> = rows.iter().filter(is_wanted).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut columns = table::columns(&[("", 16), ("verdict", 8), ("CPU s", 7), ("MB", 7), ("[ES01]", 24)]);
    columns.extend(table::columns(&rows::PEERS.map(|peer| (peer, 22))));
    columns.extend(table::peer_columns(&bench.request.peers));
    let mut table = Table::new(title, columns);
    for row in rows {
        let program = row.program.write(bench)?;
        let run = bench.run("check", &program, &row.program.question().options(), LIMITS)?;
        let peers = bench.run_peers(&program)?;
        let seconds = run.usage.seconds;
        let name = row.program.name();
        let mut cells = vec![name.clone(), run.verdict.clone(), format!("{seconds:.3}")];
        cells.push(format!("{:.1}", run.usage.megabytes));
        cells.push(table::published(row.paper, seconds));
        cells.extend(row.moped.map(|one| table::published(one, seconds)));
        cells.extend(table::peers(&peers, seconds));
        table.row(&cells);
        table.compare(&name, &run, &bench.request.peers, &peers);
        for complaint in complaints(row, &run) {
            table.complain(format!("{name}: {complaint}"));
        }
    }
    table.finish(&[
        "Peers: their seconds, how many times ours, and their memory. [ES01] is of 2001, on an UltraSPARC 60.",
    ]);
    Ok(())
}

/// What of a row is not as it should be.
fn complaints(row: &Row, run: &Run) -> Vec<String> {
    let seconds = run.usage.seconds;
    let mut complaints = Vec::new();
    if run.verdict != row.program.verdict() {
        complaints.push(format!("`{}` is not the verdict", run.verdict));
    }
    if seconds > SECONDS {
        complaints.push(format!("it takes more than {SECONDS} s"));
    }
    if run.usage.megabytes > MEGABYTES {
        complaints.push(format!("it takes more than {MEGABYTES} MB"));
    }
    for (peer, moped) in rows::PEERS.iter().zip(row.moped) {
        let (Published::Took(theirs) | Published::Used(theirs, _)) = moped else { continue };
        let allowed = if theirs > LONG { theirs / FACTOR } else { theirs.max(SHORT) };
        if seconds > allowed {
            complaints.push(format!("beside {peer} it may take {allowed:.2} s"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{Pace, Program, Published, Row, Run, complaints};
    use crate::measure::Usage;

    #[track_caller]
    fn check(seconds: f64, megabytes: f64, moped: Published, expected: &[&str]) {
        let row = Row {
            program: Program::Sort(3, 4),
            pace: Pace::Quick,
            paper: Published::Unmeasured,
            moped: [moped, Published::Unmeasured],
        };
        let usage = Usage { code: Some(0), seconds, megabytes, bytes: 0 };
        let run = Run { usage, verdict: "holds".into(), peak_nodes: None };
        assert_eq!(complaints(&row, &run), expected);
    }

    #[test]
    fn rows_have_limits() {
        check(29.0, 999.0, Published::Unmeasured, &[]);
        check(31.0, 1001.0, Published::Unmeasured, &["it takes more than 30 s", "it takes more than 1000 MB"]);
    }

    #[test]
    fn slow_peer_must_be_ten_times_slower_and_quick_one_no_quicker() {
        check(0.4, 9.0, Published::Used(4.57, 62.0), &[]);
        check(0.5, 9.0, Published::Used(4.57, 62.0), &["beside Moped 1.0.15 it may take 0.46 s"]);
        check(0.04, 9.0, Published::Took(0.01), &[]);
        check(0.6, 9.0, Published::Took(0.51), &["beside Moped 1.0.15 it may take 0.51 s"]);
    }
}
