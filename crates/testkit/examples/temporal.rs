//! How random questions fare: what share of formulas holds and of programs terminates, how long the answers take.
//!
//! `cargo run --release -p hardbop-testkit --example temporal -- [COUNT]`; the weights were chosen by it.

use std::time::{Duration, Instant};

use hardbop_testkit::ltl::Formula;
use hardbop_testkit::ltl::generate::Steps;
use hardbop_testkit::{pds, temporal};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// How long something took, in all and at most.
#[derive(Default)]
struct Clock {
    total: Duration,
    slowest: Duration,
}

impl Clock {
    fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.total += start.elapsed();
        self.slowest = self.slowest.max(start.elapsed());
        result
    }

    fn print(&self, count: usize) {
        println!("  {:?} a question, slowest {:?}", self.total / count as u32, self.slowest);
    }
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let sizes = [pds::generate::Size::TINY, pds::generate::Size::SMALL, pds::generate::Size::LARGE];
    for (name, size) in ["tiny", "small", "large"].into_iter().zip(sizes) {
        print_systems(name, size, count);
    }
    for (name, size) in [("tiny", hardbop_testkit::Size::TINY), ("small", hardbop_testkit::Size::SMALL)] {
        print_programs(name, size, count);
    }
}

fn print_systems(name: &str, size: pds::generate::Size, count: usize) {
    let strategy = pds::generate::questions(size, 3);
    let mut runner = TestRunner::deterministic();
    let (mut symbols, mut reachable, mut holding, mut without_run, mut heads, mut blocked) = (0, 0, 0, 0, 0, 0);
    let mut clock = Clock::default();
    for _ in 0..count {
        let question = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
        let pds::generate::Question { system, formula, propositions } = &question;
        holding += usize::from(clock.time(|| pds::oracle::holds(system, formula, propositions)));
        without_run += usize::from(pds::oracle::holds(system, &Formula::Constant(false), &[]));
        let mut seen: Vec<usize> = pds::oracle::heads(system).into_iter().map(|(_, symbol)| symbol.0.0).collect();
        heads += seen.len();
        seen.sort_unstable();
        seen.dedup();
        symbols += system.symbols;
        reachable += seen.len();
        blocked += pds::oracle::blocked_heads(system);
    }
    println!("{name}: {count} systems, {} heads reachable", heads / count);
    println!("  symbols reachable {} %, heads blocked {} %", 100 * reachable / symbols, 100 * blocked / heads);
    println!("  formulas hold {} %, systems without run {} %", 100 * holding / count, 100 * without_run / count);
    clock.print(count);
}

fn print_programs(name: &str, size: hardbop_testkit::Size, count: usize) {
    let strategy = temporal::questions(size, 3, Steps::Counted);
    let mut runner = TestRunner::deterministic();
    let (mut holding, mut without_run, mut terminating, mut rules) = (0, 0, 0, 0);
    let mut clock = Clock::default();
    for _ in 0..count {
        let question = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
        let temporal::Question { model, formula, propositions } = &question;
        holding += usize::from(clock.time(|| temporal::holds(model, formula, propositions)));
        without_run += usize::from(temporal::holds(model, &Formula::Constant(false), &[]));
        terminating += usize::from(temporal::terminates(model));
        rules += temporal::expand(model, &[]).rules.len();
    }
    println!("{name}: {count} programs, {} rules each", rules / count);
    println!("  programs terminate {} %, are without run {} %", 100 * terminating / count, 100 * without_run / count);
    println!("  formulas hold {} %", 100 * holding / count);
    clock.print(count);
}
