//! The SAT solver: clauses in, a model or its absence out.
//!
//! CaDiCaL, used incrementally: clauses stay, assumptions hold for one call.

use hardbop_base::{Budget, Exhausted};
use std::ops::Not;

/// A variable of a [`Sat`] or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(i32);

impl Not for Lit {
    type Output = Self;
    fn not(self) -> Self {
        Self(-self.0)
    }
}

/// Whether the clauses and assumptions have a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Satisfiable {
    /// They have, and [`Sat::value`] tells it.
    Yes,
    /// They have not.
    No,
}

/// A set of clauses and the solver that works on it.
pub struct Sat {
    solver: cadical::Solver<Watch>,
    variables: i32,
    clauses: usize,
}

impl Default for Sat {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Sat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sat").field("variables", &self.variables).field("clauses", &self.clauses).finish()
    }
}

impl Sat {
    /// No clauses.
    pub fn new() -> Self {
        Self { solver: cadical::Solver::new(), variables: 0, clauses: 0 }
    }

    /// A new variable.
    pub fn variable(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    /// Adds a clause: one of `lits` is true.
    pub fn clause(&mut self, lits: &[Lit]) {
        self.clauses += 1;
        self.solver.add_clause(lits.iter().map(|lit| lit.0));
    }

    /// How many clauses were added.
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// Looks for a model of the clauses in which all `assumptions` are true.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<Satisfiable, Exhausted> {
        budget.spend(1)?;
        self.solver.set_callbacks(Some(Watch { budget: budget.clone(), polls: 0 }));
        let answer = self.solver.solve_with(assumptions.iter().map(|lit| lit.0));
        let polls = self.solver.get_callbacks().map_or(0, |watch| watch.polls);
        match answer {
            // The answer is there, so the work it took may overdraw the allowance: the next call will notice.
            Some(is_satisfiable) => {
                let _ = budget.spend(polls);
                Ok(if is_satisfiable { Satisfiable::Yes } else { Satisfiable::No })
            }
            None => {
                budget.spend(polls)?;
                Err(Exhausted)
            }
        }
    }

    /// The value of `lit` in the model that the last call found; false where either value does.
    ///
    /// # Requires
    /// The last call answered [`Satisfiable::Yes`], and no clause was added since.
    pub fn value(&self, lit: Lit) -> bool {
        self.solver.value(lit.0.abs()).is_some_and(|value| value == (lit.0 > 0))
    }

    /// Whether the refutation used the assumption `lit`.
    ///
    /// # Requires
    /// The last call answered [`Satisfiable::No`] and assumed `lit`, and no clause was added since.
    pub fn is_used(&self, lit: Lit) -> bool {
        self.solver.failed(lit.0)
    }
}

/// Ends a call of the solver when the budget does. Each time the solver asks counts as a unit of work.
struct Watch {
    budget: Budget,
    polls: u64,
}

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.polls += 1;
        self.budget.spend(1).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Limit;

    #[test]
    fn assumptions_hold_for_one_call() {
        let budget = Budget::unlimited();
        let mut sat = Sat::new();
        let (a, b) = (sat.variable(), sat.variable());
        sat.clause(&[!a, b]);
        assert_eq!(sat.solve(&[a, !b], &budget), Ok(Satisfiable::No));
        assert!(sat.is_used(a) && sat.is_used(!b));
        assert_eq!(sat.solve(&[a], &budget), Ok(Satisfiable::Yes));
        assert!(sat.value(b) && !sat.value(!a));
    }

    /// The pigeonhole principle, which takes this kind of solver exponential time.
    #[track_caller]
    fn pigeons(holes: usize, budget: &Budget) -> Result<Satisfiable, Exhausted> {
        let mut sat = Sat::new();
        let sits: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| sat.variable()).collect()).collect();
        for pigeon in &sits {
            sat.clause(pigeon);
        }
        for (index, one) in sits.iter().enumerate() {
            for other in &sits[..index] {
                for (&left, &right) in one.iter().zip(other) {
                    sat.clause(&[!left, !right]);
                }
            }
        }
        sat.solve(&[], budget)
    }

    #[test]
    fn a_budget_ends_a_hard_call() {
        assert_eq!(pigeons(4, &Budget::unlimited()), Ok(Satisfiable::No));
        let pass = Budget::unlimited().with_allowance(1_000);
        assert_eq!(pigeons(14, &pass), Err(Exhausted));
        assert_eq!(pass.hit(), Limit::Allowance);
        let stopped = Budget::unlimited();
        stopped.stop(Limit::Time);
        assert_eq!(pigeons(14, &stopped), Err(Exhausted));
    }
}
