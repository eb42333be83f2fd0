//! What a dataflow analysis finds in a C program: for each place where something must hold, whether it does.
//!
//! The same place can stand on several edges of the graph, as in a call through a pointer or a loop that is written
//! once and asked twice. To the user it is one [`Site`], and fails if any of them may.

pub mod alarms;
pub mod assumed;
pub mod beside;
pub mod json;
mod moments;
pub mod path;
pub mod reasons;
pub mod text;

use crate::arguments::{Stage, Together};
use crate::cache::Recalled;
use crate::evidence::Failure;
use crate::input::Input;
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::{Budget, Diagnostic, Limit, SourceMap, Span};
use hardbop_c_core::{FunctionId, Module, Stmt, StmtKind};
use hardbop_c_facts as facts;
use hardbop_c_facts::{Encoding, Subject};
use hardbop_c_graph::Action;
use hardbop_dataflow::{Decision, Engine, Hints, Manner, Precision, dial};
use hardbop_icfg::{Expr, Goal, ProcId, VarId};
use hardbop_lang_flow as analysis;
use hardbop_lang_flow::tree::{Call, Direction, Requirement, Site as Place};
use hardbop_lang_flow::{Analysis, shipped};
use path::Path;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What was found.
#[derive(Debug)]
pub struct Answer {
    /// Where sites and diagnostics point.
    pub sources: SourceMap,
    /// The places, in the order of the files that the user gave, then of the lines.
    pub sites: Vec<Site>,
    /// What the user may not have meant.
    pub warnings: Vec<Diagnostic>,
    /// What it rests on.
    pub basis: Basis,
    /// The limit that was hit, which may have left some places undecided.
    pub limit: Option<Limit>,
    /// What the cache was good for, if there was one.
    pub recalled: Option<Recalled>,
}

/// What an answer rests on.
#[derive(Debug)]
pub struct Basis {
    /// The analysis' name.
    pub analysis: String,
    /// Where runs start.
    pub entry: String,
    /// The data model: `LP64`.
    pub data_model: &'static str,
    /// What is taken of code that is not there.
    pub outside: String,
}

/// A place where something must hold.
#[derive(Debug)]
pub struct Site {
    /// The file, as the user gave it.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The place.
    pub span: Span,
    /// The function it is in.
    pub function: String,
    /// What it is about: `*p`.
    pub expression: String,
    /// What is said where it fails.
    pub message: String,
    /// What was found.
    pub status: Status,
    /// What is taken for granted of values that come from outside, without which it might not be so.
    pub assumes: Vec<String>,
    /// The point of the dial that decided.
    pub precision: Precision,
    /// How it fails, replayed.
    pub failure: Option<Path>,
}

/// What was found about a place. What is later in this list wins where one place stands on several edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// Control does not come there.
    Unreachable,
    /// What must hold holds.
    Safe,
    /// A limit came first.
    Unknown,
    /// It may not.
    MayFail,
}

impl Answer {
    /// How many places are `status`.
    pub fn count(&self, status: Status) -> usize {
        self.sites.iter().filter(|site| site.status == status).count()
    }

    /// The places that are safe only if something is so outside.
    pub fn conditional(&self) -> impl Iterator<Item = &Site> {
        self.sites.iter().filter(|site| site.status == Status::Safe && !site.assumes.is_empty())
    }
}

/// Reads the analysis that `--analysis` names: a file `….flow`, or one that is shipped.
pub fn read_analysis(name: &str, input: &mut Input) -> Result<Analysis, Failure> {
    let file = if name.ends_with(".flow") {
        input.read(std::path::Path::new(name))?
    } else {
        let Some(text) = shipped::text(name) else { return Err(unknown_analysis(name).into()) };
        input.take(&format!("{name}.flow"), text)?
    };
    let (analysis, found) = analysis::parse(input.text(file), input.start(file));
    input.accept(found)?;
    input.accept(analysis::check(&analysis))?;
    Ok(analysis)
}

fn unknown_analysis(name: &str) -> Diagnostic {
    let known = || shipped::ALL.iter().map(|(known, _)| *known);
    let message = format!("there is no analysis `{name}`{}", did_you_mean(name, known()));
    Diagnostic::error("unknown-analysis", message, None).help(shipped_analyses())
}

/// What can be given as an analysis.
pub fn shipped_analyses() -> String {
    let names: Vec<String> = shipped::ALL.iter().map(|(known, _)| format!("`{known}`")).collect();
    format!("shipped are {}; the name of your own ends in `.flow`", names.join(", "))
}

/// Refuses an analysis that requires nothing: there is no place to decide.
pub fn refuse_without_requirements(analysis: &Analysis) -> Result<(), Diagnostic> {
    let name = name_of(analysis);
    let span = analysis.header.as_ref().map(|header| header.span);
    let refuse = |message: String| {
        let error = Diagnostic::error("nothing-required", message, span);
        Err(error.help(format!("`hardbop show FILE.c --stage facts --analysis {name}` shows what it finds")))
    };
    match analysis.direction {
        Direction::Backward => refuse(format!("`{name}` goes backwards, so there is no run that it could show")),
        Direction::Forward if analysis.requirements.is_empty() => {
            refuse(format!("`{name}` has no `at … require`, so there is no place where anything could fail"))
        }
        Direction::Forward => Ok(()),
    }
}

/// How the facts of a program are found that are only looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Each fact on its own, by pairs of facts: which facts hold.
    FactByFact,
    /// All facts of a place: which of them are certain.
    Together,
}

/// How `stage` shows what `analysis` finds. What requires something is shown as `flow` sees it; what does not, or goes
/// backwards, is solved fact by fact.
pub fn way_to_show(analysis: &Analysis, stage: Stage) -> Result<Way, Diagnostic> {
    let is_looked_at = analysis.direction == Direction::Backward || analysis.requirements.is_empty();
    match (stage, analysis::is_distributive(analysis)) {
        (Stage::Facts, Ok(())) if is_looked_at => Ok(Way::FactByFact),
        (Stage::Facts, Err(reason)) if analysis.direction == Direction::Backward => Err(reason),
        (Stage::Facts, _) => Ok(Way::Together),
        _ => refuse_without_requirements(analysis).map(|()| Way::Together),
    }
}

/// What an analysis is called.
pub fn name_of(analysis: &Analysis) -> &str {
    analysis.header.as_ref().map_or("analysis", |header| &header.name)
}

/// A warning for each place after which nothing is known, since what happens there is not modelled.
pub fn not_modelled(encoding: &Encoding, subject: Subject<'_, '_>) -> Vec<Diagnostic> {
    let mut warnings: BTreeMap<(u32, u32), Diagnostic> = BTreeMap::new();
    for &edge in &encoding.unmodelled {
        let span = subject.graph.icfg.nodes[subject.graph.icfg.edges[edge].from].span;
        let what = match subject.graph.actions[edge] {
            Action::External(_, Some(callee)) => {
                format!("what happens where `{}` returns", subject.module.functions[callee].source_name)
            }
            Action::Do(Stmt { kind: StmtKind::Unmodelled(what), .. }) => what.clone(),
            _ => "what happens here".into(),
        };
        let warning = || Diagnostic::warning("not-modelled", format!("{what} is not modelled"), Some(span));
        let help = "nothing is known after it, so what is required there may be said to fail";
        warnings.entry((span.start, span.end)).or_insert_with(|| warning().help(help));
    }
    warnings.into_values().collect()
}

/// Warnings about functions that the analysis `name` speaks of and that are not there; of one that is shipped none are
/// missed.
pub fn unknown_functions(name: &str, analysis: &Analysis, subject: Subject<'_, '_>) -> Vec<Diagnostic> {
    let mut warnings = undefined_functions(analysis, subject.module);
    if name.ends_with(".flow") {
        warnings.extend(misspelt_functions(analysis, subject));
    }
    warnings
}

/// A warning for each `entry of` and `exit of` a function that the program does not define. It need not have a `main`.
fn undefined_functions(analysis: &Analysis, module: &Module) -> Vec<Diagnostic> {
    let defined = || module.functions.iter().filter(|row| row.body.is_some()).map(|row| &*row.source_name);
    let warning = |requirement: &Requirement| {
        let (Place::Entry(Some(name)) | Place::Exit(Some(name))) = &requirement.site else { return None };
        if name == "main" || defined().any(|known| analysis::name_matches(name, known)) {
            return None;
        }
        let message = format!("there is no function `{name}` with a body{}", did_you_mean(name, defined()));
        let help = "what is required there is not asked anywhere";
        Some(Diagnostic::warning("unknown-function", message, Some(requirement.span)).help(help))
    };
    analysis.requirements.iter().filter_map(warning).collect()
}

/// A warning for each function that a pattern of a user's own file names and that the program does not have, while it uses
/// one with nearly that name. Names of the library, and such as `*_lock`, may well be of no use to a program.
fn misspelt_functions(analysis: &Analysis, subject: Subject<'_, '_>) -> Vec<Diagnostic> {
    let functions = &subject.module.functions;
    let calls: Vec<(&Call, Span)> = analysis.calls();
    let speaks_of = |name: &str| {
        let mut named = calls.iter().flat_map(|(call, _)| &call.callees);
        named.any(|pattern| analysis::name_matches(pattern, name))
    };
    let is_known = |name: &str| shipped::ALL.iter().any(|(_, text)| mentions(text, name));
    let used: BTreeSet<&str> = used_functions(subject).map(|function| &*functions[function].source_name).collect();
    let near = || used.iter().copied().filter(|name| !speaks_of(name) && !is_known(name));
    let mut warnings: BTreeMap<&str, Diagnostic> = BTreeMap::new();
    for &(call, span) in &calls {
        for name in &call.callees {
            let is_there = || functions.iter().any(|row| analysis::name_matches(name, &row.source_name));
            let meant = did_you_mean(name, near());
            if name.contains('*') || meant.is_empty() || is_known(name) || is_there() {
                continue;
            }
            let message = format!("the program has no function `{name}`{meant}");
            let warning = Diagnostic::warning("unknown-function", message, Some(span));
            warnings.entry(name).or_insert_with(|| warning.help("what is said of it here never applies"));
        }
    }
    warnings.into_values().collect()
}

/// Whether a text has this word in it.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|next: char| !next.is_alphanumeric() && next != '_').any(|own| own == word)
}

/// The functions with a body, and those that are called.
fn used_functions<'a>(subject: Subject<'a, '_>) -> impl Iterator<Item = FunctionId> + 'a {
    let defined = subject.module.functions.ids().filter(|&id| subject.module.functions[id].body.is_some());
    let called = subject.graph.actions.iter().filter_map(|action| match *action {
        Action::External(_, callee) => callee,
        _ => None,
    });
    defined.chain(called)
}

/// How the sites of `encoding` are decided: what is named together is kept together.
pub fn manner(encoding: &Encoding, precision: Precision, together: &[Together]) -> Result<Manner, Diagnostic> {
    let mut hints = Vec::new();
    for Together(names) in together {
        let mut sets: BTreeMap<Option<ProcId>, BTreeSet<VarId>> = BTreeMap::new();
        for name in names {
            let meant = || encoding.facts.iter().filter(|fact| fact.about.contains(name));
            if meant().next().is_none() {
                let known = encoding.facts.iter().flat_map(|fact| &fact.about).map(String::as_str);
                let message = format!("no fact is about `{name}`{}", did_you_mean(name, known));
                let help = "names are those of the facts that `hardbop show FILE --stage facts` prints";
                return Err(Diagnostic::error("unknown-name", message, None).help(help));
            }
            for &bit in meant().flat_map(|fact| &fact.bits) {
                sets.entry(encoding.program.vars[bit].scope.owner()).or_default().insert(bit);
            }
        }
        // What two procedures call by one name has nothing to do with each other.
        let shared = sets.remove(&None).unwrap_or_default();
        let own = sets.into_values().map(|set| &set | &shared);
        hints.extend(own.chain([shared.clone()]));
    }
    Ok(Manner { precision, hints: Hints(hints) })
}

/// Decides every site of `encoding`: a decision for each. What a limit leaves undecided may fail, and there is no path.
pub fn decide(encoding: &mut Encoding, manner: Manner, engine: &Engine<'_>, budget: &Budget) -> Vec<Decision> {
    let all: Vec<usize> = (0..encoding.sites.len()).collect();
    decide_some(encoding, &all, manner, engine, budget)
}

/// Decides the sites of `encoding` that have these numbers.
fn decide_some(
    encoding: &mut Encoding,
    numbers: &[usize],
    manner: Manner,
    engine: &Engine<'_>,
    budget: &Budget,
) -> Vec<Decision> {
    // What cannot fail is asked about all the same: control may not come there.
    let never = encoding.program.exprs.add(Expr::Const(false));
    let goal = |site: &facts::Site| match site.can_fail {
        true => site.goal.clone(),
        false => Goal { condition: Some(never), ..site.goal.clone() },
    };
    let goals: Vec<Goal> = numbers.iter().map(|&number| goal(&encoding.sites[number])).collect();
    dial::decide(&encoding.program, &goals, manner, engine, budget).unwrap_or_else(|_| {
        let nothing = Decision { status: dial::Status::MayFail(None), precision: Precision::Flow };
        vec![nothing; goals.len()]
    })
}

/// What was found about a site.
#[derive(Debug)]
pub struct Finding {
    status: Status,
    precision: Precision,
    path: Option<Path>,
}

impl Finding {
    /// What a decision means that was asked for with `precision` and under `limit`, if one was hit.
    pub fn new((decision, path): (Decision, Option<Path>), precision: Precision, limit: Option<Limit>) -> Self {
        let is_cut = limit.is_some() && precision != Precision::Flow;
        let status = match decision.status {
            dial::Status::Unreachable => Status::Unreachable,
            dial::Status::Safe => Status::Safe,
            dial::Status::MayFail(None) if is_cut => Status::Unknown,
            dial::Status::MayFail(_) => Status::MayFail,
        };
        Self { status, precision: decision.precision, path }
    }
}

/// The sites as the user sees them, in the order of `inputs`: those at one place are one. Those in headers of the system
/// are left out unless they may fail.
pub fn merge(
    sites: &[facts::Site],
    found: Vec<Finding>,
    module: &Module,
    sources: &SourceMap,
    inputs: &[String],
) -> Vec<Site> {
    let mut files: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let mut merged: BTreeMap<(usize, usize, usize, &str), Site> = BTreeMap::new();
    for (site, Finding { status, precision, path }) in sites.iter().zip(found) {
        if status != Status::MayFail && sources.is_of_system(site.span) {
            continue;
        }
        let span = narrow(sources, site.span, &site.expression);
        let place = sources.locate(span);
        let file = files.iter().position(|known| *known == place.path).unwrap_or_else(|| {
            files.push(place.path);
            files.len() - 1
        });
        let seen = Site {
            path: place.path.to_owned(),
            line: place.line,
            column: place.column,
            span,
            function: module.functions[site.function].source_name.clone(),
            expression: site.expression.clone(),
            message: site.message.clone(),
            status,
            assumes: if status <= Status::Safe { site.assumes.clone() } else { Vec::new() },
            precision,
            failure: path,
        };
        let key = (file, place.line, place.column, site.expression.as_str());
        match merged.get_mut(&key) {
            Some(known) => join(known, seen),
            None => drop(merged.insert(key, seen)),
        }
    }
    merged.into_values().collect()
}

/// Where `expression` stands in `span`, if it stands there as it is written; of `*p` that may be `p[0]`.
fn narrow(sources: &SourceMap, span: Span, expression: &str) -> Span {
    let element = expression.strip_prefix('*').map(|pointer| format!("{pointer}[0]"));
    let found =
        find_word(sources.text(span), expression).or_else(|| find_word(sources.text(span), element.as_deref()?));
    found.map_or(span, |found| Span::new(span.start + found.start as u32, span.start + found.end as u32))
}

/// Where `expression` first stands in `text` as a whole.
fn find_word(text: &str, expression: &str) -> Option<Range<usize>> {
    let is_part = |next: char| next.is_alphanumeric() || matches!(next, '_' | '.' | '>');
    let is_whole = |at: usize| {
        let is_cut = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || next == '_');
        !text[..at].ends_with(is_part) && !is_cut(text[at + expression.len()..].chars().next())
    };
    let at = text.match_indices(expression).map(|(at, _)| at).find(|&at| is_whole(at))?;
    (!expression.is_empty()).then(|| at..at + expression.len())
}

/// Makes one of two sites at the same place.
fn join(known: &mut Site, other: Site) {
    if known.status == Status::MayFail && other.status == Status::MayFail {
        if !known.message.split("; ").any(|part| part == other.message) {
            known.message = format!("{}; {}", known.message, other.message);
        }
        let length = |site: &Site| site.failure.as_ref().map_or(usize::MAX, |path| path.steps.len());
        if length(&other) < length(known) {
            known.failure = other.failure;
            known.precision = other.precision;
        }
    } else if known.status < other.status {
        *known = other;
    } else if known.status == other.status {
        let new = other.assumes.into_iter().filter(|assumed| !known.assumes.contains(assumed));
        let new: Vec<String> = new.collect();
        known.assumes.extend(new);
        // The most that was needed.
        known.precision = known.precision.max(other.precision);
    }
}

/// How a point of the dial is written.
pub fn precision_text(precision: Precision) -> String {
    match precision {
        Precision::Flow => "flow".into(),
        Precision::Projections(size) => format!("projections={size}"),
        Precision::Procedure => "procedure".into(),
        Precision::Path => "path".into(),
        Precision::Auto => "auto".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_limit_leaves_open_is_unknown() {
        let found = |status: dial::Status, asked: Precision, limit: Option<Limit>| {
            Finding::new((Decision { status, precision: Precision::Flow }, None), asked, limit).status
        };
        let time = Some(Limit::Time);
        assert_eq!(found(dial::Status::MayFail(None), Precision::Auto, time), Status::Unknown);
        assert_eq!(found(dial::Status::MayFail(None), Precision::Auto, None), Status::MayFail);
        assert_eq!(found(dial::Status::MayFail(None), Precision::Flow, time), Status::MayFail);
        assert_eq!(found(dial::Status::Safe, Precision::Auto, time), Status::Safe);
    }
}
