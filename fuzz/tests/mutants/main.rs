//! Each fuzz target for a second, or for `HARDBOP_FUZZ_SECONDS`, on mutants of valid programs.
//!
//! Mutant number `k` of a target is the same text on every machine; a failure names it and shows it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod mutate;
mod seeds;

use mutate::{Mutation, mutant};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Runs `target` on one mutant after the other until the time is over.
fn check(target: fn(&[u8]), mutation: Mutation) {
    let seconds = std::env::var("HARDBOP_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    let seeds = seeds::all();
    let mut number = 0;
    while start.elapsed() < limit {
        let input = mutant(&seeds, mutation, number);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&input))) {
            eprintln!("mutant {number}:\n{}", String::from_utf8_lossy(&input));
            resume_unwind(panic);
        }
        number += 1;
    }
    println!("{number} mutants");
    assert!(number > 10, "a mutant takes too long");
}

#[test]
fn parser_withstands_any_bytes() {
    check(hardbop_fuzz::parse, Mutation::Bytes);
}

#[test]
fn parser_withstands_any_words() {
    check(hardbop_fuzz::parse, Mutation::Words);
}

#[test]
fn every_answer_has_its_evidence() {
    check(hardbop_fuzz::check, Mutation::Words);
}

#[test]
fn half_of_the_seeds_are_answered_as_they_are() {
    // A mutant of what is no program is rarely one.
    let seeds = seeds::all();
    let is_program = |text: &&Vec<u8>| {
        let text = std::str::from_utf8(text).expect("programs are UTF-8");
        hardbop_lang_bp::lower(&hardbop_lang_bp::parse(text, 0).0, "main").is_ok()
    };
    assert!(2 * seeds.iter().filter(is_program).count() > seeds.len());
    seeds.iter().for_each(|seed| hardbop_fuzz::check(seed));
}
