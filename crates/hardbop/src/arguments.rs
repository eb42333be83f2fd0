//! The command line: what can be asked for, and nothing about how it is answered.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The whole command line.
#[derive(Parser, Debug)]
#[command(name = "hardbop", version, about, disable_help_subcommand = true)]
#[command(after_help = "\
Exit codes: 0 holds, 1 violated, 2 the input or the call is wrong, 3 unknown, 4 a fault of Hardbop.
`hardbop` alone shows three examples; `hardbop explain` lists every diagnostic.")]
pub struct Arguments {
    /// What to do; examples are shown where nothing is asked.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether a label, a failing assertion or a statement can be reached
    Check(Check),
    /// Print what a stage of the work makes of a program
    Show(Show),
    /// Explain a diagnostic or a reason for `unknown`
    Explain(Explain),
}

/// `hardbop check`.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --goal every assertion and every statement labelled SLIC_ERROR or ERROR is checked.

Examples:
  hardbop check examples/lock.bp                     all assertions and error labels
  hardbop check examples/bebop.bp --goal SLIC_ERROR  one label
  hardbop check examples/lock.bp --goal examples/lock.bp:22")]
pub struct Check {
    /// The program: one `.bp` file
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What must not be reached: LABEL, PROC:LABEL or FILE:LINE; may be given several times
    #[arg(long = "goal", value_name = "GOAL")]
    pub goals: Vec<String>,

    /// The procedure that a run starts in [default: main]
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,

    /// Check the proof of every goal that holds with an independent checker
    #[arg(long)]
    pub certify: bool,

    /// Step into crossed calls while a trace stays under N lines; 0 folds all, `all` unfolds all
    #[arg(long, value_name = "N|all", default_value = "200")]
    pub unfold: Unfold,

    /// Look for verdicts only, not for traces
    #[arg(long)]
    pub no_trace: bool,

    /// Switch an optimisation of the engine off, to measure it; may be given several times
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub without: Vec<Optimisation>,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub output: Output,
}

/// `hardbop show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The program: one `.bp` file
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What to look at
    #[arg(long)]
    pub stage: Stage,

    /// How to print it [default: text]
    #[arg(long)]
    pub format: Option<Format>,

    /// The procedure that a run starts in [default: main]
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub output: Output,
}

/// `hardbop explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// The code in brackets after `error` or `warning`, or after `unknown`; all are listed where none is given
    pub code: Option<String>,

    #[command(flatten)]
    pub shape: Shape,
}

/// How long and how large a run may become.
#[derive(Args, Clone, Copy, Debug)]
pub struct Limits {
    /// Stop with `unknown` after S seconds of processor time
    #[arg(long = "time-limit", value_name = "S", value_parser = parse_seconds)]
    pub seconds: Option<f64>,

    /// Stop with `unknown` at MB megabytes of resident memory
    #[arg(long = "memory-limit", value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub megabytes: Option<u64>,
}

/// What is printed, and how.
#[derive(Args, Clone, Copy, Debug)]
pub struct Output {
    #[command(flatten)]
    pub shape: Shape,

    /// Print figures of the run: time by phase, nodes, what each optimisation did
    #[arg(long)]
    pub stats: bool,

    /// Print no progress, no warnings, and of an answer only the last line
    #[arg(long)]
    pub quiet: bool,
}

/// How whatever is printed looks.
#[derive(Args, Clone, Copy, Debug)]
pub struct Shape {
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A stage that can be looked at.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The syntax tree
    Ast,
    /// The boolean program, printed anew
    Bp,
    /// The control-flow graph with what each edge does
    Icfg,
    /// The reachable states at each statement
    Invariants,
    /// What each procedure does to the variables
    Summaries,
}

/// How a stage is printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For reading
    Text,
    /// For Graphviz
    Dot,
    /// For programs
    Json,
}

/// An optimisation of the engine, or a rung of its ladder.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Optimisation {
    /// Drop what the goals cannot see
    Slice,
    /// Keep globals that a procedure cannot modify out of its path edges
    ModRef,
    /// Quantify out dead variables
    Liveness,
    /// Make straight-line chains one relation
    Chains,
    /// Propagate only what is new
    Frontiers,
    /// The first rung: concrete search
    Concrete,
    /// The second rung: the analysis without entry states
    Insensitive,
}

/// How far crossed calls are stepped into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfold {
    /// While the trace has at most so many lines.
    Lines(usize),
    /// Every sub-trace, once.
    All,
}

impl std::str::FromStr for Unfold {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            _ => text.parse().map(Self::Lines).map_err(|_| "a number of lines or `all` is expected".into()),
        }
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("a positive number of seconds is expected".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
