//! From a regular expression, or any other [`Order`] of frames, to a minimal deterministic automaton.
//!
//! The frames are positions: `first`, `last` and `follow` say which can be at the bottom, at the top and above each
//! other. A state of the subset construction is the set of positions that the frame just read can stand for. States that
//! no stack tells apart are then merged.

use crate::automaton::Place;
use crate::expression::{FrameId, Stacks, Times};
use crate::set::{ClassId, Set};
use hardbop_base::{Diagnostic, Idx, IndexVec};
use hardbop_icfg::proposition::Letter;
use hardbop_icfg::{EdgeId, NodeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The most states of an automaton.
const MOST_STATES: usize = 1000;

/// An automaton over the nodes of a program; a [`Set`] without its condition.
#[derive(Debug)]
pub struct Automaton {
    moves: IndexVec<Place, IndexVec<ClassId, Place>>,
    accepting: IndexVec<Place, bool>,
    classes: IndexVec<NodeId, ClassId>,
}

/// Which frames can be where in a stack.
#[derive(Debug)]
pub struct Order {
    /// Those at the bottom.
    pub first: Positions,
    /// Those on top.
    pub last: Positions,
    /// Those above each.
    pub follow: IndexVec<FrameId, Positions>,
}

impl Order {
    /// That of an expression with so many frames.
    pub fn of(stacks: &Stacks, count: usize) -> Self {
        let mut follow = IndexVec::from_elem(Positions::empty(count), count);
        let Ends { first, last, .. } = ends(stacks, count, &mut follow);
        Self { first, last, follow }
    }
}

/// The automaton of the stacks with this order of frames, where a frame stands for the nodes that `frames` says.
///
/// # Errors
/// It would have too many states.
pub fn determine(order: &Order, frames: &IndexVec<FrameId, IndexVec<NodeId, bool>>) -> Result<Automaton, Diagnostic> {
    let (classes, matching) = classify(frames);
    let mut known: FxHashMap<Option<Positions>, Place> = FxHashMap::default();
    let mut states: IndexVec<Place, Option<Positions>> = IndexVec::new();
    // `None` is below the bottom frame.
    known.insert(None, states.push(None));
    let mut moves: IndexVec<Place, IndexVec<ClassId, Place>> = IndexVec::new();
    while let Some(state) = states.get(moves.next_id()).cloned() {
        let above = match &state {
            None => order.first.clone(),
            Some(positions) => positions.iter().fold(Positions::empty(frames.len()), |mut all, position| {
                all.union(&order.follow[position]);
                all
            }),
        };
        let mut row = IndexVec::new();
        for wanted in &matching {
            let mut next = above.clone();
            next.intersect(wanted);
            let next = Some(next);
            row.push(*known.entry(next.clone()).or_insert_with(|| states.push(next)));
        }
        moves.push(row);
        if states.len() > MOST_STATES {
            let message = format!("these stacks need an automaton of more than {MOST_STATES} states");
            let help = "fewer alternatives before a fixed number of frames make it smaller";
            return Err(Diagnostic::error("stack-too-large", message, None).help(help));
        }
    }
    let is_last = |state: &Option<Positions>| {
        state.as_ref().is_some_and(|positions| positions.iter().any(|position| order.last.contains(position)))
    };
    let accepting = states.iter().map(is_last).collect();
    Ok(minimise(Automaton { moves, accepting, classes }))
}

impl Automaton {
    /// The set of configurations whose stack it accepts and whose top frame meets its condition.
    pub fn with(self, pending: IndexVec<EdgeId, NodeId>, conditions: IndexVec<NodeId, Letter>) -> Set {
        let Self { moves, accepting, classes } = self;
        let mut live = accepting.clone();
        loop {
            let can_go_on = |place: Place| moves[place].iter().any(|&next| live[next]);
            let more: Vec<Place> = moves.ids().filter(|&place| !live[place] && can_go_on(place)).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|place| live[place] = true);
        }
        Set { start: Place::from_usize(0), moves, accepting, live, classes, pending, conditions }
    }
}

/// The classes of nodes that the same frames stand for, and for each class those frames.
fn classify(
    frames: &IndexVec<FrameId, IndexVec<NodeId, bool>>,
) -> (IndexVec<NodeId, ClassId>, IndexVec<ClassId, Positions>) {
    let nodes = frames.iter().next().map_or(0, IndexVec::len);
    let mut known: FxHashMap<Positions, ClassId> = FxHashMap::default();
    let mut matching = IndexVec::new();
    let classes = (0..nodes).map(NodeId::from_usize).map(|node| {
        let mut here = Positions::empty(frames.len());
        frames.iter_enumerated().filter(|(_, is_at)| is_at[node]).for_each(|(frame, _)| here.insert(frame));
        *known.entry(here.clone()).or_insert_with(|| matching.push(here))
    });
    (classes.collect(), matching)
}

/// Where a part of an expression can begin and end.
struct Ends {
    is_optional: bool,
    first: Positions,
    last: Positions,
}

fn ends(stacks: &Stacks, count: usize, follow: &mut IndexVec<FrameId, Positions>) -> Ends {
    match stacks {
        Stacks::Frame(frame) => {
            let mut only = Positions::empty(count);
            only.insert(*frame);
            Ends { is_optional: false, first: only.clone(), last: only }
        }
        Stacks::Row(parts) => {
            let mut all = Ends { is_optional: true, first: Positions::empty(count), last: Positions::empty(count) };
            for part in parts {
                let part = ends(part, count, follow);
                all.last.iter().for_each(|position| follow[position].union(&part.first));
                if all.is_optional {
                    all.first.union(&part.first);
                }
                if part.is_optional {
                    all.last.union(&part.last);
                } else {
                    all.last = part.last;
                }
                all.is_optional &= part.is_optional;
            }
            all
        }
        Stacks::Choice(parts) => {
            let mut all = Ends { is_optional: false, first: Positions::empty(count), last: Positions::empty(count) };
            for part in parts {
                let part = ends(part, count, follow);
                all.first.union(&part.first);
                all.last.union(&part.last);
                all.is_optional |= part.is_optional;
            }
            all
        }
        Stacks::Repeat { inner, times } => {
            let mut inner = ends(inner, count, follow);
            if *times != Times::AtMostOnce {
                inner.last.iter().for_each(|position| follow[position].union(&inner.first));
            }
            inner.is_optional |= *times != Times::AtLeastOnce;
            inner
        }
    }
}

/// Merges the states that no stack tells apart; the first state stays the first.
fn minimise(automaton: Automaton) -> Automaton {
    let Automaton { moves, accepting, classes } = automaton;
    let mut block: IndexVec<Place, usize> = accepting.iter().map(|&is_accepting| usize::from(is_accepting)).collect();
    let mut count = 0;
    loop {
        let mut known: BTreeMap<(usize, Vec<usize>), usize> = BTreeMap::new();
        let refined: IndexVec<Place, usize> = moves
            .iter_enumerated()
            .map(|(place, row)| {
                let key = (block[place], row.iter().map(|&next| block[next]).collect());
                let fresh = known.len();
                *known.entry(key).or_insert(fresh)
            })
            .collect();
        block = refined;
        if known.len() == count {
            break;
        }
        count = known.len();
    }
    let mut representative: IndexVec<Place, Option<Place>> = IndexVec::from_elem(None, count);
    for place in moves.ids() {
        representative[Place::from_usize(block[place])].get_or_insert(place);
    }
    let chosen = |place: &Option<Place>| place.expect("every block has a state");
    Automaton {
        moves: representative
            .iter()
            .map(|place| moves[chosen(place)].iter().map(|&next| Place::from_usize(block[next])).collect())
            .collect(),
        accepting: representative.iter().map(|place| accepting[chosen(place)]).collect(),
        classes,
    }
}

/// A set of frames.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Positions {
    words: Vec<u64>,
}

impl Positions {
    /// None of so many.
    pub fn empty(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)] }
    }

    /// Adds `frame`.
    pub fn insert(&mut self, frame: FrameId) {
        self.words[frame.index() / 64] |= 1 << (frame.index() % 64);
    }

    fn contains(&self, frame: FrameId) -> bool {
        self.words[frame.index() / 64] >> (frame.index() % 64) & 1 == 1
    }

    fn union(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, mask)| *word &= mask);
    }

    fn iter(&self) -> impl Iterator<Item = FrameId> + '_ {
        (0..64 * self.words.len()).map(FrameId::from_usize).filter(|&frame| self.contains(frame))
    }
}
