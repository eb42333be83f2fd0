//! What was found, for programs: one object, with the fields that `design.md` promises.

use super::path::{Kind, Path, Step};
use super::{Answer, Site, Status, precision_text};
use crate::answer::text::reason_text;
use crate::arguments::Limits;
use crate::diagnostics;
use crate::figures::Figures;
use hardbop_base::{Limit, SourceMap};
use hardbop_c_graph::Truth;
use hardbop_verdict::{Length, Reason};
use serde_json::{Map, Value, json};
use std::io::{Result, Write};

/// Prints `answer`.
pub fn write(out: &mut impl Write, answer: &Answer, figures: Option<&Figures>, limits: Limits) -> Result<()> {
    let warnings = diagnostics::values(&answer.sources, &answer.warnings);
    let object = json!({
        "format": 1,
        "analysis": answer.basis.analysis,
        "entry": answer.basis.entry,
        "data_model": answer.basis.data_model,
        "outside": answer.basis.outside,
        "reason": answer.limit.map(|limit| reason_text(&Reason::Limit(limit), &answer.sources, limits)),
        "sites": answer.sites.iter().map(site).collect::<Vec<Value>>(),
        "warnings": warnings,
        "stats": stats(figures),
    });
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

/// Prints that a limit was hit before any place was known.
pub fn write_stopped(out: &mut impl Write, limit: Limit, figures: Option<&Figures>, limits: Limits) -> Result<()> {
    let object = json!({
        "format": 1,
        "reason": reason_text(&Reason::Limit(limit), &SourceMap::default(), limits),
        "sites": [],
        "warnings": [],
        "stats": stats(figures),
    });
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn stats(figures: Option<&Figures>) -> Value {
    figures.map_or_else(|| Value::Object(Map::new()), Figures::json)
}

fn site(site: &Site) -> Value {
    json!({
        "file": site.path,
        "line": site.line,
        "column": site.column,
        "function": site.function,
        "expression": site.expression,
        "status": status_word(site.status),
        "message": site.message,
        "assumes": site.assumes,
        "precision": precision_text(site.precision),
        "shortest": site.failure.as_ref().map(|path: &Path| path.length == Length::Shortest),
        "trace": site.failure.iter().flat_map(|path| &path.steps).map(step).collect::<Vec<Value>>(),
    })
}

fn step(step: &Step) -> Value {
    let (kind, taken) = match step.kind {
        Kind::Branch(truth) => ("branch", Some(truth == Truth::True)),
        Kind::Call => ("call", None),
        Kind::Folded => ("folded-call", None),
        Kind::Return => ("return", None),
        Kind::Statement => ("statement", None),
    };
    json!({
        "depth": step.depth,
        "file": step.path,
        "line": step.line,
        "proc": step.function,
        "statement": step.text,
        "kind": kind,
        "taken": taken,
        "changes": step.changes,
    })
}

const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Unreachable => "unreachable",
        Status::Safe => "safe",
        Status::Unknown => "unknown",
        Status::MayFail => "may-fail",
    }
}
