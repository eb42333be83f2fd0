//! `cargo xtask bench`: one table of what the command takes on the rows of `benches/`, beside its peers.

mod peer;
#[path = "../../benches/bp.rs"]
mod rows;
mod table;

use crate::measure::{Usage, usage};
use crate::{Failure, cargo, root};
use clap::Args;
use hardbop_testkit::template::{Answer, Dimensions, bebop_levels, bit_counter, random_program};
use peer::Peer;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use table::Table;

/// The seconds of processor time that a command may take.
const PATIENCE: u64 = 120;
/// A command that takes less is run again: the shortest time is the one least disturbed.
const WORTH_REPEATING: f64 = 2.0;
const REPETITIONS: usize = 5;
/// The label of all generated programs.
const GOAL: &str = "SLIC_ERROR";

/// `cargo xtask bench`.
#[derive(Args)]
pub struct Request {
    /// A tool to measure in the same run: `moped=PATH`, or NAME=COMMAND with `{file}` where the program goes
    #[arg(long = "peer", value_name = "NAME=COMMAND")]
    peers: Vec<Peer>,

    /// A folder of `.bp` files to measure, too
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,

    /// Only what takes seconds, once each, and not the kernel
    #[arg(long)]
    quick: bool,

    /// Parts of the names of rows; `kernel` is the table of BDD operations
    names: Vec<String>,
}

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
    /// It was given up after so many seconds.
    Over(f64),
    /// Nobody looked, or it cannot.
    Unmeasured,
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
    bench.programs()?;
    let wants_kernel = if request.names.is_empty() { !request.quick } else { bench.is_named("kernel") };
    if wants_kernel {
        println!("\nBDD operations");
        if !cargo().args(["bench", "--package", "hardbop-bdd", "--bench", "kernel"]).status()?.success() {
            return Err("the kernel cannot be measured".into());
        }
    }
    Ok(())
}

fn target_folder() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

struct Bench<'a> {
    request: &'a Request,
    command: PathBuf,
    folder: PathBuf,
}

impl Bench<'_> {
    /// Prints the table of all programs that are asked for, if any are.
    fn programs(&self) -> Result<(), Failure> {
        let rows: Vec<&Row> = rows::ROWS.iter().filter(|row| self.is_wanted(row)).collect();
        let inputs = self.other_inputs()?;
        if rows.is_empty() && inputs.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(&self.request.peers);
        for row in rows {
            if let Some(program) = self.program(row.input)? {
                let run = self.run(&program, row.trace)?;
                table.add(row, &run, &self.run_peers(&program)?);
            }
        }
        for program in inputs {
            let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let run = self.run(&program, Trace::With)?;
            table.add_input(&name, &run, &self.run_peers(&program)?);
        }
        table.finish();
        Ok(())
    }

    fn is_wanted(&self, row: &Row) -> bool {
        (self.request.names.is_empty() || self.is_named(row.name)) && (row.pace == Pace::Quick || !self.request.quick)
    }

    fn is_named(&self, name: &str) -> bool {
        self.request.names.iter().any(|part| name.contains(part.as_str()))
    }

    /// The file of `input`; none where it is not there.
    fn program(&self, input: Input) -> Result<Option<PathBuf>, Failure> {
        let (name, text) = match input {
            Input::Levels(levels) => (format!("template-{levels}.bp"), bebop_levels(levels, Answer::Reachable)),
            Input::Counter(bits) => (format!("counter-{bits}.bp"), bit_counter(bits, Answer::Reachable)),
            Input::Random { globals, procedures, statements, seed } => (
                format!("random-{globals}-{procedures}-{statements}-{seed}.bp"),
                random_program(Dimensions { globals, procedures, statements, seed }),
            ),
            Input::File(name) => {
                let path = self.request.inputs.as_ref().map(|folder| folder.join(name));
                return Ok(path.filter(|path| path.exists()));
            }
        };
        let path = self.folder.join(name);
        std::fs::write(&path, text)?;
        Ok(Some(path))
    }

    /// The files of the folder that the user names which are in no row.
    fn other_inputs(&self) -> Result<Vec<PathBuf>, Failure> {
        let Some(folder) = &self.request.inputs else { return Ok(Vec::new()) };
        let is_in_row =
            |path: &Path| rows::ROWS.iter().any(|row| matches!(row.input, Input::File(name) if path.ends_with(name)));
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_program = path.extension().is_some_and(|extension| extension == "bp");
            if is_program && !is_in_row(&path) && (self.request.names.is_empty() || self.is_named(&name)) {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }

    fn run(&self, program: &Path, trace: Trace) -> Result<Run, Failure> {
        let mut command: Vec<OsString> = vec![self.command.clone().into(), "check".into(), program.into()];
        if std::fs::read_to_string(program)?.contains(GOAL) {
            command.extend(["--goal".into(), GOAL.into()]);
        }
        command.extend(["--json", "--stats", "--time-limit"].map(OsString::from));
        command.push(PATIENCE.to_string().into());
        if trace == Trace::Without {
            command.push("--no-trace".into());
        }
        let output = self.folder.join("output.json");
        let usage = self.shortest(&command, &output)?;
        let answer: Value = serde_json::from_slice(&std::fs::read(&output)?).unwrap_or_default();
        let verdict = answer["verdict"].as_str().map_or_else(|| format!("exit {:?}", usage.code), String::from);
        Ok(Run { usage, verdict, peak_nodes: answer["stats"]["peak_nodes"].as_u64() })
    }

    fn run_peers(&self, program: &Path) -> Result<Vec<peer::Run>, Failure> {
        let output = self.folder.join("output.txt");
        let run = |peer: &Peer| -> Result<peer::Run, Failure> {
            let usage = self.shortest(&peer.command(program), &output)?;
            let text = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
            Ok(peer::Run { usage, verdict: peer::verdict(&text) })
        };
        self.request.peers.iter().map(run).collect()
    }

    /// The best of several runs.
    fn shortest(&self, command: &[OsString], output: &Path) -> Result<Usage, Failure> {
        let mut best = usage(command, PATIENCE + 2, output)?;
        if !self.request.quick && best.seconds < WORTH_REPEATING {
            for _ in 1..REPETITIONS {
                let again = usage(command, PATIENCE + 2, output)?;
                if again.seconds < best.seconds {
                    best = again;
                }
            }
        }
        Ok(best)
    }
}
