//! Tools of others that the user has: how they are called and what their answers look like.

use crate::measure::Usage;
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;

/// A tool.
#[derive(Clone, Debug)]
pub struct Peer {
    /// What its column is called.
    pub name: String,
    words: Vec<String>,
    /// The arguments are those of Moped, which depend on the program's language.
    is_moped: bool,
}

/// What one run of it gave.
pub struct Run {
    /// What it used.
    pub usage: Usage,
    /// Its answer, in our words; none where it gave none that we know.
    pub verdict: Option<&'static str>,
}

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, command) = text.split_once('=').ok_or("NAME=COMMAND is expected, such as moped=/opt/bin/moped")?;
        let mut words: Vec<String> = command.split_whitespace().map(String::from).collect();
        if words.is_empty() {
            return Err(format!("there is no command for `{name}`"));
        }
        let is_moped = name == "moped" && !command.contains("{file}");
        if !is_moped && !command.contains("{file}") {
            words.push("{file}".into());
        }
        Ok(Self { name: name.into(), words, is_moped })
    }
}

impl Peer {
    /// The command for `program`.
    pub fn command(&self, program: &Path) -> Vec<OsString> {
        let path = program.to_string_lossy();
        let mut command: Vec<OsString> = self.words.iter().map(|word| word.replace("{file}", &path).into()).collect();
        if self.is_moped && is_pushdown_system(program) {
            command.extend([program.into(), "<>end".into()]);
        } else if self.is_moped {
            command.extend(["-b".into(), program.into()]);
        }
        command
    }
}

fn is_pushdown_system(program: &Path) -> bool {
    program.extension().is_some_and(|extension| extension == "pds")
}

/// The answer in what a tool printed: Moped 1 says `YES.` or `NO.`, Moped 2 and Getafix whether it is reachable. `YES.`
/// is about the label of a boolean program, or the formula for a pushdown system.
pub fn verdict(output: &str, program: &Path) -> Option<&'static str> {
    let output = output.to_lowercase();
    if is_pushdown_system(program) && (output.contains("yes.") || output.contains("no.")) {
        Some(if output.contains("yes.") { "holds" } else { "violated" })
    } else if output.contains("not reachable") || output.contains("unreachable") || output.contains("no.") {
        Some("holds")
    } else if output.contains("reachable") || output.contains("yes.") {
        Some("violated")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, Peer, verdict};

    #[track_caller]
    fn check(peer: &str, program: &str, command: &[&str]) {
        let peer: Peer = peer.parse().unwrap();
        assert_eq!(peer.command(Path::new(program)), command);
    }

    #[test]
    fn path_alone_is_a_command() {
        check("moped=bin/moped", "a.bp", &["bin/moped", "-b", "a.bp"]);
        check("moped=bin/moped", "a.pds", &["bin/moped", "a.pds", "<>end"]);
        check("other=bin/other", "a.bp", &["bin/other", "a.bp"]);
    }

    #[test]
    fn file_goes_where_the_command_says() {
        check("moped=bin/moped -b {file} SLIC_ERROR", "a.bp", &["bin/moped", "-b", "a.bp", "SLIC_ERROR"]);
    }

    #[test]
    fn answers_of_peers_are_read() {
        let (bp, pds) = (Path::new("a.bp"), Path::new("a.pds"));
        assert_eq!(verdict("YES.\n", bp), Some("violated"));
        assert_eq!(verdict("NO.\n", bp), Some("holds"));
        assert_eq!(verdict("YES.\n", pds), Some("holds"));
        assert_eq!(verdict("SLIC_ERROR is Not Reachable", bp), Some("holds"));
        assert_eq!(verdict("parse error", bp), None);
    }
}
