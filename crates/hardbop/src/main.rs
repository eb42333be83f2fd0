//! Hardbop, a software model checker: a program and a property in, a verdict with evidence out.
//!
//! [`roads`] is the table of contents: each road from a source text to a verdict, stage by stage. Everything else here
//! reads, watches or prints.

mod answer;
mod arguments;
mod c;
mod cache;
mod command;
mod compiler;
mod diagnostics;
mod evidence;
mod explain;
mod figures;
mod flow;
mod init;
mod input;
mod palette;
mod progress;
mod property;
mod roads;
mod show;
mod statement;
mod task;
mod trace;
mod watchdog;
mod wrong_call;

use clap::Parser;
use std::ffi::OsString;

fn main() {
    let arguments: Vec<OsString> = arguments::spell_out(std::env::args_os()).collect();
    let code = match arguments::Arguments::try_parse_from(&arguments) {
        Ok(asked) => command::run(asked),
        Err(error) if wrong_call::asks_for_json(&arguments) && !wrong_call::is_answered(&error) => {
            command::refuse(&wrong_call::with_choices(error))
        }
        Err(error) => wrong_call::with_choices(error).exit(),
    };
    // Not by returning: what is left behind, perhaps a worker that does not listen, is the system's to clear away.
    std::process::exit(code)
}
