//! Valid inputs to start from: the examples, the corpus, small templates and random programs.

use hardbop_base::Budget;
use hardbop_testkit::ltl::generate::Steps;
use hardbop_testkit::template::{Answer, Dimensions, bebop_levels, bit_counter, random_program};
use hardbop_testkit::{Labels, Size, pds, programs, temporal};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::path::Path;

/// More characters make few mutants a second.
const LONGEST: usize = 4_000;

/// Boolean programs, in the same order on every machine.
pub fn boolean_programs() -> Vec<Vec<u8>> {
    let mut seeds = files("bp");
    seeds.push(bebop_levels(3, Answer::Reachable).into());
    seeds.push(bit_counter(4, Answer::Unreachable).into());
    for seed in 0..4 {
        seeds.push(random_program(Dimensions { globals: 3, procedures: 3, statements: 12, seed }).into());
    }
    seeds.extend(random(programs(Size::SMALL), 40).iter().map(|model| model.render().text.into()));
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}

/// C.
pub fn c() -> Vec<Vec<u8>> {
    files("c")
}

/// Symbolic pushdown systems.
pub fn pushdown_systems() -> Vec<Vec<u8>> {
    let mut seeds = files("pds");
    seeds.extend(random(pds::generate::systems(pds::generate::Size::SMALL), 40).iter().map(|it| it.render().into()));
    seeds
}

/// Remopla programs.
pub fn remopla() -> Vec<Vec<u8>> {
    files("rem")
}

/// Formulas.
pub fn formulas() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> =
        ["GF p -> GF q", "p U (q M !r)", "G(\"a[2] == 3\" -> F @main)", "F end", "!(x xor y) <-> (X X x W {y < 4})"]
            .map(Into::into)
            .into();
    seeds.extend(random(temporal::questions(Size::TINY, 3, Steps::Counted), 60).iter().map(|it| it.render().into()));
    seeds
}

/// Automata in the Hanoi format.
pub fn automata() -> Vec<Vec<u8>> {
    let budget = Budget::unlimited().with_allowance(1_000_000);
    let formulas = formulas();
    let texts = formulas.iter().map(|text| std::str::from_utf8(text).expect("formulas are UTF-8"));
    let automata = texts.filter_map(|text| {
        let formula = hardbop_ltl::parse(text, 0).expect("seeds are formulas");
        let automaton = hardbop_ltl::translate(&formula, &budget).ok()?;
        Some(hardbop_ltl::hoa::write(&automaton, Some(text)).into())
    });
    let mut seeds: Vec<Vec<u8>> = automata.collect();
    seeds.push(
        "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" acc-name: Buchi Acceptance: 1 Inf(0) properties: trans-labels
        Alias: @x 0 & !0 --BODY-- State: 0 \"q\" [@x | t] 1 {0} State: [0] 1 {0} 0 --END--"
            .into(),
    );
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}

/// Programs with a formula in the first line.
pub fn with_formulas() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = ["bp", "pds", "rem"].iter().flat_map(|kind| files(kind)).filter_map(asked).collect();
    let questions = random(temporal::questions(Size::TINY, 2, Steps::Counted), 40);
    seeds.extend(questions.iter().map(|it| below(&it.render(), &it.model.render_with(Labels::Every).text)));
    let questions = random(pds::generate::questions(pds::generate::Size::TINY, 2), 40);
    seeds.extend(questions.iter().map(|it| below(&it.render(), &it.system.render())));
    seeds
}

/// Programs with an expression about stacks in the first line.
pub fn with_stacks() -> Vec<Vec<u8>> {
    const PROCEDURES: [&str; 5] = ["_*", "main _ _?", "(main | _ _)+", "_* @main", "main:main_0* _ where T || F"];
    const SYMBOLS: [&str; 4] = ["_+", "\"a\" _*", "(_ | _ _)? _", "_* _ where \"x\""];
    let models = random(programs(Size::TINY), 40);
    let models = models.iter().map(|model| model.render_with(Labels::Every).text);
    let mut seeds: Vec<Vec<u8>> =
        PROCEDURES.iter().cycle().zip(models).map(|(question, text)| below(question, &text)).collect();
    let systems = random(pds::generate::systems(pds::generate::Size::TINY), 40);
    seeds.extend(SYMBOLS.iter().cycle().zip(&systems).map(|(question, system)| below(question, &system.render())));
    seeds
}

fn below(question: &str, program: &str) -> Vec<u8> {
    format!("{question}\n{program}").into()
}

/// A program of the corpus that says what is asked about its infinite runs.
fn asked(text: Vec<u8>) -> Option<Vec<u8>> {
    let text = String::from_utf8(text).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("//@ ltl: ").or(line.strip_prefix("#@ ltl: ")))?;
    Some(below(line, &text))
}

/// The files of one kind among the examples and in the corpus.
fn files(kind: &str) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for folder in ["../examples", &format!("../corpus/{kind}")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        // C in the corpus is preprocessed, so that no compiler is needed.
        let wanted = if kind == "c" { "i" } else { kind };
        paths.retain(|path| path.extension().is_some_and(|extension| extension == wanted));
        paths.sort();
        seeds.extend(paths.iter().map(|path| std::fs::read(path).unwrap()));
    }
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}

/// So many values, the same on every machine.
fn random<T>(strategy: impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}
