//! Random symbolic pushdown systems, whose rules change globals on the way into a call and relate what is saved: which
//! symbols can be on top of which, against the explicit system.

use crate::language::{options, runner};
use hardbop_base::Budget;
use hardbop_configurations::{Direction, Naming, Request, Set, Space, ask, read};
use hardbop_icfg::{NodeId, Program, Relation};
use hardbop_lang_remopla::pds;
use hardbop_pushdown::{Evidence, Switch};
use hardbop_testkit::pds::generate::{Size, systems};
use hardbop_testkit::pds::oracle::expand;
use hardbop_testkit::pds::{SymbolId, System};
use hardbop_testkit::pushdown::automaton::{self, Automaton, Node};
use hardbop_testkit::pushdown::{State, Symbol, Unfolded};
use hardbop_verdict::{Verdict, replay};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn lower(system: &System) -> Program<Relation> {
    let text = system.render();
    let (ast, found) = pds::parse(&text, 0);
    assert!(found.is_empty(), "{found:?}\n{text}");
    pds::lower(&ast).unwrap_or_else(|found| panic!("{found:?}\n{text}")).program
}

/// The symbols that can be on top, with the one below if there is one.
fn tops(system: &System) -> BTreeSet<(usize, Option<usize>)> {
    let Unfolded { pds, symbols, .. } = expand(system, &[]);
    let reached = automaton::post_star(&pds, &Automaton::of(pds.states, &pds.initial));
    let name = |symbol: Symbol| {
        let (SymbolId(number), _) = &symbols[symbol.0];
        *number
    };
    // Where the stack may end: after the one symbol that every run starts with.
    let ends: BTreeSet<Node> = pds
        .initial
        .iter()
        .flat_map(|it| {
            reached.leaving(it.state.into()).iter().filter(|(symbol, _)| it.stack == [*symbol]).map(|(_, to)| *to)
        })
        .filter(|node| reached.leaving(*node).is_empty())
        .collect();
    let mut found = BTreeSet::new();
    for state in 0..pds.states {
        for &(top, next) in reached.leaving(State(state).into()) {
            if ends.contains(&next) {
                found.insert((name(top), None));
            }
            found.extend(reached.leaving(next).iter().map(|&(below, _)| (name(top), Some(name(below)))));
        }
    }
    found
}

fn agree(system: &System) -> Result<(), TestCaseError> {
    let mut program = lower(system);
    let expected = tops(system);
    let budget = Budget::unlimited();
    let symbols: BTreeSet<usize> = expected.iter().flat_map(|&(top, below)| [Some(top), below]).flatten().collect();
    let mut wanted = Vec::new();
    for &top in &symbols {
        let name = system.symbol_name(SymbolId(top));
        wanted.push((format!("\"{name}\""), top, None));
        for &below in &symbols {
            wanted.push((format!("_* \"{}\" \"{name}\"", system.symbol_name(SymbolId(below))), top, Some(below)));
        }
    }
    let sets: Vec<_> = wanted
        .iter()
        .map(|(text, ..)| read(&mut program, Naming::Symbols, text).unwrap_or_else(|found| panic!("{text}: {found:?}")))
        .collect();
    let mut space = Space::new(&program, Switch::On, &budget);
    let initial = space.initial().expect("there is no limit");
    let reached = space.post_star(initial).expect("there is no limit");
    let everything = space.configurations(&Set::everything(&program)).expect("there is no limit");
    let is_empty = |&node: &NodeId| space.automaton(everything).tops[node].is_empty();
    prop_assert!(program.marks.silent.iter().all(is_empty), "half a step is no configuration");
    for ((text, top, below), set) in wanted.iter().zip(&sets) {
        let is_expected = expected.contains(&(*top, *below));
        let set = space.configurations(set).expect("there is no limit");
        let forwards = !space.are_disjoint(reached, set).expect("there is no limit");
        prop_assert_eq!(forwards, is_expected, "post* ∩ {}", text);
        let reaching = space.pre_star(set).expect("there is no limit");
        let backwards = !space.are_disjoint(reaching, initial).expect("there is no limit");
        prop_assert_eq!(backwards, is_expected, "pre* of {}", text);
    }
    // A run for one of them.
    if let Some((set, _)) = sets.iter().zip(&wanted).rfind(|(_, (_, top, below))| expected.contains(&(*top, *below))) {
        let request = Request { direction: Direction::Forwards, listed: 0 };
        let answer = ask(&program, set, &request, &options(Evidence::Traces), &budget);
        let (Verdict::Violated(Some(witness)), Some(goal)) = (&answer.verdict, &answer.goal) else {
            return Err(TestCaseError::fail(format!("{:?}", answer.verdict)));
        };
        let replayed = replay(&program, goal, witness);
        prop_assert!(replayed.is_ok(), "{:?}", replayed.err());
    }
    Ok(())
}

#[test]
fn stack_symbols_are_found_below_each_other() {
    for (size, cases) in [(Size::TINY, 700), (Size::SMALL, 300)] {
        let outcome = runner(cases).run(&systems(size), |system| agree(&system));
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}
