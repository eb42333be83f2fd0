//! The control-flow graph: for reading, for Graphviz and for programs.

use crate::arguments::Format;
use crate::statement;
use hardbop_base::SourceMap;
use hardbop_bp_text::relation;
use hardbop_c_core::print::{Style, expr, place, stmt_line};
use hardbop_c_core::{FunctionId, Module};
use hardbop_c_graph::{Action, CGraph, Truth};
use hardbop_icfg::{EdgeId, EdgeKind, Icfg, NodeId, Proc, ProcId, Program, Relation};
use serde_json::{Value, json};
use std::fmt::Write;

/// A graph, and what its edges do in words.
pub struct Labelled<'a> {
    icfg: &'a Icfg,
    entry: ProcId,
    sources: &'a SourceMap,
    texts: Texts,
    effect: Box<dyn Fn(EdgeId) -> String + 'a>,
}

/// Whether what was written is shown beside what it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    Shown,
    /// What is done reads like what was written.
    Left,
}

impl<'a> Labelled<'a> {
    /// The graph of a program with finite data.
    pub fn of_program(program: &'a Program<Relation>, sources: &'a SourceMap) -> Self {
        let effect = Box::new(|edge| effect_of_relation(program, &program.labels[edge]));
        Self { icfg: &program.icfg, entry: program.entry, sources, texts: Texts::Shown, effect }
    }

    /// The graph of a C program.
    pub fn of_c(module: &'a Module, graph: &'a CGraph<'a>, sources: &'a SourceMap) -> Self {
        let effect = Box::new(|edge: EdgeId| {
            let proc = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
            effect_of_action(module, graph.functions[proc], graph.actions[edge])
        });
        Self { icfg: &graph.icfg, entry: graph.entry, sources, texts: Texts::Left, effect }
    }

    /// The graph as `format` has it.
    pub fn print(&self, format: Format) -> String {
        match format {
            Format::Dot => self.dot(),
            Format::Json => format!("{}\n", self.json()),
            Format::Text | Format::Hoa => self.text(),
        }
    }

    /// One line per edge, procedure by procedure.
    fn text(&self) -> String {
        let mut text = String::new();
        for (id, proc) in self.icfg.procs.iter_enumerated() {
            let mark = if id == self.entry { " (a run starts here)" } else { "" };
            write_line(&mut text, format_args!("{}{mark}: {} to {}", proc.name, proc.entry, proc.exit));
            for edge in self.edges_of(id) {
                let View { from, to, line, statement, effect } = self.view(edge);
                write_line(
                    &mut text,
                    format_args!("  {from} -> {to}  line {line}: {}", words(&statement, &effect, "  ")),
                );
            }
        }
        text
    }

    /// A cluster per procedure; calls are dashed, and so are the ways into and out of what they call.
    fn dot(&self) -> String {
        let mut text = String::from(
            "digraph icfg {\n  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
        );
        for (id, proc) in self.icfg.procs.iter_enumerated() {
            self.write_cluster(&mut text, id, proc);
        }
        for (_, edge) in self.icfg.edges.iter_enumerated() {
            if let EdgeKind::Call { callee, to } = edge.kind {
                let Proc { entry, exit, .. } = self.icfg.procs[callee];
                write_line(&mut text, format_args!("  {} -> {entry} [style=dashed];", edge.from));
                write_line(&mut text, format_args!("  {exit} -> {to} [style=dashed];"));
            }
        }
        text + "}\n"
    }

    /// Procedures with their nodes and edges.
    fn json(&self) -> Value {
        let procs = self.icfg.procs.iter_enumerated().map(|(id, proc)| {
            let nodes = self.icfg.nodes_of(id).map(|node| {
                let (line, statement) = self.place(node);
                json!({ "id": node.to_string(), "line": line, "statement": statement })
            });
            let edges = self.edges_of(id).map(|edge| {
                let View { from, to, effect, .. } = self.view(edge);
                let call = match self.icfg.edges[edge].kind {
                    EdgeKind::Call { callee, .. } => Some(&self.icfg.procs[callee].name),
                    _ => None,
                };
                json!({ "id": edge.to_string(), "from": from.to_string(), "to": to, "call": call, "effect": effect })
            });
            json!({
                "name": proc.name,
                "entry": proc.entry.to_string(),
                "exit": proc.exit.to_string(),
                "nodes": nodes.collect::<Value>(),
                "edges": edges.collect::<Value>(),
            })
        });
        json!({ "format": 1, "entry": self.icfg.procs[self.entry].name, "procs": procs.collect::<Value>() })
    }

    fn view(&self, edge: EdgeId) -> View {
        let found = self.icfg.edges[edge];
        let (line, statement) = self.place(found.from);
        let to = found.target().map_or_else(|| "return".into(), |node| node.to_string());
        View { from: found.from, to, line, statement, effect: (self.effect)(edge) }
    }

    fn edges_of(&self, proc: ProcId) -> impl Iterator<Item = EdgeId> {
        self.icfg.nodes_of(proc).flat_map(|node| self.icfg.successors(node).iter().copied())
    }

    fn place(&self, node: NodeId) -> (usize, String) {
        let span = self.icfg.nodes[node].span;
        let text = match self.texts {
            Texts::Shown => statement::one_line(self.sources.text(span)),
            Texts::Left => String::new(),
        };
        (self.sources.locate(span).line, text)
    }

    fn write_cluster(&self, text: &mut String, id: ProcId, proc: &Proc) {
        let name = quote(&proc.name);
        write_line(text, format_args!("  subgraph \"cluster_{id}\" {{\n    label={name};"));
        for node in self.icfg.nodes_of(id) {
            let shape = if node == proc.entry || node == proc.exit { " [shape=doublecircle]" } else { "" };
            write_line(text, format_args!("    {node}{shape};"));
        }
        for edge in self.edges_of(id) {
            let View { from, to, line, statement, effect } = self.view(edge);
            let label = quote(&format!("{line}: {}", words(&statement, &effect, "\n")));
            match self.icfg.edges[edge].kind {
                EdgeKind::Step { .. } => write_line(text, format_args!("    {from} -> {to} [label={label}];")),
                EdgeKind::Call { .. } => {
                    write_line(text, format_args!("    {from} -> {to} [label={label}, style=dashed];"));
                }
                EdgeKind::Return => {}
            }
        }
        *text += "  }\n";
    }
}

/// An edge in words.
struct View {
    from: NodeId,
    to: String,
    line: usize,
    statement: String,
    effect: String,
}

fn effect_of_relation(program: &Program<Relation>, label: &Relation) -> String {
    match label {
        Relation::Step(transition) => relation::print(program, transition),
        Relation::Call { enter, leave } => {
            let parts = [("in", enter), ("back", leave)].map(|(way, transition)| {
                let text = relation::print(program, transition);
                if text.is_empty() { text } else { format!("{way}: {text}") }
            });
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Relation::Return => String::new(),
    }
}

fn effect_of_action(module: &Module, function: Option<FunctionId>, action: Action<'_>) -> String {
    let line = |stmt| function.map_or(String::new(), |function| stmt_line(module, function, stmt, Style::READABLE));
    match action {
        Action::Nothing | Action::Leave => String::new(),
        Action::Assume(condition, Truth::True) => format!("[{}]", expr(module, condition, Style::READABLE)),
        Action::Assume(condition, Truth::False) => format!("[!({})]", expr(module, condition, Style::READABLE)),
        Action::Do(stmt) => line(stmt),
        Action::Change(what) => format!("{} changes", place(module, what, Style::READABLE)),
        Action::Call(stmt, callee) => format!("call {}: {}", module.functions[callee].name, line(stmt)),
        Action::Take(..) => "take the result".into(),
        Action::External(stmt, _) => format!("outside: {}", line(stmt)),
        Action::CallBack(_) => "code outside calls back".into(),
        Action::End => "the run ends, code outside calls back".into(),
        Action::Enter(_) => "take the arguments".into(),
        Action::Outside => "outside does anything".into(),
        Action::Start(callee) => format!("call {} with anything", module.functions[callee].name),
        Action::Started(callee) => format!("{} was called", module.functions[callee].name),
        Action::Return(Some(value)) => format!("return {}", expr(module, value, Style::READABLE)),
        Action::Return(None) => "return".into(),
    }
}

/// What was written and what it does.
fn words(statement: &str, effect: &str, between: &str) -> String {
    let parts = [statement, effect].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(between)
}

/// `text` as Graphviz reads it, its lines to the left.
fn quote(text: &str) -> String {
    let escaped = text.trim_end().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    let end = if escaped.contains("\\l") { "\\l" } else { "" };
    format!("\"{escaped}{end}\"")
}

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    let before = text.len();
    text.write_fmt(line).expect("a string takes everything");
    text.truncate(before + text[before..].trim_end().len());
    text.push('\n');
}
