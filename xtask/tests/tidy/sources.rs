//! The files of the workspace.

use crate::root;
use std::path::Path;

/// Folders that are made, not written.
const MADE: [&str; 6] = [".git", "target", "docs/book", "fuzz/artifacts", "fuzz/corpus", "fuzz/target"];

/// A text file.
pub struct File {
    /// Its path from the workspace, with slashes.
    pub path: String,
    /// What is in it.
    pub text: String,
}

impl File {
    /// The lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The lines of a Rust file up to its test module, which is the last thing in a file.
    pub fn lines_before_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let is_module = |pair: &[&str]| pair[0].trim() == "#[cfg(test)]" && pair[1].trim().starts_with("mod ");
        let end = lines.windows(2).position(is_module).unwrap_or(lines.len());
        self.lines().take(end)
    }

    /// `path:line`, for a complaint.
    pub fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }

    /// Whether the file's name ends with one of `endings`.
    pub fn is_a(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }
}

/// All text files, by path.
pub fn all() -> Vec<File> {
    let mut files = Vec::new();
    collect(&root(), "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// All Rust files, by path.
pub fn rust() -> Vec<File> {
    all().into_iter().filter(|file| file.is_a(&[".rs"])).collect()
}

/// All Markdown files, by path.
pub fn markdown() -> Vec<File> {
    all().into_iter().filter(|file| file.is_a(&[".md"])).collect()
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}{name}");
        if entry.file_type().unwrap().is_dir() {
            if !MADE.contains(&path.as_str()) {
                collect(&entry.path(), &format!("{path}/"), files);
            }
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            files.push(File { path, text });
        }
    }
}
