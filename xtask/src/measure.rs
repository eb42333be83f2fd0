//! What one command uses: processor time, memory, output.
//!
//! The system reports the use of all children together, and counts the memory of the process that starts a child as the
//! child's own until it is replaced. So each measurement is made by a process that is small and has one child.

use crate::Failure;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `cargo xtask measure`.
#[derive(Args)]
pub struct Request {
    /// Where the command's standard output goes
    #[arg(long)]
    output: PathBuf,

    /// The seconds of processor time after which the system ends the command
    #[arg(long)]
    seconds: u64,

    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// What a command used.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
pub struct Usage {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// Seconds of processor time, user and system.
    pub seconds: f64,
    /// The most megabytes that were resident at once.
    pub megabytes: f64,
    /// The bytes on its standard output.
    pub bytes: u64,
}

/// Runs `command` in a process of its own that measures it, and is ended after `seconds` of processor time.
pub fn usage(command: &[OsString], seconds: u64, output: &Path) -> Result<Usage, Failure> {
    let mut measurer = Command::new(std::env::current_exe()?);
    measurer.arg("measure").arg("--output").arg(output).args(["--seconds", &seconds.to_string(), "--"]);
    let reply = measurer.args(command).stderr(Stdio::inherit()).output()?;
    if !reply.status.success() {
        return Err(format!("{} cannot be measured", command[0].display()).into());
    }
    Ok(serde_json::from_slice(&reply.stdout)?)
}

/// Runs the command and prints its [`Usage`].
#[cfg(unix)]
pub fn measure(request: &Request) -> Result<(), Failure> {
    use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
    use nix::sys::time::TimeValLike;

    setrlimit(Resource::RLIMIT_CPU, request.seconds, request.seconds + 1)?;
    let output = File::create(&request.output)?;
    let (program, arguments) = request.command.split_first().ok_or("there is no command")?;
    let mut child = Command::new(program);
    child.args(arguments).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(Stdio::null());
    let status = child.status().map_err(|error| format!("{} does not start: {error}", program.display()))?;
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let microseconds = used.user_time().num_microseconds() + used.system_time().num_microseconds();
    // Linux says kilobytes, the systems of Apple say bytes.
    let unit = if cfg!(target_vendor = "apple") { 1.0 } else { 1024.0 };
    let usage = Usage {
        code: status.code(),
        seconds: microseconds as f64 / 1e6,
        megabytes: used.max_rss() as f64 * unit / 1e6,
        bytes: output.metadata()?.len(),
    };
    println!("{}", serde_json::to_string(&usage)?);
    Ok(())
}

/// Says that nothing is measured here.
#[cfg(not(unix))]
pub fn measure(_request: &Request) -> Result<(), Failure> {
    Err("processor time and memory are measured on Unix only".into())
}
