//! The table of contents: each road from a source text to a verdict with evidence, stage by stage.

use crate::answer::{Announcement, Answer, ProofBasis};
use crate::arguments::{Check, Format, Optimisation, Show, Stage};
use crate::evidence::{self, Failure, Traces};
use crate::input::{self, Input, Kind};
use crate::show;
use hardbop_base::{Budget, Diagnostic};
use hardbop_lang_bp as lang_bp;
use hardbop_pushdown as pushdown;
use hardbop_pushdown::{Evidence, Options, Switch};

const DEFAULT_ENTRY: &str = "main";

/// `hardbop check`: the road follows from the kind of file.
pub fn check(request: &Check, budget: &Budget, announcement: &Announcement) -> Result<Answer, Failure> {
    match input::kind(&request.files)? {
        Kind::BooleanProgram => check_boolean_program(request, budget, announcement),
    }
}

/// A boolean program: read → parse → lower → goals → check → replay → certify → verdict.
fn check_boolean_program(request: &Check, budget: &Budget, announcement: &Announcement) -> Result<Answer, Failure> {
    let entry = request.entry.as_deref().unwrap_or(DEFAULT_ENTRY);
    let mut input = Input::default();

    budget.enter("read");
    let file = input.read(&request.files[0])?;
    budget.enter("parse");
    let (ast, found) = lang_bp::parse(input.text(file), input.start(file));
    input.accept(found)?;
    budget.enter("lower");
    let lowered = input.accept_result(lang_bp::lower(&ast, entry))?;
    input.accept(lowered.warnings)?;
    let program = lowered.program;
    let goals = input.accept_result(lang_bp::goals(&program, &input.sources, &request.goals))?;
    let described = evidence::describe(&program, &input.sources, &goals);
    announcement.make(described.clone());
    if goals.is_empty() {
        return Ok(nothing_to_check(input));
    }

    let questions = evidence::questions(&program, &goals);
    budget.enter("check");
    let options = options(&request.without, evidence_for(request));
    let report = pushdown::check(&program, &questions, &options, budget);
    budget.enter("replay");
    let traces = if request.no_trace { Traces::Unwanted } else { Traces::Wanted };
    let mut findings = evidence::replay_all(&program, &input.sources, &questions, &report, traces)?;
    let mut proof = ProofBasis::Fixpoint;
    if request.certify {
        budget.enter("certify");
        proof = evidence::certify_all(&program, &questions, &report, &mut findings, budget)?;
    }
    budget.enter("print");

    // The answer waits for nobody: tearing down a large program takes longer than leaving it to the system.
    std::mem::forget((ast, program));
    let goals = described.into_iter().zip(findings).collect();
    let Input { sources, warnings } = input;
    Ok(Answer { sources, unanswered: None, goals, warnings, proof, stats: Some(report.stats), rungs: report.rungs })
}

/// `hardbop show`: what a stage makes of a program.
pub fn show(request: &Show, format: Format, budget: &Budget) -> Result<String, Failure> {
    show::fit(request.stage, format)?;
    match input::kind(&request.files)? {
        Kind::BooleanProgram => show_boolean_program(request, format, budget),
    }
}

/// A boolean program as far as the stage asked for.
fn show_boolean_program(request: &Show, format: Format, budget: &Budget) -> Result<String, Failure> {
    let entry = request.entry.as_deref().unwrap_or(DEFAULT_ENTRY);
    let mut input = Input::default();

    budget.enter("read");
    let file = input.read(&request.files[0])?;
    budget.enter("parse");
    let (ast, found) = lang_bp::parse(input.text(file), input.start(file));
    input.accept(found)?;
    match request.stage {
        Stage::Ast => return Ok(show::ast::text(&ast, &input.sources)),
        Stage::Bp => return Ok(lang_bp::print(&ast)),
        Stage::Icfg | Stage::Invariants | Stage::Summaries => {}
    }

    budget.enter("lower");
    let program = input.accept_result(lang_bp::lower(&ast, entry))?.program;
    if request.stage == Stage::Icfg {
        return Ok(match format {
            Format::Text => show::graph::text(&program, &input.sources),
            Format::Dot => show::graph::dot(&program, &input.sources),
            Format::Json => format!("{}\n", show::graph::json(&program, &input.sources)),
        });
    }

    let invariants = pushdown::invariants::invariants(&program, &options(&[], Evidence::None), budget);
    let invariants = invariants.map_err(|_| Failure::Stopped(budget.hit()))?;
    let reached = program.marks.unmodelled.iter().filter(|found| invariants.nodes[found.node].is_reachable);
    input.accept(reached.map(evidence::refuse).collect())?;
    Ok(match (request.stage, format) {
        (Stage::Summaries, Format::Json) => format!("{}\n", show::invariants::summaries_json(&program, &invariants)),
        (Stage::Summaries, _) => show::invariants::summaries_text(&program, &invariants),
        (_, Format::Json) => format!("{}\n", show::invariants::json(&program, &input.sources, &invariants)),
        (_, _) => show::invariants::text(&program, &input.sources, &invariants),
    })
}

fn nothing_to_check(input: Input) -> Answer {
    let Input { sources, mut warnings } = input;
    let warning = Diagnostic::warning("nothing-to-check", "no assertion, no label `SLIC_ERROR` or `ERROR`", None);
    warnings.push(warning.help("name what must not be reached with `--goal LABEL` or `--goal FILE:LINE`"));
    Answer {
        sources,
        unanswered: None,
        goals: Vec::new(),
        warnings,
        proof: ProofBasis::Fixpoint,
        stats: None,
        rungs: Vec::new(),
    }
}

fn evidence_for(request: &Check) -> Evidence {
    match (request.no_trace, request.certify) {
        (_, true) => Evidence::TracesAndProof,
        (false, false) => Evidence::Traces,
        (true, false) => Evidence::None,
    }
}

fn options(without: &[Optimisation], evidence: Evidence) -> Options {
    let switch = |optimisation| if without.contains(&optimisation) { Switch::Off } else { Switch::On };
    Options {
        slice: switch(Optimisation::Slice),
        mod_ref: switch(Optimisation::ModRef),
        liveness: switch(Optimisation::Liveness),
        chains: switch(Optimisation::Chains),
        frontiers: switch(Optimisation::Frontiers),
        concrete: switch(Optimisation::Concrete),
        insensitive: switch(Optimisation::Insensitive),
        evidence,
        first_attempt: pushdown::ladder::FIRST_ATTEMPT,
        trace_attempt: pushdown::ladder::TRACE_ATTEMPT,
    }
}
