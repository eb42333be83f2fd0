//! Source texts and places in them.
//!
//! All files share one line of byte offsets, so a [`Span`] is two numbers and needs no file.

mod written;

use crate::{Idx, IndexVec, newtype_index};
use std::collections::{BTreeSet, HashMap};

newtype_index! {
    /// A source file.
    pub struct FileId = "file";
}

/// A range of bytes in the [`SourceMap`], end excluded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to but not including `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span around both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place as a person writes it; lines and columns count from one, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// The path as the user gave it.
    pub path: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// One file: its path as the user gave it, its text and where its lines begin.
#[derive(Debug)]
pub struct SourceFile {
    /// The path as the user gave it.
    pub path: String,
    /// The text.
    pub text: String,
    /// The offset of the first byte in the source map.
    pub start: u32,
    line_starts: Vec<u32>,
    markers: Vec<Marker>,
}

/// From here on the lines come from another file, as a preprocessor's output says: `# 12 "driver.h"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marker {
    /// Where the first of these lines begins, in the source map.
    pub offset: u32,
    /// Its number in the file it came from.
    pub line: usize,
    /// That file.
    pub path: Box<str>,
    /// Whether it is a header of the system.
    pub is_system: bool,
}

/// Every source text of a run.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: IndexVec<FileId, SourceFile>,
    /// The texts before preprocessing, by the path that markers have.
    written: HashMap<String, FileId>,
}

/// In lines longer than this, nothing is looked for.
const LONGEST_LINE: usize = 1 << 14;

impl SourceMap {
    /// Adds a file. `None` where all texts together would pass 4 GiB.
    pub fn add(&mut self, path: impl Into<String>, text: String) -> Option<FileId> {
        let start = self.files.iter().last().map_or(0, SourceFile::end_with_gap);
        let end = u64::from(start) + text.len() as u64;
        if end >= u64::from(u32::MAX) {
            return None;
        }
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(start).chain(newlines.map(|(offset, _)| start + offset as u32 + 1)).collect();
        Some(self.files.push(SourceFile { path: path.into(), text, start, line_starts, markers: Vec::new() }))
    }

    /// Says where the lines of `id` came from; the markers are in the order of the text.
    pub fn set_markers(&mut self, id: FileId, mut markers: Vec<Marker>) {
        // What a macro of a header makes is marked as the header's where it is used; how a file begins says whose it is.
        let mut is_header: HashMap<Box<str>, bool> = HashMap::new();
        for marker in &mut markers {
            match is_header.get(&marker.path) {
                Some(&known) => marker.is_system &= known,
                None => drop(is_header.insert(marker.path.clone(), marker.is_system)),
            }
        }
        self.files[id].markers = markers;
    }

    /// The file of `id`.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The file that contains the start of `span`.
    pub fn file_of(&self, span: Span) -> &SourceFile {
        let after = self.files.as_slice().partition_point(|file| file.start <= span.start);
        &self.files[FileId::from_usize(after.saturating_sub(1))]
    }

    /// Whether `span` starts in a header of the system.
    pub fn is_of_system(&self, span: Span) -> bool {
        self.file_of(span).marker_at(span.start).is_some_and(|marker| marker.is_system)
    }

    /// Whether it is known how the user wrote the file that markers call `path`.
    pub fn is_written(&self, path: &str) -> bool {
        self.written.contains_key(path)
    }

    /// Adds the text that the user wrote, in the file that markers call `path`.
    pub fn add_written(&mut self, path: &str, text: String) {
        if let Some(id) = self.add(path, text) {
            self.written.insert(path.to_owned(), id);
        }
    }

    /// Where `span` starts, in the file that the user wrote.
    pub fn locate(&self, span: Span) -> Location<'_> {
        let span = self.as_written(span);
        let file = self.file_of(span);
        let (path, line) = file.origin(span.start);
        let before = &file.text[file.line_bytes(span.start).start..(span.start - file.start) as usize];
        Location { path, line, column: before.chars().count() + 1 }
    }

    /// What the user wrote where `span` is, if that is known; otherwise `span`.
    pub fn as_written(&self, span: Span) -> Span {
        self.find_written(span).unwrap_or(span)
    }

    fn find_written(&self, span: Span) -> Option<Span> {
        let file = self.file_of(span);
        let written = &self.files[*self.written.get(&*file.marker_at(span.start)?.path)?];
        let in_file = |offset: u32| (offset - file.start) as usize;
        let (path, number) = file.origin(span.start);
        let bytes = file.line_bytes(span.start);
        let is_one_line = in_file(span.end) <= bytes.end;
        let (from, to) = (in_file(span.start) - bytes.start, in_file(span.end).min(bytes.end) - bytes.start);
        let line = written.line_span(number)?;
        let text = self.text(line);
        if text.len().max(bytes.len()) > LONGEST_LINE {
            return None;
        }
        let found = written::find(text, &file.text[bytes], from..to);
        let at = |offset: usize| line.start + offset as u32;
        let start = at(found.start);
        let (end_path, end_number) = file.origin(span.end);
        if is_one_line || end_path != path || end_number < number {
            return Some(Span::new(start, at(found.end)));
        }
        // A macro of a system header stands on a line of its own after preprocessing, with the same number.
        if end_number == number {
            return Some(Span::new(start, at(written::end_of_code(text)).max(start)));
        }
        let (line, bytes) = (written.line_span(end_number)?, file.line_bytes(span.end));
        let end = in_file(span.end) - bytes.start;
        let end = line.start + written::find_end(self.text(line), &file.text[bytes], end) as u32;
        Some(Span::new(start, end))
    }

    /// The text that the user wrote where `span` is, if all that is before and behind it in its lines has not changed:
    /// then what was written in between has become what is there. Parentheses around it may come from a macro, too.
    pub fn written_text(&self, span: Span) -> Option<&str> {
        let mut spans = std::iter::successors(Some(span), |&span| self.parenthesised(span)).take(3);
        spans.find_map(|span| self.between_unchanged(span))
    }

    /// What is before `span` in its line.
    pub fn text_before(&self, span: Span) -> &str {
        let file = self.file_of(span);
        &file.text[file.line_bytes(span.start).start..(span.start - file.start) as usize]
    }

    /// `span` with the parentheses around it.
    fn parenthesised(&self, span: Span) -> Option<Span> {
        let file = self.file_of(span);
        let (before, behind) = file.text.split_at((span.start - file.start) as usize);
        let behind = &behind[(span.end - span.start) as usize..];
        let start = before.trim_end().strip_suffix('(')?.len();
        let end = file.text.len() - behind.trim_start().strip_prefix(')')?.len();
        Some(Span::new(file.start + start as u32, file.start + end as u32))
    }

    fn between_unchanged(&self, span: Span) -> Option<&str> {
        let file = self.file_of(span);
        let (path, first) = file.origin(span.start);
        let (end_path, last) = file.origin(span.end);
        let written = &self.files[*self.written.get(path)?];
        if end_path != path || last < first {
            return None;
        }
        let before = file.text_before(span.start, (path, first));
        let behind = file.text_behind(span.end, (path, last));
        let whole = Span::new(written.line_span(first)?.start, written.line_span(last)?.end);
        let text = self.text(whole);
        if text.len().max(before.len()).max(behind.len()) > LONGEST_LINE {
            return None;
        }
        let found = written::between(text, [&before, self.text(span), &behind])?;
        Some(&text[found])
    }

    /// The paths of all files, also of those that others were made from.
    pub fn paths(&self) -> BTreeSet<&str> {
        let markers = self.files.iter().flat_map(|file| &file.markers).map(|marker| &*marker.path);
        self.files.iter().map(|file| &*file.path).chain(markers).collect()
    }

    /// The text of `span`.
    pub fn text(&self, span: Span) -> &str {
        let file = self.file_of(span);
        &file.text[(span.start - file.start) as usize..(span.end - file.start) as usize]
    }
}

impl SourceFile {
    // One byte between files, so that a span at the end of one is not at the start of the next.
    fn end_with_gap(&self) -> u32 {
        self.start + self.text.len() as u32 + 1
    }

    /// The path of the file that `offset` came from, and the line there.
    fn origin(&self, offset: u32) -> (&str, usize) {
        let line = self.line_at(offset);
        match self.marker_at(offset) {
            None => (&self.path, line),
            Some(marker) => (&marker.path, marker.line + (line - self.line_at(marker.offset))),
        }
    }

    /// What stands before `offset` in the lines that came from the same line as it.
    fn text_before(&self, offset: u32, origin: (&str, usize)) -> String {
        let number = self.line_at(offset);
        let own = self.line_span(number).map_or(offset, |line| line.start);
        let earlier = (1..number).rev().take_while(|&line| self.is_marker(line) || self.comes_from(line, origin));
        let mut parts: Vec<&str> = earlier.filter(|&line| !self.is_marker(line)).map(|line| self.line(line)).collect();
        parts.reverse();
        parts.push(self.between(own, offset));
        parts.concat()
    }

    /// What stands from `offset` on in the lines that came from the same line as it.
    fn text_behind(&self, offset: u32, origin: (&str, usize)) -> String {
        let number = self.line_at(offset);
        let own = self.line_span(number).map_or(offset, |line| line.end);
        let later = (number + 1..=self.line_starts.len())
            .take_while(|&line| self.is_marker(line) || self.comes_from(line, origin));
        let later = later.filter(|&line| !self.is_marker(line)).map(|line| self.line(line));
        std::iter::once(self.between(offset, own)).chain(later).collect()
    }

    /// Whether a line of this text only says where the next ones came from.
    fn is_marker(&self, line: usize) -> bool {
        self.line(line).starts_with("# ")
    }

    fn comes_from(&self, line: usize, origin: (&str, usize)) -> bool {
        self.line_span(line).is_some_and(|span| self.origin(span.start) == origin)
    }

    fn line(&self, line: usize) -> &str {
        self.line_span(line).map_or("", |span| self.between(span.start, span.end))
    }

    fn between(&self, start: u32, end: u32) -> &str {
        &self.text[(start - self.start) as usize..(end - self.start) as usize]
    }

    /// The last marker before `offset`.
    fn marker_at(&self, offset: u32) -> Option<&Marker> {
        let last = self.markers.partition_point(|marker| marker.offset <= offset).checked_sub(1)?;
        Some(&self.markers[last])
    }

    /// The bytes of the text that are the line of `offset`.
    fn line_bytes(&self, offset: u32) -> std::ops::Range<usize> {
        let line = self.line_span(self.line_at(offset)).expect("every offset is on a line");
        (line.start - self.start) as usize..(line.end - self.start) as usize
    }

    /// The number of the line that `offset` is on, from 1, as this text counts them.
    pub fn line_at(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// The bytes of line `line` (from 1), without its newline; `None` past the last line.
    pub fn line_span(&self, line: usize) -> Option<Span> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let end = self.line_starts.get(line).map_or(self.start + self.text.len() as u32, |&next| next - 1);
        Some(Span::new(start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_renames_the_lines_after_it() {
        let mut sources = SourceMap::default();
        sources.add("first.c", "int x;\n".into()).unwrap();
        let text = "int a;\n# 40 \"b.h\"\nint b;\n int c;\n# 7 \"a.c\"\nint d;\n";
        let file = sources.add("a.i", text.into()).unwrap();
        let start = sources.file(file).start;
        let at = |word: &str| start + text.find(word).unwrap() as u32;
        let marker =
            |word, line, path: &str| Marker { offset: at(word), line, path: path.into(), is_system: path == "b.h" };
        sources.set_markers(file, vec![marker("int b", 40, "b.h"), marker("int d", 7, "a.c")]);
        let place = |word| {
            let Location { path, line, column } = sources.locate(Span::new(at(word), at(word)));
            format!("{path}:{line}:{column}")
        };
        assert_eq!(["int a", "int b", "int c", "int d"].map(place), ["a.i:1:1", "b.h:40:1", "b.h:41:2", "a.c:7:1"]);
        let is_of_system = |word| sources.is_of_system(Span::new(at(word), at(word)));
        assert_eq!(["int a", "int b", "int c", "int d"].map(is_of_system), [false, true, true, false]);
    }

    #[test]
    fn what_a_macro_of_a_header_makes_is_not_in_the_header() {
        let mut sources = SourceMap::default();
        let text = "# 1 \"a.c\"\nint a;\n# 1 \"b.h\" 1 3\nint b;\n# 3 \"a.c\" 3 4\nint c;\n# 9 \"b.h\"\nint d;\n";
        let file = sources.add("a.i", text.into()).unwrap();
        let at = |word: &str| text.find(word).unwrap() as u32;
        let marker = |word, path: &str, is_system| Marker { offset: at(word), line: 1, path: path.into(), is_system };
        let [own, header] = [("a.c", false), ("b.h", true)];
        let markers = [("int a", own), ("int b", header), ("int c", ("a.c", true)), ("int d", ("b.h", false))];
        sources.set_markers(file, markers.map(|(word, (path, is_system))| marker(word, path, is_system)).into());
        let is_of_system = |word| sources.is_of_system(Span::new(at(word), at(word)));
        assert_eq!(["int a", "int b", "int c", "int d"].map(is_of_system), [false, true, false, false]);
    }

    #[test]
    fn what_was_preprocessed_is_where_it_was_written() {
        let mut sources = SourceMap::default();
        let text =
            "# 2 \"a.c\"\n  x = 1;\n  p = \n# 3 \"a.c\" 3 4\n ((void *)0)\n# 3 \"a.c\"\n ;\n  f(x,\n    y, 7);\n";
        let file = sources.add("a.c", text.into()).unwrap();
        let at = |word: &str| text.find(word).unwrap() as u32;
        let marker = |word, line| Marker { offset: at(word), line, path: "a.c".into(), is_system: false };
        sources.set_markers(file, vec![marker("  x", 2), marker(" ((", 3), marker(" ;", 3)]);
        sources.add_written("a.c", "int *p;\n\tx = ONE;\n\tp = NULL;\n\tf(x, // first\n\t  y, SEVEN);\n".into());
        let written = |from: &str, to: &str| {
            let span = Span::new(at(from), at(to) + to.len() as u32);
            let Location { path, line, column } = sources.locate(span);
            format!("{path}:{line}:{column} {}", sources.text(sources.as_written(span)))
        };
        assert_eq!(written("x = 1", "1"), "a.c:2:2 x = ONE");
        assert_eq!(written("p = ", "0)"), "a.c:3:2 p = NULL");
        assert_eq!(written("f(x", "7)"), "a.c:4:2 f(x, // first\n\t  y, SEVEN)");
        assert_eq!(written("y,", "y"), "a.c:5:4 y");
        let text = |from: &str, to: &str| sources.written_text(Span::new(at(from), at(to) + to.len() as u32));
        assert_eq!(text("1", "1"), Some("ONE"));
        assert_eq!(text("((", "0)"), Some("NULL"));
        assert_eq!(text("p = ", "0)"), Some("p = NULL"));
        assert_eq!(text("f(x", "7)"), Some("f(x, // first\n\t  y, SEVEN)"));
        assert_eq!(text("(void", "0"), Some("NULL"));
        assert_eq!(text("void", "void"), None);
    }

    #[test]
    fn places_are_found_in_their_own_file() {
        let mut map = SourceMap::default();
        let first = map.add("a.bp", "ab\ncd".into()).unwrap();
        let second = map.add("b.bp", "é x".into()).unwrap();
        let start = map.file(second).start;
        assert_eq!(map.locate(Span::new(3, 4)), Location { path: "a.bp", line: 2, column: 1 });
        assert_eq!(map.locate(Span::new(start + 3, start + 4)), Location { path: "b.bp", line: 1, column: 3 });
        assert_eq!(map.locate(Span::new(5, 5)), Location { path: "a.bp", line: 2, column: 3 });
        assert_eq!(map.text(map.file(first).line_span(2).unwrap()), "cd");
        assert_eq!(map.file(first).line_span(3), None);
    }
}
