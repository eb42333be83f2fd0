//! Random programs and annotations, checked state by state.
//!
//! There are three slots: the global `g`, a result and a local. So a state is a number below 8, and an annotation of a
//! node is a set of pairs of states: 64 bits.

use crate::draft::{evaluate, program};
use hardbop_base::{Budget, Idx, IndexVec};
use hardbop_icfg::{EdgeKind, Expr, Goal, GoalKind, NodeId, Program, Relation, SlotId, Slots, Transition, Value};
use hardbop_verdict::check::Side;
use hardbop_verdict::{Atom, CertifyError, Formula, FormulaId, Formulas, Proof, certify};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};
use std::fmt::Write;

type State = usize;
/// Bit `8 · entry + now`.
type Pairs = u64;

const STATES: State = 8;

/// Decisions read off a list of bytes; past its end they are all zero.
struct Source<'a>(std::slice::Iter<'a, u8>);

impl Source<'_> {
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }

    fn expr(&mut self, names: &[&str], depth: usize) -> String {
        match self.below(if depth == 0 { 3 } else { 8 }) {
            0..=2 => names[self.below(names.len())].to_owned(),
            3 => format!("!{}", self.expr(names, depth - 1)),
            kind => {
                let operator = ["&", "|", "^", "->"][kind - 4];
                format!("({} {operator} {})", self.expr(names, depth - 1), self.expr(names, depth - 1))
            }
        }
    }

    fn transition(&mut self, now: &[&str], both: &[&str], targets: &[&str], text: &mut String) {
        if self.below(3) == 0 {
            write!(text, " ; if {}", self.expr(now, 1)).unwrap();
        }
        for target in targets {
            match self.below(4) {
                0 => write!(text, " ; set {target} = *").unwrap(),
                1 => write!(text, " ; set {target} = {}", self.expr(now, 2)).unwrap(),
                _ => {}
            }
        }
        if self.below(3) == 0 {
            write!(text, " ; such {}", self.expr(both, 2)).unwrap();
        }
    }

    fn program(&mut self) -> String {
        let mut text = "globals g\n".to_owned();
        if self.below(2) == 0 {
            writeln!(text, "initial {}", self.expr(&["g'", "a'", "1", "?0"], 2)).unwrap();
        }
        for (proc, header) in [("m", "proc m local a"), ("f", "proc f result r param p")] {
            writeln!(text, "{header}").unwrap();
            let (now, both, targets): (&[&str], &[&str], &[&str]) = match proc {
                "m" => (&["g", "a", "?0", "1"], &["g", "a", "g'", "a'", "?1"], &["g", "a"]),
                _ => (&["g", "r", "p", "?0"], &["g", "r", "p", "g'", "r'", "p'", "?1"], &["g", "r", "p"]),
            };
            for edge in 0..3 {
                let (from, to) = if edge == 0 { (0, 2) } else { (self.below(3), self.below(3)) };
                if self.below(2) == 0 {
                    write!(text, "step {from} {to}").unwrap();
                    self.transition(now, both, targets, &mut text);
                } else {
                    write!(text, "call {from} {to} f").unwrap();
                    let both: Vec<&str> = now.iter().copied().chain(["g'", "r'", "p'", "?1"]).collect();
                    self.transition(now, &both, &["p"], &mut text);
                    write!(text, " ; back").unwrap();
                    let exit: &[&str] =
                        if proc == "m" { &["g", "r", "p", "a''", "?0"] } else { &["g", "r", "p", "p''", "r''", "?0"] };
                    let both: Vec<&str> = exit
                        .iter()
                        .copied()
                        .chain(targets.iter().map(|&target| match target {
                            "g" => "g'",
                            "a" => "a'",
                            "r" => "r'",
                            _ => "p'",
                        }))
                        .chain(["?1"])
                        .collect();
                    self.transition(exit, &both, targets, &mut text);
                }
                writeln!(text).unwrap();
            }
        }
        text
    }
}

/// What each edge does to states, as sets.
struct Explicit<'a> {
    program: &'a Program<Relation>,
    slots: Slots,
}

impl Explicit<'_> {
    /// Whether `transition` leads from `now` (with `saved`) to `next`; `kept` are the slots that it keeps and whence.
    fn relates(
        &self,
        transition: &Transition,
        now: State,
        saved: State,
        next: State,
        kept: [Option<State>; 3],
    ) -> bool {
        (0..4).any(|choices| {
            let value = |id| {
                evaluate(&self.program.exprs, id, &|leaf| match leaf {
                    Expr::Var(var) => now >> self.slots.of(var).index() & 1 == 1,
                    Expr::Next(var) => next >> self.slots.of(var).index() & 1 == 1,
                    Expr::Saved(var) => saved >> self.slots.of(var).index() & 1 == 1,
                    Expr::Choice(choice) => choices >> choice.index() & 1 == 1,
                    _ => unreachable!("a constant is no leaf"),
                })
            };
            let is_kept = (0..3).all(|slot| {
                let update = transition.updates.iter().find(|update| self.slots.of(update.target).index() == slot);
                let bit = next >> slot & 1;
                match (update.map(|update| update.value), kept[slot]) {
                    (Some(Value::Any), _) | (None, None) => true,
                    (Some(Value::Of(expr)), _) => value(expr) == (bit == 1),
                    (None, Some(from)) => from >> slot & 1 == bit,
                }
            });
            is_kept && transition.guard.is_none_or(value) && transition.constraint.is_none_or(value)
        })
    }

    fn step(&self, transition: &Transition, now: State, next: State) -> bool {
        self.relates(transition, now, 0, next, [Some(now); 3])
    }

    fn enter(&self, transition: &Transition, now: State, start: State) -> bool {
        self.relates(transition, now, 0, start, [Some(now), None, None])
    }

    fn leave(&self, transition: &Transition, saved: State, exit: State, next: State) -> bool {
        self.relates(transition, exit, saved, next, [Some(exit), Some(saved), Some(saved)])
    }

    /// Every way in which `at` is not closed: the obligation, the node, and the pair that it lacks.
    fn gaps(&self, at: &IndexVec<NodeId, Pairs>) -> Vec<(CertifyError, NodeId, Pairs)> {
        let mut gaps = Vec::new();
        let mut demand = |error, node: NodeId, entry: State, now: State| {
            if !has(at[node], entry, now) {
                gaps.push((error, node, pair(entry, now)));
            }
        };
        let initial = Transition { updates: Vec::new(), ..self.program.initial.clone() };
        let start = self.program.icfg.procs[self.program.entry].entry;
        for first in (0..STATES).filter(|&first| self.relates(&initial, 0, 0, first, [None; 3])) {
            demand(CertifyError::InitialNotCovered, start, first, first);
        }
        for (edge, found) in self.program.icfg.edges.iter_enumerated() {
            let error = |side| CertifyError::NotInductive { edge, side };
            for (entry, now) in pairs(at[found.from]) {
                match (found.kind, &self.program.labels[edge]) {
                    (EdgeKind::Step { to }, Relation::Step(transition)) => {
                        for next in (0..STATES).filter(|&next| self.step(transition, now, next)) {
                            demand(error(Side::Step), to, entry, next);
                        }
                    }
                    (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                        let callee = &self.program.icfg.procs[callee];
                        for start in (0..STATES).filter(|&start| self.enter(enter, now, start)) {
                            demand(error(Side::Enter), callee.entry, start, start);
                            for exit in (0..STATES).filter(|&exit| has(at[callee.exit], start, exit)) {
                                for next in (0..STATES).filter(|&next| self.leave(leave, now, exit, next)) {
                                    demand(error(Side::Leave), to, entry, next);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        gaps
    }

    /// The least annotation without gaps.
    fn close(&self) -> IndexVec<NodeId, Pairs> {
        let mut at = IndexVec::from_elem(0, self.program.icfg.nodes.len());
        loop {
            let gaps = self.gaps(&at);
            if gaps.is_empty() {
                return at;
            }
            for (_, node, pair) in gaps {
                at[node] |= pair;
            }
        }
    }
}

fn pair(entry: State, now: State) -> Pairs {
    1 << (STATES * entry + now)
}

fn has(set: Pairs, entry: State, now: State) -> bool {
    set & pair(entry, now) != 0
}

fn pairs(set: Pairs) -> impl Iterator<Item = (State, State)> {
    (0..STATES)
        .flat_map(|entry| (0..STATES).map(move |now| (entry, now)))
        .filter(move |&(entry, now)| has(set, entry, now))
}

/// A formula of `set`. What it says to be unchanged is a conjunct of its own where `source` says so.
fn formula(formulas: &mut Formulas, set: Pairs, source: &mut Source<'_>) -> FormulaId {
    let unchanged = |slot: usize| pairs(Pairs::MAX).filter(move |&(entry, now)| (entry ^ now) >> slot & 1 == 0);
    for slot in 0..3 {
        let same = unchanged(slot).fold(0, |same, (entry, now)| same | pair(entry, now));
        if set & !same == 0 && source.below(2) == 0 {
            let rest = expand(formulas, set | !same, 0);
            let unchanged = formulas.intern(Formula::Unchanged(SlotId::from_usize(slot)));
            return formulas.intern(Formula::And(rest, unchanged));
        }
    }
    expand(formulas, set, 0)
}

/// Splits by the bits of the pair, lowest first: those of `now`, then those of `entry`.
fn expand(formulas: &mut Formulas, set: Pairs, bit: usize) -> FormulaId {
    if set == 0 || set == Pairs::MAX {
        return formulas.intern(Formula::Const(set != 0));
    }
    let ones = (0..64).filter(|index| index >> bit & 1 == 1).fold(0, |ones: Pairs, index| ones | 1 << index);
    let (yes, no) = (set & ones, set & !ones);
    let yes = expand(formulas, yes | yes >> (1 << bit), bit + 1);
    let no = expand(formulas, no | no << (1 << bit), bit + 1);
    let slot = SlotId::from_usize(bit % 3);
    let atom = if bit < 3 { Atom::Now(slot) } else { Atom::Entry(slot) };
    if yes == no { yes } else { formulas.intern(Formula::Ite(atom, yes, no)) }
}

fn goals(program: &Program<Relation>) -> Vec<Goal> {
    let goal = |node| Goal {
        node,
        condition: None,
        name: String::new(),
        kind: GoalKind::Statement,
        span: program.icfg.nodes[node].span,
    };
    program.icfg.nodes.ids().map(goal).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_checker_agrees_with_explicit_states(bytes in prop::collection::vec(any::<u8>(), 100..300), noise in any::<[u8; 8]>()) {
        let mut source = Source(bytes.iter());
        let text = source.program();
        let program = program(&text);
        let explicit = Explicit { program: &program, slots: Slots::new(&program) };
        prop_assert!(explicit.slots.len() == 3);
        let mut at = explicit.close();
        let mut source = Source(noise.iter());
        for _ in 0..source.below(3) {
            let (node, bit) = (NodeId::from_usize(source.below(6)), source.below(64));
            at[node] ^= 1 << bit;
        }
        let goals = goals(&program);
        let goals: Vec<&Goal> = goals.iter().filter(|goal| at[goal.node] == 0 || source.below(20) == 19).collect();
        let mut formulas = Formulas::default();
        let mut shape = Source(bytes.iter());
        let at_formulas = at.iter().map(|&set| formula(&mut formulas, set, &mut shape)).collect();
        let proof = Proof { formulas, at: at_formulas };
        let mut wrong: Vec<CertifyError> = explicit.gaps(&at).into_iter().map(|(error, ..)| error).collect();
        let allowed = goals.iter().enumerate().filter(|(_, goal)| at[goal.node] != 0);
        wrong.extend(allowed.map(|(goal, _)| CertifyError::GoalNotExcluded { goal }));
        match certify(&program, &goals, &proof, &Budget::unlimited()) {
            Ok(_) => prop_assert!(wrong.is_empty(), "accepted in spite of {:?}\n{}", wrong[0], text),
            Err(error) => prop_assert!(wrong.contains(&error), "{error} is not so\n{text}"),
        }
    }
}
