//! From arguments to output and exit code.

use crate::answer::text::{Extent, Manner};
use crate::answer::{Announcement, Answer, Outcome, json, text};
use crate::arguments::{Arguments, Ask, Check, Command, Explain, Flow, Format, Limits, Output, Shape, Show, Unfold};
use crate::diagnostics::{self, Rejection};
use crate::evidence::Failure;
use crate::figures::Figures;
use crate::palette::Palette;
use crate::progress::{Line, Phases, Visibility};
use crate::roads::Shown;
use crate::watchdog::{self, Ending};
use crate::{explain, flow, init, roads, show, wrong_call};
use hardbop_base::Budget;
use hardbop_verdict::Reason;
use serde_json::{Value, json};
use std::io::{BufWriter, ErrorKind, Result, StdoutLock, Write};

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;
const WRONG_INPUT: i32 = 2;
const UNKNOWN: i32 = 3;
const OUR_FAULT: i32 = 4;

/// Does what is asked; the exit code.
pub fn run(arguments: Arguments) -> i32 {
    match arguments.command {
        None => print(0, write_welcome),
        Some(Command::Check(request)) => check(request),
        Some(Command::Ask(request)) => ask(request),
        Some(Command::Flow(request)) => flow(request),
        Some(Command::Show(request)) => show(request),
        Some(Command::Init(request)) => print(0, |out| out.write_all(init::text(request.what).as_bytes())),
        Some(Command::Explain(request)) => explain(&request),
    }
}

/// Says for a program that the call is wrong; the exit code.
pub fn refuse(error: &clap::Error) -> i32 {
    print_json(WRONG_INPUT, &Rejection::from(wrong_call::diagnostic(error)).json())
}

fn write_welcome(out: &mut Out<'_>) -> Result<()> {
    let program = std::env::args().next().unwrap_or_else(|| "hardbop".into());
    writeln!(
        out,
        "Hardbop decides whether what must not happen can happen, and shows how or proves that it cannot.\n"
    )?;
    writeln!(out, "From a checkout, these run as they are:\n")?;
    writeln!(out, "  {program} check examples/lock.bp")?;
    writeln!(out, "      finds how a lock is taken twice, and shows the shortest way there")?;
    writeln!(out, "  {program} check examples/recursion.bp --certify")?;
    writeln!(out, "      proves a recursive program, and has the proof checked")?;
    writeln!(out, "  {program} check examples/quicksort.rem --terminates")?;
    writeln!(out, "      finds a Quicksort that goes on for ever, and shows its loop")?;
    writeln!(out, "  {program} flow examples/list.c --analysis null")?;
    writeln!(out, "      finds where a C program follows a NULL pointer, and shows the way there")?;
    writeln!(out, "  {program} show examples/bebop.bp --stage icfg")?;
    writeln!(out, "      prints the control-flow graph; --format dot draws it\n")?;
    writeln!(out, "`{program} check --help` has all options, `{program} explain` all diagnostics.")
}

fn check(request: Check) -> i32 {
    let Check { limits, output, unfold, .. } = request;
    answer(limits, output, (unfold, Extent::Full), move |budget, known| roads::check(&request, budget, known))
}

fn ask(request: Ask) -> i32 {
    let Ask { limits, output, unfold, format, .. } = request;
    // A graph is printed alone, for a tool that draws it.
    let extent = if format == Some(Format::Dot) { Extent::Listing } else { Extent::Full };
    answer(limits, output, (unfold, extent), move |budget, known| roads::ask(&request, budget, known))
}

/// Works out an answer within `limits`, and prints it.
fn answer(
    limits: Limits,
    output: Output,
    (unfold, extent): (Unfold, Extent),
    work: impl FnOnce(&Budget, &Announcement) -> std::result::Result<Answer, Failure> + Send + 'static,
) -> i32 {
    let phases = Phases::default();
    let announcement = Announcement::default();
    let known = announcement.clone();
    let ending = watchdog::watch(limits, &phases, line(output), move |budget| work(budget, &known));
    let answer = match ending {
        Ending::Done(Ok(answer)) => answer,
        Ending::Done(Err(Failure::Rejected(rejection))) => return reject(&rejection, output.shape),
        Ending::Done(Err(Failure::Fault(fault))) | Ending::Panicked(fault) => return confess(&fault, output.shape),
        Ending::Done(Err(Failure::Stopped(limit))) | Ending::Overrun(limit) => {
            announcement.unknown(&Reason::Limit(limit))
        }
    };
    let figures = output.stats.then(|| figures(&phases, Some(&answer)));
    print_answer(&answer, figures.as_ref(), (limits, unfold, extent), output)
}

fn print_answer(
    answer: &Answer,
    figures: Option<&Figures>,
    (limits, unfold, extent): (Limits, Unfold, Extent),
    output: Output,
) -> i32 {
    let code = match answer.outcome() {
        Outcome::Holds => HOLDS,
        Outcome::Violated => VIOLATED,
        Outcome::Unknown => UNKNOWN,
    };
    if output.shape.json {
        return print(code, |out| json::write(out, answer, figures, limits));
    }
    if !output.quiet {
        complain(&diagnostics::render(&answer.sources, &answer.warnings, output.shape.color));
    }
    let extent = if output.quiet { Extent::LastLine } else { extent };
    let manner = Manner { palette: Palette::of_stdout(output.shape.color), unfold, extent, limits };
    print(code, |out| text::write(out, answer, figures, &manner))
}

fn flow(request: Flow) -> i32 {
    let Flow { limits, output, unfold, .. } = request;
    let phases = Phases::default();
    let ending = watchdog::watch(limits, &phases, line(output), move |budget| roads::flow(&request, budget));
    let answer = match ending {
        Ending::Done(Ok(answer)) => answer,
        Ending::Done(Err(Failure::Rejected(rejection))) => return reject(&rejection, output.shape),
        Ending::Done(Err(Failure::Fault(fault))) | Ending::Panicked(fault) => return confess(&fault, output.shape),
        Ending::Done(Err(Failure::Stopped(limit))) | Ending::Overrun(limit) => {
            let figures = output.stats.then(|| figures(&phases, None));
            if output.shape.json {
                return print(UNKNOWN, |out| flow::json::write_stopped(out, limit, figures.as_ref(), limits));
            }
            let unknown = Announcement::default().unknown(&Reason::Limit(limit));
            return print_answer(&unknown, figures.as_ref(), (limits, unfold, Extent::Full), output);
        }
    };
    let figures = output.stats.then(|| Figures { recalled: answer.recalled, ..figures(&phases, None) });
    let code = match (answer.count(flow::Status::MayFail), answer.count(flow::Status::Unknown)) {
        (0, 0) => HOLDS,
        (0, _) => UNKNOWN,
        _ => VIOLATED,
    };
    if output.shape.json {
        return print(code, |out| flow::json::write(out, &answer, figures.as_ref(), limits));
    }
    if !output.quiet {
        complain(&diagnostics::render(&answer.sources, &answer.warnings, output.shape.color));
    }
    let (color, extent) = (output.shape.color, if output.quiet { Extent::LastLine } else { Extent::Full });
    let manner = flow::text::Manner { palette: Palette::of_stdout(color), color, extent, unfold, limits };
    print(code, |out| flow::text::write(out, &answer, figures.as_ref(), &manner))
}

fn show(request: Show) -> i32 {
    let Show { limits, output, .. } = request;
    let format = match show::format(request.format, output.shape) {
        Ok(format) => format,
        Err(diagnostic) => return reject(&diagnostic.into(), output.shape),
    };
    let phases = Phases::default();
    match watchdog::watch(limits, &phases, line(output), move |budget| roads::show(&request, format, budget)) {
        Ending::Done(Ok(Shown { text, input })) => {
            if !output.quiet {
                complain(&diagnostics::render(&input.sources, &input.warnings, output.shape.color));
            }
            if output.stats {
                let mut table = Vec::new();
                figures(&phases, None).write(&mut table).expect("memory takes everything");
                complain(&String::from_utf8_lossy(&table));
            }
            print(0, |out| out.write_all(text.as_bytes()))
        }
        Ending::Done(Err(Failure::Rejected(rejection))) => reject(&rejection, output.shape),
        Ending::Done(Err(Failure::Fault(fault))) | Ending::Panicked(fault) => confess(&fault, output.shape),
        Ending::Done(Err(Failure::Stopped(limit))) | Ending::Overrun(limit) => {
            let reason = Reason::Limit(limit);
            let manner = (limits, Unfold::All, Extent::Full);
            print_answer(&Announcement::default().unknown(&reason), None, manner, output)
        }
    }
}

fn figures(phases: &Phases, answer: Option<&Answer>) -> Figures {
    Figures {
        phases: phases.times(),
        cpu_seconds: watchdog::meter::cpu_seconds(),
        peak_megabytes: watchdog::meter::peak_megabytes(),
        engine: answer.and_then(|answer| answer.stats.clone()),
        recalled: None,
        rungs: answer.map_or_else(Vec::new, |answer| answer.rungs.clone()),
    }
}

fn explain(request: &Explain) -> i32 {
    let shape = request.shape;
    let page = match request.code.as_deref().map(explain::page).transpose() {
        Ok(page) => page,
        Err(diagnostic) => return reject(&diagnostic.into(), shape),
    };
    if shape.json {
        return print(0, |out| writeln!(out, "{}", explain::json(page)));
    }
    match page {
        Some(page) => print(0, |out| out.write_all(page.text.as_bytes())),
        None => print(0, |out| explain::write_list(out, &Palette::of_stdout(shape.color))),
    }
}

fn line(output: Output) -> Line {
    Line::new(if output.quiet { Visibility::Hidden } else { Visibility::Shown })
}

/// The user's input is wrong.
fn reject(rejection: &Rejection, shape: Shape) -> i32 {
    if shape.json {
        return print_json(WRONG_INPUT, &rejection.json());
    }
    complain(&rejection.text(shape.color));
    WRONG_INPUT
}

/// We are wrong.
fn confess(fault: &str, shape: Shape) -> i32 {
    if shape.json {
        let error = json!({ "code": "internal-error", "message": fault, "file": null, "line": null, "column": null });
        return print_json(OUR_FAULT, &json!({ "format": 1, "errors": [error] }));
    }
    let version = env!("CARGO_PKG_VERSION");
    complain(&format!(
        "internal error: {fault}\n\
         This is a fault of Hardbop {version}, not of your program, and no verdict.\n\
         Please report it with the lines above, the command line and the file;\n\
         `hardbop explain internal-error` says what may help meanwhile.\n"
    ));
    OUR_FAULT
}

type Out<'a> = BufWriter<StdoutLock<'a>>;

fn print_json(code: i32, value: &Value) -> i32 {
    print(code, |out| writeln!(out, "{value}"))
}

/// Prints on standard output; the exit code.
fn print(code: i32, write: impl FnOnce(&mut Out<'_>) -> Result<()>) -> i32 {
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => code,
        // Whoever reads has seen enough: `| head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code,
        Err(error) => {
            complain(&format!("error: the answer cannot be written: {error}\n"));
            WRONG_INPUT
        }
    }
}

/// Prints on standard error. Where that is closed there is nobody to tell.
fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
