//! What is true at each statement, and what each procedure does: for reading and for programs.

use crate::statement;
use hardbop_base::SourceMap;
use hardbop_icfg::{NodeId, ProcId, Program, Relation, VarId};
use hardbop_pushdown::invariants::{Frame, Invariants, Moment, States, Summary, Term, Text};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Statements that need more columns push their formula to the right.
const WIDEST: usize = 48;

/// The states at each statement, one line each, procedure by procedure.
pub fn text(program: &Program<Relation>, sources: &SourceMap, invariants: &Invariants) -> String {
    let mut text = String::new();
    for (id, proc) in program.icfg.procs.iter_enumerated() {
        writeln!(text, "{}", proc.name).expect("a string takes everything");
        let places: Vec<_> = program.icfg.nodes_of(id).map(|node| (node, place(program, sources, node))).collect();
        let width = places.iter().map(|(_, (_, statement))| statement.chars().count()).max().unwrap_or(0).min(WIDEST);
        for (node, (line, statement)) in places {
            let states = &invariants.nodes[node];
            let formula = if states.is_reachable { states.formula.to_string() } else { "unreachable".into() };
            writeln!(text, "  {line:>5}  {statement:width$}  {formula}").expect("a string takes everything");
        }
    }
    text
}

/// The states at each statement as JSON.
pub fn json(program: &Program<Relation>, sources: &SourceMap, invariants: &Invariants) -> Value {
    let procs = program.icfg.procs.iter_enumerated().map(|(id, proc)| {
        let nodes = program.icfg.nodes_of(id).map(|node| {
            let (line, statement) = place(program, sources, node);
            let States { is_reachable, cubes, formula } = &invariants.nodes[node];
            let cubes = cubes.as_ref().map(|cubes| {
                cubes.iter().map(|cube| object(cube.iter().map(|&(var, value)| (name(program, id, var), value))))
            });
            json!({
                "id": node.to_string(),
                "line": line,
                "statement": statement,
                "reachable": is_reachable,
                "formula": formula_or_null(formula),
                "cubes": cubes.map(Iterator::collect::<Value>),
            })
        });
        json!({ "name": proc.name, "nodes": nodes.collect::<Value>() })
    });
    json!({ "format": 1, "procs": procs.collect::<Value>() })
}

/// What each procedure does, one line each.
pub fn summaries_text(program: &Program<Relation>, invariants: &Invariants) -> String {
    let mut text = String::new();
    for (id, proc) in program.icfg.procs.iter_enumerated() {
        let Some(summary) = &invariants.summaries[id] else {
            writeln!(text, "{} is never entered", proc.name).expect("a string takes everything");
            continue;
        };
        let parameters = names(program, &summary.parameters).join(", ");
        let changes = match &summary.frame {
            Frame::Changes(globals) if globals.is_empty() => "changes no global".into(),
            Frame::Changes(globals) => format!("changes {}", names(program, globals).join(", ")),
            Frame::ExitOnly => "states at its exit".into(),
        };
        let formula = match &summary.formula {
            Text::Formula(formula) if formula == "F" => "never returns".into(),
            formula => format!("{changes}: {formula}"),
        };
        writeln!(text, "{}({parameters})  {formula}", proc.name).expect("a string takes everything");
    }
    text
}

/// What each procedure does as JSON.
pub fn summaries_json(program: &Program<Relation>, invariants: &Invariants) -> Value {
    let summaries = program.icfg.procs.iter_enumerated().map(|(id, proc)| {
        let summary = invariants.summaries[id].as_ref();
        json!({ "proc": proc.name, "summary": summary.map(|summary| summary_json(program, id, summary)) })
    });
    json!({ "format": 1, "summaries": summaries.collect::<Value>() })
}

fn summary_json(program: &Program<Relation>, proc: ProcId, summary: &Summary) -> Value {
    let at = |cube: &[(Term, bool)], moment: Moment| {
        let terms = cube.iter().filter(|(term, _)| term.moment == moment);
        object(terms.map(|&(term, value)| (name(program, proc, term.var), value)))
    };
    let cube = |cube: &Vec<(Term, bool)>| json!({ "entry": at(cube, Moment::Entry), "exit": at(cube, Moment::Exit) });
    let changes = match &summary.frame {
        Frame::Changes(globals) => Some(names(program, globals)),
        Frame::ExitOnly => None,
    };
    json!({
        "parameters": names(program, &summary.parameters),
        "changes": changes,
        "formula": formula_or_null(&summary.formula),
        "cubes": summary.cubes.as_ref().map(|cubes| cubes.iter().map(cube).collect::<Value>()),
    })
}

fn place(program: &Program<Relation>, sources: &SourceMap, node: NodeId) -> (usize, String) {
    let span = program.icfg.nodes[node].span;
    (sources.locate(span).line, statement::one_line(sources.text(span)))
}

fn names<'a>(program: &'a Program<Relation>, vars: &[VarId]) -> Vec<&'a str> {
    vars.iter().map(|&var| &*program.vars[var].name).collect()
}

/// How `var` is written in `proc`; a global that something in `proc` hides is `global(g)`, as in formulas.
fn name(program: &Program<Relation>, proc: ProcId, var: VarId) -> String {
    let name = &program.vars[var].name;
    let is_hidden = program.is_global(var) && names(program, &program.locals[proc]).contains(&&**name);
    if is_hidden { format!("global({name})") } else { name.clone() }
}

fn object(values: impl Iterator<Item = (String, bool)>) -> Value {
    Value::Object(values.map(|(name, value)| (name, value.into())).collect::<Map<_, _>>())
}

fn formula_or_null(text: &Text) -> Option<&str> {
    match text {
        Text::Formula(formula) => Some(formula),
        Text::TooLarge { .. } => None,
    }
}
