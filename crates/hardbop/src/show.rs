//! `hardbop show`: a stage of the work, printed.

pub mod ast;
pub mod facts;
pub mod graph;
pub mod invariants;
pub mod pointers;

use crate::arguments::{Format, Shape, Stage};
use crate::input::{Kind, Language};
use hardbop_base::Diagnostic;

/// The formats in which `stage` can be printed; the first is the one for reading.
const fn formats(stage: Stage) -> &'static [Format] {
    match stage {
        Stage::Ast | Stage::Bp | Stage::C => &[Format::Text],
        Stage::PointsTo | Stage::Facts => &[Format::Text, Format::Json],
        Stage::Icfg | Stage::Calls => &[Format::Text, Format::Dot, Format::Json],
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

/// The stages that a program in `language` has; the first is the one to try.
const fn stages(language: Language) -> &'static [Stage] {
    match language {
        Language::Finite(Kind::BooleanProgram) => {
            &[Stage::Icfg, Stage::Ast, Stage::Bp, Stage::Invariants, Stage::Summaries]
        }
        Language::Finite(_) => &[Stage::Icfg, Stage::Invariants, Stage::Summaries],
        Language::C => &[Stage::C, Stage::Calls, Stage::PointsTo, Stage::Icfg, Stage::Facts, Stage::Bp],
    }
}

/// Says what is wrong where `stage` is none of the program's, or cannot be printed as `format`.
pub fn fit(stage: Stage, language: Language, format: Format) -> Result<(), Diagnostic> {
    let stages = stages(language);
    if !stages.contains(&stage) {
        let message = format!("`--stage {}` is not there for programs of this kind", stage_name(stage));
        let fitting: Vec<String> = stages.iter().map(|&stage| format!("`--stage {}`", stage_name(stage))).collect();
        let help = format!("what fits is {}", fitting.join(" or "));
        return Err(Diagnostic::error("misfit-option", message, None).help(help));
    }
    let formats = formats(stage);
    if formats.contains(&format) {
        return Ok(());
    }
    let message = format!("`--format {}` does not fit `--stage {}`", format_name(format), stage_name(stage));
    let fitting: Vec<String> = formats.iter().map(|&format| format!("`--format {}`", format_name(format))).collect();
    Err(Diagnostic::error("misfit-option", message, None).help(format!("what fits is {}", fitting.join(" or "))))
}

/// Says what is wrong where an analysis is missing, or is given for nothing.
pub fn fit_analysis(stage: Stage, language: Language, analysis: Option<&str>) -> Result<(), Diagnostic> {
    let is_wanted = language == Language::C && matches!(stage, Stage::Facts | Stage::Bp);
    let name = stage_name(stage);
    match (is_wanted, analysis) {
        (true, None) => {
            let message = format!("`--stage {name}` is what an analysis makes of a C program, and none is given");
            Err(Diagnostic::error("misfit-option", message, None).help("say which: `--analysis null`"))
        }
        (false, Some(_)) => {
            let message = format!("`--analysis` does not fit `--stage {name}` of this program");
            let help = "what fits is `--stage facts` or `--stage bp` of a C program";
            Err(Diagnostic::error("misfit-option", message, None).help(help))
        }
        (true, Some(_)) | (false, None) => Ok(()),
    }
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
        Stage::C => "c",
        Stage::Calls => "calls",
        Stage::Facts => "facts",
        Stage::Icfg => "icfg",
        Stage::Invariants => "invariants",
        Stage::PointsTo => "points-to",
        Stage::Summaries => "summaries",
    }
}
