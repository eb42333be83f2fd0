//! Evidence that has been spoilt: what the checkers still accept must be right by other means.

use hardbop_base::{Budget, Idx};
use hardbop_icfg::EdgeId;
use hardbop_icfg::proposition::Proposition;
use hardbop_pushdown::Switch;
use hardbop_temporal::ranks::EndlessProof;
use hardbop_verdict::{
    Acceptance, CertifyError, Lasso, LassoError, Move, Ranking, Witness, certify_ranking, replay_lasso,
};
use proptest::prelude::*;

/// Longer runs than any random program has.
const MOST_LETTERS: usize = 1_000_000;

/// Spoils both parts of a lasso; `number` decides where.
pub fn check_lasso(lasso: &Lasso<'_>, propositions: &[Proposition], number: u32) -> Result<(), TestCaseError> {
    let empty = Witness { moves: Vec::new(), ..lasso.round.clone() };
    prop_assert_eq!(replay_lasso(&Lasso { round: &empty, ..*lasso }).err(), Some(LassoError::NoMoves));
    if let Some(place) = lasso.round.initial.iter().position(Option::is_some) {
        let mut round = lasso.round.clone();
        round.initial[place] = round.initial[place].map(|value| !value);
        let answer = replay_lasso(&Lasso { round: &round, ..*lasso });
        prop_assert!(answer.is_err(), "the round starts in another state than the stem ends in");
    }
    let (stem_edges, round_edges) = (lasso.program.icfg.edges.len(), lasso.copy.icfg.edges.len());
    for stem in spoilt(lasso.stem, stem_edges, number) {
        confirm(&Lasso { stem: &stem, ..*lasso }, propositions)?;
    }
    for round in spoilt(lasso.round, round_edges, number) {
        confirm(&Lasso { round: &round, ..*lasso }, propositions)?;
    }
    Ok(())
}

/// If the checker accepts it, it can be followed with plain values.
fn confirm(lasso: &Lasso<'_>, propositions: &[Proposition]) -> Result<(), TestCaseError> {
    if !lasso.round.moves.is_empty() && replay_lasso(lasso).is_ok() {
        let word = hardbop_verdict::word(lasso, propositions, MOST_LETTERS);
        prop_assert!(word.is_ok(), "accepted, though {:?}", word.err());
    }
    Ok(())
}

/// Some ways to spoil a run in a program with so many edges.
fn spoilt(witness: &Witness, edges: usize, number: u32) -> Vec<Witness> {
    let number = number as usize;
    let mut result = Vec::new();
    let mut add = |spoil: &dyn Fn(&mut Witness)| {
        let mut spoilt = witness.clone();
        spoil(&mut spoilt);
        result.push(spoilt);
    };
    if !witness.moves.is_empty() {
        let place = number % witness.moves.len();
        add(&|it| drop(it.moves.remove(place)));
        add(&|it| drop(it.moves.pop()));
        add(&|it| it.moves.insert(place, it.moves[place].clone()));
        add(&|it| it.moves.swap(0, place));
        add(&|it| *edge(&mut it.moves[place]) = EdgeId::from_usize(number % edges));
        add(&|it| flip(&mut it.moves[place]));
    }
    if let Some(id) = witness.subtraces.ids().nth(number % witness.subtraces.len().max(1)) {
        add(&|it| drop(it.subtraces[id].moves.pop()));
        add(&|it| _ = it.subtraces[id].requires.pop());
        add(&|it| _ = it.subtraces[id].effects.pop());
        add(&|it| {
            if let Some((_, value)) = it.subtraces[id].effects.first_mut() {
                *value = value.map(|value| !value);
            }
        });
    }
    result
}

fn edge(step: &mut Move) -> &mut EdgeId {
    match step {
        Move::Step { edge, .. } | Move::Enter { edge, .. } | Move::Cross { edge, .. } => edge,
    }
}

/// Turns every value that the move picks into its opposite.
fn flip(step: &mut Move) {
    let picks = match step {
        Move::Step { picks, .. } | Move::Enter { picks, .. } | Move::Cross { enter: picks, .. } => picks,
    };
    for value in picks.choices.iter_mut().chain(&mut picks.values) {
        *value = value.map(|value| !value);
    }
}

/// Takes ranks away from a proof that needs them.
pub fn check_proof(proof: &EndlessProof, rough: Switch) -> Result<(), TestCaseError> {
    let budget = Budget::unlimited();
    let ask =
        |ranking: &Ranking| certify_ranking(&proof.product.program, &proof.proof, ranking, proof.acceptance(), &budget);
    let mut short = proof.ranking.clone();
    short.nodes = short.nodes.iter().skip(1).cloned().collect();
    prop_assert!(matches!(ask(&short), Err(CertifyError::Malformed)));
    // What was removed in a second round had an accepting arc from what was removed in the first. Where everything is
    // one component, the arc may be one from the outermost activation, which nobody minds. Without a memory, the arc may
    // lead to where the automaton cannot move on: its state is dead there, and accepting in name only.
    let has_memory = matches!(proof.acceptance(), Acceptance::Memory(_));
    let numbered = proof.ranking.nodes.iter().chain(&proof.ranking.entries).find(|rank| !rank.bits.is_empty());
    if let (Some(component), Switch::On, true) = (numbered.map(|rank| rank.component), rough, has_memory) {
        let mut flat = proof.ranking.clone();
        let ranks = flat.nodes.iter_mut().chain(flat.entries.iter_mut());
        ranks.filter(|rank| rank.component == component).for_each(|rank| rank.bits.clear());
        prop_assert!(ask(&flat).is_err(), "ranks that must rise do not");
    }
    Ok(())
}
