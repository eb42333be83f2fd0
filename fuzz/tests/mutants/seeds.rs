//! Valid programs to start from: the examples, the corpus, small templates and random programs.

use hardbop_testkit::template::{Answer, Dimensions, bebop_levels, bit_counter, random_program};
use hardbop_testkit::{Size, programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::path::Path;

/// More characters make few mutants a second.
const LONGEST: usize = 4_000;

/// All seeds, in the same order on every machine.
pub fn all() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for folder in ["../examples", "../corpus/bp"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "bp"));
        paths.sort();
        seeds.extend(paths.iter().map(|path| std::fs::read(path).unwrap()));
    }
    seeds.push(bebop_levels(3, Answer::Reachable).into());
    seeds.push(bit_counter(4, Answer::Unreachable).into());
    for seed in 0..4 {
        seeds.push(random_program(Dimensions { globals: 3, procedures: 3, statements: 12, seed }).into());
    }
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let model = programs(Size::SMALL).new_tree(&mut runner).unwrap().current();
        seeds.push(model.render().text.into());
    }
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}
