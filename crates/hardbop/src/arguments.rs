//! The command line: what can be asked for, and nothing about how it is answered.

use clap::{Args, Parser, Subcommand, ValueEnum};
use hardbop_dataflow::Precision;
use std::ffi::OsString;
use std::path::PathBuf;

/// The whole command line.
#[derive(Parser, Debug)]
#[command(name = "hardbop", version, about, disable_help_subcommand = true)]
#[command(after_help = "\
Exit codes: 0 holds, 1 violated, 2 the input or the call is wrong, 3 unknown, 4 a fault of Hardbop.
`hardbop` alone shows examples; `hardbop explain` lists every diagnostic.")]
pub struct Arguments {
    /// What to do; examples are shown where nothing is asked.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether something that must not happen can: a place reached, a formula violated, a run without end
    Check(Check),
    /// Ask which stacks can be there: `main* f where g=1`
    Ask(Ask),
    /// Decide at every place of a C program whether what an analysis requires there holds
    Flow(Flow),
    /// Print what a stage of the work makes of a program
    Show(Show),
    /// Print a commented file to start from
    Init(Init),
    /// Explain a diagnostic or a reason for `unknown`
    Explain(Explain),
}

/// `hardbop check`.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --goal, --ltl and --terminates every assertion and every statement labelled SLIC_ERROR or ERROR is checked.

Examples:
  hardbop check examples/lock.bp                     all assertions and error labels
  hardbop check examples/bebop.bp --goal SLIC_ERROR  one label
  hardbop check examples/lock.bp --goal examples/lock.bp:22
  hardbop check examples/server.bp --ltl 'G (@request -> F @reply)'
  hardbop check examples/quicksort.rem --terminates")]
pub struct Check {
    /// The program: one `.bp`, `.rem` or `.pds` file
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What must not be reached: LABEL, PROC:LABEL or FILE:LINE; may be given several times
    #[arg(long = "goal", value_name = "GOAL", conflicts_with_all = ["ltl", "terminates", "ltl_automaton"])]
    pub goals: Vec<String>,

    /// What must hold of every infinite run: `G (@request -> F @reply)`
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Option<String>,

    /// Every run must end or, with a procedure's name, every call of it
    #[arg(long, value_name = "PROC", num_args = 0..=1, require_equals = true, conflicts_with = "ltl")]
    pub terminates: Option<Option<String>>,

    /// What must not happen, as an automaton in the HOA format
    #[arg(long, value_name = "FILE.hoa", conflicts_with_all = ["ltl", "terminates"])]
    pub ltl_automaton: Option<PathBuf>,

    /// Look only at runs of which this holds, as in `G F @scheduled`; may be given several times
    #[arg(long, value_name = "FORMULA", conflicts_with = "ltl_automaton")]
    pub fair: Vec<String>,

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

/// `hardbop ask`.
#[derive(Args, Debug)]
#[command(after_help = "\
A set of stacks is a regular expression over their frames, from the bottom to the top: a procedure's name, `@label` or
`_` for any frame; `*`, `+`, `?`, `|` and parentheses; after `where` what must be so of globals and of the top frame.

Examples:
  hardbop ask examples/stack.bp '_* log where locked'    can `log` be at work while `locked`?
  hardbop ask examples/stack.bp '_* acquire _* log'      can `acquire` be on the stack below `log`?

Exit codes: 0 no such stack can be there, 1 one can, 3 unknown.")]
pub struct Ask {
    /// The program: one `.bp`, `.rem` or `.pds` file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The stacks that are asked about
    #[arg(value_name = "STACKS", required_unless_present = "automaton", conflicts_with = "automaton")]
    pub stacks: Option<String>,

    /// The stacks that are asked about, as an automaton: lines `start S`, `S FRAME -> S`, `accept S`, `where CONDITION`
    #[arg(long, value_name = "FILE")]
    pub automaton: Option<PathBuf>,

    /// Show the configurations from which such a stack can be reached, not those that can be reached
    #[arg(long)]
    pub pre: bool,

    /// How to print the configurations: text or dot [default: text]
    #[arg(long)]
    pub format: Option<Format>,

    /// The procedure that a run starts in [default: main]
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,

    /// Step into crossed calls while a trace stays under N lines; 0 folds all, `all` unfolds all
    #[arg(long, value_name = "N|all", default_value = "200")]
    pub unfold: Unfold,

    /// Print at most N configurations of each kind
    #[arg(long, value_name = "N", default_value = "20")]
    pub list: usize,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub output: Output,
}

/// `hardbop flow`.
#[derive(Args, Debug)]
#[command(after_help = "\
Shipped analyses with requirements: file, lock, null, taint, uninit. `hardbop init flow` prints one to start from.

Examples:
  hardbop flow examples/list.c --analysis null       can a NULL pointer be dereferenced?
  hardbop flow a.c b.c --analysis mine.flow -Iinclude --model models.c

Exit codes: 0 every place is safe or never reached, 1 some place may fail, 3 unknown.")]
pub struct Flow {
    /// The program: `.c`, `.i` or `.yml` files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What is looked for: the name of a shipped analysis, or a file
    #[arg(long, value_name = "NAME|FILE.flow")]
    pub analysis: String,

    /// How precisely: `path` (exact), `procedure` (one at a time), `projections=K` (groups of at most K facts), `flow`
    /// (facts one by one), or `auto`
    #[arg(long, value_name = "POINT", default_value = "auto", value_parser = parse_precision)]
    pub precision: Precision,

    /// What projections keep together: variables and members as the program calls them; may be given several times
    #[arg(long, value_name = "NAME,NAME…")]
    pub together: Vec<Together>,

    /// The function that is called from outside [default: main, or without one all functions that others can call]
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,

    #[command(flatten)]
    pub outside: Outside,

    /// Keep what is found about each procedure here, so that the next run redoes only what has changed
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Step into crossed calls while a path stays under N lines; 0 folds all, `all` unfolds all
    #[arg(long, value_name = "N|all", default_value = "200")]
    pub unfold: Unfold,

    #[command(flatten)]
    pub compiler: CompilerOptions,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub output: Output,
}

/// Names that belong together.
#[derive(Clone, Debug)]
pub struct Together(pub Vec<String>);

impl std::str::FromStr for Together {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.split(',').map(|name| name.trim().to_owned()).collect()))
    }
}

/// What is known of code that is not there.
#[derive(Args, Clone, Debug)]
pub struct Outside {
    /// Take it that values from outside may be anything, tested or not
    #[arg(long)]
    pub pessimistic: bool,

    /// C that defines functions which the program only declares; may be given several times
    #[arg(long = "model", value_name = "FILE.c")]
    pub models: Vec<PathBuf>,
}

/// `hardbop init`.
#[derive(Args, Debug)]
pub struct Init {
    /// What to start
    pub what: Start,
}

/// What can be started.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// An analysis for `hardbop flow`
    Flow,
}

/// `hardbop show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The program: one `.bp`, `.rem` or `.pds` file, or the `.c`, `.i` or `.yml` files of a C program
    #[arg(required_unless_present = "ltl", value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What to look at
    #[arg(long, required_unless_present = "ltl")]
    pub stage: Option<Stage>,

    /// The automaton of this formula, instead of a program
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["files", "stage", "entry"])]
    pub ltl: Option<String>,

    /// How to print it [default: text]
    #[arg(long)]
    pub format: Option<Format>,

    /// The procedure that a run starts in [default: main]
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,

    /// The analysis whose facts or boolean program are shown
    #[arg(long, value_name = "NAME|FILE.flow")]
    pub analysis: Option<String>,

    #[command(flatten)]
    pub outside: Outside,

    #[command(flatten)]
    pub compiler: CompilerOptions,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub output: Output,
}

/// How C is read, as the compiler has it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "C programs")]
pub struct CompilerOptions {
    /// Look for headers in DIR too
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,

    /// Take a macro's definition back
    #[arg(short = 'U', value_name = "NAME")]
    pub undefines: Vec<String>,

    /// Read FILE first; `-include FILE` as the compiler has it
    #[arg(long = "include", value_name = "FILE")]
    pub includes: Vec<PathBuf>,

    /// The language standard; `-std=NAME` as the compiler has it
    #[arg(long = "std", value_name = "NAME")]
    pub standard: Option<String>,

    /// `int`, `long` and pointers have 4 bytes; `-m32` as the compiler has it
    #[arg(long, conflicts_with = "m64")]
    pub m32: bool,

    /// `long` and pointers have 8 bytes; `-m64` as the compiler has it
    #[arg(long)]
    pub m64: bool,
}

/// `arguments` with the compiler's options of one dash and many letters written with two.
pub fn spell_out(arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    arguments.map(|argument| match argument.to_str() {
        Some("-include" | "-m32" | "-m64") => OsString::from(format!("-{}", argument.display())),
        Some(standard) if standard.starts_with("-std=") => OsString::from(format!("-{standard}")),
        _ => argument,
    })
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
    /// The boolean program, printed anew; of a C program, what an analysis makes of it
    Bp,
    /// A C program in its three-address form, as C
    C,
    /// Who calls whom in a C program
    Calls,
    /// What an analysis knows of each line of a C program
    Facts,
    /// What the pointers of a C program may point to
    PointsTo,
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
    /// An automaton for other tools
    Hoa,
    /// For programs
    Json,
}

/// An optimisation of the engine, or a rung of its ladder.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Optimisation {
    /// Order the bits of numbers by what is done with them
    Order,
    /// Let an automaton that is weak do without a memory
    Class,
    /// Look for repeating heads only among what can be reached
    Post,
    /// Cut the graphs of heads into components by control flow first
    Rough,
    /// Give outermost activations of recursive procedures code of their own
    Unroll,
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

fn parse_precision(text: &str) -> Result<Precision, String> {
    match (text, text.strip_prefix("projections=").map(str::parse)) {
        ("auto", _) => Ok(Precision::Auto),
        ("path", _) => Ok(Precision::Path),
        ("procedure", _) => Ok(Precision::Procedure),
        ("flow", _) => Ok(Precision::Flow),
        (_, Some(Ok(size @ 1..))) => Ok(Precision::Projections(size)),
        _ => Err("`auto`, `path`, `procedure`, `flow` or `projections=K` is expected, where K is at least 1".into()),
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
