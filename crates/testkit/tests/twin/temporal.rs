//! Temporal properties: the oracle's pushdown system against the graph of whole configurations.
//!
//! Where all configurations are within the limits, the graph has all runs; else it has some, and what they violate must
//! be violated. An accepted run is found by taking away, again and again, the nodes that cannot reach an accepting one.

use std::collections::BTreeMap;

use hardbop_testkit::ltl::buchi::{Buchi, BuchiState};
use hardbop_testkit::ltl::generate::Steps;
use hardbop_testkit::ltl::{Formula, Letter, Unary};
use hardbop_testkit::temporal::{Proposition, Question, holds, propositions, questions, terminates};
use hardbop_testkit::{Model, ProcedureId, Size};
use proptest::prelude::{ProptestConfig, proptest};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::choices::outcomes;
use crate::interpreter::{Configuration, advance, initial};
use crate::position::{Position, positions};

/// The most frames on the stack.
const DEPTH: usize = 4;
/// The most configurations.
const VISITS: usize = 400;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn formulas_hold_as_they_do_on_configurations(question in questions(Size::TINY, 2, Steps::Counted)) {
        check(&question);
    }

    #[test]
    fn formulas_of_all_kinds_hold_as_they_do_on_configurations(question in questions(Size::TINY, 3, Steps::Uncounted)) {
        check(&question);
    }

    #[test]
    fn termination_is_coming_to_the_end(question in questions(Size::TINY, 1, Steps::Counted)) {
        let formula = Formula::unary(Unary::Finally, Formula::proposition(0));
        check(&Question { formula, propositions: vec![Proposition::End], ..question });
    }
}

#[track_caller]
fn check(question: &Question) {
    let Question { model, formula, propositions } = question;
    let graph = Graph::of(model, propositions);
    let is_violated = graph.has_accepted_run(&Buchi::of(&formula.negated()));
    if is_violated || graph.is_complete {
        assert_eq!(holds(model, formula, propositions), !is_violated, "{}", question.render());
    }
}

/// What the comparisons are worth: how many are complete, and how many of these formulas hold and do not.
#[test]
fn most_graphs_are_complete_and_formulas_differ() {
    let mut runner = TestRunner::deterministic();
    let strategy = questions(Size::TINY, 2, Steps::Counted);
    let (mut complete, mut holding, mut terminating) = (0, 0, 0);
    for _ in 0..200 {
        let Question { model, formula, propositions } = strategy.new_tree(&mut runner).unwrap().current();
        complete += usize::from(Graph::of(&model, &propositions).is_complete);
        holding += usize::from(holds(&model, &formula, &propositions));
        terminating += usize::from(terminates(&model));
    }
    assert!(complete > 100, "only {complete} of 200 complete");
    assert!((50..150).contains(&holding), "{holding} of 200 hold");
    assert!((100..195).contains(&terminating), "{terminating} of 200 terminate");
}

#[test]
fn propositions_have_texts_of_their_own() {
    let mut runner = TestRunner::deterministic();
    let model = questions(Size::LARGE, 1, Steps::Counted).new_tree(&mut runner).unwrap().current().model;
    let mut texts: Vec<String> = propositions(&model).iter().map(|one| one.render(&model)).collect();
    assert!(texts.contains(&"@main".to_string()) && texts.contains(&"@main_0".to_string()), "{texts:?}");
    let count = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), count);
}

/// Where a run is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Running(Configuration),
    /// With the last values of the globals.
    Finished(Vec<bool>),
}

/// The moments within the limits.
struct Graph {
    letters: Vec<Letter>,
    successors: Vec<Vec<usize>>,
    initial: Vec<usize>,
    is_complete: bool,
}

impl Graph {
    fn of(model: &Model, propositions: &[Proposition]) -> Graph {
        let mut graph = Graph { letters: vec![], successors: vec![], initial: vec![], is_complete: true };
        let mut numbers = BTreeMap::new();
        let mut moments = Vec::new();
        let mut number = |moment: Moment, moments: &mut Vec<Moment>| {
            *numbers.entry(moment.clone()).or_insert_with(|| {
                moments.push(moment);
                moments.len() - 1
            })
        };
        for start in outcomes(|choices| initial(model, choices)) {
            graph.initial.push(number(Moment::Running(start), &mut moments));
        }
        while let Some(moment) = moments.get(graph.successors.len()).cloned() {
            let mut next = following(model, &moment);
            let is_within = |moment: &Moment| match moment {
                Moment::Running(configuration) => configuration.stack.len() <= DEPTH,
                Moment::Finished(_) => true,
            };
            if moments.len() > VISITS || !next.iter().all(is_within) {
                graph.is_complete = false;
                next.retain(|moment| moments.len() <= VISITS && is_within(moment));
            }
            graph.letters.push(Letter::of(propositions.iter().map(|one| is_true(model, *one, &moment))));
            graph.successors.push(next.into_iter().map(|moment| number(moment, &mut moments)).collect());
        }
        graph
    }

    fn has_accepted_run(&self, automaton: &Buchi) -> bool {
        let states = automaton.accepting.len();
        let node = |place: usize, state: BuchiState| place * states + state.0;
        let mut successors = vec![Vec::new(); self.letters.len() * states];
        for (place, letter) in self.letters.iter().enumerate() {
            for state in (0..states).map(BuchiState) {
                for next in automaton.successors(state, *letter) {
                    successors[node(place, state)]
                        .extend(self.successors[place].iter().map(|place| node(*place, next)));
                }
            }
        }
        // Kept are the nodes from which accepting nodes can be reached as often as one likes.
        let mut is_kept = vec![true; successors.len()];
        loop {
            let is_goal = |node: usize| is_kept[node] && automaton.accepting[node % states];
            let next = reaching(&successors, &is_kept, is_goal);
            if next == is_kept {
                break;
            }
            is_kept = next;
        }
        let mut is_reached = vec![false; successors.len()];
        let mut pending: Vec<usize> = self.initial.iter().map(|place| node(*place, Buchi::INITIAL)).collect();
        while let Some(place) = pending.pop() {
            if !std::mem::replace(&mut is_reached[place], true) {
                pending.extend(&successors[place]);
            }
        }
        (0..successors.len()).any(|node| is_reached[node] && is_kept[node])
    }
}

/// The nodes among `is_kept` from which, in one step or more, a goal can be reached through kept ones.
fn reaching(successors: &[Vec<usize>], is_kept: &[bool], is_goal: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut reaching = vec![false; successors.len()];
    loop {
        let mut has_changed = false;
        for node in 0..successors.len() {
            let leads = |next: &usize| is_kept[*next] && (is_goal(*next) || reaching[*next]);
            if is_kept[node] && !reaching[node] && successors[node].iter().any(leads) {
                reaching[node] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return reaching;
        }
    }
}

fn following(model: &Model, moment: &Moment) -> Vec<Moment> {
    match moment {
        Moment::Finished(_) => vec![moment.clone()],
        // The only frame of all is `main`'s, whoever calls it later.
        Moment::Running(from) if from.stack.len() == 1 && from.top().position == Position::End => {
            vec![Moment::Finished(from.globals.clone())]
        }
        Moment::Running(from) => {
            let next = outcomes(|choices| advance(model, from, choices).map(|(_, to)| to));
            next.into_iter().map(Moment::Running).collect()
        }
    }
}

fn is_true(model: &Model, proposition: Proposition, moment: &Moment) -> bool {
    let (globals, stack) = match moment {
        Moment::Running(configuration) => (&configuration.globals, &configuration.stack[..]),
        Moment::Finished(globals) => (globals, &[][..]),
    };
    let top = match moment {
        Moment::Running(configuration) => Some(configuration.top()),
        Moment::Finished(_) => None,
    };
    let is_in = |id: ProcedureId| top.is_some_and(|frame| frame.procedure == id);
    match proposition {
        Proposition::Global(variable) => globals[variable.0],
        Proposition::In(id) => is_in(id),
        Proposition::AtExit(id) => is_in(id) && top.is_some_and(|frame| frame.position == Position::End),
        Proposition::OnStack(id) => stack.iter().any(|frame| frame.procedure == id),
        Proposition::End => top.is_none(),
        Proposition::At(id, head) => {
            let position = &positions(model.procedure(id))[head.0];
            is_in(id) && top.is_some_and(|frame| frame.position == *position)
        }
    }
}
