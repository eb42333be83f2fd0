//! Asks whether signals of a [`Circuit`] can be true together.
//!
//! The Tseitin encoding: one SAT variable per gate, with clauses that say that it is what the gate computes. Only the
//! gates below a question are encoded, each once.
//!
//! The solver assigns what earlier questions were about too, so one that has answered many is slow: whoever asks much
//! takes a new one now and then [measured: 5,000 questions on one solver 52 s, on new ones 1 s].

use crate::circuit::Gate;
use crate::{Circuit, Lit, Sat, Satisfiable, Signal};
use hardbop_base::{Budget, Exhausted};

/// A SAT solver that knows some gates of one circuit. It must always be given the same circuit.
#[derive(Default, Debug)]
pub struct Solver {
    sat: Sat,
    /// The variable of each gate that is encoded.
    lits: Vec<Option<Lit>>,
}

impl Solver {
    /// A solver that knows no gate yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many clauses it works on.
    pub fn clauses(&self) -> usize {
        self.sat.clauses()
    }

    /// Whether all `signals` can be true at once.
    pub fn solve(&mut self, circuit: &Circuit, signals: &[Signal], budget: &Budget) -> Result<Satisfiable, Exhausted> {
        for &signal in signals {
            self.encode(circuit, signal, budget)?;
        }
        let assumptions: Vec<Lit> = signals.iter().map(|&signal| self.lit(signal)).collect();
        self.sat.solve(&assumptions, budget)
    }

    /// The value of `signal` in the model that the last call found; `None` where no question was about it.
    ///
    /// # Requires
    /// The last call answered [`Satisfiable::Yes`].
    pub fn value(&self, signal: Signal) -> Option<bool> {
        let lit = self.lits.get(signal.gate()).copied().flatten()?;
        Some(self.sat.value(lit) ^ signal.is_complemented())
    }

    fn lit(&self, signal: Signal) -> Lit {
        let lit = self.lits[signal.gate()].expect("a gate is encoded before those it feeds");
        if signal.is_complemented() { !lit } else { lit }
    }

    /// Encodes the gates below `root`, inputs first. Does not recurse: circuits are deep.
    fn encode(&mut self, circuit: &Circuit, root: Signal, budget: &Budget) -> Result<(), Exhausted> {
        self.lits.resize(circuit.len().max(self.lits.len()), None);
        let mut stack = vec![root];
        while let Some(&signal) = stack.last() {
            if self.lits[signal.gate()].is_some() {
                stack.pop();
                continue;
            }
            let gate = circuit.gate(signal);
            let before = stack.len();
            stack.extend(inputs(gate).filter(|input| self.lits[input.gate()].is_none()));
            if stack.len() == before {
                budget.spend(1)?;
                let output = self.sat.variable();
                self.define(gate, output);
                self.lits[signal.gate()] = Some(output);
                stack.pop();
            }
        }
        Ok(())
    }

    fn define(&mut self, gate: Gate, output: Lit) {
        match gate {
            Gate::Input => {}
            Gate::Constant => self.sat.clause(&[!output]),
            Gate::And(a, b) => {
                let (a, b) = (self.lit(a), self.lit(b));
                self.add(&[&[!output, a], &[!output, b], &[output, !a, !b]]);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.lit(a), self.lit(b));
                self.add(&[&[!output, a, b], &[!output, !a, !b], &[output, !a, b], &[output, a, !b]]);
            }
            Gate::Ite(test, yes, no) => {
                let (test, yes, no) = (self.lit(test), self.lit(yes), self.lit(no));
                self.add(&[&[!output, !test, yes], &[!output, test, no], &[output, !test, !yes], &[output, test, !no]]);
            }
        }
    }

    fn add(&mut self, clauses: &[&[Lit]]) {
        for clause in clauses {
            self.sat.clause(clause);
        }
    }
}

fn inputs(gate: Gate) -> impl Iterator<Item = Signal> {
    let (a, b, c) = match gate {
        Gate::Constant | Gate::Input => (None, None, None),
        Gate::And(a, b) | Gate::Xor(a, b) => (Some(a), Some(b), None),
        Gate::Ite(a, b, c) => (Some(a), Some(b), Some(c)),
    };
    [a, b, c].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{Strategy, any, prop, prop_assert_eq, proptest};

    const INPUTS: usize = 5;

    /// A gate of a random circuit: what it computes, and which earlier signals it takes, complemented or not.
    type Recipe = (u8, [(prop::sample::Index, bool); 3]);

    fn recipes() -> impl Strategy<Value = Vec<Recipe>> {
        let operand = || any::<(prop::sample::Index, bool)>();
        prop::collection::vec((0..6u8, [operand(), operand(), operand()]), 1..24)
    }

    /// The circuit, each of its signals, and its truth table: bit `i` is its value where input `k` is bit `k` of `i`.
    fn build(recipes: &[Recipe]) -> (Circuit, Vec<(Signal, u32)>) {
        let mut circuit = Circuit::new();
        let mut signals = vec![(Signal::TRUE, u32::MAX)];
        for input in 0..INPUTS {
            let table = (0..32).filter(|row| row >> input & 1 == 1).fold(0, |table, row| table | 1 << row);
            signals.push((circuit.input(), table));
        }
        for (kind, operands) in recipes {
            let [(a, x), (b, y), (c, z)] = operands.map(|(index, is_complemented)| {
                let (signal, table) = signals[index.index(signals.len())];
                if is_complemented { (!signal, !table) } else { (signal, table) }
            });
            signals.push(match kind {
                0 => (circuit.and(a, b), x & y),
                1 => (circuit.or(a, b), x | y),
                2 => (circuit.xor(a, b), x ^ y),
                3 => (circuit.iff(a, b), !(x ^ y)),
                4 => (circuit.implies(a, b), !x | y),
                _ => (circuit.ite(a, b, c), x & y | !x & z),
            });
        }
        (circuit, signals)
    }

    proptest! {
        #[test]
        fn a_solver_agrees_with_truth_tables(recipes in recipes()) {
            let (circuit, signals) = build(&recipes);
            let budget = Budget::unlimited();
            let mut solver = Solver::new();
            for (index, &(signal, table)) in signals.iter().enumerate() {
                let (other, other_table) = signals[index / 2];
                let both = table & !other_table;
                let answer = solver.solve(&circuit, &[signal, !other], &budget).expect("the budget is unlimited");
                prop_assert_eq!(answer == Satisfiable::Yes, both != 0);
                if answer == Satisfiable::Yes {
                    let row = (0..INPUTS).fold(0, |row, input| {
                        row | u32::from(solver.value(signals[1 + input].0) == Some(true)) << input
                    });
                    prop_assert_eq!(both >> row & 1, 1);
                }
            }
        }

        #[test]
        fn equal_signals_have_equal_tables(recipes in recipes()) {
            let (_, signals) = build(&recipes);
            for &(one, one_table) in &signals {
                for &(other, other_table) in &signals {
                    prop_assert_eq!(one == other && one_table != other_table, false);
                    prop_assert_eq!(one == !other && one_table != !other_table, false);
                }
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut circuit = Circuit::new();
        let (a, b, c) = (circuit.input(), circuit.input(), circuit.input());
        assert_eq!(circuit.and(a, b), circuit.and(b, a));
        assert_eq!(circuit.xor(!a, b), !circuit.xor(b, a));
        assert_eq!(circuit.ite(!a, b, c), circuit.ite(a, c, b));
        assert_eq!(circuit.ite(a, !b, !c), !circuit.ite(a, b, c));
        assert_eq!(circuit.ite(a, a, c), circuit.or(a, c));
        assert_eq!(circuit.ite(a, b, !b), circuit.iff(a, b));
        assert_eq!(circuit.iff(a, a), Signal::TRUE);
    }
}
