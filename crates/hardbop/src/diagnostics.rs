//! Diagnostics as rustc shows them, or as JSON.

use crate::arguments::Color;
use crate::palette::{colours_stderr, colours_stdout};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use hardbop_base::source::SourceFile;
use hardbop_base::{Diagnostic, Location, Severity, SourceMap, Span};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Longer pieces of source text are not shown: nobody reads them, and a file may be one line of 100 MB.
const LARGEST_EXCERPT: usize = 1 << 16;

/// Why there is nothing to answer: the user's input is wrong.
#[derive(Debug)]
pub struct Rejection {
    /// Where the diagnostics point.
    pub sources: SourceMap,
    /// What is wrong; at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<Diagnostic> for Rejection {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { sources: SourceMap::default(), diagnostics: vec![diagnostic] }
    }
}

impl Rejection {
    /// All diagnostics, then how many errors there are.
    pub fn text(&self, color: Color) -> String {
        let found = distinct(&self.sources, &self.diagnostics);
        let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
        let mut text = render(&self.sources, &self.diagnostics, color);
        let first = self.diagnostics.iter().find(|found| found.severity == Severity::Error);
        let more = first.map_or(String::new(), |first| format!("; `hardbop explain {}` says more", first.code));
        let count = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
        text += &format!("aborting due to {count}{more}\n");
        text
    }

    /// `{"format": 1, "errors": […]}`.
    pub fn json(&self) -> Value {
        json!({ "format": 1, "errors": values(&self.sources, &self.diagnostics) })
    }
}

/// Each diagnostic once: two units with the same header have the same to say of it.
fn distinct<'d>(sources: &SourceMap, diagnostics: &'d [Diagnostic]) -> Vec<&'d Diagnostic> {
    let place = |span: Span| {
        let Location { path, line, column } = sources.locate(span);
        (path.to_owned(), line, column)
    };
    let mut seen = HashSet::new();
    let is_new = |found: &&Diagnostic| {
        let related = found.related.as_ref().map(|(what, span)| (what.clone(), place(*span)));
        seen.insert((found.code, found.message.clone(), found.help.clone(), found.span.map(place), related))
    };
    diagnostics.iter().filter(is_new).collect()
}

/// `diagnostics` one after the other, each with the lines it is about.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic], color: Color) -> String {
    let renderer = if colours_stderr(color) { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in distinct(sources, diagnostics) {
        text += &renderer.render(&[group(sources, diagnostic)]);
        text += "\n\n";
    }
    text
}

/// `message` with the lines that `span` is on, for standard output.
pub fn excerpt(sources: &SourceMap, message: &str, span: Span, color: Color) -> String {
    let renderer = if colours_stdout(color) { Renderer::styled() } else { Renderer::plain() };
    let title = Group::with_title(Level::WARNING.with_name("alarm").primary_title(message));
    let group = match snippet(sources, &[Mark { span, kind: AnnotationKind::Primary, label: None }]) {
        Some(snippet) => title.element(snippet),
        None => title.elements(origin(sources, span)),
    };
    renderer.render(&[group])
}

/// `diagnostics` as JSON.
pub fn values(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<Value> {
    distinct(sources, diagnostics).into_iter().map(|found| value(sources, found)).collect()
}

fn value(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let mut object = json!({
        "code": diagnostic.code,
        "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "message": diagnostic.message,
        "help": diagnostic.help,
        "file": null, "line": null, "column": null,
    });
    if let Some(span) = diagnostic.span {
        let place = sources.locate(span);
        object["file"] = place.path.into();
        object["line"] = place.line.into();
        object["column"] = place.column.into();
    }
    object
}

fn group<'a>(sources: &'a SourceMap, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = Group::with_title(level.primary_title(&*diagnostic.message).id(diagnostic.code));
    let primary = diagnostic.span.map(|span| Mark { span, kind: AnnotationKind::Primary, label: None });
    let related = diagnostic.related.as_ref();
    let related = related.map(|(what, span)| Mark { span: *span, kind: AnnotationKind::Context, label: Some(what) });
    let marks: Vec<Mark<'a>> = primary.into_iter().chain(related).collect();
    let group = match snippet(sources, &marks) {
        Some(snippet) => title.element(snippet),
        // Too far apart, or in two files: each has an excerpt of its own.
        None => marks.iter().fold(title, |group, mark| match snippet(sources, &[*mark]) {
            Some(snippet) => group.element(snippet),
            None => group.elements(origin(sources, mark.span)),
        }),
    };
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(&**help)),
        None => group,
    }
}

#[derive(Clone, Copy)]
struct Mark<'a> {
    span: Span,
    kind: AnnotationKind,
    label: Option<&'a str>,
}

fn origin<'a>(sources: &'a SourceMap, span: Span) -> [Origin<'a>; 1] {
    let location = sources.locate(span);
    [Origin::path(location.path).line(location.line).char_column(location.column)]
}

/// The lines that `marks` are on, with the marks. Only these lines are handed on: the renderer would look at a whole
/// file for each diagnostic.
fn snippet<'a>(sources: &'a SourceMap, marks: &[Mark<'a>]) -> Option<Snippet<'a, Annotation<'a>>> {
    let marks: Vec<Mark<'a>> = marks.iter().map(|mark| Mark { span: sources.as_written(mark.span), ..*mark }).collect();
    let first = marks.iter().map(|mark| mark.span).min()?;
    let last = marks.iter().map(|mark| mark.span).max()?;
    let (file, location) = (sources.file_of(first), sources.locate(first));
    // A header that two units have in common has one path and two texts.
    if sources.file_of(last).start != file.start {
        return None;
    }
    let start = file.line_span(file.line_at(first.start))?.start;
    let end = last_line(file, file.line_at(last.start), last)?.end;
    if location.path != sources.locate(last).path || (end - start) as usize > LARGEST_EXCERPT {
        return None;
    }
    let text = &file.text[(start - file.start) as usize..(end - file.start) as usize];
    let annotations = marks.iter().map(|mark| {
        let (from, to) = ((mark.span.start - start) as usize, (mark.span.end - start) as usize);
        mark.kind.span(from..to.clamp(from, text.len())).label(mark.label)
    });
    Some(Snippet::source(text).line_start(location.line).path(location.path).annotations(annotations))
}

/// The last line of `span`, which starts on `line`; of a long one only the first few lines are shown.
fn last_line(file: &SourceFile, line: usize, span: Span) -> Option<Span> {
    const MOST_LINES: usize = 8;
    let lines = (line..line + MOST_LINES).map_while(|line| file.line_span(line));
    lines.enumerate().take_while(|&(index, found)| index == 0 || found.start < span.end).last().map(|(_, found)| found)
}
