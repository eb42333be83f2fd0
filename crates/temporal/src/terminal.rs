//! Terminal automata: once an accepting state is reached, whatever follows is accepted.
//!
//! If no run has a beginning that leads there, none is accepted, and that is a question about goals: the first engine
//! answers it, with all that it can leave out. If one has, it is still to be seen whether it can go on for ever.

use crate::product::{Buchi, BuchiMove, Memory, product};
use crate::{Question, buchi};
use hardbop_base::Budget;
use hardbop_icfg::words::Builder;
use hardbop_icfg::{Goal, GoalKind};
use hardbop_ltl::automaton::Class;
use hardbop_pushdown::ladder;
use hardbop_pushdown::{Evidence, Options, Stats, Switch};
use hardbop_verdict::Verdict;

/// Figures, where it is found that no run has such a beginning; nothing where that cannot be said.
pub fn excluded(question: &Question<'_>, options: &Options, budget: &Budget) -> Option<Stats> {
    let is_asked = options.class == Switch::On && options.evidence != Evidence::TracesAndProof;
    // Behind a statement that is not modelled, a run may do anything.
    if !is_asked || !question.program.marks.unmodelled.is_empty() || question.automaton.class() != Class::Terminal {
        return None;
    }
    budget.enter("product");
    let begins = beginning(&buchi(question.automaton))?;
    let mut product = product(question.program, question.propositions, &begins, Memory::None, None);
    let builder = Builder::new(&mut product.program.exprs);
    let places = product.can_end.iter_enumerated().filter_map(|(node, &ends)| Some((node, ends?)));
    let possible = places.filter(|&(_, ends)| builder.constant_of(ends) != Some(false));
    let goals: Vec<Goal> = possible
        .map(|(node, ends)| Goal {
            node,
            condition: Some(ends),
            name: String::new(),
            kind: GoalKind::Statement,
            span: product.program.icfg.nodes[node].span,
        })
        .collect();
    let report = ladder::check(&product.program, &goals, &Options { evidence: Evidence::None, ..*options }, budget);
    report.verdicts.iter().all(|verdict| matches!(verdict, Verdict::Holds)).then_some(report.stats)
}

/// The automaton without its accepting states: where it would enter one, it ends. None where it starts in one.
fn beginning(buchi: &Buchi) -> Option<Buchi> {
    let mut numbers = 0..;
    let number = |&is_accepting: &bool| if is_accepting { None } else { numbers.next() };
    let new_of: Vec<Option<usize>> = buchi.accepting.iter().map(number).collect();
    let initial = buchi.initial.iter().map(|&state| new_of[state]).collect::<Option<Vec<_>>>()?;
    let (mut moves, mut ends) = (Vec::new(), Vec::new());
    for step in &buchi.moves {
        let Some(from) = new_of[step.from] else { continue };
        match new_of[step.to] {
            Some(to) => moves.push(BuchiMove { from, to, guard: step.guard.clone() }),
            None => ends.push((from, step.guard.clone())),
        }
    }
    Some(Buchi { accepting: vec![false; new_of.iter().flatten().count()], initial, moves, ends })
}
