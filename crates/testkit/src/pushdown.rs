//! Explicit pushdown systems `(P, Γ, c₀, Δ)`: control states and stack symbols are numbers [ES01, §2.1].
//!
//! Rules have at most two symbols on the right. The letter of a configuration depends on its head alone; a head may be
//! [silent](Label::Silent), then its configurations are no positions of the word that a run is: a step of the language
//! that takes two rules has one in between. The stack's first symbol is its top.
//!
//! **Invariant:** no infinite run is silent from some point on. Who makes a system sees to that.

pub mod automaton;
pub mod repeating;

use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

use crate::ltl::Letter;

/// A control state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub usize);

/// A stack symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub usize);

/// What the next step depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Head {
    /// The control state.
    pub state: State,
    /// The top of the stack.
    pub symbol: Symbol,
}

/// A control state with a stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The control state.
    pub state: State,
    /// The stack, top first.
    pub stack: Vec<Symbol>,
}

/// `⟨p, γ⟩ ↪ ⟨p', w⟩`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// Where it applies.
    pub from: Head,
    /// The next control state.
    pub state: State,
    /// What replaces the top, at most two symbols.
    pub push: Vec<Symbol>,
}

/// What a head adds to the word that a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A letter.
    Letter(Letter),
    /// Nothing.
    Silent,
}

/// A pushdown system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pds {
    /// How many control states there are.
    pub states: usize,
    /// How many stack symbols there are.
    pub symbols: usize,
    /// The rules.
    pub rules: Vec<Rule>,
    /// Where runs start.
    pub initial: Vec<Configuration>,
    /// The labels of heads; those that are not in it have the letter without propositions.
    pub labels: FxHashMap<Head, Label>,
}

impl Configuration {
    /// The head, unless the stack is empty.
    pub fn head(&self) -> Option<Head> {
        self.stack.first().map(|symbol| Head { state: self.state, symbol: *symbol })
    }
}

impl Pds {
    /// The label of a head.
    pub fn label(&self, head: Head) -> Label {
        self.labels.get(&head).copied().unwrap_or(Label::Letter(Letter::default()))
    }

    /// The rules by head.
    pub fn rules_by_head(&self) -> FxHashMap<Head, Vec<&Rule>> {
        let mut table: FxHashMap<Head, Vec<&Rule>> = FxHashMap::default();
        for rule in &self.rules {
            table.entry(rule.from).or_default().push(rule);
        }
        table
    }

    /// The immediate successors of a configuration.
    pub fn successors(&self, configuration: &Configuration) -> Vec<Configuration> {
        let Some(head) = configuration.head() else { return Vec::new() };
        let rules = self.rules.iter().filter(|rule| rule.from == head);
        rules.map(|rule| rule.apply(&configuration.stack)).collect()
    }
}

impl Rule {
    /// The configuration after this rule, where the stack was `stack`.
    pub fn apply(&self, stack: &[Symbol]) -> Configuration {
        Configuration { state: self.state, stack: [&self.push[..], &stack[1..]].concat() }
    }
}

/// A pushdown system whose states and symbols stand for other things.
pub struct Unfolded<P, G> {
    /// The system.
    pub pds: Pds,
    /// What its control states stand for.
    pub states: Vec<P>,
    /// What its stack symbols stand for.
    pub symbols: Vec<G>,
}

/// The system whose runs start in `initial`, where `rules` and `label` tell of each head that may be reached.
///
/// A state that a pop leads to is taken to meet every symbol that was ever below another: that is more than can be
/// reached, and needs no stacks.
pub fn unfold<P: Clone + Eq + Hash, G: Clone + Eq + Hash>(
    initial: impl IntoIterator<Item = (P, Vec<G>)>,
    rules: impl Fn(&P, &G) -> Vec<(P, Vec<G>)>,
    label: impl Fn(&P, &G) -> Label,
) -> Unfolded<P, G> {
    let mut unfolding = Unfolding {
        states: Numbering::default(),
        symbols: Numbering::default(),
        pending: Vec::new(),
        seen: FxHashSet::default(),
        uncovered: Numbering::default(),
        covered: Numbering::default(),
    };
    let mut pds = Pds::default();
    for (state, stack) in initial {
        let (state, stack) = unfolding.number(state, stack);
        unfolding.reach(state, &stack);
        pds.initial.push(Configuration { state, stack });
    }
    while let Some(head) = unfolding.pending.pop() {
        let (state, symbol) = unfolding.meaning(head);
        pds.labels.insert(head, label(&state, &symbol));
        for (state, push) in rules(&state, &symbol) {
            let (state, push) = unfolding.number(state, push);
            unfolding.reach(state, &push);
            pds.rules.push(Rule { from: head, state, push });
        }
    }
    let Unfolding { states: Numbering { items: states, .. }, symbols: Numbering { items: symbols, .. }, .. } =
        unfolding;
    Unfolded { pds: Pds { states: states.len(), symbols: symbols.len(), ..pds }, states, symbols }
}

struct Unfolding<P, G> {
    states: Numbering<P>,
    symbols: Numbering<G>,
    pending: Vec<Head>,
    seen: FxHashSet<Head>,
    /// States that a pop leads to.
    uncovered: Numbering<State>,
    /// Symbols that were below another.
    covered: Numbering<Symbol>,
}

/// Different things in the order in which they were found.
struct Numbering<T> {
    items: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<P: Clone + Eq + Hash, G: Clone + Eq + Hash> Unfolding<P, G> {
    fn number(&mut self, state: P, stack: Vec<G>) -> (State, Vec<Symbol>) {
        let stack = stack.into_iter().map(|symbol| Symbol(self.symbols.number(symbol))).collect();
        (State(self.states.number(state)), stack)
    }

    fn meaning(&self, head: Head) -> (P, G) {
        (self.states.items[head.state.0].clone(), self.symbols.items[head.symbol.0].clone())
    }

    /// Notes what a configuration with `stack` on top can lead to.
    fn reach(&mut self, state: State, stack: &[Symbol]) {
        match stack {
            [] => {
                self.uncovered.number(state);
                for place in 0..self.covered.items.len() {
                    self.add(Head { state, symbol: self.covered.items[place] });
                }
            }
            [symbol, below @ ..] => {
                self.add(Head { state, symbol: *symbol });
                for &symbol in below {
                    self.covered.number(symbol);
                    for place in 0..self.uncovered.items.len() {
                        self.add(Head { state: self.uncovered.items[place], symbol });
                    }
                }
            }
        }
    }

    fn add(&mut self, head: Head) {
        if self.seen.insert(head) {
            self.pending.push(head);
        }
    }
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Numbering { items: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbering<T> {
    fn number(&mut self, item: T) -> usize {
        *self.numbers.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            self.items.len() - 1
        })
    }
}
