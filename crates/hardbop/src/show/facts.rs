//! What is known at each line of a C program: the source, and beside it the facts that hold before the line.
//!
//! That is what holds each time control comes to the line: from another line, or by a jump back, as to the head of a loop.

use crate::arguments::Format;
use hardbop_base::{Idx, SourceMap, Span};
use hardbop_c_facts::{Encoding, Fact, Subject};
use hardbop_c_graph::Action;
use hardbop_dataflow::Cartesian;
use hardbop_dataflow::subset::{FactId, Solution};
use hardbop_icfg::{EdgeId, NodeId, ProcId, Scope, VarId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

/// Source lines that need more columns push their facts to the right.
const WIDEST: usize = 60;
/// So many facts of a family are listed beside a line; for programs, all are.
const MOST_LISTED: usize = 32;

/// The lines of a program, and what is known there.
#[derive(Debug)]
pub struct KnownLines {
    /// The files, in the order of the program.
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    path: String,
    /// The lines by number; those without a statement are there where the file can be read.
    lines: BTreeMap<usize, Line>,
}

#[derive(Debug)]
struct Line {
    text: String,
    facts: Option<Known>,
}

/// What is known at a line.
#[derive(Debug)]
enum Known {
    /// Control does not come there.
    Unreachable,
    /// How the facts read that are certain.
    Facts(Vec<String>),
    /// The facts that hold: by family, what they are about.
    Holding(Vec<(String, Vec<String>)>),
}

impl KnownLines {
    /// What is certain, one line after the other.
    pub fn certain(encoding: &Encoding, subject: Subject<'_, '_>, known: &Cartesian, sources: &SourceMap) -> Self {
        let scopes = Scopes::new(encoding, |fact| !fact.readings.is_empty());
        Self::new(encoding, subject, sources, |node, proc| scopes.known(known, node, proc))
    }

    /// What holds, one line after the other.
    pub fn holding(encoding: &Encoding, subject: Subject<'_, '_>, solution: &Solution, sources: &SourceMap) -> Self {
        let mut scopes = Scopes::new(encoding, |fact| fact.is_written);
        scopes.name(encoding, sources);
        Self::new(encoding, subject, sources, |node, proc| scopes.holding(solution, node, proc))
    }

    fn new(
        encoding: &Encoding,
        subject: Subject<'_, '_>,
        sources: &SourceMap,
        at: impl Fn(&[NodeId], ProcId) -> Known,
    ) -> Self {
        let mut result = Self { files: Vec::new() };
        let mut index: HashMap<&str, usize> = HashMap::new();
        for ((path, number), nodes) in arrivals(encoding, subject, sources) {
            let node = &encoding.program.icfg.nodes[nodes[0]];
            if sources.is_of_system(node.span) {
                continue;
            }
            let file = *index.entry(path).or_insert_with(|| {
                result.files.push(File { path: path.to_owned(), lines: lines_of(path) });
                result.files.len() - 1
            });
            let line = result.files[file].lines.entry(number);
            let line = line.or_insert_with(|| Line { text: source_line(sources, node.span), facts: None });
            line.facts = Some(at(&nodes, node.proc));
        }
        result
    }

    /// As the user asks for it.
    pub fn print(&self, format: Format) -> String {
        match format {
            Format::Json => format!("{}\n", self.json()),
            _ => self.text(),
        }
    }

    /// For reading.
    fn text(&self) -> String {
        let mut text = String::new();
        for (index, file) in self.files.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            write_line(&mut text, format_args!("{}", file.path));
            let number = file.lines.keys().last().map_or(0, |last| last.to_string().len());
            let width = file.lines.values().map(|line| columns(&line.text)).max().unwrap_or(0).min(WIDEST);
            for (line, Line { text: source, facts }) in &file.lines {
                let facts = match facts {
                    None => String::new(),
                    Some(Known::Unreachable) => "| never reached".into(),
                    Some(Known::Facts(facts)) if facts.is_empty() => "|".into(),
                    Some(Known::Facts(facts)) => format!("| {}", facts.join(", ")),
                    Some(Known::Holding(families)) => {
                        let said = |(family, about): &(String, Vec<String>)| match about[..] {
                            [] => family.clone(),
                            _ if about.len() > MOST_LISTED => {
                                let rest = about.len() - MOST_LISTED;
                                format!("{family}: {} and {rest} more", about[..MOST_LISTED].join(", "))
                            }
                            _ => format!("{family}: {}", about.join(", ")),
                        };
                        format!("| {}", families.iter().map(said).collect::<Vec<_>>().join("; "))
                    }
                };
                let gap = width.saturating_sub(columns(source)) + 1;
                write_line(&mut text, format_args!("{line:>number$}  {source}{:gap$}{facts}", ""));
            }
        }
        text
    }

    /// For programs: the lines that have statements.
    fn json(&self) -> Value {
        let files = self.files.iter().map(|file| {
            let lines = file.lines.iter().filter_map(|(line, found)| {
                Some(match found.facts.as_ref()? {
                    Known::Unreachable => json!({ "line": line, "reachable": false, "facts": [] }),
                    Known::Facts(facts) => json!({ "line": line, "reachable": true, "facts": facts }),
                    Known::Holding(families) => {
                        let said = |(family, about): &(String, Vec<String>)| match about[..] {
                            [] => vec![format!("{family}()")],
                            _ => about.iter().map(|about| format!("{family}({about})")).collect(),
                        };
                        let facts: Vec<String> = families.iter().flat_map(said).collect();
                        json!({ "line": line, "reachable": true, "facts": facts })
                    }
                })
            });
            json!({ "file": file.path, "lines": lines.collect::<Vec<Value>>() })
        });
        json!({ "format": 1, "files": files.collect::<Vec<Value>>() })
    }
}

/// A path and a number.
type Place<'a> = (&'a str, usize);

/// Where control comes to each line, in the order of the program; of several functions on one line only the first counts.
fn arrivals<'a>(
    encoding: &Encoding,
    subject: Subject<'_, '_>,
    sources: &'a SourceMap,
) -> Vec<(Place<'a>, Vec<NodeId>)> {
    let (icfg, graph) = (&encoding.program.icfg, subject.graph);
    let mut lines: Vec<(Place<'a>, Vec<NodeId>)> = Vec::new();
    let mut index: HashMap<Place<'a>, usize> = HashMap::new();
    let place = |node: NodeId| {
        let place = sources.locate(icfg.nodes[node].span);
        (place.path, place.line)
    };
    for proc in icfg.procs.ids() {
        // Code outside has no place in the source, and that of a model is the caller's.
        if graph.functions[proc].is_none_or(|function| subject.module.functions[function].is_model) {
            continue;
        }
        let (first, _) = icfg.procs[proc].nodes;
        let places: Vec<Place<'a>> = icfg.nodes_of(proc).map(place).collect();
        let place = |node: NodeId| places[node.index() - first.index()];
        for node in icfg.nodes_of(proc) {
            let here = place(node);
            let line = *index.entry(here).or_insert_with(|| {
                lines.push((here, Vec::new()));
                lines.len() - 1
            });
            let nodes = &mut lines[line].1;
            let comes = |from: NodeId| from >= node || place(from) != here;
            let is_arrival = || icfg.predecessors(node).iter().any(|&edge| comes(icfg.edges[edge].from));
            // After a statement that nothing follows, control is still said to be at its line.
            let is_over = |&edge: &EdgeId| matches!(graph.actions[edge], Action::Nothing | Action::Return(None));
            let is_own = |&known: &NodeId| icfg.nodes[known].proc == proc;
            match nodes.first() {
                None => nodes.push(node),
                Some(known) if is_own(known) && is_arrival() && !icfg.successors(node).iter().all(is_over) => {
                    nodes.push(node);
                }
                Some(_) => {}
            }
        }
    }
    lines
}

/// The facts that can be seen in each function.
struct Scopes<'a> {
    globals: Vec<&'a Fact>,
    locals: HashMap<ProcId, Vec<&'a Fact>>,
    /// What facts are about, by their first bit, where it is asked for.
    texts: HashMap<VarId, String>,
}

impl<'a> Scopes<'a> {
    fn new(encoding: &'a Encoding, is_shown: impl Fn(&Fact) -> bool) -> Self {
        let mut scopes = Self { globals: Vec::new(), locals: HashMap::new(), texts: HashMap::new() };
        for fact in encoding.facts.iter().filter(|fact| is_shown(fact)) {
            match fact.bits.first().map(|&bit| encoding.program.vars[bit].scope) {
                None => {}
                Some(Scope::Global) => scopes.globals.push(fact),
                Some(Scope::Parameter(proc) | Scope::Local(proc) | Scope::Result(proc)) => {
                    scopes.locals.entry(proc).or_default().push(fact);
                }
            }
        }
        scopes
    }

    /// Says what each fact is about: of a definition also where it stands.
    fn name(&mut self, encoding: &Encoding, sources: &SourceMap) {
        for fact in encoding.facts.iter().filter(|fact| !fact.about.is_empty()) {
            let mut about = fact.about.join(", ");
            if let Some(span) = fact.definition {
                about = format!("{about} (line {})", sources.locate(span).line);
            }
            self.texts.extend(fact.bits.first().map(|&bit| (bit, about)));
        }
    }

    fn holding(&self, solution: &Solution, nodes: &[NodeId], proc: ProcId) -> Known {
        let nodes: Vec<NodeId> = nodes.iter().copied().filter(|&node| solution.is_reachable(node)).collect();
        if nodes.is_empty() {
            return Known::Unreachable;
        }
        let mut families: Vec<(String, Vec<String>)> = Vec::new();
        for fact in self.locals.get(&proc).into_iter().flatten().chain(&self.globals) {
            // Who does not speak of it does not want to know.
            let is_far = !fact.about.is_empty() && fact.procs.binary_search(&proc).is_err();
            let holds = |&bit: &VarId| solution.holds_at(&nodes, FactId::from_usize(bit.index()));
            if is_far || !fact.bits.iter().any(holds) {
                continue;
            }
            let about = fact.bits.first().and_then(|bit| self.texts.get(bit)).cloned();
            match families.iter_mut().find(|(family, _)| *family == fact.family) {
                Some((_, known)) => known.extend(about),
                None => families.push((fact.family.clone(), about.into_iter().collect())),
            }
        }
        families.iter_mut().for_each(|(_, about)| keep_first(about));
        Known::Holding(families)
    }

    fn known(&self, known: &Cartesian, nodes: &[NodeId], proc: ProcId) -> Known {
        let mut nodes = nodes.iter().copied().filter(|&node| known.is_reachable(node));
        let Some(first) = nodes.next() else { return Known::Unreachable };
        let others: Vec<NodeId> = nodes.collect();
        let facts = self.locals.get(&proc).into_iter().flatten().chain(&self.globals);
        let facts = facts.filter_map(|fact| {
            let reading = reading(known, first, fact)?;
            others.iter().all(|&node| self::reading(known, node, fact) == Some(reading)).then(|| reading.to_owned())
        });
        let mut facts: Vec<String> = facts.collect();
        keep_first(&mut facts);
        Known::Facts(facts)
    }
}

/// Says everything once: what a function returns here and there may read the same.
fn keep_first(texts: &mut Vec<String>) {
    let mut known = HashSet::new();
    texts.retain(|text| known.insert(text.clone()));
}

/// How `fact` reads at `node`, where it is certain.
fn reading<'a>(known: &Cartesian, node: NodeId, fact: &'a Fact) -> Option<&'a str> {
    let mut bits = fact.bits.iter().rev();
    let number = bits.try_fold(0_usize, |number, &bit| {
        number.checked_mul(2)?.checked_add(usize::from(known.value(node, bit)?.definite()?))
    });
    fact.readings.get(number?).map(String::as_str).filter(|reading| !reading.is_empty())
}

/// The lines of a file as the user wrote it; none where it cannot be read.
fn lines_of(path: &str) -> BTreeMap<usize, Line> {
    let text = std::fs::read(path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned());
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| (index + 1, Line { text: line.replace('\t', "    "), facts: None })).collect()
}

/// The line that `span` starts on, after preprocessing.
fn source_line(sources: &SourceMap, span: Span) -> String {
    let file = sources.file_of(span);
    let line = file.line_span(file.line_at(span.start));
    line.map_or(String::new(), |line| sources.text(line).replace('\t', "    "))
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    let before = text.len();
    text.write_fmt(line).expect("a string takes everything");
    text.truncate(before + text[before..].trim_end().len());
    text.push('\n');
}
