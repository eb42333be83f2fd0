//! `cargo xtask bench`: what the command takes on the rows of `benches/`, beside its peers, a table for each question.
//!
//! This file is the request and the running; each module below makes one part of the tables.

mod analyses;
mod improvements;
mod peer;
mod programs;
mod quicksort;
mod stacks;
mod table;
mod translation;

use crate::measure::{Usage, usage};
use crate::{Failure, cargo, root};
use clap::Args;
use peer::Peer;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A command that takes less is run again: the shortest time is the one least disturbed.
const WORTH_REPEATING: f64 = 2.0;
const REPETITIONS: usize = 5;
/// The seconds of processor time that a peer may take.
const PATIENCE: u64 = 120;

/// `cargo xtask bench`.
#[derive(Args)]
pub struct Request {
    /// A tool to measure in the same run: `moped=PATH`, or NAME=COMMAND with `{file}` where the program goes
    #[arg(long = "peer", value_name = "NAME=COMMAND")]
    peers: Vec<Peer>,

    /// A folder of `.bp` files to measure, too
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,

    /// A table of formulas and of what another tool makes of them, to compare automata with
    #[arg(long, value_name = "FILE.csv")]
    formulas: Option<PathBuf>,

    /// Only what takes seconds, once each, and not the kernel
    #[arg(long)]
    quick: bool,

    /// Parts of names of rows, or tables: programs, quicksort, improvements, classes, stacks, translation, analyses,
    /// kernel
    names: Vec<String>,
}

/// Whether `--quick` runs it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// It does.
    Quick,
    /// It does not.
    Slow,
}

/// What a peer was seen to take.
#[derive(Clone, Copy)]
pub enum Published {
    /// So many seconds.
    Took(f64),
    /// So many seconds and megabytes.
    Used(f64, f64),
    /// It was given up after so many seconds.
    Over(f64),
    /// Nobody looked, or it cannot.
    Unmeasured,
}

/// What one command may use before it is stopped.
#[derive(Clone, Copy)]
struct Limits {
    seconds: u64,
    megabytes: Option<u64>,
}

/// What one run of the command gave.
struct Run {
    usage: Usage,
    verdict: String,
    peak_nodes: Option<u64>,
}

/// Builds, measures, prints.
pub fn bench(request: &Request) -> Result<(), Failure> {
    if !cargo().args(["build", "--release", "--package", "hardbop"]).status()?.success() {
        return Err("the command cannot be built".into());
    }
    let target = target_folder();
    let bench = Bench { request, command: target.join("release/hardbop"), folder: target.join("bench") };
    std::fs::create_dir_all(&bench.folder)?;
    programs::measure(&bench)?;
    quicksort::measure(&bench)?;
    improvements::measure(&bench)?;
    stacks::measure(&bench)?;
    translation::measure(&bench)?;
    analyses::measure(&bench)?;
    // Who names the kernel gets it.
    let pace = if request.names.is_empty() { Pace::Slow } else { Pace::Quick };
    if bench.is_wanted("kernel", "", pace) {
        table::print_title("BDD operations");
        if !cargo().args(["bench", "--package", "hardbop-bdd", "--bench", "kernel"]).status()?.success() {
            return Err("the kernel cannot be measured".into());
        }
    }
    Ok(())
}

fn target_folder() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// What all tables need: the request, and how to run something.
struct Bench<'a> {
    request: &'a Request,
    command: PathBuf,
    folder: PathBuf,
}

impl Bench<'_> {
    /// Whether the user asks for a row of a table.
    fn is_wanted(&self, table: &str, row: &str, pace: Pace) -> bool {
        let names = &self.request.names;
        let is_quick = pace == Pace::Quick || !self.request.quick;
        is_quick && (names.is_empty() || names.iter().any(|part| table == part || row.contains(part.as_str())))
    }

    /// Writes a program into the folder of the benchmarks.
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// Runs `hardbop TASK PROGRAM OPTIONS` and reads its answer.
    fn run(&self, task: &str, program: &Path, options: &[&str], limits: Limits) -> Result<Run, Failure> {
        let mut command: Vec<OsString> = vec![self.command.clone().into(), task.into(), program.into()];
        command.extend(options.iter().map(OsString::from));
        command.extend(["--json", "--stats", "--time-limit"].map(OsString::from));
        command.push(limits.seconds.to_string().into());
        if let Some(megabytes) = limits.megabytes {
            command.extend(["--memory-limit".into(), megabytes.to_string().into()]);
        }
        let output = self.folder.join("output.json");
        let usage = self.shortest(&command, limits.seconds, &output)?;
        let answer: Value = serde_json::from_slice(&std::fs::read(&output)?).unwrap_or_default();
        let verdict = answer["verdict"].as_str().map_or_else(|| format!("exit {:?}", usage.code), String::from);
        Ok(Run { usage, verdict, peak_nodes: answer["stats"]["peak_nodes"].as_u64() })
    }

    fn run_peers(&self, program: &Path) -> Result<Vec<peer::Run>, Failure> {
        let output = self.folder.join("output.txt");
        let run = |peer: &Peer| -> Result<peer::Run, Failure> {
            let usage = self.shortest(&peer.command(program), PATIENCE, &output)?;
            let text = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
            Ok(peer::Run { usage, verdict: peer::verdict(&text, program) })
        };
        self.request.peers.iter().map(run).collect()
    }

    /// The best of several runs.
    fn shortest(&self, command: &[OsString], seconds: u64, output: &Path) -> Result<Usage, Failure> {
        // A command that minds its limit itself is given the time to say so.
        let seconds = seconds + 2;
        let mut best = usage(command, seconds, output)?;
        if !self.request.quick && best.seconds < WORTH_REPEATING {
            for _ in 1..REPETITIONS {
                let again = usage(command, seconds, output)?;
                if again.seconds < best.seconds {
                    best = again;
                }
            }
        }
        Ok(best)
    }
}
