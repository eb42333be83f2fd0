//! A program over facts as a subset problem: each variable is a fact.
//!
//! With union a fact that an edge sets holds afterwards if it can be true where one of the facts that it is computed
//! from holds, or where none does; a choice is either. With intersection it is the dual. Guards and constraints are left
//! out: a subset problem knows nothing of facts that exclude each other.
//!
//! What belongs to a procedure stays with its activation: a call drops the caller's own facts on the way in and the
//! callee's on the way out, and the caller finds its own again where it goes on.

use super::{FactId, Function, Meet, Problem, Setting, Transfer};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::expr::{Expr, Possible};
use hardbop_icfg::{EdgeId, EdgeKind, ExprId, Icfg, ProcId, Program, Relation, Scope, Transition, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What facts can be where paths start.
pub type Starts = [(VarId, Possible)];

/// The subset problem of `program`, whose labels are about the edges of `icfg`: its graph, or what
/// [`reverse`](super::reverse) or [`backward`](super::backward) make of it.
pub fn problem<'g>(program: &Program<Relation>, icfg: &'g Icfg, starts: &Starts, meet: Meet) -> Problem<'g> {
    let reader = Reader { program, icfg, meet };
    let mut transfers: IndexVec<EdgeId, Transfer> =
        program.labels.iter_enumerated().map(|(edge, label)| reader.transfer(edge, label)).collect();
    // Edges that the program does not have lead to where paths start as well.
    while transfers.len() < icfg.edges.len() {
        transfers.push(Transfer::Step(Function::identity()));
    }
    let holds = |possible: &Possible| match meet {
        Meet::Union => possible.can_be_true,
        Meet::Intersection => !possible.can_be_false,
    };
    let initial = starts.iter().filter(|(_, possible)| holds(possible)).map(|(var, _)| fact(*var)).collect();
    Problem { icfg, entry: program.entry, facts: program.vars.len(), transfers, initial, meet }
}

fn fact(var: VarId) -> FactId {
    FactId::from_usize(var.index())
}

/// A leaf of a value that it depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Leaf {
    /// A fact before the edge; on the way back from a call, at the callee's exit.
    Now(VarId),
    /// On the way back from a call, a fact of the caller before it.
    Saved(VarId),
}

/// What a fact becomes.
enum Becomes {
    Constant(bool),
    From(Vec<Leaf>),
}

struct Reader<'p> {
    program: &'p Program<Relation>,
    icfg: &'p Icfg,
    meet: Meet,
}

impl Reader<'_> {
    fn transfer(&self, edge: EdgeId, label: &Relation) -> Transfer {
        match (label, self.icfg.edges[edge].kind) {
            (Relation::Step(transition), _) => Transfer::Step(self.step(transition)),
            (Relation::Call { enter, leave }, EdgeKind::Call { callee, .. }) => {
                let caller = self.icfg.nodes[self.icfg.edges[edge].from].proc;
                let (leave, around) = self.leave(leave, caller, callee);
                Transfer::Call { enter: self.enter(enter, caller, callee), leave, around }
            }
            (Relation::Call { .. } | Relation::Return, _) => Transfer::Return,
        }
    }

    fn step(&self, transition: &Transition) -> Function {
        let settings: Vec<_> = self.updates(transition).map(|(var, value)| (fact(var), now(value))).collect();
        Function::assign(&settings, self.meet)
    }

    /// What nobody can see there.
    fn absent(&self) -> Setting {
        Setting::Constant(self.meet == Meet::Intersection)
    }

    fn enter(&self, transition: &Transition, caller: ProcId, callee: ProcId) -> Function {
        let mut settings: BTreeMap<FactId, Setting> =
            self.program.locals[caller].iter().map(|&var| (fact(var), self.absent())).collect();
        // What is the callee's own is anything unless the call says otherwise.
        let anything = Setting::Constant(self.meet == Meet::Union);
        settings.extend(self.program.locals[callee].iter().map(|&var| (fact(var), anything.clone())));
        let is_seen = |var: VarId| self.owner(var).is_none_or(|proc| proc == callee);
        let updates = self.updates(transition).filter(|(var, _)| is_seen(*var));
        settings.extend(updates.map(|(var, value)| (fact(var), now(value))));
        Function::assign(&settings.into_iter().collect::<Vec<_>>(), self.meet)
    }

    fn leave(&self, transition: &Transition, caller: ProcId, callee: ProcId) -> (Function, Function) {
        let locals = self.program.locals[callee].iter().chain(&self.program.locals[caller]);
        let mut settings: BTreeMap<FactId, Setting> = locals.map(|&var| (fact(var), self.absent())).collect();
        let mut kept: BTreeMap<FactId, BTreeSet<FactId>> =
            self.program.locals[caller].iter().map(|&var| (fact(var), BTreeSet::from([fact(var)]))).collect();
        let is_seen = |var: VarId| self.owner(var).is_none_or(|proc| proc == caller);
        for (var, value) in self.updates(transition).filter(|(var, _)| is_seen(*var)) {
            let target = fact(var);
            for images in kept.values_mut() {
                images.remove(&target);
            }
            let setting = match value {
                Becomes::Constant(value) => Setting::Constant(value),
                Becomes::From(leaves) => {
                    let mut inside = Vec::new();
                    for leaf in leaves {
                        match leaf {
                            Leaf::Now(source) => inside.push(fact(source)),
                            Leaf::Saved(source) => {
                                kept.entry(fact(source)).or_default().insert(target);
                            }
                        }
                    }
                    Setting::From(inside)
                }
            };
            settings.insert(target, setting);
        }
        let kept: Vec<(FactId, Vec<FactId>)> =
            kept.into_iter().map(|(source, images)| (source, images.into_iter().collect())).collect();
        let settings: Vec<_> = settings.into_iter().collect();
        (Function::assign(&settings, self.meet), Function::only(&kept))
    }

    fn owner(&self, var: VarId) -> Option<ProcId> {
        match self.program.vars[var].scope {
            Scope::Global => None,
            Scope::Parameter(proc) | Scope::Local(proc) | Scope::Result(proc) => Some(proc),
        }
    }

    fn updates(&self, transition: &Transition) -> impl Iterator<Item = (VarId, Becomes)> {
        transition.updates.iter().map(|update| match update.value {
            Value::Of(value) => (update.target, self.becomes(value)),
            Value::Any => (update.target, Becomes::Constant(self.meet == Meet::Union)),
        })
    }

    /// What a fact becomes that is given this value.
    fn becomes(&self, value: ExprId) -> Becomes {
        let is_union = self.meet == Meet::Union;
        let mut leaves = BTreeSet::new();
        self.program.exprs.for_each_leaf(value, |leaf| leaves.extend(leaf_of(leaf)));
        // Of one leaf alone it matters what happens where it differs from all others.
        let can_change = |special: Option<Leaf>| {
            let possible = self.program.exprs.possible(value, &|leaf| match leaf_of(leaf) {
                Some(own) => Possible::only((Some(own) == special) == is_union),
                None => Possible::ANY,
            });
            if is_union { possible.can_be_true } else { possible.can_be_false }
        };
        if can_change(None) {
            return Becomes::Constant(is_union);
        }
        let sources: Vec<Leaf> = leaves.into_iter().filter(|&leaf| can_change(Some(leaf))).collect();
        if sources.is_empty() { Becomes::Constant(!is_union) } else { Becomes::From(sources) }
    }
}

fn now(value: Becomes) -> Setting {
    match value {
        Becomes::Constant(value) => Setting::Constant(value),
        Becomes::From(leaves) => {
            Setting::From(leaves.into_iter().map(|(Leaf::Now(var) | Leaf::Saved(var))| fact(var)).collect())
        }
    }
}

fn leaf_of(leaf: Expr) -> Option<Leaf> {
    match leaf {
        Expr::Var(var) => Some(Leaf::Now(var)),
        Expr::Saved(var) => Some(Leaf::Saved(var)),
        _ => None,
    }
}
