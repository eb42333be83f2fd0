//! Boolean programs, read by the front end, and the options of the first engine.

use hardbop_base::{Severity, SourceMap};
use hardbop_icfg::{Program, Relation};
use hardbop_lang_remopla::{pds, rem};
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch};
use proptest::test_runner::{Config, TestRunner};

/// The program of `text`, if it is one.
pub fn try_lower(text: &str) -> Option<Program<Relation>> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.bp", text.to_owned()).expect("it is short");
    let (ast, findings) = hardbop_lang_bp::parse(text, sources.file(file).start);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return None;
    }
    Some(hardbop_lang_bp::lower(&ast, "main").ok()?.program)
}

/// The symbolic pushdown system of `text`, if it is one.
pub fn try_lower_pds(text: &str) -> Option<Program<Relation>> {
    let (ast, findings) = pds::parse(text, 0);
    let is_wrong = findings.iter().any(|finding| finding.severity == Severity::Error);
    if is_wrong { None } else { Some(pds::lower(&ast).ok()?.program) }
}

/// The Remopla program of `text`, if it is one.
pub fn try_lower_rem(text: &str) -> Option<Program<Relation>> {
    let (ast, findings) = rem::parse(text, 0);
    let is_wrong = findings.iter().any(|finding| finding.severity == Severity::Error);
    if is_wrong { None } else { Some(rem::lower(&ast, None).ok()?.program) }
}

/// The program of `text`.
#[track_caller]
pub fn lower(text: &str) -> Program<Relation> {
    try_lower(text).unwrap_or_else(|| panic!("this is no program:\n{text}"))
}

/// Every optimisation.
pub fn options(evidence: Evidence) -> Options {
    Options {
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
        evidence,
        first_attempt: FIRST_ATTEMPT,
        trace_attempt: TRACE_ATTEMPT,
    }
}

/// Runs `cases` cases.
pub fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}
