//! `hardbop show`: a stage of the work, printed.

pub mod ast;
pub mod graph;
pub mod invariants;
pub mod relation;

use crate::arguments::{Format, Shape, Stage};
use crate::input::Kind;
use hardbop_base::Diagnostic;

/// The formats in which `stage` can be printed; the first is the one for reading.
const fn formats(stage: Stage) -> &'static [Format] {
    match stage {
        Stage::Ast | Stage::Bp => &[Format::Text],
        Stage::Icfg => &[Format::Text, Format::Dot, Format::Json],
        Stage::Invariants | Stage::Summaries => &[Format::Text, Format::Json],
    }
}

/// The format asked for: `--json` is another way to say `--format json`, and fits no other.
pub fn format(asked: Option<Format>, shape: Shape) -> Result<Format, Diagnostic> {
    match (asked, shape.json) {
        (None | Some(Format::Json), true) => Ok(Format::Json),
        (Some(format), true) => {
            let message = format!("`--format {}` does not fit `--json`", format_name(format));
            Err(Diagnostic::error("misfit-option", message, None).help("leave one of them away"))
        }
        (asked, false) => Ok(asked.unwrap_or(Format::Text)),
    }
}

/// Says what is wrong where `stage` cannot be printed as `format`.
pub fn fit(stage: Stage, kind: Kind, format: Format) -> Result<(), Diagnostic> {
    if matches!(stage, Stage::Ast | Stage::Bp) && kind != Kind::BooleanProgram {
        let message = format!("`--stage {}` is there for boolean programs only", stage_name(stage));
        return Err(Diagnostic::error("misfit-option", message, None).help("what fits is `--stage icfg`"));
    }
    let formats = formats(stage);
    if formats.contains(&format) {
        return Ok(());
    }
    let message = format!("`--format {}` does not fit `--stage {}`", format_name(format), stage_name(stage));
    let fitting: Vec<String> = formats.iter().map(|&format| format!("`--format {}`", format_name(format))).collect();
    Err(Diagnostic::error("misfit-option", message, None).help(format!("what fits is {}", fitting.join(" or "))))
}

const fn format_name(format: Format) -> &'static str {
    match format {
        Format::Text => "text",
        Format::Dot => "dot",
        Format::Hoa => "hoa",
        Format::Json => "json",
    }
}

const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Ast => "ast",
        Stage::Bp => "bp",
        Stage::Icfg => "icfg",
        Stage::Invariants => "invariants",
        Stage::Summaries => "summaries",
    }
}
