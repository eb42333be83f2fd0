//! The table of contents: each road from a source text to a verdict with evidence, stage by stage.

use crate::answer::{Announcement, Answer, ProofBasis};
use crate::arguments::{Ask, Check, Flow, Format, Optimisation, Outside, Show, Stage};
use crate::c::{self, CProgram};
use crate::cache::Cache;
use crate::evidence::{self, Failure, Traces};
use crate::input::{self, Input, Kind, Language};
use crate::show::facts::KnownLines;
use crate::show::graph::Labelled;
use crate::statement::one_line;
use crate::{flow, property, show};
use hardbop_base::{Budget, Diagnostic, Limit, SourceMap, Span};
use hardbop_c_core::FunctionId;
use hardbop_c_facts::{Encoding, Subject, Unknown, encode};
use hardbop_configurations as configurations;
use hardbop_configurations::{Direction, Naming};
use hardbop_dataflow::subset::{self, Passing};
use hardbop_dataflow::{Cartesian, Engine, Memory};
use hardbop_icfg::{Program, Relation};
use hardbop_lang_bp as lang_bp;
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree as analysis;
use hardbop_lang_remopla::{pds, rem};
use hardbop_points_to as points_to;
use hardbop_points_to::{PointsTo, Policy, UndefinedWrite};
use hardbop_pushdown as pushdown;
use hardbop_pushdown::{Evidence, Options, Switch};
use hardbop_temporal as temporal;
use std::path::Path;

const DEFAULT_ENTRY: &str = "main";

/// `hardbop check`: the road follows from the kind of file and from what is asked.
pub fn check(request: &Check, budget: &Budget, announcement: &Announcement) -> Result<Answer, Failure> {
    let kind = input::kind(&request.files)?;
    let mut input = Input::default();
    let program = load(&request.files[0], kind, request.entry.as_deref(), &mut input, budget)?;
    match property::is_asked(request) {
        false => check_goals(request, kind, program, input, budget, announcement),
        true => check_property(request, kind, &program, input, budget, announcement),
    }
}

/// From a file to a program: read → parse → lower.
fn load(
    path: &Path,
    kind: Kind,
    entry: Option<&str>,
    input: &mut Input,
    budget: &Budget,
) -> Result<Program<Relation>, Failure> {
    budget.enter("read");
    let file = input.read(path)?;
    budget.enter("parse");
    let (program, warnings) = match kind {
        Kind::BooleanProgram => {
            let (ast, found) = lang_bp::parse(input.text(file), input.start(file));
            input.accept(found)?;
            budget.enter("lower");
            let lowered = input.accept_result(lang_bp::lower(&ast, entry.unwrap_or(DEFAULT_ENTRY)))?;
            // Tearing down a large program takes longer than leaving it to the system.
            std::mem::forget(ast);
            (lowered.program, lowered.warnings)
        }
        Kind::Remopla => {
            let (ast, found) = rem::parse(input.text(file), input.start(file));
            input.accept(found)?;
            budget.enter("lower");
            let lowered = input.accept_result(rem::lower(&ast, entry))?;
            (lowered.program, lowered.warnings)
        }
        Kind::PushdownSystem => {
            if entry.is_some() {
                let error = Diagnostic::error("misfit-option", "a pushdown system has no procedure to start in", None);
                return Err(error.help("leave `--entry` away, or change the initial configuration").into());
            }
            let (ast, found) = pds::parse(input.text(file), input.start(file));
            input.accept(found)?;
            budget.enter("lower");
            let lowered = input.accept_result(pds::lower(&ast))?;
            (lowered.program, lowered.warnings)
        }
    };
    input.accept(warnings)?;
    Ok(program)
}

/// Places that must not be reached: goals → check → replay → certify → verdict.
fn check_goals(
    request: &Check,
    kind: Kind,
    program: Program<Relation>,
    mut input: Input,
    budget: &Budget,
    announcement: &Announcement,
) -> Result<Answer, Failure> {
    let goals = match kind {
        Kind::BooleanProgram => lang_bp::goals(&program, &input.sources, &request.goals),
        Kind::Remopla => rem::goals(&program, &input.sources, &request.goals),
        Kind::PushdownSystem => pds::goals(&program, &input.sources, &request.goals),
    };
    let goals = input.accept_result(goals)?;
    let described = evidence::describe(&program, &input.sources, &goals);
    announcement.make(described.clone());
    if goals.is_empty() {
        return Ok(nothing_to_check(input, kind));
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

    std::mem::forget(program);
    let goals = described.into_iter().zip(findings).collect();
    let Input { sources, warnings } = input;
    Ok(Answer {
        sources,
        unanswered: None,
        goals,
        notes: Vec::new(),
        listing: None,
        warnings,
        proof,
        stats: Some(report.stats),
        rungs: report.rungs,
    })
}

/// What must hold of infinite runs: property → propositions → product and repeating heads → replay → verdict.
fn check_property(
    request: &Check,
    kind: Kind,
    program: &Program<Relation>,
    mut input: Input,
    budget: &Budget,
    announcement: &Announcement,
) -> Result<Answer, Failure> {
    let property = property::read(request, kind, &mut input, budget)?;
    let goal = property.goal(program, &input);
    announcement.make(vec![goal.clone()]);
    let (mut program, end) = match kind {
        Kind::PushdownSystem => (program.clone(), None),
        Kind::BooleanProgram | Kind::Remopla => {
            let finished = temporal::finish::finish(program);
            (finished.program, Some(finished.end))
        }
    };
    let propositions = property.propositions(&mut program, end, &mut input)?;

    budget.enter("check");
    let question =
        temporal::Question { program: &program, automaton: &property.automaton, propositions: &propositions };
    let options = options(&request.without, evidence_for(request));
    let report = temporal::check(&question, &options, budget).map_err(|_| Failure::Stopped(budget.hit()))?;
    budget.enter("replay");
    let notes = evidence::stuck_places(&program, &input.sources, &report.stuck).into_iter().collect();
    let mut finding = evidence::replay_endless(&program, &input.sources, &report)?;
    if let Some(lasso) = &report.lasso {
        property.confirm(&lasso.parts(&program), &propositions)?;
    }
    let mut proof = ProofBasis::Fixpoint;
    if request.certify {
        budget.enter("certify");
        proof = evidence::certify_endless(&report, &mut finding, budget)?;
    }
    budget.enter("print");

    let Input { sources, warnings } = input;
    let (goals, stats) = (vec![(goal, finding)], Some(report.stats));
    Ok(Answer { sources, unanswered: None, goals, notes, listing: None, warnings, proof, stats, rungs: Vec::new() })
}

/// `hardbop ask`: which stacks can be there: load → read the set → saturate automata → replay → verdict.
pub fn ask(request: &Ask, budget: &Budget, announcement: &Announcement) -> Result<Answer, Failure> {
    let kind = input::kind(&[&request.file])?;
    let mut input = Input::default();
    let mut program = load(&request.file, kind, request.entry.as_deref(), &mut input, budget)?;
    let naming = if kind == Kind::PushdownSystem { Naming::Symbols } else { Naming::Procedures };
    let (name, set) = read_stacks(request, naming, &mut program, &mut input)?;
    let goal = evidence::describe_stacks(&program, &input.sources, &name);
    announcement.make(vec![goal.clone()]);

    let direction = if request.pre { Direction::Backwards } else { Direction::Forwards };
    let question = configurations::Request { direction, listed: request.list };
    let options = options(&[], Evidence::Traces);
    let found = configurations::ask(&program, &set, &question, &options, budget);
    budget.enter("replay");
    let finding = evidence::replay_stack(&program, &input.sources, &found)?;
    let place = |node| evidence::place_of(&program, &input.sources, node);
    let listing = match (request.format, &found.listing) {
        (_, None) => None,
        (Some(Format::Dot), Some(listing)) if !request.output.shape.json => Some(listing.dot(&program, &place)),
        (None | Some(Format::Text | Format::Dot), Some(listing)) => Some(listing.text(&program, &place)),
        (Some(Format::Json | Format::Hoa), _) => {
            let error = Diagnostic::error("misfit-option", "configurations are printed as text or as a graph", None);
            return Err(error.help("what fits is `--format text`, `--format dot` or `--json`").into());
        }
    };
    budget.enter("print");

    let Input { sources, warnings } = input;
    let (goals, stats, proof) = (vec![(goal, finding)], Some(found.stats), ProofBasis::Fixpoint);
    Ok(Answer {
        sources,
        unanswered: None,
        goals,
        notes: Vec::new(),
        listing,
        warnings,
        proof,
        stats,
        rungs: Vec::new(),
    })
}

/// The set that is asked about and what it is called.
fn read_stacks(
    request: &Ask,
    naming: Naming,
    program: &mut Program<Relation>,
    input: &mut Input,
) -> Result<(String, configurations::Set), Failure> {
    let (name, file, set) = match (&request.stacks, &request.automaton) {
        (Some(text), _) => {
            let file = input.take("STACKS", text)?;
            (text.clone(), file, configurations::read(program, naming, text))
        }
        (None, Some(path)) => {
            let file = input.read(path)?;
            (path.display().to_string(), file, configurations::transitions::read(program, naming, input.text(file)))
        }
        (None, None) => unreachable!("the command line must have one of them"),
    };
    let start = input.start(file);
    let moved = |found: Vec<Diagnostic>| found.into_iter().map(|found| found.moved(start)).collect();
    Ok((name, input.accept_result(set.map_err(moved))?))
}

/// `hardbop flow`: load C → read the analysis → supply models → points-to → graph → encode → decide → replay → answer.
pub fn flow(request: &Flow, budget: &Budget) -> Result<flow::Answer, Failure> {
    input::expect_c(&request.files)?;
    let cache = request.cache.as_deref().map(Cache::open).transpose()?;
    let mut input = Input::default();
    let entry = request.entry.as_deref();
    let mut program = c::load(&request.files, &request.outside.models, entry, &request.compiler, &mut input, budget)?;
    let analysis = flow::read_analysis(&request.analysis, &mut input)?;
    flow::refuse_without_requirements(&analysis).map_err(|found| input.refuse(found))?;
    hardbop_c_models::supply(&mut program.module, &|name| analysis.speaks_of(name));
    let entry = entry.map(|name| c::entry(&program.module, name)).transpose()?;
    let policy = policy(&program, &mut input, entry, &request.outside)?;
    let points_to = point(&program, policy, budget)?;
    let graph = c::graph(&program, &points_to, entry, Some(&analysis));
    let subject = Subject { module: &program.module, graph: &graph, points_to: &points_to };
    let mut encoding = encode_facts(&analysis, subject, unknown(&request.outside), budget)?;
    input.accept(flow::unknown_functions(&request.analysis, &analysis, subject))?;
    input.accept(flow::not_modelled(&encoding, subject))?;
    input.accept(flow::beside::warnings(subject))?;

    budget.enter("decide");
    let memory = cache.as_ref().map(|cache| cache as &dyn Memory);
    let engine = Engine { options: options(&[], Evidence::Traces), memory };
    let manner = |encoding: &Encoding| flow::manner(encoding, request.precision, &request.together);
    let asked = manner(&encoding)?;
    let decisions = flow::decide(&mut encoding, asked, &engine, budget);
    let limit = || Some(budget.hit()).filter(|&limit| limit != Limit::Allowance);
    let undecided = limit();
    let doubtful = flow::assumed::doubtful(&encoding.sites, &decisions);
    // If a limit is hit here, what was found stays as it is.
    if undecided.is_none()
        && !doubtful.is_empty()
        && let Ok(mut strict) = encode_facts(&analysis, subject, Unknown::Anything, budget)
    {
        budget.enter("assumptions");
        let manner = (flow::assumed::again(manner(&strict)?, &decisions), &engine);
        flow::assumed::drop_needless(&mut encoding, &doubtful, &mut strict, manner, budget);
    }
    let limit = limit();
    input.accept(cache.iter().filter_map(Cache::complaint).collect())?;
    let scene = flow::path::Scene {
        module: &program.module,
        graph: &graph,
        encoding: &encoding,
        sources: &input.sources,
        unfold: request.unfold,
    };
    let found = evidence::replay_failures(decisions, &scene, budget)?;
    budget.enter("print");

    let inputs: Vec<String> = request.files.iter().map(|path| path.display().to_string()).collect();
    let found = found.into_iter().map(|found| flow::Finding::new(found, request.precision, undecided)).collect();
    let sites = flow::merge(&encoding.sites, found, &program.module, &input.sources, &inputs);
    let basis = flow::Basis {
        analysis: flow::name_of(&analysis).to_owned(),
        entry: c::entry_name(&program, entry),
        data_model: c::data_model(&program.module),
        outside: c::outside_words(&program, &request.outside),
    };
    // Tearing down a large program takes longer than leaving it to the system.
    std::mem::forget((encoding, graph, points_to));
    std::mem::forget(program);
    let Input { sources, warnings } = input;
    let recalled = cache.as_ref().map(Cache::recalled);
    Ok(flow::Answer { sources, sites, warnings, basis, limit, recalled })
}

/// What is assumed of code that is not there.
fn policy(
    program: &CProgram,
    input: &mut Input,
    entry: Option<FunctionId>,
    outside: &Outside,
) -> Result<Policy, Failure> {
    let undefined = if program.is_task { UndefinedWrite::Nothing } else { UndefinedWrite::Reachable };
    let is_library = |_: &str, span: Span| input.sources.is_of_system(span);
    let mut policy = Policy::for_module(&program.module, undefined, is_library);
    let is_other = |entry: FunctionId| program.module.functions[entry].source_name != DEFAULT_ENTRY;
    if policy.outside == points_to::Outside::KnowsVariables && outside.pessimistic || entry.is_some_and(is_other) {
        // Whoever calls another entry has pointers of its own to give.
        policy.outside = points_to::Outside::KnowsNames;
    }
    let warning = (policy.outside == points_to::Outside::KnowsVariables)
        .then(|| flow::beside::elsewhere(&program.module, &input.sources));
    input.accept(warning.flatten().into_iter().collect())?;
    Ok(policy)
}

/// What the pointers of a C program may point to.
fn point<'m>(program: &'m CProgram, policy: Policy, budget: &Budget) -> Result<PointsTo<'m>, Failure> {
    points_to::analyse(&program.module, policy, budget).map_err(|_| Failure::Stopped(budget.hit()))
}

const fn unknown(outside: &Outside) -> Unknown {
    if outside.pessimistic { Unknown::Anything } else { Unknown::AsTested }
}

fn encode_facts(
    analysis: &Analysis,
    subject: Subject<'_, '_>,
    unknown: Unknown,
    budget: &Budget,
) -> Result<Encoding, Failure> {
    budget.enter("encode");
    encode(analysis, subject, unknown, budget).map_err(|_| Failure::Stopped(budget.hit()))
}

/// What `hardbop show` prints.
#[derive(Debug)]
pub struct Shown {
    /// The stage.
    pub text: String,
    /// What was read, and what its author may not have meant.
    pub input: Input,
}

/// `hardbop show`: what a stage makes of a program, or the automaton of a formula.
pub fn show(request: &Show, format: Format, budget: &Budget) -> Result<Shown, Failure> {
    let Some(stage) = request.stage else {
        return show_formula(request.ltl.as_deref().unwrap_or_default(), format, budget);
    };
    let language = input::language(&request.files)?;
    show::fit(stage, language, format)?;
    show::fit_analysis(stage, language, request.analysis.as_deref())?;
    let Language::Finite(kind) = language else { return show_c(request, stage, format, budget) };
    let mut input = Input::default();
    if matches!(stage, Stage::Ast | Stage::Bp) {
        budget.enter("read");
        let file = input.read(&request.files[0])?;
        budget.enter("parse");
        let (ast, found) = lang_bp::parse(input.text(file), input.start(file));
        input.accept(found)?;
        let text = if stage == Stage::Ast { show::ast::text(&ast, &input.sources) } else { lang_bp::print(&ast) };
        return Ok(Shown { text, input });
    }
    let program = load(&request.files[0], kind, request.entry.as_deref(), &mut input, budget)?;
    show_program(&program, stage, format, input, budget)
}

/// A C program: load → points-to → graph → what an analysis makes of it → print.
fn show_c(request: &Show, stage: Stage, format: Format, budget: &Budget) -> Result<Shown, Failure> {
    let mut input = Input::default();
    let entry = request.entry.as_deref();
    let mut program = c::load(&request.files, &request.outside.models, entry, &request.compiler, &mut input, budget)?;
    if stage == Stage::C {
        let text = hardbop_c_core::print::module(&program.module);
        return Ok(Shown { text, input });
    }
    let analysis = request.analysis.as_deref().map(|name| flow::read_analysis(name, &mut input)).transpose()?;
    if let Some(analysis) = &analysis {
        hardbop_c_models::supply(&mut program.module, &|name| analysis.speaks_of(name));
    }
    let module = &program.module;
    let entry = entry.map(|name| c::entry(module, name)).transpose()?;
    let policy = policy(&program, &mut input, entry, &request.outside)?;
    let points_to = point(&program, policy, budget)?;
    let text = match analysis {
        Some(analysis) => {
            let way = flow::way_to_show(&analysis, stage).map_err(|found| input.refuse(found))?;
            let graph = c::graph(&program, &points_to, entry, Some(&analysis));
            let subject = Subject { module, graph: &graph, points_to: &points_to };
            match way {
                flow::Way::FactByFact => show_solution(&analysis, subject, format, &input, budget)?,
                flow::Way::Together => {
                    let encoding = encode_facts(&analysis, subject, unknown(&request.outside), budget)?;
                    show_facts(&encoding, subject, (stage, format), &input, budget)?
                }
            }
        }
        None => {
            budget.enter("print");
            show_pointers(&program, &points_to, (stage, format), entry, &input)
        }
    };
    // Tearing down a large program takes longer than leaving it to the system.
    std::mem::forget(points_to);
    std::mem::forget(program);
    Ok(Shown { text, input })
}

/// What is known of the pointers of a C program, or its graph.
fn show_pointers(
    program: &CProgram,
    points_to: &PointsTo<'_>,
    (stage, format): (Stage, Format),
    entry: Option<FunctionId>,
    input: &Input,
) -> String {
    let (module, sources) = (&program.module, &input.sources);
    match (stage, format) {
        (Stage::Calls, Format::Dot) => show::pointers::calls_dot(module, points_to),
        (Stage::Calls, Format::Json) => format!("{}\n", show::pointers::calls_json(module, sources, points_to)),
        (Stage::Calls, _) => show::pointers::calls_text(module, sources, points_to),
        (Stage::Icfg, _) => {
            let graph = c::graph(program, points_to, entry, None);
            Labelled::of_c(module, &graph, sources).print(format)
        }
        (_, Format::Json) => format!("{}\n", show::pointers::points_to_json(module, sources, points_to)),
        (_, _) => show::pointers::points_to_text(module, sources, points_to),
    }
}

/// What an analysis makes of a C program: a boolean program, or facts line by line.
fn show_facts(
    encoding: &Encoding,
    subject: Subject<'_, '_>,
    (stage, format): (Stage, Format),
    input: &Input,
    budget: &Budget,
) -> Result<String, Failure> {
    if stage == Stage::Bp {
        budget.enter("print");
        return Ok(print_boolean(encoding, &input.sources));
    }
    budget.enter("analyse");
    let known = Cartesian::new(&encoding.program, budget).map_err(|_| Failure::Stopped(budget.hit()))?;
    budget.enter("print");
    Ok(KnownLines::certain(encoding, subject, &known, &input.sources).print(format))
}

/// A program over facts as a boolean program, with what the user wrote beside it.
fn print_boolean(encoding: &Encoding, sources: &SourceMap) -> String {
    let failures = encoding.sites.iter().filter(|site| site.can_fail);
    let failures = failures.filter_map(|site| Some((site.goal.node, site.goal.condition?)));
    let source = |span: Span| {
        let text = one_line(sources.text(span));
        (!text.is_empty()).then(|| format!("{}: {text}", sources.locate(span).line))
    };
    hardbop_bp_text::program::print(&encoding.program, failures, &source)
}

/// What a distributive analysis finds, line by line: encode → a subset problem → pairs of facts.
fn show_solution(
    analysis: &Analysis,
    subject: Subject<'_, '_>,
    format: Format,
    input: &Input,
    budget: &Budget,
) -> Result<String, Failure> {
    budget.enter("encode");
    let encoded = hardbop_c_facts::encode_facts(analysis, subject, budget);
    let (encoding, starts) = encoded.map_err(|_| Failure::Stopped(budget.hit()))?;
    let icfg = match analysis.direction {
        analysis::Direction::Forward => encoding.program.icfg.clone(),
        analysis::Direction::Backward => subset::backward(&encoding.program.icfg),
    };
    let problem = subset::problem(&encoding.program, &icfg, &starts, analysis.meet);
    budget.enter("analyse");
    let solved = subset::solve(&problem, Passing::Touched, budget);
    let solution = solved.map_err(|_| Failure::Stopped(budget.hit()))?;
    budget.enter("print");
    Ok(KnownLines::holding(&encoding, subject, &solution, &input.sources).print(format))
}

/// A program after it has been lowered.
fn show_program(
    program: &Program<Relation>,
    stage: Stage,
    format: Format,
    mut input: Input,
    budget: &Budget,
) -> Result<Shown, Failure> {
    if stage == Stage::Icfg {
        let text = Labelled::of_program(program, &input.sources).print(format);
        return Ok(Shown { text, input });
    }
    let invariants = pushdown::invariants::invariants(program, &options(&[], Evidence::None), budget);
    let invariants = invariants.map_err(|_| Failure::Stopped(budget.hit()))?;
    let reached = program.marks.unmodelled.iter().filter(|found| invariants.nodes[found.node].is_reachable);
    input.accept(reached.map(evidence::refuse).collect())?;
    let text = match (stage, format) {
        (Stage::Summaries, Format::Json) => format!("{}\n", show::invariants::summaries_json(program, &invariants)),
        (Stage::Summaries, _) => show::invariants::summaries_text(program, &invariants),
        (_, Format::Json) => format!("{}\n", show::invariants::json(program, &input.sources, &invariants)),
        (_, _) => show::invariants::text(program, &input.sources, &invariants),
    };
    Ok(Shown { text, input })
}

/// The automaton of a formula: parse → translate.
fn show_formula(text: &str, format: Format, budget: &Budget) -> Result<Shown, Failure> {
    let mut input = Input::default();
    let file = input.take("--ltl", text)?;
    let parsed = hardbop_ltl::parse(input.text(file), input.start(file));
    let formula = input.accept_result(parsed)?;
    budget.enter("translate");
    let automaton = hardbop_ltl::translate(&formula, budget).map_err(|_| Failure::Stopped(budget.hit()))?;
    let text = match format {
        Format::Text => hardbop_ltl::render::text(&automaton),
        Format::Dot => hardbop_ltl::render::dot(&automaton),
        Format::Hoa => hardbop_ltl::hoa::write(&automaton, Some(text)),
        Format::Json => {
            let error = Diagnostic::error("misfit-option", "`--format json` does not fit `--ltl`", None);
            return Err(error.help("what fits is `--format text`, `--format dot` or `--format hoa`").into());
        }
    };
    Ok(Shown { text, input })
}

fn nothing_to_check(input: Input, kind: Kind) -> Answer {
    let Input { sources, mut warnings } = input;
    let (missing, goal) = match kind {
        Kind::BooleanProgram => ("no assertion, no label `SLIC_ERROR` or `ERROR`", "`--goal LABEL`"),
        Kind::Remopla => ("no label `error` or `ERROR`", "`--goal LABEL`"),
        Kind::PushdownSystem => ("a pushdown system does not say what must not happen", "`--goal SYMBOL`"),
    };
    let help = format!("name what must not be reached with {goal} or `--goal FILE:LINE`, or give `--ltl FORMULA`");
    warnings.push(Diagnostic::warning("nothing-to-check", missing, None).help(help));
    Answer {
        sources,
        unanswered: None,
        goals: Vec::new(),
        notes: Vec::new(),
        listing: None,
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

/// How the engine works, without some of its optimisations.
pub fn options(without: &[Optimisation], evidence: Evidence) -> Options {
    let switch = |optimisation| if without.contains(&optimisation) { Switch::Off } else { Switch::On };
    Options {
        order: switch(Optimisation::Order),
        class: switch(Optimisation::Class),
        post: switch(Optimisation::Post),
        rough: switch(Optimisation::Rough),
        unroll: switch(Optimisation::Unroll),
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
