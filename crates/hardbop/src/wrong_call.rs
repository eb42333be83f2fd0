//! A command line that is refused: for people as clap says it, for programs as any other error.

use crate::flow;
use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hardbop_base::Diagnostic;
use std::ffi::OsString;

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &["wrong-call"];

/// Whether the answer is for a program: nobody else can say, where the command line cannot be read.
pub fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Whether something is asked for that clap itself answers.
pub fn is_answered(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

/// The same, and which analyses there are where none is given.
pub fn with_choices(mut error: Error) -> Error {
    let is_missing = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(names))) => {
            names.iter().any(|name| name.starts_with("--analysis"))
        }
        _ => false,
    };
    if is_missing {
        let tip = StyledStr::from(flow::shipped_analyses());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// What is wrong, as a diagnostic: its first paragraph is the message, and what may help the others.
pub fn diagnostic(error: &Error) -> Diagnostic {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(joined);
    let first = paragraphs.next().unwrap_or_default();
    let help: Vec<String> = paragraphs.filter(|paragraph| !paragraph.starts_with("For more information")).collect();
    let message = first.strip_prefix("error: ").unwrap_or(&first);
    let diagnostic = Diagnostic::error("wrong-call", message, None);
    if help.is_empty() { diagnostic } else { diagnostic.help(help.join("; ")) }
}

/// The lines of a paragraph as one: the first, then what it lists.
fn joined(paragraph: &str) -> String {
    let mut lines = paragraph.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix("tip: ").unwrap_or(line)
    });
    let (first, rest) = (lines.next().unwrap_or_default(), lines.collect::<Vec<_>>().join(", "));
    if rest.is_empty() { first.to_owned() } else { format!("{first} {rest}") }
}
