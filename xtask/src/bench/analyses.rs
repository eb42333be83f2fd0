//! Analyses of C that nobody here wrote: `hardbop flow --analysis null`, beside the analyzer of the compiler on the same
//! files in the same run. The rows of `benches/analyses.rs`.

#[path = "../../../benches/analyses.rs"]
mod rows;

use super::table::{self, Table};
use super::{Bench, Limits, Pace};
use crate::Failure;
use crate::measure::{Usage, usage};
use crate::real_c::{self, PROGRAMS, Program};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const NAME: &str = "analyses";
const LIMITS: Limits = Limits { seconds: 600, megabytes: Some(4000) };

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
    let columns = [
        ("", 8),
        ("precision", 10),
        ("places", 7),
        ("alarms", 7),
        ("s", 8),
        ("MB", 6),
        ("gcc alarms", 10),
        ("gcc s", 14),
        ("MB", 6),
    ];
    let title = "NULL pointers in C programs, beside gcc -fanalyzer";
    let mut table = Table::new(title, table::columns(&columns));
    for row in rows {
        let program = PROGRAMS.iter().find(|program| program.name == row.program);
        let program = program.ok_or_else(|| format!("there is no program {}", row.program))?;
        let files = program.files(&packages)?;
        let (places, alarms, ours) = run(bench, program, row.precision, &packages, &files)?;
        if !matches!(ours.code, Some(0 | 1)) {
            table.complain(format!("{} at {} has no answer", row.program, row.precision));
        }
        let (found, theirs) = run_gcc(bench, program, &packages, &files)?;
        table.row(&[
            row.program.into(),
            row.precision.into(),
            places.to_string(),
            alarms.to_string(),
            format!("{:.2}", ours.seconds),
            format!("{:.0}", ours.megabytes),
            found.to_string(),
            format!("{:.2} ({})", theirs.seconds, table::times(theirs.seconds / ours.seconds)),
            format!("{:.0}", theirs.megabytes),
        ]);
    }
    table.finish(&["gcc's alarms are those about NULL; in parentheses: how many times our seconds."]);
    Ok(())
}

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

/// What gcc finds about NULL, and what that took. It writes to its standard error, so a shell turns that round.
fn run_gcc(
    bench: &Bench<'_>,
    program: &Program,
    packages: &Path,
    files: &[PathBuf],
) -> Result<(usize, Usage), Failure> {
    let script = "cd \"$1\" && shift && exec gcc -fanalyzer -O1 -c \"$@\" 2>&1";
    let mut command: Vec<OsString> = ["sh", "-c", script, "sh"].map(OsString::from).to_vec();
    command.push(bench.folder.clone().into());
    command.extend(program.options(packages));
    command.extend(files.iter().map(OsString::from));
    let output = bench.folder.join("gcc.txt");
    let usage = usage(&command, LIMITS.seconds, &output)?;
    let text = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
    let is_alarm = |line: &&str| line.contains("warning: ") && line.contains("NULL");
    Ok((text.lines().filter(is_alarm).count(), usage))
}
