//! Each fuzz target on mutants of valid inputs, all of them together for `HARDBOP_FUZZ_SECONDS` or a few seconds.
//!
//! Mutant number `k` of a target is the same text on every machine; a failure names it and shows it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod mutate;
mod seeds;

use mutate::{Mutation, mutant};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// How many tests share the time.
const SHARES: f64 = 14.0;

/// Runs `target` on one mutant after the other until its share of the time is over.
#[track_caller]
fn check(target: fn(&[u8]), seeds: &[Vec<u8>], mutation: Mutation) {
    let seconds = std::env::var("HARDBOP_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4.0);
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds / SHARES));
    let mut number = 0;
    while start.elapsed() < limit || number <= 10 {
        let input = mutant(seeds, mutation, number);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&input))) {
            eprintln!("mutant {number}:\n{}", String::from_utf8_lossy(&input));
            resume_unwind(panic);
        }
        number += 1;
    }
    println!("{number} mutants");
    assert!(start.elapsed() < 2 * limit + Duration::from_secs(10), "a mutant takes too long");
}

#[test]
fn parser_withstands_any_bytes() {
    check(hardbop_fuzz::parse, &seeds::boolean_programs(), Mutation::Bytes);
}

#[test]
fn parser_withstands_any_words() {
    check(hardbop_fuzz::parse, &seeds::boolean_programs(), Mutation::Words);
}

#[test]
fn every_answer_has_its_evidence() {
    check(hardbop_fuzz::check, &seeds::boolean_programs(), Mutation::Words);
}

#[test]
fn c_may_be_any_bytes() {
    check(hardbop_fuzz::parse_c, &seeds::c(), Mutation::Bytes);
}

#[test]
fn c_may_be_any_words() {
    check(hardbop_fuzz::parse_c, &seeds::c(), Mutation::Words);
}

#[test]
fn pushdown_systems_may_be_any_bytes() {
    check(hardbop_fuzz::parse_pds, &seeds::pushdown_systems(), Mutation::Bytes);
}

#[test]
fn pushdown_systems_may_be_any_words() {
    check(hardbop_fuzz::parse_pds, &seeds::pushdown_systems(), Mutation::Words);
}

#[test]
fn remopla_may_be_any_bytes() {
    check(hardbop_fuzz::parse_rem, &seeds::remopla(), Mutation::Bytes);
}

#[test]
fn remopla_may_be_any_words() {
    check(hardbop_fuzz::parse_rem, &seeds::remopla(), Mutation::Words);
}

#[test]
fn formulas_may_be_any_bytes() {
    check(hardbop_fuzz::parse_ltl, &seeds::formulas(), Mutation::Bytes);
}

#[test]
fn formulas_may_be_any_words() {
    check(hardbop_fuzz::parse_ltl, &seeds::formulas(), Mutation::Words);
}

#[test]
fn automata_may_be_any_words() {
    check(hardbop_fuzz::read_hoa, &seeds::automata(), Mutation::Words);
}

#[test]
fn every_answer_about_infinite_runs_has_its_evidence() {
    let seeds = seeds::with_formulas();
    assert!(2 * seeds.iter().filter(|seed| hardbop_fuzz::check_ltl(seed)).count() > seeds.len());
    check(|bytes| _ = hardbop_fuzz::check_ltl(bytes), &seeds, Mutation::Words);
}

#[test]
fn every_question_about_stacks_has_one_answer() {
    let seeds = seeds::with_stacks();
    assert!(2 * seeds.iter().filter(|seed| hardbop_fuzz::ask_stacks(seed)).count() > seeds.len());
    check(|bytes| _ = hardbop_fuzz::ask_stacks(bytes), &seeds, Mutation::Words);
}

#[test]
fn half_of_the_seeds_are_answered_as_they_are() {
    // A mutant of what is no program is rarely one.
    let seeds = seeds::boolean_programs();
    let is_program = |text: &&Vec<u8>| {
        let text = std::str::from_utf8(text).expect("programs are UTF-8");
        hardbop_lang_bp::lower(&hardbop_lang_bp::parse(text, 0).0, "main").is_ok()
    };
    assert!(2 * seeds.iter().filter(is_program).count() > seeds.len());
    seeds.iter().for_each(|seed| hardbop_fuzz::check(seed));
}
