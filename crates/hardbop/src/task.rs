//! Task files of SV-COMP (`.yml`): which program, which machine.

use hardbop_base::{Diagnostic, Span};
use hardbop_c_core::Target;
use saphyr_parser::{Event, Parser, ScanError};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &["task-syntax", "task-without-input", "unknown-data-model"];

/// The machines that a task may name.
const MACHINES: [(&str, Target); 2] = [("ILP32", Target::Ilp32), ("LP64", Target::Lp64)];

/// A task.
#[derive(PartialEq, Eq, Debug)]
pub struct Task {
    /// The program's files, beside the task file.
    pub inputs: Vec<PathBuf>,
    /// The machine it names.
    pub target: Option<Target>,
}

/// Reads the task in `text`, the content of `path`, which begins at `start`.
pub fn read(path: &Path, text: &str, start: u32) -> Result<Task, Diagnostic> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut task = Task { inputs: Vec::new(), target: None };
    let place = |characters: Range<usize>| {
        let offset = |index| start + text.char_indices().nth(index).map_or(text.len(), |(at, _)| at) as u32;
        Span::new(offset(characters.start), offset(characters.end))
    };
    let values = values(text).map_err(|error| {
        let (at, message) = (error.marker().index(), format!("this is no YAML: {}", error.info()));
        Diagnostic::error("task-syntax", message, Some(place(at..at)))
    })?;
    for value in values {
        match &value.keys.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["input_files"] if !value.text.trim().is_empty() => task.inputs.push(folder.join(value.text.trim())),
            ["options", "data_model"] => {
                task.target = Some(machine(&value.text, place(value.place))?);
            }
            _ => {}
        }
    }
    if task.inputs.is_empty() {
        let message = format!("{} names no input file", path.display());
        return Err(Diagnostic::error("task-without-input", message, None)
            .help("a task file has a line `input_files: 'program.i'`"));
    }
    Ok(task)
}

fn machine(name: &str, span: Span) -> Result<Target, Diagnostic> {
    let known = MACHINES.iter().find(|(known, _)| *known == name);
    known.map(|&(_, target)| target).ok_or_else(|| {
        let message = format!("there is no data model `{name}`");
        Diagnostic::error("unknown-data-model", message, Some(span)).help("it is `ILP32` or `LP64`")
    })
}

/// A value in a file, and the keys that lead there; those in a list have the keys of the list.
struct Value {
    keys: Vec<String>,
    text: String,
    /// Its characters in the file.
    place: Range<usize>,
}

/// What is open.
enum Open {
    /// A mapping, and the key whose value comes next.
    Mapping(Option<String>),
    List,
}

fn values(text: &str) -> Result<Vec<Value>, ScanError> {
    let (mut open, mut found): (Vec<Open>, Vec<Value>) = (Vec::new(), Vec::new());
    for event in Parser::new_from_str(text) {
        let (event, place) = event?;
        let scalar = match event {
            Event::MappingStart(..) => {
                open.push(Open::Mapping(None));
                continue;
            }
            Event::SequenceStart(..) => {
                open.push(Open::List);
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                String::new()
            }
            Event::Scalar(scalar, ..) => {
                if !matches!(open.last(), Some(Open::Mapping(None))) {
                    let keys = open.iter().filter_map(|open| match open {
                        Open::Mapping(key) => key.clone(),
                        Open::List => None,
                    });
                    let place = place.start.index()..place.end.index();
                    found.push(Value { keys: keys.collect(), text: scalar.to_string(), place });
                }
                scalar.into_owned()
            }
            Event::Alias(_) => String::new(),
            _ => continue,
        };
        // A key, or what ends the value of one.
        if let Some(Open::Mapping(key)) = open.last_mut() {
            *key = if key.is_none() { Some(scalar) } else { None };
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, inputs: &[&str], target: Option<Target>) {
        let inputs = inputs.iter().map(PathBuf::from).collect();
        assert_eq!(read(Path::new("set/task.yml"), text, 0).unwrap(), Task { inputs, target });
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
    fn yaml_is_read_as_such() {
        let text =
            "# a task\ninput_files: a.c # the program\noptions: # of the machine\n  data_model: LP64 # 64 bits\n";
        check(text, &["set/a.c"], Some(Target::Lp64));
        check(
            "{input_files: [a.c, 'b c.i'], options: {language: C, data_model: ILP32}}",
            &["set/a.c", "set/b c.i"],
            Some(Target::Ilp32),
        );
        check(
            "input_files: [\"a.c\"] # c\nproperties:\n  - {property_file: p.prp, data_model: LP64}\n",
            &["set/a.c"],
            None,
        );
        check("input_files: >\n  a.c\nadditional: {input_files: b.c}\n", &["set/a.c"], None);
        check(
            "input_files: &it a.c\nother: *it\noptions: {? [a, b] : LP64, data_model: LP64}\n",
            &["set/a.c"],
            Some(Target::Lp64),
        );
    }

    #[test]
    fn what_is_no_task_is_an_error() {
        for (text, code) in [
            ("properties:\n", "task-without-input"),
            ("input_files: []\n", "task-without-input"),
            ("input_files:\n", "task-without-input"),
            ("", "task-without-input"),
            ("input_files: [a.c\n", "task-syntax"),
            ("input_files: 'a.c\n", "task-syntax"),
            ("input_files: a.c\noptions: {data_model: LP46}\n", "unknown-data-model"),
        ] {
            assert_eq!(read(Path::new("task.yml"), text, 0).unwrap_err().code, code, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(read(Path::new("task.yml"), &deep, 0).unwrap_err().code, "task-syntax");
    }
}
