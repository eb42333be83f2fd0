//! What is done to the workspace rather than by it: `cargo xtask bless`, `cargo xtask bench`.
//!
//! The rules of the house that a machine can check are this package's tests: `cargo test -p xtask`.

mod bench;
mod bless;
mod measure;
mod real_c;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Work on the workspace
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Rewrite the snapshots of tests; the difference is reviewed like code
    Bless(bless::Request),
    /// Measure the command on the programs of benches/ and print one table
    Bench(bench::Request),
    /// Run the C front end on programs out of the registry
    RealC(real_c::Request),
    /// Run one command and print what it used; `bench` does this in a process of its own
    #[command(hide = true)]
    Measure(measure::Request),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Bless(request) => bless::bless(&request),
        Task::Bench(request) => bench::bench(&request),
        Task::RealC(request) => real_c::real_c(&request),
        Task::Measure(request) => measure::measure(&request),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What went wrong, for the one who typed the command.
type Failure = Box<dyn std::error::Error>;

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the workspace").to_owned()
}

/// `cargo`, the one that runs this.
fn cargo() -> std::process::Command {
    let mut command = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}
