//! Where runs get stuck, against the heads of the explicit system that have no rule.

use super::programs::lower_text;
use super::{options, systems};
use hardbop_base::Budget;
use hardbop_icfg::proposition::{Proposition, resolve};
use hardbop_icfg::{NodeId, Program, Relation};
use hardbop_ltl::{hoa, translate_buchi};
use hardbop_temporal::finish::finish;
use hardbop_temporal::{Question, check};
use hardbop_testkit::pds::generate::{Size, systems as any_system};
use hardbop_testkit::pds::oracle;
use hardbop_testkit::pds::{SymbolId, System};
use hardbop_testkit::pushdown::automaton::reachable_heads;
use hardbop_testkit::pushdown::{Head, Unfolded};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Follows every run and accepts none.
const FOLLOWER: &str =
    "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[t] 0\n--END--\n";

fn stuck(program: &Program<Relation>, bits: u32) -> Vec<NodeId> {
    let automaton = hoa::read(FOLLOWER, 0).expect("it is an automaton").automaton;
    ask(&Question { program, automaton: &automaton, propositions: &[] }, bits)
}

fn ask(question: &Question<'_>, bits: u32) -> Vec<NodeId> {
    // Backwards nobody looks for what is stuck, nor where plain reachability answers.
    let options = options(bits & !(1 << 6) | 1 << 8);
    let report = check(question, &options, &Budget::unlimited()).expect("there is no limit");
    assert!(!report.is_violated, "nothing is accepted");
    report.stuck
}

/// The symbols of the heads that have no rule.
fn blocked(system: &System) -> BTreeSet<usize> {
    let Unfolded { pds, symbols, .. } = oracle::expand(system, &[]);
    let live: BTreeSet<Head> = pds.rules.iter().map(|rule| rule.from).collect();
    let heads = reachable_heads(&pds).into_iter().filter(|head| !live.contains(head));
    heads.map(|head| symbols[head.symbol.0].0.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn systems_get_stuck_where_no_rule_applies(system in any_system(Size::SMALL), bits in any::<u32>()) {
        let mut program = systems::lower(&system);
        let found = stuck(&program, bits);
        let mut symbols = BTreeSet::new();
        for symbol in 0..system.symbols {
            // A symbol that no rule mentions is not in the program.
            let Ok(Proposition::Places(places)) = resolve(&mut program, None, &system.symbol_name(SymbolId(symbol)))
            else {
                continue;
            };
            if found.iter().any(|&node| places[node]) {
                symbols.insert(symbol);
            }
        }
        prop_assert_eq!(symbols, blocked(&system));
    }
}

fn program(text: &str) -> Program<Relation> {
    finish(&lower_text(text)).program
}

#[test]
fn false_assumptions_and_failing_assertions_are_found() {
    let program = program(
        "decl g;
        void main() begin
          A: skip;
          B: assume(g);
          f();
          C: assert(!g);
        end
        void f() begin
          D: assume(T);
          E: assume(F);
        end",
    );
    let expected: Vec<NodeId> = ["B", "E"]
        .iter()
        .map(|&label| program.marks.labels.iter().find(|(found, _)| found == label).expect("it is there").1)
        .collect();
    for bits in 0..64 {
        assert_eq!(stuck(&program, bits), expected, "{bits:#b}");
    }
}

#[test]
fn a_program_that_goes_on_is_not_stuck() {
    let program = program(
        "decl g;
        void main() begin
          while (*) do g := f(g); od
          if (g) then main(); fi
        end
        bool f(x) begin
          return !x;
        end",
    );
    assert_eq!(stuck(&program, 0), []);
}

#[test]
fn only_runs_that_the_automaton_follows_count() {
    let mut program = program("void main() begin B: assume(F); end");
    let place = program.marks.labels[0].1;
    for (unwanted, expected) in [("@B", vec![place]), ("!@B", vec![]), ("X @B", vec![place]), ("false", vec![])] {
        let formula = hardbop_ltl::parse(unwanted, 0).expect("it is a formula");
        let automaton = translate_buchi(&formula, &Budget::unlimited()).expect("there is no limit");
        let props = automaton.props.iter();
        let propositions: Vec<_> = props.map(|text| resolve(&mut program, None, text).expect("it is there")).collect();
        let question = Question { program: &program, automaton: &automaton, propositions: &propositions };
        assert_eq!(ask(&question, 0), expected, "{unwanted}");
    }
}
