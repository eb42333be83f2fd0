//! The control-flow graph: for reading, for Graphviz and for programs.

use super::relation;
use crate::statement;
use hardbop_base::SourceMap;
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, Proc, ProcId, Program, Relation};
use serde_json::{Value, json};
use std::fmt::Write;

/// One line per edge, procedure by procedure.
pub fn text(program: &Program<Relation>, sources: &SourceMap) -> String {
    let mut text = String::new();
    for (id, proc) in program.icfg.procs.iter_enumerated() {
        let mark = if id == program.entry { " (a run starts here)" } else { "" };
        write_line(&mut text, format_args!("{}{mark}: {} to {}", proc.name, proc.entry, proc.exit));
        for edge in edges_of(program, id) {
            let View { from, to, line, statement, effect } = view(program, sources, edge);
            write_line(&mut text, format_args!("  {from} -> {to}  line {line}: {statement}  {effect}"));
        }
    }
    text
}

/// A cluster per procedure; calls are dashed, and so are the ways into and out of what they call.
pub fn dot(program: &Program<Relation>, sources: &SourceMap) -> String {
    let mut text = String::from(
        "digraph icfg {\n  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    for (id, proc) in program.icfg.procs.iter_enumerated() {
        write_cluster(&mut text, program, sources, id, proc);
    }
    for (_, edge) in program.icfg.edges.iter_enumerated() {
        if let EdgeKind::Call { callee, to } = edge.kind {
            let Proc { entry, exit, .. } = program.icfg.procs[callee];
            write_line(&mut text, format_args!("  {} -> {entry} [style=dashed];", edge.from));
            write_line(&mut text, format_args!("  {exit} -> {to} [style=dashed];"));
        }
    }
    text + "}\n"
}

/// Procedures with their nodes and edges.
pub fn json(program: &Program<Relation>, sources: &SourceMap) -> Value {
    let procs = program.icfg.procs.iter_enumerated().map(|(id, proc)| {
        let nodes = program.icfg.nodes_of(id).map(|node| {
            let (line, statement) = place(program, sources, node);
            json!({ "id": node.to_string(), "line": line, "statement": statement })
        });
        let edges = edges_of(program, id).map(|edge| {
            let View { from, to, effect, .. } = view(program, sources, edge);
            let call = match program.icfg.edges[edge].kind {
                EdgeKind::Call { callee, .. } => Some(&program.icfg.procs[callee].name),
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
    json!({ "format": 1, "entry": program.icfg.procs[program.entry].name, "procs": procs.collect::<Value>() })
}

/// An edge in words.
struct View {
    from: NodeId,
    to: String,
    line: usize,
    statement: String,
    effect: String,
}

fn view(program: &Program<Relation>, sources: &SourceMap, edge: EdgeId) -> View {
    let found = program.icfg.edges[edge];
    let (line, statement) = place(program, sources, found.from);
    let to = found.target().map_or_else(|| "return".into(), |node| node.to_string());
    let effect = match &program.labels[edge] {
        Relation::Step(transition) => relation::print(program, transition),
        Relation::Call { enter, leave } => {
            let parts = [("in", enter), ("back", leave)].map(|(way, transition)| {
                let text = relation::print(program, transition);
                if text.is_empty() { text } else { format!("{way}: {text}") }
            });
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Relation::Return => String::new(),
    };
    View { from: found.from, to, line, statement, effect }
}

fn edges_of(program: &Program<Relation>, proc: ProcId) -> impl Iterator<Item = EdgeId> {
    program.icfg.nodes_of(proc).flat_map(|node| program.icfg.successors(node).iter().copied())
}

fn place(program: &Program<Relation>, sources: &SourceMap, node: NodeId) -> (usize, String) {
    let span = program.icfg.nodes[node].span;
    (sources.locate(span).line, statement::one_line(sources.text(span)))
}

fn write_cluster(text: &mut String, program: &Program<Relation>, sources: &SourceMap, id: ProcId, proc: &Proc) {
    let name = quote(&proc.name);
    write_line(text, format_args!("  subgraph \"cluster_{id}\" {{\n    label={name};"));
    for node in program.icfg.nodes_of(id) {
        let shape = if node == proc.entry || node == proc.exit { " [shape=doublecircle]" } else { "" };
        write_line(text, format_args!("    {node}{shape};"));
    }
    for edge in edges_of(program, id) {
        let View { from, to, line, statement, effect } = view(program, sources, edge);
        let label = quote(&format!("{line}: {statement}\n{effect}"));
        match program.icfg.edges[edge].kind {
            EdgeKind::Step { .. } => write_line(text, format_args!("    {from} -> {to} [label={label}];")),
            EdgeKind::Call { .. } => {
                write_line(text, format_args!("    {from} -> {to} [label={label}, style=dashed];"));
            }
            EdgeKind::Return => {}
        }
    }
    *text += "  }\n";
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
