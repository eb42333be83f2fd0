//! Who calls whom in a C program, and what its pointers may point to.

use hardbop_base::SourceMap;
use hardbop_c_core::{FunctionId, Module, Type, VarId, VarKind};
use hardbop_points_to::{Activations, ObjectKind, Offset, PointsTo, Target};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The call graph, a function and those that it may call on each line.
pub fn calls_text(module: &Module, sources: &SourceMap, points_to: &PointsTo<'_>) -> String {
    let mut text = String::new();
    for (id, function) in module.functions.iter_enumerated().filter(|(_, function)| function.body.is_some()) {
        let place = sources.locate(function.span);
        let recursive = match points_to.call_graph().activations(id) {
            Activations::One => "",
            Activations::Many => ", may be active more than once",
        };
        write(&mut text, format_args!("{} ({}:{}{recursive})\n", function.name, place.path, place.line));
        let (defined, undefined) = callees(module, points_to, id);
        for (what, names) in [("calls", defined), ("calls outside", undefined)] {
            if !names.is_empty() {
                write(&mut text, format_args!("  {what}: {}\n", names.join(", ")));
            }
        }
    }
    text
}

/// The call graph for Graphviz.
pub fn calls_dot(module: &Module, points_to: &PointsTo<'_>) -> String {
    let mut text = String::from("digraph calls {\n  node [shape=box, fontname=monospace];\n");
    for (id, function) in module.functions.iter_enumerated().filter(|(_, function)| function.body.is_some()) {
        write(&mut text, format_args!("  \"{}\";\n", function.name));
        let (defined, undefined) = callees(module, points_to, id);
        for name in defined {
            write(&mut text, format_args!("  \"{}\" -> \"{name}\";\n", function.name));
        }
        for name in undefined {
            write(&mut text, format_args!("  \"{}\" -> \"{name}\" [style=dashed];\n", function.name));
        }
    }
    text + "}\n"
}

/// The call graph for programs.
pub fn calls_json(module: &Module, sources: &SourceMap, points_to: &PointsTo<'_>) -> Value {
    let functions = module.functions.iter_enumerated().filter(|(_, function)| function.body.is_some());
    let functions: Vec<Value> = functions
        .map(|(id, function)| {
            let place = sources.locate(function.span);
            let (calls, calls_outside) = callees(module, points_to, id);
            let is_recursive = points_to.call_graph().activations(id) == Activations::Many;
            json!({
                "name": function.name, "file": place.path, "line": place.line,
                "calls": calls, "calls_outside": calls_outside, "may_be_active_twice": is_recursive,
            })
        })
        .collect();
    json!({ "format": 1, "functions": functions })
}

/// The names of the functions with and without a body that `function` may call.
fn callees<'m>(module: &'m Module, points_to: &PointsTo<'_>, function: FunctionId) -> (Vec<&'m str>, Vec<&'m str>) {
    let callees = points_to.call_graph().callees(function).iter().map(|&callee| &module.functions[callee]);
    let (defined, undefined): (Vec<_>, Vec<_>) = callees.partition(|callee| callee.body.is_some());
    let names = |functions: Vec<&'m hardbop_c_core::Function>| functions.into_iter().map(|one| &*one.name).collect();
    (names(defined), names(undefined))
}

/// Each pointer that holds addresses, and whose.
pub fn points_to_text(module: &Module, sources: &SourceMap, points_to: &PointsTo<'_>) -> String {
    let mut text = String::new();
    for (owner, rows) in rows(module, sources, points_to) {
        let title = owner.map_or("globals", |function| &*module.functions[function].name);
        write(&mut text, format_args!("{title}:\n"));
        for (name, targets) in rows {
            write(&mut text, format_args!("  {name} -> {}\n", targets.join(", ")));
        }
    }
    text
}

/// The same for programs.
pub fn points_to_json(module: &Module, sources: &SourceMap, points_to: &PointsTo<'_>) -> Value {
    let pointers: Vec<Value> = rows(module, sources, points_to)
        .into_iter()
        .flat_map(|(owner, rows)| {
            let function = owner.map(|function| &*module.functions[function].name);
            rows.into_iter()
                .map(move |(name, targets)| json!({ "function": function, "pointer": name, "targets": targets }))
        })
        .collect();
    json!({ "format": 1, "pointers": pointers })
}

/// A pointer and what it may point to.
type Row = (String, Vec<String>);

/// The pointers of each function, the globals first.
fn rows(module: &Module, sources: &SourceMap, points_to: &PointsTo<'_>) -> BTreeMap<Option<FunctionId>, Vec<Row>> {
    let mut rows: BTreeMap<Option<FunctionId>, Vec<Row>> = BTreeMap::new();
    for (id, variable) in module.vars.iter_enumerated() {
        let is_pointer = matches!(module.types.get(variable.ty.ty), Type::Pointer(_));
        let targets = if is_pointer { points_to.points_to(id) } else { Vec::new() };
        if !targets.is_empty() {
            let names = targets.into_iter().map(|target| name(module, sources, points_to, target));
            let names: BTreeSet<String> = names.collect();
            let row = (variable.name.clone(), names.into_iter().collect());
            rows.entry(variable.kind.owner()).or_default().push(row);
        }
    }
    rows
}

/// What a person calls `target`.
fn name(module: &Module, sources: &SourceMap, points_to: &PointsTo<'_>, target: Target) -> String {
    let at = |span| {
        let place = sources.locate(span);
        format!("{}:{}", place.path, place.line)
    };
    let object = match points_to.kind(target.object) {
        ObjectKind::Unknown => return "anything".into(),
        ObjectKind::Variable(var) => variable_name(module, var),
        ObjectKind::Heap(_, span) => format!("allocated at {}", at(span)),
        ObjectKind::Opaque(_, span) => format!("opened at {}", at(span)),
        ObjectKind::Function(function) => format!("{}()", module.functions[function].name),
        ObjectKind::Arguments(function) => format!("further arguments of {}", module.functions[function].name),
        ObjectKind::Result(function) => format!("result of {}", module.functions[function].name),
        ObjectKind::Vector(_) => "the program's arguments".into(),
    };
    match target.offset {
        Offset::At(0) => object,
        Offset::At(offset) => format!("{object} + {offset}"),
        Offset::Inside(offset) => format!("{object} + {offset} and more"),
        Offset::Any => format!("anywhere in {object}"),
    }
}

fn variable_name(module: &Module, var: VarId) -> String {
    let variable = &module.vars[var];
    match (variable.kind, variable.kind.owner()) {
        (VarKind::Literal, _) => "a string".into(),
        (_, Some(function)) => format!("{}.{}", module.functions[function].name, variable.name),
        (_, None) => variable.name.clone(),
    }
}

fn write(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a string takes everything");
}
