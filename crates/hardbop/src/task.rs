//! Task files of SV-COMP (`.yml`): which program, which machine.
//!
//! Of YAML this reads what these files use: keys at the margin, values on their line or as a list of `- value` lines.

use hardbop_base::Diagnostic;
use hardbop_c_core::Target;
use std::path::{Path, PathBuf};

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &["task-without-input"];

/// A task.
#[derive(PartialEq, Eq, Debug)]
pub struct Task {
    /// The program's files, beside the task file.
    pub inputs: Vec<PathBuf>,
    /// The machine it names.
    pub target: Option<Target>,
}

/// Reads the task in `text`, the content of `path`.
pub fn read(path: &Path, text: &str) -> Result<Task, Diagnostic> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let inputs: Vec<PathBuf> = values(text, "input_files").map(|name| folder.join(name)).collect();
    if inputs.is_empty() {
        let message = format!("{} names no input file", path.display());
        return Err(Diagnostic::error("task-without-input", message, None)
            .help("a task file has a line `input_files: 'program.i'`"));
    }
    let target = values(text, "data_model").find_map(|model| match model {
        "ILP32" => Some(Target::Ilp32),
        "LP64" => Some(Target::Lp64),
        _ => None,
    });
    Ok(Task { inputs, target })
}

/// The values of `key`, wherever it stands.
fn values<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let mut lines = text.lines().filter(move |line| !is_comment(line));
    let first = lines.find_map(|line| line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':'));
    let inline = first.map(str::trim).filter(|value| !value.is_empty());
    let listed = first.is_some() && inline.is_none();
    let items = lines.map_while(move |line| line.trim_start().strip_prefix("- ").filter(|_| listed));
    let inline = inline.into_iter().flat_map(|value| value.trim_matches(['[', ']']).split(','));
    inline.chain(items).map(|value| value.trim().trim_matches(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, inputs: &[&str], target: Option<Target>) {
        let inputs = inputs.iter().map(PathBuf::from).collect();
        assert_eq!(read(Path::new("set/task.yml"), text).unwrap(), Task { inputs, target });
    }

    #[test]
    fn one_input_stands_on_the_line_of_its_key() {
        check("format_version: '1.0'\n# input_files: 'old.c'\ninput_files: 'new.i'\n", &["set/new.i"], None);
    }

    #[test]
    fn several_inputs_are_a_list() {
        let text = "input_files:\n  - 'a.c'\n  - \"b.c\"\nproperties:\n  - property_file: x.prp\n";
        check(text, &["set/a.c", "set/b.c"], None);
        check("input_files: ['a.c', b.c]\n", &["set/a.c", "set/b.c"], None);
    }

    #[test]
    fn options_name_the_machine() {
        let text = "input_files: a.c\noptions:\n  language: C\n  data_model: LP64\n";
        check(text, &["set/a.c"], Some(Target::Lp64));
    }

    #[test]
    fn a_task_without_input_is_an_error() {
        assert_eq!(read(Path::new("task.yml"), "properties:\n").unwrap_err().code, "task-without-input");
    }
}
