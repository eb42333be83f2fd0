//! Goals by name, and the goals of a program that names none.

use super::findings::did_you_mean;
use hardbop_base::source::SourceFile;
use hardbop_base::{Diagnostic, Idx, SourceMap, Span};
use hardbop_icfg::{Goal, GoalKind, NodeId, Program, Relation};
use rustc_hash::FxHashSet;

/// The labels that are goals where no goal is named.
const ERROR_LABELS: [&str; 3] = ["error", "ERROR", "SLIC_ERROR"];

/// The goals called `names`: `LABEL`, `MODULE:LABEL` or `FILE:LINE`. Without names every statement labelled `error`,
/// `ERROR` or `SLIC_ERROR`, in the order of the source.
///
/// # Errors
/// A name that means nothing is an `unknown-goal`.
pub fn goals(program: &Program<Relation>, sources: &SourceMap, names: &[String]) -> Result<Vec<Goal>, Vec<Diagnostic>> {
    let finder = Finder { program, sources };
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
}

impl Finder<'_> {
    fn default_goals(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        let mut labelled = FxHashSet::default();
        for label in ERROR_LABELS {
            let nodes = self.nodes_with(label).into_iter().filter(|&node| labelled.insert(node));
            goals.extend(self.label_goals(label, nodes.collect()));
        }
        goals.sort_by_key(|goal| goal.span);
        goals
    }

    fn find(&self, name: &str) -> Result<Vec<Goal>, Diagnostic> {
        let nodes = self.nodes_with(name);
        if !nodes.is_empty() {
            return Ok(self.label_goals(name, nodes));
        }
        let Some((place, rest)) = name.rsplit_once(':') else { return Err(self.unknown_label(name)) };
        let nodes: Vec<NodeId> =
            self.nodes_with(rest).into_iter().filter(|&node| self.procedure_of(node) == place).collect();
        if !nodes.is_empty() {
            return Ok(nodes.into_iter().map(|node| self.goal(node, name.into(), GoalKind::Label)).collect());
        }
        match rest.parse() {
            Ok(line) if self.is_the_file(place) => self.statements_at(name, line),
            _ => Err(self.unknown_label(name)),
        }
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
        let nodes = || self.places().filter(is_there);
        let is_exit = |node: NodeId| {
            let proc = self.program.icfg.nodes[node].proc;
            self.program.icfg.procs[proc].exit == node
        };
        let mut found: Vec<NodeId> = nodes().filter(|&node| !is_exit(node)).collect();
        // A line with nothing but `}` is a module's exit.
        if found.is_empty() {
            found = nodes().collect();
        }
        if found.is_empty() {
            return Err(self.no_statement(line, bytes));
        }
        found.sort_by_key(|&node| self.span(node));
        let is_alone = found.len() == 1;
        // Never from the start of the line again: a program may be one line of many megabytes.
        let (mut at, mut column) = (bytes.start, 1);
        let goals = found.into_iter().map(|node| {
            let start = self.span(node).start;
            column += self.sources.text(Span::new(at, start)).chars().count();
            at = start;
            let name = if is_alone { name.into() } else { format!("{name}:{column}") };
            self.goal(node, name, GoalKind::Statement)
        });
        Ok(goals.collect())
    }

    /// All nodes that are places of their own.
    fn places(&self) -> impl Iterator<Item = NodeId> + '_ {
        let silent: FxHashSet<NodeId> = self.program.marks.silent.iter().copied().collect();
        self.program.icfg.nodes.ids().filter(move |node| !silent.contains(node))
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
            false => finding.help("a goal is `LABEL`, `MODULE:LABEL` or `FILE:LINE`"),
        }
    }
}

fn unknown(message: String) -> Diagnostic {
    Diagnostic::error("unknown-goal", message, None)
}
