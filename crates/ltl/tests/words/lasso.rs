//! Words `u·vʷ`, and what it means that a formula holds on one and that an automaton accepts one. Nothing of the crate's
//! own algorithms is used.

use hardbop_base::Idx;
use hardbop_ltl::formula::{Binary, Node, Unary};
use hardbop_ltl::{Automaton, Formula, Marks};

/// A word that goes back to `back` after its last letter. Bit `p` of a letter is the truth of proposition `p`.
#[derive(Clone, Debug)]
pub struct Lasso {
    pub letters: Vec<u32>,
    pub back: usize,
}

impl Lasso {
    /// The place after `place`.
    pub fn after(&self, place: usize) -> usize {
        if place + 1 < self.letters.len() { place + 1 } else { self.back }
    }

    fn letter(&self, place: usize) -> Vec<bool> {
        (0..32).map(|prop| self.letters[place] >> prop & 1 == 1).collect()
    }
}

/// Whether the formula holds at the start of the word.
pub fn holds(formula: &Formula, word: &Lasso) -> bool {
    let len = word.letters.len();
    let mut values: Vec<Vec<bool>> = Vec::new();
    for node in formula.nodes() {
        let of = |id: hardbop_ltl::FormulaId| values[id.index()].clone();
        let value = match node {
            Node::Constant(value) => vec![*value; len],
            Node::Prop(prop) => (0..len).map(|place| word.letter(place)[prop.index()]).collect(),
            Node::Unary(operator, inner) => {
                let inner = of(*inner);
                let yes = vec![true; len];
                match operator {
                    Unary::Not => inner.iter().map(|value| !value).collect(),
                    Unary::Next => (0..len).map(|place| inner[word.after(place)]).collect(),
                    Unary::Eventually => until(word, &yes, &inner),
                    Unary::Always => not(&until(word, &yes, &not(&inner))),
                }
            }
            Node::Binary(operator, left, right) => binary(word, *operator, &of(*left), &of(*right)),
            Node::And(parts) => (0..len).map(|place| parts.iter().all(|&part| of(part)[place])).collect(),
            Node::Or(parts) => (0..len).map(|place| parts.iter().any(|&part| of(part)[place])).collect(),
        };
        values.push(value);
    }
    values[formula.root().index()][0]
}

fn binary(word: &Lasso, operator: Binary, left: &[bool], right: &[bool]) -> Vec<bool> {
    let pointwise = |function: fn(bool, bool) -> bool| {
        left.iter().zip(right).map(|(&left, &right)| function(left, right)).collect::<Vec<bool>>()
    };
    let both = || pointwise(|left, right| left && right);
    let for_ever = |values: &[bool]| not(&until(word, &vec![true; values.len()], &not(values)));
    let or = |left: &[bool], right: &[bool]| left.iter().zip(right).map(|(&a, &b)| a || b).collect();
    match operator {
        Binary::Until => until(word, left, right),
        Binary::WeakUntil => or(&until(word, left, right), &for_ever(left)),
        Binary::Release => or(&until(word, right, &both()), &for_ever(right)),
        Binary::StrongRelease => until(word, right, &both()),
        Binary::Implies => pointwise(|left, right| !left || right),
        Binary::Iff => pointwise(|left, right| left == right),
        Binary::Xor => pointwise(|left, right| left != right),
    }
}

fn not(values: &[bool]) -> Vec<bool> {
    values.iter().map(|value| !value).collect()
}

/// Walks from each place, at most once around.
fn until(word: &Lasso, left: &[bool], right: &[bool]) -> Vec<bool> {
    let walk = |start: usize| {
        let mut place = start;
        for _ in 0..=word.letters.len() {
            if right[place] {
                return true;
            }
            if !left[place] {
                return false;
            }
            place = word.after(place);
        }
        false
    };
    (0..word.letters.len()).map(walk).collect()
}

/// Whether the automaton has an accepting run on the word.
pub fn accepts(automaton: &Automaton, word: &Lasso) -> bool {
    let places = word.letters.len();
    let node = |state: usize, place: usize| state * places + place;
    let mut edges = Vec::new();
    for (state, out) in automaton.states.iter_enumerated() {
        for place in 0..places {
            let letter = word.letter(place);
            for edge in out.iter().filter(|edge| edge.guard.holds(&letter)) {
                let to = node(edge.to.index(), word.after(place));
                edges.push((node(state.index(), place), to, edge.marks));
            }
        }
    }
    let initial: Vec<usize> = automaton.initial.iter().map(|state| node(state.index(), 0)).collect();
    has_fair_path(automaton.states.len() * places, &edges, automaton.sets, &initial)
}

/// Whether some word over `props` propositions is accepted by both.
pub fn intersect(left: &Automaton, right: &Automaton, props: u32) -> bool {
    let node = |a: usize, b: usize| a * right.states.len() + b;
    let mut edges = Vec::new();
    for letter in 0..1_u32 << props {
        let letter: Vec<bool> = (0..32).map(|prop| letter >> prop & 1 == 1).collect();
        for (a, first) in left.states.iter_enumerated() {
            for (b, second) in right.states.iter_enumerated() {
                for one in first.iter().filter(|edge| edge.guard.holds(&letter)) {
                    for two in second.iter().filter(|edge| edge.guard.holds(&letter)) {
                        let marks = Marks(one.marks.0 | two.marks.0 << left.sets);
                        let to = node(one.to.index(), two.to.index());
                        edges.push((node(a.index(), b.index()), to, marks));
                    }
                }
            }
        }
    }
    let pairs = left.initial.iter().flat_map(|a| right.initial.iter().map(|b| node(a.index(), b.index())));
    let initial: Vec<usize> = pairs.collect();
    has_fair_path(left.states.len() * right.states.len(), &edges, left.sets + right.sets, &initial)
}

/// Whether a path from one of `initial` sees each set for ever again, as a greatest fixpoint.
fn has_fair_path(nodes: usize, edges: &[(usize, usize, Marks)], sets: u32, initial: &[usize]) -> bool {
    let mut alive = vec![true; nodes];
    loop {
        let before = alive.clone();
        // With no sets, being able to go on is what must last.
        for set in 0..sets.max(1) {
            let is_marked = |marks: Marks| sets == 0 || marks.has(set);
            let goals = edges.iter().filter(|(_, to, marks)| is_marked(*marks) && alive[*to]).map(|(from, ..)| *from);
            alive = backwards(edges, &alive, goals.collect());
        }
        if alive == before {
            return initial.iter().any(|&node| alive[node]);
        }
    }
}

/// The nodes of `alive` from which a path inside `alive` leads to one of `goals`.
fn backwards(edges: &[(usize, usize, Marks)], alive: &[bool], goals: Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; alive.len()];
    goals.into_iter().filter(|&goal| alive[goal]).for_each(|goal| reached[goal] = true);
    loop {
        let mut has_grown = false;
        for &(from, to, _) in edges {
            if alive[from] && reached[to] && !reached[from] {
                reached[from] = true;
                has_grown = true;
            }
        }
        if !has_grown {
            return reached;
        }
    }
}
