//! Büchi automata of formulas, by the textbook's tableau.
//!
//! A state is a set of formulas in negation normal form that must hold from here on. What it demands now and what it
//! leaves for the next position is read off the expansion laws, `a U b = b ∨ (a ∧ X (a U b))` and its like; each way to
//! satisfy the laws is a move. A move that takes the second half of an until *postpones* it, and a run is accepted if
//! no until is postponed for ever: one acceptance set per until, on moves. Counting through these sets in turn makes a
//! plain automaton with accepting states.
//!
//! The only simplifications are those that need no thought: a move that demands more than another is dropped, and
//! states with the same moves are one.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::graph::components;
use crate::ltl::word::Lasso;
use crate::ltl::{Binary, Formula, Letter, Unary};

/// A state of a [`Buchi`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuchiState(pub usize);

/// A Büchi automaton: a word is accepted if some run on it is in accepting states again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// By state, whether it is accepting. There is at least one state.
    pub accepting: Vec<bool>,
    /// By state, the ways on.
    pub moves: Vec<Vec<Move>>,
}

/// A way on, for the letters that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// What must be true.
    pub required: Letter,
    /// What must be false.
    pub forbidden: Letter,
    /// Where it leads.
    pub target: BuchiState,
}

impl Move {
    /// Whether it can be taken at `letter`.
    pub fn allows(&self, letter: Letter) -> bool {
        letter.0 & self.required.0 == self.required.0 && letter.0 & self.forbidden.0 == 0
    }
}

impl Buchi {
    /// Where runs start.
    pub const INITIAL: BuchiState = BuchiState(0);

    /// The automaton of the words on which `formula` holds.
    pub fn of(formula: &Formula) -> Self {
        Tableau::of(&formula.negation_normal_form()).count_through().merge_equals()
    }

    /// Where a run in `state` can go at `letter`.
    pub fn successors(&self, state: BuchiState, letter: Letter) -> impl Iterator<Item = BuchiState> {
        self.moves[state.0].iter().filter(move |way| way.allows(letter)).map(|way| way.target)
    }

    /// Whether `word` is accepted.
    pub fn accepts(&self, word: &Lasso) -> bool {
        let letters = word.letters();
        // A node is a state and a position.
        let number = |state: usize, position: usize| state * letters.len() + position;
        let mut successors = vec![Vec::new(); self.accepting.len() * letters.len()];
        for state in 0..self.accepting.len() {
            for (position, letter) in letters.iter().enumerate() {
                let targets = self.successors(BuchiState(state), *letter);
                successors[number(state, position)] =
                    targets.map(|target| number(target.0, word.after(position))).collect();
            }
        }
        let components = components(&successors);
        let mut reached = vec![false; successors.len()];
        let mut pending = vec![number(Self::INITIAL.0, 0)];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                pending.extend(&successors[node]);
            }
        }
        // What follows in the same component leads back.
        let is_on_cycle = |node: usize| successors[node].iter().any(|next| components[*next] == components[node]);
        (0..successors.len()).any(|node| reached[node] && self.accepting[node / letters.len()] && is_on_cycle(node))
    }

    /// One state for all that are accepting alike and have moves alike, until no two are.
    fn merge_equals(self) -> Self {
        let mut classes: Vec<usize> = self.accepting.iter().map(|is_accepting| usize::from(*is_accepting)).collect();
        loop {
            let mut numbers = BTreeMap::new();
            let signature = |state: usize| (classes[state], self.class_moves(state, &classes));
            let next: Vec<usize> = (0..classes.len())
                .map(|state| {
                    let fresh = numbers.len();
                    *numbers.entry(signature(state)).or_insert(fresh)
                })
                .collect();
            if next == classes {
                break;
            }
            classes = next;
        }
        let mut merged = Buchi { accepting: Vec::new(), moves: Vec::new() };
        // Classes are numbered as they first occur, so the initial state's is the first.
        for state in 0..classes.len() {
            if classes[state] == merged.accepting.len() {
                merged.accepting.push(self.accepting[state]);
                merged.moves.push(self.class_moves(state, &classes).into_iter().collect());
            }
        }
        merged
    }

    fn class_moves(&self, state: usize, classes: &[usize]) -> BTreeSet<Move> {
        let target = |way: &Move| BuchiState(classes[way.target.0]);
        self.moves[state].iter().map(|way| Move { target: target(way), ..*way }).collect()
    }
}

/// What must hold from a position on.
type Obligations = BTreeSet<Formula>;

/// One way to meet the obligations of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    required: Letter,
    forbidden: Letter,
    next: Obligations,
    postponed: BTreeSet<Formula>,
}

impl Way {
    fn demands_no_more_than(&self, other: &Way) -> bool {
        self.required.0 & !other.required.0 == 0
            && self.forbidden.0 & !other.forbidden.0 == 0
            && self.next.is_subset(&other.next)
            && self.postponed.is_subset(&other.postponed)
    }
}

/// The automaton with an acceptance set per until.
struct Tableau {
    /// By state.
    ways: Vec<Vec<(Way, usize)>>,
    /// All formulas that some way postpones.
    untils: Vec<Formula>,
}

impl Tableau {
    fn of(formula: &Formula) -> Self {
        let start: Obligations = BTreeSet::from([formula.clone()]);
        let mut numbers = FxHashMap::from_iter([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut tableau = Tableau { ways: Vec::new(), untils: Vec::new() };
        let mut untils = BTreeSet::new();
        while let Some(state) = states.get(tableau.ways.len()) {
            let mut ways = Vec::new();
            for way in ways_of(state) {
                untils.extend(way.postponed.iter().cloned());
                let number = *numbers.entry(way.next.clone()).or_insert_with(|| {
                    states.push(way.next.clone());
                    states.len() - 1
                });
                ways.push((way, number));
            }
            tableau.ways.push(ways);
        }
        tableau.untils = untils.into_iter().collect();
        tableau
    }

    /// State `(s, n)`: the first `n` untils have not been postponed at some point since the last time that all had been
    /// seen so, which is when `n` is their number.
    fn count_through(&self) -> Buchi {
        let mut numbers = FxHashMap::from_iter([((0, 0), 0)]);
        let mut states = vec![(0, 0)];
        let mut automaton = Buchi { accepting: Vec::new(), moves: Vec::new() };
        while let Some(&(state, level)) = states.get(automaton.moves.len()) {
            automaton.accepting.push(level == self.untils.len());
            let start = level % self.untils.len().max(1);
            let mut moves = Vec::new();
            for (way, target) in &self.ways[state] {
                let passed = self.untils[start..].iter();
                let passed = passed.take_while(|until| !way.postponed.contains(until)).count();
                let next = (*target, start + passed);
                let number = *numbers.entry(next).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                let Way { required, forbidden, .. } = *way;
                moves.push(Move { required, forbidden, target: BuchiState(number) });
            }
            automaton.moves.push(moves);
        }
        automaton
    }
}

/// The ways to meet `obligations`, but for those that demand more than another.
fn ways_of(obligations: &Obligations) -> Vec<Way> {
    let mut ways = Vec::new();
    expand(obligations.iter().cloned().collect(), Way::default(), &mut ways);
    ways.sort();
    ways.dedup();
    let is_needed = |way: &&Way| !ways.iter().any(|other| other != *way && other.demands_no_more_than(way));
    ways.iter().filter(is_needed).cloned().collect()
}

/// Adds the ways to meet all of `open` besides what is in `way` already.
fn expand(mut open: Vec<Formula>, mut way: Way, ways: &mut Vec<Way>) {
    let Some(formula) = open.pop() else {
        ways.push(way);
        return;
    };
    let mut branch = |now: &[&Formula], way: Way| {
        let open = open.iter().chain(now.iter().copied()).cloned().collect();
        expand(open, way, ways);
    };
    match &formula {
        Formula::Constant(false) => {}
        Formula::Constant(true) => branch(&[], way),
        Formula::Holds(proposition) => {
            way.required = way.required.with(*proposition);
            if !way.forbidden.has(*proposition) {
                branch(&[], way);
            }
        }
        Formula::Unary(Unary::Not, operand) => {
            let Formula::Holds(proposition) = **operand else { unreachable!("in negation normal form") };
            way.forbidden = way.forbidden.with(proposition);
            if !way.required.has(proposition) {
                branch(&[], way);
            }
        }
        Formula::Unary(Unary::Next, operand) => {
            way.next.insert(Formula::clone(operand));
            branch(&[], way);
        }
        Formula::Binary(operator, operands) => {
            let [left, right] = &**operands;
            let mut later = way.clone();
            later.next.insert(formula.clone());
            if matches!(operator, Binary::Until | Binary::StrongRelease) {
                later.postponed.insert(formula.clone());
            }
            match operator {
                Binary::And => branch(&[left, right], way),
                Binary::Or => {
                    branch(&[left], way.clone());
                    branch(&[right], way);
                }
                Binary::Until | Binary::WeakUntil => {
                    branch(&[right], way);
                    branch(&[left], later);
                }
                Binary::Release | Binary::StrongRelease => {
                    branch(&[left, right], way);
                    branch(&[right], later);
                }
                Binary::Implies | Binary::Iff => unreachable!("in negation normal form"),
            }
        }
        Formula::Unary(Unary::Finally | Unary::Globally, _) => unreachable!("in negation normal form"),
    }
}
