//! Goals by name, and the goals of a program that names none.

use crate::{Goal, GoalKind, NodeId, Program, Relation};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::source::SourceFile;
use hardbop_base::{Diagnostic, Idx, SourceMap, Span};
use rustc_hash::FxHashSet;

/// What is usual in a language.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The labels that are goals where no goal is named.
    pub labels: &'static [&'static str],
    /// What goals can be called.
    pub kinds: &'static str,
}

/// The goals called `names`: `LABEL`, `PROC:LABEL` or `FILE:LINE`. Without names every assertion and every statement
/// with a label that is usual, in the order of the source.
///
/// # Errors
/// A name that means nothing is an `unknown-goal`.
pub fn goals(
    program: &Program<Relation>,
    sources: &SourceMap,
    names: &[String],
    usage: Usage,
) -> Result<Vec<Goal>, Vec<Diagnostic>> {
    let finder = Finder { program, sources, usage };
    if names.is_empty() {
        return Ok(finder.default_goals());
    }
    let (mut goals, mut errors) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    for name in names.iter().filter(|&name| seen.insert(name)) {
        match finder.find(name) {
            Ok(found) => goals.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(goals) } else { Err(errors) }
}

struct Finder<'a> {
    program: &'a Program<Relation>,
    sources: &'a SourceMap,
    usage: Usage,
}

/// A line and, where the line is not enough, a column.
struct Place {
    line: usize,
    column: Option<usize>,
}

impl Finder<'_> {
    fn default_goals(&self) -> Vec<Goal> {
        let mut goals = self.assertions();
        let mut labelled = FxHashSet::default();
        for label in self.usage.labels {
            let nodes = self.nodes_with(label).into_iter().filter(|&node| labelled.insert(node));
            goals.extend(self.label_goals(label, nodes.collect()));
        }
        goals.sort_by_key(|goal| (goal.span, goal.node));
        goals
    }

    fn assertions(&self) -> Vec<Goal> {
        let assertions = &self.program.marks.assertions;
        let places = self.places(assertions.iter().map(|assertion| assertion.span));
        let goals = assertions.iter().zip(places).map(|(assertion, place)| {
            let name = match place {
                Place { line, column: None } => format!("assertion at line {line}"),
                Place { line, column: Some(column) } => format!("assertion at line {line}, column {column}"),
            };
            let condition = Some(assertion.failure);
            Goal { node: assertion.node, condition, name, kind: GoalKind::Assertion, span: assertion.span }
        });
        goals.collect()
    }

    /// The lines of `spans`, which are in the order of the source; with columns where a line has several.
    fn places(&self, spans: impl Iterator<Item = Span>) -> Vec<Place> {
        let file = self.file();
        let mut places: Vec<Place> = Vec::new();
        let (mut line, mut at, mut column, mut last_column) = (1, file.start, 1, 1);
        for span in spans {
            // Never from the start of the line again: a program may be one line of many megabytes.
            while let Some(next) = file.line_span(line + 1).filter(|next| next.start <= span.start) {
                (line, at, column) = (line + 1, next.start, 1);
            }
            column += self.sources.text(Span::new(at.min(span.start), span.start)).chars().count();
            at = span.start;
            let mut place = Place { line, column: None };
            if let Some(last) = places.last_mut().filter(|last| last.line == line) {
                last.column = Some(last_column);
                place.column = Some(column);
            }
            last_column = column;
            places.push(place);
        }
        places
    }

    fn find(&self, name: &str) -> Result<Vec<Goal>, Diagnostic> {
        let nodes = self.nodes_with(name);
        if !nodes.is_empty() {
            return Ok(self.label_goals(name, nodes));
        }
        let nodes = self.nodes_in_procedure(name);
        if !nodes.is_empty() {
            return Ok(nodes.into_iter().map(|node| self.goal(node, name.into(), GoalKind::Label)).collect());
        }
        match name.rsplit_once(':').map(|(place, line)| (place, line.parse())) {
            Some((place, Ok(line))) if self.is_the_file(place) => self.statements_at(name, line),
            _ => Err(self.unknown_label(name)),
        }
    }

    /// The nodes of `PROC:LABEL`. A name in braces may itself contain a colon.
    fn nodes_in_procedure(&self, name: &str) -> Vec<NodeId> {
        let splits = name.match_indices(':').map(|(colon, _)| (&name[..colon], &name[colon + 1..]));
        let nodes = splits.flat_map(|(proc, label)| {
            self.nodes_with(label).into_iter().filter(move |&node| self.procedure_of(node) == proc)
        });
        nodes.collect()
    }

    /// The nodes labelled `label`.
    fn nodes_with(&self, label: &str) -> Vec<NodeId> {
        let labels = self.program.marks.labels.iter().filter(|(name, _)| name == label);
        labels.map(|&(_, node)| node).collect()
    }

    fn label_goals(&self, label: &str, nodes: Vec<NodeId>) -> Vec<Goal> {
        let is_alone = nodes.len() == 1;
        let goals = nodes.into_iter().map(|node| {
            let name = if is_alone { label.into() } else { format!("{}:{label}", self.procedure_of(node)) };
            self.goal(node, name, GoalKind::Label)
        });
        goals.collect()
    }

    fn goal(&self, node: NodeId, name: String, kind: GoalKind) -> Goal {
        Goal { node, condition: None, name, kind, span: self.span(node) }
    }

    fn span(&self, node: NodeId) -> Span {
        self.program.icfg.nodes[node].span
    }

    fn procedure_of(&self, node: NodeId) -> &str {
        &self.program.icfg.procs[self.program.icfg.nodes[node].proc].name
    }

    /// Whether `name` is the path of the program's file, or the end of it.
    fn is_the_file(&self, name: &str) -> bool {
        let path = &self.file().path;
        let start = path.strip_suffix(name);
        !name.is_empty() && start.is_some_and(|start| start.is_empty() || start.ends_with(['/', '\\']))
    }

    /// A program is one file.
    fn file(&self) -> &SourceFile {
        self.sources.file_of(self.span(NodeId::from_usize(0)))
    }

    fn statements_at(&self, name: &str, line: usize) -> Result<Vec<Goal>, Diagnostic> {
        let file = self.file();
        let Some(bytes) = file.line_span(line) else {
            return Err(unknown(format!("`{}` has no line {line}", file.path)));
        };
        let is_there = |&node: &NodeId| (bytes.start..=bytes.end).contains(&self.span(node).start);
        let is_silent = self.program.marks.is_silent(self.program.icfg.nodes.len());
        let nodes = || self.program.icfg.nodes.ids().filter(|&node| !is_silent[node]).filter(is_there);
        let is_exit = |node: NodeId| {
            let proc = self.program.icfg.nodes[node].proc;
            self.program.icfg.procs[proc].exit == node
        };
        let mut found: Vec<_> = nodes().filter(|&node| !is_exit(node)).collect();
        // A line with nothing but `end` or `}` is a procedure's exit.
        if found.is_empty() {
            found = nodes().collect();
        }
        if found.is_empty() {
            return Err(self.no_statement(line, bytes));
        }
        found.sort_by_key(|&node| self.span(node));
        let places = self.places(found.iter().map(|&node| self.span(node)));
        let goals = found.iter().zip(places).map(|(&node, place)| {
            let name = place.column.map_or(name.into(), |column| format!("{name}:{column}"));
            self.goal(node, name, GoalKind::Statement)
        });
        Ok(goals.collect())
    }

    fn no_statement(&self, line: usize, bytes: Span) -> Diagnostic {
        let finding = unknown(format!("no statement starts at line {line} of `{}`", self.file().path));
        let following = self.program.icfg.nodes.iter().filter(|node| node.span.start > bytes.end);
        match following.min_by_key(|node| node.span.start) {
            Some(node) => finding.help(format!("the next one is at line {}", self.sources.locate(node.span).line)),
            None => finding,
        }
    }

    fn unknown_label(&self, name: &str) -> Diagnostic {
        let labels = &self.program.marks.labels;
        let suggestion = match name.contains(':') {
            false => did_you_mean(name, labels.iter().map(|(label, _)| label.as_str())),
            true => {
                let qualified = labels.iter().map(|(label, node)| format!("{}:{label}", self.procedure_of(*node)));
                let qualified: Vec<String> = qualified.collect();
                did_you_mean(name, qualified.iter().map(String::as_str))
            }
        };
        let finding = unknown(format!("there is no label `{name}`{suggestion}"));
        match labels.is_empty() {
            true => finding.help("the program has no labels: name a statement by `FILE:LINE`"),
            false => finding.help(self.usage.kinds),
        }
    }
}

fn unknown(message: String) -> Diagnostic {
    Diagnostic::error("unknown-goal", message, None)
}
