//! `--cache DIR`: answers of earlier runs, a file for each.
//!
//! A file is named by its question and starts with the hash of the answer that follows, so a file that was cut short or
//! damaged is as good as none, and so is whatever else stands in its place. Each build of Hardbop has a directory of its
//! own: another may answer otherwise.

use hardbop_base::Diagnostic;
use hardbop_dataflow::Memory;
use hardbop_dataflow::content::Key;
use std::cell::{Cell, RefCell};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &["unusable-cache", "unwritten-cache"];

/// The length of a hash.
const HASH: usize = blake3::OUT_LEN;
/// Larger answers are not kept: what is larger was not written by a cache.
const LARGEST: u64 = 1 << 28;

/// A directory with answers.
#[derive(Debug)]
pub struct Cache {
    /// This build's directory.
    directory: PathBuf,
    recalled: Cell<Recalled>,
    /// What kept an answer from being written.
    trouble: RefCell<Option<io::Error>>,
}

/// What a cache was good for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Recalled {
    /// The questions that came up.
    pub asked: u64,
    /// Those whose answer was there.
    pub known: u64,
}

impl Cache {
    /// The cache in `directory`, which is made where it is not there.
    pub fn open(directory: &Path) -> Result<Self, Diagnostic> {
        let refuse = |error: io::Error| {
            let message = format!("`{}` cannot be used as a cache: {error}", directory.display());
            Diagnostic::error("unusable-cache", message, None).help("give `--cache` a directory that can be written to")
        };
        let this_build = std::env::current_exe().and_then(fs::read).map_err(refuse)?;
        let directory = directory.join(&blake3::hash(&this_build).to_hex()[..HASH / 2]);
        fs::create_dir_all(&directory).map_err(refuse)?;
        Ok(Self { directory, recalled: Cell::default(), trouble: RefCell::default() })
    }

    /// What it was good for.
    pub fn recalled(&self) -> Recalled {
        self.recalled.get()
    }

    /// That the next run will miss something, where it will.
    pub fn complaint(&self) -> Option<Diagnostic> {
        let trouble = self.trouble.borrow();
        let message =
            format!("an answer could not be written to `{}`: {}", self.directory.display(), trouble.as_ref()?);
        Some(Diagnostic::warning("unwritten-cache", message, None))
    }

    fn file(&self, question: &Key) -> PathBuf {
        let name = blake3::Hash::from(*question).to_hex();
        self.directory.join(&name[..2]).join(&name[2..])
    }

    fn read(&self, question: &Key) -> Option<Vec<u8>> {
        let content = read_plain(&self.file(question)).ok()?;
        let (hash, answer) = content.split_at_checked(HASH)?;
        (hash == blake3::hash(answer).as_bytes()).then(|| answer.to_vec())
    }

    /// Whoever reads meanwhile sees the whole file or none.
    fn write(&self, question: &Key, answer: &[u8]) -> io::Result<()> {
        let content = [blake3::hash(answer).as_bytes(), answer].concat();
        if content.len() as u64 > LARGEST {
            return Ok(());
        }
        let file = self.file(question);
        let unfinished = file.with_extension(std::process::id().to_string());
        fs::create_dir_all(file.parent().unwrap_or(&self.directory))?;
        // A process of this number may have died here, and what it left may be no file by now.
        let _ = fs::remove_file(&unfinished);
        OpenOptions::new().write(true).create_new(true).open(&unfinished)?.write_all(&content)?;
        fs::rename(unfinished, file)
    }
}

/// What is in a plain file of a size that answers have. Anything else is not opened: a pipe would wait for a writer.
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let is_plain = |found: fs::Metadata| found.is_file() && found.len() <= LARGEST;
    let mut content = Vec::new();
    if is_plain(fs::symlink_metadata(path)?) {
        let file = File::open(path)?;
        // It may be another by now.
        if is_plain(file.metadata()?) {
            file.take(LARGEST).read_to_end(&mut content)?;
        }
    }
    Ok(content)
}

impl Memory for Cache {
    fn recall(&self, question: &Key) -> Option<Vec<u8>> {
        let answer = self.read(question);
        let Recalled { asked, known } = self.recalled.get();
        self.recalled.set(Recalled { asked: asked + 1, known: known + u64::from(answer.is_some()) });
        answer
    }

    fn remember(&self, question: &Key, answer: &[u8]) {
        if let Err(error) = self.write(question, answer) {
            self.trouble.borrow_mut().get_or_insert(error);
        }
    }
}
