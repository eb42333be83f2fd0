//! Reading the user's files: every way in which a path can fail to be a source text has a name of its own.

use crate::arguments::CompilerOptions;
use crate::compiler;
use crate::diagnostics::Rejection;
use crate::evidence::Failure;
use hardbop_base::{Budget, Diagnostic, FileId, Severity, SourceMap};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The kinds of file that have a road, for messages.
pub const KINDS: &str = "`.bp` (boolean programs), `.rem` (Remopla), `.pds` (pushdown systems), \
                          `.c`, `.i`, `.yml` (C, preprocessed C, SV-COMP tasks)";

/// Source files larger than this are shown as they were preprocessed.
const LARGEST_WRITTEN: u64 = 64 << 20;

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &[
    "directory-given",
    "empty-file",
    "file-not-found",
    "file-too-large",
    "misfit-kind",
    "not-utf8",
    "several-files",
    "unreadable-file",
    "unsupported-kind",
];

/// What a file is, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A boolean program.
    BooleanProgram,
    /// A program in Remopla.
    Remopla,
    /// A symbolic pushdown system.
    PushdownSystem,
}

/// What a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// One whose programs have finitely many data; they are one file.
    Finite(Kind),
    /// C; a program may be several files.
    C,
}

/// Says what is wrong where `files` are no C program.
pub fn expect_c(files: &[impl AsRef<Path>]) -> Result<(), Diagnostic> {
    match language(files)? {
        Language::C => Ok(()),
        Language::Finite(_) => {
            let error = Diagnostic::error("misfit-kind", "this command takes C programs only", None);
            Err(error.help("`hardbop check` decides what can happen in programs of other kinds"))
        }
    }
}

/// The kind of the program in `files`, for commands that take finite data only.
pub fn kind(files: &[impl AsRef<Path>]) -> Result<Kind, Diagnostic> {
    match language(files)? {
        Language::Finite(kind) => Ok(kind),
        Language::C => {
            let error = Diagnostic::error("misfit-kind", "this command does not take C programs", None);
            Err(error.help("`hardbop flow` checks a C program; `hardbop show --stage c` shows how it is read"))
        }
    }
}

/// What the program in `files` is written in.
pub fn language(files: &[impl AsRef<Path>]) -> Result<Language, Diagnostic> {
    let mut languages = files.iter().map(|file| language_of(file.as_ref()));
    let first = languages.next().expect("a command has at least one file")?;
    for other in languages {
        if (other?, first) != (Language::C, Language::C) {
            let message = format!("{} files are given, and only a C program has several", files.len());
            return Err(Diagnostic::error("several-files", message, None).help("check each file in a run of its own"));
        }
    }
    Ok(first)
}

fn language_of(path: &Path) -> Result<Language, Diagnostic> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("bp") => Ok(Language::Finite(Kind::BooleanProgram)),
        Some("rem") => Ok(Language::Finite(Kind::Remopla)),
        Some("pds") => Ok(Language::Finite(Kind::PushdownSystem)),
        Some("c" | "i" | "yml") => Ok(Language::C),
        _ if path.is_dir() => Err(directory_given(path)),
        Some(extension) => {
            let message = format!("{}: files of kind `.{extension}` are not supported", path.display());
            Err(Diagnostic::error("unsupported-kind", message, None).help(format!("supported: {KINDS}")))
        }
        None => {
            let message = format!("{}: the name does not say what kind of file it is", path.display());
            Err(Diagnostic::error("unsupported-kind", message, None).help(format!("supported: {KINDS}")))
        }
    }
}

/// The source texts of a run, and what the stages so far have found in them.
#[derive(Default, Debug)]
pub struct Input {
    /// The texts.
    pub sources: SourceMap,
    /// What the user may not have meant.
    pub warnings: Vec<Diagnostic>,
}

impl Input {
    /// Reads `path`, under the name that the user gave it.
    pub fn read(&mut self, path: &Path) -> Result<FileId, Diagnostic> {
        let bytes = read_bytes(path)?;
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?;
        if text.trim().is_empty() {
            let message = format!("{} is empty", path.display());
            return Err(Diagnostic::error("empty-file", message, None).help(least(path)));
        }
        self.sources.add(path.display().to_string(), text).ok_or_else(|| too_large(path))
    }

    /// Reads the C file `path`: preprocessed, unless its name says that it has been.
    pub fn read_c(&mut self, path: &Path, compiler: &CompilerOptions, budget: &Budget) -> Result<FileId, Failure> {
        let bytes = match path.extension().and_then(|extension| extension.to_str()) {
            Some("i") => read_bytes(path)?,
            _ => {
                // So that a missing file is not the compiler's to report.
                std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
                compiler::preprocess(path, compiler, budget)?
            }
        };
        let text = hardbop_lang_c::decode(bytes);
        Ok(self.sources.add(path.display().to_string(), text).ok_or_else(|| too_large(path))?)
    }

    /// Reads how the user wrote the files that `file` was preprocessed from, for places and excerpts; those that cannot be
    /// read are shown as they were preprocessed, and so is a file that was preprocessed elsewhere.
    pub fn read_written<'p>(&mut self, file: FileId, paths: impl Iterator<Item = &'p str>) {
        if self.sources.file(file).path.ends_with(".i") {
            return;
        }
        for path in paths.collect::<BTreeSet<_>>() {
            // What a program says its source is may be a device.
            let is_text = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LARGEST_WRITTEN);
            if is_text
                && !self.sources.is_written(path)
                && let Ok(bytes) = read_bytes(Path::new(path))
            {
                self.sources.add_written(path, hardbop_lang_c::decode(bytes));
            }
        }
    }

    /// Takes `text`, which the user gave with the option `name`.
    pub fn take(&mut self, name: &str, text: &str) -> Result<FileId, Diagnostic> {
        self.sources.add(name.to_owned(), text.to_owned()).ok_or_else(|| too_large(Path::new(name)))
    }

    /// The text of `file`.
    pub fn text(&self, file: FileId) -> &str {
        &self.sources.file(file).text
    }

    /// The offset of `file` in the source map.
    pub fn start(&self, file: FileId) -> u32 {
        self.sources.file(file).start
    }

    /// Goes on where `found` are warnings, and keeps them.
    pub fn accept(&mut self, found: Vec<Diagnostic>) -> Result<(), Failure> {
        self.warnings.extend(found);
        match self.warnings.iter().any(|found| found.severity == Severity::Error) {
            true => Err(Failure::Rejected(self.reject())),
            false => Ok(()),
        }
    }

    /// Goes on with what a stage made of the texts, if it made anything.
    pub fn accept_result<T>(&mut self, made: Result<T, Vec<Diagnostic>>) -> Result<T, Failure> {
        made.map_err(|found| {
            self.warnings.extend(found);
            Failure::Rejected(self.reject())
        })
    }

    /// Gives up since `found` is so.
    pub fn refuse(&mut self, found: Diagnostic) -> Failure {
        self.warnings.push(found);
        Failure::Rejected(self.reject())
    }

    fn reject(&mut self) -> Rejection {
        let Self { sources, warnings } = std::mem::take(self);
        Rejection { sources, diagnostics: warnings }
    }
}

/// The least that a file of this kind must have.
fn least(path: &Path) -> &'static str {
    if path.extension().is_some_and(|extension| extension == "flow") {
        return "an analysis begins with its name and what it finds: `analysis mine \"what is wrong\"`; `hardbop init flow` \
                writes a file to start from";
    }
    match language_of(path) {
        Ok(Language::Finite(Kind::Remopla)) => {
            "a Remopla program has at least a module: `module void main() { skip; }`"
        }
        Ok(Language::Finite(Kind::PushdownSystem)) => {
            "a pushdown system has at least an initial configuration: `(p <main>)`"
        }
        Ok(Language::C) => "a C program has at least a function: `int main(void) { return 0; }`",
        Ok(Language::Finite(Kind::BooleanProgram)) | Err(_) => {
            "a boolean program has at least a procedure: `void main() begin skip; end`"
        }
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let failed = |error: std::io::Error| unreadable(path, &error);
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    if length >= u64::from(u32::MAX) {
        return Err(too_large(path));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    match error.kind() {
        ErrorKind::NotFound => {
            let message = format!("there is no file {}", path.display());
            let error = Diagnostic::error("file-not-found", message, None);
            match near_miss(path) {
                Some(near) => error.help(format!("there is {near}")),
                None => error,
            }
        }
        ErrorKind::IsADirectory => directory_given(path),
        _ => {
            let message = format!("{} cannot be read: {error}", path.display());
            Diagnostic::error("unreadable-file", message, None)
        }
    }
}

fn directory_given(path: &Path) -> Diagnostic {
    let message = format!("{} is a directory", path.display());
    Diagnostic::error("directory-given", message, None).help("name a file in it")
}

fn too_large(path: &Path) -> Diagnostic {
    Diagnostic::error("file-too-large", format!("{} has 4 GiB or more", path.display()), None)
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Diagnostic {
    let offset = error.utf8_error().valid_up_to();
    let byte = error.as_bytes()[offset];
    let message = format!("{} is not UTF-8: the byte at offset {offset} is 0x{byte:02x}", path.display());
    Diagnostic::error("not-utf8", message, None).help("`iconv -f latin1 -t utf8` converts an older text")
}

/// A file in the same directory whose name is nearly the one asked for.
fn near_miss(path: &Path) -> Option<String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = std::fs::read_dir(parent.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let name = path.file_name()?.to_str()?;
    let near = hardbop_base::diagnostic::nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}
