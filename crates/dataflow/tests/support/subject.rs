//! From the text of a C program to what an analysis says of its places.

use hardbop_base::{Budget, Span};
use hardbop_c_core::{FunctionId, Linkage, Module, Target};
use hardbop_c_facts::{Encoding, Site, Subject, Unknown, encode};
use hardbop_c_graph::{CGraph, Entries, whole};
use hardbop_dataflow::{Decision, Engine, Precision, Status, decide};
use hardbop_icfg::Goal;
use hardbop_icfg::expr::Expr;
use hardbop_lang_flow as analysis;
use hardbop_lang_flow::{Analysis, shipped};
use hardbop_points_to::{PointsTo, Policy, UndefinedWrite, analyse};
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch};

/// How programs are run.
pub const RUNS: hardbop_c_run::Options = hardbop_c_run::Options {
    max_steps: 20_000,
    max_memory: 1 << 20,
    max_depth: 200,
    signed_overflow: hardbop_c_run::SignedOverflow::Wraps,
    uninitialised: hardbop_c_run::Uninitialised::Error,
    alignment: hardbop_c_run::Checking::Off,
    pointer_arithmetic: hardbop_c_run::Checking::Off,
};

/// The engine as the command uses it, without traces.
pub const OPTIONS: Options = Options {
    order: Switch::On,
    class: Switch::On,
    post: Switch::On,
    rough: Switch::On,
    unroll: Switch::On,
    slice: Switch::On,
    mod_ref: Switch::On,
    liveness: Switch::On,
    chains: Switch::On,
    frontiers: Switch::On,
    concrete: Switch::On,
    insensitive: Switch::On,
    evidence: Evidence::None,
    first_attempt: FIRST_ATTEMPT,
    trace_attempt: TRACE_ATTEMPT,
};

/// What is said of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Said {
    Unreachable,
    Safe,
    MayFail,
}

/// A line that ends one file and begins the next.
const NEXT_FILE: &str = "//@ next file\n";

pub fn module(source: &str) -> Module {
    let mut units = Vec::new();
    let mut start = 0;
    for text in source.split(NEXT_FILE) {
        let (ast, errors) = hardbop_lang_c::parse(text, start);
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        match hardbop_c_lower::lower(&ast, Target::Lp64) {
            Ok(lowered) => units.push(lowered.module),
            Err(errors) => panic!("{errors:?}\n{text}"),
        }
        start += u32::try_from(text.len() + NEXT_FILE.len()).expect("tests are small");
    }
    hardbop_c_link::link(units).unwrap_or_else(|errors| panic!("{errors:?}\n{source}")).module
}

pub fn main_of(module: &Module) -> Option<FunctionId> {
    let is_main = |id: &FunctionId| module.functions[*id].source_name == "main" && module.functions[*id].body.is_some();
    module.functions.ids().find(is_main)
}

pub fn pointers(module: &Module, undefined: UndefinedWrite) -> PointsTo<'_> {
    // What programs are asked to choose comes from a library that knows nothing of them.
    let is_library = |name: &str, _: Span| ["nondet", "nondet_int", "input"].contains(&name);
    analyse(module, Policy::for_module(module, undefined, is_library), &Budget::unlimited()).expect("no limit")
}

/// The graph from `main`, or without one from every function that others can call.
pub fn graph<'m>(module: &'m Module, points_to: &PointsTo<'_>, analysis: &Analysis) -> CGraph<'m> {
    let is_entry =
        |id: &FunctionId| module.functions[*id].body.is_some() && module.functions[*id].linkage == Linkage::External;
    let all: Vec<FunctionId> = module.functions.ids().filter(is_entry).collect();
    whole(module, points_to, main_of(module).map_or(Entries::Any(&all), Entries::One), &|name| analysis.speaks_of(name))
}

pub fn shipped_analysis(name: &str) -> Analysis {
    read_analysis(shipped::text(name).expect("it is shipped"))
}

pub fn read_analysis(text: &str) -> Analysis {
    let (tree, findings) = analysis::parse(text, 0);
    let later = analysis::check(&tree);
    let is_error = |found: &&hardbop_base::Diagnostic| found.severity == hardbop_base::Severity::Error;
    let errors: Vec<_> = findings.iter().chain(&later).filter(is_error).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    tree
}

pub fn encoding(analysis: &Analysis, subject: Subject<'_, '_>, unknown: Unknown) -> Encoding {
    encode(analysis, subject, unknown, &Budget::unlimited()).expect("no limit")
}

/// The goal of each site; what cannot fail is asked for all the same.
pub fn goals(encoding: &mut Encoding) -> Vec<Goal> {
    let never = encoding.program.exprs.add(Expr::Const(false));
    let goal = |site: &Site| match site.can_fail {
        true => site.goal.clone(),
        false => Goal { condition: Some(never), ..site.goal.clone() },
    };
    encoding.sites.iter().map(goal).collect()
}

pub fn said(decision: &Decision) -> Said {
    match decision.status {
        Status::Unreachable => Said::Unreachable,
        Status::Safe => Said::Safe,
        Status::MayFail(_) => Said::MayFail,
    }
}

/// What is said of each site.
pub fn sayings(encoding: &mut Encoding, precision: Precision) -> Vec<Said> {
    let goals = goals(encoding);
    let decided =
        decide(&encoding.program, &goals, precision, &Engine::new(OPTIONS), &Budget::unlimited()).expect("no limit");
    decided.iter().map(said).collect()
}

/// The line of a place, the first being 1.
pub fn line_of(source: &str, span: Span) -> usize {
    source.as_bytes()[..span.start as usize].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// What an analysis says of each of its places in a program: line, expression, answer.
pub fn report(analysis: &Analysis, source: &str, unknown: Unknown, precision: Precision) -> Vec<(usize, String, Said)> {
    let sites = sites(analysis, source, unknown, precision).into_iter();
    sites.map(|(site, said)| (line_of(source, site.span), site.expression, said)).collect()
}

/// The places of an analysis in a program, and what it says of each.
pub fn sites(analysis: &Analysis, source: &str, unknown: Unknown, precision: Precision) -> Vec<(Site, Said)> {
    let module = module(source);
    let points_to = pointers(&module, UndefinedWrite::Reachable);
    let graph = graph(&module, &points_to, analysis);
    let mut encoding = encoding(analysis, Subject { module: &module, graph: &graph, points_to: &points_to }, unknown);
    let said = sayings(&mut encoding, precision);
    encoding.sites.into_iter().zip(said).collect()
}
