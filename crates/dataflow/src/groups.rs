//! Which facts belong together: those that are assigned or tested together [BR01, §7].
//!
//! Two facts are near if one is computed from the other, a condition tests both, one is set right where the other is
//! tested, or both are set in the same stretch of straight-line code, as a flag and the pointer that it speaks of; or if
//! the user says so. A group grows from the facts that a goal asks about, each time by the fact that is near most often.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{EdgeId, Expr, ExprId, Goal, NodeId, Program, Relation, Transition, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Of a stretch that sets more facts only so many are paired, or a long initialisation would pair everything.
const MOST_PAIRED: usize = 24;

/// What the user says belongs together weighs more than all that the program does.
const HINT: u32 = 1 << 20;

/// Facts that belong together, as the user says.
#[derive(Clone, Default, Debug)]
pub struct Hints(pub Vec<BTreeSet<VarId>>);

impl Hints {
    /// The hints for a program whose variables are these of the one that they are about.
    pub(crate) fn within(&self, origins: &IndexVec<VarId, VarId>) -> Self {
        let of_part = |set: &BTreeSet<VarId>| {
            origins.iter_enumerated().filter(|(_, origin)| set.contains(origin)).map(|(var, _)| var).collect()
        };
        Self(self.0.iter().map(of_part).collect())
    }
}

/// How often two facts are near each other.
#[derive(Debug)]
pub struct Nearness {
    near: IndexVec<VarId, FxHashMap<VarId, u32>>,
}

impl Nearness {
    /// Reads it off the labels of `program` and what the user says.
    pub fn new(program: &Program<Relation>, hints: &Hints) -> Self {
        let mut result = Self { near: IndexVec::from_elem(FxHashMap::default(), program.vars.len()) };
        for label in &program.labels {
            match label {
                Relation::Step(transition) => result.label(program, &[transition]),
                Relation::Call { enter, leave } => result.label(program, &[enter, leave]),
                Relation::Return => {}
            }
        }
        for node in program.icfg.nodes.ids().filter(|&node| starts_stretch(program, node)) {
            let set = stretch(program, node);
            let tested = program.icfg.predecessors(node).iter().flat_map(|&edge| tested(program, edge));
            let tested: BTreeSet<VarId> = tested.collect();
            result.pair(&set.into_iter().chain(tested).take(MOST_PAIRED).collect());
        }
        hints.0.iter().for_each(|set| result.pair_by(set, HINT));
        result
    }

    /// At most `size` facts for `goal`: those it asks about, and those nearest to them.
    pub fn group(&self, program: &Program<Relation>, goal: &Goal, size: usize) -> BTreeSet<VarId> {
        let mut group: BTreeSet<VarId> = goal.condition.map(|condition| reads(program, condition)).unwrap_or_default();
        let mut weights: FxHashMap<VarId, u32> = FxHashMap::default();
        for &var in &group {
            self.add_weights(var, &mut weights);
        }
        while group.len() < size {
            let candidates = weights.iter().filter(|(var, _)| !group.contains(var));
            // Ties go to the fact that was declared first, whatever order the table has.
            let Some((&nearest, _)) = candidates.max_by_key(|&(var, weight)| (*weight, std::cmp::Reverse(var.index())))
            else {
                break;
            };
            group.insert(nearest);
            self.add_weights(nearest, &mut weights);
        }
        group
    }

    fn add_weights(&self, var: VarId, weights: &mut FxHashMap<VarId, u32>) {
        #[expect(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
        for (&other, &weight) in &self.near[var] {
            let sum = weights.entry(other).or_default();
            *sum = sum.saturating_add(weight);
        }
    }

    /// What is computed from what, and what is tested together.
    fn label(&mut self, program: &Program<Relation>, transitions: &[&Transition]) {
        for transition in transitions {
            let conditions = transition.guard.into_iter().chain(transition.constraint);
            for condition in conditions {
                self.pair(&reads(program, condition).into_iter().take(MOST_PAIRED).collect());
            }
            for update in &transition.updates {
                if let Value::Of(value) = update.value {
                    let mut set = reads(program, value);
                    set.insert(update.target);
                    self.pair(&set.into_iter().take(MOST_PAIRED).collect());
                }
            }
        }
    }

    fn pair(&mut self, set: &BTreeSet<VarId>) {
        self.pair_by(set, 1);
    }

    fn pair_by(&mut self, set: &BTreeSet<VarId>, weight: u32) {
        for &left in set {
            for &right in set.iter().filter(|&&right| right != left) {
                let sum = self.near[left].entry(right).or_default();
                *sum = sum.saturating_add(weight);
            }
        }
    }
}

/// The facts that `expr` reads, before or after.
fn reads(program: &Program<Relation>, expr: ExprId) -> BTreeSet<VarId> {
    let mut result = BTreeSet::new();
    program.exprs.for_each_leaf(expr, |leaf| match leaf {
        Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) => {
            result.insert(var);
        }
        _ => {}
    });
    result
}

/// The facts that the guard of `edge` tests.
fn tested(program: &Program<Relation>, edge: EdgeId) -> BTreeSet<VarId> {
    match &program.labels[edge] {
        Relation::Step(Transition { guard: Some(guard), .. }) => reads(program, *guard),
        _ => BTreeSet::new(),
    }
}

/// Whether straight-line code starts at `node`: control comes there from several places, or from where it branches.
fn starts_stretch(program: &Program<Relation>, node: NodeId) -> bool {
    match program.icfg.predecessors(node) {
        [edge] => program.icfg.successors(program.icfg.edges[*edge].from).len() > 1,
        _ => true,
    }
}

/// What the straight-line code from `node` on sets.
fn stretch(program: &Program<Relation>, node: NodeId) -> Vec<VarId> {
    let mut result = Vec::new();
    let mut node = node;
    while let [edge] = *program.icfg.successors(node) {
        if let Relation::Step(transition) = &program.labels[edge] {
            result.extend(transition.updates.iter().map(|update| update.target));
        }
        match program.icfg.edges[edge].target() {
            Some(next) if result.len() < MOST_PAIRED && program.icfg.predecessors(next).len() == 1 => node = next,
            _ => break,
        }
    }
    result
}
