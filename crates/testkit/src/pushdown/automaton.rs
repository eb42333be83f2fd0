//! `P`-automata and their saturation, transition by transition [ES01, §4.1 and §4.3], \[EHRS00\].
//!
//! The states of an automaton are numbers, of which the first are the control states.
//!
//! **Invariant:** what goes into saturation has no transition into a control state.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::pushdown::{Configuration, Head, Pds, State, Symbol};

/// A state of an [`Automaton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub usize);

impl From<State> for Node {
    fn from(state: State) -> Self {
        Node(state.0)
    }
}

/// A regular set of configurations: `⟨p, w⟩` is in it if `w` leads from `p` to a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// By state, whether it is final; control states come first.
    is_final: Vec<bool>,
    /// By state, the transitions that leave it, each once.
    transitions: Vec<Vec<(Symbol, Node)>>,
}

impl Automaton {
    /// The empty set, for a system with so many control states.
    pub fn empty(states: usize) -> Self {
        Automaton { is_final: vec![false; states], transitions: vec![Vec::new(); states] }
    }

    /// A finite set.
    pub fn of(states: usize, configurations: &[Configuration]) -> Self {
        let mut automaton = Self::empty(states);
        for Configuration { state, stack } in configurations {
            let mut node = Node::from(*state);
            for symbol in stack {
                let next = automaton.add_node();
                automaton.add(node, *symbol, next);
                node = next;
            }
            automaton.set_final(node);
        }
        automaton
    }

    /// `H Γ*`: the configurations whose head is one of `heads`.
    pub fn with_heads(pds: &Pds, heads: impl IntoIterator<Item = Head>) -> Self {
        let mut automaton = Self::empty(pds.states);
        let rest = automaton.add_node();
        automaton.set_final(rest);
        for symbol in 0..pds.symbols {
            automaton.add(rest, Symbol(symbol), rest);
        }
        for Head { state, symbol } in heads {
            automaton.add(state.into(), symbol, rest);
        }
        automaton
    }

    /// Adds a state.
    pub fn add_node(&mut self) -> Node {
        self.is_final.push(false);
        self.transitions.push(Vec::new());
        Node(self.is_final.len() - 1)
    }

    /// Adds a transition.
    pub fn add(&mut self, from: Node, symbol: Symbol, to: Node) {
        if !self.transitions[from.0].contains(&(symbol, to)) {
            self.transitions[from.0].push((symbol, to));
        }
    }

    /// Makes a state final.
    pub fn set_final(&mut self, node: Node) {
        self.is_final[node.0] = true;
    }

    /// Whether it has the transition.
    pub fn has(&self, from: Node, symbol: Symbol, to: Node) -> bool {
        self.transitions[from.0].contains(&(symbol, to))
    }

    /// The transitions that leave `node`.
    pub fn leaving(&self, node: Node) -> &[(Symbol, Node)] {
        &self.transitions[node.0]
    }

    /// Whether a configuration is in the set.
    pub fn accepts(&self, configuration: &Configuration) -> bool {
        let mut nodes = vec![Node::from(configuration.state)];
        for symbol in &configuration.stack {
            let leaving = nodes.iter().flat_map(|node| self.leaving(*node));
            let mut next: Vec<Node> = leaving.filter(|(label, _)| label == symbol).map(|(_, to)| *to).collect();
            next.sort_unstable();
            next.dedup();
            nodes = next;
        }
        nodes.iter().any(|node| self.is_final[node.0])
    }

    fn triples(&self) -> Vec<Transition> {
        let rows = self.transitions.iter().enumerate();
        rows.flat_map(|(from, row)| row.iter().map(move |(symbol, to)| (Node(from), *symbol, *to))).collect()
    }

    fn from_triples(is_final: Vec<bool>, triples: &[Transition]) -> Self {
        let mut transitions = vec![Vec::new(); is_final.len()];
        for (from, symbol, to) in triples {
            transitions[from.0].push((*symbol, *to));
        }
        Automaton { is_final, transitions }
    }
}

type Transition = (Node, Symbol, Node);

/// Lists for a state and a symbol that is read there.
type ByTop<T> = FxHashMap<(Node, Symbol), Vec<T>>;

/// Transitions in the order found, each once: a worklist that keeps what was done.
#[derive(Default)]
struct Transitions {
    seen: FxHashSet<Transition>,
    found: Vec<Transition>,
}

impl Transitions {
    /// Adds a transition; whether it is new.
    fn add(&mut self, transition: Transition) -> bool {
        let is_new = self.seen.insert(transition);
        if is_new {
            self.found.push(transition);
        }
        is_new
    }
}

/// `pre*(C)`: the configurations from which one in the set can be reached.
pub fn pre_star(pds: &Pds, set: &Automaton) -> Automaton {
    let mut relation = Transitions::default();
    for transition in set.triples() {
        relation.add(transition);
    }
    // By the top of the right-hand side: the head on the left, and the symbol below, if there is one.
    let mut rules: ByTop<(Head, Option<Symbol>)> = FxHashMap::default();
    for rule in &pds.rules {
        match rule.push[..] {
            [] => {
                relation.add((rule.from.state.into(), rule.from.symbol, rule.state.into()));
            }
            [top] => rules.entry((rule.state.into(), top)).or_default().push((rule.from, None)),
            [top, below] => rules.entry((rule.state.into(), top)).or_default().push((rule.from, Some(below))),
            _ => unreachable!("a rule pushes at most two symbols"),
        }
    }
    // The heads that wait for a transition from a state with a symbol: the upper of two symbols was read already.
    let mut waiting: ByTop<Head> = FxHashMap::default();
    let mut targets: ByTop<Node> = FxHashMap::default();
    let mut done = 0;
    while let Some(&(from, symbol, to)) = relation.found.get(done) {
        done += 1;
        targets.entry((from, symbol)).or_default().push(to);
        for head in waiting.get(&(from, symbol)).into_iter().flatten() {
            relation.add((head.state.into(), head.symbol, to));
        }
        for (head, below) in rules.get(&(from, symbol)).into_iter().flatten() {
            match below {
                None => {
                    relation.add((head.state.into(), head.symbol, to));
                }
                Some(below) => {
                    waiting.entry((to, *below)).or_default().push(*head);
                    for target in targets.get(&(to, *below)).into_iter().flatten() {
                        relation.add((head.state.into(), head.symbol, *target));
                    }
                }
            }
        }
    }
    Automaton::from_triples(set.is_final.clone(), &relation.found)
}

/// `post*(C)`: the configurations that can be reached from one in the set.
pub fn post_star(pds: &Pds, set: &Automaton) -> Automaton {
    let rules = pds.rules_by_head();
    let mut forward = Forward {
        relation: Transitions::default(),
        inner: Transitions::default(),
        is_final: set.is_final.clone(),
        leaving: set.transitions.clone(),
        uncovering: vec![Vec::new(); set.is_final.len()],
        uncovered: FxHashSet::default(),
        middles: FxHashMap::default(),
    };
    for (from, symbol, to) in set.triples() {
        let transitions = if from.0 < pds.states { &mut forward.relation } else { &mut forward.inner };
        transitions.add((from, symbol, to));
    }
    let mut done = 0;
    while let Some(&(from, symbol, to)) = forward.relation.found.get(done) {
        done += 1;
        for rule in rules.get(&Head { state: State(from.0), symbol }).into_iter().flatten() {
            match rule.push[..] {
                [] => forward.uncover(rule.state, to),
                [top] => {
                    forward.relation.add((rule.state.into(), top, to));
                }
                [top, below] => forward.cover(Head { state: rule.state, symbol: top }, below, to),
                _ => unreachable!("a rule pushes at most two symbols"),
            }
        }
    }
    let all: Vec<Transition> = forward.relation.found.into_iter().chain(forward.inner.found).collect();
    Automaton::from_triples(forward.is_final, &all)
}

struct Forward {
    /// Transitions from control states, to be worked through.
    relation: Transitions,
    /// Transitions from other states.
    inner: Transitions,
    is_final: Vec<bool>,
    /// By state, the inner transitions that leave it.
    leaving: Vec<Vec<(Symbol, Node)>>,
    /// By state, the control states that can be there with nothing above.
    uncovering: Vec<Vec<State>>,
    uncovered: FxHashSet<(State, Node)>,
    /// By the head that a rule puts on top, the state between the two symbols.
    middles: FxHashMap<Head, Node>,
}

impl Forward {
    /// What was above `node` is gone, and control is in `state`.
    fn uncover(&mut self, state: State, node: Node) {
        if self.uncovered.insert((state, node)) {
            self.uncovering[node.0].push(state);
            for (below, to) in &self.leaving[node.0] {
                self.relation.add((state.into(), *below, *to));
            }
            self.is_final[state.0] |= self.is_final[node.0];
        }
    }

    /// `top` was put above `below`, from where it goes on to `to`.
    fn cover(&mut self, top: Head, below: Symbol, to: Node) {
        let middle = *self.middles.entry(top).or_insert_with(|| {
            self.is_final.push(false);
            self.leaving.push(Vec::new());
            self.uncovering.push(Vec::new());
            Node(self.is_final.len() - 1)
        });
        self.relation.add((top.state.into(), top.symbol, middle));
        if self.inner.add((middle, below, to)) {
            self.leaving[middle.0].push((below, to));
            for state in &self.uncovering[middle.0] {
                self.relation.add(((*state).into(), below, to));
            }
        }
    }
}

/// The heads of the configurations that can be reached.
pub fn reachable_heads(pds: &Pds) -> Vec<Head> {
    let reached = post_star(pds, &Automaton::of(pds.states, &pds.initial));
    let mut heads = Vec::new();
    for state in (0..pds.states).map(State) {
        heads.extend(reached.leaving(state.into()).iter().map(|(symbol, _)| Head { state, symbol: *symbol }));
    }
    heads.sort_unstable();
    heads.dedup();
    heads
}
