//! Analyses of C that nobody here wrote: `hardbop flow --analysis null`, beside the analyzers of two compilers on the
//! same files in the same run. The rows of `benches/analyses.rs`.

#[path = "../../../benches/analyses.rs"]
mod rows;

use super::table::{self, Table};
use super::{Bench, Limits, Pace};
use crate::Failure;
use crate::measure::{Usage, usage};
use crate::real_c::{self, PROGRAMS, Program};
use serde_json::Value;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const NAME: &str = "analyses";
const LIMITS: Limits = Limits { seconds: 600, megabytes: Some(4000) };

/// The columns, with their widths.
const COLUMNS: [(&str, usize); 12] = [
    ("", 8),
    ("precision", 10),
    ("places", 7),
    ("alarms", 7),
    ("s", 8),
    ("MB", 6),
    ("gcc alarms", 10),
    ("gcc s", 14),
    ("MB", 6),
    ("clang alarms", 12),
    ("clang s", 14),
    ("MB", 6),
];

/// A benchmark: what may fail in a program?
pub struct Row {
    /// The program, one of those of `cargo xtask real-c`.
    pub program: &'static str,
    /// The point of the dial.
    pub precision: &'static str,
    /// How long it takes.
    pub pace: Pace,
}

/// Prints the table, if it is asked for.
pub fn measure(bench: &Bench<'_>) -> Result<(), Failure> {
    let rows: Vec<&Row> = rows::ROWS.iter().filter(|row| bench.is_wanted(NAME, row.program, row.pace)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let packages = real_c::fetch()?;
    let title = "NULL pointers in C programs, beside gcc -fanalyzer and clang --analyze";
    let mut table = Table::new(title, table::columns(&COLUMNS));
    let mut missing = BTreeSet::new();
    let mut by_program: BTreeMap<&str, Vec<Option<(usize, Usage)>>> = BTreeMap::new();
    for row in rows {
        let program = PROGRAMS.iter().find(|program| program.name == row.program);
        let program = program.ok_or_else(|| format!("there is no program {}", row.program))?;
        let files = program.files(&packages)?;
        let (places, alarms, ours) = run(bench, program, row.precision, &packages, &files)?;
        if !matches!(ours.code, Some(0 | 1)) {
            table.complain(format!("{} at {} has no answer", row.program, row.precision));
        }
        let mut cells = vec![
            row.program.into(),
            row.precision.into(),
            places.to_string(),
            alarms.to_string(),
            format!("{:.2}", ours.seconds),
            format!("{:.0}", ours.megabytes),
        ];
        let theirs = match by_program.entry(row.program) {
            Entry::Occupied(known) => known.into_mut(),
            // A compiler has no dial.
            Entry::Vacant(new) => {
                let run = |compiler: &Compiler| compiler.run(bench, program, &packages, &files);
                new.insert(COMPILERS.iter().map(run).collect::<Result<_, Failure>>()?)
            }
        };
        for (compiler, found) in COMPILERS.iter().zip(theirs) {
            match found {
                Some((found, theirs)) => cells.extend([
                    found.to_string(),
                    format!("{:.2} ({})", theirs.seconds, table::times(theirs.seconds / ours.seconds)),
                    format!("{:.0}", theirs.megabytes),
                ]),
                None => {
                    missing.insert(format!("{} is not installed.", compiler.name));
                    cells.extend(["-"; 3].map(String::from));
                }
            }
        }
        table.row(&cells);
    }
    let note = "The compilers' alarms are those about NULL; in parentheses: how many times our seconds.";
    let notes: Vec<&str> = [note].into_iter().chain(missing.iter().map(String::as_str)).collect();
    table.finish(&notes);
    Ok(())
}

/// A compiler with an analyzer.
struct Compiler {
    name: &'static str,
    options: &'static str,
    /// What stands in the line of an alarm about NULL, beside `warning: `.
    mark: &'static str,
}

const COMPILERS: [Compiler; 2] = [
    Compiler { name: "gcc", options: "-fanalyzer -O1 -c", mark: "NULL" },
    Compiler {
        name: "clang",
        options: "--analyze -Xclang -analyzer-checker=core.NullDereference",
        mark: "[core.NullDereference]",
    },
];

/// What a shell says of a command that is not there.
const NOT_FOUND: i32 = 127;

/// The places, those that may fail, and what that took.
fn run(
    bench: &Bench<'_>,
    program: &Program,
    precision: &str,
    packages: &Path,
    files: &[PathBuf],
) -> Result<(usize, usize, Usage), Failure> {
    let mut command: Vec<OsString> = vec![bench.command.clone().into(), "flow".into()];
    command.extend(files.iter().map(OsString::from));
    command.extend(program.options(packages));
    command.extend(["--analysis", "null", "--precision", precision, "--json", "--time-limit"].map(OsString::from));
    command.push(LIMITS.seconds.to_string().into());
    if let Some(megabytes) = LIMITS.megabytes {
        command.extend(["--memory-limit".into(), megabytes.to_string().into()]);
    }
    let output = bench.folder.join("output.json");
    let usage = usage(&command, LIMITS.seconds + 2, &output)?;
    let answer: Value = serde_json::from_slice(&std::fs::read(&output)?).unwrap_or_default();
    let sites = answer["sites"].as_array().map_or(&[][..], Vec::as_slice);
    let alarms = sites.iter().filter(|site| site["status"] == "may-fail").count();
    Ok((sites.len(), alarms, usage))
}

impl Compiler {
    /// What it finds about NULL, and what that took; nothing where it is not installed. Compilers write to their standard
    /// error, so a shell turns that round.
    fn run(
        &self,
        bench: &Bench<'_>,
        program: &Program,
        packages: &Path,
        files: &[PathBuf],
    ) -> Result<Option<(usize, Usage)>, Failure> {
        let script = format!("cd \"$1\" && shift && exec {} {} \"$@\" 2>&1", self.name, self.options);
        let mut command: Vec<OsString> = ["sh", "-c", &script, "sh"].map(OsString::from).to_vec();
        command.push(bench.folder.clone().into());
        command.extend(program.options(packages));
        command.extend(files.iter().map(OsString::from));
        let output = bench.folder.join(format!("{}.txt", self.name));
        let usage = usage(&command, LIMITS.seconds, &output)?;
        if usage.code == Some(NOT_FOUND) {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
        let is_alarm = |line: &&str| line.contains("warning: ") && line.contains(self.mark);
        Ok(Some((text.lines().filter(is_alarm).count(), usage)))
    }
}
