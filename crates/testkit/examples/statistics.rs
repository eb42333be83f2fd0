//! How random programs fare: what share of statements is reachable, of assertions can fail, of calls returns.
//!
//! `cargo run --release -p hardbop-testkit --example statistics -- [COUNT]`; the weights in `generate.rs` were chosen by it.

use std::time::{Duration, Instant};

use hardbop_testkit::{Exploration, Model, Size, explore, programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Counts over many programs.
#[derive(Default)]
struct Totals {
    statements: usize,
    reachable: usize,
    /// Unreachable although the procedure is entered.
    excluded: usize,
    assertions: usize,
    failing: usize,
    procedures: usize,
    entered: usize,
    returning: usize,
    states: usize,
    longest: usize,
    lines: usize,
    fully_reachable: usize,
    generation: Duration,
    exploration: Duration,
    slowest: Duration,
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(2000);
    for (name, size) in [("tiny", Size::TINY), ("small", Size::SMALL), ("large", Size::LARGE)] {
        let strategy = programs(size);
        let mut runner = TestRunner::deterministic();
        let mut totals = Totals::default();
        for _ in 0..count {
            let start = Instant::now();
            let model = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
            totals.generation += start.elapsed();
            let start = Instant::now();
            let exploration = explore(&model);
            let took = start.elapsed();
            totals.exploration += took;
            totals.slowest = totals.slowest.max(took);
            count_program(&mut totals, &model, &exploration);
        }
        print_totals(name, count, &totals);
    }
}

fn count_program(totals: &mut Totals, model: &Model, exploration: &Exploration) {
    totals.lines += model.render().text.lines().count();
    let mut is_fully_reachable = true;
    for statement in exploration.statements.values() {
        let is_reachable = statement.distance.is_some();
        let is_entered = !exploration.procedures[statement.procedure.0].entries.is_empty();
        is_fully_reachable &= is_reachable;
        totals.statements += 1;
        totals.reachable += usize::from(is_reachable);
        totals.excluded += usize::from(!is_reachable && is_entered);
        totals.states += statement.states.len();
        totals.longest = totals.longest.max(statement.distance.unwrap_or(0));
        if let Some(assertion) = &statement.assertion {
            totals.assertions += 1;
            totals.failing += usize::from(assertion.distance.is_some());
        }
    }
    totals.fully_reachable += usize::from(is_fully_reachable);
    for procedure in &exploration.procedures {
        totals.procedures += 1;
        totals.entered += usize::from(!procedure.entries.is_empty());
        totals.returning += usize::from(!procedure.exits.is_empty());
    }
}

fn print_totals(name: &str, count: usize, totals: &Totals) {
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    let rate = |time: Duration| count as f64 / time.as_secs_f64();
    println!("{name}: {count} programs, {} lines, {} statements each", totals.lines / count, totals.statements / count);
    println!(
        "  statements reachable {:.1} %, unreachable in an entered procedure {:.1} %, states per reachable one {:.1}",
        percent(totals.reachable, totals.statements),
        percent(totals.excluded, totals.statements),
        totals.states as f64 / totals.reachable as f64,
    );
    println!("  programs with every statement reachable {:.1} %", percent(totals.fully_reachable, count));
    println!("  longest shortest trace {}", totals.longest);
    println!(
        "  assertions {}, of them can fail {:.1} %",
        totals.assertions,
        percent(totals.failing, totals.assertions),
    );
    println!(
        "  procedures entered {:.1} %, of these can return {:.1} %",
        percent(totals.entered, totals.procedures),
        percent(totals.returning, totals.entered),
    );
    println!(
        "  generated {:.0}/s, explored {:.0}/s, slowest {:?}",
        rate(totals.generation),
        rate(totals.exploration),
        totals.slowest,
    );
}
