//! Temporal properties against the explicit-state oracle, on random systems and programs with random formulas, and the
//! evidence for each answer.

mod duality;
mod programs;
mod spoilt;
mod stuck;
mod systems;
mod written;

use hardbop_base::Budget;
use hardbop_icfg::proposition;
use hardbop_icfg::{NodeId, Program, Relation};
use hardbop_ltl::translate_buchi;
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch};
use hardbop_temporal::{Question, Report, check};
use hardbop_testkit::ltl::buchi::Buchi;
use hardbop_testkit::ltl::generate::{Steps, formulas};
use hardbop_testkit::ltl::word::Lasso as Word;
use hardbop_testkit::ltl::{Binary, Formula, Letter, Unary};
use hardbop_testkit::pushdown::Pds;
use hardbop_verdict::{certify, certify_ranking, replay_lasso};
use proptest::prelude::*;

/// The bit that asks for no proof.
const WITHOUT_PROOF: u32 = 1 << 5;

/// A random one of the combinations of the optimisations.
fn options(bits: u32) -> Options {
    let switch = |bit: u32| if bits >> bit & 1 == 0 { Switch::On } else { Switch::Off };
    Options {
        order: switch(0),
        class: switch(8),
        post: switch(6),
        rough: switch(7),
        unroll: Switch::On,
        slice: Switch::On,
        mod_ref: switch(1),
        liveness: switch(2),
        chains: switch(3),
        frontiers: switch(4),
        concrete: Switch::Off,
        insensitive: Switch::Off,
        evidence: if bits & WITHOUT_PROOF == 0 { Evidence::TracesAndProof } else { Evidence::Traces },
        first_attempt: FIRST_ATTEMPT,
        trace_attempt: TRACE_ATTEMPT,
    }
}

/// The most rules of a system's product with an automaton.
const MOST_RULES: usize = 10_000;

/// Whether the oracle can answer soon: now and then a system and a formula are so large that it would take minutes.
fn is_within_reach(system: &Pds, formula: &Formula) -> bool {
    system.rules.len() * Buchi::of(&formula.negated()).accepting.len() <= MOST_RULES
}

/// What is asked of a program.
#[derive(Clone, Debug)]
struct Case {
    program: Program<Relation>,
    end: Option<NodeId>,
    formula: Formula,
    fairness: Vec<Formula>,
    /// The texts of the propositions.
    texts: Vec<String>,
    /// Decides among the ways to write the same formula.
    spelling: u64,
}

/// Random assumptions of fairness, none of them in half of all cases.
fn fairness() -> impl Strategy<Value = Vec<Formula>> {
    let often = |inner: Formula| Formula::unary(Unary::Globally, Formula::unary(Unary::Finally, inner));
    let fair = prop_oneof![
        1 => formulas(3, 2, Steps::Counted),
        2 => formulas(3, 1, Steps::Counted).prop_map(often),
        2 => (formulas(3, 0, Steps::Counted), formulas(3, 1, Steps::Counted))
            .prop_map(move |(asked, given)| Formula::binary(Binary::Implies, often(asked), often(given))),
    ];
    prop_oneof![Just(Vec::new()), proptest::collection::vec(fair, 1..=2)]
}

impl Case {
    /// Asks whether the formula holds under fairness; every run without end is followed, every proof checked.
    fn ask(&self, bits: u32) -> Result<bool, TestCaseError> {
        let budget = Budget::unlimited();
        let read = |formula: &Formula| {
            let text = formula.render(&self.texts, self.spelling);
            hardbop_ltl::parse(&text, 0).expect("the formula is well formed")
        };
        // As the command does it: the runs that are fair and do what must not be.
        let unwanted = self.fairness.iter().fold(read(&self.formula).negated(), |all, fair| all.and(&read(fair)));
        let automaton = translate_buchi(&unwanted, &budget).expect("there is no limit");
        let mut program = self.program.clone();
        let mut resolve = |text: &String| {
            proposition::resolve(&mut program, self.end, text).expect("every proposition means something")
        };
        let propositions: Vec<_> = automaton.props.iter().map(&mut resolve).collect();
        let asked: Vec<_> = self.texts.iter().map(&mut resolve).collect();
        let question = Question { program: &program, automaton: &automaton, propositions: &propositions };
        let report = check(&question, &options(bits), &budget).expect("there is no limit");
        let Report { is_violated, lasso, proof, .. } = report;
        prop_assert_eq!(lasso.is_some(), is_violated);
        if let Some(lasso) = lasso {
            let parts = lasso.parts(&program);
            replay_lasso(&parts).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let word = hardbop_verdict::word(&parts, &asked, usize::MAX);
            let word = word.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
            let mut stem: Vec<Letter> = word.letters.iter().map(|one| Letter::of(one.iter().copied())).collect();
            let cycle = stem.split_off(word.back);
            let word = Word { stem, cycle };
            prop_assert!(!self.formula.under(&self.fairness).holds_on(&word), "the run does nothing wrong: {:?}", word);
            spoilt::check_lasso(&parts, &asked, bits)?;
        }
        if let Some(proof) = proof {
            let program = &proof.product.program;
            certify(program, &[], &proof.proof, &budget)?;
            certify_ranking(program, &proof.proof, &proof.ranking, proof.acceptance(), &budget)?;
            spoilt::check_proof(&proof, options(bits).rough)?;
        }
        Ok(!is_violated)
    }

    /// Compares the answer with `expected`.
    fn compare(&self, expected: bool, bits: u32) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.ask(bits)?, expected, "the answer differs from the oracle's");
        Ok(())
    }
}
