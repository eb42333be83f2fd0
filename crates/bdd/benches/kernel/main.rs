//! The same work with our kernel, `oxidd` and `biodivine-lib-bdd`, as ratios of times.
//!
//! `cargo bench -p hardbop-bdd [NAME]`. A ratio above 1 says that the other library takes that many times as long. Each
//! figure is the best of several runs, and the runs of the libraries take turns, so that a busy machine hurts all alike.

mod libraries;
mod workloads;

use std::time::{Duration, Instant};

use libraries::{Biodivine, Hardbop, Library, Oxidd};

const ROUNDS: usize = 4;
/// A library that is this much slower need not be measured again and again.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A workload for each library; the numbers that they return must be the same.
struct Workload {
    name: &'static str,
    /// Ours, then the columns of the table.
    runs: [fn() -> (Duration, f64); 3],
}

macro_rules! workloads {
    ($($name:literal: $levels:expr, $run:path;)+) => {
        [$(Workload {
            name: $name,
            runs: [
                || timed::<Hardbop>($levels, $run),
                || timed::<Oxidd>($levels, $run),
                || timed::<Biodivine>($levels, $run),
            ],
        }),+]
    };
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let workloads = workloads! {
        "and, or, xor of random functions": workloads::RANDOM_LEVELS, workloads::random_functions;
        "the same of larger functions": workloads::LARGE_LEVELS, workloads::large_functions;
        "queens": workloads::BOARD * workloads::BOARD, workloads::queens;
        "counter, one small image a step": workloads::COUNTER_LEVELS, workloads::counter;
        "small images, few variables each": workloads::SMALL_LEVELS, workloads::small_images;
        "relational products of large sets": workloads::PRODUCT_LEVELS, workloads::products;
    };
    println!("{:<36} {:>12} {:>12}", "time over ours", "oxidd", "biodivine");
    for workload in workloads.iter().filter(|workload| filter.as_ref().is_none_or(|part| workload.name.contains(part)))
    {
        let mut best = [Duration::MAX; 3];
        let mut answers = Vec::new();
        for _ in 0..ROUNDS {
            for (best, run) in best.iter_mut().zip(workload.runs) {
                if *best == Duration::MAX || *best < PATIENCE {
                    let (time, answer) = run();
                    *best = time.min(*best);
                    answers.push(answer);
                }
            }
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{}: {answers:?}", workload.name);
        let ratio = |time: Duration| time.as_secs_f64() / best[0].as_secs_f64();
        println!("{:<36} {:>12.2} {:>12.2}", workload.name, ratio(best[1]), ratio(best[2]));
    }
}

// The time to set a library up does not count: only ours starts small, so that would flatter us.
fn timed<L: Library>(levels: usize, run: fn(&mut L) -> f64) -> (Duration, f64) {
    let mut library = L::new(levels);
    let start = Instant::now();
    let answer = run(&mut library);
    (start.elapsed(), answer)
}
