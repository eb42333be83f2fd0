//! Fuzz targets as library functions: whatever bytes they get, a panic is a bug.
//!
//! `cargo test` runs them on mutants of valid inputs for a few seconds together, `HARDBOP_FUZZ_SECONDS` for longer;
//! `cargo +nightly fuzz run --features libfuzzer check_bp` lets libFuzzer look for bytes.

mod languages;
mod questions;

pub use languages::{parse_c, parse_ltl, parse_pds, parse_rem, read_hoa};
pub use questions::{ask_stacks, check_ltl};

use hardbop_base::{Budget, Diagnostic, Severity, SourceMap};
use hardbop_icfg::{Goal, GoalKind, Program, Relation, Slots};
use hardbop_lang_bp::{MAX_ERRORS, goals, lower, print};
use hardbop_pushdown::{Evidence, Options, Report, Switch};
use hardbop_verdict::{Verdict, certify, replay};

/// The first attempts of the engine are short, so that small programs climb the whole ladder.
const FIRST_ATTEMPTS: [u64; 4] = [0, 500, 50_000, 4_000_000];
/// The steps that the search for a shortest run may take.
const TRACE_ATTEMPT: u64 = 1_000_000;
/// Larger programs are left to the benchmarks: these are decided in no time, and so without a limit.
const MOST_NODES: usize = 2_000;
const MOST_SLOTS: usize = 14;

/// Reads `bytes` as a boolean program and, if they are one, prints it and reads it again.
pub fn parse(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (ast, found) = hardbop_lang_bp::parse(text, 0);
    assert!(errors(&found) <= MAX_ERRORS, "more errors than anyone reads");
    spans_are_inside(text, &found);
    let printed = print(&ast);
    if errors(&found) > 0 {
        return;
    }
    let (again, found) = hardbop_lang_bp::parse(&printed, 0);
    assert_eq!(errors(&found), 0, "what was printed cannot be read: {printed}");
    assert_eq!(print(&again), printed, "what was printed reads as something else");
}

/// Checks `bytes` as a boolean program: every run must be one when it is replayed, every proof must be accepted.
///
/// Which optimisations are used depends on the bytes.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut sources = SourceMap::default();
    let file = sources.add("input.bp", text.to_owned()).expect("libFuzzer's inputs are small");
    let (ast, found) = hardbop_lang_bp::parse(text, sources.file(file).start);
    if errors(&found) > 0 {
        return;
    }
    let Ok(lowered) = lower(&ast, "main") else { return };
    let program = lowered.program;
    if !is_small(&program) {
        return;
    }
    let goals = questions(&program, &sources);
    let report = hardbop_pushdown::check(&program, &goals, &options(checksum(bytes)), &Budget::unlimited());
    confirm(&program, &goals, &report);
}

/// What the program itself asks, and whether its end can be reached.
fn questions(program: &Program<Relation>, sources: &SourceMap) -> Vec<Goal> {
    let mut goals = goals(program, sources, &[]).expect("no goal is named, so none is misspelt");
    let exit = program.icfg.procs[program.entry].exit;
    let span = program.icfg.nodes[exit].span;
    goals.push(Goal { node: exit, condition: None, name: "end".into(), kind: GoalKind::Statement, span });
    goals
}

/// One combination of the optimisations.
fn options(number: u64) -> Options {
    // On three times out of four: most inputs meet most optimisations, and the absence of some.
    let switch = |bit: u32| if number >> (2 * bit) & 3 == 0 { Switch::Off } else { Switch::On };
    Options {
        order: Switch::On,
        class: Switch::On,
        post: Switch::On,
        rough: Switch::On,
        unroll: switch(9),
        slice: switch(0),
        mod_ref: switch(1),
        liveness: switch(2),
        chains: switch(3),
        frontiers: switch(4),
        concrete: switch(5),
        insensitive: switch(6),
        evidence: Evidence::TracesAndProof,
        first_attempt: FIRST_ATTEMPTS[(number >> 14 & 3) as usize],
        trace_attempt: TRACE_ATTEMPT,
    }
}

/// Panics unless each answer of `report` has its evidence.
fn confirm(program: &Program<Relation>, goals: &[Goal], report: &Report) {
    let mut held = Vec::new();
    for (goal, verdict) in goals.iter().zip(&report.verdicts) {
        match verdict {
            Verdict::Holds => held.push(goal),
            Verdict::Unknown(reason) => panic!("`{}` is undecided without a limit: {reason:?}", goal.name),
            Verdict::Violated(None) => panic!("`{}` is reachable without a run", goal.name),
            Verdict::Violated(Some(witness)) => {
                if let Err(error) = replay(program, goal, witness) {
                    panic!("the run to `{}` is none: {error}", goal.name);
                }
            }
        }
    }
    if !held.is_empty() {
        let proof = report.proof.as_ref().expect("goals that hold have a proof");
        if let Err(error) = certify(program, &held, proof, &Budget::unlimited()) {
            panic!("the proof is not accepted: {error}");
        }
    }
}

/// Whether it is decided in no time.
fn is_small(program: &Program<Relation>) -> bool {
    program.icfg.nodes.len() <= MOST_NODES && Slots::new(program).len() <= MOST_SLOTS
}

/// Panics unless each diagnostic points into `text`.
fn spans_are_inside(text: &str, found: &[Diagnostic]) {
    for span in found.iter().filter_map(|diagnostic| diagnostic.span) {
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(text.get(start..end).is_some(), "a diagnostic points outside of the text");
    }
}

fn errors(found: &[Diagnostic]) -> usize {
    found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// FNV-1a: the same on every machine.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
