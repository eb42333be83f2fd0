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
        if !command.contains("{file}") {
            // Moped takes pushdown systems unless it is told that the input is a boolean program.
            let is_moped = name == "moped";
            words.extend(is_moped.then(|| "-b".into()));
            words.push("{file}".into());
        }
        Ok(Self { name: name.into(), words })
    }
}

impl Peer {
    /// The command for `program`.
    pub fn command(&self, program: &Path) -> Vec<OsString> {
        let path = program.to_string_lossy();
        self.words.iter().map(|word| word.replace("{file}", &path).into()).collect()
    }
}

/// The answer in what a tool printed: Moped 1 says `YES.` or `NO.`, Moped 2 and Getafix whether it is reachable.
pub fn verdict(output: &str) -> Option<&'static str> {
    let output = output.to_lowercase();
    if output.contains("not reachable") || output.contains("unreachable") || output.contains("no.") {
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
    fn check(peer: &str, command: &[&str]) {
        let peer: Peer = peer.parse().unwrap();
        assert_eq!(peer.command(Path::new("a.bp")), command);
    }

    #[test]
    fn path_alone_is_a_command() {
        check("moped=bin/moped", &["bin/moped", "-b", "a.bp"]);
        check("other=bin/other", &["bin/other", "a.bp"]);
    }

    #[test]
    fn file_goes_where_the_command_says() {
        check("moped=bin/moped -b {file} SLIC_ERROR", &["bin/moped", "-b", "a.bp", "SLIC_ERROR"]);
    }

    #[test]
    fn answers_of_peers_are_read() {
        assert_eq!(verdict("YES.\n"), Some("violated"));
        assert_eq!(verdict("NO.\n"), Some("holds"));
        assert_eq!(verdict("SLIC_ERROR is Not Reachable"), Some("holds"));
        assert_eq!(verdict("parse error"), None);
    }
}
